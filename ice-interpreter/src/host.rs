//! What a program gets from outside: descriptors, clocks, random bytes.
//!
//! The interpreter answers the rest of the run-time interfaces itself. Every method has a default that
//! refuses, so a host implements what it has.

use alloc::vec::Vec;

/// A NaCl error number (runtime specification, section 8.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Errno(pub u32);

impl Errno {
    /// Bad descriptor.
    pub const BADF: Errno = Errno(9);
    /// Try again.
    pub const AGAIN: Errno = Errno(11);
    /// No memory.
    pub const NOMEM: Errno = Errno(12);
    /// Bad address.
    pub const FAULT: Errno = Errno(14);
    /// Invalid argument.
    pub const INVAL: Errno = Errno(22);
    /// Not seekable.
    pub const SPIPE: Errno = Errno(29);
    /// Not implemented.
    pub const NOSYS: Errno = Errno(38);
    /// Time is over.
    pub const TIMEDOUT: Errno = Errno(110);
}

/// What a descriptor refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// A file with a size and a position.
    Regular,
    /// A directory.
    Directory,
    /// A terminal or another character device.
    Character,
    /// A pipe.
    Pipe,
}

impl FileKind {
    /// The type bits of `mode`.
    pub(super) const fn mode(self) -> u32 {
        match self {
            FileKind::Regular => 0o100_000,
            FileKind::Directory => 0o040_000,
            FileKind::Character => 0o020_000,
            FileKind::Pipe => 0o010_000,
        }
    }
}

/// What `fstat` tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileStatus {
    /// Kind of the file.
    pub kind: FileKind,
    /// Size in bytes.
    pub size: u64,
}

/// What an offset counts from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whence {
    /// The start.
    Start,
    /// The position.
    Current,
    /// The end.
    End,
}

/// One of the four clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// Time since 1970-01-01.
    Realtime,
    /// Time since some moment.
    Monotonic,
    /// CPU time of the program.
    Process,
    /// CPU time of the thread.
    Thread,
}

/// The outside world of a program. Times are in nanoseconds.
pub trait Host {
    /// Reads into `buf`; 0 at the end of the file.
    fn read(&mut self, fd: i32, buf: &mut [u8]) -> Result<usize, Errno> {
        let _ = (fd, buf);
        Err(Errno::BADF)
    }

    /// Writes the first bytes of `bytes` and tells how many.
    fn write(&mut self, fd: i32, bytes: &[u8]) -> Result<usize, Errno> {
        let _ = (fd, bytes);
        Err(Errno::BADF)
    }

    /// Moves the position of `fd` and gives the new one.
    fn seek(&mut self, fd: i32, offset: i64, whence: Whence) -> Result<i64, Errno> {
        let _ = (fd, offset, whence);
        Err(Errno::SPIPE)
    }

    /// Closes `fd`.
    fn close(&mut self, fd: i32) -> Result<(), Errno> {
        let _ = fd;
        Ok(())
    }

    /// Kind and size of `fd`.
    fn fstat(&mut self, fd: i32) -> Result<FileStatus, Errno> {
        let _ = fd;
        Err(Errno::BADF)
    }

    /// A second descriptor for `fd`: `wanted` if given.
    fn dup(&mut self, fd: i32, wanted: Option<i32>) -> Result<i32, Errno> {
        let _ = (fd, wanted);
        Err(Errno::NOSYS)
    }

    /// The time of `clock`.
    fn now(&mut self, clock: Clock) -> u64 {
        let _ = clock;
        0
    }

    /// Lets time pass; called only when no thread can run.
    fn sleep(&mut self, nanoseconds: u64) {
        let _ = nanoseconds;
    }

    /// Fills the first bytes of `buf` with random bytes and tells how many.
    fn random(&mut self, buf: &mut [u8]) -> Result<usize, Errno> {
        let _ = buf;
        Err(Errno::NOSYS)
    }
}

/// A world with nothing in it.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoHost;

impl Host for NoHost {}

/// A closed, deterministic world: fixed input, collected output, a clock that moves when it is looked at.
#[derive(Clone, Default, Debug)]
pub struct CaptureHost {
    /// What is still to be read from descriptor 0.
    pub input: Vec<u8>,
    /// Everything written to descriptor 1.
    pub output: Vec<u8>,
    /// Everything written to descriptor 2.
    pub errors: Vec<u8>,
    time: u64,
    random: u32,
}

impl Host for CaptureHost {
    fn read(&mut self, fd: i32, buf: &mut [u8]) -> Result<usize, Errno> {
        if fd != 0 {
            return Err(Errno::BADF);
        }
        let count = buf.len().min(self.input.len());
        buf[..count].copy_from_slice(&self.input[..count]);
        self.input.drain(..count);
        Ok(count)
    }

    fn write(&mut self, fd: i32, bytes: &[u8]) -> Result<usize, Errno> {
        match fd {
            1 => self.output.extend_from_slice(bytes),
            2 => self.errors.extend_from_slice(bytes),
            _ => return Err(Errno::BADF),
        }
        Ok(bytes.len())
    }

    fn fstat(&mut self, fd: i32) -> Result<FileStatus, Errno> {
        match fd {
            0..=2 => Ok(FileStatus { kind: FileKind::Pipe, size: 0 }),
            _ => Err(Errno::BADF),
        }
    }

    fn now(&mut self, _: Clock) -> u64 {
        self.time += 1000;
        self.time
    }

    fn sleep(&mut self, nanoseconds: u64) {
        self.time = self.time.saturating_add(nanoseconds);
    }

    fn random(&mut self, buf: &mut [u8]) -> Result<usize, Errno> {
        for byte in &mut *buf {
            // The low bits of this congruential generator repeat soon; the high ones do for a test.
            self.random = self.random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *byte = (self.random >> 24) as u8;
        }
        Ok(buf.len())
    }
}
