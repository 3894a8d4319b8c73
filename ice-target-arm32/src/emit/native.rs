//! What only native programs need: addresses relative to the code, linker tables, thread-local storage, copies of
//! arguments.

use super::pool::Base;
use super::{AL, Emitter, imm};
use ice_asm::arm32::{Alu, Cond, Flags, Gpr, Index, Mem, Transfer};
use ice_asm::{Listing, RelocKind, SymbolId};
#[cfg(feature = "assembly")]
use ice_codegen::assembly::TextCode;
#[cfg(feature = "assembly")]
use ice_codegen::emission::InstEmitter as _;
use ice_codegen::{CodeSymbol, Libcall};

impl<L: Listing> Emitter<'_, L> {
    /// The address of a symbol that is in the linked module.
    pub(super) fn mov_symbol(&mut self, dst: Gpr, symbol: SymbolId, addend: i16) {
        match self.target.is_position_independent() {
            true => self.e.mov_symbol_relative(dst, symbol, addend),
            false => self.e.mov_symbol(AL, dst, symbol, addend),
        }
    }

    pub(super) fn load_table_entry(&mut self, dst: Gpr, symbol: SymbolId) {
        self.load_from_pool(dst, RelocKind::GotPcRel32, symbol, Base::Pc);
        self.e.transfer(AL, Transfer::Ldr, dst, Mem::indexed(Gpr::PC, dst, 0));
    }

    pub(super) fn add_thread_offset(&mut self, dst: Gpr, symbol: SymbolId) {
        self.load_from_pool(Gpr::IP, RelocKind::TpOff32, symbol, Base::None);
        self.e.alu(AL, Alu::Add, Flags::Keep, dst, dst, Gpr::IP);
    }

    pub(super) fn add_table_thread_offset(&mut self, dst: Gpr, symbol: SymbolId) {
        self.load_from_pool(Gpr::IP, RelocKind::GotTpOff32, symbol, Base::Pc);
        self.e.transfer(AL, Transfer::Ldr, Gpr::IP, Mem::indexed(Gpr::PC, Gpr::IP, 0));
        self.e.alu(AL, Alu::Add, Flags::Keep, dst, dst, Gpr::IP);
    }

    pub(super) fn thread_local_call(&mut self, symbol: SymbolId) {
        let argument = Gpr::new(0);
        self.load_from_pool(argument, RelocKind::TlsGd32, symbol, Base::Pc);
        self.e.alu(AL, Alu::Add, Flags::Keep, argument, Gpr::PC, argument);
        self.e.bl_symbol(CodeSymbol::Libcall(Libcall::TlsGetAddr).pack());
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
                self.e.buf.emit_data(&text.code);
            }
            None => self.cursor.fault("there is no such inline assembly"),
        }
    }

    pub(super) fn copy_words(&mut self, dst: Gpr, src: Gpr, count: Gpr, word: Gpr) {
        let again = self.e.buf.new_label();
        self.e.bind(again);
        let next = |base| Mem { index: Index::Post, ..Mem::new(base, 4) };
        self.e.transfer(AL, Transfer::Ldr, word, next(src));
        self.e.transfer(AL, Transfer::Str, word, next(dst));
        self.e.alu(AL, Alu::Sub, Flags::Set, count, count, imm(1));
        self.e.jump_if(Cond::Ne, again);
    }
}
