//! The table of planted faults: text files in `xtask/mutants`, one for each part of the compiler.
//!
//! ```text
//! == name-of-the-fault
//! breaks: what is wrong in the code that it makes
//! file: ice-asm/src/reloc.rs
//! test: ice-asm --test all integer
//! test: ice-driver --test all objects::
//! -- old
//! lines that stand in the file once
//! -- new
//! lines in their place
//! ```
//!
//! A `test:` line is what `cargo test -p` gets, cheap ones first. Lines that start with `#` before the first fault say what the
//! file is about.

use crate::toolchain::read;
use crate::workspace::show;
use anyhow::{Context as _, ensure};
use std::path::Path;

/// A planted fault.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Mutant {
    pub name: String,
    /// What it breaks.
    pub breaks: String,
    /// The file that it changes, from the root of the workspace.
    pub file: String,
    /// Arguments of `cargo test -p`, in order of their cost.
    pub tests: Vec<String>,
    /// What stands there, and what takes its place.
    pub old: String,
    pub new: String,
}

/// All faults, by file and place.
pub fn read_all(root: &Path) -> anyhow::Result<Vec<Mutant>> {
    let directory = root.join("xtask/mutants");
    let mut files: Vec<_> = std::fs::read_dir(&directory)
        .with_context(|| show(&directory))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    let mut all = Vec::new();
    for file in files {
        all.extend(parse(&read(&file)?).with_context(|| show(&file))?);
    }
    Ok(all)
}

/// The faults of one file.
fn parse(text: &str) -> anyhow::Result<Vec<Mutant>> {
    let mut mutants: Vec<Mutant> = Vec::new();
    let mut part = Part::Head;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("== ") {
            mutants.push(Mutant { name: name.to_owned(), ..Mutant::default() });
            part = Part::Head;
            continue;
        }
        let Some(mutant) = mutants.last_mut() else {
            ensure!(line.is_empty() || line.starts_with('#'), "'{line}' before the first fault");
            continue;
        };
        match (line, part) {
            ("-- old", _) => part = Part::Old,
            ("-- new", _) => part = Part::New,
            (_, Part::Old) => mutant.old += &format!("{line}\n"),
            (_, Part::New) => mutant.new += &format!("{line}\n"),
            ("", Part::Head) => {}
            (_, Part::Head) => match line.split_once(": ") {
                Some(("breaks", what)) => mutant.breaks = what.to_owned(),
                Some(("file", file)) => mutant.file = file.to_owned(),
                Some(("test", test)) => mutant.tests.push(test.to_owned()),
                _ => anyhow::bail!("{}: '{line}' is no line of a fault", mutant.name),
            },
        }
    }
    for mutant in &mut mutants {
        // An empty line divides one fault from the next.
        mutant.new.truncate(mutant.new.trim_end().len());
        mutant.old.truncate(mutant.old.trim_end().len());
        let Mutant { name, breaks, file, tests, old, new } = &*mutant;
        let is_whole = ![breaks, file, old].iter().any(|text| text.is_empty()) && !tests.is_empty();
        ensure!(is_whole && old != new, "{name} needs breaks, file, test, and old and new text that differ");
    }
    Ok(mutants)
}

#[derive(Clone, Copy)]
enum Part {
    Head,
    Old,
    New,
}

impl Mutant {
    /// The text of its file with the fault.
    ///
    /// # Errors
    /// The old text does not stand there once.
    pub fn apply(&self, text: &str) -> anyhow::Result<String> {
        let count = text.matches(&self.old).count();
        ensure!(count == 1, "{}: its old text stands {count} times in {}", self.name, self.file);
        Ok(text.replacen(&self.old, &self.new, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    const TEXT: &str = "# About.\n\n== a\nbreaks: all\nfile: b.rs\ntest: c --lib\ntest: d\n-- old\n    x\n    y\n-- new\n    z\n\n== b\n\
        breaks: all\nfile: b.rs\ntest: c\n-- old\nq\n-- new\n";

    #[test]
    fn faults_are_read_and_planted() {
        let mutants = parse(TEXT).expect("a table");
        assert_eq!((mutants.len(), &*mutants[0].name), (2, "a"));
        assert_eq!(mutants[0].tests, ["c --lib", "d"]);
        assert_eq!(mutants[0].apply("{\n    x\n    y\n}\n").expect("it applies"), "{\n    z\n}\n");
        assert_eq!(mutants[1].apply("pqr").expect("it applies"), "pr");
        let error = mutants[1].apply("qq").expect_err("twice").to_string();
        assert_eq!(error, "b: its old text stands 2 times in b.rs");
        assert!(parse("what\n").is_err() && parse("== a\nbreaks: b\n").is_err());
        assert!(parse("== a\nbreaks: b\nfile: c\ntest: d\n-- old\nx\n-- new\nx\n").is_err());
    }

    /// Whoever changes a place that a fault is planted in moves the fault.
    #[test]
    fn every_fault_applies_to_the_tree() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
        let mutants = read_all(root).expect("a table");
        assert!(mutants.len() >= 40, "{} faults", mutants.len());
        let mut names = HashSet::new();
        let mut stale = Vec::new();
        for mutant in &mutants {
            assert!(names.insert(&mutant.name), "{} twice", mutant.name);
            let text = read(&root.join(&mutant.file)).expect("a file");
            stale.extend(mutant.apply(&text).err().map(|error| error.to_string()));
            for test in &mutant.tests {
                let words: Vec<&str> = test.split(' ').collect();
                let package = root.join(words[0]);
                assert!(package.join("Cargo.toml").is_file(), "{}: no package {}", mutant.name, words[0]);
                let file = words.iter().position(|&word| word == "--test").map(|at| words[at + 1]);
                let is_there =
                    file.is_none_or(|file| package.join("tests").join(format!("{file}.rs")).is_file());
                assert!(is_there, "{}: no test '{test}'", mutant.name);
            }
        }
        assert!(stale.is_empty(), "{}", stale.join("\n"));
    }
}
