//! Terminators.

use super::compare::Outcome;
use super::width;
use crate::inst::{Inst, Test};
use crate::target::{Aarch64, Cx};
use ice_asm::aarch64::{Cond, Width};
#[cfg(feature = "assembly")]
use ice_codegen::assembly::AssemblyRules as _;
use ice_codegen::mach::{MachBlock, Sink};
use ice_codegen::rules::{Selector, Terminator};
use ice_codegen::words::{CallRules as _, InvokeRules as _, InvokeTargets, ParamRules as _};
use ice_codegen::{ErrorKind, Operands as _, Words as _};
use ice_ir::{Type, Value};

impl Aarch64 {
    /// Lowers the terminator of a block.
    pub(crate) fn lower_control<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
    ) -> Result<(), ErrorKind> {
        match cx.terminator(inst)? {
            Terminator::Indirect { address } => {
                let to = self.reg(cx, address);
                cx.sink.push(Inst::JumpIndirect { to });
            }
            Terminator::Return { values } => return self.lower_return(cx, values),
            Terminator::ReturnCall => return self.return_call(cx, inst),
            Terminator::Invoke { normal, pad, clauses } => {
                return self.invoke(cx, inst, InvokeTargets { normal, pad, clauses });
            }
            #[cfg(feature = "assembly")]
            Terminator::Assembly => return self.assembly_jump(cx, inst),
            #[cfg(not(feature = "assembly"))]
            Terminator::Assembly => return Err(ErrorKind::Unsupported("inline assembly")),
            Terminator::Unreachable => cx.sink.push(Inst::Unreachable),
            Terminator::Jump { target } => cx.sink.push(Inst::Jump { target }),
            Terminator::Switch(selector) => self.lower_switch(cx, selector),
            Terminator::Branch { cond, if_true, if_false } => self.branch(cx, cond, [if_true, if_false]),
        }
        Ok(())
    }

    fn branch<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: Value, [if_true, if_false]: [MachBlock; 2]) {
        let test = match self.condition(cx, cond) {
            Outcome::Known(known) => {
                let target = if known { if_true } else { if_false };
                return cx.sink.push(Inst::Jump { target });
            }
            // Both ways are one edge.
            _ if if_true == if_false => return cx.sink.push(Inst::Jump { target: if_true }),
            Outcome::By(test) => test,
            Outcome::Either(a, b) => self.either(cx, [a, b]),
        };
        cx.sink.push(Inst::Branch { test, if_true, if_false });
    }

    fn lower_switch<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, selector: Selector) {
        let Selector { switch, value, ty, sign } = selector;
        let index = match ty {
            Type::I64 => self.reg(cx, value),
            _ => self.extended(cx, sign, value),
        };
        let scratch = self.address_temp(cx);
        cx.sink.push(Inst::Scratch { dst: scratch });
        cx.sink.push(Inst::Switch { switch, width: width(ty), index, scratch });
    }

    /// A test that tells whether one or the other condition holds.
    fn either<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, conds: [Cond; 2]) -> Test {
        let dst = self.wide_temp(cx, Width::W);
        self.set_either(cx, dst, conds);
        Test::NonZero(Width::W, dst)
    }
}
