//! Intrinsics other than atomics.

use super::{float_width, width};
use crate::inst::{Amode, Base, Inst};
use crate::target::{Aarch64, Cx};
use ice_asm::aarch64::{Float2, Float3, MultiplyHigh, One, Transfer, Width};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::words::ProgramRules;
use ice_codegen::{ErrorKind, Operands as _};
use ice_ir::{GlobalId, Intrinsic, SignedReturn, Type, Value};

/// The instruction of a scalar intrinsic on one floating-point number.
fn float2(op: Intrinsic) -> Option<Float2> {
    Some(match op {
        Intrinsic::Fabs => Float2::Fabs,
        Intrinsic::Fneg => Float2::Fneg,
        Intrinsic::Sqrt => Float2::Fsqrt,
        Intrinsic::Floor => Float2::Frintm,
        Intrinsic::Ceil => Float2::Frintp,
        Intrinsic::TruncFloat => Float2::Frintz,
        Intrinsic::RoundEven => Float2::Frintn,
        Intrinsic::Round => Float2::Frinta,
        Intrinsic::Rint => Float2::Frintx,
        Intrinsic::NearbyInt => Float2::Frinti,
        _ => return None,
    })
}

/// The instruction of a scalar intrinsic on two.
fn float3(op: Intrinsic) -> Option<Float3> {
    Some(match op {
        Intrinsic::MinNum => Float3::Fminnm,
        Intrinsic::MaxNum => Float3::Fmaxnm,
        Intrinsic::Minimum => Float3::Fmin,
        Intrinsic::Maximum => Float3::Fmax,
        _ => return None,
    })
}

impl Aarch64 {
    /// Lowers a call of an intrinsic.
    #[inline(never)]
    pub(crate) fn intrinsic<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        op: Intrinsic,
        args: &[Value],
    ) -> Result<(), ErrorKind> {
        if op.is_atomic() {
            return self.atomic(cx, inst, op, args);
        }
        let result = cx.func.result(inst);
        let ty = result.map_or(Type::Void, |value| cx.func.value_type(value));
        match (op, result) {
            (Intrinsic::Bswap | Intrinsic::Bitreverse | Intrinsic::Ctlz | Intrinsic::Cttz, Some(result)) => {
                self.bits_of(cx, op, args[0], result);
            }
            (Intrinsic::Ctpop, Some(result)) => self.count_ones(cx, args[0], result),
            _ if ty.is_vector() => return self.vector_intrinsic(cx, op, args, result),
            (_, Some(result)) if let Some(op) = float2(op) => self.float_unary(cx, op, args[0], result),
            (_, Some(result)) if let Some(op) = float3(op) => {
                let [lhs, rhs] = [0, 1].map(|n| self.reg(cx, args[n]));
                let (width, dst) = (float_width(ty), cx.regs(result).lo());
                cx.sink.push(Inst::Float3 { op, width, dst, lhs, rhs });
            }
            (Intrinsic::Fma, Some(result)) => self.float_multiply_add(cx, args, result),
            (Intrinsic::MulHigh, Some(result)) => {
                let [lhs, rhs] = [0, 1].map(|n| self.reg(cx, args[n]));
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::MultiplyHigh { op: MultiplyHigh::Umulh, dst, lhs, rhs });
            }
            (Intrinsic::Stackrestore, _) => {
                let src = self.reg(cx, args[0]);
                cx.sink.push(Inst::StackRestore { src });
            }
            (Intrinsic::Stacksave, Some(result)) => {
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::StackSave { dst });
            }
            (Intrinsic::Trap, _) => cx.sink.push(Inst::Trap),
            _ => return self.program_intrinsic(cx, op, args, result),
        }
        Ok(())
    }

    /// The order of bytes, and zeros at either end.
    fn bits_of<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Intrinsic, arg: Value, result: Value) {
        let ty = cx.func.value_type(result);
        let (src, dst, width) = (self.reg(cx, arg), cx.regs(result).lo(), width(ty));
        match (op, ty) {
            (Intrinsic::Bswap, Type::I16) => cx.sink.push(Inst::One { op: One::Rev16, width, dst, src }),
            (Intrinsic::Bswap, _) => cx.sink.push(Inst::One { op: One::Rev, width, dst, src }),
            (Intrinsic::Bitreverse, _) => cx.sink.push(Inst::One { op: One::Rbit, width, dst, src }),
            (Intrinsic::Cttz, _) => {
                let reversed = self.wide_temp(cx, width);
                cx.sink.push(Inst::One { op: One::Rbit, width, dst: reversed, src });
                cx.sink.push(Inst::One { op: One::Clz, width, dst, src: reversed });
            }
            _ => cx.sink.push(Inst::One { op: One::Clz, width, dst, src }),
        }
    }
}

impl ProgramRules for Aarch64 {
    fn is_ordinary(self) -> bool {
        self.is_native()
    }

    fn read_thread_pointer<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg) -> bool {
        if self.is_native() {
            cx.sink.push(Inst::ThreadPointer { dst });
        }
        self.is_native()
    }

    fn address_in_thread<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, global: GlobalId, dst: VReg) {
        self.thread_local_address(cx, global, dst);
    }

    fn start_list<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, list: Value) {
        self.start_variadic(cx, list);
    }

    /// Frames are a list.
    fn frame_at<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Intrinsic,
        level: Option<i64>,
        dst: VReg,
    ) -> Result<(), ErrorKind> {
        let Some(level @ 0..=MAX_LEVEL) = level else {
            return Err(ErrorKind::Unsupported("the address of a frame so far up"));
        };
        let mut mem = Amode::new(Base::Saved, 0);
        for _ in 0..level {
            let dst = self.address_temp(cx);
            cx.sink.push(Inst::Load { op: Transfer::LdrX, dst, mem });
            mem = Amode::new(Base::Reg(dst), 0);
        }
        if op != Intrinsic::ReturnAddress {
            cx.sink.push(Inst::Lea { dst, mem });
            return Ok(());
        }
        let load = |dst| Inst::Load { op: Transfer::LdrX, dst, mem: mem.offset(8) };
        // Nobody knows what callers do.
        if level == 0 && cx.sink.frame().signed_return == SignedReturn::Never {
            cx.sink.push(load(dst));
            return Ok(());
        }
        let address = self.address_temp(cx);
        cx.sink.push(load(address));
        cx.sink.push(Inst::StripSignature { address });
        cx.sink.push(Inst::Mov { width: Width::X, dst, src: address });
        Ok(())
    }
}

/// The most callers that are looked up.
const MAX_LEVEL: i64 = 64;
