//! The instruction format: prefixes, opcode, ModRM, SIB, displacement, immediate (SDM volume 2, chapter 2).
//!
//! A [`Code`] is parsed at compile time from the manual's notation, such as `"66 0F 3A 16 /r"` or `"81 /4"`,
//! and takes on the attributes of the operands; eight bytes, to go by value. An instruction is composed in
//! registers as two words, the head up to its opcode and the tail up to its displacement, which the buffer
//! stores with the immediate behind each other. Prefixes come in the order in which assemblers write them:
//! segment, 67, 66, F2/F3, F0, REX.
//!
//! Cost: about 60 machine instructions for one with a memory operand, 40 for one between registers.

use super::Encoder;
use super::operand::{AddressSize, Base, Gpr, Mem, Mode, Segment, Target, Width};
use crate::buffer::bytes::Part;
use crate::error::Error;
use crate::listing::Listing;
use crate::reloc::{Reloc, RelocKind};

/// An opcode with its mandatory prefix, ModRM extension and attributes; eight bytes, to go by value.
#[derive(Clone, Copy)]
pub(super) struct Code {
    /// Escapes and opcode, first byte lowest.
    bytes: u32,
    len: u8,
    /// 0, 66, F2 or F3.
    prefix: u8,
    /// The digit of `/digit`.
    pub ext: u8,
    attrs: Attrs,
}

impl Code {
    pub const NONE: Code = Code { bytes: 0, len: 0, prefix: 0, ext: 0, attrs: Attrs::NONE };

    /// The code whose last byte is `n` more (or less).
    #[inline]
    pub const fn plus(self, n: i8) -> Code {
        // The last byte is the highest that is not zero: what is carried out of it is lost or was not there.
        let n = (n as i32 as u32) << (8 * (self.len as u32 - 1));
        Code { bytes: self.bytes.wrapping_add(n), ..self }
    }

    /// The last byte.
    pub const fn opcode(self) -> u8 {
        (self.bytes >> (8 * (self.len - 1))) as u8
    }

    pub const fn with_prefix(self, prefix: u8) -> Code {
        Code { prefix, ..self }
    }

    /// Whether REX.W is part of the code.
    pub const fn is_wide(self) -> bool {
        self.attrs.has(Attrs::REX_W)
    }

