//! Emission: from allocated machine instructions to bytes.
//!
//! One walk over the instructions, with the allocator's edits merged in. How an instruction is encoded says its row in
//! [`inst`](crate::inst); [`kinds`] takes its operands, in the order of the row. Every block has a
//! label with its offset in the longest layout ([`size`](crate::size)), from which the buffer chooses short
//! branches.

mod atomic;
pub(crate) mod confine;
mod control;
mod dispatch;
#[cfg(test)]
mod fault_tests;
mod flags;
mod frame;
mod inst;
mod kinds;
mod memory;
mod native;
mod noise;
mod operand;
#[cfg(test)]
mod tests;
mod vector;
mod walk;

pub(crate) use confine::BUNDLE;
pub(crate) use dispatch::Dispatch;
pub(crate) use native::SAVED_VECTORS;
pub(crate) use noise::{NOPS_32, NOPS_64, NOPS_CONFINED};

use crate::frame::{Frame, is_frameless};
use crate::inst::Inst;
use crate::target::X86;
use crate::{regs, size};
use alloc::vec::Vec;
use ice_asm::x86::{AddressSize, Encoder, Mem, Mode, VectorForm, Width};
use ice_asm::{CodeBuffer, Label, Listing};
use ice_codegen::assembly::TextParts;
use ice_codegen::emission::{self, Cursor, FrameState, InstEmitter as _, Landings};
use ice_codegen::exceptions::CallSites;
use ice_codegen::late_frame::LateFrame;
use ice_codegen::mach::{FramePointer, MachFunction};
use ice_codegen::{CompiledCode, ErrorKind, FrameSteps, TableLabels};
use ice_regalloc::Output;

/// Emits the function, finishes the buffer, and copies code, relocations and jump tables to `out`.
pub(crate) fn emit_function<L: Listing>(
    target: X86,
    mach: &MachFunction<Inst>,
    allocation: &Output,
    scratch: &mut EmitScratch,
    buffer: &mut CodeBuffer<L>,
    out: &mut CompiledCode,
) -> Result<(), ErrorKind> {
    let EmitScratch { frame, tables, steps, landings, sites, texts, cookie, dispatch, type_traps, late } =
        scratch;
    let mode = target.mode;
    let form = if mach.frame.has_wide_registers { VectorForm::Avx } else { VectorForm::Sse };
    let cursor = Cursor::new(mach, allocation)?;
    frame.compute(mode, mach, allocation)?;
    tables.clear();
    type_traps.clear();
    steps.begin(mach.frame.unwind);
    sites.begin();
    texts.begin();
    buffer.set_bundle(target.bundle());
    buffer.clear();
    landings.compute(target.confinement, mach);
    if target.tracks_branches {
        landings.add_entries(mach, |inst| match *inst {
            Inst::Invoke { pad, .. } => Some(pad),
            _ => None,
        });
    }
    dispatch.compute(target, mach, allocation);
    late.clear();
    if frame.may_be_late(mach) && dispatch.block.is_none() {
        let file = regs::register_file(target.mode, FramePointer::None);
        late.compute(mach, allocation, (file, frame.saved_units()), is_frameless);
    }
    size::make_labels(target, mach, allocation, frame, landings, dispatch, buffer);
    // Decisions of switches grow to less than twice their bounds where their numbers are hidden.
    buffer.stretch_longest_offsets(if cookie.is_some() { 2 } else { 1 });
    let mut emitter = Emitter {
        target,
        mode,
        frame,
        e: Encoder::new(buffer, mode).of_form(form),
        cursor,
        tables,
        steps,
        sites,
        texts,
        landings,
        dispatch,
        state: FrameState::new(late, frame.layout.incoming),
        type_traps,
        flags: flags::Flags::UNKNOWN,
        confines_memory: target.confines_memory(),
        leaves_uppers: mach.frame.has_wide_registers && vector::has_wide_values(mach),
        cookie: *cookie,
        address_size: if target.is_native() { AddressSize::Native } else { AddressSize::Addr32 },
    };
    emitter.begin_function();
    emitter.walk();
    let outcome = emitter.cursor.outcome();
    emission::finish(mach, outcome, buffer, out)?;
    tables.place(buffer, &mut out.tables)?;
    sites.finish(mach.exceptions.as_deref(), buffer, &mut out.exceptions)?;
    if !mach.tables.assemblies().is_empty() {
        texts.finish(mach.tables.assemblies(), mach.tables.names(), buffer, out)?;
    }
    if !type_traps.is_empty() {
        out.type_traps.extend(type_traps.iter().filter_map(|&trap| buffer.label_offset(trap)));
    }
    out.frames.extend_from_slice(steps.finish(buffer.offset()));
    Ok(())
}

/// Memory of emission, reused from function to function.
#[derive(Default)]
pub struct EmitScratch {
    pub(crate) frame: Frame,
    tables: TableLabels,
    steps: FrameSteps,
    sites: CallSites,
    texts: TextParts,
    landings: Landings,
    /// What hides the numbers of the function, where they are hidden.
    pub(crate) cookie: Option<u32>,
    dispatch: Dispatch,
    /// Where calls to functions of other types end.
    type_traps: Vec<Label>,
    late: LateFrame,
}

/// State of the walk.
struct Emitter<'a, L: Listing> {
    target: X86,
    mode: Mode,
    frame: &'a Frame,
    e: Encoder<'a, L>,
    cursor: Cursor<'a, Inst>,
    tables: &'a mut TableLabels,
    steps: &'a mut FrameSteps,
    sites: &'a mut CallSites,
    texts: &'a mut TextParts,
    /// The blocks that begin in a way of their own.
    landings: &'a Landings,
    /// What replaces the jumps to it.
    dispatch: &'a mut Dispatch,
    /// What is known of the frame.
    state: FrameState<'a>,
    type_traps: &'a mut Vec<Label>,
    /// What the flags are of.
    flags: flags::Flags,
    /// [`X86::confines_memory`].
    confines_memory: bool,
    /// Upper halves of vector registers may not be zero when others are called.
    leaves_uppers: bool,
    /// What hides numbers, where they are hidden.
    cookie: Option<u32>,
    /// Addresses of PNaCl programs wrap at 32 bits.
    address_size: AddressSize,
}

impl<L: Listing> Emitter<'_, L> {
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
