//! Integer arithmetic and logic (DDI 0487, C4.1: "Data Processing -- Immediate" and "Data Processing -- Register").

use super::operand::{Cond, Extend, Operand, OperandText, Shift};
use super::register::{Gpr, Width, plain};
use super::{Encoder, bits, ops};
use crate::listing::Listing;

ops!(
    /// Two sources: with a shifted register; the forms with an extended register or a number differ in bits that
    /// are fixed here.
    Alu:
    Add  "add"  "f 0 0 01011 hh 0 mmmmm iiiiii nnnnn ddddd", // "Add/subtract (shifted register)"
    Adds "adds" "f 0 1 01011 hh 0 mmmmm iiiiii nnnnn ddddd",
    Sub  "sub"  "f 1 0 01011 hh 0 mmmmm iiiiii nnnnn ddddd",
    Subs "subs" "f 1 1 01011 hh 0 mmmmm iiiiii nnnnn ddddd",
    And  "and"  "f 00 01010 hh 0 mmmmm iiiiii nnnnn ddddd", // "Logical (shifted register)"
    Ands "ands" "f 11 01010 hh 0 mmmmm iiiiii nnnnn ddddd",
    Orr  "orr"  "f 01 01010 hh 0 mmmmm iiiiii nnnnn ddddd",
    Eor  "eor"  "f 10 01010 hh 0 mmmmm iiiiii nnnnn ddddd",
    Bic  "bic"  "f 00 01010 hh 1 mmmmm iiiiii nnnnn ddddd",
    Bics "bics" "f 11 01010 hh 1 mmmmm iiiiii nnnnn ddddd",
    Orn  "orn"  "f 01 01010 hh 1 mmmmm iiiiii nnnnn ddddd",
    Eon  "eon"  "f 10 01010 hh 1 mmmmm iiiiii nnnnn ddddd",
);

ops!(
    /// Comparisons: `subs`, `adds` and `ands` whose result is forgotten.
    Compare:
    Cmp "cmp" "f 1 1 01011 hh 0 mmmmm iiiiii nnnnn 11111", // "Add/subtract (shifted register)"
    Cmn "cmn" "f 0 1 01011 hh 0 mmmmm iiiiii nnnnn 11111",
    Tst "tst" "f 11 01010 hh 0 mmmmm iiiiii nnnnn 11111", // "Logical (shifted register)"
);

ops!(
    /// Addition and subtraction with the carry ("Add/subtract (with carry)").
    Carry:
    Adc  "adc"  "f 0 0 11010000 mmmmm 000000 nnnnn ddddd",
    Adcs "adcs" "f 0 1 11010000 mmmmm 000000 nnnnn ddddd",
    Sbc  "sbc"  "f 1 0 11010000 mmmmm 000000 nnnnn ddddd",
    Sbcs "sbcs" "f 1 1 11010000 mmmmm 000000 nnnnn ddddd",
);

ops!(
    /// Division, and shifts by the number in a register, which counts modulo the width ("Data-processing (2 source)").
    Two:
    Udiv "udiv" "f 0 0 11010110 mmmmm 000010 nnnnn ddddd",
    Sdiv "sdiv" "f 0 0 11010110 mmmmm 000011 nnnnn ddddd",
    Lsl  "lsl"  "f 0 0 11010110 mmmmm 001000 nnnnn ddddd",
    Lsr  "lsr"  "f 0 0 11010110 mmmmm 001001 nnnnn ddddd",
    Asr  "asr"  "f 0 0 11010110 mmmmm 001010 nnnnn ddddd",
    Ror  "ror"  "f 0 0 11010110 mmmmm 001011 nnnnn ddddd",
);

