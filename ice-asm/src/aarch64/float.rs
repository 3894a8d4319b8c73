//! Scalar floating point (DDI 0487, C4.1, "Data Processing -- Scalar Floating-Point and Advanced SIMD"): arithmetic of single
//! and double precision, and conversions.

use super::operand::Cond;
use super::register::{FloatWidth, Gpr, Vreg, Width};
use super::{Encoder, FloatImm, bits, ops};
use crate::listing::Listing;

ops!(
    /// Two sources ("Floating-point data-processing (2 source)"). `fmax` and `fmin` of a NaN give one, `fmaxnm` and
    /// `fminnm` the other source.
    Float3:
    Fmul   "fmul"   "000 11110 ff 1 mmmmm 0000 10 nnnnn ddddd",
    Fdiv   "fdiv"   "000 11110 ff 1 mmmmm 0001 10 nnnnn ddddd",
    Fadd   "fadd"   "000 11110 ff 1 mmmmm 0010 10 nnnnn ddddd",
    Fsub   "fsub"   "000 11110 ff 1 mmmmm 0011 10 nnnnn ddddd",
    Fmax   "fmax"   "000 11110 ff 1 mmmmm 0100 10 nnnnn ddddd",
    Fmin   "fmin"   "000 11110 ff 1 mmmmm 0101 10 nnnnn ddddd",
    Fmaxnm "fmaxnm" "000 11110 ff 1 mmmmm 0110 10 nnnnn ddddd",
    Fminnm "fminnm" "000 11110 ff 1 mmmmm 0111 10 nnnnn ddddd",
    Fnmul  "fnmul"  "000 11110 ff 1 mmmmm 1000 10 nnnnn ddddd",
);

ops!(
    /// One source ("Floating-point data-processing (1 source)"). The `frint` operations round to an integer: to the nearest,
    /// halves to even; up; down; towards zero; to the nearest, halves away from zero; as the mode says, with an exception
    /// where the number changes; as the mode says.
    Float2:
    Fmov   "fmov"   "000 11110 ff 1 000000 10000 nnnnn ddddd",
    Fabs   "fabs"   "000 11110 ff 1 000001 10000 nnnnn ddddd",
    Fneg   "fneg"   "000 11110 ff 1 000010 10000 nnnnn ddddd",
    Fsqrt  "fsqrt"  "000 11110 ff 1 000011 10000 nnnnn ddddd",
    Frintn "frintn" "000 11110 ff 1 001000 10000 nnnnn ddddd",
    Frintp "frintp" "000 11110 ff 1 001001 10000 nnnnn ddddd",
    Frintm "frintm" "000 11110 ff 1 001010 10000 nnnnn ddddd",
    Frintz "frintz" "000 11110 ff 1 001011 10000 nnnnn ddddd",
    Frinta "frinta" "000 11110 ff 1 001100 10000 nnnnn ddddd",
    Frintx "frintx" "000 11110 ff 1 001110 10000 nnnnn ddddd",
    Frinti "frinti" "000 11110 ff 1 001111 10000 nnnnn ddddd",
);

ops!(
    /// A comparison if the condition holds, or else flags that are given ("Floating-point conditional compare"); the second one
    /// signals any NaN.
    FloatConditionalCompare:
    Fccmp  "fccmp"  "000 11110 ff 1 mmmmm cccc 01 nnnnn 0 vvvv",
    Fccmpe "fccmpe" "000 11110 ff 1 mmmmm cccc 01 nnnnn 1 vvvv",
);

ops!(
    /// A product and a sum with one rounding ("Floating-point data-processing (3 source)"): a + n*m, a - n*m, -a - n*m,
    /// n*m - a.
    Float4:
    Fmadd  "fmadd"  "000 11111 ff 0 mmmmm 0 aaaaa nnnnn ddddd",
    Fmsub  "fmsub"  "000 11111 ff 0 mmmmm 1 aaaaa nnnnn ddddd",
    Fnmadd "fnmadd" "000 11111 ff 1 mmmmm 0 aaaaa nnnnn ddddd",
    Fnmsub "fnmsub" "000 11111 ff 1 mmmmm 1 aaaaa nnnnn ddddd",
);

