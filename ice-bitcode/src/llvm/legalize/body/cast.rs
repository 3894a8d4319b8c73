//! Conversions (LLVM bitcode specification, section 11.3).
//!
//! All but the bit casts work lane by lane, so there is one routine for scalars. A bit cast between types of equal
//! parts renames them; any other goes through the bits of the whole value in limbs of 64 bits.

use ice_ir::{BinaryOp, CastOp, IntCond, Type, Value};

use super::integer::Sign;
use super::values::{Operand, Run};
use super::{Body, Checked, fail, unsupported};
use crate::error::Error;
use crate::llvm::legalize::legal::int_type;
use crate::llvm::legalize::shape::{Kind, Scalar, VectorShape};
use crate::llvm::wire::types::TypeId;

/// The flag `nneg` of `uitofp` and `zext`: the operand is not negative, or the result is poison.
const NOT_NEGATIVE: u64 = 1;
/// The opcodes of CAST for `uitofp` and `sitofp`.
const UITOFP: u64 = 5;
const SITOFP: u64 = 6;

/// Opcode numbers of CAST.
const OPCODES: [CastOp; 9] = [
    CastOp::Trunc,
    CastOp::Zext,
    CastOp::Sext,
    CastOp::Fptoui,
    CastOp::Fptosi,
    CastOp::Uitofp,
    CastOp::Sitofp,
    CastOp::Fptrunc,
    CastOp::Fpext,
];

impl Body<'_, '_> {
    /// CAST.
    pub(super) fn cast_record(&mut self) -> Checked<()> {
        let (a, to, opcode) = (self.vt()?, self.type_operand()?, self.op()?);
        let flags = self.optional();
        self.end()?;
        // Signed conversions are one instruction where unsigned ones are many.
        let is_signed = opcode == UITOFP && flags & NOT_NEGATIVE != 0;
        let result = self.convert(if is_signed { SITOFP } else { opcode }, a, to)?;
        self.define(result)
    }

    /// The conversion with this opcode; also of constant expressions.
    pub(super) fn convert(&mut self, opcode: u64, a: Operand, to: TypeId) -> Checked<Operand> {
        let (from_shape, to_shape) = (self.value_shape(a.ty)?, self.value_shape(to)?);
        let op = match opcode {
            0..=8 => OPCODES[opcode as usize],
            // Between pointers and integers: as wide as a pointer already, or cut or zero-extended.
            9 | 10 | 13 => {
                let bits = |kind| match kind {
                    Kind::Scalar(Scalar::Int(bits)) => bits,
                    Kind::Vector(vector) => vector.lane.bits(),
                    _ => 0,
                };
                match bits(from_shape.kind).cmp(&bits(to_shape.kind)) {
                    core::cmp::Ordering::Less => CastOp::Zext,
                    core::cmp::Ordering::Equal => CastOp::Bitcast,
                    core::cmp::Ordering::Greater => CastOp::Trunc,
                }
            }
            11 => CastOp::Bitcast,
            12 => return unsupported("a conversion between address spaces"),
            opcode => return fail(Error::UnknownCast { opcode }),
        };
        if op == CastOp::Bitcast {
            return self.bit_cast(a, to);
        }
        match (from_shape.kind, to_shape.kind) {
            (Kind::Scalar(from), Kind::Scalar(to_scalar)) => {
                check_cast(op, from, to_scalar)?;
                let has_quad = from == Scalar::Quad || to_scalar == Scalar::Quad;
                if from_shape.parts == 1 && to_shape.parts == 1 && !has_quad {
                    let value = self.narrow_cast(op, from, to_scalar, self.single(a))?;
                    return Ok(Operand { ty: to, first: value.as_u32() });
                }
                let a = self.run(a);
                let run = self.scalar_cast(op, from, to_scalar, a)?;
                Ok(self.operand(to, run))
            }
            (Kind::Vector(from), Kind::Vector(into)) if from.lanes == into.lanes => {
                check_cast(op, from.lane, into.lane)?;
                let a = self.run(a);
                let run = self.vector_cast(op, from, into, a)?;
                Ok(self.operand(to, run))
            }
            _ => fail(self.type_class(to, "what the operand can be converted to")),
        }
    }

