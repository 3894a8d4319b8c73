//! What helpers are written with: a builder with loops and choices as functions of values.

use alloc::vec::Vec;
use ice_ir::{
    BinaryOp, Block, CastOp, FloatCond, FuncId, Function, FunctionBuilder, InstData, IntCond, Signature,
    TailHint, Type, Value,
};

/// Appends to a helper.
pub(super) struct Build<'f> {
    builder: FunctionBuilder<'f>,
}

impl<'f> Build<'f> {
    /// At the start of a function.
    pub(super) fn begin(func: &'f mut Function, id: FuncId, signature: &Signature) -> Build<'f> {
        let mut builder = FunctionBuilder::new(func);
        builder.begin(id, signature);
        let start = builder.create_block();
        builder.switch_to_block(start);
        Build { builder }
    }

    /// The first `N` parameters.
    pub(super) fn params<const N: usize>(&self) -> [Value; N] {
        core::array::from_fn(|n| self.builder.func.params()[n])
    }

    /// All of them.
    pub(super) fn all_params(&self) -> Vec<Value> {
        self.builder.func.params().to_vec()
    }

    pub(super) fn ty(&self, value: Value) -> Type {
        self.builder.func.value_type(value)
    }

    /// A number of 32 or 64 bits: its lower ones.
    pub(super) fn int(&mut self, ty: Type, number: i64) -> Value {
        self.builder.int_const(ty, if ty == Type::I64 { number } else { i64::from(number as i32) })
    }

    pub(super) fn double(&mut self, number: f64) -> Value {
        self.builder.f64_const(number)
    }

    pub(super) fn op(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.builder.binary(op, a, b)
    }

    /// With a number of the same type.
    pub(super) fn op_int(&mut self, op: BinaryOp, a: Value, number: i64) -> Value {
        let number = self.int(self.ty(a), number);
        self.op(op, a, number)
    }

    pub(super) fn cast(&mut self, op: CastOp, value: Value, ty: Type) -> Value {
        self.builder.cast(op, value, ty)
    }

    pub(super) fn compare(&mut self, cond: IntCond, a: Value, b: Value) -> Value {
        self.builder.icmp(cond, a, b)
    }

    pub(super) fn compare_int(&mut self, cond: IntCond, a: Value, number: i64) -> Value {
        let number = self.int(self.ty(a), number);
        self.compare(cond, a, number)
    }

    pub(super) fn compare_floats(&mut self, cond: FloatCond, a: Value, b: Value) -> Value {
        self.builder.fcmp(cond, a, b)
    }

    pub(super) fn select(&mut self, cond: Value, if_true: Value, if_false: Value) -> Value {
        self.builder.select(cond, if_true, if_false)
    }

    /// A load from an address at a multiple of `1 << align_log2`.
    pub(super) fn load(&mut self, ty: Type, address: Value, align_log2: u8) -> Value {
        self.builder.load(ty, address, align_log2)
    }

    pub(super) fn store(&mut self, address: Value, value: Value, align_log2: u8) {
        self.builder.store(address, value, align_log2);
    }

    /// An address that is so many bytes behind another.
    pub(super) fn offset(&mut self, address: Value, bytes: i64) -> Value {
        if bytes == 0 { address } else { self.op_int(BinaryOp::Add, address, bytes) }
    }

    /// So many bytes of the frame, at a multiple of 8.
    pub(super) fn frame_memory(&mut self, bytes: i64) -> Value {
        let bytes = self.int(Type::I32, bytes);
        self.builder.alloca(bytes, 3, Type::I32)
    }

    /// Calls a function at an address, which gives nothing.
    pub(super) fn call(&mut self, callee: Value, args: &[Value]) {
        self.builder.call_indirect(callee, args, Type::Void, TailHint::None);
    }

    pub(super) fn ret(&mut self, value: Option<Value>) {
        self.builder.ret(value);
    }

    fn block(&self) -> Block {
        self.builder.current_block().expect("nothing ends a block but what begins one")
    }

    /// What the one or the other gives.
    pub(super) fn choose<const N: usize>(
        &mut self,
        cond: Value,
        if_true: impl FnOnce(&mut Self) -> [Value; N],
        if_false: impl FnOnce(&mut Self) -> [Value; N],
    ) -> [Value; N] {
        let [first, second] = [0; 2].map(|_| self.builder.create_block());
        self.builder.cond_br(cond, first, second);
        self.builder.switch_to_block(first);
        let (true_values, first) = (if_true(self), self.block());
        let end = self.builder.create_block();
        self.builder.br(end);
        self.builder.switch_to_block(second);
        let (false_values, second) = (if_false(self), self.block());
        self.builder.br(end);
        self.builder.switch_to_block(end);
        core::array::from_fn(|n| {
            let incoming = [(true_values[n], first), (false_values[n], second)];
            self.builder.phi(self.ty(true_values[n]), &incoming)
        })
    }

    /// Goes the one or the other way, each of which ends the function.
    pub(super) fn either(
        &mut self,
        cond: Value,
        if_true: impl FnOnce(&mut Self),
        if_false: impl FnOnce(&mut Self),
    ) {
        let [first, second] = [0; 2].map(|_| self.builder.create_block());
        self.builder.cond_br(cond, first, second);
        self.builder.switch_to_block(first);
        if_true(self);
        self.builder.switch_to_block(second);
        if_false(self);
    }

    /// Repeats `round`, which gets what the one before it gave and says whether another follows; gives what the last one
    /// gave.
    pub(super) fn repeat<const N: usize>(
        &mut self,
        start: [Value; N],
        round: impl FnOnce(&mut Self, [Value; N]) -> (Value, [Value; N]),
    ) -> [Value; N] {
        let (before, head) = (self.block(), self.builder.create_block());
        self.builder.br(head);
        self.builder.switch_to_block(head);
        let phis = start.map(|value| {
            // The second one becomes that of the edge back.
            self.builder.phi(self.ty(value), &[(value, before), (value, head)])
        });
        let (again, next) = round(self, phis);
        let (last, end) = (self.block(), self.builder.create_block());
        self.builder.cond_br(again, head, end);
        self.builder.switch_to_block(end);
        let func = &mut *self.builder.func;
        let incoming: Vec<_> = phis.iter().filter_map(|&phi| func.defining_inst(phi)).collect();
        for (inst, &next) in incoming.into_iter().zip(&next) {
            if let InstData::Phi { incoming } = *func.inst(inst) {
                func.incoming_mut(incoming)[1] = (next, last);
            }
        }
        next
    }
}
