//! 64-bit integers in pairs of registers: what takes no carry and no variable amount.

use super::divide::by_constant as divide_by;
use super::{Cx, Word, Words};
use crate::compiled::Libcall;
use crate::division::plan;
use crate::extension::{known_halves, long_factors};
use crate::lower::ValueRegs;
use crate::mach::{Sink, VReg};
use crate::magic::{Part, Signedness, parts};
use ice_ir::{BinaryOp, InstData, Type, Value};

/// A shift of pairs: bits leave the half that is `near` for the one that is `far`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PairShift {
    /// The operator, on the half whose bits leave it.
    pub near: BinaryOp,
    /// That on the other half.
    pub far: BinaryOp,
    /// That on what comes into it.
    pub back: BinaryOp,
}

impl PairShift {
    fn new(op: BinaryOp) -> PairShift {
        let (far, back) = match op {
            BinaryOp::Shl => (BinaryOp::Shl, BinaryOp::Lshr),
            _ => (BinaryOp::Lshr, BinaryOp::Shl),
        };
        PairShift { near: op, far, back }
    }

    /// The near and the far half of a pair.
    pub fn halves(self, regs: ValueRegs) -> [VReg; 2] {
        match self.near {
            BinaryOp::Shl => [regs.lo(), regs.hi()],
            _ => [regs.hi(), regs.lo()],
        }
    }
}

/// The inverse of an odd number modulo 2^64 (Newton's method: each step doubles the bits that are right).
fn inverse(number: u64) -> u64 {
    (0..6).fold(number, |inverse, _| inverse.wrapping_mul(2u64.wrapping_sub(number.wrapping_mul(inverse))))
}

