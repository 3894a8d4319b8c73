//! Bodies of generated functions: addresses that several accesses share, before, inside and behind branches.
//!
//! An address is a base and a scaled index, perhaps with a field behind: `base + i * 12 + 8`. Accesses to fields of
//! all widths use it in several blocks, so that what one access can take into its operand another may not. Some
//! compute the whole expression anew; some of its parts have users that are no addresses.
//!
//! Bounds: an index is at most 7, an element 24 bytes, a field starts below 24 and a base below 48, so that an
//! access ends at byte 247 of its region.

use alloc::vec::Vec;

use super::{BUDGET, Gen, MAX_DEPTH, MEMORY};
use crate::entities::Value;
use crate::instruction::{BinaryOp, IntCond};
use crate::types::Type::{self, *};
use BinaryOp::*;

/// Elements of arrays, in bytes.
const ELEMENTS: [i64; 14] = [1, 2, 2, 4, 4, 4, 8, 8, 12, 12, 16, 20, 24, 3];
const SCALARS: [Type; 8] = [I8, I16, I32, I32, I64, F32, F64, I16];

/// The places that the accesses share.
struct Places {
    base: Value,
    index: Value,
    element: i64,
    /// The element, and its fields so far.
    known: Vec<Value>,
    /// Most accesses have this type.
    ty: Type,
}

impl Gen<'_, '_> {
    /// Accesses that share addresses.
    pub(super) fn shared_addresses(&mut self, depth: u32) {
        let base = self.base();
        let (x, seven) = (self.value(I32), self.int(I32, 7));
        let index = self.b.binary(And, x, seven);
        let element = self.rng.pick(&ELEMENTS);
        let mut places = Places { base, index, element, known: Vec::new(), ty: self.rng.pick(&SCALARS) };
        let first = self.element(&places);
        places.known.push(first);
        let has_blocks = depth < MAX_DEPTH && self.cost < BUDGET;
        if has_blocks && self.rng.below(3) == 0 {
            return self.union(first);
        }
        for _ in 0..1 + self.rng.below(4) {
            match self.rng.below(6) {
                0..=2 if has_blocks => {
                    let (cond, arms) = (self.condition(), 1 + self.rng.below(2));
                    let known = places.known.len();
                    self.fork(cond, &[], arms, |g, _| {
                        (0..1 + g.rng.below(2)).for_each(|_| g.access(&mut places));
                        // What an arm computes is not known behind it.
                        places.known.truncate(known);
                        Vec::new()
                    });
                }
                3 if has_blocks => self.accesses_in_loop(&mut places),
                _ => self.access(&mut places),
            }
        }
    }

    /// Two accesses of one place and no more: on both sides of a branch, or on one and behind it.
    fn union(&mut self, place: Value) {
        let (cond, arms) = (self.condition(), 1 + self.rng.below(2));
        let types = [self.rng.pick(&SCALARS), self.rng.pick(&SCALARS)];
        self.fork(cond, &[], arms, |g, n| {
            g.store_scalar(types[n], place);
            Vec::new()
        });
        if arms == 1 {
            self.store_scalar(types[1], place);
        }
    }

    fn store_scalar(&mut self, ty: Type, place: Value) {
        let value = self.value(ty);
        let value = self.clean(value);
        self.b.store(place, value, 0);
    }

    fn accesses_in_loop(&mut self, places: &mut Places) {
        let (trips, mark, known) = (1 + self.rng.below(4) as i64, self.pool.len(), places.known.len());
        let start = self.value(I32);
        self.cost += self.weight * trips as u64;
        let last = self.in_loop(trips, &[start], |g, counter, carried| {
            g.pool.extend([counter, carried[0]]);
            (0..1 + g.rng.below(2)).for_each(|_| g.access(places));
            [g.value(I32)].into()
        });
        places.known.truncate(known);
        self.pool.truncate(mark);
        self.pool.extend(last);
    }

    /// The start of an array: a region, a place in it, or one of two regions.
    fn base(&mut self) -> Value {
        let region = self.region();
        let number = 4 * self.rng.below(12) as i64;
        let offset = self.int(I32, number);
        match (self.rng.below(4), self.local) {
            (0, Some(local)) => {
                let (cond, memory) = (self.value(I1), self.global(MEMORY));
                self.b.select(cond, local, memory)
            }
            (1, _) => self.b.binary(Add, region, offset),
            (2, Some(local)) if self.cost < BUDGET => {
                let (cond, memory) = (self.value(I1), self.global(MEMORY));
                let chosen = self.fork(cond, &[local], 1, |g, _| [g.b.binary(Add, memory, offset)].into());
                chosen[0]
            }
            _ => region,
        }
    }

    /// A comparison, or any boolean.
    fn condition(&mut self) -> Value {
        if self.rng.below(3) == 0 {
            return self.value(I1);
        }
        let ty = self.rng.pick(&[I8, I16, I32, I32, I64]);
        let (a, b) = (self.value(ty), self.constant(ty));
        let cond = self.rng.pick(IntCond::ALL);
        self.b.icmp(cond, a, b)
    }

    /// The address of the element: a product or a shift, then a sum.
    fn element(&mut self, places: &Places) -> Value {
        let &Places { base, index, element, .. } = places;
        let factor = element as u64;
        let scaled = if factor.is_power_of_two() && self.rng.below(2) == 0 {
            let amount = self.int(I32, factor.trailing_zeros().into());
            self.b.binary(Shl, index, amount)
        } else {
            let factor = self.int(I32, element);
            self.b.binary(Mul, index, factor)
        };
        if self.rng.below(8) == 0 {
            self.pool.push(scaled);
        }
        let [a, b] = self.rng.pick(&[[base, scaled], [base, scaled], [scaled, base]]);
        self.b.binary(Add, a, b)
    }

    /// The place of an access: one that is known, a field of the element, or the same expression again.
    fn shared_place(&mut self, places: &mut Places) -> Value {
        match self.rng.below(8) {
            0 => self.element(places),
            1 | 2 => {
                let field = self.rng.pick(&[4, 8, 1, 2, 20, 12]);
                let element = if self.rng.below(4) == 0 { self.element(places) } else { places.known[0] };
                let field = self.int(I32, field);
                let place = self.b.binary(Add, element, field);
                places.known.push(place);
                place
            }
            3 => {
                let last = places.known.len() - 1;
                places.known[last]
            }
            _ => self.rng.pick(&places.known),
        }
    }

    /// A load, a store or both, of a type that is mostly the same.
    fn access(&mut self, places: &mut Places) {
        let ty = if self.rng.below(2) == 0 { self.rng.pick(&SCALARS) } else { places.ty };
        let place = self.shared_place(places);
        let kind = self.rng.below(4);
        if kind <= 1 {
            let loaded = self.b.load(ty, place, 0);
            self.pool.push(loaded);
        }
        if kind >= 1 {
            self.store_scalar(ty, place);
        }
        // Whether two places are the same is the same wherever memory is.
        if self.rng.below(12) == 0 {
            let other = self.rng.pick(&places.known);
            let same = self.b.icmp(IntCond::Eq, place, other);
            self.pool.push(same);
        }
    }
}
