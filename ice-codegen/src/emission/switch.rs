//! The code of a switch: the decisions of its plan as comparisons with constants.
//!
//! *Problem.* A [`SwitchPlan`](crate::switch::SwitchPlan) decides by ranges of 64 bits. The value may be in one register or
//! in two halves, and constants may be too wide for a comparison.
//!
//! *Contract.* [`SwitchEmitter::switch`] writes the whole tree: the recursion is as deep as the plan, 64 at most. A pair is
//! compared by halves, the high one first, signed, then the low one, unsigned.
//!
//! *What a target answers.* How a register is compared with a constant, how code goes by the answer, whether a range takes
//! a single comparison, and how an index becomes a jump.

use super::{InstEmitter, NO_PLAN};
use crate::mach::MachBlock;
use crate::switch::{MaskBits, NodeIndex, SwitchNode, TableBounds};
use ice_asm::Label;

/// How the value of a switch is to the constant that it was compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// Equal to it.
    Equal,
    /// Another.
    NotEqual,
    /// Less, signed.
    Less,
    /// Greater, signed.
    Greater,
    /// Less, unsigned.
    Below,
}

/// What of the value of a switch is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Half {
    /// The low half of a pair, or a value in one register.
    Low,
    /// The high half of a pair.
    High,
}

/// The code of each decision, which a back end writes.
pub trait SwitchEmitter<'a>: InstEmitter<'a> {
    /// The registers of a switch.
    type Regs: Copy;

    /// Whether the value is in two halves.
    fn is_pair(regs: Self::Regs) -> bool;

    /// Compares the value, or a half of it, with a constant, sign-extended from its width.
    fn compare_with(&mut self, regs: Self::Regs, half: Half, number: i64);

    /// Checks the blocks of a table, of which most are successors that are there.
    fn check_entries(&mut self, entries: &[MachBlock]) {
        for &block in entries {
            self.target_label(block);
        }
    }

    /// Goes to a label if the relation holds of what was compared last.
    fn jump_if(&mut self, relation: Relation, target: Label);

    /// Goes to `target` if the value, in one register, is in `low..=high`, which are not the same, where that takes less
    /// than two signed comparisons with `low` and behind `high`. If it does not, nothing is written and the answer is
    /// false.
    fn jump_if_between(&mut self, regs: Self::Regs, low: i64, high: i64, target: Label) -> bool;

    /// Goes to `target` if the bit of a mask is set whose number is the remainder of the value, which is in one register, modulo
    /// the number of bits.
    fn jump_if_bit(&mut self, regs: Self::Regs, mask: u64, bits: MaskBits, target: Label);

    /// Whether the bounds of a table from `low` on are tested before the index is made.
    fn tests_bounds_first(regs: Self::Regs, _low: i64) -> bool {
        Self::is_pair(regs)
    }

    /// Goes to the entry of a table that the value, less `low`, is the index of; else to `default`.
    fn jump_by_table(
        &mut self,
        regs: Self::Regs,
        low: i64,
        entries: &[MachBlock],
        default: MachBlock,
        bounds: TableBounds,
    );

    /// Writes the whole tree of a switch.
    fn switch(&mut self, switch: u32, regs: Self::Regs) {
        match self.cursor().mach.tables.switch(switch) {
            Some(planned) => self.node(&planned.plan.nodes, &planned.plan.entries, 0, regs),
            None => self.fault(NO_PLAN),
        }
    }

