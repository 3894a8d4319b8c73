//! Terminators and switches.

use super::Emitter;
use crate::inst::{Callee, Inst};
use ice_asm::x86::{Alu, BitTest, Cond, Gpr, Imm, Mem, Mode, Rm, Scale, Target, Width};
use ice_asm::{Label, Listing, Reach, RelocKind, SymbolId};
use ice_codegen::emission::{BranchEmitter, Half, InstEmitter as _, Relation, SwitchEmitter};
use ice_codegen::mach::MachBlock;
use ice_codegen::switch::{MaskBits, TableBounds};
use ice_codegen::{CodeModel, CodeSymbol};

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
    /// See [`Inst::Switch`](crate::inst::Inst::Switch).
    table: Option<Gpr>,
    width: Width,
}

impl<L: Listing> Emitter<'_, L> {
    pub(super) fn jcc_and(&mut self, [first, second]: [Cond; 2], both: MachBlock, otherwise: MachBlock) {
        let (both, otherwise) = (self.target_label(both), self.target_label(otherwise));
        self.e.jump_if(first.invert(), otherwise);
        self.e.jump_if(second.invert(), otherwise);
        self.e.jump(both);
    }

    pub(super) fn unreachable(&mut self) {
        self.e.ud2();
        self.e.buf.stop_flow();
    }

    /// A call that ends its block, whose exceptions go to a pad, which wants what the function's pad of a number says.
    pub(super) fn invoke(
        &mut self,
        callee: Callee,
        popped: u16,
        normal: MachBlock,
        (pad, clauses): (MachBlock, u32),
    ) {
        self.target_label(pad);
        let start = self.e.buf.offset();
        self.call(callee, popped);
        let (end, size) = (self.e.buf.note_end(), self.e.buf.offset() - start);
        self.sites.note(end, size, pad, clauses);
        self.jump_to(normal);
    }

    /// A switch on the value in `index`, or with `high` above it.
    pub(super) fn planned_switch(
        &mut self,
        switch: u32,
        index: Gpr,
        high: Option<Gpr>,
        scratch: Gpr,
        table: Option<Gpr>,
    ) {
        let bits = self.cursor.mach.tables.switch(switch).map(|planned| planned.bits);
        let width = if bits == Some(64) && high.is_none() { Width::B64 } else { Width::B32 };
        self.switch(switch, SwitchRegs { index, high, scratch, table, width });
    }
}

