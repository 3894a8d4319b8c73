//! Emits the moves that happen at once at one program point.
//!
//! The move solver orders them. What it cannot do alone: a copy from slot to slot, or from an instruction
//! executed again that cannot write a slot, needs a register to carry the value, and a cycle needs a place to break it. A free register serves
//! both. If none of the class is free, one is emptied first: values that it holds are saved to
//! temporary slots and the moves read those; moves that write it write temporary slots, from
//! which it is filled at the end.
//!
//! Cost: linear in the moves and the units they name.

use super::Allocator;
use crate::error::Error;
use crate::moves::{ParallelMove, are_in_order};
use crate::operand::Block;
use crate::output::{Allocation, Edit};
use crate::registers::{PReg, RegClass, RegUnits};
use alloc::vec::Vec;

/// How many moves are compared with one another.
const PAIRWISE: usize = 32;

impl Allocator<'_> {
    pub(super) fn edit(&self, m: ParallelMove) -> Edit {
        Edit { point: self.point, from: m.from, to: m.to, class: m.class, size: m.size }
    }

    /// Units that are occupied or that a move names.
    fn busy_units(&self) -> RegUnits {
        let moves = self.cx.moves.iter().flat_map(|m| [m.from, m.to]);
        moves.fold(self.occupied, |units, place| units.union(self.tables.units_of_place(place)))
    }

    /// Whether the copy takes two edits, through a register.
    fn takes_two(&self, m: &ParallelMove) -> bool {
        self.func.takes_two(m.from, m.to)
    }

    /// Whether the copy may take two edits, at once or because a cycle is broken there.
    fn needs_carrier(&self, m: &ParallelMove) -> bool {
        let moves = &self.cx.moves;
        if m.from.is_remat() {
            return self.takes_two(m);
        }
        m.from.is_slot()
            && m.from != m.to
            && (m.to.is_slot() || moves.len() > PAIRWISE || moves.iter().any(|other| other.to == m.from))
    }

    /// Emits the collected moves at the present point, and forgets them.
    #[inline]
    pub(super) fn shuffle(&mut self) -> Result<(), Error> {
        if self.cx.moves.is_empty() { Ok(()) } else { self.shuffle_moves() }
    }

    fn shuffle_moves(&mut self) -> Result<(), Error> {
        self.cx.moves.retain(|m| m.from != m.to);
        let moves = &self.cx.moves;
        if are_in_order(self.tables, moves) && !moves.iter().any(|m| self.takes_two(m)) {
            for k in 0..self.cx.moves.len() {
                let edit = self.edit(self.cx.moves[k]);
                self.push_edit(edit);
            }
            self.cx.moves.clear();
            return Ok(());
        }
        let mut taken = self.busy_units();
        let mut emptied = RegUnits::EMPTY;
        let mut carriers: [Option<(RegClass, PReg)>; 8] = [None; 8];
        while let Some(m) = self
            .cx
            .moves
            .iter()
            .copied()
            .find(|m| self.needs_carrier(m) && !carriers.iter().flatten().any(|c| c.0 == m.class))
        {
            let order = self.tables.order(m.class);
            let free = |reg: &&PReg| !self.file.units(**reg).intersects(taken.difference(emptied));
            let reg = match order.iter().find(free) {
                Some(&reg) => reg,
                None => {
                    let block = Block::from_u32(0);
                    let &reg = order.first().ok_or(Error::NoScratch { block })?;
                    self.empty(self.file.units(reg));
                    emptied.insert(self.file.units(reg));
                    reg
                }
            };
            let block = Block::from_u32(0);
            let entry = carriers.iter_mut().find(|c| c.is_none()).ok_or(Error::NoScratch { block })?;
            *entry = Some((m.class, reg));
            taken.insert(self.file.units(reg));
        }
        self.emit_ordered(taken.union(emptied), &carriers)
    }

    /// Makes `units` free for the time of the moves.
    fn empty(&mut self, units: RegUnits) {
        let mut moves = core::mem::take(&mut self.cx.moves);
        let written =
            moves.iter().fold(RegUnits::EMPTY, |all, m| all.union(self.tables.units_of_place(m.to)));
        let mut rest = self.occupied.intersection(units);
        while let Some(v) = self.take_owner(&mut rest) {
            if v == super::SENTINEL || self.units_of(v).intersects(written) {
                continue;
            }
            let place = self.location(v);
            let (size, align) = self.size_of(v);
            let slot = self.temporary(size, align);
            let (save, load) = (self.move_of(v, place, slot), self.move_of(v, slot, place));
            let (save, load) = (self.edit(save), self.edit(load));
            self.cx.prefix.push(save);
            self.cx.suffix.push(load);
        }
        for m in &mut moves {
            let align = self.file.class(m.class).spill_align;
            if self.tables.units_of_place(m.from).intersects(units) {
                let slot = self.temporary(m.size, align);
                let save = self.edit(ParallelMove { to: slot, ..*m });
                self.cx.prefix.push(save);
                m.from = slot;
            }
            if self.tables.units_of_place(m.to).intersects(units) {
                let slot = self.temporary(m.size, align);
                let load = self.edit(ParallelMove { from: slot, ..*m });
                self.cx.suffix.push(load);
                m.to = slot;
            }
        }
        self.cx.moves = moves;
    }

    fn emit_ordered(
        &mut self,
        mut taken: RegUnits,
        carriers: &[Option<(RegClass, PReg)>],
    ) -> Result<(), Error> {
        for k in 0..self.cx.prefix.len() {
            self.push_edit(self.cx.prefix[k]);
        }
        self.cx.prefix.clear();
        let mut solver = core::mem::take(&mut self.cx.solver);
        solver.clear();
        self.cx.moves.drain(..).for_each(|m| solver.push(m));
        let (file, tables) = (self.file, self.tables);
        let order = solver.solve(file, |class, size| {
            let free = |reg: &&PReg| !file.units(**reg).intersects(taken);
            if let Some(&reg) = tables.order(class).iter().find(free) {
                taken.insert(file.units(reg));
                return Allocation::reg(reg);
            }
            self.temporary(size, file.class(class).spill_align)
        });
        let mut result = Ok(());
        for &m in order {
            let edit = self.edit(m);
            if !self.takes_two(&m) {
                self.push_edit(edit);
                continue;
            }
            match carriers.iter().flatten().find(|c| c.0 == m.class) {
                Some(&(_, reg)) => {
                    self.push_edit(Edit { to: Allocation::reg(reg), ..edit });
                    self.push_edit(Edit { from: Allocation::reg(reg), ..edit });
                }
                None => result = Err(Error::NoScratch { block: Block::from_u32(0) }),
            }
        }
        self.cx.solver = solver;
        let mut suffix: Vec<Edit> = core::mem::take(&mut self.cx.suffix);
        suffix.drain(..).rev().for_each(|edit| self.push_edit(edit));
        self.cx.suffix = suffix;
        result
    }
}
