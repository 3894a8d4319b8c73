//! The rules of instructions inside a block.

use crate::lower::Lower;
use crate::mach::{MachInst, Sink};
use crate::target::{ErrorKind, Target};
use ice_asm::SymbolId;
use ice_ir::{
    Assembly, BinaryOp, CastOp, FloatCond, FuncId, Function, Inst, InstData, IntCond, Intrinsic, Module,
    Passing, Signature, TailHint, Type, Value, ValueDef,
};

/// What a call goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Destination {
    /// A function of the module with the signature that it has there.
    Function(FuncId),
    /// A function of the module with another signature.
    Retyped(FuncId),
    /// An address.
    Address(Value),
}

/// A call of a function.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// What it goes to.
    pub callee: Destination,
    /// The signature, if the types of arguments and result do not say everything.
    pub signature: Option<&'a Signature>,
    /// The arguments.
    pub args: &'a [Value],
}

impl<'a> Call<'a> {
    /// The call that an instruction is, perhaps in place of a return, if all operands behind its callee are arguments.
    #[inline(always)]
    pub fn of(module: &'a Module, func: &'a Function, inst: &InstData) -> Option<Call<'a>> {
        match *inst {
            InstData::Call { callee, args, .. } | InstData::ReturnCall { callee, args } => {
                let signature = Some(module.signature(callee));
                Some(Call { callee: Destination::Function(callee), signature, args: func.args(args) })
            }
            InstData::CallIndirect { callee, args, .. } | InstData::ReturnCallIndirect { callee, args } => {
                let callee = Destination::Address(callee);
                Some(Call { callee, signature: None, args: func.args(args) })
            }
            InstData::CallAs { signature, args, .. } | InstData::ReturnCallAs { signature, args } => {
                // The address is that of a function of this signature.
                let (&callee, args) = func.args(args).split_first()?;
                let callee = match func.value_def(callee) {
                    ValueDef::Function(callee) => Destination::Retyped(callee),
                    _ => Destination::Address(callee),
                };
                Some(Call { callee, signature: Some(&module.signatures[signature]), args })
            }
            _ => None,
        }
    }

    /// The arguments, each with how it is passed. What is marked so among the variable ones is passed by value.
    #[inline(always)]
    pub fn args_with_passing(self, func: &'a Function) -> impl Iterator<Item = (Value, Passing)> + 'a {
        self.args.iter().enumerate().map(move |(n, &arg)| {
            let passing = |signature: &Signature| signature.argument_passing(func, n, arg);
            (arg, self.signature.map_or(Passing::Plain, passing))
        })
    }
}

/// The kind of an instruction, and what it works on. A pair is an integer of 64 bits in two registers.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the fields are those of the instructions")]
pub enum Rule<'a> {
    /// Nothing is left to do.
    Done,
    /// Arithmetic on integers in one register.
    IntBinary { op: BinaryOp, args: [Value; 2], result: Value },
    /// Arithmetic on pairs.
    PairBinary { op: BinaryOp, args: [Value; 2], result: Value },
    /// Arithmetic on scalar floating-point numbers.
    FloatBinary { op: BinaryOp, args: [Value; 2], result: Value },
    /// A truncation or extension of integers.
    IntCast { op: CastOp, arg: Value, result: Value },
    /// A conversion from, to or between floating-point numbers, or a copy of their bits.
    FloatCast { op: CastOp, arg: Value, result: Value },
    /// A comparison of integers, addresses or floating-point numbers, as a boolean.
    Compare { result: Value },
    /// A choice by a boolean between the first value, if it is true, and the second, which may be vectors.
    Select { cond: Value, values: [Value; 2], result: Value },
    /// What works lane by lane, or on a lane.
    Vector(VectorRule),
    /// Storage of a size or at a time that is not known before the function runs; the frame has a dynamic alloca.
    DynamicAlloca { size: Value, align_log2: u8, result: Value },
    /// A load.
    Load { address: Value, align_log2: u8, result: Value },
    /// A store.
    Store { address: Value, value: Value, align_log2: u8 },
    /// A call of a function: [`Lower::call_of`] tells which.
    Call,
    /// What comes out of the invoke before: [`Lower::invoke_before`] tells which.
    InvokeResult,
    /// What comes to a pad: the address of an exception, and which of the clauses has taken it.
    LandingPad { exception: Value, selector: Option<Value> },
    /// The address of the code of a block.
    BlockAddress { symbol: SymbolId, result: Value },
    /// A call of an intrinsic.
    Intrinsic { op: Intrinsic, args: &'a [Value] },
    /// The outputs of inline assembly that has jumped here.
    AssemblyReceived { before: Inst },
    /// Inline assembly with its inputs.
    Assembly { assembly: &'a Assembly, args: &'a [Value] },
    /// The instruction does not belong inside a block.
    Misplaced,
}

