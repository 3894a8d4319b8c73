//! The registers of operands.

use crate::lower::{Lower, ValueRegs};
use crate::mach::{Sink, VReg};
use crate::target::Target;
use ice_ir::{Inst, Value};

/// How rules get at their operands. What most operands are, a value that is in registers already, is inlined.
pub trait Operands: Target + Copy {
    /// The registers of a value; constants and what was folded but is needed are made here.
    #[inline]
    fn regs<S: Sink<Self::Inst>>(self, cx: &mut Lower<'_, Self::Inst, S>, value: Value) -> ValueRegs {
        match cx.plain_reg(value) {
            Some(_) => cx.regs(value),
            None => self.special_regs(cx, value),
        }
    }

    /// The registers of a value that is not in registers yet.
    #[inline(never)]
    fn special_regs<S: Sink<Self::Inst>>(self, cx: &mut Lower<'_, Self::Inst, S>, value: Value) -> ValueRegs {
        if cx.is_constant(value) {
            return self.materialize(cx, value);
        }
        if let Some(inst) = cx.folded(value) {
            self.unfold(cx, inst);
        }
        cx.regs(value)
    }

    /// Lowers what was folded into an instruction that wants it in a register after all.
    #[inline(never)]
    fn unfold<S: Sink<Self::Inst>>(self, cx: &mut Lower<'_, Self::Inst, S>, inst: Inst) {
        cx.unfold(inst);
        // What is folded is arithmetic, a comparison or a load: none of them can fail.
        if self.lower(cx, inst).is_err() {
            cx.fault("what was folded into it cannot be lowered");
        }
    }

    /// The only or the low register of a value, which must not be written: a loop may hold it.
    #[inline]
    fn reg<S: Sink<Self::Inst>>(self, cx: &mut Lower<'_, Self::Inst, S>, value: Value) -> VReg {
        match cx.plain_reg(value) {
            Some(reg) => reg,
            None => self.special_reg(cx, value),
        }
    }

    /// The only or the low register of a value that is not in registers yet.
    #[inline(never)]
    fn special_reg<S: Sink<Self::Inst>>(self, cx: &mut Lower<'_, Self::Inst, S>, value: Value) -> VReg {
        if self.holds_constants()
            && cx.is_constant(value)
            && let Some(reg) = self.held_constant(cx, value)
        {
            return reg;
        }
        self.special_regs(cx, value).lo()
    }
}

impl<T: Target + Copy> Operands for T {}
