//! The programs of the folder `programs`.

use crate::agree;
use std::path::Path;

/// A number in which they differ is made smaller for the test: counts of turns.
const SMALLER: [(&str, &str, &str); 13] = [
    ("bounce", "round = 0, 400", "round = 0, 5"),
    ("closures", "i = 0, 500000", "i = 0, 5000"),
    ("collatz", "start = 1, 100000", "start = 1, 3000"),
    ("crc32", "i = 0, 1000", "i = 0, 60"),
    ("fannkuch", "fannkuch(9)", "fannkuch(6)"),
    ("heapsort", "i = 0, 100000", "i = 0, 3000"),
    ("levenshtein", "i = 0, 600", "i = 0, 90"),
    ("mandelbrot", "size = 300", "size = 60"),
    ("matrix", "n = 120", "n = 45"),
    ("nbody", "step = 0, 40000", "step = 0, 500"),
    ("queens", "round = 0, 300", "round = 0, 3"),
    ("sieve", "round = 0, 200", "round = 0, 10"),
    ("spectralnorm", "n = 200", "n = 60"),
];

#[test]
fn programs_print_the_same_with_machine_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of the programs") {
        let path = entry.expect("a file").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let mut source = std::fs::read_to_string(&path).expect("a program");
        if let Some((_, text, smaller)) = SMALLER.iter().find(|(program, ..)| *program == name) {
            assert!(source.contains(text), "{name} has no {text:?}");
            source = source.replace(text, smaller);
        }
        let (output, error, stats) = agree(&source);
        assert_eq!(error, None, "{name}");
        assert!(!output.is_empty() && stats.trees > 0 && stats.entries > 0, "{name}: {stats:?}");
        count += 1;
    }
    assert!(count > SMALLER.len());
}
