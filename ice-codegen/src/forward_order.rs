//! An order of blocks in which control goes forward, but for the edges back to headers of loops.
//!
//! Who builds functions block by block often numbers the block behind a choice before the blocks within its arms; compilers
//! write ends of loops in front of their bodies. What goes block by block in such an order finds edges back where no loop is.
//!
//! Method: the order of the numbers is kept where each edge back in it leads to a block that is on the way to its source,
//! as a header is: the way is that of the first predecessors. Else the order is reverse postorder of a depth-first walk,
//! in which only edges to ancestors go back (Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972). What is walked into
//! first comes last: blocks on the way from a header to an edge back come before others, so that what is behind a loop
//! comes behind it, and otherwise lower numbers before higher ones.
//!
//! Requires: the function's [`ControlFlowGraph`]. Linear in blocks and edges, with a bound on the ways.

use alloc::vec::Vec;
use core::mem;
use cranelift_entity::EntityRef;
use ice_ir::{Block, ControlFlowGraph};

/// How many steps of ways are gone, for each block.
const STEPS: usize = 4;

/// What is known of a block.
#[derive(Clone, Copy, Default)]
struct Facts {
    is_seen: bool,
    /// It is on the way from the header of a loop to an edge back.
    goes_round: bool,
}

/// The order of one function. Reused from function to function.
#[derive(Clone, Default)]
pub struct ForwardOrder {
    order: Vec<Block>,
    facts: Vec<Facts>,
    stack: Vec<Visit>,
}

#[derive(Clone, Copy)]
enum Visit {
    Enter(Block),
    Leave(Block),
}

impl ForwardOrder {
    /// The order of the blocks that control can reach from `entry`; `None` if that of their numbers is one.
    pub fn compute(&mut self, cfg: &ControlFlowGraph, entry: Block) -> Option<&[Block]> {
        let mut steps = STEPS * cfg.num_blocks();
        // If there are too many steps to tell, it is taken for one.
        if edges_back(cfg).all(|edge| goes_round(cfg, edge, &mut steps) || steps == 0) {
            return None;
        }
        self.facts.clear();
        self.facts.resize(cfg.num_blocks(), Facts::default());
        self.mark_ways(cfg);
        self.walk(cfg, entry);
        self.order.reverse();
        Some(&self.order)
    }

    /// Marks what is on the way from a header to an edge back.
    fn mark_ways(&mut self, cfg: &ControlFlowGraph) {
        let mut steps = STEPS * cfg.num_blocks();
        for (from, header) in edges_back(cfg) {
            if goes_round(cfg, (from, header), &mut steps) {
                let mut at = from;
                while at != header {
                    self.facts[at.index()].goes_round = true;
                    at = before(cfg, at).unwrap_or(header);
                }
            }
        }
    }

    /// Lists the blocks in postorder.
    fn walk(&mut self, cfg: &ControlFlowGraph, entry: Block) {
        self.order.clear();
        self.stack.push(Visit::Enter(entry));
        while let Some(visit) = self.stack.pop() {
            let block = match visit {
                Visit::Enter(block) => block,
                Visit::Leave(block) => {
                    self.order.push(block);
                    continue;
                }
            };
            if mem::replace(&mut self.facts[block.index()].is_seen, true) {
                continue;
            }
            self.stack.push(Visit::Leave(block));
            let first = self.stack.len();
            let facts = &self.facts;
            let unseen = cfg.succs(block).iter().filter(|succ| !facts[succ.index()].is_seen);
            self.stack.extend(unseen.map(|&succ| Visit::Enter(succ)));
            let comes_late = |visit: &Visit| match *visit {
                Visit::Enter(block) | Visit::Leave(block) => (!facts[block.index()].goes_round, block),
            };
            match &mut self.stack[first..] {
                [] | [_] => {}
                [a, b] if comes_late(a) < comes_late(b) => {}
                [a, b] => mem::swap(a, b),
                succs => succs.sort_unstable_by_key(comes_late),
            }
        }
    }
}

/// The edges to blocks of lower numbers.
fn edges_back(cfg: &ControlFlowGraph) -> impl Iterator<Item = (Block, Block)> {
    cfg.all_preds().enumerate().flat_map(|(number, preds)| {
        let to = Block::new(number);
        preds.iter().rev().take_while(move |&&from| from > to).map(move |&from| (from, to))
    })
}

