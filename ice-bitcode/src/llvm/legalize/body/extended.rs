//! `x86_fp80`, the 80-bit format of the x87 unit: the significand with its leading one, then sign and exponent in the
//! low 16 bits of a second part (Intel manual, volume 1, 8.2).
//!
//! What only moves bits (signs, classes, to integers) is done on the parts; arithmetic, comparisons and rounding are
//! done by the unit. A result has a place of its own in the frame, where other operations find it as an operand: it is written
//! where the value is defined and nowhere else. The parts that nobody asks for are not read. What is no such result goes through
//! temporaries that all operations share.
//!
//! As an argument the number is 16 bytes of memory on x86-64 and 12 on i386; as a result it is on the stack of the
//! unit, from which it is taken right after the call (System V ABI, 3.2.3; i386 supplement, 2.2.3).

use alloc::vec::Vec;

use ice_ir::{BinaryOp, CastOp, ExtendedOp, FloatCond, IntCond, Intrinsic, TailHint, Type, Value};

use super::integer::Sign;
use super::values::{Operand, Run};
use super::{Body, Checked, fail, unsupported};
use crate::error::Error;
use crate::llvm::legalize::legal::int_type;
use crate::llvm::legalize::shape::Scalar;
use crate::llvm::legalize::signature::Role;

/// Exponent of a significand that is an integer.
pub(super) const INTEGER_EXPONENT: i64 = 16383 + 63;
pub(super) const SIGN: i64 = 0x8000;
pub(super) const EXPONENT: i64 = 0x7fff;
/// The leading one of a significand, and the bit that makes a NaN quiet.
pub(super) const LEADING: i64 = i64::MIN;
const QUIET: i64 = 1 << 62;

/// Most results of a function that have places of their own: 2 KiB of its frame.
const MAX_PLACES: usize = 128;

/// What a value that is passed is to the signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Argument {
    /// The argument for a parameter.
    Fixed,
    /// One of the variable arguments.
    Variable,
    /// The result of the function.
    Result,
}

impl Argument {
    pub(super) fn role(self) -> Role {
        if self == Argument::Result { Role::Result } else { Role::Argument }
    }
}

/// The bits of the `f32` that is exactly this number.
fn as_single(significand: i64, upper: i64) -> Option<u32> {
    let (sign, exponent) = ((upper & SIGN) as u32 >> 15 << 31, upper & EXPONENT);
    if significand == 0 && exponent == 0 {
        return Some(sign);
    }
    let exponent = exponent - 0x3fff + 0x7f;
    let is_exact = significand < 0 && significand << 24 == 0 && (1..0xff).contains(&exponent);
    is_exact.then_some(sign | (exponent as u32) << 23 | (significand >> 40) as u32 & 0x7f_ffff)
}

impl Body<'_, '_> {
    // ---- temporaries

    /// The temporary for the result, and those for two operands.
    fn extended_temporaries(&mut self) -> Checked<[Value; 3]> {
        if let Some(known) = self.s.extended {
            return Ok(known);
        }
        let made = [self.slot(16, 4)?, self.slot(16, 4)?, self.slot(16, 4)?];
        self.s.extended = Some(made);
        Ok(made)
    }

    fn store_extended(&mut self, address: Value, number: Run) {
        self.b.store(address, self.get(number, 0), 4);
        let high = self.get(number, 1);
        let high = self.resize_zero(high, Type::I16);
        let place = self.offset(address, 8);
        self.b.store(place, high, 3);
    }

    pub(super) fn load_extended(&mut self, address: Value) -> Run {
        let low = self.b.load(Type::I64, address, 4);
        let place = self.offset(address, 8);
        let high = self.b.load(Type::I16, place, 3);
        let high = self.resize_zero(high, Type::I64);
        let out = self.reserve(2);
        self.set(out, 0, low);
        self.set(out, 1, high);
        out
    }

    /// A place for a result.
    fn extended_place(&mut self) -> Checked<Value> {
        match self.s.extended_places.len() < MAX_PLACES {
            true => self.slot(16, 4),
            false => Ok(self.extended_temporaries()?[0]),
        }
    }

