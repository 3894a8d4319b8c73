//! Counters of loops: the phis that advance by a number, and new ones that start with a sum and advance as it does.

use crate::address_sums::{Step, Sum, Term};
use crate::insert::insert;
use ice_ir::{BinaryOp, Block, Function, Inst, InstData, Type, Value};

/// A variable of a loop that advances by a number, which is neither zero nor the least.
#[derive(Clone, Copy)]
pub(crate) struct Variable {
    pub(crate) phi: Inst,
    pub(crate) value: Value,
    pub(crate) first: Value,
    /// What gives the next value, and by how much that is more.
    pub(crate) step: Inst,
    pub(crate) next: Value,
    pub(crate) by: i64,
}

impl Variable {
    /// The one that `phi` is, in a loop whose next round begins from `latch` alone, and which is entered from one block.
    pub(crate) fn of(func: &Function, latch: Block, phi: Inst) -> Option<Variable> {
        let &InstData::Phi { incoming } = func.inst(phi) else { return None };
        let value = func.result(phi)?;
        let (first, next) = match *func.incoming(incoming) {
            [(next, from), (first, _)] | [(first, _), (next, from)] if from == latch => (first, next),
            _ => return None,
        };
        let step = func.defining_inst(next)?;
        let by = match *func.inst(step) {
            InstData::Binary { op: BinaryOp::Add, args: [a, b] } if a == value => func.int_value(b)?,
            InstData::Binary { op: BinaryOp::Sub, args: [a, b] } if a == value => {
                func.int_value(b)?.checked_neg()?
            }
            _ => return None,
        };
        (by != 0 && by != i64::MIN).then_some(Variable { phi, value, first, step, next, by })
    }
}

/// Where counters of a loop go.
pub(crate) struct Place {
    header: Block,
    latch: Block,
    preheader: Block,
    /// Before these, at the end of the pre-header and of the latch.
    before_loop: Inst,
    pub(crate) before_round: Inst,
    pub(crate) pointer: Type,
}

impl Place {
    pub(crate) fn of(
        func: &Function,
        (header, latch): (Block, Block),
        preheader: Block,
        sum: &Sum,
        pointer: Type,
    ) -> Option<Place> {
        // Beside the step of a counter: nothing comes between a comparison and its branch.
        let old_step = sum.terms().find(Term::is_counter).and_then(|term| {
            let counter = match term.step? {
                Step::Number(_) => term.value,
                Step::Multiple { counter, .. } => counter,
            };
            let InstData::Phi { incoming } = *func.inst(func.defining_inst(counter)?) else { return None };
            let &(next, _) = func.incoming(incoming).iter().find(|&&(_, pred)| pred == latch)?;
            func.defining_inst(next).filter(|&next| func.layout.block_of(next) == Some(latch))
        });
        let before_round = old_step.or(func.layout.last_inst(latch))?;
        let before_loop = func.layout.last_inst(preheader)?;
        Some(Place { header, latch, preheader, before_loop, before_round, pointer })
    }

    /// A phi that starts with `sum` and advances with its counters.
    pub(crate) fn make_counter(&self, func: &mut Function, origin: Inst, sum: &Sum) -> Value {
        let start = self.start(func, origin, sum);
        let distance = self.distance(func, origin, sum);
        let counter = func.make_forward(self.pointer);
        let next = make(func, self.before_round, origin, BinaryOp::Add, [counter, distance]);
        let incoming = func.make_incoming(&[(start, self.preheader), (next, self.latch)]);
        let phi = func.make_inst_defining(InstData::Phi { incoming }, counter);
        match func.layout.first_inst(self.header) {
            Some(first) => func.layout.insert_before(first, phi),
            None => func.layout.append_inst(self.header, phi),
        }
        counter
    }

