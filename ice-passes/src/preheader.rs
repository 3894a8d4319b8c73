//! The block in front of a loop, found or made.
//!
//! The *pre-header* is the one block before the header of a loop from which control goes nowhere else, so that what is
//! computed at its end is computed once for all rounds, and dominates the loop. Where there is none, a block is made
//! that the header's predecessors outside the loop go to instead, and that merges the operands which the header's phis
//! have from them. A loop that control enters elsewhere than at its header has none, nor has the entry of a function.
//!
//! Requires: the flow graph, dominator tree and loop forest of the function as it was when [`Preheaders::begin`] was
//! called. Those know nothing of blocks made since, until [`Preheaders::add_to`] puts them into the forest.

use alloc::vec::Vec;
use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::PackedOption;
use ice_ir::{Block, ControlFlowGraph, DominatorTree, Function, Inst, InstData, LoopForest, Type, Value};

/// Where code goes before a loop.
#[derive(Clone, Copy, Default)]
enum Preheader {
    #[default]
    NotAskedFor,
    None,
    At(Block),
}

/// What is known of the blocks before loops of one function. Reused from function to function.
#[derive(Default)]
pub(crate) struct Preheaders {
    /// By the loop's header.
    known: Vec<Preheader>,
    /// For every new block, from `num_blocks` of the original function on, the loop that holds it.
    new_blocks: Vec<PackedOption<Block>>,
    old_blocks: usize,
    phis: Vec<Inst>,
    outside: Vec<(Value, Block)>,
    inside: Vec<(Value, Block)>,
}

impl Preheaders {
    /// Forgets all, for a pass over `func`.
    pub(crate) fn begin(&mut self, func: &Function) {
        self.known.clear();
        self.known.resize(func.num_blocks(), Preheader::NotAskedFor);
        self.new_blocks.clear();
        self.old_blocks = func.num_blocks();
    }

    /// Adds the blocks that were made to the loop forest. Whether there are any.
    pub(crate) fn add_to(&self, loops: &mut LoopForest) -> bool {
        for (n, innermost) in self.new_blocks.iter().enumerate() {
            loops.add_block(Block::new(self.old_blocks + n), innermost.expand());
        }
        !self.new_blocks.is_empty()
    }

    /// Whether the graphs know `block`.
    pub(crate) fn is_old(&self, block: Block) -> bool {
        block.index() < self.old_blocks
    }

    /// The smallest loop that holds `block`, which may be new.
    pub(crate) fn loop_of(&self, loops: &LoopForest, block: Block) -> Option<Block> {
        match block.index().checked_sub(self.old_blocks) {
            Some(new) => self.new_blocks[new].expand(),
            None => loops.innermost(block),
        }
    }

    /// The pre-header of the loop of `header`.
    pub(crate) fn of(&mut self, func: &mut Function, graphs: Graphs<'_>, header: Block) -> Option<Block> {
        let answer = match self.known[header.index()] {
            Preheader::At(block) => return Some(block),
            Preheader::None => None,
            Preheader::NotAskedFor => self.find_or_make(func, graphs, header),
        };
        self.known[header.index()] = answer.map_or(Preheader::None, Preheader::At);
        answer
    }

    fn find_or_make(
        &mut self,
        func: &mut Function,
        (cfg, tree, loops): Graphs<'_>,
        header: Block,
    ) -> Option<Block> {
        let preds = cfg.preds(header);
        let enters = |&&pred: &&Block| !loops.contains(header, pred);
        if preds.iter().any(|&pred| loops.contains(header, pred) && !tree.dominates(header, pred)) {
            return None;
        }
        let mut entering = preds.iter().filter(enters);
        match (entering.next(), entering.next()) {
            // The entry of the function has no place before it.
            (None, _) => None,
            (Some(&pred), None) if cfg.succs(pred) == [header] => Some(pred),
            _ => Some(self.make(func, (cfg, tree, loops), header)),
        }
    }

    fn make(&mut self, func: &mut Function, (cfg, _, loops): Graphs<'_>, header: Block) -> Block {
        let block = match func.layout.prev_block(header) {
            Some(before) => func.insert_new_block_after(before),
            None => func.append_new_block(),
        };
        self.new_blocks.push(loops.outer(header).into());
        let mut phis = core::mem::take(&mut self.phis);
        phis.clear();
        let is_phi = |&inst: &Inst| matches!(func.inst(inst), InstData::Phi { .. });
        phis.extend(func.block_insts(header).take_while(is_phi));
        for &phi in &phis {
            self.split_phi(func, loops, phi, header, block);
        }
        self.phis = phis;
        let jump = InstData::Br { target: header };
        let jump = match func.layout.first_inst(header) {
            Some(first) => func.make_inst_for(first, jump, Type::Void),
            None => func.make_inst(jump, Type::Void),
        };
        func.layout.append_inst(block, jump);
        for &pred in cfg.preds(header) {
            if !loops.contains(header, pred) {
                func.retarget(pred, header, block);
            }
        }
        block
    }

    /// Lets the operands of a phi from outside the loop come through the pre-header `block`.
    fn split_phi(&mut self, func: &mut Function, loops: &LoopForest, phi: Inst, header: Block, block: Block) {
        let &InstData::Phi { incoming } = func.inst(phi) else { return };
        let Some(result) = func.result(phi) else { return };
        self.outside.clear();
        self.inside.clear();
        for &(value, pred) in func.incoming(incoming) {
            let list = if loops.contains(header, pred) { &mut self.inside } else { &mut self.outside };
            list.push((value, pred));
        }
        let merged = match self.outside[..] {
            [(value, _), ref rest @ ..] if rest.iter().all(|&(other, _)| other == value) => value,
            _ => {
                let incoming = func.make_incoming(&self.outside);
                let ty = func.value_type(result);
                let merge = func.make_inst_for(phi, InstData::Phi { incoming }, ty);
                func.layout.append_inst(block, merge);
                func.result(merge).unwrap_or(result)
            }
        };
        self.inside.push((merged, block));
        let incoming = func.make_incoming(&self.inside);
        *func.inst_mut(phi) = InstData::Phi { incoming };
    }
}

/// The graphs of a function in front of a pass.
pub(crate) type Graphs<'a> = (&'a ControlFlowGraph, &'a DominatorTree, &'a LoopForest);
