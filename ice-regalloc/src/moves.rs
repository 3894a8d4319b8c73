//! Parallel moves: many copies that happen at once, put into an order.
//!
//! Problem: at a block border, or between two pieces of a split live range, a set of copies reads
//! all its sources before it writes any target. Machine code copies one after another, so a copy
//! may go only when no waiting copy still reads what it overwrites.
//!
//! Method: topological order with a work list (May, *The Parallel Assignment Problem Redefined*,
//! 1989; Leroy and Rideau, *Tilting at Windmills with Coq*, 2008). Registers alias, so readers are
//! counted for every register *unit* and for every slot: a copy waits for each unit of its target
//! that others read. When only cycles are left, one source is copied to a temporary place, which
//! makes its units free; each copy is diverted at most once.
//!
//! Data: one counter and one writer for each unit or slot, reset by walking over the copies.
//! Invariants: targets are pairwise disjoint; a place is a whole register or a whole slot, so two
//! different slots never overlap. Cost: linear in the number of units named by the copies.
//!
//! The order may hold copies from slot to slot; who emits them routes them through a register.

use crate::memory::refill;
use crate::output::{Allocation, AllocationKind};
use crate::registers::{RegClass, RegUnits, RegisterFile};
use crate::tables::Tables;
use alloc::vec::Vec;

/// One copy of a parallel move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParallelMove {
    /// The place read.
    pub from: Allocation,
    /// The place written.
    pub to: Allocation,
    /// Class of the value.
    pub class: RegClass,
    /// Size of the value in bytes.
    pub size: u32,
}

/// How many moves are looked at pair by pair.
const FEW_MOVES: usize = 16;

/// Whether no move reads what one before it writes, of so few that looking at each pair pays: then one after the other has
/// the effect of all at once.
pub(crate) fn are_in_order(tables: &Tables, moves: &[ParallelMove]) -> bool {
    let mut written = RegUnits::EMPTY;
    moves.len() <= FEW_MOVES
        && moves.iter().enumerate().all(|(n, m)| {
            let is_kept = match m.from.is_slot() {
                true => moves[..n].iter().all(|before| before.to != m.from),
                false => !tables.units_of_place(m.from).intersects(written),
            };
            written.insert(tables.units_of_place(m.to));
            is_kept
        })
}

const NO_MOVE: u32 = u32::MAX;
/// Places `0..UNITS` are register units, those above are slots.
const UNITS: usize = RegUnits::CAPACITY;

#[derive(Clone, Copy, Debug)]
struct PlaceTraffic {
    /// Waiting moves that read the place.
    readers: u32,
    /// The waiting move that writes it.
    writer: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct MoveState {
    /// Places of the target that another waiting move reads.
    blockers: u32,
    /// The move is in the order.
    done: bool,
    /// The source is read, by the move or by a copy to a temporary place.
    released: bool,
}

const UNUSED: PlaceTraffic = PlaceTraffic { readers: 0, writer: NO_MOVE };

/// Puts parallel moves into an order; keeps its memory between uses.
#[derive(Clone, Debug, Default)]
pub struct MoveSolver {
    moves: Vec<ParallelMove>,
    state: Vec<MoveState>,
    places: Vec<PlaceTraffic>,
    ready: Vec<u32>,
    order: Vec<ParallelMove>,
}

impl MoveSolver {
    /// An empty solver.
    pub fn new() -> MoveSolver {
        MoveSolver::default()
    }

    /// Forgets all moves.
    pub fn clear(&mut self) {
        self.moves.clear();
    }

    /// Adds a move. Its target must not overlap the target of another one.
    pub fn push(&mut self, parallel_move: ParallelMove) {
        self.moves.push(parallel_move);
    }

    /// The moves added so far.
    pub(crate) fn moves(&self) -> &[ParallelMove] {
        &self.moves
    }

