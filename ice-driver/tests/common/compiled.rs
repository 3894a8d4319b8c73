//! Programs in C that a compiler makes and the host runs.

use super::tools::has;
use super::{Scratch, can_run, errors, ice};
use std::path::Path;
use std::process::{Command, Output};

/// What a program prints that this compiler makes of a source, for a target and at a level.
pub fn printed(mut compiler: Command, target: &str, level: &str, source: &Path) -> Vec<u8> {
    let scratch = Scratch::new();
    let (object, program) = (scratch.path("program.o"), scratch.path("program"));
    let (flags, linker): (&[&str], _) = match target {
        "i686" => {
            (&["--target=i686-linux-gnu", "-march=pentium4", "-msse2", "-mfpmath=sse"], "i686-linux-gnu-gcc")
        }
        "armv7" => (&["--target=armv7-linux-gnueabihf", "-mfpu=neon"], "arm-linux-gnueabihf-gcc"),
        // Its own functions pass floats in core registers; of the library it calls none that has any.
        "armv7-soft" => (
            &["--target=armv7-linux-gnueabi", "-mfpu=neon", "-mfloat-abi=softfp", "-ffreestanding"],
            "arm-linux-gnueabihf-gcc",
        ),
        "mipsel" => (&["--target=mipsel-linux-gnu", "-march=mips32r2"], "mipsel-linux-gnu-gcc"),
        "aarch64" => (&["--target=aarch64-linux-gnu"], "aarch64-linux-gnu-gcc"),
        _ => (&["--target=x86_64-linux-gnu"], "gcc"),
    };
    let succeeds = |output: &Output| assert!(output.status.success(), "{target} {level}: {}", errors(output));
    succeeds(
        &compiler.args(flags).args([level, "-w", "-c", "-o"]).arg(&object).arg(source).output().unwrap(),
    );
    let emulator = match target {
        "armv7" | "armv7-soft" => Some("qemu-arm"),
        "mipsel" => Some("qemu-mipsel"),
        "aarch64" => Some("qemu-aarch64"),
        _ => None,
    };
    let options: &[&str] = if emulator.is_none() { &[] } else { &["-static", "-Wl,--no-warn-mismatch"] };
    let mut linker = Command::new(linker);
    succeeds(&linker.args(options).arg("-o").arg(&program).arg(&object).arg("-lm").output().unwrap());
    let output = match emulator {
        None => Command::new(&program).output(),
        Some(emulator) => Command::new(emulator).arg(&program).output(),
    };
    let output = output.unwrap();
    succeeds(&output);
    output.stdout
}

/// The same of what clang and Ice make of it, with these flags beside.
pub fn printed_by_ice(flags: &[&str], target: &str, level: &str, source: &Path) -> Vec<u8> {
    let mut compiler = ice();
    compiler.args(["cc", "--ice-clang=clang-19"]).args(flags);
    printed(compiler, target, level, source)
}

/// Whether programs are linked for a target here and run; says so if not.
pub fn can_make(target: &str) -> bool {
    can_run(target.trim_end_matches("-soft"))
        && (target != "i686" || has("C programs on i686", &["i686-linux-gnu-gcc"]))
}

/// Compares what a program of `intrinsics/` prints, at least so many bytes, with what it prints that clang made, on these
/// targets and at all levels.
pub fn compare_with_clang(name: &str, shortest: usize, targets: &[&str]) {
    let source = &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/intrinsics").join(name);
    for &target in targets {
        if !can_make(target) {
            continue;
        }
        let expected = printed(Command::new("clang-19"), target, "-O1", source);
        assert!(expected.len() > shortest);
        for level in ["-O0", "-O1", "-O2"] {
            let found = printed_by_ice(&[], target, level, source);
            assert_eq!(
                String::from_utf8_lossy(&found),
                String::from_utf8_lossy(&expected),
                "{} {target} {level}",
                source.display()
            );
        }
    }
}
