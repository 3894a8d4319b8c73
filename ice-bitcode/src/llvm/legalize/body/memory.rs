//! ALLOCA, LOAD and STORE (LLVM bitcode specification, sections 11.6 and 11.7).
//!
//! A value is loaded and stored part by part. A part that fills its container is one access; one of 3, 5, 6 or 7
//! bytes takes two or three, so that nothing beside it is touched; so does a vector that fills no register. Bits above the
//! width are zero in memory. Vectors whose lanes are no whole bytes are integers in memory.

use ice_ir::{BinaryOp, InstData, Intrinsic, ObjectKind, StackProtection, Type, Value};

use super::integer::Sign;
use super::values::{Operand, Run};
use super::{Body, Checked, fail, unsupported};
use crate::error::Error;
use crate::llvm::legalize::legal::Part;
use crate::llvm::legalize::shape::{Kind, Scalar, Shape};
use crate::llvm::wire::types::{LlvmType, TypeId};

/// Most members of a type that arrays are looked for in; one with more counts as a large array.
const MOST_MEMBERS: u32 = 1 << 12;

/// Largest log2 of an alignment that the IR has.
const MAX_ALIGN_LOG2: u8 = 29;

/// How often memory is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// As often as passes like.
    Plain,
    /// Each byte once: atomic loads, which no pass removes or repeats, of integers no wider than an address.
    Volatile,
}

/// log2 of the alignment that is known `offset` bytes behind a place with one.
fn align_at(align_log2: u8, offset: u32) -> u8 {
    align_log2.min(offset.trailing_zeros() as u8)
}

impl Body<'_, '_> {
    /// An alignment operand as log2; `None` if it is left open.
    pub(super) fn alignment(&self, code: u64) -> Checked<Option<u8>> {
        match code {
            0 => Ok(None),
            1..=33 => Ok(Some((code as u8 - 1).min(MAX_ALIGN_LOG2))),
            code => fail(Error::AlignmentTooLarge { code }),
        }
    }

    pub(super) fn flag_operand(&mut self, field: &'static str) -> Checked<bool> {
        match self.op()? {
            0 => Ok(false),
            1 => Ok(true),
            value => fail(Error::FieldValue { field, value }),
        }
    }

    /// An operand that must be an address.
    pub(super) fn address_operand(&mut self) -> Checked<Value> {
        let operand = self.vt()?;
        if Some(operand.ty) == self.m.pointer {
            return Ok(self.single(operand));
        }
        self.value_shape(operand.ty)?;
        fail(self.type_class(operand.ty, "an address"))
    }

    /// The type of addresses.
    pub(super) fn pointer_ty(&self) -> Checked<TypeId> {
        match self.m.pointer {
            Some(ty) => Ok(ty),
            None => fail(Error::TypeClass { ty: 0, expected: "an address, which the module does not have" }),
        }
    }

    /// `address + offset`.
    pub(super) fn offset(&mut self, address: Value, offset: i64) -> Value {
        if offset == 0 { address } else { self.bin_int(BinaryOp::Add, address, offset) }
    }

    // ---- alloca

