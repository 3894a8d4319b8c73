//! Branches to addresses of blocks as the IR has them: one in a function, to blocks that have no other predecessor.
//!
//! * *Several.* If all have the same targets they become one, with a phi of the addresses (LLVM duplicates them, and
//!   emission does so again). Of others, which no front end makes, the one with the most targets stays, and the rest compare
//!   the address with those of their targets.
//! * *Targets with other predecessors.* Each gets a block in front of it, whose address then is that of the label.
//!
//! Requires: a checked body. Cost: one walk over the edges, and one over the phis of the targets.

use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;

use ice_ir::{Block, Function, Inst, InstData, IntCond, SwitchKey, SwitchTable, Type, Value};

/// A branch to an address.
#[derive(Clone, Copy)]
struct IndirectBranch {
    block: Block,
    address: Value,
    default: Block,
    table: SwitchTable,
}

/// Brings the indirect branches of `func` into the form of [`SwitchKey::Label`].
pub fn separate(func: &mut Function) {
    let branches: Vec<IndirectBranch> = func.blocks().filter_map(|block| indirect(func, block)).collect();
    for branch in &branches {
        remove_repetitions(func, *branch);
    }
    let Some((first, others)) = branches.split_first() else { return };
    let are_same = |other: &IndirectBranch| func.switch(other.table).cases == func.switch(first.table).cases;
    let remaining = if others.is_empty() {
        *first
    } else if others.iter().all(are_same) {
        merge(func, &branches)
    } else {
        let by_cases =
            branches.iter().enumerate().map(|(n, branch)| (func.switch(branch.table).cases.len(), n));
        let mut by_cases = BinaryHeap::from_iter(by_cases).into_sorted_vec();
        let Some((_, last)) = by_cases.pop() else { return };
        by_cases.into_iter().for_each(|(_, n)| compare(func, branches[n]));
        branches[last]
    };
    give_own_blocks(func, remaining);
}

fn indirect(func: &Function, block: Block) -> Option<IndirectBranch> {
    match *func.terminator(block)? {
        InstData::Switch { value, default, table } if func.switch(table).key == SwitchKey::Label => {
            Some(IndirectBranch { block, address: value, default, table })
        }
        _ => None,
    }
}

/// The targets in the order of their labels, each once.
fn remove_repetitions(func: &mut Function, branch: IndirectBranch) {
    let cases = &mut func.switch_mut(branch.table).cases;
    cases.iter_mut().for_each(|(label, target)| *label = target.as_u32().into());
    cases.sort_unstable();
    let mut repeated: Vec<Block> =
        cases.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0].1).collect();
    cases.dedup();
    repeated.dedup();
    for target in repeated {
        edit_phis(func, target, |_, incoming| {
            let mut is_first = true;
            incoming.retain(|&(_, pred)| pred != branch.block || core::mem::take(&mut is_first));
        });
    }
}

/// Lets `edit` change what comes into each phi of `block`.
fn edit_phis(
    func: &mut Function,
    block: Block,
    mut edit: impl FnMut(&mut Function, &mut Vec<(Value, Block)>),
) {
    let mut incoming = Vec::new();
    let mut next = func.layout.first_inst(block);
    while let Some(phi) = next
        && let InstData::Phi { incoming: old } = *func.inst(phi)
    {
        incoming.clear();
        incoming.extend_from_slice(func.incoming(old));
        edit(func, &mut incoming);
        let new = func.make_incoming(&incoming);
        *func.inst_mut(phi) = InstData::Phi { incoming: new };
        next = func.layout.next_inst(phi);
    }
}

/// Lets the edges to `target` that came from `old` come from `new`.
fn change_pred(func: &mut Function, target: Block, old: Block, new: Block) {
    edit_phis(func, target, |_, incoming| {
        incoming.iter_mut().filter(|(_, pred)| *pred == old).for_each(|(_, pred)| *pred = new);
    });
}

fn append(func: &mut Function, block: Block, data: InstData, ty: Type) -> Inst {
    let inst = func.make_inst(data, ty);
    func.layout.append_inst(block, inst);
    inst
}

/// Makes one branch of those with the same targets.
fn merge(func: &mut Function, branches: &[IndirectBranch]) -> IndirectBranch {
    let shared = func.append_new_block();
    let phi = |func: &mut Function, incoming: &[(Value, Block)]| {
        let ty = func.value_type(incoming[0].0);
        let incoming = func.make_incoming(incoming);
        let phi = append(func, shared, InstData::Phi { incoming }, ty);
        func.result(phi)
    };
    let addresses: Vec<(Value, Block)> =
        branches.iter().map(|branch| (branch.address, branch.block)).collect();
    let IndirectBranch { default, table, .. } = branches[0];
    let address = phi(func, &addresses).unwrap_or(branches[0].address);
    let targets = func.switch(table).cases.clone();
    for (_, target) in targets {
        edit_phis(func, target, |func, incoming| {
            let is_merged = |&(_, pred): &(Value, Block)| branches.iter().any(|branch| branch.block == pred);
            let merged: Vec<_> = incoming.iter().copied().filter(is_merged).collect();
            incoming.retain(|edge| !is_merged(edge));
            let value = match merged[..] {
                [] => return,
                [(value, _), ref rest @ ..] if rest.iter().all(|&(other, _)| other == value) => value,
                _ => phi(func, &merged).unwrap_or(merged[0].0),
            };
            incoming.push((value, shared));
        });
    }
    for branch in branches {
        if let Some(end) = func.layout.last_inst(branch.block) {
            *func.inst_mut(end) = InstData::Br { target: shared };
        }
    }
    append(func, shared, InstData::Switch { value: address, default, table }, Type::Void);
    IndirectBranch { block: shared, address, default, table }
}

/// Makes comparisons of a branch.
fn compare(func: &mut Function, branch: IndirectBranch) {
    let cases = core::mem::take(&mut func.switch_mut(branch.table).cases);
    let Some(end) = func.layout.last_inst(branch.block) else { return };
    func.layout.remove_inst(end);
    let pointer = func.value_type(branch.address);
    let function = func.id;
    let mut block = branch.block;
    for (n, &(label, target)) in cases.iter().enumerate() {
        change_pred(func, target, branch.block, block);
        if n + 1 == cases.len() {
            append(func, block, InstData::Br { target }, Type::Void);
            break;
        }
        let label = append(func, block, InstData::BlockAddress { function, label: label as u32 }, pointer);
        let args = [branch.address, func.result(label).unwrap_or(branch.address)];
        let is_it = append(func, block, InstData::Icmp { cond: IntCond::Eq, args }, Type::I1);
        let next = func.append_new_block();
        let cond = func.result(is_it).unwrap_or(branch.address);
        append(func, block, InstData::CondBr { cond, if_true: target, if_false: next }, Type::Void);
        block = next;
    }
}

/// Gives the targets with other predecessors a block that has none.
fn give_own_blocks(func: &mut Function, branch: IndirectBranch) {
    let mut preds = vec![0u32; func.num_blocks()];
    for block in func.blocks() {
        func.for_each_successor(block, |target| preds[target.as_u32() as usize] += 1);
    }
    for n in 0..func.switch(branch.table).cases.len() {
        let (_, target) = func.switch(branch.table).cases[n];
        if preds[target.as_u32() as usize] > 1 {
            let own = func.append_new_block();
            append(func, own, InstData::Br { target }, Type::Void);
            change_pred(func, target, branch.block, own);
            func.switch_mut(branch.table).cases[n].1 = own;
        }
    }
}
