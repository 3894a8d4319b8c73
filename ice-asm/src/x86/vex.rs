//! Instructions with a VEX prefix (SDM volume 2, section 2.3).
//!
//! A [`VexCode`] is parsed at compile time from the manual's notation, such as `"VEX.128.66.0F38.W0 98"`, or made of the code
//! that the instruction has without it. The prefix has its form of two bytes where that says everything.

use super::Encoder;
use super::code::{Code, Immediate};
use super::operand::{Base, Length, Mem, Mode, Rm, Target, Xmm};
use super::text::Op;
use crate::buffer::bytes::Part;
use crate::listing::Listing;

/// An opcode with what its prefix says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct VexCode {
    /// 1, 2, 3: 0F, 0F 38, 0F 3A.
    map: u8,
    /// 0, 1, 2, 3: none, 66, F3, F2.
    prefix: u8,
    pub is_wide: bool,
    /// Whether vectors have 256 bits.
    is_long: bool,
    /// Whether vectors have no other length.
    is_fixed: bool,
    opcode: u8,
    /// The digit in place of a register.
    pub digit: u8,
    /// Whether the index of the address is a vector, of which every register may be one.
    has_lanes: bool,
}

impl VexCode {
    /// A code in this map of opcodes, with this prefix by its number.
    pub(super) const fn new(map: u8, prefix: u8, opcode: u8) -> VexCode {
        let (is_wide, is_long, is_fixed, digit, has_lanes) = (false, false, false, 0, false);
        VexCode { map, prefix, is_wide, is_long, is_fixed, opcode, digit, has_lanes }
    }

    /// The code with vectors of 256 bits.
    pub(super) const fn long(self, is_long: bool) -> VexCode {
        VexCode { is_long, ..self }
    }

    /// The code with operands of 64 bits.
    pub(super) const fn wide(self, is_wide: bool) -> VexCode {
        VexCode { is_wide, ..self }
    }

    /// The code with vectors of 256 bits, or of 128, if it is one of both.
    pub(super) fn of_length(self, is_long: bool) -> Option<VexCode> {
        (!self.is_fixed || is_long == self.is_long).then_some(VexCode { is_long, ..self })
    }

    /// The code with vectors of 128 bits only.
    pub(super) const fn short(self) -> VexCode {
        VexCode { is_fixed: true, ..self }
    }

    /// What a code without VEX is with it: the prefix and the escapes are fields.
    pub(super) fn of_legacy(code: Code) -> Option<VexCode> {
        (code.map() != 0).then(|| VexCode { is_wide: false, digit: code.ext, ..code.vex(Length::B128) })
    }
}

const fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'A'..=b'F' => digit - b'A' + 10,
        _ => panic!("not an upper-case hexadecimal digit"),
    }
}

/// Parses the manual's notation: `VEX`, fields behind dots (`128`, `256`, `LZ`, `LIG`, `66`, `F2`, `F3`, `0F`, `0F38`, `0F3A`, `W0`, `W1`),
/// a blank, the opcode and perhaps `/digit` or `/vsib`. Without a field for the length it is a code of both lengths.
pub(super) const fn vex(text: &str) -> VexCode {
    let text = text.as_bytes();
    let mut code = VexCode::new(0, 0, 0);
    let mut i = 3;
    while text[i] == b'.' {
        let start = i + 1;
        i = start;
        while text[i] != b'.' && text[i] != b' ' {
            i += 1;
        }
        match (i - start, text[start], text[start + 1]) {
            (2, b'W', b'0') => {}
            (3, b'1', b'2') | (2, b'L', b'Z') | (3, b'L', b'I') => code.is_fixed = true,
            (2, b'W', b'1') => code.is_wide = true,
            (3, b'2', b'5') => {
                code.is_long = true;
                code.is_fixed = true;
            }
            (2, b'6', b'6') => code.prefix = 1,
            (2, b'F', b'3') => code.prefix = 2,
            (2, b'F', b'2') => code.prefix = 3,
            (2, b'0', b'F') => code.map = 1,
            (4, b'0', b'F') if text[start + 2] == b'3' && text[start + 3] == b'8' => code.map = 2,
            (4, b'0', b'F') if text[start + 2] == b'3' && text[start + 3] == b'A' => code.map = 3,
            _ => panic!("not a field of VEX"),
        }
    }
    code.opcode = hex(text[i + 1]) << 4 | hex(text[i + 2]);
    code.has_lanes = text.len() > i + 6 && text[i + 5] == b'v';
    if text.len() > i + 3 && !code.has_lanes {
        code.digit = hex(text[i + 5]);
    }
    code
}

