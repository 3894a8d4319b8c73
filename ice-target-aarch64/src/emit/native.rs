//! What only native programs need: the linker's table, thread-local storage; copies of arguments.

use super::Emitter;
use ice_asm::aarch64::{Alu, ArithImm, BranchCond, Gpr, Mem, Offset, Transfer, Width};
use ice_asm::{Listing, RelocKind, SymbolId};
#[cfg(feature = "assembly")]
use ice_codegen::assembly::TextCode;
use ice_codegen::emission::{BranchEmitter as _, InstEmitter as _};

/// Bytes of a word that is copied.
const WORD: i32 = 4;

impl<L: Listing> Emitter<'_, L> {
    pub(super) fn table_entry(&mut self, dst: Gpr, symbol: SymbolId) {
        self.e.adrp_symbol(dst, RelocKind::Aarch64GotPage21, symbol, 0);
        let offset = Offset::Low(RelocKind::Aarch64GotLo12, symbol, 0);
        self.e.transfer(Transfer::LdrX, dst, Mem { base: dst, offset });
    }

    pub(super) fn add_thread_offset(&mut self, dst: Gpr, src: Gpr, symbol: SymbolId) {
        self.e.add_symbol(dst, src, RelocKind::Aarch64TlsLeHi12, symbol, 0);
        self.e.add_symbol(dst, dst, RelocKind::Aarch64TlsLeLo12, symbol, 0);
    }

    pub(super) fn thread_offset(&mut self, dst: Gpr, symbol: SymbolId) {
        self.e.adrp_symbol(dst, RelocKind::Aarch64TlsIePage21, symbol, 0);
        let offset = Offset::Low(RelocKind::Aarch64TlsIeLo12, symbol, 0);
        self.e.transfer(Transfer::LdrX, dst, Mem { base: dst, offset });
    }

    /// The sequence is one that linkers know: the descriptor in x0, its function in x1 (ELF for the Arm 64-bit Architecture,
    /// 2023Q3, 5.7.11).
    pub(super) fn thread_descriptor(&mut self, symbol: SymbolId) {
        let [descriptor, function] = [0, 1].map(Gpr::new);
        self.e.adrp_symbol(descriptor, RelocKind::Aarch64TlsDescPage21, symbol, 0);
        let offset = Offset::Low(RelocKind::Aarch64TlsDescLoadLo12, symbol, 0);
        self.e.transfer(Transfer::LdrX, function, Mem { base: descriptor, offset });
        self.e.add_symbol(descriptor, descriptor, RelocKind::Aarch64TlsDescAddLo12, symbol, 0);
        self.e.call_tls_descriptor(symbol, function);
    }

    /// The code of inline assembly, which mostly is there already.
    pub(super) fn assembly(&mut self, number: u32) {
        match self.cursor.mach.tables.assembly(number) {
            #[cfg(feature = "assembly")]
            Some(TextCode { late: Some(late), .. }) => {
                let code = self.late_code(self.target, late);
                self.e.buf.room_for(u32::try_from(code.len()).unwrap_or(u32::MAX));
                self.e.buf.emit_data(&code);
            }
            Some(text) => {
                self.e.buf.room_for(u32::try_from(text.code.len()).unwrap_or(u32::MAX));
                self.texts.emit((number, text), self.e.buf);
            }
            None => self.fault("there is no such inline assembly"),
        }
    }

    /// The same, which ends its block.
    pub(super) fn assembly_jump(&mut self, number: u32) {
        self.assembly(number);
        self.leave_assembly(number);
    }

    pub(super) fn copy_words(&mut self, dst: Gpr, src: Gpr, count: Gpr) {
        let again = self.e.buf.new_label();
        self.e.bind(again);
        self.e.transfer(Transfer::LdrW, Gpr::IP0, Mem { base: src, offset: Offset::Post(WORD) });
        self.e.transfer(Transfer::StrW, Gpr::IP0, Mem { base: dst, offset: Offset::Post(WORD) });
        match ArithImm::new(1) {
            Some(one) => self.e.alu(Alu::Sub, Width::X, count, count, one),
            None => self.fault("one is no immediate operand"),
        }
        self.e.jump_if(BranchCond::NonZero(Width::X, count), again);
    }
}
