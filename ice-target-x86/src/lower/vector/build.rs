//! Vectors that are built of single values, one for each lane: the values in vector registers are interleaved, and what is so
//! again, in place of one insertion after the other, each of which would put the vector together anew.
//!
//! | lanes | how |
//! |---|---|
//! | two of 64 bits | interleaved; the upper one of two floats may be loaded there |
//! | four of 32 bits | interleaved in pairs, and these |
//! | eight words | inserted |
//! | sixteen bytes | two are a word in a register of integers, one equal to the other by a product; the words are inserted |
//!
//! The first value has its lane in a register of its own from the start. Booleans stay with the insertions of single lanes.
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
use ice_ir::{InstData, Type, Value};

/// A word whose bytes are both the lower one of a number below 256 is that times this.
const TWICE: i32 = 0x101;

/// Whether a float comes from memory, so that the rest of its register is clear.
fn is_loaded<S: Sink<Inst>>(cx: &Cx<'_, S>, float: Value) -> bool {
    cx.func.defining_inst(float).is_some_and(|inst| matches!(cx.func.inst(inst), InstData::Load { .. }))
}

impl X86 {
    /// Whether vectors of this type are put together at once.
    const fn builds(self, ty: Type) -> bool {
        match ty {
            Type::V2F64 | Type::V4F32 | Type::V4I32 | Type::V8I16 | Type::V16I8 => true,
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

    /// Whether the insertion `user` completes a vector of two floats of 64 bits of which `loaded` is the upper one: it is loaded there.
    pub(in crate::lower) fn takes_upper_load<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        user: ice_ir::Inst,
        loaded: Value,
    ) -> bool {
        let is_pair = cx.func.result(user).is_some_and(|result| cx.func.value_type(result) == Type::V2F64);
        let elements = if is_pair { lanes::built(cx.func, cx.uses, user, |_| {}) } else { None };
        elements.is_some_and(|elements| matches!(elements[..], [Some(a), Some(b)] if a != b && b == loaded))
    }

    /// Puts the vector together that the insertion of `result` completes. False, and nothing done, if it completes none.
    pub(super) fn built<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, result: Value) -> bool {
        let ty = cx.func.value_type(result);
        let last = cx.func.defining_inst(result).filter(|_| self.builds(ty));
        let elements = last.and_then(|last| lanes::built(cx.func, cx.uses, last, |_| {}));
        let Some(elements) = elements else { return false };
        let dst = match (ty, &elements[..]) {
            (Type::V16I8, bytes) => self.build_of_bytes(cx, bytes),
            (Type::V8I16, words) => self.build_of_words(cx, words),
            (_, &[Some(a), Some(b)]) => {
                let op = if ty == Type::V2F64 { SseOp::Unpcklpd } else { SseOp::Punpcklqdq };
                self.interleave(cx, op, [a, b])
            }
            (_, &[a, b, c, d]) => {
                let low = self.half_of_two(cx, ty, [a, b]);
                match [c, d] {
                    // Behind two numbers stands what was in their registers: zeros if memory was.
                    [None, None]
                        if ty == Type::V4F32 && ![a, b].into_iter().flatten().all(|v| is_loaded(cx, v)) =>
                    {
                        let cleared = self.vector_temp(cx);
                        cx.sink.push(Inst::SseUnary { op: SseOp::Movq, dst: cleared, src: Src::Reg(low) });
                        cleared
                    }
                    [None, None] => low,
                    upper => {
                        let high = self.half_of_two(cx, ty, upper);
                        let op = if ty == Type::V4F32 { SseOp::Movlhps } else { SseOp::Punpcklqdq };
                        self.sse(cx, op, low, high);
                        low
                    }
                }
            }
            _ => return false,
        };
        let to = cx.regs(result).lo();
        self.copy_to(cx, to, dst);
        true
    }

