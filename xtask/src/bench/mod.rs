//! Instructions executed by the translator and by the programs it makes, memory, sizes of code; as tables.
//!
//! Instructions are counted by callgrind, so the figures are those of any machine and of any load. Beside
//! them stand the figures of the original Subzero (release build, 2017) and of PNaCl's `llc`, measured with
//! the same tool on the same inputs; `-` where there are none.

mod growth;
mod kernels;
mod times;

use crate::arguments::Arguments;
use crate::process::{self, End};
use crate::size;
use crate::toolchain::line_of;
use crate::workspace::{self, Profile, Workspace, has_tool, show};
use anyhow::{Context as _, ensure};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

pub const HELP: &str = "\
usage: cargo xtask bench [--targets LIST] [--translate] [--programs] [--text]
       cargo xtask bench --times [--rounds N]
       cargo xtask bench --kernels
       cargo xtask bench --growth [--shape TEXT] [--scale N]

Prints markdown tables: instructions and memory of `ice translate -Om1 --threads 0` (release build), instructions
of translated programs, and sizes of their code, each beside the figures of other translators. Needs valgrind,
readelf, time and the corpus (ICE_CORPUS).

  --targets LIST   targets, separated by commas; all if not given
  --translate      only the first table
  --programs       only the second
  --text           only the third
  --times          how long six programs take beside the same in C built by clang -O2, on i686
  --rounds N       rounds of --times (9)
  --kernels        small programs in C on armv7, under qemu-arm, beside llc -O2
  --growth         how work grows with size, for many shapes of function; fails above the power 1.2
  --shape TEXT     of --growth only the shapes with TEXT in their names
  --scale N        sizes of --growth, times N (1)
";

/// Targets whose programs valgrind runs.
const COUNTED: [&str; 2] = ["x86_64", "i686"];
const LIMIT: Duration = Duration::from_secs(3600);

/// A row of figures of the others.
struct Inputs {
    file: &'static str,
    /// Millions of instructions of the original at -Om1: x86-32, x86-64; llc -O0 and -O2, x86-32.
    peers: [u32; 4],
}

#[rustfmt::skip]
const INPUTS: [Inputs; 4] = [
    Inputs { file: "bench/nbody.pexe",        peers: [  74,   79,  239,  1261] },
    Inputs { file: "large/argon2.pexe",       peers: [ 151,  151,  633,  2501] },
    Inputs { file: "large/webp_encoder.pexe", peers: [ 339,  356, 1239,  5711] },
    Inputs { file: "large/laszip.pexe",       peers: [1276, 1384, 7414, 24828] },
];

