//! Machine instructions as text: what the fields of [`Inst`] look like. Their rows say the rest.

use crate::inst::{Amode, Base, Callee, Cond, Entry, Inst, Src, Wanted, instructions};
use alloc::format;
use alloc::string::String;
use core::fmt::{self, Debug, Write};
use ice_asm::SymbolId;
use ice_asm::mips32::{
    Alu, AluSigned, AluUnsigned, Count, Extend, Float2, Float3, FloatCompare, FloatConvert, FloatWidth,
    FromHiLo, MultiplyDivide, Shift, ShiftBy, Transfer,
};
use ice_codegen::mach::text::{AddressText, BaseText, FieldText, Reader};
use ice_codegen::mach::{MachBlock, VReg};

instructions!(ice_codegen::inst_text!);

/// The name of an operation in the tables of the encoder, which unlike the mnemonic is one of its own.
fn name(op: impl Debug) -> String {
    format!("{op:?}").to_ascii_lowercase()
}

ice_codegen::name_fields! { Inst:
    Alu = Alu::ALL, name;
    AluSigned = AluSigned::ALL, name;
    AluUnsigned = AluUnsigned::ALL, name;
    Count = Count::ALL, name;
    Entry = Entry::ALL, |entry: Entry| ["got", "call16", "gottprel"][entry as usize];
    Extend = Extend::ALL, name;
    Float2 = Float2::ALL, name;
    Float3 = Float3::ALL, name;
    FloatCompare = FloatCompare::ALL, |op: FloatCompare| format!("c.{}", name(op));
    FloatConvert = FloatConvert::ALL, name;
    FloatWidth = &[FloatWidth::S, FloatWidth::D], name;
    FromHiLo = FromHiLo::ALL, name;
    MultiplyDivide = MultiplyDivide::ALL, name;
    Shift = Shift::ALL, name;
    ShiftBy = ShiftBy::ALL, name;
    Transfer = Transfer::ALL, name;
    Wanted = Wanted::ALL, name;
}

/// Parts of the frame that addresses start at, and their names.
const PARTS: [(Base, &str); 4] = [
    (Base::Outgoing, "outgoing"),
    (Base::Allocated, "allocated"),
    (Base::Incoming, "incoming"),
    (Base::Saved, "saved"),
];

impl FieldText<Inst> for Amode {
    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        let Amode { base, disp } = *self;
        let (base, symbol) = match base {
            Base::Reg(reg) => (BaseText::Reg(reg), None),
            Base::Symbol(symbol) => (BaseText::None, Some(symbol)),
            Base::Page(reg, symbol) => (BaseText::Reg(reg), Some(symbol)),
            Base::Object(object) => (BaseText::Object(object), None),
            base => {
                let part = PARTS.iter().find(|part| part.0 == base);
                (part.map_or(BaseText::None, |part| BaseText::Part(part.1)), None)
            }
        };
        AddressText { base, index: None, symbol, disp }.write(out)
    }

    fn read(reader: &mut Reader<'_>) -> Option<Amode> {
        let AddressText { base, index: None, symbol, disp } =
            AddressText::read(reader, &PARTS.map(|part| part.1))?
        else {
            return None;
        };
        let base = match (base, symbol) {
            (BaseText::None, Some(symbol)) => Base::Symbol(symbol),
            (BaseText::Reg(reg), Some(symbol)) => Base::Page(reg, symbol),
            (BaseText::Reg(reg), None) => Base::Reg(reg),
            (BaseText::Object(object), None) => Base::Object(object),
            (BaseText::Part(name), None) => PARTS.iter().find(|part| part.1 == name)?.0,
            _ => return None,
        };
        Some(Amode { base, disp })
    }
}

impl FieldText<Inst> for Cond {
    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        let (name, a, b) = match *self {
            Cond::Eq(a, b) => ("eq", a, b),
            Cond::Ne(a, b) => ("ne", a, b),
            Cond::Lez(a) => ("lez", a, Src::Zero),
            Cond::Gtz(a) => ("gtz", a, Src::Zero),
            Cond::Ltz(a) => ("ltz", a, Src::Zero),
            Cond::Gez(a) => ("gez", a, Src::Zero),
            Cond::True => return out.write_str("true"),
            Cond::False => return out.write_str("false"),
        };
        write!(out, "{name} {a} ")?;
        FieldText::<Inst>::write(&b, out)
    }

    fn read(reader: &mut Reader<'_>) -> Option<Cond> {
        let names = ["eq", "ne", "lez", "gtz", "ltz", "gez", "true", "false"];
        let name = reader.longest(names.into_iter().map(|name| (name, name)))?;
        match name {
            "true" => return Some(Cond::True),
            "false" => return Some(Cond::False),
            _ => {}
        }
        let a = VReg::from_u32(reader.numbered(" v")?);
        if !reader.eat(" ") {
            return None;
        }
        let b = <Src as FieldText<Inst>>::read(reader)?;
        Some(match name {
            "eq" => Cond::Eq(a, b),
            "ne" => Cond::Ne(a, b),
            "lez" => Cond::Lez(a),
            "gtz" => Cond::Gtz(a),
            "ltz" => Cond::Ltz(a),
            _ => Cond::Gez(a),
        })
    }
}
