//! The order of blocks by chance: the reverse of a post-order that visits successors as it comes.
//!
//! What dominates a block comes before it, as lowering and both allocators like it; all else is open.
//!
//! Requires: the function's [`ControlFlowGraph`]. Preserves: the function. Linear in blocks and edges.

use alloc::vec::Vec;
use cranelift_entity::EntityRef;
use ice_asm::Random;
use ice_ir::{Block, ControlFlowGraph, Function};

/// The memory of such orders. Reused from function to function.
#[derive(Default)]
pub struct RandomOrder {
    blocks: Vec<Block>,
    is_seen: Vec<bool>,
    /// The way to where the walk is: each block with the successors that it has still to visit, from there on in
    /// `successors`.
    path: Vec<(Block, usize)>,
    successors: Vec<Block>,
}

impl RandomOrder {
    /// Computes an order of the blocks that control can reach, the entry first.
    pub fn compute(&mut self, func: &Function, cfg: &ControlFlowGraph, mut random: Random) -> &[Block] {
        self.blocks.clear();
        self.is_seen.clear();
        self.is_seen.resize(func.num_blocks(), false);
        if let Some(entry) = func.layout.entry() {
            self.enter(cfg, entry, &mut random);
        }
        while let Some(&(block, first)) = self.path.last() {
            if self.successors.len() == first {
                self.path.pop();
                self.blocks.push(block);
            } else if let Some(next) = self.successors.pop()
                && !self.is_seen[next.index()]
            {
                self.enter(cfg, next, &mut random);
            }
        }
        self.blocks.reverse();
        &self.blocks
    }

    fn enter(&mut self, cfg: &ControlFlowGraph, block: Block, random: &mut Random) {
        self.is_seen[block.index()] = true;
        let first = self.successors.len();
        self.path.push((block, first));
        self.successors.extend_from_slice(cfg.succs(block));
        random.shuffle(&mut self.successors[first..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ice_ir::DominatorTree;
    use ice_ir::generate::graph::{Ends, function_of_graph, random_graphs};

    #[test]
    fn reachable_blocks_come_once_and_behind_what_dominates_them() {
        let (mut cfg, mut tree) = (ControlFlowGraph::new(), DominatorTree::new());
        let mut order = RandomOrder::default();
        let mut differ = 0;
        for (n, edges) in random_graphs(15).take(1000).enumerate() {
            let func = function_of_graph(&edges, Ends::ReturnOrNot);
            cfg.compute(&func);
            tree.compute(&func, &cfg);
            let other = order.compute(&func, &cfg, Random::keyed(1, 0, n as u32)).to_vec();
            let blocks = order.compute(&func, &cfg, Random::keyed(2, 0, n as u32));
            differ += usize::from(blocks != other);
            assert_eq!(blocks.first().copied(), func.layout.entry());
            let mut sorted = blocks.to_vec();
            sorted.sort();
            assert!(sorted.iter().copied().eq(func.blocks().filter(|&b| tree.is_reachable(b))), "{edges:?}");
            for (n, &block) in blocks.iter().enumerate() {
                let later = &blocks[n + 1..];
                assert!(!later.iter().any(|&dominator| tree.dominates(dominator, block)), "{edges:?}");
            }
        }
        // Many of the graphs have one order.
        assert!(differ > 200, "{differ}");
    }
}
