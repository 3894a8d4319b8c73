//! Loads, stores and stack allocation.

use super::compare::{Test, float_test};
use super::int::{alu, shift};
use crate::inst::{Amode, Amount, Base, Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::{Alu, Unary, Width};
use ice_codegen::abi::PAGE;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::needed_bits::{Half, only_half};
use ice_codegen::{Operands as _, Target as _};
use ice_ir::{BinaryOp, CastOp, InstData, Type, Value};

impl X86 {
    /// A load of any type.
    pub(crate) fn load<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, address: Value, result: Value) {
        let mem = self.address(cx, address);
        self.load_from(cx, mem, result);
    }

    /// Whether `value` is a pair that is loaded to be stored, and nothing else: it goes through a vector register.
    fn is_copied<S: Sink<Inst>>(self, cx: &Cx<'_, S>, value: Value) -> bool {
        let is_load = |value| {
            let def = cx.func.defining_inst(value);
            def.is_some_and(|def| matches!(cx.func.inst(def), InstData::Load { .. }))
        };
        cx.uses.known_count(value) == Some(1)
            && is_load(value)
            && cx.uses.last_user(value).is_some_and(|user| {
                matches!(*cx.func.inst(user), InstData::Store { value: stored, .. } if stored == value)
            })
    }

    /// The vector register of a value that is copied.
    fn copied_reg<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> VReg {
        if let Some(reg) = cx.plain_reg(value) {
            return reg;
        }
        let reg = self.temp(cx, Type::F64);
        if !cx.share(value, reg) {
            cx.fault("a pair that is copied is in other registers");
        }
        reg
    }

    /// A load of `result` from a memory operand.
    pub(super) fn load_from<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mem: Amode, result: Value) {
        let ty = cx.func.value_type(result);
        if self.is_pair(ty) {
            return self.load_pair(cx, mem, result);
        }
        if ty.is_vector() || ty.is_scalar_float() {
            let dst = cx.regs(result).lo();
            cx.sink.push(Inst::LoadXmm { size: ty.bytes() as u8, dst, mem });
        } else {
            let dst = self.loaded_reg(cx, mem, result);
            cx.sink.push(Inst::Load { width: self.width(ty), dst, mem });
        }
    }

    /// The register of an integer that is loaded. What it is extended to lives in it too, so its slot has 64 bits if registers have.
    /// Not a word that may be read from memory where it is used, with what stands behind it there.
    fn loaded_reg<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mem: Amode, value: Value) -> VReg {
        let is_extended = match cx.func.value_type(value) {
            Type::I8 | Type::I16 => true,
            ty => ty == Type::I32 && cx.uses.is_widened(value) && !mem.is_constant(),
        };
        if is_extended && !self.has_pairs() && cx.plain_reg(value).is_none() {
            let reg = self.temp(cx, Type::I64);
            if cx.share(value, reg) {
                return reg;
            }
        }
        cx.regs(value).lo()
    }

    /// A load of a pair.
    #[inline(never)]
    fn load_pair<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mem: Amode, result: Value) {
        if self.is_copied(cx, result) {
            let dst = self.copied_reg(cx, result);
            return cx.sink.push(Inst::LoadXmm { size: 8, dst, mem });
        }
        let dst = cx.regs(result);
        if let Some(half) = only_half(cx.func, cx.uses, result) {
            let [(dst, mem), (other, _)] = match half {
                Half::Low => [(dst.lo(), mem), (dst.hi(), mem)],
                Half::High => [(dst.hi(), mem.offset(4)), (dst.lo(), mem)],
            };
            cx.sink.push(Inst::Load { width: Width::B32, dst, mem });
            cx.sink.push(Inst::Undefined { dst: other });
        } else if mem.is_constant() {
            // Each word alone can be read where it is used.
            for (dst, mem) in [(dst.lo(), mem), (dst.hi(), mem.offset(4))] {
                cx.sink.push(Inst::Load { width: Width::B32, dst, mem });
            }
        } else {
            cx.sink.push(Inst::LoadPair { lo: dst.lo(), hi: dst.hi(), mem });
        }
    }

    /// A store of any type.
    pub(crate) fn store<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        address: Value,
        value: Value,
    ) {
        if self.modifies(cx, inst, address, value) {
            return;
        }
        let mem = self.address(cx, address);
        if cx.folded(value).is_some()
            && let Some([_, comparison]) = self.stored_flag(cx, inst)
            && let Test::One(cond) = self.compare(cx, comparison)
        {
            return cx.sink.push(Inst::SetccMem { cond, mem });
        }
        self.store_to(cx, mem, value);
    }

    /// The extension and the comparison of which `store` stores the result as a byte, if nothing else needs them.
    fn stored_flag<S: Sink<Inst>>(self, cx: &Cx<'_, S>, store: ice_ir::Inst) -> Option<[ice_ir::Inst; 2]> {
        let &InstData::Store { value, .. } = cx.func.inst(store) else { return None };
        let cast = cx.func.defining_inst(value).filter(|_| cx.func.value_type(value) == Type::I8)?;
        let &InstData::Cast { op: CastOp::Zext, arg } = cx.func.inst(cast) else { return None };
        let comparison = cx.func.defining_inst(arg).filter(|_| cx.func.value_type(arg) == Type::I1)?;
        let is_one = match *cx.func.inst(comparison) {
            InstData::Icmp { args, .. } => {
                let ty = cx.func.value_type(args[0]);
                ty.is_scalar_int() && !self.is_pair(ty) && cx.exchange_of(comparison).is_none()
            }
            InstData::Fcmp { cond, .. } => float_test(cond).1.is_one(),
            _ => false,
        };
        let is_alone = cx.uses.only_user_in_block(cx.func, cast, value) == Some(store)
            && cx.uses.only_user_in_block(cx.func, comparison, arg) == Some(cast);
        (is_one && is_alone && !self.is_confined()).then_some([cast, comparison])
    }

    /// Whether `def` is the extension or the comparison of a flag, and `user` what follows it there.
    pub(super) fn folds_into_flag<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let store = match *cx.func.inst(user) {
            InstData::Cast { op: CastOp::Zext, .. } => {
                cx.func.result(user).and_then(|value| cx.uses.only_user_in_block(cx.func, user, value))
            }
            InstData::Store { .. } => Some(user),
            _ => None,
        };
        store.and_then(|store| self.stored_flag(cx, store)).is_some_and(|parts| parts.contains(&def))
    }

    /// A store of what one operation on memory does. False, and nothing done, for others.
    #[inline(always)]
    pub(super) fn modifies<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        store: ice_ir::Inst,
        address: Value,
        value: Value,
    ) -> bool {
        if let Some(def) = cx.folded(value)
            && let Some(operand) = self.memory_operand_of(cx, def, store)
        {
            self.modify(cx, def, operand, address);
            return true;
        }
        false
    }

    /// The operation `def`, of which `operand` is in memory at `address`, where its result goes.
    fn modify<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, def: ice_ir::Inst, operand: Value, address: Value) {
        let &InstData::Binary { op, args } = cx.func.inst(def) else { return };
        let ty = cx.func.value_type(operand);
        let width = self.width(ty);
        let other = if args[0] == operand { args[1] } else { args[0] };
        if let Some(op) = shift(op) {
            let amount = match cx.func.int_value(other) {
                Some(n) => Amount::Imm((n as u32 & (ty.bits() - 1)) as u8),
                None => {
                    let amount = self.shift_amount(cx, other);
                    Amount::Cl(self.reg(cx, amount))
                }
            };
            let mem = self.address(cx, address);
            return cx.sink.push(Inst::ShiftMem { op, width, amount, mem });
        }
        let Some(alu) = alu(op) else { return };
        if self.is_pair(ty) {
            let high = match alu {
                Alu::Add => Alu::Adc,
                Alu::Sub => Alu::Sbb,
                other => other,
            };
            let parts = match cx.func.int_value(other) {
                Some(n) => [Src::Imm(n as i32), Src::Imm((n >> 32) as i32)],
                None => {
                    let regs = self.regs(cx, other);
                    [Src::Reg(regs.lo()), Src::Reg(regs.hi())]
                }
            };
            let mem = self.address(cx, address);
            self.alu_memory(cx, alu, Width::B32, parts[0], mem);
            return self.alu_memory(cx, high, Width::B32, parts[1], mem.offset(4));
        }
        let unary = match (op, cx.func.int_value(other)) {
            (BinaryOp::Xor, Some(-1)) => Some(Unary::Not),
            (BinaryOp::Add, Some(1)) => Some(Unary::Inc),
            (BinaryOp::Add, Some(-1)) => Some(Unary::Dec),
            (BinaryOp::Sub, Some(0)) if operand == args[1] => Some(Unary::Neg),
            _ => None,
        };
        if let Some(op) = unary {
            let mem = self.address(cx, address);
            return cx.sink.push(Inst::UnaryMem { op, width, mem });
        }
        let src = match cx.func.int_value(other).and_then(|n| i32::try_from(n).ok()) {
            Some(imm) => Src::Imm(imm),
            None => Src::Reg(self.reg(cx, other)),
        };
        let mem = self.address(cx, address);
        self.alu_memory(cx, alu, width, src, mem);
    }

    /// `mem = mem op src`, where `src` is a register or constant.
    fn alu_memory<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Alu, width: Width, src: Src, mem: Amode) {
        match src {
            Src::Imm(imm) => cx.sink.push(Inst::AluMemImm { op, width, imm, mem }),
            Src::Reg(src) => cx.sink.push(Inst::AluMem { op, width, src, mem }),
            _ => {}
        }
    }

    /// A store of `value` to a memory operand.
    #[inline]
    pub(super) fn store_to<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mem: Amode, value: Value) {
        let ty = cx.func.value_type(value);
        if !ty.is_scalar_int() || self.is_pair(ty) {
            return self.store_apart(cx, mem, value);
        }
        let src = self.src(cx, value);
        self.store_src(cx, self.width(ty), src, mem);
    }

    /// Stores a value that is not in one general register.
    #[inline(never)]
    fn store_apart<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mem: Amode, value: Value) {
        let ty = cx.func.value_type(value);
        if ty.is_vector() || ty.is_scalar_float() {
            let src = self.reg(cx, value);
            return cx.sink.push(Inst::StoreXmm { size: ty.bytes() as u8, src, mem });
        }
        if self.is_copied(cx, value) {
            let src = self.copied_reg(cx, value);
            return cx.sink.push(Inst::StoreXmm { size: 8, src, mem });
        }
        // What is in memory is read before any of it may be written.
        let parts = self.pair_src(cx, value);
        let [lo, hi] = parts.map(|part| match part {
            Src::Mem(_) => Src::Reg(self.part_reg(cx, part)),
            part => part,
        });
        if let (Src::Reg(lo), Src::Reg(hi)) = (lo, hi) {
            return cx.sink.push(Inst::StorePair { lo, hi, mem });
        }
        self.store_src(cx, Width::B32, lo, mem);
        self.store_src(cx, Width::B32, hi, mem.offset(4));
    }

    /// A store of a source operand that is not in memory.
    #[inline]
    pub(super) fn store_src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, width: Width, src: Src, mem: Amode) {
        match src {
            Src::Reg(src) => cx.sink.push(Inst::Store { width, src, mem }),
            Src::Imm(imm) => cx.sink.push(Inst::StoreImm { width, imm, mem }),
            Src::Symbol(symbol, addend) => cx.sink.push(Inst::StoreSymbol { symbol, addend, mem }),
            Src::Mem(from) => self.store_loaded(cx, width, from, mem),
        }
    }

    #[inline(never)]
    fn store_loaded<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, width: Width, from: Amode, to: Amode) {
        let temp = self.wide_temp(cx, width);
        cx.sink.push(Inst::Load { width, dst: temp, mem: from });
        cx.sink.push(Inst::Store { width, src: temp, mem: to });
    }

    /// A stack allocation that moves the stack pointer.
    pub(crate) fn alloca<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        size: Value,
        align_log2: u8,
        result: Value,
    ) {
        let dst = cx.regs(result).lo();
        // Room to round the address up, as the stack pointer itself is only aligned to 16.
        let slack = if align_log2 > Self::STACK_ALIGN_LOG2 { (1i32 << align_log2) - 1 } else { 0 };
        let width = self.address_width();
        let alu = |op, dst, imm| Inst::Alu { op, width, dst, src: Src::Imm(imm) };
        let number =
            cx.func.int_value(size).map(|number| number as u64 & cx.func.value_type(size).int_mask());
        let constant = number.and_then(|number| (number.checked_add(slack as u64 + 15)).map(|sum| sum & !15));
        match constant {
            Some(bytes) if bytes < u64::from(PAGE) => cx.sink.push(Inst::StackTake { bytes: bytes as u32 }),
            _ => {
                let amount = self.temp(cx, self.address_type());
                let src = self.src(cx, size);
                self.mov(cx, self.arithmetic_width(cx.func.value_type(size)).min(width), amount, src);
                cx.sink.push(alu(Alu::Add, amount, slack.wrapping_add(15)));
                cx.sink.push(alu(Alu::And, amount, -16));
                cx.sink.push(Inst::StackSub { amount });
            }
        }
        let mem = Amode::new(Base::Allocated, slack);
        cx.sink.push(Inst::Lea { width, dst, mem });
        if slack != 0 {
            cx.sink.push(alu(Alu::And, dst, !slack));
        }
    }

    /// `dst = dst op imm` in 32 bits.
    pub(super) fn alu_imm<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Alu, dst: VReg, imm: i32) {
        cx.sink.push(Inst::Alu { op, width: Width::B32, dst, src: Src::Imm(imm) });
    }
}
