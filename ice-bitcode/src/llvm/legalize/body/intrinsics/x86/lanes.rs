//! Lanes that are moved, shifted and tested each by a number or mask of its own.

use alloc::format;

use ice_ir::{BinaryOp, CastOp, IntCond, Type, Value};

use super::super::Call;
use crate::llvm::legalize::body::values::Operand;
use crate::llvm::legalize::body::{Body, Checked, fail};

/// What a test of bits asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Test {
    /// Whether the operands have no bit in common.
    Apart,
    /// Whether the second has no bit that the first has not.
    Inside,
    /// Whether neither holds.
    Neither,
}

/// Which bits of the lanes are tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bits {
    All,
    Signs,
}

impl Body<'_, '_> {
    /// `ptest`, `vtestps`, `vtestpd`.
    pub(super) fn x86_test(&mut self, call: &Call, test: Test, bits: Bits) -> Checked<Operand> {
        self.check_alike(call)?;
        let (a, b) = (self.registers(call.args[0])?, self.registers(call.args[1])?);
        // What is in both, and what is in the second only.
        let mut found: Option<[Value; 2]> = None;
        for k in 0..a.len {
            let (x, y) = (self.get(a, k), self.get(b, k));
            let (x, mut y) = (self.float_bits(x), self.float_bits(y));
            let ty = self.ty_of(y);
            if bits == Bits::Signs {
                let sign = self.splat(ty, -1 << (ty.element().bits() - 1));
                y = self.bin(BinaryOp::And, y, sign);
            }
            let ones = self.all_ones(ty);
            let others = self.bin(BinaryOp::Xor, x, ones);
            let own = [x, others].map(|x| {
                let own = self.bin(BinaryOp::And, x, y);
                self.bits_as(own, Type::V2I64)
            });
            found = Some(match found {
                None => own,
                Some(before) => [0, 1].map(|i| self.bin(BinaryOp::Or, before[i], own[i])),
            });
        }
        let Some(found) = found else { return fail(self.type_class(call.args[0].ty, "a vector")) };
        let wanted = match test {
            Test::Apart => [Some(IntCond::Eq), None],
            Test::Inside => [None, Some(IntCond::Eq)],
            Test::Neither => [Some(IntCond::Ne), Some(IntCond::Ne)],
        };
        let mut holds = None;
        for (vector, cond) in found.into_iter().zip(wanted) {
            let Some(cond) = cond else { continue };
            let (low, high) = (self.lane(vector, 0), self.lane(vector, 1));
            let any = self.bin(BinaryOp::Or, low, high);
            let own = self.icmp_int(cond, any, 0);
            holds = Some(match holds {
                None => own,
                Some(before) => self.bin(BinaryOp::And, before, own),
            });
        }
        let Some(holds) = holds else { return fail(self.type_class(call.ret, "i32")) };
        let value = self.cast(CastOp::Zext, holds, Type::I32);
        self.one_of(call.ret, value)
    }

    /// `psllv`, `psrlv`, `psrav`: shifts of lanes by numbers in the lanes of another vector, which may be all bits or more.
    pub(super) fn x86_variable_shift(&mut self, call: &Call, op: BinaryOp) -> Checked<Operand> {
        self.check_alike(call)?;
        self.by_registers(call, 2, |cx, _, registers| {
            let (a, counts) = (registers[0], registers[1]);
            let ty = cx.ty_of(a);
            let bits = i64::from(ty.element().bits());
            let limit = cx.splat(ty, bits);
            let is_inside = cx.icmp(IntCond::Ult, counts, limit);
            Ok(match op {
                BinaryOp::Ashr => {
                    let last = cx.splat(ty, bits - 1);
                    let counts = cx.choose(is_inside, counts, last);
                    cx.bin(op, a, counts)
                }
                _ => {
                    let shifted = cx.bin(op, a, counts);
                    let zero = cx.b.func.make_zero(ty);
                    cx.choose(is_inside, shifted, zero)
                }
            })
        })
    }

