//! Calls, incoming parameters and returns.

use super::{float_size, is_extension};
use crate::abi::{ArgumentPlaces, Place, result_place};
use crate::inst::{Amode, Base, Callee, Inst};
use crate::regs::GPR;
use crate::target::{Arm32, Cx};
use arrayvec::ArrayVec;
use ice_ir::mach::{Operand, RegClass, Sink};
use ice_ir::{FuncId, Symbol, Type, Value, ValueRange};
use ice_passes::{CodeSymbol, ErrorKind, Libcall, ValueRegs};

/// Most registers that carry arguments and results of one call: 4 core, 16 extension, 2 results.
type Operands = ArrayVec<Operand, 24>;

/// The class of a one-register value.
fn class_of(ty: Type) -> RegClass {
    if is_extension(ty) { float_size(ty).class() } else { GPR }
}

/// Uses of the registers of an argument in its place.
fn push_uses(operands: &mut Operands, place: Place, regs: ValueRegs, ty: Type) {
    match place {
        Place::Register(reg) => operands.push(Operand::use_fixed(regs.lo(), class_of(ty), reg)),
        Place::Pair(lo, hi) => {
            operands.push(Operand::use_fixed(regs.lo(), GPR, lo));
            operands.push(Operand::use_fixed(regs.hi(), GPR, hi));
        }
        Place::Stack(_) => {}
    }
}

/// Definitions of the registers of a value in its place.
fn push_defs(operands: &mut Operands, place: Place, regs: ValueRegs, ty: Type) {
    match place {
        Place::Register(reg) => operands.push(Operand::def_fixed(regs.lo(), class_of(ty), reg)),
        Place::Pair(lo, hi) => {
            operands.push(Operand::def_fixed(regs.lo(), GPR, lo));
            operands.push(Operand::def_fixed(regs.hi(), GPR, hi));
        }
        Place::Stack(_) => {}
    }
}

impl Arm32 {
    /// Moves incoming arguments to the registers of the parameters.
    pub(crate) fn lower_incoming<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) -> Result<(), ErrorKind> {
        let mut operands = Operands::new();
        let func = cx.func;
        let located = || {
            let mut places = ArgumentPlaces::new();
            func.params().iter().map(move |&p| (p, places.next(func.value_type(p))))
        };
        for (param, place) in located() {
            if !matches!(place, Place::Stack(_)) {
                push_defs(&mut operands, place, cx.regs(param), func.value_type(param));
            }
        }
        cx.sink.push_with(Inst::Params, &operands);
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
    ) {
        self.call(cx, inst, Callee::Symbol(super::symbol(Symbol::Function(callee))), args);
    }

    /// An indirect call.
    pub(super) fn call_address<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        callee: Value,
        args: ValueRange,
    ) {
        let callee = Callee::Value(self.reg(cx, callee));
        self.call(cx, inst, callee, args);
    }

    /// Arguments on the stack first: they need registers on their way.
    fn call<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst, callee: Callee, args: ValueRange) {
        let func = cx.func;
        let located = || {
            let mut places = ArgumentPlaces::new();
            func.args(args).iter().map(move |&arg| (arg, places.next(func.value_type(arg))))
        };
        for (arg, place) in located() {
            if let Place::Stack(offset) = place {
                // A narrow argument takes a word; the bits above it are anything.
                let ty = func.value_type(arg);
                let ty = if ty.is_scalar_int() && ty != Type::I64 { Type::I32 } else { ty };
                let regs = self.regs(cx, arg);
                for (n, src) in regs.iter().enumerate() {
                    let mem = Amode::new(Base::Outgoing, offset as i32 + 4 * n as i32);
                    self.store_part(cx, ty, src, mem);
                }
            }
        }
        let mut operands = Operands::new();
        for (arg, place) in located() {
            if !matches!(place, Place::Stack(_)) {
                let regs = self.regs(cx, arg);
                push_uses(&mut operands, place, regs, func.value_type(arg));
            }
        }
        let mut places = ArgumentPlaces::new();
        for &arg in func.args(args) {
            places.next(func.value_type(arg));
        }
        let result = func.result(inst).map(|v| (cx.regs(v), func.value_type(v)));
        self.finish_call(cx, callee, operands, places.stack, result);
    }

    /// A call of a helper outside of the module; all its arguments travel in registers.
    pub(super) fn libcall<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        helper: Libcall,
        args: &[(ValueRegs, Type)],
        result: Option<(ValueRegs, Type)>,
    ) {
        let mut places = ArgumentPlaces::new();
        let mut operands = Operands::new();
        for &(regs, ty) in args {
            let place = places.next(ty);
            debug_assert!(!matches!(place, Place::Stack(_)));
            push_uses(&mut operands, place, regs, ty);
        }
        let callee = Callee::Symbol(CodeSymbol::Libcall(helper).pack());
        self.finish_call(cx, callee, operands, places.stack, result);
    }

    /// A call of a helper with operands that are in place, and bytes of arguments on the stack.
    pub(super) fn push_libcall<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        helper: Libcall,
        operands: &[Operand],
        stack: u32,
    ) {
        let callee = Callee::Symbol(CodeSymbol::Libcall(helper).pack());
        let operands = operands.iter().copied().collect();
        self.finish_call(cx, callee, operands, stack, None);
    }

    fn finish_call<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        callee: Callee,
        mut operands: Operands,
        stack: u32,
        result: Option<(ValueRegs, Type)>,
    ) {
        if let Some((regs, ty)) = result
            && let Some(place) = result_place(ty)
        {
            push_defs(&mut operands, place, regs, ty);
        }
        let frame = cx.sink.frame();
        frame.has_calls = true;
        frame.outgoing = frame.outgoing.max(stack);
        cx.sink.push_with(Inst::Call { callee }, &operands);
    }

    /// Return with or without a value.
    pub(super) fn lower_return<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Option<Value>) {
        let mut operands = Operands::new();
        if let Some(value) = value {
            let ty = cx.func.value_type(value);
            let regs = self.regs(cx, value);
            if let Some(place) = result_place(ty) {
                push_uses(&mut operands, place, regs, ty);
            }
        }
        cx.sink.push_with(Inst::Ret, &operands);
    }
}
