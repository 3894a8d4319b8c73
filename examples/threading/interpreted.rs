//! Switch and direct threading: the byte code is data, and each operation finds the next one.
//!
//! A word of byte code is an operation and three operands. *Switch*: one function with a loop around a multi-way branch by
//! the number of the operation. *Direct threading* (Bell 1973): the word of the operation is the address of its function,
//! which ends in a jump to the next. These functions preserve nothing, so that the state of the interpreter is in the
//! registers in which they hand it on.

use crate::bytecode::Op;
use crate::modules::ModuleBuilder;
use crate::operations::{Next, State, WORD_LOG2, operate, word};
use ice_ir::{
    BinaryOp, Block, CallingConvention, FuncId, FunctionBuilder, Signature, Symbol, TailHint, Type, Value,
};

/// log2 of the bytes of an operation with its operands.
const INSTRUCTION_LOG2: i64 = WORD_LOG2 + 2;

/// What an interpreter keeps while it runs.
#[derive(Clone, Copy)]
struct Place {
    /// Address of the operation.
    at: Value,
    state: State,
    /// Where the next call leaves where it came from.
    calls: Value,
}

/// Adds a number of bytes.
fn further(b: &mut FunctionBuilder<'_>, address: Value, bytes: i64) -> Value {
    let bytes = b.int_const(Type::I64, bytes);
    b.binary(BinaryOp::Add, address, bytes)
}

fn load(b: &mut FunctionBuilder<'_>, address: Value, bytes: i64) -> Value {
    let address = further(b, address, bytes);
    b.load(Type::I64, address, WORD_LOG2 as u8)
}

/// Emits an operation up to where the program goes on, and hands each way to `go`, which ends the block.
fn emit(
    b: &mut FunctionBuilder<'_>,
    op: Op,
    code: Value,
    place: Place,
    go: &mut dyn FnMut(&mut FunctionBuilder<'_>, Place),
) {
    let Place { at, state, calls } = place;
    let operands = [1, 2, 3].map(|n| load(b, at, n << WORD_LOG2));
    let jump = |b: &mut FunctionBuilder<'_>| {
        let log2 = b.int_const(Type::I64, INSTRUCTION_LOG2);
        let offset = b.binary(BinaryOp::Shl, operands[2], log2);
        b.binary(BinaryOp::Add, code, offset)
    };
    match (operate(b, op, state, operands), op) {
        (Next::Following, _) => {
            let at = further(b, at, 1 << INSTRUCTION_LOG2);
            go(b, Place { at, ..place });
        }
        (Next::Branch(condition), _) => {
            let (taken, not_taken) = (b.create_block(), b.create_block());
            b.cond_br(condition, taken, not_taken);
            b.switch_to_block(taken);
            let at = jump(b);
            go(b, Place { at, ..place });
            b.switch_to_block(not_taken);
            let at = further(b, place.at, 1 << INSTRUCTION_LOG2);
            go(b, Place { at, ..place });
        }
        (Next::Control, Op::Jump) => {
            let at = jump(b);
            go(b, Place { at, ..place });
        }
        (Next::Control, Op::Call) => {
            let back = further(b, at, 1 << INSTRUCTION_LOG2);
            b.store(calls, back, WORD_LOG2 as u8);
            let second = further(b, calls, 1 << WORD_LOG2);
            b.store(second, state.registers, WORD_LOG2 as u8);
            let calls = further(b, calls, 2 << WORD_LOG2);
            let at = jump(b);
            let registers = word(b, state.registers, operands[0]);
            go(b, Place { at, calls, state: State { registers, ..state } });
        }
        (Next::Control, Op::Return) => {
            let calls = further(b, calls, -(2 << WORD_LOG2));
            let at = b.load(Type::I64, calls, WORD_LOG2 as u8);
            let registers = load(b, calls, 1 << WORD_LOG2);
            go(b, Place { at, calls, state: State { registers, ..state } });
        }
        (Next::Control, _) => {
            let result = b.load(Type::I64, state.registers, WORD_LOG2 as u8);
            b.ret(Some(result));
        }
    }
}

/// Adds the function `run` of (code, registers, memory, calls) that branches by the numbers of operations.
pub fn by_switch(module: &mut ModuleBuilder) {
    let run = module.define("run", Signature::new(vec![Type::I64; 4], Type::I64));
    module.body(run, |b, params| {
        let &[code, registers, memory, calls] = params else { return };
        let entry = b.create_block();
        let round = b.create_block();
        b.switch_to_block(entry);
        b.br(round);
        // The block of the round is filled when all ways to it are known.
        let [at, window, depth] = [(); 3].map(|()| b.func.make_forward(Type::I64));
        let place = Place { at, state: State { registers: window, memory }, calls: depth };
        let mut ways: [Vec<(Value, Block)>; 3] = [code, registers, calls].map(|value| vec![(value, entry)]);
        let mut cases = Vec::new();
        for (number, op) in (0..).zip(Op::ALL) {
            let block = b.create_block();
            b.switch_to_block(block);
            cases.push((number, block));
            emit(b, op, code, place, &mut |b, next| {
                let from = b.current_block().unwrap_or(block);
                let values = [next.at, next.state.registers, next.calls];
                ways.iter_mut().zip(values).for_each(|(ways, value)| ways.push((value, from)));
                b.br(round);
            });
        }
        b.switch_to_block(round);
        for (value, ways) in [at, window, depth].into_iter().zip(&ways) {
            b.define_next_as(value);
            b.phi(Type::I64, ways);
        }
        let op = b.load(Type::I64, at, WORD_LOG2 as u8);
        let end = b.create_block();
        let table = b.switch(op, end);
        b.func.switch_mut(table).cases = cases;
        b.switch_to_block(end);
        b.unreachable();
    });
}

/// Adds the function `run`, a function for each operation, and the variable `handlers` with their addresses.
pub fn by_jumps(module: &mut ModuleBuilder) {
    let signature = Signature {
        convention: CallingConvention::PreserveNone,
        ..Signature::new(vec![Type::I64; 5], Type::I64)
    };
    let handlers: Vec<FuncId> =
        Op::ALL.iter().map(|op| module.define(&format!("{op:?}"), signature.clone())).collect();
    let signature = module.signature(handlers[0]);
    for (&handler, op) in handlers.iter().zip(Op::ALL) {
        module.body(handler, |b, params| {
            let &[at, registers, memory, calls, code] = params else { return };
            let entry = b.create_block();
            b.switch_to_block(entry);
            let place = Place { at, state: State { registers, memory }, calls };
            emit(b, op, code, place, &mut |b, next| {
                let handler = b.load(Type::I64, next.at, WORD_LOG2 as u8);
                let State { registers, memory } = next.state;
                b.return_call_as(signature, &[handler, next.at, registers, memory, next.calls, code]);
            });
        });
    }
    module.table("handlers", handlers.iter().map(|&handler| Symbol::Function(handler)));
    let run = module.define("run", Signature::new(vec![Type::I64; 4], Type::I64));
    module.body(run, |b, params| {
        let &[code, registers, memory, calls] = params else { return };
        let entry = b.create_block();
        b.switch_to_block(entry);
        let handler = b.load(Type::I64, code, WORD_LOG2 as u8);
        let args = [handler, code, registers, memory, calls, code];
        let result = b.call_as(signature, &args, Type::I64, TailHint::None);
        b.ret(result);
    });
}
