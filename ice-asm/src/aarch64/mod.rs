//! Encoders for ARMv8.0-A in the state AArch64, as tables in the notation of the Arm Architecture Reference Manual
//! for A-profile (DDI 0487); the tables give the names of its encoding classes (C4.1).
//!
//! An [`Encoder`] is a buffer; each of its functions appends one instruction of 32 bits. Operations are plain
//! enums ([`Alu`], [`Float3`], [`Vector3`], ...) that machine instructions can carry as data. Operands come in
//! the order of the manual, destination first; the listing is text that `llvm-mc` and the GNU assembler turn into
//! the same bytes.
//!
//! The number 31 in a field is the register of zeros in some places and the stack pointer in others: here they are two
//! registers, [`Gpr::ZERO`] and [`Gpr::SP`], and one where the other is meant cannot be encoded.
//!
//! What cannot be encoded (an offset out of range, a lane that a vector lacks) is kept by the buffer as
//! [`Error::InvalidOperand`]. What the manual calls UNPREDICTABLE (such as a load that writes its base twice) is
//! encoded as asked.
//!
//! Numbers that no immediate holds are at most four instructions ([`Encoder::mov_number`]). Branches reach 128 MiB.

mod assembler;
mod branches;
mod control;
mod exclusive;
mod float;
mod imm;
mod int;
mod int_moves;
mod memory;
mod neon;
mod neon_move;
mod neon_shift;
mod operand;
mod register;
mod symbol;

pub use crate::arm32::FloatImm;
pub use assembler::assemble;
pub use branches::{BranchCond, Branches};
pub use control::Barrier;
pub use exclusive::{Exclusive, StoreExclusive};
pub use float::{Float2, Float3, Float4, FloatConditionalCompare, FloatToInt};
pub use imm::{ArithImm, LogicImm, VectorImm};
pub use int::{
    Alu, BitField, Carry, Compare, ConditionalCompare, Multiply, MultiplyHigh, MultiplyLong, One, Select, Two,
};
pub use int_moves::{MoveWide, number_len};
pub use memory::{PairTransfer, Transfer, fits, fits_pair};
pub use neon::{
    Across, FloatAcross, Permute, Vector2, Vector3, VectorFloat2, VectorFloat3, VectorLogic, VectorLong,
    VectorNarrow, VectorWide,
};
pub use neon_shift::{VectorShift, VectorShiftLong, VectorShiftNarrow};
pub use operand::{Cond, Extend, Mem, Offset, Operand, Shift};
pub use register::{Arrangement, FloatWidth, Gpr, Lane, Vreg, Width};

use crate::buffer::bytes::Part;
use crate::buffer::{CodeBuffer, Label};
use crate::error::Error;
use crate::lane::ops;
use crate::listing::Listing;
use crate::table::bits;
use core::fmt;

/// Appends instructions to a buffer.
pub struct Encoder<'a, L: Listing = ()> {
    /// The buffer.
    pub buf: &'a mut CodeBuffer<L, Branches>,
}

impl<'a, L: Listing> Encoder<'a, L> {
    /// An encoder that appends to `buf`.
    pub fn new(buf: &'a mut CodeBuffer<L, Branches>) -> Self {
        Encoder { buf }
    }

    /// See [`CodeBuffer::bind`].
    pub fn bind(&mut self, label: Label) {
        self.buf.bind(label);
    }

    /// See [`CodeBuffer::jump`].
    pub fn jump(&mut self, target: Label) {
        self.buf.jump(target);
    }

    /// Jumps to the label if the condition holds.
    pub fn jump_if(&mut self, cond: BranchCond, target: Label) {
        match cond {
            BranchCond::Flags(Cond::Al) => self.buf.jump(target),
            cond if cond.is_encodable() => self.buf.jump_if(cond, target),
            _ => self.invalid(),
        }
    }

    /// Appends one instruction and its line.
    #[inline(always)]
    fn inst(&mut self, word: u32, text: fmt::Arguments<'_>) {
        if L::ENABLED {
            let offset = self.buf.offset();
            self.buf.listing.line(offset, |out| out.write_fmt(text));
        }
        self.buf.append_inst([Part { bytes: word.into(), len: 4 }]);
    }

    /// Where the instruction is that was appended last.
    fn last_inst(&self) -> u32 {
        self.buf.offset().saturating_sub(4)
    }

    /// Reports an operand that cannot be encoded.
    #[cold]
    fn invalid(&mut self) {
        let offset = self.buf.offset();
        self.buf.fail(Error::InvalidOperand { offset });
    }

    /// Appends the instruction if it can be encoded.
    #[inline]
    fn checked(&mut self, valid: bool, word: u32, text: fmt::Arguments<'_>) {
        if valid { self.inst(word, text) } else { self.invalid() }
    }
}
