//! Loads and stores of core registers (DDI 0406C A5.2.8, A5.2.10, A5.3, A5.5).

use super::operand::{Cond, Index, Mem, Offset, RegList, Sign, Writeback};
use super::register::Gpr;
use super::{Encoder, ops};
use crate::listing::Listing;

ops!(
    /// Loads and stores of one register, or of two consecutive ones from an even number on.
    Transfer:
    Str   "str"   "cccc 01ip u0w0 nnnn tttt oooo oooo oooo", // A8.8.203
    Ldr   "ldr"   "cccc 01ip u0w1 nnnn tttt oooo oooo oooo", // A8.8.62
    Strb  "strb"  "cccc 01ip u1w0 nnnn tttt oooo oooo oooo", // A8.8.206
    Ldrb  "ldrb"  "cccc 01ip u1w1 nnnn tttt oooo oooo oooo", // A8.8.68
    Strh  "strh"  "cccc 000p uiw0 nnnn tttt oooo 1011 oooo", // A8.8.216
    Ldrh  "ldrh"  "cccc 000p uiw1 nnnn tttt oooo 1011 oooo", // A8.8.80
    Ldrsb "ldrsb" "cccc 000p uiw1 nnnn tttt oooo 1101 oooo", // A8.8.84
    Ldrsh "ldrsh" "cccc 000p uiw1 nnnn tttt oooo 1111 oooo", // A8.8.88
    Ldrd  "ldrd"  "cccc 000p uiw0 nnnn tttt oooo 1101 oooo", // A8.8.72
    Strd  "strd"  "cccc 000p uiw0 nnnn tttt oooo 1111 oooo", // A8.8.210
);

ops!(
    /// Loads and stores of several registers, the lowest at the lowest address: increment or decrement, after
    /// or before each.
    Multiple:
    Stmda "stmda" "cccc 1000 00w0 nnnn rrrr rrrr rrrr rrrr", // A8.8.200
    Ldmda "ldmda" "cccc 1000 00w1 nnnn rrrr rrrr rrrr rrrr", // A8.8.59
    Stm   "stm"   "cccc 1000 10w0 nnnn rrrr rrrr rrrr rrrr", // A8.8.199
    Ldm   "ldm"   "cccc 1000 10w1 nnnn rrrr rrrr rrrr rrrr", // A8.8.58
    Stmdb "stmdb" "cccc 1001 00w0 nnnn rrrr rrrr rrrr rrrr", // A8.8.201
    Ldmdb "ldmdb" "cccc 1001 00w1 nnnn rrrr rrrr rrrr rrrr", // A8.8.60
    Stmib "stmib" "cccc 1001 10w0 nnnn rrrr rrrr rrrr rrrr", // A8.8.202
    Ldmib "ldmib" "cccc 1001 10w1 nnnn rrrr rrrr rrrr rrrr", // A8.8.61
);

ops!(
    /// The widths of exclusive accesses, as loads; the store is the same with bit 20 clear.
    Exclusive:
    Word   ""  "cccc 0001 1001 nnnn tttt 1111 1001 1111", // A8.8.75, A8.8.212
    Double "d" "cccc 0001 1011 nnnn tttt 1111 1001 1111", // A8.8.77, A8.8.214
    Byte   "b" "cccc 0001 1101 nnnn tttt 1111 1001 1111", // A8.8.76, A8.8.213
    Half   "h" "cccc 0001 1111 nnnn tttt 1111 1001 1111", // A8.8.78, A8.8.215
);

impl Transfer {
    /// Whether it moves two registers.
    #[must_use]
    pub const fn is_dual(self) -> bool {
        matches!(self, Transfer::Ldrd | Transfer::Strd)
    }

    /// Whether it is a word or an unsigned byte, with their larger offsets.
    const fn is_wide(self) -> bool {
        matches!(self, Transfer::Str | Transfer::Ldr | Transfer::Strb | Transfer::Ldrb)
    }

    /// The largest immediate offset, in bytes, to both sides.
    #[must_use]
    pub const fn max_offset(self) -> i32 {
        if self.is_wide() { 4095 } else { 255 }
    }

    /// Whether an index register may be shifted.
    #[must_use]
    pub const fn has_shift(self) -> bool {
        self.is_wide()
    }

