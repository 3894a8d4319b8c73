//! Arithmetic on vectors whose lanes were extended.
//!
//! C computes with `int`, so that sums of bytes are sums of lanes of 32 bits. What fits in fewer bits is computed in lanes
//! of these, on half as many vectors or fewer, and extended afterwards. And where the result is cut again there may be an
//! instruction for the whole: an average, a distance, the upper half of a product, a sum that stops at its greatest number.
//!
//! What a vector is made of is known in its block alone, for there it is in registers.

use ice_ir::{BinaryOp, CastOp, IntCond, Type, Value};

use super::lane_width::Above;
use super::values::Run;
use super::{Body, Checked};
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
    /// The same, shifted to the right by some bits.
    Shifted(Combined, i64),
    /// The absolute value of a difference.
    Distance(Combined),
    /// The lesser of it and a number (`Slt`, `Ult`), or the greater (`Sgt`, `Ugt`).
    Limited(Combined, IntCond, i64),
    /// The [lower halves](super::low_halves) of its lanes.
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
    is_result: bool,
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
    bits: u32,
    pub(super) above: Above,
}

impl Range {
    const fn of(number: i64) -> Range {
        match number < 0 {
            true => Range { bits: 65 - number.leading_ones(), above: Above::Sign },
            false => Range { bits: 64 - number.leading_zeros(), above: Above::Zeros },
        }
    }

    fn is_natural(self) -> bool {
        self.above == Above::Zeros
    }

    /// As many bits as it takes with a sign.
    fn signed_bits(self) -> u32 {
        self.bits + u32::from(self.is_natural())
    }

