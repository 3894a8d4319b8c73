//! Recording of each instruction that neither calls nor loops.

use super::helpers::Helper;
use super::ir::{Memory, Ref, TraceOp};
use super::recorder::{Abort, Recording};
use crate::arithmetic;
use crate::ast::{Binary, Builtin, Compare};
use crate::bytecode::{Capture, Op, Reg, Source};
use crate::value::{Tag, layout};
use ice_ir::{BinaryOp, FloatCond, IntCond};

impl Recording<'_, '_> {
    /// Looks at an instruction that goes on in the function.
    pub fn plain(&mut self, op: Op) -> Result<(), Abort> {
        let (a, value) = match op {
            Op::Move { a, b } => (a, self.source(b)?),
            Op::GetGlobal { a, global } => {
                let globals = self.compute(TraceOp::Globals, Tag::Int);
                let actual = self.machine.globals[global as usize];
                let offset = i32::from(global) * layout::VALUE;
                (a, self.load_value(Memory::Global, globals, offset, actual))
            }
            Op::SetGlobal { b, global } => {
                let (globals, value) = (self.compute(TraceOp::Globals, Tag::Int), self.source(b)?);
                self.store_value(Memory::Global, globals, i32::from(global) * layout::VALUE, value);
                return Ok(());
            }
            Op::NewCell { a, b } => {
                let value = self.register(b)?;
                let (tag, bits) = self.parts(value);
                let cell = self.helper(Helper::Cell, &[tag, bits], Tag::Cell);
                (a, cell)
            }
            Op::GetCell { a, b } => {
                let cell = self.register(b)?;
                let actual = self.actual(b).in_cell().ok_or(Abort::Instruction)?;
                (a, self.load_value(Memory::Cell, cell, layout::CELL, actual))
            }
            Op::SetCell { a, b } => {
                let (cell, value) = (self.register(a)?, self.source(b)?);
                if self.tag(cell) != Tag::Cell {
                    return Err(Abort::Instruction);
                }
                self.store_value(Memory::Cell, cell, layout::CELL, value);
                return Ok(());
            }
            Op::GetCaptured { a, index } => {
                let closure = self.closure()?;
                (a, self.captured(closure, index))
            }
            Op::Binary { op, a, b, c } => {
                let (b, c) = (self.register(b)?, self.source(c)?);
                (a, self.arithmetic(op, b, c)?)
            }
            Op::Compare { op, a, b, c } => {
                let (b, c) = (self.register(b)?, self.source(c)?);
                (a, self.compare(op, b, c)?)
            }
            Op::Negate { a, b } => {
                let b = self.register(b)?;
                let (op, zero) = match self.tag(b) {
                    Tag::Int => (BinaryOp::Sub, self.int(0)),
                    Tag::Float => (BinaryOp::Fsub, self.constant(Tag::Float, (-0.0f64).to_bits())),
                    _ => return Err(Abort::Instruction),
                };
                (a, self.binary(op, zero, b))
            }
            Op::Not { a, b } => {
                let b = self.register(b)?;
                let value = match self.tag(b) {
                    Tag::Bool => {
                        let one = self.constant(Tag::Bool, 1);
                        self.binary(BinaryOp::Xor, b, one)
                    }
                    tag => self.constant(Tag::Bool, u64::from(tag == Tag::Nil)),
                };
                (a, value)
            }
            Op::Unless { op, b, c, to } => return self.unless(op, b, c, to),
            Op::JumpIf { b, to } => return self.jump(b, true, to),
            Op::JumpUnless { b, to } => return self.jump(b, false, to),
            Op::NewArray { a, from, count } => {
                let values: Vec<Ref> =
                    (from..from + count).map(|register| self.register(register)).collect::<Result<_, _>>()?;
                (a, self.array_of(&values))
            }
            Op::Index { a, b, c } => (a, self.index(b, c)?),
            Op::SetIndex { a, b, c } => return self.set_index(a, b, c),
            Op::Closure { a, function } => (a, self.new_closure(function)?),
            Op::Builtin { builtin, a } => (a, self.builtin(builtin, a)?),
            Op::Jump { .. } => return Ok(()),
            Op::Loop { .. } | Op::Call { .. } | Op::Return { .. } => return Err(Abort::Instruction),
        };
        self.set(a, value);
        Ok(())
    }

    /// The tag of a value as a number, and the value, whose bits a helper gets.
    fn parts(&mut self, value: Ref) -> (Ref, Ref) {
        let tag = self.tag(value);
        (self.int(tag as i64), value)
    }

    // ---- arithmetic

    /// An integer or float as a float.
    fn float(&mut self, value: Ref) -> Result<Ref, Abort> {
        match self.tag(value) {
            Tag::Int => Ok(self.compute(TraceOp::ToFloat(value), Tag::Float)),
            Tag::Float => Ok(value),
            _ => Err(Abort::Instruction),
        }
    }

