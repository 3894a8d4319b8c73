//! Loads relative to pc of words in the code: for what only a word can hold. Relocations of the tables of
//! the linker and of thread-local storage are of that kind (ELF for the ARM architecture, IHI 0044F, 4.6.1.6 and
//! 4.6.1.9).

use super::control::PC_AHEAD;
use super::operand::Cond;
use super::register::Gpr;
use super::{Encoder, bits};
use crate::buffer::{Constant, Label};
use crate::listing::{LabelText, Listing};

/// The farthest that a load reaches ahead, from its start.
const LOAD_AHEAD: u32 = 4095 + PC_AHEAD as u32;

impl<L: Listing> Encoder<'_, L> {
    /// `ldr<c> rt, label` (A8.8.64): the word at the label, which is at most 4095 bytes from pc.
    pub fn load_literal(&mut self, cond: Cond, t: Gpr, label: Label) {
        let word = bits!("cccc 0101 0001 1111 tttt iiii iiii iiii") | cond.bits() | t.bits() << 12;
        self.inst(word, format_args!("ldr{cond} {t}, {}", LabelText(label)));
        self.buf.pc_offset12_to_label(self.last_inst(), label, PC_AHEAD as u8);
    }

    /// `ldr<c> rt, label` of a word that waits in the buffer, see [`room_for`](crate::CodeBuffer::room_for).
    pub fn load_constant(&mut self, cond: Cond, t: Gpr, constant: Constant) {
        let label = self.buf.add_constant(self.buf.offset(), LOAD_AHEAD, constant);
        self.load_literal(cond, t, label);
    }
}
