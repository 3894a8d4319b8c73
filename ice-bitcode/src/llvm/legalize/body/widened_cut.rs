//! Lanes that were extended, and are cut to the width that they had: where there is an instruction for what was computed in
//! between, an average, a distance, the upper half of a product or a sum that stops at its greatest number, it is that.

use ice_ir::{BinaryOp, CastOp, IntCond, Type};

use super::lane_width::Above;
use super::values::Run;
use super::widened::{Combined, Extended, Origin, twice};
use super::{Body, Checked};
use crate::llvm::legalize::shape::VectorShape;

impl Body<'_, '_> {
    /// Lanes of extended numbers that are cut, or of what was computed of such; `None` where all is done as it stands.
    pub(super) fn narrow_cut(&mut self, from: VectorShape, to: VectorShape, a: Run) -> Checked<Option<Run>> {
        if let Some(Extended { narrow, from: inner, range, .. }) = self.extended_of(from, a) {
            return Ok(Some(match inner.lane.bits().cmp(&to.lane.bits()) {
                core::cmp::Ordering::Less => self.vector_cast(range.above.extension(), inner, to, narrow)?,
                core::cmp::Ordering::Equal => narrow,
                core::cmp::Ordering::Greater => self.vector_cast(CastOp::Trunc, inner, to, narrow)?,
            }));
        }
        let bits = i64::from(to.lane.bits());
        let is_whole = |known: &Combined| known.from == to && twice(to) == Some(from);
        let Some(origin) = self.origin(from, a, |origin| match origin {
            Origin::Extended(_) | Origin::Combined(_) => None,
            Origin::Low(_) | Origin::LowShifted(..) | Origin::Booleans(..) => None,
            other => Some(*other),
        }) else {
            return self.low_cut(from, to, a);
        };
        let known = match origin {
            Origin::Shifted(product, op, by)
                if is_whole(&product) && product.op == BinaryOp::Mul && (bits..2 * bits).contains(&by) =>
            {
                match self.upper_halves(product)? {
                    Some(upper) if by > bits => {
                        let shifted =
                            self.by_wholes([upper], |cx, [upper]| Ok(cx.bin_int(op, upper, by - bits)))?;
                        Ok(Some(shifted))
                    }
                    upper => Ok(upper),
                }
            }
            Origin::Shifted(sum, _, 1) if is_whole(&sum) && sum.op == BinaryOp::Add => self.average(sum),
            Origin::Distance(difference) if is_whole(&difference) => self.distance(difference),
            Origin::Limited(sum, IntCond::Slt | IntCond::Ult, most)
                if is_whole(&sum)
                    && (sum.op, sum.above, sum.rounds) == (BinaryOp::Add, Above::Zeros, false)
                    && most == (1 << to.lane.bits()) - 1 =>
            {
                self.vector_instruction("uadd.sat", sum.args)
            }
            Origin::Limited(difference, IntCond::Sgt, 0)
                if is_whole(&difference)
                    && (difference.op, difference.above) == (BinaryOp::Sub, Above::Zeros) =>
            {
                self.vector_instruction("usub.sat", difference.args)
            }
            _ => Ok(None),
        }?;
        if known.is_some() { Ok(known) } else { self.low_cut(from, to, a) }
    }

    /// The upper halves of a product.
    pub(super) fn upper_halves(&mut self, product: Combined) -> Checked<Option<Run>> {
        let Some([template, constraints]) = self.upper_product_text(product.from.lane.bits(), product.above)
        else {
            return self.upper_of_long(product);
        };
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
            return self.vector_instruction(up, sum.args);
        }
        if let Some(run) = self.vector_instruction(down, sum.args)? {
            return Ok(Some(run));
        }
        let Some(rounded) = self.vector_instruction(up, sum.args)? else { return Ok(None) };
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
        let Combined { args, from, above, .. } = difference;
        let [a, b] = args;
        let name = if above == Above::Sign { "abds" } else { "abdu" };
        if let Some(run) = self.vector_instruction(name, args)? {
            return Ok(Some(run));
        }
        match (above, from.native) {
            // One of both stops at zero.
            (Above::Zeros, _) => {
                let less = self.vector_instruction("usub.sat", [a, b])?;
                let more = self.vector_instruction("usub.sat", [b, a])?;
                let (Some(less), Some(more)) = (less, more) else { return Ok(None) };
                self.vector_binary(BinaryOp::Or, from, less, more).map(Some)
            }
            (Above::Sign, Some(Type::V8I16)) => {
                let most = self.vector_extreme(IntCond::Sgt, from, args)?;
                let least = self.vector_extreme(IntCond::Slt, from, args)?;
                self.vector_binary(BinaryOp::Sub, from, most, least).map(Some)
            }
            _ => Ok(None),
        }
    }
}
