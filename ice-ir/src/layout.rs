//! The instructions of a function and the order of blocks and instructions: two doubly linked lists over dense
//! vectors.
//!
//! An instruction is kept with its result and its neighbours in 32 bytes, so that making it is one store behind
//! the others, and a walk in order finds everything at one place. Moving an instruction changes links alone. Every
//! operation is constant time; nothing is freed before the function is cleared.

use alloc::vec::Vec;

use crate::entities::{Block, Inst, Value};
use crate::instruction::InstData;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap};

#[derive(Clone, Copy, Default)]
struct BlockNode {
    prev: PackedOption<Block>,
    next: PackedOption<Block>,
    first: PackedOption<Inst>,
    last: PackedOption<Inst>,
}

/// An instruction; outside of any block it has no neighbours.
#[derive(Clone, Copy)]
pub struct InstNode {
    data: InstData,
    result: PackedOption<Value>,
    links: Links,
}

impl InstNode {
    /// What it does.
    #[inline]
    pub fn data(&self) -> &InstData {
        &self.data
    }

    /// Its result, if it has one.
    #[inline]
    pub fn result(&self) -> Option<Value> {
        self.result.expand()
    }

    /// The block that holds it, if any does.
    #[inline]
    pub fn block(&self) -> Option<Block> {
        self.links.block.expand()
    }

    /// The instruction after it in its block.
    #[inline]
    pub fn next(&self) -> Option<Inst> {
        self.links.next.expand()
    }

    /// The instruction before it in its block.
    #[inline]
    pub fn prev(&self) -> Option<Inst> {
        self.links.prev.expand()
    }
}

#[derive(Clone, Copy, Default)]
struct Links {
    block: PackedOption<Block>,
    prev: PackedOption<Inst>,
    next: PackedOption<Inst>,
}

/// Instructions of one function, and the order of its blocks and of the instructions in them.
#[derive(Clone, Default)]
pub struct Layout {
    blocks: Vec<BlockNode>,
    insts: PrimaryMap<Inst, InstNode>,
    first: PackedOption<Block>,
    last: PackedOption<Block>,
}

