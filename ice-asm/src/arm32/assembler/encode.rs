//! Operands of a statement against those of a row of the tables, and where they go in the word.
//!
//! The operands of a row are words with blanks between them; a number in one is the lowest bit of its field.
//!
//! | word | operand |
//! |---|---|
//! | `r12`, `r12=16` | a core register; in two fields |
//! | `t12` | the same, or the flags: 15 |
//! | `w16` | the same, with `!` (bit 21) or without |
//! | `e12` | an even register, and the next one, which need not be said |
//! | `op2`, `~op2`, `-op2` | a flexible second operand; a number of which the complement, the opposite can be encoded |
//! | `sh` | an amount by which `r0` is shifted |
//! | `ror`, `lsl`, `asr`, `sat` | a rotation by bytes, a shift, either shift; or nothing |
//! | `u5@16`, `d5@16` | a number of so many bits; a number that is one more |
//! | `movw`, `bkpt` | a number of 16 bits, in two parts |
//! | `bfi`, `sbfx` | the lowest bit and the width of a field |
//! | `addr2`, `addr3`, `addr5`, `addrx`, `addrp`, `addri` | memory: of words, of halves, of VFP, of exclusive accesses, of preloads |
//! | `list`, `dlist`, `slist` | registers in braces |
//! | `branch` | a label |
//! | `p8`, `c16` | a coprocessor, one of its registers |
//! | `barrier`, `psr`, `psrm`, `vsys`, `modimm` | a barrier's domain, status registers, their fields, those of VFP, a rotated number |
//! | `Sd`, `Dn`, `Qm`, `Vd`, `Fd` | registers of VFP; `V` is `D` or `Q` (bit 6), `F` is `S` or `D` by the type |
//! | `lane` | a lane as last operand |
//! | `zero`, `fimm`, `vimm`, `shl`, `shr`, `shrn`, `ext`, `fixed`, `turn` | numbers of VFP and vectors |

use super::operand::{Offset, Operand, Shift};
use crate::arm32::ModImm;

/// An instruction of the tables.
pub(super) struct Row {
    /// The mnemonic without condition and type.
    pub name: &'static str,
    /// Whether `s` may stand behind it: bit 20.
    pub sets_flags: bool,
    /// The types, see [`types`](super::types).
    pub types: &'static str,
    /// The operands.
    pub operands: &'static str,
    /// The word without operands. It has a condition if its upper four bits are zero.
    pub word: u32,
}

/// Where the distance to a label goes in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Field {
    /// Words, in 24 bits.
    Branch,
    /// Bytes in 12 bits and the sign at bit 23.
    Offset12,
    /// The same, in two parts.
    Offset8,
    /// Words in 8 bits, and the sign.
    Words8,
    /// As an addition to pc or a subtraction from it.
    Address,
}

/// A word, and the label that it is to lead to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Encoded<'t> {
    pub word: u32,
    pub label: Option<(&'t str, Field)>,
}

/// Operands being read.
pub(super) struct Reader<'o, 't> {
    left: &'o [Operand<'t>],
    pub word: u32,
    /// Bits of a lane, or 0 where the type says none.
    pub lane: u32,
    /// Whether registers of VFP are doublewords.
    pub is_double: bool,
    label: Option<(&'t str, Field)>,
}

/// The word for these operands, if they are those of the row. `word` has the condition, flags and type already.
pub(super) fn encode<'t>(
    row: &Row,
    word: u32,
    (lane, is_double): (u32, bool),
    operands: &[Operand<'t>],
) -> Option<Encoded<'t>> {
    let mut reader = Reader { left: operands, word, lane, is_double, label: None };
    for token in row.operands.split_ascii_whitespace() {
        reader.token(token)?;
    }
    reader.left.is_empty().then_some(Encoded { word: reader.word, label: reader.label })
}

/// A number in this many bits, if it has room there.
fn bits(number: i64, count: u32) -> Option<u32> {
    (0..1 << count).contains(&number).then_some(number as u32)
}

