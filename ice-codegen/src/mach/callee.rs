//! What calls go to, on machines that have a call of a symbol and one of a register.

use super::VReg;
use super::text::{FieldText, Reader};
use core::fmt;
use ice_asm::SymbolId;

/// What a call goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A symbol.
    Symbol(SymbolId),
    /// An address.
    Value(VReg),
}

impl<I> FieldText<I> for Callee {
    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        match self {
            Callee::Symbol(symbol) => FieldText::<I>::write(symbol, out),
            Callee::Value(reg) => write!(out, "{reg}"),
        }
    }

    fn read(reader: &mut Reader<'_>) -> Option<Callee> {
        match reader.numbered("v") {
            Some(reg) => Some(Callee::Value(VReg::from_u32(reg))),
            None => <SymbolId as FieldText<I>>::read(reader).map(Callee::Symbol),
        }
    }
}
