//! Advanced SIMD data movement (DDI 0406C A7.4.2, A7.7, A7.8): lanes, tables, and vectors in memory.

use super::operand::{Cond, Index, Sign};
use super::register::{Dreg, Gpr, Lane, NeonReg, Qreg};
use super::{Encoder, bits, ops};
use crate::listing::Listing;

ops!(
    /// The two directions of vectors in memory.
    NeonTransfer:
    Vst1 "vst1" "1111 0100 0D00 nnnn dddd tttt ssaa mmmm", // A8.8.404, A8.8.405
    Vld1 "vld1" "1111 0100 0D10 nnnn dddd tttt ssaa mmmm", // A8.8.320 to A8.8.322
);

/// The fields `opc1:opc2` of a lane of a doubleword register (table A8-3), if it is one.
fn lane_field(lane: Lane, index: u8) -> Option<u32> {
    let index = u32::from(index);
    let code = match lane {
        Lane::B8 if index < 8 => 8 | index,
        Lane::B16 if index < 4 => index << 1 | 1,
        Lane::B32 if index < 2 => index << 2,
        _ => return None,
    };
    Some((code & 12) << 19 | (code & 3) << 5)
}

/// The field `imm4` of a lane of a doubleword register, if it is one.
fn scalar_field(lane: Lane, index: u8) -> Option<u32> {
    let index = u32::from(index);
    match lane {
        Lane::B8 if index < 8 => Some(index << 1 | 1),
        Lane::B16 if index < 4 => Some(index << 2 | 2),
        Lane::B32 if index < 2 => Some(index << 3 | 4),
        _ => None,
    }
}

/// `{d0}`, `{d0, d1}` and so on.
struct List(Dreg, u8, &'static str);

impl core::fmt::Display for List {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for n in 0..self.1 {
            let reg = Dreg::new(self.0.number() + n);
            write!(f, "{}{reg}{}", if n == 0 { "{" } else { ", " }, self.2)?;
        }
        f.write_str("}")
    }
}

