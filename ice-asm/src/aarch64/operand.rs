//! Conditions, second operands and addresses.

use super::imm::{ArithImm, LogicImm};
use super::register::{Gpr, Width};
use super::symbol::RelocText;
use crate::reloc::{RelocKind, SymbolId};
use core::fmt;

/// A condition, in the order of its encoding (C1.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cond {
    /// Equal.
    Eq,
    /// Not equal; unordered.
    Ne,
    /// Carry set: unsigned higher or same; of numbers greater, equal or unordered.
    Hs,
    /// Carry clear: unsigned lower; of numbers less.
    Lo,
    /// Minus; of numbers less.
    Mi,
    /// Plus or zero; of numbers greater, equal or unordered.
    Pl,
    /// Overflow; unordered.
    Vs,
    /// No overflow; ordered.
    Vc,
    /// Unsigned higher; of numbers greater or unordered.
    Hi,
    /// Unsigned lower or same; of numbers less or equal.
    Ls,
    /// Signed greater or equal.
    Ge,
    /// Signed less; of numbers less or unordered.
    Lt,
    /// Signed greater.
    Gt,
    /// Signed less or equal; of numbers less, equal or unordered.
    Le,
    /// Always.
    Al,
}

impl Cond {
    /// All conditions, in the order of their numbers.
    pub const ALL: [Cond; 15] = {
        use Cond::*;
        [Eq, Ne, Hs, Lo, Mi, Pl, Vs, Vc, Hi, Ls, Ge, Lt, Gt, Le, Al]
    };

    /// The opposite condition. "Always" has none and stays.
    #[must_use]
    pub const fn invert(self) -> Cond {
        match self {
            Cond::Al => Cond::Al,
            cond => Cond::ALL[cond as usize ^ 1],
        }
    }

    /// The four bits of the encoding.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self as u32
    }
}

impl fmt::Display for Cond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 15] =
            ["eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al"];
        f.write_str(NAMES[*self as usize])
    }
}

/// A shift, by less than the width of the register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shift {
    /// Left.
    Lsl,
    /// Right with zeros.
    Lsr,
    /// Right with sign bits.
    Asr,
    /// Rotation to the right; not of the operand of an addition or subtraction.
    Ror,
}

impl Shift {
    /// All shifts.
    pub const ALL: [Shift; 4] = [Shift::Lsl, Shift::Lsr, Shift::Asr, Shift::Ror];

    /// The mnemonic.
    #[must_use]
    pub const fn mnemonic(self) -> &'static str {
        ["lsl", "lsr", "asr", "ror"][self as usize]
    }
}

/// An extension of the low part of a register, with zeros or the sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Extend {
    /// Of 8 bits with zeros.
    Uxtb,
    /// Of 16 bits with zeros.
    Uxth,
    /// Of 32 bits with zeros.
    Uxtw,
    /// Of 64 bits: nothing.
    Uxtx,
    /// Of 8 bits with the sign.
    Sxtb,
    /// Of 16 bits with the sign.
    Sxth,
    /// Of 32 bits with the sign.
    Sxtw,
    /// Of 64 bits: nothing.
    Sxtx,
}

impl Extend {
    /// All extensions, in the order of their numbers.
    pub const ALL: [Extend; 8] = {
        use self::Extend::*;
        [Uxtb, Uxth, Uxtw, Uxtx, Sxtb, Sxth, Sxtw, Sxtx]
    };

    /// The mnemonic.
    #[must_use]
    pub const fn mnemonic(self) -> &'static str {
        ["uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx"][self as usize]
    }

    /// Which register is extended, in an instruction of this width.
    pub(super) const fn source(self, width: Width) -> Width {
        match self {
            Extend::Uxtx | Extend::Sxtx => width,
            _ => Width::W,
        }
    }
}

/// The last operand of [`Alu`](super::Alu) operations and comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A register.
    Reg(Gpr),
    /// A register shifted by less than its width.
    Shift(Gpr, Shift, u8),
    /// The low part of a register extended, then shifted left by at most 4: of additions and subtractions.
    Extend(Gpr, Extend, u8),
    /// A number, of additions and subtractions.
    Imm(ArithImm),
    /// A number, of `and`, `ands`, `orr` and `eor`.
    Bits(LogicImm),
}

