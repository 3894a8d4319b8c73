//! Choices without branches: one value or another, by the flags.

use super::compare::Outcome;
use super::{float_width, width};
use crate::inst::{Inst, Src};
use crate::target::{Aarch64, Cx};
use ice_asm::aarch64::{Cond, Select};
use ice_codegen::Operands as _;
use ice_codegen::mach::{Sink, VReg};
use ice_ir::{Type, Value};

impl Aarch64 {
    /// A select with a scalar condition.
    pub(crate) fn select<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: Value,
        [if_true, if_false]: [Value; 2],
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let dst = cx.regs(result).lo();
        // What makes the values may write the flags.
        let sources = [if_true, if_false].map(|value| match crate::abi::is_vector(ty) {
            true => Src::Reg(self.reg(cx, value)),
            false => self.src(cx, value),
        });
        let conds = match self.condition(cx, cond) {
            Outcome::Known(true) => return self.move_value(cx, dst, if_true),
            Outcome::Known(false) => return self.move_value(cx, dst, if_false),
            Outcome::Either(a, b) => [Some(a), Some(b)],
            Outcome::By(test) => [Some(self.flags(cx, test)), None],
        };
        let [wins, mut stays] = sources;
        let [first, second] = conds;
        if let (Some(cond), Some(_)) = (first, second) {
            let between = cx.temp(ty).lo();
            self.choose(cx, ty, between, [wins, stays], cond);
            stays = Src::Reg(between);
        }
        if let Some(cond) = second.or(first) {
            self.choose(cx, ty, dst, [wins, stays], cond);
        }
    }

    fn choose<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        ty: Type,
        dst: VReg,
        [if_true, if_false]: [Src; 2],
        cond: Cond,
    ) {
        match (if_true, if_false) {
            (Src::Reg(if_true), Src::Reg(if_false)) if ty.is_vector() => {
                self.choose_vector(cx, dst, [if_true, if_false], cond);
            }
            (Src::Reg(if_true), Src::Reg(if_false)) if ty.is_scalar_float() => {
                let width = float_width(ty);
                cx.sink.push(Inst::SelectFloat { width, dst, if_true, if_false, cond });
            }
            _ => {
                let (op, width) = (Select::Csel, width(ty));
                cx.sink.push(Inst::Select { op, width, dst, if_true, if_false, cond });
            }
        }
    }
}
