//! Addresses that advance by a fixed distance with each round of a loop are counted up, not computed anew.
//!
//! In an innermost loop, an address that is a sum of multiples of the loop's counters (phis that advance by a constant),
//! of values from outside the loop and of a number advances by a constant itself. Where an operand of memory cannot
//! compute the sum, as for the product in `rows[i][j]` of a loop over `i`, a new counter takes its place: it starts in
//! front of the loop with the whole sum and advances by its distance. Accesses of the same sum but for the number share
//! it. Several sums that differ only in what comes from outside the loop share one counter for the multiples, and what
//! comes from outside is added in front of the loop for each (so-called induction variables and their strength reduction;
//! Muchnick, "Advanced Compiler Design and Implementation", 14.1).
//!
//! Where an access does not add two registers, each sum has a counter of its own. It is done where more instructions
//! of each round vanish than the counters take: an instruction vanishes if only vanishing ones and rewritten accesses
//! use it; sums and scales that an operand of memory computes do not count.
//!
//! Requires: a verified function, its flow graph, loop forest and use counts, and a dominator tree that knows the blocks of
//! innermost loops. Preserves: all but addresses of loads and stores; adds pre-headers ([`Changed::KeptLoops`] if it did).
//! What is no longer used is left for [`Uses`] to find dead. Linear in the instructions of innermost loops.

use crate::changed::Changed;
use crate::preheader::{Graphs, Preheaders};
use alloc::vec::Vec;
use cranelift_entity::EntityRef;
use ice_ir::{
    BinaryOp, Block, ControlFlowGraph, DominatorTree, Function, Inst, InstData, LoopForest, Type, Uses, Value,
};

/// Deepest chain of sums that is looked through.
const MAX_DEPTH: u32 = 8;
/// Most terms of an address, without its number.
const MAX_TERMS: usize = 4;
/// Most operands of a header's phi.
const MAX_INCOMING: usize = 8;
/// Most addresses of a loop that one counter serves.
const MAX_ADDRESSES: usize = 64;
/// Largest number in an address, and largest distance.
const MAX_NUMBER: u64 = 1 << 24;

/// Memory of the pass. Reused from function to function.
#[derive(Default)]
pub struct StrengthScratch {
    preheaders: Preheaders,
    /// By block, whether it is the header of a loop with loops in it.
    has_inner: Vec<bool>,
    accesses: Vec<Access>,
    /// By value: how many of its uses vanish.
    gone: Vec<u32>,
    /// The values with such uses.
    touched: Vec<Value>,
}

/// A load or store whose address no operand of memory computes.
#[derive(Clone, Copy)]
struct Access {
    header: Block,
    inst: Inst,
    address: Value,
    sum: Sum,
    /// What comes from outside the loop, once computed in front of it.
    base: Option<Value>,
    /// Whether it was looked at, and whether it is the first of the same sum but for the number.
    is_done: bool,
    is_first: bool,
}

/// Multiples of values, and a number.
#[derive(Clone, Copy, Default)]
struct Sum {
    terms: [Option<Term>; MAX_TERMS],
    number: i64,
}

/// `factor * value`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Term {
    value: Value,
    factor: i64,
    /// By how much the value advances in each round, if it is a counter.
    step: Option<i64>,
}

