//! `cargo xtask cc` takes the command lines of a compiler: here llc stands in for ice.

use crate::common;

use common::{has_all, has_tools};
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

/// The line of the README, in another folder than Ice's.
#[test]
fn a_project_is_built_by_make() {
    if !has_tools("the compiler") || !has_all("a project", &["make"]) {
        return;
    }
    let directory = std::env::temp_dir().join(format!("ice-make-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).expect("a file");
    write("Makefile", "CFLAGS = -O1\nprogram: main.o part.o\n\t$(CC) -o $@ $^ -lm\nmain.o part.o: part.h\n");
    write("part.h", "int part(int);\n");
    write("part.c", "#include \"part.h\"\nint part(int a) { return a * 6; }\n");
    write(
        "main.c",
        "#include <stdio.h>\n#include \"part.h\"\nint main(void) { printf(\"%d\\n\", part(7)); }\n",
    );
    let script =
        Command::new(env!("CARGO_BIN_EXE_xtask")).args(["cc", "--translator", "llc-19", "--script"]).output();
    let script = script.expect("xtask starts");
    assert!(script.status.success(), "{}", String::from_utf8_lossy(&script.stderr));
    let path = String::from_utf8(script.stdout).expect("a path");
    let make = Command::new("make")
        .args(["-j2", &format!("CC={}", path.trim_end())])
        .current_dir(&directory)
        .stdin(Stdio::null())
        .output()
        .expect("make starts");
    assert!(make.status.success(), "{}", String::from_utf8_lossy(&make.stderr));
    let output = Command::new(directory.join("program")).output().expect("the program starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "42\n");
    std::fs::remove_dir_all(directory).expect("the directory is ours");
}
