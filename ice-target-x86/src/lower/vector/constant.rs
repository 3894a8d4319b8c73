//! Constant vectors ([`constant_vector`]): the last of a chain is loaded from memory at once, or read there by the
//! instruction that uses it.

use crate::inst::{Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::ConstantSize;
use ice_codegen::Operands as _;
use ice_codegen::lanes::{constant_vector, lane_bits, uniform_lane};
use ice_codegen::mach::{Sink, VReg};
use ice_ir::Value;

impl X86 {
    /// The amount of a shift, if it is the same constant below the width in all lanes.
    pub(super) fn uniform_amount<S: Sink<Inst>>(self, cx: &Cx<'_, S>, amounts: Value) -> Option<u8> {
        let bits = lane_bits(cx.func.value_type(amounts));
        uniform_lane(cx.func, amounts).filter(|&amount| amount < bits.into()).map(|amount| amount as u8)
    }

    /// `dst` = these bits.
    pub(super) fn load_constant<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, bits: u128) {
        match bits {
            0 => cx.sink.push(Inst::ZeroXmm { dst }),
            u128::MAX => cx.sink.push(Inst::OnesXmm { dst }),
            _ => {
                let mem = self.constant_address(cx, ConstantSize::C16, bits);
                cx.sink.push(Inst::LoadXmm { size: 16, dst, mem });
            }
        }
    }

    /// A vector as a source operand: memory for a constant that was folded into the instruction.
    pub(in crate::lower) fn vector_src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Src {
        if cx.folded(value).is_some()
            && let Some(bits) = constant_vector(cx.func, value)
        {
            return Src::Mem(self.constant_address(cx, ConstantSize::C16, bits));
        }
        Src::Reg(self.reg(cx, value))
    }
}
