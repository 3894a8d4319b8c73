//! Jumps, calls, traps and barriers (MD00086, chapter 3; tables ), and the words of branches.

use super::operand::{Cond, Gpr, Imm};
use super::text::Row;
use super::{Encoder, ops};
use crate::listing::Listing;
use crate::reloc::{RelocKind, SymbolId};

ops!(
    /// Traps if two registers compare so.
    Trap "s, t, q":
    Tge  "tge"  "0000 00ss ssst tttt qqqq qqqq qq11 0000",
    Tgeu "tgeu" "0000 00ss ssst tttt qqqq qqqq qq11 0001",
    Tlt  "tlt"  "0000 00ss ssst tttt qqqq qqqq qq11 0010",
    Tltu "tltu" "0000 00ss ssst tttt qqqq qqqq qq11 0011",
    Teq  "teq"  "0000 00ss ssst tttt qqqq qqqq qq11 0100",
    Tne  "tne"  "0000 00ss ssst tttt qqqq qqqq qq11 0110",
);

ops!(
    /// To a symbol in the same 256 MiB; `jal` leaves the address behind the slot in `$ra`.
    Jump "j":
    J   "j"   "0000 10jj jjjj jjjj jjjj jjjj jjjj jjjj",
    Jal "jal" "0000 11jj jjjj jjjj jjjj jjjj jjjj jjjj",
);

const NOP: Row = Row::new("nop", "", "0000 0000 0000 0000 0000 0000 0000 0000");
const JR: Row = Row::new("jr", "s", "0000 00ss sss0 0000 0000 0000 0000 1000");
const JALR: Row = Row::new("jalr", "d, s", "0000 00ss sss0 0000 dddd d000 0000 1001");
const BREAK: Row = Row::new("break", "k", "0000 00kk kkkk kkkk 0000 0000 0000 1101");
const SYSCALL: Row = Row::new("syscall", "", "0000 0000 0000 0000 0000 0000 0000 1100");
const SYNC: Row = Row::new("sync", "", "0000 0000 0000 0000 0000 0000 0000 1111");
const RDHWR: Row = Row::new("rdhwr", "t, h", "0111 1100 000t tttt hhhh h000 0011 1011");

const B: Row = Row::new("b", "b", "0001 0000 0000 0000 bbbb bbbb bbbb bbbb");
const BEQ: Row = Row::new("beq", "s, t, b", "0001 00ss ssst tttt bbbb bbbb bbbb bbbb");
const BNE: Row = Row::new("bne", "s, t, b", "0001 01ss ssst tttt bbbb bbbb bbbb bbbb");
const BLEZ: Row = Row::new("blez", "s, b", "0001 10ss sss0 0000 bbbb bbbb bbbb bbbb");
const BGTZ: Row = Row::new("bgtz", "s, b", "0001 11ss sss0 0000 bbbb bbbb bbbb bbbb");
const BLTZ: Row = Row::new("bltz", "s, b", "0000 01ss sss0 0000 bbbb bbbb bbbb bbbb");
const BGEZ: Row = Row::new("bgez", "s, b", "0000 01ss sss0 0001 bbbb bbbb bbbb bbbb");
const BC1F: Row = Row::new("bc1f", "M, b", "0100 0101 000M MM00 bbbb bbbb bbbb bbbb");
const BC1T: Row = Row::new("bc1t", "M, b", "0100 0101 000M MM01 bbbb bbbb bbbb bbbb");
/// The branches that execute their slots only if they are taken.
const LIKELY: [Row; 8] = [
    Row::new("beql", "s, t, b", "0101 00ss ssst tttt bbbb bbbb bbbb bbbb"),
    Row::new("bnel", "s, t, b", "0101 01ss ssst tttt bbbb bbbb bbbb bbbb"),
    Row::new("blezl", "s, b", "0101 10ss sss0 0000 bbbb bbbb bbbb bbbb"),
    Row::new("bgtzl", "s, b", "0101 11ss sss0 0000 bbbb bbbb bbbb bbbb"),
    Row::new("bltzl", "s, b", "0000 01ss sss0 0010 bbbb bbbb bbbb bbbb"),
    Row::new("bgezl", "s, b", "0000 01ss sss0 0011 bbbb bbbb bbbb bbbb"),
    Row::new("bc1fl", "M, b", "0100 0101 000M MM10 bbbb bbbb bbbb bbbb"),
    Row::new("bc1tl", "M, b", "0100 0101 000M MM11 bbbb bbbb bbbb bbbb"),
];
/// `bgezal` of register 0: puts the address behind the slot into `$ra`, and goes on wherever it says.
const BAL: Row = Row::new("bal", "b", "0000 0100 0001 0001 bbbb bbbb bbbb bbbb");

