//! Inline assembly: [`places`] says which registers constraints mean, [`text`] what they are called; the assembler is
//! `ice-asm`'s.
//!
//! Numbers may be in general registers and integers in those of vectors, as constraints say: their bits are moved beside the
//! statement.

mod places;
#[cfg(test)]
mod tests;
mod text;

use super::{float_width, width};
use crate::inst::{Inst, Src};
use crate::regs::x;
use crate::target::{Aarch64, Cx};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use ice_asm::aarch64::{FloatWidth, assemble};
use ice_asm::{Assembled, TextPlace};
use ice_codegen::Operands as _;
use ice_codegen::assembly::{AssemblyRules, Home, Place, Refusal, Slot, Wish};
use ice_codegen::mach::{FrameInfo, Sink, VReg};
use ice_ir::assembly::Dialect;
use ice_ir::{Type, Value};
use ice_regalloc::{PReg, RegUnits};

/// What of a register of vectors has the bits of an integer.
fn holder(ty: Type) -> FloatWidth {
    if ty == Type::I64 { FloatWidth::D } else { FloatWidth::S }
}

impl AssemblyRules for Aarch64 {
    const COMMENT: &'static str = "//";

    fn admits_assembly(&self) -> bool {
        true
    }

    fn wish(&self, slot: &Slot<'_>) -> Option<Wish> {
        places::wish(slot)
    }

    fn written(&self, slot: &Slot<'_>, modifier: &str, _: Dialect) -> Option<String> {
        text::operand(slot, modifier)
    }

    fn write_flag(&self, cond: &str, reg: PReg, text: &mut String) {
        *text += &format!("\ncset w{}, {cond}", reg.0);
    }

    fn assembled(&self, text: &str, _: Dialect) -> Result<Assembled, Refusal> {
        assemble(text, TextPlace::Function).map_err(|error| error.to_string().into())
    }

    fn assembly_inst(number: u32) -> Inst {
        Inst::Assembly { number }
    }

    fn copy_inst(&self, ty: Type, dst: VReg, src: VReg) -> Option<Inst> {
        Some(match crate::abi::is_vector(ty) {
            true => Inst::MovFloat { width: float_width(ty), dst, src },
            false => Inst::Mov { width: width(ty), dst, src },
        })
    }

    fn assembly_jump_inst(number: u32, destroyed: RegUnits) -> Option<Inst> {
        u64::try_from(destroyed.bits()).ok().map(|destroyed| Inst::AssemblyJump { number, destroyed })
    }

    fn receiving_inst() -> Option<Inst> {
        Some(Inst::Params)
    }

    /// Functions that call nothing keep their return address in the link register.
    fn note_frame(&self, slots: &[Slot<'_>], frame: &mut FrameInfo) {
        let reg = |slot: &Slot<'_>| match slot.place {
            Place::Register(home) | Place::Memory(home) | Place::Flag(home) => Some(home.reg),
            _ => None,
        };
        frame.has_calls |= slots.iter().any(|slot| reg(slot) == Some(x(30)));
    }

    fn type_in(reg: PReg, ty: Type) -> Type {
        match (places::vector_number(reg), ty) {
            (None, Type::Void | Type::F64) => Type::I64,
            (None, Type::F32) => Type::I32,
            (Some(_), Type::Void | Type::I64) => Type::F64,
            (Some(_), ty) if ty.is_scalar_int() => Type::F32,
            (_, ty) => ty,
        }
    }

    fn assembly_input<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        value: Value,
        home: Home,
    ) -> [Option<VReg>; 2] {
        let (src, ty) = (self.reg(cx, value), cx.func.value_type(value));
        let inner = Self::type_in(home.reg, ty);
        if inner == ty {
            return [Some(src), None];
        }
        let dst = cx.temp(inner).lo();
        cx.sink.push(match places::vector_number(home.reg) {
            None => Inst::FromFloat { width: holder(inner), dst, src },
            Some(_) => Inst::ToFloat { width: holder(ty), dst, src: Src::Reg(src) },
        });
        [Some(dst), None]
    }

    fn assembly_output<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        value: Value,
        home: Home,
        behind: &mut Vec<Inst>,
    ) -> [Option<VReg>; 2] {
        let (dst, ty) = (cx.regs(value).lo(), cx.func.value_type(value));
        let inner = Self::type_in(home.reg, ty);
        if inner == ty {
            return [Some(dst), None];
        }
        let src = cx.temp(inner).lo();
        behind.push(match places::vector_number(home.reg) {
            None => Inst::ToFloat { width: holder(inner), dst, src: Src::Reg(src) },
            Some(_) => Inst::FromFloat { width: holder(ty), dst, src },
        });
        [Some(src), None]
    }
}
