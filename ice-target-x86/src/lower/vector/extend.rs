//! Lanes that become wider in several steps, each of which gives a vector of 256 bits whose lower half is the next one's operand, as
//! readers make them: they are one instruction. If no more lanes are wanted than a scalar has bytes for, and that was loaded to be
//! taken for lanes, the instruction reads it from memory.
//!
//! Contract: what is inside is folded ([`X86::folds_into_extension`]), each step by its only user in the block.
//!
//! Cost: constant for a conversion, a half, or an insertion as the first lane of anything.

use crate::inst::{Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::SseOp;
use ice_codegen::mach::Sink;
use ice_ir::{CastOp, Function, InstData, Type, Value, ValueDef};

/// The conversion of lanes of so many bits.
fn extension(op: CastOp, from: u32, to: u32) -> Option<SseOp> {
    use SseOp::*;
    let [zero, sign] = match (from, to) {
        (8, 16) => [Pmovzxbw, Pmovsxbw],
        (8, 32) => [Pmovzxbd, Pmovsxbd],
        (8, 64) => [Pmovzxbq, Pmovsxbq],
        (16, 32) => [Pmovzxwd, Pmovsxwd],
        (16, 64) => [Pmovzxwq, Pmovsxwq],
        (32, 64) => [Pmovzxdq, Pmovsxdq],
        _ => return None,
    };
    match op {
        CastOp::Zext => Some(zero),
        CastOp::Sext => Some(sign),
        _ => None,
    }
}

/// The conversion that `inst` is, if that makes lanes wider and a vector of 256 bits of them.
fn step(func: &Function, inst: ice_ir::Inst) -> Option<CastOp> {
    let result = func.value_type(func.result(inst)?);
    match *func.inst(inst) {
        InstData::Cast { op: op @ (CastOp::Zext | CastOp::Sext), arg }
            if result.is_wide() && !func.value_type(arg).is_bool_or_bool_vector() =>
        {
            Some(op)
        }
        _ => None,
    }
}

/// The scalar that a vector has as its first lane, with nothing in the others.
fn first_lane_alone(func: &Function, inst: ice_ir::Inst) -> Option<Value> {
    match *func.inst(inst) {
        InstData::InsertElement { vector, element, index }
            if func.int_value(index) == Some(0) && matches!(func.value_def(vector), ValueDef::Undef) =>
        {
            Some(element)
        }
        _ => None,
    }
}

impl X86 {
    /// Whether `def` is a step on the way to a vector of 256 bits, which the last one makes, `user` or one behind it.
    pub(in crate::lower) fn folds_into_extension<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        match *cx.func.inst(def) {
            InstData::Half { .. } => is_half_between(cx, def, user),
            InstData::Cast { op: CastOp::Bitcast, arg } => {
                step(cx.func, user).is_some() && loaded(cx, arg).is_some_and(|load| cx.folded(load).is_some())
            }
            InstData::Cast { .. } => next_step(cx, def).is_some(),
            InstData::InsertElement { .. } => {
                let is_loaded = first_lane_alone(cx.func, def).is_some_and(|load| cx.folded(load).is_some());
                is_loaded && matches!(cx.func.inst(user), InstData::Cast { op: CastOp::Bitcast, .. })
            }
            InstData::Load { .. } => {
                last_step_of_load(cx, def, user).is_some_and(|last| cx.may_delay(def, last))
            }
            _ => false,
        }
    }

    /// The instruction and its operand for the conversion `op` of `arg` to lanes of type `to`.
    pub(super) fn extended_lanes<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: CastOp,
        mut arg: Value,
        to: Type,
    ) -> Option<(SseOp, Src)> {
        // The steps before, from the last one on.
        while let Some(&InstData::Half { vector, .. }) = cx.folded(arg).map(|half| cx.func.inst(half))
            && let Some(&InstData::Cast { arg: before, .. }) =
                cx.folded(vector).map(|cast| cx.func.inst(cast))
        {
            arg = before;
        }
        let op = extension(op, cx.func.value_type(arg).element().bits(), to.element().bits())?;
        let memory = match cx.folded(arg).map(|inst| *cx.func.inst(inst)) {
            Some(InstData::Cast { op: CastOp::Bitcast, arg }) => {
                loaded(cx, arg).and_then(|load| self.folded_load(cx, load))
            }
            _ => None,
        };
        let src = match memory {
            Some(mem) => Src::Mem(mem),
            None => self.wide_src(cx, arg),
        };
        Some((op, src))
    }
}

/// The scalar that `vector` has as its first lane, if that was loaded.
fn loaded<S: Sink<Inst>>(cx: &Cx<'_, S>, vector: Value) -> Option<Value> {
    let scalar = first_lane_alone(cx.func, cx.func.defining_inst(vector)?)?;
    let load = cx.func.defining_inst(scalar)?;
    matches!(cx.func.inst(load), InstData::Load { .. }).then_some(scalar)
}

/// Whether `half` is the lower half that the same step as `user` has made before, for that alone.
fn is_half_between<S: Sink<Inst>>(cx: &Cx<'_, S>, half: ice_ir::Inst, user: ice_ir::Inst) -> bool {
    let InstData::Half { vector, half: 0 } = *cx.func.inst(half) else { return false };
    let Some(before) = cx.func.defining_inst(vector) else { return false };
    let op = step(cx.func, user);
    op.is_some() && step(cx.func, before) == op && only_user(cx, before) == Some(half)
}

/// The step behind `inst` that alone uses it, by its lower half.
fn next_step<S: Sink<Inst>>(cx: &Cx<'_, S>, inst: ice_ir::Inst) -> Option<ice_ir::Inst> {
    let half = only_user(cx, inst)?;
    only_user(cx, half).filter(|&user| is_half_between(cx, half, user))
}

fn only_user<S: Sink<Inst>>(cx: &Cx<'_, S>, inst: ice_ir::Inst) -> Option<ice_ir::Inst> {
    cx.uses.only_user_in_block(cx.func, inst, cx.func.result(inst)?)
}

/// The last step whose lanes are all in the scalar that `load` gives, which `user` alone uses.
fn last_step_of_load<S: Sink<Inst>>(
    cx: &Cx<'_, S>,
    load: ice_ir::Inst,
    user: ice_ir::Inst,
) -> Option<ice_ir::Inst> {
    let scalar = cx.func.result(load)?;
    first_lane_alone(cx.func, user).filter(|&element| element == scalar)?;
    let named = only_user(cx, user)?;
    let InstData::Cast { op: CastOp::Bitcast, .. } = cx.func.inst(named) else { return None };
    let mut last = only_user(cx, named)?;
    step(cx.func, last)?;
    while let Some(next) = next_step(cx, last) {
        last = next;
    }
    let lane = cx.func.value_type(cx.func.result(named)?).element().bits();
    let lanes = cx.func.value_type(cx.func.result(last)?).lanes();
    (lane * lanes <= cx.func.value_type(scalar).bits()).then_some(last)
}
