//! Vectors that are constants: insertions of numbers into a vector without bits. Which bytes of two vectors make whole lanes, or
//! follow each other: 0–15 name those of the first, 16–31 those of the second.

use crate::{BinaryOp, CastOp, Function, InstData, Type, Value, ValueDef};

/// Bits of a lane in a register of 128 bits.
pub fn lane_bits(ty: Type) -> u32 {
    128 / ty.lanes().max(1)
}

/// Whether a vector is known to have no bits.
pub fn is_zero(func: &Function, vector: Value) -> bool {
    matches!(func.value_def(vector), ValueDef::Undef | ValueDef::Zero)
}

/// Whether a value is a lane that was taken out of a vector.
pub fn is_lane(func: &Function, value: Value) -> bool {
    let inst = func.defining_inst(value).map(|inst| func.inst(inst));
    matches!(inst, Some(InstData::ExtractElement { .. }))
}

/// Whether a value is a half of a vector, perhaps with other lanes.
pub fn is_half(func: &Function, value: Value) -> bool {
    matches!(
        func.defining_inst(unnamed(func, value)).map(|inst| func.inst(inst)),
        Some(InstData::Half { .. })
    )
}

/// The vector of which `value` is the bits with other lanes, or `value` itself.
pub fn unnamed(func: &Function, value: Value) -> Value {
    match func.defining_inst(value).map(|inst| *func.inst(inst)) {
        Some(InstData::Cast { op: CastOp::Bitcast, arg }) if func.value_type(arg).is_vector() => arg,
        _ => value,
    }
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

/// The number that a constant vector, of 128 or 256 bits, has in all lanes, if that is one.
pub fn uniform_lane(func: &Function, value: Value) -> Option<u64> {
    if let Some(InstData::Join { halves }) = func.defining_inst(value).map(|inst| func.inst(inst)) {
        let [low, high] = halves.map(|half| uniform_lane(func, half));
        return low.filter(|_| low == high);
    }
    let bits = lane_bits(func.value_type(value));
    let all = constant_vector(func, value)?;
    let mask = u128::MAX >> (128 - bits);
    (0..128).step_by(bits as usize).all(|at| all >> at & mask == all & mask).then_some((all & mask) as u64)
}

/// Whether the lanes of a vector have no bits from number `bits` on: by a mask, or because they were shifted down.
pub fn is_clear_above(func: &Function, value: Value, bits: u32) -> bool {
    match func.defining_inst(value).map(|inst| *func.inst(inst)) {
        Some(InstData::Binary { op: BinaryOp::And, args }) => {
            args.into_iter().filter_map(|arg| uniform_lane(func, arg)).any(|mask| mask >> bits == 0)
        }
        Some(InstData::Binary { op: BinaryOp::Lshr, args }) => {
            let width = func.value_type(value).element().bits();
            let known = u64::from(width - bits)..width.into();
            uniform_lane(func, args[1]).is_some_and(|amount| known.contains(&amount))
        }
        _ => false,
    }
}

/// Which bytes of a vector of 128 bits are known to be zero, by number: by a mask, or because lanes were shifted down.
pub fn clear_bytes(func: &Function, mut value: Value) -> u16 {
    while let Some(&InstData::Cast { op: CastOp::Bitcast, arg }) =
        func.defining_inst(value).map(|inst| func.inst(inst))
        && func.value_type(arg).is_vector()
    {
        value = arg;
    }
    let all =
        |is_clear: &dyn Fn(u32) -> bool| (0..16).filter(|&n| is_clear(n)).fold(0, |all, n| all | 1 << n);
    match func.defining_inst(value).map(|inst| *func.inst(inst)) {
        Some(InstData::Binary { op: BinaryOp::And, args }) => {
            let mask = args.into_iter().find_map(|arg| constant_vector(func, arg)).unwrap_or(u128::MAX);
            all(&|n| (mask >> (8 * n)) as u8 == 0)
        }
        Some(InstData::Binary { op: BinaryOp::Lshr, args }) => {
            let bits = lane_bits(func.value_type(value));
            let amount = uniform_amount(func, args[1]).map_or(0, u32::from);
            all(&|n| 8 * n % bits >= bits - amount)
        }
        _ => 0,
    }
}

/// The amount of a shift of all lanes, if it is the same constant below their width.
pub fn uniform_amount(func: &Function, amounts: Value) -> Option<u8> {
    let bits = lane_bits(func.value_type(amounts));
    uniform_lane(func, amounts).filter(|&amount| amount < bits.into()).map(|amount| amount as u8)
}

/// Where a byte or a lane comes from; `None` if nothing depends on it.
pub type Origin = Option<u8>;

/// The lanes of `N` bytes that the bytes make, if they come as whole lanes.
pub fn whole_lanes<const N: usize, const COUNT: usize>(bytes: &[Origin; 16]) -> Option<[Origin; COUNT]> {
    let mut lanes = [None; COUNT];
    for (lane, group) in lanes.iter_mut().zip(bytes.chunks_exact(N)) {
        for (n, from) in group.iter().enumerate() {
            let Some(from) = *from else { continue };
            let whole = from / N as u8;
            if usize::from(from) % N != n || lane.is_some_and(|lane| lane != whole) {
                return None;
            }
            *lane = Some(whole);
        }
    }
    Some(lanes)
}

/// Two vectors, by number, and the byte of the first from which on the bytes come, first of the one, then of the other.
pub fn consecutive(bytes: &[Origin; 16]) -> Option<(usize, usize, u8)> {
    let vectors = [[0, 0], [0, 1], [1, 0], [1, 1]].into_iter();
    vectors.flat_map(|pair| (1..16).map(move |start| (pair, start))).find_map(|([a, b], start)| {
        let wanted = |n| if n + start < 16 { 16 * a + n + start } else { 16 * b + n + start - 16 };
        are(bytes, wanted).then_some((a.into(), b.into(), start))
    })
}

/// Whether the lanes are these, where they matter.
pub fn are<const COUNT: usize>(lanes: &[Origin; COUNT], wanted: impl Fn(u8) -> u8) -> bool {
    (0..).zip(lanes).all(|(n, from)| from.is_none_or(|from| from == wanted(n)))
}
