//! The instruction format: prefixes, opcode, ModRM, SIB, displacement, immediate (SDM volume 2, chapter 2).
//!
//! A [`Code`] is parsed at compile time from the manual's notation, such as `"66 0F 3A 16 /r"` or `"81 /4"`,
//! and takes on the attributes of the operands; eight bytes, to go by value. An instruction is composed in
//! registers as two words, the head up to its opcode and the tail up to its displacement, which the buffer
//! stores with the immediate behind each other. Prefixes come in the order in which assemblers write them:
//! segment, 67, 66, F2/F3, F0, REX.
//!
//! Cost: about 50 executed instructions for one of 32 bits with a base and a displacement, half as much where
//! the place is encoded, 100 for any other memory operand, 70 for one between registers.

use super::Encoder;
use super::operand::{Base, BaseDisp, Gpr, Length, Mem, Mode, Segment, Target, Width};
use super::vex::VexCode;
use crate::buffer::bytes::Part;
use crate::error::Error;
use crate::listing::Listing;
use crate::reloc::{Reloc, RelocKind};
use core::num::NonZeroU64;

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

    /// The code of one byte.
    pub const fn of_byte(byte: u8) -> Code {
        Code { bytes: byte as u32, len: 1, ..Code::NONE }
    }

    /// The last byte.
    pub const fn opcode(self) -> u8 {
        (self.bytes >> (8 * (self.len - 1))) as u8
    }

    /// The same opcode with the prefix of VEX, for vectors of this length.
    pub const fn vex(self, length: Length) -> VexCode {
        let prefix = match self.prefix {
            0 => 0,
            0x66 => 1,
            0xf3 => 2,
            _ => 3,
        };
        VexCode::new(self.map(), prefix, self.opcode())
            .wide(self.is_wide())
            .long(matches!(length, Length::B256))
    }

    pub const fn with_prefix(self, prefix: u8) -> Code {
        Code { prefix, ..self }
    }

    /// The opcode map by the escapes: 0 without, 1 for 0F, 2 for 0F 38, 3 for 0F 3A.
    pub const fn map(self) -> u8 {
        let [_, second, ..] = self.bytes.to_le_bytes();
        match (self.len, second) {
            (3, 0x38) => 2,
            (3, 0x3a) => 3,
            (2, _) => 1,
            _ => 0,
        }
    }

    /// Whether REX.W is part of the code.
    pub const fn is_wide(self) -> bool {
        self.attrs.has(Attrs::REX_W)
    }

    /// The opcode.
    #[inline(always)]
    const fn part(self) -> Part {
        Part { bytes: self.bytes as u64, len: self.len as u32 }
    }

    /// Whether the opcode is all, but for a prefix that registers ask for.
    #[inline]
    const fn is_plain(self) -> bool {
        self.prefix | self.attrs.0 == 0
    }

    #[inline]
    pub const fn with(self, attrs: Attrs) -> Code {
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
    const SIZE16: u8 = 0x80;
    /// Prefix F0.
    const LOCKED: u8 = 0x10;
    /// REX.W, the same bit as in the prefix.
    const REX_W: u8 = 8;
    /// The register operand is a byte register: the bit that [`reg_bits`] gives for spl, bpl, sil, dil.
    const BYTE_REG: u8 = 0x40;
    /// The r/m operand is a byte register: the bit that [`rm_bits`] gives for them.
    const BYTE_RM: u8 = 0x20;

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

/// Where in the tail of a [`FramePlace`] its length and its prefixes are.
const LEN_SHIFT: u32 = 56;
const PREFIX_SHIFT: u32 = 48;
/// Of the prefixes of a [`FramePlace`]: its address has 32 bits.
const ADDR32: u8 = 16;
/// Of the prefixes of a [`FramePlace`]: its base is one of the upper eight registers. Of those of an instruction:
/// one of its registers is.
const REX: u8 = 8;

/// A `[base + disp]` that many instructions have, encoded once: a place in the frame.
#[derive(Clone, Copy)]
pub struct FramePlace {
    /// For the listing.
    mem: BaseDisp,
    /// ModRM without its register, SIB and displacement. In the highest byte is how many bytes these are,
    /// in the one below it which prefixes the place asks for.
    tail: NonZeroU64,
}

impl FramePlace {
    /// The place at `mem`.
    #[must_use]
    #[inline]
    pub const fn new(mem: BaseDisp) -> FramePlace {
        const LEN: NonZeroU64 = NonZeroU64::new(1 << LEN_SHIFT).unwrap();
        let (base, disp) = (mem.base.number() & 7, mem.disp);
        // Mode and length for a displacement of 4, 1 or 0 bytes.
        let mode = if disp != disp as i8 as i32 {
            2 << 6 | 4 << LEN_SHIFT
        } else if disp != 0 || base == NO_BASE {
            1 << 6 | 1 << LEN_SHIFT
        } else {
            0
        };
        let (modrm, disp) = (mode | base as u64, disp as u32 as u64);
        let bytes = if base == SIB {
            (modrm | disp << 16) + (((NO_INDEX | SIB) as u64) << 8 | 1 << LEN_SHIFT)
        } else {
            modrm | disp << 8
        };
        let addr32 = mem.address_size as u8 * ADDR32;
        let prefixes = ((addr32 | mem.base.number() & REX) as u64) << PREFIX_SHIFT;
        FramePlace { mem, tail: LEN.saturating_add(bytes | prefixes) }
    }

    /// ModRM, SIB and displacement with this register or extension.
    #[inline(always)]
    const fn tail(&self, reg: u8) -> Part {
        let tail = self.tail.get();
        Part { bytes: tail | ((reg & 7) << 3) as u64, len: (tail >> LEN_SHIFT) as u32 }
    }

    /// Which prefixes it asks for: of [`ADDR32`] and [`REX`].
    #[inline(always)]
    const fn prefixes(&self) -> u8 {
        (self.tail.get() >> PREFIX_SHIFT) as u8
    }

    /// The operand.
    #[must_use]
    pub const fn mem(&self) -> BaseDisp {
        self.mem
    }
}

/// The bits of REX for a register operand, and [`Attrs::BYTE_REG`] where a byte register needs the prefix
/// to mean its low byte.
#[inline]
const fn reg_bits(reg: u8) -> u8 {
    (reg & 8) >> 1 | (reg & 4) << 4
}

/// The bits of REX for a register as the r/m operand, and [`Attrs::BYTE_RM`] where a byte register needs the prefix.
#[inline]
const fn rm_bits(rm: u8) -> u8 {
    (rm & 8) >> 3 | (rm & 4) << 3
}

/// The bits of REX for a base, and for an index.
#[inline]
const fn base_bits(base: Gpr) -> u8 {
    base.number() >> 3
}

#[inline]
const fn index_bits(index: Gpr) -> u8 {
    base_bits(index) << 1
}

impl<L: Listing> Encoder<'_, L> {
    /// An operand cannot be encoded.
    #[cold]
    pub(super) fn invalid(&mut self) {
        let offset = self.buf.offset();
        self.buf.fail(Error::InvalidOperand { offset });
    }

    /// The opcode with the prefixes from 66 on; `None` for a register that the mode lacks. `bits` are
    /// those of the registers.
    #[inline(always)]
    fn opcode(&self, code: Code, bits: u8) -> Option<Part> {
        let mut head = code.part();
        // Nearly all: 32 bits wide, with registers below 8.
        if code.is_plain() && bits & 7 == 0 {
            return Some(head);
        }
        // The attributes choose which bits count.
        let rex = (bits | Attrs::REX_W) & (code.attrs.0 | 7);
        if rex != 0 {
            match self.mode {
                Mode::Bits64 => head.put_first(0x40 | rex & 0xf),
                Mode::Bits32 if rex & 0xf != 0 => return None,
                Mode::Bits32 => {}
            }
        }
        if code.prefix != 0 || code.attrs.has(Attrs::SIZE16 | Attrs::LOCKED) {
            if code.attrs.has(Attrs::LOCKED) {
                head.put_first(0xf0);
            }
            if code.prefix != 0 {
                head.put_first(code.prefix);
            }
            if code.attrs.has(Attrs::SIZE16) {
                head.put_first(0x66);
            }
        }
        Some(head)
    }

    #[inline(always)]
    pub(super) fn finish_inst(&mut self, head: Part, tail: Part, imm: Immediate) {
        if imm.size == 0 {
            self.buf.append_inst([head, tail]);
        } else {
            self.buf.append_inst([head, tail, Part { bytes: imm.value as u64, len: imm.size }]);
        }
    }

    /// An instruction without ModRM; `reg` goes into the low bits of the opcode.
    #[inline]
    pub(super) fn inst_o(&mut self, code: Code, attrs: Attrs, reg: u8, imm: Immediate) {
        let code = code.with(attrs).plus((reg & 7) as i8);
        let Some(head) = self.opcode(code, rm_bits(reg)) else { return self.invalid() };
        self.finish_inst(head, Part::EMPTY, imm);
    }

    /// An instruction with two registers; `reg` is an extension where there is only one.
    #[inline]
    pub(super) fn inst_rr(&mut self, code: Code, attrs: Attrs, reg: u8, rm: u8, imm: Immediate) {
        self.code_rr(code.with(attrs), reg, rm, imm);
    }

    /// An instruction with two registers, as [`inst_rr`](Self::inst_rr), inlined where it needs no prefix.
    #[inline(always)]
    pub(super) fn inst_rr_inline(&mut self, code: Code, attrs: Attrs, reg: u8, rm: u8, imm: Immediate) {
        let code = code.with(attrs);
        if !code.is_plain() || (reg | rm) & 8 != 0 {
            return self.code_rr(code, reg, rm, imm);
        }
        let modrm = Part { bytes: (0xc0 | reg << 3 | rm).into(), len: 1 };
        self.finish_inst(code.part(), modrm, imm);
    }

    #[inline(never)]
    fn code_rr(&mut self, code: Code, reg: u8, rm: u8, imm: Immediate) {
        let Some(head) = self.opcode(code, reg_bits(reg) | rm_bits(rm)) else { return self.invalid() };
        let modrm = 0xc0 | (reg & 7) << 3 | rm & 7;
        self.finish_inst(head, Part { bytes: modrm.into(), len: 1 }, imm);
    }

    /// An instruction with a register (or extension) and memory. The usual operand, a base and a displacement,
    /// takes a short way; inlined, because many callers have just composed it and know that it is one.
    #[inline(always)]
    pub(super) fn inst_rm(&mut self, code: Code, attrs: Attrs, reg: u8, mem: &Mem, imm: Immediate) {
        let code = code.with(attrs);
        match *mem {
            Mem {
                base: Base::Reg(base),
                index: None,
                disp,
                target: Target::None,
                address_size,
                segment: Segment::Default,
            } => self.code_base(code, reg, BaseDisp { base, address_size, disp }, imm),
            _ => self.code_any_mem(code, reg, mem, imm),
        }
    }

    #[inline(never)]
    fn code_base(&mut self, code: Code, reg: u8, mem: BaseDisp, imm: Immediate) {
        self.code_place(code, reg, FramePlace::new(mem), imm);
    }

    /// An instruction with a place. Where the code is known this is half as much work as a call.
    #[inline(always)]
    pub(super) fn inst_place(&mut self, code: Code, reg: u8, place: FramePlace, imm: Immediate) {
        let mut head = code.part();
        // Each of the two usual ways knows the length of its head.
        match ((place.prefixes() | reg) & (ADDR32 | REX), self.mode) {
            (0, _) | (ADDR32, Mode::Bits32) if code.is_plain() => {
                self.finish_inst(head, place.tail(reg), imm);
            }
            (ADDR32, Mode::Bits64) if code.is_plain() => {
                head.put_first(0x67);
                self.finish_inst(head, place.tail(reg), imm);
            }
            _ => self.prefixed_place(code, reg, place, imm),
        }
    }

    #[inline(never)]
    fn prefixed_place(&mut self, code: Code, reg: u8, place: FramePlace, imm: Immediate) {
        self.code_place(code, reg, place, imm);
    }

    #[inline(always)]
    fn code_place(&mut self, code: Code, reg: u8, place: FramePlace, imm: Immediate) {
        let bits = reg_bits(reg) | rm_bits(place.prefixes() & REX);
        let Some(mut head) = self.opcode(code, bits) else { return self.invalid() };
        if place.prefixes() & ADDR32 != 0 && self.mode == Mode::Bits64 {
            head.put_first(0x67);
        }
        self.finish_inst(head, place.tail(reg), imm);
    }

    /// An instruction with any memory operand.
    #[cold]
    #[inline(never)]
    fn code_any_mem(&mut self, code: Code, reg: u8, mem: &Mem, imm: Immediate) {
        let mut bits = reg_bits(reg);
        if let Base::Reg(base) = mem.base {
            bits |= base_bits(base);
        }
        if let Some((index, _)) = mem.index {
            bits |= index_bits(index);
            if index == Gpr::RSP {
                self.invalid();
            }
        }
        let Some(mut head) = self.opcode(code, bits) else { return self.invalid() };
        self.address_prefixes(&mut head, mem);
        let tail = self.address((reg & 7) << 3, mem);
        if mem.target != Target::None {
            self.target_field(head.len + tail.len - 4, mem, imm.size);
        }
        self.finish_inst(head, tail, imm);
    }

    /// Records what fills in the displacement, `at` bytes into the instruction that is about to be appended.
    pub(super) fn target_field(&mut self, at: u32, mem: &Mem, imm_size: u32) {
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
        let Some(mut head) = self.opcode(code.with(attrs), 0) else { return self.invalid() };
        self.address_prefixes(&mut head, mem);
        let disp = if mem.target == Target::None { mem.disp } else { 0 };
        if mem.target != Target::None {
            self.target_field(head.len, mem, 0);
        }
        self.finish_inst(head, Part { bytes: u64::from(disp as u32), len: 4 }, Immediate::NONE);
    }

    /// The instruction with a 32-bit PC-relative operand: `call rel32`, `jmp rel32`. Gives the operand's offset.
    pub(super) fn inst_rel(&mut self, code: Code) -> u32 {
        self.finish_inst(code.part(), Part { bytes: 0, len: 4 }, Immediate::NONE);
        self.buf.offset().saturating_sub(4)
    }

    #[inline]
    pub(super) fn address_prefixes(&self, head: &mut Part, mem: &Mem) {
        if self.mode == Mode::Bits64 && mem.needs_addr32() {
            head.put_first(0x67);
        }
        match mem.segment {
            Segment::Default => {}
            Segment::Fs => head.put_first(0x64),
            Segment::Gs => head.put_first(0x65),
        }
    }

    /// ModRM, SIB and displacement (SDM volume 2, tables 2-2 and 2-3). A displacement that is filled in
    /// later is the last four bytes.
    #[inline]
    pub(super) fn address(&mut self, reg: u8, mem: &Mem) -> Part {
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
