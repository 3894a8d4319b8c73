//! Bodies of generated functions: values, straight-line statements and memory.

use alloc::vec::Vec;

use super::{
    BUDGET, Gen, INT_VECTORS, MASKS, MAX_DEPTH, MEMORY, REGION, REGION_ALIGN_LOG2, ReturnCalls, Splat,
    UndefinedResults, splat_number, splat_row,
};
use crate::entities::{FuncId, GlobalId, Symbol, Value};
use crate::instruction::{BinaryOp, CastOp, FloatCond, IntCond};
use crate::types::Type::{self, *};

impl Gen<'_, '_> {
    pub(super) fn function(&mut self, statements: u32, id: FuncId) {
        let size = self.int(I32, REGION);
        let local = self.b.alloca(size, REGION_ALIGN_LOG2, I32);
        self.local = Some(local);
        let (byte, align, no) = (self.int(I8, 0x5a), self.int(I32, 1), self.int(I1, 0));
        self.intrinsic("llvm.memset.p0i8.i32", &[local, byte, size, align, no]);
        for _ in 0..statements {
            self.statement(0);
        }
        let acc = self.fold_pool(16);
        let value = match self.module.signature(id).ret {
            I64 => acc,
            ty => {
                let half = self.int(I64, 32);
                let high = self.b.binary(BinaryOp::Lshr, acc, half);
                let mixed = self.b.binary(BinaryOp::Xor, acc, high);
                let low = self.b.cast(CastOp::Trunc, mixed, I32);
                if ty == I32 { low } else { self.b.cast(CastOp::Sitofp, low, ty) }
            }
        };
        let is_return_call = self.return_calls == ReturnCalls::Allow && self.rng.below(4) != 0;
        if !is_return_call || !self.return_call(value) {
            self.b.ret(Some(value));
        }
    }

    /// Calls everything, then adds up the memory in a loop.
    pub(super) fn checksum(&mut self, functions: &[FuncId]) {
        for &f in functions {
            let args: Vec<Value> =
                self.module.signature(f).params.clone().iter().map(|&ty| self.constant(ty)).collect();
            let result = self.call(f, &args);
            self.pool.push(result);
        }
        let acc = self.fold_pool(usize::MAX);
        let total = self.counted_loop(REGION / 8, acc, |g, i, acc| {
            let eight = g.int(I32, 8);
            let offset = g.b.binary(BinaryOp::Mul, i, eight);
            let base = g.global(MEMORY);
            let address = g.b.binary(BinaryOp::Add, base, offset);
            let word = g.b.load(I64, address, 0);
            g.fold(acc, word)
        });
        self.b.ret(Some(total));
    }

    // ---- values

    pub(super) fn ty(&self, value: Value) -> Type {
        self.b.func.value_type(value)
    }

    /// The address of a global.
    pub(super) fn global(&mut self, index: u32) -> Value {
        self.b.address(Symbol::Global(GlobalId::from_u32(index)), I32)
    }

    pub(super) fn int(&mut self, ty: Type, number: i64) -> Value {
        self.b.int_const(ty, number)
    }

    pub(super) fn constant(&mut self, ty: Type) -> Value {
        match ty {
            F32 => {
                let number = self.rng.interesting_float() as f32;
                self.b.f32_const(number)
            }
            F64 => {
                let number = self.rng.interesting_float();
                self.b.f64_const(number)
            }
            _ => {
                let number = self.rng.interesting_int();
                self.int(ty, number)
            }
        }
    }

    /// A value of `ty` for use here.
    pub(super) fn value(&mut self, ty: Type) -> Value {
        let start = self.rng.below(self.pool.len().max(1));
        let mut turned = self.pool[start..].iter().chain(&self.pool[..start]);
        let found = turned.find(|&&v| self.b.func.value_type(v) == ty).copied();
        match found {
            Some(value) if self.rng.below(8) != 0 => value,
            _ if self.undefined == UndefinedResults::Allow && self.rng.below(16) == 0 => {
                self.b.func.make_undef(ty)
            }
            _ if ty.is_bool_or_bool_vector() && ty.is_vector() => {
                let operand =
                    INT_VECTORS[INT_VECTORS.iter().position(|t| t.lanes() == ty.lanes()).unwrap_or(0)];
                let args = [self.value(operand), self.value(operand)];
                self.b.icmp(IntCond::Sgt, args[0], args[1])
            }
            _ if ty.is_vector() => self.load(ty),
            _ => self.constant(ty),
        }
    }

