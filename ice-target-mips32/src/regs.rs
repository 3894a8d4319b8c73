//! The register file, for the allocator.
//!
//! | registers | numbers | units |
//! |---|---|---|
//! | $0 to $31 | 0–31 | 0–31 |
//! | $f0 to $f31 | 32–63 | 32–63 |
//! | $f0, $f2, … $f30 as doublewords | 64–79 | two of those of words |
//!
//! Never allocated: $zero, sp and $ra; $at, which emission uses for addresses and constants; $k0 and $k1, which are the
//! system's; $gp, which holds the linker's table where position-independent code calls; the frame pointer only in
//! functions that need one. Caller-saved registers come first: what does not live across a call should cost no save.
//! (System V ABI, MIPS RISC Processor Supplement, 3rd edition, 3-11 f.)

use ice_asm::mips32::{FloatWidth, Fpr, Gpr};
use ice_codegen::abi::{Preserved, RegisterFiles, order};
use ice_codegen::mach::FramePointer;
use ice_ir::native::CallingConvention;
use ice_regalloc::{Allocation, ClassInfo, PReg, RegClass, RegUnits, RegisterFile, RegisterInfo};

/// General registers.
pub const GPR: RegClass = RegClass(0);
/// Floating-point registers of 32 bits.
pub const SINGLE: RegClass = RegClass(1);
/// Even and odd floating-point registers as one of 64 bits.
pub const DOUBLE: RegClass = RegClass(2);

/// The class of the registers for numbers of this width.
pub const fn float(width: FloatWidth) -> RegClass {
    match width {
        FloatWidth::S => SINGLE,
        FloatWidth::D => DOUBLE,
    }
}

const FIRST_SINGLE: u8 = 32;
const FIRST_DOUBLE: u8 = 64;

/// A general register.
pub const fn r(n: u8) -> PReg {
    PReg(n)
}

/// The floating-point register of 32 bits with this number.
pub const fn s(n: u8) -> PReg {
    PReg(FIRST_SINGLE + n)
}

/// The floating-point register of 64 bits with this number, which is even.
pub const fn d(n: u8) -> PReg {
    PReg(FIRST_DOUBLE + n / 2)
}

/// The general register that a place is.
#[inline(always)]
pub fn as_gpr(place: Allocation) -> Option<Gpr> {
    place.as_reg_of(r(0), 32).map(Gpr::new)
}

/// The floating-point register of 32 bits that a place is.
pub fn as_single(place: Allocation) -> Option<Fpr> {
    place.as_reg_of(s(0), 32).map(Fpr::new)
}

/// The first of the two registers of a floating-point register of 64 bits that a place is.
pub fn as_double(place: Allocation) -> Option<Fpr> {
    place.as_reg_of(d(0), 16).map(|n| Fpr::new(2 * n))
}

const NAMES: [&str; 32] = [
    "zero", "at", "v0", "v1", "a0", "a1", "a2", "a3", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "s0",
    "s1", "s2", "s3", "s4", "s5", "s6", "s7", "t8", "t9", "k0", "k1", "gp", "sp", "fp", "ra",
];
const SINGLE_NAMES: [&str; 32] = [
    "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12", "f13", "f14", "f15",
    "f16", "f17", "f18", "f19", "f20", "f21", "f22", "f23", "f24", "f25", "f26", "f27", "f28", "f29", "f30",
    "f31",
];
const DOUBLE_NAMES: [&str; 16] = [
    "d0", "d2", "d4", "d6", "d8", "d10", "d12", "d14", "d16", "d18", "d20", "d22", "d24", "d26", "d28", "d30",
];

static REGISTERS: [RegisterInfo; 80] = {
    let mut registers = [RegisterInfo { name: "", units: RegUnits::EMPTY }; 80];
    let mut n = 0;
    while n < 32 {
        let number = n as u8;
        registers[n] = RegisterInfo { name: NAMES[n], units: RegUnits::of(number) };
        registers[32 + n] =
            RegisterInfo { name: SINGLE_NAMES[n], units: RegUnits::of(FIRST_SINGLE + number) };
        if n % 2 == 0 {
            let units = RegUnits::span(FIRST_SINGLE + number, 2);
            registers[64 + n / 2] = RegisterInfo { name: DOUBLE_NAMES[n / 2], units };
        }
        n += 1;
    }
    registers
};