    /// Whether there is no move.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The moves in an order that has the effect of doing all at once. `temp` is asked for a
    /// place once for every cycle that has to be broken; it must give one that no move names and
    /// that it has not given before.
    pub fn solve(
        &mut self,
        file: &RegisterFile,
        mut temp: impl FnMut(RegClass, u32) -> Allocation,
    ) -> &[ParallelMove] {
        self.order.clear();
        self.prepare(file);
        let mut next_cut = 0;
        loop {
            while let Some(index) = self.ready.pop() {
                self.order.push(self.moves[index as usize]);
                self.state[index as usize].done = true;
                self.release_source(file, index);
            }
            // What reads no place is in no cycle.
            let is_cut = |k: usize| !self.state[k].done && !self.moves[k].from.is_remat();
            while next_cut < self.moves.len() && !is_cut(next_cut) {
                next_cut += 1;
            }
            if next_cut == self.moves.len() {
                break;
            }
            // Every waiting move is blocked. Once all of them read temporaries nothing blocks any
            // more, so the loop ends after at most one cut a move.
            let cut = self.moves[next_cut];
            let place = temp(cut.class, cut.size);
            self.order.push(ParallelMove { to: place, ..cut });
            self.release_source(file, next_cut as u32);
            self.moves[next_cut].from = place;
            next_cut += 1;
        }
        for parallel_move in &self.order {
            for place in [parallel_move.from, parallel_move.to] {
                for_each_place(file, place, |p| {
                    if let Some(p) = self.places.get_mut(p) {
                        *p = UNUSED;
                    }
                });
            }
        }
        &self.order
    }

    /// Counts readers and blockers, and lists the moves that may go at once.
    fn prepare(&mut self, file: &RegisterFile) {
        let MoveSolver { moves, places, state, ready, .. } = self;
        moves.retain(|m| m.from != m.to);
        refill(state, moves.len(), MoveState::default());
        ready.clear();
        for (index, m) in moves.iter().enumerate() {
            for place in [m.from, m.to] {
                for_each_place(file, place, |p| {
                    if p >= places.len() {
                        places.resize(p + 1, UNUSED);
                    }
                });
            }
            for_each_place(file, m.to, |p| places[p].writer = index as u32);
        }
        for (index, m) in moves.iter().enumerate() {
            for_each_place(file, m.from, |p| {
                let place = &mut places[p];
                if place.writer != index as u32 {
                    if place.readers == 0 && place.writer != NO_MOVE {
                        state[place.writer as usize].blockers += 1;
                    }
                    place.readers += 1;
                }
            });
        }
        ready.extend((0..moves.len() as u32).filter(|&i| state[i as usize].blockers == 0));
    }