    fn arithmetic(&mut self, op: Binary, b: Ref, c: Ref) -> Result<Ref, Abort> {
        match (self.tag(b), self.tag(c)) {
            (Tag::Int, Tag::Int) if op != Binary::Div => Ok(self.int_arithmetic(op, b, c)),
            (Tag::Text, Tag::Text) if op == Binary::Add => {
                Ok(self.helper(Helper::Concat, &[b, c], Tag::Text))
            }
            _ => {
                let (b, c) = (self.float(b)?, self.float(c)?);
                match op {
                    Binary::Add => Ok(self.binary(BinaryOp::Fadd, b, c)),
                    Binary::Sub => Ok(self.binary(BinaryOp::Fsub, b, c)),
                    Binary::Mul => Ok(self.binary(BinaryOp::Fmul, b, c)),
                    Binary::Div => Ok(self.binary(BinaryOp::Fdiv, b, c)),
                    Binary::IntDiv => Ok(self.helper(Helper::FloatDiv, &[b, c], Tag::Float)),
                    Binary::Mod => Ok(self.helper(Helper::FloatMod, &[b, c], Tag::Float)),
                    _ => Err(Abort::Instruction),
                }
            }
        }
    }

    fn int_arithmetic(&mut self, op: Binary, b: Ref, c: Ref) -> Ref {
        match op {
            Binary::Add => self.binary(BinaryOp::Add, b, c),
            Binary::Sub => self.binary(BinaryOp::Sub, b, c),
            Binary::Mul => self.binary(BinaryOp::Mul, b, c),
            Binary::And => self.binary(BinaryOp::And, b, c),
            Binary::Or => self.binary(BinaryOp::Or, b, c),
            Binary::Xor => self.binary(BinaryOp::Xor, b, c),
            Binary::Shl => self.shift(BinaryOp::Shl, b, c),
            Binary::Shr => self.shift(BinaryOp::Ashr, b, c),
            Binary::IntDiv | Binary::Mod | Binary::Div => self.floor_division(op, b, c),
        }
    }

    fn shift(&mut self, op: BinaryOp, b: Ref, c: Ref) -> Ref {
        let count = match self.tree.ops.constant(c) {
            Some(count) => self.int(count as i64 & 63),
            None => {
                let mask = self.int(63);
                self.binary(BinaryOp::And, c, mask)
            }
        };
        self.binary(op, b, count)
    }

    /// Quotient or remainder toward minus infinity.
    fn floor_division(&mut self, op: Binary, b: Ref, c: Ref) -> Ref {
        let divisor = self.tree.ops.constant(c).map(|divisor| divisor as i64);
        if let Some(power) = divisor.filter(|divisor| *divisor > 0 && divisor & (divisor - 1) == 0) {
            return match op {
                Binary::Mod => {
                    let mask = self.int(power - 1);
                    self.binary(BinaryOp::And, b, mask)
                }
                _ => {
                    let count = self.int(power.trailing_zeros().into());
                    self.binary(BinaryOp::Ashr, b, count)
                }
            };
        }
        let zero = self.int(0);
        if divisor.is_none_or(|divisor| divisor <= 0) {
            let is_zero = self.int_compare(IntCond::Eq, c, zero);
            self.guard(is_zero, false);
            let helper = if op == Binary::Mod { Helper::IntMod } else { Helper::IntDiv };
            return self.helper(helper, &[b, c], Tag::Int);
        }
        let quotient = self.binary(BinaryOp::Sdiv, b, c);
        let product = self.binary(BinaryOp::Mul, quotient, c);
        let rest = self.binary(BinaryOp::Sub, b, product);
        // -1 if the rest is negative.
        let width = self.int(63);
        let sign = self.binary(BinaryOp::Ashr, rest, width);
        match op {
            Binary::Mod => {
                let more = self.binary(BinaryOp::And, sign, c);
                self.binary(BinaryOp::Add, rest, more)
            }
            _ => self.binary(BinaryOp::Add, quotient, sign),
        }
    }

    // ---- comparisons and jumps

