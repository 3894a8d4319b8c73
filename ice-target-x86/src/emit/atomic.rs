//! Loops of atomic accesses.

use super::{Emitter, after};
use ice_asm::Listing;
use ice_asm::x86::{Alu, Cond, Gpr, Mem, Rm, Width};

impl<L: Listing> Emitter<'_, L> {
    pub(super) fn rmw_loop(&mut self, op: Alu, width: Width, src: Gpr, mem: Mem, scratch: Gpr) {
        let again = self.e.buf.new_label();
        match width {
            Width::B8 | Width::B16 => self.e.movzx(Gpr::RAX, Width::B32, Rm::Mem(mem), width),
            _ => self.e.mov_r_rm(width, Gpr::RAX, Rm::Mem(mem)),
        }
        self.e.bind(again);
        self.e.mov_r_rm(width.max(Width::B32), scratch, Rm::Reg(Gpr::RAX));
        self.e.alu_rm_r(op, width.max(Width::B32), Rm::Reg(scratch), src);
        self.confine_again(mem);
        self.e.lock_cmpxchg(width, mem, scratch);
        self.e.jump_if(Cond::Ne, again);
    }

    pub(super) fn rmw_loop_8b(&mut self, op: Option<(Alu, Alu)>, operand: u32, mem: Mem) {
        let high = after(mem);
        let object = self.object(operand);
        let source = [0, 4].map(|n| Rm::Mem(Mem::base(self.base(), object + n)));
        let again = self.e.buf.new_label();
        let w = Width::B32;
        self.e.mov_r_rm(w, Gpr::RAX, Rm::Mem(mem));
        self.e.mov_r_rm(w, Gpr::RDX, Rm::Mem(high));
        self.e.bind(again);
        match op {
            None => {
                self.e.mov_r_rm(w, Gpr::RBX, source[0]);
                self.e.mov_r_rm(w, Gpr::RCX, source[1]);
            }
            Some((low_op, high_op)) => {
                self.e.mov_r_rm(w, Gpr::RBX, Rm::Reg(Gpr::RAX));
                self.e.mov_r_rm(w, Gpr::RCX, Rm::Reg(Gpr::RDX));
                self.e.alu_r_rm(low_op, w, Gpr::RBX, source[0]);
                self.e.alu_r_rm(high_op, w, Gpr::RCX, source[1]);
            }
        }
        self.e.lock_cmpxchg8b(mem);
        self.e.jump_if(Cond::Ne, again);
    }
}
