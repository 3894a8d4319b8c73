//! What a person sees of a missing tool.

use crate::common;
use std::process::{Command, Output};

#[test]
#[ignore = "the other test runs it"]
fn uses_a_missing_tool() {
    for _ in 0..2 {
        assert!(!common::tools::has("this test", &["no-such-tool"]));
    }
}

fn outcome(ci: &str) -> (Output, String) {
    let test = std::env::current_exe().expect("this program");
    let arguments = ["--include-ignored", "uses_a_missing_tool"];
    let output = Command::new(test).args(arguments).env("CI", ci).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, text)
}

#[test]
fn a_missing_tool_is_one_line_or_in_ci_a_failure() {
    for ci in ["", "false", "0"] {
        let (output, text) = outcome(ci);
        assert!(output.status.success());
        assert_eq!(
            text.matches("skipped: this test: no no-such-tool on this machine\n").count(),
            1,
            "{text}"
        );
    }
    for ci in ["true", "1"] {
        assert!(!outcome(ci).0.status.success());
    }
}

/// Files of `tests` are modules of one program a package, which is linked once; cargo does not look for others.
#[test]
fn no_file_with_tests_is_forgotten() {
    let root =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    let mut found = 0;
    for package in
        std::fs::read_dir(root).expect("the workspace").map(|entry| entry.expect("an entry").path())
    {
        let Ok(manifest) = std::fs::read_to_string(package.join("Cargo.toml")) else { continue };
        if !manifest.contains("autotests = false") {
            continue;
        }
        let main = std::fs::read_to_string(package.join("tests/all.rs")).expect("tests/all.rs");
        for entry in std::fs::read_dir(package.join("tests")).expect("tests") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let is_part = main.contains(&format!("mod {name};\n"))
                || manifest.contains(&format!("[[test]]\nname = \"{name}\"\n"));
            assert!(is_part, "{} is part of no test program", path.display());
            found += 1;
        }
    }
    assert!(found > 20);
}
