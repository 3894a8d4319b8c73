//! Liveness: which values are needed at block borders.
//!
//! Problem: a value occupies a place from its definitions to its last uses on every path.
//!
//! Method: backward data-flow analysis to the fixed point. It is sparse in the way of Subzero: a
//! virtual register that is referenced in one block only has no bit in the sets; those that cross
//! borders, and block parameters, are renumbered densely. Blocks are visited in reverse order,
//! and only those are visited again whose successors changed, so a reducible function takes
//! about its loop depth in visits.
//!
//! Where parameters live: the set at the start of a block holds the parameters that are read.
//! If its predecessors have one successor each, they have copied the arguments before their
//! terminators, and the parameters are live at their ends. If the one predecessor branches, the
//! arguments are live at its end, and the parameters begin with the block.
//!
//! Data: one row of bits for each block, worked on as machine words. Cost: blocks times crossing
//! registers over 64, times visits.

use crate::function::Function;
use crate::operand::{Block, Inst, VReg};
use crate::scan::{NONE, Scan, params_at_start};
use alloc::vec::Vec;

/// Sets of live registers at block borders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Liveness {
    /// Dense number of a register, or `NONE`.
    dense: Vec<u32>,
    /// The register of a dense number.
    vregs: Vec<u32>,
    words: usize,
    live_in: Vec<u64>,
    kill: Vec<u64>,
    pending: Vec<bool>,
    /// The set at the end of the block that `load_out` was asked for.
    row: Vec<u64>,
}

fn test(row: &[u64], bit: u32) -> bool {
    row[bit as usize / 64] >> (bit % 64) & 1 != 0
}

fn set(row: &mut [u64], bit: u32) {
    row[bit as usize / 64] |= 1 << (bit % 64);
}

fn clear(row: &mut [u64], bit: u32) {
    row[bit as usize / 64] &= !(1 << (bit % 64));
}

/// Calls `visit` with the registers in `row`.
fn for_each(row: &[u64], vregs: &[u32], mut visit: impl FnMut(u32)) {
    for (w, &word) in row.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            visit(vregs[w * 64 + rest.trailing_zeros() as usize]);
            rest &= rest - 1;
        }
    }
}

impl Liveness {
    /// Number of registers in the sets.
    pub fn len(&self) -> usize {
        self.vregs.len()
    }

    /// Computes the sets of `func`, which `scan` has classified.
    pub fn compute<F: Function>(&mut self, func: &F, scan: &Scan) {
        let blocks = func.num_blocks();
        self.dense.clear();
        self.dense.resize(func.num_vregs(), NONE);
        self.vregs.clear();
        for (v, state) in scan.vregs.iter().enumerate() {
            if state.is_cross() {
                self.number(v as u32);
            }
        }
        for b in 0..blocks as u32 {
            for param in func.block_params(Block::from_u32(b)) {
                self.number(param.as_u32());
            }
        }
        self.words = self.vregs.len().div_ceil(64);
        for matrix in [&mut self.live_in, &mut self.kill] {
            matrix.clear();
            matrix.resize(blocks * self.words, 0);
        }
        self.pending.clear();
        self.pending.resize(blocks, true);
        if self.words == 0 {
            return;
        }
        for b in 0..blocks {
            self.local_sets(func, b);
        }
        let mut again = true;
        while again {
            again = false;
            for b in (0..blocks).rev() {
                if core::mem::replace(&mut self.pending[b], false) && self.visit(func, b) {
                    for pred in func.block_preds(Block::from_u32(b as u32)) {
                        self.pending[pred.as_u32() as usize] = true;
                        again |= pred.as_u32() as usize >= b;
                    }
                }
            }
        }
    }

    fn number(&mut self, v: u32) {
        if self.dense[v as usize] == NONE {
            self.dense[v as usize] = self.vregs.len() as u32;
            self.vregs.push(v);
        }
    }

