//! Terminators and switches.

use super::Emitter;
use crate::inst::Inst;
use ice_asm::x86::{Alu, Cond, Gpr, Imm, Mem, Mode, Rm, Scale, Target, Width};
use ice_asm::{Label, Listing, Reach, RelocKind, SymbolId};
use ice_codegen::CodeSymbol;
use ice_codegen::emission::{InstEmitter as _, WRONG_KIND};
use ice_codegen::mach::{MachBlock, VReg};
use ice_codegen::switch::{SwitchEmitter, TableBounds};

/// Bytes that a conditional branch over a jump claims of those counted for the two ([`size`](crate::size)):
/// a short branch and a long jump. The count is 11, so that the bound stays on the safe side.
const COUNTED_PAIR: u32 = 7;

/// Registers of a switch.
#[derive(Clone, Copy)]
pub(super) struct SwitchRegs {
    /// The value, or its low half.
    index: Gpr,
    /// The high half of a pair.
    high: Option<Gpr>,
    /// Destroyed.
    scratch: Gpr,
    /// See [`Inst::Switch`].
    table: Option<Gpr>,
    width: Width,
}

impl<L: Listing> Emitter<'_, L> {
    pub(super) fn control(&mut self, inst: &Inst) {
        match *inst {
            Inst::Jmp { target } => self.jmp(target),
            Inst::Jcc { cond, if_true, if_false } => self.jcc(cond, if_true, if_false),
            Inst::JccAnd { conds: [first, second], both, otherwise } => {
                let (both, otherwise) = (self.target_label(both), self.target_label(otherwise));
                self.e.jump_if(first.invert(), otherwise);
                self.e.jump_if(second.invert(), otherwise);
                self.e.jump(both);
            }
            Inst::Switch { switch, table, .. } => {
                let (index, scratch, table) = (self.gpr(), self.gpr(), self.switch_base(table));
                let bits = self.cursor.switches.get(switch as usize).map(|planned| planned.bits);
                let width = if bits == Some(64) { Width::B64 } else { Width::B32 };
                self.switch(switch, SwitchRegs { index, high: None, scratch, table, width });
            }
            Inst::SwitchPair { switch, table, .. } => {
                let (index, high, scratch) = (self.gpr(), self.gpr(), self.gpr());
                let table = self.switch_base(table);
                self.switch(
                    switch,
                    SwitchRegs { index, high: Some(high), scratch, table, width: Width::B32 },
                );
            }
            Inst::Ret => {
                self.cursor.operands = &[];
                self.epilogue();
            }
            Inst::Trap => self.e.ud2(),
            Inst::Unreachable => {
                self.e.ud2();
                self.e.buf.stop_flow();
            }
            _ => self.fault(WRONG_KIND),
        }
    }

    /// The buffer would cut a jump to the next block off again.
    #[inline]
    pub(super) fn jmp(&mut self, target: MachBlock) {
        if target != self.cursor.next_block() {
            let target = self.target_label(target);
            self.e.jump(target);
        }
    }

    #[inline]
    pub(super) fn jcc(&mut self, cond: Cond, if_true: MachBlock, if_false: MachBlock) {
        if let Some(header) = self.back_edge {
            let swap = if_false == self.cursor.next_block();
            let (cond, other) = if swap { (cond.invert(), if_true) } else { (cond, if_false) };
            let (header, other) = (self.target_label(header), self.target_label(other));
            self.e.jump_if(cond, header);
            self.e.jump(other);
        } else if if_true == self.cursor.next_block() {
            let if_false = self.target_label(if_false);
            self.e.jump_if_within(cond.invert(), if_false, Reach::Counted(COUNTED_PAIR));
        } else {
            let if_true = self.target_label(if_true);
            self.e.jump_if(cond, if_true);
            if if_false != self.cursor.next_block() {
                let if_false = self.target_label(if_false);
                self.e.jump(if_false);
            }
        }
    }

    fn switch_base(&mut self, table: Option<VReg>) -> Option<Gpr> {
        table.map(|_| self.gpr())
    }

    fn switch(&mut self, switch: u32, regs: SwitchRegs) {
        match self.cursor.switches.get(switch as usize) {
            Some(planned) => planned.plan.emit(self, regs),
            None => self.fault("its switch has no plan"),
        }
    }

    /// Compares the value, or one half of it, with a constant.
    fn compare_with(&mut self, regs: SwitchRegs, reg: Gpr, value: i64) {
        match i32::try_from(value) {
            Ok(0) => self.e.test_rm_r(regs.width, Rm::Reg(reg), reg),
            Ok(imm) => self.e.alu_rm_i(Alu::Cmp, regs.width, Rm::Reg(reg), Imm::from(imm)),
            Err(_) => {
                self.e.mov_r_i(regs.width, regs.scratch, value);
                self.e.alu_rm_r(Alu::Cmp, regs.width, Rm::Reg(reg), regs.scratch);
            }
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
            self.compare_with(regs, regs.index, pivot);
            return self.e.jump_if(Cond::L, target);
        };
        let not_less = self.e.buf.new_label();
        self.compare_with(regs, high, pivot >> 32);
        self.e.jump_if(Cond::L, target);
        self.e.jump_if(Cond::G, not_less);
        self.compare_with(regs, regs.index, i64::from(pivot as i32));
        self.e.jump_if(Cond::B, target);
        self.e.bind(not_less);
    }

    fn jump_if_in(&mut self, regs: SwitchRegs, low: i64, high: i64, target: MachBlock) {
        let target = self.target_label(target);
        let other = self.e.buf.new_label();
        match regs.high {
            Some(high_half) if low == high => {
                self.compare_with(regs, regs.index, i64::from(low as i32));
                self.e.jump_if(Cond::Ne, other);
                self.compare_with(regs, high_half, low >> 32);
                self.e.jump_if(Cond::E, target);
            }
            None if low == high => {
                self.compare_with(regs, regs.index, low);
                self.e.jump_if(Cond::E, target);
            }
            // 32-bit values: one unsigned comparison of the distance from the low end.
            None if regs.width == Width::B32 => {
                self.e.lea(Width::B32, regs.scratch, Mem::base(regs.index, (low as i32).wrapping_neg()));
                let distance = Imm::from(high.wrapping_sub(low) as i32);
                self.e.alu_rm_i(Alu::Cmp, Width::B32, Rm::Reg(regs.scratch), distance);
                self.e.jump_if(Cond::Be, target);
            }
            _ => {
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
        let default = self.target_label(default);
        let in_range_by_halves = regs.high.is_some() || i32::try_from(low).is_err();
        if in_range_by_halves && bounds == TableBounds::Test {
            let inside = self.e.buf.new_label();
            self.jump_if_less(regs, low, default);
            match low.checked_add(len) {
                Some(end) => self.jump_if_less(regs, end, inside),
                None => self.e.jump(inside),
            }
            self.e.jump(default);
            self.e.bind(inside);
        }
        // The index is below 2^32 from here on, or tested next.
        let minus_low = (low as i32).wrapping_neg();
        if in_range_by_halves || regs.width == Width::B32 {
            self.e.lea(Width::B32, regs.scratch, Mem::base(regs.index, minus_low));
        } else {
            self.e.mov_r_rm(regs.width, regs.scratch, Rm::Reg(regs.index));
            self.e.alu_rm_i(Alu::Sub, regs.width, Rm::Reg(regs.scratch), Imm::from(low as i32));
        }
        if !in_range_by_halves && bounds == TableBounds::Test {
            self.e.alu_rm_i(Alu::Cmp, regs.width, Rm::Reg(regs.scratch), Imm::from(len as i32));
            self.e.jump_if(Cond::Ae, default);
        }
        let Self { tables, cursor, .. } = self;
        let table = tables.push(entries.iter().map(|&block| cursor.target_label(block)));
        let symbol = CodeSymbol::JumpTable(table).pack();
        if let Some(base) = regs.table {
            return self.relative_table_jump(regs.scratch, base, symbol);
        }
        let mem = Mem::index(regs.scratch, Scale::X4, 0);
        match self.mode {
            Mode::Bits32 => {
                let mem = mem.with_target(Target::Symbol(symbol, RelocKind::Abs32));
                self.e.jmp_rm(Rm::Mem(mem));
            }
            Mode::Bits64 => {
                let mem = mem.with_target(Target::Symbol(symbol, RelocKind::Abs32S));
                self.e.mov_r_rm(Width::B32, regs.scratch, Rm::Mem(mem));
                self.e.jmp_rm(Rm::Reg(regs.scratch));
            }
        }
    }
}

impl<L: Listing> Emitter<'_, L> {
    /// Jumps to entry `index` of a table of distances: from the table's start, whose address goes to `base`
    /// (x86-64), or from the global base, which is in `base` (x86-32).
    fn relative_table_jump(&mut self, index: Gpr, base: Gpr, table: SymbolId) {
        let width = self.stack_width();
        let entry = Mem::base_index(base, index, Scale::X4, 0);
        match self.mode {
            Mode::Bits32 => {
                let entry = entry.with_target(Target::Symbol(table, RelocKind::GotOff32));
                self.e.mov_r_rm(width, index, Rm::Mem(entry));
            }
            Mode::Bits64 => {
                self.e.lea(width, base, Mem::rip(table, RelocKind::PcRel32, 0));
                self.e.movsx(index, width, Rm::Mem(entry), Width::B32);
            }
        }
        self.e.alu_rm_r(Alu::Add, width, Rm::Reg(index), base);
        self.e.jmp_rm(Rm::Reg(index));
    }
}
