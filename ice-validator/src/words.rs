//! Machines whose instructions are words of 32 bits: what ARM and MIPS have in common.

/// Bytes of a bundle.
pub const BUNDLE: usize = 16;

/// The bits `low..=high` of a word.
#[inline]
pub const fn bits(word: u32, high: u32, low: u32) -> u32 {
    word >> low & ((2 << (high - low)) - 1)
}

/// A row of a table: words that have `value` where `mask` is set are of this class.
pub struct Row<C> {
    /// The bits that are looked at.
    pub mask: u32,
    /// What they must be.
    pub value: u32,
    /// What the instruction does.
    pub class: C,
}

/// A row in the manuals' notation: 32 places from bit 31 down, `0`, `1`, or `.` for any; blanks are free.
pub const fn row<C: Copy>(pattern: &str, class: C) -> Row<C> {
    let text = pattern.as_bytes();
    let (mut mask, mut value, mut places, mut at) = (0u32, 0u32, 0, 0);
    while at < text.len() {
        if text[at] != b' ' {
            mask = mask << 1 | (text[at] != b'.') as u32;
            value = value << 1 | (text[at] == b'1') as u32;
            places += 1;
        }
        at += 1;
    }
    assert!(places == 32, "a pattern has 32 places");
    Row { mask, value, class }
}

/// Rows, and which of them words can fit by eight of their bits.
pub struct Table<C: 'static> {
    rows: &'static [Row<C>],
    /// The lowest of the eight bits.
    shift: u32,
    /// For each value of the bits the first row and the end of the rows that can fit.
    ranges: [(u8, u8); 256],
}

impl<C: Copy> Table<C> {
    /// A table of these rows, found by the bits from `shift` on.
    pub const fn new(rows: &'static [Row<C>], shift: u32) -> Table<C> {
        assert!(rows.len() < 256);
        let mut ranges = [(0, 0); 256];
        let mut key = 0;
        while key < 256 {
            let mut at = rows.len();
            while at > 0 {
                at -= 1;
                let row = &rows[at];
                if (row.value ^ (key as u32) << shift) & row.mask & 0xff << shift == 0 {
                    let end = if ranges[key].1 == 0 { at as u8 + 1 } else { ranges[key].1 };
                    ranges[key] = (at as u8, end);
                }
            }
            key += 1;
        }
        Table { rows, shift, ranges }
    }

    /// The class of the first row that fits.
    #[inline]
    pub fn find(&self, word: u32) -> Option<C> {
        let (first, end) = self.ranges[(word >> self.shift & 0xff) as usize];
        let rows = &self.rows[usize::from(first)..usize::from(end)];
        rows.iter().find(|row| word & row.mask == row.value).map(|row| row.class)
    }
}
