//! The tests of the example, one program that is linked once.

mod common;

mod engines;
mod machines;
mod random;
mod suites;
mod syntax;
