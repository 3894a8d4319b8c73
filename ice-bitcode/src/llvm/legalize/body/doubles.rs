//! Vectors of 256 bits as wholes, in functions for processors that compute with them (AVX2 of x86).
//!
//! A vector of 256 bits and more has parts of 128 bits everywhere. An operation that the machine has for 256 bits is done once
//! for two of them: they are joined, and the halves of the result are its parts. To join the halves of one vector gives that
//! vector, and a half that nobody uses is no code, so that vectors which go from one such operation to the next stay whole,
//! and whatever has no such operation works on parts as ever. What the machine has is said here, once.
//!
//! Phis are of wholes, too. Their halves follow the phis of the block; what is joined for them stands in front of the
//! terminators of the predecessors.

use ice_ir::{BinaryOp, Block, CastOp, InstData, Intrinsic, Type, Value};

use super::values::{Operand, Run};
use super::{Body, Checked};
use crate::llvm::legalize::legal::Part;
use crate::llvm::legalize::shape::{Kind, Scalar, VectorShape};
use crate::llvm::wire::attributes::FunctionFlags;

/// Most steps of a conversion: from 8 to 64 bits, and to a float.
const MAX_STEPS: usize = 4;

/// A half of a phi of 256 bits that is to follow the phis: the phi, which half, the value that is announced for it.
#[derive(Clone, Copy)]
pub(super) struct PhiHalf {
    phi: Value,
    half: u8,
    value: Value,
}

/// Whether a conversion is one of the machine, from and to whole vectors of 256 bits or the 128 bits with as many lanes.
fn converts(op: CastOp, from: Type, to: Type) -> bool {
    use CastOp::*;
    use Type::*;
    match op {
        Zext | Sext => matches!(
            (from, to),
            (V16I8, V16I16)
                | (V8I16, V8I32)
                | (V4I32, V4I64)
                | (V32I1, V32I8)
                | (V16I1, V16I16)
                | (V8I1, V8I32)
                | (V4I1, V4I64)
        ),
        Trunc => matches!((from, to), (V16I16, V16I8) | (V8I32, V8I16) | (V4I64, V4I32)),
        Sitofp => matches!((from, to), (V8I32, V8F32) | (V4I32, V4F64)),
        Uitofp => matches!((from, to), (V8I32, V8F32)),
        Fptosi => matches!((from, to), (V8F32, V8I32) | (V4F64, V4I32)),
        Fpext => matches!((from, to), (V4F32, V4F64)),
        Fptrunc => matches!((from, to), (V4F64, V4F32)),
        Fptoui | Bitcast => false,
    }
}

impl Body<'_, '_> {
    /// The vector of 256 bits of which parts of this type are the halves, if the function computes with such.
    #[inline]
    pub(super) fn double(&self, native: Option<Type>) -> Option<Type> {
        match self.s.flags.has(FunctionFlags::WIDE_INTEGERS) && self.m.legal.machine().has_wide_registers {
            true => native?.double(),
            false => None,
        }
    }

    /// The same of the parts of a vector, of which there are an even number.
    pub(super) fn double_of(&self, vector: VectorShape, parts: u32) -> Option<Type> {
        self.double(vector.native).filter(|_| parts >= 2 && parts.is_multiple_of(2))
    }

    /// Whether comparisons of two parts at once give booleans that are one part of `mask`, or two of 16.
    pub(super) fn has_double_mask(&self, vector: VectorShape, parts: u32, mask: VectorShape) -> bool {
        self.double_of(vector, parts).is_some_and(|double| {
            let is_mask = |ty| ty == double.compare_result() || double == Type::V32I8;
            double != Type::V32I1 && mask.native.is_some_and(is_mask)
        })
    }

