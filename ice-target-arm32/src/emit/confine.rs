//! Confined code: what the rules of NaCl ask of ARM code, so that a validator can tell from the bytes alone that it
//! stays in its window.
//!
//! *Problem.* Whatever the program computes, it may touch its window of memory only, and jump only to instructions that
//! were validated. *Method*: software fault isolation (McCamant and Morrisett 2006; Sehr et al. 2010, which has the
//! masks). The window is the first GiB of addresses, so that a mask is one instruction and needs no register.
//!
//! * Code lies in bundles of four instructions ([`CodeBuffer::set_bundle`](ice_asm::CodeBuffer::set_bundle)). `bic` of the
//!   two highest and the four lowest bits and the jump through the register are one group; calls end their bundle. So
//!   functions, places behind calls and the blocks that tables lead to are at starts of bundles.
//! * An access stands behind a `bic` that clears the two highest bits of its base, in one group. There is no index: such an
//!   address is made in ip first. A base that is an address of the window stays what it is, and the base of any other
//!   access is wrong whether or not it is changed: the offset of 4095 bytes at most leads from nothing into nothing.
//! * The stack pointer is a base as it is. Accesses that step it are at most a page away from where it was; what else
//!   sets it forms a group with its mask.
//! * r9 has the address of the thread's data and is in no register file. Constants are made in registers, tables lie
//!   in read-only data: there is no data in code.

use super::{AL, Emitter};
use crate::target::Arm32;
use ice_asm::arm32::{Alu, Cond, Encoder, Flags, Gpr, Mem, ModImm, Operand2, Shift, Transfer};
use ice_asm::{Listing, Place, SymbolId};
use ice_codegen::{Confinement, ErrorKind};

/// Bytes of a bundle.
pub(crate) const BUNDLE: u32 = 16;

/// The bits that no address of data has.
const NO_DATA: ModImm = ModImm::new(0xc000_0000).expect("two bits can be encoded");

/// The bits that no start of a bundle has.
const NO_BUNDLE: ModImm = ModImm::new(0xc000_000f).expect("six bits in a row can be encoded");

/// The address of two words for the thread: that of its data comes first.
const THREAD: Gpr = Gpr::new(9);

/// How far a branch reaches. What is farther takes a sum with pc, which is no masked address.
const REACH: usize = 1 << 25;

impl Arm32 {
    /// Whether code is confined.
    pub(crate) const fn is_confined(self) -> bool {
        matches!(self.confinement, Confinement::Sandbox)
    }

    /// Bytes of a bundle, or 0.
    pub(super) const fn bundle(self) -> u32 {
        if self.is_confined() { BUNDLE } else { 0 }
    }

    /// Whether branches in code of this size are what the rules allow.
    pub(super) fn check_size(self, code: usize) -> Result<(), ErrorKind> {
        match self.is_confined() && code >= REACH {
            true => Err(ErrorKind::Unsupported("a confined function of 32 MiB")),
            false => Ok(()),
        }
    }
}

// ---- groups of instructions

/// Clears the bits of `base` that no address has, for the next instruction, which accesses memory there or near it.
pub(crate) fn mask_base<L: Listing>(e: &mut Encoder<'_, L>, cond: Cond, base: Gpr) {
    e.buf.lock(2, Place::Inside);
    e.alu(cond, Alu::Bic, Flags::Keep, base, base, NO_DATA);
}

/// The stack pointer becomes what `src` is, an address of the program.
pub(crate) fn set_stack<L: Listing>(e: &mut Encoder<'_, L>, src: Gpr) {
    e.alu(AL, Alu::Bic, Flags::Keep, Gpr::SP, src, NO_DATA);
}

fn mask_target<L: Listing>(e: &mut Encoder<'_, L>, to: Gpr) {
    e.alu(AL, Alu::Bic, Flags::Keep, to, to, NO_BUNDLE);
}

/// Jumps to the address in a register.
pub(crate) fn jump<L: Listing>(e: &mut Encoder<'_, L>, to: Gpr) {
    e.buf.lock(2, Place::Inside);
    mask_target(e, to);
    e.bx(AL, to);
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
        mask_base(&mut self.e, self.cond, base);
    }

    // ---- the stack pointer

    /// `dst = lhs op rhs`, where `dst` may be the stack pointer.
    #[inline(always)]
    pub(super) fn alu_to(&mut self, cond: Cond, op: Alu, dst: Gpr, lhs: Gpr, rhs: impl Into<Operand2>) {
        match dst == Gpr::SP && self.is_confined {
            false => self.e.alu(cond, op, Flags::Keep, dst, lhs, rhs),
            true => self.confined_move_stack(cond, op, lhs, rhs.into()),
        }
    }

    #[cold]
    fn confined_move_stack(&mut self, cond: Cond, op: Alu, lhs: Gpr, rhs: Operand2) {
        self.e.buf.lock(2, Place::Inside);
        self.e.alu(cond, op, Flags::Keep, Gpr::SP, lhs, rhs);
        set_stack(&mut self.e, Gpr::SP);
    }

    /// `dst = src`, where `dst` may be the stack pointer.
    #[inline(always)]
    pub(super) fn copy_to_any(&mut self, dst: Gpr, src: Gpr) {
        match dst == Gpr::SP && src != dst && self.is_confined {
            false => self.copy(dst, src),
            true => set_stack(&mut self.e, src),
        }
    }

    // ---- control

    /// A call of as many instructions comes next.
    #[inline(always)]
    pub(super) fn begin_call(&mut self, insts: u32) {
        self.e.buf.lock(insts, Place::AtEnd);
    }

    /// Calls the function whose address is in a register.
    pub(super) fn call_register(&mut self, callee: Gpr) {
        if self.is_confined {
            self.begin_call(2);
            mask_target(&mut self.e, callee);
        }
        self.e.blx(AL, callee);
    }

    /// Jumps to the address in a register.
    pub(super) fn jump_register(&mut self, to: Gpr) {
        match self.is_confined {
            false => self.e.bx(AL, to),
            true => jump(&mut self.e, to),
        }
        self.e.buf.stop_flow();
    }

    /// Jumps to the entry of a table of addresses that `index`, less `low`, is the number of.
    pub(super) fn confined_table_jump(&mut self, index: Gpr, low: i64, table: SymbolId) {
        self.e.mov_symbol(AL, Gpr::IP, table, 0);
        self.add_by_bytes(Gpr::IP, (low as u32).wrapping_mul(4).wrapping_neg());
        let entry = Operand2::Shift(index, Shift::Lsl, 2);
        self.e.alu(AL, Alu::Add, Flags::Keep, Gpr::IP, Gpr::IP, entry);
        self.confine(Gpr::IP);
        self.e.transfer(AL, Transfer::Ldr, Gpr::IP, Mem::new(Gpr::IP, 0));
        self.jump_register(Gpr::IP);
    }

    // ---- the thread

    /// The address of this thread's data.
    pub(super) fn thread_pointer(&mut self, dst: Gpr) {
        match self.is_confined {
            false => self.e.read_thread_id(AL, dst),
            true => self.e.transfer(AL, Transfer::Ldr, dst, Mem::new(THREAD, 0)),
        }
    }
}