impl<'a, L: Listing> BranchEmitter<'a> for Emitter<'a, L> {
    const REACH: Reach = Reach::Counted(COUNTED_PAIR);

    #[inline(always)]
    fn jump_target(inst: &Inst) -> Option<MachBlock> {
        match *inst {
            Inst::Jmp { target } => Some(target),
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
            Relation::Equal => Cond::E,
            Relation::NotEqual => Cond::Ne,
            Relation::Less => Cond::L,
            Relation::Greater => Cond::G,
            Relation::Below => Cond::B,
        };
        self.buffer().jump_if(cond, target);
    }

    fn compare_with(&mut self, regs: SwitchRegs, half: Half, number: i64) {
        let reg = regs.high.filter(|_| half == Half::High).unwrap_or(regs.index);
        match i32::try_from(number) {
            Ok(0) => self.e.test_rm_r(regs.width, Rm::Reg(reg), reg),
            Ok(imm) if self.is_open(number) => {
                self.e.alu_rm_i(Alu::Cmp, regs.width, Rm::Reg(reg), Imm::from(imm));
            }
            _ => {
                match self.cookie {
                    None => self.e.mov_r_i(regs.width, regs.scratch, number),
                    Some(_) => self.hidden(regs.width, regs.scratch, None, number),
                }
                self.e.alu_rm_r(Alu::Cmp, regs.width, Rm::Reg(reg), regs.scratch);
            }
        }
    }

    /// One unsigned comparison of the distance from the low end, if both are numbers of 32 bits.
    fn jump_if_between(&mut self, regs: SwitchRegs, low: i64, high: i64, target: Label) -> bool {
        let SwitchRegs { index, scratch, width, .. } = regs;
        let distance = high.wrapping_sub(low);
        let is_near =
            || i32::try_from(low).is_ok_and(|low| low != i32::MIN) && (0..1 << 31).contains(&distance);
        if width == Width::B64 && !is_near() || !self.is_open(low) || !self.is_open(distance) {
            return false;
        }
        let compared = if low == 0 { index } else { scratch };
        if low != 0 {
            self.e.lea(width, scratch, Mem::base(index, (low as i32).wrapping_neg()));
        }
        self.e.alu_rm_i(Alu::Cmp, width, Rm::Reg(compared), Imm::from(distance as i32));
        self.e.jump_if(Cond::Be, target);
        true
    }

    fn jump_if_bit(&mut self, regs: SwitchRegs, mask: u64, bits: MaskBits, target: Label) {
        let SwitchRegs { index, scratch, .. } = regs;
        let (width, mask) = match bits {
            MaskBits::B32 => (Width::B32, (mask as i32).into()),
            MaskBits::B64 => (Width::B64, mask as i64),
        };
        match self.cookie {
            Some(_) if !self.is_open(mask) => self.hidden(width, scratch, None, mask),
            _ => self.e.mov_r_i(width, scratch, mask),
        }
        self.e.bit_test_rm_r(BitTest::Bt, width, Rm::Reg(scratch), index);
        self.e.jump_if(Cond::B, target);
    }

    fn tests_bounds_first(regs: SwitchRegs, low: i64) -> bool {
        Self::is_pair(regs) || i32::try_from(low).is_err()
    }

    fn jump_by_table(
        &mut self,
        regs: SwitchRegs,
        low: i64,
        entries: &[MachBlock],
        default: MachBlock,
        bounds: TableBounds,
    ) {
        if regs.high.is_none() && self.indexes_directly(regs.width, low, bounds) {
            return self.jump_by_value(regs, low, entries, default, bounds);
        }
        // The index is below 2^32 from here on, or tested next.
        let is_tested = Self::tests_bounds_first(regs, low);
        if !self.is_open(low) {
            let width = if is_tested { Width::B32 } else { regs.width };
            self.hidden(width, regs.scratch, Some(regs.index), (low as i32).wrapping_neg().into());
        } else if is_tested || regs.width == Width::B32 {
            self.e.lea(Width::B32, regs.scratch, Mem::base(regs.index, (low as i32).wrapping_neg()));
        } else {
            self.e.mov_r_rm(regs.width, regs.scratch, Rm::Reg(regs.index));
            self.e.alu_rm_i(Alu::Sub, regs.width, Rm::Reg(regs.scratch), Imm::from(low as i32));
        }
        if !is_tested {
            self.test_bounds(bounds, regs.width, regs.scratch, entries, default);
        }
        let symbol = self.jump_table(entries);
        if let Some(base) = regs.table {
            return self.relative_table_jump(regs.scratch, regs.scratch, base, symbol);
        }
        match self.target.is_confined() {
            true => self.confined_table_jump(regs.scratch, symbol),
            false => {
                self.jump_to_entry(regs.scratch, Mem::index(regs.scratch, self.entry_scale(), 0), symbol)
            }
        }
    }
}

