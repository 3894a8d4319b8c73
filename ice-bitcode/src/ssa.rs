//! Checks that need the whole body, of readers of function bodies: phis against edges (I24) and dominance (F18).
//!
//! While a body is read, a use of a value in the block of its definition is settled at once when the
//! definition came before; every other use is noted as (value, block), at most once in a row for a value and
//! a block. At the end the dominator tree decides, computed in one pass if the order of blocks allows it. Phis
//! are compared with the predecessors, or with the multiset of incoming edges if some terminator names a block
//! several times.
//! Cost: linear in edges, phi entries and noted uses, plus the dominator tree.

use alloc::vec::Vec;

use cranelift_entity::EntityRef;
use ice_ir::dominators::{DominatorTree, ForwardDominators};
use ice_ir::{Block, ControlFlowGraph, Function, Inst, InstData, Value};

use crate::error::Error;

/// Notes and scratch of the checks; reused from function to function.
#[derive(Default)]
pub(crate) struct SsaChecks {
    pub(crate) cfg: ControlFlowGraph,
    forward: ForwardDominators,
    dominators: DominatorTree,
    /// Uses that are not settled, by index of the local value and block: the definition must dominate the end of
    /// the block.
    uses: Vec<(u32, u32)>,
    /// Uses of announced values before their definition, not in phis: never in the block of the definition.
    early: Vec<(u32, u32)>,
    phis: Vec<(Inst, Block)>,
    /// Sources of the edges into each block, repeated ones included, grouped by target.
    edge_ends: Vec<u32>,
    edge_sources: Vec<Block>,
    /// For the phi being checked: (mark of the phi, entries seen, first value) by predecessor. Marks are never used
    /// again, so that nothing is cleared between functions.
    seen: Vec<(u32, u32, u32)>,
    /// The mark given last.
    mark: u32,
}

impl SsaChecks {
    pub(crate) fn begin(&mut self) {
        self.uses.clear();
        self.early.clear();
        self.phis.clear();
    }

    /// Notes a use of a defined local value at the end of `block`.
    pub(crate) fn note_use(&mut self, local: u32, block: u32) {
        self.uses.push((local, block));
    }

    /// Notes a use of an announced local value by an instruction of `block`.
    pub(crate) fn note_early_use(&mut self, local: u32, block: u32) {
        self.early.push((local, block));
    }

    pub(crate) fn note_phi(&mut self, inst: Inst, block: Block) {
        self.phis.push((inst, block));
    }

    /// The phis that were noted, and their blocks.
    pub(crate) fn phis(&self) -> &[(Inst, Block)] {
        &self.phis
    }

    /// Checks the complete function, whose graph is `cfg`; `home` gives the block of the definition of a local value by its index, which
    /// is also the value in an error of dominance.
    pub(crate) fn check(&mut self, func: &Function, home: impl Fn(u32) -> u32) -> Result<(), Error> {
        debug_assert_eq!(self.cfg.num_blocks(), func.num_blocks());
        self.check_phis(func)?;
        if self.uses.is_empty() && self.early.is_empty() || self.check_forward(&home) {
            return Ok(());
        }
        self.dominators.compute(func, &self.cfg);
        for (uses, may_share_block) in [(&self.uses, true), (&self.early, false)] {
            for &(local, block) in uses {
                let def = Block::from_u32(home(local));
                let block = Block::from_u32(block);
                let holds = (may_share_block || def != block) && self.dominators.dominates(def, block);
                // Nothing runs in a block that control cannot reach.
                if !holds && self.dominators.is_reachable(block) {
                    return Err(Error::NotDominated { value: local });
                }
            }
        }
        Ok(())
    }

