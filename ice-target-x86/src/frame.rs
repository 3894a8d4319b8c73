//! The frame: what is where, what is saved, and what unwinding must know of it.
//!
//! From high to low addresses: incoming stack arguments, return address, saved frame pointer (if one is used), saved general
//! registers, padding, saved vector registers, fixed objects and spill slots by falling alignment, outgoing arguments.
//! Without a dynamic allocation everything hangs off the stack pointer, which stays put.

use crate::inst::Inst;
use crate::regs::{self, RAX, RBX, RCX, xmm};
use alloc::vec::Vec;
use ice_asm::x86::{BaseDisp, FramePlace, Gpr, Mode};
use ice_codegen::abi::{PAGE, saved_registers};
use ice_codegen::frame_layout::{FrameLayout, FrameTop};
use ice_codegen::late_frame;
use ice_codegen::mach::{FrameInfo, FramePointer, MachFunction, MachInstId};
use ice_codegen::{ErrorKind, UnwindFacts};
use ice_regalloc::{Allocation, Constraint, Operand, Output, PReg, RegUnits};

/// Offsets of everything in the frame. Reused from function to function.
#[derive(Clone, Default)]
pub(crate) struct Frame {
    /// Where everything is below what is saved.
    pub(crate) layout: FrameLayout,
    /// Callee-saved general registers to preserve, in push order.
    pub(crate) saved: Vec<PReg>,
    /// Callee-saved vector registers to preserve, each with its place in the frame, from the register that the frame hangs
    /// off.
    pub(crate) saved_vectors: Vec<(PReg, i32)>,
    /// The register that the prologue may use to touch the pages of a large frame.
    pub(crate) probe: Probe,
    /// The spill slots.
    pub(crate) places: Vec<FramePlace>,
}

/// The register with which the prologue touches the pages of a large frame: one that carries no argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Probe {
    /// eax.
    #[default]
    Rax,
    /// ebx, which is saved for it, where arguments are in registers on x86-32.
    Rbx,
    /// ecx.
    Rcx,
    /// r11.
    R11,
    /// r10.
    R10,
}

impl Probe {
    fn compute(mode: Mode, mach: &MachFunction<Inst>) -> Probe {
        let arguments = match mach.insts() {
            [Inst::Params, ..] => mach.body().operands(MachInstId::from_u32(0)),
            _ => &[],
        };
        let is_in = |reg: PReg| {
            arguments.iter().any(|operand: &Operand| operand.constraint() == Constraint::Fixed(reg))
        };
        // Arguments must survive the prologue.
        match mode {
            Mode::Bits64 if is_in(PReg(11)) => Probe::R10,
            Mode::Bits64 => Probe::R11,
            Mode::Bits32 if !is_in(RAX) => Probe::Rax,
            Mode::Bits32 if !is_in(RCX) => Probe::Rcx,
            Mode::Bits32 => Probe::Rbx,
        }
    }
}

/// Alignment of the stack pointer at calls, in bytes.
const STACK_ALIGN: u32 = 16;

impl Frame {
    /// The register that the frame hangs off.
    pub(crate) fn base(&self) -> Gpr {
        match self.layout.pointer {
            FramePointer::None => Gpr::RSP,
            FramePointer::Used => Gpr::RBP,
        }
    }

