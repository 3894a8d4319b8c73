//! Single lanes, constant vectors, and lanes that change places ([`lanes`](crate::lanes)), of vectors that are four words.
//!
//! A lane is a field of a word. A shuffle makes each word of its result from the fields of others: a whole word is a
//! copy, and neighbours that stay neighbours move together.

use super::{Cx, Word, WordVectors, Words};
use crate::lanes::{self, Origin, constant_vector, lane_bits};
use crate::lower::{Lower, ValueRegs};
use crate::mach::{MachInst, Sink, VReg};
use crate::magic::Signedness;
use crate::target::ErrorKind;
use ice_ir::{BinaryOp, Inst, InstData, Type, Value};

/// Where a lane is: its word, its lowest bit there, and its bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lane {
    /// The number of its word.
    pub word: u8,
    /// Its lowest bit there.
    pub lsb: u8,
    /// Its bits.
    pub size: u8,
}

impl Lane {
    /// The lane of a vector type with this number.
    pub fn new(ty: Type, index: u32) -> Lane {
        let size = lane_bits(ty);
        let at = index * size;
        Lane { word: (at / 32) as u8, lsb: (at % 32) as u8, size: size as u8 }
    }

    /// All lanes.
    pub fn all(ty: Type) -> impl Iterator<Item = Lane> {
        (0..ty.lanes()).map(move |index| Lane::new(ty, index))
    }
}

/// The number of a lane, which is a constant.
fn lane_index<I: MachInst, S: Sink<I>>(
    cx: &Lower<'_, I, S>,
    ty: Type,
    index: Value,
) -> Result<Lane, ErrorKind> {
    let number = cx.func.int_value(index).ok_or(ErrorKind::Unsupported("a lane that varies"))?;
    Ok(Lane::new(ty, number as u32 & (ty.lanes() - 1)))
}

/// Whether an insertion is left to the one that `user` is, or to what it ends.
pub fn folds_insertion<I: MachInst, S: Sink<I>>(cx: &Lower<'_, I, S>, def: Inst, user: Inst) -> bool {
    let func = cx.func;
    match (func.result(def), func.inst(user)) {
        (Some(result), &InstData::Binary { op: BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr, args }) => {
            args[1] == result && args[0] != result && constant_vector(func, result).is_some()
        }
        _ => lanes::is_inserted_on(func, cx.uses, def, user, |_| true),
    }
}

/// The origin of bytes of a word that move together: the first and how many there are.
fn run(bytes: &[Origin], start: usize) -> (Origin, usize) {
    let first = bytes[start];
    let mut count = 1;
    while start + count < bytes.len() {
        let next = bytes[start + count];
        let follows = match (first, next) {
            (None, None) | (Some(_), None) => true,
            (Some(first), Some(next)) => {
                usize::from(next) == usize::from(first) + count && next / 4 == first / 4
            }
            (None, Some(_)) => false,
        };
        if !follows {
            break;
        }
        count += 1;
    }
    (first, count)
}

/// A lane with zeros or its sign above it; one of 32 bits is not copied.
pub(super) fn lane<T: Words, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    sign: Signedness,
    words: ValueRegs,
    Lane { word, lsb, size }: Lane,
) -> VReg {
    let src = words.part(word);
    if size == 32 {
        return src;
    }
    let dst = target.temp(cx);
    target.extract(cx, sign, dst, src, lsb, size);
    dst
}

/// Puts a lane into registers that hold others.
pub(super) fn set_lane<T: WordVectors, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    dst: ValueRegs,
    Lane { word, lsb, size }: Lane,
    src: Word,
) {
    let dst = dst.part(word);
    match size {
        32 => target.mov_word(cx, dst, src),
        _ => target.insert(cx, dst, src, lsb, size),
    }
}

/// Fresh registers of a vector that is put together lane by lane: with zeros if a lane is less than a word.
pub(super) fn lanes_to_fill<T: Words, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    ty: Type,
) -> ValueRegs {
    let regs = cx.temp(ty);
    if lane_bits(ty) < 32 {
        regs.iter().for_each(|dst| target.mov_word(cx, dst, Word::Number(0)));
    }
    regs
}

/// Moves four words.
pub(super) fn move_words<T: Words, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    dst: ValueRegs,
    src: ValueRegs,
) {
    for (dst, src) in dst.iter().zip(src.iter()) {
        target.mov_word(cx, dst, src.into());
    }
}