    /// The source of move `index` is read: what waited only for it becomes ready.
    fn release_source(&mut self, file: &RegisterFile, index: u32) {
        let MoveSolver { moves, places, state, ready, .. } = self;
        if core::mem::replace(&mut state[index as usize].released, true) {
            return;
        }
        for_each_place(file, moves[index as usize].from, |p| {
            let place = &mut places[p];
            if place.writer == index {
                return;
            }
            place.readers -= 1;
            if place.readers == 0 && place.writer != NO_MOVE {
                let waiting = &mut state[place.writer as usize];
                waiting.blockers -= 1;
                if waiting.blockers == 0 && !waiting.done {
                    ready.push(place.writer);
                }
            }
        });
    }
}

fn for_each_place(file: &RegisterFile, place: Allocation, mut visit: impl FnMut(usize)) {
    match place.kind() {
        AllocationKind::Reg(reg) => file.units(reg).iter().for_each(|u| visit(usize::from(u))),
        AllocationKind::Slot(slot) => visit(UNITS + slot.as_u32() as usize),
        AllocationKind::None | AllocationKind::Remat(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operand::Slot;
    use crate::registers::{ClassInfo, PReg, RegisterInfo};

    const fn reg(name: &'static str, first: u8, count: u8) -> RegisterInfo<'static> {
        RegisterInfo { name, units: RegUnits::span(first, count) }
    }
    // s0..s3, then the pairs d0, d1: units as on ARM.
    static REGS: [RegisterInfo; 6] = [
        reg("s0", 0, 1),
        reg("s1", 1, 1),
        reg("s2", 2, 1),
        reg("s3", 3, 1),
        reg("d0", 0, 2),
        reg("d1", 2, 2),
    ];
    static CLASSES: [ClassInfo; 1] =
        [ClassInfo { name: "s", order: &[PReg(0)], spill_size: 4, spill_align: 4 }];
    static FILE: RegisterFile =
        RegisterFile { regs: &REGS, classes: &CLASSES, callee_saved: RegUnits::EMPTY };

    fn r(index: u8) -> Allocation {
        Allocation::reg(PReg(index))
    }
    fn s(index: u32) -> Allocation {
        Allocation::slot(Slot::from_u32(index))
    }

    /// Contents of all units and slots; place `p` starts with the value `p`.
    fn run(moves: &[ParallelMove]) -> Vec<usize> {
        let mut cells: Vec<usize> = (0..UNITS + 64).collect();
        for m in moves {
            let (mut from, mut to) = (Vec::new(), Vec::new());
            for_each_place(&FILE, m.from, |p| from.push(cells[p]));
            for_each_place(&FILE, m.to, |p| to.push(p));
            // A temporary slot stands for as many cells as the value has units.
            if m.to.is_slot() && to[0] >= UNITS + 32 {
                to = (0..from.len()).map(|k| to[0] + k).collect();
            }
            if m.from.is_slot() && from.len() == 1 && to.len() == 2 {
                let Some(slot) = m.from.as_slot() else { unreachable!() };
                let base = UNITS + slot.as_u32() as usize;
                from = (0..2).map(|k| cells[base + k]).collect();
            }
            to.into_iter().zip(from).for_each(|(p, value)| cells[p] = value);
        }
        cells
    }

    fn check(pairs: &[(Allocation, Allocation)]) -> usize {
        let mut solver = MoveSolver::new();
        let mut expected: Vec<usize> = (0..UNITS + 32).collect();
        for &(from, to) in pairs {
            solver.push(ParallelMove { from, to, class: RegClass(0), size: 4 });
            let (mut a, mut b) = (Vec::new(), Vec::new());
            for_each_place(&FILE, from, |p| a.push(p));
            for_each_place(&FILE, to, |p| b.push(p));
            b.into_iter().zip(a).for_each(|(to, from)| expected[to] = from);
        }
        let mut temps = 32;
        let order = solver.solve(&FILE, |_, _| {
            temps += 2;
            s(temps - 2)
        });
        assert_eq!(run(order)[..UNITS + 32], expected, "{pairs:?} became {order:?}");
        let count = order.len();
        // The counters are clean again: the same solver solves something else.
        solver.clear();
        solver.push(ParallelMove { from: r(0), to: r(1), class: RegClass(0), size: 4 });
        assert_eq!(solver.solve(&FILE, |_, _| s(40)).len(), 1);
        count
    }

    #[test]
    fn chains_need_no_temporary() {
        assert_eq!(check(&[(r(0), r(1)), (r(1), r(2)), (r(2), s(0)), (s(0), r(3))]), 4);
        assert_eq!(check(&[(r(0), r(1)), (r(1), r(2)), (r(2), r(3))]), 3);
        assert_eq!(check(&[(r(0), r(0))]), 0);
    }

    #[test]
    fn cycles_take_one_temporary_each() {
        assert_eq!(check(&[(r(0), r(1)), (r(1), r(0))]), 3);
        assert_eq!(check(&[(r(0), r(1)), (r(1), r(0)), (s(2), s(3)), (s(3), s(2))]), 6);
        assert_eq!(check(&[(r(4), r(5)), (r(5), r(4))]), 3);
    }

    #[test]
    fn partial_overlap_is_ordered() {
        // d1 := d0 while s0 := s2 and s1 := s3.
        check(&[(r(4), r(5)), (r(2), r(0)), (r(3), r(1))]);
        check(&[(r(2), r(1)), (r(4), r(5))]);
    }

    #[test]
    fn random_moves_have_the_parallel_effect() {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = |bound: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed % bound
        };
        for _ in 0..2000 {
            let mut pairs = Vec::new();
            let mut taken = RegUnits::EMPTY;
            for to in 0..6 {
                let units = FILE.units(PReg(to));
                if taken.intersects(units) || next(3) == 0 {
                    continue;
                }
                taken.insert(units);
                let from = if to < 4 { next(4) } else { 4 + next(2) };
                pairs.push((r(from as u8), r(to)));
            }
            for to in 0..4 {
                pairs.push((s(next(4) as u32), s(to)));
            }
            check(&pairs);
        }
    }
}
