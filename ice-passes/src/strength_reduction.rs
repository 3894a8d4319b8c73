//! Addresses that advance by a fixed distance with each round of a loop are counted up, not computed anew.
//!
//! In an innermost loop, an address that is a sum of multiples of the loop's counters (phis that advance by a constant),
//! of values from outside the loop and of a number advances by the same distance each time. Where an operand of memory cannot
//! compute the sum, as for the product in `rows[i][j]` of a loop over `i`, a new counter takes its place: it starts in
//! front of the loop with the whole sum and advances by its distance, a number, or a multiple of what comes from outside
//! (`matrix[i * n + j]`), which is computed in front of the loop. Accesses of the same sum but for the number share
//! it. Several sums that differ only in what comes from outside the loop share one counter for the multiples, and what
//! comes from outside is added in front of the loop for each (so-called induction variables and their strength reduction;
//! Muchnick, "Advanced Compiler Design and Implementation", 14.1).
//!
//! Where an access does not add two registers and a number, each sum has a counter of its own. It is done where more
//! instructions of each round vanish than the counters take: an instruction vanishes if only vanishing ones and rewritten
//! accesses use it; sums and scales that an operand of memory computes do not count.
//!
//! Where an access steps its register, such a counter takes no instruction. If nothing but its own step and the comparison for
//! equality that ends the loop is left of a counter, it will go to zero ([`sink`](crate::sink())), and the comparison is part
//! of that: so it is done also where operands of memory compute all addresses.
//!
//! Pointers beside a counter become sums of it first, where an access adds two registers and a number (`merge_counters.rs`).
//!
//! Requires: a verified function, its flow graph, loop forest and use counts, and a dominator tree that knows the blocks of
//! innermost loops. Preserves: all but addresses of loads and stores and such counters; adds pre-headers ([`Changed::KeptLoops`] if it did).
//! What is no longer used is left for [`Uses`] to find dead. Linear in the instructions of innermost loops.

use crate::address_sums::{Step, Sum, Term};
use crate::changed::Changed;
use crate::loop_counters::{Place, make};
use crate::merge_counters::merge_counters;
use crate::preheader::{Graphs, Preheaders};
use crate::shared_steps::{Accesses, SharedSteps};
use alloc::vec::Vec;
use cranelift_entity::EntityRef;
use ice_ir::{
    Addressing, BinaryOp, Block, ControlFlowGraph, DominatorTree, Function, Inst, InstData, IntCond,
    LoopForest, Type, Uses, Value,
};

/// Deepest chain of sums that is looked through.
const MAX_DEPTH: u32 = 8;
/// Most operands of a header's phi.
const MAX_INCOMING: usize = 8;
/// Most addresses of a loop that one counter serves.
const MAX_ADDRESSES: usize = 64;
/// Largest number in an address, and largest distance.
const MAX_NUMBER: u64 = 1 << 24;
/// Most sums of a loop that get counters although operands of memory compute them.
const MAX_STEPPING: u32 = 4;
/// Largest distance by which accesses step their registers.
const MAX_STEP: u64 = 255;

/// Memory of the pass. Reused from function to function.
#[derive(Default)]
pub struct StrengthScratch {
    preheaders: Preheaders,
    shared: SharedSteps,
    /// By block, whether it is the header of a loop with loops in it.
    has_inner: Vec<bool>,
    /// By block, whether it is the header of a loop that control leaves from other blocks than the last as well.
    leaves_early: Vec<bool>,
    accesses: Vec<Access>,
    /// By value: which of its uses vanish.
    gone: Vec<Gone>,
    /// The values with such uses.
    touched: Vec<Value>,
}

/// A load or store at an address that advances.
#[derive(Clone, Copy)]
struct Access {
    header: Block,
    /// The block from which the next round begins.
    latch: Block,
    inst: Inst,
    address: Value,
    sum: Sum,
    /// How many bytes are accessed.
    size: i64,
    /// Whether an operand of memory computes the address.
    is_operand: bool,
    /// Whether the address is accessed, and not what is stored or handed on.
    is_access: bool,
    /// Whether some rounds pass it by.
    is_rare: bool,
    /// What comes from outside the loop, once computed in front of it.
    base: Option<Value>,
    /// Whether it was looked at, and whether it is the first of the same sum but for the number.
    is_done: bool,
    is_first: bool,
}