/// Rules for pairs.
pub trait PairRules: Words {
    /// A sum, a difference or logic. A constant comes last, if the operator lets it.
    fn pair_alu<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        op: BinaryOp,
        args: [Value; 2],
        dst: ValueRegs,
    );

    /// A shift by a variable below 64.
    fn pair_shift<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        op: PairShift,
        args: [Value; 2],
        dst: ValueRegs,
    );

    /// Any binary operator on pairs.
    fn pair_binary<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        result: Value,
    ) {
        let dst = cx.regs(result);
        let swap = op.is_commutative() && cx.is_constant(a) && !cx.is_constant(b);
        let [a, b] = if swap { [b, a] } else { [a, b] };
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                if !self.pair_by_halves(cx, op, [a, b], dst) {
                    self.pair_alu(cx, op, [a, b], dst);
                }
            }
            BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr => {
                let op = PairShift::new(op);
                match cx.func.int_value(b) {
                    Some(n) => self.pair_shift_by(cx, op, a, (n & 63) as u8, dst),
                    None => self.pair_shift(cx, op, [a, b], dst),
                }
            }
            BinaryOp::Mul => self.pair_multiply(cx, [a, b], dst),
            _ => {
                if let Some(number) = cx.func.int_value(b)
                    && self.pair_divide_by(cx, op, a, number as u64, dst)
                {
                    return;
                }
                let divisor = self.regs(cx, b);
                if cx.func.int_value(b).is_none_or(|n| n == 0) {
                    self.trap_if_zero(cx, divisor.lo(), Some(divisor.hi()));
                }
                let args = [(self.regs(cx, a), Type::I64), (divisor, Type::I64)];
                self.libcall(cx, Libcall::of_division(op), &args, Some((dst, Type::I64)));
            }
        }
    }

    /// `dst = lo + hi`, and 1 more if there is a carry.
    fn add_around<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, dst: VReg, pair: [VReg; 2]);

    /// `dst = pair - word`.
    fn pair_minus_word<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        dst: [VReg; 2],
        pair: [VReg; 2],
        word: VReg,
    );

    /// A quotient or remainder of numbers without sign by d × 2^k, where d divides 2^32 - 1, as 3, 5, 15, 17 and 255
    /// do. False, and nothing done, for others.
    ///
    /// Then 2^32 leaves the remainder 1, so that both halves together leave that of the number (casting out nines; Warren,
    /// *Hacker's Delight*, 10-16), in which a carry counts as 1. What is left without the remainder is divided by a
    /// product with the inverse of d modulo 2^64.
    fn pair_divide_by<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        op: BinaryOp,
        a: Value,
        number: u64,
        dst: ValueRegs,
    ) -> bool {
        let (sign, part) = parts(op);
        let k = number.trailing_zeros() as u8;
        let divisor = number >> k.min(63);
        let leaves_one = divisor > 1 && (1u64 << 32) % divisor == 1 && number <= u64::from(u32::MAX);
        if sign == Signedness::Signed || !leaves_one || plan(sign, Type::I32, divisor as i64).is_none() {
            return false;
        }
        let [lo, hi] = {
            let regs = self.regs(cx, a);
            [regs.lo(), regs.hi()]
        };
        let pair = match k {
            0 => [lo, hi],
            _ => {
                let low = self.word_reg(cx, Word::shifted(lo, BinaryOp::Lshr, k));
                let low = self.word(cx, BinaryOp::Or, low, Word::shifted(hi, BinaryOp::Shl, 32 - k));
                [low, self.word_reg(cx, Word::shifted(hi, BinaryOp::Lshr, k))]
            }
        };
        let [sum, rest] = [self.temp(cx), self.temp(cx)];
        self.add_around(cx, sum, pair);
        if !divide_by(self, cx, BinaryOp::Urem, Type::I32, [sum, rest], divisor as i64) {
            cx.fault("a division by a constant has no product");
        }
        if part == Part::Remainder {
            let low = match k {
                0 => rest.into(),
                _ => {
                    let low = self.temp(cx);
                    self.extract(cx, Signedness::Unsigned, low, lo, 0, k);
                    Word::Reg(self.word(cx, BinaryOp::Or, low, Word::shifted(rest, BinaryOp::Shl, k)))
                }
            };
            self.mov_word(cx, dst.hi(), Word::Number(0));
            self.mov_word(cx, dst.lo(), low);
            return true;
        }
        let inverse = inverse(divisor);
        let factor = [inverse as u32, (inverse >> 32) as u32].map(|half| self.number_reg(cx, half));
        let multiple = [self.temp(cx), self.temp(cx)];
        self.pair_minus_word(cx, multiple, pair, rest);
        self.pair_product(cx, multiple, factor, dst);
        true
    }

    /// The low 64 bits of a product: lo×lo plus the two cross products in the high half.
    fn pair_product<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        x: [VReg; 2],
        y: [VReg; 2],
        dst: ValueRegs,
    ) {
        let [lo, high, sum] = [(); 3].map(|()| self.temp(cx));
        self.multiply_long(cx, Signedness::Unsigned, [lo, high], [x[0], y[0]]);
        self.multiply_add(cx, BinaryOp::Add, sum, high, [x[0], y[1]]);
        self.multiply_add(cx, BinaryOp::Add, dst.hi(), sum, [x[1], y[0]]);
        self.mov_word(cx, dst.lo(), lo.into());
    }

    /// A sum, a difference or logic without a carry, of which a half that is a known number decides a part. False, and
    /// nothing done, for others.
    fn pair_by_halves<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        op: BinaryOp,
        args: [Value; 2],
        dst: ValueRegs,
    ) -> bool {
        let known = args.map(|value| known_halves(cx.func, value));
        let [[low, _], [low_of_other, _]] = known;
        let carries = match op {
            BinaryOp::Add => low != Some(0) && low_of_other != Some(0),
            BinaryOp::Sub => low_of_other != Some(0),
            _ => false,
        };
        if carries || known.as_flattened().iter().all(Option::is_none) {
            return false;
        }
        let regs = args.map(|value| if cx.is_constant(value) { None } else { Some(self.regs(cx, value)) });
        let results = [0, 1].map(|half| {
            let [a, b] = [0, 1].map(|n| match (known[n][half], regs[n]) {
                (None, Some(regs)) => Word::Reg(regs.part(half as u8)),
                (number, _) => Word::Number(number.unwrap_or(0)),
            });
            match (op, a, b) {
                (BinaryOp::And, Word::Number(0), _) | (BinaryOp::And, _, Word::Number(0)) => Word::Number(0),
                (BinaryOp::And, Word::Number(u32::MAX), x) | (BinaryOp::And, x, Word::Number(u32::MAX)) => x,
                (BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor, Word::Number(0), x) => x,
                (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor, x, Word::Number(0)) => x,
                // A number is the second operand.
                (_, Word::Number(_), b) if op.is_commutative() => self.word(cx, op, b, a).into(),
                _ => {
                    let a = self.word_reg(cx, a);
                    self.word(cx, op, a, b).into()
                }
            }
        });
        // The low result must not destroy the high sources.
        for (dst, result) in dst.iter().zip(results) {
            self.mov_word(cx, dst, result);
        }
        true
    }

    /// A product. Its high half has no cross products where both numbers are words with zeros above them, or both words
    /// with their sign, and one where one number is a word with zeros above it.
    fn pair_multiply<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        [a, b]: [Value; 2],
        dst: ValueRegs,
    ) {
        if let Some(sign) = long_factors(cx.func, [a, b]) {
            let factors = [a, b].map(|value| self.low_word(cx, value));
            return self.multiply_long(cx, sign, [dst.lo(), dst.hi()], factors);
        }
        let (x, y) = (self.regs(cx, a), self.regs(cx, b));
        let is_word = |value| known_halves(cx.func, value)[1] == Some(0);
        let [x_lo, y_lo] = [x.lo(), y.lo()];
        let (low, high) = match [is_word(a), is_word(b)] {
            [false, false] => return self.pair_product(cx, [x_lo, x.hi()], [y_lo, y.hi()], dst),
            [true, _] => (x_lo, y.hi()),
            _ => (y_lo, x.hi()),
        };
        let [lo, sum] = [(); 2].map(|()| self.temp(cx));
        self.multiply_long(cx, Signedness::Unsigned, [lo, sum], [x_lo, y_lo]);
        self.multiply_add(cx, BinaryOp::Add, dst.hi(), sum, [low, high]);
        self.mov_word(cx, dst.lo(), lo.into());
    }

    /// The low half of a factor that is a word extended, also where the extension was folded.
    fn low_word<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, value: Value) -> VReg {
        match cx.folded(value).map(|def| cx.func.inst(def)) {
            Some(&InstData::Cast { arg, .. }) if cx.func.value_type(arg) == Type::I32 => {
                self.regs(cx, arg).lo()
            }
            _ => self.regs(cx, value).lo(),
        }
    }

    /// A shift by a constant below 64.
    fn pair_shift_by<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        op: PairShift,
        value: Value,
        amount: u8,
        dst: ValueRegs,
    ) {
        let regs = self.regs(cx, value);
        let ([near, far], [near_dst, far_dst]) = (op.halves(regs), op.halves(dst));
        let far = match amount {
            0 => far,
            1..32 => {
                let kept = self.word_reg(cx, Word::shifted(far, op.far, amount));
                self.word(cx, BinaryOp::Or, kept, Word::shifted(near, op.back, 32 - amount))
            }
            _ => {
                let dst = self.temp(cx);
                self.mov_word(cx, dst, Word::shifted(near, op.near, amount - 32));
                dst
            }
        };
        let near = match (amount, op.near) {
            (0..32, _) => Word::shifted(near, op.near, amount),
            (_, BinaryOp::Ashr) => Word::shifted(near, BinaryOp::Ashr, 31),
            _ => Word::Number(0),
        };
        self.mov_word(cx, near_dst, near);
        self.mov_word(cx, far_dst, far.into());
    }
}
