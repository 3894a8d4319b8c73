//! How often control comes to each block: a guess, from which register allocation takes what is worth most.
//!
//! A *chance* is how often control comes to a block when it goes once through the loops that hold it: between 0 and 1. How often
//! these go round is the depth, which the allocator counts for itself. Branches are guessed from what they are (Ball and Larus,
//! "Branch Prediction for Free", 1993, and Wu and Larus, "Static Branch Frequency and Program Profile Analysis", 1994):
//!
//! * what ends at `unreachable` is hardly ever come to, nor what only exceptions lead to;
//! * a branch that may leave its loop stays in it, for the chance is that of going all the way round;
//! * integers are rather different than equal, and floats are numbers;
//! * the ways of a switch are taken alike, but none counts less than [`WAY`], for few of many are what a program is about.
//!
//! What comes into a loop leaves it, by all its ways out alike. A block that no way leads to from what came before it, in a graph
//! that is not reducible or of an odd order, is come to as often as the loop around it.
//!
//! Requires: a verified function in whose order most blocks follow their predecessors, its [`ControlFlowGraph`], [`LoopForest`]
//! and [`BlockLayout`]. Preserves: the function. Cost: blocks and edges, for each of them a logarithm of the depth.

use crate::block_layout::BlockLayout;
use alloc::vec::Vec;
use cranelift_entity::EntityRef;
use ice_ir::{Block, ControlFlowGraph, FloatCond, Function, InstData, IntCond, LoopForest};

/// That control goes where every way ends at `unreachable`.
const COLD: f32 = 1.0 / 64.0;
/// That two integers are equal.
const EQUAL: f32 = 0.35;
/// That a switch goes one of its ways, at least.
const WAY: f32 = 0.25;
/// That control comes to a block, at least: what is read there is read.
const LEAST: f32 = 1.0 / 65536.0;

/// The chances of the blocks of one function. Reused from function to function.
#[derive(Default)]
pub struct BlockChances {
    facts: Vec<Facts>,
    /// For each block the sum over the edges from those before it.
    comes: Vec<f32>,
    /// Those of edges, one block after another, in the order of the successors.
    edges: Vec<f32>,
}

#[derive(Clone, Copy, Default)]
struct Facts {
    chance: f32,
    /// Where its edges begin.
    first_edge: u32,
    /// Of the header of a loop: the edges on which control leaves it and no loop around it.
    exits: u32,
}

/// What the guess is made from.
#[derive(Clone, Copy)]
pub struct Shape<'a> {
    /// The function.
    pub func: &'a Function,
    /// Its flow graph.
    pub cfg: &'a ControlFlowGraph,
    /// Its loops.
    pub loops: &'a LoopForest,
    /// Its cold blocks.
    pub layout: &'a BlockLayout,
}

impl BlockChances {
    /// Computes the chances of all reachable blocks.
    pub fn compute(&mut self, shape: Shape<'_>) {
        let Shape { func, cfg, loops, layout } = shape;
        self.facts.clear();
        self.facts.resize(func.num_blocks(), Facts::default());
        let reachable = || func.blocks().filter(|&block| loops.is_reachable(block));
        for block in reachable().filter(|&block| loops.innermost(block).is_some()) {
            for &succ in cfg.succs(block).iter().filter(|&&succ| !layout.is_cold(succ)) {
                if let Some(header) = loops.largest_without(block, succ) {
                    self.facts[header.index()].exits += 1;
                }
            }
        }
        self.comes.clear();
        self.comes.resize(func.num_blocks(), 0.0);
        self.edges.clear();
        for block in reachable() {
            let around = loops.innermost(block).map_or(0.0, |header| self.facts[header.index()].chance);
            let chance = match self.comes[block.index()] {
                0.0 if around > 0.0 => around,
                0.0 => 1.0,
                comes => comes,
            };
            let BlockChances { facts, comes, edges } = self;
            let own = &mut facts[block.index()];
            (own.chance, own.first_edge) = (chance.clamp(LEAST, 1.0), edges.len() as u32);
            ways(facts, shape, block, |to, chance| {
                comes[to.index()] += chance;
                // A loop that is left before control comes to its header has no chance yet.
                edges.push(chance.max(LEAST));
            });
        }
    }

    /// That of a reachable block.
    pub fn block(&self, block: Block) -> f32 {
        self.facts[block.index()].chance
    }

    /// That of the edge between two reachable blocks of the graph that the chances were computed of.
    #[inline]
    pub fn edge(&self, cfg: &ControlFlowGraph, from: Block, to: Block) -> f32 {
        let first = self.facts[from.index()].first_edge as usize;
        let mut edges = cfg.succs(from).iter().zip(&self.edges[first..]);
        edges.find(|&(&succ, _)| succ == to).map_or(0.0, |(_, &chance)| chance)
    }
}

