//! The body of a function as it grows: its lines, and the values that may be used at the end of them.

use super::calls::Callee;
use super::types::{self, Limits, Type, Value, constant};
use super::{control, floats, integers, steps};
use crate::fuzz::Random;
use std::collections::BTreeSet;
use std::fmt::Display;

/// Adds some lines to a body, or none if it has no operands for them.
pub type Step = fn(&mut Body);
/// The same, for values of a type.
pub type TypedStep = fn(&mut Body, Type);

/// What the functions of a module have in common.
pub struct Module {
    pub random: Random,
    pub limits: Limits,
    /// Most steps of a function.
    pub size: usize,
    /// Intrinsics that are called.
    pub declarations: BTreeSet<String>,
    /// Functions that those behind them may call.
    pub callees: Vec<Callee>,
}

pub struct Body<'m> {
    pub module: &'m mut Module,
    pub lines: Vec<String>,
    /// Results so far.
    names: usize,
    /// Values that reach the end of the lines.
    pub values: Vec<Value>,
    /// The block that the lines end in.
    pub block: String,
    /// Branches and loops around it.
    pub depth: usize,
}

impl<'m> Body<'m> {
    pub fn new(module: &'m mut Module) -> Body<'m> {
        let entry = String::from("entry");
        let lines = vec![format!("{entry}:")];
        Body { module, lines, names: 0, values: Vec::new(), block: entry, depth: 0 }
    }

    // What chance decides.

    pub fn below(&mut self, limit: usize) -> usize {
        self.module.random.below(limit)
    }

    /// True so many times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn one_of<T: Clone>(&mut self, list: &[T]) -> T {
        self.module.random.one_of(list)
    }

    /// One of a list in which each has its weight.
    pub fn weighted<T: Copy>(&mut self, list: &[(usize, T)]) -> T {
        let mut at = self.below(list.iter().map(|(weight, _)| weight).sum());
        let chosen = list.iter().find(|(weight, _)| {
            let is_here = at < *weight;
            at = at.wrapping_sub(*weight);
            is_here
        });
        chosen.unwrap_or(&list[0]).1
    }

    pub fn any_type(&mut self) -> Type {
        self.module.limits.any_type(&mut self.module.random)
    }

    pub fn constant(&mut self, ty: Type) -> Value {
        constant(ty, &mut self.module.random)
    }

    // Lines.

    pub fn line(&mut self, text: impl Display) {
        self.lines.push(format!("  {text}"));
    }

    /// Begins a block.
    pub fn begin(&mut self, block: String) {
        self.lines.push(format!("{block}:"));
        self.block = block;
    }

    /// A name that no other value or block has.
    pub fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// The name of a result that may have any type.
    pub fn name(&mut self, text: impl Display) -> String {
        let name = self.fresh("%v");
        self.line(format!("{name} = {text}"));
        name
    }

    /// A result that only the step itself uses.
    pub fn define(&mut self, ty: Type, text: impl Display) -> Value {
        Value { ty, text: self.name(text) }
    }

    /// A result that later steps may use.
    pub fn add(&mut self, ty: Type, text: impl Display) -> Value {
        let value = self.define(ty, text);
        self.values.push(value.clone());
        value
    }

    /// The members of a structure of the type `ty`, one for each of `members`, which later steps may use.
    pub fn add_members(&mut self, members: &[Type], ty: &str, text: impl Display) {
        let whole = self.name(text);
        for (at, &member) in members.iter().enumerate() {
            self.add(member, format!("extractvalue {ty} {whole}, {at}"));
        }
    }

    pub fn declare(&mut self, declaration: String) {
        self.module.declarations.insert(format!("declare {declaration}"));
    }

    /// The call of an intrinsic, to be defined; `result` is its type.
    pub fn intrinsic(&mut self, result: impl Display, name: &str, arguments: &[&Value]) -> String {
        let types: Vec<String> = arguments.iter().map(|argument| argument.ty.to_string()).collect();
        self.declare(format!("{result} @llvm.{name}({})", types.join(", ")));
        let arguments: Vec<String> = arguments.iter().map(|argument| argument.to_string()).collect();
        format!("call {result} @llvm.{name}({})", arguments.join(", "))
    }

    // Operands.

    /// One of the last values that `is_wanted`.
    pub fn recent(&mut self, is_wanted: impl Fn(Type) -> bool) -> Option<Value> {
        let found: Vec<&Value> =
            self.values.iter().rev().filter(|value| is_wanted(value.ty)).take(12).collect();
        (!found.is_empty()).then(|| self.module.random.one_of(&found).clone())
    }

