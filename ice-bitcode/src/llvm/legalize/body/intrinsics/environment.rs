//! `llvm.get.rounding` and `llvm.set.rounding`: the direction in which results of floating-point operations are rounded, by the
//! numbers of `FLT_ROUNDS` in C (0 to zero, 1 to the nearest, 2 up, 3 down). `llvm.readcyclecounter`.

use ice_ir::{BinaryOp, Type, Value};

use super::{Call, statement};
use crate::error::Error;
use crate::llvm::legalize::body::values::Operand;
use crate::llvm::legalize::body::{Body, Checked, fail, unsupported};
use crate::llvm::legalize::machine::{ControlWord, Rounding};

impl Body<'_, '_> {
    fn machine_rounding(&self) -> Checked<Rounding> {
        match self.m.legal.machine().rounding {
            Some(rounding) => Ok(rounding),
            None => unsupported("the direction of rounding on this machine"),
        }
    }

    /// A statement about the memory at `place`.
    fn control_statement(&mut self, texts: [&str; 2], place: Value) {
        self.b.assembly(statement(texts), &[place], Type::Void);
    }

    /// Memory that a control word was written to, and the word.
    fn saved_control_word(&mut self, word: &ControlWord) -> Checked<(Value, Value)> {
        let place = self.slot(word.ty.bytes().into(), 2)?;
        self.control_statement(word.save, place);
        Ok((place, self.b.load(word.ty, place, 2)))
    }

    /// The entry of a table of four with two bits each that a number says whose lowest bits are twice the index.
    fn entry_of_two_bits(&mut self, table: [u8; 4], doubled: Value) -> Value {
        let table =
            (0..).step_by(2).zip(table).fold(0, |bits, (at, entry)| bits | i64::from(entry & 3) << at);
        let index = self.bin_int(BinaryOp::And, doubled, 6);
        let table = self.int(Type::I32, table);
        let entry = self.bin(BinaryOp::Lshr, table, index);
        self.bin_int(BinaryOp::And, entry, 3)
    }

    /// The counter of cycles; 0 where there is none, as of LLVM.
    pub(super) fn cycles(&mut self, call: &Call) -> Checked<Operand> {
        let value = match self.m.legal.machine().cycle_counter {
            None => self.i64(0),
            Some(texts) => {
                let Some(low) = self.b.assembly(statement(texts), &[], Type::I32) else {
                    return fail(Error::VoidValue);
                };
                let high = self.b.assembly_output(low, 1, Type::I32);
                self.join_words([low, high])
            }
        };
        self.one_of(call.ret, value)
    }

    /// The direction now.
    pub(super) fn rounding(&mut self, call: &Call) -> Checked<Operand> {
        let rounding = self.machine_rounding()?;
        let direction = match rounding.words.first() {
            None => self.int(Type::I32, 1),
            Some(word) => {
                let (_, bits) = self.saved_control_word(word)?;
                let bits = self.resize_zero(bits, Type::I32);
                let doubled = self.bin_int(BinaryOp::Lshr, bits, i64::from(word.shift) - 1);
                self.entry_of_two_bits(rounding.directions, doubled)
            }
        };
        self.one_of(call.ret, direction)
    }

    /// Another direction from now on.
    pub(super) fn set_rounding(&mut self, call: &Call) -> Checked<()> {
        let [direction, ..] = call.args;
        let rounding = self.machine_rounding()?;
        if rounding.words.is_empty() {
            return unsupported("another direction of rounding on this machine");
        }
        let number = self.single(direction);
        if self.ty_of(number) != Type::I32 {
            return fail(self.type_class(direction.ty, "i32"));
        }
        let mut bits_of = [0; 4];
        (0..).zip(rounding.directions).for_each(|(bits, direction)| bits_of[usize::from(direction)] = bits);
        let doubled = self.bin_int(BinaryOp::Shl, number, 1);
        let bits = self.entry_of_two_bits(bits_of, doubled);
        for word in rounding.words {
            let (place, old) = self.saved_control_word(word)?;
            let others = self.bin_int(BinaryOp::And, old, !(3 << word.shift));
            let bits = self.resize_zero(bits, word.ty);
            let bits = self.bin_int(BinaryOp::Shl, bits, word.shift.into());
            let new = self.bin(BinaryOp::Or, others, bits);
            self.b.store(place, new, 2);
            self.control_statement(word.restore, place);
        }
        Ok(())
    }
}
