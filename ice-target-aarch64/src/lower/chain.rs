//! `and` and `or` of comparisons as one condition: each comparison behind the first is made under the condition of those before
//! (`ccmp`, `fccmp`), and gives the flags of the result where it is not made.
//!
//! A chain has one link for each `and` or `or`: a comparison that was folded into it. The other operand is the chain that
//! was folded into the link, or its end: a comparison or a boolean. What the comparisons compare is put in registers before the
//! first of them, so that nothing between them writes the flags. A comparison is folded if the other operand is one as well, or
//! a chain, or if the flags decide; a link is folded if the other operand of the next is a comparison, up to [`MAX_LINKS`].

use super::compare::{Ints, Outcome, float_flag, int_cond};
use super::{float_width, immediate, width};
use crate::inst::{Inst, Rhs};
use crate::target::{Aarch64, Cx};
use ice_asm::aarch64::{Alu, Cond, ConditionalCompare, FloatWidth, Width};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{Operands as _, rules};
use ice_ir::{BinaryOp, InstData, Type, Value, ValueDef};

/// Most links of a chain.
const MAX_LINKS: usize = 8;

/// The largest number that a conditional comparison carries.
const MAX_NUMBER: u64 = 31;

/// A comparison whose operands are in registers.
#[derive(Clone, Copy)]
enum Ready {
    Ints { op: ConditionalCompare, width: Width, lhs: VReg, rhs: Rhs, cond: Cond },
    Floats { width: FloatWidth, operands: [VReg; 2], cond: Cond },
}

/// Whether an instruction is a comparison that can be a link.
fn is_comparison<S: Sink<Inst>>(cx: &Cx<'_, S>, inst: ice_ir::Inst) -> bool {
    match *cx.func.inst(inst) {
        InstData::Icmp { args, .. } => {
            !cx.func.value_type(args[0]).is_vector() && cx.exchange_of(inst).is_none()
        }
        InstData::Fcmp { cond, args } => {
            matches!(cx.func.value_type(args[0]), Type::F32 | Type::F64) && float_flag(cond).is_some()
        }
        _ => false,
    }
}

/// The comparison that was folded and is `value`.
fn comparison<S: Sink<Inst>>(cx: &Cx<'_, S>, value: Value) -> Option<ice_ir::Inst> {
    cx.folded(value).filter(|&def| is_comparison(cx, def))
}

/// The operator and the operands of a link.
fn logic<S: Sink<Inst>>(cx: &Cx<'_, S>, inst: ice_ir::Inst) -> Option<(BinaryOp, [Value; 2])> {
    match *cx.func.inst(inst) {
        InstData::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), args: args @ [a, b] } => {
            (cx.func.value_type(a) == Type::I1 && a != b).then_some((op, args))
        }
        _ => None,
    }
}

/// Whether `op` on `args` is a link: a comparison was folded into it.
pub(super) fn is_chain<S: Sink<Inst>>(cx: &Cx<'_, S>, op: BinaryOp, args: [Value; 2]) -> bool {
    matches!(op, BinaryOp::And | BinaryOp::Or) && args.iter().any(|&arg| comparison(cx, arg).is_some())
}

/// Whether the comparison or link `def` is part of the link `user`, which alone uses it, in its block.
pub(super) fn joins<S: Sink<Inst>>(cx: &Cx<'_, S>, def: ice_ir::Inst, user: ice_ir::Inst) -> bool {
    let (Some(result), Some((_, [a, b]))) = (cx.func.result(def), logic(cx, user)) else { return false };
    let other = if a == result { b } else { a };
    let other_def = cx.func.defining_inst(other);
    let partner = other_def.filter(|&def| cx.uses.only_user_in_block(cx.func, def, other) == Some(user));
    if let Some((op, args)) = logic(cx, def) {
        return is_chain(cx, op, args)
            && partner.is_some_and(|def| is_comparison(cx, def))
            && links(cx, def) < MAX_LINKS;
    }
    let decides = || {
        let value = cx.func.result(user)?;
        cx.uses.only_user_in_block(cx.func, user, value).filter(|&last| cx.decides(value, last))
    };
    is_comparison(cx, def)
        && !cx.is_constant(other)
        && (partner.is_some_and(|def| is_comparison(cx, def) || logic(cx, def).is_some())
            || decides().is_some())
}

/// The links of the chain that ends with `last`, [`MAX_LINKS`] at most.
fn links<S: Sink<Inst>>(cx: &Cx<'_, S>, mut last: ice_ir::Inst) -> usize {
    for number in 1..MAX_LINKS {
        let Some((_, args)) = logic(cx, last) else { return number };
        let before = args.iter().find_map(|&arg| cx.folded(arg).filter(|&def| logic(cx, def).is_some()));
        let Some(before) = before else { return number };
        last = before;
    }
    MAX_LINKS
}

/// Flags with which the condition holds: four bits, the sign first, then zero, the carry and overflow.
const fn flags_of(cond: Cond) -> u8 {
    match cond {
        Cond::Mi | Cond::Lt => 0b1000,
        Cond::Eq | Cond::Le => 0b0100,
        Cond::Hs | Cond::Hi => 0b0010,
        Cond::Vs => 0b0001,
        Cond::Ne | Cond::Lo | Cond::Ls | Cond::Pl | Cond::Vc | Cond::Ge | Cond::Gt | Cond::Al => 0,
    }
}

/// The comparison that carries a number, of `width`, or its opposite, and what it carries.
fn carried(width: Width, number: u64) -> Option<(ConditionalCompare, Rhs)> {
    let (op, rhs) = immediate(Alu::Sub, width, number)?;
    let op = if op == Alu::Sub { ConditionalCompare::Ccmp } else { ConditionalCompare::Ccmn };
    matches!(rhs, Rhs::Imm(imm) if imm.value() <= MAX_NUMBER).then_some((op, rhs))
}