    /// A value of the type: a constant so many times in a hundred, else one that there is, else one that is made of
    /// another. It is a constant as well if nothing can be made to it.
    pub fn operand(&mut self, ty: Type, constants: usize) -> Value {
        if self.chance(constants) {
            return self.constant(ty);
        }
        match self.recent(|other| other == ty) {
            Some(value) => value,
            None => self.convert(ty),
        }
    }

    /// Two operands, the second of which is more often constant.
    pub fn pair(&mut self, ty: Type) -> (Value, Value) {
        (self.operand(ty, 15), self.operand(ty, 30))
    }

    /// Makes a value of the type.
    pub fn convert(&mut self, ty: Type) -> Value {
        if let Some(lanes) = ty.lanes {
            return self.convert_vector(ty, lanes);
        }
        if !ty.is_int() {
            let source = self.recent(|other| other.is_int() && !other.is_vector() && other.width <= 64);
            return match source {
                Some(source) => {
                    let op = self.one_of(&["uitofp", "sitofp"]);
                    self.add(ty, format!("{op} {source} to {ty}"))
                }
                None => self.constant(ty),
            };
        }
        match self.recent(|other| other.is_int() && !other.is_vector() && other.width != ty.width) {
            Some(source) => self.resize(&source, ty),
            None => self.constant(ty),
        }
    }

    /// From all bits of something, from as many lanes of another width, or lane by lane.
    fn convert_vector(&mut self, ty: Type, lanes: u32) -> Value {
        let is_whole = |other: Type| other.is_int() && other.casts_to(ty);
        if ty.is_int()
            && self.chance(60)
            && let Some(source) = self.recent(is_whole)
        {
            return self.add(ty, format!("bitcast {source} to {ty}"));
        }
        if ty.is_int() && self.chance(70) {
            let is_lost = (ty.lanes, ty.width) == (Some(3), 8) && !self.module.limits.has_three_bytes;
            let is_source = |other: Type| {
                other.lanes == ty.lanes && other.is_int() && other.width != ty.width && !is_lost
            };
            if let Some(source) = self.recent(is_source) {
                return self.resize(&source, ty);
            }
        }
        let mut vector = self.constant(ty);
        for _ in 0..1 + self.below(3) {
            let lane = self.operand(ty.lane(), 20);
            let at = self.below(lanes as usize);
            vector = self.define(ty, format!("insertelement {vector}, {lane}, i32 {at}"));
        }
        self.values.push(vector.clone());
        vector
    }

    /// Integers of another width.
    pub fn resize(&mut self, source: &Value, ty: Type) -> Value {
        let op = if source.ty.width > ty.width { "trunc" } else { self.one_of(&["zext", "sext"]) };
        self.add(ty, format!("{op} {source} to {ty}"))
    }

    /// The value with NaNs replaced by zero. What an operation makes of a NaN has any sign and any payload, so this stands
    /// before everything that sees the bits of a float.
    pub fn without_nan(&mut self, value: Value) -> Value {
        if value.ty.is_int() {
            return value;
        }
        let truth = value.ty.truth();
        let is_nan = self.define(truth, format!("fcmp uno {value}, {}", value.text));
        let zero = types::splat(value.ty, "0.0");
        self.define(value.ty, format!("select {is_nan}, {zero}, {value}"))
    }

    /// A condition for values of the type: one for all lanes, or one for each.
    pub fn condition(&mut self, ty: Type) -> Value {
        let truth = if self.chance(70) { ty.truth() } else { Type::BIT };
        self.operand(truth, 2)
    }

    /// Adds something to the function: mostly one operation.
    pub fn step(&mut self) {
        let deepest = if self.module.size > 100 { 4 } else { 2 };
        match self.below(100) {
            0..7 if self.depth < deepest => control::step(self),
            0..30 => steps::special(self),
            _ => {
                let used = if self.chance(60) { self.recent(|_| true) } else { None };
                let ty = used.map_or_else(|| self.any_type(), |value| value.ty);
                if ty.is_int() { integers::step(self, ty) } else { floats::step(self, ty) }
            }
        }
    }

    pub fn steps(&mut self, least: usize, most: usize) {
        for _ in 0..least + self.below(most - least + 1) {
            self.step();
        }
    }
}