    /// Writes a node and what hangs under it.
    fn node(
        &mut self,
        nodes: &'a [SwitchNode<MachBlock>],
        entries: &'a [MachBlock],
        node: NodeIndex,
        regs: Self::Regs,
    ) {
        self.make_room();
        match nodes[node as usize] {
            SwitchNode::Goto(target) => {
                let target = self.target_label(target);
                self.buffer().jump(target);
            }
            SwitchNode::Less { pivot, below, mut otherwise } => {
                let lower = self.buffer().new_label();
                self.jump_if_less(regs, pivot, lower);
                // What has been compared tells whether the value is equal as well.
                if let SwitchNode::Range { low, high, target, otherwise: next } = nodes[otherwise as usize]
                    && low == pivot
                    && high == pivot
                    && !Self::is_pair(regs)
                {
                    let target = self.target_label(target);
                    self.jump_if(Relation::Equal, target);
                    otherwise = next;
                }
                self.node(nodes, entries, otherwise, regs);
                self.buffer().bind(lower);
                self.node(nodes, entries, below, regs);
            }
            SwitchNode::Range { low, high, target, otherwise } => {
                let target = self.target_label(target);
                self.jump_if_in(regs, low, high, target);
                self.node(nodes, entries, otherwise, regs);
            }
            SwitchNode::Within { low, high, inside: node, outside } => {
                let (inside, outside) = (self.buffer().new_label(), self.target_label(outside));
                self.jump_if_in(regs, low, high, inside);
                self.buffer().jump(outside);
                self.buffer().bind(inside);
                self.node(nodes, entries, node, regs);
            }
            SwitchNode::Bits { mask, bits, target, otherwise } => {
                let target = self.target_label(target);
                self.jump_if_bit(regs, mask, bits, target);
                self.node(nodes, entries, otherwise, regs);
            }
            SwitchNode::Table { low, start, len, default, mut bounds } => {
                if bounds == TableBounds::Test && Self::tests_bounds_first(regs, low) {
                    self.test_bounds(regs, low, len, default);
                    bounds = TableBounds::Known;
                }
                let entries = &entries[start as usize..(start + len) as usize];
                self.jump_by_table(regs, low, entries, default, bounds);
            }
        }
    }

    /// Goes to `target` if the value is below `pivot`, signed.
    fn jump_if_less(&mut self, regs: Self::Regs, pivot: i64, target: Label) {
        if !Self::is_pair(regs) {
            self.compare_with(regs, Half::Low, pivot);
            return self.jump_if(Relation::Less, target);
        }
        let not_less = self.buffer().new_label();
        self.compare_with(regs, Half::High, pivot >> 32);
        self.jump_if(Relation::Less, target);
        self.jump_if(Relation::Greater, not_less);
        self.compare_with(regs, Half::Low, i64::from(pivot as i32));
        self.jump_if(Relation::Below, target);
        self.buffer().bind(not_less);
    }

    /// Goes to `target` if the value is in `low..=high`.
    fn jump_if_in(&mut self, regs: Self::Regs, low: i64, high: i64, target: Label) {
        match Self::is_pair(regs) {
            false if low == high => {
                self.compare_with(regs, Half::Low, low);
                self.jump_if(Relation::Equal, target);
            }
            true if low == high => {
                let other = self.buffer().new_label();
                self.compare_with(regs, Half::Low, i64::from(low as i32));
                self.jump_if(Relation::NotEqual, other);
                self.compare_with(regs, Half::High, low >> 32);
                self.jump_if(Relation::Equal, target);
                self.buffer().bind(other);
            }
            false if self.jump_if_between(regs, low, high, target) => {}
            _ => {
                let other = self.buffer().new_label();
                self.jump_if_less(regs, low, other);
                self.jump_if_up_to(regs, high, target);
                self.buffer().bind(other);
            }
        }
    }

    /// Goes to `default` unless the value is one of the `len` from `low` on.
    fn test_bounds(&mut self, regs: Self::Regs, low: i64, len: u32, default: MachBlock) {
        let default = self.target_label(default);
        let inside = self.buffer().new_label();
        self.jump_if_less(regs, low, default);
        self.jump_if_up_to(regs, low.wrapping_add(i64::from(len) - 1), inside);
        self.buffer().jump(default);
        self.buffer().bind(inside);
    }

    /// Goes to `target` if the value is not above `high`, signed.
    fn jump_if_up_to(&mut self, regs: Self::Regs, high: i64, target: Label) {
        match high.checked_add(1) {
            Some(end) => self.jump_if_less(regs, end, target),
            None => self.buffer().jump(target),
        }
    }
}
