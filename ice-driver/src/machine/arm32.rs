//! ARMv7-A in ARM state with VFPv3 and Advanced SIMD.
//!
//! ELF for ARM keeps addends in the fields that are relocated (ELF for the ARM architecture, IHI 0044F,
//! 4.6.1.2): 24 bits of words in branches, 16 bits of a signed number in `movw` and `movt`.

#[cfg(feature = "text")]
use super::Assembly;
use super::{Arch, Attributes, Bundles, FeatureId, Features, Machine, MappingSymbols, Switch};
#[cfg(feature = "cli")]
use super::{Tools, runtime_source};
#[cfg(feature = "arm32")]
use crate::error::Error;
use crate::options::RelocationModel;
use crate::relocations::TableEntries;
use crate::unwind::{IndexRelocations, UnwindForm};
use ice_asm::RelocKind;
#[cfg(feature = "assembly")]
use ice_asm::{Assembled, AssemblyError, DataSyntax, assemble_data};
#[cfg(feature = "llvm")]
use ice_bitcode::llvm::{
    BlockAddresses, ControlWord, FloatRegisters, Groups, JumpTexts, LlvmModule, LongOperations,
    MachineDescription, ResultRegisters, Rounding,
};
#[cfg(feature = "llvm")]
use ice_ir::Type;
use object::elf;
use target_lexicon::{Architecture, Endianness};
#[cfg(feature = "arm32")]
use {
    ice_codegen::{BackEnd, Confinement, NativeModel},
    ice_ir::{Environment, Module},
    ice_target_arm32::{Division, FloatAbi},
};

/// The machine.
pub struct Arm32;

/// Division by `sdiv` and `udiv`; by helpers where it is not chosen.
const HWDIV: FeatureId = FeatureId(0);
/// Calls carry floating-point numbers in core registers; in extension registers where it is not chosen.
const SOFT_CALLS: FeatureId = FeatureId(1);

const SWITCHES: &[Switch] = &[Switch {
    feature: HWDIV,
    names: &["hwdiv", "hwdiv-arm"],
    offers: ["+hwdiv", "-hwdiv"],
    help: "sdiv and udiv on armv7",
}];

/// The type of the section of build attributes.
const SHT_ARM_ATTRIBUTES: u32 = 0x7000_0003;

/// The build attributes (Addenda to the ABI, IHI 0045E, 2.3): what the code needs and how it calls.
#[rustfmt::skip]
const TAGS: [u8; 16] = [
    6, 10,  // CPU_arch: v7
    7, b'A', // CPU_arch_profile: application
    8, 1,   // ARM_ISA_use
    9, 2,   // THUMB_ISA_use: Thumb-2
    10, 3,  // FP_arch: VFPv3
    12, 1,  // Advanced_SIMD_arch: NEON
    24, 1,  // ABI_align_needed: 8 bytes
    25, 1,  // ABI_align_preserved: 8 bytes
];

/// ABI_VFP_args: in VFP registers.
const VFP_ARGS: [u8; 2] = [28, 1];
/// DIV_use: in ARM state, too.
const DIV_USE: [u8; 2] = [44, 2];

/// The contents of `.ARM.attributes`: one section of the vendor `aeabi` with one list for the whole file.
fn attributes(features: Features) -> Vec<u8> {
    const VENDOR: &[u8] = b"aeabi\0";
    const FILE: u8 = 1;
    let mut tags = TAGS.to_vec();
    if !features.has(SOFT_CALLS) {
        tags.extend(VFP_ARGS);
    }
    if features.has(HWDIV) {
        tags.extend(DIV_USE);
    }
    let list = 5 + tags.len() as u32;
    let section = 4 + VENDOR.len() as u32 + list;
    let mut out = vec![b'A'];
    out.extend_from_slice(&section.to_le_bytes());
    out.extend_from_slice(VENDOR);
    out.push(FILE);
    out.extend_from_slice(&list.to_le_bytes());
    out.extend(tags);
    out
}

