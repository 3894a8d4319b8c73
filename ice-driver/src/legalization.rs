//! The machines as legalisation of LLVM bitcode sees them: what is native, and how their calls carry values.
//!
//! Sources: the System V ABI of x86-64 (3.2.3) and of i386 (2.2.3), the procedure call standard for ARM (AAPCS32, 6
//! and 7), and for the number of result registers the conventions that LLVM has for its own code.

use crate::arch::Arch;
use ice_bitcode::llvm::{FloatRegisters, MachineDescription, ResultRegisters};
use ice_ir::{Passing, Type};
use ice_target_arm32::FloatAbi;

const X86_64: MachineDescription = MachineDescription {
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
    has_wide_functions: true,
    ..I686
};

const I686: MachineDescription = MachineDescription {
    has_two_lanes: true,
    half_argument: Type::F32,
    half_result: Type::V8I16,
    half_vectors: Some(Type::V8I16),
    // st0, st1; eax, edx, ecx.
    result_registers: Some(ResultRegisters {
        general: 3,
        float: FloatRegisters::Separate { floats: 2, vectors: 4 },
    }),
    extended_params: &[Type::I64, Type::I32],
    extended_passing: Passing::Plain,
    ..MachineDescription::PORTABLE
};

/// ARM with floats in registers of their own.
const ARM_HARD: MachineDescription = MachineDescription {
    has_doubleword_vectors: true,
    half_argument: Type::F32,
    half_result: Type::F32,
    joined_floats: 4,
    joined_doubles: 2,
    result_registers: Some(ResultRegisters { general: 4, float: FloatRegisters::Words(16) }),
    has_groups: true,
    foreign_convention: Some((67, "arm_aapcscc")),
    always_has_unwind_tables: true,
    ..MachineDescription::PORTABLE
};

/// ARM with floats in general registers, as the base standard has them.
const ARM_SOFT: MachineDescription = MachineDescription {
    joined_doubles: 1,
    result_registers: Some(ResultRegisters { general: 4, float: FloatRegisters::General }),
    has_groups: false,
    foreign_convention: Some((68, "arm_aapcs_vfpcc")),
    ..ARM_HARD
};

/// The description of a machine; `floats` says how calls carry floating-point numbers on ARM.
pub const fn description(arch: Arch, floats: Option<FloatAbi>) -> &'static MachineDescription {
    match (arch, floats) {
        (Arch::X86_64, _) => &X86_64,
        (Arch::X86_32, _) => &I686,
        (Arch::Arm32, Some(FloatAbi::Soft)) => &ARM_SOFT,
        (Arch::Arm32, _) => &ARM_HARD,
        (Arch::Mips32, _) => &MachineDescription::PORTABLE,
    }
}

/// The description of the machine that a module names, or the portable one for a machine that is not known.
pub fn of_triple(triple: &str) -> &'static MachineDescription {
    match Arch::of_any_system(triple) {
        Some(arch) => description(arch, Arch::float_abi(triple)),
        None => &MachineDescription::PORTABLE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triples_name_descriptions() {
        for (triple, expected) in [
            ("x86_64-pc-linux-gnu", X86_64),
            ("x86_64-pc-windows-msvc", X86_64),
            ("i686-linux-gnu", I686),
            ("armv7-linux-gnueabihf", ARM_HARD),
            ("thumbv7-linux-gnueabihf", ARM_HARD),
            ("armv7-linux-gnueabi", ARM_SOFT),
            ("armv7-linux-androideabi21", ARM_SOFT),
            ("mipsel-linux-gnu", MachineDescription::PORTABLE),
            ("vax-dec-ultrix", MachineDescription::PORTABLE),
            ("", MachineDescription::PORTABLE),
        ] {
            assert_eq!(*of_triple(triple), expected, "{triple}");
        }
    }
}
