//! Registers that only carry values from slot to slot are given back.
//!
//! Problem: an interval has a register or a slot for all of its life. The variables of a long loop around calls, as an
//! interpreter is, live in slots; the parameters of the block where its ways meet again last for a few instructions, and get
//! registers. Then each way loads every variable, changed or not, and that block stores them all.
//!
//! Method: coalescing into memory, after the scan. A copy on an edge between a slot and a register is none if both values
//! live in one slot, which they may if they never live together. For each value with a register that such a copy names, this
//! is weighed against what the register saves: its operands, and copies to and from others that have it. A value that gains
//! goes to the slot, and those that edges connect it with are asked again.
//!
//! An edge counts as often as control takes it: the frequency of its target, shared out to the predecessors in proportion
//! to theirs. The weights of intervals count the frequency of its source, so that a block of many ways in would weigh as much
//! as all of them.
//!
//! Data: the edges as arguments and parameters, each in the lists of both. Cost: linear in arguments where a slot is copied to
//! or from a register at all, and bounded in how often values are asked.

use super::assign::Assign;
use super::slots::Slots;
use crate::function::Function;
use crate::memory::refill;
use crate::operand::Block;
use crate::ranges::Ranges;
use crate::scan::{NO_REG, NONE};
use alloc::vec::Vec;

/// The copy of an argument to a parameter on an edge.
#[derive(Clone, Copy, Debug)]
struct EdgeCopy {
    arg: u32,
    param: u32,
    /// Source and target of the edge.
    block: Block,
    succ: Block,
    /// The next copies of the argument and of the parameter.
    next: [u32; 2],
    /// How often it is executed.
    frequency: f32,
}

/// Lists of one function, kept for their memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Webs {
    copies: Vec<EdgeCopy>,
    /// For each virtual register, its last copy.
    heads: Vec<u32>,
    /// For each block with parameters, the sum of the frequencies of its predecessors, once that is known.
    inflow: Vec<f32>,
    /// Values to be asked, and whether each virtual register is one of them.
    asked: Vec<u32>,
    is_asked: Vec<bool>,
}

/// Copies that may be looked at: so many, and so many for each copy that there is.
const STEPS: usize = 1 << 12;
const STEPS_PER_COPY: usize = 8;

impl Webs {
    /// Joins arguments and parameters that live in slots, takes the registers away that only carry values between slots, and
    /// joins their values with those slots.
    pub fn join(&mut self, func: &Function, ranges: &mut Ranges, assign: &mut Assign, slots: &mut Slots) {
        self.asked.clear();
        self.copies.clear();
        for (block, succ, args) in func.edges_with_args() {
            for (&arg, &param) in args.iter().zip(func.block_params(succ)) {
                let (next, frequency) = ([NONE; 2], 0.0);
                let (arg, param) = (arg.as_u32(), param.as_u32());
                self.copies.push(EdgeCopy { arg, param, block, succ, next, frequency });
                match [arg, param].map(|v| ranges.has_register(v)) {
                    [true, true] => {}
                    [false, false] if slots.may_join(func, ranges, arg, param) => {
                        slots.join(ranges, arg, param);
                    }
                    [false, false] => {}
                    [in_register, _] => {
                        let v = if in_register { arg } else { param };
                        let interval = &ranges.intervals[v as usize];
                        // No more can be saved than all of its copies.
                        if interval.weight < 2.0 * interval.copies {
                            self.asked.push(v);
                        }
                    }
                }
            }
        }
        if self.asked.is_empty() {
            return;
        }
        self.connect(func, ranges);
        let mut steps = STEPS + STEPS_PER_COPY * self.copies.len();
        let mut any = false;
        let mut next = 0;
        while let Some(&v) = self.asked.get(next) {
            next += 1;
            self.is_asked[v as usize] = false;
            if !ranges.has_register(v) {
                continue;
            }
            let Some(gain) = self.gain(func, ranges, slots, v, &mut steps) else { break };
            if gain > 0.0 {
                ranges.intervals[v as usize].reg = NO_REG;
                any = true;
                self.follow(func, ranges, slots, v);
            }
        }
        if any {
            assign.release(ranges);
        }
    }

    /// Puts the copies into the lists of their values, finds out how often they are executed, and lists each value that is
    /// to be asked once.
    fn connect(&mut self, func: &Function, ranges: &Ranges) {
        let Webs { copies, heads, inflow, asked, is_asked } = self;
        refill(is_asked, ranges.intervals.len(), false);
        asked.retain(|&v| !core::mem::replace(&mut is_asked[v as usize], true));
        refill(inflow, func.num_blocks(), 0.0);
        refill(heads, ranges.intervals.len(), NONE);
        let frequency_of = |block: Block| ranges.frequency[block.as_u32() as usize];
        for (here, copy) in copies.iter_mut().enumerate() {
            let sum = &mut inflow[copy.succ.as_u32() as usize];
            if *sum == 0.0 {
                *sum = func.block_preds(copy.succ).iter().map(|&pred| frequency_of(pred)).sum();
            }
            let from = frequency_of(copy.block);
            copy.frequency = from * (frequency_of(copy.succ) / *sum).min(1.0);
            copy.next =
                [copy.arg, copy.param].map(|v| core::mem::replace(&mut heads[v as usize], here as u32));
        }
    }

    /// The copies that `v` is part of, and the other value of each.
    fn copies_of(&self, v: u32) -> impl Iterator<Item = (&EdgeCopy, u32)> {
        let mut next = self.heads[v as usize];
        core::iter::from_fn(move || {
            let copy = self.copies.get(next as usize)?;
            let (other, after) =
                if copy.arg == v { (copy.param, copy.next[0]) } else { (copy.arg, copy.next[1]) };
            next = after;
            Some((copy, other))
        })
    }

    /// What is saved if `v` lives in a slot, in executed instructions. `None` if there are no steps left.
    fn gain(
        &self,
        func: &Function,
        ranges: &Ranges,
        slots: &Slots,
        v: u32,
        steps: &mut usize,
    ) -> Option<f32> {
        let interval = &ranges.intervals[v as usize];
        if interval.old_read || interval.remat.is_some() {
            return Some(0.0);
        }
        let mut gain = interval.copies - interval.weight;
        // Nearly all partners are of one group.
        let mut last = (NONE, false);
        for (copy, other) in self.copies_of(v) {
            *steps = steps.checked_sub(1)?;
            let partner = &ranges.intervals[other as usize];
            if partner.reg != NO_REG {
                if partner.reg == interval.reg {
                    gain -= copy.frequency;
                }
            } else if partner.again().is_none() && partner.count > 0 {
                let leader = slots.leader(other);
                if leader != last.0 {
                    last = (leader, slots.may_join(func, ranges, v, other));
                }
                gain += if last.1 { copy.frequency } else { -copy.frequency };
            }
        }
        Some(gain)
    }

    /// Joins `v`, which lives in a slot now, with those that it can share it with, and asks those with registers.
    fn follow(&mut self, func: &Function, ranges: &Ranges, slots: &mut Slots, v: u32) {
        let (mut asked, mut is_asked) =
            (core::mem::take(&mut self.asked), core::mem::take(&mut self.is_asked));
        for (_, other) in self.copies_of(v) {
            if ranges.has_register(other) {
                if !core::mem::replace(&mut is_asked[other as usize], true) {
                    asked.push(other);
                }
            } else if slots.leader(v) != slots.leader(other) && slots.may_join(func, ranges, v, other) {
                slots.join(ranges, v, other);
            }
        }
        (self.asked, self.is_asked) = (asked, is_asked);
    }
}