ops!(
    /// One source ("Data-processing (1 source)"). `rev32` is of 64 bits only; `rev` of 32 bits has its encoding.
    One:
    Rbit  "rbit"  "f 1 0 11010110 00000 000000 nnnnn ddddd",
    Rev16 "rev16" "f 1 0 11010110 00000 000001 nnnnn ddddd",
    Rev32 "rev32" "f 1 0 11010110 00000 000010 nnnnn ddddd",
    Rev   "rev"   "f 1 0 11010110 00000 00001o nnnnn ddddd",
    Clz   "clz"   "f 1 0 11010110 00000 000100 nnnnn ddddd",
    Cls   "cls"   "f 1 0 11010110 00000 000101 nnnnn ddddd",
);

ops!(
    /// A product of the width of its factors, added to or subtracted from a number ("Data-processing (3 source)").
    Multiply:
    Madd "madd" "f 00 11011 000 mmmmm 0 aaaaa nnnnn ddddd",
    Msub "msub" "f 00 11011 000 mmmmm 1 aaaaa nnnnn ddddd",
);

ops!(
    /// A product of 64 bits of factors of 32 bits, added to or subtracted from a number ("Data-processing (3 source)").
    MultiplyLong:
    Smaddl "smaddl" "1 00 11011 001 mmmmm 0 aaaaa nnnnn ddddd",
    Smsubl "smsubl" "1 00 11011 001 mmmmm 1 aaaaa nnnnn ddddd",
    Umaddl "umaddl" "1 00 11011 101 mmmmm 0 aaaaa nnnnn ddddd",
    Umsubl "umsubl" "1 00 11011 101 mmmmm 1 aaaaa nnnnn ddddd",
);

ops!(
    /// The high half of a product of 128 bits ("Data-processing (3 source)").
    MultiplyHigh:
    Smulh "smulh" "1 00 11011 010 mmmmm 0 11111 nnnnn ddddd",
    Umulh "umulh" "1 00 11011 110 mmmmm 0 11111 nnnnn ddddd",
);

ops!(
    /// Moves of bit fields ("Bitfield").
    BitField:
    Sbfm "sbfm" "f 00 100110 N rrrrrr ssssss nnnnn ddddd",
    Bfm  "bfm"  "f 01 100110 N rrrrrr ssssss nnnnn ddddd",
    Ubfm "ubfm" "f 10 100110 N rrrrrr ssssss nnnnn ddddd",
);

ops!(
    /// The first source if the condition holds, or something made of the second one: itself, plus one, its complement, its
    /// negation ("Conditional select").
    Select:
    Csel  "csel"  "f 0 0 11010100 mmmmm cccc 0 0 nnnnn ddddd",
    Csinc "csinc" "f 0 0 11010100 mmmmm cccc 0 1 nnnnn ddddd",
    Csinv "csinv" "f 1 0 11010100 mmmmm cccc 0 0 nnnnn ddddd",
    Csneg "csneg" "f 1 0 11010100 mmmmm cccc 0 1 nnnnn ddddd",
);

ops!(
    /// A comparison if the condition holds, or else flags that are given ("Conditional compare (register)"; with a number
    /// bit 11 is set).
    ConditionalCompare:
    Ccmn "ccmn" "f 0 1 11010010 mmmmm cccc 0 0 nnnnn 0 vvvv",
    Ccmp "ccmp" "f 1 1 11010010 mmmmm cccc 0 0 nnnnn 0 vvvv",
);

/// Set in additions and subtractions, clear in logic.
const IS_ARITHMETIC: u32 = 1 << 24;
/// Of additions and subtractions: the flags are set.
const SETS_FLAGS: u32 = 1 << 29;
/// `opc` of logic.
const OPC: u32 = 3 << 29;
/// Of an extended register: what differs from a shifted one.
const EXTENDED: u32 = 1 << 21;

