//! Inline assembly: nothing where it emits nothing, else a statement of the IR with the same text.
//!
//! CALLBR is a statement that may jump (LLVM language reference, "callbr"). Each basic block that it goes to has an ICE block of
//! its own in between, which receives the outputs; two edges to one basic block meet in another one, for its phis. Outputs are
//! good on every edge, so they go to memory there, and each block that uses them loads them once.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use ice_ir::assembly::{Assembly, Constraint, Dialect, Direction};
use ice_ir::{Block, CallingConvention, Inst, InstData, Intrinsic, Type, Value};

use super::call::Callee;
use super::memory::Access;
use super::prototype::Prototype;
use super::stack_operands::StackOperands;
use super::values::{CONSTANT, Local, MISSING, Operand};
use super::{Body, Checked, fail, unsupported};
use crate::error::Error;
use crate::llvm::legalize::shape::{Kind, Scalar};
use crate::llvm::legalize::signature::VectorRegisters;
use crate::llvm::wire::constants::{Constant, View};
use crate::llvm::wire::types::{LlvmType, TypeId};

/// The flag of templates in Intel's syntax.
const INTEL: u64 = 4;
/// log2 of the alignment of operands in memory that are none by themselves.
const STACK_ALIGN_LOG2: u8 = 4;

/// What is known of the statements of a body that may jump.
#[derive(Default)]
pub(super) struct JumpScratch {
    /// In the order of their statements.
    edges: Vec<JumpEdge>,
    /// The values that statements give, by number of the local value, and where they are in memory.
    results: Vec<(u32, TypeId, Value)>,
}

/// The last ICE block between a statement that may jump and a basic block that it goes to.
#[derive(Clone, Copy)]
struct JumpEdge {
    /// The basic block of the statement.
    from: u32,
    to: Block,
    block: Block,
}

impl JumpScratch {
    pub(super) fn clear(&mut self) {
        self.edges.clear();
        self.results.clear();
    }

    /// Whether there are any.
    pub(super) fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// The ICE block from which control goes from the statement at the end of `from` to the phis of `to`.
    pub(super) fn source(&self, from: u32, to: Block) -> Option<Block> {
        let first = self.edges.partition_point(|edge| edge.from < from);
        let edges = self.edges[first..].iter().take_while(|edge| edge.from == from);
        edges.clone().find(|edge| edge.to == to).map(|edge| edge.block)
    }
}

/// Where the result of a statement without instructions comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Origin {
    /// There is none, or nothing sets it.
    Nothing,
    /// The input of this number is in its place, as constraints say by its number or because both name one register.
    Input(usize),
    /// It is the register that points to the stack.
    StackPointer,
}

impl Body<'_, '_> {
    /// A call of inline assembly.
    pub(super) fn assembly_call(&mut self, number: u32, prototype: &Prototype) -> Checked<()> {
        let assembly = self.assembly_constant(number)?;
        // Comments and the alignment of code are nothing.
        let is_nothing =
            |line: &str| line.is_empty() || line.starts_with(['#', ';']) || line.starts_with(".p2align ");
        if assembly.template.lines().all(|line| is_nothing(line.trim()))
            && let Some(origin) = self.origin_of_result(&assembly, prototype)
        {
            return self.empty_assembly(origin, prototype);
        }
        match self.m.legal.machine().has_assembler {
            true => self.assembly_statement(assembly, prototype, &[]),
            false => self.refuse_assembly(&assembly),
        }
    }

