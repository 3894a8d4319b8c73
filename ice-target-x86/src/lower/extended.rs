//! The 80-bit format of the x87 unit: operands are loaded from memory, the result is stored there.
//!
//! The stack of the unit is empty between operations, but for the results of a call until they are taken and those
//! of the function itself from when they are given (System V ABI). The control word is that of the ABI: 64 bits of
//! precision, to nearest.

use crate::inst::Inst;
use crate::target::{Cx, X86};
use ice_asm::x86::{X87Mem, X87Op, X87Reg};
use ice_codegen::ErrorKind;
use ice_codegen::mach::Sink;
use ice_ir::{ExtendedOp, Value};

impl X86 {
    /// Lowers [`Intrinsic::Extended`](ice_ir::Intrinsic::Extended).
    pub(super) fn extended_operation<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        args: &[Value],
    ) -> Result<(), ErrorKind> {
        let op = cx.func.int_value(args[0]).and_then(ExtendedOp::from_code);
        let op = op.ok_or(ErrorKind::Unsupported("an unknown operation on 80-bit floats"))?;
        let [to, a, b] = [args[1], args[2], args[3]];
        let mut memory = |op, address| {
            let mem = self.address(cx, address);
            cx.sink.push(Inst::FpuMem { op, mem });
        };
        match op {
            ExtendedOp::Add | ExtendedOp::Sub | ExtendedOp::Mul | ExtendedOp::Div => {
                memory(X87Mem::Fld80, a);
                memory(X87Mem::Fld80, b);
                let op = match op {
                    ExtendedOp::Add => X87Reg::Faddp,
                    ExtendedOp::Sub => X87Reg::Fsubp,
                    ExtendedOp::Mul => X87Reg::Fmulp,
                    _ => X87Reg::Fdivp,
                };
                cx.sink.push(Inst::FpuPair { op });
            }
            // The top of the stack is compared with what is below.
            ExtendedOp::Compare => {
                memory(X87Mem::Fld80, b);
                memory(X87Mem::Fld80, a);
                cx.sink.push(Inst::FpuTop { op: X87Op::Fucompp });
            }
            ExtendedOp::FromSingle => memory(X87Mem::Fld32, a),
            ExtendedOp::FromDouble => memory(X87Mem::Fld64, a),
            ExtendedOp::Sqrt => {
                memory(X87Mem::Fld80, a);
                cx.sink.push(Inst::FpuTop { op: X87Op::Fsqrt });
            }
            ExtendedOp::ToSingle | ExtendedOp::ToDouble | ExtendedOp::Return => memory(X87Mem::Fld80, a),
            ExtendedOp::Result => {}
        }
        let store = match op {
            ExtendedOp::Compare => X87Mem::Fnstsw,
            ExtendedOp::ToSingle => X87Mem::Fstp32,
            ExtendedOp::ToDouble => X87Mem::Fstp64,
            ExtendedOp::Return => return Ok(()),
            _ => X87Mem::Fstp80,
        };
        let mem = self.address(cx, to);
        cx.sink.push(Inst::FpuMem { op: store, mem });
        Ok(())
    }
}
