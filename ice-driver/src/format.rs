//! What an input is, told by its first bytes, and by its name where bytes are not enough.
//!
//! The three forms that `ice` reads, and the files that people give it by mistake: those are called by their
//! name, with what would make an input of them.

use crate::error::Error;
use crate::files::is_dash;
use crate::options::InputFormat;
use std::path::Path;

/// First bytes of files that are no programs for `ice`.
const KNOWN: &[(&[u8], &str)] = &[
    (b"\x7fELF", "an ELF file (an object, a library or an executable), already translated"),
    (b"!<arch>\n", "an archive of objects; its members are read one by one"),
    (b"!<thin>\n", "a thin archive; the files that it names are read one by one"),
    (b"\x1f\x8b", "compressed by gzip"),
    (b"BZh", "compressed by bzip2"),
    (b"\xfd7zXZ\0", "compressed by xz"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\0asm", "WebAssembly"),
    (b"MZ", "a program for Windows"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O file"),
];

/// First bytes of LLVM bitcode, bare and in a wrapper.
const LLVM: [&[u8]; 2] = [b"BC\xc0\xde", b"\xde\xc0\x17\x0b"];

/// How LLVM's text form begins its lines.
const LLVM_TEXT: &[&str] = &["; ModuleID", "source_filename =", "target datalayout", "target triple"];

/// Lines of a text that are looked at.
const LINES: usize = 50;

fn is_llvm_text(text: &str) -> bool {
    text.lines().take(LINES).any(|line| LLVM_TEXT.iter().any(|start| line.starts_with(start)))
}

/// The bytes as text, if they are one.
fn as_text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let is_control = |byte: u8| byte < b' ' && !b"\t\n\r\x0c".contains(&byte);
    (!bytes.iter().any(|&byte| is_control(byte))).then_some(text)
}

/// Whether an input that begins like this is PNaCl bitcode.
pub fn is_pexe(start: &[u8]) -> bool {
    start.starts_with(b"PEXE")
}

/// Whether an input that begins like this is LLVM bitcode.
pub fn is_llvm(start: &[u8]) -> bool {
    LLVM.iter().any(|magic| start.starts_with(magic))
}

/// The form of an input.
///
/// # Errors
/// [`Error::NoProgram`] with what it is instead.
pub fn input_format(path: &Path, bytes: &[u8]) -> Result<InputFormat, Error> {
    if is_llvm(bytes) {
        return Ok(InputFormat::Llvm);
    }
    if is_pexe(bytes) {
        return Ok(InputFormat::Bitcode);
    }
    let known = KNOWN.iter().find(|(start, _)| bytes.starts_with(start));
    if let Some((_, name)) = known {
        return Err(Error::NoProgram(name));
    }
    let is_named_text = path.extension().is_some_and(|extension| extension == "ice");
    match as_text(bytes) {
        Some("") => Err(Error::NoProgram("empty")),
        Some(text) if is_llvm_text(text) => {
            Err(Error::NoProgram("LLVM's text form; llvm-as makes bitcode of it"))
        }
        Some(_) if is_named_text || is_dash(path) => Ok(InputFormat::Text),
        // The parser says which byte is none of a text.
        None if is_named_text => Ok(InputFormat::Text),
        Some(_) => {
            Err(Error::NoProgram("text; as text form are read files named .ice and the standard input"))
        }
        None => Err(Error::NoProgram("of no known form")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(path: &str, bytes: &[u8]) -> Result<InputFormat, Error> {
        input_format(Path::new(path), bytes)
    }

    #[test]
    fn programs_are_told_by_bytes_and_name() {
        assert_eq!(format("a.ice", b"define"), Ok(InputFormat::Text));
        assert_eq!(format("a.ice", b"; caf\xe9"), Ok(InputFormat::Text));
        assert_eq!(format("a.ice", b"PEXE\x01"), Ok(InputFormat::Bitcode));
        assert_eq!(format("-", b"PEXE\x01"), Ok(InputFormat::Bitcode));
        assert_eq!(format("-", b"BC\xc0\xde"), Ok(InputFormat::Llvm));
        assert_eq!(format("a.bc", b"\xde\xc0\x17\x0b"), Ok(InputFormat::Llvm));
        assert_eq!(format("-", "; caf\u{e9}".as_bytes()), Ok(InputFormat::Text));
    }

    #[test]
    fn other_files_are_called_by_their_name() {
        for (path, bytes, name) in [
            ("a.o", &b"\x7fELF\x02\x01"[..], "ELF"),
            ("a.pexe", b"!<arch>\nx", "archive"),
            ("a.pexe", b"\x1f\x8b\x08", "gzip"),
            ("a.ll", b"; ModuleID = 'a'\ndefine", "llvm-as"),
            ("-", b"\n; note\ntarget triple = \"x86_64\"\n", "llvm-as"),
            ("a.pexe", b"", "empty"),
            ("a.ice", b"", "empty"),
            ("a.c", b"int main", "text"),
            ("a.pexe", b"\x01\x02\x03", "no known form"),
        ] {
            match format(path, bytes) {
                Err(Error::NoProgram(found)) => assert!(found.contains(name), "{path}: {found}"),
                other => panic!("{path}: {other:?}"),
            }
        }
    }
}
