//! Dispatches of interpreters get short: what stands in front of a switch that many cases jump back to.
//!
//! * *The block where the cases come together.* Front ends have one indirect jump a function: the cases jump to a block
//!   that has phis and nothing else, and that jumps to the switch's block, which has phis of these. With the first block
//!   gone each case jumps to the dispatch itself, so that emission can write a copy of it there, and values go through
//!   one phi instead of two. A block is taken in if all uses of its phis are phis there, and no block jumps to both.
//! * *A case that is only a way.* A block of phis that a switch leads to and other blocks, and that goes on to the dispatch,
//!   becomes a block for each switch, which the edge needs anyway, and the others go on themselves: the values go to the
//!   dispatch's phis at once.
//! * *Phis that differ by a constant.* `*pc++` gives the address of what is read and the one behind it. If on every edge
//!   one phi gets what another one gets plus the same number, and is only the address of loads and stores, it is the other
//!   one less the number, which is free there.
//! * *A sum with a constant* that only the switch uses: its cases are for less.
//!
//! Requires: a verified function, its flow graph and use counts. Preserves: values and side effects; what is dead goes away, and a block that was taken
//! in stays without instructions but `unreachable` ([`Changed::Blocks`] if there was one). Linear, but for pairs of at
//! most [`MAX_PHIS`] phis.

use crate::changed::Changed;
use crate::split::{empty, take_in};
use alloc::vec::Vec;
use arrayvec::ArrayVec;
use ice_ir::{BinaryOp, Block, ControlFlowGraph, Function, Inst, InstData, SwitchKey, Type, Uses, Value};

/// Most phis of a block that are compared with one another.
const MAX_PHIS: usize = 8;
/// Most switches that lead to a case which becomes several.
const MAX_WAYS: usize = 4;
/// Most blocks that become several.
const MAX_SPLIT: usize = 256;

/// Vectors of the pass. Reused from function to function.
#[derive(Default)]
pub struct SwitchScratch {
    /// The switches' blocks.
    dispatches: Vec<Block>,
    incoming: Vec<(Value, Block)>,
}

/// Shortens what stands in front of the switches of `func`.
pub fn simplify_switches(
    func: &mut Function,
    cfg: &ControlFlowGraph,
    uses: &Uses,
    scratch: &mut SwitchScratch,
) -> Changed {
    let SwitchScratch { dispatches, incoming } = scratch;
    dispatches.clear();
    let is_dispatch = |&block: &Block| matches!(func.terminator(block), Some(InstData::Switch { .. }));
    dispatches.extend(func.blocks().filter(is_dispatch));
    if dispatches.is_empty() {
        return Changed::Nothing;
    }
    // Dead users do not count, and would be left with phis that are gone.
    let mut changed = Changed::dead(uses.remove_dead(func));
    for &dispatch in &*dispatches {
        changed = changed.max(Changed::instructions(take_sum(func, uses, dispatch)));
        for &latch in cfg.preds(dispatch) {
            if is_latch(func, cfg, uses, latch, dispatch) {
                merge(func, cfg, latch, dispatch, incoming);
                changed = Changed::Blocks;
                // The flow graph tells no more of this block.
                break;
            }
        }
        if split_ways(func, cfg, uses, dispatch, incoming) {
            changed = Changed::Blocks;
        }
        changed = changed.max(Changed::instructions(relate_phis(func, uses, dispatch)));
    }
    changed
}

/// Lets the switch of `block` be on `x` instead of `x + n`, if nothing else uses that sum. Whether it is now.
fn take_sum(func: &mut Function, uses: &Uses, block: Block) -> bool {
    let Some(end) = func.layout.last_inst(block) else { return false };
    let &InstData::Switch { value, default, table } = func.inst(end) else { return false };
    let ty = func.value_type(value);
    let (term, number) = sum(func, value);
    if term == value || uses.count(value) != 1 {
        return false;
    }
    // The addresses of blocks are not known here.
    if func.switch(table).key == SwitchKey::Label {
        return false;
    }
    *func.inst_mut(end) = InstData::Switch { value: term, default, table };
    for (case, _) in &mut func.switch_mut(table).cases {
        *case = ty.sign_extend(case.wrapping_sub(number));
    }
    true
}

/// The value as a sum with a constant, which is 0 where it is none.
fn sum(func: &Function, value: Value) -> (Value, i64) {
    match func.defining_inst(value).map(|inst| func.inst(inst)) {
        Some(&InstData::Binary { op: BinaryOp::Add, args: [x, n] }) => {
            func.int_value(n).map_or((value, 0), |n| (x, n))
        }
        _ => (value, 0),
    }
}

