//! The binary as it is shipped: laid out for what it executes most (profile-guided optimisation), and with its C
//! library in it.
//!
//! Three steps, with rustc's `-C profile-generate` and `-C profile-use`: a build of `ice` that counts what it
//! executes; translations of a set of programs, at both recipes for every target; a build that knows the counts.
//! The set is the samples, a few generated programs with every operation and, where clang is installed, the kernels of
//! `xtask/bench` as bitcode of LLVM and frozen to PNaCl programs. Nothing that `xtask bench` measures translation with
//! is among them.
//!
//! Systems map a binary in runs of pages, so functions that ran lie next to each other: the linker gets a list of them.

use crate::process::{self, End};
use crate::toolchain::{Recipe, Target, succeed, write};
use crate::tools;
use crate::workspace::{Workspace, has_tool, show};
use anyhow::{Context as _, ensure};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use xshell::cmd;

const CLANG: &str = "clang-19";
/// The host for which rustc links with LLD, which takes an order of symbols.
const LLD_HOST: &str = "x86_64-unknown-linux-gnu";
/// How the whole program is optimised when it is linked: without counts all of it would grow, with them what is executed.
const WHOLE: &str = "profile.release.package.ice-driver.opt-level=3";
const FREEZE_LIMIT: Duration = Duration::from_secs(60);
/// Seeds of generated programs, from the first to before the second, and the number of statements in a function.
const GENERATED: [u32; 3] = [0, 8, 20];
/// What PNaCl programs are compiled for.
const PNACL: [&str; 6] = [
    "--target=i686-linux-gnu",
    "-march=pentium4",
    "-mfpmath=sse",
    "-ffp-contract=off",
    "-ffreestanding",
    "-fno-builtin",
];

/// The compiler in use.
#[derive(PartialEq, Eq, Debug)]
struct Rustc {
    /// The triple of this machine.
    host: String,
    /// The version of LLVM that writes and reads the counts.
    llvm: String,
}

impl Rustc {
    /// From the output of `rustc -vV`.
    fn parse(text: &str) -> Option<Rustc> {
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let llvm = field("LLVM version:")?.split('.').next()?.to_owned();
        Some(Rustc { host: field("host:")?.to_owned(), llvm })
    }
}

/// Builds `ice` for release with a profile. `None`, and a line that tells why, if the tool that reads the counts
/// is missing.
pub fn build(workspace: &Workspace) -> anyhow::Result<Option<PathBuf>> {
    let sh = &workspace.shell;
    let rustc = Rustc::parse(&cmd!(sh, "rustc -vV").quiet().read()?).context("rustc -vV tells too little")?;
    let sysroot = PathBuf::from(cmd!(sh, "rustc --print sysroot").quiet().read()?);
    let Some(reader) = profile_reader(&sysroot, &rustc) else {
        println!("skipped: the profile: neither llvm-profdata-{} nor rustup's llvm-tools here", rustc.llvm);
        return Ok(None);
    };
    let results = workspace.results("profile")?;
    let counts = results.join("counts");
    if counts.is_dir() {
        sh.remove_path(&counts)?;
    }
    let counting = build_with(workspace, &rustc, &format!("-Cprofile-generate={}", show(&counts)), &[])?;
    Training { ice: &counting, results: &results, counts: &counts }.run(workspace)?;
    let profile = results.join("ice.profdata");
    cmd!(sh, "{reader} merge -o {profile} {counts}").quiet().run()?;
    let mut link = Vec::new();
    if rustc.host == LLD_HOST {
        let texts = files(&counts, "profraw")?
            .into_iter()
            .map(|counts| Ok(cmd!(sh, "{reader} merge --text -o - {counts}").quiet().read()?))
            .collect::<anyhow::Result<Vec<_>>>()?;
        let executed: Vec<_> = texts.iter().map(|text| executed(text)).collect();
        let symbols = cmd!(sh, "nm --defined-only --numeric-sort {counting}").quiet().read()?;
        let names = results.join("order");
        write(&names, &order(&symbols, &executed))?;
        link.push(format!("-Clink-arg=-Wl,--symbol-ordering-file={}", show(&names)));
        // What is inlined everywhere is no symbol.
        link.push("-Clink-arg=-Wl,--no-warn-symbol-ordering".into());
    }
    build_with(workspace, &rustc, &format!("-Cprofile-use={}", show(&profile)), &link).map(Some)
}

