//! A register byte code: operations over registers of 64 bits, and memory of words of 64 bits.
//!
//! A program is functions one behind another; each ends in [`Op::Return`], the first one in [`Op::Halt`]. A function has a
//! window of registers: register 0 is its argument and its result. A call moves the window up by a number of registers.

/// An operation. Operands are called a, b and c; `r[a]` is the register of the number a.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// r[a] = b.
    Const,
    /// r[a] = r[b].
    Move,
    /// r[a] = r[b] + r[c].
    Add,
    /// r[a] = r[b] - r[c].
    Sub,
    /// r[a] = r[b] × r[c].
    Mul,
    /// r[a] = r[b] & r[c].
    And,
    /// r[a] = r[b] >> c, without a sign.
    Shift,
    /// r[a] = r[b] + c.
    AddConst,
    /// r[a] = memory[r[b]].
    Load,
    /// memory[r[a]] = r[b].
    Store,
    /// Goes to operation c.
    Jump,
    /// Goes to operation c if r[a] < r[b].
    JumpIfLess,
    /// Goes to operation c if r[a] is 0.
    JumpIfZero,
    /// Calls the function that begins at operation c, with the window at register a.
    Call,
    /// Returns to the caller.
    Return,
    /// Ends the program; r[0] is its result.
    Halt,
}

impl Op {
    /// Every operation, in the order of the numbers.
    pub const ALL: [Op; 16] = [
        Op::Const,
        Op::Move,
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::And,
        Op::Shift,
        Op::AddConst,
        Op::Load,
        Op::Store,
        Op::Jump,
        Op::JumpIfLess,
        Op::JumpIfZero,
        Op::Call,
        Op::Return,
        Op::Halt,
    ];
}

/// An operation with its operands.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    pub op: Op,
    pub operands: [i64; 3],
}

/// Registers of all windows together.
pub const REGISTERS: usize = 1 << 12;
/// Words of memory.
pub const MEMORY: usize = 1 << 14;
/// Words of the stack of calls, two for each.
pub const CALLS: usize = 1 << 10;

/// Operations with their operands, of rows.
pub const fn make<const N: usize>(rows: [(Op, i64, i64, i64); N]) -> [Instruction; N] {
    let mut out = [Instruction { op: Op::Halt, operands: [0; 3] }; N];
    let mut n = 0;
    while n < N {
        out[n] = Instruction { op: rows[n].0, operands: [rows[n].1, rows[n].2, rows[n].3] };
        n += 1;
    }
    out
}
