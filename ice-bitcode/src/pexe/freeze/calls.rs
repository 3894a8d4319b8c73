//! Calls: small integers, copies, variadic buffers, second results.
//!
//! One area of the caller's frame serves all calls in turn: first the variadic buffer, then copies of
//! objects passed by value, then the second result.

use super::FreezeErrorKind;
use super::body::Body;
use super::module::{Frozen, frozen_signature};
use alloc::vec::Vec;
use ice_ir::{
    Arity, Function, Inst, InstData, Intrinsic, Passing, Signature, Symbol, TailHint, Type, Value, ValueDef,
};

/// log2 of the alignment of a word of the i386 argument area.
const WORD_LOG2: u8 = 2;

/// Size and alignment of the area that the calls of a function need.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct OutgoingArea {
    /// In bytes.
    pub size: u32,
    pub align_log2: u8,
}

/// Hands out the area of one call.
#[derive(Default)]
struct Layout {
    area: OutgoingArea,
}

impl Layout {
    /// The offset of `size` more bytes.
    fn place(&mut self, size: u32, align_log2: u8) -> u32 {
        let align_log2 = align_log2.max(WORD_LOG2);
        let at = self.area.size.next_multiple_of(1 << align_log2);
        self.area.size = at.saturating_add(size.next_multiple_of(4));
        self.area.align_log2 = self.area.align_log2.max(align_log2);
        at
    }

    /// Places an argument of the variadic part.
    fn variadic(&mut self, ty: Type, passing: Passing) -> u32 {
        match passing {
            Passing::ByVal { size, align_log2 } => self.place(size, align_log2),
            _ if ty.is_vector() => self.place(16, 4),
            _ => self.place(ty.bytes(), WORD_LOG2),
        }
    }
}

/// How a call goes: its signature, its arguments, and its callee if it is called by its address.
struct Call<'s> {
    signature: &'s Signature,
    args: &'s [Value],
    tail: TailHint,
}

impl<'s> Call<'s> {
    /// `None` for instructions that are no calls through a signature.
    fn of(frozen: &Frozen<'s>, func: &'s Function, inst: Inst) -> Option<Call<'s>> {
        let module = frozen.old;
        match *func.inst(inst) {
            InstData::Call { callee, args, tail } => {
                Some(Call { signature: module.signature(callee), args: func.args(args), tail })
            }
            InstData::CallAs { signature, args, tail } => {
                let args = func.args(args).get(1..)?;
                Some(Call { signature: &module.signatures[signature], args, tail })
            }
            _ => None,
        }
    }

    /// Passing of parameter `index`.
    fn passing(&self, index: usize) -> Passing {
        self.signature.passing(index)
    }

    fn fixed(&self) -> usize {
        self.signature.params.len().min(self.args.len())
    }

    /// Offsets of variadic arguments, of copies in the order of parameters, and of the second result.
    fn layout(&self, func: &Function, offsets: &mut Vec<u32>) -> OutgoingArea {
        let mut layout = Layout::default();
        offsets.clear();
        for &arg in self.args.iter().skip(self.fixed()) {
            offsets.push(layout.variadic(func.value_type(arg), Passing::of_variable(func, arg)));
        }
        for index in 0..self.fixed() {
            if let Passing::ByVal { size, align_log2 } = self.passing(index) {
                offsets.push(layout.place(size, align_log2));
            }
        }
        if self.signature.second != Type::Void {
            offsets.push(layout.place(self.signature.second.bytes(), 4));
        }
        layout.area
    }
}

impl OutgoingArea {
    /// What is enough for every call in `func`.
    pub fn of(frozen: &Frozen<'_>, func: &Function) -> OutgoingArea {
        let mut all = OutgoingArea::default();
        let mut offsets = Vec::new();
        for inst in func.blocks().flat_map(|block| func.block_insts(block)) {
            if let Some(call) = Call::of(frozen, func, inst) {
                let area = call.layout(func, &mut offsets);
                all.size = all.size.max(area.size);
                all.align_log2 = all.align_log2.max(area.align_log2);
            }
        }
        all
    }
}

impl Body<'_, '_> {
    /// Any call but those of intrinsics, and what takes its second result.
    pub(super) fn call(&mut self, inst: Inst) -> Result<(), FreezeErrorKind> {
        let old = self.old;
        if let InstData::SecondResult { first } = *old.inst(inst) {
            let ty = old.result(inst).map_or(Type::Void, |v| old.value_type(v));
            let call = old.defining_inst(first).and_then(|call| Call::of(self.frozen, old, call));
            let mut offsets = Vec::new();
            call.ok_or(FreezeErrorKind::Unsupported("a second result"))?.layout(old, &mut offsets);
            let at = self.area(*offsets.last().unwrap_or(&0));
            self.reload(inst, ty, at);
            return Ok(());
        }
        if let InstData::CallIndirect { callee, args, tail } = *old.inst(inst) {
            let params = old.args(args).iter().map(|&v| old.value_type(v)).collect();
            let ret = old.result(inst).map_or(Type::Void, |v| old.value_type(v));
            let call = Call { signature: &Signature::new(params, ret), args: old.args(args), tail };
            return self.call_through(inst, call, Some(callee));
        }
        let callee = match *old.inst(inst) {
            InstData::CallAs { args, .. } => old.args(args).first().copied(),
            _ => None,
        };
        let call = Call::of(self.frozen, old, inst).ok_or(FreezeErrorKind::Unsupported("this call"))?;
        if call.tail == TailHint::Live {
            return Err(FreezeErrorKind::Unsupported("a call with live values"));
        }
        self.call_through(inst, call, callee)
    }

