//! What x86-64 wants besides: memory operands, stack pointers, strings and branches relative to `r15`.
//!
//! Segments do not confine on x86-64. A memory operand has `r15`, `rsp`, `rbp` or `rip` as its base and as its
//! index nothing or a register whose upper half the instruction just before has cleared. `r15` is never written, and `rsp` and
//! `rbp` are, but for pushes and pops, written by few forms that keep them in the window.

use super::decode::{Instruction, NONE, RIP};
use super::op::Op;
use super::{BUNDLE, Bundle};
use crate::verdict::Rule;

const RSP: u8 = 4;
const RBP: u8 = 5;
const WINDOW: u8 = 15;

/// Whether a register is one of those that always point into the window.
pub fn is_pointer(register: u8) -> bool {
    register == RSP || register == RBP
}

/// Judges an instruction, and remembers which register it confines.
#[inline]
pub fn check(bundle: &mut Bundle<'_>, instruction: &Instruction) -> Result<(), Rule> {
    let op = instruction.op;
    let waiting = bundle.confined;
    if instruction.has_memory && !op.has(Op::NO_ACCESS) {
        check_access(bundle, instruction)?;
    }
    bundle.confined = NONE;
    if op.has_any(Op::WRITES_RM.and(Op::WRITES_REG).and(Op::WRITES_OPCODE)) {
        check_writes(bundle, instruction, waiting)?;
    } else if is_pointer(waiting) {
        return Err(Rule::UnconfinedStackPointer);
    }
    if op.has_any(Op::STRING.and(Op::INDIRECT)) {
        let is_string = op.has(Op::STRING);
        return if is_string { string(bundle, instruction) } else { masked_branch(bundle, instruction) };
    }
    Ok(())
}

#[inline]
fn check_access(bundle: &mut Bundle<'_>, instruction: &Instruction) -> Result<(), Rule> {
    if !matches!(instruction.base, WINDOW | RSP | RBP | RIP) {
        return Err(Rule::UnmaskedAccess);
    }
    if instruction.index != NONE {
        if instruction.index != bundle.confined || is_pointer(instruction.index) {
            return Err(Rule::UnmaskedAccess);
        }
        bundle.close(0);
    }
    Ok(())
}

#[inline]
/// Judges the registers that an instruction writes. `waiting` is the one that was confined before.
fn check_writes(bundle: &mut Bundle<'_>, instruction: &Instruction, waiting: u8) -> Result<(), Rule> {
    let op = instruction.op;
    // A set of registers, and of two results the one that counts as confined: the last operand.
    let (mut written, mut last) = (0u32, NONE);
    if op.has(Op::WRITES_OPCODE) {
        last = instruction.full(instruction.opcode_register());
        written = 1 << last;
    }
    if op.has(Op::WRITES_REG) {
        last = instruction.full(instruction.reg);
        written |= 1 << last;
    }
    if op.has(Op::WRITES_RM) {
        last = NONE;
        if !instruction.has_memory {
            last = instruction.full(instruction.base);
            written |= 1 << last;
        }
    }
    let extends = instruction.extends();
    if is_pointer(waiting) || written & (1 << RSP | 1 << RBP | 1 << WINDOW) != 0 {
        return check_reserved(bundle, instruction.length, waiting, written, extends.then_some(last));
    }
    bundle.confined = if extends { last } else { NONE };
    Ok(())
}

#[inline(never)]
/// Judges a write to a register that has a meaning, or behind one. `extended` is confined by the instruction.
fn check_reserved(
    bundle: &mut Bundle<'_>,
    length: usize,
    waiting: u8,
    written: u32,
    extended: Option<u8>,
) -> Result<(), Rule> {
    if written & 1 << WINDOW != 0 {
        return Err(Rule::ReservedRegister);
    }
    let pointers = written & (1 << RSP | 1 << RBP);
    let first = extended.filter(|&register| is_pointer(register) && pointers == 1 << register);
    match first {
        Some(register) if !is_pointer(waiting) => bundle.confined = register,
        _ => return pointer_form(bundle, length, waiting),
    }
    Ok(())
}

