//! Sizes, alignments and offsets: the data layout string and the memory layout of types.
//!
//! Method: the rules of the LLVM language reference, "Data Layout" (LLVM bitcode specification, section 12). All
//! types are laid out once, in the order of their ids, because a type refers to smaller ids only: linear in the
//! size of the type table, no recursion. C rules are never needed, for the front end has made padding explicit.
//!
//! A type has two alignments: what the ABI asks for, which layouts follow and accesses may count on, and what is
//! *preferred*, which variables and stack slots get that name no other.
//!
//! Sizes are in bytes. A *store size* is what a store writes, an *alloc size* is the distance between array
//! elements: the store size rounded up to the alignment.

use alloc::string::String;
use alloc::vec::Vec;

use super::types::{LlvmType, TypeId, TypeList, TypeTable};
use crate::error::Error;

type Checked<T> = Result<T, Error>;

/// How symbol names are made from names of the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mangling {
    /// No rule given, or ELF: names as they are, private ones with `.L`.
    Elf,
    /// MIPS ELF: private names with `$`.
    Mips,
}

/// Two alignments in bytes, powers of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Align {
    /// What the ABI asks for.
    pub abi: u32,
    /// What is better.
    pub preferred: u32,
}

impl Align {
    /// Nothing is better than what the ABI asks for.
    const fn of(bytes: u32) -> Align {
        Align { abi: bytes, preferred: bytes }
    }
}

/// What a data layout string says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataLayout {
    /// Bytes of an address.
    pub pointer_bytes: u32,
    /// Alignment of an address in memory.
    pub pointer_align: Align,
    /// Natural alignment of the stack in bytes, 0 if not given.
    pub stack_align: u32,
    /// Symbol names.
    pub mangling: Mangling,
    /// Bits and alignment, by rising bits.
    integers: Vec<(u32, Align)>,
    floats: Vec<(u32, Align)>,
    vectors: Vec<(u32, Align)>,
    /// The least alignment of a struct.
    aggregate_align: Align,
}

/// Sizes beyond this are refused: no address space has them, and sums of two stay in range.
pub const MAX_SIZE: u64 = 1 << 60;

impl Default for DataLayout {
    /// What holds without a string, except that it is little-endian.
    fn default() -> DataLayout {
        let natural = |bits: u32| (bits, Align::of(bits.div_ceil(8)));
        DataLayout {
            pointer_bytes: 8,
            pointer_align: Align::of(8),
            stack_align: 0,
            mangling: Mangling::Elf,
            integers: [1, 8, 16, 32]
                .map(natural)
                .into_iter()
                .chain([(64, Align { abi: 4, preferred: 8 })])
                .collect(),
            floats: [16, 32, 64, 128].map(natural).into(),
            vectors: [64, 128].map(natural).into(),
            aggregate_align: Align { abi: 1, preferred: 8 },
        }
    }
}

impl DataLayout {
    /// Reads a data layout string, such as `e-m:e-p:32:32-i64:64-n32-S64`.
    ///
    /// # Errors
    ///
    /// `L10` with the specification that is malformed; `L12` for big-endian layouts and other object formats.
    pub fn parse(text: &[u8]) -> Checked<DataLayout> {
        let mut layout = DataLayout::default();
        let mut is_little = false;
        for spec in text.split(|&c| c == b'-').filter(|spec| !spec.is_empty()) {
            match spec {
                b"e" => is_little = true,
                _ => layout.apply(spec)?,
            }
        }
        match is_little {
            true => Ok(layout),
            false => Err(unsupported("big-endian data layout")),
        }
    }

