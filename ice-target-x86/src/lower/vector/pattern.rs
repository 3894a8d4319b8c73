//! Which bytes of two vectors the operations of SSE2 on whole registers take: unpacks, bytes in a row, every second lane. A shuffle
//! is compared with each as a number of 128 bits.

use ice_asm::x86::SseOp;
use ice_codegen::lanes::Origin;

/// Where bytes come from, to be compared with patterns.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// By byte of the result.
    origins: u128,
    /// The bits of the bytes that something depends on.
    known: u128,
}

impl Wanted {
    /// Of a second vector without bits any byte is wanted.
    pub(super) fn new(bytes: &[Origin; 16], with_zeros: bool) -> Wanted {
        let all =
            |byte: &dyn Fn(u8) -> u8| u128::from_le_bytes(core::array::from_fn(|n| bytes[n].map_or(0, byte)));
        let known = |from: u8| if with_zeros && from >= 16 { 0x10 } else { 0xff };
        Wanted { origins: all(&|from| from), known: all(&known) }
    }
}

/// Which bytes of two vectors, which may be one, an operation on whole registers takes.
#[derive(Clone, Copy)]
pub(super) struct Pattern {
    /// By byte of the result: the byte of its vector.
    bytes: u128,
    /// All bits of the bytes that come from the second vector.
    second: u128,
}

/// 16 in every byte: what the number of a byte has more if it is of the second vector.
const SIXTEENS: u128 = u128::MAX / 0xff * 0x10;

impl Pattern {
    const NONE: Pattern = Pattern { bytes: 0, second: 0 };

    /// With byte `n` of the result from byte `from` of the first or second vector.
    const fn and(self, n: u8, from: u8, is_second: bool) -> Pattern {
        let second = if is_second { 0xff << (8 * n as u32) } else { 0 };
        Pattern { bytes: self.bytes | (from as u128) << (8 * n as u32), second: self.second | second }
    }

    /// Lanes of `size` bytes by turns, from byte `start` on.
    const fn unpack(size: u8, start: u8) -> Pattern {
        let (mut pattern, mut n) = (Pattern::NONE, 0);
        while n < 16 {
            let lane = n / size;
            pattern = pattern.and(n, start + lane / 2 * size + n % size, lane % 2 == 1);
            n += 1;
        }
        pattern
    }

    /// Bytes in a row, from byte `start` on.
    const fn row(start: u8) -> Pattern {
        let (mut pattern, mut n) = (Pattern::NONE, 0);
        while n < 16 {
            pattern = pattern.and(n, (n + start) % 16, n + start >= 16);
            n += 1;
        }
        pattern
    }

    /// Every second lane of `size` bytes, the first or the second one.
    const fn every(size: u8, odd: u8) -> Pattern {
        let (mut pattern, mut n) = (Pattern::NONE, 0);
        while n < 16 {
            let (lane, count) = (n / size, 8 / size);
            pattern = pattern.and(n, (2 * (lane % count) + odd) * size + n % size, lane >= count);
            n += 1;
        }
        pattern
    }

    /// The numbers of the two vectors of which the operation makes these bytes.
    pub(super) fn pair(self, Wanted { origins, known }: Wanted) -> Option<[u8; 2]> {
        if (origins ^ self.bytes) & known & !SIXTEENS != 0 {
            return None;
        }
        let sources = [!self.second, self.second].map(|own| {
            let (all, second) = (known & own & SIXTEENS, origins & own);
            match second & all {
                _ if all == 0 => Some(None),
                0 => Some(Some(0)),
                second if second == all => Some(Some(1)),
                _ => None,
            }
        });
        let [first, second] = [sources[0]?, sources[1]?];
        Some([first.or(second)?, second.or(first)?])
    }
}

/// Lanes of two registers by turns, from their lower or upper halves.
#[rustfmt::skip]
pub(super) const UNPACKS: [(SseOp, Pattern); 8] = [
    (SseOp::Punpckldq,  Pattern::unpack(4, 0)), (SseOp::Punpckhdq,  Pattern::unpack(4, 8)),
    (SseOp::Punpcklqdq, Pattern::unpack(8, 0)), (SseOp::Punpckhqdq, Pattern::unpack(8, 8)),
    (SseOp::Punpcklwd,  Pattern::unpack(2, 0)), (SseOp::Punpckhwd,  Pattern::unpack(2, 8)),
    (SseOp::Punpcklbw,  Pattern::unpack(1, 0)), (SseOp::Punpckhbw,  Pattern::unpack(1, 8)),
];

/// Bytes in a row, by where they start.
pub(super) const ROWS: [Pattern; 16] = {
    let (mut rows, mut start) = ([Pattern::NONE; 16], 0);
    while start < 16 {
        rows[start as usize] = Pattern::row(start);
        start += 1;
    }
    rows
};

/// Every second lane: the size of lanes, and whether the first or the second one.
pub(super) const EVERY_SECOND: [(u8, u8, Pattern); 4] = [
    (1, 0, Pattern::every(1, 0)),
    (2, 0, Pattern::every(2, 0)),
    (1, 1, Pattern::every(1, 1)),
    (2, 1, Pattern::every(2, 1)),
];
