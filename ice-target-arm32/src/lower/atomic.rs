//! Atomic intrinsics: a barrier before and one behind. Loads and stores that name a weaker order leave out what it does
//! not ask for, all others are sequentially consistent.
//!
//! | intrinsic | up to 32 bits | 64 bits |
//! |---|---|---|
//! | load | `ldr`, `dmb` unless relaxed | `ldrexd`, `dmb` unless relaxed |
//! | store | `dmb` unless relaxed, `str`, `dmb` if sequentially consistent | as an exchange, with the same barriers |
//! | read-modify-write | loop of `ldrex` and `strex` | the same with `ldrexd` and `strexd` |
//! | compare and exchange | the same | the same |
//!
//! A branch on whether a compare-and-exchange has succeeded reads the flags that it leaves: those of its comparison if
//! that fails, and those of the store's result, 0, if it stores.
//!
//! Aligned accesses of up to 4 bytes are single-copy atomic, and so is `ldrexd` (DDI 0406C A3.5.3).

use super::Signedness;
use crate::address::{load_op, store_op};
use crate::inst::{Amode, Base, Inst};
use crate::target::{Arm32, Cx};
use ice_asm::arm32::{Alu, Exclusive};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::rules::{AtomicRule, Exchange, Order};
use ice_codegen::{ErrorKind, Operands as _, ValueRegs, Words as _};
use ice_ir::{AtomicOp, Intrinsic, Type, Value};

/// The operations on a word, or the low and high half of a pair; `None` for an exchange.
fn loop_op(op: AtomicOp) -> Option<(Alu, Alu)> {
    match op {
        AtomicOp::Add => Some((Alu::Add, Alu::Adc)),
        AtomicOp::Sub => Some((Alu::Sub, Alu::Sbc)),
        AtomicOp::And => Some((Alu::And, Alu::And)),
        AtomicOp::Or => Some((Alu::Orr, Alu::Orr)),
        AtomicOp::Xor => Some((Alu::Eor, Alu::Eor)),
        AtomicOp::Exchange => None,
    }
}

fn width(ty: Type) -> Exclusive {
    match ty {
        Type::I1 | Type::I8 => Exclusive::Byte,
        Type::I16 => Exclusive::Half,
        _ => Exclusive::Word,
    }
}

impl Arm32 {
    /// Lowers a call of an atomic intrinsic.
    pub(super) fn atomic<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        op: Intrinsic,
        args: &[Value],
    ) -> Result<(), ErrorKind> {
        match cx.atomic_rule(inst, op, args)? {
            AtomicRule::Load { address, result, order } => self.atomic_load(cx, address, result, order),
            AtomicRule::Store { value, address, order } => self.atomic_store(cx, value, address, order),
            AtomicRule::ReadModifyWrite { op, address, value, result } => {
                let old = cx.regs(result);
                self.fenced(cx, |cx| self.atomic_rmw(cx, op, address, value, old));
            }
            AtomicRule::CompareExchange(exchange) => self.atomic_cmpxchg(cx, exchange),
            AtomicRule::Delayed => {}
            AtomicRule::Fence => cx.sink.push(Inst::Fence),
            AtomicRule::IsLockFree { is_free, result } => {
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::MovImm { dst, imm: is_free.into() });
            }
        }
        Ok(())
    }

    fn fenced<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, access: impl FnOnce(&mut Cx<'_, S>)) {
        cx.sink.push(Inst::Fence);
        access(cx);
        cx.sink.push(Inst::Fence);
    }

    /// The address in a register: exclusive accesses have no offset.
    fn plain_address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, address: Value) -> VReg {
        self.reg(cx, address)
    }

    fn atomic_load<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, address: Value, result: Value, order: Order) {
        let ty = cx.func.value_type(result);
        let address = self.plain_address(cx, address);
        let dst = cx.regs(result);
        cx.sink.push(match ty {
            Type::I64 => Inst::AtomicLoadPair { dst: [dst.lo(), dst.hi()], address },
            _ => Inst::Load { op: load_op(ty), dst: dst.lo(), mem: Amode::new(Base::Reg(address), 0) },
        });
        if order != Order::Any {
            cx.sink.push(Inst::Fence);
        }
    }

    fn atomic_store<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value, address: Value, order: Order) {
        let ty = cx.func.value_type(value);
        if order != Order::Any {
            cx.sink.push(Inst::Fence);
        }
        if ty == Type::I64 {
            // The old value is dropped.
            let old = cx.temp(ty);
            self.atomic_rmw(cx, AtomicOp::Exchange, address, value, old);
        } else {
            let address = self.plain_address(cx, address);
            let src = self.reg(cx, value);
            cx.sink.push(Inst::Store { op: store_op(ty), src, mem: Amode::new(Base::Reg(address), 0) });
        }
        if order == Order::None {
            cx.sink.push(Inst::Fence);
        }
    }

    fn atomic_rmw<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: AtomicOp,
        address: Value,
        value: Value,
        old: ValueRegs,
    ) {
        let ty = cx.func.value_type(value);
        let address = self.plain_address(cx, address);
        let src = self.regs(cx, value);
        let op = loop_op(op);
        if ty == Type::I64 {
            let new = [self.temp(cx), self.temp(cx)];
            let (old, src) = ([old.lo(), old.hi()], [src.lo(), src.hi()]);
            return cx.sink.push(Inst::AtomicRmwPair { op, old, new, src, address });
        }
        let (op, new) = (op.map(|(op, _)| op), self.temp(cx));
        cx.sink.push(Inst::AtomicRmw { op, width: width(ty), old: old.lo(), new, src: src.lo(), address });
    }

    /// Lowers a compare-and-exchange with its barriers; the flags are equal afterwards if it has succeeded.
    pub(super) fn atomic_cmpxchg<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, exchange: Exchange) {
        self.fenced(cx, |cx| self.exchange(cx, exchange));
    }

    fn exchange<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, exchange: Exchange) {
        let Exchange { address, expected, new, result } = exchange;
        let ty = cx.func.value_type(result);
        let address = self.plain_address(cx, address);
        let old = cx.regs(result);
        if ty == Type::I64 {
            let (expected, new) = (self.regs(cx, expected), self.regs(cx, new));
            return cx.sink.push(Inst::AtomicCmpxchgPair {
                old: [old.lo(), old.hi()],
                expected: [expected.lo(), expected.hi()],
                new: [new.lo(), new.hi()],
                address,
            });
        }
        // The load clears the bits above a narrow value.
        let expected = self.extended(cx, Signedness::Unsigned, expected);
        let new = self.reg(cx, new);
        cx.sink.push(Inst::AtomicCmpxchg { width: width(ty), old: old.lo(), expected, new, address });
    }
}
