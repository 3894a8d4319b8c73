//! x86-32 with SSE2 and x86-64.
//!
//! Sources: the System V ABI of x86-64 (3.2.3, 4.4) and of i386 (2.2.3, 4.3), and for the number of result registers
//! the conventions that LLVM has for its own code.

#[cfg(feature = "text")]
use super::Assembly;
use super::{Arch, Bundles, Machine, features_of_code};
#[cfg(feature = "cli")]
use super::{Tools, runtime_source};
#[cfg(feature = "x86")]
use crate::error::Error;
use crate::options::RelocationModel;
use crate::relocations::TableEntries;
use crate::unwind::UnwindForm;
use ice_asm::RelocKind;
use ice_asm::x86::Mode;
#[cfg(feature = "assembly")]
use ice_asm::{
    Assembled, AssemblyError, TextPlace,
    x86::{Syntax, assemble},
};
#[cfg(feature = "llvm")]
use ice_bitcode::llvm::{
    BlockAddresses, BranchTracking, ControlWord, DoublePacks, FloatRegisters, FloatWidth, JumpTexts,
    MachineDescription, QuadPassing, ResultRegisters, Rounding, ThreadGuard,
};
use ice_elf::EntryFrame;
#[cfg(feature = "llvm")]
use ice_ir::{CallingConvention, CastOp, Passing, Segment};
use ice_ir::{Hardening, Type};
use object::elf;
use target_lexicon::Architecture;
#[cfg(feature = "x86")]
use {
    ice_codegen::{BackEnd, Confinement, NativeModel},
    ice_ir::Module,
};

/// The machine in one of its modes.
pub struct X86(Mode);

/// x86-32.
pub static I686: X86 = X86(Mode::Bits32);
/// x86-64.
pub static X86_64: X86 = X86(Mode::Bits64);

/// The control words of the x87 unit and of SSE (Intel SDM, volume 1, 8.1.5 and 10.2.3).
#[cfg(feature = "llvm")]
const ROUNDING: Rounding = Rounding {
    words: &[
        ControlWord {
            ty: Type::I16,
            save: ["fnstcw $0", "=*m,~{memory}"],
            restore: ["fldcw $0", "*m,~{memory}"],
            shift: 10,
        },
        ControlWord {
            ty: Type::I32,
            save: ["stmxcsr $0", "=*m,~{memory}"],
            restore: ["ldmxcsr $0", "*m,~{memory}"],
            shift: 13,
        },
    ],
    directions: [1, 3, 2, 0],
};

#[cfg(feature = "llvm")]
const WIDE: MachineDescription = MachineDescription {
    block_addresses: BlockAddresses::Code,
    // xmm0, xmm1, st0, st1 for floats; rax, rdx, rcx.
    result_registers: Some(ResultRegisters {
        general: 3,
        float: FloatRegisters::Separate { floats: 4, vectors: 4 },
    }),
    // Two counts and two addresses.
    va_list_words: 3,
    // Of six, two are for the pair.
    most_before_pair: Some(4),
    extended_params: &[Type::I64],
    extended_passing: Passing::ByVal { size: 16, align_log2: 4 },
    quad: QuadPassing::Vector,
    conventions: &[
        (14, CallingConvention::PreserveMost),
        (15, CallingConvention::PreserveAll),
        (21, CallingConvention::PreserveNone),
        (79, CallingConvention::Win64),
    ],
    has_wide_functions: true,
    jumps: Some(JumpTexts {
        set: [
            "call 1f; movl $$1, %eax; jmp 2f; 1: popq %rcx; movq %rcx, 8(%rdx); xorl %eax, %eax; 2:",
            "={eax},={rdx},1,~{rbx},~{rcx},~{rsi},~{rdi},~{r8},~{r9},~{r10},~{r11},~{r12},~{r13},~{r14},~{r15},~{xmm0},~{xmm1},~{xmm2},~{xmm3},~{xmm4},~{xmm5},~{xmm6},~{xmm7},~{xmm8},~{xmm9},~{xmm10},~{xmm11},~{xmm12},~{xmm13},~{xmm14},~{xmm15},~{memory}",
        ],
        jump: [
            "movq (%rdx), %rbp; movq 8(%rdx), %rcx; movq 16(%rdx), %rsp; jmp *%rcx",
            "{rdx},~{rcx},~{memory}",
        ],
        landing: ["call 1f; ", "call 1f; endbr64; "],
    }),
    thread_guard: Some(ThreadGuard { segment: Segment::Fs, offset: 0x28 }),
    ..NARROW
};