    /// A conversion of a vector. Which vectors were extended is kept in mind.
    pub(super) fn vector_cast(
        &mut self,
        op: CastOp,
        from: VectorShape,
        to: VectorShape,
        a: Run,
    ) -> Checked<Run> {
        if op == CastOp::Trunc
            && let Some(run) = self.narrow_cut(from, to, a)?
        {
            return Ok(run);
        }
        if let Some(run) = self.extended_before(op, from, to, a) {
            return Ok(run);
        }
        let out = self.native_cast(op, from, to, a)?;
        self.note_extended(op, from, to, a, out);
        Ok(out)
    }

    /// At once where there are native vectors for it, else lane by lane.
    fn native_cast(&mut self, op: CastOp, from: VectorShape, to: VectorShape, a: Run) -> Checked<Run> {
        if let Some(run) = self.double_cast(op, from, to, a)? {
            return Ok(run);
        }
        if op == CastOp::Trunc
            && let Some(run) = self.saturated_cut(from, to, a)?
        {
            return Ok(run);
        }
        if let Some(run) = self.resized_cast(op, from, to, a)? {
            return Ok(run);
        }
        if let Some(run) = self.float_width_cast(op, from, to, a)? {
            return Ok(run);
        }
        if let (Some(x), Some(y)) = (from.native, to.native)
            && x.lanes() == y.lanes()
            && (matches!(op, CastOp::Trunc | CastOp::Zext | CastOp::Sext | CastOp::Sitofp | CastOp::Fptosi)
                || self.m.legal.machine().shuffles_lanes && matches!(op, CastOp::Uitofp | CastOp::Fptoui))
            && !matches!((op, x.element()), (CastOp::Sitofp | CastOp::Uitofp, Type::I1))
            && !matches!((op, y.element()), (CastOp::Fptosi | CastOp::Fptoui, Type::I1))
        {
            return Ok(self.cast_each(op, a, y));
        }
        let lanes = self.split_lanes(from, a);
        let each = from.lane.parts();
        let out = self.reserve(to.lanes * to.lane.parts());
        for i in 0..to.lanes {
            let lane = self.scalar_cast(op, from.lane, to.lane, lanes.part(i * each, each))?;
            self.copy(out, i * to.lane.parts(), lane);
        }
        Ok(self.join_lanes(to, out))
    }

    /// A conversion between scalars of any number of parts.
    pub(super) fn scalar_cast(&mut self, op: CastOp, from: Scalar, to: Scalar, a: Run) -> Checked<Run> {
        if from == Scalar::Quad || to == Scalar::Quad {
            return self.quad_cast(op, from, to, a);
        }
        if from.parts() == 1 && to.parts() == 1 {
            let value = self.narrow_cast(op, from, to, self.get(a, 0))?;
            return Ok(self.push(value));
        }
        match (from, to) {
            (Scalar::Extended, _) | (_, Scalar::Extended) => self.extended_cast(op, from, to, a),
            (Scalar::Int(_), Scalar::Int(bits)) if op == CastOp::Trunc => {
                let len = to.parts();
                if len > 1 {
                    return Ok(a.part(0, len));
                }
                let low = self.resize_zero(self.get(a, 0), int_type(bits));
                Ok(self.push(low))
            }
            (Scalar::Int(bits), Scalar::Int(_)) => {
                let sign = if op == CastOp::Sext { Sign::Signed } else { Sign::Unsigned };
                let a = self.limbs_of_int(bits, a, sign);
                Ok(self.wide_resize(a, to.parts(), sign))
            }
            (Scalar::Int(bits), to) => {
                let sign = if op == CastOp::Sitofp { Sign::Signed } else { Sign::Unsigned };
                let a = self.limbs_of_int(bits, a, sign);
                let ty = if to == Scalar::Double { Type::F64 } else { Type::F32 };
                let value = self.wide_to_float(sign, bits, a, ty)?;
                let value = self.float_round(to, value);
                Ok(self.push(value))
            }
            (from, Scalar::Int(bits)) => {
                let sign = if op == CastOp::Fptosi { Sign::Signed } else { Sign::Unsigned };
                let value = self.float_extend(from, self.get(a, 0));
                self.float_to_wide(sign, value, bits)
            }
            _ => unsupported("a conversion of this kind"),
        }
    }

