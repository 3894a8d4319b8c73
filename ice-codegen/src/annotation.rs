//! Comments between the lines of a listing: which instruction of the IR the code is for and which places it reads for
//! the last time, and which places are live where a block begins and ends.

use crate::mach::{MachBlock, MachFunction, MachInst};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write};
use ice_asm::ListingMark;
use ice_ir::{Function, Inst, Module, write_instruction};
use ice_regalloc::{Allocation, LivePlaces, Output, PReg, PlaceSet, RegisterFile};

/// A function and its module, whose instructions comments name.
#[derive(Clone, Copy)]
pub struct Annotation<'a> {
    /// The module.
    pub module: &'a Module,
    /// The function as it was lowered.
    pub func: &'a Function,
}

/// The comments of one function, to be written front to back.
pub(crate) struct Comments<'a> {
    annotation: Annotation<'a>,
    /// What begins a comment.
    marker: &'static str,
    /// What the code is for, from which offset on; those that are left.
    origins: &'a [(u32, Option<Inst>)],
    registers: &'a RegisterFile<'a>,
    num_blocks: u32,
    live: LivePlaces<'a>,
    /// The places that the code for an instruction reads for the last time, sorted.
    ends: Vec<(Inst, Allocation)>,
}

impl<'a> Comments<'a> {
    /// Comments for the code of `mach`, which is for `origins`. Each begins with `marker`.
    pub fn new<I: MachInst>(
        annotation: Annotation<'a>,
        marker: &'static str,
        origins: &'a [(u32, Option<Inst>)],
        mach: &'a MachFunction<I>,
        registers: &'a RegisterFile<'a>,
        allocation: &'a Output,
    ) -> Self {
        let live = LivePlaces::compute(mach.body(), registers, allocation);
        let mut ends = Vec::new();
        for block in mach.blocks() {
            live.for_each_end(block, |inst, operand| {
                ends.extend(
                    mach.origin(inst)
                        .map(|origin| (origin, allocation.allocs_of(mach.body(), inst)[operand])),
                );
            });
        }
        ends.sort_unstable();
        ends.dedup();
        let num_blocks = mach.num_blocks() as u32;
        Comments { annotation, marker, origins, registers, num_blocks, live, ends }
    }

    /// Writes the comment that belongs at a place of the listing, if one does.
    pub fn write(&mut self, mark: ListingMark, out: &mut dyn Write) -> fmt::Result {
        match mark {
            ListingMark::Label(label) if label.0 < self.num_blocks => {
                self.write_block(MachBlock::from_u32(label.0), out)
            }
            ListingMark::Label(_) => Ok(()),
            ListingMark::Line(offset) => self.write_origin(offset, out),
        }
    }

    fn write_block(&self, block: MachBlock, out: &mut dyn Write) -> fmt::Result {
        let (live_in, live_out) = (self.live.live_in(block), self.live.live_out(block));
        let [live_in, live_out] = [live_in, &live_out].map(|live| self.places(live));
        writeln!(out, "\t{} {block}: live in {live_in}, live out {live_out}", self.marker)
    }

    /// Writes what the line at `offset` is for, if the line before was for something else.
    fn write_origin(&mut self, offset: u32, out: &mut dyn Write) -> fmt::Result {
        let passed = self.origins.iter().take_while(|&&(start, _)| start <= offset).count();
        let (passed, left) = self.origins.split_at(passed);
        self.origins = left;
        let Some(&(_, Some(inst))) = passed.last() else { return Ok(()) };
        let Annotation { module, func } = self.annotation;
        let mut line = String::new();
        write_instruction(module, func, inst, &mut line)?;
        write!(out, "\t{} {line}", self.marker)?;
        let first = self.ends.partition_point(|&(ends, _)| ends < inst);
        let ends = self.ends[first..].iter().take_while(|&&(ends, _)| ends == inst);
        for (n, &(_, place)) in ends.enumerate() {
            write!(out, "{}{}", if n == 0 { "; ends " } else { " " }, self.place(place))?;
        }
        writeln!(out)
    }

    fn place(&self, place: Allocation) -> String {
        match place.as_reg() {
            Some(reg) => self.registers.name(reg).to_string(),
            None => place.to_string(),
        }
    }

    /// The places of a set, registers by their longest names.
    fn places(&self, set: &PlaceSet) -> String {
        let registers = self.registers;
        let is_live =
            |reg: &PReg| set.units.contains(registers.units(*reg)) && !registers.units(*reg).is_empty();
        let all = || (0..registers.regs.len() as u8).map(PReg::new).filter(is_live);
        let is_longest = |reg: &PReg| {
            let units = registers.units(*reg);
            !all().any(|other| registers.units(other).contains(units) && registers.units(other) != units)
        };
        let mut names: Vec<String> =
            all().filter(is_longest).map(|reg| registers.name(reg).to_string()).collect();
        names.extend(set.slots().map(|slot| slot.to_string()));
        if names.is_empty() { "nothing".to_string() } else { names.join(" ") }
    }
}
