//! Arithmetic on values: every operator lane by lane on plain bits, with taint.
//!
//! A [`Slot`] holds any value: a scalar in `lo`, zero-extended from its width (floats by their bits), a
//! vector in `lo` and `hi`, lane 0 in the lowest bits; a boolean vector has one bit a lane in `lo`. Taint is
//! kept by lane: bits 0–15 say that the format leaves the lane undefined, bits 16–31 that the lane is a NaN
//! whose sign and payload are unspecified. The second kind turns into the first where the bits are looked
//! at as an integer, and vanishes where only "is a NaN" matters. Taint is conservative: an operation on an
//! undefined lane gives an undefined lane, even where every choice gives the same result (`and x, 0`).
//!
//! Undefined cases have fixed results: shift amounts are masked to the width, MIN / -1 is MIN and MIN % -1
//! is 0, conversions to integers saturate and take NaN to 0.

use ice_ir::{BinaryOp, CastOp, FloatCond, IntCond, Type};

/// Taint bits of undefined lanes.
pub(super) const UNDEFINED: u32 = 0xffff;
/// The taint bit of an undefined lane 0.
pub(super) const LANE: u32 = 1;
/// The taint bit of an unspecified NaN in lane 0.
pub(super) const NAN: u32 = 1 << 16;

/// A value of any type with its taint.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub lo: u64,
    pub hi: u64,
    pub taint: u32,
}

impl Slot {
    #[inline(always)]
    pub const fn new(lo: u64, taint: u32) -> Slot {
        Slot { lo, hi: 0, taint }
    }

    pub const fn wide(bits: u128, taint: u32) -> Slot {
        Slot { lo: bits as u64, hi: (bits >> 64) as u64, taint }
    }

    pub const fn bits(self, ty: Type) -> u128 {
        match ty.bits() {
            128 => self.lo as u128 | (self.hi as u128) << 64,
            _ => self.lo as u128,
        }
    }

    /// Lane `i` of a value of type `ty`, zero-extended.
    pub fn lane(self, ty: Type, i: u32) -> u64 {
        if !ty.is_vector() {
            return self.lo;
        }
        let width = ty.element().bits();
        (self.bits(ty) >> (i * width)) as u64 & mask(width)
    }

    /// The taint of lane `i`, moved to lane 0.
    pub const fn lane_taint(self, i: u32) -> u32 {
        self.taint >> i & (LANE | NAN)
    }

    /// The vector `self` of type `ty` with `bits` and `taint` in lane `i`.
    pub fn with_lane(self, ty: Type, i: u32, bits: u64, taint: u32) -> Slot {
        let width = ty.element().bits();
        let shift = i * width;
        let hole = u128::from(mask(width)) << shift;
        let all = self.bits(ty) & !hole | u128::from(bits) << shift;
        Slot::wide(all, self.taint & !((LANE | NAN) << i) | taint << i)
    }
}

/// All lanes of `ty` undefined.
pub(super) const fn all_lanes(ty: Type) -> u32 {
    (1 << ty.lanes()) - 1
}

/// `width` ones; `width` is 1 to 64.
pub(super) const fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// The bits of a scalar integer type, sign-extended.
pub(super) const fn signed(ty: Type, bits: u64) -> i64 {
    ty.sign_extend(bits as i64)
}

/// An integer division by zero.
pub(super) struct DivideByZero;

fn f32_result(x: f32) -> (u64, u32) {
    (u64::from(x.to_bits()), if x.is_nan() { NAN } else { 0 })
}

fn f64_result(x: f64) -> (u64, u32) {
    (x.to_bits(), if x.is_nan() { NAN } else { 0 })
}

