//! Developer commands: `cargo xtask COMMAND`.
//!
//! Each command is one file. They run `cargo`, `ice` and the tools of the system as processes and link none
//! of the crates, so that a crate that does not compile never stops the command that would show why.
//!
//! There is no `bisect` yet: it would find the function whose translation makes a program fail by taking
//! some functions from one recipe and the rest from another, and `ice` has one recipe so far.
//! `crosstest --reduce` makes a failing program small instead.

mod arguments;
mod bench;
mod ci;
mod corpus;
mod crosstest;
mod dist;
mod fuzz;
mod process;
mod reduce;
mod size;
mod workspace;

use arguments::Arguments;
use workspace::Workspace;

/// A command.
struct Command {
    name: &'static str,
    summary: &'static str,
    /// What `--help` prints.
    help: &'static str,
    run: fn(&Workspace, Arguments) -> anyhow::Result<()>,
}

#[rustfmt::skip]
const COMMANDS: &[Command] = &[
    Command { name: "ci",        summary: "formatting, lints and all tests",                          help: ci::HELP,        run: ci::run },
    Command { name: "crosstest", summary: "the same programs interpreted and translated",             help: crosstest::HELP, run: crosstest::run },
    Command { name: "fuzz",      summary: "damaged programs: accepted or refused with a place",       help: fuzz::HELP,      run: fuzz::run },
    Command { name: "bench",     summary: "instructions of the translator and of what it translates", help: bench::HELP,     run: bench::run },
    Command { name: "size",      summary: "size of the stripped binary",                              help: size::HELP,      run: size::run },
    Command { name: "dist",      summary: "binary, manual and licences in one directory",             help: dist::HELP,      run: dist::run },
];

fn help() -> String {
    let mut text = String::from("usage: cargo xtask COMMAND [OPTIONS]\n\n");
    for command in COMMANDS {
        text += &format!("  {:<10} {}\n", command.name, command.summary);
    }
    text + "\n'cargo xtask COMMAND --help' tells more. There is no 'bisect' until there are two recipes to mix;\n\
            'crosstest --reduce' makes a failing program small.\n"
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
        print!("{}", command.help);
        return Ok(());
    }
    (command.run)(&Workspace::open()?, arguments)
}
