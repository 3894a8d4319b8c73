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
//! More programs tell of functions that the counted ones have no need of, and valgrind, where it is installed, of those of the
//! libraries of Rust and C, which have no counters.

use crate::process::{self, End};
use crate::toolchain::{Recipe, Target, succeed, write};
use crate::tools;
use crate::workspace::{Workspace, has_tool, show};
use anyhow::{Context as _, ensure};
use std::collections::{BTreeSet, HashSet};
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
const GENERATED: &[[u32; 3]] = &[[0, 8, 20]];
/// The same of those whose counts are not for the optimiser: for laszip that has a price of 1 %. The last has functions so
/// large that memory for them is given back.
const UNCOUNTED: &[[u32; 3]] = &[[8, 24, 150], [24, 25, 1500]];
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
    let [counts, uncounted] = ["counts", "uncounted"].map(|name| results.join(name));
    for counts in [&counts, &uncounted] {
        if counts.is_dir() {
            sh.remove_path(counts)?;
        }
    }
    let counting = build_with(workspace, &rustc, &format!("-Cprofile-generate={}", show(&counts)), &[])?;
    let training = Training { workspace, ice: &counting, results: &results, counts: &counts, threads: "0" };
    training.run()?;
    let profile = results.join("ice.profdata");
    cmd!(sh, "{reader} merge -o {profile} {counts}").quiet().run()?;
    let mut link = Vec::new();
    if rustc.host == LLD_HOST {
        Training { counts: &uncounted, threads: "2", ..training }.generated(UNCOUNTED)?;
        let mut runs = Vec::new();
        for file in [files(&counts, "profraw")?, files(&uncounted, "profraw")?].concat() {
            let text = cmd!(sh, "{reader} merge --text -o - {file}").quiet().read()?;
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            runs.push((name, text));
        }
        let mut runs: Vec<_> = runs.iter().map(|(name, text)| Run::new(name, text)).collect();
        let called = training.called()?;
        runs.push(Run { reads_pnacl: true, back_end: None, functions: called_functions(&called) });
        let symbols = cmd!(sh, "nm --defined-only --numeric-sort {counting}").quiet().read()?;
        let names = results.join("order");
        write(&names, &order(&symbols, &runs))?;
        link.push(format!("-Clink-arg=-Wl,--symbol-ordering-file={}", show(&names)));
        // What is inlined everywhere is no symbol.
        link.push("-Clink-arg=-Wl,--no-warn-symbol-ordering".into());
    }
    build_with(workspace, &rustc, &format!("-Cprofile-use={}", show(&profile)), &link).map(Some)
}

/// What was executed for one form of input and one target.
struct Run<'a> {
    /// Whether programs of PNaCl were translated.
    reads_pnacl: bool,
    /// Of the back end; `None` if there was none, or if another run tells of that.
    back_end: Option<&'static str>,
    functions: HashSet<&'a str>,
}

