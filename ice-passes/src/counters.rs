//! Counters that only count go to zero.
//!
//! A counter that nobody reads but its own step and the comparison for equality that ends its loop may start and end
//! anywhere: it starts at its distance from the bound and ends at zero (LLVM's loop strength reduction does so too). The
//! step then sets the flags that the branch needs, or the branch compares with zero, and the bound needs no register. A
//! bound that is not a number is taken off in front of the loop.
//!
//! Where operands of memory add two registers and a number, a counter between two numbers may also be the index of
//! accesses (`counter_index.rs`): their addresses take up what the counter has lost.
//!
//! Requires: the step of a loop's counter in the loop's last block, and what uses it. Preserves: blocks, and all but the
//! counter's numbers and those of addresses.

use crate::counter_index::CounterIndex;
use crate::insert::insert;
use ice_ir::{BinaryOp, Block, Function, Inst, InstData, IntCond, LoopForest, Uses, Value};

/// Largest number that addresses take up.
const MAX_NUMBER: u64 = 1 << 24;

/// What counters are looked at with.
pub(crate) struct Counting<'a> {
    pub(crate) loops: &'a LoopForest,
    pub(crate) uses: &'a Uses,
    /// Whether an access adds two registers and a number.
    pub(crate) adds: bool,
    pub(crate) index: &'a mut CounterIndex,
}

/// A phi of a loop's header, and its next value by `def` in `latch`.
#[derive(Clone, Copy)]
pub(crate) struct Counter {
    pub(crate) header: Block,
    pub(crate) latch: Block,
    pub(crate) phi: Value,
    pub(crate) next: Value,
    pub(crate) def: Inst,
}

impl Counter {
    /// Whether it is worth a look at all uses.
    pub(crate) fn may_count_to_zero(&self, func: &Function, uses: &Uses) -> bool {
        let may_be_index = || self.header == self.latch && self.is_from_number(func);
        uses.count_if_known(self.next) <= 2
            && (uses.count_if_known(self.phi) <= 2 || may_be_index())
            && self.equality(func).is_some()
    }

    /// Lets it end at zero, if it only counts. Whether it did.
    pub(crate) fn count_to_zero(&self, func: &mut Function, counting: &mut Counting<'_>) -> bool {
        let Some((comparison, compared, bound)) = self.comparison(func, counting) else { return false };
        let Some(step) = self.step(func) else { return false };
        let Some(end) = func.layout.last_inst(self.latch) else { return false };
        // Where the present value is compared, the next one has the bound and the step.
        let (ahead, own_uses) = if compared == self.phi { (step, 2) } else { (0, 1) };
        let phi_uses = counting.uses.count_if_known(self.phi);
        if phi_uses > own_uses {
            let number = func.int_value(bound).map(|bound| bound.wrapping_add(ahead));
            let others = (self.phi, phi_uses - own_uses);
            let Some(number) = number.filter(|&n| n != 0 && n.unsigned_abs() <= MAX_NUMBER) else {
                return false;
            };
            if !counting.adds
                || self.header != self.latch
                || !self.is_from_number(func)
                || !counting.index.find(func, counting.uses, self.header, others, [self.def, comparison])
                || !self.start_at_distance(func, bound, ahead)
            {
                return false;
            }
            counting.index.add(func, number);
        } else if func.int_value(bound) != Some(ahead.wrapping_neg())
            && !self.start_at_distance(func, bound, ahead)
        {
            return false;
        }
        let zero = func.make_int(func.value_type(bound), 0);
        if let InstData::Icmp { cond, .. } = *func.inst(comparison) {
            *func.inst_mut(comparison) = InstData::Icmp { cond, args: [self.next, zero] };
        }
        // The flags of the step are those of the comparison if nothing comes between.
        for inst in [self.def, comparison] {
            func.layout.remove_inst(inst);
            func.layout.insert_before(end, inst);
        }
        true
    }

