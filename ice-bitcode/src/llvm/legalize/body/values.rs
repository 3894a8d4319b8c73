//! The values of a body by number, and the parts that they are made of.
//!
//! Value numbers count globals, constants of the module, parameters, constants of the function and results, in this
//! order (LLVM bitcode specification, section 7). A value of one part is kept as that part; the parts of all others
//! are runs of one list that only grows while a body is read. Constants become parts when they are first used.
//!
//! A constant expression becomes instructions at its use, once a block.

use cranelift_entity::EntityRef;
use ice_ir::{BinaryOp, CastOp, FloatCond, InstData, IntCond, Type, Value};

use super::{Body, Checked, fail};
use crate::error::Error;
use crate::llvm::legalize::shape::{Kind, Scalar, Shape};
use crate::llvm::wire::types::TypeId;

/// A value: its type, and its part or the start of its parts in the pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Operand {
    pub(super) ty: TypeId,
    pub(super) first: u32,
}

/// Some parts, one after another in the pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    pub(super) start: u32,
    pub(super) len: u32,
}

impl Run {
    /// `len` parts from `at` on.
    pub(super) const fn part(self, at: u32, len: u32) -> Run {
        Run { start: self.start + at, len }
    }
}

/// A local value.
#[derive(Clone, Copy)]
pub(super) struct Local {
    /// The part, or the start of the parts.
    pub(super) first: u32,
    /// The basic block of the definition (0 for parameters and constants), or one of the states below.
    pub(super) block: u32,
    /// The last block for which a use was noted; of a constant expression, the block that it was built in.
    pub(super) noted: u32,
    pub(super) ty: TypeId,
}

/// A constant of the function that has no parts yet.
pub(super) const CONSTANT: u32 = u32::MAX - 2;
/// Used, but not yet defined; the parts are announced.
pub(super) const ANNOUNCED: u32 = u32::MAX - 1;
/// Nothing is known.
pub(super) const MISSING: u32 = u32::MAX;

impl Body<'_, '_> {
    // ---- types

    #[inline(always)]
    pub(super) fn shape(&self, ty: TypeId) -> Shape {
        self.p.shapes.get(ty)
    }

    #[inline(always)]
    pub(super) fn kind(&self, ty: TypeId) -> Kind {
        self.p.shapes.get(ty).kind
    }

    /// The shape of a type that must have values.
    pub(super) fn value_shape(&self, ty: TypeId) -> Checked<Shape> {
        let shape = self.shape(ty);
        match shape.kind {
            Kind::Other => match self.m.legal.parts(ty) {
                Err(error) => fail(error),
                Ok(_) => fail(self.type_class(ty, "a type of values")),
            },
            Kind::Void => fail(Error::VoidValue),
            _ => Ok(shape),
        }
    }

    /// An error about the class of a type.
    #[cold]
    pub(super) fn type_class(&self, ty: TypeId, expected: &'static str) -> Error {
        Error::TypeClass { ty: ty.as_u32().into(), expected }
    }

    pub(super) fn pointer(&self) -> Type {
        self.m.module.pointer_type
    }

    // ---- operands of the record

    /// The next operand as it is.
    #[inline(always)]
    pub(super) fn op(&mut self) -> Checked<u64> {
        match self.ops.get(self.at) {
            Some(&op) => {
                self.at += 1;
                Ok(op)
            }
            None => self.too_short(),
        }
    }

    #[cold]
    fn too_short<T>(&self) -> Checked<T> {
        fail(Error::OperandCount { record: self.name, found: self.ops.len(), expected: "more" })
    }

    /// Whether operands are left.
    pub(super) fn has_more(&self) -> bool {
        self.at < self.ops.len()
    }

    /// The next operand, if there is one.
    pub(super) fn optional(&mut self) -> u64 {
        let op = self.ops.get(self.at).copied();
        self.at += usize::from(op.is_some());
        op.unwrap_or(0)
    }

    /// All operands must be used up.
    #[inline(always)]
    pub(super) fn end(&self) -> Checked<()> {
        if self.at == self.ops.len() { Ok(()) } else { self.too_long() }
    }

    #[cold]
    fn too_long(&self) -> Checked<()> {
        fail(Error::OperandCount { record: self.name, found: self.ops.len(), expected: "fewer" })
    }

    /// The next operand as a type.
    pub(super) fn type_operand(&mut self) -> Checked<TypeId> {
        let id = self.op()?;
        Ok(self.m.types.resolve(id)?)
    }

