//! What the lowering rules of every target ask of a function.
//!
//! Cost: constant for each question.

use super::{Lower, ValueRegs};
use crate::mach::{MachInst, Sink};
use ice_ir::{Inst, InstData, Intrinsic, Signature, Type, Value};

/// The order of an atomic access that orders nothing else.
const RELAXED: i64 = 1;

/// Most instructions that a load is moved down.
const MAX_DELAY: u32 = 128;

impl<I: MachInst, S: Sink<I>> Lower<'_, I, S> {
    /// Whether `user`, which uses `value`, only does one thing or another by it: as a branch, or a choice between
    /// other values.
    #[inline]
    pub fn decides(&self, value: Value, user: Inst) -> bool {
        match *self.func.inst(user) {
            InstData::CondBr { .. } => true,
            InstData::Select { cond, .. } => cond == value,
            _ => false,
        }
    }

    /// Notes that the rule for the current instruction makes `value`, whose own turn comes later.
    pub fn note_made(&mut self, value: Value) {
        self.scratch.made.push(value);
    }

    /// Whether the rule for an instruction before has made `value`, whose turn it is. What had its turn is forgotten.
    pub(crate) fn take_made(&mut self, value: Value) -> bool {
        let made = &mut self.scratch.made;
        let place = made.iter().position(|&other| other == value);
        place.map(|place| made.swap_remove(place)).is_some()
    }

    /// The choice right behind the choice `select`, by a comparison of its own that equals that of `select`, and the values that are
    /// chosen from, which are there already.
    pub fn next_choice(&self, select: Inst) -> Option<(Inst, [Value; 2])> {
        let (func, uses) = (self.func, self.uses);
        let comparison_of = |select| {
            let &InstData::Select { cond, .. } = func.inst(select) else { return None };
            let inst = func.defining_inst(cond)?;
            let is_comparison = matches!(func.inst(inst), InstData::Icmp { .. } | InstData::Fcmp { .. });
            (is_comparison && uses.only_user_in_block(func, inst, cond) == Some(select)).then_some(inst)
        };
        let first = comparison_of(select)?;
        let next = func.layout.next_inst(func.layout.next_inst(select)?)?;
        let second = comparison_of(next).filter(|&inst| func.layout.prev_inst(next) == Some(inst))?;
        let &InstData::Select { if_true, if_false, .. } = func.inst(next) else { return None };
        let is_there = |value| self.is_constant(value) || self.plain_reg(value).is_some();
        let is_next = func.inst(first) == func.inst(second)
            && !uses.is_dead(next)
            && [if_true, if_false].into_iter().all(is_there);
        is_next.then_some((next, [if_true, if_false]))
    }

    /// The address that `inst` loads from, if it is a load or a relaxed atomic one, which volatile ones are, of up to a
    /// register.
    #[inline]
    pub fn loaded_address(&self, inst: Inst) -> Option<Value> {
        match *self.func.inst(inst) {
            InstData::Load { address, .. } => Some(address),
            InstData::CallIntrinsic { op: Intrinsic::AtomicLoad, args, .. } => match *self.func.args(args) {
                [address, order] if self.func.int_value(order) == Some(RELAXED) => Some(address),
                _ => None,
            },
            _ => None,
        }
    }

    /// The address that `inst` stores to, and the value, if it is a store or a relaxed atomic one.
    #[inline]
    pub fn stored(&self, inst: Inst) -> Option<(Value, Value)> {
        match *self.func.inst(inst) {
            InstData::Store { address, value, .. } => Some((address, value)),
            InstData::CallIntrinsic { op: Intrinsic::AtomicStore, args, .. } => match *self.func.args(args) {
                [value, address, order] if self.func.int_value(order) == Some(RELAXED) => {
                    Some((address, value))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether `load` reads the same right before `place`, which comes later in its block: nothing between them has
    /// a side effect. No, if they are far apart.
    pub fn may_delay(&self, load: Inst, place: Inst) -> bool {
        let mut next = self.func.layout.next_inst(load);
        for _ in 0..MAX_DELAY {
            match next {
                Some(inst) if inst == place => return true,
                Some(inst) if !self.func.inst(inst).has_side_effects() => {
                    next = self.func.layout.next_inst(inst);
                }
                _ => return false,
            }
        }
        false
    }

    /// The values that the inline assembly `inst` gives, in order.
    pub fn assembly_results(&self, inst: Inst) -> impl Iterator<Item = Value> + use<'_, I, S> {
        let func = self.func;
        let mut next = func.layout.next_inst(inst);
        let others = core::iter::from_fn(move || {
            let inst = next.filter(|&inst| matches!(func.inst(inst), InstData::Output { .. }))?;
            next = func.layout.next_inst(inst);
            func.result(inst)
        });
        func.result(inst).into_iter().chain(others)
    }

    /// The registers and types of the two results of the call `call`, by a signature that is not told if it has one
    /// result at most. A second result that nothing takes gets registers, too.
    #[inline(always)]
    pub fn call_results(
        &mut self,
        call: Inst,
        signature: Option<&Signature>,
    ) -> [Option<(ValueRegs, Type)>; 2] {
        let func = self.func;
        let first = func.result(call).map(|value| (self.regs(value), func.value_type(value)));
        let second = match signature.map(|signature| signature.second) {
            None | Some(Type::Void) => None,
            Some(ty) => {
                let next = func.layout.next_inst(call);
                let taken = next.filter(|&inst| matches!(func.inst(inst), InstData::SecondResult { .. }));
                let regs = match taken.and_then(|inst| func.result(inst)) {
                    Some(value) => self.regs(value),
                    None => self.temp(ty),
                };
                Some((regs, ty))
            }
        };
        [first, second]
    }
}
