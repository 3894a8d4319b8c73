//! CALL, and how arguments and results are passed (LLVM bitcode specification, section 11.5).
//!
//! A call whose signature is that of the function it names is a direct call; one through an address is an indirect
//! call if types alone say how; every other one names its [signature](crate::llvm::legalize::signature). Arguments are
//! brought into the [form](crate::llvm::legalize::signature::form) of their type, results are brought back from it; a result
//! of more than two parts is in a temporary of the caller's frame.

use alloc::vec::Vec;

use ice_ir::{Arity, BinaryOp, FuncId, InstData, Intrinsic, Passing, SigId, Symbol, TailHint, Type, Value};

use super::extended::Argument;
use super::integer::Sign;
use super::memory::Access;
use super::values::{Operand, Run};
use super::{Body, Checked, fail, unsupported};
use crate::error::Error;
use crate::llvm::legalize::legal::{Part, Vectors, int_type};
use crate::llvm::legalize::shape::{Kind, Scalar};
use crate::llvm::legalize::signature::{
    Form, Units, differs_from_llvm, form, is_demoted, result_units, units,
};
use crate::llvm::wire::attributes::{AttributeList, ParamAttributes, ParamFlags};
use crate::llvm::wire::constants::{Constant, GlobalValueKind, View};
use crate::llvm::wire::fold;
use crate::llvm::wire::types::{LlvmType, TypeId, TypeList};

/// What is called.
enum Callee {
    Function(FuncId),
    /// A name that starts with `llvm.`, by its number.
    Special(u32),
    /// Inline assembly, by the number of its constant.
    Assembly(u32),
    Address(Operand),
}

/// The function type of a call.
#[derive(Clone, Copy)]
pub(super) struct Prototype {
    pub(super) ty: TypeId,
    pub(super) ret: TypeId,
    pub(super) params: TypeList,
    pub(super) is_variadic: bool,
}

/// Arguments in general registers before a pair that still goes to registers (System V ABI of x86-64, 3.2.3).
const MAX_INTS_BEFORE_PAIR: usize = 4;

/// Calling conventions that are C's, or that leave it to the compiler: C, fast, cold, tail; those of ARM, System V.
const CONVENTIONS: [u64; 8] = [0, 8, 9, 18, 66, ARM_BASE, ARM_VFP, 78];

/// The flag of a call that must not take stack space of its own. Whether others are tail calls is free.
const MUST_TAIL: u64 = 1 << 14;

/// `arm_aapcscc`.
const ARM_BASE: u64 = 67;

/// `arm_aapcs_vfpcc`.
const ARM_VFP: u64 = 68;

/// The vector that has values of `ty` as its lanes, or their words.
fn lanes_type(ty: Type) -> Type {
    match ty {
        Type::I8 => Type::V16I8,
        Type::I16 => Type::V8I16,
        Type::F32 => Type::V4F32,
        _ => Type::V4I32,
    }
}

/// What `count` parts of type `part` are in a value of type `carrier`: integers fill 64 bits.
fn lane_in(carrier: Type, part: Type, count: u32) -> Type {
    match carrier == Type::F64 && part.is_scalar_int() {
        true => int_type(64 / count),
        false => part,
    }
}

impl Body<'_, '_> {
    pub(super) fn form(&self, ty: TypeId, attributes: ParamAttributes) -> Checked<Form> {
        Ok(form(&self.m.types, &self.m.legal, ty, attributes)?)
    }

    /// Refuses conventions that are not C's. The two of ARM differ for what has floats.
    fn check_convention(&self, convention: u64, ty: TypeId) -> Checked<()> {
        if !CONVENTIONS.contains(&convention) {
            return unsupported("a calling convention other than C's");
        }
        let (name, other) = match self.m.legal.vectors() {
            Vectors::Neon => ("arm_aapcscc with floats", ARM_BASE),
            Vectors::NeonInCore => ("arm_aapcs_vfpcc with floats", ARM_VFP),
            _ => return Ok(()),
        };
        if convention != other {
            return Ok(());
        }
        let (ret, params) = self.m.types.function(ty).unwrap_or((ty, &[]));
        let is_extension = |part: &Part| part.carrier.is_vector() || part.carrier.is_scalar_float();
        let has_floats =
            |&ty: &TypeId| self.m.legal.parts(ty).is_ok_and(|parts| parts.iter().any(is_extension));
        match has_floats(&ret) || params.iter().any(has_floats) {
            true => unsupported(name),
            false => Ok(()),
        }
    }

