//! Runs a program that was just built, so that it looks to the caller as if it had been started itself.
//!
//! Where the host runs the program, this process becomes it: exit code, signals and terminal are the
//! program's own. The file is opened, its directory removed and the open file executed, so that nothing is
//! left behind. Where the place of the build forbids execution (a file system mounted `noexec`), the program is
//! copied to another. Programs of other machines run under an emulator as a child; a signal that ends it becomes
//! the exit code 128 + its number, as in a shell.
//!
//! A PNaCl program is not trusted unless its user says so. On the host its runtime gives up what it must not have;
//! the emulator is started by a thread that has given it up (`confine`).

use crate::cli::Failure;
use crate::confine;
use crate::flags::Trust;
use crate::machine::{Arch, Features};
use crate::temporary::TemporaryDirectory;
use crate::toolchain::find_program;
use landlock::PathFd;
use signal_hook::consts::SIGSYS;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

/// Executes `executable`, which lies in `directory`, under the name `name`.
///
/// # Errors
/// The program or the emulator cannot be started. On success this returns only where a child was needed.
pub fn execute(
    arch: Arch,
    executable: &Path,
    directory: TemporaryDirectory,
    name: &Path,
    arguments: &[OsString],
    trust: Trust,
) -> Result<ExitCode, Failure> {
    let machine = arch.machine();
    if Arch::host().is_some_and(|host| machine.is_native_on(host)) {
        let program = Program { name, arguments, trust };
        return native(executable, directory, &program).map_err(|error| Failure::file(name, error));
    }
    let emulator = machine.tools(Features::default(), Arch::host()).emulator;
    let path = find_program(emulator).unwrap_or_else(|| emulator.into());
    let mut command = Command::new(&path);
    command.arg("-0").arg(name).arg(executable).args(arguments);
    let status = match trust {
        Trust::Own => status_of(&mut command),
        Trust::Full => status_of(command.env(TRUST, "1")),
        Trust::None if switch(TRUST).is_some() => status_of(&mut command),
        Trust::None => confined_status_of(command.env(CONFINED, "1"), &path, executable)?,
    };
    status.map_err(|error| Failure::file(Path::new(emulator), error))
}

/// The switch of the runtime with which a program keeps all rights of its user.
const TRUST: &str = "ICE_TRUST";
/// The switch that says who has confined the program: not its runtime.
const CONFINED: &str = "ICE_CONFINED";
/// The directory below which a program has files; `1` is the working directory.
const FILES: &str = "ICE_FILES";

/// The value of a switch of the runtime that is on.
fn switch(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty() && value != "0")
}

/// Runs an emulator from a thread that has given up what the program must not have.
fn confined_status_of(
    command: &mut Command,
    emulator: &Path,
    executable: &Path,
) -> Result<io::Result<ExitCode>, Failure> {
    let directory = switch(FILES).map(|name| if name == "1" { ".".into() } else { PathBuf::from(name) });
    let open = |path: PathBuf| PathFd::new(&path).map_err(|error| Failure::file(&path, error));
    let directory = directory.map(open).transpose()?;
    let work = || {
        if let Err(error) = confine::emulator(emulator, executable, directory) {
            let _ = writeln!(io::stderr(), "ice: warning: a hostile program has rights of its user: {error}");
        }
        let status = command.status()?;
        if status.signal() == Some(SIGSYS) {
            let text = "ice: the program made a system call that is not open to it, and is stopped";
            let _ = writeln!(io::stderr(), "{text}");
        }
        Ok(exit_code(status))
    };
    let joined = std::thread::scope(|scope| scope.spawn(work).join());
    Ok(joined.unwrap_or_else(|_| Err(io::ErrorKind::Other.into())))
}

/// A program and how it is started.
struct Program<'a> {
    name: &'a Path,
    arguments: &'a [OsString],
    trust: Trust,
}

impl Program<'_> {
    fn command(&self, executable: &Path) -> Command {
        let mut command = Command::new(executable);
        command.arg0(self.name).args(self.arguments);
        if self.trust == Trust::Full {
            command.env(TRUST, "1");
        }
        command
    }
}

/// Other places for programs, in the order in which they are tried.
fn other_places() -> [PathBuf; 4] {
    [std::env::temp_dir(), "/var/tmp".into(), "/dev/shm".into(), ".".into()]
}

/// Executes a program of the host, from another place if this one does not allow it.
fn native(executable: &Path, directory: TemporaryDirectory, program: &Program<'_>) -> io::Result<ExitCode> {
    let mut file = File::open(executable)?;
    let mut result = start(&file, executable, directory, program);
    for place in other_places() {
        if !result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied) {
            break;
        }
        let Ok(directory) = TemporaryDirectory::new(&place) else { continue };
        let copy = directory.path().join("program");
        io::Seek::rewind(&mut file)?;
        let mut output = File::options().write(true).create_new(true).mode(0o700).open(&copy)?;
        io::copy(&mut file, &mut output)?;
        drop(output);
        result = start(&File::open(&copy)?, &copy, directory, program);
    }
    result
}

/// Becomes the program, or waits for it where open files cannot be executed.
fn start(
    file: &File,
    executable: &Path,
    directory: TemporaryDirectory,
    program: &Program<'_>,
) -> io::Result<ExitCode> {
    let open_file = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    if open_file.exists() {
        drop(directory);
        return Err(program.command(&open_file).exec());
    }
    status_of(&mut program.command(executable))
}

fn status_of(command: &mut Command) -> io::Result<ExitCode> {
    command.status().map(exit_code)
}

fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
}
