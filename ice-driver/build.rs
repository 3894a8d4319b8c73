//! Links the command for release without what it does not need. It ends where it panics, so nothing reads tables for
//! unwinding. It is loaded at one address, so that no address in its constant data, of which there are thousands for the
//! places of panics, needs a record for the loader, 24 bytes and some time at each start. What random addresses make
//! harder, the abuse of faults of memory, takes unsafe code, which the command and its libraries do not have.
//!
//! The sources of the runtime, which are part of the command, lose their comments, which are a third of them. Lines stay where they
//! are, so that what a compiler says of one is of the same line here.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=discard-unwind-tables.ld");
    println!("cargo::rerun-if-changed=runtime");
    let variable = |name| env::var(name).unwrap_or_default();
    if variable("PROFILE") == "release" && variable("CARGO_CFG_TARGET_OS") == "linux" {
        let directory = variable("CARGO_MANIFEST_DIR");
        println!("cargo::rustc-link-arg-bins=-Wl,-T,{directory}/discard-unwind-tables.ld");
        if variable("CARGO_CFG_TARGET_ENV") == "gnu" {
            println!("cargo::rustc-link-arg-bins=-no-pie");
        }
    }
    let directory = Path::new(&variable("OUT_DIR")).join("runtime");
    fs::create_dir_all(&directory)?;
    for source in fs::read_dir("runtime")? {
        let source = source?;
        let bare = without_comments(&fs::read_to_string(source.path())?);
        fs::write(directory.join(source.file_name()), bare)?;
    }
    Ok(())
}

/// A source for the C preprocessor without its comments, and without the spaces that lines begin and end with.
fn without_comments(source: &str) -> String {
    let (mut out, mut rest) = (String::new(), source);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("/*") => {
                let length = rest[2..].find("*/").map_or(rest.len(), |end| 2 + end + 2);
                // A comment separates what is around it.
                out.push(' ');
                out.extend(rest[..length].chars().filter(|&c| c == '\n'));
                rest = &rest[length..];
                continue;
            }
            '/' if rest.starts_with("//") => {
                rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
                continue;
            }
            '"' | '\'' => literal(rest, first),
            _ => first.len_utf8(),
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    let mut is_continued = false;
    let line = |line: &str| {
        // What a backslash continues begins with a space: the line before may end with a word.
        let space = if std::mem::replace(&mut is_continued, line.ends_with('\\')) { " " } else { "" };
        format!("{space}{}\n", line.trim())
    };
    out.lines().map(line).collect()
}

/// The length of the literal that `text` begins with, which ends with `quote` or with the line.
fn literal(text: &str, quote: char) -> usize {
    let mut is_escaped = true;
    let end = text.find(|c| {
        let is_end = (c == quote && !is_escaped) || c == '\n';
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |end| if text[end..].starts_with('\n') { end } else { end + quote.len_utf8() })
}