/// The word of an operation with two sources. Inlined: most callers know the form of the operand.
#[inline(always)]
fn alu_word(op: u32, width: Width, d: Gpr, n: Gpr, operand: Operand) -> Option<u32> {
    let registers = width.sf() | n.n() | d.d();
    let is_arithmetic = op & IS_ARITHMETIC != 0;
    match operand {
        Operand::Imm(imm) => {
            let fields = bits!("f oo 100010 h iiiiiiiiiiii nnnnn ddddd") | op & OPC | imm.bits();
            (is_arithmetic && has_place(op, d) && n.is_base()).then_some(fields | registers)
        }
        Operand::Bits(imm) => {
            let is_inverted = op & EXTENDED != 0;
            let fields = bits!("f oo 100100 N rrrrrr ssssss nnnnn ddddd") | op & OPC | imm.bits();
            let valid = !is_arithmetic && !is_inverted && n.is_plain() && imm.width() == width;
            (valid && has_place(op, d)).then_some(fields | registers)
        }
        Operand::Extend(m, extend, amount) => extended_word(op, width, [d, n, m], extend, amount),
        Operand::Reg(m) if plain([d, n, m]) => Some(op | m.m() | registers),
        Operand::Shift(m, shift, amount) if plain([d, n, m]) => {
            let fields = m.m() | (shift as u32) << 22 | u32::from(amount & 63) << 10;
            let valid = u32::from(amount) < width.bits() && (shift != Shift::Ror || !is_arithmetic);
            valid.then_some(op | fields | registers)
        }
        Operand::Reg(m) => extended_word(op, width, [d, n, m], whole(width), 0),
        Operand::Shift(m, Shift::Lsl, amount) => extended_word(op, width, [d, n, m], whole(width), amount),
        Operand::Shift(..) => None,
    }
}

/// Whether the result of an operation with a number or an extended register can be there: 31 means zeros where flags are
/// set, else the stack pointer.
#[inline(always)]
const fn has_place(op: u32, d: Gpr) -> bool {
    let sets_flags = if op & IS_ARITHMETIC != 0 { op & SETS_FLAGS != 0 } else { op & OPC == OPC };
    if sets_flags { d.is_plain() } else { d.is_base() }
}

/// The extension that does nothing.
const fn whole(width: Width) -> Extend {
    match width {
        Width::W => Extend::Uxtw,
        Width::X => Extend::Uxtx,
    }
}

#[inline]
fn extended_word(op: u32, width: Width, [d, n, m]: [Gpr; 3], extend: Extend, amount: u8) -> Option<u32> {
    let fields = EXTENDED | m.m() | (extend as u32) << 13 | u32::from(amount & 7) << 10;
    let valid = op & IS_ARITHMETIC != 0 && has_place(op, d) && n.is_base() && m.is_plain() && amount <= 4;
    valid.then_some(op | fields | width.sf() | n.n() | d.d())
}