/// The functions of a profile in LLVM's text form of which something was executed.
fn executed(profile: &str) -> HashSet<&str> {
    fn name_if_executed(function: &str) -> Option<&str> {
        let (head, counters) = function.split_once("# Counter Values:\n")?;
        let name = head.lines().find(|line| !line.starts_with(['#', ':']))?;
        let is_executed = counters.lines().map_while(|line| line.parse::<u64>().ok()).any(|count| count > 0);
        // Functions of one module only are called `module;name`.
        is_executed.then_some(name.rsplit(';').next().unwrap_or(name))
    }
    profile.split("\n\n").filter_map(name_if_executed).collect()
}

/// The names of the functions that any of the profiles has, a line each: first those of most profiles, then by which
/// these are, then in the order that `nm` lists symbols in. So what one kind of translation executes is in few places.
fn order(symbols: &str, executed: &[HashSet<&str>]) -> String {
    let absent =
        |name: &str| -> Vec<bool> { executed.iter().map(|functions| !functions.contains(name)).collect() };
    let names = symbols.lines().filter_map(|line| line.split_whitespace().nth(2));
    let mut names: Vec<_> = names.map(|name| (absent(name), name)).collect();
    names.retain(|(absent, _)| absent.contains(&false));
    names.sort_by_cached_key(|(absent, _)| (absent.iter().filter(|&&absent| absent).count(), absent.clone()));
    names.into_iter().map(|(_, name)| format!("{name}\n")).collect()
}

/// The tool that merges counts: rustup's, or the system's of the same version.
fn profile_reader(sysroot: &Path, rustc: &Rustc) -> Option<PathBuf> {
    let own = sysroot.join("lib/rustlib").join(&rustc.host).join("bin/llvm-profdata");
    let system = format!("llvm-profdata-{}", rustc.llvm);
    if own.is_file() { Some(own) } else { has_tool(&system).then(|| system.into()) }
}

/// Builds `ice`, with its C library in it if that is there to be linked, with a flag for the compiler and others for
/// its last call, which links. The target is named, so that the flag does not concern build scripts.
fn build_with(workspace: &Workspace, rustc: &Rustc, flag: &str, link: &[String]) -> anyhow::Result<PathBuf> {
    let (sh, host) = (&workspace.shell, &rustc.host);
    let directory = workspace.target.join("profile/build");
    let command = ["rustc", "--quiet", "--release", "-p", "ice-driver", "--bin", "ice", "--target", host];
    let mut flags = flag.to_owned();
    if has_static_library(workspace) {
        flags += " -Ctarget-feature=+crt-static -Crelocation-model=static";
    }
    cmd!(sh, "cargo {command...} --config {WHOLE} --target-dir {directory} -- {link...}")
        .env("RUSTFLAGS", flags)
        .quiet()
        .run()?;
    let ice = directory.join(host).join("release/ice");
    ensure!(ice.is_file(), "{} was not built", ice.display());
    Ok(ice)
}

/// If the C compiler has a C library for programs without others. It tells the path of what it has, else the name alone.
fn has_static_library(workspace: &Workspace) -> bool {
    let path = cmd!(workspace.shell, "cc -print-file-name=libc.a").quiet().ignore_stderr().read();
    path.is_ok_and(|path| Path::new(path.trim()).is_absolute())
}

/// Translations that are counted.
struct Training<'a> {
    ice: &'a Path,
    results: &'a Path,
    /// The directory that counts go to, one file for each target and form of input.
    counts: &'a Path,
}

