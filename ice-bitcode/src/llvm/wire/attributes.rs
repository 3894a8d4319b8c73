//! Attribute groups and lists: what code generation needs of them, one compact record a parameter.
//!
//! A *group* is a set of attributes for one place (function, result or a parameter); a *list* names the groups of
//! one function or call. Lists are flattened when they are read. Everything else, the facts for optimisers, is
//! skipped by the form that leads each attribute; the first kind that nobody has heard of is kept for a report
//! (LLVM bitcode specification, section 6).

use alloc::vec::Vec;

use cranelift_entity::packed_option::PackedOption;
use ice_ir::native::UnwindTables;
use ice_ir::{SignedReturn, StackProtection};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::codes::attributes as code;
use super::demands::{Demands, Hook};
use super::processors;
use super::types::{TypeId, TypeTable};
use crate::bitstream::{BlockHeader, Reader, Record};
use crate::error::{Error, Result};

type Checked<T> = core::result::Result<T, Error>;

/// A set of flags of a parameter or result.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ParamFlags(u16);

/// A set of flags of a function or call.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FunctionFlags(u32);

macro_rules! flags {
    ($name:ident, $($flag:ident = $bit:literal, $doc:literal;)*) => {
        impl $name {
            $(#[doc = $doc] pub const $flag: $name = $name(1 << $bit);)*

            /// Whether all flags of `other` are set.
            #[must_use]
            pub const fn has(self, other: $name) -> bool {
                self.0 & other.0 == other.0
            }

            pub(in crate::llvm) const fn with(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }
        }
    };
}

flags! { ParamFlags,
    ZEROEXT = 0, "Zero-extended to the width of a register.";
    SIGNEXT = 1, "Sign-extended to the width of a register.";
    INREG = 2, "In a register where the convention allows it.";
    NEST = 3, "The static chain.";
    RETURNED = 4, "The result of the call equals this argument.";
    BYVAL = 5, "A copy of the object it points to is passed, see [`ParamAttributes::pointee`].";
    SRET = 6, "Points to memory for the result, see [`ParamAttributes::pointee`].";
    INALLOCA = 7, "MSVC argument memory: not supported.";
    PREALLOCATED = 8, "MSVC argument memory: not supported.";
    SWIFT = 9, "A register of the Swift conventions: not supported.";
}

flags! { FunctionFlags,
    NORETURN = 0, "Does not return.";
    RETURNS_TWICE = 1, "Like `setjmp`, may return again.";
    NAKED = 2, "No prologue and epilogue.";
    NOUNWIND = 3, "Raises no exception.";
    NO_RED_ZONE = 4, "Memory below the stack pointer is not its own.";
    NO_BUILTIN = 5, "A callee that has the name of a function of the library need not be that.";
    STACK_PROTECT = 6, "The frame is guarded if it has large arrays of bytes (`ssp`).";
    NON_LAZY_BIND = 7, "Calls go through the table of addresses, not through stubs.";
    NO_JUMP_TABLES = 8, "Switches become no tables of addresses.";
    FRAME_POINTER_ALL = 9, "Keeps the frame pointer.";
    FRAME_POINTER_NON_LEAF = 10, "Keeps the frame pointer if it calls.";
    STRICT_FP = 12, "Uses constrained floating-point intrinsics.";
    PROBE_STACK = 13, "Large frames touch every page.";
    COLD = 14, "Rarely called.";
    OPTIMIZE_NONE = 15, "Not to be optimised.";
    OPTIMIZE_SIZE = 16, "Size counts more than speed.";
    UNWIND_TABLE = 17, "Needs an entry in the unwind tables.";
    HARDWARE_DIVIDE = 18, "The processor divides, in ARM state.";
    UNWIND_TABLE_SYNC = 19, "That entry need only be right at calls.";
    WIDE_REGISTERS = 20, "The processor has vector registers of 256 bits (AVX of x86).";
    FUSED_MULTIPLY_ADD = 21, "The processor multiplies and adds with one rounding (FMA of x86).";
    STACK_PROTECT_STRONG = 22, "The frame is guarded if it has arrays, or objects whose address goes elsewhere.";
    STACK_PROTECT_ALWAYS = 23, "The frame is guarded.";
    NO_BRANCH_CHECK = 24, "No indirect call leads to the function, or the call may lead anywhere (`nocf_check`).";
    NO_TAIL_CALLS = 25, "No call but those that must becomes a jump.";
    WIDER_REGISTERS = 26, "The processor may have vector registers of 512 bits, and others for booleans (AVX-512 of x86).";
    WIDE_INTEGERS = 27, "The processor has arithmetic on integers in registers of 256 bits (AVX2 of x86).";
    ROUNDS_FLOATS = 28, "The processor rounds floats to integers (SSE4.1 of x86).";
    BRANCH_TARGETS = 29, "Branches are tracked (AArch64).";
    PERMUTES_BYTES = 30, "The processor brings bytes of a vector to any places (SSSE3 of x86).";
}

impl FunctionFlags {
    const fn without(self, other: FunctionFlags) -> FunctionFlags {
        FunctionFlags(self.0 & !other.0)
    }

    /// From where the callers of the function must be found: who may pass exceptions on needs it at calls.
    #[must_use]
    pub const fn unwind_tables(self) -> UnwindTables {
        match (self.has(Self::UNWIND_TABLE), self.has(Self::UNWIND_TABLE_SYNC), self.has(Self::NOUNWIND)) {
            (true, false, _) => UnwindTables::Async,
            (true, true, _) | (false, _, false) => UnwindTables::Sync,
            (false, _, true) => UnwindTables::None,
        }
    }

    /// Whether the frame is guarded.
    #[must_use]
    pub const fn stack_protection(self) -> StackProtection {
        match (
            self.has(Self::STACK_PROTECT_ALWAYS),
            self.has(Self::STACK_PROTECT_STRONG),
            self.has(Self::STACK_PROTECT),
        ) {
            (true, ..) => StackProtection::Always,
            (false, true, _) => StackProtection::Strong,
            (false, false, true) => StackProtection::Buffers,
            (false, false, false) => StackProtection::None,
        }
    }
}

/// What is said of one parameter or the result.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ParamAttributes {
    /// The flags.
    pub flags: ParamFlags,
    /// log2 of the alignment of what it points to, plus 1; 0 if not given.
    align_code: u8,
    /// The type behind the pointer: of `byval`, `sret` and `elementtype`.
    pub pointee: PackedOption<TypeId>,
}

