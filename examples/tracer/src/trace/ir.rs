//! Traces: operations in the order in which they were done, each on the results of earlier ones, with the type that was
//! seen. There are no jumps: a guard leaves if something is not as it was.
//!
//! An operation that has been done already gives the earlier result (value numbering); a load counts as done as long as
//! nothing was stored to its kind of memory. Constants are folded later by the builder's filter.

use super::helpers::Helper;
use super::tree::{ExitId, TreeId};
use crate::value::Tag;
use ice_ir::{BinaryOp, FloatCond, IntCond};
use std::collections::HashMap;

/// The result of an operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ref(pub u32);

/// Kinds of memory that do not overlap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Memory {
    /// Never changes once it is made: strings, closures.
    Fixed,
    /// Where the elements of arrays are, and how many.
    Header,
    /// Elements of arrays.
    Element,
    /// Shared variables.
    Cell,
    /// Globals.
    Global,
    /// The interpreter's registers.
    Stack,
}

/// Number of kinds of memory.
const MEMORIES: usize = 6;

/// An operation. Addresses are integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TraceOp {
    /// The value of a slot of the frame at the head of the loop.
    Entry { slot: i32 },
    /// The address of the frame of the function with the loop.
    Frame,
    /// The address of the globals.
    Globals,
    /// A constant.
    Constant { payload: u64 },
    /// Arithmetic on integers, floats or truth values.
    Binary { op: BinaryOp, args: [Ref; 2] },
    /// A comparison of integers or addresses.
    IntCompare { cond: IntCond, args: [Ref; 2] },
    /// A comparison of floats.
    FloatCompare { cond: FloatCond, args: [Ref; 2] },
    /// An integer as a float.
    ToFloat(Ref),
    /// A float as an integer, which it fits into.
    ToInt(Ref),
    /// The square root of a float.
    Sqrt(Ref),
    /// A load of 8 bytes.
    Load { memory: Memory, address: Ref, offset: i32 },
    /// A load of a byte of a string.
    LoadByte { address: Ref },
    /// A store of 8 bytes.
    Store { memory: Memory, address: Ref, offset: i32, value: Ref },
    /// A call of the run-time system.
    Call { helper: Helper, args: [Ref; 3] },
    /// Leaves unless a truth value is as expected.
    Guard { condition: Ref, expected: bool, exit: ExitId },
    /// Runs the code of a loop inside, on the frame whose first register is `base`, and leaves unless the code has left
    /// that loop by `expected`.
    CallTree { tree: TreeId, base: i32, expected: ExitId, exit: ExitId },
}

impl TraceOp {
    /// Whether the result depends on the operands alone.
    fn is_pure(&self) -> bool {
        !matches!(
            self,
            TraceOp::Load { .. }
                | TraceOp::Store { .. }
                | TraceOp::Call { .. }
                | TraceOp::Guard { .. }
                | TraceOp::CallTree { .. }
        )
    }
}

/// Operations of a trace and of the branches of its tree.
#[derive(Debug, Default)]
pub struct Ops {
    ops: Vec<(TraceOp, Tag)>,
}

impl Ops {
    /// Number of operations.
    pub fn len(&self) -> u32 {
        self.ops.len() as u32
    }

    /// Forgets all but the first ones.
    pub fn truncate(&mut self, len: u32) {
        self.ops.truncate(len as usize);
    }

    /// An operation.
    pub fn get(&self, at: Ref) -> TraceOp {
        self.ops[at.0 as usize].0
    }

    /// The type of its result.
    pub fn tag(&self, at: Ref) -> Tag {
        self.ops[at.0 as usize].1
    }

    /// Appends an operation as it is.
    pub fn push(&mut self, op: TraceOp, tag: Tag) -> Ref {
        self.ops.push((op, tag));
        Ref(self.len() - 1)
    }

    /// The payload of a constant.
    pub fn constant(&self, at: Ref) -> Option<u64> {
        match self.get(at) {
            TraceOp::Constant { payload } => Some(payload),
            _ => None,
        }
    }
}

/// What is known at the end of a trace that is being recorded.
#[derive(Debug, Default)]
pub struct Known {
    /// Results by operation and type, with the number of stores to its memory before.
    results: HashMap<(TraceOp, Tag, u32), Ref>,
    /// Truth values that guards have seen.
    guarded: HashMap<Ref, bool>,
    stores: [u32; MEMORIES],
}

impl Known {
    fn key(&self, op: TraceOp, tag: Tag) -> (TraceOp, Tag, u32) {
        match op {
            TraceOp::Load { memory, .. } => (op, tag, self.stores[memory as usize]),
            _ => (op, tag, 0),
        }
    }

    /// Appends an operation, or finds its result.
    pub fn compute(&mut self, ops: &mut Ops, op: TraceOp, tag: Tag) -> Ref {
        if !op.is_pure() && !matches!(op, TraceOp::Load { .. }) {
            return ops.push(op, tag);
        }
        let key = self.key(op, tag);
        *self.results.entry(key).or_insert_with(|| ops.push(op, tag))
    }

    /// Notes that memory of a kind may have changed.
    pub fn forget(&mut self, memory: Memory) {
        self.stores[memory as usize] += 1;
    }

    /// Notes what is at an address now.
    pub fn remember(&mut self, memory: Memory, address: Ref, offset: i32, tag: Tag, value: Ref) {
        let key = self.key(TraceOp::Load { memory, address, offset }, tag);
        self.results.insert(key, value);
    }

    /// Notes what a guard sees; says whether that was known.
    pub fn guard(&mut self, condition: Ref, expected: bool) -> bool {
        self.guarded.insert(condition, expected) == Some(expected)
    }
}
