//! Sets of bytes: which there are at a place of a match, how often they occur, and how a byte is tested.

use std::fmt;

/// A set of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct ByteSet {
    words: [u64; 4],
}

impl ByteSet {
    /// All bytes.
    pub(crate) const ALL: ByteSet = ByteSet { words: [u64::MAX; 4] };

    /// Those from `first` to `last`.
    pub(crate) fn range(first: u8, last: u8) -> ByteSet {
        (first..=last).collect()
    }

    pub(crate) fn insert(&mut self, byte: u8) {
        self.words[usize::from(byte / 64)] |= 1 << (byte % 64);
    }

    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.words[usize::from(byte / 64)] >> (byte % 64) & 1 != 0
    }

    pub(crate) fn union(&self, other: &ByteSet) -> ByteSet {
        ByteSet { words: std::array::from_fn(|n| self.words[n] | other.words[n]) }
    }

    pub(crate) fn without(&self, other: &ByteSet) -> ByteSet {
        ByteSet { words: std::array::from_fn(|n| self.words[n] & !other.words[n]) }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u8> + use<> {
        let set = *self;
        (0..=u8::MAX).filter(move |&byte| set.contains(byte))
    }

    /// Of a thousand bytes of ordinary text, about how many are in the set.
    pub(crate) fn frequency(&self) -> u32 {
        self.iter().map(frequency).sum::<u32>() / 10
    }

    /// The tests that find out whether a byte of `domain` is in the set, at most `limit`; none if that takes more.
    pub(crate) fn tests(&self, domain: &ByteSet, limit: usize) -> Option<Vec<Test>> {
        let mut tests = Vec::new();
        let mut left = *self;
        let may = |byte: u8| self.contains(byte) || !domain.contains(byte);
        while let Some(first) = left.iter().next() {
            let last = (first..=u8::MAX).take_while(|&byte| may(byte)).last()?;
            let last = (first..=last).rev().find(|&byte| self.contains(byte))?;
            let range = ByteSet::range(first, last);
            let (low, high) = (first | 0x20, last | 0x20);
            let is_upper = first.is_ascii_uppercase() && last.is_ascii_uppercase();
            let test = if is_upper && (low..=high).all(may) {
                Test::Folded { first: low, last: high }
            } else {
                Test::Range { first, last }
            };
            left = left.without(&range);
            if matches!(test, Test::Folded { .. }) {
                left = left.without(&ByteSet::range(low, high));
            }
            tests.push(test);
            if tests.len() > limit {
                return None;
            }
        }
        Some(tests)
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> ByteSet {
        let mut set = ByteSet::default();
        bytes.into_iter().for_each(|byte| set.insert(byte));
        set
    }
}

impl fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// A comparison of a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Test {
    /// From `first` to `last`.
    Range { first: u8, last: u8 },
    /// From `first` to `last` once bit 5, which is the case of ASCII's letters, is set.
    Folded { first: u8, last: u8 },
}

/// Of ten thousand bytes of ordinary text, about how many are this one. Letters by the usual tables of English; the rest
/// is a guess at prose and source text.
fn frequency(byte: u8) -> u32 {
    const LETTERS: [u32; 26] = [
        600, 110, 210, 310, 920, 170, 150, 420, 520, 12, 60, 300, 190, 520, 560, 150, 9, 450, 470, 680, 210,
        80, 170, 16, 150, 8,
    ];
    match byte {
        b' ' => 1600,
        b'a'..=b'z' => LETTERS[usize::from(byte - b'a')],
        b'A'..=b'Z' => 8 + LETTERS[usize::from(byte - b'A')] / 20,
        b'0'..=b'9' => 40,
        b'\n' => 200,
        b'.' | b',' | b'"' | b'\'' | b'-' | b'_' | b'(' | b')' | b'/' | b':' | b';' => 60,
        0x80..=0xbf => 20,
        0xc2..=0xf4 => 10,
        b'!'..=b'~' => 15,
        b'\t' | b'\r' => 40,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(test: Test, byte: u8) -> bool {
        match test {
            Test::Range { first, last } => (first..=last).contains(&byte),
            Test::Folded { first, last } => (first..=last).contains(&(byte | 0x20)),
        }
    }

    #[test]
    fn tests_hold_for_the_bytes_of_the_set() {
        let word: ByteSet = (0..=255u8).filter(|b| b.is_ascii_alphanumeric() || *b == b'_').collect();
        let sets = [word, ByteSet::range(0x80, 0xff), b"eE".iter().copied().collect(), ByteSet::ALL];
        let domains = [ByteSet::ALL, ByteSet::range(b'!', b'~')];
        for (set, domain) in sets.into_iter().flat_map(|set| domains.map(|domain| (set, domain))) {
            let tests = set.tests(&domain, 8).expect("they are few");
            for byte in domain.iter() {
                assert_eq!(tests.iter().any(|&test| holds(test, byte)), set.contains(byte), "{set:?} {byte}");
            }
        }
        assert_eq!(word.tests(&ByteSet::ALL, 8).map(|tests| tests.len()), Some(3));
    }
}
