//! What only native programs need: linker tables and copies of arguments.

use super::Emitter;
use ice_asm::Listing;
use ice_asm::x86::{Alu, Cond, Gpr, Mem, Rm, Segment, SseOp, Width, Xmm};
#[cfg(feature = "assembly")]
use ice_codegen::assembly::TextCode;
use ice_codegen::emission::{BranchEmitter as _, InstEmitter as _};
use ice_codegen::{CodeSymbol, Libcall};

/// Where the vector arguments are in the area of saved register arguments, in bytes; behind six words.
pub(crate) const SAVED_VECTORS: i32 = 48;

/// Bytes of `call` with a distance.
const CALL_SIZE: u32 = 5;

impl<L: Listing> Emitter<'_, L> {
    pub(super) fn global_base(&mut self, dst: Gpr) {
        if self.cursor.mach.frame.uses_global_base {
            let table = CodeSymbol::Libcall(Libcall::GlobalOffsetTable).pack();
            let call_end = self.e.buf.offset() + CALL_SIZE;
            self.e.load_global_offset_table(dst, table);
            // A call pushes a word, which the next instruction, of one byte, takes off.
            self.note_excursion(call_end, self.stack_width().bytes() as i32);
            self.note_excursion(call_end + 1, 0);
        }
    }

    /// The word at an offset of a segment of this number.
    pub(super) fn segment_word(&mut self, dst: Gpr, segment: u8, offset: i32) {
        let segment = match ice_ir::Segment::from_code(segment.into()) {
            Some(ice_ir::Segment::Fs) => Segment::Fs,
            Some(ice_ir::Segment::Gs) => Segment::Gs,
            None => return self.fault("there is no such segment"),
        };
        let word = Mem::absolute(offset).with_segment(segment);
        self.e.mov_r_rm(self.stack_width(), dst, Rm::Mem(word));
    }

    /// Ends the program unless `word` stands in front of the address. The word itself is not in the code, which could else be
    /// taken for a function of that type.
    pub(super) fn check_type(&mut self, address: Gpr, scratch: Gpr, word: i32) {
        let [trap, same] = [0; 2].map(|_| self.e.buf.new_label());
        self.e.mov_r_i(Width::B32, scratch, word.wrapping_neg().into());
        self.e.alu_r_rm(Alu::Add, Width::B32, scratch, Rm::Mem(Mem::base(address, -4)));
        self.e.jump_if(Cond::E, same);
        self.e.bind(trap);
        self.e.ud2();
        self.e.bind(same);
        self.type_traps.push(trap);
    }

    /// The code of inline assembly, which mostly is there already.
    pub(super) fn assembly(&mut self, number: u32) {
        match self.cursor.mach.tables.assembly(number) {
            #[cfg(feature = "assembly")]
            Some(TextCode { late: Some(late), .. }) => {
                let code = self.late_code(self.target, late);
                self.e.buf.emit_data(&code);
            }
            Some(text) => self.texts.emit((number, text), self.e.buf),
            None => self.fault("there is no such inline assembly"),
        }
    }

    /// The same, which ends its block.
    pub(super) fn assembly_jump(&mut self, number: u32) {
        self.assembly(number);
        self.leave_assembly(number);
    }

    pub(super) fn save_vectors(&mut self, object: u32, first: u8) {
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
}
