//! BINOP, UNOP, CMP2, VSELECT and FREEZE (LLVM bitcode specification, sections 11.2 to 11.4).
//!
//! Scalars of one part become one instruction where ICE has it. Vectors are done at once where ICE has the vector
//! and the operation, else lane by lane with the routines for scalars. Flags, which only allow poison, are ignored but for those
//! of sums ([`exact_sums`](super::exact_sums)).

use ice_ir::{BinaryOp, FloatCond, IntCond, Type, Value};

use super::exact_sums::NO_WRAP;
use super::values::{Operand, Run};
use super::{Body, Checked, fail};
use crate::error::Error;
use crate::llvm::legalize::shape::{Kind, Scalar, Shape, VectorShape};
use crate::llvm::wire::types::{LlvmType, TypeId};

/// Integer operators by opcode.
const INTEGER: [BinaryOp; 13] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Udiv,
    BinaryOp::Sdiv,
    BinaryOp::Urem,
    BinaryOp::Srem,
    BinaryOp::Shl,
    BinaryOp::Lshr,
    BinaryOp::Ashr,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
];

/// Flag of `or`: no bit is in both operands (`PossiblyDisjointInst`, LLVM's `LLVMBitCodes.h`).
const DISJOINT: u64 = 1;

/// The operator with this opcode on a kind of scalars.
fn operator(opcode: u64, scalar: Scalar) -> Checked<BinaryOp> {
    let op = match (scalar.is_float(), opcode) {
        (false, 0..=12) => INTEGER[opcode as usize],
        (true, 0) => BinaryOp::Fadd,
        (true, 1) => BinaryOp::Fsub,
        (true, 2) => BinaryOp::Fmul,
        (true, 4) => BinaryOp::Fdiv,
        (true, 6) => BinaryOp::Frem,
        _ => return fail(Error::UnknownOperator { operator: opcode, ty: scalar.part() }),
    };
    Ok(op)
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cond {
    Int(IntCond),
    Float(FloatCond),
}

/// The comparison with this predicate of a kind of scalars.
fn predicate(number: u64, scalar: Scalar) -> Checked<Cond> {
    match number {
        0..=15 if scalar.is_float() => Ok(Cond::Float(FloatCond::ALL[number as usize])),
        32..=41 if !scalar.is_float() => Ok(Cond::Int(IntCond::ALL[number as usize - 32])),
        predicate => fail(Error::UnknownPredicate { predicate, ty: scalar.part() }),
    }
}

impl Body<'_, '_> {
    // ---- binary operators

    /// BINOP.
    #[inline]
    pub(super) fn binop(&mut self) -> Checked<()> {
        let a = self.vt()?;
        let (b, opcode) = (self.rel(a.ty)?, self.op()?);
        let flags = self.optional();
        self.end()?;
        if let Shape {
            kind: Kind::Scalar(scalar @ (Scalar::Int(_) | Scalar::Float | Scalar::Double)),
            parts: 1,
            first,
        } = self.shape(a.ty)
        {
            let (mut op, mut flags) = (operator(opcode, scalar)?, flags);
            let (x, y) = (self.single(a), self.single(b));
            // An address takes a sum, and a copy with it.
            if op == BinaryOp::Or
                && flags & DISJOINT != 0
                && matches!(scalar, Scalar::Int(32 | 64))
                && self.b.func.int_value(y).is_some()
            {
                (op, flags) = (BinaryOp::Add, NO_WRAP);
            }
            let new = self.b.func.num_values();
            let value = match scalar {
                Scalar::Int(bits) if bits != first.bits() || bits == 1 => self.int_binary(op, bits, x, y),
                _ => self.b.binary(op, x, y),
            };
            if matches!((op, scalar), (BinaryOp::Add | BinaryOp::Shl, Scalar::Int(8 | 16 | 32))) {
                self.note_sum(value, (op, [x, y]), flags, new);
            }
            return self.define_one(a.ty, value);
        }
        let result = self.binary(opcode, a, b)?;
        self.define(result)
    }

    /// The operator with this opcode; also of constant expressions.
    #[inline(never)]
    pub(super) fn binary(&mut self, opcode: u64, a: Operand, b: Operand) -> Checked<Operand> {
        let shape = self.value_shape(a.ty)?;
        let (x, y) = (self.run(a), self.run(b));
        let run = match shape.kind {
            Kind::Scalar(scalar) => self.scalar_binary(operator(opcode, scalar)?, scalar, x, y)?,
            Kind::Vector(vector) => self.vector_binary(operator(opcode, vector.lane)?, vector, x, y)?,
            _ => return fail(self.type_class(a.ty, "a number or a vector of numbers")),
        };
        Ok(self.operand(a.ty, run))
    }

    /// An operator on scalars of any number of parts.
    pub(super) fn scalar_binary(&mut self, op: BinaryOp, scalar: Scalar, a: Run, b: Run) -> Checked<Run> {
        let value = match scalar {
            Scalar::Int(bits @ ..=64) => self.int_binary(op, bits, self.get(a, 0), self.get(b, 0)),
            Scalar::Int(bits) => return self.wide_binary(op, bits, a, b),
            Scalar::Extended => return self.extended_binary(op, a, b),
            Scalar::Quad => return self.quad_binary(op, a, b),
            Scalar::Float | Scalar::Double => self.bin(op, self.get(a, 0), self.get(b, 0)),
            Scalar::Half | Scalar::BFloat => {
                let x = self.float_extend(scalar, self.get(a, 0));
                let y = self.float_extend(scalar, self.get(b, 0));
                let value = self.bin(op, x, y);
                self.float_round(scalar, value)
            }
        };
        Ok(self.push(value))
    }

    /// An operator on vectors of one shape. What sums, differences and products are made of is kept in mind.
    pub(super) fn vector_binary(
        &mut self,
        op: BinaryOp,
        vector: VectorShape,
        a: Run,
        b: Run,
    ) -> Checked<Run> {
        if self.s.widened.is_empty() || !self.is_watched_shape(vector) {
            return self.native_binary(op, vector, a, b);
        }
        if let Some(run) = self.narrow_binary(op, vector, a, b)? {
            return Ok(run);
        }
        if let Some(run) = self.binary_with_booleans(op, vector, a, b)? {
            return Ok(run);
        }
        let out = match self.long_binary(op, vector, a, b)? {
            Some(run) => run,
            None => self.native_binary(op, vector, a, b)?,
        };
        self.note_combined(op, vector, a, b, out);
        self.note_low(op, vector, a, b, out)?;
        Ok(out)
    }

    /// At once where there are native vectors for it, else lane by lane.
    pub(super) fn native_binary(
        &mut self,
        op: BinaryOp,
        vector: VectorShape,
        a: Run,
        b: Run,
    ) -> Checked<Run> {
        if let Some(run) = self.double_binary(op, vector, a, b)? {
            return Ok(run);
        }
        if op.is_division()
            && let Some(run) = self.vector_division(op, vector, a, b)?
        {
            return Ok(run);
        }
        if let Some(native) = vector.native {
            let is_bool = native.element() == Type::I1;
            // Shifts by different amounts are done lane by lane, and a short vector has fewer of these.
            let is_single = op.is_division()
                || op == BinaryOp::Frem
                || op.is_shift() && vector.is_short() && !self.is_same_amount(self.get(b, 0), self.get(b, 0));
            if is_bool || !is_single {
                return Ok(self.each_part(a, b, |cx, x, y| match is_bool {
                    true => cx.bool_vector_binary(op, x, y),
                    false => cx.bin(op, x, y),
                }));
            }
        }
        self.each_lane(vector, a, b, |cx, x, y| cx.scalar_binary(op, vector.lane, x, y))
    }

    fn bool_vector_binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.bool_binary(op, a, b)
    }

    /// UNOP: the negation of floats.
    pub(super) fn unop(&mut self) -> Checked<()> {
        let (a, opcode) = (self.vt()?, self.op()?);
        let _flags = self.optional();
        self.end()?;
        if opcode != 0 {
            return fail(Error::FieldValue { field: "the opcode of UNOP", value: opcode });
        }
        let result = self.negate(a)?;
        self.define(result)
    }

    /// A float with the other sign, or a vector of them.
    pub(super) fn negate(&mut self, a: Operand) -> Checked<Operand> {
        let run = match self.kind(a.ty) {
            Kind::Scalar(Scalar::Extended) => {
                let run = self.run(a);
                self.extended_neg(run)
            }
            Kind::Scalar(Scalar::Quad) | Kind::Vector(VectorShape { lane: Scalar::Quad, .. }) => {
                let run = self.run(a);
                self.quad_neg(run)
            }
            Kind::Vector(vector) => {
                let parts = self.run(a);
                match self.double_negated(vector, parts)? {
                    Some(run) => run,
                    None => return self.map_floats(a, |cx, scalar, value| Ok(cx.float_neg(scalar, value))),
                }
            }
            _ => return self.map_floats(a, |cx, scalar, value| Ok(cx.float_neg(scalar, value))),
        };
        Ok(self.operand(a.ty, run))
    }

    /// A function of one float of one part, also lane by lane; native vectors of `float` at once.
    pub(super) fn map_floats(
        &mut self,
        a: Operand,
        mut f: impl FnMut(&mut Self, Scalar, Value) -> Checked<Value>,
    ) -> Checked<Operand> {
        let scalar = match self.kind(a.ty) {
            Kind::Scalar(scalar) => scalar,
            Kind::Vector(vector) => vector.lane,
            _ => return fail(self.type_class(a.ty, "a floating-point number")),
        };
        if !scalar.is_float() {
            return fail(self.type_class(a.ty, "a floating-point number"));
        }
        let a_run = self.run(a);
        let out = self.reserve(a_run.len);
        for i in 0..a_run.len {
            let value = self.get(a_run, i);
            // A vector of floats has parts of `v4f32`, with the same methods.
            let value = f(self, scalar, value)?;
            self.set(out, i, value);
        }
        Ok(self.operand(a.ty, out))
    }

    // ---- comparisons

    /// CMP2.
    #[inline]
    pub(super) fn compare(&mut self) -> Checked<()> {
        let a = self.vt()?;
        let (b, number) = (self.rel(a.ty)?, self.op()?);
        let _flags = self.optional();
        self.end()?;
        if let Shape {
            kind: Kind::Scalar(scalar @ (Scalar::Int(_) | Scalar::Float | Scalar::Double)),
            parts: 1,
            ..
        } = self.shape(a.ty)
        {
            let cond = predicate(number, scalar)?;
            let value = self.compare_one(cond, scalar, self.single(a), self.single(b));
            let ty = self.bool_type()?;
            return self.define_one(ty, value);
        }
        let result = self.comparison(number, a, b)?;
        self.define(result)
    }

    /// The type of a comparison of scalars.
    pub(super) fn bool_type(&self) -> Checked<TypeId> {
        match self.p.bool_type {
            Some(ty) => Ok(ty),
            None => fail(Error::TypeClass { ty: 0, expected: "i1, which the module does not have" }),
        }
    }

    /// The comparison with this predicate; also of constant expressions.
    #[inline(never)]
    pub(super) fn comparison(&mut self, number: u64, a: Operand, b: Operand) -> Checked<Operand> {
        let shape = self.value_shape(a.ty)?;
        let (x, y) = (self.run(a), self.run(b));
        match shape.kind {
            Kind::Scalar(scalar) => {
                let cond = predicate(number, scalar)?;
                let value = self.scalar_compare(cond, scalar, x, y)?;
                Ok(Operand { ty: self.bool_type()?, first: value.as_u32() })
            }
            Kind::Vector(vector) => {
                let cond = predicate(number, vector.lane)?;
                let (ty, result) = self.bool_vector(vector.lanes)?;
                let run = self.vector_compare(cond, vector, result, x, y)?;
                Ok(self.operand(ty, run))
            }
            _ => fail(self.type_class(a.ty, "a number or a vector of numbers")),
        }
    }

    /// The type `<lanes x i1>`.
    fn bool_vector(&mut self, lanes: u32) -> Checked<(TypeId, VectorShape)> {
        let element = self.bool_type()?;
        let known = self.s.bool_vectors.iter().find(|&&(n, _)| n == lanes).map(|&(_, ty)| ty);
        let found = known.or_else(|| self.m.types.find(LlvmType::Vector { element, lanes }));
        let shape = found.map(|ty| (ty, self.kind(ty)));
        let Some((ty, Kind::Vector(shape))) = shape else {
            return fail(Error::TypeClass {
                ty: element.as_u32().into(),
                expected: "a type with vectors of as many lanes as are compared",
            });
        };
        if known.is_none() {
            self.s.bool_vectors.push((lanes, ty));
        }
        Ok((ty, shape))
    }

    fn compare_one(&mut self, cond: Cond, scalar: Scalar, a: Value, b: Value) -> Value {
        match (cond, scalar) {
            (Cond::Int(cond), Scalar::Int(bits)) => self.int_compare(cond, bits, a, b),
            (Cond::Int(cond), _) => self.icmp(cond, a, b),
            (Cond::Float(cond), scalar) => {
                let (a, b) = (self.float_extend(scalar, a), self.float_extend(scalar, b));
                self.fcmp(cond, a, b)
            }
        }
    }

    /// A comparison of scalars of any number of parts.
    pub(super) fn scalar_compare(&mut self, cond: Cond, scalar: Scalar, a: Run, b: Run) -> Checked<Value> {
        Ok(match (cond, scalar) {
            (Cond::Int(cond), Scalar::Int(bits @ 65..)) => self.wide_compare(cond, bits, a, b),
            (Cond::Float(cond), Scalar::Extended) => return self.extended_compare(cond, a, b),
            (Cond::Float(cond), Scalar::Quad) => return self.quad_compare(cond, a, b),
            _ => self.compare_one(cond, scalar, self.get(a, 0), self.get(b, 0)),
        })
    }

    fn vector_compare(
        &mut self,
        cond: Cond,
        vector: VectorShape,
        result: VectorShape,
        a: Run,
        b: Run,
    ) -> Checked<Run> {
        if self.has_double_mask(vector, a.len, result) {
            return self.by_doubles(a.len / 2, [a, b], |cx, [x, y]| {
                Ok(match cond {
                    Cond::Int(cond) => cx.icmp(cond, x, y),
                    Cond::Float(cond) => cx.fcmp(cond, x, y),
                })
            });
        }
        if let Some(native) = vector.native
            && (result.native == Some(native.compare_result()) || self.m.legal.machine().shuffles_lanes)
        {
            let booleans = self.each_part(a, b, |cx, x, y| match cond {
                Cond::Int(cond) if native.element() == Type::I1 => cx.bool_compare(cond, x, y),
                Cond::Int(cond) => cx.icmp(cond, x, y),
                Cond::Float(cond) => cx.fcmp(cond, x, y),
            });
            return self.booleans_of(booleans, result);
        }
        let each = vector.lane.parts();
        let (a, b) = (self.split_lanes(vector, a), self.split_lanes(vector, b));
        let out = self.reserve(vector.lanes);
        for i in 0..vector.lanes {
            let (x, y) = (a.part(i * each, each), b.part(i * each, each));
            let value = self.scalar_compare(cond, vector.lane, x, y)?;
            self.set(out, i, value);
        }
        Ok(self.join_lanes(result, out))
    }

    // ---- select and freeze

    /// VSELECT.
    #[inline]
    pub(super) fn select(&mut self) -> Checked<()> {
        let a = self.vt()?;
        let (b, cond) = (self.rel(a.ty)?, self.vt()?);
        let _flags = self.optional();
        self.end()?;
        let result = self.selection(cond, a, b)?;
        self.define(result)
    }

    /// A select; also of constant expressions.
    pub(super) fn selection(&mut self, cond: Operand, a: Operand, b: Operand) -> Checked<Operand> {
        let shape = self.value_shape(a.ty)?;
        match self.value_shape(cond.ty)?.kind {
            Kind::Scalar(Scalar::Int(1)) => {
                let cond = self.single(cond);
                if shape.parts == 1 {
                    let value = self.choose(cond, self.single(a), self.single(b));
                    return Ok(Operand { ty: a.ty, first: value.as_u32() });
                }
                let (x, y) = (self.run(a), self.run(b));
                let run = match shape.kind {
                    Kind::Vector(vector) if self.double_of(vector, x.len).is_some() => {
                        self.by_doubles(x.len / 2, [x, y], |cx, [x, y]| Ok(cx.choose(cond, x, y)))?
                    }
                    _ => self.run_choose(cond, x, y),
                };
                Ok(self.operand(a.ty, run))
            }
            Kind::Vector(mask) if mask.lane == Scalar::Int(1) => {
                let Kind::Vector(vector) = shape.kind else {
                    return fail(self.type_class(a.ty, "a vector, like the condition of the select"));
                };
                if vector.lanes != mask.lanes {
                    return fail(self.type_class(a.ty, "a vector of as many lanes as the condition"));
                }
                let (cond, x, y) = (self.run(cond), self.run(a), self.run(b));
                let run = self.vector_select(mask, vector, cond, x, y)?;
                Ok(self.operand(a.ty, run))
            }
            _ => fail(Error::SelectCondition { ty: self.shape(cond.ty).first }),
        }
    }

    pub(super) fn vector_select(
        &mut self,
        mask: VectorShape,
        vector: VectorShape,
        cond: Run,
        a: Run,
        b: Run,
    ) -> Checked<Run> {
        if self.has_double_mask(vector, a.len, mask) {
            return self.by_doubles(a.len / 2, [cond, a, b], |cx, [cond, x, y]| Ok(cx.choose(cond, x, y)));
        }
        if let Some(native) = vector.native
            && (mask.native == Some(native.compare_result()) || self.m.legal.machine().shuffles_lanes)
        {
            let cond = self.booleans_as(cond, mask, native.compare_result())?;
            let out = self.reserve(a.len);
            for i in 0..a.len {
                let (c, x, y) = (self.get(cond, i), self.get(a, i), self.get(b, i));
                let part = match native.element() {
                    Type::I1 => {
                        let differ = self.bin(BinaryOp::Xor, x, y);
                        let taken = self.bin(BinaryOp::And, differ, c);
                        self.bin(BinaryOp::Xor, taken, y)
                    }
                    _ => self.choose(c, x, y),
                };
                self.set(out, i, part);
            }
            return Ok(out);
        }
        let each = vector.lane.parts();
        let cond = self.split_lanes(mask, cond);
        let (a, b) = (self.split_lanes(vector, a), self.split_lanes(vector, b));
        let out = self.reserve(a.len);
        for i in 0..vector.lanes {
            let cond = self.get(cond, i);
            let lane = self.run_choose(cond, a.part(i * each, each), b.part(i * each, each));
            self.copy(out, i * each, lane);
        }
        Ok(self.join_lanes(vector, out))
    }

    /// FREEZE: undefined values are the same at all uses already, but those of sums that overflow against their flags.
    pub(super) fn freeze(&mut self) -> Checked<()> {
        let a = self.vt()?;
        self.end()?;
        let frozen = self.run(a);
        for part in 0..frozen.len {
            let value = self.get(frozen, part);
            self.forget_sum(value);
        }
        self.define(a)
    }
}
