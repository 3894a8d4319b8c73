//! The same functions through `ice-jit` and through `cranelift-jit`: what `cargo xtask bench --jit` runs.
//!
//! | command | does |
//! |---|---|
//! | `compile GENERATOR COUNT` | makes COUNT functions callable, from the builder on, and prints the seconds that it took |
//! | `check COUNT` | calls the functions that every generator has made, and compares results and memory |
//! | `kernels ROUNDS GENERATOR…` | prints a line for each kernel: its name, and the least seconds of ROUNDS runs for each GENERATOR |
//!
//! | file | what it holds |
//! |---|---|
//! | `builder` | what functions and kernels ask of a code generator |
//! | `functions` | functions of real sizes, from numbers |
//! | `kernels` | small programs whose speed is compared |
//! | `ice`, `cranelift` | the two code generators |
//! | `call` | calls of what was made: all `unsafe` code |

mod builder;
mod call;
#[cfg(feature = "cranelift")]
mod cranelift;
mod functions;
mod ice;
mod kernels;

use anyhow::{Context as _, ensure};
use builder::{Backend, Func};
use functions::Generated;
use ice_driver::Recipe;
use kernels::{Definition, Kernel};
use std::time::{Duration, Instant};

/// A code generator with its settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Generator {
    Ice(Recipe),
    #[cfg(feature = "cranelift")]
    Cranelift(&'static [(&'static str, &'static str)]),
}

/// Code generators by name. Cranelift's verifier is off, as language implementers have it when their front end works;
/// Ice's cannot be left out.
const GENERATORS: &[(&str, Generator)] = &[
    ("ice-Om1", Generator::Ice(Recipe::Om1)),
    ("ice-O2", Generator::Ice(Recipe::O2)),
    #[cfg(feature = "cranelift")]
    (
        "cranelift-single-pass",
        Generator::Cranelift(&[("enable_verifier", "false"), ("regalloc_algorithm", "single_pass")]),
    ),
    #[cfg(feature = "cranelift")]
    ("cranelift-none", Generator::Cranelift(&[("enable_verifier", "false"), ("opt_level", "none")])),
    #[cfg(feature = "cranelift")]
    ("cranelift-speed", Generator::Cranelift(&[("enable_verifier", "false"), ("opt_level", "speed")])),
];

/// Work with one code generator.
trait Job {
    type Result;
    fn run<B: Backend + 'static>(&self, backend: B) -> anyhow::Result<Self::Result>;
}

impl Generator {
    fn named(name: &str) -> anyhow::Result<Generator> {
        let known = || GENERATORS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let found = GENERATORS.iter().find(|(known, _)| *known == name);
        found.map(|(_, generator)| *generator).with_context(|| format!("no '{name}' among {}", known()))
    }

    fn run<J: Job>(self, job: &J) -> anyhow::Result<J::Result> {
        match self {
            Generator::Ice(recipe) => job.run(ice::Ice::new(recipe)?),
            #[cfg(feature = "cranelift")]
            Generator::Cranelift(options) => job.run(cranelift::Cranelift::new(options)?),
        }
    }
}

/// Declares and defines functions and makes them callable.
fn compile(backend: &mut impl Backend, count: u32) -> anyhow::Result<Vec<Func>> {
    let signature = functions::signature();
    let funcs: Vec<Func> = (0..count).map(|_| backend.declare(&signature)).collect::<Result<_, _>>()?;
    for (number, &func) in (0..).zip(&funcs) {
        let before = &funcs[..number as usize];
        backend.define(func, &signature, &Generated { number, before })?;
    }
    backend.finish()?;
    Ok(funcs)
}

/// From the builder to callable functions, in time.
struct Compile(u32);

impl Job for Compile {
    type Result = Duration;

    fn run<B: Backend + 'static>(&self, mut backend: B) -> anyhow::Result<Duration> {
        let began = Instant::now();
        let funcs = compile(&mut backend, self.0)?;
        for func in funcs {
            std::hint::black_box(backend.address(func)?);
        }
        Ok(began.elapsed())
    }
}

