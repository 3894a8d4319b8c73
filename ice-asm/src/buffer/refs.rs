//! Labels in something else than branches, and data: jump tables, addresses, numbers.

use super::isa::BranchIsa;
use super::{CodeBuffer, Label};
use crate::error::Error;
use crate::listing::{self, LabelText, Listing, SymbolText};
use crate::reloc::{Reloc, RelocKind, SymbolId};

/// A label in something else than a branch.
#[derive(Clone, Copy)]
pub(super) struct LabelRef {
    pub(super) at: u32,
    label: Label,
    kind: RefKind,
}

#[derive(Clone, Copy)]
enum RefKind {
    /// 32 bits: label + addend - at.
    PcRel32 { addend: i32 },
    /// 32 bits: label - base.
    Difference { base: Label },
    /// The label's offset is added to the addend of this relocation.
    Reloc { index: u32 },
    /// The low 12 bits of a word: how far the label is from `at` + `ahead`; bit 23 if it is not before that.
    PcOffset12 { ahead: u8 },
    /// Bits 30:29 and 23:5 of a word: the low two bits and the others of label - at.
    PcOffset21,
    /// The field of an instruction with a relocation of this kind, relative to the place: label + addend - at.
    Instruction { kind: RelocKind, addend: i64 },
}

impl<L: Listing, B: BranchIsa> CodeBuffer<L, B> {
    /// Records that the field at `offset` gets the absolute address of the label (plus `addend`): a
    /// relocation against the function's symbol, whose addend becomes final in `finish`.
    pub fn reloc_to_label(&mut self, offset: u32, kind: RelocKind, label: Label, addend: i64) {
        let Some(symbol) = self.symbol else {
            return self.fail(Error::NoFunctionSymbol { offset });
        };
        let index = self.relocs.len() as u32;
        self.relocs.push(Reloc { offset, kind, symbol, addend });
        self.refs.push(LabelRef { at: offset, label, kind: RefKind::Reloc { index } });
    }

    /// Records that the 32-bit field at `offset` gets `label + addend - offset`.
    pub fn pc_relative_to_label(&mut self, offset: u32, label: Label, addend: i32) {
        self.refs.push(LabelRef { at: offset, label, kind: RefKind::PcRel32 { addend } });
    }

    /// Records that the word at `offset` gets the distance of the label from `offset + ahead`: at most 4095 bytes
    /// to both sides, in its low 12 bits, and bit 23 where it is not negative.
    pub fn pc_offset12_to_label(&mut self, offset: u32, label: Label, ahead: u8) {
        self.refs.push(LabelRef { at: offset, label, kind: RefKind::PcOffset12 { ahead } });
    }

    /// Records that the word at `offset` gets the distance of the label from it: less than 1 MiB to both sides, its low two
    /// bits in bits 30:29, the others in bits 23:5.
    pub fn pc_offset21_to_label(&mut self, offset: u32, label: Label) {
        self.refs.push(LabelRef { at: offset, label, kind: RefKind::PcOffset21 });
    }

    /// Appends data.
    pub fn emit_data(&mut self, data: &[u8]) {
        for chunk in data.chunks(16) {
            let offset = self.offset();
            self.listing.line(offset, |out| listing::write_bytes(out, chunk));
            self.append(chunk);
        }
    }

    /// Appends a little-endian 32-bit number.
    pub fn emit_u32(&mut self, value: u32) {
        let offset = self.offset();
        self.listing.line(offset, |out| write!(out, ".long {value:#x}"));
        self.append(&value.to_le_bytes());
    }

    /// Appends the address of a symbol, in the size of `kind`.
    pub fn emit_symbol(&mut self, kind: RelocKind, symbol: SymbolId, addend: i64) {
        let offset = self.offset();
        self.listing.line(offset, |out| write!(out, "{} {}{addend:+}", directive(kind), SymbolText(symbol)));
        self.append(&[0; 8][..kind.size() as usize]);
        self.add_reloc(Reloc { offset, kind, symbol, addend });
    }

    /// Appends a field of any kind that refers to a symbol.
    pub fn emit_field(&mut self, kind: RelocKind, symbol: SymbolId, addend: i64) {
        let (offset, [via, here]) = (self.offset(), written(kind));
        let directive = directive(kind);
        self.listing
            .line(offset, |out| write!(out, "{directive} {}{via}{addend:+}{here}", SymbolText(symbol)));
        self.append(&[0; 8][..kind.size() as usize]);
        self.add_reloc(Reloc { offset, kind, symbol, addend });
    }

