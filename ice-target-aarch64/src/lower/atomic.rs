//! Atomic intrinsics.
//!
//! | intrinsic | instructions |
//! |---|---|
//! | load | `ldr` if relaxed, else `ldar` |
//! | store | `str` if relaxed, else `stlr` |
//! | read-modify-write | loop of `ldaxr` and `stlxr` |
//! | compare and exchange | the same |
//! | fence | `dmb ish` |
//!
//! `ldar` and `stlr` alone are sequentially consistent among each other (Arm Architecture Reference Manual, DDI 0487, B2.3.11).
//! A loop with both orders is what LLVM makes for ARMv8.0.

use super::memory::{load_op, store_op};
use crate::inst::{Inst, Update};
use crate::target::{Aarch64, Cx};
use ice_asm::aarch64::{Alu, Width};
use ice_codegen::mach::Sink;
use ice_codegen::rules::{AtomicRule, Exchange, Order};
use ice_codegen::{ErrorKind, Operands as _};
use ice_ir::{AtomicOp, Intrinsic, Type, Value};

/// What a loop does.
fn update(op: AtomicOp) -> Update {
    match op {
        AtomicOp::Add => Update::Alu(Alu::Add),
        AtomicOp::Sub => Update::Alu(Alu::Sub),
        AtomicOp::And => Update::Alu(Alu::And),
        AtomicOp::Or => Update::Alu(Alu::Orr),
        AtomicOp::Xor => Update::Alu(Alu::Eor),
        AtomicOp::Exchange => Update::Exchange,
    }
}

/// log2 of the bytes of an integer type.
fn size_log2(ty: Type) -> u8 {
    ty.bytes().trailing_zeros() as u8
}

impl Aarch64 {
    /// Lowers a call of an atomic intrinsic.
    pub(super) fn atomic<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        op: Intrinsic,
        args: &[Value],
    ) -> Result<(), ErrorKind> {
        match cx.atomic_rule(inst, op, args)? {
            AtomicRule::Fence => cx.sink.push(Inst::Fence),
            AtomicRule::Load { address, result, order } => {
                let ty = cx.func.value_type(result);
                let address = self.reg(cx, address);
                let dst = cx.regs(result).lo();
                cx.sink.push(match order {
                    Order::Any => Inst::LoadAlone { op: load_op(ty), dst, address },
                    _ => Inst::LoadAcquire { size_log2: size_log2(ty), dst, address },
                });
            }
            AtomicRule::Store { value, address, order } => {
                let ty = cx.func.value_type(value);
                let address = self.reg(cx, address);
                let src = self.src(cx, value);
                cx.sink.push(match order {
                    Order::Any => Inst::StoreAlone { op: store_op(ty), src, address },
                    _ => Inst::StoreRelease { size_log2: size_log2(ty), src, address },
                });
            }
            AtomicRule::ReadModifyWrite { op, address, value, result } => {
                let size_log2 = size_log2(cx.func.value_type(result));
                let address = self.reg(cx, address);
                let src = self.src(cx, value);
                let old = cx.regs(result).lo();
                cx.sink.push(Inst::AtomicRmw { op: update(op), size_log2, old, src, address });
            }
            AtomicRule::CompareExchange(exchange) => self.atomic_cmpxchg(cx, exchange),
            AtomicRule::Delayed => {}
            AtomicRule::IsLockFree { is_free, result } => {
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::MovImm { width: Width::W, dst, imm: is_free.into() });
            }
        }
        Ok(())
    }

    /// Lowers a compare-and-exchange, behind which the flags say whether the expected value was there.
    pub(super) fn atomic_cmpxchg<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, exchange: Exchange) {
        let Exchange { address, expected, new, result } = exchange;
        let size_log2 = size_log2(cx.func.value_type(result));
        let address = self.reg(cx, address);
        let [expected, new] = [expected, new].map(|value| self.src(cx, value));
        let old = cx.regs(result).lo();
        cx.sink.push(Inst::AtomicCmpxchg { size_log2, old, expected, new, address });
    }
}
