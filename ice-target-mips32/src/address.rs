//! Address modes: which additions disappear into a memory operand, the operand they make, and what is known of its
//! alignment.
//!
//! A memory operand is a register or a part of the frame and a constant of 16 bits. An addition of a constant that only
//! loads and stores use, as their address, is folded if the constant reaches the last word of each. Registers are 32 bits
//! wide, as addresses are, so that every fold is exact. The decision is taken once, at the addition, for all users.
//!
//! A load or store that the program does not promise to be at a multiple of its size takes two instructions, or more.
//! So the alignment of the objects of the frame and of the variables of this module is asked for as well.
//!
//! Floating-point numbers could be at the sum of two registers (`lwxc1`, `ldxc1`, in either mode of the registers); these are not
//! used, as release 6 has none of them.

use crate::inst::{Amode, Base, Inst};
use crate::target::{Cx, Mips32};
use ice_codegen::CodeSymbol;
use ice_codegen::lanes::is_lane_of_shuffle;
use ice_codegen::mach::Sink;
use ice_codegen::rules::fixed_alloca;
use ice_codegen::{Constant, Operands as _, Words as _};
use ice_ir::{BinaryOp, InstData, Symbol, Type, Value, ValueDef};

/// How far from its start the last part of an access may be, in bytes.
const LAST_PART: i64 = 15;

/// More additions are not followed.
const MAX_DEPTH: u32 = 4;

/// The symbol whose address `value` is.
pub(crate) fn symbol_of(func: &ice_ir::Function, value: Value) -> Option<Symbol> {
    match func.value_def(value) {
        ValueDef::Global(g) => Some(Symbol::Global(g)),
        ValueDef::Function(f) => Some(Symbol::Function(f)),
        _ => None,
    }
}

/// The value and the constant of an addition of an address.
fn sum(func: &ice_ir::Function, inst: ice_ir::Inst) -> Option<(Value, i64)> {
    match *func.inst(inst) {
        InstData::Binary { op: BinaryOp::Add, args: [a, b] } if func.value_type(a) == Type::I32 => {
            Some((a, func.int_value(b)?))
        }
        _ => None,
    }
}

/// log2 of the alignment that is known of the address `value`: that of objects of the frame and of variables of this
/// module, and 3 at most.
pub(crate) fn alignment<S: Sink<Inst>>(cx: &Cx<'_, S>, value: Value) -> u8 {
    let (func, mut value, mut align) = (cx.func, value, 3);
    for _ in 0..MAX_DEPTH {
        let Some(inst) = func.defining_inst(value) else { break };
        match *func.inst(inst) {
            InstData::Binary { op: BinaryOp::Add, args: [next, number] } => {
                let Some(number) = func.int_value(number) else { return 0 };
                align = align.min(number.trailing_zeros().min(3) as u8);
                value = next;
            }
            InstData::Alloca { .. } => {
                return fixed_alloca::<Mips32>(func, inst).map_or(0, |(_, log2)| align.min(log2));
            }
            _ => return 0,
        }
        if align == 0 {
            return 0;
        }
    }
    match func.value_def(value) {
        ValueDef::Global(g) if !cx.module.is_declared(Symbol::Global(g)) => {
            align.min(cx.module.globals[g].align_log2.unwrap_or(0))
        }
        _ => 0,
    }
}

impl Mips32 {
    /// Whether all users of `def`, which are loads and stores, take it into their addresses. Or all users are parts
    /// of one shuffle.
    pub(crate) fn is_in_addresses<S: Sink<Inst>>(self, cx: &Cx<'_, S>, def: ice_ir::Inst) -> bool {
        if let InstData::ExtractElement { .. } = cx.func.inst(def) {
            return is_lane_of_shuffle(cx.func, cx.uses, def, |_| true);
        }
        let Some((value, number)) = sum(cx.func, def) else { return false };
        cx.folded(value).is_none()
            && i16::try_from(number).is_ok()
            && i16::try_from(number + LAST_PART).is_ok()
    }

    /// The memory operand for the address `value`.
    pub(crate) fn address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Amode {
        match cx.folded(value).and_then(|inst| sum(cx.func, inst)) {
            Some((value, number)) => self.plain_address(cx, value).offset(number as i32),
            None => self.plain_address(cx, value),
        }
    }

    /// The memory operand for the address `value`, which is no addition that was folded.
    fn plain_address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Amode {
        if let Some(object) = cx.frame_object(value) {
            return Amode::new(Base::Object(object), 0);
        }
        if let Some(of) = symbol_of(cx.func, value) {
            return match cx.held(Constant::Value(value)) {
                Some(reg) => Amode::new(Base::Reg(reg), 0),
                None => self.symbol_memory(cx, of.into(), 0),
            };
        }
        Amode::new(Base::Reg(self.reg(cx, value)), 0)
    }

    /// The operand with its base in a register or the frame, for several accesses.
    pub(crate) fn anchored<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mem: Amode) -> Amode {
        match mem.base {
            Base::Symbol(symbol) => {
                let dst = self.temp(cx);
                cx.sink.push(Inst::MovSymbol { dst, symbol, addend: mem.disp });
                Amode::new(Base::Reg(dst), 0)
            }
            Base::Page(..) => {
                let dst = self.temp(cx);
                cx.sink.push(Inst::Lea { dst, mem: Amode { disp: 0, ..mem } });
                Amode::new(Base::Reg(dst), mem.disp)
            }
            _ => mem,
        }
    }

    /// The symbol of a constant in memory.
    pub(crate) fn constant_memory<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        size: ice_asm::ConstantSize,
        bits: u128,
    ) -> Amode {
        let constant = cx.constant(size, bits);
        self.symbol_memory(cx, CodeSymbol::Constant(constant), 0)
    }
}
