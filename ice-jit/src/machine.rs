//! What differs from machine to machine when code is put where it runs.
//!
//! | | x86-64 | i686 | aarch64 | armv7 |
//! |---|---|---|---|---|
//! | addresses in code | relative, or from a table | absolute | relative to pages, or from a table | absolute, in two halves |
//! | a call reaches | 2 GiB | everything | 128 MiB | 32 MiB |
//! | veneer | `jmp *0(%rip)`, address | none | `ldr x16, 1f`, `br x16`, address | `ldr pc, [pc, #-4]`, address |

use crate::glue::{self, Glue};
use ice_driver::{Arch, RelocationModel};

/// Instructions that jump to the address behind them.
pub(crate) struct Veneer {
    code: &'static [u8],
    /// Bytes of the address.
    width: usize,
    /// Bytes of both, filled up to what the next one is aligned to.
    size: usize,
}

impl Veneer {
    pub(crate) const fn size(&self) -> u64 {
        self.size as u64
    }

    /// Writes a veneer for this address; `None` if there is no room.
    pub(crate) fn write(&self, bytes: &mut [u8], address: u64) -> Option<()> {
        let (code, rest) = bytes.get_mut(..self.size)?.split_at_mut(self.code.len());
        code.copy_from_slice(self.code);
        rest.get_mut(..self.width)?.copy_from_slice(&address.to_le_bytes()[..self.width]);
        Some(())
    }
}

/// A machine that code is put in memory for.
pub(crate) struct JitMachine {
    pub(crate) arch: Arch,
    /// How its native code makes addresses when it may be anywhere in a process.
    pub(crate) relocation: RelocationModel,
    pub(crate) veneer: Option<Veneer>,
    pub(crate) glue: &'static Glue,
}

/// `jmp *0(%rip)`: FF /4 with mod 00 and r/m 101 (Intel's manual, volume 2, `JMP`).
const JMP_NEXT: &[u8] = &[0xff, 0x25, 0, 0, 0, 0];
/// `ldr pc, [pc, #-4]`: the program counter reads as 8 bytes on (ARM's manual, A8.8.64); changes to Thumb code at odd addresses.
const LDR_PC_NEXT: &[u8] = &0xe51f_f004_u32.to_le_bytes();
/// `ldr x16, [pc, #8]`, `br x16` (DDI 0487, C6.2): the register is that of veneers, and what it branches to may be guarded.
const BR_NEXT: &[u8] = &[0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6];

static MACHINES: [JitMachine; 4] = [
    JitMachine {
        arch: Arch::X86_64,
        relocation: RelocationModel::PositionIndependent,
        veneer: Some(Veneer { code: JMP_NEXT, width: 8, size: 16 }),
        glue: &glue::X86_64,
    },
    JitMachine { arch: Arch::X86_32, relocation: RelocationModel::Static, veneer: None, glue: &glue::I686 },
    JitMachine {
        arch: Arch::Aarch64,
        relocation: RelocationModel::PositionIndependent,
        veneer: Some(Veneer { code: BR_NEXT, width: 8, size: 16 }),
        glue: &glue::AARCH64,
    },
    JitMachine {
        arch: Arch::Arm32,
        relocation: RelocationModel::Static,
        veneer: Some(Veneer { code: LDR_PC_NEXT, width: 4, size: 8 }),
        glue: &glue::ARM32,
    },
];

impl JitMachine {
    /// What is known of a machine; `None` for those that code is not put in memory for.
    pub(crate) fn of(arch: Arch) -> Option<&'static JitMachine> {
        MACHINES.iter().find(|machine| machine.arch == arch)
    }
}
