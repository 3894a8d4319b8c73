//! `llvm.eh.sjlj.setjmp` and `llvm.eh.sjlj.longjmp`, which are `__builtin_setjmp` and `__builtin_longjmp` of C: inline assembly of
//! the machine.

use ice_ir::assembly::Assembly;
use ice_ir::{Type, Value};

use super::super::values::Operand;
use super::super::{Body, Checked, unsupported};
use super::{Call, statement};
use crate::llvm::wire::types::LlvmType;

impl Body<'_, '_> {
    fn buffer(&self, call: &Call) -> Checked<Value> {
        let [buffer, ..] = call.args;
        match self.m.types.get(buffer.ty) == LlvmType::Pointer {
            true => Ok(self.single(buffer)),
            false => unsupported("a buffer for jumps that is no address"),
        }
    }

    /// 0, and 1 when a jump comes back to here.
    pub(super) fn set_jump(&mut self, call: &Call) -> Checked<Operand> {
        let Some(texts) = self.m.legal.machine().jumps else {
            return unsupported("intrinsic llvm.eh.sjlj.setjmp");
        };
        let buffer = self.buffer(call)?;
        let mut set = Assembly { returns_twice: true, ..statement(texts.set) };
        if self.m.module.hardening.tracks_branches {
            let [plain, tracked] = texts.landing;
            set.template = set.template.replacen(plain, tracked, 1);
        }
        let Some(result) = self.b.assembly(set, &[buffer], Type::I32) else {
            return unsupported("a jump without a result");
        };
        let pointer = self.pointer();
        self.b.assembly_output(result, 1, pointer);
        self.one_of(call.ret, result)
    }

    /// A jump by a buffer.
    pub(super) fn jump(&mut self, call: &Call) -> Checked<()> {
        let Some(texts) = self.m.legal.machine().jumps else {
            return unsupported("intrinsic llvm.eh.sjlj.longjmp");
        };
        let buffer = self.buffer(call)?;
        self.b.assembly(statement(texts.jump), &[buffer], Type::Void);
        Ok(())
    }
}
