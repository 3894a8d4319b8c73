//! Prologue and epilogue, and moves of the stack pointer.
//!
//! A small frame is taken at once. Of a larger one the part with the saved registers comes first, which pairs of registers
//! reach, and then the rest, page by page from a page on, each of which is touched. Where the saved registers are at the
//! bottom, the access to the first of them moves the stack pointer.

use super::Emitter;
use super::kinds::Target;
use crate::abi::DWARF_SP;
use crate::inst::{Amode, Base};
use core::ops::Range;
use ice_asm::Listing;
use ice_asm::aarch64::{
    Alu, ArithImm, BranchCond, Compare, Cond, Extend, FloatWidth, Gpr, Mem, Offset, Operand, PairTransfer,
    Transfer, Vreg, Width, fits_pair,
};
use ice_codegen::FrameChange;
use ice_codegen::abi::PAGE;
use ice_codegen::emission::{FrameEmitter, FrameState, InstEmitter as _, StackSteps};
use ice_codegen::mach::FramePointer;

/// `paciasp`: signs x30 with the stack pointer (DDI 0487, C6.2). Processors without signatures do nothing, as with the others.
const SIGN_RETURN: u8 = 25;
/// `autiasp`: makes x30 an address again, one of nothing if its signature is wrong.
const CHECK_RETURN: u8 = 29;
/// `xpaclri`: makes x30 an address, whatever its signature.
pub(super) const STRIP_RETURN: u8 = 7;
/// `bti c`: calls may lead here, and jumps by x16 and x17.
const LANDING_OF_CALLS: u8 = 34;
/// `bti j`: jumps may lead here.
pub(super) const LANDING_OF_JUMPS: u8 = 36;

/// Steps of the stack pointer of one page.
fn page() -> Option<ArithImm> {
    ArithImm::new(PAGE.into())
}

impl<L: Listing> StackSteps for Emitter<'_, L> {
    fn touch_stack(&mut self) {
        self.e.transfer(Transfer::LdrX, Gpr::ZERO, Mem::new(Gpr::SP, 0));
    }

    fn lower_stack(&mut self, bytes: u32) {
        self.add_offset(Gpr::SP, Gpr::SP, -(bytes as i32));
    }

    fn lower_stack_by_pages(&mut self, pages: u32) {
        self.e.mov_number(Width::W, Gpr::IP0, pages.into());
        let again = self.e.buf.new_label();
        self.e.bind(again);
        self.lower_stack(PAGE);
        self.e.transfer(Transfer::StrX, Gpr::ZERO, Mem::new(Gpr::SP, 0));
        match ArithImm::new(1) {
            Some(one) => self.e.alu(Alu::Sub, Width::W, Gpr::IP0, Gpr::IP0, one),
            None => self.fault("one is no immediate operand"),
        }
        self.e.jump_if(BranchCond::NonZero(Width::W, Gpr::IP0), again);
    }
}

impl<'a, L: Listing> FrameEmitter<'a> for Emitter<'a, L> {
    fn frame_state(&mut self) -> &mut FrameState<'a> {
        &mut self.state
    }

    /// Signs the return address, saves registers and takes the frame, and says so to who unwinds.
    fn prologue(&mut self) {
        self.take_all();
        if self.steps.are_wanted() {
            self.frame.describe(self.facts);
            self.steps.note_body(self.e.buf.offset(), self.facts);
        }
    }

    fn follow_frame(&mut self, is_bare: bool) {
        if !self.steps.are_exact() {
            return;
        }
        let offset = self.e.buf.offset();
        if !is_bare {
            return self.steps.note(offset, FrameChange::Recall);
        }
        self.steps.note(offset, FrameChange::Remember);
        self.steps.note(offset, FrameChange::Address { register: DWARF_SP, offset: 0 });
        for saved in &self.facts.saved {
            self.steps.note(offset, FrameChange::Restored(saved.register));
        }
        if self.facts.signs_return {
            self.steps.note(offset, FrameChange::Signed);
        }
    }
}

