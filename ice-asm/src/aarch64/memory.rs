//! Loads and stores (DDI 0487, C4.1, "Loads and Stores"): of one register, general-purpose or of numbers, and of two.

use super::operand::{Extend, Mem, MemText, Offset};
use super::register::{FloatWidth, Gpr, Vreg, Width, plain};
use super::symbol::access_size;
use super::{Encoder, bits, ops};
use crate::listing::Listing;
use core::fmt;

ops!(
    /// Loads and stores of one general-purpose register; the first two bits are the logarithm of the size
    /// ("Load/store register (unsigned immediate)").
    Transfer:
    Strb   "strb"  "00 111 0 01 00 iiiiiiiiiiii nnnnn ttttt",
    Ldrb   "ldrb"  "00 111 0 01 01 iiiiiiiiiiii nnnnn ttttt",
    LdrsbW "ldrsb" "00 111 0 01 11 iiiiiiiiiiii nnnnn ttttt",
    LdrsbX "ldrsb" "00 111 0 01 10 iiiiiiiiiiii nnnnn ttttt",
    Strh   "strh"  "01 111 0 01 00 iiiiiiiiiiii nnnnn ttttt",
    Ldrh   "ldrh"  "01 111 0 01 01 iiiiiiiiiiii nnnnn ttttt",
    LdrshW "ldrsh" "01 111 0 01 11 iiiiiiiiiiii nnnnn ttttt",
    LdrshX "ldrsh" "01 111 0 01 10 iiiiiiiiiiii nnnnn ttttt",
    StrW   "str"   "10 111 0 01 00 iiiiiiiiiiii nnnnn ttttt",
    LdrW   "ldr"   "10 111 0 01 01 iiiiiiiiiiii nnnnn ttttt",
    Ldrsw  "ldrsw" "10 111 0 01 10 iiiiiiiiiiii nnnnn ttttt",
    StrX   "str"   "11 111 0 01 00 iiiiiiiiiiii nnnnn ttttt",
    LdrX   "ldr"   "11 111 0 01 01 iiiiiiiiiiii nnnnn ttttt",
);

ops!(
    /// Loads and stores of two general-purpose registers ("Load/store register pair (offset)").
    PairTransfer:
    StpW  "stp"   "00 101 0 010 0 iiiiiii ttttt nnnnn ttttt",
    LdpW  "ldp"   "00 101 0 010 1 iiiiiii ttttt nnnnn ttttt",
    StpX  "stp"   "10 101 0 010 0 iiiiiii ttttt nnnnn ttttt",
    LdpX  "ldp"   "10 101 0 010 1 iiiiiii ttttt nnnnn ttttt",
    Ldpsw "ldpsw" "01 101 0 010 1 iiiiiii ttttt nnnnn ttttt",
);

impl Transfer {
    /// Whether it reads memory.
    #[must_use]
    pub const fn is_load(self) -> bool {
        !matches!(self, Transfer::Strb | Transfer::Strh | Transfer::StrW | Transfer::StrX)
    }

    /// The logarithm of the size in bytes of what it loads or stores.
    #[must_use]
    pub const fn size_log2(self) -> u8 {
        (Self::BITS[self as usize] >> 30) as u8
    }

    /// How much of the register it reads or writes.
    #[must_use]
    pub const fn width(self) -> Width {
        match self {
            Transfer::LdrsbX | Transfer::LdrshX | Transfer::Ldrsw | Transfer::StrX | Transfer::LdrX => {
                Width::X
            }
            _ => Width::W,
        }
    }
}

impl PairTransfer {
    /// The logarithm of the size in bytes of each of the two numbers.
    const fn size_log2(self) -> u8 {
        match self {
            PairTransfer::StpX | PairTransfer::LdpX => 3,
            _ => 2,
        }
    }

    const fn width(self) -> Width {
        match self {
            PairTransfer::StpW | PairTransfer::LdpW => Width::W,
            _ => Width::X,
        }
    }
}

/// Set in the form with an unsigned immediate, clear in all others.
const SCALED: u32 = 1 << 24;

/// Whether an offset is a multiple of the size below 4096 times it.
const fn is_scaled(offset: i32, size_log2: u8) -> bool {
    offset >= 0 && offset & ((1 << size_log2) - 1) == 0 && offset >> size_log2 < 1 << 12
}

