//! Vectors whose lanes were extended, and what was computed of such: what is known of them.
//!
//! C computes with `int`, so that sums of bytes are sums of lanes of 32 bits. What fits in fewer bits is
//! [computed in lanes of these](super::widened_arithmetic), on half as many vectors or fewer, and extended afterwards. Where the
//! result is [cut again](super::widened_cut) there may be an instruction for the whole, or it takes no more than
//! [lower halves](super::widened_low). And there may be [instructions that extend](super::widened_long) what they compute with.
//!
//! What a vector is made of is known in its block alone, for there it is in registers.

use ice_ir::{BinaryOp, CastOp, IntCond, Type};

use super::Body;
use super::lane_width::Above;
use super::values::Run;
use crate::llvm::legalize::shape::{Scalar, VectorShape};

/// More vectors are not looked through.
const MOST: usize = 24;

/// A vector of a block, and what it is made of.
#[derive(Clone, Copy)]
pub(super) struct Known {
    stamp: u32,
    shape: VectorShape,
    run: Run,
    origin: Origin,
}

#[derive(Clone, Copy)]
pub(super) enum Origin {
    Extended(Extended),
    Combined(Combined),
    /// The same, shifted to the right by some bits, with the sign or without.
    Shifted(Combined, BinaryOp, i64),
    /// The absolute value of a difference.
    Distance(Combined),
    /// The lesser of it and a number (`Slt`, `Ult`), or the greater (`Sgt`, `Ugt`).
    Limited(Combined, IntCond, i64),
    /// The [lower halves](super::widened_low) of its lanes.
    Low(Run),
    /// Those of what was shifted to the right by some bits.
    LowShifted(Run, i64),
    /// Booleans of a shape, as 0 and 1.
    Booleans(Run, VectorShape),
}

/// Numbers that were extended.
#[derive(Clone, Copy)]
pub(super) struct Extended {
    pub(super) narrow: Run,
    pub(super) from: VectorShape,
    pub(super) range: Range,
    /// Whether they were computed in lanes of the shape `from`.
    pub(super) is_result: bool,
}

/// A sum, difference or product of two vectors of the shape `from` in lanes of twice the width, and how these were extended.
#[derive(Clone, Copy)]
pub(super) struct Combined {
    pub(super) op: BinaryOp,
    pub(super) args: [Run; 2],
    pub(super) from: VectorShape,
    pub(super) above: Above,
    /// Whether it is one more.
    pub(super) rounds: bool,
}

/// Numbers below a power of two, or with a sign from the opposite of the one below on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    /// Bits of each number, with the sign.
    pub(super) bits: u32,
    pub(super) above: Above,
}

impl Range {
    pub(super) const fn of(number: i64) -> Range {
        match number < 0 {
            true => Range { bits: 65 - number.leading_ones(), above: Above::Sign },
            false => Range { bits: 64 - number.leading_zeros(), above: Above::Zeros },
        }
    }

    pub(super) fn is_natural(self) -> bool {
        self.above == Above::Zeros
    }

    /// As many bits as it takes with a sign.
    pub(super) fn signed_bits(self) -> u32 {
        self.bits + u32::from(self.is_natural())
    }

    /// What an operator makes of two numbers.
    pub(super) fn combined(op: BinaryOp, a: Range, b: Range) -> Range {
        let are_natural = a.is_natural() && b.is_natural();
        let above = if are_natural && op != BinaryOp::Sub { Above::Zeros } else { Above::Sign };
        let bits = match op {
            BinaryOp::Mul => a.bits + b.bits,
            _ if are_natural => a.bits.max(b.bits) + 1,
            _ => a.signed_bits().max(b.signed_bits()) + 1,
        };
        Range { bits, above }
    }

    /// Whether lanes of so many bits hold all of it, extended as it is.
    pub(super) const fn fits(self, bits: u32) -> bool {
        self.bits <= bits
    }
}

impl Above {
    pub(super) const fn extension(self) -> CastOp {
        match self {
            Above::Zeros => CastOp::Zext,
            Above::Sign => CastOp::Sext,
        }
    }
}

/// The vector of lanes twice as wide.
pub(super) fn twice(vector: VectorShape) -> Option<VectorShape> {
    let (bits, native) = match vector.native? {
        Type::V16I8 => (16, Type::V8I16),
        Type::V8I16 => (32, Type::V4I32),
        Type::V4I32 => (64, Type::V2I64),
        _ => return None,
    };
    let is_exact = vector.lane == Scalar::Int(bits / 2);
    is_exact.then_some(VectorShape { lane: Scalar::Int(bits), native: Some(native), ..vector })
}

