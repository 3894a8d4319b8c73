//! Which loops there are and how they nest: the loop forest of any flow graph.
//!
//! A block is the *header* of a loop if an edge leads to it from one of its descendants in a depth-first
//! walk (or from itself). The loop's blocks are those descendants of the header from which it can be
//! reached again through descendants only. Two loops are disjoint or nested. In a reducible graph these are
//! the natural loops, whatever the walk; a loop with several entries gets one of them as its header.
//!
//! Method: the Havlak–Tarjan forest, as Ramalingam builds it ("Identifying Loops in Almost Linear Time",
//! TOPLAS 21(2), 1999). Headers are taken in reverse preorder, so inner loops first; a loop found is
//! contracted to its header by union-find. An edge that is neither a tree edge nor a back edge could
//! otherwise enter a contracted loop in the middle and be followed too early or again and again: it waits
//! at the lowest common ancestor of its ends, the first header whose loop may hold both.
//!
//! Questions about loops far apart in the forest climb it by skew-binary jumps (Myers, "An Applicative Random-Access
//! Stack", IPL 17(5), 1983): beside the loop around it each header knows one further out, chosen so that a logarithm
//! of steps leads to any depth.
//!
//! Invariants: nodes are numbered in preorder, so that a header's number is below those of its loop's
//! blocks; `outer` of a node is the header of the smallest loop that holds it and is not its own.
//!
//! Cost: almost linear in blocks and edges, whatever the graph; no recursion; all memory is reused from
//! function to function. Unreachable blocks are in no loop.

use alloc::vec::Vec;

use crate::entities::Block;
use crate::flowgraph::{ControlFlowGraph, DepthFirst, Visit};
use crate::function::Function;
use cranelift_entity::EntityRef;

const NONE: u32 = u32::MAX;

/// A reachable block; the fields refer to numbers of nodes and edges.
#[derive(Clone, Copy)]
struct Node {
    block: Block,
    /// Union-find: during the walk towards the deepest ancestor that is still open, then towards the header
    /// of the largest contracted loop.
    up: u32,
    parent: u32,
    outer: u32,
    /// Of a header, that of a loop further out; its own number where there is none.
    jump: u32,
    depth: u32,
    is_open: bool,
    is_header: bool,
    /// Lists of edges: into this node, waiting here, back to this node.
    preds: u32,
    waiting: u32,
    back: u32,
}

impl Node {
    /// A block when the walk comes to it.
    const fn new(block: Block, number: u32, parent: u32) -> Node {
        Node {
            block,
            up: number,
            parent,
            outer: NONE,
            jump: number,
            depth: 0,
            is_open: true,
            is_header: false,
            preds: NONE,
            waiting: NONE,
            back: NONE,
        }
    }
}

#[derive(Clone, Copy)]
struct Edge {
    from: u32,
    to: u32,
    next: u32,
}

/// The loops of one function, named by their headers. Reused from function to function.
#[derive(Clone, Default)]
pub struct LoopForest {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Number of every block, or [`NONE`].
    numbers: Vec<u32>,
    walk: DepthFirst,
    work: Vec<u32>,
    num_loops: usize,
}

impl LoopForest {
    /// A forest without loops.
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds the loops of `func`, whose control flow is `cfg`.
    pub fn compute(&mut self, func: &Function, cfg: &ControlFlowGraph) {
        self.nodes.clear();
        self.edges.clear();
        self.numbers.clear();
        self.numbers.resize(func.num_blocks(), NONE);
        self.num_loops = 0;
        let Some(entry) = func.layout.entry() else { return };
        self.walk(entry, cfg);
        if self.num_loops == 0 {
            return;
        }
        for n in 0..self.nodes.len() {
            self.nodes[n].up = n as u32;
        }
        for header in (0..self.nodes.len() as u32).rev() {
            self.contract(header);
        }
        for n in 0..self.nodes.len() {
            let Node { outer, is_header, .. } = self.nodes[n];
            if outer == NONE {
                self.nodes[n].depth = u32::from(is_header);
                continue;
            }
            let around = self.nodes[outer as usize];
            self.nodes[n].depth = around.depth + u32::from(is_header);
            if is_header {
                // Two jumps of one length outside make one of twice that length and a step.
                let first = self.nodes[around.jump as usize];
                let second = self.nodes[first.jump as usize];
                let is_pair = around.depth - first.depth == first.depth - second.depth;
                self.nodes[n].jump = if is_pair { first.jump } else { outer };
            }
        }
    }

