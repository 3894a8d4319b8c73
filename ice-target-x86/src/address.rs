//! Address modes: which additions disappear into a memory operand, and the operand they make.
//!
//! The address of a load or store is folded if it is the addition of a constant and nothing but loads and
//! stores uses it, wherever they are; or any addition with a single use in its block, or two uses, which
//! are mostly the load and store of one place. Into that top go, from its own block and if nothing else
//! uses them, with `c` a constant and `s` a multiplication by 2, 4 or 8:
//!
//! | top | terms |
//! |---|---|
//! | `p + c` | `p` if it is `x + y` (and then `x` or `y` if it is `s`) or `s` |
//! | `x + y` | `x` or `y` if it is `s`, also if one is an address up to the place of the code or frame; each of them if it is `p + c` |
//! | `s` | what is scaled, if it is `p + c` |
//!
//! An atomic access takes in a `p + c` that nothing else uses, with `p` in a register.
//!
//! The decision is taken once, at the addition, for all users: each of them then computes the address from values
//! that are in registers before the first. So an addition into which something else was folded, a load or a second
//! scale, is not folded itself.
//!
//! So at most two registers remain, base and index, and one scale. Both modes add modulo 2^32 (64-bit code
//! through the address-size prefix), so every fold is exact.

use crate::inst::{Amode, Base, Inst};
use crate::symbols::symbol_of;
use crate::target::{Cx, X86};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{CodeSymbol, Operands as _};
use ice_ir::vectors::is_half;
use ice_ir::{BinaryOp, InstData, Intrinsic, Symbol, Type, Value, ValueDef};

/// Farthest that a folded displacement goes from a symbol, in bytes.
pub(crate) const MAX_SYMBOL_OFFSET: u32 = 1 << 24;

/// Largest displacement of which some are added, one scaled by 8, to an address of 64 bits.
const MAX_WIDE_DISPLACEMENT: u64 = 1 << 26;

