//! Integers of more than 64 bits: limbs of 64 bits, the low one first.
//!
//! The methods are those of multiple-precision arithmetic (Knuth, The Art of Computer Programming 2, 4.3.1):
//! ripple carry and schoolbook product; [shifts](super::wide_shift) and [division](super::wide_divide) have files of their
//! own.
//!
//! Invariant: as of narrow integers, bits of the last limb above the width are unspecified.

use ice_ir::{BinaryOp, CastOp, IntCond, Type, Value};

use super::integer::{BitOp, Sign};
use super::values::Run;
use super::{Body, Checked, unsupported};

impl Body<'_, '_> {
    /// Bits of the last limb that mean something.
    const fn top_bits(bits: u32) -> u32 {
        (bits - 1) % 64 + 1
    }

    /// `a` with its last limb zero-extended.
    pub(super) fn wide_zero_above(&mut self, bits: u32, a: Run) -> Run {
        self.wide_top(a, |cx, top| cx.zero_above(top, Self::top_bits(bits)))
    }

    /// `a` with its last limb sign-extended.
    pub(super) fn wide_sign_above(&mut self, bits: u32, a: Run) -> Run {
        self.wide_top(a, |cx, top| cx.sign_above(top, Self::top_bits(bits)))
    }

    fn wide_top(&mut self, a: Run, change: impl FnOnce(&mut Self, Value) -> Value) -> Run {
        let out = self.reserve(a.len);
        self.copy(out, 0, a);
        let top = self.get(a, a.len - 1);
        let top = change(self, top);
        self.set(out, a.len - 1, top);
        out
    }

    /// `number` in `len` limbs.
    pub(super) fn wide_int(&mut self, number: i64, len: u32) -> Run {
        let out = self.reserve(len);
        for i in 0..len {
            let limb = self.i64(if i == 0 { number } else { number >> 63 });
            self.set(out, i, limb);
        }
        out
    }

    /// `a` in `len` limbs, with `sign` above; its last limb is extended already.
    pub(super) fn wide_resize(&mut self, a: Run, len: u32, sign: Sign) -> Run {
        if len <= a.len {
            return a.part(0, len);
        }
        let out = self.reserve(len);
        self.copy(out, 0, a);
        let top = self.get(a, a.len - 1);
        let above = match sign {
            Sign::Signed => self.bin_int(BinaryOp::Ashr, top, 63),
            Sign::Unsigned => self.i64(0),
        };
        (a.len..len).for_each(|i| self.set(out, i, above));
        out
    }

    /// Limb by limb.
    pub(super) fn wide_each(&mut self, op: BinaryOp, a: Run, b: Run) -> Run {
        let out = self.reserve(a.len);
        for i in 0..a.len {
            let limb = self.bin(op, self.get(a, i), self.get(b, i));
            self.set(out, i, limb);
        }
        out
    }

    /// `cond ? a : b`, limb by limb.
    pub(super) fn run_choose(&mut self, cond: Value, a: Run, b: Run) -> Run {
        let out = self.reserve(a.len);
        for i in 0..a.len {
            let part = self.choose(cond, self.get(a, i), self.get(b, i));
            self.set(out, i, part);
        }
        out
    }

    /// The sum or difference, and the carry or borrow out of the last limb.
    pub(super) fn wide_add_sub(&mut self, op: BinaryOp, a: Run, b: Run) -> (Run, Value) {
        let out = self.reserve(a.len);
        let mut carry: Option<Value> = None;
        for i in 0..a.len {
            let (x, y) = (self.get(a, i), self.get(b, i));
            let mut limb = self.bin(op, x, y);
            let mut out_carry = match op {
                BinaryOp::Add => self.icmp(IntCond::Ult, limb, x),
                _ => self.icmp(IntCond::Ult, x, y),
            };
            if let Some(carry) = carry {
                let carry = self.cast(CastOp::Zext, carry, Type::I64);
                let sum = self.bin(op, limb, carry);
                let again = match op {
                    BinaryOp::Add => self.icmp(IntCond::Ult, sum, carry),
                    _ => self.icmp(IntCond::Ult, limb, carry),
                };
                out_carry = self.bin(BinaryOp::Or, out_carry, again);
                limb = sum;
            }
            self.set(out, i, limb);
            carry = Some(out_carry);
        }
        let carry = carry.unwrap_or_else(|| self.int(Type::I1, 0));
        (out, carry)
    }

    /// The product in `len` limbs of unsigned numbers.
    fn wide_mul(&mut self, a: Run, b: Run, len: u32) -> Run {
        let mut sum = self.wide_int(0, len);
        for i in 0..a.len.min(len) {
            // One row: the low and high halves of the products, each shifted to its place.
            let rows = [self.wide_int(0, len), self.wide_int(0, len)];
            for j in 0..b.len.min(len - i) {
                let (x, y) = (self.get(a, i), self.get(b, j));
                let low = self.bin(BinaryOp::Mul, x, y);
                self.set(rows[0], i + j, low);
                if i + j + 1 < len {
                    let high = self.high_product(Sign::Unsigned, x, y);
                    self.set(rows[1], i + j + 1, high);
                }
            }
            for row in rows {
                sum = if i == 0 && row == rows[0] { row } else { self.wide_sum_above(sum, row, i) };
            }
        }
        sum
    }

