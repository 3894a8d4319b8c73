//! The 80-bit format of the x87 unit: operands are loaded from memory, the result is stored there.
//!
//! A result that only the next operation reads stays on the stack of the unit. That is empty otherwise between
//! operations, but for the results of a call until they are taken and those of the function itself from when they are
//! given (System V ABI). The control word is that of the ABI: 64 bits of
//! precision, to nearest.

use crate::inst;
use crate::target::{Cx, X86};
use ice_asm::ConstantSize;
use ice_asm::x86::{X87Mem, X87Op, X87Reg};
use ice_codegen::ErrorKind;
use ice_codegen::mach::Sink;
use ice_ir::{ExtendedOp, Function, Inst, InstData, Intrinsic, Value};

/// Most instructions between an operation and the next one that takes over its result.
const MAX_BETWEEN: usize = 12;

/// The operation and its addresses: of the result and of the operands.
fn operation(func: &Function, inst: Inst) -> Option<(ExtendedOp, [Value; 3])> {
    let &InstData::CallIntrinsic { op: Intrinsic::Extended, args, .. } = func.inst(inst) else { return None };
    let &[code, to, a, b] = func.args(args) else { return None };
    Some((func.int_value(code).and_then(ExtendedOp::from_code)?, [to, a, b]))
}

/// The next operation, if it alone reads the result of `inst`, as its first operand or as one of a sum or product: the
/// result is then on the stack of the unit meanwhile.
fn taken_over<S: Sink<inst::Inst>>(cx: &Cx<'_, S>, inst: Inst) -> Option<Inst> {
    let func = cx.func;
    let (op, [result, ..]) = operation(func, inst)?;
    let leaves_number =
        !matches!(op, ExtendedOp::Compare | ExtendedOp::ToSingle | ExtendedOp::ToDouble | ExtendedOp::Return);
    let is_home =
        func.defining_inst(result).is_some_and(|def| matches!(func.inst(def), InstData::Alloca { .. }));
    if !leaves_number || !is_home {
        return None;
    }
    let mut next = func.layout.next_inst(inst);
    for _ in 0..MAX_BETWEEN {
        let user = next?;
        if let Some((op, [to, a, b])) = operation(func, user) {
            let reads = match op {
                ExtendedOp::Add | ExtendedOp::Mul => (a == result) != (b == result),
                ExtendedOp::Sub | ExtendedOp::Div => a == result && b != result,
                ExtendedOp::Sqrt | ExtendedOp::ToSingle | ExtendedOp::ToDouble | ExtendedOp::Return => {
                    a == result
                }
                _ => false,
            };
            let named = [to, a, b].into_iter().filter(|&address| address == result).count() as u32;
            return (reads && cx.uses.count(result) == 1 + named).then_some(user);
        }
        let is_other = matches!(
            func.inst(user),
            InstData::Load { .. } | InstData::Store { .. } | InstData::Binary { .. } | InstData::Icmp { .. }
        );
        if !is_other && !cx.uses.is_dead(user) {
            return None;
        }
        next = func.layout.next_inst(user);
    }
    None
}

/// The operand of `inst`, by its address, that is on the stack of the unit already.
fn on_stack<S: Sink<inst::Inst>>(cx: &Cx<'_, S>, inst: Inst) -> Option<Value> {
    let mut before = cx.func.layout.prev_inst(inst);
    for _ in 0..MAX_BETWEEN {
        let inst_before = before?;
        if let Some((_, [result, ..])) = operation(cx.func, inst_before) {
            return (taken_over(cx, inst_before) == Some(inst)).then_some(result);
        }
        before = cx.func.layout.prev_inst(inst_before);
    }
    None
}

impl X86 {
    /// Lowers [`Intrinsic::Extended`](ice_ir::Intrinsic::Extended).
    pub(super) fn extended_operation<S: Sink<inst::Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: Inst,
    ) -> Result<(), ErrorKind> {
        let unknown = ErrorKind::Unsupported("an unknown operation on 80-bit floats");
        let (op, [to, a, b]) = operation(cx.func, inst).ok_or(unknown)?;
        let (known, stays) = (on_stack(cx, inst), taken_over(cx, inst).is_some());
        let mut memory = |op, address| {
            let (op, mem) = match cx.func.int_value(address) {
                Some(bits) => {
                    let bits = u128::from(bits as u32);
                    (X87Mem::Fld32, self.constant_address(cx, ConstantSize::C4, bits))
                }
                None => (op, self.address(cx, address)),
            };
            cx.sink.push(inst::Inst::FpuMem { op, mem });
        };
        match op {
            ExtendedOp::Add | ExtendedOp::Sub | ExtendedOp::Mul | ExtendedOp::Div => {
                // Sums and products are the same with their operands exchanged.
                for operand in [a, b].into_iter().filter(|&operand| Some(operand) != known) {
                    memory(X87Mem::Fld80, operand);
                }
                let op = match op {
                    ExtendedOp::Add => X87Reg::Faddp,
                    ExtendedOp::Sub => X87Reg::Fsubp,
                    ExtendedOp::Mul => X87Reg::Fmulp,
                    _ => X87Reg::Fdivp,
                };
                cx.sink.push(inst::Inst::FpuPair { op });
            }
            // The top of the stack is compared with what is below.
            ExtendedOp::Compare => {
                memory(X87Mem::Fld80, b);
                memory(X87Mem::Fld80, a);
                cx.sink.push(inst::Inst::FpuTop { op: X87Op::Fucompp });
            }
            ExtendedOp::FromSingle => memory(X87Mem::Fld32, a),
            ExtendedOp::FromDouble => memory(X87Mem::Fld64, a),
            ExtendedOp::Sqrt => {
                if Some(a) != known {
                    memory(X87Mem::Fld80, a);
                }
                cx.sink.push(inst::Inst::FpuTop { op: X87Op::Fsqrt });
            }
            ExtendedOp::ToSingle | ExtendedOp::ToDouble | ExtendedOp::Return if Some(a) == known => {}
            ExtendedOp::ToSingle | ExtendedOp::ToDouble | ExtendedOp::Return => memory(X87Mem::Fld80, a),
            ExtendedOp::Result => {}
        }
        let store = match op {
            ExtendedOp::Compare => X87Mem::Fnstsw,
            ExtendedOp::ToSingle => X87Mem::Fstp32,
            ExtendedOp::ToDouble => X87Mem::Fstp64,
            ExtendedOp::Return => return Ok(()),
            _ if stays => return Ok(()),
            _ => X87Mem::Fstp80,
        };
        let mem = self.address(cx, to);
        cx.sink.push(inst::Inst::FpuMem { op: store, mem });
        Ok(())
    }
}
