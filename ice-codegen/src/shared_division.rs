//! Which quotient and remainder of the same numbers one division gives.
//!
//! Both are of one block and near each other, and no third one stands before them there. The first computes both, asked of
//! either, so that both know.
//!
//! Cost: a constant number of instructions for each division by a variable.

use crate::magic::parts;
use ice_ir::{BinaryOp, Function, Inst, InstData, Uses, Value};

/// How far apart the quotient and the remainder of the same numbers may be, in instructions.
const MAX_APART: usize = 8;

/// The remainder for a quotient, or the other way round, that one division gives: the first two divisions of the same
/// numbers in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Partner {
    /// There is none.
    None,
    /// It has given both.
    Before,
    /// The result of the other.
    Behind(Value),
}

/// The nearest division of the same numbers with the same sign among those that `step` leads to.
fn nearest(func: &Function, uses: &Uses, inst: Inst, step: impl Fn(Inst) -> Option<Inst>) -> Option<Inst> {
    let division = |inst| match *func.inst(inst) {
        InstData::Binary { op, args } if op.is_division() => Some((parts(op).0, args)),
        _ => None,
    };
    let wanted = division(inst)?;
    let others = core::iter::successors(step(inst), |&inst| step(inst)).take(MAX_APART);
    others.into_iter().find(|&inst| division(inst) == Some(wanted) && !uses.is_dead(inst))
}

/// The partner of the division `op` of `args`, if that is what the instruction being lowered is.
pub fn partner(
    func: &Function,
    uses: &Uses,
    current: Option<Inst>,
    (op, args): (BinaryOp, [Value; 2]),
) -> Partner {
    let Some(inst) = current else { return Partner::None };
    if !matches!(*func.inst(inst), InstData::Binary { op: own, args: own_args } if (own, own_args) == (op, args))
    {
        return Partner::None;
    }
    let before = |inst| nearest(func, uses, inst, |inst| func.layout.prev_inst(inst));
    let is_other = |inst| matches!(*func.inst(inst), InstData::Binary { op: other, .. } if other != op);
    match before(inst) {
        Some(first) if is_other(first) && before(first).is_none() => Partner::Before,
        Some(_) => Partner::None,
        None => nearest(func, uses, inst, |inst| func.layout.next_inst(inst))
            .filter(|&second| is_other(second))
            .and_then(|second| func.result(second))
            .map_or(Partner::None, Partner::Behind),
    }
}
