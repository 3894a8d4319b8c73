//! I-MACHINE: everything that the driver knows of a machine stands in `src/machine`; no other file names one.

use std::path::{Path, PathBuf};

/// What only the files of machines say: in types and constants, in crates, in names for users.
const NAMES: &[&str] = &[
    "X86",
    "x86",
    "i386",
    "i686",
    "R_386",
    "Arm",
    "arm32",
    "armv7",
    "ARM",
    "Aarch64",
    "aarch64",
    "AARCH64",
    "Mips",
    "mips",
    "MIPS",
    "qemu",
    "ice_target_",
];

/// Rust files below a directory but for those of machines and those of tests alone.
fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("machine") {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// The lines of a source that are no comments, up to its tests.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//"))
}

#[test]
fn no_other_file_names_a_machine() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 20, "{files:?}");
    let mut found = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        for line in code(&text) {
            if NAMES.iter().any(|name| line.contains(name)) {
                found.push(format!("{}: {line}", file.strip_prefix(&root).unwrap().display()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