impl ParamAttributes {
    /// log2 of the alignment of what it points to; for `byval` that of the copy.
    #[must_use]
    pub const fn align_log2(self) -> Option<u8> {
        self.align_code.checked_sub(1)
    }
}

/// What is said of a function or a call.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FunctionAttributes {
    /// The flags.
    pub flags: FunctionFlags,
    /// log2 of the alignment that the stack is to have, 0 if not given.
    pub stack_align_log2: u8,
    /// From how many bytes on an array is a large one to who guards the frame, if given.
    pub large_array: Option<u32>,
    /// Whether return addresses are signed, if it is said.
    pub signed_return: Option<SignedReturn>,
    /// What the code is to have beside what it computes.
    pub demands: Demands,
}

/// The attributes of one function or call.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct AttributeList {
    /// Of the function.
    pub function: FunctionAttributes,
    /// Of the result.
    pub ret: ParamAttributes,
    /// First entry of the parameters in the table.
    start: u32,
    /// Number of leading parameters with an entry.
    len: u32,
}

/// All attribute lists of a module.
#[derive(Clone, Default, Debug)]
pub struct AttributeTable {
    lists: Vec<AttributeList>,
    params: Vec<ParamAttributes>,
    groups: Vec<Group>,
    /// Groups by their number.
    numbers: IndexMap<u64, u32, FxBuildHasher>,
    /// The first enum, integer or type attribute that LLVM 22 does not have.
    pub unknown_kind: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Group {
    place: AttributeHolder,
    function: FunctionAttributes,
    param: ParamAttributes,
}

#[derive(Clone, Copy, Debug)]
enum AttributeHolder {
    Function,
    Result,
    Param(u32),
}

/// Parameters beyond this have no attributes in any file that makes sense.
const MAX_PARAMS: u64 = 1 << 16;
/// Entries of all lists together, which bounds what many lists of far parameters can take.
const MAX_ENTRIES: usize = 1 << 20;
/// The last attribute kind of LLVM 22.
const LAST_KIND: u64 = 105;

impl AttributeTable {
    /// The list with this number as users write it: 0 for none, else counted from 1.
    ///
    /// # Errors
    ///
    /// `L07`: there is none.
    #[inline]
    pub fn list(&self, number: u64) -> Checked<AttributeList> {
        if number == 0 {
            return Ok(AttributeList::default());
        }
        match usize::try_from(number - 1).ok().and_then(|i| self.lists.get(i)) {
            Some(&list) => Ok(list),
            None => Err(Error::NoSuch { what: "attribute list", index: number }),
        }
    }

