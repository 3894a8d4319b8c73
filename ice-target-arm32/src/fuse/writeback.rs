//! Addresses that step (DDI 0406C A8.5): `ldr rd, [rn], #c` and `ldr rd, [rn, #c]!`, of core registers.

use super::compare::is_tested;
use super::predicate::size;
use crate::inst::{Amode, Base, Inst, Src};
use ice_asm::arm32::{Alu, Flags, Transfer};
use ice_codegen::fusion::SteppingInst;
use ice_codegen::mach::VReg;

/// The operation and the address of a load or store of a core register.
fn access(inst: &Inst) -> Option<(Transfer, Amode)> {
    match *inst {
        Inst::Load { op, mem, .. } | Inst::Store { op, mem, .. } => Some((op, mem)),
        _ => None,
    }
}

impl SteppingInst for Inst {
    #[inline(always)]
    fn access_at_register(&self) -> Option<(VReg, bool)> {
        let (op, mem) = access(self)?;
        match mem.base {
            Base::Reg(base) if mem.is_register() && !op.is_dual() => {
                Some((base, matches!(self, Inst::Load { .. })))
            }
            _ => None,
        }
    }

    #[inline(always)]
    fn step(&self) -> Option<(VReg, VReg, i32)> {
        match *self {
            Inst::Alu { op: Alu::Add, flags: Flags::Keep, dst, lhs, rhs: Src::Imm(imm) } => {
                Some((lhs, dst, imm.value() as i32))
            }
            Inst::Alu { op: Alu::Sub, flags: Flags::Keep, dst, lhs, rhs: Src::Imm(imm) } => {
                Some((lhs, dst, (imm.value() as i32).wrapping_neg()))
            }
            _ => None,
        }
    }

    fn steps_by(&self, amount: i32) -> bool {
        access(self).is_some_and(|(op, _)| amount.unsigned_abs() & !(op.max_offset() as u32) == 0)
    }

    fn is_plain(&self) -> bool {
        size(self).is_some() || matches!(self, Inst::Compare { .. } | Inst::TestZero { .. })
    }

    /// The comparison whose flags the addition has.
    fn is_wanted(behind: &[Self], to: VReg) -> bool {
        is_tested(behind, to)
    }
}