const fn is_unscaled(offset: i32) -> bool {
    offset >= -256 && offset < 256
}

/// Whether a load or store of `1 << size_log2` bytes can have the offset as [`Offset::Imm`]: a multiple of the size below
/// 4096 times it, or any number from -256 to 255.
#[must_use]
#[inline]
pub const fn fits(offset: i32, size_log2: u8) -> bool {
    is_scaled(offset, size_log2) || is_unscaled(offset)
}

/// Whether a load or store of two numbers of `1 << size_log2` bytes each can have the offset: a multiple of the size from
/// -64 to 63 times it.
#[must_use]
#[inline]
pub const fn fits_pair(offset: i32, size_log2: u8) -> bool {
    let units = offset >> size_log2;
    offset & ((1 << size_log2) - 1) == 0 && units >= -64 && units < 64
}

/// What an address changes in the word of the form with an unsigned immediate. Inlined: many callers know its form.
#[inline(always)]
fn address(mem: &Mem, size_log2: u8) -> Option<u32> {
    let nine_bits = |imm: i32, kind: u32| SCALED | (imm as u32 & 0x1ff) << 12 | kind << 10;
    let fields = match mem.offset {
        Offset::Imm(imm) if is_scaled(imm, size_log2) => (imm as u32 >> size_log2) << 10,
        Offset::Imm(imm) if is_unscaled(imm) => nine_bits(imm, 0),
        Offset::Post(imm) if is_unscaled(imm) => nine_bits(imm, 1),
        Offset::Pre(imm) if is_unscaled(imm) => nine_bits(imm, 3),
        Offset::Imm(_) | Offset::Post(_) | Offset::Pre(_) => return None,
        Offset::Reg(m, extend, scaled) => {
            let is_known = matches!(extend, Extend::Uxtw | Extend::Uxtx | Extend::Sxtw | Extend::Sxtx);
            if !is_known || !m.is_plain() {
                return None;
            }
            // Of bytes both are the same.
            let scaled = u32::from(scaled && size_log2 != 0);
            SCALED | 1 << 21 | m.m() | (extend as u32) << 13 | scaled << 12 | 2 << 10
        }
        Offset::Low(kind, ..) => {
            if access_size(kind) != Some(size_log2) {
                return None;
            }
            0
        }
    };
    mem.base.is_base().then_some(fields | mem.base.n())
}

/// What an address changes in the word of a pair with an offset.
#[inline]
fn pair_address(mem: &Mem, size_log2: u8) -> Option<u32> {
    // Bits 24:23 are 01 for an index after the access, 11 before.
    let (imm, kind) = match mem.offset {
        Offset::Imm(imm) => (imm, 0),
        Offset::Post(imm) => (imm, 3 << 23),
        Offset::Pre(imm) => (imm, 1 << 23),
        Offset::Reg(..) | Offset::Low(..) => return None,
    };
    let field = (imm >> size_log2) as u32 & 0x7f;
    (fits_pair(imm, size_log2) && mem.base.is_base()).then_some(kind | field << 15 | mem.base.n())
}

/// The mnemonic of a form: with `u` where an offset that is not scaled has its own.
struct Mnemonic {
    name: &'static str,
    is_unscaled: bool,
}

impl fmt::Display for Mnemonic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.split_at_checked(2) {
            Some((start, rest)) if self.is_unscaled => write!(f, "{start}u{rest}"),
            _ => f.write_str(self.name),
        }
    }
}

