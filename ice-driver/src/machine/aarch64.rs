//! AArch64: ARMv8.0-A, little-endian, with floating point and Advanced SIMD.
//!
//! Sources: the procedure call standard (AAPCS64, 2023Q3) and ELF for the Arm 64-bit Architecture (AAELF64, 2023Q3); for the
//! number of result registers the conventions that LLVM has for its own code. PNaCl programs have addresses of 32 bits: all
//! of their memory, code among it, is below 4 GiB.

#[cfg(feature = "text")]
use super::Assembly;
use super::{Arch, Machine, MappingSymbols, features_of_code};
#[cfg(feature = "cli")]
use super::{Tools, runtime_source};
#[cfg(feature = "aarch64")]
use crate::error::Error;
use crate::options::RelocationModel;
use crate::relocations::TableEntries;
use crate::unwind::UnwindForm;
use ice_asm::RelocKind;
#[cfg(feature = "assembly")]
use ice_asm::{Assembled, AssemblyError, TextPlace};
#[cfg(feature = "llvm")]
use ice_bitcode::llvm::{
    BlockAddresses, BranchTracking, ControlWord, FloatRegisters, FloatWidth, Groups, LongOperations,
    MachineDescription, QuadPassing, ResultRegisters, Rounding, Turns, VariableRegisters,
};
use ice_elf::EntryFrame;
#[cfg(feature = "llvm")]
use ice_ir::CastOp;
use ice_ir::{Hardening, Type};
use object::elf;
use target_lexicon::Architecture;
#[cfg(feature = "aarch64")]
use {
    ice_codegen::{BackEnd, Confinement, NativeModel},
    ice_ir::Module,
};

/// The machine.
pub struct Aarch64;

/// Lanes by turns in memory (DDI 0487, C7.2). The registers follow each other; neither arguments nor what calls preserve is in
/// them.
#[cfg(feature = "llvm")]
const TURNS: Turns = Turns {
    load: [
        ["ld2 {v16.%, v17.%}, [$2]", "={v16},={v17},r,~{memory}"],
        ["ld3 {v16.%, v17.%, v18.%}, [$3]", "={v16},={v17},={v18},r,~{memory}"],
        ["ld4 {v16.%, v17.%, v18.%, v19.%}, [$4]", "={v16},={v17},={v18},={v19},r,~{memory}"],
    ],
    store: [
        ["st2 {v16.%, v17.%}, [$2]", "{v16},{v17},r,~{memory}"],
        ["st3 {v16.%, v17.%, v18.%}, [$3]", "{v16},{v17},{v18},r,~{memory}"],
        ["st4 {v16.%, v17.%, v18.%, v19.%}, [$4]", "{v16},{v17},{v18},{v19},r,~{memory}"],
    ],
    lanes: ["16b", "8h", "4s", "2d"],
};

/// Conversions of two lanes (DDI 0487, C7.2).
#[cfg(feature = "llvm")]
const FLOAT_WIDTHS: &[FloatWidth] = &[
    FloatWidth::new(
        CastOp::Sitofp,
        Type::V4I32,
        Type::V2F64,
        &[["sxtl $0.2d, $1.2s", "=w,w"], ["scvtf $0.2d, $1.2d", "=w,w"]],
    ),
    FloatWidth::new(
        CastOp::Uitofp,
        Type::V4I32,
        Type::V2F64,
        &[["uxtl $0.2d, $1.2s", "=w,w"], ["ucvtf $0.2d, $1.2d", "=w,w"]],
    ),
    FloatWidth::new(
        CastOp::Fptosi,
        Type::V2F64,
        Type::V4I32,
        &[["fcvtzs $0.2d, $1.2d", "=w,w"], ["xtn $0.2s, $1.2d", "=w,w"]],
    ),
    FloatWidth::new(
        CastOp::Fptoui,
        Type::V2F64,
        Type::V4I32,
        &[["fcvtzu $0.2d, $1.2d", "=w,w"], ["xtn $0.2s, $1.2d", "=w,w"]],
    ),
    FloatWidth::new(CastOp::Fptrunc, Type::V2F64, Type::V4F32, &[["fcvtn $0.2s, $1.2d", "=w,w"]]),
    FloatWidth::new(CastOp::Fpext, Type::V4F32, Type::V2F64, &[["fcvtl $0.2d, $1.2s", "=w,w"]]),
];

