//! The function itself: its parameters at the entry, and RET.

use alloc::format;
use alloc::string::String;

use super::extended::Argument;
use super::{Body, Checked, fail, unsupported};
use crate::error::Error;
use crate::llvm::legalize::halves::Halves;
use crate::llvm::legalize::shape::Kind;
use crate::llvm::legalize::signature::{Form, Role, VectorRegisters, differs_from_llvm, result_units, units};
use crate::llvm::wire::attributes::{FunctionFlags, ParamAttributes};
use crate::llvm::wire::demands::{Demands, Hook};
use crate::llvm::wire::types::{LlvmType, TypeId};
use ice_ir::{CallingConvention, FuncId, Intrinsic, Symbol, Type};

/// From how many bytes on an array is a large one, unless a function says it.
const LARGE_ARRAY: u32 = 8;

impl Body<'_, '_> {
    /// The parameters of the function, from those of the IR.
    pub(super) fn parameters(&mut self) -> Checked<()> {
        let info = self.m.functions[self.s.function];
        let Some(ty) = info.ty.expand() else { return fail(Error::NotAFunctionType { function: 0, ty: 0 }) };
        let LlvmType::Function { ret, params, .. } = self.m.types.get(ty) else {
            return fail(self.type_class(ty, "a function type"));
        };
        let convention = self.convention(info.convention.into(), ty)?;
        let attributes = self.m.attributes.list(info.attributes.into())?;
        self.s.large_array = attributes.function.large_array.unwrap_or(LARGE_ARRAY);
        self.check_result(ret, attributes.ret, Some(self.s.function))?;
        self.s.ret = Some((ret, attributes.ret));
        self.s.flags = attributes.function.flags;
        self.check_wide(ty, Some(self.s.function))?;
        if convention == CallingConvention::PreserveAll
            && self.s.flags.has(FunctionFlags::WIDE_REGISTERS)
            && self.m.legal.machine().has_wide_registers
        {
            return unsupported("preserve_all for processors with vector registers of 256 bits");
        }
        let mut at = 0;
        self.s.result_slot = None;
        if self.kind(ret) != Kind::Void
            && self.form(Role::Result, ret, attributes.ret)? == Form::Parts
            && self.is_demoted(ret)?
        {
            self.s.result_slot = self.b.func.params().first().copied();
            at = 1;
        }
        for (i, &ty) in self.m.types.list(params).iter().enumerate() {
            let attributes = self.m.attributes.param(&attributes, i);
            let operand =
                self.unpass((Role::Argument, ty), attributes, units(self.m.legal.parts(ty)?), |cx| {
                    let value = cx.b.func.params().get(at).copied();
                    at += 1;
                    match value {
                        Some(value) => Ok(value),
                        None => fail(Error::VoidValue),
                    }
                })?;
            let operand = self.rejoined(operand);
            self.s.push_local(operand);
        }
        self.meet(attributes.function.demands)
    }

    /// Calls what the function is to call where it begins, and notes what it is to call where it ends. One without a frame
    /// calls nothing but what its text does.
    fn meet(&mut self, demands: Demands) -> Checked<()> {
        let hooks = match self.s.flags.has(FunctionFlags::NAKED) {
            true => [None; 2],
            false => [demands.entry, demands.exit],
        };
        self.s.exit_hook = hooks[1];
        match demands.unmet(self.m.legal.machine().usual_features) {
            Some((key, None)) => unsupported(&format!("the attribute {key}")),
            Some((key, Some(value))) => unsupported(&format!("the attribute {key}={value}")),
            None => self.call_hook(hooks[0]),
        }
    }

    fn call_hook(&mut self, hook: Option<Hook>) -> Checked<()> {
        let Some(hook) = hook else { return Ok(()) };
        if !hook.has_addresses() {
            return self.library(hook.name(), &[], Type::Void).map(drop);
        }
        let function = self.address_of(Symbol::Function(self.s.function));
        let level = self.int(Type::I32, 0);
        let caller = self.intrinsic_one(Intrinsic::ReturnAddress, &[level])?;
        self.library(hook.name(), &[function, caller], Type::Void).map(drop)
    }

