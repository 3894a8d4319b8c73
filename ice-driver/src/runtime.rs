//! The runtime's objects: compiled once, kept in the user's cache, and trusted only as far as they are proved.
//!
//! The runtime's sources are part of this program. What a compiler makes of them is kept in a directory whose
//! name is a hash of sources, flags and the compiler with what it says of its version. It is compiled in a
//! directory of its own, which is renamed when it is complete, so that any number of processes may do it at
//! once. Beside the objects lies a hash of each: one that was cut short is compiled again. Linked code runs as
//! the user, so directories and files count only where they are the user's own and nobody else can write them;
//! else, and where the cache cannot be written, the objects live as long as the build.

use crate::machine::{Tools, runtime_source};
use crate::temporary::TemporaryDirectory;
use crate::toolchain::{Compiler, Error};
use std::fs::{Metadata, Permissions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

macro_rules! runtime_sources {
    ($($name:literal)*) => {
        &[$(($name, runtime_source!($name))),*]
    };
}

/// Every file of the runtime that all machines have.
const SOURCES: &[(&str, &str)] = runtime_sources! {
    "abi.c" "confine.c" "faults.c" "fdio.c" "filename.c" "irt.c" "memory.c" "runtime.c" "runtime.h" "sandbox.c"
    "segments.c" "start.c" "sync.c" "thread.c" "time.c"
};

/// What the compiler is told beside the target's own flags.
const FLAGS: &[&str] = &["-std=gnu11", "-O2", "-fno-pie", "-pthread"];

/// What is made of the runtime.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Objects that programs are linked with.
    Objects,
    /// An executable that loads the confined program at its end.
    Loader,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Kind::Objects => "runtime",
            Kind::Loader => "loader",
        }
    }

    /// The flags of the ways to make it, best first.
    const fn ways(self) -> &'static [&'static [&'static str]] {
        match self {
            Kind::Objects => &[&["-c"]],
            Kind::Loader => &[
                &["-DICE_SANDBOX", "-static", "-no-pie", "-o", "loader"],
                &["-DICE_SANDBOX", "-no-pie", "-o", "loader"],
            ],
        }
    }
}

/// The file with the hashes of the objects.
const SUMS: &str = "sums";

/// The compiled runtime.
#[derive(Debug)]
pub struct Runtime {
    /// Its objects, or the loader alone.
    pub objects: Vec<PathBuf>,
    /// Where the objects are, if they are not kept.
    directory: Option<TemporaryDirectory>,
    /// Whether they were there before.
    pub origin: Origin,
}

/// Where objects come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Kept from another build.
    Cache,
    /// Compiled now.
    Compiler,
}

/// A directory for builds.
enum Builds {
    /// The user's cache, which stays, and who the user is.
    Kept(PathBuf, u32),
    /// A directory for temporary files.
    Temporary(PathBuf),
}

impl Builds {
    fn path(&self) -> &Path {
        match self {
            Builds::Kept(path, _) | Builds::Temporary(path) => path,
        }
    }
}

/// Whether only `owner` can have written something.
fn is_private(metadata: &Metadata, owner: u32) -> bool {
    metadata.uid() == owner && metadata.mode() & 0o022 == 0
}

/// The user's cache directory of this program, by the rules of the XDG base directory specification.
fn cache_directory() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("ice"))
}

/// The owner of what this process creates in a directory; an error where it can create nothing.
fn own_number(directory: &Path) -> io::Result<u32> {
    let own = TemporaryDirectory::new(directory)?;
    Ok(std::fs::metadata(own.path())?.uid())
}

/// Makes a cache usable and says who owns it; none if it cannot be written, or others can.
fn open_cache(path: &Path) -> Option<u32> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path).ok()?;
    let own = own_number(path).ok()?;
    let is_safe = is_private(&std::fs::metadata(path).ok()?, own);
    if !is_safe {
        let text = "is not yours alone to write; nothing there is used or kept";
        let _ = writeln!(io::stderr(), "ice: warning: {} {text}", path.display());
    }
    is_safe.then_some(own)
}

/// The cache directory, or that for temporary files where it cannot be used.
fn builds() -> Builds {
    let cache = cache_directory().and_then(|path| open_cache(&path).map(|own| Builds::Kept(path, own)));
    cache.unwrap_or_else(|| Builds::Temporary(std::env::temp_dir()))
}

