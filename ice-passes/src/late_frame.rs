//! Ways through a function that need no frame get none.
//!
//! Many functions return at once where there is nothing to do: an empty tree, a hit in a cache, the end of a recursion. What
//! saves registers of the caller, for values that live across calls, is then better done where the calls are
//! (shrink-wrapping: Chow, *Minimizing register usage penalty at procedure calls*, PLDI 1988). This pass finds the place
//! and makes it possible; emission does it where register allocation has kept the other blocks free.
//!
//! The place is the start of the nearest block that dominates all calls, or of the pre-header of the outermost loop that
//! this one is in. Blocks that it does not dominate are *bare*. A block that returns and is reached from both sides is
//! copied for what is behind the place, if it does little besides. Values of bare blocks that are used behind the place are
//! copied at its start: so they live across calls as the copy alone, which may have a register that must be saved, while
//! the value itself has one of those that arguments come in. Where they can be in the same register the copy is no
//! instruction.
//!
//! Requires: the dominator tree and the loops of the function as it is; that no later step takes out a cast of a value to
//! its own type. Preserves: values and side effects ([`Changed::Blocks`] if there are new ones).
//! Cost: linear in the instructions, for functions with such a place; for others their calls are looked for.

use crate::changed::Changed;
use crate::insert::insert;
use crate::preheader::Preheaders;
use alloc::vec::Vec;
use arrayvec::ArrayVec;
use ice_ir::{
    Block, CastOp, ControlFlowGraph, DominatorTree, Function, Inst, InstData, LoopForest, Type, Value,
};

/// Most instructions of a block that is copied, with its phis and its end.
const MAX_COPIED: usize = 6;

/// Most blocks that are copied.
const MAX_RETURNS: usize = 2;

/// What becomes of a value behind the place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copied {
    /// It is of no bare block, and stays.
    NotBare,
    /// Nothing there names it.
    NotNeeded,
    /// It is to be copied.
    Needed,
    /// This is its copy.
    To(Value),
}

/// Vectors of the pass. Reused from function to function.
#[derive(Default)]
pub struct LateFrameScratch {
    /// What is behind the place instead of each value.
    copies: Vec<Copied>,
    needed: Vec<Value>,
    blocks: Vec<Block>,
    incoming: Vec<(Value, Block)>,
    preds: Vec<Block>,
    insts: Vec<Inst>,
    preheaders: Preheaders,
}

/// Whether the function may have a place for its frame behind its entry: there is a call, none of them in the entry, and
/// nothing that knows of the frame otherwise.
pub fn may_delay_frame(func: &Function) -> bool {
    let Some(entry) = func.layout.entry() else { return false };
    if !matches!(func.terminator(entry), Some(InstData::CondBr { .. } | InstData::Switch { .. }))
        || func.block_insts(entry).any(|inst| is_call(func.inst(inst)) || knows_frame(func.inst(inst)))
    {
        return false;
    }
    // In the order of their memory, with those that are in no block any more: that is quicker.
    let mut has_calls = false;
    func.insts().all(|(_, inst)| {
        has_calls |= is_call(inst);
        !knows_frame(inst)
    }) && has_calls
}

fn knows_frame(inst: &InstData) -> bool {
    matches!(
        inst,
        InstData::Alloca { .. }
            | InstData::Invoke { .. }
            | InstData::Assembly { .. }
            | InstData::AssemblyJump { .. }
            | InstData::BlockAddress { .. }
    )
}

/// Calls of functions of the program. Most intrinsics are instructions.
fn is_call(inst: &InstData) -> bool {
    matches!(inst, InstData::Call { .. } | InstData::CallIndirect { .. } | InstData::CallAs { .. })
}

fn returns(func: &Function, block: Block) -> bool {
    matches!(func.terminator(block), Some(InstData::Ret { .. } | InstData::RetPair { .. }))
}

