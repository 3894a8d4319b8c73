//! The 80-bit format of the x87 unit: operands are loaded from memory, the result is stored there.
//!
//! A result that the next operation alone wants, and nothing else reads from its place, stays on the stack of the unit between
//! them. Otherwise that is empty between operations, but for the results of a call until they are taken and those
//! of the function itself from when they are given (System V ABI). The control word is that of the ABI: 64 bits of
//! precision, to nearest.

use crate::inst::Inst;
use crate::target::{Cx, X86};
use ice_asm::ConstantSize;
use ice_asm::x86::{X87Mem, X87Op, X87Reg};
use ice_codegen::ErrorKind;
use ice_codegen::mach::Sink;
use ice_ir::{BinaryOp, ExtendedOp, InstData, Intrinsic, Value};

/// Most instructions between an operation and the next one, which takes its result from the stack.
const MAX_BETWEEN: usize = 8;

/// An operation, and its places: the result's and the operands'.
#[derive(Clone, Copy)]
struct Operation {
    op: ExtendedOp,
    to: Value,
    args: [Value; 2],
}

/// The operation that `inst` is.
fn operation<S: Sink<Inst>>(cx: &Cx<'_, S>, inst: ice_ir::Inst) -> Option<Operation> {
    let &InstData::CallIntrinsic { op: Intrinsic::Extended, args, .. } = cx.func.inst(inst) else {
        return None;
    };
    let &[code, to, a, b] = cx.func.args(args) else { return None };
    let op = cx.func.int_value(code).and_then(ExtendedOp::from_code)?;
    Some(Operation { op, to, args: [a, b] })
}

impl Operation {
    /// How often it names a place.
    fn names(&self, place: Value) -> u32 {
        [self.to, self.args[0], self.args[1]].iter().filter(|&&name| name == place).count() as u32
    }

    /// The operands that it loads.
    fn loaded(&self) -> &[Value] {
        match self.op {
            ExtendedOp::Add | ExtendedOp::Sub | ExtendedOp::Mul | ExtendedOp::Div | ExtendedOp::Compare => {
                &self.args
            }
            ExtendedOp::Sqrt | ExtendedOp::ToSingle | ExtendedOp::ToDouble | ExtendedOp::Return => {
                &self.args[..1]
            }
            ExtendedOp::FromSingle | ExtendedOp::FromDouble | ExtendedOp::FromLong | ExtendedOp::Result => {
                &[]
            }
        }
    }

    /// How the result is stored, if there is one.
    fn store(&self) -> Option<X87Mem> {
        Some(match self.op {
            ExtendedOp::Compare => X87Mem::Fnstsw,
            ExtendedOp::ToSingle => X87Mem::Fstp32,
            ExtendedOp::ToDouble => X87Mem::Fstp64,
            ExtendedOp::Return => return None,
            _ => X87Mem::Fstp80,
        })
    }
}

/// The next operation behind `first`, if it takes the result of that from the stack: there is one user of the place, and
/// between them is nothing but accesses to memory and sums.
fn taker<S: Sink<Inst>>(cx: &Cx<'_, S>, first: ice_ir::Inst) -> Option<ice_ir::Inst> {
    let stored = operation(cx, first).filter(|op| op.store() == Some(X87Mem::Fstp80))?;
    let to = stored.to;
    // The operation itself names the place once, but where it names nothing else.
    let own = stored.names(to);
    let mut next = cx.func.layout.next_inst(first);
    for _ in 0..MAX_BETWEEN {
        let inst = next?;
        if let Some(second) = operation(cx, inst) {
            let wants = second.loaded().iter().filter(|&&place| place == to).count();
            return (wants == 1 && second.to != to && cx.uses.count(to) == own + second.names(to))
                .then_some(inst);
        }
        match cx.func.inst(inst) {
            _ if cx.uses.is_dead(inst) => {}
            InstData::Load { .. } | InstData::Store { .. } | InstData::Binary { op: BinaryOp::Add, .. } => {}
            _ => return None,
        }
        next = cx.func.layout.next_inst(inst);
    }
    None
}

/// The operand of `inst` that an operation before has left on the stack.
fn taken<S: Sink<Inst>>(cx: &Cx<'_, S>, inst: ice_ir::Inst) -> Option<Value> {
    let layout = &cx.func.layout;
    let first = core::iter::successors(layout.prev_inst(inst), |&inst| layout.prev_inst(inst))
        .take(MAX_BETWEEN + 1)
        .find(|&inst| operation(cx, inst).is_some())?;
    (taker(cx, first) == Some(inst)).then(|| operation(cx, first).map(|first| first.to))?
}

impl X86 {
    /// Lowers [`Intrinsic::Extended`](ice_ir::Intrinsic::Extended).
    pub(super) fn extended_operation<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
    ) -> Result<(), ErrorKind> {
        let operation = operation(cx, inst);
        let operation = operation.ok_or(ErrorKind::Unsupported("an unknown operation on 80-bit floats"))?;
        let Operation { op, to, args: [a, b] } = operation;
        let taken = taken(cx, inst);
        let memory = |cx: &mut Cx<'_, S>, op, address| {
            if taken == Some(address) {
                return;
            }
            let (op, mem) = match cx.func.int_value(address) {
                Some(bits) => {
                    let bits = u128::from(bits as u32);
                    (X87Mem::Fld32, self.constant_address(cx, ConstantSize::C4, bits))
                }
                None => (op, self.address(cx, address)),
            };
            cx.sink.push(Inst::FpuMem { op, mem });
        };
        // What is taken lies below what is loaded.
        let exchange = |cx: &mut Cx<'_, S>| cx.sink.push(Inst::FpuPair { op: X87Reg::Fxch });
        match op {
            ExtendedOp::Add | ExtendedOp::Sub | ExtendedOp::Mul | ExtendedOp::Div => {
                memory(cx, X87Mem::Fld80, a);
                memory(cx, X87Mem::Fld80, b);
                if taken == Some(b) && matches!(op, ExtendedOp::Sub | ExtendedOp::Div) {
                    exchange(cx);
                }
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
                memory(cx, X87Mem::Fld80, b);
                memory(cx, X87Mem::Fld80, a);
                if taken == Some(a) {
                    exchange(cx);
                }
                cx.sink.push(Inst::FpuTop { op: X87Op::Fucompp });
            }
            ExtendedOp::FromSingle => memory(cx, X87Mem::Fld32, a),
            ExtendedOp::FromDouble => memory(cx, X87Mem::Fld64, a),
            ExtendedOp::FromLong => memory(cx, X87Mem::Fild64, a),
            ExtendedOp::Sqrt => {
                memory(cx, X87Mem::Fld80, a);
                cx.sink.push(Inst::FpuTop { op: X87Op::Fsqrt });
            }
            ExtendedOp::ToSingle | ExtendedOp::ToDouble | ExtendedOp::Return => {
                memory(cx, X87Mem::Fld80, a);
            }
            ExtendedOp::Result => {}
        }
        if let Some(store) = operation.store()
            && taker(cx, inst).is_none()
        {
            let mem = self.address(cx, to);
            cx.sink.push(Inst::FpuMem { op: store, mem });
        }
        Ok(())
    }
}
