//! Counts of bits and zeros, and bytes in the opposite order, by instructions that every x86 has.
//!
//! Ones are counted by sums of ever wider fields ("Hacker's Delight" 2nd edition, chapter 5-1); the halves of a pair are joined as
//! soon as a sum of both has room. A scan leaves its result undefined for zero, which it says in the flags. It gives the number of
//! a bit; programs that count leading zeros often want just that, and take the count from the number of the highest bit.

use crate::inst::{Amount, Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::{Alu, BitOp, Cond, Shift, Width};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{Operands as _, ValueRegs};
use ice_ir::{BinaryOp, CastOp, InstData, Intrinsic, Type, Value};

/// A count of leading zeros that is taken from the number of the highest bit.
struct CountBelow {
    scan: ice_ir::Inst,
    /// What cuts it to 32 bits, if it has 64.
    cut: Option<ice_ir::Inst>,
    /// Of what the zeros are counted.
    arg: Value,
    /// What it becomes for zero, if that matters.
    none: Option<i64>,
}

/// The number of a bit that, seen from the highest one of this width, is the width.
fn above_highest(width: Width) -> i64 {
    16 * i64::from(width.bytes()) - 1
}

impl X86 {
    /// A bit operation on a scalar.
    pub(super) fn bit_intrinsic<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Intrinsic,
        args: &[Value],
        result: Value,
    ) {
        let &[arg, ref flag @ ..] = args else { return cx.fault("a bit operation has no operand") };
        let ty = cx.func.value_type(result);
        let dst = cx.regs(result);
        let src = self.regs(cx, arg);
        let pair = ty == Type::I64 && self.has_pairs();
        match op {
            Intrinsic::Bswap => self.byte_swap(cx, ty, src, dst),
            Intrinsic::Ctpop if pair => {
                let (low, high) = (self.temp(cx, Type::I32), self.temp(cx, Type::I32));
                self.count_in_fours(cx, Width::B32, src.lo(), low);
                self.count_in_fours(cx, Width::B32, src.hi(), high);
                cx.sink.push(Inst::Alu { op: Alu::Add, width: Width::B32, dst: low, src: Src::Reg(high) });
                // Up to eight in four bits each: no more before they are in eight.
                let odd = self.shifted_mask(cx, Width::B32, low, (4, 0x0f));
                self.mov(cx, Width::B32, dst.lo(), Src::Reg(low));
                self.mask_bytes(cx, Width::B32, 0x0f, &[dst.lo()]);
                cx.sink.push(Inst::Alu {
                    op: Alu::Add,
                    width: Width::B32,
                    dst: dst.lo(),
                    src: Src::Reg(odd),
                });
                self.add_bytes(cx, Width::B32, dst.lo());
                cx.sink.push(Inst::MovImm { width: Width::B32, dst: dst.hi(), imm: 0 });
            }
            Intrinsic::Ctpop => self.count_ones(cx, self.part_width(ty), src.lo(), dst.lo()),
            _ => {
                let width = self.arithmetic_width(ty);
                let is_zero_undefined = self.is_zero_undefined(cx, flag);
                match pair {
                    true => self.pair_scan(cx, op, is_zero_undefined, src, dst),
                    false => self.scan(cx, op, (width, is_zero_undefined), src.lo(), dst.lo()),
                }
            }
        }
    }

    /// Whether a scan with this flag may give anything for zero. The programs of PNaCl get the width, whatever they say.
    fn is_zero_undefined<S: Sink<Inst>>(self, cx: &Cx<'_, S>, flag: &[Value]) -> bool {
        self.is_native() && flag.first().is_some_and(|&flag| cx.func.int_value(flag) != Some(0))
    }

    /// The count of leading zeros, in one register, of which `inst` makes the number of the highest bit that is set.
    fn count_below<S: Sink<Inst>>(self, cx: &Cx<'_, S>, inst: ice_ir::Inst) -> Option<CountBelow> {
        let &InstData::Binary { op, args: [a, b] } = cx.func.inst(inst) else { return None };
        let (count, top) = match op {
            BinaryOp::Xor => (a, b),
            BinaryOp::Sub => (b, a),
            _ => return None,
        };
        let top = cx.func.int_value(top)?;
        let is_only_for = |def: ice_ir::Inst, user: ice_ir::Inst| {
            let result = cx.func.result(def);
            result.and_then(|result| cx.uses.only_user_in_block(cx.func, def, result)) == Some(user)
        };
        let (mut scan, mut user, mut cut) = (cx.func.defining_inst(count)?, inst, None);
        if let &InstData::Cast { op: CastOp::Trunc, arg } = cx.func.inst(scan)
            && cx.func.value_type(count) == Type::I32
            && is_only_for(scan, inst)
        {
            (cut, user, scan) = (Some(scan), scan, cx.func.defining_inst(arg)?);
        }
        let &InstData::CallIntrinsic { op: Intrinsic::Ctlz, args, .. } = cx.func.inst(scan) else {
            return None;
        };
        let &[arg, ref flag @ ..] = cx.func.args(args) else { return None };
        let ty = cx.func.value_type(arg);
        let is_one_register = matches!(ty, Type::I32 | Type::I64) && !self.is_pair(ty);
        if !is_one_register || top != i64::from(ty.bits()) - 1 || !is_only_for(scan, user) {
            return None;
        }
        let none = match op {
            _ if self.is_zero_undefined(cx, flag) => None,
            // In 32 bits of 64 its upper half would be no zeros.
            BinaryOp::Sub if cut.is_some() => return None,
            BinaryOp::Sub => Some(-1),
            _ => Some(above_highest(self.arithmetic_width(ty))),
        };
        Some(CountBelow { scan, cut, arg, none })
    }

    /// Whether `def` counts leading zeros, or takes 32 bits of that, for `user` or a user of it to make the number of the
    /// highest bit of.
    pub(super) fn folds_into_highest_bit<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let last = match *cx.func.inst(user) {
            InstData::Cast { op: CastOp::Trunc, .. } => {
                cx.func.result(user).and_then(|result| cx.uses.only_user_in_block(cx.func, user, result))
            }
            _ => Some(user),
        };
        let count = last.and_then(|last| self.count_below(cx, last));
        count.is_some_and(|count| count.scan == def || count.cut == Some(def))
    }

    /// Puts the number of the highest bit that is set in `dst`, if that is what the instruction being lowered makes of a count
    /// that was folded into it.
    pub(super) fn highest_bit<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg) -> bool {
        let count = cx.current_inst().and_then(|inst| self.count_below(cx, inst));
        let Some(CountBelow { arg, none, .. }) = count.filter(|count| cx.is_folded(count.scan)) else {
            return false;
        };
        let src = self.reg(cx, arg);
        self.scan_bits(cx, BitOp::Bsr, self.arithmetic_width(cx.func.value_type(arg)), none, src, dst);
        true
    }

    /// How many bits of a register are one: sums of two bits, of four, of eight, and of all bytes by a product ("Hacker's
    /// Delight" 2nd edition, chapter 5-1).
    fn count_ones<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, width: Width, src: VReg, dst: VReg) {
        self.count_in_fours(cx, width, src, dst);
        let upper = self.shifted(cx, width, dst, 4);
        cx.sink.push(Inst::Alu { op: Alu::Add, width, dst, src: Src::Reg(upper) });
        self.mask_bytes(cx, width, 0x0f, &[dst]);
        self.add_bytes(cx, width, dst);
    }

    /// How many of each four bits are one.
    fn count_in_fours<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, width: Width, src: VReg, dst: VReg) {
        let odd = self.shifted_mask(cx, width, src, (1, 0x55));
        self.mov(cx, width, dst, Src::Reg(src));
        cx.sink.push(Inst::Alu { op: Alu::Sub, width, dst, src: Src::Reg(odd) });
        let upper = self.shifted(cx, width, dst, 2);
        self.mask_bytes(cx, width, 0x33, &[upper, dst]);
        cx.sink.push(Inst::Alu { op: Alu::Add, width, dst, src: Src::Reg(upper) });
    }

    /// `src` shifted right, in a new register.
    fn shifted<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, width: Width, src: VReg, amount: u8) -> VReg {
        let dst = self.wide_temp(cx, width);
        self.mov(cx, width, dst, Src::Reg(src));
        cx.sink.push(Inst::Shift { op: Shift::Shr, width, dst, amount: Amount::Imm(amount) });
        dst
    }

    /// `src` shifted right, and of each byte these bits.
    fn shifted_mask<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        width: Width,
        src: VReg,
        (amount, byte): (u8, u8),
    ) -> VReg {
        let dst = self.shifted(cx, width, src, amount);
        self.mask_bytes(cx, width, byte, &[dst]);
        dst
    }

    /// Keeps of each byte of the registers these bits.
    fn mask_bytes<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, width: Width, byte: u8, regs: &[VReg]) {
        let src = match width {
            Width::B64 => {
                let mask = self.temp(cx, Type::I64);
                let imm = i64::from_le_bytes([byte; 8]);
                cx.sink.push(Inst::MovImm { width, dst: mask, imm });
                Src::Reg(mask)
            }
            _ => Src::Imm(i32::from_le_bytes([byte; 4])),
        };
        for &dst in regs {
            cx.sink.push(Inst::Alu { op: Alu::And, width, dst, src });
        }
    }

    /// The sum of the bytes, which is below 256.
    fn add_bytes<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, width: Width, dst: VReg) {
        match width {
            Width::B64 => {
                let ones = self.temp(cx, Type::I64);
                cx.sink.push(Inst::MovImm { width, dst: ones, imm: i64::from_le_bytes([1; 8]) });
                cx.sink.push(Inst::Imul { width, dst, src: Src::Reg(ones) });
            }
            _ => {
                let imm = i32::from_le_bytes([1; 4]);
                cx.sink.push(Inst::ImulImm { width, dst, src: Src::Reg(dst), imm });
            }
        }
        let amount = Amount::Imm(8 * width.bytes() as u8 - 8);
        cx.sink.push(Inst::Shift { op: Shift::Shr, width, dst, amount });
    }

    fn byte_swap<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, src: ValueRegs, dst: ValueRegs) {
        let width = self.part_width(ty);
        match ty {
            Type::I16 => {
                self.mov(cx, Width::B32, dst.lo(), Src::Reg(src.lo()));
                let amount = Amount::Imm(8);
                cx.sink.push(Inst::Shift { op: Shift::Rol, width: Width::B16, dst: dst.lo(), amount });
            }
            Type::I64 if self.has_pairs() => {
                self.mov(cx, width, dst.lo(), Src::Reg(src.hi()));
                self.mov(cx, width, dst.hi(), Src::Reg(src.lo()));
                cx.sink.push(Inst::Bswap { width, dst: dst.lo() });
                cx.sink.push(Inst::Bswap { width, dst: dst.hi() });
            }
            _ => {
                self.mov(cx, width, dst.lo(), Src::Reg(src.lo()));
                cx.sink.push(Inst::Bswap { width, dst: dst.lo() });
            }
        }
    }

    /// Leading or trailing zeros of one register.
    fn scan<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Intrinsic,
        (width, is_zero_undefined): (Width, bool),
        src: VReg,
        dst: VReg,
    ) {
        let (op, none) = match op {
            // From the top that becomes the width again.
            Intrinsic::Ctlz => (BitOp::Bsr, above_highest(width)),
            _ => (BitOp::Bsf, 8 * i64::from(width.bytes())),
        };
        self.scan_bits(cx, op, width, (!is_zero_undefined).then_some(none), src, dst);
        if op == BitOp::Bsr {
            // The number of a bit is that of the bits above it, seen from the other end.
            let top = 8 * width.bytes() as i32 - 1;
            cx.sink.push(Inst::Alu { op: Alu::Xor, width, dst, src: Src::Imm(top) });
        }
    }

    /// The number of the first or last bit that is set, and `none` for zero, if that matters.
    fn scan_bits<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BitOp,
        width: Width,
        none: Option<i64>,
        src: VReg,
        dst: VReg,
    ) {
        let or_none = none.map(|imm| {
            let reg = self.wide_temp(cx, width);
            let width = if imm < 0 { width } else { Width::B32 };
            cx.sink.push(Inst::MovImm { width, dst: reg, imm });
            reg
        });
        cx.sink.push(Inst::BitScan { op, width, dst, src });
        if let Some(src) = or_none {
            cx.sink.push(Inst::Cmov { cond: Cond::E, width, dst, src });
        }
    }

    /// The same of a pair: the half that decides is scanned last, which says if it is zero. The other one's bits are 32
    /// farther away; for zero that is as if there were one more.
    fn pair_scan<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Intrinsic,
        is_zero_undefined: bool,
        src: ValueRegs,
        dst: ValueRegs,
    ) {
        let width = Width::B32;
        let (near, far) = (self.temp(cx, Type::I32), self.temp(cx, Type::I32));
        let (op, first, second, none, away) = match op {
            Intrinsic::Ctlz => (BitOp::Bsr, src.hi(), src.lo(), -1, -32),
            _ => (BitOp::Bsf, src.lo(), src.hi(), 32, 32),
        };
        let or_none = (!is_zero_undefined).then(|| {
            let reg = self.temp(cx, Type::I32);
            cx.sink.push(Inst::MovImm { width, dst: reg, imm: none });
            reg
        });
        cx.sink.push(Inst::BitScan { op, width, dst: far, src: second });
        if let Some(src) = or_none {
            cx.sink.push(Inst::Cmov { cond: Cond::E, width, dst: far, src });
        }
        self.alu_imm(cx, Alu::Add, far, away);
        cx.sink.push(Inst::BitScan { op, width, dst: near, src: first });
        cx.sink.push(Inst::Cmov { cond: Cond::E, width, dst: near, src: far });
        match op {
            // Zeros above are those above the number of the highest bit.
            BitOp::Bsr => {
                cx.sink.push(Inst::MovImm { width, dst: dst.lo(), imm: 31 });
                let src = Src::Reg(near);
                cx.sink.push(Inst::Alu { op: Alu::Sub, width, dst: dst.lo(), src });
            }
            _ => self.mov(cx, width, dst.lo(), Src::Reg(near)),
        }
        cx.sink.push(Inst::MovImm { width, dst: dst.hi(), imm: 0 });
    }
}
