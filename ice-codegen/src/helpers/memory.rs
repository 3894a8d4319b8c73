//! Copying and filling: bytes up to a word of the target, then four words at a time, words and bytes. A source that is at
//! no multiple of a word is read as a load of a word reads it that may be anywhere.

use super::build::Build;
use ice_ir::{BinaryOp, CastOp, IntCond, Type, Value};

/// Bytes of a word.
const WORD: i64 = 4;
const WORD_LOG2: u8 = 2;
/// What is copied and filled at once.
const CHUNK: i64 = 4 * WORD;

/// Which way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// Addresses rise: those of the next byte are known.
    Up,
    /// They fall: those behind the next byte are known.
    Down,
}

impl Build<'_> {
    fn step(&mut self, address: Value, direction: Direction, bytes: i64) -> Value {
        let by = if direction == Direction::Up { bytes } else { -bytes };
        self.op_int(BinaryOp::Add, address, by)
    }

    /// Repeats `unit` as long as there are as many bytes of those that are left, which are the last of the values. The
    /// others are addresses, each of which steps; `unit` gets those of the bytes.
    fn while_left<const N: usize>(
        &mut self,
        values: [Value; N],
        (direction, bytes): (Direction, i64),
        unit: impl FnOnce(&mut Self, [Value; N]),
    ) -> [Value; N] {
        let is_enough = self.compare_int(IntCond::Uge, values[N - 1], bytes);
        let round = |this: &mut Self, before: [Value; N]| {
            let mut behind = before.map(|address| this.step(address, direction, bytes));
            unit(this, if direction == Direction::Up { before } else { behind });
            let left = this.op_int(BinaryOp::Sub, before[N - 1], bytes);
            behind[N - 1] = left;
            (this.compare_int(IntCond::Uge, left, bytes), behind)
        };
        self.choose(is_enough, |this| this.repeat(values, round), |_| values)
    }

    /// How many bytes come before words of the target.
    fn bytes_before_words(&mut self, to: Value, left: Value, direction: Direction) -> Value {
        let zero = self.int(Type::I32, 0);
        let to = if direction == Direction::Up { self.op(BinaryOp::Sub, zero, to) } else { to };
        let before = self.op_int(BinaryOp::And, to, WORD - 1);
        let is_less = self.compare(IntCond::Ult, before, left);
        self.select(is_less, before, left)
    }

    /// Copies the next word or byte.
    fn copy_unit(&mut self, ty: Type, [to, from]: [Value; 2]) {
        let value = self.load(ty, from, 0);
        self.store(to, value, if ty == Type::I32 { WORD_LOG2 } else { 0 });
    }

    /// Copies four words, of which the source is aligned like this.
    fn copy_chunk(&mut self, [to, from]: [Value; 2], align_log2: u8) {
        let values: [_; 4] = core::array::from_fn(|n| {
            let from = self.offset(from, n as i64 * WORD);
            self.load(Type::I32, from, align_log2)
        });
        for (n, value) in values.into_iter().enumerate() {
            let to = self.offset(to, n as i64 * WORD);
            self.store(to, value, WORD_LOG2);
        }
    }

    fn copy_in_direction(&mut self, [to, from]: [Value; 2], left: Value, direction: Direction) {
        let before = self.bytes_before_words(to, left, direction);
        let left = self.op(BinaryOp::Sub, left, before);
        let [to, from, _] = self.while_left([to, from, before], (direction, 1), |this, [to, from, _]| {
            this.copy_unit(Type::I8, [to, from]);
        });
        let bits = self.op_int(BinaryOp::And, from, WORD - 1);
        let is_at_word = self.compare_int(IntCond::Eq, bits, 0);
        let chunks = |align_log2| {
            move |this: &mut Self| {
                this.while_left([to, from, left], (direction, CHUNK), |this, [to, from, _]| {
                    this.copy_chunk([to, from], align_log2);
                })
            }
        };
        let rest = self.choose(is_at_word, chunks(WORD_LOG2), chunks(0));
        let rest = self.while_left(rest, (direction, WORD), |this, [to, from, _]| {
            this.copy_unit(Type::I32, [to, from]);
        });
        self.while_left(rest, (direction, 1), |this, [to, from, _]| this.copy_unit(Type::I8, [to, from]));
        self.ret(None);
    }

    /// `memcpy(to, from, count)`
    pub(super) fn copy(&mut self) {
        let [to, from, count] = self.params();
        self.copy_in_direction([to, from], count, Direction::Up);
    }

    /// `memmove(to, from, count)`: from behind, if the end of the source would be overwritten before it is read.
    pub(super) fn copy_overlapping(&mut self) {
        let [to, from, count] = self.params();
        let distance = self.op(BinaryOp::Sub, to, from);
        let overlaps = self.compare(IntCond::Ult, distance, count);
        self.either(
            overlaps,
            |this| {
                let ends = [to, from].map(|start| this.op(BinaryOp::Add, start, count));
                this.copy_in_direction(ends, count, Direction::Down);
            },
            |this| this.copy_in_direction([to, from], count, Direction::Up),
        );
    }

    /// `memset(to, byte, count)`
    pub(super) fn fill(&mut self) {
        let [to, byte, left] = self.params();
        let low = self.op_int(BinaryOp::And, byte, 0xff);
        let word = self.op_int(BinaryOp::Mul, low, 0x0101_0101);
        let byte = self.cast(CastOp::Trunc, byte, Type::I8);
        let before = self.bytes_before_words(to, left, Direction::Up);
        let left = self.op(BinaryOp::Sub, left, before);
        let [at, _] =
            self.while_left([to, before], (Direction::Up, 1), |this, [to, _]| this.store(to, byte, 0));
        let rest = self.while_left([at, left], (Direction::Up, CHUNK), |this, [to, _]| {
            for n in 0..CHUNK / WORD {
                let to = this.offset(to, n * WORD);
                this.store(to, word, WORD_LOG2);
            }
        });
        let rest = self.while_left(rest, (Direction::Up, WORD), |this, [to, _]| {
            this.store(to, word, WORD_LOG2);
        });
        self.while_left(rest, (Direction::Up, 1), |this, [to, _]| this.store(to, byte, 0));
        self.ret(None);
    }
}
