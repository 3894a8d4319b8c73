//! Shared by the tests: register files, a stored function, a random generator of functions and an
//! interpreter that runs a function and its allocation side by side.
#![allow(dead_code, unused_imports, clippy::needless_range_loop)]

mod files;
mod generate;
mod simulate;

pub use files::*;
pub use generate::random_function;
pub use simulate::simulate;

use ice_regalloc::*;
use std::ops::Range;

pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d | 1);
        (0..4).for_each(|_| {
            rng.next();
        });
        rng
    }
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

#[derive(Clone, Debug, Default)]
pub struct StoredInst {
    pub ops: Vec<Operand>,
    pub clobbers: RegUnits,
    pub is_move: bool,
    pub terminates: bool,
    pub remat: Option<Remat>,
}

#[derive(Clone, Debug, Default)]
pub struct StoredBlock {
    pub insts: Range<u32>,
    pub succs: Vec<Block>,
    pub preds: Vec<Block>,
    pub params: Vec<VReg>,
    pub args: Vec<Vec<VReg>>,
}

#[derive(Clone, Debug, Default)]
pub struct StoredFunction {
    pub blocks: Vec<StoredBlock>,
    pub insts: Vec<StoredInst>,
    pub classes: Vec<RegClass>,
    pub sizes: Vec<u32>,
}

impl StoredFunction {
    pub fn num_insts(&self) -> usize {
        self.insts.len()
    }
    pub fn num_vregs(&self) -> usize {
        self.classes.len()
    }
    pub fn block_insts(&self, b: Block) -> Range<Inst> {
        let r = &self.blocks[b.as_u32() as usize].insts;
        Inst::from_u32(r.start)..Inst::from_u32(r.end)
    }
    pub fn block_succs(&self, b: Block) -> &[Block] {
        &self.blocks[b.as_u32() as usize].succs
    }

    /// As the allocator wants it.
    pub fn build(&self) -> Function {
        self.try_build().expect("all successors are there")
    }

    pub fn try_build(&self) -> Result<Function, Error> {
        let mut func = Function::new();
        self.classes.iter().zip(&self.sizes).for_each(|(&class, &size)| _ = func.vreg(class, size));
        for block in &self.blocks {
            func.begin_block(&block.params);
            for inst in &self.insts[block.insts.start as usize..block.insts.end as usize] {
                inst.add_to(&mut func);
            }
            for (&succ, args) in block.succs.iter().zip(&block.args) {
                func.edge(succ, args);
            }
            func.end_block();
        }
        func.finish()?;
        Ok(func)
    }
}

/// A function with its allocation, which was checked.
#[derive(Debug)]
pub struct Allocated {
    pub func: Function,
    pub output: Output,
}

impl Allocated {
    pub fn new(func: &StoredFunction, file: &'static RegisterFile, options: &Options) -> Allocated {
        let func = func.build();
        let output = Context::new().allocate(&func, file, options).expect("allocates").clone();
        check(&func, file, &output).expect("checks");
        Allocated { func, output }
    }

    /// Where operand `operand` of instruction `inst` is.
    pub fn place(&self, inst: u32, operand: usize) -> Allocation {
        self.output.allocs_of(&self.func, Inst::from_u32(inst))[operand]
    }
}

impl core::ops::Deref for Allocated {
    type Target = Output;

    fn deref(&self) -> &Output {
        &self.output
    }
}

impl StoredInst {
    fn add_to(&self, func: &mut Function) {
        func.add_operands(&self.ops);
        func.inst();
        func.clobber(self.clobbers);
        func.remat(|| self.remat);
        if self.is_move {
            func.copy();
        }
        if self.terminates {
            func.terminator();
        }
    }
}

pub const GPR: RegClass = RegClass(0);
pub const CALLER_SAVED: RegUnits = RegUnits::span(0, 9);

pub fn v(n: u32) -> VReg {
    VReg::from_u32(n)
}
pub fn inst(ops: &[Operand]) -> StoredInst {
    StoredInst { ops: ops.to_vec(), ..Default::default() }
}
pub fn end(ops: &[Operand]) -> StoredInst {
    StoredInst { terminates: true, ..inst(ops) }
}
/// A definition of `v` that can be executed again.
pub fn again(n: u32, remat: Remat) -> StoredInst {
    StoredInst { remat: Some(remat), ..inst(&[Operand::def_reg(v(n), GPR)]) }
}
pub fn copy(to: u32, from: u32) -> StoredInst {
    StoredInst { is_move: true, ..inst(&[Operand::use_any(v(from), GPR), Operand::def_reg(v(to), GPR)]) }
}
pub fn call(ops: &[Operand]) -> StoredInst {
    StoredInst { clobbers: CALLER_SAVED, ..inst(ops) }
}

/// Instructions of a block, and its edges with their arguments.
pub type BlockText = (Vec<u32>, Vec<StoredInst>, Vec<(u32, Vec<u32>)>);

pub fn function(vregs: usize, blocks: Vec<BlockText>) -> StoredFunction {
    let mut func = StoredFunction {
        classes: vec![GPR; vregs],
        sizes: vec![0; vregs],
        blocks: vec![StoredBlock::default(); blocks.len()],
        ..Default::default()
    };
    for (b, (params, insts, succs)) in blocks.into_iter().enumerate() {
        let start = func.insts.len() as u32;
        func.insts.extend(insts);
        func.blocks[b].insts = start..func.insts.len() as u32;
        func.blocks[b].params = params.into_iter().map(v).collect();
        for (s, args) in succs {
            func.blocks[b].succs.push(Block::from_u32(s));
            func.blocks[b].args.push(args.into_iter().map(v).collect());
            func.blocks[s as usize].preds.push(Block::from_u32(b as u32));
        }
    }
    func
}

/// A chain of loops with so many values or a few more; each value is read near its definition and some far behind it.
pub fn chain_of_loops(values: usize) -> StoredFunction {
    let loops = values / 13 + 1;
    let mut rng = Rng::new(7);
    let (mut blocks, mut next) = (Vec::new(), 8u32);
    let first = (0..8).map(|n| inst(&[Operand::def_reg(v(n), GPR)])).chain([end(&[])]).collect();
    blocks.push((vec![], first, vec![(1, vec![0])]));
    for l in 0..loops as u32 {
        let (param, b) = (next, 1 + 3 * l);
        next += 1;
        let mut insts = Vec::new();
        for k in 0..12 {
            let old = v(next - 1 - rng.below(20.min(next as usize - 1)) as u32);
            insts.push(inst(&[
                Operand::use_any(old, GPR),
                Operand::use_any(v(param), GPR),
                Operand::def_reg(v(next), GPR),
            ]));
            insts.push(if k == 5 && l % 4 == 0 {
                call(&[])
            } else {
                inst(&[Operand::use_def_reg(v(next), GPR)])
            });
            next += 1;
        }
        insts.push(end(&[]));
        blocks.push((vec![param], insts, vec![(b + 1, vec![]), (b + 2, vec![])]));
        blocks.push((vec![], vec![end(&[])], vec![(b, vec![next - 1])]));
        let succ = if l + 1 < loops as u32 { vec![(b + 3, vec![next - 2])] } else { vec![] };
        blocks.push((vec![], vec![end(&[])], succ));
    }
    function(next as usize, blocks)
}
