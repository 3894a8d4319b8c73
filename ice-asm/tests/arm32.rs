//! Every row of the ARM tables with random operands over all fields: decoded by capstone and compared with
//! the listing, and the listing assembled by `llvm-mc` and the GNU assembler and compared with the bytes.

use crate::common;

use capstone::arch::{BuildsCapstone, BuildsCapstoneExtraMode};
use common::assemblers::WordAssemblers;
use common::{Random, listing};
use ice_asm::arm32::*;
use ice_asm::{CodeBuffer, Error, RelocKind, SymbolId, TextListing};

type Buffer = CodeBuffer<TextListing, Branches>;
type Arm<'a> = Encoder<'a, TextListing>;

/// How often each row is encoded.
const TIMES: usize = 40;

/// Random operands.
struct Operands(Random);

impl Operands {
    fn below(&mut self, n: u32) -> u32 {
        self.0.below(n)
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u32) as usize]
    }

    fn cond(&mut self) -> Cond {
        if self.below(3) == 0 { Cond::Al } else { self.pick(&Cond::ALL) }
    }

    fn flags(&mut self) -> Flags {
        self.pick(&[Flags::Keep, Flags::Set])
    }

    /// A core register other than pc and sp, with which some instructions are others or have no meaning.
    fn gpr(&mut self) -> Gpr {
        let n = self.below(14);
        Gpr::new(if n == 13 { 14 } else { n as u8 })
    }

    /// `N` core registers, all different.
    fn gprs<const N: usize>(&mut self) -> [Gpr; N] {
        let mut list = [Gpr::PC; N];
        for i in 0..N {
            list[i] = loop {
                let reg = self.gpr();
                if !list[..i].contains(&reg) {
                    break reg;
                }
            };
        }
        list
    }

    fn even(&mut self) -> Gpr {
        Gpr::new(2 * self.below(6) as u8)
    }

    fn s(&mut self) -> Sreg {
        Sreg::new(self.below(32) as u8)
    }

    fn d(&mut self) -> Dreg {
        Dreg::new(self.below(32) as u8)
    }

    fn q(&mut self) -> Qreg {
        Qreg::new(self.below(16) as u8)
    }

    fn imm(&mut self) -> ModImm {
        ModImm::new(self.below(256).rotate_right(2 * self.below(16))).unwrap()
    }

    fn shift(&mut self) -> (Shift, u8) {
        let shift = self.pick(&Shift::ALL);
        let amount = match shift {
            Shift::Lsr | Shift::Asr => 1 + self.below(32),
            _ => 1 + self.below(31),
        };
        (shift, amount as u8)
    }

    fn operand2(&mut self) -> Operand2 {
        match self.below(5) {
            0 => Operand2::Reg(self.gpr()),
            1 => {
                let (shift, amount) = self.shift();
                Operand2::Shift(self.gpr(), shift, amount)
            }
            2 => Operand2::ShiftReg(self.gpr(), self.pick(&Shift::ALL), self.gpr()),
            3 if self.below(4) == 0 => Operand2::Rrx(self.gpr()),
            _ => Operand2::Imm(self.imm()),
        }
    }

    fn sign(&mut self) -> Sign {
        self.pick(&[Sign::Minus, Sign::Plus])
    }

    /// An address whose base is none of `others` where it is written.
    fn mem(&mut self, op: Transfer, others: &[Gpr]) -> Mem {
        let base = loop {
            let base = if self.below(8) == 0 { Gpr::SP } else { self.gpr() };
            if !others.contains(&base) {
                break base;
            }
        };
        let index = loop {
            let index = self.gpr();
            if !others.contains(&index) && index != base {
                break index;
            }
        };
        let most = op.max_offset();
        let offset = match self.below(4) {
            0 | 1 => Offset::Imm(self.below(2 * most as u32 + 1) as i32 - most),
            2 if op.has_shift() => {
                let (shift, amount) = self.shift();
                Offset::Shift(self.sign(), index, shift, amount)
            }
            _ => Offset::Reg(self.sign(), index),
        };
        let index = self.pick(&[Index::Offset, Index::Offset, Index::Pre, Index::Post]);
        // A store to the stack with writeback by a word is a push.
        let index = if base == Gpr::SP { Index::Offset } else { index };
        Mem { base, offset, index }
    }

    fn lane(&mut self, has: impl Fn(Lane) -> bool) -> Lane {
        loop {
            let lane = self.pick(&Lane::ALL);
            if has(lane) {
                return lane;
            }
        }
    }

    fn list(&mut self, without: Gpr) -> RegList {
        loop {
            let list = RegList(self.below(0x2000) as u16 & !(1 << without.number()));
            if list.len() > 1 {
                return list;
            }
        }
    }
}

