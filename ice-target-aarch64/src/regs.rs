//! The register file, for the allocator.
//!
//! | registers | numbers | units |
//! |---|---|---|
//! | x0 to x30, also as w0 to w30 | 0–30 | 0–30 |
//! | sp | 31 | 31 |
//! | v0 to v31, also as s and d registers | 32–63 | 32–63 |
//!
//! Never allocated: sp and lr (x30); x16 and x17, which linkers may destroy in any call and emission uses for addresses and
//! constants; x18, which belongs to the platform; the frame pointer x29 only in functions that need one. Functions preserve
//! the low half of v8 to v15 alone, so that these hold numbers of up to 64 bits, and no vectors. Caller-saved registers come
//! first: what does not live across a call should cost no save. (Procedure Call Standard for the Arm 64-bit Architecture,
//! AAPCS64, 2023Q3, 6.1.)

use ice_asm::aarch64::{FloatWidth, Gpr, Vreg};
use ice_codegen::abi::{Preserved, RegisterFiles, order};
use ice_codegen::mach::FramePointer;
use ice_ir::native::CallingConvention;
use ice_regalloc::{Allocation, ClassInfo, PReg, RegClass, RegUnits, RegisterFile, RegisterInfo};

/// General registers.
pub const GPR: RegClass = RegClass(0);
/// Vector registers with one number of up to 64 bits.
pub const FLOAT: RegClass = RegClass(1);
/// Vector registers with 128 bits.
pub const QUAD: RegClass = RegClass(2);

/// The class of the registers for what is this wide.
pub const fn float(width: FloatWidth) -> RegClass {
    match width {
        FloatWidth::Q => QUAD,
        _ => FLOAT,
    }
}

const FIRST_VECTOR: u8 = 32;

/// A general register.
pub const fn x(n: u8) -> PReg {
    PReg(n)
}

/// The vector register with this number.
pub const fn v(n: u8) -> PReg {
    PReg(FIRST_VECTOR + n)
}

/// The general register that a place is.
#[inline(always)]
pub fn as_gpr(place: Allocation) -> Option<Gpr> {
    place.as_reg_of(x(0), 31).map(Gpr::new)
}

/// The vector register that a place is.
#[inline(always)]
pub fn as_vector(place: Allocation) -> Option<Vreg> {
    place.as_reg_of(v(0), 32).map(Vreg::new)
}

const NAMES: [&str; 32] = [
    "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
    "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30",
    "sp",
];
const VECTOR_NAMES: [&str; 32] = [
    "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15",
    "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30",
    "v31",
];

static REGISTERS: [RegisterInfo; 64] = {
    let mut registers = [RegisterInfo { name: "", units: RegUnits::EMPTY }; 64];
    let mut n = 0;
    while n < 32 {
        let number = n as u8;
        registers[n] = RegisterInfo { name: NAMES[n], units: RegUnits::of(number) };
        registers[32 + n] =
            RegisterInfo { name: VECTOR_NAMES[n], units: RegUnits::of(FIRST_VECTOR + number) };
        n += 1;
    }
    registers
};

/// The low halves of v8 to v15.
const SAVED_VECTORS: RegUnits = RegUnits::span(FIRST_VECTOR + 8, 8);
/// Registers that a call destroys: x0 to x17, the link register, v0 to v7 and v16 to v31.
pub const CALLER_SAVED: RegUnits = RegUnits::of_bits(0x4003_ffff)
    .union(RegUnits::span(FIRST_VECTOR, 8))
    .union(RegUnits::span(FIRST_VECTOR + 16, 16));
/// Registers that a function must preserve: x19 to x29, the low halves of v8 to v15.
pub const CALLEE_SAVED: RegUnits = RegUnits::of_bits(0x3ff8_0000).union(SAVED_VECTORS);
/// What functions of any convention preserve: x29.
const ALWAYS_SAVED: RegUnits = RegUnits::of_bits(1 << 29);
/// Registers that a call destroys of a function that preserves nothing.
pub const NOT_PRESERVED: RegUnits = CALLER_SAVED.union(RegUnits::of_bits(0x1ff8_0000)).union(SAVED_VECTORS);
/// What a call of the resolver of thread-local descriptors destroys beside its result (ELF for the Arm 64-bit
/// Architecture, 2023Q3, 5.7.11).
pub const DESCRIPTOR_CALL: RegUnits = RegUnits::of_bits(0x4000_0002);

/// What a function of this convention must preserve.
pub(crate) fn callee_saved(convention: CallingConvention) -> RegUnits {
    FILES.of(convention, FramePointer::None).callee_saved
}

static GENERAL: [PReg; 27] = order(&[(0, 16), (19, 11)]);
static GENERAL_FP: [PReg; 26] = order(&[(0, 16), (19, 10)]);
static FLOATS: [PReg; 32] = order(&[(FIRST_VECTOR, 8), (FIRST_VECTOR + 16, 16), (FIRST_VECTOR + 8, 8)]);
static QUADS: [PReg; 24] = order(&[(FIRST_VECTOR, 8), (FIRST_VECTOR + 16, 16)]);

const fn classes(general: &'static [PReg]) -> [ClassInfo<'static>; 3] {
    [
        ClassInfo { name: "general", order: general, spill_size: 8, spill_align: 8 },
        ClassInfo { name: "float", order: &FLOATS, spill_size: 8, spill_align: 8 },
        ClassInfo { name: "quad", order: &QUADS, spill_size: 16, spill_align: 16 },
    ]
}

static CLASSES: [ClassInfo; 3] = classes(&GENERAL);
static CLASSES_FP: [ClassInfo; 3] = classes(&GENERAL_FP);

/// The register files.
pub(crate) static FILES: RegisterFiles =
    RegisterFiles::new(&REGISTERS, [&CLASSES, &CLASSES_FP], Preserved::at_most(CALLEE_SAVED, ALWAYS_SAVED));

/// The register file of a standard function.
pub fn register_file(frame_pointer: FramePointer) -> &'static RegisterFile<'static> {
    FILES.of(CallingConvention::Standard, frame_pointer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_calls_destroy_and_functions_preserve_is_all_there_is() {
        assert!(!CALLER_SAVED.intersects(CALLEE_SAVED));
        let file = register_file(FramePointer::None);
        for class in file.classes {
            for &reg in class.order {
                assert!(CALLER_SAVED.union(CALLEE_SAVED).intersects(file.units(reg)), "{}", file.name(reg));
            }
        }
        assert_eq!((file.name(x(31)), file.name(v(8))), ("sp", "v8"));
    }

    #[test]
    fn vectors_are_where_no_half_is_preserved() {
        let quads = register_file(FramePointer::None).classes[QUAD.0 as usize].order;
        assert!(
            quads.iter().all(|&reg| !CALLEE_SAVED.intersects(register_file(FramePointer::None).units(reg)))
        );
    }
}