/// A directory for the files of one build.
///
/// # Errors
/// It cannot be created.
pub fn scratch_directory() -> io::Result<TemporaryDirectory> {
    let builds = builds();
    if let Builds::Kept(path, _) = &builds {
        remove_stale_directories(path);
    }
    TemporaryDirectory::new(builds.path())
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

/// Names what a compiler makes of the runtime.
fn key(compiler: &Compiler, kind: Kind) -> String {
    let mut hasher = DefaultHasher::new();
    let Tools { runtime_source, loader_options, .. } = compiler.tools();
    (SOURCES, runtime_source, FLAGS, kind.ways(), loader_options, compiler.identity()).hash(&mut hasher);
    format!("{}-{}-{:016x}", kind.name(), compiler.arch(), hasher.finish())
}

fn objects(compiler: &Compiler, kind: Kind, directory: &Path) -> Vec<PathBuf> {
    match kind {
        Kind::Objects => ["runtime", compiler.tools().runtime_name]
            .map(|name| directory.join(format!("{name}.o")))
            .to_vec(),
        Kind::Loader => vec![directory.join("loader")],
    }
}

/// The hashes of objects, one a line; the content of the file beside them.
fn sums(objects: &[PathBuf]) -> io::Result<String> {
    let mut text = String::new();
    for object in objects {
        let mut hasher = DefaultHasher::new();
        std::fs::read(object)?.hash(&mut hasher);
        text += &format!("{:016x}\n", hasher.finish());
    }
    Ok(text)
}

/// Compiles the runtime in an empty directory, and writes the hashes.
fn compile(compiler: &Compiler, kind: Kind, directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let assembly = format!("{}.S", compiler.tools().runtime_name);
    let files = || SOURCES.iter().copied().chain([(&*assembly, compiler.tools().runtime_source)]);
    for (name, text) in files() {
        std::fs::write(directory.join(name), text)?;
    }
    let sources = ["runtime.c", &assembly];
    let mut result = Ok(());
    for way in kind.ways() {
        let options: &[&str] = if kind == Kind::Loader { compiler.tools().loader_options } else { &[] };
        let arguments = FLAGS.iter().chain(&sources).chain(options).chain(*way);
        result = compiler.run(directory, &mut arguments.map(std::ffi::OsStr::new));
        if result.is_ok() {
            break;
        }
    }
    result?;
    for (name, _) in files() {
        std::fs::remove_file(directory.join(name))?;
    }
    let objects = objects(compiler, kind, directory);
    let list = directory.join(SUMS);
    std::fs::write(&list, sums(&objects)?)?;
    for path in objects.iter().chain([&list]) {
        std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
    }
    Ok(objects)
}

/// Whether objects in the cache are `owner`'s and as they were written.
fn is_intact(place: &Path, objects: &[PathBuf], owner: u32) -> bool {
    let list = place.join(SUMS);
    let is_own = |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|data| is_private(&data, owner));
    is_own(place)
        && objects.iter().chain([&list]).all(|path| is_own(path))
        && sums(objects).is_ok_and(|sums| std::fs::read_to_string(list).is_ok_and(|kept| kept == sums))
}

/// The runtime, from the cache or compiled now.
///
/// # Errors
/// The compiler fails, or no directory can be written.
pub fn find(compiler: &Compiler, kind: Kind) -> Result<Runtime, Error> {
    let builds = builds();
    if let Builds::Kept(path, own) = &builds {
        let place = path.join(key(compiler, kind));
        let objects = objects(compiler, kind, &place);
        if is_intact(&place, &objects, *own) {
            return Ok(Runtime { objects, directory: None, origin: Origin::Cache });
        }
    }
    make(compiler, kind, &builds)
}

/// The objects of the runtime, compiled now beside what is kept.
///
/// # Errors
/// The compiler fails, or no directory can be written.
pub fn rebuild(compiler: &Compiler) -> Result<Runtime, Error> {
    make_in(compiler, Kind::Objects, builds().path())
}

/// Puts objects that were compiled now and link in place of those that are kept and do not.
pub fn replace(compiler: &Compiler, runtime: Runtime) {
    if let (Builds::Kept(path, _), Some(directory)) = (builds(), &runtime.directory) {
        let place = path.join(key(compiler, Kind::Objects));
        let _ = std::fs::remove_dir_all(&place);
        let _ = std::fs::rename(directory.path(), place);
    }
}

/// Compiles the runtime in a directory that lives as long as what is returned.
fn make_in(compiler: &Compiler, kind: Kind, base: &Path) -> Result<Runtime, Error> {
    let directory = TemporaryDirectory::new(base)?;
    let objects = compile(compiler, kind, directory.path())?;
    Ok(Runtime { objects, directory: Some(directory), origin: Origin::Compiler })
}

