//! Shuffles: chains of insertions of lanes that are taken out of vectors ([`lanes`]) become what they have a [plan](super::plan)
//! for. Two that do the same to the halves of vectors of 256 bits, and whose results are joined, follow it once, in both halves.

use super::avx::has_wide_integers;
use super::plan::{MAX_STEPS, Plan, Reg, Step, has_plan, plan};
use crate::inst::{Inst, Src};
use crate::target::{Cx, X86};
use arrayvec::ArrayVec;
use ice_asm::x86::SseOp;
use ice_codegen::Operands as _;
use ice_codegen::lanes::{self, Origin, Shuffle, are, constant_vector, lane_bits, shuffle_of};
use ice_codegen::mach::{Sink, VReg};
use ice_ir::vectors::{clear_bytes, unnamed};
use ice_ir::{InstData, Type, Value};

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
        let dst = cx.regs(result).lo();
        let clear = shuffle.sources.map(|source| clear_bytes(cx.func, source));
        self.follow(cx, (&shuffle.bytes, plan), (sources, clear), (Type::V4I32, dst));
    }

    /// Whether `def` is a shuffle that needs no code: `user` joins it with the same shuffle of other halves, which is done to both.
    pub(in crate::lower) fn folds_into_joined_shuffle<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        match *cx.func.inst(user) {
            InstData::Join { halves } => {
                cx.func.result(def).is_some_and(|result| halves.contains(&result))
                    && halves.iter().all(|&half| is_only_used_by(cx, half, user))
                    && joined_shuffle(cx, halves).is_some()
            }
            _ => false,
        }
    }

    /// Whether `def`, a half of a vector of 256 bits, or such with other lanes, needs no code: the last shuffle that has lanes of it
    /// is done to both halves. Others that have some make it.
    pub(crate) fn folds_into_lanes<S: Sink<Inst>>(self, cx: &Cx<'_, S>, def: ice_ir::Inst) -> bool {
        let (func, uses) = (cx.func, cx.uses);
        let Some(result) = func.result(def) else { return false };
        let joined = || {
            let shuffle = lanes::last_shuffle_of(func, uses, def)?;
            let last = func.defining_inst(shuffle)?;
            let user = uses.only_user_in_block(func, last, shuffle)?;
            Some(self.folds_into_joined_shuffle(cx, last, user))
        };
        uses.last_user_in_block(func, def, result).is_some() && joined().unwrap_or(false)
    }

    /// `dst` = two shuffles that were folded for it, as one. False, and nothing done, for others.
    pub(super) fn join_shuffles<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        dst: VReg,
        halves: [Value; 2],
    ) -> bool {
        if halves.iter().any(|&half| cx.folded(half).is_none()) {
            return false;
        }
        let Some((bytes, plan, [first, second])) = joined_shuffle(cx, halves) else { return false };
        let left = self.joined_reg(cx, first);
        let right = match plan.iter().any(|step| step.reads(1)) {
            true => self.joined_reg(cx, second),
            false => left,
        };
        self.follow(cx, (&bytes, &plan), ([left, right], [0; 2]), (Type::V8I32, dst));
        true
    }

    /// `dst`, of as many bits as `ty`, = what the plan makes of the sources, in each half alike. Of each source the bytes are named
    /// that are known to be zero.
    fn follow<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (bytes, plan): (&[Origin; 16], &Plan),
        (sources, clear): ([VReg; 2], [u16; 2]),
        (ty, last): (Type, VReg),
    ) {
        let size = ty.bytes() as u8;
        let mut made = ArrayVec::<_, MAX_STEPS>::new();
        for (n, &step) in plan.iter().enumerate() {
            let is_last = n + 1 == plan.len();
            let dst = if is_last { last } else { self.temp(cx, ty) };
            let reg = |reg| match reg {
                Reg::Source(n) => sources[usize::from(n & 1)],
                Reg::Last => made[n - 1],
                Reg::Step(n) => made[usize::from(n)],
            };
            match step {
                Step::Copy(src) => cx.sink.push(Inst::MovXmm { dst, src: reg(src), size }),
                Step::One(op, src, imm) => {
                    let src = Src::Reg(reg(src));
                    cx.sink.push(match size {
                        16 => Inst::SseUnaryImm { op, dst, src, imm },
                        size => Inst::AvxUnaryImm { op, size, dst, src, imm },
                    });
                }
                Step::Unpack(op, left, right) => match size {
                    16 => self.sse_of(cx, op, dst, reg(left), Src::Reg(reg(right))),
                    _ => self.avx(cx, op, dst, reg(left), reg(right)),
                },
                Step::Shift(op, src, imm) => match size {
                    16 => self.shift_of(cx, op, dst, reg(src), imm),
                    size => cx.sink.push(Inst::AvxShift { op, size, dst, src: reg(src), imm }),
                },
                Step::Keep(src @ Reg::Source(n), kept)
                    if !is_last && kept | clear[usize::from(n & 1)] == u16::MAX =>
                {
                    made.push(reg(src));
                    continue;
                }
                Step::Keep(src, kept) => {
                    let byte = |n: u32| if kept >> n & 1 != 0 { 0xff_u128 << (8 * n) } else { 0 };
                    let mask = (0..16).fold(0, |mask, n| mask | byte(n));
                    self.constant_of(cx, SseOp::Pand, (ty, dst), reg(src), mask);
                }
                Step::Two(op, left, right, imm) => match size {
                    16 => self.sse_imm_of(cx, op, dst, [left, right].map(reg), imm),
                    size => {
                        let (first, src) = (reg(left), Src::Reg(reg(right)));
                        cx.sink.push(Inst::AvxImm { op, size, dst, first, src, imm });
                    }
                },
                Step::Table(source) => {
                    let number = |from: &Origin| match *from {
                        Some(from) if from / 16 == source => from % 16,
                        _ => 0x80,
                    };
                    let numbers = core::array::from_fn(|n| number(&bytes[n]));
                    let src = reg(Reg::Source(source));
                    self.constant_of(cx, SseOp::Pshufb, (ty, dst), src, u128::from_le_bytes(numbers));
                }
            }
            made.push(dst);
        }
    }

    /// `dst = first op bits`, of 128 bits or twice that.
    fn constant_of<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: SseOp,
        (ty, dst): (Type, VReg),
        first: VReg,
        bits: u128,
    ) {
        match ty.is_wide() {
            true => {
                let constant = self.repeated(cx, bits);
                self.avx(cx, op, dst, first, constant);
            }
            false => self.sse_constant_of(cx, op, dst, first, bits),
        }
    }
}

