//! Division of all lanes of native vectors by one constant: a product, of which the upper half counts, and shifts, as for
//! [scalars](ice_ir::magic). Other divisions go lane by lane.

use ice_ir::magic::{self, Part, SignedMagic, Signedness, UnsignedMagic, parts};
use ice_ir::{BinaryOp, Type, Value};

use super::lane_width::Above;
use super::values::Run;
use super::widened::Combined;
use super::{Body, Checked};
use crate::llvm::legalize::shape::{Scalar, VectorShape};

impl Body<'_, '_> {
    /// A division of two vectors; `None` if it is done lane by lane.
    pub(super) fn vector_division(
        &mut self,
        op: BinaryOp,
        vector: VectorShape,
        a: Run,
        b: Run,
    ) -> Checked<Option<Run>> {
        let native = match vector.native {
            Some(native @ (Type::V16I8 | Type::V8I16 | Type::V4I32)) => native,
            _ => return Ok(None),
        };
        let bits = native.element().bits();
        let Some(divisor) = self.uniform_number(b, bits) else { return Ok(None) };
        if vector.lane != Scalar::Int(bits) || !self.m.legal.machine().shuffles_lanes {
            return Ok(None);
        }
        let (sign, _) = parts(op);
        // Bytes have no products of their own.
        let (own, above) = match sign {
            Signedness::Signed => (divisor << (64 - bits) >> (64 - bits), Above::Sign),
            Signedness::Unsigned => (divisor & ((1 << bits) - 1), Above::Zeros),
        };
        let (wide, parts) = match native {
            Type::V16I8 => (Type::V8I16, self.numbers_as(a, vector.lanes, Type::V8I16, above)?),
            _ => (native, a),
        };
        let Some(divide) = Division::by(wide.element().bits(), sign, own) else { return Ok(None) };
        let out = self.by_wholes([parts], |cx, [dividend]| cx.divided(op, dividend, own, divide))?;
        Ok(Some(if wide == native { out } else { self.numbers_as(out, vector.lanes, native, Above::Zeros)? }))
    }

    fn divided(&mut self, op: BinaryOp, dividend: Value, divisor: i64, by: Division) -> Checked<Value> {
        let last = i64::from(self.ty_of(dividend).element().bits()) - 1;
        let quotient = match by {
            Division::Shift(amount) => self.bin_int(BinaryOp::Lshr, dividend, amount),
            Division::SignedShift(amount) => {
                // What is negative is rounded up.
                let signs = self.bin_int(BinaryOp::Ashr, dividend, last);
                let most = self.bin_int(BinaryOp::Lshr, signs, last + 1 - amount);
                let sum = self.bin(BinaryOp::Add, dividend, most);
                let quotient = self.bin_int(BinaryOp::Ashr, sum, amount);
                self.negated_if(divisor < 0, quotient)
            }
            Division::Unsigned(UnsignedMagic { multiplier, shift, add, before }) => {
                let reduced = self.shifted_down(BinaryOp::Lshr, dividend, before);
                let high = self.upper_product(Signedness::Unsigned, reduced, multiplier as i64)?;
                if add {
                    // The sum has a bit more: half of the difference is added instead.
                    let rest = self.bin(BinaryOp::Sub, reduced, high);
                    let half = self.bin_int(BinaryOp::Lshr, rest, 1);
                    let sum = self.bin(BinaryOp::Add, half, high);
                    self.shifted_down(BinaryOp::Lshr, sum, shift - 1)
                } else {
                    self.shifted_down(BinaryOp::Lshr, high, shift)
                }
            }
            Division::Signed(SignedMagic { multiplier, shift }) => {
                let high = self.upper_product(Signedness::Signed, dividend, multiplier)?;
                let sum = match (divisor > 0, multiplier > 0) {
                    (true, false) => self.bin(BinaryOp::Add, high, dividend),
                    (false, true) => self.bin(BinaryOp::Sub, high, dividend),
                    _ => high,
                };
                let rounded_down = self.shifted_down(BinaryOp::Ashr, sum, shift);
                let sign = self.bin_int(BinaryOp::Lshr, rounded_down, last);
                self.bin(BinaryOp::Add, rounded_down, sign)
            }
        };
        Ok(match parts(op) {
            (_, Part::Quotient) => quotient,
            (_, Part::Remainder) => {
                let whole = match by {
                    Division::Shift(amount) | Division::SignedShift(amount) => {
                        let whole = self.bin_int(BinaryOp::Shl, quotient, amount);
                        self.negated_if(divisor < 0, whole)
                    }
                    _ => self.bin_int(BinaryOp::Mul, quotient, divisor),
                };
                self.bin(BinaryOp::Sub, dividend, whole)
            }
        })
    }

