//! Runs one block from an unknown state, and keeps what each block does as a whole.
//!
//! Invariant: whatever the state on entry of the block, a place now holds
//! * [`Source::Entry`]`(p)`: of the virtual registers that place `p` held on entry, those that the
//!   block has not defined since, or
//! * [`Source::Def`]`(n)`: the one that definition `n` has set, unless it has been set again, or
//! * nothing;
//!
//! and in each case only the low `limit` bytes of them, which is the smallest edit on the way.
//! Definitions are numbered through the function, so whether the block has defined a virtual
//! register, and whether a definition is its latest, are comparisons of numbers.
//!
//! Cost: one write an operand or edit and alias; a summary entry for each place and virtual register
//! that the block writes.

use super::Input;
use crate::operand::{Block, Inst, VReg};
use crate::output::{Allocation, Edit, ProgPoint};
use crate::registers::{RegUnits, RegisterFile};
use alloc::vec::Vec;

/// A place that holds only what is not defined.
pub(super) const NOWHERE: u32 = u32::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    Nothing,
    Entry(u32),
    Def(u32),
}

/// What a place holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Content {
    source: Source,
    limit: u32,
}

const NOTHING: Content = Content { source: Source::Nothing, limit: u32::MAX };

/// Whether a place holds a virtual register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// Yes.
    Yes,
    /// No, although it is defined.
    No,
    /// If this place, or [`NOWHERE`], held it on entry of the block.
    Ask(u32),
}

impl Content {
    fn of_entry(place: u32) -> Content {
        let source = if place == NOWHERE { Source::Nothing } else { Source::Entry(place) };
        Content { source, limit: u32::MAX }
    }

    /// Whether this holds the low `size` bytes of a value whose latest definition in the block is `def`, and
    /// which the place `maker` always holds.
    fn holds(self, def: Option<u32>, maker: u32, size: u32) -> Answer {
        let fits = size <= self.limit;
        match (def, self.source) {
            (Some(n), Source::Def(m)) if m == n && fits => Answer::Yes,
            (Some(_), _) => Answer::No,
            (None, Source::Entry(place)) if fits && place == maker => Answer::Yes,
            (None, Source::Entry(place)) if fits => Answer::Ask(place),
            (None, _) => Answer::Ask(NOWHERE),
        }
    }
}

/// A use and what is known of it.
pub(super) struct Found {
    /// The instruction.
    pub(super) inst: Inst,
    /// Index of the operand.
    pub(super) operand: usize,
    /// What it reads, and how many bytes that has.
    pub(super) value: (VReg, u32),
    /// Whether it is there.
    pub(super) answer: Answer,
}

/// The state at one point of a block, and the summaries of the blocks that were run.
#[derive(Clone, Debug, Default)]
pub(super) struct Symbolic {
    /// For each place the block that wrote it last, as its number and one, and what it holds.
    places: Vec<(u32, Content)>,
    /// The number of the latest definition of each virtual register; 0 for none.
    latest: Vec<u32>,
    /// The first block that defines each virtual register, as its number and one; 0 for none.
    first: Vec<u32>,
    /// Places that the present block has written.
    written: Vec<u32>,
    /// Virtual registers that the present block has defined.
    defined: Vec<u32>,
    /// The present block's number and one.
    stamp: u32,
    /// Number of the first definition in the present block, and of the next one.
    first_def: u32,
    next_def: u32,
    aliases: Aliases,
    /// Registers with a unit in `clobbers`: calls mostly clobber the same.
    clobbered: Vec<u32>,
    clobbers: RegUnits,
    /// For each virtual register the place "its only definition again", or `NO_MAKER`.
    makers: Vec<u32>,
    summaries: Summaries,
}

/// Several instructions define the virtual register, or one that cannot be executed again.
const NO_MAKER: u32 = u32::MAX - 1;

/// What each block does: sorted lists of the places it writes and of what it defines.
#[derive(Clone, Debug, Default)]
struct Summaries {
    places: Vec<(u32, Content)>,
    defs: Vec<(u32, u32)>,
    /// Starts of each block's part of both lists, and one for the end.
    starts: Vec<(u32, u32)>,
}

/// For each register the registers that alias it, itself included.
#[derive(Clone, Debug, Default)]
struct Aliases {
    lists: Vec<u32>,
    starts: Vec<u32>,
    /// The units they were computed from.
    units: Vec<RegUnits>,
}

impl Aliases {
    fn compute(&mut self, file: &RegisterFile) {
        let same = file.regs.iter().map(|info| info.units).eq(self.units.iter().copied());
        if same && !self.starts.is_empty() {
            return;
        }
        self.units.clear();
        self.units.extend(file.regs.iter().map(|info| info.units));
        self.lists.clear();
        self.starts.clear();
        for &units in &self.units {
            self.starts.push(self.lists.len() as u32);
            self.lists.extend(with_a_unit_in(units, file));
        }
        self.starts.push(self.lists.len() as u32);
    }

