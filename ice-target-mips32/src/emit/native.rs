//! What only native programs need: the linker's table, thread-local storage; copies of arguments.

use super::Emitter;
use crate::inst::Entry;
use ice_asm::mips32::{Alu, AluSigned, Cond, Gpr, Imm, Mem, Transfer};
use ice_asm::{Listing, Place, RelocKind, SymbolId};
use ice_codegen::{CodeSymbol, Libcall};

impl<L: Listing> Emitter<'_, L> {
    /// The distance from here to what the table is reached from, in $v0: at the start of the function, whose address is
    /// in $t9, because the linker counts from here.
    pub(super) fn begin_global_base(&mut self) {
        if self.cursor.mach.frame.uses_global_base {
            let distance = CodeSymbol::Libcall(Libcall::TableDistance).pack();
            // The linker counts on their distance.
            self.e.buf.lock(2, Place::Inside);
            self.e.lui(Gpr::V0, Imm::high(distance, 0));
            self.e.alu_signed(AluSigned::Addiu, Gpr::V0, Gpr::V0, Imm::low(distance, 0));
        }
    }

    pub(super) fn global_base(&mut self, dst: Gpr, distance: Gpr, entry: Gpr) {
        if self.cursor.mach.frame.uses_global_base {
            self.e.alu(Alu::Addu, dst, distance, entry);
        }
    }

    pub(super) fn table_entry(&mut self, dst: Gpr, entry: Entry, symbol: SymbolId, base: Gpr) {
        let kind = match entry {
            Entry::Address => RelocKind::MipsGot16,
            Entry::Function => RelocKind::MipsCall16,
            Entry::ThreadOffset => RelocKind::MipsGotTpRel,
        };
        self.e.transfer(Transfer::Lw, dst, Mem { base, offset: Imm::Symbol(kind, symbol, 0) });
    }

    pub(super) fn add_thread_offset(&mut self, dst: Gpr, symbol: SymbolId) {
        self.e.lui(Gpr::AT, Imm::Symbol(RelocKind::MipsTpRelHi16, symbol, 0));
        let low = Imm::Symbol(RelocKind::MipsTpRelLo16, symbol, 0);
        self.e.alu_signed(AluSigned::Addiu, Gpr::AT, Gpr::AT, low);
        self.e.alu(Alu::Addu, dst, dst, Gpr::AT);
    }

    pub(super) fn thread_variable(&mut self, dst: Gpr, symbol: SymbolId, base: Gpr) {
        let offset = Imm::Symbol(RelocKind::MipsTlsGd, symbol, 0);
        self.e.alu_signed(AluSigned::Addiu, dst, base, offset);
    }

    /// The code of inline assembly, which is there already. Nothing is taken out of it for the slots of branches: distances in
    /// it would change.
    pub(super) fn assembly(&mut self, number: u32) {
        let Some(text) = self.cursor.mach.tables.assembly(number) else {
            return self.cursor.fault("there is no such inline assembly");
        };
        let [start, end] = [0; 2].map(|_| self.e.buf.new_label());
        self.e.buf.room_for(u32::try_from(text.code.len()).unwrap_or(u32::MAX));
        self.e.bind(start);
        self.e.buf.emit_data(&text.code);
        self.e.bind(end);
        self.e.buf.pin(start);
        self.e.buf.pin(end);
    }

    /// The source may be anywhere.
    pub(super) fn copy_words(&mut self, dst: Gpr, src: Gpr, count: Gpr) {
        let again = self.e.buf.new_label();
        self.e.bind(again);
        self.e.transfer(Transfer::Lwr, Gpr::AT, Mem::new(src, 0));
        self.e.transfer(Transfer::Lwl, Gpr::AT, Mem::new(src, 3));
        self.e.transfer(Transfer::Sw, Gpr::AT, Mem::new(dst, 0));
        self.e.alu_signed(AluSigned::Addiu, src, src, 4);
        self.e.alu_signed(AluSigned::Addiu, count, count, -1);
        let step = self.e.slot(|e| e.alu_signed(AluSigned::Addiu, dst, dst, 4));
        self.e.branch(Some(Cond::Ne(count, Gpr::ZERO)), again, step);
    }
}
