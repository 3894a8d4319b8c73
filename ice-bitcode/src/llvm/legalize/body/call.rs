//! CALL, and how arguments and results are passed (LLVM bitcode specification, section 11.5).
//!
//! A call whose signature is that of the function it names is a direct call; one through an address is an indirect
//! call if types alone say how; every other one names its [signature](crate::llvm::legalize::signature). Arguments are
//! brought into the [form](crate::llvm::legalize::signature::form) of their type, results are brought back from it; a result
//! of more than two parts is in a temporary of the caller's frame.

use alloc::format;
use alloc::vec::Vec;

use ice_ir::{
    Arity, BinaryOp, CallingConvention, FuncId, InvokeCallee, Passing, SigId, Symbol, TailHint, Type, Value,
};

use super::extended::Argument;
use super::memory::Access;
use super::prototype::Prototype;
use super::scratch::Duty;
use super::values::{Operand, Run};
use super::{Body, Checked, fail, unsupported};
use crate::error::Error;
use crate::llvm::legalize::legal::int_type;
use crate::llvm::legalize::machine::VariableRegisters;
use crate::llvm::legalize::shape::Kind;
use crate::llvm::legalize::signature::{
    Form, NoSignature, Role, Through, VectorRegisters, is_pair, passing, result_units, units,
};
use crate::llvm::wire::attributes::{AttributeList, FunctionFlags, ParamAttributes};
use crate::llvm::wire::constants::{Constant, GlobalValueKind, View};
use crate::llvm::wire::fold;
use crate::llvm::wire::types::{LlvmType, TypeId};

/// What is called.
pub(super) enum Callee {
    Function(FuncId),
    /// A name that starts with `llvm.`, by its number.
    Special(u32),
    /// Inline assembly, by the number of its constant.
    Assembly(u32),
    Address(Operand),
}

/// The flag of a call that must not take stack space of its own.
const MUST_TAIL: u64 = 1 << 14;

/// The error for a call whose signature nobody has asked for.
const UNKNOWN: &str =
    "a call through an address by a calling convention other than C's that no function of the module has";

/// The number of the convention whose marked calls before returns must not take any either, `tailcc`.
const TAIL_CONVENTION: u64 = 18;

impl Body<'_, '_> {
    /// CALL.
    pub(super) fn call(&mut self) -> Checked<()> {
        let (list, flags) = (self.op()?, self.op()?);
        if flags & 1 << 17 != 0 {
            self.op()?;
        }
        if flags & 1 << 15 == 0 || flags >> 18 != 0 {
            return fail(Error::CallConvention { bits: flags });
        }
        let ty = self.type_operand()?;
        let LlvmType::Function { ret, params, variadic } = self.m.types.get(ty) else {
            return fail(self.type_class(ty, "a function type"));
        };
        let number = flags >> 1 & 0x3ff;
        let convention = self.convention(number, ty)?;
        let prototype = Prototype { ty, ret, params, is_variadic: variadic, convention };
        let is_marked = flags & 1 != 0 && !self.s.flags.has(FunctionFlags::NO_TAIL_CALLS);
        let tail = if is_marked { TailHint::Tail } else { TailHint::None };
        let duty = match tail {
            _ if flags & MUST_TAIL != 0 => Some(Duty::Always),
            TailHint::Tail if number == TAIL_CONVENTION => Some(Duty::BeforeReturn),
            TailHint::Tail if self.returns_extended(ret) => Some(Duty::None),
            _ => None,
        };
        match self.callee()? {
            Callee::Special(_) | Callee::Assembly(_) if duty == Some(Duty::Always) => {
                unsupported("musttail of what is no function")
            }
            Callee::Special(number) => {
                let bundled = core::mem::take(&mut self.s.bundle);
                self.s.type_word = None;
                if self.m.attributes.list(list)?.function.demands.has_own_trap {
                    return unsupported("a trap with the attribute trap-func-name");
                }
                self.special_call(number, &prototype, bundled)
            }
            callee => {
                if let Some(tag) = self.s.bundle.take() {
                    self.check_bundle(tag)?;
                }
                match callee {
                    Callee::Assembly(number) => self.assembly_call(number, &prototype),
                    Callee::Function(function) => {
                        self.plain_call(list, &prototype, (Some(function), None), tail, duty)
                    }
                    Callee::Address(address) => {
                        self.plain_call(list, &prototype, (None, Some(address)), tail, duty)
                    }
                    Callee::Special(_) => Ok(()),
                }
            }
        }
    }

