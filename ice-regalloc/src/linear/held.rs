//! Which value each register unit holds in the walk.
//!
//! Problem: most instructions find every operand in the register of its interval, its home. To write down there
//! what each of them begins and ends would cost more than the allocation itself, and is asked only where
//! a register is looked for.
//!
//! Method: what intervals hold is known beforehand, as segments sorted for each unit. It is brought up to date when an
//! instruction asks ([`Allocator::sync`]), from the units whose segment is over or has begun since. Only what linear
//! scan did not foresee is written down as it happens, in `strangers`: values without a home in whatever register
//! they are, values in a register for a part of their life, units seized until the end of a block.
//!
//! Invariants: `owner`, `occupied` and `Value::reg` agree after `sync`, and until the next instruction is reached. A
//! stranger is put away before the interval that holds its register begins, so the two never meet. Between two
//! instructions a value with a home that is live is there.
//!
//! Cost: a few machine instructions for each unit in use, and for each segment that is passed.

use super::{Allocator, SENTINEL};
use crate::operand::{Block, Inst};
use crate::registers::{PReg, RegUnits};
use crate::scan::{LIVE_OUT, NO_REG, NONE};

/// Which interval, or none, holds a unit at a position: where that is before `until`, it is still true.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hold {
    vreg: u32,
    until: u32,
    unit: u8,
}

impl Hold {
    /// Nothing is known of this unit.
    pub fn unknown(unit: u8) -> Hold {
        Hold { vreg: NONE, until: 0, unit }
    }
}

