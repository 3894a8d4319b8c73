//! Ice's code against other code for the same program.
//!
//! Six oracles, one file each: LLVM's code for the same bitcode, function by function (`llvm.rs`, the default);
//! LLVM's code for whole random programs (`csmith.rs`); LLVM's code for the other half of a program
//! (`conventions.rs`, random signatures by `prototypes.rs`); LLVM's code for random functions of IR
//! (`functions.rs`, which `random/` makes); LLVM's code for each function of AArch64's headers of intrinsics
//! (`neon/`); the reference interpreter for generated programs and the corpus (`interpreter.rs`).

mod conventions;
mod csmith;
mod functions;
mod generate;
mod in_process;
mod interpreter;
mod llvm;
mod neon;
mod prototypes;
mod random;
mod record;
mod reduce;
mod refusals;
mod seeds;
mod signature;
mod sources;
mod stubs;

use crate::arguments::Arguments;
use crate::workspace::Workspace;

pub const HELP: &str = concat!(
    "\
usage: cargo xtask crosstest [OPTIONS] [SOURCE...]
       cargo xtask crosstest --csmith N [OPTIONS]
       cargo xtask crosstest --signatures N [OPTIONS]
       cargo xtask crosstest --functions N [OPTIONS]
       cargo xtask crosstest --neon [OPTIONS]
       cargo xtask crosstest --interpreter [OPTIONS]

",
    "The first calls every function of the sources in xtask/crosstest twice, in LLVM's code and in Ice's code for the same
bitcode, with the same boundary values and pseudo-random ones, and reports each input that gives two results.

  --targets LIST   targets, separated by commas; all if not given
  --recipes LIST   recipes, separated by commas: Om1, O2; both if not given
  --levels LIST    levels of clang and rustc: O0, O1, O2, O3; all if not given
  --relocation-model LIST   pic, static; pic if not given
  --clang N        the C and C++ sources as this version of clang makes them: 14, 16, 19, 22 (19, with Rust and IR)
  --avx2           on x86 the C and C++ sources as for processors with AVX2 and FMA
  --calls N        calls of each function (300)
  --full           1000 calls of each function and both relocation models: tens of millions altogether
  --record FILE    adds the result of each source, target and level to FILE, and passes over those that FILE has
                   without a difference: a run that was stopped goes on
  --results NAME   the directory of the programs, within cargo's target directory: no other run may use it at the same
                   time (crosstest)
  --seed N         another seed for the values (1)
  --function NAME  only this function
  --list           prints the names of the sources
  --in-process     Ice's code is made by `ice-jit` in the process of each program, in the place of an object; not mipsel
",
    "  --translator T   what is tested: 'ice', 'llc-19' (against itself at another level, which tests the test), or a
                   program with the command line of `ice translate` (ice)
  --jobs N         programs at once; as many as the machine has threads
  --release        uses the release build of ice, which has no assertions

The second compares the output of N random programs of csmith. Programs that differ are kept in the directory
`csmith` of cargo's target directory; `cargo xtask bisect` finds the guilty function.

  --csmith N       so many programs
  --seed N         the first seed (1)
  --targets, --recipes, --levels, --translator, --jobs, --release, --in-process   as above

The third links callers and callees of random C functions, each side translated by LLVM or by Ice: structures, bit-fields,
unions, vectors, complex numbers, variable arguments, regparm. Programs that differ are kept in the directory
`conventions` of cargo's target directory.

  --signatures N   so many programs, of eight functions each
  --seed N         the first seed (1)
  --targets, --recipes, --translator, --jobs, --release   as above

The fourth compares random functions of LLVM IR, as they are and behind passes of LLVM. None of them has undefined
behaviour. Where the results differ LLVM's code is made in a second way, and counts if Ice agrees with neither. Modules
that differ are kept in the directory `functions` of cargo's target directory, with the programs: each prints what a
function gets and leaves if the number of the function is its argument.

  --functions N    so many modules, of up to twenty functions each
  --seed N         the first seed (1)
  --size N         most steps of a function (30)
  --targets, --recipes, --translator, --jobs, --release, --in-process   as above

The fifth calls every function of <arm_neon.h> and <arm_acle.h> on aarch64 and armv7 but those of half precision, with
many immediate operands where it takes one, and compares what LLVM's code and Ice's code for the same bitcode
leave. Modules that differ are kept in the directory `neon` of cargo's target directory, with the programs: each
prints what a function gets and leaves if its name is the argument.

  --neon           asks for it
  --name PART      only functions whose name, with the immediate operands behind it, contains PART
  --level L        the level of clang: O0, O1, O2, O3 (O1)
  --targets LIST   aarch64, armv7; both if not given
  --recipes, --translator, --jobs, --release   as above

The sixth compares with Ice's reference interpreter:

",
);

/// What `--help` prints.
pub fn help() -> String {
    format!("{HELP}{}", interpreter::OPTIONS)
}

pub fn run(workspace: &Workspace, mut arguments: Arguments) -> anyhow::Result<()> {
    if arguments.switch("--interpreter") {
        return interpreter::run(workspace, arguments);
    }
    if arguments.switch("--neon") {
        return neon::run(workspace, arguments);
    }
    if let Some(count) = arguments.text("--signatures")? {
        return conventions::run(workspace, arguments, &count);
    }
    if let Some(count) = arguments.text("--functions")? {
        return functions::run(workspace, arguments, &count);
    }
    match arguments.text("--csmith")? {
        Some(count) => csmith::run(workspace, arguments, &count),
        None => llvm::run(workspace, arguments),
    }
}
