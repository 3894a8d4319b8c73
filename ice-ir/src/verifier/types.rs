//! The rules about constants, types, memory and calls, instruction by instruction.

use alloc::vec::Vec;

use super::{Location, Rule, Rules, Verifier};
use crate::Function;
use crate::entities::{Inst, SigId, Value};
use crate::function::{SwitchKey, ValueDef};
use crate::instruction::{BinaryOp, CastOp, InstData, TailHint, ValueRange};
use crate::intrinsics::{AtomicOp, Intrinsic};
use crate::module::{FunctionKind, MAX_ALIGN_LOG2, Signature};
use crate::native::{Arity, CallingConvention, Passing};
use crate::types::Type;

/// The types that cross the boundary of an ordinary function of the stable format.
pub(super) fn is_plain_argument(ty: Type) -> bool {
    !matches!(ty, Type::I1 | Type::I8 | Type::I16)
}

/// Whether the stable format has loads and stores of `ty` with this alignment (bitcode specification,
/// section 9.4).
fn is_access_alignment(ty: Type, align_log2: u8) -> bool {
    match ty {
        Type::F32 => matches!(align_log2, 0 | 2),
        Type::F64 => matches!(align_log2, 0 | 3),
        _ if ty.is_vector() => 1 << align_log2 == ty.element().bytes(),
        _ => align_log2 == 0,
    }
}

/// Whether `op` converts `from` to `to`.
fn is_conversion(op: CastOp, from: Type, to: Type) -> bool {
    use CastOp::*;
    let ints = (from.is_int_or_int_vector(), to.is_int_or_int_vector());
    let (narrower, wider) =
        (to.element().bits() < from.element().bits(), to.element().bits() > from.element().bits());
    let matching = match op {
        Trunc => ints == (true, true) && narrower,
        Zext | Sext => ints == (true, true) && wider,
        Fptoui | Fptosi => ints == (false, true),
        Uitofp | Sitofp => ints == (true, false),
        Fptrunc => ints == (false, false) && narrower,
        Fpext => ints == (false, false) && wider,
        Bitcast => return from.bits() == to.bits(),
    };
    matching && from.lanes() == to.lanes()
}

impl<'a> Verifier<'a> {
    /// Everything that can be seen without control flow.
    pub(super) fn types(&mut self, cases: &mut Vec<i64>) {
        let func = self.func;
        let has_wide = self.module.functions[func.id].traits.wide_registers;
        for index in 0..func.num_values() as u32 {
            let value = Value::from_u32(index);
            self.place = Location::Value(func.id, value);
            let is_param = matches!(func.value_def(value), ValueDef::Param(_));
            self.check(Rule::WideVector, has_wide && !is_param || !func.value_type(value).is_wide());
            self.check_pnacl(Rule::StableType, func.value_type(value).is_stable());
            self.constant(value);
        }
        for block in func.blocks() {
            for inst in func.block_insts(block) {
                self.place = Location::Inst(func.id, block, inst);
                self.inst(inst, cases);
            }
        }
    }

    fn constant(&mut self, value: Value) {
        let ty = self.func.value_type(value);
        match self.func.value_def(value) {
            ValueDef::Int(number) => {
                let fits = ty.is_scalar_int() && ty.sign_extend(number) == number;
                self.check(Rule::Constant, fits);
            }
            ValueDef::Float(bits) => {
                let fits = ty == Type::F64 || ty == Type::F32 && u32::try_from(bits).is_ok();
                self.check(Rule::Constant, fits);
            }
            ValueDef::Undef => self.check(Rule::Constant, ty != Type::Void),
            ValueDef::Zero => self.check(Rule::Constant, ty.is_vector()),
            ValueDef::Function(f) => {
                let decl = self.module.functions.get(f);
                self.check(Rule::AddressType, decl.is_some() && ty == self.module.pointer_type);
                let intrinsic = decl.is_some_and(|d| matches!(d.kind, FunctionKind::Intrinsic(_)));
                self.check(Rule::IntrinsicAddress, !intrinsic);
            }
            ValueDef::Global(g) => {
                let exists = self.module.globals.is_valid(g);
                self.check(Rule::AddressType, exists && ty == self.module.pointer_type);
            }
            ValueDef::Param(_) | ValueDef::Inst(_) | ValueDef::Forward => {}
        }
    }

