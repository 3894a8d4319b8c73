//! The final order of blocks, with critical edges split where values must be moved on them.
//!
//! The graph whose nodes are the blocks and the critical edges into blocks with phis is never built, only
//! its order: reachable blocks in the order of the function, if control goes forward in it, else in one in which it does
//! (`forward_order`), or in that of its [layout](crate::BlockLayout). Each is followed by the edges that leave it; of
//! several, the edge to the block that comes next is the last and falls into it. An edge block that stays empty costs
//! nothing, because the code buffer threads branches through it.
//!
//! Where it is wanted ([`EdgesBack::InFront`]), the edge on which a conditional branch goes back to the header of its loop
//! stands in front of the header instead and falls into it: an iteration then executes one jump less, and who enters the
//! loop one more. Not where the loop itself falls into its header, as rotated loops do.
//!
//! Where loops are given, edges on which phis get the same values, a constant among them, are *shared*: several tests that
//! return the same number branch to one block that makes it. It stands behind the last of the blocks that lead to it.
//!
//! Requires: the function's [`ControlFlowGraph`], and its [`LoopForest`] if there is one. Preserves: the function.
//! Linear in blocks and edges: only blocks of at most `MAX_SHARED` predecessors have shared edges.

use crate::block_chances::{BlockChances, Shape};
use crate::forward_order::ForwardOrder;
use crate::mach::MachBlock;
use alloc::vec::Vec;
use core::mem;
use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::PackedOption;
use ice_ir::{Block, ControlFlowGraph, Function, InstData, LoopForest};

/// Most predecessors of a block whose edges are compared with each other.
const MAX_SHARED: usize = 8;

/// Where the edge back to the header of a loop stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgesBack {
    /// Behind its source, as other edges.
    Behind,
    /// In front of the header.
    InFront,
}

/// A block of machine code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoweredBlock {
    /// A block of the function.
    Block(Block),
    /// The edge between two blocks.
    Edge {
        /// Source; of a shared edge, the last one.
        from: Block,
        /// Target.
        to: Block,
    },
}

/// The order of blocks of one function. Reused from function to function.
#[derive(Default)]
pub struct BlockOrder {
    blocks: Vec<LoweredBlock>,
    /// Loop depth of each of `blocks`; empty if no loops are known.
    depths: Vec<u32>,
    /// How often control comes to each of `blocks`, as [`BlockChances`] has it; empty if no loops are known.
    chances: Vec<f32>,
    facts: Vec<BlockFacts>,
    stack: Vec<Block>,
    forward: ForwardOrder,
    /// Edges of several sources.
    shared: Vec<SharedEdge>,
    /// Whether there are blocks for edges.
    any_split: bool,
}

/// An edge of several sources.
#[derive(Clone, Copy)]
struct SharedEdge {
    to: Block,
    /// How many sources have no place yet.
    left: usize,
    /// The last of the sources, behind which the edge stands.
    last: PackedOption<Block>,
}

/// What is known of a block of the function.
#[derive(Clone, Copy, Default)]
struct BlockFacts {
    number: PackedOption<MachBlock>,
    is_reachable: bool,
    has_phis: bool,
    /// Edges here from blocks with several successors have a block of their own.
    is_split: bool,
    /// From where the edge comes whose block stands in front of this one.
    latch: PackedOption<Block>,
    /// Where the last of the edges behind this one leads, if they are not in the order of the successors.
    last_edge: PackedOption<Block>,
    /// Which of the shared edges leaves the block, plus 1.
    shared: u32,
}

impl BlockOrder {
    /// Computes the order from that of the function, or from one in which control goes forward.
    #[inline(never)]
    pub fn compute(&mut self, func: &Function, cfg: &ControlFlowGraph) {
        let mut forward = mem::take(&mut self.forward);
        if let Some(blocks) = func.layout.entry().and_then(|entry| forward.compute(cfg, entry)) {
            self.compute_from(func, cfg, None, EdgesBack::Behind, blocks);
        } else {
            self.begin(func, cfg);
            for block in func.blocks() {
                if self.is_reachable(block) {
                    self.place(cfg, block, None);
                }
            }
        }
        self.forward = forward;
    }