/// What comes before in the chain, and the comparison: the one that takes less of two.
fn split<S: Sink<Inst>>(cx: &Cx<'_, S>, [a, b]: [Value; 2]) -> (Value, Value) {
    match [a, b].map(|value| comparison(cx, value)) {
        [Some(first), Some(second)] if is_plain(cx, first) && !is_plain(cx, second) => (b, a),
        [Some(_), None] => (b, a),
        _ => (a, b),
    }
}

impl Aarch64 {
    /// Makes the comparisons of a chain, whose last link is `op` on `args`. Gives the condition that tells its result.
    pub(super) fn compare_chain<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        mut op: BinaryOp,
        mut args: [Value; 2],
    ) -> Cond {
        let mut links = [None; MAX_LINKS];
        let mut first = None;
        for link in &mut links {
            let (rest, compared) = split(cx, args);
            let compared = comparison(cx, compared).and_then(|compared| self.ready(cx, compared));
            let Some(compared) = compared else { break };
            *link = Some((op, compared));
            first = Some(rest);
            let before = cx.folded(rest).and_then(|def| logic(cx, def));
            let Some(before) = before.filter(|&(op, args)| is_chain(cx, op, args)) else { break };
            (op, args) = before;
        }
        let test = first.map(|first| self.condition(cx, first));
        let mut cond = match test {
            Some(Outcome::By(test)) => self.flags(cx, test),
            _ => {
                cx.fault("a chain of comparisons has no first one");
                Cond::Eq
            }
        };
        for (op, ready) in links.into_iter().flatten().rev() {
            cond = self.compare_if(cx, op, ready, cond);
        }
        cond
    }

    /// Puts the operands of a comparison in registers.
    fn ready<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst) -> Option<Ready> {
        Some(match *cx.func.inst(inst) {
            InstData::Icmp { cond, args } => {
                let ints = Ints::of(cx, cond, args);
                let width = width(ints.ty);
                let lhs = self.comparable(cx, ints, 0);
                let (cond, op, rhs) = match ints.number {
                    None => (ints.cond, ConditionalCompare::Ccmp, Rhs::Reg(self.comparable(cx, ints, 1))),
                    Some(number) => {
                        let is_carried = |number| carried(width, number).is_some();
                        let (cond, number) = rules::carried(ints.cond, number, ints.ty.bits(), is_carried);
                        let (op, rhs) = carried(width, number).unwrap_or_else(|| {
                            (ConditionalCompare::Ccmp, Rhs::Reg(self.wide_number(cx, width, number)))
                        });
                        (cond, op, rhs)
                    }
                };
                Ready::Ints { op, width, lhs, rhs, cond: int_cond(cond) }
            }
            InstData::Fcmp { cond, args } => {
                let width = float_width(cx.func.value_type(args[0]));
                Ready::Floats { width, operands: args.map(|arg| self.reg(cx, arg)), cond: float_flag(cond)? }
            }
            _ => return None,
        })
    }

    /// Compares if what `cond` tells leaves the result of `op` open. Gives the condition that tells the result.
    fn compare_if<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: BinaryOp, ready: Ready, cond: Cond) -> Cond {
        let (Ready::Ints { cond: result, .. } | Ready::Floats { cond: result, .. }) = ready;
        let (cond, nzcv) = match op {
            BinaryOp::And => (cond, flags_of(result.invert())),
            _ => (cond.invert(), flags_of(result)),
        };
        cx.sink.push(match ready {
            Ready::Ints { op, width, lhs, rhs, .. } => Inst::CompareIf { op, width, lhs, rhs, nzcv, cond },
            Ready::Floats { width, operands: [lhs, rhs], .. } => {
                Inst::CompareFloatIf { width, lhs, rhs, nzcv, cond }
            }
        });
        result
    }
}

/// Whether a comparison takes no register for a number, and no other instruction would do for it and what was folded into it.
fn is_plain<S: Sink<Inst>>(cx: &Cx<'_, S>, inst: ice_ir::Inst) -> bool {
    match *cx.func.inst(inst) {
        InstData::Icmp { cond, args } => {
            let ints = Ints::of(cx, cond, args);
            let is_small = |number| carried(width(ints.ty), number).is_some();
            cx.folded(ints.args[0]).is_none()
                && ints.number.is_none_or(|number| {
                    is_small(rules::carried(ints.cond, number, ints.ty.bits(), is_small).1)
                })
        }
        InstData::Fcmp { args, .. } => !matches!(cx.func.value_def(args[1]), ValueDef::Float(0)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the condition holds of the flags, by its definition.
    fn holds(cond: Cond, nzcv: u8) -> bool {
        let [n, z, c, v] = [3, 2, 1, 0].map(|bit| nzcv >> bit & 1 != 0);
        match cond {
            Cond::Eq => z,
            Cond::Ne => !z,
            Cond::Hs => c,
            Cond::Lo => !c,
            Cond::Mi => n,
            Cond::Pl => !n,
            Cond::Vs => v,
            Cond::Vc => !v,
            Cond::Hi => c && !z,
            Cond::Ls => !c || z,
            Cond::Ge => n == v,
            Cond::Lt => n != v,
            Cond::Gt => !z && n == v,
            Cond::Le => z || n != v,
            Cond::Al => true,
        }
    }

    #[test]
    fn flags_decide() {
        for cond in Cond::ALL.into_iter().filter(|&cond| cond != Cond::Al) {
            assert!(holds(cond, flags_of(cond)), "{cond:?}");
            assert!(!holds(cond, flags_of(cond.invert())), "{cond:?}");
        }
    }
}
