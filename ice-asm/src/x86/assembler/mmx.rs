//! The instructions of MMX, and what SSE, SSE2 and SSSE3 add to them, by mnemonic (SDM volume 2).
//!
//! Those that became instructions on vectors of 128 bits are the same without the prefix 66 ([`SHARED`]); the others are [`ROWS`].

use super::Assembler;
use super::operand::Operand;
use super::table;
use crate::x86::code::{Attrs, Code, code};
use crate::x86::operand::{Rm, Width};
use crate::x86::sse::{Shape, SseOp};

/// Operands of an instruction in the letters of [`fields`](super::fields), and its code with them.
struct Row {
    name: &'static str,
    operands: &'static str,
    code: Code,
}

macro_rules! rows {
    ($($operands:literal: $($name:literal $code:literal),*;)*) => {
        &[$($(Row { name: $name, operands: $operands, code: code($code) }),*),*]
    };
}

static ROWS: &[Row] = rows! {
    "Pq,Qq": "movq" "0F 6F", "maskmovq" "0F F7";
    "Qq,Pq": "movq" "0F 7F";
    "Pq,Ed": "movd" "0F 6E";
    "Ed,Pq": "movd" "0F 7E";
    "Pq,Eq": "movq" "REX.W 0F 6E";
    "Eq,Pq": "movq" "REX.W 0F 7E";
    "Mq,Pq": "movntq" "0F E7";
    "Pq,Qq,Ib": "pshufw" "0F 70";
    "Pq,Ew,Ib": "pinsrw" "0F C4";
    "Gw,Nq,Ib": "pextrw" "0F C5";
    "Vd,Nq": "movq2dq" "F3 0F D6";
    "Pq,Ud": "movdq2q" "F2 0F D6";
    "Vd,Qq": "cvtpi2ps" "0F 2A", "cvtpi2pd" "66 0F 2A";
    "Pq,Wd": "cvtps2pi" "0F 2D", "cvttps2pi" "0F 2C", "cvtpd2pi" "66 0F 2D", "cvttpd2pi" "66 0F 2C";
};

/// Instructions on vectors of 128 bits that are instructions of MMX without the prefix 66.
#[rustfmt::skip]
const SHARED: [&str; 72] = [
    "paddb", "paddw", "paddd", "paddq", "psubb", "psubw", "psubd", "psubq", "paddsb", "paddsw", "paddusb", "paddusw", "psubsb",
    "psubsw", "psubusb", "psubusw", "pmullw", "pmulhw", "pmulhuw", "pmuludq", "pmaddwd", "pavgb", "pavgw", "psadbw", "pabsb",
    "pabsw", "pabsd", "pand", "pandn", "por", "pxor", "pcmpeqb", "pcmpeqw", "pcmpeqd", "pcmpgtb", "pcmpgtw", "pcmpgtd", "pminub",
    "pminsw", "pmaxub", "pmaxsw", "psllw", "pslld", "psllq", "psrlw", "psrld", "psrlq", "psraw", "psrad", "pshufb", "punpcklbw",
    "punpcklwd", "punpckldq", "punpckhbw", "punpckhwd", "punpckhdq", "packsswb", "packssdw", "packuswb", "palignr", "pmovmskb",
    "phaddw", "phaddd", "phaddsw", "pmaddubsw", "phsubw", "phsubd", "phsubsw", "psignb", "psignw", "psignd", "pmulhrsw",
];

/// The operands and codes of the instruction of this name that is shared.
fn shared(name: &'static str) -> [Option<(&'static str, Code)>; 2] {
    if let Some(op) = SseOp::find(name) {
        let row = op.row();
        return match row.shape {
            Shape::X | Shape::One => [Some(("Pq,Qq", row.code)), None],
            Shape::ShiftX => [Some(("Pq,Qq", row.code)), Some(("Nq,Ib", row.second))],
            Shape::XImm | Shape::OneImm => [Some(("Pq,Qq,Ib", row.code)), None],
            Shape::ToGprReg => [Some(("Gw,Nq", row.code)), None],
            _ => [None; 2],
        };
    }
    let row = table::ROWS.iter().find(|row| row.name == name && row.shape == table::Shape::Vector);
    [row.map(|row| ("Pq,Qq", row.code)), None]
}

impl Assembler<'_, '_, '_> {
    /// Appends an instruction with operands in registers of MMX, if it is known.
    pub(super) fn mmx(&mut self, name: &str, said: Option<Width>, operands: &[Operand]) -> Option<()> {
        for row in ROWS.iter().filter(|row| row.name == name) {
            if self.mmx_form(row.operands, row.code, said, operands).is_some() {
                return Some(());
            }
        }
        let name = SHARED.into_iter().find(|&shared| shared == name)?;
        shared(name)
            .into_iter()
            .flatten()
            .find_map(|(letters, code)| self.mmx_form(letters, code.with_prefix(0), said, operands))
    }

    fn mmx_form(
        &mut self,
        letters: &str,
        code: Code,
        said: Option<Width>,
        operands: &[Operand],
    ) -> Option<()> {
        let fields = self.fields(letters, said, operands)?;
        let reg = fields.reg.unwrap_or(code.ext);
        match fields.rm {
            Rm::Reg(rm) => self.encoder.inst_rr(code, Attrs::NONE, reg, rm, fields.imm),
            Rm::Mem(mem) => self.encoder.inst_rm(code, Attrs::NONE, reg, &mem, fields.imm),
        }
        Some(())
    }
}