impl<'t> Reader<'_, 't> {
    pub(super) fn next(&mut self) -> Option<Operand<'t>> {
        let (&first, rest) = self.left.split_first()?;
        self.left = rest;
        Some(first)
    }

    pub(super) fn put(&mut self, value: u32, position: u32) {
        self.word |= value << position;
    }

    fn core(&mut self) -> Option<u32> {
        match self.next()? {
            Operand::Core { number, has_writeback: false, is_negative: false } => Some(number),
            _ => None,
        }
    }

    fn number(&mut self) -> Option<i64> {
        match self.next()? {
            Operand::Number(number) => Some(number),
            _ => None,
        }
    }

    fn token(&mut self, token: &str) -> Option<()> {
        match token {
            "op2" => self.second(|value| value),
            "~op2" => self.rotated(|value| !value),
            "-op2" => self.rotated(u32::wrapping_neg),
            "modimm" => self.rotated(|value| value),
            "sh" => self.shift_amount(),
            "ror" | "lsl" | "asr" | "sat" => self.optional_shift(token),
            "movw" => {
                let value = bits(self.number()?, 16)?;
                self.put(value >> 12, 16);
                self.put(value & 0xfff, 0);
                Some(())
            }
            "bkpt" => {
                let value = bits(self.number()?, 16)?;
                self.put(value >> 4, 8);
                self.put(value & 15, 0);
                Some(())
            }
            "bfi" | "sbfx" => {
                let [lsb, width] = [self.number()?, self.number()?];
                let fits = (0..32).contains(&lsb) && (1..=32 - lsb).contains(&width);
                let top = if token == "bfi" { lsb + width - 1 } else { width - 1 };
                fits.then(|| self.put(lsb as u32, 7))?;
                self.put(top as u32, 16);
                Some(())
            }
            "addr2" => self.address(12, Field::Offset12),
            "addr3" => self.address(8, Field::Offset8),
            "addr5" => self.float_address(),
            "addrx" => match self.next()? {
                Operand::Mem {
                    base,
                    offset: None | Some(Offset::Number(0)),
                    has_writeback: false,
                    align: 0,
                } => {
                    self.put(base, 16);
                    Some(())
                }
                _ => None,
            },
            "addrp" | "addri" => {
                let mem = self.next()?;
                if !matches!(mem, Operand::Mem { has_writeback: false, align: 0, .. })
                    || !self.left.is_empty()
                {
                    return None;
                }
                self.memory(mem, 12)?;
                if token == "addri" {
                    self.word &= !(1 << 24);
                }
                Some(())
            }
            "list" => self.list(),
            "dlist" => self.float_list(true),
            "slist" => self.float_list(false),
            "branch" => self.label(Field::Branch),
            "barrier" => self.barrier(),
            "psr" => {
                let Operand::Word(name) = self.next()? else { return None };
                self.put(status_register(name)?, 22);
                Some(())
            }
            "psrm" => {
                let Operand::Word(name) = self.next()? else { return None };
                let (register, mask) = status_fields(name)?;
                self.put(register, 22);
                self.put(mask, 16);
                Some(())
            }
            "vsys" => {
                let Operand::Word(name) = self.next()? else { return None };
                let registers = [("fpsid", 0), ("fpscr", 1), ("mvfr1", 6), ("mvfr0", 7), ("fpexc", 8)];
                let &(_, number) = registers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
                self.put(number, 16);
                Some(())
            }
            "lane" | "zero" | "fimm" | "vimm" | "shl" | "shr" | "shrn" | "ext" | "fixed" | "turn" => {
                self.float_token(token)
            }
            _ => self.positioned(token),
        }
    }

    /// A word with the place of its field.
    fn positioned(&mut self, token: &str) -> Option<()> {
        let (kind, place) = token.split_at_checked(1)?;
        if matches!(kind, "S" | "D" | "Q" | "V" | "F") {
            return self.float_register(kind, place);
        }
        if let Some((count, position)) = place.split_once('@') {
            let (count, position): (u32, u32) = (count.parse().ok()?, position.parse().ok()?);
            let less = i64::from(kind == "d");
            let value = bits(self.number()?.checked_sub(less)?, count)?;
            self.put(value, position);
            return Some(());
        }
        let (place, other) = match place.split_once('=') {
            Some((place, other)) => (place.parse().ok()?, Some(other.parse().ok()?)),
            None => (place.parse().ok()?, None),
        };
        let value = match (kind, self.next()?) {
            ("r" | "t" | "w", Operand::Core { number, has_writeback: false, is_negative: false }) => number,
            ("w", Operand::Core { number, has_writeback: true, is_negative: false }) => {
                self.put(1, 21);
                number
            }
            ("t", Operand::Word(name)) if name.eq_ignore_ascii_case("apsr_nzcv") => 15,
            ("e", Operand::Core { number, has_writeback: false, is_negative: false }) => {
                let next = number + 1;
                if number % 2 != 0 || number == 14 {
                    return None;
                }
                if matches!(self.left.first(), Some(&Operand::Core { number, .. }) if number == next) {
                    self.core()?;
                }
                number
            }
            ("p", Operand::Coprocessor(number)) => number,
            ("p", Operand::Number(number)) => bits(number, 4)?,
            ("c", Operand::CoprocessorRegister(number)) => number,
            _ => return None,
        };
        self.put(value, place);
        if let Some(other) = other {
            self.put(value, other);
        }
        Some(())
    }

    /// A number as data processing has it, after this change of it.
    fn rotated(&mut self, change: impl Fn(u32) -> u32) -> Option<()> {
        let number = self.number()?;
        let in_range = (-(1 << 31)..1 << 32).contains(&number);
        let imm = ModImm::new(change(number as u32)).filter(|_| in_range)?;
        self.word |= imm.bits() | 1 << 25;
        Some(())
    }

    /// A number, or a register that may be shifted.
    fn second(&mut self, change: impl Fn(u32) -> u32) -> Option<()> {
        if matches!(self.left.first(), Some(Operand::Number(_))) {
            return self.rotated(change);
        }
        let register = self.core()?;
        self.put(register, 0);
        if let Some(&Operand::Shift(shift)) = self.left.first() {
            self.next();
            self.word |= shift_bits(shift)?;
        }
        Some(())
    }

    /// The amount of a shift that is an instruction, whose kind is in the word.
    fn shift_amount(&mut self) -> Option<()> {
        let kind = self.word >> 5 & 3;
        self.word |= match self.next()? {
            Operand::Number(0) => {
                // No shift at all.
                self.word &= !(3 << 5);
                0
            }
            Operand::Number(number) => shift_bits(Shift::By(kind, u32::try_from(number).ok()?))?,
            Operand::Core { number, has_writeback: false, is_negative: false } => {
                shift_bits(Shift::ByRegister(kind, number))?
            }
            _ => return None,
        };
        Some(())
    }

    fn optional_shift(&mut self, token: &str) -> Option<()> {
        let Some(operand) = self.next() else { return Some(()) };
        let Operand::Shift(Shift::By(kind, amount)) = operand else { return None };
        self.word |= match (token, kind, amount) {
            ("ror", 3, 0 | 8 | 16 | 24) => (amount / 8) << 10,
            ("lsl" | "sat", 0, 0..32) => amount << 7,
            ("asr", 2, 1..=32) => (amount & 31) << 7,
            ("sat", 2, 1..=32) => (amount & 31) << 7 | 1 << 6,
            _ => return None,
        };
        Some(())
    }

    /// Memory with an index, or a label. `width` is that of the offset.
    fn address(&mut self, width: u32, field: Field) -> Option<()> {
        let mem = self.next()?;
        let Operand::Mem { base, offset, has_writeback, align: 0 } = mem else {
            let Operand::Word(name) = mem else { return None };
            self.label = Some((name, field));
            self.put(15, 16);
            self.put(if width == 8 { 1 << 22 | 1 << 24 } else { 1 << 24 }, 0);
            return Some(());
        };
        let Some(behind) = self.next() else {
            if has_writeback {
                self.put(1, 21);
            }
            return self.memory(mem, width);
        };
        if offset.is_some() || has_writeback {
            return None;
        }
        // What is behind is added after the access.
        let offset = match behind {
            Operand::Number(number) => Offset::Number(number),
            Operand::Core { number, has_writeback: false, is_negative } => {
                let shift = match self.next() {
                    None => None,
                    Some(Operand::Shift(shift)) => Some(shift),
                    Some(_) => return None,
                };
                Offset::Register { number, is_negative, shift }
            }
            _ => return None,
        };
        self.offset(base, Some(offset), width)
    }

    /// An address before which its offset is added.
    fn memory(&mut self, mem: Operand<'_>, width: u32) -> Option<()> {
        let Operand::Mem { base, offset, align: 0, .. } = mem else { return None };
        self.put(1, 24);
        self.offset(base, offset, width)
    }

    fn offset(&mut self, base: u32, offset: Option<Offset>, width: u32) -> Option<()> {
        self.put(base, 16);
        match offset.unwrap_or(Offset::Number(0)) {
            Offset::Number(number) => {
                let magnitude = u32::try_from(number.unsigned_abs()).ok().filter(|&n| n < 1 << width)?;
                self.put(u32::from(number >= 0), 23);
                match width {
                    8 => self.word |= 1 << 22 | (magnitude & 0xf0) << 4 | magnitude & 15,
                    _ => self.word |= magnitude,
                }
            }
            Offset::Register { number, is_negative, shift } => {
                self.put(u32::from(!is_negative), 23);
                self.put(number, 0);
                if width == 12 {
                    self.put(1, 25);
                }
                match shift {
                    None => {}
                    Some(Shift::ByRegister(..)) => return None,
                    Some(shift) if width == 12 => self.word |= shift_bits(shift)?,
                    Some(_) => return None,
                }
            }
        }
        Some(())
    }

    /// Memory of VFP: an offset in words.
    fn float_address(&mut self) -> Option<()> {
        let (base, number) = match self.next()? {
            Operand::Mem { base, offset: None, has_writeback: false, align: 0 } => (base, 0),
            Operand::Mem { base, offset: Some(Offset::Number(number)), has_writeback: false, align: 0 } => {
                (base, number)
            }
            Operand::Word(name) => {
                self.label = Some((name, Field::Words8));
                self.put(15, 16);
                return Some(());
            }
            _ => return None,
        };
        self.put(base, 16);
        let magnitude = u32::try_from(number.unsigned_abs()).ok().filter(|&n| n % 4 == 0 && n < 1024)?;
        self.put(u32::from(number >= 0), 23);
        self.put(magnitude / 4, 0);
        Some(())
    }

    fn list(&mut self) -> Option<()> {
        let Operand::List { registers, is_user } = self.next()? else { return None };
        self.put(u32::from(is_user), 22);
        self.put(registers, 0);
        Some(())
    }

    fn label(&mut self, field: Field) -> Option<()> {
        let Operand::Word(name) = self.next()? else { return None };
        self.label = Some((name, field));
        Some(())
    }

    /// The domain of a barrier (A8.8.43): the whole system if none is said.
    fn barrier(&mut self) -> Option<()> {
        const DOMAINS: [(&str, u32); 12] = [
            ("sy", 15),
            ("st", 14),
            ("ish", 11),
            ("ishst", 10),
            ("nsh", 7),
            ("nshst", 6),
            ("osh", 3),
            ("oshst", 2),
            ("un", 7),
            ("unst", 6),
            ("sh", 11),
            ("shst", 10),
        ];
        let domain = match self.next() {
            None => 15,
            Some(Operand::Number(number)) => bits(number, 4)?,
            Some(Operand::Word(name)) => {
                DOMAINS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?.1
            }
            Some(_) => return None,
        };
        self.put(domain, 0);
        Some(())
    }
}