    /// RET.
    pub(super) fn ret(&mut self) -> Checked<()> {
        self.call_hook(self.s.exit_hook)?;
        let Some((ty, attributes)) = self.s.ret else { return fail(Error::ReturnValue) };
        if !self.has_more() {
            if self.kind(ty) != Kind::Void {
                return fail(Error::ReturnValue);
            }
            self.b.ret(None);
            return self.terminated();
        }
        let value = self.vt()?;
        self.end()?;
        if value.ty != ty {
            return fail(Error::ReturnValue);
        }
        if let Some(slot) = self.s.result_slot {
            let align = self.m.layouts.abi_align_log2(ty);
            self.store_value(value, slot, align)?;
            self.b.ret(None);
            return self.terminated();
        }
        if self.form(Role::Result, ty, attributes)? == Form::Extended {
            self.return_extended(value)?;
            self.b.ret(None);
            return self.terminated();
        }
        let mut args = core::mem::take(&mut self.s.args);
        args.clear();
        let units = result_units(self.m.legal.parts(ty)?, self.m.legal.machine());
        let passed = self.pass_as(value, attributes, Argument::Result, units, &mut args);
        match (&passed, &args[..]) {
            (Ok(()), &[]) => self.b.ret(None),
            (Ok(()), &[one]) => self.b.ret(Some(one)),
            (Ok(()), &[one, two, ..]) => self.b.ret_pair([one, two]),
            (Err(_), _) => {}
        }
        self.s.args = args;
        passed?;
        self.terminated()
    }

    /// Refuses vectors by value that the callers or callees of others expect in other registers than Ice: those of a function
    /// of type `ty` that other modules see, where processors have registers of 256 bits and more.
    #[inline(always)]
    pub(super) fn check_wide(&self, ty: TypeId, function: Option<FuncId>) -> Checked<()> {
        match self.s.flags.has(FunctionFlags::WIDE_REGISTERS) {
            true => self.check_wide_types(ty, function),
            false => Ok(()),
        }
    }

    #[cold]
    fn check_wide_types(&self, ty: TypeId, function: Option<FuncId>) -> Checked<()> {
        if self.vector_registers() == VectorRegisters::Usual {
            return Ok(());
        }
        let functions = &self.m.module.functions;
        if function.is_some_and(|function| functions[function].linkage.is_local()) {
            return Ok(());
        }
        let (ret, params) = self.m.types.function(ty).unwrap_or((ty, &[]));
        let result = self.halves(ret);
        let is_demoted = self.kind(ret) != Kind::Void && self.is_demoted(ret)?;
        let is_refused = self.is_foreign(&result)
            || !result.is_empty() && is_demoted
            || params.iter().any(|&ty| self.is_foreign(&self.halves(ty)));
        match is_refused {
            true => self.refuse_wide(function),
            false => Ok(()),
        }
    }

    /// The vector registers of the processor that the function is for.
    #[inline(always)]
    pub(super) fn vector_registers(&self) -> VectorRegisters {
        match self.s.flags.has(FunctionFlags::WIDE_REGISTERS) && self.m.legal.machine().has_wide_registers {
            true => VectorRegisters::Wide,
            false => VectorRegisters::Usual,
        }
    }

    /// The vectors of more than 128 bits in a value of type `ty`.
    pub(super) fn halves(&self, ty: TypeId) -> Halves {
        Halves::of(&self.m.types, &self.m.legal, ty)
    }

    /// Whether LLVM may pass some of these vectors in other registers than those of 256 bits.
    pub(super) fn is_foreign(&self, halves: &Halves) -> bool {
        halves.has_odd || halves.has_wider && self.s.flags.has(FunctionFlags::WIDER_REGISTERS)
    }

    #[cold]
    pub(super) fn refuse_wide<T>(&self, function: Option<FuncId>) -> Checked<T> {
        let name = function.map(|function| self.m.module.functions[function].name);
        let name = name.map(|name| String::from_utf8_lossy(self.m.module.name(name)).into_owned());
        let what = format!(
            "a vector by value between modules that is in other registers than xmm and one ymm, of {}",
            name.as_deref().unwrap_or("a function that is called by its address")
        );
        fail(Error::Unsupported { what })
    }

    /// Refuses a result that the callers or callees of others expect elsewhere.
    pub(super) fn check_result(
        &self,
        ty: TypeId,
        attributes: ParamAttributes,
        function: Option<FuncId>,
    ) -> Checked<()> {
        let is_own = |function| self.m.module.functions[function].linkage.is_local();
        let m = &self.m;
        if self.kind(ty) != Kind::Void
            && differs_from_llvm(m.legal.parts(ty)?, m.legal.machine(), m.module.pointer_type)
            && self.form(Role::Result, ty, attributes)? == Form::Parts
            && !function.is_some_and(is_own)
        {
            return unsupported("a result in three or more registers that other modules see");
        }
        Ok(())
    }
}