/// Whether the way from an edge back leads to its target before it leads below it, and there are steps left.
fn goes_round(cfg: &ControlFlowGraph, (from, to): (Block, Block), steps: &mut usize) -> bool {
    let mut at = from;
    while at > to && *steps > 0 {
        *steps -= 1;
        let Some(next) = before(cfg, at) else { return false };
        at = next;
    }
    at == to
}

/// The first predecessor of a block, if its number is lower.
fn before(cfg: &ControlFlowGraph, block: Block) -> Option<Block> {
    cfg.preds(block).first().copied().filter(|&before| before < block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use ice_ir::DominatorTree;
    use ice_ir::generate::graph::{Ends, function_of_graph, random_graphs};

    /// The order of a graph, of all its blocks if their numbers are one.
    fn order_of(edges: &[Vec<usize>]) -> Option<Vec<usize>> {
        let mut cfg = ControlFlowGraph::new();
        cfg.compute(&function_of_graph(edges, Ends::Return));
        let mut order = ForwardOrder::default();
        let blocks = order.compute(&cfg, Block::new(0))?;
        Some(blocks.iter().map(|block| block.index()).collect())
    }

    #[test]
    fn ends_of_choices_come_behind_what_is_in_their_arms() {
        // A loop around a choice whose second arm holds another one.
        let edges = [vec![1], vec![2, 3], vec![4], vec![5, 6], vec![1, 8], vec![7], vec![7], vec![4], vec![]];
        assert_eq!(order_of(&edges), Some(vec![0, 1, 2, 3, 5, 6, 7, 4, 8]));
    }

    #[test]
    fn ends_of_loops_come_behind_their_bodies() {
        // Block 2 is behind the loop, whose body is a choice with another one in its second arm.
        let edges = [
            vec![1],
            vec![2, 3],
            vec![],
            vec![4, 5],
            vec![6],
            vec![7, 8],
            vec![1],
            vec![9],
            vec![9],
            vec![6],
        ];
        assert_eq!(order_of(&edges), Some(vec![0, 1, 3, 4, 5, 7, 8, 9, 6, 2]));
    }

    #[test]
    fn numbers_stay_where_only_loops_go_back() {
        let edges = [vec![1], vec![2, 4], vec![3, 2], vec![1, 2], vec![]];
        assert_eq!(order_of(&edges), None);
    }

    #[test]
    fn edges_back_lead_to_what_dominates_or_to_loops_of_several_entrances() {
        let (mut cfg, mut tree, mut forward) =
            (ControlFlowGraph::new(), DominatorTree::new(), ForwardOrder::default());
        let mut orders = 0;
        for edges in random_graphs(12).take(3000) {
            let func = function_of_graph(&edges, Ends::Return);
            cfg.compute(&func);
            tree.compute(&func, &cfg);
            let reachable: Vec<Block> = func.blocks().filter(|&block| tree.is_reachable(block)).collect();
            let order = match forward.compute(&cfg, Block::new(0)) {
                Some(order) => order.to_vec(),
                None => reachable.clone(),
            };
            orders += usize::from(order != reachable);
            assert_eq!(order.first(), Some(&Block::new(0)), "{edges:?}");
            let mut sorted = order.clone();
            sorted.sort();
            assert_eq!(sorted, reachable, "{edges:?} {order:?}");
            for (place, &from) in order.iter().enumerate() {
                for to in cfg.succs(from) {
                    let is_back = order[..=place].contains(to);
                    let goes_round = || leads_to(&cfg, *to, from);
                    assert!(!is_back || tree.dominates(*to, from) || goes_round(), "{edges:?} {order:?}");
                }
            }
        }
        assert!(orders > 300, "only {orders} graphs needed an order");
    }

    fn leads_to(cfg: &ControlFlowGraph, from: Block, to: Block) -> bool {
        let mut seen = vec![from];
        let mut next = 0;
        while let Some(&block) = seen.get(next) {
            next += 1;
            for &succ in cfg.succs(block) {
                if !seen.contains(&succ) {
                    seen.push(succ);
                }
            }
        }
        seen.contains(&to)
    }
}
