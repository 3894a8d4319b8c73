//! Reading inputs and writing outputs: `-`, and files that appear whole or not at all.
//!
//! An output file is written under a temporary name beside its place and renamed when it is whole; where it
//! is dropped before, the temporary file is removed. Places that are no regular files (a pipe, a device)
//! and the standard output get their bytes at the end, all at once.

use ice_elf::{Sink, SinkError};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Bytes gathered before they are written.
const BUFFER_SIZE: usize = 1 << 16;

/// The path that stands for standard input and output.
pub fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a whole file or the standard input.
///
/// # Errors
/// Those of reading.
pub fn read_input(path: &Path) -> io::Result<Vec<u8>> {
    if !is_dash(path) {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A number that no other call in this process got, and that other processes do not share.
fn unique_suffix() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A file name beside `path` that is not in use.
pub fn temporary_beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".ice-{}", unique_suffix()));
    path.with_file_name(name)
}

/// A directory that is removed with its contents when this is dropped.
#[derive(Debug)]
pub struct TemporaryDirectory(PathBuf);

impl TemporaryDirectory {
    /// How the names of all of them begin.
    pub const PREFIX: &'static str = "ice-";

    /// Creates a directory in `parent` that only its owner may enter.
    ///
    /// # Errors
    /// Those of the system.
    pub fn new(parent: &Path) -> io::Result<TemporaryDirectory> {
        loop {
            let path = parent.join(format!("{}{}", Self::PREFIX, unique_suffix()));
            match std::fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(TemporaryDirectory(path)),
                // Left by a process of the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

enum Place {
    /// All bytes wait here for the standard output.
    StandardOutput,
    /// All bytes wait here for something that cannot be replaced.
    Special(PathBuf),
    /// A temporary file and the name that it gets.
    File { file: File, temporary: PathBuf, path: PathBuf },
}

/// An output that appears when it is whole.
pub struct Output {
    place: Place,
    /// Bytes not yet written.
    buffer: Vec<u8>,
    /// Bytes written.
    written: u64,
}

impl Output {
    /// Starts an output to `path`; `-` is the standard output.
    ///
    /// # Errors
    /// The temporary file cannot be created.
    pub fn create(path: &Path) -> io::Result<Output> {
        let place = if is_dash(path) {
            Place::StandardOutput
        } else {
            // A link stays and the file behind it is replaced.
            let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            match std::fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
                Ok(metadata) if !metadata.is_file() => Place::Special(path),
                _ => {
                    let temporary = temporary_beside(&path);
                    let file = File::options().write(true).create_new(true).open(&temporary)?;
                    Place::File { file, temporary, path }
                }
            }
        };
        Ok(Output { place, buffer: Vec::new(), written: 0 })
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Place::File { file, .. } = &mut self.place {
            file.write_all(&self.buffer)?;
            self.written += self.buffer.len() as u64;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Puts the whole output into its place.
    ///
    /// # Errors
    /// Those of writing; then nothing is left of a file.
    pub fn commit(mut self) -> io::Result<()> {
        self.flush()?;
        match &self.place {
            Place::StandardOutput => {
                let mut out = io::stdout().lock();
                out.write_all(&self.buffer)?;
                out.flush()
            }
            Place::Special(path) => File::options().write(true).open(path)?.write_all(&self.buffer),
            Place::File { temporary, path, .. } => std::fs::rename(temporary, path),
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Place::File { temporary, .. } = &self.place {
            // After a rename there is nothing under this name.
            let _ = std::fs::remove_file(temporary);
        }
    }
}

/// Copies a finished executable to `path`; `-` is the standard output.
///
/// # Errors
/// Those of reading and writing; then nothing is left of the copy.
pub fn install_executable(executable: &Path, path: &Path) -> io::Result<()> {
    let bytes = std::fs::read(executable)?;
    let mut output = Output::create(path)?;
    if let Place::File { file, .. } = &output.place {
        // With the linker's permissions, which follow the user's mask.
        file.set_permissions(std::fs::metadata(executable)?.permissions())?;
    }
    output.buffer = bytes;
    output.commit()
}

fn sink_error(error: io::Error) -> SinkError {
    SinkError::Io { os_code: error.raw_os_error() }
}

impl Sink for Output {
    fn append(&mut self, bytes: &[u8]) -> Result<(), SinkError> {
        Sink::append(&mut self.buffer, bytes)?;
        if self.buffer.len() >= BUFFER_SIZE {
            self.flush().map_err(sink_error)?;
        }
        Ok(())
    }

    fn patch(&mut self, offset: u64, bytes: &[u8]) -> Result<(), SinkError> {
        match &mut self.place {
            Place::File { file, .. } => {
                file.write_all(&self.buffer).map_err(sink_error)?;
                self.written += self.buffer.len() as u64;
                self.buffer.clear();
                if offset.checked_add(bytes.len() as u64).is_none_or(|end| end > self.written) {
                    return Err(SinkError::OutOfBounds { offset });
                }
                file.write_all_at(bytes, offset).map_err(sink_error)
            }
            _ => self.buffer.patch(offset, bytes),
        }
    }
}

impl core::fmt::Write for Output {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.append(text.as_bytes()).map_err(|_| core::fmt::Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let directory = TemporaryDirectory::new(&std::env::temp_dir()).unwrap();
        let path = directory.path().join("out");
        let mut output = Output::create(&path).unwrap();
        output.append(&[7; BUFFER_SIZE + 1]).unwrap();
        drop(output);
        assert!(names(directory.path()).is_empty());

        let mut output = Output::create(&path).unwrap();
        output.append(&[1; BUFFER_SIZE]).unwrap();
        output.append(&[2, 2]).unwrap();
        assert!(!path.exists());
        output.patch(1, &[9, 9]).unwrap();
        output.append(&[3]).unwrap();
        let end = BUFFER_SIZE as u64 + 3;
        assert_eq!(output.patch(end, &[0]), Err(SinkError::OutOfBounds { offset: end }));
        output.commit().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes.len() as u64, end);
        assert_eq!((&bytes[..4], &bytes[BUFFER_SIZE..]), (&[1, 9, 9, 1][..], &[2, 2, 3][..]));
        assert_eq!(names(directory.path()), ["out"]);

        // An old file stays when the new one fails.
        drop(Output::create(&path).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn links_stay_and_devices_are_not_replaced() {
        let directory = TemporaryDirectory::new(&std::env::temp_dir()).unwrap();
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        let mut output = Output::create(&link).unwrap();
        output.append(b"new").unwrap();
        output.commit().unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert!(link.is_symlink());
        let mut output = Output::create(Path::new("/dev/null")).unwrap();
        output.append(b"gone").unwrap();
        output.commit().unwrap();
        assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
        assert!(Output::create(directory.path()).is_err());
    }
}
