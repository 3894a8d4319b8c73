//! `ice ld`: a linker as builds call it, which takes bitcode for objects.
//!
//! Compilers that leave code to the linker (`-flto`, `-C linker-plugin-lto`) write bitcode into their objects. Method: of
//! what the command line names, files that are bitcode and archives with such members are translated, several at once, into a
//! directory of this process; the command line names these in their place, and the linker that is asked for gets it. All
//! else is the linker's affair. So each module becomes an object of its own: nothing is optimised across modules.
//!
//! The directory is gone when the linker has ended, also where translation or linking fails.
//!
//! | file | what it holds |
//! |---|---|
//! | `arguments` | the command line: response files, inputs, libraries by name, what is for other linkers alone |
//! | `archive` | archives, read and written |

mod archive;
mod arguments;

use crate::cli::{Failure, translate_bytes};
use crate::flags::Invocation;
use crate::format::is_llvm;
use crate::options::{Emit, OptLevel, Sections};
use crate::temporary::TemporaryDirectory;
use crate::toolchain::{code_of, find_program};
use archive::Member;
use arguments::{Arguments, Request};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The stack of a thread that translates, in bytes: that of a main thread.
const STACK: usize = 8 << 20;

/// A module, and the file that its object becomes.
struct Module {
    /// The name of the file, and of the member of an archive.
    name: PathBuf,
    bytes: Vec<u8>,
    object: PathBuf,
}

/// An archive with modules among its members.
struct Mixed {
    path: PathBuf,
    /// With the number of the module that takes the member's place, if one does.
    members: Vec<(Member, Option<usize>)>,
}

/// What is to be done before linking.
struct Work<'a> {
    directory: &'a Path,
    modules: Vec<Module>,
    archives: Vec<Mixed>,
    /// What takes the place of each file that was looked at.
    known: HashMap<PathBuf, Option<PathBuf>>,
}