    /// `a + b` where the limbs of `b` below `from` are zero.
    fn wide_sum_above(&mut self, a: Run, b: Run, from: u32) -> Run {
        let out = self.reserve(a.len);
        self.copy(out, 0, a);
        let (high, _) =
            self.wide_add_sub(BinaryOp::Add, a.part(from, a.len - from), b.part(from, a.len - from));
        self.copy(out, from, high);
        out
    }

    /// `a op b` on integers of `bits` bits.
    pub(super) fn wide_binary(&mut self, op: BinaryOp, bits: u32, a: Run, b: Run) -> Checked<Run> {
        use BinaryOp::*;
        Ok(match op {
            Add | Sub => self.wide_add_sub(op, a, b).0,
            Mul => self.wide_mul(a, b, a.len),
            And | Or | Xor => self.wide_each(op, a, b),
            Shl => {
                let amount = self.get(b, 0);
                self.wide_shift(Shl, a, amount)
            }
            Lshr => {
                let a = self.wide_zero_above(bits, a);
                let amount = self.get(b, 0);
                self.wide_shift(Lshr, a, amount)
            }
            Ashr => {
                let a = self.wide_sign_above(bits, a);
                let amount = self.get(b, 0);
                self.wide_shift(Ashr, a, amount)
            }
            Udiv | Urem | Sdiv | Srem => self.wide_divide(op, bits, a, b)?,
            _ => return unsupported("a floating-point operator on integers"),
        })
    }

    /// Whether the run-time library has this function for integers of `bits` bits. None is declared where no type of the module
    /// has more than 64.
    pub(super) fn has_wide_function(&self, name: &str, bits: u32) -> bool {
        bits <= 128 && self.p.runtime.function(name).is_some()
    }

    /// The two `i64` that a function of the run-time library returns.
    pub(super) fn library_pair(&mut self, name: &'static str, args: &[Value]) -> Checked<Run> {
        let Some(first) = self.library(name, args, Type::I64)? else {
            return unsupported("a run-time function without a result");
        };
        let second = self.b.second_result(first, Type::I64);
        let out = self.reserve(2);
        self.set(out, 0, first);
        self.set(out, 1, second);
        Ok(out)
    }

    /// `a cond b` on integers of `bits` bits.
    pub(super) fn wide_compare(&mut self, cond: IntCond, bits: u32, a: Run, b: Run) -> Value {
        use IntCond::*;
        let is_signed = matches!(cond, Sgt | Sge | Slt | Sle);
        let (a, b) = match is_signed {
            true => (self.wide_sign_above(bits, a), self.wide_sign_above(bits, b)),
            false => (self.wide_zero_above(bits, a), self.wide_zero_above(bits, b)),
        };
        if matches!(cond, Eq | Ne) {
            let differ = self.wide_each(BinaryOp::Xor, a, b);
            let any = self.wide_any(differ);
            return self.icmp_int(cond, any, 0);
        }
        // The lowest limb decides with the condition itself, the others only if they differ.
        let low = match cond {
            Sgt => Ugt,
            Sge => Uge,
            Slt => Ult,
            Sle => Ule,
            unsigned => unsigned,
        };
        let strict = match low {
            Uge => Ugt,
            Ule => Ult,
            strict => strict,
        };
        let mut result = self.icmp(low, self.get(a, 0), self.get(b, 0));
        for i in 1..a.len {
            let (x, y) = (self.get(a, i), self.get(b, i));
            let cond = match (i + 1 == a.len && is_signed, strict) {
                (true, Ugt) => Sgt,
                (true, _) => Slt,
                (false, strict) => strict,
            };
            let decided = self.icmp(cond, x, y);
            let equal = self.icmp(Eq, x, y);
            result = self.choose(equal, result, decided);
        }
        result
    }

    /// The or of all limbs.
    pub(super) fn wide_any(&mut self, a: Run) -> Value {
        let mut any = self.get(a, 0);
        for i in 1..a.len {
            let limb = self.get(a, i);
            any = self.bin(BinaryOp::Or, any, limb);
        }
        any
    }

