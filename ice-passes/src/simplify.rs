//! Cheaper forms of single instructions: strength reduction and reassociation.
//!
//! | instruction | becomes |
//! |---|---|
//! | `c op x`, op commutative | `x op c` |
//! | `x - c` | `x + -c` |
//! | `x * 2^k`, `x / 2^k`, `x % 2^k` unsigned | `x << k`, `x >> k`, `x & (2^k - 1)` |
//! | `x / y`, `x % y` unsigned, of numbers of 64 bits with zeros in their upper halves | that of the lower halves, extended |
//! | `x / 2^k` signed | `(x + (x >> 31 >>> 32 - k)) >> k` |
//! | `(x op c) op d`, op associative | `x op (c op d)` |
//! | a shift by what is masked and then extended or cut | by what is extended or cut and then masked |
//! | `(x >> k) & (2^(32 - k) - 1)` without sign, of 64 bits | the same of the lower half, extended |
//! | `(x + c) << k` | `(x << k) + (c << k)` |
//! | `(x + c) + y` | `(x + y) + c` |
//! | `x \| c` where no bit is in both | `x + c`, in addresses and in numbers of 32 bits |
//! | `x` as its own type, which readers write for a value that is used before it is defined in the file | `x` |
//! | a number without sign as a float, where its top bit is zero | with sign |
//! | a boolean extended and compared with zero | the boolean, or the opposite comparison |
//! | `ones(x) < 2`, `ones(x) > 1` | `x & (x - 1)` compared with zero |
//! | `ones(x) = 1`, `ones(x) != 1` | `x ^ (x - 1)` above `x - 1`, or not |
//! | a select of booleans with `false` behind or `true` in front | `and`, `or` |
//! | `x < c` and its like, where all values of `x` give the same answer | the answer |
//!
//! Those of sums of sums move constants outward, to where an address takes them as its displacement: arrays are
//! indexed by `i - 1` as cheaply as by `i`, and the fields of a record share the sum of base and index
//! ("Hacker's Delight" 2nd edition, chapter 10 for the divisions).
//!
//! Only scalar integers, where arithmetic wraps: every form is exact.
//!
//! Requires: what [`number_values`](crate::number_values()) requires, which asks for one instruction at a time. Preserves: the
//! value of the instruction. Constant cost.

use alloc::vec;
use alloc::vec::Vec;

use crate::half_loads::half_load;
use crate::insert;
use crate::known_bits::{constant_comparison, known_zeros};
use ice_ir::{BinaryOp, CastOp, Function, Inst, InstData, IntCond, Intrinsic, Type, Uses, Value, ValueDef};

const CONSTANTS: usize = 128;
/// How many values of a phi are looked at.
const MAX_INCOMING: usize = 4;

/// Integer constants of one function by number: a direct-mapped cache. Clearing is one counter increment.
pub struct Constants {
    slots: Vec<Slot>,
    epoch: u32,
}

/// A constant; one of the function only while its epoch is the current one.
#[derive(Clone, Copy)]
struct Slot {
    number: i64,
    ty: Type,
    epoch: u32,
    value: Value,
}

impl Default for Constants {
    fn default() -> Self {
        let empty = Slot { number: 0, ty: Type::Void, epoch: 0, value: Value::from_u32(0) };
        Constants { slots: vec![empty; CONSTANTS], epoch: 1 }
    }
}

impl Constants {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            *self = Constants::default();
        }
    }

    /// The slot of a constant, and whether it holds the constant.
    fn slot(&mut self, ty: Type, number: i64) -> (&mut Slot, bool) {
        let hash = (number as u64 ^ (ty as u64) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = &mut self.slots[(hash >> 57) as usize % CONSTANTS];
        let holds = (slot.epoch, slot.ty, slot.number) == (self.epoch, ty, number);
        (slot, holds)
    }

    /// An older constant equal to `value`, or `value` itself; any value may be asked about. Known are numbers, and vectors that
    /// are zeros or undefined.
    pub fn intern(&mut self, func: &Function, value: Value) -> Value {
        let ty = func.value_type(value);
        let number = match func.value_def(value) {
            ValueDef::Zero if ty.is_vector() => 0,
            ValueDef::Undef if ty.is_vector() => 1,
            ValueDef::Float(bits) => bits as i64,
            _ => match func.int_value(value) {
                Some(number) => number,
                None => return value,
            },
        };
        let epoch = self.epoch;
        let (slot, holds) = self.slot(ty, number);
        if !holds {
            *slot = Slot { number, ty, epoch, value };
        }
        slot.value
    }

    /// The constant `number`, cut to the width of `ty`.
    pub fn int(&mut self, func: &mut Function, ty: Type, number: i64) -> Value {
        let number = ty.sign_extend(number);
        let (slot, holds) = self.slot(ty, number);
        if holds {
            return slot.value;
        }
        let value = func.make_int(ty, number);
        self.intern(func, value)
    }
}

