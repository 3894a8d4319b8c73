//! Where emission is in a function, what it consumes, and what it found missing.

use super::NO_BLOCK;
use crate::internal::{CodegenStep, Faults, check_places, describe};
use crate::live::LoweredCall;
use crate::mach::{MachBlock, MachFunction, MachInst, MachInstId};
use crate::{CompiledCode, ErrorKind};
use alloc::boxed::Box;
use alloc::format;
use ice_asm::{BranchIsa, CodeBuffer, Label, Listing, Location, Reloc};
use ice_ir::Inst;
use ice_regalloc::{Allocation, Edit, Output, Places, ProgPoint};

/// The label of a block that is there: the first labels of the buffer, in order.
pub fn label(block: MachBlock) -> Label {
    Label(block.as_u32())
}

/// The place of the walk in its function. Places and edits are consumed from the front.
pub struct Cursor<'a, I> {
    /// The function.
    pub mach: &'a MachFunction<I>,
    /// Its allocation.
    pub allocation: &'a Output,
    /// The current block.
    pub block: MachBlock,
    /// The current instruction.
    pub at: MachInstId,
    /// The edits that are left.
    pub edits: &'a [Edit],
    /// Places of the operands of the current instruction that are not consumed yet.
    pub operands: &'a [Allocation],
    /// The origins of instructions that are left.
    origins: &'a [(MachInstId, Option<Inst>)],
    /// The calls with live values that are left.
    live: &'a [LoweredCall],
    /// The places of all operands.
    all_places: Places<'a>,
    num_blocks: u32,
    /// The next block is not needed.
    is_passed: bool,
    faults: Faults,
    /// Why a text of inline assembly cannot be assembled.
    refusal: Option<Box<str>>,
}

/// What a walk has found missing.
pub struct Outcome {
    faults: Faults,
    refusal: Option<Box<str>>,
}

/// Where a walk goes on behind a block that was written out of turn.
pub struct Detour<'a> {
    at: MachInstId,
    edits: &'a [Edit],
    origins: &'a [(MachInstId, Option<Inst>)],
    live: &'a [LoweredCall],
}

impl<'a, I: MachInst> Cursor<'a, I> {
    /// Goes to a block out of turn: its code belongs to the current instruction. It has no call with live values.
    pub fn depart(&mut self, block: MachBlock) -> Detour<'a> {
        let range = self.mach.inst_range(block);
        let edits = self.allocation.edits_of(range.start as u32..range.end as u32);
        Detour {
            at: self.at,
            edits: core::mem::replace(&mut self.edits, edits),
            origins: core::mem::take(&mut self.origins),
            live: core::mem::take(&mut self.live),
        }
    }

    /// Goes on where it left.
    pub fn come_back(&mut self, detour: Detour<'a>) {
        let Detour { at, edits, origins, live } = detour;
        (self.at, self.edits, self.origins, self.live) = (at, edits, origins, live);
    }

    /// At the start of the function.
    ///
    /// # Errors
    /// The allocation has more or fewer places than the function has operands.
    #[inline]
    pub fn new(mach: &'a MachFunction<I>, allocation: &'a Output) -> Result<Self, ErrorKind> {
        check_places(mach, allocation)?;
        Ok(Cursor {
            mach,
            allocation,
            block: MachBlock::from_u32(0),
            at: MachInstId::from_u32(0),
            edits: &allocation.edits,
            operands: &[],
            origins: mach.origins(),
            live: mach.live_calls(),
            all_places: allocation.places(mach.body()),
            num_blocks: mach.num_blocks() as u32,
            is_passed: false,
            faults: Faults::default(),
            refusal: None,
        })
    }

    /// The block after the current one: control falls into it.
    #[inline(always)]
    pub fn next_block(&self) -> MachBlock {
        MachBlock::from_u32(self.block.as_u32() + 1)
    }

    /// Notes that nothing goes to the next block: the branch before it goes where it would have jumped.
    #[inline(always)]
    pub(super) fn pass_next(&mut self) {
        self.is_passed = true;
    }

    /// Whether nothing goes to the block whose turn has come; asked once for each.
    #[inline(always)]
    pub fn take_passed(&mut self) -> bool {
        core::mem::take(&mut self.is_passed)
    }

    /// An instruction of the function.
    pub fn inst(&self, inst: MachInstId) -> Option<&'a I> {
        self.mach.insts().get(inst.as_u32() as usize)
    }

    /// The point of the first of the edits that are left; behind all others if there is none.
    #[inline(always)]
    pub fn next_edit(&self) -> ProgPoint {
        let end = ProgPoint::after(MachInstId::from_u32(u32::MAX / 2));
        self.edits.first().map_or(end, |edit| edit.point)
    }

    /// The point at which the walk has more to do next than to write an instruction: the first edit that is left, the
    /// first instruction of another origin, or the end of a call with live values.
    #[inline(always)]
    pub(super) fn next_stop(&self) -> ProgPoint {
        let edit = self.next_edit();
        let stop = self.next_origin().map_or(edit, |origin| origin.min(edit));
        self.next_live().map_or(stop, |live| live.min(stop))
    }

    /// Behind the next call with live values.
    #[inline(always)]
    pub(super) fn next_live(&self) -> Option<ProgPoint> {
        self.live.first().map(|call| ProgPoint::after(call.inst))
    }

    /// Passes a call with live values.
    pub(super) fn pass_live(&mut self) {
        self.live = self.live.get(1..).unwrap_or_default();
    }

    /// Where the next origin begins to hold.
    #[inline(always)]
    pub(super) fn next_origin(&self) -> Option<ProgPoint> {
        self.origins.first().map(|&(inst, _)| ProgPoint::before(inst))
    }

    /// Passes the origins up to `point` and gives the last of them, which holds there.
    pub(super) fn origin_at(&mut self, point: ProgPoint) -> Option<Location> {
        let passed = self.origins.iter().take_while(|&&(inst, _)| ProgPoint::before(inst) <= point).count();
        let (passed, left) = self.origins.split_at(passed);
        self.origins = left;
        let &(_, origin) = passed.last()?;
        origin.map(|inst| Location(inst.as_u32()))
    }

    /// Leaves out the edits of a block that is not written in its turn.
    pub(super) fn skip_edits(&mut self, block: MachBlock) {
        let end = ProgPoint::before(MachInstId::from_u32(self.mach.inst_range(block).end as u32));
        let done = self.edits.iter().take_while(|edit| edit.point < end).count();
        self.edits = &self.edits[done..];
    }

    /// Goes to the instruction of an index.
    #[inline(always)]
    pub(super) fn begin(&mut self, index: usize) {
        self.at = MachInstId::from_u32(index as u32);
    }

    /// Goes to the next instruction.
    #[inline(always)]
    pub(super) fn step(&mut self) {
        self.at = MachInstId::from_u32(self.at.as_u32() + 1);
    }

    /// The end of the walk: no edit may be left.
    pub(super) fn end(&mut self) {
        self.begin(self.mach.insts().len());
        if !self.edits.is_empty() {
            self.fault("an edit stands behind the last instruction");
        }
    }

    /// The places of all operands of the current instruction.
    #[inline(always)]
    pub fn places(&self) -> &'a [Allocation] {
        self.all_places.of(self.at)
    }

    /// Makes all operands of the current instruction the next ones.
    #[inline(always)]
    pub fn take_operands(&mut self) {
        self.operands = self.places();
    }

    /// Whether what the current instruction makes is made again where it is used, and not here.
    #[inline(always)]
    pub fn is_left_to_users(&mut self, inst: &I) -> bool {
        let is_left = matches!(self.places(), [only] if only.is_none());
        if is_left {
            self.leave_to_users(inst);
        }
        is_left
    }

    #[inline(never)]
    fn leave_to_users(&mut self, inst: &I) {
        if inst.rematerialize().is_none() {
            self.fault("its operand has no place, and it is not made again where it is used");
        }
    }

    /// The place of the next operand.
    #[inline(always)]
    pub fn next_place(&mut self) -> Allocation {
        match self.operands {
            [first, rest @ ..] => {
                self.operands = rest;
                *first
            }
            [] => self.no_operand(),
        }
    }

    /// The label of a block that a branch names.
    #[inline(always)]
    pub fn target_label(&mut self, block: MachBlock) -> Label {
        if block.as_u32() >= self.num_blocks {
            self.fault(NO_BLOCK);
        }
        label(block)
    }

    /// Keeps a fault of the current instruction, the first one. Not inlined, so that a branch leads here and places are
    /// not selected without one, which takes three times as many instructions.
    #[cold]
    #[inline(never)]
    pub fn fault(&mut self, what: &'static str) {
        self.faults.note(self.at, what);
    }

    #[cold]
    #[inline(never)]
    fn no_operand(&mut self) -> Allocation {
        self.fault("it has fewer operands than it is emitted with");
        Allocation::NONE
    }

    /// Keeps why a text of inline assembly cannot be assembled, if it is the first.
    #[cold]
    pub fn refuse(&mut self, why: Box<str>) {
        self.refusal.get_or_insert(why);
    }

    /// What the walk has found missing.
    pub fn outcome(&mut self) -> Outcome {
        Outcome { faults: self.faults, refusal: self.refusal.take() }
    }
}

