//! Bodies of generated functions: shapes of a few instructions that translation takes together, and that
//! statements chosen one by one hardly ever make: constant operands, minima and maxima, tests of single bits,
//! operations on memory, scaled indices, stores between loads, shuffles, values that change places in a loop,
//! a second return. Larger shapes have files of their own: `walks.rs`, `addresses.rs`, `conditions.rs`, `lanes.rs`.

use alloc::vec::Vec;

use super::lanes::VECTORS;
use super::{BUFFER, Gen, Splat, UndefinedResults};
use crate::entities::Value;
use crate::instruction::{BinaryOp, CastOp, FloatCond, InstData, IntCond};
use crate::types::Type::{self, *};
use BinaryOp::*;

const INTS: [Type; 5] = [I8, I16, I32, I32, I64];

impl Gen<'_, '_> {
    /// One of the shapes.
    pub(super) fn shape(&mut self, depth: u32) {
        match self.rng.below(58) {
            0..=4 => self.by_constant(),
            5..=8 => self.decision(),
            9..=11 => self.minimum(),
            12..=14 => self.bit(),
            15..=17 => self.modify_memory(),
            18..=20 => self.indexed_access(),
            21..=23 => self.aliased_accesses(),
            24..=26 => self.shuffle(),
            27..=30 => self.logic(depth),
            31 => self.second_return(),
            32..=39 => self.walk(),
            40..=47 => self.shared_addresses(depth),
            48..=53 => self.conditional(depth),
            _ => self.lanes_over_base(),
        }
    }

    /// An amount that a shift of `ty` may have.
    fn amount(&mut self, ty: Type) -> Value {
        let amount = self.value(ty);
        if self.undefined == UndefinedResults::Allow {
            return amount;
        }
        let mask = self.splat(ty, Splat::Width);
        self.b.binary(And, amount, mask)
    }

    /// Any integer operator with a constant on one side.
    fn by_constant(&mut self) {
        let ty = self.rng.pick(&INTS);
        let op = self.rng.pick(&BinaryOp::ALL[..13]);
        let number = ty.sign_extend(self.rng.interesting_int());
        let made = if op.is_division() {
            // Neither 0 nor -1: a quotient that has no result.
            let divisor = if matches!(number, 0 | -1) { 3 } else { number };
            let (a, b) = (self.value(ty), self.int(ty, divisor));
            self.b.binary(op, a, b)
        } else if op.is_shift() && self.rng.below(3) != 0 {
            let (a, b) = (self.value(ty), self.int(ty, number & i64::from(ty.bits() - 1)));
            self.b.binary(op, a, b)
        } else if op.is_shift() {
            let (a, b) = (self.int(ty, number), self.amount(ty));
            self.b.binary(op, a, b)
        } else {
            let (a, b) = (self.value(ty), self.int(ty, number));
            let [a, b] = self.rng.pick(&[[a, b], [b, a]]);
            self.b.binary(op, a, b)
        };
        self.pool.push(made);
    }

    /// A comparison of scalars.
    fn scalar_comparison(&mut self) -> (Value, [Value; 2]) {
        let ty = self.rng.pick(&[I8, I16, I32, I32, I64, I64, F32, F64]);
        let a = self.value(ty);
        let b = if self.rng.below(3) == 0 { self.constant(ty) } else { self.value(ty) };
        let cond = if ty.is_float_or_float_vector() {
            let cond = self.rng.pick(FloatCond::ALL);
            self.b.fcmp(cond, a, b)
        } else {
            let cond = self.rng.pick(IntCond::ALL);
            self.b.icmp(cond, a, b)
        };
        (cond, [a, b])
    }

    /// A comparison as a number, and choices by it.
    fn decision(&mut self) {
        let (cond, _) = self.scalar_comparison();
        let wide = self.rng.pick(&INTS);
        let (op, arith) =
            (self.rng.pick(&[CastOp::Zext, CastOp::Sext]), self.rng.pick(&[Add, Sub, Xor, Mul]));
        let bit = self.b.cast(op, cond, wide);
        let other = self.value(wide);
        let counted = self.b.binary(arith, other, bit);
        self.pool.push(counted);
        for _ in 0..self.rng.below(3) {
            let ty = self.rng.pick(&[I1, I8, I16, I32, I64, F32, F64]);
            let (a, b) = (self.value(ty), self.constant(ty));
            let [a, b] = self.rng.pick(&[[a, b], [b, a]]);
            let chosen = self.b.select(cond, a, b);
            self.pool.push(chosen);
        }
    }

    /// One of two compared values.
    fn minimum(&mut self) {
        let (cond, [a, b]) = self.scalar_comparison();
        let [a, b] = self.rng.pick(&[[a, b], [b, a]]);
        let chosen = self.b.select(cond, a, b);
        self.pool.push(chosen);
    }

