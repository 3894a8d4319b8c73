//! Confined code: what the rules of NaCl ask of x86 code, so that a validator can tell from the bytes alone that it
//! stays in its window.
//!
//! *Problem.* Whatever the program computes, it may touch its window of memory only, and jump only to instructions that
//! were validated. *Method*: software fault isolation (McCamant and Morrisett 2006; Yee et al., *Native Client*, 2009;
//! Sehr et al. 2010 for x86-64).
//!
//! * Code lies in bundles of 32 bytes ([`CodeBuffer::set_bundle`](ice_asm::CodeBuffer::set_bundle)). Indirect jumps go to
//!   their starts: `and $-32` and the jump are one group. So functions, targets of jump tables and places behind calls are
//!   at such starts, and a return pops its address into a register.
//! * x86-32: segments keep data in the window. There is nothing to do.
//! * x86-64: the window has 4 GiB and begins at r15. An operand is `disp(%r15,%reg)` with the upper half of `reg` cleared
//!   by the instruction before it, in the same group; or it hangs off rsp or rbp, which always point into the window: 32 bits
//!   of them are computed, and r15 is added in the same group. The registers that this takes, r15, r11 and rbp, are in no
//!   register file.
//!
//! Addresses are sums of 32 bits that wrap around. An operand of 64 bits does not wrap, but where its displacement is below
//! [`NEAR`] one that would have wrapped meets the first or the last 64 KiB of the window or what is outside of it, where
//! nothing is mapped: both fault. So a base with such a displacement is an operand as it is; any other address is computed
//! in r11.

use super::Emitter;
use crate::inst::Amode;
use crate::target::X86;
use ice_asm::x86::{AddressSize, Alu, Base, Encoder, Gpr, Mem, Mode, Rm, Scale, Target, Width};
use ice_asm::{Listing, Place, RelocKind, SymbolId};
use ice_codegen::Confinement;

/// Bytes of a bundle.
pub(crate) const BUNDLE: u32 = 32;

/// Displacements up to here need no sum of 32 bits. Far enough from 64 KiB for any operand.
const NEAR: u32 = 0x8000;

/// Bytes of the largest access: prefixes, an opcode of three bytes, ModRM, SIB, displacement and immediate.
const MAX_ACCESS: u32 = 15;

/// What `push` and `pop` move the stack pointer by.
const WORD: i32 = 8;

/// The start of the window.
pub(crate) const WINDOW: Gpr = Gpr::R15;

/// For addresses. Nothing lives in it.
const SCRATCH: Gpr = Gpr::R11;

impl X86 {
    /// Whether code is confined.
    pub(crate) const fn is_confined(self) -> bool {
        matches!(self.confinement, Confinement::Sandbox)
    }

    /// Whether accesses have to be confined by code.
    pub(crate) const fn confines_memory(self) -> bool {
        self.is_confined() && matches!(self.mode, Mode::Bits64)
    }

    /// Bytes of a bundle, or 0.
    pub(super) const fn bundle(self) -> u32 {
        if self.is_confined() { BUNDLE } else { 0 }
    }
}

// ---- groups of instructions

/// The operand that stands for `mem`, for the next instruction alone: its address is in a register now.
pub(crate) fn operand<L: Listing>(e: &mut Encoder<'_, L>, mem: Mem) -> Mem {
    match mem {
        Mem { base: Base::Rip, .. } | Mem { base: Base::Reg(Gpr::RSP | Gpr::RBP), index: None, .. } => mem,
        Mem { base: Base::None, index: None, target: Target::None, disp: 0.., .. } => {
            Mem::base(WINDOW, mem.disp)
        }
        Mem { base: Base::Reg(base), index: None, target: Target::None, disp, .. }
            if disp.unsigned_abs() <= NEAR =>
        {
            let is_clear = e.buf.last_inst().and_then(clears) == Some(base);
            if !is_clear || !e.buf.lock_on(1, MAX_ACCESS) {
                e.buf.lock(2, Place::Inside);
                e.mov_r_rm(Width::B32, base, Rm::Reg(base));
            }
            Mem::base_index(WINDOW, base, Scale::X1, mem.disp)
        }
        _ => {
            e.buf.lock(2, Place::Inside);
            e.lea(Width::B32, SCRATCH, Mem { address_size: AddressSize::Native, ..mem });
            Mem::base_index(WINDOW, SCRATCH, Scale::X1, 0)
        }
    }
}

