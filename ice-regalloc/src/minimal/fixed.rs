//! The short path for calls, returns and arguments: Early Uses in fixed registers, which hold the values or are
//! free, Late Defs in fixed registers, and clobbers.
//!
//! Order of work: uses that are elsewhere are copied to their registers, values that are read last leave theirs,
//! values that live on leave those that the instruction destroys, and the definitions take their own. Nothing is in
//! another's way: what a use asks for is free, and the definitions come after the uses.
//!
//! This is a shorter way to what `inst` does, as `plain` is.

use super::inst::Work;
use super::{Allocator, Pins};
use crate::operand::{Inst, Operand};
use crate::output::Allocation;
use crate::registers::RegUnits;
use crate::scan::{LIVE_OUT, VALID};

impl Allocator<'_> {
    /// Allocates the instruction with the operands `from..to` if it is such; else the general path starts over.
    #[inline(never)]
    pub(super) fn fixed(&mut self, inst: Inst, from: usize, to: usize, clobbers: RegUnits) -> bool {
        let (mut early, mut late, mut complete) = (RegUnits::EMPTY, RegUnits::EMPTY, true);
        let work = self.work(inst, from, to, false);
        if !self.remembered.is_empty() {
            work.ops.iter().filter(|op| op.is_use()).for_each(|op| self.recall(op.vreg().as_u32()));
        }
        for ((&op, &ahead), place) in work.ops.iter().zip(work.aheads).zip(work.places) {
            let Some(reg) = op.fixed_reg() else { return false };
            let units = self.tables.units(reg);
            let state = &mut self.vregs[op.index()];
            state.advance(ahead);
            if !op.is_use() {
                state.def_inst = inst.as_u32();
                if units.intersects(late) || is_read(work.ops, op) {
                    return false;
                }
                late.insert(units);
                place.set(Allocation::reg(reg));
                continue;
            }
            if state.reg == reg.0 {
                place.set(Allocation::reg(reg));
            } else if units.intersects(early.union(self.occupied)) || state.next == inst.as_u32() {
                return false;
            } else {
                complete = false;
            }
            early.insert(units);
        }
        if !complete {
            self.fetch_fixed(work);
        }
        for op in work.ops {
            let state = &self.vregs[op.index()];
            if !op.is_use() || !self.is_live(state.next) || state.next == LIVE_OUT && state.is_valid() {
                self.unbind(op.vreg().as_u32());
            }
        }
        if self.occupied.intersects(clobbers.union(late)) {
            self.pins = Pins { fixed_early: early, early, fixed_late: late, clobbers, ..Pins::NONE };
            self.vacate();
        }
        self.used_regs.insert(late);
        self.overwrite(late);
        for (op, place) in work.ops.iter().zip(work.places).filter(|(op, _)| !op.is_use()) {
            let state = &mut self.vregs[op.index()];
            state.flags &= !VALID;
            let next = state.next;
            if let Some(reg) = place.get().as_reg().filter(|_| self.is_live(next)) {
                self.bind(op.vreg().as_u32(), reg);
            }
        }
        for op in work.ops {
            self.end_life(op.vreg().as_u32());
        }
        self.free_dying_slots();
        true
    }

    /// Copies the values of the uses without places to their registers, which are free.
    fn fetch_fixed(&mut self, work: Work) {
        for (op, place) in work.ops.iter().zip(work.places) {
            let Some(reg) = op.fixed_reg().filter(|_| place.get().is_none()) else { continue };
            let v = op.vreg().as_u32();
            let from = self.place(v);
            self.emit(from, Allocation::reg(reg), v);
            place.set(Allocation::reg(reg));
            let live = self.is_live(self.vregs[op.index()].next);
            if !from.is_reg() {
                self.state(v).flags |= VALID;
                if live {
                    self.bind(v, reg);
                }
            } else if !live {
                self.unbind(v);
            }
        }
    }
}

/// Whether an operand reads what `def` writes.
fn is_read(ops: &[Operand], def: Operand) -> bool {
    ops.len() > 1 && ops.iter().any(|op| op.is_use() && op.vreg() == def.vreg())
}
