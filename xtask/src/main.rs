//! Developer commands: `cargo xtask COMMAND`.
//!
//! Each command is one file. They run `cargo`, `ice` and the tools of the system as processes and link none
//! of the crates, so that a crate that does not compile never stops the command that would show why.

mod allocations;
mod arguments;
mod bench;
mod bisect;
mod compare_objects;
mod corpus;
mod crosstest;
mod dist;
mod diversity;
mod fuzz;
mod jit_load;
mod lint;
mod mutants;
mod process;
mod profile;
mod program;
mod realworld;
mod size;
mod toolchain;
mod tools;
mod validators;
mod workspace;

use arguments::Arguments;
use workspace::Workspace;

/// A command.
struct Command {
    name: &'static str,
    summary: &'static str,
    /// What `--help` prints.
    help: fn() -> String,
    run: fn(&Workspace, Arguments) -> anyhow::Result<()>,
}

#[rustfmt::skip]
const COMMANDS: &[Command] = &[
    Command { name: "lint",      summary: "formatting, and clippy's lints as errors",                 help: || lint::HELP.to_owned(),      run: lint::run },
    Command { name: "crosstest", summary: "Ice's code against LLVM's and against the interpreter",        help: crosstest::help, run: crosstest::run },
    Command { name: "bisect",    summary: "the function whose translation makes a program fail",         help: || bisect::HELP.to_owned(), run: bisect::run },
    Command { name: "realworld", summary: "SQLite, Lua, zlib and others: translated whole, compared, timed", help: || realworld::HELP.to_owned(), run: realworld::run },
    Command { name: "fuzz",      summary: "damaged programs: accepted or refused with a place",       help: || fuzz::HELP.to_owned(),      run: fuzz::run },
    Command { name: "allocations", summary: "generated functions through the register allocator",      help: || allocations::HELP.to_owned(), run: allocations::run },
    Command { name: "jit-load",  summary: "threads that compile, call and unload for a minute, and their memory", help: || jit_load::HELP.to_owned(), run: jit_load::run },
    Command { name: "mutants",   summary: "planted faults, and which tests see them",                help: || mutants::HELP.to_owned(),   run: mutants::run },
    Command { name: "compare-objects", summary: "whether two builds of ice make the same objects", help: || compare_objects::HELP.to_owned(), run: compare_objects::run },
    Command { name: "bench",     summary: "instructions of the translator and of what it translates", help: || bench::HELP.to_owned(),     run: bench::run },
    Command { name: "validators", summary: "ice-validator beside the historical validators of x86",  help: || validators::HELP.to_owned(), run: validators::run },
    Command { name: "diversity", summary: "programs with many seeds, and the gadgets that survive",   help: || diversity::HELP.to_owned(), run: diversity::run },
    Command { name: "size",      summary: "size of the stripped binary",                              help: || size::HELP.to_owned(),      run: size::run },
    Command { name: "dist",      summary: "binary, manual and licences in one directory",             help: || dist::HELP.to_owned(),      run: dist::run },
];

fn help() -> String {
    let mut text = String::from("usage: cargo xtask COMMAND [OPTIONS]\n\n");
    for command in COMMANDS {
        text += &format!("  {:<15} {}\n", command.name, command.summary);
    }
    text + "\n'cargo xtask COMMAND --help' tells more.\n"
}

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let name = arguments.next().unwrap_or_default();
    if name.is_empty() || name == "--help" || name == "-h" || name == "help" {
        print!("{}", help());
        return Ok(());
    }
    let Some(command) = COMMANDS.iter().find(|command| name == command.name) else {
        anyhow::bail!("unknown command '{}'\n\n{}", name.to_string_lossy(), help());
    };
    let arguments = Arguments::new(arguments);
    if arguments.ask_for_help() {
        print!("{}", (command.help)());
        return Ok(());
    }
    (command.run)(&Workspace::open()?, arguments)
}