    /// Of the place `index`; no registers for a slot.
    fn of(&self, index: usize) -> &[u32] {
        match self.starts.get(index..index + 2) {
            Some(&[start, end]) => &self.lists[start as usize..end as usize],
            _ => &[],
        }
    }
}

/// Index of a place that can be read: a register, a slot, or an instruction executed again.
fn place_index(input: &Input<'_>, place: Allocation) -> Option<usize> {
    match place.as_remat() {
        Some(inst) => input.remat(place).map(|_| input.num_places() + inst.as_u32() as usize),
        None => input.index(place),
    }
}

fn with_a_unit_in(units: RegUnits, file: &RegisterFile) -> impl Iterator<Item = u32> {
    (0u32..).zip(file.regs).filter(move |(_, info)| info.units.intersects(units)).map(|(r, _)| r)
}

impl Symbolic {
    /// Forgets everything about the last function.
    pub(super) fn reset(&mut self, input: &Input<'_>) {
        self.aliases.compute(input.file);
        (self.clobbers, self.stamp, self.next_def) = (RegUnits::EMPTY, 0, 1);
        self.clobbered.clear();
        self.places.clear();
        self.places.resize(input.num_places(), (0, NOTHING));
        self.latest.clear();
        self.latest.resize(input.func.num_vregs(), 0);
        self.first.clear();
        self.first.resize(input.func.num_vregs(), 0);
        self.find_makers(input);
        self.summaries.places.clear();
        self.summaries.defs.clear();
        self.summaries.starts.clear();
        self.summaries.starts.push((0, 0));
    }

    /// Finds the instructions that can be executed again.
    fn find_makers(&mut self, input: &Input<'_>) {
        let func = input.func;
        // The first definition of any kind is noted as one more than its instruction.
        let meet = |maker: &mut u32, inst: u32| *maker = if *maker == 0 { inst } else { NO_MAKER };
        self.makers.clear();
        self.makers.resize(func.num_vregs(), 0);
        for inst in 0..func.num_insts() as u32 {
            for op in func.operands(Inst::from_u32(inst)).iter().filter(|op| op.is_def()) {
                meet(&mut self.makers[op.vreg().as_u32() as usize], inst + 1);
            }
        }
        for block in (0..func.num_blocks() as u32).map(Block::from_u32) {
            for param in func.block_params(block) {
                meet(&mut self.makers[param.as_u32() as usize], NO_MAKER);
            }
        }
        for maker in &mut self.makers {
            let inst = maker.checked_sub(1).filter(|&inst| (inst as usize) < func.num_insts());
            let place = inst.and_then(|inst| place_index(input, Allocation::remat(Inst::from_u32(inst))));
            *maker = place.map_or(NO_MAKER, |place| place as u32);
        }
    }

    /// Runs `block` and tells what is known of each use in it.
    pub(super) fn run(&mut self, input: &Input<'_>, block: Block, mut tell: impl FnMut(Found)) {
        self.stamp = block.as_u32() + 1;
        self.first_def = self.next_def;
        self.written.clear();
        self.defined.clear();
        let range = input.func.block_insts(block);
        let edits = &input.output.edits;
        let mut next = edits.partition_point(|e| e.point < ProgPoint::before(range.start));
        for inst in (range.start.as_u32()..range.end.as_u32()).map(Inst::from_u32) {
            while let Some(edit) = edits.get(next).filter(|e| e.point <= ProgPoint::before(inst)) {
                self.edit(input, edit);
                next += 1;
            }
            self.inst(input, inst, &mut tell);
            while let Some(edit) = edits.get(next).filter(|e| e.point <= ProgPoint::after(inst)) {
                self.edit(input, edit);
                next += 1;
            }
        }
    }

    fn edit(&mut self, input: &Input<'_>, edit: &Edit) {
        if let Some(to) = input.index(edit.to) {
            let Content { source, limit } = self.content_of(input, edit.from);
            self.write(to, Content { source, limit: limit.min(edit.size) });
        }
    }

