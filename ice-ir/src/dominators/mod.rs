//! Which block dominates which: the dominator tree.
//!
//! Block `a` dominates `b` if every path from the entry to `b` goes through `a`. Method: Semi-NCA
//! (Georgiadis, Tarjan and Werneck, "Finding Dominators in Practice", 2006). A depth-first walk numbers the
//! reachable blocks; semidominators come from a reverse pass with path compression (Lengauer and Tarjan,
//! 1979); the immediate dominator is the nearest tree ancestor at or above the semidominator. The iterative
//! method of Cooper, Harvey and Kennedy (2001) is shorter, but climbs the whole tree for every edge into a
//! shared error exit, a common shape; this one climbs once.
//!
//! Invariants: depth-first numbers grow along tree paths, so that `idom(w) < w`. The tree is then numbered
//! in preorder without child lists: subtree sizes are summed backward and ranges handed out forward, and
//! `a` dominates `b` exactly when `b`'s number lies in `a`'s range.
//!
//! Unreachable blocks have no immediate dominator, dominate only themselves, and are not in [`rpo`].
//!
//! Cost: O(e log n) for the semidominators, constant time for every query; no recursion; all memory is
//! reused from function to function.
//!
//! [`rpo`]: DominatorTree::rpo

mod forward;

pub use forward::ForwardDominators;

use alloc::vec::Vec;

use crate::entities::Block;
use crate::flowgraph::{ControlFlowGraph, DepthFirst, Visit};
use crate::function::Function;
use cranelift_entity::EntityRef;

/// A reachable block in the order of the depth-first walk; the fields refer to such numbers.
#[derive(Clone, Copy)]
struct Node {
    block: Block,
    /// Depth-first parent, shortened by path compression.
    ancestor: u32,
    /// The node with the smallest semidominator between here and the compressed ancestor.
    label: u32,
    semi: u32,
    /// Depth-first parent at first, immediate dominator at last.
    idom: u32,
    /// Blocks in the dominator subtree.
    size: u32,
    /// Preorder number in the dominator tree.
    pre: u32,
    /// The number that the next child gets.
    next_pre: u32,
}

const UNREACHABLE: u32 = u32::MAX;

/// The dominator tree of one function. Reused from function to function.
#[derive(Clone, Default)]
pub struct DominatorTree {
    nodes: Vec<Node>,
    /// Depth-first number of every block, or [`UNREACHABLE`].
    numbers: Vec<u32>,
    rpo: Vec<Block>,
    walk: DepthFirst,
    path: Vec<u32>,
}

impl DominatorTree {
    /// An empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Computes the tree of `func`, whose control flow is `cfg`.
    pub fn compute(&mut self, func: &Function, cfg: &ControlFlowGraph) {
        self.nodes.clear();
        self.nodes.reserve(func.num_blocks());
        self.rpo.clear();
        self.rpo.reserve(func.num_blocks());
        self.numbers.clear();
        self.numbers.resize(func.num_blocks(), UNREACHABLE);
        let Some(entry) = func.layout.entry() else { return };
        self.walk(entry, cfg);
        self.find_semidominators(cfg);
        for w in 1..self.nodes.len() {
            let Node { semi, mut idom, .. } = self.nodes[w];
            while idom > semi {
                idom = self.nodes[idom as usize].idom;
            }
            self.nodes[w].idom = idom;
        }
        self.number_tree();
    }

    /// Numbers the reachable blocks in depth-first order and records the reverse postorder.
    fn walk(&mut self, entry: Block, cfg: &ControlFlowGraph) {
        self.discover(entry, 0, cfg);
        while let Some(visit) = self.walk.next(cfg) {
            match visit {
                Visit::Edge(parent, succ) if self.number(succ) == UNREACHABLE => {
                    self.discover(succ, parent, cfg);
                }
                Visit::Edge(..) => {}
                Visit::Leave(number) => self.rpo.push(self.nodes[number as usize].block),
            }
        }
        self.rpo.reverse();
    }

