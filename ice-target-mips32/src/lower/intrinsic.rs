//! Intrinsics other than atomics.

use crate::inst::{Amode, Base, Inst, Src};
use crate::target::{Cx, Mips32};
use ice_asm::mips32::{Float2, Transfer};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::words::{BitRules as _, MemoryRules as _, ParamRules as _, ProgramRules, WordVectors as _};
use ice_codegen::{ErrorKind, Operands as _, Words as _};
use ice_ir::{GlobalId, Intrinsic, Type, Value};

impl Mips32 {
    /// Lowers a call of an intrinsic.
    #[inline(never)]
    pub(crate) fn intrinsic<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        op: Intrinsic,
        args: &[Value],
    ) -> Result<(), ErrorKind> {
        let result = cx.func.result(inst);
        let ty = result.map_or(Type::Void, |value| cx.func.value_type(value));
        match (op, result) {
            _ if op.is_atomic() => return self.atomic(cx, inst, op, args),
            (Intrinsic::Bswap | Intrinsic::Ctlz | Intrinsic::Cttz | Intrinsic::Ctpop, Some(result)) => {
                self.bit_intrinsic(cx, op, args[0], result);
            }
            (Intrinsic::Fabs, Some(result)) if ty.is_vector() => self.vector_fabs(cx, args[0], result),
            (Intrinsic::Fabs | Intrinsic::Fneg, Some(result)) => self.change_sign(cx, op, args[0], result),
            (Intrinsic::Sqrt, Some(result)) if ty.is_scalar_float() => {
                let src = self.reg(cx, args[0]);
                let (op, width, dst) = (Float2::Sqrt, super::float_width(ty), cx.regs(result).lo());
                cx.sink.push(Inst::Float2 { op, width, dst, src });
            }
            (Intrinsic::Trap, _) => cx.sink.push(Inst::Trap),
            (Intrinsic::Stacksave, Some(result)) => {
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::StackSave { dst });
            }
            (Intrinsic::Stackrestore, _) => {
                let src = self.reg(cx, args[0]);
                cx.sink.push(Inst::StackRestore { src });
            }
            _ => return self.program_intrinsic(cx, op, args, result),
        }
        Ok(())
    }
}

impl ProgramRules for Mips32 {
    fn is_ordinary(self) -> bool {
        self.is_native()
    }

    fn read_thread_pointer<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg) -> bool {
        let is_known = self.is_native() || self.is_confined();
        if is_known {
            let src = self.thread_pointer(cx);
            cx.sink.push(Inst::Mov { dst, src });
        }
        is_known
    }

    fn address_in_thread<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, global: GlobalId, dst: VReg) {
        self.thread_local_address(cx, global, dst);
    }

    /// Nothing links the frames of o32.
    fn frame_at<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Intrinsic,
        level: Option<i64>,
        dst: VReg,
    ) -> Result<(), ErrorKind> {
        if level != Some(0) {
            return Err(ErrorKind::Unsupported("the address of the frame of a caller"));
        }
        cx.sink.push(match op {
            Intrinsic::ReturnAddress => Inst::Load { op: Transfer::Lw, dst, mem: Amode::new(Base::Saved, 0) },
            _ => Inst::Lea { dst, mem: Amode::new(Base::Incoming, 0) },
        });
        Ok(())
    }

    /// Makes the list begin with the first variadic argument: those in registers are stored to their home when the
    /// function begins, so that all lie in memory one after another, and a list of them is one address.
    fn start_list<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, list: Value) {
        let (mem, src) = (self.first_variadic(cx), self.temp(cx));
        cx.sink.push(Inst::Lea { dst: src, mem });
        let align = self.known_align(cx, list);
        let mem = self.address(cx, list);
        self.store_part(cx, Src::Reg(src), mem, align);
    }
}