fn is_only_used_by<S: Sink<Inst>>(cx: &Cx<'_, S>, value: Value, user: ice_ir::Inst) -> bool {
    cx.func
        .defining_inst(value)
        .is_some_and(|inst| cx.uses.only_user_in_block(cx.func, inst, value) == Some(user))
}

/// Where bytes come from, the instructions, and the halves of both vectors, if two shuffles do the same to halves that are worth
/// joining before instead of behind.
fn joined_shuffle<S: Sink<Inst>>(
    cx: &Cx<'_, S>,
    halves: [Value; 2],
) -> Option<([Origin; 16], Plan, [[Value; 2]; 2])> {
    let [low, high] = halves;
    if low == high || !has_wide_integers(cx) {
        return None;
    }
    let of = |half| shuffle_of(cx.func, cx.uses, cx.func.defining_inst(half)?);
    let (low, high) = (of(low)?, of(high)?);
    if low.bytes != high.bytes || low.with_zeros != high.with_zeros {
        return None;
    }
    let sources = [0, 1].map(|n| [low.sources[n], high.sources[n]].map(|source| unnamed(cx.func, source)));
    let is_one = |shuffle: &Shuffle| shuffle.sources[0] == shuffle.sources[1];
    let is_vector = |value: &Value| !cx.func.value_type(*value).is_bool_or_bool_vector();
    if is_one(&low) != is_one(&high) || !sources.as_flattened().iter().all(is_vector) {
        return None;
    }
    let plan = plan(&low, permutes_bytes(cx))?;
    let read = (0..if is_one(&low) { 1 } else { 2 }).filter(|&n| plan.iter().any(|step| step.reads(n)));
    // Halves of one vector are taken apart for two shuffles, others put together for one.
    let (whole, apart) =
        read.fold((0, 0), |(whole, apart), n| match cx.func.joined(sources[usize::from(n)]) {
            Some(_) => (whole + 1, apart),
            None => (whole, apart + 1),
        });
    (plan.len() + apart < 2 * plan.len() + 1 + whole).then_some((low.bytes, plan, sources))
}