    /// The depth-first number of `block`.
    #[inline]
    fn number(&self, block: Block) -> u32 {
        self.numbers.get(block.index()).copied().unwrap_or(UNREACHABLE)
    }

    #[inline]
    fn discover(&mut self, block: Block, parent: u32, cfg: &ControlFlowGraph) {
        let number = self.nodes.len() as u32;
        self.walk.enter(cfg, block, number);
        if let Some(slot) = self.numbers.get_mut(block.index()) {
            *slot = number;
        }
        let (label, semi) = (number, number);
        self.nodes.push(Node {
            block,
            ancestor: parent,
            label,
            semi,
            idom: parent,
            size: 1,
            pre: 0,
            next_pre: 1,
        });
    }

    fn find_semidominators(&mut self, cfg: &ControlFlowGraph) {
        for w in (1..self.nodes.len()).rev() {
            let Node { block, idom: parent, .. } = self.nodes[w];
            let mut semi = parent;
            let preds = cfg.preds(block);
            // The one predecessor is the parent.
            for &pred in if preds.len() > 1 { preds } else { &[] } {
                let number = self.number(pred);
                if number != UNREACHABLE {
                    let label = self.evaluate(number, w as u32 + 1);
                    semi = semi.min(self.nodes[label as usize].semi);
                }
            }
            self.nodes[w].semi = semi;
        }
    }

    /// The node with the smallest semidominator on the tree path from `v` up to the nodes below `linked`,
    /// the first number that is already processed. Compresses the path.
    fn evaluate(&mut self, v: u32, linked: u32) -> u32 {
        let mut top = v;
        while self.nodes[top as usize].ancestor >= linked {
            self.path.push(top);
            top = self.nodes[top as usize].ancestor;
        }
        let Node { ancestor, mut label, .. } = self.nodes[top as usize];
        while let Some(below) = self.path.pop() {
            let own = self.nodes[below as usize].label;
            if self.nodes[own as usize].semi <= self.nodes[label as usize].semi {
                label = own;
            }
            let node = &mut self.nodes[below as usize];
            node.ancestor = ancestor;
            node.label = label;
        }
        label
    }

    fn number_tree(&mut self) {
        for w in (1..self.nodes.len()).rev() {
            let Node { idom, size, .. } = self.nodes[w];
            self.nodes[idom as usize].size += size;
        }
        for w in 1..self.nodes.len() {
            let Node { idom, size, .. } = self.nodes[w];
            let parent = &mut self.nodes[idom as usize];
            let pre = parent.next_pre;
            parent.next_pre += size;
            self.nodes[w].pre = pre;
            self.nodes[w].next_pre = pre + 1;
        }
    }

    fn node(&self, block: Block) -> Option<&Node> {
        // An unreachable block has the largest number, which is never an index.
        self.nodes.get(self.number(block) as usize)
    }

    /// The immediate dominator of `block`; `None` for the entry and for unreachable blocks.
    pub fn idom(&self, block: Block) -> Option<Block> {
        match self.number(block) {
            0 => None,
            _ => self.node(block).map(|node| self.nodes[node.idom as usize].block),
        }
    }

