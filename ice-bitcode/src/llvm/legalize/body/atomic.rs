//! Atomic accesses (LLVM bitcode specification, section 11.7).
//!
//! Scalars of 8 to 64 bits are accessed as integers by the atomic intrinsics of the IR; 128 bits by the functions of
//! libatomic. A read-modify-write that the IR does not have is a loop around a compare-and-exchange, which splits
//! the block.

use ice_ir::{AtomicOp, BinaryOp, FloatCond, IntCond, Intrinsic, Type, Value};

use super::float::{Nans, Zeros};
use super::integer::Sign;
use super::values::Operand;
use super::{Body, Checked, fail, unsupported};
use crate::error::Error;
use crate::llvm::legalize::legal::int_type;
use crate::llvm::legalize::shape::{Kind, Scalar};
use crate::llvm::wire::types::{LlvmType, TypeId};

/// Operations of ATOMICRMW that are a loop, from code 4 on.
mod rmw {
    pub const NAND: u64 = 4;
    pub const MAX: u64 = 7;
    pub const MIN: u64 = 8;
    pub const UMAX: u64 = 9;
    pub const UMIN: u64 = 10;
    pub const FADD: u64 = 11;
    pub const FSUB: u64 = 12;
    pub const FMAX: u64 = 13;
    pub const FMIN: u64 = 14;
    pub const UINC_WRAP: u64 = 15;
    pub const UDEC_WRAP: u64 = 16;
    pub const USUB_COND: u64 = 17;
    pub const USUB_SAT: u64 = 18;
    pub const FMAXIMUM: u64 = 19;
    pub const FMINIMUM: u64 = 20;
}

/// The IR's number of a memory order: unordered counts as relaxed.
const fn order(code: u64) -> Option<i64> {
    match code {
        1 | 2 => Some(1),
        3..=6 => Some(code as i64),
        _ => None,
    }
}

/// How wide an atomic access is.
#[derive(Clone, Copy)]
enum Access {
    /// An integer of this type.
    Int(Type),
    /// 16 bytes.
    Library,
}

impl Body<'_, '_> {
    fn order_operand(&mut self, legal: &[u64]) -> Checked<Value> {
        let code = self.op()?;
        match order(code).filter(|_| legal.contains(&code)) {
            Some(order) => Ok(self.i32(order)),
            None => fail(Error::AtomicOperands),
        }
    }

    /// The scope: of one thread or of all, which is the stronger.
    fn scope_operand(&mut self) -> Checked<()> {
        self.op().map(drop)
    }

    /// How a value of `ty` is accessed.
    fn access(&self, ty: TypeId) -> Checked<(Scalar, Access)> {
        let scalar = match self.value_shape(ty)?.kind {
            Kind::Scalar(scalar) => scalar,
            _ => return unsupported("an atomic access to a vector or an aggregate"),
        };
        match scalar.bits() {
            bits @ (8 | 16 | 32 | 64) => Ok((scalar, Access::Int(int_type(bits)))),
            128 if scalar == Scalar::Quad => unsupported("an atomic access of fp128"),
            128 => Ok((scalar, Access::Library)),
            _ => unsupported("an atomic access of another size than 1, 2, 4, 8 or 16 bytes"),
        }
    }

    /// LOADATOMIC.
    pub(super) fn load_atomic(&mut self) -> Checked<()> {
        let address = self.address_operand()?;
        let (ty, _align) = (self.type_operand()?, self.op()?);
        let _volatile = self.flag_operand("the volatile flag")?;
        let order = self.order_operand(&[1, 2, 3, 6])?;
        self.scope_operand()?;
        self.end()?;
        let (scalar, access) = self.access(ty)?;
        match access {
            Access::Int(int) => {
                let value = self.intrinsic(Intrinsic::AtomicLoad, int, &[address, order])?;
                let value = self.bits_as(value, scalar.part());
                self.define_one(ty, value)
            }
            Access::Library => {
                let run = self.library_pair("__atomic_load_16", &[address, order])?;
                self.define_run(ty, run)
            }
        }
    }

    /// STOREATOMIC.
    pub(super) fn store_atomic(&mut self) -> Checked<()> {
        let address = self.address_operand()?;
        let (value, _align) = (self.vt()?, self.op()?);
        let _volatile = self.flag_operand("the volatile flag")?;
        let order = self.order_operand(&[1, 2, 4, 6])?;
        self.scope_operand()?;
        self.end()?;
        let (_, access) = self.access(value.ty)?;
        match access {
            Access::Int(int) => {
                let bits = self.bits_as(self.single(value), int);
                self.intrinsic_void(Intrinsic::AtomicStore, int, &[bits, address, order])
            }
            Access::Library => {
                let parts = self.run(value);
                let args = [address, self.get(parts, 0), self.get(parts, 1), order];
                self.library("__atomic_store_16", &args, Type::Void).map(drop)
            }
        }
    }

