//! The short path for plain instructions, which are nearly all: Early Uses, at most one Late Def or
//! UseDef, all of them Any or Reg, and no clobbers.
//!
//! Nothing is live through such an instruction beside its UseDef, so one set of pinned units is
//! enough: the registers that hold operands when the instruction starts. All values that the
//! instruction reads are pinned first, wherever they are, so no eviction concerns them.
//!
//! This is a shorter way to what `inst` does, which remains the reference (tests compare the two,
//! see `Mode::MinimalReference`). When a register is missing because others are pinned too
//! generously, the general path starts over from the present state; what was copied until then
//! stays true.
//!
//! Cost: two visits to each use, one to a definition, and the choice of its register. Measured on a
//! program of 168,794 such instructions with 246,887 operands (x86-64): about 450 machine
//! instructions each, copies and evictions included.

use super::Allocator;
use super::inst::Work;
use crate::function::Function;
use crate::operand::Operand;
use crate::output::Allocation;
use crate::registers::{PReg, RegUnits};
use crate::scan::{DEAD, LIVE_OUT, NO_REG, VALID};

/// Which uses have no place after the first look.
#[derive(Clone, Copy, Default)]
struct Missing {
    reg: bool,
    any: bool,
}

impl<F: Function> Allocator<'_, F> {
    /// Allocates a plain instruction; false if it must be done by the general path, which also
    /// finds the error if there is one.
    pub(super) fn plain(&mut self, work: Work) -> bool {
        let i = work.inst.as_u32();
        let mut pinned = RegUnits::EMPTY;
        let mut missing = Missing::default();
        let mut def = None;
        let ahead = self.ahead(work.base, work.ops.len());
        let (tables, cx) = (self.tables, &mut *self.cx);
        let allocs = &mut self.out.allocs[work.base..][..work.ops.len()];
        let aheads = &cx.scan.operands[ahead];
        let mut reads = false;
        for (k, (&op, alloc)) in work.ops.iter().zip(allocs).enumerate() {
            let state = &mut cx.scan.vregs[op.index()];
            state.advance(aheads[aheads.len() - 1 - k]);
            if op.is_def() {
                state.def_inst = i;
            }
            if !op.is_use() {
                def = Some(k);
                continue;
            }
            reads = true;
            if state.reg != NO_REG {
                pinned.insert(tables.units(PReg(state.reg)));
                if tables.in_class(op.class(), state.reg) {
                    *alloc = Allocation::reg(PReg(state.reg));
                    continue;
                }
            }
            if op.is_reg() {
                missing.reg = true;
            } else {
                missing.any = true;
            }
        }
        if missing.reg && !self.plain_reg_uses(work, &mut pinned) {
            self.out.allocs[work.base..][..work.ops.len()].fill(Allocation::NONE);
            return false;
        }
        if missing.any {
            self.plain_any_uses(work, &mut pinned);
        }
        if reads {
            self.plain_release(work);
        }
        if let Some(k) = def
            && !self.plain_def(work, k)
        {
            return false;
        }
        if !self.cx.dying_slots.is_empty() {
            self.free_dying_slots();
        }
        true
    }

    /// The register of the class of `op` that the value has come to, for the second of two
    /// operands that read it.
    fn plain_in_place(&mut self, op: Operand) -> Option<PReg> {
        let reg = self.state(op.vreg().as_u32()).reg;
        (reg != NO_REG && self.tables.in_class(op.class(), reg)).then_some(PReg(reg))
    }

    /// Places the uses that must be in registers; whether there are enough.
    fn plain_reg_uses(&mut self, work: Work, pinned: &mut RegUnits) -> bool {
        for (k, &op) in work.ops.iter().enumerate() {
            if !op.is_use() || !op.is_reg() || !self.out.allocs[work.base + k].is_none() {
                continue;
            }
            if let Some(reg) = self.plain_in_place(op) {
                self.out.allocs[work.base + k] = Allocation::reg(reg);
            } else if let Some(reg) = self.pick(op.class(), *pinned, op.vreg().as_u32(), NO_REG) {
                self.plain_bring(work, k, reg, pinned);
            } else {
                return false;
            }
        }
        true
    }

    /// Places the uses that may be in slots.
    fn plain_any_uses(&mut self, work: Work, pinned: &mut RegUnits) {
        for (k, &op) in work.ops.iter().enumerate() {
            if !op.is_use() || op.is_reg() || !self.out.allocs[work.base + k].is_none() {
                continue;
            }
            if let Some(reg) = self.plain_in_place(op) {
                self.out.allocs[work.base + k] = Allocation::reg(reg);
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
            self.out.allocs[work.base + k] = self.home(v);
        }
    }

    /// Copies the value of the use `k` to `reg`, which is free, and leaves it there if it may
    /// be read again.
    fn plain_bring(&mut self, work: Work, k: usize, reg: PReg, pinned: &mut RegUnits) {
        let op = work.ops[k];
        let v = op.vreg().as_u32();
        let from = self.place(v);
        self.emit(from, Allocation::reg(reg), v);
        self.out.allocs[work.base + k] = Allocation::reg(reg);
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
    fn plain_release(&mut self, work: Work) {
        for (k, &op) in work.ops.iter().enumerate() {
            let state = &mut self.cx.scan.vregs[op.index()];
            if op.is_def() {
                if !op.is_use() {
                    continue;
                }
                if let Some(reg) = self.out.allocs[work.base + k].as_reg() {
                    self.out.used_regs.insert(self.tables.units(reg));
                    state.flags &= !VALID;
                    if state.reg != reg.0 {
                        // Another operand took the old value to a register of a smaller class.
                        self.unbind(op.vreg().as_u32());
                        self.bind(op.vreg().as_u32(), reg);
                    }
                } else {
                    // What a register still holds is the value before.
                    state.flags |= VALID;
                    self.unbind(op.vreg().as_u32());
                }
            }
            let state = &self.cx.scan.vregs[op.index()];
            if state.next == DEAD {
                self.kill(op.vreg().as_u32());
            } else if state.next == LIVE_OUT && (self.exits || state.is_valid()) {
                self.unbind(op.vreg().as_u32());
            }
        }
    }

    /// Gives the definition `k` a place; false if its class has no register.
    fn plain_def(&mut self, work: Work, k: usize) -> bool {
        let op = work.ops[k];
        let v = op.vreg().as_u32();
        self.unbind(v);
        let next = self.state(v).next;
        let source = if work.copies { self.move_source(work) } else { NO_REG };
        let none = RegUnits::EMPTY;
        let reg = if op.is_reg() {
            let reg = self.pick(op.class(), none, v, source);
            if reg.is_none() {
                return false;
            }
            reg
        } else if !self.is_live(next) {
            self.pick_free(op.class(), none, v, source)
        } else if next == LIVE_OUT {
            None
        } else {
            self.pick(op.class(), none, v, source)
        };
        self.out.allocs[work.base + k] = if let Some(reg) = reg {
            self.out.used_regs.insert(self.tables.units(reg));
            self.state(v).flags &= !VALID;
            if self.is_live(next) {
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
