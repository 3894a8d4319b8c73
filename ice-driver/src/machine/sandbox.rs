//! What the validator and the loader of the sandbox know of machines.

use super::Arch;
use ice_validator::Target;

/// What the validator calls a machine, if there is a sandbox for it.
pub(crate) const fn target(arch: Arch) -> Option<Target> {
    match arch {
        Arch::X86_64 => Some(Target::X86_64),
        Arch::X86_32 => Some(Target::X86_32),
        Arch::Arm32 => Some(Target::Arm32),
        Arch::Mips32 => Some(Target::Mips32),
        Arch::Aarch64 => None,
    }
}

/// Whether a loader runs under an emulator: its window and what surrounds it are few addresses, and it needs no segments,
/// whose ends emulators do not know.
pub(crate) const fn is_emulated(arch: Arch) -> bool {
    matches!(arch, Arch::Arm32 | Arch::Mips32)
}

/// What the validator calls the machine of an executable: `e_machine`, and whether its class is that of 64 bits.
pub(crate) const fn target_of(machine: u64, is_64: bool) -> Option<Target> {
    match (machine, is_64) {
        (62, _) => Some(Target::X86_64),
        (3, false) => Some(Target::X86_32),
        (40, false) => Some(Target::Arm32),
        (8, false) => Some(Target::Mips32),
        _ => None,
    }
}

/// The instruction that halts, in bytes.
pub(crate) const fn halt(target: Target) -> &'static [u8] {
    match target {
        Target::Arm32 => &[0xff, 0xde, 0xfe, 0xe7],
        Target::Mips32 => &[0x0d, 0, 0, 0],
        _ => &[0xf4],
    }
}