    /// A number in every lane.
    pub(super) fn splat(&mut self, ty: Type, splat: Splat) -> Value {
        if !ty.is_vector() {
            return match ty {
                F32 => self.b.f32_const(0.0),
                F64 => self.b.f64_const(0.0),
                _ => self.int(ty, splat_number(ty, splat)),
            };
        }
        let base = self.global(MASKS);
        let offset = self.int(I32, splat_row(ty, splat) * 16);
        let address = self.b.binary(BinaryOp::Add, base, offset);
        self.b.load(ty, address, ty.element().bytes().trailing_zeros() as u8)
    }

    /// The value itself, or zero for a NaN, whose bits are not the same everywhere.
    pub(super) fn clean(&mut self, value: Value) -> Value {
        let ty = self.ty(value);
        if !ty.is_float_or_float_vector() || self.undefined == UndefinedResults::Allow {
            return value;
        }
        let number = self.b.fcmp(FloatCond::Ord, value, value);
        let zero = self.splat(ty, Splat::Zero);
        self.b.select(number, value, zero)
    }

    /// `acc` mixed with the bits of a value of any type.
    pub(super) fn fold(&mut self, acc: Value, value: Value) -> Value {
        let value = self.clean(value);
        let bits = match self.ty(value) {
            I64 => value,
            F64 => self.b.cast(CastOp::Bitcast, value, I64),
            F32 => {
                let bits = self.b.cast(CastOp::Bitcast, value, I32);
                self.b.cast(CastOp::Zext, bits, I64)
            }
            ty if !ty.is_vector() => self.b.cast(CastOp::Zext, value, I64),
            ty => {
                let wide = match INT_VECTORS.iter().find(|t| t.compare_result() == ty) {
                    Some(&wide) => self.b.cast(CastOp::Sext, value, wide),
                    None => value,
                };
                let words =
                    if self.ty(wide) == V4I32 { wide } else { self.b.cast(CastOp::Bitcast, wide, V4I32) };
                return (0..4).fold(acc, |acc, lane| {
                    let lane = self.int(I32, lane);
                    let word = self.b.extract_element(words, lane);
                    self.fold(acc, word)
                });
            }
        };
        let mixed = self.b.binary(BinaryOp::Xor, acc, bits);
        let factor = self.int(I64, 0x0100_0000_01b3);
        self.b.binary(BinaryOp::Mul, mixed, factor)
    }

    /// The last `limit` values of the pool in one number.
    pub(super) fn fold_pool(&mut self, limit: usize) -> Value {
        let from = self.pool.len().saturating_sub(limit);
        let values = self.pool.split_off(from);
        let start = self.int(I64, -0x340d_631b_7bdd_dcdb);
        values.iter().fold(start, |acc, &value| self.fold(acc, value))
    }

    // ---- straight-line statements

    pub(super) fn statement(&mut self, depth: u32) {
        self.cost += self.weight;
        let constructs = if depth < MAX_DEPTH && self.cost < BUDGET { 6 } else { 0 };
        let made = match self.rng.below(28 + constructs) {
            0..=4 => self.arithmetic(),
            5..=7 => self.conversion(),
            8 | 9 => self.comparison(),
            10 => {
                let (ty, cond) = self.selectable();
                let (cond, a, b) = (self.value(cond), self.value(ty), self.value(ty));
                self.b.select(cond, a, b)
            }
            11 => self.lane(),
            12 | 13 => {
                let ty = self.memory_type();
                self.load(ty)
            }
            14 | 15 => return self.store(),
            16 => self.bit_intrinsic(),
            17 => self.atomic(),
            18 => return self.block_operation(),
            19 => match self.some_call() {
                Some(value) => value,
                None => return,
            },
            20..=27 => return self.shape(depth),
            28 | 29 => return self.if_else(depth),
            30 => return self.switch(depth),
            31 => return self.rotate(depth),
            _ => return self.repeat(depth),
        };
        self.pool.push(made);
    }

