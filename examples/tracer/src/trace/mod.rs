//! The trace compiler: watches loops, records hot ones, and runs their code.
//!
//! | step | file |
//! |---|---|
//! | a loop is hot: its next turn is recorded | this file |
//! | instructions become operations on typed values; calls are followed, loops inside are called | `recorder`, `plain` |
//! | what has been computed already is not computed again | `ir` |
//! | traces of a loop grow together to a tree | `tree` |
//! | the tree becomes a function, stores to the interpreter's registers only where it is left | `emit` |
//! | the function becomes machine code and is entered | `code`, `helpers` |
//! | the interpreter's frames are made again where a tree was left; an exit that is hot gets a branch | this file |

mod code;
mod emit;
mod helpers;
mod ir;
mod plain;
mod recorder;
mod tree;

use self::recorder::{Abort, Next, Recorder, Recording};
use self::tree::{End, ExitId, ExitKind, Origin, Segment, Tree, TreeId};
use crate::bytecode::{Code, Op};
use crate::error::Error;
use crate::interpreter::{Frame, Machine};
use crate::liveness::Liveness;
use crate::value::Tag;
use ice_driver::Recipe;
use ice_jit::Jit;
use std::time::{Duration, Instant};

/// Turns of a loop before it is recorded.
const HOT_LOOP: u32 = 40;

/// Times that an exit is taken before a branch grows there.
const HOT_EXIT: u32 = 6;

/// Trees of a loop, for values of different types.
const MOST_TREES: usize = 6;

/// Branches of a tree.
const MOST_BRANCHES: usize = 60;

/// What the interpreter is to do with its present instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// To execute it.
    Execute,
    /// To go on with the frames as they are now.
    Resume,
    /// To go on so, and to ask anew whether it is recorded.
    Stop,
}

/// Figures of a run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stats {
    /// Loops that have machine code, one for each combination of types.
    pub trees: u32,
    /// Branches of trees.
    pub branches: u32,
    /// Traces that were given up.
    pub aborts: u32,
    /// Times that machine code was entered from the interpreter.
    pub entries: u64,
    /// Time for making machine code.
    pub compiling: Duration,
}

/// What is known of a loop.
#[derive(Default)]
struct LoopState {
    trees: Vec<TreeId>,
    /// Times that no tree fitted since the last recording.
    misses: u32,
    /// Misses before the next recording.
    patience: u32,
}

/// Traces of a program.
pub struct Tracer {
    /// None if nothing is to be recorded.
    jit: Option<Jit>,
    /// By loop: turns in the interpreter.
    turns: Vec<u32>,
    loops: Vec<LoopState>,
    trees: Vec<Tree>,
    liveness: Vec<Liveness>,
    recorder: Option<Recorder>,
    /// The next instruction is the head of the loop where recording begins.
    is_fresh: bool,
    stats: Stats,
}

/// A place where a branch may grow: the tree, the exit, and the frame.
type Growth = (TreeId, Origin, u32);

impl Tracer {
    /// A tracer that makes code by a recipe, or one that does nothing.
    ///
    /// # Errors
    /// Code is not made for this processor.
    pub fn new(code: &Code, recipe: Option<Recipe>) -> Result<Tracer, Error> {
        let liveness = code.functions.iter().map(|function| Liveness::compute(code, function)).collect();
        Ok(Tracer {
            jit: recipe.map(code::compiler).transpose()?,
            turns: vec![0; code.loops],
            loops: (0..code.loops).map(|_| LoopState::default()).collect(),
            trees: Vec::new(),
            liveness,
            recorder: None,
            is_fresh: false,
            stats: Stats::default(),
        })
    }

    /// Figures so far.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// Whether instructions are to be shown before they are executed.
    pub fn is_recording(&self) -> bool {
        self.recorder.is_some()
    }

    /// Counts a turn of a loop; says whether it is worth asking about.
    #[inline(always)]
    pub fn is_hot(&mut self, number: u16) -> bool {
        let turns = &mut self.turns[number as usize];
        *turns = turns.saturating_add(1);
        *turns > HOT_LOOP
    }

    /// The interpreter is at the head of a hot loop.
    ///
    /// # Errors
    /// Code cannot be made.
    pub fn at_loop(&mut self, machine: &mut Machine<'_>, number: u16) -> Result<Step, Error> {
        let Some(&Frame { base, .. }) = machine.frames.last() else { return Ok(Step::Execute) };
        if self.jit.is_none() {
            self.turns[number as usize] = 0;
            return Ok(Step::Execute);
        }
        for index in 0..self.loops[number as usize].trees.len() {
            let id = self.loops[number as usize].trees[index];
            if let Some(exit) = code::enter(&self.trees[id.0 as usize], machine, base) {
                self.stats.entries += 1;
                let growth = self.rebuild(machine, id, exit, base);
                let begins = growth.is_some_and(|growth| self.count(growth));
                return Ok(if begins { Step::Stop } else { Step::Resume });
            }
        }
        let state = &mut self.loops[number as usize];
        state.misses += 1;
        if state.trees.len() == MOST_TREES || state.misses <= state.patience {
            return Ok(Step::Execute);
        }
        state.misses = 0;
        self.begin_trunk(machine);
        Ok(Step::Stop)
    }

