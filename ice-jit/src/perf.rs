//! Names of generated functions for `perf`: `/tmp/perf-PID.map`, a line with address, size and name for each.
//!
//! The file grows with every function that comes into memory; of several that were at one address `perf` takes the last,
//! and [`dump`](crate::dump) has what was there when. It is written for whoever looks on, so that a line which cannot be
//! written is no error.

use crate::error::Error;
use crate::object::Placed;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Mutex;

/// Whether the names of functions are written for `perf`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PerfMap {
    /// No.
    #[default]
    None,
    /// To `/tmp/perf-PID.map`, where `perf` looks for them.
    Written,
}

/// The file.
pub(crate) struct Names(Mutex<File>);

impl Names {
    /// Opens the file of this process; `None` if none is wanted.
    ///
    /// # Errors
    /// It cannot be opened, or is a link of somebody's.
    pub(crate) fn open(map: PerfMap) -> Result<Option<Names>, Error> {
        if map == PerfMap::None {
            return Ok(None);
        }
        let path = format!("/tmp/perf-{}.map", std::process::id());
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
        options.open(path).map(|file| Some(Names(Mutex::new(file)))).map_err(Error::PerfMap)
    }

    /// Adds functions. In one write, so that lines of several threads and of several `Jit`s do not
    /// mix.
    pub(crate) fn add(&self, placed: &Placed<'_>) {
        let mut text = Vec::new();
        for &(offset, size, name) in &placed.functions {
            let address = placed.address + offset;
            // Writing into a vector cannot fail. A name must not end its line.
            let _ = write!(text, "{address:x} {size:x} ");
            text.extend(name.iter().map(|&byte| if byte == b'\n' { b' ' } else { byte }));
            text.push(b'\n');
        }
        let _ = crate::memory::lock(&self.0).write_all(&text);
    }
}
