//! The tests of the allocator and its checker, one program that is linked once. Those that count
//! allocations are programs of their own.

mod common;

mod checker;
mod checker_reference;
mod linear;
mod live_places;
mod minimal;
mod random;
mod regions;
