//! The tests of the readers and writers, one program that is linked once. Those that count
//! allocations are programs of their own.

mod common;

mod container;
mod errors;
mod figures;
mod freeze;
mod llvm;
mod llvm_bodies;
mod round_trip;
