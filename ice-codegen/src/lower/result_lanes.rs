//! Results of calls and functions of which each lane has a register of its own, while the IR knows vectors.
//!
//! What a function puts into such a vector only to return it goes to the registers of the lanes; what takes lanes of such a result
//! of a call has their registers. Where all uses of the result take lanes, the vector is not made at all.

use super::Lower;
use crate::mach::{MachInst, Sink, VReg};
use arrayvec::ArrayVec;
use ice_ir::{Inst, InstData, Results, Value, ValueDef};

/// Most lanes of such a result.
const MAX_LANES: usize = 4;

/// Most instructions behind a call that are searched for uses of its result.
const MAX_DISTANCE: usize = 64;

impl<I: MachInst, S: Sink<I>> Lower<'_, I, S> {
    /// The number of a lane of `vector`.
    fn lane(&self, vector: Value, index: Value) -> Option<usize> {
        let lanes = self.func.value_type(vector).lanes() as usize;
        self.func.int_value(index).map(|n| n as usize & (lanes - 1)).filter(|&n| n < MAX_LANES)
    }

    /// What is in the lanes of `value`, if insertions that nothing else uses put it together of nothing: `None` where anything may
    /// be.
    fn inserted_lanes(&self, mut value: Value) -> Option<ArrayVec<Option<Value>, MAX_LANES>> {
        let func = self.func;
        let count = func.value_type(value).lanes() as usize;
        let mut lanes: ArrayVec<Option<Value>, MAX_LANES> = (0..count.min(MAX_LANES)).map(|_| None).collect();
        while let Some(def) = func.defining_inst(value) {
            let &InstData::InsertElement { vector, element, index } = func.inst(def) else { return None };
            // The last insertion into a lane counts, and is met first.
            lanes.get_mut(self.lane(vector, index)?)?.get_or_insert(element);
            self.uses.only_user_in_block(func, def, value)?;
            value = vector;
        }
        (func.value_def(value) == ValueDef::Undef).then_some(lanes)
    }

    /// What is in the lanes of `value`, which is returned, if it was folded into the return.
    pub(crate) fn returned_lanes(&self, value: Value) -> Option<ArrayVec<Option<Value>, MAX_LANES>> {
        self.folded(value)?;
        self.inserted_lanes(value)
    }

    /// Whether `user` is, or comes before, the return of what `def`, an insertion, makes of lanes that have registers of their own.
    pub fn folds_into_return(&self, def: Inst, user: Inst) -> bool {
        let func = self.func;
        if self.module.signature(func.id).results != Results::Lanes {
            return false;
        }
        let (mut def, mut user) = (def, user);
        for _ in 0..=MAX_LANES {
            let Some(value) = func.result(def) else { return false };
            match *func.inst(user) {
                InstData::Ret { .. } | InstData::RetPair { .. } => {
                    return self.inserted_lanes(value).is_some();
                }
                InstData::InsertElement { vector, .. } if vector == value => {
                    let next = func.result(user);
                    let Some(next) = next.and_then(|next| self.uses.only_user_in_block(func, user, next))
                    else {
                        return false;
                    };
                    (def, user) = (user, next);
                }
                _ => return false,
            }
        }
        false
    }

    /// The result of the call being lowered that is in this register, and the instruction that defines it.
    fn result_in(&self, register: VReg) -> Option<(Value, Inst)> {
        let call = self.current_inst()?;
        let second = self.func.layout.next_inst(call);
        let second = second.filter(|&inst| matches!(self.func.inst(inst), InstData::SecondResult { .. }));
        [Some(call), second].into_iter().flatten().find_map(|inst| {
            let value = self.func.result(inst)?;
            (self.plain_reg(value) == Some(register)).then_some((value, inst))
        })
    }

    /// Lets what takes lanes of the result of the call being lowered that is the vector in `register` have the registers in which
    /// they come. Whether nothing else uses the vector.
    pub(crate) fn receive_lanes(&mut self, register: VReg, registers: &[VReg]) -> bool {
        let (func, uses) = (self.func, self.uses);
        let Some((vector, def)) = self.result_in(register) else { return false };
        let mut taken = 0;
        // Of each lane that was taken, how many of its uses are not known; insertions may ask for the vector instead.
        let mut unknown = ArrayVec::<(Value, u32), MAX_DISTANCE>::new();
        let behind = core::iter::successors(func.layout.next_inst(def), |&inst| func.layout.next_inst(inst));
        for inst in behind.take(MAX_DISTANCE) {
            match (*func.inst(inst), func.result(inst)) {
                (InstData::ExtractElement { vector: of, index }, Some(result)) if of == vector => {
                    if let Some(&register) = self.lane(vector, index).and_then(|lane| registers.get(lane))
                        && self.share(result, register)
                    {
                        unknown.push((result, uses.known_count(result).unwrap_or(u32::MAX)));
                        if !uses.is_dead(inst) {
                            self.note_made(result);
                            taken += 1;
                        }
                    }
                }
                (InstData::InsertElement { .. }, _) => {}
                // It names the call by its first result.
                (InstData::SecondResult { .. }, _) => {
                    func.for_each_operand(inst, |operand| taken += u32::from(operand == vector));
                }
                _ => func.for_each_operand(inst, |operand| {
                    for (value, left) in &mut unknown {
                        let is_use = *value == operand && !uses.is_dead(inst);
                        *left = left.saturating_sub(is_use.into());
                    }
                }),
            }
        }
        Some(taken) == uses.known_count(vector) && unknown.iter().all(|&(_, left)| left == 0)
    }
}
