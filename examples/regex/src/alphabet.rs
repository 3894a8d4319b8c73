//! Classes of characters that an expression cannot tell apart.
//!
//! Automata and programs read characters, not bytes: a state has an edge for each class, so that `\pL` costs no more
//! states than `[a-z]`. The partition is the coarsest in which every set of the expression, the line feed and the two kinds
//! of words, where assertions ask for them, are unions of classes (a sweep over the ends of all ranges).
//!
//! Cost: O(n log n) for n ranges, and the sets that overlap for each end of a range.

use crate::error::Error;
use crate::syntax::{Assertion, CharSet, Words};
use std::collections::{BTreeSet, HashMap};

/// Most classes of an expression.
const MAX_CLASSES: usize = 2048;

/// A class of characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Class(pub(crate) u16);

/// A set of characters that an expression names, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SetId(pub(crate) u32);

/// What assertions must know of a character.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Traits {
    /// It is the line feed.
    pub(crate) is_line_feed: bool,
    /// It is in Unicode's `\w`.
    pub(crate) is_word: bool,
    /// It is in `[0-9A-Z_a-z]`.
    pub(crate) is_ascii_word: bool,
}

/// What is on one side of a place in the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Side {
    /// An end of the text.
    End,
    /// A character.
    Char(Traits),
}

impl Side {
    fn is_line_end(self) -> bool {
        matches!(self, Side::End | Side::Char(Traits { is_line_feed: true, .. }))
    }

    fn is_word(self, words: Words) -> bool {
        match (self, words) {
            (Side::End, _) => false,
            (Side::Char(traits), Words::Unicode) => traits.is_word,
            (Side::Char(traits), Words::Ascii) => traits.is_ascii_word,
        }
    }
}

impl Assertion {
    /// Whether it holds between two sides.
    pub(crate) fn holds(self, before: Side, after: Side) -> bool {
        match self {
            Assertion::TextStart => before == Side::End,
            Assertion::TextEnd => after == Side::End,
            Assertion::LineStart => before.is_line_end(),
            Assertion::LineEnd => after.is_line_end(),
            Assertion::Word(words) => before.is_word(words) != after.is_word(words),
            Assertion::NotWord(words) => before.is_word(words) == after.is_word(words),
        }
    }