    /// Computes the order from that of `blocks`, all that control can reach. Only with `loops` edges are shared or, if
    /// `edges_back` says so, in front of headers.
    pub fn compute_from(
        &mut self,
        func: &Function,
        cfg: &ControlFlowGraph,
        loops: Option<&LoopForest>,
        edges_back: EdgesBack,
        blocks: &[Block],
    ) {
        self.begin(func, cfg);
        if let Some(loops) = loops.filter(|_| self.any_split) {
            blocks.iter().for_each(|&block| self.share_edges(func, cfg, loops, block));
        }
        let loops = loops.filter(|_| edges_back == EdgesBack::InFront);
        let mut before = None;
        let nexts = blocks.iter().skip(1).map(|&next| Some(next)).chain([None]);
        for (&block, next) in blocks.iter().zip(nexts) {
            if self.facts[block.index()].is_split
                && let Some(loops) = loops.filter(|loops| loops.is_header(block))
                && let Some(before) = before
            {
                self.place_latch(func, cfg, loops, block, before);
            }
            self.place(cfg, block, next);
            before = Some(block);
        }
    }

    /// Places the edge back to `header` that falls into it, behind the block `before`.
    fn place_latch(
        &mut self,
        func: &Function,
        cfg: &ControlFlowGraph,
        loops: &LoopForest,
        header: Block,
        before: Block,
    ) {
        if loops.contains(header, before) && cfg.succs(before).contains(&header) {
            return;
        }
        let is_latch = |&&block: &&Block| {
            loops.contains(header, block) && matches!(func.terminator(block), Some(InstData::CondBr { .. }))
        };
        if let Some(&latch) = cfg.preds(header).iter().find(is_latch)
            && cfg.succs(latch).len() > 1
        {
            self.facts[header.index()].latch = latch.into();
            self.blocks.push(LoweredBlock::Edge { from: latch, to: header });
        }
    }

    /// Lets edges to `to` on which its phis get the same values be one, if it is no header of a loop. Their sources are in one
    /// loop, so that what is held in registers through loops is the same in all of them.
    #[inline]
    fn share_edges(&mut self, func: &Function, cfg: &ControlFlowGraph, loops: &LoopForest, to: Block) {
        if self.facts[to.index()].is_split && cfg.preds(to).len() <= MAX_SHARED && !loops.is_header(to) {
            self.share_edges_to(func, cfg, loops, to);
        }
    }

    fn share_edges_to(&mut self, func: &Function, cfg: &ControlFlowGraph, loops: &LoopForest, to: Block) {
        let Some(&InstData::Phi { incoming }) = func.layout.first_inst(to).map(|inst| func.inst(inst)) else {
            return;
        };
        let edges = func.incoming(incoming);
        for (n, &(value, from)) in edges.iter().enumerate() {
            if !self.may_share(func, cfg, from) {
                continue;
            }
            for (m, &(other, also_from)) in edges.iter().enumerate().skip(n + 1) {
                if other == value
                    && also_from != from
                    && self.may_share(func, cfg, also_from)
                    && loops.innermost(from) == loops.innermost(also_from)
                    && have_equal_values(func, to, n, m)
                {
                    if self.facts[from.index()].shared == 0 {
                        self.shared.push(SharedEdge { to, left: 1, last: None.into() });
                        self.facts[from.index()].shared = self.shared.len() as u32;
                    }
                    let shared = self.facts[from.index()].shared;
                    self.facts[also_from.index()].shared = shared;
                    self.shared[shared as usize - 1].left += 1;
                }
            }
        }
    }

    /// Whether an edge from the block may be shared. Not from what has a shared edge already.
    #[inline]
    fn may_share(&self, func: &Function, cfg: &ControlFlowGraph, from: Block) -> bool {
        let BlockFacts { is_reachable, shared, .. } = self.facts[from.index()];
        is_reachable
            && shared == 0
            && match func.terminator(from) {
                Some(InstData::Br { .. }) => true,
                Some(InstData::CondBr { if_true, if_false, .. }) => if_true != if_false,
                _ => false,
            }
            && cfg.succs(from).len() <= 2
    }

    /// The shared edge from one block to another, if there is one.
    #[inline]
    fn shared_edge(&self, from: Block, to: Block) -> Option<&SharedEdge> {
        let index = self.facts[from.index()].shared.checked_sub(1)?;
        self.shared.get(index as usize).filter(|edge| edge.to == to)
    }

