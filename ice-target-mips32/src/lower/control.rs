//! Terminators.

use super::compare::Test;
use crate::inst::{Cond, Inst, Src, Wanted};
use crate::target::{Cx, Mips32};
use ice_codegen::mach::{MachBlock, Sink};
use ice_codegen::rules::{Selector, Terminator};
use ice_codegen::switch::SwitchNode;
use ice_codegen::words::{CallRules as _, InvokeRules as _, InvokeTargets, ParamRules as _};
use ice_codegen::{ErrorKind, Operands as _, Words as _};
use ice_ir::{Type, Value};

impl Mips32 {
    /// Lowers the terminator of a block.
    pub(crate) fn lower_control<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
    ) -> Result<(), ErrorKind> {
        match cx.terminator(inst)? {
            Terminator::Indirect { address } => {
                let to = self.regs(cx, address).lo();
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
            Terminator::Jump { target } => cx.sink.push(Inst::Jump { target }),
            Terminator::Switch(selector) => self.lower_switch(cx, selector),
            Terminator::Branch { cond, if_true, if_false } => self.branch(cx, cond, [if_true, if_false]),
        }
        Ok(())
    }

    fn branch<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: Value, [if_true, if_false]: [MachBlock; 2]) {
        let cond = match self.condition(cx, cond) {
            Test::Known(known) => {
                let target = if known { if_true } else { if_false };
                return cx.sink.push(Inst::Jump { target });
            }
            // Both ways are one edge.
            _ if if_true == if_false => return cx.sink.push(Inst::Jump { target: if_true }),
            Test::Cond(cond) => cond,
            Test::Bool(reg, Wanted::Nonzero) => Cond::Ne(reg, Src::Zero),
            Test::Bool(reg, Wanted::Zero) => Cond::Eq(reg, Src::Zero),
        };
        cx.sink.push(Inst::Branch { cond, if_true, if_false });
    }

    fn lower_switch<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, selector: Selector) {
        let Selector { switch, value, ty, sign } = selector;
        let plan = cx.sink.tables().switch(switch);
        let has_table = plan.is_some_and(|planned| {
            planned.plan.nodes.iter().any(|node| matches!(node, SwitchNode::Table { .. }))
        });
        let base = if has_table { self.table_if_needed(cx) } else { None };
        if ty == Type::I64 {
            let regs = self.regs(cx, value);
            let (lo, hi, scratch) = (regs.lo(), regs.hi(), self.scratch(cx));
            return cx.sink.push(Inst::SwitchPair { switch, lo, hi, scratch, base });
        }
        let index = self.extended(cx, sign, value);
        let scratch = self.scratch(cx);
        cx.sink.push(Inst::Switch { switch, index, scratch, base });
    }
}
