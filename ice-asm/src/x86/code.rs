//! The instruction format: prefixes, opcode, ModRM, SIB, displacement, immediate (SDM volume 2, chapter 2).
//!
//! A [`Code`] is parsed at compile time from the manual's notation, such as `"66 0F 3A 16 /r"` or `"81 /4"`.
//! Prefixes come in the order in which assemblers write them: segment, 67, 66, F2/F3, F0, REX.

use super::Encoder;
use super::operand::{AddressSize, Base, Gpr, Mem, Mode, Segment, Target, Width};
use crate::buffer::Label;
use crate::error::Error;
use crate::listing::Listing;
use crate::reloc::{Reloc, RelocKind, SymbolId};

/// An opcode with its mandatory prefix, map and ModRM extension.
#[derive(Clone, Copy)]
pub(super) struct Code {
    /// 0, 66, F2 or F3.
    pub prefix: u8,
    /// 0: one byte; 1: 0F; 2: 0F 38; 3: 0F 3A.
    pub map: u8,
    pub opcode: u8,
    /// The digit of `/digit`.
    pub ext: u8,
    pub rex_w: bool,
}

impl Code {
    pub const NONE: Code = Code { prefix: 0, map: 0, opcode: 0, ext: 0, rex_w: false };

    pub const fn plus(self, n: u8) -> Code {
        Code { opcode: self.opcode + n, ..self }
    }
}

const fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'A'..=b'F' => digit - b'A' + 10,
        _ => panic!("not an upper-case hexadecimal digit"),
    }
}

/// Parses the manual's notation: bytes, `REX.W`, `/r` or `/digit`.
pub(super) const fn code(text: &str) -> Code {
    let text = text.as_bytes();
    let mut code = Code::NONE;
    let (mut i, mut count) = (0, 0);
    while i < text.len() {
        match text[i] {
            b' ' => i += 1,
            b'R' => {
                code.rex_w = true;
                i += 5;
            }
            b'/' => {
                if text[i + 1] != b'r' {
                    code.ext = hex(text[i + 1]);
                }
                i += 2;
            }
            _ => {
                let byte = hex(text[i]) << 4 | hex(text[i + 1]);
                // What was taken for the opcode was a prefix or an escape if another byte follows.
                if count > 0 {
                    match (code.map, code.opcode) {
                        (0, 0x66 | 0xf2 | 0xf3 | 0xd9) => code.prefix = code.opcode,
                        (0, 0x0f) => code.map = 1,
                        (1, 0x38) => code.map = 2,
                        (1, 0x3a) => code.map = 3,
                        _ => panic!("unknown opcode map"),
                    }
                }
                code.opcode = byte;
                count += 1;
                i += 2;
            }
        }
    }
    code
}

/// Attributes of one instruction, a set of bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Attrs(u8);

impl Attrs {
    pub const NONE: Attrs = Attrs(0);
    /// Prefix 66.
    const SIZE16: u8 = 1;
    const REX_W: u8 = 2;
    /// Prefix F0.
    const LOCKED: u8 = 4;
    /// The register operand is a byte register.
    const BYTE_REG: u8 = 8;
    /// The r/m operand is a byte register.
    const BYTE_RM: u8 = 16;

    /// Both operands have this width.
    pub const fn width(width: Width) -> Attrs {
        Attrs(match width {
            Width::B8 => Self::BYTE_REG | Self::BYTE_RM,
            Width::B16 => Self::SIZE16,
            Width::B32 => 0,
            Width::B64 => Self::REX_W,
        })
    }

    /// The register operand has this width, the r/m operand is a byte.
    pub const fn byte_rm(self) -> Attrs {
        Attrs(self.0 | Self::BYTE_RM)
    }

    /// No register operand is a byte register (it is an extension).
    pub const fn no_reg(self) -> Attrs {
        Attrs(self.0 & !Self::BYTE_REG)
    }

    pub const fn locked(self) -> Attrs {
        Attrs(self.0 | Self::LOCKED)
    }

    const fn has(self, bits: u8) -> bool {
        self.0 & bits != 0
    }
}

/// The immediate of an instruction: value, size in bytes, relocation.
#[derive(Clone, Copy)]
pub(super) struct Immediate {
    pub value: i64,
    pub size: u8,
    pub symbol: Option<(SymbolId, RelocKind)>,
}

impl Immediate {
    pub const NONE: Immediate = Immediate { value: 0, size: 0, symbol: None };

    pub const fn new(value: i64, size: u8) -> Immediate {
        Immediate { value, size, symbol: None }
    }
}

/// The displacement field of an address, where the linker or the buffer fills it in.
#[derive(Clone, Copy)]
enum Field {
    Symbol(SymbolId, RelocKind),
    Label(Label),
}

struct Inst {
    bytes: [u8; 16],
    len: usize,
}

impl Inst {
    #[inline]
    fn push(&mut self, byte: u8) {
        self.bytes[self.len & 15] = byte;
        self.len += 1;
    }

