//! Encoders for MIPS32 release 2, little-endian, with 32 floating-point registers of 32 bits (`FR=0`), as tables in
//! the notation of the manual (MIPS32 Architecture, volume II: the instruction set, MD00086, revision 2.50).
//!
//! An [`Encoder`] is a buffer; each of its functions appends one instruction of 32 bits. Operations are plain
//! enums ([`Alu`], [`Float3`], ...) that machine instructions can carry as data. Operands come in the order of
//! assembler text, destination first. The listing is text that `llvm-mc` and the GNU assembler turn into the same
//! bytes, after `.set noreorder`, `.set nomacro` and `.set noat`: they fill no slots and take no registers.
//!
//! # Slots
//!
//! The instruction behind a branch, jump or call is executed before control goes there, and never is a branch. Jumps
//! by registers and calls are followed by whatever is emitted next. Branches to labels hold theirs as a [`Slot`],
//! because the buffer moves and inverts them; [`Encoder::slot`] makes one of any instruction without relocation.
//!
//! What cannot be encoded (an offset out of range, an odd register for 64 bits) is kept by the buffer as
//! [`Error::InvalidOperand`]. What the manual calls UNPREDICTABLE (a branch in a slot) is encoded as asked.

mod assembler;
mod branches;
mod control;
mod dead;
mod effects;
mod float;
mod int;
mod memory;
mod operand;
mod slot;
mod text;

pub use assembler::assemble;
pub use branches::{Branches, Slot};
pub use control::{Jump, Trap};
pub use float::{
    Float2, Float3, FloatCompare, FloatControl, FloatConvert, FloatLoadIndexed, FloatMoveIf, FloatMoveIfFlag,
    FloatMultiplyAdd, FloatStoreIndexed, FloatTransfer, Transmit,
};
pub use int::{
    Alu, AluSigned, AluUnsigned, Count, Extend, FromHiLo, MoveIfFlag, MultiplyDivide, Shift, ShiftBy, ToHiLo,
};
pub use memory::Transfer;
pub use operand::{Cc, Cond, FloatWidth, Fpr, Gpr, Imm, Mem};
pub use slot::{SlotCount, Taken, count_slots};

use crate::buffer::bytes::Part;
use crate::buffer::{CodeBuffer, Label, Reach};
use crate::error::Error;
use crate::listing::Listing;
use crate::reloc::{Reloc, RelocKind, SymbolId};
use text::{Operand, SymbolOperand};

/// Appends instructions to a buffer.
pub struct Encoder<'a, L: Listing = ()> {
    /// The buffer.
    pub buf: &'a mut CodeBuffer<L, Branches>,
}

/// An enum of operations of one format: the operands as its text has them, and one line an operation.
macro_rules! ops {
    ($(#[$doc:meta])* $ty:ident $operands:literal: $($name:ident $mnemonic:literal $text:literal,)*) => {
        $crate::table::operations!($(#[$doc])* $ty: $($name $mnemonic $text,)*);

        impl $ty {
            const ROWS: &[$crate::mips32::text::Row] =
                &[$($crate::mips32::text::Row::new($mnemonic, $operands, $text)),*];
        }
    };
}

use ops;

impl<'a, L: Listing> Encoder<'a, L> {
    /// An encoder that appends to `buf`.
    pub fn new(buf: &'a mut CodeBuffer<L, Branches>) -> Self {
        Encoder { buf }
    }

    /// See [`CodeBuffer::bind`].
    pub fn bind(&mut self, label: Label) {
        self.buf.bind(label);
    }

    /// Branches to the label, if there is a condition and it holds; executes the slot in any case.
    pub fn branch(&mut self, cond: Option<Cond>, target: Label, slot: Slot) {
        match cond {
            Some(cond) => self.buf.jump_if_with_slot(cond, target, slot, Reach::FromLabels),
            None => self.buf.jump_with_slot(target, slot, Reach::FromLabels),
        }
    }

    /// Appends one instruction and its line.
    #[inline(always)]
    fn inst(&mut self, word: u32) {
        self.inst_of(word, Operand::Number);
    }

    #[inline(always)]
    fn inst_of(&mut self, word: u32, operand: Operand) {
        if L::ENABLED {
            let offset = self.buf.offset();
            self.buf.listing.line(offset, |out| text::write_word(out, word, operand));
        }
        self.buf.append_inst([Part { bytes: word.into(), len: 4 }]);
    }

    /// Appends the instruction with a number in its low 16 bits, or with what the linker puts there.
    #[inline(always)]
    fn inst_signed(&mut self, word: u32, imm: Imm) {
        match imm {
            Imm::Value(value) => match i16::try_from(value) {
                Ok(value) => self.inst(word | u32::from(value as u16)),
                Err(_) => self.invalid(),
            },
            Imm::Symbol(kind, symbol, addend) => self.inst_with_reloc(word, kind, symbol, addend),
        }
    }

    fn inst_with_reloc(&mut self, word: u32, kind: RelocKind, symbol: SymbolId, addend: i32) {
        let offset = self.buf.offset();
        self.inst_of(word, Operand::Symbol(SymbolOperand { kind, symbol, addend }));
        let offset = self.buf.inst_start(offset);
        self.buf.add_reloc(Reloc { offset, kind, symbol, addend: addend.into() });
    }

    /// Reports an operand that cannot be encoded.
    #[cold]
    fn invalid(&mut self) {
        let offset = self.buf.offset();
        self.buf.fail(Error::InvalidOperand { offset });
    }

    /// Appends the instruction if it can be encoded.
    #[inline]
    fn checked(&mut self, valid: bool, word: u32) {
        if valid { self.inst(word) } else { self.invalid() }
    }
}
