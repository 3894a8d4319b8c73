//! The register files of x86-32 and x86-64, for the allocator.
//!
//! Registers 0–15 are the general ones by hardware number, 16–31 the vector ones. The high byte registers
//! ah, ch, dh, bh are only read. The stack pointer is never allocated; the frame pointer only in functions
//! that do not need one. Caller-saved registers come first: what does not live across a call should cost
//! no save. (System V ABI: i386 supplement table 2.3, AMD64 supplement figure 3.4.)

use ice_asm::x86::{Gpr, Mode, Xmm};
use ice_codegen::abi::{Preserved, RegisterFiles};
use ice_codegen::mach::FramePointer;
use ice_ir::CallingConvention;
use ice_regalloc::{Allocation, ClassInfo, PReg, RegClass, RegUnits, RegisterFile, RegisterInfo};

/// General registers.
pub const GPR: RegClass = RegClass(0);
/// General registers that have a byte form in this mode.
pub const BYTE: RegClass = RegClass(1);
/// Vector registers.
pub const XMM: RegClass = RegClass(2);
/// The same with all of their 256 bits.
pub const YMM: RegClass = RegClass(3);
/// General registers whose second byte can be read: ah, ch, dh, bh.
pub const HIGH_BYTE: RegClass = RegClass(4);
/// General registers that need no prefix REX, with which no second byte is read.
pub const FIRST_EIGHT: RegClass = RegClass(5);

/// rax, eax.
pub const RAX: PReg = PReg(0);
/// rcx, ecx.
pub const RCX: PReg = PReg(1);
/// rdx, edx.
pub const RDX: PReg = PReg(2);
/// rbx, ebx.
pub const RBX: PReg = PReg(3);
/// rsi, esi.
pub const RSI: PReg = PReg(6);
/// rdi, edi.
pub const RDI: PReg = PReg(7);

/// The n-th vector register.
pub const fn xmm(n: u8) -> PReg {
    PReg(16 + n)
}

/// The general register that a place is.
#[inline(always)]
pub fn as_gpr(place: Allocation) -> Option<Gpr> {
    place.as_reg_of(RAX, 16).map(Gpr::new)
}

/// The vector register that a place is.
#[inline(always)]
pub fn as_vector(place: Allocation) -> Option<Xmm> {
    place.as_reg_of(xmm(0), 16).map(Xmm::new)
}

/// The general register with this number.
pub fn gpr(reg: PReg) -> Gpr {
    Gpr::new(reg.0 & 15)
}

/// The vector register with this number.
pub fn vector(reg: PReg) -> Xmm {
    Xmm::new(reg.0 & 15)
}