/// Registers that a call destroys: $v0 to $t7, $t8, $t9, $f0 to $f19.
pub const CALLER_SAVED: RegUnits = RegUnits::of_bits(0x0300_fffc).union(RegUnits::span(FIRST_SINGLE, 20));
/// Registers that a function must preserve: $s0 to $s7, $fp, $f20 to $f31.
pub const CALLEE_SAVED: RegUnits =
    RegUnits::of_bits(0x40ff_0000).union(RegUnits::span(FIRST_SINGLE + 20, 12));

/// What functions of any convention preserve: $fp.
const ALWAYS_SAVED: RegUnits = RegUnits::of_bits(1 << 30);
/// Registers that a call destroys of a function that preserves nothing.
pub const NOT_PRESERVED: RegUnits =
    CALLER_SAVED.union(RegUnits::of_bits(0x00ff_0000)).union(RegUnits::span(FIRST_SINGLE + 20, 12));

/// What a function of this convention must preserve.
pub(crate) fn callee_saved(convention: CallingConvention) -> RegUnits {
    FILES.of(convention, FramePointer::None).callee_saved
}

static GENERAL: [PReg; 25] = order(&[(2, 14), (24, 2), (16, 8), (30, 1)]);
static GENERAL_FP: [PReg; 24] = order(&[(2, 14), (24, 2), (16, 8)]);
/// Without $t6, $t7 and $t8, which have the masks and the thread of confined code.
static GENERAL_CONFINED: [PReg; 22] = order(&[(2, 12), (25, 1), (16, 8), (30, 1)]);
static GENERAL_CONFINED_FP: [PReg; 21] = order(&[(2, 12), (25, 1), (16, 8)]);
static SINGLES: [PReg; 32] = order(&[(FIRST_SINGLE, 32)]);
static DOUBLES: [PReg; 16] = order(&[(FIRST_DOUBLE, 16)]);

const fn classes(general: &'static [PReg]) -> [ClassInfo<'static>; 3] {
    [
        ClassInfo { name: "general", order: general, spill_size: 4, spill_align: 4 },
        ClassInfo { name: "single", order: &SINGLES, spill_size: 4, spill_align: 4 },
        ClassInfo { name: "double", order: &DOUBLES, spill_size: 8, spill_align: 8 },
    ]
}

static CLASSES: [ClassInfo; 3] = classes(&GENERAL);
static CLASSES_FP: [ClassInfo; 3] = classes(&GENERAL_FP);
static CLASSES_CONFINED: [ClassInfo; 3] = classes(&GENERAL_CONFINED);
static CLASSES_CONFINED_FP: [ClassInfo; 3] = classes(&GENERAL_CONFINED_FP);

/// The register files.
pub(crate) static FILES: RegisterFiles =
    RegisterFiles::new(&REGISTERS, [&CLASSES, &CLASSES_FP], Preserved::at_most(CALLEE_SAVED, ALWAYS_SAVED));

/// Those of confined code.
pub(crate) static FILES_CONFINED: RegisterFiles = RegisterFiles::new(
    &REGISTERS,
    [&CLASSES_CONFINED, &CLASSES_CONFINED_FP],
    Preserved::at_most(CALLEE_SAVED, ALWAYS_SAVED),
);

/// The register file of a standard function.
pub fn register_file(frame_pointer: FramePointer) -> &'static RegisterFile<'static> {
    FILES.of(CallingConvention::Standard, frame_pointer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doublewords_are_pairs_of_words() {
        let units = |reg| register_file(FramePointer::None).units(reg);
        assert_eq!(units(d(6)), units(s(6)).union(units(s(7))));
        assert!(!units(d(0)).intersects(units(s(2))) && !units(r(31)).intersects(units(s(0))));
        assert_eq!(
            (
                register_file(FramePointer::None).name(s(31)),
                register_file(FramePointer::None).name(d(30)),
                register_file(FramePointer::None).name(r(29))
            ),
            ("f31", "d30", "sp")
        );
        assert!(!CALLER_SAVED.intersects(CALLEE_SAVED));
    }
}
