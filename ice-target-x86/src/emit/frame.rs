//! Prologue and epilogue, and moves of the stack pointer.
//!
//! Whoever moves the stack pointer, or what the frame hangs off, notes it for unwinding ([`FrameChange`]) if that is
//! wanted. With a frame pointer only the prologue and the epilogue have something to note. A frame may be taken at the
//! start of a block behind the entry ([`late_frame`](ice_codegen::late_frame)).

use super::Emitter;
use crate::frame::{Probe, dwarf_number, dwarf_register};
use crate::inst::{Amode, Base, Callee};
use crate::regs;
use core::ops::Range;
use ice_asm::x86::{Alu, Cond, Gpr, Imm, Mem, Rm, SseOp, Width};
use ice_asm::{Listing, RelocKind};
use ice_codegen::abi::PAGE;
use ice_codegen::emission::{FrameEmitter, FrameState, InstEmitter as _, StackSteps};
use ice_codegen::mach::FramePointer;
use ice_codegen::{FrameChange, SavedRegister};
use ice_regalloc::PReg;

impl<L: Listing> StackSteps for Emitter<'_, L> {
    fn touch_stack(&mut self) {
        self.e.alu_rm_i(Alu::Or, Width::B32, Rm::Mem(Mem::base(Gpr::RSP, 0)), Imm::from(0));
    }

    fn lower_stack(&mut self, bytes: u32) {
        self.move_stack(Alu::Sub, bytes as i32);
    }

    fn lower_stack_by_pages(&mut self, pages: u32) {
        let width = self.stack_width();
        let limit = match self.frame.probe {
            Probe::Rax => Gpr::RAX,
            Probe::Rbx => Gpr::RBX,
            Probe::Rcx => Gpr::RCX,
            Probe::R11 => Gpr::R11,
            Probe::R10 => Gpr::R10,
        };
        let hangs_off_stack = self.frame.layout.pointer == FramePointer::None;
        let bytes = (pages * PAGE) as i32;
        let offset = self.distance() - (self.frame.layout.size as i32 - bytes);
        self.e.lea(width, limit, Mem::base(Gpr::RSP, -bytes));
        if hangs_off_stack {
            self.note(|em| FrameChange::Address { register: em.dwarf(limit), offset });
        }
        let again = self.e.buf.new_label();
        self.e.bind(again);
        self.move_stack(Alu::Sub, PAGE as i32);
        self.touch_stack();
        self.e.alu_rm_r(Alu::Cmp, width, Rm::Reg(Gpr::RSP), limit);
        self.e.jump_if(Cond::Ne, again);
        if hangs_off_stack {
            self.note(|em| FrameChange::Address { register: em.dwarf(Gpr::RSP), offset });
        }
    }
}

impl<'a, L: Listing> FrameEmitter<'a> for Emitter<'a, L> {
    fn frame_state(&mut self) -> &mut FrameState<'a> {
        &mut self.state
    }

    fn bare_incoming(&self) -> i32 {
        self.stack_width().bytes() as i32
    }

    fn prologue(&mut self) {
        let width = self.stack_width();
        let mut pushed = 1;
        if self.frame.layout.pointer == FramePointer::Used {
            self.e.push_r(Gpr::RBP);
            pushed += 1;
            self.note_push(Gpr::RBP, pushed, FramePointer::None);
            self.e.mov_r_rm(width, Gpr::RBP, Rm::Reg(Gpr::RSP));
            self.note(|em| FrameChange::AddressRegister(em.dwarf(Gpr::RBP)));
        }
        for &reg in &self.frame.saved {
            self.e.push_r(regs::gpr(reg));
            pushed += 1;
            self.note_push(regs::gpr(reg), pushed, self.frame.layout.pointer);
        }
        let size = self.frame.layout.size;
        self.take_frame(size);
        self.align_stack();
        if !size.is_multiple_of(PAGE) && self.frame.layout.pointer == FramePointer::None {
            self.note(|em| FrameChange::AddressOffset(em.distance()));
        }
        self.save_preserved_vectors();
    }

    fn follow_frame(&mut self, is_bare: bool) {
        if !self.steps.are_exact() {
            return;
        }
        if !is_bare {
            return self.note(|_| FrameChange::Recall);
        }
        let word = self.stack_width().bytes() as i32;
        self.note(|_| FrameChange::Remember);
        self.note(|em| FrameChange::Address { register: em.dwarf(Gpr::RSP), offset: word });
        for &reg in &self.frame.saved {
            self.note(|em| FrameChange::Restored(em.dwarf(regs::gpr(reg))));
        }
    }
}