/// Sums and differences that stop at the ends of the range, averages, distances, the lesser and the greater of two, absolute values,
/// zeros in front, and all lanes in the first (DDI 0487, C7.2).
#[cfg(feature = "llvm")]
const VECTOR_INSTRUCTIONS: &[(&str, Type, [&str; 2])] = &[
    ("sadd.sat", Type::V16I8, ["sqadd $0.16b, $1.16b, $2.16b", "=w,w,w"]),
    ("sadd.sat", Type::V8I16, ["sqadd $0.8h, $1.8h, $2.8h", "=w,w,w"]),
    ("sadd.sat", Type::V4I32, ["sqadd $0.4s, $1.4s, $2.4s", "=w,w,w"]),
    ("sadd.sat", Type::V2I64, ["sqadd $0.2d, $1.2d, $2.2d", "=w,w,w"]),
    ("uadd.sat", Type::V16I8, ["uqadd $0.16b, $1.16b, $2.16b", "=w,w,w"]),
    ("uadd.sat", Type::V8I16, ["uqadd $0.8h, $1.8h, $2.8h", "=w,w,w"]),
    ("uadd.sat", Type::V4I32, ["uqadd $0.4s, $1.4s, $2.4s", "=w,w,w"]),
    ("uadd.sat", Type::V2I64, ["uqadd $0.2d, $1.2d, $2.2d", "=w,w,w"]),
    ("ssub.sat", Type::V16I8, ["sqsub $0.16b, $1.16b, $2.16b", "=w,w,w"]),
    ("ssub.sat", Type::V8I16, ["sqsub $0.8h, $1.8h, $2.8h", "=w,w,w"]),
    ("ssub.sat", Type::V4I32, ["sqsub $0.4s, $1.4s, $2.4s", "=w,w,w"]),
    ("ssub.sat", Type::V2I64, ["sqsub $0.2d, $1.2d, $2.2d", "=w,w,w"]),
    ("usub.sat", Type::V16I8, ["uqsub $0.16b, $1.16b, $2.16b", "=w,w,w"]),
    ("usub.sat", Type::V8I16, ["uqsub $0.8h, $1.8h, $2.8h", "=w,w,w"]),
    ("usub.sat", Type::V4I32, ["uqsub $0.4s, $1.4s, $2.4s", "=w,w,w"]),
    ("usub.sat", Type::V2I64, ["uqsub $0.2d, $1.2d, $2.2d", "=w,w,w"]),
    ("avgceilu", Type::V16I8, ["urhadd $0.16b, $1.16b, $2.16b", "=w,w,w"]),
    ("avgceilu", Type::V8I16, ["urhadd $0.8h, $1.8h, $2.8h", "=w,w,w"]),
    ("avgceils", Type::V16I8, ["srhadd $0.16b, $1.16b, $2.16b", "=w,w,w"]),
    ("avgceils", Type::V8I16, ["srhadd $0.8h, $1.8h, $2.8h", "=w,w,w"]),
    ("avgflooru", Type::V16I8, ["uhadd $0.16b, $1.16b, $2.16b", "=w,w,w"]),
    ("avgflooru", Type::V8I16, ["uhadd $0.8h, $1.8h, $2.8h", "=w,w,w"]),
    ("avgfloors", Type::V16I8, ["shadd $0.16b, $1.16b, $2.16b", "=w,w,w"]),
    ("avgfloors", Type::V8I16, ["shadd $0.8h, $1.8h, $2.8h", "=w,w,w"]),
    ("abdu", Type::V16I8, ["uabd $0.16b, $1.16b, $2.16b", "=w,w,w"]),
    ("abdu", Type::V8I16, ["uabd $0.8h, $1.8h, $2.8h", "=w,w,w"]),
    ("abds", Type::V16I8, ["sabd $0.16b, $1.16b, $2.16b", "=w,w,w"]),
    ("abds", Type::V8I16, ["sabd $0.8h, $1.8h, $2.8h", "=w,w,w"]),
    ("smin", Type::V16I8, ["smin $0.16b, $1.16b, $2.16b", "=w,w,w"]),
    ("smin", Type::V8I16, ["smin $0.8h, $1.8h, $2.8h", "=w,w,w"]),
    ("smin", Type::V4I32, ["smin $0.4s, $1.4s, $2.4s", "=w,w,w"]),
    ("smax", Type::V16I8, ["smax $0.16b, $1.16b, $2.16b", "=w,w,w"]),
    ("smax", Type::V8I16, ["smax $0.8h, $1.8h, $2.8h", "=w,w,w"]),
    ("smax", Type::V4I32, ["smax $0.4s, $1.4s, $2.4s", "=w,w,w"]),
    ("umin", Type::V16I8, ["umin $0.16b, $1.16b, $2.16b", "=w,w,w"]),
    ("umin", Type::V8I16, ["umin $0.8h, $1.8h, $2.8h", "=w,w,w"]),
    ("umin", Type::V4I32, ["umin $0.4s, $1.4s, $2.4s", "=w,w,w"]),
    ("umax", Type::V16I8, ["umax $0.16b, $1.16b, $2.16b", "=w,w,w"]),
    ("umax", Type::V8I16, ["umax $0.8h, $1.8h, $2.8h", "=w,w,w"]),
    ("umax", Type::V4I32, ["umax $0.4s, $1.4s, $2.4s", "=w,w,w"]),
    ("abs", Type::V16I8, ["abs $0.16b, $1.16b", "=w,w"]),
    ("abs", Type::V8I16, ["abs $0.8h, $1.8h", "=w,w"]),
    ("abs", Type::V4I32, ["abs $0.4s, $1.4s", "=w,w"]),
    ("ctlz", Type::V16I8, ["clz $0.16b, $1.16b", "=w,w"]),
    ("ctlz", Type::V8I16, ["clz $0.8h, $1.8h", "=w,w"]),
    ("ctlz", Type::V4I32, ["clz $0.4s, $1.4s", "=w,w"]),
    ("vector.reduce.add", Type::V16I8, ["addv ${0:b}, $1.16b", "=w,w"]),
    ("vector.reduce.add", Type::V8I16, ["addv ${0:h}, $1.8h", "=w,w"]),
    ("vector.reduce.add", Type::V4I32, ["addv ${0:s}, $1.4s", "=w,w"]),
    ("vector.reduce.smin", Type::V16I8, ["sminv ${0:b}, $1.16b", "=w,w"]),
    ("vector.reduce.smin", Type::V8I16, ["sminv ${0:h}, $1.8h", "=w,w"]),
    ("vector.reduce.smin", Type::V4I32, ["sminv ${0:s}, $1.4s", "=w,w"]),
    ("vector.reduce.smax", Type::V16I8, ["smaxv ${0:b}, $1.16b", "=w,w"]),
    ("vector.reduce.smax", Type::V8I16, ["smaxv ${0:h}, $1.8h", "=w,w"]),
    ("vector.reduce.smax", Type::V4I32, ["smaxv ${0:s}, $1.4s", "=w,w"]),
    ("vector.reduce.umin", Type::V16I8, ["uminv ${0:b}, $1.16b", "=w,w"]),
    ("vector.reduce.umin", Type::V8I16, ["uminv ${0:h}, $1.8h", "=w,w"]),
    ("vector.reduce.umin", Type::V4I32, ["uminv ${0:s}, $1.4s", "=w,w"]),
    ("vector.reduce.umax", Type::V16I8, ["umaxv ${0:b}, $1.16b", "=w,w"]),
    ("vector.reduce.umax", Type::V8I16, ["umaxv ${0:h}, $1.8h", "=w,w"]),
    ("vector.reduce.umax", Type::V4I32, ["umaxv ${0:s}, $1.4s", "=w,w"]),
];

