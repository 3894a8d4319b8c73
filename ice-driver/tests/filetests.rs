//! Code of functions: each file in `filetests/` is a program and the assembler text that it becomes.
//!
//! ```text
//! ; test: i686 armv7 O2              targets, level, and options: pic, sandbox, +hwdiv
//! define external @f() -> void { …
//! ; expect:
//! ; == armv7
//! ; f:
//! ;     bx lr
//! ```
//!
//! Directives and labels that nothing names are left out. A file shows what a rule of a back end does, and next to
//! it where the rule must not do it. Passes that give the function back have their tests in
//! `ice-passes/tests/filetests`. What register allocation does with machine functions stands in `allocation/`.

#[path = "common/allocation.rs"]
mod allocation;
#[path = "common/filetest.rs"]
mod filetest;

use ice_codegen::Confinement;
use ice_driver::machine::{Features, with_switch};
use ice_driver::options::RelocationModel;
use ice_driver::{Arch, Emit, InputFormat, OptLevel, Options, compile_to};
use libtest_mimic::Failed;

/// The targets, each with its features, and the options that the words of the `; test:` line name.
fn options(words: &str) -> Result<(Vec<(Arch, Features)>, Options), Failed> {
    let (mut targets, mut level, mut switches) = (Vec::new(), None, Vec::new());
    let mut relocation = RelocationModel::Static;
    let mut confinement = Confinement::None;
    for word in words.split_whitespace() {
        match word.strip_prefix('O') {
            Some(name) => level = OptLevel::parse(name),
            None if word == "sandbox" => confinement = Confinement::Sandbox,
            None if word == "pic" => relocation = RelocationModel::PositionIndependent,
            None if word.starts_with('+') => switches.push(word),
            None => {
                let arch = Arch::parse(word).map_err(|error| error.to_string())?;
                targets.push((arch, arch.machine().features_of_triple(word)));
            }
        }
    }
    for word in switches {
        let mut is_known = false;
        for (arch, features) in &mut targets {
            if let Some(with) = with_switch(arch.machine().switches(), *features, word) {
                (*features, is_known) = (with, true);
            }
        }
        if !is_known {
            return Err(format!("{word} is no feature of a target").into());
        }
    }
    let (first, _) = *targets.first().ok_or("no target")?;
    let level = level.ok_or("no level")?;
    let (format, emit) = (InputFormat::Text, Emit::Assembly);
    Ok((targets, Options { level, format, emit, relocation, confinement, ..Options::new(first) }))
}

/// The labels and instructions of an assembler text.
fn code(text: &str) -> String {
    let is_padding = |line: &str| line.ends_with(" padding");
    let is_kept = |line: &str| {
        ["\t.long", "\t.4byte", "\t.byte"].iter().any(|kept| line.starts_with(kept)) || is_padding(line)
    };
    let is_directive = |line: &str| line.starts_with("\t.") && !is_kept(line);
    let lines: Vec<&str> = text.lines().filter(|line| !is_directive(line)).collect();
    let is_named = |label: &str| {
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
        let names = |line: &&&str| line.match_indices(label).any(|(at, _)| ends(&line[at + label.len()..]));
        lines.iter().filter(names).count() > 1
    };
    let keeps = |line: &&&str| match line.strip_suffix(':') {
        Some(label) => !label.starts_with(".L") || is_named(label),
        None => true,
    };
    let kept = lines.iter().filter(keeps);
    kept.map(|line| format!("{}\n", line.replacen('\t', "    ", 1).replace('\t', " "))).collect()
}

fn run(words: &str, input: &str) -> Result<String, Failed> {
    let (targets, options) = options(words)?;
    let mut all = String::new();
    for &(arch, features) in &targets {
        let options = Options { arch, features, ..options.clone() };
        let mut output = Vec::new();
        compile_to(input.as_bytes(), &options, &mut output).map_err(|error| error.to_string())?;
        if targets.len() > 1 {
            all += &format!("== {}\n", arch.name());
        }
        all += &code(&String::from_utf8(output)?);
    }
    Ok(all)
}

fn main() {
    filetest::run_all(&[("filetests", run), ("allocation", allocation::run)]);
}