    /// The number of the value that a relative operand means.
    #[inline(always)]
    fn number(&self, relative: u64) -> Checked<u32> {
        match relative >> 32 {
            0 => Ok(self.s.next_number().wrapping_sub(relative as u32)),
            _ => fail(Error::NonexistentValue { operand: relative }),
        }
    }

    /// A value whose type follows if it is not defined yet.
    #[inline(always)]
    pub(super) fn vt(&mut self) -> Checked<Operand> {
        let relative = self.op()?;
        let local = self.s.next_local.wrapping_sub(relative as u32);
        match self.s.locals.get(local as usize) {
            // Defined in this block, or where it dominates everything.
            Some(local) if (local.block == self.s.block || local.block == 0) && relative >> 32 == 0 => {
                Ok(Operand { ty: local.ty, first: local.first })
            }
            _ => self.far_vt(relative),
        }
    }

    #[inline(never)]
    fn far_vt(&mut self, relative: u64) -> Checked<Operand> {
        let number = self.number(relative)?;
        if number >= self.s.next_number() {
            let ty = self.type_operand()?;
            return self.forward(number, ty);
        }
        self.value(number)
    }

    /// A value of a type that is known.
    #[inline(always)]
    pub(super) fn rel(&mut self, ty: TypeId) -> Checked<Operand> {
        let relative = self.op()?;
        let local = self.s.next_local.wrapping_sub(relative as u32);
        match self.s.locals.get(local as usize) {
            Some(local)
                if (local.block == self.s.block || local.block == 0)
                    && relative >> 32 == 0
                    && local.ty == ty =>
            {
                Ok(Operand { ty, first: local.first })
            }
            _ => self.far_rel(relative, ty),
        }
    }

    #[inline(never)]
    fn far_rel(&mut self, relative: u64, ty: TypeId) -> Checked<Operand> {
        let number = self.number(relative)?;
        if number >= self.s.next_number() {
            return self.forward(number, ty);
        }
        let operand = self.value(number)?;
        match operand.ty == ty {
            true => Ok(operand),
            false => fail(self.type_class(operand.ty, "the type that the other operands ask for")),
        }
    }

    /// A value that is defined or constant, by its number.
    pub(super) fn value(&mut self, number: u32) -> Checked<Operand> {
        let Some(index) = number.checked_sub(self.s.first_local) else {
            return self.module_value(number);
        };
        let block = self.s.block;
        match self.s.locals.get_mut(index as usize) {
            Some(local) if local.block == CONSTANT => {
                let (ty, stamp) = (local.ty, local.noted);
                // An expression that was built in this block already.
                if stamp == self.s.stamp {
                    return Ok(Operand { ty, first: local.first });
                }
                let (first, is_plain) = match self.value_in_memory(index) {
                    Some(loaded) => (loaded?.first, false),
                    None => self.constant(number)?,
                };
                let stamp = self.s.stamp;
                let local = &mut self.s.locals[index as usize];
                local.first = first;
                match is_plain {
                    true => local.block = 0,
                    false => local.noted = stamp,
                }
                Ok(Operand { ty, first })
            }
            Some(local) if local.block < CONSTANT || local.block == ANNOUNCED => {
                let operand = Operand { ty: local.ty, first: local.first };
                let far = local.block != block && local.block != 0;
                if far && core::mem::replace(&mut local.noted, block) != block {
                    self.s.note_use(index, block);
                }
                Ok(operand)
            }
            _ => fail(Error::UsedBeforeDefined { value: number }),
        }
    }

    /// Announces a value that is defined later, by its number.
    fn forward(&mut self, number: u32, ty: TypeId) -> Checked<Operand> {
        let index = number.wrapping_sub(self.s.first_local);
        // Each record that defines a value takes at least two bits.
        if u64::from(index - self.s.next_local) > self.remaining_bits() / 2 {
            return fail(Error::ForwardOutOfRange { value: number.into() });
        }
        let missing = Local { first: 0, block: MISSING, noted: MISSING, ty };
        if self.s.locals.len() <= index as usize {
            self.s.locals.resize(index as usize + 1, missing);
        }
        let block = self.s.block;
        let local = self.s.locals[index as usize];
        self.s.note_early_use(index, block);
        if local.block == ANNOUNCED {
            if local.ty != ty {
                return fail(self.type_class(ty, "the type of an earlier reference"));
            }
            return Ok(Operand { ty, first: local.first });
        }
        let shape = self.value_shape(ty)?;
        let start = self.s.pool.len() as u32;
        for part in self.m.legal.parts(ty)? {
            let value = self.b.func.make_forward(part.ty);
            self.s.pool.push(value);
        }
        let first = if shape.parts == 1 { self.s.pool[start as usize].as_u32() } else { start };
        self.s.locals[index as usize] = Local { first, block: ANNOUNCED, noted: MISSING, ty };
        self.s.pending += 1;
        Ok(Operand { ty, first })
    }