    /// The next operand as what is called.
    pub(super) fn callee(&mut self) -> Checked<Callee> {
        let relative = self.ops.get(self.at).copied().unwrap_or(0);
        let number = self.s.next_number().wrapping_sub(relative as u32);
        if relative >> 32 == 0 {
            if let Some(global) = self.m.globals.get(number as usize) {
                self.at += 1;
                return Ok(match global.kind {
                    GlobalValueKind::Symbol(Symbol::Function(function)) => Callee::Function(function),
                    GlobalValueKind::Symbol(Symbol::Global(_)) => Callee::Address(self.value(number)?),
                    GlobalValueKind::Special(special) => Callee::Special(special),
                });
            }
            let env = self.m.environment();
            let view = View { env: &env, local: &self.s.constants };
            if let Some((constant, _)) = view.get(number) {
                if let Constant::InlineAsm(_) = constant {
                    self.at += 1;
                    return Ok(Callee::Assembly(number));
                }
                if let fold::Scalar::Address { target: Symbol::Function(function), addend: 0 } =
                    view.scalar(number)
                {
                    self.at += 1;
                    return Ok(Callee::Function(function));
                }
            }
        }
        let address = self.vt()?;
        match Some(address.ty) == self.m.pointer {
            true => Ok(Callee::Address(address)),
            false => fail(self.type_class(address.ty, "an address")),
        }
    }

    pub(super) fn plain_call(
        &mut self,
        list: u64,
        prototype: &Prototype,
        (function, address): (Option<FuncId>, Option<Operand>),
        tail: TailHint,
        duty: Option<Duty>,
    ) -> Checked<()> {
        let attributes = self.m.attributes.list(list)?;
        if attributes.function.demands.saves_nothing {
            return unsupported("a call with the attribute no_callee_saved_registers");
        }
        self.check_result(prototype.ret, attributes.ret, function)?;
        let is_cold = |function| self.m.module.functions[function].traits.cold;
        if attributes.function.flags.has(FunctionFlags::COLD) || function.is_some_and(is_cold) {
            self.note_rare_call();
        }
        self.check_wide(prototype.ty, function)?;
        let registers = self.vector_registers();
        let (signatures, attribute_table) = (&self.m.signatures, &self.m.attributes);
        let (ty, convention) = (prototype.ty, prototype.convention);
        let signature = match function {
            _ if convention != CallingConvention::Standard => {
                let through = if function.is_some() { Through::Name } else { Through::Address };
                match signatures.call_by(attribute_table, ty, (list, through), registers, convention) {
                    Err(NoSignature) if !signatures.has_convention(convention) => {
                        return unsupported(UNKNOWN);
                    }
                    signature => signature.map(Some),
                }
            }
            Some(_) => signatures.call(attribute_table, ty, list, registers),
            None => signatures.call_address(attribute_table, ty, list, registers),
        };
        let Ok(signature) = signature else { return self.unsupported_call(prototype) };
        let mut args = core::mem::take(&mut self.s.args);
        args.clear();
        self.s.memory_arguments = 0;
        let slot = match self.arguments(prototype, &attributes, signature, &mut args) {
            Ok(slot) => slot,
            Err(error) => {
                self.s.args = args;
                return Err(error);
            }
        };
        let may_be_root = function.is_some() && self.m.square_roots.contains(&function) && duty.is_none();
        let root = if may_be_root { self.square_root(function, &attributes, &args) } else { Ok(None) };
        let result = match root {
            Ok(None) => {
                let callee = (function, address);
                self.build_call(signature, prototype.ret, attributes.ret, callee, &mut args, tail)
            }
            root => root.map(|root| (root, Type::Void)),
        };
        self.s.args = args;
        let (first, second) = result?;
        if let Some(duty) = duty {
            let form = self.form(Role::Result, prototype.ret, attributes.ret)?;
            self.note_tail_call(duty, slot.is_some(), form);
        }
        self.call_result(prototype.ret, attributes.ret, first, second, slot)
    }

    /// Notes that control hardly ever comes to the current block, which calls what is hardly ever called. The first block is come to
    /// as often as the function.
    #[cold]
    fn note_rare_call(&mut self) {
        if let Some(block) = self.b.current_block().filter(|&block| Some(block) != self.b.func.layout.entry())
        {
            self.b.func.rarity_mut(block).calls = true;
        }
    }