impl Body<'_, '_> {
    // ---- what is known

    /// Whether vectors of this shape are looked at.
    pub(super) fn is_watched_shape(&self, vector: VectorShape) -> bool {
        matches!(vector.native, Some(Type::V16I8 | Type::V8I16 | Type::V4I32 | Type::V2I64))
            && matches!(vector.lane, Scalar::Int(_))
            && self.m.legal.machine().shuffles_lanes
    }

    pub(super) fn note_origin(&mut self, shape: VectorShape, run: Run, origin: Origin) {
        let stamp = self.s.stamp;
        if self.s.widened.last().is_some_and(|last| last.stamp != stamp) {
            self.s.widened.clear();
        }
        self.s.widened.push(Known { stamp, shape, run, origin });
    }

    /// What the latest entry says of a vector for which `f` gives something. Vectors of other lengths may have the same parts.
    pub(super) fn origin<T>(
        &self,
        shape: VectorShape,
        run: Run,
        f: impl Fn(&Origin) -> Option<T>,
    ) -> Option<T> {
        let mut known = self.latest().filter(|known| known.shape == shape && self.are_same(known.run, run));
        known.find_map(|known| f(&known.origin))
    }

    pub(super) fn extended_of(&self, shape: VectorShape, run: Run) -> Option<Extended> {
        self.origin(shape, run, |origin| match *origin {
            Origin::Extended(extended) => Some(extended),
            _ => None,
        })
    }

    pub(super) fn distance_of(&self, shape: VectorShape, run: Run) -> Option<Combined> {
        self.origin(shape, run, |origin| match *origin {
            Origin::Distance(difference) => Some(difference),
            _ => None,
        })
    }

    pub(super) fn combined_of(&self, shape: VectorShape, run: Run) -> Option<Combined> {
        self.origin(shape, run, |origin| match *origin {
            Origin::Combined(combined) => Some(combined),
            _ => None,
        })
    }

    /// The vector as it was extended to such a shape before.
    pub(super) fn extended_before(
        &self,
        op: CastOp,
        from: VectorShape,
        to: VectorShape,
        a: Run,
    ) -> Option<Run> {
        let is_it = |known: &&Known| match known.origin {
            Origin::Extended(Extended { narrow, from: inner, range, .. }) => {
                inner == from
                    && range.above.extension() == op
                    && self.are_same(narrow, a)
                    && known.shape == to
            }
            _ => false,
        };
        self.latest().find(is_it).map(|known| known.run)
    }

    /// What is known of vectors of this block, the latest first.
    fn latest(&self) -> impl Iterator<Item = &Known> {
        self.s.widened.iter().rev().take_while(|known| known.stamp == self.s.stamp).take(MOST)
    }

    fn are_same(&self, a: Run, b: Run) -> bool {
        a.len == b.len && (0..a.len).all(|i| self.get(a, i) == self.get(b, i))
    }

    /// Keeps in mind that a vector was extended.
    pub(super) fn note_extended(
        &mut self,
        op: CastOp,
        from: VectorShape,
        to: VectorShape,
        narrow: Run,
        wide: Run,
    ) {
        let above = match op {
            CastOp::Zext => Above::Zeros,
            CastOp::Sext => Above::Sign,
            _ => return,
        };
        if from.lane == Scalar::Int(1) && op == CastOp::Zext && self.m.legal.machine().shuffles_lanes {
            self.note_origin(to, wide, Origin::Booleans(narrow, from));
        }
        if self.is_watched_shape(from) && twice(from).is_some() {
            let range = Range { bits: from.lane.bits(), above };
            let extended = Extended { narrow, from, range, is_result: false };
            self.note_origin(to, wide, Origin::Extended(extended));
        }
    }

    /// Keeps in mind what a sum, difference, product or shift was made of.
    pub(super) fn note_combined(&mut self, op: BinaryOp, vector: VectorShape, a: Run, b: Run, out: Run) {
        let number = |cx: &Self, run| cx.uniform_number(run, vector.lane.bits());
        match op {
            BinaryOp::Lshr | BinaryOp::Ashr => {
                if let (Some(combined), Some(by)) = (self.combined_of(vector, a), number(self, b)) {
                    self.note_origin(vector, out, Origin::Shifted(combined, op, by));
                }
            }
            _ => {
                if let Some(combined) = self.combination(op, vector, a, b) {
                    self.note_origin(vector, out, Origin::Combined(combined));
                }
            }
        }
    }

