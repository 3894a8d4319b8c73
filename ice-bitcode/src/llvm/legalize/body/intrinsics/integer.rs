//! Intrinsics on integers: bits, extremes, overflow, saturation, funnel shifts.

use ice_ir::{BinaryOp, IntCond, Intrinsic, Type, Value};

use super::Call;
use crate::llvm::legalize::body::arithmetic::Cond;
use crate::llvm::legalize::body::integer::{BitOp, Sign};
use crate::llvm::legalize::body::values::{Operand, Run};
use crate::llvm::legalize::body::{Body, Checked, fail, unsupported};
use crate::llvm::legalize::legal::int_type;
use crate::llvm::legalize::shape::{Kind, Scalar, VectorShape};
use crate::llvm::wire::types::TypeId;

impl Body<'_, '_> {
    /// `ctpop` and its like.
    pub(super) fn bit_operation(&mut self, call: &Call, op: BitOp) -> Checked<Operand> {
        if let Some(result) = self.native_bits(call, op)? {
            return Ok(result);
        }
        let [a, ..] = call.args;
        self.map_lanes(call.ret, &[a], |cx, scalar, runs| match scalar {
            Scalar::Int(bits @ ..=64) => {
                let value = cx.int_bits(op, bits, cx.get(runs[0], 0))?;
                Ok(cx.push(value))
            }
            Scalar::Int(bits) => cx.wide_bits(op, bits, runs[0]),
            _ => unsupported("a bit operation on floats"),
        })
    }

    /// Leading or trailing zeros. Of a word that the program says is not zero, nothing is asked of that case.
    pub(super) fn zero_count(&mut self, call: &Call, op: BitOp, intrinsic: Intrinsic) -> Checked<Operand> {
        let [a, is_poison, ..] = call.args;
        match self.kind(a.ty) {
            Kind::Scalar(Scalar::Int(bits @ (32 | 64)))
                if self.constant_number(is_poison).is_some_and(|flag| flag != 0) =>
            {
                let (value, flag) = (self.part(a, 0), self.int(Type::I1, -1));
                let count = self.intrinsic(intrinsic, int_type(bits), &[value, flag])?;
                let run = self.push(count);
                self.operand_of(call.ret, run)
            }
            _ => self.bit_operation(call, op),
        }
    }

    /// The first argument if the condition holds between both, else the second.
    pub(super) fn integer_extreme(&mut self, call: &Call, cond: IntCond) -> Checked<Operand> {
        let [a, b, ..] = call.args;
        if let Kind::Vector(vector @ VectorShape { native: Some(native), .. }) = self.kind(a.ty)
            && native.is_int_or_int_vector()
            && native.element() != Type::I1
            && a.ty == b.ty
        {
            let args = [self.run(a), self.run(b)];
            let run = self.vector_extreme(cond, vector, args)?;
            return self.operand_of(call.ret, run);
        }
        self.map_lanes(call.ret, &[a, b], |cx, scalar, runs| cx.pick(cond, scalar, runs[0], runs[1]))
    }

    /// The same of native vectors of numbers.
    pub(in crate::llvm::legalize::body) fn vector_extreme(
        &mut self,
        cond: IntCond,
        vector: VectorShape,
        [a, b]: [Run; 2],
    ) -> Checked<Run> {
        if let Some(run) = self.narrow_extreme(cond, vector, a, b)? {
            return Ok(run);
        }
        let name = match cond {
            IntCond::Slt => "smin",
            IntCond::Sgt => "smax",
            IntCond::Ult => "umin",
            _ => "umax",
        };
        let out = match self.vector_instruction(name, [a, b])? {
            Some(run) => run,
            None => self.by_wholes([a, b], |cx, [x, y]| Ok(cx.extreme(cond, x, y)))?,
        };
        self.note_limited(cond, vector, a, b, out);
        Ok(out)
    }

    /// The first if the condition holds between both, else the second.
    pub(super) fn extreme(&mut self, cond: IntCond, x: Value, y: Value) -> Value {
        let first = self.icmp(cond, x, y);
        self.choose(first, x, y)
    }

