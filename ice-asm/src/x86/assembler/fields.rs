//! Where the operands of an instruction on vectors stand in its code, by letters: those of the manual's opcode maps (SDM volume 2,
//! appendix A.2), the destination first, as in `"Vx,Hx,Wx,Ib"`.
//!
//! | letter | is |
//! |---|---|
//! | `V` `H` `W` `U` `M` | a vector in ModRM.reg, in the prefix, in r/m (`U`: no memory; `M`: only memory) |
//! | `P` `Q` `N` | the same of registers of MMX: in ModRM.reg, in r/m, in r/m without memory |
//! | `G` `B` `E` | the same of general registers: in ModRM.reg, in the prefix, in r/m |
//! | `L` `I` | a vector in the upper half of a byte behind the instruction; a byte |
//! | `X` | memory at an address whose index is a vector, as long as the letter behind says |
//! | `x` | as long as the instruction says |
//! | `d` `q` | 128, 256 bits for vectors; 32, 64 for general registers; 64 for those of MMX |
//! | `y` `w` | 32 or 64 bits, as the instruction says; either, without a difference |

use super::Assembler;
use super::insts::agreed;
use super::operand::{Operand, Register};
use crate::x86::code::Immediate;
use crate::x86::operand::{Mode, Rm, Width};

/// The fields of an instruction that its operands say, registers by number.
pub(super) struct Fields {
    /// ModRM.reg, unless a digit is there.
    pub reg: Option<u8>,
    /// The register in a prefix, or 0.
    pub first: u8,
    pub rm: Rm<u8>,
    pub imm: Immediate,
    /// Whether vectors are of 256 bits, where operands say so.
    pub is_long: Option<bool>,
    /// The width of general registers, where the instruction depends on it.
    pub width: Option<Width>,
}

impl Assembler<'_, '_, '_> {
    /// The fields of an instruction whose operands are written so, if it has these; `said` is the width that its name says.
    pub(super) fn fields(&self, letters: &str, said: Option<Width>, operands: &[Operand]) -> Option<Fields> {
        let kinds = letters.split(',');
        if kinds.clone().count() != operands.len() {
            return None;
        }
        let (mut reg, mut first, mut rm) = (None, 0, None);
        let (mut imm, mut is_long, mut width) = (Immediate::NONE, None, said);
        for (kind, operand) in kinds.zip(operands) {
            let (place, size) = kind.split_at(1);
            let said = match (place, operand) {
                ("I", &Operand::Number(byte)) => {
                    imm = Immediate::new(u8::try_from(byte).ok()?.into(), 1);
                    continue;
                }
                ("M" | "W" | "Q", &Operand::Mem(mem, bytes)) => {
                    let known = bytes.filter(|_| size == "x").map(|bytes| bytes == 32);
                    if known.is_some() && known != Some(*is_long.get_or_insert(known == Some(true))) {
                        return None;
                    }
                    Rm::Mem(mem)
                }
                ("X", &Operand::Lanes(mem, is_ymm)) => {
                    let wanted = if size == "x" { *is_long.get_or_insert(is_ymm) } else { size == "q" };
                    if is_ymm != wanted {
                        return None;
                    }
                    Rm::Mem(mem)
                }
                ("E", &Operand::Mem(mem, _)) => {
                    match size {
                        "y" => width = agreed([width, operand.width()])?,
                        "w" => {}
                        _ => agreed([operand.width(), Some(of_letter(size))]).map(drop)?,
                    }
                    Rm::Mem(mem)
                }
                ("P" | "Q" | "N", &Operand::Register(Register::Mmx(number))) => Rm::Reg(number),
                ("V" | "H" | "W" | "U" | "L", Operand::Register(vector)) => {
                    let (xmm, is_ymm) = match *vector {
                        Register::Xmm(xmm) => (xmm, false),
                        Register::Ymm(xmm) => (xmm, true),
                        _ => return None,
                    };
                    let wanted = if size == "x" { *is_long.get_or_insert(is_ymm) } else { size == "q" };
                    if is_ymm != wanted {
                        return None;
                    }
                    Rm::Reg(xmm.number())
                }
                ("G" | "B" | "E", _) => {
                    let named = operand.reg()?;
                    match size {
                        "y" => width = agreed([width, Some(named.width)])?,
                        "w" if named.width >= Width::B32 => {}
                        "d" | "q" if named.width == of_letter(size) => {}
                        _ => return None,
                    }
                    Rm::Reg(named.reg.number())
                }
                _ => return None,
            };
            match (place, said) {
                ("V" | "G" | "P", Rm::Reg(number)) => reg = Some(number),
                ("H" | "B", Rm::Reg(number)) => first = number,
                ("L", Rm::Reg(number)) => imm = Immediate::new(i64::from(number) << 4, 1),
                _ => rm = Some(said),
            }
        }
        let is_width_known = match width {
            Some(Width::B32) => letters.contains('y'),
            Some(Width::B64) => letters.contains('y') && self.encoder.mode == Mode::Bits64,
            Some(_) => false,
            None => !letters.contains('y'),
        };
        let is_length_known = is_long.is_some() || !letters.contains('x');
        (is_width_known && is_length_known).then_some(Fields { reg, first, rm: rm?, imm, is_long, width })
    }
}

/// The width that a letter says.
fn of_letter(size: &str) -> Width {
    if size == "q" { Width::B64 } else { Width::B32 }
}
