//! Steps of loops that are computed on the edge back.
//!
//! Where a phi of a loop's header is still needed when the loop's last block ends, by the comparison that ends it or behind
//! the loop, its next value and its present one live at once: the edge back then has a move. If only the phi needs the
//! next value, it is computed on that edge instead, in a block of its own, where the present one ends:
//! `while (a[i] < x) i++` then counts in one register, and whoever comes behind the loop finds `i` there. The block takes
//! the place of the one that the move would need. Where the next value is needed behind the loop beside the present one, it
//! is computed there once more. Counters that only count end at zero (`counters.rs`).
//!
//! Requires: a verified function without dead instructions but for such as the counts have, its loop forest and exact use
//! counts, and the steps of loops, each in the place in its block where it should stay. Preserves: the order of side
//! effects; adds blocks. Linear in the loops if a step's next value has other uses than the phi, or it may end at zero, or
//! else in the steps.

use crate::changed::Changed;
use crate::counter_index::CounterIndex;
use crate::counters::{Counter, Counting};
use crate::insert::insert;
use crate::split::split_edge;
use alloc::vec::Vec;
use cranelift_entity::EntityRef;
use ice_ir::{Block, ControlFlowGraph, Function, Inst, InstData, LoopForest, Uses, Value};

/// How many steps debug builds count the uses of anew.
const CHECKED: usize = 8;

/// A step that may go to the edge back.
#[derive(Clone, Copy)]
struct Step {
    phi: Value,
    next: Value,
    def: Inst,
    latch: Block,
    header: Block,
    /// Whether the phi is needed at the end of the loop's last block.
    overlaps: bool,
    /// Whether the next value has uses in the loop, beside the phi, and behind it.
    is_used: bool,
    is_used_behind: bool,
    /// How many uses of the phi and of the next value were not found yet.
    uses_left: [u32; 2],
}

impl Step {
    fn counter(&self) -> Counter {
        let &Step { header, latch, phi, next, def, .. } = self;
        Counter { header, latch, phi, next, def }
    }
}

/// Vectors of this. Reused from function to function.
#[derive(Default)]
pub(crate) struct BackEdges {
    steps: Vec<Step>,
    /// Whether any of them asks for a look at all operands in loops.
    needs_look: bool,
    /// By value: its number among the phis and next values of the steps, in turns, counted from 1.
    numbers: Vec<u32>,
    /// By block: whether it is the header of a loop with steps, or of one inside.
    has_steps: Vec<bool>,
    index: CounterIndex,
    /// Headers, and the blocks that were made on edges back to them.
    edges: Vec<(Block, Block)>,
    /// What computes a next value behind its loop.
    copies: Vec<(Block, Value, Value)>,
}

impl BackEdges {
    /// Forgets the steps of the function before.
    pub(crate) fn begin(&mut self) {
        self.steps.clear();
        self.needs_look = false;
    }

    /// Notes that `def` in `latch` gives `phi` its next value, if something may come of that. `is_compared` if the comparison
    /// that ends the block reads the phi.
    pub(crate) fn note(
        &mut self,
        func: &Function,
        (loops, uses): (&LoopForest, &Uses),
        (phi, def): (Value, Inst),
        latch: Block,
        is_compared: bool,
    ) {
        let header = func.defining_inst(phi).and_then(|phi| func.layout.block_of(phi));
        let (Some(header), Some(next)) = (header, func.result(def)) else { return };
        let Some(&InstData::CondBr { if_true, if_false, .. }) = func.terminator(latch) else { return };
        if !comes_by_one_edge(func, phi, next) {
            return;
        }
        // Blocks behind a loop mostly stand behind it: this saves most functions the look at all their operands.
        let last = uses.last_user(phi).and_then(|user| func.layout.block_of(user));
        let overlaps = is_compared || last.is_some_and(|last| !loops.contains(header, last));
        let step = Step {
            phi,
            next,
            def,
            latch,
            header,
            overlaps,
            is_used: false,
            is_used_behind: false,
            uses_left: [0; 2],
        };
        let may_count = step.counter().may_count_to_zero(func, uses);
        if (if_true == header) != (if_false == header) && (overlaps || may_count) {
            self.steps.push(step);
            self.needs_look |= may_count || uses.count_if_known(next) != 1;
        }
    }

