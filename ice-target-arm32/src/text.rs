//! Machine instructions as text: what the fields of [`Inst`] look like. Their rows say the rest.

use crate::inst::{Amode, Base, Callee, FloatSize, Inst, Neon3, NeonUnary, Src, instructions};
use alloc::format;
use alloc::string::String;
use core::fmt::{self, Debug, Write};
use ice_asm::SymbolId;
use ice_asm::arm32::{
    Alu, BitField, Compare, Cond, Divide, Exclusive, Extend, Flags, Float2, Float3, FloatImm, FloatToInt,
    IntToFloat, Lane, ModImm, Move, Multiply, MultiplyLong, Neon2, NeonConvert, NeonFloat, NeonFloat2,
    NeonImm, NeonInt, NeonLogic, NeonShift, NeonShiftImm, Shift, Sign, Transfer, Unary,
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
    BitField = BitField::ALL, name;
    Compare = Compare::ALL, name;
    Cond = &Cond::ALL, name;
    Divide = Divide::ALL, name;
    Exclusive = Exclusive::ALL, name;
    Extend = Extend::ALL, name;
    Flags = &[Flags::Keep, Flags::Set], |flags: Flags| if flags == Flags::Set { "s" } else { "" };
    Float2 = Float2::ALL, name;
    Float3 = Float3::ALL, name;
    FloatSize = &[FloatSize::Single, FloatSize::Double, FloatSize::Quad], |size: FloatSize| {
        ["f32", "f64", "q"][size as usize]
    };
    FloatToInt = FloatToInt::ALL, name;
    IntToFloat = IntToFloat::ALL, name;
    Lane = &Lane::ALL, name;
    Move = Move::ALL, name;
    Multiply = Multiply::ALL, name;
    MultiplyLong = MultiplyLong::ALL, name;
    Neon2 = Neon2::ALL, name;
    NeonConvert = NeonConvert::ALL, name;
    NeonFloat = NeonFloat::ALL, name;
    NeonFloat2 = NeonFloat2::ALL, name;
    NeonInt = NeonInt::ALL, name;
    NeonLogic = NeonLogic::ALL, name;
    NeonShift = NeonShift::ALL, name;
    NeonShiftImm = NeonShiftImm::ALL, name;
    Shift = &Shift::ALL, name;
    Sign = &[Sign::Minus, Sign::Plus], |sign: Sign| if sign == Sign::Minus { "s" } else { "u" };
    Transfer = Transfer::ALL, name;
    Unary = Unary::ALL, name;
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
        let Amode { base, index, disp } = *self;
        let base = match base {
            Base::Reg(reg) => BaseText::Reg(reg),
            Base::Object(object) => BaseText::Object(object),
            base => {
                PARTS.iter().find(|part| part.0 == base).map_or(BaseText::None, |part| BaseText::Part(part.1))
            }
        };
        AddressText { base, index, symbol: None, disp }.write(out)
    }

    fn read(reader: &mut Reader<'_>) -> Option<Amode> {
        let AddressText { base, index, symbol: None, disp } =
            AddressText::read(reader, &PARTS.map(|part| part.1))?
        else {
            return None;
        };
        let base = match base {
            BaseText::None => return None,
            BaseText::Reg(reg) => Base::Reg(reg),
            BaseText::Object(object) => Base::Object(object),
            BaseText::Part(name) => PARTS.iter().find(|part| part.1 == name)?.0,
        };
        Some(Amode { base, index, disp })
    }
}

impl FieldText<Inst> for Src {
    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        match self {
            Src::Imm(imm) => write!(out, "{}", imm.value()),
            Src::Reg(reg) => write!(out, "{reg}"),
            Src::Shift(reg, shift, amount) => write!(out, "{reg} {} {amount}", name(shift)),
            Src::ShiftReg(reg, shift, amount) => write!(out, "{reg} {} {amount}", name(shift)),
        }
    }

    fn read(reader: &mut Reader<'_>) -> Option<Src> {
        let Some(reg) = reader.numbered("v") else {
            return reader.number().and_then(ModImm::new).map(Src::Imm);
        };
        let reg = VReg::from_u32(reg);
        if !reader.eat(" ") {
            return Some(Src::Reg(reg));
        }
        let shift = Shift::read(reader)?;
        match reader.numbered(" v") {
            Some(amount) => Some(Src::ShiftReg(reg, shift, VReg::from_u32(amount))),
            None => Some(Src::Shift(reg, shift, reader.numbered(" ")?)),
        }
    }
}

/// Operations of several tables, each with the letter of its table in front.
macro_rules! tables {
    ($($ty:ident: $($letter:literal $variant:ident)*;)*) => {$(
        impl FieldText<Inst> for $ty {
            fn write(&self, out: &mut dyn Write) -> fmt::Result {
                match self {
                    $($ty::$variant(op) => {
                        out.write_str($letter)?;
                        op.write(out)
                    })*
                }
            }

            fn read(reader: &mut Reader<'_>) -> Option<$ty> {
                $(if reader.eat($letter) {
                    return FieldText::<Inst>::read(reader).map($ty::$variant);
                })*
                None
            }
        }
    )*};
}

tables! {
    Neon3: "i." Int "s." Shift "b." Logic "f." Float;
    NeonUnary: "i." Int "f." Float "c." Convert;
}

impl FieldText<Inst> for FloatImm {
    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{}", self.bits())
    }

    fn read(reader: &mut Reader<'_>) -> Option<FloatImm> {
        reader.number().map(FloatImm::from_bits)
    }
}

impl FieldText<Inst> for NeonImm {
    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{}", self.value())
    }

    fn read(reader: &mut Reader<'_>) -> Option<NeonImm> {
        NeonImm::splat(Lane::B64, reader.number()?)
    }
}
