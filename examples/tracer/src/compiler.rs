//! From the tree to byte code, in one walk.
//!
//! Variables have registers in the order of their declarations, and what an expression needs in between has those above.
//! A function never changes a register of another one, so that an operand that is a variable is read where it stands.

use crate::ast::{Binary, Compare, Expr, ExprKind, FunctionExpr, Home, Program, Stmt, StmtKind, VariableId};
use crate::bytecode::{Capture, Code, Function, MOST_REGISTERS, Op, Reg, Source};
use crate::error::{Error, Line};
use crate::value::{Full, Heap, Value};
use std::collections::HashMap;

/// Makes byte code of a program; constants that are objects go to the heap.
///
/// # Errors
/// A function has too many variables, constants or instructions.
pub fn compile(program: &Program, heap: &mut Heap) -> Result<Code, Error> {
    let mut compiler = Compiler {
        program,
        heap,
        code: Code::default(),
        globals: HashMap::new(),
        states: Vec::new(),
        line: Line(1),
    };
    compiler.code.functions.push(Function::default());
    compiler.function(0, "the program", &[], &program.body)?;
    compiler.code.globals = compiler.globals.len();
    Ok(compiler.code)
}

/// A loop that is being compiled: jumps that wait for their targets.
#[derive(Default)]
struct Jumps {
    breaks: Vec<usize>,
    continues: Vec<usize>,
}

/// A function that is being compiled.
#[derive(Default)]
struct State {
    function: Function,
    /// The registers of variables: of their values or of their cells.
    registers: HashMap<u32, Reg>,
    /// Captured cells by variable.
    captured: HashMap<u32, u8>,
    constants: HashMap<(u64, u64), u16>,
    texts: HashMap<String, u16>,
    /// The first free register.
    next: usize,
    loops: Vec<Jumps>,
}

struct Compiler<'a> {
    program: &'a Program,
    heap: &'a mut Heap,
    code: Code,
    globals: HashMap<u32, u16>,
    /// Innermost last.
    states: Vec<State>,
    line: Line,
}