    pub(super) fn arithmetic(&mut self) -> Value {
        use BinaryOp::*;
        let ty = self.rng.pick(&Type::STABLE[1..]);
        let op = match ty {
            _ if ty.is_float_or_float_vector() => self.rng.pick(&[Fadd, Fsub, Fmul, Fdiv, Frem]),
            _ if ty.is_bool_or_bool_vector() => self.rng.pick(&[And, Or, Xor]),
            _ => self.rng.pick(&BinaryOp::ALL[..13]),
        };
        let (a, mut b) = (self.value(ty), self.value(ty));
        if op.is_shift() && self.undefined == UndefinedResults::Avoid {
            let mask = self.splat(ty, Splat::Width);
            b = self.b.binary(And, b, mask);
        }
        if matches!(op, Sdiv | Srem) {
            let mask = self.splat(ty, Splat::Max);
            b = self.b.binary(And, b, mask);
        }
        if op.is_division() {
            let one = self.splat(ty, Splat::One);
            b = self.b.binary(Or, b, one);
        }
        self.b.binary(op, a, b)
    }

    pub(super) fn conversion(&mut self) -> Value {
        use CastOp::*;
        let int_pairs = [
            (I1, I8),
            (I1, I32),
            (I8, I16),
            (I8, I32),
            (I16, I64),
            (I32, I64),
            (I1, I64),
            (V4I1, V4I32),
            (V8I1, V8I16),
            (V16I1, V16I8),
            (I16, I32),
            (I8, I64),
        ];
        let float_pairs =
            [(F32, I32), (F64, I32), (F32, I64), (F64, I64), (F64, I8), (F32, I16), (V4F32, V4I32)];
        let bit_pairs = [
            (I32, F32),
            (I64, F64),
            (V4F32, V4I32),
            (V16I8, V4F32),
            (V8I16, V16I8),
            (V4I32, V8I16),
            (I8, V8I1),
            (I16, V16I1),
        ];
        match self.rng.below(6) {
            0 | 1 => {
                let (narrow, wide) = self.rng.pick(&int_pairs);
                let op = self.rng.pick(&[Trunc, Zext, Sext]);
                let (from, to) = if op == Trunc { (wide, narrow) } else { (narrow, wide) };
                let arg = self.value(from);
                self.b.cast(op, arg, to)
            }
            2 => {
                let (float, int) = self.rng.pick(&float_pairs);
                let (op, arg) = (self.rng.pick(&[Sitofp, Uitofp]), self.value(int));
                self.b.cast(op, arg, float)
            }
            3 => {
                let (float, int) = self.rng.pick(&float_pairs);
                let (op, arg) = (self.rng.pick(&[Fptosi, Fptoui]), self.value(float));
                let arg =
                    if self.undefined == UndefinedResults::Avoid { self.clamp(op, arg, int) } else { arg };
                self.b.cast(op, arg, int)
            }
            4 => {
                let (op, from, to) = self.rng.pick(&[(Fpext, F32, F64), (Fptrunc, F64, F32)]);
                let arg = self.value(from);
                self.b.cast(op, arg, to)
            }
            _ => {
                let (a, b) = self.rng.pick(&bit_pairs);
                let (from, to) = self.rng.pick(&[(a, b), (b, a)]);
                let arg = self.value(from);
                let arg = self.clean(arg);
                self.b.cast(Bitcast, arg, to)
            }
        }
    }

