//! The command line of a linker, or of a compiler that links.
//!
//! Inputs are words that name files, alone or between the commas of `-Wl,`, and libraries that are found by name. What is
//! meant for the plug-in of LLVM, which has nothing left to do, is taken out.

use crate::flags::{Command, UsageError, no_own_flag, own_flag};
use crate::options::OptLevel;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Response files name others no deeper than this.
const MAX_DEPTH: u32 = 16;

/// What options for LLVM's plug-in begin with; those of other plug-ins stay.
const PLUGIN_OPTIONS: [&[u8]; 5] = [b"mcpu=", b"thinlto", b"jobs=", b"cache-dir=", b"lto-"];

/// A command line: what is the linker's, and what is Ice's.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) linker: String,
    pub(super) arguments: Vec<OsString>,
}

impl Request {
    pub(super) fn parse(arguments: &[OsString]) -> Result<Request, UsageError> {
        let mut request = Request { linker: "cc".into(), arguments: Vec::new() };
        for argument in arguments {
            match own_flag(argument) {
                None => request.arguments.push(argument.clone()),
                Some((b"linker", Some(name))) => request.linker = String::from_utf8_lossy(name).into_owned(),
                Some(_) => return Err(no_own_flag(Command::Ld, argument)),
            }
        }
        Ok(request)
    }
}

/// The words of a command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Arguments {
    pub(super) words: Vec<OsString>,
    /// Whether some of them were in a file.
    pub(super) has_response_file: bool,
    /// How bitcode is to be translated, by what the plug-in is told.
    pub(super) level: OptLevel,
}

impl Arguments {
    /// The words, those of response files in their place.
    ///
    /// # Errors
    /// A file cannot be read, or names itself.
    pub(super) fn expand(words: &[OsString]) -> Result<Arguments, (PathBuf, io::Error)> {
        let mut arguments = Arguments { words: Vec::new(), has_response_file: false, level: OptLevel::O2 };
        words.iter().try_for_each(|word| arguments.add(word, 0))?;
        Ok(arguments)
    }

    fn add(&mut self, word: &OsStr, depth: u32) -> Result<(), (PathBuf, io::Error)> {
        let path = word.as_bytes().strip_prefix(b"@").map(|path| PathBuf::from(OsStr::from_bytes(path)));
        // What names no file is a word like others.
        let Some(path) = path.filter(|path| path.is_file()) else {
            self.words.push(word.to_owned());
            return Ok(());
        };
        if depth == MAX_DEPTH {
            return Err((path, io::Error::other("response files are nested too deeply")));
        }
        self.has_response_file = true;
        let text = std::fs::read(&path).map_err(|error| (path, error))?;
        split(&text).iter().try_for_each(|word| self.add(word, depth + 1))
    }