/// The register whose upper half an instruction clears in a way that validators know: it is a `mov`, an extension, a sum or
/// the like with 32 bits in a register.
fn clears(inst: &[u8]) -> Option<Gpr> {
    let (rex, inst) = match inst {
        [rex @ 0x40..=0x4f, rest @ ..] => (*rex, rest),
        _ => (0, inst),
    };
    if rex & 8 != 0 {
        return None;
    }
    let reg = |modrm: u8| Some(Gpr::new(modrm >> 3 & 7 | (rex & 4) << 1));
    let rm = |modrm: u8| (modrm >> 6 == 3).then(|| Gpr::new(modrm & 7 | (rex & 1) << 3));
    match *inst {
        // mov, lea; movzx, movsx, imul.
        [0x8b | 0x8d, modrm, ..] | [0x0f, 0xb6 | 0xb7 | 0xbe | 0xbf | 0xaf, modrm, ..] => reg(modrm),
        // add, or, and, sub, xor in both directions; mov.
        [0x03 | 0x0b | 0x23 | 0x2b | 0x33, modrm, ..] => reg(modrm),
        [0x01 | 0x09 | 0x21 | 0x29 | 0x31 | 0x89, modrm, ..] => rm(modrm),
        // The same with an immediate, without adc, sbb and cmp.
        [0x81 | 0x83, modrm, ..] if !matches!(modrm >> 3 & 7, 2 | 3 | 7) => rm(modrm),
        [0xb8..=0xbf, ..] => Some(Gpr::new(inst[0] & 7 | (rex & 1) << 3)),
        // imul with an immediate.
        [0x69 | 0x6b, modrm, ..] => reg(modrm),
        // inc, dec.
        [0xff, modrm] if modrm >> 4 & 3 == 0 => rm(modrm),
        _ => None,
    }
}

/// The last instruction of a group that sets `pointer`, of which 32 bits are there: an address of the program.
pub(crate) fn rebase<L: Listing>(e: &mut Encoder<'_, L>, pointer: Gpr) {
    e.alu_r_r(Alu::Add, Width::B64, pointer, WINDOW);
}

/// How many instructions [`mask`] takes.
const fn mask_size(mode: Mode) -> u32 {
    match mode {
        Mode::Bits32 => 1,
        Mode::Bits64 => 2,
    }
}

/// Makes the address in a register the start of a bundle in the window.
fn mask<L: Listing>(e: &mut Encoder<'_, L>, to: Gpr) {
    e.alu_r_i(Alu::And, Width::B32, to, -(BUNDLE as i32));
    if e.mode == Mode::Bits64 {
        rebase(e, to);
    }
}

/// Jumps to the address in a register, which is changed.
pub(crate) fn jump<L: Listing>(e: &mut Encoder<'_, L>, to: Gpr) {
    e.buf.lock(mask_size(e.mode) + 1, Place::Inside);
    mask(e, to);
    e.jmp_rm(Rm::Reg(to));
}

/// The register that takes addresses of jumps and calls: no result is in it, and no argument of a program for the sandbox.
pub(crate) const fn jump_register(mode: Mode) -> Gpr {
    match mode {
        Mode::Bits32 => Gpr::RCX,
        Mode::Bits64 => SCRATCH,
    }
}

/// Returns.
pub(crate) fn ret<L: Listing>(e: &mut Encoder<'_, L>) {
    let to = jump_register(e.mode);
    e.pop_r(to);
    jump(e, to);
}

