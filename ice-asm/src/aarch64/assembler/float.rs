//! Numbers in registers of vectors (DDI 0487, C7.2), as the encoder has them.

use super::operand::{Operand, Shape, cond};
use super::{Assembler, Named as _, named};
use crate::aarch64::{
    Float2, Float3, Float4, FloatConditionalCompare, FloatImm, FloatToInt, FloatWidth, Lane, Vreg, Width,
    bits,
};

named!(Float2 Float3 Float4 FloatConditionalCompare FloatToInt);

/// Those that have functions of their own.
const NAMES: &[&str] = &["fcvt", "fcmp", "fcmpe", "fcsel", "scvtf", "ucvtf"];

pub(super) fn is_known(name: &str) -> bool {
    is_in_tables(name) || NAMES.contains(&name)
}

/// The immediate of a number in single or double precision.
pub(super) fn float_imm(number: f64) -> Option<FloatImm> {
    FloatImm::from_f64(number.to_bits())
}

/// Whether an operand is the number zero.
pub(super) fn is_zero(operand: &Operand<'_>) -> bool {
    match *operand {
        Operand::Number(number) => number == 0,
        Operand::Real(number) => number.to_bits() == 0,
        _ => false,
    }
}

/// The number of an operand.
pub(super) fn real(operand: &Operand<'_>) -> Option<f64> {
    match *operand {
        Operand::Real(number) => Some(number),
        Operand::Number(number) => Some(number as f64),
        _ => None,
    }
}

impl Assembler<'_, '_, '_> {
    pub(super) fn float(&mut self, name: &str, operands: &[Operand<'_>]) -> Option<()> {
        use Operand::{Float as F, Gpr as R, Word};
        let e = &mut *self.encoder;
        match *operands {
            [F(width, d), F(wn, n), F(wm, m), F(wa, a)] if [wn, wm, wa] == [width; 3] => {
                e.float4(Float4::named(name)?, width, d, n, m, a);
                Some(())
            }
            [F(width, d), F(wn, n), F(wm, m)] if [wn, wm] == [width; 2] && width.ftype().is_some() => {
                e.float3(Float3::named(name)?, width, d, n, m);
                Some(())
            }
            [F(width, d), F(wn, n), F(wm, m), Word(text)] if name == "fcsel" && [wn, wm] == [width; 2] => {
                e.float_select(width, d, n, m, cond(text)?);
                Some(())
            }
            [F(width, n), F(wm, m), ref flags, Word(text)] if wm == width => {
                let op = FloatConditionalCompare::named(name)?;
                let flags = self.below(flags, 16)?;
                self.encoder.float_conditional_compare(op, width, n, m, flags, cond(text)?);
                Some(())
            }
            [F(width, n), ref other] if matches!(name, "fcmp" | "fcmpe") => {
                let signals = u32::from(name == "fcmpe") << 4;
                let other = match *other {
                    F(wm, m) if wm == width => m.m(),
                    ref number => is_zero(number).then_some(1 << 3)?,
                };
                let word = bits!("000 11110 ff 1 mmmmm 00 1000 nnnnn s z000");
                self.word(word | width.ftype()? | other | n.n() | signals);
                Some(())
            }
            [F(to, d), F(from, n)] if name == "fcvt" => {
                e.float_convert(to, from, d, n);
                Some(())
            }
            [F(width, d), F(wn, n)] if wn == width && width.ftype().is_some() => {
                e.float2(Float2::named(name)?, width, d, n);
                Some(())
            }
            [R(d, to), F(from, n), ref rest @ ..] if FloatToInt::named(name).is_some() => {
                let op = FloatToInt::named(name)?;
                if rest.is_empty() {
                    return {
                        e.float_to_int(op, from, to, d, n);
                        Some(())
                    };
                }
                let unsigned = match op {
                    FloatToInt::Fcvtzs => 0,
                    FloatToInt::Fcvtzu => 1 << 16,
                    _ => return None,
                };
                let word = bits!("f 00 11110 ff 0 11 00u ssssss nnnnn ddddd") | unsigned | n.n() | d.d();
                d.is_plain().then(|| self.fixed(word, (to, from), rest))?
            }
            [F(to, d), R(n, from), ref rest @ ..] if matches!(name, "scvtf" | "ucvtf") => {
                if rest.is_empty() {
                    return {
                        e.int_to_float(name == "scvtf", from, to, d, n);
                        Some(())
                    };
                }
                let unsigned = u32::from(name == "ucvtf") << 16;
                let word = bits!("f 00 11110 ff 0 00 01u ssssss nnnnn ddddd") | unsigned | n.n() | d.d();
                n.is_plain().then(|| self.fixed(word, (from, to), rest))?
            }
            _ if name == "fmov" => self.float_move(operands),
            _ => None,
        }
    }

    /// "Conversion between floating-point and fixed-point".
    fn fixed(&mut self, word: u32, (int, float): (Width, FloatWidth), rest: &[Operand<'_>]) -> Option<()> {
        let [fraction] = rest else { return None };
        let fraction = self.below(fraction, int.bits() + 1).filter(|&fraction| fraction > 0)?;
        let scale = u32::from(64 - fraction) << 10;
        self.word(word | int.sf() | float.ftype()? | scale);
        Some(())
    }

    fn float_move(&mut self, operands: &[Operand<'_>]) -> Option<()> {
        use Operand::{Float as F, Gpr as R, Vector as V};
        let e = &mut *self.encoder;
        match *operands {
            [F(width, d), R(n, wn)] if holds(width, wn) => {
                e.to_float(width, d, n);
                Some(())
            }
            [R(d, wd), F(width, n)] if holds(width, wd) => {
                e.from_float(width, d, n);
                Some(())
            }
            [R(d, Width::X), Operand::Element(n, Lane::B64, 1)] if d.is_plain() => {
                self.word(bits!("1 00 11110 10 1 01 110 000000 nnnnn ddddd") | n.n() | d.d());
                Some(())
            }
            [Operand::Element(d, Lane::B64, 1), R(n, Width::X)] if n.is_plain() => {
                self.word(bits!("1 00 11110 10 1 01 111 000000 nnnnn ddddd") | n.n() | d.d());
                Some(())
            }
            [F(width, d), ref number] => self.float_number(width, d, number),
            [V(d, Shape::All(arrangement)), ref number] => {
                let fields = arrangement.float_bits()?;
                let byte = u32::from(float_imm(real(number)?)?.bits());
                let op = (fields >> 22 & 1) << 29;
                let word = bits!("0 Q o 0111100000 iii 1111 0 1 iiiii ddddd") | fields & 1 << 30 | op;
                self.word(word | (byte >> 5) << 16 | (byte & 31) << 5 | d.d());
                Some(())
            }
            _ => None,
        }
    }

    /// `fmov d0, #1.0`; of zero the bits are moved.
    fn float_number(&mut self, width: FloatWidth, d: Vreg, number: &Operand<'_>) -> Option<()> {
        if is_zero(number) {
            return {
                self.encoder.to_float(width, d, crate::aarch64::Gpr::ZERO);
                Some(())
            };
        }
        self.encoder.float_number(width, d, float_imm(real(number)?)?);
        Some(())
    }
}

/// Whether a general-purpose register of one width has the bits of a number.
const fn holds(float: FloatWidth, general: Width) -> bool {
    matches!((float, general), (FloatWidth::S, Width::W) | (FloatWidth::D, Width::X))
}
