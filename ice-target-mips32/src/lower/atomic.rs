//! Atomic intrinsics, all sequentially consistent whatever order they name: a barrier before and one behind.
//!
//! | intrinsic | 32 bits | 8 and 16 bits | 64 bits |
//! |---|---|---|---|
//! | load | `lw`, `sync` unless relaxed | the same | helper |
//! | store | `sync` unless relaxed, `sw`, `sync` if sequentially consistent | the same | helper |
//! | read-modify-write | loop of `ll` and `sc` | the same on their bits of the word | helper |
//! | compare and exchange | the same | the same | helper |
//!
//! Aligned accesses of up to 4 bytes are single-copy atomic. Those of 64 bits are all behind locks, of the runtime in PNaCl
//! programs and of libatomic in native ones.

use crate::inst::{Amode, Base, Inst, Src};
use crate::target::{Cx, Mips32};
use arrayvec::ArrayVec;
use ice_asm::mips32::{Alu, Shift, ShiftBy, Transfer};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::rules::{AtomicRule, Exchange, Order};
use ice_codegen::{ErrorKind, Libcall, Operands as _, ValueRegs, Words as _};
use ice_ir::{AtomicOp, Intrinsic, Type, Value};

/// The operation on a word; `None` for an exchange.
fn word_op(op: AtomicOp) -> Option<Alu> {
    match op {
        AtomicOp::Add => Some(Alu::Addu),
        AtomicOp::Sub => Some(Alu::Subu),
        AtomicOp::And => Some(Alu::And),
        AtomicOp::Or => Some(Alu::Or),
        AtomicOp::Xor => Some(Alu::Xor),
        AtomicOp::Exchange => None,
    }
}

/// The helper for 64 bits.
fn wide_op(op: AtomicOp) -> Libcall {
    match op {
        AtomicOp::Add => Libcall::AtomicAdd8,
        AtomicOp::Sub => Libcall::AtomicSub8,
        AtomicOp::And => Libcall::AtomicAnd8,
        AtomicOp::Or => Libcall::AtomicOr8,
        AtomicOp::Xor => Libcall::AtomicXor8,
        AtomicOp::Exchange => Libcall::AtomicExchange8,
    }
}

/// The load and the store of a type.
fn transfers(ty: Type) -> [Transfer; 2] {
    match ty {
        Type::I1 | Type::I8 => [Transfer::Lbu, Transfer::Sb],
        Type::I16 => [Transfer::Lhu, Transfer::Sh],
        _ => [Transfer::Lw, Transfer::Sw],
    }
}

/// Where 8 or 16 bits are: the address of their word, their lowest bit in it, and all of them.
struct Part {
    address: VReg,
    shift: VReg,
    mask: VReg,
}