    fn compare(&mut self, op: Compare, b: Ref, c: Ref) -> Result<Ref, Abort> {
        let (tag_b, tag_c) = (self.tag(b), self.tag(c));
        let is_number = |tag| matches!(tag, Tag::Int | Tag::Float);
        let is_float = is_number(tag_b) && is_number(tag_c) && (tag_b == Tag::Float || tag_c == Tag::Float);
        if is_float {
            let args = [self.float(b)?, self.float(c)?];
            let cond = match op {
                Compare::Eq => FloatCond::Oeq,
                Compare::Ne => FloatCond::Une,
                Compare::Lt => FloatCond::Olt,
                Compare::Le => FloatCond::Ole,
                Compare::Gt => FloatCond::Ogt,
                Compare::Ge => FloatCond::Oge,
            };
            return Ok(self.compute(TraceOp::FloatCompare { cond, args }, Tag::Bool));
        }
        let cond = match op {
            Compare::Eq => IntCond::Eq,
            Compare::Ne => IntCond::Ne,
            Compare::Lt => IntCond::Slt,
            Compare::Le => IntCond::Sle,
            Compare::Gt => IntCond::Sgt,
            Compare::Ge => IntCond::Sge,
        };
        match (tag_b, tag_c) {
            (Tag::Int, Tag::Int) => Ok(self.int_compare(cond, b, c)),
            (Tag::Text, Tag::Text) => {
                let order = self.helper(Helper::Order, &[b, c], Tag::Int);
                let zero = self.int(0);
                Ok(self.int_compare(cond, order, zero))
            }
            _ if !matches!(op, Compare::Eq | Compare::Ne) => Err(Abort::Instruction),
            _ if tag_b != tag_c || tag_b == Tag::Nil => {
                let is_equal = tag_b == tag_c;
                Ok(self.constant(Tag::Bool, u64::from(is_equal == (op == Compare::Eq))))
            }
            _ => Ok(self.int_compare(cond, b, c)),
        }
    }

    fn unless(&mut self, op: Compare, b: Reg, c: Source, to: u16) -> Result<(), Abort> {
        let actual = arithmetic::compare(op, self.actual(b), self.actual_source(c));
        let holds = actual.map_err(|_| Abort::Instruction)?;
        let (b, c) = (self.register(b)?, self.source(c)?);
        let condition = self.compare(op, b, c)?;
        let other = if holds { to.into() } else { self.next_pc() };
        self.guard_to(condition, holds, other);
        Ok(())
    }

    fn jump(&mut self, b: Reg, if_true: bool, to: u16) -> Result<(), Abort> {
        let is_true = self.actual(b).is_true();
        let condition = self.register(b)?;
        // The types of other values say what they are.
        if self.tag(condition) == Tag::Bool {
            let other = if is_true == if_true { self.next_pc() } else { to.into() };
            self.guard_to(condition, is_true, other);
        }
        Ok(())
    }

    fn next_pc(&mut self) -> u32 {
        self.state.frame().pc + 1
    }

    // ---- objects

    fn captured(&mut self, closure: Ref, index: u8) -> Ref {
        let cells = self.load(Memory::Fixed, closure, layout::CELLS, Tag::Int);
        self.load(Memory::Fixed, cells, i32::from(index) * 8, Tag::Cell)
    }

    fn new_closure(&mut self, function: u16) -> Result<Ref, Abort> {
        let captures = &self.code.functions[function as usize].captures;
        let own = self.closure();
        let mut cells = Vec::new();
        for capture in captures {
            cells.push(match *capture {
                Capture::Register(register) => self.register(register)?,
                Capture::Captured(index) => self.captured(own?, index),
            });
        }
        let (number, count) = (self.int(function.into()), self.int(cells.len() as i64));
        let closure = self.helper(Helper::Closure, &[number, count], Tag::Closure);
        let list = self.load(Memory::Fixed, closure, layout::CELLS, Tag::Int);
        for (n, cell) in cells.into_iter().enumerate() {
            // Nobody has read what is there.
            self.store(Memory::Fixed, list, n as i32 * 8, cell);
        }
        Ok(closure)
    }

    /// An array with these elements.
    fn array_of(&mut self, values: &[Ref]) -> Ref {
        let (len, nil) = (self.int(values.len() as i64), self.int(Tag::Nil as i64));
        let array = self.helper(Helper::Array, &[len, nil], Tag::Array);
        let data = self.load(Memory::Header, array, layout::ARRAY_DATA, Tag::Int);
        for (n, &value) in values.iter().enumerate() {
            self.store_value(Memory::Element, data, n as i32 * layout::VALUE, value);
        }
        array
    }

    /// The address of an element, behind a guard that it exists.
    fn element(&mut self, array: Ref, index: Ref) -> Ref {
        let len = self.load(Memory::Header, array, layout::ARRAY_LEN, Tag::Int);
        let is_inside = self.int_compare(IntCond::Ult, index, len);
        self.guard(is_inside, true);
        let data = self.load(Memory::Header, array, layout::ARRAY_DATA, Tag::Int);
        let shift = self.int(layout::VALUE.trailing_zeros().into());
        let offset = self.binary(BinaryOp::Shl, index, shift);
        self.binary(BinaryOp::Add, data, offset)
    }

