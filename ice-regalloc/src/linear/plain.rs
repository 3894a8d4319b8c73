//! The short path for plain instructions whose values are where they are wanted.
//!
//! A plain instruction has Early Uses and at most one Late Def or UseDef, all of them Any or Reg, and
//! no clobbers. If every use finds its value in a register of its class, or may read the slot, and the
//! definition goes to its home, there is nothing to choose and nothing to move. One use may lack a register, if it is
//! the last one in the block and a register is free: the value is brought there. `inst` does the same
//! for these, and everything for the others; nothing is changed here unless all of it succeeds.

use super::inst::Work;
use super::{Allocator, SENTINEL};
use crate::operand::{Operand, Slot};
use crate::output::Allocation;
use crate::registers::{PReg, RegUnits};
use crate::scan::{DEAD, LIVE_OUT, NO_REG, NONE};

impl Allocator<'_> {
    /// Allocates a plain instruction; false if that takes the general path.
    pub(super) fn plain(&mut self, work: Work) -> bool {
        if self.try_plain(work) {
            return true;
        }
        self.out.allocs[work.base..][..work.ops.len()].fill(Allocation::NONE);
        false
    }

    #[inline]
    fn try_plain(&mut self, work: Work) -> bool {
        let mut def = None;
        let mut dies = false;
        let mut homes = 0;
        let mut brought = None;
        let aheads = &self.scan.aheads.operands[work.base..work.base + work.ops.len()];
        let allocs = &mut self.out.allocs[work.base..][..work.ops.len()];
        let tables = self.tables;
        for (k, ((&op, ahead), alloc)) in work.ops.iter().zip(aheads).zip(allocs).enumerate() {
            let value = &mut self.cx.values[op.index()];
            value.set_ahead(*ahead);
            if op.is_def() {
                def = Some((k, op));
                if value.stored {
                    return false;
                }
                if !op.is_use() {
                    if value.home == NO_REG && !value.again.is_none() {
                        // Made again where it is used. It is the only operand.
                        self.unbind(op.vreg().as_u32());
                        return true;
                    }
                    if value.home == NO_REG || ahead.next == DEAD || !tables.in_class(op.class(), value.home)
                    {
                        return false;
                    }
                    continue;
                }
                if value.home != NO_REG && value.home != value.reg {
                    return false;
                }
            }
            let (reg, next) = (value.reg, ahead.next);
            let homeless = value.home == NO_REG;
            if reg != NO_REG && tables.in_class(op.class(), reg) {
                dies |= next == DEAD || homeless && next == LIVE_OUT;
                *alloc = Allocation::reg(PReg(reg));
            } else if reg == NO_REG
                && homeless
                && (value.slot != NONE || value.in_memory)
                && !op.is_reg()
                && !op.is_def()
                && (next >= LIVE_OUT || work.copies)
            {
                *alloc = if value.in_memory {
                    homes += 1;
                    value.again
                } else {
                    Allocation::slot(Slot::from_u32(value.slot))
                };
            } else if reg == NO_REG
                && homeless
                && next >= LIVE_OUT
                && !op.is_def()
                && brought.is_none()
                && (op.is_reg() || !value.again.is_none())
                && (value.slot != NONE || !value.again.is_none())
            {
                brought = Some((k, op));
            } else {
                return false;
            };
        }
        if let Some((_, op)) = def
            && !op.is_use()
            && !self.is_free_behind(op.vreg().as_u32())
        {
            return false;
        }
        if let Some((k, op)) = brought {
            let defined = def.map_or(NONE, |(_, def)| def.vreg().as_u32());
            let Some(reg) = self.free_for(work, op, defined) else { return false };
            self.bring(work, k, op, reg);
        }
        if dies {
            for op in work.ops {
                let v = op.vreg().as_u32();
                let value = &self.cx.values[v as usize];
                let defined = def.is_some_and(|(_, def)| def.vreg() == op.vreg());
                let gone = value.next == LIVE_OUT && value.home == NO_REG && !defined && self.is_valid(v);
                if value.reg != NO_REG && (value.next == DEAD || gone) {
                    self.unbind(v);
                }
            }
        }
        self.out.stats.rematerialized += homes;
        if let Some((k, op)) = def {
            let v = op.vreg().as_u32();
            self.set_valid(v, false);
            let reg = if op.is_use() {
                self.out.allocs[work.base + k].as_reg().map_or(NO_REG, |reg| reg.0)
            } else {
                let home = self.cx.values[v as usize].home;
                self.unbind(v);
                self.bind(v, home);
                self.out.allocs[work.base + k] = Allocation::reg(PReg(home));
                home
            };
            let units = self.units(reg);
            self.out.used_regs.insert(units);
        }
        true
    }

    /// The register that [`pick`](Self::pick) finds for a use of what is used no more: the first one without a value.
    /// The instruction defines `defined`, whose register may be shared. None if it takes a closer look.
    fn free_for(&self, work: Work, op: Operand, defined: u32) -> Option<PReg> {
        let mut pinned = RegUnits::EMPTY;
        for place in &self.out.allocs[work.base..][..work.ops.len()] {
            if let Some(reg) = place.as_reg() {
                pinned.insert(self.tables.units(reg));
            }
        }
        let fresh = self.file.callee_saved.difference(self.out.used_regs);
        let avoid = pinned.union(fresh);
        for &reg in self.tables.class(op.class()).order {
            let units = self.tables.units(reg);
            if units.intersects(avoid) {
                continue;
            }
            let mut rest = self.occupied.intersection(units);
            let mut is_free = true;
            while let Some(owner) = self.take_owner(&mut rest) {
                if owner != defined {
                    is_free = false;
                    if owner != SENTINEL && self.cx.values[owner as usize].next == DEAD {
                        return None;
                    }
                }
            }
            if is_free {
                return Some(reg);
            }
        }
        None
    }

    /// Brings the value of operand `k`, which no register holds, to `reg` for this instruction.
    fn bring(&mut self, work: Work, k: usize, op: Operand, reg: PReg) {
        let (v, place) = (op.vreg().as_u32(), Allocation::reg(reg));
        let from = self.backing(v);
        let edit = self.edit(self.move_of(v, from, place));
        self.push_edit(edit);
        self.out.allocs[work.base + k] = place;
    }

    /// Whether the home of `v` is free for its definition once the uses are read.
    #[inline]
    fn is_free_behind(&self, v: u32) -> bool {
        let mut rest = self.occupied.intersection(self.units(self.cx.values[v as usize].home));
        while let Some(owner) = self.take_owner(&mut rest) {
            if owner == SENTINEL || owner != v && self.cx.values[owner as usize].next != DEAD {
                return false;
            }
        }
        true
    }
}
