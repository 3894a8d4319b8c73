//! Emission: from allocated machine instructions to bytes.
//!
//! One walk over the instructions, with the allocator's edits merged in. How an instruction is encoded says its row in
//! [`inst`](crate::inst); [`kinds`] takes its operands, in the order of the row. An address or constant that an
//! instruction cannot carry is made in $at, which is never allocated; nothing else is kept there.

mod atomic;
pub(crate) mod confine;
mod control;
#[cfg(test)]
mod fault_tests;
mod float;
mod frame;
mod inst;
mod kinds;
mod memory;
mod native;
mod walk;

use crate::abi::{Frame, is_frameless};
use crate::inst::Inst;
use crate::regs;
use crate::target::Mips32;
use ice_asm::mips32::{Branches, Encoder};
use ice_asm::{CodeBuffer, Listing, OpenSlots};
use ice_codegen::emission::{self, Cursor, FrameState, InstEmitter as _, Landings};
use ice_codegen::exceptions::CallSites;
use ice_codegen::late_frame::LateFrame;
use ice_codegen::mach::{FramePointer, MachFunction};
use ice_codegen::{CodeSymbol, CompiledCode, ErrorKind, FrameSteps, TableLabels, UnwindFacts};
use ice_regalloc::{Mode, Output};

/// Memory of emission, reused from function to function.
#[derive(Default)]
pub struct EmitScratch {
    pub(crate) frame: Frame,
    tables: TableLabels,
    steps: FrameSteps,
    facts: UnwindFacts,
    sites: CallSites,
    landings: Landings,
    late: LateFrame,
}

/// Emits the function, finishes the buffer, and copies code, relocations and jump tables to `out`.
pub(crate) fn emit_function<L: Listing>(
    target: Mips32,
    mach: &MachFunction<Inst>,
    allocation: &Output,
    scratch: &mut EmitScratch,
    buffer: &mut CodeBuffer<L, Branches>,
    out: &mut CompiledCode,
) -> Result<(), ErrorKind> {
    let EmitScratch { frame, tables, steps, facts, sites, landings, late } = scratch;
    let cursor = Cursor::new(mach, allocation)?;
    frame.compute(mach, allocation)?;
    tables.clear();
    steps.begin(mach.frame.unwind);
    sites.begin();
    landings.compute(target.confinement, mach);
    buffer.set_bundle(target.bundle());
    buffer.clear();
    buffer.new_labels(mach.num_blocks());
    buffer.set_open_slots(match mach.mode() {
        Mode::Linear => OpenSlots::Fill,
        _ => OpenSlots::Leave,
    });
    if target.is_confined() {
        buffer.set_symbol(CodeSymbol::Start.pack());
    }
    late.clear();
    // Tables that are true everywhere would have to follow the code from blocks with a frame to those without.
    if frame.may_be_late(mach) && !steps.are_exact() {
        let file = regs::register_file(FramePointer::None);
        late.compute(mach, allocation, (file, frame.saved_units), is_frameless);
    }
    let mut emitter = Emitter {
        frame,
        tables,
        sites,
        landings,
        is_confined: target.is_confined(),
        is_grouped: buffer.has_groups(),
        has_plain_slots: !target.is_confined() || mach.frame.pointer() == FramePointer::None,
        e: Encoder::new(buffer),
        cursor,
        compared: None,
        state: FrameState::new(late, frame.layout.incoming),
    };
    emitter.begin_function();
    emitter.walk();
    if steps.are_wanted() {
        frame.describe(facts);
        steps.note_body(emitter.state.body, facts);
    }
    let outcome = emitter.cursor.outcome();
    emission::finish(mach, outcome, buffer, out)?;
    tables.place(buffer, &mut out.tables)?;
    sites.finish(mach.exceptions.as_deref(), buffer, &mut out.exceptions)?;
    out.frames.extend_from_slice(steps.finish(buffer.offset()));
    Ok(())
}

/// State of the walk.
struct Emitter<'a, L: Listing> {
    frame: &'a Frame,
    tables: &'a mut TableLabels,
    sites: &'a mut CallSites,
    /// The blocks of confined code that they lead to.
    landings: &'a Landings,
    /// [`Mips32::is_confined`].
    is_confined: bool,
    /// Whether jumps and calls are groups with their slots.
    is_grouped: bool,
    /// Whether slots of the frame are accessed as they are, without a mask.
    has_plain_slots: bool,
    e: Encoder<'a, L>,
    cursor: Cursor<'a, Inst>,
    /// What the decision of a switch, which comes next, compares.
    compared: Option<control::Compared>,
    /// What is known of the frame.
    state: FrameState<'a>,
}
