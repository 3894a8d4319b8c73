//! Atomic accesses and fences.

use super::{Emitter, after};
use crate::inst::Inst;
use ice_asm::Listing;
use ice_asm::x86::{self, Gpr, Mem, Rm, Width};
use ice_codegen::emission::{InstEmitter as _, WRONG_KIND};

impl<L: Listing> Emitter<'_, L> {
    pub(super) fn atomic(&mut self, inst: &Inst) {
        match *inst {
            Inst::LockXadd { width, mem, .. } => {
                let mem = self.mem(&mem);
                let dst = self.gpr();
                self.e.lock_xadd(width, mem, dst);
            }
            Inst::Xchg { width, mem, .. } => {
                let mem = self.mem(&mem);
                let dst = self.gpr();
                self.e.xchg_rm_r(width, Rm::Mem(mem), dst);
            }
            Inst::LockCmpxchg { width, mem, .. } => {
                self.next();
                let new = self.gpr();
                let mem = self.mem(&mem);
                self.e.lock_cmpxchg(width, mem, new);
            }
            Inst::LockCmpxchg8b { mem, .. } => {
                for _ in 0..4 {
                    self.next();
                }
                let mem = self.mem(&mem);
                self.e.lock_cmpxchg8b(mem);
            }
            Inst::RmwLoop { op, width, mem, .. } => {
                let src = self.gpr();
                let mem = self.mem(&mem);
                self.next();
                let scratch = self.gpr();
                let again = self.e.buf.new_label();
                match width {
                    Width::B8 | Width::B16 => self.e.movzx(Gpr::RAX, Width::B32, Rm::Mem(mem), width),
                    _ => self.e.mov_r_rm(width, Gpr::RAX, Rm::Mem(mem)),
                }
                self.e.bind(again);
                self.e.mov_r_rm(width.max(Width::B32), scratch, Rm::Reg(Gpr::RAX));
                self.e.alu_rm_r(op, width.max(Width::B32), Rm::Reg(scratch), src);
                self.e.lock_cmpxchg(width, mem, scratch);
                self.e.jump_if(x86::Cond::Ne, again);
            }
            Inst::RmwLoop8b { op, operand, mem, .. } => {
                let mem = self.mem(&mem);
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
                self.e.jump_if(x86::Cond::Ne, again);
            }
            Inst::Mfence => self.e.fence(x86::Fence::Mfence),
            _ => self.fault(WRONG_KIND),
        }
    }
}