    // ---- recording

    /// Starts to record a loop at its head.
    fn begin_trunk(&mut self, machine: &Machine<'_>) {
        let Some(&Frame { function, pc, base }) = machine.frames.last() else { return };
        let Op::Loop { number, end } = machine.code.functions[function as usize].code[pc as usize] else {
            return;
        };
        let live = self.liveness[function as usize].before(pc as usize);
        let tag = |slot: i32| machine.stack[(base as i32 + slot) as usize].tag;
        let mut header = Vec::new();
        if !machine.code.functions[function as usize].captures.is_empty() {
            header.push((-1, Tag::Closure));
        }
        header.extend(live.iter().map(|register| (register.into(), tag(register.into()))));
        let mut tree = Tree::new(number, function, pc..end.into(), header);
        let id = TreeId(self.trees.len() as u32);
        self.recorder = Some(Recorder::new(id, &mut tree, base, pc, None));
        self.trees.push(tree);
        self.is_fresh = true;
    }

    /// Counts an exit and starts to record a branch if it is hot.
    fn count(&mut self, (id, origin, base): Growth) -> bool {
        let tree = &mut self.trees[id.0 as usize];
        let (taken, enough) = tree.taken.entry(origin).or_insert((0, HOT_EXIT));
        *taken += 1;
        if *taken < *enough || tree.branches.len() == MOST_BRANCHES {
            return false;
        }
        *taken = 0;
        *enough = enough.saturating_mul(4);
        let mut recorder = Recorder::new(id, tree, base, 0, Some(origin));
        if let (ExitKind::Nested(inner), Some(exit)) = (tree.exit(origin.exit).kind, origin.inner) {
            let mut tree = self.take(id);
            let inner = &self.trees[inner.0 as usize];
            recorder.take_over(&mut tree, inner, exit);
            self.trees[id.0 as usize] = tree;
        }
        self.recorder = Some(recorder);
        true
    }

    /// A tree, in whose place an empty one stands until it is back.
    fn take(&mut self, id: TreeId) -> Tree {
        std::mem::replace(&mut self.trees[id.0 as usize], Tree::new(0, 0, 0..0, Vec::new()))
    }

    /// Shows the present instruction to the recorder.
    ///
    /// # Errors
    /// Code cannot be made.
    pub fn record(&mut self, machine: &mut Machine<'_>, op: Op) -> Result<Step, Error> {
        if std::mem::take(&mut self.is_fresh) {
            return Ok(Step::Execute);
        }
        let Some(mut recorder) = self.recorder.take() else { return Ok(Step::Stop) };
        let next = self.with_recording(&mut recorder, machine, |tracer, recording| {
            match (recording.record(op), op) {
                (Err(Abort::NotReady), Op::Loop { number, .. }) => tracer.inner_tree(recording, number),
                (next, _) => next,
            }
        });
        match next {
            Ok(Next::Execute) => {
                self.recorder = Some(recorder);
                Ok(Step::Execute)
            }
            Ok(Next::RunTree(inner, base)) => self.run_inner(machine, recorder, inner, base),
            Ok(Next::End(end)) => {
                self.finish(recorder, end, machine.code)?;
                Ok(Step::Stop)
            }
            Err(abort) => {
                self.give_up(recorder, abort);
                Ok(Step::Stop)
            }
        }
    }

    /// Does something with the recorder and its tree, in whose place an empty one stands meanwhile.
    fn with_recording<T>(
        &mut self,
        recorder: &mut Recorder,
        machine: &Machine<'_>,
        work: impl FnOnce(&Tracer, &mut Recording<'_, '_>) -> T,
    ) -> T {
        let id = recorder.tree;
        let mut tree = self.take(id);
        let (code, liveness) = (machine.code, self.liveness.as_slice());
        let mut recording = Recording { state: recorder, tree: &mut tree, machine, code, liveness };
        let result = work(self, &mut recording);
        self.trees[id.0 as usize] = tree;
        result
    }

    /// The tree of a loop inside that takes the present values.
    fn inner_tree(&self, recording: &mut Recording<'_, '_>, number: u16) -> Result<Next, Abort> {
        let outer = recording.state.tree;
        let fits = |&&id: &&TreeId| {
            let inner = &self.trees[id.0 as usize];
            inner.entry.is_some() && !self.runs(id, outer) && recording.fits(inner)
        };
        let id = self.loops[number as usize].trees.iter().find(fits).copied().ok_or(Abort::NotReady)?;
        let base = recording.state.frame().base;
        Ok(Next::RunTree(id, base))
    }

    /// Whether the code of a tree may come to run that of another one.
    fn runs(&self, id: TreeId, other: TreeId) -> bool {
        id == other || self.trees[id.0 as usize].inner_trees().any(|(inner, _)| self.runs(inner, other))
    }

