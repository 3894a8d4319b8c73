//! Upper bounds of instruction sizes, from which the code buffer knows that a forward branch can be short.
//!
//! A bound must never be too small: then the buffer reports an error. One that is too large only costs a
//! long branch. In confined code each instruction takes its padding and more instructions. Counted are prefixes and REX (at most 3 bytes), opcode (at most 3), ModRM, SIB,
//! displacement and immediate. Displacements from the frame are one byte where the whole frame is small.

use crate::emit::{BUNDLE, Dispatch};
use crate::frame::Frame;
use crate::inst::{Callee, Inst, Src, instructions};
use crate::target::X86;
use ice_asm::x86::Mode;
use ice_asm::{CodeBuffer, Listing};
use ice_codegen::emission::Landings;
use ice_codegen::mach::{FramePointer, MachBlock, MachFunction, MachInstId, Tables};
use ice_regalloc::{Allocation, Output};

/// ModRM, SIB, 32-bit displacement and address-size prefix.
const MEMORY: u32 = 7;

/// ModRM, SIB and displacement of a slot in a small frame and in any other.
const SMALL: u32 = 3;
const LARGE: u32 = 6;

/// Bytes of the instruction that says where an indirect branch may lead.
const LANDING: u64 = 4;

/// Sizes that depend on the function. `SLOT` is for ModRM, SIB and displacement of a slot: where it is a constant
/// nearly all bounds are.
struct Bounds<'a, const SLOT: u32> {
    tables: &'a Tables,
    epilogue: u32,
    /// What sets upper halves of vector registers to zero in front of a call.
    uppers: u32,
}

impl<const SLOT: u32> Bounds<'_, SLOT> {
    fn src(&self, src: &Src) -> u32 {
        match src {
            Src::Reg(_) => SLOT,
            Src::Mem(_) => MEMORY,
            Src::Imm(_) | Src::Symbol(..) => 5,
        }
    }

    fn compare(&self, rhs: &Src) -> u32 {
        match rhs {
            Src::Imm(_) | Src::Symbol(..) => 7 + SLOT,
            _ => 3 + self.src(rhs),
        }
    }

    fn call(&self, callee: &Callee) -> u32 {
        match callee {
            Callee::Symbol(_) | Callee::Linked(_) => 5 + 3 + self.uppers,
            Callee::Value(_) => 6 + 3 + SLOT + self.uppers,
            Callee::Memory(_) => 6 + 3 + MEMORY + self.uppers,
        }
    }

    /// Each word is loaded and stored.
    fn return_call(&self, from: u32, to: u32) -> u32 {
        self.epilogue + 6 + (to - from) / 4 * 2 * (2 + MEMORY)
    }

    instructions!(ice_codegen::inst_bounds!);

    /// An instruction executed again, whose value may go to a slot.
    fn again(&self, mach: &MachFunction<Inst>, inst: MachInstId) -> u32 {
        mach.insts().get(inst.as_u32() as usize).map_or(0, |inst| self.inst(inst)) + SLOT
    }

    /// A copy of a block, with edits of `edit` bytes.
    #[cold]
    fn copy(&self, mach: &MachFunction<Inst>, allocation: &Output, block: MachBlock, edit: u32) -> u32 {
        let range = mach.inst_range(block);
        let insts: u32 = mach.insts()[range.clone()].iter().map(|inst| self.inst(inst) + MEMORY).sum();
        let edits = allocation.edits_of(range.start as u32..range.end as u32);
        let edits: u32 =
            edits.iter().map(|e| e.from.as_remat().map_or(edit, |inst| self.again(mach, inst))).sum();
        insts + edits
    }

    #[cold]
    fn assembly(&self, number: u32) -> u32 {
        self.tables.assembly(number).map_or(0, |code| code.code.len() as u32)
    }

    #[cold]
    fn switch(&self, switch: u32) -> u32 {
        // Two comparisons by halves, with their constants and branches, in each node.
        let nodes = self.tables.switch(switch).map_or(0, |planned| planned.plan.nodes.len() as u32);
        64u32.saturating_mul(nodes).saturating_add(64)
    }
}

