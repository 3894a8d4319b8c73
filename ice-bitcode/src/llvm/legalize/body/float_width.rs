//! Conversions between lanes of 64 and of 32 bits, floats on one side at least, two at a time, where a machine has instructions for
//! it: they take two lanes out of the lower half of a vector, or leave them there.

use ice_ir::{CastOp, Type, Value};

use super::values::Run;
use super::{Body, Checked};
use crate::llvm::legalize::shape::VectorShape;

impl Body<'_, '_> {
    /// The conversion of a vector with an even number of lanes; `None` if the machine has no instruction for it.
    pub(super) fn float_width_cast(
        &mut self,
        op: CastOp,
        from: VectorShape,
        to: VectorShape,
        a: Run,
    ) -> Checked<Option<Run>> {
        let machine = self.m.legal.machine();
        let (Some(x), Some(y)) = (from.native, to.native) else { return Ok(None) };
        let known = machine.float_widths.iter().find(|known| (known.op, known.from, known.to) == (op, x, y));
        let Some(known) = known.filter(|_| machine.has_assembler && from.lanes.is_multiple_of(2)) else {
            return Ok(None);
        };
        let out = self.reserve(to.lanes.div_ceil(y.lanes()));
        let mut lower = None;
        for n in 0..from.lanes / 2 {
            let mut value = self.two_lanes(a, n)?;
            for (step, [template, constraints]) in known.steps.iter().enumerate() {
                let ty = if step + 1 == known.steps.len() { y } else { Type::V2I64 };
                value = self.instruction_value((*template).into(), constraints, &[value], ty)?;
            }
            let (part, half) = (2 * n / y.lanes(), 2 * n % y.lanes());
            let whole = match lower.take() {
                Some(lower) if half > 0 => self.lower_halves(lower, value)?,
                _ => value,
            };
            self.set(out, part, whole);
            lower = Some(value);
        }
        Ok(Some(out))
    }

    /// Lanes `2 * n` and `2 * n + 1`, lowest.
    fn two_lanes(&mut self, a: Run, n: u32) -> Checked<Value> {
        let ty = self.ty_of(self.get(a, 0));
        let part = self.get(a, 2 * n / ty.lanes());
        match 2 * n % ty.lanes() {
            0 => Ok(part),
            _ => {
                let half = self.bits_as(part, Type::V2F64);
                let upper = core::array::from_fn(|n| (n < 2).then_some((half, 1)));
                let raised = self.with_places(Type::V2F64, &upper)?;
                Ok(self.bits_as(raised, ty))
            }
        }
    }

    /// The lower halves of two vectors of one type.
    fn lower_halves(&mut self, low: Value, high: Value) -> Checked<Value> {
        let ty = self.ty_of(low);
        let halves = [low, high].map(|vector| self.bits_as(vector, Type::V2F64));
        let places = core::array::from_fn(|n| halves.get(n).map(|&half| (half, 0)));
        let joined = self.with_places(Type::V2F64, &places)?;
        Ok(self.bits_as(joined, ty))
    }
}
