//! Liveness: at which block borders values begin and end to be needed.
//!
//! Problem: a value occupies a place from its definitions to its last uses on every path.
//!
//! Method: by path exploration (Appel and Palsberg, *Modern Compiler Implementation*, 10.1; Boissinot
//! and others, *Computing Liveness Sets for SSA-Form Programs*, 2011), 64 registers at a time. Which blocks
//! read a register before they write it was noted while the function was written; from each of them the
//! register is followed backward over the predecessors up to the blocks that write it. Registers that
//! are met one after the other live in the same parts of the function: they are followed together, a
//! bit of a machine word each, and a block that waits to be looked at collects the bits of all that
//! reach it meanwhile. The result is only what changes between one block and the next in layout order:
//! a value that lives through a thousand blocks is two entries. Registers that are referenced in one
//! block only are never looked at.
//!
//! Where parameters live: if the predecessors of a block have one successor each, they copy the
//! arguments before their terminators, and the parameters are live at their ends and at the start
//! of the block. If the one predecessor branches, the arguments are live at its end, and the
//! parameters begin with the block. A parameter that nothing reads is live at its birth only.
//!
//! Cost: a few machine instructions for each block that refers to a register which crosses, and two dozen for each
//! block that one of 64 crossing registers is live in, more often only where paths of different lengths meet. Their
//! number is bounded, against functions made to be slow.

use crate::function::Function;
use crate::memory::{at_least, refill};
use crate::operand::{Block, VReg};
use crate::references::Mention;
use crate::scan::{NONE, Scan, params_at_start};
use alloc::vec::Vec;

/// What a block has to do with a register.
#[derive(Clone, Copy, Debug)]
struct Event {
    /// Which of the crossing registers it is.
    register: u32,
    block: u32,
    /// Some of the constants that follow.
    kinds: u8,
}

/// It is needed at the start of the block.
const NEEDED: u8 = 1;
/// The block writes it.
const WRITTEN: u8 = 2;
/// It is a parameter there that the predecessors set.
const PARAM: u8 = 4;
/// It is an argument at the end of the block that the successor copies.
const ARG: u8 = 8;

/// Registers that are followed together.
const GROUP: usize = 64;

/// What is known about one block while registers are followed; one bit a register.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    /// Live at the start.
    start: u64,
    /// Live at the end.
    end: u64,
    defs: u64,
    params: u64,
    /// Live at the start, which its predecessors do not know yet.
    waiting: u64,
    /// The block is among those with marks.
    is_listed: bool,
}

/// The marks of block `b`, which is listed if they are the first.
fn mark<'a>(marks: &'a mut [Marks], marked: &mut Vec<u32>, b: u32) -> &'a mut Marks {
    let here = &mut marks[b as usize];
    if !here.is_listed {
        here.is_listed = true;
        marked.push(b);
    }
    here
}

/// Takes the last block out of a set of which the words from `word` on are empty, and all others where it is none.
#[inline(always)]
fn last_of(set: &mut [u64], word: &mut usize) -> Option<u32> {
    while let Some(last) = word.checked_sub(1) {
        let bits = &mut set[last];
        if *bits != 0 {
            let bit = bits.ilog2();
            *bits ^= 1 << bit;
            return Some(last as u32 * u64::BITS + bit);
        }
        *word = last;
    }
    None
}

/// What changes at the block borders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Liveness {
    /// For each register that crosses, which of these it is.
    numbers: Vec<u32>,
    /// What blocks have to do with registers that cross.
    events: Vec<Event>,
    /// The same, one group of registers after the other, and where each begins.
    by_group: Vec<Event>,
    groups: Vec<u32>,
    /// By block, and one for the end.
    marks: Vec<Marks>,
    /// Blocks with marks.
    marked: Vec<u32>,
    /// Blocks that wait from the beginning, as bits, and those that were found to.
    first: Vec<u64>,
    stack: Vec<u32>,
    crossing: Vec<u32>,
    /// Twice the border, and 1 for what begins below it; the register.
    changes: Vec<(u32, u32)>,
    starts: Vec<u32>,
    sorted: Vec<u32>,
    /// Steps taken.
    pub steps: u64,
}

