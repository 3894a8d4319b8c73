//! Conversions between floats and integers of 64 bits in pairs, on x86-32; and of 32 bits without sign, which need as many. What
//! makes an `f64` of 64 bits without sign is for x86-64, too.
//!
//! To an integer: by the x87 unit, whose control word says for the moment that it cuts off. Without sign, a number of 2^63 or
//! more is taken less that, and the bit put back.
//!
//! From an integer with sign, and any to `f32`: by the x87 unit, which holds every such integer exactly, so that the store rounds
//! once. Without sign to `f64`: the halves stand in the last bits of 2^52 and 2^84, which are taken off exactly; the sum of both
//! rounds once. That is not for code that sets the direction of rounding ([`Intrinsic::Pin`]): downward, the difference of two
//! equal numbers is -0.

use super::float::by_type;
use crate::inst::{Amode, Amount, Base, Extend, Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::ConstantSize;
use ice_asm::x86::{Alu, Shift, SseOp, Width, X87Mem};
use ice_codegen::extension::is_signed_word;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{Libcall, Operands as _, ValueRegs};
use ice_ir::{CastOp, Function, InstData, Intrinsic, Type, Value};

const W: Width = Width::B32;

/// The control word's bits that say: toward zero.
const TOWARD_ZERO: i32 = 0xc00;
/// The upper halves of 2^52 and 2^84.
const LOW_HEAD: u32 = 0x4330_0000;
const HIGH_HEAD: u32 = 0x4530_0000;
/// 2^52, 2^63 and 2^84.
const TWO_TO_52: u64 = (LOW_HEAD as u64) << 32;
const TWO_TO_63: u64 = 0x43e0_0000_0000_0000;
const TWO_TO_84: u64 = (HIGH_HEAD as u64) << 32;
/// `cmpsd` less or equal.
const LESS_OR_EQUAL: u8 = 2;

/// Two numbers of 64 bits as a vector.
fn vector(low: u64, high: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// Whether `value` belongs to code that sets the direction of rounding.
pub(super) fn is_pinned(func: &Function, value: Value) -> bool {
    func.defining_inst(value)
        .is_some_and(|def| matches!(func.inst(def), InstData::CallIntrinsic { op: Intrinsic::Pin, .. }))
}

impl X86 {
    /// A float as a pair.
    pub(super) fn float_to_pair<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: CastOp,
        arg: Value,
        result: Value,
    ) {
        let (from, dst) = (cx.func.value_type(arg), cx.regs(result));
        if self.is_confined() {
            let helper = match (op, from) {
                (CastOp::Fptosi, Type::F32) => Libcall::Fixsfdi,
                (CastOp::Fptosi, _) => Libcall::Fixdfdi,
                (_, Type::F32) => Libcall::Fixunssfdi,
                _ => Libcall::Fixunsdfdi,
            };
            let args = [(self.regs(cx, arg), from)];
            return self.libcall(cx, helper, &args, Some((dst, Type::I64)));
        }
        let src = self.reg(cx, arg);
        if op == CastOp::Fptosi {
            return self.truncate_by_fpu(cx, from, dst, src);
        }
        let double = self.temp(cx, Type::F64);
        match from {
            Type::F32 => {
                cx.sink.push(Inst::SseUnary { op: SseOp::Cvtss2sd, dst: double, src: Src::Reg(src) })
            }
            _ => cx.sink.push(Inst::MovXmm { dst: double, src, size: 8 }),
        }
        let mem = self.constant_address(cx, ConstantSize::C16, vector(TWO_TO_63, 0));
        let (is_large, top) = (self.temp(cx, Type::F64), self.temp(cx, Type::I32));
        cx.sink.push(Inst::LoadXmm { size: 8, dst: is_large, mem });
        cx.sink.push(Inst::SseImm {
            op: SseOp::Cmpsd,
            dst: is_large,
            src: Src::Reg(double),
            imm: LESS_OR_EQUAL,
        });
        cx.sink.push(Inst::XmmToGpr { op: SseOp::Movmskpd, width: W, dst: top, src: is_large });
        cx.sink.push(Inst::Sse { op: SseOp::Andpd, dst: is_large, src: Src::Mem(mem) });
        cx.sink.push(Inst::Sse { op: SseOp::Subsd, dst: double, src: Src::Reg(is_large) });
        cx.sink.push(Inst::Shift { op: Shift::Shl, width: W, dst: top, amount: Amount::Imm(31) });
        self.truncate_by_fpu(cx, Type::F64, dst, double);
        cx.sink.push(Inst::Alu { op: Alu::Xor, width: W, dst: dst.hi(), src: Src::Reg(top) });
    }

    /// With sign.
    fn truncate_by_fpu<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, from: Type, dst: ValueRegs, src: VReg) {
        let transfer = self.transfer_slot(cx);
        let control = Amode::new(Base::Object(cx.sink.frame().add_object(4, 2)), 0);
        let load = by_type(from, X87Mem::Fld32, X87Mem::Fld64);
        cx.sink.push(Inst::StoreXmm { size: from.bytes() as u8, src, mem: transfer });
        cx.sink.push(Inst::FpuMem { op: load, mem: transfer });
        cx.sink.push(Inst::FpuMem { op: X87Mem::Fnstcw, mem: control });
        let word = self.temp(cx, Type::I32);
        let (kind, from) = (Extend::Zero, Width::B16);
        cx.sink.push(Inst::Extend { kind, from, to: W, dst: word, src: Src::Mem(control) });
        self.alu_imm(cx, Alu::Or, word, TOWARD_ZERO);
        cx.sink.push(Inst::Store { width: Width::B16, src: word, mem: control.offset(2) });
        cx.sink.push(Inst::FpuMem { op: X87Mem::Fldcw, mem: control.offset(2) });
        cx.sink.push(Inst::FpuMem { op: X87Mem::Fistp64, mem: transfer });
        cx.sink.push(Inst::FpuMem { op: X87Mem::Fldcw, mem: control });
        for (dst, mem) in [(dst.lo(), transfer), (dst.hi(), transfer.offset(4))] {
            cx.sink.push(Inst::Load { width: W, dst, mem });
        }
    }

    /// A pair, or a word without sign, as a float.
    pub(super) fn pair_to_float<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: CastOp,
        arg: Value,
        result: Value,
    ) {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        let dst = cx.regs(result).lo();
        let is_pinned = is_pinned(cx.func, arg);
        match (op, from, to) {
            (CastOp::Uitofp, Type::I32, _) if is_pinned => {
                let mem = self.transfer_slot(cx);
                self.store_to(cx, mem, arg);
                cx.sink.push(Inst::StoreImm { width: W, imm: 0, mem: mem.offset(4) });
                self.convert_through_fpu(cx, [mem, mem], to, dst);
            }
            (CastOp::Uitofp, Type::I32, _) => self.word_to_float(cx, arg, to, dst),
            (CastOp::Sitofp, ..) if is_signed_word(cx.func, arg) => {
                let src = match self.pair_src(cx, arg)[0] {
                    // The conversion has no form with a number.
                    number @ Src::Imm(_) => Src::Reg(self.part_reg(cx, number)),
                    src => src,
                };
                let op = by_type(to, SseOp::Cvtsi2ss, SseOp::Cvtsi2sd);
                cx.sink.push(Inst::GprToXmm { op, width: W, dst, src });
            }
            (CastOp::Uitofp, _, Type::F64) if !is_pinned => self.long_to_double(cx, arg, dst),
            (CastOp::Uitofp, ..) => {
                let (args, result) = ([(self.regs(cx, arg), from)], cx.regs(result));
                let helper = by_type(to, Libcall::Floatundisf, Libcall::Floatundidf);
                self.libcall(cx, helper, &args, Some((result, to)));
            }
            _ => {
                let transfer = self.transfer_slot(cx);
                let mem = match self.folded_load(cx, arg) {
                    Some(mem) => mem,
                    None => {
                        self.store_to(cx, transfer, arg);
                        transfer
                    }
                };
                self.convert_through_fpu(cx, [mem, transfer], to, dst);
            }
        }
    }

    /// 32 bits without sign: exact as a double.
    fn word_to_float<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, arg: Value, to: Type, dst: VReg) {
        let src = self.exact_src(cx, arg);
        let double = if to == Type::F64 { dst } else { self.temp(cx, Type::F64) };
        match src {
            Src::Mem(mem) => cx.sink.push(Inst::LoadXmm { size: 4, dst: double, mem }),
            src => cx.sink.push(Inst::GprToXmm { op: SseOp::MovGpr, width: W, dst: double, src }),
        }
        let head = self.constant_address(cx, ConstantSize::C16, vector(TWO_TO_52, 0));
        cx.sink.push(Inst::Sse { op: SseOp::Orpd, dst: double, src: Src::Mem(head) });
        cx.sink.push(Inst::Sse { op: SseOp::Subsd, dst: double, src: Src::Mem(head) });
        if to == Type::F32 {
            cx.sink.push(Inst::SseUnary { op: SseOp::Cvtsd2ss, dst, src: Src::Reg(double) });
        }
    }

    /// 64 bits without sign, which are a pair or, on x86-64, a register.
    pub(super) fn long_to_double<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, arg: Value, dst: VReg) {
        let (halves, high) = (self.temp(cx, Type::V2F64), self.temp(cx, Type::V2F64));
        match self.folded_load(cx, arg) {
            Some(mem) => cx.sink.push(Inst::LoadXmm { size: 8, dst: halves, mem }),
            None if !self.has_pairs() => {
                let src = Src::Reg(self.reg(cx, arg));
                cx.sink.push(Inst::GprToXmm { op: SseOp::MovGpr, width: Width::B64, dst: halves, src });
            }
            None => {
                let parts = self.pair_src(cx, arg).map(|part| self.part_reg(cx, part));
                for (dst, src) in [halves, high].into_iter().zip(parts) {
                    cx.sink.push(Inst::GprToXmm { op: SseOp::MovGpr, width: W, dst, src: Src::Reg(src) });
                }
                cx.sink.push(Inst::Sse { op: SseOp::Punpckldq, dst: halves, src: Src::Reg(high) });
            }
        }
        let heads = u128::from(HIGH_HEAD) << 32 | u128::from(LOW_HEAD);
        let heads = self.constant_address(cx, ConstantSize::C16, heads);
        cx.sink.push(Inst::Sse { op: SseOp::Punpckldq, dst: halves, src: Src::Mem(heads) });
        let powers = self.constant_address(cx, ConstantSize::C16, vector(TWO_TO_52, TWO_TO_84));
        cx.sink.push(Inst::Sse { op: SseOp::Subpd, dst: halves, src: Src::Mem(powers) });
        let upper = self.temp(cx, Type::V2F64);
        cx.sink.push(Inst::MovXmm { dst: upper, src: halves, size: 16 });
        cx.sink.push(Inst::Sse { op: SseOp::Unpckhpd, dst: upper, src: Src::Reg(upper) });
        cx.sink.push(Inst::MovXmm { dst, src: halves, size: 8 });
        cx.sink.push(Inst::Sse { op: SseOp::Addsd, dst, src: Src::Reg(upper) });
    }
}
