//! Statements of inline assembly that are one instruction on vector registers, as the intrinsics of x86 become: in functions
//! for processors with AVX they are that instruction, in the form and with the registers that the others have.
//!
//! A statement is one if its text is a mnemonic and the operands in order, each in a vector register: what the encoder knows
//! by that mnemonic. All others are text to be assembled.

use super::avx::SIZE;
use crate::inst::{Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::{Operands, SseOp};
use ice_codegen::Operands as _;
use ice_codegen::mach::Sink;
use ice_ir::assembly::Dialect;
use ice_ir::{Assembly, Value};

impl X86 {
    /// Lowers a statement that is one instruction; `false` if it is not.
    pub(crate) fn named_instruction<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        assembly: &Assembly,
        args: &[Value],
    ) -> bool {
        let Some(result) = cx.func.result(inst) else { return false };
        let Some((mnemonic, operands)) = assembly.template.split_once(' ') else { return false };
        let Some(op) = SseOp::named(mnemonic) else { return false };
        let ty = cx.func.value_type(result);
        if assembly.dialect != Dialect::Att || assembly.returns_twice || !assembly.targets.is_empty() {
            return false;
        }
        let size = if args.iter().any(|&arg| cx.func.value_type(arg).is_wide()) { SIZE } else { 16 };
        let is_vector = |value: &Value| {
            let ty = cx.func.value_type(*value);
            ty.is_vector() && ty.bytes() == u32::from(size)
        };
        if !args.iter().all(is_vector) || size == 16 && op.is_long() {
            return false;
        }
        let (imm, operands) = match operands.strip_prefix("$$").and_then(|rest| rest.split_once(", ")) {
            Some((number, rest)) => match number.parse::<u8>() {
                Ok(number) => (Some(number), rest),
                Err(_) => return false,
            },
            None => (None, operands),
        };
        let form = (operands, assembly.constraints.as_str(), imm, op.operands(), args);
        let is_whole = ty.is_vector() && ty.bytes() == u32::from(size);
        match form {
            ("$1, $0", "=x,x", None, Operands::One, &[a])
                if is_whole && (size == 16 || !op.changes_length()) =>
            {
                let src = Src::Reg(self.reg(cx, a));
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::AvxUnary { op, size, dst, src });
            }
            ("$1, $0", "=x,x", Some(imm), Operands::OneByte, &[a]) if is_whole => {
                let src = Src::Reg(self.reg(cx, a));
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::AvxUnaryImm { op, size, dst, src, imm });
            }
            ("$2, $0", "=x,0,x", None, Operands::Two, &[a, b]) if is_whole => {
                let (first, src) = (self.reg(cx, a), Src::Reg(self.reg(cx, b)));
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::Avx { op, size, dst, first, src });
            }
            ("$2, $0", "=x,0,x", Some(imm), Operands::TwoBytes, &[a, b]) if is_whole => {
                let (first, src) = (self.reg(cx, a), Src::Reg(self.reg(cx, b)));
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::AvxImm { op, size, dst, first, src, imm });
            }
            ("$2, $0", "=x,0,x,{xmm0}", None, Operands::Blend, &[a, b, mask]) if is_whole => {
                let (first, src, mask) = (self.reg(cx, a), Src::Reg(self.reg(cx, b)), self.reg(cx, mask));
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::AvxBlend { op, size, dst, first, src, mask });
            }
            ("$1, $0", "=r,x", None, Operands::Signs, &[a]) if size == SIZE => {
                let src = self.reg(cx, a);
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::Signs { op, dst, src });
            }
            _ => return false,
        }
        true
    }
}
