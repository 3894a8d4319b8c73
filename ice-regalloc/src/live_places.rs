//! Which registers and slots hold values that are still wanted: what a listing, a stack map or a debugger asks of a
//! finished allocation.
//!
//! A place is live where an instruction will read what is in it now, there or where edits have copied it to. Computed backwards over the blocks until
//! nothing changes (live variables: Aho, Lam, Sethi and Ullman, "Compilers", 2nd edition, 9.2.5), on places instead of
//! values: instructions read and write the places of their operands, edits copy, clobbers write. Registers are sets of
//! units, so that a register is live as far as its units are.
//!
//! Nothing of it is computed during allocation. Cost: a walk over the function, and one more for each round that loops
//! take.

use crate::function::Function;
use crate::operand::{Block, Inst, Slot};
use crate::output::{Allocation, AllocationKind, Edit, Output, ProgPoint};
use crate::registers::{RegUnits, RegisterFile};
use alloc::vec::Vec;
use bitvec::vec::BitVec;

/// A set of places.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlaceSet {
    /// Units of registers.
    pub units: RegUnits,
    slots: BitVec,
}

impl PlaceSet {
    fn new(num_slots: usize) -> PlaceSet {
        PlaceSet { units: RegUnits::EMPTY, slots: BitVec::repeat(false, num_slots) }
    }

    /// Whether the place, a register or slot, is in the set, as a whole or in part.
    #[must_use]
    pub fn has(&self, registers: &RegisterFile<'_>, place: Allocation) -> bool {
        match place.kind() {
            AllocationKind::Reg(reg) => self.units.intersects(registers.units(reg)),
            AllocationKind::Slot(slot) => self.slots[slot.as_u32() as usize],
            _ => false,
        }
    }

    /// The slots of the set in ascending order.
    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        self.slots.iter_ones().map(|slot| Slot::from_u32(slot as u32))
    }

    fn set(&mut self, registers: &RegisterFile<'_>, place: Allocation, is_in: bool) {
        match place.kind() {
            AllocationKind::Reg(reg) if is_in => self.units.insert(registers.units(reg)),
            AllocationKind::Reg(reg) => self.units.remove(registers.units(reg)),
            AllocationKind::Slot(slot) => self.slots.set(slot.as_u32() as usize, is_in),
            _ => {}
        }
    }

    /// Adds the members of `other` and says whether there was a new one.
    fn add_all(&mut self, other: &PlaceSet) -> bool {
        let new_units = !self.units.contains(other.units);
        let new_slots = other.slots().any(|slot| !self.slots[slot.as_u32() as usize]);
        self.units.insert(other.units);
        self.slots |= &other.slots;
        new_units || new_slots
    }
}

/// The places that are live at the borders of the blocks of an allocated function.
#[derive(Clone, Debug)]
pub struct LivePlaces<'a> {
    func: &'a Function,
    registers: &'a RegisterFile<'a>,
    output: &'a Output,
    live_in: Vec<PlaceSet>,
}

impl<'a> LivePlaces<'a> {
    /// The live places of `func` as `output` allocates it over `registers`.
    pub fn compute(func: &'a Function, registers: &'a RegisterFile<'a>, output: &'a Output) -> Self {
        let none = PlaceSet::new(output.slots.len());
        let live_in = (0..func.num_blocks()).map(|_| none.clone()).collect();
        let mut live = LivePlaces { func, registers, output, live_in };
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..func.num_blocks() as u32).rev().map(Block::from_u32) {
                let before = live.walk(block, |_, _| {});
                changed |= live.live_in[block.as_u32() as usize].add_all(&before);
            }
        }
        live
    }

    /// What is live where the block begins, before its first edit.
    #[must_use]
    pub fn live_in(&self, block: Block) -> &PlaceSet {
        &self.live_in[block.as_u32() as usize]
    }

    /// What is live where the block ends: what is live where one of its successors begins.
    #[must_use]
    pub fn live_out(&self, block: Block) -> PlaceSet {
        let mut live = PlaceSet::new(self.output.slots.len());
        self.func.block_succs(block).iter().for_each(|&succ| _ = live.add_all(self.live_in(succ)));
        live
    }

    /// Calls `visit` with each operand of the block that reads a place for the last time, by instruction and position
    /// among its operands, from the last instruction to the first.
    pub fn for_each_end(&self, block: Block, visit: impl FnMut(Inst, usize)) {
        self.walk(block, visit);
    }

    /// Goes backwards over the block, tells what is read for the last time, and gives what is live before it.
    fn walk(&self, block: Block, mut visit: impl FnMut(Inst, usize)) -> PlaceSet {
        let mut live = self.live_out(block);
        let receiver = self.func.receiver(block);
        let range = self.func.block_insts(block);
        let (start, end) = (range.start.as_u32(), range.end.as_u32());
        let upto = |point: ProgPoint| self.output.edits.partition_point(|edit| edit.point < point);
        let first = upto(ProgPoint::before(range.start));
        let mut edits = &self.output.edits[first..upto(ProgPoint::before(range.end))];
        for inst in (start..end).rev().map(Inst::from_u32) {
            edits = self.pass_edits(edits, ProgPoint::after(inst), &mut live);
            self.pass_inst(inst, &mut live, &mut visit);
            if receiver == Some(inst) {
                self.output
                    .allocs_of(self.func, inst)
                    .iter()
                    .for_each(|&place| live.set(self.registers, place, true));
            }
            edits = self.pass_edits(edits, ProgPoint::before(inst), &mut live);
        }
        live
    }

    /// Goes backwards over the edits from `point` on and gives those before it.
    fn pass_edits(&self, mut edits: &'a [Edit], point: ProgPoint, live: &mut PlaceSet) -> &'a [Edit] {
        while let [before @ .., edit] = edits
            && edit.point >= point
        {
            // What a copy reads is wanted if the copy is.
            if live.has(self.registers, edit.to) {
                live.set(self.registers, edit.to, false);
                live.set(self.registers, edit.from, true);
            }
            edits = before;
        }
        edits
    }

    fn pass_inst(&self, inst: Inst, live: &mut PlaceSet, visit: &mut impl FnMut(Inst, usize)) {
        let operands = || self.func.operands(inst).iter().zip(self.output.allocs_of(self.func, inst));
        live.units.remove(self.func.clobbers(inst));
        for (_, &place) in operands().filter(|(operand, _)| operand.is_def()) {
            live.set(self.registers, place, false);
        }
        for (position, (_, &place)) in operands().enumerate().filter(|(_, (operand, _))| operand.is_use()) {
            if (place.is_reg() || place.is_slot()) && !live.has(self.registers, place) {
                visit(inst, position);
            }
        }
        for (_, &place) in operands().filter(|(operand, _)| operand.is_use()) {
            live.set(self.registers, place, true);
        }
    }
}
