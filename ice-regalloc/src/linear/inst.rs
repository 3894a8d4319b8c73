//! Places for the operands of one instruction.
//!
//! The places are chosen first, on sets of units alone; then all moves before the instruction
//! happen at once, and all moves behind it. So no order of operands can hurt another one.
//!
//! Sets: `early` and `late` are units given, at the start and at the end of the instruction, to
//! operands whose value comes from elsewhere or is made here; `stay_early` and `stay_late` those
//! given to uses in the register that holds their value anyway (two uses of one value may share
//! it); `claim` are the home registers of what is defined here, which must be free behind the
//! instruction even if the definition happens in another place.
//!
//! Order: fixed operands; definitions in their home register; uses that need a register, first
//! those that stay, then those that move; definitions that need one; slots; operands that may be
//! anywhere. If this fails, the careful attempt starts with the operands that have the fewest registers to choose from.
//! Values that live on in a register that the instruction needs or destroys are displaced: to a
//! free register, or to their slot. One with a home comes back behind the instruction.

use super::pick::{Effort, Need};
use super::{Allocator, SENTINEL};
use crate::error::Error;
use crate::fixed::{can_be_fixed, is_early, is_late, is_overwritten_unread, outlives_clobbers};
use crate::keys::{self, lowest_first};
use crate::operand::{Constraint, Inst, Operand, OperandKind, OperandPos};
use crate::output::{Allocation, ProgPoint};

use crate::registers::{PReg, RegClass, RegUnits};
use crate::scan::{DEAD, LIVE_OUT, NO_REG};

/// Units spoken for in the present instruction; see the module.
#[derive(Clone, Copy, Default)]
pub(super) struct Pins {
    pub early: RegUnits,
    pub late: RegUnits,
    pub stay_early: RegUnits,
    pub stay_late: RegUnits,
    pub clobbers: RegUnits,
    pub claim: RegUnits,
    careful: bool,
}

/// The instruction at work: its operands and the index of their first allocation.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub inst: Inst,
    pub ops: &'a [Operand],
    pub base: usize,
    pub copies: bool,
    pub terminates: bool,
}

impl<'a> Work<'a> {
    pub fn vregs(self) -> impl Iterator<Item = (usize, Operand, u32)> + use<'a> {
        self.ops.iter().enumerate().map(|(k, &op)| (k, op, op.vreg().as_u32()))
    }
}

impl<'a> Allocator<'a> {
    /// Allocates the instruction of `work`.
    pub(super) fn inst(&mut self, work: Work<'a>) -> Result<(), Error> {
        let Work { inst, base, .. } = work;
        self.sync();
        self.pins = Pins { clobbers: self.func.clobbers(inst), ..Pins::default() };
        let (mut defines, mut one_place) = (false, false);
        for (k, op, v) in work.vregs() {
            let ahead = self.aheads(base, work.ops.len())[k];
            let value = self.value(v);
            value.set_ahead(ahead);
            value.pending += u32::from(op.is_use());
            value.copy = NO_REG;
            one_place |= op.has_one_place();
            if op.is_def() {
                value.def_inst = inst.as_u32();
                defines = true;
                if value.home != NO_REG && value.next != DEAD {
                    let home = self.units(self.cx.values[v as usize].home);
                    self.pins.claim.insert(home);
                }
            }
        }
        if one_place {
            self.fixed(work)?;
        }
        let (pins, moves) = (self.pins, self.cx.moves.len());
        if self.constrained(work).is_err() {
            self.pins = Pins { careful: true, ..pins };
            self.cx.moves.truncate(moves);
            self.careful(work)?;
        }
        if one_place {
            self.stack_uses(work);
        }
        self.any_uses(work);
        if defines {
            self.loose_defs(work);
        }
        self.displace(work);
        self.shuffle()?;
        self.settle(work);
        core::mem::swap(&mut self.cx.moves, &mut self.cx.after);
        self.point = ProgPoint::after(inst);
        self.shuffle()
    }

    fn unsatisfiable(work: Work, operand: usize) -> Error {
        Error::Unsatisfiable { inst: work.inst, operand }
    }

    fn give(&mut self, work: Work, k: usize, place: Allocation) {
        self.out.allocs[work.base + k] = place;
        if work.ops[k].is_use() {
            self.value(work.ops[k].vreg().as_u32()).pending -= 1;
        }
    }

