//! Prologue and epilogue, and moves of the stack pointer.

use super::{AL, Emitter, imm};
use crate::abi::SAVED_PAIR;
use crate::inst::{Amode, Base, Callee};
use core::ops::Range;
use ice_asm::Listing;
use ice_asm::arm32::{Alu, Cond, Dreg, Flags, Gpr, Mem, ModImm, RegList, Transfer};
use ice_codegen::abi::PAGE;
use ice_codegen::emission::{FrameEmitter, FrameState, InstEmitter as _, StackSteps};
use ice_codegen::mach::FramePointer;

/// The size of a page as an operand.
const PAGE_IMM: ModImm = ModImm::new(PAGE).expect("a power of two can be encoded");

impl<L: Listing> StackSteps for Emitter<'_, L> {
    fn touch_stack(&mut self) {
        self.e.transfer(AL, Transfer::Ldr, Gpr::IP, Mem::new(Gpr::SP, 0));
    }

    fn lower_stack(&mut self, bytes: u32) {
        self.add_offset(Gpr::SP, Gpr::SP, -(bytes as i32));
    }

    fn lower_stack_by_pages(&mut self, pages: u32) {
        self.e.mov_u32(AL, Gpr::IP, pages);
        let again = self.e.buf.new_label();
        self.e.bind(again);
        self.alu_to(AL, Alu::Sub, Gpr::SP, Gpr::SP, PAGE_IMM);
        self.e.transfer(AL, Transfer::Str, Gpr::IP, Mem::new(Gpr::SP, 0));
        self.e.alu(AL, Alu::Sub, Flags::Set, Gpr::IP, Gpr::IP, imm(1));
        self.e.jump_if(Cond::Ne, again);
    }
}

impl<'a, L: Listing> FrameEmitter<'a> for Emitter<'a, L> {
    fn frame_state(&mut self) -> &mut FrameState<'a> {
        &mut self.state
    }

    fn prologue(&mut self) {
        let frame = self.frame;
        if frame.register_arguments > 0 {
            self.add_offset(Gpr::SP, Gpr::SP, -(frame.register_arguments as i32));
        }
        if !frame.saved.is_empty() {
            self.e.push(AL, frame.saved);
        }
        if frame.layout.pointer == FramePointer::Used {
            self.add_offset(Gpr::new(11), Gpr::SP, 4 * frame.saved.len() as i32 - SAVED_PAIR);
        }
        let (first, count) = frame.saved_doubles;
        if count > 0 {
            self.e.vpush(AL, Dreg::new(first), count);
        }
        self.take_frame(frame.layout.size);
    }
}

impl<L: Listing> Emitter<'_, L> {
    /// Takes any number of bytes for an object: a touch and a step down, as long as there is a page. The number counts
    /// down, so that no address is computed that would wrap around.
    pub(super) fn take_stack_by_pages(&mut self, amount: Gpr) {
        let again = self.e.buf.new_label();
        self.e.bind(again);
        self.touch_stack();
        self.e.alu(AL, Alu::Sub, Flags::Set, amount, amount, PAGE_IMM);
        self.alu_to(Cond::Hs, Alu::Sub, Gpr::SP, Gpr::SP, PAGE_IMM);
        self.e.jump_if(Cond::Hs, again);
        self.e.alu(AL, Alu::Add, Flags::Keep, amount, amount, PAGE_IMM);
        self.alu_to(AL, Alu::Sub, Gpr::SP, Gpr::SP, amount);
    }

    /// Gives back the frame, restores registers and returns.
    pub(super) fn epilogue(&mut self) {
        if self.state.is_bare {
            return self.jump_register(Gpr::LR);
        }
        let frame = self.frame;
        match frame.layout.pointer {
            FramePointer::None => self.add_offset(Gpr::SP, Gpr::SP, frame.layout.size as i32),
            FramePointer::Used => self.add_offset(Gpr::SP, self.base(), self.below_base()),
        }
        self.restore_doubles();
        if frame.saved.is_empty() || frame.register_arguments > 0 || self.is_confined {
            if !frame.saved.is_empty() {
                self.e.pop(AL, frame.saved);
            }
            self.add_offset(Gpr::SP, Gpr::SP, frame.register_arguments as i32);
            self.jump_register(Gpr::LR);
        } else {
            // lr is in the list: it goes to pc.
            let lr = RegList::default().with(Gpr::LR);
            self.e.pop(AL, RegList(frame.saved.0 & !lr.0).with(Gpr::PC));
            self.e.buf.stop_flow();
        }
    }

    /// The offset of the saved doubleword registers from r11.
    fn below_base(&self) -> i32 {
        let (_, count) = self.frame.saved_doubles;
        SAVED_PAIR - 4 * self.frame.saved.len() as i32 - 8 * i32::from(count)
    }

    fn restore_doubles(&mut self) {
        let (first, count) = self.frame.saved_doubles;
        if count > 0 {
            self.e.vpop(AL, Dreg::new(first), count);
        }
    }

    /// Moves stack arguments, gives back the frame, restores registers and jumps. An address is in r12 meanwhile.
    pub(super) fn return_call(&mut self, callee: Callee, moved: Range<u32>, scratch: Option<Gpr>) {
        for offset in moved.step_by(4) {
            let Some(scratch) = scratch else { return self.fault("stack arguments move without a register") };
            for (op, base) in [(Transfer::Ldr, Base::Outgoing), (Transfer::Str, Base::Incoming)] {
                let mem = self.mem(op, &Amode::new(base, offset as i32));
                self.e.transfer(AL, op, scratch, mem);
            }
        }
        if let Callee::Value(_) = callee {
            let place = self.next();
            self.copy_to(Gpr::IP, place);
        }
        self.leave(callee);
        match callee {
            Callee::Symbol(symbol) => {
                self.e.b_symbol(AL, symbol);
                self.e.buf.stop_flow();
            }
            Callee::Value(_) => self.jump_register(Gpr::IP),
        }
    }

    /// Gives back the frame and restores registers, and leaves r12 alone if the callee's address is there.
    fn leave(&mut self, callee: Callee) {
        if self.state.is_bare {
            return;
        }
        let frame = self.frame;
        match frame.layout.pointer {
            FramePointer::None => self.add_to_sp(frame.layout.size),
            // At most a hundred bytes, which are an operand.
            FramePointer::Used => self.add_offset(Gpr::SP, self.base(), self.below_base()),
        }
        self.restore_doubles();
        let ip = RegList::default().with(Gpr::IP);
        match frame.saved.0 & ip.0 {
            0 if frame.saved.is_empty() => {}
            0 => self.e.pop(AL, frame.saved),
            _ if matches!(callee, Callee::Symbol(_)) => self.e.pop(AL, frame.saved),
            // Pushed as padding, right below lr.
            _ => {
                let lr = RegList::default().with(Gpr::LR);
                let below = RegList(frame.saved.0 & !ip.0 & !lr.0);
                if !below.is_empty() {
                    self.e.pop(AL, below);
                }
                self.add_to_sp(4);
                self.e.pop(AL, lr);
            }
        }
        self.add_to_sp(frame.register_arguments);
    }

    /// Raises the stack pointer by as many additions as the number has groups of eight bits.
    fn add_to_sp(&mut self, bytes: u32) {
        let mut left = bytes;
        while left != 0 {
            let part = left & 0xff << (left.trailing_zeros() & !1);
            match ModImm::new(part) {
                Some(part) => self.alu_to(AL, Alu::Add, Gpr::SP, Gpr::SP, part),
                None => return self.fault("eight bits at an even place are no operand"),
            }
            left &= !part;
        }
    }
}