/// Sums and differences that stop at the ends of the range, averages; absolute values with AVX2 (SDM volume 2,
/// `PADDS`, `PADDUS`, `PSUBS`, `PSUBUS`, `PAVG`, `PABS`).
#[cfg(feature = "llvm")]
const VECTOR_INSTRUCTIONS: &[(&str, Type, [&str; 2])] = &[
    ("sadd.sat", Type::V16I8, ["paddsb $2, $0", "=x,0,x"]),
    ("sadd.sat", Type::V8I16, ["paddsw $2, $0", "=x,0,x"]),
    ("uadd.sat", Type::V16I8, ["paddusb $2, $0", "=x,0,x"]),
    ("uadd.sat", Type::V8I16, ["paddusw $2, $0", "=x,0,x"]),
    ("ssub.sat", Type::V16I8, ["psubsb $2, $0", "=x,0,x"]),
    ("ssub.sat", Type::V8I16, ["psubsw $2, $0", "=x,0,x"]),
    ("usub.sat", Type::V16I8, ["psubusb $2, $0", "=x,0,x"]),
    ("usub.sat", Type::V8I16, ["psubusw $2, $0", "=x,0,x"]),
    ("avgceilu", Type::V16I8, ["pavgb $2, $0", "=x,0,x"]),
    ("avgceilu", Type::V8I16, ["pavgw $2, $0", "=x,0,x"]),
    ("abs", Type::V32I8, ["pabsb $1, $0", "=x,x"]),
    ("abs", Type::V16I16, ["pabsw $1, $0", "=x,x"]),
    ("abs", Type::V8I32, ["pabsd $1, $0", "=x,x"]),
];

/// Conversions of two lanes (SDM volume 2).
#[cfg(feature = "llvm")]
const FLOAT_WIDTHS: &[FloatWidth] = &[
    FloatWidth::new(CastOp::Sitofp, Type::V4I32, Type::V2F64, &[["cvtdq2pd $1, $0", "=x,x"]]),
    FloatWidth::new(CastOp::Fptosi, Type::V2F64, Type::V4I32, &[["cvttpd2dq $1, $0", "=x,x"]]),
    FloatWidth::new(CastOp::Fptrunc, Type::V2F64, Type::V4F32, &[["cvtpd2ps $1, $0", "=x,x"]]),
    FloatWidth::new(CastOp::Fpext, Type::V4F32, Type::V2F64, &[["cvtps2pd $1, $0", "=x,x"]]),
];

/// Words with sign as bytes without.
#[cfg(feature = "llvm")]
const PACKED_BYTES: [&str; 2] = ["packuswb $2, $0", "=x,0,x"];

#[cfg(feature = "llvm")]
const NARROW: MachineDescription = MachineDescription {
    block_addresses: BlockAddresses::Code,
    has_two_lanes: true,
    shuffles_lanes: true,
    // As LLVM does it (X86ISelLowering.cpp, getTypeForExtReturn): the ABI asks for no extension.
    returns_narrow: true,
    half_argument: Type::F32,
    half_result: Type::V8I16,
    half_vectors: Some(Type::V8I16),
    // st0, st1; eax, edx, ecx.
    result_registers: Some(ResultRegisters {
        general: 3,
        float: FloatRegisters::Separate { floats: 2, vectors: 4 },
    }),
    conventions: &[
        (8, CallingConvention::Fast),
        (64, CallingConvention::Stdcall),
        (65, CallingConvention::Fastcall),
        (70, CallingConvention::Thiscall),
    ],
    has_wide_registers: true,
    argument_align_log2: 12,
    has_assembler: true,
    vector_instructions: VECTOR_INSTRUCTIONS,
    upper_products: Some([["pmulhuw $2, $0", "=x,0,x"], ["pmulhw $2, $0", "=x,0,x"]]),
    packs: Some([["packssdw $2, $0", "=x,0,x"], ["packsswb $2, $0", "=x,0,x"], PACKED_BYTES]),
    double_packs: Some(DoublePacks {
        words: ["packusdw $2, $0", "=x,0,x"],
        bytes: PACKED_BYTES,
        doublewords: ["shufps $$136, $2, $0", "=x,0,x"],
        in_order: ["permq $$216, $1, $0", "=x,x"],
    }),
    float_widths: FLOAT_WIDTHS,
    usual_features: &[],
    has_indirect_functions: true,
    jumps: Some(JumpTexts {
        set: [
            "call 1f; movl $$1, %eax; jmp 2f; 1: popl %ecx; movl %ecx, 4(%edx); xorl %eax, %eax; 2:",
            "={eax},={edx},1,~{ebx},~{ecx},~{esi},~{edi},~{xmm0},~{xmm1},~{xmm2},~{xmm3},~{xmm4},~{xmm5},~{xmm6},~{xmm7},~{memory}",
        ],
        jump: [
            "movl (%edx), %ebp; movl 4(%edx), %ecx; movl 8(%edx), %esp; jmp *%ecx",
            "{edx},~{ecx},~{memory}",
        ],
        landing: ["call 1f; ", "call 1f; endbr32; "],
    }),
    rounding: Some(ROUNDING),
    stack_pointer: &["rsp", "esp"],
    cycle_counter: Some(["rdtsc", "={eax},={edx}"]),
    // In memory always.
    most_before_pair: Some(0),
    may_round: true,
    branch_tracking: Some(BranchTracking::ControlFlow),
    thread_guard: Some(ThreadGuard { segment: Segment::Gs, offset: 0x14 }),
    extended_params: &[Type::I64, Type::I32],
    // GCC's and, since LLVM 20, clang's.
    quad: QuadPassing::Memory,
    // Also of thiscall.
    extended_passing: Passing::OnStack,
    ..MachineDescription::PORTABLE
};

