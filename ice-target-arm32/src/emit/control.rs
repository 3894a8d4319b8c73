//! Terminators and switches.
//!
//! A table of a switch is a row of branches in the code: the index, two bits to the left, is added to pc.

use super::{AL, Emitter, TRAP};
use crate::inst::Inst;
use ice_asm::arm32::{Alu, Compare, Cond, Flags, Gpr, ModImm, Operand2, Shift};
use ice_asm::{Label, Listing};
use ice_codegen::emission::{InstEmitter as _, label};
use ice_codegen::mach::MachBlock;
use ice_codegen::switch::{SwitchEmitter, TableBounds};

/// A fault: a block ends with it.
const NO_TERMINATOR: &str = "it ends a block and is no terminator";

/// Registers of a switch.
#[derive(Clone, Copy)]
pub(super) struct SwitchRegs {
    /// The value, or its low half.
    index: Gpr,
    /// The high half of a pair.
    high: Option<Gpr>,
}

impl<L: Listing> Emitter<'_, L> {
    pub(super) fn control(&mut self, inst: &Inst) {
        match *inst {
            // The buffer would cut a jump to the next block off again.
            Inst::Jump { target } if target == self.cursor.next_block() => {}
            Inst::Jump { target } => {
                let target = self.target_label(target);
                self.e.jump(target);
            }
            Inst::Branch { cond, or: None, if_true, if_false } if self.predicate(cond, if_true, if_false) => {
            }
            Inst::Branch { cond, or: None, if_true, if_false } if if_true == self.cursor.next_block() => {
                let if_false = self.target_label(if_false);
                self.e.jump_if(cond.invert(), if_false);
            }
            // Back to the start of a loop in one step.
            Inst::Branch { cond, or: None, if_true, if_false }
                if if_true != self.cursor.next_block() && self.goes_round(if_false, if_true) =>
            {
                let (if_true, if_false) = (self.target_label(if_true), self.target_label(if_false));
                self.e.jump_if(cond.invert(), if_false);
                self.e.jump(if_true);
            }
            Inst::Branch { cond, or, if_true, if_false } => {
                let if_true = self.target_label(if_true);
                self.e.jump_if(cond, if_true);
                if let Some(cond) = or {
                    self.e.jump_if(cond, if_true);
                }
                if if_false != self.cursor.next_block() {
                    let if_false = self.target_label(if_false);
                    self.e.jump(if_false);
                }
            }
            Inst::Switch { switch, .. } => {
                self.cursor.take_operands();
                let index = self.gpr();
                self.switch(switch, SwitchRegs { index, high: None });
            }
            Inst::SwitchPair { switch, .. } => {
                self.cursor.take_operands();
                let (index, high) = (self.gpr(), self.gpr());
                self.switch(switch, SwitchRegs { index, high: Some(high) });
            }
            Inst::Ret => self.epilogue(),
            Inst::Trap => self.e.udf(TRAP),
            Inst::Unreachable => {
                self.e.udf(TRAP);
                self.e.buf.stop_flow();
            }
            _ => self.fault(NO_TERMINATOR),
        }
    }

    /// Whether a branch goes back to `target` as long as a loop lasts, and to `other` once.
    pub(super) fn goes_round(&self, target: MachBlock, other: MachBlock) -> bool {
        let depths = [target, other].map(|block| self.cursor.mach.loop_depth(block));
        target <= self.cursor.block && (other > self.cursor.block || depths[0] > depths[1])
    }

    fn switch(&mut self, switch: u32, regs: SwitchRegs) {
        self.room_for_switch(switch);
        match self.cursor.switches.get(switch as usize) {
            Some(planned) => planned.plan.emit(self, regs),
            None => self.fault("its switch has no plan"),
        }
    }

    /// Compares a register with a constant.
    fn compare_with(&mut self, reg: Gpr, value: u32) {
        if let Some(imm) = ModImm::new(value) {
            self.e.compare(AL, Compare::Cmp, reg, imm);
        } else if let Some(imm) = ModImm::new(value.wrapping_neg()) {
            self.e.compare(AL, Compare::Cmn, reg, imm);
        } else {
            self.e.mov_u32(AL, Gpr::IP, value);
            self.e.compare(AL, Compare::Cmp, reg, Gpr::IP);
        }
    }
}

