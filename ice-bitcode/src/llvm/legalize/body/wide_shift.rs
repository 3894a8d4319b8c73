//! Shifts of integers of more than 64 bits, by halving steps with a select each, so that no branch is needed.

use ice_ir::{BinaryOp, IntCond, Value};

use super::integer::Sign;
use super::values::Run;
use super::{Body, Checked};

impl Body<'_, '_> {
    /// `a` shifted by `amount` below its width; bits that come in are zero or the sign. The last limb is extended.
    pub(super) fn wide_shift(&mut self, op: BinaryOp, a: Run, amount: Value) -> Run {
        let fill = match op {
            BinaryOp::Ashr => {
                let top = self.get(a, a.len - 1);
                self.bin_int(BinaryOp::Ashr, top, 63)
            }
            _ => self.i64(0),
        };
        if let Some(number) = self.b.func.int_value(amount) {
            let number = number as u64;
            if number >= u64::from(a.len) * 64 {
                return self.wide_fill(fill, a.len);
            }
            let moved = self.wide_move(op, a, (number / 64) as u32, fill);
            return match number % 64 {
                0 => moved,
                within => {
                    let (by, rest) = (self.i64(within as i64), self.i64(63 - within as i64));
                    self.wide_shift_within(op, moved, by, rest, fill)
                }
            };
        }
        let by = self.bin_int(BinaryOp::And, amount, 63);
        // The one bit of the number 1 comes into no other limb.
        let is_bit = op == BinaryOp::Shl && self.is_wide_one(a);
        let mut moved = a;
        if is_bit {
            moved = self.wide_fill(fill, a.len);
            let bit = self.get(a, 0);
            let bit = self.bin(BinaryOp::Shl, bit, by);
            self.set(moved, 0, bit);
        }
        let mut step = 1;
        while step < a.len {
            let bit = self.bin_int(BinaryOp::And, amount, i64::from(step) * 64);
            let is_set = self.icmp_int(IntCond::Ne, bit, 0);
            let further = self.wide_move(op, moved, step, fill);
            moved = self.run_choose(is_set, further, moved);
            step *= 2;
        }
        if is_bit {
            return moved;
        }
        let rest = self.bin_int(BinaryOp::Xor, by, 63);
        self.wide_shift_within(op, moved, by, rest, fill)
    }

    /// Whether `a` is the number 1.
    fn is_wide_one(&self, a: Run) -> bool {
        (0..a.len).all(|i| self.b.func.int_value(self.get(a, i)) == Some(i64::from(i == 0)))
    }

    pub(super) fn wide_fill(&mut self, fill: Value, len: u32) -> Run {
        let out = self.reserve(len);
        (0..len).for_each(|i| self.set(out, i, fill));
        out
    }

    /// Whole limbs up or down by `by`.
    fn wide_move(&mut self, op: BinaryOp, a: Run, by: u32, fill: Value) -> Run {
        if by == 0 {
            return a;
        }
        let out = self.wide_fill(fill, a.len);
        if by < a.len {
            match op {
                BinaryOp::Shl => self.copy(out, by, a.part(0, a.len - by)),
                _ => self.copy(out, 0, a.part(by, a.len - by)),
            }
        }
        out
    }

    /// A shift by `by` below 64; `rest` is `63 - by`. The neighbour moves by 1 and by `rest`, both below 64.
    fn wide_shift_within(&mut self, op: BinaryOp, a: Run, by: Value, rest: Value, fill: Value) -> Run {
        use BinaryOp::{Lshr, Or, Shl};
        let out = self.reserve(a.len);
        for i in 0..a.len {
            let limb = self.get(a, i);
            let limb = match op {
                Shl => {
                    let own = self.bin(Shl, limb, by);
                    match i.checked_sub(1) {
                        None => own,
                        Some(below) => {
                            let other = self.get(a, below);
                            let other = self.bin_int(Lshr, other, 1);
                            let other = self.bin(Lshr, other, rest);
                            self.bin(Or, own, other)
                        }
                    }
                }
                _ => {
                    let own = self.bin(Lshr, limb, by);
                    let other = if i + 1 < a.len { self.get(a, i + 1) } else { fill };
                    if i + 1 == a.len && op == Lshr {
                        own
                    } else {
                        let other = self.bin_int(Shl, other, 1);
                        let other = self.bin(Shl, other, rest);
                        self.bin(Or, own, other)
                    }
                }
            };
            self.set(out, i, limb);
        }
        out
    }

    /// `a << b`, at most and at least what `bits` bits hold.
    pub(super) fn wide_saturate_shl(&mut self, sign: Sign, bits: u32, a: Run, b: Run) -> Checked<Run> {
        let result = self.wide_binary(BinaryOp::Shl, bits, a, b)?;
        let back_op = if sign == Sign::Signed { BinaryOp::Ashr } else { BinaryOp::Lshr };
        let back = self.wide_binary(back_op, bits, result, b)?;
        let overflow = self.wide_compare(IntCond::Ne, bits, back, a);
        let limit = match sign {
            Sign::Unsigned => self.wide_int(-1, a.len),
            Sign::Signed => self.wide_limit(bits, a),
        };
        Ok(self.run_choose(overflow, limit, result))
    }

    /// The high or low part of `a:b` shifted by `amount` modulo the width.
    pub(super) fn wide_funnel(
        &mut self,
        side: BinaryOp,
        bits: u32,
        [a, b, amount]: [Run; 3],
    ) -> Checked<Run> {
        if !bits.is_power_of_two() {
            return self.odd_funnel(side, bits, [a, b, amount]);
        }
        let amount = self.get(amount, 0);
        let amount = self.bin_int(BinaryOp::And, amount, i64::from(bits) - 1);
        let rest = self.bin_int(BinaryOp::Xor, amount, i64::from(bits) - 1);
        let one = self.i64(1);
        let (high, low) = match side {
            BinaryOp::Shl => {
                let low = self.wide_shift(BinaryOp::Lshr, b, one);
                (self.wide_shift(BinaryOp::Shl, a, amount), self.wide_shift(BinaryOp::Lshr, low, rest))
            }
            _ => {
                let high = self.wide_shift(BinaryOp::Shl, a, one);
                (self.wide_shift(BinaryOp::Shl, high, rest), self.wide_shift(BinaryOp::Lshr, b, amount))
            }
        };
        Ok(self.wide_each(BinaryOp::Or, high, low))
    }

    /// A funnel shift of a width that is no power of two: one shift by the amount modulo the width, and one by what
    /// is left of the width, which moves all bits out where the amount is 0.
    fn odd_funnel(&mut self, side: BinaryOp, bits: u32, [a, b, amount]: [Run; 3]) -> Checked<Run> {
        let width = self.wide_int(bits.into(), amount.len);
        let number = self.b.func.int_value(self.get(amount, 0));
        let has_high = (1..amount.len).any(|i| self.b.func.int_value(self.get(amount, i)) != Some(0));
        let by = match number {
            Some(number) if !has_high => self.i64((number as u64 % u64::from(bits)) as i64),
            _ => {
                let rest = self.wide_binary(BinaryOp::Urem, bits, amount, width)?;
                self.get(rest, 0)
            }
        };
        let width = self.i64(bits.into());
        let rest = self.bin(BinaryOp::Sub, width, by);
        let (left, right) = if side == BinaryOp::Shl { (by, rest) } else { (rest, by) };
        let b = self.wide_zero_above(bits, b);
        let high = self.wide_shift(BinaryOp::Shl, a, left);
        let low = self.wide_shift(BinaryOp::Lshr, b, right);
        Ok(self.wide_each(BinaryOp::Or, high, low))
    }
}