    /// CALLBR.
    pub(super) fn callbr(&mut self) -> Checked<()> {
        let (_, flags) = (self.op()?, self.op()?);
        if flags & 1 << 15 == 0 {
            return fail(Error::CallConvention { bits: flags });
        }
        let normal = self.op()?;
        let mut targets = vec![self.target(normal)?];
        for _ in 0..self.op()? {
            let target = self.op()?;
            targets.push(self.target(target)?);
        }
        let ty = self.type_operand()?;
        let LlvmType::Function { ret, params, variadic } = self.m.types.get(ty) else {
            return fail(self.type_class(ty, "a function type"));
        };
        let convention = CallingConvention::Standard;
        let prototype = Prototype { ty, ret, params, is_variadic: variadic, convention };
        if let Some(tag) = self.s.bundle.take() {
            self.check_bundle(tag)?;
        }
        let Callee::Assembly(number) = self.callee()? else {
            return unsupported("callbr of what is no inline assembly");
        };
        let mut assembly = self.assembly_constant(number)?;
        if !self.m.legal.machine().has_assembler {
            return self.refuse_assembly(&assembly);
        }
        if let Some(operands) = labels_as_operands(&assembly, targets.len() - 1) {
            assembly.constraints = operands;
        }
        self.assembly_statement(assembly, &prototype, &targets)?;
        self.terminated()
    }

    /// The statement of a constant.
    fn assembly_constant(&self, number: u32) -> Checked<Assembly> {
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
        Ok(Assembly { template, constraints, dialect, ..Assembly::default() })
    }

    #[cold]
    fn refuse_assembly<T>(&self, assembly: &Assembly) -> Checked<T> {
        let what = alloc::format!("inline assembly {:?} with {:?}", assembly.template, assembly.constraints);
        fail(Error::Unsupported { what })
    }

