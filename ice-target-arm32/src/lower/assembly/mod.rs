//! Inline assembly: [`places`] says which registers constraints mean, [`text`] what they are called; the assembler is
//! `ice-asm`'s.
//!
//! Numbers of VFP may be in registers of the core and integers in those of VFP, as constraints say: they are moved
//! beside the statement.

mod places;
#[cfg(test)]
mod tests;
mod text;

use super::float_size;
use crate::abi::is_extension;
use crate::inst::Inst;
use crate::target::{Arm32, Cx};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use ice_asm::Assembled;
use ice_asm::arm32::assemble;
use ice_codegen::Operands as _;
use ice_codegen::assembly::{AssemblyRules, Home, Refusal, Slot, Wish};
use ice_codegen::mach::{Sink, VReg};
use ice_ir::assembly::Dialect;
use ice_ir::{Type, Value};
use ice_regalloc::PReg;
use places::Kind;

impl AssemblyRules for Arm32 {
    const COMMENT: &'static str = "@";

    fn admits_assembly(&self) -> bool {
        !self.is_confined()
    }

    fn wish(&self, slot: &Slot<'_>) -> Option<Wish> {
        places::wish(slot)
    }

    fn written(&self, slot: &Slot<'_>, modifier: &str, _: Dialect) -> Option<String> {
        text::operand(slot, modifier)
    }

    fn assembled(&self, text: &str, _: Dialect) -> Result<Assembled, Refusal> {
        assemble(text).map(Assembled::of_code).map_err(|error| error.to_string().into())
    }

    fn assembly_inst(number: u32) -> Inst {
        Inst::Assembly { number }
    }

    fn copy_inst(&self, ty: Type, dst: VReg, src: VReg) -> Option<Inst> {
        Some(match is_extension(ty) {
            true => Inst::MovFloat { size: float_size(ty), dst, src },
            false => Inst::Mov { dst, src },
        })
    }

    fn type_in(reg: PReg, _: Type) -> Type {
        match places::kind(reg).0 {
            Kind::Core => Type::I32,
            Kind::Single => Type::F32,
            Kind::Double => Type::F64,
            Kind::Quad => Type::V4I32,
        }
    }

    fn assembly_input<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        value: Value,
        home: Home,
    ) -> [Option<VReg>; 2] {
        let regs = self.regs(cx, value);
        let word = |cx: &mut Cx<'_, S>| cx.temp(Type::I32).lo();
        match (places::kind(home.reg).0, cx.func.value_type(value)) {
            (Kind::Core, Type::F32) => {
                let dst = word(cx);
                cx.sink.push(Inst::SingleToCore { dst, src: regs.lo() });
                [Some(dst), None]
            }
            (Kind::Core, Type::F64) => {
                let [lo, hi] = [word(cx), word(cx)];
                cx.sink.push(Inst::DoubleToPair { lo, hi, src: regs.lo() });
                [Some(lo), Some(hi)]
            }
            (Kind::Single, Type::I32) => {
                let dst = cx.temp(Type::F32).lo();
                cx.sink.push(Inst::CoreToSingle { dst, src: regs.lo() });
                [Some(dst), None]
            }
            (Kind::Double, Type::I64) => {
                let dst = cx.temp(Type::F64).lo();
                cx.sink.push(Inst::PairToDouble { dst, lo: regs.lo(), hi: regs.hi() });
                [Some(dst), None]
            }
            _ => [Some(regs.lo()), home.high.map(|_| regs.hi())],
        }
    }

    fn assembly_output<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        value: Value,
        home: Home,
        behind: &mut Vec<Inst>,
    ) -> [Option<VReg>; 2] {
        let regs = cx.regs(value);
        let word = |cx: &mut Cx<'_, S>| cx.temp(Type::I32).lo();
        match (places::kind(home.reg).0, cx.func.value_type(value)) {
            (Kind::Core, Type::F32) => {
                let src = word(cx);
                behind.push(Inst::CoreToSingle { dst: regs.lo(), src });
                [Some(src), None]
            }
            (Kind::Core, Type::F64) => {
                let [lo, hi] = [word(cx), word(cx)];
                behind.push(Inst::PairToDouble { dst: regs.lo(), lo, hi });
                [Some(lo), Some(hi)]
            }
            (Kind::Single, Type::I32) => {
                let src = cx.temp(Type::F32).lo();
                behind.push(Inst::SingleToCore { dst: regs.lo(), src });
                [Some(src), None]
            }
            (Kind::Double, Type::I64) => {
                let src = cx.temp(Type::F64).lo();
                behind.push(Inst::DoubleToPair { lo: regs.lo(), hi: regs.hi(), src });
                [Some(src), None]
            }
            _ => [Some(regs.lo()), home.high.map(|_| regs.hi())],
        }
    }
}