    /// The same with what takes the place of inputs, and without what is for the plug-in.
    ///
    /// # Errors
    /// Those of `replacement`.
    pub(super) fn replace<E>(
        self,
        replacement: &mut dyn FnMut(&Path) -> Result<Option<PathBuf>, E>,
    ) -> Result<Arguments, E> {
        let directories = library_directories(&self.words);
        let mut out = Arguments { words: Vec::new(), ..self };
        let is_static = self.words.iter().any(|word| word == "-static" || word == "-static-pie");
        let mut prefers_archives = is_static;
        let mut words = self.words.into_iter().peekable();
        while let Some(word) = words.next() {
            if let Some(parts) = word.as_bytes().strip_prefix(b"-Wl,") {
                let parts: Vec<_> = parts.split(|&byte| byte == b',').map(OsStr::from_bytes).collect();
                let mut kept = Vec::new();
                let mut parts = parts.into_iter().peekable();
                while let Some(part) = parts.next() {
                    let next = parts.peek().copied();
                    match out.of_linker(part, next, is_static, &mut prefers_archives) {
                        Use::Dropped => {}
                        Use::DroppedWithNext => _ = parts.next(),
                        Use::Kept => kept.push(match replacement(Path::new(part))? {
                            Some(path) => path.into_os_string(),
                            None => part.to_owned(),
                        }),
                    }
                }
                if !kept.is_empty() {
                    let mut word = OsString::from("-Wl");
                    kept.iter().for_each(|part| {
                        word.push(",");
                        word.push(part);
                    });
                    out.words.push(word);
                }
                continue;
            }
            let next = words.peek().map(OsString::as_os_str);
            match out.of_linker(&word, next, is_static, &mut prefers_archives) {
                Use::Dropped => {
                    out.words.pop_if(|last| last == "-Xlinker");
                    continue;
                }
                Use::DroppedWithNext => {
                    words.next();
                    continue;
                }
                Use::Kept => {}
            }
            if word == "-o" {
                out.words.push(word);
                out.words.extend(words.next());
                continue;
            }
            let name = match word.as_bytes().strip_prefix(b"-l") {
                Some(b"") => words.peek().map(|name| name.as_bytes().to_owned()),
                name => name.map(<[u8]>::to_owned),
            };
            let library = name.and_then(|name| find_library(&directories, &name, prefers_archives));
            let path = library.as_deref().unwrap_or(Path::new(&word));
            match replacement(path)? {
                Some(path) => {
                    if word == "-l" {
                        words.next();
                    }
                    out.words.push(path.into());
                }
                None => out.words.push(word),
            }
        }
        Ok(out)
    }

    /// What becomes of a word for the linker, which may change how libraries are looked for.
    fn of_linker(
        &mut self,
        word: &OsStr,
        next: Option<&OsStr>,
        is_static: bool,
        prefers_archives: &mut bool,
    ) -> Use {
        match word.as_bytes() {
            b"-Bstatic" | b"-dn" | b"-non_shared" => *prefers_archives = true,
            b"-Bdynamic" | b"-dy" | b"-call_shared" => *prefers_archives = is_static,
            b"-plugin" | b"--plugin" if next.is_some_and(is_llvm_plugin) => return Use::DroppedWithNext,
            b"-flto" => return Use::Dropped,
            bytes => {
                let strip = |prefix: &[u8]| bytes.strip_prefix(prefix);
                if let Some(option) = strip(b"-plugin-opt=").or_else(|| strip(b"--plugin-opt=")) {
                    return self.of_plugin(option);
                }
                let plugin = strip(b"-plugin=").or_else(|| strip(b"--plugin="));
                if plugin.is_some_and(|path| is_llvm_plugin(OsStr::from_bytes(path)))
                    || bytes.starts_with(b"-flto=")
                {
                    return Use::Dropped;
                }
            }
        }
        Use::Kept
    }

    /// What becomes of an option for a plug-in.
    fn of_plugin(&mut self, option: &[u8]) -> Use {
        if let [b'O', digit @ b'0'..=b'3'] = option {
            self.level = match digit {
                b'0' => OptLevel::O0,
                b'1' => OptLevel::O1,
                _ => OptLevel::O2,
            };
            return Use::Dropped;
        }
        match PLUGIN_OPTIONS.iter().any(|prefix| option.starts_with(prefix)) {
            true => Use::Dropped,
            false => Use::Kept,
        }
    }
}

/// What becomes of a word.
enum Use {
    Kept,
    Dropped,
    DroppedWithNext,
}

fn is_llvm_plugin(path: &OsStr) -> bool {
    Path::new(path).file_name().is_some_and(|name| name.as_bytes().starts_with(b"LLVMgold"))
}

/// Where libraries are looked for, by `-L`.
fn library_directories(words: &[OsString]) -> Vec<PathBuf> {
    let mut directories = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_bytes().strip_prefix(b"-L") {
            Some(b"") => directories.extend(words.next().map(PathBuf::from)),
            Some(directory) => directories.push(OsStr::from_bytes(directory).into()),
            None => {}
        }
    }
    directories
}

