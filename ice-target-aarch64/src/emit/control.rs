//! Branches and switches.
//!
//! A table of a switch has the distances of its targets from its start.

use super::Emitter;
use crate::inst::Inst;
use ice_asm::aarch64::{
    Alu, ArithImm, BranchCond, Compare, Cond, Extend, Gpr, Mem, Offset, Transfer, Two, Width,
};
use ice_asm::{Label, Listing};
use ice_codegen::CodeSymbol;
use ice_codegen::emission::{BranchEmitter, Half, InstEmitter as _, Relation, SwitchEmitter, label};
use ice_codegen::mach::MachBlock;
use ice_codegen::switch::{MaskBits, TableBounds};

/// Registers of a switch.
#[derive(Clone, Copy)]
pub(super) struct SwitchRegs {
    /// The value.
    index: Gpr,
    /// How wide it is.
    width: Width,
    /// One that may be destroyed.
    scratch: Gpr,
}

impl<L: Listing> Emitter<'_, L> {
    pub(super) fn branch_on(&mut self, cond: BranchCond, if_true: MachBlock, if_false: MachBlock) {
        self.branch(cond, if_true, if_false);
    }

    /// A switch on the value in `index`.
    pub(super) fn planned_switch(&mut self, switch: u32, width: Width, [index, scratch]: [Gpr; 2]) {
        self.switch(switch, SwitchRegs { index, width, scratch });
    }

    /// Compares a register with a number, with its sign above it.
    fn compare_number(&mut self, width: Width, reg: Gpr, number: i64) {
        let op = if number < 0 { Compare::Cmn } else { Compare::Cmp };
        match ArithImm::new(number.unsigned_abs()) {
            Some(imm) => self.e.compare(op, width, reg, imm),
            None => {
                self.e.mov_number(width, Gpr::IP0, number as u64);
                self.e.compare(Compare::Cmp, width, reg, Gpr::IP0);
            }
        }
    }

    /// The register with `index - low`: that of the index, or x17.
    fn distance(&mut self, regs: SwitchRegs, low: i64) -> Gpr {
        if low == 0 {
            return regs.index;
        }
        let (op, dst) = (if low < 0 { Alu::Add } else { Alu::Sub }, Gpr::IP1);
        match ArithImm::new(low.unsigned_abs()) {
            Some(imm) => self.e.alu(op, regs.width, dst, regs.index, imm),
            None => {
                self.e.mov_number(regs.width, Gpr::IP0, low as u64);
                self.e.alu(Alu::Sub, regs.width, dst, regs.index, Gpr::IP0);
            }
        }
        dst
    }

    /// Jumps to the address of a label.
    pub(super) fn jump_indirect(&mut self, to: Gpr) {
        for &(_, block) in &self.cursor.mach.tables.labels {
            self.e.buf.pin(label(block));
        }
        self.e.jump_reg(to);
        self.e.buf.stop_flow();
    }
}

impl<'a, L: Listing> SwitchEmitter<'a> for Emitter<'a, L> {
    type Regs = SwitchRegs;

    fn is_pair(_: SwitchRegs) -> bool {
        false
    }

    fn compare_with(&mut self, regs: SwitchRegs, _: Half, number: i64) {
        self.compare_number(regs.width, regs.index, number);
    }

    fn jump_if(&mut self, relation: Relation, target: Label) {
        let cond = match relation {
            Relation::Equal => Cond::Eq,
            Relation::NotEqual => Cond::Ne,
            Relation::Less => Cond::Lt,
            Relation::Greater => Cond::Gt,
            Relation::Below => Cond::Lo,
        };
        self.e.jump_if(BranchCond::Flags(cond), target);
    }

    /// One unsigned comparison of the distance from the low end.
    fn jump_if_between(&mut self, regs: SwitchRegs, low: i64, high: i64, target: Label) -> bool {
        let count = high.wrapping_sub(low);
        if !(0..4096).contains(&count) {
            return false;
        }
        let distance = self.distance(regs, low);
        self.compare_number(regs.width, distance, count);
        self.e.jump_if(BranchCond::Flags(Cond::Ls), target);
        true
    }

    fn jump_if_bit(&mut self, regs: SwitchRegs, mask: u64, bits: MaskBits, target: Label) {
        let width = match bits {
            MaskBits::B32 => Width::W,
            MaskBits::B64 => Width::X,
        };
        self.e.mov_number(width, Gpr::IP0, mask);
        self.e.two(Two::Lsr, width, Gpr::IP0, Gpr::IP0, regs.index);
        self.e.jump_if(BranchCond::BitOne(Gpr::IP0, 0), target);
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
        let (scratch, at) = (regs.scratch, Gpr::IP1);
        let distance = self.distance(regs, low);
        if bounds == TableBounds::Test {
            self.compare_number(regs.width, distance, entries.len() as i64);
            let default = self.target_label(default);
            self.e.jump_if(BranchCond::Flags(Cond::Hs), default);
        }
        let table = CodeSymbol::JumpTable(self.tables.push(entries.iter().map(|&block| label(block)))).pack();
        self.mov_symbol(scratch, table, 0);
        // A distance of 32 bits has zeros above it.
        let offset = match regs.width {
            Width::W => Offset::Reg(distance, Extend::Uxtw, true),
            Width::X => Offset::Reg(distance, Extend::Uxtx, true),
        };
        self.e.transfer(Transfer::Ldrsw, at, Mem { base: scratch, offset });
        self.e.alu(Alu::Add, Width::X, at, at, scratch);
        self.e.jump_reg(at);
        self.e.buf.stop_flow();
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
