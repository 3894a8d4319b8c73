//! Phis of a loop that hand their values on to one another.
//!
//! Where a phi gets the present value of another one, as in `previous = current; current = current->next` and in windows
//! that slide over an array, the present value and the next one of the other phi live at once up to the edge back: they are in
//! two registers, and the edge has a move for each phi and more where these form a cycle. Copied in front of its next
//! value instead, where the first phi is needed no more, the present value ends there: the copy takes the first phi's
//! register, the next value that of the other phi, and the edge has no move.
//!
//! A copy is a cast of a value to its own type. Chains of phis are copied from their ends on; a cycle of phis has none.
//!
//! Requires: the next values of the phis of loop headers; that no later step takes such casts out. Preserves: all but
//! the phis' incoming values; keeps the use counts of what is there already. Looks at the instructions between a next value
//! and the end of its block, for such phis alone.

use crate::insert::insert;
use crate::sink::{MAX_DISTANCE, uses_of};
use alloc::vec::Vec;
use arrayvec::ArrayVec;
use ice_ir::{Block, CastOp, ControlFlowGraph, Function, Inst, InstData, LoopForest, Uses, Value};

/// What is known of the function.
type Facts<'a> = (&'a ControlFlowGraph, &'a LoopForest, &'a Uses);

/// A phi gets the present value of another one by an edge back from a block.
#[derive(Clone, Copy)]
struct Pair {
    phi: Value,
    other: Value,
    latch: Block,
}

/// Vectors of this. Reused from function to function.
#[derive(Default)]
pub(crate) struct Rotations {
    pairs: Vec<Pair>,
}

impl Rotations {
    /// Copies present values early, where that is possible; `steps` has phis, their next values and where these come
    /// from. Whether there were any.
    pub(crate) fn copy_early(
        &mut self,
        func: &mut Function,
        (cfg, loops, uses): (&ControlFlowGraph, &LoopForest, &mut Uses),
        steps: &[(Value, Value, Block)],
    ) -> bool {
        let pairs = &mut self.pairs;
        pairs.clear();
        let pair = |&(phi, other, latch): &(Value, Value, Block)| Pair { phi, other, latch };
        pairs.extend(steps.iter().map(pair).filter(|&pair| is_handed_on(func, (cfg, loops, uses), pair)));
        let mut any = false;
        loop {
            let before = pairs.len();
            pairs.retain(|&pair| !copy(func, cfg, uses, pair));
            if pairs.len() == before {
                return any;
            }
            any = true;
        }
    }
}

/// Whether both are phis of one block, and neither is used behind the loop, but for the other one where [`rename`] gives
/// the copy instead.
fn is_handed_on(func: &Function, (cfg, loops, uses): Facts<'_>, pair: Pair) -> bool {
    let Pair { phi, other, latch } = pair;
    let header = |value| {
        let inst =
            func.defining_inst(value).filter(|&inst| matches!(func.inst(inst), InstData::Phi { .. }))?;
        func.layout.block_of(inst)
    };
    let Some(block) = header(other).filter(|&block| phi != other && header(phi) == Some(block)) else {
        return false;
    };
    // Blocks behind a loop mostly stand behind it.
    let user = |value| {
        let user = uses.last_user(value)?;
        Some((user, func.layout.block_of(user)?))
    };
    let ends_inside = |value| user(value).is_some_and(|(_, at)| loops.contains(block, at));
    let is_renamed = || {
        let Some((user, at)) = user(other) else { return false };
        let from = |pred| match *func.inst(user) {
            InstData::Phi { incoming } => func.incoming(incoming).contains(&(other, pred)),
            _ => false,
        };
        exit(func, cfg, latch, block).is_some_and(|exit| at == exit || from(exit))
    };
    ends_inside(phi) && (ends_inside(other) || is_renamed())
}