    /// Lays out the frame of an allocated function.
    pub(crate) fn compute(
        &mut self,
        mode: Mode,
        mach: &MachFunction<Inst>,
        allocation: &Output,
    ) -> Result<(), ErrorKind> {
        let info: &FrameInfo = &mach.frame;
        let word: u64 = if mode == Mode::Bits32 { 4 } else { 8 };
        let callee_saved = regs::callee_saved(mode, info.convention);
        let used = match info.convention.preserves_arguments() {
            false => saved_registers(mach, allocation, callee_saved),
            true => saved_around_arguments(mach, allocation, callee_saved),
        };
        let general = used.intersection(regs::GENERAL);
        self.saved.clear();
        self.saved.extend(general.iter().map(PReg::new));

        let end = self.layout.place_body(info, &allocation.slots, STACK_ALIGN);
        let end = self.place_vectors(used.difference(general), end);
        // With its padding the frame may have a page or more.
        if end + u64::from(STACK_ALIGN) > u64::from(PAGE) {
            self.probe = Probe::compute(mode, mach);
            if self.probe == Probe::Rbx && !self.saved.contains(&RBX) {
                self.saved.push(RBX);
            }
        }
        let pushed =
            word * (1 + self.saved.len() as u64 + u64::from(self.layout.pointer == FramePointer::Used));
        let needs_alignment = info.has_calls || end != 0;
        let align = if needs_alignment { STACK_ALIGN.into() } else { word };
        // rbp points at its own saved value.
        self.layout.close(end, FrameTop { taken: pushed, align, above_pointer: Some(2 * word) })?;
        let vectors = self.layout.slots.split_off(allocation.slots.len());
        self.saved_vectors.iter_mut().zip(vectors).for_each(|((_, place), offset)| *place = offset);
        let register = self.base();
        self.places.clear();
        let place = |&offset: &i32| FramePlace::new(BaseDisp::new(register, offset));
        self.places.extend(self.layout.slots.iter().map(place));
        Ok(())
    }

    /// Whether the frame may be taken behind the entry: it hangs off the stack pointer, its prologue destroys no register,
    /// and no address in it is known.
    pub(crate) fn may_be_late(&self, mach: &MachFunction<Inst>) -> bool {
        late_frame::may_be_late(mach, &self.layout, STACK_ALIGN) && self.saved_vectors.is_empty()
    }

    /// The registers that the prologue saves.
    pub(crate) fn saved_units(&self) -> RegUnits {
        self.saved.iter().copied().fold(RegUnits::EMPTY, with)
    }

    /// Gives each vector register to preserve a place above the body of a frame, of `end` bytes, as a further slot. Gives
    /// the bytes that the body now takes.
    fn place_vectors(&mut self, registers: RegUnits, end: u64) -> u64 {
        self.saved_vectors.clear();
        if registers.is_empty() {
            return end;
        }
        let mut end = end.next_multiple_of(VECTOR.into());
        for unit in registers.iter() {
            self.saved_vectors.push((PReg::new(unit), 0));
            self.layout.slots.push(end as i32);
            end += u64::from(VECTOR);
        }
        end
    }
}

/// Bytes of a vector register.
const VECTOR: u32 = 16;

/// What a function saves that preserves registers in which it gets arguments: not those that only arrive, nor those of its
/// results.
fn saved_around_arguments(mach: &MachFunction<Inst>, allocation: &Output, preserved: RegUnits) -> RegUnits {
    let body = mach.body();
    let arriving = match mach.insts() {
        [Inst::Params, ..] => body.operands(MachInstId::from_u32(0)).len(),
        _ => 0,
    };
    let defined = body.all_operands().iter().zip(&allocation.allocs).skip(arriving);
    let defined = defined.filter(|(operand, _)| operand.is_def()).map(|(_, place)| *place);
    let copied = allocation.edits.iter().map(|edit| edit.to);
    let written = defined.chain(copied).filter_map(Allocation::as_reg).fold(body.all_clobbers(), with);
    let is_return = |inst: &MachInstId| matches!(mach.insts()[inst.as_u32() as usize], Inst::Ret);
    let returns = (0..mach.insts().len() as u32).map(MachInstId::from_u32).filter(is_return);
    let results =
        returns.flat_map(|inst| body.operands(inst)).filter_map(|operand| match operand.constraint() {
            Constraint::Fixed(reg) => Some(reg),
            _ => None,
        });
    written.intersection(preserved).difference(results.fold(RegUnits::EMPTY, with))
}

fn with(units: RegUnits, reg: PReg) -> RegUnits {
    units.union(RegUnits::of(reg.0))
}

const STACK_POINTER: PReg = PReg(4);
const FRAME_POINTER: PReg = PReg(5);

/// The DWARF number of a general register (System V ABI: i386, table 2.14; x86-64, figure 3.36).
pub(crate) fn dwarf_number(mode: Mode, reg: u8) -> u16 {
    const WIDE: [u8; 8] = [0, 2, 1, 3, 7, 6, 4, 5];
    match (mode, WIDE.get(usize::from(reg))) {
        (Mode::Bits64, Some(&number)) => number.into(),
        _ => reg.into(),
    }
}

