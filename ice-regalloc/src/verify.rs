//! Whether a function has the shape that an allocation relies on: see [`Function`].
//!
//! Cost: one pass over blocks, edges and operands; about 30 machine instructions for each instruction.

use crate::error::Error;
use crate::function::Function;
use crate::operand::{Block, Constraint, Inst, Operand, VReg};
use crate::registers::RegisterFile;
use crate::scan::NONE;
use alloc::vec::Vec;
use core::ops::Range;

/// A check, with memory that is kept from function to function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verifier {
    /// For each virtual register, the last block that it is a parameter of.
    param_of: Vec<u32>,
}

impl Verifier {
    /// Checks `func`, whose registers are those of `file`.
    pub fn verify(&mut self, func: &Function, file: &RegisterFile) -> Result<(), Error> {
        if !func.is_finished() {
            return Err(Error::Unfinished);
        }
        self.param_of.clear();
        self.param_of.resize(func.num_vregs(), NONE);
        let blocks = (0..func.num_blocks() as u32).map(Block::from_u32);
        for block in blocks.clone() {
            self.params(func, file, block)?;
        }
        for block in blocks {
            let insts = func.block_insts(block);
            if insts.is_empty() {
                return Err(Error::EmptyBlock { block });
            }
            edges(func, file, block)?;
            self::insts(func, file, block, insts)?;
        }
        if func.references.duplicate { Err(locate_duplicate(func)) } else { Ok(()) }
    }

    fn params(&mut self, func: &Function, file: &RegisterFile, block: Block) -> Result<(), Error> {
        for &vreg in func.block_params(block) {
            if !is_vreg(func, file, vreg) {
                return Err(Error::BadVReg { block, vreg });
            }
            let last = &mut self.param_of[vreg.index()];
            if core::mem::replace(last, block.as_u32()) == block.as_u32() {
                return Err(Error::DuplicateParam { block, vreg });
            }
        }
        Ok(())
    }
}

fn is_vreg(func: &Function, file: &RegisterFile, vreg: VReg) -> bool {
    vreg.index() < func.num_vregs() && func.vreg_class(vreg).index() < file.classes.len()
}

fn is_operand(func: &Function, file: &RegisterFile, op: Operand) -> bool {
    let fixed = match op.constraint() {
        Constraint::Fixed(reg) => reg.index() < file.regs.len(),
        _ => true,
    };
    fixed && op.class().index() < file.classes.len() && is_vreg(func, file, op.vreg())
}

/// Checks the edges that leave `block`.
fn edges(func: &Function, file: &RegisterFile, block: Block) -> Result<(), Error> {
    let succs = func.block_succs(block);
    for (succ_index, &succ) in succs.iter().enumerate() {
        let args = func.edge_args(block, succ_index);
        if args.len() != func.block_params(succ).len() {
            return Err(Error::BadEdgeArgs { block, succ_index });
        }
        if succs.len() > 1 && !args.is_empty() && func.block_preds(succ).len() > 1 {
            return Err(Error::CriticalEdge { block, succ_index });
        }
        if func.seals_edges(block) && !(args.is_empty() && func.block_preds(succ).len() == 1) {
            return Err(Error::SealedEdge { block, succ_index });
        }
        if let Some(&vreg) = args.iter().find(|&&vreg| !is_vreg(func, file, vreg)) {
            return Err(Error::BadVReg { block, vreg });
        }
        let size = |vreg: VReg| func.slot_of(file, vreg).0;
        let mut pairs = args.iter().zip(func.block_params(succ));
        if let Some((&vreg, _)) = pairs.find(|&(&arg, &param)| size(arg) < size(param)) {
            return Err(Error::SmallEdgeArg { block, vreg });
        }
    }
    Ok(())
}

/// Checks the instructions of `block`.
fn insts(func: &Function, file: &RegisterFile, block: Block, range: Range<Inst>) -> Result<(), Error> {
    let mut has_left = false;
    let (start, end) = (range.start.as_u32(), range.end.as_u32());
    for inst in (start..end).map(Inst::from_u32) {
        let ops = func.operands(inst);
        if func.is_terminator(inst) {
            has_left = true;
            if let Some(operand) = ops.iter().position(|op| op.is_def()) {
                return Err(Error::TerminatorDefines { inst, operand });
            }
        } else if has_left || inst.as_u32() + 1 == end {
            return Err(Error::BadTerminator { block, inst });
        }
        if let Some(operand) = ops.iter().position(|op| !is_operand(func, file, *op)) {
            return Err(Error::BadOperand { inst, operand });
        }
    }
    Ok(())
}

/// Finds the second definition of a register in one instruction, of which there is one.
fn locate_duplicate(func: &Function) -> Error {
    let second = |ops: &[Operand]| {
        let again = |k: usize| ops[..k].iter().any(|op| op.is_def() && op.vreg() == ops[k].vreg());
        (0..ops.len()).find(|&k| ops[k].is_def() && again(k))
    };
    let mut all = (0..func.num_insts() as u32).map(Inst::from_u32);
    let found = all.find_map(|inst| Some((inst, second(func.operands(inst))?)));
    let (inst, operand) = found.unwrap_or((Inst::from_u32(0), 0));
    Error::DuplicateDef { inst, operand }
}