    /// Refuses a result that the callers or callees of others expect elsewhere.
    fn check_result(&self, ty: TypeId, attributes: ParamAttributes, function: Option<FuncId>) -> Checked<()> {
        let is_own = |function| self.m.module.functions[function].linkage.is_local();
        let m = &self.m;
        if self.kind(ty) != Kind::Void
            && differs_from_llvm(m.legal.parts(ty)?, m.legal.vectors(), m.module.pointer_type)
            && self.form(ty, attributes)? == Form::Parts
            && !function.is_some_and(is_own)
        {
            return unsupported("a result in three or more registers that other modules see");
        }
        Ok(())
    }

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
        self.check_convention(flags >> 1 & 0x3ff, ty)?;
        if flags & MUST_TAIL != 0 {
            return unsupported("musttail");
        }
        let prototype = Prototype { ty, ret, params, is_variadic: variadic };
        let tail = if flags & 1 != 0 { TailHint::Tail } else { TailHint::None };
        match self.callee()? {
            Callee::Special(number) => {
                let bundled = core::mem::take(&mut self.s.bundle);
                self.special_call(number, &prototype, bundled)
            }
            callee => {
                if let Some(tag) = self.s.bundle.take() {
                    self.check_bundle(tag)?;
                }
                match callee {
                    Callee::Assembly(number) => self.assembly_call(number, &prototype),
                    Callee::Function(function) => {
                        self.plain_call(list, &prototype, Some(function), None, tail)
                    }
                    Callee::Address(address) => self.plain_call(list, &prototype, None, Some(address), tail),
                    Callee::Special(_) => Ok(()),
                }
            }
        }
    }

    /// Bundles that change nothing may be there.
    pub(super) fn check_bundle(&self, tag: u32) -> Checked<()> {
        let name = self.m.bundle_tags.get(tag as usize).map(|&name| self.m.module.name(name));
        match name {
            Some(b"kcfi" | b"align" | b"nonnull" | b"dereferenceable" | b"cold" | b"noundef") => Ok(()),
            Some(name) => {
                let name = alloc::string::String::from_utf8_lossy(name);
                fail(Error::Unsupported { what: alloc::format!("operand bundle {name}") })
            }
            None => fail(Error::NoSuch { what: "operand bundle tag", index: tag.into() }),
        }
    }

    /// The next operand as what is called.
    fn callee(&mut self) -> Checked<Callee> {
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

    /// The next argument, whose type the prototype gives; metadata and labels are none.
    pub(super) fn argument(&mut self, ty: TypeId) -> Checked<Option<Operand>> {
        match self.kind(ty) {
            Kind::Other if matches!(self.m.types.get(ty), LlvmType::Metadata | LlvmType::Label) => {
                self.op()?;
                Ok(None)
            }
            _ => self.rel(ty).map(Some),
        }
    }

    fn plain_call(
        &mut self,
        list: u64,
        prototype: &Prototype,
        function: Option<FuncId>,
        address: Option<Operand>,
        tail: TailHint,
    ) -> Checked<()> {
        let attributes = self.m.attributes.list(list)?;
        self.check_result(prototype.ret, attributes.ret, function)?;
        let signature = self.m.signatures.call(&self.m.attributes, prototype.ty, list);
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
        let result =
            self.build_call(signature, prototype.ret, attributes.ret, (function, address), &mut args, tail);
        self.s.args = args;
        let (first, second) = result?;
        self.call_result(prototype.ret, attributes.ret, first, second, slot)
    }

    /// The call instruction: its first result, and the type of the second one.
    fn build_call(
        &mut self,
        signature: Option<SigId>,
        ret: TypeId,
        attributes: ParamAttributes,
        (function, address): (Option<FuncId>, Option<Operand>),
        args: &mut Vec<Value>,
        tail: TailHint,
    ) -> Checked<(Option<Value>, Type)> {
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
                return Ok((self.b.call(function, args, first, tail), second));
            }
        }
        let callee = match (function, address) {
            (Some(function), _) => self.symbol(Symbol::Function(function))?,
            (None, Some(address)) => self.single(address),
            (None, None) => return fail(Error::CalleeNotFunction { value: 0 }),
        };
        let result = match signature {
            None => self.b.call_indirect(callee, args, first, tail),
            Some(id) => {
                args.insert(0, callee);
                self.b.call_as(id, args, first, tail)
            }
        };
        Ok((result, second))
    }

    /// The type of a result that types alone describe.
    fn result_type(&self, ty: TypeId, attributes: ParamAttributes) -> Checked<Type> {
        if self.kind(ty) == Kind::Void {
            return Ok(Type::Void);
        }
        match self.form(ty, attributes)? {
            Form::Parts => {}
            Form::Extended => return Ok(Type::Void),
            Form::ZeroExtended | Form::SignExtended => return Ok(Type::I32),
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
        if signature.is_none() && (prototype.is_variadic || self.m.attributes.changes_passing(attributes)) {
            return self.unsupported_call(prototype);
        }
        let mut slot = None;
        if self.kind(prototype.ret) != Kind::Void {
            self.value_shape(prototype.ret)?;
            if self.form(prototype.ret, attributes.ret)? == Form::Parts
                && is_demoted(self.result_units(prototype.ret)?)
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
            let fixed = args.len();
            let mut index = prototype.params.len as usize;
            while self.has_more() {
                let operand = self.vt()?;
                self.value_shape(operand.ty)?;
                let attributes = self.m.attributes.param(attributes, index);
                // The signature counts parts as if each argument had one.
                let is_misplaced = args.len() - fixed != index - prototype.params.len as usize;
                if is_misplaced && attributes.flags.has(ParamFlags::BYVAL) {
                    return unsupported("an object by value behind a variable argument of several parts");
                }
                if self.m.types.get(operand.ty) == LlvmType::Int(128)
                    && self.m.layout.pointer_bytes == 8
                    && self.general_arguments(signature, args) > MAX_INTS_BEFORE_PAIR
                {
                    // It stays whole, where plain halves would not.
                    let place = self.argument_place()?;
                    self.store_value(operand, place, 4)?;
                    args.push(self.intrinsic_one(Intrinsic::ByValue, &[place])?);
                } else {
                    self.pass(operand, attributes, Argument::Variable, args)?;
                }
                index += 1;
            }
        }
        self.end()?;
        Ok(slot)
    }

    /// How many arguments want a general register.
    fn general_arguments(&self, signature: Option<SigId>, args: &[Value]) -> usize {
        let signature = signature.map(|id| &self.m.module.signatures[id]);
        let is_general = |&(n, &value): &(usize, &Value)| {
            let passing = signature.map_or(Passing::Plain, |signature| signature.passing(n));
            let def = self.b.func.defining_inst(value).map(|def| self.b.func.inst(def));
            let in_memory = matches!(passing, Passing::ByVal { .. })
                || matches!(def, Some(InstData::CallIntrinsic { op: Intrinsic::ByValue, .. }));
            self.ty_of(value).is_scalar_int() && !in_memory
        };
        args.iter().enumerate().filter(is_general).count()
    }

    /// The values in which a result of the type travels.
    fn result_units(&self, ty: TypeId) -> Checked<Units<'_>> {
        Ok(result_units(self.m.legal.parts(ty)?, self.m.legal.vectors()))
    }

    /// Appends a value in the form in which it is passed.
    pub(super) fn pass(
        &mut self,
        operand: Operand,
        attributes: ParamAttributes,
        argument: Argument,
        args: &mut Vec<Value>,
    ) -> Checked<()> {
        let parts = self.m.legal.parts(operand.ty)?;
        self.pass_as(operand, attributes, argument, units(parts), args)
    }

    /// Appends a value in the form in which it is passed, its parts in these values.
    fn pass_as(
        &mut self,
        operand: Operand,
        attributes: ParamAttributes,
        argument: Argument,
        mut units: Units<'_>,
        args: &mut Vec<Value>,
    ) -> Checked<()> {
        let shape = self.shape(operand.ty);
        let form = match shape.kind {
            // Most arguments are words.
            Kind::Scalar(Scalar::Int(32 | 64)) => Form::Parts,
            _ => self.form(operand.ty, attributes)?,
        };
        match form {
            Form::Parts if shape.parts == 1 => {
                let part = self.single(operand);
                args.push(match units.next() {
                    Some(unit) => self.carried_alone(unit.ty, part),
                    None => part,
                });
            }
            Form::Parts => {
                let (run, mut at) = (self.run(operand), 0);
                for unit in units {
                    args.push(self.carried(unit.ty, run.part(at, unit.parts)));
                    at += unit.parts;
                }
            }
            Form::Extended => {
                let run = self.run(operand);
                for at in (0..run.len).step_by(2) {
                    self.pass_extended(run.part(at, 2), argument, args)?;
                }
            }
            Form::ZeroExtended | Form::SignExtended => {
                let sign = if form == Form::SignExtended { Sign::Signed } else { Sign::Unsigned };
                let bits = self.scalar(operand.ty)?.bits();
                let value = self.single(operand);
                let value = self.extended(bits, value, sign, Type::I32);
                args.push(value);
            }
        }
        Ok(())
    }

    /// A value of `ty` with this part in its low bits.
    fn carried_alone(&mut self, ty: Type, part: Value) -> Value {
        match (self.ty_of(part), ty) {
            (Type::I16, Type::F32) => {
                let wide = self.resize_zero(part, Type::I32);
                self.bits_as(wide, ty)
            }
            (Type::I16, Type::V8I16) => {
                let vector = self.undef(ty);
                self.insert(vector, part, 0)
            }
            _ => self.bits_as(part, ty),
        }
    }

    /// A value of `ty` with these parts in its low bits, which all have one width.
    fn carried(&mut self, ty: Type, parts: Run) -> Value {
        let first = self.get(parts, 0);
        let of_part = self.ty_of(first);
        if parts.len == 1 {
            return self.carried_alone(ty, first);
        }
        let lane = lane_in(ty, of_part, parts.len);
        let mut vector = self.undef(lanes_type(lane));
        for i in 0..parts.len {
            let part = self.get(parts, i);
            let part = if lane == of_part { part } else { self.resize_zero(part, lane) };
            vector = match lane.bits() {
                64 => {
                    let words = self.words_of(part);
                    let vector = self.insert(vector, words[0], 2 * i);
                    self.insert(vector, words[1], 2 * i + 1)
                }
                _ => self.insert(vector, part, i),
            };
        }
        if ty != Type::F64 {
            return self.bits_as(vector, ty);
        }
        let words = self.bits_as(vector, Type::V4I32);
        let wide = self.wide_lane(words, 0);
        self.bits_as(wide, ty)
    }

    /// Sets `parts` of type `of_part` to those in the low bits of `value`.
    fn uncarry(&mut self, value: Value, of_part: Type, parts: Run) {
        if parts.len == 1 {
            let part = match (of_part, self.ty_of(value)) {
                (Type::I16, Type::F32) => {
                    let bits = self.bits_as(value, Type::I32);
                    self.resize_zero(bits, of_part)
                }
                (Type::I16, Type::V8I16) => self.extract(value, 0),
                _ => self.bits_as(value, of_part),
            };
            return self.set(parts, 0, part);
        }
        let vector = match self.ty_of(value) {
            Type::F64 => {
                let words = self.words_of(value);
                let vector = self.undef(Type::V4I32);
                let vector = self.insert(vector, words[0], 0);
                self.insert(vector, words[1], 1)
            }
            _ => value,
        };
        let lane = lane_in(self.ty_of(value), of_part, parts.len);
        let vector = self.bits_as(vector, lanes_type(lane));
        for i in 0..parts.len {
            let part = match lane.bits() {
                64 => self.wide_lane(vector, i),
                _ => self.extract(vector, i),
            };
            let part = match lane == of_part {
                true => self.bits_as(part, of_part),
                false => self.resize_zero(part, of_part),
            };
            self.set(parts, i, part);
        }
    }

    fn insert(&mut self, vector: Value, lane: Value, index: u32) -> Value {
        let element = self.ty_of(vector).element();
        let (lane, index) = (self.bits_as(lane, element), self.i32(index.into()));
        self.b.insert_element(vector, lane, index)
    }

    fn extract(&mut self, vector: Value, index: u32) -> Value {
        let index = self.i32(index.into());
        self.b.extract_element(vector, index)
    }

    /// The low and high half of 64 bits.
    fn words_of(&mut self, value: Value) -> [Value; 2] {
        let wide = self.bits_as(value, Type::I64);
        let high = self.bin_int(BinaryOp::Lshr, wide, 32);
        [wide, high].map(|word| self.resize_zero(word, Type::I32))
    }

    /// Lane `index` of a vector of words as if it were one of 64 bits.
    fn wide_lane(&mut self, words: Value, index: u32) -> Value {
        let halves = [self.extract(words, 2 * index), self.extract(words, 2 * index + 1)];
        let [low, high] = halves.map(|word| self.resize_zero(word, Type::I64));
        let high = self.bin_int(BinaryOp::Shl, high, 32);
        self.bin(BinaryOp::Or, low, high)
    }

    /// A value of type `ty` from the form in which it was passed, its parts in these values: `next` gives one after
    /// another.
    fn unpass(
        &mut self,
        ty: TypeId,
        attributes: ParamAttributes,
        units: Units<'_>,
        mut next: impl FnMut(&mut Self) -> Checked<Value>,
    ) -> Checked<Operand> {
        let shape = self.value_shape(ty)?;
        match self.form(ty, attributes)? {
            Form::Parts => {
                let (out, mut at) = (self.reserve(shape.parts), 0);
                for unit in units {
                    let value = next(self)?;
                    let of_part = self.m.legal.parts(ty)?[at as usize].ty;
                    self.uncarry(value, of_part, out.part(at, unit.parts));
                    at += unit.parts;
                }
                Ok(self.operand(ty, out))
            }
            Form::Extended => {
                let out = self.reserve(shape.parts);
                for at in (0..shape.parts).step_by(2) {
                    let number = self.unpass_extended(&mut next)?;
                    self.copy(out, at, number);
                }
                Ok(self.operand(ty, out))
            }
            Form::ZeroExtended | Form::SignExtended => {
                let value = next(self)?;
                let value = self.resize_zero(value, shape.first);
                Ok(self.one(ty, value))
            }
        }
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
        if self.form(ty, attributes)? == Form::Extended {
            let results = self.extended_results(self.shape(ty).parts)?;
            return self.define_run(ty, results);
        }
        let Some(first) = first else { return fail(Error::VoidValue) };
        let mut both = [Some(first), None];
        if second != Type::Void {
            both[1] = Some(self.b.second_result(first, second));
        }
        let mut both = both.into_iter().flatten();
        let units = result_units(self.m.legal.parts(ty)?, self.m.legal.vectors());
        let result = self.unpass(ty, attributes, units, |_| match both.next() {
            Some(value) => Ok(value),
            None => fail(Error::VoidValue),
        })?;
        self.define(result)
    }

    /// Inline assembly: only what emits nothing.
    fn assembly_call(&mut self, number: u32, prototype: &Prototype) -> Checked<()> {
        let env = self.m.environment();
        let view = View { env: &env, local: &self.s.constants };
        let Some((Constant::InlineAsm(index), _)) = view.get(number) else {
            return fail(Error::ConstantReference { value: number.into() });
        };
        let table = view.table(number);
        let assembly = *table.inline_asm(index);
        let (template, constraints) = (table.bytes(assembly.template), table.bytes(assembly.constraints));
        let text = alloc::string::String::from_utf8_lossy(template);
        // Comments and the alignment of code are nothing.
        let is_nothing =
            |line: &str| line.is_empty() || line.starts_with(['#', ';']) || line.starts_with(".p2align ");
        let is_empty = text.lines().all(|line| is_nothing(line.trim()));
        // Operands: outputs first, then inputs that are tied to them, then inputs of any kind.
        let mut outputs = 0;
        let mut inputs = Vec::new();
        let mut is_plain = is_empty;
        for constraint in constraints.split(|&c| c == b',').filter(|c| !c.is_empty()) {
            match constraint {
                [b'~', ..] => {}
                [b'=', b'*', ..] => inputs.push(None),
                [b'=', ..] => outputs += 1,
                [b'!', ..] => is_plain = false,
                tied => {
                    let digits = core::str::from_utf8(tied).ok();
                    inputs.push(digits.and_then(|digits| digits.parse::<usize>().ok()));
                }
            }
        }
        is_plain &= outputs <= 1 && (outputs == 0) == (self.kind(prototype.ret) == Kind::Void);
        if !is_plain {
            let what = alloc::format!("inline assembly {text:?}");
            return fail(Error::Unsupported { what });
        }
        let mut result = None;
        for (i, &ty) in self.m.types.list(prototype.params).iter().enumerate() {
            let operand = self.argument(ty)?;
            if inputs.get(i).copied().flatten() == Some(0) {
                result = operand;
            }
        }
        self.end()?;
        if outputs == 0 {
            return Ok(());
        }
        match result {
            Some(result) if result.ty == prototype.ret => self.define(result),
            // An output that nothing sets.
            _ => {
                let result = self.undefined(prototype.ret)?;
                self.define(result)
            }
        }
    }

    // ---- the function itself

    /// The parameters of the function, from those of the IR.
    pub(super) fn parameters(&mut self) -> Checked<()> {
        let info = self.m.functions[self.s.function];
        let Some(ty) = info.ty.expand() else { return fail(Error::NotAFunctionType { function: 0, ty: 0 }) };
        let LlvmType::Function { ret, params, .. } = self.m.types.get(ty) else {
            return fail(self.type_class(ty, "a function type"));
        };
        self.check_convention(info.convention.into(), ty)?;
        let attributes = self.m.attributes.list(info.attributes.into())?;
        self.check_result(ret, attributes.ret, Some(self.s.function))?;
        self.s.ret = Some((ret, attributes.ret));
        let mut at = 0;
        self.s.result_slot = None;
        if self.kind(ret) != Kind::Void
            && self.form(ret, attributes.ret)? == Form::Parts
            && is_demoted(self.result_units(ret)?)
        {
            self.s.result_slot = self.b.func.params().first().copied();
            at = 1;
        }
        for (i, &ty) in self.m.types.list(params).iter().enumerate() {
            let attributes = self.m.attributes.param(&attributes, i);
            let operand = self.unpass(ty, attributes, units(self.m.legal.parts(ty)?), |cx| {
                let value = cx.b.func.params().get(at).copied();
                at += 1;
                match value {
                    Some(value) => Ok(value),
                    None => fail(Error::VoidValue),
                }
            })?;
            self.s.push_local(operand);
        }
        Ok(())
    }

    /// RET.
    pub(super) fn ret(&mut self) -> Checked<()> {
        let Some((ty, attributes)) = self.s.ret else { return fail(Error::ReturnValue) };
        if !self.has_more() {
            if self.kind(ty) != Kind::Void {
                return fail(Error::ReturnValue);
            }
            self.b.ret(None);
            return self.terminated();
        }
        let value = self.vt()?;
        self.end()?;
        if value.ty != ty {
            return fail(Error::ReturnValue);
        }
        if let Some(slot) = self.s.result_slot {
            let align = self.m.layouts.abi_align_log2(ty);
            self.store_value(value, slot, align)?;
            self.b.ret(None);
            return self.terminated();
        }
        if self.form(ty, attributes)? == Form::Extended {
            self.return_extended(value)?;
            self.b.ret(None);
            return self.terminated();
        }
        let mut args = core::mem::take(&mut self.s.args);
        args.clear();
        let units = result_units(self.m.legal.parts(ty)?, self.m.legal.vectors());
        let passed = self.pass_as(value, attributes, Argument::Fixed, units, &mut args);
        match (&passed, &args[..]) {
            (Ok(()), &[]) => self.b.ret(None),
            (Ok(()), &[one]) => self.b.ret(Some(one)),
            (Ok(()), &[one, two, ..]) => self.b.ret_pair([one, two]),
            (Err(_), _) => {}
        }
        self.s.args = args;
        passed?;
        self.terminated()
    }
}
