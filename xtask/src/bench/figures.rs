//! Measured figures by group and name, kept as JSON, and what has become worse.

use crate::workspace::show;
use anyhow::Context as _;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What a group of figures counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    /// Bytes of the inputs.
    Bytes,
    /// Instructions of a translation.
    Translation,
    /// The most memory that a translation held, in KiB.
    Memory,
    /// Instructions of translated programs.
    Programs,
    /// Bytes of .text of translated programs.
    Text,
    /// Bytes of the stripped binary.
    Size,
}

impl Group {
    /// All of them.
    pub const ALL: [Group; 6] =
        [Group::Bytes, Group::Translation, Group::Memory, Group::Programs, Group::Text, Group::Size];

    /// Its name in the file.
    pub const fn name(self) -> &'static str {
        match self {
            Group::Bytes => "bytes of input",
            Group::Translation => "instructions of translation",
            Group::Memory => "peak of memory, KiB",
            Group::Programs => "instructions of programs",
            Group::Text => "bytes of .text",
            Group::Size => "bytes of the binary",
        }
    }

    /// By how many hundredths a figure may grow. Memory is counted in pages that the system hands out, and varies.
    const fn tolerance(self) -> u64 {
        match self {
            Group::Memory => 5,
            _ => 2,
        }
    }
}

/// Figures, all of them better the smaller they are.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Figures(BTreeMap<String, BTreeMap<String, u64>>);

/// A figure that has become worse.
#[derive(PartialEq, Eq, Debug)]
pub struct Worse {
    pub group: Group,
    pub name: String,
    pub before: u64,
    pub now: u64,
}

impl Figures {
    /// Reads what [`write`](Self::write) wrote.
    pub fn read(path: &Path) -> anyhow::Result<Figures> {
        let text = fs::read_to_string(path).with_context(|| show(path))?;
        serde_json::from_str(&text).map(Figures).with_context(|| show(path))
    }

    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(&self.0)? + "\n";
        fs::write(path, text).with_context(|| show(path))
    }

    pub fn set(&mut self, group: Group, name: &str, figure: u64) {
        self.0.entry(group.name().to_owned()).or_default().insert(name.to_owned(), figure);
    }

    pub fn get(&self, group: Group, name: &str) -> Option<u64> {
        self.0.get(group.name())?.get(name).copied()
    }

    /// Takes over the figures of another measurement.
    pub fn update(&mut self, newer: &Figures) {
        for (group, figures) in &newer.0 {
            self.0.entry(group.clone()).or_default().extend(figures.clone());
        }
    }

    /// The figures of `now` that are above those here by more than their group tolerates.
    pub fn worse_in(&self, now: &Figures) -> Vec<Worse> {
        let mut worse = Vec::new();
        for group in Group::ALL {
            for (name, &figure) in now.0.get(group.name()).into_iter().flatten() {
                let Some(before) = self.get(group, name) else { continue };
                if u128::from(figure) * 100 > u128::from(before) * u128::from(100 + group.tolerance()) {
                    worse.push(Worse { group, name: name.clone(), before, now: figure });
                }
            }
        }
        worse
    }
}

impl std::fmt::Display for Worse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = (self.now as f64 / self.before as f64 - 1.0) * 100.0;
        let (group, name) = (self.group.name(), &self.name);
        write!(f, "{group}: {name}: {} instead of {}, {percent:+.1} %", self.now, self.before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_worse() {
        let mut before = Figures::default();
        before.set(Group::Translation, "a", 1_000);
        before.set(Group::Translation, "b", 1_000);
        before.set(Group::Memory, "a", 1_000);
        let mut now = before.clone();
        assert_eq!(before.worse_in(&now), []);
        now.set(Group::Translation, "a", 1_020);
        now.set(Group::Translation, "b", 1_021);
        now.set(Group::Translation, "c", 5_000);
        now.set(Group::Memory, "a", 1_040);
        let worse = Worse { group: Group::Translation, name: "b".into(), before: 1_000, now: 1_021 };
        assert_eq!(before.worse_in(&now), [worse]);
        before.update(&now);
        assert_eq!(before, now);
    }
}