    /// An integer in limbs, the last one extended.
    pub(super) fn limbs_of_int(&mut self, bits: u32, a: Run, sign: Sign) -> Run {
        if bits > 64 {
            return match sign {
                Sign::Signed => self.wide_sign_above(bits, a),
                Sign::Unsigned => self.wide_zero_above(bits, a),
            };
        }
        let value = self.get(a, 0);
        let value = self.extended(bits, value, sign, Type::I64);
        self.push(value)
    }

    /// An integer of `bits` bits, at most 64, extended or cut to `ty`.
    pub(super) fn extended(&mut self, bits: u32, value: Value, sign: Sign, ty: Type) -> Value {
        if ty == Type::I64
            && matches!(bits, 8 | 16 | 32)
            && let Some(sum) = self.extended_sum(bits, value, sign)
        {
            return sum;
        }
        let wide = match self.ty_of(value).bits() < ty.bits() {
            true => self.s.promoted.of(value, sign),
            false => None,
        };
        match sign {
            Sign::Signed if let Some(wide) = wide => self.resize_sign(wide, ty),
            Sign::Unsigned if let Some(wide) = wide => self.resize_zero(wide, ty),
            Sign::Signed => {
                let value = self.sign_above(value, bits);
                self.resize_sign(value, ty)
            }
            Sign::Unsigned => {
                let value = self.zero_above(value, bits);
                self.resize_zero(value, ty)
            }
        }
    }

    /// A conversion between scalars of one part.
    fn narrow_cast(&mut self, op: CastOp, from: Scalar, to: Scalar, value: Value) -> Checked<Value> {
        let ty = to.part();
        Ok(match (from, to) {
            (Scalar::Int(bits), Scalar::Int(_)) => match op {
                CastOp::Trunc => self.resize_zero(value, ty),
                CastOp::Sext => self.extended(bits, value, Sign::Signed, ty),
                _ => self.extended(bits, value, Sign::Unsigned, ty),
            },
            (Scalar::Int(bits), to) => {
                let float = if to == Scalar::Double { Type::F64 } else { Type::F32 };
                let wide = |bits| if bits <= 32 { Type::I32 } else { Type::I64 };
                let number = match op {
                    CastOp::Sitofp => {
                        let value = self.extended(bits, value, Sign::Signed, wide(bits));
                        self.cast(CastOp::Sitofp, value, float)
                    }
                    // With a spare bit the number is positive as a signed one too.
                    _ if bits != 32 && bits != 64 => {
                        let value = self.extended(bits, value, Sign::Unsigned, wide(bits));
                        self.cast(CastOp::Sitofp, value, float)
                    }
                    _ => self.cast(CastOp::Uitofp, value, float),
                };
                self.float_round(to, number)
            }
            (from, Scalar::Int(bits)) => {
                let value = self.float_extend(from, value);
                self.float_to_int(op, value, bits)
            }
            (from, to) => {
                let value = self.float_extend(from, value);
                match (self.ty_of(value), to) {
                    (Type::F32, Scalar::Double) => self.cast(CastOp::Fpext, value, Type::F64),
                    (Type::F64, Scalar::Float) => self.cast(CastOp::Fptrunc, value, Type::F32),
                    (Type::F64, Scalar::Half | Scalar::BFloat) => {
                        let value = self.double_to_float_odd(value);
                        self.float_round(to, value)
                    }
                    _ => self.float_round(to, value),
                }
            }
        })
    }