    // ---- parts

    /// The part of a value that has one.
    #[inline(always)]
    pub(super) fn single(&self, operand: Operand) -> Value {
        debug_assert_eq!(self.shape(operand.ty).parts, 1);
        Value::from_u32(operand.first)
    }

    /// The parts of a value.
    pub(super) fn run(&mut self, operand: Operand) -> Run {
        match self.shape(operand.ty).parts {
            1 => self.push(Value::from_u32(operand.first)),
            len => Run { start: operand.first, len },
        }
    }

    /// Part `index` of a value.
    pub(super) fn part(&self, operand: Operand, index: u32) -> Value {
        match self.shape(operand.ty).parts {
            1 => Value::from_u32(operand.first),
            _ => self.s.pool[(operand.first + index) as usize],
        }
    }

    /// A run of one part.
    pub(super) fn push(&mut self, value: Value) -> Run {
        let start = self.s.pool.len() as u32;
        self.s.pool.push(value);
        Run { start, len: 1 }
    }

    /// A run of `len` parts that are set later.
    pub(super) fn reserve(&mut self, len: u32) -> Run {
        let start = self.s.pool.len() as u32;
        self.s.pool.resize((start + len) as usize, Value::new(0));
        Run { start, len }
    }

    #[inline]
    pub(super) fn get(&self, run: Run, index: u32) -> Value {
        debug_assert!(index < run.len);
        self.s.pool[(run.start + index) as usize]
    }

    #[inline]
    pub(super) fn set(&mut self, run: Run, index: u32, value: Value) {
        debug_assert!(index < run.len);
        self.s.pool[(run.start + index) as usize] = value;
    }

    /// Copies the parts of `from` to those of `to` from `at` on.
    pub(super) fn copy(&mut self, to: Run, at: u32, from: Run) {
        let start = from.start as usize;
        self.s.pool.copy_within(start..start + from.len as usize, (to.start + at) as usize);
    }

    /// A value of `ty` with these parts.
    pub(super) fn operand(&self, ty: TypeId, run: Run) -> Operand {
        debug_assert_eq!(self.shape(ty).parts, run.len);
        let first = if run.len == 1 { self.s.pool[run.start as usize].as_u32() } else { run.start };
        Operand { ty, first }
    }

    // ---- results

    /// Gives the next number to a value of one part.
    #[inline(always)]
    pub(super) fn define_one(&mut self, ty: TypeId, value: Value) -> Checked<()> {
        debug_assert_eq!(self.b.func.value_type(value), self.shape(ty).first);
        self.define(Operand { ty, first: value.as_u32() })
    }

    /// Gives the next number to a value with these parts.
    pub(super) fn define_run(&mut self, ty: TypeId, run: Run) -> Checked<()> {
        let operand = self.operand(ty, run);
        self.define(operand)
    }

    /// Gives the next number to a value.
    #[inline(always)]
    pub(super) fn define(&mut self, operand: Operand) -> Checked<()> {
        let local = Local { first: operand.first, block: self.s.block, noted: MISSING, ty: operand.ty };
        if self.s.next_local as usize == self.s.locals.len() {
            self.s.locals.push(local);
            self.s.next_local += 1;
            return Ok(());
        }
        self.define_early(operand)
    }

    /// As [`define`](Self::define), where later values are announced.
    #[cold]
    fn define_early(&mut self, operand: Operand) -> Checked<()> {
        let index = self.s.next_local as usize;
        let old = self.s.locals[index];
        let mut new = Local { first: operand.first, block: self.s.block, noted: MISSING, ty: operand.ty };
        if old.block == ANNOUNCED {
            if old.ty != operand.ty {
                return fail(self.type_class(operand.ty, "the type that was announced"));
            }
            new.first = old.first;
            self.s.pending -= 1;
            let announced = Operand { ty: old.ty, first: old.first };
            for index in 0..self.shape(old.ty).parts {
                let (from, to) = (self.part(operand, index), self.part(announced, index));
                if from == to {
                    continue;
                }
                let ty = self.b.func.value_type(from);
                self.b.define_next_as(to);
                self.b.append(InstData::Cast { op: CastOp::Bitcast, arg: from }, ty);
            }
        }
        self.s.locals[index] = new;
        self.s.next_local += 1;
        Ok(())
    }