    /// Numbers the blocks, and sorts the edges into lists.
    fn walk(&mut self, entry: Block, cfg: &ControlFlowGraph) {
        self.discover(entry, NONE, cfg);
        while let Some(visit) = self.walk.next(cfg) {
            let (from, succ) = match visit {
                Visit::Edge(from, succ) => (from, succ),
                Visit::Leave(from) => {
                    let node = &mut self.nodes[from as usize];
                    node.is_open = false;
                    // Parents stay open longer: the deepest open ancestor is now at or above the parent.
                    node.up = if node.parent == NONE { from } else { node.parent };
                    continue;
                }
            };
            let to = self.numbers[succ.index()];
            if to == NONE {
                let to = self.discover(succ, from, cfg);
                self.push_edge(from, to, |node| &mut node.waiting, from);
            } else if self.nodes[to as usize].is_open {
                self.num_loops += usize::from(!self.nodes[to as usize].is_header);
                self.nodes[to as usize].is_header = true;
                self.push_edge(from, to, |node| &mut node.back, to);
            } else {
                let ancestor = self.find(to);
                self.push_edge(from, to, |node| &mut node.waiting, ancestor);
            }
        }
    }

    #[inline]
    fn discover(&mut self, block: Block, parent: u32, cfg: &ControlFlowGraph) -> u32 {
        let number = self.nodes.len() as u32;
        self.numbers[block.index()] = number;
        self.walk.enter(cfg, block, number);
        self.nodes.push(Node::new(block, number, parent));
        number
    }

    fn push_edge(&mut self, from: u32, to: u32, list: impl Fn(&mut Node) -> &mut u32, at: u32) {
        let edge = self.edges.len() as u32;
        let head = list(&mut self.nodes[at as usize]);
        let next = core::mem::replace(head, edge);
        self.edges.push(Edge { from, to, next });
    }

    /// The root of the set of `n`. Halves the path.
    fn find(&mut self, mut n: u32) -> u32 {
        loop {
            let up = self.nodes[n as usize].up;
            if up == n {
                return n;
            }
            let above = self.nodes[up as usize].up;
            self.nodes[n as usize].up = above;
            n = above;
        }
    }

    /// Lets the edges that wait at `header` enter, then contracts its loop if it has one.
    fn contract(&mut self, header: u32) {
        let mut edge = self.nodes[header as usize].waiting;
        while edge != NONE {
            let Edge { to, next, .. } = self.edges[edge as usize];
            let to = self.find(to);
            self.edges[edge as usize].next = core::mem::replace(&mut self.nodes[to as usize].preds, edge);
            edge = next;
        }
        self.take_sources(self.nodes[header as usize].back, header);
        while let Some(n) = self.work.pop() {
            self.take_sources(self.nodes[n as usize].preds, header);
        }
    }

    /// Puts the sources of a list of edges into the loop.
    fn take_sources(&mut self, mut edge: u32, header: u32) {
        while edge != NONE {
            let Edge { from, next, .. } = self.edges[edge as usize];
            let from = self.find(from);
            if from != header {
                let node = &mut self.nodes[from as usize];
                node.outer = header;
                node.up = header;
                self.work.push(from);
            }
            edge = next;
        }
    }

    /// Adds a new block to the smallest loop that a block of the function is in, or to none: one that control comes to,
    /// and with which no loop begins or ends.
    pub fn add_block(&mut self, block: Block, innermost: Option<Block>) {
        let outer = innermost.map_or(NONE, |header| self.numbers[header.index()]);
        let depth = innermost.map_or(0, |header| self.depth(header));
        if self.numbers.len() <= block.index() {
            self.numbers.resize(block.index() + 1, NONE);
        }
        self.numbers[block.index()] = self.nodes.len() as u32;
        self.nodes.push(Node { outer, depth, ..Node::new(block, self.nodes.len() as u32, NONE) });
    }

    /// Notes that control does not come to `block`, which is in no loop, any more.
    pub fn remove_block(&mut self, block: Block) {
        debug_assert!(self.depth(block) == 0, "{block} is in a loop");
        if let Some(number) = self.numbers.get_mut(block.index()) {
            *number = NONE;
        }
    }