    /// `value`, an `f32` or `f64`, toward zero as an integer of at most 64 bits.
    pub(super) fn float_to_int(&mut self, op: CastOp, value: Value, bits: u32) -> Value {
        let ty = int_type(bits);
        let wide = if bits <= 32 { Type::I32 } else { Type::I64 };
        // With a spare bit the signed conversion serves both.
        let op = if bits == wide.bits() { op } else { CastOp::Fptosi };
        let number = self.cast(op, value, wide);
        self.resize_zero(number, ty)
    }

    // ---- bit casts

    /// The bits of `a`, unchanged, as a value of the type `to`.
    pub(super) fn bit_cast(&mut self, a: Operand, to: TypeId) -> Checked<Operand> {
        if a.ty == to {
            return Ok(a);
        }
        let (from_bits, to_bits) = (self.m.layouts.bits(a.ty)?, self.m.layouts.bits(to)?);
        if from_bits != to_bits {
            return fail(self.type_class(to, "a type of as many bits as the operand"));
        }
        let legal = &self.m.legal;
        let (from_parts, to_parts) = (legal.parts(a.ty)?, legal.parts(to)?);
        let renames =
            |x: Type, y: Type| x == y || x.bits() == y.bits() && !has_bool_lanes(x) && !has_bool_lanes(y);
        let is_renaming = from_parts.len() == to_parts.len()
            && from_parts.iter().zip(to_parts).all(|(x, y)| {
                renames(x.ty, y.ty) && x.bits == y.bits && (x.offset, x.shift) == (y.offset, y.shift)
            });
        if is_renaming {
            let from = self.run(a);
            if let Kind::Vector(vector) = self.kind(to)
                && let Some(double) = self.double_of(vector, from.len)
                && vector.lane != Scalar::Quad
                && !has_bool_lanes(double)
            {
                let run = self.by_doubles(from.len / 2, [from], |cx, [x]| Ok(cx.bits_as(x, double)))?;
                return Ok(self.operand(to, run));
            }
            let out = self.reserve(from.len);
            for (i, part) in (0..from.len).zip(to_parts) {
                let value = self.bits_as(self.get(from, i), part.ty);
                self.set(out, i, value);
            }
            return Ok(self.operand(to, out));
        }
        if let (Kind::Vector(vector), Kind::Scalar(Scalar::Int(32))) = (self.kind(a.ty), self.kind(to))
            && self.double(vector.native) == Some(Type::V32I1)
        {
            let parts = self.run(a);
            let run = self.by_doubles(1, [parts], |cx, [x]| Ok(cx.bits_as(x, Type::I32)))?;
            return Ok(self.operand(to, run));
        }
        let run = match self.short_as_number(a, to)? {
            Some(value) => self.push(value),
            None => {
                let limbs = self.split_limbs(a)?;
                self.join_limbs(to, limbs)?
            }
        };
        Ok(self.operand(to, run))
    }

    /// The bits of a short vector that are a number of 32 or 64, or the other way round.
    fn short_as_number(&mut self, a: Operand, to: TypeId) -> Checked<Option<Value>> {
        let is_number = |ty: Type| matches!(ty, Type::I32 | Type::I64 | Type::F32 | Type::F64);
        let fills = |scalar: Scalar| is_number(scalar.part()) && scalar.bits() == scalar.part().bits();
        Ok(match (self.kind(a.ty), self.kind(to)) {
            (Kind::Vector(vector), Kind::Scalar(scalar)) if vector.is_short() && fills(scalar) => {
                Some(self.number_at(self.single(a), scalar.part(), 0)?)
            }
            (Kind::Scalar(scalar), Kind::Vector(vector)) if vector.is_short() && fills(scalar) => {
                match vector.native {
                    Some(native) => Some(self.first_lane(self.single(a), native)?),
                    None => None,
                }
            }
            _ => None,
        })
    }

