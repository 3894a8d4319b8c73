//! Inline assembly: nothing where it emits nothing, else a statement of the IR with the same text.

use alloc::string::String;
use alloc::vec::Vec;

use ice_ir::Type;
use ice_ir::assembly::{Assembly, Dialect, Direction};

use super::prototype::Prototype;
use super::{Body, Checked, fail};
use crate::error::Error;
use crate::llvm::legalize::shape::Kind;
use crate::llvm::wire::constants::{Constant, View};

/// The flag of templates in Intel's syntax.
const INTEL: u64 = 4;

impl Body<'_, '_> {
    /// A call of inline assembly.
    pub(super) fn assembly_call(&mut self, number: u32, prototype: &Prototype) -> Checked<()> {
        let env = self.m.environment();
        let view = View { env: &env, local: &self.s.constants };
        let Some((Constant::InlineAsm(index), _)) = view.get(number) else {
            return fail(Error::ConstantReference { value: number.into() });
        };
        let table = view.table(number);
        let known = *table.inline_asm(index);
        let text = |run| String::from_utf8_lossy(table.bytes(run)).into_owned();
        let dialect = if known.flags & INTEL != 0 { Dialect::Intel } else { Dialect::Att };
        let (template, constraints) = (text(known.template), text(known.constraints));
        let assembly = Assembly { template, constraints, dialect };
        // Comments and the alignment of code are nothing.
        let is_nothing =
            |line: &str| line.is_empty() || line.starts_with(['#', ';']) || line.starts_with(".p2align ");
        if assembly.template.lines().all(|line| is_nothing(line.trim()))
            && let Some(inputs) = self.tied_inputs(&assembly, prototype)
        {
            return self.empty_assembly(&inputs, prototype);
        }
        match self.m.legal.machine().has_assembler {
            true => self.assembly_statement(assembly, prototype),
            false => self.refuse_assembly(&assembly),
        }
    }

    #[cold]
    fn refuse_assembly<T>(&self, assembly: &Assembly) -> Checked<T> {
        let what = alloc::format!("inline assembly {:?} with {:?}", assembly.template, assembly.constraints);
        fail(Error::Unsupported { what })
    }

    /// Of a statement with one result at most: for each input the output in whose place it is.
    fn tied_inputs(&self, assembly: &Assembly, prototype: &Prototype) -> Option<Vec<Option<u32>>> {
        let operands = assembly.operands().ok()?;
        let outputs = operands.iter().filter(|operand| operand.is_result()).count();
        let is_plain = outputs <= 1
            && (outputs == 0) == (self.kind(prototype.ret) == Kind::Void)
            && operands.iter().all(|operand| operand.direction != Direction::Label);
        let inputs = operands.iter().filter(|operand| operand.is_operand());
        is_plain.then(|| inputs.map(|operand| operand.same_as()).collect())
    }

    /// A statement that emits nothing: its result is the input in the same place.
    fn empty_assembly(&mut self, inputs: &[Option<u32>], prototype: &Prototype) -> Checked<()> {
        let mut result = None;
        for (i, &ty) in self.m.types.list(prototype.params).iter().enumerate() {
            let operand = self.argument(ty)?;
            if inputs.get(i).copied().flatten() == Some(0) {
                result = operand;
            }
        }
        self.end()?;
        if self.kind(prototype.ret) == Kind::Void {
            return Ok(());
        }
        match result {
            Some(result) if result.ty == prototype.ret => self.define(result),
            // An output that nothing sets.
            _ => {
                let result = self.undefined(prototype.ret)?;
                self.define(result)
            }
        }
    }

    /// A statement with operands and results of one part each.
    fn assembly_statement(&mut self, assembly: Assembly, prototype: &Prototype) -> Checked<()> {
        let Ok(operands) = assembly.operands() else { return self.refuse_assembly(&assembly) };
        let results = operands.iter().filter(|operand| operand.is_result()).count();
        let inputs = operands.iter().filter(|operand| operand.is_operand()).count();
        let has_label = operands.iter().any(|operand| operand.direction == Direction::Label);
        let has_result = self.kind(prototype.ret) != Kind::Void;
        let parts = if has_result { self.value_shape(prototype.ret)?.parts } else { 0 };
        if has_label || parts as usize != results || prototype.params.len as usize != inputs {
            return self.refuse_assembly(&assembly);
        }
        let mut args = Vec::with_capacity(inputs);
        for &ty in self.m.types.list(prototype.params) {
            match self.argument(ty)? {
                Some(operand) if self.shape(ty).parts == 1 => args.push(self.single(operand)),
                _ => return self.refuse_assembly(&assembly),
            }
        }
        self.end()?;
        let mut types = Vec::new();
        if has_result {
            types.extend(self.m.legal.parts(prototype.ret)?.iter().map(|part| part.carrier));
        }
        let first = self.b.assembly(assembly, &args, types.first().copied().unwrap_or(Type::Void));
        let Some(first) = first else { return Ok(()) };
        if types.len() == 1 {
            return self.define_one(prototype.ret, first);
        }
        let run = self.reserve(parts);
        self.set(run, 0, first);
        for (number, &ty) in (1..).zip(&types[1..]) {
            let output = self.b.assembly_output(first, number, ty);
            self.set(run, number, output);
        }
        self.define_run(prototype.ret, run)
    }
}
