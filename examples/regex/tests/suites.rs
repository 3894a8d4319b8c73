//! The expressions and texts of others' test suites, where they are: what is found must be what their crates find.
//!
//! Read are the tables of the crate `regex` (`testdata/*.toml`), and of Oniguruma as `fancy-regex` has them
//! (`tests/oniguruma/test_utf8.c`). Of each only the expressions and the texts are taken.

use crate::common::{groups_of, others};
use ice_regex::{Error, Limits, Regex, SyntaxErrorKind};

/// Parts of expressions that mean something else here: braces without a number stand for themselves, as in Perl; a plus
/// behind bounds is possessive, not one more repetition; an empty group that is repeated has matched.
const DIFFERENT: &[&str] = &["{,}", "a{2,3}+a", "()*\\1", "(?:()|())*"];

/// The string at the start of a text of TOML.
fn toml_string(text: &str) -> Option<String> {
    for (quote, is_literal) in [("'''", true), ("\"\"\"", false), ("'", true), ("\"", false)] {
        let Some(rest) = text.strip_prefix(quote) else { continue };
        if is_literal {
            let inside = rest.split_once(quote)?.0;
            return Some(if quote.len() == 3 { inside.trim_start_matches('\n') } else { inside }.to_owned());
        }
        return escaped(rest.trim_start_matches('\n'));
    }
    None
}

/// The string up to a quote, with the escapes that C and TOML have.
fn escaped(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.chars();
    loop {
        let c = rest.next()?;
        match c {
            '"' => return String::from_utf8(bytes).ok(),
            '\\' => match rest.next()? {
                'n' => bytes.push(b'\n'),
                't' => bytes.push(b'\t'),
                'r' => bytes.push(b'\r'),
                'f' => bytes.push(12),
                'v' => bytes.push(11),
                'a' => bytes.push(7),
                kind @ ('x' | 'u' | 'U') => {
                    let digits = [('x', 2), ('u', 4), ('U', 8)].into_iter().find(|&(k, _)| k == kind)?.1;
                    let number: String = rest.by_ref().take(digits).collect();
                    let number = u32::from_str_radix(&number, 16).ok()?;
                    match kind {
                        'x' => bytes.push(number as u8),
                        _ => bytes.extend(char::from_u32(number)?.to_string().bytes()),
                    }
                }
                digit @ '0'..='7' => {
                    let more = rest.clone().take(2).take_while(|c| ('0'..='7').contains(c)).count();
                    let number: String = [digit].into_iter().chain(rest.by_ref().take(more)).collect();
                    bytes.push(u8::from_str_radix(&number, 8).ok()?);
                }
                c => bytes.extend(c.to_string().bytes()),
            },
            c => bytes.extend(c.to_string().bytes()),
        }
    }
}

/// Expressions and texts of a table of TOML.
fn toml_cases(table: &str) -> Vec<(String, String)> {
    let tests = table.split("[[test]]").skip(1);
    let field = |test: &str, name: &str| {
        let at = test.find(&format!("\n{name} = "))? + name.len() + 4;
        toml_string(&test[at..])
    };
    tests.filter_map(|test| Some((field(test, "regex")?, field(test, "haystack")?))).collect()
}

/// Expressions and texts of the calls `x2("a", "b", …)` of a program in C.
fn c_cases(program: &str) -> Vec<(String, String)> {
    let cases = program.lines().filter_map(|line| {
        let arguments = ["x2(\"", "x3(\"", "n(\""].iter().find_map(|call| line.trim().strip_prefix(call))?;
        let pattern = escaped(arguments)?;
        let (mut end, bytes) = (0, arguments.as_bytes());
        while bytes.get(end)? != &b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        Some((pattern, escaped(arguments[end + 1..].split_once('"')?.1)?))
    });
    cases.collect()
}

/// Whether an expression is one that this crate says it does not support.
fn is_unsupported(error: &Error) -> bool {
    matches!(error, Error::Syntax(error) if !matches!(error.kind, SyntaxErrorKind::NoSuchGroup(_)))
}

/// `ICE_REGEX_SUITES=FILE:FILE cargo test -p ice-regex suites -- --ignored --nocapture`.
#[test]
#[ignore = "needs files of others"]
fn suites_of_others() {
    let files = std::env::var("ICE_REGEX_SUITES").expect("ICE_REGEX_SUITES has files, with colons between");
    let (mut compared, mut refused, mut differences) = (0, 0, Vec::new());
    for file in files.split(':') {
        let table = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
        let cases = if file.ends_with(".toml") { toml_cases(&table) } else { c_cases(&table) };
        for (pattern, text) in cases {
            if DIFFERENT.iter().any(|part| pattern.contains(part)) {
                continue;
            }
            let Some(expected) = others(&pattern, &text) else { continue };
            for states in [0, 600] {
                let limits = Limits { states, ..Limits::default() };
                match Regex::with_limits(&pattern, limits) {
                    Err(error) if is_unsupported(&error) => refused += 1,
                    Err(error) => differences.push(format!("{pattern:?}: {error}")),
                    Ok(regex) => {
                        compared += 1;
                        let found = groups_of(&regex, &text);
                        if found.as_ref().ok() != Some(&expected) {
                            let shown = format!("{pattern:?} on {text:?}: {found:?}, not {expected:?}");
                            differences.push(shown);
                        }
                    }
                }
            }
        }
    }
    println!("{compared} compared, {refused} refused, {} differ", differences.len());
    assert!(compared > 0 && differences.is_empty(), "{}", differences.join("\n"));
}