    fn is_placed(&self, work: Work, k: usize) -> bool {
        !self.out.allocs[work.base + k].is_none()
    }

    /// Gives the use `k` the register that holds its value already.
    fn stay(&mut self, work: Work, k: usize, reg: u8) {
        let op = work.ops[k];
        let units = self.units(reg);
        self.pins.stay_early.insert(units);
        if op.is_def() {
            self.pins.late.insert(units);
        } else if is_late(op) {
            self.pins.stay_late.insert(units);
        }
        self.give(work, k, Allocation::reg(PReg(reg)));
    }

    /// Gives operand `k` a register; a use gets its value moved there.
    fn enter(&mut self, work: Work, k: usize, reg: u8) {
        let op = work.ops[k];
        let v = op.vreg().as_u32();
        let place = Allocation::reg(PReg(reg));
        let units = self.units(reg);
        if is_early(op) {
            self.pins.early.insert(units);
        }
        if is_late(op) {
            self.pins.late.insert(units);
        }
        if op.is_use() && !self.cx.moves.iter().any(|m| m.to == place) {
            let from = self.location(v);
            let copy = self.move_of(v, from, place);
            self.cx.moves.push(copy);
        }
        if op.kind() == OperandKind::Use {
            self.value(v).copy = reg;
        }
        self.give(work, k, place);
    }

    /// Places all fixed operands.
    fn fixed(&mut self, work: Work) -> Result<(), Error> {
        for (k, op, v) in work.vregs() {
            let Constraint::Fixed(reg) = op.constraint() else { continue };
            let units = self.file.units(reg);
            let p = &self.pins;
            let taken = is_early(op) && units.intersects(p.early.union(p.stay_early))
                || is_late(op) && units.intersects(p.late.union(p.stay_late));
            if (taken || !p.clobbers.is_empty()) && !can_be_fixed(work.ops, k, reg, p.clobbers, self.tables) {
                return Err(Self::unsatisfiable(work, k));
            }
            if op.is_use() && self.value(v).reg == reg.0 {
                self.stay(work, k, reg.0);
            } else {
                self.enter(work, k, reg.0);
            }
        }
        Ok(())
    }

    /// The register that the use can stay in.
    fn in_place(&mut self, op: Operand) -> Option<u8> {
        let value = *self.value(op.vreg().as_u32());
        if value.reg == NO_REG || !self.tables.in_class(op.class(), value.reg) {
            return None;
        }
        let units = self.units(value.reg);
        let p = &self.pins;
        let claimed = value.home != value.reg && units.intersects(p.claim);
        let ok = !units.intersects(p.early)
            && match (op.kind(), op.pos()) {
                (OperandKind::Use, OperandPos::Early) => true,
                (OperandKind::Use, OperandPos::Late) => {
                    !units.intersects(p.late.union(p.clobbers)) && !claimed
                }
                _ => !units.intersects(p.late.union(p.stay_late)) && !claimed,
            };
        ok.then_some(value.reg)
    }

    /// Units that a new register for the operand must not have.
    fn avoid(&self, op: Operand) -> RegUnits {
        let p = &self.pins;
        let mut avoid = RegUnits::EMPTY;
        if is_early(op) {
            avoid.insert(p.early.union(p.stay_early));
        }
        if is_late(op) {
            avoid.insert(p.late.union(p.stay_late));
            if outlives_clobbers(op) {
                avoid.insert(p.clobbers);
            }
            if !p.careful {
                avoid.insert(p.claim);
            }
        }
        avoid
    }

    fn need(op: Operand) -> Need {
        if is_early(op) { Need::Early } else { Need::Late }
    }

