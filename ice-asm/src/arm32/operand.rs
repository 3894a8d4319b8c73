//! Conditions, flexible operands and addresses.

use super::imm::ModImm;
use super::register::Gpr;
use core::fmt;

/// A condition, in the order of its encoding (A8.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cond {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Carry set: unsigned higher or same.
    Hs,
    /// Carry clear: unsigned lower.
    Lo,
    /// Minus.
    Mi,
    /// Plus or zero.
    Pl,
    /// Overflow; unordered.
    Vs,
    /// No overflow; ordered.
    Vc,
    /// Unsigned higher.
    Hi,
    /// Unsigned lower or same.
    Ls,
    /// Signed greater or equal.
    Ge,
    /// Signed less.
    Lt,
    /// Signed greater.
    Gt,
    /// Signed less or equal.
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

    /// In its field.
    pub(super) const fn bits(self) -> u32 {
        (self as u32) << 28
    }
}

impl fmt::Display for Cond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 15] =
            ["eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", ""];
        f.write_str(NAMES[*self as usize])
    }
}

/// Whether an instruction sets the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flags {
    /// They stay as they are.
    Keep,
    /// They tell of the result: suffix `s`.
    Set,
}

impl Flags {
    pub(super) const fn bits(self) -> u32 {
        (self as u32) << 20
    }
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Flags::Set { "s" } else { "" })
    }
}

/// A shift of a register operand (A8.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shift {
    /// Left, by 0 to 31.
    Lsl,
    /// Right with zeros, by 1 to 32.
    Lsr,
    /// Right with sign bits, by 1 to 32.
    Asr,
    /// Rotation to the right, by 1 to 31.
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

    /// The fields of shift type and amount, if the amount is one.
    pub(super) const fn by(self, amount: u8) -> Option<u32> {
        let valid = match self {
            Shift::Lsl => amount < 32,
            Shift::Lsr | Shift::Asr => amount >= 1 && amount <= 32,
            Shift::Ror => amount >= 1 && amount < 32,
        };
        if valid { Some((amount as u32 & 31) << 7 | (self as u32) << 5) } else { None }
    }
}

/// The flexible second operand of data processing (A5.2.1 to A5.2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand2 {
    /// A rotated immediate.
    Imm(ModImm),
    /// A register.
    Reg(Gpr),
    /// A register shifted by a constant.
    Shift(Gpr, Shift, u8),
    /// A register shifted by the low byte of another.
    ShiftReg(Gpr, Shift, Gpr),
    /// A register rotated by one through the carry.
    Rrx(Gpr),
}

impl Operand2 {
    /// Inlined: most callers know the form.
    #[inline(always)]
    pub(super) const fn bits(self) -> Option<u32> {
        match self {
            Operand2::Imm(imm) => Some(1 << 25 | imm.bits()),
            Operand2::Reg(m) => Some(m.bits()),
            Operand2::Shift(m, shift, amount) => match shift.by(amount) {
                Some(bits) => Some(m.bits() | bits),
                None => None,
            },
            Operand2::ShiftReg(m, shift, s) => Some(m.bits() | s.bits() << 8 | (shift as u32) << 5 | 1 << 4),
            Operand2::Rrx(m) => Some(m.bits() | 3 << 5),
        }
    }
}

impl From<Gpr> for Operand2 {
    fn from(reg: Gpr) -> Self {
        Operand2::Reg(reg)
    }
}

impl From<ModImm> for Operand2 {
    fn from(imm: ModImm) -> Self {
        Operand2::Imm(imm)
    }
}

impl fmt::Display for Operand2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Operand2::Imm(imm) => write!(f, "#{}", imm.value()),
            Operand2::Reg(m) | Operand2::Shift(m, Shift::Lsl, 0) => write!(f, "{m}"),
            Operand2::Shift(m, shift, amount) => write!(f, "{m}, {} #{amount}", shift.mnemonic()),
            Operand2::ShiftReg(m, shift, s) => write!(f, "{m}, {} {s}", shift.mnemonic()),
            Operand2::Rrx(m) => write!(f, "{m}, rrx"),
        }
    }
}

/// Whether a register offset is added or subtracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sign {
    /// Subtracted.
    Minus,
    /// Added.
    Plus,
}

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Sign::Minus { "-" } else { "" })
    }
}

/// What is added to the base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Offset {
    /// Bytes: up to ±4095 for words and bytes, ±255 for halves, signed bytes and pairs.
    Imm(i32),
    /// A register.
    Reg(Sign, Gpr),
    /// A register shifted by a constant: words and bytes only.
    Shift(Sign, Gpr, Shift, u8),
}

/// When the offset is added, and whether the base is written (A4.6.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Index {
    /// Before the access; the base stays.
    Offset,
    /// Before the access; the base becomes the address.
    Pre,
    /// After the access; the base moves.
    Post,
}

/// A memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mem {
    /// The base register.
    pub base: Gpr,
    /// The offset.
    pub offset: Offset,
    /// When it is added.
    pub index: Index,
}

impl Mem {
    /// `[base, #offset]`
    #[must_use]
    pub const fn new(base: Gpr, offset: i32) -> Mem {
        Mem { base, offset: Offset::Imm(offset), index: Index::Offset }
    }

    /// `[base, index, lsl #shift]`
    #[must_use]
    pub const fn indexed(base: Gpr, index: Gpr, shift: u8) -> Mem {
        let offset = match shift {
            0 => Offset::Reg(Sign::Plus, index),
            _ => Offset::Shift(Sign::Plus, index, Shift::Lsl, shift),
        };
        Mem { base, offset, index: Index::Offset }
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Offset::Imm(imm) => write!(f, "#{imm}"),
            Offset::Reg(sign, m) | Offset::Shift(sign, m, Shift::Lsl, 0) => write!(f, "{sign}{m}"),
            Offset::Shift(sign, m, shift, amount) => write!(f, "{sign}{m}, {} #{amount}", shift.mnemonic()),
        }
    }
}

impl fmt::Display for Mem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mem { base, offset, index } = *self;
        match (index, offset) {
            (Index::Offset, Offset::Imm(0)) => write!(f, "[{base}]"),
            (Index::Offset, _) => write!(f, "[{base}, {offset}]"),
            (Index::Pre, _) => write!(f, "[{base}, {offset}]!"),
            (Index::Post, _) => write!(f, "[{base}], {offset}"),
        }
    }
}

/// Whether a transfer of several registers moves the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Writeback {
    /// It stays.
    No,
    /// It moves past what was transferred.
    Yes,
}

impl Writeback {
    pub(super) const fn bits(self) -> u32 {
        (self as u32) << 21
    }
}

impl fmt::Display for Writeback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Writeback::Yes { "!" } else { "" })
    }
}

/// A set of core registers, one bit a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RegList(pub u16);

impl RegList {
    /// The set with `reg` added.
    #[must_use]
    pub const fn with(self, reg: Gpr) -> RegList {
        RegList(self.0 | 1 << reg.number())
    }

    /// How many registers there are.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is no register.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The lowest register of a set that is not empty.
    pub(super) const fn first(self) -> Gpr {
        Gpr::new(self.0.trailing_zeros() as u8)
    }
}

impl fmt::Display for RegList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        let registers = (0..16).filter(|n| self.0 >> n & 1 != 0);
        for (i, n) in registers.enumerate() {
            write!(f, "{}{}", if i == 0 { "" } else { ", " }, Gpr::new(n))?;
        }
        f.write_str("}")
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
