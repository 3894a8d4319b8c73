//! Builds one function, instruction by instruction, in layout order.
//!
//! What goes in may come out smaller: every pure instruction passes the filter of a builder that has one, which
//! may answer with a value that already holds the result (the LIR-writer pipeline of nanojit).

use crate::assembly::Assembly;
use crate::entities::{Block, FuncId, Inst, Pad, SigId, SwitchTable, Symbol, Value};
use crate::exceptions::InvokeData;
use crate::filter::Filtered;
use crate::function::Function;
use crate::hardening::ObjectKind;
use crate::instruction::{BinaryOp, CastOp, FloatCond, InstData, IntCond, TailHint};
use crate::intrinsics::Intrinsic;
use crate::module::Signature;
use crate::types::Type;
use cranelift_entity::packed_option::PackedOption;

/// Appends instructions to a function.
pub struct FunctionBuilder<'f> {
    /// The function being built.
    pub func: &'f mut Function,
    filter: Option<&'f mut Filtered>,
    block: PackedOption<Block>,
    announced: PackedOption<Value>,
}

impl<'f> FunctionBuilder<'f> {
    /// A builder that appends to `func` what it is asked for.
    pub fn new(func: &'f mut Function) -> Self {
        FunctionBuilder { func, filter: None, block: None.into(), announced: None.into() }
    }

    /// A builder that appends to `func` what `filter` lets through: for translation.
    pub fn filtered(func: &'f mut Function, filter: &'f mut Filtered) -> Self {
        FunctionBuilder { func, filter: Some(filter), block: None.into(), announced: None.into() }
    }

    /// Empties the function and makes the parameters of `signature`.
    pub fn begin(&mut self, id: FuncId, signature: &Signature) {
        self.func.begin(id, signature);
        self.begin_values();
        self.block = None.into();
        self.announced = None.into();
    }

    /// Values that the filter has found may not dominate what follows.
    #[inline]
    fn begin_values(&mut self) {
        if let Some(filter) = &mut self.filter {
            filter.begin_block();
        }
    }

    /// A new block at the end of the function.
    pub fn create_block(&mut self) -> Block {
        self.func.append_new_block()
    }

    /// So many new blocks at the end of the function.
    pub fn create_blocks(&mut self, count: u32) {
        self.func.append_new_blocks(count);
    }

    /// Appends to `block` from now on.
    #[inline]
    pub fn switch_to_block(&mut self, block: Block) {
        self.block = block.into();
        self.begin_values();
    }

    /// The block that is appended to; `None` before the first and after a terminator.
    pub fn current_block(&self) -> Option<Block> {
        self.block.expand()
    }

    /// Makes the next instruction with a result define `value`, which was announced by
    /// [`Function::make_forward`]; its type must be the result's.
    pub fn define_next_as(&mut self, value: Value) {
        self.announced = value.into();
    }

    // ---- constants

    /// An integer constant.
    #[inline]
    pub fn int_const(&mut self, ty: Type, number: i64) -> Value {
        self.func.make_int(ty, number)
    }

    /// An `f32` constant.
    pub fn f32_const(&mut self, number: f32) -> Value {
        self.func.make_float(Type::F32, u64::from(number.to_bits()))
    }

    /// An `f64` constant.
    pub fn f64_const(&mut self, number: f64) -> Value {
        self.func.make_float(Type::F64, number.to_bits())
    }

    /// The address of a function or global.
    pub fn address(&mut self, symbol: Symbol, pointer: Type) -> Value {
        self.func.make_address(symbol, pointer)
    }

    // ---- instructions

    /// Appends `data` as it is, with a result unless `ty` is `void`.
    #[inline(never)]
    pub fn append(&mut self, data: InstData, ty: Type) -> Inst {
        self.push(data, ty).0
    }

    /// As [`append`](Self::append), in line with a caller that appends most instructions of a function; gives the
    /// result too.
    #[inline(always)]
    pub fn push(&mut self, data: InstData, ty: Type) -> (Inst, PackedOption<Value>) {
        if ty != Type::Void {
            let (inst, value) = self.push_value(data, ty);
            return (inst, value.into());
        }
        let block = self.block.expect("an instruction needs a block");
        if data.is_terminator() {
            self.block = None.into();
        }
        (self.func.layout.push_inst(block, data, None.into()), None.into())
    }

