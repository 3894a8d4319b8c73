//! Recording: follows the interpreter through a loop and writes down what it does, with the types that it meets.
//!
//! The recorder knows for each slot of the frames which operation has computed its value; nothing is stored to the
//! interpreter's registers before the trace is left, and then only what is live there. Calls are followed into the function,
//! so that frames inside exist for the recorder alone until an exit has to make them.
//!
//! A guard comes before the first effect of its instruction, so that the interpreter can do the instruction again.

use super::helpers::Helper;
use super::ir::{Known, Memory, Ref, TraceOp};
use super::tree::{End, Exit, ExitId, ExitKind, Origin, TraceFrame, Tree, TreeId};
use crate::bytecode::{Code, Function, Op, Reg, Source, Which};
use crate::interpreter::Machine;
use crate::liveness::Liveness;
use crate::value::{Tag, Value, layout};
use ice_ir::{BinaryOp, IntCond};

/// Operations of a tree.
const MOST_OPS: u32 = 4000;

/// Functions inside each other.
const DEEPEST: usize = 12;

/// Why a trace is given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abort {
    /// The instruction has no trace.
    Instruction,
    /// The trace is too long or calls too deep.
    TooLarge,
    /// The function with the loop has ended.
    Returned,
    /// A loop inside has no code yet that fits.
    NotReady,
}

/// What the recorder wants after it has looked at an instruction.
#[derive(Debug)]
pub enum Next {
    /// That it is executed.
    Execute,
    /// That the code of a loop inside is executed, on the frame at this base.
    RunTree(TreeId, i32),
    /// The trace is complete.
    End(End),
}

/// What a recorder keeps from instruction to instruction.
#[derive(Debug)]
pub struct Recorder {
    /// The tree that gets the trace.
    pub tree: TreeId,
    /// What it grows from; nothing if it is the trunk.
    pub origin: Option<Origin>,
    /// The first register of the function with the loop on the interpreter's stack.
    pub base: u32,
    /// Number of operations and exits before the trace.
    pub start: (u32, usize),
    /// Functions, the one with the loop first.
    pub frames: Vec<TraceFrame>,
    /// The values of slots, from that before the first register.
    slots: Vec<Option<Ref>>,
    known: Known,
}

/// A recorder and what it looks at.
pub struct Recording<'a, 'c> {
    /// The recorder.
    pub state: &'a mut Recorder,
    /// Its tree.
    pub tree: &'a mut Tree,
    /// The interpreter, before the instruction.
    pub machine: &'a Machine<'c>,
    /// The program.
    pub code: &'c Code,
    /// By function.
    pub liveness: &'a [Liveness],
}

impl Recorder {
    /// Starts with what is known where a branch begins or, without an exit, at the head of the loop.
    pub fn new(id: TreeId, tree: &mut Tree, base: u32, pc: u32, origin: Option<Origin>) -> Recorder {
        let start = (tree.ops.len(), tree.exits.len());
        let mut recorder = Recorder {
            tree: id,
            origin,
            base,
            start,
            frames: vec![TraceFrame { function: tree.function, base: 0, pc }],
            slots: Vec::new(),
            known: Known::default(),
        };
        if let Some(origin) = origin {
            let exit = tree.exit(origin.exit).clone();
            recorder.frames = exit.frames;
            exit.slots.iter().for_each(|&(slot, value)| recorder.set(slot, value));
            return recorder;
        }
        for (slot, tag) in tree.header.clone() {
            let value = tree.ops.push(TraceOp::Entry { slot }, tag);
            recorder.set(slot, value);
        }
        recorder
    }

    fn set(&mut self, slot: i32, value: Ref) {
        let index = (slot + 1) as usize;
        if self.slots.len() <= index {
            self.slots.resize(index + 1, None);
        }
        self.slots[index] = Some(value);
    }

    fn get(&self, slot: i32) -> Option<Ref> {
        self.slots.get((slot + 1) as usize).copied().flatten()
    }

