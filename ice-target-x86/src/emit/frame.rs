//! Prologue and epilogue, and moves of the stack pointer.

use super::Emitter;
use crate::abi::Probe;
use crate::inst::{Amode, Base, Callee};
use crate::regs;
use core::ops::Range;
use ice_asm::x86::{Alu, Cond, Gpr, Imm, Mem, Rm, Width};
use ice_asm::{Listing, RelocKind};
use ice_codegen::abi::PAGE;
use ice_codegen::emission::InstEmitter as _;
use ice_codegen::mach::FramePointer;

impl<L: Listing> Emitter<'_, L> {
    /// Saves registers and takes the frame.
    pub(super) fn prologue(&mut self) {
        let width = self.stack_width();
        if self.frame.pointer == FramePointer::Used {
            self.e.push_r(Gpr::RBP);
            self.e.mov_r_rm(width, Gpr::RBP, Rm::Reg(Gpr::RSP));
        }
        for &reg in &self.frame.saved {
            self.e.push_r(regs::gpr(reg));
        }
        let mut size = self.frame.size;
        if size >= PAGE {
            let limit = match self.frame.probe {
                Probe::Rax => Gpr::RAX,
                Probe::Rbx => Gpr::RBX,
                Probe::Rcx => Gpr::RCX,
                Probe::R11 => Gpr::R11,
                Probe::R10 => Gpr::R10,
            };
            let whole = size / PAGE * PAGE;
            size -= whole;
            self.e.lea(width, limit, Mem::base(Gpr::RSP, -(whole as i32)));
            let again = self.e.buf.new_label();
            self.e.bind(again);
            self.e.alu_rm_i(Alu::Sub, width, Rm::Reg(Gpr::RSP), Imm::from(PAGE as i32));
            self.touch_stack();
            self.e.alu_rm_r(Alu::Cmp, width, Rm::Reg(Gpr::RSP), limit);
            self.e.jump_if(Cond::Ne, again);
        }
        if size > 0 {
            self.e.alu_r_i(Alu::Sub, width, Gpr::RSP, size as i32);
        }
    }

    /// Meets the guard page, if the stack pointer has reached it.
    fn touch_stack(&mut self) {
        self.e.alu_rm_i(Alu::Or, Width::B32, Rm::Mem(Mem::base(Gpr::RSP, 0)), Imm::from(0));
    }

    /// Takes less than a page for an object. What was taken before may lie untouched, be it the frame or other
    /// objects, but is less than a page as well.
    pub(super) fn take_stack(&mut self, bytes: u32) {
        self.touch_stack();
        self.e.alu_r_i(Alu::Sub, self.stack_width(), Gpr::RSP, bytes as i32);
    }

    /// Takes any number of bytes for an object: a touch and a step down, as long as there is a page. The number counts
    /// down, so that no address is computed that would wrap around.
    pub(super) fn take_stack_by_pages(&mut self, amount: Gpr) {
        let (width, count_width) = (self.stack_width(), self.target.address_width());
        let [again, last] = [0; 2].map(|_| self.e.buf.new_label());
        self.e.bind(again);
        self.touch_stack();
        self.e.alu_r_i(Alu::Sub, count_width, amount, PAGE as i32);
        self.e.jump_if(Cond::B, last);
        self.e.alu_r_i(Alu::Sub, width, Gpr::RSP, PAGE as i32);
        self.e.jump(again);
        self.e.bind(last);
        self.e.alu_r_i(Alu::Add, count_width, amount, PAGE as i32);
        self.e.alu_r_rm(Alu::Sub, width, Gpr::RSP, Rm::Reg(amount));
    }

    /// Gives back the frame, restores registers and returns.
    pub(super) fn epilogue(&mut self) {
        self.leave();
        match self.cursor.mach.frame.popped {
            0 => self.e.ret(),
            bytes => self.e.ret_pop(bytes as u16),
        }
    }

    /// Moves stack arguments, gives back the frame, restores registers and jumps.
    pub(super) fn return_call(&mut self, callee: Callee, at: u8, moved: Range<u32>, scratch: Option<Gpr>) {
        let width = self.stack_width();
        for offset in moved.step_by(width.bytes() as usize) {
            let [from, to] = [Base::Outgoing, Base::Incoming].map(|base| Amode::new(base, offset as i32));
            let [from, to] = [self.address(&from), self.address(&to)];
            match scratch {
                Some(scratch) => {
                    self.e.mov_r_rm(width, scratch, Rm::Mem(from));
                    self.e.mov_rm_r(width, Rm::Mem(to), scratch);
                }
                None => return self.fault("stack arguments move without a register"),
            }
        }
        self.leave();
        match callee {
            Callee::Symbol(symbol) => self.e.jmp_symbol(symbol, RelocKind::PcRel32),
            Callee::Linked(symbol) => self.e.jmp_symbol(symbol, RelocKind::Plt32),
            Callee::Value(_) => self.e.jmp_rm(Rm::Reg(Gpr::new(at))),
        }
    }

    /// Gives back the frame and restores registers.
    fn leave(&mut self) {
        let width = self.stack_width();
        let frame = self.frame;
        match frame.pointer {
            FramePointer::Used => {
                let saved = frame.saved.len() as i32 * width.bytes() as i32;
                self.e.lea(width, Gpr::RSP, Mem::base(Gpr::RBP, -saved));
            }
            FramePointer::None if frame.size > 0 => {
                self.e.alu_r_i(Alu::Add, width, Gpr::RSP, frame.size as i32);
            }
            FramePointer::None => {}
        }
        for &reg in frame.saved.iter().rev() {
            self.e.pop_r(regs::gpr(reg));
        }
        if frame.pointer == FramePointer::Used {
            self.e.pop_r(Gpr::RBP);
        }
    }
}
