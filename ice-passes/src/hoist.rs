//! Loop-invariant code motion: what a loop computes anew each time from the same operands goes before it.
//!
//! Blocks are visited in reverse postorder. An instruction whose operands are all defined outside a loop
//! goes to the end of that loop's *pre-header*, the one block before the header, from where its value
//! dominates the loop; the outermost such loop is taken at once, since the operands have been moved
//! already (Muchnick, "Advanced Compiler Design and Implementation", 13.2, on SSA form).
//!
//! Safe: only instructions without side effects that cannot trap are moved, so that it does not matter if
//! the loop would not have reached them. A division is one if its divisor is a constant, neither 0 nor -1.
//! Loads stay. What [costs nothing or little](crate::worth) where it is stays, too, unless something that moves needs it: a
//! register is worth more.
//!
//! A pre-header is made where none exists. A loop that control enters elsewhere than at its header is left alone.
//!
//! Requires: a verified function, its flow graph, dominator tree and loop forest. Preserves: the order of
//! side effects; all blocks, but adds pre-headers ([`Changed::KeptLoops`] if it did). Linear in instructions
//! and operands, times the depth of loops.

use crate::changed::Changed;
use crate::preheader::Preheaders;
use crate::worth::is_worth_register;
use alloc::vec::Vec;
use ice_ir::{Addressing, Block, ControlFlowGraph, DominatorTree, Function, Inst, InstData, LoopForest};

/// Most instructions that move together: a vector of 16 lanes that are taken out of others has 32.
const MAX_NEEDED: usize = 32;

/// Vectors of the pass. Reused from function to function.
#[derive(Default)]
pub struct HoistScratch {
    preheaders: Preheaders,
    /// The instruction to be moved, then those that it needs.
    needed: Vec<Inst>,
}

struct Hoist<'a> {
    func: &'a mut Function,
    tree: &'a DominatorTree,
    loops: &'a LoopForest,
    addressing: Addressing,
    scratch: &'a mut HoistScratch,
    has_moved: bool,
}

/// Moves invariant instructions out of the loops of `func`.
pub fn hoist_invariants(
    func: &mut Function,
    cfg: &ControlFlowGraph,
    tree: &DominatorTree,
    loops: &mut LoopForest,
    addressing: Addressing,
    scratch: &mut HoistScratch,
) -> Changed {
    if loops.num_loops() == 0 {
        return Changed::Nothing;
    }
    scratch.preheaders.begin(func);
    let mut pass = Hoist { func, tree, loops, addressing, scratch, has_moved: false };
    for &block in tree.rpo() {
        if loops.depth(block) == 0 {
            continue;
        }
        let mut next = pass.func.layout.first_inst(block);
        while let Some(inst) = next {
            next = pass.func.layout.next_inst(inst);
            if is_movable(pass.func, inst)
                && is_worth_register(pass.func, pass.func.inst(inst), addressing)
                && let Some(header) = pass.destination(block, inst)
                && let Some(preheader) = pass.scratch.preheaders.of(pass.func, (cfg, tree, loops), header)
            {
                pass.hoist(header, preheader);
            }
        }
    }
    let has_moved = pass.has_moved;
    if scratch.preheaders.add_to(loops) { Changed::KeptLoops } else { Changed::instructions(has_moved) }
}

/// Whether the instruction may be executed although control would not have come to it.
fn is_movable(func: &Function, inst: Inst) -> bool {
    match *func.inst(inst) {
        InstData::Binary { op, args: [_, divisor] } if op.is_division() => {
            func.int_value(divisor).is_some_and(|number| number != 0 && number != -1)
        }
        InstData::CallIntrinsic { op, .. } => op.is_computation(),
        ref data => data.is_computation(),
    }
}

impl Hoist<'_> {
    /// The header of the largest loop around `block` in which the operands of `inst` do not change. Leaves in
    /// `needed` the instruction, and behind it the cheap ones that it needs and that may have to follow it.
    fn destination(&mut self, block: Block, inst: Inst) -> Option<Block> {
        let mut varies = 0;
        let mut needed = core::mem::take(&mut self.scratch.needed);
        needed.clear();
        needed.push(inst);
        let mut n = 0;
        // Where it changes in the innermost loop, nothing else matters.
        let deepest = self.loops.depth(block);
        while varies < deepest
            && let Some(&inst) = needed.get(n)
        {
            n += 1;
            let (func, loops) = (&*self.func, self.loops);
            func.for_each_operand(inst, |value| {
                // It changes in every loop that holds both its definition and the instruction.
                if varies < deepest
                    && let Some(def) = func.defining_inst(value)
                    && let Some(block_of_def) = func.layout.block_of(def)
                    && let Some(around) = self.scratch.preheaders.loop_of(loops, block_of_def)
                    && let Some(common) = loops.common(around, block)
                    && loops.depth(common) > varies
                {
                    if needed.len() < MAX_NEEDED
                        && is_movable(func, def)
                        && !is_worth_register(func, func.inst(def), self.addressing)
                    {
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
            let is_old = self.scratch.preheaders.is_old(block);
            if is_old && block != preheader && (block == header || !self.tree.dominates(block, header)) {
                self.func.layout.remove_inst(inst);
                self.func.layout.insert_before(end, inst);
                self.has_moved = true;
            }
        }
        self.scratch.needed = needed;
    }
}
