//! The final order of blocks, with critical edges split where values must be moved on them.
//!
//! The graph whose nodes are the blocks and the critical edges into blocks with phis is never built, only
//! its order: reachable blocks in the order of the function or of its [`BlockLayout`], each followed by the
//! edges that leave it. An edge block that stays empty costs nothing, because the code buffer threads
//! branches through it.
//!
//! Requires: the function's [`ControlFlowGraph`]. Preserves: the function. Linear in blocks and edges.

use crate::block_layout::BlockLayout;
use alloc::vec::Vec;
use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::PackedOption;
use ice_ir::mach::MachBlock;
use ice_ir::{Block, ControlFlowGraph, Function, InstData, LoopForest};

/// A block of machine code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoweredBlock {
    /// A block of the function.
    Block(Block),
    /// The edge between two blocks.
    Edge {
        /// Source.
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
    numbers: Vec<PackedOption<MachBlock>>,
    stack: Vec<Block>,
    reachable: Vec<bool>,
    has_phis: Vec<bool>,
}

impl BlockOrder {
    /// Computes the order from that of the function.
    pub fn compute(&mut self, func: &Function, cfg: &ControlFlowGraph) {
        self.begin(func, cfg);
        for block in func.blocks() {
            if self.reachable[block.index()] {
                self.place(cfg, block);
            }
        }
    }

    /// Computes the order from `layout`, and the loop depth of every block.
    pub fn compute_from(
        &mut self,
        func: &Function,
        cfg: &ControlFlowGraph,
        layout: &BlockLayout,
        loops: &LoopForest,
    ) {
        self.begin(func, cfg);
        for &block in layout.blocks() {
            self.place(cfg, block);
        }
        self.depths.extend(self.blocks.iter().map(|&block| match block {
            LoweredBlock::Block(block) => loops.depth(block),
            LoweredBlock::Edge { from, to } => loops.common(from, to).map_or(0, |header| loops.depth(header)),
        }));
    }

    fn begin(&mut self, func: &Function, cfg: &ControlFlowGraph) {
        self.blocks.clear();
        self.depths.clear();
        self.numbers.clear();
        self.numbers.resize(func.num_blocks(), None.into());
        self.find_reachable(func, cfg);
    }

    fn place(&mut self, cfg: &ControlFlowGraph, block: Block) {
        self.numbers[block.index()] = MachBlock::new(self.blocks.len()).into();
        self.blocks.push(LoweredBlock::Block(block));
        let succs = cfg.succs(block);
        if succs.len() > 1 {
            for &to in succs {
                if self.is_split(cfg, to) {
                    self.blocks.push(LoweredBlock::Edge { from: block, to });
                }
            }
        }
    }

    fn find_reachable(&mut self, func: &Function, cfg: &ControlFlowGraph) {
        self.reachable.clear();
        self.reachable.resize(func.num_blocks(), false);
        self.has_phis.clear();
        self.has_phis.resize(func.num_blocks(), false);
        let Some(entry) = func.layout.entry() else { return };
        self.reachable[entry.index()] = true;
        self.stack.push(entry);
        while let Some(block) = self.stack.pop() {
            let first = func.layout.first_inst(block);
            self.has_phis[block.index()] =
                first.is_some_and(|i| matches!(func.inst(i), InstData::Phi { .. }));
            for &succ in cfg.succs(block) {
                if !core::mem::replace(&mut self.reachable[succ.index()], true) {
                    self.stack.push(succ);
                }
            }
        }
    }

    /// Whether edges to `to` from blocks with several successors have a block of their own.
    fn is_split(&self, cfg: &ControlFlowGraph, to: Block) -> bool {
        self.has_phis[to.index()] && cfg.preds(to).len() > 1
    }

    /// All blocks in order.
    pub fn blocks(&self) -> &[LoweredBlock] {
        &self.blocks
    }

    /// In how many loops each of [`blocks`](Self::blocks) is; empty if that is not known.
    pub fn depths(&self) -> &[u32] {
        &self.depths
    }

    /// The number of a reachable block.
    pub fn number(&self, block: Block) -> Option<MachBlock> {
        self.numbers[block.index()].expand()
    }

    /// Whether `block`, which is reachable, begins with phis.
    pub fn has_phis(&self, block: Block) -> bool {
        self.has_phis[block.index()]
    }

    /// Whether control can reach `block`.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.reachable[block.index()]
    }

    /// Calls `visit` with every successor of `from` and the machine block that a branch to it names.
    pub fn for_each_target(
        &self,
        cfg: &ControlFlowGraph,
        from: Block,
        mut visit: impl FnMut(Block, MachBlock),
    ) {
        let succs = cfg.succs(from);
        let mut edge = self.numbers[from.index()].expand().map_or(0, |n| n.index()) + 1;
        for &to in succs {
            if succs.len() > 1 && self.is_split(cfg, to) {
                visit(to, MachBlock::new(edge));
                edge += 1;
            } else if let Some(number) = self.numbers[to.index()].expand() {
                visit(to, number);
            }
        }
    }
}
