//! The tools that the tests need.

use std::process::Command;

const TOOLS: [&str; 5] = ["clang-19", "llc-19", "llvm-dis-19", "llvm-extract-19", "i686-linux-gnu-gcc"];

/// Whether the tools are there; says so if not.
pub fn has_tools(what: &str) -> bool {
    has_all(what, &TOOLS)
}

/// Whether these tools are there; says so if not.
pub fn has_all(what: &str, tools: &[&str]) -> bool {
    let missing = tools.iter().find(|tool| Command::new(tool).arg("--version").output().is_err());
    if let Some(tool) = missing {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "{tool} is missing");
        println!("skipped: {what}: no {tool} on this machine");
    }
    missing.is_none()
}
