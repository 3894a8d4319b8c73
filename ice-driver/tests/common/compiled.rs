//! Programs in C that a compiler makes and the host runs.

use super::{Scratch, errors};
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
        _ => (&["--target=x86_64-linux-gnu"], "gcc"),
    };
    let succeeds = |output: &Output| assert!(output.status.success(), "{target} {level}: {}", errors(output));
    succeeds(
        &compiler.args(flags).args([level, "-w", "-c", "-o"]).arg(&object).arg(source).output().unwrap(),
    );
    succeeds(&Command::new(linker).arg("-o").arg(&program).arg(&object).output().unwrap());
    let output = Command::new(program).output().unwrap();
    succeeds(&output);
    output.stdout
}
