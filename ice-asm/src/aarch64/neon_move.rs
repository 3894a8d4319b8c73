//! Advanced SIMD data movement (DDI 0487, C4.1, "Advanced SIMD copy", "Advanced SIMD extract", "Advanced SIMD table lookup",
//! "Advanced SIMD modified immediate"): lanes, tables and numbers.

use super::imm::VectorImm;
use super::register::{Arrangement, FloatWidth, Gpr, Lane, Vreg, Width, full_bit};
use super::{Encoder, bits};
use crate::listing::Listing;

/// The name of a lane's width.
const fn letter(lane: Lane) -> &'static str {
    ["b", "h", "s", "d"][lane as usize]
}

/// The field `imm5` of a lane, if a vector of 128 bits has it: the lowest one tells its width.
fn lane_field(lane: Lane, index: u8) -> Option<u32> {
    let index = u32::from(index);
    (index < 128 / lane.bits()).then(|| (2 * index + 1) << (lane as u32 + 16))
}

/// The general-purpose register that holds a lane.
const fn holder(lane: Lane) -> Width {
    match lane {
        Lane::B64 => Width::X,
        _ => Width::W,
    }
}

/// `{v0.16b, v1.16b}`; behind v31 comes v0.
struct Table(Vreg, u8);

impl core::fmt::Display for Table {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for n in 0..self.1 {
            let reg = Vreg::new(self.0.number() + n);
            write!(f, "{}{}", if n == 0 { "{" } else { ", " }, reg.lanes(Lane::B8, true))?;
        }
        f.write_str("}")
    }
}

