//! Addresses that step: an addition to the base of an access becomes its writeback.
//!
//! | before | after |
//! |---|---|
//! | `ldr rd, [rn]`, then `add rn, rn, #c` soon after | `ldr rd, [rn], #c` |
//! | `add rn, rn, #c`, then at once `ldr rd, [rn]` | `ldr rd, [rn, #c]!` |
//!
//! and so for stores (DDI 0406C A8.5). What stands between the access and the addition must not touch rn, and the
//! addition must not be the one whose flags a comparison wants.
//!
//! Which access takes which addition is a [`Plan`] for the block, made once, at the first instruction that can be
//! part of a pair and for all behind it. In it an access takes one addition at most and an addition goes into one
//! access at most, whatever stands between the two of a pair, other pairs included.
//!
//! Cost: for each access at a register alone the next few instructions; nothing for blocks without one.

use super::AllocatedCode;
use super::compare::is_tested;
use super::predicate::size;
use crate::inst::{Base, Inst, Src};
use alloc::vec::Vec;
use ice_asm::arm32::{Alu, Flags, Index, Transfer};
use ice_codegen::mach::{MachInstId, VReg};
use ice_regalloc::{Allocation, ProgPoint};

/// How far behind an access the addition may be.
const WINDOW: usize = 5;

/// What becomes of an instruction of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// An access that also does the addition `step`.
    Steps { index: Index, amount: i32, step: MachInstId },
    /// An addition that an access does.
    InAccess,
}

/// The pairs of the block that is written.
#[derive(Default)]
pub(crate) struct Plan {
    /// Instructions that are part of a pair, in order.
    fates: Vec<(MachInstId, Fate)>,
    /// The first of them that the walk has not come to.
    next: usize,
    is_made: bool,
}

impl Plan {
    /// Forgets the pairs of another block.
    pub(crate) fn clear(&mut self) {
        (self.next, self.is_made) = (0, false);
        self.fates.clear();
    }

    /// Whether the pairs of the block are known from here on.
    pub(crate) fn is_made(&self) -> bool {
        self.is_made
    }

    /// The next instruction that is part of a pair.
    pub(crate) fn upcoming(&self) -> Option<MachInstId> {
        self.fates.get(self.next).map(|&(inst, _)| inst)
    }

    /// What becomes of that instruction; the one behind it is then the next.
    pub(crate) fn take(&mut self) -> Option<Fate> {
        let &(_, fate) = self.fates.get(self.next)?;
        self.next += 1;
        Some(fate)
    }

    /// Plans the pairs of the block that ends before the index `end`, from the instruction `at` on, if it can begin one and
    /// there is no plan yet. Says whether it planned.
    #[inline(always)]
    pub(crate) fn make(&mut self, code: AllocatedCode<'_>, at: MachInstId, inst: &Inst, end: usize) -> bool {
        let makes = !self.is_made && may_begin(inst);
        if makes {
            self.find(code, at, end);
        }
        makes
    }

    #[inline(never)]
    fn find(&mut self, code: AllocatedCode<'_>, at: MachInstId, end: usize) {
        self.is_made = true;
        // Bit n: whether the n-th instruction behind the present one is part of a pair.
        let mut taken = 0_u32;
        let mut id = at;
        while (id.as_u32() as usize) < end {
            let is_taken = taken & 1 != 0;
            taken >>= 1;
            let inst = &code.mach.insts()[id.as_u32() as usize];
            if !is_taken
                && may_begin(inst)
                && let Some((n, index, amount)) = code.pair(id, inst, taken, end)
            {
                taken |= 1 << n;
                let other = later(id, n + 1);
                let (access, step) = if step(inst).is_some() { (other, id) } else { (id, other) };
                self.fates.push((access, Fate::Steps { index, amount, step }));
                self.fates.push((step, Fate::InAccess));
            }
            id = later(id, 1);
        }
        self.fates.sort_unstable_by_key(|&(inst, _)| inst);
    }
}

/// A load or store of a core register at a register alone.
pub(crate) struct Access {
    pub(crate) op: Transfer,
    base: VReg,
    /// Where the base is, and what is loaded or stored.
    pub(crate) place: Allocation,
    pub(crate) data: Allocation,
}

