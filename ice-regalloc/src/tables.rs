//! What the inner loops ask about a register file, laid out for them.
//!
//! Data: arrays that the number of a register or class indexes without a bounds check; and for each class its
//! order as sets of units, in each of which the lowest free unit is the register to take. They are filled
//! when the register file is another one than before; a file's tables are immutable and outlive these, so
//! their addresses tell.

use crate::keys::{self, lowest_first};
use crate::output::Allocation;
use crate::registers::{ClassInfo, PReg, RegClass, RegUnits, RegisterFile, RegisterInfo};
use alloc::vec::Vec;

/// The tables of one register file: some 20 KiB, which belong into a box.
#[derive(Clone, Debug)]
pub(crate) struct Tables<'f> {
    regs: &'f [RegisterInfo<'f>],
    classes: &'f [ClassInfo<'f>],
    units: [RegUnits; 256],
    /// For each class, the set of its registers.
    members: [[u64; 4]; 256],
    /// For each class, the units of all its registers.
    all_units: [RegUnits; 256],
    /// For each class, its order.
    orders: [Order<'f>; 256],
    /// For each unit, a register that has no other.
    reg_of_unit: [u8; RegUnits::CAPACITY],
    /// The place of each register among those that cost alike; empty if the file says it.
    ranks: Vec<u8>,
    /// For each class, the order that follows from them; empty without.
    ranked: Vec<Vec<PReg>>,
    /// The ranks are newer.
    is_unranked: bool,
}

/// The order of a class: while its registers have one unit each and the units rise, they are a set.
#[derive(Clone, Copy, Debug)]
struct Order<'f> {
    /// First registers, and those after them.
    runs: [RegUnits; 2],
    /// What is left.
    rest: &'f [PReg],
}

impl Order<'_> {
    const EMPTY: Self = Order { runs: [RegUnits::EMPTY; 2], rest: &[] };
}

impl Default for Tables<'_> {
    fn default() -> Self {
        Tables {
            regs: &[],
            classes: &[],
            units: [RegUnits::EMPTY; 256],
            members: [[0; 4]; 256],
            all_units: [RegUnits::EMPTY; 256],
            orders: [Order::EMPTY; 256],
            reg_of_unit: [0; RegUnits::CAPACITY],
            ranks: Vec::new(),
            ranked: Vec::new(),
            is_unranked: false,
        }
    }
}

impl<'f> Tables<'f> {
    /// As [`Context::prefer`](crate::Context::prefer) has it, from the next file on.
    pub fn prefer(&mut self, ranks: &[u8]) {
        self.ranks.clear();
        self.ranks.extend_from_slice(ranks);
        if ranks.is_empty() {
            self.ranked.clear();
            // No file has these, so that all is filled again.
            (self.regs, self.classes) = (&[], &[]);
        }
        self.is_unranked = !ranks.is_empty();
    }

    /// The order of each class by ranks, which the sets of units do not have.
    #[cold]
    fn rank(&mut self, file: &RegisterFile<'f>) {
        self.is_unranked = false;
        self.ranked.clear();
        for (class, order) in file.classes.iter().zip(&mut self.orders) {
            let rank = |reg: &PReg| self.ranks.get(reg.index()).copied().unwrap_or(u8::MAX);
            let is_saved = |reg: &PReg| file.callee_saved.intersects(file.units(*reg));
            let rank = |reg: &PReg| u32::from(is_saved(reg)) << 8 | u32::from(rank(reg));
            let ranked = class.order.iter().enumerate();
            let mut ranked: Vec<u64> = ranked.map(|(n, reg)| lowest_first(rank(reg), n as u32)).collect();
            ranked.sort_unstable();
            let register = |&key: &u64| class.order[keys::number(key) as usize];
            self.ranked.push(ranked.iter().map(register).collect());
            *order = Order::EMPTY;
        }
    }

