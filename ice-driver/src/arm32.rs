//! What objects for ARM have of their own: addends inside instructions, and the build attributes.
//!
//! ELF for ARM keeps addends in the fields that are relocated (ELF for the ARM architecture, IHI 0044F,
//! 4.6.1.2): 24 bits of words in branches, 16 bits of a signed number in `movw` and `movt`.

use crate::options::ArmOptions;
use ice_asm::RelocKind;
use ice_target_arm32::{Division, FloatAbi};

/// The type of the section of build attributes.
pub const SHT_ARM_ATTRIBUTES: u32 = 0x7000_0003;

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
pub fn attributes(options: ArmOptions) -> Vec<u8> {
    const VENDOR: &[u8] = b"aeabi\0";
    const FILE: u8 = 1;
    let mut tags = TAGS.to_vec();
    if options.floats() == FloatAbi::Hard {
        tags.extend(VFP_ARGS);
    }
    if options.division() == Division::Hardware {
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

/// What an assembler must know: how the text is written, for which processor, how the code calls.
pub fn assembly_head(options: ArmOptions) -> String {
    let mut head = String::from("\t.syntax unified\n\t.arch armv7-a\n\t.fpu neon\n");
    if options.division() == Division::Hardware {
        head.push_str("\t.arch_extension idiv\n");
    }
    head.push_str("\t.arm\n");
    if options.floats() == FloatAbi::Hard {
        head.push_str("\t.eabi_attribute 28, 1\n");
    }
    head
}

/// Puts an addend, or a distance that is known already, into the field of an instruction; `None` if it does
/// not fit or the kind is not one of these.
pub fn set_field(kind: RelocKind, word: u32, value: i64) -> Option<u32> {
    match kind {
        RelocKind::ArmCall | RelocKind::ArmJump24 => {
            let fits = value % 4 == 0 && (-(1 << 25)..1 << 25).contains(&value);
            fits.then_some(word & 0xff00_0000 | (value >> 2) as u32 & 0x00ff_ffff)
        }
        RelocKind::ArmMovwAbs | RelocKind::ArmMovtAbs | RelocKind::ArmMovwPcRel | RelocKind::ArmMovtPcRel => {
            let bits = u32::from(i16::try_from(value).ok()? as u16);
            Some(word & 0xfff0_f000 | (bits & 0xf000) << 4 | bits & 0xfff)
        }
        _ => None,
    }
}

/// Whether the field is one of an instruction.
pub const fn is_instruction_field(kind: RelocKind) -> bool {
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
        let (division, floats) = (Some(Division::Hardware), Some(FloatAbi::Soft));
        for options in [ArmOptions::default(), ArmOptions { division, floats }] {
            let bytes = attributes(options);
            assert_eq!(u32::from_le_bytes(bytes[1..5].try_into().unwrap()) as usize, bytes.len() - 1);
            assert_eq!(u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize, bytes.len() - 11);
        }
    }
}
