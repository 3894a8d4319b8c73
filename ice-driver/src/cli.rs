//! The `ice` command: what each subcommand does with files and processes.

use crate::arch::Arch;
use crate::error::{Blame, Error};
use crate::files::{Output, is_dash, read_input};
use crate::flags::{self, Command, Invocation, Request, Stats};
use crate::inspect::Purpose;
use crate::options::{Emit, InputFormat, OptLevel, Options, Timing};
use crate::report::Report;
use crate::toolchain::{self, Compiler};
use crate::{inspect, interpret, translate};
use ice_bitcode::llvm;
use ice_elf::Sink;
use ice_ir::Program;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// Why a command did not do its work.
#[derive(Debug)]
pub struct Failure {
    message: String,
    code: u8,
}

/// The input is refused.
const REFUSED: u8 = 1;
/// Wrong command line, or reading, writing or linking failed.
const TROUBLE: u8 = 2;

impl Failure {
    /// Trouble with a file.
    pub(crate) fn file(path: &Path, error: impl Display) -> Failure {
        Failure { message: format!("{}: {error}", path.display()), code: TROUBLE }
    }

    /// Trouble without a file.
    pub(crate) fn trouble(error: impl Display) -> Failure {
        Failure { message: error.to_string(), code: TROUBLE }
    }

    /// An error of translation.
    pub(crate) fn input(path: &Path, error: &Error) -> Failure {
        let code = match error.blame() {
            Blame::Input => REFUSED,
            Blame::Request => TROUBLE,
        };
        let name = if is_dash(path) { "<stdin>".into() } else { path.to_string_lossy() };
        // The place in a text follows the name without a blank, as editors and terminals know it.
        let separator = if matches!(error, Error::Text(_)) { ":" } else { ": " };
        Failure { message: format!("{name}{separator}{error}"), code }
    }
}

/// Does what the arguments (without the program's name) ask for. Errors are reported on the error output.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let result = match flags::parse(arguments) {
        Ok(Request::Text(text)) => write_text(&text).map(|()| ExitCode::SUCCESS),
        Ok(Request::Work(work)) => perform(&work),
        Err(error) => Err(Failure::trouble(format_args!("{error}\nTry 'ice --help'."))),
    };
    result.unwrap_or_else(|failure| {
        let _ = writeln!(io::stderr(), "ice: {}", failure.message);
        ExitCode::from(failure.code)
    })
}

fn write_text(text: &str) -> Result<(), Failure> {
    io::stdout().write_all(text.as_bytes()).map_err(Failure::trouble)
}

