//! Bits of integers that are zero whatever the program does.
//!
//! Found from the definition downwards, a few levels deep: shifts, masks, extensions and products leave zeros at either
//! end. Nothing is kept; an answer costs a bounded number of looks at definitions.
//!
//! Requires: a verified function. Preserves: the function.

use ice_ir::{BinaryOp, CastOp, Function, InstData, IntCond, Type, Value};

/// How many definitions deep the answer looks.
const DEPTH: u32 = 4;
/// Most values of a phi that it looks at, and no farther.
const MAX_INCOMING: usize = 4;

/// The bits of `value`, a scalar integer, that are known to be zero. Bits above its type are none.
pub fn known_zeros(func: &Function, value: Value) -> u64 {
    zeros(func, value, DEPTH)
}

fn zeros(func: &Function, value: Value, depth: u32) -> u64 {
    let ty = func.value_type(value);
    let mask = ty.int_mask();
    if let Some(number) = func.int_value(value) {
        return !(number as u64) & mask;
    }
    let Some(inst) = func.defining_inst(value).filter(|_| depth > 0) else { return 0 };
    let of = |value| zeros(func, value, depth - 1);
    let bits = match *func.inst(inst) {
        InstData::Cast { op: CastOp::Zext, arg } => of(arg) | !func.value_type(arg).int_mask(),
        InstData::Cast { op: CastOp::Trunc, arg } if func.value_type(arg).is_scalar_int() => of(arg),
        InstData::Binary { op, args: [a, b] } => binary(func, op, a, b, ty, of),
        InstData::Select { if_true, if_false, .. } => of(if_true) & of(if_false),
        InstData::Phi { incoming } if incoming.len() <= MAX_INCOMING => {
            let mut incoming = func.incoming(incoming).iter();
            let mut all = u64::MAX;
            while all != 0
                && let Some(&(value, _)) = incoming.next()
            {
                all &= zeros(func, value, depth.min(2) - 1);
            }
            all
        }
        InstData::Alloca { align_log2, .. } => low_bits(align_log2.into()),
        _ => 0,
    };
    bits & mask
}

fn binary(func: &Function, op: BinaryOp, a: Value, b: Value, ty: Type, of: impl Fn(Value) -> u64) -> u64 {
    let amount = || func.int_value(b).and_then(|n| u32::try_from(n).ok()).filter(|&n| n < ty.bits());
    match op {
        BinaryOp::And => of(a) | of(b),
        BinaryOp::Or | BinaryOp::Xor => of(a) & of(b),
        BinaryOp::Shl => amount().map_or(0, |n| of(a) << n | low_bits(n)),
        BinaryOp::Lshr => amount().map_or(0, |n| (of(a) | !ty.int_mask()) >> n | !(ty.int_mask() >> n)),
        BinaryOp::Sub => low_bits(of(a).trailing_ones().min(of(b).trailing_ones())),
        BinaryOp::Add => {
            let (a, b) = (of(a), of(b));
            // The longer one and a carry.
            let bits = width(a, ty).max(width(b, ty)) + 1;
            low_bits(a.trailing_ones().min(b.trailing_ones())) | !low_bits(bits)
        }
        BinaryOp::Mul => {
            let (a, b) = (of(a), of(b));
            low_bits(a.trailing_ones() + b.trailing_ones()) | !low_bits(width(a, ty) + width(b, ty))
        }
        BinaryOp::Udiv => match func.int_value(b).map(|n| n as u64 & ty.int_mask()) {
            Some(n) if n != 0 => {
                let most = ty.int_mask() & !of(a);
                !low_bits(64 - (most / n).leading_zeros())
            }
            _ => 0,
        },
        // What is left is below the divisor, and not above the dividend.
        BinaryOp::Urem => match func.int_value(b) {
            Some(n) if n as u64 & ty.int_mask() != 0 => {
                !low_bits(64 - ((n as u64 & ty.int_mask()) - 1).leading_zeros())
            }
            _ => 0,
        },
        _ => 0,
    }
}