    /// `abs`.
    pub(super) fn absolute(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = call.args;
        if let Kind::Vector(vector) = self.kind(a.ty) {
            let run = self.run(a);
            if let Some(run) = self.vector_absolute(vector, run)? {
                return self.operand_of(call.ret, run);
            }
        }
        self.map_lanes(call.ret, &[a], |cx, scalar, runs| {
            let zero = cx.scalar_int(scalar, 0)?;
            let negated = cx.scalar_binary(BinaryOp::Sub, scalar, zero, runs[0])?;
            let cond = Cond::Int(IntCond::Slt);
            let is_negative = cx.scalar_compare(cond, scalar, runs[0], zero)?;
            Ok(cx.run_choose(is_negative, negated, runs[0]))
        })
    }

    /// The absolute values of vectors that are not done lane by lane.
    pub(in crate::llvm::legalize::body) fn vector_absolute(
        &mut self,
        vector: VectorShape,
        a: Run,
    ) -> Checked<Option<Run>> {
        if let Some(run) = self.narrow_absolute(vector, a)? {
            return Ok(Some(run));
        }
        let is_done = |ty: Type| matches!(ty.element(), Type::I8 | Type::I16 | Type::I32);
        let mut known = self.long_distance(vector, a)?;
        if known.is_none() {
            known = self.vector_instruction("abs", [a])?;
        }
        if known.is_none() {
            known = self.double_absolute(vector, a)?;
        }
        let out = match known {
            Some(run) => run,
            // With all bits the other way round, and 1 more, where the sign is set.
            None if vector.native.is_some_and(is_done) => self.each_part(a, a, |cx, x, _| {
                let sign = cx.signs(x);
                let flipped = cx.bin(BinaryOp::Xor, x, sign);
                cx.bin(BinaryOp::Sub, flipped, sign)
            }),
            None => return Ok(None),
        };
        self.note_absolute(vector, a, out);
        Ok(Some(out))
    }

    /// `scmp`, `ucmp`: -1, 0 or 1.
    pub(super) fn three_way(&mut self, call: &Call, sign: Sign) -> Checked<Operand> {
        let [a, b, ..] = call.args;
        let (less, greater) = match sign {
            Sign::Signed => (IntCond::Slt, IntCond::Sgt),
            Sign::Unsigned => (IntCond::Ult, IntCond::Ugt),
        };
        let result = self.lane_scalar(call.ret)?;
        self.map_lanes(call.ret, &[a, b], |cx, scalar, runs| {
            let is_less = cx.scalar_compare(Cond::Int(less), scalar, runs[0], runs[1])?;
            let is_greater = cx.scalar_compare(Cond::Int(greater), scalar, runs[0], runs[1])?;
            if let Scalar::Int(bits @ 2..=64) = result {
                let [less, greater] = [is_less, is_greater].map(|is| cx.resize_zero(is, int_type(bits)));
                let value = cx.bin(BinaryOp::Sub, greater, less);
                return Ok(cx.push(value));
            }
            let (minus, zero) = (cx.scalar_int(result, -1)?, cx.scalar_int(result, 0)?);
            let one = cx.scalar_int(result, 1)?;
            let rest = cx.run_choose(is_greater, one, zero);
            Ok(cx.run_choose(is_less, minus, rest))
        })
    }

