//! Which ICE values stand for a value of an LLVM type.
//!
//! A value becomes a list of *parts*, each of an ICE type and at a place of the value's image in memory:
//!
//! | LLVM type | parts |
//! |---|---|
//! | `iN`, N ≤ 64 | one, of the next ICE width; `i1` stays `i1` |
//! | `iN`, N > 64 | ceil(N/64) of `i64`, the low one first |
//! | `float`, `double`; `half`, `bfloat` | `f32`, `f64`; `i16` with the bits, which travels in an `f32` |
//! | `x86_fp80` | those of an `i80` |
//! | `fp128` | a `v2i64` with the bits, where the machine has such numbers |
//! | pointer | an integer of that width |
//! | struct, array | the parts of the members, one after another |
//! | vector | see [`lanes`](super::lanes) |
//!
//! Invariant: bits of a part above [`Part::bits`] are *unspecified* (an `i24` in an `i32`); who needs them (compare,
//! right shift, division, extension, store) masks or extends first. Constants have them sign-extended.
//!
//! Parts of all types are listed once, in the order of ids. An array shares the list of the longest array of its
//! element, so that string types cost nothing; more than [`MAX_PARTS`] parts, or [`MAX_ALL_PARTS`] together, are
//! refused where a value of the type is used, never in memory.

use alloc::vec;
use alloc::vec::Vec;

use ice_ir::Type;

use super::lanes::vector_parts;
use super::machine::{MachineDescription, QuadPassing};
use crate::error::Error;
use crate::llvm::wire::data_layout::{DataLayout, Layouts};
use crate::llvm::wire::types::{LlvmType, TypeId, TypeTable};

/// Most parts of one value.
pub const MAX_PARTS: u32 = 4096;
/// Most parts that are listed for all types together.
pub const MAX_ALL_PARTS: usize = 1 << 20;

/// One ICE value of those that stand for an LLVM value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Byte offset in the memory image of the whole value.
    pub offset: u32,
    /// Its type.
    pub ty: Type,
    /// How many low bits mean something: 24 for an `i24`; all lanes of a vector together, but for those that a short one has
    /// to spare.
    pub bits: u8,
    /// First bit in the byte at `offset`. Only lanes of vectors whose lanes are no whole bytes have one.
    pub shift: u8,
    /// How many parts, this one first, travel in one register: the lanes of a vector of less than 128 bits, on some
    /// machines also of one that is not native. 1 for what travels alone, 0 for the lanes after the first.
    pub together: u8,
    /// The type of the value in which the part travels, with those that it is together with in the low bits. The
    /// bits of a `half` or `bfloat` are those of an `f32`, whose register is the one that conventions give them. An integer
    /// for a vector is the address of memory that is passed by value.
    pub carrier: Type,
}

impl Part {
    /// Whether it travels alone in the low half of an `f32`.
    #[must_use]
    pub fn is_half(self) -> bool {
        (self.ty, self.carrier) == (Type::I16, Type::F32)
    }

    /// Whether it is a vector with lanes to spare.
    #[must_use]
    pub const fn is_short(self) -> bool {
        self.ty.is_vector() && (self.bits as u32) < self.ty.bits()
    }

    /// Whether it travels in [memory](super::machine::QuadPassing::Memory).
    #[must_use]
    pub const fn is_in_memory(self) -> bool {
        self.ty.is_vector() && self.carrier.is_scalar_int()
    }

    /// Bytes that the part occupies in memory.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        (self.shift as u32 + self.bits as u32).div_ceil(8)
    }
}

/// The parts of one type.
#[derive(Clone, Copy, Debug)]
enum Entry {
    List {
        start: u32,
        len: u32,
    },
    /// No value of the type can be made: too many parts.
    TooMany,
    /// No value of the type can be made: what it is or contains.
    Unsupported(&'static str),
    /// There are no such values: labels, functions.
    NoValue,
}

/// The parts of every type of a module.
#[derive(Clone, Debug, Default)]
pub struct Legal {
    machine: MachineDescription,
    entries: Vec<Entry>,
    parts: Vec<Part>,
    /// By element type: the list of its longest array so far, where there is one.
    arrays: Vec<Option<(u32, u32)>>,
    has_extended: bool,
    has_quad: bool,
}

impl Legal {
    /// Lists the parts of all types.
    #[must_use]
    pub fn compute(
        types: &TypeTable,
        layout: &DataLayout,
        layouts: &Layouts,
        machine: &MachineDescription,
    ) -> Legal {
        let mut legal = Legal { machine: *machine, ..Legal::default() };
        legal.arrays.resize(types.iter().len(), None);
        let longest = longest_arrays(types);
        for (id, ty) in types.iter() {
            legal.has_extended |= ty == LlvmType::X86Fp80;
            legal.has_quad |= ty == LlvmType::Fp128 && machine.quad != QuadPassing::None;
            let entry = legal.entry(types, layout, layouts, id, ty, &longest);
            legal.entries.push(entry);
        }
        legal
    }