impl<L: Listing> Encoder<'_, L> {
    #[inline(always)]
    fn access(&mut self, word: u32, name: &'static str, size_log2: u8, t: impl fmt::Display, mem: Mem) {
        let is_unscaled = matches!(mem.offset, Offset::Imm(_)) && word & SCALED == 0;
        let text = MemText { mem, size_log2 };
        self.inst(word, format_args!("{} {t}, {text}", Mnemonic { name, is_unscaled }));
        if let Offset::Low(kind, symbol, addend) = mem.offset {
            self.reloc(kind, symbol, addend);
        }
    }

    /// `ldr xt, [address]` and its like.
    #[inline(always)]
    pub fn transfer(&mut self, op: Transfer, t: Gpr, mem: Mem) {
        let size = op.size_log2();
        let Some(address) = address(&mem, size).filter(|_| t.is_plain()) else { return self.invalid() };
        self.access((op.bits() | t.d()) ^ address, op.mnemonic(), size, t.of(op.width()), mem);
    }

    /// `ldr dt, [address]`, of any width.
    #[inline]
    pub fn load_float(&mut self, width: FloatWidth, t: Vreg, mem: Mem) {
        self.transfer_float(bits!("ss 111 1 01 o1 iiiiiiiiiiii nnnnn ttttt"), "ldr", width, t, mem);
    }

    /// `str dt, [address]`, of any width.
    #[inline]
    pub fn store_float(&mut self, width: FloatWidth, t: Vreg, mem: Mem) {
        self.transfer_float(bits!("ss 111 1 01 o0 iiiiiiiiiiii nnnnn ttttt"), "str", width, t, mem);
    }

    #[inline(always)]
    fn transfer_float(&mut self, op: u32, name: &'static str, width: FloatWidth, t: Vreg, mem: Mem) {
        let size = u32::from(width.size_log2());
        let Some(address) = address(&mem, width.size_log2()) else { return self.invalid() };
        let word = op | (size & 3) << 30 | (size >> 2) << 23 | t.d();
        self.access(word ^ address, name, width.size_log2(), t.of(width), mem);
    }

    /// `ldp xt1, xt2, [address]` and its like: the second register is at the higher address. The offset is one of
    /// [`fits_pair`], also where the base is written.
    pub fn transfer_pair(&mut self, op: PairTransfer, t1: Gpr, t2: Gpr, mem: Mem) {
        let size_log2 = op.size_log2();
        let Some(address) = pair_address(&mem, size_log2).filter(|_| plain([t1, t2])) else {
            return self.invalid();
        };
        let ([t1t, t2t], text) = ([t1, t2].map(|reg| reg.of(op.width())), MemText { mem, size_log2 });
        let word = (op.bits() | t2.a() | t1.d()) ^ address;
        self.inst(word, format_args!("{} {t1t}, {t2t}, {text}", op.mnemonic()));
    }

    /// `ldp dt1, dt2, [address]`, of 32, 64 or 128 bits each.
    pub fn load_float_pair(&mut self, width: FloatWidth, t1: Vreg, t2: Vreg, mem: Mem) {
        self.float_pair(bits!("oo 101 1 010 1 iiiiiii ttttt nnnnn ttttt"), "ldp", width, [t1, t2], mem);
    }

    /// `stp dt1, dt2, [address]`, of 32, 64 or 128 bits each.
    pub fn store_float_pair(&mut self, width: FloatWidth, t1: Vreg, t2: Vreg, mem: Mem) {
        self.float_pair(bits!("oo 101 1 010 0 iiiiiii ttttt nnnnn ttttt"), "stp", width, [t1, t2], mem);
    }

    fn float_pair(&mut self, op: u32, name: &str, width: FloatWidth, [t1, t2]: [Vreg; 2], mem: Mem) {
        let size_log2 = width.size_log2();
        let Some(opc) = size_log2.checked_sub(2) else { return self.invalid() };
        let Some(address) = pair_address(&mem, size_log2) else { return self.invalid() };
        let word = (op | u32::from(opc) << 30 | t2.a() | t1.d()) ^ address;
        let (t1, t2, text) = (t1.of(width), t2.of(width), MemText { mem, size_log2 });
        self.inst(word, format_args!("{name} {t1}, {t2}, {text}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_fit_in_units_or_nine_bits() {
        for size in 0..=4_u8 {
            let unit = 1 << size;
            for offset in -300..70_000 {
                let scaled = offset >= 0 && offset % unit == 0 && offset / unit <= 4095;
                assert_eq!(fits(offset, size), scaled || (-256..=255).contains(&offset), "{offset} {size}");
            }
            for offset in -1100..1100 {
                let want = offset % unit == 0 && (-64..=63).contains(&(offset / unit));
                assert_eq!(fits_pair(offset, size), want, "{offset} {size}");
            }
        }
    }
}
