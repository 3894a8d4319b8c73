//! Calls, indirect branches, barriers and traps.

use super::operand::Cond;
use super::register::Gpr;
use super::{Encoder, bits, ops};
use crate::listing::{Listing, SymbolText};
use crate::reloc::{Reloc, RelocKind, SymbolId};

ops!(
    /// Memory barriers over the inner shareable domain, and the instruction barrier.
    Barrier:
    Dmb "dmb ish" "1111 0101 0111 1111 1111 0000 0101 1011", // A8.8.43
    Dsb "dsb ish" "1111 0101 0111 1111 1111 0000 0100 1011", // A8.8.44
    Isb "isb sy"  "1111 0101 0111 1111 1111 0000 0110 1111", // A8.8.53
);

/// How far ahead pc is of the instruction that reads it, in bytes.
pub(super) const PC_AHEAD: i64 = 8;

/// The field of a branch over `distance` bytes, from its start to the target, that it reaches.
pub(super) fn branch_field(distance: i64) -> u32 {
    ((distance - PC_AHEAD) >> 2) as u32 & 0x00ff_ffff
}

impl<L: Listing> Encoder<'_, L> {
    /// `bl symbol` (A8.8.25). The linker may make it `blx` where the target is Thumb code.
    pub fn bl_symbol(&mut self, symbol: SymbolId) {
        self.branch_to_symbol(
            Cond::Al,
            bits!("cccc 1011 iiii iiii iiii iiii iiii iiii"),
            "bl",
            RelocKind::ArmCall,
            symbol,
        );
    }

    /// `bl<c> symbol`; the target must be ARM code or reached by a veneer.
    pub fn bl_symbol_if(&mut self, cond: Cond, symbol: SymbolId) {
        let kind = if cond == Cond::Al { RelocKind::ArmCall } else { RelocKind::ArmJump24 };
        self.branch_to_symbol(cond, bits!("cccc 1011 iiii iiii iiii iiii iiii iiii"), "bl", kind, symbol);
    }

    /// `b<c> symbol` (A8.8.18): a tail call.
    pub fn b_symbol(&mut self, cond: Cond, symbol: SymbolId) {
        let kind = RelocKind::ArmJump24;
        self.branch_to_symbol(cond, bits!("cccc 1010 iiii iiii iiii iiii iiii iiii"), "b", kind, symbol);
    }

    fn branch_to_symbol(&mut self, cond: Cond, bits: u32, mnemonic: &str, kind: RelocKind, symbol: SymbolId) {
        self.inst(cond.bits() | bits, format_args!("{mnemonic}{cond} {}", SymbolText(symbol)));
        let offset = self.last_inst();
        self.buf.add_reloc(Reloc { offset, kind, symbol, addend: -PC_AHEAD });
    }

    /// `blx<c> rm` (A8.8.26).
    pub fn blx(&mut self, cond: Cond, m: Gpr) {
        let word = bits!("cccc 0001 0010 1111 1111 1111 0011 mmmm") | cond.bits() | m.bits();
        self.inst(word, format_args!("blx{cond} {m}"));
    }

    /// `bx<c> rm` (A8.8.27).
    pub fn bx(&mut self, cond: Cond, m: Gpr) {
        let word = bits!("cccc 0001 0010 1111 1111 1111 0001 mmmm") | cond.bits() | m.bits();
        self.inst(word, format_args!("bx{cond} {m}"));
    }

    /// `bkpt #n` (A8.8.24).
    pub fn bkpt(&mut self, number: u16) {
        let n = u32::from(number);
        let word = bits!("1110 0001 0010 iiii iiii iiii 0111 iiii") | (n & 0xfff0) << 4 | n & 15;
        self.inst(word, format_args!("bkpt #{number}"));
    }

    /// `udf #n` (A8.8.247): permanently undefined, ends the program with a fault.
    pub fn udf(&mut self, number: u16) {
        let n = u32::from(number);
        let word = bits!("1110 0111 1111 iiii iiii iiii 1111 iiii") | (n & 0xfff0) << 4 | n & 15;
        self.inst(word, format_args!("udf #{number}"));
    }

    /// `svc<c> #n` (A8.8.228); the number has 24 bits.
    pub fn svc(&mut self, cond: Cond, number: u32) {
        let word = bits!("cccc 1111 iiii iiii iiii iiii iiii iiii") | cond.bits() | number & 0x00ff_ffff;
        self.checked(number >> 24 == 0, word, format_args!("svc{cond} #{number}"));
    }

    /// `nop<c>` (A8.8.119).
    pub fn nop(&mut self, cond: Cond) {
        let word = bits!("cccc 0011 0010 0000 1111 0000 0000 0000") | cond.bits();
        self.inst(word, format_args!("nop{cond}"));
    }

    /// A barrier.
    pub fn barrier(&mut self, op: Barrier) {
        self.inst(op.bits(), format_args!("{}", op.mnemonic()));
    }

    /// `clrex` (A8.8.32): gives up the exclusive access.
    pub fn clrex(&mut self) {
        self.inst(bits!("1111 0101 0111 1111 1111 0000 0001 1111"), format_args!("clrex"));
    }

    /// `mrc<c> p15, 0, rt, c13, c0, 3` (A8.8.108, B4.1.151): the thread pointer of the operating system.
    pub fn read_thread_id(&mut self, cond: Cond, t: Gpr) {
        let word = bits!("cccc 1110 0001 1101 tttt 1111 0111 0000") | cond.bits() | t.bits() << 12;
        self.inst(word, format_args!("mrc{cond} p15, #0, {t}, c13, c0, #3"));
    }
}