    fn index(&mut self, b: Reg, c: Source) -> Result<Ref, Abort> {
        let (actual, actual_index) = (self.actual(b), self.actual_source(c));
        let (object, index) = (self.register(b)?, self.source(c)?);
        match (self.tag(object), self.tag(index)) {
            (Tag::Array, Tag::Int) => {
                let element = actual.element(actual_index.payload as i64).ok_or(Abort::Instruction)?;
                let address = self.element(object, index);
                Ok(self.load_value(Memory::Element, address, 0, element))
            }
            (Tag::Text, Tag::Int) => {
                let len = self.load(Memory::Fixed, object, layout::TEXT_LEN, Tag::Int);
                let is_inside = self.int_compare(IntCond::Ult, index, len);
                self.guard(is_inside, true);
                let data = self.load(Memory::Fixed, object, layout::TEXT_DATA, Tag::Int);
                let address = self.binary(BinaryOp::Add, data, index);
                Ok(self.compute(TraceOp::LoadByte { address }, Tag::Int))
            }
            _ => Err(Abort::Instruction),
        }
    }

    fn set_index(&mut self, a: Reg, b: Source, c: Source) -> Result<(), Abort> {
        let (array, index, value) = (self.register(a)?, self.source(b)?, self.source(c)?);
        if self.tag(array) != Tag::Array || self.tag(index) != Tag::Int {
            return Err(Abort::Instruction);
        }
        let address = self.element(array, index);
        self.store_value(Memory::Element, address, 0, value);
        Ok(())
    }

    // ---- builtins

    fn builtin(&mut self, builtin: Builtin, a: Reg) -> Result<Ref, Abort> {
        let first = self.register(a)?;
        let tag = self.tag(first);
        Ok(match (builtin, tag) {
            (Builtin::Len, Tag::Array) => self.load(Memory::Header, first, layout::ARRAY_LEN, Tag::Int),
            (Builtin::Len, Tag::Text) => self.load(Memory::Fixed, first, layout::TEXT_LEN, Tag::Int),
            (Builtin::Array, Tag::Int) => {
                let value = self.register(a + 1)?;
                let (tag, bits) = self.parts(value);
                self.helper(Helper::Array, &[first, tag, bits], Tag::Array)
            }
            (Builtin::Push, Tag::Array) => {
                let value = self.register(a + 1)?;
                let (tag, bits) = self.parts(value);
                self.helper(Helper::Push, &[first, tag, bits], Tag::Int);
                self.forget(Memory::Header);
                self.forget(Memory::Element);
                self.constant(Tag::Nil, 0)
            }
            (Builtin::Pop, Tag::Array) => self.pop(a, first)?,
            (Builtin::Sqrt, _) => {
                let number = self.float(first)?;
                self.compute(TraceOp::Sqrt(number), Tag::Float)
            }
            (Builtin::Float, _) => self.float(first)?,
            (Builtin::Int, Tag::Int) => first,
            (Builtin::Int, Tag::Float) => self.truncated(first),
            (Builtin::Str, _) => {
                let (tag, bits) = self.parts(first);
                self.helper(Helper::Str, &[tag, bits], Tag::Text)
            }
            (Builtin::Char, Tag::Int) => self.helper(Helper::Char, &[first], Tag::Text),
            (Builtin::Slice, Tag::Text) => {
                let (from, to) = (self.register(a + 1)?, self.register(a + 2)?);
                if self.tag(from) != Tag::Int || self.tag(to) != Tag::Int {
                    return Err(Abort::Instruction);
                }
                self.helper(Helper::Slice, &[first, from, to], Tag::Text)
            }
            _ => return Err(Abort::Instruction),
        })
    }

    fn pop(&mut self, a: Reg, array: Ref) -> Result<Ref, Abort> {
        let actual = self.actual(a);
        let len = actual.array_len().ok_or(Abort::Instruction)?;
        let last = actual.element((len as i64).wrapping_sub(1)).ok_or(Abort::Instruction)?;
        let len = self.load(Memory::Header, array, layout::ARRAY_LEN, Tag::Int);
        let one = self.int(1);
        let index = self.binary(BinaryOp::Sub, len, one);
        let address = self.element(array, index);
        let value = self.load_value(Memory::Element, address, 0, last);
        self.store(Memory::Header, array, layout::ARRAY_LEN, index);
        Ok(value)
    }

    /// A float as an integer, behind guards that it fits.
    fn truncated(&mut self, number: Ref) -> Ref {
        for (cond, bound) in [(FloatCond::Ogt, -9.2e18f64), (FloatCond::Olt, 9.2e18)] {
            let bound = self.constant(Tag::Float, bound.to_bits());
            let fits = self.compute(TraceOp::FloatCompare { cond, args: [number, bound] }, Tag::Bool);
            self.guard(fits, true);
        }
        self.compute(TraceOp::ToInt(number), Tag::Int)
    }
}
