//! Addresses of symbols and labels (ELF for the Arm 64-bit architecture, AAELF64, 5.7; DDI 0487, C4.1, "PC-rel. addressing").

use super::register::{Gpr, plain};
use super::{Encoder, bits};
use crate::buffer::Label;
use crate::listing::{LabelText, Listing, SymbolText};
use crate::reloc::{Reloc, RelocKind, SymbolId};
use core::fmt;

/// What stands before the symbol in assembler text.
pub(super) const fn operator(kind: RelocKind) -> &'static str {
    match kind {
        RelocKind::Aarch64AddLo12
        | RelocKind::Aarch64Load8Lo12
        | RelocKind::Aarch64Load16Lo12
        | RelocKind::Aarch64Load32Lo12
        | RelocKind::Aarch64Load64Lo12
        | RelocKind::Aarch64Load128Lo12 => ":lo12:",
        RelocKind::Aarch64GotPage21 => ":got:",
        RelocKind::Aarch64GotLo12 => ":got_lo12:",
        RelocKind::Aarch64TlsIePage21 => ":gottprel:",
        RelocKind::Aarch64TlsIeLo12 => ":gottprel_lo12:",
        RelocKind::Aarch64TlsLeHi12 => ":tprel_hi12:",
        RelocKind::Aarch64TlsLeLo12 => ":tprel_lo12_nc:",
        RelocKind::Aarch64TlsDescPage21 => ":tlsdesc:",
        RelocKind::Aarch64TlsDescLoadLo12 | RelocKind::Aarch64TlsDescAddLo12 => ":tlsdesc_lo12:",
        _ => "",
    }
}

/// A relocation of a kind as text.
pub(super) struct RelocText(pub RelocKind, pub SymbolId, pub i64);

impl fmt::Display for RelocText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RelocText(kind, symbol, addend) = *self;
        write!(f, "{}{}", operator(kind), SymbolText(symbol))?;
        if addend != 0 { write!(f, "{addend:+}") } else { Ok(()) }
    }
}

/// The logarithm of the size of the accesses that have a relocation.
pub(super) const fn access_size(kind: RelocKind) -> Option<u8> {
    match kind {
        RelocKind::Aarch64Load8Lo12 => Some(0),
        RelocKind::Aarch64Load16Lo12 => Some(1),
        RelocKind::Aarch64Load32Lo12 => Some(2),
        RelocKind::Aarch64Load64Lo12
        | RelocKind::Aarch64GotLo12
        | RelocKind::Aarch64TlsIeLo12
        | RelocKind::Aarch64TlsDescLoadLo12 => Some(3),
        RelocKind::Aarch64Load128Lo12 => Some(4),
        _ => None,
    }
}

impl<L: Listing> Encoder<'_, L> {
    /// `adr xd, label`: its address; the label is within 1 MiB.
    pub fn adr(&mut self, d: Gpr, label: Label) {
        let word = bits!("0 ii 10000 iiiiiiiiiiiiiiiiiii ddddd") | d.d();
        if !d.is_plain() {
            return self.invalid();
        }
        self.inst(word, format_args!("adr {d}, {}", LabelText(label)));
        self.buf.pc_offset21_to_label(self.last_inst(), label);
    }

    /// `adrp xd, symbol`: the address of the page of what the kind names, one of those of `adrp`.
    pub fn adrp_symbol(&mut self, d: Gpr, kind: RelocKind, symbol: SymbolId, addend: i64) {
        let is_page = matches!(
            kind,
            RelocKind::Aarch64Page21
                | RelocKind::Aarch64GotPage21
                | RelocKind::Aarch64TlsIePage21
                | RelocKind::Aarch64TlsDescPage21
        );
        let word = bits!("1 ii 10000 iiiiiiiiiiiiiiiiiii ddddd") | d.d();
        if !is_page || !d.is_plain() {
            return self.invalid();
        }
        self.inst(word, format_args!("adrp {d}, {}", RelocText(kind, symbol, addend)));
        self.reloc(kind, symbol, addend);
    }

    /// `add xd, xn, :lo12:symbol` ("Add/subtract (immediate)") and its like, by the kind: one of those of `add`.
    pub fn add_symbol(&mut self, d: Gpr, n: Gpr, kind: RelocKind, symbol: SymbolId, addend: i64) {
        let (shift, [before, behind]) = match kind {
            RelocKind::Aarch64AddLo12 | RelocKind::Aarch64TlsLeLo12 | RelocKind::Aarch64TlsDescAddLo12 => {
                (0, ["", ""])
            }
            RelocKind::Aarch64TlsLeHi12 => (1 << 22, ["#", ", lsl #12"]),
            _ => return self.invalid(),
        };
        if !d.is_base() || !n.is_base() {
            return self.invalid();
        }
        let word = bits!("1 0 0 100010 h iiiiiiiiiiii nnnnn ddddd") | shift | n.n() | d.d();
        self.inst(word, format_args!("add {d}, {n}, {before}{}{behind}", RelocText(kind, symbol, addend)));
        self.reloc(kind, symbol, addend);
    }

    /// `blr xn` to the function of the descriptor of a thread-local symbol, as linkers know it: with the relocation
    /// [`RelocKind::Aarch64TlsDescCall`].
    pub fn call_tls_descriptor(&mut self, symbol: SymbolId, n: Gpr) {
        let word = bits!("1101011 0 0 01 11111 000000 nnnnn 00000") | n.n();
        if !plain([n]) {
            return self.invalid();
        }
        self.inst(word, format_args!(".tlsdesccall {}\n\tblr {n}", SymbolText(symbol)));
        self.reloc(RelocKind::Aarch64TlsDescCall, symbol, 0);
    }

    /// Adds a relocation of the last instruction.
    pub(super) fn reloc(&mut self, kind: RelocKind, symbol: SymbolId, addend: i64) {
        let offset = self.last_inst();
        self.buf.add_reloc(Reloc { offset, kind, symbol, addend });
    }
}