    /// Parts `2n` and `2n + 1` as one vector.
    pub(super) fn joined(&mut self, parts: Run, n: u32, ty: Type) -> Value {
        let halves = [self.get(parts, 2 * n), self.get(parts, 2 * n + 1)];
        // What has become another type half by half becomes it whole.
        let before = |half| match *self.b.func.inst(self.b.func.defining_inst(half)?) {
            InstData::Cast { op: CastOp::Bitcast, arg } => Some((arg, self.ty_of(arg).double()?)),
            _ => None,
        };
        if let [Some((low, of)), Some((high, also))] = halves.map(before)
            && of == also
            && of != ty
        {
            let whole = self.b.join([low, high], of);
            return self.bits_as(whole, ty);
        }
        self.b.join(halves, ty)
    }

    /// What `f` gives for each of `count` vectors of 256 bits, from inputs that have two parts for each, which are joined, or
    /// one. A result of 256 bits is two parts.
    pub(super) fn by_doubles<const N: usize>(
        &mut self,
        count: u32,
        inputs: [Run; N],
        mut f: impl FnMut(&mut Self, [Value; N]) -> Checked<Value>,
    ) -> Checked<Run> {
        let mut out = Run { start: 0, len: 0 };
        for n in 0..count {
            let mut values = [Value::from_u32(0); N];
            for (value, input) in values.iter_mut().zip(inputs) {
                *value = match input.len == count {
                    true => self.get(input, n),
                    false => {
                        let low = self.get(input, 2 * n);
                        let ty = self.ty_of(low);
                        let ty = ty.double().unwrap_or(ty);
                        self.joined(input, n, ty)
                    }
                };
            }
            let result = f(self, values)?;
            let half = self.ty_of(result).half();
            if n == 0 {
                out = self.reserve(if half.is_some() { 2 * count } else { count });
            }
            match half {
                Some(ty) => {
                    // The lower half last: its register may be that of the whole, which ends there.
                    for half in [1, 0] {
                        let value = self.b.half(result, half, ty);
                        self.set(out, 2 * n + u32::from(half), value);
                    }
                }
                None => self.set(out, n, result),
            }
        }
        Ok(out)
    }

    /// What `f` gives for each part of inputs of one type: for two at once where they are a vector of 256 bits.
    pub(super) fn by_wholes<const N: usize>(
        &mut self,
        inputs: [Run; N],
        f: impl FnMut(&mut Self, [Value; N]) -> Checked<Value>,
    ) -> Checked<Run> {
        let parts = inputs[0];
        let has_double = self.double(Some(self.ty_of(self.get(parts, 0)))).is_some();
        let is_double = has_double && parts.len.is_multiple_of(2);
        self.by_doubles(if is_double { parts.len / 2 } else { parts.len }, inputs, f)
    }

    // ---- operators

    /// An operator on vectors, if it is one of the machine on 256 bits.
    pub(super) fn double_binary(
        &mut self,
        op: BinaryOp,
        vector: VectorShape,
        a: Run,
        b: Run,
    ) -> Checked<Option<Run>> {
        let Some(ty) = self.double_of(vector, a.len) else { return Ok(None) };
        if ty == Type::V32I1 {
            return self.by_doubles(a.len / 2, [a, b], |cx, [x, y]| Ok(cx.bool_binary(op, x, y))).map(Some);
        }
        let is_native = match op {
            op if op.is_division() || op == BinaryOp::Frem => false,
            BinaryOp::Shl | BinaryOp::Lshr if matches!(ty, Type::V8I32 | Type::V4I64) => true,
            BinaryOp::Ashr if ty == Type::V8I32 => true,
            BinaryOp::Ashr if ty == Type::V4I64 => false,
            op if op.is_shift() => {
                (0..b.len).all(|n| self.is_same_amount(self.get(b, n), self.get(b, n ^ 1)))
            }
            _ => true,
        };
        match is_native {
            true => self.by_doubles(a.len / 2, [a, b], |cx, [x, y]| Ok(cx.bin(op, x, y))).map(Some),
            false => Ok(None),
        }
    }