/// A float lane, widened exactly.
fn float(ty: Type, bits: u64) -> f64 {
    match ty {
        Type::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// Applies `f` to every lane of two values of type `ty`; results have type `to`.
fn lanes<E>(
    (ty, to): (Type, Type),
    (a, b): (Slot, Slot),
    mut f: impl FnMut(u64, u64) -> Result<(u64, u32), E>,
) -> Result<Slot, E> {
    let inherited = (a.taint | b.taint) & UNDEFINED;
    if !ty.is_vector() {
        let (bits, taint) = f(a.lo, b.lo)?;
        return Ok(Slot::new(bits, inherited | taint));
    }
    let mut result = Slot::new(0, inherited);
    for i in 0..ty.lanes() {
        let (bits, taint) = f(a.lane(ty, i), b.lane(ty, i))?;
        result = result.with_lane(to, i, bits, taint | inherited >> i & LANE);
    }
    Ok(result)
}

/// `op a, b` on values of type `ty`.
pub(super) fn binary(op: BinaryOp, ty: Type, a: Slot, b: Slot) -> Result<Slot, DivideByZero> {
    let element = ty.element();
    lanes((ty, ty), (a, b), |a, b| match op.is_float() {
        true => Ok(float_binary(op, element, a, b)),
        false => int_binary(op, element, a, b),
    })
}

fn int_binary(op: BinaryOp, ty: Type, a: u64, b: u64) -> Result<(u64, u32), DivideByZero> {
    use BinaryOp::*;
    if op.is_division() && b == 0 {
        return Err(DivideByZero);
    }
    let width = ty.bits();
    let amount = (b & u64::from(width - 1)) as u32;
    let (sa, sb) = (signed(ty, a), signed(ty, b));
    let overflow = sb == -1 && a == 1 << (width - 1);
    let bits = match op {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        Udiv => a / b,
        Urem => a % b,
        Sdiv => sa.wrapping_div(sb) as u64,
        Srem => sa.wrapping_rem(sb) as u64,
        Shl => a << amount,
        Lshr => a >> amount,
        Ashr => (sa >> amount) as u64,
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Fadd | Fsub | Fmul | Fdiv | Frem => 0,
    };
    let undefined = match op {
        Sdiv | Srem => overflow,
        Shl | Lshr | Ashr => b >= u64::from(width),
        _ => false,
    };
    Ok((bits & mask(width), u32::from(undefined)))
}

fn float_binary(op: BinaryOp, ty: Type, a: u64, b: u64) -> (u64, u32) {
    macro_rules! by_op {
        ($a:expr, $b:expr) => {{
            let (a, b) = ($a, $b);
            match op {
                BinaryOp::Fadd => a + b,
                BinaryOp::Fsub => a - b,
                BinaryOp::Fmul => a * b,
                BinaryOp::Fdiv => a / b,
                _ => a % b,
            }
        }};
    }
    match ty {
        Type::F32 => f32_result(by_op!(f32::from_bits(a as u32), f32::from_bits(b as u32))),
        _ => f64_result(by_op!(f64::from_bits(a), f64::from_bits(b))),
    }
}

/// `icmp cond a, b` on values of type `ty`.
pub(super) fn icmp(cond: IntCond, ty: Type, a: Slot, b: Slot) -> Slot {
    let element = ty.element();
    total(lanes((ty, ty.compare_result()), (a, b), |a, b| {
        let holds = cond.holds((signed(element, a), a), (signed(element, b), b));
        Ok((u64::from(holds), 0))
    }))
}

/// `fcmp cond a, b` on values of type `ty`.
pub(super) fn fcmp(cond: FloatCond, ty: Type, a: Slot, b: Slot) -> Slot {
    let element = ty.element();
    total(lanes((ty, ty.compare_result()), (a, b), |a, b| {
        Ok((u64::from(cond.holds(float(element, a), float(element, b))), 0))
    }))
}

/// The result of an operation that cannot fail.
fn total(result: Result<Slot, core::convert::Infallible>) -> Slot {
    match result {
        Ok(slot) => slot,
        Err(never) => match never {},
    }
}

/// `op a to to`, where `a` has type `from`.
pub(super) fn cast(op: CastOp, from: Type, to: Type, a: Slot) -> Slot {
    if op == CastOp::Bitcast {
        return bitcast(from, to, a);
    }
    let (f, t) = (from.element(), to.element());
    total(lanes((from, to), (a, Slot::default()), |a, _| Ok(cast_lane(op, f, t, a))))
}

fn cast_lane(op: CastOp, from: Type, to: Type, a: u64) -> (u64, u32) {
    use CastOp::*;
    match op {
        Trunc => (a & to.int_mask(), 0),
        Zext | Bitcast => (a, 0),
        Sext => (signed(from, a) as u64 & to.int_mask(), 0),
        Fptoui => {
            let x = float(from, a);
            // 2^width is exact in a double; everything above -1 truncates to 0 or more.
            let undefined = !(x > -1.0 && x < power_of_two(to.bits()));
            ((x as u64).min(to.int_mask()), u32::from(undefined))
        }
        Fptosi => {
            let x = float(from, a);
            let limit = power_of_two(to.bits() - 1);
            // -2^63 - 1 is no double, but no double lies between it and -2^63 either.
            let above = if to == Type::I64 { x >= -limit } else { x > -limit - 1.0 };
            let (low, high) = (-(1i128 << (to.bits() - 1)), (1i128 << (to.bits() - 1)) - 1);
            let bits = i128::from(x as i64).clamp(low, high) as u64 & to.int_mask();
            (bits, u32::from(!(above && x < limit)))
        }
        Uitofp => match to {
            Type::F32 => f32_result(a as f32),
            _ => f64_result(a as f64),
        },
        Sitofp => match to {
            Type::F32 => f32_result(signed(from, a) as f32),
            _ => f64_result(signed(from, a) as f64),
        },
        Fptrunc => f32_result(f64::from_bits(a) as f32),
        Fpext => f64_result(f64::from(f32::from_bits(a as u32))),
    }
}

/// 2 to the power of `exponent`, exactly.
const fn power_of_two(exponent: u32) -> f64 {
    f64::from_bits((1023 + exponent as u64) << 52)
}

fn bitcast(from: Type, to: Type, a: Slot) -> Slot {
    let taint = match from.is_float_or_float_vector() == to.is_float_or_float_vector() {
        true => a.taint,
        false => (a.taint | a.taint >> 16) & UNDEFINED,
    };
    let taint = match (from.lanes(), to.lanes()) {
        (n, m) if n == m => taint,
        (_, 1) => u32::from(taint != 0),
        // Every lane taints the lanes that it overlaps.
        (n, m) => (0..m).fold(0, |mapped, lane| {
            let (first, last) = (lane * n / m, ((lane + 1) * n - 1) / m);
            mapped | u32::from((first..=last).any(|i| taint >> i & LANE != 0)) << lane
        }),
    };
    Slot { taint, ..a }
}

/// Picks by a scalar condition.
#[inline(always)]
pub(super) fn select(cond: Slot, if_true: Slot, if_false: Slot, ty: Type) -> Slot {
    let mut picked = if cond.lo & 1 != 0 { if_true } else { if_false };
    if cond.taint != 0 {
        picked.taint = all_lanes(ty);
    }
    picked
}

/// Picks lane by lane.
pub(super) fn select_lanes(cond: Slot, if_true: Slot, if_false: Slot, ty: Type) -> Slot {
    let mut result = Slot::default();
    for i in 0..ty.lanes() {
        let from = if cond.lo >> i & 1 != 0 { if_true } else { if_false };
        let taint = from.lane_taint(i) | cond.taint >> i & LANE;
        result = result.with_lane(ty, i, from.lane(ty, i), taint);
    }
    result
}

/// Reverses the bytes of a scalar of type `ty`.
pub(super) fn bswap(ty: Type, a: u64) -> u64 {
    a.swap_bytes() >> (64 - ty.bits())
}

/// Leading zeros of a scalar of type `ty`; the width for 0.
pub(super) fn ctlz(ty: Type, a: u64) -> u64 {
    u64::from(a.leading_zeros() - (64 - ty.bits()))
}

/// Trailing zeros of a scalar of type `ty`; the width for 0.
pub(super) fn cttz(ty: Type, a: u64) -> u64 {
    u64::from(a.trailing_zeros().min(ty.bits()))
}

/// Clears every sign bit.
pub(super) fn fabs(ty: Type, a: Slot) -> Slot {
    let mut result = a;
    for i in 0..ty.lanes() {
        let bits = a.lane(ty, i) & mask(ty.element().bits() - 1);
        result = result.with_lane(ty, i, bits, a.lane_taint(i));
    }
    result
}

/// IEEE square root of a value of type `ty`, lane by lane.
pub(super) fn sqrt(ty: Type, a: Slot) -> Slot {
    let element = ty.element();
    total(lanes((ty, ty), (a, a), |a, _| {
        let root = square_root(float(element, a));
        Ok(match element {
            // Rounding twice is harmless: 53 bits are more than 2 * 24 + 1.
            Type::F32 => f32_result(root as f32),
            _ => f64_result(root),
        })
    }))
}

/// The correctly rounded square root, by an integer square root of the mantissa (`core` has no `sqrt`).
fn square_root(x: f64) -> f64 {
    if x == 0.0 || x.is_nan() || x == f64::INFINITY {
        return x;
    }
    if x < 0.0 {
        return f64::NAN;
    }
    let bits = x.to_bits();
    let (mut mantissa, mut exponent) = (bits & mask(52), (bits >> 52) as i32);
    if exponent == 0 {
        let shift = mantissa.leading_zeros() - 11;
        mantissa <<= shift;
        exponent = 1 - shift as i32;
    } else {
        mantissa |= 1 << 52;
    }
    // x = mantissa * 2^exponent with an even exponent.
    exponent -= 1075;
    if exponent & 1 != 0 {
        mantissa <<= 1;
        exponent -= 1;
    }
    // 55 bits of root and one that says whether something was lost: the conversion rounds correctly.
    let square = u128::from(mantissa) << 56;
    let root = square.isqrt();
    let sticky = u64::from(root * root != square);
    let scaled = (root as u64) << 1 | sticky;
    scaled as f64 * f64::from_bits((((exponent - 56) / 2 - 1 + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn square_roots_are_correctly_rounded() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let check = |bits: u64| {
            let x = f64::from_bits(bits & (u64::MAX >> 1));
            let root = sqrt(Type::F64, Slot::new(x.to_bits(), 0));
            assert_eq!(root.lo, x.sqrt().to_bits(), "sqrt({x:e})");
            let y = f32::from_bits(bits as u32 & 0x7fff_ffff);
            let root = sqrt(Type::F32, Slot::new(u64::from(y.to_bits()), 0));
            if !y.is_nan() {
                assert_eq!(root.lo as u32, y.sqrt().to_bits(), "sqrt({y:e})");
            }
        };
        for x in [0.0f64, 1.0, 2.0, 4.0, f64::MIN_POSITIVE, f64::MAX, f64::INFINITY, 5e-324] {
            check(x.to_bits());
        }
        for _ in 0..100_000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            check(state & !((u64::from(state & 15 == 0) * 0x7ff) << 52) & !(1 << 52));
        }
        assert!(square_root(-1.0).is_nan());
        assert_eq!(square_root(-0.0).to_bits(), (-0.0f64).to_bits());
    }

    #[test]
    fn bitcasts_carry_taint_to_the_bytes_they_cover() {
        // Lane 1 of v4i32 covers lanes 2 and 3 of v8i16 and 4 to 7 of v16i8.
        let a = Slot { lo: 0, hi: 0, taint: 0b0010 };
        assert_eq!(cast(CastOp::Bitcast, Type::V4I32, Type::V8I16, a).taint, 0b1100);
        assert_eq!(cast(CastOp::Bitcast, Type::V4I32, Type::V16I8, a).taint, 0xf0);
        let b = Slot { lo: 0, hi: 0, taint: 0x40 };
        assert_eq!(cast(CastOp::Bitcast, Type::V16I8, Type::V4F32, b).taint, 0b0010);
        assert_eq!(cast(CastOp::Bitcast, Type::V16I1, Type::I16, b).taint, 1);
        assert_eq!(cast(CastOp::Bitcast, Type::I16, Type::V16I1, Slot::new(0, 1)).taint, 0xffff);
        let nan = Slot { lo: 0, hi: 0, taint: NAN << 3 };
        assert_eq!(cast(CastOp::Bitcast, Type::V4F32, Type::V4I32, nan).taint, 0b1000);
    }
}
