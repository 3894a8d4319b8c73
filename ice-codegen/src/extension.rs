//! Which narrow integers are known to have zeros above their width, on machines whose registers are wider; and which
//! pairs are one word with its sign or zeros above it.
//!
//! A rule may leave anything there. What is loaded, extended, compared or masked has zeros, and so has what
//! merges only such values; it then needs no extension before it is compared, widened or divided. A target that asks
//! keeps to that: its loads of narrow integers, its constants ([`word`]), its masks by constants that are not negative
//! and its right shifts by constants fill the register with zeros.
//!
//! Cost: a constant number of values for each question.

use crate::magic::Signedness;
use ice_ir::{BinaryOp, CastOp, Function, InstData, Intrinsic, Type, Value, ValueDef};

/// Through how many phis and selects the question is followed.
const MAX_DEPTH: u32 = 3;
/// Most operands of a phi that are asked.
const MAX_INCOMING: usize = 8;

/// The bits of an integer constant of up to 32 bits in its register: those above its width are zeros.
pub fn word(func: &Function, value: Value) -> Option<u32> {
    let number = match func.value_def(value) {
        ValueDef::Int(number) => number,
        ValueDef::Undef if func.value_type(value).is_scalar_int() => 0,
        _ => return None,
    };
    let ty = func.value_type(value);
    (ty != Type::I64).then_some((number as u64 & ty.int_mask()) as u32)
}

/// Whether the bits above the width of `value`, an integer of up to 16 bits, are zeros in its register.
pub fn is_zero_extended(func: &Function, value: Value) -> bool {
    func.value_type(value) == Type::I1 || is_known(func, value, MAX_DEPTH, Above::Zeros)
}

/// As [`is_zero_extended`], on a target that keeps constants with their signs above them, and anything above booleans and
/// what they become in 8 bits.
pub fn is_zero_extended_beside_signs(func: &Function, value: Value) -> bool {
    matches!(func.value_type(value), Type::I8 | Type::I16) && is_known(func, value, MAX_DEPTH, Above::Signs)
}

/// What a target keeps above constants and booleans.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Above {
    Zeros,
    /// Above booleans anything.
    Signs,
}

/// Whether `value`, of 64 bits, is its low half extended as `sign` says.
fn is_low_half_extended(func: &Function, sign: Signedness, value: Value) -> bool {
    if let Some(number) = func.int_value(value) {
        return match sign {
            Signedness::Signed => i32::try_from(number).is_ok(),
            Signedness::Unsigned => u32::try_from(number).is_ok(),
        };
    }
    let wanted = if sign == Signedness::Signed { CastOp::Sext } else { CastOp::Zext };
    let cast = func.defining_inst(value).map(|inst| func.inst(inst));
    matches!(cast, Some(&InstData::Cast { op, .. }) if op == wanted)
}

/// Through how many operations the halves of a pair are followed.
const MAX_HALF_DEPTH: u32 = 2;

/// The low and the high half of `value`, of 64 bits, where they are known numbers: of constants, and where extension, a
/// shift by a word or more, a mask or a count of bits has filled them with zeros.
pub fn known_halves(func: &Function, value: Value) -> [Option<u32>; 2] {
    halves(func, value, MAX_HALF_DEPTH)
}

fn halves(func: &Function, value: Value, depth: u32) -> [Option<u32>; 2] {
    if let Some(number) = func.int_value(value) {
        return [Some(number as u32), Some((number >> 32) as u32)];
    }
    let is_far = |amount| func.int_value(amount).is_some_and(|n| (32..64).contains(&n));
    let of_both = |args: [Value; 2]| {
        let [a, b] = args.map(|arg| if depth > 0 { halves(func, arg, depth - 1) } else { [None; 2] });
        [[a[0], b[0]], [a[1], b[1]]]
    };
    let zero = |is_zero: bool| is_zero.then_some(0);
    match func.defining_inst(value).map(|inst| func.inst(inst)) {
        Some(InstData::Cast { op: CastOp::Zext, .. }) => [None, Some(0)],
        Some(InstData::CallIntrinsic { op: Intrinsic::Ctlz | Intrinsic::Cttz | Intrinsic::Ctpop, .. }) => {
            [None, Some(0)]
        }
        Some(&InstData::Binary { op: BinaryOp::Lshr, args: [_, amount] }) if is_far(amount) => {
            [None, Some(0)]
        }
        Some(&InstData::Binary { op: BinaryOp::Shl, args: [_, amount] }) if is_far(amount) => [Some(0), None],
        Some(&InstData::Binary { op: BinaryOp::And, args }) => {
            of_both(args).map(|known| zero(known.contains(&Some(0))))
        }
        Some(&InstData::Binary { op: BinaryOp::Or | BinaryOp::Xor, args }) => {
            of_both(args).map(|known| zero(known == [Some(0); 2]))
        }
        _ => [None; 2],
    }
}

/// How both factors of a product of pairs are words extended, if they are.
pub fn long_factors(func: &Function, factors: [Value; 2]) -> Option<Signedness> {
    let are = |sign| factors.iter().all(|&value| is_low_half_extended(func, sign, value));
    [Signedness::Signed, Signedness::Unsigned].into_iter().find(|&sign| are(sign))
}

fn is_known(func: &Function, value: Value, depth: u32, above: Above) -> bool {
    let Some(inst) = func.defining_inst(value) else {
        return match above {
            Above::Zeros => word(func, value).is_some(),
            Above::Signs => func.int_value(value).is_some_and(|n| n >= 0),
        };
    };
    let ask = |value| depth > 0 && is_known(func, value, depth - 1, above);
    match *func.inst(inst) {
        InstData::Load { .. } | InstData::Icmp { .. } | InstData::Fcmp { .. } => true,
        InstData::Cast { op: CastOp::Zext, arg } => {
            let from = func.value_type(arg);
            let is_same = (from, func.value_type(value)) == (Type::I1, Type::I8);
            !(from.is_vector() || is_same && above == Above::Signs)
        }
        // The mask is made with its sign above it.
        InstData::Binary { op: BinaryOp::And, args: [_, mask] } => {
            func.int_value(mask).is_some_and(|n| n >= 0)
        }
        InstData::Binary { op: BinaryOp::Lshr, args: [_, amount] } => func.int_value(amount).is_some(),
        InstData::Select { if_true, if_false, .. } => ask(if_true) && ask(if_false),
        InstData::Phi { incoming } => {
            let incoming = func.incoming(incoming);
            incoming.len() <= MAX_INCOMING && incoming.iter().all(|&(value, _)| ask(value))
        }
        _ => false,
    }
}
