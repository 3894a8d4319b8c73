//! Calls, indirect branches, barriers, hints and traps.

use super::register::{Gpr, plain};
use super::{Encoder, bits, ops};
use crate::listing::{Listing, SymbolText};
use crate::reloc::{RelocKind, SymbolId};

ops!(
    /// What a data memory barrier orders ("Barriers"): over the inner shareable domain all accesses, loads before it with
    /// all behind it, stores; and all accesses over the whole system.
    Barrier:
    Ish   "ish"   "1101010100 0 00 011 0011 1011 1 01 11111",
    Ishld "ishld" "1101010100 0 00 011 0011 1001 1 01 11111",
    Ishst "ishst" "1101010100 0 00 011 0011 1010 1 01 11111",
    Sy    "sy"    "1101010100 0 00 011 0011 1111 1 01 11111",
);

/// The field of `b` and `bl` over `distance` bytes, from the start of the branch to the target, that it reaches.
pub(super) const fn branch_field(distance: i64) -> u32 {
    (distance >> 2) as u32 & 0x03ff_ffff
}

impl<L: Listing> Encoder<'_, L> {
    /// `bl symbol` ("Unconditional branch (immediate)").
    pub fn call(&mut self, symbol: SymbolId) {
        self.inst(bits!("1 00101 iiiiiiiiiiiiiiiiiiiiiiiiii"), format_args!("bl {}", SymbolText(symbol)));
        self.reloc(RelocKind::Aarch64Call26, symbol, 0);
    }

    /// `b symbol`: a tail call.
    pub fn jump_symbol(&mut self, symbol: SymbolId) {
        self.inst(bits!("0 00101 iiiiiiiiiiiiiiiiiiiiiiiiii"), format_args!("b {}", SymbolText(symbol)));
        self.reloc(RelocKind::Aarch64Jump26, symbol, 0);
    }

    /// `blr xn` ("Unconditional branch (register)").
    pub fn call_reg(&mut self, n: Gpr) {
        let word = bits!("1101011 0 0 01 11111 000000 nnnnn 00000") | n.n();
        self.checked(plain([n]), word, format_args!("blr {n}"));
    }

    /// `br xn`.
    pub fn jump_reg(&mut self, n: Gpr) {
        let word = bits!("1101011 0 0 00 11111 000000 nnnnn 00000") | n.n();
        self.checked(plain([n]), word, format_args!("br {n}"));
    }

    /// `ret`: to the address in the link register.
    pub fn ret(&mut self) {
        let word = bits!("1101011 0 0 10 11111 000000 nnnnn 00000") | Gpr::LR.n();
        self.inst(word, format_args!("ret"));
    }

    /// `brk #n` ("Exception generation"): a breakpoint.
    pub fn trap(&mut self, number: u16) {
        let word = bits!("11010100 001 iiiiiiiiiiiiiiii 00000") | u32::from(number) << 5;
        self.inst(word, format_args!("brk #{number}"));
    }

    /// `udf #n` ("Reserved"): permanently undefined, ends the program with a fault.
    pub fn undefined(&mut self, number: u16) {
        let word = bits!("0000000000000000 iiiiiiiiiiiiiiii") | u32::from(number);
        self.inst(word, format_args!("udf #{number}"));
    }

    /// `nop` ("Hints").
    pub fn nop(&mut self) {
        self.inst(NOP, format_args!("nop"));
    }

    /// `hint #n`, of seven bits: 25 is `paciasp`, 29 `autiasp`, 34 `bti c`; one that a processor does not know does nothing.
    pub fn hint(&mut self, number: u8) {
        let word = NOP | u32::from(number & 127) << 5;
        self.checked(number < 128, word, format_args!("hint #{number}"));
    }

    /// `dmb` with this domain.
    pub fn dmb(&mut self, barrier: Barrier) {
        self.inst(barrier.bits(), format_args!("dmb {}", barrier.mnemonic()));
    }

    /// `clrex` ("Barriers"): gives up the exclusive access.
    pub fn clrex(&mut self) {
        self.inst(bits!("1101010100 0 00 011 0011 1111 0 10 11111"), format_args!("clrex"));
    }

    /// `mrs xd, TPIDR_EL0` ("System register move"): the thread pointer.
    pub fn read_thread_pointer(&mut self, d: Gpr) {
        let word = bits!("1101010100 1 1 1 011 1101 0000 010 ttttt") | d.d();
        self.checked(d.is_plain(), word, format_args!("mrs {d}, TPIDR_EL0"));
    }
}

/// `nop`, which is `hint #0`.
pub(super) const NOP: u32 = bits!("1101010100 0 00 011 0010 0000 000 11111");
