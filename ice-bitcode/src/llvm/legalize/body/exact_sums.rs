//! Sums of a narrow integer and a number, and scales, that do not overflow, as their flags say: extended to 64 bits they are the sum
//! or scale of the extended term, which addresses take in.
//!
//! What wraps where a flag says that it does not is poison, and so is its extension, which may be anything then. Equal sums of which
//! one has no flag are one value, which is kept in mind no longer.
//!
//! A scale is a shift to the left by up to [`MAX_SCALE`]. A term may be such a sum in its turn, down to a depth that bounds what one
//! extension makes.
//!
//! Invariant: values ascend, so that one is found by halves. Cost: logarithmic in the sums of the body.

use super::Body;
use super::integer::Sign;
use alloc::vec::Vec;
use ice_ir::{BinaryOp, Type, Value};

/// Flags of sums (`OverflowingBinaryOperatorOptionalFlags`, LLVM's `LLVMBitCodes.h`).
const NO_UNSIGNED_WRAP: u64 = 1;
const NO_SIGNED_WRAP: u64 = 2;

/// The flags of a sum whose terms have no bit in common.
pub(super) const NO_WRAP: u64 = NO_UNSIGNED_WRAP | NO_SIGNED_WRAP;

/// Most sums within each other that an extension goes through.
const MAX_DEPTH: u32 = 4;

/// The most that addresses shift an index by.
const MAX_SCALE: i64 = 3;

/// A sum or scale, its terms, and its flags.
struct ExactSum {
    sum: Value,
    op: BinaryOp,
    term: Value,
    number: i64,
    flags: u64,
    /// How many sums are within it, itself among them.
    depth: u32,
}

/// Those of a body.
#[derive(Default)]
pub(super) struct ExactSums {
    known: Vec<ExactSum>,
}

impl ExactSums {
    /// Forgets all, keeps the memory.
    pub(super) fn clear(&mut self) {
        self.known.clear();
    }

    fn find(&self, sum: Value) -> Option<usize> {
        self.known.binary_search_by_key(&sum, |known| known.sum).ok()
    }
}

impl Body<'_, '_> {
    /// Notes the flags of `sum`, which `op`, an addition or a shift to the left, makes of `term` and `number`, where values from number `new` on are not older.
    #[inline(never)]
    pub(super) fn note_sum(
        &mut self,
        sum: Value,
        (op, [term, number]): (BinaryOp, [Value; 2]),
        flags: u64,
        new: usize,
    ) {
        let Some(number) = self.b.func.int_value(number) else { return };
        if self.pointer() != Type::I64 || op == BinaryOp::Shl && !(1..=MAX_SCALE).contains(&number) {
            return;
        }
        let sums = &mut self.s.exact_sums;
        let depth = 1 + sums.find(term).map_or(0, |index| sums.known[index].depth);
        match sums.find(sum) {
            Some(index) => sums.known[index].flags &= flags,
            None if flags & NO_WRAP != 0 && depth <= MAX_DEPTH && sum.as_u32() as usize >= new => {
                sums.known.push(ExactSum { sum, op, term, number, flags, depth });
            }
            None => {}
        }
    }

    /// Lets `sum`, if it is one, be what its bits are, also where it overflows.
    pub(super) fn forget_sum(&mut self, sum: Value) {
        if let Some(index) = self.s.exact_sums.find(sum) {
            self.s.exact_sums.known[index].flags = 0;
        }
    }

    /// `value`, of `bits` bits, extended to 64, if it is such a sum.
    pub(super) fn extended_sum(&mut self, bits: u32, value: Value, sign: Sign) -> Option<Value> {
        let known = &self.s.exact_sums.known[self.s.exact_sums.find(value)?];
        let (op, number) = (known.op, known.number);
        let (flag, number) = match sign {
            Sign::Signed => (NO_SIGNED_WRAP, number),
            Sign::Unsigned => (NO_UNSIGNED_WRAP, number & ((1 << bits) - 1)),
        };
        let term = (known.flags & flag != 0).then_some(known.term)?;
        let term = self.extended(bits, term, sign, Type::I64);
        let number = self.int(Type::I64, number);
        Some(self.bin(op, term, number))
    }
}
