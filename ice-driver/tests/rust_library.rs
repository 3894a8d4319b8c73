//! Programs with Rust's whole library in one module, as link-time optimisation makes them: for each machine whose library rustc has,
//! nothing is refused, and the program does what it says.

use crate::common::{self, Scratch, expect_success, ice};
use std::path::PathBuf;
use std::process::Command;

/// Threads, a lock that is waited for, maps, text, numbers of 128 bits, sorting, and a panic that is caught.
const PROGRAM: &str = r#"
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, RwLock};
fn main() {
    let sums = Arc::new((Mutex::new(0u64), RwLock::new(Vec::new())));
    let threads: Vec<_> = (0..4u64).map(|n| {
        let sums = Arc::clone(&sums);
        std::thread::spawn(move || for k in 0..200 {
            *sums.0.lock().unwrap() += n * k;
            if k % 50 == 0 { sums.1.write().unwrap().push(n * k) }
        })
    }).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let mut list = sums.1.read().unwrap().clone();
    list.sort_unstable_by(|a, b| b.cmp(a));
    println!("{} {:?}", sums.0.lock().unwrap(), &list[..4]);
    let words: HashMap<&str, usize> = "b a c a b a".split(' ').fold(HashMap::new(), |mut all, word| {
        *all.entry(word).or_default() += 1;
        all
    });
    let ordered: BTreeMap<_, _> = words.iter().map(|(word, &n)| (n, word.to_uppercase())).collect();
    println!("{ordered:?} {:?}", ordered.range(2..).next());
    let wide = (1..=30u128).product::<u128>();
    println!("{} {wide:x} {:.3e} {:>8.2}|", wide / 1_000_000_007, wide as f64, -2.5f32);
    let caught = std::panic::catch_unwind(|| list[std::hint::black_box(99)]);
    println!("{}", caught.is_err());
}
"#;
const PRINTED: &str = "119400 [450, 300, 300, 200]
{1: \"C\", 2: \"B\", 3: \"A\"} Some((2, \"B\"))
265252857955421052948361 d13f6370f96865df5dd54000000 2.653e32    -2.50|
true
";

/// What the compiler itself calls, which stands in a library of its own.
fn builtins(library: &std::path::Path) -> Option<PathBuf> {
    let files = library.read_dir().ok()?.flatten().map(|entry| entry.path());
    files.into_iter().find(|path| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with("libcompiler_builtins-") && name.ends_with(".rlib")
    })
}

fn check(target: &str, triple: &str, linker: &str, emulator: &[&str]) {
    let what = format!("Rust's library on {target}");
    let library = common::rust_library(triple);
    let Some(library) = library else { return common::skip(&what, "no rustc, or no library for it") };
    let scratch = Scratch::new();
    let (source, bitcode) = (scratch.write("program.rs", PROGRAM), scratch.path("program.bc"));
    // The library is joined with the program where that is linked; of that only the bitcode is wanted.
    let emit = format!("--emit=llvm-bc={},link={}", bitcode.display(), scratch.path("linked").display());
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition=2024", "-Copt-level=3", "-Clto=fat", "-Ccodegen-units=1", "-Clinker=true"]);
    // It leaves what comes in between where it is started.
    rustc.current_dir(scratch.path(""));
    expect_success(&rustc.args(["--target", triple, &emit]).arg(&source).output().expect("starts"), "rustc");
    for recipe in ["-O2", "-Om1"] {
        let (object, program) = (scratch.path("program.o"), scratch.path("program"));
        let mut translate = ice();
        translate.args(["translate", recipe, "--target", target]).arg(&bitcode).arg("-o").arg(&object);
        expect_success(&translate.output().expect("starts"), "ice");
        if !common::has_tool(linker) || !emulator.iter().all(|tool| common::has_tool(tool)) {
            common::skip(&what, "no linker or emulator: translated, not run");
            continue;
        }
        let mut link = Command::new(linker);
        link.arg("-static").arg(&object).args(builtins(&library)).args(["-o".as_ref(), program.as_os_str()]);
        expect_success(&link.args(["-lm", "-lpthread", "-ldl"]).output().expect("starts"), linker);
        let output = common::under(emulator, &program).output().expect("starts");
        assert_eq!(String::from_utf8_lossy(&output.stdout), PRINTED, "{target} {recipe}: {output:?}");
    }
}

#[test]
fn programs_with_it_run_on_x86_64() {
    check("x86_64", "x86_64-unknown-linux-gnu", "gcc", &[]);
}

#[test]
fn programs_with_it_run_on_i686() {
    check("i686", "i686-unknown-linux-gnu", "i686-linux-gnu-gcc", &[]);
}

#[test]
fn programs_with_it_run_on_armv7() {
    check("armv7", "armv7-unknown-linux-gnueabihf", "arm-linux-gnueabihf-gcc", &["qemu-arm"]);
}

#[test]
fn programs_with_it_run_on_aarch64() {
    check("aarch64", "aarch64-unknown-linux-gnu", "aarch64-linux-gnu-gcc", &["qemu-aarch64"]);
}