    /// Takes over what a loop inside has left in the slots of the present frame.
    pub fn take_over(&mut self, tree: &mut Tree, inner: &Tree, exit: ExitId) {
        let base = self.frame().base;
        for memory in [Memory::Header, Memory::Element, Memory::Cell, Memory::Global, Memory::Stack] {
            self.known.forget(memory);
        }
        let address = self.known.compute(&mut tree.ops, TraceOp::Frame, Tag::Int);
        let exit = inner.exit(exit);
        for &(slot, value) in &exit.slots {
            let (slot, tag) = (base + slot, inner.ops.tag(value));
            let offset = slot * layout::VALUE + layout::PAYLOAD;
            let load = TraceOp::Load { memory: Memory::Stack, address, offset };
            let value = self.known.compute(&mut tree.ops, load, tag);
            self.set(slot, value);
        }
        self.frame().pc = exit.innermost().pc;
    }

    /// The function that is being executed.
    pub fn frame(&mut self) -> &mut TraceFrame {
        self.frames.last_mut().expect("the function with the loop is one")
    }
}

impl<'c> Recording<'_, 'c> {
    /// Looks at an instruction before it is executed.
    pub fn record(&mut self, op: Op) -> Result<Next, Abort> {
        let pc = self.machine.frames.last().map_or(0, |frame| frame.pc);
        self.state.frame().pc = pc;
        if self.tree.ops.len() > MOST_OPS {
            return Err(Abort::TooLarge);
        }
        if self.state.frames.len() == 1 && !self.tree.range.contains(&pc) {
            return Ok(Next::End(End::Exit(self.exit(ExitKind::Leave, pc))));
        }
        match op {
            Op::Loop { .. } if self.state.frames.len() == 1 && pc == self.tree.range.start => {
                Ok(Next::End(self.close(pc)))
            }
            Op::Loop { .. } => Err(Abort::NotReady),
            Op::Call { a, count } => self.call(a, count).map(|()| Next::Execute),
            Op::Return { b } => self.leave_function(b).map(|()| Next::Execute),
            _ => self.plain(op).map(|()| Next::Execute),
        }
    }

    /// The end of the trace at the head of its loop.
    fn close(&mut self, pc: u32) -> End {
        let value =
            |&(slot, tag): &(i32, Tag)| self.state.get(slot).filter(|&value| self.tree.ops.tag(value) == tag);
        match self.tree.header.iter().map(value).collect() {
            Some(values) => End::Loop(values),
            None => End::Exit(self.exit(ExitKind::Link, pc)),
        }
    }

    // ---- values

    /// The slot of a register.
    pub fn slot(&mut self, register: Reg) -> i32 {
        self.state.frame().base + i32::from(register)
    }

    /// The value of a register.
    pub fn register(&mut self, register: Reg) -> Result<Ref, Abort> {
        let slot = self.slot(register);
        self.state.get(slot).ok_or(Abort::Instruction)
    }

    /// The closure of the present function.
    pub fn closure(&mut self) -> Result<Ref, Abort> {
        let slot = self.state.frame().base - 1;
        self.state.get(slot).ok_or(Abort::Instruction)
    }

    /// The value of an operand.
    pub fn source(&mut self, source: Source) -> Result<Ref, Abort> {
        match source.which() {
            Which::Register(register) => self.register(register),
            Which::Constant(number) => {
                let Value { tag, payload } = self.function().constants[number];
                Ok(self.constant(tag, payload))
            }
        }
    }

    /// The value that the interpreter has in a register.
    pub fn actual(&mut self, register: Reg) -> Value {
        let slot = self.slot(register);
        self.machine.stack[(self.state.base as i32 + slot) as usize]
    }

    /// The value that the interpreter has for an operand.
    pub fn actual_source(&mut self, source: Source) -> Value {
        match source.which() {
            Which::Register(register) => self.actual(register),
            Which::Constant(number) => self.function().constants[number],
        }
    }

    fn function(&mut self) -> &'c Function {
        let number = self.state.frame().function;
        &self.code.functions[number as usize]
    }

    /// Gives a register a value.
    pub fn set(&mut self, register: Reg, value: Ref) {
        let slot = self.slot(register);
        self.state.set(slot, value);
    }

    /// The type of a value.
    pub fn tag(&self, value: Ref) -> Tag {
        self.tree.ops.tag(value)
    }

    // ---- operations

    /// The result of an operation.
    pub fn compute(&mut self, op: TraceOp, tag: Tag) -> Ref {
        self.state.known.compute(&mut self.tree.ops, op, tag)
    }

    /// A constant.
    pub fn constant(&mut self, tag: Tag, payload: u64) -> Ref {
        self.compute(TraceOp::Constant { payload }, tag)
    }

    /// An integer constant.
    pub fn int(&mut self, number: i64) -> Ref {
        self.constant(Tag::Int, number as u64)
    }

    /// Arithmetic, whose result has the type of its operands.
    pub fn binary(&mut self, op: BinaryOp, a: Ref, b: Ref) -> Ref {
        let tag = self.tag(a);
        self.compute(TraceOp::Binary { op, args: [a, b] }, tag)
    }

    /// A comparison of integers.
    pub fn int_compare(&mut self, cond: IntCond, a: Ref, b: Ref) -> Ref {
        if a == b && cond == IntCond::Eq {
            return self.constant(Tag::Bool, 1);
        }
        self.compute(TraceOp::IntCompare { cond, args: [a, b] }, Tag::Bool)
    }

    /// A load of a payload of a type.
    pub fn load(&mut self, memory: Memory, address: Ref, offset: i32, tag: Tag) -> Ref {
        self.compute(TraceOp::Load { memory, address, offset }, tag)
    }

    /// The value at an address, which has the type of the one that is there now.
    pub fn load_value(&mut self, memory: Memory, address: Ref, offset: i32, actual: Value) -> Ref {
        let tag = self.load(memory, address, offset + layout::TAG, Tag::Int);
        let expected = self.int(actual.tag as i64);
        let is_expected = self.int_compare(IntCond::Eq, tag, expected);
        self.guard(is_expected, true);
        self.load(memory, address, offset + layout::PAYLOAD, actual.tag)
    }

    /// Stores a value to an address.
    pub fn store_value(&mut self, memory: Memory, address: Ref, offset: i32, value: Ref) {
        let tag = self.tag(value);
        let number = self.int(tag as i64);
        let stores = [(layout::TAG, number, Tag::Int), (layout::PAYLOAD, value, tag)]
            .map(|(field, value, tag)| (offset + field, value, tag));
        for (offset, value, _) in stores {
            self.tree.ops.push(TraceOp::Store { memory, address, offset, value }, Tag::Nil);
        }
        self.state.known.forget(memory);
        for (offset, value, tag) in stores {
            self.state.known.remember(memory, address, offset, tag, value);
        }
    }

    /// Stores a number to a place that no other operation knows as a value.
    pub fn store(&mut self, memory: Memory, address: Ref, offset: i32, value: Ref) {
        self.tree.ops.push(TraceOp::Store { memory, address, offset, value }, Tag::Nil);
        self.state.known.forget(memory);
    }

    /// Notes that memory of a kind may have changed.
    pub fn forget(&mut self, memory: Memory) {
        self.state.known.forget(memory);
    }

    /// A call of the run-time system. If it can fail, the trace is left where it does.
    pub fn helper(&mut self, helper: Helper, args: &[Ref], tag: Tag) -> Ref {
        let zero = self.int(0);
        let mut all = [zero; 3];
        all[..args.len()].copy_from_slice(args);
        let result = self.tree.ops.push(TraceOp::Call { helper, args: all }, tag);
        if helper.can_fail() {
            let done = self.int_compare(IntCond::Ne, result, zero);
            self.guard(done, true);
        }
        result
    }

    /// Leaves before the present instruction unless a truth value is as expected.
    pub fn guard(&mut self, condition: Ref, expected: bool) {
        let pc = self.state.frame().pc;
        self.guard_to(condition, expected, pc);
    }

    /// Leaves to an instruction of the present function unless a truth value is as expected.
    pub fn guard_to(&mut self, condition: Ref, expected: bool, pc: u32) {
        if self.tree.ops.constant(condition).is_some() || self.state.known.guard(condition, expected) {
            return;
        }
        let exit = self.exit(ExitKind::Guard, pc);
        self.tree.ops.push(TraceOp::Guard { condition, expected, exit }, Tag::Nil);
    }

    /// An exit before an instruction of the present function, with what is live there.
    fn exit(&mut self, kind: ExitKind, pc: u32) -> ExitId {
        let mut frames = self.state.frames.clone();
        let innermost = frames.len() - 1;
        frames[innermost].pc = pc;
        let mut slots = Vec::new();
        for (depth, frame) in frames.iter().enumerate() {
            let liveness = &self.liveness[frame.function as usize];
            // A function that has called another one goes on behind the call.
            let pc = frame.pc as usize + usize::from(depth < innermost);
            let live = liveness.before(pc);
            let registers = live.iter().map(|register| frame.base + i32::from(register));
            // Its own closure lies before the first register, where its caller expects the result.
            let all = std::iter::once(frame.base - 1).chain(registers);
            slots.extend(all.filter_map(|slot| Some((slot, self.state.get(slot)?))));
        }
        slots.sort_unstable_by_key(|&(slot, _)| slot);
        slots.dedup_by_key(|&mut (slot, _)| slot);
        self.tree.exits.push(Exit { kind, frames, slots });
        ExitId(self.tree.exits.len() as u32 - 1)
    }

    // ---- functions

    fn call(&mut self, a: Reg, count: u8) -> Result<(), Abort> {
        let callee = self.register(a)?;
        let Some(number) = self.actual(a).function() else { return Err(Abort::Instruction) };
        if self.code.functions[number as usize].params != count {
            return Err(Abort::Instruction);
        }
        if self.state.frames.len() == DEEPEST {
            return Err(Abort::TooLarge);
        }
        let function = self.load(Memory::Fixed, callee, layout::FUNCTION, Tag::Int);
        let expected = self.int(number as i64);
        let is_expected = self.int_compare(IntCond::Eq, function, expected);
        self.guard(is_expected, true);
        let base = self.slot(a) + 1;
        self.state.frames.push(TraceFrame { function: number as u32, base, pc: 0 });
        Ok(())
    }

    fn leave_function(&mut self, b: Source) -> Result<(), Abort> {
        if self.state.frames.len() == 1 {
            return Err(Abort::Returned);
        }
        let value = self.source(b)?;
        let slot = self.state.frame().base - 1;
        self.state.frames.pop();
        self.state.set(slot, value);
        Ok(())
    }

    // ---- loops inside

    /// Whether the values of the present frame have the types that the code of a loop takes.
    pub fn fits(&mut self, inner: &Tree) -> bool {
        let base = self.state.frame().base;
        inner.header.iter().all(|&(slot, tag)| {
            self.state.get(base + slot).is_some_and(|value| self.tree.ops.tag(value) == tag)
        })
    }

    /// Notes that the code of a loop inside has run and was left by `expected`.
    pub fn after_tree(&mut self, id: TreeId, inner: &Tree, expected: ExitId) -> Result<(), Abort> {
        if !inner.is_final(expected) || inner.exit(expected).frames.len() > 1 {
            return Err(Abort::NotReady);
        }
        let TraceFrame { base, pc, .. } = *self.state.frame();
        let exit = self.exit(ExitKind::Nested(id), pc);
        self.tree.ops.push(TraceOp::CallTree { tree: id, base, expected, exit }, Tag::Nil);
        self.state.take_over(self.tree, inner, expected);
        Ok(())
    }
}
