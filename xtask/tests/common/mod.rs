//! Translators with a planted fault.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const TOOLS: [&str; 5] = ["clang-19", "llc-19", "llvm-dis-19", "llvm-extract-19", "i686-linux-gnu-gcc"];

/// Whether the tools are there; says so if not.
pub fn has_tools(what: &str) -> bool {
    let missing = TOOLS.iter().find(|tool| Command::new(tool).arg("--version").output().is_err());
    if let Some(tool) = missing {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "{tool} is missing");
        println!("skipped: {what}: no {tool} on this machine");
    }
    missing.is_none()
}

/// A translator with the command line of `ice translate` that edits the module and lets llc translate it.
pub fn planted(name: &str, edit: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let script = format!(
        "#!/bin/sh\n# translate RECIPE --target TARGET -o OBJECT BITCODE\n\
         llvm-dis-19 -o - \"$7\" | sed -E '{edit}' | \
         llc-19 -O1 --relocation-model=static --filetype=obj -o \"$6\"\n"
    );
    std::fs::write(&path, script).expect("a script");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("a program");
    path
}