    /// Whether two halves of amounts are one number in all lanes, below the width.
    pub(super) fn is_same_amount(&self, low: Value, high: Value) -> bool {
        let (lanes, bits) = (self.ty_of(low).lanes(), self.ty_of(low).element().bits());
        let number = |half, lane: u32| self.inserted(half, lane);
        match number(low, 0) {
            Some(first) if (0..i64::from(bits)).contains(&first) => {
                (0..lanes).all(|lane| number(low, lane) == Some(first) && number(high, lane) == Some(first))
            }
            _ => false,
        }
    }

    /// Floats with the other sign.
    pub(super) fn double_negated(&mut self, vector: VectorShape, a: Run) -> Checked<Option<Run>> {
        let Some(ty) = self.double_of(vector, a.len) else { return Ok(None) };
        let (bits, sign) = match ty {
            Type::V8F32 => (Type::V8I32, i64::from(i32::MIN)),
            Type::V4F64 => (Type::V4I64, i64::MIN),
            _ => return Ok(None),
        };
        self.by_doubles(a.len / 2, [a], |cx, [x]| {
            let sign = cx.splat(bits, sign);
            let x = cx.bits_as(x, bits);
            let flipped = cx.bin(BinaryOp::Xor, x, sign);
            Ok(cx.bits_as(flipped, ty))
        })
        .map(Some)
    }

    /// An intrinsic on floats, if the machine has it for 256 bits.
    pub(super) fn double_floats<const N: usize>(
        &mut self,
        op: Intrinsic,
        args: [Operand; N],
    ) -> Checked<Option<Run>> {
        let Kind::Vector(vector) = self.kind(args[0].ty) else { return Ok(None) };
        let runs = args.map(|arg| self.run(arg));
        let (Some(ty), false) = (self.double_of(vector, runs[0].len), vector.lane == Scalar::Quad) else {
            return Ok(None);
        };
        if !ty.is_float_or_float_vector() || self.p.runtime.intrinsic(op, ty).is_none() {
            return Ok(None);
        }
        self.by_doubles(runs[0].len / 2, runs, |cx, values| cx.intrinsic(op, ty, &values)).map(Some)
    }

    /// The absolute values of integers: the larger of a number and its opposite.
    pub(super) fn double_absolute(&mut self, vector: VectorShape, run: Run) -> Checked<Option<Run>> {
        let Some(ty) = self.double_of(vector, run.len) else { return Ok(None) };
        if !ty.is_int_or_int_vector() || ty == Type::V32I1 || vector.lane == Scalar::Quad {
            return Ok(None);
        }
        self.by_doubles(run.len / 2, [run], |cx, [x]| {
            let zero = cx.b.func.make_zero(ty);
            let opposite = cx.bin(BinaryOp::Sub, zero, x);
            let is_larger = cx.icmp(ice_ir::IntCond::Sgt, x, opposite);
            Ok(cx.choose(is_larger, x, opposite))
        })
        .map(Some)
    }

    /// All lanes of integers joined by an operation whose order does not matter: wholes first, then halves, then the halves of
    /// what is left, or the last part by an instruction of that name. Where there are no doubles, single parts are the wholes on
    /// machines that shuffle their lanes.
    pub(super) fn reduced_by_halves(
        &mut self,
        name: &str,
        a: Operand,
        mut join: impl FnMut(&mut Self, Value, Value) -> Value,
    ) -> Checked<Option<Value>> {
        let vector = self.vector_shape(a.ty)?;
        let mut run = self.run(a);
        let double = self.double_of(vector, run.len);
        let has_shuffles = vector.native.is_some() && self.m.legal.machine().shuffles_lanes;
        let is_whole = match (double, vector.lane) {
            (Some(ty), Scalar::Int(8..)) => ty != Type::V32I1,
            (None, Scalar::Int(8..=32)) => has_shuffles,
            _ => false,
        };
        if !is_whole || !vector.lanes.is_power_of_two() {
            return Ok(None);
        }
        let each = if double.is_some() { 2 } else { 1 };
        while run.len > each {
            let half = run.len / 2;
            let (low, high) = (run.part(0, half), run.part(half, half));
            run = self.by_doubles(half / each, [low, high], |cx, [x, y]| Ok(join(cx, x, y)))?;
        }
        let mut value = self.get(run, 0);
        if each == 2 {
            value = join(self, value, self.get(run, 1));
        }
        let native = self.ty_of(value);
        let mut lanes = native.lanes().min(vector.lanes);
        let last = self.push(value);
        if lanes == native.lanes()
            && let Some(all) = self.vector_instruction(name, [last])?
        {
            let first = self.get(all, 0);
            return Ok(Some(self.lane(first, 0)));
        }
        while lanes > 1 {
            lanes /= 2;
            let mut upper = value;
            for lane in 0..lanes {
                let moved = self.lane(value, lane + lanes);
                upper = self.set_lane(upper, lane, moved);
            }
            value = join(self, value, upper);
        }
        Ok(Some(self.lane(value, 0)))
    }

