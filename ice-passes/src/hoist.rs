//! Loop-invariant code motion: what a loop computes anew each time from the same operands goes before it.
//!
//! Blocks are visited in reverse postorder. An instruction whose operands are all defined outside a loop
//! goes to the end of that loop's *pre-header*, the one block before the header, from where its value
//! dominates the loop; the outermost such loop is taken at once, since the operands have been moved
//! already (Muchnick, "Advanced Compiler Design and Implementation", 13.2, on SSA form).
//!
//! Safe: only instructions without side effects that cannot trap are moved, so that it does not matter if
//! the loop would not have reached them. A division is one if its divisor is a constant, neither 0 nor -1.
//! Loads stay. What costs nothing or little where it is (comparisons, extensions, constant displacements,
//! small scales) stays, too, unless something that moves needs it: a register is worth more.
//!
//! A pre-header is made where none exists: a block that the header's outside predecessors jump to instead,
//! and that merges their phi operands.
//!
//! A loop that control enters elsewhere than at its header is left alone.
//!
//! Requires: a verified function, its flow graph, dominator tree and loop forest. Preserves: the order of
//! side effects; all blocks, but adds pre-headers ([`Changed::Blocks`] if it did). Linear in instructions
//! and operands, times the depth of loops.

use crate::changed::Changed;
use alloc::vec::Vec;
use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::PackedOption;
use ice_ir::{
    BinaryOp, Block, CastOp, ControlFlowGraph, DominatorTree, Function, Inst, InstData, LoopForest, Type,
    Value,
};

/// Where code goes before a loop.
#[derive(Clone, Copy, Default)]
enum Preheader {
    #[default]
    NotAskedFor,
    None,
    At(Block),
}

/// Most instructions that move together.
const MAX_NEEDED: usize = 8;

/// Vectors of the pass. Reused from function to function.
#[derive(Default)]
pub struct HoistScratch {
    /// By the loop's header.
    preheaders: Vec<Preheader>,
    /// For every new block, from `num_blocks` of the original function on, the loop that holds it.
    new_blocks: Vec<PackedOption<Block>>,
    old_blocks: usize,
    phis: Vec<Inst>,
    outside: Vec<(Value, Block)>,
    inside: Vec<(Value, Block)>,
    /// The instruction to be moved, then those that it needs.
    needed: Vec<Inst>,
}

struct Hoist<'a> {
    func: &'a mut Function,
    cfg: &'a ControlFlowGraph,
    tree: &'a DominatorTree,
    loops: &'a LoopForest,
    scratch: &'a mut HoistScratch,
    has_moved: bool,
}

/// Moves invariant instructions out of the loops of `func`.
pub fn hoist_invariants(
    func: &mut Function,
    cfg: &ControlFlowGraph,
    tree: &DominatorTree,
    loops: &LoopForest,
    scratch: &mut HoistScratch,
) -> Changed {
    if loops.num_loops() == 0 {
        return Changed::Nothing;
    }
    scratch.preheaders.clear();
    scratch.preheaders.resize(func.num_blocks(), Preheader::NotAskedFor);
    scratch.new_blocks.clear();
    scratch.old_blocks = func.num_blocks();
    let mut pass = Hoist { func, cfg, tree, loops, scratch, has_moved: false };
    for &block in tree.rpo() {
        if loops.depth(block) == 0 {
            continue;
        }
        let mut next = pass.func.layout.first_inst(block);
        while let Some(inst) = next {
            next = pass.func.layout.next_inst(inst);
            if is_movable(pass.func, inst)
                && is_worth_moving(pass.func, inst)
                && let Some(header) = pass.destination(block, inst)
                && let Some(preheader) = pass.preheader(header)
            {
                pass.hoist(header, preheader);
            }
        }
    }
    let has_moved = pass.has_moved;
    if scratch.new_blocks.is_empty() { Changed::instructions(has_moved) } else { Changed::Blocks }
}

/// Whether the instruction may be executed although control would not have come to it.
fn is_movable(func: &Function, inst: Inst) -> bool {
    match *func.inst(inst) {
        InstData::Binary { op, args: [_, divisor] } if op.is_division() => {
            func.int_value(divisor).is_some_and(|number| number != 0 && number != -1)
        }
        ref data => data.is_computation(),
    }
}

/// Whether the instruction costs more than the register that keeps its value.
fn is_worth_moving(func: &Function, inst: Inst) -> bool {
    match *func.inst(inst) {
        InstData::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::And, args: [_, b] } => {
            func.int_value(b).is_none()
        }
        InstData::Binary { op: BinaryOp::Shl, args: [_, amount] } => {
            !matches!(func.int_value(amount), Some(0..=3))
        }
        InstData::Cast { op, .. } => !matches!(op, CastOp::Trunc | CastOp::Zext | CastOp::Sext),
        InstData::Icmp { .. } | InstData::Fcmp { .. } => false,
        _ => true,
    }
}

