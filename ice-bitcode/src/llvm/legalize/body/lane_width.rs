//! Lanes of another width, where the machine [shuffles](crate::llvm::legalize::machine::MachineDescription::shuffles_lanes)
//! them.
//!
//! A conversion goes in steps of twice or half the width. Lanes become wider by a shuffle of each half of a vector with what
//! is to stand above them, and narrower by one of two vectors that leaves the upper halves of all lanes. Booleans are as wide
//! as what they were compared of: they are moved as they are. Those that were brought to another width and come back are
//! what they were before.

use ice_ir::{BinaryOp, CastOp, InstData, Type, Value};

use super::values::Run;
use super::{Body, Checked};
use crate::llvm::legalize::legal::int_type;
use crate::llvm::legalize::shape::{Scalar, VectorShape};

/// Most vectors of booleans that are followed back behind each other.
const MAX_STEPS: usize = 4;

/// What stands in lanes that have become wider, above what they were.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Above {
    /// Zeros.
    Zeros,
    /// The sign.
    Sign,
}

/// The native vector of 128 bits with so many lanes, of integers or booleans as those of `ty`.
fn with_lanes(ty: Type, lanes: u32) -> Option<Type> {
    let element = match ty.element() {
        Type::I1 => Type::I1,
        _ => int_type(128 / lanes),
    };
    Type::vector(element, lanes)
}

impl Body<'_, '_> {
    // ---- booleans

    /// The booleans of the shape `from` as native vectors of type `to`, at least as many as there are lanes.
    pub(super) fn booleans_as(&mut self, booleans: Run, from: VectorShape, to: Type) -> Checked<Run> {
        let (mut run, mut native) = (booleans, from.native);
        for _ in 0..MAX_STEPS {
            if native == Some(to) {
                return Ok(run);
            }
            let Some(before) = self.booleans_before(run, native, from.lanes) else { break };
            (run, native) = (before, Some(self.ty_of(self.get(before, 0))));
        }
        match native {
            Some(_) => self.moved_to(run, from.lanes, to),
            None => Ok(self.join_lanes(VectorShape { native: Some(to), ..from }, run)),
        }
    }

    /// The booleans in native vectors, which came from a comparison, as a value of the shape `to`.
    pub(super) fn booleans_of(&mut self, booleans: Run, to: VectorShape) -> Checked<Run> {
        match to.native {
            Some(ty) => self.moved_to(booleans, to.lanes, ty),
            None => {
                let native = Some(self.ty_of(self.get(booleans, 0)));
                Ok(self.split_lanes(VectorShape { native, ..to }, booleans))
            }
        }
    }

    fn moved_to(&mut self, booleans: Run, lanes: u32, to: Type) -> Checked<Run> {
        self.in_steps(booleans, lanes, to, |cx, vector, half, ty| {
            let start = half * ty.lanes();
            Ok(cx.lanes_from(ty, |cx, lane| cx.lane(vector, start + lane)))
        })
    }

    /// The native vectors of one type of which all lanes of these booleans were taken, in their places.
    fn booleans_before(&mut self, booleans: Run, native: Option<Type>, lanes: u32) -> Option<Run> {
        let (mut out, mut ty) = (Run { start: 0, len: 0 }, None);
        for i in 0..lanes {
            let (vector, lane) = self.lane_before(booleans, native, i)?;
            let of = self.ty_of(vector);
            if i == 0 {
                (out, ty) = (self.reserve(lanes.div_ceil(of.lanes())), Some(of));
            }
            let (part, own) = (i / of.lanes(), i % of.lanes());
            if ty != Some(of) || lane != own || own > 0 && self.get(out, part) != vector {
                return None;
            }
            self.set(out, part, vector);
        }
        Some(out)
    }

    /// The vector and its lane that lane `i` of these parts was taken from: native vectors, or a part for each lane.
    fn lane_before(&self, parts: Run, native: Option<Type>, i: u32) -> Option<(Value, u32)> {
        let lane = match native {
            Some(native) => self.inserted_value(self.get(parts, i / native.lanes()), i % native.lanes())?,
            None => self.get(parts, i),
        };
        match *self.b.func.inst(self.b.func.defining_inst(lane)?) {
            InstData::ExtractElement { vector, index } => {
                Some((vector, self.b.func.int_value(index)? as u32))
            }
            _ => None,
        }
    }

    // ---- integers

