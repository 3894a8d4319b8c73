//! Regions of memory that are copied or filled: by single moves where they are short, else by helpers.

use super::{Cx, Word, Words};
use crate::compiled::Libcall;
use crate::mach::{Sink, VReg};
use crate::magic::Signedness;
use arrayvec::ArrayVec;
use ice_ir::moves::{Move, moves};
use ice_ir::{BinaryOp, Intrinsic, Type, Value};

/// Largest length that is filled inline with a byte that varies.
const MAX_VARIABLE_FILL: i64 = 32;

/// Largest region of constant length that is copied or filled by single moves, in bytes.
const MAX_INLINE: i64 = 64;
/// Most moves that it takes: words and three bytes.
const MAX_MOVES: usize = 18;
/// Largest argument that is copied by single moves, in bytes.
const MAX_ARGUMENT: u32 = 128;

/// Rules for regions of memory.
pub trait MemoryRules: Words {
    /// A memory operand.
    type Mem: Copy;

    /// The sizes of moves in bytes, from the widest; the last is 1.
    const CHUNKS: &'static [u8];
    /// Whether moves take as long from any address, so that they may overlap.
    const OVERLAPS: bool;

    /// An address as a memory operand for several accesses.
    fn object_or_register<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, address: Value) -> Self::Mem;

    /// The operand `bytes` further on.
    fn offset(mem: Self::Mem, bytes: i32) -> Self::Mem;

    /// log2 of the alignment that is known of an address, where accesses want one.
    fn known_align<S: Sink<Self::Inst>>(self, _cx: &Cx<'_, Self, S>, _address: Value) -> u8 {
        0
    }

    /// As many bytes of memory in a register of their own.
    fn load_chunk<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        size: u8,
        mem: Self::Mem,
        align_log2: u8,
    ) -> VReg;

    /// Stores as many bytes.
    fn store_chunk<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        size: u8,
        src: Word,
        mem: Self::Mem,
        align_log2: u8,
    );

    /// What is stored to fill as many bytes with one value: the widest move, or, asked for as 4, any narrower one.
    fn filled<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, size: u8, byte: u8) -> Word;

    /// Copies `count` words, at least one, by a loop.
    fn copy_words<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        to: Self::Mem,
        from: Self::Mem,
        count: u32,
    );

    /// The moves that cover `length` bytes.
    fn moves(length: i64) -> impl Iterator<Item = Move> {
        moves(Self::CHUNKS, length, Self::OVERLAPS)
    }

    /// A copy. Everything is read before anything is written, so that the regions may overlap.
    fn copy_memory<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, op: Intrinsic, args: &[Value]) {
        let [dst, src, length] = [args[0], args[1], args[2]];
        let Some(length) = inline_length(cx.func, length) else {
            let helper = if op == Intrinsic::Memcpy { Libcall::Memcpy } else { Libcall::Memmove };
            let args = [dst, src, length].map(|value| (self.regs(cx, value), Type::I32));
            return self.libcall(cx, helper, &args, None);
        };
        let [to_align, from_align] = [dst, src].map(|address| self.known_align(cx, address));
        let (from, to) = (self.object_or_register(cx, src), self.object_or_register(cx, dst));
        let mut loaded = ArrayVec::<(Move, VReg), MAX_MOVES>::new();
        for (size, at) in Self::moves(length) {
            loaded.push(((size, at), self.load_chunk(cx, size, Self::offset(from, at), from_align)));
        }
        for ((size, at), src) in loaded {
            self.store_chunk(cx, size, src.into(), Self::offset(to, at), to_align);
        }
    }

    /// Fills a region with a byte.
    fn fill_memory<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, args: &[Value]) {
        let [dst, byte, length] = [args[0], args[1], args[2]];
        let inline = inline_length(cx.func, length);
        if let (Some(length @ ..=MAX_VARIABLE_FILL), None) = (inline, cx.func.int_value(byte)) {
            return self.fill_by_variable(cx, dst, byte, length);
        }
        let Some((length, byte)) = inline.zip(cx.func.int_value(byte)) else {
            let wide = match cx.func.int_value(byte) {
                Some(number) => Word::Number(u32::from(number as u8)),
                None => Word::Reg(self.extended(cx, Signedness::Unsigned, byte)),
            };
            let number = cx.temp(Type::I32);
            self.mov_word(cx, number.lo(), wide);
            let [address, length] = [dst, length].map(|value| (self.regs(cx, value), Type::I32));
            return self.libcall(cx, Libcall::Memset, &[address, (number, Type::I32), length], None);
        };
        let align = self.known_align(cx, dst);
        let to = self.object_or_register(cx, dst);
        let word = self.filled(cx, 4, byte as u8);
        let widest = Self::CHUNKS[0];
        let is_wide = widest > 4 && length >= widest.into();
        let wide = if is_wide { self.filled(cx, widest, byte as u8) } else { word };
        for (size, at) in Self::moves(length) {
            let src = if size == widest { wide } else { word };
            self.store_chunk(cx, size, src, Self::offset(to, at), align);
        }
    }

    /// Fills `length` bytes with one that varies, by words of it four times.
    fn fill_by_variable<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        dst: Value,
        byte: Value,
        length: i64,
    ) {
        let align = self.known_align(cx, dst);
        let to = self.object_or_register(cx, dst);
        let mut word = self.extended(cx, Signedness::Unsigned, byte);
        if length > 1 {
            for amount in [8, 16] {
                word = self.word(cx, BinaryOp::Or, word, Word::shifted(word, BinaryOp::Shl, amount));
            }
        }
        for (size, at) in Self::moves(length) {
            let words = (0..i32::from(size)).step_by(4);
            for at in words.map(|word| at + word) {
                self.store_chunk(cx, size.min(4), word.into(), Self::offset(to, at), align);
            }
        }
    }

    /// Copies what comes behind `done` bytes of an object of `size` bytes to its place among the outgoing arguments.
    /// A call of `memcpy` would need that place itself.
    fn copy_argument<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        (address, align_log2): (Value, u8),
        done: u32,
        mut to: Self::Mem,
        size: u32,
    ) {
        let Some(mut left) = size.checked_sub(done).filter(|&left| left > 0) else { return };
        let mut from = Self::offset(self.object_or_register(cx, address), done as i32);
        if left > MAX_ARGUMENT {
            self.copy_words(cx, to, from, left / 4);
            let copied = (left / 4 * 4) as i32;
            (from, to, left) = (Self::offset(from, copied), Self::offset(to, copied), left % 4);
        }
        for (size, at) in Self::moves(left.into()) {
            let src = self.load_chunk(cx, size, Self::offset(from, at), align_log2);
            self.store_chunk(cx, size, src.into(), Self::offset(to, at), align_log2);
        }
    }

    /// Up to four bytes of memory as a word.
    fn load_bytes<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        from: Self::Mem,
        align_log2: u8,
        count: u32,
    ) -> VReg {
        let loaded: ArrayVec<(VReg, i32), 4> = moves(Self::CHUNKS, count.into(), false)
            .map(|(size, at)| (self.load_chunk(cx, size, Self::offset(from, at), align_log2), at))
            .collect();
        let mut word = None;
        for (next, at) in loaded {
            word = Some(match word {
                None => next,
                Some(word) => {
                    self.word(cx, BinaryOp::Or, word, Word::shifted(next, BinaryOp::Shl, 8 * at as u8))
                }
            });
        }
        word.unwrap_or_else(|| self.number_reg(cx, 0))
    }
}

fn inline_length(func: &ice_ir::Function, length: Value) -> Option<i64> {
    func.int_value(length).filter(|length| (0..=MAX_INLINE).contains(length))
}