    fn inst(&mut self, input: &Input<'_>, inst: Inst, tell: &mut impl FnMut(Found)) {
        let ops = input.func.operands(inst);
        let places = input.output.allocs_of(input.func, inst);
        let mut defines = false;
        for (operand, (op, &place)) in ops.iter().zip(places).enumerate() {
            defines |= op.is_def();
            if op.is_use() {
                let vreg = op.vreg();
                let latest = self.latest[vreg.as_u32() as usize];
                let def = (latest >= self.first_def).then_some(latest);
                let maker = self.makers[vreg.as_u32() as usize];
                let size = input.size(vreg);
                let answer = match place_index(input, place) {
                    None => NOTHING.holds(def, maker, size),
                    Some(index) if index as u32 == maker => Answer::Yes,
                    Some(index) => self.content(index).holds(def, maker, size),
                };
                tell(Found { inst, operand, value: (vreg, size), answer });
            }
        }
        let clobbers = input.func.clobbers(inst);
        if !clobbers.is_empty() {
            self.clobber(input.file, clobbers);
        }
        if !defines {
            return;
        }
        for (op, &place) in ops.iter().zip(places).filter(|(op, _)| op.is_def()) {
            let latest = &mut self.latest[op.vreg().as_u32() as usize];
            if *latest < self.first_def {
                self.defined.push(op.vreg().as_u32());
            }
            *latest = self.next_def;
            if let Some(index) = input.index(place) {
                self.write(index, Content { source: Source::Def(self.next_def), limit: u32::MAX });
            }
            self.next_def += 1;
        }
    }

    fn clobber(&mut self, file: &RegisterFile, clobbers: RegUnits) {
        if clobbers != self.clobbers {
            self.clobbers = clobbers;
            self.clobbered.clear();
            self.clobbered.extend(with_a_unit_in(clobbers, file));
        }
        for i in 0..self.clobbered.len() {
            self.set(self.clobbered[i] as usize, NOTHING);
        }
    }

    /// What an edit from `place` reads.
    fn content_of(&self, input: &Input<'_>, place: Allocation) -> Content {
        let Some(index) = place_index(input, place) else { return NOTHING };
        let made = place.as_remat().and_then(|inst| input.func.operands(inst).first());
        let made = made.map(|op| op.vreg().as_u32() as usize).filter(|&v| self.makers[v] == index as u32);
        match made.map(|v| self.latest[v]) {
            // Like a place that the only definition, which is in this block, has written.
            Some(latest) if latest >= self.first_def => {
                Content { source: Source::Def(latest), limit: u32::MAX }
            }
            _ => self.content(index),
        }
    }

    fn content(&self, index: usize) -> Content {
        match self.places.get(index) {
            Some(&(stamp, content)) if stamp == self.stamp => content,
            _ => Content::of_entry(index as u32),
        }
    }

    /// Sets the contents of a place, and forgets what aliases it.
    fn write(&mut self, index: usize, content: Content) {
        for i in 0..self.aliases.of(index).len() {
            self.set(self.aliases.of(index)[i] as usize, NOTHING);
        }
        self.set(index, content);
    }

    fn set(&mut self, index: usize, content: Content) {
        if self.places[index].0 != self.stamp {
            self.written.push(index as u32);
        }
        self.places[index] = (self.stamp, content);
    }

    /// Keeps the summary of the block that was run last. Blocks must be saved in order.
    pub(super) fn save(&mut self) {
        self.written.sort_unstable();
        self.defined.sort_unstable();
        let Summaries { places, defs, starts } = &mut self.summaries;
        places.extend(self.written.iter().map(|&place| (place, self.places[place as usize].1)));
        defs.extend(self.defined.iter().map(|&v| (v, self.latest[v as usize])));
        starts.push((places.len() as u32, defs.len() as u32));
        for &v in &self.defined {
            let first = &mut self.first[v as usize];
            if *first == 0 {
                *first = self.stamp;
            }
        }
    }

    /// The first of the saved blocks that defines `v`.
    pub(super) fn first_block(&self, v: VReg) -> Option<u32> {
        self.first[v.as_u32() as usize].checked_sub(1)
    }

    /// Whether at the end of a saved block `place`, or [`NOWHERE`], holds the low `size` bytes of `v`.
    pub(super) fn holds_at_end(&self, block: Block, (v, size): (VReg, u32), place: u32) -> Answer {
        let maker = self.makers[v.as_u32() as usize];
        if place == maker {
            return Answer::Yes;
        }
        let Summaries { places, defs, starts } = &self.summaries;
        let block = block.as_u32() as usize;
        let (start, end) = (starts[block], starts[block + 1]);
        let places = &places[start.0 as usize..end.0 as usize];
        let defs = &defs[start.1 as usize..end.1 as usize];
        let def = defs.binary_search_by_key(&v.as_u32(), |d| d.0).ok().map(|i| defs[i].1);
        let content = match places.binary_search_by_key(&place, |p| p.0) {
            Ok(i) => places[i].1,
            Err(_) => Content::of_entry(place),
        };
        content.holds(def, maker, size)
    }
}
