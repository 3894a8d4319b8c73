//! Places for the operands of one instruction.
//!
//! Order of work: fixed uses, uses that need a register, uses that may be in a slot; then values
//! that die here leave their registers, values that live on leave the registers that the
//! instruction destroys, and definitions get places. All edits stand before the instruction.
//!
//! A bound register can also be *pinned* for the start (early) or the end (late) of the
//! instruction; a use that is copied to a second register only pins it. The first attempt leaves
//! values where they are. If the constraints are so tight that this fails, the *careful* attempt
//! places the operands with the fewest registers to choose from first, definitions included.

use super::{Allocator, Pins};
use crate::error::Error;
use crate::fixed::{can_be_fixed, is_early, is_late, is_overwritten_unread};
use crate::keys::{self, lowest_first};
use crate::operand::{Constraint, Inst, Operand, OperandKind, OperandPos};
use crate::output::Allocation;
use crate::registers::{PReg, RegClass, RegUnits};
use crate::scan::{Ahead, LIVE_OUT, NO_REG, VALID};
use core::cell::Cell;

/// The instruction at work. The slices have one entry an operand.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub inst: Inst,
    pub ops: &'a [Operand],
    pub aheads: &'a [Ahead],
    pub places: &'a [Cell<Allocation>],
    /// The instruction only copies a register.
    pub copies: bool,
}

