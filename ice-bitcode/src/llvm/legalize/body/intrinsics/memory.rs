//! Intrinsics on memory, addresses and the frame, and questions about values.

use ice_ir::{BinaryOp, CallingConvention, Intrinsic, Symbol, Type, Value};

use super::Call;
use crate::llvm::legalize::body::integer::Sign;
use crate::llvm::legalize::body::prototype::Prototype;
use crate::llvm::legalize::body::values::Operand;
use crate::llvm::legalize::body::{Body, Checked, fail};
use crate::llvm::legalize::runtime::CLEAR_CACHE;
use crate::llvm::wire::constants::GlobalValueKind;

impl Body<'_, '_> {
    /// An argument that is an address.
    pub(super) fn address_arg(&self, operand: Operand) -> Checked<Value> {
        match Some(operand.ty) == self.m.pointer {
            true => Ok(self.single(operand)),
            false => fail(self.type_class(operand.ty, "an address")),
        }
    }

    /// Copying or filling memory.
    pub(super) fn memory_operation(&mut self, call: &Call, op: Intrinsic) -> Checked<()> {
        let (dst, len) = (self.address_arg(call.args[0])?, call.args[2]);
        let source = match op {
            Intrinsic::Memset => {
                let byte = call.args[1];
                if self.int_bits_of(byte.ty)? != 8 {
                    return fail(self.type_class(byte.ty, "a byte"));
                }
                self.single(byte)
            }
            _ => self.address_arg(call.args[1])?,
        };
        let len = self.length(len)?;
        if self.b.func.int_value(len) == Some(0) {
            return Ok(());
        }
        let volatile = call.args[3];
        let volatile = self.constant_number(volatile).unwrap_or(0);
        let (align, volatile) = (self.i32(1), self.int(Type::I1, volatile));
        self.intrinsic_void(op, Type::Void, &[dst, source, len, align, volatile])
    }

    /// The value at a distance that is in memory, from a base.
    pub(super) fn load_relative(&mut self, call: &Call) -> Checked<Operand> {
        let base = self.address_arg(call.args[0])?;
        let offset = call.args[1];
        let bits = self.int_bits_of(offset.ty)?;
        let pointer = self.pointer();
        let offset = self.part(offset, 0);
        let offset = self.extended(bits.min(64), offset, Sign::Signed, pointer);
        let place = self.bin(BinaryOp::Add, base, offset);
        let distance = self.b.load(Type::I32, place, 2);
        let distance = self.resize_sign(distance, pointer);
        let value = self.bin(BinaryOp::Add, base, distance);
        self.one_of(call.ret, value)
    }

    /// `ptrmask`.
    pub(super) fn pointer_mask(&mut self, call: &Call) -> Checked<Operand> {
        let mask = call.args[1];
        let address = self.address_arg(call.args[0])?;
        let bits = self.int_bits_of(mask.ty)?;
        let pointer = self.pointer();
        let mask = self.part(mask, 0);
        let mask = self.extended(bits.min(64), mask, Sign::Unsigned, pointer);
        let value = self.bin(BinaryOp::And, address, mask);
        self.one_of(call.ret, value)
    }

    /// The address of this thread's copy of a variable, which the operand names.
    pub(super) fn thread_local(&mut self, prototype: &Prototype) -> Checked<()> {
        let relative = self.ops.get(self.at).copied().unwrap_or(0);
        let number = self.s.next_number().wrapping_sub(relative as u32);
        let global = self.m.globals.get(number as usize).map(|global| global.kind);
        let value = match global {
            Some(GlobalValueKind::Symbol(symbol @ Symbol::Global(_))) if relative >> 32 == 0 => {
                self.at += 1;
                self.end()?;
                self.symbol(symbol)?
            }
            // A place in it by way of an expression, which asks for the address itself.
            _ => {
                let address = self.address_operand()?;
                self.end()?;
                address
            }
        };
        match Some(prototype.ret) == self.m.pointer {
            true => self.define_one(prototype.ret, value),
            false => fail(self.type_class(prototype.ret, "an address")),
        }
    }

    // ---- the frame

    /// `va_start`.
    pub(super) fn va_start(&mut self, call: &Call) -> Checked<()> {
        let list = self.address_arg(call.args[0])?;
        self.intrinsic_void(Intrinsic::VaStart, Type::Void, &[list])
    }

    /// `clear_cache`: between two addresses.
    pub(super) fn clear_cache(&mut self, call: &Call) -> Checked<()> {
        if !self.m.legal.machine().clears_cache {
            return Ok(());
        }
        let bounds = [self.address_arg(call.args[0])?, self.address_arg(call.args[1])?];
        self.library(CLEAR_CACHE, &bounds, Type::Void).map(drop)
    }

    /// `va_copy`.
    pub(super) fn va_copy(&mut self, call: &Call) -> Checked<()> {
        let (to, from) = (self.address_arg(call.args[0])?, self.address_arg(call.args[1])?);
        let pointer = self.pointer();
        let log2 = pointer.bytes().trailing_zeros() as u8;
        let machine = self.m.legal.machine();
        // What a list is depends on the function that has it.
        let own = machine.convention(self.m.functions[self.s.function].convention.into());
        let words = if own == Some(CallingConvention::Win64) { 1 } else { machine.va_list_words };
        for i in 0..words {
            let at = i64::from(i * pointer.bytes());
            let (from, to) = (self.offset(from, at), self.offset(to, at));
            let word = self.b.load(pointer, from, log2);
            self.b.store(to, word, log2);
        }
        Ok(())
    }

    /// `stacksave`.
    pub(super) fn stack_save(&mut self, _: &Call) -> Checked<Operand> {
        let value = self.intrinsic_one(Intrinsic::Stacksave, &[])?;
        let ty = self.pointer_ty()?;
        Ok(self.one(ty, value))
    }

    /// `stackrestore`.
    pub(super) fn stack_restore(&mut self, call: &Call) -> Checked<()> {
        let handle = self.address_arg(call.args[0])?;
        self.intrinsic_void(Intrinsic::Stackrestore, Type::Void, &[handle])
    }

    /// The address of a frame or of a return, of the level given.
    pub(super) fn frame_or_return(&mut self, call: &Call, op: Intrinsic) -> Checked<Operand> {
        let [a, ..] = call.args;
        let level = self.length(a)?;
        let level = self.resize_zero(level, Type::I32);
        let value = self.intrinsic_one(op, &[level])?;
        self.one_of(call.ret, value)
    }

    // ---- questions

    /// Its first argument.
    pub(super) fn first_argument(&mut self, call: &Call) -> Checked<Operand> {
        Ok(call.args[0])
    }

    /// `is.constant`: whether something is known now.
    pub(super) fn is_constant(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = call.args;
        let known = self.constant_number(a).is_some();
        let value = self.int(Type::I1, i64::from(known));
        self.one_of(call.ret, value)
    }

    /// `thread.pointer`.
    pub(super) fn thread_pointer(&mut self, call: &Call) -> Checked<Operand> {
        let value = self.intrinsic_one(Intrinsic::ReadTp, &[])?;
        self.one_of(call.ret, value)
    }

    /// `objectsize`: nothing is known of objects.
    pub(super) fn object_size(&mut self, call: &Call) -> Checked<Operand> {
        let min = call.args[1];
        let number = if self.constant_number(min).is_some_and(|n| n != 0) { 0 } else { -1 };
        let first = self.shape(call.ret).first;
        let value = self.int(first, number);
        self.one_of(call.ret, value)
    }
}
