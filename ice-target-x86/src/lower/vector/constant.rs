//! Constant vectors: chains of insertions of constants into an undefined vector, whose lanes are zero. The last of a
//! chain is loaded from memory at once, or read there by the instruction that uses it.
//!
//! Cost: at most two steps a lane for each insertion, as a chain that inserts a lane again is none.

use super::lane_bits;
use crate::inst::{Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::ConstantSize;
use ice_ir::mach::{Sink, VReg};
use ice_ir::{Function, InstData, Type, Value, ValueDef};

/// The bits of a vector that is a constant.
pub(in crate::lower) fn constant_vector(func: &Function, value: Value) -> Option<u128> {
    let ty = func.value_type(value);
    if !ty.is_vector() {
        return None;
    }
    let (bits, mut value, mut all, mut seen) = (lane_bits(ty), value, 0, 0u32);
    for _ in 0..=ty.lanes() {
        if func.value_def(value) == ValueDef::Undef || seen.count_ones() == ty.lanes() {
            return Some(all);
        }
        let &InstData::InsertElement { vector, element, index } = func.inst(func.defining_inst(value)?)
        else {
            return None;
        };
        let lane = func.int_value(index)? as u32 & (ty.lanes() - 1);
        let number = match func.value_def(element) {
            ValueDef::Int(number) => number as u64,
            ValueDef::Float(bits) => bits,
            ValueDef::Undef => 0,
            _ => return None,
        };
        let mask = u128::MAX >> (128 - bits);
        let number =
            if ty.element() == Type::I1 && number & 1 != 0 { mask } else { u128::from(number) & mask };
        // The last insertion into a lane counts, and is met first.
        if seen & 1 << lane == 0 {
            all |= number << (lane * bits);
            seen |= 1 << lane;
        }
        value = vector;
    }
    None
}

impl X86 {
    /// The amount of a shift, if it is the same constant below the width in all lanes.
    pub(super) fn uniform_amount<S: Sink<Inst>>(self, cx: &Cx<'_, S>, amounts: Value) -> Option<u8> {
        let bits = lane_bits(cx.func.value_type(amounts));
        let all = constant_vector(cx.func, amounts)?;
        let lane = all & (u128::MAX >> (128 - bits));
        let is_uniform =
            (0..128).step_by(bits as usize).all(|at| all >> at & (u128::MAX >> (128 - bits)) == lane);
        (is_uniform && lane < bits.into()).then_some(lane as u8)
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