    /// True if every path from the entry to `b` goes through `a`; a block dominates itself.
    #[inline]
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        match (self.node(a), self.node(b)) {
            (Some(x), Some(y)) => y.pre.wrapping_sub(x.pre) < x.size,
            _ => a == b,
        }
    }

    /// The number of `block` in a preorder of the tree, and how many blocks it dominates: those have the numbers from
    /// its own on. Of an unreachable block no number and none.
    pub fn dominated(&self, block: Block) -> (u32, u32) {
        self.node(block).map_or((UNREACHABLE, 0), |node| (node.pre, node.size))
    }

    /// True if some path leads from the entry to `block`.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.number(block) != UNREACHABLE
    }

    /// The reachable blocks in reverse postorder: every block after its dominators, and after all its
    /// predecessors but the ones over back edges.
    pub fn rpo(&self) -> &[Block] {
        &self.rpo
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::graph::{Ends, function_of_graph, random_graphs};
    use alloc::vec;
    use cranelift_entity::EntityRef;

    fn analyze(edges: &[Vec<usize>]) -> DominatorTree {
        let func = function_of_graph(edges, Ends::Return);
        let mut cfg = ControlFlowGraph::new();
        cfg.compute(&func);
        let mut tree = DominatorTree::new();
        tree.compute(&func, &cfg);
        tree
    }

    /// Blocks that can be reached without going through `avoid`.
    fn reach(edges: &[Vec<usize>], avoid: Option<usize>) -> Vec<bool> {
        let mut seen = vec![false; edges.len()];
        let mut todo = vec![0];
        while let Some(b) = todo.pop() {
            if Some(b) != avoid && !core::mem::replace(&mut seen[b], true) {
                todo.extend(&edges[b]);
            }
        }
        seen
    }

    #[test]
    fn agrees_with_the_definition_on_random_graphs() {
        let mut num_forward = 0;
        for edges in random_graphs(15).take(400) {
            let n = edges.len();
            let tree = analyze(&edges);
            let reachable = reach(&edges, None);
            num_forward += usize::from(agrees_with_the_forward_tree(&edges, &tree));
            for a in 0..n {
                let without = reach(&edges, Some(a));
                for b in 0..n {
                    let expected = a == b || reachable[a] && reachable[b] && !without[b];
                    assert_eq!(tree.dominates(Block::new(a), Block::new(b)), expected, "{a} {b} {edges:?}");
                }
                let idom = tree.idom(Block::new(a));
                assert_eq!(idom.is_some(), a != 0 && reachable[a]);
                if let Some(idom) = idom {
                    let strict = (0..n).filter(|&d| d != a && tree.dominates(Block::new(d), Block::new(a)));
                    assert!(strict.into_iter().all(|d| tree.dominates(Block::new(d), idom)));
                    assert_ne!(idom.index(), a);
                }
            }
            assert_eq!(tree.rpo().len(), reachable.iter().filter(|&&r| r).count());
            for (i, &b) in tree.rpo().iter().enumerate() {
                let dominators = (0..n).map(Block::new).filter(|&d| d != b && tree.dominates(d, b));
                dominators.for_each(|d| assert!(tree.rpo()[..i].contains(&d)));
            }
        }
        assert!((20..380).contains(&num_forward), "both kinds of graphs: {num_forward}");
    }

    /// Whether the order of blocks is one for [`ForwardDominators`], which then says the same.
    fn agrees_with_the_forward_tree(edges: &[Vec<usize>], tree: &DominatorTree) -> bool {
        let mut cfg = ControlFlowGraph::new();
        cfg.compute(&function_of_graph(edges, Ends::Return));
        let mut forward = ForwardDominators::default();
        let questions = edges.len() * edges.len();
        if forward.compute(&cfg, questions).is_none() {
            return false;
        }
        for (a, b) in (0..questions).map(|n| (Block::new(n / edges.len()), Block::new(n % edges.len()))) {
            assert_eq!(forward.dominates(a, b), Some(tree.dominates(a, b)), "{a} {b} {edges:?}");
        }
        true
    }

    #[test]
    fn long_functions_take_no_recursion_and_no_quadratic_time() {
        // A chain in which every block may also leave to one exit or go back to the start of the chain.
        const N: usize = 200_000;
        let mut edges: Vec<Vec<usize>> = (0..N).map(|i| vec![i + 1, N - 1, 1]).collect();
        edges[N - 1].clear();
        let tree = analyze(&edges);
        assert_eq!(tree.rpo().len(), N);
        assert_eq!(tree.idom(Block::new(N - 2)), Some(Block::new(N - 3)));
        assert_eq!(tree.idom(Block::new(N - 1)), Some(Block::new(0)));
        assert!(tree.dominates(Block::new(77), Block::new(N - 2)));
        assert!(!tree.dominates(Block::new(77), Block::new(N - 1)));
        let mut cfg = ControlFlowGraph::new();
        cfg.compute(&function_of_graph(&edges, Ends::Return));
        assert_eq!(ForwardDominators::default().compute(&cfg, 0), None, "the exit climbs the whole chain");
    }
}
