//! The function itself: its parameters at the entry, and RET.

use super::extended::Argument;
use super::{Body, Checked, fail, unsupported};
use crate::error::Error;
use crate::llvm::legalize::shape::Kind;
use crate::llvm::legalize::signature::{Form, differs_from_llvm, is_demoted, result_units, units};
use crate::llvm::wire::attributes::ParamAttributes;
use crate::llvm::wire::types::{LlvmType, TypeId};
use ice_ir::FuncId;

impl Body<'_, '_> {
    /// The parameters of the function, from those of the IR.
    pub(super) fn parameters(&mut self) -> Checked<()> {
        let info = self.m.functions[self.s.function];
        let Some(ty) = info.ty.expand() else { return fail(Error::NotAFunctionType { function: 0, ty: 0 }) };
        let LlvmType::Function { ret, params, .. } = self.m.types.get(ty) else {
            return fail(self.type_class(ty, "a function type"));
        };
        self.check_convention(info.convention.into(), ty)?;
        let attributes = self.m.attributes.list(info.attributes.into())?;
        self.check_result(ret, attributes.ret, Some(self.s.function))?;
        self.s.ret = Some((ret, attributes.ret));
        let mut at = 0;
        self.s.result_slot = None;
        if self.kind(ret) != Kind::Void
            && self.form(ret, attributes.ret)? == Form::Parts
            && is_demoted(self.result_units(ret)?)
        {
            self.s.result_slot = self.b.func.params().first().copied();
            at = 1;
        }
        for (i, &ty) in self.m.types.list(params).iter().enumerate() {
            let attributes = self.m.attributes.param(&attributes, i);
            let operand = self.unpass(ty, attributes, units(self.m.legal.parts(ty)?), |cx| {
                let value = cx.b.func.params().get(at).copied();
                at += 1;
                match value {
                    Some(value) => Ok(value),
                    None => fail(Error::VoidValue),
                }
            })?;
            self.s.push_local(operand);
        }
        Ok(())
    }

    /// RET.
    pub(super) fn ret(&mut self) -> Checked<()> {
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
        if self.form(ty, attributes)? == Form::Extended {
            self.return_extended(value)?;
            self.b.ret(None);
            return self.terminated();
        }
        let mut args = core::mem::take(&mut self.s.args);
        args.clear();
        let units = result_units(self.m.legal.parts(ty)?, self.m.legal.machine());
        let passed = self.pass_as(value, attributes, Argument::Fixed, units, &mut args);
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
            && self.form(ty, attributes)? == Form::Parts
            && !function.is_some_and(is_own)
        {
            return unsupported("a result in three or more registers that other modules see");
        }
        Ok(())
    }
}
