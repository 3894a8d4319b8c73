//! Which narrow integers are known to have zeros above their width, on machines whose registers are wider; and which
//! pairs are one word with its sign or zeros above it.
//!
//! A rule may leave anything there. What is loaded, extended, compared or masked has zeros, and so has what
//! merges only such values; it then needs no extension before it is compared, widened or divided. A target that asks
//! keeps to that: its loads of narrow integers, its constants ([`word`]), its masks by constants that are not negative,
//! its right shifts by constants and the 16 bits that it makes of booleans fill the register with zeros.
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

/// Whether the amount by which 64 bits are shifted is known to be below 32.
pub fn is_below_word(func: &Function, amount: Value) -> bool {
    match func.defining_inst(amount).map(|inst| func.inst(inst)) {
        Some(&InstData::Binary { op: BinaryOp::And, args: [_, mask] }) => {
            func.int_value(mask).is_some_and(|mask| mask & 32 == 0)
        }
        Some(&InstData::Cast { op: CastOp::Zext, arg }) => is_below_word(func, arg),
        _ => false,
    }
}

/// Through how many operations the bits of a number are followed.
const MAX_BITS_DEPTH: u32 = 6;

/// With how many bits a number can be written, at most: as one with a sign, which is among them, and as one without.
#[derive(Clone, Copy)]
struct Bits {
    signed: u32,
    unsigned: u32,
}

impl Bits {
    fn unsigned(bits: u32) -> Bits {
        Bits { signed: bits + 1, unsigned: bits }
    }

    fn most(self, other: Bits) -> Bits {
        Bits { signed: self.signed.max(other.signed), unsigned: self.unsigned.max(other.unsigned) }
    }
}

/// The bits of an integer.
fn bits_of(func: &Function, value: Value, depth: u32) -> Bits {
    let width = func.value_type(value).bits();
    let any = Bits { signed: width, unsigned: width };
    if let Some(number) = func.int_value(value) {
        let signed = 65 - (number ^ number >> 63).leading_zeros();
        return if number < 0 { Bits { signed, ..any } } else { Bits::unsigned(signed - 1) };
    }
    let Some(inst) = func.defining_inst(value).filter(|_| depth > 0) else { return any };
    let ask = |value| bits_of(func, value, depth - 1);
    let amount = |value| func.int_value(value).and_then(|n| u32::try_from(n).ok()).filter(|&n| n < width);
    let is_positive = |bits: Bits| bits.unsigned < bits.signed;
    let Bits { signed, unsigned } = match *func.inst(inst) {
        InstData::Cast { op: CastOp::Zext, arg } => Bits::unsigned(ask(arg).unsigned),
        InstData::Cast { op: CastOp::Sext, arg } => match ask(arg) {
            bits if is_positive(bits) => bits,
            Bits { signed, .. } => Bits { signed, ..any },
        },
        InstData::Binary { op, args: [a, b] } => match (op, amount(b)) {
            (BinaryOp::And, _) => {
                let (x, y) = (ask(a), ask(b));
                match x.unsigned.min(y.unsigned) {
                    unsigned if unsigned < width => Bits::unsigned(unsigned),
                    _ => x.most(y),
                }
            }
            (BinaryOp::Or | BinaryOp::Xor, _) => ask(a).most(ask(b)),
            (BinaryOp::Add, _) => {
                let Bits { signed, unsigned } = ask(a).most(ask(b));
                Bits { signed: signed + 1, unsigned: unsigned + 1 }
            }
            (BinaryOp::Sub, _) => Bits { signed: ask(a).most(ask(b)).signed + 1, ..any },
            (BinaryOp::Mul, _) => {
                let (x, y) = (ask(a), ask(b));
                Bits { signed: x.signed + y.signed, unsigned: x.unsigned + y.unsigned }
            }
            (BinaryOp::Shl, Some(by)) => {
                let Bits { signed, unsigned } = ask(a);
                Bits { signed: signed + by, unsigned: unsigned + by }
            }
            (BinaryOp::Ashr, Some(by)) => match ask(a) {
                bits if is_positive(bits) => Bits::unsigned(bits.unsigned.saturating_sub(by)),
                Bits { signed, .. } => Bits { signed: signed.saturating_sub(by).max(1), ..any },
            },
            (BinaryOp::Lshr, Some(by)) => Bits::unsigned(ask(a).unsigned.saturating_sub(by)),
            _ => any,
        },
        InstData::Select { if_true, if_false, .. } => ask(if_true).most(ask(if_false)),
        _ => any,
    };
    Bits { signed: signed.min(width), unsigned: unsigned.min(width) }
}

/// Whether `value`, of 64 bits, is its low half extended as `sign` says.
fn is_low_half_extended(func: &Function, sign: Signedness, value: Value) -> bool {
    match sign {
        Signedness::Signed => is_signed_word(func, value),
        Signedness::Unsigned => known_halves(func, value)[1] == Some(0),
    }
}

/// How many bits `value`, an integer, has at most as a number without sign.
pub fn unsigned_bits(func: &Function, value: Value) -> u32 {
    bits_of(func, value, MAX_BITS_DEPTH).unsigned
}

/// Whether `value` is a number of 32 bits with a sign.
pub fn is_signed_word(func: &Function, value: Value) -> bool {
    bits_of(func, value, MAX_BITS_DEPTH).signed <= 32
}

/// How both factors of a product of pairs are words extended, if they are.
pub fn long_factors(func: &Function, factors: [Value; 2]) -> Option<Signedness> {
    let are = |sign| factors.iter().all(|&value| is_low_half_extended(func, sign, value));
    [Signedness::Signed, Signedness::Unsigned].into_iter().find(|&sign| are(sign))
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
        Some(InstData::CallIntrinsic {
            op: Intrinsic::Ctlz | Intrinsic::Cttz | Intrinsic::Ctpop, ..
        }) => [None, Some(0)],
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
        InstData::Cast { op: CastOp::Bitcast, arg } => func.value_type(arg) == Type::V16I1,
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
