//! The order in which blocks of fast code follow each other.
//!
//! The order of the function mostly is that of its source, or was chosen by a compiler already. Four rules go
//! over it. The blocks of a loop are made contiguous, behind its header. An innermost loop that tests at the top and
//! jumps back at the bottom is *rotated* until the test is at the bottom, so that an iteration executes one
//! branch less. A block that does not lead to the one behind it is followed by a successor instead, if all other ways to
//! that one stand before it: clang writes the end of a loop in front of its body. Blocks from which every way leads to
//! `unreachable` are cold, and those to which only exceptions lead or that are known to be rare, but no headers of loops; they go
//! to the end, out of the way of the others (Pettis and Hansen, "Profile Guided Code Positioning", 1990, where the profile is a guess).
//!
//! Requires: a verified function, its [`ControlFlowGraph`] and [`LoopForest`]. Preserves: the function; the
//! entry stays first. Linear in blocks and edges: no block is in two innermost loops, and what has more than
//! `MAX_WAYS` ways to it is not moved.

use alloc::vec::Vec;
use core::mem;
use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::PackedOption;
use ice_ir::{Block, ControlFlowGraph, Function, InstData, LoopForest, Rarity};

/// Most predecessors of a block that is moved behind one of them.
const MAX_WAYS: usize = 8;

/// What is known about a block.
#[derive(Clone, Copy, Default)]
struct Facts {
    /// Successors that are not known to be cold.
    warm_succs: u32,
    is_cold: bool,
    is_placed: bool,
    /// The blocks of the same loop around it, while they have no place, and the ends of the list of this header's loop.
    before: PackedOption<Block>,
    next: PackedOption<Block>,
    first: PackedOption<Block>,
    last: PackedOption<Block>,
}

/// The order of one function. Reused from function to function.
#[derive(Default)]
pub struct BlockLayout {
    order: Vec<Block>,
    facts: Vec<Facts>,
    cold: Vec<Block>,
    /// Cold blocks whose predecessors are still to be told.
    work: Vec<Block>,
    /// Where flattening goes on behind a loop, with that loop's header and start.
    loops: Vec<(Block, usize)>,
}

impl BlockLayout {
    /// The reachable blocks in their final order.
    pub fn blocks(&self) -> &[Block] {
        &self.order
    }

    /// Whether every way from `block` leads to `unreachable`, or only exceptions to it.
    pub fn is_cold(&self, block: Block) -> bool {
        self.facts[block.index()].is_cold
    }

    /// Computes the order.
    pub fn compute(&mut self, func: &Function, cfg: &ControlFlowGraph, loops: &LoopForest) {
        self.order.clear();
        self.facts.clear();
        self.facts.resize(func.num_blocks(), Facts::default());
        self.find_cold(func, cfg, loops);
        self.flatten(func, cfg, loops);
    }

    fn find_cold(&mut self, func: &Function, cfg: &ControlFlowGraph, loops: &LoopForest) {
        let mut work = mem::take(&mut self.work);
        let mut has_pads = false;
        for block in func.blocks() {
            self.facts[block.index()].warm_succs = cfg.succs(block).len() as u32;
            match func.terminator(block) {
                Some(InstData::Unreachable) => work.push(block),
                Some(InstData::Invoke { .. }) => has_pads = true,
                _ => {}
            }
        }
        if func.has_rarities() {
            self.find_rare(func, cfg, loops);
        }
        if has_pads || func.has_rarities() {
            self.find_behind_cold(func, cfg, loops, &mut work);
        }
        while let Some(block) = work.pop() {
            self.facts[block.index()].is_cold = true;
            for &pred in cfg.preds(block) {
                let Facts { warm_succs, is_cold, .. } = &mut self.facts[pred.index()];
                *warm_succs -= 1;
                if *warm_succs == 0 && !*is_cold && !loops.is_header(pred) {
                    work.push(pred);
                }
            }
        }
        self.work = work;
    }

