//! Code of functions: each file in `filetests/` is a program and the assembler text that it becomes.
//!
//! ```text
//! ; test: armv7 O2                   target, level, and options
//! define external @f() -> void { …
//! ; expect:
//! ; f:
//! ;     bx lr
//! ```
//!
//! Directives and labels that nothing names are left out. With `ICE_BLESS=1` the lines after `; expect:` are
//! rewritten to what came out; look at the difference before you keep it.

use ice_driver::options::RelocationModel;
use ice_driver::{Arch, Emit, InputFormat, OptLevel, Options, compile_to};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};

const EXPECT: &str = "; expect:\n";

/// The options that the words of the `; test:` line name.
fn options(words: &str) -> Result<Options, Failed> {
    let mut words = words.split_whitespace();
    let arch = Arch::parse(words.next().unwrap_or_default()).map_err(|error| error.to_string())?;
    let level = words.next().and_then(|word| OptLevel::parse(word.strip_prefix('O')?));
    let mut options = Options {
        level: level.ok_or("no level")?,
        format: InputFormat::Text,
        emit: Emit::Assembly,
        relocation: RelocationModel::Static,
        ..Options::new(arch)
    };
    for word in words {
        match word {
            "pic" => options.relocation = RelocationModel::PositionIndependent,
            _ => return Err(format!("'{word}' is no option").into()),
        }
    }
    Ok(options)
}

/// The labels and instructions of an assembler text.
fn code(text: &str) -> String {
    let is_directive = |line: &str| line.starts_with("\t.") && !line.starts_with("\t.long");
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
    kept.map(|line| format!("; {}\n", line.replacen('\t', "    ", 1).replace('\t', " "))).collect()
}

fn run(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let (input, expected) = text.split_once(EXPECT).unwrap_or((&text, ""));
    let words = input.lines().find_map(|line| line.strip_prefix("; test: ")).ok_or("no '; test:' line")?;
    let mut output = Vec::new();
    compile_to(input.as_bytes(), &options(words)?, &mut output).map_err(|error| error.to_string())?;
    let output = code(&String::from_utf8(output)?);
    if output == expected {
        return Ok(());
    }
    if std::env::var_os("ICE_BLESS").is_some() {
        return Ok(std::fs::write(path, format!("{input}{EXPECT}{output}"))?);
    }
    Err(format!("ICE_BLESS=1 accepts this other output:\n{output}").into())
}

fn main() {
    let arguments = Arguments::from_args();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let trials = files.into_iter().map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(name, move || run(&path))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}
