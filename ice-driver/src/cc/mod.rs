//! `ice cc` and `ice c++`: a compiler as builds call it, with Ice as its code generator.
//!
//! Method: clang's driver says what it would do for a command line (`-###`): which programs it would start, with all that
//! follows from the command line, the system and its configuration. They are started as it says, but its front end,
//! where that is to make an object or assembler text, makes bitcode, which is translated here. So languages, several inputs,
//! response files, dependency files, headers and what to link are clang's affair. A command line that starts nothing
//! (`--version`, `-print-search-dirs`) is given to clang as it is.
//!
//! Temporary files are in a directory that clang's driver is told of, and gone with it.

mod jobs;

use crate::cli::{Failure, translate_bytes};
use crate::flags::{Command as Asked, Invocation, UsageError, no_own_flag, own_flag};
use crate::temporary::TemporaryDirectory;
use crate::toolchain::{code_of, find_program};
use jobs::{Code, Job, Plan};
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

/// The newest and the oldest clang whose bitcode is read.
const VERSIONS: core::ops::RangeInclusive<u32> = 14..=22;

/// A command line: what is clang's, and what is Ice's.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    clang: Option<PathBuf>,
    has_fallback: bool,
    arguments: Vec<OsString>,
}

impl Request {
    fn parse(asked: Asked, arguments: &[OsString]) -> Result<Request, UsageError> {
        let mut request = Request::default();
        // Whatever the clang that was named is called, it links as one for C++.
        if asked == Asked::Cxx {
            request.arguments.push("--driver-mode=g++".into());
        }
        for argument in arguments {
            match own_flag(argument) {
                None => request.arguments.push(argument.clone()),
                Some((b"clang", Some(path))) => request.clang = Some(OsStr::from_bytes(path).into()),
                Some((b"fallback", None)) => request.has_fallback = true,
                Some(_) => return Err(no_own_flag(Asked::Cc, argument)),
            }
        }
        Ok(request)
    }
}

/// The compiler that was named, or the first that is installed.
fn find_clang(asked: Asked, named: Option<&Path>) -> Result<PathBuf, Failure> {
    let name = if asked == Asked::Cxx { "clang++" } else { "clang" };
    let candidates = match named {
        Some(path) => vec![path.to_string_lossy().into_owned()],
        None => {
            let versions = VERSIONS.rev().map(|version| format!("{name}-{version}"));
            core::iter::once(name.to_owned()).chain(versions).collect()
        }
    };
    let found = candidates.iter().find_map(|candidate| find_program(candidate));
    found.ok_or_else(|| {
        Failure::trouble(format_args!("no {} to make bitcode with; name one with --ice-clang", candidates[0]))
    })
}

fn start_failed(program: &OsStr, error: &io::Error) -> Failure {
    Failure::file(Path::new(program), error)
}

/// Runs a program with this process's input and outputs.
fn run(program: &OsStr, arguments: &[OsString]) -> Result<u8, Failure> {
    let status = Command::new(program).args(arguments).status();
    status.map(code_of).map_err(|error| start_failed(program, &error))
}

/// Does what the arguments of `work` ask of a compiler.
///
/// # Errors
/// clang is not found or cannot be started, Ice's own flags are wrong, an input is refused, files cannot be read or written.
pub fn compile(work: &Invocation) -> Result<ExitCode, Failure> {
    let request = Request::parse(work.command, &work.arguments).map_err(Failure::trouble)?;
    let clang = find_clang(work.command, request.clang.as_deref())?;
    let as_it_is = || run(clang.as_os_str(), &request.arguments).map(ExitCode::from);
    let has = |flag: &str| request.arguments.iter().any(|argument| argument == flag);
    if has("-###") {
        return as_it_is();
    }
    let directory = crate::runtime::scratch_directory().map_err(Failure::trouble)?;
    let (status, said) = plan(&clang, &request.arguments, &directory)?;
    let plan = Plan::parse(&said);
    let shown = if has("-v") { &said } else { &plan.diagnostics };
    let _ = io::stderr().write_all(shown);
    if !status.success() {
        return Ok(ExitCode::from(code_of(status)));
    }
    if plan.jobs.is_empty() {
        return as_it_is();
    }
    let mut result = 0;
    let mut missing = Vec::new();
    for job in &plan.jobs {
        // As clang does: what does not depend on what has failed is done.
        let code = if job.reads(&missing) { result } else { perform(job, work, request.has_fallback)? };
        if code != 0 {
            missing.extend(job.output());
            result = code;
        }
    }
    Ok(ExitCode::from(result))
}