impl<L: Listing> Emitter<'_, L> {
    /// Whether the frame is taken in two steps: the last saved register is out of the reach of a pair, or a page is taken.
    fn is_large(&self) -> bool {
        let frame = self.frame;
        frame.layout.size + frame.save_area >= PAGE
            || !fits_pair((frame.layout.size + frame.save_area) as i32, 3)
    }

    /// Begins the function, with its frame if that is taken here. The signing of a return address is good as a landing, too.
    pub(super) fn begin_function(&mut self) {
        let is_late = self.state.late.place().is_some();
        if self.cursor.mach.frame.is_landing && (is_late || !self.frame.signs_return) {
            self.e.hint(LANDING_OF_CALLS);
        }
        self.begin_frame();
    }

    fn take_all(&mut self) {
        let frame = self.frame;
        if frame.signs_return {
            self.e.hint(SIGN_RETURN);
        }
        let (size, area) = (frame.layout.size, frame.save_area);
        let start = if self.is_large() { 0 } else { size };
        let first = if self.is_large() { area } else { area + size };
        match start {
            0 => self.save_at_bottom(first as i32),
            _ => {
                self.lower_stack(first);
                self.each_saved(start as i32, false, 0);
            }
        }
        if frame.has_pointer {
            self.add_offset(Gpr::FP, Gpr::SP, start as i32);
        }
        if self.is_large() {
            self.take_frame(size);
        }
    }

    /// Takes as many bytes, and stores all saved registers from the stack pointer on.
    fn save_at_bottom(&mut self, bytes: i32) {
        if self.frame.saved.is_empty() {
            self.add_offset(Gpr::SP, Gpr::SP, -bytes);
            return self.each_saved(0, false, 0);
        }
        self.first_saved(Offset::Pre(-bytes), false);
        self.each_saved(0, false, 1);
    }

    /// Loads all saved registers from the stack pointer on, and gives back as many bytes.
    fn restore_from_bottom(&mut self, bytes: i32) {
        if self.frame.saved.is_empty() {
            self.each_saved(0, true, 0);
            return self.add_offset(Gpr::SP, Gpr::SP, bytes);
        }
        self.each_saved(0, true, 1);
        self.first_saved(Offset::Post(bytes), true);
    }

    /// Stores or loads the first one or two saved general registers at the stack pointer.
    fn first_saved(&mut self, offset: Offset, is_load: bool) {
        let frame = self.frame;
        if let Some(pair) = frame.saved.chunks(2).next() {
            self.saved_words(pair, Mem { base: Gpr::SP, offset }, is_load);
        }
    }

    /// Stores or loads one or two general registers.
    fn saved_words(&mut self, numbers: &[u8], mem: Mem, is_load: bool) {
        match (numbers, is_load) {
            (&[a, b], true) => self.e.transfer_pair(PairTransfer::LdpX, Gpr::new(a), Gpr::new(b), mem),
            (&[a, b], false) => self.e.transfer_pair(PairTransfer::StpX, Gpr::new(a), Gpr::new(b), mem),
            (&[a], true) => self.e.transfer(Transfer::LdrX, Gpr::new(a), mem),
            (&[a], false) => self.e.transfer(Transfer::StrX, Gpr::new(a), mem),
            _ => {}
        }
    }

    /// Stores or loads all saved registers, which begin at this offset from the stack pointer, but for the first few pairs.
    fn each_saved(&mut self, start: i32, is_load: bool, passed: usize) {
        let frame = self.frame;
        let mut at = start;
        for (n, pair) in frame.saved.chunks(2).enumerate() {
            if n >= passed {
                self.saved_words(pair, Mem::new(Gpr::SP, at), is_load);
            }
            at += 8 * pair.len() as i32;
        }
        for pair in frame.saved_vectors.chunks(2) {
            let (mem, width) = (Mem::new(Gpr::SP, at), FloatWidth::D);
            match (pair, is_load) {
                (&[a, b], true) => self.e.load_float_pair(width, Vreg::new(a), Vreg::new(b), mem),
                (&[a, b], false) => self.e.store_float_pair(width, Vreg::new(a), Vreg::new(b), mem),
                (&[a], true) => self.e.load_float(width, Vreg::new(a), mem),
                (&[a], false) => self.e.store_float(width, Vreg::new(a), mem),
                _ => {}
            }
            at += 8 * pair.len() as i32;
        }
    }

    /// Takes any number of bytes for an object: a touch and a step down, as long as there is a page. The number counts
    /// down, so that no address is computed that would wrap around.
    pub(super) fn take_stack_by_pages(&mut self, amount: Gpr) {
        let Some(page) = page() else { return self.fault("a page is no immediate operand") };
        let (again, done) = (self.e.buf.new_label(), self.e.buf.new_label());
        self.e.bind(again);
        self.touch_stack();
        self.e.compare(Compare::Cmp, Width::X, amount, page);
        self.e.jump_if(BranchCond::Flags(Cond::Lo), done);
        self.e.alu(Alu::Sub, Width::X, Gpr::SP, Gpr::SP, page);
        self.e.alu(Alu::Sub, Width::X, amount, amount, page);
        self.e.jump(again);
        self.e.bind(done);
        self.e.alu(Alu::Sub, Width::X, Gpr::SP, Gpr::SP, Operand::Extend(amount, Extend::Uxtx, 0));
    }

    /// Restores registers, gives back the frame and returns.
    pub(super) fn epilogue(&mut self) {
        self.leave();
        self.e.ret();
        self.e.buf.stop_flow();
    }

    /// Moves stack arguments, restores registers, gives back the frame and jumps.
    pub(super) fn return_call(&mut self, target: Target, moved: Range<u32>, scratch: Option<Gpr>) {
        for offset in moved.step_by(4) {
            let Some(scratch) = scratch else { return self.fault("stack arguments move without a register") };
            for (op, base) in [(Transfer::LdrW, Base::Outgoing), (Transfer::StrW, Base::Incoming)] {
                let at = self.address(Amode::new(base, offset as i32));
                let mem = self.near(at, op.size_log2());
                self.e.transfer(op, scratch, mem);
            }
        }
        self.leave();
        match target {
            Target::Symbol(symbol) => self.e.jump_symbol(symbol),
            // Only by this one may a jump lead to where calls land.
            Target::Register(to) if self.target.tracks_branches => {
                self.e.mov(Width::X, Gpr::IP0, to);
                self.e.jump_reg(Gpr::IP0);
            }
            Target::Register(to) => self.e.jump_reg(to),
        }
        self.e.buf.stop_flow();
    }

    /// Restores registers, gives back the frame, and looks at the signature of the return address.
    fn leave(&mut self) {
        if self.state.is_bare {
            return;
        }
        self.give_back();
        if self.frame.signs_return {
            self.e.hint(CHECK_RETURN);
        }
    }

    fn give_back(&mut self) {
        let frame = self.frame;
        let (size, area) = (frame.layout.size, frame.save_area);
        match frame.layout.pointer {
            FramePointer::Used => self.e.mov(Width::X, Gpr::SP, Gpr::FP),
            FramePointer::None if self.is_large() => self.add_offset(Gpr::SP, Gpr::SP, size as i32),
            FramePointer::None if size > 0 => {
                self.each_saved(size as i32, true, 0);
                return self.add_offset(Gpr::SP, Gpr::SP, (area + size) as i32);
            }
            FramePointer::None => {}
        }
        self.restore_from_bottom(area as i32);
    }
}
