//! Vectors that are built of single values, one for each lane: the values in vector registers are interleaved, and what is so
//! again, in place of one insertion after the other, each of which would put the vector together anew.
//!
//! | lanes | how |
//! |---|---|
//! | two of 64 bits | interleaved |
//! | four of 32 bits | interleaved in pairs, and these |
//! | sixteen bytes | two are a word in a register of integers, one equal to the other by a product; the words are inserted |
//!
//! The first value has its lane in a register of its own from the start. Words have an insertion of their own as they are,
//! and booleans stay with the insertions of single lanes.
//!
//! Contract: whether an insertion needs no code is decided at its definition ([`X86::folds_into_built`]) and of what the last
//! one knows as well ([`X86::built`]); all values are in registers until that.

use crate::inst::{Amount, Extend, Inst, Src};
use crate::target::{Cx, X86};
use arrayvec::ArrayVec;
use ice_asm::x86::{Alu, Shift, SseOp, Width};
use ice_codegen::Operands as _;
use ice_codegen::lanes;
use ice_codegen::mach::{Sink, VReg};
use ice_ir::{Type, Value};

/// A word whose bytes are both the lower one of a number below 256 is that times this.
const TWICE: i32 = 0x101;

impl X86 {
    /// Whether vectors of this type are put together at once.
    const fn builds(self, ty: Type) -> bool {
        match ty {
            Type::V2F64 | Type::V4F32 | Type::V4I32 | Type::V16I8 => true,
            Type::V2I64 => !self.has_pairs(),
            _ => false,
        }
    }

    /// Whether `inst`, an insertion, needs no code: a later one puts the whole vector together.
    pub(in crate::lower) fn folds_into_built<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        inst: ice_ir::Inst,
    ) -> bool {
        let ty = cx.func.result(inst).map(|result| cx.func.value_type(result));
        ty.is_some_and(|ty| self.builds(ty)) && lanes::is_inside_built(cx.func, cx.uses, inst)
    }

    /// Puts the vector together that the insertion of `result` completes. False, and nothing done, if it completes none.
    pub(super) fn built<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, result: Value) -> bool {
        let ty = cx.func.value_type(result);
        let last = cx.func.defining_inst(result).filter(|_| self.builds(ty));
        let elements = last.and_then(|last| lanes::built(cx.func, cx.uses, last, |_| {}));
        let Some(elements) = elements else { return false };
        let dst = match (ty, &elements[..]) {
            (Type::V16I8, bytes) => self.build_of_bytes(cx, bytes),
            (_, &[a, b]) => {
                let op = if ty == Type::V2F64 { SseOp::Unpcklpd } else { SseOp::Punpcklqdq };
                self.interleave(cx, op, [a, b])
            }
            (_, &[a, b, c, d]) if ty == Type::V4F32 => {
                let [low, high] = [[a, b], [c, d]].map(|pair| self.interleave(cx, SseOp::Unpcklps, pair));
                self.sse(cx, SseOp::Movlhps, low, high);
                low
            }
            (_, &[a, b, c, d]) => {
                let [low, high] = [[a, b], [c, d]].map(|pair| self.interleave(cx, SseOp::Punpckldq, pair));
                self.sse(cx, SseOp::Punpcklqdq, low, high);
                low
            }
            _ => return false,
        };
        let to = cx.regs(result).lo();
        self.copy_to(cx, to, dst);
        true
    }

    /// Two values in the lower lanes of a new register.
    fn interleave<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: SseOp, [a, b]: [Value; 2]) -> VReg {
        let low = self.first_lane(cx, a);
        let other = if a == b { low } else { self.first_lane(cx, b) };
        self.sse(cx, op, low, other);
        low
    }

    /// The value in the lowest lane of a new register, which is a whole vector: memory that holds the value alone is
    /// shorter.
    pub(super) fn first_lane<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> VReg {
        let size = match cx.func.value_type(value) {
            Type::F32 => 4,
            Type::F64 => 8,
            Type::I64 => {
                let regs = self.regs(cx, value);
                return self.low_quadword(cx, regs);
            }
            _ => {
                let src = self.reg(cx, value);
                return self.lane_of_gpr(cx, Width::B32, src);
            }
        };
        let src = self.reg(cx, value);
        let dst = self.vector_temp(cx);
        cx.sink.push(Inst::MovXmm { dst, src, size });
        dst
    }

    fn lane_of_gpr<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, width: Width, src: VReg) -> VReg {
        let dst = self.vector_temp(cx);
        cx.sink.push(Inst::GprToXmm { op: SseOp::MovGpr, width, dst, src: Src::Reg(src) });
        dst
    }

    fn build_of_bytes<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, bytes: &[Value]) -> VReg {
        let words: ArrayVec<[Value; 2], 8> = bytes.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
        let mut vector = None;
        for (lane, &[low, high]) in (0..).zip(&words) {
            let word = self.word_of(cx, low, high);
            match vector {
                // What is above the word is written over by the next one.
                None => vector = Some(self.lane_of_gpr(cx, Width::B32, word)),
                Some(dst) => cx.sink.push(Inst::Pinsrw { dst, src: word, lane }),
            }
        }
        vector.unwrap_or_else(|| self.vector_temp(cx))
    }

    /// Two bytes as the lower ones of a register; anything may be above them.
    fn word_of<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, low: Value, high: Value) -> VReg {
        let width = Width::B32;
        let lower = self.extended(cx, Extend::Zero, low);
        if low == high {
            let dst = self.temp(cx, Type::I32);
            cx.sink.push(Inst::ImulImm { width, dst, src: Src::Reg(lower), imm: TWICE });
            return dst;
        }
        let upper = self.temp(cx, Type::I32);
        let src = self.reg(cx, high);
        self.mov(cx, width, upper, Src::Reg(src));
        cx.sink.push(Inst::Shift { op: Shift::Shl, width, dst: upper, amount: Amount::Imm(8) });
        cx.sink.push(Inst::Alu { op: Alu::Or, width, dst: lower, src: Src::Reg(upper) });
        lower
    }
}