    /// ALLOCA.
    pub(super) fn alloca(&mut self) -> Checked<()> {
        let element = self.type_operand()?;
        let size_ty = self.type_operand()?;
        let (size, bits) = (self.op()?, self.op()?);
        let space = self.optional();
        self.end()?;
        if space != 0 {
            return unsupported("an alloca in another address space than 0");
        }
        if bits & 1 << 5 != 0 {
            return unsupported("an inalloca argument");
        }
        if bits & 1 << 6 == 0 || bits & 1 << 7 != 0 {
            return unsupported("an alloca without an explicit type, or of a swifterror value");
        }
        let align = self.alignment(bits & 31 | (bits >> 8 & 7) << 5)?;
        let align = align.unwrap_or_else(|| self.m.layouts.preferred_align_log2(element));
        let each = self.m.layouts.alloc_size(element)?;
        let Ok(number) = u32::try_from(size) else { return fail(Error::NonexistentValue { operand: size }) };
        let count = self.value(number)?;
        if count.ty != size_ty {
            return fail(self.type_class(count.ty, "the type of the size of an alloca"));
        }
        let pointer = self.pointer();
        let Scalar::Int(count_bits) = self.scalar(size_ty)? else {
            return fail(self.type_class(size_ty, "an integer"));
        };
        let bytes = match self.constant_number(count) {
            Some(number) => {
                let number = number as u64 & (u64::MAX >> (64 - count_bits.min(64)));
                let Some(bytes) = each.checked_mul(number).filter(|&bytes| bytes < 1 << 31) else {
                    return fail(Error::TooLarge { what: "an alloca", limit: 1 << 31 });
                };
                self.int(pointer, (bytes as i64).max(1))
            }
            None => {
                let count = self.part(count, 0);
                let count = self.extended(count_bits.min(64), count, Sign::Unsigned, pointer);
                self.scaled(count, each)
            }
        };
        let ty = self.pointer_ty()?;
        let kind = match self.s.protection {
            StackProtection::None => ObjectKind::Local,
            _ => self.object_kind(element, self.constant_number(count)),
        };
        let address = self.b.alloca_of(kind, bytes, align, pointer);
        self.define_one(ty, address)
    }

    /// What an object of `count` elements is to who guards the frame (LLVM's `StackProtector`); `None` is a number that varies.
    #[cold]
    fn object_kind(&self, element: TypeId, count: Option<i64>) -> ObjectKind {
        let is_strong = self.s.protection != StackProtection::Buffers;
        let large = u64::from(self.s.large_array);
        match count {
            Some(1) => {
                let found = self.array_in(element, is_strong, large, &mut MOST_MEMBERS.clone());
                found.unwrap_or(ObjectKind::Local)
            }
            Some(count) if (0..large as i64).contains(&count) => match is_strong {
                true => ObjectKind::Array,
                false => ObjectKind::Local,
            },
            _ => ObjectKind::Buffer,
        }
    }

    /// The kind of the arrays in a type, if it has such as matter.
    fn array_in(&self, ty: TypeId, is_strong: bool, large: u64, steps: &mut u32) -> Option<ObjectKind> {
        let Some(left) = steps.checked_sub(1) else { return Some(ObjectKind::Buffer) };
        *steps = left;
        match self.m.types.get(ty) {
            LlvmType::Array { element, .. } => {
                let are_bytes = self.m.types.get(element) == LlvmType::Int(8);
                match self.m.layouts.alloc_size(ty) {
                    _ if !are_bytes && !is_strong => None,
                    Ok(size) if size < large => is_strong.then_some(ObjectKind::Array),
                    _ => Some(ObjectKind::Buffer),
                }
            }
            LlvmType::Struct { members, .. } => {
                let members = self.m.types.list(members).iter();
                members.filter_map(|&member| self.array_in(member, is_strong, large, steps)).max()
            }
            _ => None,
        }
    }

    /// Storage in the frame for the whole call of the function.
    pub(super) fn slot(&mut self, bytes: u64, align_log2: u8) -> Checked<Value> {
        if bytes >= 1 << 31 {
            return fail(Error::TooLarge { what: "a temporary in the frame", limit: 1 << 31 });
        }
        let pointer = self.pointer();
        let size = self.int(pointer, (bytes as i64).max(1));
        let inst = self
            .b
            .func
            .make_inst(InstData::Alloca { size, align_log2, kind: ObjectKind::Temporary }, pointer);
        if let Some(entry) = self.b.func.layout.entry() {
            match self.b.func.layout.first_inst(entry) {
                Some(first) => self.b.func.layout.insert_before(first, inst),
                None => self.b.func.layout.append_inst(entry, inst),
            }
        }
        match self.b.func.result(inst) {
            Some(address) => Ok(address),
            None => fail(Error::VoidValue),
        }
    }

    /// Storage for the next argument of a call that is passed in memory. That of the next call may be the same.
    pub(super) fn argument_place(&mut self) -> Checked<Value> {
        let used = self.s.memory_arguments;
        if used == self.s.argument_places.len() {
            let place = self.slot(16, 4)?;
            self.s.argument_places.push(place);
        }
        self.s.memory_arguments += 1;
        Ok(self.s.argument_places[used])
    }