/// Whether processors of an architecture of this name run what ARMv7-A has in ARM state: not the earlier ones, nor those for
/// microcontrollers. A name without a version may be either.
fn has_arm_state(name: &str) -> bool {
    let version = name.trim_start_matches("arm");
    let is_early = version.starts_with("v4") || version.starts_with("v5") || version.starts_with("v6");
    !is_early && !version.contains('m')
}

/// What an assembler must know: how the text is written, for which processor, how the code calls.
#[cfg(feature = "text")]
fn assembly_head(features: Features) -> String {
    let mut head = String::from("\t.syntax unified\n\t.arch armv7-a\n\t.fpu neon\n");
    if features.has(HWDIV) {
        head.push_str("\t.arch_extension idiv\n");
    }
    head.push_str("\t.arm\n");
    if !features.has(SOFT_CALLS) {
        head.push_str("\t.eabi_attribute 28, 1\n");
    }
    head
}

/// Puts an addend, or a distance that is known already, into the field of an instruction; `None` if it does
/// not fit or the kind is not one of these.
fn set_field(kind: RelocKind, word: u32, value: i64) -> Option<u32> {
    let r_type = relocation_type(kind).filter(|_| is_instruction_field(kind))?;
    ice_elf::Rule::new(elf::EM_ARM, r_type)?.field.with_addend(word, value)
}

/// Whether the field is one of an instruction.
const fn is_instruction_field(kind: RelocKind) -> bool {
    matches!(
        kind,
        RelocKind::ArmCall
            | RelocKind::ArmJump24
            | RelocKind::ArmMovwAbs
            | RelocKind::ArmMovtAbs
            | RelocKind::ArmMovwPcRel
            | RelocKind::ArmMovtPcRel
    )
}

