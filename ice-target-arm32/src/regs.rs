//! The register file, for the allocator.
//!
//! | registers | numbers | units |
//! |---|---|---|
//! | r0 to r15 | 0–15 | 0–15 |
//! | s0 to s31 | 16–47 | 16–47 |
//! | d0 to d15, d16 to d31 | 48–79 | two of those of s, then 48–63 |
//! | q0 to q15 | 80–95 | those of two d |
//!
//! Never allocated: sp and pc; ip (r12), which emission uses for addresses and constants and linkers for their
//! stubs; the frame pointer r11 only in functions that need one. Caller-saved registers come first: what does
//! not live across a call should cost no save. lr is saved wherever anything is called, so it is the first
//! choice after them. (AAPCS, IHI 0042F, 5.1.)

use ice_asm::arm32::{Dreg, Gpr, Qreg, Sreg};
use ice_codegen::abi::{Preserved, RegisterFiles};
use ice_codegen::mach::FramePointer;
use ice_ir::native::CallingConvention;
use ice_regalloc::{Allocation, ClassInfo, PReg, RegClass, RegUnits, RegisterFile, RegisterInfo};

/// Core registers.
pub const GPR: RegClass = RegClass(0);
/// Single-precision registers.
pub const SINGLE: RegClass = RegClass(1);
/// Doubleword registers.
pub const DOUBLE: RegClass = RegClass(2);
/// Quadword registers.
pub const QUAD: RegClass = RegClass(3);
/// The quadword registers whose lanes are single-precision registers: q0 to q7.
pub const LOW_QUAD: RegClass = RegClass(4);

const FIRST_SINGLE: u8 = 16;
const FIRST_DOUBLE: u8 = 48;
const FIRST_QUAD: u8 = 80;
/// The unit of d16.
const FIRST_UPPER: u8 = 48;

/// A core register.
pub const fn r(n: u8) -> PReg {
    PReg(n)
}

/// A single-precision register.
pub const fn s(n: u8) -> PReg {
    PReg(FIRST_SINGLE + n)
}

/// A doubleword register.
pub const fn d(n: u8) -> PReg {
    PReg(FIRST_DOUBLE + n)
}

/// A quadword register.
pub const fn q(n: u8) -> PReg {
    PReg(FIRST_QUAD + n)
}

/// The core register that a place is.
#[inline(always)]
pub fn as_gpr(place: Allocation) -> Option<Gpr> {
    place.as_reg_of(r(0), 16).map(Gpr::new)
}

/// The single-precision register that a place is.
pub fn as_single(place: Allocation) -> Option<Sreg> {
    place.as_reg_of(s(0), 32).map(Sreg::new)
}

/// The doubleword register that a place is.
pub fn as_double(place: Allocation) -> Option<Dreg> {
    place.as_reg_of(d(0), 32).map(Dreg::new)
}

/// The quadword register that a place is.
pub fn as_quad(place: Allocation) -> Option<Qreg> {
    place.as_reg_of(q(0), 16).map(Qreg::new)
}

