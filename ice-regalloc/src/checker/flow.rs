//! The edges between reachable blocks, backwards, with their arguments.
//!
//! Data: one linked list of edges a block. Parallel edges without arguments count once, so that a
//! switch with a thousand cases for one block costs one edge.
//!
//! A *region* is a run of blocks in layout order such that no edge goes back to an earlier region, so
//! a value has no effect before the region of its first definition. Layout order mostly is an order
//! of the loops, which makes outermost loops regions, and all other blocks regions by themselves.

use crate::function::Function;
use crate::operand::{Block, VReg};
use alloc::vec::Vec;

const NONE: u32 = u32::MAX;

/// An edge: where it comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// The predecessor.
    pub(super) from: Block,
    succ_index: u32,
    next: u32,
}

/// The graph of reachable blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    reachable: Vec<bool>,
    /// The first edge into each block.
    first: Vec<u32>,
    edges: Vec<Edge>,
    /// For each virtual register its position in the parameters of one block that has it, and the first
    /// block that has it.
    params: Vec<(u32, u32)>,
    /// The region of each block. Regions are numbered in layout order.
    regions: Vec<u32>,
    work: Vec<Block>,
}

impl Flow {
    /// Takes over the graph of `func`.
    pub(super) fn compute(&mut self, func: &Function) {
        self.reachable.clear();
        self.reachable.resize(func.num_blocks(), false);
        self.first.clear();
        self.first.resize(func.num_blocks(), NONE);
        self.params.clear();
        self.params.resize(func.num_vregs(), (NONE, NONE));
        // At first the last block that goes back to each block.
        self.regions.clear();
        self.regions.resize(func.num_blocks(), 0);
        self.edges.clear();
        self.reachable[func.entry().as_u32() as usize] = true;
        self.work.push(func.entry());
        while let Some(block) = self.work.pop() {
            let number = block.as_u32();
            for (position, &v) in (0..).zip(func.block_params(block)) {
                let param = &mut self.params[v.as_u32() as usize];
                *param = (position, param.1.min(number));
            }
            for (k, &succ) in func.block_succs(block).iter().enumerate() {
                let s = succ.as_u32() as usize;
                let first = self.first[s];
                let parallel = self.edges.get(first as usize).is_some_and(|e| e.from == block);
                if !parallel || !func.block_params(succ).is_empty() {
                    self.first[s] = self.edges.len() as u32;
                    self.edges.push(Edge { from: block, succ_index: k as u32, next: first });
                }
                self.regions[s] = self.regions[s].max(number);
                if !self.reachable[s] {
                    self.reachable[s] = true;
                    self.work.push(succ);
                }
            }
        }
        let (mut region, mut end) = (0, 0);
        for (b, entry) in (0..).zip(&mut self.regions) {
            region += u32::from(b > end);
            end = end.max(b).max(*entry);
            *entry = region;
        }
    }

    /// Whether no path leads from a block that defines `v` to `block`, where `first` is the first block
    /// with a definition, if any.
    pub(super) fn is_before(&self, block: Block, v: VReg, first: Option<u32>) -> bool {
        let first = self.params[v.as_u32() as usize].1.min(first.unwrap_or(NONE));
        self.regions.get(first as usize).is_none_or(|&region| self.regions[block.as_u32() as usize] < region)
    }

    /// The edges into `block` from reachable blocks.
    pub(super) fn edges_into(&self, block: Block) -> impl Iterator<Item = Edge> {
        let mut next = self.first[block.as_u32() as usize];
        core::iter::from_fn(move || {
            let edge = *self.edges.get(next as usize)?;
            next = edge.next;
            Some(edge)
        })
    }

    /// What `v` on entry of `block` is at the end of the edge's predecessor: the argument if it is a
    /// parameter, else itself.
    pub(super) fn origin(&self, func: &Function, edge: Edge, block: Block, v: VReg) -> VReg {
        let position = self.params[v.as_u32() as usize].0;
        if position == NONE {
            return v;
        }
        let params = func.block_params(block);
        // The position is that in another block if several blocks have this parameter.
        let position = match params.get(position as usize) {
            Some(&param) if param == v => Some(position as usize),
            _ => params.iter().position(|&param| param == v),
        };
        let args = func.edge_args(edge.from, edge.succ_index as usize);
        position.and_then(|i| args.get(i)).map_or(v, |&arg| arg)
    }
}
