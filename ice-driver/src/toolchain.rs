//! The target's C compiler: finding it, compiling the runtime with it, linking programs.
//!
//! The runtime's sources are part of this program. Their objects are kept in the user's cache directory
//! under a hash of the sources, the compiler and its flags; they are compiled in a directory of their own,
//! which is renamed when it is complete, so that any number of processes may do it at once. Where the
//! cache cannot be written, the objects live as long as the build.

use crate::arch::Arch;
use crate::files::TemporaryDirectory;
use core::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

macro_rules! runtime_sources {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../runtime/", $name)))),*]
    };
}

/// Every file of the runtime that the compiler reads.
const RUNTIME_SOURCES: &[(&str, &str)] = runtime_sources! {
    "abi.c" "fdio.c" "filename.c" "irt.c" "memory.c" "runtime.c" "runtime.h" "start.c" "sync.c" "thread.c"
    "time.c" "arm.S" "i386.S" "mips.S" "x86_64.S"
};

/// What the compiler is told beside the target's own flags.
const COMPILE_FLAGS: &[&str] = &["-std=gnu11", "-O2", "-fno-pie", "-pthread", "-c"];

/// Ways to link, best first. A translated program holds addresses in 32 bits and cannot be moved.
const LINK_MODES: [&[&str]; 2] = [&["-static", "-no-pie"], &["-no-pie"]];

/// Why a program was not built.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// None of these compilers is installed.
    NoCompiler {
        /// The machine.
        arch: Arch,
        /// What was looked for.
        tried: String,
    },
    /// A compiler could not be started.
    Start(String, io::Error),
    /// A compiler ended with an error; this is what it said.
    Failed(String, String),
    /// Files of the build could not be written.
    Io(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoCompiler { arch, tried } => {
                write!(f, "no C compiler for {arch} found ({tried}); name one with --linker")
            }
            Error::Start(compiler, error) => write!(f, "{compiler}: {error}"),
            Error::Failed(compiler, output) => write!(f, "{compiler} failed:\n{}", output.trim_end()),
            Error::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::Io(error)
    }
}

/// A C compiler with the options that make it compile for a machine.
#[derive(Clone, Debug)]
pub struct Compiler {
    arch: Arch,
    path: PathBuf,
    options: Vec<String>,
}

/// The compilers of a machine in order of preference.
fn candidates(arch: Arch) -> &'static [&'static str] {
    match (arch, Arch::host()) {
        (Arch::X86_64, Some(Arch::X86_64)) => &["cc", "gcc", "clang"],
        (Arch::X86_64, _) => &["x86_64-linux-gnu-gcc"],
        (Arch::X86_32, Some(Arch::X86_32)) => &["cc", "gcc", "clang"],
        (Arch::X86_32, Some(Arch::X86_64)) => &["i686-linux-gnu-gcc", "gcc -m32", "cc -m32"],
        (Arch::X86_32, _) => &["i686-linux-gnu-gcc"],
        (Arch::Arm32, Some(Arch::Arm32)) => &["cc", "gcc", "clang"],
        (Arch::Arm32, _) => &["arm-linux-gnueabihf-gcc"],
        (Arch::Mips32, Some(Arch::Mips32)) => &["cc", "gcc", "clang"],
        (Arch::Mips32, _) => &["mipsel-linux-gnu-gcc"],
    }
}

/// The assembly file of a machine.
const fn assembly_source(arch: Arch) -> &'static str {
    match arch {
        Arch::X86_32 => "i386",
        Arch::X86_64 => "x86_64",
        Arch::Arm32 => "arm",
        Arch::Mips32 => "mips",
    }
}

/// Where a program is: as the shell would find it.
fn find_program(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Path::new(name).is_file().then(|| PathBuf::from(name));
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(name)).find(|program| program.is_file())
}

