//! Choices without branches: one value or another, by the flags.

use super::compare::Outcome;
use super::{float_width, width};
use crate::inst::{Inst, Src};
use crate::target::{Aarch64, Cx};
use ice_asm::aarch64::{Cond, Select};
use ice_codegen::Operands as _;
use ice_codegen::mach::{Sink, VReg};
use ice_ir::{Type, Value};

/// Most choices that share the comparison of one before.
const MAX_SHARED: usize = 16;

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
        let sources = self.chosen(cx, ty, [if_true, if_false]);
        let conds = match self.condition(cx, cond) {
            Outcome::Known(true) => return self.move_value(cx, dst, if_true),
            Outcome::Known(false) => return self.move_value(cx, dst, if_false),
            Outcome::Either(a, b) => [Some(a), Some(b)],
            Outcome::By(test) => [Some(self.flags(cx, test)), None],
        };
        self.choose_by(cx, (ty, dst), sources, conds);
        // Choices by equal comparisons find the flags: what makes constants leaves them.
        let mut last = cx.current_inst();
        for _ in 0..MAX_SHARED {
            let Some((select, values)) = last.and_then(|select| cx.next_choice(select)) else { return };
            let Some(result) = cx.func.result(select) else { return };
            let ty = cx.func.value_type(result);
            let sources = self.chosen(cx, ty, values);
            let dst = cx.regs(result).lo();
            self.choose_by(cx, (ty, dst), sources, conds);
            cx.note_made(result);
            last = Some(select);
        }
    }

    /// The values of a choice.
    fn chosen<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, values: [Value; 2]) -> [Src; 2] {
        values.map(|value| match crate::abi::is_vector(ty) {
            true => Src::Reg(self.reg(cx, value)),
            false => self.src(cx, value),
        })
    }

    /// The first value if one of the conditions holds, else the second.
    fn choose_by<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (ty, dst): (Type, VReg),
        [wins, mut stays]: [Src; 2],
        [first, second]: [Option<Cond>; 2],
    ) {
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
