//! Intrinsics whose first argument is an `x86_fp80` or an `fp128`.

use ice_ir::{BinaryOp, CastOp, FloatCond, Type};

use super::Call;
use crate::llvm::legalize::body::float::{Nans, Zeros};
use crate::llvm::legalize::body::integer::Sign;
use crate::llvm::legalize::body::values::{Operand, Run};
use crate::llvm::legalize::body::{Body, Checked, fail, unsupported};
use crate::llvm::legalize::shape::{Kind, Scalar};

impl Body<'_, '_> {
    /// Whether the first argument is an `fp128`.
    fn is_quad(&self, call: &Call) -> bool {
        self.kind(call.args[0].ty) == Kind::Scalar(Scalar::Quad)
    }

    /// The arguments, of which the first `count` have the type of the first.
    fn extended_args(&mut self, call: &Call, count: usize) -> Checked<[Run; 3]> {
        let mut numbers = [self.run(call.args[0]); 3];
        for (number, &arg) in numbers.iter_mut().zip(&call.args[..count]).skip(1) {
            if arg.ty != call.args[0].ty {
                return fail(self.type_class(arg.ty, "the type of the first argument"));
            }
            *number = self.run(arg);
        }
        Ok(numbers)
    }

    /// `fabs`.
    pub(super) fn extended_abs_call(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = self.extended_args(call, 1)?;
        let result = match self.is_quad(call) {
            true => self.quad_abs(a),
            false => self.extended_abs(a),
        };
        self.operand_of(call.ret, result)
    }

    /// `sqrt`.
    pub(super) fn extended_sqrt_call(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = self.extended_args(call, 1)?;
        let result = match self.is_quad(call) {
            true => self.quad_library("sqrt", &[a])?,
            false => self.extended_sqrt(a)?,
        };
        self.operand_of(call.ret, result)
    }

    /// `copysign`.
    pub(super) fn extended_copysign_call(&mut self, call: &Call) -> Checked<Operand> {
        let [a, b, _] = self.extended_args(call, 2)?;
        let result = match self.is_quad(call) {
            true => self.quad_copysign(a, b),
            false => self.extended_copysign(a, b),
        };
        self.operand_of(call.ret, result)
    }

    /// `fmuladd`, as two operations.
    pub(super) fn extended_multiply_add(&mut self, call: &Call) -> Checked<Operand> {
        let [a, b, c] = self.extended_args(call, 3)?;
        let scalar = self.scalar(call.args[0].ty)?;
        let product = self.scalar_binary(BinaryOp::Fmul, scalar, a, b)?;
        let result = self.scalar_binary(BinaryOp::Fadd, scalar, product, c)?;
        self.operand_of(call.ret, result)
    }

    /// `is.fpclass`.
    pub(super) fn extended_class_call(&mut self, call: &Call) -> Checked<Operand> {
        let mask = self.class_mask(call)?;
        let [a, ..] = self.extended_args(call, 1)?;
        let value = match self.is_quad(call) {
            true => self.quad_class(a, mask),
            false => self.extended_class(a, mask),
        };
        self.one_of(call.ret, value)
    }

    /// The function of libm that the row names, with all arguments.
    pub(super) fn extended_library_call(&mut self, call: &Call) -> Checked<Operand> {
        let count = call.count.min(3);
        let mut numbers = [self.run(call.args[0]); 3];
        for (number, &arg) in numbers.iter_mut().zip(&call.args[..count]).skip(1) {
            *number = self.run(arg);
        }
        let result = self.extended_function(call, &numbers[..count])?;
        self.operand_of(call.ret, result)
    }

    fn extended_function(&mut self, call: &Call, numbers: &[Run]) -> Checked<Run> {
        match self.is_quad(call) {
            true => self.quad_library(call.row.library, numbers),
            false => self.extended_library(call.row.library, numbers),
        }
    }

    /// The function of libm that the row names, its result as an integer.
    pub(super) fn extended_rounded_to_int(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = self.extended_args(call, 1)?;
        let rounded = self.extended_function(call, &[a])?;
        let (from, to) = (self.scalar(call.args[0].ty)?, self.scalar(call.ret)?);
        let result = self.scalar_cast(CastOp::Fptosi, from, to, rounded)?;
        self.operand_of(call.ret, result)
    }

    /// `minimum` and its like, of `fp128`.
    pub(super) fn quad_extremes(
        &mut self,
        call: &Call,
        cond: FloatCond,
        nans: Nans,
        zeros: Zeros,
    ) -> Checked<Operand> {
        if !self.is_quad(call) {
            return unsupported("this intrinsic on x86_fp80");
        }
        let [a, b, _] = self.extended_args(call, 2)?;
        let result = self.quad_extreme(cond, nans, zeros, a, b)?;
        self.operand_of(call.ret, result)
    }

    /// `frexp`, `modf`: the function that the row names gives a fraction, and leaves an `i32` or a number in memory.
    pub(super) fn extended_pair(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = self.extended_args(call, 1)?;
        let slot = self.slot(Type::V2I64.bytes().into(), 4)?;
        let place = self.push(slot);
        let fraction = self.extended_function(call, &[a, place])?;
        let second = match (call.row.library, self.is_quad(call)) {
            ("modf", false) => self.load_extended(slot),
            ("modf", true) => {
                let number = self.b.load(Type::V2I64, slot, 4);
                self.push(number)
            }
            _ => {
                let exponent = self.b.load(Type::I32, slot, 4);
                self.push(exponent)
            }
        };
        let out = self.reserve(fraction.len + second.len);
        self.copy(out, 0, fraction);
        self.copy(out, fraction.len, second);
        self.operand_of(call.ret, out)
    }

    /// `sincos`, by the function that the row names.
    pub(super) fn extended_sine_and_cosine(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = self.extended_args(call, 1)?;
        let slots = [self.slot(16, 4)?, self.slot(16, 4)?];
        let places = slots.map(|slot| self.push(slot));
        if self.is_quad(call) {
            self.quad_procedure(call.row.library, &[a, places[0], places[1]])?;
            let out = self.reserve(2);
            for (at, slot) in (0..).zip(slots) {
                let number = self.b.load(Type::V2I64, slot, 4);
                self.set(out, at, number);
            }
            return self.operand_of(call.ret, out);
        }
        self.extended_procedure(call.row.library, &[a, places[0], places[1]])?;
        let out = self.reserve(4);
        for (at, slot) in [(0, slots[0]), (2, slots[1])] {
            let number = self.load_extended(slot);
            self.copy(out, at, number);
        }
        self.operand_of(call.ret, out)
    }

    /// `fptosi.sat`, `fptoui.sat` of `fp128`.
    pub(super) fn quad_saturated(&mut self, call: &Call, sign: Sign) -> Checked<Operand> {
        let (true, Scalar::Int(bits)) = (self.is_quad(call), self.scalar(call.ret)?) else {
            return unsupported("this intrinsic on x86_fp80");
        };
        let [a, ..] = self.extended_args(call, 1)?;
        let result = self.quad_to_int_saturated(sign, bits, a)?;
        self.operand_of(call.ret, result)
    }

    /// `is.constant`, of what is never known.
    pub(super) fn is_no_constant(&mut self, call: &Call) -> Checked<Operand> {
        let value = self.int(Type::I1, 0);
        self.one_of(call.ret, value)
    }
}
