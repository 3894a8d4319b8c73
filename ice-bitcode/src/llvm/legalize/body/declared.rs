//! Calls of what the module has [declared](crate::llvm::legalize::runtime) for its bodies.

use ice_ir::{FuncId, Intrinsic, TailHint, Type, Value};

use super::{Body, Checked, fail, unsupported};
use crate::error::Error;

impl Body<'_, '_> {
    /// A call of an intrinsic of the IR for a type, which has a result.
    pub(super) fn intrinsic(&mut self, op: Intrinsic, ty: Type, args: &[Value]) -> Checked<Value> {
        let Some(callee) = self.p.runtime.intrinsic(op, ty) else { return unsupported(op.name()) };
        let ret = self.m.module.signature(callee).ret;
        match self.b.call_intrinsic(op, callee, args, ret, TailHint::None) {
            Some(value) => Ok(value),
            None => fail(Error::VoidValue),
        }
    }

    /// As [`intrinsic`](Self::intrinsic), where there is but one form.
    pub(super) fn intrinsic_one(&mut self, op: Intrinsic, args: &[Value]) -> Checked<Value> {
        self.intrinsic(op, Type::Void, args)
    }

    /// A call of an intrinsic without a result.
    pub(super) fn intrinsic_void(&mut self, op: Intrinsic, ty: Type, args: &[Value]) -> Checked<()> {
        let Some(callee) = self.p.runtime.intrinsic(op, ty) else { return unsupported(op.name()) };
        self.b.call_intrinsic(op, callee, args, Type::Void, TailHint::None);
        Ok(())
    }

    /// A call of a function of the run-time library.
    pub(super) fn library(
        &mut self,
        name: &'static str,
        args: &[Value],
        ret: Type,
    ) -> Checked<Option<Value>> {
        self.call_library(self.p.runtime.function(name), name, args, ret)
    }

    /// A call of a function of libm, by its name for `double`, for numbers of type `ty`.
    pub(super) fn math_library(&mut self, name: &'static str, args: &[Value], ty: Type) -> Checked<Value> {
        match self.call_library(self.math_function(name, ty), name, args, ty)? {
            Some(value) => Ok(value),
            None => unsupported(name),
        }
    }

    /// As [`math_library`](Self::math_library), of a function that leaves its results in memory.
    pub(super) fn math_procedure(&mut self, name: &'static str, args: &[Value], ty: Type) -> Checked<()> {
        self.call_library(self.math_function(name, ty), name, args, Type::Void).map(drop)
    }

    fn math_function(&self, name: &'static str, ty: Type) -> Option<FuncId> {
        match ty {
            Type::F32 => self.p.runtime.float_function(name),
            _ => self.p.runtime.function(name),
        }
    }

    fn call_library(
        &mut self,
        callee: Option<FuncId>,
        name: &'static str,
        args: &[Value],
        ret: Type,
    ) -> Checked<Option<Value>> {
        let Some(callee) = callee else { return unsupported(name) };
        let known = self.m.module.signature(callee);
        let types = args.iter().map(|&value| self.b.func.value_type(value));
        if known.ret != ret || !types.eq(known.params.iter().copied()) {
            return unsupported("an intrinsic with other arguments than its function has");
        }
        Ok(self.b.call(callee, args, ret, TailHint::None))
    }
}
