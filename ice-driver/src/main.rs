//! The `ice` command.
fn main() {}
