//! Register files with the shapes that machines have.

use ice_regalloc::*;

const fn reg(name: &'static str, first: u8, count: u8) -> RegisterInfo<'static> {
    RegisterInfo { name, units: RegUnits::span(first, count) }
}
const fn p<const N: usize>(numbers: [u8; N]) -> [PReg; N] {
    let mut out = [PReg(0); N];
    let mut i = 0;
    while i < N {
        out[i] = PReg(numbers[i]);
        i += 1;
    }
    out
}
const fn class(name: &'static str, order: &'static [PReg], size: u32) -> ClassInfo<'static> {
    ClassInfo { name, order, spill_size: size, spill_align: if size > 8 { 16 } else { size } }
}

/// i386: 32-bit registers of two or three units, byte registers that alias them, and a class of
/// the registers with byte forms.
pub static X86: RegisterFile = RegisterFile {
    regs: &[
        reg("eax", 0, 3),
        reg("ecx", 3, 3),
        reg("edx", 6, 3),
        reg("ebx", 9, 3),
        reg("esi", 12, 1),
        reg("edi", 13, 1),
        reg("ebp", 14, 1),
        reg("al", 0, 1),
        reg("ah", 1, 1),
        reg("cl", 3, 1),
        reg("ch", 4, 1),
        reg("dl", 6, 1),
        reg("dh", 7, 1),
        reg("bl", 9, 1),
        reg("bh", 10, 1),
        reg("xmm0", 16, 1),
        reg("xmm1", 17, 1),
        reg("xmm2", 18, 1),
        reg("xmm3", 19, 1),
    ],
    classes: &[
        class("gpr", &p([0, 1, 2, 3, 4, 5, 6]), 4),
        class("abcd", &p([0, 1, 2, 3]), 4),
        class("byte", &p([7, 8, 9, 10, 11, 12, 13, 14]), 1),
        class("xmm", &p([15, 16, 17, 18]), 16),
    ],
    callee_saved: RegUnits::span(9, 6),
};

/// ARM: 10 integer registers, and 64 units of s, d and q registers: d0 is s0 and s1, q0 is d0 and d1; the
/// upper half of the d and q registers has no s registers. The units are 80, more than a machine word.
const ARM_REGS: [RegisterInfo; 10 + 32 + 32 + 16] = {
    let mut regs = [reg("r", 0, 1); 90];
    let mut i = 0;
    while i < 90 {
        regs[i] = match i {
            0..10 => reg("r", i as u8, 1),
            10..42 => reg("s", 16 + (i as u8 - 10), 1),
            42..74 => reg("d", 16 + (i as u8 - 42) * 2, 2),
            _ => reg("q", 16 + (i as u8 - 74) * 4, 4),
        };
        i += 1;
    }
    regs
};
pub static ARM: RegisterFile = RegisterFile {
    regs: &ARM_REGS,
    classes: &[
        class("r", &p([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), 4),
        class("s", &p([10, 11, 12, 13, 14, 15, 16, 17, 38, 39, 40, 41]), 4),
        class("d", &p([42, 43, 44, 45, 56, 57, 58, 72, 73]), 8),
        class("q", &p([74, 75, 81, 82, 89]), 16),
    ],
    callee_saved: RegUnits::span(4, 6).union(RegUnits::span(24, 8)),
};

/// Wide registers: vectors of 16 units, groups of five of them with 80 units that overlap, lower halves of
/// vectors, and plain registers; all 128 units there can be.
pub static WIDE: RegisterFile = RegisterFile {
    regs: &[
        reg("v0", 0, 16),
        reg("v1", 16, 16),
        reg("v2", 32, 16),
        reg("v3", 48, 16),
        reg("v4", 64, 16),
        reg("v5", 80, 16),
        reg("v6", 96, 16),
        reg("g0", 0, 80),
        reg("g2", 32, 80),
        reg("h0", 0, 8),
        reg("h1", 16, 8),
        reg("h4", 64, 8),
        reg("h6", 96, 8),
        reg("x0", 112, 1),
        reg("x1", 113, 1),
        reg("x2", 114, 2),
        reg("x3", 116, 12),
    ],
    classes: &[
        class("v", &p([0, 1, 2, 3, 4, 5, 6]), 16),
        class("x", &p([13, 14, 15, 16]), 8),
        class("h", &p([9, 10, 11, 12]), 8),
        class("g", &p([7, 8]), 16),
    ],
    callee_saved: RegUnits::span(80, 32).union(RegUnits::span(114, 14)),
};

/// Few plain registers: much eviction.
pub static TINY: RegisterFile = RegisterFile {
    regs: &[reg("a", 0, 1), reg("b", 1, 1), reg("c", 2, 1), reg("d", 3, 1)],
    classes: &[class("all", &p([0, 1, 2, 3]), 8), class("low", &p([0, 1]), 8)],
    callee_saved: RegUnits::of(3),
};

/// All of them, by name.
pub static FILES: [(&str, &RegisterFile); 4] =
    [("x86", &X86), ("arm", &ARM), ("tiny", &TINY), ("wide", &WIDE)];