/// Visits where control goes from `block`, whose chance is known, in the order of the successors, and how often.
#[inline]
fn ways(facts: &[Facts], shape: Shape<'_>, block: Block, mut visit: impl FnMut(Block, f32)) {
    let Shape { func, cfg, loops, layout } = shape;
    let chance = facts[block.index()].chance;
    // What leaves a loop shares what comes into it; other ways are as probable as it says.
    let mut go = |to: Block, left: Option<Block>, probability: f32| {
        let chance = match left.map(|header| facts[header.index()]) {
            Some(Facts { chance, .. }) if layout.is_cold(to) => chance * COLD,
            Some(Facts { chance, exits, .. }) => chance / exits.max(1) as f32,
            None => chance * probability,
        };
        visit(to, chance);
    };
    let left_by = |to: Block| loops.largest_without(block, to);
    match func.terminator(block) {
        Some(&InstData::CondBr { cond, if_true, if_false }) if if_true != if_false => {
            let left = [if_true, if_false].map(left_by);
            let holds = match left {
                _ if layout.is_cold(if_true) => COLD,
                _ if layout.is_cold(if_false) => 1.0 - COLD,
                [Some(_), None] => 0.0,
                [None, Some(_)] => 1.0,
                _ => match func.defining_inst(cond).map(|inst| func.inst(inst)) {
                    Some(InstData::Icmp { cond: IntCond::Eq, .. }) => EQUAL,
                    Some(InstData::Icmp { cond: IntCond::Ne, .. }) => 1.0 - EQUAL,
                    Some(InstData::Fcmp { cond: FloatCond::Uno, .. }) => COLD,
                    Some(InstData::Fcmp { cond: FloatCond::Ord, .. }) => 1.0 - COLD,
                    _ => 0.5,
                },
            };
            go(if_true, left[0], holds);
            go(if_false, left[1], 1.0 - holds);
        }
        _ => {
            let succs = cfg.succs(block);
            let warm = succs.iter().filter(|&&to| !layout.is_cold(to)).count();
            let each = if warm > 1 { (1.0 / warm as f32).max(WAY) } else { 1.0 };
            for &to in succs {
                go(to, left_by(to), if layout.is_cold(to) { each.min(COLD) } else { each });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_order::LoweredBlock;
    use alloc::vec;
    use ice_ir::generate::graph::{Ends, function_of_graph, random_graphs};

    fn chances(func: &Function) -> (BlockChances, ControlFlowGraph, LoopForest, BlockLayout) {
        let (mut cfg, mut loops) = (ControlFlowGraph::new(), LoopForest::new());
        let (mut layout, mut chances) = (BlockLayout::default(), BlockChances::default());
        cfg.compute(func);
        loops.compute(func, &cfg);
        layout.compute(func, &cfg, &loops);
        chances.compute(Shape { func, cfg: &cfg, loops: &loops, layout: &layout });
        (chances, cfg, loops, layout)
    }

    #[test]
    fn a_loop_is_left_as_often_as_it_is_come_to() {
        // Block 1 goes to a loop of blocks 2 and 3 or past it; both ways meet in block 4.
        let func = function_of_graph(&[vec![1, 4], vec![2, 4], vec![3], vec![2, 4], vec![]], Ends::Return);
        let (chances, ..) = chances(&func);
        let of = |n: usize| chances.block(Block::new(n));
        assert_eq!([of(0), of(1), of(2), of(3), of(4)], [1.0, 0.5, 0.25, 0.25, 1.0]);
    }

    #[test]
    fn a_shared_edge_is_as_likely_as_its_sources_together() {
        // Blocks 0 and 1 give 0 to the phi of block 3, block 2 gives 1.
        let program = ice_ir::parse_program(
            "define external @f(v0: i32) -> i32 {
               v1: i32 = 0
               v2: i32 = 1
             block0:
               v3: i1 = icmp eq v0, v1
               br v3, block3, block1
             block1:
               v4: i1 = icmp eq v0, v2
               br v4, block3, block2
             block2:
               br block3
             block3:
               v5: i32 = phi [v1, block0], [v1, block1], [v2, block2]
               ret v5
             }",
        );
        let func = &program.expect("it is valid").bodies[0];
        let (chances, cfg, loops, layout) = chances(func);
        let mut order = crate::BlockOrder::default();
        let blocks = layout.blocks();
        order.compute_from(func, &cfg, Some(&loops), crate::EdgesBack::Behind, blocks);
        order.compute_depths(Shape { func, cfg: &cfg, loops: &loops, layout: &layout }, &chances);
        let is_edge = |block: &LoweredBlock| matches!(block, LoweredBlock::Edge { .. });
        let edge = order.blocks().iter().position(is_edge).expect("one of two sources");
        assert_eq!(order.chances()[edge], EQUAL + (1.0 - EQUAL) * EQUAL);
    }

    #[test]
    fn every_reachable_block_has_a_chance() {
        for edges in random_graphs(15).take(1000) {
            let func = function_of_graph(&edges, Ends::ReturnOrNot);
            let (chances, cfg, loops, _) = chances(&func);
            for block in func.blocks().filter(|&block| loops.is_reachable(block)) {
                assert!((LEAST..=1.0).contains(&chances.block(block)), "{edges:?}");
                let mut ways = cfg.succs(block).iter().map(|&to| chances.edge(&cfg, block, to));
                assert!(ways.all(|way| way > 0.0 && way <= 1.0), "{edges:?}");
            }
        }
    }
}
