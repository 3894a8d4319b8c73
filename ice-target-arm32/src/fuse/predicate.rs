//! Conditional execution: a short block behind a branch becomes a few instructions with a condition.
//!
//! A block that only the branch leads to, of at most [`MAX_FORWARD`] instructions that keep the flags and a jump,
//! is written in place of the branch, each instruction under the condition of the branch (if-conversion; Muchnick,
//! *Advanced Compiler Design and Implementation*, 18.11). Then control goes
//!
//! * on, where the block would have come to the other successor of the branch as well, or where the other
//!   successor is such a block, too, and both come to one place;
//! * back to the head of a loop by a branch under the same condition: what the edge moves is executed before
//!   it, once too often at the end of the loop. As loops mostly go round, [`MAX_BACK`] instructions pay.
//!
//! What has been written so is left out when its turn comes.

use super::AllocatedCode;
use crate::inst::{FloatSize, Inst, is_one_word};
use crate::regs::QUAD;
use ice_asm::arm32::{Cond, Flags};
use ice_codegen::mach::{MachBlock, MachFunction, MachInstId};
use ice_regalloc::{Edit, ProgPoint};

/// Most instructions on a way forward.
const MAX_FORWARD: usize = 2;
/// Most instructions on the way back to the head of a loop.
const MAX_BACK: usize = 3;

/// A block that can be executed under a condition.
#[derive(Clone, Copy)]
struct Body {
    block: MachBlock,
    target: MachBlock,
    size: usize,
}

/// How many machine words the instruction becomes, if each can have a condition and none writes the flags.
pub(crate) fn size(inst: &Inst) -> Option<usize> {
    match *inst {
        Inst::Mov { .. } => Some(0),
        Inst::MovImm { imm, .. } => Some(if is_one_word(imm) { 1 } else { 2 }),
        Inst::MovSrc { flags: Flags::Keep, .. }
        | Inst::Extend { .. }
        | Inst::Load { .. }
        | Inst::Store { .. }
        | Inst::Alu { flags: Flags::Keep, .. }
        | Inst::Mul { .. }
        | Inst::MultiplyAdd { .. }
        | Inst::BitField { .. }
        | Inst::Unary { .. } => Some(1),
        Inst::MovFloat { size, .. } if size != FloatSize::Quad => Some(0),
        Inst::LoadFloat { size, .. }
        | Inst::StoreFloat { size, .. }
        | Inst::Float3 { size, .. }
        | Inst::Float3Acc { size, .. }
        | Inst::FloatImm { size, .. }
            if size != FloatSize::Quad =>
        {
            Some(1)
        }
        _ => None,
    }
}

/// What is written in place of a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Predication {
    /// Blocks, each under its condition, one behind the other.
    pub(crate) bodies: [Option<(MachBlock, Cond)>; 2],
    /// Where control goes behind them.
    pub(crate) then: Then,
}

/// Where control goes behind a block under a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Then {
    /// To this block.
    Jump(MachBlock),
    /// To the head of a loop under the condition, and else to the other block or what comes next.
    Back { cond: Cond, header: MachBlock, other: Option<MachBlock> },
}

/// The block behind `block`.
fn next(block: MachBlock) -> MachBlock {
    MachBlock::from_u32(block.as_u32() + 1)
}

/// Whether a branch in `block` goes back to `target` as long as a loop lasts, and to `other` once.
pub(crate) fn goes_round(
    mach: &MachFunction<Inst>,
    block: MachBlock,
    target: MachBlock,
    other: MachBlock,
) -> bool {
    let [to_target, to_other] = [target, other].map(|block| mach.loop_depth(block));
    // What lies in front of a loop is no head of it.
    target <= block && to_target >= to_other && (other > block || to_target > to_other)
}

/// Whether `body`, a successor of `block`, may be one that can be written in place of a branch: not written yet, short, and
/// only one edge leads to it.
#[inline(always)]
pub(crate) fn may_be_body(
    code: AllocatedCode<'_>,
    block: MachBlock,
    body: MachBlock,
    written: &[bool],
) -> bool {
    let insts = &code.mach.insts()[code.mach.inst_range(body)];
    matches!(insts, [.., Inst::Jump { .. }])
        && insts.len() <= 2 * MAX_BACK + 1
        && body > block
        && code.mach.body().block_preds(body).len() == 1
        && !written[body.as_u32() as usize]
}