/// How many bits a number of `ty` has at most of which these are zero.
fn width(zeros: u64, ty: Type) -> u32 {
    64 - (ty.int_mask() & !zeros).leading_zeros()
}

/// So many ones from the low end, at most 64.
fn low_bits(count: u32) -> u64 {
    1u64.checked_shl(count).map_or(u64::MAX, |bit| bit - 1)
}

/// What the comparison of `a` with the number `b` always gives, if it always gives the same.
pub fn constant_comparison(func: &Function, cond: IntCond, a: Value, b: i64) -> Option<bool> {
    let ty = func.value_type(a);
    let (mask, sign) = (ty.int_mask(), 1 << (ty.bits() - 1));
    let zeros = known_zeros(func, a);
    let most = mask & !zeros;
    // Both ends of what `a` can be, unsigned and signed.
    let is_positive = zeros & sign != 0;
    let least_signed = if is_positive { 0 } else { ty.sign_extend(sign as i64) };
    let most_signed = (most & !sign) as i64;
    let number = b as u64 & mask;
    if matches!(cond, IntCond::Eq | IntCond::Ne) {
        let differs = number & zeros != 0;
        return differs.then_some(cond == IntCond::Ne);
    }
    let low = cond.holds((least_signed, 0), (b, number));
    let high = cond.holds((most_signed, most), (b, number));
    (low == high).then_some(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use ice_ir::{FuncId, FunctionBuilder, Signature};

    /// Every operator on every pair of i8 values that its operands can be: no bit is said to be zero that can be one, and
    /// no comparison is said to have an answer that it does not always have.
    #[test]
    fn what_is_known_holds_for_all_values() {
        use BinaryOp::{Add, And, Lshr, Mul, Or, Shl, Sub, Udiv, Urem, Xor};
        let mut func = Function::new();
        let mut known = 0;
        for op in [Add, Sub, Mul, And, Or, Xor, Shl, Lshr, Udiv, Urem] {
            for first_mask in [0x0f, 0xf8, 0x81, 0xff] {
                for number in [0, 1, 3, 7, 8, 20, -128, -1] {
                    let mut b = FunctionBuilder::new(&mut func);
                    b.begin(FuncId::from_u32(0), &Signature::new(vec![Type::I8], Type::I8));
                    let block = b.create_block();
                    b.switch_to_block(block);
                    let x = b.func.params()[0];
                    let (mask, second) = (b.int_const(Type::I8, first_mask), b.int_const(Type::I8, number));
                    let first = b.binary(And, x, mask);
                    let result = b.binary(op, first, second);
                    let zeros = known_zeros(&func, result);
                    known += zeros.count_ones();
                    let values = || {
                        (0..=255u8).filter_map(|x| {
                            let (a, n) = (x & first_mask as u8, number as u8);
                            Some(match op {
                                Add => a.wrapping_add(n),
                                Sub => a.wrapping_sub(n),
                                Mul => a.wrapping_mul(n),
                                And => a & n,
                                Or => a | n,
                                Xor => a ^ n,
                                Shl => a.checked_shl(n.into())?,
                                Lshr => a.checked_shr(n.into())?,
                                Udiv => a.checked_div(n)?,
                                _ => a.checked_rem(n)?,
                            })
                        })
                    };
                    assert!(
                        values().all(|value| u64::from(value) & zeros == 0),
                        "{op} {first_mask:#x} {number}"
                    );
                    for cond in IntCond::ALL.iter().copied() {
                        for with in [-128i8, -1, 0, 1, 8, 16, 127] {
                            let Some(answer) = constant_comparison(&func, cond, result, with.into()) else {
                                continue;
                            };
                            let holds = |value: u8| {
                                let (signed, unsigned) = (i64::from(value as i8), u64::from(value));
                                cond.holds((signed, unsigned), (with.into(), u64::from(with as u8)))
                            };
                            assert!(
                                values().all(|value| holds(value) == answer),
                                "{op} {number} {cond} {with}"
                            );
                        }
                    }
                }
            }
        }
        assert!(known > 300, "{known}");
    }
}