    /// The bytes of a vector whose numbers are in another, where one from 128 on gives zero.
    fn bytes_by(&mut self, vector: Value, numbers: Value) -> Checked<Value> {
        let ty = self.ty_of(vector);
        self.instruction_value("pshufb $2, $0".into(), "=x,0,x", &[vector, numbers], ty)
    }

    /// The bytes of words whose numbers, of two bits each, are in the lanes of a register.
    fn bytes_of_words(&mut self, numbers: Value) -> Checked<Value> {
        let bytes = self.bits_as(numbers, Type::V16I8);
        let first = self.lanes_from(Type::V16I8, |cx, lane| cx.int(Type::I8, (lane & !3).into()));
        let spread = self.bytes_by(bytes, first)?;
        let low = self.bin_int(BinaryOp::And, spread, 3);
        let twice = self.bin(BinaryOp::Add, low, low);
        let words = self.bin(BinaryOp::Add, twice, twice);
        let inside = self.lanes_from(Type::V16I8, |cx, lane| cx.int(Type::I8, (lane & 3).into()));
        Ok(self.bin(BinaryOp::Add, words, inside))
    }

    /// `vpermilps`, `vpermilpd` by a vector: lanes of the same register.
    pub(super) fn x86_permute_inside(&mut self, call: &Call) -> Checked<Operand> {
        self.by_registers(call, 2, |cx, _, registers| {
            let (a, numbers) = (registers[0], registers[1]);
            if cx.ty_of(a).lanes() == 4 {
                let bytes = cx.bytes_of_words(numbers)?;
                return cx.bytes_by(a, bytes);
            }
            let ty = cx.ty_of(a);
            let [low, high] = [0, 1].map(|lane| {
                let value = cx.lane(a, lane);
                cx.lanes_from(ty, |_, _| value)
            });
            let numbers = cx.bits_as(numbers, Type::V2I64);
            let bit = cx.bin_int(BinaryOp::And, numbers, 2);
            let zero = cx.b.func.make_zero(Type::V2I64);
            let is_high = cx.icmp(IntCond::Ne, bit, zero);
            Ok(cx.choose(is_high, high, low))
        })
    }

    /// `vpermd`, `vpermps`: words of both registers.
    pub(super) fn x86_permute_words(&mut self, call: &Call) -> Checked<Operand> {
        let (a, numbers) = (self.registers(call.args[0])?, self.registers(call.args[1])?);
        if a.len != 2 || numbers.len != 2 || call.ret != call.args[0].ty {
            return fail(self.type_class(call.ret, "eight words"));
        }
        if let (Some(words), Some(of_numbers)) = (
            self.double(Some(self.ty_of(self.get(a, 0)))),
            self.double(Some(self.ty_of(self.get(numbers, 0)))),
        ) {
            // The numbers are the first operand of the instruction.
            let name = if words == Type::V8F32 { "permps" } else { "permd" };
            let operands = [self.joined(numbers, 0, of_numbers), self.joined(a, 0, words)];
            let run = self.by_doubles(1, [a], |cx, _| {
                cx.instruction_value(format!("{name} $2, $0"), "=x,0,x", &operands, words)
            })?;
            return Ok(self.operand(call.ret, run));
        }
        let out = self.reserve(2);
        for k in 0..2 {
            let own = self.get(numbers, k);
            let bytes = self.bytes_of_words(own)?;
            let (low, high) = (self.get(a, 0), self.get(a, 1));
            let (low, high) = (self.bytes_by(low, bytes)?, self.bytes_by(high, bytes)?);
            let own = self.bits_as(own, Type::V4I32);
            let bit = self.bin_int(BinaryOp::And, own, 4);
            let zero = self.b.func.make_zero(Type::V4I32);
            let is_high = self.icmp(IntCond::Ne, bit, zero);
            let value = self.choose(is_high, high, low);
            self.set(out, k, value);
        }
        Ok(self.operand(call.ret, out))
    }
}