/// What of a value vanishes.
#[derive(Clone, Copy, Default)]
struct Gone {
    uses: u32,
    /// Whether one of the uses is as a term.
    is_term: bool,
}

/// What a value is in the sum of an address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// All of it.
    Address,
    /// All of it, where no access has the scale.
    Unscaled,
    /// What a number is added to.
    Numbered,
    /// A term.
    Term,
}

struct Pass<'a> {
    func: &'a mut Function,
    graphs: Graphs<'a>,
    uses: &'a Uses,
    pointer: Type,
    addressing: Addressing,
    scratch: &'a mut StrengthScratch,
}

/// Counts up addresses in the loops of `func`; `pointer` is the type of addresses.
pub fn reduce_strength(
    func: &mut Function,
    (pointer, addressing): (Type, Addressing),
    (cfg, tree, loops): (&ControlFlowGraph, &DominatorTree, &mut LoopForest),
    uses: &Uses,
    scratch: &mut StrengthScratch,
) -> Changed {
    if loops.num_loops() == 0 {
        return Changed::Nothing;
    }
    scratch.has_inner.clear();
    scratch.has_inner.resize(func.num_blocks(), false);
    for header in loops.headers() {
        if let Some(outer) = loops.outer(header) {
            scratch.has_inner[outer.index()] = true;
        }
    }
    scratch.leaves_early.clear();
    if matches!(addressing, Addressing::BaseOrIndex { steps: true }) {
        scratch.leaves_early.resize(func.num_blocks(), false);
    }
    scratch.preheaders.begin(func);
    let mut pass = Pass { func, graphs: (cfg, tree, loops), uses, pointer, addressing, scratch };
    let mut any = pass.merge_counters();
    pass.find_accesses();
    if pass.scratch.accesses.is_empty() && !any {
        return Changed::Nothing;
    }
    pass.scratch.accesses.sort_by_key(|access| access.header);
    pass.drop_rare();
    pass.scratch.touched.clear();
    pass.scratch.gone.clear();
    pass.scratch.gone.resize(pass.func.num_values(), Gone::default());
    let (steps, mut start, mut header) = (pass.steps(), 0, None);
    while let Some(&Access { header: of, sum, is_done, is_operand, .. }) = pass.scratch.accesses.get(start) {
        let is_first = header.replace(of) != Some(of);
        if !is_done {
            let rest = pass.scratch.accesses[start..].iter().take(MAX_ADDRESSES);
            let end = start + rest.take_while(|access| access.header == of).count();
            let is_stepping = is_first && steps && pass.step(start, end);
            any |= is_stepping || !is_operand && pass.reduce(start, end, sum);
        }
        start += 1;
    }
    if scratch.preheaders.add_to(loops) { Changed::KeptLoops } else { Changed::instructions(any) }
}

