//! Products of integers: of one register, and the high half of those of two.
//!
//! `mul` makes both halves: where the product of two values and its high half are asked for one behind the other, the
//! second makes both.

use crate::inst::{Amode, Amount, Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::{Shift, Width};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::{ErrorKind, Operands as _};
use ice_ir::{BinaryOp, InstData, Intrinsic, Type, Value};

impl X86 {
    /// A product of up to the width of a register, but that of which the next instruction makes both halves.
    pub(super) fn multiply<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, [a, b]: [Value; 2], ty: Type, dst: VReg) {
        if cx.current_inst().is_some_and(|inst| self.is_low_half(cx, inst)) {
            return;
        }
        let width = self.arithmetic_width(ty);
        match cx.func.int_value(b).and_then(|n| i32::try_from(n).ok()) {
            Some(number) => {
                let src = if cx.is_constant(a) { Src::Reg(self.reg(cx, a)) } else { self.src(cx, a) };
                self.multiply_by(cx, width, dst, src, number);
            }
            None => {
                let rhs = self.src(cx, b);
                let rhs =
                    if let Src::Imm(_) | Src::Symbol(..) = rhs { Src::Reg(self.reg(cx, b)) } else { rhs };
                let lhs = self.src(cx, a);
                self.mov(cx, width, dst, lhs);
                // A square is that of the copy, so that the value ends with it.
                let src = if a == b && matches!(rhs, Src::Reg(_)) { Src::Reg(dst) } else { rhs };
                cx.sink.push(Inst::Imul { width, dst, src });
            }
        }
    }

    /// The product of what is in a register or in memory and a number.
    pub(super) fn multiply_by<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        width: Width,
        dst: VReg,
        src: Src,
        number: i32,
    ) {
        match (number, src) {
            (n, Src::Imm(other)) => {
                let whole = i64::from(n) * i64::from(other);
                let imm = if width == Width::B64 { whole } else { (whole as i32).into() };
                cx.sink.push(Inst::MovImm { width, dst, imm });
            }
            (n, src) if n.count_ones() == 1 && n > 0 => {
                self.mov(cx, width, dst, src);
                let amount = Amount::Imm(n.trailing_zeros() as u8);
                cx.sink.push(Inst::Shift { op: Shift::Shl, width, dst, amount });
            }
            (n @ (3 | 5 | 9), Src::Reg(x)) => {
                let index = Some((x, (n - 1).trailing_zeros() as u8));
                cx.sink.push(Inst::Lea { width, dst, mem: Amode { index, ..Amode::reg(x) } });
            }
            (imm, src) => cx.sink.push(Inst::ImulImm { width, dst, src, imm }),
        }
    }

    /// The high half of a product, and the low half if the instruction before wants that.
    pub(super) fn multiply_whole<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        args: &[Value],
    ) -> Result<(), ErrorKind> {
        let (Some(result), &[a, b]) = (cx.func.result(inst), args) else { return Ok(()) };
        if cx.func.value_type(result) != self.address_type() {
            return Err(ErrorKind::Unsupported("the high half of a product of other than addresses' width"));
        }
        let before = cx.func.layout.prev_inst(inst).filter(|&mul| self.is_low_half(cx, mul));
        let low = before.and_then(|mul| cx.func.result(mul));
        let [a, b] = if self.exchanges(cx, [a, b]) { [b, a] } else { [a, b] };
        let (lhs, src) = (self.reg(cx, a), Src::Reg(self.reg(cx, b)));
        let lo = match low {
            Some(low) => cx.regs(low).lo(),
            None => self.temp(cx, self.address_type()),
        };
        let (sign, width, hi) = (Signedness::Unsigned, self.address_width(), cx.regs(result).lo());
        cx.sink.push(Inst::MulWide { sign, width, lhs, src, lo, hi });
        Ok(())
    }

    /// Whether the instruction behind the product `mul` makes its low half, too.
    fn is_low_half<S: Sink<Inst>>(self, cx: &Cx<'_, S>, mul: ice_ir::Inst) -> bool {
        let &InstData::Binary { op: BinaryOp::Mul, args: [a, b] } = cx.func.inst(mul) else { return false };
        let Some(high) = cx.func.layout.next_inst(mul) else { return false };
        if cx.uses.is_dead(mul) || cx.uses.is_dead(high) || cx.is_folded(mul) {
            return false;
        }
        match *cx.func.inst(high) {
            InstData::CallIntrinsic { op: Intrinsic::MulHigh, args, .. } => {
                let args = cx.func.args(args);
                args == [a, b] || args == [b, a]
            }
            _ => false,
        }
    }
}
