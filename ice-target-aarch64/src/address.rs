//! Address modes: which additions disappear into a memory operand, and the operand they make.
//!
//! An addition that only loads and stores use, as their address, is folded if all of them have the form: a constant in reach
//! of the instruction, or an index, which may have been extended from 32 bits and counts bytes or what is accessed. The
//! decision is taken once, at the addition, for all users.
//!
//! Addresses of PNaCl programs have 32 bits, with zeros above: a sum in 64 bits is the same only if it does not wrap. So
//! only constants below a page are folded, of either sign: what wraps around with them is in the first or the last page
//! of 4 GiB, where nothing is.

use crate::inst::{Amode, Base, Index, Inst};
use crate::lower::fold::{Shifted, shifted};
use crate::target::{Aarch64, Cx};
use ice_asm::aarch64::{Extend, Shift, fits};
use ice_codegen::lanes::is_lane_of_shuffle;
use ice_codegen::mach::Sink;
use ice_codegen::{CodeSymbol, Constant, Operands as _};
use ice_ir::{BinaryOp, Function, InstData, Symbol, Type, Value, ValueDef};

/// Most accesses that compute the sum of two registers each.
const MAX_SUMS: u32 = 4;

/// Constants that are folded in PNaCl programs are less.
const PNACL_REACH: i64 = 4096 - 16;

/// The symbol whose address `value` is.
pub(crate) fn symbol_of(func: &Function, value: Value) -> Option<Symbol> {
    match func.value_def(value) {
        ValueDef::Global(g) => Some(Symbol::Global(g)),
        ValueDef::Function(f) => Some(Symbol::Function(f)),
        _ => None,
    }
}

/// log2 of the bytes of an access.
fn size_log2(ty: Type) -> u8 {
    ty.bytes().trailing_zeros() as u8
}

/// The part of an addition that an access takes in.
#[derive(Clone, Copy)]
enum Term {
    /// A constant beside the first operand.
    Number(i32),
    /// An index.
    Index(ValueIndex),
}

/// An index before it has a register.
#[derive(Clone, Copy)]
struct ValueIndex {
    value: Value,
    extend: Extend,
    /// log2 of what it counts.
    scale: u8,
}

/// How a value is an index: what was folded is part of it.
fn index_of<S: Sink<Inst>>(cx: &Cx<'_, S>, value: Value) -> Option<ValueIndex> {
    let Some(def) = cx.folded(value) else {
        return Some(ValueIndex { value, extend: Extend::Uxtx, scale: 0 });
    };
    match shifted(cx, def)? {
        Shifted::Plain(value, Shift::Lsl, scale) => Some(ValueIndex { value, extend: Extend::Uxtx, scale }),
        Shifted::Extended(value, extend @ (Extend::Uxtw | Extend::Sxtw), scale) => {
            Some(ValueIndex { value, extend, scale })
        }
        _ => None,
    }
}

impl Aarch64 {
    /// The first operand of the addition `inst` of addresses and what an access adds to it.
    fn terms<S: Sink<Inst>>(self, cx: &Cx<'_, S>, inst: ice_ir::Inst) -> Option<(Value, Term)> {
        let InstData::Binary { op: BinaryOp::Add, args: [a, b] } = *cx.func.inst(inst) else { return None };
        if cx.func.value_type(a) != self.address_type() {
            return None;
        }
        if let Some(number) = cx.func.int_value(b) {
            return Some((a, Term::Number(i32::try_from(number).ok()?)));
        }
        if !self.is_native() || cx.is_constant(b) && symbol_of(cx.func, b).is_none() {
            return None;
        }
        // What was folded becomes the index, and so does what is not the address of an object or a symbol.
        let is_base = |value: Value| cx.frame_object(value).is_some() || symbol_of(cx.func, value).is_some();
        let [base, index] =
            if cx.folded(a).is_some() && cx.folded(b).is_none() || is_base(b) { [b, a] } else { [a, b] };
        if cx.folded(base).is_some() || is_base(index) {
            return None;
        }
        Some((base, Term::Index(index_of(cx, index)?)))
    }

    /// Whether all users of `def`, which are loads and stores, take it into their addresses. Or all users are parts
    /// of one shuffle.
    pub(crate) fn is_in_addresses<S: Sink<Inst>>(self, cx: &Cx<'_, S>, def: ice_ir::Inst) -> bool {
        if let InstData::ExtractElement { .. } = cx.func.inst(def) {
            return is_lane_of_shuffle(cx.func, cx.uses, def, |_| true);
        }
        let (Some(result), Some((base, term))) = (cx.func.result(def), self.terms(cx, def)) else {
            return false;
        };
        match term {
            Term::Number(number) => {
                cx.folded(base).is_none()
                    && (self.is_native() || i64::from(number).abs() < PNACL_REACH)
                    && cx.uses.accessed(result).all(|ty| fits(number, size_log2(ty)))
            }
            Term::Index(index) => {
                cx.uses.count(result) <= MAX_SUMS
                    && cx.uses.accessed(result).all(|ty| index.scale == 0 || index.scale == size_log2(ty))
            }
        }
    }

    /// The memory operand for an access of this type to the address `value`: to a variable of this module by its place in its
    /// page, which an instruction takes in if it is a multiple of the size.
    pub(crate) fn access<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value, ty: Type) -> Amode {
        let (base, disp) = match cx.folded(value).and_then(|inst| self.terms(cx, inst)) {
            Some((base, Term::Number(number))) => (base, number),
            Some((_, Term::Index(_))) => return self.address(cx, value),
            None => (value, 0),
        };
        let ValueDef::Global(global) = cx.func.value_def(base) else { return self.address(cx, value) };
        let of = CodeSymbol::Global(global);
        let align = cx.module.globals[global].align_log2.unwrap_or(0);
        let is_near = self.reaches(cx.module, of) && !cx.module.is_declared(Symbol::Global(global));
        let is_aligned = align >= size_log2(ty) && disp.trailing_zeros() >= size_log2(ty).into();
        if !is_near || !is_aligned || cx.held(Constant::Value(base)).is_some() {
            return self.address(cx, value);
        }
        let (dst, symbol) = (self.address_temp(cx), of.pack());
        cx.sink.push(Inst::Page { dst, symbol, addend: disp });
        Amode::new(Base::Page(dst, symbol), disp)
    }

    /// The memory operand for the address `value`.
    pub(crate) fn address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Amode {
        match cx.folded(value).and_then(|inst| self.terms(cx, inst)) {
            Some((base, Term::Number(number))) => self.plain_address(cx, base).offset(number),
            Some((base, Term::Index(ValueIndex { value, extend, scale }))) => {
                let mem = self.plain_address(cx, base);
                let index = Index { reg: self.reg(cx, value), extend, is_scaled: scale > 0 };
                Amode { index: Some(index), ..mem }
            }
            None => self.plain_address(cx, value),
        }
    }

    /// The memory operand for the address `value`, which is no addition that was folded.
    fn plain_address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Amode {
        if let Some(object) = cx.frame_object(value) {
            let base = match cx.held(Constant::Value(value)) {
                Some(reg) => Base::Reg(reg),
                None => Base::Object(object),
            };
            return Amode::new(base, 0);
        }
        Amode::new(Base::Reg(self.reg(cx, value)), 0)
    }
}
