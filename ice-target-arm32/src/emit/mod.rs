//! Emission: from allocated machine instructions to bytes.
//!
//! One walk over the instructions, with the allocator's edits merged in. How an instruction is encoded says its row in
//! [`inst`](crate::inst); [`kinds`] takes its operands, in the order of the row. An address or constant that an
//! instruction cannot carry is made in ip, which is never allocated; nothing else is kept there.

mod atomic;
pub(crate) mod confine;
mod control;
#[cfg(test)]
mod fault_tests;
mod float;
mod frame;
mod fused;
mod inst;
mod kinds;
mod memory;
mod native;
mod pool;
#[cfg(test)]
mod tests;
mod vector;
mod walk;

use crate::abi::{Frame, is_frameless};
use crate::inst::Inst;
use crate::regs;
use crate::target::Arm32;
use alloc::vec::Vec;
use ice_asm::arm32::{Branches, Cond, Encoder, ModImm, Operand2};
use ice_asm::{CodeBuffer, Listing};
use ice_codegen::emission::{self, Cursor, FrameEmitter as _, FrameState, InstEmitter as _, Landings};
use ice_codegen::exceptions::CallSites;
use ice_codegen::fusion::{Ledger, Plan, Writeback};
use ice_codegen::late_frame::LateFrame;
use ice_codegen::mach::{FramePointer, MachFunction, VReg};
use ice_codegen::{CompiledCode, ErrorKind, FrameSteps, TableLabels, UnwindFacts};
use ice_regalloc::Output;

/// The immediate of the trap instruction (the one of Linux tool chains, 0xe7fedef0).
const TRAP: u16 = 0xede0;

/// Emits the function, finishes the buffer, and copies code, relocations and jump tables to `out`.
pub(crate) fn emit_function<L: Listing>(
    target: Arm32,
    mach: &MachFunction<Inst>,
    allocation: &Output,
    scratch: &mut EmitScratch,
    buffer: &mut CodeBuffer<L, Branches>,
    out: &mut CompiledCode,
) -> Result<(), ErrorKind> {
    let EmitScratch { frame, written, plan, ledger, steps, facts, sites, tables, landings, late } = scratch;
    let cursor = Cursor::new(mach, allocation)?;
    frame.compute(mach, allocation)?;
    written.clear();
    written.resize(mach.num_blocks(), false);
    ledger.begin(mach);
    steps.begin(mach.frame.unwind);
    sites.begin();
    tables.clear();
    landings.compute(target.confinement, mach);
    buffer.set_bundle(target.bundle());
    buffer.clear();
    buffer.new_labels(mach.num_blocks());
    late.clear();
    // Tables that are true everywhere would have to follow the code from blocks with a frame to those without.
    if frame.may_be_late(mach) && !steps.are_exact() {
        let file = regs::register_file(FramePointer::None);
        late.compute(mach, allocation, (file, frame.saved_units), is_frameless);
    }
    let mut emitter = Emitter {
        target,
        frame,
        e: Encoder::new(buffer),
        cursor,
        cond: AL,
        written,
        end: 0,
        plan,
        tested: None,
        ledger,
        sites,
        tables,
        landings,
        is_confined: target.is_confined(),
        has_plain_slots: !target.is_confined() || mach.frame.pointer() == FramePointer::None,
        state: FrameState::new(late, frame.layout.incoming),
    };
    emitter.begin_frame();
    emitter.walk();
    if steps.are_wanted() {
        frame.describe(facts);
        steps.note_body(emitter.state.body, facts);
    }
    let outcome = emitter.cursor.outcome();
    target.check_size(buffer.offset() as usize)?;
    emission::finish(mach, outcome, buffer, out)?;
    tables.place(buffer, &mut out.tables)?;
    ledger.check(mach);
    sites.finish(mach.exceptions.as_deref(), buffer, &mut out.exceptions)?;
    out.frames.extend_from_slice(steps.finish(buffer.offset()));
    Ok(())
}

/// Memory of emission, reused from function to function.
#[derive(Default)]
pub struct EmitScratch {
    pub(crate) frame: Frame,
    /// Blocks that were written out of their turn.
    written: Vec<bool>,
    plan: Plan<Writeback>,
    ledger: Ledger,
    steps: FrameSteps,
    facts: UnwindFacts,
    sites: CallSites,
    tables: TableLabels,
    landings: Landings,
    late: LateFrame,
}

/// State of the walk.
struct Emitter<'a, L: Listing> {
    target: Arm32,
    frame: &'a Frame,
    e: Encoder<'a, L>,
    cursor: Cursor<'a, Inst>,
    /// The condition of what is written: not always in a block that [`fuse`](crate::fuse) puts elsewhere.
    cond: Cond,
    written: &'a mut Vec<bool>,
    /// Index of the end of the block that is written.
    end: usize,
    /// Which accesses of the block step their bases.
    plan: &'a mut Plan<Writeback>,
    /// The register whose comparison with zero, which follows, an instruction has done already.
    tested: Option<VReg>,
    ledger: &'a mut Ledger,
    sites: &'a mut CallSites,
    /// Those of confined code; else tables are branches in the code.
    tables: &'a mut TableLabels,
    /// The blocks that they lead to.
    landings: &'a Landings,
    /// [`Arm32::is_confined`].
    is_confined: bool,
    /// Whether slots are accessed as they are: without a condition and a mask.
    has_plain_slots: bool,
    /// What is known of the frame.
    state: FrameState<'a>,
}

/// A fault: registers and instruction do not fit.
const WRONG_SIZE: &str = "it has operands of a size that it cannot have";

pub(crate) const AL: Cond = Cond::Al;

impl<'a, L: Listing> Emitter<'a, L> {}

/// A small immediate: any of 8 bits can be encoded.
fn imm(value: u8) -> Operand2 {
    Operand2::Imm(ModImm::small(value))
}
