//! What can be wrong with the input of an allocation.

use crate::operand::{Block, Inst, VReg};
use core::fmt;

/// Why a function cannot be allocated; always a fault of the input, with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// Something was added to the function after it was finished, or it never was.
    Unfinished,
    /// The function was written for [`Mode::Minimal`](crate::Mode::Minimal) and is to be allocated in another mode.
    WrittenForMinimal,
    /// A block has no instructions.
    EmptyBlock {
        /// The block.
        block: Block,
    },
    /// A block does not end in a terminator, or an ordinary instruction follows a terminator.
    BadTerminator {
        /// The block.
        block: Block,
        /// The instruction that should (not) be a terminator.
        inst: Inst,
    },
    /// A successor does not exist.
    BadEdge {
        /// The block that has the edge.
        block: Block,
    },
    /// The number of arguments of an edge differs from the number of parameters.
    BadEdgeArgs {
        /// The source of the edge.
        block: Block,
        /// Index into the successors of the source.
        succ_index: usize,
    },
    /// An argument of an edge is smaller than its parameter.
    SmallEdgeArg {
        /// The source of the edge.
        block: Block,
        /// The argument.
        vreg: VReg,
    },
    /// An edge with arguments has a source with several successors and a target with several
    /// predecessors.
    CriticalEdge {
        /// The source of the edge.
        block: Block,
        /// Index into the successors of the source.
        succ_index: usize,
    },
    /// The entry does not exist or has parameters.
    BadEntry {
        /// The entry.
        block: Block,
    },
    /// A block parameter is listed twice in one block.
    DuplicateParam {
        /// The block.
        block: Block,
        /// The parameter.
        vreg: VReg,
    },
    /// A virtual register number is out of range.
    BadVReg {
        /// The block.
        block: Block,
        /// The register.
        vreg: VReg,
    },
    /// An operand names a register or class that is not in the register file, or its virtual
    /// register has such a class.
    BadOperand {
        /// The instruction.
        inst: Inst,
        /// Index of the operand.
        operand: usize,
    },
    /// A virtual register is used but defined nowhere.
    UndefinedVReg {
        /// The block of the use.
        block: Block,
        /// The instruction, or none when an edge argument is undefined.
        inst: Option<Inst>,
        /// The register.
        vreg: VReg,
    },
    /// Two operands of one instruction define the same virtual register.
    DuplicateDef {
        /// The instruction.
        inst: Inst,
        /// Index of the second definition.
        operand: usize,
    },
    /// A terminator defines a virtual register.
    TerminatorDefines {
        /// The terminator.
        inst: Inst,
        /// Index of the operand.
        operand: usize,
    },
    /// The constraints of one instruction cannot hold together: two operands want the same fixed
    /// register at the same time, or more registers than the class has.
    Unsatisfiable {
        /// The instruction.
        inst: Inst,
        /// Index of the operand that found no place.
        operand: usize,
    },
    /// A terminator destroys registers, and a successor has another predecessor or parameters.
    SealedEdge {
        /// The block that ends in it.
        block: Block,
        /// Index of the edge.
        succ_index: usize,
    },
    /// No register of the class exists to carry a value from slot to slot.
    NoScratch {
        /// The block at whose border the value has to move.
        block: Block,
    },
    /// A count does not fit the packed numbers (2^30 slots, 2^31 instructions, 2^32 operands).
    TooLarge,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Error::Unfinished => f.write_str("the function is not finished"),
            Error::WrittenForMinimal => f.write_str("the function was written for the minimal mode"),
            Error::EmptyBlock { block } => write!(f, "{block}: there are no instructions"),
            Error::BadTerminator { block, inst } => {
                write!(f, "{block}, {inst}: terminators must be exactly the end of a block")
            }
            Error::BadEdge { block } => write!(f, "{block}: a successor does not exist"),
            Error::BadEdgeArgs { block, succ_index } => {
                write!(f, "{block}, edge {succ_index}: not as many arguments as parameters")
            }
            Error::SmallEdgeArg { block, vreg } => {
                write!(f, "{block}: {vreg}, an argument of an edge, is smaller than its parameter")
            }
            Error::CriticalEdge { block, succ_index } => {
                write!(f, "{block}, edge {succ_index}: a critical edge has arguments")
            }
            Error::BadEntry { block } => {
                write!(f, "{block}: the entry does not exist or has parameters")
            }
            Error::DuplicateParam { block, vreg } => {
                write!(f, "{block}: {vreg} is a parameter twice")
            }
            Error::BadVReg { block, vreg } => write!(f, "{block}: {vreg} is out of range"),
            Error::BadOperand { inst, operand } => {
                write!(f, "{inst}, operand {operand}: the register or class does not exist")
            }
            Error::UndefinedVReg { block, inst, vreg } => {
                write!(f, "{block}")?;
                if let Some(inst) = inst {
                    write!(f, ", {inst}")?;
                }
                write!(f, ": {vreg} is used but never defined")
            }
            Error::DuplicateDef { inst, operand } => {
                write!(f, "{inst}, operand {operand}: the virtual register is defined twice")
            }
            Error::TerminatorDefines { inst, operand } => {
                write!(f, "{inst}, operand {operand}: a terminator defines")
            }
            Error::Unsatisfiable { inst, operand } => {
                write!(f, "{inst}, operand {operand}: the constraints leave no register")
            }
            Error::SealedEdge { block, succ_index } => {
                write!(
                    f,
                    "{block}, edge {succ_index}: behind a terminator that destroys registers, its target has other predecessors or parameters"
                )
            }
            Error::NoScratch { block } => {
                write!(f, "{block}: no register can carry a value between slots")
            }
            Error::TooLarge => f.write_str("the function is too large"),
        }
    }
}

impl core::error::Error for Error {}
