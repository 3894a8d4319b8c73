//! No two back ends hold the same code: what is alike belongs in `ice-codegen`.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Lines that two back ends may have alike in a row.
const MAX_RUN: usize = 12;

/// A file and its lines with their numbers, without spaces around them, without empty ones, and without the list of its
/// modules: the files of back ends are named alike on purpose.
struct Source {
    file: PathBuf,
    lines: Vec<(usize, String)>,
}

impl Source {
    fn new(file: &Path, text: &str) -> Source {
        let lines = (1..).zip(text.lines().map(|line| line.trim().to_owned()));
        let is_module = |line: &str| line.starts_with("mod ") && line.ends_with(';');
        let is_code = |(_, line): &(usize, String)| !line.is_empty() && !is_module(line);
        Source { file: file.to_owned(), lines: lines.filter(is_code).collect() }
    }
}

/// The Rust files of a folder and those below.
fn sources(folder: &Path, found: &mut Vec<Source>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(Source::new(&path, &fs::read_to_string(&path).expect("a file")));
        }
    }
}

/// The runs of more than [`MAX_RUN`] like lines, each told by where it begins in both files.
fn runs(a: &[Source], b: &[Source]) -> Vec<String> {
    let mut places = HashMap::<&str, Vec<(&Source, usize)>>::new();
    for source in b {
        for (n, (_, line)) in source.lines.iter().enumerate() {
            places.entry(line).or_default().push((source, n));
        }
    }
    let mut found = Vec::new();
    for source in a {
        for (n, (number, line)) in source.lines.iter().enumerate() {
            for &(other, m) in places.get(line.as_str()).into_iter().flatten() {
                let is_start = n == 0 || m == 0 || source.lines[n - 1].1 != other.lines[m - 1].1;
                let pairs = source.lines[n..].iter().zip(&other.lines[m..]);
                let length = pairs.take_while(|(one, two)| one.1 == two.1).count();
                if is_start && length > MAX_RUN {
                    let (file, other_file) = (source.file.display(), other.file.display());
                    found.push(format!("{length} lines: {file}:{number}, {other_file}:{}", other.lines[m].0));
                }
            }
        }
    }
    found
}

#[test]
fn back_ends_do_not_repeat_each_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    let entries = fs::read_dir(root).expect("the workspace").map(|entry| entry.expect("an entry").path());
    let mut folders: Vec<PathBuf> = entries
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("ice-target-") && path.join("src").is_dir()
        })
        .collect();
    folders.sort();
    let targets: Vec<Vec<Source>> = folders
        .iter()
        .map(|folder| {
            let mut found = Vec::new();
            sources(&folder.join("src"), &mut found);
            found
        })
        .collect();
    assert!(targets.len() >= 2 && targets.iter().all(|target| target.len() > 10), "back ends were found");
    let mut found = Vec::new();
    for (n, a) in targets.iter().enumerate() {
        targets[n + 1..].iter().for_each(|b| found.extend(runs(a, b)));
    }
    assert!(found.is_empty(), "lift what is alike into ice-codegen:\n{}", found.join("\n"));
}

#[test]
fn runs_are_found_from_the_thirteenth_line_on() {
    let text = |lines: usize| (0..lines).map(|n| format!("    line {n}\n\n")).collect::<String>();
    let source = |text: String| [Source::new(Path::new("file"), &text)];
    let a = source(format!("first\n{}last", text(MAX_RUN + 1)));
    assert_eq!(runs(&a, &source(format!("other\n{}", text(MAX_RUN + 1)))), ["13 lines: file:2, file:2"]);
    assert!(runs(&a, &source(text(MAX_RUN))).is_empty());
}