/// The base, the result and the amount of an addition of a constant.
fn step(inst: &Inst) -> Option<(VReg, VReg, i32)> {
    match *inst {
        Inst::Alu { op: Alu::Add, flags: Flags::Keep, dst, lhs, rhs: Src::Imm(imm) } => {
            Some((lhs, dst, imm.value() as i32))
        }
        Inst::Alu { op: Alu::Sub, flags: Flags::Keep, dst, lhs, rhs: Src::Imm(imm) } => {
            Some((lhs, dst, (imm.value() as i32).wrapping_neg()))
        }
        _ => None,
    }
}

/// Whether a pair can begin with the instruction.
fn may_begin(inst: &Inst) -> bool {
    match inst {
        Inst::Load { mem, .. } | Inst::Store { mem, .. } => mem.is_register(),
        _ => step(inst).is_some(),
    }
}

/// Whether a writeback of the access can have this amount.
fn fits(op: Transfer, amount: i32) -> bool {
    amount.unsigned_abs() & !(op.max_offset() as u32) == 0
}

/// The instruction `n` further on.
fn later(inst: MachInstId, n: usize) -> MachInstId {
    MachInstId::from_u32(inst.as_u32() + n as u32)
}

impl AllocatedCode<'_> {
    /// The access that `inst` is, if it can have a writeback.
    pub(crate) fn access(self, id: MachInstId, inst: &Inst) -> Option<Access> {
        let (op, mem) = match *inst {
            Inst::Load { op, mem, .. } | Inst::Store { op, mem, .. } if mem.is_register() => (op, mem),
            _ => return None,
        };
        let (Base::Reg(base), &[first, second]) = (mem.base, self.places(id)) else {
            return None;
        };
        let is_load = matches!(inst, Inst::Load { .. });
        let (place, data) = if is_load { (first, second) } else { (second, first) };
        let can_step = place.as_reg().is_some() && data.as_reg().is_some() && place != data && !op.is_dual();
        can_step.then_some(Access { op, base, place, data })
    }

    /// How many instructions stand between `inst` and the other of its pair, and the writeback of the access.
    fn pair(self, id: MachInstId, inst: &Inst, taken: u32, end: usize) -> Option<(usize, Index, i32)> {
        match step(inst) {
            Some((_, to, amount)) => {
                self.is_step_before(id, to, amount, end).then_some((0, Index::Pre, amount))
            }
            None => {
                let access = self.access(id, inst)?;
                self.step_behind(id, &access, taken, end).map(|(n, amount)| (n, Index::Post, amount))
            }
        }
    }

    /// An addition to the base soon behind an access, that is not part of another pair.
    fn step_behind(self, id: MachInstId, access: &Access, taken: u32, end: usize) -> Option<(usize, i32)> {
        let behind = self.behind(id, end);
        let near = &behind[..behind.len().min(WINDOW)];
        // Mostly there is none.
        if !near.iter().any(|inst| step(inst).is_some_and(|(from, ..)| from == access.base)) {
            return None;
        }
        let place = access.place;
        for (n, inst) in near.iter().enumerate() {
            let at = later(id, n + 1);
            let allocs = self.places(at);
            if let Some((from, to, amount)) = step(inst)
                && from == access.base
            {
                let is_alone = taken & 1 << n == 0
                    && allocs == [place, place]
                    && fits(access.op, amount)
                    && !is_tested(&behind[n + 1..], to)
                    && !self.is_edited(place, id, at);
                return is_alone.then_some((n, amount));
            }
            let is_plain =
                size(inst).is_some() || matches!(inst, Inst::Compare { .. } | Inst::TestZero { .. });
            if !is_plain || allocs.contains(&place) {
                return None;
            }
        }
        None
    }

    /// Whether the instruction behind the addition `id`, which gives `to`, is an access there that can take it.
    fn is_step_before(self, id: MachInstId, to: VReg, amount: i32, end: usize) -> bool {
        let behind = self.behind(id, end);
        let next = later(id, 1);
        behind.first().and_then(|inst| self.access(next, inst)).is_some_and(|access| {
            access.base == to
                && self.places(id) == [access.place, access.place]
                && fits(access.op, amount)
                && !is_tested(behind, to)
                && !self.is_edited(access.place, id, next)
        })
    }

    /// Whether an edit between two instructions reads or writes the place.
    fn is_edited(self, place: Allocation, from: MachInstId, to: MachInstId) -> bool {
        let edits = &self.allocation.edits;
        let start = edits.partition_point(|edit| edit.point < ProgPoint::after(from));
        let between = edits[start..].iter().take_while(|edit| edit.point <= ProgPoint::before(to));
        between.into_iter().any(|edit| edit.from == place || edit.to == place)
    }
}