impl<L: Listing> Encoder<'_, L> {
    /// `vdup<c>.32 qd, rt` (A8.8.314): a core register into every lane.
    pub fn vdup_r<R: NeonReg>(&mut self, cond: Cond, lane: Lane, d: R, t: Gpr) {
        const WIDTH: [u32; 3] = [1 << 22, 1 << 5, 0];
        let Some(width) = WIDTH.get(lane as usize) else { return self.invalid() };
        let word = bits!("cccc 1110 1bQ0 dddd tttt 1011 D0e1 0000") | cond.bits() | width | R::Q << 15;
        self.inst(word | d.parts().n() | t.bits() << 12, format_args!("vdup{cond}.{lane} {d}, {t}"));
    }

    /// `vdup.32 qd, dm[index]` (A8.8.313): a lane into every lane.
    pub fn vdup_lane<R: NeonReg>(&mut self, lane: Lane, d: R, m: Dreg, index: u8) {
        let Some(field) = scalar_field(lane, index) else { return self.invalid() };
        let word = bits!("1111 0011 1D11 iiii dddd 1100 0QM0 mmmm") | R::Q | field << 16;
        self.inst(word | d.parts().d() | m.split().m(), format_args!("vdup.{lane} {d}, {m}[{index}]"));
    }

    /// `vmov<c>.32 dd[index], rt` (A8.8.341).
    pub fn vmov_lane_r(&mut self, cond: Cond, lane: Lane, d: Dreg, index: u8, t: Gpr) {
        let Some(field) = lane_field(lane, index) else { return self.invalid() };
        let word = bits!("cccc 1110 0oo0 dddd tttt 1011 Doo1 0000") | cond.bits() | field;
        self.inst(word | d.split().n() | t.bits() << 12, format_args!("vmov{cond}.{lane} {d}[{index}], {t}"));
    }

    /// `vmov.u8 rt, dn[index]` (A8.8.342): with zeros or, for [`Sign::Minus`], the sign above the lane.
    pub fn vmov_r_lane(&mut self, sign: Sign, lane: Lane, t: Gpr, n: Dreg, index: u8) {
        let Some(field) = lane_field(lane, index) else { return self.invalid() };
        let (unsigned, letter) = match (lane, sign) {
            (Lane::B32, _) => (0, ""),
            (_, Sign::Plus) => (1 << 23, "u"),
            (_, Sign::Minus) => (0, "s"),
        };
        let word = bits!("cccc 1110 Uoo1 nnnn tttt 1011 Noo1 0000") | Cond::Al.bits() | field | unsigned;
        let text = format_args!("vmov.{letter}{lane} {t}, {n}[{index}]");
        self.inst(word | n.split().n() | t.bits() << 12, text);
    }

    /// `vext.8 qd, qn, qm, #bytes` (A8.8.316): the bytes from this one on of n, then of m.
    pub fn vext<R: NeonReg>(&mut self, d: R, n: R, m: R, bytes: u8) {
        let word = bits!("1111 0010 1D11 nnnn dddd iiii NQM0 mmmm") | R::Q | u32::from(bytes & 15) << 8;
        let word = word | d.parts().d() | n.parts().n() | m.parts().m();
        self.checked(u32::from(bytes) < R::BYTES, word, format_args!("vext.8 {d}, {n}, {m}, #{bytes}"));
    }

    /// `vtbl.8 dd, {dn, ...}, dm` (A8.8.419): each byte of m chooses one of a table of 1 to 4 registers, or 0.
    pub fn vtbl(&mut self, d: Dreg, n: Dreg, count: u8, m: Dreg) {
        self.table(0, "vtbl", d, n, count, m);
    }

    /// `vtbx.8 dd, {dn, ...}, dm` (A8.8.419): past the table a byte stays.
    pub fn vtbx(&mut self, d: Dreg, n: Dreg, count: u8, m: Dreg) {
        self.table(1 << 6, "vtbx", d, n, count, m);
    }

    fn table(&mut self, op: u32, name: &str, d: Dreg, n: Dreg, count: u8, m: Dreg) {
        let valid = (1..=4).contains(&count) && n.number() + count <= 32;
        let word = bits!("1111 0011 1D11 nnnn dddd 10ll NoM0 mmmm")
            | op
            | (u32::from(count).wrapping_sub(1) & 3) << 8;
        let word = word | d.split().d() | n.split().n() | m.split().m();
        self.checked(valid, word, format_args!("{name}.8 {d}, {}, {m}", List(n, count, "")));
    }

    /// `vld1.8 {dd, ...}, [rn]`, `vst1`: 1 to 4 registers, of lanes that must be aligned to their width. With
    /// [`Index::Post`] the base moves past them.
    pub fn neon_transfer(
        &mut self,
        op: NeonTransfer,
        lane: Lane,
        d: Dreg,
        count: u8,
        base: Gpr,
        index: Index,
    ) {
        const TYPES: [u32; 4] = [0b0111, 0b1010, 0b0110, 0b0010];
        let ty = TYPES[usize::from(count.wrapping_sub(1) & 3)];
        let valid = (1..=4).contains(&count) && d.number() + count <= 32;
        let word = op.bits() | ty << 8 | (lane as u32) << 6;
        self.neon_memory(valid, word, op, lane, List(d, count, ""), base, index);
    }

    /// `vld1.8 {qd}, [rn]`, `vst1` with a quadword register and no need of alignment.
    pub fn neon_transfer_q(&mut self, op: NeonTransfer, d: Qreg, base: Gpr) {
        self.neon_transfer(op, Lane::B8, d.low(), 2, base, Index::Offset);
    }

    /// `vld1.32 {dd[index]}, [rn]`, `vst1`: one lane.
    #[allow(clippy::too_many_arguments, reason = "each is a field of the instruction")]
    pub fn neon_transfer_lane(
        &mut self,
        op: NeonTransfer,
        lane: Lane,
        d: Dreg,
        number: u8,
        base: Gpr,
        index: Index,
    ) {
        const TEXTS: [&str; 8] = ["[0]", "[1]", "[2]", "[3]", "[4]", "[5]", "[6]", "[7]"];
        let field = match lane {
            Lane::B64 => 8,
            _ => u32::from(number) << (lane as u32 + 1),
        };
        let valid = lane != Lane::B64 && u32::from(number) < 64 / lane.bits();
        let word = op.bits() | 1 << 23 | (lane as u32 & 3) << 10 | (field & 15) << 4;
        let list = List(d, 1, TEXTS[usize::from(number & 7)]);
        self.neon_memory(valid, word, op, lane, list, base, index);
    }

    /// `vld1.32 {dd[], ...}, [rn]`: one number from memory into every lane of 1 or 2 registers.
    pub fn vld1_all_lanes(&mut self, lane: Lane, d: Dreg, count: u8, base: Gpr, index: Index) {
        let op = NeonTransfer::Vld1;
        let valid = lane != Lane::B64 && (1..=2).contains(&count) && d.number() + count <= 32;
        let word = op.bits()
            | 1 << 23
            | 12 << 8
            | (lane as u32 & 3) << 6
            | (u32::from(count).wrapping_sub(1) & 1) << 5;
        self.neon_memory(valid, word, op, lane, List(d, count, "[]"), base, index);
    }

    #[allow(clippy::too_many_arguments, reason = "each is a part of the line")]
    fn neon_memory(
        &mut self,
        valid: bool,
        word: u32,
        op: NeonTransfer,
        lane: Lane,
        list: List,
        base: Gpr,
        index: Index,
    ) {
        // Rm: 15 for no writeback, 13 for one by the size.
        let (m, suffix) = match index {
            Index::Offset => (15, ""),
            Index::Pre => return self.invalid(),
            Index::Post => (13, "!"),
        };
        let word = word | list.0.split().d() | base.bits() << 16 | m;
        self.checked(
            valid && base != Gpr::PC,
            word,
            format_args!("{}.{lane} {list}, [{base}]{suffix}", op.mnemonic()),
        );
    }
}
