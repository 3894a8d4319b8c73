//! Vectors (DDI 0487, C7.2), as the encoder has them.

use super::float::{is_zero, real};
use super::operand::{Change, List, Operand, Shape};
use super::{Assembler, Named as _, named};
use crate::aarch64::register::full_bit;
use crate::aarch64::{
    Across, Arrangement, FloatAcross, FloatWidth, Lane, Permute, Shift, Vector2, Vector3, VectorFloat2,
    VectorFloat3, VectorLogic, VectorLong, VectorNarrow, VectorShift, VectorShiftLong, VectorShiftNarrow,
    VectorWide, Vreg, Width, bits,
};

named!(
    Vector3 VectorLogic VectorFloat3 Vector2 VectorFloat2 VectorLong VectorWide VectorNarrow Across FloatAcross Permute
    VectorShift VectorShiftLong VectorShiftNarrow
);

/// Those that have functions of their own.
const NAMES: &[&str] = &[
    "mov", "mvn", "ins", "dup", "umov", "smov", "ext", "tbl", "tbx", "movi", "mvni", "fcvtl", "fcvtl2",
    "fcvtn", "fcvtn2", "sxtl", "sxtl2", "uxtl", "uxtl2", "cmle", "cmlt", "cmlo", "cmls", "fcmle", "fcmlt",
];

pub(super) fn is_known(name: &str) -> bool {
    let narrow = name.strip_suffix('2').unwrap_or(name);
    let has_halves = VectorLong::named(narrow).is_some()
        || VectorWide::named(narrow).is_some()
        || VectorNarrow::named(narrow).is_some()
        || VectorShiftLong::named(narrow).is_some()
        || VectorShiftNarrow::named(narrow).is_some();
    is_in_tables(name) || NAMES.contains(&name) || has_halves
}

/// A mnemonic without the `2` of the upper half, and whether it was there.
fn half(name: &str) -> (&str, bool) {
    name.strip_suffix('2').map_or((name, false), |name| (name, true))
}

/// The lane of half the width.
const fn narrow(lane: Lane) -> Option<Lane> {
    match lane {
        Lane::B8 => None,
        Lane::B16 => Some(Lane::B8),
        Lane::B32 => Some(Lane::B16),
        Lane::B64 => Some(Lane::B32),
    }
}

/// Whether `wide` is a whole vector of lanes of twice the width.
fn is_wide(wide: Arrangement, lane: Lane) -> bool {
    wide.full && narrow(wide.lane) == Some(lane)
}