impl Compiler {
    /// The compiler named by the user, options behind blanks, or else the first that is installed.
    ///
    /// # Errors
    /// [`Error::NoCompiler`].
    pub fn find(arch: Arch, named: Option<&str>) -> Result<Compiler, Error> {
        let named = named.as_slice();
        let lines = if named.is_empty() { candidates(arch) } else { named };
        for line in lines {
            let mut words = line.split_whitespace();
            if let Some(path) = words.next().and_then(find_program) {
                let mut options: Vec<String> = words.map(str::to_owned).collect();
                if arch == Arch::Arm32 {
                    // Addresses of functions must be even.
                    options.push("-marm".to_owned());
                }
                return Ok(Compiler { arch, path, options });
            }
        }
        Err(Error::NoCompiler { arch, tried: lines.join(", ") })
    }

    fn run(
        &self,
        directory: &Path,
        arguments: &mut dyn Iterator<Item = &std::ffi::OsStr>,
    ) -> Result<(), Error> {
        let name = || self.path.display().to_string();
        let path = std::path::absolute(&self.path)?;
        let output = Command::new(path)
            .args(&self.options)
            .args(arguments)
            .current_dir(directory)
            .output()
            .map_err(|error| Error::Start(name(), error))?;
        match output.status.success() {
            true => Ok(()),
            false => Err(Error::Failed(name(), String::from_utf8_lossy(&output.stderr).into_owned())),
        }
    }

    /// Names the objects that this compiler makes of the runtime.
    fn runtime_key(&self) -> String {
        let mut hasher = DefaultHasher::new();
        (RUNTIME_SOURCES, COMPILE_FLAGS, &self.path, &self.options).hash(&mut hasher);
        format!("runtime-{}-{:016x}", self.arch, hasher.finish())
    }

    fn runtime_objects(&self, directory: &Path) -> [PathBuf; 2] {
        ["runtime", assembly_source(self.arch)].map(|name| directory.join(format!("{name}.o")))
    }

    /// Compiles the runtime in an empty directory.
    fn compile_runtime(&self, directory: &Path) -> Result<(), Error> {
        for (name, text) in RUNTIME_SOURCES {
            std::fs::write(directory.join(name), text)?;
        }
        let assembly = format!("{}.S", assembly_source(self.arch));
        let sources = ["runtime.c", &assembly];
        self.run(directory, &mut COMPILE_FLAGS.iter().chain(&sources).map(std::ffi::OsStr::new))?;
        for (name, _) in RUNTIME_SOURCES {
            std::fs::remove_file(directory.join(name))?;
        }
        Ok(())
    }

    /// The objects of the runtime, from the cache or compiled now.
    ///
    /// # Errors
    /// The compiler fails, or no directory can be written.
    pub fn runtime(&self) -> Result<Runtime, Error> {
        let parent = build_directory()?;
        let place = parent.path.join(self.runtime_key());
        let objects = self.runtime_objects(&place);
        if parent.kept == Kept::Yes && objects.iter().all(|object| object.is_file()) {
            return Ok(Runtime { objects, _directory: None });
        }
        let temporary = TemporaryDirectory::new(&parent.path)?;
        self.compile_runtime(temporary.path())?;
        if parent.kept == Kept::Yes && std::fs::rename(temporary.path(), &place).is_ok() {
            return Ok(Runtime { objects, _directory: None });
        }
        Ok(Runtime { objects: self.runtime_objects(temporary.path()), _directory: Some(temporary) })
    }

    /// Links the object of a program with the runtime into an executable: statically, or where that does
    /// not work with the C library shared.
    ///
    /// # Errors
    /// The linker fails; the message is that of the last attempt.
    pub fn link(&self, object: &Path, runtime: &Runtime, executable: &Path) -> Result<(), Error> {
        let (object, executable) = (std::path::absolute(object)?, std::path::absolute(executable)?);
        let mut last = Ok(());
        for mode in LINK_MODES {
            let flags = mode.iter().copied().chain(["-pthread", "-o"]).map(std::ffi::OsStr::new);
            let inputs = runtime.objects.iter().map(|path| path.as_os_str());
            let mut arguments = flags
                .chain([executable.as_os_str(), object.as_os_str()])
                .chain(inputs)
                .chain(["-lm"].map(std::ffi::OsStr::new));
            last = self.run(Path::new("/"), &mut arguments);
            if last.is_ok() {
                break;
            }
        }
        last
    }
}

