//! Single lanes, constant vectors, and lanes that change places ([`ice_codegen::lanes`]).
//!
//! A vector is four words; a lane is a field of one. A shuffle makes each word of its result from the fields of others:
//! a whole word is a copy, and neighbours that stay neighbours move together.

use crate::inst::{Inst, Src};
use crate::target::{Cx, Mips32};
use ice_asm::mips32::{Alu, Extend, Shift};
use ice_codegen::lanes::{self, Origin, constant_vector, lane_bits};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::{ErrorKind, Operands as _, ValueRegs};
use ice_ir::{BinaryOp, InstData, Type, Value};

/// Where a lane is: its word, its lowest bit there, and its bits.
#[derive(Clone, Copy)]
pub(super) struct Lane {
    pub(super) word: u8,
    pub(super) lsb: u8,
    pub(super) size: u8,
}

impl Lane {
    /// The lane of a vector type with this number.
    pub(super) fn new(ty: Type, index: u32) -> Lane {
        let size = lane_bits(ty);
        let at = index * size;
        Lane { word: (at / 32) as u8, lsb: (at % 32) as u8, size: size as u8 }
    }

    /// All lanes.
    pub(super) fn all(ty: Type) -> impl Iterator<Item = Lane> {
        (0..ty.lanes()).map(move |index| Lane::new(ty, index))
    }
}

