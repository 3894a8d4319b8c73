//! Bits of integers: the order of bytes, zeros at either end, ones.

use super::{Cx, Word, Words};
use crate::compiled::Libcall;
use crate::lower::ValueRegs;
use crate::mach::{Sink, VReg};
use ice_ir::{BinaryOp, Intrinsic, Type, Value};

/// Rules for the bits of integers.
pub trait BitRules: Words {
    /// `dst` = the low two bytes, or all four, in the opposite order.
    fn reverse_bytes<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, ty: Type, dst: VReg, src: VReg);

    /// `dst` = how many leading (`Ctlz`) or trailing (`Cttz`) zeros a word has; 32 if it is zero.
    fn zeros<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, op: Intrinsic, dst: VReg, src: VReg);

    /// `dst` = how many bits of a word or pair are one, all of it. False, and nothing done, where that takes a call.
    fn ones<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, dst: ValueRegs, src: ValueRegs) -> bool;

    /// `dst = src` unless `cond` is zero.
    fn mov_unless_zero<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, dst: VReg, src: VReg, cond: VReg);

    /// An intrinsic that asks for the bits of an integer, or changes their order.
    fn bit_intrinsic<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        op: Intrinsic,
        arg: Value,
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let (dst, src) = (cx.regs(result), self.regs(cx, arg));
        let count = match (op, ty) {
            (Intrinsic::Bswap, Type::I64) => {
                let low = self.temp(cx);
                self.reverse_bytes(cx, Type::I32, low, src.hi());
                self.reverse_bytes(cx, Type::I32, dst.hi(), src.lo());
                return self.mov_word(cx, dst.lo(), low.into());
            }
            (Intrinsic::Bswap, _) => return self.reverse_bytes(cx, ty, dst.lo(), src.lo()),
            (Intrinsic::Ctpop, Type::I32 | Type::I64) if self.ones(cx, dst, src) => return,
            (Intrinsic::Ctpop, _) => {
                let helper = if ty == Type::I64 { Libcall::Popcountdi2 } else { Libcall::Popcountsi2 };
                let count = cx.temp(Type::I32);
                self.libcall(cx, helper, &[(src, ty)], Some((count, Type::I32)));
                count.lo()
            }
            (_, Type::I64) => {
                // The first half decides unless it is zero.
                let [first, second] = match op {
                    Intrinsic::Ctlz => [src.hi(), src.lo()],
                    _ => [src.lo(), src.hi()],
                };
                let [near, far] = [self.temp(cx), self.temp(cx)];
                self.zeros(cx, op, near, first);
                self.zeros(cx, op, far, second);
                let count = self.word(cx, BinaryOp::Add, far, 32);
                self.mov_unless_zero(cx, count, near, first);
                count
            }
            _ => return self.zeros(cx, op, dst.lo(), src.lo()),
        };
        self.mov_word(cx, dst.lo(), count.into());
        if ty == Type::I64 {
            self.mov_word(cx, dst.hi(), Word::Number(0));
        }
    }
}