    /// The bits of a scalar or vector in limbs of 64; those above the last bit are unspecified.
    pub(super) fn split_limbs(&mut self, a: Operand) -> Checked<Run> {
        let run = self.run(a);
        let (lanes, lane, count) = match self.kind(a.ty) {
            Kind::Scalar(Scalar::Quad) | Kind::Vector(VectorShape { lane: Scalar::Quad, .. }) => {
                return Ok(self.quad_halves(run));
            }
            Kind::Scalar(scalar) => (run, scalar, 1),
            Kind::Vector(vector) => match vector.native.filter(|&native| self.has_packed_form(native)) {
                Some(native) => {
                    let numbers = self.reserve(run.len);
                    for i in 0..run.len {
                        let number = self.packed_booleans(self.get(run, i), native);
                        self.set(numbers, i, number);
                    }
                    (numbers, Scalar::Int(native.lanes()), run.len)
                }
                None if vector.is_short() => {
                    let limbs = self.reserve((vector.lanes * vector.lane.bits()).div_ceil(64));
                    for i in 0..limbs.len {
                        let limb = self.number_at(self.get(run, 0), Type::I64, i)?;
                        self.set(limbs, i, limb);
                    }
                    return Ok(limbs);
                }
                None => (self.split_lanes(vector, run), vector.lane, vector.lanes),
            },
            _ => return fail(self.type_class(a.ty, "a scalar or a vector")),
        };
        Ok(self.pack(lane, count, lanes))
    }

    /// Whether booleans of this type become a number, a bit each, by less than an operation for each.
    fn has_packed_form(&self, native: Type) -> bool {
        packed_type(native).is_some()
            || matches!(native, Type::V2I1 | Type::V4I1) && self.m.legal.machine().shuffles_lanes
    }

    /// The bits of booleans as the low bits of a number; those above the last are unspecified.
    fn packed_booleans(&mut self, booleans: Value, native: Type) -> Value {
        if let Some(number) = packed_type(native) {
            return self.cast(CastOp::Bitcast, booleans, number);
        }
        // Each is all bits of its lane, and so of the bytes of that.
        let lanes = if native == Type::V2I1 { Type::V2I64 } else { Type::V4I32 };
        let lanes = self.cast(CastOp::Sext, booleans, lanes);
        let bytes = self.bits_as(lanes, Type::V16I8);
        let zero = self.splat(Type::V16I8, 0);
        let signs = self.icmp(IntCond::Slt, bytes, zero);
        let signs = self.cast(CastOp::Bitcast, signs, Type::I16);
        let signs = self.resize_zero(signs, Type::I32);
        match native {
            // Bits 7 and 8 of 16 that are eight times each.
            Type::V2I1 => self.bin_int(BinaryOp::Lshr, signs, 7),
            // Bits 0, 5, 10 and 15 of 16 that are four times each: 12 to 15 of the product, with nothing carried there.
            _ => {
                let single = self.bin_int(BinaryOp::And, signs, 0x8421);
                let product = self.bin_int(BinaryOp::Mul, single, 0x1111);
                self.bin_int(BinaryOp::Lshr, product, 12)
            }
        }
    }

    /// Lanes one after another as limbs of 64 bits.
    pub(super) fn pack(&mut self, lane: Scalar, count: u32, lanes: Run) -> Run {
        let bits = lane.bits();
        let total = u64::from(bits) * u64::from(count);
        let out = self.reserve(total.div_ceil(64) as u32);
        let mut at = 0u64;
        let mut filled = 0;
        let mut current: Option<Value> = None;
        for i in 0..lanes.len {
            let value = self.float_bits(self.get(lanes, i));
            let within = i % lane.parts();
            let width = (bits - within * 64).min(64);
            let value = self.zero_above(value, width);
            let value = self.resize_zero(value, Type::I64);
            let shift = (at % 64) as u32;
            current = Some(match current {
                None => value,
                Some(low) => {
                    let high = self.bin_int(BinaryOp::Shl, value, shift.into());
                    self.bin(BinaryOp::Or, low, high)
                }
            });
            at += u64::from(width);
            if shift + width >= 64 {
                if let Some(full) = current.take() {
                    self.set(out, filled, full);
                    filled += 1;
                }
                if shift + width > 64 {
                    current = Some(self.bin_int(BinaryOp::Lshr, value, (64 - shift).into()));
                }
            }
        }
        if let Some(rest) = current {
            self.set(out, filled, rest);
        }
        out
    }

