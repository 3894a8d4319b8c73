//! The driver: recipes, threads, files, and the `ice` command. Under construction: the modules that only
//! need what exists are in; the others join when the back end does.
#![deny(unsafe_code)]

pub mod arch;
pub mod files;
pub mod names;
pub mod parallel;
