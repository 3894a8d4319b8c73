//! Single lanes: extract, insert, and operators that SSE2 has no packed instruction for, one lane after
//! the other in a 16-byte object of the frame.

use super::by_lane;
use super::plan::plan;
use super::shuffle::permutes_bytes;
use crate::inst::{Amode, Amount, Base, Extend, Inst, Src};
use crate::lower::int::shift;
use crate::target::{Cx, X86};
use ice_asm::x86::{Alu, Shift, SseOp, Unary, Width};
use ice_codegen::lanes::{constant_vector, is_zero, lane_bits, shuffle_of};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::{Libcall, Operands as _};
use ice_ir::{BinaryOp, Function, InstData, Type, Value};

/// The number of the lane that a constant index names.
fn lane_number<S: Sink<Inst>>(cx: &mut Cx<'_, S>, ty: Type, index: Value) -> u8 {
    let number = cx.func.int_value(index);
    if number.is_none() {
        cx.fault("the number of a lane is no constant");
    }
    (number.unwrap_or_default() as u32 & (ty.lanes() - 1)) as u8
}

/// How a doubleword in lane 0 of `t` gets into a lane of vector `v` by two shuffles of two lanes each: the
/// order of the first, which makes `t` two lanes of `t` and two of `v`, and the order of the second, of
/// `t` with `v` for lanes 0 and 1, of `v` with `t` for the others.
const INSERT_SHUFFLES: [[[u8; 4]; 2]; 4] = [
    [[0, 0, 1, 1], [0, 2, 2, 3]],
    [[0, 0, 0, 0], [2, 0, 2, 3]],
    [[0, 0, 3, 3], [0, 1, 0, 2]],
    [[0, 0, 2, 2], [0, 1, 2, 0]],
];

/// Whether `user` makes the first lane of a vector of zeros of `loaded`, a float.
pub(in crate::lower) fn takes_first_lane(func: &Function, user: ice_ir::Inst, loaded: Value) -> bool {
    matches!(*func.inst(user), InstData::InsertElement { vector, element, index }
        if element == loaded && func.int_value(index) == Some(0) && is_zero(func, vector))
}