const fn reg(name: &'static str, number: u8) -> RegisterInfo<'static> {
    RegisterInfo { name, units: RegUnits::of(number) }
}

const REGISTERS: &[RegisterInfo] = &[
    reg("rax", 0),
    reg("rcx", 1),
    reg("rdx", 2),
    reg("rbx", 3),
    reg("rsp", 4),
    reg("rbp", 5),
    reg("rsi", 6),
    reg("rdi", 7),
    reg("r8", 8),
    reg("r9", 9),
    reg("r10", 10),
    reg("r11", 11),
    reg("r12", 12),
    reg("r13", 13),
    reg("r14", 14),
    reg("r15", 15),
    reg("xmm0", 16),
    reg("xmm1", 17),
    reg("xmm2", 18),
    reg("xmm3", 19),
    reg("xmm4", 20),
    reg("xmm5", 21),
    reg("xmm6", 22),
    reg("xmm7", 23),
    reg("xmm8", 24),
    reg("xmm9", 25),
    reg("xmm10", 26),
    reg("xmm11", 27),
    reg("xmm12", 28),
    reg("xmm13", 29),
    reg("xmm14", 30),
    reg("xmm15", 31),
];

const fn regs<const N: usize>(numbers: [u8; N]) -> [PReg; N] {
    let mut out = [PReg(0); N];
    let mut i = 0;
    while i < N {
        out[i] = PReg(numbers[i]);
        i += 1;
    }
    out
}

const fn units(first: u8, bits: u64) -> RegUnits {
    RegUnits::of_bits(bits << first)
}

/// Registers that a call destroys on x86-32.
pub const CALLER_SAVED_32: RegUnits = units(0, 0b111).union(RegUnits::span(16, 8));
/// Registers that a call destroys on x86-64.
pub const CALLER_SAVED_64: RegUnits = units(0, 0b1111_1100_0111).union(RegUnits::span(16, 16));
/// Registers that a function must preserve on x86-32, without the stack pointer.
pub const CALLEE_SAVED_32: RegUnits = units(0, 0b1110_1000);
/// Registers that a function must preserve on x86-64, without the stack pointer.
pub const CALLEE_SAVED_64: RegUnits = units(0, 0b1111_0000_0010_1000);

/// On x86-64 those without prefix.
static GPR_32: [PReg; 7] = regs([0, 1, 2, 6, 7, 3, 5]);
static GPR_32_FP: [PReg; 6] = regs([0, 1, 2, 6, 7, 3]);
/// Also those whose second byte can be read.
static BYTE_32: [PReg; 4] = regs([0, 1, 2, 3]);
static GPR_64: [PReg; 15] = regs([0, 1, 2, 6, 7, 8, 9, 10, 11, 3, 5, 12, 13, 14, 15]);
static GPR_64_FP: [PReg; 14] = regs([0, 1, 2, 6, 7, 8, 9, 10, 11, 3, 12, 13, 14, 15]);
/// Without what confined code keeps: the base of its window in r15, a frame in rbp or none, addresses in r11.
static GPR_64_CONFINED: [PReg; 12] = regs([0, 1, 2, 6, 7, 8, 9, 10, 3, 12, 13, 14]);
static XMM_32: [PReg; 8] = regs([16, 17, 18, 19, 20, 21, 22, 23]);
static XMM_64: [PReg; 16] = regs([16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]);

/// A slot of 32 bytes is aligned as any other: instructions of AVX read it all the same.
const fn wide(order: &'static [PReg]) -> ClassInfo<'static> {
    ClassInfo { name: "ymm", order, spill_size: 32, spill_align: 16 }
}

const fn class(name: &'static str, order: &'static [PReg], bytes: u32) -> ClassInfo<'static> {
    ClassInfo { name, order, spill_size: bytes, spill_align: bytes }
}

/// The classes of a mode, with these general registers, those with a byte form, those without prefix and the vector ones.
const fn classes(
    [general, bytes, first_eight]: [&'static [PReg]; 3],
    size: u32,
    vectors: &'static [PReg],
) -> [ClassInfo<'static>; 6] {
    [
        class("gpr", general, size),
        class("byte", bytes, size),
        class("xmm", vectors, 16),
        wide(vectors),
        class("high-byte", &BYTE_32, size),
        class("first-eight", first_eight, size),
    ]
}

static CLASSES_32: [ClassInfo; 6] = classes([&GPR_32, &BYTE_32, &GPR_32], 4, &XMM_32);
static CLASSES_32_FP: [ClassInfo; 6] = classes([&GPR_32_FP, &BYTE_32, &GPR_32_FP], 4, &XMM_32);
static CLASSES_64: [ClassInfo; 6] = classes([&GPR_64, &GPR_64, &GPR_32], 8, &XMM_64);
static CLASSES_64_FP: [ClassInfo; 6] = classes([&GPR_64_FP, &GPR_64_FP, &GPR_32_FP], 8, &XMM_64);
static CLASSES_64_CONFINED: [ClassInfo; 6] =
    classes([&GPR_64_CONFINED, &GPR_64_CONFINED, &GPR_32_FP], 8, &XMM_64);

/// Whether a class is of general registers.
pub fn is_general(class: RegClass) -> bool {
    class != XMM && class != YMM
}

/// All general registers.
pub const GENERAL: RegUnits = RegUnits::span(0, 16);

/// What functions of any convention preserve: ebp, rbp.
const ALWAYS_SAVED: RegUnits = units(5, 1);
/// All registers that are allocated in functions without a frame pointer.
const ALLOCATED_32: RegUnits = CALLER_SAVED_32.union(CALLEE_SAVED_32);
/// The same on x86-64.
const ALLOCATED_64: RegUnits = CALLER_SAVED_64.union(CALLEE_SAVED_64);
/// What functions that preserve most preserve, without the stack pointer, but for the registers of their results: all
/// general registers but r11 (LLVM, X86CallingConv.td: CSR_64_RT_MostRegs).
const MOST_SAVED_64: RegUnits = units(0, 0b1111_0111_1110_1111);
/// The same of functions that preserve all (CSR_64_RT_AllRegs).
const ALL_SAVED_64: RegUnits = MOST_SAVED_64.union(RegUnits::span(16, 16));
/// The same of functions of Windows: also rsi, rdi, and xmm6 to xmm15 (Microsoft, «x64 calling convention», Caller/callee
/// saved registers).
const CALLEE_SAVED_WIN64: RegUnits = CALLEE_SAVED_64.union(units(6, 0b11)).union(RegUnits::span(22, 10));

static FILES_32: RegisterFiles = RegisterFiles::new(
    REGISTERS,
    [&CLASSES_32, &CLASSES_32_FP],
    Preserved::at_most(CALLEE_SAVED_32, ALWAYS_SAVED),
);
static FILES_64: RegisterFiles = RegisterFiles::new(
    REGISTERS,
    [&CLASSES_64, &CLASSES_64_FP],
    Preserved {
        standard: CALLEE_SAVED_64,
        least: ALWAYS_SAVED,
        most: MOST_SAVED_64,
        all: ALL_SAVED_64,
        win64: CALLEE_SAVED_WIN64,
    },
);
static FILE_64_CONFINED: RegisterFile =
    RegisterFile { regs: REGISTERS, classes: &CLASSES_64_CONFINED, callee_saved: CALLEE_SAVED_64 };

/// The register files of a mode.
pub(crate) fn files(mode: Mode) -> &'static RegisterFiles {
    match mode {
        Mode::Bits32 => &FILES_32,
        Mode::Bits64 => &FILES_64,
    }
}

/// What a function of this convention must preserve, without the stack pointer.
pub(crate) fn callee_saved(mode: Mode, convention: CallingConvention) -> RegUnits {
    files(mode).of(convention, FramePointer::None).callee_saved
}

/// What a call of a function of this convention destroys beside the registers of results.
pub(crate) fn destroyed(mode: Mode, convention: CallingConvention) -> RegUnits {
    let all = match mode {
        Mode::Bits32 => ALLOCATED_32,
        Mode::Bits64 => ALLOCATED_64,
    };
    all.difference(callee_saved(mode, convention))
}

/// The register file for confined functions of x86-64.
pub(crate) fn confined_file() -> &'static RegisterFile<'static> {
    &FILE_64_CONFINED
}

/// The register file of standard functions of a mode.
pub fn register_file(mode: Mode, frame_pointer: FramePointer) -> &'static RegisterFile<'static> {
    files(mode).of(CallingConvention::Standard, frame_pointer)
}