    /// What `list` says of parameter `index`, counted from 0.
    #[inline]
    #[must_use]
    pub fn param(&self, list: &AttributeList, index: usize) -> ParamAttributes {
        self.params(list).get(index).copied().unwrap_or_default()
    }

    /// What `list` says of the first parameters; nothing is said of all others.
    #[must_use]
    pub fn params(&self, list: &AttributeList) -> &[ParamAttributes] {
        &self.params[list.start as usize..][..list.len as usize]
    }

    /// Whether functions of any list call `hook` where they begin or end.
    pub(in crate::llvm) fn has_hook(&self, hook: Hook) -> bool {
        let mut demands = self.lists.iter().map(|list| list.function.demands);
        demands.any(|demands| [demands.entry, demands.exit].contains(&Some(hook)))
    }

    /// How many lists there are.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.lists.len() as u32
    }

    /// Whether there are no lists.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Whether `list` says anything about how arguments and the result are passed, extensions included.
    #[must_use]
    pub fn changes_calls(&self, list: &AttributeList) -> bool {
        self.any_param(list, !ParamFlags::RETURNED.0)
    }

    /// Whether `list` says anything about how arguments and the result are passed beyond extensions.
    #[must_use]
    pub fn changes_passing(&self, list: &AttributeList) -> bool {
        self.any_param(list, !(ParamFlags::RETURNED.0 | ParamFlags::ZEROEXT.0 | ParamFlags::SIGNEXT.0))
    }

    fn any_param(&self, list: &AttributeList, mask: u16) -> bool {
        self.params(list).iter().chain([&list.ret]).any(|param| param.flags.0 & mask != 0)
    }

    /// Reads PARAMATTR_GROUP.
    pub(in crate::llvm) fn read_groups(
        &mut self,
        reader: &mut Reader<'_>,
        header: &BlockHeader,
        record: &mut Record,
        types: &TypeTable,
    ) -> Result<()> {
        each_record(reader, header, record, code::GROUP, |ops| self.group(ops, types))
    }

    /// Reads PARAMATTR.
    pub(in crate::llvm) fn read_lists(
        &mut self,
        reader: &mut Reader<'_>,
        header: &BlockHeader,
        record: &mut Record,
    ) -> Result<()> {
        each_record(reader, header, record, code::LIST, |ops| self.add_list(ops))
    }

    fn group(&mut self, ops: &[u64], types: &TypeTable) -> Checked<()> {
        let &[number, index, ref rest @ ..] = ops else {
            return Err(Error::OperandCount { record: "GROUP", found: ops.len(), expected: "2 or more" });
        };
        let place = match index {
            0xffff_ffff => AttributeHolder::Function,
            0 => AttributeHolder::Result,
            1..=MAX_PARAMS => AttributeHolder::Param(index as u32 - 1),
            _ => return Err(Error::NoSuch { what: "parameter for attributes", index }),
        };
        let (function, param) = Default::default();
        let mut group = Group { place, function, param };
        let mut rest = rest.iter().copied();
        while let Some(lead) = rest.next() {
            self.attribute(lead, &mut rest, &mut group, types)?;
        }
        self.numbers.insert(number, self.groups.len() as u32);
        self.groups.push(group);
        Ok(())
    }