/// What an instruction becomes.
pub enum Rewrite {
    /// A value that exists.
    Value(Value),
    /// Another instruction.
    Inst(InstData),
    /// Another instruction with one more before it.
    Inner {
        /// The instruction before.
        data: InstData,
        /// What is done with its result.
        with: Outer,
    },
}

/// `op inner, value`, or with the operands exchanged.
#[derive(Clone, Copy)]
pub struct Outer {
    op: BinaryOp,
    value: Value,
}

impl Outer {
    /// The instruction.
    pub fn with(self, inner: Value) -> InstData {
        InstData::Binary { op: self.op, args: [inner, self.value] }
    }
}

fn binary(op: BinaryOp, a: Value, b: Value) -> InstData {
    InstData::Binary { op, args: [a, b] }
}

/// A cheaper form of `inst`, if there is one.
pub fn simplify(func: &mut Function, uses: &Uses, constants: &mut Constants, inst: Inst) -> Option<Rewrite> {
    let (op, [a, b]) = match *func.inst(inst) {
        InstData::Binary { op, args } => (op, args),
        InstData::Icmp { cond, args } => {
            return answer(func, constants, cond, args)
                .or_else(|| plain_condition(func, cond, args))
                .or_else(|| count_of_ones(func, uses, constants, inst, cond, args));
        }
        InstData::Half { .. } => return half_load(func, uses, inst).map(Rewrite::Inst),
        InstData::Select { cond, if_true, if_false } => return connect(func, cond, [if_true, if_false]),
        InstData::Cast { op: CastOp::Bitcast, arg } => {
            let is_same =
                func.result(inst).is_some_and(|value| func.value_type(value) == func.value_type(arg));
            return is_same.then_some(Rewrite::Value(arg));
        }
        InstData::Cast { op: CastOp::Uitofp, arg } => {
            let ty = func.value_type(arg);
            let is_positive = ty.is_scalar_int() && known_zeros(func, arg) >> (ty.bits() - 1) & 1 != 0;
            return is_positive.then_some(Rewrite::Inst(InstData::Cast { op: CastOp::Sitofp, arg }));
        }
        _ => return None,
    };
    let ty = func.value_type(a);
    if !ty.is_scalar_int() || ty == Type::I1 {
        return None;
    }
    if matches!(op, BinaryOp::Udiv | BinaryOp::Urem)
        && ty == Type::I64
        && let Some(rewrite) = divide_halves(func, constants, inst, op, [a, b])
    {
        return Some(rewrite);
    }
    let Some(constant) = func.int_value(b) else {
        if op.is_commutative() && func.int_value(a).is_some() {
            return Some(Rewrite::Inst(binary(op, b, a)));
        }
        return match op {
            BinaryOp::Add => constant_outward(func, uses, constants, a, b)
                .or_else(|| constant_outward(func, uses, constants, b, a)),
            BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr => mask_outward(func, uses, constants, inst, b)
                .map(|amount| Rewrite::Inst(binary(op, a, amount))),
            _ => None,
        };
    };
    if func.int_value(a).is_some() {
        return None;
    }
    if let Some(data) = reduce(func, constants, op, a, constant, ty) {
        return Some(Rewrite::Inst(data));
    }
    if op == BinaryOp::And
        && let Some(rewrite) = masked(func, a, b, constant as u64 & ty.int_mask())
            .or_else(|| high_bits_of_half(func, uses, constants, inst, a, constant as u64))
    {
        return Some(rewrite);
    }
    if op == BinaryOp::Or && is_sum(func, uses, inst, a, constant, ty) {
        return Some(Rewrite::Inst(binary(BinaryOp::Add, a, b)));
    }
    match op {
        BinaryOp::Sdiv | BinaryOp::Srem => divide(func, constants, inst, op, a, constant),
        BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
            let (x, inner) = constant_operand(func, op, a).filter(|&(x, _)| !takes_over(func, uses, x, a))?;
            let both = match op {
                BinaryOp::Add => inner.wrapping_add(constant),
                BinaryOp::Mul => inner.wrapping_mul(constant),
                BinaryOp::And => inner & constant,
                BinaryOp::Or => inner | constant,
                _ => inner ^ constant,
            };
            let both = constants.int(func, ty, both);
            Some(Rewrite::Inst(binary(op, x, both)))
        }
        BinaryOp::Shl if (1..=3).contains(&constant) => {
            let (x, inner) =
                constant_operand(func, BinaryOp::Add, a).filter(|&(x, _)| !takes_over(func, uses, x, a))?;
            let value = constants.int(func, ty, inner << constant);
            Some(Rewrite::Inner {
                data: binary(BinaryOp::Shl, x, b),
                with: Outer { op: BinaryOp::Add, value },
            })
        }
        _ => None,
    }
}