    /// Finds the blocks that are known to be rare. What is behind a loop is as rare as that, unless it calls what is rare.
    #[cold]
    #[inline(never)]
    fn find_rare(&mut self, func: &Function, cfg: &ControlFlowGraph, loops: &LoopForest) {
        let is_place = |&block: &Block| Some(block) != func.layout.entry() && !loops.is_header(block);
        for block in func.blocks().filter(is_place) {
            let Rarity { branches, calls } = func.rarity(block);
            let preds = cfg.preds(block);
            let stays = |&pred: &Block| loops.largest_without(pred, block).is_none();
            let is_only_way = || branches as usize >= preds.len() && preds.iter().all(stays);
            self.facts[block.index()].is_cold = calls || branches > 0 && is_only_way();
        }
    }

    /// Finds the pads of exceptions and what is rare, and what only these lead to.
    #[cold]
    #[inline(never)]
    fn find_behind_cold(
        &mut self,
        func: &Function,
        cfg: &ControlFlowGraph,
        loops: &LoopForest,
        cold: &mut Vec<Block>,
    ) {
        for block in func.blocks().filter(|&block| !loops.is_header(block)) {
            let is_pad = |inst| matches!(func.inst(inst), InstData::LandingPad { .. });
            let is_behind = || {
                let mut preds = cfg.preds(block).iter();
                preds.len() > 0 && preds.all(|pred| self.facts[pred.index()].is_cold)
            };
            let is_rare = self.facts[block.index()].is_cold;
            if is_rare || func.layout.first_inst(block).is_some_and(is_pad) || is_behind() {
                self.facts[block.index()].is_cold = true;
                // This is listed already.
                if !matches!(func.terminator(block), Some(InstData::Unreachable)) {
                    cold.push(block);
                }
            }
        }
    }

    /// Writes the order: loops contiguous and rotated, cold blocks last.
    fn flatten(&mut self, func: &Function, cfg: &ControlFlowGraph, loops: &LoopForest) {
        self.cold.clear();
        let (mut first, mut last) = (None, None::<Block>);
        for block in func.blocks().filter(|&block| loops.is_reachable(block)) {
            if self.is_cold(block) && Some(block) != func.layout.entry() {
                self.cold.push(block);
                continue;
            }
            let before = match around(loops, block) {
                Some(header) => {
                    let facts = &mut self.facts[header.index()];
                    let before = facts.last.expand();
                    facts.last = block.into();
                    if before.is_none() {
                        facts.first = block.into();
                    }
                    before
                }
                None => {
                    first = first.or(Some(block));
                    last.replace(block)
                }
            };
            self.facts[block.index()].before = before.into();
            if let Some(before) = before {
                self.facts[before.index()].next = block.into();
            }
        }
        let mut at = first;
        while let Some(block) = at {
            self.order.push(block);
            let Facts { first, next, ref mut is_placed, .. } = self.facts[block.index()];
            *is_placed = true;
            at = next.expand();
            if loops.is_header(block) {
                self.loops.push((block, self.order.len() - 1));
                at = first.expand();
            }
            while at.is_none()
                && let Some((header, start)) = self.loops.pop()
            {
                self.rotate(func, cfg, loops, header, start);
                at = self.facts[header.index()].next.expand();
            }
            if let (Some(next), Some(last)) = (at, self.order.last()) {
                let succs = cfg.succs(*last);
                if !succs.contains(&next) {
                    at = Some(self.follow(cfg, loops, succs, next));
                }
            }
        }
        self.order.append(&mut self.cold);
    }

