//! The widths of lanes of vectors, and tables of operations that say which widths they have.

use core::fmt;

/// The width of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// 8 bits.
    B8,
    /// 16 bits.
    B16,
    /// 32 bits.
    B32,
    /// 64 bits.
    B64,
}

impl Lane {
    /// All widths.
    pub const ALL: [Lane; 4] = [Lane::B8, Lane::B16, Lane::B32, Lane::B64];

    /// The width in bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        8 << self as u32
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.bits())
    }
}

/// An enum of operations with one line an operation: name, mnemonic, encoding, and for vectors the widths of
/// lanes that it has.
macro_rules! ops {
    ($(#[$doc:meta])* $ty:ident: $($name:ident $mnemonic:literal $text:literal $($lanes:literal)?,)*) => {
        $crate::table::operations!($(#[$doc])* $ty: $($name $mnemonic $text,)*);

        impl $ty {
            $crate::lane::ops!(@lanes $($($lanes)?)*);
        }
    };
    (@lanes) => {};
    (@lanes $($lanes:literal)+) => {
        /// Whether the operation has lanes of this width.
        #[must_use]
        pub const fn has_lane(self, lane: $crate::lane::Lane) -> bool {
            const LANES: &[u8] = &[$($crate::lane::lane_set($lanes)),+];
            LANES[self as usize] >> lane as u8 & 1 != 0
        }
    };
}

/// The widths in a table: a set of [`Lane`] from a list such as `8 16 32`.
pub(crate) const fn lane_set(text: &str) -> u8 {
    let text = text.as_bytes();
    let (mut set, mut i) = (0, 0);
    while i < text.len() {
        set |= match text[i] {
            b'8' => 1,
            b'1' => 2,
            b'3' => 4,
            b'6' if i + 1 < text.len() && text[i + 1] == b'4' => 8,
            _ => 0,
        };
        i += 1;
    }
    set
}

pub(crate) use ops;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_a_set() {
        assert_eq!(lane_set("8 16 32 64"), 15);
        assert_eq!(lane_set("16 32"), 6);
        assert_eq!(lane_set("16"), 2);
        assert_eq!(lane_set("64"), 8);
    }
}