impl Sum {
    fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        self.terms.iter().flatten().copied()
    }

    /// Adds a term. Whether there is room.
    fn add(&mut self, term: Term) -> bool {
        let known = |slot: &&mut Option<Term>| slot.is_some_and(|known| known.value == term.value);
        if let Some(slot) = self.terms.iter_mut().find(known) {
            let factor = slot.map_or(0, |known| known.factor).wrapping_add(term.factor);
            *slot = (factor != 0).then_some(Term { factor, ..term });
            return true;
        }
        match self.terms.iter_mut().find(|slot| slot.is_none()) {
            Some(slot) => {
                *slot = Some(term);
                true
            }
            None => false,
        }
    }

    /// Whether `other` has every term of these that `is_asked` names, and none of that kind beside.
    fn has_same(&self, other: &Sum, is_asked: impl Fn(&Term) -> bool) -> bool {
        let count = |sum: &Sum| sum.terms().filter(&is_asked).count();
        count(self) == count(other)
            && self.terms().filter(&is_asked).all(|term| other.terms().any(|known| known == term))
    }

    /// The terms that `is_asked` names, without number.
    fn only(&self, is_asked: impl Fn(&Term) -> bool) -> Sum {
        let mut sum = *self;
        sum.number = 0;
        sum.terms.iter_mut().for_each(|slot| *slot = slot.filter(&is_asked));
        sum
    }

    /// By how much the sum advances in each round.
    fn distance(&self) -> i64 {
        self.terms().filter_map(|term| Some(term.factor.wrapping_mul(term.step?))).fold(0, i64::wrapping_add)
    }

    /// Whether an operand of memory computes it: a register, a second one with a scale, and a number.
    fn is_operand(&self) -> bool {
        let is_plain = |term: &Term| term.factor == 1;
        let is_scaled = |term: &Term| matches!(term.factor, 1 | 2 | 4 | 8);
        let mut terms = self.terms();
        match (terms.next(), terms.next(), terms.next()) {
            (None, ..) => true,
            (Some(one), None, _) => is_scaled(&one),
            (Some(a), Some(b), None) => is_plain(&a) && is_scaled(&b) || is_scaled(&a) && is_plain(&b),
            _ => false,
        }
    }
}

struct Pass<'a> {
    func: &'a mut Function,
    graphs: Graphs<'a>,
    uses: &'a Uses,
    pointer: Type,
    /// Whether an access adds two registers.
    adds: bool,
    scratch: &'a mut StrengthScratch,
}

/// Counts up addresses in the loops of `func`; `pointer` is the type of addresses, and an access `adds` two registers or
/// none.
pub fn reduce_strength(
    func: &mut Function,
    (pointer, adds): (Type, bool),
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
    scratch.preheaders.begin(func);
    let mut pass = Pass { func, graphs: (cfg, tree, loops), uses, pointer, adds, scratch };
    pass.find_accesses();
    if pass.scratch.accesses.is_empty() {
        return Changed::Nothing;
    }
    pass.scratch.accesses.sort_by_key(|access| access.header);
    pass.scratch.touched.clear();
    pass.scratch.gone.clear();
    pass.scratch.gone.resize(pass.func.num_values(), 0);
    let mut any = false;
    let mut start = 0;
    while let Some(first) = pass.scratch.accesses.get(start) {
        let (header, sum) = (first.header, first.sum);
        if !first.is_done {
            let rest = pass.scratch.accesses[start..].iter().take(MAX_ADDRESSES);
            let len = rest.take_while(|access| access.header == header).count();
            any |= pass.reduce(start, start + len, sum);
        }
        start += 1;
    }
    if scratch.preheaders.add_to(loops) { Changed::KeptLoops } else { Changed::instructions(any) }
}

