//! Emission: from allocated machine instructions to bytes.
//!
//! One walk over the instructions, with the allocator's edits merged in. Operands arrive in the order in
//! which [`Inst::visit_operands`](ice_codegen::mach::MachInst::visit_operands) names them. An address or constant
//! that an instruction cannot carry is made in ip, which is never allocated; nothing else is kept there.

mod atomic;
mod control;
#[cfg(test)]
mod fault_tests;
mod float;
mod frame;
mod inst;
mod ledger;
mod memory;
mod native;
mod pool;
mod predicate;
#[cfg(test)]
mod tests;
mod vector;
mod writeback;

use crate::abi::Frame;
use crate::inst::{Inst, Src};
use crate::regs;
use crate::target::Arm32;
use alloc::vec::Vec;
use ice_asm::arm32::{Branches, Cond, Encoder, Gpr, Mem, ModImm, Operand2, Transfer};
use ice_asm::{CodeBuffer, Label, Listing};
use ice_codegen::internal::{CodegenStep, Faults, check_places, describe};
use ice_codegen::lower::PlannedSwitch;
use ice_codegen::mach::{MachBlock, MachFunction, MachInstId, VReg};
use ice_codegen::{CompiledCode, ErrorKind};
use ice_regalloc::{Allocation, Edit, Output, Places, ProgPoint};
use ledger::Ledger;
use writeback::Plan;

/// The immediate of the trap instruction (the one of Linux tool chains, 0xe7fedef0).
const TRAP: u16 = 0xede0;

/// Emits the function, finishes the buffer, and copies code, relocations and jump tables to `out`.
pub(crate) fn emit_function<L: Listing>(
    target: Arm32,
    mach: &MachFunction<Inst>,
    switches: &[PlannedSwitch],
    allocation: &Output,
    scratch: &mut EmitScratch,
    buffer: &mut CodeBuffer<L, Branches>,
    out: &mut CompiledCode,
) -> Result<(), ErrorKind> {
    let EmitScratch { frame, written, plan, ledger } = scratch;
    check_places(mach, allocation)?;
    frame.compute(mach, allocation)?;
    written.clear();
    written.resize(mach.num_blocks(), false);
    ledger.begin(mach);
    buffer.clear();
    buffer.new_labels(mach.num_blocks());
    let mut emitter = Emitter {
        target,
        mach,
        allocation,
        frame,
        switches,
        e: Encoder::new(buffer),
        cond: AL,
        all_places: allocation.places(),
        edits: &allocation.edits,
        allocs: &[],
        written,
        block: MachBlock::from_u32(0),
        next_block: MachBlock::from_u32(0),
        at: MachInstId::from_u32(0),
        end: 0,
        plan,
        planned: None,
        tested: None,
        ledger,
        faults: Faults::default(),
    };
    emitter.prologue();
    for block in mach.blocks() {
        emitter.e.bind(label(block));
        emitter.block = block;
        emitter.next_block = MachBlock::from_u32(block.as_u32() + 1);
        if emitter.written[block.as_u32() as usize] {
            let end = MachInstId::from_u32(mach.inst_range(block).end as u32);
            let done = emitter.edits.partition_point(|edit| edit.point < ProgPoint::before(end));
            emitter.edits = &emitter.edits[done..];
            continue;
        }
        if let Some(last) = emitter.write_insts(block) {
            emitter.ledger.itself(mach, emitter.at);
            emitter.control(last);
        }
    }
    if !emitter.edits.is_empty() {
        emitter.at = MachInstId::from_u32(mach.insts().len() as u32);
        emitter.fault("an edit stands behind the last instruction");
    }
    emitter.faults.check(CodegenStep::Emission, |inst| describe(mach, inst))?;
    emitter.ledger.check(mach);
    buffer.finish()?;
    out.data.extend_from_slice(buffer.constant_ranges());
    out.code.extend_from_slice(buffer.bytes());
    out.relocs.extend_from_slice(buffer.relocs());
    Ok(())
}

/// The label of a block that is there: the first labels of the buffer, in order.
fn label(block: MachBlock) -> Label {
    Label(block.as_u32())
}