    /// FENCE.
    pub(super) fn fence(&mut self) -> Checked<()> {
        let order = self.order_operand(&[3, 4, 5, 6])?;
        let scope = self.op()?;
        self.end()?;
        if scope == 0 {
            // Of one thread: it orders what the compiler does, and no pass moves accesses.
            return Ok(());
        }
        self.intrinsic_void(Intrinsic::AtomicFence, Type::Void, &[order])
    }

    /// CMPXCHG: the old value, and whether it was the expected one.
    pub(super) fn compare_exchange(&mut self) -> Checked<()> {
        let address = self.address_operand()?;
        let expected = self.vt()?;
        let desired = self.rel(expected.ty)?;
        let _volatile = self.flag_operand("the volatile flag")?;
        let success = self.order_operand(&[2, 3, 4, 5, 6])?;
        self.scope_operand()?;
        let failure = self.order_operand(&[2, 3, 6])?;
        let _weak = self.flag_operand("the weak flag")?;
        let _align = self.optional();
        self.end()?;
        let ty = self.pair_with_bool(expected.ty)?;
        let (scalar, access) = self.access(expected.ty)?;
        let old = match access {
            Access::Int(int) => {
                let expected = self.bits_as(self.single(expected), int);
                let desired = self.bits_as(self.single(desired), int);
                let args = [address, expected, desired, success, failure];
                let old = self.intrinsic(Intrinsic::AtomicCmpxchg, int, &args)?;
                let is_same = self.icmp(IntCond::Eq, old, expected);
                let old = self.bits_as(old, scalar.part());
                let out = self.reserve(2);
                self.set(out, 0, old);
                self.set(out, 1, is_same);
                out
            }
            Access::Library => {
                let (expected, desired) = (self.run(expected), self.run(desired));
                let place = self.slot(16, 4)?;
                self.b.store(place, self.get(expected, 0), 4);
                let high = self.offset(place, 8);
                self.b.store(high, self.get(expected, 1), 3);
                let desired = [self.get(desired, 0), self.get(desired, 1)];
                let args = [address, place, desired[0], desired[1], success, failure];
                let name = "__atomic_compare_exchange_16";
                let Some(same) = self.library(name, &args, Type::I8)? else { return unsupported(name) };
                let is_same = self.icmp_int(IntCond::Ne, same, 0);
                let out = self.reserve(3);
                let low = self.b.load(Type::I64, place, 4);
                let high = self.b.load(Type::I64, high, 3);
                self.set(out, 0, low);
                self.set(out, 1, high);
                self.set(out, 2, is_same);
                out
            }
        };
        self.define_run(ty, old)
    }

    /// The type `{ ty, i1 }`.
    fn pair_with_bool(&mut self, ty: TypeId) -> Checked<TypeId> {
        if let Some(&(_, pair)) = self.s.bool_pairs.iter().find(|&&(of, _)| of == ty) {
            return Ok(pair);
        }
        let bool_type = self.bool_type()?;
        let found = self.m.types.iter().find(|&(_, what)| match what {
            LlvmType::Struct { members, packed: false } => self.m.types.list(members) == [ty, bool_type],
            _ => false,
        });
        let Some((pair, _)) = found else {
            return fail(self.type_class(ty, "a type with a pair of it and i1"));
        };
        self.s.bool_pairs.push((ty, pair));
        Ok(pair)
    }

    /// ATOMICRMW.
    pub(super) fn atomic_rmw(&mut self) -> Checked<()> {
        let address = self.address_operand()?;
        let (value, op) = (self.vt()?, self.op()?);
        let _volatile = self.flag_operand("the volatile flag")?;
        let order = self.order_operand(&[2, 3, 4, 5, 6])?;
        self.scope_operand()?;
        let _align = self.optional();
        self.end()?;
        let (scalar, access) = self.access(value.ty)?;
        let is_float_op = matches!(op, rmw::FADD..=rmw::FMIN | rmw::FMAXIMUM | rmw::FMINIMUM);
        if is_float_op != scalar.is_float() && op != 0 {
            return fail(Error::AtomicOperands);
        }
        let direct = match op {
            0 => Some((AtomicOp::Exchange, "__atomic_exchange_16")),
            1 => Some((AtomicOp::Add, "__atomic_fetch_add_16")),
            2 => Some((AtomicOp::Sub, "__atomic_fetch_sub_16")),
            3 => Some((AtomicOp::And, "__atomic_fetch_and_16")),
            5 => Some((AtomicOp::Or, "__atomic_fetch_or_16")),
            6 => Some((AtomicOp::Xor, "__atomic_fetch_xor_16")),
            rmw::NAND..=rmw::FMINIMUM => None,
            _ => return fail(Error::AtomicOperands),
        };
        match (access, direct) {
            (Access::Int(int), Some((op, _))) => {
                let code = self.i32(op as i64 + 1);
                let bits = self.bits_as(self.single(value), int);
                let old = self.intrinsic(Intrinsic::AtomicRmw, int, &[code, address, bits, order])?;
                let old = self.bits_as(old, scalar.part());
                self.define_one(value.ty, old)
            }
            (Access::Int(int), None) => {
                let old = self.rmw_loop(op, scalar, int, address, self.single(value), order)?;
                self.define_one(value.ty, old)
            }
            (Access::Library, Some((_, name))) => {
                let parts = self.run(value);
                let args = [address, self.get(parts, 0), self.get(parts, 1), order];
                let run = self.library_pair(name, &args)?;
                self.define_run(value.ty, run)
            }
            (Access::Library, None) => unsupported("this atomic operation on 16 bytes"),
        }
    }