/// A shift as data processing has it (A5.2.1): `r0` is the register.
pub(super) fn shift_bits(shift: Shift) -> Option<u32> {
    Some(match shift {
        Shift::Rrx => 3 << 5,
        Shift::ByRegister(kind, register) => register << 8 | kind << 5 | 1 << 4,
        Shift::By(_, 0) => 0,
        Shift::By(kind, amount) => {
            let most = if kind == 0 || kind == 3 { 31 } else { 32 };
            (amount <= most).then_some((amount & 31) << 7 | kind << 5)?
        }
    })
}

/// 1 for the saved status register.
fn status_register(name: &str) -> Option<u32> {
    match () {
        () if name.eq_ignore_ascii_case("cpsr") || name.eq_ignore_ascii_case("apsr") => Some(0),
        () if name.eq_ignore_ascii_case("spsr") => Some(1),
        () => None,
    }
}

/// A status register that is written, and which of its bytes (B9.3.11).
fn status_fields(name: &str) -> Option<(u32, u32)> {
    let (register, fields) = match name.split_once('_') {
        Some((register, fields)) => (register, fields),
        None if name.eq_ignore_ascii_case("apsr") => (name, "f"),
        None => (name, "fc"),
    };
    let number = status_register(register)?;
    let flags = [("nzcvq", 8), ("g", 4), ("nzcvqg", 12)];
    let known = flags.iter().find(|(known, _)| known.eq_ignore_ascii_case(fields));
    if let (true, Some(&(_, mask))) = (register.eq_ignore_ascii_case("apsr"), known) {
        return Some((number, mask));
    }
    let mut mask = 0;
    for field in fields.bytes() {
        mask |= 1 << b"cxsf".iter().position(|&known| known == field.to_ascii_lowercase())?;
    }
    Some((number, mask))
}