/// Memory of emission, reused from function to function.
#[derive(Default)]
pub struct EmitScratch {
    frame: Frame,
    /// Blocks that were written out of their turn.
    written: Vec<bool>,
    plan: Plan,
    ledger: Ledger,
}

/// State of the walk.
struct Emitter<'a, L: Listing> {
    target: Arm32,
    mach: &'a MachFunction<Inst>,
    allocation: &'a Output,
    frame: &'a Frame,
    switches: &'a [PlannedSwitch],
    e: Encoder<'a, L>,
    /// The places of all operands.
    all_places: Places<'a>,
    /// The edits that are left.
    edits: &'a [Edit],
    /// Places of the operands of the current instruction that are not consumed yet.
    allocs: &'a [Allocation],
    /// The condition of what is written: not always in a block that [`predicate`] puts elsewhere.
    cond: Cond,
    written: &'a mut Vec<bool>,
    /// The current block.
    block: MachBlock,
    /// The block after the current one: control falls into it.
    next_block: MachBlock,
    /// The current instruction.
    at: MachInstId,
    /// Index of the end of the block that is written.
    end: usize,
    /// Which accesses of the block step their bases, and the next instruction that this concerns.
    plan: &'a mut Plan,
    planned: Option<MachInstId>,
    /// The register whose comparison with zero, which follows, an instruction has done already.
    tested: Option<VReg>,
    ledger: &'a mut Ledger,
    faults: Faults,
}

/// What a fault is called that several places meet.
const NO_REGISTER: &str = "an operand has no register of its class";
const NO_SLOT: &str = "an operand is in no slot of the frame";
const NO_OBJECT: &str = "there is no such object in the frame";
const WRONG_KIND: &str = "it came to the emission of other instructions";
const WRONG_SIZE: &str = "it has operands of a size that it cannot have";

const AL: Cond = Cond::Al;

/// The point of the first of the edits that are left.
fn next_edit(edits: &[Edit]) -> ProgPoint {
    let end = ProgPoint::after(MachInstId::from_u32(u32::MAX / 2));
    edits.first().map_or(end, |edit| edit.point)
}

impl<'a, L: Listing> Emitter<'a, L> {
    // ---- faults

    /// Notes what the current instruction should have and has not; emission goes on with anything, and fails at its
    /// end. Not inlined, nor are those below, so that a branch leads here and places are not selected without one,
    /// which takes three times as many instructions.
    #[cold]
    #[inline(never)]
    fn fault(&mut self, what: &'static str) {
        self.faults.note(self.at, what);
    }

    #[cold]
    #[inline(never)]
    fn no_operand(&mut self) -> Allocation {
        self.fault("it has fewer operands than it is emitted with");
        Allocation::NONE
    }

    #[cold]
    #[inline(never)]
    fn no_gpr(&mut self) -> Gpr {
        self.fault(NO_REGISTER);
        Gpr::IP
    }

    // ---- operands

    #[inline(always)]
    fn next(&mut self) -> Allocation {
        match self.allocs {
            [first, rest @ ..] => {
                self.allocs = rest;
                *first
            }
            [] => self.no_operand(),
        }
    }

    #[inline(always)]
    fn gpr(&mut self) -> Gpr {
        match regs::as_gpr(self.next()) {
            Some(reg) => reg,
            None => self.no_gpr(),
        }
    }

    fn src(&mut self, src: Src) -> Operand2 {
        match src {
            Src::Imm(imm) => Operand2::Imm(imm),
            Src::Reg(_) => Operand2::Reg(self.gpr()),
            Src::Shift(_, shift, amount) => Operand2::Shift(self.gpr(), shift, amount),
            Src::ShiftReg(_, shift, _) => {
                let value = self.gpr();
                Operand2::ShiftReg(value, shift, self.gpr())
            }
        }
    }

    // ---- blocks