    // ---- conversions

    /// A conversion lane by lane, in as many steps as the machine takes, but to numbers of fewer bits.
    pub(super) fn double_cast(
        &mut self,
        op: CastOp,
        from: VectorShape,
        to: VectorShape,
        a: Run,
    ) -> Checked<Option<Run>> {
        let (Some(mut ty), Some(wanted)) = (from.native, to.native) else { return Ok(None) };
        if op == CastOp::Trunc || self.double(Some(wanted)).or(self.double(Some(ty))).is_none() {
            return Ok(None);
        }
        let (mut steps, mut count) = ([(op, ty, wanted); MAX_STEPS], 0);
        while ty != wanted {
            let step = next_step(op, ty, wanted).and_then(|(op, next)| {
                let (from, to) = whole_step(op, ty, next, from.lanes)?;
                ty = next;
                Some((op, from, to))
            });
            let (Some(step), Some(place)) = (step, steps.get_mut(count)) else { return Ok(None) };
            (*place, count) = (step, count + 1);
        }
        let mut run = a;
        for &(op, of, into) in &steps[..count] {
            run = self.by_doubles(from.lanes / of.lanes(), [run], |cx, [x]| Ok(cx.cast(op, x, into)))?;
        }
        Ok(Some(run))
    }

    /// The same conversion of every part, of two at once, if the machine has that.
    pub(super) fn double_cast_each(&mut self, op: CastOp, run: Run, ty: Type) -> Option<Run> {
        let from = self.double(Some(self.ty_of(self.get(run, 0))))?;
        let to = ty.double()?;
        if !run.len.is_multiple_of(2) || !converts(op, from, to) {
            return None;
        }
        self.by_doubles(run.len / 2, [run], |cx, [x]| Ok(cx.cast(op, x, to))).ok()
    }

    /// Half of what numbers are as lanes of twice the width, those of `ty`: the whole is of 256 bits.
    pub(super) fn half_of_cast(&mut self, op: CastOp, numbers: Value, half: u32, ty: Type) -> Value {
        let whole = self.cast(op, numbers, ty.double().unwrap_or(ty));
        self.b.half(whole, half as u8, ty)
    }

    // ---- phis

    /// Notes that a phi is of 256 bits, and gives its halves, which are the values that were announced for them.
    pub(super) fn note_phi_halves(&mut self, phi: Value, announced: [Option<Value>; 2]) -> [Value; 2] {
        let half = self.ty_of(phi).half().unwrap_or(Type::Void);
        [0, 1].map(|n| {
            let value = match announced[n] {
                Some(value) => value,
                None => self.b.func.make_forward(half),
            };
            self.s.phi_halves.push(PhiHalf { phi, half: n as u8, value });
            value
        })
    }

    /// No phi follows in the block. Those of 256 bits are taken apart.
    pub(super) fn end_phis(&mut self) {
        self.s.past_phis = true;
        if !self.s.phi_halves.is_empty() {
            self.finish_phi_halves();
        }
    }

