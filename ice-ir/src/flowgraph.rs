//! Predecessors and successors of every block, without repeated edges.
//!
//! Two compressed adjacency lists over one pass of the terminators. An edge that a terminator names
//! several times (both arms of a branch, several cases of a switch) counts once. Linear in blocks and
//! edges.

use alloc::vec::Vec;

use crate::entities::Block;
use crate::function::Function;
use crate::instruction::InstData;
use cranelift_entity::EntityRef;

/// Control flow of one function. Reused from function to function.
#[derive(Clone, Default)]
pub struct ControlFlowGraph {
    succ_ends: Vec<u32>,
    succs: Vec<Block>,
    pred_ends: Vec<u32>,
    preds: Vec<Block>,
    has_repeated_edges: bool,
    /// The last block (plus 1) with a switch that goes here; empty before the first switch.
    seen: Vec<u32>,
}

impl ControlFlowGraph {
    /// An empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// Computes the graph of `func`. Requires: every block ends in a terminator.
    pub fn compute(&mut self, func: &Function) {
        self.begin(func.num_blocks());
        for index in 0..func.num_blocks() {
            self.end_block(func, func.terminator(Block::new(index)).unwrap_or(&InstData::Unreachable));
        }
        self.finish();
    }

    /// Begins the graph of a function of so many blocks, for those who meet the terminators one by one:
    /// [`end_block`](Self::end_block) for each block in the order of the numbers, then [`finish`](Self::finish).
    pub fn begin(&mut self, blocks: usize) {
        self.succ_ends.clear();
        self.succs.clear();
        self.pred_ends.clear();
        self.pred_ends.resize(blocks, 0);
        self.has_repeated_edges = false;
        self.seen.clear();
    }

    /// The next block of `func` ends in `terminator`. Inlined where the kind is known.
    #[inline(always)]
    pub fn end_block(&mut self, func: &Function, terminator: &InstData) {
        match *terminator {
            InstData::Br { target } => self.add(target),
            InstData::CondBr { if_true, if_false, .. } => {
                self.add(if_true);
                match if_true == if_false {
                    true => self.has_repeated_edges = true,
                    false => self.add(if_false),
                }
            }
            InstData::Switch { .. } => self.add_switch(func, terminator),
            InstData::Invoke { .. } | InstData::AssemblyJump { .. } => {
                func.for_each_target(terminator, |succ| self.add(succ))
            }
            _ => {}
        }
        self.succ_ends.push(self.succs.len() as u32);
    }

    #[cold]
    #[inline(never)]
    fn add_switch(&mut self, func: &Function, terminator: &InstData) {
        self.seen.resize(self.pred_ends.len(), 0);
        let mark = self.succ_ends.len() as u32 + 1;
        func.for_each_target(terminator, |succ| {
            match core::mem::replace(&mut self.seen[succ.index()], mark) == mark {
                true => self.has_repeated_edges = true,
                false => self.add(succ),
            }
        });
    }

    /// Computes the predecessors, when every block has ended.
    pub fn finish(&mut self) {
        let mut total = 0;
        for count in &mut self.pred_ends {
            // Start of the run; moved to its end while the run is filled.
            total += core::mem::replace(count, total);
        }
        self.preds.clear();
        self.preds.resize(total as usize, Block::new(0));
        let (pred_ends, preds) = (&mut self.pred_ends[..], &mut self.preds[..]);
        let mut rest = &self.succs[..];
        let mut start = 0;
        for (index, &end) in self.succ_ends.iter().enumerate() {
            let (succs, others) = rest.split_at((end - start) as usize);
            for succ in succs {
                let slot = &mut pred_ends[succ.index()];
                preds[*slot as usize] = Block::new(index);
                *slot += 1;
            }
            (rest, start) = (others, end);
        }
    }

    #[inline]
    fn add(&mut self, succ: Block) {
        self.succs.push(succ);
        self.pred_ends[succ.index()] += 1;
    }