    /// A value of `ty`, a scalar or vector, from its bits.
    pub(super) fn join_limbs(&mut self, ty: TypeId, limbs: Run) -> Checked<Run> {
        match self.kind(ty) {
            Kind::Scalar(Scalar::Quad) | Kind::Vector(VectorShape { lane: Scalar::Quad, .. }) => {
                Ok(self.quads_of(limbs))
            }
            Kind::Scalar(scalar) => Ok(self.unpack(scalar, 1, limbs)),
            Kind::Vector(vector) => {
                if let Some(native) = vector.native
                    && let Some(number) = packed_type(native)
                {
                    let count = vector.lanes / native.lanes();
                    let run = self.unpack(Scalar::Int(number.bits()), count, limbs);
                    for i in 0..count {
                        let booleans = self.cast(CastOp::Bitcast, self.get(run, i), native);
                        self.set(run, i, booleans);
                    }
                    return Ok(run);
                }
                if let Some(native) = vector.native.filter(|_| vector.is_short()) {
                    let high = (limbs.len > 1).then(|| self.get(limbs, 1));
                    let value = self.of_numbers(self.get(limbs, 0), high, native)?;
                    return Ok(self.push(value));
                }
                let lanes = self.unpack(vector.lane, vector.lanes, limbs);
                Ok(self.join_lanes(vector, lanes))
            }
            _ => fail(self.type_class(ty, "a scalar or a vector")),
        }
    }

    /// The lanes in limbs of 64 bits.
    pub(super) fn unpack(&mut self, lane: Scalar, count: u32, limbs: Run) -> Run {
        let bits = lane.bits();
        let out = self.reserve(count * lane.parts());
        let mut at = 0u64;
        for i in 0..out.len {
            let within = i % lane.parts();
            let width = (bits - within * 64).min(64);
            let (limb, shift) = ((at / 64) as u32, (at % 64) as u32);
            let mut value = self.get(limbs, limb);
            if shift != 0 {
                value = self.bin_int(BinaryOp::Lshr, value, shift.into());
                if shift + width > 64 {
                    let high = self.get(limbs, limb + 1);
                    let high = self.bin_int(BinaryOp::Shl, high, (64 - shift).into());
                    value = self.bin(BinaryOp::Or, value, high);
                }
            }
            let part = if lane.parts() > 1 { Type::I64 } else { lane.part() };
            let value = match part {
                Type::F32 => {
                    let low = self.resize_zero(value, Type::I32);
                    self.bits_as(low, Type::F32)
                }
                Type::F64 => self.bits_as(value, Type::F64),
                part => self.resize_zero(value, part),
            };
            self.set(out, i, value);
            at += u64::from(width);
        }
        out
    }
}

/// The number that native booleans are bit by bit.
const fn packed_type(native: Type) -> Option<Type> {
    match native {
        Type::V8I1 => Some(Type::I8),
        Type::V16I1 => Some(Type::I16),
        _ => None,
    }
}

fn has_bool_lanes(ty: Type) -> bool {
    ty.is_bool_or_bool_vector()
}

/// Whether the conversion exists between these scalars.
fn check_cast(op: CastOp, from: Scalar, to: Scalar) -> Checked<()> {
    let (a, b) = (from.is_float(), to.is_float());
    let is_legal = match op {
        CastOp::Trunc => !a && !b && from.bits() > to.bits(),
        CastOp::Zext | CastOp::Sext => !a && !b && from.bits() < to.bits(),
        CastOp::Fptoui | CastOp::Fptosi => a && !b,
        CastOp::Uitofp | CastOp::Sitofp => !a && b,
        CastOp::Fptrunc => a && b && from.bits() > to.bits(),
        CastOp::Fpext => a && b && from.bits() < to.bits(),
        CastOp::Bitcast => true,
    };
    match is_legal {
        true => Ok(()),
        false => fail(Error::CastTypes { operation: op.name(), from: from.part(), to: to.part() }),
    }
}