impl Hoist<'_> {
    /// The smallest loop that holds `block`, which may be new.
    fn loop_of(&self, block: Block) -> Option<Block> {
        match block.index().checked_sub(self.scratch.old_blocks) {
            Some(new) => self.scratch.new_blocks[new].expand(),
            None => self.loops.innermost(block),
        }
    }

    /// The header of the largest loop around `block` in which the operands of `inst` do not change. Leaves in
    /// `needed` the instruction, and behind it the cheap ones that it needs and that may have to follow it.
    fn destination(&mut self, block: Block, inst: Inst) -> Option<Block> {
        let mut varies = 0;
        let mut needed = core::mem::take(&mut self.scratch.needed);
        needed.clear();
        needed.push(inst);
        let mut n = 0;
        while let Some(&inst) = needed.get(n) {
            n += 1;
            let (func, loops) = (&*self.func, self.loops);
            func.for_each_operand(inst, |value| {
                // It changes in every loop that holds both its definition and the instruction.
                if let Some(def) = func.defining_inst(value)
                    && let Some(around) = func.layout.block_of(def).and_then(|b| self.loop_of(b))
                    && let Some(common) = loops.common(around, block)
                    && loops.depth(common) > varies
                {
                    if needed.len() < MAX_NEEDED && is_movable(func, def) && !is_worth_moving(func, def) {
                        needed.push(def);
                    } else {
                        varies = loops.depth(common);
                    }
                }
            });
        }
        self.scratch.needed = needed;
        let mut header = self.loops.innermost(block)?;
        if self.loops.depth(header) <= varies {
            return None;
        }
        while self.loops.depth(header) > varies + 1 {
            header = self.loops.outer(header)?;
        }
        self.tree.dominates(header, block).then_some(header)
    }

    /// Moves what is `needed` to the end of the pre-header, operands before their users.
    fn hoist(&mut self, header: Block, preheader: Block) {
        let Some(end) = self.func.layout.last_inst(preheader) else { return };
        let needed = core::mem::take(&mut self.scratch.needed);
        for &inst in needed.iter().rev() {
            let Some(block) = self.func.layout.block_of(inst) else { continue };
            let is_old = block.index() < self.scratch.old_blocks;
            if is_old && block != preheader && (block == header || !self.tree.dominates(block, header)) {
                self.func.layout.remove_inst(inst);
                self.func.layout.insert_before(end, inst);
                self.has_moved = true;
            }
        }
        self.scratch.needed = needed;
    }

    fn preheader(&mut self, header: Block) -> Option<Block> {
        let known = self.scratch.preheaders[header.index()];
        let answer = match known {
            Preheader::At(block) => return Some(block),
            Preheader::None => None,
            Preheader::NotAskedFor => self.find_or_make_preheader(header),
        };
        self.scratch.preheaders[header.index()] = answer.map_or(Preheader::None, Preheader::At);
        answer
    }

    fn find_or_make_preheader(&mut self, header: Block) -> Option<Block> {
        let (cfg, loops) = (self.cfg, self.loops);
        let preds = cfg.preds(header);
        let enters = |&&pred: &&Block| !loops.contains(header, pred);
        if preds.iter().any(|&pred| loops.contains(header, pred) && !self.tree.dominates(header, pred)) {
            return None;
        }
        let mut entering = preds.iter().filter(enters);
        match (entering.next(), entering.next()) {
            // The entry of the function has no place before it.
            (None, _) => None,
            (Some(&pred), None) if cfg.succs(pred) == [header] => Some(pred),
            _ => Some(self.make_preheader(header)),
        }
    }

    fn make_preheader(&mut self, header: Block) -> Block {
        let block = match self.func.layout.prev_block(header) {
            Some(before) => self.func.insert_new_block_after(before),
            None => self.func.append_new_block(),
        };
        self.scratch.new_blocks.push(self.loops.outer(header).into());
        let mut phis = core::mem::take(&mut self.scratch.phis);
        phis.clear();
        let is_phi = |&inst: &Inst| matches!(self.func.inst(inst), InstData::Phi { .. });
        phis.extend(self.func.block_insts(header).take_while(is_phi));
        for &phi in &phis {
            self.split_phi(phi, header, block);
        }
        self.scratch.phis = phis;
        let jump = InstData::Br { target: header };
        let jump = match self.func.layout.first_inst(header) {
            Some(first) => self.func.make_inst_for(first, jump, Type::Void),
            None => self.func.make_inst(jump, Type::Void),
        };
        self.func.layout.append_inst(block, jump);
        for &pred in self.cfg.preds(header) {
            if !self.loops.contains(header, pred) {
                self.func.retarget(pred, header, block);
            }
        }
        block
    }

    /// Lets the operands of a phi from outside the loop come through the pre-header `block`.
    fn split_phi(&mut self, phi: Inst, header: Block, block: Block) {
        let &InstData::Phi { incoming } = self.func.inst(phi) else { return };
        let Some(result) = self.func.result(phi) else { return };
        let (mut outside, mut inside) =
            (core::mem::take(&mut self.scratch.outside), core::mem::take(&mut self.scratch.inside));
        outside.clear();
        inside.clear();
        for &(value, pred) in self.func.incoming(incoming) {
            let list = if self.loops.contains(header, pred) { &mut inside } else { &mut outside };
            list.push((value, pred));
        }
        let merged = match outside[..] {
            [(value, _), ref rest @ ..] if rest.iter().all(|&(other, _)| other == value) => value,
            _ => {
                let incoming = self.func.make_incoming(&outside);
                let ty = self.func.value_type(result);
                let merge = self.func.make_inst_for(phi, InstData::Phi { incoming }, ty);
                self.func.layout.append_inst(block, merge);
                self.func.result(merge).unwrap_or(result)
            }
        };
        inside.push((merged, block));
        let incoming = self.func.make_incoming(&inside);
        *self.func.inst_mut(phi) = InstData::Phi { incoming };
        self.scratch.outside = outside;
        self.scratch.inside = inside;
    }
}