/// `a` under the `mask` that `b` is, without what has no bits there. Bit fields of odd widths are joined from pieces, and read
/// under masks that want one of them.
fn masked(func: &Function, a: Value, b: Value, mask: u64) -> Option<Rewrite> {
    let &InstData::Binary { op: BinaryOp::Or | BinaryOp::Xor, args } = func.inst(func.defining_inst(a)?)
    else {
        return None;
    };
    let has_none = |value| mask & !known_zeros(func, value) == 0;
    let other =
        |n: usize| (func.defining_inst(args[n]).is_some() && has_none(args[n])).then_some(args[1 - n]);
    let rest = other(1).or_else(|| other(0))?;
    Some(Rewrite::Inst(binary(BinaryOp::And, rest, b)))
}

/// The amount of a shift, which was masked and then extended or cut, as the other way round: machines that look at no more bits leave the
/// mask out.
fn mask_outward(
    func: &mut Function,
    uses: &Uses,
    constants: &mut Constants,
    inst: Inst,
    amount: Value,
) -> Option<Value> {
    let ty = func.value_type(amount);
    let &InstData::Cast { op: op @ (CastOp::Zext | CastOp::Trunc), arg } =
        func.inst(func.defining_inst(amount)?)
    else {
        return None;
    };
    let &InstData::Binary { op: BinaryOp::And, args: [x, mask] } = func.inst(func.defining_inst(arg)?) else {
        return None;
    };
    let mask = func.int_value(mask)? & func.value_type(arg).int_mask() as i64;
    let looked_at = i64::from(ty.bits()) - 1;
    if uses.count_if_known(arg) != 1 || mask & looked_at != looked_at {
        return None;
    }
    let (x, mask) = (cast_before(func, inst, op, x, ty), constants.int(func, ty, mask));
    Some(before(func, inst, BinaryOp::And, x, mask))
}

/// What a shift of 64 bits brings down of the lower half, as a shift of that.
fn high_bits_of_half(
    func: &mut Function,
    uses: &Uses,
    constants: &mut Constants,
    inst: Inst,
    a: Value,
    mask: u64,
) -> Option<Rewrite> {
    let &InstData::Binary { op: BinaryOp::Lshr, args: [x, amount] } = func.inst(func.defining_inst(a)?)
    else {
        return None;
    };
    let amount = func.int_value(amount).filter(|amount| (1..32).contains(amount))?;
    if func.value_type(a) != Type::I64 || mask != u64::from(u32::MAX >> amount) || uses.count_if_known(a) > 1
    {
        return None;
    }
    let low = cast_before(func, inst, CastOp::Trunc, x, Type::I32);
    let amount = constants.int(func, Type::I32, amount);
    let arg = before(func, inst, BinaryOp::Lshr, low, amount);
    Some(Rewrite::Inst(InstData::Cast { op: CastOp::Zext, arg }))
}

/// A boolean that is extended and compared with zero, as a boolean.
fn plain_condition(func: &Function, cond: IntCond, [a, b]: [Value; 2]) -> Option<Rewrite> {
    let InstData::Cast { op: CastOp::Zext | CastOp::Sext, arg } = *func.inst(func.defining_inst(a)?) else {
        return None;
    };
    if func.value_type(arg) != Type::I1 || func.int_value(b) != Some(0) {
        return None;
    }
    match (cond, func.inst(func.defining_inst(arg)?)) {
        (IntCond::Ne, _) => Some(Rewrite::Value(arg)),
        (IntCond::Eq, &InstData::Icmp { cond, args }) => {
            Some(Rewrite::Inst(InstData::Icmp { cond: cond.inverse(), args }))
        }
        _ => None,
    }
}

