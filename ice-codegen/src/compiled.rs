//! What a back end hands to the object writer: bytes, relocations, constants, jump tables.

use crate::assembly::SectionPart;
use crate::exceptions::ExceptionTable;
use crate::internal::{CodegenStep, Faults, Internal};
use crate::live::LiveCalls;
use crate::unwind::FrameStep;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;
use ice_asm::{
    BranchIsa, CodeBuffer, ConstantId, ConstantPool, ConstantSize, Label, Listing, Reloc, SymbolId,
};
use ice_ir::{BinaryOp, FuncId, GlobalId, Inst, Symbol};

macro_rules! libcalls {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A function outside of the module that generated code may call: the C library, libm, libgcc and
        /// Ice's own runtime.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Libcall { $($(#[$doc])* $variant,)* }

        impl Libcall {
            /// Every helper.
            pub const ALL: &'static [Libcall] = &[$(Libcall::$variant),*];

            /// The symbol name.
            pub const fn name(self) -> &'static str {
                match self { $(Libcall::$variant => $name,)* }
            }

            /// The helper of this symbol name.
            pub fn from_name(name: &[u8]) -> Option<Libcall> {
                match str::from_utf8(name).ok()? { $($name => Some(Libcall::$variant),)* _ => None }
            }
        }
    };
}

libcalls! {
    /// Copies memory without overlap.
    Memcpy = "memcpy",
    /// Copies memory.
    Memmove = "memmove",
    /// Fills memory.
    Memset = "memset",
    /// `frem` of f32.
    Fmodf = "fmodf",
    /// `frem` of f64.
    Fmod = "fmod",
    /// 64-bit unsigned division.
    Udivdi3 = "__udivdi3",
    /// 64-bit signed division.
    Divdi3 = "__divdi3",
    /// 64-bit unsigned remainder.
    Umoddi3 = "__umoddi3",
    /// 64-bit signed remainder.
    Moddi3 = "__moddi3",
    /// Ones in 32 bits.
    Popcountsi2 = "__popcountsi2",
    /// Ones in 64 bits.
    Popcountdi2 = "__popcountdi2",
    /// f64 to i64.
    Fixdfdi = "__fixdfdi",
    /// f32 to i64.
    Fixsfdi = "__fixsfdi",
    /// f64 to u64.
    Fixunsdfdi = "__fixunsdfdi",
    /// f32 to u64.
    Fixunssfdi = "__fixunssfdi",
    /// i64 to f64.
    Floatdidf = "__floatdidf",
    /// i64 to f32.
    Floatdisf = "__floatdisf",
    /// u64 to f64.
    Floatundidf = "__floatundidf",
    /// u64 to f32.
    Floatundisf = "__floatundisf",
    /// 32-bit signed division, of the ARM run-time ABI.
    AeabiIdiv = "__aeabi_idiv",
    /// 32-bit signed division with the remainder in r1, of the ARM run-time ABI.
    AeabiIdivmod = "__aeabi_idivmod",
    /// 32-bit unsigned division, of the ARM run-time ABI.
    AeabiUidiv = "__aeabi_uidiv",
    /// 32-bit unsigned division with the remainder in r1, of the ARM run-time ABI.
    AeabiUidivmod = "__aeabi_uidivmod",
    /// f32 to i64, of the ARM run-time ABI.
    AeabiF2lz = "__aeabi_f2lz",
    /// f64 to i64.
    AeabiD2lz = "__aeabi_d2lz",
    /// f32 to u64.
    AeabiF2ulz = "__aeabi_f2ulz",
    /// f64 to u64.
    AeabiD2ulz = "__aeabi_d2ulz",
    /// i64 to f32.
    AeabiL2f = "__aeabi_l2f",
    /// i64 to f64.
    AeabiL2d = "__aeabi_l2d",
    /// u64 to f32.
    AeabiUl2f = "__aeabi_ul2f",
    /// u64 to f64.
    AeabiUl2d = "__aeabi_ul2d",
    /// f32 to i64, with the platform's calling convention; so are the following.
    F32ToI64 = "__ice_f32_to_i64",
    /// f64 to i64.
    F64ToI64 = "__ice_f64_to_i64",
    /// f32 to u64.
    F32ToU64 = "__ice_f32_to_u64",
    /// f64 to u64.
    F64ToU64 = "__ice_f64_to_u64",
    /// i64 to f32.
    I64ToF32 = "__ice_i64_to_f32",
    /// i64 to f64.
    I64ToF64 = "__ice_i64_to_f64",
    /// u64 to f32.
    U64ToF32 = "__ice_u64_to_f32",
    /// u64 to f64.
    U64ToF64 = "__ice_u64_to_f64",
    /// `setjmp` without signal mask.
    Setjmp = "__ice_setjmp",
    /// `longjmp`.
    Longjmp = "__ice_longjmp",
    /// Accesses to 64 bits at once, where a machine has none: gives what was there before; so do the following.
    AtomicExchange8 = "__ice_atomic_exchange_8",
    /// Adds.
    AtomicAdd8 = "__ice_atomic_add_8",
    /// Subtracts.
    AtomicSub8 = "__ice_atomic_sub_8",
    /// Keeps common bits.
    AtomicAnd8 = "__ice_atomic_and_8",
    /// Joins bits.
    AtomicOr8 = "__ice_atomic_or_8",
    /// Inverts bits.
    AtomicXor8 = "__ice_atomic_xor_8",
    /// Stores if there was what is expected.
    AtomicCmpxchg8 = "__ice_atomic_cmpxchg_8",
    /// Reads.
    AtomicLoad8 = "__ice_atomic_load_8",
    /// Stores, and gives nothing.
    AtomicStore8 = "__ice_atomic_store_8",
    /// The functions of libatomic that do it in native programs, with the order as their last argument.
    LibatomicExchange8 = "__atomic_exchange_8",
    /// Adds.
    LibatomicAdd8 = "__atomic_fetch_add_8",
    /// Subtracts.
    LibatomicSub8 = "__atomic_fetch_sub_8",
    /// Keeps common bits.
    LibatomicAnd8 = "__atomic_fetch_and_8",
    /// Joins bits.
    LibatomicOr8 = "__atomic_fetch_or_8",
    /// Inverts bits.
    LibatomicXor8 = "__atomic_fetch_xor_8",
    /// Stores if there was what is at the address of the second argument, else puts what was there to it.
    LibatomicCompareExchange8 = "__atomic_compare_exchange_8",
    /// Reads.
    LibatomicLoad8 = "__atomic_load_8",
    /// Stores, and gives nothing.
    LibatomicStore8 = "__atomic_store_8",
    /// The thread pointer.
    ReadTp = "__ice_read_tp",
    /// The address of a thread-local variable.
    TlsGetAddr = "__tls_get_addr",
    /// The address of a thread-local variable on i386, where the argument comes in a register.
    TlsGetAddrRegister = "___tls_get_addr",
    /// Not a function: the linker's table of addresses.
    GlobalOffsetTable = "_GLOBAL_OFFSET_TABLE_",
    /// Not a function: the distance from a place to what MIPS reaches the table from, which is no symbol of any object.
    TableDistance = "_gp_disp",
    /// Not a function: what MIPS reaches the table from, in programs at fixed addresses.
    LocalTable = "__gnu_local_gp",
}