impl<L: Listing> Emitter<'_, L> {
    /// Begins the function, with its frame if that is taken here.
    pub(super) fn begin_function(&mut self) {
        if self.target.tracks_branches && self.cursor.mach.frame.is_landing {
            self.e.end_branch();
        }
        self.begin_frame();
    }

    /// Stores the vector registers of the caller.
    fn save_preserved_vectors(&mut self) {
        let frame = self.frame;
        for &(reg, place) in &frame.saved_vectors {
            self.e.sse_m_x(SseOp::Movaps, Mem::base(frame.base(), place), regs::vector(reg));
            self.note(|em| {
                let register = em.dwarf_vector(reg);
                FrameChange::Saved(SavedRegister { register, offset: place - em.base_distance() })
            });
        }
    }

    /// Loads them again, where the frame still is.
    fn restore_preserved_vectors(&mut self) {
        let frame = self.frame;
        for &(reg, place) in &frame.saved_vectors {
            let saved = Rm::Mem(Mem::base(frame.base(), place));
            self.e.sse_x_xm(SseOp::Movaps, regs::vector(reg), saved);
            self.note_leaving(|em| FrameChange::Restored(em.dwarf_vector(reg)));
        }
    }

    /// Brings the stack pointer down to the alignment that the frame must have, if that is more than usual.
    pub(super) fn align_stack(&mut self) {
        let alignment_log2 = self.cursor.mach.frame.alignment_log2;
        if alignment_log2 != 0 {
            self.move_stack(Alu::And, -1 << alignment_log2);
            if 1 << alignment_log2 >= PAGE / 2 {
                self.touch_stack();
            }
        }
    }

    /// The number of a register in tables for unwinding.
    fn dwarf(&self, reg: Gpr) -> u16 {
        dwarf_number(self.mode, reg.number())
    }

    fn dwarf_vector(&self, reg: PReg) -> u16 {
        dwarf_register(self.mode, reg).unwrap_or_default()
    }

    /// From the stack pointer behind the prologue to the canonical frame address, in bytes.
    fn distance(&self) -> i32 {
        let saved =
            self.frame.saved.len() as i32 + i32::from(self.frame.layout.pointer == FramePointer::Used);
        self.frame.layout.size as i32 + (1 + saved) * self.stack_width().bytes() as i32
    }

    /// From where the frame hangs off behind the prologue to the canonical frame address, in bytes.
    fn base_distance(&self) -> i32 {
        match self.frame.layout.pointer {
            FramePointer::None => self.distance(),
            FramePointer::Used => 2 * self.stack_width().bytes() as i32,
        }
    }

    /// Notes a change of the frame behind what was emitted.
    #[inline]
    fn note(&mut self, change: impl FnOnce(&Self) -> FrameChange) {
        if self.steps.are_wanted() {
            let change = change(self);
            self.steps.note(self.e.buf.offset(), change);
        }
    }

    /// Notes that a register of the caller is word number `pushed` below the canonical frame address, and where that is
    /// now if it hangs off the stack pointer.
    fn note_push(&mut self, reg: Gpr, pushed: u32, pointer: FramePointer) {
        let offset = (pushed * self.stack_width().bytes()) as i32;
        if pointer == FramePointer::None {
            self.note(|_| FrameChange::AddressOffset(offset));
        }
        self.note(|em| FrameChange::Saved(SavedRegister { register: em.dwarf(reg), offset: -offset }));
    }

    /// Notes that the stack pointer is `bytes` below where it is in the body, from `offset` on, if the frame hangs off it
    /// and somebody looks between calls.
    pub(super) fn note_excursion(&mut self, offset: u32, bytes: i32) {
        if self.frame.layout.pointer == FramePointer::None && self.steps.are_exact() {
            let distance = self.distance() + bytes;
            self.steps.note(offset, FrameChange::AddressOffset(distance));
        }
    }

    /// Moves the stack pointer by a number of bytes.
    fn move_stack(&mut self, op: Alu, bytes: i32) {
        match self.confines_memory {
            false => self.e.alu_r_i(op, self.stack_width(), Gpr::RSP, bytes),
            true => self.confined_move_stack(op, bytes),
        }
    }

    /// Takes any number of bytes for an object: a touch and a step down, as long as there is a page. The number counts
    /// down, so that no address is computed that would wrap around.
    pub(super) fn take_stack_by_pages(&mut self, amount: Gpr) {
        let count_width = self.target.address_width();
        let [again, last] = [0; 2].map(|_| self.e.buf.new_label());
        self.e.bind(again);
        self.touch_stack();
        self.e.alu_r_i(Alu::Sub, count_width, amount, PAGE as i32);
        self.e.jump_if(Cond::B, last);
        self.move_stack(Alu::Sub, PAGE as i32);
        self.e.jump(again);
        self.e.bind(last);
        self.e.alu_r_i(Alu::Add, count_width, amount, PAGE as i32);
        match self.confines_memory {
            false => self.e.alu_r_rm(Alu::Sub, self.stack_width(), Gpr::RSP, Rm::Reg(amount)),
            true => self.confined_take_stack(amount),
        }
    }

    /// Gives back the frame, restores registers and returns.
    pub(super) fn epilogue(&mut self) {
        self.leave_frame();
        match self.cursor.mach.frame.popped {
            _ if self.target.is_confined() => self.confined_return(),
            0 => self.e.ret(),
            bytes => self.e.ret_pop(bytes as u16),
        }
        self.note_leaving(|_| FrameChange::Recall);
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
        self.leave_frame();
        match callee {
            Callee::Symbol(symbol) => self.e.jmp_symbol(symbol, RelocKind::PcRel32),
            Callee::Linked(symbol) => self.e.jmp_symbol(symbol, RelocKind::Plt32),
            Callee::Value(_) | Callee::Memory(_) => self.jump_indirect(Gpr::new(at)),
        }
        self.note_leaving(|_| FrameChange::Recall);
    }

    /// Notes a change on the way out. Behind it the frame is what it was before, so that nothing is noted unless somebody
    /// looks between calls, and there is a frame.
    #[inline]
    fn note_leaving(&mut self, change: impl FnOnce(&Self) -> FrameChange) {
        if self.steps.are_exact()
            && !self.state.is_bare
            && self.distance() > self.stack_width().bytes() as i32
        {
            self.note(change);
        }
    }

    /// Gives back the frame and restores registers.
    fn leave_frame(&mut self) {
        self.clear_uppers();
        if self.state.is_bare {
            return;
        }
        self.note_leaving(|_| FrameChange::Remember);
        let width = self.stack_width();
        let frame = self.frame;
        let word = width.bytes() as i32;
        self.restore_preserved_vectors();
        let mut distance = (1 + frame.saved.len() as i32) * word;
        match frame.layout.pointer {
            FramePointer::Used => {
                let saved = frame.saved.len() as i32 * width.bytes() as i32;
                match self.confines_memory {
                    false => self.e.lea(width, Gpr::RSP, Mem::base(Gpr::RBP, -saved)),
                    true => self.confined_leave(saved),
                }
            }
            FramePointer::None if frame.layout.size > 0 => {
                self.move_stack(Alu::Add, frame.layout.size as i32);
                self.note_leaving(|_| FrameChange::AddressOffset(distance));
            }
            FramePointer::None => {}
        }
        for &reg in frame.saved.iter().rev() {
            let reg = regs::gpr(reg);
            self.e.pop_r(reg);
            if frame.layout.pointer == FramePointer::None {
                distance -= word;
                self.note_leaving(|_| FrameChange::AddressOffset(distance));
            }
            self.note_leaving(|em| FrameChange::Restored(em.dwarf(reg)));
        }
        if frame.layout.pointer == FramePointer::Used {
            match self.confines_memory {
                false => self.e.pop_r(Gpr::RBP),
                true => self.confined_pop_frame(),
            }
            self.note_leaving(|em| FrameChange::Address { register: em.dwarf(Gpr::RSP), offset: word });
            self.note_leaving(|em| FrameChange::Restored(em.dwarf(Gpr::RBP)));
        }
    }
}
