//! The same programs on AArch64 under an emulator. The library of C++ for it is rarely installed, so that cleanups of C, which need
//! the unwinder alone, are there for machines without it.

use super::*;

const LIBRARIES: &str = "/usr/aarch64-linux-gnu";
const EMULATOR: [&str; 3] = ["qemu-aarch64", "-L", LIBRARIES];
const LINKER: &str = "aarch64-linux-gnu-gcc";
const MACHINE: [&str; 1] = ["--target=aarch64-linux-gnu"];

/// How programs are translated and linked: position-independent, and at fixed addresses.
const KINDS: [(&[&str], &[&str]); 2] = [
    (&["--function-sections"], &["-pie", "-Wl,--gc-sections"]),
    (&["--relocation-model", "static"], &["-no-pie"]),
];

fn link(flags: &'static [&'static str], library: Option<String>) -> impl Fn(&Path, &Path) {
    move |object, program| {
        let mut command = Command::new(LINKER);
        command.args(flags).args(["-pthread", "-lm", "-lgcc_s"]).arg(object).arg("-o").arg(program);
        let output = run(command.args(&library));
        expect_success(&output, LINKER);
        assert_eq!(common::errors(&output), "", "{}", object.display());
    }
}

#[test]
fn cleanups_of_c_are_those_of_clang() {
    if !["clang-19", LINKER, EMULATOR[0]].iter().all(|tool| common::has_tool(tool)) {
        return common::skip("cleanups of C on AArch64", "no compiler or emulator for it on this machine");
    }
    for level in ["-O0", "-O2"] {
        for (arguments, kind) in KINDS {
            let flags = [&MACHINE[..], &["-fexceptions", level]].concat();
            check_under(&EMULATOR, ("clang-19", &CLEANUPS), &flags, arguments, &link(kind, None));
        }
    }
}

#[test]
fn programs_of_cpp_catch_as_those_of_clang() {
    let library = format!("{LIBRARIES}/lib/libstdc++.so.6");
    let tools = ["clang++-19", LINKER, EMULATOR[0]].iter().all(|tool| common::has_tool(tool));
    if !tools || !HEADERS.iter().copied().chain([&*library]).map(Path::new).all(Path::exists) {
        return common::tools::note("exceptions of C++ on AArch64: no library for it on this machine");
    }
    let headers = HEADERS.iter().flat_map(|&header| ["-isystem", header]);
    let usual: Vec<_> = MACHINE.into_iter().chain(headers).collect();
    for (level, (arguments, kind)) in ["-O0", "-O2"].into_iter().zip(KINDS) {
        for program in [&CATCHING, &FRAMES] {
            let flags = [&usual[..], &[level]].concat();
            let link = link(kind, Some(library.clone()));
            check_under(&EMULATOR, ("clang++-19", program), &flags, arguments, &link);
        }
    }
    let linked = link(&[], Some(library));
    check_text("clang++-19", &[&usual[..], &["-O1"]].concat(), &EMULATOR, &linked);
    check_random(3, "clang++-19", &usual, &EMULATOR, &linked);
}