/// Most steps that are taken beyond those in proportion to the function, unless the caller says.
const STEPS: usize = 1 << 26;

impl Liveness {
    /// Computes the changes of `func`; none if it takes more than the allowed number of steps. Not inlined, so that its
    /// values have the registers.
    #[inline(never)]
    pub fn compute(&mut self, func: &Function, scan: &Scan, allowed: Option<usize>) -> Option<()> {
        let blocks = func.num_blocks();
        self.crossing.clear();
        self.changes.clear();
        self.steps = 0;
        if scan.crossing > 0 {
            // A function that took too many steps has left marks.
            self.marked.drain(..).for_each(|b| self.marks[b as usize] = Marks::default());
            self.stack.clear();
            refill(&mut self.first, blocks.div_ceil(u64::BITS as usize), 0);
            self.marks.resize(self.marks.len().max(blocks + 1), Marks::default());
            self.mentions(func);
            if !func.references.aheads.params.is_empty() {
                (0..blocks as u32).for_each(|b| self.params(func, scan, Block::from_u32(b)));
            }
            self.divide();
            let allowed = allowed.unwrap_or(STEPS + 64 * func.num_insts());
            let mut steps = allowed;
            for group in 0..self.groups.len() - 1 {
                steps = self.follow(func, group, steps)?;
            }
            self.steps = (allowed - steps) as u64;
        }
        self.sort(blocks);
        Some(())
    }

    /// Notes which blocks read a register before they write it, and which write it.
    fn mentions(&mut self, func: &Function) {
        let refs = &func.references;
        let crossing = (0..).zip(&refs.threads).filter(|(_, thread)| thread.crosses()).map(|(v, _)| v);
        self.crossing.extend(crossing);
        refill(&mut self.numbers, func.num_vregs(), NONE);
        for (number, &v) in (0..).zip(&self.crossing) {
            self.numbers[v as usize] = number;
        }
        let last = self.crossing.iter().filter_map(|&v| refs.threads[v as usize].mention(v));
        let (numbers, mentions) = (&self.numbers, refs.mentions.iter().copied().chain(last));
        self.events.clear();
        self.events.extend(mentions.map(|Mention { vreg, block, exposed, writes }| Event {
            register: numbers[vreg as usize],
            block,
            kinds: (if exposed { NEEDED } else { 0 }) | (if writes { WRITTEN } else { 0 }),
        }));
    }

    /// Notes what the parameters of `block` and their arguments are beside.
    fn params(&mut self, func: &Function, scan: &Scan, block: Block) {
        let params = func.block_params(block);
        if params.is_empty() {
            return;
        }
        let (registers, at, kinds) = match params_at_start(func, block) {
            true => {
                let pred = func.block_preds(block)[0];
                (func.edge_args(pred, scan.edge_index[block.as_u32() as usize] as usize), pred, ARG)
            }
            false => (params, block, NEEDED | PARAM),
        };
        let event = |v: &VReg| Event { register: self.numbers[v.index()], block: at.as_u32(), kinds };
        self.events.extend(registers.iter().map(event));
    }

    /// Sorts the events by group of registers (counting sort). Mostly there is one group.
    fn divide(&mut self) {
        let groups = self.crossing.len().div_ceil(GROUP);
        refill(&mut self.groups, groups + 1, 0);
        if groups == 1 {
            core::mem::swap(&mut self.events, &mut self.by_group);
            self.groups[1] = self.by_group.len() as u32;
            return;
        }
        let group = |event: &Event| event.register as usize / GROUP;
        for event in &self.events {
            self.groups[group(event)] += 1;
        }
        let mut total = 0;
        for start in &mut self.groups {
            total += *start;
            *start = total;
        }
        at_least(&mut self.by_group, self.events.len(), Event { register: 0, block: 0, kinds: 0 });
        for event in &self.events {
            let start = &mut self.groups[group(event)];
            *start -= 1;
            self.by_group[*start as usize] = *event;
        }
    }