    fn computation(&mut self, inst: Inst) {
        if let Some(rule) = broken_type_rule(self.func, inst) {
            self.check(rule, false);
        }
    }

    /// Whether an instruction hands over a vector of 256 bits to another function, or gets one.
    fn hands_over_wide(&self, data: &InstData, result: Type) -> bool {
        let func = self.func;
        let is_wide = |value: &Value| func.value_type(*value).is_wide();
        match *data {
            InstData::CallAs { signature, .. } if !self.module.signatures.is_valid(signature) => false,
            InstData::Call { args, .. }
            | InstData::CallIndirect { args, .. }
            | InstData::CallAs { args, .. }
            | InstData::ReturnCall { args, .. }
            | InstData::ReturnCallIndirect { args, .. }
            | InstData::ReturnCallAs { args, .. } => {
                let passed = args.first(self.module.passed_args(data));
                result.is_wide() || func.args(passed).iter().any(is_wide)
            }
            InstData::Invoke { call, args } => {
                func.exceptions.invocation(call).ret.is_wide() || func.args(args).iter().any(is_wide)
            }
            InstData::SecondResult { .. } => result.is_wide(),
            InstData::Ret { value } => value.as_ref().is_some_and(is_wide),
            InstData::RetPair { values } => values.iter().any(is_wide),
            _ => false,
        }
    }