impl<'a> Run<'a> {
    /// From the name of the file that [`Training::ice`] gave it, and the profile in LLVM's text form.
    fn new(name: &str, profile: &'a str) -> Run<'a> {
        let mut words = name.split('-');
        let reads_pnacl = words.next() == Some("pexe");
        let target =
            words.next().and_then(|name| Target::ALL.into_iter().find(|target| target.name() == name));
        Run { reads_pnacl, back_end: target.map(Target::back_end), functions: executed(profile) }
    }
}

/// Where a function is to lie: what one translation executes is in few places.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// With what all back ends need for PNaCl programs; so many runs do without it.
    Common(usize),
    /// With what one back end alone needs for them.
    BackEnd(&'static str, usize),
    /// With what other forms of input need.
    OtherForms(usize),
}

impl Place {
    /// The place of the function `name`, if any of the runs executed it.
    fn of(name: &str, runs: &[Run]) -> Option<Place> {
        let executed = || runs.iter().filter(|run| run.functions.contains(name));
        let without = runs.len() - executed().count();
        let back_ends: BTreeSet<_> =
            executed().filter(|run| run.reads_pnacl).filter_map(|run| run.back_end).collect();
        match (back_ends.first(), back_ends.len()) {
            (Some(back_end), 1) => Some(Place::BackEnd(back_end, without)),
            _ if executed().any(|run| run.reads_pnacl) => Some(Place::Common(without)),
            _ => (without < runs.len()).then_some(Place::OtherForms(without)),
        }
    }
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

/// The functions in a file of callgrind.
fn called_functions(file: &str) -> HashSet<&str> {
    fn name(line: &str) -> Option<&str> {
        let (kind, name) = line.split_once(") ")?;
        // What calls itself is counted as `name'2`.
        (kind.starts_with("fn=(") || kind.starts_with("cfn=(")).then_some(name.split('\'').next()?)
    }
    file.lines().filter_map(name).collect()
}

/// The names of the functions that any of the runs executed, a line each, by their places and then in the order that `nm`
/// lists symbols in.
fn order(symbols: &str, runs: &[Run]) -> String {
    let names = symbols.lines().filter_map(|line| line.split_whitespace().nth(2));
    let mut names: Vec<_> = names.filter_map(|name| Some((Place::of(name, runs)?, name))).collect();
    names.sort_by(|(a, _), (b, _)| a.cmp(b));
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
#[derive(Clone, Copy)]
struct Training<'a> {
    workspace: &'a Workspace,
    ice: &'a Path,
    results: &'a Path,
    /// The directory that counts go to, one file for each target and form of input.
    counts: &'a Path,
    threads: &'static str,
}

impl Training<'_> {
    /// Translates everything of the set.
    fn run(&self) -> anyhow::Result<()> {
        let workspace = self.workspace;
        for program in files(&workspace.root.join("samples"), "pexe")? {
            self.translate_for_all(&program)?;
        }
        self.generated(GENERATED)?;
        if !has_tool(CLANG) {
            tools::skip("kernels in the training set", &format!("no {CLANG} on this machine"));
            return Ok(());
        }
        let (bitcode, program) = (self.results.join("training.bc"), self.results.join("training.pexe"));
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

    /// Translates generated programs.
    fn generated(&self, seeds: &[[u32; 3]]) -> anyhow::Result<()> {
        let (sh, directory) = (&self.workspace.shell, self.results.join("generated"));
        let program = self.results.join("training.pexe");
        for numbers in seeds {
            if directory.is_dir() {
                sh.remove_path(&directory)?;
            }
            let numbers = numbers.map(|number| number.to_string());
            cmd!(sh, "cargo run --quiet -p ice-driver --example generate -- {numbers...} {directory}")
                .quiet()
                .run()?;
            for text in files(&directory, "ice")? {
                ensure!(self.freeze(&text, &program)?, "cannot freeze {}", text.display());
                self.translate_for_all(&program)?;
            }
        }
        Ok(())
    }

    /// What valgrind says of the functions that translations of the last program of each form call; empty without it.
    fn called(&self) -> anyhow::Result<String> {
        let (file, mut all) = (self.results.join("called"), String::new());
        if !has_tool("valgrind") {
            tools::skip("the order of library functions", "no valgrind on this machine");
            return Ok(all);
        }
        for (program, threads) in [("training.pexe", "0"), ("training.pexe", "2"), ("training.bc", "2")] {
            let program = self.results.join(program);
            if !program.is_file() {
                continue;
            }
            let out = format!("--callgrind-out-file={}", show(&file));
            let flags = ["--quiet", "--tool=callgrind", "--demangle=no", "--show-below-main=yes", &out];
            let mut valgrind = process::command(Path::new("valgrind"), flags);
            valgrind.env("LLVM_PROFILE_FILE", "/dev/null").arg(self.ice);
            valgrind.args(["translate", "-O2", "--target", "i686", "--threads", threads, "-o"]);
            succeed(valgrind.arg(self.results.join("training.o")).arg(program))?;
            all += &std::fs::read_to_string(&file).with_context(|| show(&file))?;
        }
        Ok(all)
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
            ice.args(["translate", "--threads", self.threads, &recipe, "--target", target.name(), "-o"]);
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
    fn what_one_translation_executes_is_in_few_places() {
        let profile = |names: &[&str]| -> String {
            names.iter().map(|name| format!("{name}\n# Counter Values:\n1\n\n")).collect()
        };
        let runs = [
            ("pexe-i686-7_0.profraw", profile(&["all", "lea", "add", "align"])),
            ("pexe-x86_64-7_0.profraw", profile(&["all", "lea", "add"])),
            ("bc-armv7-7_0.profraw", profile(&["all", "metadata", "bx"])),
            ("pexe-armv7-7_0.profraw", profile(&["all", "add", "bx", "align"])),
            ("freeze-7_0.profraw", profile(&["metadata", "write"])),
        ];
        let mut runs: Vec<_> = runs.iter().map(|(name, profile)| Run::new(name, profile)).collect();
        let functions = HashSet::from(["all", "lea", "malloc"]);
        runs.push(Run { reads_pnacl: true, back_end: None, functions });
        let symbols = "0001 t bx\n0002 T cold\n0003 t write\n0004 t lea\n     U outside\n0005 t metadata\n\
                       0006 t align\n0007 t add\n0008 T malloc\n0009 t all\n";
        assert_eq!(order(symbols, &runs), "all\nadd\nalign\nmalloc\nbx\nlea\nmetadata\nwrite\n");
    }

    #[test]
    fn functions_that_are_called_are_told_from_callgrind() {
        let file = "events: Ir\nfn=(7) malloc\n16 3\ncfn=(8) sort'2\ncalls=1 20\n16 9\nfn=(7)\n17 1\n";
        assert_eq!(called_functions(file), HashSet::from(["malloc", "sort"]));
    }
}
