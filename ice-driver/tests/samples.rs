//! The sample programs do the same in the interpreter and on every target.

use crate::common;

use common::{ALL_TARGETS, can_run, expect_success, ice};
use std::path::Path;

/// Each sample with arguments and the first line that it prints.
const SAMPLES: [(&str, &[&str], &str); 4] = [
    ("hello", &[], "Hello"),
    ("primes", &["30"], "2"),
    ("mandelbrot", &[], ""),
    ("sort", &[], "14887100988790733788"),
];

#[test]
fn samples_do_the_same_everywhere() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    for (name, arguments, start) in SAMPLES {
        for extension in ["pexe", "ice"] {
            let file = format!("{name}.{extension}");
            let run = |command: &[&str]| {
                let output =
                    ice().args(command).arg(&file).args(arguments).current_dir(&samples).output().unwrap();
                expect_success(&output, &format!("{command:?} {file}"));
                String::from_utf8(output.stdout).unwrap()
            };
            let expected = run(&["interpret"]);
            assert!(expected.starts_with(start) && !expected.is_empty(), "{file}: {expected}");
            for target in ALL_TARGETS {
                if can_run(target) {
                    assert_eq!(run(&["run", "--target", target]), expected, "{file} on {target}");
                }
            }
        }
    }
}
