//! What the inner loops ask about a register file, laid out for them.
//!
//! Data: arrays that a register number indexes without a bounds check. They are filled when the
//! register file is another one than before; a file's tables are immutable statics, so their
//! addresses tell.

use crate::registers::{ClassInfo, PReg, RegClass, RegUnits, RegisterFile, RegisterInfo};
use alloc::vec::Vec;

/// The tables of one register file.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    regs: &'static [RegisterInfo],
    classes: &'static [ClassInfo],
    units: [RegUnits; 256],
    /// For each class, the set of its registers.
    members: Vec<[u64; 4]>,
}

impl Default for Tables {
    fn default() -> Tables {
        Tables { regs: &[], classes: &[], units: [RegUnits::EMPTY; 256], members: Vec::new() }
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
        for (units, reg) in self.units.iter_mut().zip(file.regs) {
            *units = reg.units;
        }
        self.members.clear();
        for class in file.classes {
            let mut members = [0; 4];
            for reg in class.order {
                members[reg.index() / 64] |= 1 << (reg.index() % 64);
            }
            self.members.push(members);
        }
    }

    #[inline]
    pub fn units(&self, reg: PReg) -> RegUnits {
        self.units[reg.index()]
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
