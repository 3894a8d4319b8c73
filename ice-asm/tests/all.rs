//! The tests of the encoders and the code buffer, one program that is linked once. Those that count
//! allocations are programs of their own.

mod common;

mod arm32;
mod buffer;
mod forms;
mod x86;