    /// A conversion between vectors of one number of lanes whose native vectors have different ones, by steps. `None` if
    /// there is another way.
    pub(super) fn resized_cast(
        &mut self,
        op: CastOp,
        from: VectorShape,
        to: VectorShape,
        a: Run,
    ) -> Checked<Option<Run>> {
        let is_number = |ty: Type| ty.is_int_or_int_vector() && ty.element() != Type::I1;
        let are_booleans = |shape: VectorShape| shape.lane == Scalar::Int(1);
        let above = if matches!(op, CastOp::Sext | CastOp::Sitofp) { Above::Sign } else { Above::Zeros };
        if !self.m.legal.machine().shuffles_lanes || from.native == to.native {
            return Ok(None);
        }
        Ok(Some(match (op, from.native, to.native) {
            (CastOp::Zext | CastOp::Sext, _, Some(y)) if are_booleans(from) => {
                let booleans = self.booleans_as(a, from, y.compare_result())?;
                self.cast_each(op, booleans, y)
            }
            (CastOp::Trunc, Some(x), _) if are_booleans(to) => {
                let booleans = self.cast_each(op, a, x.compare_result());
                self.booleans_of(booleans, to)?
            }
            (CastOp::Trunc | CastOp::Zext | CastOp::Sext, Some(x), Some(y))
                if is_number(x) && is_number(y) =>
            {
                self.numbers_as(a, from.lanes, y, above)?
            }
            (CastOp::Sitofp | CastOp::Uitofp, Some(Type::V16I8 | Type::V8I16), Some(y @ Type::V4F32)) => {
                let words = self.numbers_as(a, from.lanes, Type::V4I32, above)?;
                // With bits to spare the number is positive as a signed one too.
                self.cast_each(CastOp::Sitofp, words, y)
            }
            (CastOp::Fptosi | CastOp::Fptoui, Some(Type::V4F32), Some(y @ (Type::V16I8 | Type::V8I16))) => {
                let words = self.cast_each(CastOp::Fptosi, a, Type::V4I32);
                self.numbers_as(words, from.lanes, y, above)?
            }
            _ => return Ok(None),
        }))
    }

    /// The same conversion of every part, of two at once where the machine has that.
    pub(super) fn cast_each(&mut self, op: CastOp, run: Run, ty: Type) -> Run {
        if let Some(out) = self.double_cast_each(op, run, ty) {
            return out;
        }
        let out = self.reserve(run.len);
        for i in 0..run.len {
            let part = self.cast(op, self.get(run, i), ty);
            self.set(out, i, part);
        }
        out
    }

    /// Lanes without their upper bits, or with others above them.
    pub(super) fn numbers_as(&mut self, numbers: Run, lanes: u32, to: Type, above: Above) -> Checked<Run> {
        let from = self.ty_of(self.get(numbers, 0));
        let bits = [from, to].map(|ty| i64::from(ty.element().bits()));
        if let Some(cut) = self.cut_out(numbers, lanes, to, above) {
            return Ok(cut);
        }
        // Halves of quadwords are taken as they are.
        let numbers = match bits[0] > bits[1] && bits[1] < 32 {
            true => self.cleared_above(numbers, to.element().bits())?,
            false => numbers,
        };
        if bits[0] < bits[1] && self.double(Some(to)).is_some() {
            let op = if above == Above::Sign { CastOp::Sext } else { CastOp::Zext };
            return self.in_steps(numbers, lanes, to, |cx, vector, half, wide| {
                Ok(cx.half_of_cast(op, vector, half, wide))
            });
        }
        if bits[0] < bits[1]
            && let Some(operations) = self.long_operations()
        {
            return self.in_steps(numbers, lanes, to, |cx, vector, half, wide| {
                cx.long_extension(operations, vector, half, (wide, above))
            });
        }
        if above == Above::Zeros || bits[0] > bits[1] {
            return self.in_steps(numbers, lanes, to, |cx, vector, half, wide| {
                let zeros = cx.b.func.make_zero(cx.ty_of(vector));
                Ok(cx.interleaved([vector, zeros], half, wide))
            });
        }
        // Numbers become the upper halves of wider ones until one shift brings all their bits down. That keeps the sign in up
        // to 32 bits.
        let most = if bits[1] == 64 { Type::V4I32 } else { to };
        let raised = self.in_steps(numbers, lanes, most, |cx, vector, half, wide| {
            Ok(cx.interleaved([vector; 2], half, wide))
        })?;
        let amount = i64::from(most.element().bits()) - bits[0];
        for i in 0..raised.len {
            let part = self.get(raised, i);
            let part = self.all_shifted(BinaryOp::Ashr, part, amount);
            self.set(raised, i, part);
        }
        self.in_steps(raised, lanes, to, |cx, vector, half, wide| {
            let signs = cx.all_shifted(BinaryOp::Ashr, vector, 31);
            Ok(cx.interleaved([vector, signs], half, wide))
        })
    }

