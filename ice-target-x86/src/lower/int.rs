//! Integers of up to the width of a register.

use crate::address::MAX_SYMBOL_OFFSET;
use crate::inst::{Amode, Amount, Base, Extend, Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::{Alu, Shift, Unary, Width};
use ice_codegen::Operands as _;
use ice_codegen::extension::is_zero_extended_beside_signs;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::needed_bits::{Half, only_half};
use ice_ir::{BinaryOp, CastOp, Function, InstData, Type, Value, ValueDef};

/// The two-address operation for an IR operator, where there is one.
pub(super) fn alu(op: BinaryOp) -> Option<Alu> {
    Some(match op {
        BinaryOp::Add => Alu::Add,
        BinaryOp::Sub => Alu::Sub,
        BinaryOp::And => Alu::And,
        BinaryOp::Or => Alu::Or,
        BinaryOp::Xor => Alu::Xor,
        _ => return None,
    })
}

/// The shift for an IR operator.
pub(super) fn shift(op: BinaryOp) -> Option<Shift> {
    Some(match op {
        BinaryOp::Shl => Shift::Shl,
        BinaryOp::Lshr => Shift::Shr,
        BinaryOp::Ashr => Shift::Sar,
        _ => return None,
    })
}

/// How many operands of a phi are searched.
const MAX_SEARCHED: usize = 4;

/// Whether `value` is a phi that becomes `next`.
fn is_next(func: &Function, value: Value, next: Value) -> bool {
    let Some(&InstData::Phi { incoming }) = func.defining_inst(value).map(|def| func.inst(def)) else {
        return false;
    };
    func.incoming(incoming).iter().take(MAX_SEARCHED).any(|&(value, _)| value == next)
}

/// Whether `value` is a phi that gets what was loaded, or the copy of another value, at the end of the block of `inst`.
fn is_window(func: &Function, inst: ice_ir::Inst, value: Value) -> bool {
    let Some(&InstData::Phi { incoming }) = func.defining_inst(value).map(|def| func.inst(def)) else {
        return false;
    };
    let block = func.layout.block_of(inst);
    func.incoming(incoming).iter().take(MAX_SEARCHED).any(|&(value, pred)| {
        let def = func.defining_inst(value).filter(|_| Some(pred) == block).map(|def| func.inst(def));
        matches!(def, Some(InstData::Load { .. } | InstData::Cast { op: CastOp::Bitcast, .. }))
    })
}

/// Whether `value` is of a call behind the definition of `other`.
fn is_over_call(func: &Function, other: Value, value: Value) -> bool {
    func.defining_inst(value).is_some_and(|call| {
        let is_call = matches!(
            func.inst(call),
            InstData::Call { .. } | InstData::CallIndirect { .. } | InstData::CallAs { .. }
        );
        // Instructions are numbered in order.
        is_call && func.defining_inst(other).is_none_or(|def| def < call)
    })
}

/// The address that is a power of two, the first to the third, times a register.
fn multiple(x: VReg, power: u8) -> Amode {
    match power {
        1 => Amode { index: Some((x, 0)), ..Amode::reg(x) },
        _ => Amode { index: Some((x, power)), ..Amode::new(Base::None, 0) },
    }
}

/// Whether nothing but arithmetic on bytes of its block, which is done to words, uses `value`.
fn is_for_arithmetic<S: Sink<Inst>>(cx: &Cx<'_, S>, value: Value) -> bool {
    let user = cx.func.defining_inst(value).and_then(|def| cx.uses.only_user_in_block(cx.func, def, value));
    user.is_some_and(|user| match *cx.func.inst(user) {
        InstData::Binary { op, args } => alu(op).is_some() && args[0] != args[1],
        _ => false,
    })
}

impl X86 {
    /// Any binary operator on a scalar integer in one register.
    pub(crate) fn int_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let width = self.arithmetic_width(ty);
        let dst = cx.regs(result).lo();
        if matches!(op, BinaryOp::Add | BinaryOp::Sub) && self.is_checked(cx, op, result) {
            return;
        }
        let has_folded = cx.folded(a).is_some() || cx.folded(b).is_some();
        if has_folded && (self.highest_bit(cx, dst) || self.joins_folded(cx, op, [a, b], width, dst)) {
            return;
        }
        let [a, b] = if op.is_commutative() && self.exchanges(cx, [a, b]) { [b, a] } else { [a, b] };
        if op == BinaryOp::Add && self.symbol_sum(cx, [a, b], dst) {
            return;
        }
        // What is joined and scaled has no bit twice.
        let is_scaled = |value| self.folded_scale(cx, value).is_some();
        let is_joined = has_folded && op == BinaryOp::Or && [a, b].into_iter().any(is_scaled);
        let sum = if is_joined { BinaryOp::Add } else { op };
        if matches!(sum, BinaryOp::Add | BinaryOp::Sub) && self.lea_sum(cx, sum, [a, b], width, dst) {
            return;
        }
        if op == BinaryOp::And
            && cx.folded(a).is_some()
            && let Some(x) = cx.current_inst().and_then(|inst| self.high_byte(cx, inst))
        {
            let src = self.reg(cx, x);
            return cx.sink.push(Inst::HighByte { dst, src });
        }
        if op == BinaryOp::And && self.and_low_half(cx, [a, b], ty, dst) {
            return;
        }
        if let (BinaryOp::And, Some(n @ (0xff | 0xffff)), Type::I32 | Type::I64) =
            (op, cx.func.int_value(b), ty)
            && cx.folded(a).is_none()
            && !cx.is_constant(a)
            && (n == 0xffff || !self.has_pairs() || cx.uses.count(a) > 1)
        {
            let src = Src::Reg(self.reg(cx, a));
            let from = if n == 0xff { Width::B8 } else { Width::B16 };
            return cx.sink.push(Inst::Extend { kind: Extend::Zero, from, to: Width::B32, dst, src });
        }
        if let Some(op) = alu(op) {
            let (rhs, own_width) = match self.narrow_load(cx, b) {
                Some((mem, narrow)) => (Src::Mem(mem), narrow),
                None => (self.src(cx, b), width),
            };
            let lhs = self.src(cx, a);
            self.mov(cx, width, dst, lhs);
            cx.sink.push(Inst::Alu { op, width: own_width, dst, src: rhs });
        } else if let Some(op) = shift(op) {
            self.int_shift(cx, op, [a, b], ty, dst);
        } else if op == BinaryOp::Mul {
            self.multiply(cx, [a, b], ty, dst);
        } else {
            self.divide(cx, op, [a, b], ty, dst);
        }
    }

    /// The value of which `inst` is the second byte, shifted down by an instruction that has no other use. Validators of confined
    /// code need not know such operands.
    pub(super) fn high_byte<S: Sink<Inst>>(self, cx: &Cx<'_, S>, inst: ice_ir::Inst) -> Option<Value> {
        let &InstData::Binary { op: BinaryOp::And, args: [shifted, mask] } = cx.func.inst(inst) else {
            return None;
        };
        let def = cx.func.defining_inst(shifted).filter(|_| cx.func.int_value(mask) == Some(0xff))?;
        let &InstData::Binary { op: BinaryOp::Lshr, args: [x, amount] } = cx.func.inst(def) else {
            return None;
        };
        let ty = cx.func.value_type(x);
        let is_byte = matches!(ty, Type::I32 | Type::I64)
            && !self.is_pair(ty)
            && !cx.is_constant(x)
            && cx.func.int_value(amount) == Some(8)
            && cx.uses.only_user_in_block(cx.func, def, shifted) == Some(inst);
        (is_byte && !self.is_confined()).then_some(x)
    }

    /// What a rotation or a carry was folded into. False, and nothing done, for others.
    #[inline(never)]
    fn joins_folded<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        args: [Value; 2],
        width: Width,
        dst: VReg,
    ) -> bool {
        if let Some(rotation) = self.folded_rotation(cx, op, args) {
            self.rotate(cx, rotation, width, dst);
            return true;
        }
        if op == BinaryOp::Shl {
            return self.scaled_field(cx, args, dst);
        }
        matches!(op, BinaryOp::Add | BinaryOp::Sub) && self.carry_sum(cx, op, args, width, dst)
    }

    /// `a & b` of 64 bits, `b` a number of 32, in 32 bits, which clears the upper half. False, and nothing done, for
    /// others.
    fn and_low_half<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        [a, b]: [Value; 2],
        ty: Type,
        dst: VReg,
    ) -> bool {
        let mask = cx.func.int_value(b).and_then(|n| u32::try_from(n).ok());
        let (Some(mask), Type::I64, false) = (mask, ty, cx.is_constant(a)) else { return false };
        if matches!(mask, 0xff | 0xffff) {
            return false;
        }
        match self.src(cx, a) {
            Src::Reg(src) if mask == u32::MAX => cx.sink.push(Inst::ZeroUpper { dst, src }),
            src => {
                self.mov(cx, Width::B32, dst, src);
                if mask != u32::MAX {
                    self.alu_imm(cx, Alu::And, dst, mask as i32);
                }
            }
        }
        true
    }

    /// Whether the right operand of a commutative operation should be the one that the result replaces: a
    /// constant or what is in memory goes to the right, a register that nothing else reads to the left.
    pub(super) fn exchanges<S: Sink<Inst>>(self, cx: &Cx<'_, S>, [a, b]: [Value; 2]) -> bool {
        if cx.is_constant(b) || cx.folded(b).is_some() {
            return false;
        }
        cx.is_constant(a) || cx.folded(a).is_some() || self.is_better_replaced(cx, b, a)
    }

    /// Whether the result of the current instruction rather takes the register of `value` than that of `other`: of two
    /// that are not needed again, the phi whose next value the result is, or else what is no phi of a window,
    /// whose own next value wants its register; of floats what a call gives, since the other one has been in memory over that.
    pub(super) fn is_better_replaced<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        value: Value,
        other: Value,
    ) -> bool {
        let Some(inst) = cx.current_inst() else { return false };
        let ends = |value| cx.uses.ends_at(cx.func, value, inst);
        if !ends(value) || !ends(other) {
            return ends(value);
        }
        cx.func.result(inst).is_some_and(|next| is_next(cx.func, value, next))
            || is_window(cx.func, inst, other) && !is_window(cx.func, inst, value)
            || cx.func.value_type(value).is_scalar_float() && is_over_call(cx.func, other, value)
    }

    /// The address of a symbol plus a constant. False, and nothing done, for other sums.
    fn symbol_sum<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, [a, b]: [Value; 2], dst: VReg) -> bool {
        let is_symbol = |v| matches!(cx.func.value_def(v), ValueDef::Global(_) | ValueDef::Function(_));
        let addend = cx.func.int_value(b).and_then(|n| i32::try_from(n).ok());
        let near = addend.filter(|n| is_symbol(a) && n.unsigned_abs() <= MAX_SYMBOL_OFFSET);
        let (Some(addend), false) = (near, self.is_native()) else { return false };
        if let Src::Symbol(symbol, _) = self.src(cx, a) {
            cx.sink.push(Inst::MovSymbol { dst, symbol, addend });
            return true;
        }
        false
    }

    /// An addition as an address, where that saves the copy of an operand: with a constant, of a place and an index, or if
    /// both operands are needed again. False, and nothing done, for other sums.
    fn lea_sum<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        width: Width,
        dst: VReg,
    ) -> bool {
        let is_near = cx.func.int_value(b).is_some_and(|n| n.unsigned_abs() <= u64::from(MAX_SYMBOL_OFFSET));
        let is_beside_place = is_near || self.folded_scale(cx, b).is_some();
        if is_beside_place && op == BinaryOp::Add && self.is_place(cx, a) {
            let mem = self.sum_address(cx, [a, b]);
            cx.sink.push(Inst::Lea { width, dst, mem });
            return true;
        }
        if let Some((x, scale)) = cx.folded(a).and_then(|inst| self.odd_multiple(cx, inst))
            && let Some(disp) = cx.func.int_value(b).and_then(|n| i32::try_from(n).ok())
        {
            let x = self.reg(cx, x);
            let mem = Amode { index: Some((x, scale)), disp, ..Amode::reg(x) };
            cx.sink.push(Inst::Lea { width, dst, mem });
            return true;
        }
        if cx.is_constant(a) || cx.folded(a).is_some() && self.folded_scale(cx, a).is_none() {
            return false;
        }
        let mem = match cx.func.int_value(b) {
            None if op == BinaryOp::Add && self.is_place(cx, b) => self.sum_address(cx, [b, a]),
            Some(n) => {
                let number = if op == BinaryOp::Sub { n.checked_neg() } else { Some(n) };
                let Some(disp) = number.and_then(|n| i32::try_from(n).ok()) else { return false };
                match self.folded_scale(cx, a) {
                    Some((x, scale)) => Amode { disp, ..multiple(self.reg(cx, x), scale) },
                    None => Amode::new(Base::Reg(self.reg(cx, a)), disp),
                }
            }
            None if let Some((x, scale)) = self.folded_scale(cx, b).filter(|_| op == BinaryOp::Add) => {
                let index = Some((self.reg(cx, x), scale));
                Amode { index, ..Amode::reg(self.reg(cx, a)) }
            }
            None => {
                let lives_on = |v| {
                    !cx.is_constant(v)
                        && cx.folded(v).is_none()
                        && (cx.uses.count(v) > 1 || cx.is_from_outside(v))
                };
                if op == BinaryOp::Sub || !lives_on(a) || !lives_on(b) {
                    return false;
                }
                let index = Some((self.reg(cx, b), 0));
                Amode { index, ..Amode::reg(self.reg(cx, a)) }
            }
        };
        cx.sink.push(Inst::Lea { width, dst, mem });
        true
    }

    /// Where a narrow integer is in memory that was folded, and its width.
    #[inline(always)]
    fn narrow_load<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Option<(Amode, Width)> {
        let ty @ (Type::I8 | Type::I16) = cx.func.value_type(value) else { return None };
        Some((self.folded_load(cx, value)?, self.width(ty)))
    }

    /// What was folded as an index.
    fn folded_scale<S: Sink<Inst>>(self, cx: &Cx<'_, S>, value: Value) -> Option<(Value, u8)> {
        cx.folded(value).and_then(|inst| self.scaled_addend(cx, inst))
    }

    fn int_shift<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Shift,
        [a, b]: [Value; 2],
        ty: Type,
        dst: VReg,
    ) {
        let width = self.arithmetic_width(ty);
        let amount = match cx.func.int_value(b) {
            Some(n) => Amount::Imm((n as u32 & (ty.bits() - 1)) as u8),
            None => {
                let amount = self.shift_amount(cx, b);
                Amount::Cl(self.reg(cx, amount))
            }
        };
        // The bits above a narrow value come down in a right shift.
        let lhs = match op {
            Shift::Shr if ty.bits() < 32 => Src::Reg(self.extended(cx, Extend::Zero, a)),
            Shift::Sar if ty.bits() < 32 => Src::Reg(self.extended(cx, Extend::Sign, a)),
            _ => self.src(cx, a),
        };
        match (op, amount, lhs) {
            // A scaled index does not destroy a value that is needed again.
            (Shift::Shl, Amount::Imm(n @ 1..=3), Src::Reg(x)) if cx.uses.count(a) > 1 => {
                let mem = multiple(x, n);
                cx.sink.push(Inst::Lea { width, dst, mem });
            }
            _ => {
                self.mov(cx, width, dst, lhs);
                cx.sink.push(Inst::Shift { op, width, dst, amount });
            }
        }
    }

    /// The register of `arg`, if `result`, its low bits, can live in it: not if something asks for more than these.
    fn truncated<S: Sink<Inst>>(self, cx: &Cx<'_, S>, arg: Value, result: Value) -> Option<VReg> {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        let may_share = match to {
            Type::I32 => !self.is_pair(from) && !self.wants_clean(cx, result),
            Type::I16 => !self.is_pair(from),
            // On x86-32 few registers have a low byte, but arithmetic asks for none.
            Type::I8 => !self.has_pairs() || is_for_arithmetic(cx, result),
            _ => false,
        };
        cx.plain_reg(arg).filter(|_| may_share && !self.is_checked_product(cx, arg))
    }

    /// The register of `arg`, if `result`, the same with zeros above it, can live in it: if they are there. Not on x86-32, where bytes
    /// have a class of their own. Of 64 bits only what is loaded has them all in its slot.
    fn zero_extended<S: Sink<Inst>>(self, cx: &Cx<'_, S>, arg: Value, result: Value) -> Option<VReg> {
        let reg = cx.plain_reg(arg)?;
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        let may_share = match (from, to) {
            (Type::I16, Type::I32) => true,
            (Type::I8, Type::I32) => !self.has_pairs(),
            (_, Type::I64) => !self.has_pairs() && cx.sink.vreg_size(reg) == Type::I64.bytes(),
            _ => false,
        };
        let has_zeros = || from == Type::I32 || is_zero_extended_beside_signs(cx.func, arg);
        (may_share && has_zeros()).then_some(reg)
    }

    /// Truncation and extension of scalar integers, pairs included.
    pub(crate) fn int_cast<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: CastOp, arg: Value, result: Value) {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        let shared = match op {
            CastOp::Trunc => self.truncated(cx, arg, result),
            CastOp::Zext => self.zero_extended(cx, arg, result),
            _ => None,
        };
        if let Some(reg) = shared
            && cx.share(result, reg)
        {
            return;
        }
        let regs = cx.regs(result);
        let dst = regs.lo();
        let pair_result = to == Type::I64 && self.has_pairs();
        match op {
            CastOp::Trunc if self.is_checked_product(cx, arg) => {}
            CastOp::Trunc => {
                if let Some(mem) = self.folded_load(cx, arg) {
                    cx.sink.push(Inst::Load { width: self.width(to), dst, mem });
                } else {
                    let src = match self.is_pair(from) {
                        true => self.pair_src(cx, arg)[0],
                        false => self.src(cx, arg),
                    };
                    match src {
                        Src::Reg(src) if from == Type::I64 && self.wants_clean(cx, result) => {
                            cx.sink.push(Inst::ZeroUpper { dst, src });
                        }
                        _ => self.mov(cx, Width::B32, dst, src),
                    }
                }
                if to == Type::I1 {
                    cx.sink.push(Inst::Alu { op: Alu::And, width: Width::B32, dst, src: Src::Imm(1) });
                }
            }
            // 0 or 1 in eight bits already.
            CastOp::Zext if (from, to) == (Type::I1, Type::I8) => self.move_value(cx, regs, arg),
            CastOp::Zext => {
                self.extend_into(cx, Extend::Zero, arg, dst);
                if pair_result {
                    cx.sink.push(Inst::MovImm { width: Width::B32, dst: regs.hi(), imm: 0 });
                }
            }
            _ => {
                let src = self.exact_src(cx, arg);
                let width = if pair_result { Width::B32 } else { self.arithmetic_width(to) };
                match from {
                    Type::I1 => {
                        cx.sink.push(Inst::Extend {
                            kind: Extend::Zero,
                            from: Width::B8,
                            to: Width::B32,
                            dst,
                            src,
                        });
                        cx.sink.push(Inst::Unary { op: Unary::Neg, width, dst });
                    }
                    Type::I32 if pair_result => self.mov(cx, width, dst, src),
                    _ => {
                        let kind = Extend::Sign;
                        cx.sink.push(Inst::Extend { kind, from: self.width(from), to: width, dst, src });
                    }
                }
                if pair_result && only_half(cx.func, cx.uses, result) == Some(Half::Low) {
                    cx.sink.push(Inst::Undefined { dst: regs.hi() });
                } else if pair_result {
                    let hi = regs.hi();
                    self.mov(cx, width, hi, Src::Reg(dst));
                    let amount = Amount::Imm(31);
                    cx.sink.push(Inst::Shift { op: Shift::Sar, width, dst: hi, amount });
                }
            }
        }
    }
}
