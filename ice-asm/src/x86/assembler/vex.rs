//! The instructions with VEX prefixes by mnemonic (SDM volume 2): AVX and AVX2, products with a sum, halves of floats, and
//! what BMI1 and BMI2 do with bits.
//!
//! An instruction is a [`Form`] or several: its operands in the letters of [`fields`](super::fields), and its code. What has a
//! form without VEX has its code from there ([`derived`]); the others are [`ROWS`].

use super::Assembler;
use super::operand::Operand;
use super::table;
use crate::x86::code::Code;
use crate::x86::operand::Width;
use crate::x86::sse::{Shape, SseOp};
use crate::x86::vex::{VexCode, vex};
use alloc::vec::Vec;

/// Operands of an instruction and its code with them.
#[derive(Clone, Copy)]
struct Form {
    operands: &'static str,
    code: VexCode,
}

struct Row {
    name: &'static str,
    form: Form,
}

macro_rules! rows {
    ($($operands:literal: $($name:literal $code:literal),*;)*) => {
        &[$($(Row { name: $name, form: Form { operands: $operands, code: vex($code) } }),*),*]
    };
}

static ROWS: &[Row] = rows! {
    "Vx,Hx,Wx": "vfmadd132ps" "VEX.66.0F38.W0 98", "vfmadd213ps" "VEX.66.0F38.W0 A8",
        "vfmadd231ps" "VEX.66.0F38.W0 B8", "vfmadd132pd" "VEX.66.0F38.W1 98",
        "vfmadd213pd" "VEX.66.0F38.W1 A8", "vfmadd231pd" "VEX.66.0F38.W1 B8",
        "vfmadd132ss" "VEX.LIG.66.0F38.W0 99", "vfmadd213ss" "VEX.LIG.66.0F38.W0 A9",
        "vfmadd231ss" "VEX.LIG.66.0F38.W0 B9", "vfmadd132sd" "VEX.LIG.66.0F38.W1 99",
        "vfmadd213sd" "VEX.LIG.66.0F38.W1 A9", "vfmadd231sd" "VEX.LIG.66.0F38.W1 B9",
        "vfmsub132ps" "VEX.66.0F38.W0 9A", "vfmsub213ps" "VEX.66.0F38.W0 AA",
        "vfmsub231ps" "VEX.66.0F38.W0 BA", "vfmsub132pd" "VEX.66.0F38.W1 9A",
        "vfmsub213pd" "VEX.66.0F38.W1 AA", "vfmsub231pd" "VEX.66.0F38.W1 BA",
        "vfmsub132ss" "VEX.LIG.66.0F38.W0 9B", "vfmsub213ss" "VEX.LIG.66.0F38.W0 AB",
        "vfmsub231ss" "VEX.LIG.66.0F38.W0 BB", "vfmsub132sd" "VEX.LIG.66.0F38.W1 9B",
        "vfmsub213sd" "VEX.LIG.66.0F38.W1 AB", "vfmsub231sd" "VEX.LIG.66.0F38.W1 BB",
        "vfnmadd132ps" "VEX.66.0F38.W0 9C", "vfnmadd213ps" "VEX.66.0F38.W0 AC",
        "vfnmadd231ps" "VEX.66.0F38.W0 BC", "vfnmadd132pd" "VEX.66.0F38.W1 9C",
        "vfnmadd213pd" "VEX.66.0F38.W1 AC", "vfnmadd231pd" "VEX.66.0F38.W1 BC",
        "vfnmadd132ss" "VEX.LIG.66.0F38.W0 9D", "vfnmadd213ss" "VEX.LIG.66.0F38.W0 AD",
        "vfnmadd231ss" "VEX.LIG.66.0F38.W0 BD", "vfnmadd132sd" "VEX.LIG.66.0F38.W1 9D",
        "vfnmadd213sd" "VEX.LIG.66.0F38.W1 AD", "vfnmadd231sd" "VEX.LIG.66.0F38.W1 BD",
        "vfnmsub132ps" "VEX.66.0F38.W0 9E", "vfnmsub213ps" "VEX.66.0F38.W0 AE",
        "vfnmsub231ps" "VEX.66.0F38.W0 BE", "vfnmsub132pd" "VEX.66.0F38.W1 9E",
        "vfnmsub213pd" "VEX.66.0F38.W1 AE", "vfnmsub231pd" "VEX.66.0F38.W1 BE",
        "vfnmsub132ss" "VEX.LIG.66.0F38.W0 9F", "vfnmsub213ss" "VEX.LIG.66.0F38.W0 AF",
        "vfnmsub231ss" "VEX.LIG.66.0F38.W0 BF", "vfnmsub132sd" "VEX.LIG.66.0F38.W1 9F",
        "vfnmsub213sd" "VEX.LIG.66.0F38.W1 AF", "vfnmsub231sd" "VEX.LIG.66.0F38.W1 BF",
        "vfmaddsub132ps" "VEX.66.0F38.W0 96", "vfmaddsub213ps" "VEX.66.0F38.W0 A6",
        "vfmaddsub231ps" "VEX.66.0F38.W0 B6", "vfmaddsub132pd" "VEX.66.0F38.W1 96",
        "vfmaddsub213pd" "VEX.66.0F38.W1 A6", "vfmaddsub231pd" "VEX.66.0F38.W1 B6",
        "vfmsubadd132ps" "VEX.66.0F38.W0 97", "vfmsubadd213ps" "VEX.66.0F38.W0 A7",
        "vfmsubadd231ps" "VEX.66.0F38.W0 B7", "vfmsubadd132pd" "VEX.66.0F38.W1 97",
        "vfmsubadd213pd" "VEX.66.0F38.W1 A7", "vfmsubadd231pd" "VEX.66.0F38.W1 B7",
        "vpermilps" "VEX.66.0F38.W0 0C", "vpermilpd" "VEX.66.0F38.W0 0D", "vpsllvd" "VEX.66.0F38.W0 47",
        "vpsllvq" "VEX.66.0F38.W1 47", "vpsrlvd" "VEX.66.0F38.W0 45", "vpsrlvq" "VEX.66.0F38.W1 45",
        "vpsravd" "VEX.66.0F38.W0 46", "vpermd" "VEX.256.66.0F38.W0 36", "vpermps" "VEX.256.66.0F38.W0 16";
    "Vx,Hx,Wx,Ib": "vpblendd" "VEX.66.0F3A.W0 02", "vperm2f128" "VEX.256.66.0F3A.W0 06",
        "vperm2i128" "VEX.256.66.0F3A.W0 46";
    "Vx,Hx,Wx,Lx": "vblendvps" "VEX.66.0F3A.W0 4A", "vblendvpd" "VEX.66.0F3A.W0 4B", "vpblendvb" "VEX.66.0F3A.W0 4C";
    "Vx,Wx": "vtestps" "VEX.66.0F38.W0 0E", "vtestpd" "VEX.66.0F38.W0 0F";
    "Vx,Wx,Ib": "vpermilps" "VEX.66.0F3A.W0 04", "vpermilpd" "VEX.66.0F3A.W0 05", "vpermq" "VEX.256.66.0F3A.W1 00",
        "vpermpd" "VEX.256.66.0F3A.W1 01";
    "Vx,Xx,Hx": "vpgatherdd" "VEX.66.0F38.W0 90 /vsib", "vpgatherqq" "VEX.66.0F38.W1 91 /vsib",
        "vgatherdps" "VEX.66.0F38.W0 92 /vsib", "vgatherqpd" "VEX.66.0F38.W1 93 /vsib";
    "Vx,Xd,Hx": "vpgatherdq" "VEX.66.0F38.W1 90 /vsib", "vgatherdpd" "VEX.66.0F38.W1 92 /vsib";
    "Vd,Xx,Hd": "vpgatherqd" "VEX.66.0F38.W0 91 /vsib", "vgatherqps" "VEX.66.0F38.W0 93 /vsib";
    "Vx,Hx,Mx": "vmaskmovps" "VEX.66.0F38.W0 2C", "vmaskmovpd" "VEX.66.0F38.W0 2D", "vpmaskmovd" "VEX.66.0F38.W0 8C",
        "vpmaskmovq" "VEX.66.0F38.W1 8C";
    "Mx,Hx,Vx": "vmaskmovps" "VEX.66.0F38.W0 2E", "vmaskmovpd" "VEX.66.0F38.W0 2F", "vpmaskmovd" "VEX.66.0F38.W0 8E",
        "vpmaskmovq" "VEX.66.0F38.W1 8E";
    "Vx,Wd": "vcvtph2ps" "VEX.66.0F38.W0 13", "vbroadcastss" "VEX.66.0F38.W0 18", "vpbroadcastb" "VEX.66.0F38.W0 78",
        "vpbroadcastw" "VEX.66.0F38.W0 79", "vpbroadcastd" "VEX.66.0F38.W0 58", "vpbroadcastq" "VEX.66.0F38.W0 59",
        "vbroadcastsd" "VEX.256.66.0F38.W0 19";
    "Vx,Md": "vbroadcastf128" "VEX.256.66.0F38.W0 1A", "vbroadcasti128" "VEX.256.66.0F38.W0 5A";
    "Wd,Vx,Ib": "vcvtps2ph" "VEX.66.0F3A.W0 1D", "vextractf128" "VEX.256.66.0F3A.W0 19",
        "vextracti128" "VEX.256.66.0F3A.W0 39";
    "Vx,Hx,Wd,Ib": "vinsertf128" "VEX.256.66.0F3A.W0 18", "vinserti128" "VEX.256.66.0F3A.W0 38";
    "Vd,Wx": "vcvtpd2ps" "VEX.66.0F 5A", "vcvttpd2dq" "VEX.66.0F E6", "vcvtpd2dq" "VEX.F2.0F E6";
    "Vd,Wd": "vcvtpd2psx" "VEX.128.66.0F 5A", "vcvttpd2dqx" "VEX.128.66.0F E6", "vcvtpd2dqx" "VEX.128.F2.0F E6",
        "vmovq" "VEX.128.F3.0F 7E";
    "Vd,Wq": "vcvtpd2psy" "VEX.256.66.0F 5A", "vcvttpd2dqy" "VEX.256.66.0F E6", "vcvtpd2dqy" "VEX.256.F2.0F E6";
    "Vd,Ed": "vmovd" "VEX.128.66.0F.W0 6E";
    "Ed,Vd": "vmovd" "VEX.128.66.0F.W0 7E";
    "Md,Vd": "vmovq" "VEX.128.66.0F D6";
    "Vd,Eq": "vmovq" "VEX.128.66.0F.W1 6E";
    "Eq,Vd": "vmovq" "VEX.128.66.0F.W1 7E";
    "Vd,Hd,Ew,Ib": "vpinsrb" "VEX.128.66.0F3A.W0 20", "vpinsrw" "VEX.128.66.0F.W0 C4";
    "Vd,Hd,Ed,Ib": "vpinsrd" "VEX.128.66.0F3A.W0 22";
    "Vd,Hd,Eq,Ib": "vpinsrq" "VEX.128.66.0F3A.W1 22";
    "Gw,Ud,Ib": "vpextrw" "VEX.128.66.0F.W0 C5";
    "Ew,Vd,Ib": "vpextrb" "VEX.128.66.0F3A.W0 14", "vpextrw" "VEX.128.66.0F3A.W0 15", "vextractps" "VEX.128.66.0F3A.W0 17";
    "Ed,Vd,Ib": "vpextrd" "VEX.128.66.0F3A.W0 16";
    "Eq,Vd,Ib": "vpextrq" "VEX.128.66.0F3A.W1 16";
    "Md": "vldmxcsr" "VEX.LZ.0F AE /2", "vstmxcsr" "VEX.LZ.0F AE /3";
    "Gy,By,Ey": "andn" "VEX.LZ.0F38.W0 F2", "pdep" "VEX.LZ.F2.0F38.W0 F5", "pext" "VEX.LZ.F3.0F38.W0 F5",
        "mulx" "VEX.LZ.F2.0F38.W0 F6";
    "Gy,Ey,By": "bextr" "VEX.LZ.0F38.W0 F7", "bzhi" "VEX.LZ.0F38.W0 F5", "sarx" "VEX.LZ.F3.0F38.W0 F7",
        "shlx" "VEX.LZ.66.0F38.W0 F7", "shrx" "VEX.LZ.F2.0F38.W0 F7";
    "By,Ey": "blsr" "VEX.LZ.0F38.W0 F3 /1", "blsmsk" "VEX.LZ.0F38.W0 F3 /2", "blsi" "VEX.LZ.0F38.W0 F3 /3";
    "Gy,Ey,Ib": "rorx" "VEX.LZ.F2.0F3A.W0 F0";
};

