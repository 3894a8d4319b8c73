//! Bodies of generated functions: pointers that walk through memory.
//!
//! Up to three pointers step in a loop or on one straight way. What happens in a round are loads, stores,
//! changes in place and steps, a step perhaps in two parts, in any order: `*d++ = *s++`, `*++q = c`, an access behind a
//! step at the place before it, a step that is only taken on a condition. The loop counts, compares a pointer with its
//! end, or stops early by what it loaded.
//!
//! Bounds: a walk starts in the middle of a region and makes at most [`MOST_TRIPS`] rounds of at most [`MOST_STEP`]
//! bytes either way.

use alloc::vec::Vec;

use super::{BUDGET, Gen};
use crate::entities::Value;
use crate::instruction::{BinaryOp, CastOp, IntCond};
use crate::types::Type::{self, *};
use BinaryOp::*;

const MOST_TRIPS: i64 = 6;
const MOST_STEP: i64 = 16;
/// Where walks start: a multiple of 8 from here, up to 32 more. An access takes at most 16 bytes and 4 before them.
const MIDDLE: i64 = 104;

/// A pointer in the round that is being written.
#[derive(Clone, Copy)]
struct Pointer {
    ty: Type,
    align_log2: u8,
    /// Bytes of a whole round.
    step: i64,
    /// At the start of the round, and at this point.
    old: Value,
    now: Value,
}

/// Something that happens in a round; the number is that of the pointer.
#[derive(Clone, Copy)]
enum Event {
    Load(usize),
    Store(usize),
    /// Load, compute, store.
    Modify(usize),
    Step(usize, i64),
    /// A store and the step, on a condition.
    MaybeStep(usize),
}

/// What is known of a round so far.
struct Round {
    pointers: Vec<Pointer>,
    /// What was loaded, if anything was.
    loaded: Vec<Value>,
    acc: Value,
}

impl Gen<'_, '_> {
    /// One to three pointers that walk.
    pub(super) fn walk(&mut self) {
        let trips = if self.cost < BUDGET { 1 + self.rng.below(MOST_TRIPS as usize) as i64 } else { 1 };
        let count = 1 + self.rng.below(3);
        let common = self.memory_type();
        let mut pointers: Vec<Pointer> = (0..count).map(|_| self.pointer(common)).collect();
        let events = self.events(&pointers);
        self.cost += self.weight * trips as u64 * events.len() as u64;
        let starts: Vec<Value> = pointers.iter().map(|pointer| pointer.old).collect();
        let acc = self.value(I32);
        let is_certain = !events.iter().any(|event| matches!(event, Event::MaybeStep(0)));
        let (ends_at_pointer, ends_early) = (is_certain && self.rng.below(2) == 0, self.rng.below(5) == 0);
        let mut carried = starts.clone();
        carried.push(acc);
        let mark = self.pool.len();
        let results = if trips == 1 && self.rng.below(2) == 0 {
            let mut round = Round { pointers, loaded: Vec::new(), acc };
            events.iter().for_each(|&event| self.event(event, &mut round));
            round.results()
        } else {
            let distance = self.int(I32, pointers[0].step * trips);
            let end = self.b.binary(Add, starts[0], distance);
            self.in_loop_while(trips, &carried, |g, counter, carried| {
                for (pointer, &now) in pointers.iter_mut().zip(carried) {
                    (pointer.old, pointer.now) = (now, now);
                }
                let mut round = Round { pointers, loaded: Vec::new(), acc: carried[count] };
                events.iter().for_each(|&event| g.event(event, &mut round));
                let again = if ends_at_pointer {
                    Some(g.b.icmp(IntCond::Ne, round.pointers[0].now, end))
                } else if ends_early && !round.loaded.is_empty() {
                    Some(g.is_round_wanted(trips, counter, &round.loaded))
                } else {
                    None
                };
                (round.results(), again)
            })
        };
        self.pool.truncate(mark);
        self.pool.push(results[count]);
        // How far a pointer came is the same wherever memory is.
        if self.rng.below(3) == 0 {
            let n = self.rng.below(count);
            let distance = self.b.binary(Sub, results[n], starts[n]);
            self.pool.push(distance);
        }
    }

    /// A pointer at its start.
    fn pointer(&mut self, common: Type) -> Pointer {
        let ty = if self.rng.below(4) == 0 { self.memory_type() } else { common };
        let align_log2 = self.alignment(ty);
        let (unit, size) = (1i64 << align_log2, i64::from(ty.bytes()));
        let steps = [size, size, size, -size, unit, 2 * size, 4, 12, -1, 3 * unit];
        let mut step = self.rng.pick(&steps);
        if step % unit != 0 || step.abs() > MOST_STEP {
            step = size;
        }
        let region = self.region();
        let fixed = MIDDLE + 8 * self.rng.below(5) as i64;
        let start = if self.rng.below(3) == 0 {
            let (x, eight) = (self.value(I32), self.int(I32, 24));
            let (offset, middle) = (self.b.binary(And, x, eight), self.int(I32, MIDDLE));
            let base = self.b.binary(Add, region, middle);
            self.b.binary(Add, base, offset)
        } else {
            let fixed = self.int(I32, fixed);
            self.b.binary(Add, region, fixed)
        };
        Pointer { ty, align_log2, step, old: start, now: start }
    }

