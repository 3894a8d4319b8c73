//! Register allocators on the same machine functions: the two modes of `ice-regalloc`, and `ion` and `fastalloc` of
//! `regalloc2`.
//!
//! The functions are those of the samples, and of programs of the corpus if `ICE_CORPUS` names one, lowered for x86-64 at O2
//! and read back from their text. `regalloc2` wants single assignment and no critical edges: `convert` says how it gets
//! both, outside of what is measured. It has no values that are made again, so constants are held and spilled like others.
//!
//! For each allocator: nanoseconds and, if `valgrind` is there, executed instructions for each machine instruction; and for each
//! thousand of them copies, stores, reloads, values made again less definitions left out, and operands in memory, each
//! weighed by ten for every loop around it.
//!
//! `cargo bench -p ice-driver --bench allocators`

#![allow(missing_docs, reason = "a program")]

mod convert;

use convert::Converted;
use ice_asm::x86::Mode as Width;
use ice_codegen::mach::MachFunction;
use ice_driver::{Arch, Emit, OptLevel, Options, compile_to};
use ice_regalloc::{Allocation, Block, EditKind, Mode, Output, RegisterFile};
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// What allocates.
#[derive(Clone, Copy, PartialEq)]
enum Allocator {
    Linear,
    Minimal,
    Ion,
    Fastalloc,
}

const ALLOCATORS: [(&str, Allocator); 4] = [
    ("linear", Allocator::Linear),
    ("minimal", Allocator::Minimal),
    ("ion", Allocator::Ion),
    ("fastalloc", Allocator::Fastalloc),
];

/// A function in both forms.
struct Subject {
    func: ice_regalloc::Function,
    converted: Converted,
}

/// What an allocation adds to a function, weighed by loops.
#[derive(Default)]
struct Quality {
    moves: f64,
    stores: f64,
    reloads: f64,
    again: f64,
    in_memory: f64,
}

fn registers() -> &'static RegisterFile<'static> {
    ice_target_x86::register_file(Width::Bits64, ice_target_x86::FramePointer::None)
}

/// The functions of a program, and how many there are that `regalloc2` cannot be given.
fn functions(path: &Path) -> Option<(Vec<Subject>, usize)> {
    let input = std::fs::read(path).ok()?;
    let options = Options { level: OptLevel::O2, emit: Emit::Mir, ..Options::new(Arch::X86_64) };
    let mut text = Vec::new();
    compile_to(&input, &options, &mut text).ok()?;
    let (mut subjects, mut refused) = (Vec::new(), 0);
    for function in String::from_utf8(text).ok()?.split("\nfunc") {
        let body = function.split_once(":\n")?.1;
        let mach = MachFunction::<ice_target_x86::Inst>::read(body, registers()).ok()?;
        let func = mach.body().clone();
        match convert::convert(&func) {
            Some(converted) => subjects.push(Subject { func, converted }),
            None => refused += 1,
        }
    }
    Some((subjects, refused))
}

/// Allocates all functions, some times.
fn allocate(subjects: &[Subject], allocator: Allocator, repeat: usize) {
    let mode = if allocator == Allocator::Minimal { Mode::Minimal } else { Mode::Linear };
    let options = ice_regalloc::Options {
        mode,
        check: ice_regalloc::InputCheck::DebugBuilds,
        ..ice_regalloc::Options::default()
    };
    let mut context = ice_regalloc::Context::new();
    let env = convert::environment(registers());
    let theirs = convert::options(allocator == Allocator::Ion);
    let mut their_context = regalloc2::Ctx::default();
    for _ in 0..repeat {
        for subject in subjects {
            match allocator {
                Allocator::Linear | Allocator::Minimal => {
                    black_box(context.allocate(&subject.func, registers(), &options).is_ok());
                }
                Allocator::Ion | Allocator::Fastalloc => {
                    let result =
                        regalloc2::run_with_ctx(&subject.converted, &env, &theirs, &mut their_context);
                    black_box(result.is_ok());
                }
            }
        }
    }
}

/// Nanoseconds of an allocation of all functions, the best of some.
fn time(subjects: &[Subject], allocator: Allocator) -> f64 {
    let once = || {
        let start = Instant::now();
        allocate(subjects, allocator, 1);
        start.elapsed().as_nanos() as f64
    };
    (0..5).map(|_| once()).fold(f64::INFINITY, f64::min)
}

/// Executed instructions of an allocation of all functions: what one more takes.
fn count(name: &str, path: &Path) -> Option<f64> {
    let total = |repeat: &str| {
        let mut command = Command::new("valgrind");
        command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
        command.arg(std::env::current_exe().ok()?).args(["--only", name, repeat]).arg(path);
        let output = command.output().ok()?;
        let text = String::from_utf8(output.stderr).ok()?;
        let line = text.lines().find(|line| line.contains("refs:"))?;
        line.rsplit(' ').next()?.replace(',', "").parse::<f64>().ok()
    };
    Some(total("2")? - total("1")?)
}