/// The relocation types of x86-32 and of x86-64 for a kind.
#[rustfmt::skip]
const fn relocation_types(kind: RelocKind) -> (Option<u32>, Option<u32>) {
    match kind {
        RelocKind::Abs32          => (Some(elf::R_386_32),         Some(elf::R_X86_64_32)),
        RelocKind::Abs32S         => (Some(elf::R_386_32),         Some(elf::R_X86_64_32S)),
        RelocKind::Abs64          => (None,                        Some(elf::R_X86_64_64)),
        RelocKind::PcRel32        => (Some(elf::R_386_PC32),       Some(elf::R_X86_64_PC32)),
        RelocKind::PcRel64        => (None,                        Some(elf::R_X86_64_PC64)),
        RelocKind::GotPcRelAny32  => (None,                        Some(elf::R_X86_64_GOTPCREL)),
        RelocKind::Plt32          => (Some(elf::R_386_PLT32),      Some(elf::R_X86_64_PLT32)),
        // Loads of addresses only, of which the linker may make a plain `lea`.
        RelocKind::GotPcRel32     => (None,                        Some(elf::R_X86_64_REX_GOTPCRELX)),
        RelocKind::Got32          => (Some(elf::R_386_GOT32X),     None),
        RelocKind::GotOff32       => (Some(elf::R_386_GOTOFF),     None),
        RelocKind::GotPc32        => (Some(elf::R_386_GOTPC),      Some(elf::R_X86_64_GOTPC32)),
        RelocKind::TpOff32        => (Some(elf::R_386_TLS_LE),     Some(elf::R_X86_64_TPOFF32)),
        RelocKind::GotTpOff32     => (Some(elf::R_386_TLS_IE),     Some(elf::R_X86_64_GOTTPOFF)),
        RelocKind::GotTpOffBase32 => (Some(elf::R_386_TLS_GOTIE),  None),
        RelocKind::TlsGd32        => (Some(elf::R_386_TLS_GD),     Some(elf::R_X86_64_TLSGD)),
        _                         => (None,                        None),
    }
}

impl Machine for X86 {
    fn arch(&self) -> Arch {
        match self.0 {
            Mode::Bits32 => Arch::X86_32,
            Mode::Bits64 => Arch::X86_64,
        }
    }

    #[cfg(feature = "assembly")]
    fn assemble(&self, text: &str) -> Result<Assembled, AssemblyError> {
        assemble(self.0, text, Syntax::Att, TextPlace::Module)
    }

