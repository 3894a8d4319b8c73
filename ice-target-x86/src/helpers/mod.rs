//! The functions that confined code calls and that its program does not bring: whoever makes an executable of it links
//! them. They are confined as it is, keep the platform's calling convention with addresses of 32 bits, and refer to
//! nothing. What x86-32 has no instructions for stands in `words`.
//!
//! Memory is copied and filled by the string instructions; remainders of floats come from `fprem`, which is exact. The
//! thread pointer is that of the thread's segment on x86-32; on x86-64 the loader tells it: its system call `tls_get` has
//! a place of its own below the program.

mod words;

use crate::emit::confine::{self, BUNDLE, WINDOW, operand, rebase};
use alloc::vec::Vec;
use ice_asm::x86::{Alu, BaseDisp, Cond, Encoder, Gpr, Imm, Mem, Mode, RepOp, Rm, Scale, Segment, SseOp};
use ice_asm::x86::{Width, X87Mem, X87Reg, Xmm};
use ice_asm::{CodeBuffer, Place};
use ice_codegen::Libcall;

/// The address of the loader's system call `tls_get` in the window: number 84, 32 bytes each from 0x10000 on.
const TLS_GET: i64 = 0x10000 + 84 * 32;

const W: Width = Width::B32;

/// The code of a helper, or `None` where there is none. It begins a bundle.
pub fn confined_helper(mode: Mode, helper: Libcall) -> Option<Vec<u8>> {
    let mut buffer = CodeBuffer::<()>::new();
    buffer.set_bundle(BUNDLE);
    let mut helpers = Helpers { e: Encoder::new(&mut buffer, mode) };
    match helper {
        Libcall::Memcpy => helpers.copy(),
        Libcall::Memmove => helpers.copy_overlapping(),
        Libcall::Memset => helpers.fill(),
        Libcall::Fmod => helpers.remainder(8),
        Libcall::Fmodf => helpers.remainder(4),
        Libcall::ReadTp => helpers.thread_pointer(),
        Libcall::Setjmp => helpers.set_jump(),
        Libcall::Longjmp => helpers.long_jump(),
        _ if mode == Mode::Bits32 => helpers.of_words(helper),
        _ => return None,
    }?;
    // No label and no operand is wrong for all programs or none.
    buffer.finish().ok()?;
    Some(buffer.bytes().to_vec())
}

struct Helpers<'a> {
    e: Encoder<'a>,
}

/// Bytes that the encoder has no instruction for; each of them at most four, in a group by itself.
const STD: &[u8] = &[0xfd];
const CLD: &[u8] = &[0xfc];
const FPREM: &[u8] = &[0xd9, 0xf8];
const FNSTSW: &[u8] = &[0xdf, 0xe0];

/// What the program keeps over calls, with its places in the buffer of `setjmp`.
const KEPT_64: [(Gpr, i32); 4] = [(Gpr::RBX, 0), (Gpr::R12, 8), (Gpr::R13, 16), (Gpr::R14, 24)];
const KEPT_32: [(Gpr, i32); 3] = [(Gpr::RBX, 0), (Gpr::RSI, 4), (Gpr::RDI, 8)];
/// Places of the frame pointer, the stack pointer behind the return, and where that goes.
const FRAME: i32 = 32;
const STACK: i32 = 36;
const PLACE: i32 = 40;