    // ---- load

    /// LOAD.
    #[inline]
    pub(super) fn load(&mut self) -> Checked<()> {
        let address = self.address_operand()?;
        let ty = self.type_operand()?;
        let align = self.op()?;
        let align = self.alignment(align)?.unwrap_or_else(|| self.m.layouts.abi_align_log2(ty));
        let is_volatile = self.flag_operand("the volatile flag")?;
        let access = if is_volatile { Access::Volatile } else { Access::Plain };
        self.end()?;
        let Shape { kind, parts, first } = self.shape(ty);
        if let (Kind::Scalar(scalar), 1) = (kind, parts)
            && scalar.bits() == first.bits()
            && first != Type::I1
            && access == Access::Plain
        {
            let value = self.b.load(first, address, align);
            return self.define_one(ty, value);
        }
        let result = self.load_value(ty, address, align, access)?;
        self.define(result)
    }

    /// A value of any type from memory.
    #[inline(never)]
    pub(super) fn load_value(
        &mut self,
        ty: TypeId,
        address: Value,
        align_log2: u8,
        access: Access,
    ) -> Checked<Operand> {
        let shape = self.value_shape(ty)?;
        let in_limbs = match shape.kind {
            Kind::Vector(vector) if !vector.lane.bits().is_multiple_of(8) || access == Access::Volatile => {
                Some((vector.lane.bits(), vector.lanes))
            }
            Kind::Scalar(Scalar::Quad) if access == Access::Volatile => Some((Scalar::Quad.bits(), 1)),
            _ => None,
        };
        if let Some((lane, lanes)) = in_limbs {
            let bits = u64::from(lane) * u64::from(lanes);
            let limbs = self.load_limbs(bits, address, align_log2, access)?;
            let run = self.join_limbs(ty, limbs)?;
            return Ok(self.operand(ty, run));
        }
        let parts = self.m.legal.parts(ty)?;
        let out = self.reserve(parts.len() as u32);
        if let Kind::Vector(vector) = shape.kind
            && let Some(double) = self.double_in_memory(vector, parts)
        {
            let half = vector.native.unwrap_or(double);
            for (n, part) in (0..).step_by(2).zip(parts.iter().step_by(2)) {
                let (address, align) = self.at_offset(address, align_log2, part.offset);
                let value = self.b.load(double, address, align);
                for number in [1, 0] {
                    let value = self.b.half(value, number, half);
                    self.set(out, n + u32::from(number), value);
                }
            }
            return Ok(self.operand(ty, out));
        }
        for (i, part) in (0..out.len).zip(parts) {
            let value = self.load_part(part, address, align_log2, access)?;
            self.set(out, i, value);
        }
        Ok(self.operand(ty, out))
    }

    fn load_part(&mut self, part: &Part, address: Value, align_log2: u8, access: Access) -> Checked<Value> {
        if part.shift != 0 || part.ty.is_vector() && part.ty.is_bool_or_bool_vector() {
            return unsupported("a vector whose lanes are no whole bytes in a struct or array in memory");
        }
        if part.is_short() {
            return self.load_short(part, address, align_log2);
        }
        let is_float = part.ty.is_scalar_float();
        if is_float && access == Access::Plain || part.ty.is_vector() {
            let (address, align) = self.at_offset(address, align_log2, part.offset);
            return Ok(self.b.load(part.ty, address, align));
        }
        let ty = if is_float { size_type(part.bytes()) } else { part.ty };
        let value = self.load_bytes(ty, part.bytes(), (address, align_log2), part.offset, access)?;
        Ok(self.bits_as(value, part.ty))
    }

    /// A vector of less than 128 bits. A half of the register that memory fills is loaded at once, also its lower four bytes.
    fn load_short(&mut self, part: &Part, address: Value, align_log2: u8) -> Checked<Value> {
        let bytes = part.bytes();
        let mut numbers = [None; 2];
        for at in (0..bytes).step_by(8) {
            let (size, offset) = ((bytes - at).min(8), part.offset + at);
            numbers[(at / 8) as usize] = Some(match size {
                4 | 8 => {
                    let (address, align) = self.at_offset(address, align_log2, offset);
                    self.b.load(number_type(size), address, align)
                }
                size => {
                    self.load_bytes(number_type(size), size, (address, align_log2), offset, Access::Plain)?
                }
            });
        }
        match numbers {
            [Some(low), high] => self.of_numbers(low, high, part.ty),
            [None, _] => Ok(self.undef(part.ty)),
        }
    }