    #[inline]
    fn push32(&mut self, value: i32) {
        value.to_le_bytes().into_iter().for_each(|byte| self.push(byte));
    }

    #[inline]
    fn immediate(&mut self, imm: Immediate) {
        if imm.symbol.is_some() {
            return (0..imm.size).for_each(|_| self.push(0));
        }
        for i in 0..imm.size {
            self.push((imm.value >> (8 * i)) as u8);
        }
    }
}

const REX_B: u8 = 1;
const REX_X: u8 = 2;
const REX_R: u8 = 4;
const REX_W: u8 = 8;

impl<L: Listing> Encoder<'_, L> {
    /// An operand cannot be encoded.
    #[cold]
    pub(super) fn invalid(&mut self) {
        let offset = self.buf.offset();
        self.buf.fail(Error::InvalidOperand { offset });
    }

    /// Prefixes from 66 on, and the opcode. `rex` holds the register bits; `byte` whether a byte
    /// register needs a REX prefix to mean its low byte.
    #[inline]
    fn opcode(&mut self, inst: &mut Inst, code: Code, attrs: Attrs, mut rex: u8, byte: bool) {
        if attrs.has(Attrs::SIZE16) {
            inst.push(0x66);
        }
        if code.prefix != 0 {
            inst.push(code.prefix);
        }
        if attrs.has(Attrs::LOCKED) {
            inst.push(0xf0);
        }
        if attrs.has(Attrs::REX_W) || code.rex_w {
            rex |= REX_W;
        }
        if rex != 0 || byte {
            match self.mode {
                Mode::Bits64 => inst.push(0x40 | rex),
                Mode::Bits32 if rex != 0 => self.invalid(),
                Mode::Bits32 => {}
            }
        }
        match code.map {
            0 => {}
            1 => inst.push(0x0f),
            2 => {
                inst.push(0x0f);
                inst.push(0x38);
            }
            _ => {
                inst.push(0x0f);
                inst.push(0x3a);
            }
        }
        inst.push(code.opcode);
    }

    #[inline]
    fn finish_inst(&mut self, mut inst: Inst, imm: Immediate) {
        inst.immediate(imm);
        let offset = self.buf.offset();
        if let Some((symbol, kind)) = imm.symbol {
            let offset = offset + inst.len as u32 - u32::from(imm.size);
            self.buf.add_reloc(Reloc { offset, kind, symbol, addend: imm.value });
        }
        self.buf.append_inst(&inst.bytes, inst.len.min(15));
    }

    /// An instruction without ModRM; `reg` goes into the low bits of the opcode.
    pub(super) fn inst_o(&mut self, code: Code, attrs: Attrs, reg: u8, imm: Immediate) {
        let mut inst = Inst { bytes: [0; 16], len: 0 };
        let byte = attrs.has(Attrs::BYTE_REG) && (4..8).contains(&reg);
        self.opcode(&mut inst, code.plus(reg & 7), attrs, reg >> 3, byte);
        self.finish_inst(inst, imm);
    }

    /// An instruction with two registers; `reg` is an extension where there is only one.
    pub(super) fn inst_rr(&mut self, code: Code, attrs: Attrs, reg: u8, rm: u8, imm: Immediate) {
        let mut inst = Inst { bytes: [0; 16], len: 0 };
        let byte = attrs.has(Attrs::BYTE_REG) && (4..8).contains(&reg)
            || attrs.has(Attrs::BYTE_RM) && (4..8).contains(&rm);
        let rex = if reg >= 8 { REX_R } else { 0 } | if rm >= 8 { REX_B } else { 0 };
        self.opcode(&mut inst, code, attrs, rex, byte);
        inst.push(0xc0 | (reg & 7) << 3 | rm & 7);
        self.finish_inst(inst, imm);
    }

    /// An instruction with a register (or extension) and memory.
    pub(super) fn inst_rm(&mut self, code: Code, attrs: Attrs, reg: u8, mem: &Mem, imm: Immediate) {
        let mut inst = Inst { bytes: [0; 16], len: 0 };
        let byte = attrs.has(Attrs::BYTE_REG) && (4..8).contains(&reg);
        self.address_prefixes(&mut inst, mem);
        let mut rex = if reg >= 8 { REX_R } else { 0 };
        if let Base::Reg(base) = mem.base
            && base.number() >= 8
        {
            rex |= REX_B;
        }
        if let Some((index, _)) = mem.index {
            if index.number() >= 8 {
                rex |= REX_X;
            } else if index == Gpr::RSP {
                self.invalid();
            }
        }
        self.opcode(&mut inst, code, attrs, rex, byte);
        let at = self.address(&mut inst, (reg & 7) << 3, mem);
        if let Some((at, field)) = at {
            let (start, after) = (self.buf.offset(), 4 + u32::from(imm.size));
            let offset = start + at as u32;
            let pc = if mem.base == Base::Rip { i64::from(after) } else { 0 };
            let addend = i64::from(mem.disp) - pc;
            match field {
                Field::Symbol(symbol, kind) => self.buf.add_reloc(Reloc { offset, kind, symbol, addend }),
                Field::Label(label) if mem.base == Base::Rip => {
                    self.buf.pc_relative_to_label(offset, label, addend as i32);
                }
                Field::Label(label) => {
                    let kind = match self.mode {
                        Mode::Bits32 => RelocKind::Abs32,
                        Mode::Bits64 => RelocKind::Abs32S,
                    };
                    self.buf.reloc_to_label(offset, kind, label, addend);
                }
            }
        }
        self.finish_inst(inst, imm);
    }

    /// `mov` between the accumulator and an absolute address in 32-bit mode: no ModRM.
    pub(super) fn inst_offset(&mut self, code: Code, attrs: Attrs, mem: &Mem) {
        let mut inst = Inst { bytes: [0; 16], len: 0 };
        self.address_prefixes(&mut inst, mem);
        self.opcode(&mut inst, code, attrs, 0, false);
        let symbol = match mem.target {
            Target::Symbol(symbol, kind) => Some((symbol, kind)),
            _ => None,
        };
        if let Target::Label(label) = mem.target {
            let at = self.buf.offset() + inst.len as u32;
            self.buf.reloc_to_label(at, RelocKind::Abs32, label, mem.disp.into());
        }
        let value = if mem.target == Target::None || symbol.is_some() { mem.disp.into() } else { 0 };
        self.finish_inst(inst, Immediate { value, size: 4, symbol });
    }

    /// The instruction with a 32-bit PC-relative operand: `call rel32`, `jmp rel32`.
    pub(super) fn inst_rel(&mut self, code: Code) -> u32 {
        let mut inst = Inst { bytes: [0; 16], len: 0 };
        self.opcode(&mut inst, code, Attrs::NONE, 0, false);
        let at = self.buf.offset() + inst.len as u32;
        inst.len += 4;
        self.finish_inst(inst, Immediate::NONE);
        at
    }

    fn address_prefixes(&mut self, inst: &mut Inst, mem: &Mem) {
        match mem.segment {
            Segment::Default => {}
            Segment::Fs => inst.push(0x64),
            Segment::Gs => inst.push(0x65),
        }
        // An address that is not negative is the same in 32 and 64 bits.
        let plain = match mem.base {
            Base::None => mem.index.is_none() && mem.disp >= 0,
            Base::Reg(_) => false,
            Base::Rip => true,
        };
        if mem.address_size == AddressSize::Addr32 && self.mode == Mode::Bits64 && !plain {
            inst.push(0x67);
        }
    }

    /// ModRM, SIB and displacement (SDM volume 2, tables 2-2 and 2-3). Gives the place of a
    /// displacement that is filled in later.
    fn address(&mut self, inst: &mut Inst, reg: u8, mem: &Mem) -> Option<(usize, Field)> {
        let (field, disp) = match mem.target {
            Target::None => (None, mem.disp),
            Target::Symbol(symbol, kind) => (Some(Field::Symbol(symbol, kind)), 0),
            Target::Label(label) => (Some(Field::Label(label)), 0),
        };
        const SIB: u8 = 4;
        const NO_BASE: u8 = 5;
        const NO_INDEX: u8 = 4 << 3;
        let index =
            mem.index.map_or(NO_INDEX, |(index, scale)| (scale as u8) << 6 | (index.number() & 7) << 3);
        match mem.base {
            Base::Reg(base) => {
                let base = base.number() & 7;
                let mode: u8 = if field.is_some() {
                    2
                } else if disp == 0 && base != NO_BASE {
                    0
                } else if i8::try_from(disp).is_ok() {
                    1
                } else {
                    2
                };
                if mem.index.is_some() || base == SIB {
                    inst.push(mode << 6 | reg | SIB);
                    inst.push(index | base);
                } else {
                    inst.push(mode << 6 | reg | base);
                }
                match mode {
                    0 => return None,
                    1 => {
                        inst.push(disp as u8);
                        return None;
                    }
                    _ => {}
                }
            }
            // In 64-bit mode the form without SIB is relative to the next instruction.
            Base::None if mem.index.is_none() && self.mode == Mode::Bits32 => inst.push(reg | NO_BASE),
            Base::None => {
                inst.push(reg | SIB);
                inst.push(index | NO_BASE);
            }
            Base::Rip => {
                if mem.index.is_some() || self.mode == Mode::Bits32 {
                    self.invalid();
                }
                inst.push(reg | NO_BASE);
            }
        }
        let at = inst.len;
        inst.push32(disp);
        field.map(|field| (at, field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notation_is_parsed() {
        let c = code("66 REX.W 0F 3A 16 /r");
        assert_eq!((c.prefix, c.map, c.opcode, c.ext, c.rex_w), (0x66, 3, 0x16, 0, true));
        let c = code("0F 38 F1 /7");
        assert_eq!((c.prefix, c.map, c.opcode, c.ext, c.rex_w), (0, 2, 0xf1, 7, false));
        let c = code("F2 0F 38");
        assert_eq!((c.prefix, c.map, c.opcode), (0xf2, 1, 0x38));
    }
}
