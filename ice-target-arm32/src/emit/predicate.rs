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

use super::{AL, Emitter};
use crate::inst::{FloatSize, Inst, is_one_word};
use crate::regs::QUAD;
use ice_asm::Listing;
use ice_asm::arm32::{Cond, Flags};
use ice_codegen::emission::InstEmitter as _;
use ice_codegen::mach::{MachBlock, MachInstId};
use ice_regalloc::{Edit, Function, ProgPoint};

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
pub(super) fn size(inst: &Inst) -> Option<usize> {
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

impl<'a, L: Listing> Emitter<'a, L> {
    /// Whether the block is one that [`body`](Self::body) looks into: not written yet, short, and only one edge leads
    /// to it.
    #[inline(always)]
    fn may_be_body(&self, block: MachBlock) -> bool {
        let insts = &self.cursor.mach.insts()[self.cursor.mach.inst_range(block)];
        matches!(insts, [.., Inst::Jump { .. }])
            && insts.len() <= 2 * MAX_BACK + 1
            && block > self.cursor.block
            && self.cursor.mach.block_preds(block).len() == 1
            && !self.written[block.as_u32() as usize]
    }

    /// The edits of a block.
    fn edits_of(&self, block: MachBlock) -> &'a [Edit] {
        let range = self.cursor.mach.inst_range(block);
        let at = |index: usize| MachInstId::from_u32(index as u32);
        // Those of the next block are the next ones; blocks that are asked for are short.
        let mut edits = self.cursor.edits;
        if block != self.cursor.next_block() {
            edits = &self.cursor.allocation.edits;
            let start = edits.partition_point(|edit| edit.point < ProgPoint::before(at(range.start)));
            edits = &edits[start..];
        }
        let end = ProgPoint::before(at(range.end));
        &edits[..edits.iter().take_while(|edit| edit.point < end).count()]
    }

    /// The block, if it is short and simple and only one edge leads to it.
    fn body(&self, block: MachBlock) -> Option<Body> {
        if !self.may_be_body(block) {
            return None;
        }
        let range = self.cursor.mach.inst_range(block);
        let insts = &self.cursor.mach.insts()[range.clone()];
        let (&Inst::Jump { target }, insts) = insts.split_last()? else { return None };
        let mut words = 0;
        for (inst, index) in insts.iter().zip(range.start..) {
            let id = MachInstId::from_u32(index as u32);
            words += match (inst, self.cursor.allocation.allocs_of(id)) {
                // A copy is a word if it does not vanish.
                (Inst::Mov { .. } | Inst::MovFloat { .. }, [from, to]) => {
                    size(inst)? + usize::from(from != to)
                }
                // Nor is one what is made again where it is used.
                (_, [only]) if only.is_none() => 0,
                _ => size(inst)?,
            };
        }
        if words > MAX_BACK {
            return None;
        }
        let edits = self.edits_of(block);
        for edit in edits {
            words += match edit.from.as_remat() {
                Some(inst) => size(self.cursor.mach.insts().get(inst.as_u32() as usize)?)?,
                None => 1,
            };
        }
        if words > MAX_BACK || edits.iter().any(|edit| edit.class.index() >= QUAD.index()) {
            return None;
        }
        Some(Body { block, target, size: words })
    }

    /// Writes a body under a condition.
    fn write_body(&mut self, body: Body, cond: Cond) {
        self.cond = cond;
        let (left, branch) = (self.cursor.edits, self.cursor.at);
        self.cursor.edits = self.edits_of(body.block);
        self.insts_to_last(body.block);
        self.end_plan();
        self.ledger.part_of(self.cursor.mach, self.cursor.at, branch);
        self.cursor.edits = left;
        self.cursor.at = branch;
        self.cond = AL;
        self.written[body.block.as_u32() as usize] = true;
    }

    /// Writes a branch with one of its successors, or both, if that is shorter. False if it has written nothing.
    pub(super) fn predicate(&mut self, cond: Cond, if_true: MachBlock, if_false: MachBlock) -> bool {
        if !self.may_be_body(if_true) && !self.may_be_body(if_false) {
            return false;
        }
        let following = self.cursor.next_block();
        let bodies = [self.body(if_true), self.body(if_false)];
        if let [Some(first), Some(second)] = bodies
            && first.target == second.target
            && first.size + second.size <= MAX_FORWARD
        {
            self.write_body(first, cond);
            self.write_body(second, cond.invert());
            let target = self.target_label(first.target);
            self.e.jump(target);
            return true;
        }
        let sides = [(bodies[0], cond, if_false), (bodies[1], cond.invert(), if_true)];
        for (body, cond, other) in sides {
            let Some(body) = body else { continue };
            if body.target == other && body.size <= MAX_FORWARD {
                self.write_body(body, cond);
                let other = self.target_label(other);
                self.e.jump(other);
                return true;
            }
            if self.goes_round(body.target, other) {
                self.write_body(body, cond);
                let target = self.target_label(body.target);
                self.e.jump_if(cond, target);
                if other != following || body.block == following {
                    let other = self.target_label(other);
                    self.e.jump(other);
                }
                return true;
            }
        }
        false
    }
}