    /// Where the result of a statement that emits nothing comes from. `None` if there are several, or if it is another register
    /// that no input names: what is there matters.
    fn origin_of_result(&self, assembly: &Assembly, prototype: &Prototype) -> Option<Origin> {
        let operands = assembly.operands().ok()?;
        let mut results = (0..).zip(&operands).filter(|(_, operand)| operand.is_result());
        let (result, other) = (results.next(), results.next());
        let is_plain = other.is_none()
            && result.is_none() == (self.kind(prototype.ret) == Kind::Void)
            && operands.iter().all(|operand| operand.direction != Direction::Label);
        if !is_plain {
            return None;
        }
        let Some((number, result)) = result else { return Some(Origin::Nothing) };
        let name = result.name();
        let is_tied = |operand: &Constraint<'_>| match operand.same_as() {
            Some(same) => same == number,
            None => name.is_some() && operand.name() == name,
        };
        let machine = self.m.legal.machine();
        match (operands.iter().filter(|operand| operand.is_operand()).position(is_tied), name) {
            (Some(input), _) => Some(Origin::Input(input)),
            (None, Some(name)) if machine.stack_pointer.contains(&name) => Some(Origin::StackPointer),
            (None, Some(_)) if machine.has_assembler => None,
            (None, _) => Some(Origin::Nothing),
        }
    }

    /// A statement that emits nothing.
    fn empty_assembly(&mut self, origin: Origin, prototype: &Prototype) -> Checked<()> {
        let mut result = None;
        for (i, &ty) in self.m.types.list(prototype.params).iter().enumerate() {
            let operand = self.argument(ty)?;
            if origin == Origin::Input(i) {
                result = operand;
            }
        }
        self.end()?;
        if self.kind(prototype.ret) == Kind::Void {
            return Ok(());
        }
        if origin == Origin::StackPointer {
            let value = self.intrinsic_one(Intrinsic::Stacksave, &[])?;
            result = (self.shape(prototype.ret).parts == 1).then(|| self.one(prototype.ret, value));
        }
        match result {
            Some(result) if result.ty == prototype.ret => self.define(result),
            _ => {
                let result = self.undefined(prototype.ret)?;
                self.define(result)
            }
        }
    }

    /// A statement with operands and results of one value each, but for those on the stack of the x87. If it may jump, with the
    /// basic blocks where it goes on.
    fn assembly_statement(
        &mut self,
        assembly: Assembly,
        prototype: &Prototype,
        targets: &[Block],
    ) -> Checked<()> {
        let Ok(operands) = assembly.operands() else { return self.refuse_assembly(&assembly) };
        let stack = StackOperands::of(&operands);
        let results = self.result_types(prototype);
        let mut params: Vec<_> = self.m.types.list(prototype.params).to_vec();
        let num_results = operands.iter().filter(|operand| operand.is_result()).count();
        let num_inputs = operands.iter().filter(|operand| operand.is_operand()).count();
        let num_labels = operands.iter().filter(|operand| operand.direction == Direction::Label).count();
        // Before LLVM 15 labels are arguments, too, the last ones.
        let label_params = if params.len() == num_inputs { 0 } else { num_labels };
        let is_whole = results.len() == num_results && params.len() == num_inputs + label_params;
        if !is_whole || num_labels != targets.len().saturating_sub(1) || num_labels > 0 && !stack.is_empty() {
            return self.refuse_assembly(&assembly);
        }
        params.truncate(num_inputs);
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
                let double = self.double_operand(ty);
                let is_single = self.kind(ty) != Kind::Void && self.value_shape(ty)?.parts == 1;
                match input {
                    _ if !is_single && double.is_none() => return self.refuse_assembly(&assembly),
                    Some(input) => {
                        let run = self.run(input);
                        args.push(match double {
                            Some(double) => self.joined(run, 0, double),
                            None => self.single(input),
                        });
                    }
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
        self.at += label_params;
        self.end()?;
        if !targets.is_empty() {
            return self.assembly_jump(assembly, &args, prototype, targets);
        }
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

    /// The vector of 256 bits that an operand of type `ty` is, if a register has it whole.
    fn double_operand(&self, ty: TypeId) -> Option<Type> {
        let (Kind::Vector(vector), 2) = (self.kind(ty), self.shape(ty).parts) else { return None };
        let is_whole = self.vector_registers() == VectorRegisters::Wide && vector.lane != Scalar::Quad;
        vector.native.filter(|native| is_whole && native.element() != Type::I1)?.double()
    }

    /// The type of the output of a statement that is of type `ty`.
    fn output_type(&self, ty: TypeId) -> Type {
        self.double_operand(ty).unwrap_or(self.shape(ty).first)
    }

    /// Adds the parts of an output: it is one, or its halves are.
    fn add_output(&mut self, output: Value, parts: &mut Vec<Value>) {
        match self.ty_of(output).half() {
            Some(ty) => parts.extend([0, 1].map(|half| self.b.half(output, half, ty))),
            None => parts.push(output),
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
        let outputs: Vec<_> = outputs.map(|(&ty, _)| self.output_type(ty)).collect();
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
                None => values.next().into_iter().for_each(|output| self.add_output(output, &mut parts)),
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

    /// Appends a statement that may jump, and the ICE blocks behind it.
    fn assembly_jump(
        &mut self,
        mut assembly: Assembly,
        args: &[Value],
        prototype: &Prototype,
        targets: &[Block],
    ) -> Checked<()> {
        let types = self.result_types(prototype);
        let place = match types.is_empty() {
            true => None,
            false => Some(self.slot(self.m.layouts.alloc_size(prototype.ret)?, STACK_ALIGN_LOG2)?),
        };
        let behind = self.b.func.insert_new_block_after(self.ice_block());
        let others = targets[1..].iter().map(|_| self.b.create_block());
        let edges: Vec<Block> = core::iter::once(behind).chain(others).collect();
        assembly.targets.clone_from(&edges);
        self.b.assembly_jump(assembly, args);
        let first_edge = self.s.jumps.edges.len();
        for (n, &to) in targets.iter().enumerate() {
            if targets[..n].contains(&to) {
                continue;
            }
            let is_repeated = targets[n + 1..].contains(&to);
            let block = if is_repeated { self.b.create_block() } else { edges[n] };
            self.s.jumps.edges.push(JumpEdge { from: self.s.block, to, block });
        }
        for (&to, &edge) in targets.iter().zip(&edges) {
            self.b.switch_to_block(edge);
            if let Some(place) = place {
                let result = self.received(prototype, &types)?;
                self.store_value(result, place, STACK_ALIGN_LOG2)?;
            }
            let known = self.s.jumps.edges[first_edge..].iter().find(|known| known.to == to);
            let via = known.map_or(to, |known| if known.block == edge { to } else { known.block });
            self.b.br(via);
        }
        for at in first_edge..self.s.jumps.edges.len() {
            let JumpEdge { to, block, .. } = self.s.jumps.edges[at];
            if !edges.contains(&block) {
                self.b.switch_to_block(block);
                self.b.br(to);
            }
        }
        match place {
            None => Ok(()),
            Some(place) => self.define_in_memory(prototype.ret, place),
        }
    }

    /// The outputs of the statement before, at the start of one of its targets.
    fn received(&mut self, prototype: &Prototype, types: &[TypeId]) -> Checked<Operand> {
        let types: Vec<Type> = types.iter().map(|&ty| self.output_type(ty)).collect();
        let first = self.b.invoke_result(types[0]);
        let mut outputs = vec![first];
        for (number, &ty) in (1..).zip(&types[1..]) {
            outputs.push(self.b.assembly_output(first, number, ty));
        }
        let mut parts = Vec::new();
        outputs.into_iter().for_each(|output| self.add_output(output, &mut parts));
        let run = self.reserve(parts.len() as u32);
        for (n, part) in (0..).zip(parts) {
            self.set(run, n, part);
        }
        Ok(self.operand(prototype.ret, run))
    }

    /// Gives the next number to a value that each block loads where it uses it.
    fn define_in_memory(&mut self, ty: TypeId, place: Value) -> Checked<()> {
        let index = self.s.next_local;
        if index as usize != self.s.locals.len() {
            return unsupported("the result of a callbr in a block that stands before it");
        }
        self.s.locals.push(Local { first: 0, block: CONSTANT, noted: MISSING, ty });
        self.s.next_local += 1;
        self.s.jumps.results.push((index, ty, place));
        Ok(())
    }

    /// The local value of this number, if it is one that blocks load where they use it.
    pub(super) fn value_in_memory(&mut self, index: u32) -> Option<Checked<Operand>> {
        let known = self.s.jumps.results.binary_search_by_key(&index, |&(index, ..)| index).ok()?;
        let (_, ty, place) = self.s.jumps.results[known];
        Some(self.load_value(ty, place, STACK_ALIGN_LOG2, Access::Plain))
    }

    /// Leaves one entry to a phi of several edges from one statement to its block, which are one there.
    pub(super) fn join_jump_edges(&mut self, phi: Inst) {
        let InstData::Phi { incoming } = *self.b.func.inst(phi) else { return };
        let all = self.b.func.incoming(incoming);
        let edges = &self.s.jumps.edges;
        let is_edge = |block: Block| edges.iter().any(|edge| edge.block == block);
        let mut kept: Vec<(Value, Block)> = Vec::with_capacity(all.len());
        for &(value, block) in all {
            if !(is_edge(block) && kept.iter().any(|&(_, before)| before == block)) {
                kept.push((value, block));
            }
        }
        if kept.len() < all.len() {
            let incoming = self.b.func.make_incoming(&kept);
            *self.b.func.inst_mut(phi) = InstData::Phi { incoming };
        }
    }
}

/// The constraints of a statement of so many labels with those of LLVM 14, where labels are the last inputs, as they are
/// written since.
fn labels_as_operands(assembly: &Assembly, labels: usize) -> Option<String> {
    let operands = assembly.operands().ok()?;
    if operands.iter().any(|operand| operand.direction == Direction::Label) {
        return None;
    }
    let inputs = operands.iter().filter(|operand| operand.direction == Direction::Input).count();
    let mut left = inputs.checked_sub(labels)?;
    let texts = assembly.constraints.split(',').zip(&operands).map(|(text, operand)| {
        let is_input = operand.direction == Direction::Input;
        let is_label = is_input && left == 0;
        left -= usize::from(is_input && left > 0);
        if is_label { "!i" } else { text }
    });
    Some(texts.collect::<Vec<_>>().join(","))
}