    /// Loads, computes, and exchanges until nobody else has changed the memory in between.
    fn rmw_loop(
        &mut self,
        op: u64,
        scalar: Scalar,
        int: Type,
        address: Value,
        value: Value,
        order: Value,
    ) -> Checked<Value> {
        let relaxed = self.i32(1);
        let start = self.intrinsic(Intrinsic::AtomicLoad, int, &[address, relaxed])?;
        let before = self.ice_block();
        let (again, done) = (self.b.create_block(), self.b.create_block());
        self.b.br(again);
        self.continue_in(again);
        let seen = self.b.phi(int, &[(start, before), (start, again)]);
        let old = self.bits_as(seen, scalar.part());
        let new = self.rmw_value(op, scalar, old, value)?;
        let new = self.bits_as(new, int);
        // Failing may be relaxed; the next round decides.
        let found = self.intrinsic(Intrinsic::AtomicCmpxchg, int, &[address, seen, new, order, relaxed])?;
        let is_same = self.icmp(IntCond::Eq, found, seen);
        self.b.cond_br(is_same, done, again);
        self.come_again(seen, found);
        self.continue_in(done);
        Ok(self.bits_as(found, scalar.part()))
    }

    fn rmw_value(&mut self, op: u64, scalar: Scalar, old: Value, value: Value) -> Checked<Value> {
        let bits = scalar.bits();
        Ok(match op {
            rmw::NAND => {
                let both = self.bin(BinaryOp::And, old, value);
                self.bin_int(BinaryOp::Xor, both, -1)
            }
            rmw::MAX => self.int_pick(IntCond::Sgt, bits, old, value),
            rmw::MIN => self.int_pick(IntCond::Slt, bits, old, value),
            rmw::UMAX => self.int_pick(IntCond::Ugt, bits, old, value),
            rmw::UMIN => self.int_pick(IntCond::Ult, bits, old, value),
            rmw::UINC_WRAP => {
                let next = self.bin_int(BinaryOp::Add, old, 1);
                let zero = self.int(scalar.part(), 0);
                let wraps = self.icmp(IntCond::Uge, old, value);
                self.choose(wraps, zero, next)
            }
            rmw::UDEC_WRAP => {
                let next = self.bin_int(BinaryOp::Sub, old, 1);
                let is_zero = self.icmp_int(IntCond::Eq, old, 0);
                let is_above = self.icmp(IntCond::Ugt, old, value);
                let wraps = self.bin(BinaryOp::Or, is_zero, is_above);
                self.choose(wraps, value, next)
            }
            rmw::USUB_COND => {
                let less = self.bin(BinaryOp::Sub, old, value);
                let fits = self.icmp(IntCond::Uge, old, value);
                self.choose(fits, less, old)
            }
            rmw::USUB_SAT => self.int_saturate(BinaryOp::Sub, Sign::Unsigned, bits, old, value),
            op => {
                let (a, b) = (self.float_extend(scalar, old), self.float_extend(scalar, value));
                let result = match op {
                    rmw::FADD => self.bin(BinaryOp::Fadd, a, b),
                    rmw::FSUB => self.bin(BinaryOp::Fsub, a, b),
                    rmw::FMAX => self.float_extreme(FloatCond::Ogt, Nans::Ignored, Zeros::Any, a, b),
                    rmw::FMIN => self.float_extreme(FloatCond::Olt, Nans::Ignored, Zeros::Any, a, b),
                    rmw::FMAXIMUM => self.float_extreme(FloatCond::Ogt, Nans::Win, Zeros::Ordered, a, b),
                    _ => self.float_extreme(FloatCond::Olt, Nans::Win, Zeros::Ordered, a, b),
                };
                self.float_round(scalar, result)
            }
        })
    }

    /// A value of one part as an operand.
    pub(super) fn one(&self, ty: TypeId, value: Value) -> Operand {
        Operand { ty, first: value.as_u32() }
    }
}