    /// Computes the loop depth of every block, and takes its chance from `chances`, which are those of `shape`.
    #[inline]
    pub fn compute_depths(&mut self, shape: Shape<'_>, chances: &BlockChances) {
        let (loops, cfg) = (shape.loops, shape.cfg);
        let mut all = mem::take(&mut self.chances);
        all.clear();
        all.extend(self.blocks.iter().map(|&block| match block {
            LoweredBlock::Block(block) => chances.block(block),
            LoweredBlock::Edge { from, to } if !self.is_shared(from, to) => chances.edge(cfg, from, to),
            LoweredBlock::Edge { from, to } => {
                let is_source =
                    |block: &Block| self.facts[block.index()].shared == self.facts[from.index()].shared;
                let sources = cfg.preds(to).iter().copied().filter(is_source);
                sources.map(|source| chances.edge(cfg, source, to)).sum::<f32>().min(1.0)
            }
        }));
        self.chances = all;
        self.depths.clear();
        self.depths.extend(self.blocks.iter().map(|&block| match block {
            LoweredBlock::Block(block) => loops.depth(block),
            LoweredBlock::Edge { from, to } => loops.common(from, to).map_or(0, |header| loops.depth(header)),
        }));
    }

    fn begin(&mut self, func: &Function, cfg: &ControlFlowGraph) {
        self.blocks.clear();
        self.depths.clear();
        self.chances.clear();
        self.facts.clear();
        self.shared.clear();
        let entry = func.layout.entry();
        let (mut all_reachable, mut any_split) = (true, false);
        let blocks = func.layout.first_insts().zip(cfg.all_preds()).enumerate();
        self.facts.extend(blocks.map(|(n, (first, preds))| {
            let block = Block::new(n);
            let has_phis = first.is_some_and(|inst| matches!(func.inst(inst), InstData::Phi { .. }));
            let is_split = has_phis && preds.len() > 1;
            // Here, what has a predecessor with a lower number: if all blocks have one, they are.
            let is_reachable = preds.first().is_some_and(|&pred| pred < block) || entry == Some(block);
            all_reachable &= is_reachable;
            any_split |= is_split;
            BlockFacts { number: None.into(), is_reachable, has_phis, is_split, ..BlockFacts::default() }
        }));
        self.any_split = any_split;
        if !all_reachable {
            self.find_reachable(func, cfg);
        }
    }

    /// Puts a block behind those placed, and behind it its edges; `next` is the block that will follow, if it is known.
    #[inline(always)]
    fn place(&mut self, cfg: &ControlFlowGraph, block: Block, next: Option<Block>) {
        self.facts[block.index()].number = MachBlock::new(self.blocks.len()).into();
        self.blocks.push(LoweredBlock::Block(block));
        if !self.any_split {
            return;
        }
        let succs = cfg.succs(block);
        let mut shares = false;
        if let Some(index) = self.facts[block.index()].shared.checked_sub(1) {
            let edge = &mut self.shared[index as usize];
            edge.left -= 1;
            if edge.left == 0 {
                edge.last = block.into();
                shares = true;
            }
        }
        if succs.len() > 1 || shares {
            let first = self.blocks.len();
            for &to in succs {
                if self.has_edge_behind(block, to) {
                    self.blocks.push(LoweredBlock::Edge { from: block, to });
                }
            }
            if self.blocks.len() - first > 1 {
                self.end_with_edge_to(block, next, first);
            }
        }
    }

    /// Puts the edge from `from` to `next`, if it is one of the blocks from `first` on, behind the others.
    #[inline(never)]
    fn end_with_edge_to(&mut self, from: Block, next: Option<Block>, first: usize) {
        let edges = &mut self.blocks[first..];
        let is_next =
            |edge: &LoweredBlock| matches!(*edge, LoweredBlock::Edge { to, .. } if Some(to) == next);
        if let Some(at) = edges.iter().position(is_next) {
            edges[at..].rotate_left(1);
            self.facts[from.index()].last_edge = next.into();
        }
    }

    /// Whether the edge from a block with several successors, or a shared one, to this one stands behind it.
    #[inline]
    fn has_edge_behind(&self, from: Block, to: Block) -> bool {
        let facts = self.facts[to.index()];
        facts.is_split
            && facts.latch != from.into()
            && self.shared_edge(from, to).is_none_or(|edge| edge.last == from.into())
    }

    /// Walks the graph from the entry, where the order of blocks does not tell.
    fn find_reachable(&mut self, func: &Function, cfg: &ControlFlowGraph) {
        self.facts.iter_mut().for_each(|facts| facts.is_reachable = false);
        let Some(entry) = func.layout.entry() else { return };
        self.facts[entry.index()].is_reachable = true;
        self.stack.push(entry);
        while let Some(block) = self.stack.pop() {
            for &succ in cfg.succs(block) {
                if !mem::replace(&mut self.facts[succ.index()].is_reachable, true) {
                    self.stack.push(succ);
                }
            }
        }
    }

