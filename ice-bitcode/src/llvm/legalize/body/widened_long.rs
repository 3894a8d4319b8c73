//! Operations of machines on the lower or the upper halves of vectors, which they extend: sums, differences, products and distances
//! of two such halves, what is added to or taken from lanes that are wide already, and products that are.
//!
//! Each stands beside the operations on extended vectors that it replaces. Those are no code where nobody else uses them.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use ice_ir::{BinaryOp, Type, Value};

use super::lane_width::Above;
use super::values::Run;
use super::widened::{Combined, twice};
use super::{Body, Checked};
use crate::llvm::legalize::machine::LongOperations;
use crate::llvm::legalize::shape::VectorShape;

/// Constraints of an instruction on one operand, on two, and of one that changes its first.
const ONE: &str = "=w,w";
const TWO: &str = "=w,w,w";
const CHANGED: &str = "=w,0,w,w";

impl Body<'_, '_> {
    /// The instructions, where the machine has them.
    pub(super) fn long_operations(&self) -> Option<LongOperations> {
        let machine = self.m.legal.machine();
        machine.long_operations.filter(|_| machine.has_assembler)
    }

    /// A sum, difference or product of lanes that were extended to this shape, or with such; `None` for others.
    pub(super) fn long_binary(
        &mut self,
        op: BinaryOp,
        vector: VectorShape,
        a: Run,
        b: Run,
    ) -> Checked<Option<Run>> {
        let Some(operations) = self.long_operations() else { return self.word_products(op, vector, a, b) };
        if let Some(known) = self.combination(op, vector, a, b).filter(|known| !known.rounds) {
            let name = match op {
                BinaryOp::Add => operations.sum,
                BinaryOp::Sub => operations.difference,
                _ => operations.product,
            };
            return self.halves_of(name, known, vector, None).map(Some);
        }
        let [product, wide] = match op {
            BinaryOp::Add => [operations.sum_with_product, operations.sum_with],
            BinaryOp::Sub => [operations.difference_with_product, operations.difference_with],
            _ => return Ok(None),
        };
        let orders = [(a, b), (b, a)].into_iter().take(if op == BinaryOp::Add { 2 } else { 1 });
        for (first, second) in orders.clone() {
            let is_long = |known: &Combined| twice(known.from) == Some(vector);
            let factors = self.combined_of(vector, second).filter(|known| known.op == BinaryOp::Mul);
            if let Some(factors) = factors.filter(is_long) {
                return self.halves_of(product, factors, vector, Some(first)).map(Some);
            }
            let distance =
                self.distance_of(vector, second).filter(|known| op == BinaryOp::Add && is_long(known));
            if let Some(distance) = distance {
                return self.halves_of(operations.sum_with_distance, distance, vector, Some(first)).map(Some);
            }
        }
        for (first, second) in orders {
            let Some((narrow, from, above)) = self.half_as_wide(second, vector)? else { continue };
            return self.each_half(wide, (from, above), vector, (Some(first), &[narrow])).map(Some);
        }
        Ok(None)
    }

    /// Products of words that were extended: their lower and upper halves by turns, where there is an instruction for the upper ones.
    fn word_products(&mut self, op: BinaryOp, vector: VectorShape, a: Run, b: Run) -> Checked<Option<Run>> {
        if op != BinaryOp::Mul || vector.native != Some(Type::V4I32) || self.double(vector.native).is_some() {
            return Ok(None);
        }
        let Some(known) = self.combination(op, vector, a, b) else { return Ok(None) };
        let Some(upper) = self.upper_halves(known)? else { return Ok(None) };
        let lower = self.vector_binary(op, known.from, known.args[0], known.args[1])?;
        let out = self.reserve(vector.lanes.div_ceil(Type::V4I32.lanes()));
        for i in 0..out.len {
            let halves = [lower, upper].map(|run| self.get(run, i / 2));
            let product = self.interleaved(halves, i % 2, Type::V4I32);
            self.set(out, i, product);
        }
        Ok(Some(out))
    }

