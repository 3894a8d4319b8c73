//! Branches and switches.
//!
//! A table of a switch has addresses of code, or their distances from the table where code is position-independent.

use super::Emitter;
use crate::inst::Inst;
use ice_asm::mips32::{Alu, AluSigned, Cond, Gpr, Imm, Mem, Shift, ShiftBy, Slot, Transfer};
use ice_asm::{Label, Listing, RelocKind};
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
    /// One that may be destroyed.
    scratch: Gpr,
    /// The linker's table.
    base: Option<Gpr>,
}

/// What is compared: there are no flags, so that the jump makes the comparison.
#[derive(Clone, Copy)]
pub(super) struct Compared {
    reg: Gpr,
    number: i32,
}

impl<L: Listing> Emitter<'_, L> {
    pub(super) fn branch_on(&mut self, cond: Cond, if_true: MachBlock, if_false: MachBlock) {
        self.branch(cond, if_true, if_false);
    }

    /// A switch on the value in `index`, or with `high` above it.
    pub(super) fn planned_switch(
        &mut self,
        switch: u32,
        [index, scratch]: [Gpr; 2],
        high: Option<Gpr>,
        base: Option<Gpr>,
    ) {
        self.switch(switch, SwitchRegs { index, high, scratch, base });
    }

    fn go_if(&mut self, cond: Cond, target: Label) {
        let (slot, target) = self.e.fill_branch(Some(cond), target);
        self.e.branch(Some(cond), target, slot);
    }

    /// `dst` = whether `lhs` is less than the number.
    fn less(&mut self, op: (Alu, AluSigned), dst: Gpr, lhs: Gpr, number: i32) {
        match i16::try_from(number) {
            Ok(imm) => self.e.alu_signed(op.1, dst, lhs, i32::from(imm)),
            Err(_) => {
                self.e.load_number(dst, number as u32);
                self.e.alu(op.0, dst, lhs, dst);
            }
        }
    }

    /// The register with the value less `low`: its own, or `$at`.
    fn distance(&mut self, regs: SwitchRegs, low: i64) -> Gpr {
        if low == 0 {
            return regs.index;
        }
        self.add_offset(Gpr::AT, regs.index, (low as i32).wrapping_neg());
        Gpr::AT
    }

    /// The condition that a register is less than the number.
    fn if_less(&mut self, reg: Gpr, number: i32) -> Cond {
        match number {
            0 => Cond::Ltz(reg),
            1 => Cond::Lez(reg),
            _ => {
                self.less(SIGNED, Gpr::AT, reg, number);
                Cond::Ne(Gpr::AT, Gpr::ZERO)
            }
        }
    }
}

const SIGNED: (Alu, AluSigned) = (Alu::Slt, AluSigned::Slti);
const UNSIGNED: (Alu, AluSigned) = (Alu::Sltu, AluSigned::Sltiu);

impl<'a, L: Listing> SwitchEmitter<'a> for Emitter<'a, L> {
    type Regs = SwitchRegs;

    fn is_pair(regs: SwitchRegs) -> bool {
        regs.high.is_some()
    }

    fn compare_with(&mut self, regs: SwitchRegs, half: Half, number: i64) {
        let reg = regs.high.filter(|_| half == Half::High).unwrap_or(regs.index);
        self.compared = Some(Compared { reg, number: number as i32 });
    }

    fn jump_if(&mut self, relation: Relation, target: Label) {
        let Some(Compared { reg, number }) = self.compared else {
            return self.fault("a decision has nothing to decide by");
        };
        let cond = match relation {
            Relation::Equal | Relation::NotEqual => {
                let other = match number {
                    0 => Gpr::ZERO,
                    _ => {
                        self.e.load_number(Gpr::AT, number as u32);
                        Gpr::AT
                    }
                };
                if relation == Relation::Equal { Cond::Eq(reg, other) } else { Cond::Ne(reg, other) }
            }
            Relation::Less => self.if_less(reg, number),
            Relation::Greater => match number.checked_add(1) {
                Some(end) => self.if_less(reg, end).invert(),
                // Nothing is.
                None => return,
            },
            Relation::Below => {
                self.less(UNSIGNED, Gpr::AT, reg, number);
                Cond::Ne(Gpr::AT, Gpr::ZERO)
            }
        };
        self.go_if(cond, target);
    }

    /// One unsigned comparison of the distance from the low end.
    fn jump_if_between(&mut self, regs: SwitchRegs, low: i64, high: i64, target: Label) -> bool {
        let Ok(count) = i16::try_from(high - low + 1) else { return false };
        let distance = self.distance(regs, low);
        self.e.alu_signed(AluSigned::Sltiu, Gpr::AT, distance, i32::from(count));
        self.go_if(Cond::Ne(Gpr::AT, Gpr::ZERO), target);
        true
    }

    /// The bit comes to be the sign.
    fn jump_if_bit(&mut self, regs: SwitchRegs, mask: u64, _: MaskBits, target: Label) {
        self.e.load_number(Gpr::AT, (mask as u32).reverse_bits());
        self.e.shift_by(ShiftBy::Sllv, Gpr::AT, Gpr::AT, regs.index);
        self.go_if(Cond::Ltz(Gpr::AT), target);
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
        let (scratch, at) = (regs.scratch, Gpr::AT);
        let index = self.distance(regs, low);
        if bounds == TableBounds::Test {
            self.less(UNSIGNED, scratch, index, entries.len() as i32);
            let default = self.target_label(default);
            self.go_if(Cond::Eq(scratch, Gpr::ZERO), default);
        }
        entries.iter().for_each(|&block| self.e.buf.pin(label(block)));
        let table = CodeSymbol::JumpTable(self.tables.push(entries.iter().map(|&block| label(block)))).pack();
        self.e.shift(Shift::Sll, at, index, 2);
        match regs.base {
            None => {
                self.e.lui(scratch, Imm::high(table, 0));
                self.e.alu(Alu::Addu, at, at, scratch);
                self.transfer(Transfer::Lw, at, Mem { base: at, offset: Imm::low(table, 0) });
            }
            Some(base) => {
                let page = Mem { base, offset: Imm::Symbol(RelocKind::MipsGot16, table, 0) };
                self.e.transfer(Transfer::Lw, scratch, page);
                self.e.alu_signed(AluSigned::Addiu, scratch, scratch, Imm::low(table, 0));
                self.e.alu(Alu::Addu, at, at, scratch);
                self.e.transfer(Transfer::Lw, at, Mem::new(at, 0));
                self.e.alu(Alu::Addu, at, at, scratch);
            }
        }
        self.jump_register(at);
    }
}

impl<L: Listing> Emitter<'_, L> {
    /// Jumps to the address of a label.
    pub(super) fn jump_indirect(&mut self, to: Gpr) {
        for &(_, block) in &self.cursor.mach.tables.labels {
            self.e.buf.pin(label(block));
        }
        self.jump_register(to);
    }
}

impl<'a, L: Listing> BranchEmitter<'a> for Emitter<'a, L> {
    fn jump_target(inst: &Inst) -> Option<MachBlock> {
        match *inst {
            Inst::Jump { target } => Some(target),
            _ => None,
        }
    }

    #[inline(always)]
    fn fill(&mut self, cond: Option<Cond>, target: Label) -> (Slot, Label) {
        self.e.fill_branch(cond, target)
    }
}
