//! The short path for plain instructions, which are nearly all: Early Uses, at most one Late Def or
//! UseDef, all of them Any or Reg, and no clobbers.
//!
//! Nothing is live through such an instruction beside its UseDef, so one set of pinned units is
//! enough: the registers that hold operands when the instruction starts. All values that the
//! instruction reads are pinned first, wherever they are, so no eviction concerns them.
//!
//! Order of work: the uses find their registers, which is all for most; those without one get one,
//! or a slot; values that nothing reads any more leave; the definition takes a register.
//!
//! This is a shorter way to what `inst` does, which remains the reference (tests compare the two,
//! see `Mode::MinimalReference`). When a register is missing because others are pinned too
//! generously, the general path starts over from the present state; what was copied until then
//! stays true.
//!
//! Cost: one visit to each operand, rarely a second or third, and the choice of its register. Measured on a
//! program of 174,883 such instructions with 207,000 operands (x86-32): about 330 machine
//! instructions each, copies and evictions included.

use super::Allocator;
use super::inst::Work;
use crate::function::Function;
use crate::operand::{Inst, Operand};
use crate::output::Allocation;
use crate::registers::{PReg, RegUnits};
use crate::scan::{DEAD, LIVE_OUT, NO_REG, NONE, VALID};

/// What the first look at an instruction has found, a set of bits.
const WRITES: u32 = 1;
/// A use is not in a register of its class.
const LACKS: u32 = 2;
/// A life ends, or a value changes, in a way that is left to `plain_release`.
const ENDS: u32 = 4;

impl<F: Function> Allocator<'_, F> {
    /// Allocates a plain instruction; false if it must be done by the general path, which also
    /// finds the error if there is one. Not inlined, so that its values have the registers.
    #[inline(never)]
    pub(super) fn plain(&mut self, inst: Inst, ops: &[Operand], base: usize, copies: bool) -> bool {
        let mut found = 0;
        let mut def = 0;
        // Locals: what is reached through `self` is loaded again after every store.
        let (tables, vregs, exits) = (self.tables, &mut *self.vregs, self.exits);
        let places = &mut self.allocs[base..][..ops.len()];
        let aheads = &self.aheads[base..][..ops.len()];
        for k in 0..ops.len() {
            let op = ops[k];
            let state = &mut vregs[op.index()];
            state.advance(aheads[k]);
            if op.is_def() {
                state.def_inst = inst.as_u32();
                if !op.is_use() {
                    def = k;
                    found |= WRITES;
                    continue;
                }
                found |= ENDS;
            }
            if !tables.in_class(op.class(), state.reg) {
                found |= LACKS;
                continue;
            }
            let reg = PReg(state.reg);
            places[k] = Allocation::reg(reg);
            // An operand without a place may still read the value.
            if state.next >= LIVE_OUT && !op.is_def() && found & LACKS == 0 {
                // As `end_life`, if no slot is given back.
                if state.next == DEAD && state.slot != NONE {
                    found |= ENDS;
                } else if state.next == DEAD || exits || state.is_valid() {
                    self.occupied.remove(tables.units(reg));
                    state.reg = NO_REG;
                }
            }
        }
        if found & !WRITES != 0 {
            let work = Work { inst, ops, base, copies };
            if found & LACKS != 0 && !self.plain_missing(work) {
                return false;
            }
            self.plain_release(work);
        }
        if found & WRITES != 0 && !self.plain_def(ops, base, def, copies) {
            return false;
        }
        self.free_dying_slots();
        true
    }

    /// Places the uses that are not in registers; whether there are enough.
    #[inline(never)]
    fn plain_missing(&mut self, work: Work) -> bool {
        let mut pinned = RegUnits::EMPTY;
        let mut any = false;
        for (k, op) in work.ops.iter().enumerate().filter(|(_, op)| op.is_use()) {
            any |= !op.is_reg();
            // A value whose life ends here has left its register, the operand has not.
            let bound = match self.vregs[op.index()].reg {
                NO_REG => self.allocs[work.base + k].as_reg(),
                reg => Some(PReg(reg)),
            };
            if let Some(reg) = bound {
                pinned.insert(self.tables.units(reg));
            }
        }
        for (k, &op) in work.ops.iter().enumerate() {
            if !op.is_use() || !op.is_reg() || !self.allocs[work.base + k].is_none() {
                continue;
            }
            if let Some(reg) = self.plain_in_place(op) {
                self.allocs[work.base + k] = Allocation::reg(reg);
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
        let reg = self.state(op.vreg().as_u32()).reg;
        (reg != NO_REG && self.tables.in_class(op.class(), reg)).then_some(PReg(reg))
    }

    /// Undoes what was done before a register was missing: values whose lives end here are in their
    /// registers still.
    #[cold]
    fn plain_restore(&mut self, work: Work) {
        for (k, op) in work.ops.iter().enumerate() {
            let place = core::mem::replace(&mut self.allocs[work.base + k], Allocation::NONE);
            if let Some(reg) = place.as_reg()
                && self.vregs[op.index()].reg == NO_REG
            {
                self.bind(op.vreg().as_u32(), reg);
            }
        }
    }

    /// Places the uses that may be in slots.
    #[inline(never)]
    fn plain_any_uses(&mut self, work: Work, pinned: &mut RegUnits) {
        for (k, &op) in work.ops.iter().enumerate() {
            if !op.is_use() || op.is_reg() || !self.allocs[work.base + k].is_none() {
                continue;
            }
            if let Some(reg) = self.plain_in_place(op) {
                self.allocs[work.base + k] = Allocation::reg(reg);
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
            self.allocs[work.base + k] = self.home(v);
        }
    }

    /// Copies the value of the use `k` to `reg`, which is free, and leaves it there if it may
    /// be read again.
    fn plain_bring(&mut self, work: Work, k: usize, reg: PReg, pinned: &mut RegUnits) {
        let op = work.ops[k];
        let v = op.vreg().as_u32();
        let from = self.place(v);
        self.emit(from, Allocation::reg(reg), v);
        self.allocs[work.base + k] = Allocation::reg(reg);
        pinned.insert(self.tables.units(reg));
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
    #[inline(always)]
    fn plain_release(&mut self, work: Work) {
        for (k, &op) in work.ops.iter().enumerate() {
            if op.is_def() {
                if !op.is_use() {
                    continue;
                }
                self.plain_use_def(op, self.allocs[work.base + k]);
            }
            self.end_life(op.vreg().as_u32());
        }
    }

    /// The UseDef has left its value in `place`.
    #[inline(always)]
    fn plain_use_def(&mut self, op: Operand, place: Allocation) {
        let v = op.vreg().as_u32();
        let state = &mut self.vregs[op.index()];
        if let Some(reg) = place.as_reg() {
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

    /// Gives the definition a place; false if its class has no register.
    #[inline(always)]
    fn plain_def(&mut self, ops: &[Operand], base: usize, k: usize, copies: bool) -> bool {
        let op = ops[k];
        let v = op.vreg().as_u32();
        self.unbind(v);
        let next = self.state(v).next;
        let live = self.is_live(next);
        let source = if copies { self.move_source(ops, base) } else { NO_REG };
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
        self.allocs[base + k] = if let Some(reg) = reg {
            self.used_regs.insert(self.tables.units(reg));
            self.state(v).flags &= !VALID;
            if live {
                self.bind(v, reg);
            }
            Allocation::reg(reg)
        } else {
            self.state(v).flags |= VALID;
            self.home(v)
        };
        if next == DEAD {
            self.kill(v);
        }
        true
    }
}
