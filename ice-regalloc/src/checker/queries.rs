//! Questions about the state on entry of blocks: "does `place` hold so many bytes of `vreg` on entry of `block`".
//!
//! A query holds unless some path refutes it, so all are supposed to hold (the greatest fixed
//! point), and each is traced over the edges into its block once. One that an edge refutes has
//! failed, and so have, in a second step, all that were traced to it.
//!
//! Data: the list of queries, which is its own work list, and a hash table of indices into it with
//! open addressing and linear probing, at most half full.

use super::symbolic::{Answer, Symbolic};
use super::{Flow, Input};
use crate::operand::{Block, VReg};
use alloc::vec;
use alloc::vec::Vec;

/// Whether `place` holds the low `size` bytes of `vreg` on entry of `block`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Query {
    block: Block,
    vreg: VReg,
    size: u32,
    place: u32,
}

impl Query {
    pub(super) fn new(block: Block, (vreg, size): (VReg, u32), place: u32) -> Query {
        Query { block, vreg, size, place }
    }

    /// Fibonacci hashing: the high bits are well mixed. Few queries differ in the size alone.
    fn hash(self) -> u64 {
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        let pair = u64::from(self.block.as_u32()) << 32 | u64::from(self.vreg.as_u32());
        (pair.wrapping_mul(GOLDEN).rotate_left(32) ^ u64::from(self.place)).wrapping_mul(GOLDEN)
    }
}

/// All queries of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Queries {
    asked: Vec<Query>,
    /// Index and one, or 0. The length is a power of two.
    table: Vec<u32>,
    /// Queries that an edge refutes; after `spread_failure` all that fail, as a map.
    refuted: Vec<u32>,
    failed: Vec<bool>,
    /// Queries and edges looked at.
    pub(super) steps: usize,
}

impl Queries {
    /// Forgets all queries.
    pub(super) fn clear(&mut self) {
        self.asked.clear();
        self.refuted.clear();
        self.failed.clear();
        self.steps = 0;
        self.table.clear();
        self.table.resize(64, 0);
    }

    /// The index of a query, or the free place for it in the table.
    fn find(&self, query: Query) -> Result<usize, usize> {
        let mask = self.table.len() - 1;
        let mut at = (query.hash() >> (64 - self.table.len().trailing_zeros())) as usize;
        loop {
            match self.table[at] {
                0 => return Err(at),
                i if self.asked[i as usize - 1] == query => return Ok(i as usize - 1),
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Asks a query if it was not asked yet.
    pub(super) fn ask(&mut self, query: Query) {
        let Err(at) = self.find(query) else { return };
        self.asked.push(query);
        self.table[at] = self.asked.len() as u32;
        if self.asked.len() * 2 > self.table.len() {
            let size = self.table.len() * 2;
            self.table.clear();
            self.table.resize(size, 0);
            for i in 0..self.asked.len() {
                if let Err(at) = self.find(self.asked[i]) {
                    self.table[at] = i as u32 + 1;
                }
            }
        }
    }

    /// Traces every query to the entry of the function; whether all hold.
    pub(super) fn solve(&mut self, input: &Input<'_>, flow: &Flow, symbolic: &Symbolic) -> bool {
        let mut next = 0;
        while let Some(&query) = self.asked.get(next) {
            let mut holds = true;
            let edges = trace(input, flow, symbolic, query, |answer| match answer {
                Ok(earlier) => self.ask(earlier),
                Err(Refuted) => holds = false,
            });
            self.steps += 1 + edges;
            if !holds {
                self.refuted.push(next as u32);
            }
            next += 1;
        }
        self.refuted.is_empty()
    }

    /// Carries failure to the queries that depend on failed ones.
    pub(super) fn spread_failure(&mut self, input: &Input<'_>, flow: &Flow, symbolic: &Symbolic) {
        // Pairs of a query and one that was traced to it.
        let mut depends: Vec<(u32, u32)> = Vec::new();
        for (i, &query) in (0u32..).zip(&self.asked) {
            trace(input, flow, symbolic, query, |answer| {
                if let Ok(earlier) = answer.map(|earlier| self.find(earlier))
                    && let Ok(earlier) = earlier
                {
                    depends.push((earlier as u32, i));
                }
            });
        }
        depends.sort_unstable();
        self.failed = vec![false; self.asked.len()];
        let mut work = self.refuted.clone();
        while let Some(i) = work.pop() {
            if !core::mem::replace(&mut self.failed[i as usize], true) {
                let start = depends.partition_point(|pair| pair.0 < i);
                work.extend(depends[start..].iter().take_while(|pair| pair.0 == i).map(|pair| pair.1));
            }
        }
    }

    /// Whether the query was asked and has failed.
    pub(super) fn has_failed(&self, query: Query) -> bool {
        self.find(query).is_ok_and(|i| self.failed[i])
    }
}

/// An edge on which the value is defined and elsewhere.
struct Refuted;

/// What each edge into the query's block makes of it: a query about the entry of its predecessor, or
/// a refutation. An edge that proves it makes nothing, nor does a query about a time before the first
/// definition: without that, a variable that has no value on some path is followed to the function's
/// entry from each of its uses. Gives the number of edges.
fn trace(
    input: &Input<'_>,
    flow: &Flow,
    symbolic: &Symbolic,
    query: Query,
    mut found: impl FnMut(Result<Query, Refuted>),
) -> usize {
    let Query { block, vreg, size, place } = query;
    if flow.is_before(block, vreg, symbolic.first_block(vreg)) {
        return 0;
    }
    let mut edges = 0;
    for edge in flow.edges_into(block) {
        edges += 1;
        let v = flow.origin(input.func, edge, block, vreg);
        match symbolic.holds_at_end(edge.from, (v, size), place) {
            Answer::Yes => {}
            Answer::No => found(Err(Refuted)),
            Answer::Ask(earlier) => found(Ok(Query::new(edge.from, (v, size), earlier))),
        }
    }
    edges
}
