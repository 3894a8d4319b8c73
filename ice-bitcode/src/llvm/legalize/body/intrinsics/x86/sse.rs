//! The intrinsics of SSE and SSE2 that clang's headers do not write as operations of LLVM, in operations of the IR.
//!
//! Each is what Intel's manual (volume 2) says of its instruction, in operations that any machine has: on whole vectors
//! where the IR has the operation, else lane by lane in 32 bits.
//!
//! Numbers that an integer has no room for are converted as the machine converts them. Rounding is that of the
//! environment: a float is an integer after it has met the first number without a fraction behind the point.

use ice_ir::{BinaryOp, CastOp, FloatCond, IntCond, Intrinsic, Type, Value};

use super::super::Call;
use crate::llvm::legalize::body::integer::Sign;
use crate::llvm::legalize::body::values::Operand;
use crate::llvm::legalize::body::{Body, Checked, fail, unsupported};

/// Which lanes an instruction computes; the others are those of its first operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lanes {
    All,
    First,
}

/// How a float becomes an integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rounding {
    /// As the environment says; to nearest even unless the program has changed that.
    Environment,
    /// Without the fraction.
    Zero,
}

/// The order of a fence for accesses of all threads.
const SEQUENTIALLY_CONSISTENT: i64 = 6;

impl Body<'_, '_> {
    /// A vector that is one value.
    fn register(&self, a: Operand) -> Checked<Value> {
        match (self.vector_shape(a.ty)?.whole(), self.shape(a.ty).parts) {
            (Some(_), 1) => Ok(self.single(a)),
            _ => unsupported("an instruction of SSE on another vector"),
        }
    }

    fn of_register(&mut self, call: &Call, value: Value) -> Checked<Operand> {
        match self.shape(call.ret) {
            shape if shape.parts == 1 && shape.first == self.ty_of(value) => {
                let run = self.push(value);
                Ok(self.operand(call.ret, run))
            }
            _ => fail(self.type_class(call.ret, "the type that the instruction gives")),
        }
    }

    /// Two registers of one type.
    fn two_registers(&self, call: &Call) -> Checked<(Value, Value)> {
        let [a, b, ..] = call.args;
        match a.ty == b.ty {
            true => Ok((self.register(a)?, self.register(b)?)),
            false => fail(self.type_class(b.ty, "the type of the first operand")),
        }
    }

    // ---- floats

    /// `min`, `max`: the first operand where the condition holds, the second where it does not or there is no order.
    pub(super) fn sse_extreme(&mut self, call: &Call, cond: FloatCond, lanes: Lanes) -> Checked<Operand> {
        let (a, b) = self.two_registers(call)?;
        let value = match lanes {
            Lanes::All => {
                let is_first = self.fcmp(cond, a, b);
                self.choose(is_first, a, b)
            }
            Lanes::First => {
                let (x, y) = (self.lane(a, 0), self.lane(b, 0));
                let is_first = self.fcmp(cond, x, y);
                let value = self.choose(is_first, x, y);
                self.set_lane(a, 0, value)
            }
        };
        self.of_register(call, value)
    }

    /// `cmp`: lanes of ones where the condition with this number holds. The second half of the 32 conditions differs from the first
    /// in which NaNs raise exceptions.
    pub(super) fn sse_compare(&mut self, call: &Call, lanes: Lanes) -> Checked<Operand> {
        const CONDS: [FloatCond; 16] = [
            FloatCond::Oeq,
            FloatCond::Olt,
            FloatCond::Ole,
            FloatCond::Uno,
            FloatCond::Une,
            FloatCond::Uge,
            FloatCond::Ugt,
            FloatCond::Ord,
            FloatCond::Ueq,
            FloatCond::Ult,
            FloatCond::Ule,
            FloatCond::False,
            FloatCond::One,
            FloatCond::Oge,
            FloatCond::Ogt,
            FloatCond::True,
        ];
        self.check_alike(call)?;
        let Some(number @ 0..=31) = self.constant_number(call.args[2]) else {
            return unsupported("a comparison of SSE with another number");
        };
        let cond = CONDS[number as usize % CONDS.len()];
        let parts = self.shape(call.args[0].ty).parts;
        if let Some(double) = self.double_of(self.vector_shape(call.args[0].ty)?, parts)
            && lanes == Lanes::All
        {
            return self.by_double_registers(call, 2, |cx, registers| {
                let holds = cx.fcmp(cond, registers[0], registers[1]);
                let wide = if double == Type::V4F64 { Type::V4I64 } else { Type::V8I32 };
                let ones = cx.cast(CastOp::Sext, holds, wide);
                Ok(cx.bits_as(ones, double))
            });
        }
        self.by_registers(call, 2, |cx, _, registers| {
            let (a, b) = (registers[0], registers[1]);
            let ty = cx.ty_of(a);
            Ok(match lanes {
                Lanes::All => {
                    let holds = cx.fcmp(cond, a, b);
                    let wide = if ty == Type::V2F64 { Type::V2I64 } else { Type::V4I32 };
                    let ones = cx.cast(CastOp::Sext, holds, wide);
                    cx.bits_as(ones, ty)
                }
                Lanes::First => {
                    let (x, y) = (cx.lane(a, 0), cx.lane(b, 0));
                    let holds = cx.fcmp(cond, x, y);
                    let wide = if ty == Type::V2F64 { Type::I64 } else { Type::I32 };
                    let ones = cx.cast(CastOp::Sext, holds, wide);
                    let ones = cx.bits_as(ones, ty.element());
                    cx.set_lane(a, 0, ones)
                }
            })
        })
    }

