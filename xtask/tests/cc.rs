//! `cargo xtask cc` takes the command lines of a compiler: here llc stands in for ice.

mod common;

use common::has_tools;
use std::path::Path;
use std::process::{Command, Stdio};

fn cc(directory: &Path, arguments: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["cc", "--translator", "llc-19", "--"])
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .expect("xtask starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn objects_and_programs_are_made() {
    if !has_tools("the compiler") {
        return;
    }
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cc");
    std::fs::create_dir_all(&directory).expect("a directory");
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).expect("a file");
    write("part.c", "#include <math.h>\ndouble part(double a) { return floor(a) + X; }\n");
    write(
        "main.c",
        "#include <stdio.h>\ndouble part(double);\nint main(void) { printf(\"%g\\n\", part(2.5)); }\n",
    );
    cc(&directory, &["-O2", "-DX=40", "-c", "part.c", "-o", "object.o"]);
    cc(&directory, &["-O1", "main.c", "object.o", "-lm", "-o", "program"]);
    assert!(!directory.join("main.o").exists() && !directory.join("object.ice.bc").exists());
    let output = Command::new(directory.join("program")).output().expect("the program starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "42\n");
}