    /// A result that an operation has left in a place of [`Self::extended_place`].
    fn extended_result(&mut self, place: Value) -> Run {
        let out = self.load_extended(place);
        self.note_place(out, place);
        out
    }

    /// Notes that the number is in this place as long as it lives.
    fn note_place(&mut self, number: Run, place: Value) {
        if self.s.extended_places.len() < MAX_PLACES {
            let [low, high] = [0, 1].map(|part| self.get(number, part));
            self.s.extended_places.insert(low, (high, place));
        }
    }

    /// How an operation names the operand `number`: a constant by its bits as an `f32`, others by where they are in memory: in
    /// their place, or in this temporary.
    fn extended_operand(&mut self, number: Run, temporary: Value) -> Checked<Value> {
        let [low, high] = [0, 1].map(|part| self.get(number, part));
        match self.s.extended_places.get(&low) {
            Some(&(of_place, place)) if of_place == high => return Ok(place),
            _ => {}
        }
        if let [Some(significand), Some(upper)] = [low, high].map(|part| self.b.func.int_value(part))
            && let Some(bits) = as_single(significand, upper)
        {
            return Ok(self.int(self.pointer(), i64::from(bits as i32)));
        }
        self.store_extended(temporary, number);
        Ok(temporary)
    }

    /// The operation on memory.
    fn extended_unit(&mut self, op: ExtendedOp, to: Value, a: Value, b: Value) -> Checked<()> {
        let code = self.i32(op.code());
        self.intrinsic_void(Intrinsic::Extended, Type::Void, &[code, to, a, b])
    }

    // ---- arithmetic

    /// `a op b`.
    pub(super) fn extended_binary(&mut self, op: BinaryOp, a: Run, b: Run) -> Checked<Run> {
        let op = match op {
            BinaryOp::Fadd => ExtendedOp::Add,
            BinaryOp::Fsub => ExtendedOp::Sub,
            BinaryOp::Fmul => ExtendedOp::Mul,
            BinaryOp::Fdiv => ExtendedOp::Div,
            _ => return self.extended_library("fmod", &[a, b]),
        };
        let [_, x, y] = self.extended_temporaries()?;
        let (x, y) = (self.extended_operand(a, x)?, self.extended_operand(b, y)?);
        let to = self.extended_place()?;
        self.extended_unit(op, to, x, y)?;
        Ok(self.extended_result(to))
    }

    pub(super) fn extended_sqrt(&mut self, a: Run) -> Checked<Run> {
        let [_, x, _] = self.extended_temporaries()?;
        let (to, x) = (self.extended_place()?, self.extended_operand(a, x)?);
        self.extended_unit(ExtendedOp::Sqrt, to, x, x)?;
        Ok(self.extended_result(to))
    }

    /// A comparison, from the condition bits of the unit.
    pub(super) fn extended_compare(&mut self, cond: FloatCond, a: Run, b: Run) -> Checked<Value> {
        const LESS: i64 = 0x100;
        const EQUAL: i64 = 0x4000;
        const NO_ORDER: i64 = 0x400;
        use FloatCond::*;
        use IntCond::{Eq, Ne};
        // The bits that count, and what they are compared with. Numbers without order set all bits.
        let (is_swapped, bits, cond, number) = match cond {
            False => return Ok(self.int(Type::I1, 0)),
            True => return Ok(self.int(Type::I1, 1)),
            Oeq => (false, EQUAL | NO_ORDER, Eq, EQUAL),
            Une => (false, EQUAL | NO_ORDER, Ne, EQUAL),
            One => (false, EQUAL, Eq, 0),
            Ueq => (false, EQUAL, Ne, 0),
            Ord => (false, NO_ORDER, Eq, 0),
            Uno => (false, NO_ORDER, Ne, 0),
            Ogt => (false, LESS | EQUAL, Eq, 0),
            Ule => (false, LESS | EQUAL, Ne, 0),
            Oge => (false, LESS, Eq, 0),
            Ult => (false, LESS, Ne, 0),
            Olt => (true, LESS | EQUAL, Eq, 0),
            Uge => (true, LESS | EQUAL, Ne, 0),
            Ole => (true, LESS, Eq, 0),
            Ugt => (true, LESS, Ne, 0),
        };
        let (a, b) = if is_swapped { (b, a) } else { (a, b) };
        let [to, x, y] = self.extended_temporaries()?;
        let (x, y) = (self.extended_operand(a, x)?, self.extended_operand(b, y)?);
        self.extended_unit(ExtendedOp::Compare, to, x, y)?;
        let word = self.b.load(Type::I16, to, 4);
        let word = self.resize_zero(word, Type::I32);
        let word = self.bin_int(BinaryOp::And, word, bits);
        Ok(self.icmp_int(cond, word, number))
    }

