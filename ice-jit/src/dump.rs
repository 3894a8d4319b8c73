//! Generated functions and their code for `perf inject --jit`: the file `jit-PID.dump`.
//!
//! The form is that of the kernel's `tools/perf/Documentation/jitdump-specification.txt`, version 1: a head, and a record
//! for each function with what `perf` cannot look up when the process is gone, its address, its code and the time. `perf`
//! learns of the file when it is mapped as if it were code, which the head is.
//!
//! It is written for whoever looks on, so that a record which cannot be written is no error.

use crate::error::Error;
use crate::memory::lock;
use crate::object::Placed;
use crate::raw::Marker;
use ice_driver::RelocationModel;
use ice_driver::machine::Machine;
use rustix::thread::gettid;
use rustix::time::{ClockId, clock_gettime};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Mutex;

/// `JiTD`.
const MAGIC: u32 = 0x4a69_5444;
const VERSION: u32 = 1;
/// Bytes of the head.
const HEAD: u32 = 40;
/// The record `JIT_CODE_LOAD`, and the bytes of it before the name.
const CODE_LOAD: u32 = 0;
const LOAD_HEAD: usize = 56;

/// The file.
pub(crate) struct Dump {
    file: Mutex<(File, u64)>,
    _marker: Marker,
}

/// Nanoseconds of the clock that `perf record -k mono` uses.
fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

impl Dump {
    /// Makes the file of this process in a directory.
    ///
    /// # Errors
    /// It cannot be made, or not be mapped.
    pub(crate) fn create(directory: &Path, machine: &dyn Machine) -> Result<Dump, Error> {
        let create = || -> io::Result<Dump> {
            let path = directory.join(format!("jit-{}.dump", std::process::id()));
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(true);
            let mut file = options.mode(0o600).custom_flags(libc::O_NOFOLLOW).open(path)?;
            let mut head = Vec::new();
            let elf = u32::from(machine.format(RelocationModel::Static).machine);
            for word in [MAGIC, VERSION, HEAD, elf, 0, std::process::id()] {
                head.extend(word.to_ne_bytes());
            }
            head.extend(now().to_ne_bytes());
            head.extend(0u64.to_ne_bytes());
            file.write_all(&head)?;
            let marker = Marker::new(&file)?;
            Ok(Dump { file: Mutex::new((file, 0)), _marker: marker })
        };
        create().map_err(Error::PerfDump)
    }

    /// Adds functions, each in one write.
    pub(crate) fn add(&self, placed: &Placed<'_>) {
        let mut file = lock(&self.file);
        let thread = gettid().as_raw_nonzero().get() as u32;
        for &(offset, size, name) in &placed.functions {
            let (address, code) = (placed.address + offset, &placed.code[offset as usize..][..size as usize]);
            let total = (LOAD_HEAD + name.len() + 1 + code.len()) as u32;
            let mut record = Vec::with_capacity(total as usize);
            [CODE_LOAD, total].iter().for_each(|word| record.extend(word.to_ne_bytes()));
            record.extend(now().to_ne_bytes());
            [std::process::id(), thread].iter().for_each(|word| record.extend(word.to_ne_bytes()));
            [address, address, size, file.1].iter().for_each(|word| record.extend(word.to_ne_bytes()));
            // A name ends with its first zero.
            record.extend(name.iter().map(|&byte| if byte == 0 { b' ' } else { byte }));
            record.push(0);
            record.extend(code);
            file.1 += 1;
            let _ = file.0.write_all(&record);
        }
    }
}
