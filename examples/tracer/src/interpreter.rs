//! The interpreter: one loop over the instructions, compiled twice, with and without a recorder that looks at each one
//! before it is executed.
//!
//! At the head of a loop it asks the [tracer](crate::trace), which runs the machine code of the loop, begins to record, or
//! does nothing.

use crate::arithmetic::{self, Reason};
use crate::ast::Builtin;
use crate::bytecode::{Capture, Code, Function, Op, Source, Which};
use crate::error::{Error, Line};
use crate::trace::{Step, Tracer};
use crate::value::{Heap, Tag, Value};
use std::io::Write;

/// Values on the stack.
const STACK: usize = 1 << 18;

/// Functions inside each other.
const DEEPEST: usize = 10_000;

/// A function that is being executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Its number.
    pub function: u32,
    /// The instruction that comes next.
    pub pc: u32,
    /// Its first register.
    pub base: u32,
}

/// A program in the course of its execution.
pub struct Machine<'c> {
    /// Its functions.
    pub code: &'c Code,
    /// Its objects.
    pub heap: Box<Heap>,
    /// The registers of all functions. Never moved.
    pub stack: Vec<Value>,
    /// The globals. Never moved.
    pub globals: Vec<Value>,
    /// Functions that are being executed, innermost last.
    pub frames: Vec<Frame>,
    /// What a failed instruction says.
    reason: Reason,
    output: &'c mut dyn Write,
}

/// Why the loop over the instructions was left.
enum Stop {
    /// The program is at its end.
    End,
    /// Recording has begun or ended.
    Turn,
    /// An instruction has failed.
    Failed,
    /// Code could not be made, or output not be written.
    Error(Error),
}

