//! Terminators.

use super::compare::Test;
use crate::inst::Inst;
use crate::target::{Arm32, Cx};
use ice_codegen::mach::Sink;
use ice_codegen::rules::{Selector, Terminator};
use ice_codegen::words::{CallRules as _, InvokeRules as _, InvokeTargets, ParamRules as _};
use ice_codegen::{ErrorKind, Operands as _, Words as _};
use ice_ir::Type;

impl Arm32 {
    /// Lowers the terminator of a block.
    pub(crate) fn lower_control<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
    ) -> Result<(), ErrorKind> {
        match cx.terminator(inst)? {
            Terminator::Jump { target } => cx.sink.push(Inst::Jump { target }),
            Terminator::Branch { cond, if_true, if_false } => {
                let test = self.condition(cx, cond);
                cx.sink.push(match test {
                    Test::Flags(cond, or) if if_true != if_false => {
                        Inst::Branch { cond, or, if_true, if_false }
                    }
                    Test::Known(false) => Inst::Jump { target: if_false },
                    // Both ways are one edge.
                    Test::Flags(..) | Test::Known(true) => Inst::Jump { target: if_true },
                });
            }
            Terminator::Switch(selector) => self.lower_switch(cx, selector),
            Terminator::Indirect { address } => {
                let to = self.reg(cx, address);
                cx.sink.push(Inst::JumpIndirect { to });
            }
            Terminator::Return { values } => return self.lower_return(cx, values),
            Terminator::ReturnCall => return self.return_call(cx, inst),
            Terminator::Invoke { normal, pad, clauses } => {
                return self.invoke(cx, inst, InvokeTargets { normal, pad, clauses });
            }
            Terminator::Assembly => {
                return Err(ErrorKind::Unsupported("inline assembly that jumps"));
            }
            Terminator::Unreachable => cx.sink.push(Inst::Unreachable),
        }
        Ok(())
    }

    #[inline(never)]
    fn lower_switch<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, selector: Selector) {
        let Selector { switch, value, ty, sign } = selector;
        if ty == Type::I64 {
            let regs = self.regs(cx, value);
            return cx.sink.push(Inst::SwitchPair { switch, lo: regs.lo(), hi: regs.hi() });
        }
        let index = self.extended(cx, sign, value);
        cx.sink.push(Inst::Switch { switch, index });
    }
}
