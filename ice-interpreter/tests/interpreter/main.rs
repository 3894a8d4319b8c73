//! The reference interpreter against arithmetic written down a second time, and against hand-built programs.

mod control;
mod fixture;
mod memory;
mod programs;
mod values;
