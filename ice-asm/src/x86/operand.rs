//! Registers, conditions, immediates and memory operands.

use crate::buffer::Label;
use crate::reloc::{RelocKind, SymbolId};

/// The instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Protected mode with 32-bit code segments.
    Bits32,
    /// Long mode with 64-bit code segments.
    Bits64,
}

/// A general-purpose register by its number; 8 to 15 exist in 64-bit mode only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gpr(u8);

/// The length of vectors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Length {
    /// 128 bits.
    B128,
    /// 256 bits.
    B256,
}

/// An SSE register by its number; 8 to 15 exist in 64-bit mode only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Xmm(u8);

macro_rules! registers {
    ($ty:ident: $($name:ident = $number:literal),*) => {
        impl $ty {
            $(#[doc = concat!("Number ", $number, ".")]
            pub const $name: $ty = $ty($number);)*

            /// The register of this number, which counts modulo 16.
            #[must_use]
            pub const fn new(number: u8) -> Self {
                $ty(number & 15)
            }

            /// The number, 0 to 15.
            #[must_use]
            pub const fn number(self) -> u8 {
                self.0
            }
        }
    };
}

registers!(Gpr: RAX = 0, RCX = 1, RDX = 2, RBX = 3, RSP = 4, RBP = 5, RSI = 6, RDI = 7,
    R8 = 8, R9 = 9, R10 = 10, R11 = 11, R12 = 12, R13 = 13, R14 = 14, R15 = 15);
registers!(Xmm: XMM0 = 0, XMM1 = 1, XMM2 = 2, XMM3 = 3, XMM4 = 4, XMM5 = 5, XMM6 = 6, XMM7 = 7,
    XMM8 = 8, XMM9 = 9, XMM10 = 10, XMM11 = 11, XMM12 = 12, XMM13 = 13, XMM14 = 14, XMM15 = 15);

/// The width of an integer operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Width {
    /// 8 bits.
    B8,
    /// 16 bits.
    B16,
    /// 32 bits; writes of registers clear the upper half in 64-bit mode.
    B32,
    /// 64 bits, 64-bit mode only.
    B64,
}

impl Width {
    /// The size in bytes.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        1 << self as u32
    }

    /// The letter behind the name of an instruction of this width in the syntax of AT&T.
    #[must_use]
    pub const fn suffix(self) -> &'static str {
        match self {
            Width::B8 => "b",
            Width::B16 => "w",
            Width::B32 => "l",
            Width::B64 => "q",
        }
    }
}

/// What the index register is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scale {
    /// 1.
    X1,
    /// 2.
    X2,
    /// 4.
    X4,
    /// 8.
    X8,
}

impl Scale {
    /// The scale for a shift of 0 to 3.
    #[must_use]
    pub const fn from_shift(shift: u8) -> Option<Scale> {
        match shift {
            0 => Some(Scale::X1),
            1 => Some(Scale::X2),
            2 => Some(Scale::X4),
            3 => Some(Scale::X8),
            _ => None,
        }
    }
}

/// The base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Base {
    /// None.
    None,
    /// A register.
    Reg(Gpr),
    /// The next instruction, 64-bit mode only; goes with no index.
    Rip,
}

/// What the linker or the buffer adds to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Nothing.
    None,
    /// A symbol, by a relocation. With [`Base::Rip`] the kind is one of the PC-relative ones.
    Symbol(SymbolId, RelocKind),
    /// A label: with [`Base::Rip`] relative to it, else its absolute address (needs
    /// [`CodeBuffer::set_symbol`](crate::CodeBuffer::set_symbol)).
    Label(Label),
}

/// The width of address arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressSize {
    /// That of the mode.
    Native,
    /// 32 bits: prefix 67 in 64-bit mode, the same as native in 32-bit mode.
    Addr32,
}

/// Which segment base is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// The usual one.
    Default,
    /// fs: prefix 64.
    Fs,
    /// gs: prefix 65.
    Gs,
}