    fn shifted_down(&mut self, op: BinaryOp, vector: Value, amount: u32) -> Value {
        if amount == 0 { vector } else { self.bin_int(op, vector, amount.into()) }
    }

    fn negated_if(&mut self, is_negated: bool, vector: Value) -> Value {
        if !is_negated {
            return vector;
        }
        let zero = self.b.func.make_zero(self.ty_of(vector));
        self.bin(BinaryOp::Sub, zero, vector)
    }

    /// The upper halves of the products of lanes of 16 or 32 bits by one number.
    fn upper_product(&mut self, sign: Signedness, vector: Value, number: i64) -> Checked<Value> {
        let ty = self.ty_of(vector);
        let bits = ty.element().bits();
        let machine = self.m.legal.machine();
        let above = if sign == Signedness::Signed { Above::Sign } else { Above::Zeros };
        if let Some([template, constraints]) = self.upper_product_text(bits, above) {
            let factor = self.splat(ty, number);
            return self.instruction_value(template.into(), constraints, &[vector, factor], ty);
        }
        if let Some(high) = self.upper_by_long(above, vector, number)? {
            return Ok(high);
        }
        let unsigned = number & ((1 << bits) - 1);
        let mut high = match ty {
            Type::V8I32 => self.upper_by_turns(vector, unsigned),
            Type::V4I32 if !machine.has_two_lanes => self.upper_of_halves(vector, unsigned),
            _ => self.upper_of_extended(vector, unsigned)?,
        };
        if sign == Signedness::Signed {
            // As natural numbers negative factors have a power of two more, and the products the other factor in their upper halves.
            let signs = self.bin_int(BinaryOp::Ashr, vector, i64::from(bits) - 1);
            let more = self.bin_int(BinaryOp::And, signs, number);
            high = self.bin(BinaryOp::Sub, high, more);
            if number < 0 {
                high = self.bin(BinaryOp::Sub, high, vector);
            }
        }
        Ok(high)
    }

    /// Template and constraints of the instruction for upper halves of products of lanes of so many bits, where there is one.
    pub(super) fn upper_product_text(&self, bits: u32, above: Above) -> Option<[&'static str; 2]> {
        let machine = self.m.legal.machine();
        let texts = machine.upper_products.filter(|_| bits == 16 && machine.has_assembler)?;
        Some(texts[usize::from(above == Above::Sign)])
    }

    /// The same by instructions that extend, where there are such.
    fn upper_by_long(&mut self, above: Above, vector: Value, number: i64) -> Checked<Option<Value>> {
        let native = self.ty_of(vector);
        let lane = Scalar::Int(native.element().bits());
        let from = VectorShape { lane, lanes: native.lanes(), native: Some(native) };
        let factor = self.splat(native, number);
        let args = [vector, factor].map(|value| self.push(value));
        let factors = Combined { op: BinaryOp::Mul, args, from, above, rounds: false };
        Ok(self.upper_of_long(factors)?.map(|upper| self.get(upper, 0)))
    }