impl Allocator<'_> {
    /// Allocates any instruction.
    #[inline(never)]
    pub(super) fn general(&mut self, work: Work, clobbers: RegUnits) -> Result<(), Error> {
        let i = work.inst.as_u32();
        self.pins = Pins { clobbers, ..Pins::NONE };
        let (mut fixed, mut late, mut early_def, mut any, mut strict, mut defs) =
            (false, false, false, false, false, 0);
        for (&op, &ahead) in work.ops.iter().zip(work.aheads) {
            match op.is_use() {
                true => self.recall(op.vreg().as_u32()),
                false => self.disown(op.vreg().as_u32()),
            }
            let state = self.state(op.vreg().as_u32());
            state.advance(ahead);
            state.pending += u32::from(op.is_use());
            match op.constraint() {
                Constraint::Fixed(_) => fixed = true,
                Constraint::Any => any = true,
                Constraint::Reg | Constraint::Stack => strict = true,
            }
            if op.is_def() {
                state.def_inst = i;
                if op.kind() == OperandKind::Def {
                    early_def |= op.pos() == OperandPos::Early;
                    defs += 1;
                } else {
                    late = true;
                }
            } else {
                late |= op.pos() == OperandPos::Late;
                strict |= self.wants_register(op);
            }
        }
        if fixed {
            self.fixed_uses(work)?;
        }
        let reserve_defs = late || early_def || defs > 1;
        // Without these an operand that says Any never needs a register.
        if strict || reserve_defs {
            let pins = self.pins;
            if self.register_operands(work, reserve_defs).is_err() {
                self.pins = pins;
                self.careful_attempt(work)?;
            }
        }
        if any {
            self.slot_uses(work);
        }
        self.release_uses(work);
        self.vacate();
        if defs > 0 {
            self.definitions(work)?;
        }
        self.finish(work);
        Ok(())
    }

    fn unsatisfiable(work: Work, operand: usize) -> Error {
        Error::Unsatisfiable { inst: work.inst, operand }
    }

    /// Gives `reg` to the use `k`, which has its value there.
    fn give(&mut self, work: Work, k: usize, reg: PReg) {
        let op = work.ops[k];
        let units = self.units(reg);
        self.pins.early.insert(units);
        if is_late(op) {
            self.pins.late.insert(units);
        }
        work.places[k].set(Allocation::reg(reg));
        self.state(op.vreg().as_u32()).pending -= 1;
    }

    fn give_slot(&mut self, work: Work, k: usize, slot: Allocation) {
        work.places[k].set(slot);
        self.state(work.ops[k].vreg().as_u32()).pending -= 1;
    }

    /// Copies the value of the use `k` to `reg`, which is free, and gives it that.
    fn bring(&mut self, work: Work, k: usize, reg: PReg) {
        let op = work.ops[k];
        let v = op.vreg().as_u32();
        let from = self.place(v);
        self.emit(from, Allocation::reg(reg), v);
        self.give(work, k, reg);
        let old = self.state(v).reg;
        if op.is_def() {
            self.unbind(v);
            self.bind(v, reg);
        } else if old == NO_REG {
            self.state(v).flags |= VALID;
            if self.is_needed(v) {
                self.bind(v, reg);
            }
        } else if !matches!(op.constraint(), Constraint::Fixed(_))
            && !self.units(PReg(old)).intersects(self.pins.early)
        {
            self.unbind(v);
            self.bind(v, reg);
        }
    }

    /// Reserves the registers of all fixed operands and places the fixed uses.
    fn fixed_uses(&mut self, work: Work) -> Result<(), Error> {
        let mut missing = false;
        for (k, &op) in work.ops.iter().enumerate() {
            let Constraint::Fixed(reg) = op.constraint() else { continue };
            self.reserve_fixed(work, k, reg)?;
            if !op.is_use() {
                continue;
            }
            if self.state(op.vreg().as_u32()).reg == reg.0 {
                self.give(work, k, reg);
            } else if !self.units(reg).intersects(self.occupied) {
                self.bring_fixed(work, k, reg);
            } else {
                missing = true;
            }
        }
        for (k, &op) in work.ops.iter().enumerate() {
            if !missing {
                break;
            }
            if let Constraint::Fixed(reg) = op.constraint()
                && op.is_use()
                && work.places[k].get().is_none()
            {
                let mut rest = self.occupied.intersection(self.units(reg));
                while let Some(v) = self.take_owner(&mut rest) {
                    self.displace(v);
                }
                self.bring_fixed(work, k, reg);
            }
        }
        // What is left in the way of Early Defs.
        let bound = self.occupied.difference(self.reserved);
        let mut rest = bound.intersection(self.pins.fixed_early).difference(self.pins.early);
        while let Some(v) = self.take_owner(&mut rest) {
            let reg = PReg(self.state(v).reg);
            if !self.units(reg).intersects(self.pins.early) {
                self.displace(v);
            }
        }
        Ok(())
    }

    /// Brings a fixed use; its old register is free at once if nothing else needs the value.
    fn bring_fixed(&mut self, work: Work, k: usize, reg: PReg) {
        self.bring(work, k, reg);
        let v = work.ops[k].vreg().as_u32();
        if self.state(v).def_inst != work.inst.as_u32() && !self.is_needed(v) {
            self.unbind(v);
        }
    }

    /// Reserves `reg` for operand `k`, unless the two parts of an earlier one forbid that.
    fn reserve_fixed(&mut self, work: Work, k: usize, reg: PReg) -> Result<(), Error> {
        let op = work.ops[k];
        let units = self.units(reg);
        let taken = is_early(op) && units.intersects(self.pins.fixed_early)
            || is_late(op) && units.intersects(self.pins.fixed_late);
        if (taken || !self.pins.clobbers.is_empty())
            && !can_be_fixed(work.ops, k, reg, self.pins.clobbers, self.tables)
        {
            return Err(Self::unsatisfiable(work, k));
        }
        let pins = &mut self.pins;
        if is_early(op) {
            pins.fixed_early.insert(units);
        }
        if is_late(op) {
            pins.fixed_late.insert(units);
        }
        Ok(())
    }

    /// All units that are spoken for.
    fn all_pins(&self) -> RegUnits {
        let p = &self.pins;
        let fixed = p.fixed_early.union(p.fixed_late);
        fixed.union(p.early).union(p.late).union(p.clobbers)
    }

    /// Moves `v` out of a register that the instruction needs, to another one or its slot.
    fn displace(&mut self, v: u32) {
        let state = *self.state(v);
        let wanted = (state.pending > 0 || state.next < LIVE_OUT) && !state.home.is_reg();
        if wanted && self.is_needed(v) {
            let avoid = self.all_pins();
            let class = RegClass(state.class);
            if let Some(reg) = self.pick_free(class, avoid, v, NO_REG)
                && (!state.is_valid() || self.used_regs.contains(self.units(reg)))
            {
                self.emit(Allocation::reg(PReg(state.reg)), Allocation::reg(reg), v);
                self.unbind(v);
                self.bind(v, reg);
                return;
            }
        }
        self.evict(v);
    }

    /// Whether the use must be in a register although it says Any: its home is overwritten by a
    /// definition in the same instruction too early.
    fn home_is_overwritten(&mut self, work: Work, op: Operand) -> bool {
        self.state(op.vreg().as_u32()).def_inst == work.inst.as_u32() && is_overwritten_unread(work.ops, op)
    }

    fn needs_register(&mut self, work: Work, op: Operand) -> bool {
        match op.constraint() {
            Constraint::Reg => true,
            Constraint::Any => op.is_use() && (self.wants_register(op) || self.home_is_overwritten(work, op)),
            _ => false,
        }
    }

    /// The register that the use can stay in.
    fn in_place(&mut self, work: Work, op: Operand) -> Option<PReg> {
        let state = *self.state(op.vreg().as_u32());
        let reg = match state.reg {
            NO_REG if self.home_is_overwritten(work, op) => return None,
            NO_REG => self.resident(op)?,
            reg => Some(PReg(reg)).filter(|_| self.tables.in_class(op.class(), reg))?,
        };
        let units = self.units(reg);
        let pins = &self.pins;
        let destroyed = pins.fixed_late.union(pins.clobbers);
        let ok = match op.kind() {
            OperandKind::UseDef => !units.intersects(pins.late.union(destroyed)),
            _ if op.pos() == OperandPos::Early => true,
            _ if units.intersects(pins.late) => state.def_inst != work.inst.as_u32(),
            _ => !units.intersects(destroyed),
        };
        ok.then_some(reg)
    }

    /// Units that a new register for the operand must not have.
    fn avoid(&self, op: Operand) -> RegUnits {
        let p = &self.pins;
        let mut avoid = RegUnits::EMPTY;
        if is_early(op) {
            avoid.insert(p.early.union(p.fixed_early));
        }
        if is_late(op) {
            avoid.insert(p.late.union(p.fixed_late));
            if op.kind() != OperandKind::Def || op.pos() == OperandPos::Early {
                avoid.insert(p.clobbers);
            }
        }
        avoid
    }

    /// Puts the use `k` into a register, evicting what is used furthest away.
    fn acquire(&mut self, work: Work, k: usize) -> Result<(), Error> {
        let op = work.ops[k];
        let avoid = self.avoid(op);
        let reg = self.pick(op.class(), avoid, op.vreg().as_u32(), NO_REG);
        self.bring(work, k, reg.ok_or(Self::unsatisfiable(work, k))?);
        Ok(())
    }

    /// The register in which another operand reads the value of the use `op`, if that can be in it for as long as it must,
    /// or be rewritten there: what a fixed use was copied to.
    fn place_of_another_use(&self, work: Work, op: Operand) -> Option<PReg> {
        let p = &self.pins;
        let destroyed = p.late.union(p.fixed_late).union(p.clobbers);
        let reads_late = |other: &Operand| op.kind() == OperandKind::Use && is_late(*other);
        let fits = |&(other, reg): &(&Operand, PReg)| {
            let stays = !is_late(op) || reads_late(other) || !self.units(reg).intersects(destroyed);
            stays && self.tables.in_class(op.class(), reg.0)
        };
        read_registers(work, op).find(fits).map(|(_, reg)| reg)
    }

    /// Chooses and reserves a register for the definition `k`.
    fn reserve_def(&mut self, work: Work, k: usize) -> Result<(), Error> {
        let op = work.ops[k];
        let avoid = self.avoid(op);
        let reg = match self.free_home(op, avoid) {
            None => self.pick(op.class(), avoid, op.vreg().as_u32(), NO_REG),
            reg => reg,
        };
        let reg = reg.ok_or(Self::unsatisfiable(work, k))?;
        work.places[k].set(Allocation::reg(reg));
        let units = self.units(reg);
        self.pins.fixed_late.insert(units);
        if is_early(op) {
            self.pins.fixed_early.insert(units);
        }
        Ok(())
    }

    /// The register that is the home of what `op` defines, if the operand may be in it outside `avoid`.
    fn free_home(&self, op: Operand, avoid: RegUnits) -> Option<PReg> {
        self.resident(op).filter(|&reg| !self.units(reg).intersects(avoid))
    }

    /// Places the uses that need a register and, if asked, the definitions that do.
    fn register_operands(&mut self, work: Work, reserve_defs: bool) -> Result<(), Error> {
        let mut missing = false;
        for (k, &op) in work.ops.iter().enumerate() {
            if op.is_use() && self.needs_register(work, op) {
                match self.in_place(work, op) {
                    Some(reg) => self.give(work, k, reg),
                    None => missing = true,
                }
            }
            missing |= op.constraint() == Constraint::Stack;
        }
        if missing {
            for (k, &op) in work.ops.iter().enumerate() {
                if op.is_use() && work.places[k].get().is_none() && self.needs_register(work, op) {
                    self.acquire(work, k)?;
                }
            }
            self.stack_uses(work)?;
        }
        if reserve_defs {
            for (k, &op) in work.ops.iter().enumerate() {
                if op.kind() == OperandKind::Def && op.constraint() == Constraint::Reg {
                    self.reserve_def(work, k)?;
                }
            }
        }
        Ok(())
    }

    /// Starts again without the pins of the first attempt, the fewest registers to choose from first.
    fn careful_attempt(&mut self, work: Work) -> Result<(), Error> {
        self.cx.by_class.clear();
        for (k, &op) in work.ops.iter().enumerate() {
            // What has its slot keeps that.
            if matches!(op.constraint(), Constraint::Fixed(_) | Constraint::Stack) {
                continue;
            }
            let place = work.places[k].replace(Allocation::NONE);
            if op.is_use() && !place.is_none() {
                self.take_back(op.vreg().as_u32(), place);
            }
            if self.needs_register(work, op) {
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
        // A copy of a slot goes through a register, which is free again for the operands.
        self.stack_uses(work)?;
        for n in 0..self.cx.by_class.len() {
            let k = keys::number(self.cx.by_class[n]) as usize;
            let op = work.ops[k];
            if !op.is_use() {
                self.reserve_def(work, k)?;
            } else if let Some(reg) = self.place_of_another_use(work, op) {
                self.give(work, k, reg);
                if op.is_def() {
                    let v = op.vreg().as_u32();
                    self.unbind(v);
                    self.bind(v, reg);
                }
            } else if let Some(reg) = self.in_place(work, op) {
                self.give(work, k, reg);
            } else {
                self.acquire(work, k)?;
            }
        }
        Ok(())
    }

    /// A use of `v` had this place in the first attempt, and wants one again. A definition may have taken the register of a
    /// value that nobody else needed; nothing has been written there yet.
    fn take_back(&mut self, v: u32, place: Allocation) {
        let state = self.state(v);
        state.pending += 1;
        if let Some(reg) = place.as_reg()
            && state.reg == NO_REG
            && !state.is_valid()
        {
            self.bind(v, reg);
        }
    }

    /// Places the uses that must be in a slot.
    fn stack_uses(&mut self, work: Work) -> Result<(), Error> {
        for (k, &op) in work.ops.iter().enumerate() {
            if op.constraint() != Constraint::Stack || !op.is_use() || !work.places[k].get().is_none() {
                continue;
            }
            let v = op.vreg().as_u32();
            if self.home(v).is_slot() && !self.home_is_overwritten(work, op) {
                self.use_home(work, k);
                continue;
            }
            // The home is no slot, or is written too early: the use reads a copy of it.
            let read = read_registers(work, op).next();
            if read.is_none() && self.state(v).reg == NO_REG {
                let class = RegClass(self.state(v).class);
                let avoid = self.pins.early.union(self.pins.fixed_early);
                let reg = self.pick(class, avoid, v, NO_REG).ok_or(Self::unsatisfiable(work, k))?;
                let home = self.home(v);
                self.emit(home, Allocation::reg(reg), v);
                self.state(v).flags |= VALID;
                self.bind(v, reg);
            }
            let from = read.map_or_else(|| self.place(v), |(_, reg)| Allocation::reg(reg));
            let slot = self.new_slot(v);
            self.emit(from, Allocation::slot(slot), v);
            self.cx.dying_slots.push(slot);
            self.give_slot(work, k, Allocation::slot(slot));
        }
        Ok(())
    }

    /// Lets the use `k` read (and write) the home slot.
    fn use_home(&mut self, work: Work, k: usize) {
        let v = work.ops[k].vreg().as_u32();
        self.store(v);
        let home = self.home(v);
        let place = self.read(home);
        self.give_slot(work, k, place);
    }

    /// Places the uses that may be in a register or a slot.
    fn slot_uses(&mut self, work: Work) {
        for (k, &op) in work.ops.iter().enumerate() {
            if op.constraint() != Constraint::Any || !op.is_use() || !work.places[k].get().is_none() {
                continue;
            }
            if let Some(reg) = self.in_place(work, op) {
                self.give(work, k, reg);
                continue;
            }
            let v = op.vreg().as_u32();
            let state = *self.state(v);
            // One more use pays for a reload; a copy reloads by itself.
            let reload = state.next < LIVE_OUT && !work.copies;
            if state.reg != NO_REG || reload {
                let avoid = self.avoid(op).union(self.pins.clobbers);
                if let Some(reg) = self.pick_free(op.class(), avoid, v, NO_REG) {
                    self.bring(work, k, reg);
                    continue;
                }
            }
            self.use_home(work, k);
        }
    }

    /// Takes values that are not read after the instruction out of their registers.
    fn release_uses(&mut self, work: Work) {
        for (k, &op) in work.ops.iter().enumerate() {
            let v = op.vreg().as_u32();
            let state = *self.state(v);
            let gone = match op.kind() {
                OperandKind::Def => true,
                // A value that is rewritten in its slot has a stale copy in its register.
                OperandKind::UseDef => work.places[k].get() == state.home,
                OperandKind::Use => {
                    state.def_inst != work.inst.as_u32()
                        && (!self.is_live(state.next) || state.next == LIVE_OUT && state.is_valid())
                }
            };
            if gone {
                self.unbind(v);
            }
        }
    }

    /// Takes values that live on out of registers that the instruction destroys.
    pub(super) fn vacate(&mut self) {
        let destroyed = self.pins.clobbers.union(self.pins.fixed_late);
        let destroyed = destroyed.difference(self.pins.late);
        let mut rest = self.occupied.difference(self.reserved).intersection(destroyed);
        while let Some(v) = self.take_owner(&mut rest) {
            self.displace(v);
        }
    }

    fn definitions(&mut self, work: Work) -> Result<(), Error> {
        let source = if work.copies { move_source(work.ops, work.places) } else { NO_REG };
        for (k, &op) in work.ops.iter().enumerate() {
            if op.kind() != OperandKind::Def {
                continue;
            }
            let v = op.vreg().as_u32();
            let next = self.state(v).next;
            let reserved = work.places[k].get().as_reg();
            let avoid = self.avoid(op);
            let home = self.free_home(op, avoid);
            let has_register_home = self.state(v).home.is_reg();
            let reg = match op.constraint() {
                Constraint::Fixed(reg) => Some(reg),
                Constraint::Reg if reserved.is_some() => reserved,
                Constraint::Reg | Constraint::Any if home.is_some() => home,
                Constraint::Reg => {
                    Some(self.pick(op.class(), avoid, v, source).ok_or(Self::unsatisfiable(work, k))?)
                }
                Constraint::Stack => None,
                Constraint::Any if !self.is_live(next) => self.pick_free(op.class(), avoid, v, source),
                Constraint::Any if next == LIVE_OUT && !has_register_home => None,
                Constraint::Any => self.pick(op.class(), avoid, v, source),
            };
            let place = match reg {
                Some(reg) if Allocation::reg(reg) == self.state(v).home => {
                    self.pins.late.insert(self.units(reg));
                    self.define_at_home(v);
                    Allocation::reg(reg)
                }
                Some(reg) => {
                    let units = self.units(reg);
                    self.pins.late.insert(units);
                    self.overwrite(units);
                    self.state(v).flags &= !VALID;
                    if self.is_live(next) {
                        self.bind(v, reg);
                    }
                    Allocation::reg(reg)
                }
                None => {
                    self.state(v).flags |= VALID;
                    self.home(v)
                }
            };
            work.places[k].set(place);
        }
        Ok(())
    }

    /// Ends the lives that end here.
    fn finish(&mut self, work: Work) {
        for (k, &op) in work.ops.iter().enumerate() {
            let v = op.vreg().as_u32();
            if op.is_def() {
                let place = work.places[k].get();
                let home = self.state(v).home;
                if let Some(reg) = place.as_reg().filter(|_| place != home) {
                    self.used_regs.insert(self.units(reg));
                    self.state(v).flags &= !VALID;
                } else {
                    self.state(v).flags |= VALID;
                }
            }
        }
        for op in work.ops {
            self.end_life(op.vreg().as_u32());
        }
        self.free_dying_slots();
    }
}

/// The uses of what `op` names that have a register, and that.
fn read_registers<'a>(work: Work<'a>, op: Operand) -> impl Iterator<Item = (&'a Operand, PReg)> {
    let is_same = move |other: &Operand| other.vreg() == op.vreg() && other.kind() == OperandKind::Use;
    let others = work.ops.iter().zip(work.places).filter(move |(other, _)| is_same(other));
    others.filter_map(|(other, place)| Some((other, place.get().as_reg()?)))
}

/// The register that a copy reads, as a hint for what it writes.
pub(super) fn move_source(ops: &[Operand], places: &[Cell<Allocation>]) -> u8 {
    let read = ops.iter().zip(places).find(|(op, _)| op.is_use());
    read.and_then(|(_, place)| place.get().as_reg()).map_or(NO_REG, |reg| reg.0)
}
