//! Fixed operands of one instruction: whether two of them can hold together.
//!
//! Two operands in overlapping registers are in each other's way if both are busy at the start of the
//! instruction or both at its end. Only uses of one value may share a register there. An operand that
//! must outlive the clobbers cannot be in a register that they destroy.
//!
//! Cost: one comparison with each operand before.

use crate::operand::{Constraint, Operand, OperandKind, OperandPos};
use crate::registers::{PReg, RegUnits};
use crate::tables::Tables;

/// Whether the operand's place is busy at the end of the instruction.
#[inline]
pub(crate) fn is_late(op: Operand) -> bool {
    op.is_def() || op.pos() == OperandPos::Late
}

/// Whether it is busy at the start.
#[inline]
pub(crate) fn is_early(op: Operand) -> bool {
    op.is_use() || op.pos() == OperandPos::Early
}

/// Whether the operand's register must not be one that the instruction destroys.
pub(crate) fn outlives_clobbers(op: Operand) -> bool {
    is_late(op) && is_early(op) && op.kind() != OperandKind::UseDef
}

/// Whether the home of the value that `op` uses, which one of `ops` defines anew, is overwritten before `op` has been read.
pub(crate) fn is_overwritten_unread(ops: &[Operand], op: Operand) -> bool {
    let defines_early = |other: &Operand| {
        other.kind() == OperandKind::Def && other.pos() == OperandPos::Early && other.vreg() == op.vreg()
    };
    op.kind() == OperandKind::Use && (op.pos() == OperandPos::Late || ops.iter().any(defines_early))
}

/// Whether operand `k` of `ops` can be in `reg` beside the fixed operands before it and the clobbers.
pub(crate) fn can_be_fixed(
    ops: &[Operand],
    k: usize,
    reg: PReg,
    clobbers: RegUnits,
    tables: &Tables,
) -> bool {
    let op = ops[k];
    let units = tables.units(reg);
    let clashes = |other: &Operand| {
        let Constraint::Fixed(other_reg) = other.constraint() else { return false };
        let same = op.vreg() == other.vreg() && reg == other_reg;
        let early = is_early(op) && is_early(*other) && !(same && op.is_use() && other.is_use());
        let late = is_late(op) && is_late(*other) && !(same && !op.is_def() && !other.is_def());
        (early || late) && tables.units(other_reg).intersects(units)
    };
    let destroyed = outlives_clobbers(op) && units.intersects(clobbers);
    !destroyed && !ops[..k].iter().any(clashes)
}