impl Libcall {
    /// The helper that divides integers of 64 bits, or gives the remainder.
    pub const fn of_division(op: BinaryOp) -> Libcall {
        match op {
            BinaryOp::Udiv => Libcall::Udivdi3,
            BinaryOp::Sdiv => Libcall::Divdi3,
            BinaryOp::Urem => Libcall::Umoddi3,
            _ => Libcall::Moddi3,
        }
    }

    /// The function of libgcc or libatomic that does what a helper of PNaCl programs does, on machines of 32 bits. Those
    /// of libatomic take the order of the access as a last argument.
    pub const fn of_libgcc(self) -> Libcall {
        match self {
            Libcall::AtomicExchange8 => Libcall::LibatomicExchange8,
            Libcall::AtomicAdd8 => Libcall::LibatomicAdd8,
            Libcall::AtomicSub8 => Libcall::LibatomicSub8,
            Libcall::AtomicAnd8 => Libcall::LibatomicAnd8,
            Libcall::AtomicOr8 => Libcall::LibatomicOr8,
            Libcall::AtomicXor8 => Libcall::LibatomicXor8,
            Libcall::AtomicLoad8 => Libcall::LibatomicLoad8,
            Libcall::AtomicStore8 => Libcall::LibatomicStore8,
            Libcall::F32ToI64 => Libcall::Fixsfdi,
            Libcall::F64ToI64 => Libcall::Fixdfdi,
            Libcall::F32ToU64 => Libcall::Fixunssfdi,
            Libcall::F64ToU64 => Libcall::Fixunsdfdi,
            Libcall::I64ToF32 => Libcall::Floatdisf,
            Libcall::I64ToF64 => Libcall::Floatdidf,
            Libcall::U64ToF32 => Libcall::Floatundisf,
            Libcall::U64ToF64 => Libcall::Floatundidf,
            other => other,
        }
    }
}

