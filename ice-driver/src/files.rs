//! Reading inputs and writing outputs: `-`, and files that appear whole or not at all.
//!
//! An output file is written under a temporary name beside its place and renamed when it is whole, with the
//! permissions of the file that it replaces; where it is dropped before, or the process is interrupted, the
//! temporary file is removed. Places that are no regular files (a pipe, a device) and the standard output get
//! their bytes at the end, all at once.

use crate::temporary::TemporaryFile;
use ice_elf::{Sink, SinkError};
use std::fs::{File, Permissions};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Bytes gathered before they are written.
const BUFFER_SIZE: usize = 1 << 16;

/// The path that stands for standard input and output.
pub fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// First bytes of an input, which tell forms whose functions can be translated while the rest is read.
const START: usize = 4;

/// The standard input without a buffer.
fn standard_input() -> io::Result<File> {
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

/// A file or the standard input, of which the first bytes are read.
pub struct Input {
    start: Vec<u8>,
    /// How many of these were given out.
    given: usize,
    rest: File,
    /// Bytes of the whole, of a file that has a length.
    length: Option<usize>,
}

impl Input {
    /// Opens `path`; `-` is the standard input.
    ///
    /// # Errors
    /// Those of opening and reading.
    pub fn open(path: &Path) -> io::Result<Input> {
        let (mut rest, length) = match is_dash(path) {
            true => (standard_input()?, None),
            false => {
                let file = File::open(path)?;
                let metadata = file.metadata()?;
                // What is no regular file, and files that are made while they are read, say 0.
                let length =
                    usize::try_from(metadata.len()).ok().filter(|&len| metadata.is_file() && len > 0);
                (file, length)
            }
        };
        let mut start = Vec::new();
        (&mut rest).take(START as u64).read_to_end(&mut start)?;
        Ok(Input { start, given: 0, rest, length })
    }

    /// The standard input, whose first bytes another process has read.
    ///
    /// # Errors
    /// There is none.
    pub fn resume(start: Vec<u8>, length: Option<usize>) -> io::Result<Input> {
        Ok(Input { start, given: 0, rest: standard_input()?, length })
    }

    /// What is behind the [first bytes](Self::start), if nothing was read through this.
    pub fn into_file(self) -> File {
        self.rest
    }

    /// The first bytes.
    pub fn start(&self) -> &[u8] {
        &self.start
    }

    /// The bytes of the whole input, if they are known.
    pub fn length(&self) -> Option<usize> {
        self.length
    }

    /// Reads the whole input.
    ///
    /// # Errors
    /// Those of reading.
    pub fn read_all(mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(self.length.unwrap_or(0));
        bytes.extend_from_slice(&self.start[self.given..]);
        // A file writes into room that nobody has cleared.
        self.rest.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl Read for Input {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = (&self.start[self.given..]).read(bytes)?;
        self.given += count;
        if count > 0 || bytes.is_empty() { Ok(count) } else { self.rest.read(bytes) }
    }
}

/// How the system names the descriptors of this process. What they lead to is written to and never replaced,
/// also where it is a file.
const DESCRIPTORS: [&str; 3] = ["/dev", "/dev/fd", "/proc/self/fd"];
/// Those of the standard output.
const STANDARD_OUTPUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

fn is_descriptor(path: &Path) -> bool {
    let parent = path.parent().unwrap_or(path);
    path.is_symlink() && DESCRIPTORS.iter().any(|name| parent == Path::new(name))
}

enum Destination {
    /// All bytes wait here for the standard output.
    StandardOutput,
    /// All bytes wait here for something that cannot be replaced.
    Special(PathBuf),
    /// A file that another process names.
    Inherited(File),
    /// A temporary file, the name that it gets, and the permissions of the file that has this name now.
    File { temporary: TemporaryFile, path: PathBuf, permissions: Option<Permissions> },
}

/// An output that appears when it is whole.
pub struct Output {
    place: Destination,
    /// Bytes not yet written.
    buffer: Vec<u8>,
    /// Bytes written.
    written: u64,
    /// Why writing failed, for callers whose interface has no place for it.
    error: Option<io::Error>,
}

impl Output {
    /// Starts an output to `path`; `-` is the standard output.
    ///
    /// # Errors
    /// The temporary file cannot be created.
    pub fn create(path: &Path) -> io::Result<Output> {
        let place = if STANDARD_OUTPUT.iter().any(|name| path == Path::new(name)) {
            Destination::StandardOutput
        } else if is_descriptor(path) {
            Destination::Special(path.to_owned())
        } else {
            // A link stays and the file behind it is replaced.
            let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            let old = std::fs::metadata(&path).ok();
            match &old {
                Some(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
                Some(metadata) if !metadata.is_file() => Destination::Special(path),
                _ => {
                    let temporary = TemporaryFile::beside(&path)?;
                    Destination::File {
                        temporary,
                        path,
                        permissions: old.map(|metadata| metadata.permissions()),
                    }
                }
            }
        };
        Ok(Output { place, buffer: Vec::with_capacity(BUFFER_SIZE), written: 0, error: None })
    }

    /// The standard output of a process that writes for another: as a file in any order, or from start to end.
    ///
    /// # Errors
    /// There is none.
    pub fn inherited(is_file: bool) -> io::Result<Output> {
        let place = match is_file {
            true => Destination::Inherited(io::stdout().as_fd().try_clone_to_owned()?.into()),
            false => Destination::StandardOutput,
        };
        Ok(Output { place, buffer: Vec::with_capacity(BUFFER_SIZE), written: 0, error: None })
    }

    /// Whether bytes are written as they come and can be changed.
    pub fn is_file(&self) -> bool {
        matches!(self.place, Destination::Inherited(_) | Destination::File { .. })
    }

    /// The place as the standard output of a process that writes for this one. Nothing was written before.
    ///
    /// # Errors
    /// The place cannot be opened.
    pub fn for_child(&mut self) -> io::Result<Stdio> {
        Ok(match &mut self.place {
            Destination::StandardOutput => Stdio::inherit(),
            Destination::Special(path) => File::options().append(true).open(path)?.into(),
            Destination::Inherited(file) => file.try_clone()?.into(),
            Destination::File { temporary, .. } => temporary.file()?.try_clone()?.into(),
        })
    }

    /// The file that is written as bytes come.
    fn file(&mut self) -> io::Result<Option<&mut File>> {
        match &mut self.place {
            Destination::Inherited(file) => Ok(Some(file)),
            Destination::File { temporary, .. } => temporary.file().map(Some),
            Destination::StandardOutput | Destination::Special(_) => Ok(None),
        }
    }

    /// Why writing failed.
    pub fn error(&mut self) -> io::Error {
        self.error.take().unwrap_or_else(|| io::ErrorKind::Other.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        let buffer = core::mem::take(&mut self.buffer);
        let Some(file) = self.file()? else {
            self.buffer = buffer;
            return Ok(());
        };
        file.write_all(&buffer)?;
        self.written += buffer.len() as u64;
        self.buffer = buffer;
        self.buffer.clear();
        Ok(())
    }

    /// Puts the whole output into its place.
    ///
    /// # Errors
    /// Those of writing; then nothing is left of a file.
    pub fn commit(mut self) -> io::Result<()> {
        self.flush()?;
        match self.place {
            Destination::StandardOutput => {
                let mut out = io::stdout().lock();
                out.write_all(&self.buffer)?;
                out.flush()
            }
            Destination::Inherited(_) => Ok(()),
            Destination::Special(path) => File::options().append(true).open(path)?.write_all(&self.buffer),
            Destination::File { mut temporary, path, permissions } => {
                if let Some(permissions) = permissions {
                    temporary.file()?.set_permissions(permissions)?;
                }
                temporary.persist(&path)
            }
        }
    }

    /// Keeps an error for [`Output::error`].
    fn failed(&mut self, error: io::Error) -> SinkError {
        let os_code = error.raw_os_error();
        self.error.get_or_insert(error);
        SinkError::Io { os_code }
    }
}

/// Copies a finished executable to `path`; `-` is the standard output.
///
/// # Errors
/// Those of reading and writing; then nothing is left of the copy.
pub fn install_executable(executable: &Path, path: &Path) -> io::Result<()> {
    let bytes = std::fs::read(executable)?;
    let mut output = Output::create(path)?;
    if let Destination::File { permissions, .. } = &mut output.place {
        // With the linker's permissions, which follow the user's mask; an old file keeps its own and may be run.
        let linkers = std::fs::metadata(executable)?.permissions().mode();
        let mode = permissions.as_ref().map_or(linkers, |old| old.mode() | linkers & 0o111);
        *permissions = Some(Permissions::from_mode(mode));
    }
    output.buffer = bytes;
    output.commit()
}

/// Writes a new file that its owner may run.
///
/// # Errors
/// It is there, or cannot be written.
pub fn write_executable(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().write(true).create_new(true).mode(0o700).open(path)?;
    file.write_all(bytes)
}

impl Sink for Output {
    fn append(&mut self, bytes: &[u8]) -> Result<(), SinkError> {
        Sink::append(&mut self.buffer, bytes)?;
        if self.buffer.len() >= BUFFER_SIZE {
            self.flush().map_err(|error| self.failed(error))?;
        }
        Ok(())
    }

    fn patch(&mut self, offset: u64, bytes: &[u8]) -> Result<(), SinkError> {
        self.flush().map_err(|error| self.failed(error))?;
        let written = self.written;
        let result = match self.file() {
            Ok(None) => return self.buffer.patch(offset, bytes),
            Ok(Some(_)) if offset.checked_add(bytes.len() as u64).is_none_or(|end| end > written) => {
                return Err(SinkError::OutOfBounds { offset });
            }
            Ok(Some(file)) => file.write_all_at(bytes, offset),
            Err(error) => Err(error),
        };
        result.map_err(|error| self.failed(error))
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
    use crate::temporary::TemporaryDirectory;

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
    fn an_old_file_keeps_its_permissions() {
        let directory = TemporaryDirectory::new(&std::env::temp_dir()).unwrap();
        let path = directory.path().join("out");
        let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        Output::create(&path).unwrap().commit().unwrap();
        assert_eq!(mode() & 0o111, 0);
        for old in [0o640, 0o444, 0o751] {
            std::fs::set_permissions(&path, Permissions::from_mode(old)).unwrap();
            Output::create(&path).unwrap().commit().unwrap();
            assert_eq!(mode(), old);
        }
        let linked = directory.path().join("linked");
        std::fs::write(&linked, "program").unwrap();
        std::fs::set_permissions(&linked, Permissions::from_mode(0o755)).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        install_executable(&linked, &path).unwrap();
        assert_eq!(mode(), 0o711);
        std::fs::remove_file(&path).unwrap();
        install_executable(&linked, &path).unwrap();
        assert_eq!(mode(), 0o755);
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