impl X86 {
    /// One lane as a scalar. Above the width of an integer element anything may stand, but a boolean is
    /// the lowest bit of its lane alone.
    pub(in crate::lower) fn extract_element<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        vector: Value,
        index: Value,
        result: Value,
    ) {
        let ty = cx.func.value_type(vector);
        let lane = lane_number(cx, ty, index);
        let src = self.reg(cx, vector);
        let dst = cx.regs(result).lo();
        match lane_bits(ty) {
            64 if ty == Type::V2F64 => self.extract_double(cx, dst, src, lane),
            64 if ty == Type::V2I64 => {
                let regs = cx.regs(result);
                self.extract_quadword(cx, regs, src, lane);
            }
            64 => {
                let moved = self.vector_temp(cx);
                self.pshufd(cx, moved, src, [2 * lane; 4]);
                cx.sink.push(Inst::XmmToGpr { op: SseOp::MovGpr, width: Width::B32, dst, src: moved });
            }
            32 if ty == Type::V4F32 && lane == 0 => cx.sink.push(Inst::MovXmm { dst, src, size: 4 }),
            32 if ty == Type::V4F32 => self.pshufd(cx, dst, src, [lane; 4]),
            32 => {
                let moved = if lane == 0 { src } else { self.vector_temp(cx) };
                if lane != 0 {
                    self.pshufd(cx, moved, src, [lane; 4]);
                }
                cx.sink.push(Inst::XmmToGpr { op: SseOp::MovGpr, width: Width::B32, dst, src: moved });
            }
            16 => cx.sink.push(Inst::Pextrw { dst, src, lane }),
            _ => {
                cx.sink.push(Inst::Pextrw { dst, src, lane: lane / 2 });
                if !lane.is_multiple_of(2) {
                    let (op, amount) = (Shift::Shr, Amount::Imm(8));
                    cx.sink.push(Inst::Shift { op, width: Width::B32, dst, amount });
                }
            }
        }
        if ty.is_bool_or_bool_vector() {
            self.alu_imm(cx, Alu::And, dst, 1);
        }
    }

    /// A vector with one lane replaced.
    pub(in crate::lower) fn insert_element<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        vector: Value,
        element: Value,
        index: Value,
        result: Value,
    ) {
        if let Some(bits) = constant_vector(cx.func, result) {
            let dst = cx.regs(result).lo();
            return self.load_constant(cx, dst, bits);
        }
        let shuffle = cx.func.defining_inst(result).and_then(|inst| shuffle_of(cx.func, cx.uses, inst));
        if let Some(shuffle) = shuffle
            && let Some(plan) = plan(&shuffle, permutes_bytes(cx))
        {
            return self.shuffle(cx, &shuffle, &plan, result);
        }
        if self.built(cx, result) {
            return;
        }
        let ty = cx.func.value_type(vector);
        let lane = lane_number(cx, ty, index);
        if lane == 0 && self.is_first_lane(cx, vector, element, result) {
            return;
        }
        let src = self.reg(cx, vector);
        match lane_bits(ty) {
            64 => self.insert_quadword(cx, src, element, lane, result),
            32 => self.insert_doubleword(cx, src, element, lane, result),
            16 => {
                let src_lane = self.lane_of(cx, ty, element);
                let dst = cx.regs(result).lo();
                self.copy_to(cx, dst, src);
                cx.sink.push(Inst::Pinsrw { dst, src: src_lane, lane });
            }
            _ => self.insert_byte(cx, src, element, lane, result),
        }
    }

    /// Makes the first lane of a vector of zeros: from memory and from registers of integers, the rest is cleared by the move.
    /// `false` for booleans.
    fn is_first_lane<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        vector: Value,
        element: Value,
        result: Value,
    ) -> bool {
        let ty = cx.func.value_type(result);
        if !is_zero(cx.func, vector) || ty.is_bool_or_bool_vector() {
            return false;
        }
        let dst = cx.regs(result).lo();
        match self.folded_load(cx, element) {
            Some(mem) => cx.sink.push(Inst::LoadXmm { size: ty.element().bytes() as u8, dst, mem }),
            None => self.first_of_zeros(cx, dst, element),
        }
        true
    }

    /// `dst` = the value in the lowest lane, and zeros above.
    pub(super) fn first_of_zeros<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, value: Value) {
        let has_avx = self.has_avx(cx);
        let size = 16;
        let (width, src) = match cx.func.value_type(value) {
            Type::F64 => {
                let src = Src::Reg(self.reg(cx, value));
                return cx.sink.push(match has_avx {
                    true => Inst::AvxUnary { op: SseOp::Movq, size, dst, src },
                    false => Inst::SseUnary { op: SseOp::Movq, dst, src },
                });
            }
            Type::F32 => {
                let first = self.reg(cx, value);
                if has_avx {
                    // The lane, and zeros in the three others.
                    let (op, src, imm) = (SseOp::Insertps, Src::Reg(first), 0b1110);
                    return cx.sink.push(Inst::AvxImm { op, size, dst, first, src, imm });
                }
                cx.sink.push(Inst::MovXmm { dst, src: first, size: 4 });
                return self.sse_constant(cx, SseOp::Pand, dst, u32::MAX.into());
            }
            Type::I64 if self.has_pairs() => {
                let regs = self.regs(cx, value);
                let low = self.low_quadword(cx, regs);
                return self.copy_to(cx, dst, low);
            }
            Type::I64 => (Width::B64, self.reg(cx, value)),
            Type::I32 => (Width::B32, self.reg(cx, value)),
            _ => (Width::B32, self.extended(cx, Extend::Zero, value)),
        };
        cx.sink.push(Inst::GprToXmm { op: SseOp::MovGpr, width, dst, src: Src::Reg(src) });
    }

    fn insert_quadword<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        vector: VReg,
        element: Value,
        lane: u8,
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let low = match ty {
            Type::V2F64 => {
                let src = self.reg(cx, element);
                self.low_double(cx, src)
            }
            Type::V2I64 => {
                let regs = self.regs(cx, element);
                self.low_quadword(cx, regs)
            }
            _ => {
                let (mask, low) = (self.lane_of(cx, ty, element), self.vector_temp(cx));
                let src = Src::Reg(mask);
                cx.sink.push(Inst::GprToXmm { op: SseOp::MovGpr, width: Width::B32, dst: low, src });
                let both = self.vector_temp(cx);
                self.pshufd(cx, both, low, [0, 0, 0, 0]);
                both
            }
        };
        let dst = cx.regs(result).lo();
        if lane == 0 {
            self.shufps_of(cx, dst, low, vector, [0, 1, 2, 3]);
        } else {
            self.join_halves(cx, dst, vector, low);
        }
    }

    fn insert_doubleword<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        vector: VReg,
        element: Value,
        lane: u8,
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let low = self.vector_temp(cx);
        if ty == Type::V4F32 {
            let src = self.reg(cx, element);
            cx.sink.push(Inst::MovXmm { dst: low, src, size: 4 });
        } else {
            let src = self.lane_of(cx, ty, element);
            cx.sink.push(Inst::GprToXmm {
                op: SseOp::MovGpr,
                width: Width::B32,
                dst: low,
                src: Src::Reg(src),
            });
        }
        let dst = cx.regs(result).lo();
        let [first, second] = INSERT_SHUFFLES[usize::from(lane & 3)];
        self.shufps(cx, low, vector, first);
        let (start, with) = if lane < 2 { (low, vector) } else { (vector, low) };
        self.copy_to(cx, dst, start);
        self.shufps(cx, dst, with, second);
    }

    /// The word around the byte is taken out, changed and put back.
    fn insert_byte<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        vector: VReg,
        element: Value,
        lane: u8,
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let clean = if ty.is_bool_or_bool_vector() {
            let mask = self.lane_of(cx, ty, element);
            self.alu_imm(cx, Alu::And, mask, 0xff);
            mask
        } else {
            self.extended(cx, Extend::Zero, element)
        };
        let word = self.temp(cx, Type::I32);
        cx.sink.push(Inst::Pextrw { dst: word, src: vector, lane: lane / 2 });
        if lane.is_multiple_of(2) {
            self.alu_imm(cx, Alu::And, word, 0xff00);
        } else {
            self.alu_imm(cx, Alu::And, word, 0xff);
            let (op, amount) = (Shift::Shl, Amount::Imm(8));
            cx.sink.push(Inst::Shift { op, width: Width::B32, dst: clean, amount });
        }
        cx.sink.push(Inst::Alu { op: Alu::Or, width: Width::B32, dst: word, src: Src::Reg(clean) });
        let dst = cx.regs(result).lo();
        self.copy_to(cx, dst, vector);
        cx.sink.push(Inst::Pinsrw { dst, src: word, lane: lane / 2 });
    }

    /// The bits of an integer element as they stand in a lane: a boolean becomes a mask.
    fn lane_of<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, element: Value) -> VReg {
        if !ty.is_bool_or_bool_vector() {
            return self.reg(cx, element);
        }
        let mask = self.extended(cx, Extend::Zero, element);
        cx.sink.push(Inst::Unary { op: Unary::Neg, width: Width::B32, dst: mask });
        mask
    }

    // ---- operators without a packed instruction

    /// Stores both arguments to the frame, runs `rule` on the memory of each pair of lanes, which leaves
    /// its result in the first, and loads the result.
    fn each_lane<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        args: [Value; 2],
        result: Value,
        rule: impl Fn(&mut Cx<'_, S>, [Amode; 2]),
    ) {
        let [a, b] = args.map(|value| {
            let mem = Amode::new(Base::Object(cx.sink.frame().add_object(16, 4)), 0);
            self.store_to(cx, mem, value);
            mem
        });
        let ty = cx.func.value_type(result);
        let bytes = lane_bits(ty) / 8;
        for lane in 0..ty.lanes() {
            let offset = (lane * bytes) as i32;
            rule(cx, [a.offset(offset), b.offset(offset)]);
        }
        self.load_from(cx, a, result);
    }

    /// An integer lane in memory, extended to 32 bits.
    fn load_lane<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, kind: Extend, mem: Amode) -> VReg {
        // A byte must come to lie in a register that has a byte form, or it could not be stored.
        let dst = self.temp(cx, ty.element());
        cx.sink.push(match self.width(ty.element()) {
            Width::B32 => Inst::Load { width: Width::B32, dst, mem },
            from => Inst::Extend { kind, from, to: Width::B32, dst, src: Src::Mem(mem) },
        });
        dst
    }

    /// Shifts in 32 bits: the hardware takes the amount modulo 32, and past the width it is undefined.
    pub(super) fn shift_by_lane<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        args: [Value; 2],
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let op = shift(op).unwrap_or(Shift::Shl);
        let kind = if op == Shift::Sar { Extend::Sign } else { Extend::Zero };
        let store = by_lane(ty, Width::B8, Width::B16, Width::B32);
        self.each_lane(cx, args, result, |cx, [a, b]| {
            let amount = Amount::Cl(self.load_lane(cx, ty, Extend::Zero, b));
            let dst = self.load_lane(cx, ty, kind, a);
            cx.sink.push(Inst::Shift { op, width: Width::B32, dst, amount });
            cx.sink.push(Inst::Store { width: store, src: dst, mem: a });
        });
    }

    /// Divides in 32 bits; a zero divisor in any lane traps.
    pub(super) fn divide_by_lane<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        args: [Value; 2],
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let width = Width::B32;
        let signed = matches!(op, BinaryOp::Sdiv | BinaryOp::Srem);
        let (sign, kind) =
            if signed { (Signedness::Signed, Extend::Sign) } else { (Signedness::Unsigned, Extend::Zero) };
        let store = by_lane(ty, Width::B8, Width::B16, Width::B32);
        self.each_lane(cx, args, result, |cx, [a, b]| {
            let src = Src::Reg(self.load_lane(cx, ty, kind, b));
            let lhs = self.load_lane(cx, ty, kind, a);
            let (quotient, remainder) = (self.temp(cx, ty.element()), self.temp(cx, ty.element()));
            cx.sink.push(Inst::Divide { sign, width, lhs, src, quotient, remainder });
            let is_quotient = matches!(op, BinaryOp::Sdiv | BinaryOp::Udiv);
            let src = if is_quotient { quotient } else { remainder };
            cx.sink.push(Inst::Store { width: store, src, mem: a });
        });
    }

    /// C `fmodf` for each lane.
    pub(super) fn remainder_by_lane<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        args: [Value; 2],
        result: Value,
    ) {
        let ty = Type::F32;
        self.each_lane(cx, args, result, |cx, [a, b]| {
            let args = [a, b].map(|mem| {
                let regs = cx.temp(ty);
                cx.sink.push(Inst::LoadXmm { size: 4, dst: regs.lo(), mem });
                (regs, ty)
            });
            let regs = cx.temp(ty);
            self.libcall(cx, Libcall::Fmodf, &args, Some((regs, ty)));
            cx.sink.push(Inst::StoreXmm { size: 4, src: regs.lo(), mem: a });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::INSERT_SHUFFLES;

    /// `shufps` on vectors of names.
    fn shufps(dst: [u8; 4], src: [u8; 4], order: [u8; 4]) -> [u8; 4] {
        let [a, b, c, d] = order.map(usize::from);
        [dst[a], dst[b], src[c], src[d]]
    }

    #[test]
    fn two_shuffles_insert_a_lane() {
        let vector = *b"0123";
        for (lane, [first, second]) in INSERT_SHUFFLES.into_iter().enumerate() {
            let low = shufps(*b"x???", vector, first);
            let result = if lane < 2 { shufps(low, vector, second) } else { shufps(vector, low, second) };
            let mut wanted = vector;
            wanted[lane] = b'x';
            assert_eq!(result, wanted, "lane {lane}");
        }
    }
}
