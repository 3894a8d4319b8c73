//! Machine instructions as text: what the fields of [`Inst`] look like. Their rows say the rest.

use crate::inst::{Amode, Amount, Base, Callee, Compare, Extend, Inst, Src, instructions};
use alloc::format;
use core::fmt::{self, Write};
use ice_asm::SymbolId;
use ice_asm::x86::{Alu, BitOp, Cond, DoubleShift, Mode, Shift, SseOp, Unary, Width, X87Mem, X87Op, X87Reg};
use ice_codegen::mach::text::{AddressText, BaseText, FieldText, Reader};
use ice_codegen::mach::{MachBlock, VReg};
use ice_codegen::magic::Signedness;

instructions!(ice_codegen::inst_text!);

/// The moves between banks are called as the copies of general registers; here each has a name of its own.
fn sse_name(op: SseOp) -> &'static str {
    match op {
        SseOp::MovGpr => "movgpr",
        SseOp::Movq => "movqx",
        _ => op.mnemonic(),
    }
}

ice_codegen::name_fields! { Inst:
    Width = &[Width::B8, Width::B16, Width::B32, Width::B64], |width: Width| ["b", "w", "l", "q"][width as usize];
    // A comparison is an instruction of its own.
    Alu = Alu::ALL.iter().filter(|&&op| op != Alu::Cmp), Alu::mnemonic;
    Shift = Shift::ALL, Shift::mnemonic;
    DoubleShift = DoubleShift::ALL, DoubleShift::mnemonic;
    Unary = Unary::ALL, Unary::mnemonic;
    BitOp = BitOp::ALL, BitOp::mnemonic;
    SseOp = SseOp::ALL, sse_name;
    X87Mem = X87Mem::ALL, X87Mem::mnemonic;
    X87Reg = X87Reg::ALL, X87Reg::mnemonic;
    X87Op = X87Op::ALL, X87Op::mnemonic;
    Cond = &Cond::ALL, |cond: Cond| format!("{cond:?}").to_ascii_lowercase();
    Extend = &[Extend::Zero, Extend::Sign], |extend: Extend| if extend == Extend::Zero { "z" } else { "s" };
    Compare = &[Compare::Cmp, Compare::Test], |op: Compare| if op == Compare::Cmp { "cmp" } else { "test" };
    Mode = &[Mode::Bits32, Mode::Bits64], |mode: Mode| if mode == Mode::Bits32 { "bits32" } else { "bits64" };
    Signedness = &[Signedness::Unsigned, Signedness::Signed], |sign: Signedness| {
        if sign == Signedness::Signed { "i" } else { "" }
    };
}

/// Parts of the frame that addresses start at, and their names.
const PARTS: [(Base, &str); 3] =
    [(Base::Outgoing, "outgoing"), (Base::Allocated, "allocated"), (Base::Incoming, "incoming")];

impl FieldText<Inst> for Amode {
    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        let Amode { base, index, disp, symbol } = *self;
        let base = match base {
            Base::Reg(reg) => BaseText::Reg(reg),
            Base::Object(object) => BaseText::Object(object),
            base => {
                PARTS.iter().find(|part| part.0 == base).map_or(BaseText::None, |part| BaseText::Part(part.1))
            }
        };
        AddressText { base, index, symbol, disp }.write(out)
    }

    fn read(reader: &mut Reader<'_>) -> Option<Amode> {
        let AddressText { base, index, symbol, disp } = AddressText::read(reader, &PARTS.map(|part| part.1))?;
        let base = match base {
            BaseText::None => Base::None,
            BaseText::Reg(reg) => Base::Reg(reg),
            BaseText::Object(object) => Base::Object(object),
            BaseText::Part(name) => PARTS.iter().find(|part| part.1 == name)?.0,
        };
        Some(Amode { base, index, disp, symbol })
    }
}

impl FieldText<Inst> for Src {
    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        match self {
            Src::Reg(reg) => write!(out, "{reg}"),
            Src::Mem(mem) => mem.write(out),
            Src::Imm(imm) => write!(out, "{imm}"),
            Src::Symbol(symbol, addend) => {
                FieldText::<Inst>::write(symbol, out)?;
                write!(out, " + {addend}")
            }
        }
    }

    fn read(reader: &mut Reader<'_>) -> Option<Src> {
        if let Some(reg) = reader.numbered("v") {
            return Some(Src::Reg(VReg::from_u32(reg)));
        }
        if reader.rest().starts_with('[') {
            return Amode::read(reader).map(Src::Mem);
        }
        match <SymbolId as FieldText<Inst>>::read(reader) {
            Some(symbol) => Some(Src::Symbol(symbol, reader.numbered(" + ")?)),
            None => reader.number().map(Src::Imm),
        }
    }
}

impl FieldText<Inst> for Amount {
    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        match self {
            Amount::Imm(number) => write!(out, "{number}"),
            Amount::Cl(reg) => write!(out, "{reg}"),
        }
    }

    fn read(reader: &mut Reader<'_>) -> Option<Amount> {
        match reader.numbered("v") {
            Some(reg) => Some(Amount::Cl(VReg::from_u32(reg))),
            None => reader.number().map(Amount::Imm),
        }
    }
}

impl FieldText<Inst> for Callee {
    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        match self {
            Callee::Symbol(symbol) => FieldText::<Inst>::write(symbol, out),
            Callee::Linked(symbol) => {
                out.write_str("plt ")?;
                FieldText::<Inst>::write(symbol, out)
            }
            Callee::Value(reg) => write!(out, "{reg}"),
            Callee::Memory(mem) => FieldText::<Inst>::write(mem, out),
        }
    }

    fn read(reader: &mut Reader<'_>) -> Option<Callee> {
        if let Some(reg) = reader.numbered("v") {
            return Some(Callee::Value(VReg::from_u32(reg)));
        }
        if reader.rest().starts_with('[') {
            return Amode::read(reader).map(Callee::Memory);
        }
        let is_linked = reader.eat("plt ");
        let symbol = <SymbolId as FieldText<Inst>>::read(reader)?;
        Some(if is_linked { Callee::Linked(symbol) } else { Callee::Symbol(symbol) })
    }
}