    /// `comi`, `ucomi`: whether the condition holds between the first lanes.
    pub(super) fn sse_order(&mut self, call: &Call, cond: FloatCond) -> Checked<Operand> {
        let (a, b) = self.two_registers(call)?;
        let (x, y) = (self.lane(a, 0), self.lane(b, 0));
        let holds = self.fcmp(cond, x, y);
        let value = self.cast(CastOp::Zext, holds, Type::I32);
        self.of_register(call, value)
    }

    /// A float without a fraction, in the direction of the environment: the sum with 2^52, or 2^23 for `f32`, of the same
    /// sign has none. Larger numbers have none either.
    fn rounded(&mut self, value: Value) -> Value {
        let ty = self.ty_of(value);
        let large = self.float(ty, if ty == Type::F32 { 8_388_608.0 } else { 4_503_599_627_370_496.0 });
        let zero = self.float(ty, 0.0);
        let minus = self.float(ty, if ty == Type::F32 { -8_388_608.0 } else { -4_503_599_627_370_496.0 });
        let is_negative = self.fcmp(FloatCond::Olt, value, zero);
        let shift = self.choose(is_negative, minus, large);
        let sum = self.bin(BinaryOp::Fadd, value, shift);
        let rounded = self.bin(BinaryOp::Fsub, sum, shift);
        let is_above = self.fcmp(FloatCond::Olt, value, large);
        let is_below = self.fcmp(FloatCond::Ogt, value, minus);
        let inner = self.choose(is_below, rounded, value);
        self.choose(is_above, inner, value)
    }

    /// `cvtss2si`, `cvttsd2si` and their like: the first lane as an integer.
    pub(super) fn sse_to_integer(&mut self, call: &Call, rounding: Rounding) -> Checked<Operand> {
        let a = self.register(call.args[0])?;
        let mut value = self.lane(a, 0);
        if rounding == Rounding::Environment {
            value = self.rounded(value);
        }
        let value = self.cast(CastOp::Fptosi, value, self.shape(call.ret).first);
        self.of_register(call, value)
    }

    /// `cvtps2dq`, `cvttpd2dq` and their like: all lanes as integers of 32 bits, zeros behind them.
    pub(super) fn sse_to_integers(&mut self, call: &Call, rounding: Rounding) -> Checked<Operand> {
        let a = self.register(call.args[0])?;
        let lanes = self.ty_of(a).lanes();
        let value = self.lanes_from(Type::V4I32, |cx, lane| {
            if lane >= lanes {
                return cx.i32(0);
            }
            let mut value = cx.lane(a, lane);
            if rounding == Rounding::Environment {
                value = cx.rounded(value);
            }
            cx.cast(CastOp::Fptosi, value, Type::I32)
        });
        self.of_register(call, value)
    }

    /// `cvtpd2ps`: two lanes, and zeros.
    pub(super) fn sse_to_singles(&mut self, call: &Call) -> Checked<Operand> {
        let a = self.register(call.args[0])?;
        let zero = self.float(Type::F32, 0.0);
        let value = self.lanes_from(Type::V4F32, |cx, lane| {
            if lane > 1 {
                return zero;
            }
            let value = cx.lane(a, lane);
            cx.cast(CastOp::Fptrunc, value, Type::F32)
        });
        self.of_register(call, value)
    }

    /// `cvtsd2ss`: the first lane of the second operand, in the first one.
    pub(super) fn sse_to_single(&mut self, call: &Call) -> Checked<Operand> {
        let (a, b) = (self.register(call.args[0])?, self.register(call.args[1])?);
        let value = self.lane(b, 0);
        let value = self.cast(CastOp::Fptrunc, value, Type::F32);
        let value = self.set_lane(a, 0, value);
        self.of_register(call, value)
    }