/// The number of a lane, which is a constant.
fn lane_index<S: Sink<Inst>>(cx: &Cx<'_, S>, ty: Type, index: Value) -> Result<Lane, ErrorKind> {
    let number = cx.func.int_value(index).ok_or(ErrorKind::Unsupported("a lane that varies"))?;
    Ok(Lane::new(ty, number as u32 & (ty.lanes() - 1)))
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

impl Mips32 {
    /// A lane with zeros or its sign above it; one of 32 bits is not copied.
    pub(super) fn lane<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        sign: Signedness,
        words: ValueRegs,
        lane: Lane,
    ) -> VReg {
        let Lane { word, lsb, size } = lane;
        let src = words.part(word);
        match (size, sign, lsb) {
            (32, ..) => return src,
            (_, Signedness::Signed, lsb) if lsb + size == 32 => {
                return self.shift_temp(cx, Shift::Sra, src, lsb);
            }
            _ => {}
        }
        let dst = self.temp(cx);
        match sign {
            Signedness::Unsigned => cx.sink.push(Inst::Extract { dst, src, lsb, size }),
            Signedness::Signed => {
                let low = self.shift_temp(cx, Shift::Srl, src, lsb);
                let op = if size == 8 { Extend::Seb } else { Extend::Seh };
                cx.sink.push(Inst::Extend { op, dst, src: low });
            }
        }
        dst
    }

    /// Puts a lane into registers that hold others.
    pub(super) fn set_lane<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: ValueRegs, lane: Lane, src: Src) {
        let Lane { word, lsb, size } = lane;
        let dst = dst.part(word);
        match size {
            32 => self.mov(cx, dst, src),
            _ => cx.sink.push(Inst::Insert { dst, src, lsb, size }),
        }
    }

    /// Fresh registers of a vector that is put together lane by lane: with zeros if a lane is less than a word.
    pub(super) fn lanes_to_fill<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type) -> ValueRegs {
        let regs = cx.temp(ty);
        if lane_bits(ty) < 32 {
            regs.iter().for_each(|dst| cx.sink.push(Inst::MovImm { dst, imm: 0 }));
        }
        regs
    }

    /// Moves four words.
    pub(super) fn move_words<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: ValueRegs, src: ValueRegs) {
        for (dst, src) in dst.iter().zip(src.iter()) {
            cx.sink.push(Inst::Mov { dst, src });
        }
    }

    /// Whether an insertion is left to the one that `user` is, or to what it ends.
    pub(super) fn folds_insertion<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let func = cx.func;
        match (func.result(def), func.inst(user)) {
            (
                Some(result),
                &InstData::Binary { op: BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr, args },
            ) => args[1] == result && args[0] != result && constant_vector(func, result).is_some(),
            _ => lanes::is_inserted_on(func, cx.uses, def, user, |_| true),
        }
    }

    pub(super) fn extract_element<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        [vector, index]: [Value; 2],
        result: Value,
    ) -> Result<(), ErrorKind> {
        let lane = lane_index(cx, cx.func.value_type(vector), index)?;
        let words = self.regs(cx, vector);
        let dst = cx.regs(result).lo();
        let src = self.lane(cx, Signedness::Unsigned, words, lane);
        match cx.func.value_type(result) {
            Type::F32 => cx.sink.push(Inst::WordToSingle { dst, src: Src::Reg(src) }),
            Type::I1 => self.alu_imm(cx, Alu::And, dst, src, 1),
            _ => cx.sink.push(Inst::Mov { dst, src }),
        }
        Ok(())
    }

    /// A vector with one lane replaced, or the constant vector or shuffle that ends with this.
    pub(super) fn insert_element<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        [vector, element, index]: [Value; 3],
        result: Value,
    ) -> Result<(), ErrorKind> {
        if constant_vector(cx.func, result).is_some() {
            let dst = cx.regs(result);
            self.move_value(cx, dst, result);
            return Ok(());
        }
        if let Some(shuffle) = lanes::shuffle_of(cx.func, cx.uses, inst) {
            self.shuffle(cx, &shuffle, result);
            return Ok(());
        }
        let lane = lane_index(cx, cx.func.value_type(vector), index)?;
        let src = match cx.func.value_type(element) {
            Type::F32 => {
                let (src, dst) = (self.reg(cx, element), self.temp(cx));
                cx.sink.push(Inst::SingleToWord { dst, src });
                Src::Reg(dst)
            }
            // A boolean fills its lane.
            Type::I1 => Src::Reg(self.extended(cx, Signedness::Signed, element)),
            _ => self.src(cx, element),
        };
        let words = self.part_srcs(cx, vector);
        let dst = cx.regs(result);
        for (n, (dst, word)) in dst.iter().zip(words).enumerate() {
            if n != usize::from(lane.word) || lane.size < 32 {
                self.mov(cx, dst, word);
            }
        }
        self.set_lane(cx, dst, lane, src);
        Ok(())
    }

    /// `result` = the shuffle.
    fn shuffle<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, shuffle: &lanes::Shuffle, result: Value) {
        let mut sources = [None; 2];
        for n in shuffle.bytes.iter().flatten().map(|byte| usize::from(byte / 16)) {
            if sources[n].is_none() {
                sources[n] = Some(self.regs(cx, shuffle.sources[n]));
            }
        }
        let dst = cx.regs(result);
        for (dst, bytes) in dst.iter().zip(shuffle.bytes.chunks_exact(4)) {
            self.gather_word(cx, dst, bytes, sources);
        }
    }

    /// `dst` = the bytes from where they come.
    fn gather_word<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        dst: VReg,
        bytes: &[Origin],
        sources: [Option<ValueRegs>; 2],
    ) {
        let word_of = |byte: u8| sources[usize::from(byte / 16)].map(|regs| regs.part(byte % 16 / 4));
        let mut start = 0;
        while start < bytes.len() {
            let (origin, count) = run(bytes, start);
            let (lsb, size) = (8 * start as u8, 8 * count as u8);
            let from = origin.and_then(|byte| Some((word_of(byte)?, 8 * (byte % 4))));
            match (from, start) {
                (None, 0) => cx.sink.push(Inst::MovImm { dst, imm: 0 }),
                (None, _) => {}
                (Some((src, right)), 0) => self.shift(cx, Shift::Srl, dst, src, right),
                (Some((src, right)), _) => {
                    let src = Src::Reg(self.shift_temp(cx, Shift::Srl, src, right));
                    cx.sink.push(Inst::Insert { dst, src, lsb, size });
                }
            }
            start += count;
        }
    }
}