impl Mips32 {
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
            AtomicRule::Load { address, result, order } => self.atomic_load(cx, address, result, order),
            AtomicRule::Store { value, address, order } => self.atomic_store(cx, value, address, order),
            AtomicRule::ReadModifyWrite { op, address, value, result } => {
                self.atomic_rmw(cx, op, [address, value], result);
            }
            AtomicRule::CompareExchange(exchange) => self.atomic_cmpxchg(cx, exchange),
            AtomicRule::Delayed => {}
            AtomicRule::IsLockFree { is_free, result } => {
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::MovImm { dst, imm: is_free.into() });
            }
        }
        Ok(())
    }

    /// A call of a helper for 64 bits with an address and other arguments.
    fn wide_atomic<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        helper: Libcall,
        address: Value,
        values: &[Value],
        result: Option<Value>,
    ) {
        let mut args = ArrayVec::<(ValueRegs, Type), 4>::new();
        args.push((self.regs(cx, address), Type::I32));
        args.extend(values.iter().map(|&value| (self.regs(cx, value), Type::I64)));
        if self.is_native() {
            args.push((self.number_of_order(cx), Type::I32));
        }
        let result = result.map(|value| (cx.regs(value), Type::I64));
        self.libcall(cx, helper, &args, result);
    }

    /// The number of sequential consistency to functions of libatomic (`__ATOMIC_SEQ_CST`).
    fn number_of_order<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) -> ValueRegs {
        let order = cx.temp(Type::I32);
        cx.sink.push(Inst::MovImm { dst: order.lo(), imm: 5 });
        order
    }

    /// A compare-and-exchange of 64 bits in native programs: what was there is in an object of the frame afterwards,
    /// where the expected value was before.
    fn wide_exchange<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, exchange: Exchange) {
        let Exchange { address, expected, new, result } = exchange;
        let object = Amode::new(Base::Object(cx.sink.frame().add_object(8, 3)), 0);
        self.store_to(cx, object, 3, expected);
        let at = cx.temp(Type::I32);
        cx.sink.push(Inst::Lea { dst: at.lo(), mem: object });
        let (address, new) = ((self.regs(cx, address), Type::I32), (self.regs(cx, new), Type::I64));
        let orders = [(); 2].map(|()| (self.number_of_order(cx), Type::I32));
        let args = [address, (at, Type::I32), new, orders[0], orders[1]];
        let is_stored = cx.temp(Type::I32);
        self.libcall(cx, Libcall::LibatomicCompareExchange8, &args, Some((is_stored, Type::I32)));
        self.load_from(cx, object, 3, result);
    }

    fn atomic_load<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, address: Value, result: Value, order: Order) {
        let ty = cx.func.value_type(result);
        if ty == Type::I64 {
            return self.wide_atomic(cx, Libcall::AtomicLoad8, address, &[], Some(result));
        }
        let mem = Amode::new(Base::Reg(self.reg(cx, address)), 0);
        let ([op, _], dst) = (transfers(ty), cx.regs(result).lo());
        cx.sink.push(Inst::Load { op, dst, mem });
        if order != Order::Any {
            cx.sink.push(Inst::Fence);
        }
    }

    fn atomic_store<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value, address: Value, order: Order) {
        let ty = cx.func.value_type(value);
        if ty == Type::I64 {
            return self.wide_atomic(cx, Libcall::AtomicStore8, address, &[value], None);
        }
        let mem = Amode::new(Base::Reg(self.reg(cx, address)), 0);
        let ([_, op], src) = (transfers(ty), self.src(cx, value));
        if order != Order::Any {
            cx.sink.push(Inst::Fence);
        }
        cx.sink.push(Inst::Store { op, src, mem });
        if order == Order::None {
            cx.sink.push(Inst::Fence);
        }
    }

    fn atomic_rmw<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: AtomicOp,
        [address, value]: [Value; 2],
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        if ty == Type::I64 {
            return self.wide_atomic(cx, wide_op(op), address, &[value], Some(result));
        }
        let old = cx.regs(result).lo();
        if ty == Type::I32 {
            let (address, src) = (self.reg(cx, address), self.src(cx, value));
            cx.sink.push(Inst::Fence);
            cx.sink.push(Inst::AtomicRmw { op: word_op(op), old, src, address });
            return cx.sink.push(Inst::Fence);
        }
        let part = self.part(cx, address, ty);
        let src = self.in_place(cx, &part, value);
        let [word, new] = [self.temp(cx), self.temp(cx)];
        let (op, mask, address) = (word_op(op), part.mask, part.address);
        cx.sink.push(Inst::Fence);
        cx.sink.push(Inst::AtomicRmwPart { op, old: word, new, src, mask, address });
        cx.sink.push(Inst::Fence);
        cx.sink.push(Inst::ShiftBy { op: ShiftBy::Srlv, dst: old, src: word, amount: part.shift });
    }

    /// Lowers a compare-and-exchange with its barriers.
    pub(super) fn atomic_cmpxchg<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, exchange: Exchange) {
        let Exchange { address, expected, new, result } = exchange;
        let ty = cx.func.value_type(result);
        if ty == Type::I64 && self.is_native() {
            return self.wide_exchange(cx, exchange);
        }
        if ty == Type::I64 {
            return self.wide_atomic(cx, Libcall::AtomicCmpxchg8, address, &[expected, new], Some(result));
        }
        let old = cx.regs(result).lo();
        if ty == Type::I32 {
            let address = self.reg(cx, address);
            let [expected, new] = [expected, new].map(|value| self.src(cx, value));
            cx.sink.push(Inst::Fence);
            cx.sink.push(Inst::AtomicCmpxchg { old, expected, new, address });
            return cx.sink.push(Inst::Fence);
        }
        let part = self.part(cx, address, ty);
        let [expected, new] = [expected, new].map(|value| self.in_place(cx, &part, value));
        let (word, mask, address) = (self.temp(cx), part.mask, part.address);
        cx.sink.push(Inst::Fence);
        cx.sink.push(Inst::AtomicCmpxchgPart { old: word, expected, new, mask, address });
        cx.sink.push(Inst::Fence);
        cx.sink.push(Inst::ShiftBy { op: ShiftBy::Srlv, dst: old, src: word, amount: part.shift });
    }

    fn part<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, address: Value, ty: Type) -> Part {
        let at = self.reg(cx, address);
        let word = self.alu_imm_temp(cx, Alu::And, at, !3);
        let byte = self.alu_imm_temp(cx, Alu::And, at, 3);
        let shift = self.shift_temp(cx, Shift::Sll, byte, 3);
        let ones = self.number_reg(cx, if ty == Type::I16 { 0xffff } else { 0xff });
        let mask = self.temp(cx);
        cx.sink.push(Inst::ShiftBy { op: ShiftBy::Sllv, dst: mask, src: ones, amount: shift });
        Part { address: word, shift, mask }
    }

    /// A narrow value where its bits are in the word, with zeros around it.
    fn in_place<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, part: &Part, value: Value) -> Src {
        let (src, dst) = (self.extended(cx, Signedness::Unsigned, value), self.temp(cx));
        cx.sink.push(Inst::ShiftBy { op: ShiftBy::Sllv, dst, src, amount: part.shift });
        Src::Reg(dst)
    }
}
