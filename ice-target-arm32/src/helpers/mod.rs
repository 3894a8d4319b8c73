//! The functions that confined code calls and that its program does not bring: whoever makes an executable of it links
//! them. They are confined as it is, keep the procedure call standard (the base standard where the run-time ABI has the
//! name), and refer to nothing. Quotients, remainders and conversions stand in `words`, remainders of floats in `floats`.
//!
//! Memory is copied and filled by 32 bytes, then by words and bytes: two masks are two sixths of the instructions then.

mod floats;
mod words;

use crate::emit::AL;
use crate::emit::confine::{BUNDLE, jump, mask_base, set_stack};
use crate::inst::FloatSize;
use alloc::vec::Vec;
use ice_asm::arm32::{
    Alu, Branches, Compare, Cond, Direction, Dreg, Encoder, Flags, Gpr, Index, Lane, Mem, ModImm, Move,
    Multiple, NeonTransfer, Operand2, Qreg, RegList, Shift, Sreg, Transfer, Writeback,
};
use ice_asm::{CodeBuffer, Label};
use ice_codegen::Libcall;

/// The code of a helper, or `None` where there is none. It begins a bundle.
pub fn confined_helper(helper: Libcall) -> Option<Vec<u8>> {
    let mut buffer = CodeBuffer::<(), Branches>::new();
    buffer.set_bundle(BUNDLE);
    let mut helpers = Helpers { e: Encoder::new(&mut buffer) };
    match helper {
        Libcall::Memcpy => helpers.copy(),
        Libcall::Memmove => helpers.copy_overlapping(),
        Libcall::Memset => helpers.fill(),
        Libcall::Popcountsi2 => helpers.count_ones(&[R0]),
        Libcall::Popcountdi2 => helpers.count_ones(&[R0, R1]),
        Libcall::Setjmp => helpers.set_jump(),
        Libcall::Longjmp => helpers.long_jump(),
        Libcall::Fmod => helpers.remainder(FloatSize::Double),
        Libcall::Fmodf => helpers.remainder(FloatSize::Single),
        _ => helpers.of_words(helper)?,
    }
    // No label and no operand is wrong for all programs or none.
    buffer.finish().ok()?;
    Some(buffer.bytes().to_vec())
}

struct Helpers<'a> {
    e: Encoder<'a>,
}

const R0: Gpr = Gpr::new(0);
const R1: Gpr = Gpr::new(1);
const R2: Gpr = Gpr::new(2);
const R3: Gpr = Gpr::new(3);

/// What is copied and filled at once: four doublewords.
const CHUNK: u32 = 32;

/// Core registers that the program keeps over calls. The stack pointer and the place to go on follow them.
const KEPT: RegList = RegList(0x0df0);
/// Doublewords that it keeps: as many from the first on.
const KEPT_DOUBLES: (Dreg, u8) = (Dreg::new(8), 8);