impl<'c> Machine<'c> {
    /// Before the first instruction.
    pub fn new(code: &'c Code, heap: Box<Heap>, output: &'c mut dyn Write) -> Machine<'c> {
        Machine {
            code,
            heap,
            stack: vec![Value::NIL; STACK],
            globals: vec![Value::NIL; code.globals],
            frames: vec![Frame { function: 0, pc: 0, base: 1 }],
            reason: Reason::new(),
            output,
        }
    }

    /// Executes the program to its end.
    ///
    /// # Errors
    /// The program does what has no meaning, or prints what cannot be written.
    pub fn run(&mut self, tracer: &mut Tracer) -> Result<(), Error> {
        loop {
            let stop = match tracer.is_recording() {
                true => self.execute::<true>(tracer),
                false => self.execute::<false>(tracer),
            };
            match stop {
                Stop::End => return self.output.flush().map_err(Error::Output),
                Stop::Turn => {}
                Stop::Failed => {
                    let reason = std::mem::take(&mut self.reason);
                    return Err(Error::Run { line: self.line(), reason });
                }
                Stop::Error(error) => return Err(error),
            }
        }
    }

    /// The line of the present instruction.
    fn line(&self) -> Line {
        let frame = self.frames.last();
        let line = frame.and_then(|frame| {
            self.code.functions[frame.function as usize].lines.get(frame.pc as usize).copied()
        });
        line.unwrap_or_default()
    }

    /// Notes where the present function is, for whoever looks at the frames.
    #[inline(always)]
    fn keep_pc(&mut self, pc: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.pc = pc as u32;
        }
    }

    /// The value of an operand of the function with this base.
    #[inline(always)]
    pub fn source(&self, function: &Function, base: usize, source: Source) -> Value {
        match source.which() {
            Which::Register(register) => self.stack[base + register as usize],
            Which::Constant(number) => function.constants[number],
        }
    }

    fn execute<const RECORDS: bool>(&mut self, tracer: &mut Tracer) -> Stop {
        'frame: loop {
            let Some(&Frame { function: number, pc, base }) = self.frames.last() else { return Stop::End };
            let function = &self.code.functions[number as usize];
            let code = function.code.as_slice();
            let (mut pc, base) = (pc as usize, base as usize);
            macro_rules! leave {
                ($stop:expr) => {{
                    self.keep_pc(pc);
                    return $stop;
                }};
            }
            macro_rules! tried {
                ($result:expr) => {
                    match $result {
                        Ok(value) => value,
                        Err(reason) => {
                            self.reason = reason;
                            leave!(Stop::Failed)
                        }
                    }
                };
            }
            loop {
                let op = code[pc];
                if RECORDS {
                    self.keep_pc(pc);
                    match tracer.record(self, op) {
                        Ok(Step::Execute) => {}
                        // Machine code may have changed registers and frames.
                        Ok(Step::Resume) => continue 'frame,
                        Ok(Step::Stop) => return Stop::Turn,
                        Err(error) => return Stop::Error(error),
                    }
                }
                match op {
                    Op::Move { a, b } => self.stack[base + a as usize] = self.source(function, base, b),
                    Op::GetGlobal { a, global } => {
                        self.stack[base + a as usize] = self.globals[global as usize];
                    }
                    Op::SetGlobal { b, global } => {
                        self.globals[global as usize] = self.source(function, base, b);
                    }
                    Op::NewCell { a, b } => {
                        let cell = self.heap.make_cell(self.stack[base + b as usize]);
                        self.stack[base + a as usize] = tried!(cell.map_err(Reason::from));
                    }
                    Op::GetCell { a, b } => {
                        let value = self.stack[base + b as usize].in_cell();
                        self.stack[base + a as usize] = tried!(value.ok_or_else(no_cell));
                    }
                    Op::SetCell { a, b } => {
                        let value = self.source(function, base, b);
                        if !self.stack[base + a as usize].set_cell(value) {
                            tried!(Err(no_cell()));
                        }
                    }
                    Op::GetCaptured { a, index } => {
                        let cell = self.stack[base - 1].captured(index);
                        self.stack[base + a as usize] = tried!(cell.ok_or_else(no_cell));
                    }
                    Op::Binary { op, a, b, c } => {
                        let (b, c) = (self.stack[base + b as usize], self.source(function, base, c));
                        self.stack[base + a as usize] = match arithmetic::usual_binary(op, b, c) {
                            Some(value) => value,
                            None => tried!(arithmetic::binary(&mut self.heap, op, b, c)),
                        };
                    }
                    Op::Compare { op, a, b, c } => {
                        let (b, c) = (self.stack[base + b as usize], self.source(function, base, c));
                        self.stack[base + a as usize] = Value::bool(tried!(arithmetic::compare(op, b, c)));
                    }
                    Op::Negate { a, b } => {
                        let value = arithmetic::negate(self.stack[base + b as usize]);
                        self.stack[base + a as usize] = tried!(value);
                    }
                    Op::Not { a, b } => {
                        let value = !self.stack[base + b as usize].is_true();
                        self.stack[base + a as usize] = Value::bool(value);
                    }
                    Op::Unless { op, b, c, to } => {
                        let (b, c) = (self.stack[base + b as usize], self.source(function, base, c));
                        if !tried!(arithmetic::compare(op, b, c)) {
                            pc = to as usize;
                            continue;
                        }
                    }
                    Op::JumpIf { b, to } => {
                        if self.stack[base + b as usize].is_true() {
                            pc = to as usize;
                            continue;
                        }
                    }
                    Op::JumpUnless { b, to } => {
                        if !self.stack[base + b as usize].is_true() {
                            pc = to as usize;
                            continue;
                        }
                    }
                    Op::Jump { to } => {
                        pc = to as usize;
                        continue;
                    }
                    Op::Loop { number, .. } => {
                        if !RECORDS && tracer.is_hot(number) {
                            self.keep_pc(pc);
                            match tracer.at_loop(self, number) {
                                Ok(Step::Execute) => {}
                                Ok(Step::Resume) => continue 'frame,
                                Ok(Step::Stop) => return Stop::Turn,
                                Err(error) => return Stop::Error(error),
                            }
                        }
                    }
                    Op::NewArray { a, from, count } => {
                        let array =
                            tried!(self.heap.make_array(count.into(), Value::NIL).map_err(Reason::from));
                        for n in 0..usize::from(count) {
                            array.set_element(n as i64, self.stack[base + from as usize + n]);
                        }
                        self.stack[base + a as usize] = array;
                    }
                    Op::Index { a, b, c } => {
                        let (b, c) = (self.stack[base + b as usize], self.source(function, base, c));
                        self.stack[base + a as usize] = tried!(arithmetic::index(b, c));
                    }
                    Op::SetIndex { a, b, c } => {
                        let array = self.stack[base + a as usize];
                        let (index, value) = (self.source(function, base, b), self.source(function, base, c));
                        if index.tag != Tag::Int || !array.set_element(index.payload as i64, value) {
                            tried!(Err(arithmetic::why_no_element(array, index)));
                        }
                    }
                    Op::Closure { a, function } => {
                        self.stack[base + a as usize] = tried!(self.closure(base, function));
                    }
                    Op::Call { a, count } => {
                        self.keep_pc(pc);
                        tried!(self.call(base + a as usize, count));
                        continue 'frame;
                    }
                    Op::Builtin { builtin, a } => {
                        let at = base + a as usize;
                        if builtin == Builtin::Print
                            && let Err(error) = self.print(at)
                        {
                            leave!(Stop::Error(error));
                        }
                        let args = &self.stack[at..at + usize::from(builtin.arguments())];
                        self.stack[at] = tried!(arithmetic::builtin(&mut self.heap, builtin, args));
                    }
                    Op::Return { b } => {
                        self.stack[base - 1] = self.source(function, base, b);
                        self.frames.pop();
                        if let Some(frame) = self.frames.last_mut() {
                            frame.pc += 1;
                        }
                        continue 'frame;
                    }
                }
                pc += 1;
            }
        }
    }

    fn print(&mut self, at: usize) -> Result<(), Error> {
        let mut line = Vec::new();
        arithmetic::write(self.stack[at], &mut line);
        line.push(b'\n');
        self.output.write_all(&line).map_err(Error::Output)
    }

    /// A closure of a function, with the cells that the present function has for it.
    fn closure(&mut self, base: usize, function: u16) -> Result<Value, Reason> {
        let captures = self.code.functions[function as usize].captures.iter();
        let cell = |capture: &Capture| match *capture {
            Capture::Register(register) => Some(self.stack[base + register as usize]),
            Capture::Captured(index) => self.stack[base - 1].captured(index),
        };
        let cells =
            captures.map(|capture| cell(capture).map(|cell| cell.payload)).collect::<Option<Vec<_>>>();
        Ok(self.heap.make_closure(function.into(), cells.ok_or_else(no_cell)?)?)
    }

    /// Begins the function that is at `at` on the stack, with its arguments behind it.
    fn call(&mut self, at: usize, count: u8) -> Result<(), Reason> {
        let Some(number) = self.stack[at].function() else {
            return Err(format!("call of {:?}", self.stack[at].tag));
        };
        let function = &self.code.functions[number as usize];
        if function.params != count {
            return Err(format!("{} takes {} arguments, not {count}", function.name, function.params));
        }
        let base = at + 1;
        if self.frames.len() == DEEPEST || base + usize::from(function.registers) >= STACK {
            return Err(String::from("too many calls inside each other"));
        }
        self.frames.push(Frame { function: number as u32, pc: 0, base: base as u32 });
        Ok(())
    }
}

#[cold]
fn no_cell() -> Reason {
    String::from("a variable is used before it has a value")
}
