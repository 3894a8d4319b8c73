//! Which bits of a number of 64 bits its user asks for, on machines whose registers have 32: a half that nobody reads is not
//! computed.
//!
//! Of a value with one use that is known by its user: a truncation, a mask or a shift to the left loses bits above, a shift to the
//! right bits below; sums and products need what is below the bits of theirs that are needed, logic the same bits
//! (backward bit analysis, as LLVM's demanded bits). A value with several uses, or in a phi, is needed whole. A target that asks
//! compares with zero by the sign alone, and converts a number of 32 bits with a sign to a float by its low half.
//!
//! Cost: a constant number of users for each question.

use crate::extension::is_signed_word;
use ice_ir::{BinaryOp, CastOp, Function, InstData, IntCond, Uses, Value};

/// Through how many users the question is followed.
const MAX_DEPTH: u32 = 6;

/// The sign of 64 bits.
const SIGN: u64 = 1 << 63;

/// A half of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Half {
    /// The lower 32 bits.
    Low,
    /// The upper 32 bits.
    High,
}

/// The bits of `value`, of 64 bits, that are needed.
pub fn needed_bits(func: &Function, uses: &Uses, value: Value) -> u64 {
    bits(func, uses, value, MAX_DEPTH)
}

/// The half of `value`, of 64 bits, that alone is needed, if one is.
pub fn only_half(func: &Function, uses: &Uses, value: Value) -> Option<Half> {
    if uses.known_count(value) != Some(1) {
        return None;
    }
    let needed = needed_bits(func, uses, value);
    match [needed as u32, (needed >> 32) as u32] {
        [_, 0] => Some(Half::Low),
        [0, _] => Some(Half::High),
        _ => None,
    }
}

fn bits(func: &Function, uses: &Uses, value: Value, depth: u32) -> u64 {
    let all = u64::MAX;
    if depth == 0 || uses.known_count(value) != Some(1) {
        return all;
    }
    let Some(user) = uses.last_user(value) else { return all };
    let of_result = || func.result(user).map_or(all, |result| bits(func, uses, result, depth - 1));
    match *func.inst(user) {
        InstData::Cast { op: CastOp::Trunc, .. } => {
            func.result(user).map_or(all, |result| func.value_type(result).int_mask())
        }
        InstData::Cast { op: CastOp::Sitofp, .. } if is_signed_word(func, value) => u32::MAX.into(),
        InstData::Icmp { cond: IntCond::Slt | IntCond::Sge, args: [_, number] }
            if func.int_value(number) == Some(0) =>
        {
            SIGN
        }
        InstData::Icmp { cond: IntCond::Sgt | IntCond::Sle, args: [_, number] }
            if func.int_value(number) == Some(-1) =>
        {
            SIGN
        }
        InstData::Select { cond, .. } if cond != value => of_result(),
        InstData::Binary { op, args: [a, b] } => match (op, func.int_value(b)) {
            (BinaryOp::And, Some(mask)) => of_result() & mask as u64,
            (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, _) => of_result(),
            (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, _) => {
                all.checked_shr(of_result().leading_zeros()).unwrap_or(0)
            }
            (_, Some(amount @ 0..64)) if a == value => {
                let needed = of_result();
                match op {
                    BinaryOp::Shl => needed >> amount,
                    BinaryOp::Lshr => needed << amount,
                    // Its copies come in from above.
                    BinaryOp::Ashr if needed.leading_zeros() < amount as u32 => needed << amount | SIGN,
                    BinaryOp::Ashr => needed << amount,
                    _ => all,
                }
            }
            _ => all,
        },
        _ => all,
    }
}
