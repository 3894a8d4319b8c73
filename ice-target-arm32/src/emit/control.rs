//! Terminators and switches.
//!
//! A table of a switch is a row of branches in the code: the index, two bits to the left, is added to pc. That of confined
//! code is one of addresses.

use super::{AL, Emitter, TRAP};
use crate::fuse::predicate::goes_round;
use crate::inst::{Callee, Inst};
use ice_asm::arm32::{Alu, Compare, Cond, Flags, Gpr, ModImm, Move, Operand2, Shift};
use ice_asm::{Label, Listing};
use ice_codegen::CodeSymbol;
use ice_codegen::emission::{BranchEmitter, Half, InstEmitter as _, Relation, SwitchEmitter, label};
use ice_codegen::mach::MachBlock;
use ice_codegen::switch::{MaskBits, TableBounds};

/// Registers of a switch.
#[derive(Clone, Copy)]
pub(super) struct SwitchRegs {
    /// The value, or its low half.
    index: Gpr,
    /// The high half of a pair.
    high: Option<Gpr>,
}

impl<L: Listing> Emitter<'_, L> {
    pub(super) fn branch_on(
        &mut self,
        cond: Cond,
        or: Option<Cond>,
        if_true: MachBlock,
        if_false: MachBlock,
    ) {
        if or.is_none() && self.branch_once(cond, if_true, if_false) {
            return;
        }
        let if_true = self.target_label(if_true);
        self.e.jump_if(cond, if_true);
        if let Some(cond) = or {
            self.e.jump_if(cond, if_true);
        }
        self.jump_to(if_false);
    }

    /// A branch that is shorter, or goes round in fewer steps, than one to `if_true` and a jump; says whether there is one.
    fn branch_once(&mut self, cond: Cond, if_true: MachBlock, if_false: MachBlock) -> bool {
        if self.predicate(cond, if_true, if_false) {
            return true;
        }
        let is_next = if_true == self.cursor.next_block();
        if !is_next && !goes_round(self.cursor.mach, self.cursor.block, if_false, if_true) {
            return false;
        }
        let if_false = self.target_label(if_false);
        self.e.jump_if(cond.invert(), if_false);
        if !is_next {
            let if_true = self.target_label(if_true);
            self.e.jump(if_true);
        }
        true
    }

    /// A switch on the value in `index`, or with `high` above it.
    pub(super) fn planned_switch(&mut self, switch: u32, index: Gpr, high: Option<Gpr>) {
        self.room_for_switch(switch);
        self.switch(switch, SwitchRegs { index, high });
    }

    /// A call that ends its block, whose exceptions go to a pad, which wants what the function's pad of a number says.
    pub(super) fn invoke(&mut self, callee: Callee, normal: MachBlock, (pad, clauses): (MachBlock, u32)) {
        self.target_label(pad);
        let start = self.e.buf.offset();
        self.call(callee);
        let (end, size) = (self.e.buf.note_end(), self.e.buf.offset() - start);
        self.sites.note(end, size, pad, clauses);
        self.jump_to(normal);
    }

    pub(super) fn unreachable(&mut self) {
        self.e.udf(TRAP);
        self.e.buf.stop_flow();
    }

    /// The register with the value less `low`: its own, or ip.
    fn distance(&mut self, regs: SwitchRegs, low: i64) -> Gpr {
        if low == 0 {
            return regs.index;
        }
        self.add_offset(Gpr::IP, regs.index, (low as i32).wrapping_neg());
        Gpr::IP
    }

    /// Compares a register with a constant.
    fn compare_number(&mut self, reg: Gpr, value: u32) {
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

impl<'a, L: Listing> BranchEmitter<'a> for Emitter<'a, L> {
    fn jump_target(inst: &Inst) -> Option<MachBlock> {
        match *inst {
            Inst::Jump { target } => Some(target),
            _ => None,
        }
    }
}

impl<'a, L: Listing> SwitchEmitter<'a> for Emitter<'a, L> {
    type Regs = SwitchRegs;

    fn is_pair(regs: SwitchRegs) -> bool {
        regs.high.is_some()
    }

    fn jump_if(&mut self, relation: Relation, target: Label) {
        let cond = match relation {
            Relation::Equal => Cond::Eq,
            Relation::NotEqual => Cond::Ne,
            Relation::Less => Cond::Lt,
            Relation::Greater => Cond::Gt,
            Relation::Below => Cond::Lo,
        };
        self.buffer().jump_if(cond, target);
    }

    fn compare_with(&mut self, regs: SwitchRegs, half: Half, number: i64) {
        let reg = regs.high.filter(|_| half == Half::High).unwrap_or(regs.index);
        self.compare_number(reg, number as u32);
    }

    /// One unsigned comparison of the distance from the low end, if ip is free for the distance.
    fn jump_if_between(&mut self, regs: SwitchRegs, low: i64, high: i64, target: Label) -> bool {
        if can_compare((high - low) as u32) {
            let distance = self.distance(regs, low);
            self.compare_number(distance, (high - low) as u32);
            self.e.jump_if(Cond::Ls, target);
        } else {
            let other = self.e.buf.new_label();
            self.jump_if_less(regs, low, other);
            self.compare_number(regs.index, high as u32);
            self.e.jump_if(Cond::Le, target);
            self.e.bind(other);
        }
        true
    }

    /// The bit comes to be the sign.
    fn jump_if_bit(&mut self, regs: SwitchRegs, mask: u64, _: MaskBits, target: Label) {
        self.e.mov_u32(AL, Gpr::IP, (mask as u32).rotate_right(1));
        let turned = Operand2::ShiftReg(Gpr::IP, Shift::Ror, regs.index);
        self.e.mov(AL, Move::Mov, Flags::Set, Gpr::IP, turned);
        self.e.jump_if(Cond::Mi, target);
    }

    fn jump_by_table(
        &mut self,
        regs: SwitchRegs,
        low: i64,
        entries: &[MachBlock],
        default: MachBlock,
        bounds: TableBounds,
    ) {
        self.check_entries(entries);
        let default = self.target_label(default);
        // pc is two instructions ahead: the branches begin behind the one for what is out of the table.
        let index = self.distance(regs, low);
        let is_tested = bounds == TableBounds::Test;
        let len = entries.len() as u32;
        let mut bound = len;
        if is_tested {
            while !can_compare(bound) {
                bound += 1;
            }
            self.compare_number(index, bound);
        }
        let cond = if is_tested { Cond::Lo } else { AL };
        let rest = (len..bound).map(|_| default);
        let targets = entries.iter().copied().map(label).chain(rest);
        if self.is_confined {
            if is_tested {
                self.e.jump_if(Cond::Hs, default);
            }
            let table = CodeSymbol::JumpTable(self.tables.push(targets)).pack();
            return self.confined_table_jump(regs.index, low, table);
        }
        let step = Operand2::Shift(index, Shift::Lsl, 2);
        self.e.alu(cond, Alu::Add, Flags::Keep, Gpr::PC, Gpr::PC, step);
        self.e.buf.emit_branch_table(core::iter::once(default).chain(targets));
    }
}

/// Whether a comparison with the number needs no register for it.
fn can_compare(number: u32) -> bool {
    ModImm::new(number).is_some() || ModImm::new(number.wrapping_neg()).is_some()
}
