//! Instructions that intrinsics name, as statements of inline assembly.

use alloc::format;
use alloc::string::String;

use ice_ir::assembly::Assembly;
use ice_ir::{Type, Value};

use super::statement;
use crate::error::Error;
use crate::llvm::legalize::body::{Body, Checked, fail, unsupported};

impl Body<'_, '_> {
    /// A statement with a result.
    pub(super) fn instruction_value(
        &mut self,
        template: String,
        constraints: &str,
        args: &[Value],
        ty: Type,
    ) -> Checked<Value> {
        self.check_assembler(&template)?;
        let constraints = constraints.into();
        let assembly = Assembly { template, constraints, ..Assembly::default() };
        match self.b.assembly(assembly, args, ty) {
            Some(value) => Ok(value),
            None => fail(Error::VoidValue),
        }
    }

    /// A statement without a result, which reads or writes memory.
    pub(super) fn instruction_effect(
        &mut self,
        template: &str,
        constraints: &str,
        args: &[Value],
    ) -> Checked<()> {
        self.check_assembler(template)?;
        self.b.assembly(statement([template, constraints]), args, Type::Void);
        Ok(())
    }

    fn check_assembler(&self, template: &str) -> Checked<()> {
        match self.m.legal.machine().has_assembler {
            true => Ok(()),
            false => {
                unsupported(&format!("an intrinsic for which there is only its instruction, {template:?}"))
            }
        }
    }
}