/// The archive that `-l` names, if the linker would find it before a shared library. What is in the linker's own
/// directories is not bitcode.
fn find_library(directories: &[PathBuf], name: &[u8], prefers_archives: bool) -> Option<PathBuf> {
    let file = |name: Vec<u8>| OsString::from_vec(name);
    let (archive, shared) = match name.strip_prefix(b":") {
        Some(exact) => (file(exact.to_owned()), None),
        None => (file([b"lib", name, b".a"].concat()), Some(file([b"lib", name, b".so"].concat()))),
    };
    for directory in directories {
        let is_there = |name: &OsString| directory.join(name).is_file();
        if !prefers_archives && shared.as_ref().is_some_and(is_there) {
            return None;
        }
        if is_there(&archive) {
            return Some(directory.join(archive));
        }
    }
    None
}

/// The words of a response file: blanks part them, quotation marks and backslashes keep characters (`buildargv` of
/// libiberty).
fn split(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => word.get_or_insert_default().extend(bytes.next()),
            _ if quote == Some(byte) => quote = None,
            b'\'' | b'"' if quote.is_none() => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            _ if quote.is_none() && byte.is_ascii_whitespace() => {
                words.extend(word.take().map(OsString::from_vec));
            }
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}

/// The words as the contents of a response file.
pub(super) fn quoted(words: &[OsString]) -> Vec<u8> {
    let mut text = Vec::new();
    for word in words {
        if word.is_empty() {
            text.extend_from_slice(b"\"\"");
        }
        for &byte in word.as_bytes() {
            if byte.is_ascii_whitespace() || matches!(byte, b'\\' | b'\'' | b'"') {
                text.push(b'\\');
            }
            text.push(byte);
        }
        text.push(b'\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    /// What becomes of a command line in which files that end with `.bc` are bitcode.
    fn replaced(line: &str) -> (Vec<OsString>, OptLevel) {
        let arguments = Arguments::expand(&words(line)).unwrap();
        let mut look = |path: &Path| -> Result<Option<PathBuf>, ()> {
            let name = path.to_str().unwrap().strip_suffix(".bc");
            Ok(name.map(|name| format!("/t/{name}.o").into()))
        };
        let arguments = arguments.replace(&mut look).unwrap();
        (arguments.words, arguments.level)
    }

    #[test]
    fn inputs_are_replaced_wherever_they_stand() {
        let (found, level) = replaced("-o a.bc x.bc y.o -Wl,--whole-archive,z.bc,--gc-sections -lm");
        assert_eq!(found, words("-o a.bc /t/x.o y.o -Wl,--whole-archive,/t/z.o,--gc-sections -lm"));
        assert_eq!(level, OptLevel::O2);
    }

    #[test]
    fn what_is_for_the_plugin_is_taken_out() {
        let line = "-Wl,-plugin-opt=O0,-plugin-opt=mcpu=x86-64 -flto=thin -Wl,-plugin-opt=mcpu=x,-O1 a.o \
                    -plugin /usr/lib/LLVMgold.so -Xlinker -plugin-opt=O1 -plugin /gcc/liblto_plugin.so \
                    -plugin-opt=/gcc/lto-wrapper -flto";
        let (found, level) = replaced(line);
        let kept = "-Wl,-O1 a.o -plugin /gcc/liblto_plugin.so -plugin-opt=/gcc/lto-wrapper";
        assert_eq!((found, level), (words(kept), OptLevel::O1));
    }

    #[test]
    fn response_files_have_quotation_marks() {
        let text = b" a 'b c'\\ d\n\"\\\"'\" '' e\\\\";
        let found = split(text);
        assert_eq!(found, ["a", "b c d", "\"'", "", "e\\"]);
        assert_eq!(split(&quoted(&found)), found);
    }

    #[test]
    fn own_flags_stand_anywhere() {
        let request = Request::parse(&words("a.o --ice-linker=clang -lm")).unwrap();
        assert_eq!(request, Request { linker: "clang".into(), arguments: words("a.o -lm") });
        let error = Request::parse(&words("--ice-foo")).unwrap_err();
        assert_eq!(error.0, "'--ice-foo' is no flag; there is --ice-linker");
    }
}
