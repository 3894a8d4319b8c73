//! Addresses that step: an addition to the base of an access becomes its writeback.
//!
//! | before | after |
//! |---|---|
//! | `load rd, [rn]`, then `add rn, rn, c` soon after | `load rd, [rn], c` |
//! | `add rn, rn, c`, then at once `load rd, [rn]` | `load rd, [rn, c]!` |
//!
//! and so for stores. What stands between the access and the addition must not touch rn, and the addition must not be wanted for
//! anything but its result.
//!
//! Cost: for each access at a register alone the next few instructions.

use super::{AllocatedCode, Doer, Pair, later};
use crate::mach::{MachInst, MachInstId, VReg};
use ice_regalloc::Allocation;

/// How far behind an access the addition may be.
const WINDOW: usize = 5;

/// When the base of an access moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Before the access.
    Before,
    /// Behind it.
    Behind,
}

/// What an access adds to its base.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Writeback {
    /// When.
    pub when: When,
    /// How much.
    pub amount: i32,
}

/// What is asked of the instructions of a machine whose accesses have writeback.
pub trait SteppingInst: MachInst {
    /// The base of a load or store at a register alone that can have a writeback, and whether it is a load. The operands of a load
    /// are the base and what is loaded, those of a store what is stored, if that is in a register, and the base.
    fn access_at_register(&self) -> Option<(VReg, bool)>;

    /// The base, the result and the amount of an addition of a constant.
    fn step(&self) -> Option<(VReg, VReg, i32)>;

    /// Whether the access can have a writeback of this amount.
    fn steps_by(&self, amount: i32) -> bool;

    /// Whether the instruction does nothing but read and write its operands and memory.
    fn is_plain(&self) -> bool;

    /// Whether something behind an addition that gives `to` wants more of it than that.
    fn is_wanted(_behind: &[Self], _to: VReg) -> bool {
        false
    }

    /// Whether an access and an addition can begin with the instruction.
    #[inline(always)]
    fn may_begin(&self) -> bool {
        self.access_at_register().is_some() || self.step().is_some()
    }
}

/// An access at a register alone.
#[derive(Clone, Copy, Debug)]
pub struct SteppingAccess {
    base: VReg,
    /// Where the base is.
    pub place: Allocation,
    /// What is loaded or stored; `None` if that is in no register.
    pub data: Option<Allocation>,
}

impl<I: SteppingInst> AllocatedCode<'_, I> {
    /// The access that `inst` is, if it can have a writeback.
    pub fn stepping_access(self, id: MachInstId, inst: &I) -> Option<SteppingAccess> {
        let (base, is_load) = inst.access_at_register()?;
        let (place, data) = match (self.places(id), is_load) {
            (&[place, data], true) | (&[data, place], false) => (place, Some(data)),
            (&[place], false) => (place, None),
            _ => return None,
        };
        let in_register = |data: Allocation| data.as_reg().is_some() && data != place;
        let can_step = place.as_reg().is_some() && data.is_none_or(in_register);
        can_step.then_some(SteppingAccess { base, place, data })
    }

    /// The writeback of an access, which begins with `inst`: the access or the addition. See [`Plan::make`](super::Plan::make).
    pub fn writeback(self, id: MachInstId, inst: &I, taken: u32, end: usize) -> Option<Pair<Writeback>> {
        match inst.step() {
            Some((_, to, amount)) => self.is_step_before(id, to, amount, end).then_some(Pair {
                between: 0,
                doer: Doer::Second,
                fusion: Writeback { when: When::Before, amount },
            }),
            None => {
                let access = self.stepping_access(id, inst)?;
                let (between, amount) = self.step_behind(id, inst, access, taken, end)?;
                Some(Pair { between, doer: Doer::First, fusion: Writeback { when: When::Behind, amount } })
            }
        }
    }

    /// An addition to the base soon behind an access, that is not part of another pair.
    fn step_behind(
        self,
        id: MachInstId,
        inst: &I,
        access: SteppingAccess,
        taken: u32,
        end: usize,
    ) -> Option<(usize, i32)> {
        let behind = self.behind(id, end);
        let near = &behind[..behind.len().min(WINDOW)];
        // Mostly there is none.
        if !near.iter().any(|inst| inst.step().is_some_and(|(from, ..)| from == access.base)) {
            return None;
        }
        let place = access.place;
        for (n, next) in near.iter().enumerate() {
            let at = later(id, n + 1);
            let places = self.places(at);
            if let Some((from, to, amount)) = next.step()
                && from == access.base
            {
                let is_alone = taken & 1 << n == 0
                    && places == [place, place]
                    && inst.steps_by(amount)
                    && !I::is_wanted(&behind[n + 1..], to)
                    && !self.is_edited(place, id, at);
                return is_alone.then_some((n, amount));
            }
            if !next.is_plain() || places.contains(&place) {
                return None;
            }
        }
        None
    }

    /// Whether the instruction behind the addition `id`, which gives `to`, is an access there that can take it.
    fn is_step_before(self, id: MachInstId, to: VReg, amount: i32, end: usize) -> bool {
        let behind = self.behind(id, end);
        let (Some(inst), next) = (behind.first(), later(id, 1)) else { return false };
        self.stepping_access(next, inst).is_some_and(|access| {
            access.base == to
                && self.places(id) == [access.place, access.place]
                && inst.steps_by(amount)
                && !I::is_wanted(behind, to)
                && !self.is_edited(access.place, id, next)
        })
    }
}
