//! Bits and bytes of native vectors of integers, counted and swapped in all lanes at once, where lanes are shuffled; other vectors
//! go lane by lane.

use ice_ir::{BinaryOp, Type, Value};

use super::Call;
use crate::llvm::legalize::body::integer::BitOp;
use crate::llvm::legalize::body::values::Operand;
use crate::llvm::legalize::body::{Body, Checked};
use crate::llvm::legalize::shape::{Kind, Scalar, VectorShape};

impl Body<'_, '_> {
    /// A bit operation on a vector; `None` if it is done lane by lane.
    pub(super) fn native_bits(&mut self, call: &Call, op: BitOp) -> Checked<Option<Operand>> {
        let [a, ..] = call.args;
        let Kind::Vector(VectorShape { native: Some(native), lane, .. }) = self.kind(a.ty) else {
            return Ok(None);
        };
        let bits = native.element().bits();
        let is_worth_it = match op {
            BitOp::Ctpop | BitOp::Bswap => true,
            // Single quadwords are counted in registers of integers.
            BitOp::Ctlz | BitOp::Cttz => bits < 64,
            BitOp::Bitreverse => false,
        };
        let is_whole = native.is_int_or_int_vector() && bits >= 8 && lane == Scalar::Int(bits);
        if !is_whole || !is_worth_it || a.ty != call.ret || !self.m.legal.machine().shuffles_lanes {
            return Ok(None);
        }
        let parts = self.run(a);
        if let Some(run) = self.vector_instruction(call.row.name, [parts])? {
            return Ok(Some(self.operand(call.ret, run)));
        }
        let out = match op {
            BitOp::Bswap => self.by_doubles(parts.len, [parts], |cx, [part]| cx.bytes_swapped(part))?,
            _ => self.by_wholes([parts], |cx, [part]| cx.counted(op, part))?,
        };
        Ok(Some(self.operand(call.ret, out)))
    }

    /// The number of ones of each lane, or of the zeros in front of the first or behind the last one.
    fn counted(&mut self, op: BitOp, part: Value) -> Checked<Value> {
        let counted = match op {
            BitOp::Cttz => {
                let below = self.bin_int(BinaryOp::Sub, part, 1);
                let others = self.bin_int(BinaryOp::Xor, part, -1);
                self.bin(BinaryOp::And, below, others)
            }
            BitOp::Ctlz => {
                let bits = self.ty_of(part).element().bits();
                let smeared = [1, 2, 4, 8, 16].into_iter().filter(|&by| by < bits).fold(part, |all, by| {
                    let moved = self.bin_int(BinaryOp::Lshr, all, by.into());
                    self.bin(BinaryOp::Or, all, moved)
                });
                self.bin_int(BinaryOp::Xor, smeared, -1)
            }
            _ => part,
        };
        self.ones(counted)
    }

    /// The bytes of each lane in the opposite order.
    fn bytes_swapped(&mut self, vector: Value) -> Checked<Value> {
        let ty = self.ty_of(vector);
        let size = 16 / ty.lanes();
        let bytes = self.bits_as(vector, Type::V16I8);
        let places = core::array::from_fn(|n| {
            let n = n as u32;
            Some((bytes, n / size * size + (size - 1 - n % size)))
        });
        let swapped = self.with_places(Type::V16I8, &places)?;
        Ok(self.bits_as(swapped, ty))
    }

    /// How many bits each lane has: those of pairs, fours and whole bytes are added, and then the bytes (Warren, "Hacker's
    /// Delight", 5-1).
    fn ones(&mut self, vector: Value) -> Checked<Value> {
        let ty = self.ty_of(vector);
        let with_lanes = |native: Type| if ty.is_wide() { native.double() } else { None }.unwrap_or(native);
        let bytes = match self.m.legal.machine().byte_bits {
            Some([template, constraints]) if self.m.legal.machine().has_assembler => {
                let bytes = self.bits_as(vector, Type::V16I8);
                self.instruction_value(template.into(), constraints, &[bytes], Type::V16I8)?
            }
            // Words are shifted where bytes are not, and nothing crosses the border between two.
            _ => {
                let words = self.bits_as(vector, with_lanes(Type::V8I16));
                let upper = self.shifted_field(words, 1, 0x5555);
                let pairs = self.bin(BinaryOp::Sub, words, upper);
                let (upper, lower) =
                    (self.shifted_field(pairs, 2, 0x3333), self.shifted_field(pairs, 0, 0x3333));
                let fours = self.bin(BinaryOp::Add, lower, upper);
                let upper = self.bin_int(BinaryOp::Lshr, fours, 4);
                let both = self.bin(BinaryOp::Add, fours, upper);
                self.bin_int(BinaryOp::And, both, 0x0f0f)
            }
        };
        let mut sum = self.bits_as(bytes, ty);
        let bits = ty.element().bits();
        for by in [32, 16, 8].into_iter().filter(|&by| by < bits) {
            let upper = self.bin_int(BinaryOp::Lshr, sum, by.into());
            sum = self.bin(BinaryOp::Add, sum, upper);
        }
        Ok(if bits > 8 { self.bin_int(BinaryOp::And, sum, 0x7f) } else { sum })
    }

    fn shifted_field(&mut self, vector: Value, by: i64, mask: i64) -> Value {
        let moved = if by == 0 { vector } else { self.bin_int(BinaryOp::Lshr, vector, by) };
        self.bin_int(BinaryOp::And, moved, mask)
    }
}
