//! Addresses that step: an addition to the base of an access becomes its writeback.
//!
//! | before | after |
//! |---|---|
//! | `ldr rd, [rn]`, then `add rn, rn, #c` soon after | `ldr rd, [rn], #c` |
//! | `add rn, rn, #c`, then at once `ldr rd, [rn]` | `ldr rd, [rn, #c]!` |
//!
//! and so for stores (DDI 0406C A8.5). What stands between the access and the addition must not touch rn, and the
//! addition must not be the one whose flags a comparison wants.

use super::predicate::size;
use super::{Emitter, tested};
use crate::inst::{Amode, Base, Inst, Src};
use crate::regs;
use ice_asm::Listing;
use ice_asm::arm32::{Alu, Flags, Gpr, Index, Mem, Transfer};
use ice_ir::mach::{MachInstId, VReg};
use ice_regalloc::{Allocation, ProgPoint};

/// How far behind an access the addition may be.
const WINDOW: usize = 5;

/// The base, the result and the amount of an addition of a constant.
fn step(inst: &Inst) -> Option<(VReg, VReg, i32)> {
    match *inst {
        Inst::Alu { op: Alu::Add, flags: Flags::Keep, dst, lhs, rhs: Src::Imm(imm) } => {
            Some((lhs, dst, imm.value() as i32))
        }
        Inst::Alu { op: Alu::Sub, flags: Flags::Keep, dst, lhs, rhs: Src::Imm(imm) } => {
            Some((lhs, dst, (imm.value() as i32).wrapping_neg()))
        }
        _ => None,
    }
}

/// Whether a writeback of the access can have this amount.
fn fits(op: Transfer, amount: i32) -> bool {
    amount.unsigned_abs() & !(op.max_offset() as u32) == 0
}

impl<L: Listing> Emitter<'_, L> {
    /// The amount of an addition soon after the current access at `base`, whose register is `reg`; the addition
    /// is then done. `data` is what is loaded or stored.
    pub(super) fn post_increment(&mut self, op: Transfer, base: VReg, reg: Gpr, data: Gpr) -> Option<i32> {
        if reg == data {
            return None;
        }
        let place = Allocation::reg(regs::r(reg.number()));
        let following = self.following();
        let near = &following[..following.len().min(WINDOW)];
        if !near.iter().any(|inst| step(inst).is_some_and(|(from, ..)| from == base)) {
            return None;
        }
        for (n, inst) in near.iter().enumerate() {
            let id = MachInstId::from_u32(self.at.as_u32() + 1 + n as u32);
            let allocs = self.allocation.allocs_of(id);
            if let Some((from, to, amount)) = step(inst)
                && from == base
            {
                let is_alone = allocs == [place, place]
                    && fits(op, amount)
                    && !tested(&following[n + 1..], to)
                    && !self.is_edited(place, id);
                if is_alone {
                    self.fused = Some(id);
                }
                return is_alone.then_some(amount);
            }
            let is_plain =
                size(inst).is_some() || matches!(inst, Inst::Compare { .. } | Inst::TestZero { .. });
            if !is_plain || allocs.contains(&place) {
                return None;
            }
        }
        None
    }

    /// Whether an edit between the current instruction and `id` reads or writes the place.
    fn is_edited(&self, place: Allocation, id: MachInstId) -> bool {
        let edits = &self.allocation.edits;
        let start = edits.partition_point(|edit| edit.point < ProgPoint::after(self.at));
        let between = edits[start..].iter().take_while(|edit| edit.point <= ProgPoint::before(id));
        between.into_iter().any(|edit| edit.from == place || edit.to == place)
    }

    /// Writes an addition as part of the access that is the next instruction, if it is one at its result.
    pub(super) fn pre_increment(&mut self, inst: &Inst) -> bool {
        let (Some((_, to, amount)), Some(next)) = (step(inst), self.following().first()) else {
            return false;
        };
        let (op, mem) = match *next {
            Inst::Load { op, mem, .. } | Inst::Store { op, mem, .. } => (op, mem),
            _ => return false,
        };
        if mem != Amode::new(Base::Reg(to), 0) || !fits(op, amount) {
            return false;
        }
        let &[lhs, dst] = self.allocs else { return false };
        let id = MachInstId::from_u32(self.at.as_u32() + 1);
        let &[first, second] = self.allocation.allocs_of(id) else { return false };
        let (base, data) = if matches!(next, Inst::Load { .. }) { (first, second) } else { (second, first) };
        let edits = &self.allocation.edits;
        let start = edits.partition_point(|edit| edit.point < ProgPoint::after(self.at));
        let is_edited = edits.get(start).is_some_and(|edit| edit.point <= ProgPoint::before(id));
        if lhs != dst || base != dst || data == dst || is_edited || tested(self.following(), to) {
            return false;
        }
        let (Some(base), Some(data)) = (base.as_reg(), data.as_reg()) else { return false };
        let mem = Mem { index: Index::Pre, ..Mem::new(regs::gpr(base), amount) };
        self.e.transfer(self.cond, op, regs::gpr(data), mem);
        self.fused = Some(id);
        true
    }
}