struct Program {
    name: &'static str,
    argument: &'static str,
    /// Millions of instructions, x86-32: the original at -O2 and -Om1, llc -O0 and -O2.
    peers: [&'static str; 4],
    /// Bytes of .text, x86-32, in the same order.
    text: [u32; 4],
}

#[rustfmt::skip]
const PROGRAMS: [Program; 7] = [
    Program { name: "binarytrees",   argument: "10",    peers: ["92.3", "209.9", "117.2", "68.1"],  text: [64_896, 192_928, 101_591, 43_107] },
    Program { name: "fannkuchredux", argument: "8",     peers: ["8.75", "31.3", "17.7", "7.28"],    text: [62_784, 187_008,  97_935, 41_342] },
    Program { name: "fasta",         argument: "",      peers: ["-"; 4],                            text: [29_184, 101_312,  46_591, 20_862] },
    Program { name: "mandelbrot",    argument: "200",   peers: ["27.5", "60.1", "37.9", "18.7"],    text: [62_688, 186_976,  98_271, 41_134] },
    Program { name: "meteor",        argument: "2098",  peers: ["305.0", "812.9", "585.4", "264.4"], text: [70_496, 216_192, 112_223, 48_046] },
    Program { name: "nbody",         argument: "50000", peers: ["75.7", "189.9", "109.6", "67.5"],  text: [64_288, 194_112, 100_543, 42_622] },
    Program { name: "spectralnorm",  argument: "100",   peers: ["8.32", "21.8", "13.3", "7.46"],    text: [63_648, 190_560, 100_207, 41_934] },
];

pub fn run(workspace: &Workspace, mut arguments: Arguments) -> anyhow::Result<()> {
    let targets = workspace::targets(arguments.text("--targets")?, &COUNTED)?;
    let only = ["--translate", "--programs", "--text"].map(|flag| arguments.switch(flag));
    let times = arguments.switch("--times");
    let kernels = arguments.switch("--kernels");
    let rounds = arguments.value("--rounds", 9)?;
    let growth = arguments.switch("--growth");
    let shape = arguments.text("--shape")?;
    let scale = arguments.value("--scale", 1)?;
    arguments.finish()?;
    if kernels {
        return kernels::run(workspace);
    }
    if growth {
        return growth::run(workspace, shape.as_deref(), scale);
    }
    for tool in ["valgrind", "readelf", "time"] {
        ensure!(times || has_tool(tool), "{tool} is not installed");
    }
    let corpus = workspace.corpus()?;
    let bench = Bench {
        ice: workspace.build_ice(Profile::Release)?,
        results: workspace.results("bench")?,
        corpus,
        targets,
    };
    if times {
        return bench.times(rounds);
    }
    let wanted = |index: usize| only[index] || !only.contains(&true);
    if wanted(0) {
        bench.translate()?;
    }
    if wanted(1) {
        bench.programs()?;
    }
    if wanted(2) {
        bench.text()?;
    }
    Ok(())
}

struct Bench {
    ice: std::path::PathBuf,
    results: std::path::PathBuf,
    corpus: std::path::PathBuf,
    targets: Vec<String>,
}

impl Bench {
    /// Flags of the measured translation.
    fn flags(target: &str) -> [&str; 6] {
        ["translate", "-Om1", "--threads", "0", "--target", target]
    }

    fn translate(&self) -> anyhow::Result<()> {
        println!("Instructions executed by `ice translate -Om1 --threads 0`, in millions\n");
        println!(
            "| input | bytes | target | ice | per byte | peak KiB | Subzero Om1 | llc -O0 | llc -O2 |\n\
             |---|---|---|---|---|---|---|---|---|"
        );
        let object = self.results.join("object.o");
        for input in &INPUTS {
            let file = self.corpus.join(input.file);
            let bytes = std::fs::metadata(&file).with_context(|| show(&file))?.len();
            for target in &self.targets {
                let mut arguments = Self::flags(target).map(str::to_owned).to_vec();
                arguments.extend([show(&file), "-o".into(), show(&object)]);
                let count = self.instructions(&self.ice, &arguments)?;
                let memory = peak_memory(&self.ice, &arguments)?;
                let [on_x86_32, on_x86_64, llc_o0, llc_o2] = input.peers;
                let (subzero, llc) = match &**target {
                    "i686" => (on_x86_32.to_string(), [llc_o0.to_string(), llc_o2.to_string()]),
                    "x86_64" => (on_x86_64.to_string(), ["-".into(), "-".into()]),
                    _ => ("-".into(), ["-".into(), "-".into()]),
                };
                println!(
                    "| {} | {bytes} | {target} | {} | {:.0} | {memory} | {subzero} | {} |",
                    input.file,
                    millions(count),
                    count as f64 / bytes as f64,
                    llc.join(" | "),
                );
            }
        }
        println!();
        Ok(())
    }

    fn programs(&self) -> anyhow::Result<()> {
        println!("Instructions executed by translated programs, in millions; the others on x86-32\n");
        self.head("program, argument");
        for program in PROGRAMS.iter().filter(|program| !program.argument.is_empty()) {
            let mut row = format!("| {} {} |", program.name, program.argument);
            for target in &self.targets {
                let executable = self.results.join(format!("{}-{target}", program.name));
                let mut build = process::command(&self.ice, ["build", "-Om1", "--target", target]);
                build.arg(self.input(program)).arg("-o").arg(&executable);
                let outcome = process::run(&mut build, LIMIT)?;
                ensure!(outcome.end == End::Exit(0), "ice build: {}", outcome.first_errors());
                let count = self.instructions(&executable, &[program.argument.to_owned()])?;
                row += &format!(" {} |", millions(count));
            }
            println!("{row} {} |", program.peers.join(" | "));
        }
        println!();
        Ok(())
    }

