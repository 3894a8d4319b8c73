//! How values travel: in the [form](crate::llvm::legalize::signature::form) of their type as arguments and results,
//! and back from it.

use alloc::vec::Vec;

use ice_ir::{BinaryOp, Intrinsic, Type, Value};

use super::extended::Argument;
use super::integer::Sign;
use super::values::{Operand, Run};
use super::{Body, Checked};
use crate::llvm::legalize::legal::int_type;
use crate::llvm::legalize::shape::{Kind, Scalar};
use crate::llvm::legalize::signature::{Form, Role, Units, form, is_demoted, result_units, units};
use crate::llvm::wire::attributes::ParamAttributes;
use crate::llvm::wire::types::TypeId;

/// The vector that has values of `ty` as its lanes, or their words where there are no lanes of 64 bits.
fn lanes_type(ty: Type, has_two_lanes: bool) -> Type {
    match ty {
        Type::I8 => Type::V16I8,
        Type::I16 => Type::V8I16,
        Type::F32 => Type::V4F32,
        Type::I64 if has_two_lanes => Type::V2I64,
        Type::F64 if has_two_lanes => Type::V2F64,
        _ => Type::V4I32,
    }
}

/// What `count` parts of type `part` are in a value of type `carrier`: integers fill 64 bits.
fn lane_in(carrier: Type, part: Type, count: u32) -> Type {
    match carrier == Type::F64 && part.is_scalar_int() {
        true => int_type(64 / count),
        false => part,
    }
}

/// What the lanes of a short vector of type `ty` with these bits are in a register of 64 bits, which they fill.
fn short_lane(ty: Type, bits: u8) -> Type {
    let element = ty.element();
    let lanes = u32::from(bits) / element.bits();
    match element.is_scalar_int() {
        true => int_type(64 / lanes.next_power_of_two().max(1)),
        false => element,
    }
}

impl Body<'_, '_> {
    pub(super) fn form(&self, role: Role, ty: TypeId, attributes: ParamAttributes) -> Checked<Form> {
        Ok(form(&self.m.types, &self.m.legal, role, ty, attributes)?)
    }

    /// Appends a value in the form in which it is passed.
    pub(super) fn pass(
        &mut self,
        operand: Operand,
        attributes: ParamAttributes,
        argument: Argument,
        args: &mut Vec<Value>,
    ) -> Checked<()> {
        let parts = self.m.legal.parts(operand.ty)?;
        self.pass_as(operand, attributes, argument, units(parts), args)
    }

    /// Appends a value in the form in which it is passed, its parts in these values.
    pub(super) fn pass_as(
        &mut self,
        operand: Operand,
        attributes: ParamAttributes,
        argument: Argument,
        mut units: Units<'_>,
        args: &mut Vec<Value>,
    ) -> Checked<()> {
        let shape = self.shape(operand.ty);
        let form = match shape.kind {
            // Most arguments are words.
            Kind::Scalar(Scalar::Int(32 | 64)) => Form::Parts,
            _ => self.form(argument.role(), operand.ty, attributes)?,
        };
        match form {
            Form::Parts if shape.parts == 1 => {
                let part = self.single(operand);
                args.push(match units.next() {
                    Some(unit) if unit.is_memory => self.in_memory(argument, part)?,
                    Some(unit) => self.carried_alone(unit.ty, part, unit.bits)?,
                    None => part,
                });
            }
            Form::Parts => {
                let (run, mut at) = (self.run(operand), 0);
                for unit in units {
                    args.push(match unit.is_memory {
                        true => self.in_memory(argument, self.get(run, at))?,
                        false => self.carried(unit.ty, run.part(at, unit.parts), unit.bits)?,
                    });
                    at += unit.parts;
                }
            }
            Form::Extended => {
                let run = self.run(operand);
                for at in (0..run.len).step_by(2) {
                    self.pass_extended(run.part(at, 2), argument, args)?;
                }
            }
            Form::ZeroExtended(ty) | Form::SignExtended(ty) => {
                let sign = if form == Form::SignExtended(ty) { Sign::Signed } else { Sign::Unsigned };
                let bits = self.scalar(operand.ty)?.bits();
                let value = self.single(operand);
                let value = self.extended(bits, value, sign, ty);
                args.push(value);
            }
        }
        Ok(())
    }

    /// The address of memory with this part, which is passed by value.
    pub(super) fn in_memory(&mut self, argument: Argument, part: Value) -> Checked<Value> {
        let place = self.argument_place()?;
        self.b.store(place, part, 4);
        match argument {
            Argument::Fixed | Argument::Result => Ok(place),
            Argument::Variable => self.by_value(place, 16, 4),
        }
    }

    /// The object of so many bytes at this address, as a variable argument that is passed by value.
    pub(super) fn by_value(&mut self, address: Value, size: u32, align_log2: u8) -> Checked<Value> {
        let numbers = [size as i32, align_log2.into()].map(|number| self.i32(number.into()));
        self.intrinsic_one(Intrinsic::ByValue, &[address, numbers[0], numbers[1]])
    }