    /// Appends a field, absolute or relative to its place, that refers to a label.
    pub fn emit_label_field(&mut self, kind: RelocKind, label: Label, addend: i64) {
        let (offset, [_, here]) = (self.offset(), written(kind));
        let directive = directive(kind);
        self.listing.line(offset, |out| write!(out, "{directive} {}{addend:+}{here}", LabelText(label)));
        self.append(&[0; 8][..kind.size() as usize]);
        match (kind, i32::try_from(addend)) {
            (RelocKind::PcRel32 | RelocKind::Plt32, Ok(addend)) => {
                self.pc_relative_to_label(offset, label, addend);
            }
            _ => self.reloc_to_label(offset, kind, label, addend),
        }
    }

    /// Appends an instruction of 32 bits with a field that refers to a symbol.
    pub fn emit_instruction(&mut self, word: u32, kind: RelocKind, symbol: SymbolId, addend: i64) {
        let offset = self.offset();
        let name = elf_name(kind);
        self.listing.line(offset, |out| {
            write!(out, ".reloc ., {name}, {}{addend:+}\n\t.inst {word:#x}", SymbolText(symbol))
        });
        self.append(&word.to_le_bytes());
        self.add_reloc(Reloc { offset, kind, symbol, addend });
    }

    /// Appends an instruction of 32 bits with a field that refers to a label.
    pub fn emit_instruction_to_label(&mut self, word: u32, kind: RelocKind, label: Label, addend: i64) {
        let offset = self.offset();
        let name = elf_name(kind);
        self.listing.line(offset, |out| {
            write!(out, ".reloc ., {name}, {}{addend:+}\n\t.inst {word:#x}", LabelText(label))
        });
        self.append(&word.to_le_bytes());
        match kind.distance() {
            Some(_) => {
                let kind = RefKind::Instruction { kind, addend };
                self.refs.push(LabelRef { at: offset, label, kind });
            }
            None => self.reloc_to_label(offset, kind, label, addend),
        }
    }

    /// Appends the absolute address of a label (`kind` is one of the absolute kinds): an entry of a jump table.
    pub fn emit_label(&mut self, kind: RelocKind, label: Label) {
        let offset = self.offset();
        self.listing.line(offset, |out| write!(out, "{} {}", directive(kind), LabelText(label)));
        self.append(&[0; 8][..kind.size() as usize]);
        self.reloc_to_label(offset, kind, label, 0);
    }

    /// Appends the 32-bit distance from `base` to `label`: an entry of a position-independent jump table.
    pub fn emit_label_difference(&mut self, label: Label, base: Label) {
        let offset = self.offset();
        self.listing.line(offset, |out| write!(out, ".long {}-{}", LabelText(label), LabelText(base)));
        self.append(&[0; 4]);
        self.refs.push(LabelRef { at: offset, label, kind: RefKind::Difference { base } });
    }

    pub(super) fn patch_refs(&mut self) -> Result<(), Error> {
        for i in 0..self.refs.len() {
            let LabelRef { at, label, kind } = self.refs[i];
            let target = self.label_offset(label).ok_or(Error::UnboundLabel { label, offset: at })?;
            let value = match kind {
                RefKind::Reloc { index } => {
                    self.relocs[index as usize].addend += i64::from(target);
                    continue;
                }
                RefKind::PcRel32 { addend } => i64::from(target) + i64::from(addend) - i64::from(at),
                RefKind::PcOffset12 { ahead } => {
                    let distance = i64::from(target) - i64::from(at) - i64::from(ahead);
                    let size = u32::try_from(distance.unsigned_abs()).unwrap_or(u32::MAX);
                    if size >> 12 != 0 {
                        return Err(Error::OutOfRange { label, offset: at });
                    }
                    self.add_bits(at, size | u32::from(distance >= 0) << 23);
                    continue;
                }
                RefKind::PcOffset21 => {
                    let distance = i64::from(target) - i64::from(at);
                    if !(-(1 << 20)..1 << 20).contains(&distance) {
                        return Err(Error::OutOfRange { label, offset: at });
                    }
                    let distance = distance as u32;
                    self.add_bits(at, (distance & 3) << 29 | (distance >> 2 & 0x7_ffff) << 5);
                    continue;
                }
                RefKind::Instruction { kind, addend } => {
                    let distance = i64::from(target) + addend - i64::from(at);
                    match kind.distance() {
                        Some(field) if field.is_aligned(distance) && field.has_room(distance) => {
                            self.add_bits(at, field.bits_of(distance));
                        }
                        _ => return Err(Error::OutOfRange { label, offset: at }),
                    }
                    continue;
                }
                RefKind::Difference { base } => {
                    let base =
                        self.label_offset(base).ok_or(Error::UnboundLabel { label: base, offset: at })?;
                    i64::from(target) - i64::from(base)
                }
            };
            let value = i32::try_from(value).map_err(|_| Error::OutOfRange { label, offset: at })?;
            if let Some(field) = self.bytes.as_mut_slice().get_mut(at as usize..at as usize + 4) {
                field.copy_from_slice(&value.to_le_bytes());
            }
        }
        Ok(())
    }