    /// The call instruction: its first result, and the type of the second one.
    #[inline(always)]
    fn build_call(
        &mut self,
        signature: Option<SigId>,
        ret: TypeId,
        attributes: ParamAttributes,
        (function, address): (Option<FuncId>, Option<Operand>),
        args: &mut Vec<Value>,
        tail: TailHint,
    ) -> Checked<(Option<Value>, Type)> {
        if function.is_some() {
            // LLVM looks at calls through addresses alone.
            self.s.type_word = None;
        }
        let module = &self.m.module;
        let (first, second) = match signature {
            Some(id) => (module.signatures[id].ret, module.signatures[id].second),
            None => (self.result_type(ret, attributes)?, Type::Void),
        };
        if let Some(function) = function {
            let own = module.functions[function].signature;
            let known = &module.signatures[own];
            let is_direct = match signature {
                Some(id) => id == own && known.arity == Arity::Fixed,
                None => {
                    let types = args.iter().map(|&value| self.ty_of(value));
                    known.is_plain() && known.ret == first && types.eq(known.params.iter().copied())
                }
            };
            if is_direct {
                if self.m.byte_compare == Some(function)
                    && self.s.pads.unwind.is_none()
                    && let Some(result) = self.compare_bytes(args)
                {
                    return Ok((Some(result), second));
                }
                let result = match self.s.pads.unwind {
                    None => self.b.call(function, args, first, tail),
                    Some(pad) => self.build_invoke(InvokeCallee::Function(function), args, first, pad),
                };
                return Ok((result, second));
            }
        }
        let callee = match (function, address) {
            (Some(function), _) => self.symbol(Symbol::Function(function))?,
            (None, Some(address)) => {
                let address = self.single(address);
                self.checked_callee(address)?
            }
            (None, None) => return fail(Error::CalleeNotFunction { value: 0 }),
        };
        let result = match (signature, self.s.pads.unwind) {
            (None, None) => self.b.call_indirect(callee, args, first, tail),
            (Some(id), None) => {
                args.insert(0, callee);
                self.b.call_as(id, args, first, tail)
            }
            (signature, Some(pad)) => {
                args.insert(0, callee);
                let callee = signature.map_or(InvokeCallee::Address, InvokeCallee::As);
                self.build_invoke(callee, args, first, pad)
            }
        };
        Ok((result, second))
    }

    /// The type of a result that types alone describe.
    fn result_type(&self, ty: TypeId, attributes: ParamAttributes) -> Checked<Type> {
        if self.kind(ty) == Kind::Void {
            return Ok(Type::Void);
        }
        match self.form(Role::Result, ty, attributes)? {
            Form::Parts => {}
            Form::Extended => return Ok(Type::Void),
            Form::ZeroExtended(ty) | Form::SignExtended(ty) => return Ok(ty),
        }
        let mut results = self.result_units(ty)?;
        match (results.next(), results.next()) {
            (first, None) => Ok(first.map_or(Type::Void, |unit| unit.ty)),
            _ => unsupported("this function type, or attributes, in a call"),
        }
    }

    /// Refuses a call whose signature could not be made, and says why.
    #[cold]
    fn unsupported_call<T>(&mut self, prototype: &Prototype) -> Checked<T> {
        self.m.legal.parts(prototype.ret)?;
        for &ty in self.m.types.list(prototype.params) {
            self.m.legal.parts(ty)?;
        }
        unsupported("this function type, or attributes, in a call")
    }