    /// The characters that it tells from others.
    fn set(self) -> Option<CharSet> {
        match self {
            Assertion::TextStart | Assertion::TextEnd => None,
            Assertion::LineStart | Assertion::LineEnd => Some(CharSet::of([('\n', '\n')])),
            Assertion::Word(Words::Unicode) | Assertion::NotWord(Words::Unicode) => Some(CharSet::word()),
            Assertion::Word(Words::Ascii) | Assertion::NotWord(Words::Ascii) => {
                Some(CharSet::of([('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]))
            }
        }
    }
}

/// The classes of an expression.
#[derive(Debug)]
pub(crate) struct Alphabet {
    /// First characters of ranges in one class, ascending from 0, with the class.
    starts: Vec<(u32, Class)>,
    traits: Vec<Traits>,
    /// By set, whether each class is in it.
    sets: Vec<Vec<bool>>,
}

impl Alphabet {
    /// The classes for these sets and assertions.
    ///
    /// # Errors
    /// There are too many.
    pub(crate) fn new(sets: &[CharSet], assertions: &[Assertion]) -> Result<Alphabet, Error> {
        let mut all: Vec<CharSet> = sets.to_vec();
        let asked: Vec<(Assertion, usize)> = assertions
            .iter()
            .filter_map(|&assertion| {
                all.push(assertion.set()?);
                Some((assertion, all.len() - 1))
            })
            .collect();
        let (starts, members) = partition(&all)?;
        let has = |class: &BTreeSet<usize>, is: fn(Assertion) -> bool| {
            asked.iter().any(|&(assertion, set)| is(assertion) && class.contains(&set))
        };
        use Assertion::*;
        let traits = members.iter().map(|class| Traits {
            is_line_feed: has(class, |a| matches!(a, LineStart | LineEnd)),
            is_word: has(class, |a| matches!(a, Word(Words::Unicode) | NotWord(Words::Unicode))),
            is_ascii_word: has(class, |a| matches!(a, Word(Words::Ascii) | NotWord(Words::Ascii))),
        });
        let traits = traits.collect();
        let sets = (0..sets.len()).map(|set| members.iter().map(|class| class.contains(&set)).collect());
        Ok(Alphabet { sets: sets.collect(), starts, traits })
    }

    /// Number of classes.
    pub(crate) fn len(&self) -> usize {
        self.traits.len()
    }

    /// All classes.
    pub(crate) fn classes(&self) -> impl Iterator<Item = Class> + use<> {
        (0..self.len() as u16).map(Class)
    }

    /// The class of a character.
    pub(crate) fn class_of(&self, c: char) -> Class {
        self.class_at(u32::from(c))
    }

    fn class_at(&self, number: u32) -> Class {
        self.starts[self.starts.partition_point(|&(start, _)| start <= number) - 1].1
    }

    /// The classes of the characters with one byte.
    pub(crate) fn ascii(&self) -> [Class; 128] {
        std::array::from_fn(|byte| self.class_at(byte as u32))
    }

    /// The classes that have characters of more than one byte.
    pub(crate) fn beyond_ascii(&self) -> BTreeSet<Class> {
        let first = self.class_at(0x80);
        let later = self.starts.iter().filter(|&&(start, _)| start > 0x80).map(|&(_, class)| class);
        later.chain([first]).collect()
    }

    /// First characters of ranges in one class, ascending from 0.
    pub(crate) fn starts(&self) -> &[(u32, Class)] {
        &self.starts
    }

    /// What assertions must know of a class.
    pub(crate) fn traits(&self, class: Class) -> Traits {
        self.traits[usize::from(class.0)]
    }

    /// Whether the characters of a class are in a set.
    pub(crate) fn contains(&self, set: SetId, class: Class) -> bool {
        self.sets[set.0 as usize][usize::from(class.0)]
    }

    /// What is beside a character.
    pub(crate) fn side(&self, c: Option<char>) -> Side {
        c.map_or(Side::End, |c| Side::Char(self.traits(self.class_of(c))))
    }
}

/// The ranges of the partition and, for each class, the sets that it is in.
type Partition = (Vec<(u32, Class)>, Vec<BTreeSet<usize>>);

fn partition(sets: &[CharSet]) -> Result<Partition, Error> {
    let mut ends: Vec<(u32, usize)> = Vec::new();
    for (set, ranges) in sets.iter().enumerate() {
        for &(first, last) in ranges.ranges() {
            ends.extend([(u32::from(first), set), (u32::from(last) + 1, set)]);
        }
    }
    ends.sort_unstable();
    let (mut starts, mut members) = (Vec::new(), Vec::new());
    let mut known: HashMap<BTreeSet<usize>, Class> = HashMap::new();
    let mut inside = BTreeSet::new();
    let mut at = 0;
    let mut ends = ends.into_iter().peekable();
    loop {
        while let Some((_, set)) = ends.next_if(|&(end, _)| end <= at) {
            // Ranges of a set do not touch, so that every second end closes one.
            if !inside.remove(&set) {
                inside.insert(set);
            }
        }
        let class = *known.entry(inside.clone()).or_insert_with(|| {
            members.push(inside.clone());
            Class(members.len() as u16 - 1)
        });
        if starts.last().is_none_or(|&(_, last)| last != class) {
            starts.push((at, class));
        }
        if members.len() > MAX_CLASSES {
            return Err(Error::TooManyClasses { limit: MAX_CLASSES });
        }
        match ends.peek() {
            Some(&(next, _)) if next <= u32::from(char::MAX) => at = next,
            _ => return Ok((starts, members)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_unions_of_classes() {
        let sets = [CharSet::of([('a', 'z')]), CharSet::of([('c', 'c'), ('é', 'é')]), CharSet::word()];
        let alphabet = Alphabet::new(&sets, &[Assertion::LineEnd]).expect("they are few");
        for c in ('\0'..='\u{500}').chain(['\u{10ffff}']) {
            let class = alphabet.class_of(c);
            for (n, set) in sets.iter().enumerate() {
                let is_in = set.ranges().iter().any(|&(a, b)| (a..=b).contains(&c));
                assert_eq!(alphabet.contains(SetId(n as u32), class), is_in, "{c:?}");
            }
            assert_eq!(alphabet.traits(class).is_line_feed, c == '\n');
        }
        assert_eq!(alphabet.len(), 6);
    }
}