/// The words of a vector, numbers where it is a constant.
pub(super) fn words_of<T: Words, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    value: Value,
) -> [Word; 4] {
    match constant_vector(cx.func, value) {
        Some(bits) => [0, 32, 64, 96].map(|at| Word::Number((bits >> at) as u32)),
        None => {
            let regs = target.regs(cx, value);
            [0, 1, 2, 3].map(|n| regs.part(n).into())
        }
    }
}

pub(super) fn extract_element<T: WordVectors, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    [vector, index]: [Value; 2],
    result: Value,
) -> Result<(), ErrorKind> {
    let at = lane_index(cx, cx.func.value_type(vector), index)?;
    let words = target.regs(cx, vector);
    let dst = cx.regs(result).lo();
    let src = lane(target, cx, Signedness::Unsigned, words, at);
    match cx.func.value_type(result) {
        Type::F32 => target.single_of_word(cx, dst, src),
        Type::I1 => target.word_op(cx, BinaryOp::And, dst, src.into(), Word::Number(1)),
        _ => target.mov_word(cx, dst, src.into()),
    }
    Ok(())
}

/// A vector with one lane replaced, or the constant vector or shuffle that ends with this.
pub(super) fn insert_element<T: WordVectors, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    inst: Inst,
    [vector, element, index]: [Value; 3],
    result: Value,
) -> Result<(), ErrorKind> {
    if constant_vector(cx.func, result).is_some() {
        let words = words_of(target, cx, result);
        let dst = cx.regs(result);
        dst.iter().zip(words).for_each(|(dst, word)| target.mov_word(cx, dst, word));
        return Ok(());
    }
    if let Some(shuffle) = lanes::shuffle_of(cx.func, cx.uses, inst) {
        make_shuffle(target, cx, &shuffle, result);
        return Ok(());
    }
    let at = lane_index(cx, cx.func.value_type(vector), index)?;
    let src = match cx.func.value_type(element) {
        Type::F32 => {
            let src = target.reg(cx, element);
            target.word_of_single(cx, src).into()
        }
        // A boolean fills its lane.
        Type::I1 => target.extended(cx, Signedness::Signed, element).into(),
        _ => match crate::extension::word(cx.func, element) {
            Some(number) => Word::Number(number),
            None => target.reg(cx, element).into(),
        },
    };
    let words = words_of(target, cx, vector);
    let dst = cx.regs(result);
    for (n, (dst, word)) in dst.iter().zip(words).enumerate() {
        if n != usize::from(at.word) || at.size < 32 {
            target.mov_word(cx, dst, word);
        }
    }
    set_lane(target, cx, dst, at, src);
    Ok(())
}

/// `result` = the shuffle.
fn make_shuffle<T: WordVectors, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    shuffle: &lanes::Shuffle,
    result: Value,
) {
    let mut sources = [None; 2];
    for n in shuffle.bytes.iter().flatten().map(|byte| usize::from(byte / 16)) {
        if sources[n].is_none() {
            sources[n] = Some(target.regs(cx, shuffle.sources[n]));
        }
    }
    let dst = cx.regs(result);
    for (dst, bytes) in dst.iter().zip(shuffle.bytes.chunks_exact(4)) {
        gather_word(target, cx, dst, bytes, sources);
    }
}

/// `dst` = the bytes from where they come.
fn gather_word<T: WordVectors, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    dst: VReg,
    bytes: &[Origin],
    sources: [Option<ValueRegs>; 2],
) {
    let word_of = |byte: u8| sources[usize::from(byte / 16)].map(|regs| regs.part(byte % 16 / 4));
    let mut start = 0;
    while start < bytes.len() {
        let (origin, count) = run(bytes, start);
        let (lsb, size) = (8 * start as u8, 8 * count as u8);
        let from =
            origin.and_then(|byte| Some(Word::shifted(word_of(byte)?, BinaryOp::Lshr, 8 * (byte % 4))));
        match (from, start) {
            (None, 0) => target.mov_word(cx, dst, Word::Number(0)),
            (None, _) => {}
            (Some(src), 0) => target.mov_word(cx, dst, src),
            (Some(src), _) => target.insert(cx, dst, src, lsb, size),
        }
        start += count;
    }
}
