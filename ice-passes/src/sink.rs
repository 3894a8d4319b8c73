//! What costs nothing at its user goes there: comparisons, scales, and the steps of loops.
//!
//! * A comparison that a branch or select of another block uses, or that several use, is computed anew
//!   before each: it then sets flags and needs no register (as LLVM's CodeGenPrepare sinks comparisons). So is one of a loop
//!   before what makes a number of it behind the loop. Not a check for overflow, which is computed together with what it checks.
//! * A shift left by up to 3 that several additions use is computed anew before each: it becomes the scale
//!   of an address or the shifted operand of the addition.
//! * The next value of a phi (`i + 1`) that is computed while the phi's present value is still used after it
//!   in the block goes down to behind those uses, as far as its own users allow: both then share a register,
//!   and the edge back needs no move. If only the phi needs it, it goes to the block of that edge, or on the edge
//!   (`back_edges.rs`).
//! * What a loop computes for its exits alone goes to their edges (`exit_edges.rs`).
//! * A phi's present value that another phi gets is copied early (`rotations.rs`).
//! * What ends two values goes up to where both are there (`gather.rs`).
//!
//! What is dead goes away first, so that nothing moves past a use that does not count. The originals are left for
//! [`Uses`] to find dead.
//!
//! Requires: a verified function, its flow graph, loop forest and use counts. Preserves: its blocks, terminators but for
//! their conditions, the order of side effects; adds blocks on edges ([`Changed::KeptLoops`] if it did). Linear, but for
//! the steps: for each edge back to a phi the instructions of its block are looked at.

use crate::back_edges::BackEdges;
use crate::changed::Changed;
use crate::exit_edges::ExitEdges;
use crate::gather::{NEAR, gather};
use crate::insert::insert;
use crate::rotations::Rotations;
use alloc::vec::Vec;
use ice_ir::{
    BinaryOp, Block, CastOp, ControlFlowGraph, Function, Inst, InstData, IntCond, LoopForest, Type, Uses,
    Value,
};

/// Vectors of the pass. Reused from function to function.
#[derive(Default)]
pub struct SinkScratch {
    /// Phis of loop headers and, for each edge back, their next value with the block where it comes from.
    steps: Vec<(Value, Value, Block)>,
    rotations: Rotations,
    back_edges: BackEdges,
    exit_edges: ExitEdges,
    copies: Copies,
}

/// What has got more uses and fewer by copies: counted behind the walk that makes them, which asks for the counts of before.
#[derive(Default)]
struct Copies {
    used: Vec<Value>,
    replaced: Vec<Value>,
}

/// Most predecessors of a loop's header whose steps are looked at.
const MAX_INCOMING: usize = 256;
/// Most instructions over which a step moves.
pub(crate) const MAX_DISTANCE: u32 = 100;