/// What a relocation of a compiled function refers to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CodeSymbol {
    /// A function of the module.
    Function(FuncId),
    /// A global variable.
    Global(GlobalId),
    /// A helper outside of the module.
    Libcall(Libcall),
    /// A constant in the function's pool.
    Constant(ConstantId),
    /// A jump table of the function, by index.
    JumpTable(u32),
    /// The function itself.
    Start,
    /// The code of a block, of this function or another one: its number in [`CompiledCode::taken_labels`].
    Label(u32),
    /// A symbol that only its name says, by number among those of the function.
    Named(u32),
    /// What the function has in another section, by number.
    Part(u32),
}

const TAG_SHIFT: u32 = 29;
const INDEX_MASK: u32 = (1 << TAG_SHIFT) - 1;

impl From<Symbol> for CodeSymbol {
    fn from(symbol: Symbol) -> CodeSymbol {
        match symbol {
            Symbol::Function(f) => CodeSymbol::Function(f),
            Symbol::Global(g) => CodeSymbol::Global(g),
        }
    }
}

impl CodeSymbol {
    /// The symbol as the code buffer knows it. Indices go up to 2^27 - 1.
    pub fn pack(self) -> SymbolId {
        let (tag, index) = match self {
            CodeSymbol::Function(f) => (0, f.as_u32()),
            CodeSymbol::Global(g) => (1, g.as_u32()),
            CodeSymbol::Libcall(l) => (2, l as u32),
            CodeSymbol::Constant(ConstantId { size, index }) => (3, index << 2 | size as u32),
            CodeSymbol::JumpTable(t) => (4, t),
            CodeSymbol::Start => (5, 0),
            CodeSymbol::Label(index) => (6, index),
            CodeSymbol::Named(n) => (7, n << 1),
            CodeSymbol::Part(n) => (7, n << 1 | 1),
        };
        debug_assert!(index <= INDEX_MASK);
        SymbolId(tag << TAG_SHIFT | index & INDEX_MASK)
    }

    /// The symbol that [`pack`](Self::pack) packed.
    #[inline]
    pub fn unpack(id: SymbolId) -> CodeSymbol {
        let index = id.0 & INDEX_MASK;
        match id.0 >> TAG_SHIFT {
            0 => CodeSymbol::Function(FuncId::from_u32(index)),
            1 => CodeSymbol::Global(GlobalId::from_u32(index)),
            2 => CodeSymbol::Libcall(Libcall::ALL[index as usize % Libcall::ALL.len()]),
            3 => CodeSymbol::Constant(ConstantId {
                size: [ConstantSize::C4, ConstantSize::C8, ConstantSize::C16, ConstantSize::C16]
                    [index as usize & 3],
                index: index >> 2,
            }),
            4 => CodeSymbol::JumpTable(index),
            5 => CodeSymbol::Start,
            6 => CodeSymbol::Label(index),
            _ if index & 1 == 0 => CodeSymbol::Named(index >> 1),
            _ => CodeSymbol::Part(index >> 1),
        }
    }
}

/// Tables of code addresses inside functions, one a table entry: offsets from the start of the function, or where the
/// code becomes assembler text the numbers of labels in that.
#[derive(Clone, Debug, Default)]
pub struct JumpTables {
    targets: Vec<u32>,
    /// End of each table in `targets`.
    ends: Vec<u32>,
}

impl JumpTables {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.targets.clear();
        self.ends.clear();
    }

    /// Number of tables.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// Adds a table.
    pub fn push(&mut self, targets: impl IntoIterator<Item = u32>) {
        self.targets.extend(targets);
        self.ends.push(self.targets.len() as u32);
    }
}

/// The jump tables of one function.
#[derive(Clone, Copy, Debug)]
pub struct TableSlice<'a> {
    targets: &'a [u32],
    ends: &'a [u32],
    /// Where the first table begins in `targets`.
    base: u32,
}

