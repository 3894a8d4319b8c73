//! Files and directories that are gone when the work is done, fails or is interrupted.
//!
//! Each is listed under a lock from the moment it exists until it is removed or has got its place. The first
//! of them starts a thread that waits for the signals by which a user or the system ends a program (SIGHUP,
//! SIGINT, SIGTERM); it removes what is listed and then ends the process as the signal would have. A signal
//! that this process was started to ignore (`nohup`) stays ignored. Names are random and tried again where
//! they are taken, so that what a killed process left never stands in the way.
//!
//! Cost: one thread that sleeps, and only where a temporary file is made.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError, mpsc};
use tempfile::{Builder, NamedTempFile, TempDir};

/// Everything that must not be left behind.
static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The list, which a signal does not find half changed.
fn live() -> MutexGuard<'static, Vec<PathBuf>> {
    static WATCH: Once = Once::new();
    WATCH.call_once(watch);
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The signals that this process ignores, as bits from signal 1 on.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Starts the thread and returns when it is ready.
fn watch() {
    let ignored = ignored_signals();
    let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(move |signal| ignored >> (signal - 1) & 1 == 0);
    let (ready, wait) = mpsc::channel();
    let work = move || {
        let signals = Signals::new(wanted);
        let _ = ready.send(());
        let signal = signals.ok().and_then(|mut signals| signals.forever().next());
        if let Some(signal) = signal {
            let live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
            live.iter().for_each(|path| remove(path));
            let _ = emulate_default_handler(signal);
        }
    };
    // Without the thread no signal is caught and each ends the process as ever.
    let thread = std::thread::Builder::new().name("signals".to_owned()).stack_size(1 << 16).spawn(work);
    if thread.is_ok() {
        let _ = wait.recv();
    }
}

/// Removes a file or a directory into which a child may still be writing.
fn remove(path: &Path) {
    for _ in 0..8 {
        if std::fs::remove_file(path).is_ok() || std::fs::remove_dir_all(path).is_ok() {
            return;
        }
    }
}

/// Something that removes itself when it is dropped, and its entry in the list.
#[derive(Debug)]
struct Listed<T> {
    inner: Option<T>,
    path: PathBuf,
}

impl<T> Listed<T> {
    fn new(make: impl FnOnce() -> io::Result<T>, path: impl FnOnce(&T) -> &Path) -> io::Result<Listed<T>> {
        let mut live = live();
        let inner = make()?;
        let path = path(&inner).to_owned();
        live.push(path.clone());
        Ok(Listed { inner: Some(inner), path })
    }

    /// Does the last thing with it, and takes it from the list.
    fn end<R>(&mut self, act: impl FnOnce(T) -> R) -> Option<R> {
        let mut live = live();
        let result = self.inner.take().map(act);
        live.retain(|path| *path != self.path);
        result
    }
}

impl<T> Drop for Listed<T> {
    fn drop(&mut self) {
        self.end(drop);
    }
}

/// A file that is removed unless it gets a place.
#[derive(Debug)]
pub struct TemporaryFile(Listed<NamedTempFile>);

impl TemporaryFile {
    /// Creates a file beside `path` with the permissions of a new file.
    ///
    /// # Errors
    /// Those of the system.
    pub fn beside(path: &Path) -> io::Result<TemporaryFile> {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let directory = directory.unwrap_or(Path::new("."));
        // With this function an error is the system's; the crate's own would name a file that the user does not know.
        let open = |path: &Path| File::options().read(true).write(true).create_new(true).open(path);
        let make = || Builder::new().prefix(".ice-").make_in(directory, open);
        Ok(TemporaryFile(Listed::new(make, NamedTempFile::path)?))
    }

    /// The open file.
    pub fn file(&mut self) -> io::Result<&mut File> {
        match &mut self.0.inner {
            Some(file) => Ok(file.as_file_mut()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Gives it the name `path`, in place of what has it.
    ///
    /// # Errors
    /// Those of the system; then it is removed.
    pub fn persist(mut self, path: &Path) -> io::Result<()> {
        match self.0.end(|file| file.persist(path)) {
            Some(Err(error)) => Err(error.error),
            _ => Ok(()),
        }
    }
}

/// A directory that is removed with its contents when this is dropped.
#[derive(Debug)]
pub struct TemporaryDirectory(Listed<TempDir>);

impl TemporaryDirectory {
    /// How the names of all of them begin.
    pub const PREFIX: &'static str = "ice-";

    /// Creates a directory in `parent` that only its owner may enter.
    ///
    /// # Errors
    /// Those of the system.
    pub fn new(parent: &Path) -> io::Result<TemporaryDirectory> {
        let mut builder = Builder::new();
        let builder = builder.prefix(Self::PREFIX).permissions(Permissions::from_mode(0o700));
        Ok(TemporaryDirectory(Listed::new(|| builder.tempdir_in(parent), TempDir::path)?))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0.path
    }
}
