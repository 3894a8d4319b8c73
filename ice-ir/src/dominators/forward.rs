//! Dominators in few passes over blocks, for the order in which compilers mostly write them.
//!
//! Every block but the entry has a predecessor with a lower number, so that a path from the entry to it with growing
//! numbers exists, and all that dominates it has a lower number: `idom(b) < b`. Method: that of Cooper, Harvey and
//! Kennedy ("A Simple, Fast Dominance Algorithm", 2001) in the order of the numbers. The first pass goes by edges
//! forward, whose sources are done. That is all where every edge back goes to a dominator of its source, since
//! a path that goes back to a dominator has been there before; else passes follow until nothing changes.
//!
//! Cost: linear. The climbs are counted, and a shape that takes more than a fixed number of steps for each block
//! and question is left to [`DominatorTree`](super::DominatorTree).

use alloc::vec::Vec;

use crate::entities::Block;
use crate::flowgraph::ControlFlowGraph;
use cranelift_entity::EntityRef;

/// The dominator tree of a function with such an order of blocks. Reused from function to function.
#[derive(Clone, Default)]
pub struct ForwardDominators {
    idoms: Vec<u32>,
    /// Steps that may still be climbed.
    steps: usize,
}

/// How many steps upwards are allowed for each block and question.
const STEPS_EACH: usize = 16;

impl ForwardDominators {
    /// Computes the tree for about as many questions as said; `None` if the order of blocks or the shape of the
    /// tree is not a cheap one.
    pub fn compute(&mut self, cfg: &ControlFlowGraph, questions: usize) -> Option<()> {
        let blocks = cfg.num_blocks();
        self.steps = (blocks + questions) * STEPS_EACH;
        self.idoms.clear();
        self.idoms.push(0);
        let mut has_back_edges = false;
        for block in 1..blocks {
            let preds = cfg.preds(Block::new(block));
            let mut idom = preds.first().map(|pred| pred.as_u32()).filter(|&pred| pred < block as u32)?;
            for pred in &preds[1..] {
                match pred.as_u32() < block as u32 {
                    true => idom = self.common(idom, pred.as_u32())?,
                    false => has_back_edges = true,
                }
            }
            self.idoms.push(idom);
        }
        if has_back_edges && self.meet_edges_back(cfg)? {
            while self.meet_all_edges(cfg)? {}
        }
        Some(())
    }

    /// Takes the edges back into account, once. Whether that changes anything: mostly not.
    fn meet_edges_back(&mut self, cfg: &ControlFlowGraph) -> Option<bool> {
        let mut has_changed = false;
        for block in 1..cfg.num_blocks() {
            for &pred in cfg.preds(Block::new(block)).iter().rev() {
                if pred.index() < block {
                    break;
                }
                has_changed |= self.meet(block, pred)?;
            }
        }
        Some(has_changed)
    }

    /// Takes all edges into account, once. Whether that changes anything.
    fn meet_all_edges(&mut self, cfg: &ControlFlowGraph) -> Option<bool> {
        let mut has_changed = false;
        for block in 1..cfg.num_blocks() {
            let preds = cfg.preds(Block::new(block));
            self.steps = self.steps.checked_sub(preds.len())?;
            for &pred in preds {
                has_changed |= self.meet(block, pred)?;
            }
        }
        Some(has_changed)
    }

    /// What dominates `block` dominates its predecessor `pred`, too. Whether that is new.
    fn meet(&mut self, block: usize, pred: Block) -> Option<bool> {
        let before = self.idoms.get(block).copied()?;
        let idom = self.common(before, pred.as_u32())?;
        self.idoms[block] = idom;
        Some(idom != before)
    }

    fn climb(&mut self, block: u32) -> Option<u32> {
        self.steps = self.steps.checked_sub(1)?;
        self.idoms.get(block as usize).copied()
    }

    /// The nearest block that dominates both.
    fn common(&mut self, mut a: u32, mut b: u32) -> Option<u32> {
        while a != b {
            if a > b {
                a = self.climb(a)?;
            } else {
                b = self.climb(b)?;
            }
        }
        Some(a)
    }

    /// Whether `a` dominates `b`; `None` if that takes too many steps. All blocks are reachable.
    pub fn dominates(&mut self, a: Block, b: Block) -> Option<bool> {
        let mut above = b.as_u32();
        while above > a.as_u32() {
            above = self.climb(above)?;
        }
        Some(above == a.as_u32())
    }
}
