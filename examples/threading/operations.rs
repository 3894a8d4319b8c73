//! What each operation does, said once for all ways to get from one to the next.
//!
//! Operands are values of the IR: loads from the byte code, or constants. With constants the builder's filter folds the
//! arithmetic of addresses, so that a register is an operand of memory.

use crate::bytecode::Op;
use ice_ir::{BinaryOp, FunctionBuilder, IntCond, Type, Value};

/// log2 of the bytes of a word.
pub const WORD_LOG2: i64 = 3;

/// Where the program's state is.
#[derive(Clone, Copy)]
pub struct State {
    /// Address of register 0 of the window.
    pub registers: Value,
    /// Address of the memory.
    pub memory: Value,
}

/// Where the program goes on.
pub enum Next {
    /// At the operation behind this one.
    Following,
    /// There if a condition does not hold, else at operation c.
    Branch(Value),
    /// As the operation says by itself: jumps, calls, returns.
    Control,
}

/// The address of a word.
pub fn word(b: &mut FunctionBuilder<'_>, start: Value, number: Value) -> Value {
    let log2 = b.int_const(Type::I64, WORD_LOG2);
    let offset = b.binary(BinaryOp::Shl, number, log2);
    b.binary(BinaryOp::Add, start, offset)
}

/// Does what `op` does to registers and memory.
pub fn operate(
    b: &mut FunctionBuilder<'_>,
    op: Op,
    state: State,
    [first, second, third]: [Value; 3],
) -> Next {
    let read = |b: &mut FunctionBuilder<'_>, number| {
        let address = word(b, state.registers, number);
        b.load(Type::I64, address, WORD_LOG2 as u8)
    };
    let result = match op {
        Op::Const => second,
        Op::Move => read(b, second),
        Op::Add | Op::Sub | Op::Mul | Op::And => {
            let operation = match op {
                Op::Add => BinaryOp::Add,
                Op::Sub => BinaryOp::Sub,
                Op::Mul => BinaryOp::Mul,
                _ => BinaryOp::And,
            };
            let (lhs, rhs) = (read(b, second), read(b, third));
            b.binary(operation, lhs, rhs)
        }
        Op::Shift | Op::AddConst => {
            let operation = if op == Op::Shift { BinaryOp::Lshr } else { BinaryOp::Add };
            let lhs = read(b, second);
            b.binary(operation, lhs, third)
        }
        Op::Load => {
            let number = read(b, second);
            let address = word(b, state.memory, number);
            b.load(Type::I64, address, WORD_LOG2 as u8)
        }
        Op::Store => {
            let (number, value) = (read(b, first), read(b, second));
            let address = word(b, state.memory, number);
            b.store(address, value, WORD_LOG2 as u8);
            return Next::Following;
        }
        Op::JumpIfLess => {
            let (lhs, rhs) = (read(b, first), read(b, second));
            return Next::Branch(b.icmp(IntCond::Slt, lhs, rhs));
        }
        Op::JumpIfZero => {
            let (value, zero) = (read(b, first), b.int_const(Type::I64, 0));
            return Next::Branch(b.icmp(IntCond::Eq, value, zero));
        }
        Op::Jump | Op::Call | Op::Return | Op::Halt => return Next::Control,
    };
    let address = word(b, state.registers, first);
    b.store(address, result, WORD_LOG2 as u8);
    Next::Following
}