    /// The inverse of [`load_short`](Self::load_short).
    fn store_short(&mut self, part: &Part, value: Value, address: Value, align_log2: u8) -> Checked<()> {
        let bytes = part.bytes();
        for at in (0..bytes).step_by(8) {
            let (size, offset) = ((bytes - at).min(8), part.offset + at);
            let number = number_type(size);
            let number = self.number_at(value, number, at / number.bytes())?;
            match size {
                4 | 8 => {
                    let (address, align) = self.at_offset(address, align_log2, offset);
                    self.b.store(address, number, align);
                }
                size => self.store_bytes(number, size, address, align_log2, offset),
            }
        }
        Ok(())
    }

    fn at_offset(&mut self, address: Value, align_log2: u8, offset: u32) -> (Value, u8) {
        (self.offset(address, offset.into()), align_at(align_log2, offset))
    }

    /// An integer of `bytes` bytes, at most 8, in a container of type `ty`, `offset` bytes behind a place: an
    /// address and the log2 of its alignment.
    fn load_bytes(
        &mut self,
        ty: Type,
        bytes: u32,
        place: (Value, u8),
        offset: u32,
        access: Access,
    ) -> Checked<Value> {
        let widest = match access {
            Access::Plain => WIDEST,
            // An atomic access is at a multiple of its size.
            Access::Volatile => (self.pointer().bits() / 8).min(1 << align_at(place.1, offset).min(3)),
        };
        let mut result: Option<Value> = None;
        let mut at = 0;
        for size in pieces(bytes, widest) {
            let (address, align) = self.at_offset(place.0, place.1, offset + at);
            let piece = match access {
                Access::Plain => self.b.load(size_type(size), address, align),
                Access::Volatile => {
                    // Relaxed: what is volatile orders nothing else.
                    let order = self.i32(1);
                    self.intrinsic(Intrinsic::AtomicLoad, size_type(size), &[address, order])?
                }
            };
            let piece = self.resize_zero(piece, ty);
            result = Some(match result {
                None => piece,
                Some(low) => {
                    let high = self.bin_int(BinaryOp::Shl, piece, i64::from(at) * 8);
                    self.bin(BinaryOp::Or, low, high)
                }
            });
            at += size;
        }
        Ok(result.unwrap_or_else(|| self.int(ty, 0)))
    }

    /// `bits` bits from memory in limbs.
    fn load_limbs(&mut self, bits: u64, address: Value, align_log2: u8, access: Access) -> Checked<Run> {
        let bytes = bits.div_ceil(8) as u32;
        let out = self.reserve(bytes.div_ceil(8));
        for i in 0..out.len {
            let here = (bytes - i * 8).min(8);
            let limb = self.load_bytes(Type::I64, here, (address, align_log2), i * 8, access)?;
            self.set(out, i, limb);
        }
        Ok(out)
    }

    // ---- store

    /// STORE.
    #[inline]
    pub(super) fn store(&mut self) -> Checked<()> {
        let address = self.address_operand()?;
        let value = self.vt()?;
        let align = self.op()?;
        let align = self.alignment(align)?.unwrap_or_else(|| self.m.layouts.abi_align_log2(value.ty));
        let _volatile = self.flag_operand("the volatile flag")?;
        self.end()?;
        let Shape { kind, parts, first } = self.shape(value.ty);
        if let (Kind::Scalar(scalar), 1) = (kind, parts)
            && scalar.bits() == first.bits()
            && first != Type::I1
        {
            let value = self.single(value);
            self.b.store(address, value, align);
            return Ok(());
        }
        self.store_value(value, address, align)
    }

