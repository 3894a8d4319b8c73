//! Integers of any width up to 64 bits, in the next wider ICE type.
//!
//! Invariant: bits of the container above the width are unspecified. Addition, subtraction, multiplication, logic
//! and left shifts keep the low bits right whatever those are; all else extends its operands inside of the container
//! first, with [`zero_above`](Body::zero_above) or [`sign_above`](Body::sign_above) (legalisation by promotion).
//! An `i1` has only the operations of logic.

use ice_ir::{BinaryOp, CastOp, IntCond, Intrinsic, Type, Value};

use super::{Body, Checked};
use crate::llvm::legalize::legal::int_type;

impl Body<'_, '_> {
    /// `value` of `bits` bits with zeros above them.
    pub(super) fn zero_above(&mut self, value: Value, bits: u32) -> Value {
        let ty = self.ty_of(value);
        if ty.bits() == bits {
            return value;
        }
        let mask = (u64::MAX >> (64 - bits)) as i64;
        match self.b.func.int_value(value) {
            Some(number) => self.int(ty, number & mask),
            None => self.bin_int(BinaryOp::And, value, mask),
        }
    }

    /// `value` of `bits` bits with copies of the sign above them.
    pub(super) fn sign_above(&mut self, value: Value, bits: u32) -> Value {
        let ty = self.ty_of(value);
        if ty.bits() == bits {
            return value;
        }
        if let Some(number) = self.b.func.int_value(value) {
            let unused = 64 - bits;
            return self.int(ty, number << unused >> unused);
        }
        let unused = i64::from(ty.bits() - bits);
        let high = self.bin_int(BinaryOp::Shl, value, unused);
        self.bin_int(BinaryOp::Ashr, high, unused)
    }

    /// `a op b` on integers of `bits` bits.
    pub(super) fn int_binary(&mut self, op: BinaryOp, bits: u32, a: Value, b: Value) -> Value {
        use BinaryOp::*;
        if bits == 1 {
            return self.bool_binary(op, a, b);
        }
        if self.ty_of(a).bits() == bits {
            return self.b.binary(op, a, b);
        }
        let (a, b) = match op {
            Udiv | Urem => (self.zero_above(a, bits), self.zero_above(b, bits)),
            Sdiv | Srem => (self.sign_above(a, bits), self.sign_above(b, bits)),
            Shl => (a, self.zero_above(b, bits)),
            Lshr => (self.zero_above(a, bits), self.zero_above(b, bits)),
            Ashr => (self.sign_above(a, bits), self.zero_above(b, bits)),
            _ => (a, b),
        };
        self.b.binary(op, a, b)
    }

