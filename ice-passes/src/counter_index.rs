//! Which counters are nothing but indices of accesses, and how the accesses take up what a counter has lost.
//!
//! `base + (i << n)` is an operand of memory, and so is `base + (i << n) + number`: where all that a loop of one block does
//! with its counter `i` is to compute such sums for loads and stores, the counter may be less by a number and each sum more
//! by its multiple. The sums keep their values, so that others may use them too.
//!
//! Requires: exact use counts. Preserves: the value of each sum. Linear in the block.

use crate::insert::insert;
use alloc::vec::Vec;
use ice_ir::{BinaryOp, Block, Function, Inst, InstData, Uses, Value};

/// Most sums of a counter: each takes a larger number into its operands of memory.
const MAX_SUMS: usize = 16;

/// The sums that a counter is a part of. Reused from counter to counter.
#[derive(Default)]
pub(crate) struct CounterIndex {
    /// Multiples of the counter: the power of two, and how many uses are not known to be in sums.
    multiples: Vec<(Value, u8, u32)>,
    /// The sums, and the power of two that the counter is multiplied by there.
    sums: Vec<(Inst, u8)>,
    /// Sums of those and a number.
    numbered: Vec<Inst>,
}

impl CounterIndex {
    /// Finds the sums of `counter` in `block`. Whether they are all that instructions there but `others` do with it, which are
    /// `count` operands; `uses` says how many each value is in the function.
    pub(crate) fn find(
        &mut self,
        func: &Function,
        uses: &Uses,
        block: Block,
        (counter, count): (Value, u32),
        others: [Inst; 2],
    ) -> bool {
        self.multiples.clear();
        self.sums.clear();
        self.numbered.clear();
        let mut found = 0;
        for inst in func.block_insts(block).filter(|inst| !others.contains(inst)) {
            let is_known = match *func.inst(inst) {
                InstData::Phi { .. } => true,
                InstData::Binary { op: BinaryOp::Shl, args: [a, b] } if a == counter => {
                    let (Some(power @ 1..=3), Some(result)) = (func.int_value(b), func.result(inst)) else {
                        return false;
                    };
                    found += 1;
                    self.multiples.push((result, power as u8, uses.count_if_known(result)));
                    true
                }
                InstData::Binary { op: BinaryOp::Add, args: [a, b] } => {
                    let parts = [a, b].map(|value| self.multiple(counter, value));
                    match (parts, self.is_sum(func, a)) {
                        ([None, None], true) if func.int_value(b).is_some() => {
                            self.numbered.push(inst);
                            true
                        }
                        ([Some(_), None], false) if func.int_value(b).is_some() => false,
                        ([None, Some(_)], false) if func.int_value(a).is_some() => false,
                        ([Some((power, n)), None] | [None, Some((power, n))], false) => {
                            match n {
                                Some(n) => self.multiples[n].2 = self.multiples[n].2.wrapping_sub(1),
                                None => found += 1,
                            }
                            self.sums.push((inst, power));
                            true
                        }
                        (parts, _) => parts == [None, None],
                    }
                }
                InstData::Load { .. } => !self.reads(func, counter, inst),
                InstData::Store { value, .. } => {
                    !self.reads(func, counter, inst) && !self.is_sum(func, value)
                }
                _ => !self.reads(func, counter, inst),
            };
            if !is_known {
                return false;
            }
        }
        found == count && self.sums.len() <= MAX_SUMS && self.multiples.iter().all(|multiple| multiple.2 == 0)
    }

    /// Whether `inst` reads the counter or a multiple of it.
    fn reads(&self, func: &Function, counter: Value, inst: Inst) -> bool {
        let mut is_read = false;
        func.for_each_operand(inst, |value| is_read |= self.multiple(counter, value).is_some());
        is_read
    }

    /// The power of two that the counter is multiplied by in `value`, and which multiple that is.
    fn multiple(&self, counter: Value, value: Value) -> Option<(u8, Option<usize>)> {
        if value == counter {
            return Some((0, None));
        }
        let n = self.multiples.iter().position(|multiple| multiple.0 == value)?;
        Some((self.multiples[n].1, Some(n)))
    }

    fn is_sum(&self, func: &Function, value: Value) -> bool {
        func.defining_inst(value).is_some_and(|def| self.sums.iter().any(|sum| sum.0 == def))
    }

    /// Adds the multiples of `number` to the sums.
    pub(crate) fn add(&self, func: &mut Function, number: i64) {
        for &(sum, power) in &self.sums {
            let InstData::Binary { args, .. } = *func.inst(sum) else { continue };
            let ty = func.value_type(args[0]);
            let less = insert(func, sum, sum, InstData::Binary { op: BinaryOp::Add, args }, ty);
            let Some(less) = func.result(less) else { continue };
            let number = func.make_int(ty, number << power);
            *func.inst_mut(sum) = InstData::Binary { op: BinaryOp::Add, args: [less, number] };
        }
        for &inst in &self.numbered {
            let InstData::Binary { args: [sum, number], .. } = *func.inst(inst) else { continue };
            let def = func.defining_inst(sum).map(|def| *func.inst(def));
            if let Some(InstData::Binary { args: [less, more], .. }) = def
                && let (Some(number), Some(more)) = (func.int_value(number), func.int_value(more))
            {
                let number = func.make_int(func.value_type(sum), number.wrapping_add(more));
                *func.inst_mut(inst) = InstData::Binary { op: BinaryOp::Add, args: [less, number] };
            }
        }
    }
}
