//! Vectors: their lanes, and EXTRACTELT and INSERTELT (LLVM bitcode specification, section 11.9).
//!
//! A vector is either native (its parts are ICE vectors) or has parts of its own for every lane. What ICE cannot do
//! with a native vector goes by way of its lanes: take all out, work on scalars, put all in again (scalarisation).
//! A lane with a variable index is chosen by comparing the index with every lane.

use ice_ir::vectors::uniform_lane;
use ice_ir::{BinaryOp, CastOp, InstData, IntCond, Intrinsic, Type, Value};

use super::values::{Operand, Run};
use super::{Body, Checked, fail, unsupported};
use crate::llvm::legalize::shape::{Kind, VectorShape};
use crate::llvm::wire::types::{LlvmType, TypeId};

/// More lanes of a vector that is indexed by a variable are refused.
const MAX_SEARCHED_LANES: u32 = 256;

/// The native vector whose lanes are numbers of this type, of 32 or 64 bits.
const fn vector_of(number: Type) -> Type {
    match number {
        Type::I32 => Type::V4I32,
        Type::F32 => Type::V4F32,
        Type::F64 => Type::V2F64,
        _ => Type::V2I64,
    }
}

impl Body<'_, '_> {
    /// The shape of a vector type.
    pub(super) fn vector_shape(&self, ty: TypeId) -> Checked<VectorShape> {
        match self.value_shape(ty)?.kind {
            Kind::Vector(vector) => Ok(vector),
            _ => fail(self.type_class(ty, "a vector")),
        }
    }

    /// The lane type of a vector type.
    pub(super) fn lane_type(&self, ty: TypeId) -> Checked<TypeId> {
        match self.m.types.get(ty) {
            LlvmType::Vector { element, .. } => Ok(element),
            _ => fail(self.type_class(ty, "a vector")),
        }
    }

    // ---- lanes

    /// The parts of all lanes.
    pub(super) fn split_lanes(&mut self, vector: VectorShape, parts: Run) -> Run {
        let Some(native) = vector.native else { return parts };
        let out = self.reserve(vector.lanes);
        for i in 0..vector.lanes {
            let value = self.native_lane(native, parts, i);
            self.set(out, i, value);
        }
        out
    }

    pub(super) fn native_lane(&mut self, native: Type, parts: Run, lane: u32) -> Value {
        let part = self.get(parts, lane / native.lanes());
        self.lane(part, lane % native.lanes())
    }

    /// A lane of a native vector.
    pub(super) fn lane(&mut self, vector: Value, lane: u32) -> Value {
        let index = self.i32(lane.into());
        self.b.extract_element(vector, index)
    }

    /// A native vector with one lane replaced.
    pub(super) fn set_lane(&mut self, vector: Value, lane: u32, value: Value) -> Value {
        let index = self.i32(lane.into());
        self.b.insert_element(vector, value, index)
    }

    /// A native vector of type `ty` that has a number of 32 or 64 bits in its lowest ones. Anything may be above.
    pub(super) fn first_lane(&mut self, number: Value, ty: Type) -> Checked<Value> {
        let number_type = self.ty_of(number);
        if number_type.bits() == 64 && self.m.legal.machine().pairs_doubles {
            let other = self.undef(Type::F64);
            return self.of_halves([number, other], ty);
        }
        let vector = self.undef(vector_of(number_type));
        let vector = self.set_lane(vector, 0, number);
        Ok(self.bits_as(vector, ty))
    }

    /// A native vector of type `ty` with a number of 64 bits as its lower half, and in the other one of 32 or 64 in its lowest bits,
    /// or anything. Without another the first may have 32 bits.
    pub(super) fn of_numbers(&mut self, low: Value, high: Option<Value>, ty: Type) -> Checked<Value> {
        let Some(high) = high else { return self.first_lane(low, ty) };
        let high = match self.ty_of(high).bits() == 64 {
            true => high,
            false => {
                let wide = self.first_lane(high, Type::V4I32)?;
                self.number_at(wide, self.ty_of(low), 0)?
            }
        };
        self.of_halves([low, high], ty)
    }

    /// A native vector of type `ty` whose halves are these numbers of 64 bits.
    pub(super) fn of_halves(&mut self, halves: [Value; 2], ty: Type) -> Checked<Value> {
        let vector = match self.m.legal.machine().pairs_doubles {
            true => {
                let doubles = halves.map(|half| self.bits_as(half, Type::F64));
                self.intrinsic_one(Intrinsic::DoublePair, &doubles)?
            }
            false => {
                let lanes = vector_of(self.ty_of(halves[0]));
                self.lanes_from(lanes, |_, i| halves[i as usize])
            }
        };
        Ok(self.bits_as(vector, ty))
    }