    /// The comparison of it for equality that ends the loop.
    fn equality(&self, func: &Function) -> Option<(Inst, [Value; 2])> {
        let &InstData::CondBr { cond, .. } = func.terminator(self.latch)? else { return None };
        let comparison = func.defining_inst(cond)?;
        match *func.inst(comparison) {
            InstData::Icmp { cond: IntCond::Eq | IntCond::Ne, args }
                if args.contains(&self.phi) || args.contains(&self.next) =>
            {
                Some((comparison, args))
            }
            _ => None,
        }
    }

    /// The comparison of the counter that ends the loop, the value that is compared, and the bound, if the counter has no
    /// other uses.
    fn comparison(&self, func: &Function, counting: &Counting<'_>) -> Option<(Inst, Value, Value)> {
        let (comparison, args) = self.equality(func)?;
        let (compared, bound) = match args {
            [a, b] if a == self.phi || a == self.next => (a, b),
            [a, b] => (b, a),
        };
        let next_uses = if compared == self.phi { 1 } else { 2 };
        let is_fixed = func.defining_inst(bound).is_none_or(|def| {
            let block = func.layout.block_of(def);
            block.is_some_and(|block| !counting.loops.contains(self.header, block))
        });
        // It will be computed at the end of the block.
        let is_alone =
            func.result(comparison).is_some_and(|result| counting.uses.count_if_known(result) == 1);
        (is_alone
            && counting.uses.count_if_known(self.next) == next_uses
            && is_fixed
            && func.layout.block_of(comparison) == Some(self.latch))
        .then_some((comparison, compared, bound))
    }

    /// By how much it counts.
    fn step(&self, func: &Function) -> Option<i64> {
        match *func.inst(self.def) {
            InstData::Binary { op: BinaryOp::Add, args: [a, b] } if a == self.phi => func.int_value(b),
            InstData::Binary { op: BinaryOp::Sub, args: [a, b] } if a == self.phi => {
                func.int_value(b).map(i64::wrapping_neg)
            }
            _ => None,
        }
    }

    /// Whether its first value is a number, from one block.
    fn is_from_number(&self, func: &Function) -> bool {
        let phi = func.defining_inst(self.phi).map(|phi| *func.inst(phi));
        let Some(InstData::Phi { incoming }) = phi else { return false };
        let mut others = func.incoming(incoming).iter().filter(|&&(_, from)| from != self.latch);
        others.next().is_some_and(|&(first, _)| func.int_value(first).is_some()) && others.next().is_none()
    }

    /// Takes `bound + ahead` off its first value. Whether there is a place for that.
    fn start_at_distance(&self, func: &mut Function, bound: Value, ahead: i64) -> bool {
        let Some(phi) = func.defining_inst(self.phi) else { return false };
        let &InstData::Phi { incoming } = func.inst(phi) else { return false };
        let (first, pred) = match *func.incoming(incoming) {
            [(_, latch), first] | [first, (_, latch)] if latch == self.latch => first,
            _ => return false,
        };
        let is_address = |value| func.is_constant(value) && func.int_value(value).is_none();
        if is_address(first) || is_address(bound) {
            return false;
        }
        let ty = func.value_type(bound);
        let number = func.int_value(bound).map(|bound| bound.wrapping_add(ahead));
        let start = match (func.int_value(first), number) {
            (Some(first), Some(number)) => func.make_int(ty, first.wrapping_sub(number)),
            (first_number, number) => {
                let Some(end) = func.layout.last_inst(pred) else { return false };
                // Where the loop may be passed by, that is taken off in vain then.
                if !matches!(func.inst(end), InstData::Br { .. } | InstData::CondBr { .. }) {
                    return false;
                }
                let (a, b) = match (first_number, number) {
                    (_, Some(number)) => (first, func.make_int(ty, number)),
                    (Some(first), None) => (func.make_int(ty, first.wrapping_sub(ahead)), bound),
                    (None, None) if ahead == 0 => (first, bound),
                    (None, None) => return false,
                };
                let data = InstData::Binary { op: BinaryOp::Sub, args: [a, b] };
                let difference = insert(func, end, self.def, data, ty);
                match func.result(difference) {
                    Some(start) => start,
                    None => return false,
                }
            }
        };
        for (value, from) in func.incoming_mut(incoming) {
            if *from == pred {
                *value = start;
            }
        }
        true
    }
}
