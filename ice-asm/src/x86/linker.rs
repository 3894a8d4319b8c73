//! Sequences whose bytes linkers know: they are parsed, and may be rewritten, when objects are linked.
//!
//! Sources: the System V i386 and AMD64 supplements, and U. Drepper, *ELF Handling for Thread-Local Storage*,
//! sections 4.1 and 4.3.

use super::operand::{Gpr, Mem, Mode, Rm, Scale, Target, Width};
use super::{Alu, Encoder};
use crate::buffer::Place;
use crate::listing::{Listing, SymbolText};
use crate::reloc::{Reloc, RelocKind, SymbolId};

impl<L: Listing> Encoder<'_, L> {
    /// `dst = address of the global offset table`, which `table` names, from the place of the code; 32-bit mode.
    pub fn load_global_offset_table(&mut self, dst: Gpr, table: SymbolId) {
        self.buf.lock(1, Place::Inside);
        let offset = self.buf.offset();
        // The address that the call pushes is that of the next instruction.
        self.buf.listing.line(offset, |out| out.write_str("call .+5"));
        self.buf.append(&[0xe8, 0, 0, 0, 0]);
        self.pop_r(dst);
        let start = self.buf.offset();
        // Of the sum of eax and a symbol one assembler makes 5 bytes and another 6.
        self.buf.listing.line(start, |out| {
            // Assemblers add the distance of the field from the start of the instruction.
            write!(out, "leal {}+1(", SymbolText(table))?;
            super::text::write_register(out, dst, Width::B32, Mode::Bits32)?;
            out.write_str("), ")?;
            super::text::write_register(out, dst, Width::B32, Mode::Bits32)
        });
        let number = dst.number() & 7;
        self.buf.append(&[0x8d, 0x80 | number << 3 | number, 0, 0, 0, 0]);
        let (offset, kind) = (start + 2, RelocKind::GotPc32);
        self.buf.add_reloc(Reloc { offset, kind, symbol: table, addend: 3 });
    }

    /// `dst = contents of the symbol's entry in the global offset table`, an address; `base` holds the address
    /// of the table in 32-bit mode.
    pub fn mov_r_table_entry(&mut self, dst: Gpr, symbol: SymbolId, base: Option<Gpr>) {
        match base {
            None => {
                let mem = Mem::rip(symbol, RelocKind::GotPcRel32, 0);
                self.mov_r_rm(Width::B64, dst, Rm::Mem(mem));
            }
            Some(base) => {
                let mem = Mem::base(base, 0).with_target(Target::Symbol(symbol, RelocKind::Got32));
                self.mov_r_rm(Width::B32, dst, Rm::Mem(mem));
            }
        }
    }

    /// The address of this thread's copy of `symbol` in rax or eax, by a call of `resolver`
    /// (`__tls_get_addr`, `___tls_get_addr`); in 32-bit mode ebx holds the address of the global offset table.
    pub fn call_thread_local_address(&mut self, symbol: SymbolId, resolver: SymbolId) {
        if self.mode == Mode::Bits32 {
            let mem = Mem::index(Gpr::RBX, Scale::X1, 0);
            let mem = mem.with_target(Target::Symbol(symbol, RelocKind::TlsGd32));
            self.buf.lock(2, Place::Inside);
            self.lea(Width::B32, Gpr::RAX, mem);
            return self.call_symbol(resolver, RelocKind::Plt32);
        }
        self.buf.lock(2, Place::Inside);
        let offset = self.buf.offset();
        self.buf.listing.line(offset, |out| out.write_str(".byte 0x66"));
        self.buf.append(&[0x66]);
        self.lea(Width::B64, Gpr::RDI, Mem::rip(symbol, RelocKind::TlsGd32, 0));
        let offset = self.buf.offset();
        self.buf.listing.line(offset, |out| out.write_str(".byte 0x66, 0x66; rex64"));
        self.buf.append(&[0x66, 0x66, 0x48]);
        self.call_symbol(resolver, RelocKind::Plt32);
    }

    /// `dst += offset of thread-local symbol from the thread pointer`, known when linking.
    pub fn add_thread_offset(&mut self, dst: Gpr, symbol: SymbolId) {
        let width = self.word();
        let mem = Mem::base(dst, 0).with_target(Target::Symbol(symbol, RelocKind::TpOff32));
        self.lea(width, dst, mem);
    }

    /// `dst += offset of thread-local symbol from the thread pointer`, from the global offset table; `base`
    /// holds the table's address in position-independent 32-bit code.
    pub fn add_thread_offset_from_table(&mut self, dst: Gpr, symbol: SymbolId, base: Option<Gpr>) {
        let mem = match (self.mode, base) {
            (Mode::Bits64, _) => Mem::rip(symbol, RelocKind::GotTpOff32, 0),
            (Mode::Bits32, None) => Mem::symbol(symbol, RelocKind::GotTpOff32, 0),
            (Mode::Bits32, Some(base)) => {
                Mem::base(base, 0).with_target(Target::Symbol(symbol, RelocKind::GotTpOffBase32))
            }
        };
        self.alu_r_rm(Alu::Add, self.word(), dst, Rm::Mem(mem));
    }

    /// `dst = the thread pointer`: the first word of the thread's segment.
    pub fn mov_r_thread_pointer(&mut self, dst: Gpr) {
        let segment = match self.mode {
            Mode::Bits32 => super::Segment::Gs,
            Mode::Bits64 => super::Segment::Fs,
        };
        self.mov_r_rm(self.word(), dst, Rm::Mem(Mem::absolute(0).with_segment(segment)));
    }
}
