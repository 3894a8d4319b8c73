//! What has been found: matches, groups, and all of them in a text.

use crate::error::Error;
use crate::regex::Regex;
use std::ops::Range;

/// A part of a text that an expression or a group has matched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Match<'t> {
    text: &'t str,
    start: usize,
    end: usize,
}

impl<'t> Match<'t> {
    pub(crate) fn new(text: &'t str, range: Range<usize>) -> Match<'t> {
        Match { text, start: range.start, end: range.end }
    }

    /// Where it begins, in bytes.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Where it ends, in bytes.
    pub fn end(&self) -> usize {
        self.end
    }

    /// Where it is, in bytes.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// What has matched.
    pub fn as_str(&self) -> &'t str {
        &self.text[self.range()]
    }
}

/// What the groups of an expression have matched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Captures<'r, 't> {
    text: &'t str,
    names: &'r [Option<String>],
    slots: Vec<isize>,
}

impl<'r, 't> Captures<'r, 't> {
    pub(crate) fn new(text: &'t str, names: &'r [Option<String>], slots: Vec<isize>) -> Captures<'r, 't> {
        Captures { text, names, slots }
    }

    /// What a group has matched last, if it was on the way to the match; group 0 is the whole match.
    pub fn get(&self, group: usize) -> Option<Match<'t>> {
        let slots = self.slots.get(2 * group..2 * group + 2)?;
        let start = usize::try_from(slots[0]).ok()?;
        let end = usize::try_from(slots[1]).ok()?;
        Some(Match::new(self.text, start..end))
    }

    /// What the group of this name has matched.
    pub fn name(&self, name: &str) -> Option<Match<'t>> {
        self.get(self.names.iter().position(|other| other.as_deref() == Some(name))?)
    }

    /// What every group has matched.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<Match<'t>>> {
        (0..self.slots.len() / 2).map(|group| self.get(group))
    }
}

/// Where the next search begins, so that matches do not overlap and an empty one does not stand directly behind another.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    at: usize,
    last: Option<usize>,
    is_done: bool,
}

impl Progress {
    /// The next result of `search`, which gives what it has found and where that is.
    fn next<T>(
        &mut self,
        text: &str,
        search: impl Fn(usize) -> Result<Option<(T, Range<usize>)>, Error>,
    ) -> Option<Result<T, Error>> {
        while !self.is_done {
            match search(self.at) {
                Err(error) => {
                    self.is_done = true;
                    return Some(Err(error));
                }
                Ok(None) => self.is_done = true,
                Ok(Some((_, range))) if range.is_empty() && self.last == Some(range.end) => {
                    match text[self.at..].chars().next() {
                        Some(c) => self.at += c.len_utf8(),
                        None => self.is_done = true,
                    }
                }
                Ok(Some((found, range))) => {
                    (self.at, self.last) = (range.end, Some(range.end));
                    return Some(Ok(found));
                }
            }
        }
        None
    }
}

/// All matches in a text.
pub struct Matches<'r, 't> {
    regex: &'r Regex,
    text: &'t str,
    progress: Progress,
}

impl<'r, 't> Matches<'r, 't> {
    pub(crate) fn new(regex: &'r Regex, text: &'t str) -> Matches<'r, 't> {
        Matches { regex, text, progress: Progress::default() }
    }
}

impl<'t> Iterator for Matches<'_, 't> {
    type Item = Result<Match<'t>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let Matches { regex, text, progress } = self;
        progress.next(text, |at| Ok(regex.find_at(text, at)?.map(|found| (found, found.range()))))
    }
}

/// The groups of all matches in a text.
pub struct CaptureMatches<'r, 't> {
    regex: &'r Regex,
    text: &'t str,
    progress: Progress,
}

impl<'r, 't> CaptureMatches<'r, 't> {
    pub(crate) fn new(regex: &'r Regex, text: &'t str) -> CaptureMatches<'r, 't> {
        CaptureMatches { regex, text, progress: Progress::default() }
    }
}

impl<'r, 't> Iterator for CaptureMatches<'r, 't> {
    type Item = Result<Captures<'r, 't>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let CaptureMatches { regex, text, progress } = self;
        progress.next(text, |at| {
            let Some(found) = regex.captures_at(text, at)? else { return Ok(None) };
            let whole = found.get(0).ok_or(Error::Internal("a match without a place"))?;
            Ok(Some((found, whole.range())))
        })
    }
}
