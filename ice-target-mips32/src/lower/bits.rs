//! Bits of integers: the order of bytes, zeros at either end, ones.

use crate::inst::{Inst, Src};
use crate::target::{Cx, Mips32};
use ice_asm::mips32::{Alu, Count, Extend, Shift};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{Libcall, Operands as _, ValueRegs};
use ice_ir::{Intrinsic, Type, Value};

impl Mips32 {
    /// An intrinsic that asks for the bits of an integer, or changes their order.
    pub(super) fn bit_intrinsic<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Intrinsic,
        arg: Value,
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let (dst, src) = (cx.regs(result), self.regs(cx, arg));
        match (op, ty) {
            (Intrinsic::Bswap, Type::I16) => {
                cx.sink.push(Inst::Extend { op: Extend::Wsbh, dst: dst.lo(), src: src.lo() });
            }
            (Intrinsic::Bswap, Type::I64) => {
                let low = self.swap_bytes(cx, src.hi());
                let high = self.swap_bytes(cx, src.lo());
                cx.sink.push(Inst::Mov { dst: dst.lo(), src: low });
                cx.sink.push(Inst::Mov { dst: dst.hi(), src: high });
            }
            (Intrinsic::Bswap, _) => {
                let swapped = self.swap_bytes(cx, src.lo());
                cx.sink.push(Inst::Mov { dst: dst.lo(), src: swapped });
            }
            (Intrinsic::Ctpop, _) => {
                let helper = if ty == Type::I64 { Libcall::Popcountdi2 } else { Libcall::Popcountsi2 };
                let count = cx.temp(Type::I32);
                self.libcall(cx, helper, &[(src, ty)], Some((count, Type::I32)));
                self.count_result(cx, dst, count.lo(), ty);
            }
            (_, Type::I64) => {
                // The first half decides unless it is zero.
                let halves = [src.hi(), src.lo()];
                let [first, second] = if op == Intrinsic::Ctlz { halves } else { [halves[1], halves[0]] };
                let near = self.zeros(cx, op, first);
                let far = self.zeros(cx, op, second);
                let count = self.alu_imm_temp(cx, Alu::Addu, far, 32);
                cx.sink.push(Inst::CondMov { op: Alu::Movn, dst: count, src: Src::Reg(near), cond: first });
                self.count_result(cx, dst, count, ty);
            }
            _ => {
                let count = self.zeros(cx, op, src.lo());
                self.count_result(cx, dst, count, ty);
            }
        }
    }

    fn count_result<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: ValueRegs, count: VReg, ty: Type) {
        cx.sink.push(Inst::Mov { dst: dst.lo(), src: count });
        if ty == Type::I64 {
            cx.sink.push(Inst::MovImm { dst: dst.hi(), imm: 0 });
        }
    }

    fn swap_bytes<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, src: VReg) -> VReg {
        let halves = self.temp(cx);
        cx.sink.push(Inst::Extend { op: Extend::Wsbh, dst: halves, src });
        self.shift_temp(cx, Shift::Rotr, halves, 16)
    }

    /// Leading or trailing zeros of one register. The trailing zeros become all the ones of a number, and others.
    fn zeros<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Intrinsic, src: VReg) -> VReg {
        let count = |cx: &mut Cx<'_, S>, src| {
            let dst = self.temp(cx);
            cx.sink.push(Inst::Count { op: Count::Clz, dst, src });
            dst
        };
        if op == Intrinsic::Ctlz {
            return count(cx, src);
        }
        let less = self.alu_imm_temp(cx, Alu::Addu, src, u32::MAX);
        let inverse = self.alu_temp(cx, Alu::Nor, src, Src::Zero);
        let ones = self.alu_temp(cx, Alu::And, less, inverse);
        let leading = count(cx, ones);
        let width = self.number_reg(cx, 32);
        self.alu_temp(cx, Alu::Subu, width, leading)
    }
}
