//! Runs a program that was just built, so that it looks to the caller as if it had been started itself.
//!
//! Where the host runs the program, this process becomes it: exit code, signals and terminal are the
//! program's own. The file is opened, its directory removed and the open file executed, so that nothing is
//! left behind. Programs of other machines run under an emulator as a child; a signal that ends it becomes
//! the exit code 128 + its number, as in a shell.

use crate::arch::Arch;
use crate::cli::Failure;
use crate::files::TemporaryDirectory;
use std::ffi::OsString;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The emulator for programs of a machine.
const fn emulator(arch: Arch) -> &'static str {
    match arch {
        Arch::X86_32 => "qemu-i386",
        Arch::X86_64 => "qemu-x86_64",
        Arch::Arm32 => "qemu-arm",
        Arch::Mips32 => "qemu-mipsel",
    }
}

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
    if arch.is_native() {
        let file = File::open(executable).map_err(|error| Failure::file(executable, error))?;
        let open_file = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        if open_file.exists() {
            drop(directory);
            let error = Command::new(open_file).arg0(name).args(arguments).exec();
            return Err(Failure::file(name, error));
        }
        return wait(Command::new(executable).arg0(name).args(arguments), executable);
    }
    let emulator = emulator(arch);
    let mut command = Command::new(emulator);
    command.arg("-0").arg(name).arg(executable).args(arguments);
    wait(&mut command, Path::new(emulator))
}

fn wait(command: &mut Command, program: &Path) -> Result<ExitCode, Failure> {
    let status = command.status().map_err(|error| Failure::file(program, error))?;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    Ok(ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)))
}