    /// All blocks in order.
    pub fn blocks(&self) -> &[LoweredBlock] {
        &self.blocks
    }

    /// In how many loops each of [`blocks`](Self::blocks) is; empty if that is not known.
    pub fn depths(&self) -> &[u32] {
        &self.depths
    }

    /// In how many loops `block` is; 0 if that is not known.
    pub fn depth(&self, block: Block) -> u32 {
        let depth = self.number(block).and_then(|number| self.depths.get(number.as_u32() as usize));
        depth.copied().unwrap_or(0)
    }

    /// How often control comes to each of [`blocks`](Self::blocks), as [`BlockChances`] has it; empty if that is not known.
    pub fn chances(&self) -> &[f32] {
        &self.chances
    }

    /// The number of a reachable block.
    pub fn number(&self, block: Block) -> Option<MachBlock> {
        self.facts[block.index()].number.expand()
    }

    /// Whether the edge between two blocks is one of several sources.
    #[inline]
    pub fn is_shared(&self, from: Block, to: Block) -> bool {
        self.shared_edge(from, to).is_some()
    }

    /// Whether `block`, which is reachable, begins with phis.
    pub fn has_phis(&self, block: Block) -> bool {
        self.facts[block.index()].has_phis
    }

    /// Whether control can reach `block`.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.facts[block.index()].is_reachable
    }

    /// Calls `visit` with every successor of `from` and the machine block that a branch to it names.
    #[inline]
    pub fn for_each_target(
        &self,
        cfg: &ControlFlowGraph,
        from: Block,
        mut visit: impl FnMut(Block, MachBlock),
    ) {
        let succs = cfg.succs(from);
        let own = self.number(from).map_or(0, |n| n.index());
        let mut edge = own + 1;
        let last = self.facts[from.index()].last_edge.expand();
        for &to in succs {
            let facts = self.facts[to.index()];
            let shared = self.shared_edge(from, to);
            let number = match facts.number.expand() {
                number if shared.is_none() && (succs.len() == 1 || !facts.is_split) => {
                    let Some(number) = number else { continue };
                    number.index()
                }
                _ if let Some(edge) = shared.filter(|edge| edge.last != from.into()) => {
                    // Where it has no place, lowering finds none for the branch.
                    let Some(number) = self.place_of_shared(cfg, edge) else { continue };
                    number
                }
                Some(header) if facts.latch == from.into() => header.index() - 1,
                _ if last == Some(to) => self.place_of_last(cfg, from),
                _ => {
                    edge += 1;
                    edge - 1
                }
            };
            visit(to, MachBlock::new(number));
        }
    }

    /// The place of the last of the edges behind `from`.
    fn place_of_last(&self, cfg: &ControlFlowGraph, from: Block) -> usize {
        let own = self.number(from).map_or(0, |n| n.index());
        own + cfg.succs(from).iter().filter(|&&to| self.has_edge_behind(from, to)).count()
    }

    /// The place of a shared edge, behind the last of its sources.
    fn place_of_shared(&self, cfg: &ControlFlowGraph, edge: &SharedEdge) -> Option<usize> {
        let from = edge.last.expand()?;
        let last = self.facts[from.index()].last_edge.expand();
        if last == Some(edge.to) {
            return Some(self.place_of_last(cfg, from));
        }
        let own = self.number(from).map_or(0, |n| n.index());
        let before = cfg.succs(from).iter().take_while(|&&to| to != edge.to);
        Some(own + 1 + before.filter(|&&to| self.has_edge_behind(from, to) && last != Some(to)).count())
    }
}

/// Whether all phis of `block` get the same from the edges of the numbers `n` and `m`, one of them a constant.
fn have_equal_values(func: &Function, block: Block, n: usize, m: usize) -> bool {
    let mut froms = None;
    let mut any_constant = false;
    for inst in func.block_insts(block) {
        let &InstData::Phi { incoming } = func.inst(inst) else { break };
        let incoming = func.incoming(incoming);
        let (Some(&(value, from)), Some(&(other, also_from))) = (incoming.get(n), incoming.get(m)) else {
            return false;
        };
        if value != other || *froms.get_or_insert((from, also_from)) != (from, also_from) {
            return false;
        }
        any_constant |= func.is_constant(value);
    }
    any_constant
}