/// The kind of an instruction that has a vector as an operand or as its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields are those of the instructions")]
pub enum VectorRule {
    /// Arithmetic.
    Binary { op: BinaryOp, args: [Value; 2], result: Value },
    /// A conversion.
    Cast { op: CastOp, arg: Value, result: Value },
    /// A comparison of integers.
    IntCompare { cond: IntCond, args: [Value; 2], result: Value },
    /// A comparison of floating-point numbers.
    FloatCompare { cond: FloatCond, args: [Value; 2], result: Value },
    /// A choice lane by lane between the first value, where the condition is true, and the second.
    Select { cond: Value, values: [Value; 2], result: Value },
    /// One lane.
    ExtractElement { vector: Value, index: Value, result: Value },
    /// A vector with one lane replaced.
    InsertElement { vector: Value, element: Value, index: Value, result: Value },
    /// A vector of 256 bits from its halves.
    Join { halves: [Value; 2], result: Value },
    /// A half of a vector of 256 bits.
    Half { vector: Value, half: u8, result: Value },
}

impl<'a, I: MachInst, S: Sink<I>> Lower<'a, I, S> {
    /// Whether a value of the type is a pair.
    #[inline]
    pub fn is_pair(&self, ty: Type) -> bool {
        ty == Type::I64 && self.layouts[Type::I64 as usize].parts > 1
    }