    /// Lets counters end at zero, also as indices of accesses if each of these `adds` two registers and a number, and moves
    /// the steps whose phi is needed behind them.
    pub(crate) fn sink(
        &mut self,
        func: &mut Function,
        cfg: &ControlFlowGraph,
        loops: &mut LoopForest,
        uses: &Uses,
        adds: bool,
    ) -> Changed {
        if self.steps.is_empty() {
            return Changed::Nothing;
        }
        // Those of one edge stand together.
        self.steps.sort_by_key(|step| (step.header, step.latch));
        if self.needs_look {
            self.find_overlaps(func, loops, uses);
        }
        let mut counting = Counting { loops, uses, adds, index: &mut self.index };
        let has_one_way_in =
            self.steps.iter().any(|step| step.is_used_behind) && is_reducible(func, cfg, loops);
        self.copies.clear();
        self.edges.clear();
        let mut changed = Changed::Nothing;
        let mut start = 0;
        while let Some(&Step { latch, header, .. }) = self.steps.get(start) {
            let is_same = |step: &Step| (step.latch, step.header) == (latch, header);
            let end = start + self.steps[start..].iter().take_while(|step| is_same(step)).count();
            let exit = exit(func, cfg, latch, header).filter(|_| has_one_way_in);
            let mut edge = None;
            for step in &self.steps[start..end] {
                if step.counter().count_to_zero(func, &mut counting) {
                    changed = changed.max(Changed::Instructions);
                    continue;
                }
                let may_be_copied = exit.is_some() && matches!(func.inst(step.def), InstData::Binary { .. });
                if !step.overlaps || step.is_used || step.is_used_behind && !may_be_copied {
                    continue;
                }
                let edge = *edge.get_or_insert_with(|| {
                    let block = split_edge(func, latch, header);
                    self.edges.push((header, block));
                    block
                });
                let Some(jump) = func.layout.last_inst(edge) else { continue };
                if step.is_used_behind
                    && let Some((_, first)) = exit
                {
                    let (data, ty) = (*func.inst(step.def), func.value_type(step.next));
                    let copy = insert(func, first, step.def, data, ty);
                    self.copies.extend(func.result(copy).map(|copy| (header, step.next, copy)));
                }
                func.layout.remove_inst(step.def);
                func.layout.insert_before(jump, step.def);
                changed = Changed::KeptLoops;
            }
            start = end;
        }
        for &(header, block) in &self.edges {
            loops.add_block(block, Some(header));
        }
        self.rename(func, loops);
        changed
    }

    /// Finds the phis that are used behind their loops, and where next values are used. What is not found in these loops is
    /// behind them.
    fn find_overlaps(&mut self, func: &Function, loops: &LoopForest, uses: &Uses) {
        self.numbers.clear();
        self.numbers.resize(func.num_values(), 0);
        self.has_steps.clear();
        self.has_steps.resize(func.num_blocks(), false);
        for (n, step) in self.steps.iter_mut().enumerate() {
            self.numbers[step.phi.index()] = 2 * n as u32 + 1;
            // Of a sum of two phis that both become, only the last is looked at.
            let number = &mut self.numbers[step.next.index()];
            step.is_used = *number != 0;
            *number = 2 * n as u32 + 2;
            self.has_steps[step.header.index()] = true;
            step.uses_left = [step.phi, step.next].map(|value| uses.count_if_known(value));
        }
        debug_assert!(self.counts_hold(func), "other uses than were counted");
        // Those around come first.
        for header in loops.headers() {
            if loops.outer(header).is_some_and(|outer| self.has_steps[outer.index()]) {
                self.has_steps[header.index()] = true;
            }
        }
        let is_inside = |header: Block| self.has_steps[header.index()];
        for block in func.blocks().filter(|&block| loops.innermost(block).is_some_and(is_inside)) {
            for inst in func.block_insts(block) {
                func.for_each_operand(inst, |value| {
                    if let number @ 1.. = self.numbers[value.index()]
                        && let Some(step) = self.steps.get_mut((number as usize - 1) / 2)
                    {
                        let is_behind = !loops.contains(step.header, block);
                        let is_next = value == step.next;
                        let left = &mut step.uses_left[usize::from(is_next)];
                        *left = left.saturating_sub(1);
                        step.overlaps |= value == step.phi && is_behind;
                        step.is_used_behind |= is_next && is_behind;
                        step.is_used |= is_next && !is_behind && func.result(inst) != Some(step.phi);
                    }
                });
            }
        }
        for (n, step) in (0..).zip(&mut self.steps) {
            let [phi, next] = [step.phi, step.next].map(|value| self.numbers[value.index()]);
            let [phi_left, next_left] = step.uses_left.map(|left| left > 0);
            step.overlaps |= phi == 2 * n + 1 && phi_left;
            step.is_used_behind |= next == 2 * n + 2 && next_left;
        }
    }

