//! Splitting at block borders: registers for parts of the intervals that have none.
//!
//! Problem: a value that loses its register because of a call or a hot loop somewhere should still be
//! in a register elsewhere, above all in the loops that use it.
//!
//! Method: the live range of such a value is a graph of blocks. From its most used block on, a part
//! grows over neighbours, hottest first, as long as one register is left that nothing holds where the
//! value lives (second chance by region; compare the region splitting of Olesen, *Greedy Register
//! Allocation in LLVM 3.0*, 2011). So parts end at calls that destroy the last register and at the
//! borders of loops that need all of them. A part is taken if it saves more reloads and stores than
//! its border costs. On an edge into a part the value is loaded; on an edge out of it it is stored,
//! if the part defines it, or else right behind the definitions, whichever is cheaper.
//!
//! Data: the register of a value in a block, listed by block and by value; the moves on edges, listed
//! by the block end or start where they stand. Invariants: a part has no critical edge at its border;
//! within a block two parts never overlap in units. Outside of parts the slot holds the value.
//!
//! Most values that are without a register gain nothing. So parts begin only in loops all through which a register is free,
//! the blocks of a value are looked at when a part comes to them, and a part is given up once ways into it cost more than it
//! may save.
//!
//! Cost: for each value without a register the blocks that refer to it and those that parts come to; their number is bounded.

mod life;
mod parts;

use super::assign::Assign;
use crate::function::Function;
use crate::keys::{lowest_first, number};
use crate::memory::refill;
use crate::operand::Block;
use crate::ranges::{Ranges, Segment};
use crate::registers::{PReg, RegClass, RegUnits, RegisterFile};
use crate::scan::{NO_REG, NONE, params_at_start};
use crate::tables::Tables;
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use parts::neighbours;

/// Head of the references to a value that needs no parts.
const UNWANTED: u32 = NONE - 1;
/// A block that was refused to a part.
const REFUSED: u32 = NONE - 1;
/// A value whose references cost less cannot pay for a move on the border of a part, which has one
/// unless it is the whole interval.
const LEAST_COST: f32 = 2.0;
/// Frequency of a block in a loop. Parts grow from such blocks alone: what others gain is not worth the search.
const HOT: f32 = 8.0;
/// Blocks that a value with parts may live in: in proportion to what there is to gain, and at most.
const BLOCKS_PER_COST: f32 = 3.0;
const MAX_BLOCKS: usize = 1024;

/// References to a value in one block.
#[derive(Clone, Copy, Debug)]
struct Reference {
    block: u32,
    next: u32,
    /// The block reads the value before it writes it.
    reads: bool,
    writes: bool,
}

/// A block where the value at work lives.
#[derive(Clone, Copy, Debug)]
struct Live {
    block: u32,
    /// Where it lives there; nowhere if it is only passed on.
    range: Segment,
    /// The registers that it can have there: a bit for each in the order of its class.
    free: u64,
    frequency: f32,
    /// What it costs there without a register.
    cost: f32,
    /// It comes in from the predecessors.
    live_in: bool,
    writes: bool,
    param: bool,
    part: u32,
    /// The last part that has looked at it.
    seen: u32,
}

/// A loop, as far as frequencies show it, or all of a function.
#[derive(Clone, Copy, Debug)]
struct Loop {
    frequency: f32,
    /// What is held or reserved somewhere in it.
    busy: RegUnits,
}

impl Loop {
    /// Whether it is a loop, and a register of the class is free all through it.
    fn has_room(&self, tables: &Tables, class: RegClass) -> bool {
        self.frequency >= HOT && tables.has_free(class, self.busy)
    }
}

/// The register of a value in a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartHome {
    pub block: u32,
    pub vreg: u32,
    pub reg: u8,
    /// It is there when the block starts.
    pub bound: bool,
}

/// A move on an edge: from a register or the slot to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Fix {
    /// Twice the block, and 1 for its end.
    place: u32,
    pub vreg: u32,
    pub to: u8,
    pub from: u8,
}

/// One part of the value at work.
#[derive(Clone, Copy, Debug)]
struct Part {
    reg: u8,
    /// It defines the value and does not store it at once.
    dirty: bool,
}

