//! Bodies of generated functions: lanes put into vectors, one after the other, over a base that keeps the others.
//!
//! The base is zero, a constant, or any vector; what is put in are lanes of up to two other vectors, constants and
//! numbers. A vector of the chain may have other users.

use super::{Gen, Splat};
use crate::entities::Value;
use crate::instruction::BinaryOp;
use crate::types::Type::{self, *};

/// Vectors that memory holds.
pub(super) const VECTORS: [Type; 4] = [V16I8, V8I16, V4I32, V4F32];

impl Gen<'_, '_> {
    /// A vector whose every lane is a constant.
    fn constant_lanes(&mut self, ty: Type) -> Value {
        let zero = self.splat(ty.element(), Splat::Zero);
        let common = if self.rng.below(2) == 0 { zero } else { self.constant(ty.element()) };
        let mut vector = self.b.func.make_undef(ty);
        for lane in 0..i64::from(ty.lanes()) {
            let element = if self.rng.below(6) == 0 { self.constant(ty.element()) } else { common };
            let element = self.clean(element);
            let lane = self.int(I32, lane);
            vector = self.b.insert_element(vector, element, lane);
        }
        vector
    }

    /// Zero, made in one of the ways that there are.
    fn zero_vector(&mut self, ty: Type) -> Value {
        match self.rng.below(3) {
            0 if ty != V4F32 => {
                let value = self.value(ty);
                self.b.binary(BinaryOp::Xor, value, value)
            }
            1 if ty == V4F32 => self.splat(ty, Splat::Zero),
            _ => {
                let zero = self.splat(ty.element(), Splat::Zero);
                let start = self.b.func.make_undef(ty);
                (0..i64::from(ty.lanes())).fold(start, |vector, lane| {
                    let lane = self.int(I32, lane);
                    self.b.insert_element(vector, zero, lane)
                })
            }
        }
    }

    /// Some lanes of a base replaced.
    pub(super) fn lanes_over_base(&mut self) {
        let ty = self.rng.pick(&VECTORS);
        let lanes = ty.lanes() as usize;
        let mut vector = match self.rng.below(4) {
            0 | 1 => self.zero_vector(ty),
            2 => self.constant_lanes(ty),
            _ => self.value(ty),
        };
        let is_constant = self.rng.below(4) == 0;
        let first = if is_constant { self.constant_lanes(ty) } else { self.value(ty) };
        let sources = [first, if self.rng.below(2) == 0 { first } else { self.value(ty) }];
        let only_lanes = self.rng.below(2) == 0;
        for _ in 0..1 + self.rng.below(lanes.min(6)) {
            let (to, from) = (self.rng.below(lanes) as i64, self.rng.below(lanes) as i64);
            let element = match self.rng.below(8) {
                0 if !only_lanes => self.constant(ty.element()),
                1 if !only_lanes => self.value(ty.element()),
                _ => {
                    let (source, from) = (self.rng.pick(&sources), self.int(I32, from));
                    self.b.extract_element(source, from)
                }
            };
            let to = self.int(I32, to);
            vector = self.b.insert_element(vector, element, to);
            if self.rng.below(8) == 0 {
                self.pool.push(vector);
            }
        }
        self.pool.push(vector);
    }
}