impl<L: Listing> Emitter<'_, L> {
    /// The symbol of a table with these entries. That of a dispatch is there once for all copies.
    fn jump_table(&mut self, entries: &[MachBlock]) -> SymbolId {
        let Self { tables, cursor, dispatch, .. } = self;
        let table = match dispatch.table.filter(|_| dispatch.is_current) {
            Some(table) => table,
            None => tables.push(entries.iter().map(|&block| cursor.target_label(block))),
        };
        if dispatch.is_current {
            dispatch.table = Some(table);
        }
        CodeSymbol::JumpTable(table).pack()
    }

    /// Whether the value itself, which is not changed, is the index of a table of addresses.
    fn indexes_directly(&self, width: Width, low: i64, bounds: TableBounds) -> bool {
        // A negative value of 32 bits is a large one in the register of 64.
        let has_sign = width == Width::B64 || self.mode == Mode::Bits32;
        let first = if has_sign { -(1 << 24) } else { 0 };
        let is_near = low == 0 || bounds == TableBounds::Known && (first..1 << 24).contains(&low);
        let has_place = low == 0 || self.target.has_symbol_displacements();
        is_near && has_place && self.is_open(low) && !self.target.is_confined()
    }

    /// Jumps to the entry of a table of addresses whose index is the value less `low`.
    fn jump_by_value(
        &mut self,
        regs: SwitchRegs,
        low: i64,
        entries: &[MachBlock],
        default: MachBlock,
        bounds: TableBounds,
    ) {
        self.test_bounds(bounds, regs.width, regs.index, entries, default);
        let table = self.jump_table(entries);
        if let Some(base) = regs.table {
            return self.relative_table_jump(regs.index, regs.scratch, base, table);
        }
        let scale = self.entry_scale();
        let mem = Mem::index(regs.index, scale, (low as i32).wrapping_neg() << scale as u32);
        self.jump_to_entry(regs.scratch, mem, table);
    }

    /// Goes to `default` from an index that is behind the entries, if it is not known to be one of theirs.
    fn test_bounds(
        &mut self,
        bounds: TableBounds,
        width: Width,
        index: Gpr,
        entries: &[MachBlock],
        default: MachBlock,
    ) {
        if bounds == TableBounds::Test {
            let default = self.target_label(default);
            let len = Imm::from(entries.len() as i32);
            self.e.alu_rm_i(Alu::Cmp, width, Rm::Reg(index), len);
            self.e.jump_if(Cond::Ae, default);
        }
    }

    /// By how much an index of a table of addresses is multiplied.
    fn entry_scale(&self) -> Scale {
        let is_wide = self.mode == Mode::Bits64 && self.target.model == CodeModel::Static;
        if is_wide { Scale::X8 } else { Scale::X4 }
    }

    /// Jumps to the address that stands at a place of a table.
    fn jump_to_entry(&mut self, scratch: Gpr, place: Mem, table: SymbolId) {
        match self.mode {
            Mode::Bits32 => {
                self.jump_in_table(Rm::Mem(place.with_target(Target::Symbol(table, RelocKind::Abs32))));
            }
            Mode::Bits64 if self.entry_scale() == Scale::X8 => {
                self.jump_in_table(Rm::Mem(place.with_target(Target::Symbol(table, RelocKind::Abs32S))));
            }
            Mode::Bits64 => {
                let place = place.with_target(Target::Symbol(table, RelocKind::Abs32S));
                self.e.mov_r_rm(Width::B32, scratch, Rm::Mem(place));
                self.jump_in_table(Rm::Reg(scratch));
            }
        }
    }

    /// Jumps to entry `index` of a table of distances: from the table's start, whose address goes to `base`
    /// (x86-64), or from the global base, which is in `base` (x86-32). The entry goes through `to`.
    fn relative_table_jump(&mut self, index: Gpr, to: Gpr, base: Gpr, table: SymbolId) {
        let width = self.stack_width();
        let entry = Mem::base_index(base, index, Scale::X4, 0);
        match self.mode {
            Mode::Bits32 => {
                let entry = entry.with_target(Target::Symbol(table, RelocKind::GotOff32));
                self.e.mov_r_rm(width, to, Rm::Mem(entry));
            }
            Mode::Bits64 => {
                self.e.lea(width, base, Mem::rip(table, RelocKind::PcRel32, 0));
                self.e.movsx(to, width, Rm::Mem(entry), Width::B32);
            }
        }
        self.e.alu_rm_r(Alu::Add, width, Rm::Reg(to), base);
        self.jump_in_table(Rm::Reg(to));
    }

    /// The jump by a table, which nobody can write to: where it leads is not looked at.
    fn jump_in_table(&mut self, to: Rm<Gpr>) {
        match self.target.tracks_branches {
            false => self.e.jmp_rm(to),
            true => self.e.jmp_rm_untracked(to),
        }
    }

    /// Jumps to the address in a register, which is changed.
    pub(super) fn jump_indirect(&mut self, to: Gpr) {
        match self.target.is_confined() {
            false => self.e.jmp_rm(Rm::Reg(to)),
            true => self.confined_jump(to),
        }
    }
}
