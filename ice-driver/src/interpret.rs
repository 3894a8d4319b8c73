//! `ice interpret`: the reference interpreter with the host's descriptors, clocks and random bytes.

use crate::cli::Failure;
use crate::error::Error;
use crate::flags::Invocation;
use ice_interpreter::{Clock, Errno, FileKind, FileStatus, Host, Interpreter, TrapKind, Whence};
use ice_ir::Program;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

/// This process as the world of an interpreted program: descriptors 0, 1 and 2, and copies of them.
struct ProcessHost {
    files: Vec<Option<File>>,
    random: Option<File>,
    start: Instant,
}

/// The most descriptors a program may have.
const MAX_DESCRIPTORS: usize = 1024;

impl ProcessHost {
    fn new() -> ProcessHost {
        let copy = |fd: BorrowedFd<'_>| fd.try_clone_to_owned().ok().map(File::from);
        let files = vec![copy(io::stdin().as_fd()), copy(io::stdout().as_fd()), copy(io::stderr().as_fd())];
        ProcessHost { files, random: File::open("/dev/urandom").ok(), start: Instant::now() }
    }

    fn file(&mut self, fd: i32) -> Result<&mut File, Errno> {
        let index = usize::try_from(fd).map_err(|_| Errno::BADF)?;
        self.files.get_mut(index).and_then(Option::as_mut).ok_or(Errno::BADF)
    }
}

/// The error numbers of NaCl are those of Linux on x86.
fn errno(error: io::Error) -> Errno {
    match error.raw_os_error().and_then(|code| u32::try_from(code).ok()) {
        Some(code) => Errno(code),
        None => Errno::INVAL,
    }
}

impl Host for ProcessHost {
    fn read(&mut self, fd: i32, buf: &mut [u8]) -> Result<usize, Errno> {
        self.file(fd)?.read(buf).map_err(errno)
    }

    fn write(&mut self, fd: i32, bytes: &[u8]) -> Result<usize, Errno> {
        self.file(fd)?.write(bytes).map_err(errno)
    }

    fn seek(&mut self, fd: i32, offset: i64, whence: Whence) -> Result<i64, Errno> {
        let position = match whence {
            Whence::Start => SeekFrom::Start(u64::try_from(offset).map_err(|_| Errno::INVAL)?),
            Whence::Current => SeekFrom::Current(offset),
            Whence::End => SeekFrom::End(offset),
        };
        let position = self.file(fd)?.seek(position).map_err(errno)?;
        i64::try_from(position).map_err(|_| Errno::INVAL)
    }

    fn close(&mut self, fd: i32) -> Result<(), Errno> {
        self.file(fd)?;
        self.files[fd as usize] = None;
        Ok(())
    }

    fn fstat(&mut self, fd: i32) -> Result<FileStatus, Errno> {
        let metadata = self.file(fd)?.metadata().map_err(errno)?;
        let file_type = metadata.file_type();
        let kind = if file_type.is_file() {
            FileKind::Regular
        } else if file_type.is_dir() {
            FileKind::Directory
        } else if file_type.is_char_device() {
            FileKind::Character
        } else {
            FileKind::Pipe
        };
        Ok(FileStatus { kind, size: metadata.len() })
    }

    fn dup(&mut self, fd: i32, wanted: Option<i32>) -> Result<i32, Errno> {
        let copy = self.file(fd)?.try_clone().map_err(errno)?;
        let free = self.files.iter().position(Option::is_none).unwrap_or(self.files.len());
        let index = match wanted {
            Some(wanted) => usize::try_from(wanted).map_err(|_| Errno::BADF)?,
            None => free,
        };
        if index >= MAX_DESCRIPTORS {
            return Err(Errno::BADF);
        }
        if index >= self.files.len() {
            self.files.resize_with(index + 1, || None);
        }
        self.files[index] = Some(copy);
        Ok(index as i32)
    }

    fn now(&mut self, clock: Clock) -> u64 {
        let time = match clock {
            Clock::Realtime => SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default(),
            Clock::Monotonic | Clock::Process | Clock::Thread => self.start.elapsed(),
        };
        u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
    }

    fn sleep(&mut self, nanoseconds: u64) {
        std::thread::sleep(Duration::from_nanos(nanoseconds));
    }

    fn random(&mut self, buf: &mut [u8]) -> Result<usize, Errno> {
        self.random.as_mut().ok_or(Errno::NOSYS)?.read(buf).map_err(errno)
    }
}

/// The exit code of a program that trapped: what a shell shows for an illegal instruction.
const TRAPPED: u8 = 128 + 4;

/// Runs a program with the environment of this process; its exit code is the result. A trap is reported on
/// the error output.
///
/// # Errors
/// The program is none that could start.
pub fn interpret(program: &Program, work: &Invocation) -> Result<ExitCode, Failure> {
    let mut interpreter =
        Interpreter::new(program).map_err(|trap| Failure::input(&work.input, &Error::Interpret(trap)))?;
    let name = std::iter::once(work.input.as_os_str());
    let arguments: Vec<&[u8]> =
        name.chain(work.arguments.iter().map(OsString::as_os_str)).map(OsStr::as_bytes).collect();
    let environment: Vec<Vec<u8>> =
        std::env::vars_os().map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat()).collect();
    let environment: Vec<&[u8]> = environment.iter().map(Vec::as_slice).collect();
    match interpreter.run_program(&mut ProcessHost::new(), &arguments, &environment) {
        // As the system does, the low byte counts.
        Ok(status) => Ok(ExitCode::from(status as u8)),
        Err(trap) if matches!(trap.kind, TrapKind::Malformed(_)) => {
            Err(Failure::input(&work.input, &Error::Interpret(trap)))
        }
        Err(trap) => {
            let _ = writeln!(io::stderr(), "ice: {}: trap: {trap}", work.input.display());
            Ok(ExitCode::from(TRAPPED))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_copied_and_closed() {
        let mut host = ProcessHost::new();
        host.files = vec![File::open("/dev/null").ok(), None];
        assert_eq!(host.dup(0, None), Ok(1));
        assert_eq!(host.dup(0, Some(5)), Ok(5));
        assert_eq!(host.dup(0, None), Ok(2));
        assert_eq!(host.read(5, &mut [0; 4]), Ok(0));
        assert_eq!(host.close(5), Ok(()));
        for fd in [5, 3, -1, i32::MAX] {
            assert_eq!(host.close(fd), Err(Errno::BADF), "{fd}");
        }
        assert_eq!(host.dup(0, Some(i32::MAX)), Err(Errno::BADF));
        assert_eq!(host.fstat(0).map(|status| status.kind), Ok(FileKind::Character));
    }

    #[test]
    fn clocks_go_forward() {
        let mut host = ProcessHost::new();
        let first = host.now(Clock::Monotonic);
        host.sleep(1_000_000);
        assert!(host.now(Clock::Monotonic) >= first + 1_000_000);
        assert!(host.now(Clock::Realtime) > 1_600_000_000_000_000_000);
    }
}
