//! The lower halves of vectors of 32 bits, where all that they are made of has such: sums, differences, products and logic take no
//! more of their operands. What cuts the vector again, perhaps shifted to the right, needs nothing else, and the whole vectors are
//! no code if nobody else uses them. So fixed-point arithmetic on bytes is done in 16 bits, though C writes it in 32.

use ice_ir::{BinaryOp, CastOp, Type};

use super::values::Run;
use super::widened::{Extended, Origin, twice};
use super::{Body, Checked};
use crate::llvm::legalize::shape::{Scalar, VectorShape};

/// The vector of the lower halves of one of 32 bits.
fn half_of(vector: VectorShape) -> Option<VectorShape> {
    let is_known = vector.native == Some(Type::V4I32) && vector.lane == Scalar::Int(32);
    is_known.then_some(VectorShape { lane: Scalar::Int(16), native: Some(Type::V8I16), ..vector })
}

impl Body<'_, '_> {
    /// Keeps in mind what the lower halves of a result are.
    pub(super) fn note_low(
        &mut self,
        op: BinaryOp,
        vector: VectorShape,
        a: Run,
        b: Run,
        out: Run,
    ) -> Checked<()> {
        let Some(half) = half_of(vector) else { return Ok(()) };
        let amount = self.uniform_number(b, vector.lane.bits()).filter(|by| (0..16).contains(by));
        match op {
            BinaryOp::Lshr | BinaryOp::Ashr => {
                if let (Some(low), Some(by)) = (self.low_of(vector, a), amount) {
                    self.note_origin(vector, out, Origin::LowShifted(low, by));
                }
                return Ok(());
            }
            BinaryOp::Shl if amount.is_none() => return Ok(()),
            BinaryOp::Shl | BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {}
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {}
            _ => return Ok(()),
        }
        let (Some(x), Some(y)) = (self.low_half(a, vector, half)?, self.low_half(b, vector, half)?) else {
            return Ok(());
        };
        let low = self.vector_binary(op, half, x, y)?;
        self.note_origin(vector, out, Origin::Low(low));
        Ok(())
    }

    fn low_of(&self, shape: VectorShape, run: Run) -> Option<Run> {
        self.origin(shape, run, |origin| match *origin {
            Origin::Low(low) => Some(low),
            _ => None,
        })
    }

    /// The lower halves of the lanes of a vector, if they are known.
    fn low_half(&mut self, run: Run, vector: VectorShape, half: VectorShape) -> Checked<Option<Run>> {
        if let Some(low) = self.low_of(vector, run) {
            return Ok(Some(low));
        }
        if let Some(Extended { narrow, from, range, .. }) = self.extended_of(vector, run) {
            return Ok(match () {
                () if from == half => Some(narrow),
                () if twice(from) == Some(half) => {
                    Some(self.vector_cast(range.above.extension(), from, half, narrow)?)
                }
                () => None,
            });
        }
        let number = self.uniform_number(run, vector.lane.bits());
        Ok(number.and_then(|number| self.splat_run(half, number << 48 >> 48)))
    }

    /// Lanes of 32 bits, perhaps shifted to the right before, of which no more is left than their lower halves have.
    pub(super) fn low_cut(&mut self, from: VectorShape, to: VectorShape, a: Run) -> Checked<Option<Run>> {
        let Some(half) = half_of(from).filter(|half| to.lane.bits() <= half.lane.bits()) else {
            return Ok(None);
        };
        let known = self.origin(from, a, |origin| match *origin {
            Origin::Low(low) => Some((low, 0)),
            Origin::LowShifted(low, by) => Some((low, by)),
            _ => None,
        });
        let spare = i64::from(half.lane.bits() - to.lane.bits());
        let Some((mut low, by)) = known.filter(|(_, by)| *by <= spare) else { return Ok(None) };
        if by > 0 {
            let Some(amount) = self.splat_run(half, by) else { return Ok(None) };
            low = self.vector_binary(BinaryOp::Lshr, half, low, amount)?;
        }
        Ok(Some(if to == half { low } else { self.vector_cast(CastOp::Trunc, half, to, low)? }))
    }
}