    /// The rule of what is its first argument. Nothing moves past a pin in the IR, and nothing is moved once it is lowered. What
    /// is by value is copied by the call.
    #[cold]
    fn copied(&self, args: &[Value], result: Option<Value>) -> Rule<'a> {
        match (args, result) {
            (&[arg, ..], Some(result)) => match self.func.value_type(arg).is_vector() {
                true => Rule::Vector(VectorRule::Cast { op: CastOp::Bitcast, arg, result }),
                false => Rule::FloatCast { op: CastOp::Bitcast, arg, result },
            },
            _ => Rule::Misplaced,
        }
    }

    /// The rule of an instruction inside a block. What needs no machine is done.
    #[inline(always)]
    pub fn rule<T: Target<Inst = I>>(&mut self, inst: Inst) -> Rule<'a> {
        let func = self.func;
        let is_vector = |value: Value| func.value_type(value).is_vector();
        match *func.inst(inst) {
            InstData::Binary { op, args } => {
                let result = self.result(inst);
                let ty = func.value_type(result);
                if ty.is_vector() {
                    Rule::Vector(VectorRule::Binary { op, args, result })
                } else if op.is_float() {
                    Rule::FloatBinary { op, args, result }
                } else if self.is_pair(ty) {
                    Rule::PairBinary { op, args, result }
                } else {
                    Rule::IntBinary { op, args, result }
                }
            }
            InstData::Cast { op, arg } => {
                let result = self.result(inst);
                match op {
                    _ if is_vector(arg) || is_vector(result) => {
                        Rule::Vector(VectorRule::Cast { op, arg, result })
                    }
                    CastOp::Trunc | CastOp::Zext | CastOp::Sext => Rule::IntCast { op, arg, result },
                    _ => Rule::FloatCast { op, arg, result },
                }
            }
            InstData::Icmp { cond, args } => {
                let result = self.result(inst);
                match is_vector(args[0]) {
                    true => Rule::Vector(VectorRule::IntCompare { cond, args, result }),
                    false => Rule::Compare { result },
                }
            }
            InstData::Fcmp { cond, args } => {
                let result = self.result(inst);
                match is_vector(args[0]) {
                    true => Rule::Vector(VectorRule::FloatCompare { cond, args, result }),
                    false => Rule::Compare { result },
                }
            }
            InstData::Select { .. } if self.take_made(self.result(inst)) => Rule::Done,
            InstData::Select { cond, if_true, if_false } => {
                let (values, result) = ([if_true, if_false], self.result(inst));
                match is_vector(cond) {
                    true => Rule::Vector(VectorRule::Select { cond, values, result }),
                    false => Rule::Select { cond, values, result },
                }
            }
            InstData::ExtractElement { .. } if self.take_made(self.result(inst)) => Rule::Done,
            InstData::ExtractElement { vector, index } => {
                Rule::Vector(VectorRule::ExtractElement { vector, index, result: self.result(inst) })
            }
            InstData::InsertElement { vector, element, index } => {
                Rule::Vector(VectorRule::InsertElement { vector, element, index, result: self.result(inst) })
            }
            InstData::Join { halves } => Rule::Vector(VectorRule::Join { halves, result: self.result(inst) }),
            InstData::Half { vector, half } => {
                Rule::Vector(VectorRule::Half { vector, half, result: self.result(inst) })
            }
            InstData::Alloca { size, align_log2, .. } => match self.place_alloca::<T>(inst) {
                true => Rule::Done,
                false => Rule::DynamicAlloca { size, align_log2, result: self.result(inst) },
            },
            InstData::Load { address, align_log2 } => {
                Rule::Load { address, align_log2, result: self.result(inst) }
            }
            InstData::Store { address, value, align_log2 } => Rule::Store { address, value, align_log2 },
            InstData::CallIntrinsic { op: Intrinsic::Pin | Intrinsic::ByValue, args, .. } => {
                self.copied(func.args(args), func.result(inst))
            }
            InstData::CallIntrinsic { op, args, .. } => {
                self.note_intrinsic(op);
                Rule::Intrinsic { op, args: func.args(args) }
            }
            InstData::Call { .. } | InstData::CallIndirect { .. } | InstData::CallAs { .. } => Rule::Call,
            InstData::BlockAddress { function, label } => {
                let symbol = self.sink.tables().label_symbol(function, label);
                Rule::BlockAddress { symbol, result: self.result(inst) }
            }
            InstData::InvokeResult => match self.assembly_before() {
                Some(before) => Rule::AssemblyReceived { before },
                None => Rule::InvokeResult,
            },
            InstData::LandingPad { .. } => {
                let next = func.layout.next_inst(inst);
                let taken = next.filter(|&inst| matches!(func.inst(inst), InstData::SecondResult { .. }));
                let selector = taken.and_then(|inst| func.result(inst));
                Rule::LandingPad { exception: self.result(inst), selector }
            }
            InstData::Assembly { assembly, args } | InstData::MachineOp { assembly, args } => {
                match func.assembly(assembly) {
                    Some(assembly) => {
                        self.note_assembly(assembly);
                        Rule::Assembly { assembly, args: func.args(args) }
                    }
                    None => Rule::Misplaced,
                }
            }
            // The instruction before has defined it.
            InstData::SecondResult { .. } | InstData::Output { .. } => Rule::Done,
            InstData::Phi { .. }
            | InstData::Br { .. }
            | InstData::CondBr { .. }
            | InstData::Switch { .. }
            | InstData::Ret { .. }
            | InstData::RetPair { .. }
            | InstData::ReturnCall { .. }
            | InstData::ReturnCallIndirect { .. }
            | InstData::ReturnCallAs { .. }
            | InstData::Invoke { .. }
            | InstData::AssemblyJump { .. }
            | InstData::Unreachable => Rule::Misplaced,
        }
    }

    /// The call of a function that `inst` is, perhaps in place of a return.
    ///
    /// # Errors
    /// It is none, or has no callee.
    #[inline(always)]
    pub fn call_of(&mut self, inst: Inst) -> Result<Call<'a>, ErrorKind> {
        let func = self.func;
        match func.inst(inst) {
            InstData::Call { tail: TailHint::Live, .. } | InstData::CallAs { tail: TailHint::Live, .. } => {
                self.call_with_live(inst)
            }
            InstData::Invoke { .. } => self.invoked(inst),
            call => self.called(call),
        }
    }

    /// A call of which all operands behind the callee are arguments.
    #[inline(always)]
    fn called(&mut self, call: &InstData) -> Result<Call<'a>, ErrorKind> {
        let call = Call::of(self.module, self.func, call);
        let call = call.ok_or(ErrorKind::Unsupported("an instruction that is no call"))?;
        if let Destination::Function(callee) | Destination::Retyped(callee) = call.callee {
            self.note_callee(callee);
        }
        Ok(call)
    }

    /// The call that an invoke makes.
    #[cold]
    fn invoked(&mut self, inst: Inst) -> Result<Call<'a>, ErrorKind> {
        match self.func.invoked_call(self.func.inst(inst)) {
            Some(call) => self.called(&call),
            None => Err(ErrorKind::Unsupported("an instruction that is no call")),
        }
    }

    /// The invoke that leads to the current block.
    ///
    /// # Errors
    /// There is none.
    pub fn invoke_before(&self) -> Result<Inst, ErrorKind> {
        let block = self.current_block();
        let before = block.and_then(|block| self.cfg.preds(block).first());
        let invoke = before.and_then(|&before| self.func.layout.last_inst(before));
        let invoke = invoke.filter(|&invoke| matches!(self.func.inst(invoke), InstData::Invoke { .. }));
        invoke.ok_or(ErrorKind::Unsupported("the result of an invoke behind none"))
    }

    /// The inline assembly that has jumped to the current block, if it has.
    fn assembly_before(&self) -> Option<Inst> {
        let before = self.current_block().and_then(|block| self.cfg.preds(block).first())?;
        let last = self.func.layout.last_inst(*before)?;
        matches!(self.func.inst(last), InstData::AssemblyJump { .. }).then_some(last)
    }

    /// A call with live values, which are no arguments.
    #[cold]
    fn call_with_live(&mut self, inst: Inst) -> Result<Call<'a>, ErrorKind> {
        let data = *self.func.inst(inst);
        let passed = self.module.passed_args(&data);
        self.called(&match data {
            InstData::CallAs { signature, args, tail } => {
                InstData::CallAs { signature, args: args.first(passed), tail }
            }
            InstData::Call { callee, args, tail } => {
                InstData::Call { callee, args: args.first(passed), tail }
            }
            other => other,
        })
    }
}