/// The edits of `block`; `left` are those behind the block `from`, in which the walk is.
pub(crate) fn edits_of<'a>(
    code: AllocatedCode<'a>,
    block: MachBlock,
    from: MachBlock,
    left: &'a [Edit],
) -> &'a [Edit] {
    let range = code.mach.inst_range(block);
    let at = |index: usize| MachInstId::from_u32(index as u32);
    // Those of the next block are the next ones; blocks that are asked for are short.
    let mut edits = left;
    if block != next(from) {
        edits = &code.allocation.edits;
        let start = edits.partition_point(|edit| edit.point < ProgPoint::before(at(range.start)));
        edits = &edits[start..];
    }
    let end = ProgPoint::before(at(range.end));
    &edits[..edits.iter().take_while(|edit| edit.point < end).count()]
}

/// The block with its size, if it [may be](may_be_body) written in place of a branch in `from` and is simple.
fn body<'a>(
    code: AllocatedCode<'a>,
    block: MachBlock,
    from: MachBlock,
    left: &'a [Edit],
    written: &[bool],
) -> Option<Body> {
    if !may_be_body(code, from, block, written) {
        return None;
    }
    let range = code.mach.inst_range(block);
    let insts = &code.mach.insts()[range.clone()];
    let (&Inst::Jump { target }, insts) = insts.split_last()? else { return None };
    let mut words = 0;
    for (inst, index) in insts.iter().zip(range.start..) {
        let id = MachInstId::from_u32(index as u32);
        words += match (inst, code.places(id)) {
            // A copy is a word if it does not vanish.
            (Inst::Mov { .. } | Inst::MovFloat { .. }, [from, to]) => size(inst)? + usize::from(from != to),
            // Nor is one what is made again where it is used.
            (_, [only]) if only.is_none() => 0,
            _ => size(inst)?,
        };
    }
    if words > MAX_BACK {
        return None;
    }
    let edits = edits_of(code, block, from, left);
    for edit in edits {
        words += match edit.from.as_remat() {
            Some(inst) => size(code.mach.insts().get(inst.as_u32() as usize)?)?,
            None => 1,
        };
    }
    if words > MAX_BACK || edits.iter().any(|edit| edit.class.index() >= QUAD.index()) {
        return None;
    }
    Some(Body { block, target, size: words })
}

/// What is written in place of the branch at the end of `block`, if that is shorter; `left` are the edits behind the
/// block, and blocks that are `written` have been left to no branch or to another one.
pub(crate) fn predication<'a>(
    code: AllocatedCode<'a>,
    block: MachBlock,
    [if_true, if_false]: [MachBlock; 2],
    cond: Cond,
    left: &'a [Edit],
    written: &[bool],
) -> Option<Predication> {
    let bodies = [if_true, if_false].map(|body| self::body(code, body, block, left, written));
    if let [Some(first), Some(second)] = bodies
        && first.target == second.target
        && first.size + second.size <= MAX_FORWARD
    {
        let bodies = [Some((first.block, cond)), Some((second.block, cond.invert()))];
        return Some(Predication { bodies, then: Then::Jump(first.target) });
    }
    let sides = [(bodies[0], cond, if_false), (bodies[1], cond.invert(), if_true)];
    for (body, cond, other) in sides {
        let Some(body) = body else { continue };
        let bodies = [Some((body.block, cond)), None];
        if body.target == other && body.size <= MAX_FORWARD {
            return Some(Predication { bodies, then: Then::Jump(other) });
        }
        if goes_round(code.mach, block, body.target, other) {
            let is_next = other == next(block) && body.block != other;
            let other = (!is_next).then_some(other);
            return Some(Predication { bodies, then: Then::Back { cond, header: body.target, other } });
        }
    }
    None
}