    /// One attribute, of which `lead` is read.
    fn attribute(
        &mut self,
        lead: u64,
        rest: &mut (impl Iterator<Item = u64> + Clone),
        group: &mut Group,
        types: &TypeTable,
    ) -> Checked<()> {
        let cut = Error::OperandCount { record: "GROUP", found: 0, expected: "whole attributes" };
        let mut next = || rest.next().ok_or(cut.clone());
        match lead {
            0 => {
                let kind = self.known(next()?);
                enum_attribute(kind, group);
            }
            1 => {
                let (kind, value) = (self.known(next()?), next()?);
                match kind {
                    1 => group.param.align_code = align_log2("the attribute align", value)? + 1,
                    25 => group.function.stack_align_log2 = align_log2("the attribute alignstack", value)?,
                    33 => {
                        enum_attribute(kind, group);
                        if value == UNWIND_SYNC {
                            let flags = &mut group.function.flags;
                            *flags = flags.with(FunctionFlags::UNWIND_TABLE_SYNC);
                        }
                    }
                    _ => {}
                }
            }
            3 | 4 => {
                let (mut key, mut value) = (Text::default(), Text::default());
                while key.push(next()?)? {}
                if lead == 4 {
                    // Each feature of a list counts as a value.
                    let end = if key.bytes() == b"target-features" { b',' } else { 0 };
                    loop {
                        let op = next()?;
                        if op != 0 && op == end.into() {
                            let feature = core::mem::take(&mut value);
                            string_attribute(key.bytes(), feature.bytes(), &mut group.function);
                        } else if !value.push(op)? {
                            break;
                        }
                    }
                }
                string_attribute(key.bytes(), value.bytes(), &mut group.function);
            }
            5 => drop(self.known(next()?)),
            6 => {
                let (kind, ty) = (self.known(next()?), types.resolve(next()?)?);
                let flag = match kind {
                    3 => ParamFlags::BYVAL,
                    29 => ParamFlags::SRET,
                    38 => ParamFlags::INALLOCA,
                    65 => ParamFlags::PREALLOCATED,
                    69 | 77 => ParamFlags::default(),
                    _ => return Ok(()),
                };
                group.param.flags = group.param.flags.with(flag);
                group.param.pointee = Some(ty).into();
            }
            7 => {
                self.known(next()?);
                let width = next()?;
                range(width, &mut next)?;
            }
            8 => {
                let (_, count, width) = (self.known(next()?), next()?, next()?);
                // Each range takes operands, so this ends with the record.
                for _ in 0..count {
                    range(width, &mut next)?;
                }
            }
            lead => return Err(Error::FieldValue { field: "the form of an attribute", value: lead }),
        }
        Ok(())
    }

    fn known(&mut self, kind: u64) -> u64 {
        if kind > LAST_KIND && self.unknown_kind.is_none() {
            self.unknown_kind = Some(kind);
        }
        kind
    }

    fn add_list(&mut self, numbers: &[u64]) -> Checked<()> {
        let start = self.params.len() as u32;
        let mut list = AttributeList { start, ..AttributeList::default() };
        for &number in numbers {
            let Some(&at) = self.numbers.get(&number) else {
                return Err(Error::NoSuch { what: "attribute group", index: number });
            };
            let group = self.groups[at as usize];
            match group.place {
                AttributeHolder::Function => list.function = group.function,
                AttributeHolder::Result => list.ret = group.param,
                AttributeHolder::Param(index) => {
                    let at = start as usize + index as usize;
                    if at >= MAX_ENTRIES {
                        let limit = MAX_ENTRIES as u64;
                        return Err(Error::TooLarge { what: "the number of parameter attributes", limit });
                    }
                    if at >= self.params.len() {
                        self.params.resize(at + 1, ParamAttributes::default());
                    }
                    self.params[at] = group.param;
                }
            }
        }
        list.len = self.params.len() as u32 - start;
        self.lists.push(list);
        Ok(())
    }
}