impl<L: Listing> Encoder<'_, L> {
    /// `dup vd.4s, vn.s[index]`: a lane into every lane.
    pub fn dup_lane(&mut self, arrangement: Arrangement, d: Vreg, n: Vreg, index: u8) {
        let lane = arrangement.lane;
        let (Some(field), Some(_)) = (lane_field(lane, index), arrangement.bits()) else {
            return self.invalid();
        };
        let word = bits!("0 Q 0 01110000 iiiii 0 0000 1 nnnnn ddddd") | arrangement.q() | field;
        let text = format_args!("dup {}, {n}.{}[{index}]", d.as_(arrangement), letter(lane));
        self.inst(word | n.n() | d.d(), text);
    }

    /// `dup vd.4s, wn`: a general-purpose register into every lane.
    pub fn dup_gpr(&mut self, arrangement: Arrangement, d: Vreg, n: Gpr) {
        let lane = arrangement.lane;
        let (Some(field), Some(_)) = (lane_field(lane, 0), arrangement.bits()) else { return self.invalid() };
        let word = bits!("0 Q 0 01110000 iiiii 0 0001 1 nnnnn ddddd") | arrangement.q() | field;
        let text = format_args!("dup {}, {}", d.as_(arrangement), n.of(holder(lane)));
        self.checked(n.is_plain(), word | n.n() | d.d(), text);
    }

    /// `mov vd.s[index], wn`: into one lane, the others stay.
    pub fn insert_gpr(&mut self, lane: Lane, d: Vreg, index: u8, n: Gpr) {
        let Some(field) = lane_field(lane, index) else { return self.invalid() };
        let word = bits!("0 1 0 01110000 iiiii 0 0011 1 nnnnn ddddd") | field | n.n() | d.d();
        let text = format_args!("mov {d}.{}[{index}], {}", letter(lane), n.of(holder(lane)));
        self.checked(n.is_plain(), word, text);
    }

    /// `mov vd.s[index], vn.s[from]`: a lane into one lane, the others stay.
    pub fn insert_lane(&mut self, lane: Lane, d: Vreg, index: u8, n: Vreg, from: u8) {
        let (Some(field), Some(_)) = (lane_field(lane, index), lane_field(lane, from)) else {
            return self.invalid();
        };
        let source = u32::from(from) << (lane as u32 + 11);
        let word = bits!("0 1 1 01110000 iiiii 0 iiii 1 nnnnn ddddd") | field | source | n.n() | d.d();
        let letter = letter(lane);
        self.inst(word, format_args!("mov {d}.{letter}[{index}], {n}.{letter}[{from}]"));
    }

    /// `umov wd, vn.b[index]`, or with the sign above the lane `smov`. A lane of 64 bits needs a register of them; with
    /// zeros above the result has 64 bits in any case.
    pub fn lane_to_gpr(&mut self, sign: bool, width: Width, lane: Lane, d: Gpr, n: Vreg, index: u8) {
        let Some(field) = lane_field(lane, index) else { return self.invalid() };
        let word = field | n.n() | d.d();
        let valid = d.is_plain() && (lane != Lane::B64 || width == Width::X);
        let letter = letter(lane);
        if sign && lane.bits() < width.bits() {
            let word = word | bits!("0 Q 0 01110000 iiiii 0 0101 1 nnnnn ddddd") | (width as u32) << 30;
            return self.checked(valid, word, format_args!("smov {}, {n}.{letter}[{index}]", d.of(width)));
        }
        let width = holder(lane);
        let word = word | bits!("0 Q 0 01110000 iiiii 0 0111 1 nnnnn ddddd") | (width as u32) << 30;
        self.checked(valid, word, format_args!("umov {}, {n}.{letter}[{index}]", d.of(width)));
    }

    /// `mov sd, vn.s[index]` ("Advanced SIMD scalar copy"): a lane as a number of its own, with zeros above.
    pub fn lane_to_scalar(&mut self, lane: Lane, d: Vreg, n: Vreg, index: u8) {
        let Some(field) = lane_field(lane, index) else { return self.invalid() };
        let word = bits!("01 0 11110000 iiiii 0 0000 1 nnnnn ddddd") | field | n.n() | d.d();
        let d = d.of(FloatWidth::of_lane(lane));
        self.inst(word, format_args!("mov {d}, {n}.{}[{index}]", letter(lane)));
    }

    /// `ext vd.16b, vn.16b, vm.16b, #byte`: the bytes from this one on of n, then of m; of 128 or 64 bits.
    pub fn extract_vector(&mut self, full: bool, d: Vreg, n: Vreg, m: Vreg, byte: u8) {
        let fields = full_bit(full) | m.m() | u32::from(byte & 15) << 11 | n.n() | d.d();
        let word = bits!("0 Q 101110 00 0 mmmmm 0 iiii 0 nnnnn ddddd") | fields;
        let [d, n, m] = [d, n, m].map(|reg| reg.lanes(Lane::B8, full));
        let valid = byte < if full { 16 } else { 8 };
        self.checked(valid, word, format_args!("ext {d}, {n}, {m}, #{byte}"));
    }

    /// `tbl vd.16b, {vn.16b, ...}, vm.16b`: each byte of m chooses one of a table of 1 to 4 registers from n on, or 0; of
    /// 128 or 64 bits.
    pub fn table(&mut self, full: bool, d: Vreg, n: Vreg, count: u8, m: Vreg) {
        self.look_up(bits!("0 Q 001110 00 0 mmmmm 0 ll 0 00 nnnnn ddddd"), "tbl", full, [d, n, m], count);
    }

    /// `tbx vd.16b, {vn.16b, ...}, vm.16b`: past the table a byte of the destination stays.
    pub fn table_extend(&mut self, full: bool, d: Vreg, n: Vreg, count: u8, m: Vreg) {
        self.look_up(bits!("0 Q 001110 00 0 mmmmm 0 ll 1 00 nnnnn ddddd"), "tbx", full, [d, n, m], count);
    }

    fn look_up(&mut self, op: u32, mnemonic: &str, full: bool, [d, n, m]: [Vreg; 3], count: u8) {
        let length = u32::from(count.wrapping_sub(1) & 3) << 13;
        let word = op | full_bit(full) | m.m() | length | n.n() | d.d();
        let [d, m] = [d, m].map(|reg| reg.lanes(Lane::B8, full));
        let valid = (1..=4).contains(&count);
        self.checked(valid, word, format_args!("{mnemonic} {d}, {}, {m}", Table(n, count)));
    }

    /// `movi vd.4s, #imm`, `mvni`, `fmov`: a number into every lane, of 128 or 64 bits.
    pub fn vector_number(&mut self, full: bool, d: Vreg, imm: VectorImm) {
        let word = bits!("0 Q o 0111100000 iii cccc 0 1 iiiii ddddd") | full_bit(full) | imm.bits() | d.d();
        if imm.needs_full() && !full {
            return self.invalid();
        }
        if imm.is_mask() && !full {
            return self.inst(word, format_args!("movi {}, {imm}", d.of(FloatWidth::D)));
        }
        self.inst(word, format_args!("{} {}, {imm}", imm.mnemonic(), d.lanes(imm.lane(), full)));
    }
}
