//! Blocks that become two, or that another one takes in, and phis behind new blocks.

use alloc::vec::Vec;
use ice_ir::{Block, ControlFlowGraph, Function, Inst, InstData, Type};

/// Moves the instructions of `block` from `inst` on to a new block behind it, and gives that. The first half has no end then.
pub(crate) fn split_before(func: &mut Function, block: Block, inst: Inst) -> Block {
    let behind = func.insert_new_block_after(block);
    let mut next = Some(inst);
    while let Some(inst) = next {
        next = func.layout.next_inst(inst);
        func.layout.remove_inst(inst);
        func.layout.append_inst(behind, inst);
    }
    let mut successors = Vec::new();
    func.for_each_successor(behind, |successor| successors.push(successor));
    for successor in successors {
        rename_predecessor(func, successor, block, behind);
    }
    behind
}

/// A new block behind `from`, on the edges from there to `to`.
pub(crate) fn split_edge(func: &mut Function, from: Block, to: Block) -> Block {
    let block = func.insert_new_block_after(from);
    let jump = InstData::Br { target: to };
    let jump = match func.layout.last_inst(from) {
        Some(last) => func.make_inst_for(last, jump, Type::Void),
        None => func.make_inst(jump, Type::Void),
    };
    func.layout.append_inst(block, jump);
    func.retarget(from, to, block);
    rename_predecessor(func, to, from, block);
    block
}

/// Lets all that leads to `block` lead to `to`; nothing is left in `block` but `unreachable`.
pub(crate) fn take_in(func: &mut Function, cfg: &ControlFlowGraph, block: Block, to: Block) {
    for &pred in cfg.preds(block) {
        func.retarget(pred, block, to);
    }
    empty(func, block);
}

/// Leaves nothing in `block`, which nothing leads to any more, but `unreachable`.
pub(crate) fn empty(func: &mut Function, block: Block) {
    while let Some(inst) = func.layout.first_inst(block) {
        func.layout.remove_inst(inst);
    }
    let end = func.make_inst(InstData::Unreachable, Type::Void);
    func.layout.append_inst(block, end);
}

/// In the phis of `block` the predecessor `from` is named `to`.
pub(crate) fn rename_predecessor(func: &mut Function, block: Block, from: Block, to: Block) {
    let mut next = func.layout.first_inst(block);
    while let Some(inst) = next
        && let &InstData::Phi { incoming } = func.inst(inst)
    {
        for (_, pred) in func.incoming_mut(incoming) {
            if *pred == from {
                *pred = to;
            }
        }
        next = func.layout.next_inst(inst);
    }
}
