//! Inline assembly: [`places`] says which registers constraints mean, [`text`] what they are called; the assembler is
//! `ice-asm`'s.

mod places;
mod text;

use crate::inst::{Inst, Src};
use crate::target::{Cx, X86};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use ice_asm::x86::{SseOp, Syntax, Width, assemble};
use ice_asm::{Assembled, TextPlace};
use ice_codegen::assembly::{AssemblyRules, Home, Refusal, Slot, Wish};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::rules::Operands;
use ice_ir::assembly::Dialect;
use ice_ir::{Type, Value};
use ice_regalloc::{PReg, RegUnits};

impl AssemblyRules for X86 {
    const COMMENT: &'static str = "#";

    fn admits_assembly(&self) -> bool {
        !self.is_confined()
    }

    fn wish(&self, slot: &Slot<'_>) -> Option<Wish> {
        places::wish(self.mode, slot)
    }

    fn written(&self, slot: &Slot<'_>, modifier: &str, dialect: Dialect) -> Option<String> {
        text::operand(*self, slot, modifier, dialect)
    }

    fn write_flag(&self, cond: &str, reg: PReg, text: &mut String) {
        let [byte, word] = [Width::B8, Width::B32].map(|width| text::name(reg, width, false));
        *text += &format!("\n.att_syntax\nset{cond} %{byte}\nmovzbl %{byte}, %{word}");
    }

    fn assembled(&self, text: &str, dialect: Dialect) -> Result<Assembled, Refusal> {
        let syntax = match dialect {
            Dialect::Att => Syntax::Att,
            Dialect::Intel => Syntax::Intel,
        };
        assemble(self.mode, text, syntax, TextPlace::Function).map_err(|error| error.to_string().into())
    }

    fn assembly_jump_inst(number: u32, destroyed: RegUnits) -> Option<Inst> {
        // General registers and those of vectors have the numbers below 32.
        u32::try_from(destroyed.bits()).ok().map(|destroyed| Inst::AssemblyJump { number, destroyed })
    }

    fn receiving_inst() -> Option<Inst> {
        Some(Inst::Params)
    }

    fn assembly_inst(number: u32) -> Inst {
        Inst::Assembly { number }
    }

    fn copy_inst(&self, ty: Type, dst: VReg, src: VReg) -> Option<Inst> {
        Some(match ty.is_vector() || ty.is_scalar_float() {
            true => Inst::MovXmm { dst, src, size: ty.bytes() as u8 },
            false => Inst::Mov { width: self.arithmetic_width(ty), dst, src },
        })
    }

    fn type_in(reg: PReg, ty: Type) -> Type {
        match ty {
            Type::Void if places::is_vector(reg) => Type::V4I32,
            Type::Void => Type::I32,
            Type::F32 if !places::is_vector(reg) => Type::I32,
            Type::F64 if !places::is_vector(reg) => Type::I64,
            _ => ty,
        }
    }

    fn assembly_input<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        value: Value,
        home: Home,
    ) -> [Option<VReg>; 2] {
        let regs = Operands::regs(self, cx, value);
        let ty = cx.func.value_type(value);
        if !ty.is_scalar_float() || places::is_vector(home.reg) {
            return [Some(regs.lo()), home.high.map(|_| regs.hi())];
        }
        let bits = X86::type_in(home.reg, ty);
        let (dst, op, width) = (self.temp(cx, bits), SseOp::MovGpr, self.width(bits));
        cx.sink.push(Inst::XmmToGpr { op, width, dst, src: regs.lo() });
        [Some(dst), None]
    }

    fn assembly_output<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        value: Value,
        home: Home,
        behind: &mut Vec<Inst>,
    ) -> [Option<VReg>; 2] {
        let regs = cx.regs(value);
        let ty = cx.func.value_type(value);
        if ty.is_scalar_float() && !places::is_vector(home.reg) {
            let bits = X86::type_in(home.reg, ty);
            let (word, op, width) = (self.temp(cx, bits), SseOp::MovGpr, self.width(bits));
            behind.push(Inst::GprToXmm { op, width, dst: regs.lo(), src: Src::Reg(word) });
            return [Some(word), None];
        }
        if cx.func.value_type(value) == Type::I32 && !self.has_pairs() {
            // What the text leaves in the upper half is not known.
            let word = self.temp(cx, Type::I32);
            behind.push(Inst::ZeroUpper { dst: regs.lo(), src: word });
            return [Some(word), None];
        }
        [Some(regs.lo()), home.high.map(|_| regs.hi())]
    }
}
