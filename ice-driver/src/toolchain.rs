//! The target's C compiler: finding it, linking programs with it.

use crate::machine::{Arch, Features, Tools};
use crate::runtime::{self, Origin};
use core::fmt;
use ice_ir::native::Environment;
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
    tools: Tools,
    path: PathBuf,
    options: Vec<String>,
}

/// The compilers for the host in order of preference.
const HOST_COMPILERS: &[&str] = &["cc", "gcc", "clang"];

/// The code with which this process ends as a program did.
#[cfg(feature = "llvm")]
pub(crate) fn code_of(status: std::process::ExitStatus) -> u8 {
    status.code().map_or(1, |code| code as u8)
}

/// Where a program is: as the shell would find it.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
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
    pub fn find(arch: Arch, features: Features, named: Option<&str>) -> Result<Compiler, Error> {
        let tools = arch.machine().tools(features, Arch::host());
        let lines = match &named {
            Some(named) => core::slice::from_ref(named),
            None if Arch::host() == Some(arch) => HOST_COMPILERS,
            None => tools.compilers,
        };
        for line in lines {
            let mut words = line.split_whitespace();
            if let Some(path) = words.next().and_then(find_program) {
                let mut options: Vec<String> = words.map(str::to_owned).collect();
                options.extend(tools.compiler_options.iter().map(|&option| option.to_owned()));
                return Ok(Compiler { arch, tools, path, options });
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

    /// The tools of its machine.
    pub(crate) const fn tools(&self) -> &Tools {
        &self.tools
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
        let runtime = runtime::find(self, runtime::Kind::Objects)?;
        let result = self.link_files(FIXED_MODES, object, &runtime.objects, executable);
        if result.is_ok() || runtime.origin == Origin::Compiler {
            return result;
        }
        let runtime = runtime::rebuild(self)?;
        self.link_files(FIXED_MODES, object, &runtime.objects, executable)?;
        runtime::replace(self, runtime);
        Ok(())
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
        let compiler = Compiler::find(Arch::X86_32, Features::default(), Some("sh -m32  -g")).unwrap();
        assert!(compiler.path.is_absolute());
        assert_eq!(compiler.options, ["-m32", "-g"]);
        let error = Compiler::find(Arch::X86_32, Features::default(), Some("no-such-compiler")).unwrap_err();
        assert!(error.to_string().contains("no-such-compiler"), "{error}");
    }
}