    /// Puts operand `k` into a register of its class whatever it costs.
    fn acquire(&mut self, work: Work, k: usize) -> Result<(), Error> {
        let op = work.ops[k];
        let v = op.vreg().as_u32();
        if !op.is_use() {
            if let Some(home) = self.home_for(op) {
                self.enter(work, k, home);
                return Ok(());
            }
        } else if let Some(reg) = self.shared_copy(op) {
            self.give(work, k, Allocation::reg(PReg(reg)));
            return Ok(());
        }
        let hint = if op.is_use() { NO_REG } else { self.move_source(work) };
        let avoid = self.avoid(op);
        if op.kind() == OperandKind::Use && !self.pins.careful {
            // Where it can stay, if there is such a register.
            let lasting = avoid.union(self.pins.clobbers);
            if let Some(reg) = self.pick(op.class(), v, lasting, Self::need(op), Effort::Evict, hint) {
                self.enter(work, k, reg);
                return Ok(());
            }
        }
        let reg = self
            .pick(op.class(), v, avoid, Self::need(op), Effort::Force, hint)
            .ok_or(Self::unsatisfiable(work, k))?;
        self.enter(work, k, reg);
        Ok(())
    }

    /// The home register of a definition, if it is fit for it.
    fn home_for(&mut self, op: Operand) -> Option<u8> {
        let home = self.value(op.vreg().as_u32()).home;
        if home == NO_REG || !self.tables.in_class(op.class(), home) {
            return None;
        }
        let units = self.units(home);
        let p = self.pins;
        let late = units.intersects(p.late.union(p.stay_late));
        let early = is_early(op) && units.intersects(p.early.union(p.stay_early).union(p.clobbers));
        (!late && !early).then_some(home)
    }

    /// A register that already gets a copy of the value for another early use.
    fn shared_copy(&mut self, op: Operand) -> Option<u8> {
        let copy = self.value(op.vreg().as_u32()).copy;
        let early = op.kind() == OperandKind::Use && op.pos() == OperandPos::Early;
        (copy != NO_REG && early && self.tables.in_class(op.class(), copy)).then_some(copy)
    }

    /// Places the operands that need a register.
    fn constrained(&mut self, work: Work) -> Result<(), Error> {
        let mut missing = false;
        for (k, op, _) in work.vregs() {
            let home = !op.is_use() && matches!(op.constraint(), Constraint::Reg | Constraint::Any);
            if home && let Some(home) = self.home_for(op) {
                self.enter(work, k, home);
            }
        }
        for (k, op, _) in work.vregs() {
            if op.constraint() == Constraint::Reg && !self.is_placed(work, k) {
                match if op.is_use() { self.in_place(op) } else { None } {
                    Some(reg) => self.stay(work, k, reg),
                    None => missing = true,
                }
            }
        }
        if !missing {
            return Ok(());
        }
        for uses in [true, false] {
            for (k, op, _) in work.vregs() {
                if op.constraint() == Constraint::Reg && op.is_use() == uses && !self.is_placed(work, k) {
                    self.acquire(work, k)?;
                }
            }
        }
        Ok(())
    }

    /// Starts again after the fixed operands, the fewest registers to choose from first.
    fn careful(&mut self, work: Work) -> Result<(), Error> {
        self.cx.by_class.clear();
        for (k, op, v) in work.vregs() {
            self.value(v).copy = NO_REG;
            if matches!(op.constraint(), Constraint::Fixed(_)) {
                continue;
            }
            let placed = self.is_placed(work, k);
            self.out.allocs[work.base + k] = Allocation::NONE;
            if op.is_use() && placed {
                self.value(v).pending += 1;
            }
            if op.constraint() == Constraint::Reg {
                self.cx.by_class.push(lowest_first(0, k as u32));
            }
        }
        let mut by_class = core::mem::take(&mut self.cx.by_class);
        if by_class.len() > 1 {
            for key in &mut by_class {
                let k = keys::number(*key);
                let op = work.ops[k as usize];
                *key = lowest_first(self.tables.room(op.class(), self.avoid(op)) as u32, k);
            }
            by_class.sort_unstable();
        }
        self.cx.by_class = by_class;
        for n in 0..self.cx.by_class.len() {
            let k = keys::number(self.cx.by_class[n]) as usize;
            let op = work.ops[k];
            match if op.is_use() { self.in_place(op) } else { None } {
                Some(reg) => self.stay(work, k, reg),
                None => self.acquire(work, k)?,
            }
        }
        Ok(())
    }

    /// Whether the slot of the used value is overwritten too early by its definition here.
    fn slot_is_overwritten(&mut self, work: Work, op: Operand) -> bool {
        self.value(op.vreg().as_u32()).def_inst == work.inst.as_u32() && is_overwritten_unread(work.ops, op)
    }