    /// Whether the phis and next values of the first steps have as many uses as the counts say.
    fn counts_hold(&self, func: &Function) -> bool {
        let count = |wanted: Value| {
            let mut found = 0;
            let insts = func.blocks().flat_map(|block| func.block_insts(block));
            insts.for_each(|inst| func.for_each_operand(inst, |value| found += u32::from(value == wanted)));
            found
        };
        self.steps.iter().take(CHECKED).all(|step| [step.phi, step.next].map(count) == step.uses_left)
    }

    /// Lets the blocks behind the loops use the copies.
    fn rename(&self, func: &mut Function, loops: &LoopForest) {
        let mut at = func.layout.entry().filter(|_| !self.copies.is_empty());
        while let Some(block) = at {
            at = func.layout.next_block(block);
            let mut next = func.layout.first_inst(block);
            while let Some(inst) = next {
                next = func.layout.next_inst(inst);
                func.map_operands(inst, |value| {
                    let is_behind = |&&(header, old, _): &&(Block, Value, Value)| {
                        old == value && !loops.contains(header, block)
                    };
                    self.copies.iter().find(is_behind).map_or(value, |&(_, _, copy)| copy)
                });
            }
        }
    }
}

/// Whether a phi gets a value by one of its edges only. Where a loop has several ways back to its header, what is moved to one of
/// them is not computed on the others.
fn comes_by_one_edge(func: &Function, phi: Value, value: Value) -> bool {
    match func.defining_inst(phi).map(|inst| func.inst(inst)) {
        Some(&InstData::Phi { incoming }) => {
            func.incoming(incoming).iter().filter(|&&(incoming, _)| incoming == value).count() == 1
        }
        _ => false,
    }
}

/// The block that `latch` leaves the loop of `header` to, with its first instruction, if nothing else leads there: what the
/// latch computes and blocks behind the loop use comes through it.
fn exit(func: &Function, cfg: &ControlFlowGraph, latch: Block, header: Block) -> Option<(Block, Inst)> {
    let &InstData::CondBr { if_true, if_false, .. } = func.terminator(latch)? else { return None };
    let exit = if if_true == header { if_false } else { if_true };
    let first = func.layout.first_inst(exit)?;
    let is_pad = func.inst(first).is_further_result() || matches!(func.inst(first), InstData::Phi { .. });
    (cfg.preds(exit).len() == 1 && !is_pad).then_some((exit, first))
}

/// Whether each loop is entered at its header alone, so that what the latch computes comes out of the loop by its exit alone.
fn is_reducible(func: &Function, cfg: &ControlFlowGraph, loops: &LoopForest) -> bool {
    func.blocks().all(|block| {
        let innermost = loops.innermost(block);
        let around = if innermost == Some(block) { loops.outer(block) } else { innermost };
        around.is_none_or(|header| cfg.preds(block).iter().all(|&pred| loops.contains(header, pred)))
    })
}
