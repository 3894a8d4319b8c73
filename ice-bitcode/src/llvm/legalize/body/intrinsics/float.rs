//! Intrinsics on floating-point numbers: signs, extremes, classes, conversions, functions of libm.

use ice_ir::{BinaryOp, CastOp, FloatCond, Intrinsic, Type, Value};

use super::{Call, Compute};
use crate::error::Error;
use crate::llvm::legalize::body::float::{Nans, Zeros};
use crate::llvm::legalize::body::integer::Sign;
use crate::llvm::legalize::body::lane_width::Above;
use crate::llvm::legalize::body::values::{Operand, Run};
use crate::llvm::legalize::body::{Body, Checked, fail, unsupported};
use crate::llvm::legalize::shape::{Kind, Scalar, VectorShape};
use crate::llvm::wire::attributes::FunctionFlags;
use crate::llvm::wire::types::TypeId;

impl Body<'_, '_> {
    /// `fabs`.
    pub(super) fn floats_abs(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = call.args;
        if let Some(run) = self.double_floats(Intrinsic::Fabs, [a])? {
            return self.operand_of(call.ret, run);
        }
        self.map_floats(a, |cx, scalar, value| {
            Ok(match scalar {
                Scalar::Half | Scalar::BFloat => cx.bin_int(BinaryOp::And, value, 0x7fff),
                _ => cx.float_abs(value),
            })
        })
    }

    /// `sqrt`, of packed floats where the target has that.
    pub(super) fn floats_sqrt(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = call.args;
        self.float_operation(call, Intrinsic::Sqrt, [a])
    }

    /// An intrinsic of floats: of native vectors where there is one, else lane by lane.
    fn float_operation<const N: usize>(
        &mut self,
        call: &Call,
        op: Intrinsic,
        args: [Operand; N],
    ) -> Checked<Operand> {
        if let Some(other) = args.iter().find(|arg| arg.ty != args[0].ty) {
            return fail(self.type_class(other.ty, "the type of the first operand"));
        }
        if let Some(run) = self.double_floats(op, args)? {
            return self.operand_of(call.ret, run);
        }
        if !self.has_packed(op, args[0].ty) {
            return self.float_lanes(call.ret, &args, |cx, values| {
                let ty = cx.ty_of(values[0]);
                cx.intrinsic(op, ty, values)
            });
        }
        let runs = args.map(|arg| self.run(arg));
        let out = self.reserve(runs[0].len);
        for k in 0..out.len {
            let parts = runs.map(|run| self.get(run, k));
            let ty = self.ty_of(parts[0]);
            let value = self.intrinsic(op, ty, &parts)?;
            self.set(out, k, value);
        }
        self.operand_of(call.ret, out)
    }

    /// `floor` and its like: by an instruction where there is one, else a function of libm.
    pub(super) fn floats_rounded(&mut self, call: &Call, op: Intrinsic) -> Checked<Operand> {
        let (machine, flags) = (self.m.legal.machine(), self.s.flags);
        let rounds = machine.has_assembler
            && (flags.has(FunctionFlags::ROUNDS_FLOATS) || flags.has(FunctionFlags::WIDE_REGISTERS));
        match machine.has_float_choices || rounds {
            true if self.p.runtime.intrinsic(op, Type::F64).is_some() => {
                self.float_operation(call, op, [call.args[0]])
            }
            _ => self.libm_call(call),
        }
    }

    /// Whether there is an intrinsic for the native vectors that values of `ty` consist of.
    fn has_packed(&self, op: Intrinsic, ty: TypeId) -> bool {
        match self.kind(ty) {
            Kind::Vector(VectorShape { native: Some(native), .. }) => {
                native.is_float_or_float_vector() && self.p.runtime.intrinsic(op, native).is_some()
            }
            _ => false,
        }
    }

    /// `copysign`.
    pub(super) fn floats_copysign(&mut self, call: &Call) -> Checked<Operand> {
        let [a, b, ..] = call.args;
        self.map_lanes(call.ret, &[a, b], |cx, scalar, runs| {
            let value = cx.float_copysign(scalar, cx.get(runs[0], 0), cx.get(runs[1], 0));
            Ok(cx.push(value))
        })
    }

    /// `minnum` and its like.
    pub(super) fn float_extremes(
        &mut self,
        call: &Call,
        cond: FloatCond,
        nans: Nans,
        zeros: Zeros,
    ) -> Checked<Operand> {
        let [a, b, ..] = call.args;
        if let Kind::Vector(VectorShape { native: Some(native), .. }) = self.kind(a.ty)
            && native.is_float_or_float_vector()
            && a.ty == b.ty
        {
            let (x, y) = (self.run(a), self.run(b));
            let extreme = |cx: &mut Self, [x, y]: [Value; 2]| Ok(cx.float_extreme(cond, nans, zeros, x, y));
            let run = match (nans, zeros) {
                (Nans::Ignored, Zeros::Any) => self.by_wholes([x, y], extreme)?,
                _ => self.by_doubles(x.len, [x, y], extreme)?,
            };
            return self.operand_of(call.ret, run);
        }
        self.float_lanes(call.ret, &[a, b], |cx, values| {
            Ok(cx.float_extreme(cond, nans, zeros, values[0], values[1]))
        })
    }