    /// Whether the order of blocks is such that one pass decides, and every use holds.
    fn check_forward(&mut self, home: impl Fn(u32) -> u32) -> bool {
        let SsaChecks { cfg, forward, uses, early, .. } = self;
        if forward.compute(cfg, uses.len() + early.len()).is_none() {
            return false;
        }
        let mut holds = |local, block| {
            forward.dominates(Block::from_u32(home(local)), Block::from_u32(block)) == Some(true)
        };
        uses.iter().all(|&(local, block)| holds(local, block))
            && early.iter().all(|&(local, block)| home(local) != block && holds(local, block))
    }

    fn collect_edges(&mut self, func: &Function) {
        let blocks = func.num_blocks();
        self.edge_ends.clear();
        self.edge_ends.resize(blocks, 0);
        for block in func.blocks() {
            func.for_each_successor(block, |to| self.edge_ends[to.index()] += 1);
        }
        let mut total = 0;
        for end in &mut self.edge_ends {
            total += core::mem::replace(end, total);
        }
        self.edge_sources.clear();
        self.edge_sources.resize(total as usize, Block::new(0));
        for block in func.blocks() {
            func.for_each_successor(block, |to| {
                let end = &mut self.edge_ends[to.index()];
                self.edge_sources[*end as usize] = block;
                *end += 1;
            });
        }
    }

    /// The entries of every phi are exactly the incoming edges, and edges from one block agree on the value.
    fn check_phis(&mut self, func: &Function) -> Result<(), Error> {
        if self.phis.is_empty() {
            return Ok(());
        }
        if self.seen.len() < func.num_blocks() {
            self.seen.resize(func.num_blocks(), (0, 0, 0));
        }
        if !self.cfg.has_repeated_edges() {
            return self.check_single_edges(func);
        }
        self.collect_edges(func);
        for &(inst, block) in &self.phis {
            let &InstData::Phi { incoming } = func.inst(inst) else { continue };
            let mark = next_mark(&mut self.mark, &mut self.seen);
            let entries = func.incoming(incoming);
            let start = block.index().checked_sub(1).map_or(0, |i| self.edge_ends[i]);
            let edges = &self.edge_sources[start as usize..self.edge_ends[block.index()] as usize];
            let mismatch = || Error::PhiEdges { value: func.result(inst).map_or(0, |v| v.as_u32()) };
            if entries.len() != edges.len() {
                return Err(mismatch());
            }
            for &(value, pred) in entries {
                let (seen_mark, count, first) = &mut self.seen[pred.index()];
                if *seen_mark != mark {
                    (*seen_mark, *count, *first) = (mark, 0, value.as_u32());
                }
                if *first != value.as_u32() {
                    return Err(mismatch());
                }
                *count += 1;
            }
            for &source in edges {
                let (seen_mark, count, _) = &mut self.seen[source.index()];
                if *seen_mark != mark || *count == 0 {
                    return Err(mismatch());
                }
                *count -= 1;
            }
        }
        Ok(())
    }

    /// Checks that every phi has one value for each predecessor, where no block has several edges to another one.
    fn check_single_edges(&mut self, func: &Function) -> Result<(), Error> {
        for &(inst, block) in &self.phis {
            let &InstData::Phi { incoming } = func.inst(inst) else { continue };
            let mark = next_mark(&mut self.mark, &mut self.seen);
            let (entries, preds) = (func.incoming(incoming), self.cfg.preds(block));
            for &pred in preds {
                self.seen[pred.index()].0 = mark;
            }
            // As many entries as predecessors, each of them for another one.
            let matches =
                |&(_, pred): &(Value, Block)| core::mem::take(&mut self.seen[pred.index()].0) == mark;
            if entries.len() != preds.len() || !entries.iter().all(matches) {
                return Err(Error::PhiEdges { value: func.result(inst).map_or(0, |v| v.as_u32()) });
            }
        }
        Ok(())
    }
}

/// A mark that none of `seen` has; 0 is no mark.
fn next_mark(latest: &mut u32, seen: &mut [(u32, u32, u32)]) -> u32 {
    *latest = latest.wrapping_add(1);
    if *latest == 0 {
        seen.fill((0, 0, 0));
        *latest = 1;
    }
    *latest
}