impl<'a> TableSlice<'a> {
    /// Number of tables.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True without tables.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many entries the tables before table `index` have together.
    pub fn start(&self, index: usize) -> usize {
        index.checked_sub(1).map_or(0, |before| (self.ends[before] - self.base) as usize)
    }

    /// The tables in order.
    pub fn iter(self) -> impl Iterator<Item = &'a [u32]> {
        let starts = core::iter::once(self.base).chain(self.ends.iter().copied());
        starts.zip(self.ends).map(move |(start, &end)| &self.targets[start as usize..end as usize])
    }
}

/// The jump tables of a function while it is emitted: labels, whose offsets are known at the end.
#[derive(Clone, Debug, Default)]
pub struct TableLabels {
    labels: Vec<Label>,
    /// End of each table in `labels`.
    ends: Vec<usize>,
}

impl TableLabels {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.labels.clear();
        self.ends.clear();
    }

    /// Adds a table and gives its index.
    pub fn push(&mut self, labels: impl IntoIterator<Item = Label>) -> u32 {
        self.labels.extend(labels);
        self.ends.push(self.labels.len());
        self.ends.len() as u32 - 1
    }

    /// Appends the tables with the offsets that the finished `buffer` has for the labels, or if it keeps text the labels
    /// that stand there.
    ///
    /// # Errors
    /// A label is not bound.
    pub fn place<L: Listing, B: BranchIsa>(
        &self,
        buffer: &CodeBuffer<L, B>,
        out: &mut JumpTables,
    ) -> Result<(), Box<Internal>> {
        let mut start = 0;
        let mut faults = Faults::default();
        for (table, &end) in self.ends.iter().enumerate() {
            out.push(self.labels[start..end].iter().map(|&label| match buffer.label_offset(label) {
                Some(_) if L::ENABLED => buffer.root(label).0,
                Some(offset) => offset,
                None => {
                    faults.note(table, "an entry is at no place in the code");
                    0
                }
            }));
            start = end;
        }
        faults.check(CodegenStep::Layout, |table| format!("jump table {table}"))
    }
}

/// The machine code of functions, one behind another. Emission appends a function.
///
/// Offsets count from the start of each function, numbers of jump tables from its first table; constants
/// are shared by all.
#[derive(Clone, Debug, Default)]
pub struct CompiledCode {
    /// Code bytes.
    pub code: Vec<u8>,
    /// Relocations of the code, by offset.
    pub relocs: Vec<Reloc>,
    /// Constants that the code loads.
    pub constants: ConstantPool,
    /// Jump tables.
    pub tables: JumpTables,
    /// Starts and ends of data between instructions, as offsets in the code.
    pub data: Vec<(u32, u32)>,
    /// What the code is for, if the machine function said it ([`MachFunction::keep_origins`](crate::mach::MachFunction)):
    /// pairs of an offset and an instruction of the IR, each for the code up to the next one. Offsets ascend strictly in
    /// a function; the last pair of a function is the end of what is for any.
    pub origins: Vec<(u32, Option<Inst>)>,
    /// Where the callers' registers are, if that was asked for.
    pub frames: Vec<FrameStep>,
    /// The calls with live values, of each function that has some.
    pub live: Vec<LiveCalls>,
    /// The exceptions of each function that has pads.
    pub exceptions: Vec<ExceptionTable>,
    /// Where calls end the program that lead to a function of another type, as offsets in the code.
    pub type_traps: Vec<u32>,
    /// The labels of functions: numbers and offsets in the code.
    pub labels: Vec<(u32, u32)>,
    /// The labels whose addresses the code takes, of all functions: whose they are, and their numbers there.
    pub taken_labels: Vec<(FuncId, u32)>,
    /// Names of symbols that inline assembly refers to. Their numbers count from the first of the function.
    pub names: Vec<Box<str>>,
    /// What inline assembly has in other sections; so do their numbers.
    pub parts: Vec<SectionPart>,
}

/// How far [`CompiledCode`] reaches: where the next function begins. There is one for each function that waits to be
/// written, so it is small: offsets in code have 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CodeEnd {
    code: u32,
    relocs: u32,
    tables: u32,
    data: u32,
    origins: u32,
    frames: u32,
    live: u32,
    exceptions: u32,
    type_traps: u32,
    labels: u32,
    names: u32,
    parts: u32,
}

