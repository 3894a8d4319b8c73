//! Confined code: what the rules of NaCl ask of MIPS code, so that a validator can tell from the bytes alone that it stays
//! in its window.
//!
//! *Problem.* Whatever the program computes, it may touch its window of memory only, and jump only to instructions that
//! were validated. *Method*: software fault isolation (McCamant and Morrisett 2006), with the masks of NaCl's port to MIPS:
//! the window is the first GiB of addresses, its code the first 256 MiB, and two registers hold the masks.
//!
//! * Code lies in bundles of four instructions ([`CodeBuffer::set_bundle`](ice_asm::CodeBuffer::set_bundle)). `and` with $t6
//!   and the jump through the register are one group with the slot; calls end their bundle with the slot. So functions,
//!   places behind calls and the blocks that tables lead to are at starts of bundles.
//! * An access stands behind `and` with $t7 of its base, in one group: an access is in no slot, but for one through the stack
//!   pointer. A base that is an address of the window stays what it is, and the base of any other access is wrong whether
//!   or not it is changed: the offset of 32 KiB at most leads from nothing into nothing.
//! * The stack pointer is a base as it is. What writes it forms a group with its mask, so that no slot has one.
//! * $t8 has the address of two words for the thread. Constants are made in registers, tables lie in read-only data.
//!
//! Calls and jumps are put together in the same way where code has noise and no bundles: what does nothing must not come
//! between a jump and its slot.

use super::Emitter;
use super::frame::Leave;
use crate::target::Mips32;
use ice_asm::mips32::{Alu, AluSigned, Encoder, Gpr, Jump, Mem, Taken, Transfer};
use ice_asm::{Listing, Place, SymbolId};
use ice_codegen::Confinement;
use ice_codegen::emission::InstEmitter as _;

/// Bytes of a bundle.
pub(crate) const BUNDLE: u32 = 16;

/// What has the bits that starts of bundles may have.
const CODE_MASK: Gpr = Gpr::new(14);
/// What has the bits that addresses of data may have.
const DATA_MASK: Gpr = Gpr::new(15);
/// The address of two words for the thread: that of its data comes first.
const THREAD: Gpr = Gpr::T8;

/// A register in a set of them.
pub(super) const fn bit(reg: Gpr) -> u32 {
    1 << reg.number()
}

impl Mips32 {
    /// Whether code is confined.
    pub(crate) const fn is_confined(self) -> bool {
        matches!(self.confinement, Confinement::Sandbox)
    }

    /// Bytes of a bundle, or 0.
    pub(super) const fn bundle(self) -> u32 {
        if self.is_confined() { BUNDLE } else { 0 }
    }
}

// ---- groups of instructions

/// Clears the bits of `base` that no address has, for the next instruction, which accesses memory there or near it.
pub(crate) fn mask_base<L: Listing>(e: &mut Encoder<'_, L>, base: Gpr) {
    e.buf.lock(2, Place::Inside);
    e.alu(Alu::And, base, base, DATA_MASK);
}

/// Lets `inst` write the stack pointer.
pub(crate) fn write_stack<L: Listing>(e: &mut Encoder<'_, L>, inst: impl FnOnce(&mut Encoder<'_, L>)) {
    e.buf.lock(2, Place::Inside);
    inst(e);
    e.alu(Alu::And, Gpr::SP, Gpr::SP, DATA_MASK);
}

fn mask_target<L: Listing>(e: &mut Encoder<'_, L>, to: Gpr) {
    e.alu(Alu::And, to, to, CODE_MASK);
}

/// Jumps to the address in a register, and executes the slot on the way.
pub(crate) fn jump<L: Listing>(e: &mut Encoder<'_, L>, to: Gpr, slot: Taken) {
    e.buf.lock(3, Place::Inside);
    mask_target(e, to);
    e.jr(to);
    e.put(slot);
}

impl<L: Listing> Emitter<'_, L> {
    /// Says that the next instruction accesses memory at `base` or near it.
    #[inline(always)]
    pub(super) fn confine(&mut self, base: Gpr) {
        if self.is_confined && base != Gpr::SP {
            self.confined_base(base);
        }
    }

    #[cold]
    fn confined_base(&mut self, base: Gpr) {
        mask_base(&mut self.e, base);
    }

    // ---- the stack pointer

    /// Lets one instruction write the stack pointer.
    pub(super) fn write_stack(&mut self, inst: impl FnOnce(&mut Encoder<'_, L>)) {
        match self.is_confined {
            false => inst(&mut self.e),
            true => write_stack(&mut self.e, inst),
        }
    }

    /// The stack pointer becomes `base + offset`.
    pub(super) fn step_stack(&mut self, base: Gpr, offset: i32) {
        if offset == 0 && base == Gpr::SP {
            return;
        }
        if offset == 0 {
            return self.write_stack(|e| e.alu(Alu::Or, Gpr::SP, base, Gpr::ZERO));
        }
        if i16::try_from(offset).is_ok() {
            return self.write_stack(|e| e.alu_signed(AluSigned::Addiu, Gpr::SP, base, offset));
        }
        if base == Gpr::AT {
            return self.fault("an address takes a second register");
        }
        self.e.load_number(Gpr::AT, offset as u32);
        self.write_stack(|e| e.alu(Alu::Addu, Gpr::SP, base, Gpr::AT));
    }

    // ---- control

    /// A call, which is a group with its slot.
    pub(super) fn call_in_group(&mut self, callee: Option<SymbolId>, base: Option<Gpr>) {
        let slot = match base {
            Some(_) => Taken::default(),
            None => self.e.take_last(bit(Gpr::RA) | bit(Gpr::T9), 0),
        };
        let is_masked = self.is_confined && callee.is_none();
        self.e.buf.lock(2 + u32::from(is_masked), Place::AtEnd);
        if is_masked {
            mask_target(&mut self.e, Gpr::T9);
        }
        match callee {
            Some(symbol) => self.e.jump_symbol(Jump::Jal, symbol),
            None => self.e.jalr(Gpr::RA, Gpr::T9),
        }
        match base {
            Some(base) => self.e.alu(Alu::Or, Gpr::GP, base, Gpr::ZERO),
            None => self.e.put(slot),
        }
    }

    /// Leaves the function by a group with this slot.
    pub(super) fn leave_in_group(&mut self, leave: Leave, slot: Taken) {
        match leave {
            Leave::To(to) if self.is_confined => jump(&mut self.e, to, slot),
            Leave::To(to) => {
                self.e.buf.lock(2, Place::Inside);
                self.e.jr(to);
                self.e.put(slot);
            }
            Leave::ToSymbol(symbol) => {
                self.e.buf.lock(2, Place::Inside);
                self.e.jump_symbol(Jump::J, symbol);
                self.e.put(slot);
            }
        }
    }

    /// Jumps to the address in a register, which no instruction before has to know.
    pub(super) fn jump_register(&mut self, to: Gpr) {
        if self.is_grouped {
            let slot = self.e.take_last(bit(to), 0);
            self.leave_in_group(Leave::To(to), slot);
        } else {
            self.e.jr(to);
            self.e.fill_slot();
        }
        self.e.buf.stop_flow();
    }

    // ---- the thread

    /// The address of this thread's data.
    pub(super) fn thread_pointer(&mut self, dst: Gpr) {
        match self.is_confined {
            false => self.e.read_thread_pointer(dst),
            true => self.e.transfer(Transfer::Lw, dst, Mem::new(THREAD, 0)),
        }
    }
}