    /// Runs the code of a loop inside while the one around is recorded.
    fn run_inner(
        &mut self,
        machine: &mut Machine<'_>,
        mut recorder: Recorder,
        inner: TreeId,
        base: i32,
    ) -> Result<Step, Error> {
        let base = (recorder.base as i32 + base) as u32;
        let Some(exit) = code::enter(&self.trees[inner.0 as usize], machine, base) else {
            self.give_up(recorder, Abort::NotReady);
            return Ok(Step::Stop);
        };
        self.stats.entries += 1;
        let result = self.with_recording(&mut recorder, machine, |tracer, recording| {
            recording.after_tree(inner, &tracer.trees[inner.0 as usize], exit)
        });
        let growth = self.rebuild(machine, inner, exit, base);
        match result {
            Ok(()) => {
                self.recorder = Some(recorder);
                Ok(Step::Resume)
            }
            Err(abort) => {
                self.give_up(recorder, abort);
                // What stands in the way is the loop inside: it grows first.
                if let Some(growth) = growth {
                    self.count(growth);
                }
                Ok(Step::Stop)
            }
        }
    }

    /// The trace is complete.
    fn finish(&mut self, recorder: Recorder, end: End, code: &Code) -> Result<(), Error> {
        let Recorder { tree: id, origin, start, .. } = recorder;
        let tree = &mut self.trees[id.0 as usize];
        let segment = Segment { ops: start.0..tree.ops.len(), end };
        match origin {
            Some(origin) => {
                tree.branches.push((origin, segment));
                self.stats.branches += 1;
            }
            None => {
                tree.trunk = Some(segment);
                self.stats.trees += 1;
                self.loops[tree.number as usize].trees.push(id);
            }
        }
        self.measure(code);
        let Some(jit) = &self.jit else { return Ok(()) };
        let start = Instant::now();
        code::compile(jit, &mut self.trees, id)?;
        self.stats.compiling += start.elapsed();
        Ok(())
    }

    /// Finds the registers that each tree may use.
    fn measure(&mut self, code: &Code) {
        // An inner tree is older than the trace that runs it, but a branch of it may be younger.
        for index in 0..self.trees.len() {
            let id = TreeId(index as u32);
            self.trees[index].reach = self.reach(id, code);
        }
    }

    fn reach(&self, id: TreeId, code: &Code) -> u32 {
        let tree = &self.trees[id.0 as usize];
        let end =
            |function: u32, base: i32| base as u32 + u32::from(code.functions[function as usize].registers);
        let frames = tree.exits.iter().flat_map(|exit| &exit.frames);
        let own = frames.map(|frame| end(frame.function, frame.base)).max().unwrap_or(0);
        let inner = tree.inner_trees().map(|(inner, base)| base as u32 + self.reach(inner, code));
        own.max(inner.max().unwrap_or(0))
    }

    /// The trace is given up.
    fn give_up(&mut self, recorder: Recorder, abort: Abort) {
        self.stats.aborts += 1;
        let tree = &mut self.trees[recorder.tree.0 as usize];
        tree.ops.truncate(recorder.start.0);
        tree.exits.truncate(recorder.start.1);
        if recorder.origin.is_some() {
            return;
        }
        let state = &mut self.loops[tree.number as usize];
        // A loop inside gets its code soon; other reasons mostly stay.
        let factor = if abort == Abort::NotReady { 2 } else { 8 };
        state.patience = (state.patience.max(4)).saturating_mul(factor);
        self.trees.pop();
    }

    // ---- leaving

    /// Makes the interpreter's frames anew where a tree was left. Says where a branch may grow.
    fn rebuild(&self, machine: &mut Machine<'_>, id: TreeId, exit: ExitId, base: u32) -> Option<Growth> {
        let tree = &self.trees[id.0 as usize];
        let left = tree.exit(exit);
        if let Some(frame) = machine.frames.last_mut() {
            frame.pc = left.frames[0].pc;
        }
        for frame in &left.frames[1..] {
            let base = (base as i32 + frame.base) as u32;
            machine.frames.push(Frame { function: frame.function, pc: frame.pc, base });
        }
        let ExitKind::Nested(inner) = left.kind else {
            return (!tree.is_final(exit)).then_some((id, Origin { exit, inner: None }, base));
        };
        let inner_exit = ExitId(tree.cell.inner as u32);
        let inner_base = (base as i32 + left.innermost().base) as u32;
        let growth = self.rebuild(machine, inner, inner_exit, inner_base);
        let inner_tree = &self.trees[inner.0 as usize];
        let is_plain = !matches!(inner_tree.exit(inner_exit).kind, ExitKind::Nested(_));
        let ends_inner = inner_tree.is_final(inner_exit) && inner_tree.exit(inner_exit).frames.len() == 1;
        match is_plain && ends_inner {
            true => Some((id, Origin { exit, inner: Some(inner_exit) }, base)),
            false => growth,
        }
    }
}