    /// The result that wraps round, and whether it did.
    pub(super) fn overflow(&mut self, call: &Call, op: BinaryOp, sign: Sign) -> Checked<Operand> {
        let [a, b, ..] = call.args;
        if a.ty != b.ty {
            return fail(self.type_class(b.ty, "the type of the other operand"));
        }
        let (x, y) = (self.run(a), self.run(b));
        let (result, overflow) = match self.kind(a.ty) {
            Kind::Scalar(scalar) => {
                let (result, overflow) = self.scalar_overflow(op, sign, scalar, x, y)?;
                (result, self.push(overflow))
            }
            Kind::Vector(vector) => {
                let each = vector.lane.parts();
                let (x, y) = (self.split_lanes(vector, x), self.split_lanes(vector, y));
                let (results, overflows) = (self.reserve(x.len), self.reserve(vector.lanes));
                for i in 0..vector.lanes {
                    let [x, y] = [x, y].map(|run| run.part(i * each, each));
                    let (result, overflow) = self.scalar_overflow(op, sign, vector.lane, x, y)?;
                    self.copy(results, i * each, result);
                    self.set(overflows, i, overflow);
                }
                let flags = match self.m.types.member(call.ret, 1) {
                    Some(flags) => self.vector_shape(flags)?,
                    None => return fail(self.type_class(call.ret, "numbers and booleans")),
                };
                if flags.lanes != vector.lanes || flags.lane != Scalar::Int(1) {
                    return fail(self.type_class(call.ret, "as many booleans as numbers"));
                }
                (self.join_lanes(vector, results), self.join_lanes(flags, overflows))
            }
            _ => return fail(self.type_class(a.ty, "a number or a vector of numbers")),
        };
        if self.shape(call.ret).parts != result.len + overflow.len {
            return fail(self.type_class(call.ret, "a number and a boolean"));
        }
        let out = self.reserve(result.len + overflow.len);
        self.copy(out, 0, result);
        self.copy(out, result.len, overflow);
        self.operand_of(call.ret, out)
    }

    /// The same of two scalars.
    fn scalar_overflow(
        &mut self,
        op: BinaryOp,
        sign: Sign,
        scalar: Scalar,
        x: Run,
        y: Run,
    ) -> Checked<(Run, Value)> {
        match scalar {
            Scalar::Int(bits @ ..=64) => {
                let (result, overflow) = self.int_overflow(op, sign, bits, self.get(x, 0), self.get(y, 0));
                Ok((self.push(result), overflow))
            }
            Scalar::Int(bits) => Ok(self.wide_overflow(op, sign, bits, x, y)),
            _ => unsupported("an overflow check on floats"),
        }
    }

    /// A sum or difference that stops at the ends of the range.
    pub(super) fn saturate(&mut self, call: &Call, op: BinaryOp, sign: Sign) -> Checked<Operand> {
        let [a, b, ..] = call.args;
        if matches!(self.kind(a.ty), Kind::Vector(_)) && a.ty == b.ty && a.ty == call.ret {
            let args = [self.run(a), self.run(b)];
            if let Some(run) = self.vector_instruction(call.row.name, args)? {
                return Ok(self.operand(call.ret, run));
            }
        }
        self.map_lanes(call.ret, &[a, b], |cx, scalar, runs| match scalar {
            Scalar::Int(bits @ ..=64) => {
                let value = cx.int_saturate(op, sign, bits, cx.get(runs[0], 0), cx.get(runs[1], 0));
                Ok(cx.push(value))
            }
            Scalar::Int(bits) => Ok(cx.wide_saturate(op, sign, bits, runs[0], runs[1])),
            _ => unsupported("saturation of floats"),
        })
    }

    /// An operation on native vectors that is one instruction of the machine.
    pub(in crate::llvm::legalize::body) fn vector_instruction<const N: usize>(
        &mut self,
        name: &str,
        args: [Run; N],
    ) -> Checked<Option<Run>> {
        let native = self.ty_of(self.get(args[0], 0));
        let machine = self.m.legal.machine();
        // What is there for 256 bits alone is not there for less.
        let whole = self.double(Some(native)).filter(|_| args[0].len.is_multiple_of(2));
        let known = |&&(operation, ty, _): &&(&str, Type, _)| {
            operation == name && (ty == native || Some(ty) == whole)
        };
        let Some(&(.., [template, constraints])) = machine.vector_instructions.iter().find(known) else {
            return Ok(None);
        };
        if !machine.has_assembler {
            return Ok(None);
        }
        self.by_wholes(args, |cx, args| {
            let ty = cx.ty_of(args[0]);
            cx.instruction_value(template.into(), constraints, &args, ty)
        })
        .map(Some)
    }