/// The DWARF number of a register, of vectors too (System V ABI, x86-64: figure 3.36; i386: table 2.14).
pub(crate) fn dwarf_register(mode: Mode, reg: PReg) -> Option<u16> {
    let (first, count) = match mode {
        Mode::Bits32 => (21, 8),
        Mode::Bits64 => (17, 16),
    };
    let place = Allocation::reg(reg);
    let vector = || place.as_reg_of(xmm(0), count).map(|n| first + u16::from(n));
    regs::as_gpr(place).map(|gpr| dwarf_number(mode, gpr.number())).or_else(vector)
}

impl Frame {
    /// Says what the prologue has done to the caller's registers.
    pub(crate) fn describe(&self, mode: Mode, facts: &mut UnwindFacts) {
        let (word, return_address) = match mode {
            Mode::Bits32 => (4, 8),
            Mode::Bits64 => (8, 16),
        };
        let number = |reg: PReg| dwarf_number(mode, reg.0);
        let pointer = (self.layout.pointer == FramePointer::Used).then_some(FRAME_POINTER);
        let pushed = pointer.into_iter().chain(self.saved.iter().copied());
        let size = self.layout.size as i32 + word * (1 + pushed.clone().count() as i32);
        let base = match pointer {
            Some(pointer) => (number(pointer), -2 * word),
            None => (number(STACK_POINTER), -size),
        };
        facts.begin(size as u32, base);
        facts.save(return_address, -word);
        for (reg, nth) in pushed.zip(2..) {
            facts.save(number(reg), -word * nth);
        }
        for &(reg, place) in &self.saved_vectors {
            if let Some(register) = dwarf_register(mode, reg) {
                facts.save(register, facts.base.1 + place);
            }
        }
    }
}

/// Whether an instruction may be where there is no frame: it uses at most incoming arguments of it.
pub(crate) fn is_frameless(inst: &Inst) -> bool {
    match inst {
        Inst::ReturnCall { from, to, .. } => from == to,
        Inst::Ret
        | Inst::Trap
        | Inst::Unreachable
        | Inst::Jmp { .. }
        | Inst::Jcc { .. }
        | Inst::JccAnd { .. }
        | Inst::Switch { .. }
        | Inst::Params
        | Inst::Undefined { .. }
        | Inst::Mov { .. }
        | Inst::MovImm { .. }
        | Inst::MovSymbol { .. }
        | Inst::LoadTableEntry { .. }
        | Inst::LoadPair { .. }
        | Inst::StorePair { .. }
        | Inst::ZeroUpper { .. }
        | Inst::Extend { .. }
        | Inst::HighByte { .. }
        | Inst::Load { .. }
        | Inst::Store { .. }
        | Inst::StoreImm { .. }
        | Inst::Lea { .. }
        | Inst::Compare { .. }
        | Inst::CompareMem { .. }
        | Inst::BitTest { .. }
        | Inst::Alu { .. }
        | Inst::AluMem { .. }
        | Inst::AluMemImm { .. }
        | Inst::Unary { .. }
        | Inst::UnaryMem { .. }
        | Inst::Shift { .. }
        | Inst::ShiftMem { .. }
        | Inst::DoubleShift { .. }
        | Inst::Bswap { .. }
        | Inst::BitScan { .. }
        | Inst::Imul { .. }
        | Inst::ImulImm { .. }
        | Inst::MulWide { .. }
        | Inst::Divide { .. }
        | Inst::DivideWide { .. }
        | Inst::Setcc { .. }
        | Inst::Cmov { .. }
        | Inst::MovXmm { .. }
        | Inst::LoadXmm { .. }
        | Inst::StoreXmm { .. }
        | Inst::ZeroXmm { .. }
        | Inst::OnesXmm { .. }
        | Inst::Sse { .. }
        | Inst::SseImm { .. }
        | Inst::SseShift { .. }
        | Inst::SseUnary { .. }
        | Inst::SseUnaryImm { .. }
        | Inst::CompareXmm { .. }
        | Inst::GprToXmm { .. }
        | Inst::XmmToGpr { .. } => true,
        _ => false,
    }
}