impl<L: Listing> SwitchEmitter<MachBlock> for Emitter<'_, L> {
    type Regs = SwitchRegs;

    fn new_label(&mut self) -> Label {
        self.e.buf.new_label()
    }

    fn bind(&mut self, label: Label) {
        self.e.bind(label);
    }

    fn jump(&mut self, target: MachBlock) {
        let target = self.target_label(target);
        self.e.jump(target);
    }

    fn jump_if_less(&mut self, regs: SwitchRegs, pivot: i64, target: Label) {
        let Some(high) = regs.high else {
            self.compare_with(regs.index, pivot as u32);
            return self.e.jump_if(Cond::Lt, target);
        };
        let not_less = self.e.buf.new_label();
        self.compare_with(high, (pivot >> 32) as u32);
        self.e.jump_if(Cond::Lt, target);
        self.e.jump_if(Cond::Gt, not_less);
        self.compare_with(regs.index, pivot as u32);
        self.e.jump_if(Cond::Lo, target);
        self.e.bind(not_less);
    }

    fn jump_if_in(&mut self, regs: SwitchRegs, low: i64, high: i64, target: MachBlock) {
        let target = self.target_label(target);
        let other = self.e.buf.new_label();
        match regs.high {
            Some(high_half) if low == high => {
                self.compare_with(regs.index, low as u32);
                self.e.jump_if(Cond::Ne, other);
                self.compare_with(high_half, (low >> 32) as u32);
                self.e.jump_if(Cond::Eq, target);
            }
            None if low == high => {
                self.compare_with(regs.index, low as u32);
                self.e.jump_if(Cond::Eq, target);
            }
            // One unsigned comparison of the distance from the low end, if ip is free for the distance.
            None if can_compare((high - low) as u32) => {
                self.add_offset(Gpr::IP, regs.index, (low as i32).wrapping_neg());
                self.compare_with(Gpr::IP, (high - low) as u32);
                self.e.jump_if(Cond::Ls, target);
            }
            None => {
                self.jump_if_less(regs, low, other);
                self.compare_with(regs.index, high as u32);
                self.e.jump_if(Cond::Le, target);
            }
            Some(_) => {
                self.jump_if_less(regs, low, other);
                match high.checked_add(1) {
                    Some(end) => self.jump_if_less(regs, end, target),
                    None => self.e.jump(target),
                }
            }
        }
        self.e.bind(other);
    }

    fn jump_by_table(
        &mut self,
        regs: SwitchRegs,
        low: i64,
        entries: &[MachBlock],
        default: MachBlock,
        bounds: TableBounds,
    ) {
        let len = entries.len() as i64;
        // All blocks that a table has are asked for, though most are successors that are there.
        entries.iter().for_each(|&block| {
            self.target_label(block);
        });
        let default = self.target_label(default);
        if regs.high.is_some() && bounds == TableBounds::Test {
            let inside = self.e.buf.new_label();
            self.jump_if_less(regs, low, default);
            match low.checked_add(len) {
                Some(end) => self.jump_if_less(regs, end, inside),
                None => self.e.jump(inside),
            }
            self.e.jump(default);
            self.e.bind(inside);
        }
        // pc is two instructions ahead: the branches begin behind the one for what is out of the table.
        let index = match low {
            0 => regs.index,
            _ => {
                self.add_offset(Gpr::IP, regs.index, (low as i32).wrapping_neg());
                Gpr::IP
            }
        };
        let is_tested = regs.high.is_none() && bounds == TableBounds::Test;
        let mut bound = len as u32;
        if is_tested {
            while !can_compare(bound) {
                bound += 1;
            }
            self.compare_with(index, bound);
        }
        let cond = if is_tested { Cond::Lo } else { AL };
        let step = Operand2::Shift(index, Shift::Lsl, 2);
        self.e.alu(cond, Alu::Add, Flags::Keep, Gpr::PC, Gpr::PC, step);
        let rest = (len as u32..bound).map(|_| default);
        let targets = core::iter::once(default).chain(entries.iter().copied().map(label)).chain(rest);
        self.e.buf.emit_branch_table(targets);
    }
}

/// Whether a comparison with the number needs no register for it.
fn can_compare(number: u32) -> bool {
    ModImm::new(number).is_some() || ModImm::new(number.wrapping_neg()).is_some()
}
