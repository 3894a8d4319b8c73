//! Machine instructions as text: what the fields of [`Inst`] look like. Their rows say the rest.

use crate::inst::{Amode, Base, Callee, Index, Inst, Rhs, Src, Test, Update, instructions};
use alloc::format;
use alloc::string::String;
use core::fmt::{self, Debug, Write};
use ice_asm::SymbolId;
use ice_asm::aarch64::{
    Across, Alu, ArithImm, BitField, Compare, Cond, ConditionalCompare, Extend, Float2, Float3, Float4,
    FloatImm, FloatToInt, FloatWidth, Lane, LogicImm, Multiply, MultiplyHigh, MultiplyLong, One, Permute,
    Select, Shift, Transfer, Two, Vector2, Vector3, VectorFloat2, VectorFloat3, VectorLogic, VectorLong,
    VectorNarrow, VectorShift, Width,
};
use ice_codegen::mach::text::{AddressText, BaseText, FieldText, Reader};
use ice_codegen::mach::{MachBlock, VReg};
use ice_codegen::magic::Signedness;

instructions!(ice_codegen::inst_text!);

/// The name of an operation in the tables of the encoder, which unlike the mnemonic is one of its own.
fn name(op: impl Debug) -> String {
    format!("{op:?}").to_ascii_lowercase()
}

ice_codegen::name_fields! { Inst:
    Across = Across::ALL, name;
    Alu = Alu::ALL, name;
    BitField = BitField::ALL, name;
    Compare = Compare::ALL, name;
    Cond = &Cond::ALL, name;
    ConditionalCompare = ConditionalCompare::ALL, name;
    Extend = &Extend::ALL, name;
    Float2 = Float2::ALL, name;
    Float3 = Float3::ALL, name;
    Float4 = Float4::ALL, name;
    FloatToInt = FloatToInt::ALL, name;
    FloatWidth = &FloatWidth::ALL, name;
    Lane = &Lane::ALL, name;
    Multiply = Multiply::ALL, name;
    MultiplyHigh = MultiplyHigh::ALL, name;
    MultiplyLong = MultiplyLong::ALL, name;
    One = One::ALL, name;
    Permute = Permute::ALL, name;
    Select = Select::ALL, name;
    Shift = &Shift::ALL, name;
    Signedness = &[Signedness::Unsigned, Signedness::Signed], |sign: Signedness| {
        if sign == Signedness::Signed { "s" } else { "u" }
    };
    Transfer = Transfer::ALL, name;
    Two = Two::ALL, name;
    Update = Update::ALL, |op: Update| match op {
        Update::Exchange => String::from("exchange"),
        Update::Alu(op) => name(op),
    };
    Vector2 = Vector2::ALL, name;
    Vector3 = Vector3::ALL, name;
    VectorFloat2 = VectorFloat2::ALL, name;
    VectorFloat3 = VectorFloat3::ALL, name;
    VectorLogic = VectorLogic::ALL, name;
    VectorLong = VectorLong::ALL, name;
    VectorNarrow = VectorNarrow::ALL, name;
    VectorShift = VectorShift::ALL, name;
    Width = &[Width::W, Width::X], name;
}

/// Parts of the frame that addresses start at, and their names.
const PARTS: [(Base, &str); 4] = [
    (Base::Outgoing, "outgoing"),
    (Base::Allocated, "allocated"),
    (Base::Incoming, "incoming"),
    (Base::Saved, "saved"),
];

/// Behind an address whose index counts what is accessed.
const SCALED: &str = " scaled";

