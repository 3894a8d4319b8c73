//! The samples: what is stored is what `ice freeze` makes of the C sources, and it does what its README says.

use crate::common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const SAMPLES: [&str; 4] = ["hello", "mandelbrot", "primes", "sort"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}

/// Runs `ice` through cargo, as the README does.
fn ice(arguments: &[&str]) -> Output {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    Command::new(cargo)
        .args(["run", "--quiet", "--package", "ice-driver", "--bin", "ice", "--"])
        .args(arguments)
        .current_dir(root())
        .stdin(Stdio::null())
        .output()
        .expect("cargo starts")
}

fn expect_output(arguments: &[&str]) -> String {
    let output = ice(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {}\n{errors}", output.status);
    String::from_utf8(output.stdout).expect("text")
}

/// What the C sources are compiled with: like a PNaCl program, for 32 bits and without a library.
const CLANG_FLAGS: [&str; 9] = [
    "--target=i686-linux-gnu",
    "-march=pentium4",
    "-mfpmath=sse",
    "-ffp-contract=off",
    "-ffreestanding",
    "-fno-builtin",
    "-Os",
    "-emit-llvm",
    "-c",
];

#[test]
fn stored_samples_are_what_clang_and_freeze_make_of_the_sources() {
    if !common::tools::has("samples from C", &["clang-19"]) {
        return;
    }
    let directory = std::env::temp_dir().join(format!("ice-samples-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory for bitcode");
    for name in SAMPLES {
        let bitcode = directory.join(format!("{name}.bc"));
        let clang = Command::new("clang-19")
            .args(CLANG_FLAGS)
            .arg(format!("samples/{name}.c"))
            .arg("-o")
            .arg(&bitcode)
            .current_dir(root())
            .status();
        let status = clang.expect("clang starts");
        assert!(status.success(), "clang-19 {name}.c: {status}");
        let output = ice(&["freeze", bitcode.to_str().expect("a plain path"), "-o", "-"]);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let stored = std::fs::read(root().join(format!("samples/{name}.pexe"))).expect("a stored sample");
        assert!(output.stdout == stored, "samples/{name}.pexe is not what `ice freeze` makes of {name}.c");
    }
    std::fs::remove_dir_all(directory).expect("the directory is ours");
}

#[test]
fn no_sample_is_forgotten() {
    let entries = std::fs::read_dir(root().join("samples")).expect("samples");
    let mut names: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    let mut names: Vec<_> = names.iter().map(|path| path.file_stem().expect("a name").to_owned()).collect();
    names.sort();
    assert_eq!(names, SAMPLES);
}

/// Computed another way than the samples do.
fn expected(name: &str) -> String {
    match name {
        "primes" => {
            let is_prime = |n: &u32| (2..*n).all(|d| !n.is_multiple_of(d));
            (2..50).filter(is_prime).map(|n| format!("{n}\n")).collect()
        }
        "sort" => {
            let next = |x: &i64| {
                Some(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
            };
            let mut numbers: Vec<i64> = std::iter::successors(next(&2021), next).take(1000).collect();
            numbers.sort_unstable();
            let sum =
                (1i64..).zip(numbers).fold(0i64, |sum, (place, n)| sum.wrapping_add(place.wrapping_mul(n)));
            format!("{}\n", sum as u64)
        }
        "mandelbrot" => {
            let shades = b" .,:;-=+*%@";
            let shade = |row: i32, column: i32| {
                let (cx, cy) = (f64::from(column) * 0.05 + -2.25, f64::from(row) * 0.1 + -1.2);
                let (mut x, mut y, mut count) = (0.0, 0.0, 0);
                while count < 40 && x * x + y * y <= 4.0 {
                    (x, y) = (x * x - y * y + cx, x * y + x * y + cy);
                    count += 1;
                }
                char::from(shades[count / 4])
            };
            (0..25).map(|row| (0..60).map(|column| shade(row, column)).collect::<String>() + "\n").collect()
        }
        _ => "Hello from a .pexe.\n".to_owned(),
    }
}

fn arguments_of(name: &str) -> &'static [&'static str] {
    if name == "primes" { &["50"] } else { &[] }
}

#[test]
fn samples_are_interpreted() {
    for name in SAMPLES {
        let file = format!("samples/{name}.pexe");
        let arguments = [&["interpret", &file], arguments_of(name)].concat();
        assert_eq!(expect_output(&arguments), expected(name), "{name}");
    }
    let output = ice(&["interpret", "samples/primes.pexe", "7x"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("usage: primes [N]"));
}

/// On the host, and in 32 bits where a compiler for them is installed.
#[test]
fn samples_run() {
    for target in ["x86_64", "i686"] {
        let compiler = if target == "i686" { "i686-linux-gnu-gcc" } else { "cc" };
        let what = format!("samples on {target}");
        if !cfg!(target_arch = "x86_64") {
            common::tools::note(&format!("{what}: the host is no x86-64"));
            continue;
        }
        if !common::tools::has(&what, &[compiler]) {
            continue;
        }
        for name in SAMPLES {
            let file = format!("samples/{name}.pexe");
            let arguments = [&["run", "--target", target, "-Om1", &file], arguments_of(name)].concat();
            assert_eq!(expect_output(&arguments), expected(name), "{name} on {target}");
        }
    }
}