/// Appends the relocations of a function and the constants that it loads. Those have other numbers among the
/// constants of all functions.
fn add_relocs<I: MachInst>(
    mach: &MachFunction<I>,
    relocs: &[Reloc],
    out: &mut CompiledCode,
) -> Result<(), ErrorKind> {
    let first = out.relocs.len();
    out.relocs.extend_from_slice(relocs);
    let mut faults = Faults::default();
    if mach.tables.has_own_symbols() {
        out.constants.add_all(&mach.tables.constants);
        for reloc in &mut out.relocs[first..] {
            match mach.tables.shared_symbol(reloc.symbol, &mut out.constants, &mut out.taken_labels) {
                Some(symbol) => reloc.symbol = symbol,
                None => faults.note(reloc.offset, "the constant of a relocation is not there"),
            }
        }
    }
    faults.check(CodegenStep::Layout, |offset| format!("offset {offset}"))?;
    Ok(())
}

/// The end of emission: finishes the buffer and appends its code, relocations and constants to `out`.
///
/// # Errors
/// The first that the walk over `mach` has found missing, or the buffer's.
pub fn finish<I: MachInst, L: Listing, B: BranchIsa>(
    mach: &MachFunction<I>,
    outcome: Outcome,
    buffer: &mut CodeBuffer<L, B>,
    out: &mut CompiledCode,
) -> Result<(), ErrorKind> {
    if let Some(why) = outcome.refusal {
        return Err(ErrorKind::Assembly(why));
    }
    outcome.faults.check(CodegenStep::Emission, |inst| describe(mach, inst))?;
    buffer.finish()?;
    out.data.extend_from_slice(buffer.constant_ranges());
    out.code.extend_from_slice(buffer.bytes());
    add_relocs(mach, buffer.relocs(), out)?;
    for &(number, block) in &mach.tables.labels {
        let offset = buffer.label_offset(label(block));
        out.labels.extend(offset.map(|offset| (number, offset)));
    }
    let origin = |location: Option<Location>| location.map(|Location(inst)| Inst::from_u32(inst));
    out.origins.extend(buffer.locations().iter().map(|&(offset, location)| (offset, origin(location))));
    Ok(())
}