    // ---- short names for the builder

    #[inline]
    pub(super) fn int(&mut self, ty: Type, number: i64) -> Value {
        self.s.numbers.get(self.b.func, ty, number)
    }

    #[inline]
    pub(super) fn i32(&mut self, number: i64) -> Value {
        self.int(Type::I32, number)
    }

    #[inline]
    pub(super) fn i64(&mut self, number: i64) -> Value {
        self.int(Type::I64, number)
    }

    pub(super) fn ty_of(&self, value: Value) -> Type {
        self.b.func.value_type(value)
    }

    pub(super) fn undef(&mut self, ty: Type) -> Value {
        self.b.func.make_undef(ty)
    }

    pub(super) fn bin(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.b.binary(op, a, b)
    }

    /// `a op number`, in every lane of a vector.
    pub(super) fn bin_int(&mut self, op: BinaryOp, a: Value, number: i64) -> Value {
        let number = match self.ty_of(a) {
            ty if ty.is_vector() => self.splat(ty, number),
            ty => self.int(ty, number),
        };
        self.b.binary(op, a, number)
    }

    pub(super) fn icmp(&mut self, cond: IntCond, a: Value, b: Value) -> Value {
        self.b.icmp(cond, a, b)
    }

    /// `a cond number`.
    pub(super) fn icmp_int(&mut self, cond: IntCond, a: Value, number: i64) -> Value {
        let ty = self.ty_of(a);
        let number = self.int(ty, number);
        self.b.icmp(cond, a, number)
    }

    pub(super) fn fcmp(&mut self, cond: FloatCond, a: Value, b: Value) -> Value {
        self.b.fcmp(cond, a, b)
    }

    pub(super) fn choose(&mut self, cond: Value, if_true: Value, if_false: Value) -> Value {
        self.b.select(cond, if_true, if_false)
    }

    pub(super) fn cast(&mut self, op: CastOp, value: Value, ty: Type) -> Value {
        self.b.cast(op, value, ty)
    }

    /// `value` as `ty` with the same bits.
    pub(super) fn bits_as(&mut self, value: Value, ty: Type) -> Value {
        if self.ty_of(value) == ty { value } else { self.b.cast(CastOp::Bitcast, value, ty) }
    }

    /// `value`, an integer, cut or zero-extended to `ty`.
    pub(super) fn resize_zero(&mut self, value: Value, ty: Type) -> Value {
        let from = self.ty_of(value);
        match from.bits().cmp(&ty.bits()) {
            core::cmp::Ordering::Less => self.b.cast(CastOp::Zext, value, ty),
            core::cmp::Ordering::Equal => value,
            core::cmp::Ordering::Greater => self.b.cast(CastOp::Trunc, value, ty),
        }
    }

    /// `value`, an integer, cut or sign-extended to `ty`.
    pub(super) fn resize_sign(&mut self, value: Value, ty: Type) -> Value {
        let from = self.ty_of(value);
        match from.bits().cmp(&ty.bits()) {
            core::cmp::Ordering::Less => self.b.cast(CastOp::Sext, value, ty),
            core::cmp::Ordering::Equal => value,
            core::cmp::Ordering::Greater => self.b.cast(CastOp::Trunc, value, ty),
        }
    }

    /// The scalar that `ty` is.
    pub(super) fn scalar(&self, ty: TypeId) -> Checked<Scalar> {
        match self.kind(ty) {
            Kind::Scalar(scalar) => Ok(scalar),
            _ => {
                self.value_shape(ty)?;
                fail(self.type_class(ty, "a scalar"))
            }
        }
    }

    /// The number that a value is, if it is a constant integer of at most 64 bits.
    pub(super) fn constant_number(&self, operand: Operand) -> Option<i64> {
        match self.shape(operand.ty) {
            Shape { kind: Kind::Scalar(Scalar::Int(_)), parts: 1, .. } => {
                self.b.func.int_value(Value::from_u32(operand.first))
            }
            _ => None,
        }
    }
}