    /// The block that comes next, where `next` would be and is none of `succs`, the successors of the last one: the first of
    /// these in the same loop whose other predecessors have their places; else `next`.
    fn follow(&mut self, cfg: &ControlFlowGraph, loops: &LoopForest, succs: &[Block], next: Block) -> Block {
        let level = around(loops, next);
        let is_ready = |&&block: &&Block| {
            let Facts { is_placed, is_cold, .. } = self.facts[block.index()];
            let preds = cfg.preds(block);
            let comes_before = |pred: &Block| {
                self.facts[pred.index()].is_placed || loops.is_header(block) && loops.contains(block, *pred)
            };
            !is_placed
                && !is_cold
                && preds.len() <= MAX_WAYS
                && around(loops, block) == level
                && preds.iter().all(comes_before)
        };
        let Some(&block) = succs.iter().find(is_ready) else { return next };
        // It is behind `next`, the first of the list.
        let Facts { before, next: behind, .. } = self.facts[block.index()];
        if let Some(before) = before.expand() {
            self.facts[before.index()].next = behind;
        }
        if let Some(behind) = behind.expand() {
            self.facts[behind.index()].before = before;
        }
        self.facts[block.index()].next = next.into();
        self.facts[next.index()].before = block.into();
        block
    }

    /// Rotates the loop of `header`, which takes the order from `start` to its end, if it holds no other.
    fn rotate(
        &mut self,
        func: &Function,
        cfg: &ControlFlowGraph,
        loops: &LoopForest,
        header: Block,
        start: usize,
    ) {
        let blocks = &mut self.order[start..];
        let [first, .., last] = *blocks else { return };
        let jumps_back = matches!(func.terminator(last), Some(&InstData::Br { target }) if target == header);
        let is_innermost = blocks.iter().all(|&b| loops.innermost(b) == Some(header));
        if !jumps_back || !is_innermost || first != header || start == 0 {
            return;
        }
        // The first block that either leaves the loop or goes on to the next one.
        let leaves = |pair: &[Block]| {
            matches!(cfg.succs(pair[0]), &[a, b]
                if a == pair[1] && !loops.contains(header, b) || b == pair[1] && !loops.contains(header, a))
        };
        if let Some(n) = blocks.windows(2).position(leaves) {
            blocks.rotate_left(n + 1);
        }
    }
}

/// The header of the loop in whose list a block is: a header is in that of the next loop.
#[inline]
fn around(loops: &LoopForest, block: Block) -> Option<Block> {
    if loops.is_header(block) { loops.outer(block) } else { loops.innermost(block) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ice_ir::DominatorTree;
    use ice_ir::generate::graph::{Ends, function_of_graph, random_graphs};

    #[test]
    fn every_reachable_block_has_one_place_and_loops_are_contiguous() {
        let (mut cfg, mut loops, mut tree) =
            (ControlFlowGraph::new(), LoopForest::new(), DominatorTree::new());
        let mut layout = BlockLayout::default();
        for (n, edges) in random_graphs(15).take(2000).enumerate() {
            let mut func = function_of_graph(&edges, Ends::ReturnOrNot);
            // Half of the functions have blocks that are known to be rare.
            for block in (0..func.num_blocks()).filter(|block| n % 2 == 1 && (n >> 1) * 7 % (block + 2) < 2) {
                let rarity = func.rarity_mut(Block::new(block));
                (rarity.branches, rarity.calls) = (n as u32 % 4, n % 8 < 5);
            }
            cfg.compute(&func);
            loops.compute(&func, &cfg);
            tree.compute(&func, &cfg);
            layout.compute(&func, &cfg, &loops);
            let order = layout.blocks();
            assert_eq!(order.first().copied(), func.layout.entry());
            let mut sorted = order.to_vec();
            sorted.sort();
            assert!(sorted.iter().copied().eq(func.blocks().filter(|&b| tree.is_reachable(b))), "{edges:?}");
            for header in loops.headers() {
                let is_place = |&i: &usize| loops.contains(header, order[i]) && !layout.is_cold(order[i]);
                let mut places = (0..order.len()).filter(is_place);
                let first = places.next().unwrap();
                assert!(places.enumerate().all(|(i, place)| place == first + 1 + i), "{edges:?} {order:?}");
            }
        }
    }
}
