//! The short path for plain instructions, which are nearly all: Early Uses, at most one Late Def or
//! UseDef, all of them Any or Reg, and no clobbers.
//!
//! Nothing is live through such an instruction beside its UseDef, so one set of pinned units is
//! enough: the registers that hold operands when the instruction starts. All values that the
//! instruction reads are pinned first, wherever they are, so no eviction concerns them.
//!
//! Order of work: each use in turn finds its value in a register, or fetches it from its slot to a free one, or
//! reads the slot, and a life that ends there leaves the register; then the definition takes a register. That is
//! all for most. From a use on for which there is no such way, as when no register is free, first those that
//! must have a register get one and then those that may be in slots.
//!
//! This is a shorter way to what `inst` does, which remains the reference (tests compare the two,
//! see `Mode::MinimalReference`). When a register is missing because others are pinned too
//! generously, the general path starts over from the present state; what was copied until then
//! stays true.
//!
//! Cost: one visit to each operand, rarely a second or third, and the choice of its register. Measured on a
//! program of 174,119 such instructions with 222,000 operands (x86-32): about 190 machine
//! instructions each, copies and evictions included.

use super::Allocator;
use super::inst::{Work, move_source};
use crate::operand::{Inst, Operand};
use crate::output::Allocation;
use crate::registers::{PReg, RegUnits};
use crate::scan::{DEAD, LIVE_OUT, NO_REG, VALID};
use core::cell::Cell;

/// What is left to do when a use has its place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    Nothing,
    /// A life ends in another way than usual, or a value changes.
    Release,
    /// It has none.
    Place,
}

impl<'a> Allocator<'a> {
    /// Allocates a plain instruction, which has the operands `from..to`; false if it must be done by the general
    /// path, which also finds the error if there is one.
    #[inline(always)]
    pub(super) fn plain(&mut self, inst: Inst, from: usize, to: usize, copies: bool) -> bool {
        if to != from + 1 || copies {
            return self.plain_operands(inst, from, to, copies);
        }
        let (op, place) = (self.operands[from], &self.allocs[from]);
        let state = &mut self.vregs[op.index()];
        state.advance(self.aheads[from]);
        if !op.is_use() {
            state.def_inst = inst.as_u32();
            return self.plain_def(op, place, NO_REG);
        }
        let mut pinned = RegUnits::EMPTY;
        match self.plain_use(op, place, &mut pinned, false) {
            Left::Nothing => true,
            Left::Release => self.plain_rest(inst, from, to, false),
            Left::Place => self.plain_crowded(inst, from, to, false),
        }
    }

    /// Places the operands of a plain instruction, however many there are.
    #[inline(never)]
    fn plain_operands(&mut self, inst: Inst, from: usize, to: usize, copies: bool) -> bool {
        let (mut def, mut pinned, mut left) = (None, RegUnits::EMPTY, Left::Nothing);
        let Work { ops, aheads, places, .. } = self.work(inst, from, to, copies);
        for ((&op, &ahead), place) in ops.iter().zip(aheads).zip(places) {
            let state = &mut self.vregs[op.index()];
            state.advance(ahead);
            if !op.is_use() {
                state.def_inst = inst.as_u32();
                def = Some((op, place));
                continue;
            }
            match self.plain_use(op, place, &mut pinned, copies) {
                Left::Nothing => {}
                Left::Release => left = Left::Release,
                Left::Place => return self.plain_crowded(inst, from, to, copies),
            }
        }
        if left == Left::Release {
            return self.plain_rest(inst, from, to, copies);
        }
        match def {
            Some((op, place)) => {
                let source = if copies { move_source(ops, places) } else { NO_REG };
                self.plain_def(op, place, source)
            }
            None => true,
        }
    }

    /// Places a use, whose life is then ended if that is all there is to do; adds its register to the pinned ones.
    #[inline(always)]
    fn plain_use(
        &mut self,
        op: Operand,
        place: &Cell<Allocation>,
        pinned: &mut RegUnits,
        copies: bool,
    ) -> Left {
        let inst = self.point.inst().as_u32();
        let state = &mut self.vregs[op.index()];
        if op.is_def() {
            state.def_inst = inst;
        }
        if !self.tables.in_class(op.class(), state.reg) {
            let Some(units) = self.plain_missing(op, place, *pinned, copies) else { return Left::Place };
            pinned.insert(units);
            let state = &self.vregs[op.index()];
            let more = op.is_def() || state.next == DEAD && !state.is_cross();
            return if more { Left::Release } else { Left::Nothing };
        }
        let units = self.tables.units(PReg(state.reg));
        pinned.insert(units);
        place.set(Allocation::reg(PReg(state.reg)));
        if self.remembered.intersects(units) {
            self.remembered.remove(units);
            self.occupied.insert(units);
        }
        // As `end_life`, if no slot is given back.
        if op.is_def() || state.next == DEAD && state.home.is_slot() && !state.is_cross() {
            return Left::Release;
        }
        if state.next == DEAD {
            self.occupied.remove(units);
            state.reg = NO_REG;
        } else if state.next == LIVE_OUT && (self.exits || state.is_valid()) {
            self.leave_register(op.vreg().as_u32());
        }
        Left::Nothing
    }

