//! Addresses as text: `[v4 + 4*v5 + @global1 - 8]`.

use super::super::VReg;
use super::field::{FieldText, Reader};
use core::fmt;
use ice_asm::SymbolId;

/// What an address starts at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BaseText {
    /// Nothing.
    None,
    /// A register.
    Reg(VReg),
    /// A fixed object of the frame.
    Object(u32),
    /// A part of the frame that the target has a name for.
    Part(&'static str),
}

/// The parts of an address of any target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AddressText {
    /// What it starts at.
    pub base: BaseText,
    /// A register and log2 of what it is multiplied by.
    pub index: Option<(VReg, u8)>,
    /// A symbol whose address is added.
    pub symbol: Option<SymbolId>,
    /// What else is added.
    pub disp: i32,
}

impl AddressText {
    /// Writes the address in brackets.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let mut plus = "";
        out.write_str("[")?;
        match self.base {
            BaseText::None => {}
            BaseText::Reg(reg) => write!(out, "{reg}")?,
            BaseText::Object(object) => write!(out, "object{object}")?,
            BaseText::Part(name) => out.write_str(name)?,
        }
        if self.base != BaseText::None {
            plus = " + ";
        }
        if let Some((index, shift)) = self.index {
            write!(out, "{plus}{}*{index}", 1u32 << (shift & 31))?;
            plus = " + ";
        }
        if let Some(symbol) = self.symbol {
            out.write_str(plus)?;
            FieldText::<()>::write(&symbol, out)?;
            plus = " + ";
        }
        match self.disp {
            0 if !plus.is_empty() => {}
            ..0 if !plus.is_empty() => write!(out, " - {}", self.disp.unsigned_abs())?,
            disp => write!(out, "{plus}{disp}")?,
        }
        out.write_str("]")
    }

    /// Reads what [`write`](Self::write) writes; `parts` are the names of parts of the frame.
    pub fn read(reader: &mut Reader<'_>, parts: &[&'static str]) -> Option<AddressText> {
        let mut address = AddressText { base: BaseText::None, index: None, symbol: None, disp: 0 };
        if !reader.eat("[") {
            return None;
        }
        loop {
            address.read_part(reader, parts)?;
            if reader.eat("]") {
                return Some(address);
            }
            if reader.eat(" - ") {
                address.disp = i32::try_from(-reader.number::<i64>()?).ok()?;
                return reader.eat("]").then_some(address);
            }
            if !reader.eat(" + ") {
                return None;
            }
        }
    }

    fn read_part(&mut self, reader: &mut Reader<'_>, parts: &[&'static str]) -> Option<()> {
        if let Some(object) = reader.numbered("object") {
            self.base = BaseText::Object(object);
        } else if let Some(part) = reader.longest(parts.iter().map(|&part| (part, part))) {
            self.base = BaseText::Part(part);
        } else if let Some(reg) = reader.numbered("v") {
            self.base = BaseText::Reg(VReg::from_u32(reg));
        } else if let Some(symbol) = <SymbolId as FieldText<()>>::read(reader) {
            self.symbol = Some(symbol);
        } else {
            let number: i32 = reader.number()?;
            match reader.numbered("*v") {
                Some(index) => {
                    self.index = Some((VReg::from_u32(index), u8::try_from(number.trailing_zeros()).ok()?));
                }
                None => self.disp = number,
            }
        }
        Some(())
    }
}