/// Finds the place for the frame of a function of which [`may_delay_frame`] holds, and prepares it: the block at whose start
/// it may be, if there is one.
pub fn delay_frame(
    func: &mut Function,
    cfg: &ControlFlowGraph,
    (dominators, loops): (&DominatorTree, &LoopForest),
    scratch: &mut LateFrameScratch,
) -> (Changed, Option<Block>) {
    let nothing = (Changed::Nothing, None);
    let Some(nearest) = nearest(func, dominators) else { return nothing };
    let mut header = loops.innermost(nearest);
    while let Some(outer) = header.and_then(|header| loops.outer(header)) {
        header = Some(outer);
    }
    let first = header.unwrap_or(nearest);
    let is_behind = |block: Block| dominators.dominates(first, block);
    // Blocks that are reached from both sides.
    let mut shared = ArrayVec::<Block, MAX_RETURNS>::new();
    let mut has_bare_return = false;
    for block in func.blocks().filter(|&block| dominators.is_reachable(block)) {
        if !is_behind(block) {
            has_bare_return |= returns(func, block);
            continue;
        }
        for &succ in cfg.succs(block) {
            if is_behind(succ) || shared.contains(&succ) {
                continue;
            }
            if !is_copied(func, succ) || shared.try_push(succ).is_err() {
                return nothing;
            }
        }
    }
    // A shared return is bare as well so far.
    if !has_bare_return {
        return nothing;
    }
    let blocks = func.num_blocks();
    let place = match header {
        None => first,
        Some(header) => {
            scratch.preheaders.begin(func);
            match scratch.preheaders.of(func, (cfg, dominators, loops), header) {
                Some(preheader) if func.layout.entry() != Some(preheader) => preheader,
                _ => return nothing,
            }
        }
    };
    for &block in &shared {
        copy_return(func, cfg, block, &is_behind, scratch);
    }
    // The new blocks are.
    let is_now_behind =
        |block: Block| block == place || block.as_u32() as usize >= blocks || is_behind(block);
    copy_values(func, place, &is_now_behind, scratch);
    match func.num_blocks() == blocks {
        true => (Changed::Instructions, Some(place)),
        false => (Changed::Blocks, Some(place)),
    }
}

/// The nearest block behind the entry that dominates all calls.
fn nearest(func: &Function, dominators: &DominatorTree) -> Option<Block> {
    let calls = func.insts().filter(|(_, inst)| is_call(inst));
    let calling = calls.filter_map(|(call, _)| func.layout.block_of(call));
    let mut calling = calling.filter(|&block| dominators.is_reachable(block));
    let mut place = calling.next()?;
    for block in calling {
        while !dominators.dominates(place, block) {
            place = dominators.idom(place)?;
        }
    }
    (func.layout.entry() != Some(place)).then_some(place)
}

/// Whether the block returns and can be there twice.
fn is_copied(func: &Function, block: Block) -> bool {
    let is_pure = |inst: Inst| {
        matches!(
            func.inst(inst),
            InstData::Phi { .. }
                | InstData::Binary { .. }
                | InstData::Cast { .. }
                | InstData::Ret { .. }
                | InstData::RetPair { .. }
        )
    };
    returns(func, block)
        && func.block_insts(block).take(MAX_COPIED + 1).count() <= MAX_COPIED
        && func.block_insts(block).all(is_pure)
}