impl<'a> Work<'a> {
    fn new(directory: &'a Path) -> Work<'a> {
        Work { directory, modules: Vec::new(), archives: Vec::new(), known: HashMap::new() }
    }

    /// What the linker gets in place of a file: nothing else, if there is no bitcode in it.
    fn replacement(&mut self, path: &Path) -> Result<Option<PathBuf>, Failure> {
        if let Some(known) = self.known.get(path) {
            return Ok(known.clone());
        }
        let found = self.look(path)?;
        self.known.insert(path.to_owned(), found.clone());
        Ok(found)
    }

    fn look(&mut self, path: &Path) -> Result<Option<PathBuf>, Failure> {
        // What cannot be read is no input, or the linker's to complain of.
        let Ok(start) = start_of(path) else { return Ok(None) };
        let read = || std::fs::read(path).map_err(|error| Failure::file(path, error));
        if is_llvm(&start) {
            return Ok(Some(self.add_module(path.to_owned(), read()?, path)));
        }
        if !archive::is_archive(&start) {
            return Ok(None);
        }
        // What is no archive after all is the linker's to complain of, too.
        let Ok(members) = archive::read(path, &read()?) else { return Ok(None) };
        if !members.iter().any(|member| is_llvm(&member.bytes)) {
            return Ok(None);
        }
        let place = self.place(path);
        let members = members.into_iter().map(|mut member| {
            let module = is_llvm(&member.bytes).then(|| {
                let shown = format!("{}({})", path.display(), String::from_utf8_lossy(&member.name));
                self.add_module(shown.into(), std::mem::take(&mut member.bytes), Path::new("member.o"));
                self.modules.len() - 1
            });
            (member, module)
        });
        let members = members.collect();
        self.archives.push(Mixed { path: place.clone(), members });
        Ok(Some(place))
    }

    /// Where something that takes the place of a file goes: under the same name, of which there may be several.
    fn place(&self, path: &Path) -> PathBuf {
        let number = self.modules.len() + self.archives.len();
        let mut name = OsString::from(format!("{number}-"));
        name.push(path.file_name().unwrap_or_default());
        self.directory.join(name)
    }

    fn add_module(&mut self, name: PathBuf, bytes: Vec<u8>, path: &Path) -> PathBuf {
        let object = self.place(path);
        self.modules.push(Module { name, bytes, object: object.clone() });
        object
    }

    /// Translates all modules, and writes the archives that they are in.
    fn perform(self, work: &Invocation, level: OptLevel) -> Result<(), Failure> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = processors.min(self.modules.len());
        // One module has all the threads, several have one each.
        let threads = if self.modules.len() == 1 { None } else { Some(0) };
        let work = Invocation {
            level: Some(level),
            emit: Emit::Object,
            sections: Sections { functions: true, data: true },
            threads,
            ..work.clone()
        };
        let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let translate = || {
            while let Some((number, module)) = {
                let number = next.fetch_add(1, Ordering::Relaxed);
                self.modules.get(number).map(|module| (number, module))
            } {
                let work = Invocation { input: module.name.clone(), ..work.clone() };
                if let Err(failure) = translate_bytes(&work, &module.bytes, &module.object) {
                    let mut failures = failures.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    failures.push((number, failure));
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..workers {
                let builder = std::thread::Builder::new().stack_size(STACK);
                // Who starts is not alone in the work; who does not start leaves it to the others.
                let _ = builder.spawn_scoped(scope, translate);
            }
            translate();
        });
        let failures = failures.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        // The same one, whoever was first.
        if let Some((_, failure)) = failures.into_iter().min_by_key(|&(number, _)| number) {
            return Err(failure);
        }
        for mixed in self.archives {
            let members = mixed.members.into_iter().map(|(member, module)| match module {
                Some(number) => std::fs::read(&self.modules[number].object)
                    .map(|bytes| Member { bytes, ..member })
                    .map_err(|error| Failure::file(&self.modules[number].object, error)),
                None => Ok(member),
            });
            let members = members.collect::<Result<Vec<_>, _>>()?;
            let bytes = archive::write(&members).map_err(|error| Failure::file(&mixed.path, error))?;
            std::fs::write(&mixed.path, bytes).map_err(|error| Failure::file(&mixed.path, error))?;
        }
        Ok(())
    }
}

/// The first bytes of a file.
fn start_of(path: &Path) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    // Directories, pipes and devices are no objects.
    if path.metadata()?.is_file() {
        File::open(path)?.take(8).read_to_end(&mut start)?;
    }
    Ok(start)
}

/// Does what the arguments of `work` ask of a linker.
///
/// # Errors
/// The linker is not found or cannot be started, a module is refused, files cannot be read or written.
pub fn link(work: &Invocation) -> Result<ExitCode, Failure> {
    let Request { linker, arguments } = Request::parse(&work.arguments).map_err(Failure::trouble)?;
    let Some(linker) = find_program(&linker) else {
        return Err(Failure::trouble(format_args!("no {linker} to link with; name one with --ice-linker")));
    };
    let directory = crate::runtime::scratch_directory().map_err(Failure::trouble)?;
    let arguments = Arguments::expand(&arguments).map_err(|(path, error)| Failure::file(&path, error))?;
    let mut to_do = Work::new(directory.path());
    let arguments = arguments.replace(&mut |path| to_do.replacement(path))?;
    to_do.perform(work, arguments.level)?;
    let mut command = Command::new(&linker);
    match arguments.has_response_file {
        // There may be more than a command line holds.
        true => {
            let path = directory.path().join("arguments");
            let written = std::fs::write(&path, arguments::quoted(&arguments.words));
            written.map_err(|error| Failure::file(&path, error))?;
            let mut argument = OsString::from("@");
            argument.push(&path);
            command.arg(argument);
        }
        false => {
            command.args(&arguments.words);
        }
    }
    let status = command.status().map_err(|error| Failure::file(&linker, error))?;
    drop::<TemporaryDirectory>(directory);
    Ok(ExitCode::from(code_of(status)))
}