impl X86 {
    /// Whether `user`, which alone uses `def`, takes it into its address.
    pub(crate) fn folds_into_address<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let Some(result) = cx.func.result(def) else { return false };
        let user_data = cx.func.inst(user);
        // What has no address, computes none and adds to none.
        if !matches!(
            user_data,
            InstData::Load { .. }
                | InstData::Store { .. }
                | InstData::CallIntrinsic { .. }
                | InstData::Binary { .. }
        ) {
            return false;
        }
        let sum = addends(cx, def);
        if sum.is_some_and(|sum| !takes_terms(cx, sum)) {
            return false;
        }
        match *user_data {
            InstData::Load { address, .. } | InstData::Store { address, .. } => {
                sum.is_some() && address == result
            }
            InstData::CallIntrinsic { op, args, .. } => {
                sum.is_some_and(|sum| has_constant(cx, sum))
                    && atomic_address(op, cx.func.args(args)) == Some(result)
            }
            _ => {
                let Some([a, b]) = addends(cx, user) else {
                    return sum.is_some_and(|[_, k]| is_int_displacement(cx, k))
                        && self.is_folded_scale(cx, user);
                };
                let other = if a == result { b } else { a };
                match sum {
                    Some([_, k]) if is_int_displacement(cx, k) => {
                        !self.has_number(cx, [a, b]) && self.is_top(cx, user)
                    }
                    Some(sum) => {
                        !self.has_number(cx, sum) && is_displacement(self, cx, other) && self.is_top(cx, user)
                    }
                    // Of two scaled terms the second has the index.
                    None => {
                        scaled(cx, def).is_some()
                            && (b == result || cx.func.defining_inst(b).and_then(|i| scaled(cx, i)).is_none())
                            && self.is_sum(cx, user)
                    }
                }
            }
        }
    }

    /// Whether the multiplication `scale` will be an index.
    fn is_folded_scale<S: Sink<Inst>>(self, cx: &Cx<'_, S>, scale: ice_ir::Inst) -> bool {
        let Some(result) = cx.func.result(scale) else { return false };
        scaled(cx, scale).is_some()
            && cx
                .uses
                .only_user_in_block(cx.func, scale, result)
                .is_some_and(|user| addends(cx, user).is_some() && self.folds_into_address(cx, scale, user))
    }

    /// Whether all users of `def`, which are loads and stores, take it into their addresses; or, if it is a lane, are
    /// parts of one shuffle, or, if it is a half, are of shuffles of both halves.
    pub(crate) fn folds_into_addresses<S: Sink<Inst>>(self, cx: &Cx<'_, S>, def: ice_ir::Inst) -> bool {
        let Some(result) = cx.func.result(def) else { return false };
        if let InstData::ExtractElement { .. } = cx.func.inst(def) {
            return self.is_lane_of_shuffle(cx, def);
        }
        if is_half(cx.func, result) {
            return self.folds_into_lanes(cx, def);
        }
        addends(cx, def).is_some_and(|args| {
            takes_terms(cx, args)
                && (has_constant(cx, args)
                    || cx.uses.count(result) <= 2
                        && cx.uses.last_user_in_block(cx.func, def, result).is_some())
        })
    }

    /// Whether the value is an address that is known up to the place of the code or of the frame.
    pub(crate) fn is_place<S: Sink<Inst>>(self, cx: &Cx<'_, S>, value: Value) -> bool {
        cx.frame_object(value).is_some()
            || symbol_of(cx.func, value).is_some_and(|symbol| self.reaches(cx.module, symbol))
    }

    /// Whether one of the terms is a constant that is no place: of numbers an operand has room for one.
    fn has_number<S: Sink<Inst>>(self, cx: &Cx<'_, S>, args: [Value; 2]) -> bool {
        args.into_iter().any(|term| cx.is_constant(term) && !self.is_place(cx, term))
    }

    /// Whether the value is the address of a symbol that goes beside registers.
    fn is_symbol_displacement<S: Sink<Inst>>(self, cx: &Cx<'_, S>, value: Value) -> bool {
        self.has_symbol_displacements()
            && symbol_of(cx.func, value).is_some_and(|symbol| self.reaches(cx.module, symbol))
    }

    /// Whether the addition `sum` is the address of loads and stores only, and folded into them.
    fn is_top<S: Sink<Inst>>(self, cx: &Cx<'_, S>, sum: ice_ir::Inst) -> bool {
        cx.func.result(sum).is_some_and(|result| {
            cx.uses.is_only_address_of_any(result)
                && (cx.uses.only_user_in_block(cx.func, sum, result).is_some()
                    || self.folds_into_addresses(cx, sum))
        })
    }

    /// Whether the addition `sum` is a top, or the two registers of one that only adds a constant.
    fn is_sum<S: Sink<Inst>>(self, cx: &Cx<'_, S>, sum: ice_ir::Inst) -> bool {
        if self.is_top(cx, sum) {
            return true;
        }
        let (Some(result), Some(args)) = (cx.func.result(sum), addends(cx, sum)) else { return false };
        !self.has_number(cx, args)
            && cx
                .uses
                .only_user_in_block(cx.func, sum, result)
                .is_some_and(|user| addends(cx, user).is_some() && self.folds_into_address(cx, sum, user))
    }

    /// The memory operand for the address `value`.
    #[inline]
    pub(crate) fn address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Amode {
        match cx.plain_reg(value) {
            Some(reg) => Amode::reg(reg),
            None => self.special_address(cx, value),
        }
    }

    /// The memory operand for an address that is more than a register.
    #[inline(never)]
    fn special_address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Amode {
        if let Some(mode) = self.near_address(cx, value) {
            return mode;
        }
        let mut mode = Amode::new(Base::None, 0);
        self.add_term(cx, &mut mode, value);
        self.encodable(cx, mode)
    }

    /// The sum of two terms as an operand.
    pub(crate) fn sum_address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, terms: [Value; 2]) -> Amode {
        let mut mode = Amode::new(Base::None, 0);
        terms.into_iter().for_each(|term| self.add_term(cx, &mut mode, term));
        self.encodable(cx, mode)
    }

    /// The operand for a sum in which there may be a symbol.
    fn encodable<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mode: Amode) -> Amode {
        let Some(symbol) = mode.symbol else { return mode };
        // The linker adds symbol and displacement without wrapping: far from the symbol the sum is made here.
        let is_far = mode.disp.unsigned_abs() > MAX_SYMBOL_OFFSET;
        let has_registers = mode.base != Base::None || mode.index.is_some();
        if is_far || has_registers && !self.has_symbol_displacements() && !self.needs_global_base() {
            let address = self.temp(cx, self.address_type());
            let mem = Amode::symbol(symbol);
            let mem = if self.needs_global_base() { self.with_register(cx, mem, None) } else { mem };
            cx.sink.push(match mem.base {
                Base::None => Inst::MovSymbol { dst: address, symbol, addend: 0 },
                _ => Inst::Lea { width: self.address_width(), dst: address, mem },
            });
            return self.with_register(cx, Amode { symbol: None, ..mode }, Some(address));
        }
        if self.needs_global_base() { self.with_register(cx, mode, None) } else { mode }
    }

    /// What most of them are: an object of the frame, or that or a register and a number.
    #[inline]
    fn near_address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Option<Amode> {
        if let Some(object) = cx.frame_object(value) {
            return Some(Amode::new(Base::Object(object), 0));
        }
        let [x, number] = addends(cx, cx.folded(value)?)?;
        let disp = cx.func.int_value(number).filter(|_| is_int_displacement(cx, number))? as i32;
        let base = match cx.frame_object(x) {
            Some(object) => Base::Object(object),
            None => Base::Reg(cx.plain_reg(x)?),
        };
        Some(Amode::new(base, disp))
    }

    /// Adds a register to a memory operand; the global base if `None`.
    fn with_register<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mode: Amode, reg: Option<VReg>) -> Amode {
        let reg = reg.unwrap_or_else(|| self.global_base(cx));
        match (mode.base, mode.index) {
            (Base::None, _) => Amode { base: Base::Reg(reg), ..mode },
            (_, None) => Amode { index: Some((reg, 0)), ..mode },
            _ => {
                let sum = self.temp(cx, self.address_type());
                let mem = Amode { symbol: None, ..mode };
                cx.sink.push(Inst::Lea { width: self.address_width(), dst: sum, mem });
                Amode { base: Base::Reg(reg), index: Some((sum, 0)), disp: 0, symbol: mode.symbol }
            }
        }
    }

    fn add_term<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mode: &mut Amode, value: Value) {
        if let Some(reg) = cx.plain_reg(value) {
            return add_register(mode, reg);
        }
        if let Some(object) = cx.frame_object(value) {
            match (mode.base, mode.index) {
                (Base::None, _) => return mode.base = Base::Object(object),
                (Base::Reg(reg), None) => {
                    mode.index = Some((reg, 0));
                    return mode.base = Base::Object(object);
                }
                _ => {}
            }
        }
        // What a loop holds needs no second register for its place.
        if cx.is_constant(value)
            && let Some(reg) = self.register_held(cx, value)
        {
            return add_register(mode, reg);
        }
        match cx.func.value_def(value) {
            ValueDef::Int(number) if is_int_displacement(cx, value) => {
                return mode.disp = mode.disp.wrapping_add(number as i32);
            }
            ValueDef::Global(g) if mode.symbol.is_none() && self.reaches(cx.module, Symbol::Global(g)) => {
                return mode.symbol = Some(CodeSymbol::Global(g).pack());
            }
            ValueDef::Function(f)
                if mode.symbol.is_none() && self.reaches(cx.module, Symbol::Function(f)) =>
            {
                return mode.symbol = Some(CodeSymbol::Function(f).pack());
            }
            _ => {}
        }
        if let Some(inst) = cx.folded(value) {
            if let Some(args) = addends(cx, inst) {
                // A scaled term first: it needs the index.
                let is_scaled = cx.folded(args[1]).is_some_and(|i| scaled(cx, i).is_some());
                let [a, b] = if is_scaled { [args[1], args[0]] } else { args };
                self.add_term(cx, mode, a);
                return self.add_term(cx, mode, b);
            }
            if let (None, Some((x, scale))) = (mode.index, scaled(cx, inst)) {
                // (x + c) × s = x × s + c × s
                let sum = cx.folded(x).and_then(|inst| addends(cx, inst));
                let x = match sum.map(|[x, k]| (x, cx.func.int_value(k))) {
                    Some((inner, Some(k))) => {
                        mode.disp = mode.disp.wrapping_add((k as i32) << scale);
                        inner
                    }
                    _ => x,
                };
                let index = self.reg(cx, x);
                return mode.index = Some((index, scale));
            }
        }
        let reg = self.reg(cx, value);
        add_register(mode, reg);
    }
}

