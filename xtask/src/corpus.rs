//! The table of programs with known output: `cases.tsv` of the corpus.

use crate::workspace::show;
use anyhow::{Context as _, ensure};
use std::path::Path;

/// One line: a program, its arguments and what must come out.
pub struct Case {
    pub id: String,
    /// The program, relative to the corpus.
    pub file: String,
    pub arguments: Vec<String>,
    pub exit_code: i32,
    pub output: Vec<u8>,
}

/// Cases that take the interpreter minutes.
pub const SLOW_TO_INTERPRET: [&str; 4] = ["meteor-2098", "binarytrees-12", "fannkuchredux-9", "nbody-50000"];

/// Reads the table: id, file, arguments, exit code, file of the expected output.
pub fn cases(corpus: &Path) -> anyhow::Result<Vec<Case>> {
    let path = corpus.join("cases.tsv");
    let table = std::fs::read_to_string(&path).with_context(|| show(&path))?;
    let lines = table.lines().enumerate().filter(|(_, line)| !line.is_empty());
    lines
        .map(|(number, line)| {
            let place = || format!("{}:{}", path.display(), number + 1);
            let columns: Vec<&str> = line.split('\t').collect();
            ensure!(columns.len() == 5, "{}: {} columns, not 5", place(), columns.len());
            let expected = corpus.join(columns[4]);
            Ok(Case {
                id: columns[0].to_owned(),
                file: columns[1].to_owned(),
                arguments: columns[2].split_whitespace().map(str::to_owned).collect(),
                exit_code: columns[3].parse().with_context(place)?,
                output: std::fs::read(&expected).with_context(|| show(&expected))?,
            })
        })
        .collect()
}