/// The machine as legalisation sees it (AAPCS64, 6.8, 6.9 and 10.1). Each member of a result of floats or vectors has a
/// register.
#[cfg(feature = "llvm")]
const DESCRIPTION: MachineDescription = MachineDescription {
    has_two_lanes: true,
    shuffles_lanes: true,
    has_doubleword_vectors: true,
    has_single_lanes: true,
    half_argument: Type::F32,
    half_result: Type::F32,
    half_vectors: Some(Type::V8I16),
    joined_floats: 4,
    joined_doubles: 2,
    has_lanes_apart: true,
    result_registers: Some(ResultRegisters {
        general: 8,
        float: FloatRegisters::Separate { floats: 8, vectors: 8 },
    }),
    groups: Groups::Arrays,
    block_addresses: BlockAddresses::Code,
    has_indirect_functions: true,
    clears_cache: true,
    has_assembler: true,
    vector_instructions: VECTOR_INSTRUCTIONS,
    // DDI 0487, C7.2: `SSHLL`, `SADDL`, `SSUBL`, `SMULL`, `SABDL`, `SMLAL`, `SABAL`, `SMLSL`, `SADDW`, `SSUBW`, and those with `U`.
    long_operations: Some(LongOperations {
        extension: "{sign}shll{upper} $0.{wide}, $1.{half}, #0",
        sum: "{sign}addl{upper} $0.{wide}, $1.{half}, $2.{half}",
        difference: "{sign}subl{upper} $0.{wide}, $1.{half}, $2.{half}",
        product: "{sign}mull{upper} $0.{wide}, $1.{half}, $2.{half}",
        distance: "{sign}abdl{upper} $0.{wide}, $1.{half}, $2.{half}",
        sum_with_product: "{sign}mlal{upper} $0.{wide}, $2.{half}, $3.{half}",
        sum_with_distance: "{sign}abal{upper} $0.{wide}, $2.{half}, $3.{half}",
        difference_with_product: "{sign}mlsl{upper} $0.{wide}, $2.{half}, $3.{half}",
        sum_with: "{sign}addw{upper} $0.{wide}, $1.{wide}, $2.{half}",
        difference_with: "{sign}subw{upper} $0.{wide}, $1.{wide}, $2.{half}",
    }),
    byte_bits: Some(["cnt $0.16b, $1.16b", "=w,w"]),
    float_widths: FLOAT_WIDTHS,
    turns: Some(TURNS),
    // FPCR (DDI 0487, C5.2.8): RMode has the directions to the nearest, up, down, and towards zero.
    rounding: Some(Rounding {
        words: &[ControlWord {
            ty: Type::I64,
            save: ["mrs x16, fpcr; str x16, $0", "=*m,~{x16},~{memory}"],
            restore: ["ldr x16, $0; msr fpcr, x16", "*m,~{x16},~{memory}"],
            shift: 22,
        }],
        directions: [1, 2, 3, 0],
    }),
    // That of cycles itself (PMCCNTR_EL0) programs cannot read, unless the system lets them.
    stack_pointer: &["sp"],
    cycle_counter: Some(["mrs $0, cntvct_el0; lsr $1, $0, #32", "=&r,=r"]),
    // Three addresses and two offsets of 32 bits.
    va_list_words: 4,
    // Of eight, two are for the pair.
    most_before_pair: Some(6),
    has_even_pairs: true,
    variable_registers: Some(VariableRegisters { general: 8, vectors: 8 }),
    quad: QuadPassing::Vector,
    // It is `long double`.
    quad_suffix: "l",
    has_wide_functions: true,
    fuses_products: true,
    usual_features: &["branch-target-enforcement", "guarded-control-stack", "sign-return-address"],
    branch_tracking: Some(BranchTracking::Targets),
    has_float_choices: true,
    reverses_bits: true,
    ..MachineDescription::PORTABLE
};