    /// Evaluates the arguments into `args`, and gives the temporary for a result in memory.
    fn arguments(
        &mut self,
        prototype: &Prototype,
        attributes: &AttributeList,
        signature: Option<SigId>,
        args: &mut Vec<Value>,
    ) -> Checked<Option<Value>> {
        let mut slot = None;
        if self.kind(prototype.ret) != Kind::Void {
            self.value_shape(prototype.ret)?;
            if self.form(Role::Result, prototype.ret, attributes.ret)? == Form::Parts
                && self.is_demoted(prototype.ret)?
            {
                let size = self.m.layouts.alloc_size(prototype.ret)?;
                let place = self.slot(size, self.m.layouts.abi_align_log2(prototype.ret))?;
                args.push(place);
                slot = Some(place);
            }
        }
        for (i, &ty) in self.m.types.list(prototype.params).iter().enumerate() {
            let Some(operand) = self.argument(ty)? else {
                return unsupported("a metadata argument of an ordinary function");
            };
            self.pass(operand, self.m.attributes.param(attributes, i), Argument::Fixed, args)?;
        }
        if prototype.is_variadic {
            let most_before_pair = self.m.legal.machine().most_before_pair;
            let mut index = prototype.params.len as usize;
            while self.has_more() {
                let operand = self.vt()?;
                self.value_shape(operand.ty)?;
                self.check_quad(prototype.convention, operand.ty)?;
                let attributes = self.m.attributes.param(attributes, index);
                let is_windows = prototype.convention == CallingConvention::Win64;
                let in_memory = match self.m.legal.machine().variable_registers {
                    Some(registers) => self.pass_over_registers(registers, signature, operand.ty, args)?,
                    None => false,
                };
                if let Passing::ByVal { size, align_log2 } = passing(&self.m.layouts, attributes)? {
                    let most = if is_windows { 4 } else { self.m.legal.machine().argument_align_log2 };
                    args.push(self.object_by_value(operand, size, (align_log2, most))?);
                } else if self.m.types.get(operand.ty) == LlvmType::Int(128)
                    && !is_windows
                    && most_before_pair
                        .is_some_and(|most| self.arguments_in_registers(signature, args)[0] > most)
                {
                    // It stays whole, where plain halves would not.
                    let place = self.argument_place()?;
                    self.store_value(operand, place, 4)?;
                    args.push(self.by_value(place, 16, 4)?);
                } else if self.vector_registers() == VectorRegisters::Wide
                    && !self.halves(operand.ty).is_empty()
                {
                    if is_windows {
                        return unsupported("vectors of 256 bits of the calling convention win64");
                    }
                    self.pass_wide_variable(operand, args)?;
                } else {
                    let start = args.len();
                    self.pass(operand, attributes, Argument::Variable, args)?;
                    if in_memory {
                        self.join_floats(operand.ty, start, args)?;
                    }
                }
                index += 1;
            }
        }
        self.end()?;
        Ok(slot)
    }

    /// A variable argument that is an object of so many bytes at an address, of this alignment or at most that.
    fn object_by_value(
        &mut self,
        operand: Operand,
        size: u32,
        (align_log2, most_log2): (u8, u8),
    ) -> Checked<Value> {
        if self.m.types.get(operand.ty) != LlvmType::Pointer {
            return fail(self.type_class(operand.ty, "a pointer"));
        }
        // The callee looks for it at such an address, and the stack is aligned to less.
        if align_log2 > most_log2 {
            let most = 1u64 << most_log2;
            return unsupported(&format!(
                "an object aligned to more than {most} bytes among variable arguments"
            ));
        }
        let address = self.single(operand);
        self.by_value(address, size, align_log2)
    }

    /// Appends a variable argument that is a vector of 256 bits: it is in memory, also where such parameters are in registers.
    fn pass_wide_variable(&mut self, operand: Operand, args: &mut Vec<Value>) -> Checked<()> {
        let halves = self.halves(operand.ty);
        if self.is_foreign(&halves) || self.shape(operand.ty).parts != 2 || halves.low.len() != 1 {
            return self.refuse_wide(None);
        }
        let place = self.slot(32, 4)?;
        self.store_value(operand, place, 4)?;
        args.push(self.by_value(place, 32, 5)?);
        Ok(())
    }

    /// How many arguments want a general register, and how many one for floats and vectors. Where the machine has
    /// [`VariableRegisters`], what is one object takes all that are left if it does not fit.
    fn arguments_in_registers(&self, signature: Option<SigId>, args: &[Value]) -> [usize; 2] {
        let signature = signature.map(|id| &self.m.module.signatures[id]);
        let registers = self.m.legal.machine().variable_registers;
        let mut taken = [0usize; 2];
        for (n, &value) in args.iter().enumerate() {
            let passing =
                signature.map_or(Passing::Plain, |known| known.argument_passing(self.b.func, n, value));
            let in_memory = matches!(passing, Passing::ByVal { .. });
            if in_memory || registers.is_some() && passing.is_struct_return() {
                continue;
            }
            let class = usize::from(!self.ty_of(value).is_scalar_int());
            if let Some(VariableRegisters { general, vectors }) = registers {
                let most = [general, vectors][class];
                let (first, count) = match passing {
                    Passing::PairLow => (taken[class].next_multiple_of(2), 2),
                    Passing::Group { len } => (taken[class], usize::from(len)),
                    _ => (taken[class], 1),
                };
                taken[class] = if first + count > most { most } else { first };
            }
            taken[class] += 1;
        }
        taken
    }

