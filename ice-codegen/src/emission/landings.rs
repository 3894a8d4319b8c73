//! The blocks that begin in a way of their own, because control comes there by an indirect jump: in confined code those
//! that jump tables lead to, which begin at starts of bundles; where branches are tracked, those that exceptions lead to,
//! which begin with an instruction that says so.
//!
//! Cost: a word for each entry of a table, and nothing in a function without one.

use crate::mach::{MachBlock, MachFunction, MachInst};
use crate::target::Confinement;
use alloc::vec::Vec;

/// The blocks of a function that jump tables lead to. Reused from function to function.
#[derive(Default)]
pub struct Landings {
    /// One for each block, or empty where there are none.
    blocks: Vec<bool>,
}

impl Landings {
    /// Those of a function whose code is confined like this.
    pub fn compute<I: MachInst>(&mut self, confinement: Confinement, mach: &MachFunction<I>) {
        self.blocks.clear();
        if confinement != Confinement::None {
            self.add_tables(mach);
        }
    }

    /// Adds the blocks that jump tables lead to.
    pub fn add_tables<I: MachInst>(&mut self, mach: &MachFunction<I>) {
        for switch in mach.tables.switches() {
            if !switch.plan.entries.is_empty() {
                self.blocks.resize(mach.num_blocks(), false);
            }
            for block in &switch.plan.entries {
                // One that is not there is found when the table is written.
                if let Some(is_landing) = self.blocks.get_mut(block.as_u32() as usize) {
                    *is_landing = true;
                }
            }
        }
    }

    /// Adds a block.
    pub fn add<I: MachInst>(&mut self, mach: &MachFunction<I>, block: MachBlock) {
        self.blocks.resize(mach.num_blocks(), false);
        // One that is not there is found when something goes to it.
        if let Some(is_landing) = self.blocks.get_mut(block.as_u32() as usize) {
            *is_landing = true;
        }
    }

    /// Adds those that control gets to from elsewhere where branches are tracked: by an exception, to the block that `pad` says of
    /// an instruction, and by addresses of labels.
    #[cold]
    pub fn add_entries<I: MachInst>(
        &mut self,
        mach: &MachFunction<I>,
        pad: impl Fn(&I) -> Option<MachBlock>,
    ) {
        if mach.exceptions.is_some() {
            mach.insts().iter().filter_map(pad).for_each(|pad| self.add(mach, pad));
        }
        mach.tables.labels.iter().for_each(|&(_, block)| self.add(mach, block));
    }

    /// Whether there is none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Whether the block is one of them.
    #[inline(always)]
    pub fn has(&self, block: MachBlock) -> bool {
        self.blocks.get(block.as_u32() as usize).is_some_and(|&is_landing| is_landing)
    }
}