/// Instructions without operands.
const PLAIN: [(&str, [u8; 3]); 2] = [("vzeroupper", [0xc5, 0xf8, 0x77]), ("vzeroall", [0xc5, 0xfc, 0x77])];

/// Instructions without VEX that have no form with it, or one that is no other's: [`ROWS`] has it.
const OTHERS: [&str; 7] = ["blendvps", "blendvpd", "pblendvb", "cvtpd2ps", "cvtpd2dq", "cvttpd2dq", "movq"];

/// Instructions whose result has nothing of the destination, so that they have no operand more with VEX.
const UNARY: [&str; 28] = [
    "sqrtps",
    "sqrtpd",
    "rsqrtps",
    "rcpps",
    "ucomiss",
    "ucomisd",
    "comiss",
    "comisd",
    "cvtps2dq",
    "cvttps2dq",
    "cvtdq2ps",
    "pabsb",
    "pabsw",
    "pabsd",
    "ptest",
    "pshufd",
    "pshuflw",
    "pshufhw",
    "roundps",
    "roundpd",
    "phminposuw",
    "aesimc",
    "aeskeygenassist",
    "movddup",
    "movshdup",
    "movsldup",
    "lddqu",
    "movntdqa",
];

/// Those of [`UNARY`] on strings.
const STRINGS: [&str; 4] = ["pcmpestrm", "pcmpestri", "pcmpistrm", "pcmpistri"];