    fn inst(&mut self, inst: Inst, cases: &mut Vec<i64>) {
        let func = self.func;
        let pointer = self.module.pointer_type;
        let ty = |value: Value| func.value_type(value);
        let result = func.result(inst).map_or(Type::Void, ty);
        self.check(Rule::WideVector, !self.hands_over_wide(func.inst(inst), result));
        match *func.inst(inst) {
            InstData::Binary { op, .. } => {
                self.computation(inst);
                let logic = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
                self.check_pnacl(Rule::BoolArithmetic, logic || !result.is_bool_or_bool_vector());
            }
            InstData::Icmp { args: [a, _], .. } => {
                self.computation(inst);
                self.check_pnacl(Rule::BoolArithmetic, !ty(a).is_bool_or_bool_vector());
            }
            InstData::Cast { .. }
            | InstData::Fcmp { .. }
            | InstData::Select { .. }
            | InstData::Join { .. } => {
                self.computation(inst);
            }
            InstData::ExtractElement { vector, index } | InstData::InsertElement { vector, index, .. } => {
                self.computation(inst);
                self.lane_index(ty(vector), index);
            }
            InstData::Half { half, .. } => {
                self.computation(inst);
                self.check(Rule::LaneIndex, half < 2);
            }
            InstData::Alloca { size, align_log2, .. } => {
                self.check(Rule::PointerOperand, result == pointer);
                let wide = self.rules == Rules::Ice && ty(size) == pointer;
                self.check(Rule::AllocaSize, ty(size) == Type::I32 || wide);
                self.check(Rule::Alignment, align_log2 <= MAX_ALIGN_LOG2);
            }
            InstData::Load { address, align_log2 } => self.access(result, ty(address), align_log2),
            InstData::Store { address, value, align_log2 } => {
                self.access(ty(value), ty(address), align_log2);
            }
            InstData::Call { callee, args, tail } => {
                let args = self.passed(args, tail, func.inst(inst));
                self.arguments(callee, args, result);
                let intrinsic = matches!(self.module.functions[callee].kind, FunctionKind::Intrinsic(_));
                self.check(Rule::CallKind, !intrinsic);
            }
            InstData::CallIntrinsic { op, callee, args, tail } => {
                self.check(Rule::CallKind, tail != TailHint::Live);
                self.arguments(callee, args, result);
                self.check(Rule::CallKind, self.module.functions[callee].kind == FunctionKind::Intrinsic(op));
                self.intrinsic_operands(op, func.args(args));
            }
            InstData::CallIndirect { callee, args, tail } => {
                self.check(Rule::PointerOperand, ty(callee) == pointer);
                // What the callee gets would not be known.
                self.check(Rule::CallKind, tail != TailHint::Live);
                let args = func.args(args);
                let plain = args.iter().all(|&v| is_plain_argument(ty(v))) && is_plain_argument(result);
                self.check_pnacl(Rule::IndirectSmall, plain);
            }
            InstData::CallAs { signature, args, tail } => {
                let exists = self.module.signatures.is_valid(signature);
                let args = if exists { self.passed(args, tail, func.inst(inst)) } else { args };
                let signature = self.call_as(signature, func.args(args));
                let is_fixed = signature.is_some_and(|signature| signature.arity == Arity::Fixed);
                self.check(Rule::CallArguments, tail != TailHint::Live || is_fixed);
                self.check(Rule::CallArguments, signature.is_some_and(|signature| result == signature.ret));
                self.check_pnacl(Rule::CallKind, false);
            }
            InstData::ReturnCall { callee, args } => {
                let signature = self.module.signature(callee);
                self.arguments(callee, args, signature.ret);
                let intrinsic = matches!(self.module.functions[callee].kind, FunctionKind::Intrinsic(_));
                self.check(Rule::CallKind, !intrinsic);
                self.return_call(signature, func.args(args));
            }
            InstData::ReturnCallIndirect { callee, .. } => {
                self.check(Rule::PointerOperand, ty(callee) == pointer);
                let own = self.module.signature(func.id);
                let is_plain = own.arity == Arity::Fixed
                    && own.second == Type::Void
                    && own.convention == CallingConvention::Standard
                    && own.struct_return().is_none();
                self.check(Rule::ReturnCall, is_plain);
                self.check_pnacl(Rule::ReturnCall, false);
            }
            InstData::ReturnCallAs { signature, args } => {
                let args = func.args(args);
                let signature = self.call_as(signature, args);
                self.check(Rule::CallArguments, signature.is_some());
                if let (Some(signature), Some(args)) = (signature, args.get(1..)) {
                    self.return_call(signature, args);
                }
            }
            InstData::Invoke { call, args } => {
                self.invoke(*func.exceptions.invocation(call), func.args(args))
            }
            InstData::InvokeResult => self.invoke_result(inst, result),
            InstData::LandingPad { pad } => {
                self.check(Rule::PointerOperand, result == pointer);
                self.landing_pad(inst, pad);
            }
            InstData::SecondResult { first } => {
                let call = func.layout.prev_inst(inst).filter(|&call| func.result(call) == Some(first));
                if matches!(call.map(|call| func.inst(call)), Some(InstData::LandingPad { .. })) {
                    return self.check(Rule::CallKind, result == Type::I32);
                }
                let call = call.and_then(|call| match func.inst(call) {
                    InstData::InvokeResult => self.invoked_before(call),
                    data => Some(*data),
                });
                let signature = match call {
                    Some(InstData::Call { callee, .. }) => Some(self.module.signature(callee)),
                    Some(InstData::CallAs { signature, .. }) => self.module.signatures.get(signature),
                    _ => None,
                };
                self.check(Rule::CallKind, signature.is_some_and(|s| s.second == result));
            }
            InstData::Assembly { assembly, args } => self.assembly(inst, assembly, args),
            InstData::MachineOp { assembly, args } => {
                let is_op = func.assembly(assembly).is_some_and(|assembly| assembly.is_computation());
                self.check(Rule::Assembly, is_op);
                self.assembly(inst, assembly, args);
            }
            InstData::AssemblyJump { assembly, args } => self.assembly_jump(assembly, args),
            InstData::Output { first, number } => {
                let prev = func.layout.prev_inst(inst);
                let follows = prev.is_some_and(|prev| match *func.inst(prev) {
                    InstData::Assembly { .. } => func.result(prev) == Some(first) && number == 1,
                    InstData::InvokeResult => {
                        func.result(prev) == Some(first) && number == 1 && self.is_behind_jump(prev)
                    }
                    InstData::Output { first: same, number: before } => same == first && number == before + 1,
                    _ => false,
                });
                self.check(Rule::Assembly, follows);
            }
            InstData::RetPair { values: [first, second] } => {
                let signature = self.module.signature(func.id);
                let pair = ty(first) == signature.ret && ty(second) == signature.second;
                self.check(Rule::ReturnType, pair && signature.second != Type::Void);
            }
            InstData::Phi { incoming } => {
                let same = func.incoming(incoming).iter().all(|&(value, _)| ty(value) == result);
                self.check(Rule::PhiType, same);
            }
            InstData::CondBr { cond, .. } => self.check(Rule::BranchType, ty(cond) == Type::I1),
            InstData::Switch { value, default, table } if func.switch(table).key == SwitchKey::Label => {
                self.indirect_branch(value, default, table, cases);
            }
            InstData::BlockAddress { function, .. } => {
                let decl = self.module.functions.get(function);
                let is_defined = decl.is_some_and(|decl| decl.kind == FunctionKind::Defined);
                self.check(Rule::IndirectBranch, is_defined && result == self.module.pointer_type);
                self.check_pnacl(Rule::IndirectBranch, false);
            }
            InstData::Switch { value, table, .. } => {
                let ty = ty(value);
                let decides = ty.is_scalar_int() && ty != Type::I1;
                self.check(Rule::SwitchType, decides);
                if decides {
                    cases.clear();
                    cases.extend(func.switch(table).cases.iter().map(|&(number, _)| number));
                    cases.sort_unstable();
                    let distinct = cases.windows(2).all(|pair| pair[0] != pair[1]);
                    let extended = cases.iter().all(|&n| ty.sign_extend(n) == n);
                    self.check(Rule::SwitchCases, distinct && extended);
                }
            }
            InstData::Ret { value } => {
                let single = self.module.signature(func.id).second == Type::Void;
                self.check(Rule::ReturnType, single && value.map_or(Type::Void, ty) == func.ret);
            }
            InstData::Br { .. } | InstData::Unreachable => {}
        }
    }

