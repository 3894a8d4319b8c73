//! What only native programs need: linker tables, thread-local storage, copies of arguments.

use super::Emitter;
use crate::inst::Inst;
use ice_asm::Listing;
use ice_asm::x86::{Cond, Gpr, Mem, Mode, RepOp, Rm, SseOp, Width, Xmm};
use ice_codegen::emission::{InstEmitter as _, WRONG_KIND};
use ice_codegen::mach::VReg;
use ice_codegen::{CodeSymbol, Libcall};

/// Where the vector arguments are in the area of saved register arguments, in bytes; behind six words.
pub(crate) const SAVED_VECTORS: i32 = 48;

impl<L: Listing> Emitter<'_, L> {
    pub(super) fn native(&mut self, inst: &Inst) {
        match *inst {
            Inst::LoadTableEntry { symbol, base, .. } => {
                let base = self.table_base(base);
                let dst = self.gpr();
                self.e.mov_r_table_entry(dst, symbol, base);
            }
            Inst::GlobalBase { .. } => {
                let dst = self.gpr();
                if self.cursor.mach.frame.uses_global_base {
                    let table = CodeSymbol::Libcall(Libcall::GlobalOffsetTable).pack();
                    self.e.load_global_offset_table(dst, table);
                }
            }
            Inst::ThreadPointer { .. } => {
                let dst = self.gpr();
                self.e.mov_r_thread_pointer(dst);
            }
            Inst::AddThreadOffset { symbol, .. } => {
                let dst = self.gpr();
                self.e.add_thread_offset(dst, symbol);
            }
            Inst::AddTableThreadOffset { symbol, base, .. } => {
                let base = self.table_base(base);
                let dst = self.gpr();
                self.e.add_thread_offset_from_table(dst, symbol, base);
            }
            Inst::ThreadLocalCall { symbol, .. } => {
                self.cursor.operands = &[];
                self.e.call_thread_local_address(symbol, self.target.thread_resolver());
            }
            Inst::CopyWords { .. } => {
                self.cursor.operands = &[];
                let width = if self.mode == Mode::Bits32 { Width::B32 } else { Width::B64 };
                self.e.rep(RepOp::Movs, width);
            }
            Inst::SaveVectors { object, first } => {
                self.cursor.operands = &[];
                let area = self.object(object) + SAVED_VECTORS;
                let done = self.e.buf.new_label();
                self.e.test_rm_r(Width::B8, Rm::Reg(Gpr::RAX), Gpr::RAX);
                self.e.jump_if(Cond::E, done);
                for n in first..8 {
                    let mem = Mem::base(self.base(), area + 16 * i32::from(n));
                    self.e.sse_m_x(SseOp::Movaps, mem, Xmm::new(n));
                }
                self.e.bind(done);
            }
            _ => self.fault(WRONG_KIND),
        }
    }

    /// The register of an optional operand.
    fn table_base(&mut self, base: Option<VReg>) -> Option<Gpr> {
        base.map(|_| self.gpr())
    }
}