/// Whether lanes of the source become wider ones.
fn is_widening(name: &str) -> bool {
    name.starts_with("pmovzx") || name.starts_with("pmovsx") || matches!(name, "cvtps2pd" | "cvtdq2pd")
}

/// Whether an instruction has no form of 256 bits.
fn is_short(name: &str) -> bool {
    let is_scalar = !name.starts_with('p') && (name.ends_with("ss") || name.ends_with("sd"));
    let is_single = matches!(name, "phminposuw" | "dppd" | "pclmulqdq" | "insertps");
    is_scalar || is_single || name.starts_with("aes") || STRINGS.contains(&name)
}

/// The forms of the instruction of this name, without the `v` in front, as its form without VEX gives them.
fn derived(name: &str) -> Vec<Form> {
    let mut forms = Vec::new();
    let is_short = is_short(name);
    let mut add = |operands, code: Code| {
        let code = VexCode::of_legacy(code).map(|code| if is_short { code.short() } else { code });
        forms.extend(code.map(|code| Form { operands, code }));
    };
    if OTHERS.contains(&name) || name.starts_with("sha") {
        return forms;
    }
    let is_unary = UNARY.contains(&name) || STRINGS.contains(&name);
    let plain = if is_widening(name) {
        "Vx,Wd"
    } else if is_unary {
        "Vx,Wx"
    } else {
        "Vx,Hx,Wx"
    };
    let by_byte = if is_unary { "Vx,Wx,Ib" } else { "Vx,Hx,Wx,Ib" };
    if let Some(op) = SseOp::find(name) {
        let row = op.row();
        match row.shape {
            Shape::X | Shape::One => add(plain, row.code),
            Shape::XImm | Shape::OneImm => add(by_byte, row.code),
            Shape::Move if is_short => {
                add("Vd,Hd,Ud", row.code);
                add("Vd,Md", row.code);
                add("Md,Vd", row.second);
            }
            Shape::Move => {
                add("Vx,Wx", row.code);
                add("Wx,Vx", row.second);
            }
            Shape::MoveMem => {
                add("Vd,Hd,Md", row.code);
                add("Md,Vd", row.second);
            }
            Shape::Store => add("Mx,Vx", row.second),
            Shape::XReg => add("Vd,Hd,Ud", row.code),
            Shape::ShiftX => {
                add("Vx,Hx,Wd", row.code);
                add("Hx,Ux,Ib", row.second);
            }
            Shape::ShiftI => add("Hx,Ux,Ib", row.second),
            Shape::FromGpr => add("Vd,Hd,Ey", row.code),
            Shape::ToGpr => add("Gy,Wd", row.code),
            Shape::ToGprReg => add("Gw,Ux", row.code),
            Shape::MoveGpr | Shape::Insert | Shape::Extract | Shape::Blend => {}
        }
        return forms;
    }
    for row in table::ROWS.iter().filter(|row| row.name == name) {
        match row.shape {
            table::Shape::Vector => add(plain, row.code),
            table::Shape::VectorByte => add(by_byte, row.code),
            table::Shape::VectorLoad => add("Vx,Mx", row.code),
            _ => {}
        }
    }
    forms
}

