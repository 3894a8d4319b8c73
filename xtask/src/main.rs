//! Developer commands: `cargo xtask ci|crosstest|bisect|bench|size|fuzz|dist`.
fn main() {}
