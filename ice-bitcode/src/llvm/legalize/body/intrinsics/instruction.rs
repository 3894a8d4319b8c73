//! Instructions that intrinsics name, as statements of inline assembly.

use alloc::format;
use alloc::string::String;

use ice_ir::assembly::Assembly;
use ice_ir::{Type, Value};

use super::{Call, statement};
use crate::error::Error;
use crate::llvm::legalize::body::values::{Operand, Run};
use crate::llvm::legalize::body::{Body, Checked, fail, unsupported};
use crate::llvm::legalize::shape::Kind;
use crate::llvm::wire::attributes::FunctionFlags;

/// What of registers goes to or comes from memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// One register behind the other.
    Whole,
    /// A lane of each register in turn.
    Turns,
    /// One number to all lanes of each register.
    Repeated,
    /// The lane of one number of each register.
    Lane,
}

impl Body<'_, '_> {
    /// The argument that a number must be constant for.
    pub(super) fn constant_argument(&self, operand: Operand) -> Checked<i64> {
        match self.constant_number(operand) {
            Some(number) => Ok(number),
            None => unsupported("an instruction with a number that is no constant"),
        }
    }

    /// The number that a scalar is, or all lanes of a vector, with its sign, if it is constant.
    pub(super) fn constant_in_all_lanes(&mut self, operand: Operand) -> Option<i64> {
        let lane = match self.kind(operand.ty) {
            Kind::Vector(vector) => vector.lane,
            Kind::Scalar(scalar) => scalar,
            _ => return None,
        };
        let run = self.run(operand);
        self.uniform_number(run, lane.bits())
    }

    pub(super) fn check_count(call: &Call, expected: usize) -> Checked<()> {
        match call.count < expected {
            true => fail(Error::ArgumentCount { passed: call.count, expected }),
            false => Ok(()),
        }
    }

    /// A statement with a result.
    pub(in crate::llvm::legalize::body) fn instruction_value(
        &mut self,
        template: String,
        constraints: &str,
        args: &[Value],
        ty: Type,
    ) -> Checked<Value> {
        self.check_assembler(&template)?;
        let constraints = constraints.into();
        let assembly = Assembly { template, constraints, is_instruction: true, ..Assembly::default() };
        // What instructions for floats do may depend on the environment, which others change.
        if assembly.is_computation() && !self.s.flags.has(FunctionFlags::STRICT_FP) {
            return Ok(self.b.machine_op(assembly, args, ty));
        }
        match self.b.assembly(assembly, args, ty) {
            Some(value) => Ok(value),
            None => fail(Error::VoidValue),
        }
    }

    /// A statement with `count` results of one type.
    pub(in crate::llvm::legalize::body) fn instruction_values(
        &mut self,
        template: String,
        constraints: &str,
        args: &[Value],
        (ty, count): (Type, usize),
    ) -> Checked<Run> {
        let first = self.instruction_value(template, constraints, args, ty)?;
        // All that a statement gives follows it at once.
        let all = self.reserve(count as u32);
        self.set(all, 0, first);
        for n in 1..all.len {
            let value = self.b.assembly_output(first, n, ty);
            self.set(all, n, value);
        }
        Ok(all)
    }

    /// A statement without a result, which reads or writes memory.
    pub(in crate::llvm::legalize::body) fn instruction_effect(
        &mut self,
        template: &str,
        constraints: &str,
        args: &[Value],
    ) -> Checked<()> {
        self.check_assembler(template)?;
        let assembly = Assembly { is_instruction: true, ..statement([template, constraints]) };
        self.b.assembly(assembly, args, Type::Void);
        Ok(())
    }

    /// An instruction with one constant number and nothing else.
    pub(super) fn instruction_with_number(&mut self, call: &Call, mnemonic: &str) -> Checked<()> {
        let number = self.constant_argument(call.args[0])?;
        self.instruction_effect(&format!("{mnemonic} #{number}"), "~{memory}", &[])
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
