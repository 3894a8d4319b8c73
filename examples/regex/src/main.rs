//! `ice-regex PATTERN [FILE …]`: prints the lines that an expression matches in.

use ice_regex::{Error, Regex};
use std::io::{self, Read, Write};
use std::process::ExitCode;

const HELP: &str = "\
usage: ice-regex [OPTIONS] PATTERN [FILE ...]

Prints the lines of the files, or of the standard input, in which PATTERN matches.

  -c, --count            print only how many lines match
  -i, --ignore-case      case does not count
  -n, --line-number      print the number of each line
  -o, --only-matching    print only what matches, a line each
  -h, --help             print this
";

/// What is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Print {
    Lines,
    Matches,
    Count,
}

struct Arguments {
    regex: Regex,
    files: Vec<String>,
    print: Print,
    numbers: bool,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("ice-regex: {message}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let Some(arguments) = arguments()? else {
        print!("{HELP}");
        return Ok(true);
    };
    let mut found = false;
    for file in &arguments.files {
        let mut bytes = Vec::new();
        let read = if file == "-" { io::stdin().read_to_end(&mut bytes) } else { read(file, &mut bytes) };
        read.map_err(|error| format!("{file}: {error}"))?;
        // What is not UTF-8 is replaced by a character that says so.
        let text = String::from_utf8_lossy(&bytes);
        let prefix = if arguments.files.len() > 1 { format!("{file}:") } else { String::new() };
        match search(&arguments, &text, &prefix) {
            Ok(is_match) => found |= is_match,
            Err(Failure::Search(error)) => return Err(format!("{file}: {error}")),
            // Nobody reads any more.
            Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(found),
            Err(Failure::Output(error)) => return Err(error.to_string()),
        }
    }
    Ok(found)
}

fn read(file: &str, bytes: &mut Vec<u8>) -> io::Result<usize> {
    std::fs::File::open(file)?.read_to_end(bytes)
}

fn arguments() -> Result<Option<Arguments>, String> {
    use lexopt::prelude::*;
    let mut parser = lexopt::Parser::from_env();
    let (mut pattern, mut files) = (None, Vec::new());
    let (mut print, mut numbers, mut flags) = (Print::Lines, false, "");
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        match argument {
            Short('c') | Long("count") => print = Print::Count,
            Short('i') | Long("ignore-case") => flags = "(?i)",
            Short('n') | Long("line-number") => numbers = true,
            Short('o') | Long("only-matching") => print = Print::Matches,
            Short('h') | Long("help") => return Ok(None),
            Value(value) if pattern.is_none() => pattern = Some(value.to_string_lossy().into_owned()),
            Value(value) => files.push(value.to_string_lossy().into_owned()),
            other => return Err(other.unexpected().to_string()),
        }
    }
    let pattern = pattern.ok_or_else(|| String::from("a pattern is missing; --help says more"))?;
    let regex = Regex::new(&pattern)
        .and_then(|plain| if flags.is_empty() { Ok(plain) } else { Regex::new(&format!("{flags}{pattern}")) })
        .map_err(|error| format!("{pattern}: {error}"))?;
    if files.is_empty() {
        files.push(String::from("-"));
    }
    Ok(Some(Arguments { regex, files, print, numbers }))
}

enum Failure {
    Search(Error),
    Output(io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Search(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

/// Prints what is found in a text; gives whether anything was.
fn search(arguments: &Arguments, text: &str, prefix: &str) -> Result<bool, Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut count = 0;
    for (n, line) in text.lines().enumerate() {
        if !arguments.regex.is_match(line)? {
            continue;
        }
        count += 1;
        let number = if arguments.numbers { format!("{}:", n + 1) } else { String::new() };
        match arguments.print {
            Print::Count => {}
            Print::Lines => writeln!(out, "{prefix}{number}{line}")?,
            Print::Matches => {
                for found in arguments.regex.find_iter(line) {
                    writeln!(out, "{prefix}{number}{}", found?.as_str())?;
                }
            }
        }
    }
    if arguments.print == Print::Count {
        writeln!(out, "{prefix}{count}")?;
    }
    out.flush()?;
    Ok(count > 0)
}
