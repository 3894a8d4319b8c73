//! Atomic intrinsics, all but stores sequentially consistent whatever order they name: a stronger order is always
//! correct, and on this processor it costs something only for stores. Those of a weaker order are plain stores (Intel SDM
//! volume 3, 9.2.2: neither loads nor stores before a store are seen behind it).
//!
//! | intrinsic | up to a register | 64 bits on x86-32 |
//! |---|---|---|
//! | load | `mov` | `movq` through a vector register |
//! | store | `xchg` | `movq` through a vector register, `mfence` |
//! | add, sub, exchange | `lock xadd`, `neg` first for sub, `xchg` | `lock cmpxchg8b` loop |
//! | and, or, xor | `lock cmpxchg` loop | `lock cmpxchg8b` loop |
//! | any of these but an exchange without a user | `lock add` and its like | `lock cmpxchg8b` loop |
//! | compare and exchange | `lock cmpxchg` | `lock cmpxchg8b` |
//!
//! A branch on whether a compare-and-exchange has succeeded reads the flags that it leaves.
//!
//! Aligned accesses of up to 8 bytes are atomic (Intel SDM volume 3, 9.1.1); plain loads need no fence
//! where every store has one (ibid., 9.2). The access is made whether or not somebody reads its result.

use crate::inst::{Amode, Base, Inst};
use crate::target::{Cx, X86};
use ice_asm::x86::{Alu, SseOp, Unary, Width};
use ice_codegen::mach::Sink;
use ice_codegen::rules::{AtomicRule, Exchange, Order};
use ice_codegen::{ErrorKind, Operands as _};
use ice_ir::{AtomicOp, Intrinsic, Type, Value};

/// The loop's operation on one register, `None` for what has an instruction of its own.
fn loop_op(op: AtomicOp) -> Option<Alu> {
    match op {
        AtomicOp::And => Some(Alu::And),
        AtomicOp::Or => Some(Alu::Or),
        AtomicOp::Xor => Some(Alu::Xor),
        AtomicOp::Add | AtomicOp::Sub | AtomicOp::Exchange => None,
    }
}

/// The operation that memory has of its own, where the old value is not wanted.
fn locked_op(op: AtomicOp) -> Option<Alu> {
    match op {
        AtomicOp::Add => Some(Alu::Add),
        AtomicOp::Sub => Some(Alu::Sub),
        _ => loop_op(op),
    }
}

/// The loop's operations on the low and high half of a pair, `None` for an exchange.
fn pair_loop_op(op: AtomicOp) -> Option<(Alu, Alu)> {
    match op {
        AtomicOp::Add => Some((Alu::Add, Alu::Adc)),
        AtomicOp::Sub => Some((Alu::Sub, Alu::Sbb)),
        AtomicOp::And => Some((Alu::And, Alu::And)),
        AtomicOp::Or => Some((Alu::Or, Alu::Or)),
        AtomicOp::Xor => Some((Alu::Xor, Alu::Xor)),
        AtomicOp::Exchange => None,
    }
}