/// Copies the block `block`, which returns, for the predecessors that are behind the place, and puts it behind one of them.
fn copy_return(
    func: &mut Function,
    cfg: &ControlFlowGraph,
    block: Block,
    is_behind: &dyn Fn(Block) -> bool,
    scratch: &mut LateFrameScratch,
) {
    let LateFrameScratch { incoming, preds, insts, .. } = scratch;
    preds.clear();
    preds.extend(cfg.preds(block).iter().filter(|&&pred| is_behind(pred)));
    let Some(&last) = preds.last() else { return };
    insts.clear();
    insts.extend(func.block_insts(block));
    let copy = func.insert_new_block_after(last);
    let mut renamed = ArrayVec::<(Value, Value), MAX_COPIED>::new();
    for &inst in insts.iter() {
        let mut data = *func.inst(inst);
        if let InstData::Phi { incoming: range } = data {
            incoming.clear();
            incoming.extend(func.incoming(range).iter().filter(|(_, pred)| preds.contains(pred)));
            data = InstData::Phi { incoming: func.make_incoming(incoming) };
            incoming.clear();
            incoming.extend(func.incoming(range).iter().filter(|(_, pred)| !preds.contains(pred)));
            let left = func.make_incoming(incoming);
            *func.inst_mut(inst) = InstData::Phi { incoming: left };
        }
        let ty = func.result(inst).map_or(Type::Void, |value| func.value_type(value));
        let copied = func.make_inst_for(inst, data, ty);
        func.layout.append_inst(copy, copied);
        if !matches!(data, InstData::Phi { .. }) {
            func.map_operands(copied, |value| {
                renamed.iter().find(|&&(of, _)| of == value).map_or(value, |&(_, to)| to)
            });
        }
        if let (Some(of), Some(to)) = (func.result(inst), func.result(copied)) {
            renamed.push((of, to));
        }
    }
    for &pred in preds.iter() {
        func.retarget(pred, block, copy);
    }
}

/// Lets what is behind the place use copies of the values of bare blocks and of the phis of the place.
fn copy_values(
    func: &mut Function,
    place: Block,
    is_behind: &dyn Fn(Block) -> bool,
    scratch: &mut LateFrameScratch,
) {
    let LateFrameScratch { copies, insts, needed, .. } = scratch;
    copies.clear();
    copies.resize(func.num_values(), Copied::NotBare);
    insts.clear();
    needed.clear();
    for &param in func.params() {
        copies[param.as_u32() as usize] = Copied::NotNeeded;
    }
    let Some(first) = func.block_insts(place).find(|&inst| !is_phi(func, inst)) else { return };
    let mut behind = core::mem::take(&mut scratch.blocks);
    behind.clear();
    for block in func.blocks() {
        match is_behind(block) {
            true => behind.push(block),
            false => mark(func, func.block_insts(block), copies),
        }
    }
    mark(func, func.block_insts(place).take_while(|&inst| is_phi(func, inst)), copies);
    for &block in &behind {
        for inst in func.block_insts(block).filter(|&inst| block != place || !is_phi(func, inst)) {
            let mut is_changed = false;
            func.for_each_operand(inst, |value| {
                let Some(copied) = copies.get_mut(value.as_u32() as usize) else { return };
                is_changed |= *copied != Copied::NotBare;
                if *copied == Copied::NotNeeded {
                    *copied = Copied::Needed;
                    needed.push(value);
                }
            });
            if is_changed {
                insts.push(inst);
            }
        }
    }
    scratch.blocks = behind;
    for &value in needed.iter() {
        let cast = InstData::Cast { op: CastOp::Bitcast, arg: value };
        let copy = insert(func, first, first, cast, func.value_type(value));
        if let Some(copy) = func.result(copy) {
            copies[value.as_u32() as usize] = Copied::To(copy);
        }
    }
    for &inst in insts.iter() {
        func.map_operands(inst, |value| match copies.get(value.as_u32() as usize) {
            Some(&Copied::To(copy)) => copy,
            _ => value,
        });
    }
}

fn is_phi(func: &Function, inst: Inst) -> bool {
    matches!(func.inst(inst), InstData::Phi { .. })
}

/// Marks the results of these instructions as values of bare blocks.
fn mark(func: &Function, insts: impl Iterator<Item = Inst>, copies: &mut [Copied]) {
    for value in insts.filter_map(|inst| func.result(inst)) {
        copies[value.as_u32() as usize] = Copied::NotNeeded;
    }
}
