//! Lanes in memory: gathers, accesses under a mask whose lanes have signs, and the state of floating-point operations.

use ice_ir::{BinaryOp, IntCond, Type, Value};

use super::super::Call;
use crate::llvm::legalize::body::memory::Access;
use crate::llvm::legalize::body::values::{Operand, Run};
use crate::llvm::legalize::body::{Body, Checked, fail, unsupported};

impl Body<'_, '_> {
    /// Whether each lane of a mask has its sign, as conditions.
    fn signs_of_lanes(&mut self, mask: Operand) -> Checked<Run> {
        let lanes = self.lanes_of(mask)?;
        let out = self.reserve(lanes.len);
        for lane in 0..lanes.len {
            let value = self.get(lanes, lane);
            let bits = self.float_bits(value);
            let is_set = self.icmp_int(IntCond::Slt, bits, 0);
            self.set(out, lane, is_set);
        }
        Ok(out)
    }

    /// `ldu`, `lddqu`: a load.
    pub(super) fn x86_load(&mut self, call: &Call) -> Checked<Operand> {
        let address = self.address_arg(call.args[0])?;
        self.load_value(call.ret, address, 0, Access::Plain)
    }

    /// `maskload`: lanes that follow each other, zeros where the mask is not set.
    pub(super) fn x86_mask_load(&mut self, call: &Call) -> Checked<Operand> {
        let address = self.address_arg(call.args[0])?;
        let conds = self.signs_of_lanes(call.args[1])?;
        let zeros = self.zeros(call)?;
        self.load_lanes_if(call.ret, conds, zeros, |cx, lane, size| {
            Ok(cx.offset(address, i64::from(lane) * size as i64))
        })
    }

    /// `maskstore`.
    pub(super) fn x86_mask_store(&mut self, call: &Call) -> Checked<()> {
        let address = self.address_arg(call.args[0])?;
        let conds = self.signs_of_lanes(call.args[1])?;
        self.store_lanes_if(call.args[2], conds, |cx, lane, size| {
            Ok(cx.offset(address, i64::from(lane) * size as i64))
        })
    }

    /// Lanes of zeros of the type of the result.
    fn zeros(&mut self, call: &Call) -> Checked<Run> {
        let vector = self.vector_shape(call.ret)?;
        let zero = match vector.lane.part() {
            part if part.is_scalar_float() => self.float(part, 0.0),
            part => self.int(part, 0),
        };
        let out = self.reserve(vector.lanes * vector.lane.parts());
        (0..out.len).for_each(|i| self.set(out, i, zero));
        Ok(out)
    }

    /// `gather`: lanes at a base with scaled numbers. Lanes behind the last number are zero.
    pub(super) fn x86_gather(&mut self, call: &Call) -> Checked<Operand> {
        let [other, base, numbers, mask, scale, ..] = call.args;
        let base = self.address_arg(base)?;
        let Some(scale) = self.constant_number(scale) else {
            return unsupported("a gather with a scale that is no constant");
        };
        if other.ty != call.ret {
            return fail(self.type_class(other.ty, "the type of the vector that is loaded"));
        }
        let (numbers, others) = (self.lanes_of(numbers)?, self.lanes_of(other)?);
        let conds = self.signs_of_lanes(mask)?;
        let zeros = self.zeros(call)?;
        if others.len != zeros.len || conds.len != zeros.len {
            return fail(self.type_class(mask.ty, "a vector of as many lanes"));
        }
        for lane in numbers.len..conds.len {
            let zero = self.get(zeros, lane);
            self.set(others, lane, zero);
            let never = self.int(Type::I1, 0);
            self.set(conds, lane, never);
        }
        let pointer = self.pointer();
        self.load_lanes_if(call.ret, conds, others, |cx, lane, _| {
            let number = match lane < numbers.len {
                true => cx.get(numbers, lane),
                false => return Ok(base),
            };
            let number = cx.resize_sign(number, pointer);
            let offset = cx.bin_int(BinaryOp::Mul, number, scale & 0xff);
            Ok(cx.bin(BinaryOp::Add, base, offset))
        })
    }

    /// What reads or writes memory at an address that is its one operand.
    pub(super) fn x86_at_address(&mut self, call: &Call, template: &str, constraints: &str) -> Checked<()> {
        let address: Value = self.address_arg(call.args[0])?;
        self.instruction_effect(template, constraints, &[address])
    }
}