    fn name(&self) -> &'static str {
        match self.0 {
            Mode::Bits32 => "i686",
            Mode::Bits64 => "x86_64",
        }
    }

    fn is_named(&self, architecture: Architecture) -> bool {
        match architecture {
            Architecture::X86_32(_) => self.0 == Mode::Bits32,
            Architecture::X86_64 | Architecture::X86_64h => self.0 == Mode::Bits64,
            _ => false,
        }
    }

    fn address_type(&self) -> Type {
        match self.0 {
            Mode::Bits32 => Type::I32,
            Mode::Bits64 => Type::I64,
        }
    }

    #[cfg(feature = "llvm")]
    fn legalization(&self, _: super::Features) -> &'static MachineDescription {
        match self.0 {
            Mode::Bits32 => &NARROW,
            Mode::Bits64 => &WIDE,
        }
    }

    fn format(&self, _: RelocationModel) -> ice_elf::Format {
        match self.0 {
            Mode::Bits32 => ice_elf::Format::X86_32,
            Mode::Bits64 => ice_elf::Format::X86_64,
        }
    }

    /// System V ABI: i386, table 2.14; x86-64, figure 3.36.
    fn unwind_form(&self) -> Option<UnwindForm> {
        Some(UnwindForm::Frames(match self.0 {
            Mode::Bits32 => EntryFrame { word: 4, stack_pointer: 4, return_address: 8, pushed: 4 },
            Mode::Bits64 => EntryFrame { word: 8, stack_pointer: 7, return_address: 16, pushed: 8 },
        }))
    }

    fn relocation_type(&self, kind: RelocKind) -> Option<u32> {
        let (narrow, wide) = relocation_types(kind);
        match self.0 {
            Mode::Bits32 => narrow,
            Mode::Bits64 => wide,
        }
    }

    /// `GNU_PROPERTY_X86_FEATURE_1_AND` (x86-64 psABI, 12.1.1).
    fn property_note(&self, hardening: &Hardening) -> Vec<u8> {
        let features = u32::from(hardening.tracks_branches) | u32::from(hardening.has_shadow_stack) << 1;
        features_of_code(0xc000_0002, features, self.address_type().bytes())
    }

    /// On x86-64 the word is that of a `movl` to eax behind nops, so that disassemblers do not lose their way (as LLVM has it).
    fn type_prefix(&self, word: u32, alignment: u64) -> Vec<u8> {
        const NOP: u8 = 0x90;
        const MOV_EAX: u8 = 0xb8;
        let mut prefix = vec![NOP; alignment as usize - 4];
        if let (Mode::Bits64, Some(last)) = (self.0, prefix.last_mut()) {
            *last = MOV_EAX;
        }
        prefix.extend(word.to_le_bytes());
        prefix
    }

    fn bundles(&self) -> Option<Bundles> {
        Some(Bundles { bytes: 32, halt: [0xf4; 4], halt_text: "0xf4" })
    }

    #[cfg(feature = "x86")]
    fn confined_helper(&self, helper: ice_codegen::Libcall) -> Option<Vec<u8>> {
        ice_target_x86::confined_helper(self.0, helper)
    }

    fn table_entries(&self, relocation: RelocationModel) -> TableEntries {
        match (self.0, relocation) {
            (Mode::Bits64, RelocationModel::PositionIndependent) => TableEntries::FromTable,
            (Mode::Bits32, RelocationModel::PositionIndependent) => TableEntries::FromGlobalBase,
            // The tables of native code, not those of PNaCl programs.
            (Mode::Bits64, RelocationModel::Static) => TableEntries::WideAbsolute,
            (Mode::Bits32, RelocationModel::Static) => TableEntries::Absolute,
        }
    }

    #[cfg(feature = "text")]
    fn assembly(&self, _: super::Features, _: RelocationModel) -> Assembly {
        Assembly {
            head: String::new(),
            align: ".p2align",
            fill: "0xcc",
            personality: super::PERSONALITY_BY_DISTANCE,
        }
    }

    #[cfg(feature = "cli")]
    fn tools(&self, _: super::Features, host: Option<Arch>) -> Tools {
        match self.0 {
            Mode::Bits32 => Tools {
                compilers: match host {
                    Some(Arch::X86_64) => &["i686-linux-gnu-gcc", "gcc -m32", "cc -m32"],
                    _ => &["i686-linux-gnu-gcc"],
                },
                compiler_options: &[],
                runtime_name: "i386",
                runtime_source: runtime_source!("i386.S"),
                emulator: "qemu-i386",
                loader_options: &[],
            },
            Mode::Bits64 => Tools {
                compilers: &["x86_64-linux-gnu-gcc"],
                compiler_options: &[],
                runtime_name: "x86_64",
                runtime_source: runtime_source!("x86_64.S"),
                emulator: "qemu-x86_64",
                loader_options: &[],
            },
        }
    }

    #[cfg(feature = "cli")]
    fn is_native_on(&self, host: Arch) -> bool {
        host == Arch::X86_64 || host == self.arch()
    }

    fn is_built_in(&self) -> bool {
        cfg!(feature = "x86")
    }

    #[cfg(feature = "x86")]
    fn back_end(
        &self,
        module: &Module,
        native: NativeModel,
        _: super::Features,
        confinement: Confinement,
    ) -> Result<Box<dyn BackEnd>, Error> {
        let target = ice_target_x86::X86::new(self.0, module, native).map_err(super::foreign(self.arch()))?;
        Ok(Box::new(target.confined(confinement)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::legalization_of_triple;

    #[test]
    fn triples_name_descriptions() {
        for (triple, expected) in
            [("x86_64-pc-linux-gnu", WIDE), ("x86_64-pc-windows-msvc", WIDE), ("i686-linux-gnu", NARROW)]
        {
            assert_eq!(*legalization_of_triple(triple), expected, "{triple}");
        }
    }
}