impl<L: Listing> Emitter<'_, L> {
    #[cold]
    #[inline(never)]
    pub(super) fn confined_address(&mut self, amode: &Amode) -> Mem {
        let mem = self.plain_address(amode);
        operand(&mut self.e, mem)
    }

    /// Makes an operand that [`confined_address`](Self::confined_address) has given one for the next instruction, where others came between.
    pub(super) fn confine_again(&mut self, mem: Mem) {
        if let Mem { base: Base::Reg(WINDOW), index: Some((index, _)), .. } = mem
            && self.confines_memory
        {
            self.e.buf.lock(2, Place::Inside);
            self.e.mov_r_rm(Width::B32, index, Rm::Reg(index));
        }
    }

    // ---- the stack pointer, and the frame pointer: 32 bits of them, and the window

    #[cold]
    pub(super) fn confined_move_stack(&mut self, op: Alu, bytes: i32) {
        match (op, bytes) {
            (Alu::Sub, WORD) => return self.e.push_r(Gpr::RAX),
            (Alu::Add, WORD) => return self.e.pop_r(SCRATCH),
            _ => {}
        }
        self.e.buf.lock(2, Place::Inside);
        self.e.alu_r_i(op, Width::B32, Gpr::RSP, bytes);
        rebase(&mut self.e, Gpr::RSP);
    }

    #[cold]
    pub(super) fn confined_take_stack(&mut self, amount: Gpr) {
        self.e.buf.lock(2, Place::Inside);
        self.e.alu_r_r(Alu::Sub, Width::B32, Gpr::RSP, amount);
        rebase(&mut self.e, Gpr::RSP);
    }

    /// The stack pointer becomes what `src` is, an address of the program. In confined code flags are lost.
    pub(super) fn restore_stack(&mut self, src: Rm<Gpr>) {
        let width = self.target.address_width();
        if !self.confines_memory {
            return self.e.mov_r_rm(width, Gpr::RSP, src);
        }
        self.e.buf.lock(2, Place::Inside);
        self.e.mov_r_rm(width, Gpr::RSP, src);
        rebase(&mut self.e, Gpr::RSP);
    }

    /// The stack pointer goes to the registers that lie `saved` bytes below the frame pointer.
    #[cold]
    pub(super) fn confined_leave(&mut self, saved: i32) {
        self.e.buf.lock(2, Place::Inside);
        self.e.lea(Width::B32, Gpr::RSP, Mem::base(Gpr::RBP, -saved));
        rebase(&mut self.e, Gpr::RSP);
    }

    /// The caller's frame pointer comes from the stack.
    #[cold]
    pub(super) fn confined_pop_frame(&mut self) {
        self.e.pop_r(SCRATCH);
        self.e.buf.lock(2, Place::Inside);
        self.e.mov_r_rm(Width::B32, Gpr::RBP, Rm::Reg(SCRATCH));
        rebase(&mut self.e, Gpr::RBP);
    }

    // ---- control

    /// A call of as many instructions comes next.
    #[inline(always)]
    pub(super) fn begin_call(&mut self, insts: u32) {
        self.e.buf.lock(insts, Place::AtEnd);
    }

    #[cold]
    pub(super) fn confined_jump(&mut self, to: Gpr) {
        jump(&mut self.e, to);
    }

    #[cold]
    pub(super) fn confined_return(&mut self) {
        ret(&mut self.e);
    }

    /// Calls the function at an address, which is that of a bundle: in a register of 32 bits it stays what it is.
    #[cold]
    pub(super) fn confined_call(&mut self, callee: Rm<Gpr>) {
        let to = match (self.mode, callee) {
            (Mode::Bits32, Rm::Reg(reg)) => reg,
            _ => jump_register(self.mode),
        };
        if callee != Rm::Reg(to) {
            self.e.mov_r_rm(Width::B32, to, callee);
        }
        self.begin_call(mask_size(self.mode) + 1);
        mask(&mut self.e, to);
        self.e.call_rm(Rm::Reg(to));
    }

    /// Jumps to entry `index`, which is below the size of the table.
    #[cold]
    pub(super) fn confined_table_jump(&mut self, index: Gpr, table: SymbolId) {
        let entry = match self.mode {
            Mode::Bits32 => {
                Mem::index(index, Scale::X4, 0).with_target(Target::Symbol(table, RelocKind::Abs32))
            }
            Mode::Bits64 => {
                self.e.buf.lock(2, Place::Inside);
                self.e.mov_r_rm(Width::B32, index, Rm::Reg(index));
                let target = Target::Symbol(table, RelocKind::Abs32S);
                Mem::base_index(WINDOW, index, Scale::X4, 0).with_target(target)
            }
        };
        self.e.mov_r_rm(Width::B32, index, Rm::Mem(entry));
        jump(&mut self.e, index);
    }
}