    // ---- integers

    /// `movmsk`, `pmovmskb`: the signs of the lanes as bits.
    pub(super) fn sse_signs(&mut self, call: &Call) -> Checked<Operand> {
        let a = self.register(call.args[0])?;
        let a = self.float_bits(a);
        let ty = self.ty_of(a);
        let mut signs = self.i32(0);
        for lane in 0..ty.lanes() {
            let value = self.lane(a, lane);
            let zero = self.int(ty.element(), 0);
            let is_negative = self.icmp(IntCond::Slt, value, zero);
            let bit = self.cast(CastOp::Zext, is_negative, Type::I32);
            let bit = self.bin_int(BinaryOp::Shl, bit, lane.into());
            signs = self.bin(BinaryOp::Or, signs, bit);
        }
        self.of_register(call, signs)
    }

    /// Shifts of lanes by one number of bits, which may be all of them or more: a register whose low half it is, or
    /// 32 bits.
    pub(super) fn sse_shift(&mut self, call: &Call, op: BinaryOp) -> Checked<Operand> {
        let count = call.args[1];
        let known = self.constant_number(count).map(|number| number & 0xffff_ffff);
        let count = match (known, self.vector_shape(count.ty)) {
            (Some(_), _) => None,
            (None, Ok(_)) => {
                let whole = self.register(count)?;
                let words = self.bits_as(whole, Type::V4I32);
                let (low, high) = (self.lane(words, 0), self.lane(words, 1));
                let is_small = self.icmp_int(IntCond::Eq, high, 0);
                let many = self.i32(-1);
                Some(self.choose(is_small, low, many))
            }
            (None, Err(_)) if self.shape(count.ty).parts == 1 => Some(self.single(count)),
            (None, Err(error)) => return Err(error),
        };
        self.by_registers(call, 1, |cx, _, registers| {
            let a = registers[0];
            let ty = cx.ty_of(a);
            let bits = i64::from(ty.element().bits());
            let Some(count) = count else {
                return Ok(match (known.filter(|&number| number < bits), op) {
                    (Some(number), _) => cx.bin_int(op, a, number),
                    (None, BinaryOp::Ashr) => cx.bin_int(op, a, bits - 1),
                    (None, _) => cx.b.func.make_zero(ty),
                });
            };
            let is_inside = cx.icmp_int(IntCond::Ult, count, bits);
            let last = cx.int(cx.ty_of(count), bits - 1);
            let inside = cx.choose(is_inside, count, last);
            let amount = cx.resize_zero(inside, ty.element());
            let amounts = cx.lanes_from(ty, |_, _| amount);
            let shifted = cx.bin(op, a, amounts);
            Ok(match op {
                BinaryOp::Ashr => shifted,
                _ => {
                    // Ones, or zeros if all bits are gone.
                    let kept = cx.cast(CastOp::Sext, is_inside, ty.element());
                    let kept = cx.lanes_from(ty, |_, _| kept);
                    cx.bin(BinaryOp::And, shifted, kept)
                }
            })
        })
    }

    /// A function of both operands' lanes in 32 bits, extended as `sign` says and cut to the lanes of the result.
    fn in_words(
        &mut self,
        call: &Call,
        sign: Sign,
        mut f: impl FnMut(&mut Self, Value, Value) -> Value,
    ) -> Checked<Operand> {
        let (a, b) = self.two_registers(call)?;
        let ty = self.ty_of(a);
        let value = self.lanes_from(ty, |cx, lane| {
            let (x, y) = (cx.word(a, lane, sign), cx.word(b, lane, sign));
            let value = f(cx, x, y);
            cx.cast(CastOp::Trunc, value, ty.element())
        });
        self.of_register(call, value)
    }

    /// A lane in 32 bits.
    fn word(&mut self, vector: Value, lane: u32, sign: Sign) -> Value {
        let value = self.lane(vector, lane);
        match sign {
            Sign::Signed => self.resize_sign(value, Type::I32),
            Sign::Unsigned => self.resize_zero(value, Type::I32),
        }
    }

    /// `pavg`: the mean, rounded up.
    pub(super) fn sse_average(&mut self, call: &Call) -> Checked<Operand> {
        self.in_words(call, Sign::Unsigned, |cx, x, y| {
            let sum = cx.bin(BinaryOp::Add, x, y);
            let sum = cx.bin_int(BinaryOp::Add, sum, 1);
            cx.bin_int(BinaryOp::Lshr, sum, 1)
        })
    }