impl Layout {
    /// Forgets everything, and gets room for so many instructions.
    pub fn make_room(&mut self, insts: usize) {
        self.clear();
        self.insts = PrimaryMap::with_capacity(insts);
    }

    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.insts.clear();
        self.first = None.into();
        self.last = None.into();
    }

    /// The entry block.
    pub fn entry(&self) -> Option<Block> {
        self.first.expand()
    }

    /// The block at the end.
    pub fn last_block(&self) -> Option<Block> {
        self.last.expand()
    }

    /// The block after `block`.
    pub fn next_block(&self, block: Block) -> Option<Block> {
        self.block_node(block).next.expand()
    }

    /// The block before `block`.
    pub fn prev_block(&self, block: Block) -> Option<Block> {
        self.block_node(block).prev.expand()
    }

    /// The first instruction of `block`.
    pub fn first_inst(&self, block: Block) -> Option<Inst> {
        self.block_node(block).first.expand()
    }

    /// The first instruction of each block, in the order of the numbers of blocks.
    pub fn first_insts(&self) -> impl Iterator<Item = Option<Inst>> {
        self.blocks.iter().map(|node| node.first.expand())
    }

    /// The last instruction of `block`: its terminator in a complete function.
    pub fn last_inst(&self, block: Block) -> Option<Inst> {
        self.block_node(block).last.expand()
    }

    /// The instruction after `inst` in its block.
    #[inline]
    pub fn next_inst(&self, inst: Inst) -> Option<Inst> {
        self.inst(inst).next()
    }

    /// The instruction before `inst` in its block.
    pub fn prev_inst(&self, inst: Inst) -> Option<Inst> {
        self.inst(inst).prev()
    }

    /// The block that holds `inst`, if any does.
    #[inline]
    pub fn block_of(&self, inst: Inst) -> Option<Block> {
        self.inst(inst).block()
    }

    /// Puts `blocks`, the ones with the next numbers, at the end of the function.
    pub fn append_blocks(&mut self, blocks: core::ops::Range<u32>) {
        debug_assert_eq!(blocks.start as usize, self.blocks.len());
        if blocks.is_empty() {
            return;
        }
        let (first, last) = (Block::from_u32(blocks.start), Block::from_u32(blocks.end - 1));
        let before = core::mem::replace(&mut self.last, last.into());
        match before.expand() {
            Some(before) => self.blocks[before.index()].next = first.into(),
            None => self.first = first.into(),
        }
        self.blocks.extend(blocks.map(|block| BlockNode {
            prev: block.checked_sub(1).map(Block::from_u32).into(),
            next: Block::from_u32(block + 1).into(),
            ..BlockNode::default()
        }));
        self.blocks[first.index()].prev = before;
        self.blocks[last.index()].next = None.into();
    }

    /// Puts `block`, the one with the next number, behind `after`.
    pub fn insert_block_after(&mut self, after: Block, block: Block) {
        debug_assert_eq!(block.index(), self.blocks.len());
        let next = core::mem::replace(&mut self.blocks[after.index()].next, block.into());
        self.blocks.push(BlockNode { prev: after.into(), next, ..BlockNode::default() });
        match next.expand() {
            Some(next) => self.blocks[next.index()].prev = block.into(),
            None => self.last = block.into(),
        }
    }

    #[inline]
    fn block_node(&self, block: Block) -> &BlockNode {
        &self.blocks[block.index()]
    }

    // ---- instructions

    /// A new instruction outside any block.
    pub(crate) fn make_inst(&mut self, data: InstData, result: PackedOption<Value>) -> Inst {
        self.insts.push(InstNode { data, result, links: Links::default() })
    }

    /// A new instruction at the end of `block`: most are made like this.
    #[inline(always)]
    pub(crate) fn push_inst(&mut self, block: Block, data: InstData, result: PackedOption<Value>) -> Inst {
        let inst = self.insts.next_key();
        let prev = self.link_last(block, inst);
        let links = Links { block: block.into(), prev, next: None.into() };
        self.insts.push(InstNode { data, result, links })
    }

    /// Number of instructions ever made.
    pub(crate) fn num_insts(&self) -> usize {
        self.insts.len()
    }

    /// Every instruction ever made.
    pub(crate) fn insts(&self) -> impl Iterator<Item = (Inst, &InstData)> {
        self.insts.iter().map(|(inst, node)| (inst, &node.data))
    }

    /// Everything about `inst`.
    #[inline]
    pub fn inst(&self, inst: Inst) -> &InstNode {
        &self.insts[inst]
    }

    #[inline]
    pub(crate) fn data_mut(&mut self, inst: Inst) -> &mut InstData {
        &mut self.insts[inst].data
    }

    // ---- order of instructions

    /// Makes `inst` the last of `block` and gives the one before it.
    #[inline(always)]
    fn link_last(&mut self, block: Block, inst: Inst) -> PackedOption<Inst> {
        let node = &mut self.blocks[block.index()];
        let last = core::mem::replace(&mut node.last, inst.into());
        match last.expand() {
            Some(last) => self.insts[last].links.next = inst.into(),
            None => node.first = inst.into(),
        }
        last
    }

    /// Puts `inst` at the end of `block`.
    pub fn append_inst(&mut self, block: Block, inst: Inst) {
        let prev = self.link_last(block, inst);
        self.insts[inst].links = Links { block: block.into(), prev, next: None.into() };
    }

    /// Puts `inst` before `before`, which must be in a block.
    pub fn insert_before(&mut self, before: Inst, inst: Inst) {
        let Links { block, prev, .. } = self.insts[before].links;
        debug_assert!(block.is_some());
        self.insts[inst].links = Links { block, prev, next: before.into() };
        self.insts[before].links.prev = inst.into();
        match (prev.expand(), block.expand()) {
            (Some(prev), _) => self.insts[prev].links.next = inst.into(),
            (None, Some(block)) => self.blocks[block.index()].first = inst.into(),
            (None, None) => {}
        }
    }

    /// Takes `inst` out of its block; its data and result stay.
    pub fn remove_inst(&mut self, inst: Inst) {
        let Links { block, prev, next } = core::mem::take(&mut self.insts[inst].links);
        let Some(block) = block.expand() else { return };
        match prev.expand() {
            Some(prev) => self.insts[prev].links.next = next,
            None => self.blocks[block.index()].first = next,
        }
        match next.expand() {
            Some(next) => self.insts[next].links.prev = prev,
            None => self.blocks[block.index()].last = prev,
        }
    }

    /// All blocks in order.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        core::iter::successors(self.entry(), |&b| self.next_block(b))
    }

    /// The instructions of `block` in order.
    pub fn block_insts(&self, block: Block) -> impl Iterator<Item = Inst> + '_ {
        core::iter::successors(self.first_inst(block), |&i| self.next_inst(i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_stay_small() {
        // Two to a cache line.
        assert_eq!(size_of::<InstNode>(), 32);
    }
}