    /// The number of 32 or 64 bits with this index among those that the bits of a native vector are.
    pub(super) fn number_at(&mut self, vector: Value, number: Type, index: u32) -> Checked<Value> {
        if number.bits() == 64 && self.m.legal.machine().pairs_doubles {
            let words = self.bits_as(vector, Type::V4I32);
            let half = self.i32(index.into());
            let double = self.intrinsic_one(Intrinsic::DoubleHalf, &[words, half])?;
            return Ok(self.bits_as(double, number));
        }
        let lanes = self.bits_as(vector, vector_of(number));
        Ok(self.lane(lanes, index))
    }

    /// A native vector with the lanes that `f` gives.
    pub(super) fn lanes_from(&mut self, ty: Type, mut f: impl FnMut(&mut Self, u32) -> Value) -> Value {
        let mut vector = self.undef(ty);
        for lane in 0..ty.lanes() {
            let value = f(self, lane);
            vector = self.set_lane(vector, lane, value);
        }
        vector
    }

    /// A vector of these lanes; of a short one there may be as many as its part has.
    pub(super) fn join_lanes(&mut self, vector: VectorShape, lanes: Run) -> Run {
        let Some(native) = vector.native else { return lanes };
        let out = self.reserve(vector.lanes.div_ceil(native.lanes()));
        for i in 0..out.len {
            // The halves of what is the same in all lanes are one value.
            let is_again = i % 2 == 1
                && self.double(Some(native)).is_some()
                && (0..native.lanes()).all(|j| {
                    let at = i * native.lanes() + j;
                    self.get(lanes, at) == self.get(lanes, at - native.lanes())
                });
            if is_again {
                let part = self.get(out, i - 1);
                self.set(out, i, part);
                continue;
            }
            let mut part = self.undef(native);
            for j in 0..native.lanes().min(lanes.len - i * native.lanes()) {
                let value = self.get(lanes, i * native.lanes() + j);
                // Undefined lanes stay as they are.
                if self.b.func.value_def(value) != ice_ir::ValueDef::Undef {
                    part = self.set_lane(part, j, value);
                }
            }
            self.set(out, i, part);
        }
        out
    }

    /// The number in a lane of a native vector that was put together from constants.
    pub(super) fn inserted(&self, vector: Value, lane: u32) -> Option<i64> {
        self.b.func.int_value(self.inserted_value(vector, lane)?)
    }

    /// What was put into a lane of a native vector.
    pub(super) fn inserted_value(&self, mut vector: Value, lane: u32) -> Option<Value> {
        for _ in 0..self.ty_of(vector).lanes() {
            let inst = self.b.func.defining_inst(vector)?;
            let InstData::InsertElement { vector: below, element, index } = *self.b.func.inst(inst) else {
                break;
            };
            if self.b.func.int_value(index) == Some(lane.into()) {
                return Some(element);
            }
            vector = below;
        }
        None
    }

    /// All lanes of a native vector one: what compares equal with itself, as wide as the lanes.
    pub(super) fn all_ones(&mut self, ty: Type) -> Value {
        let wide = match ty {
            Type::V2I1 => Type::V2I64,
            Type::V4I1 => Type::V4I32,
            Type::V8I1 => Type::V8I16,
            Type::V16I1 => Type::V16I8,
            ty => ty,
        };
        let zero = self.b.func.make_zero(wide);
        let ones = self.icmp(IntCond::Eq, zero, zero);
        match ty {
            ty if ty.element() == Type::I1 => ones,
            ty => self.cast(CastOp::Sext, ones, ty),
        }
    }

    /// In each lane of a native vector of integers all bits its sign.
    pub(super) fn signs(&mut self, vector: Value) -> Value {
        let ty = self.ty_of(vector);
        if ty == Type::V16I8 {
            let zero = self.b.func.make_zero(ty);
            let is_negative = self.icmp(IntCond::Slt, vector, zero);
            return self.cast(CastOp::Sext, is_negative, ty);
        }
        self.all_shifted(BinaryOp::Ashr, vector, i64::from(ty.element().bits()) - 1)
    }