    /// Two lanes of 32 bits, or zeros, as the lower ones of a new register.
    fn half_of_two<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, pair: [Option<Value>; 2]) -> VReg {
        let op = if ty == Type::V4F32 { SseOp::Unpcklps } else { SseOp::Punpckldq };
        match pair {
            [Some(a), Some(b)] => self.interleave(cx, op, [a, b]),
            [Some(a), None] => {
                let low = self.vector_temp(cx);
                self.first_of_zeros(cx, low, a);
                low
            }
            [None, second] => {
                let low = self.vector_temp(cx);
                cx.sink.push(Inst::ZeroXmm { dst: low });
                if let Some(second) = second {
                    let other = self.first_lane(cx, second);
                    self.sse(cx, op, low, other);
                }
                low
            }
        }
    }

    /// Two values in the lower lanes of a new register.
    fn interleave<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: SseOp, [a, b]: [Value; 2]) -> VReg {
        let low = self.first_lane(cx, a);
        if op == SseOp::Unpcklpd
            && let Some(mem) = self.folded_load(cx, b)
        {
            cx.sink.push(Inst::Sse { op: SseOp::Movhpd, dst: low, src: Src::Mem(mem) });
            return low;
        }
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

    fn build_of_bytes<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, bytes: &[Option<Value>]) -> VReg {
        let words: ArrayVec<[Option<Value>; 2], 8> =
            bytes.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
        self.inserted_words(cx, &words, |cx, [low, high]| self.word_of(cx, low, high))
    }

    fn build_of_words<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, words: &[Option<Value>]) -> VReg {
        self.inserted_words(cx, words, |cx, word| word.map(|word| self.reg(cx, word)))
    }

    /// A new register with the words that `make` leaves in registers of integers, and zeros for others.
    fn inserted_words<S: Sink<Inst>, W: Copy>(
        self,
        cx: &mut Cx<'_, S>,
        words: &[W],
        make: impl Fn(&mut Cx<'_, S>, W) -> Option<VReg>,
    ) -> VReg {
        let first = words.first().and_then(|&word| make(cx, word));
        let second = words.get(1).and_then(|&word| make(cx, word));
        let dst = match (first, second) {
            // What is above the word is written over by the next one.
            (Some(first), Some(_)) => self.lane_of_gpr(cx, Width::B32, first),
            (Some(first), None) => {
                let clean = self.temp(cx, Type::I32);
                let (kind, from, src) = (Extend::Zero, Width::B16, Src::Reg(first));
                cx.sink.push(Inst::Extend { kind, from, to: Width::B32, dst: clean, src });
                self.lane_of_gpr(cx, Width::B32, clean)
            }
            (None, _) => {
                let zeros = self.vector_temp(cx);
                cx.sink.push(Inst::ZeroXmm { dst: zeros });
                zeros
            }
        };
        if let Some(src) = second {
            cx.sink.push(Inst::Pinsrw { dst, src, lane: 1 });
        }
        for (lane, &word) in (2..).zip(words.get(2..).unwrap_or_default()) {
            if let Some(src) = make(cx, word) {
                cx.sink.push(Inst::Pinsrw { dst, src, lane });
            }
        }
        dst
    }

    /// Two bytes, of which one may be zero, as the lower ones of a register; anything may be above them.
    fn word_of<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        low: Option<Value>,
        high: Option<Value>,
    ) -> Option<VReg> {
        let width = Width::B32;
        let lower = low.map(|low| self.extended(cx, Extend::Zero, low));
        if let Some(lower) = lower.filter(|_| low == high) {
            let dst = self.temp(cx, Type::I32);
            cx.sink.push(Inst::ImulImm { width, dst, src: Src::Reg(lower), imm: TWICE });
            return Some(dst);
        }
        let upper = high.map(|high| {
            let upper = self.temp(cx, Type::I32);
            let src = self.reg(cx, high);
            self.mov(cx, width, upper, Src::Reg(src));
            cx.sink.push(Inst::Shift { op: Shift::Shl, width, dst: upper, amount: Amount::Imm(8) });
            upper
        });
        if let (Some(lower), Some(upper)) = (lower, upper) {
            cx.sink.push(Inst::Alu { op: Alu::Or, width, dst: lower, src: Src::Reg(upper) });
        }
        lower.or(upper)
    }
}
