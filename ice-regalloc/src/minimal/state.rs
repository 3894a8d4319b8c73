//! Bindings between virtual and physical registers, slots, edits and eviction.

use super::{Allocator, FreeSlots, UNITS};
use crate::context::SlotSharing;
use crate::operand::{Slot, VReg};
use crate::output::{Allocation, Edit, SlotInfo};
use crate::registers::{PReg, RegClass, RegUnits};
use crate::scan::{DEAD, LIVE_OUT, NO_REG, VALID, VRegState};
use alloc::vec::Vec;

impl Allocator<'_> {
    #[inline]
    pub(super) fn state(&mut self, v: u32) -> &mut VRegState {
        &mut self.vregs[v as usize]
    }

    /// Takes one bound virtual register out of the set `rest` of units.
    pub(super) fn take_owner(&self, rest: &mut RegUnits) -> Option<u32> {
        if rest.is_empty() {
            return None;
        }
        let v = self.cx.owner.0[rest.first() % UNITS];
        rest.remove(self.units_of(v));
        Some(v)
    }

    #[inline(always)]
    pub(super) fn units(&self, reg: PReg) -> RegUnits {
        self.tables.units(reg)
    }

    /// Units of the register that `v` is bound to.
    #[inline]
    fn units_of(&self, v: u32) -> RegUnits {
        self.units(PReg(self.vregs[v as usize].reg))
    }

    #[inline]
    pub(super) fn bind(&mut self, v: u32, reg: PReg) {
        let units = self.units(reg);
        self.overwrite(units);
        self.occupied.insert(units);
        self.state(v).reg = reg.0;
        self.cx.owner.set(units, v);
    }

    #[inline]
    pub(super) fn unbind(&mut self, v: u32) {
        let state = &mut self.vregs[v as usize];
        if state.reg != NO_REG {
            self.occupied.remove(self.tables.units(PReg(state.reg)));
            state.reg = NO_REG;
        }
    }

    /// Takes `v` out of its register, which is free then; remembers that it still is there, where its slot holds the
    /// same and that may be of use.
    #[inline(always)]
    pub(super) fn leave_register(&mut self, v: u32) {
        let state = &mut self.vregs[v as usize];
        if state.reg != NO_REG {
            let units = self.tables.units(PReg(state.reg));
            self.occupied.remove(units);
            if self.continues && state.is_cross() && state.is_valid() {
                self.remembered.insert(units);
            } else {
                state.reg = NO_REG;
            }
        }
    }

    /// Something else is written to `units`: nothing is remembered to be there.
    #[inline(always)]
    pub(super) fn overwrite(&mut self, units: RegUnits) {
        if self.remembered.intersects(units) {
            self.forget(units);
        }
    }

    #[inline(never)]
    fn forget(&mut self, units: RegUnits) {
        let mut rest = self.remembered.intersection(units);
        self.remembered.remove(units);
        while !rest.is_empty() {
            let unit = rest.first();
            rest = rest.rest();
            let v = self.cx.owner.0[unit % UNITS];
            let reg = self.vregs[v as usize].reg;
            // It may be elsewhere by now, or in several units of which one was overwritten before.
            if reg != NO_REG && self.units(PReg(reg)).contains(RegUnits::of(unit as u8)) {
                self.vregs[v as usize].reg = NO_REG;
            }
        }
    }

    /// Binds `v` again to the register that it is remembered to be in, if it is.
    #[inline(always)]
    pub(super) fn recall(&mut self, v: u32) {
        let reg = self.vregs[v as usize].reg;
        if reg != NO_REG {
            let units = self.units(PReg(reg));
            self.remembered.remove(units);
            self.occupied.insert(units);
        }
    }

    /// Forgets where `v` is remembered to be: it gets another value.
    pub(super) fn disown(&mut self, v: u32) {
        let reg = self.vregs[v as usize].reg;
        if reg != NO_REG && !self.units(PReg(reg)).intersects(self.occupied) {
            self.vregs[v as usize].reg = NO_REG;
        }
    }

    /// Bytes and alignment of a slot for `v`.
    pub(super) fn size_of(&self, v: u32) -> (u32, u32) {
        self.func.slot_of(self.file, VReg::from_u32(v))
    }

    pub(super) fn emit(&mut self, from: Allocation, to: Allocation, v: u32) {
        self.push_edit(self.edit(from, to, v));
    }

    /// A copy of the value of `v` at the present point.
    #[inline]
    pub(super) fn edit(&self, from: Allocation, to: Allocation, v: u32) -> Edit {
        let class = RegClass(self.vregs[v as usize].class);
        Edit { point: self.point, from, to, class, size: self.size_of(v).0 }
    }

    #[inline(always)]
    pub(super) fn push_edit(&mut self, edit: Edit) {
        self.out.stats.count(&edit);
        if let Some(reg) = edit.to.as_reg() {
            let units = self.units(reg);
            self.used_regs.insert(units);
            self.overwrite(units);
        }
        self.out.edits.push(edit);
    }

    /// A slot of its own for one more value like `v`.
    pub(super) fn new_slot(&mut self, v: u32) -> Slot {
        let (size, align) = self.size_of(v);
        let fits = |f: &&mut FreeSlots| f.size == size && f.align == align;
        if let Some(free) = self.cx.free_slots.iter_mut().find(fits)
            && let Some(slot) = free.slots.pop()
        {
            return slot;
        }
        self.fresh_slot(size, align)
    }

    pub(super) fn fresh_slot(&mut self, size: u32, align: u32) -> Slot {
        let slot = Slot::from_u32(self.out.slots.len() as u32);
        self.out.slots.push(SlotInfo { size, align });
        slot
    }

    /// The home of `v`.
    #[inline]
    pub(super) fn home(&mut self, v: u32) -> Allocation {
        let home = self.state(v).home;
        if home.is_none() { self.first_home(v) } else { home }
    }

    #[inline(never)]
    fn first_home(&mut self, v: u32) -> Allocation {
        // A block may run again, so even an earlier use of a slot would overwrite the home
        // of a crossing value: only values of one block share slots.
        let slot = if self.state(v).is_cross() {
            let (size, align) = self.size_of(v);
            self.fresh_slot(size, align)
        } else {
            self.new_slot(v)
        };
        self.state(v).home = Allocation::slot(slot);
        Allocation::slot(slot)
    }

    /// Gives slots back that nothing reads any more.
    #[inline]
    pub(super) fn free_dying_slots(&mut self) {
        if !self.cx.dying_slots.is_empty() {
            self.free_slots();
        }
    }

    #[inline(never)]
    fn free_slots(&mut self) {
        if self.options.slots == SlotSharing::Distinct {
            return self.cx.dying_slots.clear();
        }
        while let Some(slot) = self.cx.dying_slots.pop() {
            let SlotInfo { size, align } = self.out.slots[slot.as_u32() as usize];
            let free = &mut self.cx.free_slots;
            let list = match free.iter().position(|f| f.size == size && f.align == align) {
                Some(list) => list,
                None => {
                    let slots = Vec::new();
                    free.push(FreeSlots { size, align, slots });
                    free.len() - 1
                }
            };
            free[list].slots.push(slot);
        }
    }

    /// `v` has no further use: its register and, unless it crosses blocks, its slot are free.
    #[inline(always)]
    pub(super) fn kill(&mut self, v: u32) {
        let state = &mut self.vregs[v as usize];
        if state.reg != NO_REG {
            self.occupied.remove(self.tables.units(PReg(state.reg)));
            state.reg = NO_REG;
        }
        if !state.is_cross() {
            state.flags &= !VALID;
            if let Some(slot) = state.home.as_slot() {
                state.home = Allocation::NONE;
                self.cx.dying_slots.push(slot);
            }
        }
    }

    /// After an instruction: takes `v` out of its register if nothing needs it there any more.
    #[inline(always)]
    pub(super) fn end_life(&mut self, v: u32) {
        let state = &self.vregs[v as usize];
        if state.next == DEAD {
            self.kill(v);
        } else if state.next == LIVE_OUT && (self.exits || state.is_valid()) {
            self.leave_register(v);
        }
    }

    /// Where the value of `v` is: its register or else its slot.
    pub(super) fn place(&mut self, v: u32) -> Allocation {
        match self.state(v).reg {
            NO_REG => self.home(v),
            reg => Allocation::reg(PReg(reg)),
        }
    }

    /// Makes the home of `v` have its value.
    pub(super) fn store(&mut self, v: u32) {
        let state = self.state(v);
        if state.reg != NO_REG && !state.is_valid() {
            let from = Allocation::reg(PReg(state.reg));
            state.flags |= VALID;
            let home = self.home(v);
            self.emit(from, home, v);
        }
    }

    /// Whether the present value of `v` is still to be read, here or later. While the operands of
    /// an instruction get places, `next` is already that of the value after it.
    pub(super) fn is_needed(&self, v: u32) -> bool {
        let state = &self.vregs[v as usize];
        state.pending > 0 || self.is_live(state.next) && state.def_inst != self.point.inst().as_u32()
    }

    /// Takes `v` out of its register, into its slot if it is needed.
    pub(super) fn evict(&mut self, v: u32) {
        if self.is_needed(v) {
            self.out.stats.evictions += 1;
            self.store(v);
        }
        self.unbind(v);
    }

    /// Takes everything out of `units`.
    pub(super) fn evict_units(&mut self, units: RegUnits) {
        let mut rest = self.occupied.intersection(units);
        while let Some(v) = self.take_owner(&mut rest) {
            self.evict(v);
        }
    }

    /// A free register of `class` outside `avoid` for `v`: the hint, or one that survives the next
    /// clobber if the value has to, or the first, but rather one that holds nothing that is remembered.
    #[inline(always)]
    pub(super) fn pick_free(&self, class: RegClass, avoid: RegUnits, v: u32, hint: u8) -> Option<PReg> {
        let busy = avoid.union(self.occupied);
        let state = &self.vregs[v as usize];
        if hint & state.hint != NO_REG || state.last > self.next_clobber {
            return self.pick_wanted(class, busy, v, hint);
        }
        let reg = self.tables.first_free(class, busy)?;
        if self.units(reg).intersects(self.remembered) {
            return Some(self.pick_beside(class, busy, reg));
        }
        Some(reg)
    }

    /// A register of `class` that is not `busy` and holds nothing, if the function need not save one more for that;
    /// else `reg`.
    #[inline(never)]
    fn pick_beside(&self, class: RegClass, busy: RegUnits, reg: PReg) -> PReg {
        let fresh = self.callee_saved.difference(self.used_regs);
        self.tables.first_free(class, busy.union(self.remembered).union(fresh)).unwrap_or(reg)
    }

    /// A register of `class` that is not `busy`, for a value that some registers are better for than others.
    #[inline(never)]
    fn pick_wanted(&self, class: RegClass, busy: RegUnits, v: u32, hint: u8) -> Option<PReg> {
        let tables = self.tables;
        let state = &self.vregs[v as usize];
        let lasting = state.next < LIVE_OUT && state.last > self.next_clobber;
        let bad = if lasting { busy.union(self.clobber_units) } else { busy };
        for hint in [hint, state.hint] {
            if hint != NO_REG && !self.units(PReg(hint)).intersects(bad) && tables.in_class(class, hint) {
                return Some(PReg(hint));
            }
        }
        match tables.first_free(class, bad) {
            None if lasting => tables.first_free(class, busy),
            reg => reg,
        }
    }

    /// A register of `class` outside `avoid`, free now: the value used furthest away is evicted
    /// if there is no other.
    #[inline]
    pub(super) fn pick(&mut self, class: RegClass, avoid: RegUnits, v: u32, hint: u8) -> Option<PReg> {
        match self.pick_free(class, avoid, v, hint) {
            None => self.pick_occupied(class, avoid),
            reg => reg,
        }
    }

    /// A register of `class` outside `avoid`, after the eviction of what is in it.
    #[inline(never)]
    fn pick_occupied(&mut self, class: RegClass, avoid: RegUnits) -> Option<PReg> {
        let mut best = None;
        let mut best_score = 0;
        for &reg in self.tables.order(class) {
            let units = self.units(reg);
            if units.intersects(avoid.union(self.reserved)) {
                continue;
            }
            let mut nearest = DEAD;
            let mut clean = 1;
            let mut rest = units.intersection(self.occupied);
            while let Some(other) = self.take_owner(&mut rest) {
                let state = &self.vregs[other as usize];
                let next = if state.pending > 0 { 0 } else { state.next };
                nearest = nearest.min(next);
                clean &= u64::from(state.is_valid());
            }
            // The distance decides, then whether a store is saved. One is added because any
            // register is better than none.
            let score = (u64::from(nearest) << 1 | clean) + 1;
            if score > best_score {
                (best, best_score) = (Some(reg), score);
            }
        }
        let reg = best?;
        self.evict_units(self.units(reg));
        Some(reg)
    }
}
