//! Why an execution stopped without a result, and where.

use alloc::string::String;
use core::fmt;

use ice_ir::{Block, FuncId, Inst};

/// Direction of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// A load.
    Read,
    /// A store.
    Write,
}

/// What went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TrapKind {
    /// The program breaks a rule that the verifier checks.
    Malformed(&'static str),
    /// Globals and stack do not fit the memory limit.
    OutOfMemory,
    /// The arguments of [`call`](crate::Interpreter::call) do not fit the signature.
    WrongArguments,
    /// No body: the function is only declared.
    MissingBody(FuncId),
    /// An integer division by zero.
    DivideByZero,
    /// `unreachable` was reached.
    Unreachable,
    /// `llvm.trap` was called.
    Trap,
    /// An access outside of mapped memory or against its rights.
    MemoryFault {
        /// The first byte that could not be accessed.
        address: u64,
        /// What was tried.
        access: Access,
    },
    /// An atomic access that is not naturally aligned.
    Misaligned {
        /// Its address.
        address: u64,
    },
    /// An indirect call to something that is no function.
    NotAFunction {
        /// The address.
        address: u64,
    },
    /// An indirect call with other types than the callee's, where [the rule](super) has no room for them.
    SignatureMismatch {
        /// The address of the callee.
        address: u64,
    },
    /// An intrinsic got an operand that has no meaning (such as an unknown atomic operation).
    BadOperand,
    /// `longjmp` through a buffer without a live `setjmp` of the same thread.
    BadLongjmp {
        /// The address of the buffer.
        buffer: u64,
    },
    /// An alloca that does not fit the stack, or a stack handle that was never given out.
    StackOverflow,
    /// More nested calls than [`Limits::call_depth`](crate::Limits::call_depth), or more values in them
    /// than can be kept.
    CallDepth,
    /// More steps than [`Limits::steps`](crate::Limits::steps).
    OutOfSteps,
    /// All threads wait for each other.
    Deadlock,
    /// A function run by [`call`](crate::Interpreter::call) ended the program with this status.
    Exit(i32),
    /// A thread other than the first returned from its start function.
    ThreadReturned,
}

impl fmt::Display for TrapKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrapKind::Malformed(what) => write!(f, "malformed program: {what}"),
            TrapKind::OutOfMemory => f.write_str("globals and stack do not fit into memory"),
            TrapKind::WrongArguments => f.write_str("the arguments do not fit the signature"),
            TrapKind::MissingBody(func) => write!(f, "{func} has no body"),
            TrapKind::DivideByZero => f.write_str("division by zero"),
            TrapKind::Unreachable => f.write_str("unreachable code was reached"),
            TrapKind::Trap => f.write_str("trap"),
            TrapKind::MemoryFault { address, access: Access::Read } => {
                write!(f, "read from unmapped address {address:#x}")
            }
            TrapKind::MemoryFault { address, access: Access::Write } => {
                write!(f, "write to unmapped or read-only address {address:#x}")
            }
            TrapKind::Misaligned { address } => write!(f, "misaligned atomic access at {address:#x}"),
            TrapKind::NotAFunction { address } => write!(f, "call to {address:#x}, which is no function"),
            TrapKind::SignatureMismatch { address } => {
                write!(f, "call to {address:#x} with types other than its own")
            }
            TrapKind::BadOperand => f.write_str("an operand without meaning"),
            TrapKind::BadLongjmp { buffer } => write!(f, "longjmp without live setjmp through {buffer:#x}"),
            TrapKind::StackOverflow => f.write_str("stack overflow"),
            TrapKind::CallDepth => f.write_str("calls nested too deep"),
            TrapKind::OutOfSteps => f.write_str("out of steps"),
            TrapKind::Deadlock => f.write_str("all threads wait"),
            TrapKind::Exit(status) => write!(f, "the program ended with status {status}"),
            TrapKind::ThreadReturned => f.write_str("a thread returned from its start function"),
        }
    }
}

/// An instruction of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The function.
    pub function: FuncId,
    /// Its name, lossily; empty without one.
    pub name: String,
    /// The block.
    pub block: Option<Block>,
    /// The instruction.
    pub inst: Option<Inst>,
}

/// An execution that stopped without a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trap {
    /// What went wrong.
    pub kind: TrapKind,
    /// The instruction that was executed, if one was.
    pub location: Option<Location>,
}

impl From<TrapKind> for Trap {
    fn from(kind: TrapKind) -> Trap {
        Trap { kind, location: None }
    }
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        let Some(location) = &self.location else { return Ok(()) };
        write!(f, " in {}", location.function)?;
        if !location.name.is_empty() {
            write!(f, " ({})", location.name)?;
        }
        if let Some(block) = location.block {
            write!(f, ", {block}")?;
        }
        if let Some(inst) = location.inst {
            write!(f, ", {inst}")?;
        }
        Ok(())
    }
}

impl core::error::Error for Trap {}