/// Instructions whose words are those of others as well.
pub(super) const FIRST: &[&[Row]] = &[&[NOP, B]];
pub(super) const ROWS: &[&[Row]] = &[
    Trap::ROWS,
    Jump::ROWS,
    &[JR, JALR, BREAK, SYSCALL, SYNC, RDHWR],
    &[BEQ, BNE, BLEZ, BGTZ, BLTZ, BGEZ, BC1F, BC1T, BAL],
    &LIKELY,
];

/// The code of a trap for division by zero, which the kernel turns into SIGFPE.
const DIVISION: u16 = 7;

/// The word of a branch over `distance` bytes from its start, which it reaches.
pub(super) fn branch_word(cond: Option<Cond>, distance: i64) -> u32 {
    let bits = match cond {
        None => B.bits,
        Some(cond) => condition_bits(cond),
    };
    bits | branch_field(distance)
}

/// The conditional branch that executes its slot only if it is taken, instead of one that does so in any case.
pub(super) const fn likely_word(branch: u32) -> u32 {
    match branch >> 26 {
        0x04..=0x07 => branch | 1 << 30,
        _ => branch | 1 << 17,
    }
}

fn condition_bits(cond: Cond) -> u32 {
    match cond {
        Cond::Eq(s, t) => BEQ.bits | s.s() | t.t(),
        Cond::Ne(s, t) => BNE.bits | s.s() | t.t(),
        Cond::Lez(s) => BLEZ.bits | s.s(),
        Cond::Gtz(s) => BGTZ.bits | s.s(),
        Cond::Ltz(s) => BLTZ.bits | s.s(),
        Cond::Gez(s) => BGEZ.bits | s.s(),
        Cond::True(cc) => BC1T.bits | u32::from(cc.number()) << 18,
        Cond::False(cc) => BC1F.bits | u32::from(cc.number()) << 18,
    }
}

/// The field of a branch, which counts words from behind the branch.
fn branch_field(distance: i64) -> u32 {
    u32::from(((distance - 4) >> 2) as u16)
}

/// Branches and leaves the address behind the slot in `$ra`.
pub(super) fn bal_word(distance: i64) -> u32 {
    BAL.bits | branch_field(distance)
}

/// `j` before its linker has put an address into it.
pub(super) const J_WORD: u32 = 2 << 26;

/// Jumps by a register.
pub(super) const fn jr_word(s: Gpr) -> u32 {
    JR.bits | s.s()
}

impl<L: Listing> Encoder<'_, L> {
    /// `jr rs`: a return, a tail call, a jump by a table. The next instruction is in its slot.
    pub fn jr(&mut self, s: Gpr) {
        self.inst(jr_word(s));
    }

    /// `jalr rd, rs`: a call that leaves the return address in rd, which is not rs. The next instruction is in its
    /// slot.
    pub fn jalr(&mut self, d: Gpr, s: Gpr) {
        self.checked(d != s, JALR.bits | s.s() | d.d());
    }

    /// `j symbol`, `jal`. The next instruction is in its slot.
    pub fn jump_symbol(&mut self, op: Jump, symbol: SymbolId) {
        self.inst_signed(op.bits(), Imm::Symbol(RelocKind::Mips26, symbol, 0));
    }

    /// `teq rs, rt, code` and its like; the code has ten bits.
    pub fn trap(&mut self, op: Trap, s: Gpr, t: Gpr, code: u16) {
        self.checked(code < 1 << 10, op.bits() | s.s() | t.t() | u32::from(code) << 6);
    }

    /// `teq rs, $zero, 7`: traps if the divisor is zero.
    pub fn trap_if_zero(&mut self, s: Gpr) {
        self.trap(Trap::Teq, s, Gpr::ZERO, DIVISION);
    }

    /// `break code`; the code has ten bits.
    pub fn breakpoint(&mut self, code: u16) {
        self.checked(code < 1 << 10, BREAK.bits | u32::from(code) << 16);
    }

    /// `syscall`.
    pub fn syscall(&mut self) {
        self.inst(SYSCALL.bits);
    }

    /// `sync`: loads and stores before it are done before those behind it.
    pub fn sync(&mut self) {
        self.inst(SYNC.bits);
    }

    /// `rdhwr rt, $29`: the thread pointer of the operating system.
    pub fn read_thread_pointer(&mut self, t: Gpr) {
        const USER_LOCAL: u32 = 29;
        self.inst(RDHWR.bits | t.t() | USER_LOCAL << 11);
    }

    /// `nop`.
    pub fn nop(&mut self) {
        self.inst(NOP.bits);
    }
}
