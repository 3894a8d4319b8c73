//! What the inner loops ask about a register file, laid out for them.
//!
//! Data: arrays that a register number indexes without a bounds check; and for each class its order
//! as sets of units, in each of which the lowest free unit is the register to take. They are filled
//! when the register file is another one than before; a file's tables are immutable statics, so their
//! addresses tell.

use crate::registers::{ClassInfo, PReg, RegClass, RegUnits, RegisterFile, RegisterInfo};
use alloc::vec::Vec;

/// The tables of one register file.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    regs: &'static [RegisterInfo],
    classes: &'static [ClassInfo],
    units: [RegUnits; 256],
    /// For each register that has one unit only, which, else 255.
    only_unit: [u8; 256],
    /// For each class, the set of its registers.
    members: Vec<[u64; 4]>,
    /// For each class, its order.
    orders: Vec<Order>,
    /// For each unit, a register that has no other.
    reg_of_unit: [u8; 128],
}

/// The order of a class: while its registers have one unit each and the units rise, they are a set.
#[derive(Clone, Copy, Debug)]
struct Order {
    /// First registers, and those after them.
    runs: [RegUnits; 2],
    /// What is left.
    rest: &'static [PReg],
}

impl Default for Tables {
    fn default() -> Tables {
        Tables {
            regs: &[],
            classes: &[],
            units: [RegUnits::EMPTY; 256],
            only_unit: [u8::MAX; 256],
            members: Vec::new(),
            orders: Vec::new(),
            reg_of_unit: [0; 128],
        }
    }
}

impl Tables {
    /// Makes these the tables of `file`.
    pub fn set(&mut self, file: &RegisterFile) {
        if core::ptr::eq(self.regs, file.regs) && core::ptr::eq(self.classes, file.classes) {
            return;
        }
        (self.regs, self.classes) = (file.regs, file.classes);
        self.units = [RegUnits::EMPTY; 256];
        self.only_unit = [u8::MAX; 256];
        for (units, reg) in self.units.iter_mut().zip(file.regs) {
            *units = reg.units;
        }
        for (n, reg) in file.regs.iter().enumerate().rev().filter(|(_, reg)| reg.units.len() == 1) {
            let unit = reg.units.0.trailing_zeros();
            self.reg_of_unit[unit as usize] = n as u8;
            self.only_unit[n] = unit as u8;
        }
        self.orders.clear();
        self.members.clear();
        for class in file.classes {
            let mut members = [0; 4];
            for reg in class.order {
                members[reg.index() / 64] |= 1 << (reg.index() % 64);
            }
            self.members.push(members);
            let mut order = Order { runs: [RegUnits::EMPTY; 2], rest: class.order };
            for run in &mut order.runs {
                while let [reg, rest @ ..] = order.rest
                    && self.units(*reg).len() == 1
                    && self.reg_of(self.units(*reg)) == *reg
                    && self.units(*reg).0 > run.0
                {
                    run.insert(self.units(*reg));
                    order.rest = rest;
                }
            }
            self.orders.push(order);
        }
    }

    /// The register that consists of the lowest of these units.
    #[inline]
    fn reg_of(&self, units: RegUnits) -> PReg {
        PReg(self.reg_of_unit[units.0.trailing_zeros() as usize % 128])
    }

    /// The first register of the class that has none of the `busy` units.
    #[inline]
    pub fn first_free(&self, class: RegClass, busy: RegUnits) -> Option<PReg> {
        let order = &self.orders[class.index()];
        for run in order.runs {
            let free = run.difference(busy);
            if !free.is_empty() {
                return Some(self.reg_of(free));
            }
        }
        order.rest.iter().find(|&&reg| !self.units(reg).intersects(busy)).copied()
    }

    #[inline]
    pub fn units(&self, reg: PReg) -> RegUnits {
        self.units[reg.index()]
    }

    /// The unit of a register that has one only, else a number past all units.
    #[inline]
    pub fn only_unit(&self, reg: PReg) -> usize {
        self.only_unit[reg.index()].into()
    }

    #[inline]
    pub fn class(&self, class: RegClass) -> &'static ClassInfo {
        &self.classes[class.index()]
    }

    /// Whether the class may give out `reg`.
    #[inline]
    pub fn in_class(&self, class: RegClass, reg: u8) -> bool {
        self.members[class.index()][usize::from(reg) / 64] >> (reg % 64) & 1 != 0
    }

    /// How many registers of the class are outside `avoid`.
    pub fn room(&self, class: RegClass, avoid: RegUnits) -> usize {
        self.class(class).order.iter().filter(|reg| !self.units(**reg).intersects(avoid)).count()
    }

    /// Whether class `a` is a proper subset of `b`.
    pub fn is_narrower(&self, a: u8, b: u8) -> bool {
        let (a, b) = (&self.members[usize::from(a)], &self.members[usize::from(b)]);
        a != b && *a != [0; 4] && a.iter().zip(b).all(|(a, b)| a & !b == 0)
    }
}