    /// The value of `sum` in the first round, computed in front of the loop.
    pub(crate) fn start(&self, func: &mut Function, origin: Inst, sum: &Sum) -> Value {
        let mut number = sum.number;
        let mut value = None;
        for term in sum.terms() {
            let first = self.first_value(func, origin, term);
            if let Some(known) = func.int_value(first) {
                number = number.wrapping_add(known.wrapping_mul(term.factor));
                continue;
            }
            let multiple = self.multiple(func, origin, first, term.factor);
            value = Some(self.add(func, origin, value, multiple));
        }
        match value {
            Some(value) if number == 0 => value,
            _ => {
                let number = func.make_int(self.pointer, number);
                self.add(func, origin, value, number)
            }
        }
    }

    /// By how much `sum` advances, computed in front of the loop.
    pub(crate) fn distance(&self, func: &mut Function, origin: Inst, sum: &Sum) -> Value {
        let number = sum.distance();
        let mut distance = None;
        for (of, factor) in sum.multiples() {
            let multiple = self.multiple(func, origin, of, factor);
            distance = Some(self.add(func, origin, distance, multiple));
        }
        match distance {
            Some(distance) if number == 0 => distance,
            _ => {
                let number = func.make_int(self.pointer, number);
                self.add(func, origin, distance, number)
            }
        }
    }

    /// The sum of a value, if there is one, and another, computed in front of the loop.
    pub(crate) fn add(&self, func: &mut Function, origin: Inst, a: Option<Value>, b: Value) -> Value {
        match a {
            Some(a) => make(func, self.before_loop, origin, BinaryOp::Add, [a, b]),
            None => b,
        }
    }

    /// The value of a term's value in the first round.
    pub(crate) fn first_value(&self, func: &mut Function, origin: Inst, term: Term) -> Value {
        match term.step {
            None => term.value,
            Some(Step::Number(_)) => self.first_of_phi(func, term.value),
            Some(Step::Multiple { counter, of, .. }) => {
                let first = self.first_of_phi(func, counter);
                match func.int_value(first) {
                    Some(0) => first,
                    Some(factor) => self.multiple(func, origin, of, factor),
                    None => make(func, self.before_loop, origin, BinaryOp::Mul, [first, of]),
                }
            }
        }
    }

    /// The value of a phi of the header in the first round.
    pub(crate) fn first_of_phi(&self, func: &Function, phi: Value) -> Value {
        let incoming = match func.defining_inst(phi).map(|def| *func.inst(def)) {
            Some(InstData::Phi { incoming }) => func.incoming(incoming),
            _ => &[],
        };
        let from_outside = incoming.iter().find(|&&(_, pred)| pred == self.preheader);
        from_outside.map_or(phi, |&(first, _)| first)
    }

    pub(crate) fn multiple(&self, func: &mut Function, origin: Inst, value: Value, factor: i64) -> Value {
        if factor == 1 {
            return value;
        }
        let (op, by) = match factor.count_ones() {
            1 if factor > 0 => (BinaryOp::Shl, i64::from(factor.trailing_zeros())),
            _ => (BinaryOp::Mul, factor),
        };
        let by = func.make_int(self.pointer, by);
        make(func, self.before_loop, origin, op, [value, by])
    }
}

/// A new instruction in front of `before`, for the same place of the source as `origin`.
pub(crate) fn make(func: &mut Function, before: Inst, origin: Inst, op: BinaryOp, args: [Value; 2]) -> Value {
    let ty = func.value_type(args[0]);
    let inst = insert(func, before, origin, InstData::Binary { op, args }, ty);
    func.result(inst).expect("the type is not void")
}

/// `value` shifted left by `power` in front of `before`, for the same place of the source as `origin`.
pub(crate) fn make_scaled(
    func: &mut Function,
    before: Inst,
    origin: Inst,
    value: Value,
    power: u32,
) -> Value {
    if power == 0 {
        return value;
    }
    let power = func.make_int(func.value_type(value), power.into());
    make(func, before, origin, BinaryOp::Shl, [value, power])
}

/// Lets `inst` compute its result otherwise, in front of `before`.
pub(crate) fn redefine(func: &mut Function, inst: Inst, before: Inst, data: InstData) {
    *func.inst_mut(inst) = data;
    func.layout.remove_inst(inst);
    func.layout.insert_before(before, inst);
}