ops!(
    /// Conversions to integers that saturate ("Conversion between floating-point and integer"), signed and unsigned, rounding to
    /// the nearest (halves to even; for `fcvta` away from zero), up (`p`), down (`m`), and towards zero.
    FloatToInt:
    Fcvtns "fcvtns" "f 00 11110 ff 1 00 000 000000 nnnnn ddddd",
    Fcvtnu "fcvtnu" "f 00 11110 ff 1 00 001 000000 nnnnn ddddd",
    Fcvtas "fcvtas" "f 00 11110 ff 1 00 100 000000 nnnnn ddddd",
    Fcvtau "fcvtau" "f 00 11110 ff 1 00 101 000000 nnnnn ddddd",
    Fcvtps "fcvtps" "f 00 11110 ff 1 01 000 000000 nnnnn ddddd",
    Fcvtpu "fcvtpu" "f 00 11110 ff 1 01 001 000000 nnnnn ddddd",
    Fcvtms "fcvtms" "f 00 11110 ff 1 10 000 000000 nnnnn ddddd",
    Fcvtmu "fcvtmu" "f 00 11110 ff 1 10 001 000000 nnnnn ddddd",
    Fcvtzs "fcvtzs" "f 00 11110 ff 1 11 000 000000 nnnnn ddddd",
    Fcvtzu "fcvtzu" "f 00 11110 ff 1 11 001 000000 nnnnn ddddd",
);

