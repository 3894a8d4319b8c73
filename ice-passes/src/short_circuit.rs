//! Branches on `a or b` and `a and b` become two branches.
//!
//! A block that ends in a branch on a disjunction or conjunction of comparisons is split: the first half
//! tests `a` and may know the way already, the second half, a new block, tests `b`. Both comparisons then
//! set flags for a branch instead of booleans, and what only `b` needs moves to the second half, if it has
//! no side effects and does not read memory. Halves are split again as long as their conditions are of this
//! kind. `select a, b, false` and `select a, true, b` are the same (jumping code: Aho, Lam, Sethi and Ullman,
//! "Compilers", 2nd edition, 6.6). A switch on how two numbers compare [becomes two branches](crate::three_ways), too.
//!
//! Requires: a verified function and its use counts. Preserves: those, which it keeps; the order of side effects; every
//! block, but adds second halves ([`Changed::KeptLoops`] if it did). What is dead goes away. Linear in blocks and in what
//! moves.

use crate::changed::Changed;
use crate::split::rename_predecessor;
use crate::three_ways;
use alloc::vec::Vec;
use ice_ir::{BinaryOp, Block, Function, Inst, InstData, Type, Uses, Value};

/// Most instructions that move with a condition.
const MAX_MOVED: usize = 12;
/// Most halves made of one block.
const MAX_SPLITS: u32 = 16;