/// Makes the labels of the blocks and tells the buffer the longest offset of each.
pub(crate) fn make_labels<L: Listing>(
    target: X86,
    mach: &MachFunction<Inst>,
    allocation: &Output,
    frame: &Frame,
    landings: &Landings,
    dispatch: &Dispatch,
    buffer: &mut CodeBuffer<L>,
) {
    // The slots of a small frame are reached with one byte.
    let is_small = frame.layout.size <= if frame.layout.pointer == FramePointer::Used { 63 } else { 127 };
    let labels = match (target.is_confined(), is_small) {
        (true, _) => make::<LARGE, true, L>,
        (false, true) => make::<SMALL, false, L>,
        (false, false) => make::<LARGE, false, L>,
    };
    // A vector register takes a prefix and two bytes, or that of AVX and one, and a place in the frame.
    let saved = 2 * frame.saved.len() as u32 + (4 + LARGE) * frame.saved_vectors.len() as u32;
    labels(target.mode, mach, allocation, saved, landings, dispatch, buffer);
}

/// What confined code has at most for an instruction of `bound` bytes: each of its groups has less padding than bytes, but
/// calls, which end bundles.
fn confined(inst: &Inst, bound: u32) -> u32 {
    /// The largest without an operand in memory other than a slot.
    const PLAIN: u32 = 2 + LARGE;
    /// For what an operand or the stack pointer takes.
    const OTHERS: u32 = 16;
    match inst {
        Inst::Call { .. } => 2 * (bound + OTHERS) + BUNDLE,
        Inst::Mov { .. } | Inst::Jcc { .. } | Inst::Jmp { .. } => 2 * bound,
        _ if bound <= PLAIN => 2 * bound,
        _ => 2 * (bound + OTHERS),
    }
}

/// Makes the labels where a slot takes `SLOT` bytes and the saved registers as many as `saved`.
fn make<const SLOT: u32, const CONFINED: bool, L: Listing>(
    mode: Mode,
    mach: &MachFunction<Inst>,
    allocation: &Output,
    saved: u32,
    landings: &Landings,
    dispatch: &Dispatch,
    buffer: &mut CodeBuffer<L>,
) {
    let uppers = if mach.frame.has_wide_registers { 3 } else { 0 };
    let bounds = Bounds::<SLOT> { tables: &mach.tables, epilogue: 8 + saved + 2 + uppers, uppers };
    let edit = SLOT + if mode == Mode::Bits32 { 3 } else { 4 };

    let edits_again = allocation.edits.iter().filter(|edit| edit.from.is_remat()).count();
    let mut operands_in_memory = (allocation.stats.rematerialized as usize).saturating_sub(edits_again);
    let copy = dispatch.block.map_or(0, |block| bounds.copy(mach, allocation, block, edit));
    let mut offset = u64::from(40 + saved) + if mach.frame.is_landing { LANDING } else { 0 };
    if CONFINED {
        offset *= 4;
    }
    let has_landings = !landings.is_empty();
    let mut edits = &allocation.edits[..];
    for block in mach.blocks() {
        if has_landings && landings.has(block) {
            offset += if CONFINED { BUNDLE.into() } else { LANDING };
        }
        // Too large a number is one that the buffer takes for unknown.
        buffer.new_label_within(u32::try_from(offset).unwrap_or(u32::MAX));
        let range = mach.inst_range(block);
        if range.end == mach.insts().len() {
            break; // Nothing lies behind the last block.
        }
        for inst in &mach.insts()[range.clone()] {
            let bound = bounds.inst(inst);
            offset += u64::from(if CONFINED { confined(inst, bound) } else { bound });
        }
        if dispatch.block.is_some()
            && let Some(&Inst::Jmp { target }) = mach.insts()[range.clone()].last()
            && dispatch.block == Some(target)
        {
            offset += u64::from(copy);
        }
        let end = MachInstId::from_u32(range.end as u32);
        while let [first, rest @ ..] = edits
            && first.point.inst() < end
        {
            let bound = first.from.as_remat().map_or(edit, |inst| bounds.again(mach, inst));
            offset += u64::from(if CONFINED { 2 * bound } else { bound });
            edits = rest;
        }
        if operands_in_memory > 0 {
            let here = count_in_memory(
                &allocation.allocs[mach.body().operand_range(range.start as u32..range.end as u32)],
            );
            offset += u64::from(MEMORY - SLOT) * here as u64 * if CONFINED { 2 } else { 1 };
            operands_in_memory = operands_in_memory.saturating_sub(here);
        }
    }
}

/// How many of these places are in the memory that an instruction loads from.
fn count_in_memory(places: &[Allocation]) -> usize {
    places.iter().filter(|place| place.is_remat()).count()
}
