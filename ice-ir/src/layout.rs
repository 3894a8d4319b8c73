//! The order of blocks and of the instructions in them: two doubly linked lists over dense vectors.
//!
//! Order is kept apart from content, so that moving an instruction touches neither its data nor its
//! result. Every operation is constant time; nothing is freed before the function is cleared.

use alloc::vec::Vec;

use crate::entities::{Block, Inst};
use cranelift_entity::EntityRef;
use cranelift_entity::packed_option::PackedOption;

#[derive(Clone, Copy, Default)]
struct BlockNode {
    prev: PackedOption<Block>,
    next: PackedOption<Block>,
    first: PackedOption<Inst>,
    last: PackedOption<Inst>,
}

#[derive(Clone, Copy, Default)]
struct InstNode {
    block: PackedOption<Block>,
    prev: PackedOption<Inst>,
    next: PackedOption<Inst>,
}

/// Sets entry `index`, which is mostly the next one.
#[inline(always)]
fn put<T: Copy + Default>(nodes: &mut Vec<T>, index: usize, node: T) {
    if index == nodes.len() {
        nodes.push(node);
    } else {
        put_apart(nodes, index, node);
    }
}

#[cold]
#[inline(never)]
fn put_apart<T: Copy + Default>(nodes: &mut Vec<T>, index: usize, node: T) {
    if index >= nodes.len() {
        nodes.resize(index + 1, T::default());
    }
    nodes[index] = node;
}

/// Block and instruction order of one function.
#[derive(Clone, Default)]
pub struct Layout {
    blocks: Vec<BlockNode>,
    insts: Vec<InstNode>,
    first: PackedOption<Block>,
    last: PackedOption<Block>,
}

impl Layout {
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

    /// The last instruction of `block`: its terminator in a complete function.
    pub fn last_inst(&self, block: Block) -> Option<Inst> {
        self.block_node(block).last.expand()
    }

    /// The instruction after `inst` in its block.
    pub fn next_inst(&self, inst: Inst) -> Option<Inst> {
        self.node(inst).next.expand()
    }

    /// The instruction before `inst` in its block.
    pub fn prev_inst(&self, inst: Inst) -> Option<Inst> {
        self.node(inst).prev.expand()
    }

    /// The block that holds `inst`, if any does.
    pub fn block_of(&self, inst: Inst) -> Option<Block> {
        self.node(inst).block.expand()
    }

    /// Puts `block` at the end of the function.
    pub fn append_block(&mut self, block: Block) {
        let node = BlockNode { prev: self.last, ..BlockNode::default() };
        put(&mut self.blocks, block.index(), node);
        match self.last.expand() {
            Some(last) => self.blocks[last.index()].next = block.into(),
            None => self.first = block.into(),
        }
        self.last = block.into();
    }

    /// Puts `block`, which has no place yet, behind `after`.
    pub fn insert_block_after(&mut self, after: Block, block: Block) {
        let next = core::mem::replace(&mut self.blocks[after.index()].next, block.into());
        put(&mut self.blocks, block.index(), BlockNode { prev: after.into(), next, ..BlockNode::default() });
        match next.expand() {
            Some(next) => self.blocks[next.index()].prev = block.into(),
            None => self.last = block.into(),
        }
    }

    #[inline]
    fn block_node(&self, block: Block) -> BlockNode {
        self.blocks.get(block.index()).copied().unwrap_or_default()
    }

    #[inline]
    fn node(&self, inst: Inst) -> InstNode {
        self.insts.get(inst.index()).copied().unwrap_or_default()
    }

    /// Puts `inst` at the end of `block`. Inlined into the builder: half the cost was the call.
    #[inline(always)]
    pub fn append_inst(&mut self, block: Block, inst: Inst) {
        let node = &mut self.blocks[block.index()];
        let last = node.last;
        node.last = inst.into();
        match last.expand() {
            Some(last) => self.insts[last.index()].next = inst.into(),
            None => node.first = inst.into(),
        }
        put(&mut self.insts, inst.index(), InstNode { block: block.into(), prev: last, next: None.into() });
    }

    /// Puts `inst` before `before`, which must be in a block.
    pub fn insert_before(&mut self, before: Inst, inst: Inst) {
        let InstNode { block, prev, .. } = self.node(before);
        debug_assert!(block.is_some());
        put(&mut self.insts, inst.index(), InstNode { block, prev, next: before.into() });
        self.insts[before.index()].prev = inst.into();
        match (prev.expand(), block.expand()) {
            (Some(prev), _) => self.insts[prev.index()].next = inst.into(),
            (None, Some(block)) => self.blocks[block.index()].first = inst.into(),
            (None, None) => {}
        }
    }

    /// Takes `inst` out of its block; its data and result stay.
    pub fn remove_inst(&mut self, inst: Inst) {
        let Some(node) = self.insts.get_mut(inst.index()) else { return };
        let InstNode { block, prev, next } = core::mem::take(node);
        let Some(block) = block.expand() else { return };
        match prev.expand() {
            Some(prev) => self.insts[prev.index()].next = next,
            None => self.blocks[block.index()].first = next,
        }
        match next.expand() {
            Some(next) => self.insts[next.index()].prev = prev,
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