/// Compiles the runtime and keeps it. Objects that are intact stay where they are: another process has put them
/// there since this one looked, and may be linking with them.
fn make(compiler: &Compiler, kind: Kind, builds: &Builds) -> Result<Runtime, Error> {
    let made = make_in(compiler, kind, builds.path())?;
    let (Builds::Kept(path, own), Some(directory)) = (builds, &made.directory) else { return Ok(made) };
    let place = path.join(key(compiler, kind));
    let kept = objects(compiler, kind, &place);
    // A directory that is not empty is no place for another.
    let mut is_there = std::fs::rename(directory.path(), &place).is_ok() || is_intact(&place, &kept, *own);
    if !is_there {
        let _ = std::fs::remove_dir_all(&place);
        is_there = std::fs::rename(directory.path(), &place).is_ok();
    }
    if !is_there {
        return Ok(made);
    }
    Ok(Runtime { objects: kept, directory: None, origin: Origin::Compiler })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Arch, Features};

    #[test]
    fn the_embedded_runtime_is_the_whole_folder() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime");
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| [".c", ".h", ".S"].iter().any(|end| name.ends_with(end)))
            .collect();
        files.sort();
        let mut embedded: Vec<_> = SOURCES.iter().map(|&(name, _)| name.to_owned()).collect();
        let tools = Arch::ALL.map(|arch| arch.machine().tools(Features::default(), None));
        embedded.extend(tools.iter().map(|tools| format!("{}.S", tools.runtime_name)));
        embedded.sort_unstable();
        assert_eq!(files, embedded);
    }

    #[test]
    fn embedded_sources_have_the_lines_of_the_files_and_no_comments() {
        let tools = Arch::ALL.map(|arch| arch.machine().tools(Features::default(), None));
        let assembly = tools.iter().map(|tools| (format!("{}.S", tools.runtime_name), tools.runtime_source));
        let sources = SOURCES.iter().map(|&(name, source)| (name.to_owned(), source)).chain(assembly);
        for (name, embedded) in sources {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime").join(&name);
            let file = std::fs::read_to_string(path).unwrap();
            assert!(!embedded.contains("/*") && embedded.len() < file.len(), "{name}");
            assert_eq!(embedded.lines().count(), file.lines().count(), "{name}");
            let directive = |line: &str| line.trim_start().starts_with('#').then(|| line.trim().to_owned());
            for (embedded, line) in
                embedded.lines().zip(file.lines()).filter(|(_, line)| !line.contains("/*"))
            {
                assert_eq!(directive(embedded), directive(line), "{name}");
            }
        }
    }

    /// A compiler that says its version and writes the name of each output into it.
    fn compiler(directory: &Path, version: &str) -> Compiler {
        let path = directory.join("compiler");
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && echo {version} && exit\necho a > runtime.o; echo b > i386.o\n"
        );
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        Compiler::find(Arch::X86_32, Features::default(), path.to_str()).unwrap()
    }

    #[test]
    fn the_key_follows_the_version_of_the_compiler() {
        let directory = TemporaryDirectory::new(&std::env::temp_dir()).unwrap();
        let old = key(&compiler(directory.path(), "1.0"), Kind::Objects);
        assert_eq!(old, key(&compiler(directory.path(), "1.0"), Kind::Objects));
        assert_ne!(old, key(&compiler(directory.path(), "1.1"), Kind::Objects));
    }

    #[test]
    fn what_is_kept_is_used_only_if_intact_and_the_users_own() {
        let directory = TemporaryDirectory::new(&std::env::temp_dir()).unwrap();
        let compiler = compiler(directory.path(), "1");
        let own = own_number(directory.path()).unwrap();
        let builds = Builds::Kept(directory.path().to_owned(), own);
        let runtime = make(&compiler, Kind::Objects, &builds).unwrap();
        let place = runtime.objects[0].parent().unwrap();
        let intact = || is_intact(place, &runtime.objects, own);
        assert!(intact());
        assert!(!is_intact(place, &runtime.objects, own + 1));
        for path in [place, &runtime.objects[1], &place.join(SUMS)] {
            let mode = std::fs::metadata(path).unwrap().permissions();
            std::fs::set_permissions(path, Permissions::from_mode(mode.mode() | 0o020)).unwrap();
            assert!(!intact(), "{}", path.display());
            std::fs::set_permissions(path, mode).unwrap();
        }
        assert!(intact());
        let number = || std::fs::metadata(&runtime.objects[0]).unwrap().ino();
        let first = number();
        make(&compiler, Kind::Objects, &builds).unwrap();
        assert_eq!(number(), first, "what another process may be linking with stays");
        std::fs::write(&runtime.objects[0], "").unwrap();
        assert!(!intact());
        make(&compiler, Kind::Objects, &builds).unwrap();
        assert!(intact());
        std::fs::set_permissions(directory.path(), Permissions::from_mode(0o720)).unwrap();
        assert_eq!(open_cache(directory.path()), None);
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
}