/// Reads a block that has records of one code only.
fn each_record(
    reader: &mut Reader<'_>,
    header: &BlockHeader,
    record: &mut Record,
    code: u32,
    mut read: impl FnMut(&[u64]) -> Checked<()>,
) -> Result<()> {
    reader.enter(header);
    while reader.next_in_leaf(record)? {
        if record.code != code {
            let error = Error::UnknownRecord { code: record.code, block: header.id };
            return Err(reader.record_error(error, record));
        }
        read(&record.ops).map_err(|error| reader.record_error(error, record))?;
    }
    Ok(())
}

/// The value of `uwtable(sync)`; before it had values it meant all instructions, as the other one does.
const UNWIND_SYNC: u64 = 1;

/// An attribute that only says its kind.
fn enum_attribute(kind: u64, group: &mut Group) {
    use FunctionFlags as F;
    use ParamFlags as P;
    let FunctionAttributes { flags, demands, .. } = &mut group.function;
    let mut function = |flag| *flags = flags.with(flag);
    let mut param = |flag| group.param.flags = group.param.flags.with(flag);
    match kind {
        // LLVM 14 and typed pointers may leave out the type; then it is the pointer's, which is not known.
        3 => param(P::BYVAL),
        5 => param(P::INREG),
        6 | 19 => function(F::OPTIMIZE_SIZE),
        7 => function(F::NAKED),
        8 => param(P::NEST),
        10 => function(F::NO_BUILTIN),
        13 => demands.take(b"noimplicitfloat", b""),
        15 => function(F::NON_LAZY_BIND),
        16 => function(F::NO_RED_ZONE),
        17 => function(F::NORETURN),
        18 => function(F::NOUNWIND),
        22 => param(P::RETURNED),
        23 => function(F::RETURNS_TWICE),
        24 => param(P::SIGNEXT),
        26 => function(F::STACK_PROTECT),
        27 => function(F::STACK_PROTECT_ALWAYS),
        28 => function(F::STACK_PROTECT_STRONG),
        29 => param(P::SRET),
        33 => function(F::UNWIND_TABLE),
        34 => param(P::ZEROEXT),
        36 => function(F::COLD),
        37 => function(F::OPTIMIZE_NONE),
        44 => demands.take(b"safestack", b""),
        46 | 47 | 75 => param(P::SWIFT),
        54 => function(F::STRICT_FP),
        56 => function(F::NO_BRANCH_CHECK),
        58 => demands.take(b"shadowcallstack", b""),
        59 => demands.take(b"speculative_load_hardening", b""),
        84 => demands.take(b"fn_ret_thunk_extern", b""),
        _ => {}
    }
}

