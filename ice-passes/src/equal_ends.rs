//! Blocks that end the program alike become one.
//!
//! Checks that are written out, by macros or by inlining, leave a block each that says what is wrong and never returns.
//! Where two such blocks, which end in `unreachable`, do the same to the same values, what leads to one leads to the other
//! instead (tail merging; Muchnick, *Advanced Compiler Design and Implementation*, 18.8). Compilers that work on the IR
//! leave these blocks apart, because merged ones tell a debugger less: what came from several places in the source comes
//! from none then.
//!
//! Two blocks are equal if their instructions are, in order: the same operation on operands that are the same value, or
//! results at the same place. A value that a block uses and does not compute is there on each way to it, so on each way to
//! the other one as well. Blocks are found by a hash of their operations and compared with the first few of their hash.
//!
//! Requires: a verified function, its flow graph and loop forest. Preserves: values and side effects; a block that was
//! merged stays without instructions but `unreachable` ([`Changed::KeptLoops`] if there was one). Linear in blocks, and in
//! the instructions of those that end so, but for sorting these.

use crate::changed::Changed;
use crate::split::take_in;
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use arrayvec::ArrayVec;
use core::hash::{Hash, Hasher};
use ice_ir::{Block, ControlFlowGraph, Function, Inst, InstData, LoopForest, Type, Value};
use rustc_hash::FxHasher;

/// Most instructions of a block that is compared.
const MAX_INSTS: usize = 16;
/// Most blocks of one hash that are left apart.
const MAX_APART: usize = 4;

/// Vectors of the pass. Reused from function to function.
#[derive(Default)]
pub struct EndScratch {
    /// Blocks that end the program, by the hashes of their operations.
    ends: Vec<(u64, Block)>,
    operands: Vec<Value>,
    others: Vec<Value>,
    /// Instructions that came from several places in the source.
    of_many_places: Vec<Inst>,
}

/// Merges equal blocks of `func` that end in `unreachable`.
pub fn merge_equal_ends(
    func: &mut Function,
    (cfg, loops): (&ControlFlowGraph, &mut LoopForest),
    scratch: &mut EndScratch,
) -> Changed {
    scratch.ends.clear();
    for block in func.blocks() {
        if let Some(InstData::Unreachable) = func.terminator(block)
            && let Some(hash) = hash(func, block)
            && cfg.preds(block).iter().all(|&pred| branches(func, pred))
            && func.layout.entry() != Some(block)
            // What control does not come to is left out, so nothing may be led there.
            && loops.is_reachable(block)
        {
            scratch.ends.push((hash, block));
        }
    }
    if scratch.ends.len() < 2 {
        return Changed::Nothing;
    }
    let ends = BinaryHeap::from(core::mem::take(&mut scratch.ends)).into_sorted_vec();
    let mut changed = Changed::Nothing;
    for run in ends.chunk_by(|a, b| a.0 == b.0) {
        let mut apart = ArrayVec::<Block, MAX_APART>::new();
        for &(_, block) in run {
            match apart.iter().find(|&&first| are_equal(func, first, block, scratch)) {
                Some(&first) => {
                    note_places(func, first, block, &mut scratch.of_many_places);
                    take_in(func, cfg, block, first);
                    loops.remove_block(block);
                    changed = Changed::KeptLoops;
                }
                None if apart.is_full() => {}
                None => apart.push(block),
            }
        }
    }
    scratch.ends = ends;
    if !scratch.of_many_places.is_empty() {
        func.forget_source_locations(&mut scratch.of_many_places);
        scratch.of_many_places.clear();
    }
    changed
}

/// Notes the instructions of `first` that stand for those of `block` from now on, and come from other places.
fn note_places(func: &Function, first: Block, block: Block, noted: &mut Vec<Inst>) {
    if func.has_source_locations() {
        let pairs = func.block_insts(first).zip(func.block_insts(block));
        let differs = |&(one, other): &(Inst, Inst)| func.source_location(one) != func.source_location(other);
        noted.extend(pairs.filter(differs).map(|(one, _)| one));
    }
}

/// Whether the end of `block` is one whose targets can be others.
fn branches(func: &Function, block: Block) -> bool {
    matches!(
        func.terminator(block),
        Some(InstData::Br { .. } | InstData::CondBr { .. } | InstData::Switch { .. })
    )
}

/// What an instruction does, whatever its operands are; nothing for what is not compared: what makes storage, begins a
/// block behind an edge of its own or has text.
fn operation(inst: &InstData) -> Option<impl Hash + Eq + use<>> {
    Some(match *inst {
        InstData::Binary { op, .. } => (0, op as u32, 0),
        InstData::Cast { op, .. } => (1, op as u32, 0),
        InstData::Icmp { cond, .. } => (2, cond as u32, 0),
        InstData::Select { .. } => (3, 0, 0),
        InstData::Load { align_log2, .. } => (4, align_log2.into(), 0),
        InstData::Store { align_log2, .. } => (5, align_log2.into(), 0),
        InstData::Call { callee, tail, .. } => (6, callee.as_u32(), tail as u32),
        InstData::CallIndirect { tail, .. } => (7, 0, tail as u32),
        InstData::CallAs { signature, tail, .. } => (8, signature.as_u32(), tail as u32),
        InstData::CallIntrinsic { op, callee, tail, .. } => (9, callee.as_u32(), op as u32 * 4 + tail as u32),
        InstData::Unreachable => (10, 0, 0),
        _ => return None,
    })
}

/// A hash of what the instructions of a block do; nothing if one is not compared, if there is none but the end or if they are many.
fn hash(func: &Function, block: Block) -> Option<u64> {
    let mut hasher = FxHasher::default();
    let mut count = 0;
    for inst in func.block_insts(block) {
        count += 1;
        operation(func.inst(inst)).filter(|_| count <= MAX_INSTS)?.hash(&mut hasher);
        type_of(func, inst).hash(&mut hasher);
    }
    (count > 1).then(|| hasher.finish())
}

fn type_of(func: &Function, inst: Inst) -> Type {
    func.result(inst).map_or(Type::Void, |value| func.value_type(value))
}

/// Whether two blocks that are compared do the same.
fn are_equal(func: &Function, a: Block, b: Block, scratch: &mut EndScratch) -> bool {
    let EndScratch { operands, others, .. } = scratch;
    let mut results = ArrayVec::<(Value, Value), MAX_INSTS>::new();
    let [mut x, mut y] = [a, b].map(|block| func.layout.first_inst(block));
    while let (Some(one), Some(other)) = (x, y) {
        if operation(func.inst(one)) != operation(func.inst(other))
            || type_of(func, one) != type_of(func, other)
        {
            return false;
        }
        operands.clear();
        others.clear();
        func.for_each_operand(one, |value| operands.push(value));
        func.for_each_operand(other, |value| others.push(value));
        let is_same = |(&one, &other): (&Value, &Value)| {
            let computed = results.iter().find(|&&(result, _)| result == one);
            computed.map_or(one, |&(_, result)| result) == other
        };
        if operands.len() != others.len() || !operands.iter().zip(&*others).all(is_same) {
            return false;
        }
        if let (Some(one), Some(other)) = (func.result(one), func.result(other))
            && results.try_push((one, other)).is_err()
        {
            return false;
        }
        [x, y] = [one, other].map(|inst| func.layout.next_inst(inst));
    }
    x.is_none() && y.is_none()
}
