//! The binary as it is shipped: laid out for what it executes most (profile-guided optimisation).
//!
//! Three steps, with rustc's `-C profile-generate` and `-C profile-use`: a build of `ice` that counts what it
//! executes; translations of a set of programs, at both recipes for every target; a build that knows the counts.
//! The set is the samples and, where clang is installed, the kernels of `xtask/bench` as bitcode of LLVM and frozen
//! to PNaCl programs. Nothing that `xtask bench` measures translation with is among them.

use crate::process::{self, End};
use crate::toolchain::{Recipe, Target, succeed, write};
use crate::tools;
use crate::workspace::{Workspace, has_tool, show};
use anyhow::{Context as _, ensure};
use std::path::{Path, PathBuf};
use std::time::Duration;
use xshell::cmd;

const CLANG: &str = "clang-19";
const FREEZE_LIMIT: Duration = Duration::from_secs(60);
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
    let counting = build_with(workspace, &rustc, &format!("-Cprofile-generate={}", show(&counts)))?;
    train(workspace, &counting, &results)?;
    let profile = results.join("ice.profdata");
    cmd!(sh, "{reader} merge -o {profile} {counts}").quiet().run()?;
    build_with(workspace, &rustc, &format!("-Cprofile-use={}", show(&profile))).map(Some)
}

/// The tool that merges counts: rustup's, or the system's of the same version.
fn profile_reader(sysroot: &Path, rustc: &Rustc) -> Option<PathBuf> {
    let own = sysroot.join("lib/rustlib").join(&rustc.host).join("bin/llvm-profdata");
    let system = format!("llvm-profdata-{}", rustc.llvm);
    if own.is_file() { Some(own) } else { has_tool(&system).then(|| system.into()) }
}

/// Builds `ice` with a flag for the compiler. The target is named, so that the flag does not concern build scripts.
fn build_with(workspace: &Workspace, rustc: &Rustc, flag: &str) -> anyhow::Result<PathBuf> {
    let (sh, host) = (&workspace.shell, &rustc.host);
    let directory = workspace.target.join("profile/build");
    cmd!(
        sh,
        "cargo build --quiet --release -p ice-driver --bin ice --target {host} --target-dir {directory}"
    )
    .env("RUSTFLAGS", flag)
    .quiet()
    .run()?;
    let ice = directory.join(host).join("release/ice");
    ensure!(ice.is_file(), "{} was not built", ice.display());
    Ok(ice)
}

/// Translates everything of the set.
fn train(workspace: &Workspace, ice: &Path, results: &Path) -> anyhow::Result<()> {
    let object = results.join("training.o");
    let translate = |program: &Path, target: Target| {
        Recipe::ALL.into_iter().try_for_each(|recipe| {
            let recipe = format!("-{}", recipe.name());
            let flags = ["translate", "--threads", "0", &recipe, "--target", target.name(), "-o"];
            succeed(process::command(ice, flags).arg(&object).arg(program)).map(drop)
        })
    };
    let translate_all =
        |program: &Path| Target::ALL.into_iter().try_for_each(|target| translate(program, target));
    for program in files(&workspace.root.join("samples"), "pexe")? {
        translate_all(&program)?;
    }
    if !has_tool(CLANG) {
        tools::skip("kernels in the training set", &format!("no {CLANG} on this machine"));
        return Ok(());
    }
    let bitcode = results.join("training.bc");
    for kernel in files(&workspace.root.join("xtask/bench/kernels"), "c")? {
        // The driver of the kernels is the program that prints.
        if kernel.ends_with("main.c") {
            continue;
        }
        for target in Target::ALL {
            compile(&kernel, &bitcode, target.clang_flags())?;
            translate(&bitcode, target)?;
        }
        let (source, program) = (results.join("training.c"), results.join("training.pexe"));
        // A first declaration that is static makes the kernel one.
        let text = format!(
            "static unsigned kernel(void);\n\
             #include \"{}\"\nvoid _start(unsigned info) {{ *(volatile unsigned *)info = kernel(); }}\n",
            show(&kernel)
        );
        write(&source, &text)?;
        compile(&source, &bitcode, &PNACL)?;
        let outcome =
            process::run(process::command(ice, ["freeze", "-o"]).arg(&program).arg(&bitcode), FREEZE_LIMIT)?;
        // Not so a kernel that needs a library.
        if outcome.end == End::Exit(0) {
            translate_all(&program)?;
        }
    }
    Ok(())
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
}