/// Saturating sums and differences, averages, distances, the lesser and the greater of two, absolute values, zeros in front
/// (DDI 0406C, A8.8: `VQADD`, `VQSUB`, `VHADD`, `VRHADD`, `VABD`, `VMAX`, `VABS`, `VCLZ`).
#[cfg(feature = "llvm")]
const VECTOR_INSTRUCTIONS: &[(&str, Type, [&str; 2])] = &[
    ("sadd.sat", Type::V16I8, ["vqadd.s8 $0, $1, $2", "=w,w,w"]),
    ("sadd.sat", Type::V8I16, ["vqadd.s16 $0, $1, $2", "=w,w,w"]),
    ("sadd.sat", Type::V4I32, ["vqadd.s32 $0, $1, $2", "=w,w,w"]),
    ("uadd.sat", Type::V16I8, ["vqadd.u8 $0, $1, $2", "=w,w,w"]),
    ("uadd.sat", Type::V8I16, ["vqadd.u16 $0, $1, $2", "=w,w,w"]),
    ("uadd.sat", Type::V4I32, ["vqadd.u32 $0, $1, $2", "=w,w,w"]),
    ("ssub.sat", Type::V16I8, ["vqsub.s8 $0, $1, $2", "=w,w,w"]),
    ("ssub.sat", Type::V8I16, ["vqsub.s16 $0, $1, $2", "=w,w,w"]),
    ("ssub.sat", Type::V4I32, ["vqsub.s32 $0, $1, $2", "=w,w,w"]),
    ("usub.sat", Type::V16I8, ["vqsub.u8 $0, $1, $2", "=w,w,w"]),
    ("usub.sat", Type::V8I16, ["vqsub.u16 $0, $1, $2", "=w,w,w"]),
    ("usub.sat", Type::V4I32, ["vqsub.u32 $0, $1, $2", "=w,w,w"]),
    ("avgceilu", Type::V16I8, ["vrhadd.u8 $0, $1, $2", "=w,w,w"]),
    ("avgceilu", Type::V8I16, ["vrhadd.u16 $0, $1, $2", "=w,w,w"]),
    ("avgceils", Type::V16I8, ["vrhadd.s8 $0, $1, $2", "=w,w,w"]),
    ("avgceils", Type::V8I16, ["vrhadd.s16 $0, $1, $2", "=w,w,w"]),
    ("avgflooru", Type::V16I8, ["vhadd.u8 $0, $1, $2", "=w,w,w"]),
    ("avgflooru", Type::V8I16, ["vhadd.u16 $0, $1, $2", "=w,w,w"]),
    ("avgfloors", Type::V16I8, ["vhadd.s8 $0, $1, $2", "=w,w,w"]),
    ("avgfloors", Type::V8I16, ["vhadd.s16 $0, $1, $2", "=w,w,w"]),
    ("abdu", Type::V16I8, ["vabd.u8 $0, $1, $2", "=w,w,w"]),
    ("abdu", Type::V8I16, ["vabd.u16 $0, $1, $2", "=w,w,w"]),
    ("abds", Type::V16I8, ["vabd.s8 $0, $1, $2", "=w,w,w"]),
    ("abds", Type::V8I16, ["vabd.s16 $0, $1, $2", "=w,w,w"]),
    ("smin", Type::V16I8, ["vmin.s8 $0, $1, $2", "=w,w,w"]),
    ("smin", Type::V8I16, ["vmin.s16 $0, $1, $2", "=w,w,w"]),
    ("smin", Type::V4I32, ["vmin.s32 $0, $1, $2", "=w,w,w"]),
    ("smax", Type::V16I8, ["vmax.s8 $0, $1, $2", "=w,w,w"]),
    ("smax", Type::V8I16, ["vmax.s16 $0, $1, $2", "=w,w,w"]),
    ("smax", Type::V4I32, ["vmax.s32 $0, $1, $2", "=w,w,w"]),
    ("umin", Type::V16I8, ["vmin.u8 $0, $1, $2", "=w,w,w"]),
    ("umin", Type::V8I16, ["vmin.u16 $0, $1, $2", "=w,w,w"]),
    ("umin", Type::V4I32, ["vmin.u32 $0, $1, $2", "=w,w,w"]),
    ("umax", Type::V16I8, ["vmax.u8 $0, $1, $2", "=w,w,w"]),
    ("umax", Type::V8I16, ["vmax.u16 $0, $1, $2", "=w,w,w"]),
    ("umax", Type::V4I32, ["vmax.u32 $0, $1, $2", "=w,w,w"]),
    ("abs", Type::V16I8, ["vabs.s8 $0, $1", "=w,w"]),
    ("abs", Type::V8I16, ["vabs.s16 $0, $1", "=w,w"]),
    ("abs", Type::V4I32, ["vabs.s32 $0, $1", "=w,w"]),
    ("ctlz", Type::V16I8, ["vclz.i8 $0, $1", "=w,w"]),
    ("ctlz", Type::V8I16, ["vclz.i16 $0, $1", "=w,w"]),
    ("ctlz", Type::V4I32, ["vclz.i32 $0, $1", "=w,w"]),
];