    /// What an operator makes of two numbers.
    fn combined(op: BinaryOp, a: Range, b: Range) -> Range {
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
    const fn fits(self, bits: u32) -> bool {
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
    fn is_watched_shape(&self, vector: VectorShape) -> bool {
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
        let known = self.latest().filter(|known| known.shape == shape && self.are_same(known.run, run));
        known.into_iter().find_map(|known| f(&known.origin))
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
        if self.s.widened.is_empty() || !self.is_watched_shape(vector) {
            return;
        }
        let number = |cx: &Self, run| cx.uniform_number(run, vector.lane.bits());
        match op {
            BinaryOp::Lshr | BinaryOp::Ashr => {
                if let (Some(combined), Some(by)) = (self.combined_of(vector, a), number(self, b)) {
                    self.note_origin(vector, out, Origin::Shifted(combined, by));
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
        if self.s.widened.is_empty() || !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) {
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

    // ---- in fewer bits

    /// Numbers of a range that were computed in lanes of `from`, in those of `wide`.
    fn extended_again(
        &mut self,
        narrow: Run,
        from: VectorShape,
        wide: VectorShape,
        range: Range,
    ) -> Checked<Run> {
        let out = self.vector_cast(range.above.extension(), from, wide, narrow)?;
        self.note_origin(wide, out, Origin::Extended(Extended { narrow, from, range, is_result: true }));
        Ok(out)
    }

    /// The operator on two vectors, computed in fewer bits; `None` if there is no such way.
    pub(super) fn narrow_binary(
        &mut self,
        op: BinaryOp,
        vector: VectorShape,
        a: Run,
        b: Run,
    ) -> Checked<Option<Run>> {
        if self.s.widened.is_empty() || !self.is_watched_shape(vector) {
            return Ok(None);
        }
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {}
            BinaryOp::Lshr | BinaryOp::Ashr => return self.narrow_shift(op, vector, a, b),
            _ => return Ok(None),
        }
        let [x, y] = [a, b].map(|run| self.extended_of(vector, run));
        let Some(mut middle) = x.or(y).map(|known| known.from) else { return Ok(None) };
        let number = |cx: &Self, run| cx.uniform_number(run, vector.lane.bits());
        let range = |cx: &Self, known: Option<Extended>, run| match known {
            Some(known) => Some(known.range),
            None => number(cx, run).map(Range::of),
        };
        let (Some(first), Some(second)) = (range(self, x, a), range(self, y, b)) else { return Ok(None) };
        let result = Range::combined(op, first, second);
        let widest = [x, y].into_iter().flatten().map(|known| known.from.lane.bits()).max();
        while !result.fits(middle.lane.bits()) || widest > Some(middle.lane.bits()) {
            match twice(middle) {
                Some(wider) => middle = wider,
                None => return Ok(None),
            }
        }
        if middle.lane.bits() >= vector.lane.bits() {
            return Ok(None);
        }
        let (Some(p), Some(q)) =
            (self.in_middle(x, a, vector, middle)?, self.in_middle(y, b, vector, middle)?)
        else {
            return Ok(None);
        };
        let narrow = self.vector_binary(op, middle, p, q)?;
        let is_first = ![x, y].into_iter().flatten().any(|known| known.is_result);
        // Where vectors are wholes they are extended as they are loaded. What nobody uses of both is no code.
        if is_first && self.double(vector.native).is_some() {
            let out = self.native_binary(op, vector, a, b)?;
            let extended = Extended { narrow, from: middle, range: result, is_result: true };
            self.note_origin(vector, out, Origin::Extended(extended));
            return Ok(Some(out));
        }
        self.extended_again(narrow, middle, vector, result).map(Some)
    }

    /// A sum with booleans or a difference from such: they are 0 and -1 where they are compared, and taken away or added.
    pub(super) fn binary_with_booleans(
        &mut self,
        op: BinaryOp,
        vector: VectorShape,
        a: Run,
        b: Run,
    ) -> Checked<Option<Run>> {
        if self.s.widened.is_empty() || !self.is_watched_shape(vector) {
            return Ok(None);
        }
        let booleans = |cx: &Self, run| {
            cx.origin(vector, run, |origin| match *origin {
                Origin::Booleans(narrow, from) => Some((narrow, from)),
                _ => None,
            })
        };
        let (opposite, number, known) = match (op, booleans(self, a), booleans(self, b)) {
            (BinaryOp::Add, _, Some(known)) => (BinaryOp::Sub, a, known),
            (BinaryOp::Add, Some(known), None) => (BinaryOp::Sub, b, known),
            (BinaryOp::Sub, _, Some(known)) => (BinaryOp::Add, a, known),
            _ => return Ok(None),
        };
        let signs = self.vector_cast(CastOp::Sext, known.1, vector, known.0)?;
        self.native_binary(opposite, vector, number, signs).map(Some)
    }

    /// An operand of the shape `vector` in lanes of `middle`: what was extended to it, or a number.
    fn in_middle(
        &mut self,
        known: Option<Extended>,
        wide: Run,
        vector: VectorShape,
        middle: VectorShape,
    ) -> Checked<Option<Run>> {
        match known {
            Some(Extended { narrow, from, .. }) if from == middle => Ok(Some(narrow)),
            Some(Extended { narrow, from, range, .. }) => {
                self.vector_cast(range.above.extension(), from, middle, narrow).map(Some)
            }
            None => {
                let number = self.uniform_number(wide, vector.lane.bits());
                Ok(number.and_then(|number| self.splat_run(middle, number)))
            }
        }
    }

    /// A shift to the right that leaves the bits above as they are.
    fn narrow_shift(&mut self, op: BinaryOp, vector: VectorShape, a: Run, by: Run) -> Checked<Option<Run>> {
        let (Some(known), Some(by)) =
            (self.extended_of(vector, a), self.uniform_number(by, vector.lane.bits()))
        else {
            return Ok(None);
        };
        let Extended { narrow, from, range, .. } = known;
        // Bytes have no shifts of their own everywhere.
        let is_shift = (0..i64::from(from.lane.bits())).contains(&by) && from.lane.bits() > 8;
        let op = match (range.above, op) {
            (Above::Zeros, _) => BinaryOp::Lshr,
            (Above::Sign, BinaryOp::Ashr) => op,
            _ => return Ok(None),
        };
        let Some(amount) = is_shift.then(|| self.splat_run(from, by)).flatten() else { return Ok(None) };
        let shifted = self.vector_binary(op, from, narrow, amount)?;
        let range = Range { bits: range.bits.saturating_sub(by as u32).max(1), ..range };
        self.extended_again(shifted, from, vector, range).map(Some)
    }

    /// The absolute values of lanes that were extended; `None` of others.
    pub(super) fn narrow_absolute(&mut self, vector: VectorShape, a: Run) -> Checked<Option<Run>> {
        let Some(Extended { narrow, from, range, .. }) = self.extended_of(vector, a) else { return Ok(None) };
        if range.is_natural() {
            return Ok(Some(a));
        }
        // That of the least number has its bits, and no sign.
        let Some(values) = self.vector_absolute(from, narrow)? else { return Ok(None) };
        let range = Range { above: Above::Zeros, ..range };
        self.extended_again(values, from, vector, range).map(Some)
    }

    /// Keeps in mind that a vector has absolute values.
    pub(super) fn note_absolute(&mut self, vector: VectorShape, a: Run, out: Run) {
        if let Some(difference) = self.combined_of(vector, a).filter(|known| known.op == BinaryOp::Sub) {
            self.note_origin(vector, out, Origin::Distance(difference));
        }
    }

    /// The lesser or the greater of lanes that were extended and of a number.
    pub(super) fn narrow_extreme(
        &mut self,
        cond: IntCond,
        vector: VectorShape,
        a: Run,
        b: Run,
    ) -> Checked<Option<Run>> {
        if self.s.widened.is_empty() || !self.is_watched_shape(vector) {
            return Ok(None);
        }
        let (Some(known), Some(number)) =
            (self.extended_of(vector, a), self.uniform_number(b, vector.lane.bits()))
        else {
            return Ok(None);
        };
        let (Extended { narrow, from, range, .. }, limit) = (known, Range::of(number));
        let bits = from.lane.bits();
        let is_signed = matches!(cond, IntCond::Slt | IntCond::Sgt);
        // Where the sign is to spare, the comparison that has an instruction everywhere does.
        let cond = match cond {
            _ if range.is_natural() && !limit.is_natural() => return Ok(None),
            _ if !range.is_natural() && !is_signed => return Ok(None),
            IntCond::Slt | IntCond::Ult if range.signed_bits().max(limit.signed_bits()) <= bits => {
                IntCond::Slt
            }
            IntCond::Sgt | IntCond::Ugt if range.signed_bits().max(limit.signed_bits()) <= bits => {
                IntCond::Sgt
            }
            IntCond::Slt | IntCond::Ult if range.is_natural() && limit.fits(bits) => IntCond::Ult,
            IntCond::Sgt | IntCond::Ugt if range.is_natural() && limit.fits(bits) => IntCond::Ugt,
            _ => return Ok(None),
        };
        let Some(limits) = self.splat_run(from, number) else { return Ok(None) };
        let is_least = matches!(cond, IntCond::Sgt | IntCond::Ugt);
        let range = match (range.above, is_least) {
            (Above::Zeros, true) => Range { bits: range.bits.max(limit.bits), ..range },
            (Above::Zeros, false) => Range { bits: range.bits.min(limit.bits), ..range },
            // What is not below a natural number is one.
            (Above::Sign, true) if limit.is_natural() => {
                Range { bits: (range.bits - 1).max(limit.bits).max(1), above: Above::Zeros }
            }
            (Above::Sign, _) => Range { bits: range.bits.max(limit.signed_bits()), ..range },
        };
        let values = self.vector_extreme(cond, from, [narrow, limits])?;
        self.extended_again(values, from, vector, range).map(Some)
    }

    /// Keeps in mind that a vector has limits.
    pub(super) fn note_limited(&mut self, cond: IntCond, vector: VectorShape, a: Run, b: Run, out: Run) {
        if let Some(combined) = self.combined_of(vector, a)
            && let Some(number) = self.uniform_number(b, vector.lane.bits())
        {
            self.note_origin(vector, out, Origin::Limited(combined, cond, number));
        }
    }

    // ---- cut again

    /// Lanes of extended numbers that are cut, or of what was computed of such; `None` where all is done as it stands.
    pub(super) fn narrow_cut(&mut self, from: VectorShape, to: VectorShape, a: Run) -> Checked<Option<Run>> {
        if self.s.widened.is_empty() || !self.is_watched_shape(from) {
            return Ok(None);
        }
        if let Some(Extended { narrow, from: inner, range, .. }) = self.extended_of(from, a) {
            return Ok(Some(match inner.lane.bits().cmp(&to.lane.bits()) {
                core::cmp::Ordering::Less => self.vector_cast(range.above.extension(), inner, to, narrow)?,
                core::cmp::Ordering::Equal => narrow,
                core::cmp::Ordering::Greater => self.vector_cast(CastOp::Trunc, inner, to, narrow)?,
            }));
        }
        let is_whole = |known: &Combined| known.from == to && twice(to) == Some(from);
        let Some(origin) = self.origin(from, a, |origin| match origin {
            Origin::Extended(_) | Origin::Combined(_) => None,
            Origin::Low(_) | Origin::LowShifted(..) | Origin::Booleans(..) => None,
            other => Some(*other),
        }) else {
            return self.low_cut(from, to, a);
        };
        let known = match origin {
            Origin::Shifted(product, by)
                if is_whole(&product) && product.op == BinaryOp::Mul && by == i64::from(to.lane.bits()) =>
            {
                self.upper_halves(product)
            }
            Origin::Shifted(sum, 1) if is_whole(&sum) && sum.op == BinaryOp::Add => self.average(sum),
            Origin::Distance(difference) if is_whole(&difference) => self.distance(difference),
            Origin::Limited(sum, IntCond::Slt | IntCond::Ult, most)
                if is_whole(&sum)
                    && (sum.op, sum.above, sum.rounds) == (BinaryOp::Add, Above::Zeros, false)
                    && most == (1 << to.lane.bits()) - 1 =>
            {
                self.by_instruction("uadd.sat", sum)
            }
            Origin::Limited(difference, IntCond::Sgt, 0)
                if is_whole(&difference)
                    && (difference.op, difference.above) == (BinaryOp::Sub, Above::Zeros) =>
            {
                self.by_instruction("usub.sat", difference)
            }
            _ => Ok(None),
        }?;
        if known.is_some() { Ok(known) } else { self.low_cut(from, to, a) }
    }

    /// The instruction of this name on what was combined, where the machine has it.
    fn by_instruction(&mut self, name: &str, known: Combined) -> Checked<Option<Run>> {
        let [a, b] = known.args;
        match known.from.native {
            Some(native) => self.vector_instruction(name, native, [a, b]),
            None => Ok(None),
        }
    }

    /// The upper halves of a product.
    pub(super) fn upper_halves(&mut self, product: Combined) -> Checked<Option<Run>> {
        let machine = self.m.legal.machine();
        let texts = machine.upper_products.filter(|_| machine.has_assembler);
        let Some(texts) = texts.filter(|_| product.from.native == Some(Type::V8I16)) else {
            return self.upper_of_long(product);
        };
        let [template, constraints] = texts[usize::from(product.above == Above::Sign)];
        self.by_wholes(product.args, |cx, factors| {
            let ty = cx.ty_of(factors[0]);
            cx.instruction_value(template.into(), constraints, &factors, ty)
        })
        .map(Some)
    }

    /// Half of a sum: rounded up by an instruction, or down by another or from that.
    fn average(&mut self, sum: Combined) -> Checked<Option<Run>> {
        let [up, down] = match sum.above {
            Above::Zeros => ["avgceilu", "avgflooru"],
            Above::Sign => ["avgceils", "avgfloors"],
        };
        if sum.rounds {
            return self.by_instruction(up, sum);
        }
        if let Some(run) = self.by_instruction(down, sum)? {
            return Ok(Some(run));
        }
        let Some(rounded) = self.by_instruction(up, sum)? else { return Ok(None) };
        let [a, b] = sum.args;
        self.by_wholes([rounded, a, b], |cx, [rounded, a, b]| {
            let odd = cx.bin(BinaryOp::Xor, a, b);
            let odd = cx.bin_int(BinaryOp::And, odd, 1);
            Ok(cx.bin(BinaryOp::Sub, rounded, odd))
        })
        .map(Some)
    }

    /// The absolute value of a difference.
    fn distance(&mut self, difference: Combined) -> Checked<Option<Run>> {
        let [a, b] = difference.args;
        let (name, native) = match difference.above {
            Above::Zeros => ("abdu", difference.from.native),
            Above::Sign => ("abds", difference.from.native),
        };
        if let Some(run) = self.by_instruction(name, difference)? {
            return Ok(Some(run));
        }
        match (difference.above, native) {
            // One of both stops at zero.
            (Above::Zeros, Some(native)) => {
                let less = self.vector_instruction("usub.sat", native, [a, b])?;
                let more = self.vector_instruction("usub.sat", native, [b, a])?;
                let (Some(less), Some(more)) = (less, more) else { return Ok(None) };
                self.by_wholes([less, more], |cx, [less, more]| Ok(cx.bin(BinaryOp::Or, less, more)))
                    .map(Some)
            }
            (Above::Sign, Some(Type::V8I16)) => {
                let pick = |cx: &mut Self, cond, x: Value, y: Value| {
                    let first = cx.icmp(cond, x, y);
                    cx.choose(first, x, y)
                };
                self.by_wholes([a, b], |cx, [a, b]| {
                    let (most, least) = (pick(cx, IntCond::Sgt, a, b), pick(cx, IntCond::Slt, a, b));
                    Ok(cx.bin(BinaryOp::Sub, most, least))
                })
                .map(Some)
            }
            _ => Ok(None),
        }
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
