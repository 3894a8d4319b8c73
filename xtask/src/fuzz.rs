//! Damaged programs: each is accepted, or refused with a place, and never more than that happens.
//!
//! Two layers. Most changes are tried inside one process, by the tests `robustness` and `llvm_damage` of the bitcode
//! readers and `malformed` and `malformed_llvm` of the driver, which also count memory. Some go through the command as a
//! user calls it, under the system's own limits.

use crate::arguments::Arguments;
use crate::process::{self, End, Outcome};
use crate::toolchain::{Target, succeed};
use crate::tools;
use crate::workspace::{Profile, TARGETS, Workspace, has_tool, show};
use anyhow::{Context as _, bail, ensure};
use std::path::{Path, PathBuf};
use std::time::Duration;
use xshell::cmd;

pub const HELP: &str = "\
usage: cargo xtask fuzz mutate [OPTIONS] [FILE ...]

Changes single bytes and single bits of programs, PNaCl's or LLVM's bitcode, at random, and whole records of LLVM's
bitcode. Each changed program must be accepted, or refused
with exit code 1, a message with a place, and no output file; no signal, no hang, little memory.

  --count N       changes inside one process, read and then translated, of PNaCl's test programs together, and as many
                  of LLVM's (100000)
  --processes N   changes of each FILE given to `ice translate` as a process of its own (300)
  --seed N        where the random numbers of those begin (1)
  --memory MIB    address space of such a process (256)
  --jobs N        processes at once

Without FILE: puts and nbody of the corpus if it is there, the samples, and LLVM's test module for each target.
";

const LIMIT: Duration = Duration::from_secs(20);
/// Programs of PNaCl that these tests change.
const TEST_PROGRAMS: u64 = 2;
/// Modules of LLVM that these tests change, one way or the other; and those that only the reader's test changes.
const TEST_MODULES: u64 = 8 * 2;
const READ_MODULES: u64 = 3;

/// Xorshift64* (Marsaglia 2003, Vigna 2016).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        random.next();
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        ((self.next() >> 32) as usize) % limit
    }

    /// True once in `count` times.
    pub fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub fn one_of<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }
}

/// Changes one byte or one bit and says what it did.
fn change(bytes: &mut [u8], seed: u64) -> String {
    let mut random = Random::new(seed);
    let at = random.below(bytes.len());
    let old = bytes[at];
    bytes[at] = match random.below(2) {
        0 => old ^ (1 << random.below(8)),
        _ => old.wrapping_add(1 + random.below(255) as u8),
    };
    format!("byte {at} from {old:#04x} to {:#04x}", bytes[at])
}

pub fn run(workspace: &Workspace, mut arguments: Arguments) -> anyhow::Result<()> {
    let count = arguments.value("--count", 100_000u64)?;
    let processes = arguments.value("--processes", 300usize)?;
    let seed = arguments.value("--seed", 1u64)?;
    let memory = arguments.value("--memory", 256u64)?;
    let jobs = arguments.value("--jobs", process::default_jobs())?;
    let mut rest = arguments.rest()?.into_iter();
    ensure!(
        rest.next().is_some_and(|word| word == "mutate"),
        "'fuzz mutate' is all there is; --help tells more"
    );
    let mut files: Vec<PathBuf> = rest.map(PathBuf::from).collect();
    if files.is_empty() {
        files = default_files(workspace)?;
        files.extend(llvm_modules(workspace)?);
    }
    if count > 0 {
        let sh = &workspace.shell;
        let each = count.div_ceil(TEST_PROGRAMS).to_string();
        cmd!(sh, "cargo test --release -p ice-bitcode --test robustness -- --nocapture")
            .env("ICE_MUTATIONS", &each)
            .run()?;
        cmd!(sh, "cargo test --release -p ice-driver --test malformed -- --nocapture")
            .env("ICE_FUZZ_COUNT", each)
            .run()?;
        cmd!(sh, "cargo test --release -p ice-bitcode --test llvm_damage -- --nocapture")
            .env("ICE_MUTATIONS", count.div_ceil(READ_MODULES).to_string())
            .run()?;
        cmd!(sh, "cargo test --release -p ice-driver --test malformed_llvm -- --nocapture")
            .env("ICE_FUZZ_COUNT", count.div_ceil(TEST_MODULES).to_string())
            .run()?;
    }
    let ice = workspace.build_ice(Profile::Release)?;
    let directory = workspace.results("fuzz")?;
    let mut faults = 0;
    for file in &files {
        faults += mutate_file(&ice, file, &directory, processes, seed, memory, jobs)?;
    }
    ensure!(faults == 0, "{faults} changed programs were not handled well");
    Ok(())
}

fn default_files(workspace: &Workspace) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    match workspace.corpus() {
        Ok(corpus) => files.extend(["libc/puts.pexe", "bench/nbody.pexe"].map(|name| corpus.join(name))),
        Err(error) => tools::note(&format!("programs of the corpus: {error}")),
    }
    for path in workspace.shell.read_dir("samples")? {
        if path.extension().is_some_and(|extension| extension == "pexe") {
            files.push(path);
        }
    }
    if files.is_empty() {
        bail!("no programs to change");
    }
    Ok(files)
}

