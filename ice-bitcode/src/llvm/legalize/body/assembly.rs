//! Inline assembly: nothing where it emits nothing, else a statement of the IR with the same text.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use ice_ir::assembly::{Assembly, Dialect, Direction};
use ice_ir::{Type, Value};

use super::memory::Access;
use super::prototype::Prototype;
use super::stack_operands::StackOperands;
use super::{Body, Checked, fail};
use crate::error::Error;
use crate::llvm::legalize::shape::Kind;
use crate::llvm::wire::constants::{Constant, View};
use crate::llvm::wire::types::{LlvmType, TypeId};

/// The flag of templates in Intel's syntax.
const INTEL: u64 = 4;
/// log2 of the alignment of operands in memory that are none by themselves.
const STACK_ALIGN_LOG2: u8 = 4;

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
        let assembly = Assembly { template, constraints, dialect, returns_twice: false };
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

    /// A statement with operands and results of one part each, but for those on the stack of the x87.
    fn assembly_statement(&mut self, assembly: Assembly, prototype: &Prototype) -> Checked<()> {
        let Ok(operands) = assembly.operands() else { return self.refuse_assembly(&assembly) };
        let stack = StackOperands::of(&operands);
        let results = self.result_types(prototype);
        let params: Vec<_> = self.m.types.list(prototype.params).to_vec();
        let num_results = operands.iter().filter(|operand| operand.is_result()).count();
        let num_inputs = operands.iter().filter(|operand| operand.is_operand()).count();
        let has_label = operands.iter().any(|operand| operand.direction == Direction::Label);
        if has_label || results.len() != num_results || params.len() != num_inputs {
            return self.refuse_assembly(&assembly);
        }
        let (mut next_result, mut next_param) = (results.iter(), params.iter());
        let mut args = Vec::with_capacity(num_inputs);
        let mut suffixes = vec![' '; operands.len()];
        // Where results on the stack are.
        let mut places = Vec::with_capacity(num_results);
        for (n, operand) in operands.iter().enumerate() {
            let Some(&ty) = (match operand.direction {
                Direction::Output if operand.is_result() => next_result.next(),
                _ if operand.is_operand() => next_param.next(),
                _ => continue,
            }) else {
                return self.refuse_assembly(&assembly);
            };
            let input = if operand.is_operand() { self.argument(ty)? } else { None };
            if !stack.has(n) {
                let is_single = self.kind(ty) != Kind::Void && self.value_shape(ty)?.parts == 1;
                match input {
                    _ if !is_single => return self.refuse_assembly(&assembly),
                    Some(input) => args.push(self.single(input)),
                    None if operand.is_operand() => return self.refuse_assembly(&assembly),
                    None => places.push(None),
                }
                continue;
            }
            let suffix = match self.m.types.get(ty) {
                LlvmType::Float => 's',
                LlvmType::Double => 'l',
                LlvmType::X86Fp80 => 't',
                _ => return self.refuse_assembly(&assembly),
            };
            suffixes[n] = suffix;
            let place = self.slot(self.m.layouts.alloc_size(ty)?, STACK_ALIGN_LOG2)?;
            match input {
                Some(input) => self.store_value(input, place, STACK_ALIGN_LOG2)?,
                None => places.push(Some(place)),
            }
            args.push(place);
        }
        self.end()?;
        let assembly = match stack.is_empty() {
            true => assembly,
            false => match stack.in_memory(&assembly, &operands, &suffixes) {
                Some(in_memory) => in_memory,
                None => return self.refuse_assembly(&assembly),
            },
        };
        self.assembly_results(assembly, &args, prototype, &results, &places)
    }

    /// The types of the results of a statement.
    fn result_types(&self, prototype: &Prototype) -> Vec<TypeId> {
        match self.m.types.get(prototype.ret) {
            LlvmType::Void => Vec::new(),
            LlvmType::Struct { members, .. } => self.m.types.list(members).to_vec(),
            _ => vec![prototype.ret],
        }
    }

    /// Appends the statement and defines its results: of each its type, and where it is if that is in memory.
    fn assembly_results(
        &mut self,
        assembly: Assembly,
        args: &[Value],
        prototype: &Prototype,
        types: &[TypeId],
        places: &[Option<Value>],
    ) -> Checked<()> {
        let outputs = types.iter().zip(places).filter(|(_, place)| place.is_none());
        let outputs: Vec<_> = outputs.map(|(&ty, _)| self.shape(ty).first).collect();
        let first = self.b.assembly(assembly, args, outputs.first().copied().unwrap_or(Type::Void));
        let mut values: Vec<_> = first.into_iter().collect();
        if let Some(first) = first {
            let others = outputs.iter().zip(0..).skip(1);
            values.extend(others.map(|(&ty, number)| self.b.assembly_output(first, number, ty)));
        }
        let mut values = values.into_iter();
        let mut parts = Vec::new();
        for (&ty, &place) in types.iter().zip(places) {
            match place {
                None => parts.extend(values.next()),
                Some(place) => {
                    let result = self.load_value(ty, place, STACK_ALIGN_LOG2, Access::Plain)?;
                    parts.extend((0..self.shape(ty).parts).map(|part| self.part(result, part)));
                }
            }
        }
        if types.is_empty() {
            return Ok(());
        }
        let run = self.reserve(parts.len() as u32);
        for (i, part) in (0..).zip(parts) {
            self.set(run, i, part);
        }
        self.define_run(prototype.ret, run)
    }
}