impl FieldText<Inst> for Amode {
    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        let Amode { base, index, disp } = *self;
        let (base, symbol) = match base {
            Base::Reg(reg) => (BaseText::Reg(reg), None),
            Base::Page(reg, symbol) => (BaseText::Reg(reg), Some(symbol)),
            Base::Object(object) => (BaseText::Object(object), None),
            base => {
                let part = PARTS.iter().find(|part| part.0 == base);
                (part.map_or(BaseText::None, |part| BaseText::Part(part.1)), None)
            }
        };
        AddressText { base, index: index.map(|index| (index.reg, 0)), symbol, disp }.write(out)?;
        let Some(Index { extend, is_scaled, .. }) = index else { return Ok(()) };
        out.write_str(" ")?;
        extend.write(out)?;
        out.write_str(if is_scaled { SCALED } else { "" })
    }

    fn read(reader: &mut Reader<'_>) -> Option<Amode> {
        let AddressText { base, index, symbol, disp } = AddressText::read(reader, &PARTS.map(|part| part.1))?;
        let base = match (base, symbol) {
            (BaseText::Reg(reg), Some(symbol)) => Base::Page(reg, symbol),
            (BaseText::Reg(reg), None) => Base::Reg(reg),
            (BaseText::Object(object), None) => Base::Object(object),
            (BaseText::Part(name), None) => PARTS.iter().find(|part| part.1 == name)?.0,
            _ => return None,
        };
        let index = match index {
            None => None,
            Some((reg, 0)) if reader.eat(" ") => {
                let extend = Extend::read(reader)?;
                Some(Index { reg, extend, is_scaled: reader.eat(SCALED) })
            }
            Some(_) => return None,
        };
        Some(Amode { base, index, disp })
    }
}

impl FieldText<Inst> for Rhs {
    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        match self {
            Rhs::Imm(imm) => write!(out, "{}", imm.value()),
            Rhs::Bits(imm) => write!(out, "bits {} {}", name(imm.width()), imm.value()),
            Rhs::Reg(reg) => write!(out, "{reg}"),
            Rhs::Shift(reg, shift, amount) => write!(out, "{reg} {} {amount}", name(shift)),
            Rhs::Extend(reg, extend, amount) => write!(out, "{reg} {} {amount}", name(extend)),
        }
    }

    fn read(reader: &mut Reader<'_>) -> Option<Rhs> {
        if reader.eat("bits ") {
            let width = Width::read(reader)?;
            return reader.numbered(" ").and_then(|number| LogicImm::new(width, number)).map(Rhs::Bits);
        }
        let Some(reg) = reader.numbered("v") else {
            return reader.number().and_then(ArithImm::new).map(Rhs::Imm);
        };
        let reg = VReg::from_u32(reg);
        if !reader.eat(" ") {
            return Some(Rhs::Reg(reg));
        }
        match Shift::read(reader) {
            Some(shift) => Some(Rhs::Shift(reg, shift, reader.numbered(" ")?)),
            None => {
                let extend = Extend::read(reader)?;
                Some(Rhs::Extend(reg, extend, reader.numbered(" ")?))
            }
        }
    }
}

impl FieldText<Inst> for Test {
    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        match self {
            Test::Flags(cond) => cond.write(out),
            Test::Zero(width, reg) => write!(out, "zero.{} {reg}", name(width)),
            Test::NonZero(width, reg) => write!(out, "nonzero.{} {reg}", name(width)),
            Test::BitZero(reg, bit) => write!(out, "bit_zero {reg} {bit}"),
            Test::BitOne(reg, bit) => write!(out, "bit_one {reg} {bit}"),
        }
    }

    fn read(reader: &mut Reader<'_>) -> Option<Test> {
        let reg = |reader: &mut Reader<'_>| reader.numbered(" v").map(VReg::from_u32);
        for (name, test) in [("zero.", Test::Zero as fn(Width, VReg) -> Test), ("nonzero.", Test::NonZero)] {
            if reader.eat(name) {
                let width = Width::read(reader)?;
                return Some(test(width, reg(reader)?));
            }
        }
        for (name, test) in [("bit_zero", Test::BitZero as fn(VReg, u8) -> Test), ("bit_one", Test::BitOne)] {
            if reader.eat(name) {
                let reg = reg(reader)?;
                return Some(test(reg, reader.numbered(" ")?));
            }
        }
        Cond::read(reader).map(Test::Flags)
    }
}

impl FieldText<Inst> for FloatImm {
    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{}", self.bits())
    }

    fn read(reader: &mut Reader<'_>) -> Option<FloatImm> {
        reader.number().map(FloatImm::from_bits)
    }
}