    /// Numbers as they become wider, if each is a part of the lane of its place in a vector of such: shifted down, with what is
    /// to stand above it.
    fn cut_out(&mut self, numbers: Run, lanes: u32, to: Type, above: Above) -> Option<Run> {
        let from = self.ty_of(self.get(numbers, 0));
        let [bits, wide] = [from, to].map(|ty| ty.element().bits());
        let ratio = wide.checked_div(bits).filter(|&ratio| ratio > 1)?;
        // There is no shift of 64 bits that keeps the sign.
        if wide == 64 && above == Above::Sign {
            return None;
        }
        let out = self.reserve(lanes.div_ceil(to.lanes()));
        let mut at = 0;
        for i in 0..lanes {
            let (vector, lane) = self.lane_before(numbers, Some(from), i)?;
            let (part, own) = (i / to.lanes(), i % to.lanes());
            if i == 0 {
                at = lane;
            }
            if at >= ratio || lane != own * ratio + at || own > 0 && self.get(out, part) != vector {
                return None;
            }
            self.set(out, part, vector);
        }
        let below = i64::from(at * bits);
        let beside = i64::from(wide - bits);
        for part in 0..out.len {
            let vector = self.bits_as(self.get(out, part), to);
            let number = match above {
                Above::Sign => {
                    let raised = self.all_shifted(BinaryOp::Shl, vector, beside - below);
                    self.all_shifted(BinaryOp::Ashr, raised, beside)
                }
                Above::Zeros if below == beside => self.all_shifted(BinaryOp::Lshr, vector, below),
                Above::Zeros => {
                    let lowered = self.all_shifted(BinaryOp::Lshr, vector, below);
                    let mask = self.splat(to, (1 << bits) - 1);
                    self.bin(BinaryOp::And, lowered, mask)
                }
            };
            self.set(out, part, number);
        }
        Some(out)
    }

    /// All lanes shifted by one number.
    pub(super) fn all_shifted(&mut self, op: BinaryOp, vector: Value, amount: i64) -> Value {
        if amount == 0 {
            return vector;
        }
        let amount = self.splat(self.ty_of(vector), amount);
        self.bin(op, vector, amount)
    }

    /// The lanes in the lower or upper halves of two vectors by turns, as such of twice the width.
    pub(super) fn interleaved(&mut self, vectors: [Value; 2], half: u32, wide: Type) -> Value {
        let (ty, start) = (self.ty_of(vectors[0]), half * wide.lanes());
        let both = self.lanes_from(ty, |cx, lane| cx.lane(vectors[lane as usize % 2], start + lane / 2));
        self.bits_as(both, wide)
    }

    // ---- steps

    /// The lanes of native vectors in such of type `to`. `widen` makes vectors of the wider type that it is given of the lower
    /// or upper half of the lanes of a vector; two vectors become a narrower one by a shuffle.
    fn in_steps(
        &mut self,
        mut run: Run,
        lanes: u32,
        to: Type,
        mut widen: impl FnMut(&mut Self, Value, u32, Type) -> Checked<Value>,
    ) -> Checked<Run> {
        loop {
            let from = self.ty_of(self.get(run, 0));
            let next = match from.lanes().cmp(&to.lanes()) {
                core::cmp::Ordering::Equal => None,
                core::cmp::Ordering::Greater => with_lanes(from, from.lanes() / 2),
                core::cmp::Ordering::Less => with_lanes(from, from.lanes() * 2),
            };
            let Some(next) = next else { return Ok(run) };
            if next.lanes() > from.lanes()
                && let Some(packed) = self.narrowed_pairs(run, next)?
            {
                run = packed;
                continue;
            }
            let out = self.reserve(lanes.div_ceil(next.lanes()));
            for i in 0..out.len {
                let part = match next.lanes() < from.lanes() {
                    true => widen(self, self.get(run, i / 2), i % 2, next)?,
                    false => {
                        let low = self.get(run, 2 * i);
                        let high = if 2 * i + 1 < run.len { self.get(run, 2 * i + 1) } else { low };
                        self.joined_lanes([low, high], next)
                    }
                };
                self.set(out, i, part);
            }
            run = out;
        }
    }

    /// The lower halves of the lanes of two vectors; booleans as they are.
    fn joined_lanes(&mut self, halves: [Value; 2], to: Type) -> Value {
        if let Some(whole) = self.b.func.joined(halves).filter(|_| to.element() != Type::I1) {
            return self.cast(CastOp::Trunc, whole, to);
        }
        let count = to.lanes() / 2;
        let (halves, step) = match to.element() {
            Type::I1 => (halves, 1),
            _ => (halves.map(|half| self.bits_as(half, to)), 2),
        };
        self.lanes_from(to, |cx, lane| cx.lane(halves[(lane / count) as usize], lane % count * step))
    }
}