/// The types of AAELF64, 5.7.
#[rustfmt::skip]
const fn relocation_type(kind: RelocKind) -> Option<u32> {
    Some(match kind {
        RelocKind::Abs32                  => elf::R_AARCH64_ABS32,
        RelocKind::Abs64                  => elf::R_AARCH64_ABS64,
        RelocKind::PcRel32                => elf::R_AARCH64_PREL32,
        RelocKind::PcRel64                => elf::R_AARCH64_PREL64,
        RelocKind::Aarch64Page21          => elf::R_AARCH64_ADR_PREL_PG_HI21,
        RelocKind::Aarch64AddLo12         => elf::R_AARCH64_ADD_ABS_LO12_NC,
        RelocKind::Aarch64Load8Lo12       => elf::R_AARCH64_LDST8_ABS_LO12_NC,
        RelocKind::Aarch64Load16Lo12      => elf::R_AARCH64_LDST16_ABS_LO12_NC,
        RelocKind::Aarch64Load32Lo12      => elf::R_AARCH64_LDST32_ABS_LO12_NC,
        RelocKind::Aarch64Load64Lo12      => elf::R_AARCH64_LDST64_ABS_LO12_NC,
        RelocKind::Aarch64Load128Lo12     => elf::R_AARCH64_LDST128_ABS_LO12_NC,
        RelocKind::Aarch64GotPage21       => elf::R_AARCH64_ADR_GOT_PAGE,
        RelocKind::Aarch64GotLo12         => elf::R_AARCH64_LD64_GOT_LO12_NC,
        RelocKind::Aarch64Call26          => elf::R_AARCH64_CALL26,
        RelocKind::Aarch64Jump26          => elf::R_AARCH64_JUMP26,
        RelocKind::Aarch64Branch19        => elf::R_AARCH64_CONDBR19,
        RelocKind::Aarch64Branch14        => elf::R_AARCH64_TSTBR14,
        RelocKind::Aarch64Load19          => elf::R_AARCH64_LD_PREL_LO19,
        RelocKind::Aarch64Address21       => elf::R_AARCH64_ADR_PREL_LO21,
        RelocKind::Aarch64TlsIePage21     => elf::R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21,
        RelocKind::Aarch64TlsIeLo12       => elf::R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC,
        RelocKind::Aarch64TlsLeHi12       => elf::R_AARCH64_TLSLE_ADD_TPREL_HI12,
        RelocKind::Aarch64TlsLeLo12       => elf::R_AARCH64_TLSLE_ADD_TPREL_LO12_NC,
        RelocKind::Aarch64TlsDescPage21   => elf::R_AARCH64_TLSDESC_ADR_PAGE21,
        RelocKind::Aarch64TlsDescLoadLo12 => elf::R_AARCH64_TLSDESC_LD64_LO12,
        RelocKind::Aarch64TlsDescAddLo12  => elf::R_AARCH64_TLSDESC_ADD_LO12,
        RelocKind::Aarch64TlsDescCall     => elf::R_AARCH64_TLSDESC_CALL,
        _                                 => return None,
    })
}