    /// Finds the blocks where the registers of a group are live and notes where that changes. Gives the steps left.
    fn follow(&mut self, func: &Function, group: usize, mut steps: usize) -> Option<usize> {
        let Liveness { marks, marked, first, stack, changes, .. } = self;
        let events = self.groups[group] as usize..self.groups[group + 1] as usize;
        for &Event { register, block, kinds } in &self.by_group[events] {
            let bit = 1 << (register as usize % GROUP);
            let here = mark(marks, marked, block);
            if kinds & WRITTEN != 0 {
                here.defs |= bit;
            }
            if kinds & PARAM != 0 {
                here.params |= bit;
            }
            if kinds & ARG != 0 {
                here.end |= bit;
            }
            if kinds & NEEDED != 0 {
                here.start |= bit;
                here.waiting |= bit;
                first[block as usize / u64::BITS as usize] |= 1 << (block % u64::BITS);
            }
        }
        // From the last block on: what is met on the way up waits already, and goes on together.
        let mut word = first.len();
        while let Some(b) = stack.pop().or_else(|| last_of(first, &mut word)) {
            let here = mark(marks, marked, b);
            let bits = core::mem::take(&mut here.waiting);
            let followed = bits & !here.params;
            let preds = func.block_preds(Block::from_u32(b));
            steps = steps.checked_sub(1 + preds.len())?;
            for pred in preds {
                let there = mark(marks, marked, pred.as_u32());
                there.end |= bits;
                let new = followed & !(there.defs | there.start);
                if new != 0 {
                    there.start |= new;
                    if there.waiting == 0 {
                        stack.push(pred.as_u32());
                    }
                    there.waiting |= new;
                }
            }
        }
        let mut note = |block: u32, before: u64, start: u64| {
            let mut differ = before ^ start;
            while differ != 0 {
                let k = differ.trailing_zeros();
                differ &= differ - 1;
                let begins = (start >> k & 1) as u32;
                changes.push((block << 1 | begins, self.crossing[GROUP * group + k as usize]));
            }
        };
        for &b in &*marked {
            let at = b as usize;
            note(b, at.checked_sub(1).map_or(0, |before| marks[before].end), marks[at].start);
            if !marks[at + 1].is_listed {
                note(b + 1, marks[at].end, 0);
            }
        }
        marked.drain(..).for_each(|b| marks[b as usize] = Marks::default());
        Some(steps)
    }

    /// Counting sort of the changes.
    fn sort(&mut self, blocks: usize) {
        refill(&mut self.starts, 2 * blocks + 4, 0);
        for &(key, _) in &self.changes {
            self.starts[key as usize] += 1;
        }
        let mut total = 0;
        for start in &mut self.starts {
            total += *start;
            *start = total;
        }
        at_least(&mut self.sorted, self.changes.len(), 0);
        for &(key, v) in &self.changes {
            let start = &mut self.starts[key as usize];
            *start -= 1;
            self.sorted[*start as usize] = v;
        }
    }

    fn range(&self, key: u32) -> &[u32] {
        let key = key as usize;
        &self.sorted[self.starts[key] as usize..self.starts[key + 1] as usize]
    }

    /// Registers that are live at the end of the block before `block` in layout order, and not at
    /// the start of `block`. A `block` past the last one is meant too.
    pub fn ending_before(&self, block: u32) -> &[u32] {
        self.range(2 * block)
    }

    /// Registers that are live at the start of `block` and not at the end of the block before it.
    pub fn beginning_with(&self, block: u32) -> &[u32] {
        self.range(2 * block + 1)
    }
}
