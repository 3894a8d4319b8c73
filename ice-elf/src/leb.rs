//! Numbers of variable length, seven bits a byte from the low end (DWARF 5, 7.6).

use alloc::vec::Vec;

/// Appends an unsigned number.
#[inline]
pub(crate) fn uleb(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// How many bytes an unsigned number takes.
pub(crate) const fn uleb_size(number: u32) -> usize {
    (u32::BITS - (number | 1).leading_zeros()).div_ceil(7) as usize
}

/// Appends a signed number.
pub(crate) fn sleb(mut number: i64, out: &mut Vec<u8>) {
    loop {
        let byte = number as u8 & 0x7f;
        number >>= 7;
        // The rest are copies of the sign, which the highest bit of the byte says.
        if number == if byte & 0x40 == 0 { 0 } else { -1 } {
            return out.push(byte);
        }
        out.push(byte | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_standard() {
        let unsigned = |number| {
            let mut out = Vec::new();
            uleb(number, &mut out);
            assert_eq!(out.len(), uleb_size(number));
            out
        };
        assert_eq!(unsigned(0), [0]);
        assert_eq!(unsigned(127), [0x7f]);
        assert_eq!(unsigned(128), [0x80, 1]);
        assert_eq!(unsigned(12857), [0xb9, 0x64]);
        assert_eq!(unsigned(u32::MAX), [0xff, 0xff, 0xff, 0xff, 0x0f]);
        let signed = |number| {
            let mut out = Vec::new();
            sleb(number, &mut out);
            out
        };
        assert_eq!(signed(2), [2]);
        assert_eq!(signed(-2), [0x7e]);
        assert_eq!(signed(64), [0xc0, 0]);
        assert_eq!(signed(-65), [0xbf, 0x7f]);
        assert_eq!(signed(-129), [0xff, 0x7e]);
    }
}