    // ---- signs

    /// The significand of `a` under other upper bits.
    fn with_upper(&mut self, a: Run, upper: Value) -> Run {
        let out = self.reserve(2);
        self.copy(out, 0, a.part(0, 1));
        self.set(out, 1, upper);
        out
    }

    pub(super) fn extended_neg(&mut self, a: Run) -> Run {
        let upper = self.bin_int(BinaryOp::Xor, self.get(a, 1), SIGN);
        self.with_upper(a, upper)
    }

    pub(super) fn extended_abs(&mut self, a: Run) -> Run {
        let upper = self.bin_int(BinaryOp::And, self.get(a, 1), EXPONENT);
        self.with_upper(a, upper)
    }

    pub(super) fn extended_copysign(&mut self, a: Run, sign: Run) -> Run {
        let exponent = self.bin_int(BinaryOp::And, self.get(a, 1), EXPONENT);
        let sign = self.bin_int(BinaryOp::And, self.get(sign, 1), SIGN);
        let upper = self.bin(BinaryOp::Or, exponent, sign);
        self.with_upper(a, upper)
    }

    /// Whether the number belongs to one of the classes of `mask` (LLVM language reference, `llvm.is.fpclass`). What
    /// the unit does not take for a number, because it lacks its leading one, is a NaN, as in the C library, but neither a
    /// quiet nor a signalling one.
    pub(super) fn extended_class(&mut self, a: Run, mask: i64) -> Value {
        if matches!(mask, 0x3fd | 0x3fe) {
            let other = self.extended_class(a, mask ^ 0x3ff);
            return self.bool_not(other);
        }
        let (significand, upper) = (self.get(a, 0), self.get(a, 1));
        let exponent = self.bin_int(BinaryOp::And, upper, EXPONENT);
        let sign = self.bin_int(BinaryOp::And, upper, SIGN);
        let is_negative = self.icmp_int(IntCond::Ne, sign, 0);
        let is_positive = self.bool_not(is_negative);
        let is_led = self.icmp_int(IntCond::Slt, significand, 0);
        let is_least = self.icmp_int(IntCond::Eq, exponent, 0);
        let is_most = self.icmp_int(IntCond::Eq, exponent, EXPONENT);
        let is_nothing = self.icmp_int(IntCond::Eq, significand, 0);
        let is_something = self.bool_not(is_nothing);
        let is_one = self.icmp_int(IntCond::Eq, significand, LEADING);
        let and = |cx: &mut Self, x, y| cx.bin(BinaryOp::And, x, y);
        let zero = and(self, is_least, is_nothing);
        let subnormal = and(self, is_least, is_something);
        let between = self.bin(BinaryOp::Or, is_least, is_most);
        let between = self.bool_not(between);
        let normal = and(self, between, is_led);
        let infinite = and(self, is_most, is_one);
        let number = [zero, subnormal, normal, infinite].into_iter();
        let number = number.reduce(|x, y| self.bin(BinaryOp::Or, x, y)).unwrap_or(zero);
        let is_nan = self.bool_not(number);
        let quiet = self.bin_int(BinaryOp::And, significand, LEADING | QUIET);
        let is_quiet = self.icmp_int(IntCond::Eq, quiet, LEADING | QUIET);
        let is_quiet = and(self, is_most, is_quiet);
        let signalling = match mask & 3 {
            3 => is_nan,
            _ => {
                let is_loud = self.bool_not(is_quiet);
                let is_led = and(self, is_led, is_loud);
                and(self, is_nan, is_led)
            }
        };
        let classes = [zero, subnormal, normal, infinite, signalling, is_quiet];
        self.class_union(mask, [is_negative, is_positive], classes)
    }