    /// The fields of the address. Inlined with [`Encoder::transfer`]: many callers know the form of the address.
    #[inline(always)]
    fn address(self, mem: &Mem) -> Option<u32> {
        const UP: u32 = 1 << 23;
        const HALF_IMM: u32 = 1 << 22;
        const WORD_REG: u32 = 1 << 25;
        let up = |sign| if sign == Sign::Plus { UP } else { 0 };
        let offset = match mem.offset {
            Offset::Imm(imm) if imm.unsigned_abs() > self.max_offset() as u32 => return None,
            Offset::Imm(imm) => {
                let size = imm.unsigned_abs();
                let field = if self.is_wide() { size } else { HALF_IMM | (size & 0xf0) << 4 | size & 15 };
                field | if imm >= 0 { UP } else { 0 }
            }
            Offset::Reg(sign, m) => m.bits() | up(sign) | if self.is_wide() { WORD_REG } else { 0 },
            Offset::Shift(sign, m, shift, amount) if self.is_wide() => {
                m.bits() | up(sign) | WORD_REG | shift.by(amount)?
            }
            Offset::Shift(..) => return None,
        };
        let index = match mem.index {
            Index::Offset => 1 << 24,
            Index::Pre => 1 << 24 | 1 << 21,
            Index::Post => 0,
        };
        Some(index | mem.base.bits() << 16 | offset)
    }
}

impl<L: Listing> Encoder<'_, L> {
    /// `ldr<c> rt, [address]` and its like; `ldrd` and `strd` take rt and the next register.
    #[inline(always)]
    pub fn transfer(&mut self, cond: Cond, op: Transfer, t: Gpr, mem: Mem) {
        let Some(address) = op.address(&mem) else { return self.invalid() };
        let word = cond.bits() | op.bits() | t.bits() << 12 | address;
        if op.is_dual() {
            let next = Gpr::new(t.number() + 1);
            let valid = t.number() & 1 == 0 && t.number() < 14;
            return self.checked(valid, word, format_args!("{}{cond} {t}, {next}, {mem}", op.mnemonic()));
        }
        self.inst(word, format_args!("{}{cond} {t}, {mem}", op.mnemonic()));
    }

    /// `ldm<c> rn{!}, {registers}` and its like; at least one register.
    pub fn multiple(&mut self, cond: Cond, op: Multiple, n: Gpr, writeback: Writeback, list: RegList) {
        let word = cond.bits() | op.bits() | writeback.bits() | n.bits() << 16 | u32::from(list.0);
        self.checked(!list.is_empty(), word, format_args!("{}{cond} {n}{writeback}, {list}", op.mnemonic()));
    }

    /// `push<c> {registers}` (A8.8.133): `stmdb sp!`, or for one register `str [sp, #-4]!`.
    pub fn push(&mut self, cond: Cond, list: RegList) {
        if list.len() == 1 {
            let mem = Mem { index: Index::Pre, ..Mem::new(Gpr::SP, -4) };
            return self.transfer(cond, Transfer::Str, list.first(), mem);
        }
        let word = Multiple::Stmdb.bits() | 1 << 21 | Gpr::SP.bits() << 16 | u32::from(list.0);
        self.checked(!list.is_empty(), cond.bits() | word, format_args!("push{cond} {list}"));
    }

    /// `pop<c> {registers}` (A8.8.132): `ldm sp!`, or for one register `ldr [sp], #4`.
    pub fn pop(&mut self, cond: Cond, list: RegList) {
        let word = match list.len() {
            1 => Transfer::Ldr.bits() | list.first().bits() << 12 | 1 << 23 | Gpr::SP.bits() << 16 | 4,
            _ => Multiple::Ldm.bits() | 1 << 21 | Gpr::SP.bits() << 16 | u32::from(list.0),
        };
        self.checked(!list.is_empty(), cond.bits() | word, format_args!("pop{cond} {list}"));
    }

    /// `ldrex<c> rt, [rn]` and its like; of 64 bits rt and the next register, from an even number on.
    pub fn load_exclusive(&mut self, cond: Cond, width: Exclusive, t: Gpr, n: Gpr) {
        let word = cond.bits() | width.bits() | n.bits() << 16 | t.bits() << 12;
        let suffix = width.mnemonic();
        if width == Exclusive::Double {
            let next = Gpr::new(t.number() + 1);
            let valid = t.number() & 1 == 0 && t.number() < 14;
            return self.checked(valid, word, format_args!("ldrex{suffix}{cond} {t}, {next}, [{n}]"));
        }
        self.inst(word, format_args!("ldrex{suffix}{cond} {t}, [{n}]"));
    }

    /// `strex<c> rd, rt, [rn]` and its like: rd becomes 0 if the store was made, else 1. rd is none of the others.
    pub fn store_exclusive(&mut self, cond: Cond, width: Exclusive, d: Gpr, t: Gpr, n: Gpr) {
        const TO_STORE: u32 = 1 << 20 | 15;
        let word = cond.bits() | width.bits() & !TO_STORE | n.bits() << 16 | d.bits() << 12 | t.bits();
        let suffix = width.mnemonic();
        let next = Gpr::new(t.number() + 1);
        let is_double = width == Exclusive::Double;
        if d == t || d == n || is_double && (d == next || t.number() & 1 != 0 || t.number() >= 14) {
            return self.invalid();
        }
        if is_double {
            return self.inst(word, format_args!("strex{suffix}{cond} {d}, {t}, {next}, [{n}]"));
        }
        self.inst(word, format_args!("strex{suffix}{cond} {d}, {t}, [{n}]"));
    }
}