    /// A left shift that stops at the ends of the range.
    pub(super) fn saturate_shl(&mut self, call: &Call, sign: Sign) -> Checked<Operand> {
        self.check_alike(call)?;
        let [a, b, ..] = call.args;
        self.map_lanes(call.ret, &[a, b], |cx, scalar, runs| match scalar {
            Scalar::Int(bits @ ..=64) => {
                let value = cx.int_saturate_shl(sign, bits, cx.get(runs[0], 0), cx.get(runs[1], 0));
                Ok(cx.push(value))
            }
            Scalar::Int(bits) => cx.wide_saturate_shl(sign, bits, runs[0], runs[1]),
            _ => unsupported("saturation of floats"),
        })
    }

    /// `fshl`, `fshr`: one half of two numbers shifted as one.
    pub(super) fn funnel(&mut self, call: &Call, side: BinaryOp) -> Checked<Operand> {
        let [a, b, amount, ..] = call.args;
        if let Some(result) = self.native_funnel(call.ret, side, [a, b, amount])? {
            return Ok(result);
        }
        self.map_lanes(call.ret, &[a, b, amount], |cx, scalar, runs| match scalar {
            Scalar::Int(bits @ ..=64) => {
                let values = [runs[0], runs[1], runs[2]].map(|run| cx.get(run, 0));
                let value = cx.int_funnel(side, bits, values);
                Ok(cx.push(value))
            }
            Scalar::Int(bits) => cx.wide_funnel(side, bits, [runs[0], runs[1], runs[2]]),
            _ => unsupported("a funnel shift of floats"),
        })
    }

    /// A funnel shift of a native vector by the same constant in all lanes, which shifts them at once.
    fn native_funnel(
        &mut self,
        ret: TypeId,
        side: BinaryOp,
        operands: [Operand; 3],
    ) -> Checked<Option<Operand>> {
        let native = match self.kind(ret) {
            Kind::Vector(VectorShape { native: Some(ty), .. })
                if ty.is_int_or_int_vector() && ty.element() != Type::I1 =>
            {
                ty
            }
            _ => return Ok(None),
        };
        if operands.iter().any(|operand| operand.ty != ret) {
            return Ok(None);
        }
        let [a, b, amount] = operands.map(|operand| self.run(operand));
        let bits = i64::from(native.element().bits());
        let Some(first) = self.uniform_number(amount, native.element().bits()) else { return Ok(None) };
        let left = match side {
            BinaryOp::Shl => first & (bits - 1),
            _ => bits - (first & (bits - 1)),
        };
        let run = match left {
            0 => a,
            left if left == bits => b,
            left => self.by_wholes([a, b], |cx, [a, b]| {
                let high = cx.bin_int(BinaryOp::Shl, a, left);
                let low = cx.bin_int(BinaryOp::Lshr, b, bits - left);
                Ok(cx.bin(BinaryOp::Or, high, low))
            })?,
        };
        Ok(Some(self.operand(ret, run)))
    }

    /// The first scalar if the condition holds, else the second.
    pub(super) fn pick(&mut self, cond: IntCond, scalar: Scalar, a: Run, b: Run) -> Checked<Run> {
        match scalar {
            Scalar::Int(bits @ ..=64) => {
                let value = self.int_pick(cond, bits, self.get(a, 0), self.get(b, 0));
                Ok(self.push(value))
            }
            Scalar::Int(bits) => {
                let first = self.wide_compare(cond, bits, a, b);
                Ok(self.run_choose(first, a, b))
            }
            _ => unsupported("an integer extreme of floats"),
        }
    }

    /// A small number as a scalar integer of any width.
    pub(super) fn scalar_int(&mut self, scalar: Scalar, number: i64) -> Checked<Run> {
        match scalar {
            Scalar::Int(..=64) => {
                let value = self.int(scalar.part(), number);
                Ok(self.push(value))
            }
            Scalar::Int(_) => Ok(self.wide_int(number, scalar.parts())),
            _ => unsupported("an integer intrinsic on floats"),
        }
    }
}