/// Makes phis of `block` sums of others. Whether there were any.
fn relate_phis(func: &mut Function, uses: &Uses, block: Block) -> bool {
    let list: ArrayVec<Inst, MAX_PHIS> = phis(func, block).map(|(inst, _)| inst).take(MAX_PHIS).collect();
    let mut any = false;
    for &phi in &list {
        let other = list.iter().find_map(|&other| Some((other, distance(func, phi, other)?)));
        if let Some((other, number)) = other
            && let (Some(value), Some(other)) = (func.result(phi), func.result(other))
            && uses.is_only_address(value)
            && uses.count(value) > 0
        {
            let Some(before) = first_behind_phis(func, block) else { break };
            let ty = func.value_type(value);
            let number = func.make_int(ty, number);
            *func.inst_mut(phi) = InstData::Binary { op: BinaryOp::Add, args: [other, number] };
            func.layout.remove_inst(phi);
            func.layout.insert_before(before, phi);
            any = true;
        }
    }
    any
}

fn first_behind_phis(func: &Function, block: Block) -> Option<Inst> {
    func.block_insts(block).find(|&inst| !matches!(func.inst(inst), InstData::Phi { .. }))
}

/// What is `phi` less `other`, two phis of a block, if that is a number other than 0 on all edges.
fn distance(func: &Function, phi: Inst, other: Inst) -> Option<i64> {
    let (&InstData::Phi { incoming: a }, &InstData::Phi { incoming: b }) = (func.inst(phi), func.inst(other))
    else {
        return None;
    };
    let (a, b) = (func.incoming(a), func.incoming(b));
    let ty = func.value_type(func.result(phi)?);
    if a.len() != b.len() || ty != func.value_type(func.result(other)?) || !ty.is_scalar_int() {
        return None;
    }
    let mut edges = a.iter().zip(b).map(|(&(x, from), &(y, pred))| {
        let ((x, m), (y, n)) = (sum(func, x), sum(func, y));
        (x == y && from == pred).then(|| ty.sign_extend(m.wrapping_sub(n)))
    });
    let first = edges.next()??;
    (first != 0 && edges.all(|edge| edge == Some(first))).then_some(first)
}

/// Whether `latch` can be taken in by `dispatch`, its successor.
fn is_latch(func: &Function, cfg: &ControlFlowGraph, uses: &Uses, latch: Block, dispatch: Block) -> bool {
    let mut num_phis = 0;
    for inst in func.block_insts(latch) {
        match *func.inst(inst) {
            InstData::Phi { .. } => num_phis += 1,
            InstData::Br { .. } => break,
            _ => return false,
        }
    }
    // A few predecessors are no cases.
    let preds = cfg.preds(latch);
    num_phis > 0
        && preds.len() > 1
        && latch != dispatch
        && preds.iter().all(|&pred| {
            let is_plain = matches!(
                func.terminator(pred),
                Some(InstData::Br { .. } | InstData::CondBr { .. } | InstData::Switch { .. })
            );
            is_plain && pred != latch && !cfg.succs(pred).contains(&dispatch)
        })
        && only_merged(func, uses, latch, dispatch)
}

/// The phis of a block, with what comes in.
fn phis(func: &Function, block: Block) -> impl Iterator<Item = (Inst, &[(Value, Block)])> {
    func.block_insts(block).map_while(|inst| match *func.inst(inst) {
        InstData::Phi { incoming } => Some((inst, func.incoming(incoming))),
        _ => None,
    })
}