/// What functions give, and what they leave in memory.
struct Check(u32);

impl Job for Check {
    type Result = Vec<(i64, Vec<u64>)>;

    fn run<B: Backend + 'static>(&self, mut backend: B) -> anyhow::Result<Self::Result> {
        let funcs = compile(&mut backend, self.0)?;
        let call = |func: Func| {
            let mut memory: Vec<u64> = (0..functions::MEMORY as u64 / 8).collect();
            Ok((call::generated(backend.address(func)?, &mut memory, (5, 7, 1.25)), memory))
        };
        funcs.into_iter().map(call).collect()
    }
}

/// Runs a kernel, by its number, and gives how long it took, and its result.
type Runner = Box<dyn Fn(usize) -> (Duration, i64)>;

/// Kernels that can be run.
struct Kernels;

impl Job for Kernels {
    type Result = Runner;

    fn run<B: Backend + 'static>(&self, mut backend: B) -> anyhow::Result<Runner> {
        let signature = kernels::signature();
        let mut funcs = Vec::new();
        for (kernel, _) in Kernel::ALL {
            let own = backend.declare(&signature)?;
            backend.define(own, &signature, &Definition { kernel, own })?;
            funcs.push(own);
        }
        backend.finish()?;
        let addresses: Vec<_> =
            funcs.into_iter().map(|func| backend.address(func)).collect::<Result<_, _>>()?;
        Ok(Box::new(move |number| {
            // The code is there as long as what has made it.
            let _code = &backend;
            let mut memory = vec![0; kernels::MEMORY / 8];
            let began = Instant::now();
            let result = call::kernel(addresses[number], &mut memory, Kernel::ALL[number].1);
            (began.elapsed(), result)
        }))
    }
}

/// Runs all kernels, one code generator after the other in each round, and prints the least times.
fn kernels(rounds: u32, names: &[&str]) -> anyhow::Result<()> {
    let runners: Vec<Runner> =
        names.iter().map(|name| Generator::named(name)?.run(&Kernels)).collect::<anyhow::Result<_>>()?;
    for (number, (kernel, _)) in Kernel::ALL.iter().enumerate() {
        let mut best = vec![(Duration::MAX, 0); runners.len()];
        for _ in 0..rounds {
            for (best, run) in best.iter_mut().zip(&runners) {
                let (taken, result) = run(number);
                *best = (best.0.min(taken), result);
            }
        }
        let differs = best.iter().any(|(_, result)| *result != best[0].1);
        ensure!(!differs, "the results of {kernel:?} differ");
        let times: Vec<String> = best.iter().map(|(taken, _)| taken.as_secs_f64().to_string()).collect();
        println!("{kernel:?} {}", times.join(" "));
    }
    Ok(())
}

fn check(count: u32) -> anyhow::Result<()> {
    let job = Check(count);
    let (first, others) = GENERATORS.split_first().context("there is a code generator")?;
    let expected = first.1.run(&job)?;
    for (name, generator) in others {
        let results = generator.run(&job)?;
        let differs = results.iter().zip(&expected).position(|(one, other)| one != other);
        ensure!(differs.is_none(), "function {} of {name} differs", differs.unwrap_or_default());
    }
    println!("{count} functions, {} code generators: no difference", GENERATORS.len());
    Ok(())
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["compile", generator, count] => {
            let taken = Generator::named(generator)?.run(&Compile(count.parse()?))?;
            println!("{}", taken.as_secs_f64());
        }
        ["check", count] => check(count.parse()?)?,
        ["kernels", rounds, ref generators @ ..] => kernels(rounds.parse()?, generators)?,
        _ => anyhow::bail!(
            "usage: jit-bench compile GENERATOR COUNT | check COUNT | kernels ROUNDS GENERATOR…"
        ),
    }
    Ok(())
}
