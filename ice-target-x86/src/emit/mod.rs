//! Emission: from allocated machine instructions to bytes.
//!
//! One walk over the instructions, with the allocator's edits merged in. Operands arrive in the order in
//! which [`Inst::visit_operands`](ice_codegen::mach::MachInst::visit_operands) names them. Every block has a
//! label with its offset in the longest layout ([`size`](crate::size)), from which the buffer chooses short
//! branches.

mod atomic;
mod control;
#[cfg(test)]
mod fault_tests;
mod frame;
mod inst;
mod memory;
mod native;
#[cfg(test)]
mod tests;
mod vector;

pub(crate) use native::SAVED_VECTORS;

use crate::abi::Frame;
use crate::inst::{Amode, Base, Inst, Src};
use crate::regs::{self, GPR};
use crate::size;
use crate::target::X86;
use ice_asm::x86::{
    AddressSize, BaseDisp, Encoder, FramePlace, Gpr, Imm, Mem, Mode, Rm, Scale, Target as MemTarget, Width,
    Xmm,
};
use ice_asm::{CodeBuffer, Label, Listing, RelocKind};
use ice_codegen::internal::{CodegenStep, Faults, check_places, describe};
use ice_codegen::lower::PlannedSwitch;
use ice_codegen::mach::{MachBlock, MachFunction, MachInstId};
use ice_codegen::{CompiledCode, ErrorKind, TableLabels};
use ice_regalloc::{Allocation, Edit, Function, Output, Places, ProgPoint};

/// Emits the function, finishes the buffer, and copies code, relocations and jump tables to `out`.
pub(crate) fn emit_function<L: Listing>(
    target: X86,
    mach: &MachFunction<Inst>,
    switches: &[PlannedSwitch],
    allocation: &Output,
    scratch: &mut EmitScratch,
    buffer: &mut CodeBuffer<L>,
    out: &mut CompiledCode,
) -> Result<(), ErrorKind> {
    let EmitScratch { frame, tables } = scratch;
    let mode = target.mode;
    check_places(mach, allocation)?;
    frame.compute(mode, mach, allocation)?;
    tables.clear();
    buffer.clear();
    size::make_labels(mode, mach, allocation, frame, switches, buffer);
    let mut emitter = Emitter {
        target,
        mode,
        frame,
        switches,
        e: Encoder::new(buffer, mode),
        insts: mach.insts(),
        all_places: allocation.places(),
        at: MachInstId::from_u32(0),
        allocs: &[],
        tables,
        uses_global_base: mach.frame.uses_global_base,
        address_size: if target.is_native() { AddressSize::Native } else { AddressSize::Addr32 },
        popped: mach.frame.popped as u16,
        num_blocks: mach.num_blocks() as u32,
        next_block: MachBlock::from_u32(0),
        back_edge: None,
        faults: Faults::default(),
    };
    emitter.prologue();
    let mut walk = Walk { mach, edits: &allocation.edits };
    walk.blocks(&mut emitter);
    if !walk.edits.is_empty() {
        emitter.fault("an edit stands behind the last instruction");
    }
    emitter.faults.check(CodegenStep::Emission, |inst| describe(mach, inst))?;
    buffer.finish()?;
    tables.place(buffer, &mut out.tables)?;
    out.code.extend_from_slice(buffer.bytes());
    out.relocs.extend_from_slice(buffer.relocs());
    Ok(())
}

/// What is still to come.
struct Walk<'a> {
    mach: &'a MachFunction<Inst>,
    edits: &'a [Edit],
}

impl<'a> Walk<'a> {
    /// The point of the next edit.
    fn next_edit(&self) -> ProgPoint {
        let end = ProgPoint::after(MachInstId::from_u32(u32::MAX / 2));
        self.edits.first().map_or(end, |edit| edit.point)
    }

    /// Emits all blocks. Not inlined, so that its values have the registers.
    #[inline(never)]
    fn blocks<L: Listing>(&mut self, emitter: &mut Emitter<'a, L>) {
        let mach = self.mach;
        let mut next_edit = self.next_edit();
        for block in mach.blocks() {
            if emitter.back_edge.take().is_some() {
                continue;
            }
            emitter.e.bind(label(block));
            emitter.next_block = MachBlock::from_u32(block.as_u32() + 1);
            let range = mach.inst_range(block);
            emitter.at = MachInstId::from_u32(range.start as u32);
            for inst in &mach.insts()[range] {
                let point = ProgPoint::before(emitter.at);
                if next_edit <= point {
                    next_edit = self.edits_to(emitter, point);
                }
                let back_edge = |next| self.only_jump(next, next_edit).filter(|&to| to <= block);
                if !emitter.usual(inst, back_edge) {
                    emitter.unusual(inst);
                }
                emitter.at = MachInstId::from_u32(emitter.at.as_u32() + 1);
            }
            if next_edit < ProgPoint::before(emitter.at) {
                let last = MachInstId::from_u32(emitter.at.as_u32() - 1);
                next_edit = self.edits_to(emitter, ProgPoint::after(last));
            }
        }
    }