    // ---- conversions

    /// A conversion from or to the format.
    pub(super) fn extended_cast(&mut self, op: CastOp, from: Scalar, to: Scalar, a: Run) -> Checked<Run> {
        match (from, to) {
            (Scalar::Extended, Scalar::Extended) => Ok(a),
            (Scalar::Int(bits @ ..=64), _) => {
                let sign = if op == CastOp::Sitofp { Sign::Signed } else { Sign::Unsigned };
                let value = self.extended(bits, self.get(a, 0), sign, Type::I64);
                match sign == Sign::Signed || bits < 64 {
                    true => self.extended_from(ExtendedOp::FromLong, value),
                    false => self.long_to_extended(value),
                }
            }
            (_, Scalar::Int(bits @ ..=64)) => {
                let value = self.extended_to_int(a);
                let value = self.resize_zero(value, int_type(bits));
                Ok(self.push(value))
            }
            (Scalar::Int(bits), _) => {
                let sign = if op == CastOp::Sitofp { Sign::Signed } else { Sign::Unsigned };
                let limbs = self.limbs_of_int(bits, a, sign);
                self.wide_to_extended(sign, limbs)
            }
            (_, Scalar::Int(bits)) => {
                let sign = if op == CastOp::Fptosi { Sign::Signed } else { Sign::Unsigned };
                Ok(self.extended_to_wide(sign, a, bits))
            }
            (Scalar::Extended, Scalar::Float | Scalar::Double) => {
                let [place, x, _] = self.extended_temporaries()?;
                let x = self.extended_operand(a, x)?;
                let op = if to == Scalar::Float { ExtendedOp::ToSingle } else { ExtendedOp::ToDouble };
                self.extended_unit(op, place, x, x)?;
                let value = self.b.load(to.part(), place, 4);
                Ok(self.push(value))
            }
            (Scalar::Extended, _) => unsupported("a conversion from x86_fp80 to 16 bits"),
            (from, _) => {
                let value = self.float_extend(from, self.get(a, 0));
                let is_single = self.ty_of(value) == Type::F32;
                self.extended_from(
                    if is_single { ExtendedOp::FromSingle } else { ExtendedOp::FromDouble },
                    value,
                )
            }
        }
    }

    /// A number in a register, by an operation that reads it from memory.
    fn extended_from(&mut self, op: ExtendedOp, value: Value) -> Checked<Run> {
        let [_, x, _] = self.extended_temporaries()?;
        let place = self.extended_place()?;
        self.b.store(x, value, 4);
        self.extended_unit(op, place, x, x)?;
        Ok(self.extended_result(place))
    }

    /// 64 bits without sign. Exact: the significand is the number, shifted until its first one leads.
    fn long_to_extended(&mut self, value: Value) -> Checked<Run> {
        let of_zero = self.int(Type::I1, 0);
        let zeros = self.intrinsic(Intrinsic::Ctlz, Type::I64, &[value, of_zero])?;
        let within = self.bin_int(BinaryOp::And, zeros, 63);
        let significand = self.bin(BinaryOp::Shl, value, within);
        let most = self.i64(INTEGER_EXPONENT);
        let exponent = self.bin(BinaryOp::Sub, most, zeros);
        let is_zero = self.icmp_int(IntCond::Eq, value, 0);
        let none = self.i64(0);
        let exponent = self.choose(is_zero, none, exponent);
        let out = self.reserve(2);
        self.set(out, 0, significand);
        self.set(out, 1, exponent);
        Ok(out)
    }

    /// Toward zero, as an `i64`.
    fn extended_to_int(&mut self, a: Run) -> Value {
        let (significand, upper) = (self.get(a, 0), self.get(a, 1));
        let exponent = self.bin_int(BinaryOp::And, upper, EXPONENT);
        let integer = self.i64(INTEGER_EXPONENT);
        let shift = self.bin(BinaryOp::Sub, integer, exponent);
        let size = self.extended_whole(significand, shift);
        let zero = self.i64(0);
        let sign = self.bin_int(BinaryOp::And, upper, SIGN);
        let is_negative = self.icmp_int(IntCond::Ne, sign, 0);
        let negated = self.bin(BinaryOp::Sub, zero, size);
        self.choose(is_negative, negated, size)
    }

