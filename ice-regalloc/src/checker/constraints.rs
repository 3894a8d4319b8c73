//! What can be seen of an allocation without following values: constraints, classes, sizes,
//! overlap of operands, clobbers and `used_regs`.
//!
//! Two operands of one instruction clash when both are busy at its start or both at its end, they
//! overlap, and a definition is among them; at the start only an Early Def counts, since a UseDef
//! reads there what Early Uses may read too. This gives four kinds of operands and a symmetric
//! relation between kinds, so each operand is compared with the unit masks of the kinds that it
//! clashes with, and for slots with a mark on the slot. Pairs are only looked at to name a clash.

use super::{Input, Violation};
use crate::function::Remat;
use crate::operand::{Block, Constraint, Inst, Operand, OperandKind, OperandPos};
use crate::output::{Allocation, ProgPoint};
use crate::registers::RegUnits;
use alloc::vec::Vec;

/// Kinds of operands, as bits of a mask.
const EARLY_USE: u8 = 1 << 0;
const LATE_USE: u8 = 1 << 1;
/// A Late Def or a UseDef.
const DEF: u8 = 1 << 2;
const EARLY_DEF: u8 = 1 << 3;

fn kind(op: Operand) -> u8 {
    match (op.kind(), op.pos()) {
        (OperandKind::Use, OperandPos::Early) => EARLY_USE,
        (OperandKind::Use, OperandPos::Late) => LATE_USE,
        (OperandKind::Def, OperandPos::Early) => EARLY_DEF,
        (OperandKind::Def, OperandPos::Late) | (OperandKind::UseDef, _) => DEF,
    }
}

/// The kinds that an operand of this kind clashes with when they overlap.
fn clashes(kind: u8) -> u8 {
    match kind {
        EARLY_USE => EARLY_DEF,
        LATE_USE => DEF | EARLY_DEF,
        DEF => LATE_USE | DEF | EARLY_DEF,
        _ => EARLY_USE | LATE_USE | DEF | EARLY_DEF,
    }
}

/// For each slot an instruction, as its number and one, and the kinds of its operands there.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    slots: Vec<(u32, u8)>,
}

impl Marks {
    /// Reports the faults of all instructions, then of all edits.
    pub(super) fn check(&mut self, input: &Input<'_>, violations: &mut Vec<Violation>) {
        self.slots.clear();
        self.slots.resize(input.output.slots.len(), (0, 0));
        for inst in (0..input.func.num_insts() as u32).map(Inst::from_u32) {
            self.check_inst(input, inst, violations);
        }
        check_places_of_edits(input, violations);
        let used_regs = input.output.used_regs;
        for (index, edit) in input.output.edits.iter().enumerate() {
            let ok = !(edit.from.is_slot() && edit.to.is_slot())
                && edit.class.index() < input.file.classes.len()
                && fits(input, edit.to, edit.size)
                && match input.remat(edit.from) {
                    Some(how) => edit.to.is_reg() || how == Remat::Anywhere,
                    None => fits(input, edit.from, edit.size),
                };
            if !ok {
                violations.push(Violation::BadEdit { edit: index });
            } else if !used_regs.contains(input.units(edit.to)) {
                let (inst, place) = (edit.point.inst(), edit.to);
                violations.push(Violation::UnreportedRegister { inst, place });
            }
        }
    }