    /// The machine that the parts are for.
    #[must_use]
    pub const fn machine(&self) -> &MachineDescription {
        &self.machine
    }

    /// Whether any type is `x86_fp80`.
    #[must_use]
    pub const fn has_extended(&self) -> bool {
        self.has_extended
    }

    /// Whether any type is `fp128`, of which there are values.
    #[must_use]
    pub const fn has_quad(&self) -> bool {
        self.has_quad
    }

    /// The parts of `ty`, in the order of their offsets. `void` and empty aggregates have none.
    ///
    /// # Errors
    ///
    /// `L12` for a type whose values are not supported, `L11` for too many parts, `L08` for types without values.
    #[inline]
    pub fn parts(&self, ty: TypeId) -> Result<&[Part], Error> {
        match self.entries[ty.as_u32() as usize] {
            Entry::List { start, len } => Ok(&self.parts[start as usize..][..len as usize]),
            entry => Err(no_parts(entry, ty)),
        }
    }

    fn entry(
        &mut self,
        types: &TypeTable,
        layout: &DataLayout,
        layouts: &Layouts,
        id: TypeId,
        ty: LlvmType,
        longest: &[u64],
    ) -> Entry {
        use LlvmType::*;
        let start = self.parts.len() as u32;
        match ty {
            Void => {}
            Fp128 if self.machine.quad == QuadPassing::None => return Entry::Unsupported("fp128"),
            PpcFp128 => return Entry::Unsupported("ppc_fp128"),
            Token => return Entry::Unsupported("a token"),
            SpacePointer(_) => return Entry::Unsupported("a pointer to another address space than 0"),
            Foreign(what) => return Entry::Unsupported(what),
            Label | Metadata | Function { .. } | Opaque => return Entry::NoValue,
            Int(_) | Half | BFloat | Float | Double | X86Fp80 | Fp128 | Pointer => {
                if !self.has_room(scalar_count(ty)) {
                    return Entry::TooMany;
                }
                push_scalar(&mut self.parts, ty, layout, &self.machine, (0, 0));
            }
            Vector { element, lanes } => {
                if let entry @ (Entry::Unsupported(_) | Entry::TooMany) =
                    self.entries[element.as_u32() as usize]
                {
                    return entry;
                }
                let element = types.get(element);
                if element == X86Fp80 {
                    return Entry::Unsupported("a vector of x86_fp80");
                }
                if !self.has_room(scalar_count(element).saturating_mul(lanes.into())) {
                    return Entry::TooMany;
                }
                vector_parts(&mut self.parts, element, lanes, layout, &self.machine);
            }
            Array { element, len } => {
                return self.array(element, len, layouts, longest[element.as_u32() as usize]);
            }
            Struct { members, .. } => {
                let Ok(size) = layouts.alloc_size(id) else { return Entry::TooMany };
                for (&member, &offset) in types.list(members).iter().zip(layouts.offsets(members)) {
                    let entry = self.entries[member.as_u32() as usize];
                    let Entry::List { start: from, len } = entry else {
                        self.parts.truncate(start as usize);
                        return entry;
                    };
                    let count = self.parts.len() as u64 - u64::from(start) + u64::from(len);
                    if !self.has_room(count) || size > u64::from(u32::MAX) {
                        self.parts.truncate(start as usize);
                        return Entry::TooMany;
                    }
                    self.append(from, len, offset as u32);
                }
            }
        }
        Entry::List { start, len: self.parts.len() as u32 - start }
    }

    /// Whether a value may have `count` parts, of which none are listed yet.
    fn has_room(&self, count: u64) -> bool {
        count <= MAX_PARTS.into() && self.parts.len() as u64 + count <= MAX_ALL_PARTS as u64
    }

    /// Appends a copy of `len` parts from `from` on, `offset` bytes later.
    fn append(&mut self, from: u32, len: u32, offset: u32) {
        for i in from..from + len {
            let part = self.parts[i as usize];
            self.parts.push(Part { offset: part.offset + offset, ..part });
        }
    }