    #[inline]
    const fn with(self, attrs: Attrs) -> Code {
        Code { attrs: Attrs(self.attrs.0 | attrs.0), ..self }
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
    let mut i = 0;
    while i < text.len() {
        match text[i] {
            b' ' => i += 1,
            b'R' => {
                code.attrs = Attrs(code.attrs.0 | Attrs::REX_W);
                i += 5;
            }
            b'/' => {
                if text[i + 1] != b'r' {
                    code.ext = hex(text[i + 1]);
                }
                i += 2;
            }
            _ => {
                // What was taken for the opcode was a prefix if another byte follows.
                if code.len == 1 && code.prefix == 0 && matches!(code.bytes, 0x66 | 0xf2 | 0xf3) {
                    code = Code { prefix: code.bytes as u8, bytes: 0, len: 0, ..code };
                }
                let byte = hex(text[i]) << 4 | hex(text[i + 1]);
                code.bytes |= (byte as u32) << (8 * code.len);
                code.len += 1;
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
    /// Prefix F0.
    const LOCKED: u8 = 4;
    /// REX.W, the same bit as in the prefix.
    const REX_W: u8 = 8;
    /// The register operand is a byte register.
    const BYTE_REG: u8 = 16;
    /// The r/m operand is a byte register.
    const BYTE_RM: u8 = 32;

    /// Both operands have this width.
    #[inline]
    pub const fn width(width: Width) -> Attrs {
        Attrs([Self::BYTE_REG | Self::BYTE_RM, Self::SIZE16, 0, Self::REX_W][width as usize])
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

/// The immediate of an instruction: value and size in bytes.
#[derive(Clone, Copy)]
pub(super) struct Immediate {
    pub value: i64,
    pub size: u32,
}

impl Immediate {
    pub const NONE: Immediate = Immediate { value: 0, size: 0 };

    pub const fn new(value: i64, size: u32) -> Immediate {
        Immediate { value, size }
    }
}

/// Where a base is expected in ModRM: a SIB byte follows.
const SIB: u8 = 4;
/// Where a base is expected and the mode is 0: there is none.
const NO_BASE: u8 = 5;
/// In SIB: there is no index.
const NO_INDEX: u8 = 4 << 3;

const REX_B: u8 = 1;
const REX_X: u8 = 2;
const REX_R: u8 = 4;
/// In what is about to become REX: the prefix is needed even if no other bit is set.
const REX: u8 = 0x40;

impl<L: Listing> Encoder<'_, L> {
    /// An operand cannot be encoded.
    #[cold]
    pub(super) fn invalid(&mut self) {
        let offset = self.buf.offset();
        self.buf.fail(Error::InvalidOperand { offset });
    }

    /// Prefixes from 66 on, and the opcode. `rex` holds the register bits, and [`REX`] where a byte
    /// register needs the prefix to mean its low byte.
    #[inline(always)]
    fn opcode(&mut self, mut head: Part, code: Code, rex: u8) -> Part {
        if code.prefix != 0 || code.attrs.has(Attrs::SIZE16 | Attrs::LOCKED) {
            if code.attrs.has(Attrs::SIZE16) {
                head.push(0x66);
            }
            if code.prefix != 0 {
                head.push(code.prefix);
            }
            if code.attrs.has(Attrs::LOCKED) {
                head.push(0xf0);
            }
        }
        let rex = rex | code.attrs.0 & Attrs::REX_W;
        if rex != 0 {
            match self.mode {
                Mode::Bits64 => head.push(REX | rex),
                Mode::Bits32 if rex != REX => self.invalid(),
                Mode::Bits32 => {}
            }
        }
        head.bytes |= u64::from(code.bytes) << (8 * head.len);
        head.len += u32::from(code.len);
        head
    }

    #[inline(always)]
    fn finish_inst(&mut self, head: Part, tail: Part, imm: Immediate) {
        self.buf.append_inst([head, tail, Part { bytes: imm.value as u64, len: imm.size }]);
    }

    /// An instruction without ModRM; `reg` goes into the low bits of the opcode.
    pub(super) fn inst_o(&mut self, code: Code, attrs: Attrs, reg: u8, imm: Immediate) {
        let code = code.with(attrs).plus((reg & 7) as i8);
        let rex = ((reg >> 3) * REX_B) | byte_rex(code, Attrs::BYTE_REG, reg);
        let head = self.opcode(Part::EMPTY, code, rex);
        self.finish_inst(head, Part::EMPTY, imm);
    }

    /// An instruction with two registers; `reg` is an extension where there is only one.
    #[inline]
    pub(super) fn inst_rr(&mut self, code: Code, attrs: Attrs, reg: u8, rm: u8, imm: Immediate) {
        self.code_rr(code.with(attrs), reg, rm, imm);
    }

    fn code_rr(&mut self, code: Code, reg: u8, rm: u8, imm: Immediate) {
        let byte = byte_rex(code, Attrs::BYTE_REG, reg) | byte_rex(code, Attrs::BYTE_RM, rm);
        let head = self.opcode(Part::EMPTY, code, ((reg >> 3) * REX_R) | ((rm >> 3) * REX_B) | byte);
        let modrm = 0xc0 | (reg & 7) << 3 | rm & 7;
        self.finish_inst(head, Part { bytes: modrm.into(), len: 1 }, imm);
    }

    /// An instruction with a register (or extension) and memory.
    #[inline]
    pub(super) fn inst_rm(&mut self, code: Code, attrs: Attrs, reg: u8, mem: &Mem, imm: Immediate) {
        self.code_rm(code.with(attrs), reg, mem, imm);
    }

    fn code_rm(&mut self, code: Code, reg: u8, mem: &Mem, imm: Immediate) {
        let rex = ((reg >> 3) * REX_R) | byte_rex(code, Attrs::BYTE_REG, reg);
        // The usual operand, a base and a displacement, takes a short way.
        let Mem {
            base: Base::Reg(base),
            index: None,
            disp,
            target: Target::None,
            address_size,
            segment: Segment::Default,
        } = *mem
        else {
            return self.code_any_mem(code, reg, rex, mem, imm);
        };
        let mut head = Part::EMPTY;
        if address_size == AddressSize::Addr32 && self.mode == Mode::Bits64 {
            head.push(0x67);
        }
        let head = self.opcode(head, code, rex | ((base.number() >> 3) * REX_B));
        let base = base.number() & 7;
        let (mode, disp_len) = if disp == 0 && base != NO_BASE {
            (0, 0)
        } else if disp == i32::from(disp as i8) {
            (1 << 6, 1)
        } else {
            (2 << 6, 4)
        };
        let modrm = u64::from(mode | (reg & 7) << 3 | base);
        let disp = u64::from(disp as u32);
        let tail = if base == SIB {
            let sib = u64::from(NO_INDEX | SIB);
            Part { bytes: modrm | sib << 8 | disp << 16, len: 2 + disp_len }
        } else {
            Part { bytes: modrm | disp << 8, len: 1 + disp_len }
        };
        self.finish_inst(head, tail, imm);
    }

    /// An instruction with any memory operand.
    fn code_any_mem(&mut self, code: Code, reg: u8, mut rex: u8, mem: &Mem, imm: Immediate) {
        if let Base::Reg(base) = mem.base {
            rex |= (base.number() >> 3) * REX_B;
        }
        if let Some((index, _)) = mem.index {
            rex |= (index.number() >> 3) * REX_X;
            if index == Gpr::RSP {
                self.invalid();
            }
        }
        let head = self.address_prefixes(mem);
        let head = self.opcode(head, code, rex);
        let tail = self.address((reg & 7) << 3, mem);
        if mem.target != Target::None {
            self.target_field(head.len + tail.len - 4, mem, imm.size);
        }
        self.finish_inst(head, tail, imm);
    }

    /// Records what fills in the displacement, `at` bytes into the instruction that is about to be appended.
    fn target_field(&mut self, at: u32, mem: &Mem, imm_size: u32) {
        let offset = self.buf.offset() + at;
        let pc = if mem.base == Base::Rip { 4 + i64::from(imm_size) } else { 0 };
        let addend = i64::from(mem.disp) - pc;
        match mem.target {
            Target::None => {}
            Target::Symbol(symbol, kind) => self.buf.add_reloc(Reloc { offset, kind, symbol, addend }),
            Target::Label(label) if mem.base == Base::Rip => {
                self.buf.pc_relative_to_label(offset, label, addend as i32);
            }
            Target::Label(label) => {
                let kind = match self.mode {
                    Mode::Bits32 => RelocKind::Abs32,
                    Mode::Bits64 => RelocKind::Abs32S,
                };
                self.buf.reloc_to_label(offset, kind, label, addend);
            }
        }
    }

    /// `mov` between the accumulator and an absolute address in 32-bit mode: no ModRM.
    pub(super) fn inst_offset(&mut self, code: Code, attrs: Attrs, mem: &Mem) {
        let head = self.address_prefixes(mem);
        let head = self.opcode(head, code.with(attrs), 0);
        let disp = if mem.target == Target::None { mem.disp } else { 0 };
        if mem.target != Target::None {
            self.target_field(head.len, mem, 0);
        }
        self.finish_inst(head, Part { bytes: u64::from(disp as u32), len: 4 }, Immediate::NONE);
    }

    /// The instruction with a 32-bit PC-relative operand: `call rel32`, `jmp rel32`. Gives the operand's offset.
    pub(super) fn inst_rel(&mut self, code: Code) -> u32 {
        let head = self.opcode(Part::EMPTY, code, 0);
        let at = self.buf.offset() + head.len;
        self.finish_inst(head, Part { bytes: 0, len: 4 }, Immediate::NONE);
        at
    }

    #[inline]
    fn address_prefixes(&mut self, mem: &Mem) -> Part {
        let mut head = Part::EMPTY;
        match mem.segment {
            Segment::Default => {}
            Segment::Fs => head.push(0x64),
            Segment::Gs => head.push(0x65),
        }
        if self.mode == Mode::Bits64 && mem.needs_addr32() {
            head.push(0x67);
        }
        head
    }

    /// ModRM, SIB and displacement (SDM volume 2, tables 2-2 and 2-3). A displacement that is filled in
    /// later is the last four bytes.
    #[inline]
    fn address(&mut self, reg: u8, mem: &Mem) -> Part {
        let disp = if mem.target == Target::None { mem.disp } else { 0 };
        let index =
            mem.index.map_or(NO_INDEX, |(index, scale)| (scale as u8) << 6 | (index.number() & 7) << 3);
        let (modrm, sib, disp_len) = match mem.base {
            Base::Reg(base) => {
                let base = base.number() & 7;
                let (mode, disp_len) = if mem.target != Target::None {
                    (2 << 6, 4)
                } else if disp == 0 && base != NO_BASE {
                    (0, 0)
                } else if i8::try_from(disp).is_ok() {
                    (1 << 6, 1)
                } else {
                    (2 << 6, 4)
                };
                if mem.index.is_some() || base == SIB {
                    (mode | reg | SIB, Some(index | base), disp_len)
                } else {
                    (mode | reg | base, None, disp_len)
                }
            }
            // In 64-bit mode the form without SIB is relative to the next instruction.
            Base::None if mem.index.is_none() && self.mode == Mode::Bits32 => (reg | NO_BASE, None, 4),
            Base::None => (reg | SIB, Some(index | NO_BASE), 4),
            Base::Rip => {
                if mem.index.is_some() || self.mode == Mode::Bits32 {
                    self.invalid();
                }
                (reg | NO_BASE, None, 4)
            }
        };
        // Bytes past the length are overwritten or cut.
        let (modrm, disp) = (u64::from(modrm), u64::from(disp as u32));
        match sib {
            None => Part { bytes: modrm | disp << 8, len: 1 + disp_len },
            Some(sib) => Part { bytes: modrm | u64::from(sib) << 8 | disp << 16, len: 2 + disp_len },
        }
    }
}

/// [`REX`] if `reg` is an operand of the kind `byte` that only exists with it: spl, bpl, sil, dil.
#[inline]
fn byte_rex(code: Code, byte: u8, reg: u8) -> u8 {
    if code.attrs.has(byte) && (4..8).contains(&reg) { REX } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notation_is_parsed() {
        let c = code("66 REX.W 0F 3A 16 /r");
        assert_eq!((c.prefix, c.bytes, c.len, c.ext, c.is_wide()), (0x66, 0x16_3a_0f, 3, 0, true));
        let c = code("81 /7");
        assert_eq!((c.prefix, c.bytes, c.len, c.ext, c.is_wide()), (0, 0x81, 1, 7, false));
        let c = code("F3 90");
        assert_eq!((c.prefix, c.bytes, c.len), (0xf3, 0x90, 1));
        assert_eq!(code("0F 38 F0").plus(-1).bytes, 0xef_38_0f);
        assert_eq!(size_of::<Code>(), 8);
    }
}