/// How often a block is thought to be executed.
fn weight(func: &ice_regalloc::Function, block: Block) -> f64 {
    10.0_f64.powi(func.loop_depth(block).unwrap_or(0).min(6) as i32)
}

/// For each instruction, the weight of its block.
fn weights(func: &ice_regalloc::Function) -> Vec<f64> {
    let mut weights = vec![0.0; func.num_insts()];
    for block in (0..func.num_blocks() as u32).map(Block::from_u32) {
        let range = func.block_insts(block);
        weights[range.start.as_u32() as usize..range.end.as_u32() as usize].fill(weight(func, block));
    }
    weights
}

fn quality_of_ours(func: &ice_regalloc::Function, output: &Output, quality: &mut Quality) {
    let weights = weights(func);
    for edit in &output.edits {
        let sum = match edit.kind() {
            EditKind::Move => &mut quality.moves,
            EditKind::Spill => &mut quality.stores,
            EditKind::Reload => &mut quality.reloads,
            _ => &mut quality.again,
        };
        *sum += weights[edit.point.inst().as_u32() as usize];
    }
    for (i, weight) in weights.iter().enumerate() {
        let inst = ice_regalloc::Inst::from_u32(i as u32);
        for (op, place) in func.operands(inst).iter().zip(output.allocs_of(func, inst)) {
            if *place == Allocation::NONE && op.is_def() {
                quality.again -= weight;
            } else if !place.is_reg() {
                quality.in_memory += weight;
            }
        }
    }
}

fn quality_of_theirs(subject: &Subject, output: &regalloc2::Output, quality: &mut Quality) {
    let weights = subject.converted.weights(&weights(&subject.func));
    for (point, regalloc2::Edit::Move { from, to }) in &output.edits {
        let sum = match (from.is_stack(), to.is_stack()) {
            _ if from == to => continue,
            (false, false) => &mut quality.moves,
            (_, true) => &mut quality.stores,
            (true, false) => &mut quality.reloads,
        };
        *sum += weights[point.inst().index()];
    }
    for (i, weight) in weights.iter().enumerate() {
        let places = output.inst_allocs(regalloc2::Inst::new(i));
        quality.in_memory += weight * places.iter().filter(|place| place.is_stack()).count() as f64;
    }
}

/// What an allocator adds to all functions, and how many it refuses.
fn quality(subjects: &[Subject], allocator: Allocator) -> (Quality, usize) {
    let (mut quality, mut refused) = (Quality::default(), 0);
    let mut context = ice_regalloc::Context::new();
    let env = convert::environment(registers());
    for subject in subjects {
        let mode = match allocator {
            Allocator::Linear => Mode::Linear,
            Allocator::Minimal => Mode::Minimal,
            _ => {
                match regalloc2::run(&subject.converted, &env, &convert::options(allocator == Allocator::Ion))
                {
                    Ok(output) => quality_of_theirs(subject, &output, &mut quality),
                    Err(_) => refused += 1,
                }
                continue;
            }
        };
        let options = ice_regalloc::Options { mode, ..ice_regalloc::Options::default() };
        match context.allocate(&subject.func, registers(), &options) {
            Ok(output) => quality_of_ours(&subject.func, output, &mut quality),
            Err(_) => refused += 1,
        }
    }
    (quality, refused)
}

fn report(path: &Path) {
    let Some((subjects, refused)) = functions(path) else {
        println!("skipped: {}", path.display());
        return;
    };
    let insts: usize = subjects.iter().map(|subject| subject.func.num_insts()).sum();
    let per_inst = |sum: f64| sum / insts as f64;
    let weighed: f64 = subjects.iter().flat_map(|subject| weights(&subject.func)).sum();
    println!("{}: {} functions, {refused} left out, {insts} instructions", path.display(), subjects.len());
    println!(
        "| allocator | ns | instructions | moves | stores | reloads | made again | in memory | refused |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, allocator) in ALLOCATORS {
        let (added, refused) = quality(&subjects, allocator);
        let count = count(name, path).map_or("-".into(), |count| format!("{:.0}", per_inst(count)));
        let parts = [added.moves, added.stores, added.reloads, added.again, added.in_memory];
        let parts = parts.map(|part| format!("{:.0}", 1000.0 * part / weighed)).join(" | ");
        println!("| {name} | {:.0} | {count} | {parts} | {refused} |", per_inst(time(&subjects, allocator)));
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let [_, only, name, repeat, path] = &args[..]
        && only == "--only"
    {
        let allocator = ALLOCATORS.iter().find(|known| known.0 == name);
        let subjects = functions(Path::new(path));
        if let (Some(&(_, allocator)), Some((subjects, _)), Ok(repeat)) =
            (allocator, subjects, repeat.parse())
        {
            allocate(&subjects, allocator, repeat);
        }
        return;
    }
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    for sample in ["mandelbrot", "primes", "sort"] {
        report(&package.join("samples").join(sample).with_extension("pexe"));
    }
    if let Ok(corpus) = std::env::var("ICE_CORPUS") {
        for name in ["bench/nbody", "large/argon2", "large/laszip"] {
            report(&Path::new(&corpus).join(name).with_extension("pexe"));
        }
    }
}
