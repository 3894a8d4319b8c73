//! Bodies of generated functions: short conditionals, comparisons with many users, and steps of loops whose values
//! also go to dead instructions.

use alloc::vec::Vec;

use super::{BUDGET, Gen, MAX_DEPTH};
use crate::entities::Value;
use crate::instruction::{BinaryOp, CastOp, IntCond};
use crate::types::Type::{self, *};
use BinaryOp::*;

const INTS: [Type; 6] = [I8, I16, I32, I32, I32, I64];

impl Gen<'_, '_> {
    /// One of the shapes, if blocks may be made here.
    pub(super) fn conditional(&mut self, depth: u32) {
        let has_blocks = depth < MAX_DEPTH && self.cost < BUDGET;
        match self.rng.below(3) {
            0 if has_blocks => self.short_conditional(),
            1 if has_blocks => self.early_step(),
            _ => self.comparison_for_many(has_blocks),
        }
    }

    /// An operation on integers without a division, perhaps with a constant.
    fn cheap(&mut self, ty: Type, a: Value) -> Value {
        let op = self.rng.pick(&[Add, Sub, And, Or, Xor, Mul, Shl, Lshr, Ashr]);
        let b = if op.is_shift() {
            let amount = self.rng.below(ty.bits() as usize) as i64;
            self.int(ty, amount)
        } else if self.rng.below(2) == 0 {
            self.constant(ty)
        } else {
            self.value(ty)
        };
        let [a, b] = if op.is_shift() { [a, b] } else { self.rng.pick(&[[a, b], [a, b], [b, a]]) };
        self.b.binary(op, a, b)
    }

    /// A comparison of integers: with zero behind an operation that could set flags, with a constant, of two values.
    fn integer_comparison(&mut self) -> Value {
        let ty = self.rng.pick(&INTS);
        let a = self.value(ty);
        let (a, b) = match self.rng.below(3) {
            0 => (self.cheap(ty, a), self.int(ty, 0)),
            1 => (a, self.constant(ty)),
            _ => (a, self.value(ty)),
        };
        if self.rng.below(4) == 0 {
            self.pool.push(a);
        }
        let cond = self.rng.pick(IntCond::ALL);
        self.b.icmp(cond, a, b)
    }

    /// A few cheap instructions on one or both sides, and phis.
    fn short_conditional(&mut self) {
        let cond = self.integer_comparison();
        let types: Vec<Type> = (0..1 + self.rng.below(2)).map(|_| self.rng.pick(&INTS)).collect();
        let starts: Vec<Value> = types.iter().map(|&ty| self.value(ty)).collect();
        let arms = 1 + self.rng.below(2);
        let phis = self.fork(cond, &starts, arms, |g, _| {
            let mut values = starts.clone();
            for _ in 0..g.rng.below(4) {
                let n = g.rng.below(values.len());
                match g.rng.below(6) {
                    0 => g.store(),
                    1 => values[n] = g.load(types[n]),
                    // Nothing uses it, or only the next.
                    2 => _ = g.cheap(types[n], values[n]),
                    _ => values[n] = g.cheap(types[n], values[n]),
                }
            }
            values
        });
        self.pool.extend(phis);
        // The condition once more, behind its first branch.
        if self.rng.below(3) == 0 {
            self.pool.push(cond);
        }
    }

    /// A comparison with a branch, selections, a number and dead instructions as its users, in several blocks.
    fn comparison_for_many(&mut self, has_blocks: bool) {
        let cond = self.integer_comparison();
        for _ in 0..2 + self.rng.below(3) {
            let ty = self.rng.pick(&[I8, I16, I32, I32, I64, F32, F64]);
            match self.rng.below(5) {
                0 if !ty.is_scalar_float() => {
                    let op = self.rng.pick(&[CastOp::Zext, CastOp::Sext]);
                    let number = self.b.cast(op, cond, ty);
                    self.pool.push(number);
                }
                1 => {
                    let other = self.value(I1);
                    let both = self.b.binary(And, cond, other);
                    if self.rng.below(2) == 0 {
                        self.pool.push(both);
                    }
                }
                2 | 3 if has_blocks => {
                    let start = self.value(I32);
                    let phis = self.fork(cond, &[start], 1, |g, _| {
                        // The same condition again where it is known.
                        let (a, b) = (g.value(I32), g.constant(I32));
                        let chosen = if g.rng.below(2) == 0 { g.b.select(cond, a, b) } else { a };
                        [g.cheap(I32, chosen)].into()
                    });
                    self.pool.extend(phis);
                }
                _ => {
                    let (a, b) = (self.value(ty), self.value(ty));
                    let chosen = self.b.select(cond, a, b);
                    self.pool.push(chosen);
                }
            }
        }
    }

    /// A loop that computes the next value of a phi first, then uses the present one; the next value goes
    /// to the edge back, and to instructions of the body that are dead or turn out to be.
    fn early_step(&mut self) {
        let trips = 1 + self.rng.below(5) as i64;
        let (ty, mark) = (self.rng.pick(&INTS), self.pool.len());
        let starts = [self.value(ty), self.value(ty)];
        self.cost += self.weight * trips as u64;
        let last = self.in_loop(trips, &starts, |g, counter, carried| {
            g.pool.push(counter);
            let (phi, acc) = (carried[0], carried[1]);
            let (op, amount) = (g.rng.pick(&[Add, Sub, Mul, Xor, Add]), g.constant(ty));
            let next = g.b.binary(op, phi, amount);
            let mut acc = g.b.binary(Add, acc, phi);
            // Zero that only a load tells: what is and-ed with it is dead as soon as that is known.
            let zero_at = (g.rng.below(2) == 0).then(|| {
                let (place, zero) = (g.address(0), g.int(ty, 0));
                g.b.store(place, zero, 0);
                place
            });
            for _ in 0..1 + g.rng.below(2) {
                let (cond, arms) = (g.integer_comparison(), 1 + g.rng.below(2));
                let phis = g.fork(cond, &[acc], arms, |g, _| {
                    if g.rng.below(2) == 0 {
                        g.cheap(ty, next);
                    }
                    let Some(zero_at) = zero_at else {
                        let operand = g.rng.pick(&[phi, acc, next]);
                        return [g.cheap(ty, operand)].into();
                    };
                    let (zero, operand) = (g.b.load(ty, zero_at, 0), g.rng.pick(&[phi, acc]));
                    let (from_next, made) = (g.cheap(ty, next), g.cheap(ty, operand));
                    let nothing = g.b.binary(And, from_next, zero);
                    [g.b.binary(Add, made, nothing)].into()
                });
                acc = phis[0];
            }
            if g.rng.below(3) == 0 {
                g.cheap(ty, next);
            }
            [next, acc].into()
        });
        self.pool.truncate(mark);
        self.pool.extend(last);
    }
}