    /// Appends `data`, in line, whose result has the type `ty`, which is not `void`: no terminator has one.
    #[inline(always)]
    pub fn push_value(&mut self, data: InstData, ty: Type) -> (Inst, Value) {
        debug_assert!(ty != Type::Void && !data.is_terminator());
        let value = match self.announced.expand() {
            Some(value) => {
                debug_assert_eq!(self.func.value_type(value), ty);
                self.announced = None.into();
                self.func.define_forward(value);
                value
            }
            None => self.func.make_value(ty),
        };
        let block = self.block.expect("an instruction needs a block");
        (self.func.layout.push_inst(block, data, value.into()), value)
    }

    /// Appends `data`, whose result has the type `ty`.
    #[inline(never)]
    pub fn append_value(&mut self, data: InstData, ty: Type) -> Value {
        self.push_value(data, ty).1
    }

    /// Appends an instruction that has a result if `ty` is not `void`.
    #[inline(never)]
    fn append_call(&mut self, data: InstData, ty: Type) -> Option<Value> {
        self.push(data, ty).1.expand()
    }

    /// Appends a computation of type `ty`, or finds its value.
    pub fn compute(&mut self, data: InstData, ty: Type) -> Value {
        if let Some(filter) = &mut self.filter
            && let Some(value) = filter.find(self.func, &data, ty)
            && self.announced.is_none()
        {
            return value;
        }
        let (_, value) = self.push_value(data, ty);
        if let Some(filter) = &mut self.filter {
            filter.record(value);
        }
        value
    }

