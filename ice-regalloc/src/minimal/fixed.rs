//! The short path for calls and returns: Early Uses that are in the fixed registers they ask for, at most one
//! Late Def in a fixed register, and clobbers.
//!
//! Order of work: values that are read last leave their registers, values that live on leave those that the
//! instruction destroys, and the definition takes its own. Nothing is in another's way: uses are
//! where they are, and the definition comes after them.
//!
//! This is a shorter way to what `inst` does, as `plain` is.

use super::{Allocator, Pins};
use crate::function::Function;
use crate::operand::Inst;
use crate::output::Allocation;
use crate::scan::{LIVE_OUT, VALID};
use crate::units::Units;

impl<F: Function, U: Units> Allocator<'_, F, U> {
    /// Allocates the instruction with the operands `from..to` if it is such; else the general path starts over.
    #[inline(never)]
    pub(super) fn fixed(&mut self, inst: Inst, from: usize, to: usize, clobbers: U) -> bool {
        let (mut def, mut late, mut early) = (None, U::EMPTY, U::EMPTY);
        let work = self.work(inst, from, to, false);
        for (k, (&op, place)) in work.ops.iter().zip(work.places).enumerate() {
            let Some(reg) = op.fixed_reg() else { return false };
            let state = &mut self.vregs[op.index()];
            if !op.is_use() {
                if def.is_some()
                    || work.ops.len() > 1
                        && work.ops.iter().any(|other| other.is_use() && other.vreg() == op.vreg())
                {
                    return false;
                }
                def = Some((op.vreg().as_u32(), reg));
                late = U::of(self.tables.units(reg));
            } else if state.reg != reg.0 {
                return false;
            } else {
                early.insert(U::of(self.tables.units(reg)));
            }
            state.advance(work.aheads[k]);
            place.set(Allocation::reg(reg));
        }
        for op in work.ops.iter().filter(|op| op.is_use()) {
            let state = &self.vregs[op.index()];
            if !self.is_live(state.next) || state.next == LIVE_OUT && state.is_valid() {
                self.unbind(op.vreg().as_u32());
            }
        }
        if let Some((v, _)) = def {
            self.unbind(v);
        }
        if self.occupied.intersects(clobbers.union(late)) {
            self.pins = Pins { fixed_early: early, early, fixed_late: late, clobbers, ..Pins::NONE };
            self.vacate();
        }
        if let Some((v, reg)) = def {
            let state = self.state(v);
            state.def_inst = inst.as_u32();
            state.flags &= !VALID;
            let next = state.next;
            self.used_regs.insert(late);
            if self.is_live(next) {
                self.bind(v, reg);
            }
        }
        for op in work.ops {
            self.end_life(op.vreg().as_u32());
        }
        self.free_dying_slots();
        true
    }
}