/// What clang's driver says that it would do, with temporary files in `directory`.
fn plan(
    clang: &Path,
    arguments: &[OsString],
    directory: &TemporaryDirectory,
) -> Result<(ExitStatus, Vec<u8>), Failure> {
    let mut command = Command::new(clang);
    command.arg("-###").env("TMPDIR", directory.path()).stdin(Stdio::null()).stdout(Stdio::null());
    // The programs write where this process does, and the driver does not.
    if io::stderr().is_terminal() {
        command.arg("-fcolor-diagnostics");
    }
    let output = command.args(arguments).output();
    output
        .map(|output| (output.status, output.stderr))
        .map_err(|error| start_failed(clang.as_os_str(), &error))
}

/// Does one job, and gives the code that its program ends with.
fn perform(job: &Job, work: &Invocation, has_fallback: bool) -> Result<u8, Failure> {
    let Some(code) = job.code() else { return run(job.program(), job.arguments()) };
    let bitcode = match bitcode(job).map_err(|error| start_failed(job.program(), &error))? {
        Ok(bitcode) => bitcode,
        Err(status) => return Ok(code_of(status)),
    };
    let Err(failure) = translate(&code, &bitcode, work) else { return Ok(0) };
    let can_be_read_again = code.source != Path::new("-");
    let _ = match failure.is_refusal() {
        true if has_fallback && can_be_read_again => {
            let _ = writeln!(io::stderr(), "ice: {failure}; clang makes the code");
            return run(job.program(), job.arguments());
        }
        true => writeln!(io::stderr(), "ice: {failure}"),
        false => return Err(failure),
    };
    Ok(failure.code())
}

/// The bitcode that the front end makes, or how it has failed.
fn bitcode(job: &Job) -> io::Result<Result<Vec<u8>, ExitStatus>> {
    let mut command = Command::new(job.program());
    let mut child = command.args(job.arguments_for_bitcode()).stdout(Stdio::piped()).spawn()?;
    let mut bytes = Vec::new();
    let read = child.stdout.take().map(|mut out| out.read_to_end(&mut bytes));
    let status = child.wait()?;
    read.transpose()?;
    Ok(if status.success() { Ok(bytes) } else { Err(status) })
}

/// Translates the bitcode of a source, on one thread: builds run several compilers at once.
fn translate(code: &Code, bitcode: &[u8], work: &Invocation) -> Result<(), Failure> {
    let work = Invocation {
        level: Some(code.level),
        emit: code.emit,
        relocation: code.relocation,
        sections: code.sections,
        thread_storage: code.thread_storage,
        threads: Some(0),
        input: code.source.clone(),
        ..work.clone()
    };
    translate_bytes(&work, bitcode, &code.output)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request_of(asked: Asked, line: &str) -> Result<Request, UsageError> {
        Request::parse(asked, &line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    fn request(line: &str) -> Result<Request, UsageError> {
        request_of(Asked::Cc, line)
    }

    #[test]
    fn own_flags_stand_anywhere() {
        let found = request("-c --ice-clang=/opt/clang a.c --ice-fallback -o a.o").unwrap();
        assert_eq!(found.clang, Some("/opt/clang".into()));
        assert!(found.has_fallback);
        assert_eq!(found.arguments, ["-c", "a.c", "-o", "a.o"]);
        assert_eq!(
            request("--ice-foo a.c").unwrap_err().0,
            "'--ice-foo' is no flag; there are --ice-clang, --ice-fallback"
        );
        assert!(request("--ice-clang").is_err() && request("--ice-fallback=x").is_err());
    }

    #[test]
    fn any_clang_links_for_cxx() {
        let found = request_of(Asked::Cxx, "--ice-clang=clang a.cc").unwrap();
        assert_eq!(found.arguments, ["--driver-mode=g++", "a.cc"]);
    }
}
