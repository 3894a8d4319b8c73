//! What came of the pieces of a long run, one line each, so that a run that was stopped goes on where it was.
//!
//! A line is the piece's key, ` = `, and six numbers. Pieces with differences are tried again.

use crate::toolchain::read;
use crate::workspace::show;
use anyhow::Context as _;
use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// What came of a piece, or of several.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Tally {
    /// Programs that were run.
    pub runs: usize,
    /// Programs with differences or refused functions.
    pub faulty: usize,
    pub functions: u64,
    pub calls: u64,
    /// Functions that no stub can call.
    pub left_out: usize,
    /// Functions that were refused; LLVM's stood in for them.
    pub refused: usize,
}

impl Tally {
    pub fn plus(self, other: Tally) -> Tally {
        Tally {
            runs: self.runs + other.runs,
            faulty: self.faulty + other.faulty,
            functions: self.functions + other.functions,
            calls: self.calls + other.calls,
            left_out: self.left_out + other.left_out,
            refused: self.refused + other.refused,
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tally { runs, faulty, functions, calls, left_out, refused } = self;
        write!(
            f,
            "{runs} programs, {functions} functions ({left_out} that no stub can call, {refused} refused), \
             {calls} calls: {faulty} programs with differences"
        )
    }
}

/// The file of results; nothing is kept without one.
pub struct Record {
    path: Option<PathBuf>,
    known: HashMap<String, Tally>,
}

/// A key and what came of it; none if the line is of another kind, the half of a line for example.
fn parse(line: &str) -> Option<(String, Tally)> {
    let (key, numbers) = line.split_once(" = ")?;
    let numbers: Option<Vec<u64>> = numbers.split(' ').map(|number| number.parse().ok()).collect();
    let [runs, faulty, functions, calls, left_out, refused, 0] = numbers?[..] else { return None };
    let [runs, faulty, left_out, refused] = [runs, faulty, left_out, refused].map(|number| number as usize);
    Some((key.to_owned(), Tally { runs, faulty, functions, calls, left_out, refused }))
}

impl Record {
    /// Reads the results of former runs.
    pub fn open(path: Option<&Path>) -> anyhow::Result<Record> {
        let text = match path {
            Some(path) if path.exists() => read(path)?,
            _ => String::new(),
        };
        let known = text.lines().filter_map(parse).filter(|(_, tally)| tally.faulty == 0).collect();
        Ok(Record { path: path.map(Path::to_owned), known })
    }

    /// What came of a piece before, if nothing differed.
    pub fn known(&self, key: &str) -> Option<Tally> {
        self.known.get(key).copied()
    }

    /// Adds a result and gives it back.
    pub fn keep(&self, key: &str, tally: Tally) -> anyhow::Result<Tally> {
        if let Some(path) = &self.path {
            let Tally { runs, faulty, functions, calls, left_out, refused } = tally;
            // One write, so that lines of several threads stay whole; the last number tells that the line is.
            let line = format!("{key} = {runs} {faulty} {functions} {calls} {left_out} {refused} 0\n");
            let mut options = std::fs::OpenOptions::new();
            let mut file = options.append(true).create(true).open(path).with_context(|| show(path))?;
            file.write_all(line.as_bytes()).with_context(|| show(path))?;
        }
        Ok(tally)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_known_again() {
        let path = std::env::temp_dir().join(format!("ice-record-{}", std::process::id()));
        let right = Tally { runs: 2, faulty: 0, functions: 30, calls: 400, left_out: 5, refused: 6 };
        let record = Record::open(Some(&path)).unwrap();
        record.keep("a O1 calls:3", right).unwrap();
        record.keep("b", Tally { faulty: 1, ..right }).unwrap();
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"c = 2 0 30 40").unwrap();
        let again = Record::open(Some(&path)).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(again.known("a O1 calls:3"), Some(right));
        assert_eq!((again.known("b"), again.known("c")), (None, None));
    }
}