/// The block that `latch` leaves the loop to, if nothing else leads there.
fn exit(func: &Function, cfg: &ControlFlowGraph, latch: Block, header: Block) -> Option<Block> {
    let &InstData::CondBr { if_true, if_false, .. } = func.terminator(latch)? else { return None };
    let exit = if if_true == header { if_false } else { if_true };
    (cfg.preds(exit).len() == 1).then_some(exit)
}

/// In the block behind the loop, and in phis of the next ones, the copy takes the place of the present value.
fn rename(func: &mut Function, uses: &mut Uses, exit: Block, of: Value, copy: Value) {
    let mut at = func.layout.first_inst(exit);
    while let Some(inst) = at {
        func.map_operands(inst, |value| {
            if value != of {
                return value;
            }
            uses.withdraw(of);
            copy
        });
        at = func.layout.next_inst(inst);
    }
    let mut successors = ArrayVec::<Block, 2>::new();
    func.for_each_successor(exit, |block| {
        let _ = successors.try_push(block);
    });
    for block in successors {
        let mut at = func.layout.first_inst(block);
        while let Some(phi) = at.filter(|&phi| matches!(func.inst(phi), InstData::Phi { .. })) {
            replace_incoming(func, uses, phi, (of, exit), copy);
            at = func.layout.next_inst(phi);
        }
    }
}

/// Copies the other phi's present value in front of its next one. Whether it did.
fn copy(func: &mut Function, cfg: &ControlFlowGraph, uses: &mut Uses, pair: Pair) -> bool {
    let Some(next) = next_value(func, pair).filter(|&next| is_free_behind(func, uses, next, pair)) else {
        return false;
    };
    let data = InstData::Cast { op: CastOp::Bitcast, arg: pair.other };
    let copy = insert(func, next, next, data, func.value_type(pair.other));
    uses.add(pair.other);
    let Some(copy) = func.result(copy) else { return true };
    if let Some(phi) = func.defining_inst(pair.phi) {
        replace_incoming(func, uses, phi, (pair.other, pair.latch), copy);
    }
    if let Some(header) = func.defining_inst(pair.phi).and_then(|phi| func.layout.block_of(phi))
        && let Some(exit) = exit(func, cfg, pair.latch, header)
    {
        rename(func, uses, exit, pair.other, copy);
    }
    true
}

/// Lets `phi` get the copy where it got a value from a block.
fn replace_incoming(func: &mut Function, uses: &mut Uses, phi: Inst, edge: (Value, Block), copy: Value) {
    if let &InstData::Phi { incoming } = func.inst(phi) {
        for (value, pred) in func.incoming_mut(incoming) {
            if (*value, *pred) == edge {
                uses.withdraw(*value);
                *value = copy;
            }
        }
    }
}

/// What computes the other phi's next value in the latch.
fn next_value(func: &Function, pair: Pair) -> Option<Inst> {
    let &InstData::Phi { incoming } = func.inst(func.defining_inst(pair.other)?) else { return None };
    let &(next, _) = func.incoming(incoming).iter().find(|&&(_, pred)| pred == pair.latch)?;
    let def = func.defining_inst(next)?;
    // Nothing comes in front of what an invocation gives, or between a call and its second result.
    let is_fixed =
        matches!(func.inst(def), InstData::Phi { .. } | InstData::InvokeResult | InstData::LandingPad { .. });
    let computes = !is_fixed && !func.inst(def).is_further_result();
    (computes && func.layout.block_of(def) == Some(pair.latch)).then_some(def)
}

/// Whether neither phi is needed behind `next`, nor the first one by it.
fn is_free_behind(func: &Function, uses: &Uses, next: Inst, pair: Pair) -> bool {
    if uses_of(func, uses, next, pair.phi) {
        return false;
    }
    let mut at = func.layout.next_inst(next);
    for _ in 0..MAX_DISTANCE {
        let Some(inst) = at else { return true };
        if uses_of(func, uses, inst, pair.phi) || uses_of(func, uses, inst, pair.other) {
            return false;
        }
        at = func.layout.next_inst(inst);
    }
    false
}
