//! The target's C compiler: finding it, linking programs with it.

use crate::arch::Arch;
use crate::runtime::{self, Origin};
use core::fmt;
use ice_ir::native::Environment;
use ice_target_arm32::FloatAbi;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Ways to link a PNaCl program, best first. It holds addresses in 32 bits and cannot be moved.
const FIXED_MODES: &[&[&str]] = &[&["-static", "-no-pie"], &["-no-pie"]];
/// The way to link a native program for the host: as the system links its own.
const HOST_MODES: &[&[&str]] = &[&[]];
/// Ways to link a native program for another machine, whose shared libraries may not be where programs look.
const OTHER_MODES: &[&[&str]] = &[&["-static"], &[]];

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
                write!(f, "no C compiler for {arch} to link with ({tried}); name one with --linker")
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
fn candidates(arch: Arch, floats: FloatAbi) -> &'static [&'static str] {
    match (arch, Arch::host()) {
        (Arch::X86_64, Some(Arch::X86_64)) => &["cc", "gcc", "clang"],
        (Arch::X86_64, _) => &["x86_64-linux-gnu-gcc"],
        (Arch::X86_32, Some(Arch::X86_32)) => &["cc", "gcc", "clang"],
        (Arch::X86_32, Some(Arch::X86_64)) => &["i686-linux-gnu-gcc", "gcc -m32", "cc -m32"],
        (Arch::X86_32, _) => &["i686-linux-gnu-gcc"],
        (Arch::Arm32, Some(Arch::Arm32)) => &["cc", "gcc", "clang"],
        (Arch::Arm32, _) if floats == FloatAbi::Soft => &["arm-linux-gnueabi-gcc"],
        (Arch::Arm32, _) => &["arm-linux-gnueabihf-gcc"],
        (Arch::Mips32, Some(Arch::Mips32)) => &["cc", "gcc", "clang"],
        (Arch::Mips32, _) => &["mipsel-linux-gnu-gcc"],
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
    pub fn find(arch: Arch, floats: FloatAbi, named: Option<&str>) -> Result<Compiler, Error> {
        let named = named.as_slice();
        let lines = if named.is_empty() { candidates(arch, floats) } else { named };
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

    /// The machine that it compiles for.
    pub fn arch(&self) -> Arch {
        self.arch
    }

    /// Everything that decides what it makes of a source: where it is, its options, and what it says of its version.
    pub(crate) fn identity(&self) -> (&Path, &[String], Vec<u8>) {
        let version = Command::new(&self.path).args(&self.options).arg("--version").output();
        (&self.path, &self.options, version.map(|output| output.stdout).unwrap_or_default())
    }

    /// The name of the runtime's assembly file for its machine.
    pub(crate) const fn assembly_source(&self) -> &'static str {
        match self.arch {
            Arch::X86_32 => "i386",
            Arch::X86_64 => "x86_64",
            Arch::Arm32 => "arm",
            Arch::Mips32 => "mips",
        }
    }

    /// Runs it with its own options and these arguments.
    ///
    /// # Errors
    /// It cannot be started, or fails.
    pub(crate) fn run(
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

    /// Links the object of a program into an executable: a native program with the C library as the system
    /// does, a PNaCl program with the runtime. A kept runtime that does not link is compiled again once.
    ///
    /// # Errors
    /// The linker fails; the message is that of the last attempt. The runtime cannot be compiled.
    pub fn link(&self, object: &Path, environment: Environment, executable: &Path) -> Result<(), Error> {
        if environment == Environment::Native {
            let modes = if Arch::host() == Some(self.arch) { HOST_MODES } else { OTHER_MODES };
            return self.link_files(modes, object, &[], executable);
        }
        let runtime = runtime::find(self)?;
        let result = self.link_files(FIXED_MODES, object, &runtime.objects, executable);
        if result.is_ok() || runtime.origin == Origin::Compiler {
            return result;
        }
        let runtime = runtime::rebuild(self)?;
        self.link_files(FIXED_MODES, object, &runtime.objects, executable)
    }

    /// Links in the first of these ways that works.
    fn link_files(
        &self,
        modes: &[&[&str]],
        object: &Path,
        others: &[PathBuf],
        executable: &Path,
    ) -> Result<(), Error> {
        let (object, executable) = (std::path::absolute(object)?, std::path::absolute(executable)?);
        let mut last = Ok(());
        for mode in modes {
            let flags = mode.iter().copied().chain(["-pthread", "-o"]).map(std::ffi::OsStr::new);
            let inputs = others.iter().map(|path| path.as_os_str());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_may_have_options() {
        let compiler = Compiler::find(Arch::X86_32, FloatAbi::Hard, Some("sh -m32  -g")).unwrap();
        assert!(compiler.path.is_absolute());
        assert_eq!(compiler.options, ["-m32", "-g"]);
        let error = Compiler::find(Arch::X86_32, FloatAbi::Hard, Some("no-such-compiler")).unwrap_err();
        assert!(error.to_string().contains("no-such-compiler"), "{error}");
    }
}