/// Vectors of the pass. Reused from function to function.
#[derive(Default)]
pub struct ShortCircuitScratch {
    /// Blocks that may be split, with the number of splits that led to them.
    work: Vec<(Block, u32)>,
    moved: Vec<Inst>,
    incoming: Vec<(Value, Block)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Logic {
    Or,
    And,
}

/// Splits the branches of `func`.
pub fn split_conditions(func: &mut Function, uses: &mut Uses, scratch: &mut ShortCircuitScratch) -> Changed {
    let mut changed = Changed::Nothing;
    scratch.work.clear();
    for block in func.blocks() {
        let is_split = match func.terminator(block) {
            Some(&InstData::CondBr { cond, .. }) => logic(func, uses, cond).is_some(),
            Some(&InstData::Switch { .. }) => three_ways::ends_in_three_ways(func, block),
            _ => false,
        };
        if is_split {
            scratch.work.push((block, 0));
        }
    }
    if !scratch.work.is_empty() {
        changed = Changed::dead(uses.remove_dead(func));
    }
    while let Some((block, splits)) = scratch.work.pop() {
        if three_ways::branch(func, uses, block, &mut scratch.incoming) {
            changed = Changed::KeptLoops;
            continue;
        }
        if splits < MAX_SPLITS
            && let Some(second) = split(func, uses, block, scratch)
        {
            changed = Changed::KeptLoops;
            scratch.work.push((block, splits + 1));
            scratch.work.push((second, splits + 1));
        }
    }
    changed
}

/// The two conditions that `cond` is made of, if it is used only once and each can set flags itself.
fn logic(func: &Function, uses: &Uses, cond: Value) -> Option<(Logic, Value, Value)> {
    if uses.count_if_known(cond) != 1 || func.value_type(cond) != Type::I1 {
        return None;
    }
    let (logic, a, b) = match *func.inst(func.defining_inst(cond)?) {
        InstData::Binary { op: BinaryOp::Or, args: [a, b] } => (Logic::Or, a, b),
        InstData::Binary { op: BinaryOp::And, args: [a, b] } => (Logic::And, a, b),
        InstData::Select { cond: a, if_true, if_false } if func.int_value(if_false) == Some(0) => {
            (Logic::And, a, if_true)
        }
        InstData::Select { cond: a, if_true, if_false } if func.int_value(if_true) == Some(-1) => {
            (Logic::Or, a, if_false)
        }
        _ => return None,
    };
    let sets_flags = |value| {
        func.defining_inst(value).is_some_and(|inst| match *func.inst(inst) {
            InstData::Icmp { .. } | InstData::Fcmp { .. } | InstData::Select { .. } => true,
            InstData::Binary { op, .. } => matches!(op, BinaryOp::And | BinaryOp::Or),
            _ => false,
        })
    };
    (sets_flags(a) && sets_flags(b)).then_some((logic, a, b))
}

/// Splits `block` if its condition allows, and gives the second half.
fn split(
    func: &mut Function,
    uses: &mut Uses,
    block: Block,
    scratch: &mut ShortCircuitScratch,
) -> Option<Block> {
    let end = func.layout.last_inst(block)?;
    let &InstData::CondBr { cond, if_true, if_false } = func.inst(end) else { return None };
    if if_true == if_false {
        return None;
    }
    let (logic, a, b) = logic(func, uses, cond)?;
    let whole = func.defining_inst(cond)?;
    if func.layout.block_of(whole) != Some(block) {
        return None;
    }
    let second = func.insert_new_block_after(block);
    let test = func.make_inst_for(end, InstData::CondBr { cond: b, if_true, if_false }, Type::Void);
    func.layout.append_inst(second, test);
    uses.withdraw(cond);
    func.for_each_operand(whole, |value| {
        if value != a && value != b {
            uses.withdraw(value);
        }
    });
    func.layout.remove_inst(whole);
    *func.inst_mut(end) = match logic {
        Logic::Or => InstData::CondBr { cond: a, if_true, if_false: second },
        Logic::And => InstData::CondBr { cond: a, if_true: second, if_false },
    };
    for (condition, branch) in [(a, end), (b, test)] {
        uses.set_widened(condition);
        pass_on(func, uses, block, condition, whole, branch);
    }
    // One target is reached from both halves, the other from the second only.
    let (both, other) = match logic {
        Logic::Or => (if_true, if_false),
        Logic::And => (if_false, if_true),
    };
    rename_predecessor(func, other, block, second);
    if func.has_rarities() && func.rarity(both).branches > 0 {
        func.rarity_mut(both).branches += 1;
    }
    let mut next = func.layout.first_inst(both);
    while let Some(inst) = next
        && let &InstData::Phi { incoming } = func.inst(inst)
    {
        if let Some(&(value, _)) = func.incoming(incoming).iter().find(|&&(_, p)| p == block) {
            scratch.incoming.clear();
            scratch.incoming.extend_from_slice(func.incoming(incoming));
            scratch.incoming.push((value, second));
            uses.add(value);
            let incoming = func.make_incoming(&scratch.incoming);
            *func.inst_mut(inst) = InstData::Phi { incoming };
        }
        next = func.layout.next_inst(inst);
    }
    take_along(func, uses, block, test, scratch);
    Some(second)
}

/// Notes that `user`, behind all that is in `block`, uses `value` now, as `before` did if that is another one.
fn pass_on(func: &Function, uses: &mut Uses, block: Block, value: Value, before: Inst, user: Inst) {
    if let Some(last) = uses.last_user(value)
        && (last == before || func.layout.block_of(last) == Some(block))
    {
        uses.set_last_user(value, user);
    }
}

/// Moves from `block` to before `test` what only `test` needs.
fn take_along(
    func: &mut Function,
    uses: &mut Uses,
    block: Block,
    test: Inst,
    scratch: &mut ShortCircuitScratch,
) {
    let moved = &mut scratch.moved;
    moved.clear();
    moved.push(test);
    let (mut n, mut before) = (0, test);
    while let Some(&user) = moved.get(n) {
        n += 1;
        // A value has one use: no instruction comes here twice, and each goes before its user.
        func.for_each_operand(user, |value| {
            if moved.len() < MAX_MOVED
                && uses.count_if_known(value) == 1
                && let Some(def) = func.defining_inst(value)
                && func.layout.block_of(def) == Some(block)
                && is_free_to_move(func, def)
            {
                moved.push(def);
            }
        });
        if user != test {
            func.layout.remove_inst(user);
            func.layout.insert_before(before, user);
            before = user;
            func.for_each_operand(user, |value| pass_on(func, uses, block, value, user, user));
        }
    }
}

fn is_free_to_move(func: &Function, inst: Inst) -> bool {
    match func.inst(inst) {
        InstData::Binary { op, .. } => !op.is_division(),
        InstData::Cast { .. } | InstData::Icmp { .. } | InstData::Fcmp { .. } | InstData::Select { .. } => {
            true
        }
        _ => false,
    }
}
