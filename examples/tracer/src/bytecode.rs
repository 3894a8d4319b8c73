//! The byte code: functions over registers.
//!
//! A register is a slot of the value stack, counted from the base of its function's frame; parameters come first. A
//! function that is called finds its own closure right below its base, where the caller has put it, and leaves its result
//! there.

use crate::ast::{Binary, Builtin, Compare};
use crate::error::Line;
use crate::value::Value;

/// A register of the present function.
pub type Reg = u8;

/// Registers that a function may have.
pub const MOST_REGISTERS: usize = 250;

/// A register, or a constant of the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source(u16);

/// What a [`Source`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// A register.
    Register(Reg),
    /// Number of a constant.
    Constant(usize),
}

impl Source {
    /// A register.
    pub const fn register(register: Reg) -> Source {
        Source(register as u16)
    }

    /// A constant by its number, below 65,000.
    pub const fn constant(number: u16) -> Source {
        Source(number + 256)
    }

    /// Whether it is a constant.
    pub const fn is_constant(self) -> bool {
        self.0 >= 256
    }

    /// Takes it apart.
    #[inline(always)]
    pub const fn which(self) -> Which {
        match self.0 {
            register @ 0..256 => Which::Register(register as Reg),
            constant => Which::Constant(constant as usize - 256),
        }
    }
}

/// An instruction; `a` is where the result goes.
#[allow(missing_docs, reason = "the line of each instruction says what its fields are")]
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Op {
    /// `a = b`.
    Move { a: Reg, b: Source },
    /// `a = global`.
    GetGlobal { a: Reg, global: u16 },
    /// `global = b`.
    SetGlobal { b: Source, global: u16 },
    /// `a` = a new cell with the value of `b`.
    NewCell { a: Reg, b: Reg },
    /// `a` = what is in the cell `b`.
    GetCell { a: Reg, b: Reg },
    /// What is in the cell `a` = `b`.
    SetCell { a: Reg, b: Source },
    /// `a` = a captured cell of the present closure.
    GetCaptured { a: Reg, index: u8 },
    /// `a = b op c`.
    Binary { op: Binary, a: Reg, b: Reg, c: Source },
    /// `a = b op c`, true or false.
    Compare { op: Compare, a: Reg, b: Reg, c: Source },
    /// `a = -b`.
    Negate { a: Reg, b: Reg },
    /// `a = not b`.
    Not { a: Reg, b: Reg },
    /// Goes to `to` unless `b op c`.
    Unless { op: Compare, b: Reg, c: Source, to: u16 },
    /// Goes to `to` if `b` is true.
    JumpIf { b: Reg, to: u16 },
    /// Goes to `to` if `b` is false.
    JumpUnless { b: Reg, to: u16 },
    /// Goes to `to`.
    Jump { to: u16 },
    /// The head of the loop that ends before `end`.
    Loop { number: u16, end: u16 },
    /// `a` = an array of the `count` registers from `from`.
    NewArray { a: Reg, from: Reg, count: u8 },
    /// `a = b[c]`.
    Index { a: Reg, b: Reg, c: Source },
    /// `a[b] = c`.
    SetIndex { a: Reg, b: Source, c: Source },
    /// `a` = a closure of a function, with the cells that [`Function::captures`] says.
    Closure { a: Reg, function: u16 },
    /// Calls `a` with the `count` registers behind it; the result goes to `a`.
    Call { a: Reg, count: u8 },
    /// `a` = what the builtin makes of the registers from `a`.
    Builtin { builtin: Builtin, a: Reg },
    /// Ends the function with a result.
    Return { b: Source },
}

/// Where a closure finds a cell when it is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Capture {
    /// In a register of the function that makes it.
    Register(Reg),
    /// Among the captured cells of that function's closure.
    Captured(u8),
}