    fn text(&self) -> anyhow::Result<()> {
        println!("Bytes of .text at -Om1; the others on x86-32\n");
        self.head("program");
        let object = self.results.join("object.o");
        for program in &PROGRAMS {
            let mut row = format!("| {} |", program.name);
            for target in &self.targets {
                let mut translate = process::command(&self.ice, Self::flags(target));
                translate.arg(self.input(program)).arg("-o").arg(&object);
                let outcome = process::run(&mut translate, LIMIT)?;
                ensure!(outcome.end == End::Exit(0), "ice translate: {}", outcome.first_errors());
                let sections = size::sections(&object)?;
                let is_text = |name: &str| name == ".text" || name.starts_with(".text.");
                let text: u64 = sections.iter().filter(|(name, _)| is_text(name)).map(|(_, size)| size).sum();
                row += &format!(" {text} |");
            }
            println!("{row} {} |", program.text.map(|size| size.to_string()).join(" | "));
        }
        println!();
        Ok(())
    }

    fn input(&self, program: &Program) -> std::path::PathBuf {
        self.corpus.join(format!("bench/{}.pexe", program.name))
    }

    /// The head of a table with a column for each target and for each of the others.
    fn head(&self, first: &str) {
        let targets: Vec<String> = self.targets.iter().map(|target| format!("ice Om1 {target}")).collect();
        println!("| {first} | {} | Subzero O2 | Subzero Om1 | llc -O0 | llc -O2 |", targets.join(" | "));
        println!("|{}", "---|".repeat(targets.len() + 5));
    }

    /// Instructions that a program executes, without the kernel's.
    fn instructions(&self, program: &Path, arguments: &[String]) -> anyhow::Result<u64> {
        instructions(process::command(program, arguments), &self.results.join("callgrind.out"))
    }
}

/// Instructions that a command executes, by callgrind, which writes its file to `scratch`.
///
/// # Errors
/// It cannot be started or fails.
pub fn instructions(command: Command, scratch: &Path) -> anyhow::Result<u64> {
    let out = format!("--callgrind-out-file={}", scratch.display());
    let mut valgrind = process::command(Path::new("valgrind"), ["--tool=callgrind", &out]);
    valgrind.arg(command.get_program()).args(command.get_args());
    let outcome = process::run(&mut valgrind, LIMIT)?;
    ensure!(
        outcome.end == End::Exit(0),
        "{}: {}\n{}",
        line_of(&valgrind),
        outcome.end,
        outcome.first_errors()
    );
    collected(&outcome.errors).with_context(|| format!("{}: no count", line_of(&valgrind)))
}

/// The count in callgrind's summary: `==123== Collected : 4567`.
fn collected(errors: &str) -> Option<u64> {
    let line = errors.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}

/// The most memory that a program held, in KiB.
fn peak_memory(program: &Path, arguments: &[String]) -> anyhow::Result<u64> {
    let mut command = process::command(Path::new("time"), ["-f", "%M"]);
    let outcome = process::run(command.arg(program).args(arguments), LIMIT)?;
    ensure!(outcome.end == End::Exit(0), "{}: {}", program.display(), outcome.first_errors());
    let last = outcome.errors.lines().last().unwrap_or_default();
    last.trim().parse().with_context(|| format!("time printed '{last}'"))
}

fn millions(count: u64) -> String {
    let millions = count as f64 / 1e6;
    if millions < 10.0 { format!("{millions:.2}") } else { format!("{millions:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_of_callgrind() {
        assert_eq!(collected("==1== \n==1== Collected : 123456\n==1==\n"), Some(123_456));
        assert_eq!(collected("==1== error"), None);
    }

    #[test]
    fn counts_are_rounded() {
        assert_eq!((millions(1_234_567), millions(123_456_789)), ("1.23".into(), "123.5".into()));
    }
}