/// Whether a number has at most one bit, or just one, without counting ("Hacker's Delight" 2nd edition, chapter 2-1); compilers
/// write these questions as counts.
fn count_of_ones(
    func: &mut Function,
    uses: &Uses,
    constants: &mut Constants,
    inst: Inst,
    cond: IntCond,
    [a, b]: [Value; 2],
) -> Option<Rewrite> {
    let InstData::CallIntrinsic { op: Intrinsic::Ctpop, args, .. } = *func.inst(func.defining_inst(a)?)
    else {
        return None;
    };
    let (cond, is_one) = match (cond, func.int_value(b)?) {
        (IntCond::Ult, 2) => (IntCond::Eq, false),
        (IntCond::Ugt, 1) => (IntCond::Ne, false),
        (IntCond::Eq, 1) => (IntCond::Ugt, true),
        (IntCond::Ne, 1) => (IntCond::Ule, true),
        _ => return None,
    };
    let &[x] = func.args(args) else { return None };
    if uses.count_if_known(a) != 1 {
        return None;
    }
    let ty = func.value_type(x);
    let minus_one = constants.int(func, ty, -1);
    let less = before(func, inst, BinaryOp::Add, x, minus_one);
    let args = match is_one {
        true => [before(func, inst, BinaryOp::Xor, x, less), less],
        false => [before(func, inst, BinaryOp::And, x, less), constants.int(func, ty, 0)],
    };
    Some(Rewrite::Inst(InstData::Icmp { cond, args }))
}

/// `x op y` in front of `inst`.
fn before(func: &mut Function, inst: Inst, op: BinaryOp, x: Value, y: Value) -> Value {
    insert::before(func, inst, binary(op, x, y), func.value_type(x))
}

/// `value` as a number of `ty` in front of `inst`.
fn cast_before(func: &mut Function, inst: Inst, op: CastOp, value: Value, ty: Type) -> Value {
    insert::before(func, inst, InstData::Cast { op, arg: value }, ty)
}

/// A select of booleans as their conjunction or disjunction, where one of them says so.
fn connect(func: &Function, cond: Value, [if_true, if_false]: [Value; 2]) -> Option<Rewrite> {
    if func.value_type(cond) != Type::I1 || func.value_type(if_true) != Type::I1 {
        return None;
    }
    match [if_true, if_false].map(|value| func.int_value(value)) {
        [None, Some(0)] => Some(Rewrite::Inst(binary(BinaryOp::And, cond, if_true))),
        [Some(-1), None] => Some(Rewrite::Inst(binary(BinaryOp::Or, cond, if_false))),
        _ => None,
    }
}

/// The answer of a comparison with a constant that always gives the same.
fn answer(
    func: &mut Function,
    constants: &mut Constants,
    cond: IntCond,
    [a, b]: [Value; 2],
) -> Option<Rewrite> {
    if !func.value_type(a).is_scalar_int() {
        return None;
    }
    let holds = match (func.int_value(a), func.int_value(b)) {
        (None, Some(number)) => constant_comparison(func, cond, a, number)?,
        (Some(number), None) => constant_comparison(func, cond.swapped(), b, number)?,
        _ if a == b => cond.holds((0, 0), (0, 0)),
        _ => return None,
    };
    Some(Rewrite::Value(constants.int(func, Type::I1, i64::from(holds))))
}

/// Whether `a | constant`, the result of `inst`, is a sum that does no harm: no carry can arise, and no pair of registers
/// needs one. A number of 64 bits that is an address is in one register.
fn is_sum(func: &Function, uses: &Uses, inst: Inst, a: Value, constant: i64, ty: Type) -> bool {
    let is_address = || func.result(inst).is_some_and(|result| uses.is_only_address_if_known(result));
    let bits = constant as u64 & ty.int_mask();
    (ty == Type::I32 || is_address()) && bits & !known_zeros(func, a) == 0
}

/// `x` and `c` if `value` is `x op c`.
fn constant_operand(func: &Function, op: BinaryOp, value: Value) -> Option<(Value, i64)> {
    match *func.inst(func.defining_inst(value)?) {
        InstData::Binary { op: inner, args: [x, c] } if inner == op && !func.is_constant(x) => {
            Some((x, func.int_value(c)?))
        }
        _ => None,
    }
}

/// Whether `step`, which is computed from the phi `x`, is its next value and all that is made of it: then nothing but `step` needs a
/// register behind it.
fn takes_over(func: &Function, uses: &Uses, x: Value, step: Value) -> bool {
    uses.count_if_known(x) == 1
        && func.defining_inst(x).is_some_and(|phi| {
            matches!(*func.inst(phi), InstData::Phi { incoming }
                if func.incoming(incoming).iter().take(MAX_INCOMING).any(|&(value, _)| value == step))
        })
}

