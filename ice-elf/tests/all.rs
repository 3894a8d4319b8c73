//! The tests of the object writer, one program that is linked once. Those that count
//! allocations are programs of their own.

mod common;
mod debug_information;

mod errors;
mod link_run;
mod read_back;
