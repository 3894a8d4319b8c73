//! Intrinsics on vectors: reductions, and accesses under a mask.

use ice_ir::{BinaryOp, FloatCond, IntCond, Value};

use super::Call;
use crate::llvm::legalize::body::arithmetic::Cond;
use crate::llvm::legalize::body::float::{Nans, Zeros};
use crate::llvm::legalize::body::integer::BitOp;
use crate::llvm::legalize::body::memory::Access;
use crate::llvm::legalize::body::values::{Operand, Run};
use crate::llvm::legalize::body::{Body, Checked, fail, unsupported};
use crate::llvm::legalize::legal::int_type;
use crate::llvm::legalize::shape::{Scalar, VectorShape};
use crate::llvm::wire::types::{LlvmType, TypeId};

impl Body<'_, '_> {
    // ---- reductions

    /// All lanes by one operation.
    pub(super) fn reduce_numbers(&mut self, call: &Call, op: BinaryOp) -> Checked<Operand> {
        let [a, ..] = call.args;
        let lane = self.vector_shape(a.ty)?.lane;
        if let Some(value) = self.reduced_by_halves(call.row.name, a, |cx, x, y| cx.bin(op, x, y))? {
            return self.one_of(call.ret, value);
        }
        let run = self.reduce(a, |cx, x, y| cx.scalar_binary(op, lane, x, y))?;
        self.operand_of(call.ret, run)
    }

    /// The extreme of integer lanes.
    pub(super) fn reduce_extreme(&mut self, call: &Call, cond: IntCond) -> Checked<Operand> {
        let [a, ..] = call.args;
        let lane = self.vector_shape(a.ty)?.lane;
        if let Some(value) = self.reduced_by_halves(call.row.name, a, |cx, x, y| cx.extreme(cond, x, y))? {
            return self.one_of(call.ret, value);
        }
        let run = self.reduce(a, |cx, x, y| cx.pick(cond, lane, x, y))?;
        self.operand_of(call.ret, run)
    }

    /// All lanes from a start value on, in order.
    pub(super) fn reduce_in_order(&mut self, call: &Call, op: BinaryOp) -> Checked<Operand> {
        let [a, vector, ..] = call.args;
        let lane = self.vector_shape(vector.ty)?.lane;
        let start = self.run(a);
        let parts = self.run(vector);
        let shape = self.vector_shape(vector.ty)?;
        let lanes = self.split_lanes(shape, parts);
        let mut sum = start;
        for i in 0..shape.lanes {
            sum = self.scalar_binary(op, lane, sum, lanes.part(i, 1))?;
        }
        self.operand_of(call.ret, sum)
    }

    /// The extreme of floating-point lanes.
    pub(super) fn reduce_float_extreme(
        &mut self,
        call: &Call,
        cond: FloatCond,
        nans: Nans,
        zeros: Zeros,
    ) -> Checked<Operand> {
        let [a, ..] = call.args;
        let lane = self.vector_shape(a.ty)?.lane;
        let run = self.reduce(a, |cx, x, y| {
            let x = cx.float_extend(lane, cx.get(x, 0));
            let y = cx.float_extend(lane, cx.get(y, 0));
            let value = cx.float_extreme(cond, nans, zeros, x, y);
            let value = cx.float_round(lane, value);
            Ok(cx.push(value))
        })?;
        self.operand_of(call.ret, run)
    }

    /// `experimental.cttz.elts`: how many lanes are zero before the first that is not.
    pub(super) fn zero_lanes(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = call.args;
        let shape = self.vector_shape(a.ty)?;
        let limbs = match shape.lane {
            Scalar::Int(1) => self.split_limbs(a)?,
            Scalar::Int(_) => {
                let lanes = self.lanes_of(a)?;
                let (each, zero) = (shape.lane.parts(), self.scalar_int(shape.lane, 0)?);
                let booleans = self.reserve(shape.lanes);
                for i in 0..shape.lanes {
                    let lane = lanes.part(i * each, each);
                    let boolean = self.scalar_compare(Cond::Int(IntCond::Ne), shape.lane, lane, zero)?;
                    self.set(booleans, i, boolean);
                }
                self.pack(Scalar::Int(1), shape.lanes, booleans)
            }
            _ => return fail(self.type_class(a.ty, "a vector of integers")),
        };
        let count = match shape.lanes {
            lanes @ ..=64 => {
                let bits = self.resize_zero(self.get(limbs, 0), int_type(lanes));
                self.int_bits(BitOp::Cttz, lanes, bits)?
            }
            lanes => {
                let count = self.wide_bits(BitOp::Cttz, lanes, limbs)?;
                self.get(count, 0)
            }
        };
        let count = self.resize_zero(count, int_type(self.int_bits_of(call.ret)?));
        self.one_of(call.ret, count)
    }

    // ---- accesses under a mask

    /// `masked.load`: lanes that follow each other. The alignment is an argument up to LLVM 21.
    pub(super) fn masked_load(&mut self, call: &Call) -> Checked<Operand> {
        let address = self.address_arg(call.args[0])?;
        self.load_lanes(call, |cx, lane, size| Ok(cx.offset(address, i64::from(lane) * size as i64)))
    }

    /// `masked.gather`: every lane has an address.
    pub(super) fn gather(&mut self, call: &Call) -> Checked<Operand> {
        let lanes = self.lanes_of(call.args[0])?;
        self.load_lanes(call, |cx, lane, _| Ok(cx.get(lanes, lane)))
    }

    /// `masked.store`.
    pub(super) fn masked_store(&mut self, call: &Call) -> Checked<()> {
        let address = self.address_arg(call.args[1])?;
        self.store_lanes(call, |cx, lane, size| Ok(cx.offset(address, i64::from(lane) * size as i64)))
    }