/// Parts of values that live in registers.
#[derive(Clone, Debug, Default)]
pub(super) struct Splits {
    /// Values without a register that may gain from parts.
    wanted: Vec<u32>,
    references: Vec<Reference>,
    heads: Vec<u32>,
    /// The position where each block starts, and one that is never come to.
    block_starts: Vec<u32>,
    index_of: Vec<u32>,
    /// Units that parts hold, by block, and those that intervals hold or instructions reserve.
    held: Vec<RegUnits>,
    busy: Vec<RegUnits>,
    /// Loops, the one around each block, and, while they are found, those that are not over.
    loops: Vec<Loop>,
    loop_of: Vec<u32>,
    open_loops: Vec<u32>,
    /// Blocks where the value at work lives, as far as they have been looked at: first those that refer to it.
    live: Vec<Live>,
    /// Keys of `live`: to begin parts, the costliest first; to list homes, by block.
    keys: Vec<u64>,
    /// Blocks next to the part at work, hottest first, then in layout order.
    frontier: BinaryHeap<(u32, Reverse<u32>)>,
    members: Vec<u32>,
    parts: Vec<Part>,
    /// By value, and in it by block.
    homes: Vec<PartHome>,
    of_value: Vec<(u32, u32)>,
    /// The homes by block.
    by_block: Vec<PartHome>,
    starts: Vec<u32>,
    fixes: Vec<Fix>,
    /// Values that are stored where they are defined.
    pub stored: Vec<u32>,
    /// Blocks and edges that parts may still come to.
    steps: usize,
}

/// What is known about the function.
pub(super) struct Input<'a> {
    pub func: &'a Function,
    pub file: &'a RegisterFile<'a>,
    pub tables: &'a Tables<'a>,
}

/// The value at work.
struct Value<'a> {
    vreg: u32,
    func: &'a Function,
    ranges: &'a Ranges,
    assign: &'a Assign,
    tables: &'a Tables<'a>,
    class: RegClass,
    /// The registers of its class, and all their units.
    order: &'a [PReg],
    all: RegUnits,
    /// Blocks that it may live in.
    most: usize,
}

impl Splits {
    /// Splits the values in `assign.losers`.
    pub fn compute(&mut self, input: &Input, ranges: &mut Ranges, assign: &mut Assign) {
        self.homes.clear();
        self.of_value.clear();
        self.fixes.clear();
        self.stored.clear();
        let Input { func, tables, .. } = *input;
        // A weight is at least that of one operand in a loop.
        let is_wanted = |v: &u32| {
            ranges.intervals[*v as usize].weight >= HOT && func.references.threads[*v as usize].crosses()
        };
        self.wanted.clear();
        self.wanted.extend(assign.losers.iter().copied().filter(is_wanted));
        if self.wanted.is_empty() {
            return;
        }
        let blocks = func.num_blocks();
        self.block_starts.clear();
        let start = |b| 4 * func.block_insts(Block::from_u32(b)).start.as_u32();
        self.block_starts.extend((0..blocks as u32).map(start).chain([u32::MAX]));
        refill(&mut self.held, blocks, RegUnits::EMPTY);
        self.collect_busy(func, ranges, assign);
        self.collect_passed(input, ranges);
        self.collect_loops(ranges);
        let Splits { loops, wanted, .. } = self;
        wanted.retain(|&v| {
            let class = RegClass(ranges.intervals[v as usize].class);
            loops.iter().any(|around| around.has_room(tables, class))
        });
        if self.wanted.is_empty() {
            return;
        }
        refill(&mut self.index_of, blocks, NONE);
        self.collect_references(func);
        self.steps = (1 << 16) + 8 * blocks;
        for n in 0..self.wanted.len() {
            let v = self.wanted[n];
            let (cost, references) = self.cost_of_references(ranges, v);
            let most = MAX_BLOCKS.min((BLOCKS_PER_COST * cost) as usize);
            if cost <= LEAST_COST || references > most {
                continue;
            }
            let Some(steps) = self.steps.checked_sub(references) else { break };
            self.steps = steps;
            self.split(input, ranges, assign, v, most);
            for live in &self.live {
                self.index_of[live.block as usize] = NONE;
            }
        }
        self.sort(blocks);
    }

