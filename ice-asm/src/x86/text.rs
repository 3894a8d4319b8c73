//! AT&T text of operands.

use super::Encoder;
use super::operand::{AddressSize, Base, Gpr, Imm, Mem, Mode, Segment, Target, Width, Xmm};
use crate::listing::{LabelText, Listing, SymbolText};
use crate::reloc::RelocKind;
use core::fmt::{self, Write};

/// An operand of a line, in the order of AT&T text: sources first.
#[derive(Clone, Copy)]
pub(super) enum Op<'a> {
    Reg(Gpr, Width),
    Xmm(Xmm),
    Ymm(Xmm),
    St(u8),
    Mem(&'a Mem),
    Imm(i64),
    Sym(Imm),
    /// Target of an indirect jump or call.
    Star(&'a Op<'a>),
    Raw(&'static str),
}

#[rustfmt::skip]
const LOW8: [&str; 16] = ["al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"];
const HIGH8: [&str; 4] = ["ah", "ch", "dh", "bh"];
#[rustfmt::skip]
const R16: [&str; 16] = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w"];
#[rustfmt::skip]
const R32: [&str; 16] = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"];
#[rustfmt::skip]
const R64: [&str; 16] = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];

/// The part of a general register that a name in assembler text means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NamedRegister {
    /// The register. Of ah, ch, dh and bh it has the number of spl, bpl, sil and dil.
    pub reg: Gpr,
    /// How much of it.
    pub width: Width,
    /// Whether it is ah, ch, dh or bh.
    pub is_high: bool,
}

impl NamedRegister {
    /// The name, without a percent sign.
    #[must_use]
    pub fn name(self) -> &'static str {
        let n = self.reg.number() as usize;
        match (self.width, n) {
            (Width::B8, 4..8) if self.is_high => HIGH8[n - 4],
            (Width::B8, _) => LOW8[n],
            (Width::B16, _) => R16[n],
            (Width::B32, _) => R32[n],
            (Width::B64, _) => R64[n],
        }
    }

    /// What a name without a percent sign, in lower case, means.
    #[must_use]
    pub fn of_name(name: &str) -> Option<NamedRegister> {
        let of =
            |number: usize, width, is_high| NamedRegister { reg: Gpr::new(number as u8), width, is_high };
        let find = |names: &[&str]| names.iter().position(|&known| known == name);
        let widths = [(LOW8, Width::B8), (R16, Width::B16), (R32, Width::B32), (R64, Width::B64)];
        let low = widths.iter().find_map(|(names, width)| Some(of(find(names)?, *width, false)));
        low.or_else(|| Some(of(find(&HIGH8)? + 4, Width::B8, true)))
    }
}

fn reg_name(reg: Gpr, width: Width, mode: Mode) -> &'static str {
    NamedRegister { reg, width, is_high: mode == Mode::Bits32 && (4..8).contains(&reg.number()) }.name()
}

/// What follows a symbol to ask for this relocation.
fn modifier(kind: RelocKind, mode: Mode) -> &'static str {
    match kind {
        RelocKind::Plt32 => "@PLT",
        RelocKind::GotPcRel32 => "@GOTPCREL",
        RelocKind::Got32 => "@GOT",
        RelocKind::GotOff32 => "@GOTOFF",
        RelocKind::TpOff32 if mode == Mode::Bits64 => "@TPOFF",
        RelocKind::TpOff32 => "@NTPOFF",
        RelocKind::GotTpOff32 if mode == Mode::Bits64 => "@GOTTPOFF",
        RelocKind::GotTpOff32 => "@INDNTPOFF",
        RelocKind::GotTpOffBase32 => "@GOTNTPOFF",
        RelocKind::TlsGd32 => "@TLSGD",
        _ => "",
    }
}

/// A register with its percent sign.
pub(super) fn write_register(out: &mut dyn Write, reg: Gpr, width: Width, mode: Mode) -> fmt::Result {
    write!(out, "%{}", reg_name(reg, width, mode))
}

fn write_mem(out: &mut dyn Write, mem: &Mem, mode: Mode) -> fmt::Result {
    match mem.segment {
        Segment::Default => {}
        Segment::Fs => out.write_str("%fs:")?,
        Segment::Gs => out.write_str("%gs:")?,
    }
    let bare = mem.base == Base::None && mem.index.is_none();
    match mem.target {
        Target::None if mem.disp != 0 || bare => write!(out, "{}", mem.disp)?,
        Target::None => {}
        Target::Symbol(symbol, kind) => write!(out, "{}{}", SymbolText(symbol), modifier(kind, mode))?,
        Target::Label(label) => write!(out, "{}", LabelText(label))?,
    }
    if mem.target != Target::None && mem.disp != 0 {
        write!(out, "{:+}", mem.disp)?;
    }
    let width = match (mode, mem.address_size) {
        (Mode::Bits64, AddressSize::Native) => Width::B64,
        _ => Width::B32,
    };
    match (mem.base, mem.index) {
        (Base::None, None) => Ok(()),
        (Base::Rip, _) => out.write_str("(%rip)"),
        (base, index) => {
            out.write_char('(')?;
            if let Base::Reg(base) = base {
                write!(out, "%{}", reg_name(base, width, mode))?;
            }
            if let Some((index, scale)) = index {
                write!(out, ",%{},{}", reg_name(index, width, mode), 1 << scale as u8)?;
            }
            out.write_char(')')
        }
    }
}

fn write_op(out: &mut dyn Write, op: &Op<'_>, mode: Mode) -> fmt::Result {
    match *op {
        Op::Reg(reg, width) => write!(out, "%{}", reg_name(reg, width, mode)),
        Op::Xmm(reg) => write!(out, "%xmm{}", reg.number()),
        Op::Ymm(reg) => write!(out, "%ymm{}", reg.number()),
        Op::St(n) => write!(out, "%st({n})"),
        Op::Mem(mem) => write_mem(out, mem, mode),
        Op::Imm(value) => write!(out, "${value}"),
        Op::Sym(Imm::Value(value)) => write!(out, "${value}"),
        Op::Sym(Imm::Symbol(symbol, kind, addend)) => {
            write!(out, "${}{}", SymbolText(symbol), modifier(kind, mode))?;
            if addend != 0 { write!(out, "{addend:+}") } else { Ok(()) }
        }
        Op::Star(op) => {
            out.write_char('*')?;
            write_op(out, op, mode)
        }
        Op::Raw(text) => out.write_str(text),
    }
}

impl<L: Listing> Encoder<'_, L> {
    /// The line of the instruction that is about to be appended.
    #[inline]
    pub(super) fn line(&mut self, mnemonic: &[&str], ops: &[Op<'_>]) {
        if L::ENABLED {
            let (offset, mode) = (self.buf.offset(), self.mode);
            self.buf.listing.line(offset, |out| {
                // Where no register tells the width of the address.
                let bare = |mem: &Mem| mem.base == Base::None && mem.index.is_none() && mem.needs_addr32();
                if mode == Mode::Bits64 && ops.iter().any(|op| matches!(op, Op::Mem(mem) if bare(mem))) {
                    out.write_str("addr32 ")?;
                }
                mnemonic.iter().try_for_each(|part| out.write_str(part))?;
                for (i, op) in ops.iter().enumerate() {
                    out.write_str(if i == 0 { " " } else { ", " })?;
                    write_op(out, op, mode)?;
                }
                Ok(())
            });
        }
    }
}
