//! The instructions with VEX prefixes by mnemonic (SDM volume 2): products with a sum, halves of floats, and what BMI1 and BMI2
//! do with bits.

use super::Assembler;
use super::insts::agreed;
use super::operand::Operand;
use crate::x86::code::Immediate;
use crate::x86::operand::{Mode, Rm, Width};
use crate::x86::vex::{VexCode, vex};

/// The operands of an instruction, the destination first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    /// xmm, xmm, xmm/m.
    Vectors,
    /// xmm, xmm/m.
    Widen,
    /// xmm/m, xmm, a byte.
    Narrow,
    /// r, r, r/m, of 32 or 64 bits.
    Words,
    /// r, r/m, r.
    WordsBySecond,
    /// r, r/m, by a digit.
    Word,
    /// r, r/m, a byte.
    WordByByte,
}

struct Row {
    name: &'static str,
    shape: Shape,
    code: VexCode,
}

macro_rules! rows {
    ($($shape:ident: $($name:literal $code:literal),*;)*) => {
        &[$($(Row { name: $name, shape: Shape::$shape, code: vex($code) }),*),*]
    };
}

static ROWS: &[Row] = rows! {
    Vectors: "vfmadd132ps" "VEX.128.66.0F38.W0 98", "vfmadd213ps" "VEX.128.66.0F38.W0 A8",
        "vfmadd231ps" "VEX.128.66.0F38.W0 B8", "vfmadd132pd" "VEX.128.66.0F38.W1 98",
        "vfmadd213pd" "VEX.128.66.0F38.W1 A8", "vfmadd231pd" "VEX.128.66.0F38.W1 B8",
        "vfmadd132ss" "VEX.128.66.0F38.W0 99", "vfmadd213ss" "VEX.128.66.0F38.W0 A9",
        "vfmadd231ss" "VEX.128.66.0F38.W0 B9", "vfmadd132sd" "VEX.128.66.0F38.W1 99",
        "vfmadd213sd" "VEX.128.66.0F38.W1 A9", "vfmadd231sd" "VEX.128.66.0F38.W1 B9",
        "vfmsub132ps" "VEX.128.66.0F38.W0 9A", "vfmsub213ps" "VEX.128.66.0F38.W0 AA",
        "vfmsub231ps" "VEX.128.66.0F38.W0 BA", "vfmsub132pd" "VEX.128.66.0F38.W1 9A",
        "vfmsub213pd" "VEX.128.66.0F38.W1 AA", "vfmsub231pd" "VEX.128.66.0F38.W1 BA",
        "vfmsub132ss" "VEX.128.66.0F38.W0 9B", "vfmsub213ss" "VEX.128.66.0F38.W0 AB",
        "vfmsub231ss" "VEX.128.66.0F38.W0 BB", "vfmsub132sd" "VEX.128.66.0F38.W1 9B",
        "vfmsub213sd" "VEX.128.66.0F38.W1 AB", "vfmsub231sd" "VEX.128.66.0F38.W1 BB",
        "vfnmadd132ps" "VEX.128.66.0F38.W0 9C", "vfnmadd213ps" "VEX.128.66.0F38.W0 AC",
        "vfnmadd231ps" "VEX.128.66.0F38.W0 BC", "vfnmadd132pd" "VEX.128.66.0F38.W1 9C",
        "vfnmadd213pd" "VEX.128.66.0F38.W1 AC", "vfnmadd231pd" "VEX.128.66.0F38.W1 BC",
        "vfnmadd132ss" "VEX.128.66.0F38.W0 9D", "vfnmadd213ss" "VEX.128.66.0F38.W0 AD",
        "vfnmadd231ss" "VEX.128.66.0F38.W0 BD", "vfnmadd132sd" "VEX.128.66.0F38.W1 9D",
        "vfnmadd213sd" "VEX.128.66.0F38.W1 AD", "vfnmadd231sd" "VEX.128.66.0F38.W1 BD",
        "vfnmsub132ps" "VEX.128.66.0F38.W0 9E", "vfnmsub213ps" "VEX.128.66.0F38.W0 AE",
        "vfnmsub231ps" "VEX.128.66.0F38.W0 BE", "vfnmsub132pd" "VEX.128.66.0F38.W1 9E",
        "vfnmsub213pd" "VEX.128.66.0F38.W1 AE", "vfnmsub231pd" "VEX.128.66.0F38.W1 BE",
        "vfnmsub132ss" "VEX.128.66.0F38.W0 9F", "vfnmsub213ss" "VEX.128.66.0F38.W0 AF",
        "vfnmsub231ss" "VEX.128.66.0F38.W0 BF", "vfnmsub132sd" "VEX.128.66.0F38.W1 9F",
        "vfnmsub213sd" "VEX.128.66.0F38.W1 AF", "vfnmsub231sd" "VEX.128.66.0F38.W1 BF",
        "vfmaddsub132ps" "VEX.128.66.0F38.W0 96", "vfmaddsub213ps" "VEX.128.66.0F38.W0 A6",
        "vfmaddsub231ps" "VEX.128.66.0F38.W0 B6", "vfmaddsub132pd" "VEX.128.66.0F38.W1 96",
        "vfmaddsub213pd" "VEX.128.66.0F38.W1 A6", "vfmaddsub231pd" "VEX.128.66.0F38.W1 B6",
        "vfmsubadd132ps" "VEX.128.66.0F38.W0 97", "vfmsubadd213ps" "VEX.128.66.0F38.W0 A7",
        "vfmsubadd231ps" "VEX.128.66.0F38.W0 B7", "vfmsubadd132pd" "VEX.128.66.0F38.W1 97",
        "vfmsubadd213pd" "VEX.128.66.0F38.W1 A7", "vfmsubadd231pd" "VEX.128.66.0F38.W1 B7";
    Widen: "vcvtph2ps" "VEX.128.66.0F38.W0 13";
    Narrow: "vcvtps2ph" "VEX.128.66.0F3A.W0 1D";
    Words: "andn" "VEX.LZ.0F38.W0 F2", "pdep" "VEX.LZ.F2.0F38.W0 F5", "pext" "VEX.LZ.F3.0F38.W0 F5",
        "mulx" "VEX.LZ.F2.0F38.W0 F6";
    WordsBySecond: "bextr" "VEX.LZ.0F38.W0 F7", "bzhi" "VEX.LZ.0F38.W0 F5", "sarx" "VEX.LZ.F3.0F38.W0 F7",
        "shlx" "VEX.LZ.66.0F38.W0 F7", "shrx" "VEX.LZ.F2.0F38.W0 F7";
    Word: "blsr" "VEX.LZ.0F38.W0 F3 /1", "blsmsk" "VEX.LZ.0F38.W0 F3 /2", "blsi" "VEX.LZ.0F38.W0 F3 /3";
    WordByByte: "rorx" "VEX.LZ.F2.0F3A.W0 F0";
};