    /// The number of `bits` bits, with its sign, that all lanes of these parts are, if they are constants.
    pub(super) fn uniform_number(&self, run: Run, bits: u32) -> Option<i64> {
        let unused = 64u32.checked_sub(bits)?;
        let part = |n: u32| {
            let part = self.get(run, n);
            let number = match self.ty_of(part).is_vector() {
                true => uniform_lane(self.b.func, part)? as i64,
                false => self.b.func.int_value(part)?,
            };
            Some(number << unused >> unused)
        };
        let first = part(0)?;
        (1..run.len).all(|n| part(n) == Some(first)).then_some(first)
    }

    /// `number` in every lane of a native vector of integers, or of one of 256 bits.
    pub(super) fn splat(&mut self, ty: Type, number: i64) -> Value {
        if let Some(half) = ty.half() {
            let half = self.splat(half, number);
            return self.b.join([half; 2], ty);
        }
        let lane = self.int(ty.element(), number);
        self.lanes_from(ty, |_, _| lane)
    }

    /// `number` in every lane of a native vector of floats, or of one of 256 bits.
    pub(super) fn float_splat(&mut self, ty: Type, number: f64) -> Value {
        if let Some(half) = ty.half() {
            let half = self.float_splat(half, number);
            return self.b.join([half; 2], ty);
        }
        let lane = self.float(ty.element(), number);
        self.lanes_from(ty, |_, _| lane)
    }

    /// Part by part.
    pub(super) fn each_part(
        &mut self,
        a: Run,
        b: Run,
        mut f: impl FnMut(&mut Self, Value, Value) -> Value,
    ) -> Run {
        let out = self.reserve(a.len);
        for i in 0..a.len {
            let (x, y) = (self.get(a, i), self.get(b, i));
            let part = f(self, x, y);
            self.set(out, i, part);
        }
        out
    }

    /// Lane by lane, with runs of the parts of a lane.
    pub(super) fn each_lane(
        &mut self,
        vector: VectorShape,
        a: Run,
        b: Run,
        mut f: impl FnMut(&mut Self, Run, Run) -> Checked<Run>,
    ) -> Checked<Run> {
        let each = vector.lane.parts();
        let (a, b) = (self.split_lanes(vector, a), self.split_lanes(vector, b));
        let out = self.reserve(a.len);
        for i in 0..vector.lanes {
            let lane = f(self, a.part(i * each, each), b.part(i * each, each))?;
            self.copy(out, i * each, lane);
        }
        Ok(self.join_lanes(vector, out))
    }

    // ---- instructions

    /// EXTRACTELT.
    pub(super) fn extract_element(&mut self) -> Checked<()> {
        let (a, index) = (self.vt()?, self.vt()?);
        self.end()?;
        let result = self.lane_of(a, index)?;
        self.define(result)
    }

    /// A lane; also of constant expressions.
    pub(super) fn lane_of(&mut self, a: Operand, index: Operand) -> Checked<Operand> {
        let vector = self.vector_shape(a.ty)?;
        let ty = self.lane_type(a.ty)?;
        let parts = self.run(a);
        let each = vector.lane.parts();
        if let Some(number) = self.constant_index(index)? {
            let Some(lane) = u32::try_from(number).ok().filter(|&lane| lane < vector.lanes) else {
                return self.undefined(ty);
            };
            let run = match vector.native {
                Some(native) => {
                    let value = self.native_lane(native, parts, lane);
                    self.push(value)
                }
                None => parts.part(lane * each, each),
            };
            return Ok(self.operand(ty, run));
        }
        self.check_searched(vector)?;
        let lanes = self.split_lanes(vector, parts);
        let index = self.index_value(index)?;
        let mut result = lanes.part(0, each);
        for lane in 1..vector.lanes {
            let is_here = self.icmp_int(IntCond::Eq, index, lane.into());
            result = self.run_choose(is_here, lanes.part(lane * each, each), result);
        }
        Ok(self.operand(ty, result))
    }

    /// INSERTELT.
    pub(super) fn insert_element(&mut self) -> Checked<()> {
        let a = self.vt()?;
        let ty = self.lane_type(a.ty)?;
        let (element, index) = (self.rel(ty)?, self.vt()?);
        self.end()?;
        let result = self.with_lane(a, element, index)?;
        self.define(result)
    }