    /// What a sum, difference or product is made of, if of lanes of half the width.
    pub(super) fn combination(
        &mut self,
        op: BinaryOp,
        vector: VectorShape,
        a: Run,
        b: Run,
    ) -> Option<Combined> {
        if !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) {
            return None;
        }
        let is_half = |known: &Extended| twice(known.from) == Some(vector);
        let [x, y] = [a, b].map(|run| self.extended_of(vector, run).filter(is_half));
        let [m, n] = [a, b].map(|run| self.uniform_number(run, vector.lane.bits()));
        // The sum with one and another number, in any order.
        if op == BinaryOp::Add {
            for (run, other, number) in [(a, y, n), (b, x, m)] {
                let Some(sum) = self.combined_of(vector, run).filter(|sum| sum.op == op && !sum.rounds)
                else {
                    continue;
                };
                if number == Some(1) {
                    return Some(Combined { rounds: true, ..sum });
                }
                let is_one = self.uniform_number(sum.args[1], sum.from.lane.bits()) == Some(1);
                if let Some(other) = other.filter(|other| is_one && other.range.above == sum.above) {
                    return Some(Combined { args: [sum.args[0], other.narrow], rounds: true, ..sum });
                }
            }
        }
        let Extended { from, range: Range { above, .. }, .. } = x.or(y)?;
        let mut narrow = |known: Option<Extended>, number: Option<i64>| {
            let bits = from.lane.bits();
            match (known, number) {
                (Some(known), _) => (known.range.above == above).then_some(known.narrow),
                (None, Some(number)) => {
                    let range = Range::of(number);
                    let fits = match above {
                        Above::Zeros => range.is_natural() && range.fits(bits),
                        Above::Sign => range.signed_bits() <= bits,
                    };
                    fits.then(|| self.splat_run(from, number)).flatten()
                }
                (None, None) => None,
            }
        };
        let (first, second) = (narrow(x, m)?, narrow(y, n)?);
        // A number is the second one.
        let args = if op != BinaryOp::Sub && x.is_none() { [second, first] } else { [first, second] };
        Some(Combined { op, args, from, above, rounds: false })
    }

    /// The number in all lanes of a vector.
    pub(super) fn splat_run(&mut self, vector: VectorShape, number: i64) -> Option<Run> {
        let native = vector.native?;
        let all = self.splat(native, number);
        let parts = self.reserve(vector.lanes.div_ceil(native.lanes()));
        for i in 0..parts.len {
            self.set(parts, i, all);
        }
        Some(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTE: Range = Range { bits: 8, above: Above::Zeros };
    const SIGNED: Range = Range { bits: 8, above: Above::Sign };

    /// The numbers of a range.
    fn ends(range: Range) -> [i64; 2] {
        match range.above {
            Above::Zeros => [0, (1 << range.bits) - 1],
            Above::Sign => [-(1 << (range.bits - 1)), (1 << (range.bits - 1)) - 1],
        }
    }

    #[test]
    fn results_are_in_their_range() {
        let ranges =
            [BYTE, SIGNED, Range::of(1), Range::of(-1), Range::of(200), Range::of(-129), Range::of(0)];
        for (a, b) in ranges.into_iter().flat_map(|a| ranges.map(|b| (a, b))) {
            for (x, y) in ends(a).into_iter().flat_map(|x| ends(b).map(|y| (x, y))) {
                for (op, result) in [(BinaryOp::Add, x + y), (BinaryOp::Sub, x - y), (BinaryOp::Mul, x * y)] {
                    let [least, most] = ends(Range::combined(op, a, b));
                    assert!((least..=most).contains(&result), "{op:?} of {x} and {y}: {least} to {most}");
                }
            }
        }
    }

    #[test]
    fn numbers_have_the_bits_that_they_take() {
        assert_eq!(Range::of(255), BYTE);
        assert_eq!(Range::of(-128), SIGNED);
        assert_eq!(Range::of(-129), Range { bits: 9, above: Above::Sign });
        assert_eq!(Range::combined(BinaryOp::Sub, BYTE, BYTE), Range { bits: 9, above: Above::Sign });
        assert_eq!(Range::combined(BinaryOp::Mul, BYTE, BYTE), Range { bits: 16, above: Above::Zeros });
        assert_eq!(Range::combined(BinaryOp::Mul, SIGNED, SIGNED), Range { bits: 16, above: Above::Sign });
    }
}