impl X86 {
    /// Lowers a call of an atomic intrinsic.
    pub(super) fn atomic<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        op: Intrinsic,
        args: &[Value],
    ) -> Result<(), ErrorKind> {
        match cx.atomic_rule(inst, op, args)? {
            AtomicRule::Load { address, result, .. } => self.atomic_load(cx, address, result),
            AtomicRule::Store { value, address, order } => {
                if !self.modifies(cx, inst, address, value) {
                    self.atomic_store(cx, value, address, order);
                }
            }
            AtomicRule::ReadModifyWrite { op, address, value, result } => {
                self.atomic_rmw(cx, op, address, value, result);
            }
            AtomicRule::CompareExchange(exchange) => self.atomic_cmpxchg(cx, exchange),
            AtomicRule::Delayed => {}
            AtomicRule::Fence => cx.sink.push(Inst::Mfence),
            AtomicRule::IsLockFree { is_free, result } => {
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::MovImm { width: Width::B32, dst, imm: is_free.into() });
            }
        }
        Ok(())
    }

    fn atomic_load<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, address: Value, result: Value) {
        let mem = self.address(cx, address);
        if !self.is_pair(cx.func.value_type(result)) {
            return self.load_from(cx, mem, result);
        }
        let dst = cx.regs(result);
        let whole = self.temp(cx, Type::F64);
        let (op, width) = (SseOp::MovGpr, Width::B32);
        cx.sink.push(Inst::LoadXmm { size: 8, dst: whole, mem });
        cx.sink.push(Inst::XmmToGpr { op, width, dst: dst.lo(), src: whole });
        cx.sink.push(Inst::SseShift { op: SseOp::Psrlq, dst: whole, imm: 32 });
        cx.sink.push(Inst::XmmToGpr { op, width, dst: dst.hi(), src: whole });
    }

    fn atomic_store<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value, address: Value, order: Order) {
        let ty = cx.func.value_type(value);
        let mem = self.address(cx, address);
        if self.is_pair(ty) {
            let slot = self.transfer_slot(cx);
            self.store_to(cx, slot, value);
            let whole = self.temp(cx, Type::F64);
            cx.sink.push(Inst::LoadXmm { size: 8, dst: whole, mem: slot });
            cx.sink.push(Inst::StoreXmm { size: 8, src: whole, mem });
            if order == Order::None {
                cx.sink.push(Inst::Mfence);
            }
        } else if order != Order::None {
            self.store_to(cx, mem, value);
        } else {
            // The old value is dropped.
            let temp = cx.temp(ty);
            self.move_value(cx, temp, value);
            cx.sink.push(Inst::Xchg { width: self.width(ty), dst: temp.lo(), mem });
        }
    }

    fn atomic_rmw<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: AtomicOp,
        address: Value,
        value: Value,
        result: Value,
    ) {
        let ty = cx.func.value_type(value);
        let mem = self.address(cx, address);
        if self.is_pair(ty) {
            return self.pair_rmw(cx, op, mem, value, result);
        }
        let width = self.width(ty);
        if let Some(op) = locked_op(op).filter(|_| cx.uses.count(result) == 0) {
            return self.locked_alu(cx, op, width, value, mem);
        }
        let dst = cx.regs(result);
        if let Some(op) = loop_op(op) {
            let src = self.reg(cx, value);
            let scratch = self.temp(cx, ty);
            return cx.sink.push(Inst::RmwLoop { op, width, src, old: dst.lo(), scratch, mem });
        }
        self.move_value(cx, dst, value);
        let dst = dst.lo();
        if op == AtomicOp::Sub {
            cx.sink.push(Inst::Unary { op: Unary::Neg, width: self.arithmetic_width(ty), dst });
        }
        cx.sink.push(match op {
            AtomicOp::Exchange => Inst::Xchg { width, dst, mem },
            _ => Inst::LockXadd { width, dst, mem },
        });
    }

    /// What nobody reads the old value of is one operation on memory.
    fn locked_alu<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Alu, width: Width, value: Value, mem: Amode) {
        match cx.func.int_value(value).and_then(|number| i32::try_from(number).ok()) {
            Some(imm) => cx.sink.push(Inst::LockAluImm { op, width, imm, mem }),
            None => {
                let src = self.reg(cx, value);
                cx.sink.push(Inst::LockAlu { op, width, src, mem });
            }
        }
    }

    /// The loop needs ecx:ebx and edx:eax, so its operand comes from the frame.
    fn pair_rmw<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: AtomicOp,
        mem: Amode,
        value: Value,
        result: Value,
    ) {
        let operand = cx.sink.frame().add_object(8, 3);
        self.store_to(cx, Amode::new(Base::Object(operand), 0), value);
        let old = cx.regs(result);
        let scratch = [self.temp(cx, Type::I32), self.temp(cx, Type::I32)];
        let op = pair_loop_op(op);
        cx.sink.push(Inst::RmwLoop8b { op, operand, old: [old.lo(), old.hi()], scratch, mem });
    }

    /// Lowers a compare-and-exchange; the zero flag says afterwards whether it has succeeded. On x86-64 one of 32 bits
    /// that succeeds leaves rax as it was, and its upper half was zero.
    pub(super) fn atomic_cmpxchg<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, exchange: Exchange) {
        let Exchange { address, expected, new, result } = exchange;
        let ty = cx.func.value_type(result);
        let mem = self.address(cx, address);
        let expected = self.regs(cx, expected);
        let new = self.regs(cx, new);
        let old = cx.regs(result);
        cx.sink.push(if self.is_pair(ty) {
            Inst::LockCmpxchg8b {
                expected: [expected.lo(), expected.hi()],
                new: [new.lo(), new.hi()],
                old: [old.lo(), old.hi()],
                mem,
            }
        } else {
            Inst::LockCmpxchg {
                width: self.width(ty),
                expected: expected.lo(),
                new: new.lo(),
                old: old.lo(),
                mem,
            }
        });
    }
}
