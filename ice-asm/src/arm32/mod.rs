//! Encoders for ARMv7-A in ARM state, as tables in the notation of the ARM Architecture Reference Manual
//! (ARMv7-A and ARMv7-R edition, DDI 0406C; section numbers in the tables are its).
//!
//! An [`Encoder`] is a buffer; each of its functions appends one instruction of 32 bits. Operations are plain
//! enums ([`Alu`], [`Float3`], [`NeonInt`], ...) that machine instructions can carry as data. Operands come in
//! the order of the manual, destination first, after the condition; the listing is UAL text that `llvm-mc`
//! and the GNU assembler turn into the same bytes.
//!
//! What cannot be encoded (an offset out of range, a lane that a vector lacks) is kept by the buffer as
//! [`Error::InvalidOperand`]. What the manual calls UNPREDICTABLE (such as pc
//! as an operand of a multiplication) is encoded as asked.
//!
//! Every 32-bit constant or address is two instructions (`movw`, `movt`). Words in the code are for relocations
//! that only a word can have; where they are put, the client decides. Branches reach 32 MiB.

mod assembler;
mod branches;
mod control;
mod imm;
mod int;
mod literal;
mod memory;
mod neon;
mod neon_move;
mod operand;
mod register;
mod vfp;

pub use assembler::assemble;
pub use branches::Branches;
pub use control::Barrier;
pub use imm::{FloatImm, ModImm, NeonImm};
pub use int::{Alu, BitField, Compare, Divide, Extend, Move, Multiply, MultiplyLong, Unary};
pub use memory::{Exclusive, Multiple, Transfer};
pub use neon::{
    Neon2, NeonConvert, NeonFloat, NeonFloat2, NeonInt, NeonLogic, NeonLong, NeonNarrow, NeonShift,
    NeonShiftImm, NeonShiftLong, NeonShiftNarrow,
};
pub use neon_move::NeonTransfer;
pub use operand::{Cond, Flags, Index, Mem, Offset, Operand2, RegList, Shift, Sign, Writeback};
pub use register::{Dreg, FloatReg, Gpr, Lane, NeonReg, Qreg, Sreg};
pub use vfp::{Direction, Float2, Float3, FloatCompare, FloatToInt, IntToFloat};

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
    pub fn jump_if(&mut self, cond: Cond, target: Label) {
        match cond {
            Cond::Al => self.buf.jump(target),
            _ => self.buf.jump_if(cond, target),
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
