//! Shuffles: chains of insertions of lanes that are taken out of vectors ([`lanes`]) become what they have a [plan](super::plan)
//! for.

use super::plan::{MAX_STEPS, Plan, Reg, Step, has_plan};
use crate::inst::{Inst, Src};
use crate::target::{Cx, X86};
use arrayvec::ArrayVec;
use ice_asm::x86::SseOp;
use ice_codegen::Operands as _;
use ice_codegen::lanes::{self, Origin, Shuffle, are, constant_vector, lane_bits};
use ice_codegen::mach::{Sink, VReg};
use ice_ir::{InstData, Value};

/// Whether the function is for processors with SSSE3.
pub(super) fn permutes_bytes<S: Sink<Inst>>(cx: &Cx<'_, S>) -> bool {
    cx.module.functions[cx.func.id].traits.permutes_bytes
}

impl X86 {
    /// Whether `inst`, an insertion, needs no code: a later one makes the whole shuffle.
    pub(in crate::lower) fn folds_into_shuffle<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        inst: ice_ir::Inst,
    ) -> bool {
        lanes::is_inside_shuffle(cx.func, cx.uses, inst, |shuffle| has_plan(shuffle, permutes_bytes(cx)))
    }

    /// Whether all users of `inst`, an extraction, are links of one shuffle.
    pub(crate) fn is_lane_of_shuffle<S: Sink<Inst>>(self, cx: &Cx<'_, S>, inst: ice_ir::Inst) -> bool {
        lanes::is_lane_of_shuffle(cx.func, cx.uses, inst, |shuffle| has_plan(shuffle, permutes_bytes(cx)))
    }

    /// Whether `def`, an insertion of a first lane, needs no code: `user`, an extraction, is for a shuffle that has that lane
    /// everywhere.
    pub(in crate::lower) fn folds_into_splat<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let (func, Some(result)) = (cx.func, cx.func.result(def)) else { return false };
        let InstData::InsertElement { index, .. } = *func.inst(def) else { return false };
        let width = (lane_bits(func.value_type(result)) / 8) as u8;
        func.int_value(index) == Some(0)
            && !func.value_type(result).is_bool_or_bool_vector()
            && lanes::is_lane_of_shuffle(func, cx.uses, user, |shuffle| {
                has_plan(shuffle, permutes_bytes(cx))
                    && shuffle.sources == [result; 2]
                    && are(&shuffle.bytes, |n| n % width)
            })
    }

    /// The register of a source of a shuffle. Of one whose first lane alone is wanted, another vector with that lane.
    pub(super) fn shuffled<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, source: Value) -> VReg {
        match cx.folded(source).map(|inst| cx.func.inst(inst)) {
            Some(&InstData::InsertElement { element, .. }) if constant_vector(cx.func, source).is_none() => {
                self.first_lane(cx, element)
            }
            _ => self.reg(cx, source),
        }
    }

    /// `result` = the shuffle.
    pub(super) fn shuffle<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        shuffle: &Shuffle,
        plan: &Plan,
        result: Value,
    ) {
        let [first, second] = shuffle.sources;
        let left = self.shuffled(cx, first);
        let reads_second = first != second && plan.iter().any(|step| step.reads(1));
        let sources = [left, if reads_second { self.shuffled(cx, second) } else { left }];
        let mut made = ArrayVec::<_, MAX_STEPS>::new();
        for (n, &step) in plan.iter().enumerate() {
            let is_last = n + 1 == plan.len();
            let dst = if is_last { cx.regs(result).lo() } else { self.vector_temp(cx) };
            let reg = |reg| match reg {
                Reg::Source(n) => sources[usize::from(n & 1)],
                Reg::Last => made[n - 1],
                Reg::Step(n) => made[usize::from(n)],
            };
            match step {
                Step::Copy(src) => self.copy_to(cx, dst, reg(src)),
                Step::One(op, src, imm) => {
                    cx.sink.push(Inst::SseUnaryImm { op, dst, src: Src::Reg(reg(src)), imm });
                }
                Step::Unpack(op, left, right) => {
                    self.sse_of(cx, op, dst, reg(left), Src::Reg(reg(right)));
                }
                Step::Shift(op, src, amount) => {
                    self.shift_of(cx, op, dst, reg(src), amount);
                }
                Step::Keep(src, kept) => {
                    let byte = |n: u32| if kept >> n & 1 != 0 { 0xff_u128 << (8 * n) } else { 0 };
                    let mask = (0..16).fold(0, |mask, n| mask | byte(n));
                    self.sse_constant_of(cx, SseOp::Pand, dst, reg(src), mask);
                }
                Step::Two(op, left, right, imm) => {
                    self.sse_imm_of(cx, op, dst, [left, right].map(reg), imm);
                }
                Step::Table(source) => {
                    let number = |from: &Origin| match *from {
                        Some(from) if from / 16 == source => from % 16,
                        _ => 0x80,
                    };
                    let numbers = core::array::from_fn(|n| number(&shuffle.bytes[n]));
                    let src = reg(Reg::Source(source));
                    self.sse_constant_of(cx, SseOp::Pshufb, dst, src, u128::from_le_bytes(numbers));
                }
            }
            made.push(dst);
        }
    }
}