impl Training<'_> {
    /// Translates everything of the set.
    fn run(&self, workspace: &Workspace) -> anyhow::Result<()> {
        let sh = &workspace.shell;
        for program in files(&workspace.root.join("samples"), "pexe")? {
            self.translate_for_all(&program)?;
        }
        let generated = self.results.join("generated");
        // Programs of another set would stay.
        if generated.is_dir() {
            sh.remove_path(&generated)?;
        }
        let numbers = GENERATED.map(|number| number.to_string());
        cmd!(sh, "cargo run --quiet -p ice-driver --example generate -- {numbers...} {generated}")
            .quiet()
            .run()?;
        let program = self.results.join("training.pexe");
        for text in files(&generated, "ice")? {
            ensure!(self.freeze(&text, &program)?, "cannot freeze {}", text.display());
            self.translate_for_all(&program)?;
        }
        if !has_tool(CLANG) {
            tools::skip("kernels in the training set", &format!("no {CLANG} on this machine"));
            return Ok(());
        }
        let bitcode = self.results.join("training.bc");
        let mut kernels = files(&workspace.root.join("xtask/bench/kernels"), "c")?;
        // The driver of the kernels is the program that prints.
        kernels.retain(|kernel| !kernel.ends_with("main.c"));
        for target in Target::ALL {
            for kernel in &kernels {
                compile(kernel, &bitcode, target.clang_flags())?;
                self.translate(&bitcode, target)?;
            }
        }
        let source = self.results.join("training.c");
        for kernel in &kernels {
            // A first declaration that is static makes the kernel one.
            let text = format!(
                "static unsigned kernel(void);\n\
                 #include \"{}\"\nvoid _start(unsigned info) {{ *(volatile unsigned *)info = kernel(); }}\n",
                show(kernel)
            );
            write(&source, &text)?;
            compile(&source, &bitcode, &PNACL)?;
            // Not so a kernel that needs a library.
            if self.freeze(&bitcode, &program)? {
                self.translate_for_all(&program)?;
            }
        }
        Ok(())
    }

    /// `ice`, which adds what it executes to the counts of a name.
    fn ice(&self, name: &str) -> Command {
        let mut command = process::command(self.ice, [] as [&str; 0]);
        // `%m` stands for the binary, and says that counts are added up.
        command.env("LLVM_PROFILE_FILE", self.counts.join(format!("{name}-%m.profraw")));
        command
    }

    fn translate_for_all(&self, program: &Path) -> anyhow::Result<()> {
        Target::ALL.into_iter().try_for_each(|target| self.translate(program, target))
    }

    fn translate(&self, program: &Path, target: Target) -> anyhow::Result<()> {
        let form = program.extension().unwrap_or_default();
        let name = format!("{}-{}", form.display(), target.name());
        Recipe::ALL.into_iter().try_for_each(|recipe| {
            let recipe = format!("-{}", recipe.name());
            let mut ice = self.ice(&name);
            ice.args(["translate", "--threads", "0", &recipe, "--target", target.name(), "-o"]);
            succeed(ice.arg(self.results.join("training.o")).arg(program)).map(drop)
        })
    }

    /// Makes a PNaCl program, if it can.
    fn freeze(&self, module: &Path, program: &Path) -> anyhow::Result<bool> {
        let mut ice = self.ice("freeze");
        let outcome = process::run(ice.args(["freeze", "-o"]).arg(program).arg(module), FREEZE_LIMIT)?;
        Ok(outcome.end == End::Exit(0))
    }
}

fn compile(source: &Path, bitcode: &Path, target: &[&str]) -> anyhow::Result<()> {
    let mut clang = process::command(Path::new(CLANG), target);
    clang.args(["-w", "-O2", "-fno-vectorize", "-fno-slp-vectorize", "-emit-llvm", "-c", "-o"]);
    succeed(clang.arg(bitcode).arg(source)).map(drop)
}

/// The files of a directory with an extension, in order.
fn files(directory: &Path, extension: &str) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(directory).with_context(|| show(directory))?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|found| found == extension));
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_tells_its_host_and_its_llvm() {
        let text = "rustc 1.95.0 (0 2026-01-01)\nhost: x86_64-unknown-linux-gnu\nLLVM version: 22.1.2\n";
        let expected = Rustc { host: "x86_64-unknown-linux-gnu".into(), llvm: "22".into() };
        assert_eq!(Rustc::parse(text), Some(expected));
        assert_eq!(Rustc::parse("host: x86_64-unknown-linux-gnu\n"), None);
    }

    #[test]
    fn functions_that_ran_are_told_from_counters() {
        let text = "# IR level Instrumentation Flag\n:ir\n_never\n# Func Hash:\n7\n# Num Counters:\n2\n\
                    # Counter Values:\n0\n0\n\n\
                    unit.0;_late\n# Func Hash:\n8\n# Num Counters:\n2\n# Counter Values:\n0\n3\n\n\
                    _values\n# Func Hash:\n9\n# Num Counters:\n1\n# Counter Values:\n0\n\
                    # Num Value Kinds:\n1\n# ValueKind = IPVK_MemOPSize:\n1\n";
        assert_eq!(executed(text), HashSet::from(["_late"]));
    }

    #[test]
    fn what_the_same_translations_execute_is_together() {
        let symbols =
            "0001 t first\n0002 T cold\n0003 t second\n0004 t all\n     U outside\n0005 t first_too\n";
        let executed = [HashSet::from(["first", "all", "first_too"]), HashSet::from(["second", "all"])];
        assert_eq!(order(symbols, &executed), "all\nfirst\nfirst_too\nsecond\n");
    }
}
