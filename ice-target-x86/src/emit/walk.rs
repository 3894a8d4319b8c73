//! What the emission walk asks: instructions, ends of blocks, and edits.

use super::Emitter;
use super::confine::BUNDLE;
use super::flags::Flags;
use crate::inst::Inst;
use crate::regs;
use ice_asm::x86::{Branches, Imm, Rm, Width};
use ice_asm::{CodeBuffer, Listing};
use ice_codegen::emission::{BranchEmitter as _, Cursor, FrameEmitter as _, InstEmitter, NO_REGISTER, label};
use ice_codegen::mach::MachBlock;
use ice_regalloc::{Allocation, Edit, ProgPoint};

impl<'a, L: Listing> InstEmitter<'a> for Emitter<'a, L> {
    type Inst = Inst;
    type Listing = L;
    type Branches = Branches;

    #[inline(always)]
    fn cursor(&mut self) -> &mut Cursor<'a, Inst> {
        &mut self.cursor
    }

    #[inline(always)]
    fn buffer(&mut self) -> &mut CodeBuffer<L> {
        self.e.buf
    }

    #[inline(always)]
    fn is_written(&mut self, _block: MachBlock) -> bool {
        self.cursor.take_passed()
    }

    #[inline(always)]
    fn bind_block(&mut self, block: MachBlock) {
        match self.landings.has(block) {
            false => self.e.buf.bind(label(block)),
            true if self.target.tracks_branches => {
                self.e.buf.bind(label(block));
                self.e.end_branch();
            }
            true => self.e.buf.bind_aligned(label(block), BUNDLE),
        }
    }

    #[inline(always)]
    fn begin_block(&mut self, block: MachBlock) {
        self.flags = Flags::UNKNOWN;
        if self.state.late.place().is_some() {
            self.enter_block(block);
        }
        self.dispatch.is_current = self.dispatch.block == Some(block);
    }

    #[inline(always)]
    fn usual(&mut self, inst: &'a Inst) -> bool {
        self.usual_inst(inst)
    }

    #[inline(always)]
    fn inst(&mut self, inst: &'a Inst) {
        self.dispatch(inst);
    }

    #[inline(always)]
    fn last(&mut self, inst: &'a Inst) {
        match *inst {
            Inst::Jmp { target } if self.dispatch.block != Some(target) => self.jump_to(target),
            Inst::Jmp { target } if target != self.cursor.next_block() => self.copy_dispatch(target),
            Inst::Jcc { cond, if_true, if_false } => self.branch(cond, if_true, if_false),
            Inst::Ret => self.epilogue(),
            _ => self.unusual(inst),
        }
    }

    /// Nearly all are between a register and a slot.
    #[inline(always)]
    fn edit(&mut self, edit: &'a Edit) {
        let &Edit { from, to, class, size, .. } = edit;
        if class == regs::XMM || size >= 8 {
            self.any_edit(edit);
        } else if let (Some(to), Some(from)) = (regs::as_gpr(to), self.place(from)) {
            self.e.mov_r_place(Width::B32, to, from);
        } else if let (Some(to), Some(from)) = (self.place(to), regs::as_gpr(from)) {
            self.e.mov_place_r(Width::B32, to, from);
        } else {
            self.any_edit(edit);
        }
    }

    fn copy_place(&mut self, edit: &'a Edit) {
        if edit.class == regs::XMM || edit.class == regs::YMM {
            return self.move_vector(edit.size as u8, edit.to, edit.from);
        }
        match edit.size {
            _ if !regs::is_general(edit.class) => self.fault("an edit has a class of no registers"),
            8 => self.move_word(Width::B64, edit.to, edit.from),
            _ => self.move_word(Width::B32, edit.to, edit.from),
        }
    }

    #[inline(never)]
    fn again(&mut self, inst: &'a Inst, edit: &'a Edit) {
        self.cursor.operands = core::slice::from_ref(&edit.to);
        match (*inst, edit.to.as_reg()) {
            (Inst::MovImm { imm, .. }, None) => {
                let width = if edit.size == 8 { Width::B64 } else { Width::B32 };
                let slot = Rm::Mem(self.slot(edit.to));
                self.e.mov_rm_i(width, slot, Imm::from(imm as i32));
            }
            (Inst::MovImm { width, imm: 0, .. }, Some(_)) if !self.has_free_flags(edit.point) => {
                let to = self.register();
                self.e.mov_r_i(width, to, 0);
            }
            _ => self.inst(inst),
        }
    }
}

impl<L: Listing> Emitter<'_, L> {
    /// Whether nothing needs the flags at `point`, as far as the instruction behind it tells: then `xor` makes
    /// a zero, which is shorter.
    fn has_free_flags(&self, point: ProgPoint) -> bool {
        point.is_before()
            && matches!(
                self.cursor.inst(point.inst()),
                Some(
                    Inst::Jmp { .. }
                        | Inst::Call { .. }
                        | Inst::Ret
                        | Inst::Compare { .. }
                        | Inst::CompareMem { .. }
                        | Inst::CompareXmm { .. }
                )
            )
    }

    /// `to = from`, at most one of them a slot.
    fn move_word(&mut self, width: Width, to: Allocation, from: Allocation) {
        match (regs::as_gpr(to), regs::as_gpr(from)) {
            (Some(to), Some(from)) => self.e.mov_rm_r(width, Rm::Reg(to), from),
            (Some(to), None) => {
                let from = self.frame_slot(from);
                self.e.mov_r_place(width, to, from);
            }
            (None, Some(from)) => {
                let to = self.frame_slot(to);
                self.e.mov_place_r(width, to, from);
            }
            (None, None) => self.fault(NO_REGISTER),
        }
    }
}
