//! Addresses that step: an addition to the base of an access becomes its writeback.
//!
//! | before | after |
//! |---|---|
//! | `load rd, [rn]`, then `add rn, rn, c` soon after | `load rd, [rn], c` |
//! | `add rn, rn, c`, then `load rd, [rn]` soon after | `load rd, [rn, c]!` |
//!
//! and so for stores. What stands between the access and the addition must not touch rn, and the addition must not be wanted for
//! anything but its result.
//!
//! Cost: for each addition of a constant a look at the recent accesses at registers alone, and for each of these one at the recent
//! additions.

use super::{AllocatedCode, Doer, Pair, Recent, later};
use crate::mach::{MachInst, MachInstId, VReg};
use ice_regalloc::Allocation;

/// How far apart the access and the addition may be.
const WINDOW: u32 = 5;

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

    /// Whether the addition `step` of `amount`, which gives `to`, can be part of the access `first` in front of it.
    fn steps_behind(
        self,
        first: MachInstId,
        step: MachInstId,
        (to, amount): (VReg, i32),
        end: usize,
    ) -> bool {
        let inst = &self.mach.insts()[first.as_u32() as usize];
        let Some(SteppingAccess { place, .. }) = self.stepping_access(first, inst) else { return false };
        self.places(step) == [place, place]
            && inst.steps_by(amount)
            && self.is_untouched(place, first, step)
            && !I::is_wanted(self.behind(step, end), to)
    }

    /// Whether what stands between two instructions does nothing but read and write other places and memory.
    fn is_untouched(self, place: Allocation, from: MachInstId, to: MachInstId) -> bool {
        let mut between = self.behind(from, to.as_u32() as usize).iter().enumerate();
        between.all(|(n, inst)| inst.is_plain() && !self.places(later(from, n + 1)).contains(&place))
            && !self.is_edited(place, from, to)
    }

    /// Whether the addition `step` of `amount`, which gives `to`, can be part of the access `id` behind it.
    fn steps_before(self, step: MachInstId, id: MachInstId, (to, amount): (VReg, i32), end: usize) -> bool {
        let inst = &self.mach.insts()[id.as_u32() as usize];
        self.stepping_access(id, inst).is_some_and(|SteppingAccess { base, place, .. }| {
            base == to
                && self.places(step) == [place, place]
                && inst.steps_by(amount)
                && self.is_untouched(place, step, id)
                && !I::is_wanted(self.behind(step, end), to)
        })
    }
}

/// What writebacks of a block are found by.
#[derive(Clone, Copy, Default, Debug)]
pub struct Writebacks {
    /// Accesses and their bases.
    accesses: Recent<VReg>,
    /// Additions that are part of no pair: their results and amounts.
    steps: Recent<(VReg, i32)>,
}

impl Writebacks {
    /// The writeback that the instruction `id` of a block up to the index `end` completes. See
    /// [`Plan::make`](super::Plan::make).
    #[inline]
    pub fn find<I: SteppingInst>(
        &mut self,
        code: AllocatedCode<'_, I>,
        id: MachInstId,
        inst: &I,
        end: usize,
    ) -> Option<Pair<Writeback>> {
        match (inst.step(), inst.access_at_register()) {
            (Some((from, to, amount)), _) => self.behind(code, id, (from, to, amount), end),
            (None, Some((base, _))) => self.before(code, id, base, end),
            (None, None) => None,
        }
    }

    /// Takes an access out, which is part of another pair.
    pub fn forget(&mut self, access: MachInstId) {
        self.accesses.forget(access);
    }

    fn behind<I: SteppingInst>(
        &mut self,
        code: AllocatedCode<'_, I>,
        id: MachInstId,
        (from, to, amount): (VReg, VReg, i32),
        end: usize,
    ) -> Option<Pair<Writeback>> {
        if let Some((first, _)) = self.accesses.latest(id, WINDOW, |&base| base == from)
            && code.steps_behind(first, id, (to, amount), end)
        {
            self.forget(first);
            let fusion = Writeback { when: When::Behind, amount };
            return Some(Pair { first, doer: Doer::First, fusion });
        }
        self.steps.push(id, (to, amount));
        None
    }

    #[inline]
    fn before<I: SteppingInst>(
        &mut self,
        code: AllocatedCode<'_, I>,
        id: MachInstId,
        base: VReg,
        end: usize,
    ) -> Option<Pair<Writeback>> {
        if let Some((first, step)) = self.steps.latest(id, WINDOW, |&(to, _)| to == base)
            && code.steps_before(first, id, step, end)
        {
            self.steps.forget(first);
            let fusion = Writeback { when: When::Before, amount: step.1 };
            return Some(Pair { first, doer: Doer::Second, fusion });
        }
        self.accesses.push(id, base);
        None
    }
}
