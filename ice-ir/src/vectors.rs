//! Vectors that are constants: insertions of numbers into a vector without bits.

use crate::{Function, InstData, Type, Value, ValueDef};

/// Bits of a lane in a register of 128 bits.
pub fn lane_bits(ty: Type) -> u32 {
    128 / ty.lanes().max(1)
}

/// Whether a vector is known to have no bits.
pub fn is_zero(func: &Function, vector: Value) -> bool {
    matches!(func.value_def(vector), ValueDef::Undef | ValueDef::Zero)
}

/// The bits of a vector that is a constant.
pub fn constant_vector(func: &Function, value: Value) -> Option<u128> {
    let ty = func.value_type(value);
    if !ty.is_vector() {
        return None;
    }
    let (bits, mut value, mut all, mut seen) = (lane_bits(ty), value, 0, 0u32);
    for _ in 0..=ty.lanes() {
        if is_zero(func, value) || seen.count_ones() == ty.lanes() {
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

/// The number that a constant vector has in all lanes, if that is one.
pub fn uniform_lane(func: &Function, value: Value) -> Option<u64> {
    let bits = lane_bits(func.value_type(value));
    let all = constant_vector(func, value)?;
    let mask = u128::MAX >> (128 - bits);
    (0..128).step_by(bits as usize).all(|at| all >> at & mask == all & mask).then_some((all & mask) as u64)
}

/// The amount of a shift of all lanes, if it is the same constant below their width.
pub fn uniform_amount(func: &Function, amounts: Value) -> Option<u8> {
    let bits = lane_bits(func.value_type(amounts));
    uniform_lane(func, amounts).filter(|&amount| amount < bits.into()).map(|amount| amount as u8)
}