impl<L: Listing> Encoder<'_, L> {
    /// `fadd dd, dn, dm` and its like.
    #[inline]
    pub fn float3(&mut self, op: Float3, width: FloatWidth, d: Vreg, n: Vreg, m: Vreg) {
        let Some(ftype) = width.ftype() else { return self.invalid() };
        let word = op.bits() | ftype | m.m() | n.n() | d.d();
        let [d, n, m] = [d, n, m].map(|reg| reg.of(width));
        self.inst(word, format_args!("{} {d}, {n}, {m}", op.mnemonic()));
    }

    /// `fabs dd, dn` and its like.
    #[inline]
    pub fn float2(&mut self, op: Float2, width: FloatWidth, d: Vreg, n: Vreg) {
        let Some(ftype) = width.ftype() else { return self.invalid() };
        let word = op.bits() | ftype | n.n() | d.d();
        self.inst(word, format_args!("{} {}, {}", op.mnemonic(), d.of(width), n.of(width)));
    }

    /// `fmadd dd, dn, dm, da` and its like.
    #[inline]
    pub fn float4(&mut self, op: Float4, width: FloatWidth, d: Vreg, n: Vreg, m: Vreg, a: Vreg) {
        let Some(ftype) = width.ftype() else { return self.invalid() };
        let word = op.bits() | ftype | m.m() | a.a() | n.n() | d.d();
        let [d, n, m, a] = [d, n, m, a].map(|reg| reg.of(width));
        self.inst(word, format_args!("{} {d}, {n}, {m}, {a}", op.mnemonic()));
    }

    /// `fcvt dd, sn` ("Floating-point data-processing (1 source)"): from one of half, single and double precision to another.
    pub fn float_convert(&mut self, to: FloatWidth, from: FloatWidth, d: Vreg, n: Vreg) {
        let number = |width| match width {
            FloatWidth::S => Some(0),
            FloatWidth::D => Some(1),
            FloatWidth::H => Some(3),
            FloatWidth::B | FloatWidth::Q => None,
        };
        let (Some(opc), Some(ftype)) = (number(to), number(from)) else { return self.invalid() };
        let word = bits!("000 11110 ff 1 0001oo 10000 nnnnn ddddd") | ftype << 22 | opc << 15 | n.n() | d.d();
        self.checked(to != from, word, format_args!("fcvt {}, {}", d.of(to), n.of(from)));
    }

    /// `fcmp dn, dm` ("Floating-point compare"): to the flags.
    #[inline]
    pub fn float_compare(&mut self, width: FloatWidth, n: Vreg, m: Vreg) {
        let Some(ftype) = width.ftype() else { return self.invalid() };
        let word = bits!("000 11110 ff 1 mmmmm 00 1000 nnnnn 00000") | ftype | m.m() | n.n();
        self.inst(word, format_args!("fcmp {}, {}", n.of(width), m.of(width)));
    }

    /// `fcmp dn, #0.0`.
    #[inline]
    pub fn float_compare_zero(&mut self, width: FloatWidth, n: Vreg) {
        let Some(ftype) = width.ftype() else { return self.invalid() };
        let word = bits!("000 11110 ff 1 00000 00 1000 nnnnn 01000") | ftype | n.n();
        self.inst(word, format_args!("fcmp {}, #0.0", n.of(width)));
    }

    /// `fccmp dn, dm, #nzcv, <cond>`: `nzcv` are four bits.
    pub fn float_conditional_compare(
        &mut self,
        op: FloatConditionalCompare,
        width: FloatWidth,
        n: Vreg,
        m: Vreg,
        nzcv: u8,
        cond: Cond,
    ) {
        let Some(ftype) = width.ftype().filter(|_| nzcv < 16) else { return self.invalid() };
        let word = op.bits() | ftype | m.m() | cond.bits() << 12 | n.n() | u32::from(nzcv);
        self.inst(word, format_args!("{} {}, {}, #{nzcv}, {cond}", op.mnemonic(), n.of(width), m.of(width)));
    }

    /// `fcsel dd, dn, dm, <cond>` ("Floating-point conditional select").
    #[inline]
    pub fn float_select(&mut self, width: FloatWidth, d: Vreg, n: Vreg, m: Vreg, cond: Cond) {
        let Some(ftype) = width.ftype() else { return self.invalid() };
        let fields = ftype | m.m() | cond.bits() << 12 | n.n() | d.d();
        let [d, n, m] = [d, n, m].map(|reg| reg.of(width));
        let word = bits!("000 11110 ff 1 mmmmm cccc 11 nnnnn ddddd") | fields;
        self.inst(word, format_args!("fcsel {d}, {n}, {m}, {cond}"));
    }

    /// `fmov dd, #imm` ("Floating-point immediate").
    #[inline]
    pub fn float_number(&mut self, width: FloatWidth, d: Vreg, imm: FloatImm) {
        let Some(ftype) = width.ftype() else { return self.invalid() };
        let fields = ftype | u32::from(imm.bits()) << 13 | d.d();
        let word = bits!("000 11110 ff 1 iiiiiiii 100 00000 ddddd") | fields;
        self.inst(word, format_args!("fmov {}, {imm}", d.of(width)));
    }

    /// `scvtf dd, xn`, or without a sign `ucvtf` ("Conversion between floating-point and integer").
    #[inline]
    pub fn int_to_float(&mut self, sign: bool, from: Width, to: FloatWidth, d: Vreg, n: Gpr) {
        let Some(ftype) = to.ftype() else { return self.invalid() };
        let (unsigned, mnemonic) = if sign { (0, "scvtf") } else { (1 << 16, "ucvtf") };
        let fields = unsigned | from.sf() | ftype | n.n() | d.d();
        let word = bits!("f 00 11110 ff 1 00 01u 000000 nnnnn ddddd") | fields;
        self.checked(n.is_plain(), word, format_args!("{mnemonic} {}, {}", d.of(to), n.of(from)));
    }

    /// `fcvtzs xd, dn` and its like.
    #[inline]
    pub fn float_to_int(&mut self, op: FloatToInt, from: FloatWidth, to: Width, d: Gpr, n: Vreg) {
        let Some(ftype) = from.ftype() else { return self.invalid() };
        let word = op.bits() | to.sf() | ftype | n.n() | d.d();
        self.checked(d.is_plain(), word, format_args!("{} {}, {}", op.mnemonic(), d.of(to), n.of(from)));
    }

    /// `fmov sd, wn`, `fmov dd, xn`: the bits as they are.
    #[inline]
    pub fn to_float(&mut self, width: FloatWidth, d: Vreg, n: Gpr) {
        let Some((fields, from)) = move_fields(width) else { return self.invalid() };
        let word = bits!("f 00 11110 ff 1 00 111 000000 nnnnn ddddd") | fields | n.n() | d.d();
        self.checked(n.is_plain(), word, format_args!("fmov {}, {}", d.of(width), n.of(from)));
    }

    /// `fmov wd, sn`, `fmov xd, dn`: the bits as they are.
    #[inline]
    pub fn from_float(&mut self, width: FloatWidth, d: Gpr, n: Vreg) {
        let Some((fields, to)) = move_fields(width) else { return self.invalid() };
        let word = bits!("f 00 11110 ff 1 00 110 000000 nnnnn ddddd") | fields | n.n() | d.d();
        self.checked(d.is_plain(), word, format_args!("fmov {}, {}", d.of(to), n.of(width)));
    }
}

/// The fields `sf` and `ftype` of a move between registers, and the general-purpose one.
const fn move_fields(width: FloatWidth) -> Option<(u32, Width)> {
    match width {
        FloatWidth::S => Some((0, Width::W)),
        FloatWidth::D => Some((1 << 31 | 1 << 22, Width::X)),
        _ => None,
    }
}
