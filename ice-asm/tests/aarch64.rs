//! Every row of the AArch64 tables with random operands over all fields: the listing assembled by `llvm-mc` and the GNU
//! assembler and compared with the bytes, and decoded by capstone, whose text is the listing or, where it has other names,
//! is assembled to the same bytes.

use crate::common;

use capstone::arch::BuildsCapstone;
use common::assemblers::WordAssemblers;
use common::{Random, listing};
use ice_asm::aarch64::*;
use ice_asm::{CodeBuffer, Error, RelocKind, SymbolId, TextListing};
use std::collections::HashSet;

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

    fn bool(&mut self) -> bool {
        self.below(2) != 0
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u32) as usize]
    }

    fn cond(&mut self) -> Cond {
        self.pick(&Cond::ALL)
    }

    fn width(&mut self) -> Width {
        self.pick(&Width::ALL)
    }

    /// A general-purpose register with a number of its own.
    fn own(&mut self) -> Gpr {
        Gpr::new(self.below(31) as u8)
    }

    /// Where 31 means zeros.
    fn gpr(&mut self) -> Gpr {
        if self.below(8) == 0 { Gpr::ZERO } else { self.own() }
    }

    /// Where 31 means the stack pointer.
    fn base(&mut self) -> Gpr {
        if self.below(8) == 0 { Gpr::SP } else { self.own() }
    }

    /// `N` registers, all different.
    fn gprs<const N: usize>(&mut self) -> [Gpr; N] {
        let mut list = [Gpr::SP; N];
        for i in 0..N {
            list[i] = loop {
                let reg = self.own();
                if !list[..i].contains(&reg) {
                    break reg;
                }
            };
        }
        list
    }

    fn v(&mut self) -> Vreg {
        Vreg::new(self.below(32) as u8)
    }

    fn float(&mut self) -> FloatWidth {
        self.pick(&[FloatWidth::S, FloatWidth::D])
    }

    fn imm(&mut self) -> ArithImm {
        ArithImm::new(u64::from(self.below(4096)) << (12 * self.below(2))).unwrap()
    }

    fn bits(&mut self, width: Width) -> LogicImm {
        let size = 2_u32 << self.below(if width == Width::W { 5 } else { 6 });
        let ones = 1 + self.below(size - 1);
        let mut value = u64::MAX >> (64 - ones);
        let mut filled = size;
        while filled < 64 {
            value |= value << filled;
            filled *= 2;
        }
        LogicImm::new(width, value.rotate_right(self.below(size))).unwrap()
    }

    /// A plain or shifted register.
    fn shifted(&mut self, width: Width, shifts: &[Shift]) -> Operand {
        match self.below(3) {
            0 => Operand::Reg(self.gpr()),
            _ => Operand::Shift(self.gpr(), self.pick(shifts), self.below(width.bits()) as u8),
        }
    }

    fn lane(&mut self, has: impl Fn(Lane) -> bool) -> Lane {
        loop {
            let lane = self.pick(&Lane::ALL);
            if has(lane) {
                return lane;
            }
        }
    }

    /// More than one lane.
    fn arrangement(&mut self, has: impl Fn(Lane) -> bool) -> Arrangement {
        let lane = self.lane(has);
        Arrangement { lane, full: lane == Lane::B64 || self.bool() }
    }

    fn floats(&mut self) -> Arrangement {
        self.arrangement(|lane| lane >= Lane::B32)
    }

    /// An address whose base is not `t` where it is written.
    fn mem(&mut self, size: u8, t: Gpr) -> Mem {
        let base = loop {
            let base = self.base();
            if base != t {
                break base;
            }
        };
        let nine = self.below(512) as i32 - 256;
        let offset = match self.below(8) {
            0 => Offset::Imm(nine),
            1 => Offset::Pre(nine),
            2 => Offset::Post(nine),
            3..5 => {
                let extend = self.pick(&[Extend::Uxtw, Extend::Uxtx, Extend::Sxtw, Extend::Sxtx]);
                Offset::Reg(self.gpr(), extend, self.bool())
            }
            _ => Offset::Imm((self.below(4096) << size) as i32),
        };
        Mem { base, offset }
    }

    /// An address of a pair.
    fn pair(&mut self, size: u8, base: Gpr) -> Mem {
        let imm = (self.below(128) as i32 - 64) << size;
        let offset = self.pick(&[Offset::Imm(imm), Offset::Pre(imm), Offset::Post(imm)]);
        Mem { base, offset }
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

fn sums(buffer: &mut Buffer, r: &mut Operands) {
    let shifts = [Shift::Lsl, Shift::Lsr, Shift::Asr];
    each(&[Alu::Add, Alu::Adds, Alu::Sub, Alu::Subs], buffer, r, |op, e, r| {
        let width = r.width();
        e.alu(op, width, r.gpr(), r.gpr(), r.shifted(width, &shifts));
        let d = if matches!(op, Alu::Adds | Alu::Subs) { r.gpr() } else { r.base() };
        e.alu(op, width, d, r.base(), r.imm());
        e.alu(op, width, d, r.base(), Operand::Extend(r.gpr(), r.pick(&Extend::ALL), r.below(5) as u8));
        e.alu(op, width, d, Gpr::SP, r.gpr());
        e.alu(op, width, d, Gpr::SP, Operand::Shift(r.own(), Shift::Lsl, r.below(5) as u8));
    });
    each(&[Compare::Cmp, Compare::Cmn], buffer, r, |op, e, r| {
        let width = r.width();
        e.compare(op, width, r.gpr(), r.shifted(width, &shifts));
        e.compare(op, width, r.base(), r.imm());
        e.compare(op, width, r.base(), Operand::Extend(r.gpr(), r.pick(&Extend::ALL), r.below(5) as u8));
        e.compare(op, width, Gpr::SP, r.own());
    });
    each(Carry::ALL, buffer, r, |op, e, r| e.carry(op, r.width(), r.gpr(), r.gpr(), r.gpr()));
    each(ConditionalCompare::ALL, buffer, r, |op, e, r| {
        e.conditional_compare(op, r.width(), r.gpr(), r.gpr(), r.below(16) as u8, r.cond());
        let imm = ArithImm::new(r.below(32).into()).unwrap();
        e.conditional_compare(op, r.width(), r.gpr(), Operand::Imm(imm), r.below(16) as u8, r.cond());
    });
    each(&[()], buffer, r, |(), e, r| {
        let number = i64::from(r.below(8191)) - 4095;
        e.add_number(r.width(), r.base(), r.base(), number);
    });
}

fn logic(buffer: &mut Buffer, r: &mut Operands) {
    let with_numbers = [Alu::And, Alu::Ands, Alu::Orr, Alu::Eor];
    let all = [&with_numbers[..], &[Alu::Bic, Alu::Bics, Alu::Orn, Alu::Eon]].concat();
    each(&all, buffer, r, |op, e, r| {
        let width = r.width();
        e.alu(op, width, r.gpr(), r.gpr(), r.shifted(width, &Shift::ALL));
    });
    each(&with_numbers, buffer, r, |op, e, r| {
        let width = r.width();
        let d = if op == Alu::Ands { r.gpr() } else { r.base() };
        e.alu(op, width, d, r.gpr(), r.bits(width));
    });
    each(&[Compare::Tst], buffer, r, |op, e, r| {
        let width = r.width();
        e.compare(op, width, r.gpr(), r.shifted(width, &Shift::ALL));
        e.compare(op, width, r.gpr(), r.bits(width));
    });
    each(BitField::ALL, buffer, r, |op, e, r| {
        let width = r.width();
        let [immr, imms] = [0; 2].map(|_| r.below(width.bits()) as u8);
        e.bit_field(op, width, r.gpr(), r.gpr(), immr, imms);
    });
    each(&Shift::ALL, buffer, r, |op, e, r| {
        let width = r.width();
        e.shift_by(op, width, r.gpr(), r.gpr(), r.below(width.bits()) as u8);
    });
    each(&Extend::ALL, buffer, r, |op, e, r| e.extend(op, r.width(), r.gpr(), r.gpr()));
    each(&[()], buffer, r, |(), e, r| {
        let width = r.width();
        let lsb = r.below(width.bits()) as u8;
        let size = 1 + r.below(width.bits() - u32::from(lsb)) as u8;
        e.extract_bits(r.bool(), width, r.gpr(), r.gpr(), lsb, size);
        e.insert_bits(width, r.gpr(), r.own(), lsb, size);
        e.extract_pair(width, r.gpr(), r.gpr(), r.gpr(), lsb);
    });
}

fn integer(buffer: &mut Buffer, r: &mut Operands) {
    each(Two::ALL, buffer, r, |op, e, r| e.two(op, r.width(), r.gpr(), r.gpr(), r.gpr()));
    each(One::ALL, buffer, r, |op, e, r| {
        let width = if op == One::Rev32 { Width::X } else { r.width() };
        e.one(op, width, r.gpr(), r.gpr());
    });
    each(Multiply::ALL, buffer, r, |op, e, r| {
        e.multiply(op, r.width(), r.gpr(), r.gpr(), r.gpr(), r.gpr());
    });
    each(MultiplyLong::ALL, buffer, r, |op, e, r| {
        e.multiply_long(op, r.gpr(), r.gpr(), r.gpr(), r.gpr());
    });
    each(MultiplyHigh::ALL, buffer, r, |op, e, r| e.multiply_high(op, r.gpr(), r.gpr(), r.gpr()));
    each(Select::ALL, buffer, r, |op, e, r| {
        e.select(op, r.width(), r.gpr(), r.gpr(), r.gpr(), r.cond());
    });
    each(MoveWide::ALL, buffer, r, |op, e, r| {
        let width = r.width();
        let shift = 16 * r.below(width.bits() / 16) as u8;
        e.mov_wide(op, width, r.gpr(), r.below(0x10000) as u16, shift);
    });
    each(&Cond::ALL[..14], buffer, r, |cond, e, r| {
        e.cset(r.width(), r.gpr(), cond);
        e.csetm(r.width(), r.gpr(), cond);
    });
    each(&[()], buffer, r, |(), e, r| {
        e.mov(r.width(), r.gpr(), r.gpr());
        e.mov(r.width(), r.base(), Gpr::SP);
        e.mov(r.width(), Gpr::SP, r.base());
        let width = r.width();
        e.mov_number(width, r.own(), u64::from(r.below(u32::MAX)) << r.below(33));
        e.mov_number(width, r.own(), !(u64::from(r.below(0x10000)) << r.below(49)));
        e.mov_number(width, r.own(), r.bits(width).value());
    });
}

fn memory(buffer: &mut Buffer, r: &mut Operands) {
    each(Transfer::ALL, buffer, r, |op, e, r| {
        for _ in 0..4 {
            let t = r.gpr();
            e.transfer(op, t, r.mem(op.size_log2(), t));
        }
    });
    each(&FloatWidth::ALL, buffer, r, |width, e, r| {
        for _ in 0..4 {
            e.load_float(width, r.v(), r.mem(width.size_log2(), Gpr::ZERO));
            e.store_float(width, r.v(), r.mem(width.size_log2(), Gpr::ZERO));
        }
    });
    each(PairTransfer::ALL, buffer, r, |op, e, r| {
        let [t1, t2, base] = r.gprs();
        let base = if r.below(4) == 0 { Gpr::SP } else { base };
        let size = if matches!(op, PairTransfer::LdpX | PairTransfer::StpX) { 3 } else { 2 };
        e.transfer_pair(op, t1, t2, r.pair(size, base));
    });
    each(&FloatWidth::ALL[2..], buffer, r, |width, e, r| {
        let first = r.below(31) as u8;
        let (t1, t2) = (Vreg::new(first), Vreg::new(first + 1));
        let base = r.base();
        e.load_float_pair(width, t1, t2, r.pair(width.size_log2(), base));
        e.store_float_pair(width, t2, t1, r.pair(width.size_log2(), base));
    });
}

fn atomic(buffer: &mut Buffer, r: &mut Operands) {
    each(Exclusive::ALL, buffer, r, |op, e, r| e.load_exclusive(op, r.below(4) as u8, r.gpr(), r.base()));
    each(StoreExclusive::ALL, buffer, r, |op, e, r| {
        let [status, t, n] = r.gprs();
        e.store_exclusive(op, r.below(4) as u8, status, t, n);
        e.store_exclusive(op, r.below(4) as u8, status, t, Gpr::SP);
    });
    each(&[false, true], buffer, r, |ordered, e, r| {
        e.store_release(r.below(4) as u8, r.gpr(), r.base());
        let [status, t1, t2, n] = r.gprs();
        e.load_exclusive_pair(ordered, t1, t2, n);
        e.store_exclusive_pair(ordered, status, t1, t2, n);
    });
}

fn control(buffer: &mut Buffer, r: &mut Operands) {
    Barrier::ALL.iter().for_each(|&op| Encoder::new(buffer).dmb(op));
    for number in 0..128 {
        Encoder::new(buffer).hint(number);
    }
    each(&[()], buffer, r, |(), e, r| {
        e.call_reg(r.gpr());
        e.jump_reg(r.gpr());
        e.ret();
        e.trap(r.below(0x10000) as u16);
        e.undefined(r.below(0x10000) as u16);
        e.nop();
        e.read_thread_pointer(r.gpr());
        e.clrex();
    });
}

fn float(buffer: &mut Buffer, r: &mut Operands) {
    each(Float3::ALL, buffer, r, |op, e, r| e.float3(op, r.float(), r.v(), r.v(), r.v()));
    each(Float2::ALL, buffer, r, |op, e, r| e.float2(op, r.float(), r.v(), r.v()));
    each(Float4::ALL, buffer, r, |op, e, r| e.float4(op, r.float(), r.v(), r.v(), r.v(), r.v()));
    each(FloatConditionalCompare::ALL, buffer, r, |op, e, r| {
        e.float_conditional_compare(op, r.float(), r.v(), r.v(), r.below(16) as u8, r.cond());
    });
    each(FloatToInt::ALL, buffer, r, |op, e, r| e.float_to_int(op, r.float(), r.width(), r.gpr(), r.v()));
    for to in FloatWidth::ALL {
        for from in FloatWidth::ALL {
            if to != from && ![to, from].iter().any(|&w| w == FloatWidth::B || w == FloatWidth::Q) {
                Encoder::new(buffer).float_convert(to, from, r.v(), r.v());
            }
        }
    }
    for bits in 0..=255 {
        Encoder::new(buffer).float_number(r.float(), r.v(), FloatImm::from_bits(bits));
    }
    each(&[()], buffer, r, |(), e, r| {
        e.float_compare(r.float(), r.v(), r.v());
        e.float_compare_zero(r.float(), r.v());
        e.float_select(r.float(), r.v(), r.v(), r.v(), r.cond());
        e.int_to_float(r.bool(), r.width(), r.float(), r.v(), r.gpr());
        e.to_float(r.float(), r.v(), r.gpr());
        e.from_float(r.float(), r.gpr(), r.v());
    });
}

fn vectors(buffer: &mut Buffer, r: &mut Operands) {
    each(Vector3::ALL, buffer, r, |op, e, r| {
        let arrangement = r.arrangement(|lane| op.has_lane(lane));
        e.vector3(op, arrangement, r.v(), r.v(), r.v());
    });
    each(VectorLogic::ALL, buffer, r, |op, e, r| {
        e.vector_logic(op, r.bool(), r.v(), r.v(), r.v());
    });
    each(VectorFloat3::ALL, buffer, r, |op, e, r| e.vector_float3(op, r.floats(), r.v(), r.v(), r.v()));
    each(Vector2::ALL, buffer, r, |op, e, r| {
        let arrangement = r.arrangement(|lane| op.has_lane(lane));
        e.vector2(op, arrangement, r.v(), r.v());
    });
    each(VectorFloat2::ALL, buffer, r, |op, e, r| e.vector_float2(op, r.floats(), r.v(), r.v()));
    each(VectorLong::ALL, buffer, r, |op, e, r| {
        e.vector_long(op, r.lane(|lane| op.has_lane(lane)), r.bool(), r.v(), r.v(), r.v());
    });
    each(VectorWide::ALL, buffer, r, |op, e, r| {
        e.vector_wide(op, r.lane(|lane| op.has_lane(lane)), r.bool(), r.v(), r.v(), r.v());
    });
    each(VectorNarrow::ALL, buffer, r, |op, e, r| {
        e.vector_narrow(op, r.lane(|lane| op.has_lane(lane)), r.bool(), r.v(), r.v());
    });
    each(Across::ALL, buffer, r, |op, e, r| {
        let lane = r.lane(|lane| op.has_lane(lane));
        let full = lane == Lane::B32 || r.bool();
        e.across(op, Arrangement { lane, full }, r.v(), r.v());
    });
    each(FloatAcross::ALL, buffer, r, |op, e, r| e.float_across(op, r.v(), r.v()));
    each(Permute::ALL, buffer, r, |op, e, r| {
        e.permute(op, r.arrangement(|_| true), r.v(), r.v(), r.v());
    });
    each(&[FloatWidth::H, FloatWidth::S], buffer, r, |width, e, r| {
        e.fcvtl(r.bool(), width, r.v(), r.v());
        e.fcvtn(r.bool(), width, r.v(), r.v());
    });
}

fn vector_shifts(buffer: &mut Buffer, r: &mut Operands) {
    each(VectorShift::ALL, buffer, r, |op, e, r| {
        let arrangement = r.arrangement(|_| true);
        let amount = (r.below(arrangement.lane.bits()) + u32::from(!op.is_left())) as u8;
        e.vector_shift(op, arrangement, r.v(), r.v(), amount);
    });
    each(VectorShiftLong::ALL, buffer, r, |op, e, r| {
        let lane = r.lane(|lane| op.has_lane(lane));
        e.vector_shift_long(op, lane, r.bool(), r.v(), r.v(), r.below(lane.bits()) as u8);
    });
    each(VectorShiftNarrow::ALL, buffer, r, |op, e, r| {
        let lane = r.lane(|lane| op.has_lane(lane));
        e.vector_shift_narrow(op, lane, r.bool(), r.v(), r.v(), 1 + r.below(lane.bits()) as u8);
    });
}

fn vector_moves(buffer: &mut Buffer, r: &mut Operands) {
    each(&Lane::ALL, buffer, r, |lane, e, r| {
        let count = 128 / lane.bits();
        let [index, from] = [0; 2].map(|_| r.below(count) as u8);
        let arrangement = Arrangement { lane, full: lane == Lane::B64 || r.bool() };
        e.dup_lane(arrangement, r.v(), r.v(), index);
        e.dup_gpr(arrangement, r.v(), r.gpr());
        e.insert_gpr(lane, r.v(), index, r.gpr());
        e.insert_lane(lane, r.v(), index, r.v(), from);
        e.lane_to_scalar(lane, r.v(), r.v(), index);
        let width = if lane == Lane::B64 { Width::X } else { r.width() };
        e.lane_to_gpr(false, width, lane, r.gpr(), r.v(), index);
        e.lane_to_gpr(true, width, lane, r.gpr(), r.v(), index);
    });
    each(&[false, true], buffer, r, |full, e, r| {
        e.extract_vector(full, r.v(), r.v(), r.v(), r.below(if full { 16 } else { 8 }) as u8);
        e.table(full, r.v(), r.v(), 1 + r.below(4) as u8, r.v());
        e.table_extend(full, r.v(), r.v(), 1 + r.below(4) as u8, r.v());
        e.copy_vector(r.v(), r.v());
        let byte = u64::from(r.below(256));
        let shift = r.below(4);
        let mut mask = 0;
        for i in 0..8 {
            mask |= (byte >> i & 1) * (0xff << (8 * i));
        }
        for (lane, value) in [
            (Lane::B8, byte),
            (Lane::B32, byte << (8 * shift)),
            (Lane::B32, u64::from(!((byte as u32) << (8 * shift)))),
            (Lane::B16, byte << (8 * (shift & 1))),
            (Lane::B16, !(byte << (8 * (shift & 1)))),
            (Lane::B32, byte << 8 | 0xff),
            (Lane::B32, byte << 16 | 0xffff),
            (Lane::B32, !(byte << 16 | 0xffff)),
            (Lane::B32, FloatImm::from_bits(byte as u8).to_f32().into()),
            (Lane::B64, mask),
        ] {
            e.vector_number(full, r.v(), VectorImm::splat(lane, value).unwrap());
        }
        let double = VectorImm::splat(Lane::B64, FloatImm::from_bits(byte as u8).to_f64());
        e.vector_number(true, r.v(), double.unwrap());
    });
}

const PAGES: [RelocKind; 4] = [
    RelocKind::Aarch64Page21,
    RelocKind::Aarch64GotPage21,
    RelocKind::Aarch64TlsIePage21,
    RelocKind::Aarch64TlsDescPage21,
];
const SUMS: [RelocKind; 4] = [
    RelocKind::Aarch64AddLo12,
    RelocKind::Aarch64TlsLeHi12,
    RelocKind::Aarch64TlsLeLo12,
    RelocKind::Aarch64TlsDescAddLo12,
];
const LOADS: [(RelocKind, Transfer); 7] = [
    (RelocKind::Aarch64Load8Lo12, Transfer::Strb),
    (RelocKind::Aarch64Load16Lo12, Transfer::LdrshX),
    (RelocKind::Aarch64Load32Lo12, Transfer::LdrW),
    (RelocKind::Aarch64Load64Lo12, Transfer::StrX),
    (RelocKind::Aarch64GotLo12, Transfer::LdrX),
    (RelocKind::Aarch64TlsIeLo12, Transfer::LdrX),
    (RelocKind::Aarch64TlsDescLoadLo12, Transfer::LdrX),
];

fn symbols(buffer: &mut Buffer) {
    buffer.set_symbol(SymbolId(0));
    let (back, ahead) = (buffer.new_label(), buffer.new_label());
    let symbol = SymbolId(7);
    let mut e = Encoder::new(buffer);
    e.bind(back);
    e.call(symbol);
    e.jump_symbol(symbol);
    for cond in Cond::ALL {
        e.jump_if(BranchCond::Flags(cond), ahead);
        e.nop();
        e.jump_if(BranchCond::Flags(cond), back);
        e.nop();
    }
    for n in 0..32 {
        let reg = Gpr::new(n);
        for cond in [
            BranchCond::Zero(Width::W, reg),
            BranchCond::NonZero(Width::X, reg),
            BranchCond::BitZero(reg, n),
            BranchCond::BitOne(reg, n + 32),
        ] {
            e.jump_if(cond, ahead);
            e.jump_if(cond.invert(), back);
            e.adr(reg, ahead);
            e.adr(reg, back);
        }
    }
    for addend in [0, 16, 4096] {
        PAGES.iter().for_each(|&kind| e.adrp_symbol(Gpr::LR, kind, symbol, addend));
        SUMS.iter().for_each(|&kind| e.add_symbol(Gpr::new(1), Gpr::SP, kind, symbol, addend));
        for (kind, op) in LOADS {
            e.transfer(op, Gpr::new(9), Mem { base: Gpr::IP0, offset: Offset::Low(kind, symbol, addend) });
        }
        let offset = Offset::Low(RelocKind::Aarch64Load128Lo12, symbol, addend);
        e.load_float(FloatWidth::Q, Vreg::new(9), Mem { base: Gpr::IP0, offset });
    }
    e.call_tls_descriptor(symbol, Gpr::new(1));
    e.bind(ahead);
    e.nop();
    e.buf.align(16);
    e.buf.emit_u32(0xdead_beef);
    e.buf.emit_u32(0);
    e.buf.emit_label(RelocKind::Abs64, ahead);
    e.buf.emit_symbol(RelocKind::Abs64, symbol, 4);
    e.buf.emit_label_difference(back, ahead);
}

/// The bits that the linker does not fill in.
fn kept_bits(kind: RelocKind) -> u32 {
    match kind {
        RelocKind::Aarch64Call26 | RelocKind::Aarch64Jump26 => 0xfc00_0000,
        RelocKind::Aarch64TlsDescCall => u32::MAX,
        kind if PAGES.contains(&kind) => 0x9f00_001f,
        kind if SUMS.contains(&kind) || kind == RelocKind::Aarch64Load128Lo12 => 0xffc0_03ff,
        kind if LOADS.iter().any(|row| row.0 == kind) => 0xffc0_03ff,
        _ => 0,
    }
}

const LLVM_MC: (&str, &[&str]) = ("llvm-mc-19", &["-filetype=obj", "-triple=aarch64-linux-gnu"]);

pub const ASSEMBLERS: WordAssemblers = WordAssemblers {
    machine: "aarch64",
    head: "",
    tools: &[LLVM_MC, ("aarch64-linux-gnu-as", &[])],
    kept_bits,
};

/// One spelling of numbers and spaces, which the decoder and this crate write differently.
fn normalize(text: &str) -> String {
    let mut out = String::new();
    let text = text.trim().to_lowercase().replace('\t', " ").replace(", ", ",");
    let mut rest = text.as_str();
    while let Some(at) = rest.find('#') {
        out.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        let end = rest.find([',', ']']).unwrap_or(rest.len());
        let (number, tail) = rest.split_at(end);
        let (sign, digits) = number.strip_prefix('-').map_or((1, number), |digits| (-1, digits));
        let value = match digits.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16).ok(),
            None => digits.parse().ok(),
        };
        match (value, number.parse::<f64>()) {
            (Some(value), _) => out.push_str(&((sign * value) & 0xffff_ffff_ffff_ffff).to_string()),
            (None, Ok(value)) => out.push_str(&format!("{value:?}")),
            (None, Err(_)) => out.push_str(number),
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// At least so many of a hundred lines are the decoder's, the others have other names for the same.
fn check_decoder(name: &str, buffer: &Buffer, same: usize) {
    let decoder = capstone::Capstone::new().arm64().mode(capstone::arch::arm64::ArchMode::Arm);
    let decoder = decoder.build().unwrap();
    let text = listing(buffer);
    let lines: Vec<_> = text.lines().filter(|line| line.starts_with('\t')).collect();
    assert_eq!(lines.len() * 4, buffer.bytes().len());
    let (mut others, mut unknown) = (Vec::new(), Vec::new());
    // To the decoder it is no instruction at all.
    let is_undefined = |line: &str| line.starts_with("\tudf");
    for (line, bytes) in lines.iter().zip(buffer.bytes().chunks(4)) {
        let decoded = decoder.disasm_count(bytes, 0, 1).unwrap();
        let Some(inst) = decoded.iter().next() else {
            unknown.extend((!is_undefined(line)).then_some(*line));
            continue;
        };
        let theirs = format!("\t{} {}", inst.mnemonic().unwrap_or(""), inst.op_str().unwrap_or(""));
        if normalize(line) != normalize(&theirs) {
            others.push((*line, theirs, bytes));
        }
    }
    assert!(unknown.is_empty(), "{name}: the decoder does not know {unknown:?}");
    let rest = others.len() * 100 / lines.len();
    assert!(rest <= 100 - same, "{name}: {rest}% differ:\n{:?}", &others[..others.len().min(20)]);
    println!("{name}: {} instructions, {} with other names", lines.len(), others.len());
    let text: String = others.iter().map(|(_, theirs, _)| format!("{theirs}\n")).collect();
    let name = format!("{name}-decoded");
    // Names of hints that later versions have.
    let args = [LLVM_MC.1, &["-mattr=+ras,+spe,+tracev8.4,+bti,+pauth"]].concat();
    let Some(bytes) = (!others.is_empty()).then(|| ASSEMBLERS.assemble(&name, LLVM_MC.0, &args, &text))
    else {
        return;
    };
    for ((line, theirs, ours), bytes) in others.iter().zip(bytes.unwrap_or_default().chunks(4)) {
        assert_eq!(*ours, bytes, "{line} decoded as {theirs}");
    }
}

fn check(name: &str, same: usize, emit: impl Fn(&mut Buffer, &mut Operands)) {
    let mut buffer = Buffer::new();
    emit(&mut buffer, &mut Operands(Random::new(0x1ce)));
    buffer.finish().unwrap();
    ASSEMBLERS.check(name, &buffer);
    check_decoder(name, &buffer, same);
}

#[test]
fn additions_and_subtractions() {
    check("sums", 60, sums);
}

#[test]
fn logic_and_bit_fields() {
    check("logic", 60, logic);
}

#[test]
fn integer_instructions() {
    check("integer", 60, integer);
}

#[test]
fn loads_and_stores() {
    check("memory", 90, memory);
}

#[test]
fn atomic_accesses() {
    check("atomic", 90, atomic);
}

#[test]
fn control_instructions() {
    check("control", 60, control);
}

#[test]
fn scalar_floating_point() {
    check("float", 90, float);
}

#[test]
fn vector_arithmetic() {
    check("vectors", 90, vectors);
}

#[test]
fn vector_shifts_by_constants() {
    check("vector-shifts", 90, vector_shifts);
}

#[test]
fn vector_data_movement() {
    check("vector-moves", 60, vector_moves);
}

#[test]
fn symbols_and_labels() {
    let mut buffer = Buffer::new();
    symbols(&mut buffer);
    buffer.finish().unwrap();
    ASSEMBLERS.check("symbols", &buffer);
}

/// The number that the fields `N`, `immr` and `imms` mean (`DecodeBitMasks`), if they mean one.
fn decode_bit_masks(n: u32, immr: u32, imms: u32, width: Width) -> Option<u64> {
    let length = (n << 6 | !imms & 63).checked_ilog2()?;
    let size = 1 << length;
    let levels = size - 1;
    if length == 0 || size > width.bits() || imms & levels == levels {
        return None;
    }
    let (ones, rotation) = ((imms & levels) + 1, immr & levels);
    let element = (0..ones).fold(0_u64, |bits, at| bits | 1 << ((at + size - rotation) % size));
    let count = width.bits() / size;
    Some((0..count).fold(0, |bits, i| bits | element << (i * size)))
}

fn words(emit: impl FnOnce(&mut Encoder<'_>)) -> Vec<u32> {
    let mut buffer = CodeBuffer::<(), Branches>::new();
    emit(&mut Encoder::new(&mut buffer));
    assert_eq!(buffer.finish(), Ok(()));
    buffer.bytes().chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

#[test]
fn immediates_of_logic_are_those_of_the_manual() {
    let mut random = Random::new(5);
    for (width, count) in [(Width::W, 1302), (Width::X, 5334)] {
        let mut all = HashSet::new();
        for fields in 0..1_u32 << 13 {
            let Some(value) = decode_bit_masks(fields >> 12, fields >> 6 & 63, fields & 63, width) else {
                continue;
            };
            all.insert(value);
            let imm = LogicImm::new(width, value).unwrap();
            assert_eq!((imm.value(), imm.width()), (value, width), "{value:#x}");
            let word = words(|e| e.alu(Alu::And, width, Gpr::new(0), Gpr::new(0), imm))[0];
            let decoded = decode_bit_masks(word >> 22 & 1, word >> 16 & 63, word >> 10 & 63, width);
            assert_eq!(decoded, Some(value), "{value:#x}");
        }
        assert_eq!(all.len(), count);
        let mask = u64::MAX >> (64 - width.bits());
        let mut is_known = |value: u64| {
            let value = value & mask;
            assert_eq!(LogicImm::new(width, value).is_some(), all.contains(&value), "{value:#x}");
            // Of 32 bits the others do not count.
            let other = u64::from(random.below(u32::MAX)) << 32;
            if width == Width::W {
                assert_eq!(LogicImm::new(width, value | other), LogicImm::new(width, value));
            }
        };
        (0..1 << 16).for_each(&mut is_known);
        for &value in &all {
            (0..64).for_each(|bit| is_known(value ^ 1 << bit));
            is_known(!value);
        }
        [0, u64::MAX, 1 << 63].into_iter().for_each(is_known);
    }
}

/// What the instructions of a move leave in the register.
fn moved(words: &[u32], width: Width) -> u64 {
    let mask = u64::MAX >> (64 - width.bits());
    words.iter().fold(0, |value, word| {
        let (imm, shift) = (u64::from(word >> 5 & 0xffff), 16 * (word >> 21 & 3));
        mask & match word >> 23 & 0xff {
            0x25 => !(imm << shift),
            0xa5 => imm << shift,
            0xe5 => value & !(0xffff << shift) | imm << shift,
            _ => decode_bit_masks(word >> 22 & 1, word >> 16 & 63, word >> 10 & 63, width).unwrap(),
        }
    })
}

#[test]
fn numbers_are_moved_in_the_fewest_instructions() {
    let mut random = Random::new(9);
    let quarters = [0, 0xffff, 1, 0xff00, 0x1234];
    let mut values: Vec<u64> =
        (0..625).map(|n| (0..4).fold(0, |value, i| value << 16 | quarters[n / 5_usize.pow(i) % 5])).collect();
    values.extend((0..1000).map(|_| u64::from(random.below(u32::MAX)) << random.below(40)));
    for width in Width::ALL {
        for &value in &values {
            let words = words(|e| e.mov_number(width, Gpr::new(3), value));
            let value = value & u64::MAX >> (64 - width.bits());
            assert_eq!(moved(&words, width), value);
            assert_eq!(words.len() as u32, number_len(width, value));
            let others = |quarter: u64| {
                (0..width.bits()).step_by(16).filter(|&at| value >> at & 0xffff != quarter).count()
            };
            let least = others(0).min(others(0xffff)).max(1);
            let least = if LogicImm::new(width, value).is_some() { 1 } else { least };
            assert_eq!(words.len(), least, "{value:#x}");
        }
    }
}

#[test]
fn what_cannot_be_encoded_is_an_error() {
    type Emit = fn(&mut Encoder<'_, ()>);
    const R: Gpr = Gpr::new(1);
    const V: Vreg = Vreg::new(1);
    const FOUR: Arrangement = Arrangement { lane: Lane::B32, full: true };
    const ONE: Arrangement = Arrangement { lane: Lane::B64, full: false };
    let never: &[Emit] = &[
        |e| e.alu(Alu::Add, Width::W, R, R, Operand::Shift(R, Shift::Lsl, 32)),
        |e| e.alu(Alu::Add, Width::X, R, R, Operand::Shift(R, Shift::Ror, 1)),
        |e| e.alu(Alu::Add, Width::X, R, R, Gpr::SP),
        |e| e.alu(Alu::Add, Width::X, Gpr::ZERO, R, ArithImm::new(1).unwrap()),
        |e| e.alu(Alu::Add, Width::X, R, Gpr::ZERO, ArithImm::new(1).unwrap()),
        |e| e.alu(Alu::Adds, Width::X, Gpr::SP, R, ArithImm::new(1).unwrap()),
        |e| e.alu(Alu::Add, Width::X, Gpr::SP, Gpr::ZERO, R),
        |e| e.alu(Alu::Add, Width::X, Gpr::SP, R, Operand::Shift(R, Shift::Lsl, 5)),
        |e| e.alu(Alu::Add, Width::X, R, R, Operand::Extend(R, Extend::Uxtb, 5)),
        |e| e.alu(Alu::Add, Width::X, R, R, LogicImm::new(Width::X, 1).unwrap()),
        |e| e.alu(Alu::And, Width::X, R, R, ArithImm::new(1).unwrap()),
        |e| e.alu(Alu::And, Width::X, R, R, LogicImm::new(Width::W, 1).unwrap()),
        |e| e.alu(Alu::And, Width::W, R, R, LogicImm::new(Width::X, 0xf0).unwrap()),
        |e| e.alu(Alu::Bic, Width::X, R, R, LogicImm::new(Width::X, 1).unwrap()),
        |e| e.alu(Alu::And, Width::X, R, R, Operand::Extend(R, Extend::Uxtb, 0)),
        |e| e.alu(Alu::And, Width::X, Gpr::SP, R, R),
        |e| e.alu(Alu::Ands, Width::X, Gpr::SP, R, LogicImm::new(Width::X, 1).unwrap()),
        |e| e.carry(Carry::Adc, Width::X, Gpr::SP, R, R),
        |e| e.one(One::Rev32, Width::W, R, R),
        |e| e.bit_field(BitField::Ubfm, Width::W, R, R, 32, 0),
        |e| e.shift_by(Shift::Lsl, Width::W, R, R, 32),
        |e| e.shift_by(Shift::Ror, Width::X, R, R, 64),
        |e| e.extract_bits(false, Width::W, R, R, 31, 2),
        |e| e.insert_bits(Width::X, R, R, 0, 0),
        |e| e.insert_bits(Width::X, R, R, 1, 255),
        |e| e.extract_pair(Width::W, R, R, R, 32),
        |e| e.cset(Width::W, R, Cond::Al),
        |e| e.conditional_compare(ConditionalCompare::Ccmp, Width::W, R, R, 16, Cond::Eq),
        |e| e.conditional_compare(ConditionalCompare::Ccmp, Width::W, R, Gpr::SP, 0, Cond::Eq),
        |e| {
            let imm = ArithImm::new(32).unwrap();
            e.conditional_compare(ConditionalCompare::Ccmp, Width::W, R, Operand::Imm(imm), 0, Cond::Eq);
        },
        |e| {
            let op = FloatConditionalCompare::Fccmp;
            e.float_conditional_compare(op, FloatWidth::D, Vreg::new(0), Vreg::new(1), 16, Cond::Eq);
        },
        |e| e.mov(Width::X, Gpr::SP, Gpr::ZERO),
        |e| e.mov_wide(MoveWide::Movz, Width::W, R, 1, 32),
        |e| e.mov_wide(MoveWide::Movz, Width::X, R, 1, 8),
        |e| e.mov_number(Width::X, Gpr::SP, 0x5555_5555_5555_5555),
        |e| e.mov_number(Width::X, Gpr::ZERO, 0x5555_5555_5555_5555),
        |e| e.transfer(Transfer::LdrX, R, Mem::new(Gpr::SP, 32768)),
        |e| e.transfer(Transfer::LdrX, R, Mem::new(Gpr::SP, 257)),
        |e| e.transfer(Transfer::LdrX, R, Mem::new(Gpr::ZERO, 0)),
        |e| e.transfer(Transfer::LdrX, Gpr::SP, Mem::new(R, 0)),
        |e| e.transfer(Transfer::LdrX, R, Mem { base: Gpr::SP, offset: Offset::Pre(256) }),
        |e| e.transfer(Transfer::LdrX, R, Mem { base: R, offset: Offset::Reg(R, Extend::Uxtb, false) }),
        |e| {
            let offset = Offset::Low(RelocKind::Aarch64Load32Lo12, SymbolId(1), 0);
            e.transfer(Transfer::LdrX, R, Mem { base: R, offset });
        },
        |e| e.transfer_pair(PairTransfer::LdpX, R, Gpr::new(2), Mem::new(Gpr::SP, 512)),
        |e| e.transfer_pair(PairTransfer::LdpX, R, Gpr::new(2), Mem::new(Gpr::SP, 4)),
        |e| e.load_float_pair(FloatWidth::H, V, V, Mem::new(Gpr::SP, 0)),
        |e| e.store_exclusive(StoreExclusive::Stxr, 3, R, R, Gpr::SP),
        |e| e.store_exclusive(StoreExclusive::Stxr, 4, R, Gpr::new(2), Gpr::SP),
        |e| e.adrp_symbol(R, RelocKind::Aarch64AddLo12, SymbolId(1), 0),
        |e| e.add_symbol(R, R, RelocKind::Aarch64Page21, SymbolId(1), 0),
        |e| e.hint(128),
        |e| e.float3(Float3::Fadd, FloatWidth::H, V, V, V),
        |e| e.float_convert(FloatWidth::S, FloatWidth::S, V, V),
        |e| e.to_float(FloatWidth::D, V, Gpr::SP),
        |e| e.vector3(Vector3::Mul, Arrangement { lane: Lane::B64, full: true }, V, V, V),
        |e| e.vector3(Vector3::Add, ONE, V, V, V),
        |e| e.vector_float3(VectorFloat3::Fadd, ONE, V, V, V),
        |e| e.vector_shift(VectorShift::Sshr, FOUR, V, V, 0),
        |e| e.vector_shift(VectorShift::Shl, FOUR, V, V, 32),
        |e| e.across(Across::Addv, Arrangement { lane: Lane::B32, full: false }, V, V),
        |e| e.vector_long(VectorLong::Smull, Lane::B64, false, V, V, V),
        |e| e.insert_gpr(Lane::B32, V, 4, R),
        |e| e.lane_to_gpr(false, Width::W, Lane::B64, R, V, 0),
        |e| e.extract_vector(false, V, V, V, 8),
        |e| e.table(true, V, V, 5, V),
        |e| e.vector_number(false, V, VectorImm::splat(Lane::B64, 0x3ff0_0000_0000_0000).unwrap()),
        |e| {
            let label = e.buf.new_label();
            e.jump_if(BranchCond::BitZero(R, 64), label);
        },
        |e| {
            let label = e.buf.new_label();
            e.jump_if(BranchCond::Zero(Width::X, Gpr::SP), label);
        },
    ];
    for (number, emit) in never.iter().enumerate() {
        let mut buffer = CodeBuffer::<(), Branches>::new();
        let mut e = Encoder::new(&mut buffer);
        e.nop();
        emit(&mut e);
        assert_eq!(buffer.finish(), Err(Error::InvalidOperand { offset: 4 }), "number {number}");
    }
}