impl Assembler<'_, '_, '_> {
    /// Appends an instruction with a VEX prefix, if it is known with these operands.
    pub(super) fn vex(&mut self, name: &str, said: Option<Width>, operands: &[Operand]) -> Option<()> {
        let row = ROWS.iter().find(|row| row.name == name)?;
        let code = row.code;
        let byte = |value: &i64| Some(Immediate::new(u8::try_from(*value).ok()?.into(), 1));
        let vector = |operand: &Operand| {
            Some(match operand.vector()? {
                Rm::Reg(xmm) => Rm::Reg(xmm.number()),
                Rm::Mem(mem) => Rm::Mem(mem),
            })
        };
        match (row.shape, operands) {
            (Shape::Vectors, [dst, first, second]) if said.is_none() => {
                let (dst, first) = (dst.xmm()?.number(), first.xmm()?.number());
                self.encoder.inst_vex(code, dst, first, vector(second)?, Immediate::NONE);
            }
            (Shape::Widen, [dst, src]) if said.is_none() => {
                self.encoder.inst_vex(code, dst.xmm()?.number(), 0, vector(src)?, Immediate::NONE);
            }
            (Shape::Narrow, [dst, src, Operand::Number(value)]) if said.is_none() => {
                self.encoder.inst_vex(code, src.xmm()?.number(), 0, vector(dst)?, byte(value)?);
            }
            (Shape::Words, [dst, first, second]) => {
                return self.vex_words(code, said, [Some(dst), Some(first)], second, Immediate::NONE);
            }
            (Shape::WordsBySecond, [dst, first, second]) => {
                return self.vex_words(code, said, [Some(dst), Some(second)], first, Immediate::NONE);
            }
            (Shape::Word, [dst, src]) => {
                return self.vex_words(code, said, [None, Some(dst)], src, Immediate::NONE);
            }
            (Shape::WordByByte, [dst, src, Operand::Number(value)]) => {
                return self.vex_words(code, said, [Some(dst), None], src, byte(value)?);
            }
            _ => return None,
        }
        Some(())
    }

    /// An instruction on general registers: those in ModRM and in the prefix, and a register or memory, all of one width.
    fn vex_words(
        &mut self,
        code: VexCode,
        said: Option<Width>,
        regs: [Option<&Operand>; 2],
        place: &Operand,
        imm: Immediate,
    ) -> Option<()> {
        let mut numbers = [code.digit, 0];
        let mut width = agreed([said, place.width()])?;
        for (number, operand) in numbers.iter_mut().zip(regs) {
            if let Some(operand) = operand {
                let reg = operand.reg()?;
                *number = reg.reg.number();
                width = agreed([width, Some(reg.width)])?;
            }
        }
        let is_wide = match width? {
            Width::B32 => false,
            Width::B64 if self.encoder.mode == Mode::Bits64 => true,
            _ => return None,
        };
        let place = match place.general()? {
            Rm::Reg(reg) => Rm::Reg(reg.number()),
            Rm::Mem(mem) => Rm::Mem(mem),
        };
        self.encoder.inst_vex(code.wide(is_wide), numbers[0], numbers[1], place, imm);
        Some(())
    }
}
