//! Operands of a statement against those of a row of the table, and where they go in the word.
//!
//! The operands of a row are words with blanks between them. The second letter of a register tells its field: `d` bits 4:0, `n` 9:5,
//! `a` 14:10, `m` 20:16.
//!
//! | word | operand |
//! |---|---|
//! | `Xd`, `Wd` | a general-purpose register |
//! | `Bd`, `Hd`, `Sd`, `Dd`, `Qd` | a number in a register of vectors |
//! | `Id`, `Fd` | one of any width that the row has lanes of, with the field `size`; of single or double precision |
//! | `Vd.16b` | a vector with these lanes |
//! | `Vd.T`, `Vd.F` | a vector with lanes that the row has, and the fields `Q` and `size`; of floating-point numbers |
//! | `Vd.N`, `Vd.W` | the same where lanes widen or narrow: the narrow ones, whose upper half a `2` behind the mnemonic means, and the wide ones |
//! | `Vd.t`, `Vd.n`, `Vd.w` | the same without `size` |
//! | `Vm.E` | a lane of the width of the others |
//! | `Vm.L` | a lane of 32 bits, its number in bits 13:12 |
//! | `rotate` | an amount below 64 in bits 15:10 |
//! | `side`, `quarters` | a turn by 90 or 270 degrees in bit 12; by a multiple of 90 in bits 12:11 |
//! | `shl`, `shr` | an amount by which lanes of this width are shifted |
//! | `width` | the width of a narrow lane |
//! | `zero` | the number 0 |

use super::Assembler;
use super::float::is_zero;
use super::operand::{Operand, Shape};
use super::table::{Row, TABLES};
use crate::aarch64::register::full_bit;
use crate::aarch64::{Arrangement, FloatWidth, Lane, Vreg, Width};

/// Operands being read.
struct Reader<'o, 't> {
    left: &'o [Operand<'t>],
    word: u32,
    /// The widths of lanes that there are.
    lanes: u8,
    /// The width of lanes, of the narrow ones, once it is known.
    lane: Option<Lane>,
    full: Option<bool>,
    /// Whether a `2` stands behind the mnemonic.
    is_high: bool,
}

impl Assembler<'_, '_, '_> {
    /// An instruction of the table.
    pub(super) fn row(&mut self, name: &str, operands: &[Operand<'_>]) -> Option<()> {
        for row in TABLES.into_iter().flatten() {
            let Some(is_high) = row.is_named(name) else { continue };
            let (lanes, word) = (row.lanes, row.word);
            let mut reader = Reader { left: operands, word, lanes, lane: None, full: None, is_high };
            let is_read =
                row.operands.split_ascii_whitespace().all(|token| reader.token(token, self).is_some());
            if is_read && reader.left.is_empty() {
                let word = reader.word;
                self.word(word);
                return Some(());
            }
        }
        None
    }
}

impl Row {
    /// Whether a mnemonic is that of the row, with the `2` of the upper half or without.
    pub(super) fn is_named(&self, name: &str) -> Option<bool> {
        let has_halves = self.operands.contains(".N") || self.operands.contains(".n");
        match name.strip_prefix(self.name)? {
            "" => Some(false),
            "2" if has_halves => Some(true),
            _ => None,
        }
    }
}

impl Reader<'_, '_> {
    fn token(&mut self, token: &str, assembler: &mut Assembler<'_, '_, '_>) -> Option<()> {
        let (&first, rest) = self.left.split_first()?;
        self.left = rest;
        match token {
            "zero" => return is_zero(&first).then_some(()),
            "width" => {
                let bits = self.lane?.bits();
                return (assembler.number(&first)? == i64::from(bits)).then_some(());
            }
            "rotate" => {
                self.word |= u32::from(assembler.below(&first, 64)?) << 10;
                return Some(());
            }
            "side" | "quarters" => {
                let turns: &[i64] = if token == "side" { &[90, 270] } else { &[0, 90, 180, 270] };
                let degrees = assembler.number(&first)?;
                let turn = turns.iter().position(|&turn| turn == degrees)? as u32;
                self.word |= turn << if token == "side" { 12 } else { 11 };
                return Some(());
            }
            "shl" | "shr" => {
                let bits = self.lane?.bits();
                let amount = assembler.below(&first, bits + 1).map(u32::from)?;
                let field = match token {
                    "shl" => (amount < bits).then_some(bits + amount),
                    _ => (amount > 0).then_some(2 * bits - amount),
                };
                self.word |= field? << 16;
                return Some(());
            }
            _ => {}
        }
        let (register, lanes) = match token.split_once('.') {
            Some((register, lanes)) => (register, Some(lanes)),
            None => (token, None),
        };
        let [kind, field] = *register.as_bytes() else { return None };
        let position = match field {
            b'd' => 0,
            b'n' => 5,
            b'a' => 10,
            _ => 16,
        };
        let number = match (first, lanes) {
            (Operand::Gpr(register, width), None) => {
                let is_kind = kind == if width == Width::X { b'X' } else { b'W' };
                (is_kind && register.is_plain()).then(|| register.bits())?
            }
            (Operand::Float(width, register), None) => {
                self.scalar(kind, width)?;
                register.d()
            }
            (Operand::Vector(register, shape), Some(lanes)) => {
                self.vector(lanes, shape)?;
                register.d()
            }
            (Operand::Element(register, lane, index), Some("E")) => self.element(register, lane, index)?,
            (Operand::Element(register, Lane::B32, index), Some("L")) => {
                self.word |= u32::try_from(index).ok().filter(|&index| index < 4)? << 12;
                register.d()
            }
            _ => return None,
        };
        self.word |= number << position;
        Some(())
    }