    fn array(&mut self, element: TypeId, len: u64, layouts: &Layouts, longest: u64) -> Entry {
        let index = element.as_u32() as usize;
        let (from, each) = match self.entries[index] {
            Entry::List { start, len } => (start, len),
            entry => return entry,
        };
        let end = self.parts.len() as u32;
        if each == 0 || len == 0 {
            return Entry::List { start: end, len: 0 };
        }
        let Some(count) = len.checked_mul(each.into()).filter(|&c| c <= MAX_PARTS.into()) else {
            return Entry::TooMany;
        };
        let (start, listed) = match self.arrays[index] {
            Some(run) => run,
            None => {
                let stride = layouts.alloc_size(element).unwrap_or(u64::MAX);
                let most = u64::from(MAX_PARTS / each);
                let elements = longest.min(most).max(len);
                let room = self.has_room(elements * u64::from(each));
                if !room || stride.checked_mul(elements).is_none_or(|size| size > u32::MAX.into()) {
                    return Entry::TooMany;
                }
                for i in 0..elements {
                    self.append(from, each, (i * stride) as u32);
                }
                let run = (end, self.parts.len() as u32 - end);
                self.arrays[index] = Some(run);
                run
            }
        };
        match count <= listed.into() {
            true => Entry::List { start, len: count as u32 },
            false => Entry::TooMany,
        }
    }
}

/// By element type: the most elements of an array that is short enough to be a value.
fn longest_arrays(types: &TypeTable) -> Vec<u64> {
    let mut longest = vec![0u64; types.iter().len()];
    for (_, ty) in types.iter() {
        if let LlvmType::Array { element, len: len @ ..=4096 } = ty {
            let most = &mut longest[element.as_u32() as usize];
            *most = (*most).max(len);
        }
    }
    longest
}

#[cold]
fn no_parts(entry: Entry, ty: TypeId) -> Error {
    match entry {
        Entry::TooMany => Error::TooLarge { what: "the number of parts of a value", limit: MAX_PARTS.into() },
        Entry::Unsupported(what) => Error::Unsupported { what: what.into() },
        _ => Error::TypeClass { ty: ty.as_u32().into(), expected: "a type of values" },
    }
}

/// How many parts a scalar has.
fn scalar_count(ty: LlvmType) -> u64 {
    match ty {
        LlvmType::Int(bits) => u64::from(bits).div_ceil(64),
        LlvmType::X86Fp80 => 2,
        _ => 1,
    }
}

/// The ICE type of an integer of up to 64 bits.
#[must_use]
pub const fn int_type(bits: u32) -> Type {
    match bits {
        0 | 1 => Type::I1,
        2..=8 => Type::I8,
        9..=16 => Type::I16,
        17..=32 => Type::I32,
        _ => Type::I64,
    }
}

/// Appends the parts of a scalar at a byte offset and a bit in it.
pub(super) fn push_scalar(
    parts: &mut Vec<Part>,
    ty: LlvmType,
    layout: &DataLayout,
    machine: &MachineDescription,
    (offset, shift): (u32, u8),
) {
    let mut carried = |ty, bits: u32, at, carrier| {
        parts.push(Part { offset: offset + at, ty, bits: bits as u8, shift, together: 1, carrier });
    };
    let mut part = |ty, bits: u32, at| carried(ty, bits, at, ty);
    match ty {
        LlvmType::Int(bits @ ..=64) => part(int_type(bits), bits, 0),
        LlvmType::Int(bits) => {
            (0..bits).step_by(64).for_each(|bit| part(Type::I64, (bits - bit).min(64), bit / 8));
        }
        LlvmType::X86Fp80 => {
            part(Type::I64, 64, 0);
            part(Type::I64, 16, 8);
        }
        LlvmType::Fp128 => {
            let carrier = match machine.quad {
                QuadPassing::Memory => int_type(layout.pointer_bytes * 8),
                _ => Type::V2I64,
            };
            carried(Type::V2I64, 128, 0, carrier);
        }
        LlvmType::Float => part(Type::F32, 32, 0),
        LlvmType::Double => part(Type::F64, 64, 0),
        LlvmType::Pointer => part(int_type(layout.pointer_bytes * 8), layout.pointer_bytes * 8, 0),
        _ => carried(Type::I16, 16, 0, machine.half_argument),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROZEN: MachineDescription = MachineDescription::PORTABLE;

    #[test]
    fn aggregates_are_concatenated_and_arrays_share_lists() {
        use crate::llvm::wire::codes::types as code;
        use crate::llvm::wire::types::tests::table;
        let types = table(
            9,
            &[
                (code::INTEGER, &[8]),
                (code::INTEGER, &[128]),
                (code::STRUCT_ANON, &[0, 0, 1]),
                (code::ARRAY, &[2, 2]),
                (code::ARRAY, &[4096, 0]),
                (code::ARRAY, &[3, 0]),
                (code::ARRAY, &[4097, 0]),
                (code::FP128, &[]),
                (code::STRUCT_ANON, &[0, 0, 7]),
            ],
        )
        .expect("legal");
        let layout = DataLayout::parse(b"e-i128:128").expect("legal");
        let legal = Legal::compute(&types, &layout, &Layouts::compute(&types, &layout), &FROZEN);
        let id = |wire| types.resolve(wire).expect("exists");
        let parts = |wire| legal.parts(id(wire)).expect("values");
        let list: Vec<_> = parts(3).iter().map(|p| (p.ty, p.offset, p.bits)).collect();
        let pair = [(Type::I8, 0, 8), (Type::I64, 16, 64), (Type::I64, 24, 64)];
        assert_eq!(list[..3], pair);
        assert_eq!(list[3..], pair.map(|(ty, offset, bits)| (ty, offset + 32, bits)));
        assert_eq!(parts(4).len(), 4096);
        assert_eq!(parts(5), &parts(4)[..3]);
        assert!(legal.parts.len() < 4096 + 20);
        assert_eq!(legal.parts(id(6)).expect_err("too many").code(), "L11");
        assert_eq!(legal.parts(id(8)).expect_err("no fp128").code(), "L12");
    }
}