/// `(x + c) + y` as `(x + y) + c`, where the sum with the constant is not needed for itself.
fn constant_outward(
    func: &mut Function,
    uses: &Uses,
    constants: &mut Constants,
    a: Value,
    y: Value,
) -> Option<Rewrite> {
    // The address of a function or global stays with the index.
    if func.int_value(y).is_some() {
        return None;
    }
    let (x, number) = constant_operand(func, BinaryOp::Add, a)?;
    let &InstData::Binary { args: [_, value], .. } = func.inst(func.defining_inst(a)?) else { return None };
    if uses.count_if_known(a) > 1 {
        return None;
    }
    let other = constant_operand(func, BinaryOp::Add, y).filter(|_| uses.count_if_known(y) <= 1);
    let (y, value) = match other {
        Some((y, other)) => (y, constants.int(func, func.value_type(a), number.wrapping_add(other))),
        None => (y, value),
    };
    let data = binary(BinaryOp::Add, x, y);
    Some(Rewrite::Inner { data, with: Outer { op: BinaryOp::Add, value } })
}

/// The operators that a constant turns into another one.
fn reduce(
    func: &mut Function,
    constants: &mut Constants,
    op: BinaryOp,
    a: Value,
    constant: i64,
    ty: Type,
) -> Option<InstData> {
    if op == BinaryOp::Sub {
        let negative = constants.int(func, ty, constant.wrapping_neg());
        return Some(binary(BinaryOp::Add, a, negative));
    }
    let unsigned = constant as u64 & ty.int_mask();
    if !unsigned.is_power_of_two() {
        return None;
    }
    let (op, number) = match op {
        BinaryOp::Mul => (BinaryOp::Shl, i64::from(unsigned.trailing_zeros())),
        BinaryOp::Udiv => (BinaryOp::Lshr, i64::from(unsigned.trailing_zeros())),
        BinaryOp::Urem => (BinaryOp::And, (unsigned - 1) as i64),
        _ => return None,
    };
    let number = constants.int(func, ty, number);
    Some(binary(op, a, number))
}

/// Unsigned division of numbers of 64 bits that have 32 bits at most, not by a power of two.
fn divide_halves(
    func: &mut Function,
    constants: &mut Constants,
    inst: Inst,
    op: BinaryOp,
    args: [Value; 2],
) -> Option<Rewrite> {
    let is_reduced = func.int_value(args[1]).is_some_and(|n| n == 0 || (n as u64).is_power_of_two());
    let is_word = |&value: &Value| known_zeros(func, value) >> 32 == u64::from(u32::MAX);
    if is_reduced || !args.iter().rev().all(is_word) {
        return None;
    }
    let halves = args.map(|arg| match func.int_value(arg) {
        Some(number) => constants.int(func, Type::I32, number),
        None => cast_before(func, inst, CastOp::Trunc, arg, Type::I32),
    });
    let half = before(func, inst, op, halves[0], halves[1]);
    Some(Rewrite::Inst(InstData::Cast { op: CastOp::Zext, arg: half }))
}

/// Signed division by `2^k`, rounding toward zero: what the shift would round down is added first. The remainder is what is
/// left of the sum's low bits without that; words have their own rules for it.
fn divide(
    func: &mut Function,
    constants: &mut Constants,
    inst: Inst,
    op: BinaryOp,
    a: Value,
    constant: i64,
) -> Option<Rewrite> {
    let ty = func.value_type(a);
    let is_power = constant > 1 && (constant as u64).is_power_of_two();
    let is_reduced = matches!((op, ty), (BinaryOp::Sdiv, Type::I32 | Type::I64) | (_, Type::I64));
    if !is_power || !is_reduced {
        return None;
    }
    let (bits, log2) = (i64::from(ty.bits()), i64::from(constant.trailing_zeros()));
    let mut sign = a;
    if log2 > 1 {
        let amount = constants.int(func, ty, bits - 1);
        sign = before(func, inst, BinaryOp::Ashr, a, amount);
    }
    let amount = constants.int(func, ty, bits - log2);
    let bias = before(func, inst, BinaryOp::Lshr, sign, amount);
    let sum = before(func, inst, BinaryOp::Add, a, bias);
    if op == BinaryOp::Srem {
        let mask = constants.int(func, ty, constant - 1);
        let low = before(func, inst, BinaryOp::And, sum, mask);
        return Some(Rewrite::Inst(binary(BinaryOp::Sub, low, bias)));
    }
    let amount = constants.int(func, ty, log2);
    Some(Rewrite::Inst(binary(BinaryOp::Ashr, sum, amount)))
}