    /// `pmulh`: the high halves of the products.
    pub(super) fn sse_high_product(&mut self, call: &Call, sign: Sign) -> Checked<Operand> {
        self.in_words(call, sign, |cx, x, y| {
            let product = cx.bin(BinaryOp::Mul, x, y);
            cx.bin_int(BinaryOp::Lshr, product, 16)
        })
    }

    /// `pmaddwd`: products of 32 bits, added in pairs.
    pub(super) fn sse_multiply_add(&mut self, call: &Call) -> Checked<Operand> {
        let (a, b) = self.two_registers(call)?;
        let value = self.lanes_from(Type::V4I32, |cx, lane| {
            let [low, high] = [2 * lane, 2 * lane + 1].map(|lane| {
                let (x, y) = (cx.word(a, lane, Sign::Signed), cx.word(b, lane, Sign::Signed));
                cx.bin(BinaryOp::Mul, x, y)
            });
            cx.bin(BinaryOp::Add, low, high)
        });
        self.of_register(call, value)
    }

    /// `psadbw`: for each half, the sum of the distances between bytes.
    pub(super) fn sse_distance(&mut self, call: &Call) -> Checked<Operand> {
        let (a, b) = self.two_registers(call)?;
        let value = self.lanes_from(Type::V2I64, |cx, half| {
            let mut sum = cx.i32(0);
            for lane in 8 * half..8 * half + 8 {
                let (x, y) = (cx.word(a, lane, Sign::Unsigned), cx.word(b, lane, Sign::Unsigned));
                let (up, down) = (cx.bin(BinaryOp::Sub, x, y), cx.bin(BinaryOp::Sub, y, x));
                let is_above = cx.icmp(IntCond::Ugt, x, y);
                let distance = cx.choose(is_above, up, down);
                sum = cx.bin(BinaryOp::Add, sum, distance);
            }
            cx.cast(CastOp::Zext, sum, Type::I64)
        });
        self.of_register(call, value)
    }

    /// `packss`, `packus`: the lanes of both operands in half the bits, at the nearest number that fits; `sign` is that of
    /// the result.
    pub(super) fn sse_pack(&mut self, call: &Call, sign: Sign) -> Checked<Operand> {
        let (a, b) = self.two_registers(call)?;
        let ty = match self.ty_of(a) {
            Type::V4I32 => Type::V8I16,
            Type::V8I16 => Type::V16I8,
            _ => return fail(self.type_class(call.args[0].ty, "words or doublewords")),
        };
        let bits = ty.element().bits();
        let (least, most) = match sign {
            Sign::Signed => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
            Sign::Unsigned => (0, (1 << bits) - 1),
        };
        let each = ty.lanes() / 2;
        let value = self.lanes_from(ty, |cx, lane| {
            let (source, lane) = if lane < each { (a, lane) } else { (b, lane - each) };
            let mut value = cx.word(source, lane, Sign::Signed);
            for (cond, limit) in [(IntCond::Slt, least), (IntCond::Sgt, most)] {
                let is_outside = cx.icmp_int(cond, value, limit);
                let limit = cx.i32(limit);
                value = cx.choose(is_outside, limit, value);
            }
            cx.cast(CastOp::Trunc, value, ty.element())
        });
        self.of_register(call, value)
    }

    // ---- memory

    /// `sfence`, `lfence`, `mfence`: all as the last one.
    pub(super) fn sse_fence(&mut self) -> Checked<()> {
        let order = self.i32(SEQUENTIALLY_CONSISTENT);
        self.intrinsic_void(Intrinsic::AtomicFence, Type::Void, &[order])
    }

    /// `maskmovdqu`: stores the bytes whose mask has its sign.
    pub(super) fn sse_masked_store(&mut self, call: &Call) -> Checked<()> {
        let (data, mask) = self.two_registers(call)?;
        let address = self.address_arg(call.args[2])?;
        for lane in 0..self.ty_of(data).lanes() {
            let sign = self.lane(mask, lane);
            let zero = self.int(Type::I8, 0);
            let is_stored = self.icmp(IntCond::Slt, sign, zero);
            let (taken, after) = (self.b.create_block(), self.b.create_block());
            self.b.cond_br(is_stored, taken, after);
            self.continue_in(taken);
            let (value, address) = (self.lane(data, lane), self.offset(address, lane.into()));
            self.b.store(address, value, 0);
            self.b.br(after);
            self.continue_in(after);
        }
        Ok(())
    }
}
