//! Encoders for 32-bit and 64-bit x86, as tables in the notation of the Intel manual (SDM volume 2).
//!
//! An [`Encoder`] is a buffer with a mode; each of its functions appends one instruction, in the
//! shortest encoding, the one that assemblers choose. Operations are plain enums ([`Alu`], [`SseOp`], ...)
//! that machine instructions can carry as data. Operands come in the order of the manual: destination
//! first; the listing is AT&T text.
//!
//! What a mode cannot encode (a register above 7 in 32-bit mode, [`Width::B64`] there, the stack pointer as
//! index) is kept by the buffer as [`Error::InvalidOperand`](crate::Error::InvalidOperand). In 32-bit mode the
//! byte registers 4 to 7 are ah, ch, dh and bh, as in hardware.

mod assembler;
mod avx;
mod branches;
mod code;
mod int;
mod linker;
mod operand;
mod sse;
mod text;
mod vary;
mod vex;
mod x87;

pub use assembler::{Syntax, assemble};
pub use branches::Branches;
pub use code::FramePlace;
pub use int::{Alu, BitOp, BitTest, DoubleShift, Fence, RepOp, Shift, Unary};
pub use operand::{
    AddressSize, Base, BaseDisp, Cond, Gpr, Imm, Length, Mem, Mode, Rm, Scale, Segment, Target, Width, Xmm,
};
pub use sse::{Operands, Predicate, SseOp};
pub use text::NamedRegister;
pub use vary::Variation;
pub use x87::{X87Mem, X87Op, X87Reg};

use crate::buffer::{CodeBuffer, Label, Reach};
use crate::listing::Listing;

/// The form of instructions on vector registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum VectorForm {
    /// That of SSE: what is above 128 bits stays.
    #[default]
    Sse,
    /// That of AVX: what is above the result becomes zero.
    Avx,
}

/// Appends instructions of one mode to a buffer.
pub struct Encoder<'a, L: Listing = ()> {
    /// The buffer.
    pub buf: &'a mut CodeBuffer<L>,
    /// Which instruction set.
    pub mode: Mode,
    /// The form of instructions on vector registers.
    pub form: VectorForm,
}

impl<'a, L: Listing> Encoder<'a, L> {
    /// An encoder that appends to `buf`.
    pub fn new(buf: &'a mut CodeBuffer<L>, mode: Mode) -> Self {
        Encoder { buf, mode, form: VectorForm::Sse }
    }

    /// The same with instructions on vector registers in this form.
    #[must_use]
    pub fn of_form(self, form: VectorForm) -> Self {
        Encoder { form, ..self }
    }

    /// See [`CodeBuffer::bind`].
    pub fn bind(&mut self, label: Label) {
        self.buf.bind(label);
    }

    /// See [`CodeBuffer::jump`].
    pub fn jump(&mut self, target: Label) {
        self.buf.jump(target);
    }

    /// See [`CodeBuffer::jump_if`].
    pub fn jump_if(&mut self, cond: Cond, target: Label) {
        self.buf.jump_if(cond, target);
    }

    /// See [`CodeBuffer::jump_if_within`].
    pub fn jump_if_within(&mut self, cond: Cond, target: Label, reach: Reach) {
        self.buf.jump_if_within(cond, target, reach);
    }
}