/// Of two such numbers, what lies between them.
fn range(start: u32, end: u32) -> Range<usize> {
    start as usize..end as usize
}

/// The machine code of one function.
#[derive(Debug)]
pub struct FunctionCode<'a> {
    /// Code bytes.
    pub code: &'a mut [u8],
    /// Relocations of the code, by offset.
    pub relocs: &'a [Reloc],
    /// Constants that the code loads, and perhaps others.
    pub constants: &'a ConstantPool,
    /// Jump tables.
    pub tables: TableSlice<'a>,
    /// Starts and ends of data between instructions, as offsets in the code.
    pub data: &'a [(u32, u32)],
    /// What the code is for, as in [`CompiledCode::origins`].
    pub origins: &'a [(u32, Option<Inst>)],
    /// Where the caller's registers are, by offset; empty if nothing was asked for.
    pub frames: &'a [FrameStep],
    /// The calls with live values, if the function has some.
    pub live: Option<&'a LiveCalls>,
    /// Its exceptions, if it has pads.
    pub exceptions: Option<&'a ExceptionTable>,
    /// As in [`CompiledCode::type_traps`].
    pub type_traps: &'a [u32],
    /// As in [`CompiledCode::labels`].
    pub labels: &'a [(u32, u32)],
    /// As in [`CompiledCode::taken_labels`].
    pub taken_labels: &'a [(FuncId, u32)],
    /// As in [`CompiledCode::names`].
    pub names: &'a [Box<str>],
    /// As in [`CompiledCode::parts`].
    pub parts: &'a [SectionPart],
}

