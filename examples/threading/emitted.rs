//! Call and inline threading: a function of the byte code becomes a function of the process.
//!
//! *Call threading*: for each operation a call of what does it, with its operands as arguments; branches are emitted.
//! *Inline threading* (Piumarta and Riccardi 1998): the bodies themselves, one behind another, with operands that are known.

use crate::bytecode::{Instruction, Op};
use crate::modules::ModuleBuilder;
use crate::operations::{Next, State, WORD_LOG2, operate, word};
use ice_ir::{Block, CastOp, FuncId, FunctionBuilder, IntCond, Signature, TailHint, Type, Value};

/// What is emitted for an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Bodies {
    /// Calls of functions.
    Called,
    /// The bodies.
    Inline,
}

/// The code of a function that operations can be in, from where it begins: what jumps reach.
fn reached(code: &[Instruction], start: usize) -> Vec<bool> {
    let mut reached = vec![false; code.len()];
    let mut left = vec![start];
    while let Some(at) = left.pop() {
        if at >= code.len() || std::mem::replace(&mut reached[at], true) {
            continue;
        }
        let Instruction { op, operands: [_, _, target] } = code[at];
        if matches!(op, Op::Jump | Op::JumpIfLess | Op::JumpIfZero) {
            left.push(target as usize);
        }
        if !matches!(op, Op::Jump | Op::Return | Op::Halt) {
            left.push(at + 1);
        }
    }
    reached
}

/// Adds a function for each operation that is called: of (registers, memory, a, b, c), which gives whether a branch is taken.
fn operations(module: &mut ModuleBuilder) -> Vec<(Op, FuncId)> {
    let has_body = |op: &Op| !matches!(op, Op::Jump | Op::Call | Op::Return | Op::Halt);
    let mut functions = Vec::new();
    for op in Op::ALL.into_iter().filter(has_body) {
        let function = module.define(&format!("{op:?}"), Signature::new(vec![Type::I64; 5], Type::I64));
        functions.push((op, function));
        module.body(function, |b, params| {
            let &[registers, memory, first, second, third] = params else { return };
            let entry = b.create_block();
            b.switch_to_block(entry);
            let result = match operate(b, op, State { registers, memory }, [first, second, third]) {
                Next::Branch(condition) => b.cast(CastOp::Zext, condition, Type::I64),
                Next::Following | Next::Control => b.int_const(Type::I64, 0),
            };
            b.ret(Some(result));
        });
    }
    functions
}

/// Adds the function `run` of (code, registers, memory, calls), of which it needs two, for a program.
pub fn program(module: &mut ModuleBuilder, code: &[Instruction], bodies: Bodies) {
    let operations = if bodies == Bodies::Called { operations(module) } else { Vec::new() };
    let calls = code.iter().filter(|instruction| instruction.op == Op::Call);
    let mut starts: Vec<usize> =
        calls.map(|instruction| instruction.operands[2] as usize).chain([0]).collect();
    starts.sort_unstable();
    starts.dedup();
    let signature = Signature::new(vec![Type::I64; 2], Type::I64);
    let functions: Vec<(usize, FuncId)> = starts
        .iter()
        .map(|&start| (start, module.define(&format!("from_{start}"), signature.clone())))
        .collect();
    for &(start, function) in &functions {
        module.body(function, |b, params| {
            let &[registers, memory] = params else { return };
            Emission {
                code,
                functions: &functions,
                operations: &operations,
                state: State { registers, memory },
            }
            .function(b, start);
        });
    }
    let run = module.define("run", Signature::new(vec![Type::I64; 4], Type::I64));
    module.body(run, |b, params| {
        let &[_, registers, memory, _] = params else { return };
        let entry = b.create_block();
        b.switch_to_block(entry);
        let result = b.call(functions[0].1, &[registers, memory], Type::I64, TailHint::None);
        b.ret(result);
    });
}

/// One function of the byte code.
struct Emission<'a> {
    code: &'a [Instruction],
    functions: &'a [(usize, FuncId)],
    /// What is called for operations; nothing for those that are inline.
    operations: &'a [(Op, FuncId)],
    state: State,
}

impl Emission<'_> {
    fn function(&self, b: &mut FunctionBuilder<'_>, start: usize) {
        let entry = b.create_block();
        let reached = reached(self.code, start);
        let blocks: Vec<Option<Block>> = reached.iter().map(|&is| is.then(|| b.create_block())).collect();
        let block = |at: usize| blocks.get(at).copied().flatten();
        b.switch_to_block(entry);
        go(b, block(start));
        for (at, instruction) in self.code.iter().enumerate() {
            let Some(own) = block(at) else { continue };
            b.switch_to_block(own);
            let target = block(instruction.operands[2] as usize);
            match self.instruction(b, instruction) {
                Next::Following => go(b, block(at + 1)),
                Next::Branch(condition) => match (target, block(at + 1)) {
                    (Some(taken), Some(following)) => b.cond_br(condition, taken, following),
                    _ => b.unreachable(),
                },
                Next::Control if instruction.op == Op::Jump => go(b, target),
                Next::Control => {
                    let result = b.load(Type::I64, self.state.registers, WORD_LOG2 as u8);
                    b.ret(Some(result));
                }
            }
        }
    }

    fn instruction(&self, b: &mut FunctionBuilder<'_>, instruction: &Instruction) -> Next {
        let State { registers, memory } = self.state;
        let operands: [Value; 3] = instruction.operands.map(|number| b.int_const(Type::I64, number));
        if let Some((_, callee)) = self.operations.iter().find(|(op, _)| *op == instruction.op) {
            let [first, second, third] = operands;
            let args = [registers, memory, first, second, third];
            let taken = b.call(*callee, &args, Type::I64, TailHint::None);
            return match (instruction.op, taken) {
                (Op::JumpIfLess | Op::JumpIfZero, Some(taken)) => {
                    let zero = b.int_const(Type::I64, 0);
                    Next::Branch(b.icmp(IntCond::Ne, taken, zero))
                }
                _ => Next::Following,
            };
        }
        let start = instruction.operands[2] as usize;
        match self.functions.iter().find(|(of, _)| *of == start) {
            Some(&(_, callee)) if instruction.op == Op::Call => {
                let window = word(b, registers, operands[0]);
                b.call(callee, &[window, memory], Type::I64, TailHint::None);
                Next::Following
            }
            _ => operate(b, instruction.op, self.state, operands),
        }
    }
}

/// Goes to a block; code without an end has none.
fn go(b: &mut FunctionBuilder<'_>, to: Option<Block>) {
    match to {
        Some(block) => b.br(block),
        None => b.unreachable(),
    }
}