/// Moves cheap instructions of `func` to their users; `pointer` is the type of addresses, and operands are in memory (`loads`),
/// at sums of two registers and a number, or they are not.
pub fn sink(
    func: &mut Function,
    (pointer, loads): (Type, bool),
    (cfg, loops): (&ControlFlowGraph, &mut LoopForest),
    uses: &mut Uses,
    scratch: &mut SinkScratch,
) -> Changed {
    scratch.copies.used.clear();
    scratch.copies.replaced.clear();
    let had_dead = uses.remove_dead(func);
    let mut any = false;
    let mut at = func.layout.entry();
    while let Some(block) = at {
        let mut next = func.layout.first_inst(block);
        let mut before = 0;
        while let Some(inst) = next {
            next = func.layout.next_inst(inst);
            before += 1;
            match *func.inst(inst) {
                InstData::CondBr { cond, .. } | InstData::Select { cond, .. } => {
                    any |= copy_comparison(func, uses, block, inst, cond, &mut scratch.copies);
                }
                // A number behind a loop.
                InstData::Cast { op: CastOp::Zext | CastOp::Sext, arg }
                    if func.value_type(arg) == Type::I1 =>
                {
                    let is_deeper = |def| {
                        let block_of_def = func.layout.block_of(def);
                        block_of_def.is_some_and(|from| loops.depth(from) > loops.depth(block))
                    };
                    if func.defining_inst(arg).is_some_and(is_deeper) {
                        any |= copy_comparison(func, uses, block, inst, arg, &mut scratch.copies);
                    }
                }
                InstData::Binary { op: BinaryOp::Add, args: [a, b] } if func.value_type(a) == pointer => {
                    any |= copy_scale(func, uses, inst, a, &mut scratch.copies);
                    if a != b {
                        any |= copy_scale(func, uses, inst, b, &mut scratch.copies);
                    }
                    any |= before > NEAR && gather(func, uses, inst);
                }
                InstData::Binary { op, .. } if before > NEAR && !op.is_division() => {
                    any |= gather(func, uses, inst);
                }
                _ => {}
            }
        }
        at = func.layout.next_block(block);
    }
    let mut changed = Changed::dead(had_dead);
    if loops.num_loops() > 0 {
        any |= sink_steps(func, (loops, uses), loads, scratch);
        any |= scratch.rotations.copy_early(func, (cfg, loops, uses), &scratch.steps);
        scratch.copies.used.iter().for_each(|&value| uses.add(value));
        scratch.copies.replaced.iter().for_each(|&value| uses.withdraw(value));
        changed = changed.max(scratch.back_edges.sink(func, cfg, loops, uses, loads));
        changed = changed.max(scratch.exit_edges.sink(func, loops, uses));
    }
    changed.max(Changed::instructions(any))
}

/// Puts a copy of `def` before `user` and lets it use that instead of `value`.
fn copy_to(func: &mut Function, def: Inst, user: Inst, value: Value, copies: &mut Copies) {
    let (data, ty) = (*func.inst(def), func.value_type(value));
    let copy = insert(func, user, def, data, ty);
    func.for_each_operand(copy, |operand| copies.used.push(operand));
    if let Some(result) = func.result(copy) {
        func.map_operands(user, |operand| {
            if operand != value {
                return operand;
            }
            copies.replaced.push(value);
            result
        });
    }
}

/// Whether it did.
fn copy_comparison(
    func: &mut Function,
    uses: &Uses,
    block: Block,
    user: Inst,
    cond: Value,
    copies: &mut Copies,
) -> bool {
    let Some(def) = func.defining_inst(cond) else { return false };
    let is_shared = uses.count_if_known(cond) > 1 || func.layout.block_of(def) != Some(block);
    let is_copied = is_shared
        && func.value_type(cond) == Type::I1
        && matches!(func.inst(def), InstData::Icmp { .. } | InstData::Fcmp { .. })
        && !checks_overflow(func, def)
        && !matches!(func.inst(user), &InstData::Select { if_true, if_false, .. }
            if if_true == cond || if_false == cond);
    if is_copied {
        copy_to(func, def, user, cond, copies);
    }
    is_copied
}

/// Whether the comparison says if what was computed before it has overflowed, a product compared with its own low half
/// extended, or the sign of two differences from a sum: what machines compute together with that, once.
fn checks_overflow(func: &Function, comparison: Inst) -> bool {
    let &InstData::Icmp { cond, args: [a, b] } = func.inst(comparison) else { return false };
    let defined = |value| func.defining_inst(value).map(|def| *func.inst(def));
    let is_cut = |part, whole| match defined(part) {
        Some(InstData::Cast { op: CastOp::Sext | CastOp::Zext, arg }) => {
            matches!(defined(arg), Some(InstData::Cast { op: CastOp::Trunc, arg }) if arg == whole)
        }
        _ => false,
    };
    let is_xor = |value| matches!(defined(value), Some(InstData::Binary { op: BinaryOp::Xor, .. }));
    match cond {
        IntCond::Ne => is_cut(a, b) || is_cut(b, a),
        IntCond::Slt if func.int_value(b) == Some(0) => {
            matches!(defined(a), Some(InstData::Binary { op: BinaryOp::And, args: [x, y] }) if is_xor(x) && is_xor(y))
        }
        _ => false,
    }
}