    /// A vector with one lane replaced; also of constant expressions.
    pub(super) fn with_lane(&mut self, a: Operand, element: Operand, index: Operand) -> Checked<Operand> {
        let vector = self.vector_shape(a.ty)?;
        if self.lane_type(a.ty)? != element.ty {
            return fail(self.type_class(element.ty, "the type of the lanes"));
        }
        let (parts, element) = (self.run(a), self.run(element));
        let each = vector.lane.parts();
        if let Some(number) = self.constant_index(index)? {
            let Some(lane) = u32::try_from(number).ok().filter(|&lane| lane < vector.lanes) else {
                return self.undefined(a.ty);
            };
            let out = self.reserve(parts.len);
            self.copy(out, 0, parts);
            match vector.native {
                Some(native) => {
                    let at = lane / native.lanes();
                    let (part, element) = (self.get(parts, at), self.get(element, 0));
                    let part = self.set_lane(part, lane % native.lanes(), element);
                    let number = if lane + 1 == vector.lanes { self.number_in(vector, part) } else { None };
                    let part = match number {
                        Some(number) => self.first_lane(number, native)?,
                        None => part,
                    };
                    self.set(out, at, part);
                }
                None => self.copy(out, lane * each, element),
            }
            return Ok(self.operand(a.ty, out));
        }
        self.check_searched(vector)?;
        let lanes = self.split_lanes(vector, parts);
        let index = self.index_value(index)?;
        let out = self.reserve(lanes.len);
        for lane in 0..vector.lanes {
            let is_here = self.icmp_int(IntCond::Eq, index, lane.into());
            let value = self.run_choose(is_here, element, lanes.part(lane * each, each));
            self.copy(out, lane * each, value);
        }
        let run = self.join_lanes(vector, out);
        Ok(self.operand(a.ty, run))
    }

    /// The number of 32 or 64 bits whose parts were put one by one into all lanes of a short vector, the lowest first.
    fn number_in(&self, vector: VectorShape, part: Value) -> Option<Value> {
        let bits = vector.lane.bits();
        let ty = match vector.lanes * bits {
            32 => Type::I32,
            64 => Type::I64,
            _ => return None,
        };
        let mut whole = None;
        for lane in 0..vector.lanes {
            let inst = self.b.func.defining_inst(self.inserted_value(part, lane)?)?;
            let InstData::Cast { op: CastOp::Trunc, arg } = *self.b.func.inst(inst) else { return None };
            let shifted = |inst| match *self.b.func.inst(inst) {
                InstData::Binary { op: BinaryOp::Lshr, args: [number, amount] }
                    if self.b.func.int_value(amount) == Some((lane * bits).into()) =>
                {
                    Some(number)
                }
                _ => None,
            };
            let number = if lane == 0 { arg } else { shifted(self.b.func.defining_inst(arg)?)? };
            if self.ty_of(number) != ty || whole.is_some_and(|whole| whole != number) {
                return None;
            }
            whole = Some(number);
        }
        whole
    }

    fn check_searched(&self, vector: VectorShape) -> Checked<()> {
        match vector.lanes > MAX_SEARCHED_LANES {
            true => unsupported("a variable index into a vector of more than 256 lanes"),
            false => Ok(()),
        }
    }

    /// The constant lane number, as an unsigned number.
    fn constant_index(&mut self, index: Operand) -> Checked<Option<u64>> {
        match self.scalar(index.ty)? {
            crate::llvm::legalize::shape::Scalar::Int(bits @ ..=64) => {
                Ok(self.constant_number(index).map(|n| n as u64 & (u64::MAX >> (64 - bits))))
            }
            _ => unsupported("an index of more than 64 bits"),
        }
    }

    /// A variable lane number in at least 32 bits.
    fn index_value(&mut self, index: Operand) -> Checked<Value> {
        let bits = self.scalar(index.ty)?.bits();
        let value = self.single(index);
        let ty = if bits <= 32 { Type::I32 } else { Type::I64 };
        Ok(self.extended(bits, value, super::integer::Sign::Unsigned, ty))
    }

    /// An undefined value.
    pub(super) fn undefined(&mut self, ty: TypeId) -> Checked<Operand> {
        self.value_shape(ty)?;
        let parts = self.m.legal.parts(ty)?;
        let out = self.reserve(parts.len() as u32);
        for (i, part) in (0..out.len).zip(parts) {
            let value = self.undef(part.ty);
            self.set(out, i, value);
        }
        Ok(self.operand(ty, out))
    }

    // ---- reductions

    /// All lanes joined by a binary operation, from the first on.
    pub(super) fn reduce(
        &mut self,
        a: Operand,
        mut join: impl FnMut(&mut Self, Run, Run) -> Checked<Run>,
    ) -> Checked<Run> {
        let vector = self.vector_shape(a.ty)?;
        let each = vector.lane.parts();
        let parts = self.run(a);
        let lanes = self.split_lanes(vector, parts);
        let mut result = lanes.part(0, each);
        for lane in 1..vector.lanes {
            result = join(self, result, lanes.part(lane * each, each))?;
        }
        Ok(result)
    }
}