    /// The layout that LLVM takes for modules of a target that give none.
    #[must_use]
    pub fn of_triple(triple: &[u8]) -> Option<DataLayout> {
        let machine = triple.split(|&c| c == b'-').next().unwrap_or_default();
        let text: &[u8] = match triple {
            _ if matches!(machine, b"aarch64" | b"arm64") => b"e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-S128",
            // With other bytes first, or addresses of 32 bits.
            _ if machine.starts_with(b"arm64") => return None,
            [b'x', b'8', b'6', b'_', b'6', b'4', ..] if triple.ends_with(b"x32") => {
                b"e-m:e-p:32:32-i64:64-i128:128-f80:128-S128"
            }
            [b'x', b'8', b'6', b'_', b'6', b'4', ..] => b"e-m:e-i64:64-i128:128-f80:128-S128",
            [b'i', b'3'..=b'6', b'8', b'6', ..] => b"e-m:e-p:32:32-i128:128-f64:32:64-f80:32-S128",
            [b'a', b'r', b'm', b'e', b'b', ..] | [b't', b'h', b'u', b'm', b'b', b'e', b'b', ..] => {
                return None;
            }
            [b'a', b'r', b'm', ..] | [b't', b'h', b'u', b'm', b'b', ..] => {
                b"e-m:e-p:32:32-i64:64-v128:64:128-a:0:32-S64"
            }
            [b'm', b'i', b'p', b's', b'e', b'l', ..] => b"e-m:m-p:32:32-i8:8:32-i16:16:32-i64:64-S64",
            _ => return None,
        };
        DataLayout::parse(text).ok()
    }

    fn apply(&mut self, spec: &[u8]) -> Checked<()> {
        let bad = || Error::LayoutString { text: String::from_utf8_lossy(spec).into_owned() };
        let mut fields = spec[1..].split(|&c| c == b':').map(number);
        let mut next = || fields.next().flatten();
        /// The alignments that the next two fields say; the second may be left out.
        fn align(next: &mut impl FnMut() -> Option<u32>) -> Option<Align> {
            let abi = next().and_then(align_bytes)?;
            let preferred = next().map_or(Some(abi), align_bytes)?;
            (preferred >= abi).then_some(Align { abi, preferred })
        }
        match spec[0] {
            b'm' => {
                self.mangling = match &spec[1..] {
                    b":e" => Mangling::Elf,
                    b":m" => Mangling::Mips,
                    b":o" | b":w" | b":x" | b":l" | b":a" => {
                        return Err(unsupported("symbol names of another object format than ELF"));
                    }
                    _ => return Err(bad()),
                };
            }
            b'p' => {
                let space = match spec.get(1) {
                    Some(b':') => next().map_or(Some(0), Some),
                    _ => next(),
                };
                let (size, align) = (next().ok_or_else(bad)?, align(&mut next).ok_or_else(bad)?);
                if space.ok_or_else(bad)? == 0 {
                    if size != 32 && size != 64 {
                        return Err(unsupported("addresses that have neither 32 nor 64 bits"));
                    }
                    self.pointer_bytes = size / 8;
                    self.pointer_align = Some(align).filter(|align| align.abi != 0).ok_or_else(bad)?;
                }
            }
            kind @ (b'i' | b'f' | b'v') => {
                let bits = next().ok_or_else(bad)?;
                let align = align(&mut next).filter(|align| align.abi != 0).ok_or_else(bad)?;
                let table = match kind {
                    b'i' => &mut self.integers,
                    b'f' => &mut self.floats,
                    _ => &mut self.vectors,
                };
                match table.binary_search_by_key(&bits, |entry| entry.0) {
                    Ok(at) => table[at].1 = align,
                    Err(at) if table.len() < 32 => table.insert(at, (bits, align)),
                    Err(_) => return Err(bad()),
                }
            }
            b'a' => {
                // `a:0:32`, and `a0:0:64` in old files.
                let _ = next();
                let Align { abi, preferred } = align(&mut next).ok_or_else(bad)?;
                self.aggregate_align = Align { abi: abi.max(1), preferred: preferred.max(1) };
            }
            b'S' => self.stack_align = next().and_then(align_bytes).ok_or_else(bad)?,
            b'E' => return Err(unsupported("big-endian data layout")),
            b'A' | b'P' | b'G' if next() != Some(0) => {
                return Err(unsupported("an address space other than 0"));
            }
            // Hints, alignment of function pointers, non-integral address spaces; in old files that of objects on the stack.
            b'n' | b'F' | b'A' | b'P' | b'G' | b's' => {}
            _ => return Err(bad()),
        }
        Ok(())
    }