/// The machine as legalisation sees it (procedure call standard, AAPCS32, 6 and 7), with floats in registers of their
/// own.
#[cfg(feature = "llvm")]
const HARD: MachineDescription = MachineDescription {
    block_addresses: BlockAddresses::Code,
    shuffles_lanes: true,
    has_doubleword_vectors: true,
    half_argument: Type::F32,
    half_result: Type::F32,
    joined_floats: 4,
    joined_doubles: 2,
    result_registers: Some(ResultRegisters { general: 4, float: FloatRegisters::Words(16) }),
    groups: Groups::Homogeneous,
    foreign_convention: Some((67, "arm_aapcscc")),
    always_has_unwind_tables: true,
    has_assembler: true,
    vector_instructions: VECTOR_INSTRUCTIONS,
    // DDI 0406C, A8.8: `VMOVL`, `VADDL`, `VSUBL`, `VMULL`, `VABDL`, `VMLAL`, `VABAL`, `VMLSL`, `VADDW`, `VSUBW`.
    long_operations: Some(LongOperations {
        extension: "vmovl.{sign}{bits} $0, ${1:{part}}",
        sum: "vaddl.{sign}{bits} $0, ${1:{part}}, ${2:{part}}",
        difference: "vsubl.{sign}{bits} $0, ${1:{part}}, ${2:{part}}",
        product: "vmull.{sign}{bits} $0, ${1:{part}}, ${2:{part}}",
        distance: "vabdl.{sign}{bits} $0, ${1:{part}}, ${2:{part}}",
        sum_with_product: "vmlal.{sign}{bits} $0, ${2:{part}}, ${3:{part}}",
        sum_with_distance: "vabal.{sign}{bits} $0, ${2:{part}}, ${3:{part}}",
        difference_with_product: "vmlsl.{sign}{bits} $0, ${2:{part}}, ${3:{part}}",
        sum_with: "vaddw.{sign}{bits} $0, $1, ${2:{part}}",
        difference_with: "vsubw.{sign}{bits} $0, $1, ${2:{part}}",
    }),
    byte_bits: Some(["vcnt.8 $0, $1", "=w,w"]),
    // How numbers travel is said by the triple.
    usual_features: &["+fp64", "+soft-float", "-fp-armv8"],
    has_indirect_functions: true,
    clears_cache: true,
    reverses_bits: true,
    pairs_doubles: true,
    // Code of others may have its frame in r7.
    jumps: Some(JumpTexts {
        set: [
            "adr ip, 1f; str ip, [r1, #4]; mov r0, #0; b 2f; 1: mov r0, #1; 2:",
            "={r0},={r1},1,~{r2},~{r3},~{r4},~{r5},~{r6},~{r7},~{r8},~{r9},~{r10},~{r12},~{lr},~{q0},~{q1},~{q2},~{q3},~{q4},~{q5},~{q6},~{q7},~{q8},~{q9},~{q10},~{q11},~{q12},~{q13},~{q14},~{q15},~{cc},~{memory}",
        ],
        jump: [
            "ldr r11, [r0]; ldr r7, [r0]; ldr ip, [r0, #4]; ldr sp, [r0, #8]; bx ip",
            "{r0},~{r7},~{r12},~{memory}",
        ],
        landing: [""; 2],
    }),
    // FPSCR (DDI 0406C, B4.1.58).
    rounding: Some(Rounding {
        words: &[ControlWord {
            ty: Type::I32,
            save: ["vmrs ip, fpscr; str ip, $0", "=*m,~{r12},~{memory}"],
            restore: ["ldr ip, $0; vmsr fpscr, ip", "*m,~{r12},~{memory}"],
            shift: 22,
        }],
        directions: [1, 2, 3, 0],
    }),
    stack_pointer: &["sp", "r13"],
    ends_cleanups: Some("__cxa_end_cleanup"),
    ..MachineDescription::PORTABLE
};

/// With floats in general registers, as the base standard has them.
#[cfg(feature = "llvm")]
const SOFT: MachineDescription = MachineDescription {
    joined_doubles: 1,
    result_registers: Some(ResultRegisters { general: 4, float: FloatRegisters::General }),
    groups: Groups::None,
    foreign_convention: Some((68, "arm_aapcs_vfpcc")),
    ..HARD
};

#[rustfmt::skip]
const fn relocation_type(kind: RelocKind) -> Option<u32> {
    Some(match kind {
        RelocKind::Abs32        => elf::R_ARM_ABS32,
        RelocKind::PcRel32      => elf::R_ARM_REL32,
        RelocKind::GotPcRel32   => elf::R_ARM_GOT_PREL,
        RelocKind::TpOff32      => elf::R_ARM_TLS_LE32,
        RelocKind::GotTpOff32   => elf::R_ARM_TLS_IE32,
        RelocKind::TlsGd32      => elf::R_ARM_TLS_GD32,
        RelocKind::ArmCall      => elf::R_ARM_CALL,
        RelocKind::ArmJump24    => elf::R_ARM_JUMP24,
        RelocKind::ArmMovwAbs   => elf::R_ARM_MOVW_ABS_NC,
        RelocKind::ArmMovtAbs   => elf::R_ARM_MOVT_ABS,
        RelocKind::ArmMovwPcRel => elf::R_ARM_MOVW_PREL_NC,
        RelocKind::ArmMovtPcRel => elf::R_ARM_MOVT_PREL,
        _                       => return None,
    })
}