    fn lane_index(&mut self, vector: Type, index: Value) {
        let lane = self.func.int_value(index).filter(|_| self.func.value_type(index) == Type::I32);
        let below = lane.is_some_and(|lane| (0..i64::from(vector.lanes())).contains(&lane));
        self.check(Rule::LaneIndex, below || !vector.is_vector());
    }

    fn access(&mut self, ty: Type, address: Type, align_log2: u8) {
        self.check(Rule::PointerOperand, address == self.module.pointer_type);
        let lone_bool = self.rules == Rules::Ice && ty == Type::I1;
        let in_memory = lone_bool || !ty.is_bool_or_bool_vector();
        self.check(Rule::MemoryType, in_memory);
        let legal = align_log2 <= MAX_ALIGN_LOG2
            && (self.rules == Rules::Ice || !in_memory || is_access_alignment(ty, align_log2));
        self.check(Rule::Alignment, legal);
    }

    /// The signature of a call of the address `args[0]`, if there is one and the other arguments are its.
    pub(super) fn call_as(&mut self, signature: SigId, args: &[Value]) -> Option<&'a Signature> {
        let (func, pointer) = (self.func, self.module.pointer_type);
        let ty = |value: Value| func.value_type(value);
        self.check(Rule::PointerOperand, args.first().is_some_and(|&callee| ty(callee) == pointer));
        self.module.signatures.get(signature).filter(|signature| {
            let given = args.get(1..).unwrap_or_default();
            let extra = given.len() > signature.params.len();
            signature.params.len() <= given.len()
                && (!extra || signature.arity == Arity::Variadic)
                && given.iter().zip(&signature.params).all(|(&value, &param)| ty(value) == param)
                && given.iter().enumerate().all(|(i, &value)| {
                    let passing = signature.argument_passing(func, i, value);
                    !matches!(passing, Passing::ByVal { .. }) || ty(value) == pointer
                })
        })
    }

    /// A call with these arguments in place of a return, which is of no intrinsic.
    fn return_call(&mut self, callee: &Signature, args: &[Value]) {
        let own = self.module.signature(self.func.id);
        let passes_memory_on = match (own.struct_return(), callee.struct_return()) {
            (None, None) => true,
            (Some(own), Some(callee)) => self.func.params().get(own) == args.get(callee),
            _ => false,
        };
        let wants_none = (own.ret, own.second, callee.second) == (Type::Void, Type::Void, Type::Void)
            && callee.ret.is_scalar_int();
        let same =
            wants_none || (own.ret, own.second, own.results) == (callee.ret, callee.second, callee.results);
        self.check(Rule::ReturnCall, same && own.convention == callee.convention && passes_memory_on);
        self.check(Rule::ReturnCall, own.hands_variables_to(callee, args.len()));
        self.check_pnacl(Rule::ReturnCall, false);
    }

    /// What the callee gets of the arguments of a call.
    fn passed(&mut self, args: ValueRange, tail: TailHint, call: &InstData) -> ValueRange {
        self.check_pnacl(Rule::CallKind, tail != TailHint::Live);
        args.first(self.module.passed_args(call))
    }

    fn arguments(&mut self, callee: crate::FuncId, args: ValueRange, result: Type) {
        let signature = self.module.signature(callee);
        let types = self.func.args(args).iter().map(|&v| self.func.value_type(v));
        let same = result == signature.ret
            && types.eq(signature.params.iter().copied())
            && signature.arity == Arity::Fixed;
        self.check(Rule::CallArguments, same);
    }

    /// Operands that say how, not what (bitcode specification, section 11). A missing one is reported as a
    /// wrong call elsewhere.
    fn intrinsic_operands(&mut self, op: Intrinsic, args: &[Value]) {
        use Intrinsic::*;
        let number = |n: usize| args.get(n).and_then(|&v| self.func.int_value(v));
        let one_of = |n: usize, accepted: &[i64]| number(n).is_some_and(|v| accepted.contains(&v));
        let accepted = match op {
            Memcpy | Memmove | Memset => one_of(3, &[1]),
            AtomicLoad => one_of(1, &[3, 6]),
            AtomicStore => one_of(2, &[4, 6]),
            AtomicRmw => one_of(3, &[3, 4, 5, 6]),
            AtomicFence => one_of(0, &[3, 4, 5, 6]),
            AtomicCmpxchg => {
                matches!((number(3), number(4)), (Some(3 | 5 | 6), Some(3)) | (Some(6), Some(6)))
            }
            AtomicIsLockFree => one_of(0, &[1, 2, 4, 8]),
            _ => true,
        };
        let operation = op != AtomicRmw || number(0).is_some_and(|code| AtomicOp::from_code(code).is_some());
        self.check(Rule::AtomicOperation, operation);
        let is_alignment = |n: i64| (0..=i64::from(MAX_ALIGN_LOG2)).contains(&n);
        let is_address =
            |n: usize| args.get(n).map(|&v| self.func.value_type(v)) == Some(self.module.pointer_type);
        let is_object = || is_address(0) && number(1).is_some() && number(2).is_some_and(is_alignment);
        self.check(Rule::IntrinsicOperand, op != ByValue || is_object());
        self.check_pnacl(Rule::IntrinsicOperand, accepted);
    }
}

