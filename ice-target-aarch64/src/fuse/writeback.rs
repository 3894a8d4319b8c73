//! Addresses that step: `ldr xd, [xn], #c` and `ldr xd, [xn, #c]!` (DDI 0487, C3.2.1), of general and vector registers. An
//! addition of 32 bits is none, for an access adds 64.

use crate::inst::{Amode, Base, Inst, Rhs, Src};
use ice_asm::aarch64::{Alu, Width};
use ice_codegen::fusion::SteppingInst;
use ice_codegen::mach::VReg;

impl SteppingInst for Inst {
    #[inline(always)]
    fn access_at_register(&self) -> Option<(VReg, bool)> {
        let (mem, is_load) = match *self {
            Inst::Load { mem, .. } | Inst::LoadFloat { mem, .. } => (mem, true),
            Inst::Store { mem, .. } | Inst::StoreFloat { mem, .. } => (mem, false),
            _ => return None,
        };
        match mem {
            Amode { base: Base::Reg(base), index: None, disp: 0 } => Some((base, is_load)),
            _ => None,
        }
    }

    #[inline(always)]
    fn step(&self) -> Option<(VReg, VReg, i32)> {
        let Inst::Alu { op, width: Width::X, dst, lhs: Src::Reg(lhs), rhs: Rhs::Imm(imm) } = *self else {
            return None;
        };
        let amount = imm.value() as i32;
        match op {
            Alu::Add => Some((lhs, dst, amount)),
            Alu::Sub => Some((lhs, dst, -amount)),
            _ => None,
        }
    }

    fn steps_by(&self, amount: i32) -> bool {
        (-256..256).contains(&amount)
    }

    fn is_plain(&self) -> bool {
        matches!(
            self,
            Inst::Mov { .. }
                | Inst::ZeroUpper { .. }
                | Inst::MovImm { .. }
                | Inst::MovSymbol { .. }
                | Inst::Page { .. }
                | Inst::Load { .. }
                | Inst::Store { .. }
                | Inst::Lea { .. }
                | Inst::Alu { .. }
                | Inst::Compare { .. }
                | Inst::CompareIf { .. }
                | Inst::CompareFloatIf { .. }
                | Inst::Two { .. }
                | Inst::One { .. }
                | Inst::Multiply { .. }
                | Inst::MultiplyLong { .. }
                | Inst::MultiplyHigh { .. }
                | Inst::BitField { .. }
                | Inst::Insert { .. }
                | Inst::ExtractPair { .. }
                | Inst::Select { .. }
                | Inst::SetCond { .. }
                | Inst::MovFloat { .. }
                | Inst::LoadFloat { .. }
                | Inst::StoreFloat { .. }
                | Inst::FloatZero { .. }
                | Inst::FloatNumber { .. }
                | Inst::Float3 { .. }
                | Inst::Float2 { .. }
                | Inst::Float4 { .. }
                | Inst::CompareFloat { .. }
                | Inst::CompareFloatZero { .. }
                | Inst::SelectFloat { .. }
                | Inst::FloatConvert { .. }
                | Inst::IntToFloat { .. }
                | Inst::FloatToInt { .. }
                | Inst::ToFloat { .. }
                | Inst::FromFloat { .. }
                | Inst::Vector3 { .. }
                | Inst::Vector2 { .. }
                | Inst::VectorFloat3 { .. }
                | Inst::VectorFloatSum { .. }
                | Inst::VectorFloat2 { .. }
                | Inst::VectorLogic { .. }
                | Inst::VectorShift { .. }
                | Inst::Permute { .. }
        )
    }
}