    /// Alignment of an integer of `bits`: its own entry, else that of the next wider one, else the widest.
    fn int_align(&self, bits: u32) -> Align {
        let at = self.integers.partition_point(|&(b, _)| b < bits);
        self.integers.get(at).or(self.integers.last()).map_or(Align::of(1), |entry| entry.1)
    }

    fn float_align(&self, bits: u32) -> Align {
        let found = self.floats.iter().find(|entry| entry.0 == bits);
        // The least power of two that holds it: `x86_fp80` without an entry.
        found.map_or(Align::of((bits / 8).next_power_of_two()), |entry| entry.1)
    }

    fn vector_extent(&self, bits: u64) -> Extent {
        match self.vectors.iter().find(|entry| u64::from(entry.0) == bits) {
            Some(&(_, align)) => Extent::new(bits, align),
            None => {
                let align_log2 = bits.div_ceil(8).max(1).next_power_of_two().trailing_zeros() as u8;
                Extent { bits, align_log2, preferred_log2: align_log2 }
            }
        }
    }
}

fn unsupported(what: &str) -> Error {
    Error::Unsupported { what: what.into() }
}

fn number(digits: &[u8]) -> Option<u32> {
    let digits = core::str::from_utf8(digits).ok()?;
    if digits.starts_with('+') { None } else { digits.parse().ok() }
}

/// Bytes of an alignment in bits: 0, or a power of two of at most 2^16 bits.
fn align_bytes(bits: u32) -> Option<u32> {
    let bytes = bits / 8;
    let is_legal = bits <= 1 << 16 && bits.is_multiple_of(8) && (bytes == 0 || bytes.is_power_of_two());
    is_legal.then_some(bytes)
}

/// Size and alignment of one type.
#[derive(Clone, Copy, Debug)]
struct Extent {
    /// Bits of a value; [`UNSIZED`] or [`TOO_LARGE`].
    bits: u64,
    align_log2: u8,
    preferred_log2: u8,
}

impl Extent {
    fn new(bits: u64, align: Align) -> Extent {
        let log2 = |bytes: u32| bytes.trailing_zeros() as u8;
        Extent { bits, align_log2: log2(align.abi), preferred_log2: log2(align.preferred) }
    }
}

/// Values of the type are not in memory.
const UNSIZED: u64 = u64::MAX;
/// Larger than [`MAX_SIZE`].
const TOO_LARGE: u64 = u64::MAX - 1;

/// The memory layout of every type of a module.
#[derive(Clone, Debug, Default)]
pub struct Layouts {
    /// By type id.
    extents: Vec<Extent>,
    /// Parallel to the members of the type table: where a member of a struct starts.
    offsets: Vec<u64>,
}

impl Layouts {
    /// Lays out all types.
    #[must_use]
    pub fn compute(types: &TypeTable, layout: &DataLayout) -> Layouts {
        let mut layouts = Layouts { extents: Vec::new(), offsets: Vec::new() };
        layouts.offsets.resize(types.num_members(), 0);
        for (_, ty) in types.iter() {
            let none = |bits| Extent { bits, align_log2: 0, preferred_log2: 0 };
            let extent = layouts.extent(types, layout, ty).unwrap_or_else(none);
            layouts.extents.push(extent);
        }
        layouts
    }