/// The rule about types that a [computation](InstData::is_computation) breaks; `None` for a sound one and for other instructions.
pub fn broken_type_rule(func: &Function, inst: Inst) -> Option<Rule> {
    let ty = |value: Value| func.value_type(value);
    let result = func.result(inst).map_or(Type::Void, ty);
    let (rule, holds) = match *func.inst(inst) {
        InstData::Binary { op, args: [a, b] } => {
            let lanes = match op.is_float() {
                true => result.is_float_or_float_vector(),
                false => result.is_int_or_int_vector(),
            };
            (Rule::BinaryType, ty(a) == result && ty(b) == result && lanes)
        }
        InstData::Cast { op, arg } => (Rule::CastType, is_conversion(op, ty(arg), result)),
        InstData::Icmp { args: [a, b], .. } => {
            let operands = ty(a) == ty(b) && ty(a).is_int_or_int_vector();
            (Rule::CompareType, operands && result == ty(a).compare_result())
        }
        InstData::Fcmp { args: [a, b], .. } => {
            let operands = ty(a) == ty(b) && ty(a).is_float_or_float_vector();
            (Rule::CompareType, operands && result == ty(a).compare_result())
        }
        InstData::Select { cond, if_true, if_false } => {
            let arms = ty(if_true) == result && ty(if_false) == result;
            let by_lane = result.is_vector() && ty(cond) == result.compare_result();
            (Rule::SelectType, arms && (ty(cond) == Type::I1 || by_lane))
        }
        InstData::ExtractElement { vector, .. } => {
            let vector = ty(vector);
            (Rule::LaneType, vector.is_vector() && !vector.is_wide() && result == vector.element())
        }
        InstData::InsertElement { vector, element, .. } => {
            let vector = ty(vector);
            let fits = vector == result && ty(element) == vector.element();
            (Rule::LaneType, vector.is_vector() && !vector.is_wide() && fits)
        }
        InstData::Join { halves } => {
            let fits = halves.iter().all(|&half| Some(ty(half)) == result.half());
            (Rule::LaneType, result.half().is_some() && fits)
        }
        InstData::Half { vector, .. } => (Rule::LaneType, ty(vector).half() == Some(result)),
        _ => return None,
    };
    (!holds).then_some(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of section 9.4, written out once more.
    #[test]
    fn alignments_of_the_stable_format() {
        let legal = |ty| (0..=29).filter(|&log2| is_access_alignment(ty, log2)).collect::<Vec<u8>>();
        for ty in [Type::I8, Type::I16, Type::I32, Type::I64, Type::V16I8] {
            assert_eq!(legal(ty), [0], "{ty}");
        }
        assert_eq!(legal(Type::F32), [0, 2]);
        assert_eq!(legal(Type::F64), [0, 3]);
        assert_eq!(legal(Type::V8I16), [1]);
        assert_eq!(legal(Type::V4I32), [2]);
        assert_eq!(legal(Type::V4F32), [2]);
    }

    #[test]
    fn conversions() {
        use CastOp::*;
        let ok = [
            (Trunc, Type::I64, Type::I1),
            (Sext, Type::V4I1, Type::V4I32),
            (Fptosi, Type::V4F32, Type::V4I32),
            (Uitofp, Type::I1, Type::F64),
            (Fpext, Type::F32, Type::F64),
            (Bitcast, Type::V4F32, Type::V16I8),
            (Bitcast, Type::I8, Type::I8),
            (Bitcast, Type::V8I1, Type::I8),
        ];
        let wrong = [
            (Trunc, Type::I32, Type::I32),
            (Zext, Type::V4I1, Type::V8I16),
            (Fptrunc, Type::F32, Type::F64),
            (Fptoui, Type::F32, Type::F64),
            (Sitofp, Type::F32, Type::F64),
            (Bitcast, Type::I32, Type::F64),
        ];
        assert!(ok.iter().all(|&(op, from, to)| is_conversion(op, from, to)));
        assert!(!wrong.iter().any(|&(op, from, to)| is_conversion(op, from, to)));
    }
}