/// Lets all that leads to cases of phis that go on to `dispatch` go there by ways of their own. Whether there were any.
fn split_ways(
    func: &mut Function,
    cfg: &ControlFlowGraph,
    uses: &Uses,
    dispatch: Block,
    merged: &mut Vec<(Value, Block)>,
) -> bool {
    let Some((_, first)) = phis(func, dispatch).next() else { return false };
    let is_split = |&&(_, block): &&(Value, Block)| is_way(func, cfg, uses, block, dispatch);
    let cases: Vec<Block> = first.iter().filter(is_split).map(|&(_, block)| block).take(MAX_SPLIT).collect();
    for &case in &cases {
        let ways: ArrayVec<(Block, Block), MAX_WAYS> = ways_to(cfg, case)
            .into_iter()
            .map(|pred| {
                if matches!(func.terminator(pred), Some(InstData::Br { .. })) {
                    func.retarget(pred, case, dispatch);
                    return (pred, pred);
                }
                let way = func.insert_new_block_after(case);
                let jump = func.make_inst(InstData::Br { target: dispatch }, Type::Void);
                func.layout.append_inst(way, jump);
                func.retarget(pred, case, way);
                (pred, way)
            })
            .collect();
        let mut next = func.layout.first_inst(dispatch);
        while let Some(inst) = next
            && let &InstData::Phi { incoming } = func.inst(inst)
        {
            merged.clear();
            for &(value, pred) in func.incoming(incoming) {
                if pred != case {
                    merged.push((value, pred));
                    continue;
                }
                let of_case =
                    func.defining_inst(value).filter(|&def| func.layout.block_of(def) == Some(case));
                merged.extend(ways.iter().map(|&(from, way)| match of_case.map(|def| func.inst(def)) {
                    Some(&InstData::Phi { incoming }) => {
                        let edges = func.incoming(incoming);
                        (edges.iter().find(|edge| edge.1 == from).map_or(value, |edge| edge.0), way)
                    }
                    _ => (value, way),
                }));
            }
            let incoming = func.make_incoming(merged);
            *func.inst_mut(inst) = InstData::Phi { incoming };
            next = func.layout.next_inst(inst);
        }
        empty(func, case);
    }
    !cases.is_empty()
}

/// The blocks that lead to `block`, each once; none if they are too many.
fn ways_to(cfg: &ControlFlowGraph, block: Block) -> ArrayVec<Block, MAX_WAYS> {
    let mut list = ArrayVec::new();
    for &pred in cfg.preds(block) {
        if !list.contains(&pred) && list.try_push(pred).is_err() {
            list.clear();
            return list;
        }
    }
    list
}

/// Whether `case` has phis, of which the phis of `dispatch` alone are made, and goes there, and a switch leads to it and
/// other blocks, of which one at most goes to addresses of blocks: an address has one place.
fn is_way(func: &Function, cfg: &ControlFlowGraph, uses: &Uses, case: Block, dispatch: Block) -> bool {
    let goes_on = func.block_insts(case).all(|inst| match *func.inst(inst) {
        InstData::Phi { .. } => true,
        InstData::Br { target } => target == dispatch,
        _ => false,
    });
    if !goes_on || case == dispatch || phis(func, case).next().is_none() {
        return false;
    }
    let preds = ways_to(cfg, case);
    let (mut switches, mut by_address) = (0, 0);
    let all_are_plain = preds.iter().all(|&pred| match func.terminator(pred) {
        Some(&InstData::Switch { table, .. }) => {
            switches += 1;
            by_address += u32::from(func.switch(table).key == SwitchKey::Label);
            pred != case
        }
        Some(InstData::Br { .. }) => pred != case,
        _ => false,
    });
    all_are_plain
        && switches > 0
        && preds.len() > 1
        && by_address <= 1
        && only_merged(func, uses, case, dispatch)
}

/// Whether all uses of the phis of `block` are phis of `dispatch`, which get them from there.
fn only_merged(func: &Function, uses: &Uses, block: Block, dispatch: Block) -> bool {
    phis(func, block).all(|(inst, _)| {
        let Some(value) = func.result(inst) else { return false };
        let merged = phis(func, dispatch).filter(|&(_, incoming)| incoming.contains(&(value, block))).count();
        uses.count(value) as usize == merged
    })
}

/// Lets all that goes to `latch` go to `dispatch`.
fn merge(
    func: &mut Function,
    cfg: &ControlFlowGraph,
    latch: Block,
    dispatch: Block,
    merged: &mut Vec<(Value, Block)>,
) {
    // An edge that is there several times is so in every phi.
    let Some(edges) = func.layout.first_inst(latch).map(|inst| *func.inst(inst)) else { return };
    let InstData::Phi { incoming: edges } = edges else { return };
    let mut next = func.layout.first_inst(dispatch);
    while let Some(inst) = next
        && let &InstData::Phi { incoming } = func.inst(inst)
    {
        merged.clear();
        for &(value, pred) in func.incoming(incoming) {
            let of_latch = func.defining_inst(value).filter(|&def| func.layout.block_of(def) == Some(latch));
            match of_latch.map(|def| func.inst(def)) {
                _ if pred != latch => merged.push((value, pred)),
                Some(&InstData::Phi { incoming }) => merged.extend_from_slice(func.incoming(incoming)),
                _ => merged.extend(func.incoming(edges).iter().map(|&(_, pred)| (value, pred))),
            }
        }
        let incoming = func.make_incoming(merged);
        *func.inst_mut(inst) = InstData::Phi { incoming };
        next = func.layout.next_inst(inst);
    }
    take_in(func, cfg, latch, dispatch);
}