    fn area(&mut self, offset: u32) -> Value {
        let base = self.outgoing.unwrap_or_else(|| self.new.func.make_undef(Type::I32));
        self.offset(base, i64::from(offset))
    }

    fn call_through(
        &mut self,
        inst: Inst,
        call: Call<'_>,
        callee: Option<Value>,
    ) -> Result<(), FreezeErrorKind> {
        let mut offsets = Vec::new();
        call.layout(self.old, &mut offsets);
        let fixed = call.fixed();
        let (variadic, others) = offsets.split_at(call.args.len() - fixed);
        for (&arg, &offset) in call.args[fixed..].iter().zip(variadic) {
            let passing = Passing::of_variable(self.old, arg);
            let at = self.area(offset);
            let arg = self.value(arg);
            match passing {
                Passing::ByVal { size, .. } => self.copy(at, arg, size),
                _ => {
                    let arg = self.widened(arg);
                    self.store(at, arg, 0);
                }
            }
        }
        let mut others = others.iter().copied();
        let mut args = core::mem::take(&mut self.args);
        args.clear();
        for (index, &arg) in call.args[..fixed].iter().enumerate() {
            let arg = self.value(arg);
            args.push(match call.passing(index) {
                Passing::ByVal { size, .. } => {
                    let at = self.area(others.next().unwrap_or(0));
                    self.copy(at, arg, size);
                    at
                }
                _ => self.widened(arg),
            });
        }
        if call.signature.arity == Arity::Variadic {
            args.push(self.area(0));
        }
        if call.signature.second != Type::Void {
            args.push(self.area(others.next().unwrap_or(0)));
        }

        let signature = frozen_signature(call.signature);
        let ty = self.old.result(inst).map_or(Type::Void, |v| self.old.value_type(v));
        let direct = self.direct_callee(inst, callee)?.filter(|&f| *self.frozen.signature_of(f) == signature);
        let is_narrow = ty != signature.ret;
        if !is_narrow {
            self.define_next(inst);
        }
        // A tail call must not pass addresses into the frame that goes away.
        let tail = if offsets.is_empty() { call.tail } else { TailHint::None };
        let result = match (direct, callee) {
            (Some(function), _) => self.new.call(function, &args, signature.ret, tail),
            (None, callee) => {
                let callee = match callee {
                    Some(callee) => self.value(callee),
                    None => self.callee_address(inst)?,
                };
                self.new.call_indirect(callee, &args, signature.ret, tail)
            }
        };
        self.args = args;
        if let Some(mut result) = result {
            if is_narrow {
                self.define_next(inst);
                result = self.narrowed(result, ty);
            }
            self.defined(inst, result);
        }
        Ok(())
    }

    /// The symbol that a call names.
    fn callee_symbol(&self, inst: Inst, callee: Option<Value>) -> Option<Symbol> {
        match (self.old.inst(inst), callee.map(|value| self.old.value_def(value))) {
            (&InstData::Call { callee, .. }, _) => Some(Symbol::Function(callee)),
            (_, Some(ValueDef::Function(f))) => Some(Symbol::Function(f)),
            (_, Some(ValueDef::Global(g))) => Some(Symbol::Global(g)),
            _ => None,
        }
    }

    /// The function that a call reaches for certain.
    fn direct_callee(
        &self,
        inst: Inst,
        callee: Option<Value>,
    ) -> Result<Option<ice_ir::FuncId>, FreezeErrorKind> {
        use super::module::FrozenSymbol;
        let Some(symbol) = self.callee_symbol(inst, callee) else { return Ok(None) };
        Ok(match self.frozen.place(symbol)? {
            FrozenSymbol::At(Symbol::Function(function), 0) => Some(function),
            _ => None,
        })
    }

    /// The address of what a direct call names: it has another signature, or is nowhere.
    fn callee_address(&mut self, inst: Inst) -> Result<Value, FreezeErrorKind> {
        use super::module::FrozenSymbol;
        let symbol = self.callee_symbol(inst, None).ok_or(FreezeErrorKind::Unsupported("this call"))?;
        Ok(match self.frozen.place(symbol)? {
            FrozenSymbol::At(symbol, offset) => {
                let base = self.new.address(symbol, Type::I32);
                self.offset(base, offset)
            }
            FrozenSymbol::Null => self.int(0),
        })
    }

    /// Copies an object of constant size.
    fn copy(&mut self, to: Value, from: Value, size: u32) {
        if size == 0 {
            return;
        }
        let (len, align) = (self.int(i64::from(size)), self.int(1));
        let volatile = self.new.int_const(Type::I1, 0);
        let stable = super::intrinsics::stable(Intrinsic::Memcpy, Type::Void);
        if let Some(stable) = stable {
            let callee = self.frozen.intrinsic(stable);
            debug_assert!(matches!(stable.op, Intrinsic::Memcpy));
            let args = [to, from, len, align, volatile];
            self.new.call_intrinsic(Intrinsic::Memcpy, callee, &args, Type::Void, TailHint::None);
        }
    }
}