    /// Notes the width of lanes, or of the narrow ones, if it can be this.
    fn set_lane(&mut self, lane: Lane) -> Option<bool> {
        let is_first = self.lane.is_none();
        self.lane = self.lane.or(Some(lane));
        (self.lane == Some(lane) && self.lanes >> lane as u8 & 1 != 0).then_some(is_first)
    }

    fn scalar(&mut self, kind: u8, width: FloatWidth) -> Option<()> {
        let lane = Lane::ALL.get(usize::from(width.size_log2())).copied();
        match kind {
            b'I' => {
                let lane = lane?;
                if self.set_lane(lane)? {
                    self.word |= (lane as u32) << 22;
                }
                Some(())
            }
            b'F' => {
                let size = width.ftype()?;
                if self.set_lane(lane?)? {
                    self.word |= size;
                }
                Some(())
            }
            _ => {
                let is_kind = kind == b"BHSDQ"[width as usize];
                // Lanes of a shift have the width of the register.
                self.lane = self.lane.or(lane);
                is_kind.then_some(())
            }
        }
    }

    fn vector(&mut self, lanes: &str, shape: Shape) -> Option<()> {
        let arrangement = match shape {
            Shape::All(arrangement) => arrangement,
            Shape::Whole => return (lanes == "1q").then_some(()),
            Shape::One(_) => return None,
        };
        let Arrangement { lane, full } = arrangement;
        let full_is = |this: &mut Self, full: bool| {
            let is_first = this.full.is_none();
            this.full = this.full.or(Some(full));
            (this.full == Some(full)).then(|| this.word |= if is_first { full_bit(full) } else { 0 })
        };
        match lanes {
            "T" | "t" => {
                arrangement.bits()?;
                full_is(self, full)?;
                if self.set_lane(lane)? && lanes == "T" {
                    self.word |= (lane as u32) << 22;
                }
            }
            "F" => {
                let fields = arrangement.float_bits()?;
                full_is(self, full)?;
                if self.set_lane(lane)? {
                    self.word |= fields & 1 << 22;
                }
            }
            "N" | "n" => {
                (full == self.is_high).then_some(())?;
                self.word |= full_bit(full);
                if self.set_lane(lane)? && lanes == "N" {
                    self.word |= (lane as u32) << 22;
                }
            }
            "W" | "w" => {
                let narrow = (lane as usize).checked_sub(1).map(|lane| Lane::ALL[lane]).filter(|_| full)?;
                if self.set_lane(narrow)? && lanes == "W" {
                    self.word |= (narrow as u32) << 22;
                }
            }
            // Wide lanes of as many bits together.
            "P" => {
                let narrow = (lane as usize).checked_sub(1).map(|lane| Lane::ALL[lane])?;
                full_is(self, full)?;
                if self.set_lane(narrow)? {
                    self.word |= (narrow as u32) << 22;
                }
            }
            literal => {
                let (count, letter) = literal.split_at_checked(literal.len().checked_sub(1)?)?;
                let wanted = ["b", "h", "s", "d"].iter().position(|&known| known == letter)?;
                let bits = count.parse::<u32>().ok()? * lane.bits();
                return (wanted == lane as usize && bits == if full { 128 } else { 64 }).then_some(());
            }
        }
        Some(())
    }

    /// A lane as a factor ("Advanced SIMD vector x indexed element"): the number of the register without its place.
    fn element(&mut self, register: Vreg, lane: Lane, index: i64) -> Option<u32> {
        self.set_lane(lane)?;
        let index = u32::try_from(index).ok().filter(|&index| index < 128 / lane.bits())?;
        let [high, low, middle] = match lane {
            Lane::B8 => return None,
            Lane::B16 => [index >> 2, index >> 1 & 1, index & 1],
            Lane::B32 => [index >> 1, index & 1, 0],
            Lane::B64 => [index, 0, 0],
        };
        if lane == Lane::B16 && register.number() > 15 {
            return None;
        }
        self.word |= high << 11 | low << 21 | middle << 20;
        Some(register.d())
    }
}
