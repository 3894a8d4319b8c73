//! Assembler text, read off the word of the instruction.
//!
//! A row of the tables has the operands of its format, where letters stand for fields; so the text of every
//! instruction, of one in a slot too, follows from its 32 bits. Registers have their names in the o32 convention; no
//! instruction is written as a synonym, so that assemblers make of it what it was.
//!
//! | letter | field | bits |
//! |---|---|---|
//! | `s`, `t`, `d` | general registers | 25-21, 20-16, 15-11 |
//! | `R`, `T`, `S`, `D` | floating-point registers | 25-21, 20-16, 15-11, 10-6 |
//! | `C`, `M` | condition codes | 10-8, 20-18 |
//! | `i`, `u` | a number of 16 bits with and without sign, or the symbol that it comes from | 15-0 |
//! | `j` | the target of a jump | 25-0 |
//! | `b` | the target of a branch: a label, or how far it is from the branch | 15-0 |
//! | `p`, `z`, `n` | position of a field of bits, and its size as extraction and insertion have it | 10-6, 15-11 |
//! | `k`, `q` | codes of breaks and traps | 25-16, 15-6 |
//! | `h` | a hardware or control register, by number | 15-11 |
//! | `w`, `W` | the format, single or double | 21, 0 |
//! | `0` | register 0 as destination, where the bit is set | 1 |

use super::operand::{Cc, Fpr, Gpr};
use super::{control, float, int, memory};
use crate::buffer::Label;
use crate::listing::SymbolText;
use crate::reloc::{Reloc, RelocKind, SymbolId};
use core::fmt::{self, Write};

/// A row of a table: one instruction.
pub(super) struct Row {
    pub mnemonic: &'static str,
    /// The operands of its format.
    pub operands: &'static str,
    /// Its fixed bits.
    pub bits: u32,
    /// Which bits are fixed.
    pub fixed: u32,
}

impl Row {
    pub const fn new(mnemonic: &'static str, operands: &'static str, text: &str) -> Row {
        Row { mnemonic, operands, bits: crate::table::pattern(text), fixed: crate::table::fixed(text) }
    }
}

/// What stands in the text instead of the number in a field.
#[derive(Clone, Copy)]
pub(super) enum Operand {
    /// The number.
    Number,
    /// What the linker puts there.
    Symbol(SymbolOperand),
    /// The target of a branch.
    Label(Label),
}

/// What the linker puts into the field of an instruction.
#[derive(Clone, Copy)]
pub(super) struct SymbolOperand {
    pub kind: RelocKind,
    pub symbol: SymbolId,
    pub addend: i32,
}

impl From<Reloc> for SymbolOperand {
    fn from(reloc: Reloc) -> SymbolOperand {
        SymbolOperand { kind: reloc.kind, symbol: reloc.symbol, addend: reloc.addend as i32 }
    }
}

/// All rows; no word is an instruction of two, but for those that come first here.
const TABLES: [&[&[Row]]; 5] = [control::FIRST, int::ROWS, memory::ROWS, float::ROWS, control::ROWS];

/// All rows in order.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    TABLES.into_iter().flatten().copied().flatten()
}

/// Writes the instruction.
pub(super) fn write_word(out: &mut dyn Write, word: u32, operand: Operand) -> fmt::Result {
    let Some(row) = rows().find(|row| word & row.fixed == row.bits) else {
        return write!(out, ".4byte {word:#x}");
    };
    out.write_str(row.mnemonic)?;
    for (i, letter) in row.operands.chars().enumerate() {
        if i == 0 && letter != '.' {
            out.write_char(' ')?;
        }
        write_operand(out, letter, word, operand)?;
    }
    Ok(())
}

fn write_operand(out: &mut dyn Write, letter: char, word: u32, operand: Operand) -> fmt::Result {
    let field = |at: u32| word >> at & 31;
    let gpr = |at| Gpr::new(field(at) as u8);
    let fpr = |at| Fpr::new(field(at) as u8);
    match letter {
        's' => write!(out, "{}", gpr(21)),
        't' => write!(out, "{}", gpr(16)),
        'd' => write!(out, "{}", gpr(11)),
        'R' => write!(out, "{}", fpr(21)),
        'T' => write!(out, "{}", fpr(16)),
        'S' => write!(out, "{}", fpr(11)),
        'D' => write!(out, "{}", fpr(6)),
        'C' => write!(out, "{}", Cc::new((word >> 8) as u8)),
        'M' => write!(out, "{}", Cc::new((word >> 18) as u8)),
        'w' => out.write_char(if word >> 21 & 1 == 0 { 's' } else { 'd' }),
        'W' => out.write_char(if word & 1 == 0 { 's' } else { 'd' }),
        '0' if word & 2 == 0 => Ok(()),
        '0' => write!(out, "{}, ", Gpr::ZERO),
        'i' | 'u' | 'j' if let Operand::Symbol(symbol) = operand => symbol.write(out),
        'b' | 'j' if let Operand::Label(label) = operand => write!(out, "{label}"),
        'i' => write!(out, "{}", word as u16 as i16),
        'u' => write!(out, "{}", word as u16),
        'j' => write!(out, "{:#x}", (word & 0x03ff_ffff) << 2),
        'b' => write!(out, ".{:+}", 4 + 4 * i32::from(word as u16 as i16)),
        'p' => write!(out, "{}", field(6)),
        'z' => write!(out, "{}", field(11) + 1),
        'n' => write!(out, "{}", (field(11) + 1).wrapping_sub(field(6))),
        'k' => write!(out, "{}", word >> 16 & 0x3ff),
        'q' => write!(out, "{}", word >> 6 & 0x3ff),
        'h' => write!(out, "${}", field(11)),
        letter => out.write_char(letter),
    }
}

impl SymbolOperand {
    fn write(self, out: &mut dyn Write) -> fmt::Result {
        let operator = match self.kind {
            RelocKind::MipsHi16 => "%hi",
            RelocKind::MipsLo16 => "%lo",
            RelocKind::MipsGot16 => "%got",
            RelocKind::MipsCall16 => "%call16",
            RelocKind::MipsTlsGd => "%tlsgd",
            RelocKind::MipsGotTpRel => "%gottprel",
            RelocKind::MipsTpRelHi16 => "%tprel_hi",
            RelocKind::MipsTpRelLo16 => "%tprel_lo",
            _ => "",
        };
        let (symbol, addend) = (SymbolText(self.symbol), self.addend);
        match (operator, addend) {
            ("", 0) => write!(out, "{symbol}"),
            ("", _) => write!(out, "{symbol}{addend:+}"),
            (_, 0) => write!(out, "{operator}({symbol})"),
            _ => write!(out, "{operator}({symbol}{addend:+})"),
        }
    }
}