    /// A value of `ty` with the `bits` of this part in its low bits.
    fn carried_alone(&mut self, ty: Type, part: Value, bits: u8) -> Checked<Value> {
        Ok(match (self.ty_of(part), ty) {
            (vector, Type::F64) if vector.is_vector() => {
                let lane = short_lane(vector, bits);
                let filled = match lane == vector.element() {
                    true => part,
                    false => self.with_other_lanes(part, (vector, bits), lane),
                };
                self.number_at(filled, Type::F64, 0)?
            }
            (Type::I16, Type::F32) => {
                let wide = self.resize_zero(part, Type::I32);
                self.bits_as(wide, ty)
            }
            (Type::I16, Type::V8I16) => {
                let vector = self.undef(ty);
                self.insert(vector, part, 0)
            }
            (Type::I8 | Type::I16 | Type::I32, Type::F64) => {
                let wide = self.resize_zero(part, Type::I64);
                self.bits_as(wide, ty)
            }
            _ => self.bits_as(part, ty),
        })
    }

    /// A value of `ty` with these parts in its low bits, which all have one width.
    pub(super) fn carried(&mut self, ty: Type, parts: Run, bits: u8) -> Checked<Value> {
        let first = self.get(parts, 0);
        let of_part = self.ty_of(first);
        if parts.len == 1 {
            return self.carried_alone(ty, first, bits);
        }
        if self.holds_doubles(ty, of_part) {
            let [low, high] = [0, parts.len - 1].map(|i| self.get(parts, i));
            let low = self.carried_alone(Type::F64, low, bits)?;
            let high = self.carried_alone(Type::F64, high, bits)?;
            return self.of_halves([low, high], ty);
        }
        let lane = lane_in(ty, of_part, parts.len);
        let has_two_lanes = self.m.legal.machine().has_two_lanes;
        let mut vector = self.undef(lanes_type(lane, has_two_lanes));
        for i in 0..parts.len {
            let part = self.get(parts, i);
            let part = if lane == of_part { part } else { self.resize_zero(part, lane) };
            vector = match lane.bits() {
                64 if !has_two_lanes => {
                    let words = self.words_of(part);
                    let vector = self.insert(vector, words[0], 2 * i);
                    self.insert(vector, words[1], 2 * i + 1)
                }
                _ => self.insert(vector, part, i),
            };
        }
        if ty != Type::F64 {
            return Ok(self.bits_as(vector, ty));
        }
        self.number_at(vector, Type::F64, 0)
    }

    /// The lanes of a short vector of type `from` with these bits as the low lanes of one of integers of type `to`.
    fn with_other_lanes(&mut self, vector: Value, (from, bits): (Type, u8), to: Type) -> Value {
        let mut out = self.undef(lanes_type(to, true));
        for i in 0..u32::from(bits) / from.element().bits() {
            let lane = self.extract(vector, i);
            let lane = self.resize_zero(lane, to);
            out = self.insert(out, lane, i);
        }
        out
    }

    /// The short vector of type `ty` with these bits that travels in `double`.
    fn short_of(&mut self, double: Value, ty: Type, bits: u8) -> Checked<Value> {
        let doubles = self.first_lane(double, Type::V4I32)?;
        let lane = short_lane(ty, bits);
        if lane == ty.element() {
            return Ok(self.bits_as(doubles, ty));
        }
        let lanes = self.bits_as(doubles, lanes_type(lane, true));
        let mut out = self.undef(ty);
        for i in 0..u32::from(bits) / ty.element().bits() {
            let part = self.extract(lanes, i);
            let part = self.resize_zero(part, ty.element());
            out = self.insert(out, part, i);
        }
        Ok(out)
    }

    /// Sets `parts` of type `of_part` with these bits to those in the low bits of `value`.
    pub(super) fn uncarry(&mut self, value: Value, (of_part, bits): (Type, u8), parts: Run) -> Checked<()> {
        if parts.len == 1 {
            let part = match (of_part, self.ty_of(value)) {
                (_, Type::F64) if of_part.is_vector() => self.short_of(value, of_part, bits)?,
                (Type::I16, Type::F32) => {
                    let bits = self.bits_as(value, Type::I32);
                    self.resize_zero(bits, of_part)
                }
                (Type::I16, Type::V8I16) => self.extract(value, 0),
                (Type::I8 | Type::I16 | Type::I32, Type::F64) => {
                    let bits = self.bits_as(value, Type::I64);
                    self.resize_zero(bits, of_part)
                }
                _ => self.bits_as(value, of_part),
            };
            self.set(parts, 0, part);
            return Ok(());
        }
        if self.holds_doubles(self.ty_of(value), of_part) {
            for i in 0..parts.len {
                let double = self.number_at(value, Type::F64, i)?;
                let part = match of_part.is_vector() {
                    true => self.short_of(double, of_part, bits)?,
                    false => double,
                };
                self.set(parts, i, part);
            }
            return Ok(());
        }
        let has_two_lanes = self.m.legal.machine().has_two_lanes;
        let vector = match self.ty_of(value) {
            Type::F64 => self.first_lane(value, Type::V4I32)?,
            _ => value,
        };
        let lane = lane_in(self.ty_of(value), of_part, parts.len);
        let vector = self.bits_as(vector, lanes_type(lane, has_two_lanes));
        for i in 0..parts.len {
            let part = match lane.bits() {
                64 if !has_two_lanes => self.wide_lane(vector, i),
                _ => self.extract(vector, i),
            };
            let part = match lane == of_part {
                true => self.bits_as(part, of_part),
                false => self.resize_zero(part, of_part),
            };
            self.set(parts, i, part);
        }
        Ok(())
    }