impl Machine for Arm32 {
    fn arch(&self) -> Arch {
        Arch::Arm32
    }

    fn name(&self) -> &'static str {
        "armv7"
    }

    #[cfg(feature = "assembly")]
    fn assemble(&self, text: &str) -> Result<Assembled, AssemblyError> {
        assemble_data(text, DataSyntax::Arm)
    }

    fn is_named(&self, architecture: Architecture) -> bool {
        let is_little = architecture.endianness() == Ok(Endianness::Little);
        matches!(architecture, Architecture::Arm(_)) && is_little && has_arm_state(&architecture.to_string())
    }

    fn switches(&self) -> &'static [Switch] {
        SWITCHES
    }

    /// The environments `gnueabi`, `musleabi`, `eabi` and so on have the base standard for calls, with `hf` behind
    /// them the other.
    fn features_of_triple(&self, triple: &str) -> Features {
        match triple.rsplit_once("eabi") {
            Some((_, rest)) => Features::default().with(SOFT_CALLS, !rest.starts_with("hf")),
            None => Features::default(),
        }
    }

    #[cfg(feature = "llvm")]
    fn features_of_module(&self, module: &LlvmModule) -> Features {
        match module.divides_in_hardware() {
            true => Features::default().with(HWDIV, true),
            false => Features::default(),
        }
    }

    #[cfg(feature = "llvm")]
    fn legalization(&self, features: Features) -> &'static MachineDescription {
        if features.has(SOFT_CALLS) { &SOFT } else { &HARD }
    }

    fn format(&self, _: RelocationModel) -> ice_elf::Format {
        ice_elf::Format::arm(elf::EF_ARM_EABI_VER5)
    }

    fn relocation_type(&self, kind: RelocKind) -> Option<u32> {
        relocation_type(kind)
    }

    fn code_alignment(&self) -> u64 {
        4
    }

    /// ELF for the ARM architecture, IHI 0044F, 4.6.1.
    fn unwind_form(&self) -> Option<UnwindForm> {
        Some(UnwindForm::Index(IndexRelocations {
            distance: elf::R_ARM_PREL31,
            type_info: elf::R_ARM_TARGET2,
            mention: elf::R_ARM_NONE,
        }))
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
        matches!(kind, RelocKind::PcRel32 | RelocKind::ArmCall | RelocKind::ArmJump24)
    }

    fn bundles(&self) -> Option<Bundles> {
        Some(Bundles { bytes: 16, halt: 0xe7fe_deff_u32.to_le_bytes(), halt_text: "0xe7fedeff" })
    }

    #[cfg(feature = "arm32")]
    fn confined_helper(&self, helper: ice_codegen::Libcall) -> Option<Vec<u8>> {
        ice_target_arm32::confined_helper(helper)
    }

    fn table_entries(&self, relocation: RelocationModel) -> TableEntries {
        match relocation {
            RelocationModel::PositionIndependent => TableEntries::FromTable,
            RelocationModel::Static => TableEntries::Absolute,
        }
    }

    fn attributes(&self, features: Features) -> Vec<Attributes> {
        let (name, sh_type, contents) = (b".ARM.attributes", SHT_ARM_ATTRIBUTES, attributes(features));
        vec![Attributes { name, sh_type, sh_flags: 0, alignment: 1, contents }]
    }

    /// ELF for the ARM architecture, IHI 0044F, 4.5.5.
    fn mapping_symbols(&self) -> Option<MappingSymbols> {
        Some(MappingSymbols { code: b"$a", data: b"$d" })
    }

    #[cfg(feature = "text")]
    fn assembly(&self, features: Features, _: RelocationModel) -> Assembly {
        Assembly {
            head: assembly_head(features),
            align: ".p2alignl",
            fill: "0xe7f000f0",
            personality: super::PERSONALITY_BY_DISTANCE,
        }
    }

    #[cfg(feature = "cli")]
    fn tools(&self, features: Features, _: Option<Arch>) -> Tools {
        Tools {
            compilers: match features.has(SOFT_CALLS) {
                true => &["arm-linux-gnueabi-gcc"],
                false => &["arm-linux-gnueabihf-gcc"],
            },
            // Addresses of functions must be even.
            compiler_options: &["-marm"],
            runtime_name: "arm",
            runtime_source: runtime_source!("arm.S"),
            emulator: "qemu-arm",
            // Above the window.
            loader_options: &["-Wl,-Ttext-segment=0x50000000"],
        }
    }

    fn is_built_in(&self) -> bool {
        cfg!(feature = "arm32")
    }

    #[cfg(feature = "arm32")]
    fn back_end(
        &self,
        module: &Module,
        native: NativeModel,
        features: Features,
        confinement: Confinement,
    ) -> Result<Box<dyn BackEnd>, Error> {
        let division = if features.has(HWDIV) { Division::Hardware } else { Division::Helper };
        let floats = if features.has(SOFT_CALLS) { FloatAbi::Soft } else { FloatAbi::Hard };
        let target = ice_target_arm32::Arm32::new(division, floats, module, native)
            .map_err(super::foreign(Arch::Arm32))?;
        if module.environment == Environment::Pnacl && floats == FloatAbi::Soft {
            return Err(Error::NotForPnacl("with floats in VFP registers (gnueabihf)"));
        }
        Ok(Box::new(target.confined(confinement)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_hold_what_fits() {
        assert_eq!(set_field(RelocKind::ArmCall, 0xeb00_0000, -8), Some(0xebff_fffe));
        assert_eq!(set_field(RelocKind::ArmCall, 0xeb00_0000, 6), None);
        assert_eq!(set_field(RelocKind::ArmCall, 0xeb00_0000, 1 << 25), None);
        assert_eq!(set_field(RelocKind::ArmMovwAbs, 0xe300_1000, -2), Some(0xe30f_1ffe));
        assert_eq!(set_field(RelocKind::ArmMovtAbs, 0xe340_1000, 0x8000), None);
        assert_eq!(set_field(RelocKind::Abs32, 0, 0), None);
    }

    #[test]
    fn attributes_count_their_own_bytes() {
        let features = Features::default();
        for features in [features, features.with(HWDIV, true).with(SOFT_CALLS, true)] {
            let bytes = attributes(features);
            assert_eq!(u32::from_le_bytes(bytes[1..5].try_into().unwrap()) as usize, bytes.len() - 1);
            assert_eq!(u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize, bytes.len() - 11);
        }
    }

    #[test]
    fn triples_say_where_floats_travel() {
        for (triple, is_soft) in [
            ("armv7-linux-gnueabihf", Some(false)),
            ("armv7-unknown-linux-musleabihf", Some(false)),
            ("arm-linux-gnueabi", Some(true)),
            ("armv7-linux-androideabi21", Some(true)),
            ("armv7", None),
            ("", None),
        ] {
            assert_eq!(Arm32.features_of_triple(triple).get(SOFT_CALLS), is_soft, "{triple}");
        }
    }

    #[test]
    fn triples_name_descriptions() {
        for (triple, expected) in [
            ("armv7-linux-gnueabihf", HARD),
            ("thumbv7-linux-gnueabihf", HARD),
            ("armv7-linux-gnueabi", SOFT),
            ("armv7-linux-androideabi21", SOFT),
            ("vax-dec-ultrix", MachineDescription::PORTABLE),
            ("", MachineDescription::PORTABLE),
        ] {
            assert_eq!(*super::super::legalization_of_triple(triple), expected, "{triple}");
        }
    }
}