    #[cold]
    fn finish_phi_halves(&mut self) {
        let mut halves = core::mem::take(&mut self.s.phi_halves);
        for PhiHalf { phi, half, value } in halves.drain(..) {
            let ty = self.ty_of(value);
            self.b.define_next_as(value);
            self.b.append(InstData::Half { vector: phi, half }, ty);
        }
        self.s.phi_halves = halves;
    }

    /// The value of a phi of type `ty` from the parts of an operand, at the end of a block. What must be joined is in front of
    /// its terminator.
    pub(super) fn joined_at_end(&mut self, halves: [Value; 2], ty: Type, block: Block) -> Option<Value> {
        if let Some(vector) = self.b.func.joined(halves) {
            return Some(vector);
        }
        let terminator = self.b.func.layout.last_inst(block)?;
        self.b.func.layout.remove_inst(terminator);
        self.b.switch_to_block(block);
        let vector = self.b.join(halves, ty);
        self.b.func.layout.append_inst(block, terminator);
        Some(vector)
    }

    // ---- values that come in parts

    /// Parts that came apart, such as parameters, as the halves of whole vectors.
    pub(super) fn rejoined(&mut self, value: Operand) -> Operand {
        let Kind::Vector(vector) = self.kind(value.ty) else { return value };
        let run = self.run(value);
        let Some(ty) = self.double_of(vector, run.len).filter(|_| vector.lane != Scalar::Quad) else {
            return value;
        };
        let Some(half) = ty.half() else { return value };
        let out = self.reserve(run.len);
        for n in 0..run.len / 2 {
            let vector = self.joined(run, n, ty);
            for number in [1, 0] {
                let value = self.b.append_value(InstData::Half { vector, half: number }, half);
                self.set(out, 2 * n + u32::from(number), value);
            }
        }
        self.operand(value.ty, out)
    }

    /// The type of the vector of 256 bits that two parts of a value in memory are, next to each other.
    pub(super) fn double_in_memory(&self, vector: VectorShape, parts: &[Part]) -> Option<Type> {
        self.double_of(vector, parts.len() as u32)
            .filter(|&ty| ty != Type::V32I1 && vector.lane != Scalar::Quad)
    }
}

/// The next step of a conversion to parts of the type `wanted`: what is done, and the type of the parts that it gives.
fn next_step(op: CastOp, from: Type, wanted: Type) -> Option<(CastOp, Type)> {
    use CastOp::*;
    let int = |bits: u32| match bits {
        8 => Some(Type::V16I8),
        16 => Some(Type::V8I16),
        32 => Some(Type::V4I32),
        64 => Some(Type::V2I64),
        _ => None,
    };
    let (bits, wanted_bits) = (from.element().bits(), wanted.element().bits());
    match op {
        Zext | Sext => {
            let next = match from {
                Type::V16I1 if wanted_bits == 8 => 8,
                Type::V16I1 => 16,
                Type::V8I1 => 32,
                Type::V4I1 => 64,
                Type::V2I1 => return None,
                _ => 2 * bits,
            };
            int(next).filter(|_| next <= wanted_bits).map(|ty| (op, ty))
        }
        _ if from.element() == Type::I1 || wanted.element() == Type::I1 => None,
        Sitofp if bits < 32 => int(2 * bits).map(|ty| (Sext, ty)),
        // With a spare bit the number is positive as a signed one too.
        Uitofp if bits < 32 => int(2 * bits).map(|ty| (Zext, ty)),
        _ => Some((op, wanted)),
    }
}

/// The types of the whole vectors in a step from parts of type `from` to parts of type `to`, of `lanes` lanes, if the machine
/// has it.
fn whole_step(op: CastOp, from: Type, to: Type, lanes: u32) -> Option<(Type, Type)> {
    [Some(from), from.double()].into_iter().flatten().find_map(|of| {
        let mut results = [Some(to), to.double()].into_iter().flatten();
        let into = results.find(|into| into.lanes() == of.lanes() && converts(op, of, *into))?;
        lanes.is_multiple_of(of.lanes()).then_some((of, into))
    })
}