/// Whether the field has the distance from the place to the target, whole or in words.
const fn has_distance(kind: RelocKind) -> bool {
    matches!(
        kind,
        RelocKind::Aarch64Call26
            | RelocKind::Aarch64Jump26
            | RelocKind::Aarch64Branch19
            | RelocKind::Aarch64Branch14
            | RelocKind::Aarch64Load19
            | RelocKind::Aarch64Address21
    )
}

/// Whether the field is one of an instruction.
const fn is_instruction_field(kind: RelocKind) -> bool {
    !matches!(kind, RelocKind::Abs32 | RelocKind::Abs64 | RelocKind::PcRel32 | RelocKind::PcRel64)
}

/// Puts a distance that is known already into the field of an instruction; what else fields have is said by records, addends
/// included.
fn set_field(kind: RelocKind, word: u32, value: i64) -> Option<u32> {
    let r_type = relocation_type(kind)?;
    match has_distance(kind) {
        true => ice_elf::Rule::new(elf::EM_AARCH64, r_type)?.field.with_value(word, value),
        false if is_instruction_field(kind) => Some(word),
        false => None,
    }
}

impl Machine for Aarch64 {
    fn arch(&self) -> Arch {
        Arch::Aarch64
    }

    fn name(&self) -> &'static str {
        "aarch64"
    }

    #[cfg(feature = "assembly")]
    fn assemble(&self, text: &str) -> Result<Assembled, AssemblyError> {
        ice_asm::aarch64::assemble(text, TextPlace::Module)
    }

    /// Not the machine with other bytes first (`aarch64_be`), nor the one with addresses of 32 bits.
    fn is_named(&self, architecture: Architecture) -> bool {
        use target_lexicon::Aarch64Architecture::Aarch64;
        matches!(architecture, Architecture::Aarch64(Aarch64))
    }

    fn address_type(&self) -> Type {
        Type::I64
    }

    #[cfg(feature = "llvm")]
    fn legalization(&self, _: super::Features) -> &'static MachineDescription {
        &DESCRIPTION
    }

    fn format(&self, _: RelocationModel) -> ice_elf::Format {
        ice_elf::Format::AARCH64
    }

    fn code_alignment(&self) -> u64 {
        4
    }

    /// A call leaves the return address in x30 (DWARF for the Arm 64-bit Architecture, 2023Q3, 4.1).
    fn unwind_form(&self) -> Option<UnwindForm> {
        Some(UnwindForm::Frames(EntryFrame { word: 8, stack_pointer: 31, return_address: 30, pushed: 0 }))
    }

    fn relocation_type(&self, kind: RelocKind) -> Option<u32> {
        relocation_type(kind)
    }

    fn is_instruction_field(&self, kind: RelocKind) -> bool {
        is_instruction_field(kind)
    }

    fn set_field(&self, kind: RelocKind, word: u32, value: i64) -> Option<u32> {
        match kind {
            RelocKind::PcRel32 => Some(value as u32),
            _ => set_field(kind, word, value),
        }
    }

    fn is_pc_relative(&self, kind: RelocKind) -> bool {
        kind == RelocKind::PcRel32 || has_distance(kind)
    }

    fn table_entries(&self, _: RelocationModel) -> TableEntries {
        TableEntries::FromTable
    }

    fn pnacl_table_entries(&self) -> TableEntries {
        TableEntries::FromTable
    }

    /// AAELF64, 5.5.5.
    /// `GNU_PROPERTY_AARCH64_FEATURE_1_AND` (AAELF64, 6.2).
    fn property_note(&self, hardening: &Hardening) -> Vec<u8> {
        let Hardening { tracks_branches, signs_returns, has_shadow_stack, .. } = *hardening;
        let features =
            u32::from(tracks_branches) | u32::from(signs_returns) << 1 | u32::from(has_shadow_stack) << 2;
        features_of_code(0xc000_0000, features, self.address_type().bytes())
    }

    fn mapping_symbols(&self) -> Option<MappingSymbols> {
        Some(MappingSymbols { code: b"$x", data: b"$d" })
    }

    #[cfg(feature = "text")]
    fn assembly(&self, _: super::Features, _: RelocationModel) -> Assembly {
        Assembly {
            head: String::from("\t.arch armv8-a\n"),
            align: ".p2alignl",
            fill: "0xd4200020",
            personality: super::PERSONALITY_BY_DISTANCE,
        }
    }

    #[cfg(feature = "cli")]
    fn tools(&self, _: super::Features, _: Option<Arch>) -> Tools {
        Tools {
            compilers: &["aarch64-linux-gnu-gcc"],
            compiler_options: &[],
            runtime_name: "aarch64",
            runtime_source: runtime_source!("aarch64.S"),
            emulator: "qemu-aarch64",
            loader_options: &[],
        }
    }

    fn is_built_in(&self) -> bool {
        cfg!(feature = "aarch64")
    }

    #[cfg(feature = "aarch64")]
    fn back_end(
        &self,
        module: &Module,
        native: NativeModel,
        _: super::Features,
        confinement: Confinement,
    ) -> Result<Box<dyn BackEnd>, Error> {
        if confinement != Confinement::None {
            return Err(Error::NotConfined(Arch::Aarch64));
        }
        let target =
            ice_target_aarch64::Aarch64::new(module, native).map_err(super::foreign(Arch::Aarch64))?;
        Ok(Box::new(target))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_held_where_they_fit_and_records_the_rest() {
        let branch = |kind, word, value| set_field(kind, word, value);
        assert_eq!(branch(RelocKind::Aarch64Call26, 0x9400_0000, -8), Some(0x97ff_fffe));
        assert_eq!(branch(RelocKind::Aarch64Jump26, 0x1400_0000, 16), Some(0x1400_0004));
        assert_eq!(branch(RelocKind::Aarch64Call26, 0x9400_0000, 6), None);
        assert_eq!(branch(RelocKind::Aarch64Call26, 0x9400_0000, 1 << 27), None);
        assert_eq!(branch(RelocKind::Aarch64Page21, 0x9000_0001, 1 << 40), Some(0x9000_0001));
        assert_eq!(branch(RelocKind::Abs64, 0, 0), None);
        assert_eq!(branch(RelocKind::ArmCall, 0, 0), None);
    }
}