/// A memory operand: `segment:[base + index * scale + disp + target]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mem {
    /// The base.
    pub base: Base,
    /// The index (not the stack pointer) and its scale.
    pub index: Option<(Gpr, Scale)>,
    /// Displacement in bytes; relative to the symbol or label if there is one.
    pub disp: i32,
    /// Symbol or label.
    pub target: Target,
    /// Width of the address.
    pub address_size: AddressSize,
    /// Segment.
    pub segment: Segment,
}

impl Mem {
    /// `[disp]`
    #[must_use]
    pub const fn absolute(disp: i32) -> Mem {
        Mem {
            base: Base::None,
            index: None,
            disp,
            target: Target::None,
            address_size: AddressSize::Native,
            segment: Segment::Default,
        }
    }

    /// `[base + disp]`
    #[must_use]
    pub const fn base(base: Gpr, disp: i32) -> Mem {
        Mem { base: Base::Reg(base), ..Mem::absolute(disp) }
    }

    /// `[base + index * scale + disp]`
    #[must_use]
    pub const fn base_index(base: Gpr, index: Gpr, scale: Scale, disp: i32) -> Mem {
        Mem { index: Some((index, scale)), ..Mem::base(base, disp) }
    }

    /// `[index * scale + disp]`
    #[must_use]
    pub const fn index(index: Gpr, scale: Scale, disp: i32) -> Mem {
        Mem { index: Some((index, scale)), ..Mem::absolute(disp) }
    }

    /// `[symbol + disp]`, absolute.
    #[must_use]
    pub const fn symbol(symbol: SymbolId, kind: RelocKind, disp: i32) -> Mem {
        Mem { target: Target::Symbol(symbol, kind), ..Mem::absolute(disp) }
    }

    /// `[rip + (symbol + disp)]`
    #[must_use]
    pub const fn rip(symbol: SymbolId, kind: RelocKind, disp: i32) -> Mem {
        Mem { base: Base::Rip, ..Mem::symbol(symbol, kind, disp) }
    }

    /// `[label]`, absolute.
    #[must_use]
    pub const fn label(label: Label) -> Mem {
        Mem { target: Target::Label(label), ..Mem::absolute(0) }
    }

    /// `[rip + label]`
    #[must_use]
    pub const fn rip_label(label: Label) -> Mem {
        Mem { base: Base::Rip, ..Mem::label(label) }
    }

    /// Whether a prefix 67 is needed in 64-bit mode. An address that is not negative is the same in 32 and
    /// 64 bits, and an absolute symbol is below 2 GiB in the code model that has it.
    pub(super) const fn needs_addr32(&self) -> bool {
        matches!(self.address_size, AddressSize::Addr32)
            && match self.base {
                Base::None => self.index.is_some() || self.disp < 0 && matches!(self.target, Target::None),
                Base::Reg(_) => true,
                Base::Rip => false,
            }
    }

    /// This operand, relative to `target`.
    #[must_use]
    pub const fn with_target(self, target: Target) -> Mem {
        Mem { target, ..self }
    }

    /// This operand with its address computed in 32 bits.
    #[must_use]
    pub const fn with_addr32(self) -> Mem {
        Mem { address_size: AddressSize::Addr32, ..self }
    }

    /// This operand in the segment `segment`.
    #[must_use]
    pub const fn with_segment(self, segment: Segment) -> Mem {
        Mem { segment, ..self }
    }
}

/// The memory operand `[base + disp]`, small enough to go by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BaseDisp {
    /// The base.
    pub base: Gpr,
    /// Width of the address.
    pub address_size: AddressSize,
    /// Displacement in bytes.
    pub disp: i32,
}

impl BaseDisp {
    /// With the address width of the mode.
    #[must_use]
    pub const fn new(base: Gpr, disp: i32) -> BaseDisp {
        BaseDisp { base, address_size: AddressSize::Native, disp }
    }
}