fn add_register(mode: &mut Amode, reg: VReg) {
    match mode.base {
        Base::None => mode.base = Base::Reg(reg),
        _ => mode.index = Some((reg, 0)),
    }
}

/// The address that an atomic intrinsic accesses.
fn atomic_address(op: Intrinsic, args: &[Value]) -> Option<Value> {
    let n = match op {
        Intrinsic::AtomicLoad | Intrinsic::AtomicCmpxchg => 0,
        Intrinsic::AtomicStore | Intrinsic::AtomicRmw => 1,
        _ => return None,
    };
    args.get(n).copied()
}

/// The terms of an addition of addresses.
fn addends<S: Sink<Inst>>(cx: &Cx<'_, S>, inst: ice_ir::Inst) -> Option<[Value; 2]> {
    match *cx.func.inst(inst) {
        InstData::Binary { op: BinaryOp::Add, args }
            if cx.func.value_type(args[0]) == cx.module.pointer_type =>
        {
            Some(args)
        }
        _ => None,
    }
}

/// Whether an operand of memory has room for all that was folded into the sum of two terms: sums, which are decided
/// on for themselves, and one scale.
fn takes_terms<S: Sink<Inst>>(cx: &Cx<'_, S>, args: [Value; 2]) -> bool {
    let mut scales = 0;
    args.into_iter().filter_map(|term| cx.folded(term)).all(|inst| {
        scales += u32::from(scaled(cx, inst).is_some());
        addends(cx, inst).is_some() || scaled(cx, inst).is_some() && scales == 1
    })
}