    /// Sets bits of the word at an offset.
    fn add_bits(&mut self, at: u32, bits: u32) {
        if let Some(field) = self.bytes.as_mut_slice().get_mut(at as usize..)
            && let Some(field) = field.first_chunk_mut()
        {
            *field = (u32::from_le_bytes(*field) | bits).to_le_bytes();
        }
    }
}

/// What stands behind the symbol in a field, and at its end.
fn written(kind: RelocKind) -> [&'static str; 2] {
    match kind {
        RelocKind::PcRel32 | RelocKind::PcRel64 => ["", "-."],
        // Assemblers take the place from it themselves.
        RelocKind::Plt32 => ["@PLT", ""],
        RelocKind::GotPcRelAny32 | RelocKind::GotPcRel32 => ["@GOTPCREL", ""],
        RelocKind::GotOff32 => ["@GOTOFF", ""],
        RelocKind::Got32 => ["@GOT", ""],
        RelocKind::TpOff32 => ["@TPOFF", ""],
        RelocKind::GotTpOff32 => ["@GOTTPOFF", ""],
        _ => ["", ""],
    }
}

/// The name of the relocation of an instruction, for assemblers (ELF for the Arm 64-bit Architecture, 5.7).
fn elf_name(kind: RelocKind) -> &'static str {
    match kind {
        RelocKind::Aarch64Page21 => "R_AARCH64_ADR_PREL_PG_HI21",
        RelocKind::Aarch64AddLo12 => "R_AARCH64_ADD_ABS_LO12_NC",
        RelocKind::Aarch64Load8Lo12 => "R_AARCH64_LDST8_ABS_LO12_NC",
        RelocKind::Aarch64Load16Lo12 => "R_AARCH64_LDST16_ABS_LO12_NC",
        RelocKind::Aarch64Load32Lo12 => "R_AARCH64_LDST32_ABS_LO12_NC",
        RelocKind::Aarch64Load64Lo12 => "R_AARCH64_LDST64_ABS_LO12_NC",
        RelocKind::Aarch64Load128Lo12 => "R_AARCH64_LDST128_ABS_LO12_NC",
        RelocKind::Aarch64GotPage21 => "R_AARCH64_ADR_GOT_PAGE",
        RelocKind::Aarch64GotLo12 => "R_AARCH64_LD64_GOT_LO12_NC",
        RelocKind::Aarch64Call26 => "R_AARCH64_CALL26",
        RelocKind::Aarch64Jump26 => "R_AARCH64_JUMP26",
        RelocKind::Aarch64Branch19 => "R_AARCH64_CONDBR19",
        RelocKind::Aarch64Branch14 => "R_AARCH64_TSTBR14",
        RelocKind::Aarch64Load19 => "R_AARCH64_LD_PREL_LO19",
        RelocKind::Aarch64Address21 => "R_AARCH64_ADR_PREL_LO21",
        RelocKind::Aarch64TlsIePage21 => "R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21",
        RelocKind::Aarch64TlsIeLo12 => "R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC",
        RelocKind::Aarch64TlsLeHi12 => "R_AARCH64_TLSLE_ADD_TPREL_HI12",
        RelocKind::Aarch64TlsLeLo12 => "R_AARCH64_TLSLE_ADD_TPREL_LO12_NC",
        RelocKind::Aarch64TlsDescPage21 => "R_AARCH64_TLSDESC_ADR_PAGE21",
        RelocKind::Aarch64TlsDescLoadLo12 => "R_AARCH64_TLSDESC_LD64_LO12",
        RelocKind::Aarch64TlsDescAddLo12 => "R_AARCH64_TLSDESC_ADD_LO12",
        _ => "R_AARCH64_NONE",
    }
}

fn directive(kind: RelocKind) -> &'static str {
    if kind.size() == 8 { ".quad" } else { ".long" }
}
