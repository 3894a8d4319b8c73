//! GEP: addresses of elements and members, one or a vector of them (LLVM bitcode specification, section 11.8).
//!
//! An address is the base, plus each variable index times its size, plus all constants at once: chains of additions
//! that a back end folds into its operands.

use ice_ir::{BinaryOp, Value};

use super::integer::Sign;
use super::values::{Operand, Run};
use super::{Body, Checked, fail};
use crate::error::Error;
use crate::llvm::legalize::shape::{Kind, Scalar};
use crate::llvm::wire::types::{LlvmType, TypeId};

/// A walk into the type of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    /// Where it has come to.
    pub(super) ty: TypeId,
    /// No index was taken yet.
    pub(super) is_first: bool,
    /// Base and variable indices.
    pub(super) address: Value,
    /// The sum of all constant offsets.
    pub(super) constant: i64,
}

impl Body<'_, '_> {
    /// `value * size`.
    pub(super) fn scaled(&mut self, value: Value, size: u64) -> Value {
        match size {
            1 => value,
            size if size.is_power_of_two() => {
                self.bin_int(BinaryOp::Shl, value, size.trailing_zeros().into())
            }
            size => self.bin_int(BinaryOp::Mul, value, size as i64),
        }
    }

    /// GEP.
    #[inline]
    pub(super) fn gep(&mut self) -> Checked<()> {
        let _flags = self.op()?;
        let source = self.type_operand()?;
        let base = self.vt()?;
        let Some(pointer) = self.m.pointer else { return self.gep_vector(source, base) };
        if base.ty != pointer {
            return self.gep_vector(source, base);
        }
        let start = self.at;
        let address = self.single(base);
        match self.gep_scalar(source, address)? {
            Some(value) => self.define_one(pointer, value),
            None => {
                self.at = start;
                self.gep_vector(source, base)
            }
        }
    }

    /// The address, from the indices that are left; `None` if one of them is a vector.
    #[inline]
    fn gep_scalar(&mut self, source: TypeId, base: Value) -> Checked<Option<Value>> {
        let mut walk = Walk { ty: source, is_first: true, address: base, constant: 0 };
        while self.has_more() {
            let index = self.vt()?;
            let Kind::Scalar(Scalar::Int(bits)) = self.kind(index.ty) else {
                return match self.kind(index.ty) {
                    Kind::Vector(_) => Ok(None),
                    _ => fail(self.type_class(index.ty, "an integer")),
                };
            };
            let (value, number) = (self.part(index, 0), self.constant_number(index));
            self.step(&mut walk, value, bits, number)?;
        }
        Ok(Some(self.walked(walk)))
    }

    /// Walks by one index, of `bits` bits; `number` if it is constant.
    pub(super) fn step(
        &mut self,
        walk: &mut Walk,
        index: Value,
        bits: u32,
        number: Option<i64>,
    ) -> Checked<()> {
        let (next, size) = match self.m.types.get(walk.ty) {
            _ if walk.is_first => (walk.ty, self.m.layouts.alloc_size(walk.ty)?),
            LlvmType::Struct { .. } => {
                let Some(member) = number.and_then(|n| u64::try_from(n).ok()) else {
                    return fail(self.type_class(walk.ty, "indexed by a constant"));
                };
                let offset = self.m.layouts.member_offset(&self.m.types, walk.ty, member)?;
                let Some(next) = self.m.types.member(walk.ty, member) else {
                    return fail(Error::NoSuch { what: "member", index: member });
                };
                walk.ty = next;
                walk.constant = walk.constant.wrapping_add(offset as i64);
                return Ok(());
            }
            of @ (LlvmType::Array { element, .. } | LlvmType::Vector { element, .. }) => {
                (element, self.m.layouts.stride(of, element)?)
            }
            _ => return fail(self.type_class(walk.ty, "an aggregate")),
        };
        walk.ty = next;
        walk.is_first = false;
        match number {
            Some(number) => walk.constant = walk.constant.wrapping_add(number.wrapping_mul(size as i64)),
            None if size == 0 => {}
            None => {
                let pointer = self.pointer();
                let index = self.extended(bits.min(64), index, Sign::Signed, pointer);
                let offset = self.scaled(index, size);
                walk.address = self.bin(BinaryOp::Add, walk.address, offset);
            }
        }
        Ok(())
    }

    /// The address that a walk has come to.
    pub(super) fn walked(&mut self, walk: Walk) -> Value {
        self.offset(walk.address, self.pointer().sign_extend(walk.constant))
    }

    /// Addresses lane by lane; scalars are the same in all lanes.
    #[inline(never)]
    fn gep_vector(&mut self, source: TypeId, base: Operand) -> Checked<()> {
        let mut operands = core::mem::take(&mut self.s.operands);
        operands.clear();
        operands.push(base);
        while self.has_more() {
            let index = self.vt()?;
            operands.push(index);
        }
        let result = self.gep_lanes(source, &operands);
        self.s.operands = operands;
        let result = result?;
        self.define(result)
    }

    /// The addresses from a base and indices, at least one of them a vector; also of constant expressions.
    pub(super) fn gep_lanes(&mut self, source: TypeId, operands: &[Operand]) -> Checked<Operand> {
        let vector_of = |cx: &Self, operand: &Operand| match cx.kind(operand.ty) {
            Kind::Vector(vector) => Some(vector),
            _ => None,
        };
        let Some(lanes) = operands.iter().find_map(|operand| Some(vector_of(self, operand)?.lanes)) else {
            return fail(self.type_class(operands[0].ty, "an address"));
        };
        let element = self.pointer_ty()?;
        let Some(ty) = self.m.types.find(LlvmType::Vector { element, lanes }) else {
            return fail(self.type_class(element, "a type with vectors of as many lanes as are indexed"));
        };
        let shape = self.vector_shape(ty)?;
        // Each operand once more, as the runs of its lanes.
        let runs = self.reserve(0).start;
        let mut all = core::mem::take(&mut self.s.runs);
        all.clear();
        for operand in operands {
            let run = self.run(*operand);
            let run = match vector_of(self, operand) {
                Some(vector) if vector.lanes == lanes => self.split_lanes(vector, run),
                Some(_) => {
                    return fail(self.type_class(operand.ty, "a vector of as many lanes as the others"));
                }
                None => run,
            };
            all.push(run);
        }
        let _ = runs;
        let out = self.reserve(lanes);
        for lane in 0..lanes {
            let own = |run: Run, operand: &Operand, cx: &Self| match cx.kind(operand.ty) {
                Kind::Vector(vector) => cx.get(run, lane * vector.lane.parts()),
                _ => cx.get(run, 0),
            };
            let base = own(all[0], &operands[0], self);
            let mut walk = Walk { ty: source, is_first: true, address: base, constant: 0 };
            for (run, operand) in all[1..].iter().zip(&operands[1..]) {
                let value = own(*run, operand, self);
                let bits = match self.kind(operand.ty) {
                    Kind::Vector(vector) => vector.lane.bits(),
                    Kind::Scalar(scalar) => scalar.bits(),
                    _ => return fail(self.type_class(operand.ty, "an integer")),
                };
                let number = self.b.func.int_value(value);
                self.step(&mut walk, value, bits, number)?;
            }
            let value = self.walked(walk);
            self.set(out, lane, value);
        }
        self.s.runs = all;
        let run = self.join_lanes(shape, out);
        Ok(self.operand(ty, run))
    }
}