fn string_attribute(key: &[u8], value: &[u8], function: &mut FunctionAttributes) {
    use FunctionFlags as F;
    let flag = match (key, value) {
        (b"sign-return-address", _) => {
            function.signed_return = Some(match value {
                b"all" => SignedReturn::Always,
                b"none" => SignedReturn::Never,
                _ => SignedReturn::WhereSaved,
            });
            return function.demands.take(key, value);
        }
        (b"branch-target-enforcement", value) if value != b"false" => {
            function.demands.take(key, value);
            F::BRANCH_TARGETS
        }
        (b"frame-pointer", b"all") => F::FRAME_POINTER_ALL,
        (b"frame-pointer", b"non-leaf" | b"non-leaf-no-reserve") => F::FRAME_POINTER_NON_LEAF,
        (b"no-builtins" | b"no-builtin-sqrt" | b"no-builtin-sqrtf", _) => F::NO_BUILTIN,
        (b"no-jump-tables", b"true") => F::NO_JUMP_TABLES,
        (b"disable-tail-calls", b"true") => F::NO_TAIL_CALLS,
        (b"probe-stack", _) => F::PROBE_STACK,
        (b"target-features", b"+hwdiv-arm") => F::HARDWARE_DIVIDE,
        (b"target-features", b"+fma") => F::FUSED_MULTIPLY_ADD.with(F::WIDE_REGISTERS),
        (b"target-features", b"+sse4.1") => F::ROUNDS_FLOATS.with(F::PERMUTES_BYTES),
        (b"target-features", b"+ssse3") => F::PERMUTES_BYTES,
        (b"target-features", b"-ssse3") => {
            function.flags = function.flags.without(F::PERMUTES_BYTES);
            return;
        }
        (b"target-features", b"-sse4.1") => {
            function.flags = function.flags.without(F::ROUNDS_FLOATS);
            return;
        }
        (b"target-features", b"-avx") => {
            let wide = F::WIDE_REGISTERS.with(F::WIDER_REGISTERS).with(F::WIDE_INTEGERS);
            function.flags = function.flags.without(wide);
            return;
        }
        (b"target-features", b"-avx2") => {
            function.flags = function.flags.without(F::WIDE_INTEGERS);
            return;
        }
        (b"target-features", b"-avx512f") => {
            function.flags = function.flags.without(F::WIDER_REGISTERS);
            return;
        }
        (b"target-features", feature) if processors::is_wider_feature(feature) => {
            F::WIDE_REGISTERS.with(F::WIDER_REGISTERS).with(F::WIDE_INTEGERS)
        }
        (b"target-features", feature) if processors::is_wide_integer_feature(feature) => {
            F::WIDE_REGISTERS.with(F::WIDE_INTEGERS)
        }
        (b"target-features", feature) if processors::is_wide_feature(feature) => F::WIDE_REGISTERS,
        (b"target-cpu", cpu) if processors::is_wider_cpu(cpu) => {
            F::WIDE_REGISTERS.with(F::WIDER_REGISTERS).with(F::WIDE_INTEGERS)
        }
        (b"target-cpu", cpu) if processors::is_wide_integer_cpu(cpu) => {
            F::WIDE_REGISTERS.with(F::WIDE_INTEGERS)
        }
        (b"target-cpu", cpu) if processors::is_wide_cpu(cpu) => F::WIDE_REGISTERS,
        (b"stack-protector-buffer-size", value) => {
            // LLVM takes what is no number for the usual one.
            function.large_array = core::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
            return;
        }
        _ => return function.demands.take(key, value),
    };
    function.flags = function.flags.with(flag);
}

/// The first bytes of a string, as many as matter.
struct Text {
    text: [u8; 40],
    len: usize,
}

impl Default for Text {
    fn default() -> Text {
        Text { text: [0; 40], len: 0 }
    }
}

impl Text {
    /// Takes the next operand; `false` for the zero behind the last byte.
    fn push(&mut self, op: u64) -> Checked<bool> {
        let byte = u8::try_from(op).map_err(|_| Error::NotAByte { value: op })?;
        if byte == 0 {
            return Ok(false);
        }
        if let Some(place) = self.text.get_mut(self.len) {
            *place = byte;
        }
        self.len = self.len.saturating_add(1);
        Ok(true)
    }

    /// The string; empty if it is longer than all that matter.
    fn bytes(&self) -> &[u8] {
        self.text.get(..self.len).unwrap_or(&[])
    }
}

/// Passes over the two bounds of a range.
fn range(width: u64, next: &mut impl FnMut() -> Checked<u64>) -> Checked<()> {
    let words = match width {
        0..=64 => 2,
        _ => {
            let counts = next()?;
            (counts & 0xffff_ffff) + (counts >> 32)
        }
    };
    // Each word takes an operand, so this ends with the record.
    for _ in 0..words {
        next()?;
    }
    Ok(())
}