    /// Gives the use `k` the backing of its value, or a slot with a copy.
    fn use_slot(&mut self, work: Work, k: usize) {
        let op = work.ops[k];
        let v = op.vreg().as_u32();
        let value = *self.value(v);
        if value.in_memory {
            self.out.stats.rematerialized += 1;
            self.give(work, k, value.again);
        } else if !value.again.is_none() || self.slot_is_overwritten(work, op) {
            let (size, align) = self.size_of(v);
            let place = self.temporary(size, align);
            let from = self.location(v);
            let copy = self.move_of(v, from, place);
            self.cx.moves.push(copy);
            self.give(work, k, place);
        } else {
            self.store(v);
            let place = self.slot(v);
            self.give(work, k, place);
        }
    }

    fn stack_uses(&mut self, work: Work) {
        for (k, op, _) in work.vregs() {
            if op.is_use() && op.constraint() == Constraint::Stack {
                self.use_slot(work, k);
            }
        }
    }

    /// Places the uses that may be in a register or a slot.
    fn any_uses(&mut self, work: Work) {
        for (k, op, v) in work.vregs() {
            if !op.is_use() || self.is_placed(work, k) {
                continue;
            }
            if let Some(reg) = self.in_place(op) {
                self.stay(work, k, reg);
                continue;
            }
            if let Some(reg) = self.shared_copy(op) {
                self.give(work, k, Allocation::reg(PReg(reg)));
                continue;
            }
            let value = *self.value(v);
            // One more use pays for a reload; a copy reloads by itself.
            let reload = value.next < LIVE_OUT && !work.copies;
            if value.reg != NO_REG && !self.is_valid(v) || reload {
                let avoid = self.avoid(op).union(self.pins.clobbers).union(self.occupied);
                if let Some(reg) = self.pick(op.class(), v, avoid, Self::need(op), Effort::Free, NO_REG)
                    && self.reaches_next_use(reg, v)
                {
                    self.enter(work, k, reg);
                    continue;
                }
            }
            // What is computed has no slot to be read from.
            let computed = !value.again.is_none() && !value.in_memory;
            if !computed || self.acquire(work, k).is_err() {
                self.use_slot(work, k);
            }
        }
    }

    /// Places the definitions that may be in a slot.
    fn loose_defs(&mut self, work: Work) {
        for (k, op, v) in work.vregs() {
            if self.is_placed(work, k) {
                continue;
            }
            let value = *self.value(v);
            let effort = match value.next {
                DEAD => Some(Effort::Free),
                LIVE_OUT if value.home == NO_REG => None,
                _ => Some(Effort::Evict),
            };
            let mut reg = None;
            if let Some(effort) = effort.filter(|_| op.constraint() == Constraint::Any) {
                let (avoid, hint) = (self.avoid(op), self.move_source(work));
                reg = self.pick(op.class(), v, avoid, Self::need(op), effort, hint);
                // A value that is thrown out before its next use is better made in its slot.
                reg = reg.filter(|&reg| value.home != NO_REG || self.reaches_next_use(reg, v));
            }
            match reg {
                Some(reg) => self.enter(work, k, reg),
                None => {
                    let slot = self.slot(v);
                    self.give(work, k, slot);
                }
            }
        }
    }

    /// The register that a copy reads, as a hint for what it writes.
    fn move_source(&self, work: Work) -> u8 {
        let source = |k: usize| self.out.allocs[work.base + k].as_reg();
        match work.ops.iter().position(|op| op.is_use()) {
            Some(k) if work.copies => source(k).map_or(NO_REG, |reg| reg.0),
            _ => NO_REG,
        }
    }

