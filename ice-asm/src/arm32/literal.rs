//! Words in the code, which loads relative to pc reach: for what only a word can hold. Relocations of the tables of
//! the linker and of thread-local storage are of that kind (ELF for the ARM architecture, IHI 0044F, 4.6.1.6 and
//! 4.6.1.9).

use super::control::PC_AHEAD;
use super::operand::{Cond, Gpr};
use super::{Encoder, bits};
use crate::buffer::Label;
use crate::listing::{LabelText, Listing, SymbolText};
use crate::reloc::{Reloc, RelocKind, SymbolId};

/// The instruction that adds pc to a word, as its offset and the label at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its offset in the code.
    pub offset: u32,
    /// The label at it.
    pub label: Label,
}

/// What follows a symbol in a word of this kind.
fn operator(kind: RelocKind) -> &'static str {
    match kind {
        RelocKind::GotPcRel32 => "(GOT_PREL)",
        RelocKind::TlsGd32 => "(TLSGD)",
        RelocKind::GotTpOff32 => "(GOTTPOFF)",
        RelocKind::TpOff32 => "(TPOFF)",
        _ => "",
    }
}

impl<L: Listing> Encoder<'_, L> {
    /// `ldr<c> rt, label` (A8.8.64): the word at the label, which is at most 4095 bytes from pc.
    pub fn load_literal(&mut self, cond: Cond, t: Gpr, label: Label) {
        let offset = self.buf.offset();
        let word = bits!("cccc 0101 0001 1111 tttt iiii iiii iiii") | cond.bits() | t.bits() << 12;
        self.inst(word, format_args!("ldr{cond} {t}, {}", LabelText(label)));
        self.buf.pc_offset12_to_label(offset, label, PC_AHEAD as u8);
    }

    /// A word that is the value of a symbol as `kind` says; less what pc is at `origin`, where one is given.
    pub fn literal(&mut self, kind: RelocKind, symbol: SymbolId, origin: Option<Origin>) {
        let offset = self.buf.offset();
        let (name, operator) = (SymbolText(symbol), operator(kind));
        let addend = match origin {
            None => {
                self.inst(0, format_args!(".long {name}{operator}"));
                0
            }
            Some(Origin { offset: origin, label }) => {
                let label = LabelText(label);
                self.inst(0, format_args!(".long {name}{operator}-({label}+{PC_AHEAD}-.)"));
                i64::from(offset) - i64::from(origin) - PC_AHEAD
            }
        };
        self.buf.add_reloc(Reloc { offset, kind, symbol, addend });
    }
}