impl Helpers<'_> {
    // ---- single instructions

    fn alu(&mut self, op: Alu, d: Gpr, n: Gpr, operand: impl Into<Operand2>) {
        self.e.alu(AL, op, Flags::Keep, d, n, operand);
    }

    /// The same, with the flags of the result.
    fn alu_flags(&mut self, op: Alu, d: Gpr, n: Gpr, operand: impl Into<Operand2>) {
        self.e.alu(AL, op, Flags::Set, d, n, operand);
    }

    fn mov(&mut self, d: Gpr, operand: impl Into<Operand2>) {
        self.mov_if(AL, d, operand);
    }

    fn mov_if(&mut self, cond: Cond, d: Gpr, operand: impl Into<Operand2>) {
        self.e.mov(cond, Move::Mov, Flags::Keep, d, operand);
    }

    fn number(&mut self, d: Gpr, number: u32) {
        self.e.mov_u32(AL, d, number);
    }

    fn compare(&mut self, n: Gpr, operand: impl Into<Operand2>) {
        self.e.compare(AL, Compare::Cmp, n, operand);
    }

    fn label(&mut self) -> Label {
        self.e.buf.new_label()
    }

    /// A label that is here.
    fn here(&mut self) -> Label {
        let label = self.label();
        self.e.bind(label);
        label
    }

    fn ret(&mut self) {
        jump(&mut self.e, Gpr::LR);
    }

    fn transfer(&mut self, op: Transfer, t: Gpr, mem: Mem) {
        mask_base(&mut self.e, AL, mem.base);
        self.e.transfer(AL, op, t, mem);
    }

    fn transfer_chunk(&mut self, op: NeonTransfer, base: Gpr, index: Index) {
        mask_base(&mut self.e, AL, base);
        self.e.neon_transfer(op, Lane::B8, Dreg::new(0), (CHUNK / 8) as u8, base, index);
    }

    // ---- memory

    /// Repeats what `step` writes as long as `size` bytes are left of those that r2 counts.
    fn while_left(&mut self, size: u32, step: impl FnOnce(&mut Self)) {
        let (enough, end) = (self.label(), self.label());
        self.alu_flags(Alu::Sub, R2, R2, imm(size));
        self.e.jump_if(Cond::Lo, end);
        self.e.bind(enough);
        step(self);
        self.alu_flags(Alu::Sub, R2, R2, imm(size));
        self.e.jump_if(Cond::Hs, enough);
        self.e.bind(end);
        self.alu(Alu::Add, R2, R2, imm(size));
    }

    /// Copies a unit from r1 to r0 and steps both.
    fn copy_unit(&mut self, load: Transfer, store: Transfer, (index, step): (Index, i32)) {
        self.transfer(load, R3, Mem { index, ..Mem::new(R1, step) });
        self.transfer(store, R3, Mem { index, ..Mem::new(R0, step) });
    }

    /// `memcpy(to, from, count)`
    fn copy(&mut self) {
        self.while_left(CHUNK, |this| {
            this.transfer_chunk(NeonTransfer::Vld1, R1, Index::Post);
            this.transfer_chunk(NeonTransfer::Vst1, R0, Index::Post);
        });
        self.while_left(4, |this| this.copy_unit(Transfer::Ldr, Transfer::Str, (Index::Post, 4)));
        self.while_left(1, |this| this.copy_unit(Transfer::Ldrb, Transfer::Strb, (Index::Post, 1)));
        self.ret();
    }

    /// `memmove(to, from, count)`: from behind, if the end of the source would be overwritten before it is read.
    fn copy_overlapping(&mut self) {
        let backward = self.label();
        self.alu(Alu::Sub, R3, R0, R1);
        self.compare(R3, R2);
        self.e.jump_if(Cond::Lo, backward);
        self.copy();
        self.e.bind(backward);
        self.alu(Alu::Add, R0, R0, R2);
        self.alu(Alu::Add, R1, R1, R2);
        self.while_left(CHUNK, |this| {
            for (op, base) in [(NeonTransfer::Vld1, R1), (NeonTransfer::Vst1, R0)] {
                this.alu(Alu::Sub, base, base, imm(CHUNK));
                this.transfer_chunk(op, base, Index::Offset);
            }
        });
        self.while_left(4, |this| this.copy_unit(Transfer::Ldr, Transfer::Str, (Index::Pre, -4)));
        self.while_left(1, |this| this.copy_unit(Transfer::Ldrb, Transfer::Strb, (Index::Pre, -1)));
        self.ret();
    }

    /// `memset(to, byte, count)`
    fn fill(&mut self) {
        for quad in [0, 1] {
            self.e.vdup_r(AL, Lane::B8, Qreg::new(quad), R1);
        }
        self.e.vmov_r_s(AL, R1, Sreg::new(0));
        self.while_left(CHUNK, |this| this.transfer_chunk(NeonTransfer::Vst1, R0, Index::Post));
        for (op, step) in [(Transfer::Str, 4), (Transfer::Strb, 1)] {
            let mem = Mem { index: Index::Post, ..Mem::new(R0, step) };
            self.while_left(step as u32, |this| this.transfer(op, R1, mem));
        }
        self.ret();
    }

    // ---- bits

    /// `__popcountsi2`, `__popcountdi2`: sums of neighbours, in fields of 2, 4 and 8 bits (Warren, *Hacker's Delight*, 5-1).
    fn count_ones(&mut self, words: &[Gpr]) {
        let (mask, other) = (R2, R3);
        let by = |reg, amount| Operand2::Shift(reg, Shift::Lsr, amount);
        self.number(mask, 0x5555_5555);
        for &word in words {
            self.alu(Alu::And, other, mask, by(word, 1));
            self.alu(Alu::Sub, word, word, other);
        }
        self.number(mask, 0x3333_3333);
        for &word in words {
            self.alu(Alu::And, other, mask, by(word, 2));
            self.alu(Alu::And, word, word, mask);
            self.alu(Alu::Add, word, word, other);
        }
        self.number(mask, 0x0f0f_0f0f);
        for &word in words {
            self.alu(Alu::And, other, mask, by(word, 4));
            self.alu(Alu::And, word, word, mask);
            self.alu(Alu::Add, word, word, other);
        }
        if let &[low, high] = words {
            self.alu(Alu::Add, low, low, high);
        }
        self.number(mask, 0x0101_0101);
        self.e.mul(AL, Flags::Keep, R0, R0, mask);
        self.mov(R0, by(R0, 24));
        self.ret();
    }

    // ---- jumps

    /// `setjmp(buffer)`
    fn set_jump(&mut self) {
        let (first, count) = KEPT_DOUBLES;
        mask_base(&mut self.e, AL, R0);
        self.e.float_multiple(AL, Direction::Store, R0, Writeback::Yes, first, count);
        mask_base(&mut self.e, AL, R0);
        self.e.multiple(AL, Multiple::Stm, R0, Writeback::Yes, KEPT);
        self.transfer(Transfer::Str, Gpr::SP, Mem::new(R0, 0));
        self.transfer(Transfer::Str, Gpr::LR, Mem::new(R0, 4));
        self.mov(R0, imm(0));
        self.ret();
    }

    /// `longjmp(buffer, value)`: 0 becomes 1.
    fn long_jump(&mut self) {
        let (first, count) = KEPT_DOUBLES;
        mask_base(&mut self.e, AL, R0);
        self.e.float_multiple(AL, Direction::Load, R0, Writeback::Yes, first, count);
        mask_base(&mut self.e, AL, R0);
        self.e.multiple(AL, Multiple::Ldm, R0, Writeback::Yes, KEPT);
        self.transfer(Transfer::Ldr, R2, Mem::new(R0, 0));
        self.transfer(Transfer::Ldr, Gpr::LR, Mem::new(R0, 4));
        set_stack(&mut self.e, R2);
        self.compare(R1, imm(0));
        self.mov(R0, R1);
        self.mov_if(Cond::Eq, R0, imm(1));
        self.ret();
    }
}

/// A number of eight bits.
fn imm(value: u32) -> Operand2 {
    Operand2::Imm(ModImm::small(value as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ice_validator::{Features, Target, Text, scratch_words, validate};

    /// Every helper keeps the rules of confined code.
    #[test]
    fn helpers_are_confined() {
        let mut count = 0;
        for &libcall in Libcall::ALL {
            let Some(mut code) = confined_helper(libcall) else { continue };
            while !code.len().is_multiple_of(BUNDLE as usize) {
                code.extend(0xe320_f000_u32.to_le_bytes());
            }
            let text = Text { bytes: &code, address: 0x20000 };
            let mut scratch = alloc::vec![0; scratch_words(code.len())];
            let verdict = validate(Target::Arm32, Features::ALL, text, &mut scratch);
            assert_eq!(verdict, Ok(()), "{}", libcall.name());
            count += 1;
        }
        assert_eq!(count, 25);
    }
}