/// LLVM's test module for each target, if clang is there.
fn llvm_modules(workspace: &Workspace) -> anyhow::Result<Vec<PathBuf>> {
    if !has_tool("clang-19") {
        tools::skip("LLVM's bitcode", "no clang-19 on this machine");
        return Ok(Vec::new());
    }
    let source = workspace.root.join("ice-driver/tests/damage/damage.c");
    let directory = workspace.results("fuzz")?;
    let compile = |target: Target| {
        let module = directory.join(format!("damage-{}.bc", target.name()));
        let mut clang = process::command(Path::new("clang-19"), target.clang_flags());
        succeed(clang.args(["-O1", "-msse2", "-w", "-c", "-emit-llvm", "-o"]).arg(&module).arg(&source))?;
        Ok(module)
    };
    [Target::X86_64, Target::I686].map(compile).into_iter().collect()
}

/// Gives the number of changed programs that `ice` did not handle well; keeps them.
fn mutate_file(
    ice: &Path,
    file: &Path,
    directory: &Path,
    processes: usize,
    seed: u64,
    memory: u64,
    jobs: usize,
) -> anyhow::Result<usize> {
    let original = std::fs::read(file).with_context(|| show(file))?;
    ensure!(!original.is_empty(), "{} is empty", file.display());
    let name = file.file_stem().with_context(|| show(file))?.to_string_lossy().into_owned();
    // A module of LLVM says itself what it is for.
    let says_target = original.starts_with(b"BC");
    let results = process::for_each(processes, jobs, |index| {
        let seed = seed.wrapping_add(index as u64);
        let mut bytes = original.clone();
        let what = change(&mut bytes, seed);
        let place = directory.join(format!("{name}-{seed}"));
        std::fs::create_dir_all(&place).with_context(|| show(&place))?;
        let (input, output) = (place.join("in.pexe"), place.join("out.o"));
        std::fs::write(&input, bytes).with_context(|| show(&input))?;
        // The shell sets the limit and becomes the command.
        let script = format!("ulimit -v {}; exec \"$@\"", memory << 10);
        let mut command = process::command(Path::new("sh"), ["-c", &script, "sh"]);
        command.arg(ice).args(["translate", ["-Om1", "-O2"][index / TARGETS.len() % 2]]);
        if !says_target {
            command.args(["--target", TARGETS[index % TARGETS.len()]]);
        }
        let outcome = process::run(command.arg(&input).arg("-o").arg(&output), LIMIT)?;
        let fault = fault(&outcome, &input, &output, &place)?;
        match &fault {
            Some(fault) => println!("{}, {what}: {fault}\n  kept as {}", file.display(), input.display()),
            None => std::fs::remove_dir_all(&place).with_context(|| show(&place))?,
        }
        Ok((fault.is_some(), outcome.end == End::Exit(0)))
    })?;
    let faults = results.iter().filter(|(faulty, _)| *faulty).count();
    let accepted = results.iter().filter(|(_, accepted)| *accepted).count();
    println!("{}: {} changes, {accepted} accepted, {faults} faults", file.display(), results.len());
    Ok(faults)
}

/// What is wrong with how a changed program was handled.
fn fault(outcome: &Outcome, input: &Path, output: &Path, place: &Path) -> anyhow::Result<Option<String>> {
    let left = std::fs::read_dir(place).with_context(|| show(place))?.count();
    Ok(match outcome.end {
        End::Exit(0) if !output.is_file() => Some("accepted without output".to_owned()),
        End::Exit(0) if left != 2 => Some("accepted with files left behind".to_owned()),
        End::Exit(0) => None,
        End::Exit(1) if left != 1 => Some("refused with files left behind".to_owned()),
        End::Exit(1) if !is_located(&outcome.errors, input) => {
            Some(format!("refused without a place: {}", outcome.first_errors()))
        }
        End::Exit(1) => None,
        // A module of LLVM asks for a machine that is not there.
        End::Exit(2) if left == 1 && outcome.errors.contains("target") => None,
        end => Some(format!("{end}: {}", outcome.first_errors())),
    })
}

/// A place is the file and a position in it, or the function, or what there is once in a module.
fn is_located(errors: &str, input: &Path) -> bool {
    errors.contains(&show(input))
        && [" at ", "bit ", "function", "triple", "target"].iter().any(|word| errors.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_byte_changes() {
        for seed in 0..1000 {
            let mut bytes = [7u8; 64];
            change(&mut bytes, seed);
            assert_eq!(bytes.iter().filter(|&&byte| byte != 7).count(), 1, "seed {seed}");
        }
    }

    #[test]
    fn places() {
        let input = Path::new("a.pexe");
        assert!(is_located("ice: a.pexe: bad record at bit 77", input));
        assert!(!is_located("ice: a.pexe: bad", input));
        assert!(!is_located("bad record at bit 77", input));
    }
}
