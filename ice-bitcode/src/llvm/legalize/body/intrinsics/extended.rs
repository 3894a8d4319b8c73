//! Intrinsics whose first argument is an `x86_fp80`.

use ice_ir::{BinaryOp, CastOp, Type};

use super::Call;
use crate::llvm::legalize::body::values::{Operand, Run};
use crate::llvm::legalize::body::{Body, Checked, fail};
use crate::llvm::legalize::shape::Scalar;

impl Body<'_, '_> {
    /// The arguments, of which the first `count` have the type of the first.
    fn extended_args(&mut self, call: &Call, count: usize) -> Checked<[Run; 3]> {
        let mut numbers = [self.run(call.args[0]); 3];
        for (number, &arg) in numbers.iter_mut().zip(&call.args[..count]).skip(1) {
            if arg.ty != call.args[0].ty {
                return fail(self.type_class(arg.ty, "x86_fp80, as the first argument"));
            }
            *number = self.run(arg);
        }
        Ok(numbers)
    }

    /// `fabs`.
    pub(super) fn extended_abs_call(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = self.extended_args(call, 1)?;
        let result = self.extended_abs(a);
        self.operand_of(call.ret, result)
    }

    /// `sqrt`.
    pub(super) fn extended_sqrt_call(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = self.extended_args(call, 1)?;
        let result = self.extended_sqrt(a)?;
        self.operand_of(call.ret, result)
    }

    /// `copysign`.
    pub(super) fn extended_copysign_call(&mut self, call: &Call) -> Checked<Operand> {
        let [a, b, _] = self.extended_args(call, 2)?;
        let result = self.extended_copysign(a, b);
        self.operand_of(call.ret, result)
    }

    /// `fmuladd`, as two operations.
    pub(super) fn extended_multiply_add(&mut self, call: &Call) -> Checked<Operand> {
        let [a, b, c] = self.extended_args(call, 3)?;
        let product = self.extended_binary(BinaryOp::Fmul, a, b)?;
        let result = self.extended_binary(BinaryOp::Fadd, product, c)?;
        self.operand_of(call.ret, result)
    }

    /// `is.fpclass`.
    pub(super) fn extended_class_call(&mut self, call: &Call) -> Checked<Operand> {
        let mask = self.class_mask(call)?;
        let [a, ..] = self.extended_args(call, 1)?;
        let value = self.extended_class(a, mask);
        self.one_of(call.ret, value)
    }

    /// The function of libm for `long double` that the row names, with all arguments.
    pub(super) fn extended_library_call(&mut self, call: &Call) -> Checked<Operand> {
        let count = call.count.min(3);
        let mut numbers = [self.run(call.args[0]); 3];
        for (number, &arg) in numbers.iter_mut().zip(&call.args[..count]).skip(1) {
            *number = self.run(arg);
        }
        let result = self.extended_library(call.row.library, &numbers[..count])?;
        self.operand_of(call.ret, result)
    }

    /// The function of libm for `long double` that the row names, its result as an integer.
    pub(super) fn extended_rounded_to_int(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = self.extended_args(call, 1)?;
        let rounded = self.extended_library(call.row.library, &[a])?;
        let to = self.scalar(call.ret)?;
        let result = self.extended_cast(CastOp::Fptosi, Scalar::Extended, to, rounded)?;
        self.operand_of(call.ret, result)
    }

    /// `is.constant`, of what is never known.
    pub(super) fn is_no_constant(&mut self, call: &Call) -> Checked<Operand> {
        let value = self.int(Type::I1, 0);
        self.one_of(call.ret, value)
    }
}