fn perform(work: &Invocation) -> Result<ExitCode, Failure> {
    match work.command {
        Command::Translate => translate(work)?,
        Command::Build => build(work)?,
        Command::Run => return run(work),
        Command::Interpret => return interpret::interpret(&read_program(work, Purpose::Look)?, work),
        Command::Dump => dump(work)?,
        Command::Verify => {
            read_program(work, Purpose::Look)?;
        }
        Command::Print => print(work)?,
        Command::Freeze => freeze(work)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn read(work: &Invocation) -> Result<Vec<u8>, Failure> {
    read_input(&work.input).map_err(|error| Failure::file(&work.input, error))
}

/// The output file, or the standard output where none was named.
fn output_path(work: &Invocation) -> &Path {
    work.output.as_deref().unwrap_or(Path::new("-"))
}

fn create(path: &Path) -> Result<Output, Failure> {
    Output::create(path).map_err(|error| Failure::file(path, error))
}

fn commit(output: Output, path: &Path) -> Result<(), Failure> {
    output.commit().map_err(|error| Failure::file(path, error))
}

/// By the name of the file; without one by its first bytes.
fn input_format(path: &Path, bytes: &[u8]) -> InputFormat {
    let is_llvm = llvm::is_llvm(bytes);
    let is_bitcode = is_llvm || bytes.starts_with(b"PEXE");
    let is_text = path.extension().is_some_and(|extension| extension == "ice");
    match is_text || (is_dash(path) && !is_bitcode && !bytes.is_empty() && bytes.is_ascii()) {
        true => InputFormat::Text,
        false if is_llvm => InputFormat::Llvm,
        false => InputFormat::Bitcode,
    }
}

/// Reads a whole program as it is, and checks it.
fn read_program(work: &Invocation, purpose: Purpose) -> Result<Program, Failure> {
    let bytes = read(work)?;
    let format = input_format(&work.input, &bytes);
    inspect::read_program(&bytes, format, purpose).map_err(|error| Failure::input(&work.input, &error))
}

fn options(work: &Invocation, bytes: &[u8]) -> Result<Options, Failure> {
    let format = input_format(&work.input, bytes);
    let of_module = match format {
        InputFormat::Llvm if work.arch.is_none() => {
            let arch_of = |triple: String| Arch::parse(&triple).map_err(Error::UnknownTriple);
            let found = translate::triple_of(bytes).and_then(|triple| triple.map(arch_of).transpose());
            found.map_err(|error| Failure::input(&work.input, &error))?
        }
        _ => None,
    };
    let arch = match work.arch.or(of_module).or_else(Arch::host) {
        Some(arch) => arch,
        None => return Err(Failure::trouble("this host is no known target; name one with --target")),
    };
    if !arch.is_built_in() {
        return Err(Failure::trouble(Error::TargetNotBuiltIn(arch)));
    }
    if work.arm.division.is_some() && arch != Arch::Arm32 {
        return Err(Failure::trouble(format_args!("hwdiv is no feature of {arch}")));
    }
    let level = work.level.unwrap_or(OptLevel::Om1);
    Ok(Options {
        arch,
        level,
        emit: work.emit,
        format,
        threads: work.threads.unwrap_or_else(processors),
        function: work.function.clone(),
        print_after: work.print_after.clone(),
        disabled: work.disabled.clone(),
        print: |text| {
            let _ = io::stderr().write_all(text.as_bytes());
        },
        timing: work.timing,
        relocation: work.relocation,
        arm: work.arm,
    })
}

/// Threads that the machine runs at once.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(0, usize::from)
}

/// Prints warnings, and what the flags ask for.
fn report(work: &Invocation, report: &Report) {
    let mut text = String::new();
    for warning in &report.warnings {
        text += &format!("ice: {}: warning: {warning}\n", work.input.display());
    }
    // Writing into a string cannot fail.
    if work.stats == Stats::On {
        let _ = report.write_stats(&mut text);
    }
    if work.timing == Timing::On {
        let _ = report.write_times(&mut text);
    }
    let _ = io::stderr().write_all(text.as_bytes());
}

fn translate_into(work: &Invocation, output: &mut Output) -> Result<Options, Failure> {
    let bytes = read(work)?;
    let options = options(work, &bytes)?;
    let result = translate::compile_to(&bytes, &options, output);
    report(work, &result.map_err(|error| Failure::input(&work.input, &error))?);
    Ok(options)
}

fn translate(work: &Invocation) -> Result<(), Failure> {
    let path = output_path(work);
    let mut output = create(path)?;
    translate_into(work, &mut output)?;
    commit(output, path)
}

/// Translates into an object in a directory of its own and links it to `executable`.
fn build_executable(work: &Invocation, directory: &Path, executable: &Path) -> Result<Arch, Failure> {
    let object = directory.join("program.o");
    let mut output = create(&object)?;
    let options = translate_into(work, &mut output)?;
    commit(output, &object)?;
    let compiler = Compiler::find(options.arch, work.linker.as_deref()).map_err(Failure::trouble)?;
    let runtime = compiler.runtime().map_err(Failure::trouble)?;
    compiler.link(&object, &runtime, executable).map_err(Failure::trouble)?;
    Ok(options.arch)
}

fn build(work: &Invocation) -> Result<(), Failure> {
    debug_assert_eq!(work.emit, Emit::Object);
    let path = output_path(work);
    let directory = toolchain::scratch_directory().map_err(Failure::trouble)?;
    let executable = directory.path().join("program");
    build_executable(work, directory.path(), &executable)?;
    crate::files::install_executable(&executable, path).map_err(|error| Failure::file(path, error))
}

fn run(work: &Invocation) -> Result<ExitCode, Failure> {
    let directory = toolchain::scratch_directory().map_err(Failure::trouble)?;
    let executable = directory.path().join("program");
    let arch = build_executable(work, directory.path(), &executable)?;
    crate::execute::execute(arch, &executable, directory, &work.input, &work.arguments)
}

fn dump(work: &Invocation) -> Result<(), Failure> {
    let bytes = read(work)?;
    let path = output_path(work);
    let mut output = create(path)?;
    match inspect::dump(&bytes, &mut output) {
        Ok(Ok(())) => commit(output, path),
        Ok(Err(error)) => {
            // What comes before the error is the use of a dump; a file gets nothing.
            if is_dash(path) {
                commit(output, path)?;
            }
            Err(Failure::input(&work.input, &error))
        }
        Err(error) => Err(Failure::file(path, error)),
    }
}

fn print(work: &Invocation) -> Result<(), Failure> {
    let program = read_program(work, Purpose::Look)?;
    let path = output_path(work);
    let mut output = create(path)?;
    ice_ir::write_program(&program, &mut output).map_err(|error| Failure::file(path, error))?;
    commit(output, path)
}

fn freeze(work: &Invocation) -> Result<(), Failure> {
    let program = read_program(work, Purpose::Freeze)?;
    let bytes = inspect::freeze(&program).map_err(|error| Failure::input(&work.input, &error))?;
    let path = output_path(work);
    let mut output = create(path)?;
    output.append(&bytes).map_err(|error| Failure::file(path, error))?;
    commit(output, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_told_by_name_or_first_bytes() {
        let format = |path: &str, bytes: &[u8]| input_format(Path::new(path), bytes);
        assert_eq!(format("a.ice", b"PEXE"), InputFormat::Text);
        assert_eq!(format("a.pexe", b"define"), InputFormat::Bitcode);
        assert_eq!(format("-", b"PEXE\x01"), InputFormat::Bitcode);
        assert_eq!(format("-", b"BC\xc0\xde"), InputFormat::Llvm);
        assert_eq!(format("a.bc", b"\xde\xc0\x17\x0b"), InputFormat::Llvm);
        assert_eq!(format("-", b"; text"), InputFormat::Text);
        assert_eq!(format("-", b""), InputFormat::Bitcode);
    }
}