    /// Arithmetic modulo 2. Division by 0 and shifts by 1 are undefined, which leaves one result.
    pub(super) fn bool_binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        use BinaryOp::*;
        match op {
            Add | Sub => self.b.binary(Xor, a, b),
            Mul => self.b.binary(And, a, b),
            Udiv | Sdiv | Shl | Lshr | Ashr => a,
            Urem | Srem => self.b.binary(Xor, a, a),
            op => self.b.binary(op, a, b),
        }
    }

    /// `not a`, of an `i1` or lanes of it.
    pub(super) fn bool_not(&mut self, a: Value) -> Value {
        match self.ty_of(a) {
            Type::I1 => self.bin_int(BinaryOp::Xor, a, 1),
            ty => {
                let ones = self.all_ones(ty);
                self.b.binary(BinaryOp::Xor, a, ones)
            }
        }
    }

    /// `a cond b` on integers of `bits` bits.
    pub(super) fn int_compare(&mut self, cond: IntCond, bits: u32, a: Value, b: Value) -> Value {
        use IntCond::*;
        if bits == 1 {
            return self.bool_compare(cond, a, b);
        }
        if self.ty_of(a).bits() == bits {
            return self.b.icmp(cond, a, b);
        }
        let (a, b) = match cond {
            Sgt | Sge | Slt | Sle => (self.sign_above(a, bits), self.sign_above(b, bits)),
            _ => (self.zero_above(a, bits), self.zero_above(b, bits)),
        };
        self.b.icmp(cond, a, b)
    }

    /// A comparison of booleans or of lanes of them: a signed `true` is -1.
    pub(super) fn bool_compare(&mut self, cond: IntCond, a: Value, b: Value) -> Value {
        use IntCond::*;
        match cond {
            Ne => self.b.binary(BinaryOp::Xor, a, b),
            Eq => {
                let differ = self.b.binary(BinaryOp::Xor, a, b);
                self.bool_not(differ)
            }
            Ugt | Slt => {
                let not = self.bool_not(b);
                self.b.binary(BinaryOp::And, a, not)
            }
            Uge | Sle => {
                let not = self.bool_not(b);
                self.b.binary(BinaryOp::Or, a, not)
            }
            Ult | Sgt => self.bool_compare(Ugt, b, a),
            Ule | Sge => self.bool_compare(Uge, b, a),
        }
    }

    // ---- bits

    /// A bit count, swap or reversal of `bits` bits.
    pub(super) fn int_bits(&mut self, op: BitOp, bits: u32, value: Value) -> Checked<Value> {
        let ty = int_type(bits);
        match op {
            BitOp::Ctpop | BitOp::Ctlz | BitOp::Cttz => {
                let wide = if bits <= 32 { Type::I32 } else { Type::I64 };
                let zero = self.zero_above(value, bits);
                let zero = self.resize_zero(zero, wide);
                let count = match op {
                    BitOp::Ctpop => self.intrinsic(Intrinsic::Ctpop, wide, &[zero])?,
                    BitOp::Ctlz => {
                        let flag = self.int(Type::I1, 0);
                        let count = self.intrinsic(Intrinsic::Ctlz, wide, &[zero, flag])?;
                        self.bin_int(BinaryOp::Sub, count, i64::from(wide.bits() - bits))
                    }
                    _ => {
                        // A one above the width stops the count there.
                        let stopped = match wide.bits() == bits {
                            true => zero,
                            false => self.bin_int(BinaryOp::Or, zero, 1 << bits),
                        };
                        let flag = self.int(Type::I1, -i64::from(wide.bits() != bits));
                        self.intrinsic(Intrinsic::Cttz, wide, &[stopped, flag])?
                    }
                };
                Ok(self.resize_zero(count, ty))
            }
            BitOp::Bswap => {
                if bits == 8 {
                    return Ok(value);
                }
                let swapped = self.intrinsic(Intrinsic::Bswap, ty, &[value])?;
                Ok(self.shift_down(swapped, ty.bits() - bits))
            }
            BitOp::Bitreverse => {
                if bits == 1 {
                    return Ok(value);
                }
                let wide = if bits <= 32 { Type::I32 } else { Type::I64 };
                let mut value = self.resize_zero(value, wide);
                if self.m.legal.machine().reverses_bits {
                    let reversed = self.intrinsic(Intrinsic::Bitreverse, wide, &[value])?;
                    let down = self.shift_down(reversed, wide.bits() - bits);
                    return Ok(self.resize_zero(down, ty));
                }
                if bits == 8 {
                    let reversed = self.reverse_in_bytes(value, 0xff);
                    return Ok(self.resize_zero(reversed, ty));
                }
                if wide == Type::I64 && self.pointer() == Type::I32 {
                    let upper = self.bin_int(BinaryOp::Lshr, value, 32);
                    let [low, high] = [value, upper].map(|half| self.resize_zero(half, Type::I32));
                    let (low, high) = (self.reverse_bits(low)?, self.reverse_bits(high)?);
                    let [low, high] = [low, high].map(|half| self.resize_zero(half, Type::I64));
                    let low = self.bin_int(BinaryOp::Shl, low, 32);
                    value = self.bin(BinaryOp::Or, low, high);
                } else {
                    value = self.reverse_bits(value)?;
                }
                let down = self.shift_down(value, wide.bits() - bits);
                Ok(self.resize_zero(down, ty))
            }
        }
    }

    /// The bits of a number of 32 or 64 in the opposite order.
    fn reverse_bits(&mut self, value: Value) -> Checked<Value> {
        let swapped = self.intrinsic(Intrinsic::Bswap, self.ty_of(value), &[value])?;
        Ok(self.reverse_in_bytes(swapped, -1))
    }

    /// The bits of each byte of `value` in the opposite order, for those under `all`: swaps neighbours of 4, 2 and 1 bits
    /// (Warren, Hacker's Delight, 7-1). Sums take in the shifts on some machines.
    fn reverse_in_bytes(&mut self, mut value: Value, all: i64) -> Value {
        for (shift, mask) in
            [(4, 0x0f0f_0f0f_0f0f_0f0f), (2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555)]
        {
            let high = self.bin_int(BinaryOp::Lshr, value, shift);
            let high = self.bin_int(BinaryOp::And, high, mask & all);
            let low = self.bin_int(BinaryOp::And, value, mask & all);
            let low = self.bin_int(BinaryOp::Shl, low, shift);
            value = self.bin(BinaryOp::Add, high, low);
        }
        value
    }

    fn shift_down(&mut self, value: Value, by: u32) -> Value {
        if by == 0 { value } else { self.bin_int(BinaryOp::Lshr, value, by.into()) }
    }

    // ---- extremes and saturation

    /// `cond(a, b) ? a : b`.
    pub(super) fn int_pick(&mut self, cond: IntCond, bits: u32, a: Value, b: Value) -> Value {
        let first = self.int_compare(cond, bits, a, b);
        self.choose(first, a, b)
    }

    /// `a op b` and whether it overflows, for addition, subtraction and multiplication.
    pub(super) fn int_overflow(
        &mut self,
        op: BinaryOp,
        sign: Sign,
        bits: u32,
        a: Value,
        b: Value,
    ) -> (Value, Value) {
        let ty = self.ty_of(a);
        if ty == Type::I1 {
            let wide = |cx: &mut Self, v| match sign {
                Sign::Signed => cx.cast(CastOp::Sext, v, Type::I8),
                Sign::Unsigned => cx.cast(CastOp::Zext, v, Type::I8),
            };
            let (x, y) = (wide(self, a), wide(self, b));
            let exact = self.bin(op, x, y);
            let result = self.cast(CastOp::Trunc, exact, Type::I1);
            let back = wide(self, result);
            return (result, self.icmp(IntCond::Ne, back, exact));
        }
        // Where the container has room for the exact result, or a wider one exists, compare with it.
        let needed = if op == BinaryOp::Mul { 2 * bits } else { bits + 1 };
        if needed <= 64 && (ty.bits() != bits || op == BinaryOp::Mul) {
            let wide = int_type(needed.max(ty.bits()));
            let extend = |cx: &mut Self, v| match sign {
                Sign::Signed => {
                    let v = cx.sign_above(v, bits);
                    cx.resize_sign(v, wide)
                }
                Sign::Unsigned => {
                    let v = cx.zero_above(v, bits);
                    cx.resize_zero(v, wide)
                }
            };
            let (x, y) = (extend(self, a), extend(self, b));
            let exact = self.bin(op, x, y);
            let result = self.resize_zero(exact, ty);
            let back = extend(self, result);
            return (result, self.icmp(IntCond::Ne, back, exact));
        }
        if op == BinaryOp::Mul {
            return self.mul_overflow_64(sign, bits, a, b);
        }
        // Now the container is exact (Warren, Hacker's Delight, 2-13).
        let result = self.bin(op, a, b);
        let overflow = match (sign, op) {
            (Sign::Unsigned, BinaryOp::Add) => self.icmp(IntCond::Ult, result, a),
            (Sign::Unsigned, _) => self.icmp(IntCond::Ult, a, b),
            (Sign::Signed, BinaryOp::Add) => {
                let (x, y) = (self.bin(BinaryOp::Xor, result, a), self.bin(BinaryOp::Xor, result, b));
                let both = self.bin(BinaryOp::And, x, y);
                self.icmp_int(IntCond::Slt, both, 0)
            }
            (Sign::Signed, _) => {
                let (x, y) = (self.bin(BinaryOp::Xor, a, b), self.bin(BinaryOp::Xor, result, a));
                let both = self.bin(BinaryOp::And, x, y);
                self.icmp_int(IntCond::Slt, both, 0)
            }
        };
        (result, overflow)
    }

    /// Multiplication of more than 32 bits.
    fn mul_overflow_64(&mut self, sign: Sign, bits: u32, a: Value, b: Value) -> (Value, Value) {
        let (a, b) = match sign {
            Sign::Signed => (self.sign_above(a, bits), self.sign_above(b, bits)),
            Sign::Unsigned => (self.zero_above(a, bits), self.zero_above(b, bits)),
        };
        if bits == 64 && self.m.module.pointer_type == Type::I32 {
            return match sign {
                Sign::Unsigned => self.mul_overflow_of_words(a, b),
                Sign::Signed => self.mul_overflow_of_sizes(a, b),
            };
        }
        let low = self.bin(BinaryOp::Mul, a, b);
        let high = self.high_product(sign, a, b);
        let overflow = match sign {
            Sign::Unsigned if bits == 64 => self.icmp_int(IntCond::Ne, high, 0),
            Sign::Unsigned => {
                let above = self.bin_int(BinaryOp::Lshr, low, bits.into());
                let any = self.bin(BinaryOp::Or, high, above);
                self.icmp_int(IntCond::Ne, any, 0)
            }
            Sign::Signed => {
                let back = self.sign_above(low, bits);
                let differ = self.bin(BinaryOp::Xor, back, low);
                let signs = self.bin_int(BinaryOp::Ashr, low, 63);
                let rest = self.bin(BinaryOp::Xor, signs, high);
                let any = self.bin(BinaryOp::Or, differ, rest);
                self.icmp_int(IntCond::Ne, any, 0)
            }
        };
        (low, overflow)
    }

    /// The product of two `i64` without sign, where registers have 32 bits, and whether it overflows: where both have a high
    /// half, a product of a high half has one, or the sum of the high halves does (Warren, Hacker's Delight, 2-13).
    fn mul_overflow_of_words(&mut self, a: Value, b: Value) -> (Value, Value) {
        let low_half = |cx: &mut Self, v| cx.cast(CastOp::Trunc, v, Type::I32);
        let high_half = |cx: &mut Self, v| {
            let down = cx.bin_int(BinaryOp::Lshr, v, 32);
            cx.cast(CastOp::Trunc, down, Type::I32)
        };
        let [a0, b0] = [a, b].map(|v| low_half(self, v));
        let [a1, b1] = [a, b].map(|v| high_half(self, v));
        let [least, first, second] = [(a0, b0), (a1, b0), (a0, b1)].map(|(x, y)| {
            let [x, y] = [x, y].map(|v| self.cast(CastOp::Zext, v, Type::I64));
            self.bin(BinaryOp::Mul, x, y)
        });
        let [first0, second0] = [first, second].map(|v| low_half(self, v));
        let [least1, first1, second1] = [least, first, second].map(|v| high_half(self, v));
        let cross = self.bin(BinaryOp::Add, first0, second0);
        let high = self.bin(BinaryOp::Add, least1, cross);
        let carries = self.icmp(IntCond::Ult, high, least1);
        let [has_a, has_b] = [a1, b1].map(|v| self.icmp_int(IntCond::Ne, v, 0));
        let have_both = self.bin(BinaryOp::And, has_a, has_b);
        let above = self.bin(BinaryOp::Or, first1, second1);
        let is_above = self.icmp_int(IntCond::Ne, above, 0);
        let any = self.bin(BinaryOp::Or, carries, have_both);
        let overflow = self.bin(BinaryOp::Or, any, is_above);
        let up = self.cast(CastOp::Zext, high, Type::I64);
        let up = self.bin_int(BinaryOp::Shl, up, 32);
        let down = self.bin_int(BinaryOp::And, least, 0xffff_ffff);
        (self.bin(BinaryOp::Or, up, down), overflow)
    }

    /// The same with sign: that of the sizes, whose sign must be the product's unless that is zero.
    fn mul_overflow_of_sizes(&mut self, a: Value, b: Value) -> (Value, Value) {
        let masks = [a, b].map(|v| self.bin_int(BinaryOp::Ashr, v, 63));
        let [x, y] = [(a, masks[0]), (b, masks[1])].map(|(v, mask)| {
            let turned = self.bin(BinaryOp::Xor, v, mask);
            self.bin(BinaryOp::Sub, turned, mask)
        });
        let (size, is_large) = self.mul_overflow_of_words(x, y);
        let mask = self.bin(BinaryOp::Xor, masks[0], masks[1]);
        let turned = self.bin(BinaryOp::Xor, size, mask);
        let product = self.bin(BinaryOp::Sub, turned, mask);
        // A size of 2^63 and more is negative, and its product has the wrong sign, but -2^63.
        let wrong = self.bin(BinaryOp::Xor, product, mask);
        let is_wrong = self.icmp_int(IntCond::Slt, wrong, 0);
        let is_something = self.icmp_int(IntCond::Ne, product, 0);
        let is_wrong = self.bin(BinaryOp::And, is_wrong, is_something);
        (product, self.bin(BinaryOp::Or, is_large, is_wrong))
    }

    /// The high 64 bits of the product of two `i64`.
    pub(super) fn high_product(&mut self, sign: Sign, a: Value, b: Value) -> Value {
        let is_native = self.m.module.pointer_type == Type::I64;
        let native = if is_native { self.intrinsic_one(Intrinsic::MulHigh, &[a, b]).ok() } else { None };
        let mut high = native.unwrap_or_else(|| self.high_product_of_halves(a, b));
        if sign == Sign::Signed {
            for (x, y) in [(a, b), (b, a)] {
                let mask = self.bin_int(BinaryOp::Ashr, x, 63);
                let less = self.bin(BinaryOp::And, mask, y);
                high = self.bin(BinaryOp::Sub, high, less);
            }
        }
        high
    }

    /// The same of numbers without sign, from products of their halves (Warren, Hacker's Delight, 8-2).
    fn high_product_of_halves(&mut self, a: Value, b: Value) -> Value {
        let low_half = |cx: &mut Self, v| cx.bin_int(BinaryOp::And, v, 0xffff_ffff);
        let high_half = |cx: &mut Self, v| cx.bin_int(BinaryOp::Lshr, v, 32);
        let (a0, a1) = (low_half(self, a), high_half(self, a));
        let (b0, b1) = (low_half(self, b), high_half(self, b));
        let low = self.bin(BinaryOp::Mul, a0, b0);
        let (cross, other) = (self.bin(BinaryOp::Mul, a1, b0), self.bin(BinaryOp::Mul, a0, b1));
        let carry = high_half(self, low);
        let cross = self.bin(BinaryOp::Add, cross, carry);
        let (middle, upper) = (low_half(self, cross), high_half(self, cross));
        let middle = self.bin(BinaryOp::Add, middle, other);
        let carry = high_half(self, middle);
        let high = self.bin(BinaryOp::Mul, a1, b1);
        let high = self.bin(BinaryOp::Add, high, upper);
        self.bin(BinaryOp::Add, high, carry)
    }

    /// `a op b`, at most and at least what `bits` bits hold, for addition and subtraction.
    pub(super) fn int_saturate(&mut self, op: BinaryOp, sign: Sign, bits: u32, a: Value, b: Value) -> Value {
        let ty = self.ty_of(a);
        if sign == Sign::Signed && bits <= 16 {
            // The exact result, which has room, is on the side of overflow.
            let [x, y] = [a, b].map(|value| self.extended(bits, value, Sign::Signed, Type::I32));
            let exact = self.bin(op, x, y);
            let cut = self.resize_zero(exact, ty);
            let back = self.extended(bits, cut, Sign::Signed, Type::I32);
            let limit = self.limit(bits, exact);
            let overflow = self.icmp(IntCond::Ne, back, exact);
            let result = self.choose(overflow, limit, exact);
            return self.resize_zero(result, ty);
        }
        let limit = match (sign, op) {
            (Sign::Unsigned, BinaryOp::Add) => self.int(ty, -1),
            (Sign::Unsigned, _) => self.int(ty, 0),
            (Sign::Signed, _) => {
                // The side of overflow is that of `a`.
                let a = self.sign_above(a, bits);
                self.limit(bits, a)
            }
        };
        let (result, overflow) = self.int_overflow(op, sign, bits, a, b);
        self.choose(overflow, limit, result)
    }

    /// The largest number of `bits` bits with sign if `value` is not negative, else the least.
    fn limit(&mut self, bits: u32, value: Value) -> Value {
        let signs = self.bin_int(BinaryOp::Ashr, value, i64::from(self.ty_of(value).bits()) - 1);
        self.bin_int(BinaryOp::Xor, signs, !(-1 << (bits - 1)))
    }

    /// `a << b`, at most and at least what `bits` bits hold.
    pub(super) fn int_saturate_shl(&mut self, sign: Sign, bits: u32, a: Value, b: Value) -> Value {
        let ty = self.ty_of(a);
        let result = self.int_binary(BinaryOp::Shl, bits, a, b);
        let back_op = if sign == Sign::Signed { BinaryOp::Ashr } else { BinaryOp::Lshr };
        let back = self.int_binary(back_op, bits, result, b);
        let overflow = self.int_compare(IntCond::Ne, bits, back, a);
        let limit = match sign {
            Sign::Unsigned => self.int(ty, -1),
            Sign::Signed => {
                let zero = self.int(ty, 0);
                let negative = self.int_compare(IntCond::Slt, bits, a, zero);
                let (least, most) = (self.int(ty, -1 << (bits - 1)), self.int(ty, !(-1 << (bits - 1))));
                self.choose(negative, least, most)
            }
        };
        self.choose(overflow, limit, result)
    }

    /// The high (`fshl`) or low (`fshr`) part of `a:b` shifted by `amount` modulo the width.
    pub(super) fn int_funnel(&mut self, side: BinaryOp, bits: u32, [a, b, amount]: [Value; 3]) -> Value {
        use BinaryOp::*;
        if bits == 1 {
            return if side == Shl { a } else { b };
        }
        let unmasked = amount;
        let amount = match bits.is_power_of_two() {
            true => self.bin_int(And, amount, i64::from(bits) - 1),
            false => {
                let amount = self.zero_above(amount, bits);
                self.bin_int(Urem, amount, bits.into())
            }
        };
        if let Some(number) = self.b.func.int_value(amount) {
            if number == 0 {
                return if side == Shl { a } else { b };
            }
            let left = if side == Shl { number } else { i64::from(bits) - number };
            let high = self.bin_int(Shl, a, left);
            let low = self.zero_above(b, bits);
            let low = self.bin_int(Lshr, low, i64::from(bits) - left);
            return self.bin(Or, high, low);
        }
        if a == b && matches!(bits, 32 | 64) && self.ty_of(amount).bits() == bits {
            // Both amounts modulo the width, as rotations are written: with 0 the value meets itself.
            let zero = self.int(self.ty_of(amount), 0);
            let negated = self.bin(Sub, zero, unmasked);
            let rest = self.bin_int(And, negated, i64::from(bits) - 1);
            let [left, right] = if side == Shl { [amount, rest] } else { [rest, amount] };
            let (high, low) = (self.bin(Shl, a, left), self.bin(Lshr, a, right));
            return self.bin(Or, high, low);
        }
        // One shift by 1 and one by the rest keep both amounts below the width.
        let rest = {
            let most = self.int(self.ty_of(amount), i64::from(bits) - 1);
            self.bin(Sub, most, amount)
        };
        let low = self.zero_above(b, bits);
        let (high, low) = match side {
            Shl => {
                let low = self.bin_int(Lshr, low, 1);
                (self.bin(Shl, a, amount), self.bin(Lshr, low, rest))
            }
            _ => {
                let high = self.bin_int(Shl, a, 1);
                (self.bin(Shl, high, rest), self.bin(Lshr, low, amount))
            }
        };
        self.bin(Or, high, low)
    }
}

/// Whether numbers are signed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sign {
    Signed,
    Unsigned,
}

/// An operation on the bits of one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BitOp {
    Ctpop,
    Ctlz,
    Cttz,
    Bswap,
    Bitreverse,
}