    /// `a op b` and whether it overflows.
    pub(super) fn wide_overflow(
        &mut self,
        op: BinaryOp,
        sign: Sign,
        bits: u32,
        a: Run,
        b: Run,
    ) -> (Run, Value) {
        // Exactly, with a limb more or with twice as many; then compare with what is left.
        let (a, b) = match sign {
            Sign::Signed => (self.wide_sign_above(bits, a), self.wide_sign_above(bits, b)),
            Sign::Unsigned => (self.wide_zero_above(bits, a), self.wide_zero_above(bits, b)),
        };
        let len = if op == BinaryOp::Mul { 2 * a.len } else { a.len + 1 };
        let (x, y) = (self.wide_resize(a, len, sign), self.wide_resize(b, len, sign));
        let exact = match op {
            BinaryOp::Mul => self.wide_mul(x, y, len),
            _ => self.wide_add_sub(op, x, y).0,
        };
        let result = exact.part(0, a.len);
        let back = match sign {
            Sign::Signed => self.wide_sign_above(bits, result),
            Sign::Unsigned => self.wide_zero_above(bits, result),
        };
        let back = self.wide_resize(back, len, sign);
        let differ = self.wide_each(BinaryOp::Xor, back, exact);
        let any = self.wide_any(differ);
        (result, self.icmp_int(IntCond::Ne, any, 0))
    }

    /// The least and the greatest signed number of `bits` bits, by the sign of `a`.
    pub(super) fn wide_limit(&mut self, bits: u32, a: Run) -> Run {
        let a = self.wide_sign_above(bits, a);
        let top = self.get(a, a.len - 1);
        let sign = self.bin_int(BinaryOp::Ashr, top, 63);
        let flipped = self.bin_int(BinaryOp::Xor, sign, -1);
        let out = self.wide_fill(flipped, a.len);
        let top = self.bin_int(BinaryOp::Xor, flipped, -1 << (Self::top_bits(bits) - 1));
        self.set(out, a.len - 1, top);
        out
    }

    /// `a op b`, at most and at least what `bits` bits hold.
    pub(super) fn wide_saturate(&mut self, op: BinaryOp, sign: Sign, bits: u32, a: Run, b: Run) -> Run {
        let (result, overflow) = self.wide_overflow(op, sign, bits, a, b);
        let limit = match (sign, op) {
            (Sign::Unsigned, BinaryOp::Add) => self.wide_int(-1, a.len),
            (Sign::Unsigned, _) => self.wide_int(0, a.len),
            (Sign::Signed, _) => self.wide_limit(bits, a),
        };
        self.run_choose(overflow, limit, result)
    }

    /// Leading or trailing zeros of the low `bits` bits of a limb, as an `i64`.
    fn limb_zeros(&mut self, op: BitOp, bits: u32, limb: Value) -> Checked<Value> {
        let limb = self.zero_above(limb, bits);
        if op == BitOp::Ctlz {
            let count = self.int_bits(op, 64, limb)?;
            return Ok(self.bin_int(BinaryOp::Sub, count, i64::from(64 - bits)));
        }
        // A one above the width stops the count there.
        let stopped = if bits == 64 { limb } else { self.bin_int(BinaryOp::Or, limb, 1 << bits) };
        self.int_bits(op, 64, stopped)
    }

    /// A bit count, swap or reversal.
    pub(super) fn wide_bits(&mut self, op: BitOp, bits: u32, a: Run) -> Checked<Run> {
        let top = Self::top_bits(bits);
        match op {
            BitOp::Ctpop => {
                let a = self.wide_zero_above(bits, a);
                let mut sum = self.i64(0);
                for i in 0..a.len {
                    let limb = self.get(a, i);
                    let count = self.int_bits(BitOp::Ctpop, 64, limb)?;
                    sum = self.bin(BinaryOp::Add, sum, count);
                }
                let sum = self.push(sum);
                Ok(self.wide_resize(sum, a.len, Sign::Unsigned))
            }
            BitOp::Ctlz | BitOp::Cttz => {
                // From the limb that is looked at last to the first.
                let mut count = None;
                for k in 0..a.len {
                    let i = if op == BitOp::Ctlz { k } else { a.len - 1 - k };
                    let own_bits = if i + 1 == a.len { top } else { 64 };
                    let limb = self.get(a, i);
                    let own = self.limb_zeros(op, own_bits, limb)?;
                    count = Some(match count {
                        None => own,
                        Some(rest) => {
                            let further = self.bin_int(BinaryOp::Add, rest, own_bits.into());
                            let limb = self.zero_above(limb, own_bits);
                            let is_zero = self.icmp_int(IntCond::Eq, limb, 0);
                            self.choose(is_zero, further, own)
                        }
                    });
                }
                let count = count.unwrap_or_else(|| self.i64(0));
                let count = self.push(count);
                Ok(self.wide_resize(count, a.len, Sign::Unsigned))
            }
            BitOp::Bswap | BitOp::Bitreverse => {
                let out = self.reserve(a.len);
                for i in 0..a.len {
                    let limb = self.get(a, a.len - 1 - i);
                    let limb = self.int_bits(op, 64, limb)?;
                    self.set(out, i, limb);
                }
                let unused = self.i64(i64::from(64 - top));
                Ok(self.wide_shift(BinaryOp::Lshr, out, unused))
            }
        }
    }
}
