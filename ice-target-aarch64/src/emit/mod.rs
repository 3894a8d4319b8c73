//! Emission: from allocated machine instructions to bytes.
//!
//! One walk over the instructions, with the allocator's edits merged in. How an instruction is encoded says its row in
//! [`inst`](crate::inst); [`kinds`] takes its operands, in the order of the row. An address or constant that an
//! instruction cannot carry is made in x16, or in x17 where an instruction has another use for that; neither is ever
//! allocated, and nothing is kept there.

mod atomic;
mod control;
#[cfg(test)]
mod fault_tests;
mod frame;
mod fused;
mod inst;
mod kinds;
mod memory;
mod native;
mod vector;
mod walk;

use crate::abi::{Frame, is_frameless};
use crate::fuse::Fusion;
use crate::inst::Inst;
use crate::regs;
use crate::target::Aarch64;
use ice_asm::aarch64::{Branches, Encoder};
use ice_asm::{CodeBuffer, Listing};
use ice_codegen::assembly::TextParts;
use ice_codegen::emission::{self, Cursor, FrameState, InstEmitter as _, Landings};
use ice_codegen::exceptions::CallSites;
use ice_codegen::fusion::{Ledger, Plan};
use ice_codegen::late_frame::LateFrame;
use ice_codegen::mach::{FramePointer, MachFunction};
use ice_codegen::{CompiledCode, Confinement, ErrorKind, FrameSteps, TableLabels, UnwindFacts};
use ice_regalloc::Output;

/// Memory of emission, reused from function to function.
#[derive(Default)]
pub struct EmitScratch {
    pub(crate) frame: Frame,
    plan: Plan<Fusion>,
    ledger: Ledger,
    tables: TableLabels,
    steps: FrameSteps,
    facts: UnwindFacts,
    sites: CallSites,
    texts: TextParts,
    landings: Landings,
    late: LateFrame,
}

/// Emits the function, finishes the buffer, and copies code, relocations and jump tables to `out`.
pub(crate) fn emit_function<L: Listing>(
    target: Aarch64,
    mach: &MachFunction<Inst>,
    allocation: &Output,
    scratch: &mut EmitScratch,
    buffer: &mut CodeBuffer<L, Branches>,
    out: &mut CompiledCode,
) -> Result<(), ErrorKind> {
    let EmitScratch { frame, plan, ledger, tables, steps, facts, sites, texts, landings, late } = scratch;
    let cursor = Cursor::new(mach, allocation)?;
    frame.compute(mach, allocation)?;
    ledger.begin(mach);
    tables.clear();
    steps.begin(mach.frame.unwind);
    sites.begin();
    texts.begin();
    buffer.clear();
    buffer.new_labels(mach.num_blocks());
    landings.compute(Confinement::None, mach);
    if target.tracks_branches {
        landings.add_tables(mach);
        landings.add_entries(mach, |inst| match *inst {
            Inst::Invoke { pad, .. } => Some(pad),
            _ => None,
        });
    }
    late.clear();
    if frame.may_be_late(mach) {
        let file = regs::register_file(FramePointer::None);
        late.compute(mach, allocation, (file, frame.saved_units()), is_frameless);
    }
    let mut emitter = Emitter {
        target,
        frame,
        plan,
        end: 0,
        ledger,
        tables,
        steps,
        facts,
        sites,
        texts,
        landings,
        state: FrameState::new(late, frame.layout.incoming),
        e: Encoder::new(buffer),
        cursor,
    };
    emitter.begin_function();
    emitter.walk();
    let outcome = emitter.cursor.outcome();
    emission::finish(mach, outcome, buffer, out)?;
    tables.place(buffer, &mut out.tables)?;
    ledger.check(mach);
    sites.finish(mach.exceptions.as_deref(), buffer, &mut out.exceptions)?;
    if !mach.tables.assemblies().is_empty() {
        texts.finish(mach.tables.assemblies(), mach.tables.names(), buffer, out)?;
    }
    out.frames.extend_from_slice(steps.finish(buffer.offset()));
    Ok(())
}

/// State of the walk.
struct Emitter<'a, L: Listing> {
    target: Aarch64,
    frame: &'a Frame,
    /// The pairs of the block.
    plan: &'a mut Plan<Fusion>,
    /// The index behind the last instruction of the block.
    end: usize,
    ledger: &'a mut Ledger,
    tables: &'a mut TableLabels,
    steps: &'a mut FrameSteps,
    facts: &'a mut UnwindFacts,
    sites: &'a mut CallSites,
    texts: &'a mut TextParts,
    landings: &'a Landings,
    /// What is known of the frame.
    state: FrameState<'a>,
    e: Encoder<'a, L>,
    cursor: Cursor<'a, Inst>,
}