    /// Places the use `op` if its value is in its slot and nowhere else: in a free register; or in the slot if it
    /// may be there and no other use is to come. Gives the units of the register.
    #[inline(never)]
    fn plain_missing(
        &mut self,
        op: Operand,
        place: &Cell<Allocation>,
        pinned: RegUnits,
        copies: bool,
    ) -> Option<RegUnits> {
        let v = op.vreg().as_u32();
        let state = &self.vregs[op.index()];
        let next = state.next;
        if state.reg == NO_REG
            && let Some(reg) = self.resident(op)
        {
            place.set(Allocation::reg(reg));
            return Some(self.units(reg));
        }
        // Two operands that read one value are looked at together.
        if state.reg != NO_REG || state.home.is_none() || next == self.point.inst().as_u32() {
            return None;
        }
        let home = state.home;
        if !op.is_reg() && self.is_readable(home) {
            // One more use pays for a reload; a copy reloads by itself.
            let reads_slot = next >= LIVE_OUT || copies;
            return reads_slot.then(|| {
                place.set(self.read(home));
                RegUnits::EMPTY
            });
        }
        let reg = self.pick_free(op.class(), pinned, v, NO_REG)?;
        self.emit(home, Allocation::reg(reg), v);
        place.set(Allocation::reg(reg));
        self.state(v).flags |= VALID;
        // Else `end_life` would take it out at once.
        if next < LIVE_OUT || op.is_def() {
            self.bind(v, reg);
        }
        Some(self.units(reg))
    }

    /// Allocates the instruction from the first use on that has no place.
    #[inline(never)]
    fn plain_crowded(&mut self, inst: Inst, from: usize, to: usize, copies: bool) -> bool {
        let work = self.work(inst, from, to, copies);
        let waits = |k: &usize| work.ops[*k].is_use() && work.places[*k].get().is_none();
        let first = (0..work.ops.len()).find(waits).unwrap_or(0);
        for k in first..work.ops.len() {
            let op = work.ops[k];
            let state = &mut self.vregs[op.index()];
            state.advance(work.aheads[k]);
            if op.is_def() {
                state.def_inst = inst.as_u32();
            }
            if op.is_use() && self.tables.in_class(op.class(), state.reg) {
                work.places[k].set(Allocation::reg(PReg(state.reg)));
            }
            if op.is_use() {
                self.recall(op.vreg().as_u32());
            }
        }
        self.plain_uses(work) && self.plain_rest(inst, from, to, copies)
    }

    /// Ends the instruction, whose uses have places, where lives end otherwise than usual.
    #[inline(never)]
    fn plain_rest(&mut self, inst: Inst, from: usize, to: usize, copies: bool) -> bool {
        let work = self.work(inst, from, to, copies);
        self.plain_release(work);
        let mut defs = work.ops.iter().zip(work.places).filter(|(op, _)| !op.is_use());
        let placed = defs.next().is_none_or(|(&op, place)| {
            let source = if copies { move_source(work.ops, work.places) } else { NO_REG };
            self.plain_def(op, place, source)
        });
        self.free_dying_slots();
        placed
    }

    /// Places the uses that have no place; whether there are enough registers.
    fn plain_uses(&mut self, work: Work) -> bool {
        let mut pinned = RegUnits::EMPTY;
        let mut any = false;
        for (k, op) in work.ops.iter().enumerate().filter(|(_, op)| op.is_use()) {
            any |= !op.is_reg();
            // A value whose life ends here has left its register, the operand has not.
            let bound = match self.vregs[op.index()].reg {
                NO_REG => work.places[k].get().as_reg(),
                reg => Some(PReg(reg)),
            };
            if let Some(reg) = bound {
                pinned.insert(self.units(reg));
            }
        }
        for (k, &op) in work.ops.iter().enumerate() {
            if !op.is_use() || !self.wants_register(op) || !work.places[k].get().is_none() {
                continue;
            }
            if let Some(reg) = self.plain_in_place(op) {
                work.places[k].set(Allocation::reg(reg));
            } else if let Some(reg) = self.pick(op.class(), pinned, op.vreg().as_u32(), NO_REG) {
                self.plain_bring(work, k, reg, &mut pinned);
            } else {
                self.plain_restore(work);
                return false;
            }
        }
        if any {
            self.plain_any_uses(work, &mut pinned);
        }
        true
    }

    /// The register of the class of `op` that the value has come to, for the second of two
    /// operands that read it.
    fn plain_in_place(&mut self, op: Operand) -> Option<PReg> {
        match self.vregs[op.index()].reg {
            NO_REG => self.resident(op),
            reg => self.tables.in_class(op.class(), reg).then_some(PReg(reg)),
        }
    }