    /// The lower or upper half of a vector, extended to lanes of twice the width, those of `wide`.
    pub(super) fn long_extension(
        &mut self,
        operations: LongOperations,
        vector: Value,
        half: u32,
        (wide, above): (Type, Above),
    ) -> Checked<Value> {
        let bits = self.ty_of(vector).element().bits();
        self.instruction_value(filled(operations.extension, bits, above, half), ONE, &[vector], wide)
    }

    /// The absolute values of a difference of lanes that were extended; `None` for others.
    pub(super) fn long_distance(&mut self, vector: VectorShape, a: Run) -> Checked<Option<Run>> {
        let Some(operations) = self.long_operations() else { return Ok(None) };
        match self.combined_of(vector, a) {
            Some(known) if known.op == BinaryOp::Sub && twice(known.from) == Some(vector) => {
                self.halves_of(operations.distance, known, vector, None).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The upper halves of the products of two vectors; `None` where there is no instruction for products.
    pub(super) fn upper_of_long(&mut self, factors: Combined) -> Checked<Option<Run>> {
        let (Some(operations), Some(vector), Some(native)) =
            (self.long_operations(), twice(factors.from), factors.from.native)
        else {
            return Ok(None);
        };
        let products = self.halves_of(operations.product, factors, vector, None)?;
        let out = self.reserve(factors.args[0].len);
        for i in 0..out.len {
            // A short vector has one half.
            let halves = [2 * i, (2 * i + 1).min(products.len - 1)].map(|n| {
                let product = self.get(products, n);
                self.bits_as(product, native)
            });
            let upper = self.odd_lanes(halves, native)?;
            self.set(out, i, upper);
        }
        Ok(Some(out))
    }

    /// What was extended to this vector, with lanes of half its width, and how.
    fn half_as_wide(&mut self, wide: Run, vector: VectorShape) -> Checked<Option<(Run, VectorShape, Above)>> {
        let Some(mut known) = self.extended_of(vector, wide) else { return Ok(None) };
        while let Some(next) = twice(known.from)
            && next != vector
        {
            let op = known.range.above.extension();
            known.narrow = self.vector_cast(op, known.from, next, known.narrow)?;
            known.from = next;
        }
        Ok((twice(known.from) == Some(vector)).then_some((known.narrow, known.from, known.range.above)))
    }

    /// The instruction on each half of two vectors; of a third one the parts are changed.
    fn halves_of(
        &mut self,
        template: &str,
        known: Combined,
        vector: VectorShape,
        changed: Option<Run>,
    ) -> Checked<Run> {
        self.each_half(template, (known.from, known.above), vector, (changed, &known.args))
    }

    /// The instruction for each part of a vector: on that part of another one, if there is one, and on halves.
    fn each_half(
        &mut self,
        template: &str,
        (from, above): (VectorShape, Above),
        vector: VectorShape,
        (wide, narrow): (Option<Run>, &[Run]),
    ) -> Checked<Run> {
        let native = vector.native.unwrap_or(Type::V2I64);
        let out = self.reserve(vector.lanes.div_ceil(native.lanes()));
        for i in 0..out.len {
            let wide = wide.map(|run| self.get(run, i));
            let halves = narrow.iter().map(|&run| self.get(run, i / 2));
            let args: Vec<Value> = wide.into_iter().chain(halves).collect();
            let constraints = if args.len() == 3 { CHANGED } else { TWO };
            let text = filled(template, from.lane.bits(), above, i);
            let value = self.instruction_value(text, constraints, &args, native)?;
            self.set(out, i, value);
        }
        Ok(out)
    }
}

/// The template for lanes of so many bits, and for part `i` of the result.
fn filled(template: &str, bits: u32, above: Above, i: u32) -> String {
    let is_upper = i % 2 == 1;
    let (wide, halves) = match bits {
        8 => ("8h", ["8b", "16b"]),
        16 => ("4s", ["4h", "8h"]),
        _ => ("2d", ["2s", "4s"]),
    };
    let sign = if above == Above::Sign { "s" } else { "u" };
    template
        .replace("{sign}", sign)
        .replace("{upper}", if is_upper { "2" } else { "" })
        .replace("{part}", if is_upper { "f" } else { "e" })
        .replace("{wide}", wide)
        .replace("{half}", halves[usize::from(is_upper)])
        .replace("{bits}", &format!("{bits}"))
}
