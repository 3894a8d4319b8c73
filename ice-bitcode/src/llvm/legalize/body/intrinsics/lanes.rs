//! Intrinsics lane by lane: a rule for scalars is applied to every lane of vectors.

use ice_ir::Value;

use crate::error::Error;
use crate::llvm::legalize::body::values::{Operand, Run};
use crate::llvm::legalize::body::{Body, Checked, fail, unsupported};
use crate::llvm::legalize::shape::{Kind, Scalar};
use crate::llvm::wire::types::TypeId;

impl Body<'_, '_> {
    /// The scalar that a type is or has lanes of.
    pub(super) fn lane_scalar(&self, ty: TypeId) -> Checked<Scalar> {
        match self.value_shape(ty)?.kind {
            Kind::Scalar(scalar) => Ok(scalar),
            Kind::Vector(vector) => Ok(vector.lane),
            _ => fail(self.type_class(ty, "a number or a vector of numbers")),
        }
    }

    /// The parts of the lanes of a vector.
    pub(super) fn lanes_of(&mut self, a: Operand) -> Checked<Run> {
        let shape = self.vector_shape(a.ty)?;
        let run = self.run(a);
        Ok(self.split_lanes(shape, run))
    }

    /// A function of scalars on scalars, or lane by lane; arguments that are no vectors are the same in all lanes.
    pub(super) fn map_lanes(
        &mut self,
        ret: TypeId,
        args: &[Operand],
        mut f: impl FnMut(&mut Self, Scalar, &[Run]) -> Checked<Run>,
    ) -> Checked<Operand> {
        let mut runs = [Run { start: 0, len: 0 }; 3];
        for (run, &arg) in runs.iter_mut().zip(args) {
            *run = self.run(arg);
        }
        let runs = &mut runs[..args.len()];
        let vector = match self.kind(args[0].ty) {
            Kind::Scalar(scalar) => {
                for &arg in &args[1..] {
                    self.scalar(arg.ty)?;
                }
                self.scalar(ret)?;
                let run = f(self, scalar, runs)?;
                return match self.shape(ret).parts == run.len {
                    true => Ok(self.operand(ret, run)),
                    false => fail(self.type_class(ret, "the type that the intrinsic gives")),
                };
            }
            Kind::Vector(vector) => vector,
            _ => return fail(self.type_class(args[0].ty, "a number or a vector of numbers")),
        };
        let result = self.vector_shape(ret)?;
        if result.lanes != vector.lanes {
            return fail(self.type_class(ret, "a vector of as many lanes"));
        }
        let mut each = [0; 3];
        for ((run, each), &arg) in runs.iter_mut().zip(&mut each).zip(args) {
            if let Kind::Vector(shape) = self.kind(arg.ty) {
                if shape.lanes != vector.lanes {
                    return fail(self.type_class(arg.ty, "a vector of as many lanes"));
                }
                *run = self.split_lanes(shape, *run);
                *each = shape.lane.parts();
            }
        }
        let parts = result.lane.parts();
        let out = self.reserve(result.lanes * parts);
        for lane in 0..vector.lanes {
            let mut own = [Run { start: 0, len: 0 }; 3];
            for ((own, run), &each) in own.iter_mut().zip(runs.iter()).zip(&each) {
                *own = if each == 0 { *run } else { run.part(lane * each, each) };
            }
            let value = f(self, vector.lane, &own[..args.len()])?;
            if value.len != parts {
                return fail(self.type_class(ret, "the type that the intrinsic gives"));
            }
            self.copy(out, lane * parts, value);
        }
        let run = self.join_lanes(result, out);
        Ok(self.operand(ret, run))
    }

    /// A function of `f32` or `f64`, of floats of any format and their vectors.
    pub(super) fn float_lanes(
        &mut self,
        ret: TypeId,
        args: &[Operand],
        mut f: impl FnMut(&mut Self, &[Value]) -> Checked<Value>,
    ) -> Checked<Operand> {
        self.map_lanes(ret, args, |cx, scalar, runs| {
            if !scalar.is_float() {
                return unsupported("a floating-point intrinsic on integers");
            }
            let mut values = [None; 3];
            for (value, run) in values.iter_mut().zip(runs) {
                *value = Some(cx.float_extend(scalar, cx.get(*run, 0)));
            }
            let first = values[0].ok_or(Error::VoidValue)?;
            let values = values.map(|value| value.unwrap_or(first));
            let value = f(cx, &values[..runs.len()])?;
            let value = cx.float_round(scalar, value);
            Ok(cx.push(value))
        })
    }
}