impl Helpers<'_> {
    fn is_64(&self) -> bool {
        self.e.mode == Mode::Bits64
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let group = self.e.buf.start_group();
        self.e.buf.emit_data(bytes);
        self.e.buf.end_group(group, Place::Inside);
    }

    /// Puts the first integer arguments into these registers.
    fn arguments<const N: usize>(&mut self, to: [Gpr; N]) {
        const REGISTERS: [Gpr; 3] = [Gpr::RDI, Gpr::RSI, Gpr::RDX];
        // The last first, which nothing needs behind it.
        for n in (0..N).rev() {
            match self.e.mode {
                Mode::Bits64 if REGISTERS[n] == to[n] => {}
                Mode::Bits64 => self.e.mov_r_rm(W, to[n], Rm::Reg(REGISTERS[n])),
                Mode::Bits32 => {
                    let mem = Mem::base(Gpr::RSP, self.argument_offset(n as i32));
                    self.e.mov_r_rm(W, to[n], Rm::Mem(mem));
                }
            }
        }
    }

    /// Where a stack argument is: behind the return address and what is saved.
    fn argument_offset(&self, n: i32) -> i32 {
        12 + 4 * n
    }

    /// Where the string instructions work, x86-32 keeps what their addresses are in.
    fn begin_string(&mut self) {
        if !self.is_64() {
            self.e.push_r(Gpr::RDI);
            self.e.push_r(Gpr::RSI);
        }
    }

    fn end_string(&mut self) -> Option<()> {
        if !self.is_64() {
            self.e.pop_r(Gpr::RSI);
            self.e.pop_r(Gpr::RDI);
        }
        self.ret()
    }

    fn ret(&mut self) -> Option<()> {
        confine::ret(&mut self.e);
        Some(())
    }

    /// A repeated string instruction, with its addresses.
    fn string(&mut self, op: RepOp) {
        let registers: &[Gpr] = match (self.e.mode, op) {
            (Mode::Bits32, _) => &[],
            (Mode::Bits64, RepOp::Movs) => &[Gpr::RSI, Gpr::RDI],
            (Mode::Bits64, RepOp::Stos) => &[Gpr::RDI],
        };
        self.e.buf.lock(2 * registers.len() as u32 + 1, Place::Inside);
        for &reg in registers {
            self.e.mov_r_rm(W, reg, Rm::Reg(reg));
            self.e.lea(Width::B64, reg, Mem::base_index(WINDOW, reg, Scale::X1, 0));
        }
        self.e.rep(op, Width::B8);
    }

    /// `memcpy(to, from, count)`
    fn copy(&mut self) -> Option<()> {
        self.begin_string();
        self.arguments([Gpr::RDI, Gpr::RSI, Gpr::RCX]);
        self.string(RepOp::Movs);
        self.end_string()
    }

    /// `memmove(to, from, count)`: from behind, if the end of the source would be overwritten before it is read.
    fn copy_overlapping(&mut self) -> Option<()> {
        self.begin_string();
        self.arguments([Gpr::RDI, Gpr::RSI, Gpr::RCX]);
        let [forward, end] = [0; 2].map(|_| self.e.buf.new_label());
        self.e.mov_r_rm(W, Gpr::RAX, Rm::Reg(Gpr::RDI));
        self.e.alu_r_r(Alu::Sub, W, Gpr::RAX, Gpr::RSI);
        self.e.alu_r_r(Alu::Cmp, W, Gpr::RAX, Gpr::RCX);
        self.e.jump_if(Cond::Ae, forward);
        self.e.lea(W, Gpr::RSI, Mem::base_index(Gpr::RSI, Gpr::RCX, Scale::X1, -1));
        self.e.lea(W, Gpr::RDI, Mem::base_index(Gpr::RDI, Gpr::RCX, Scale::X1, -1));
        self.bytes(STD);
        self.string(RepOp::Movs);
        self.bytes(CLD);
        self.e.jump(end);
        self.e.bind(forward);
        self.string(RepOp::Movs);
        self.e.bind(end);
        self.end_string()
    }

    /// `memset(to, byte, count)`
    fn fill(&mut self) -> Option<()> {
        self.begin_string();
        self.arguments([Gpr::RDI, Gpr::RAX, Gpr::RCX]);
        self.string(RepOp::Stos);
        self.end_string()
    }

    /// `fmod`, `fmodf`: of floats of so many bytes.
    fn remainder(&mut self, size: i32) -> Option<()> {
        let (load, store, moved) = match size {
            4 => (X87Mem::Fld32, X87Mem::Fstp32, SseOp::Movss),
            _ => (X87Mem::Fld64, X87Mem::Fstp64, SseOp::Movsd),
        };
        let [x, y] = match self.e.mode {
            Mode::Bits32 => [4, 4 + size],
            Mode::Bits64 => [-8, -16],
        };
        let [x, y] = [x, y].map(|offset| Mem::base(Gpr::RSP, offset));
        if self.is_64() {
            self.e.sse_m_x(moved, x, Xmm::XMM0);
            self.e.sse_m_x(moved, y, Xmm::XMM1);
        }
        self.e.x87_m(load, y);
        self.e.x87_m(load, x);
        let again = self.e.buf.new_label();
        self.e.bind(again);
        self.bytes(FPREM);
        self.bytes(FNSTSW);
        // C2: not yet reduced.
        self.e.test_rm_i(W, Rm::Reg(Gpr::RAX), Imm::from(0x400));
        self.e.jump_if(Cond::Ne, again);
        self.e.x87_st(X87Reg::Fstp, 1);
        if self.is_64() {
            self.e.x87_m(store, x);
            self.e.sse_x_xm(moved, Xmm::XMM0, Rm::Mem(x));
        }
        self.ret()
    }

    fn thread_pointer(&mut self) -> Option<()> {
        if self.is_64() {
            // It returns to the caller.
            self.e.mov_r_i(W, Gpr::R11, TLS_GET);
            confine::jump(&mut self.e, Gpr::R11);
            return Some(());
        }
        self.e.mov_r_rm(W, Gpr::RAX, Rm::Mem(Mem::absolute(0).with_segment(Segment::Gs)));
        self.ret()
    }

    /// A place of the buffer, whose address is in rdi or edx, for the next instruction.
    fn saved(&mut self, offset: i32) -> Mem {
        match self.e.mode {
            Mode::Bits32 => Mem::base(Gpr::RDX, offset),
            Mode::Bits64 => operand(&mut self.e, BaseDisp::new(Gpr::RDI, offset).into()),
        }
    }

    const fn kept(mode: Mode) -> (Width, &'static [(Gpr, i32)]) {
        match mode {
            Mode::Bits32 => (W, &KEPT_32),
            Mode::Bits64 => (Width::B64, &KEPT_64),
        }
    }

    /// `setjmp(buffer)`
    fn set_jump(&mut self) -> Option<()> {
        let to = confine::jump_register(self.e.mode);
        if !self.is_64() {
            self.e.mov_r_rm(W, Gpr::RDX, Rm::Mem(Mem::base(Gpr::RSP, 4)));
        }
        self.e.pop_r(to);
        let (width, kept) = Self::kept(self.e.mode);
        for &(reg, offset) in kept {
            let mem = self.saved(offset);
            self.e.mov_rm_r(width, Rm::Mem(mem), reg);
        }
        for (reg, offset) in [(Gpr::RBP, FRAME), (Gpr::RSP, STACK), (to, PLACE)] {
            let mem = self.saved(offset);
            self.e.mov_rm_r(W, Rm::Mem(mem), reg);
        }
        self.e.alu_r_r(Alu::Xor, W, Gpr::RAX, Gpr::RAX);
        confine::jump(&mut self.e, to);
        Some(())
    }

    /// `longjmp(buffer, value)`: 0 becomes 1.
    fn long_jump(&mut self) -> Option<()> {
        let to = confine::jump_register(self.e.mode);
        match self.e.mode {
            Mode::Bits64 => self.e.mov_r_rm(W, Gpr::RAX, Rm::Reg(Gpr::RSI)),
            Mode::Bits32 => {
                self.e.mov_r_rm(W, Gpr::RDX, Rm::Mem(Mem::base(Gpr::RSP, 4)));
                self.e.mov_r_rm(W, Gpr::RAX, Rm::Mem(Mem::base(Gpr::RSP, 8)));
            }
        }
        self.e.alu_r_i(Alu::Cmp, W, Gpr::RAX, 1);
        self.e.alu_r_i(Alu::Adc, W, Gpr::RAX, 0);
        let (width, kept) = Self::kept(self.e.mode);
        for &(reg, offset) in kept {
            let mem = self.saved(offset);
            self.e.mov_r_rm(width, reg, Rm::Mem(mem));
        }
        let mem = self.saved(PLACE);
        self.e.mov_r_rm(W, to, Rm::Mem(mem));
        for (reg, offset) in [(Gpr::RBP, FRAME), (Gpr::RSP, STACK)] {
            let mem = self.saved(offset);
            if self.is_64() {
                self.e.buf.lock_more(1);
            }
            self.e.mov_r_rm(W, reg, Rm::Mem(mem));
            if self.is_64() {
                rebase(&mut self.e, reg);
            }
        }
        confine::jump(&mut self.e, to);
        Some(())
    }
}
