//! Integer instructions (DDI 0406C A5.2 and A5.4).

use super::control::PC_AHEAD;
use super::operand::{Cond, Flags, Operand2};
use super::register::Gpr;
use super::{Encoder, bits, ops};
use crate::buffer::Place;
use crate::listing::{Listing, SymbolText};
use crate::reloc::{Reloc, RelocKind, SymbolId};

ops!(
    /// Data processing with two sources (table A5-3).
    Alu:
    And "and" "cccc 00i0 000s nnnn dddd oooo oooo oooo", // A8.8.13 to A8.8.15
    Eor "eor" "cccc 00i0 001s nnnn dddd oooo oooo oooo", // A8.8.46
    Sub "sub" "cccc 00i0 010s nnnn dddd oooo oooo oooo", // A8.8.222
    Rsb "rsb" "cccc 00i0 011s nnnn dddd oooo oooo oooo", // A8.8.152
    Add "add" "cccc 00i0 100s nnnn dddd oooo oooo oooo", // A8.8.5
    Adc "adc" "cccc 00i0 101s nnnn dddd oooo oooo oooo", // A8.8.1
    Sbc "sbc" "cccc 00i0 110s nnnn dddd oooo oooo oooo", // A8.8.161
    Rsc "rsc" "cccc 00i0 111s nnnn dddd oooo oooo oooo", // A8.8.155
    Orr "orr" "cccc 00i1 100s nnnn dddd oooo oooo oooo", // A8.8.122
    Bic "bic" "cccc 00i1 110s nnnn dddd oooo oooo oooo", // A8.8.21
);

ops!(
    /// Comparisons: data processing that gives the flags only.
    Compare:
    Tst "tst" "cccc 00i1 0001 nnnn 0000 oooo oooo oooo", // A8.8.240
    Teq "teq" "cccc 00i1 0011 nnnn 0000 oooo oooo oooo", // A8.8.237
    Cmp "cmp" "cccc 00i1 0101 nnnn 0000 oooo oooo oooo", // A8.8.37
    Cmn "cmn" "cccc 00i1 0111 nnnn 0000 oooo oooo oooo", // A8.8.34
);

ops!(
    /// Moves; of a shifted register `mov` is written as the shift.
    Move:
    Mov "mov" "cccc 00i1 101s 0000 dddd oooo oooo oooo", // A8.8.102
    Mvn "mvn" "cccc 00i1 111s 0000 dddd oooo oooo oooo", // A8.8.115
);

ops!(
    /// Multiplication to 32 bits; `mla` adds and `mls` subtracts the product from a fourth register.
    Multiply:
    Mul "mul" "cccc 0000 000s dddd 0000 mmmm 1001 nnnn", // A8.8.114
    Mla "mla" "cccc 0000 001s dddd aaaa mmmm 1001 nnnn", // A8.8.100
    Mls "mls" "cccc 0000 0110 dddd aaaa mmmm 1001 nnnn", // A8.8.101
);

ops!(
    /// Multiplication to 64 bits, in two registers; `umaal` adds both of them.
    MultiplyLong:
    Umaal "umaal" "cccc 0000 0100 hhhh llll mmmm 1001 nnnn", // A8.8.255
    Umull "umull" "cccc 0000 100s hhhh llll mmmm 1001 nnnn", // A8.8.257
    Umlal "umlal" "cccc 0000 101s hhhh llll mmmm 1001 nnnn", // A8.8.256
    Smull "smull" "cccc 0000 110s hhhh llll mmmm 1001 nnnn", // A8.8.189
    Smlal "smlal" "cccc 0000 111s hhhh llll mmmm 1001 nnnn", // A8.8.178
);

ops!(
    /// Division, where the processor has it. By zero it gives zero.
    Divide:
    Sdiv "sdiv" "cccc 0111 0001 dddd 1111 mmmm 0001 nnnn", // A8.8.165
    Udiv "udiv" "cccc 0111 0011 dddd 1111 mmmm 0001 nnnn", // A8.8.248
);

ops!(
    /// One source, one result.
    Unary:
    Clz   "clz"   "cccc 0001 0110 1111 dddd 1111 0001 mmmm", // A8.8.33
    Rbit  "rbit"  "cccc 0110 1111 1111 dddd 1111 0011 mmmm", // A8.8.144
    Rev   "rev"   "cccc 0110 1011 1111 dddd 1111 0011 mmmm", // A8.8.145
    Rev16 "rev16" "cccc 0110 1011 1111 dddd 1111 1011 mmmm", // A8.8.146
    Revsh "revsh" "cccc 0110 1111 1111 dddd 1111 1011 mmmm", // A8.8.147
);

