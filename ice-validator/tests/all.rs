//! The tests of the verdicts: known cases, attempts to escape, and two comparisons with an independent disassembler.

mod common;
mod enumeration;
mod escapes;
mod mutation;
mod vectors;