    /// Writes the instructions of a block but for the last, which it gives, and the edits between them and before
    /// the last.
    fn write_insts(&mut self, block: MachBlock) -> Option<&'a Inst> {
        let range = self.mach.inst_range(block);
        self.tested = None;
        self.plan.clear();
        self.planned = None;
        self.end = range.end;
        let mut next_edit = next_edit(self.edits);
        self.at = MachInstId::from_u32(range.start as u32);
        for inst in &self.mach.insts()[range] {
            let point = ProgPoint::before(self.at);
            if next_edit <= point {
                next_edit = self.edits_to(point);
            }
            self.e.buf.room_for(0);
            let next = self.at.as_u32() + 1;
            if next as usize == self.end {
                if self.tested.is_some() || self.planned.is_some() {
                    self.fault("a comparison or an access that was planned has not come before it");
                }
                return Some(inst);
            }
            if self.planned == Some(self.at) || self.cond != AL || !self.usual(inst) {
                self.unusual(inst);
            } else {
                self.ledger.itself(self.mach, self.at);
            }
            self.at = MachInstId::from_u32(next);
        }
        None
    }

    /// The rest of the block behind the current instruction.
    fn following(&self) -> &'a [Inst] {
        self.mach.insts().get(self.at.as_u32() as usize + 1..self.end).unwrap_or(&[])
    }

    /// The places of the operands of the current instruction.
    #[inline(always)]
    fn places(&self) -> &'a [Allocation] {
        self.all_places.of(self.at)
    }

    // ---- edits

    /// Emits the edits up to `point`, which are the first of those left, and gives the point of the next one.
    #[inline(never)]
    fn edits_to(&mut self, point: ProgPoint) -> ProgPoint {
        let mut left = self.edits;
        while let [edit, rest @ ..] = left
            && edit.point <= point
        {
            self.e.buf.room_for(0);
            self.edit(edit);
            left = rest;
        }
        self.edits = left;
        next_edit(left)
    }

    /// Nearly all are between a register and a slot, without a condition.
    #[inline(always)]
    fn edit(&mut self, edit: &'a Edit) {
        let &Edit { from, to, class, .. } = edit;
        if class == regs::GPR && self.cond == AL {
            if let (Some(to), Some(offset @ 0..4096)) = (regs::as_gpr(to), self.offset(from)) {
                return self.e.transfer(AL, Transfer::Ldr, to, Mem::new(self.base(), offset));
            }
            if let (Some(from), Some(offset @ 0..4096)) = (regs::as_gpr(from), self.offset(to)) {
                return self.e.transfer(AL, Transfer::Str, from, Mem::new(self.base(), offset));
            }
        }
        self.any_edit(edit);
    }

    /// The offset of a slot.
    #[inline(always)]
    fn offset(&self, place: Allocation) -> Option<i32> {
        self.frame.slots.get(place.as_slot()?.as_u32() as usize).copied()
    }

    #[inline(never)]
    fn any_edit(&mut self, edit: &'a Edit) {
        if let Some(inst) = edit.from.as_remat() {
            // Nothing that is made again writes the flags.
            let Some(inst) = self.mach.insts().get(inst.as_u32() as usize) else {
                return self.fault("an edit executes an instruction again that is not there");
            };
            self.allocs = core::slice::from_ref(&edit.to);
            return self.inst(inst);
        }
        if edit.class != regs::GPR {
            return self.move_float(Self::size_of(edit.class), edit.to, edit.from);
        }
        match (regs::as_gpr(edit.to), regs::as_gpr(edit.from)) {
            (Some(to), _) => self.copy_to(to, edit.from),
            (None, Some(from)) => {
                let (base, offset) = self.slot(edit.to);
                self.transfer(Transfer::Str, from, base, offset);
            }
            (None, None) => self.fault(NO_REGISTER),
        }
    }

    /// The label of a block that a branch names.
    fn target_label(&mut self, block: MachBlock) -> Label {
        if block.as_u32() as usize >= self.written.len() {
            self.fault("control goes to a block that is not there");
        }
        label(block)
    }
}

/// A small immediate: any of 8 bits can be encoded.
fn imm(value: u8) -> Operand2 {
    Operand2::Imm(ModImm::small(value))
}