ops!(
    /// Extension of a byte or half, rotated to the right by 0, 8, 16 or 24 before; with a first source the
    /// instruction adds it and has an `a` in its name.
    Extend:
    Sxtb "b" "cccc 0110 1010 nnnn dddd rr00 0111 mmmm", // A8.8.233, A8.8.230
    Sxth "h" "cccc 0110 1011 nnnn dddd rr00 0111 mmmm", // A8.8.235, A8.8.232
    Uxtb "b" "cccc 0110 1110 nnnn dddd rr00 0111 mmmm", // A8.8.274, A8.8.271
    Uxth "h" "cccc 0110 1111 nnnn dddd rr00 0111 mmmm", // A8.8.276, A8.8.273
);

ops!(
    /// Extraction of a bit field, with its sign or zeros above.
    BitField:
    Sbfx "sbfx" "cccc 0111 101w wwww dddd llll l101 nnnn", // A8.8.164
    Ubfx "ubfx" "cccc 0111 111w wwww dddd llll l101 nnnn", // A8.8.246
);

impl<L: Listing> Encoder<'_, L> {
    /// `add{s}<c> rd, rn, operand` and its like.
    #[inline]
    pub fn alu(&mut self, cond: Cond, op: Alu, flags: Flags, d: Gpr, n: Gpr, operand: impl Into<Operand2>) {
        let operand = operand.into();
        let Some(bits) = operand.bits() else { return self.invalid() };
        let word = cond.bits() | op.bits() | flags.bits() | n.bits() << 16 | d.bits() << 12 | bits;
        self.inst(word, format_args!("{}{flags}{cond} {d}, {n}, {operand}", op.mnemonic()));
    }

    /// `cmp<c> rn, operand` and its like.
    #[inline]
    pub fn compare(&mut self, cond: Cond, op: Compare, n: Gpr, operand: impl Into<Operand2>) {
        let operand = operand.into();
        let Some(bits) = operand.bits() else { return self.invalid() };
        let word = cond.bits() | op.bits() | n.bits() << 16 | bits;
        self.inst(word, format_args!("{}{cond} {n}, {operand}", op.mnemonic()));
    }

    /// `mov{s}<c> rd, operand`, `mvn{s}<c>`; shifts are moves of a shifted register.
    #[inline]
    pub fn mov(&mut self, cond: Cond, op: Move, flags: Flags, d: Gpr, operand: impl Into<Operand2>) {
        let operand = operand.into();
        let Some(bits) = operand.bits() else { return self.invalid() };
        let word = cond.bits() | op.bits() | flags.bits() | d.bits() << 12 | bits;
        match (op, operand) {
            (Move::Mov, Operand2::Shift(m, shift, amount)) if bits >> 5 & 0x7f != 0 => {
                self.inst(word, format_args!("{}{flags}{cond} {d}, {m}, #{amount}", shift.mnemonic()));
            }
            (Move::Mov, Operand2::ShiftReg(m, shift, s)) => {
                self.inst(word, format_args!("{}{flags}{cond} {d}, {m}, {s}", shift.mnemonic()));
            }
            (Move::Mov, Operand2::Rrx(m)) => self.inst(word, format_args!("rrx{flags}{cond} {d}, {m}")),
            _ => self.inst(word, format_args!("{}{flags}{cond} {d}, {operand}", op.mnemonic())),
        }
    }

    /// `movw<c> rd, #imm16` (A8.8.102): clears the upper half.
    pub fn movw(&mut self, cond: Cond, d: Gpr, imm: u16) {
        let word =
            bits!("cccc 0011 0000 iiii dddd iiii iiii iiii") | cond.bits() | d.bits() << 12 | half(imm);
        self.inst(word, format_args!("movw{cond} {d}, #{imm}"));
    }

    /// `movt<c> rd, #imm16` (A8.8.106): keeps the lower half.
    pub fn movt(&mut self, cond: Cond, d: Gpr, imm: u16) {
        let word =
            bits!("cccc 0011 0100 iiii dddd iiii iiii iiii") | cond.bits() | d.bits() << 12 | half(imm);
        self.inst(word, format_args!("movt{cond} {d}, #{imm}"));
    }

    /// The address of a symbol plus `addend`, from -32768 to 32767: `movw` and `movt` with relocations.
    pub fn mov_symbol(&mut self, cond: Cond, d: Gpr, symbol: SymbolId, addend: i16) {
        self.buf.lock(2, Place::Inside);
        let name = SymbolText(symbol);
        let fields = cond.bits() | d.bits() << 12;
        let low = fields | bits!("cccc 0011 0000 iiii dddd iiii iiii iiii");
        self.inst(low, format_args!("movw{cond} {d}, #:lower16:({name}{addend:+})"));
        let high = fields | bits!("cccc 0011 0100 iiii dddd iiii iiii iiii");
        self.inst(high, format_args!("movt{cond} {d}, #:upper16:({name}{addend:+})"));
        let (offset, addend) = (self.last_inst().saturating_sub(4), addend.into());
        self.buf.add_reloc(Reloc { offset, kind: RelocKind::ArmMovwAbs, symbol, addend });
        self.buf.add_reloc(Reloc { offset: offset + 4, kind: RelocKind::ArmMovtAbs, symbol, addend });
    }

    /// The address of a symbol plus `addend`, from -32752 to 32767, without absolute relocations: `movw` and `movt`
    /// of its distance from the place to which `add rd, pc, rd` adds it.
    pub fn mov_symbol_relative(&mut self, d: Gpr, symbol: SymbolId, addend: i16) {
        self.buf.lock(3, Place::Inside);
        let name = SymbolText(symbol);
        let fields = Cond::Al.bits() | d.bits() << 12;
        let (low, high) = (i64::from(addend) - 8 - PC_AHEAD, i64::from(addend) - 4 - PC_AHEAD);
        self.inst(
            fields | bits!("cccc 0011 0000 iiii dddd iiii iiii iiii"),
            format_args!("movw {d}, #:lower16:({name}{addend:+}-(.+{}))", 8 + PC_AHEAD),
        );
        self.inst(
            fields | bits!("cccc 0011 0100 iiii dddd iiii iiii iiii"),
            format_args!("movt {d}, #:upper16:({name}{addend:+}-(.+{}))", 4 + PC_AHEAD),
        );
        self.alu(Cond::Al, Alu::Add, Flags::Keep, d, Gpr::PC, d);
        let offset = self.last_inst().saturating_sub(8);
        self.buf.add_reloc(Reloc { offset, kind: RelocKind::ArmMovwPcRel, symbol, addend: low });
        self.buf.add_reloc(Reloc { offset: offset + 4, kind: RelocKind::ArmMovtPcRel, symbol, addend: high });
    }

    /// `mul{s}<c> rd, rn, rm`.
    pub fn mul(&mut self, cond: Cond, flags: Flags, d: Gpr, n: Gpr, m: Gpr) {
        let word =
            cond.bits() | Multiply::Mul.bits() | flags.bits() | d.bits() << 16 | m.bits() << 8 | n.bits();
        self.inst(word, format_args!("mul{flags}{cond} {d}, {n}, {m}"));
    }

    /// `mla{s}<c> rd, rn, rm, ra`, `mls<c> rd, rn, rm, ra`: ra plus or minus the product.
    pub fn multiply_add(&mut self, cond: Cond, op: Multiply, flags: Flags, [d, n, m, a]: [Gpr; 4]) {
        let word = cond.bits()
            | op.bits()
            | flags.bits()
            | d.bits() << 16
            | a.bits() << 12
            | m.bits() << 8
            | n.bits();
        let valid = match op {
            Multiply::Mul => false,
            Multiply::Mla => true,
            Multiply::Mls => flags == Flags::Keep,
        };
        self.checked(valid, word, format_args!("{}{flags}{cond} {d}, {n}, {m}, {a}", op.mnemonic()));
    }

    /// `umull{s}<c> lo, hi, rn, rm` and its like.
    pub fn multiply_long(&mut self, cond: Cond, op: MultiplyLong, flags: Flags, [lo, hi, n, m]: [Gpr; 4]) {
        let word = cond.bits()
            | op.bits()
            | flags.bits()
            | hi.bits() << 16
            | lo.bits() << 12
            | m.bits() << 8
            | n.bits();
        let valid = op != MultiplyLong::Umaal || flags == Flags::Keep;
        self.checked(valid, word, format_args!("{}{flags}{cond} {lo}, {hi}, {n}, {m}", op.mnemonic()));
    }

    /// `sdiv<c> rd, rn, rm`, `udiv<c>`.
    pub fn divide(&mut self, cond: Cond, op: Divide, d: Gpr, n: Gpr, m: Gpr) {
        let word = cond.bits() | op.bits() | d.bits() << 16 | m.bits() << 8 | n.bits();
        self.inst(word, format_args!("{}{cond} {d}, {n}, {m}", op.mnemonic()));
    }

    /// `clz<c> rd, rm` and its like.
    pub fn unary(&mut self, cond: Cond, op: Unary, d: Gpr, m: Gpr) {
        let word = cond.bits() | op.bits() | d.bits() << 12 | m.bits();
        self.inst(word, format_args!("{}{cond} {d}, {m}", op.mnemonic()));
    }

    /// `uxtb<c> rd, rm, ror #rotation` and its like; the rotation is 0, 8, 16 or 24.
    pub fn extend(&mut self, cond: Cond, op: Extend, d: Gpr, m: Gpr, rotation: u8) {
        self.extend_any(cond, op, d, None, m, rotation);
    }

    /// `uxtab<c> rd, rn, rm, ror #rotation` and its like: rn plus the extended register.
    pub fn extend_add(&mut self, cond: Cond, op: Extend, d: Gpr, n: Gpr, m: Gpr, rotation: u8) {
        self.extend_any(cond, op, d, Some(n), m, rotation);
    }

    fn extend_any(&mut self, cond: Cond, op: Extend, d: Gpr, n: Option<Gpr>, m: Gpr, rotation: u8) {
        // Without rn the field holds 15.
        if !matches!(rotation, 0 | 8 | 16 | 24) || n == Some(Gpr::PC) {
            return self.invalid();
        }
        let field = n.unwrap_or(Gpr::PC).bits() << 16;
        let word = cond.bits() | op.bits() | field | d.bits() << 12 | u32::from(rotation) << 7 | m.bits();
        let sign = if matches!(op, Extend::Sxtb | Extend::Sxth) { "sxt" } else { "uxt" };
        let width = op.mnemonic();
        match (n, rotation) {
            (None, 0) => self.inst(word, format_args!("{sign}{width}{cond} {d}, {m}")),
            (None, _) => self.inst(word, format_args!("{sign}{width}{cond} {d}, {m}, ror #{rotation}")),
            (Some(n), 0) => self.inst(word, format_args!("{sign}a{width}{cond} {d}, {n}, {m}")),
            (Some(n), _) => {
                self.inst(word, format_args!("{sign}a{width}{cond} {d}, {n}, {m}, ror #{rotation}"))
            }
        }
    }

    /// `ubfx<c> rd, rn, #lsb, #width`, `sbfx<c>`; the field lies inside the register.
    pub fn bit_field(&mut self, cond: Cond, op: BitField, d: Gpr, n: Gpr, lsb: u8, width: u8) {
        let word = cond.bits() | op.bits() | d.bits() << 12 | u32::from(lsb) << 7 | n.bits();
        let valid = is_field(lsb, width);
        let word = word | (u32::from(width).wrapping_sub(1) & 31) << 16;
        self.checked(valid, word, format_args!("{}{cond} {d}, {n}, #{lsb}, #{width}", op.mnemonic()));
    }

    /// `bfi<c> rd, rn, #lsb, #width` (A8.8.20): the low bits of rn into rd.
    pub fn bfi(&mut self, cond: Cond, d: Gpr, n: Gpr, lsb: u8, width: u8) {
        let valid = is_field(lsb, width) && n != Gpr::PC;
        let word = insert_field(cond, d, lsb, width) | n.bits();
        self.checked(valid, word, format_args!("bfi{cond} {d}, {n}, #{lsb}, #{width}"));
    }

    /// `bfc<c> rd, #lsb, #width` (A8.8.19): zeros into rd.
    pub fn bfc(&mut self, cond: Cond, d: Gpr, lsb: u8, width: u8) {
        let word = insert_field(cond, d, lsb, width) | Gpr::PC.bits();
        self.checked(is_field(lsb, width), word, format_args!("bfc{cond} {d}, #{lsb}, #{width}"));
    }
}

/// The immediate of `movw` and `movt`.
pub(super) const fn half(imm: u16) -> u32 {
    (imm as u32 & 0xf000) << 4 | imm as u32 & 0xfff
}

const fn is_field(lsb: u8, width: u8) -> bool {
    lsb < 32 && width >= 1 && width <= 32 - lsb
}

fn insert_field(cond: Cond, d: Gpr, lsb: u8, width: u8) -> u32 {
    let msb = u32::from(lsb).wrapping_add(width.into()).wrapping_sub(1) & 31;
    bits!("cccc 0111 110w wwww dddd llll l001 nnnn")
        | cond.bits()
        | msb << 16
        | d.bits() << 12
        | u32::from(lsb & 31) << 7
}