    /// The product with the sum, rounded once, by an instruction if the processors of the function have it.
    pub(super) fn fused_multiply_add(&mut self, call: &Call, without: Compute) -> Checked<Operand> {
        let machine = self.m.legal.machine();
        let is_fused = machine.fuses_products
            || machine.has_assembler && self.s.flags.has(FunctionFlags::FUSED_MULTIPLY_ADD);
        let [a, b, c, ..] = call.args;
        if !is_fused || !matches!(self.lane_scalar(a.ty)?, Scalar::Float | Scalar::Double) {
            return without(self, call);
        }
        self.float_operation(call, Intrinsic::Fma, [a, b, c])
    }

    /// `fmuladd`, as two operations.
    pub(super) fn multiply_add(&mut self, call: &Call) -> Checked<Operand> {
        let [a, b, c, ..] = call.args;
        let product = self.binary(2, a, b)?;
        self.binary(0, product, c)
    }

    /// `is.fpclass`.
    pub(super) fn float_classes(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = call.args;
        let mask = self.class_mask(call)?;
        self.map_lanes(call.ret, &[a], |cx, scalar, runs| {
            let value = cx.float_class(scalar, cx.get(runs[0], 0), mask);
            Ok(cx.push(value))
        })
    }

    /// The second argument, which names classes of numbers.
    pub(super) fn class_mask(&self, call: &Call) -> Checked<i64> {
        match self.constant_number(call.args[1]) {
            Some(mask) => Ok(mask),
            None => unsupported("a class of floats that is no constant"),
        }
    }

    // ---- conversions

    /// `fptosi.sat`, `fptoui.sat`.
    pub(super) fn saturated_integers(&mut self, call: &Call, sign: Sign) -> Checked<Operand> {
        let [a, ..] = call.args;
        let Scalar::Int(bits) = self.lane_scalar(call.ret)? else {
            return fail(self.type_class(call.ret, "integers"));
        };
        if let Some(run) = self.saturated_natives(a, call.ret, sign)? {
            return self.operand_of(call.ret, run);
        }
        self.map_lanes(call.ret, &[a], |cx, scalar, runs| {
            cx.float_to_int_saturated(sign, scalar, bits, cx.get(runs[0], 0))
        })
    }

    /// The same of vectors of `float` at once, to integers of 8, 16 and 32 bits: numbers are brought into the range before.
    fn saturated_natives(&mut self, a: Operand, ret: TypeId, sign: Sign) -> Checked<Option<Run>> {
        let (Kind::Vector(from), Kind::Vector(to)) = (self.kind(a.ty), self.kind(ret)) else {
            return Ok(None);
        };
        let has_conversion = self.m.legal.machine().shuffles_lanes && from.native == Some(Type::V4F32);
        let native = match to.native {
            Some(ty @ (Type::V16I8 | Type::V8I16 | Type::V4I32))
                if has_conversion && from.lanes == to.lanes =>
            {
                ty
            }
            _ => return Ok(None),
        };
        let bits = native.element().bits();
        // From here on numbers are too large. Of 32 bits the last float below is less than the largest integer.
        let (least, end) = match sign {
            Sign::Signed => (-((1u64 << (bits - 1)) as f32), (1u64 << (bits - 1)) as f32),
            Sign::Unsigned => (0.0, (1u64 << bits) as f32),
        };
        let is_whole = bits == 32;
        let most = if is_whole { f32::from_bits(end.to_bits() - 1) } else { end - 1.0 };
        let op = if is_whole && sign == Sign::Unsigned { CastOp::Fptoui } else { CastOp::Fptosi };
        let largest = if sign == Sign::Signed { i64::from(i32::MAX) } else { -1 };
        let converted = |cx: &mut Self, [x]: [Value; 1]| {
            let ty = cx.ty_of(x);
            let wide = if ty.is_wide() { Type::V8I32 } else { Type::V4I32 };
            let [least, most, end] = [least, most, end].map(|bound| cx.float_splat(ty, bound.into()));
            let is_number = cx.fcmp(FloatCond::Ord, x, x);
            let zero = cx.b.func.make_zero(ty);
            let number = cx.choose(is_number, x, zero);
            let is_less = cx.fcmp(FloatCond::Olt, number, most);
            let number = cx.choose(is_less, number, most);
            let is_more = cx.fcmp(FloatCond::Ogt, number, least);
            let number = cx.choose(is_more, number, least);
            let number = cx.cast(op, number, wide);
            if !is_whole {
                return Ok(number);
            }
            let largest = cx.splat(wide, largest);
            let is_large = cx.fcmp(FloatCond::Oge, x, end);
            Ok(cx.choose(is_large, largest, number))
        };
        let parts = self.run(a);
        let numbers = match op {
            CastOp::Fptosi => self.by_wholes([parts], converted)?,
            _ => self.by_doubles(parts.len, [parts], converted)?,
        };
        self.numbers_as(numbers, from.lanes, native, Above::Zeros).map(Some)
    }