impl Assembler<'_, '_, '_> {
    /// Appends an instruction with a VEX prefix, if it is known with these operands.
    pub(super) fn vex(&mut self, name: &str, said: Option<Width>, operands: &[Operand]) -> Option<()> {
        if let ([], None, Some((_, bytes))) = (operands, said, PLAIN.iter().find(|(known, _)| *known == name))
        {
            self.encoder.buf.emit_data(bytes);
            return Some(());
        }
        let known = ROWS.iter().filter(|row| row.name == name).map(|row| row.form);
        let others = name.strip_prefix('v').map(derived).unwrap_or_default();
        known.chain(others).find_map(|form| self.vex_form(form, said, operands))
    }

    /// Appends an instruction in this form, if it has these operands.
    fn vex_form(&mut self, form: Form, said: Option<Width>, operands: &[Operand]) -> Option<()> {
        let fields = self.fields(form.operands, said, operands)?;
        let mut code = form.code;
        if let Some(is_long) = fields.is_long {
            code = code.of_length(is_long)?;
        }
        if let Some(width) = fields.width {
            code = code.wide(width == Width::B64);
        }
        let (reg, first) = (fields.reg.unwrap_or(code.digit), fields.first);
        self.encoder.inst_vex(code, reg, first, fields.rm, fields.imm);
        Some(())
    }
}