impl From<Gpr> for Operand {
    fn from(reg: Gpr) -> Self {
        Operand::Reg(reg)
    }
}

impl From<ArithImm> for Operand {
    fn from(imm: ArithImm) -> Self {
        Operand::Imm(imm)
    }
}

impl From<LogicImm> for Operand {
    fn from(imm: LogicImm) -> Self {
        Operand::Bits(imm)
    }
}

/// An operand as text, in an instruction of this width.
pub(super) struct OperandText(pub Operand, pub Width);

impl fmt::Display for OperandText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OperandText(operand, width) = *self;
        match operand {
            Operand::Reg(m) | Operand::Shift(m, Shift::Lsl, 0) => write!(f, "{}", m.of(width)),
            Operand::Shift(m, shift, amount) => write!(f, "{}, {} #{amount}", m.of(width), shift.mnemonic()),
            Operand::Extend(m, extend, 0) => {
                write!(f, "{}, {}", m.of(extend.source(width)), extend.mnemonic())
            }
            Operand::Extend(m, extend, amount) => {
                write!(f, "{}, {} #{amount}", m.of(extend.source(width)), extend.mnemonic())
            }
            Operand::Imm(imm) => write!(f, "{imm}"),
            Operand::Bits(imm) => write!(f, "{imm}"),
        }
    }
}

/// What is added to the base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Offset {
    /// Bytes: multiples of the size below 4096 times it, or -256 to 255; see [`fits`](super::fits).
    Imm(i32),
    /// A register extended from 32 bits ([`Extend::Uxtw`], [`Extend::Sxtw`]) or whole ([`Extend::Uxtx`],
    /// [`Extend::Sxtx`]), and whether it counts in units of the size.
    Reg(Gpr, Extend, bool),
    /// Bytes from -256 to 255, of pairs as they may be otherwise: the base becomes the address.
    Pre(i32),
    /// The same bytes are added after the access: the base moves.
    Post(i32),
    /// What the linker puts into the field: the low bits of an address, of a symbol plus an addend.
    Low(RelocKind, SymbolId, i64),
}

/// A memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mem {
    /// The base register, which may be the stack pointer.
    pub base: Gpr,
    /// The offset.
    pub offset: Offset,
}

impl Mem {
    /// `[base, #offset]`
    #[must_use]
    pub const fn new(base: Gpr, offset: i32) -> Mem {
        Mem { base, offset: Offset::Imm(offset) }
    }
}

/// An address as text, of an access of `1 << size_log2` bytes.
pub(super) struct MemText {
    pub mem: Mem,
    pub size_log2: u8,
}

impl fmt::Display for MemText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MemText { mem: Mem { base, offset }, size_log2 } = *self;
        match offset {
            Offset::Imm(0) => write!(f, "[{base}]"),
            Offset::Imm(imm) => write!(f, "[{base}, #{imm}]"),
            Offset::Pre(imm) => write!(f, "[{base}, #{imm}]!"),
            Offset::Post(imm) => write!(f, "[{base}], #{imm}"),
            Offset::Low(kind, symbol, addend) => write!(f, "[{base}, {}]", RelocText(kind, symbol, addend)),
            Offset::Reg(m, extend, scaled) => {
                let name = m.of(extend.source(Width::X));
                let mnemonic = if extend == Extend::Uxtx { "lsl" } else { extend.mnemonic() };
                match scaled && size_log2 != 0 {
                    true => write!(f, "[{base}, {name}, {mnemonic} #{size_log2}]"),
                    false if extend == Extend::Uxtx => write!(f, "[{base}, {name}]"),
                    false => write!(f, "[{base}, {name}, {mnemonic}]"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposite_conditions_are_pairs() {
        for cond in Cond::ALL {
            assert_eq!(cond.invert().invert(), cond);
        }
        assert_eq!(Cond::Gt.invert(), Cond::Le);
        assert_eq!(Cond::Al.invert(), Cond::Al);
    }
}
