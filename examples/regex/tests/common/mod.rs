//! What other crates find.

pub mod tools;

use ice_regex::{Error, Regex};
use std::ops::Range;

/// Where the groups of a match are.
pub type Groups = Vec<Option<Range<usize>>>;

/// The groups of all matches.
pub fn groups_of(regex: &Regex, text: &str) -> Result<Vec<Groups>, Error> {
    regex
        .captures_iter(text)
        .map(|found| Ok(found?.iter().map(|group| group.map(|group| group.range())).collect()))
        .collect()
}

/// The groups of all matches that the crate `regex` finds, or `fancy-regex` for what that does not know; none if neither
/// can say.
pub fn others(pattern: &str, text: &str) -> Option<Vec<Groups>> {
    if let Ok(regex) = regex::Regex::new(pattern) {
        let all = regex.captures_iter(text);
        return Some(
            all.map(|found| found.iter().map(|group| group.map(|group| group.range())).collect()).collect(),
        );
    }
    let regex = fancy_regex::Regex::new(pattern).ok()?;
    let all = regex
        .captures_iter(text)
        .map(|found| Some(found.ok()?.iter().map(|group| group.map(|group| group.range())).collect()));
    all.collect()
}