    /// Passes nothing in the registers that the next variable argument leaves out: of this type, of which one object has to be
    /// in consecutive registers or in memory. Whether it is in memory.
    fn pass_over_registers(
        &mut self,
        registers: VariableRegisters,
        signature: Option<SigId>,
        ty: TypeId,
        args: &mut Vec<Value>,
    ) -> Checked<bool> {
        let is_pair = is_pair(self.m.types.get(ty), self.m.legal.machine());
        if !is_pair && !matches!(self.m.types.get(ty), LlvmType::Array { .. }) {
            return Ok(false);
        }
        let mut all = units(self.m.legal.parts(ty)?).map(|unit| unit.ty);
        let (Some(first), count) = (all.next(), 1 + all.count()) else { return Ok(false) };
        if count == 1 {
            return Ok(false);
        }
        let class = usize::from(!first.is_scalar_int());
        let taken = self.arguments_in_registers(signature, args)[class];
        let most = [registers.general, registers.vectors][class];
        let start = if is_pair { taken.next_multiple_of(2) } else { taken };
        let end = if start + count > most { most } else { start };
        for _ in taken..end {
            let nothing = self.undef(if class == 0 { Type::I64 } else { Type::F64 });
            args.push(nothing);
        }
        Ok(start + count > most)
    }

    /// Makes floats, or halves that are in floats, in the arguments from `start` on follow each other: they are one object in
    /// memory, of type `ty`.
    fn join_floats(&mut self, ty: TypeId, start: usize, args: &mut Vec<Value>) -> Checked<()> {
        if args[start..].iter().any(|&value| self.ty_of(value) != Type::F32) {
            return Ok(());
        }
        let has_halves = self.m.legal.parts(ty)?.iter().any(|part| part.is_half());
        let bits: u32 = if has_halves { 16 } else { 32 };
        let floats: Vec<Value> = args.drain(start..).collect();
        for chunk in floats.chunks(64 / bits as usize) {
            let mut joined = self.int(Type::I64, 0);
            for (&float, at) in chunk.iter().zip((0..).step_by(bits as usize)) {
                let word = self.bits_as(float, Type::I32);
                let part = self.resize_zero(word, int_type(bits));
                let wide = self.resize_zero(part, Type::I64);
                let moved = if at == 0 { wide } else { self.bin_int(BinaryOp::Shl, wide, at) };
                joined = self.bin(BinaryOp::Or, joined, moved);
            }
            args.push(self.bits_as(joined, Type::F64));
        }
        Ok(())
    }

    /// Defines the result of a call, if it has one.
    fn call_result(
        &mut self,
        ty: TypeId,
        attributes: ParamAttributes,
        first: Option<Value>,
        second: Type,
        slot: Option<Value>,
    ) -> Checked<()> {
        if self.kind(ty) == Kind::Void {
            return Ok(());
        }
        if let Some(slot) = slot {
            let align = self.m.layouts.abi_align_log2(ty);
            let result = self.load_value(ty, slot, align, Access::Plain)?;
            return self.define(result);
        }
        if self.shape(ty).parts == 0 {
            return self.define_run(ty, Run { start: 0, len: 0 });
        }
        if self.form(Role::Result, ty, attributes)? == Form::Extended {
            let results = self.extended_results(self.shape(ty).parts)?;
            return self.define_run(ty, results);
        }
        let Some(first) = first else { return fail(Error::VoidValue) };
        let mut both = [Some(first), None];
        if second != Type::Void {
            both[1] = Some(self.b.second_result(first, second));
        }
        let mut both = both.into_iter().flatten();
        let units = result_units(self.m.legal.parts(ty)?, self.m.legal.machine());
        let result = self.unpass((Role::Result, ty), attributes, units, |_| match both.next() {
            Some(value) => Ok(value),
            None => fail(Error::VoidValue),
        })?;
        let result = self.rejoined(result);
        self.define(result)
    }
}
