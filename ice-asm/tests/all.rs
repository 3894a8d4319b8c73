//! The tests of the encoders and the code buffer, one program that is linked once. Those that count
//! allocations are programs of their own.

mod common;

mod aarch64;
mod aarch64_assembler;
mod aarch64_branches;
mod arm32;
mod arm32_assembler;
mod arm32_branches;
mod buffer;
mod forms;
mod graphs;
mod mips32;
mod mips32_assembler;
mod mips32_branches;
mod noise;
mod x86;
mod x86_assembler;