impl Pass<'_> {
    fn loops(&self) -> &LoopForest {
        self.graphs.2
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
            let Some(latch) = self.latch(header).filter(|&latch| self.graphs.1.dominates(block, latch))
            else {
                continue;
            };
            let mut next = self.func.layout.first_inst(block);
            while let Some(inst) = next {
                next = self.func.layout.next_inst(inst);
                if let InstData::Load { address, .. } | InstData::Store { address, .. } =
                    *self.func.inst(inst)
                    && !self.uses.is_dead_if_known(inst)
                    && let Some(sum) = self.sum(header, latch, address)
                {
                    self.scratch.accesses.push(Access {
                        header,
                        inst,
                        address,
                        sum,
                        base: None,
                        is_done: false,
                        is_first: false,
                    });
                }
            }
        }
    }

    /// The one block of a loop from which its next round begins, if control enters it at its header alone.
    fn latch(&self, header: Block) -> Option<Block> {
        let (cfg, tree, loops) = self.graphs;
        let mut back = cfg.preds(header).iter().filter(|&&pred| loops.contains(header, pred));
        let latch = *back.next()?;
        (back.next().is_none() && tree.dominates(header, latch)).then_some(latch)
    }

    /// The terms of an address that advances and that no operand computes.
    fn sum(&self, header: Block, latch: Block, address: Value) -> Option<Sum> {
        let mut sum = Sum::default();
        let is_sum = self.add(&mut sum, (header, latch), address, 1, MAX_DEPTH);
        let distance = sum.distance();
        let is_small = sum.number.unsigned_abs() <= MAX_NUMBER && distance.unsigned_abs() <= MAX_NUMBER;
        (is_sum && is_small && distance != 0 && !sum.is_operand()).then_some(sum)
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
                let step = self.step(ends, def, value);
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
                (BinaryOp::Shl, Some(amount @ 0..=31)) => {
                    self.add(sum, ends, a, factor.wrapping_mul(1 << amount), depth - 1)
                }
                (BinaryOp::Mul, Some(by)) => self.add(sum, ends, a, factor.wrapping_mul(by), depth - 1),
                _ => false,
            },
            _ => false,
        }
    }

    /// By how much the phi `def` advances, if it does by a constant.
    fn step(&self, (header, latch): (Block, Block), def: Inst, phi: Value) -> Option<i64> {
        let &InstData::Phi { incoming } = self.func.inst(def) else { return None };
        let incoming = self.func.incoming(incoming);
        if self.func.layout.block_of(def) != Some(header) || incoming.len() > MAX_INCOMING {
            return None;
        }
        let &(next, _) = incoming.iter().find(|&&(_, pred)| pred == latch)?;
        match *self.func.inst(self.func.defining_inst(next)?) {
            InstData::Binary { op: BinaryOp::Add, args: [a, b] } if a == phi => self.func.int_value(b),
            _ => None,
        }
    }

    /// Lets the accesses from `start` to `end` with the counters of `sum` count up, if that gains. Whether it did.
    fn reduce(&mut self, start: usize, end: usize, sum: Sum) -> bool {
        let mut sums = 0;
        let mut vanished = 0;
        for n in start..end {
            let access = self.scratch.accesses[n];
            if !access.sum.has_same(&sum, is_counter) {
                continue;
            }
            let accesses = &mut self.scratch.accesses[start..=n];
            accesses[n - start].is_done = true;
            accesses[n - start].is_first = is_first(accesses);
            sums += u32::from(accesses[n - start].is_first);
            vanished += self.drop_use(access.header, access.address, true);
        }
        for value in self.scratch.touched.drain(..) {
            self.scratch.gone[value.index()] = 0;
        }
        let counters = if self.adds { 1 } else { sums };
        if vanished <= counters {
            return false;
        }
        let header = self.scratch.accesses[start].header;
        let Some(latch) = self.latch(header) else { return false };
        let graphs = self.graphs;
        let Some(preheader) = self.scratch.preheaders.of(self.func, graphs, header) else { return false };
        let place = Place::of(self.func, (header, latch), preheader, &sum, self.pointer);
        let Some(place) = place else { return false };
        if sums > counters {
            self.rewrite((start, end), &sum, is_counter, &place);
            return true;
        }
        for n in start..end {
            let access = self.scratch.accesses[n];
            if access.is_first && access.sum.has_same(&sum, is_counter) {
                self.rewrite((start, end), &access.sum, is_any, &place);
            }
        }
        true
    }

    /// A use of `value` vanishes, as the address of an access or as a part of one. How many instructions of the loop do
    /// with it that an operand of memory does not compute.
    fn drop_use(&mut self, header: Block, value: Value, is_address: bool) -> u32 {
        let Some(def) = self.func.defining_inst(value) else { return 0 };
        let block = self.func.layout.block_of(def);
        if block.is_none_or(|block| !self.loops().contains(header, block)) {
            return 0;
        }
        let InstData::Binary { op, args: [a, b] } = *self.func.inst(def) else { return 0 };
        let Some(gone) = self.scratch.gone.get_mut(value.index()) else { return 0 };
        *gone += 1;
        let is_gone = *gone == self.uses.count_if_known(value);
        self.scratch.touched.push(value);
        if !is_gone {
            return 0;
        }
        let number = self.func.int_value(b);
        let is_free = match op {
            BinaryOp::Add => is_address,
            BinaryOp::Shl => matches!(number, Some(1..=3)),
            _ => false,
        };
        let is_address = is_address && number.is_some();
        u32::from(!is_free) + self.drop_use(header, a, is_address) + self.drop_use(header, b, false)
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

fn is_counter(term: &Term) -> bool {
    term.step.is_some()
}

fn is_any(_: &Term) -> bool {
    true
}

/// Whether no access before the last has its sum, but for the number.
fn is_first(accesses: &[Access]) -> bool {
    let Some((last, earlier)) = accesses.split_last() else { return false };
    earlier.iter().all(|other| !other.sum.has_same(&last.sum, is_any))
}

/// Where counters of a loop go.
struct Place {
    header: Block,
    latch: Block,
    preheader: Block,
    /// Before these, at the end of the pre-header and of the latch.
    before_loop: Inst,
    before_round: Inst,
    pointer: Type,
}

impl Place {
    fn of(
        func: &Function,
        (header, latch): (Block, Block),
        preheader: Block,
        sum: &Sum,
        pointer: Type,
    ) -> Option<Place> {
        // Beside the step of a counter: nothing comes between a comparison and its branch.
        let old_step = sum.terms().find(is_counter).and_then(|term| {
            let phi = func.defining_inst(term.value)?;
            let InstData::Phi { incoming } = *func.inst(phi) else { return None };
            let &(next, _) = func.incoming(incoming).iter().find(|&&(_, pred)| pred == latch)?;
            func.defining_inst(next).filter(|&next| func.layout.block_of(next) == Some(latch))
        });
        let before_round = old_step.or(func.layout.last_inst(latch))?;
        let before_loop = func.layout.last_inst(preheader)?;
        Some(Place { header, latch, preheader, before_loop, before_round, pointer })
    }

    /// A phi that starts with `sum` and advances with its counters.
    fn make_counter(&self, func: &mut Function, origin: Inst, sum: &Sum) -> Value {
        let start = self.start(func, origin, sum);
        let distance = func.make_int(self.pointer, sum.distance());
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
    fn start(&self, func: &mut Function, origin: Inst, sum: &Sum) -> Value {
        let mut number = sum.number;
        let mut value = None;
        for term in sum.terms() {
            let first = self.first_value(func, term);
            if let Some(known) = func.int_value(first) {
                number = number.wrapping_add(known.wrapping_mul(term.factor));
                continue;
            }
            let multiple = self.multiple(func, origin, first, term.factor);
            value = Some(match value {
                Some(sum) => make(func, self.before_loop, origin, BinaryOp::Add, [sum, multiple]),
                None => multiple,
            });
        }
        match value {
            Some(value) if number == 0 => value,
            Some(value) => {
                let number = func.make_int(self.pointer, number);
                make(func, self.before_loop, origin, BinaryOp::Add, [value, number])
            }
            None => func.make_int(self.pointer, number),
        }
    }

    /// The value of a term's value in the first round.
    fn first_value(&self, func: &Function, term: Term) -> Value {
        let phi = func.defining_inst(term.value).filter(|_| is_counter(&term));
        match phi.map(|phi| *func.inst(phi)) {
            Some(InstData::Phi { incoming }) => {
                let mut incoming = func.incoming(incoming).iter();
                incoming.find(|&&(_, pred)| pred == self.preheader).map_or(term.value, |&(first, _)| first)
            }
            _ => term.value,
        }
    }

    fn multiple(&self, func: &mut Function, origin: Inst, value: Value, factor: i64) -> Value {
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
fn make(func: &mut Function, before: Inst, origin: Inst, op: BinaryOp, args: [Value; 2]) -> Value {
    let ty = func.value_type(args[0]);
    let inst = func.make_inst_for(origin, InstData::Binary { op, args }, ty);
    func.layout.insert_before(before, inst);
    func.result(inst).expect("the type is not void")
}
