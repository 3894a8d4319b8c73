//! Calls, incoming parameters and returns.

use crate::abi::{ArgumentPlaces, Place, ResultPlace, result_place};
use crate::inst::{Amode, Base, Callee, Inst};
use crate::regs::{BYTE, GPR, RAX, RDX, XMM};
use crate::target::{Cx, X86};
use arrayvec::ArrayVec;
use ice_asm::x86::Mode;
use ice_ir::mach::{Operand, Sink, VReg};
use ice_ir::{FuncId, Linkage, Symbol, Type, Value, ValueRange};
use ice_passes::{CodeSymbol, ErrorKind, Libcall, ValueRegs};

/// Most registers that carry arguments and results of one call.
type Operands = ArrayVec<Operand, 18>;

/// Bytes at the bottom of the frame through which values pass between x87 and vector registers.
pub(super) const FPU_TRANSFER: u32 = 8;

impl X86 {
    /// Moves incoming arguments to the registers of the parameters.
    pub(crate) fn lower_incoming<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) -> Result<(), ErrorKind> {
        let mut operands = Operands::new();
        let func = cx.func;
        let located = || {
            let mut places = ArgumentPlaces::new(self.mode);
            func.params().iter().map(move |&p| (p, places.next(func.value_type(p))))
        };
        // Callers outside of the module do not promise that the upper half of a 32-bit argument is zero.
        let is_external = cx.module.functions[func.id].linkage == Linkage::External;
        let mut narrow = ArrayVec::<(VReg, VReg), 6>::new();
        for (param, place) in located() {
            if let Place::Register(reg) = place {
                let ty = func.value_type(param);
                let mut incoming = cx.regs(param).lo();
                if ty == Type::I32 && is_external {
                    let wide = self.temp(cx, ty);
                    narrow.push((wide, incoming));
                    incoming = wide;
                }
                operands.push(Operand::def_fixed(incoming, class_of(ty), reg));
            }
        }
        cx.sink.push_with(Inst::Params, &operands);
        for (src, dst) in narrow {
            cx.sink.push(Inst::ZeroUpper { dst, src });
        }
        for (param, place) in located() {
            if let Place::Stack(offset) = place
                && cx.uses.count(param) > 0
            {
                self.load_from(cx, Amode::new(Base::Incoming, offset as i32), param);
            }
        }
        Ok(())
    }

    /// A direct call.
    pub(super) fn call_function<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        callee: FuncId,
        args: ValueRange,
    ) -> Result<(), ErrorKind> {
        let callee = Callee::Symbol(super::symbol(Symbol::Function(callee)));
        self.call(cx, inst, callee, args);
        Ok(())
    }

    /// An indirect call.
    pub(super) fn call_address<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        callee: Value,
        args: ValueRange,
    ) -> Result<(), ErrorKind> {
        let callee = Callee::Value(self.reg(cx, callee));
        self.call(cx, inst, callee, args);
        Ok(())
    }

    fn call<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst, callee: Callee, args: ValueRange) {
        let func = cx.func;
        let mut places = ArgumentPlaces::new(self.mode);
        let mut operands = Operands::new();
        for &arg in func.args(args) {
            match places.next(func.value_type(arg)) {
                Place::Register(reg) => {
                    let class = class_of(func.value_type(arg));
                    operands.push(Operand::use_fixed(self.reg(cx, arg), class, reg));
                }
                Place::Stack(offset) => {
                    self.store_to(cx, Amode::new(Base::Outgoing, offset as i32), arg);
                }
            }
        }
        let result = func.result(inst).map(|v| (cx.regs(v), func.value_type(v)));
        self.finish_call(cx, callee, operands, places.stack, result);
    }

    /// A call of a helper outside of the module with arguments in registers.
    pub(super) fn libcall<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        helper: Libcall,
        args: &[(ValueRegs, Type)],
        result: Option<(ValueRegs, Type)>,
    ) {
        let mut places = ArgumentPlaces::new(self.mode);
        let mut operands = Operands::new();
        for &(regs, ty) in args {
            match places.next(ty) {
                Place::Register(reg) => {
                    operands.push(Operand::use_fixed(regs.lo(), class_of(ty), reg));
                }
                Place::Stack(offset) => {
                    let mem = Amode::new(Base::Outgoing, offset as i32);
                    for (n, src) in regs.iter().enumerate() {
                        self.store_part(cx, ty, src, mem.offset(4 * n as i32));
                    }
                }
            }
        }
        let callee = Callee::Symbol(CodeSymbol::Libcall(helper).pack());
        self.finish_call(cx, callee, operands, places.stack, result);
    }

    fn store_part<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, src: VReg, mem: Amode) {
        cx.sink.push(if ty.is_vector() || ty.is_scalar_float() {
            Inst::StoreXmm { size: ty.bytes() as u8, src, mem }
        } else {
            Inst::Store { width: self.part_width(ty), src, mem }
        });
    }

    fn finish_call<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        callee: Callee,
        mut operands: Operands,
        stack: u32,
        result: Option<(ValueRegs, Type)>,
    ) {
        let place = result.map_or(ResultPlace::None, |(_, ty)| result_place(self.mode, ty));
        let mut narrow = None;
        match (place, result) {
            // Nobody promises that the upper half of a 32-bit result is zero.
            (ResultPlace::Register(RAX), Some((regs, Type::I32))) if self.mode == Mode::Bits64 => {
                let wide = self.temp(cx, Type::I32);
                operands.push(Operand::def_fixed(wide, GPR, RAX));
                narrow = Some((wide, regs.lo()));
            }
            (ResultPlace::Register(reg), Some((regs, ty))) => {
                operands.push(Operand::def_fixed(regs.lo(), class_of(ty), reg));
            }
            (ResultPlace::Pair, Some((regs, _))) => {
                operands.push(Operand::def_fixed(regs.lo(), GPR, RAX));
                operands.push(Operand::def_fixed(regs.hi(), GPR, RDX));
            }
            _ => {}
        }
        let transfer = if place == ResultPlace::Fpu { FPU_TRANSFER } else { 0 };
        let frame = cx.sink.frame();
        frame.has_calls = true;
        frame.outgoing = frame.outgoing.max(stack).max(transfer);
        cx.sink.push_with(Inst::Call { callee, mode: self.mode }, &operands);
        if let Some((src, dst)) = narrow {
            cx.sink.push(Inst::ZeroUpper { dst, src });
        }
        if let (ResultPlace::Fpu, Some((regs, ty))) = (place, result) {
            cx.sink.push(Inst::PopFpu { size: ty.bytes() as u8, dst: regs.lo() });
        }
    }

    /// Return with or without a value.
    pub(super) fn lower_return<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Option<Value>) {
        let mut operands = Operands::new();
        if let Some(value) = value {
            let ty = cx.func.value_type(value);
            let regs = self.regs(cx, value);
            match result_place(self.mode, ty) {
                ResultPlace::None => {}
                ResultPlace::Register(reg) => {
                    operands.push(Operand::use_fixed(regs.lo(), class_of(ty), reg));
                }
                ResultPlace::Pair => {
                    operands.push(Operand::use_fixed(regs.lo(), GPR, RAX));
                    operands.push(Operand::use_fixed(regs.hi(), GPR, RDX));
                }
                ResultPlace::Fpu => {
                    let frame = cx.sink.frame();
                    frame.outgoing = frame.outgoing.max(FPU_TRANSFER);
                    cx.sink.push(Inst::PushFpu { size: ty.bytes() as u8, src: regs.lo() });
                }
            }
        }
        cx.sink.push_with(Inst::Ret, &operands);
    }
}

/// The class of a one-register value in a fixed register.
fn class_of(ty: Type) -> ice_ir::mach::RegClass {
    if ty.is_vector() || ty.is_scalar_float() {
        XMM
    } else if matches!(ty, Type::I1 | Type::I8) {
        BYTE
    } else {
        GPR
    }
}