fn has_constant<S: Sink<Inst>>(cx: &Cx<'_, S>, args: [Value; 2]) -> bool {
    cx.is_constant(args[1]) || cx.is_constant(args[0])
}

/// Whether the value adds to the displacement of an operand and needs no register.
fn is_displacement<S: Sink<Inst>>(target: X86, cx: &Cx<'_, S>, value: Value) -> bool {
    is_int_displacement(cx, value) || target.is_symbol_displacement(cx, value)
}

/// Whether the value is a number that goes into the displacement: any for addresses of 32 bits, which wrap;
/// for those of 64 bits one of which two add up without overflow.
fn is_int_displacement<S: Sink<Inst>>(cx: &Cx<'_, S>, value: Value) -> bool {
    let is_wide = cx.module.pointer_type == Type::I64;
    cx.func.int_value(value).is_some_and(|n| !is_wide || n.unsigned_abs() <= MAX_WIDE_DISPLACEMENT)
}

/// The value and the power of two of a multiplication that an index does: by 2, 4 or 8.
fn scaled<S: Sink<Inst>>(cx: &Cx<'_, S>, inst: ice_ir::Inst) -> Option<(Value, u8)> {
    let &InstData::Binary { op, args: [x, k] } = cx.func.inst(inst) else { return None };
    if cx.func.value_type(x) != cx.module.pointer_type {
        return None;
    }
    let scale = match (op, cx.func.int_value(k)?) {
        (BinaryOp::Shl, n @ 1..=3) => n as u8,
        (BinaryOp::Mul, 2) => 1,
        (BinaryOp::Mul, 4) => 2,
        (BinaryOp::Mul, 8) => 3,
        _ => return None,
    };
    (!cx.is_constant(x)).then_some((x, scale))
}