    fn check_inst(&mut self, input: &Input<'_>, inst: Inst, violations: &mut Vec<Violation>) {
        let ops = input.func.operands(inst);
        let places = input.output.allocs_of(input.func, inst);
        let clobbers = input.func.clobbers(inst);
        let left_out = places == [Allocation::NONE] && input.remat_of(inst).is_some();
        let mut clash = false;
        let mut occupied = [RegUnits::EMPTY; 4];
        for (operand, (&op, &place)) in ops.iter().zip(places).enumerate() {
            if left_out || op.kind() == OperandKind::Use && is_home(input, op, place) {
                continue;
            }
            if !fits(input, place, input.size(op.vreg())) {
                violations.push(Violation::BadPlace { inst, operand, place });
                clash = true;
                continue;
            }
            let in_class = || place.as_reg().is_some_and(|r| input.file.class(op.class()).order.contains(&r));
            let ok = match op.constraint() {
                Constraint::Any => place.is_slot() || in_class(),
                Constraint::Reg => in_class(),
                Constraint::Stack => place.is_slot(),
                Constraint::Fixed(reg) => place.as_reg() == Some(reg),
            };
            if !ok {
                violations.push(Violation::Constraint { inst, operand, place });
            }
            let units = input.units(place);
            let kind = kind(op);
            if kind & (LATE_USE | EARLY_DEF) != 0 && units.intersects(clobbers) {
                violations.push(Violation::Clobbered { inst, operand });
            }
            if op.is_def() && !input.output.used_regs.contains(units) {
                violations.push(Violation::UnreportedRegister { inst, place });
            }
            if let Some(slot) = place.as_slot() {
                let mark = &mut self.slots[slot.as_u32() as usize];
                if mark.0 != inst.as_u32() + 1 {
                    *mark = (inst.as_u32() + 1, 0);
                }
                clash |= mark.1 & clashes(kind) != 0;
                mark.1 |= kind;
            } else {
                let against = |k: usize| clashes(kind) >> k & 1 != 0 && occupied[k].intersects(units);
                clash |= (0..4).any(against);
                occupied[kind.trailing_zeros() as usize].insert(units);
            }
        }
        if clash {
            name_clashes(input, inst, violations);
        }
    }
}

/// Reports edits where nothing can be copied.
fn check_places_of_edits(input: &Input<'_>, violations: &mut Vec<Violation>) {
    let Input { func, output, .. } = input;
    for block in (0..func.num_blocks() as u32).map(Block::from_u32) {
        let Some(receiver) = func.receiver(block) else { continue };
        let incoming = func.operands(receiver).iter().filter_map(|op| op.fixed_reg());
        let incoming =
            incoming.fold(RegUnits::EMPTY, |all, reg| all.union(input.units(Allocation::reg(reg))));
        let point = ProgPoint::before(receiver);
        let first = output.edits.partition_point(|edit| edit.point < point);
        for (n, edit) in output.edits[first..].iter().enumerate() {
            if edit.point != point {
                break;
            }
            if input.units(edit.to).intersects(incoming) {
                violations.push(Violation::MisplacedEdit { edit: first + n });
            }
        }
    }
    for (edit, at) in output.edits.iter().enumerate() {
        if !at.point.is_before() && func.is_terminator(at.point.inst()) {
            violations.push(Violation::MisplacedEdit { edit });
        }
    }
}

/// Whether the use `op` may be in the memory that `place` stands for.
fn is_home(input: &Input<'_>, op: Operand, place: Allocation) -> bool {
    op.constraint() == Constraint::Any && input.remat(place) == Some(Remat::Memory)
}

fn fits(input: &Input<'_>, place: Allocation, size: u32) -> bool {
    input.index(place).is_some()
        && place.as_slot().is_none_or(|s| input.output.slots[s.as_u32() as usize].size >= size)
}

/// Reports each pair of operands of `inst` that clashes.
fn name_clashes(input: &Input<'_>, inst: Inst, violations: &mut Vec<Violation>) {
    let ops = input.func.operands(inst);
    let places = input.output.allocs_of(input.func, inst);
    for second in 0..ops.len() {
        for first in 0..second {
            let overlap = places[first] == places[second]
                || input.units(places[first]).intersects(input.units(places[second]));
            if overlap && clashes(kind(ops[first])) & kind(ops[second]) != 0 {
                violations.push(Violation::Overlap { inst, first, second });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_clash_both_ways() {
        for a in [EARLY_USE, LATE_USE, DEF, EARLY_DEF] {
            for b in [EARLY_USE, LATE_USE, DEF, EARLY_DEF] {
                assert_eq!(clashes(a) & b != 0, clashes(b) & a != 0);
            }
        }
    }
}