    /// `masked.scatter`.
    pub(super) fn scatter(&mut self, call: &Call) -> Checked<()> {
        let lanes = self.lanes_of(call.args[1])?;
        self.store_lanes(call, |cx, lane, _| Ok(cx.get(lanes, lane)))
    }

    /// Loads the lanes whose mask is set; the others are those of the last argument.
    fn load_lanes(
        &mut self,
        call: &Call,
        place: impl FnMut(&mut Self, u32, u64) -> Checked<Value>,
    ) -> Checked<Operand> {
        let (ty, mask, other) = (call.ret, call.args[call.count - 2], call.args[call.count - 1]);
        self.check_masked(ty, mask)?;
        if other.ty != ty {
            return fail(self.type_class(other.ty, "the type of the vector that is loaded"));
        }
        let (conds, others) = (self.lanes_of(mask)?, self.lanes_of(other)?);
        self.load_lanes_if(ty, conds, others, place)
    }

    /// Loads the lanes of a vector of type `ty` whose conditions hold; the others are those of `others`.
    pub(super) fn load_lanes_if(
        &mut self,
        ty: TypeId,
        conds: Run,
        others: Run,
        mut place: impl FnMut(&mut Self, u32, u64) -> Checked<Value>,
    ) -> Checked<Operand> {
        let shape = self.conditional_shape(ty, conds)?;
        let (lane_ty, size) = self.masked_lane(ty)?;
        let each = shape.lane.parts();
        let out = self.reserve(others.len);
        for lane in 0..shape.lanes {
            let cond = self.get(conds, lane);
            let address = place(self, lane, size)?;
            let other = others.part(lane * each, each);
            let value = match self.b.func.int_value(cond) {
                Some(0) => other,
                Some(_) => {
                    let value = self.load_value(lane_ty, address, 0, Access::Plain)?;
                    self.run(value)
                }
                None => {
                    let before = self.ice_block();
                    let (taken, after) = (self.b.create_block(), self.b.create_block());
                    self.b.cond_br(cond, taken, after);
                    self.continue_in(taken);
                    let value = self.load_value(lane_ty, address, 0, Access::Plain)?;
                    let value = self.run(value);
                    self.b.br(after);
                    self.continue_in(after);
                    let merged = self.reserve(each);
                    for part in 0..each {
                        let (x, y) = (self.get(value, part), self.get(other, part));
                        let part_ty = self.ty_of(x);
                        let phi = self.b.phi(part_ty, &[(x, taken), (y, before)]);
                        self.set(merged, part, phi);
                    }
                    merged
                }
            };
            self.copy(out, lane * each, value);
        }
        let run = self.join_lanes(shape, out);
        Ok(self.operand(ty, run))
    }

    /// Stores the lanes whose mask is set.
    fn store_lanes(
        &mut self,
        call: &Call,
        place: impl FnMut(&mut Self, u32, u64) -> Checked<Value>,
    ) -> Checked<()> {
        let (value, mask) = (call.args[0], call.args[call.count - 1]);
        self.check_masked(value.ty, mask)?;
        let conds = self.lanes_of(mask)?;
        self.store_lanes_if(value, conds, place)
    }

    /// Stores the lanes of a vector whose conditions hold.
    pub(super) fn store_lanes_if(
        &mut self,
        value: Operand,
        conds: Run,
        mut place: impl FnMut(&mut Self, u32, u64) -> Checked<Value>,
    ) -> Checked<()> {
        let shape = self.conditional_shape(value.ty, conds)?;
        let (lane_ty, size) = self.masked_lane(value.ty)?;
        let lanes = self.lanes_of(value)?;
        let each = shape.lane.parts();
        for lane in 0..shape.lanes {
            let cond = self.get(conds, lane);
            let address = place(self, lane, size)?;
            let value = self.operand(lane_ty, lanes.part(lane * each, each));
            match self.b.func.int_value(cond) {
                Some(0) => {}
                Some(_) => self.store_value(value, address, 0)?,
                None => {
                    let (taken, after) = (self.b.create_block(), self.b.create_block());
                    self.b.cond_br(cond, taken, after);
                    self.continue_in(taken);
                    self.store_value(value, address, 0)?;
                    self.b.br(after);
                    self.continue_in(after);
                }
            }
        }
        Ok(())
    }

    /// The shape of a vector with a condition for each lane.
    fn conditional_shape(&self, ty: TypeId, conds: Run) -> Checked<VectorShape> {
        let shape = self.vector_shape(ty)?;
        match shape.lanes == conds.len {
            true => Ok(shape),
            false => fail(self.type_class(ty, "a vector of as many lanes as the mask")),
        }
    }

    /// Refuses a mask of a vector that is none.
    fn check_masked(&self, ty: TypeId, mask: Operand) -> Checked<()> {
        let (shape, mask) = (self.vector_shape(ty)?, self.vector_shape(mask.ty)?);
        match mask.lane == Scalar::Int(1) && mask.lanes == shape.lanes {
            true => Ok(()),
            false => fail(self.type_class(ty, "a vector of as many lanes as the mask")),
        }
    }

    /// The type of a lane and its size in memory, in whole bytes.
    fn masked_lane(&self, ty: TypeId) -> Checked<(TypeId, u64)> {
        let LlvmType::Vector { element, .. } = self.m.types.get(ty) else {
            return fail(self.type_class(ty, "a vector"));
        };
        let bits = self.m.layouts.bits(element)?;
        match bits.is_multiple_of(8) {
            true => Ok((element, bits / 8)),
            false => unsupported("a masked access to lanes that are no whole bytes"),
        }
    }
}