    /// What happens in a round, in any order.
    fn events(&mut self, pointers: &[Pointer]) -> Vec<Event> {
        let mut events = Vec::new();
        for (n, pointer) in pointers.iter().enumerate() {
            for _ in 0..1 + self.rng.below(3) / 2 {
                events.push(self.rng.pick(&[
                    Event::Load(n),
                    Event::Load(n),
                    Event::Store(n),
                    Event::Store(n),
                    Event::Modify(n),
                ]));
            }
            match self.rng.below(8) {
                0 => {
                    let first = 1i64 << pointer.align_log2;
                    events.extend([Event::Step(n, first), Event::Step(n, pointer.step - first)]);
                }
                1 => events.push(Event::MaybeStep(n)),
                _ => events.push(Event::Step(n, pointer.step)),
            }
        }
        for left in (2..=events.len()).rev() {
            let chosen = self.rng.below(left);
            events.swap(left - 1, chosen);
        }
        events
    }

    fn event(&mut self, event: Event, round: &mut Round) {
        match event {
            Event::Load(n) => {
                let loaded = self.load_at(n, round);
                round.loaded.push(loaded);
                if self.rng.below(2) == 0 {
                    round.acc = self.mix(round.acc, loaded);
                }
            }
            Event::Store(n) => {
                let value = self.stored(round.pointers[n].ty, round);
                self.store_at(n, value, round);
            }
            Event::Modify(n) => {
                let old = self.load_at(n, round);
                let ty = round.pointers[n].ty;
                let op = if ty.is_float_or_float_vector() { Fadd } else { self.rng.pick(&[Add, Mul, Xor]) };
                let other = if self.rng.below(2) == 0 { old } else { self.value(ty) };
                let new = self.b.binary(op, old, other);
                let new = self.clean(new);
                self.store_at(n, new, round);
            }
            Event::Step(n, step) => {
                let now = round.pointers[n].now;
                round.pointers[n].now = self.stepped(now, step);
            }
            Event::MaybeStep(n) => {
                let (cond, Pointer { now, step, ty, .. }) = (self.value(I1), round.pointers[n]);
                let value = self.stored(ty, round);
                let after = self.fork(cond, &[now], 1, |g, _| {
                    g.store_at(n, value, round);
                    [g.stepped(now, step)].into()
                });
                round.pointers[n].now = after[0];
            }
        }
    }

    fn stepped(&mut self, now: Value, step: i64) -> Value {
        let (op, amount) = if step < 0 && self.rng.below(2) == 0 { (Sub, -step) } else { (Add, step) };
        let amount = self.int(I32, amount);
        self.b.binary(op, now, amount)
    }

    /// The place of an access: mostly where the pointer is, now and then where it was, or next to it.
    fn place(&mut self, pointer: Pointer) -> Value {
        match self.rng.below(8) {
            0 | 1 => pointer.old,
            2 if pointer.align_log2 < 3 => {
                let ahead = self.rng.pick(&[4, -4]);
                let ahead = self.int(I32, ahead);
                self.b.binary(Add, pointer.now, ahead)
            }
            _ => pointer.now,
        }
    }

    fn load_at(&mut self, n: usize, round: &Round) -> Value {
        let pointer = round.pointers[n];
        let place = self.place(pointer);
        self.b.load(pointer.ty, place, pointer.align_log2)
    }

    fn store_at(&mut self, n: usize, value: Value, round: &Round) {
        let pointer = round.pointers[n];
        let place = self.place(pointer);
        self.b.store(place, value, pointer.align_log2);
    }

    /// What was loaded last, as it is, or any other value.
    fn stored(&mut self, ty: Type, round: &Round) -> Value {
        let loaded = round.loaded.iter().rev().find(|&&value| self.ty(value) == ty).copied();
        match loaded {
            Some(value) if self.rng.below(4) != 0 => value,
            _ => {
                let value = self.value(ty);
                self.clean(value)
            }
        }
    }

    /// `acc`, an `i32`, with some bits of a value.
    fn mix(&mut self, acc: Value, value: Value) -> Value {
        let word = match self.ty(value) {
            I32 => value,
            I8 | I16 => self.b.cast(CastOp::Zext, value, I32),
            I64 => self.b.cast(CastOp::Trunc, value, I32),
            F32 => self.b.cast(CastOp::Bitcast, value, I32),
            F64 => {
                let bits = self.b.cast(CastOp::Bitcast, value, I64);
                self.b.cast(CastOp::Trunc, bits, I32)
            }
            _ => return acc,
        };
        let op = self.rng.pick(&[Add, Xor, Sub]);
        self.b.binary(op, acc, word)
    }

    /// Whether rounds are left and what was loaded says so, too.
    fn is_round_wanted(&mut self, trips: i64, counter: Value, loaded: &[Value]) -> Value {
        let last = self.int(I32, trips - 1);
        let is_left = self.b.icmp(IntCond::Ult, counter, last);
        let zero = self.int(I32, 0);
        let word = self.mix(zero, loaded[0]);
        let bound = self.value(I32);
        let cond = self.rng.pick(IntCond::ALL);
        let is_wanted = self.b.icmp(cond, word, bound);
        self.b.binary(And, is_left, is_wanted)
    }
}

impl Round {
    /// The pointers and the sum.
    fn results(&self) -> Vec<Value> {
        self.pointers.iter().map(|pointer| pointer.now).chain([self.acc]).collect()
    }
}
