//! Runs a program that was just built, so that it looks to the caller as if it had been started itself.
//!
//! Where the host runs the program, this process becomes it: exit code, signals and terminal are the
//! program's own. The file is opened, its directory removed and the open file executed, so that nothing is
//! left behind. Where the place of the build forbids execution (a file system mounted `noexec`), the program is
//! copied to another. Programs of other machines run under an emulator as a child; a signal that ends it becomes
//! the exit code 128 + its number, as in a shell.

use crate::cli::Failure;
use crate::machine::{Arch, Features};
use crate::temporary::TemporaryDirectory;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

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
) -> Result<ExitCode, Failure> {
    let machine = arch.machine();
    if Arch::host().is_some_and(|host| machine.is_native_on(host)) {
        return native(executable, directory, name, arguments).map_err(|error| Failure::file(name, error));
    }
    let emulator = machine.tools(Features::default(), Arch::host()).emulator;
    let mut command = Command::new(emulator);
    command.arg("-0").arg(name).arg(executable).args(arguments);
    status_of(&mut command).map_err(|error| Failure::file(Path::new(emulator), error))
}

/// Other places for programs, in the order in which they are tried.
fn other_places() -> [PathBuf; 4] {
    [std::env::temp_dir(), "/var/tmp".into(), "/dev/shm".into(), ".".into()]
}

/// Executes a program of the host, from another place if this one does not allow it.
fn native(
    executable: &Path,
    directory: TemporaryDirectory,
    name: &Path,
    arguments: &[OsString],
) -> io::Result<ExitCode> {
    let mut file = File::open(executable)?;
    let mut result = start(&file, executable, directory, name, arguments);
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
        result = start(&File::open(&copy)?, &copy, directory, name, arguments);
    }
    result
}

/// Becomes the program, or waits for it where open files cannot be executed.
fn start(
    file: &File,
    executable: &Path,
    directory: TemporaryDirectory,
    name: &Path,
    arguments: &[OsString],
) -> io::Result<ExitCode> {
    let open_file = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    if open_file.exists() {
        drop(directory);
        return Err(Command::new(open_file).arg0(name).args(arguments).exec());
    }
    status_of(Command::new(executable).arg0(name).args(arguments))
}

fn status_of(command: &mut Command) -> io::Result<ExitCode> {
    let status = command.status()?;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    Ok(ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)))
}