    /// Takes values that live on out of registers that the instruction needs or destroys.
    fn displace(&mut self, work: Work) {
        let p = self.pins;
        let destroyed = p.early.union(p.late).union(p.clobbers).union(p.claim);
        let mut rest = self.occupied.intersection(destroyed);
        if rest.is_empty() {
            return;
        }
        self.cx.list.clear();
        while let Some(v) = self.take_owner(&mut rest) {
            if v != SENTINEL {
                self.cx.list.push(v);
            }
        }
        for n in 0..self.cx.list.len() {
            let v = self.cx.list[n];
            let value = *self.value(v);
            if value.next == DEAD || value.def_inst == work.inst.as_u32() {
                continue;
            }
            let class = RegClass(value.class);
            let has_home = value.home != NO_REG;
            if has_home {
                self.give_up(v, work.terminates);
            }
            let mut place = None;
            let moves = has_home && !self.is_valid(v) || value.next < LIVE_OUT && value.again.is_none();
            if moves && let Some(reg) = self.pick_safe(class, v) {
                let units = self.units(reg);
                if !self.is_valid(v) || self.out.used_regs.contains(units) {
                    self.pins.early.insert(units);
                    self.pins.late.insert(units);
                    place = Some(Allocation::reg(PReg(reg)));
                }
            }
            let place = match place {
                Some(place) => {
                    let aside = self.move_of(v, Allocation::reg(PReg(value.reg)), place);
                    self.cx.moves.push(aside);
                    place
                }
                None => {
                    self.store(v);
                    self.backing(v)
                }
            };
            self.cx.away.push((v, place));
        }
    }

    /// A value with a home has to leave it for an instruction. Notes what that costs: two memory operands here.
    fn give_up(&mut self, v: u32, terminates: bool) {
        // Nothing brings it back behind a terminator.
        self.cx.must_repeat |= terminates;
        self.cx.left.push((v, if terminates { f32::INFINITY } else { 2.0 * self.frequency }));
    }

    /// Notes where values are behind the instruction, and collects the moves there.
    fn settle(&mut self, work: Work) {
        let p = self.pins;
        let i = work.inst.as_u32();
        let mut kept_free = p.claim;
        for n in 0..self.cx.away.len() {
            let v = self.cx.away[n].0;
            let home = self.value(v).home;
            kept_free.insert(self.units(home));
            self.unbind(v);
        }
        for (_, op, v) in work.vregs() {
            let value = *self.value(v);
            let gone =
                value.next == DEAD || value.next == LIVE_OUT && self.is_valid(v) && value.home == NO_REG;
            if op.is_def() || gone {
                self.unbind(v);
            }
        }
        while let Some((v, place)) = self.cx.away.pop() {
            let value = *self.value(v);
            if value.home != NO_REG {
                if !work.terminates {
                    let back = self.move_of(v, place, Allocation::reg(PReg(value.home)));
                    self.cx.after.push(back);
                }
                self.bind(v, value.home);
            } else if let Some(reg) = place.as_reg() {
                self.bind(v, reg.0);
            }
        }
        for (k, op, v) in work.vregs() {
            if op.is_def() {
                self.settle_def(work, k, v, kept_free);
            }
        }
        for (k, op, v) in work.vregs() {
            let value = *self.value(v);
            let idle = value.home == NO_REG && value.reg == NO_REG && value.next < LIVE_OUT;
            if op.is_def() || !idle || value.def_inst == i {
                continue;
            }
            let Some(reg) = self.out.allocs[work.base + k].as_reg() else { continue };
            let mut bad = kept_free.union(self.occupied);
            if !is_late(op) {
                bad.insert(p.late.union(p.stay_late).union(p.clobbers));
            }
            if !self.file.units(reg).intersects(bad) {
                self.bind(v, reg.0);
            }
        }
    }

    fn settle_def(&mut self, work: Work, k: usize, v: u32, kept_free: RegUnits) {
        let place = self.out.allocs[work.base + k];
        let value = *self.value(v);
        self.set_valid(v, place.is_slot());
        if let Some(reg) = place.as_reg() {
            self.out.used_regs.insert(self.file.units(reg));
        }
        if value.next == DEAD {
            return;
        }
        if value.home != NO_REG {
            let home = Allocation::reg(PReg(value.home));
            if place != home {
                let back = self.move_of(v, place, home);
                self.cx.after.push(back);
            }
            self.bind(v, value.home);
            if value.stored && !self.is_valid(v) {
                let slot = self.slot(v);
                let store = self.move_of(v, place, slot);
                self.cx.after.push(store);
                self.set_valid(v, true);
            }
        } else if let Some(reg) = place.as_reg() {
            if self.file.units(reg).intersects(kept_free) {
                let slot = self.slot(v);
                let store = self.move_of(v, place, slot);
                self.cx.after.push(store);
                self.set_valid(v, true);
            } else {
                self.bind(v, reg.0);
            }
        }
    }
}