/// Whether it did.
fn copy_scale(func: &mut Function, uses: &Uses, user: Inst, value: Value, copies: &mut Copies) -> bool {
    let Some(def) = func.defining_inst(value) else { return false };
    if let InstData::Binary { op: BinaryOp::Shl, args: [_, amount] } = *func.inst(def)
        && uses.count_if_known(value) > 1
        && matches!(func.int_value(amount), Some(1..=3))
    {
        copy_to(func, def, user, value, copies);
        return true;
    }
    false
}

/// Whether any step has moved.
fn sink_steps(
    func: &mut Function,
    (loops, uses): (&LoopForest, &Uses),
    loads: bool,
    scratch: &mut SinkScratch,
) -> bool {
    scratch.steps.clear();
    for header in loops.headers() {
        for inst in func.block_insts(header) {
            let &InstData::Phi { incoming } = func.inst(inst) else { break };
            let Some(phi) = func.result(inst) else { continue };
            // A long list would be searched for every edge.
            if incoming.len() > MAX_INCOMING {
                break;
            }
            let back = func.incoming(incoming).iter().filter(|(_, pred)| loops.contains(header, *pred));
            for &(value, pred) in back {
                if scratch.steps.last().is_none_or(|last| (last.0, last.1) != (phi, value)) {
                    scratch.steps.push((phi, value, pred));
                }
            }
        }
    }
    let mut any = false;
    scratch.back_edges.begin();
    for &(phi, value, block) in &scratch.steps {
        if let Some(def) = func.defining_inst(value)
            && is_step(func, def, phi)
        {
            let is_elsewhere = func.layout.block_of(def) != Some(block);
            let at_end = if is_elsewhere { place_at_end(func, uses, value, block) } else { None };
            any |= match at_end.filter(|_| has_constant(func, def)) {
                Some(place) => sink_to_edge(func, (loops, uses), phi, def, (block, place)),
                None => sink_step(func, uses, phi, value, def),
            };
            if func.layout.block_of(def) == Some(block) {
                let is_compared = is_compared(func, (uses, loads), block, phi);
                scratch.back_edges.note(func, (loops, uses), (phi, def), block, is_compared);
            }
        } else if let Some(def) = func.defining_inst(value)
            && uses.count_if_known(value) == 1
            && may_wait(func, def, block)
        {
            any |= sink_step(func, uses, phi, value, def);
        }
    }
    any
}

/// Whether `def` computes the next value of `phi` from its present one, and may be computed later.
fn is_step(func: &Function, def: Inst, phi: Value) -> bool {
    match *func.inst(def) {
        InstData::Binary { op, args } => !op.is_division() && args.contains(&phi),
        InstData::CallIntrinsic { op, args, .. } => op.is_computation() && func.args(args) == [phi],
        _ => false,
    }
}

/// Whether `def`, of `block`, computes something and may do so later without keeping more than one value of the block for it.
fn may_wait(func: &Function, def: Inst, block: Block) -> bool {
    let is_computation = match *func.inst(def) {
        InstData::Binary { op, .. } => !op.is_division(),
        InstData::CallIntrinsic { op, .. } => op.is_computation(),
        _ => false,
    };
    let mut of_block = 0;
    func.for_each_operand(def, |operand| {
        let at = func.defining_inst(operand).and_then(|inst| func.layout.block_of(inst));
        of_block += u32::from(at == Some(block));
    });
    is_computation && of_block < 2 && func.layout.block_of(def) == Some(block)
}

/// Whether `def` computes something from a constant.
fn has_constant(func: &Function, def: Inst) -> bool {
    matches!(*func.inst(def), InstData::Binary { args, .. } if args.iter().any(|&arg| func.is_constant(arg)))
}

/// Whether the comparison that the branch at the end of `block` takes in reads `value`, or takes in a load that does.
fn is_compared(func: &Function, (uses, loads): (&Uses, bool), block: Block, value: Value) -> bool {
    let Some(&InstData::CondBr { cond, .. }) = func.terminator(block) else { return false };
    let comparison = func
        .defining_inst(cond)
        .filter(|&inst| uses.count_if_known(cond) == 1 && func.layout.block_of(inst) == Some(block));
    comparison.is_some_and(|inst| {
        let mut is_read = loads && uses_of(func, uses, inst, value);
        func.for_each_operand(inst, |operand| is_read |= operand == value);
        is_read
    })
}

