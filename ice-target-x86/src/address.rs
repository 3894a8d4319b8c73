//! Address modes: which additions disappear into a memory operand, and the operand they make.
//!
//! An addition with a single use as the address of a load or store of its block is folded; so are, inside
//! it, an addition of a constant and a left shift by up to 3. At most two register terms remain: base and
//! index. Both modes add modulo 2^32 (64-bit code through the address-size prefix), so every fold is exact.

use crate::inst::{Amode, Base, Inst, Src};
use crate::lower::symbol;
use crate::target::{Cx, X86};
use ice_asm::x86::{Alu, Width};
use ice_ir::mach::Sink;
use ice_ir::{BinaryOp, InstData, Symbol, Type, Value, ValueDef};

/// Farthest that a folded displacement goes from a symbol, in bytes.
const MAX_SYMBOL_OFFSET: u32 = 1 << 24;

impl X86 {
    /// Whether `user` takes `def` into its address.
    pub(crate) fn folds_into_address<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let result = cx.func.result(def);
        if !matches!(cx.func.inst(def), InstData::Binary { op: BinaryOp::Add, .. })
            || result.map(|r| cx.func.value_type(r)) != Some(cx.module.pointer_type)
        {
            return self.folds_into_sum(cx, def, user);
        }
        match *cx.func.inst(user) {
            InstData::Load { address, .. } => Some(address) == result,
            InstData::Store { address, value, .. } => Some(address) == result && value != address,
            _ => self.folds_into_sum(cx, def, user),
        }
    }

    /// Whether `def` is a term of the addition `user`, which is folded into an address itself.
    fn folds_into_sum<S: Sink<Inst>>(self, cx: &Cx<'_, S>, def: ice_ir::Inst, user: ice_ir::Inst) -> bool {
        let &InstData::Binary { op: BinaryOp::Add, args } = cx.func.inst(user) else { return false };
        let (Some(result), Some(sum)) = (cx.func.result(def), cx.func.result(user)) else { return false };
        if cx.func.value_type(sum) != cx.module.pointer_type {
            return false;
        }
        let is_term = match *cx.func.inst(def) {
            InstData::Binary { op: BinaryOp::Add, args: [_, k] } => cx.func.int_value(k).is_some(),
            InstData::Binary { op: BinaryOp::Shl, args: [_, k] } => {
                let other_is_shift = cx.func.defining_inst(args[1]).is_some_and(|i| {
                    i != def && matches!(cx.func.inst(i), InstData::Binary { op: BinaryOp::Shl, .. })
                });
                matches!(cx.func.int_value(k), Some(1..=3)) && (args[1] == result || !other_is_shift)
            }
            _ => false,
        };
        // A term must not be folded into an addition that is itself a term: two registers would become three.
        is_term
            && cx.uses.only_user_in_block(cx.func, user, sum).is_some_and(|memory| {
                matches!(cx.func.inst(memory), InstData::Load { .. } | InstData::Store { .. })
                    && self.folds_into_address(cx, user, memory)
            })
    }

    /// The memory operand for the address `value`.
    pub(crate) fn address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Amode {
        let mut mode = Amode::new(Base::None, 0);
        self.add_term(cx, &mut mode, value);
        // The linker adds symbol and displacement without wrapping: far from the symbol the sum is made here.
        if let Some(symbol) = mode.symbol
            && mode.disp.unsigned_abs() > MAX_SYMBOL_OFFSET
        {
            let far = self.temp(cx, Type::I32);
            cx.sink.push(Inst::MovSymbol { dst: far, symbol, addend: 0 });
            mode.symbol = None;
            match mode.base {
                Base::None => mode.base = Base::Reg(far),
                _ if mode.index.is_none() => mode.index = Some((far, 0)),
                _ => {
                    let partial = Amode { disp: 0, ..mode };
                    cx.sink.push(Inst::Alu {
                        op: Alu::Add,
                        width: Width::B32,
                        dst: far,
                        src: Src::Imm(mode.disp),
                    });
                    let sum = self.temp(cx, Type::I32);
                    cx.sink.push(Inst::Lea { width: Width::B32, dst: sum, mem: partial });
                    mode = Amode { base: Base::Reg(far), index: Some((sum, 0)), disp: 0, symbol: None };
                }
            }
        }
        mode
    }

    fn add_term<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mode: &mut Amode, value: Value) {
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
        match cx.func.value_def(value) {
            ValueDef::Int(number) => return mode.disp = mode.disp.wrapping_add(number as i32),
            ValueDef::Global(g) if mode.symbol.is_none() => {
                return mode.symbol = Some(symbol(Symbol::Global(g)));
            }
            ValueDef::Function(f) if mode.symbol.is_none() => {
                return mode.symbol = Some(symbol(Symbol::Function(f)));
            }
            _ => {}
        }
        if let Some(inst) = cx.folded(value) {
            match *cx.func.inst(inst) {
                InstData::Binary { op: BinaryOp::Add, args } => {
                    // A shifted term first: it needs the index.
                    let shifted = |v| {
                        cx.folded(v).is_some_and(|i| {
                            matches!(cx.func.inst(i), InstData::Binary { op: BinaryOp::Shl, .. })
                        })
                    };
                    let [a, b] = if shifted(args[1]) { [args[1], args[0]] } else { args };
                    self.add_term(cx, mode, a);
                    return self.add_term(cx, mode, b);
                }
                InstData::Binary { op: BinaryOp::Shl, args: [x, k] } => {
                    let scale = cx.func.int_value(k).unwrap_or(0) as u8;
                    let index = self.reg(cx, x);
                    return mode.index = Some((index, scale));
                }
                _ => {}
            }
        }
        let reg = self.reg(cx, value);
        match mode.base {
            Base::None => mode.base = Base::Reg(reg),
            _ => mode.index = Some((reg, 0)),
        }
    }
}