/// Calls `f` for every operation with an encoder and random operands, [`TIMES`] times.
fn each<T: Copy>(
    all: &[T],
    buffer: &mut Buffer,
    r: &mut Operands,
    f: impl Fn(T, &mut Arm<'_>, &mut Operands),
) {
    for &op in all {
        for _ in 0..TIMES {
            f(op, &mut Encoder::new(buffer), r);
        }
    }
}

fn integer(buffer: &mut Buffer, r: &mut Operands) {
    each(Alu::ALL, buffer, r, |op, e, r| {
        e.alu(r.cond(), op, r.flags(), r.gpr(), r.gpr(), r.operand2());
    });
    each(Compare::ALL, buffer, r, |op, e, r| e.compare(r.cond(), op, r.gpr(), r.operand2()));
    each(Move::ALL, buffer, r, |op, e, r| e.mov(r.cond(), op, r.flags(), r.gpr(), r.operand2()));
    each(&[()], buffer, r, |(), e, r| {
        e.movw(r.cond(), r.gpr(), r.below(0x10000) as u16);
        e.movt(r.cond(), r.gpr(), r.below(0x10000) as u16);
        e.mov_u32(r.cond(), r.gpr(), r.below(u32::MAX));
        e.mov_u32(r.cond(), r.gpr(), r.below(0x10000));
        e.mov_u32(r.cond(), r.gpr(), !r.imm().value());
        let [d, n, m] = r.gprs();
        e.mul(r.cond(), r.flags(), d, n, m);
    });
    each(&[Multiply::Mla, Multiply::Mls], buffer, r, |op, e, r| {
        let flags = if op == Multiply::Mla { r.flags() } else { Flags::Keep };
        e.multiply_add(r.cond(), op, flags, r.gprs());
    });
    each(MultiplyLong::ALL, buffer, r, |op, e, r| {
        let flags = if op == MultiplyLong::Umaal { Flags::Keep } else { r.flags() };
        e.multiply_long(r.cond(), op, flags, r.gprs());
    });
    each(Divide::ALL, buffer, r, |op, e, r| e.divide(r.cond(), op, r.gpr(), r.gpr(), r.gpr()));
    each(Unary::ALL, buffer, r, |op, e, r| e.unary(r.cond(), op, r.gpr(), r.gpr()));
    each(Extend::ALL, buffer, r, |op, e, r| {
        let rotation = r.pick(&[0, 8, 16, 24]);
        e.extend(r.cond(), op, r.gpr(), r.gpr(), rotation);
        e.extend_add(r.cond(), op, r.gpr(), r.gpr(), r.gpr(), rotation);
    });
    each(BitField::ALL, buffer, r, |op, e, r| {
        let lsb = r.below(32) as u8;
        let width = 1 + r.below(32 - u32::from(lsb)) as u8;
        e.bit_field(r.cond(), op, r.gpr(), r.gpr(), lsb, width);
        e.bfi(r.cond(), r.gpr(), r.gpr(), lsb, width);
        e.bfc(r.cond(), r.gpr(), lsb, width);
    });
}

fn memory(buffer: &mut Buffer, r: &mut Operands) {
    each(Transfer::ALL, buffer, r, |op, e, r| {
        let t = if op.is_dual() { r.even() } else { r.gpr() };
        let others = [t, Gpr::new(t.number() + 1)];
        let mem = r.mem(op, &others);
        e.transfer(r.cond(), op, t, mem);
        e.transfer(r.cond(), op, t, Mem { base: mem.base, ..Mem::new(Gpr::SP, 4) });
    });
    each(Multiple::ALL, buffer, r, |op, e, r| {
        let base = r.gpr();
        let list = r.list(base);
        e.multiple(r.cond(), op, base, r.pick(&[Writeback::No, Writeback::Yes]), list);
    });
    each(&[()], buffer, r, |(), e, r| {
        let list = r.list(Gpr::SP);
        e.push(r.cond(), list);
        e.pop(r.cond(), list);
        e.pop(r.cond(), list.with(Gpr::PC));
        e.push(r.cond(), RegList::default().with(r.gpr()));
        e.pop(r.cond(), RegList::default().with(r.gpr()));
    });
    each(Exclusive::ALL, buffer, r, |op, e, r| {
        let is_double = op == Exclusive::Double;
        let (t, [d, n]) = loop {
            let t = if is_double { r.even() } else { r.gpr() };
            let [d, n] = r.gprs();
            if ![t, Gpr::new(t.number() + 1)].contains(&d) {
                break (t, [d, n]);
            }
        };
        e.load_exclusive(r.cond(), op, t, n);
        e.store_exclusive(r.cond(), op, d, t, n);
    });
}

fn control(buffer: &mut Buffer, r: &mut Operands) {
    Barrier::ALL.iter().for_each(|&op| Encoder::new(buffer).barrier(op));
    each(&[()], buffer, r, |(), e, r| {
        e.blx(r.cond(), r.gpr());
        e.bx(r.cond(), r.gpr());
        e.bkpt(r.below(0x10000) as u16);
        e.udf(r.below(0x10000) as u16);
        e.svc(r.cond(), r.below(1 << 24));
        e.nop(r.cond());
        e.read_thread_id(r.cond(), r.gpr());
        e.clrex();
    });
}

fn vfp(buffer: &mut Buffer, r: &mut Operands) {
    each(Float3::ALL, buffer, r, |op, e, r| {
        e.float3(r.cond(), op, r.s(), r.s(), r.s());
        e.float3(r.cond(), op, r.d(), r.d(), r.d());
    });
    each(Float2::ALL, buffer, r, |op, e, r| {
        e.float2(r.cond(), op, r.s(), r.s());
        e.float2(r.cond(), op, r.d(), r.d());
    });
    each(FloatCompare::ALL, buffer, r, |op, e, r| {
        e.float_compare(r.cond(), op, r.s(), r.s());
        e.float_compare(r.cond(), op, r.d(), r.d());
        e.float_compare_zero(r.cond(), op, r.s());
        e.float_compare_zero(r.cond(), op, r.d());
    });
    each(IntToFloat::ALL, buffer, r, |op, e, r| {
        e.int_to_float(r.cond(), op, r.s(), r.s());
        e.int_to_float(r.cond(), op, r.d(), r.s());
    });
    each(FloatToInt::ALL, buffer, r, |op, e, r| {
        e.float_to_int(r.cond(), op, r.s(), r.s());
        e.float_to_int(r.cond(), op, r.s(), r.d());
    });
    for bits in 0..=255 {
        let mut e = Encoder::new(buffer);
        e.float_mov_imm(r.cond(), r.s(), FloatImm::from_bits(bits));
        e.float_mov_imm(r.cond(), r.d(), FloatImm::from_bits(bits));
    }
    each(&[()], buffer, r, |(), e, r| {
        e.float_widen(r.cond(), r.d(), r.s());
        e.float_narrow(r.cond(), r.s(), r.d());
        e.vmov_s_r(r.cond(), r.s(), r.gpr());
        e.vmov_r_s(r.cond(), r.gpr(), r.s());
        let [lo, hi] = r.gprs();
        e.vmov_d_rr(r.cond(), r.d(), lo, hi);
        e.vmov_rr_d(r.cond(), lo, hi, r.d());
        e.vmrs_flags(r.cond());
        e.vmrs(r.cond(), r.gpr());
        e.vmsr(r.cond(), r.gpr());
        let count = 1 + r.below(16) as u8;
        let first = Dreg::new(r.below(33 - u32::from(count)) as u8);
        e.vpush(r.cond(), first, count);
        e.vpop(r.cond(), first, count);
    });
    each(Direction::ALL, buffer, r, |op, e, r| {
        let offset = 4 * (r.below(511) as i32 - 255);
        e.float_transfer(r.cond(), op, r.s(), r.gpr(), offset);
        e.float_transfer(r.cond(), op, r.d(), r.gpr(), offset);
        e.float_transfer(r.cond(), op, r.d(), Gpr::SP, 0);
        let writeback = r.pick(&[Writeback::No, Writeback::Yes]);
        let count = 2 + r.below(15) as u8;
        let first = r.below(33 - u32::from(count)) as u8;
        e.float_multiple(r.cond(), op, r.gpr(), writeback, Dreg::new(first), count);
        e.float_multiple(r.cond(), op, r.gpr(), writeback, Sreg::new(first), count);
    });
}

fn neon(buffer: &mut Buffer, r: &mut Operands) {
    each(NeonInt::ALL, buffer, r, |op, e, r| {
        let lane = r.lane(|lane| op.has_lane(lane));
        if op < NeonInt::VpmaxS {
            e.neon_int(op, lane, r.q(), r.q(), r.q());
        }
        e.neon_int(op, lane, r.d(), r.d(), r.d());
    });
    each(NeonShift::ALL, buffer, r, |op, e, r| {
        let lane = r.lane(|lane| op.has_lane(lane));
        e.neon_shift(op, lane, r.q(), r.q(), r.q());
        e.neon_shift(op, lane, r.d(), r.d(), r.d());
    });
    each(NeonLogic::ALL, buffer, r, |op, e, r| {
        // With equal sources `vorr` is written as a move.
        let (n, m) = (r.below(31) as u8, r.below(31) as u8);
        let m = if n == m { m + 1 } else { m };
        e.neon_logic(op, r.d(), Dreg::new(n), Dreg::new(m));
        e.neon_logic(op, r.q(), Qreg::new(n / 2), Qreg::new(n / 2 + 1));
    });
    each(NeonFloat::ALL, buffer, r, |op, e, r| {
        e.neon_float(op, r.q(), r.q(), r.q());
        e.neon_float(op, r.d(), r.d(), r.d());
    });
    each(Neon2::ALL, buffer, r, |op, e, r| {
        let lane = r.lane(|lane| op.has_lane(lane));
        e.neon2(op, lane, r.q(), r.q());
        if !matches!(op, Neon2::Vuzp | Neon2::Vzip) {
            e.neon2(op, lane, r.d(), r.d());
        }
    });
    each(NeonFloat2::ALL, buffer, r, |op, e, r| {
        e.neon_float2(op, r.q(), r.q());
        e.neon_float2(op, r.d(), r.d());
    });
    each(NeonConvert::ALL, buffer, r, |op, e, r| {
        e.neon_convert(op, r.q(), r.q());
        e.neon_convert(op, r.d(), r.d());
    });
    each(NeonNarrow::ALL, buffer, r, |op, e, r| {
        e.neon_narrow(op, r.lane(|lane| op.has_lane(lane)), r.d(), r.q());
    });
    each(NeonLong::ALL, buffer, r, |op, e, r| {
        e.neon_long(op, r.lane(|lane| op.has_lane(lane)), r.q(), r.d(), r.d());
    });
    each(NeonShiftImm::ALL, buffer, r, |op, e, r| {
        let lane = r.pick(&Lane::ALL);
        let amount = (r.below(lane.bits()) + u32::from(!op.is_left())) as u8;
        e.neon_shift_imm(op, lane, r.q(), r.q(), amount);
        e.neon_shift_imm(op, lane, r.d(), r.d(), amount);
    });
    each(NeonShiftNarrow::ALL, buffer, r, |op, e, r| {
        let lane = r.pick(&Lane::ALL[..3]);
        let amount = 1 + r.below(lane.bits()) as u8;
        e.neon_shift_narrow(op, lane, r.d(), r.q(), amount);
    });
    each(NeonShiftLong::ALL, buffer, r, |op, e, r| {
        let lane = r.pick(&Lane::ALL[..3]);
        let amount = if r.below(4) == 0 { 0 } else { r.below(lane.bits()) as u8 };
        e.neon_shift_long(op, lane, r.q(), r.d(), amount);
    });
    each(&[()], buffer, r, |(), e, r| {
        e.neon_float_pairs(r.d(), r.d(), r.d());
        let byte = u64::from(r.below(256));
        let shift = r.below(4);
        for imm in [
            NeonImm::splat(Lane::B8, byte),
            NeonImm::splat(Lane::B32, byte << (8 * shift)),
            NeonImm::splat(Lane::B32, u64::from(!((byte as u32) << (8 * shift)))),
            NeonImm::splat(Lane::B16, byte << (8 * (shift & 1))),
            NeonImm::splat(Lane::B32, byte << 8 | 0xff),
            NeonImm::splat(Lane::B32, byte << 16 | 0xffff),
            NeonImm::splat(Lane::B32, FloatImm::from_bits(byte as u8).to_f32().into()),
            NeonImm::splat(Lane::B64, 0xff00_ffff_0000_00ff),
        ] {
            e.neon_mov_imm(r.q(), imm.unwrap());
            e.neon_mov_imm(r.d(), imm.unwrap());
        }
        let op = r.pick(&[NeonLogic::Vorr, NeonLogic::Vbic]);
        e.neon_logic_imm(op, r.q(), NeonImm::logic(Lane::B32, (byte as u32) << (8 * shift)).unwrap());
        e.neon_logic_imm(op, r.d(), NeonImm::logic(Lane::B16, (byte as u32) << (8 * (shift & 1))).unwrap());
    });
}

fn neon_moves(buffer: &mut Buffer, r: &mut Operands) {
    each(&Lane::ALL[..3], buffer, r, |lane, e, r| {
        let index = r.below(64 / lane.bits()) as u8;
        e.vdup_r(r.cond(), lane, r.q(), r.gpr());
        e.vdup_r(r.cond(), lane, r.d(), r.gpr());
        e.vdup_lane(lane, r.q(), r.d(), index);
        e.vdup_lane(lane, r.d(), r.d(), index);
        e.vmov_lane_r(r.cond(), lane, r.d(), index, r.gpr());
        e.vmov_r_lane(r.sign(), lane, r.gpr(), r.d(), index);
        e.vext(r.q(), r.q(), r.q(), r.below(16) as u8);
        e.vext(r.d(), r.d(), r.d(), r.below(8) as u8);
        let count = 1 + r.below(4) as u8;
        let first = Dreg::new(r.below(33 - u32::from(count)) as u8);
        e.vtbl(r.d(), first, count, r.d());
        e.vtbx(r.d(), first, count, r.d());
        e.neon_mov(r.q(), r.q());
        e.neon_mov(r.d(), r.d());
        e.vld1_all_lanes(lane, Dreg::new(r.below(31) as u8), 1 + r.below(2) as u8, r.gpr(), Index::Offset);
    });
    each(NeonTransfer::ALL, buffer, r, |op, e, r| {
        let count = 1 + r.below(4) as u8;
        let first = Dreg::new(r.below(33 - u32::from(count)) as u8);
        let index = r.pick(&[Index::Offset, Index::Post]);
        e.neon_transfer(op, r.pick(&Lane::ALL), first, count, r.gpr(), index);
        e.neon_transfer_q(op, r.q(), r.gpr());
        let lane = r.pick(&Lane::ALL[..3]);
        let number = r.below(64 / lane.bits()) as u8;
        e.neon_transfer_lane(op, lane, r.d(), number, r.gpr(), index);
    });
}

fn symbols(buffer: &mut Buffer) {
    buffer.set_symbol(SymbolId(0));
    let (back, ahead) = (buffer.new_label(), buffer.new_label());
    let symbol = SymbolId(7);
    let mut e = Encoder::new(buffer);
    e.bind(back);
    e.bl_symbol(symbol);
    for cond in Cond::ALL {
        e.bl_symbol_if(cond, symbol);
        e.b_symbol(cond, symbol);
        e.jump_if(cond, ahead);
        e.nop(Cond::Al);
        e.jump_if(cond, back);
        e.nop(Cond::Al);
    }
    for addend in [0, 1, -1, i16::MAX, i16::MIN] {
        e.mov_symbol(Cond::Al, Gpr::new(3), symbol, addend);
        e.mov_symbol(Cond::Ne, Gpr::LR, symbol, addend);
    }
    e.bind(ahead);
    e.nop(Cond::Al);
    e.buf.align(16);
    e.buf.emit_u32(0xdead_beef);
    e.buf.emit_label(RelocKind::Abs32, ahead);
    e.buf.emit_symbol(RelocKind::Abs32, symbol, 4);
    e.buf.emit_label_difference(back, ahead);
}

/// The bits that the linker does not fill in.
fn kept_bits(kind: RelocKind) -> u32 {
    match kind {
        RelocKind::ArmCall | RelocKind::ArmJump24 => 0xff00_0000,
        RelocKind::ArmMovwAbs | RelocKind::ArmMovtAbs => 0xfff0_f000,
        _ => 0,
    }
}

const ASSEMBLERS: WordAssemblers = WordAssemblers {
    machine: "arm",
    head: "\t.syntax unified\n\t.arch armv7-a\n\t.arch_extension idiv\n\t.fpu neon\n\t.arm\n",
    tools: &[
        ("llvm-mc-19", &["-filetype=obj", "-triple=armv7a-linux-gnueabihf", "-mattr=+neon,+vfp3,+hwdiv-arm"]),
        ("arm-linux-gnueabihf-as", &[]),
    ],
    kept_bits,
};

/// One spelling of what the decoder and this crate write differently.
fn normalize(text: &str) -> String {
    let mut out = String::new();
    let text = text.trim().to_lowercase().replace('\t', " ").replace(", ", ",");
    let mut rest = text.as_str();
    while let Some(at) = rest.find('#') {
        out.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        let end = rest.find([',', ']', '}']).unwrap_or(rest.len());
        let (number, tail) = rest.split_at(end);
        let (sign, digits) = number.strip_prefix('-').map_or((1, number), |digits| (-1, digits));
        let value = match digits.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16).ok(),
            None => digits.parse().ok(),
        };
        match value {
            Some(value) => out.push_str(&((sign * value) & 0xffff_ffff_ffff_ffff).to_string()),
            None => match number.parse::<f64>() {
                Ok(value) => out.push_str(&format!("{value:?}")),
                Err(_) => out.push_str(number),
            },
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// `{r0,r1,r2}` and `{d0-d2}` as the decoder has them: every register.
fn expand_range(text: &str) -> String {
    let Some((head, tail)) = text.split_once('{') else { return text.to_owned() };
    let Some((list, tail)) = tail.split_once('}') else { return text.to_owned() };
    let Some((first, last)) = list.split_once('-') else { return text.to_owned() };
    let letter = &first[..1];
    let (first, last): (u32, u32) = (first[1..].parse().unwrap(), last[1..].parse().unwrap());
    let all: Vec<_> = (first..=last).map(|n| format!("{letter}{n}")).collect();
    format!("{head}{{{}}}{tail}", all.join(","))
}

fn check_decoder(name: &str, buffer: &Buffer) {
    // Double precision is decoded in the mode for ARMv8 only.
    let mode = capstone::arch::arm::ArchExtraMode::V8;
    let decoder = capstone::Capstone::new().arm().mode(capstone::arch::arm::ArchMode::Arm);
    let decoder = decoder.extra_mode([mode].into_iter()).build().unwrap();
    let text = listing(buffer);
    let mut failures = Vec::new();
    let lines: Vec<_> = text.lines().filter(|line| line.starts_with('\t')).collect();
    assert_eq!(lines.len() * 4, buffer.bytes().len());
    for (line, bytes) in lines.iter().zip(buffer.bytes().chunks(4)) {
        let ours = expand_range(&normalize(line));
        let theirs = decoder.disasm_count(bytes, 0, 1).unwrap();
        let theirs = theirs.iter().next().map_or_else(String::new, |inst| {
            let text = format!("{} {}", inst.mnemonic().unwrap_or(""), inst.op_str().unwrap_or(""));
            rename(&respell_vext(&normalize(&text)))
        });
        if rename(&ours) != theirs.trim() {
            failures.push(format!("{ours:44} decoded as {theirs:44} {bytes:02x?}"));
        }
    }
    let shown: Vec<_> = failures.iter().step_by((failures.len() / 50).max(1)).cloned().collect();
    assert!(
        failures.is_empty(),
        "{name}: {} of {} differ:\n{}",
        failures.len(),
        lines.len(),
        shown.join("\n")
    );
    println!("{name}: {} instructions", lines.len());
}

/// The decoder counts the bytes of `vext` in the widest lanes.
fn respell_vext(text: &str) -> String {
    let parts = text.strip_prefix("vext.").and_then(|rest| rest.split_once(' '));
    let Some((bits, (registers, count))) =
        parts.and_then(|(bits, operands)| Some((bits, operands.rsplit_once('#')?)))
    else {
        return text.to_owned();
    };
    let bytes = bits.parse::<u32>().unwrap() / 8 * count.trim().parse::<u32>().unwrap();
    format!("vext.8 {registers}#{bytes}")
}

/// Other names of registers.
fn rename(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let end = word.len() - word.chars().last().map_or(0, |c| usize::from(!c.is_alphanumeric()));
        let (word, tail) = word.split_at(end);
        out.push_str(match word {
            "sb" => "r9",
            "sl" => "r10",
            "fp" => "r11",
            "ip" => "r12",
            word => word,
        });
        out.push_str(tail);
    }
    out
}

fn check(name: &str, emit: impl Fn(&mut Buffer, &mut Operands)) {
    let mut buffer = Buffer::new();
    emit(&mut buffer, &mut Operands(Random::new(0x1ce)));
    buffer.finish().unwrap();
    ASSEMBLERS.check(name, &buffer);
    check_decoder(name, &buffer);
}

#[test]
fn integer_instructions() {
    check("integer", integer);
}

#[test]
fn loads_and_stores() {
    check("memory", memory);
}

#[test]
fn control_instructions() {
    check("control", control);
}

#[test]
fn vfp_instructions() {
    check("vfp", vfp);
}

#[test]
fn neon_instructions() {
    check("neon", neon);
}

#[test]
fn neon_data_movement() {
    check("neon-moves", neon_moves);
}

#[test]
fn symbols_and_labels() {
    let mut buffer = Buffer::new();
    symbols(&mut buffer);
    buffer.finish().unwrap();
    ASSEMBLERS.check("symbols", &buffer);
}

#[test]
fn what_cannot_be_encoded_is_an_error() {
    type Emit = fn(&mut Encoder<'_, ()>);
    let never: [Emit; 20] = [
        |e| {
            e.alu(
                Cond::Al,
                Alu::Add,
                Flags::Keep,
                Gpr::new(0),
                Gpr::new(0),
                Operand2::Shift(Gpr::IP, Shift::Lsl, 32),
            )
        },
        |e| e.mov(Cond::Al, Move::Mov, Flags::Keep, Gpr::new(0), Operand2::Shift(Gpr::IP, Shift::Lsr, 0)),
        |e| e.transfer(Cond::Al, Transfer::Ldr, Gpr::new(0), Mem::new(Gpr::SP, 4096)),
        |e| e.transfer(Cond::Al, Transfer::Ldrh, Gpr::new(0), Mem::new(Gpr::SP, -256)),
        |e| e.transfer(Cond::Al, Transfer::Ldrh, Gpr::new(0), Mem::indexed(Gpr::SP, Gpr::IP, 1)),
        |e| e.transfer(Cond::Al, Transfer::Ldrd, Gpr::new(1), Mem::new(Gpr::SP, 0)),
        |e| e.multiply_add(Cond::Al, Multiply::Mls, Flags::Set, [Gpr::IP; 4]),
        |e| e.multiply_long(Cond::Al, MultiplyLong::Umaal, Flags::Set, [Gpr::IP; 4]),
        |e| e.bit_field(Cond::Al, BitField::Ubfx, Gpr::new(0), Gpr::new(0), 31, 2),
        |e| e.bfi(Cond::Al, Gpr::new(0), Gpr::new(0), 0, 0),
        |e| e.extend(Cond::Al, Extend::Uxtb, Gpr::new(0), Gpr::new(0), 4),
        |e| e.push(Cond::Al, RegList::default()),
        |e| e.store_exclusive(Cond::Al, Exclusive::Double, Gpr::new(1), Gpr::new(0), Gpr::new(4)),
        |e| e.float_transfer(Cond::Al, Direction::Load, Dreg::new(0), Gpr::SP, 1024),
        |e| e.float_transfer(Cond::Al, Direction::Load, Dreg::new(0), Gpr::SP, 2),
        |e| e.vpush(Cond::Al, Dreg::new(30), 3),
        |e| e.neon_int(NeonInt::Vmul, Lane::B64, Qreg::new(0), Qreg::new(0), Qreg::new(0)),
        |e| e.neon_int(NeonInt::Vpadd, Lane::B32, Qreg::new(0), Qreg::new(0), Qreg::new(0)),
        |e| e.neon_shift_imm(NeonShiftImm::VshrS, Lane::B32, Qreg::new(0), Qreg::new(0), 0),
        |e| e.vmov_lane_r(Cond::Al, Lane::B32, Dreg::new(0), 2, Gpr::new(0)),
    ];
    for (number, emit) in never.into_iter().enumerate() {
        let mut buffer = CodeBuffer::<(), Branches>::new();
        let mut e = Encoder::new(&mut buffer);
        e.nop(Cond::Al);
        emit(&mut e);
        assert_eq!(buffer.finish(), Err(Error::InvalidOperand { offset: 4 }), "number {number}");
    }
}
