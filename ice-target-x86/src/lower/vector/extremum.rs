//! The smaller or larger of two integers in each lane: a choice between two vectors by their comparison is one instruction.
//!
//! SSE2 has those of bytes without sign and of words with one; AVX, and AVX2 of 256 bits, has all but those of 64 bits.

use crate::inst::Inst;
use crate::target::{Cx, X86};
use ice_asm::x86::SseOp;
use ice_codegen::Operands as _;
use ice_codegen::mach::Sink;
use ice_ir::{Function, InstData, IntCond, Type, Value};

/// The instruction on `choices`, in any order, that a choice between them by the integer comparison `cond` is.
pub(super) fn int_extremum(func: &Function, cond: Value, choices: [Value; 2]) -> Option<SseOp> {
    let &InstData::Icmp { cond, args: [x, y] } = func.inst(func.defining_inst(cond)?) else { return None };
    let cond = match choices {
        _ if choices == [x, y] => cond,
        _ if choices == [y, x] => cond.inverse(),
        _ => return None,
    };
    lane_extremum(cond, func.value_type(x))
}

/// The instruction that chooses the operand for which the comparison with the other holds.
#[rustfmt::skip]
pub(super) fn lane_extremum(cond: IntCond, ty: Type) -> Option<SseOp> {
    use SseOp::*;
    let of = |byte, word, double| match ty.element() {
        Type::I8 => Some(byte),
        Type::I16 => Some(word),
        Type::I32 => Some(double),
        _ => None,
    };
    match cond {
        IntCond::Sgt | IntCond::Sge => of(Pmaxsb, Pmaxsw, Pmaxsd),
        IntCond::Slt | IntCond::Sle => of(Pminsb, Pminsw, Pminsd),
        IntCond::Ugt | IntCond::Uge => of(Pmaxub, Pmaxuw, Pmaxud),
        IntCond::Ult | IntCond::Ule => of(Pminub, Pminuw, Pminud),
        IntCond::Eq | IntCond::Ne => None,
    }
}

impl X86 {
    /// The same of vectors of 128 bits, if the processor has it for those.
    fn extremum_of_128<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        cond: Value,
        choices: [Value; 2],
    ) -> Option<SseOp> {
        use SseOp::{Pmaxsw, Pmaxub, Pminsw, Pminub};
        let is_128 = cx.func.value_type(choices[0]).bits() == 128;
        let op = int_extremum(cx.func, cond, choices).filter(|_| is_128)?;
        (self.has_avx(cx) || matches!(op, Pminub | Pmaxub | Pminsw | Pmaxsw)).then_some(op)
    }

    /// Whether `user` chooses between what its condition compares, so that only the extremum is needed.
    pub(in crate::lower) fn is_extremum<S: Sink<Inst>>(self, cx: &Cx<'_, S>, user: ice_ir::Inst) -> bool {
        matches!(*cx.func.inst(user), InstData::Select { cond, if_true, if_false }
            if self.extremum_of_128(cx, cond, [if_true, if_false]).is_some())
    }

    /// A choice that is an extremum. False, and nothing done, for others.
    pub(super) fn select_integers<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: Value,
        choices: [Value; 2],
        result: Value,
    ) -> bool {
        let folded = cx.folded(cond).and_then(|_| self.extremum_of_128(cx, cond, choices));
        let Some(op) = folded else { return false };
        let [a, b] = super::folded_last(cx, choices);
        let (a, src) = (self.reg(cx, a), self.vector_src(cx, b));
        let dst = cx.regs(result).lo();
        self.sse_of(cx, op, dst, a, src);
        true
    }
}