    /// Whether some terminator names a successor several times.
    pub fn has_repeated_edges(&self) -> bool {
        self.has_repeated_edges
    }

    /// Number of blocks.
    pub fn num_blocks(&self) -> usize {
        self.succ_ends.len()
    }

    /// The predecessors of each block, in the order of the numbers: less work than to ask for one block after the
    /// other.
    pub fn all_preds(&self) -> impl Iterator<Item = &[Block]> {
        let (mut rest, mut start) = (&self.preds[..], 0);
        self.pred_ends.iter().map(move |&end| {
            let (preds, others) = rest.split_at((end - start) as usize);
            (rest, start) = (others, end);
            preds
        })
    }

    /// Successors of `block`, in the order of the terminator.
    #[inline]
    pub fn succs(&self, block: Block) -> &[Block] {
        &self.succs[range(&self.succ_ends, block)]
    }

    /// Predecessors of `block`, in the order of their numbers.
    #[inline]
    pub fn preds(&self, block: Block) -> &[Block] {
        &self.preds[range(&self.pred_ends, block)]
    }
}

#[inline]
fn range(ends: &[u32], block: Block) -> core::ops::Range<usize> {
    let start = match block.index() {
        0 => 0,
        i => ends[i - 1],
    };
    start as usize..ends[block.index()] as usize
}

/// A depth-first walk over a graph, without recursion. Who walks numbers the blocks, and says which ones are entered.
#[derive(Clone, Default)]
pub(crate) struct DepthFirst {
    open: Vec<Open>,
}

/// A block that was entered and not left: its number, and which of the successors in the list of all are still to come.
#[derive(Clone, Copy)]
struct Open {
    number: u32,
    next: u32,
    end: u32,
}

/// What comes next in a walk.
pub(crate) enum Visit {
    /// An edge from the block of this number.
    Edge(u32, Block),
    /// The block of this number has no more edges.
    Leave(u32),
}

impl DepthFirst {
    /// Enters a block, which gets a number.
    #[inline]
    pub(crate) fn enter(&mut self, cfg: &ControlFlowGraph, block: Block, number: u32) {
        let succs = range(&cfg.succ_ends, block);
        self.open.push(Open { number, next: succs.start as u32, end: succs.end as u32 });
    }

    /// The next edge of the block that was entered last, which is left behind its last one; none when all are left.
    #[inline]
    pub(crate) fn next(&mut self, cfg: &ControlFlowGraph) -> Option<Visit> {
        let Open { number, next, end } = self.open.last_mut()?;
        let number = *number;
        if next == end {
            self.open.pop();
            return Some(Visit::Leave(number));
        }
        let to = cfg.succs[*next as usize];
        *next += 1;
        Some(Visit::Edge(number, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FuncId, FunctionBuilder, Signature, Type};
    use alloc::vec;

    #[test]
    fn repeated_edges_count_once() {
        let mut func = Function::new();
        let mut b = FunctionBuilder::new(&mut func);
        b.begin(FuncId::from_u32(0), &Signature::new(vec![Type::I32], Type::Void));
        let blocks: Vec<_> = (0..3).map(|_| b.create_block()).collect();
        b.switch_to_block(blocks[0]);
        let x = b.func.params()[0];
        let table = b.switch(x, blocks[1]);
        b.func.switch_mut(table).cases.extend([(1, blocks[2]), (2, blocks[2]), (3, blocks[1])]);
        b.switch_to_block(blocks[1]);
        b.br(blocks[2]);
        b.switch_to_block(blocks[2]);
        b.ret(None);

        let mut cfg = ControlFlowGraph::new();
        cfg.compute(&func);
        assert_eq!(cfg.succs(blocks[0]), [blocks[1], blocks[2]]);
        assert_eq!(cfg.preds(blocks[2]), [blocks[0], blocks[1]]);
        assert_eq!(cfg.preds(blocks[1]), [blocks[0]]);
        assert!(cfg.preds(blocks[0]).is_empty());
        assert!(cfg.has_repeated_edges());
    }
}