    fn node(&self, block: Block) -> Option<&Node> {
        // An unreachable block has the largest number, which is never an index.
        self.nodes.get(*self.numbers.get(block.index())? as usize)
    }

    /// True if some path leads from the entry to `block`.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.node(block).is_some()
    }

    /// Number of loops.
    pub fn num_loops(&self) -> usize {
        self.num_loops
    }

    /// The headers of all loops, each before those of the loops inside.
    pub fn headers(&self) -> impl DoubleEndedIterator<Item = Block> + '_ {
        self.nodes.iter().filter(|node| node.is_header).map(|node| node.block)
    }

    /// Whether `block` is the header of a loop.
    pub fn is_header(&self, block: Block) -> bool {
        self.node(block).is_some_and(|node| node.is_header)
    }

    /// In how many loops `block` is.
    pub fn depth(&self, block: Block) -> u32 {
        self.node(block).map_or(0, |node| node.depth)
    }

    /// The header of the smallest loop that holds `block`: itself if it is a header.
    #[inline]
    pub fn innermost(&self, block: Block) -> Option<Block> {
        let node = self.node(block)?;
        if node.is_header { Some(block) } else { self.outer(block) }
    }

    /// The header of the smallest loop that holds `block` and has another header: for a header, that of the
    /// loop around its own.
    #[inline]
    pub fn outer(&self, block: Block) -> Option<Block> {
        let outer = self.node(block)?.outer;
        self.nodes.get(outer as usize).map(|node| node.block)
    }

    /// The number of the header of the smallest loop that holds `block`.
    #[inline]
    fn innermost_number(&self, block: Block) -> Option<u32> {
        let number = *self.numbers.get(block.index())?;
        let node = self.nodes.get(number as usize)?;
        let header = if node.is_header { number } else { node.outer };
        (header != NONE).then_some(header)
    }

    /// The loop of depth `depth`, from 1, around the loop `n`, or `n` itself if it is not deeper.
    fn ancestor(&self, mut n: u32, depth: u32) -> u32 {
        loop {
            let node = &self.nodes[n as usize];
            if node.depth <= depth {
                return n;
            }
            n = if self.nodes[node.jump as usize].depth >= depth { node.jump } else { node.outer };
        }
    }

    /// Whether the loop of `header` holds `block`. Takes a logarithm of steps in the depth.
    #[inline]
    pub fn contains(&self, header: Block, block: Block) -> bool {
        let Some(n) = self.innermost_number(block) else { return false };
        let depth = self.depth(header);
        depth > 0 && self.nodes[self.ancestor(n, depth) as usize].block == header
    }

    /// The header of the largest loop that holds `block` but not `other`. Takes a logarithm of steps in the depth; most edges
    /// stay in a loop.
    #[inline(always)]
    pub fn largest_without(&self, block: Block, other: Block) -> Option<Block> {
        let n = self.innermost_number(block)?;
        if self.innermost_number(other) == Some(n) { None } else { self.largest_around(n, block, other) }
    }

    /// The same, where `n` is the smallest loop that holds `block`.
    #[inline(never)]
    fn largest_around(&self, n: u32, block: Block, other: Block) -> Option<Block> {
        let depth = self.common(block, other).map_or(0, |header| self.depth(header));
        let header = &self.nodes[self.ancestor(n, depth + 1) as usize];
        (header.depth > depth).then_some(header.block)
    }

    /// The header of the smallest loop that holds both blocks. Takes a logarithm of steps in the depth.
    pub fn common(&self, a: Block, b: Block) -> Option<Block> {
        let (a, b) = (self.innermost_number(a)?, self.innermost_number(b)?);
        if a == b {
            return Some(self.nodes[a as usize].block);
        }
        let depth = |n: u32| self.nodes[n as usize].depth;
        let (mut a, mut b) = (self.ancestor(a, depth(b)), self.ancestor(b, depth(a)));
        while a != b {
            // Of one depth, so their jumps are of one length.
            let (x, y) = (&self.nodes[a as usize], &self.nodes[b as usize]);
            if x.outer == NONE {
                return None;
            }
            (a, b) = if x.jump != y.jump { (x.jump, y.jump) } else { (x.outer, y.outer) };
        }
        Some(self.nodes[a as usize].block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::graph::{Ends, function_of_graph, random_graphs};
    use alloc::vec;

    fn analyze(edges: &[Vec<usize>]) -> LoopForest {
        let func = function_of_graph(edges, Ends::Return);
        let mut cfg = ControlFlowGraph::new();
        cfg.compute(&func);
        let mut forest = LoopForest::new();
        forest.compute(&func, &cfg);
        forest
    }

    /// The loops by the definition: for every header, which blocks it holds.
    fn naive(edges: &[Vec<usize>]) -> Vec<(usize, Vec<bool>)> {
        // Preorder numbers, and the first number past the descendants.
        let (mut pre, mut end) = (vec![usize::MAX; edges.len()], vec![0; edges.len()]);
        let (mut stack, mut count) = (vec![(0, 0)], 1);
        pre[0] = 0;
        while let Some((b, next)) = stack.pop() {
            match edges[b].get(next) {
                None => end[b] = count,
                Some(&s) => {
                    stack.push((b, next + 1));
                    if pre[s] == usize::MAX {
                        pre[s] = count;
                        count += 1;
                        stack.push((s, 0));
                    }
                }
            }
        }
        let below = |h: usize, b: usize| pre[b] != usize::MAX && pre[h] <= pre[b] && pre[b] < end[h];
        let mut loops = Vec::new();
        for h in (0..edges.len()).filter(|&h| pre[h] != usize::MAX) {
            let mut inside = vec![false; edges.len()];
            while let Some(b) = (0..edges.len())
                .find(|&b| !inside[b] && below(h, b) && edges[b].iter().any(|&s| s == h || inside[s]))
            {
                inside[b] = true;
            }
            if inside.contains(&true) {
                inside[h] = true;
                loops.push((h, inside));
            }
        }
        loops
    }

    fn check(edges: &[Vec<usize>]) {
        let forest = analyze(edges);
        let loops = naive(edges);
        assert_eq!(forest.num_loops(), loops.len(), "{edges:?}");
        assert_eq!(forest.headers().count(), loops.len());
        let holds = |h: usize, b: usize| loops.iter().any(|(header, inside)| *header == h && inside[b]);
        for b in 0..edges.len() {
            let block = Block::new(b);
            let mut around: Vec<_> = loops.iter().filter(|(_, inside)| inside[b]).collect();
            around.sort_by_key(|(_, inside)| inside.iter().filter(|&&i| i).count());
            let mut chain = Vec::new();
            let mut at = forest.innermost(block);
            while let Some(header) = at {
                chain.push(header.index());
                at = forest.outer(header);
            }
            assert_eq!(chain, around.iter().map(|l| l.0).collect::<Vec<_>>(), "block {b} of {edges:?}");
            assert_eq!(forest.depth(block) as usize, around.len());
            for h in 0..edges.len() {
                if forest.is_header(Block::new(h)) {
                    assert_eq!(forest.contains(Block::new(h), block), holds(h, b), "{h} {b} {edges:?}");
                }
                let common = around.iter().find(|(header, _)| holds(*header, h)).map(|l| l.0);
                let found = forest.common(block, Block::new(h));
                assert_eq!(found.map(|b| b.index()), common, "{b} and {h} of {edges:?}");
            }
        }
    }

    #[test]
    fn agrees_with_the_definition_on_random_graphs() {
        for edges in random_graphs(13).take(1500) {
            check(&edges);
        }
    }

    #[test]
    fn a_loop_with_two_entries_is_one_loop() {
        let edges = [vec![1, 2], vec![2], vec![1, 3], vec![]];
        check(&edges);
        assert_eq!(analyze(&edges).num_loops(), 1);
    }

    #[test]
    fn deep_nests_take_no_recursion_and_no_quadratic_time() {
        // Half the blocks are nested headers; every other block goes back to its header and to the outermost.
        const N: usize = 200_000;
        let edges: Vec<Vec<usize>> = (0..N)
            .map(|i| match i {
                0 => vec![1],
                _ if i < N / 2 => vec![i + 1],
                _ if i + 1 < N => vec![i + 1, N - i, 1],
                _ => vec![],
            })
            .collect();
        let forest = analyze(&edges);
        assert_eq!(forest.depth(Block::new(N / 2)), (N / 2) as u32);
        assert_eq!(forest.innermost(Block::new(N - 2)), Some(Block::new(2)));
    }
}