    /// Undoes what was done before a register was missing: values whose lives end here are in their
    /// registers still.
    #[cold]
    fn plain_restore(&mut self, work: Work) {
        for (k, op) in work.ops.iter().enumerate() {
            let place = work.places[k].replace(Allocation::NONE);
            let state = &self.vregs[op.index()];
            if let Some(reg) = place.as_reg()
                && state.reg == NO_REG
                && state.home != place
            {
                self.bind(op.vreg().as_u32(), reg);
            }
        }
    }

    /// Places the uses that may be in slots.
    #[inline(never)]
    fn plain_any_uses(&mut self, work: Work, pinned: &mut RegUnits) {
        for (k, &op) in work.ops.iter().enumerate() {
            if !op.is_use() || !work.places[k].get().is_none() {
                continue;
            }
            if let Some(reg) = self.plain_in_place(op) {
                work.places[k].set(Allocation::reg(reg));
                continue;
            }
            let v = op.vreg().as_u32();
            let state = self.state(v);
            // One more use pays for a reload; a copy reloads by itself.
            if (state.reg != NO_REG || state.next < LIVE_OUT && !work.copies)
                && let Some(reg) = self.pick_free(op.class(), *pinned, v, NO_REG)
            {
                self.plain_bring(work, k, reg, pinned);
                continue;
            }
            self.store(v);
            let home = self.home(v);
            work.places[k].set(self.read(home));
        }
    }

    /// Copies the value of the use `k` to `reg`, which is free, and leaves it there if it may
    /// be read again.
    fn plain_bring(&mut self, work: Work, k: usize, reg: PReg, pinned: &mut RegUnits) {
        let op = work.ops[k];
        let v = op.vreg().as_u32();
        let from = self.place(v);
        self.emit(from, Allocation::reg(reg), v);
        work.places[k].set(Allocation::reg(reg));
        pinned.insert(self.units(reg));
        let state = *self.state(v);
        if state.reg != NO_REG {
            // Bound even if it dies here: the next operand may read it too, and no slot holds it.
            self.unbind(v);
            self.bind(v, reg);
        } else {
            self.state(v).flags |= VALID;
            if op.is_def() || self.is_live(state.next) {
                self.bind(v, reg);
            }
        }
    }

    /// Ends the lives that end with a use, and notes where the UseDef leaves its value.
    #[inline(never)]
    fn plain_release(&mut self, work: Work) {
        for (k, &op) in work.ops.iter().enumerate() {
            if op.is_def() {
                if !op.is_use() {
                    continue;
                }
                self.plain_use_def(op, work.places[k].get());
            }
            self.end_life(op.vreg().as_u32());
        }
    }

    /// The UseDef has left its value in `place`.
    fn plain_use_def(&mut self, op: Operand, place: Allocation) {
        let v = op.vreg().as_u32();
        let state = &mut self.vregs[op.index()];
        if let Some(reg) = place.as_reg().filter(|_| place != state.home) {
            self.used_regs.insert(self.tables.units(reg));
            state.flags &= !VALID;
            if state.reg != reg.0 {
                // Another operand took the old value to a register of a smaller class.
                self.unbind(v);
                self.bind(v, reg);
            }
        } else {
            // What a register still holds is the value before.
            state.flags |= VALID;
            self.unbind(v);
        }
    }

    /// Gives the definition a place; false if its class has no register. `source` is wanted.
    #[inline(always)]
    fn plain_def(&mut self, op: Operand, place: &Cell<Allocation>, source: u8) -> bool {
        let v = op.vreg().as_u32();
        let state = &mut self.vregs[op.index()];
        let next = state.next;
        if state.reg != NO_REG {
            self.occupied.remove(self.tables.units(PReg(state.reg)));
            state.reg = NO_REG;
        }
        let live = self.is_live(next);
        if self.inside
            && let Some(reg) = self.resident(op)
        {
            self.state(v).flags |= VALID;
            place.set(Allocation::reg(reg));
            if next == DEAD {
                self.kill(v);
            }
            return true;
        }
        let none = RegUnits::EMPTY;
        // A value that is only used after the block, or never, is not worth an eviction.
        let reg = if op.is_reg() || next < LIVE_OUT {
            self.pick(op.class(), none, v, source)
        } else if !live {
            self.pick_free(op.class(), none, v, source)
        } else {
            None
        };
        if op.is_reg() && reg.is_none() {
            return false;
        }
        if let Some(reg) = reg {
            let units = self.tables.units(reg);
            self.used_regs.insert(units);
            self.overwrite(units);
            let state = &mut self.vregs[op.index()];
            state.flags &= !VALID;
            if live {
                state.reg = reg.0;
                self.occupied.insert(units);
                self.cx.owner.set(units, v);
            }
            place.set(Allocation::reg(reg));
        } else {
            self.state(v).flags |= VALID;
            place.set(self.home(v));
        }
        if next == DEAD {
            self.kill(v);
            self.free_dying_slots();
        }
        true
    }
}