    /// The extent of `ty`, whose elements have theirs already; else [`UNSIZED`] or [`TOO_LARGE`].
    fn extent(&mut self, types: &TypeTable, layout: &DataLayout, ty: LlvmType) -> Result<Extent, u64> {
        use LlvmType::*;
        let float = |bits: u32| Ok(Extent::new(bits.into(), layout.float_align(bits)));
        match ty {
            Int(bits) => Ok(Extent::new(bits.into(), layout.int_align(bits))),
            Half | BFloat => float(16),
            Float => float(32),
            Double => float(64),
            X86Fp80 => float(80),
            Fp128 | PpcFp128 => float(128),
            // Of the mixed-size address spaces of x86 only size and alignment are needed.
            SpacePointer(270 | 271) => Ok(Extent::new(32, Align::of(4))),
            SpacePointer(272) => Ok(Extent::new(64, Align::of(8))),
            Pointer | SpacePointer(_) => {
                Ok(Extent::new(u64::from(layout.pointer_bytes) * 8, layout.pointer_align))
            }
            Array { element, len } => {
                let (size, element) = (self.size_of(element)?, self.extents[element.as_u32() as usize]);
                let bytes = size.checked_mul(len).filter(|&b| b <= MAX_SIZE).ok_or(TOO_LARGE)?;
                Ok(Extent { bits: bytes * 8, ..element })
            }
            Vector { element, lanes } => {
                let lane = self.extents[element.as_u32() as usize].bits;
                let bits = lane.checked_mul(lanes.into()).filter(|&b| b <= MAX_SIZE).ok_or(TOO_LARGE)?;
                Ok(layout.vector_extent(bits))
            }
            Struct { members, packed } => {
                let (mut offset, mut align) = (0u64, 1u64);
                for (k, &member) in types.list(members).iter().enumerate() {
                    let size = self.size_of(member)?;
                    if !packed {
                        let member_align = 1 << self.extents[member.as_u32() as usize].align_log2;
                        align = align.max(member_align);
                        offset = offset.next_multiple_of(member_align);
                    }
                    self.offsets[members.start as usize + k] = offset;
                    offset = offset.checked_add(size).filter(|&b| b <= MAX_SIZE).ok_or(TOO_LARGE)?;
                }
                if !packed {
                    align = align.max(layout.aggregate_align.abi.into());
                }
                let (align_log2, preferred) =
                    (align.trailing_zeros() as u8, layout.aggregate_align.preferred);
                let preferred_log2 = align_log2.max(preferred.trailing_zeros() as u8);
                Ok(Extent { bits: offset.next_multiple_of(align) * 8, align_log2, preferred_log2 })
            }
            Void | Label | Metadata | Token | Opaque | Function { .. } | Foreign(_) => Err(UNSIZED),
        }
    }

    /// The alloc size of a type that comes earlier.
    fn size_of(&self, ty: TypeId) -> Result<u64, u64> {
        match self.extents[ty.as_u32() as usize] {
            Extent { bits: bits @ (UNSIZED | TOO_LARGE), .. } => Err(bits),
            Extent { bits, align_log2, .. } => Ok(bits.div_ceil(8).next_multiple_of(1 << align_log2)),
        }
    }

    /// Bits of a value of `ty`: for aggregates those of the alloc size.
    ///
    /// # Errors
    ///
    /// `L08` for a type without a size, `L11` for one beyond [`MAX_SIZE`].
    #[inline]
    pub fn bits(&self, ty: TypeId) -> Checked<u64> {
        match self.extents[ty.as_u32() as usize].bits {
            UNSIZED => Err(Error::TypeClass { ty: ty.as_u32().into(), expected: "a type with a size" }),
            TOO_LARGE => Err(Error::TooLarge { what: "a type", limit: MAX_SIZE }),
            bits => Ok(bits),
        }
    }

    /// Bytes that a store of `ty` writes.
    ///
    /// # Errors
    ///
    /// As [`bits`](Self::bits).
    #[inline]
    pub fn store_size(&self, ty: TypeId) -> Checked<u64> {
        Ok(self.bits(ty)?.div_ceil(8))
    }

    /// Bytes from one array element of `ty` to the next.
    ///
    /// # Errors
    ///
    /// As [`bits`](Self::bits).
    #[inline]
    pub fn alloc_size(&self, ty: TypeId) -> Checked<u64> {
        Ok(self.store_size(ty)?.next_multiple_of(1 << self.abi_align_log2(ty)))
    }

    /// log2 of the alignment of `ty` in memory, 0 for a type without a size.
    #[inline]
    #[must_use]
    pub fn abi_align_log2(&self, ty: TypeId) -> u8 {
        self.extents[ty.as_u32() as usize].align_log2
    }

    /// log2 of the alignment that a slot of the stack for `ty` has if it names none, 0 for a type without a size.
    #[must_use]
    pub fn preferred_align_log2(&self, ty: TypeId) -> u8 {
        self.extents[ty.as_u32() as usize].preferred_log2
    }