const fn core(name: &'static str, number: u8) -> RegisterInfo<'static> {
    RegisterInfo { name, units: RegUnits::of(number) }
}

const fn single(name: &'static str, number: u8) -> RegisterInfo<'static> {
    RegisterInfo { name, units: RegUnits::of(FIRST_SINGLE + number) }
}

const fn double_units(number: u8) -> RegUnits {
    if number < 16 {
        RegUnits::span(FIRST_SINGLE + 2 * number, 2)
    } else {
        RegUnits::of(FIRST_UPPER + number - 16)
    }
}

const fn double(name: &'static str, number: u8) -> RegisterInfo<'static> {
    RegisterInfo { name, units: double_units(number) }
}

const fn quad(name: &'static str, number: u8) -> RegisterInfo<'static> {
    RegisterInfo { name, units: double_units(2 * number).union(double_units(2 * number + 1)) }
}

#[rustfmt::skip]
const REGISTERS: &[RegisterInfo] = &[
    core("r0", 0),
    core("r1", 1),
    core("r2", 2),
    core("r3", 3),
    core("r4", 4),
    core("r5", 5),
    core("r6", 6),
    core("r7", 7),
    core("r8", 8),
    core("r9", 9),
    core("r10", 10),
    core("r11", 11),
    core("r12", 12),
    core("sp", 13),
    core("lr", 14),
    core("pc", 15),
    single("s0", 0),
    single("s1", 1),
    single("s2", 2),
    single("s3", 3),
    single("s4", 4),
    single("s5", 5),
    single("s6", 6),
    single("s7", 7),
    single("s8", 8),
    single("s9", 9),
    single("s10", 10),
    single("s11", 11),
    single("s12", 12),
    single("s13", 13),
    single("s14", 14),
    single("s15", 15),
    single("s16", 16),
    single("s17", 17),
    single("s18", 18),
    single("s19", 19),
    single("s20", 20),
    single("s21", 21),
    single("s22", 22),
    single("s23", 23),
    single("s24", 24),
    single("s25", 25),
    single("s26", 26),
    single("s27", 27),
    single("s28", 28),
    single("s29", 29),
    single("s30", 30),
    single("s31", 31),
    double("d0", 0),
    double("d1", 1),
    double("d2", 2),
    double("d3", 3),
    double("d4", 4),
    double("d5", 5),
    double("d6", 6),
    double("d7", 7),
    double("d8", 8),
    double("d9", 9),
    double("d10", 10),
    double("d11", 11),
    double("d12", 12),
    double("d13", 13),
    double("d14", 14),
    double("d15", 15),
    double("d16", 16),
    double("d17", 17),
    double("d18", 18),
    double("d19", 19),
    double("d20", 20),
    double("d21", 21),
    double("d22", 22),
    double("d23", 23),
    double("d24", 24),
    double("d25", 25),
    double("d26", 26),
    double("d27", 27),
    double("d28", 28),
    double("d29", 29),
    double("d30", 30),
    double("d31", 31),
    quad("q0", 0),
    quad("q1", 1),
    quad("q2", 2),
    quad("q3", 3),
    quad("q4", 4),
    quad("q5", 5),
    quad("q6", 6),
    quad("q7", 7),
    quad("q8", 8),
    quad("q9", 9),
    quad("q10", 10),
    quad("q11", 11),
    quad("q12", 12),
    quad("q13", 13),
    quad("q14", 14),
    quad("q15", 15),
];

/// The first `N` registers of a class in the order of allocation: `runs` are first numbers and counts.
const fn order<const N: usize>(base: u8, runs: &[(u8, u8)]) -> [PReg; N] {
    let mut out = [PReg(0); N];
    let (mut run, mut i) = (0, 0);
    while run < runs.len() {
        let mut n = 0;
        while n < runs[run].1 {
            out[i] = PReg(base + runs[run].0 + n);
            i += 1;
            n += 1;
        }
        run += 1;
    }
    assert!(i == N);
    out
}

/// Registers that a call destroys: r0 to r3, ip, lr, d0 to d7, d16 to d31.
pub const CALLER_SAVED: RegUnits = RegUnits::of_bits(0xf | 1 << 12 | 1 << 14)
    .union(RegUnits::span(FIRST_SINGLE, 16))
    .union(RegUnits::span(FIRST_UPPER, 16));
/// Registers that a function must preserve: r4 to r11, d8 to d15; and lr, which it returns through.
pub const CALLEE_SAVED: RegUnits =
    RegUnits::of_bits(0xff0 | 1 << 14).union(RegUnits::span(FIRST_SINGLE + 16, 16));

/// What functions of any convention preserve: r11, and lr.
const ALWAYS_SAVED: RegUnits = RegUnits::of_bits(1 << 11 | 1 << 14);
/// Registers that a call destroys of a function that preserves nothing.
pub const NOT_PRESERVED: RegUnits =
    CALLER_SAVED.union(RegUnits::of_bits(0x7f0)).union(RegUnits::span(FIRST_SINGLE + 16, 16));

/// What a function of this convention must preserve, and lr.
pub(crate) fn callee_saved(convention: CallingConvention) -> RegUnits {
    FILES.of(convention, FramePointer::None).callee_saved
}

static CORE: [PReg; 13] = order(0, &[(0, 4), (14, 1), (4, 8)]);
static CORE_FP: [PReg; 12] = order(0, &[(0, 4), (14, 1), (4, 7)]);
/// Without r9, which has the thread of confined code.
static CORE_CONFINED: [PReg; 12] = order(0, &[(0, 4), (14, 1), (4, 5), (10, 2)]);
static CORE_CONFINED_FP: [PReg; 11] = order(0, &[(0, 4), (14, 1), (4, 5), (10, 1)]);
static SINGLES: [PReg; 32] = order(FIRST_SINGLE, &[(0, 32)]);
static DOUBLES: [PReg; 32] = order(FIRST_DOUBLE, &[(16, 16), (0, 16)]);
static LOW_QUADS: [PReg; 8] = order(FIRST_QUAD, &[(0, 8)]);
static QUADS: [PReg; 16] = order(FIRST_QUAD, &[(8, 8), (0, 8)]);

const fn class(name: &'static str, order: &'static [PReg], size: u32, align: u32) -> ClassInfo<'static> {
    ClassInfo { name, order, spill_size: size, spill_align: align }
}

/// The classes of a file with these core registers.
const fn classes(core: &'static [PReg]) -> [ClassInfo<'static>; 5] {
    [
        class("core", core, 4, 4),
        class("single", &SINGLES, 4, 4),
        class("double", &DOUBLES, 8, 8),
        class("quad", &QUADS, 16, 8),
        class("low_quad", &LOW_QUADS, 16, 8),
    ]
}

static CLASSES: [ClassInfo; 5] = classes(&CORE);
static CLASSES_FP: [ClassInfo; 5] = classes(&CORE_FP);
static CLASSES_CONFINED: [ClassInfo; 5] = classes(&CORE_CONFINED);
static CLASSES_CONFINED_FP: [ClassInfo; 5] = classes(&CORE_CONFINED_FP);

/// The register files.
pub(crate) static FILES: RegisterFiles =
    RegisterFiles::new(REGISTERS, [&CLASSES, &CLASSES_FP], Preserved::at_most(CALLEE_SAVED, ALWAYS_SAVED));

/// Those of confined code.
pub(crate) static FILES_CONFINED: RegisterFiles = RegisterFiles::new(
    REGISTERS,
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
    fn registers_alias_as_in_hardware() {
        let units = |reg| register_file(FramePointer::None).units(reg);
        assert_eq!(units(d(3)), units(s(6)).union(units(s(7))));
        assert_eq!(units(q(3)), units(d(6)).union(units(d(7))));
        assert_eq!(units(q(9)), units(d(18)).union(units(d(19))));
        assert!(!units(d(16)).intersects(units(q(7))) && !units(r(15)).intersects(units(s(0))));
        for (i, info) in REGISTERS.iter().enumerate() {
            let overlaps =
                (0..REGISTERS.len()).filter(|&j| REGISTERS[j].units.intersects(info.units)).count();
            let expected = match i {
                0..16 => 1,
                16..48 => 3,
                48..64 => 4,
                64..80 => 2,
                80..88 => 7,
                _ => 3,
            };
            assert_eq!(overlaps, expected, "{}", info.name);
        }
        assert_eq!(
            (
                register_file(FramePointer::None).name(s(31)),
                register_file(FramePointer::None).name(d(31)),
                register_file(FramePointer::None).name(q(15))
            ),
            ("s31", "d31", "q15")
        );
    }
}