impl CompiledCode {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.code.clear();
        self.relocs.clear();
        self.constants.clear();
        self.tables.clear();
        self.data.clear();
        self.origins.clear();
        self.frames.clear();
        self.live.clear();
        self.exceptions.clear();
        self.type_traps.clear();
        self.labels.clear();
        self.taken_labels.clear();
        self.names.clear();
        self.parts.clear();
    }

    /// Where the next function begins.
    pub fn end(&self) -> CodeEnd {
        CodeEnd {
            code: self.code.len() as u32,
            relocs: self.relocs.len() as u32,
            tables: self.tables.ends.len() as u32,
            data: self.data.len() as u32,
            origins: self.origins.len() as u32,
            frames: self.frames.len() as u32,
            live: self.live.len() as u32,
            exceptions: self.exceptions.len() as u32,
            type_traps: self.type_traps.len() as u32,
            labels: self.labels.len() as u32,
            names: self.names.len() as u32,
            parts: self.parts.len() as u32,
        }
    }

    /// The function from `start` to `end`.
    pub fn function(&mut self, start: CodeEnd, end: CodeEnd) -> FunctionCode<'_> {
        let JumpTables { targets, ends } = &self.tables;
        FunctionCode {
            code: &mut self.code[range(start.code, end.code)],
            relocs: &self.relocs[range(start.relocs, end.relocs)],
            constants: &self.constants,
            tables: TableSlice {
                targets,
                ends: &ends[range(start.tables, end.tables)],
                base: (start.tables as usize).checked_sub(1).map_or(0, |before| ends[before]),
            },
            data: &self.data[range(start.data, end.data)],
            origins: &self.origins[range(start.origins, end.origins)],
            frames: &self.frames[range(start.frames, end.frames)],
            live: self.live[range(start.live, end.live)].first(),
            exceptions: self.exceptions[range(start.exceptions, end.exceptions)].first(),
            type_traps: &self.type_traps[range(start.type_traps, end.type_traps)],
            labels: &self.labels[range(start.labels, end.labels)],
            taken_labels: &self.taken_labels,
            names: &self.names[range(start.names, end.names)],
            parts: &self.parts[range(start.parts, end.parts)],
        }
    }

    /// Appends a copy of a function: its code as it was emitted, so that the references are still to be put in. A function
    /// that has labels, assembly, pads or calls with live values is what only it can be, and has no copy.
    pub fn append(&mut self, code: &FunctionCode<'_>) {
        debug_assert!(code.labels.is_empty() && code.names.is_empty() && code.parts.is_empty());
        debug_assert!(code.live.is_none() && code.exceptions.is_none());
        self.code.extend_from_slice(code.code);
        for &reloc in code.relocs {
            let symbol = match CodeSymbol::unpack(reloc.symbol) {
                CodeSymbol::Constant(id) => self.copy_constant(id, code.constants).pack(),
                _ => reloc.symbol,
            };
            self.relocs.push(Reloc { symbol, ..reloc });
        }
        code.tables.iter().for_each(|table| self.tables.push(table.iter().copied()));
        self.data.extend_from_slice(code.data);
        self.origins.extend_from_slice(code.origins);
        self.frames.extend_from_slice(code.frames);
        self.type_traps.extend_from_slice(code.type_traps);
    }

    /// A constant of another pool in this one.
    fn copy_constant(&mut self, id: ConstantId, pool: &ConstantPool) -> CodeSymbol {
        // A reference to a constant that is not there stays one.
        let copy = pool.get(id).map(|bits| self.constants.intern(id.size, bits));
        CodeSymbol::Constant(copy.unwrap_or(ConstantId { index: INDEX_MASK >> 2, ..id }))
    }

    /// Memory that the code and its relocations take, in bytes.
    pub fn bytes(&self) -> usize {
        self.code.len()
            + size_of_val(&*self.relocs)
            + size_of_val(&*self.tables.targets)
            + size_of_val(&*self.data)
            + size_of_val(&*self.origins)
            + size_of_val(&*self.frames)
            + size_of_val(&*self.type_traps)
            + self.parts.iter().map(|part| part.bytes.len() + size_of_val(&*part.relocs)).sum::<usize>()
            + self.live.iter().map(LiveCalls::bytes).sum::<usize>()
            + self.exceptions.iter().map(ExceptionTable::bytes).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn symbols_survive_packing() {
        let constant = |size, index| CodeSymbol::Constant(ConstantId { size, index });
        for symbol in [
            CodeSymbol::Function(FuncId::from_u32(70_000)),
            CodeSymbol::Global(GlobalId::from_u32(0)),
            CodeSymbol::Libcall(Libcall::ReadTp),
            constant(ConstantSize::C4, 0),
            constant(ConstantSize::C8, 9),
            constant(ConstantSize::C16, 1 << 20),
            CodeSymbol::JumpTable(3),
            CodeSymbol::Start,
            CodeSymbol::Label(9),
            CodeSymbol::Named(5),
            CodeSymbol::Part(1),
        ] {
            assert_eq!(CodeSymbol::unpack(symbol.pack()), symbol);
        }
        for (i, &l) in Libcall::ALL.iter().enumerate() {
            assert_eq!(Libcall::from_name(l.name().as_bytes()), Some(l));
            assert_eq!(l as usize, i);
        }
    }

    #[test]
    fn a_table_whose_label_is_nowhere_is_an_error() {
        let mut buffer = CodeBuffer::<(), ice_asm::x86::Branches>::new();
        let [bound, other] = [0; 2].map(|_| buffer.new_label());
        buffer.bind(bound);
        buffer.finish().expect("no branch waits");
        let (mut tables, mut out) = (TableLabels::default(), JumpTables::default());
        tables.push([bound]);
        assert_eq!(tables.place(&buffer, &mut out), Ok(()));
        tables.push([bound, other]);
        assert_eq!(
            tables.place(&buffer, &mut out).map_err(|internal| internal.to_string()),
            Err("internal error in layout, jump table 1: an entry is at no place in the code".into())
        );
    }

    #[test]
    fn functions_lie_one_behind_another() {
        let mut code = CompiledCode::default();
        let mut ends = Vec::from([code.end()]);
        for (bytes, tables) in [(&[1, 2][..], &[&[7, 8][..], &[9]][..]), (&[], &[]), (&[3], &[&[4, 5]])] {
            code.code.extend_from_slice(bytes);
            tables.iter().for_each(|table| code.tables.push(table.iter().copied()));
            ends.push(code.end());
        }
        let first = code.function(ends[0], ends[1]);
        assert_eq!((&*first.code, first.tables.len(), first.tables.start(1)), (&[1, 2][..], 2, 2));
        assert_eq!(first.tables.iter().collect::<Vec<_>>(), [&[7, 8][..], &[9]]);
        let second = code.function(ends[1], ends[2]);
        assert!(second.code.is_empty() && second.tables.is_empty());
        let third = code.function(ends[2], ends[3]);
        assert_eq!((&*third.code, third.tables.start(0)), (&[3][..], 0));
        assert_eq!(third.tables.iter().collect::<Vec<_>>(), [&[4, 5]]);
    }
}
