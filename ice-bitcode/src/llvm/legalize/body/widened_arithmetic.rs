//! Sums, differences, products, shifts to the right, absolute values and limits of vectors whose lanes were extended, computed in
//! as few bits as hold the result, which is extended afterwards; sums with booleans.

use ice_ir::{BinaryOp, CastOp, IntCond};

use super::lane_width::Above;
use super::values::Run;
use super::widened::{Extended, Origin, Range, twice};
use super::{Body, Checked};
use crate::llvm::legalize::shape::VectorShape;

impl Body<'_, '_> {
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
        let (Some(known), Some(number)) =
            (self.extended_of(vector, a), self.uniform_number(b, vector.lane.bits()))
        else {
            return Ok(None);
        };
        let (Extended { narrow, from, range, .. }, limit) = (known, Range::of(number));
        let bits = from.lane.bits();
        let is_signed = matches!(cond, IntCond::Slt | IntCond::Sgt);
        let is_known = if range.is_natural() { limit.is_natural() } else { is_signed };
        // Where the sign is to spare, the comparison that has an instruction everywhere does.
        let has_spare = range.signed_bits().max(limit.signed_bits()) <= bits;
        let is_held = has_spare || range.is_natural() && limit.fits(bits);
        if !is_known || !is_held {
            return Ok(None);
        }
        let is_least = matches!(cond, IntCond::Sgt | IntCond::Ugt);
        let cond = match (is_least, has_spare) {
            (true, true) => IntCond::Sgt,
            (true, false) => IntCond::Ugt,
            (false, true) => IntCond::Slt,
            (false, false) => IntCond::Ult,
        };
        let Some(limits) = self.splat_run(from, number) else { return Ok(None) };
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
}