impl Compiler<'_> {
    fn state(&mut self) -> &mut State {
        self.states.last_mut().expect("a function is open")
    }

    fn error<T>(&self, reason: &str) -> Result<T, Error> {
        Err(Error::syntax(self.line, reason))
    }

    fn emit(&mut self, op: Op) -> usize {
        let line = self.line;
        let function = &mut self.state().function;
        function.code.push(op);
        function.lines.push(line);
        function.code.len() - 1
    }

    fn here(&mut self) -> usize {
        self.state().function.code.len()
    }

    /// Makes jumps go to the next instruction.
    fn land(&mut self, jumps: &[usize]) -> Result<(), Error> {
        let Ok(target) = u16::try_from(self.here()) else { return self.error("a function is too long") };
        let code = &mut self.state().function.code;
        jumps.iter().for_each(|&jump| code[jump].set_target(target));
        Ok(())
    }

    fn register(&mut self) -> Result<Reg, Error> {
        let state = self.state();
        state.next += 1;
        let register = state.next - 1;
        state.function.registers = state.function.registers.max(state.next as u16);
        if register < MOST_REGISTERS {
            Ok(register as Reg)
        } else {
            self.error("a function has too many variables")
        }
    }

    fn constant(&mut self, value: Value) -> Result<Source, Error> {
        let state = self.state();
        let next = state.function.constants.len() as u16;
        let number = *state.constants.entry((value.tag as u64, value.payload)).or_insert(next);
        if number == next {
            state.function.constants.push(value);
        }
        if number < 65_000 {
            Ok(Source::constant(number))
        } else {
            self.error("a function has too many constants")
        }
    }

    fn text(&mut self, text: &str) -> Result<Source, Error> {
        if let Some(&number) = self.state().texts.get(text) {
            return Ok(Source::constant(number));
        }
        let Ok(value) = self.heap.make_text(text.as_bytes()) else {
            return self.error("no memory for a string");
        };
        let source = self.constant(value)?;
        let number = self.state().function.constants.len() as u16 - 1;
        self.state().texts.insert(text.to_owned(), number);
        Ok(source)
    }

    // ---- functions and variables

    /// Compiles a function to the number that was kept for it.
    fn function(
        &mut self,
        number: usize,
        name: &str,
        params: &[VariableId],
        body: &[Stmt],
    ) -> Result<(), Error> {
        self.states.push(State::default());
        self.state().function.name = name.to_owned();
        for &param in params {
            let register = self.register()?;
            self.state().registers.insert(param.0, register);
            match self.home(param) {
                Home::Register => {}
                Home::Cell => _ = self.emit(Op::NewCell { a: register, b: register }),
                Home::Global => return self.error("a parameter is no global"),
            }
        }
        self.state().function.params = params.len() as u8;
        self.statements(body)?;
        let b = self.constant(Value::NIL)?;
        self.emit(Op::Return { b });
        if self.here() > usize::from(u16::MAX) {
            return self.error("a function is too long");
        }
        let state = self.states.pop().expect("it was opened above");
        self.code.functions[number] = state.function;
        Ok(())
    }

    fn home(&self, variable: VariableId) -> Home {
        self.program.variables[variable.0 as usize].home
    }

    fn global(&mut self, variable: VariableId) -> u16 {
        let next = self.globals.len() as u16;
        *self.globals.entry(variable.0).or_insert(next)
    }

    /// Number of a captured cell among those of the function `depth` of the open ones.
    fn capture(&mut self, depth: usize, variable: VariableId) -> u8 {
        if let Some(&index) = self.states[depth].captured.get(&variable.0) {
            return index;
        }
        let capture = match self.states[depth - 1].registers.get(&variable.0) {
            Some(&register) => Capture::Register(register),
            None => Capture::Captured(self.capture(depth - 1, variable)),
        };
        let state = &mut self.states[depth];
        state.function.captures.push(capture);
        let index = state.function.captures.len() as u8 - 1;
        state.captured.insert(variable.0, index);
        index
    }

    /// The register with the cell of a variable.
    fn cell(&mut self, variable: VariableId) -> Result<Reg, Error> {
        if let Some(&register) = self.state().registers.get(&variable.0) {
            return Ok(register);
        }
        let index = self.capture(self.states.len() - 1, variable);
        let a = self.register()?;
        self.emit(Op::GetCaptured { a, index });
        Ok(a)
    }

    /// Makes a function a value.
    fn closure(&mut self, function: &FunctionExpr, a: Reg) -> Result<(), Error> {
        let number = self.code.functions.len();
        if number > usize::from(u16::MAX) || function.params.len() > 100 {
            return self.error("too many functions or parameters");
        }
        self.code.functions.push(Function::default());
        self.function(number, &function.name, &function.params, &function.body)?;
        self.emit(Op::Closure { a, function: number as u16 });
        Ok(())
    }

    // ---- statements

    fn statements(&mut self, body: &[Stmt]) -> Result<(), Error> {
        let next = self.state().next;
        for stmt in body {
            self.line = stmt.line;
            self.statement(&stmt.kind)?;
        }
        self.state().next = next;
        Ok(())
    }

    fn statement(&mut self, kind: &StmtKind) -> Result<(), Error> {
        if let StmtKind::Let(variable, value) = kind {
            return self.declare(*variable, value);
        }
        let next = self.state().next;
        match kind {
            StmtKind::Let(..) => {}
            StmtKind::Assign(variable, value) => self.assign(*variable, value)?,
            StmtKind::SetIndex(parts) => {
                let [array, index, value] = &**parts;
                let (a, b, c) = (self.in_register(array)?, self.source(index)?, self.source(value)?);
                self.emit(Op::SetIndex { a, b, c });
            }
            StmtKind::Expr(value) => _ = self.source(value)?,
            StmtKind::If(condition, then, otherwise) => self.if_else(condition, then, otherwise)?,
            StmtKind::While(condition, body) => self.while_loop(condition, body)?,
            StmtKind::For(variable, bounds, body) => self.for_loop(*variable, bounds, body)?,
            StmtKind::Return(value) => {
                let b = match value {
                    Some(value) => self.source(value)?,
                    None => self.constant(Value::NIL)?,
                };
                self.emit(Op::Return { b });
            }
            StmtKind::Break => {
                let jump = self.emit(Op::Jump { to: 0 });
                self.innermost().breaks.push(jump);
            }
            StmtKind::Continue => {
                let jump = self.emit(Op::Jump { to: 0 });
                self.innermost().continues.push(jump);
            }
        }
        self.state().next = next;
        Ok(())
    }

    fn innermost(&mut self) -> &mut Jumps {
        self.state().loops.last_mut().expect("the parser has seen a loop")
    }

    fn declare(&mut self, variable: VariableId, value: &Expr) -> Result<(), Error> {
        match self.home(variable) {
            Home::Global => self.assign(variable, value),
            Home::Register => {
                let a = self.register()?;
                self.to(value, a)?;
                self.state().registers.insert(variable.0, a);
                Ok(())
            }
            Home::Cell => {
                // A function may use the cell that it will be in.
                let a = self.register()?;
                let nil = self.constant(Value::NIL)?;
                self.emit(Op::Move { a, b: nil });
                self.emit(Op::NewCell { a, b: a });
                self.state().registers.insert(variable.0, a);
                self.assign(variable, value)
            }
        }
    }

    fn assign(&mut self, variable: VariableId, value: &Expr) -> Result<(), Error> {
        let next = self.state().next;
        match self.home(variable) {
            Home::Register => {
                let a = self.state().registers[&variable.0];
                self.to(value, a)?;
            }
            Home::Cell => {
                let b = self.source(value)?;
                let a = self.cell(variable)?;
                self.emit(Op::SetCell { a, b });
            }
            Home::Global => {
                let b = self.source(value)?;
                let global = self.global(variable);
                self.emit(Op::SetGlobal { b, global });
            }
        }
        self.state().next = next;
        Ok(())
    }

    fn if_else(&mut self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt]) -> Result<(), Error> {
        let mut away = Vec::new();
        self.branch(condition, false, &mut away)?;
        self.statements(then)?;
        if otherwise.is_empty() {
            return self.land(&away);
        }
        let over = self.emit(Op::Jump { to: 0 });
        self.land(&away)?;
        self.statements(otherwise)?;
        self.land(&[over])
    }

    fn begin_loop(&mut self) -> Result<usize, Error> {
        let Ok(number) = u16::try_from(self.code.loops) else { return self.error("too many loops") };
        self.code.loops += 1;
        self.state().loops.push(Jumps::default());
        Ok(self.emit(Op::Loop { number, end: 0 }))
    }

    /// Jumps back to the head; what leaves the loop goes behind that.
    fn end_loop(&mut self, head: usize, away: &[usize]) -> Result<(), Error> {
        self.emit(Op::Jump { to: head as u16 });
        let jumps = self.state().loops.pop().unwrap_or_default();
        self.land(&jumps.breaks)?;
        self.land(away)?;
        self.land(&[head])
    }

    fn while_loop(&mut self, condition: &Expr, body: &[Stmt]) -> Result<(), Error> {
        let head = self.begin_loop()?;
        let mut away = Vec::new();
        self.branch(condition, false, &mut away)?;
        self.statements(body)?;
        let continues = std::mem::take(&mut self.innermost().continues);
        self.land(&continues)?;
        self.end_loop(head, &away)
    }

    fn for_loop(&mut self, variable: VariableId, bounds: &[Expr; 2], body: &[Stmt]) -> Result<(), Error> {
        let counter = self.register()?;
        self.to(&bounds[0], counter)?;
        let end = match self.source(&bounds[1])? {
            constant if constant.is_constant() => constant,
            variable => {
                let a = self.register()?;
                self.emit(Op::Move { a, b: variable });
                Source::register(a)
            }
        };
        let copy = match self.home(variable) {
            Home::Register => counter,
            _ => self.register()?,
        };
        self.state().registers.insert(variable.0, copy);
        let head = self.begin_loop()?;
        let away = self.emit(Op::Unless { op: Compare::Lt, b: counter, c: end, to: 0 });
        match self.home(variable) {
            Home::Register => {}
            Home::Cell => _ = self.emit(Op::NewCell { a: copy, b: counter }),
            Home::Global => {
                let global = self.global(variable);
                self.emit(Op::SetGlobal { b: Source::register(counter), global });
            }
        }
        self.statements(body)?;
        let continues = std::mem::take(&mut self.innermost().continues);
        self.land(&continues)?;
        let c = self.constant(Value::int(1))?;
        self.emit(Op::Binary { op: Binary::Add, a: counter, b: counter, c });
        self.end_loop(head, &[away])
    }

    // ---- expressions

    /// Jumps if the truth of a condition is `wanted`.
    fn branch(&mut self, condition: &Expr, wanted: bool, jumps: &mut Vec<usize>) -> Result<(), Error> {
        let next = self.state().next;
        self.line = condition.line;
        match &condition.kind {
            ExprKind::Not(inner) => self.branch(inner, !wanted, jumps)?,
            ExprKind::And(both) | ExprKind::Or(both) => {
                // One of the two decides alone: a false one of `and`, a true one of `or`.
                let decides = matches!(condition.kind, ExprKind::Or(_));
                if wanted == decides {
                    self.branch(&both[0], wanted, jumps)?;
                    self.branch(&both[1], wanted, jumps)?;
                } else {
                    let mut over = Vec::new();
                    self.branch(&both[0], decides, &mut over)?;
                    self.branch(&both[1], wanted, jumps)?;
                    self.land(&over)?;
                }
            }
            ExprKind::Compare(op, both) => {
                let (b, c) = (self.in_register(&both[0])?, self.source(&both[1])?);
                let unless = self.emit(Op::Unless { op: *op, b, c, to: 0 });
                if wanted {
                    jumps.push(self.emit(Op::Jump { to: 0 }));
                    self.land(&[unless])?;
                } else {
                    jumps.push(unless);
                }
            }
            _ => {
                let b = self.in_register(condition)?;
                let jump = if wanted { Op::JumpIf { b, to: 0 } } else { Op::JumpUnless { b, to: 0 } };
                jumps.push(self.emit(jump));
            }
        }
        self.state().next = next;
        Ok(())
    }

    /// The value of an expression as an operand.
    fn source(&mut self, value: &Expr) -> Result<Source, Error> {
        self.line = value.line;
        match &value.kind {
            ExprKind::Nil => self.constant(Value::NIL),
            ExprKind::Bool(value) => self.constant(Value::bool(*value)),
            ExprKind::Int(number) => self.constant(Value::int(*number)),
            ExprKind::Float(number) => self.constant(Value::float(*number)),
            ExprKind::Text(text) => self.text(text),
            _ => Ok(Source::register(self.in_register(value)?)),
        }
    }

    /// The value of an expression in a register, that of a variable if it is one.
    fn in_register(&mut self, value: &Expr) -> Result<Reg, Error> {
        if let ExprKind::Variable(variable) = value.kind
            && self.home(variable) == Home::Register
        {
            return Ok(self.state().registers[&variable.0]);
        }
        let a = self.register()?;
        self.to(value, a)?;
        Ok(a)
    }

    /// Puts the value of an expression into `a`.
    fn to(&mut self, value: &Expr, a: Reg) -> Result<(), Error> {
        let next = self.state().next;
        self.line = value.line;
        let op = match &value.kind {
            ExprKind::Variable(variable) => match self.home(*variable) {
                Home::Register => Op::Move { a, b: Source::register(self.state().registers[&variable.0]) },
                Home::Cell => Op::GetCell { a, b: self.cell(*variable)? },
                Home::Global => Op::GetGlobal { a, global: self.global(*variable) },
            },
            ExprKind::Array(elements) => {
                let from = self.in_a_row(elements)?;
                Op::NewArray { a, from, count: elements.len() as u8 }
            }
            ExprKind::Function(function) => {
                self.closure(function, a)?;
                self.state().next = next;
                return Ok(());
            }
            ExprKind::Negate(operand) => Op::Negate { a, b: self.in_register(operand)? },
            ExprKind::Not(operand) => Op::Not { a, b: self.in_register(operand)? },
            ExprKind::Binary(op, both) => {
                let (b, c) = (self.in_register(&both[0])?, self.source(&both[1])?);
                Op::Binary { op: *op, a, b, c }
            }
            ExprKind::Compare(op, both) => {
                let (b, c) = (self.in_register(&both[0])?, self.source(&both[1])?);
                Op::Compare { op: *op, a, b, c }
            }
            ExprKind::Index(both) => {
                let (b, c) = (self.in_register(&both[0])?, self.source(&both[1])?);
                Op::Index { a, b, c }
            }
            ExprKind::And(both) | ExprKind::Or(both) => return self.either(value, both, a),
            ExprKind::Call(callee, arguments) => {
                let first = self.register()?;
                self.to(callee, first)?;
                self.in_a_row(arguments)?;
                self.line = value.line;
                self.emit(Op::Call { a: first, count: arguments.len() as u8 });
                Op::Move { a, b: Source::register(first) }
            }
            ExprKind::Builtin(builtin, arguments) => {
                let first = self.in_a_row(arguments)?;
                self.line = value.line;
                self.emit(Op::Builtin { builtin: *builtin, a: first });
                Op::Move { a, b: Source::register(first) }
            }
            ExprKind::Nil | ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Text(_) => {
                Op::Move { a, b: self.source(value)? }
            }
        };
        self.line = value.line;
        if !matches!(op, Op::Move { a, b } if b == Source::register(a)) {
            self.emit(op);
        }
        self.state().next = next;
        Ok(())
    }

    /// `and` and `or` as values.
    fn either(&mut self, value: &Expr, both: &[Expr; 2], a: Reg) -> Result<(), Error> {
        // The first value may be that of the variable which is assigned to.
        let next = self.state().next;
        let b = self.register()?;
        self.to(&both[0], b)?;
        let is_or = matches!(value.kind, ExprKind::Or(_));
        let over = self.emit(if is_or { Op::JumpIf { b, to: 0 } } else { Op::JumpUnless { b, to: 0 } });
        self.to(&both[1], b)?;
        self.land(&[over])?;
        self.emit(Op::Move { a, b: Source::register(b) });
        self.state().next = next;
        Ok(())
    }

    /// Values in registers behind each other.
    fn in_a_row(&mut self, values: &[Expr]) -> Result<Reg, Error> {
        if values.len() > 200 {
            return self.error("too many values behind each other");
        }
        let first = self.state().next;
        for value in values {
            let a = self.register()?;
            self.to(value, a)?;
        }
        Ok(first as Reg)
    }
}

impl From<Full> for String {
    fn from(_: Full) -> String {
        String::from("the program needs too much memory")
    }
}