/// Whether `inst` reads `value`, or memory at an address that `value` is a part of: what computes the address is folded into
/// the access, and a load into the one instruction that uses it.
pub(crate) fn uses_of(func: &Function, uses: &Uses, inst: Inst, value: Value) -> bool {
    let mut is_used = is_accessed(func, inst, value);
    func.for_each_operand(inst, |operand| {
        let is_folded_access = || {
            let def = func.defining_inst(operand).filter(|_| uses.count_if_known(operand) == 1);
            def.is_some_and(|def| is_accessed(func, def, value))
        };
        is_used |= operand == value || is_folded_access();
    });
    is_used
}

/// Whether `inst` is a load or store at an address that `value` is a part of.
fn is_accessed(func: &Function, inst: Inst, value: Value) -> bool {
    match *func.inst(inst) {
        InstData::Load { address, .. } | InstData::Store { address, .. } => {
            address == value || is_part(func, value, address, 2)
        }
        _ => false,
    }
}

/// Whether `value` is an operand of the sums and scales, this many deep, that give `address`.
fn is_part(func: &Function, value: Value, address: Value, depth: u32) -> bool {
    let def = func.defining_inst(address).filter(|_| depth > 0);
    let Some(&InstData::Binary { op: BinaryOp::Add | BinaryOp::Shl, args }) = def.map(|def| func.inst(def))
    else {
        return false;
    };
    args.iter().any(|&arg| arg == value || is_part(func, value, arg, depth - 1))
}

/// In front of what `value` could be computed at the end of `block`, if it only goes to a phi from there and perhaps to the
/// comparison by which the block ends.
fn place_at_end(func: &Function, uses: &Uses, value: Value, block: Block) -> Option<Inst> {
    let end = func.layout.last_inst(block)?;
    match (uses.count_if_known(value), func.inst(end)) {
        (1, _) => Some(end),
        (2, &InstData::CondBr { cond, .. }) => {
            let comparison = func.defining_inst(cond)?;
            let is_here = func.layout.block_of(comparison) == Some(block) && uses.count_if_known(cond) == 1;
            let &InstData::Icmp { args, .. } = func.inst(comparison) else { return None };
            (is_here && args.contains(&value)).then_some(comparison)
        }
        _ => None,
    }
}

/// Moves `def`, whose result only goes to `phi` and what is at the end of `block`, to that `place` there, if `phi` is used
/// behind it in its own block or in another one. Whether it did.
fn sink_to_edge(
    func: &mut Function,
    (loops, uses): (&LoopForest, &Uses),
    phi: Value,
    def: Inst,
    (block, place): (Block, Inst),
) -> bool {
    let Some(from) = func.layout.block_of(def) else { return false };
    let mut next = func.layout.next_inst(def);
    let mut is_used =
        uses.last_user(phi).is_some_and(|user| user != def && func.layout.block_of(user) != Some(from));
    for _ in 0..MAX_DISTANCE {
        let Some(inst) = next else { break };
        is_used |= uses_of(func, uses, inst, phi);
        next = func.layout.next_inst(inst);
    }
    let moves = is_used && loops.depth(block) <= loops.depth(from);
    if moves {
        func.layout.remove_inst(def);
        func.layout.insert_before(place, def);
    }
    moves
}

/// Moves `def`, which gives `value` from `phi`, behind the last use of `phi` that comes before the first of
/// `value`. Whether there is such a place.
fn sink_step(func: &mut Function, uses: &Uses, phi: Value, value: Value, def: Inst) -> bool {
    let (mut behind, mut next) = (None, func.layout.next_inst(def));
    for _ in 0..MAX_DISTANCE {
        let Some(inst) = next else { break };
        if uses_of(func, uses, inst, value) {
            break;
        }
        let uses_phi = uses_of(func, uses, inst, phi);
        next = func.layout.next_inst(inst);
        // Nothing comes between a call and its second result.
        let has_more = next.is_some_and(|next| func.inst(next).is_further_result());
        if uses_phi && !has_more {
            behind = next;
        }
    }
    if let Some(before) = behind {
        func.layout.remove_inst(def);
        func.layout.insert_before(before, def);
    }
    behind.is_some()
}