    /// The upper halves of the products of natural numbers, which are extended before.
    fn upper_of_extended(&mut self, vector: Value, number: i64) -> Checked<Value> {
        let ty = self.ty_of(vector);
        let (lanes, wide) = if ty == Type::V8I16 { (8, Type::V4I32) } else { (4, Type::V2I64) };
        let lane = self.push(vector);
        let numbers = self.numbers_as(lane, lanes, wide, Above::Zeros)?;
        let products = [0, 1].map(|n| {
            let extended = self.get(numbers, n);
            let product = self.bin_int(BinaryOp::Mul, extended, number);
            self.bits_as(product, ty)
        });
        self.odd_lanes(products, ty)
    }

    /// Every second lane of two vectors, from the second one on.
    pub(super) fn odd_lanes(&mut self, vectors: [Value; 2], ty: Type) -> Checked<Value> {
        let lanes = ty.lanes();
        let places = core::array::from_fn(|n| {
            let n = n as u32;
            (n < lanes).then(|| (vectors[(2 * n / lanes) as usize], 2 * n % lanes + 1))
        });
        self.with_places(ty, &places)
    }

    /// The same of doublewords, from the products of their halves, where there are no lanes of 64 bits (Warren, "Hacker's Delight",
    /// 8-2).
    fn upper_of_halves(&mut self, vector: Value, number: i64) -> Value {
        let (low_number, high_number) = (number & 0xffff, number >> 16);
        let low = self.bin_int(BinaryOp::And, vector, 0xffff);
        let high = self.bin_int(BinaryOp::Lshr, vector, 16);
        let lowest = self.bin_int(BinaryOp::Mul, low, low_number);
        let above = self.bin_int(BinaryOp::Lshr, lowest, 16);
        let product = self.bin_int(BinaryOp::Mul, high, low_number);
        let first = self.bin(BinaryOp::Add, product, above);
        let below = self.bin_int(BinaryOp::And, first, 0xffff);
        let product = self.bin_int(BinaryOp::Mul, low, high_number);
        let second = self.bin(BinaryOp::Add, product, below);
        let highest = self.bin_int(BinaryOp::Mul, high, high_number);
        let carries = [first, second].map(|sum| self.bin_int(BinaryOp::Lshr, sum, 16));
        let sum = self.bin(BinaryOp::Add, highest, carries[0]);
        self.bin(BinaryOp::Add, sum, carries[1])
    }

    /// The same of eight doublewords, as the lower and upper halves of four quadwords.
    fn upper_by_turns(&mut self, vector: Value, number: i64) -> Value {
        let quadwords = self.bits_as(vector, Type::V4I64);
        let low = self.bin_int(BinaryOp::And, quadwords, 0xffff_ffff);
        let high = self.bin_int(BinaryOp::Lshr, quadwords, 32);
        let [low, high] = [low, high].map(|lane| self.bin_int(BinaryOp::Mul, lane, number));
        let low = self.bin_int(BinaryOp::Lshr, low, 32);
        let high = self.bin_int(BinaryOp::And, high, !0xffff_ffff);
        let both = self.bin(BinaryOp::Or, low, high);
        self.bits_as(both, Type::V8I32)
    }
}

/// How a vector is divided.
#[derive(Clone, Copy)]
enum Division {
    /// By a power of two.
    Shift(i64),
    /// By a power of two, or by such a negative one.
    SignedShift(i64),
    Unsigned(UnsignedMagic),
    Signed(SignedMagic),
}

impl Division {
    /// The way for numbers of `bits` bits.
    fn by(bits: u32, sign: Signedness, divisor: i64) -> Option<Division> {
        let magnitude = divisor.unsigned_abs();
        let power =
            (magnitude.is_power_of_two() && magnitude > 1).then(|| i64::from(magnitude.trailing_zeros()));
        match (sign, power) {
            (Signedness::Unsigned, Some(power)) => Some(Division::Shift(power)),
            (Signedness::Signed, Some(power)) => Some(Division::SignedShift(power)),
            (Signedness::Unsigned, None) => magic::unsigned(bits, magnitude).map(Division::Unsigned),
            (Signedness::Signed, None) => magic::signed(bits, divisor).map(Division::Signed),
        }
    }
}