    /// Lists homes and edge moves of `v`.
    fn commit(&mut self, func: &Function, tables: &Tables, v: u32) {
        let first = self.homes.len();
        let blocks = self.live.iter().enumerate();
        self.keys.clear();
        self.keys.extend(blocks.map(|(k, live)| lowest_first(live.block, k as u32)));
        self.keys.sort_unstable();
        for live in self.keys.iter().map(|&key| &self.live[number(key) as usize]) {
            if let Some(part) = self.parts.get(live.part as usize) {
                self.held[live.block as usize].insert(tables.units(PReg(part.reg)));
                let start = self.block_starts[live.block as usize];
                let set_here = live.param && params_at_start(func, Block::from_u32(live.block));
                self.homes.push(PartHome {
                    block: live.block,
                    vreg: v,
                    reg: part.reg,
                    bound: live.range.from == start && live.range.to > start + 1 && !set_here,
                });
            }
        }
        self.of_value.push((first as u32, self.homes.len() as u32));
        for (k, live) in self.live.iter().enumerate() {
            let Some(&part) = self.parts.get(live.part as usize) else { continue };
            neighbours(func, &self.live, &self.index_of, k as u32, |other, leaves| {
                let other = &self.live[other as usize];
                let neighbour = self.parts.get(other.part as usize);
                if live.part == other.part || (leaves && neighbour.is_some()) {
                    // No border, or one that the block behind it has listed.
                    return;
                }
                let (p, s) = if leaves { (live, other) } else { (other, live) };
                let (source, target) = if leaves { (Some(&part), None) } else { (neighbour, Some(&part)) };
                let single_succ = func.block_succs(Block::from_u32(p.block)).len() == 1;
                let place = if single_succ { 2 * p.block + 1 } else { 2 * s.block };
                if let Some(target) = target {
                    let from = source.map_or(NO_REG, |part| part.reg);
                    if from != target.reg {
                        self.fixes.push(Fix { place, vreg: v, from, to: target.reg });
                    }
                }
                if let Some(source) = source
                    && source.dirty
                {
                    self.fixes.push(Fix { place, vreg: v, from: source.reg, to: NO_REG });
                }
            });
        }
    }

    /// Puts homes and moves in the order of blocks.
    fn sort(&mut self, blocks: usize) {
        if self.homes.is_empty() {
            return;
        }
        self.fixes = BinaryHeap::from(core::mem::take(&mut self.fixes)).into_sorted_vec();
        refill(&mut self.starts, blocks + 1, 0);
        for home in &self.homes {
            self.starts[home.block as usize] += 1;
        }
        let mut total = 0;
        for start in &mut self.starts {
            total += *start;
            *start = total;
        }
        self.by_block.clear();
        self.by_block.extend_from_slice(&self.homes);
        for home in &self.homes {
            let start = &mut self.starts[home.block as usize];
            *start -= 1;
            self.by_block[*start as usize] = *home;
        }
    }

    /// The registers of values in `block`.
    pub fn homes_in(&self, block: u32) -> &[PartHome] {
        if self.homes.is_empty() {
            return &[];
        }
        let b = block as usize;
        &self.by_block[self.starts[b] as usize..self.starts[b + 1] as usize]
    }

    /// The register in `block` of the value whose interval says `split`.
    pub fn home(&self, split: u32, block: u32) -> u8 {
        let Some(&(first, end)) = self.of_value.get(split as usize) else { return NO_REG };
        let homes = &self.homes[first as usize..end as usize];
        homes.binary_search_by_key(&block, |h| h.block).map_or(NO_REG, |k| homes[k].reg)
    }

    /// The moves at `place`, for a walk over the places in order; `next` is the first one that it has not come to.
    #[inline]
    fn fixes(&self, place: u32, next: &mut usize) -> &[Fix] {
        let first = *next;
        while self.fixes.get(*next).is_some_and(|f| f.place <= place) {
            *next += 1;
        }
        &self.fixes[first..*next]
    }

    /// The moves at the start of `block`.
    #[inline]
    pub fn fixes_at_start(&self, block: u32, next: &mut usize) -> &[Fix] {
        self.fixes(2 * block, next)
    }

    /// The moves before the terminators of `block`.
    #[inline]
    pub fn fixes_at_end(&self, block: u32, next: &mut usize) -> &[Fix] {
        self.fixes(2 * block + 1, next)
    }
}