/// A function.
#[derive(Debug, Default)]
pub struct Function {
    /// For messages.
    pub name: String,
    /// Its instructions; the last one returns.
    pub code: Vec<Op>,
    /// The line of each.
    pub lines: Vec<Line>,
    /// Its constants.
    pub constants: Vec<Value>,
    /// Number of parameters.
    pub params: u8,
    /// Number of registers.
    pub registers: u16,
    /// The cells that its closures take with them.
    pub captures: Vec<Capture>,
}

/// A program in byte code. The first function is the program itself.
#[derive(Debug, Default)]
pub struct Code {
    /// All functions.
    pub functions: Vec<Function>,
    /// Number of globals.
    pub globals: usize,
    /// Number of loops.
    pub loops: usize,
}

/// Where control goes behind an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Successors {
    /// Whether the next instruction is one.
    pub next: bool,
    /// Another one.
    pub jump: Option<u16>,
}

impl Op {
    /// Where control may go.
    pub fn successors(&self) -> Successors {
        match *self {
            Op::Jump { to } => Successors { next: false, jump: Some(to) },
            Op::Unless { to, .. } | Op::JumpIf { to, .. } | Op::JumpUnless { to, .. } => {
                Successors { next: true, jump: Some(to) }
            }
            Op::Return { .. } => Successors { next: false, jump: None },
            _ => Successors { next: true, jump: None },
        }
    }

    /// Makes a jump go to `target`.
    pub fn set_target(&mut self, target: u16) {
        match self {
            Op::Jump { to } | Op::Unless { to, .. } | Op::JumpIf { to, .. } | Op::JumpUnless { to, .. } => {
                *to = target;
            }
            Op::Loop { end, .. } => *end = target,
            _ => {}
        }
    }

    /// The register that gets a result.
    pub fn result(&self) -> Option<Reg> {
        match *self {
            Op::Move { a, .. }
            | Op::GetGlobal { a, .. }
            | Op::NewCell { a, .. }
            | Op::GetCell { a, .. }
            | Op::GetCaptured { a, .. }
            | Op::Binary { a, .. }
            | Op::Compare { a, .. }
            | Op::Negate { a, .. }
            | Op::Not { a, .. }
            | Op::NewArray { a, .. }
            | Op::Index { a, .. }
            | Op::Closure { a, .. }
            | Op::Call { a, .. }
            | Op::Builtin { a, .. } => Some(a),
            _ => None,
        }
    }

    /// Names the registers that it reads, but for the cells that a closure takes.
    pub fn reads(&self, mut visit: impl FnMut(Reg)) {
        let mut source = |source: Source| {
            if let Which::Register(register) = source.which() {
                visit(register);
            }
        };
        match *self {
            Op::Move { b, .. } | Op::SetGlobal { b, .. } | Op::Return { b } => source(b),
            Op::NewCell { b, .. }
            | Op::GetCell { b, .. }
            | Op::Negate { b, .. }
            | Op::Not { b, .. }
            | Op::JumpIf { b, .. }
            | Op::JumpUnless { b, .. } => visit(b),
            Op::SetCell { a, b } => {
                source(b);
                visit(a);
            }
            Op::Binary { b, c, .. }
            | Op::Compare { b, c, .. }
            | Op::Unless { b, c, .. }
            | Op::Index { b, c, .. } => {
                source(c);
                visit(b);
            }
            Op::SetIndex { a, b, c } => {
                source(b);
                source(c);
                visit(a);
            }
            Op::NewArray { from, count, .. } => (from..from + count).for_each(visit),
            Op::Call { a, count } => (a..=a + count).for_each(visit),
            Op::Builtin { builtin, a } => (a..a + builtin.arguments()).for_each(visit),
            Op::GetGlobal { .. }
            | Op::GetCaptured { .. }
            | Op::Jump { .. }
            | Op::Loop { .. }
            | Op::Closure { .. } => {}
        }
    }
}

impl Builtin {
    /// Number of arguments.
    pub fn arguments(self) -> u8 {
        Builtin::ALL[self as usize].2 as u8
    }
}
