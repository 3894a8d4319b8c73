//! The programs: loops, arithmetic, memory, calls.

use crate::bytecode::Op::*;
use crate::bytecode::{Instruction, make};

/// Sums products in three loops, one in another: r[0] rounds of each.
const NESTED: [Instruction; 16] = make([
    (Const, 4, 0, 0),
    (Const, 1, 0, 0),
    (Const, 2, 0, 0),
    (Const, 3, 0, 0),
    (Mul, 5, 1, 2),
    (Add, 5, 5, 3),
    (Sub, 5, 5, 1),
    (Add, 4, 4, 5),
    (AddConst, 3, 3, 1),
    (JumpIfLess, 3, 0, 4),
    (AddConst, 2, 2, 1),
    (JumpIfLess, 2, 0, 3),
    (AddConst, 1, 1, 1),
    (JumpIfLess, 1, 0, 2),
    (Move, 0, 4, 0),
    (Halt, 0, 0, 0),
]);

/// Counts the primes below r[0]: r[1] is a number, r[2] its multiples, r[4] how many are prime.
const SIEVE: [Instruction; 22] = make([
    (Const, 1, 0, 0),
    (Const, 5, 1, 0),
    (Store, 1, 5, 0),
    (AddConst, 1, 1, 1),
    (JumpIfLess, 1, 0, 2),
    (Const, 4, 0, 0),
    (Const, 6, 0, 0),
    (Const, 1, 2, 0),
    (Jump, 0, 0, 15),
    (Load, 3, 1, 0),
    (JumpIfZero, 3, 0, 14),
    (AddConst, 4, 4, 1),
    (Add, 2, 1, 1),
    (JumpIfLess, 2, 0, 17),
    (AddConst, 1, 1, 1),
    (JumpIfLess, 1, 0, 9),
    (Jump, 0, 0, 20),
    (Store, 2, 6, 0),
    (Add, 2, 2, 1),
    (Jump, 0, 0, 13),
    (Move, 0, 4, 0),
    (Halt, 0, 0, 0),
]);

/// Calls itself for the two numbers before r[0].
const FIBONACCI: [Instruction; 10] = make([
    (Call, 0, 0, 2),
    (Halt, 0, 0, 0),
    (Const, 1, 2, 0),
    (JumpIfLess, 0, 1, 9),
    (AddConst, 4, 0, -1),
    (Call, 4, 0, 2),
    (AddConst, 8, 0, -2),
    (Call, 8, 0, 2),
    (Add, 0, 4, 8),
    (Return, 0, 0, 0),
]);

/// The steps of all numbers below r[0] down to 1: half of an even number, three times an odd one and one more.
const COLLATZ: [Instruction; 18] = make([
    (Const, 1, 0, 0),
    (Const, 2, 1, 0),
    (Const, 3, 1, 0),
    (Const, 6, 3, 0),
    (Move, 4, 2, 0),
    (Jump, 0, 0, 13),
    (And, 5, 4, 3),
    (JumpIfZero, 5, 0, 11),
    (Mul, 4, 4, 6),
    (AddConst, 4, 4, 1),
    (Jump, 0, 0, 12),
    (Shift, 4, 4, 1),
    (AddConst, 1, 1, 1),
    (JumpIfLess, 3, 4, 6),
    (AddConst, 2, 2, 1),
    (JumpIfLess, 2, 0, 4),
    (Move, 0, 1, 0),
    (Halt, 0, 0, 0),
]);

/// A program, a small number for it and what it gives for that.
pub struct Sample {
    pub name: &'static str,
    pub code: &'static [Instruction],
    pub argument: i64,
    pub result: i64,
}

/// The programs.
pub const SAMPLES: [Sample; 4] = [
    Sample { name: "nested", code: &NESTED, argument: 10, result: 20_250 },
    Sample { name: "sieve", code: &SIEVE, argument: 100, result: 25 },
    Sample { name: "fibonacci", code: &FIBONACCI, argument: 10, result: 55 },
    Sample { name: "collatz", code: &COLLATZ, argument: 10, result: 61 },
];