const EXTRACT_HALF: VexCode = vex("VEX.256.66.0F3A.W0 19");
const INSERT_HALF: VexCode = vex("VEX.256.66.0F3A.W0 18");

impl<L: Listing> Encoder<'_, L> {
    /// `vextractf128`: the upper half of the register of 256 bits that begins with `src`.
    pub fn extract_upper(&mut self, dst: Xmm, src: Xmm) {
        self.line(&["vextractf128"], &[Op::Imm(1), Op::Ymm(src), Op::Xmm(dst)]);
        self.inst_vex(EXTRACT_HALF, src.number(), 0, Rm::Reg(dst.number()), Immediate::new(1, 1));
    }

    /// `vinsertf128`: the lower half of `dst` is that of `low`, the upper half is `high`.
    pub fn insert_upper(&mut self, dst: Xmm, low: Xmm, high: Rm<Xmm>) {
        let (source, high) = match &high {
            Rm::Reg(reg) => (Op::Xmm(*reg), Rm::Reg(reg.number())),
            Rm::Mem(mem) => (Op::Mem(mem), Rm::Mem(*mem)),
        };
        self.line(&["vinsertf128"], &[Op::Imm(1), source, Op::Ymm(low), Op::Ymm(dst)]);
        self.inst_vex(INSERT_HALF, dst.number(), low.number(), high, Immediate::new(1, 1));
    }

    /// `vzeroupper`: VEX.128.0F.WIG 77.
    pub fn clear_uppers(&mut self) {
        self.line(&["vzeroupper"], &[]);
        self.finish_inst(Part { bytes: 0x77_f8_c5, len: 3 }, Part::EMPTY, Immediate::NONE);
    }

    /// An instruction with the registers of these numbers: in ModRM (or a digit), in the prefix (0 where there is none), and as
    /// r/m, or memory.
    pub(super) fn inst_vex(&mut self, code: VexCode, reg: u8, first: u8, rm: Rm<u8>, imm: Immediate) {
        let extension = |number: u8| number >> 3 & 1;
        let (index, base) = match rm {
            Rm::Reg(rm) => (0, extension(rm)),
            Rm::Mem(mem) => {
                let base = if let Base::Reg(base) = mem.base { extension(base.number()) } else { 0 };
                (mem.index.map_or(0, |(index, _)| extension(index.number())), base)
            }
        };
        let bits = extension(reg) << 2 | index << 1 | base;
        if self.mode == Mode::Bits32 && (bits != 0 || first >= 8) {
            return self.invalid();
        }
        let fields = (7 ^ bits) << 5 | code.map;
        let operands =
            (code.is_wide as u8) << 7 | (15 ^ first) << 3 | (code.is_long as u8) << 2 | code.prefix;
        let mut head = if code.map == 1 && !code.is_wide && bits & 3 == 0 {
            let bytes = [0xc5, fields & 0x80 | operands, code.opcode, 0];
            Part { bytes: u32::from_le_bytes(bytes).into(), len: 3 }
        } else {
            let bytes = [0xc4, fields, operands, code.opcode];
            Part { bytes: u32::from_le_bytes(bytes).into(), len: 4 }
        };
        let tail = match rm {
            Rm::Reg(rm) => Part { bytes: u64::from(0xc0 | (reg & 7) << 3 | rm & 7), len: 1 },
            Rm::Mem(mem) => {
                if !code.has_lanes && mem.index.is_some_and(|(index, _)| index == super::Gpr::RSP) {
                    self.invalid();
                }
                self.vex_memory(&mut head, reg, &mem, imm)
            }
        };
        self.finish_inst(head, tail, imm);
    }

    fn vex_memory(&mut self, head: &mut Part, reg: u8, mem: &Mem, imm: Immediate) -> Part {
        self.address_prefixes(head, mem);
        let tail = self.address((reg & 7) << 3, mem);
        if mem.target != Target::None {
            self.target_field(head.len + tail.len - 4, mem, imm.size);
        }
        tail
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notation_is_parsed() {
        let code = vex("VEX.128.66.0F38.W1 98");
        assert_eq!((code.map, code.prefix, code.is_wide, code.opcode, code.digit), (2, 1, true, 0x98, 0));
        let code = vex("VEX.LZ.0F38.W0 F3 /3");
        assert_eq!((code.map, code.prefix, code.is_wide, code.opcode, code.digit), (2, 0, false, 0xf3, 3));
        let code = vex("VEX.66.0F38.W1 93 /vsib");
        assert_eq!((code.is_wide, code.opcode, code.digit, code.has_lanes), (true, 0x93, 0, true));
    }
}
