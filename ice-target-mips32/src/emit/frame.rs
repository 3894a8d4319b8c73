//! Prologue and epilogue, and moves of the stack pointer.
//!
//! A frame below a page is taken at once. Of a larger one the part with the saved registers comes first, then page by
//! page, each of which is touched.

use super::Emitter;
use super::confine::bit;
use crate::inst::{Amode, Base};
use core::ops::Range;
use ice_asm::mips32::{Alu, AluSigned, Cond, FloatWidth, Fpr, Gpr, Jump, Mem, Slot, Taken, Transfer};
use ice_asm::{Listing, SymbolId};
use ice_codegen::abi::PAGE;
use ice_codegen::emission::{FrameEmitter, FrameState, InstEmitter as _, StackSteps};
use ice_codegen::mach::FramePointer;

impl<L: Listing> StackSteps for Emitter<'_, L> {
    fn touch_stack(&mut self) {
        self.e.transfer(Transfer::Lw, Gpr::AT, Mem::new(Gpr::SP, 0));
    }

    fn lower_stack(&mut self, bytes: u32) {
        self.step_stack(Gpr::SP, -(bytes as i32));
    }

    fn lower_stack_by_pages(&mut self, pages: u32) {
        self.e.load_number(Gpr::AT, pages);
        let again = self.e.buf.new_label();
        self.e.bind(again);
        self.step_stack(Gpr::SP, -(PAGE as i32));
        self.e.transfer(Transfer::Sw, Gpr::AT, Mem::new(Gpr::SP, 0));
        self.e.alu_signed(AluSigned::Addiu, Gpr::AT, Gpr::AT, -1);
        self.e.branch(Some(Cond::Ne(Gpr::AT, Gpr::ZERO)), again, Slot::default());
    }
}

impl<'a, L: Listing> FrameEmitter<'a> for Emitter<'a, L> {
    fn frame_state(&mut self) -> &mut FrameState<'a> {
        &mut self.state
    }

    fn prologue(&mut self) {
        let (size, area) = (self.frame.layout.size, self.frame.save_area);
        let is_large = self.is_large();
        let first = if is_large { area } else { area + size };
        self.step_stack(Gpr::SP, -(first as i32));
        self.each_saved(if is_large { 0 } else { size as i32 }, Transfer::Sw);
        if is_large {
            self.take_frame(size);
        }
        if self.frame.layout.pointer == FramePointer::Used {
            self.copy(Gpr::FP, Gpr::SP);
        }
    }
}

impl<L: Listing> Emitter<'_, L> {
    /// Whether the frame is taken in two steps.
    fn is_large(&self) -> bool {
        self.frame.layout.size >= PAGE
    }

    /// Begins the function, with its frame if that is taken here.
    pub(super) fn begin_function(&mut self) {
        self.begin_global_base();
        self.begin_frame();
    }

    /// Stores or loads all saved registers, which begin at this offset from the stack pointer.
    fn each_saved(&mut self, start: i32, op: Transfer) {
        let frame = self.frame;
        for (number, at) in frame.saved_words() {
            self.e.transfer(op, Gpr::new(number), Mem::new(Gpr::SP, start + at));
        }
        for (number, at) in frame.saved_floats() {
            let (reg, mem) = (Fpr::new(number), Mem::new(Gpr::SP, start + at));
            match op.is_load() {
                true => self.load_float(FloatWidth::D, reg, mem),
                false => self.store_float(FloatWidth::D, reg, mem),
            }
        }
    }

    /// Takes any number of bytes for an object: a touch and a step down, as long as there is a page. The number counts
    /// down, so that no address is computed that would wrap around.
    pub(super) fn take_stack_by_pages(&mut self, amount: Gpr) {
        let (again, done) = (self.e.buf.new_label(), self.e.buf.new_label());
        self.e.bind(again);
        self.touch_stack();
        self.e.alu_signed(AluSigned::Sltiu, Gpr::AT, amount, PAGE as i32);
        self.e.branch(Some(Cond::Ne(Gpr::AT, Gpr::ZERO)), done, Slot::default());
        self.step_stack(Gpr::SP, -(PAGE as i32));
        let step = self.e.slot(|e| e.alu_signed(AluSigned::Addiu, amount, amount, -(PAGE as i32)));
        self.e.branch(None, again, step);
        self.e.bind(done);
        self.write_stack(|e| e.alu(Alu::Subu, Gpr::SP, Gpr::SP, amount));
    }

    /// Restores registers, gives back the frame and returns.
    pub(super) fn epilogue(&mut self) {
        self.leave(Leave::To(Gpr::RA));
    }

    /// Moves stack arguments, restores registers, gives back the frame and jumps.
    pub(super) fn return_call(
        &mut self,
        callee: Option<SymbolId>,
        base: Option<Gpr>,
        moved: Range<u32>,
        scratch: Option<Gpr>,
    ) {
        for offset in moved.step_by(4) {
            let Some(scratch) = scratch else { return self.fault("stack arguments move without a register") };
            for (op, base) in [(Transfer::Lw, Base::Outgoing), (Transfer::Sw, Base::Incoming)] {
                let mem = self.mem(Amode::new(base, offset as i32));
                self.transfer(op, scratch, mem);
            }
        }
        if let Some(base) = base {
            self.copy(Gpr::GP, base);
        }
        self.leave(match callee {
            Some(symbol) => Leave::ToSymbol(symbol),
            None => Leave::To(Gpr::T9),
        });
    }

    /// Restores registers, gives back the frame, and leaves by a jump with a slot.
    fn leave(&mut self, leave: Leave) {
        let (size, area) = (self.frame.layout.size, self.frame.save_area);
        let taken = if self.is_grouped { self.take_before_leaving(leave) } else { Taken::default() };
        if self.frame.layout.pointer == FramePointer::Used {
            self.step_stack(Gpr::FP, 0);
        }
        let last = match self.is_large() {
            _ if self.state.is_bare => 0,
            true => {
                self.step_stack(Gpr::SP, size as i32);
                self.each_saved(0, Transfer::Lw);
                area
            }
            false => {
                self.each_saved(size as i32, Transfer::Lw);
                area + size
            }
        };
        if self.is_grouped {
            self.step_stack(Gpr::SP, last as i32);
            self.leave_in_group(leave, taken);
        } else {
            match leave {
                Leave::To(to) => self.e.jr(to),
                Leave::ToSymbol(symbol) => self.e.jump_symbol(Jump::J, symbol),
            }
            match last {
                0 => self.e.fill_slot(),
                _ => self.step_stack(Gpr::SP, last as i32),
            }
        }
        self.e.buf.stop_flow();
    }

    /// The last instruction before all this, if it may come behind it.
    fn take_before_leaving(&mut self, leave: Leave) -> Taken {
        let frame = self.frame;
        let saved = frame.saved_words().fold(0, |all, (number, _)| all | 1 << number);
        let doubles = frame.saved_floats().fold(0, |all, (number, _)| all | 1 << (number / 2));
        let to = if let Leave::To(to) = leave { bit(to) } else { 0 };
        self.e.take_last(saved | to | bit(Gpr::SP) | bit(Gpr::FP) | bit(Gpr::AT), doubles)
    }
}

/// Where a function goes when it leaves.
#[derive(Clone, Copy)]
pub(super) enum Leave {
    /// To the address in a register.
    To(Gpr),
    /// To a symbol.
    ToSymbol(SymbolId),
}