fn align_log2(field: &'static str, bytes: u64) -> Checked<u8> {
    match bytes.is_power_of_two() && bytes <= 1 << 32 {
        true => Ok(bytes.trailing_zeros() as u8),
        false => Err(Error::FieldValue { field, value: bytes }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(string: &[u8]) -> impl Iterator<Item = u64> + '_ {
        string.iter().map(|&c| c.into()).chain([0])
    }

    #[test]
    fn lists_are_flattened_and_unknown_attributes_passed_over() {
        let types = TypeTable::default();
        let mut table = AttributeTable::default();
        let mut function = Vec::from([1, 0xffff_ffff, 0, 17, 1, 25, 16, 0, 999, 4]);
        function.extend(text(b"frame-pointer").chain(text(b"all")));
        function.extend([3].into_iter().chain(text(b"a-key-that-is-much-longer-than-any-known")));
        function.extend([7, 92, 32, 2, 8, 7, 92, 128, 1 | 2 << 32, 1, 2, 3, 8, 94, 2, 8, 1, 2, 3, 4, 0, 23]);
        table.group(&function, &types).expect("legal");
        table.group(&[7, 3, 0, 24, 1, 1, 8], &types).expect("legal");
        table.group(&[9, 0, 0, 34], &types).expect("legal");
        table.add_list(&[1, 7, 9]).expect("legal");
        table.add_list(&[9]).expect("legal");
        let list = table.list(1).expect("exists");
        let flags = list.function.flags;
        assert!(flags.has(FunctionFlags::NORETURN.with(FunctionFlags::RETURNS_TWICE)));
        assert!(flags.has(FunctionFlags::FRAME_POINTER_ALL));
        assert_eq!(list.function.stack_align_log2, 4);
        assert_eq!(table.unknown_kind, Some(999));
        assert!(list.ret.flags.has(ParamFlags::ZEROEXT));
        assert_eq!(table.param(&list, 0), ParamAttributes::default());
        assert_eq!(
            (table.param(&list, 2).flags, table.param(&list, 2).align_log2()),
            (ParamFlags::SIGNEXT, Some(3))
        );
        assert_eq!(table.param(&list, 3), ParamAttributes::default());
        assert_eq!(table.list(0), Ok(AttributeList::default()));
        assert!(table.list(2).is_ok() && table.list(3).is_err());
    }

    #[test]
    fn one_feature_of_a_list_is_found() {
        let divides = |features: &[u8]| {
            let mut ops = alloc::vec![1, 0xffff_ffff, 4];
            ops.extend(text(b"target-features").chain(text(features)));
            let mut table = AttributeTable::default();
            table.group(&ops, &TypeTable::default()).expect("legal");
            table.add_list(&[1]).expect("legal");
            table.list(1).expect("exists").function.flags.has(FunctionFlags::HARDWARE_DIVIDE)
        };
        let long = b"+a-feature-of-more-than-thirty-two-letters,+hwdiv-arm,+neon";
        assert!(divides(b"+hwdiv-arm") && divides(b"+armv7-a,+hwdiv-arm") && divides(long));
        assert!(!divides(b"") && !divides(b"+hwdiv,-hwdiv-arm") && !divides(b"+hwdiv-arm2"));
    }

    #[test]
    fn bad_attributes_are_refused() {
        let code = |ops: &[u64]| {
            let result = AttributeTable::default().group(ops, &TypeTable::default());
            result.map_or_else(|e| e.code(), |()| "ok")
        };
        assert_eq!(code(&[1, 0]), "ok");
        assert_eq!(code(&[1]), "M03");
        assert_eq!(code(&[1, 0, 0]), "M03");
        assert_eq!(code(&[1, 0, 2, 1]), "L09");
        assert_eq!(code(&[1, 0, 1, 1, 3]), "L09");
        assert_eq!(code(&[1, 0, 6, 3, 0]), "L07");
        assert_eq!(code(&[1, 1 << 20]), "L07");
        assert_eq!(code(&[1, 0, 3, 300, 0]), "G11");
        assert_eq!(code(&[1, 0, 8, 94, u64::MAX, 8, 1]), "M03");
        assert_eq!(code(&[1, 0, 7, 94, 65, u64::MAX]), "M03");
        assert!(AttributeTable::default().add_list(&[1]).is_err());
    }
}