    /// `op a, b`.
    #[inline]
    pub fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.func.value_type(a);
        self.compute(InstData::Binary { op, args: [a, b] }, ty)
    }

    /// `op a to ty`.
    pub fn cast(&mut self, op: CastOp, arg: Value, ty: Type) -> Value {
        self.compute(InstData::Cast { op, arg }, ty)
    }

    /// Integer comparison.
    #[inline]
    pub fn icmp(&mut self, cond: IntCond, a: Value, b: Value) -> Value {
        let ty = self.func.value_type(a).compare_result();
        self.compute(InstData::Icmp { cond, args: [a, b] }, ty)
    }

    /// Floating-point comparison.
    pub fn fcmp(&mut self, cond: FloatCond, a: Value, b: Value) -> Value {
        let ty = self.func.value_type(a).compare_result();
        self.compute(InstData::Fcmp { cond, args: [a, b] }, ty)
    }

    /// `cond ? if_true : if_false`.
    pub fn select(&mut self, cond: Value, if_true: Value, if_false: Value) -> Value {
        let ty = self.func.value_type(if_true);
        self.compute(InstData::Select { cond, if_true, if_false }, ty)
    }

    /// Lane `index` of `vector`.
    pub fn extract_element(&mut self, vector: Value, index: Value) -> Value {
        let ty = self.func.value_type(vector).element();
        self.compute(InstData::ExtractElement { vector, index }, ty)
    }

    /// `vector` with lane `index` replaced.
    pub fn insert_element(&mut self, vector: Value, element: Value, index: Value) -> Value {
        let ty = self.func.value_type(vector);
        self.compute(InstData::InsertElement { vector, element, index }, ty)
    }

    /// The vector of type `ty`, of 256 bits, with these halves: of two that one vector was taken apart into, that one.
    pub fn join(&mut self, halves: [Value; 2], ty: Type) -> Value {
        use crate::function::ValueDef::{Undef, Zero};
        let func = &mut *self.func;
        match (func.joined(halves), halves.map(|half| func.value_def(half))) {
            (Some(vector), _) if func.value_type(vector) == ty => vector,
            (_, [Undef, Undef]) => func.make_undef(ty),
            (_, [Undef | Zero, Undef | Zero]) => func.make_zero(ty),
            _ => self.compute(InstData::Join { halves }, ty),
        }
    }

    /// The low half (0) or the high half (1) of a vector of 256 bits, of type `ty`.
    pub fn half(&mut self, vector: Value, half: u8, ty: Type) -> Value {
        use crate::function::ValueDef::{Undef, Zero};
        match self.func.value_def(vector) {
            Undef => self.func.make_undef(ty),
            Zero => self.func.make_zero(ty),
            _ => match self.func.defining_inst(vector).map(|inst| *self.func.inst(inst)) {
                Some(InstData::Join { halves }) => halves[usize::from(half & 1)],
                _ => self.compute(InstData::Half { vector, half }, ty),
            },
        }
    }

    /// Fresh storage; `pointer` is the address type.
    pub fn alloca(&mut self, size: Value, align_log2: u8, pointer: Type) -> Value {
        self.alloca_of(ObjectKind::Local, size, align_log2, pointer)
    }

    /// Fresh storage for an object of this kind.
    pub fn alloca_of(&mut self, kind: ObjectKind, size: Value, align_log2: u8, pointer: Type) -> Value {
        self.append_value(InstData::Alloca { size, align_log2, kind }, pointer)
    }

    /// A load of `ty`.
    pub fn load(&mut self, ty: Type, address: Value, align_log2: u8) -> Value {
        self.append_value(InstData::Load { address, align_log2 }, ty)
    }

    /// A store.
    pub fn store(&mut self, address: Value, value: Value, align_log2: u8) {
        self.append(InstData::Store { address, value, align_log2 }, Type::Void);
    }

    /// A direct call that returns `ret`.
    pub fn call(&mut self, callee: FuncId, args: &[Value], ret: Type, tail: TailHint) -> Option<Value> {
        let args = self.func.make_args(args);
        self.append_call(InstData::Call { callee, args, tail }, ret)
    }

    /// An indirect call that returns `ret`.
    pub fn call_indirect(
        &mut self,
        callee: Value,
        args: &[Value],
        ret: Type,
        tail: TailHint,
    ) -> Option<Value> {
        let args = self.func.make_args(args);
        self.append_call(InstData::CallIndirect { callee, args, tail }, ret)
    }

    /// A call of the address `args[0]` with the other arguments, as a function of `signature`, which returns
    /// `ret`.
    pub fn call_as(&mut self, signature: SigId, args: &[Value], ret: Type, tail: TailHint) -> Option<Value> {
        let args = self.func.make_args(args);
        self.append_call(InstData::CallAs { signature, args, tail }, ret)
    }

    /// A direct call that returns `ret` and that the values of `live` survive: compiled code says where they are while it
    /// runs ([`TailHint::Live`]). A function of one signature, with a fixed number of parameters, is called.
    pub fn call_with_live(
        &mut self,
        callee: FuncId,
        args: &[Value],
        live: &[Value],
        ret: Type,
    ) -> Option<Value> {
        self.call(callee, &[args, live].concat(), ret, TailHint::Live)
    }

    /// Goes on in a new block if `cond` holds. If not, calls `exit` with `args`, which knows where the values of `live` are
    /// and finishes what the function would have done: what it gives, of type `ret`, is returned. The new block follows in
    /// the order of blocks, and the call is in one at the end, so that a row of guards is left out of the way.
    pub fn guard(&mut self, cond: Value, exit: FuncId, args: &[Value], live: &[Value], ret: Type) {
        let before = self.block.expect("a guard needs a block");
        let (inside, outside) = (self.func.insert_new_block_after(before), self.create_block());
        self.cond_br(cond, inside, outside);
        self.switch_to_block(outside);
        let result = self.call_with_live(exit, args, live, ret);
        self.ret(result);
        self.switch_to_block(inside);
    }

    /// The second result, of type `ty`, of the call that was just built and gave `first`.
    pub fn second_result(&mut self, first: Value, ty: Type) -> Value {
        self.append_value(InstData::SecondResult { first }, ty)
    }

    /// Inline assembly with its inputs, whose first output, if it has one, is of type `ty`.
    pub fn assembly(&mut self, assembly: Assembly, args: &[Value], ty: Type) -> Option<Value> {
        let assembly = self.func.make_assembly(assembly);
        let args = self.func.make_args(args);
        self.append_call(InstData::Assembly { assembly, args }, ty)
    }

    /// A computation of the machine with its inputs, whose result is of type `ty`.
    pub fn machine_op(&mut self, assembly: Assembly, args: &[Value], ty: Type) -> Value {
        debug_assert!(assembly.is_computation());
        let (assembly, args) = (self.func.make_assembly(assembly), self.func.make_args(args));
        self.append_value(InstData::MachineOp { assembly, args }, ty)
    }

    /// The output `number`, from 1 on, of the inline assembly that was just built and gave `first`.
    pub fn assembly_output(&mut self, first: Value, number: u32, ty: Type) -> Value {
        self.append_value(InstData::Output { first, number }, ty)
    }

    /// Inline assembly with its inputs, whose text may jump to its targets; they begin with its outputs.
    pub fn assembly_jump(&mut self, assembly: Assembly, args: &[Value]) {
        let (assembly, args) = (self.func.make_assembly(assembly), self.func.make_args(args));
        self.append(InstData::AssemblyJump { assembly, args }, Type::Void);
    }

    /// A call of the intrinsic `op` through its declaration.
    pub fn call_intrinsic(
        &mut self,
        op: Intrinsic,
        callee: FuncId,
        args: &[Value],
        ret: Type,
        tail: TailHint,
    ) -> Option<Value> {
        let args = self.func.make_args(args);
        self.append_call(InstData::CallIntrinsic { op, callee, args, tail }, ret)
    }

    /// A call that an exception may leave, as `call` says. What it goes to says what comes of it.
    pub fn invoke(&mut self, call: InvokeData, args: &[Value]) {
        let (call, args) = (self.func.exceptions.make_invocation(call), self.func.make_args(args));
        self.append(InstData::Invoke { call, args }, Type::Void);
    }

    /// The result, of type `ty`, of the call before, at the start of its normal block.
    pub fn invoke_result(&mut self, ty: Type) -> Value {
        self.append_value(InstData::InvokeResult, ty)
    }

    /// The address of the exception that comes to `pad`, at its start, and its selector.
    pub fn landing_pad(&mut self, pad: Pad, pointer: Type) -> [Value; 2] {
        let exception = self.append_value(InstData::LandingPad { pad }, pointer);
        [exception, self.second_result(exception, Type::I32)]
    }

    /// A phi with one pair for every incoming edge.
    #[inline]
    pub fn phi(&mut self, ty: Type, incoming: &[(Value, Block)]) -> Value {
        let incoming = self.func.make_incoming(incoming);
        self.append_value(InstData::Phi { incoming }, ty)
    }

    /// Unconditional branch.
    pub fn br(&mut self, target: Block) {
        self.append(InstData::Br { target }, Type::Void);
    }

    /// Conditional branch.
    pub fn cond_br(&mut self, cond: Value, if_true: Block, if_false: Block) {
        self.append(InstData::CondBr { cond, if_true, if_false }, Type::Void);
    }

    /// The address of the block that is label `label` of a function.
    pub fn block_address(&mut self, function: FuncId, label: u32, pointer: Type) -> Value {
        self.append_value(InstData::BlockAddress { function, label }, pointer)
    }

    /// Multi-way branch; the cases are added with [`Function::switch_mut`].
    pub fn switch(&mut self, value: Value, default: Block) -> SwitchTable {
        let table = self.func.make_switch();
        self.append(InstData::Switch { value, default, table }, Type::Void);
        table
    }

    /// Return.
    pub fn ret(&mut self, value: Option<Value>) {
        self.append(InstData::Ret { value }, Type::Void);
    }

    /// Return of two results.
    pub fn ret_pair(&mut self, values: [Value; 2]) {
        self.append(InstData::RetPair { values }, Type::Void);
    }

    /// A direct call in place of a return.
    pub fn return_call(&mut self, callee: FuncId, args: &[Value]) {
        let args = self.func.make_args(args);
        self.append(InstData::ReturnCall { callee, args }, Type::Void);
    }

    /// A call through an address in place of a return.
    pub fn return_call_indirect(&mut self, callee: Value, args: &[Value]) {
        let args = self.func.make_args(args);
        self.append(InstData::ReturnCallIndirect { callee, args }, Type::Void);
    }

    /// A call of the address `args[0]` with the other arguments, as a function of `signature`, in place of a return.
    pub fn return_call_as(&mut self, signature: SigId, args: &[Value]) {
        let args = self.func.make_args(args);
        self.append(InstData::ReturnCallAs { signature, args }, Type::Void);
    }

    /// Marks the end of the block as never reached.
    pub fn unreachable(&mut self) {
        self.append(InstData::Unreachable, Type::Void);
    }
}
