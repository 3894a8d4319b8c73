//! Proof that emission does each instruction once, in debug builds.
//!
//! Writeback, conditional execution and fused comparisons let one instruction do the work of another, or write a block
//! out of its turn. Whoever does an instruction notes it here; at the end each has one note: it did itself, was part of
//! one other, or is made again wherever it is needed. Two notes, or none, end the compilation with both named.
//!
//! Release builds keep no notes.

use crate::internal::describe;
use crate::mach::{MachBlock, MachFunction, MachInst, MachInstId};
use alloc::vec::Vec;
use cranelift_entity::EntityRef;

/// Who did an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Doer {
    Nobody,
    Itself,
    /// A value that is made again where it is used has no code of its own.
    Users,
    Other(MachInstId),
    /// Control does not come there.
    Nowhere,
}

/// The notes on one function.
#[derive(Default, Debug)]
pub struct Ledger {
    doers: Vec<Doer>,
}

impl Ledger {
    /// Begins a function.
    pub fn begin<I: MachInst>(&mut self, mach: &MachFunction<I>) {
        if cfg!(debug_assertions) {
            self.doers.clear();
            self.doers.resize(mach.insts().len(), Doer::Nobody);
        }
    }

    /// Notes that an instruction was written where it stands.
    #[inline(always)]
    pub fn itself<I: MachInst>(&mut self, mach: &MachFunction<I>, inst: MachInstId) {
        self.note(mach, inst, Doer::Itself);
    }

    /// Notes that an instruction is left to those who use its result.
    #[inline(always)]
    pub fn left_to_users<I: MachInst>(&mut self, mach: &MachFunction<I>, inst: MachInstId) {
        self.note(mach, inst, Doer::Users);
    }

    /// Notes that `other` did an instruction.
    #[inline(always)]
    pub fn part_of<I: MachInst>(&mut self, mach: &MachFunction<I>, inst: MachInstId, other: MachInstId) {
        self.note(mach, inst, Doer::Other(other));
    }

    /// Notes that nothing goes to a block.
    pub fn passed<I: MachInst>(&mut self, mach: &MachFunction<I>, block: MachBlock) {
        if cfg!(debug_assertions) {
            mach.inst_range(block).for_each(|inst| self.note(mach, MachInstId::new(inst), Doer::Nowhere));
        }
    }

    #[inline(always)]
    fn note<I: MachInst>(&mut self, mach: &MachFunction<I>, inst: MachInstId, doer: Doer) {
        if cfg!(debug_assertions) {
            let before = core::mem::replace(&mut self.doers[inst.as_u32() as usize], doer);
            assert!(before == Doer::Nobody, "{}: done by {before:?} and by {doer:?}", describe(mach, inst));
        }
    }

    /// Checks that nothing was left out.
    pub fn check<I: MachInst>(&self, mach: &MachFunction<I>) {
        if cfg!(debug_assertions) {
            for (index, doer) in self.doers.iter().enumerate() {
                let inst = MachInstId::from_u32(index as u32);
                assert!(*doer != Doer::Nobody, "{}: nobody did it", describe(mach, inst));
            }
        }
    }
}