impl Allocator<'_> {
    /// Brings up to date what intervals hold in front of the instruction at work.
    pub(super) fn sync(&mut self) {
        self.sync_at(4 * self.point.inst().as_u32());
    }

    /// Brings up to date what intervals hold at the end of `block`, in front of the copies to parameters, which begin where
    /// its first terminator does.
    pub(super) fn sync_before_copies(&mut self, block: Block, terminator: u32) {
        let first = self.func.block_insts(block).start.as_u32();
        self.sync_at(if first < terminator { 4 * terminator - 1 } else { 4 * terminator });
    }

    fn sync_at(&mut self, position: u32) {
        let mut n = 0;
        while let Some(next) = self.cx.holds[n..].iter().position(|hold| hold.until <= position) {
            self.refresh(n + next, position);
            n += next + 1;
        }
    }

    /// Whether an interval holds one of `units` in front of `inst` and behind it.
    pub(super) fn holds_through(&mut self, inst: Inst, units: RegUnits) -> bool {
        let position = 4 * inst.as_u32();
        self.sync_at(position);
        let lives_on = |hold: &Hold| hold.vreg != NONE && hold.until > position + 1;
        self.cx.holds.iter().any(|hold| lives_on(hold) && units.contains(RegUnits::of(hold.unit)))
    }

    /// Notes which interval holds the unit of `holds[n]` at `position`.
    fn refresh(&mut self, n: usize, position: u32) {
        let unit = self.cx.holds[n].unit;
        let (units, unit) = (RegUnits::of(unit), usize::from(unit));
        let (busy, cursor) = (&self.assign.busy[unit], &mut self.cx.cursors[unit]);
        while busy.get(*cursor as usize).is_some_and(|s| s.from <= position) {
            *cursor += 1;
        }
        let hold = &mut self.cx.holds[n];
        (hold.vreg, hold.until) = (NONE, busy.get(*cursor as usize).map_or(u32::MAX, |s| s.from));
        // A parameter that is not read ends with the next position.
        if let Some(k) = cursor.checked_sub(1)
            && let Some(held) = busy.get(k as usize)
            && held.to > position + 1
        {
            (hold.vreg, hold.until) = (held.vreg, hold.until.min(held.to - 1));
        }
        let hold = *hold;
        if self.strangers.intersects(units) {
            return;
        }
        let owner = self.cx.owner[unit];
        if self.occupied.intersects(units) && owner != hold.vreg {
            self.occupied.remove(units);
            self.value(owner).reg = NO_REG;
        }
        // Else nothing holds it, or it has lost its register in an earlier walk.
        if let Some(value) = self.cx.values.get_mut(hold.vreg as usize)
            && value.home != NO_REG
        {
            // Nothing is known of the next use until the value is met; it is not dead.
            value.next = LIVE_OUT;
            value.reg = value.home;
            self.cx.owner[unit] = hold.vreg;
            self.occupied.insert(units);
        }
    }

    /// What is known of these units is to be looked up again.
    pub(super) fn forget_holds(&mut self, units: RegUnits) {
        for hold in self.cx.holds.iter_mut().filter(|hold| units.contains(RegUnits::of(hold.unit))) {
            hold.until = 0;
        }
    }

    /// Takes one owner out of the set `rest` of units.
    pub(super) fn take_owner(&self, rest: &mut RegUnits) -> Option<u32> {
        if rest.is_empty() {
            return None;
        }
        let unit = rest.first() as u8;
        let v = self.cx.owner[usize::from(unit)];
        rest.remove(if v == SENTINEL { RegUnits::of(unit) } else { self.units_of(v) });
        Some(v)
    }

    /// Units of the register that holds `v`, if any.
    pub(super) fn units_of(&self, v: u32) -> RegUnits {
        self.units(self.cx.values[v as usize].reg)
    }

    pub(super) fn units(&self, reg: u8) -> RegUnits {
        // No register has the number `NO_REG`, and the table has no units for it.
        self.tables.units(PReg(reg))
    }

    /// Notes that `reg` holds `v`, and no longer what it held.
    pub(super) fn bind(&mut self, v: u32, reg: u8) {
        let units = self.units(reg);
        // Most registers are one unit.
        let mut rest = units;
        while !rest.is_empty() {
            let unit = rest.first() as u8;
            let before = self.cx.owner[usize::from(unit)];
            if before != v && self.holds(before, unit) {
                self.unbind(before);
            }
            self.cx.owner[usize::from(unit)] = v;
            rest = rest.rest();
        }
        self.occupied.insert(units);
        if self.cx.homes[v as usize] == reg {
            self.strangers.remove(units);
        } else {
            self.strangers.insert(units);
        }
        self.value(v).reg = reg;
    }

    /// Whether a unit is of the register that `v` is said to be in.
    #[inline]
    fn holds(&self, v: u32, unit: u8) -> bool {
        let value = self.cx.values.get(v as usize);
        value.is_some_and(|value| self.units(value.reg).contains(RegUnits::of(unit)))
    }

    /// Notes that no register holds `v`.
    pub(super) fn unbind(&mut self, v: u32) {
        if self.cx.values[v as usize].reg == NO_REG {
            return;
        }
        let units = self.units_of(v);
        // Another value may have been put there already.
        let mut rest = units;
        while !rest.is_empty() {
            let unit = rest.first();
            if self.cx.owner[unit] == v {
                self.occupied.remove(RegUnits::of(unit as u8));
                self.strangers.remove(RegUnits::of(unit as u8));
            }
            rest = rest.rest();
        }
        self.value(v).reg = NO_REG;
    }

    /// Keeps `units` from everything until the block ends.
    pub(super) fn seize(&mut self, units: RegUnits) {
        let mut rest = self.occupied.intersection(units);
        while let Some(v) = self.take_owner(&mut rest) {
            if v != SENTINEL {
                self.unbind(v);
            }
        }
        units.iter().for_each(|u| self.cx.owner[usize::from(u)] = SENTINEL);
        self.occupied.insert(units);
        self.strangers.insert(units);
    }

    /// Forgets what is in registers against the intervals.
    pub(super) fn release_strangers(&mut self) {
        let mut rest = self.strangers;
        while let Some(v) = self.take_owner(&mut rest) {
            match v {
                // What the interval holds there was not written down.
                SENTINEL => self.cx.holds.iter_mut().for_each(|hold| hold.until = 0),
                _ => self.value(v).reg = NO_REG,
            }
        }
        self.occupied.remove(self.strangers);
        self.strangers = RegUnits::EMPTY;
    }
}
