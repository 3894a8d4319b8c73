//! The same programs on AArch64 and MIPS under emulators. The libraries of C++ for them are rarely installed, so that cleanups of C,
//! which need the unwinder alone, are there for machines without one.

use super::*;

/// A machine and its tools.
struct Machine {
    name: &'static str,
    libraries: &'static str,
    emulator: &'static str,
    linker: &'static str,
    /// What clang is told of it.
    flags: &'static [&'static str],
    /// The same for programs whose return addresses are signed, if the machine does that.
    signed: Option<&'static str>,
}

const AARCH64: Machine = Machine {
    name: "AArch64",
    libraries: "/usr/aarch64-linux-gnu",
    emulator: "qemu-aarch64",
    linker: "aarch64-linux-gnu-gcc",
    flags: &["--target=aarch64-linux-gnu"],
    signed: Some("-mbranch-protection=pac-ret+leaf+bti"),
};

const MIPS: Machine = Machine {
    name: "MIPS",
    libraries: "/usr/mipsel-linux-gnu",
    emulator: "qemu-mipsel",
    linker: "mipsel-linux-gnu-gcc",
    flags: &["--target=mipsel-linux-gnu", "-march=mips32r2"],
    signed: None,
};

/// How programs are translated and linked: position-independent, and at fixed addresses.
const KINDS: [(&[&str], &[&str]); 2] = [
    (&["--function-sections"], &["-pie", "-Wl,--gc-sections"]),
    (&["--relocation-model", "static"], &["-no-pie"]),
];

impl Machine {
    fn emulated(&self) -> [&str; 3] {
        [self.emulator, "-L", self.libraries]
    }

    /// Whether these are there: a compiler, and the tools of the machine.
    fn has_tools(&self, compiler: &str) -> bool {
        [compiler, self.linker, self.emulator].iter().all(|tool| common::has_tool(tool))
    }

    fn link(&self, flags: &'static [&'static str], library: Option<String>) -> impl Fn(&Path, &Path) {
        let linker = self.linker;
        move |object, program| {
            let mut command = Command::new(linker);
            command.args(flags).args(["-pthread", "-lm", "-lgcc_s"]).arg(object).arg("-o").arg(program);
            let output = run(command.args(&library));
            expect_success(&output, linker);
            assert_eq!(common::errors(&output), "", "{}", object.display());
        }
    }

    fn cleanups_are_those_of_clang(&self) {
        if !self.has_tools("clang-19") {
            let what = format!("cleanups of C on {}", self.name);
            return common::skip(&what, "no compiler or emulator for it on this machine");
        }
        for level in ["-O0", "-O2"] {
            for (arguments, kind) in KINDS {
                let flags = [self.flags, &["-fexceptions", level]].concat();
                let link = self.link(kind, None);
                check_under(&self.emulated(), ("clang-19", &CLEANUPS), &flags, arguments, &link);
            }
        }
        if let Some(signed) = self.signed {
            let flags = [self.flags, &["-fexceptions", "-O2", signed]].concat();
            let [emulator, option, libraries] = self.emulated();
            // That has all that processors have.
            let emulator = [emulator, "-cpu", "max", option, libraries];
            check_under(&emulator, ("clang-19", &CLEANUPS), &flags, &[], &self.link(&["-pie"], None));
        }
    }

    fn programs_catch_as_those_of_clang(&self) {
        let library = format!("{}/lib/libstdc++.so.6", self.libraries);
        let are_there = HEADERS.iter().copied().chain([&*library]).map(Path::new).all(Path::exists);
        if !are_there || !self.has_tools("clang++-19") {
            let what = format!("exceptions of C++ on {}: no library for it on this machine", self.name);
            return common::tools::note(&what);
        }
        let headers = HEADERS.iter().flat_map(|&header| ["-isystem", header]);
        let usual: Vec<_> = self.flags.iter().copied().chain(headers).collect();
        for (level, (arguments, kind)) in ["-O0", "-O2"].into_iter().zip(KINDS) {
            for program in [&CATCHING, &FRAMES] {
                let flags = [&usual[..], &[level]].concat();
                let link = self.link(kind, Some(library.clone()));
                check_under(&self.emulated(), ("clang++-19", program), &flags, arguments, &link);
            }
        }
        let linked = self.link(&[], Some(library));
        check_text("clang++-19", &[&usual[..], &["-O1"]].concat(), &self.emulated(), &linked);
        check_random(3, "clang++-19", &usual, &self.emulated(), &linked);
    }
}

#[test]
fn cleanups_of_c_on_aarch64_are_those_of_clang() {
    AARCH64.cleanups_are_those_of_clang();
}

#[test]
fn cleanups_of_c_on_mips_are_those_of_clang() {
    MIPS.cleanups_are_those_of_clang();
}

#[test]
fn programs_of_cpp_on_aarch64_catch_as_those_of_clang() {
    AARCH64.programs_catch_as_those_of_clang();
}

#[test]
fn programs_of_cpp_on_mips_catch_as_those_of_clang() {
    MIPS.programs_catch_as_those_of_clang();
}