    /// log2 of the alignment that a variable with a value of `ty` has if it names none: from 17 bytes on it has
    /// 16 at least, and optimizers count on that (`DataLayout::getPreferredAlign` of LLVM).
    #[must_use]
    pub fn variable_align_log2(&self, ty: TypeId) -> u8 {
        let Extent { bits, preferred_log2, .. } = self.extents[ty.as_u32() as usize];
        if bits > 128 { preferred_log2.max(4) } else { preferred_log2 }
    }

    /// Where members of the struct with this member list start.
    #[inline]
    #[must_use]
    pub fn offsets(&self, members: TypeList) -> &[u64] {
        &self.offsets[members.start as usize..][..members.len as usize]
    }

    /// Bytes from one `element` of an array or vector to the next: a vector has no room between them.
    ///
    /// # Errors
    ///
    /// As [`bits`](Self::bits).
    pub fn stride(&self, of: LlvmType, element: TypeId) -> Checked<u64> {
        match of {
            LlvmType::Vector { .. } => self.store_size(element),
            _ => self.alloc_size(element),
        }
    }

    /// Where element or member `index` of an aggregate starts. The elements of arrays and vectors have no bound
    /// here, for address computations may go past it.
    ///
    /// # Errors
    ///
    /// `L07` for a member that a struct does not have, `L08` for a type without members, `L11` for an offset
    /// beyond [`MAX_SIZE`].
    pub fn member_offset(&self, types: &TypeTable, ty: TypeId, index: u64) -> Checked<u64> {
        match types.get(ty) {
            LlvmType::Struct { members, .. } => {
                self.bits(ty)?;
                match usize::try_from(index).ok().and_then(|k| self.offsets(members).get(k)) {
                    Some(&offset) => Ok(offset),
                    None => Err(Error::NoSuch { what: "member", index }),
                }
            }
            of @ (LlvmType::Array { element, .. } | LlvmType::Vector { element, .. }) => {
                match self.stride(of, element)?.checked_mul(index) {
                    Some(offset @ ..=MAX_SIZE) => Ok(offset),
                    _ => Err(Error::TooLarge { what: "an offset", limit: MAX_SIZE }),
                }
            }
            _ => Err(Error::TypeClass { ty: ty.as_u32().into(), expected: "an aggregate" }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_the_four_targets() {
        let layout = |text: &str| DataLayout::parse(text.as_bytes()).expect(text);
        let x64 = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";
        let x64 = layout(x64);
        assert_eq!((x64.pointer_bytes, x64.pointer_align, x64.stack_align), (8, Align::of(8), 16));
        assert_eq!(
            [1, 7, 8, 24, 33, 64, 65, 128, 129].map(|b| x64.int_align(b).abi),
            [1, 1, 1, 4, 8, 8, 16, 16, 16]
        );
        assert_eq!(x64.float_align(80), Align::of(16));
        let x32 = layout("e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-f64:32:64-f80:32-n8:16:32-S128");
        let four_or_eight = Align { abi: 4, preferred: 8 };
        assert_eq!(
            (x32.pointer_bytes, x32.int_align(64), x32.int_align(128)),
            (4, four_or_eight, four_or_eight)
        );
        assert_eq!((x32.float_align(64), x32.float_align(80)), (four_or_eight, Align::of(4)));
        let arm = layout("e-m:e-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64");
        let aligns = [128, 96]
            .map(|bits| (arm.vector_extent(bits).align_log2, arm.vector_extent(bits).preferred_log2));
        assert_eq!((aligns, arm.stack_align), ([(3, 4), (4, 4)], 8));
        assert_eq!(arm.aggregate_align, Align { abi: 1, preferred: 4 });
        let mips = layout("e-m:m-p:32:32-i8:8:32-i16:16:32-i64:64-n32-S64");
        assert_eq!(layout("e-s0:64:64-S64").stack_align, 8);
        assert_eq!((mips.mangling, mips.int_align(16)), (Mangling::Mips, Align { abi: 2, preferred: 4 }));
        let aarch64 = layout(
            "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32",
        );
        assert_eq!((aarch64.pointer_bytes, aarch64.stack_align), (8, 16));
        assert_eq!([8, 128].map(|b| aarch64.int_align(b)), [Align { abi: 1, preferred: 4 }, Align::of(16)]);
        assert_eq!(DataLayout::of_triple(b"arm64-linux-gnu"), DataLayout::of_triple(b"aarch64-linux-gnu"));
        assert!(DataLayout::of_triple(b"arm64-linux-gnu").is_some_and(|layout| layout.pointer_bytes == 8));
        assert!([b"arm64_32-linux", b"aarch64_be-lin"].map(|t| DataLayout::of_triple(t)) == [None, None]);
    }

    #[test]
    fn structs_arrays_and_vectors() {
        use crate::llvm::wire::codes::types as code;
        use crate::llvm::wire::types::tests::table;
        let types = table(
            17,
            &[
                (code::INTEGER, &[8]),
                (code::INTEGER, &[64]),
                (code::STRUCT_ANON, &[0, 0, 1, 0]),
                (code::STRUCT_ANON, &[1, 0, 1, 0]),
                (code::INTEGER, &[32]),
                (code::VECTOR, &[3, 4]),
                (code::ARRAY, &[5, 2]),
                (code::X86_FP80, &[]),
                (code::STRUCT_ANON, &[0]),
                (code::INTEGER, &[1]),
                (code::VECTOR, &[8, 9]),
                (code::ARRAY, &[1 << 40, 1]),
                (code::ARRAY, &[1 << 40, 11]),
                (code::VOID, &[]),
                (code::INTEGER, &[24]),
                (code::VECTOR, &[2, 14]),
                (code::ARRAY, &[2, 14]),
            ],
        )
        .expect("legal");
        let layout = DataLayout::parse(b"e-m:e-i64:64-i128:128-f80:128-S128").expect("legal");
        let layouts = Layouts::compute(&types, &layout);
        let id = |wire| types.resolve(wire).expect("exists");
        let sizes = |wire| (layouts.store_size(id(wire)), layouts.alloc_size(id(wire)));
        assert_eq!(sizes(2), (Ok(24), Ok(24)));
        assert_eq!(sizes(3), (Ok(10), Ok(10)));
        assert_eq!(sizes(5), (Ok(12), Ok(16)));
        assert_eq!(sizes(6), (Ok(120), Ok(120)));
        assert_eq!(sizes(7), (Ok(10), Ok(16)));
        assert_eq!(sizes(8), (Ok(0), Ok(0)));
        assert_eq!(sizes(10), (Ok(1), Ok(1)));
        assert_eq!(sizes(11).0, Ok(1 << 43));
        assert_eq!(sizes(12).0.expect_err("too large").code(), "L11");
        assert_eq!(sizes(13).0.expect_err("unsized").code(), "L08");
        assert_eq!(layouts.member_offset(&types, id(2), 2), Ok(16));
        assert_eq!(layouts.member_offset(&types, id(3), 2), Ok(9));
        assert_eq!(layouts.member_offset(&types, id(6), 3), Ok(72));
        assert_eq!([15, 16].map(|wire| layouts.member_offset(&types, id(wire), 2)), [Ok(6), Ok(8)]);
        // A struct, a packed one, an array of three, and `i64`.
        let aligns = |wire| (layouts.abi_align_log2(id(wire)), layouts.variable_align_log2(id(wire)));
        assert_eq!([2, 3, 6, 1].map(aligns), [(3, 4), (0, 3), (3, 4), (3, 3)]);
        assert_eq!(layouts.member_offset(&types, id(2), 3).expect_err("no member").code(), "L07");
    }

    #[test]
    fn bad_strings_are_refused() {
        for text in [
            "e-p:32",
            "e-p:a:32",
            "e-p270:32",
            "e-i8",
            "e-i8:3",
            "e-q",
            "e-p:32:24",
            "e-m:q",
            "e-Sx",
            "e-i32:0",
            "e-i64:64:32",
        ] {
            let error = DataLayout::parse(text.as_bytes()).expect_err(text);
            assert_eq!(error.code(), "L10", "{text}");
        }
        for text in ["", "E-p:32:32", "e-m:o", "e-p:16:16", "e-A5"] {
            assert_eq!(DataLayout::parse(text.as_bytes()).expect_err(text).code(), "L12", "{text}");
        }
    }
}
