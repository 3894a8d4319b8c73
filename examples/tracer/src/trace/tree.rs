//! Trace trees: the traces of one loop.
//!
//! The trunk goes once around the loop. Where a guard often fails, a branch begins, which goes back to the head of the loop,
//! leaves it, or does neither. All operations of a tree are numbered together and a branch uses what the trace that it
//! grows from has computed. So machine code is made for a tree at once, when it is new and when it has grown, and values
//! that go around the loop stay in registers whatever branch they take.

use super::code::Entry;
use super::ir::{Ops, Ref, TraceOp};
use crate::value::Tag;
use ice_jit::LoadedModule;
use std::collections::HashMap;

/// Number of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TreeId(pub u32);

/// Number of an exit of a tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExitId(pub u32);

/// A function in the course of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceFrame {
    /// Its number.
    pub function: u32,
    /// Its first register, from that of the function with the loop.
    pub base: i32,
    /// The instruction that comes next; of a function that has called another one, the call.
    pub pc: u32,
}

/// Why a trace is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExitKind {
    /// Something is not as it was: a branch may grow here.
    Guard,
    /// The loop has ended.
    Leave,
    /// The head of the loop is reached, with values of other types.
    Link,
    /// A loop inside was left in another way than before.
    Nested(TreeId),
}

/// What the interpreter is to find where a trace is left.
#[derive(Clone, Debug)]
pub struct Exit {
    /// Why.
    pub kind: ExitKind,
    /// Functions that are being executed, the one with the loop first.
    pub frames: Vec<TraceFrame>,
    /// Live slots of the frames and their values.
    pub slots: Vec<(i32, Ref)>,
}

impl Exit {
    /// The function that is being executed.
    pub fn innermost(&self) -> TraceFrame {
        *self.frames.last().expect("the function with the loop is one")
    }
}

/// How a trace ends.
#[derive(Clone, Debug)]
pub enum End {
    /// At the head of the loop, with these values of its slots.
    Loop(Vec<Ref>),
    /// It is left.
    Exit(ExitId),
}

/// A trunk or branch.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Its operations, the last one excluded.
    pub ops: std::ops::Range<u32>,
    /// What comes behind them.
    pub end: End,
}

/// A branch, by where it grows from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Origin {
    /// The exit that it has taken the place of.
    pub exit: ExitId,
    /// How the loop inside was left.
    pub inner: Option<ExitId>,
}

/// What machine code of other trees knows of a tree. Never moved.
#[derive(Debug, Default)]
#[repr(C)]
pub struct TreeCell {
    /// The address of its code.
    pub entry: usize,
    /// Where it was left, how the loop inside was.
    pub inner: u64,
}

/// The traces of a loop for values of some types.
pub struct Tree {
    /// Number of the loop.
    pub number: u16,
    /// The function with the loop.
    pub function: u32,
    /// The instructions of the loop.
    pub range: std::ops::Range<u32>,
    /// The slots of the frame that are live at its head, with their types.
    pub header: Vec<(i32, Tag)>,
    /// All operations.
    pub ops: Ops,
    /// All exits.
    pub exits: Vec<Exit>,
    /// The trunk.
    pub trunk: Option<Segment>,
    /// Branches, in the order in which they have grown.
    pub branches: Vec<(Origin, Segment)>,
    /// How often exits were taken, and how often they have to be for a branch to be recorded.
    pub taken: HashMap<Origin, (u32, u32)>,
    /// For other trees.
    pub cell: Box<TreeCell>,
    /// Number of times that code was made.
    pub version: u32,
    /// Its code.
    pub entry: Option<Entry>,
    /// What keeps it.
    pub module: Option<LoadedModule>,
    /// Registers that the code may use, from the first one of the frame.
    pub reach: u32,
}

impl Tree {
    /// A tree without traces.
    pub fn new(number: u16, function: u32, range: std::ops::Range<u32>, header: Vec<(i32, Tag)>) -> Tree {
        Tree {
            number,
            function,
            range,
            header,
            ops: Ops::default(),
            exits: Vec::new(),
            trunk: None,
            branches: Vec::new(),
            taken: HashMap::default(),
            cell: Box::default(),
            version: 0,
            entry: None,
            module: None,
            reach: 0,
        }
    }

    /// An exit.
    pub fn exit(&self, id: ExitId) -> &Exit {
        &self.exits[id.0 as usize]
    }

    /// The trunk and all branches.
    pub fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.trunk.iter().chain(self.branches.iter().map(|(_, segment)| segment))
    }

    /// The branches that grow from an exit.
    pub fn branches_at(&self, exit: ExitId) -> impl Iterator<Item = (Option<ExitId>, &Segment)> {
        let here = self.branches.iter().filter(move |(origin, _)| origin.exit == exit);
        here.map(|(origin, segment)| (origin.inner, segment))
    }

    /// The trees that its code runs, with the places of their frames.
    pub fn inner_trees(&self) -> impl Iterator<Item = (TreeId, i32)> {
        (0..self.ops.len()).filter_map(|at| match self.ops.get(Ref(at)) {
            TraceOp::CallTree { tree, base, .. } => Some((tree, base)),
            _ => None,
        })
    }

    /// Whether an exit goes out of the loop, or to its head, so that nothing is to be gained from a branch.
    pub fn is_final(&self, exit: ExitId) -> bool {
        let Exit { kind, frames, .. } = self.exit(exit);
        let is_inside = frames.len() > 1 || self.range.contains(&frames[0].pc);
        matches!(kind, ExitKind::Leave | ExitKind::Link) || !is_inside
    }
}