    /// The float whose half is in an `i16`.
    pub(super) fn widened_half(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = call.args;
        if self.int_bits_of(a.ty)? != 16 {
            return fail(self.type_class(a.ty, "i16"));
        }
        let value = self.float_extend(Scalar::Half, self.single(a));
        let value = match self.scalar(call.ret)? {
            Scalar::Double => self.cast(CastOp::Fpext, value, Type::F64),
            _ => value,
        };
        self.one_of(call.ret, value)
    }

    /// The half of a float, in an `i16`.
    pub(super) fn rounded_half(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = call.args;
        let value = match self.scalar(a.ty)? {
            Scalar::Double => self.double_to_float_odd(self.single(a)),
            Scalar::Float => self.single(a),
            _ => return fail(self.type_class(a.ty, "float or double")),
        };
        let value = self.float_round(Scalar::Half, value);
        self.one_of(call.ret, value)
    }

    // ---- functions of libm

    /// The function of libm that the row names, with all arguments.
    pub(super) fn libm_call(&mut self, call: &Call) -> Checked<Operand> {
        self.libm(call.row.library, call.ret, &call.args[..call.count.min(3)])
    }

    /// `frexp`, `modf`: the function of libm that the row names gives a fraction, and leaves an `i32` or a number of the
    /// same type in memory.
    pub(super) fn libm_pair(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = call.args;
        let from = self.scalar(a.ty)?;
        let types = self.m.legal.parts(call.ret)?;
        let (true, &[fraction, second]) = (from.is_float(), types) else {
            return fail(self.type_class(call.ret, "two numbers"));
        };
        let value = self.float_extend(from, self.single(a));
        let (name, own) = (call.row.library, self.ty_of(value));
        let ty = if name == "modf" { own } else { Type::I32 };
        if fraction.carrier != from.part()
            || second.carrier != (if name == "modf" { from.part() } else { ty })
        {
            return unsupported("a function of libm with results of other types");
        }
        let slot = self.slot(ty.bytes().into(), 3)?;
        let first = self.math_library(name, &[value, slot], own)?;
        let second = self.b.load(ty, slot, 3);
        let out = self.reserve(2);
        let first = self.float_round(from, first);
        self.set(out, 0, first);
        let second = if name == "modf" { self.float_round(from, second) } else { second };
        self.set(out, 1, second);
        self.operand_of(call.ret, out)
    }

    /// `sincos`: the function of libm that the row names leaves both in memory.
    pub(super) fn sine_and_cosine(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = call.args;
        let from = self.scalar(a.ty)?;
        if !from.is_float() {
            return fail(self.type_class(a.ty, "a floating-point number"));
        }
        let value = self.float_extend(from, self.single(a));
        let ty = self.ty_of(value);
        let slots = [self.slot(ty.bytes().into(), 3)?, self.slot(ty.bytes().into(), 3)?];
        self.math_procedure(call.row.library, &[value, slots[0], slots[1]], ty)?;
        let out = self.reserve(2);
        for (i, slot) in (0..).zip(slots) {
            let number = self.b.load(ty, slot, 3);
            let number = self.float_round(from, number);
            self.set(out, i, number);
        }
        self.operand_of(call.ret, out)
    }

    /// The function of libm that the row names, its result as an integer.
    pub(super) fn rounded_to_int(&mut self, call: &Call, op: Intrinsic) -> Checked<Operand> {
        let [a, ..] = call.args;
        let from = self.scalar(a.ty)?;
        if !from.is_float() {
            return fail(self.type_class(a.ty, "a floating-point number"));
        }
        let rounded = self.floats_rounded(&Call { ret: a.ty, count: 1, ..*call }, op)?;
        let bits = self.int_bits_of(call.ret)?;
        let value = self.float_extend(from, self.single(rounded));
        let value = self.float_to_int(CastOp::Fptosi, value, bits.min(64));
        self.one_of(call.ret, value)
    }

    /// A call of a function of libm for every lane; integer arguments are `i32`.
    fn libm(&mut self, name: &'static str, ret: TypeId, args: &[Operand]) -> Checked<Operand> {
        let mut kinds = [Scalar::Float; 3];
        for (kind, &arg) in kinds.iter_mut().zip(args) {
            *kind = self.lane_scalar(arg.ty)?;
        }
        self.map_lanes(ret, args, |cx, scalar, runs| {
            let mut values = [None; 3];
            for ((value, run), &kind) in values.iter_mut().zip(runs).zip(&kinds) {
                let part = cx.get(*run, 0);
                *value = Some(match kind {
                    Scalar::Int(bits) => cx.extended(bits.min(64), part, Sign::Signed, Type::I32),
                    kind => cx.float_extend(kind, part),
                });
            }
            let first = values[0].ok_or(Error::VoidValue)?;
            let values = values.map(|value| value.unwrap_or(first));
            let ty = cx.ty_of(first);
            let value = cx.math_library(name, &values[..runs.len()], ty)?;
            let value = cx.float_round(scalar, value);
            Ok(cx.push(value))
        })
    }
}