/// The forms that may write `rsp` and `rbp`: moves between them, an alignment, and the addition of `r15` to what the
/// instruction before has confined.
fn pointer_form(bundle: &mut Bundle<'_>, length: usize, waiting: u8) -> Result<(), Rule> {
    let bytes = &bundle.bytes[bundle.at..bundle.at + length];
    let is_form = match bytes {
        // add, for rsp also or, with r15; lea (R,%r15,1),R with any displacement of zero
        [0x4c, 0x01 | 0x09, 0xfc] | [0x49, 0x03 | 0x0b, 0xe7] => waiting == RSP,
        [0x4a, 0x8d, 0x24, 0x3c] | [0x4a, 0x8d, 0x64, 0x3c, 0] => waiting == RSP,
        [0x4a, 0x8d, 0xa4, 0x3c, 0, 0, 0, 0] => waiting == RSP,
        [0x4c, 0x01, 0xfd] | [0x49, 0x03, 0xef] => waiting == RBP,
        [0x4a, 0x8d, 0x6c, 0x3d, 0] | [0x4a, 0x8d, 0xac, 0x3d, 0, 0, 0, 0] => waiting == RBP,
        // mov between rsp and rbp; and with a negative number
        [0x48, 0x89, 0xe5 | 0xec] | [0x48, 0x8b, 0xec | 0xe5] => return free_form(waiting),
        [0x48, 0x83, 0xe4, 0x80..=0xff] => return free_form(waiting),
        _ => false,
    };
    if !is_form {
        return Err(Rule::UnconfinedStackPointer);
    }
    bundle.close(0);
    Ok(())
}

/// A form that stands alone, but not where another pointer waits to be confined.
fn free_form(waiting: u8) -> Result<(), Rule> {
    if is_pointer(waiting) { Err(Rule::UnconfinedStackPointer) } else { Ok(()) }
}

/// `and $-32,eXX` and `add %r15,rXX` stand before a branch through rXX.
fn masked_branch(bundle: &mut Bundle<'_>, branch: &Instruction) -> Result<(), Rule> {
    let register = branch.base;
    let low = register & 7;
    let (is_high, and) = (register >= 8, [0x83, 0xe0 | low, 0xe0]);
    let has_and = match is_high {
        false => bundle.is_before(2, &and) || bundle.is_before(2, &[0x40, and[0], and[1], and[2]]),
        true => bundle.is_before(2, &[0x41, and[0], and[1], and[2]]),
    };
    let high = u8::from(is_high);
    let has_add = bundle.is_before(1, &[0x4c | high, 0x01, 0xf8 | low])
        || bundle.is_before(1, &[0x49 | high << 2, 0x03, 0xc7 | low << 3]);
    if !has_and || !has_add || is_pointer(register) || register == WINDOW || branch.rex & 0x0e != 0 {
        return Err(Rule::UnmaskedBranch);
    }
    bundle.close(1);
    Ok(())
}

/// Before a string instruction `mov eXX,eXX` and `lea (%r15,rXX,1),rXX` confine its addresses, `rsi` first.
fn string(bundle: &mut Bundle<'_>, instruction: &Instruction) -> Result<(), Rule> {
    let is_address = |bundle: &Bundle<'_>, back: usize, modrm: u8, sib: u8| {
        let moves = |opcode: u8| {
            bundle.is_before(back + 1, &[opcode, modrm]) || bundle.is_before(back + 1, &[0x40, opcode, modrm])
        };
        bundle.is_before(back, &[0x49, 0x8d, sib & 0x38 | 4, sib]) && (moves(0x89) || moves(0x8b))
    };
    let source = |bundle: &Bundle<'_>, back| is_address(bundle, back, 0xf6, 0x37);
    let destination = |bundle: &Bundle<'_>, back| is_address(bundle, back, 0xff, 0x3f);
    let (is_confined, back) = match instruction.opcode {
        0xa4..=0xa7 => (destination(bundle, 1) && source(bundle, 3), 3),
        0xac | 0xad => (source(bundle, 1), 1),
        _ => (destination(bundle, 1), 1),
    };
    // Of REX only the width has a meaning here, and not for bytes.
    let has_rex = instruction.rex != 0 && (instruction.rex != 0x48 || instruction.opcode & 1 == 0);
    if !is_confined || has_rex {
        return Err(Rule::UnconfinedString);
    }
    debug_assert!(bundle.start(back + 1) < BUNDLE);
    bundle.close(back);
    Ok(())
}