impl Assembler<'_, '_, '_> {
    pub(super) fn vector(&mut self, name: &str, operands: &[Operand<'_>]) -> Option<()> {
        use Operand::Vector as V;
        use Shape::All;
        match *operands {
            [V(d, All(td)), V(n, All(tn)), V(m, All(tm))] => self.vectors3(name, [td, tn, tm], [d, n, m]),
            [V(d, All(td)), V(n, All(tn))] => self.vectors2(name, [td, tn], [d, n]),
            [V(d, All(td)), V(n, All(tn)), V(m, All(tm)), ref byte] if name == "ext" => {
                let is_bytes = td.lane == Lane::B8 && [tn, tm] == [td; 2];
                let byte = self.below(byte, 16).filter(|_| is_bytes)?;
                self.encoder.extract_vector(td.full, d, n, m, byte);
                Some(())
            }
            [V(d, All(td)), V(n, All(tn)), ref number] => self.vectors_number(name, [td, tn], [d, n], number),
            [Operand::Float(width, d), V(n, All(t))] => self.across(name, width, d, n, t),
            [V(d, All(t)), Operand::List(List { first, count, shape, lane: None }), V(m, All(tm))] => {
                let table = Arrangement { lane: Lane::B8, full: true };
                if shape != All(table) || t.lane != Lane::B8 || tm != t {
                    return None;
                }
                match name {
                    "tbl" => {
                        self.encoder.table(t.full, d, first, count, m);
                        Some(())
                    }
                    "tbx" => {
                        self.encoder.table_extend(t.full, d, first, count, m);
                        Some(())
                    }
                    _ => None,
                }
            }
            _ => self.lanes(name, operands).or_else(|| self.immediate(name, operands)),
        }
    }

    fn vectors3(&mut self, name: &str, [td, tn, tm]: [Arrangement; 3], [d, n, m]: [Vreg; 3]) -> Option<()> {
        let e = &mut *self.encoder;
        if [tn, tm] == [td; 2] {
            if let Some(op) = VectorLogic::named(name).filter(|_| td.lane == Lane::B8) {
                return {
                    e.vector_logic(op, td.full, d, n, m);
                    Some(())
                };
            }
            if let Some(op) = Vector3::named(name) {
                return {
                    e.vector3(op, td, d, n, m);
                    Some(())
                };
            }
            if let Some(op) = VectorFloat3::named(name) {
                return {
                    e.vector_float3(op, td, d, n, m);
                    Some(())
                };
            }
            if let Some(op) = Permute::named(name) {
                return {
                    e.permute(op, td, d, n, m);
                    Some(())
                };
            }
            // Comparisons of the same with their sides exchanged.
            match name {
                "cmle" => {
                    return {
                        e.vector3(Vector3::Cmge, td, d, m, n);
                        Some(())
                    };
                }
                "cmlt" => {
                    return {
                        e.vector3(Vector3::Cmgt, td, d, m, n);
                        Some(())
                    };
                }
                "cmls" => {
                    return {
                        e.vector3(Vector3::Cmhs, td, d, m, n);
                        Some(())
                    };
                }
                "cmlo" => {
                    return {
                        e.vector3(Vector3::Cmhi, td, d, m, n);
                        Some(())
                    };
                }
                "fcmle" => {
                    return {
                        e.vector_float3(VectorFloat3::Fcmge, td, d, m, n);
                        Some(())
                    };
                }
                "fcmlt" => {
                    return {
                        e.vector_float3(VectorFloat3::Fcmgt, td, d, m, n);
                        Some(())
                    };
                }
                _ => {}
            }
        }
        let (name, high) = half(name);
        if let Some(op) = VectorLong::named(name).filter(|op| op.has_lane(tm.lane)) {
            let fits = tn == tm && is_wide(td, tm.lane) && tm.full == high;
            return fits.then(|| e.vector_long(op, tm.lane, high, d, n, m));
        }
        let op = VectorWide::named(name)?;
        let fits = tn == td && is_wide(td, tm.lane) && tm.full == high;
        fits.then(|| e.vector_wide(op, tm.lane, high, d, n, m))
    }

    fn vectors2(&mut self, name: &str, [td, tn]: [Arrangement; 2], [d, n]: [Vreg; 2]) -> Option<()> {
        let e = &mut *self.encoder;
        let is_zero = |op: Vector2| !op.zero().is_empty();
        if name == "mov" {
            let fits = td == tn && td.bits().is_some();
            return fits.then(|| e.vector_logic(VectorLogic::Orr, td.full, d, n, n));
        }
        let name = if name == "mvn" { "not" } else { name };
        if let Some(op) = Vector2::named(name).filter(|&op| !is_zero(op)) {
            let fits = match op.widens() {
                true => narrow(td.lane) == Some(tn.lane) && td.full == tn.full,
                false => td == tn,
            };
            return fits.then(|| e.vector2(op, tn, d, n));
        }
        if let Some(op) = VectorFloat2::named(name).filter(|op| op.zero().is_empty()) {
            return (td == tn).then(|| e.vector_float2(op, td, d, n));
        }
        let (name, high) = half(name);
        if let Some(op) = VectorNarrow::named(name) {
            let fits = is_wide(tn, td.lane) && td.full == high;
            return fits.then(|| e.vector_narrow(op, td.lane, high, d, n));
        }
        let is_float = |lane| matches!(lane, Lane::B16 | Lane::B32);
        match name {
            "fcvtl" if is_wide(td, tn.lane) && tn.full == high && is_float(tn.lane) => {
                e.fcvtl(high, FloatWidth::of_lane(tn.lane), d, n);
                Some(())
            }
            "fcvtn" if is_wide(tn, td.lane) && td.full == high && is_float(td.lane) => {
                e.fcvtn(high, FloatWidth::of_lane(td.lane), d, n);
                Some(())
            }
            "sxtl" | "uxtl" if is_wide(td, tn.lane) && tn.full == high => {
                let op = if name == "sxtl" { VectorShiftLong::Sshll } else { VectorShiftLong::Ushll };
                e.vector_shift_long(op, tn.lane, high, d, n, 0);
                Some(())
            }
            _ => None,
        }
    }

    /// Comparisons with zero, and shifts.
    fn vectors_number(
        &mut self,
        name: &str,
        [td, tn]: [Arrangement; 2],
        [d, n]: [Vreg; 2],
        number: &Operand<'_>,
    ) -> Option<()> {
        if is_zero(number) && td == tn {
            let op = Vector2::ALL.iter().find(|op| op.mnemonic() == name && !op.zero().is_empty());
            if let Some(&op) = op {
                return {
                    self.encoder.vector2(op, td, d, n);
                    Some(())
                };
            }
            let op = VectorFloat2::ALL.iter().find(|op| op.mnemonic() == name && !op.zero().is_empty());
            if let Some(&op) = op {
                return {
                    self.encoder.vector_float2(op, td, d, n);
                    Some(())
                };
            }
        }
        let amount = self.below(number, 65)?;
        let e = &mut *self.encoder;
        if let Some(op) = VectorShift::named(name) {
            return (td == tn).then(|| e.vector_shift(op, td, d, n, amount));
        }
        let (name, high) = half(name);
        if let Some(op) = VectorShiftLong::named(name) {
            let fits = is_wide(td, tn.lane) && tn.full == high;
            return fits.then(|| e.vector_shift_long(op, tn.lane, high, d, n, amount));
        }
        let op = VectorShiftNarrow::named(name)?;
        let fits = is_wide(tn, td.lane) && td.full == high;
        fits.then(|| e.vector_shift_narrow(op, td.lane, high, d, n, amount))
    }

    fn across(&mut self, name: &str, width: FloatWidth, d: Vreg, n: Vreg, t: Arrangement) -> Option<()> {
        if let Some(op) = FloatAcross::named(name) {
            let fits = width == FloatWidth::S && t == Arrangement { lane: Lane::B32, full: true };
            return fits.then(|| self.encoder.float_across(op, d, n));
        }
        let op = Across::named(name)?;
        let result = match op {
            Across::Saddlv | Across::Uaddlv => u32::from(width.size_log2()).checked_sub(1)?,
            _ => width.size_log2().into(),
        };
        (result == t.lane as u32).then(|| self.encoder.across(op, t, d, n))
    }

    /// Single lanes.
    fn lanes(&mut self, name: &str, operands: &[Operand<'_>]) -> Option<()> {
        use Operand::{Element, Float as F, Gpr as R, Vector as V};
        let e = &mut *self.encoder;
        let at = |index: i64| u8::try_from(index).ok();
        let holder = |lane| if lane == Lane::B64 { Width::X } else { Width::W };
        match (name, operands) {
            ("dup", &[V(d, Shape::All(t)), Element(n, lane, index)]) if lane == t.lane => {
                e.dup_lane(t, d, n, at(index)?);
                Some(())
            }
            ("dup", &[V(d, Shape::All(t)), R(n, width)]) if width == holder(t.lane) => {
                e.dup_gpr(t, d, n);
                Some(())
            }
            ("dup" | "mov", &[F(width, d), Element(n, lane, index)])
                if width == FloatWidth::of_lane(lane) =>
            {
                e.lane_to_scalar(lane, d, n, at(index)?);
                Some(())
            }
            ("mov" | "ins", &[Element(d, lane, index), R(n, width)]) if width == holder(lane) => {
                e.insert_gpr(lane, d, at(index)?, n);
                Some(())
            }
            ("mov" | "ins", &[Element(d, lane, index), Element(n, other, from)]) if lane == other => {
                e.insert_lane(lane, d, at(index)?, n, at(from)?);
                Some(())
            }
            ("mov", &[R(d, width), Element(n, lane @ (Lane::B32 | Lane::B64), index)])
            | ("umov", &[R(d, width), Element(n, lane, index)])
                if width == holder(lane) =>
            {
                e.lane_to_gpr(false, width, lane, d, n, at(index)?);
                Some(())
            }
            ("smov", &[R(d, width), Element(n, lane, index)]) if lane.bits() < width.bits() => {
                e.lane_to_gpr(true, width, lane, d, n, at(index)?);
                Some(())
            }
            _ => None,
        }
    }

    /// A number in all lanes, or an operation with it ("Advanced SIMD modified immediate").
    fn immediate(&mut self, name: &str, operands: &[Operand<'_>]) -> Option<()> {
        let (d, t, number, rest) = match operands {
            &[Operand::Float(FloatWidth::D, d), ref number] if name == "movi" => {
                (d, Arrangement { lane: Lane::B64, full: false }, number, &[][..])
            }
            [Operand::Vector(d, Shape::All(t)), number, rest @ ..] if t.lane != Lane::B64 || t.full => {
                (*d, *t, number, rest)
            }
            _ => return None,
        };
        real(number)?;
        let number = self.number(number)?;
        let (op, adds) = match name {
            "movi" => (0, 0),
            "mvni" => (1, 0),
            "orr" => (0, 1),
            "bic" => (1, 1),
            _ => return None,
        };
        let fields = match (t.lane, rest) {
            (Lane::B64, []) if name == "movi" => {
                let bytes = number.to_le_bytes();
                let is_mask = bytes.iter().all(|&byte| matches!(byte, 0 | 0xff));
                let bit = |(n, &byte): (usize, &u8)| u32::from(byte & 1) << n;
                is_mask.then(|| (1, 14, bytes.iter().enumerate().map(bit).sum::<u32>()))
            }
            (Lane::B8, []) if name == "movi" => {
                (-128..256).contains(&number).then_some((0, 14, number as u32 & 255))
            }
            (lane @ (Lane::B16 | Lane::B32), rest) => {
                let byte = u32::try_from(number).ok().filter(|&number| number < 256)?;
                let (is_word, word_mode) = (lane == Lane::B32, if lane == Lane::B32 { 0 } else { 8 });
                match *rest {
                    [] => Some((op, word_mode | adds, byte)),
                    [Operand::Change(Change::Shift(Shift::Lsl), Some(amount))] => {
                        let fits = amount % 8 == 0 && (0..i64::from(lane.bits())).contains(&amount);
                        fits.then_some((op, word_mode | (amount as u32 / 8) << 1 | adds, byte))
                    }
                    [Operand::Change(Change::ShiftOnes, Some(amount @ (8 | 16)))] if is_word && adds == 0 => {
                        Some((op, 12 | amount as u32 >> 4, byte))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        let (op, cmode, byte) = fields?;
        let word =
            bits!("0 Q o 0111100000 iii cccc 0 1 iiiii ddddd") | full_bit(t.full) | op << 29 | cmode << 12;
        self.word(word | (byte >> 5) << 16 | (byte & 31) << 5 | d.d());
        Some(())
    }
}