impl From<BaseDisp> for Mem {
    fn from(BaseDisp { base, address_size, disp }: BaseDisp) -> Mem {
        Mem { address_size, ..Mem::base(base, disp) }
    }
}

/// A register or memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rm<R> {
    /// A register.
    Reg(R),
    /// Memory.
    Mem(Mem),
}

impl<R> From<Mem> for Rm<R> {
    fn from(mem: Mem) -> Self {
        Rm::Mem(mem)
    }
}

impl From<Gpr> for Rm<Gpr> {
    fn from(reg: Gpr) -> Self {
        Rm::Reg(reg)
    }
}

impl From<Xmm> for Rm<Xmm> {
    fn from(reg: Xmm) -> Self {
        Rm::Reg(reg)
    }
}

/// An immediate of at most 32 bits, sign-extended in 64-bit operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Imm {
    /// A number; the low bits of the operation's width count.
    Value(i32),
    /// The address of a symbol plus a number: 32-bit and 64-bit operations only.
    Symbol(SymbolId, RelocKind, i32),
}

impl From<i32> for Imm {
    fn from(value: i32) -> Self {
        Imm::Value(value)
    }
}

/// A condition, in the order of its encoding (SDM volume 2, appendix B.1.4.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cond {
    /// Overflow.
    O,
    /// No overflow.
    No,
    /// Below (unsigned), carry.
    B,
    /// Above or equal (unsigned), no carry.
    Ae,
    /// Equal, zero.
    E,
    /// Not equal, not zero.
    Ne,
    /// Below or equal (unsigned).
    Be,
    /// Above (unsigned).
    A,
    /// Sign: negative.
    S,
    /// No sign.
    Ns,
    /// Parity even; unordered after `ucomiss`.
    P,
    /// Parity odd; ordered.
    Np,
    /// Less (signed).
    L,
    /// Greater or equal (signed).
    Ge,
    /// Less or equal (signed).
    Le,
    /// Greater (signed).
    G,
}

impl Cond {
    /// All conditions, in the order of their numbers.
    pub const ALL: [Cond; 16] = {
        use Cond::*;
        [O, No, B, Ae, E, Ne, Be, A, S, Ns, P, Np, L, Ge, Le, G]
    };

    /// The opposite condition.
    #[must_use]
    pub const fn invert(self) -> Cond {
        Cond::ALL[self as usize ^ 1]
    }

    /// The condition that holds for `cmp y, x` where this one holds for `cmp x, y`. Conditions on a
    /// single flag that a swap does not carry over (o, s, p and their opposites) stay what they are.
    #[must_use]
    pub const fn swap(self) -> Cond {
        match self {
            Cond::B => Cond::A,
            Cond::A => Cond::B,
            Cond::Ae => Cond::Be,
            Cond::Be => Cond::Ae,
            Cond::L => Cond::G,
            Cond::G => Cond::L,
            Cond::Ge => Cond::Le,
            Cond::Le => Cond::Ge,
            other => other,
        }
    }

    /// The suffix in mnemonics.
    #[must_use]
    pub const fn suffix(self) -> &'static str {
        ["o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"]
            [self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_invert_and_swap() {
        for cond in Cond::ALL {
            assert_eq!(cond.invert().invert(), cond);
            assert_eq!(cond.swap().swap(), cond);
        }
        assert_eq!(Cond::Be.invert(), Cond::A);
        assert_eq!(Cond::Ge.invert(), Cond::L);
        assert_eq!(Cond::Le.swap(), Cond::Ge);
    }

    #[test]
    fn a_memory_operand_is_small() {
        // Machine instructions carry it by value.
        assert!(size_of::<Mem>() <= 24, "{}", size_of::<Mem>());
        assert!(size_of::<Rm<Gpr>>() <= 24, "{}", size_of::<Rm<Gpr>>());
    }
}