    /// Registers read before they are written in block `b`, and those written.
    fn local_sets<F: Function>(&mut self, func: &F, b: usize) {
        let range = func.block_insts(Block::from_u32(b as u32));
        let row = b * self.words..(b + 1) * self.words;
        let (read, written) = (&mut self.live_in[row.clone()], &mut self.kill[row]);
        for i in range.start.as_u32()..range.end.as_u32() {
            let operands = func.operands(Inst::from_u32(i));
            for op in operands.iter().filter(|op| op.is_use()) {
                let bit = self.dense[op.vreg().as_u32() as usize];
                if bit != NONE && !test(written, bit) {
                    set(read, bit);
                }
            }
            for op in operands.iter().filter(|op| op.is_def()) {
                let bit = self.dense[op.vreg().as_u32() as usize];
                if bit != NONE {
                    set(written, bit);
                }
            }
        }
    }

    /// Recomputes the set at the start of block `b`; whether it grew.
    fn visit<F: Function>(&mut self, func: &F, b: usize) -> bool {
        let block = Block::from_u32(b as u32);
        self.load_out(func, block);
        if let &[succ] = func.block_succs(block) {
            // The parameters are written before the terminators: they die there, arguments live.
            let params = func.block_params(succ);
            for param in params {
                clear(&mut self.row, self.dense[param.as_u32() as usize]);
            }
            for (arg, param) in func.edge_args(block, 0).iter().zip(params) {
                let bit = self.dense[arg.as_u32() as usize];
                if bit != NONE && self.is_live_in(succ, *param) {
                    set(&mut self.row, bit);
                }
            }
        }
        let start = b * self.words;
        let mut grew = false;
        for (w, &out) in self.row.iter().enumerate() {
            let old = self.live_in[start + w];
            let new = old | out & !self.kill[start + w];
            self.live_in[start + w] = new;
            grew |= new != old;
        }
        grew
    }

    /// Collects what is live at the end of `block`.
    pub fn load_out<F: Function>(&mut self, func: &F, block: Block) {
        let words = self.words;
        self.row.clear();
        self.row.resize(words, 0);
        for (k, &succ) in func.block_succs(block).iter().enumerate() {
            let start = succ.as_u32() as usize * words;
            let at_start = params_at_start(func, succ);
            if at_start {
                for (arg, param) in func.edge_args(block, k).iter().zip(func.block_params(succ)) {
                    let bit = self.dense[arg.as_u32() as usize];
                    if bit != NONE && self.is_live_in(succ, *param) {
                        set(&mut self.row, bit);
                    }
                }
            }
            // Parameters that begin with the successor are not live here; other bits stay.
            let skip = |w: usize| {
                let mut mask = 0;
                for param in func.block_params(succ) {
                    let bit = self.dense[param.as_u32() as usize];
                    if at_start && bit as usize / 64 == w {
                        mask |= 1 << (bit % 64);
                    }
                }
                mask
            };
            if at_start && !func.block_params(succ).is_empty() {
                for w in 0..words {
                    self.row[w] |= self.live_in[start + w] & !skip(w);
                }
            } else {
                for w in 0..words {
                    self.row[w] |= self.live_in[start + w];
                }
            }
        }
    }

    /// Whether `vreg` is live at the end of the block of the last `load_out`.
    pub fn is_out(&self, vreg: VReg) -> bool {
        let bit = self.dense[vreg.as_u32() as usize];
        bit != NONE && test(&self.row, bit)
    }

    /// Whether `vreg` is live at the start of `block`.
    pub fn is_live_in(&self, block: Block, vreg: VReg) -> bool {
        let bit = self.dense[vreg.as_u32() as usize];
        let start = block.as_u32() as usize * self.words;
        bit != NONE && test(&self.live_in[start..start + self.words], bit)
    }

    /// Visits what is live at the end of the block of the last `load_out`.
    pub fn for_each_out(&self, visit: impl FnMut(u32)) {
        for_each(&self.row, &self.vregs, visit);
    }

    /// Visits what is live at the start of `block`.
    pub fn for_each_in(&self, block: Block, visit: impl FnMut(u32)) {
        let start = block.as_u32() as usize * self.words;
        for_each(&self.live_in[start..start + self.words], &self.vregs, visit);
    }
}
