//! Operations of machines with instructions of 32 bits, as tables in the notation of their manuals.

/// The fixed bits of an encoding in the manual's notation: 32 characters beside spaces, of which `0` and `1`
/// are fixed and all others belong to fields.
pub(crate) const fn pattern(text: &str) -> u32 {
    parse(text).0
}

/// Which bits of an encoding are fixed.
pub(crate) const fn fixed(text: &str) -> u32 {
    parse(text).1
}

/// The fixed bits and which they are.
const fn parse(text: &str) -> (u32, u32) {
    let text = text.as_bytes();
    let (mut bits, mut fixed, mut count, mut i) = (0, 0, 0, 0);
    while i < text.len() {
        if text[i] != b' ' {
            bits = bits << 1 | (text[i] == b'1') as u32;
            fixed = fixed << 1 | (text[i] == b'0' || text[i] == b'1') as u32;
            count += 1;
        }
        i += 1;
    }
    assert!(count == 32, "an encoding has 32 bits");
    (bits, fixed)
}

/// A [`pattern`] that is parsed at compile time.
macro_rules! bits {
    ($text:literal) => {
        const { $crate::table::pattern($text) }
    };
}

/// An enum of operations with one line an operation: name, mnemonic, encoding.
macro_rules! operations {
    ($(#[$doc:meta])* $ty:ident: $($name:ident $mnemonic:literal $text:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $ty {
            $(#[doc = concat!("`", $mnemonic, "`, ", $text)] $name,)*
        }

        impl $ty {
            /// All operations, in order.
            pub const ALL: &[$ty] = &[$($ty::$name),*];
            const BITS: &[u32] = &[$($crate::table::pattern($text)),*];

            /// The mnemonic, without what other operands add to it.
            #[must_use]
            pub const fn mnemonic(self) -> &'static str {
                [$($mnemonic),*][self as usize]
            }

            #[inline]
            fn bits(self) -> u32 {
                Self::BITS[self as usize]
            }
        }
    };
}

/// A type of registers by their numbers, which are below a power of two.
macro_rules! registers {
    ($(#[$doc:meta])* $ty:ident below $limit:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $ty(u8);

        impl $ty {
            /// The register of this number, which counts modulo the number of registers.
            #[must_use]
            pub const fn new(number: u8) -> Self {
                $ty(number & ($limit - 1))
            }

            /// The number.
            #[must_use]
            pub const fn number(self) -> u8 {
                self.0
            }
        }
    };
}

pub(crate) use {bits, operations, registers};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notation_is_parsed() {
        assert_eq!(pattern("cccc 0001 0010 1111 1111 1111 0011 mmmm"), 0x012f_ff30);
        assert_eq!(fixed("cccc 0001 0010 1111 1111 1111 0011 mmmm"), 0x0fff_fff0);
    }
}
