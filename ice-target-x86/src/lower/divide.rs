//! Division and remainder of integers, by variables and by constants.
//!
//! By a variable: `div` or `idiv`, which traps on zero, once for a quotient and a remainder of the same numbers that are near
//! each other. Narrow operands are divided in 32 bits. By a
//! constant no division is left up to the width of a register: shifts for powers of two, the high half of a
//! product for the others (see [`ice_codegen::magic`]); the remainder is the dividend less the quotient
//! times the divisor. A signed division by 2^k rounds toward zero: 2^k - 1 is added to a negative dividend.
//! Pairs are divided by unsigned constants of 32 bits in two steps of `div`, as by hand.
//!
//! The minimum divided by -1 wraps.

use crate::inst::{Amode, Amount, Extend, Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::{Alu, DoubleShift, Shift, Unary, Width};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::{self, Part, Signedness, parts};
use ice_codegen::shared_division::{Partner, partner};
use ice_codegen::{Constant, Operands as _, ValueRegs};
use ice_ir::{BinaryOp, Type, Value};

/// A division by a constant in one register.
#[derive(Clone, Copy)]
struct Division {
    part: Part,
    width: Width,
    /// The dividend, extended to `width`.
    x: VReg,
    /// Where the result goes; not `x`.
    dst: VReg,
}

impl Division {
    fn bits(self) -> u32 {
        8 * self.width.bytes()
    }
}

/// The number by which a dividend of 64 bits is multiplied to be divided by `n`, if it is.
pub(super) fn wide_multiplier(op: BinaryOp, n: i64) -> Option<i64> {
    let size = i32::try_from(n).ok()?.unsigned_abs();
    let (sign, _) = parts(op);
    match sign {
        _ if size < 2 || size.is_power_of_two() => None,
        Signedness::Unsigned if n < 0 => None,
        Signedness::Unsigned => magic::unsigned(64, n as u64).map(|magic| magic.multiplier as i64),
        Signedness::Signed => magic::signed(64, n).map(|magic| magic.multiplier),
    }
}

impl X86 {
    /// Any division in one register.
    pub(super) fn divide<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        ty: Type,
        dst: VReg,
    ) {
        let (sign, part) = parts(op);
        let width = self.arithmetic_width(ty);
        let partner = match cx.is_constant(b) {
            true => Partner::None,
            false => partner(cx.func, cx.uses, cx.current_inst(), (op, [a, b])),
        };
        if partner == Partner::Before {
            return;
        }
        let extend = if sign == Signedness::Signed { Extend::Sign } else { Extend::Zero };
        let x = if ty == Type::I64 { self.reg(cx, a) } else { self.extended_reg(cx, extend, a) };
        if let Some(n) = cx.func.int_value(b).filter(|_| ty != Type::I1) {
            let division = Division { part, width, x, dst };
            let done = match sign {
                Signedness::Unsigned => self.divide_unsigned(cx, division, n as u64 & ty.int_mask(), ty),
                Signedness::Signed => self.divide_signed(cx, division, n),
            };
            if done {
                return;
            }
        }
        let src = match ty {
            Type::I32 | Type::I64 => self.exact_src(cx, b),
            _ => Src::Reg(self.extended(cx, extend, b)),
        };
        let other = match partner {
            Partner::Behind(other) => cx.regs(other).lo(),
            _ => self.temp(cx, ty.max(Type::I32)),
        };
        let (quotient, remainder) = if part == Part::Quotient { (dst, other) } else { (other, dst) };
        cx.sink.push(Inst::Divide { sign, width, lhs: x, src, quotient, remainder });
    }

    fn shift_by<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Shift, width: Width, dst: VReg, n: u32) {
        if n != 0 {
            cx.sink.push(Inst::Shift { op, width, dst, amount: Amount::Imm(n as u8) });
        }
    }

    /// A fresh register of this width.
    pub(super) fn wide_temp<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, width: Width) -> VReg {
        self.temp(cx, if width == Width::B64 { Type::I64 } else { Type::I32 })
    }

    /// The high half of `multiplier` × `x`.
    fn multiply_high<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        sign: Signedness,
        width: Width,
        x: VReg,
        multiplier: i64,
    ) -> VReg {
        let [factor, lo, hi] = [0; 3].map(|_| self.wide_temp(cx, width));
        let held = match width {
            Width::B64 => cx.held(Constant::Wide(multiplier as u64)),
            _ => None,
        };
        let [lhs, src] = match held {
            Some(held) => [x, held],
            None => {
                cx.sink.push(Inst::MovImm { width, dst: factor, imm: multiplier });
                [factor, x]
            }
        };
        cx.sink.push(Inst::MulWide { sign, width, lhs, src: Src::Reg(src), lo, hi });
        hi
    }

    /// `dst = x - quotient × n`.
    fn remainder_of<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, d: Division, quotient: VReg, n: i32) {
        let product = self.wide_temp(cx, d.width);
        cx.sink.push(Inst::ImulImm { width: d.width, dst: product, src: Src::Reg(quotient), imm: n });
        self.mov(cx, d.width, d.dst, Src::Reg(d.x));
        cx.sink.push(Inst::Alu { op: Alu::Sub, width: d.width, dst: d.dst, src: Src::Reg(product) });
    }

    /// Delivers the quotient or makes the remainder from it.
    fn finish_division<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, d: Division, quotient: VReg, n: i32) {
        match d.part {
            Part::Quotient => self.mov(cx, d.width, d.dst, Src::Reg(quotient)),
            Part::Remainder => self.remainder_of(cx, d, quotient, n),
        }
    }

    /// False, and nothing done, if `n` is zero, one or too large for what this does.
    fn divide_unsigned<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, d: Division, n: u64, ty: Type) -> bool {
        // In 64 bits the product for a remainder and a mask have signed immediates of 32 bits.
        let limit = if d.width == Width::B64 { i32::MAX as u64 } else { u32::MAX.into() };
        if n < 2 || n > limit {
            return false;
        }
        if n.is_power_of_two() {
            self.mov(cx, d.width, d.dst, Src::Reg(d.x));
            match d.part {
                Part::Quotient => self.shift_by(cx, Shift::Shr, d.width, d.dst, n.trailing_zeros()),
                Part::Remainder => cx.sink.push(Inst::Alu {
                    op: Alu::And,
                    width: d.width,
                    dst: d.dst,
                    src: Src::Imm((n - 1) as i32),
                }),
            }
            return true;
        }
        if ty == Type::I8 {
            // (x × ⌈2^16 / n⌉) >> 16: exact as x and n are below 2^8.
            let quotient = self.wide_temp(cx, d.width);
            let imm = (0x1_0000 / n + 1) as i32;
            cx.sink.push(Inst::ImulImm { width: d.width, dst: quotient, src: Src::Reg(d.x), imm });
            self.shift_by(cx, Shift::Shr, d.width, quotient, 16);
            self.finish_division(cx, d, quotient, n as i32);
            return true;
        }
        let Some(magic) = magic::unsigned(d.bits(), n) else { return false };
        if ty == Type::I16 && (magic.add || magic.before != 0) {
            // (x × ⌈2^32 / n⌉) >> 32: exact as x and n are below 2^16.
            let multiplier = ((1u64 << 32) / n + 1) as i64;
            let quotient = self.multiply_high(cx, Signedness::Unsigned, d.width, d.x, multiplier);
            self.finish_division(cx, d, quotient, n as i32);
            return true;
        }
        let mut x = d.x;
        if magic.before != 0 {
            x = self.wide_temp(cx, d.width);
            self.mov(cx, d.width, x, Src::Reg(d.x));
            self.shift_by(cx, Shift::Shr, d.width, x, magic.before);
        }
        let high = self.multiply_high(cx, Signedness::Unsigned, d.width, x, magic.multiplier as i64);
        let quotient = if magic.add {
            // ((x - high) / 2 + high) >> (s - 1): the sum in one bit more. The shift is not zero here.
            let sum = self.wide_temp(cx, d.width);
            self.mov(cx, d.width, sum, Src::Reg(d.x));
            cx.sink.push(Inst::Alu { op: Alu::Sub, width: d.width, dst: sum, src: Src::Reg(high) });
            self.shift_by(cx, Shift::Shr, d.width, sum, 1);
            cx.sink.push(Inst::Alu { op: Alu::Add, width: d.width, dst: sum, src: Src::Reg(high) });
            self.shift_by(cx, Shift::Shr, d.width, sum, magic.shift - 1);
            sum
        } else {
            self.shift_by(cx, Shift::Shr, d.width, high, magic.shift);
            high
        };
        self.finish_division(cx, d, quotient, n as i32);
        true
    }

    /// False, and nothing done, if `n` is zero, one or too large for what this does.
    fn divide_signed<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, d: Division, n: i64) -> bool {
        let Ok(number) = i32::try_from(n) else { return false };
        let bits = d.bits();
        if number == 1 {
            return false;
        }
        if number == -1 {
            match d.part {
                Part::Remainder => {
                    cx.sink.push(Inst::MovImm { width: Width::B32, dst: d.dst, imm: 0 });
                }
                Part::Quotient => {
                    self.mov(cx, d.width, d.dst, Src::Reg(d.x));
                    cx.sink.push(Inst::Unary { op: Unary::Neg, width: d.width, dst: d.dst });
                }
            }
            return true;
        }
        if number.unsigned_abs().is_power_of_two() {
            let k = number.trailing_zeros();
            let bias = self.wide_temp(cx, d.width);
            self.mov(cx, d.width, bias, Src::Reg(d.x));
            if k > 1 {
                self.shift_by(cx, Shift::Sar, d.width, bias, bits - 1);
            }
            self.shift_by(cx, Shift::Shr, d.width, bias, bits - k);
            let sum = self.wide_temp(cx, d.width);
            let mem = Amode { index: Some((d.x, 0)), ..Amode::reg(bias) };
            cx.sink.push(Inst::Lea { width: d.width, dst: sum, mem });
            match d.part {
                Part::Quotient => {
                    self.mov(cx, d.width, d.dst, Src::Reg(sum));
                    self.shift_by(cx, Shift::Sar, d.width, d.dst, k);
                    if number < 0 {
                        cx.sink.push(Inst::Unary { op: Unary::Neg, width: d.width, dst: d.dst });
                    }
                }
                Part::Remainder => {
                    let mask = Src::Imm((-1i32) << k);
                    cx.sink.push(Inst::Alu { op: Alu::And, width: d.width, dst: sum, src: mask });
                    self.mov(cx, d.width, d.dst, Src::Reg(d.x));
                    let src = Src::Reg(sum);
                    cx.sink.push(Inst::Alu { op: Alu::Sub, width: d.width, dst: d.dst, src });
                }
            }
            return true;
        }
        let Some(magic) = magic::signed(bits, n) else { return false };
        let high = self.multiply_high(cx, Signedness::Signed, d.width, d.x, magic.multiplier);
        let adjust = match (n > 0, magic.multiplier > 0) {
            (true, false) => Some(Alu::Add),
            (false, true) => Some(Alu::Sub),
            _ => None,
        };
        if let Some(op) = adjust {
            cx.sink.push(Inst::Alu { op, width: d.width, dst: high, src: Src::Reg(d.x) });
        }
        self.shift_by(cx, Shift::Sar, d.width, high, magic.shift);
        let sign = self.wide_temp(cx, d.width);
        self.mov(cx, d.width, sign, Src::Reg(high));
        self.shift_by(cx, Shift::Shr, d.width, sign, bits - 1);
        cx.sink.push(Inst::Alu { op: Alu::Add, width: d.width, dst: high, src: Src::Reg(sign) });
        self.finish_division(cx, d, high, number);
        true
    }

    /// A pair divided by a constant. False, and nothing done, for constants that have no short way.
    pub(super) fn divide_pair<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        dst: ValueRegs,
    ) -> bool {
        let Some(n) = cx.func.int_value(b) else { return false };
        let (sign, part) = parts(op);
        match sign {
            Signedness::Unsigned => match u32::try_from(n) {
                Ok(n) if n > 1 => self.divide_pair_unsigned(cx, part, a, n, dst),
                _ => return false,
            },
            Signedness::Signed => match i32::try_from(n) {
                Ok(n) if n > 1 && n.count_ones() == 1 => self.divide_pair_by_power(cx, part, a, n, dst),
                _ => return false,
            },
        }
        true
    }

    /// The high half first; its remainder goes before the low half.
    fn divide_pair_unsigned<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        part: Part,
        a: Value,
        n: u32,
        dst: ValueRegs,
    ) {
        let width = Width::B32;
        if n.is_power_of_two() && part == Part::Remainder {
            let [lo, _] = self.pair_src(cx, a);
            self.mov(cx, width, dst.lo(), lo);
            self.alu_imm(cx, Alu::And, dst.lo(), (n - 1) as i32);
            return cx.sink.push(Inst::MovImm { width, dst: dst.hi(), imm: 0 });
        }
        if n.is_power_of_two() {
            return self.pair_shift_by(cx, Shift::Shr, a, n.trailing_zeros() as u8, dst);
        }
        let x = self.regs(cx, a);
        let [divisor, rest, other] = [0; 3].map(|_| self.temp(cx, Type::I32));
        cx.sink.push(Inst::MovImm { width, dst: divisor, imm: n.into() });
        let quotient = cx.temp(Type::I64);
        let (sign, src) = (Signedness::Unsigned, divisor);
        let (high, low) = (quotient.hi(), quotient.lo());
        let by = Src::Reg(src);
        cx.sink.push(Inst::Divide { sign, width, lhs: x.hi(), src: by, quotient: high, remainder: rest });
        cx.sink.push(Inst::DivideWide {
            sign,
            width,
            lo: x.lo(),
            hi: rest,
            src,
            quotient: low,
            remainder: other,
        });
        match part {
            Part::Quotient => {
                self.mov(cx, width, dst.lo(), Src::Reg(low));
                self.mov(cx, width, dst.hi(), Src::Reg(high));
            }
            Part::Remainder => {
                self.mov(cx, width, dst.lo(), Src::Reg(other));
                cx.sink.push(Inst::MovImm { width, dst: dst.hi(), imm: 0 });
            }
        }
    }

    /// Signed, by 2^k with k from 1 to 30.
    fn divide_pair_by_power<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        part: Part,
        a: Value,
        n: i32,
        dst: ValueRegs,
    ) {
        let width = Width::B32;
        let k = n.trailing_zeros();
        let x = self.regs(cx, a);
        let [bias, lo, hi] = [0; 3].map(|_| self.temp(cx, Type::I32));
        self.mov(cx, width, bias, Src::Reg(x.hi()));
        self.shift_by(cx, Shift::Sar, width, bias, 31);
        self.shift_by(cx, Shift::Shr, width, bias, 32 - k);
        self.mov(cx, width, lo, Src::Reg(x.lo()));
        self.mov(cx, width, hi, Src::Reg(x.hi()));
        cx.sink.push(Inst::Alu { op: Alu::Add, width, dst: lo, src: Src::Reg(bias) });
        cx.sink.push(Inst::Alu { op: Alu::Adc, width, dst: hi, src: Src::Imm(0) });
        match part {
            Part::Quotient => {
                let (op, amount) = (DoubleShift::Shrd, Amount::Imm(k as u8));
                cx.sink.push(Inst::DoubleShift { op, width, dst: lo, src: hi, amount });
                self.shift_by(cx, Shift::Sar, width, hi, k);
                self.mov(cx, width, dst.lo(), Src::Reg(lo));
                self.mov(cx, width, dst.hi(), Src::Reg(hi));
            }
            Part::Remainder => {
                self.alu_imm(cx, Alu::And, lo, -n);
                self.mov(cx, width, dst.lo(), Src::Reg(x.lo()));
                self.mov(cx, width, dst.hi(), Src::Reg(x.hi()));
                cx.sink.push(Inst::Alu { op: Alu::Sub, width, dst: dst.lo(), src: Src::Reg(lo) });
                cx.sink.push(Inst::Alu { op: Alu::Sbb, width, dst: dst.hi(), src: Src::Reg(hi) });
            }
        }
    }
}