impl Pass<'_> {
    fn loops(&self) -> &LoopForest {
        self.graphs.2
    }

    /// Whether an access may step its register.
    fn steps(&self) -> bool {
        matches!(self.addressing, Addressing::BaseOrIndex { steps: true })
    }

    /// Lets pointers be sums of one counter in loops of one block, and of each other in others. Whether it did in any.
    fn merge_counters(&mut self) -> bool {
        let accesses = match self.addressing {
            Addressing::BaseAndIndex => Accesses::Sums,
            Addressing::BaseOrIndex { steps: true } => Accesses::Steps,
            _ => return false,
        };
        let (graphs, mut any) = (self.graphs, false);
        self.scratch.shared.begin(accesses);
        for header in graphs.2.headers() {
            // One variable alone has nothing to share a step with.
            if self.scratch.has_inner[header.index()] || !has_two_phis(self.func, header) {
                continue;
            }
            let Some(latch) = self.latch(header) else { continue };
            let place = (&mut self.scratch.preheaders, header);
            // Where accesses step their registers those of a loop of one block do.
            if latch == header && accesses == Accesses::Steps {
                continue;
            }
            if latch == header && merge_counters(self.func, self.pointer, graphs, self.uses, place) {
                any = true;
            } else {
                self.scratch.shared.note(self.func, self.pointer, (header, latch), self.uses);
            }
        }
        any | self.scratch.shared.share(self.func, self.pointer, graphs, &mut self.scratch.preheaders)
    }

    /// Finds the accesses that may gain.
    fn find_accesses(&mut self) {
        self.scratch.accesses.clear();
        let mut at = self.func.layout.entry();
        while let Some(block) = at {
            at = self.func.layout.next_block(block);
            let Some(header) = self.loops().innermost(block) else { continue };
            if self.scratch.has_inner[header.index()] {
                continue;
            }
            let Some(latch) = self.latch(header) else { continue };
            let is_outside = |&to: &Block| !self.loops().contains(header, to);
            if self.steps() && block != latch && self.graphs.0.succs(block).iter().any(is_outside) {
                self.scratch.leaves_early[header.index()] = true;
            }
            let is_rare = !self.graphs.1.dominates(block, latch);
            let own = |access: &Access| access.header == header && !access.is_rare;
            if is_rare && !self.scratch.accesses.iter().rev().take(MAX_ADDRESSES).any(own) {
                continue;
            }
            let ends = (header, latch);
            let mut next = self.func.layout.first_inst(block);
            while let Some(inst) = next {
                next = self.func.layout.next_inst(inst);
                if self.uses.is_dead_if_known(inst) {
                    continue;
                }
                match *self.func.inst(inst) {
                    InstData::Load { address, .. } => {
                        self.note(ends, is_rare, inst, address, self.func.result(inst));
                    }
                    InstData::Store { address, value, .. } => {
                        self.note(ends, is_rare, inst, address, Some(value));
                        self.note(ends, is_rare, inst, value, None);
                    }
                    InstData::Call { args, .. } => {
                        for n in 0..self.func.args(args).len() {
                            self.note(ends, is_rare, inst, self.func.args(args)[n], None);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Notes that `inst` uses `address` to access `accessed` there, or for something else, if the loop may gain.
    fn note(
        &mut self,
        ends: (Block, Block),
        is_rare: bool,
        inst: Inst,
        address: Value,
        accessed: Option<Value>,
    ) {
        if is_rare && accessed.is_none() {
            return;
        }
        let is_sum = |def| matches!(self.func.inst(def), InstData::Binary { op: BinaryOp::Add, .. });
        if accessed.is_none()
            && (self.func.value_type(address) != self.pointer
                || !self.func.defining_inst(address).is_some_and(is_sum))
        {
            return;
        }
        let Some(sum) = self.sum(ends.0, ends.1, address) else { return };
        let size = accessed.map_or(0, |value| self.func.value_type(value).bytes()).into();
        let is_operand = accessed.is_some() && sum.is_operand(self.addressing, size);
        if is_operand && (!self.steps() || sum.is_counter()) {
            return;
        }
        self.scratch.accesses.push(Access {
            header: ends.0,
            latch: ends.1,
            inst,
            address,
            sum,
            size,
            is_operand,
            is_access: accessed.is_some(),
            is_rare,
            base: None,
            is_done: false,
            is_first: false,
        });
    }

    /// Leaves those that some rounds pass by only where another access of each round has the same sum, but for the number.
    fn drop_rare(&mut self) {
        let accesses = &mut self.scratch.accesses;
        if !accesses.iter().any(|access| access.is_rare) {
            return;
        }
        let mut start = 0;
        while let Some(&Access { header, .. }) = accesses.get(start) {
            let end = start + accesses[start..].iter().take_while(|access| access.header == header).count();
            for n in start..end {
                let access = accesses[n];
                let has_same = |other: &Access| !other.is_rare && other.sum.has_same(&access.sum, is_any);
                if access.is_rare {
                    accesses[n].is_done =
                        end - start > MAX_ADDRESSES || !accesses[start..end].iter().any(has_same);
                }
            }
            start = end;
        }
        accesses.retain(|access| !access.is_done);
    }

    /// The one block of a loop from which its next round begins, if control enters it at its header alone.
    fn latch(&self, header: Block) -> Option<Block> {
        let (cfg, tree, loops) = self.graphs;
        let mut back = cfg.preds(header).iter().filter(|&&pred| loops.contains(header, pred));
        let latch = *back.next()?;
        (back.next().is_none() && tree.dominates(header, latch)).then_some(latch)
    }

    /// The terms of an address that advances.
    fn sum(&self, header: Block, latch: Block, address: Value) -> Option<Sum> {
        let mut sum = Sum::default();
        let is_sum = self.add(&mut sum, (header, latch), address, 1, MAX_DEPTH);
        let distance = sum.distance();
        let is_small = sum.number.unsigned_abs() <= MAX_NUMBER && distance.unsigned_abs() <= MAX_NUMBER;
        let advances = distance != 0 || sum.multiples().next().is_some();
        (is_sum && is_small && advances).then_some(sum)
    }

    /// Adds `factor * value`. Whether that is a sum of multiples of the counters of the loop and of what is from outside.
    fn add(&self, sum: &mut Sum, ends: (Block, Block), value: Value, factor: i64, depth: u32) -> bool {
        if let Some(number) = self.func.int_value(value) {
            sum.number = sum.number.wrapping_add(number.wrapping_mul(factor));
            return true;
        }
        let inside = self.func.defining_inst(value).filter(|&def| {
            let block = self.func.layout.block_of(def);
            block.is_none_or(|block| self.loops().contains(ends.0, block))
        });
        let Some(def) = inside else { return sum.add(Term { value, factor, step: None }) };
        if depth == 0 {
            return false;
        }
        match *self.func.inst(def) {
            InstData::Phi { .. } => {
                let step = self.advance(ends, def, value);
                step.is_some() && sum.add(Term { value, factor, step })
            }
            InstData::Binary { op, args: [a, b] } => match (op, self.func.int_value(b)) {
                (BinaryOp::Add, _) => {
                    self.add(sum, ends, a, factor, depth - 1) && self.add(sum, ends, b, factor, depth - 1)
                }
                (BinaryOp::Sub, _) => {
                    self.add(sum, ends, a, factor, depth - 1)
                        && self.add(sum, ends, b, factor.wrapping_neg(), depth - 1)
                }
                // The complement is the opposite, less one.
                (BinaryOp::Xor, Some(-1)) => {
                    sum.number = sum.number.wrapping_sub(factor);
                    self.add(sum, ends, a, factor.wrapping_neg(), depth - 1)
                }
                (BinaryOp::Shl, Some(amount @ 0..=31)) => {
                    self.add(sum, ends, a, factor.wrapping_mul(1 << amount), depth - 1)
                }
                (BinaryOp::Mul, Some(by)) => self.add(sum, ends, a, factor.wrapping_mul(by), depth - 1),
                (BinaryOp::Mul, None) => {
                    let step = self.multiple(ends, [a, b]).or_else(|| self.multiple(ends, [b, a]));
                    step.is_some() && sum.add(Term { value, factor, step })
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// By how much a product advances, if one factor is a counter and the other is from outside.
    fn multiple(&self, ends: (Block, Block), [counter, of]: [Value; 2]) -> Option<Step> {
        let is_inside = self.func.defining_inst(of).is_some_and(|def| {
            let block = self.func.layout.block_of(def);
            block.is_none_or(|block| self.loops().contains(ends.0, block))
        });
        let def = self.func.defining_inst(counter).filter(|_| !is_inside)?;
        match self.advance(ends, def, counter)? {
            Step::Number(by) => Some(Step::Multiple { counter, by, of }),
            Step::Multiple { .. } => None,
        }
    }

    /// By how much the phi `def` advances, if it does by a constant.
    fn advance(&self, (header, latch): (Block, Block), def: Inst, phi: Value) -> Option<Step> {
        let &InstData::Phi { incoming } = self.func.inst(def) else { return None };
        let incoming = self.func.incoming(incoming);
        if self.func.layout.block_of(def) != Some(header) || incoming.len() > MAX_INCOMING {
            return None;
        }
        let &(next, _) = incoming.iter().find(|&&(_, pred)| pred == latch)?;
        match *self.func.inst(self.func.defining_inst(next)?) {
            InstData::Binary { op: BinaryOp::Add, args: [a, b] } if a == phi => {
                self.func.int_value(b).map(Step::Number)
            }
            _ => None,
        }
    }

    /// Lets the accesses from `start` to `end` with the counters of `sum` count up, if that gains. Whether it did.
    fn reduce(&mut self, start: usize, end: usize, sum: Sum) -> bool {
        let mut sums = 0;
        let mut vanished = 0;
        for n in start..end {
            let access = self.scratch.accesses[n];
            if access.is_operand || !access.sum.has_same(&sum, Term::is_counter) {
                continue;
            }
            let accesses = &mut self.scratch.accesses[start..=n];
            accesses[n - start].is_done = true;
            accesses[n - start].is_first = is_first(accesses);
            sums += u32::from(accesses[n - start].is_first);
            vanished += self.drop_access(&access);
        }
        self.forget_uses();
        let counters = if self.addressing == Addressing::BaseAndIndex { 1 } else { sums };
        if vanished <= counters {
            return false;
        }
        let Access { header, latch, .. } = self.scratch.accesses[start];
        let graphs = self.graphs;
        let Some(preheader) = self.scratch.preheaders.of(self.func, graphs, header) else { return false };
        let place = Place::of(self.func, (header, latch), preheader, &sum, self.pointer);
        let Some(place) = place else { return false };
        if sums > counters {
            self.rewrite((start, end), &sum, Term::is_counter, &place);
            return true;
        }
        for n in start..end {
            let access = self.scratch.accesses[n];
            if access.is_first && access.sum.has_same(&sum, Term::is_counter) {
                self.rewrite((start, end), &access.sum, is_any, &place);
            }
        }
        true
    }

    fn forget_uses(&mut self) {
        for value in self.scratch.touched.drain(..) {
            self.scratch.gone[value.index()] = Gone::default();
        }
    }

    /// Gives all accesses from `start` to `end`, those of a loop, registers that they step, if less is left of the loop then.
    /// Whether it did.
    fn step(&mut self, start: usize, end: usize) -> bool {
        let (mut sums, mut counters, mut vanished) = (0, 0, 0);
        for n in start..end {
            let access = self.scratch.accesses[n];
            let accesses = &mut self.scratch.accesses[start..=n];
            accesses[n - start].is_first = is_first(accesses);
            if accesses[n - start].is_first {
                sums += 1;
                counters += u32::from(!steps_register(&self.scratch.accesses[start..end], &access.sum));
            }
            vanished += self.drop_access(&access);
        }
        let Access { header, latch, .. } = self.scratch.accesses[start];
        // A loop that is left early has few rounds, and the start of a counter costs something too.
        if !self.scratch.leaves_early[header.index()] {
            vanished += self.count_idle((header, latch));
        }
        self.forget_uses();
        if vanished <= counters || sums > MAX_STEPPING {
            return false;
        }
        let graphs = self.graphs;
        let Some(preheader) = self.scratch.preheaders.of(self.func, graphs, header) else { return false };
        for n in start..end {
            let access = self.scratch.accesses[n];
            self.scratch.accesses[n].is_done = true;
            if access.is_first
                && let Some(mut place) =
                    Place::of(self.func, (header, latch), preheader, &access.sum, self.pointer)
            {
                // Near the access that may step the register.
                let mut own = self.scratch.accesses[start..end].iter().rev();
                let last = own.find(|other| other.sum.has_same(&access.sum, is_any));
                let last = last.filter(|last| self.func.layout.block_of(last.inst) == Some(latch));
                if let Some(behind) = last.and_then(|last| self.func.layout.next_inst(last.inst)) {
                    place.before_round = behind;
                }
                self.rewrite((start, end), &access.sum, is_any, &place);
            }
        }
        true
    }

    /// How many counters of a loop have nothing left but their step and the comparison that ends the loop, where `gone` is gone.
    fn count_idle(&self, (header, latch): (Block, Block)) -> u32 {
        let Some(&InstData::CondBr { cond, .. }) = self.func.terminator(latch) else { return 0 };
        let comparison = self.func.defining_inst(cond).map(|inst| *self.func.inst(inst));
        let Some(InstData::Icmp { cond: IntCond::Eq | IntCond::Ne, args: [next, _] }) = comparison else {
            return 0;
        };
        let step = self.func.defining_inst(next).map(|inst| *self.func.inst(inst));
        let Some(InstData::Binary { op: BinaryOp::Add, args: [phi, _] }) = step else { return 0 };
        let is_counter =
            self.func.defining_inst(phi).is_some_and(|def| self.advance((header, latch), def, phi).is_some());
        // The step is the other use of the phi, and the phi of the step.
        let gone = self.scratch.gone.get(phi.index()).map_or(0, |gone| gone.uses);
        let is_idle = is_counter
            && gone > 0
            && self.uses.count_if_known(phi) == gone + 1
            && self.uses.count_if_known(next) == 2
            && self.uses.count_if_known(cond) == 1;
        u32::from(is_idle)
    }

    /// The use of the address by `access` vanishes. How many instructions do with it.
    fn drop_access(&mut self, access: &Access) -> u32 {
        let part = match access.is_access {
            false => Part::Term,
            true if access.is_operand => Part::Address,
            true => Part::Unscaled,
        };
        let vanished = self.drop_use((access.header, access.latch), access.address, part);
        // A sum with the number is left.
        let is_left = !access.is_access && access.sum.number != 0;
        vanished.saturating_sub(u32::from(is_left))
    }

    /// A use of `value` vanishes, as the address of an access or as a part of one. How many instructions of each round of the
    /// loop do with it that an operand of memory does not compute.
    fn drop_use(&mut self, ends: (Block, Block), value: Value, part: Part) -> u32 {
        let Some(def) = self.func.defining_inst(value) else { return 0 };
        let Some(block) =
            self.func.layout.block_of(def).filter(|&block| self.loops().contains(ends.0, block))
        else {
            return 0;
        };
        let Some(gone) = self.scratch.gone.get_mut(value.index()) else { return 0 };
        gone.uses += 1;
        gone.is_term |= part == Part::Term;
        let is_gone = gone.uses == self.uses.count_if_known(value);
        // One that is needed in a register is no part of an operand.
        let part = if gone.is_term { Part::Term } else { part };
        self.scratch.touched.push(value);
        let InstData::Binary { op, args: [a, b] } = *self.func.inst(def) else { return 0 };
        if !is_gone {
            return 0;
        }
        let number = self.func.int_value(b);
        let is_free = match (op, self.addressing) {
            (BinaryOp::Add, Addressing::Base) => part != Part::Term && number.is_some(),
            (BinaryOp::Add, Addressing::BaseOrIndex { .. }) => {
                part == Part::Address
                    || part == Part::Unscaled && !self.is_scale(a) && !self.is_scale(b)
                    || part != Part::Term && number.is_some()
            }
            (BinaryOp::Add, Addressing::BaseAndIndex) => part != Part::Term,
            (BinaryOp::Shl, Addressing::BaseOrIndex { .. } | Addressing::BaseAndIndex) => {
                matches!(number, Some(1..=3))
            }
            _ => false,
        };
        let rest = if part != Part::Term && number.is_some() { Part::Numbered } else { Part::Term };
        let is_saved = !is_free && self.graphs.1.dominates(block, ends.1);
        // Where operands of memory are such sums, results replace an operand, which is copied if it has other uses.
        let is_copied = self.addressing == Addressing::BaseAndIndex
            && self.uses.count_if_known(a) > 1
            && (op == BinaryOp::Sub || op == BinaryOp::Shl && !matches!(number, Some(1..=3)));
        let saved = if is_saved { 1 + u32::from(is_copied) } else { 0 };
        saved + self.drop_use(ends, a, rest) + self.drop_use(ends, b, Part::Term)
    }

    /// Whether `value` is a value shifted by a number.
    fn is_scale(&self, value: Value) -> bool {
        let def = self.func.defining_inst(value).map(|def| self.func.inst(def));
        matches!(def, Some(&InstData::Binary { op: BinaryOp::Shl, args: [_, by] }) if self.func.int_value(by).is_some())
    }

    /// Gives the accesses from `start` to `end` whose `same` terms are those of `sum` a counter for these.
    fn rewrite(&mut self, (start, end): (usize, usize), sum: &Sum, same: fn(&Term) -> bool, place: &Place) {
        let func = &mut *self.func;
        let accesses = &mut self.scratch.accesses[start..end];
        let origin = accesses[0].inst;
        let has_rest = sum.terms().any(|term| !same(&term));
        let first = if has_rest { sum.only(same) } else { *sum };
        let counter = place.make_counter(func, origin, &first);
        for n in 0..accesses.len() {
            let access = accesses[n];
            let Some(def) = func.defining_inst(access.address) else { continue };
            if !access.sum.has_same(sum, same) {
                continue;
            }
            let number = access.sum.number.wrapping_sub(first.number);
            if !has_rest && number == 0 {
                func.map_operands(access.inst, |old| if old == access.address { counter } else { old });
                continue;
            }
            if accesses[..n].iter().any(|other| other.address == access.address) {
                continue;
            }
            let mut args = [counter; 2];
            if has_rest {
                let has_base =
                    |other: &&Access| other.base.is_some() && other.sum.has_same(&access.sum, is_any);
                let known = accesses[..n].iter().find(has_base).and_then(|other| other.base);
                let base =
                    known.unwrap_or_else(|| place.start(func, origin, &access.sum.only(|term| !same(term))));
                accesses[n].base = Some(base);
                args[0] = base;
                if number != 0 {
                    args[0] = make(func, def, def, BinaryOp::Add, args);
                }
            }
            if number != 0 {
                args[1] = func.make_int(place.pointer, number);
            }
            *func.inst_mut(def) = InstData::Binary { op: BinaryOp::Add, args };
        }
    }
}

fn has_two_phis(func: &Function, block: Block) -> bool {
    let second = func.layout.first_inst(block).and_then(|first| func.layout.next_inst(first));
    second.is_some_and(|inst| matches!(func.inst(inst), InstData::Phi { .. }))
}

fn is_any(_: &Term) -> bool {
    true
}

/// Whether one of `accesses`, or two neighbours together, may step the register of `sum`, which they have but for the number.
fn steps_register(accesses: &[Access], sum: &Sum) -> bool {
    let own = || accesses.iter().filter(|access| access.sum.has_same(sum, is_any));
    let (least, most) = own().fold((i64::MAX, i64::MIN), |(least, most), access| {
        (least.min(access.sum.number), most.max(access.sum.number))
    });
    let is_near = own().all(|access| !access.is_rare)
        && own().all(|access| access.sum.number == least || access.sum.number == most)
        && own().all(|access| most == least || most - least == access.size);
    is_near && sum.multiples().next().is_none() && sum.distance().unsigned_abs() <= MAX_STEP
}

/// Whether no access before the last has its sum, but for the number.
fn is_first(accesses: &[Access]) -> bool {
    let Some((last, earlier)) = accesses.split_last() else { return false };
    earlier.iter().all(|other| !other.sum.has_same(&last.sum, is_any))
}
