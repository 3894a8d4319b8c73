//! Moves of registers, and of numbers into registers.

use super::imm::LogicImm;
use super::register::{Gpr, Width, plain};
use super::{Alu, ArithImm, Encoder, bits, ops};
use crate::listing::Listing;

ops!(
    /// Moves of 16 bits, to a place in the register ("Move wide (immediate)"): into ones, its complement; into zeros; and
    /// into what is there.
    MoveWide:
    Movn "movn" "f 00 100101 hh iiiiiiiiiiiiiiii ddddd",
    Movz "movz" "f 10 100101 hh iiiiiiiiiiiiiiii ddddd",
    Movk "movk" "f 11 100101 hh iiiiiiiiiiiiiiii ddddd",
);

/// How a number comes into a register.
enum Way {
    /// Quarters that are written into this number, which all quarters have first.
    Wide(u16),
    /// `orr` with zeros.
    Logic(LogicImm),
}

/// The shortest way, and how many instructions it takes. Of 32 bits the number has zeros above.
#[inline]
fn way(width: Width, value: u64) -> (Way, u32) {
    let count = |quarter: u16| {
        let quarters = (0..width.bits()).step_by(16);
        quarters.filter(|&at| (value >> at) as u16 != quarter).count() as u32
    };
    let (zeros, ones) = (count(0), count(u16::MAX));
    let (fill, others) = if zeros <= ones { (0, zeros) } else { (u16::MAX, ones) };
    match others {
        0 | 1 => (Way::Wide(fill), 1),
        _ => match LogicImm::new(width, value) {
            Some(imm) => (Way::Logic(imm), 1),
            None => (Way::Wide(fill), others),
        },
    }
}

/// The low bits that count.
pub(super) const fn cut(width: Width, value: u64) -> u64 {
    match width {
        Width::W => value as u32 as u64,
        Width::X => value,
    }
}

/// How many instructions [`Encoder::mov_number`] takes.
#[must_use]
pub fn number_len(width: Width, value: u64) -> u32 {
    way(width, cut(width, value)).1
}

impl<L: Listing> Encoder<'_, L> {
    /// `mov xd, xn`: `orr`, or `add` where one is the stack pointer.
    #[inline]
    pub fn mov(&mut self, width: Width, d: Gpr, n: Gpr) {
        if plain([d, n]) {
            let word = bits!("f 01 01010 00 0 mmmmm 000000 11111 ddddd") | width.sf() | n.m() | d.d();
            return self.inst(word, format_args!("mov {}, {}", d.of(width), n.of(width)));
        }
        let word = bits!("f 00 100010 0 000000000000 nnnnn ddddd") | width.sf() | n.n() | d.d();
        let valid = d.is_base() && n.is_base();
        self.checked(valid, word, format_args!("mov {}, {}", d.of(width), n.of(width)));
    }

    /// `movz xd, #imm, lsl #shift` and its like; the shift is 0, 16, or of 64 bits also 32 or 48.
    #[inline]
    pub fn mov_wide(&mut self, op: MoveWide, width: Width, d: Gpr, imm: u16, shift: u8) {
        let valid = d.is_plain() && shift.is_multiple_of(16) && u32::from(shift) < width.bits();
        let word = op.bits() | width.sf() | u32::from(shift >> 4 & 3) << 21 | u32::from(imm) << 5 | d.d();
        match shift {
            0 => self.checked(valid, word, format_args!("{} {}, #{imm}", op.mnemonic(), d.of(width))),
            _ => {
                let text = format_args!("{} {}, #{imm}, lsl #{shift}", op.mnemonic(), d.of(width));
                self.checked(valid, word, text);
            }
        }
    }

    /// Puts a number into a register, in as few instructions as one immediate of logic, or `movz` or `movn` and `movk`,
    /// need: [`number_len`]. Of 32 bits the upper ones of the number do not count. The register is neither [`Gpr::ZERO`] nor
    /// [`Gpr::SP`].
    pub fn mov_number(&mut self, width: Width, d: Gpr, value: u64) {
        let value = cut(width, value);
        let fill = match way(width, value).0 {
            _ if !d.is_plain() || !d.is_base() => return self.invalid(),
            Way::Logic(imm) => return self.alu(Alu::Orr, width, d, Gpr::ZERO, imm),
            Way::Wide(fill) => fill,
        };
        let first = if fill == 0 { MoveWide::Movz } else { MoveWide::Movn };
        let mut is_first = true;
        for shift in (0..width.bits() as u8).step_by(16) {
            let quarter = (value >> shift) as u16;
            if quarter == fill {
                continue;
            }
            match is_first {
                true => self.mov_wide(first, width, d, quarter ^ fill, shift),
                false => self.mov_wide(MoveWide::Movk, width, d, quarter, shift),
            }
            is_first = false;
        }
        if is_first {
            self.mov_wide(first, width, d, 0, 0);
        }
    }

    /// `add xd, xn, #number` or `sub`: the sum of a register and a number that [`ArithImm`] has, or whose negation it has.
    pub fn add_number(&mut self, width: Width, d: Gpr, n: Gpr, number: i64) {
        let op = if number < 0 { Alu::Sub } else { Alu::Add };
        match ArithImm::new(number.unsigned_abs()) {
            Some(imm) => self.alu(op, width, d, n, imm),
            None => self.invalid(),
        }
    }
}