    /// A value of any type to memory.
    #[inline(never)]
    pub(super) fn store_value(&mut self, value: Operand, address: Value, align_log2: u8) -> Checked<()> {
        let shape = self.value_shape(value.ty)?;
        if let Kind::Vector(vector) = shape.kind
            && !vector.lane.bits().is_multiple_of(8)
        {
            let bits = u64::from(vector.lane.bits()) * u64::from(vector.lanes);
            let limbs = self.split_limbs(value)?;
            let bytes = bits.div_ceil(8) as u32;
            for i in 0..limbs.len {
                let here = (bytes - i * 8).min(8);
                let limb = self.get(limbs, i);
                self.store_bytes(limb, here, address, align_log2, i * 8);
            }
            return Ok(());
        }
        if let Kind::Vector(vector) = shape.kind
            && let Some(double) = self.double_in_memory(vector, self.m.legal.parts(value.ty)?)
        {
            let run = self.run(value);
            for (n, part) in (0..).zip(self.m.legal.parts(value.ty)?.iter().step_by(2)) {
                let value = self.joined(run, n, double);
                let (address, align) = self.at_offset(address, align_log2, part.offset);
                self.b.store(address, value, align);
            }
            return Ok(());
        }
        if matches!(shape.kind, Kind::Vector(_)) {
            let run = self.run(value);
            if self.store_turns(run, address)? {
                return Ok(());
            }
        }
        for (i, part) in (0..).zip(self.m.legal.parts(value.ty)?) {
            let value = self.part(value, i);
            if part.shift != 0 || part.ty.is_vector() && part.ty.is_bool_or_bool_vector() {
                return unsupported("a vector whose lanes are no whole bytes in a struct or array in memory");
            }
            if part.is_short() {
                self.store_short(part, value, address, align_log2)?;
                continue;
            }
            if part.ty.is_scalar_float() || part.ty.is_vector() {
                let (address, align) = self.at_offset(address, align_log2, part.offset);
                self.b.store(address, value, align);
                continue;
            }
            let value = match part.bits.is_multiple_of(8) {
                true => value,
                false => self.zero_above(value, part.bits.into()),
            };
            self.store_bytes(value, part.bytes(), address, align_log2, part.offset);
        }
        Ok(())
    }

    /// The low `bytes` bytes of an integer.
    fn store_bytes(&mut self, value: Value, bytes: u32, address: Value, align_log2: u8, offset: u32) {
        let mut at = 0;
        for size in pieces(bytes, WIDEST) {
            let (place, align) = self.at_offset(address, align_log2, offset + at);
            let piece = match at {
                0 => value,
                at => self.bin_int(BinaryOp::Lshr, value, i64::from(at) * 8),
            };
            let piece = self.resize_zero(piece, size_type(size));
            self.b.store(place, piece, align);
            at += size;
        }
    }

    /// The low word of an integer as an offset or a length of pointer width, zero-extended.
    pub(super) fn length(&mut self, operand: Operand) -> Checked<Value> {
        let Scalar::Int(bits) = self.scalar(operand.ty)? else {
            return fail(self.type_class(operand.ty, "an integer"));
        };
        let value = self.part(operand, 0);
        let pointer = self.pointer();
        Ok(self.extended(bits.min(64), value, Sign::Unsigned, pointer))
    }
}

/// Widest access to memory, in bytes.
const WIDEST: u32 = 8;

/// The sizes of the accesses of at most `widest` bytes, 4 or 8, that make up `bytes` bytes, at most 8.
fn pieces(bytes: u32, widest: u32) -> impl Iterator<Item = u32> {
    let whole = (bytes / widest) as usize;
    core::iter::repeat_n(widest, whole)
        .chain([4, 2, 1].into_iter().filter(move |size| (bytes % widest) & size != 0))
}

/// The type of a number that so many bytes of a vector are, at most 8: a float where it fills one.
const fn number_type(bytes: u32) -> Type {
    match bytes {
        ..4 => Type::I32,
        4 => Type::F32,
        8 => Type::F64,
        _ => Type::I64,
    }
}

const fn size_type(bytes: u32) -> Type {
    crate::llvm::legalize::legal::int_type(bytes * 8)
}
