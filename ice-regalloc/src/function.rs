//! The allocator's view of a client's function: the trait [`Function`].

use crate::operand::{Block, Inst, Operand, VReg};
use crate::references::References;
use crate::registers::{RegClass, RegUnits};
use core::ops::Range;

/// How the value of an instruction can be made again; answer of [`Function::rematerialize`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Remat {
    /// By executing the instruction again, into a register of the class of the value.
    Register,
    /// By executing the instruction again, into a register of the class of the value or straight into a spill slot: a
    /// constant that can be stored as it is.
    Anywhere,
    /// The instruction loads from memory that keeps the value as long as the function runs: a constant in
    /// memory, an argument that came on the stack. It can be executed again into a register, and a use that
    /// says Any may be in that memory as it may be in a slot: it is the value's home, which costs no store.
    Memory,
}

/// A function to allocate registers for.
///
/// The allocator asks for everything by number and copies nothing; a client implements the trait
/// over its own instruction storage. All numbers are dense: blocks `0..num_blocks`, instructions
/// `0..num_insts`, virtual registers `0..num_vregs`.
///
/// Shape that [`Context::allocate`](crate::Context::allocate) checks, and answers with
/// [`Error`](crate::Error) when it does not hold:
/// * the instruction ranges of the blocks, in block order, are not empty and cover
///   `0..num_insts` without gaps;
/// * the last instruction of a block is a terminator; after the first terminator of a block only
///   terminators follow (a conditional jump and a jump, say);
/// * successor and predecessor lists agree; `edge_args` has as many entries as the successor has
///   parameters;
/// * an edge with arguments leaves a block with one successor or enters a block with one
///   predecessor (critical edges are split by the client);
/// * the entry block has no parameters: incoming values are Fixed definitions of its first
///   instruction;
/// * terminators define nothing.
pub trait Function {
    /// Number of blocks.
    fn num_blocks(&self) -> usize;

    /// Number of instructions.
    fn num_insts(&self) -> usize;

    /// Number of virtual registers.
    fn num_vregs(&self) -> usize;

    /// The block where execution starts.
    fn entry(&self) -> Block;

    /// The instructions of `block`, first included, last excluded.
    fn block_insts(&self, block: Block) -> Range<Inst>;

    /// The blocks that control may go to from the end of `block`; one entry an edge.
    fn block_succs(&self, block: Block) -> &[Block];

    /// The blocks that control may come from; one entry an edge.
    fn block_preds(&self, block: Block) -> &[Block];

    /// The virtual registers that get a value on entry of `block` (phis).
    fn block_params(&self, block: Block) -> &[VReg];

    /// The values that the edge `block_succs(block)[succ_index]` gives to the parameters of the
    /// successor, in order.
    fn edge_args(&self, block: Block, succ_index: usize) -> &[VReg];

    /// The operands of `inst`.
    fn operands(&self, inst: Inst) -> &[Operand];

    /// The operands of all instructions after one another, and where those of each instruction start, with one
    /// more entry for the end: if the client keeps them so. A copy of them is saved then.
    fn operand_lists(&self) -> Option<(&[Operand], &[u32])> {
        None
    }

    /// Units that `inst` destroys beside its definitions, after its uses are read. A Late Def may
    /// be in a clobbered register (the result of a call).
    fn clobbers(&self, inst: Inst) -> RegUnits {
        let _ = inst;
        RegUnits::EMPTY
    }

    /// If `inst` only copies one virtual register: source and destination. A hint; the operands
    /// are still what counts, and a copy whose places come out equal may be left out by the client.
    fn is_move(&self, inst: Inst) -> Option<(VReg, VReg)> {
        let _ = inst;
        None
    }

    /// How the value that `inst` defines can be made again, if it can: a constant, an address, an argument
    /// on the stack. Such an instruction has one operand, a Late Def that says Reg or Any, gives the same
    /// value whenever it is executed in this function, and changes nothing else. It is asked of
    /// instructions with one operand only. A value without a register is then made again at its uses, in
    /// place of a reload, and never stored; constants as edge arguments are made on the edge.
    fn rematerialize(&self, inst: Inst) -> Option<Remat> {
        let _ = inst;
        None
    }

    /// The references to virtual registers, if they were collected while the function was written: a pass
    /// over it is saved then. Such a client promises the shape above; debug builds check it.
    fn references(&self) -> Option<&References> {
        None
    }

    /// The number of loops around `block`, if the client knows it. Values are kept in registers in
    /// the innermost loops first. Otherwise branches back in layout order are taken for loops.
    fn loop_depth(&self, block: Block) -> Option<u32> {
        let _ = block;
        None
    }

    /// Whether control may leave the block at `inst`.
    fn is_terminator(&self, inst: Inst) -> bool;

    /// The class of registers that hold `vreg`, and of the moves and slots made for it.
    fn vreg_class(&self, vreg: VReg) -> RegClass;

    /// Bytes of a spill slot for `vreg`; 0 means `spill_size` of its class. The alignment is
    /// always that of the class.
    fn vreg_size(&self, vreg: VReg) -> u32 {
        let _ = vreg;
        0
    }
}