    /// Whether a value of type `ty` has parts of type `of_part` as its lanes of 64 bits, or halves.
    fn holds_doubles(&self, ty: Type, of_part: Type) -> bool {
        of_part.is_vector()
            || of_part == Type::F64 && ty == Type::V4I32 && self.m.legal.machine().pairs_doubles
    }

    fn insert(&mut self, vector: Value, lane: Value, index: u32) -> Value {
        let element = self.ty_of(vector).element();
        let (lane, index) = (self.bits_as(lane, element), self.i32(index.into()));
        self.b.insert_element(vector, lane, index)
    }

    fn extract(&mut self, vector: Value, index: u32) -> Value {
        let index = self.i32(index.into());
        self.b.extract_element(vector, index)
    }

    /// The low and high half of 64 bits.
    fn words_of(&mut self, value: Value) -> [Value; 2] {
        let wide = self.bits_as(value, Type::I64);
        let high = self.bin_int(BinaryOp::Lshr, wide, 32);
        [wide, high].map(|word| self.resize_zero(word, Type::I32))
    }

    /// Lane `index` of a vector of words as if it were one of 64 bits.
    fn wide_lane(&mut self, words: Value, index: u32) -> Value {
        let halves = [self.extract(words, 2 * index), self.extract(words, 2 * index + 1)];
        self.join_words(halves)
    }

    /// The 64 bits of a low and a high word.
    pub(super) fn join_words(&mut self, words: [Value; 2]) -> Value {
        let [low, high] = words.map(|word| self.resize_zero(word, Type::I64));
        let high = self.bin_int(BinaryOp::Shl, high, 32);
        self.bin(BinaryOp::Or, low, high)
    }

    /// A value of type `ty` from the form in which it was passed, its parts in these values: `next` gives one after
    /// another.
    pub(super) fn unpass(
        &mut self,
        (role, ty): (Role, TypeId),
        attributes: ParamAttributes,
        units: Units<'_>,
        mut next: impl FnMut(&mut Self) -> Checked<Value>,
    ) -> Checked<Operand> {
        let shape = self.value_shape(ty)?;
        match self.form(role, ty, attributes)? {
            Form::Parts => {
                let (out, mut at) = (self.reserve(shape.parts), 0);
                for unit in units {
                    let value = next(self)?;
                    let of_part = self.m.legal.parts(ty)?[at as usize].ty;
                    match unit.is_memory {
                        true => {
                            let part = self.b.load(of_part, value, 4);
                            self.set(out, at, part);
                        }
                        false => self.uncarry(value, (of_part, unit.bits), out.part(at, unit.parts))?,
                    }
                    at += unit.parts;
                }
                Ok(self.operand(ty, out))
            }
            Form::Extended => {
                let out = self.reserve(shape.parts);
                for at in (0..shape.parts).step_by(2) {
                    let number = self.unpass_extended(&mut next)?;
                    self.copy(out, at, number);
                }
                Ok(self.operand(ty, out))
            }
            form @ (Form::ZeroExtended(_) | Form::SignExtended(_)) => {
                let wide = next(self)?;
                let value = self.resize_zero(wide, shape.first);
                if value != wide {
                    let sign =
                        if matches!(form, Form::SignExtended(_)) { Sign::Signed } else { Sign::Unsigned };
                    self.s.promoted.note(value, wide, sign);
                }
                Ok(self.one(ty, value))
            }
        }
    }

    /// Whether a result of the type is returned through memory of the caller.
    pub(super) fn is_demoted(&self, ty: TypeId) -> Checked<bool> {
        Ok(is_demoted(self.result_units(ty)?, self.m.legal.machine(), self.m.module.pointer_type))
    }

    /// The values in which a result of the type travels.
    pub(super) fn result_units(&self, ty: TypeId) -> Checked<Units<'_>> {
        Ok(result_units(self.m.legal.parts(ty)?, self.m.legal.machine()))
    }
}