    /// Emits the edits up to `point` and gives the point of the next one.
    #[inline(never)]
    fn edits_to<L: Listing>(&mut self, emitter: &mut Emitter<'a, L>, point: ProgPoint) -> ProgPoint {
        let mut edits = self.edits;
        while let [edit, rest @ ..] = edits
            && edit.point <= point
        {
            emitter.edit(edit);
            edits = rest;
        }
        self.edits = edits;
        self.next_edit()
    }

    /// Where `block` jumps to if it has one predecessor and does nothing else; `next` is the point of the
    /// next edit.
    fn only_jump(&self, block: MachBlock, next: ProgPoint) -> Option<MachBlock> {
        let range = self.mach.inst_range(block);
        let id = MachInstId::from_u32(range.start as u32);
        match self.mach.insts()[range] {
            [Inst::Jmp { target }]
                if self.mach.block_preds(block).len() == 1
                    && next != ProgPoint::before(id)
                    && next != ProgPoint::after(id) =>
            {
                Some(target)
            }
            _ => None,
        }
    }
}

/// The label of a block that is there: the first labels of the buffer, in order.
fn label(block: MachBlock) -> Label {
    Label(block.as_u32())
}

/// Memory of emission, reused from function to function.
#[derive(Default)]
pub struct EmitScratch {
    frame: Frame,
    tables: TableLabels,
}

/// State of the walk.
struct Emitter<'a, L: Listing> {
    target: X86,
    mode: Mode,
    frame: &'a Frame,
    switches: &'a [PlannedSwitch],
    e: Encoder<'a, L>,
    /// All instructions: edits execute some of them again.
    insts: &'a [Inst],
    /// The places of all operands.
    all_places: Places<'a>,
    /// The current instruction.
    at: MachInstId,
    /// Places of the operands of the current instruction that are not consumed yet.
    allocs: &'a [Allocation],
    tables: &'a mut TableLabels,
    /// Whether the register that global addresses hang off is wanted.
    uses_global_base: bool,
    /// Addresses of PNaCl programs wrap at 32 bits.
    address_size: AddressSize,
    /// Bytes of arguments that the return pops.
    popped: u16,
    num_blocks: u32,
    /// The block after the current one: control falls into it.
    next_block: MachBlock,
    /// Where the next block leads if it is an edge back to a loop's header without any moves. The branch
    /// before it goes to the header itself and the block is left out: an iteration executes one jump less.
    back_edge: Option<MachBlock>,
    faults: Faults,
}

