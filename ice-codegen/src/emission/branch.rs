//! Jumps and branches between blocks: which way falls through, and the back edge of a loop in one step.
//!
//! *Problem.* A branch has two targets and an instruction has one. Mostly one of the two comes next. Where the next block
//! is an edge back to the header of a loop on which nothing is moved, two branches an iteration would be executed.
//!
//! *Contract.* [`BranchEmitter::branch`] writes the jumps for both targets. If the next block only jumps back, the branch
//! goes where that does, and the block is left out: [`Cursor::take_passed`](super::Cursor::take_passed) says so to the
//! walk.
//!
//! *What a target answers.* Which instruction is a jump; what is in the slot of a branch, if there are slots.

use super::InstEmitter;
use crate::mach::{MachBlock, MachInstId};
use ice_asm::{BranchIsa as _, Label, Reach};

/// The condition of a branch.
type Cond<'a, E> = <<E as InstEmitter<'a>>::Branches as ice_asm::BranchIsa>::Cond;
/// The instruction in its slot.
type Slot<'a, E> = <<E as InstEmitter<'a>>::Branches as ice_asm::BranchIsa>::Slot;

/// Jumps and branches of a target that has no better way than those of its code buffer.
pub trait BranchEmitter<'a>: InstEmitter<'a> {
    /// What is counted for a branch to the block that does not come next, when the jump to the next one is left out.
    const REACH: Reach = Reach::FromLabels;

    /// Where an instruction goes that only jumps.
    fn jump_target(inst: &Self::Inst) -> Option<MachBlock>;

    /// What is in the slot of the branch that comes next, and where it goes: an instruction may be taken from the end of
    /// the code, or from the target if the branch goes behind that one.
    #[inline(always)]
    fn fill(&mut self, _cond: Option<Cond<'a, Self>>, target: Label) -> (Slot<'a, Self>, Label) {
        (Slot::<'a, Self>::default(), target)
    }

    /// Jumps to a block, unless it is the next one: the buffer would cut the jump off again.
    #[inline(always)]
    fn jump_to(&mut self, target: MachBlock) {
        if target != self.cursor().next_block() {
            let target = self.target_label(target);
            self.jump_to_label(target);
        }
    }

    /// Goes on behind inline assembly that ends its block: to the first of its targets.
    fn leave_assembly(&mut self, number: u32) {
        let targets = self.cursor().mach.tables.assembly(number).map_or(&[][..], |text| &text.targets);
        match targets {
            [behind, others @ ..] => {
                others.iter().for_each(|&target| {
                    self.target_label(target);
                });
                self.jump_to(*behind);
            }
            [] => self.fault("inline assembly that jumps goes nowhere"),
        }
    }

    /// Jumps to a label.
    #[inline(always)]
    fn jump_to_label(&mut self, target: Label) {
        let (slot, target) = self.fill(None, target);
        self.buffer().jump_with_slot(target, slot, Reach::FromLabels);
    }

    /// Jumps to a label if the condition holds.
    #[inline(always)]
    fn jump_to_label_if(&mut self, cond: Cond<'a, Self>, target: Label, reach: Reach) {
        let (slot, target) = self.fill(Some(cond), target);
        self.buffer().jump_if_with_slot(cond, target, slot, reach);
    }

    /// Branches to one of two blocks.
    #[inline(always)]
    fn branch(&mut self, cond: Cond<'a, Self>, if_true: MachBlock, if_false: MachBlock) {
        let next = self.cursor().next_block();
        let header = match if_true == next || if_false == next {
            true => self.jump_back(next),
            false => None,
        };
        // What leaves a loop for a block in front of it is no edge back.
        let other = if if_false == next { if_true } else { if_false };
        let header = header.filter(|&header| !self.is_deeper(other, header));
        let inverse = Self::Branches::invert(cond);
        if let Some(header) = header {
            let cond = if if_false == next { inverse } else { cond };
            let (header, other) = (self.target_label(header), self.target_label(other));
            self.cursor().pass_next();
            self.jump_to_label_if(cond, header, Reach::FromLabels);
            self.jump_to_label(other);
        } else if if_true == next {
            let if_false = self.target_label(if_false);
            self.jump_to_label_if(inverse, if_false, Self::REACH);
        } else {
            // If neither comes next, the one in more loops is taken in one step.
            let goes_back = if_false != next && self.is_deeper(if_false, if_true);
            let (cond, far, near) =
                if goes_back { (inverse, if_false, if_true) } else { (cond, if_true, if_false) };
            let far = self.target_label(far);
            self.jump_to_label_if(cond, far, Reach::FromLabels);
            self.jump_to(near);
        }
    }

    /// Whether `a` is in more loops than `b`.
    #[inline]
    fn is_deeper(&mut self, a: MachBlock, b: MachBlock) -> bool {
        let mach = self.cursor().mach;
        mach.loop_depth(a) > mach.loop_depth(b)
    }

    /// Where `block` jumps back to, if it has one predecessor and does nothing else.
    #[inline]
    fn jump_back(&mut self, block: MachBlock) -> Option<MachBlock> {
        let cursor = self.cursor();
        let range = cursor.mach.inst_range(block);
        let id = MachInstId::from_u32(range.start as u32);
        match &cursor.mach.insts()[range] {
            [only] => Self::jump_target(only).filter(|&to| {
                to <= cursor.block
                    && cursor.mach.body().block_preds(block).len() == 1
                    && cursor.next_edit().inst() != id
            }),
            _ => None,
        }
    }
}
