//! Tools of the system that tests and developer commands use, and what happens where one is missing.
//!
//! One rule: where the environment says `CI` (set, and neither empty nor `0` nor `false`) a missing tool is a
//! failure; anywhere else it is a line `skipped: …` on the error output, which a person sees although libtest
//! hides what tests print, because it is written to the stream itself. Each line appears once per process.
//!
//! The file is shared: every package's tests include it through a link in `tests/common`, which `cargo package`
//! replaces by the file.
#![allow(dead_code, reason = "each program uses a part")]

use std::io::Write;
use std::sync::Mutex;

/// Whether a missing tool is a failure.
fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !["", "0", "false"].contains(&&*value))
}

/// Prints a line about something that is left out, once.
pub fn note(line: &str) {
    static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let Ok(mut said) = SAID.lock() else { return };
    if !said.iter().any(|old| old == line) {
        said.push(line.to_owned());
        // In one write, so that lines of several programs do not mix; the print macros would be captured.
        let _ = std::io::stderr().write_all(format!("skipped: {line}\n").as_bytes());
    }
}

/// Says that something is left out for want of a tool, or fails.
#[track_caller]
pub fn skip(what: &str, why: &str) {
    assert!(!in_ci(), "{what}: {why}");
    note(&format!("{what}: {why}"));
}

/// Whether a tool is installed.
pub fn is_installed(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(tool).is_file())
}

/// Whether these tools are installed; says so if not.
#[track_caller]
pub fn has(what: &str, tools: &[&str]) -> bool {
    let missing = tools.iter().find(|tool| !is_installed(tool));
    if let Some(tool) = missing {
        skip(what, &format!("no {tool} on this machine"));
    }
    missing.is_none()
}