impl<L: Listing> Encoder<'_, L> {
    /// `add xd, xn, operand` and its like.
    ///
    /// | operand | of | xd may be `sp` | xn may be `sp` |
    /// |---|---|---|---|
    /// | [`Operand::Imm`] | additions and subtractions | and not zeros, unless flags are set | and not zeros |
    /// | [`Operand::Extend`], and a register where one is `sp` | additions and subtractions | likewise | likewise |
    /// | [`Operand::Bits`] | `and`, `ands`, `orr`, `eor` | and not zeros, unless flags are set | no |
    /// | otherwise | all | no | no |
    #[inline]
    pub fn alu(&mut self, op: Alu, width: Width, d: Gpr, n: Gpr, operand: impl Into<Operand>) {
        let operand = operand.into();
        let Some(word) = alu_word(op.bits(), width, d, n, operand) else { return self.invalid() };
        let text = OperandText(operand, width);
        self.inst(word, format_args!("{} {}, {}, {text}", op.mnemonic(), d.of(width), n.of(width)));
    }

    /// `cmp xn, operand` and its like.
    #[inline]
    pub fn compare(&mut self, op: Compare, width: Width, n: Gpr, operand: impl Into<Operand>) {
        let operand = operand.into();
        let Some(word) = alu_word(op.bits(), width, Gpr::ZERO, n, operand) else { return self.invalid() };
        let text = OperandText(operand, width);
        self.inst(word, format_args!("{} {}, {text}", op.mnemonic(), n.of(width)));
    }

    /// `adc xd, xn, xm` and its like.
    #[inline]
    pub fn carry(&mut self, op: Carry, width: Width, d: Gpr, n: Gpr, m: Gpr) {
        self.three(op.bits(), op.mnemonic(), width, [d, n, m]);
    }

    /// `udiv xd, xn, xm`, `lsl xd, xn, xm` and their like.
    #[inline]
    pub fn two(&mut self, op: Two, width: Width, d: Gpr, n: Gpr, m: Gpr) {
        self.three(op.bits(), op.mnemonic(), width, [d, n, m]);
    }

    #[inline]
    fn three(&mut self, op: u32, mnemonic: &str, width: Width, [d, n, m]: [Gpr; 3]) {
        let word = op | width.sf() | m.m() | n.n() | d.d();
        let text = format_args!("{mnemonic} {}, {}, {}", d.of(width), n.of(width), m.of(width));
        self.checked(plain([d, n, m]), word, text);
    }

    /// `clz xd, xn` and its like.
    #[inline]
    pub fn one(&mut self, op: One, width: Width, d: Gpr, n: Gpr) {
        let whole = if op == One::Rev { (width as u32) << 10 } else { 0 };
        let valid = plain([d, n]) && (op != One::Rev32 || width == Width::X);
        let word = op.bits() | whole | width.sf() | n.n() | d.d();
        self.checked(valid, word, format_args!("{} {}, {}", op.mnemonic(), d.of(width), n.of(width)));
    }

    /// `madd xd, xn, xm, xa`, `msub`: xa plus or minus the product.
    #[inline]
    pub fn multiply(&mut self, op: Multiply, width: Width, d: Gpr, n: Gpr, m: Gpr, a: Gpr) {
        let word = op.bits() | width.sf() | m.m() | a.a() | n.n() | d.d();
        let [dt, nt, mt, at] = [d, n, m, a].map(|reg| reg.of(width));
        self.checked(plain([d, n, m, a]), word, format_args!("{} {dt}, {nt}, {mt}, {at}", op.mnemonic()));
    }

    /// `smaddl xd, wn, wm, xa` and its like.
    #[inline]
    pub fn multiply_long(&mut self, op: MultiplyLong, d: Gpr, n: Gpr, m: Gpr, a: Gpr) {
        let word = op.bits() | m.m() | a.a() | n.n() | d.d();
        let [nt, mt] = [n, m].map(|reg| reg.of(Width::W));
        self.checked(plain([d, n, m, a]), word, format_args!("{} {d}, {nt}, {mt}, {a}", op.mnemonic()));
    }

    /// `smulh xd, xn, xm`, `umulh`.
    #[inline]
    pub fn multiply_high(&mut self, op: MultiplyHigh, d: Gpr, n: Gpr, m: Gpr) {
        self.three(op.bits(), op.mnemonic(), Width::X, [d, n, m]);
    }

    /// `ubfm xd, xn, #immr, #imms` and its like; both numbers are below the width.
    #[inline]
    pub fn bit_field(&mut self, op: BitField, width: Width, d: Gpr, n: Gpr, immr: u8, imms: u8) {
        let Some(word) = field_word(op, width, d, n, immr, imms) else { return self.invalid() };
        let (dt, nt) = (d.of(width), n.of(width));
        self.inst(word, format_args!("{} {dt}, {nt}, #{immr}, #{imms}", op.mnemonic()));
    }

    /// `lsl xd, xn, #amount` and its like, by less than the width.
    #[inline]
    pub fn shift_by(&mut self, op: Shift, width: Width, d: Gpr, n: Gpr, amount: u8) {
        let last = width.bits() as u8 - 1;
        let word = match op {
            Shift::Lsl => field_word(
                BitField::Ubfm,
                width,
                d,
                n,
                amount.wrapping_neg() & last,
                last.wrapping_sub(amount),
            ),
            Shift::Lsr => field_word(BitField::Ubfm, width, d, n, amount, last),
            Shift::Asr => field_word(BitField::Sbfm, width, d, n, amount, last),
            Shift::Ror => pair_word(width, d, n, n, amount),
        };
        let Some(word) = word.filter(|_| amount <= last) else { return self.invalid() };
        self.inst(word, format_args!("{} {}, {}, #{amount}", op.mnemonic(), d.of(width), n.of(width)));
    }

    /// `sxtb xd, wn` and its like, to all bits of the width. With zeros above, the result has 64 bits in any case; of 32
    /// bits with zeros, and of as many bits as the result has, it is a move.
    #[inline]
    pub fn extend(&mut self, op: Extend, width: Width, d: Gpr, n: Gpr) {
        let (field, width, last) = match (op, width) {
            (Extend::Uxtb, _) => (BitField::Ubfm, Width::W, 7),
            (Extend::Uxth, _) => (BitField::Ubfm, Width::W, 15),
            (Extend::Uxtw, _) | (Extend::Sxtw, Width::W) => return self.mov(Width::W, d, n),
            (Extend::Uxtx | Extend::Sxtx, _) => return self.mov(width, d, n),
            (Extend::Sxtb, _) => (BitField::Sbfm, width, 7),
            (Extend::Sxth, _) => (BitField::Sbfm, width, 15),
            (Extend::Sxtw, Width::X) => (BitField::Sbfm, width, 31),
        };
        let Some(word) = field_word(field, width, d, n, 0, last) else { return self.invalid() };
        self.inst(word, format_args!("{} {}, {}", op.mnemonic(), d.of(width), n.of(Width::W)));
    }

    /// `ubfx xd, xn, #lsb, #size`, or with the sign above `sbfx`; the field lies inside the register.
    #[inline]
    pub fn extract_bits(&mut self, sign: bool, width: Width, d: Gpr, n: Gpr, lsb: u8, size: u8) {
        let (op, mnemonic) = if sign { (BitField::Sbfm, "sbfx") } else { (BitField::Ubfm, "ubfx") };
        let Some(last) = last_bit(width, lsb, size) else { return self.invalid() };
        let Some(word) = field_word(op, width, d, n, lsb, last) else { return self.invalid() };
        self.inst(word, format_args!("{mnemonic} {}, {}, #{lsb}, #{size}", d.of(width), n.of(width)));
    }

    /// `bfi xd, xn, #lsb, #size`: the low bits of xn into xd.
    #[inline]
    pub fn insert_bits(&mut self, width: Width, d: Gpr, n: Gpr, lsb: u8, size: u8) {
        if last_bit(width, lsb, size).is_none() {
            return self.invalid();
        }
        let rotation = lsb.wrapping_neg() & (width.bits() as u8 - 1);
        let Some(word) = field_word(BitField::Bfm, width, d, n, rotation, size - 1) else {
            return self.invalid();
        };
        self.inst(word, format_args!("bfi {}, {}, #{lsb}, #{size}", d.of(width), n.of(width)));
    }

    /// `extr xd, xn, xm, #lsb` ("Extract"): from this bit of xm on, with xn above it.
    #[inline]
    pub fn extract_pair(&mut self, width: Width, d: Gpr, n: Gpr, m: Gpr, lsb: u8) {
        let Some(word) = pair_word(width, d, n, m, lsb) else { return self.invalid() };
        self.inst(word, format_args!("extr {}, {}, {}, #{lsb}", d.of(width), n.of(width), m.of(width)));
    }

    /// `csel xd, xn, xm, <cond>` and its like.
    #[inline]
    pub fn select(&mut self, op: Select, width: Width, d: Gpr, n: Gpr, m: Gpr, cond: Cond) {
        let word = op.bits() | width.sf() | m.m() | cond.bits() << 12 | n.n() | d.d();
        let [dt, nt, mt] = [d, n, m].map(|reg| reg.of(width));
        self.checked(plain([d, n, m]), word, format_args!("{} {dt}, {nt}, {mt}, {cond}", op.mnemonic()));
    }

    /// `cset xd, <cond>`: 1 if the condition, not [`Cond::Al`], holds, else 0.
    #[inline]
    pub fn cset(&mut self, width: Width, d: Gpr, cond: Cond) {
        self.set(Select::Csinc, "cset", width, d, cond);
    }

    /// `csetm xd, <cond>`: all ones if the condition, not [`Cond::Al`], holds, else 0.
    #[inline]
    pub fn csetm(&mut self, width: Width, d: Gpr, cond: Cond) {
        self.set(Select::Csinv, "csetm", width, d, cond);
    }

    #[inline]
    fn set(&mut self, op: Select, mnemonic: &str, width: Width, d: Gpr, cond: Cond) {
        let sources = Gpr::ZERO.m() | Gpr::ZERO.n();
        let word = op.bits() | width.sf() | sources | cond.invert().bits() << 12 | d.d();
        let valid = d.is_plain() && cond != Cond::Al;
        self.checked(valid, word, format_args!("{mnemonic} {}, {cond}", d.of(width)));
    }

    /// `ccmp xn, operand, #nzcv, <cond>`, `ccmn`: the operand is a register or a number below 32, `nzcv` four bits.
    pub fn conditional_compare(
        &mut self,
        op: ConditionalCompare,
        width: Width,
        n: Gpr,
        operand: impl Into<Operand>,
        nzcv: u8,
        cond: Cond,
    ) {
        const IMMEDIATE: u32 = 1 << 11;
        let operand = operand.into();
        let (valid, source) = match operand {
            Operand::Reg(m) => (m.is_plain(), m.m()),
            Operand::Imm(imm) => (imm.value() < 32, (imm.value() as u32 & 31) << 16 | IMMEDIATE),
            _ => (false, 0),
        };
        let fields = cond.bits() << 12 | n.n() | u32::from(nzcv & 15);
        let word = op.bits() | width.sf() | source | fields;
        let text = OperandText(operand, width);
        self.checked(
            valid && n.is_plain() && nzcv < 16,
            word,
            format_args!("{} {}, {text}, #{nzcv}, {cond}", op.mnemonic(), n.of(width)),
        );
    }
}

/// The number of the highest bit of a field, if that lies inside a register.
const fn last_bit(width: Width, lsb: u8, size: u8) -> Option<u8> {
    let bits = width.bits() as u8;
    if lsb < bits && size >= 1 && size <= bits - lsb { Some(lsb + size - 1) } else { None }
}

#[inline]
fn field_word(op: BitField, width: Width, d: Gpr, n: Gpr, immr: u8, imms: u8) -> Option<u32> {
    let last = width.bits() as u8 - 1;
    let fields = (width as u32) << 22 | u32::from(immr & 63) << 16 | u32::from(imms & 63) << 10;
    let valid = plain([d, n]) && immr <= last && imms <= last;
    valid.then_some(op.bits() | width.sf() | fields | n.n() | d.d())
}

#[inline]
fn pair_word(width: Width, d: Gpr, n: Gpr, m: Gpr, lsb: u8) -> Option<u32> {
    let fields = width.sf() | (width as u32) << 22 | m.m() | u32::from(lsb & 63) << 10 | n.n() | d.d();
    let valid = plain([d, n, m]) && u32::from(lsb) < width.bits();
    valid.then_some(bits!("f 00 100111 N 0 mmmmm ssssss nnnnn ddddd") | fields)
}
