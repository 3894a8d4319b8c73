//! Calls, jumps that are no branches between labels, returns, traps and instructions that do nothing.

use crate::buffer::Label;
use crate::listing::{LabelText, Listing, SymbolText};
use crate::reloc::{Reloc, RelocKind, SymbolId};
use crate::x86::Encoder;
use crate::x86::code::{Attrs, Code, Immediate};
use crate::x86::operand::{Gpr, Mode, Rm};
use crate::x86::text::Op;

/// The prefix of a branch that is not looked at, which elsewhere is that of the segment ds (SDM volume 1, 17.3.1).
const NOTRACK: u8 = 0x3e;

impl<L: Listing> Encoder<'_, L> {
    /// `call` of a place in this buffer: E8 cd.
    pub fn call_label(&mut self, label: Label) {
        let offset = self.buf.offset();
        self.buf.listing.line(offset, |out| write!(out, "call {}", LabelText(label)));
        let at = self.inst_rel(code!("E8"));
        self.buf.pc_relative_to_label(at, label, -4);
    }

    /// `call symbol`: E8 cd. The kind is one of the PC-relative ones.
    pub fn call_symbol(&mut self, symbol: SymbolId, kind: RelocKind) {
        self.near("call", code!("E8"), symbol, kind);
    }

    /// `call r/m`: FF /2, in the width of the mode.
    pub fn call_rm(&mut self, rm: Rm<Gpr>) {
        self.line(&["call"], &[Op::Star(&Op::rm(&rm, self.word()))]);
        self.inst_reg_rm(code!("FF"), Attrs::NONE, 2, &rm, Immediate::NONE);
    }

    /// `jmp symbol`, a tail call: E9 cd. Control does not come back.
    pub fn jmp_symbol(&mut self, symbol: SymbolId, kind: RelocKind) {
        self.near("jmp", code!("E9"), symbol, kind);
        self.buf.stop_flow();
    }

    fn near(&mut self, mnemonic: &str, code: Code, symbol: SymbolId, kind: RelocKind) {
        let plt = if kind == RelocKind::Plt32 { "@PLT" } else { "" };
        let start = self.buf.offset();
        self.buf.listing.line(start, |out| write!(out, "{mnemonic} {}{plt}", SymbolText(symbol)));
        let offset = self.inst_rel(code);
        self.buf.add_reloc(Reloc { offset, kind, symbol, addend: -4 });
    }

    /// `jmp r/m`: FF /4, in the width of the mode.
    pub fn jmp_rm(&mut self, rm: Rm<Gpr>) {
        self.line(&["jmp"], &[Op::Star(&Op::rm(&rm, self.word()))]);
        self.inst_reg_rm(code!("FF"), Attrs::NONE, 4, &rm, Immediate::NONE);
        self.buf.stop_flow();
    }

    /// [`jmp_rm`](Self::jmp_rm) to wherever it leads, where indirect branches are looked at (CET): 3E FF /4.
    pub fn jmp_rm_untracked(&mut self, rm: Rm<Gpr>) {
        self.line(&["notrack jmp"], &[Op::Star(&Op::rm(&rm, self.word()))]);
        self.buf.append(&[NOTRACK]);
        self.inst_reg_rm(code!("FF"), Attrs::NONE, 4, &rm, Immediate::NONE);
        self.buf.stop_flow();
    }

    /// [`call_rm`](Self::call_rm) of whatever is there: 3E FF /2.
    pub fn call_rm_untracked(&mut self, rm: Rm<Gpr>) {
        self.line(&["notrack call"], &[Op::Star(&Op::rm(&rm, self.word()))]);
        self.buf.append(&[NOTRACK]);
        self.inst_reg_rm(code!("FF"), Attrs::NONE, 2, &rm, Immediate::NONE);
    }

    /// Where an indirect branch may lead, where these are looked at (CET), in the mode: `endbr32` F3 0F 1E FB, `endbr64`
    /// F3 0F 1E FA. Other processors do nothing.
    pub fn end_branch(&mut self) {
        match self.mode {
            Mode::Bits32 => self.plain("endbr32", code!("F3 0F 1E FB")),
            Mode::Bits64 => self.plain("endbr64", code!("F3 0F 1E FA")),
        }
    }

    /// `ret`: C3.
    pub fn ret(&mut self) {
        self.plain("ret", code!("C3"));
        self.buf.stop_flow();
    }

    /// `ret imm16`, which pops as many bytes of arguments: C2 iw.
    pub fn ret_pop(&mut self, bytes: u16) {
        self.line(&["ret"], &[Op::Imm(bytes.into())]);
        self.inst_o(code!("C2"), Attrs::NONE, 0, Immediate::new(bytes.into(), 2));
        self.buf.stop_flow();
    }

    /// `ud2`, the trap: 0F 0B.
    pub fn ud2(&mut self) {
        self.plain("ud2", code!("0F 0B"));
        self.buf.stop_flow();
    }

    /// `int3`: CC.
    pub fn int3(&mut self) {
        self.plain("int3", code!("CC"));
    }

    /// `hlt`: F4. A user program faults here; control is taken not to go on.
    pub fn hlt(&mut self) {
        self.plain("hlt", code!("F4"));
        self.buf.stop_flow();
    }

    /// `nop`: 90.
    pub fn nop(&mut self) {
        self.plain("nop", code!("90"));
    }

    /// `leave`: C9.
    pub fn leave(&mut self) {
        self.plain("leave", code!("C9"));
    }
}