    /// `arg` moved into the range of `int`; a NaN goes to the lower bound.
    pub(super) fn clamp(&mut self, op: CastOp, arg: Value, int: Type) -> Value {
        let signed = op == CastOp::Fptosi;
        let (low, high) = match self.ty(arg) {
            ty @ V4F32 if signed => (self.splat(ty, Splat::Low), self.splat(ty, Splat::High)),
            ty @ V4F32 => (self.splat(ty, Splat::Zero), self.splat(ty, Splat::HighUnsigned)),
            ty => {
                // 2 to the number of value bits, and the number below it.
                let limit = (1u128 << (int.bits() - u32::from(signed))) as f64;
                let low = if signed { -limit } else { 0.0 };
                match ty {
                    F32 => {
                        let high = f32::from_bits((limit as f32).to_bits() - 1);
                        (self.b.f32_const(low as f32), self.b.f32_const(high))
                    }
                    _ => (self.b.f64_const(low), self.b.f64_const(f64::from_bits(limit.to_bits() - 1))),
                }
            }
        };
        let above = self.b.fcmp(FloatCond::Oge, arg, low);
        let arg = self.b.select(above, arg, low);
        let below = self.b.fcmp(FloatCond::Ole, arg, high);
        self.b.select(below, arg, high)
    }

    pub(super) fn comparison(&mut self) -> Value {
        let ty = self.rng.pick(&[I8, I16, I32, I32, I64, I64, F32, F64, V16I8, V8I16, V4I32, V4F32]);
        let (a, b) = (self.value(ty), self.value(ty));
        if ty.is_float_or_float_vector() {
            let cond = self.rng.pick(FloatCond::ALL);
            return self.b.fcmp(cond, a, b);
        }
        let cond = self.rng.pick(IntCond::ALL);
        self.b.icmp(cond, a, b)
    }

    /// A type and the type of a condition that selects between two values of it.
    pub(super) fn selectable(&mut self) -> (Type, Type) {
        let ty = self.rng.pick(&Type::STABLE[1..]);
        let by_lane = self.rng.below(2) == 0;
        (ty, if by_lane { ty.compare_result() } else { I1 })
    }

    pub(super) fn lane(&mut self) -> Value {
        let ty = self.rng.pick(&Type::STABLE[8..]);
        let lane = self.rng.below(ty.lanes() as usize) as i64;
        let (vector, index) = (self.value(ty), self.int(I32, lane));
        if self.rng.below(2) == 0 {
            return self.b.extract_element(vector, index);
        }
        let element = self.value(ty.element());
        self.b.insert_element(vector, element, index)
    }

    // ---- memory

    pub(super) fn memory_type(&mut self) -> Type {
        self.rng.pick(&[I8, I16, I32, I32, I64, F32, F64, V16I8, V8I16, V4I32, V4F32])
    }

    pub(super) fn region(&mut self) -> Value {
        match self.local {
            Some(local) if self.rng.below(2) == 0 => local,
            _ => self.global(MEMORY),
        }
    }

    /// The address of 16 bytes in some region, aligned to `1 << align_log2`.
    pub(super) fn address(&mut self, align_log2: u8) -> Value {
        let offset = self.value(I32);
        let mask = self.int(I32, (REGION - 17) & (-1 << align_log2));
        let offset = self.b.binary(BinaryOp::And, offset, mask);
        let region = self.region();
        self.b.binary(BinaryOp::Add, region, offset)
    }

    /// A legal alignment of an access.
    pub(super) fn alignment(&mut self, ty: Type) -> u8 {
        let natural = ty.element().bytes().trailing_zeros() as u8;
        match ty {
            F32 | F64 => self.rng.pick(&[0, natural]),
            _ if ty.is_vector() => natural,
            _ => 0,
        }
    }

    pub(super) fn load(&mut self, ty: Type) -> Value {
        let align_log2 = self.alignment(ty);
        let address = self.address(align_log2);
        self.b.load(ty, address, align_log2)
    }

    pub(super) fn store(&mut self) {
        let ty = self.memory_type();
        let value = self.value(ty);
        let (value, align_log2) = (self.clean(value), self.alignment(ty));
        let address = self.address(align_log2);
        self.b.store(address, value, align_log2);
    }
}