    /// Whether a bit, or some of a mask, is set.
    fn bit(&mut self) {
        let ty = self.rng.pick(&INTS);
        let (x, zero, one) = (self.value(ty), self.int(ty, 0), self.int(ty, 1));
        let masked = match self.rng.below(4) {
            0 => {
                let mask = 1i64 << self.rng.below(ty.bits() as usize);
                let mask = self.int(ty, ty.sign_extend(mask));
                self.b.binary(And, x, mask)
            }
            1 => {
                let amount = self.amount(ty);
                let mask = self.b.binary(Shl, one, amount);
                self.b.binary(And, x, mask)
            }
            2 => {
                let amount = self.amount(ty);
                let shift = self.rng.pick(&[Lshr, Ashr]);
                let shifted = self.b.binary(shift, x, amount);
                self.b.binary(And, shifted, one)
            }
            _ => {
                let mask = self.value(ty);
                self.b.binary(And, x, mask)
            }
        };
        let cond = if self.rng.below(4) == 0 {
            self.b.cast(CastOp::Trunc, masked, I1)
        } else {
            let cond = self.rng.pick(&[IntCond::Eq, IntCond::Ne, IntCond::Slt, IntCond::Sge]);
            self.b.icmp(cond, masked, zero)
        };
        let chosen_type = self.rng.pick(&[I8, I32, I64, F64]);
        let (a, b) = (self.value(chosen_type), self.value(chosen_type));
        let chosen = self.b.select(cond, a, b);
        self.pool.extend([cond, chosen]);
    }

    /// What is loaded, changed, goes back; perhaps after another store, perhaps used again.
    fn modify_memory(&mut self) {
        let ty = self.rng.pick(&INTS);
        let (address, op) = (self.address(0), self.rng.pick(&[Add, Sub, Mul, And, Or, Xor, Shl, Lshr, Ashr]));
        let old = self.b.load(ty, address, 0);
        let other = match self.rng.below(3) {
            _ if op.is_shift() => self.amount(ty),
            0 => self.constant(ty),
            _ => self.value(ty),
        };
        if self.rng.below(4) == 0 {
            self.store();
        }
        let swaps = !op.is_shift() && self.rng.below(3) == 0;
        let new = if swaps { self.b.binary(op, other, old) } else { self.b.binary(op, old, other) };
        self.b.store(address, new, 0);
        if self.rng.below(3) == 0 {
            self.pool.push(old);
        }
        if self.rng.below(3) == 0 {
            self.pool.push(new);
        }
    }

    /// A load or store at a base, a scaled index and a displacement, with `or` in the place of `add` too.
    fn indexed_access(&mut self) {
        let ty = self.memory_type();
        let align_log2 = u32::from(vector_alignment(ty));
        let (x, seven) = (self.value(I32), self.int(I32, 7));
        let index = self.b.binary(And, x, seven);
        let scale = align_log2 + self.rng.below(5 - align_log2 as usize) as u32;
        let scaled = if self.rng.below(2) == 0 {
            let scale = self.int(I32, scale.into());
            self.b.binary(Shl, index, scale)
        } else {
            let factor = self.int(I32, 1 << scale);
            self.b.binary(Mul, index, factor)
        };
        // At most 7 × 16 | 15, and 96 more: an access of 16 bytes stays in the region.
        let step = 1 << align_log2;
        let small = self.rng.below(16 / step) as i64 * step as i64;
        let (small, op) = (self.int(I32, small), self.rng.pick(&[Add, Or, Xor]));
        let offset = self.b.binary(op, scaled, small);
        let large = self.rng.below(96 / step) as i64 * step as i64;
        let (large, region) = (self.int(I32, large), self.region());
        let address = if self.rng.below(2) == 0 {
            let base = self.b.binary(Add, region, large);
            self.b.binary(Add, base, offset)
        } else {
            let offset = self.b.binary(Add, offset, large);
            self.b.binary(Add, region, offset)
        };
        if self.rng.below(3) == 0 {
            let value = self.value(ty);
            let value = self.clean(value);
            self.b.store(address, value, align_log2 as u8);
        } else {
            let loaded = self.b.load(ty, address, align_log2 as u8);
            self.pool.push(loaded);
        }
    }

    /// Loads and stores of places that may be the same, or overlap.
    fn aliased_accesses(&mut self) {
        let (p, q) = (self.address(3), self.address(3));
        let ahead = self.rng.pick(&[0, 4]);
        let ahead = self.int(I32, ahead);
        // An address leaves 17 bytes of the region.
        let near = self.b.binary(Add, p, ahead);
        for _ in 0..2 + self.rng.below(4) {
            let (place, ty) = (self.rng.pick(&[p, q, near]), self.memory_type());
            if self.rng.below(2) == 0 {
                let value = self.value(ty);
                let value = self.clean(value);
                self.b.store(place, value, vector_alignment(ty));
            } else {
                let loaded = self.b.load(ty, place, vector_alignment(ty));
                self.pool.push(loaded);
            }
        }
    }

