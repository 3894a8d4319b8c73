//! The tools that the tests need, and translators with faults.

pub mod planted;
pub mod tools;

pub use tools::has as has_all;

const TOOLS: [&str; 5] = ["clang-19", "llc-19", "llvm-dis-19", "llvm-extract-19", "i686-linux-gnu-gcc"];

/// Whether the tools are there; says so if not.
pub fn has_tools(what: &str) -> bool {
    tools::has(what, &TOOLS)
}