/// What a fault is called that several places meet.
const NO_REGISTER: &str = "an operand has no register of its class";
const NO_SLOT: &str = "an operand is in no slot of the frame";
const NO_OBJECT: &str = "there is no such object in the frame";
const NO_BLOCK: &str = "control goes to a block that is not there";
const WRONG_KIND: &str = "it came to the emission of other instructions";

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
    fn no_slot(&mut self) -> FramePlace {
        self.fault(NO_SLOT);
        FramePlace::new(BaseDisp::new(Gpr::RSP, 0))
    }

    #[cold]
    #[inline(never)]
    fn no_gpr(&mut self) -> Gpr {
        self.fault(NO_REGISTER);
        Gpr::RAX
    }

    #[cold]
    #[inline(never)]
    fn no_xmm(&mut self) -> Xmm {
        self.fault(NO_REGISTER);
        Xmm::new(0)
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

    #[inline(always)]
    fn xmm(&mut self) -> Xmm {
        match regs::as_vector(self.next()) {
            Some(reg) => reg,
            None => self.no_xmm(),
        }
    }

    fn rm(&mut self) -> Rm<Gpr> {
        let place = self.next();
        self.place_rm(place)
    }

    fn xm(&mut self) -> Rm<Xmm> {
        let place = self.next();
        self.place_xm(place)
    }

    fn place_rm(&mut self, place: Allocation) -> Rm<Gpr> {
        match regs::as_gpr(place) {
            Some(reg) => Rm::Reg(reg),
            None => Rm::Mem(self.slot(place)),
        }
    }

    fn place_xm(&mut self, place: Allocation) -> Rm<Xmm> {
        match regs::as_vector(place) {
            Some(reg) => Rm::Reg(reg),
            None => Rm::Mem(self.slot(place)),
        }
    }

    /// A slot, or the memory that an instruction loads from, at an address that takes no registers.
    fn slot(&mut self, place: Allocation) -> Mem {
        let Some(inst) = place.as_remat() else { return self.frame_slot(place).mem().into() };
        match self.insts.get(inst.as_u32() as usize) {
            Some(Inst::Load { mem, .. } | Inst::LoadXmm { mem, .. }) => self.mem(mem),
            _ => {
                self.fault("an operand is in memory that no instruction loads from");
                Mem::absolute(0)
            }
        }
    }

    /// A slot.
    fn frame_slot(&mut self, place: Allocation) -> FramePlace {
        match self.place(place) {
            Some(place) => place,
            None => self.no_slot(),
        }
    }

    /// Where a slot is.
    #[inline(always)]
    fn place(&self, place: Allocation) -> Option<FramePlace> {
        self.frame.places.get(place.as_slot()?.as_u32() as usize).copied()
    }

    /// The register that the frame hangs off.
    fn base(&self) -> Gpr {
        self.frame.base()
    }

    /// The memory operand if it has a base and a displacement only, which nearly all have, and the places behind
    /// that of the base; `address_size` is that of addresses in registers.
    #[inline(always)]
    fn near<'p>(
        &self,
        amode: &Amode,
        address_size: AddressSize,
        places: &'p [Allocation],
    ) -> Option<(FramePlace, &'p [Allocation])> {
        match (amode.base, places) {
            _ if amode.index.is_some() || amode.symbol.is_some() => None,
            (Base::Reg(_), [base, rest @ ..]) => {
                let base = regs::as_gpr(*base)?;
                let mem = BaseDisp { base, address_size, disp: amode.disp };
                Some((FramePlace::new(mem), rest))
            }
            // Where the register is known little is left to encode.
            (Base::Reg(_) | Base::None, _) => None,
            (base, _) => match self.in_frame(base, amode.disp)? {
                BaseDisp { base: Gpr::RSP, disp, .. } => {
                    Some((FramePlace::new(BaseDisp::new(Gpr::RSP, disp)), places))
                }
                mem => Some((FramePlace::new(mem), places)),
            },
        }
    }

    /// An address in the frame, unless it is of an object that is not there.
    #[inline(always)]
    fn in_frame(&self, base: Base, disp: i32) -> Option<BaseDisp> {
        let frame = self.frame;
        let (base, start) = match base {
            Base::Object(n) => (self.base(), *frame.objects.get(n as usize)?),
            Base::Allocated => (Gpr::RSP, frame.outgoing),
            Base::Incoming => (self.base(), frame.incoming),
            Base::Outgoing | Base::Reg(_) | Base::None => (Gpr::RSP, 0),
        };
        Some(BaseDisp::new(base, start.wrapping_add(disp)))
    }

    /// The offset of an object of the frame.
    fn object(&mut self, object: u32) -> i32 {
        match self.frame.objects.get(object as usize) {
            Some(&offset) => offset,
            None => {
                self.fault(NO_OBJECT);
                0
            }
        }
    }

    /// The memory operand, consuming its registers.
    fn mem(&mut self, amode: &Amode) -> Mem {
        let Amode { base, index, disp, symbol } = *amode;
        let start = match base {
            Base::None => None,
            Base::Reg(_) => Some(BaseDisp { base: self.gpr(), address_size: self.address_size, disp }),
            _ => {
                let start = self.in_frame(base, disp);
                if start.is_none() {
                    self.fault(NO_OBJECT);
                }
                start
            }
        };
        let index = index.map(|(_, shift)| (self.gpr(), self.scale(shift)));
        let mut mem = Mem { index, ..start.map_or(Mem::absolute(disp), Mem::from) };
        // Addresses of PNaCl programs wrap at 32 bits; so does an index into a frame object.
        if start.is_none() || index.is_some() {
            mem.address_size = self.address_size;
        }
        if let Some(symbol) = symbol {
            if self.mode == Mode::Bits64 && index.is_none() && base == Base::None {
                return Mem::rip(symbol, RelocKind::PcRel32, disp);
            }
            debug_assert!(!self.target.has_wide_addresses());
            // The base or the index is the global base where there is one.
            let kind = if self.target.needs_global_base() { RelocKind::GotOff32 } else { RelocKind::Abs32 };
            mem.target = MemTarget::Symbol(symbol, kind);
        }
        mem
    }

    fn scale(&mut self, shift: u8) -> Scale {
        match Scale::from_shift(shift) {
            Some(scale) => scale,
            None => {
                self.fault("an index is scaled by more than 8");
                Scale::X1
            }
        }
    }

    /// A source that is not an immediate.
    fn src_rm(&mut self, src: &Src) -> Rm<Gpr> {
        match src {
            Src::Mem(mem) => Rm::Mem(self.mem(mem)),
            _ => self.rm(),
        }
    }

    fn src_xm(&mut self, src: &Src) -> Rm<Xmm> {
        match src {
            Src::Mem(mem) => Rm::Mem(self.mem(mem)),
            _ => self.xm(),
        }
    }

    // ---- edits

    /// Executes an instruction again, into the target of `edit`, leaving the flags alone.
    #[inline(never)]
    fn again(&mut self, inst: MachInstId, edit: &'a Edit) {
        let Some(inst) = self.insts.get(inst.as_u32() as usize) else {
            return self.fault("an edit executes an instruction again that is not there");
        };
        match (*inst, edit.to.as_reg()) {
            (Inst::MovImm { imm, .. }, None) => {
                let width = if edit.size == 8 { Width::B64 } else { Width::B32 };
                let slot = Rm::Mem(self.slot(edit.to));
                self.e.mov_rm_i(width, slot, Imm::from(imm as i32));
            }
            (Inst::MovImm { width, imm: 0, .. }, Some(_)) if !self.has_free_flags(edit.point) => {
                self.allocs = core::slice::from_ref(&edit.to);
                let to = self.gpr();
                self.e.mov_r_i(width, to, 0);
            }
            _ => {
                self.allocs = core::slice::from_ref(&edit.to);
                self.inst(inst);
            }
        }
    }

    /// Whether nothing needs the flags at `point`, as far as the instruction behind it tells: then `xor` makes
    /// a zero, which is shorter.
    fn has_free_flags(&self, point: ProgPoint) -> bool {
        point.is_before()
            && matches!(
                self.insts.get(point.inst().as_u32() as usize),
                Some(
                    Inst::Jmp { .. }
                        | Inst::Call { .. }
                        | Inst::Ret
                        | Inst::Compare { .. }
                        | Inst::CompareMem { .. }
                        | Inst::CompareXmm { .. }
                )
            )
    }

    /// Nearly all are between a register and a slot.
    #[inline(always)]
    fn edit(&mut self, edit: &'a Edit) {
        let &Edit { from, to, class, size, .. } = edit;
        if class == regs::XMM || size == 8 {
            self.any_edit(edit);
        } else if let (Some(to), Some(from)) = (regs::as_gpr(to), self.place(from)) {
            self.e.mov_r_place(Width::B32, to, from);
        } else if let (Some(to), Some(from)) = (self.place(to), regs::as_gpr(from)) {
            self.e.mov_place_r(Width::B32, to, from);
        } else {
            self.any_edit(edit);
        }
    }

    #[inline(never)]
    fn any_edit(&mut self, edit: &'a Edit) {
        if let Some(inst) = edit.from.as_remat() {
            return self.again(inst, edit);
        }
        if edit.class == regs::XMM {
            return self.move_vector(edit.size as u8, edit.to, edit.from);
        }
        match edit.size {
            _ if edit.class != GPR && edit.class != regs::BYTE => {
                self.fault("an edit has a class of no registers")
            }
            8 => self.move_word(Width::B64, edit.to, edit.from),
            _ => self.move_word(Width::B32, edit.to, edit.from),
        }
    }

    /// `to = from`, at most one of them a slot.
    fn move_word(&mut self, width: Width, to: Allocation, from: Allocation) {
        match (regs::as_gpr(to), regs::as_gpr(from)) {
            (Some(to), Some(from)) => self.e.mov_rm_r(width, Rm::Reg(to), from),
            (Some(to), None) => {
                let from = self.frame_slot(from);
                self.e.mov_r_place(width, to, from);
            }
            (None, Some(from)) => {
                let to = self.frame_slot(to);
                self.e.mov_place_r(width, to, from);
            }
            (None, None) => self.fault(NO_REGISTER),
        }
    }

    /// The places of the operands of the current instruction.
    #[inline(always)]
    fn places(&self) -> &'a [Allocation] {
        self.all_places.of(self.at)
    }

    /// The label of a block that a branch names.
    #[inline(always)]
    fn target_label(&mut self, block: MachBlock) -> Label {
        if block.as_u32() >= self.num_blocks {
            self.fault(NO_BLOCK);
        }
        label(block)
    }

    /// The width of arithmetic on the stack pointer.
    fn stack_width(&self) -> Width {
        match self.mode {
            Mode::Bits32 => Width::B32,
            Mode::Bits64 => Width::B64,
        }
    }
}

/// The four bytes after the first four of an operand.
fn after(mem: Mem) -> Mem {
    Mem { disp: mem.disp.wrapping_add(4), ..mem }
}