    /// Makes these the tables of `file`.
    pub fn set(&mut self, file: &RegisterFile<'f>) {
        if core::ptr::eq(self.regs, file.regs) && core::ptr::eq(self.classes, file.classes) {
            if self.is_unranked {
                self.rank(file);
            }
            return;
        }
        // In place: whole tables are too large for a small stack.
        let Tables { regs, classes, units, members, all_units, orders, reg_of_unit, .. } = self;
        (*regs, *classes) = (file.regs, file.classes);
        units.fill(RegUnits::EMPTY);
        members.fill([0; 4]);
        all_units.fill(RegUnits::EMPTY);
        orders.fill(Order::EMPTY);
        reg_of_unit.fill(0);
        for (units, reg) in self.units.iter_mut().zip(file.regs) {
            *units = reg.units;
        }
        for (n, reg) in file.regs.iter().enumerate().rev().filter(|(_, reg)| reg.units.len() == 1) {
            self.reg_of_unit[reg.units.first()] = n as u8;
        }
        for (n, class) in file.classes.iter().enumerate().take(256) {
            for reg in class.order {
                self.members[n][reg.index() / 64] |= 1 << (reg.index() % 64);
                self.all_units[n].insert(self.units(*reg));
            }
            let mut order = Order { runs: [RegUnits::EMPTY; 2], rest: class.order };
            for run in &mut order.runs {
                while let [reg, rest @ ..] = order.rest
                    && self.units(*reg).len() == 1
                    && self.reg_of_unit[self.units(*reg).first()] == reg.0
                    && self.units(*reg) > *run
                {
                    run.insert(self.units(*reg));
                    order.rest = rest;
                }
            }
            self.orders[n] = order;
        }
        if !self.ranks.is_empty() {
            self.rank(file);
        }
    }

    /// The first register of the class that has none of the `busy` units.
    #[inline(always)]
    pub fn first_free(&self, class: RegClass, busy: RegUnits) -> Option<PReg> {
        let free = self.orders[class.index()].runs[0].difference(busy);
        if free.is_empty() { self.later_free(class, busy) } else { Some(self.reg_of(free)) }
    }

    /// The first register of the class that has none of the `busy` units, behind the first run of its order.
    #[inline(never)]
    fn later_free(&self, class: RegClass, busy: RegUnits) -> Option<PReg> {
        let order = &self.orders[class.index()];
        let free = order.runs[1].difference(busy);
        if !free.is_empty() {
            return Some(self.reg_of(free));
        }
        let rest = self.ranked.get(class.index()).map_or(order.rest, Vec::as_slice);
        rest.iter().find(|&&reg| !self.units(reg).intersects(busy)).copied()
    }

    /// The registers of the class, preferred first.
    #[inline]
    pub fn order(&self, class: RegClass) -> &[PReg] {
        self.ranked.get(class.index()).map_or(self.class(class).order, Vec::as_slice)
    }

    /// The register that consists of the lowest of these units.
    #[inline(always)]
    fn reg_of(&self, units: RegUnits) -> PReg {
        PReg(self.reg_of_unit[units.first() % RegUnits::CAPACITY])
    }

    #[inline]
    pub fn units(&self, reg: PReg) -> RegUnits {
        self.units[reg.index()]
    }

    /// The units of a place that is a register.
    #[inline]
    pub fn units_of_place(&self, place: Allocation) -> RegUnits {
        place.as_reg().map_or(RegUnits::EMPTY, |reg| self.units(reg))
    }

    #[inline]
    pub fn class(&self, class: RegClass) -> &'f ClassInfo<'f> {
        &self.classes[class.index()]
    }

    /// Whether the class may give out `reg`.
    #[inline]
    pub fn in_class(&self, class: RegClass, reg: u8) -> bool {
        self.members[class.index()][usize::from(reg) / 64] >> (reg % 64) & 1 != 0
    }

    /// The units of all registers of the class.
    #[inline]
    pub fn all_units(&self, class: RegClass) -> RegUnits {
        self.all_units[class.index()]
    }

    /// How many registers of the class are outside `avoid`.
    pub fn room(&self, class: RegClass, avoid: RegUnits) -> usize {
        self.class(class).order.iter().filter(|reg| !self.units(**reg).intersects(avoid)).count()
    }

    /// Whether the class has a register with none of the `busy` units.
    pub fn has_free(&self, class: RegClass, busy: RegUnits) -> bool {
        self.first_free(class, busy).is_some()
    }

    /// Whether class `a` is a proper subset of `b`.
    pub fn is_narrower(&self, a: u8, b: u8) -> bool {
        let (a, b) = (&self.members[usize::from(a)], &self.members[usize::from(b)]);
        a != b && *a != [0; 4] && a.iter().zip(b).all(|(a, b)| a & !b == 0)
    }
}
