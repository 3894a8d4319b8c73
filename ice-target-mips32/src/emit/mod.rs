//! Emission: from allocated machine instructions to bytes.
//!
//! One walk over the instructions, with the allocator's edits merged in. How an instruction is encoded says its row in
//! [`inst`](crate::inst); [`kinds`] takes its operands, in the order of the row. An address or constant that an
//! instruction cannot carry is made in $at, which is never allocated; nothing else is kept there.

mod atomic;
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

use crate::abi::Frame;
use crate::inst::Inst;
use ice_asm::mips32::{Branches, Encoder};
use ice_asm::{CodeBuffer, Listing, OpenSlots};
use ice_codegen::emission::{self, Cursor, InstEmitter as _};
use ice_codegen::mach::MachFunction;
use ice_codegen::{CompiledCode, ErrorKind, TableLabels};
use ice_regalloc::{Mode, Output};

/// Memory of emission, reused from function to function.
#[derive(Default)]
pub struct EmitScratch {
    pub(crate) frame: Frame,
    tables: TableLabels,
}

/// Emits the function, finishes the buffer, and copies code, relocations and jump tables to `out`.
pub(crate) fn emit_function<L: Listing>(
    mach: &MachFunction<Inst>,
    allocation: &Output,
    scratch: &mut EmitScratch,
    buffer: &mut CodeBuffer<L, Branches>,
    out: &mut CompiledCode,
) -> Result<(), ErrorKind> {
    let EmitScratch { frame, tables } = scratch;
    let cursor = Cursor::new(mach, allocation)?;
    frame.compute(mach, allocation)?;
    tables.clear();
    buffer.clear();
    buffer.new_labels(mach.num_blocks());
    buffer.set_open_slots(match mach.mode() {
        Mode::Linear => OpenSlots::Fill,
        _ => OpenSlots::Leave,
    });
    let mut emitter = Emitter { frame, tables, e: Encoder::new(buffer), cursor, compared: None };
    emitter.prologue();
    emitter.walk();
    let faults = emitter.cursor.faults();
    emission::finish(mach, faults, buffer, out)?;
    tables.place(buffer, &mut out.tables)?;
    Ok(())
}

/// State of the walk.
struct Emitter<'a, L: Listing> {
    frame: &'a Frame,
    tables: &'a mut TableLabels,
    e: Encoder<'a, L>,
    cursor: Cursor<'a, Inst>,
    /// What the decision of a switch, which comes next, compares.
    compared: Option<control::Compared>,
}
