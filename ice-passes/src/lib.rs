//! Passes from IR to IR.
//!
//! One file a pass, named after it. Not for you if you only want to read or run programs: this crate knows no file
//! format and no machine.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

mod address_sums;
pub mod addresses;
mod back_edges;
pub mod byte_accesses;
mod changed;
pub mod check_types;
mod counter_index;
mod counters;
pub mod dead_cycles;
pub mod equal_ends;
mod exit_edges;
mod gather;
pub mod half_loads;
pub mod hoist;
mod insert;
pub mod known_bits;
pub mod late_frame;
mod loop_counters;
mod masked_merges;
mod merge_counters;
pub mod number_values;
mod preheader;
pub mod protect;
pub mod return_calls;
mod rotations;
mod shared_steps;
pub mod short_circuit;
mod short_regions;
pub mod simplify;
pub mod sink;
mod split;
pub mod strength_reduction;
pub mod switches;
mod three_ways;
mod worth;

pub use addresses::{AddressScratch, fold_addresses};
pub use changed::Changed;
pub use check_types::expand_type_checks;
pub use dead_cycles::{CycleScratch, remove_dead_cycles};
pub use equal_ends::{EndScratch, merge_equal_ends};
pub use hoist::{HoistScratch, hoist_invariants};
pub use late_frame::{LateFrameScratch, delay_frame, may_delay_frame};
pub use number_values::{Forms, Numbering, number_values};
pub use protect::{ProtectScratch, protect_stack};
pub use return_calls::{SomethingReturnsTwice, make_return_calls};
pub use short_circuit::{ShortCircuitScratch, split_conditions};
pub use sink::{SinkScratch, sink};
pub use strength_reduction::{StrengthScratch, reduce_strength};
pub use switches::{SwitchScratch, simplify_switches};
