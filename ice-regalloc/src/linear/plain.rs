//! Plain instructions: the places of operands that are where they are wanted.
//!
//! A plain instruction has Early Uses and at most one Late Def or UseDef, all of them Any or Reg, and
//! no clobbers. Nearly all of their operands have a home of the right class: that is their place, and nothing is
//! written down, for linear scan has foreseen it (`held` says how that is made good). What has no home may be in a register,
//! may be read from memory by its last use here, or one such value may be brought to a register that is free. Then
//! there is nothing to choose, and no other value to move. All else is for `inst`, which would do the same for these;
//! nothing is changed here unless all of it succeeds.

use super::{Allocator, Value};
use crate::fixed::outlives_clobbers;
use crate::operand::{Constraint, Inst, Operand, Slot};
use crate::output::{Allocation, ProgPoint};
use crate::ranges::keeps_nothing_free;
use crate::registers::{PReg, RegUnits};
use crate::rows::Shape;
use crate::scan::{DEAD, LIVE_OUT, NO_REG, NONE};
use core::ops::Range;

/// The value that an instruction defines, and the units of its home.
#[derive(Clone, Copy)]
struct Defined {
    vreg: usize,
    units: RegUnits,
}

impl Allocator<'_> {
    /// Gives each of the operands of an instruction, those in `range`, its home, if that is where all of them can be, or
    /// a place beside it as the module says. False if not, or if something else has to move for it.
    #[inline(always)]
    pub(super) fn plain(&mut self, inst: Inst, range: Range<usize>, shape: Shape) -> bool {
        if shape.has(Shape::GENERAL) {
            return self.general_at_home(inst, range);
        }
        let (ops, places) = (&self.func.all_operands()[range.clone()], &mut self.out.allocs[range.clone()]);
        let (mut defined, mut strangers) = (None, false);
        for (&op, place) in ops.iter().zip(places) {
            let home = self.cx.homes[op.index()];
            if !self.tables.in_class(op.class(), home) {
                strangers = true;
                continue;
            }
            *place = Allocation::reg(PReg(home));
            if op.is_def() {
                defined = Some(Defined { vreg: op.index(), units: self.tables.units(PReg(home)) });
            }
        }
        if strangers {
            return self.with_strangers(inst, range, shape, defined);
        }
        if let Some(defined) = defined {
            if defined.units.intersects(self.strangers) {
                return false;
            }
            self.define(defined);
        }
        true
    }

    /// The value has been made in its home.
    #[inline(always)]
    fn define(&mut self, Defined { vreg, units }: Defined) {
        // What its slot holds is the value before.
        self.cx.values[vreg].stamp = NONE;
        self.out.used_regs.insert(units);
    }

    /// The same for an instruction of any shape. No home is in a register that the instruction needs otherwise: linear scan
    /// knows what fixed operands and clobbers reserve; where these reserve nothing, what lives on in them is not for this.
    #[inline(never)]
    fn general_at_home(&mut self, inst: Inst, range: Range<usize>) -> bool {
        let mut needed = self.func.clobbers(inst);
        if !needed.is_empty()
            && keeps_nothing_free(self.frequency)
            && self.displaces(inst, range.clone(), needed)
        {
            return false;
        }
        let (ops, places) = (&self.func.all_operands()[range.clone()], &mut self.out.allocs[range]);
        for (k, (&op, place)) in ops.iter().zip(places).enumerate() {
            let home = self.cx.homes[op.index()];
            let fits = match op.constraint() {
                Constraint::Any | Constraint::Reg => self.tables.in_class(op.class(), home),
                Constraint::Fixed(reg) => reg.0 == home,
                Constraint::Stack => false,
            };
            // The value before and the one that is made may have to be in two places.
            let is_other = |other: &Operand| other.vreg() != op.vreg();
            let fits = fits && !(op.is_def() && ops.len() > 1 && !others(ops, k).all(is_other));
            if !fits {
                return false;
            }
            *place = Allocation::reg(PReg(home));
            if op.is_def() {
                needed.insert(self.tables.units(PReg(home)));
            }
        }
        let goes = !needed.intersects(self.strangers);
        if goes {
            for op in ops.iter().filter(|op| op.is_def()) {
                let units = self.tables.units(PReg(self.cx.homes[op.index()]));
                self.define(Defined { vreg: op.index(), units });
            }
        }
        goes
    }

    /// Whether `inst`, which reserves nothing that it destroys, destroys the home of an operand or of what lives through it.
    fn displaces(&mut self, inst: Inst, range: Range<usize>, destroyed: RegUnits) -> bool {
        let is_destroyed = |op: &&Operand| {
            outlives_clobbers(**op)
                && self.tables.units(PReg(self.cx.homes[op.index()])).intersects(destroyed)
        };
        self.func.all_operands()[range].iter().any(|op| is_destroyed(&op))
            || self.holds_through(inst, destroyed)
    }

    /// Gives the operands of a plain instruction without a home of their class their places. `defined` goes home.
    #[inline(never)]
    fn with_strangers(
        &mut self,
        inst: Inst,
        range: Range<usize>,
        shape: Shape,
        defined: Option<Defined>,
    ) -> bool {
        let ops = &self.func.all_operands()[range.clone()];
        if shape.remat().is_some()
            && let [op] = ops
            && let value = &mut self.cx.values[op.index()]
            && value.home == NO_REG
            && !value.again.is_none()
        {
            // Made again where it is used.
            value.set_ahead(self.scan.aheads.operands[range.start]);
            return true;
        }
        self.point = ProgPoint::before(inst);
        let copies = shape.has(Shape::COPY);
        let (mut redefined, mut brought) = (NONE, None);
        let mut leaving = RegUnits::EMPTY;
        let mut loads = 0;
        for (k, &op) in range.clone().zip(ops) {
            if !self.out.allocs[k].is_none() {
                continue;
            }
            let v = op.vreg().as_u32();
            let ahead = self.scan.aheads.operands[k];
            let value = &mut self.cx.values[v as usize];
            value.set_ahead(ahead);
            let Value { reg, again, in_memory, slot, .. } = *value;
            if value.home != NO_REG {
                return false;
            }
            if op.is_use() && reg != NO_REG && self.tables.in_class(op.class(), reg) {
                self.out.allocs[k] = Allocation::reg(PReg(reg));
                if op.is_def() {
                    redefined = v;
                }
                if ahead.next == DEAD || ahead.next == LIVE_OUT && !op.is_def() && self.is_valid(v) {
                    leaving.insert(self.units(reg));
                }
                continue;
            }
            let is_last = ahead.next >= LIVE_OUT;
            if op.is_def() || reg != NO_REG || again.is_none() && slot == NONE {
                return false;
            } else if !op.is_reg() && (again.is_none() || in_memory) && (is_last || copies) {
                loads += u32::from(in_memory);
                let slot = || Allocation::slot(Slot::from_u32(slot));
                self.out.allocs[k] = if in_memory { again } else { slot() };
            } else if is_last && brought.is_none() {
                brought = Some((k, op));
            } else {
                return false;
            }
        }
        let kept = self.strangers.difference(leaving);
        if defined.is_some_and(|defined| defined.units.intersects(kept)) {
            return false;
        }
        if let Some((k, op)) = brought {
            self.sync();
            let fresh = self.file.callee_saved.difference(self.out.used_regs);
            let Some(reg) = self.tables.first_free(op.class(), self.occupied.union(fresh)) else {
                return false;
            };
            self.bring(k, op, reg);
        }
        self.out.stats.rematerialized += loads;
        while let Some(v) = self.take_owner(&mut leaving) {
            self.unbind(v);
        }
        if redefined != NONE {
            self.set_valid(redefined, false);
            let units = self.units_of(redefined);
            self.out.used_regs.insert(units);
        }
        defined.into_iter().for_each(|defined| self.define(defined));
        true
    }

    /// Brings the value of operand `k`, which no register holds, to `reg` for this instruction.
    fn bring(&mut self, k: usize, op: Operand, reg: PReg) {
        let (v, place) = (op.vreg().as_u32(), Allocation::reg(reg));
        let from = self.backing(v);
        let edit = self.edit(self.move_of(v, from, place));
        self.push_edit(edit);
        self.out.allocs[k] = place;
    }
}

/// The operands beside operand `k`.
fn others(ops: &[Operand], k: usize) -> impl Iterator<Item = &Operand> {
    ops[..k].iter().chain(&ops[k + 1..])
}