/// The compiled runtime.
#[derive(Debug)]
pub struct Runtime {
    objects: [PathBuf; 2],
    /// Where the objects are, if they are not kept.
    _directory: Option<TemporaryDirectory>,
}

/// Whether what is written to a directory stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kept {
    Yes,
    No,
}

struct BuildDirectory {
    path: PathBuf,
    kept: Kept,
}

/// The user's cache directory of this program, by the rules of the XDG base directory specification.
fn cache_directory() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("ice"))
}

/// The cache directory, or that for temporary files where it cannot be written.
fn build_directory() -> io::Result<BuildDirectory> {
    if let Some(path) = cache_directory()
        && std::fs::create_dir_all(&path).is_ok()
        && TemporaryDirectory::new(&path).is_ok()
    {
        return Ok(BuildDirectory { path, kept: Kept::Yes });
    }
    Ok(BuildDirectory { path: std::env::temp_dir(), kept: Kept::No })
}

/// A directory for the files of one build.
///
/// # Errors
/// It cannot be created.
pub fn scratch_directory() -> io::Result<TemporaryDirectory> {
    let parent = build_directory()?;
    if parent.kept == Kept::Yes {
        remove_stale_directories(&parent.path);
    }
    TemporaryDirectory::new(&parent.path)
}

/// After this time a build does not run any more.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// Removes what builds that were killed have left in the cache.
fn remove_stale_directories(cache: &Path) {
    for entry in std::fs::read_dir(cache).into_iter().flatten().flatten() {
        let is_temporary = entry.file_name().to_string_lossy().starts_with(TemporaryDirectory::PREFIX);
        let age = entry
            .metadata()
            .and_then(|metadata| metadata.modified())
            .ok()
            .and_then(|time| time.elapsed().ok());
        if is_temporary && age.is_some_and(|age| age > STALE) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_runtime_is_the_whole_folder() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime");
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| [".c", ".h", ".S"].iter().any(|end| name.ends_with(end)))
            .collect();
        files.sort();
        let mut embedded: Vec<_> = RUNTIME_SOURCES.iter().map(|&(name, _)| name).collect();
        embedded.sort_unstable();
        assert_eq!(files, embedded);
    }

    #[test]
    fn the_key_follows_compiler_and_options() {
        let compiler = |path: &str, options: &[&str]| Compiler {
            arch: Arch::X86_32,
            path: path.into(),
            options: options.iter().map(|&o| o.to_owned()).collect(),
        };
        let key = compiler("/usr/bin/gcc", &[]).runtime_key();
        assert_eq!(key, compiler("/usr/bin/gcc", &[]).runtime_key());
        assert_ne!(key, compiler("/usr/bin/gcc", &["-m32"]).runtime_key());
        assert_ne!(key, compiler("/opt/bin/gcc", &[]).runtime_key());
    }

    #[test]
    fn only_old_temporary_directories_are_removed() {
        let cache = TemporaryDirectory::new(&std::env::temp_dir()).unwrap();
        let old = std::time::SystemTime::now() - 2 * STALE;
        for (name, time) in [("ice-1-1", Some(old)), ("ice-2-1", None), ("runtime-i686-0", Some(old))] {
            let path = cache.path().join(name);
            std::fs::create_dir(&path).unwrap();
            std::fs::write(path.join("program.o"), "").unwrap();
            if let Some(time) = time {
                std::fs::File::open(&path).unwrap().set_modified(time).unwrap();
            }
        }
        remove_stale_directories(cache.path());
        let left = |name: &str| cache.path().join(name).exists();
        assert_eq!([left("ice-1-1"), left("ice-2-1"), left("runtime-i686-0")], [false, true, true]);
    }

    #[test]
    fn a_compiler_may_have_options() {
        let compiler = Compiler::find(Arch::X86_32, Some("sh -m32  -g")).unwrap();
        assert!(compiler.path.is_absolute());
        assert_eq!(compiler.options, ["-m32", "-g"]);
        let error = Compiler::find(Arch::X86_32, Some("no-such-compiler")).unwrap_err();
        assert!(error.to_string().contains("no-such-compiler"), "{error}");
    }
}