    /// A significand shifted down; nothing of it if that is by more bits than it has.
    pub(super) fn extended_whole(&mut self, significand: Value, shift: Value) -> Value {
        let is_fraction = self.icmp_int(IntCond::Ugt, shift, 63);
        let within = self.bin_int(BinaryOp::And, shift, 63);
        let size = self.bin(BinaryOp::Lshr, significand, within);
        let zero = self.i64(0);
        self.choose(is_fraction, zero, size)
    }

    // ---- calls

    /// Appends a number as arguments of a call.
    pub(super) fn pass_extended(
        &mut self,
        number: Run,
        argument: Argument,
        args: &mut Vec<Value>,
    ) -> Checked<()> {
        if self.m.legal.machine().extended_params.len() == 2 {
            args.push(self.get(number, 0));
            let upper = self.resize_zero(self.get(number, 1), Type::I32);
            args.push(upper);
            return Ok(());
        }
        let place = self.argument_place()?;
        self.store_extended(place, number);
        args.push(match argument {
            Argument::Fixed | Argument::Result => place,
            Argument::Variable => self.by_value(place, 16, 4)?,
        });
        Ok(())
    }

    /// A number from the parameters that it arrives in.
    pub(super) fn unpass_extended(
        &mut self,
        next: &mut impl FnMut(&mut Self) -> Checked<Value>,
    ) -> Checked<Run> {
        let first = next(self)?;
        if self.m.legal.machine().extended_params.len() == 1 {
            let number = self.load_extended(first);
            self.note_place(number, first);
            return Ok(number);
        }
        let upper = next(self)?;
        let upper = self.resize_zero(upper, Type::I64);
        let out = self.reserve(2);
        self.set(out, 0, first);
        self.set(out, 1, upper);
        Ok(out)
    }

    /// The results of the call just made, as `parts` parts.
    pub(super) fn extended_results(&mut self, parts: u32) -> Checked<Run> {
        let out = self.reserve(parts);
        for at in (0..parts).step_by(2) {
            let place = self.extended_place()?;
            self.extended_unit(ExtendedOp::Result, place, place, place)?;
            let number = self.extended_result(place);
            self.copy(out, at, number);
        }
        Ok(out)
    }

    /// Gives the results of the function; the first one ends on top.
    pub(super) fn return_extended(&mut self, value: Operand) -> Checked<()> {
        let run = self.run(value);
        let [_, x, _] = self.extended_temporaries()?;
        for at in (0..run.len).step_by(2).rev() {
            let x = self.extended_operand(run.part(at, 2), x)?;
            self.extended_unit(ExtendedOp::Return, x, x, x)?;
        }
        Ok(())
    }

    /// A call of a function of libm for `long double`, by its name for `double`.
    pub(super) fn extended_library(&mut self, name: &'static str, numbers: &[Run]) -> Checked<Run> {
        self.extended_procedure(name, numbers)?;
        self.extended_results(2)
    }

    /// The same of a function that leaves its results in memory.
    pub(super) fn extended_procedure(&mut self, name: &'static str, numbers: &[Run]) -> Checked<()> {
        let Some(callee) = self.p.runtime.extended_function(name) else { return unsupported(name) };
        let mut args = Vec::new();
        self.s.memory_arguments = 0;
        for &number in numbers {
            match number.len {
                2 => self.pass_extended(number, Argument::Fixed, &mut args)?,
                _ => args.push(self.get(number, 0)),
            }
        }
        let types = args.iter().map(|&value| self.ty_of(value));
        if !types.eq(self.m.module.signature(callee).params.iter().copied()) {
            return fail(Error::ArgumentCount { passed: numbers.len(), expected: 1 });
        }
        self.b.call(callee, &args, Type::Void, TailHint::None);
        Ok(())
    }
}