    /// A vector put together lane by lane: lanes of other vectors in some order, or constants. A few lanes may be left
    /// out; they are those of what the others are put into.
    fn shuffle(&mut self) {
        let ty = self.rng.pick(&VECTORS);
        let lanes = i64::from(ty.lanes());
        let sources = [self.value(ty), self.value(ty)];
        let (order, from) = (self.rng.below(6), self.rng.below(3));
        let (shift, twist) = (self.rng.below(lanes as usize) as i64, self.rng.below(4));
        let constant = self.constant(ty.element());
        let constant = self.clean(constant);
        let is_partial = self.rng.below(3) == 0;
        let left_out = if is_partial { self.rng.next() } else { 0 };
        // Lanes of an undefined vector are zero everywhere, but not by the format.
        let mut vector = match is_partial && self.undefined == UndefinedResults::Avoid {
            true => self.value(ty),
            false => self.b.func.make_undef(ty),
        };
        for lane in (0..lanes).filter(|lane| left_out >> lane & 1 == 0) {
            let (source, from_lane) = match order {
                0 => (0, shift),
                1 => (0, lane ^ (twist as i64 & (lanes - 1))),
                2 => (lane & 1, (lane + shift * 2) / 2 % lanes),
                3 => (lane * 2 / lanes, self.rng.below(lanes as usize) as i64),
                4 => (i64::from(from == 1), (lane + shift) % lanes),
                _ => (self.rng.below(2) as i64, self.rng.below(lanes as usize) as i64),
            };
            let element = if order == 5 && from == 0 {
                if self.rng.below(4) == 0 { self.constant(ty.element()) } else { constant }
            } else {
                let from_lane = self.int(I32, from_lane);
                self.b.extract_element(sources[source as usize & from.min(1)], from_lane)
            };
            let lane = self.int(I32, lane);
            vector = self.b.insert_element(vector, element, lane);
        }
        self.pool.push(vector);
        if self.rng.below(2) == 0 {
            let op = match ty {
                V4F32 => self.rng.pick(&[Fadd, Fsub, Fmul]),
                _ => self.rng.pick(&[Add, Sub, Mul, And, Or, Xor]),
            };
            let other = self.value(ty);
            let [a, b] = self.rng.pick(&[[vector, other], [other, vector]]);
            let made = self.b.binary(op, a, b);
            self.pool.push(made);
        }
    }

    /// Booleans from several comparisons, and ways that part by them.
    fn logic(&mut self, depth: u32) {
        let (mut cond, _) = self.scalar_comparison();
        for _ in 0..1 + self.rng.below(3) {
            let (other, _) = self.scalar_comparison();
            let known = self.int(I1, 0);
            cond = match self.rng.below(6) {
                0 | 1 => self.b.binary(And, cond, other),
                2 | 3 => self.b.binary(Or, cond, other),
                4 => self.b.binary(Xor, cond, other),
                _ => self.b.select(cond, other, known),
            };
        }
        self.pool.push(cond);
        if depth < super::MAX_DEPTH && self.cost < super::BUDGET {
            self.if_else_by(depth, cond);
        }
    }

    /// `setjmp` that returns again at once; what was computed before is still there.
    fn second_return(&mut self) {
        let buffer = self.global(BUFFER);
        let returned = self.intrinsic("llvm.nacl.setjmp", &[buffer]).expect("a result");
        let zero = self.int(I32, 0);
        let first = self.b.icmp(IntCond::Eq, returned, zero);
        let head = self.block;
        let branch = self.open(InstData::CondBr { cond: first, if_true: head, if_false: head });
        let if_true = self.begin_block();
        self.store();
        let number = self.value(I32);
        self.intrinsic("llvm.nacl.longjmp", &[buffer, number]);
        self.b.unreachable();
        let if_false = self.begin_block();
        *self.b.func.inst_mut(branch) = InstData::CondBr { cond: first, if_true, if_false };
        self.pool.push(returned);
    }

    /// A loop whose values change places in every round: swaps and rotations among the arguments of its phis.
    pub(super) fn rotate(&mut self, depth: u32) {
        let trips = 1 + self.rng.below(5) as i64;
        let ty = self.rng.pick(&Type::STABLE[1..]);
        let count = 2 + self.rng.below(3);
        let starts: Vec<Value> = (0..count).map(|_| self.value(ty)).collect();
        let (shift, kind, mark) = (1 + self.rng.below(count), self.rng.below(3), self.pool.len());
        let results = self.in_loop(trips, &starts, |g, counter, carried| {
            g.pool.push(counter);
            g.pool.extend(carried);
            for _ in 0..g.rng.below(3) {
                g.statement(depth + 1);
            }
            let mut next: Vec<Value> = (0..count).map(|n| carried[(n + shift) % count]).collect();
            if kind == 0 {
                next = carried.to_vec();
                next.swap(0, count - 1);
            } else if kind == 1 {
                let replaced = g.rng.below(count);
                next[replaced] = g.value(ty);
            }
            next
        });
        self.pool.truncate(mark);
        self.pool.extend(results);
    }
}

/// The alignment of a vector, which must be that of its lanes; 1 for everything else.
fn vector_alignment(ty: Type) -> u8 {
    if ty.is_vector() { ty.element().bytes().trailing_zeros() as u8 } else { 0 }
}
