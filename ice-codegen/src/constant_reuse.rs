//! Constants that are in a register already, made by an instruction before.
//!
//! Where an address or a large number takes several instructions, the register that one use made serves those that
//! it dominates as well, if no loop begins or ends between the two: what loops keep while they run has a plan of its
//! own ([`constant_hoisting`](crate::constant_hoisting)). Only the last `MAX_KEPT` constants are remembered, so that few
//! registers live long. (Muchnick, *Advanced Compiler Design and Implementation*, 13.1; LLVM does it in MachineCSE.)
//!
//! A constant whose blocks the order puts behind its use is made anew: only what was lowered is known.
//!
//! Requires: the loop forest and the dominator tree of the function. Preserves: the function.
//! Cost: constant for each block and each constant.

use crate::constant_hoisting::Constant;
use crate::mach::VReg;
use alloc::vec::Vec;
use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::PackedOption;
use ice_ir::{Block, DominatorTree, Function, LoopForest};

/// Most constants that are remembered.
const MAX_KEPT: usize = 8;

/// Where a block is.
#[derive(Clone, Copy)]
struct Scope {
    /// Its number in a preorder of the dominator tree, and how many blocks it dominates.
    number: u32,
    size: u32,
    /// The header of the smallest loop around it.
    header: PackedOption<Block>,
}

/// A constant in a register from a use in `block` on.
#[derive(Clone, Copy)]
struct Kept {
    constant: Constant,
    reg: VReg,
    block: Block,
}

/// The constants of one function that are in registers. Reused from function to function.
#[derive(Default)]
pub struct KeptConstants {
    /// Of every block; empty if nothing is remembered.
    scopes: Vec<Scope>,
    kept: Vec<Kept>,
    /// The one that the next takes the place of, once there are `MAX_KEPT`.
    oldest: usize,
}

impl KeptConstants {
    /// Remembers nothing, from now on.
    pub fn clear(&mut self) {
        self.scopes.clear();
        self.kept.clear();
        self.oldest = 0;
    }

    /// Begins with a function.
    pub fn begin(&mut self, func: &Function, loops: &LoopForest, tree: &DominatorTree) {
        self.clear();
        self.scopes.extend((0..func.num_blocks()).map(|index| {
            let block = Block::new(index);
            let (number, size) = tree.dominated(block);
            Scope { number, size, header: loops.innermost(block).into() }
        }));
    }

    /// The register that has `constant` on every path to where the walk is in `block`.
    #[inline]
    pub(crate) fn find(&self, block: Block, constant: Constant) -> Option<VReg> {
        let kept = self.kept.iter().rev().find(|kept| kept.constant == constant)?;
        let [above, below] = [kept.block, block].map(|block| self.scopes[block.index()]);
        let is_reached = below.number.wrapping_sub(above.number) < above.size && above.header == below.header;
        is_reached.then_some(kept.reg)
    }

    /// Remembers that `reg` has `constant` from here on in `block`.
    pub(crate) fn keep(&mut self, block: Block, constant: Constant, reg: VReg) {
        if self.scopes.is_empty() {
            return;
        }
        let kept = Kept { constant, reg, block };
        if let Some(other) = self.kept.iter_mut().find(|other| other.constant == constant) {
            *other = kept;
        } else if self.kept.len() < MAX_KEPT {
            self.kept.push(kept);
        } else {
            self.kept[self.oldest] = kept;
            self.oldest = (self.oldest + 1) % MAX_KEPT;
        }
    }
}
