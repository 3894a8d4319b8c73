//! Calls, incoming parameters and returns.
//!
//! A value travels in registers of its own kind, or as words ([`ArgumentPlace`]). Of what travels as words a part may be
//! in memory; the parts in registers have room there as well, their home.

use super::{float_width, refuse_nest};
use crate::abi::{self, ArgumentPlace, ArgumentPlaces, FIRST_ARG, WORD_ARGS};
use crate::inst::{Amode, Base, Callee, Inst, Src};
use crate::regs::float;
use crate::regs::{GPR, r};
use crate::target::{Cx, Mips32};
use arrayvec::ArrayVec;
use core::ops::Range;
use ice_asm::mips32::{Alu, Shift, Transfer};
use ice_codegen::abi::{NO_ROOM_FOR_RESULT, ResultRegs, StackArguments, check_standard, result_types};
use ice_codegen::mach::{Operand, RegClass, Sink, VReg};
use ice_codegen::rules::{Call, Destination};
use ice_codegen::{CodeSymbol, ErrorKind, Libcall, Operands as _, ValueRegs, Words as _};
use ice_ir::native::{Arity, Passing};
use ice_ir::{Signature, Type, Value};

/// Most operands of a call: four words of arguments, four and two floats of results; the table.
pub(super) type Operands = ArrayVec<Operand, 12>;

/// An argument: its value, how it is passed and where.
type Argument = (Value, Passing, ArgumentPlace);

/// The words of a value, the low one first.
type Words = ArrayVec<VReg, 4>;

/// The class of a register of its own.
fn class(ty: Type) -> RegClass {
    if ty.is_scalar_float() { float(float_width(ty)) } else { GPR }
}

/// The stack arguments of the function from this offset on.
pub(super) fn incoming(offset: u32) -> Amode {
    Amode::new(Base::Incoming, offset as i32)
}

/// The offset of the home of an argument register.
pub(super) fn home(register: u8) -> u32 {
    4 * u32::from(register - FIRST_ARG)
}

/// The places of the arguments of a function with this signature and these results, from the first that has a name.
pub(super) fn argument_places(signature: Option<&Signature>, results: [Type; 2]) -> ArgumentPlaces {
    let mut places = ArgumentPlaces::new(signature.map_or(Arity::Fixed, |signature| signature.arity));
    if abi::has_hidden_result(results) {
        places.next(Type::I32, Passing::Plain);
    }
    places
}

/// The types of the results.
fn results_of(signature: &Signature) -> [Type; 2] {
    [signature.ret, signature.second]
}

impl Mips32 {
    /// The places that the parameters of a function leave.
    pub(super) fn places_after_parameters(self, signature: &Signature) -> ArgumentPlaces {
        let mut places = argument_places(Some(signature), results_of(signature));
        for (n, &ty) in signature.params.iter().enumerate() {
            places.next(ty, signature.passing(n));
        }
        places
    }

    /// Moves incoming arguments to the registers of the parameters: first those that came in registers, then, when
    /// these are free, those in memory.
    pub(crate) fn lower_incoming<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) -> Result<(), ErrorKind> {
        let func = cx.func;
        let signature = cx.module.signature(func.id);
        refuse_nest(signature)?;
        check_standard(Some(signature))?;
        let mut operands = Operands::new();
        let mut homes = ArrayVec::<u8, 4>::new();
        let mut words = ArrayVec::<VReg, 4>::new();
        let table = self.table_arguments(cx).map(|(regs, defs)| {
            operands.extend(defs);
            regs
        });
        let mut places = argument_places(Some(signature), results_of(signature));
        if places.words_taken() > 0 {
            homes.push(FIRST_ARG);
        }
        for (n, &param) in func.params().iter().enumerate() {
            let (ty, regs) = (func.value_type(param), cx.regs(param));
            match places.next(ty, signature.passing(n)) {
                ArgumentPlace::Stack(_) => {}
                ArgumentPlace::Register(reg) => {
                    operands.push(Operand::def_fixed(regs.lo(), class(ty), reg));
                }
                ArgumentPlace::Words { first, registers, .. } => {
                    let is_home = matches!(signature.passing(n), Passing::ByVal { .. });
                    for (part, number) in (first..first + registers).enumerate() {
                        match is_home {
                            true => homes.push(number),
                            false => {
                                let word =
                                    if ty.is_scalar_float() { self.temp(cx) } else { regs.part(part as u8) };
                                words.push(word);
                                operands.push(Operand::def_fixed(word, GPR, r(number)));
                            }
                        }
                    }
                }
            }
        }
        places.area().check()?;
        if signature.arity == Arity::Variadic {
            homes.extend(FIRST_ARG + places.words_taken()..FIRST_ARG + WORD_ARGS);
        }
        let homes: ArrayVec<(u8, VReg), 4> = homes.into_iter().map(|n| (n, self.temp(cx))).collect();
        operands.extend(homes.iter().map(|&(n, reg)| Operand::def_fixed(reg, GPR, r(n))));
        if !operands.is_empty() {
            cx.sink.push_with(Inst::Params, &operands);
        }
        for (number, src) in homes {
            cx.sink.push(Inst::Store { op: Transfer::Sw, src: Src::Reg(src), mem: incoming(home(number)) });
        }
        self.make_global_base(cx, table);
        self.incoming_rest(cx, signature, &words);
        Ok(())
    }

    /// What of the parameters came in memory, and what becomes of words.
    fn incoming_rest<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, signature: &Signature, mut words: &[VReg]) {
        let func = cx.func;
        let mut places = argument_places(Some(signature), results_of(signature));
        for (n, &param) in func.params().iter().enumerate() {
            let (ty, passing) = (func.value_type(param), signature.passing(n));
            let place = places.next(ty, passing);
            let (mut parts, stack) = match place {
                ArgumentPlace::Words { first, .. } if matches!(passing, Passing::ByVal { .. }) => {
                    (Words::new(), home(first))
                }
                ArgumentPlace::Words { registers, stack, .. } => {
                    let (these, rest) = words.split_at(registers.into());
                    words = rest;
                    (these.iter().copied().collect(), stack)
                }
                ArgumentPlace::Stack(stack) => (Words::new(), stack),
                ArgumentPlace::Register(_) => {
                    self.clean_boolean(cx, param);
                    continue;
                }
            };
            if cx.uses.count(param) == 0 {
                continue;
            }
            let dst = cx.regs(param);
            if let Passing::ByVal { .. } = passing {
                cx.sink.push(Inst::Lea { dst: dst.lo(), mem: incoming(stack) });
                continue;
            }
            if ty.is_scalar_float() && parts.is_empty() {
                let width = float_width(ty);
                cx.sink.push(Inst::LoadFloat { width, dst: dst.lo(), mem: incoming(stack) });
                continue;
            }
            let in_registers = parts.len();
            let count = super::parts(ty) as usize;
            for (n, at) in (in_registers..count).zip((stack..).step_by(4)) {
                let part = if ty.is_scalar_float() { self.temp(cx) } else { dst.part(n as u8) };
                cx.sink.push(Inst::Load { op: Transfer::Lw, dst: part, mem: incoming(at) });
                parts.push(part);
            }
            match (ty, &parts[..]) {
                (Type::F32, &[src]) => cx.sink.push(Inst::WordToSingle { dst: dst.lo(), src: src.into() }),
                (Type::F64, &[lo, hi]) => {
                    cx.sink.push(Inst::PairToDouble { dst: dst.lo(), lo: lo.into(), hi: hi.into() });
                }
                _ => self.clean_boolean(cx, param),
            }
        }
    }

    /// Makes a boolean that came from elsewhere one in its whole register.
    fn clean_boolean<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, param: Value) {
        if cx.func.value_type(param) == Type::I1 && self.is_native() && cx.uses.count(param) > 0 {
            let dst = cx.regs(param).lo();
            self.alu_imm(cx, Alu::And, dst, dst, 1);
        }
    }

    /// The words of a value of `ty`.
    fn words_of<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, regs: ValueRegs, ty: Type) -> Words {
        let src = regs.lo();
        match ty {
            Type::F32 => {
                let dst = self.temp(cx);
                cx.sink.push(Inst::SingleToWord { dst, src });
                Words::from_iter([dst])
            }
            Type::F64 => {
                let [lo, hi] = [self.temp(cx), self.temp(cx)];
                cx.sink.push(Inst::DoubleToPair { lo, hi, src });
                Words::from_iter([lo, hi])
            }
            _ => regs.iter().collect(),
        }
    }

    /// A call of a function. Arguments on the stack come first: they need registers on their way.
    #[inline(never)]
    pub(crate) fn call<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst) -> Result<(), ErrorKind> {
        let call = cx.call_of(inst)?;
        let results = cx.call_results(inst, call.signature);
        let types = result_types(results, |(_, ty)| ty);
        let mut operands = Operands::new();
        let area = self.arguments(cx, &call, types, 0..u32::MAX, &mut operands)?;
        let callee = self.destination(cx, call.callee);
        self.finish_call(cx, callee, operands, area, results)
    }

    /// What a call goes to, and the table that it passes.
    pub(super) fn destination<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        to: Destination,
    ) -> (Callee, Option<VReg>) {
        match to {
            Destination::Function(callee) | Destination::Retyped(callee) => {
                self.callee(cx, CodeSymbol::Function(callee))
            }
            Destination::Address(address) => (Callee::Value(self.reg(cx, address)), self.table_if_needed(cx)),
        }
    }

    /// Stores the arguments of a call with results of these types that are among these offsets of the stack, and gives
    /// those in registers to `operands`.
    pub(super) fn arguments<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        call: &Call<'_>,
        results: [Type; 2],
        stored: Range<u32>,
        operands: &mut Operands,
    ) -> Result<StackArguments, ErrorKind> {
        let (func, signature) = (cx.func, call.signature);
        if let Some(signature) = signature {
            refuse_nest(signature)?;
        }
        check_standard(signature)?;
        let mut places = argument_places(signature, results);
        let mut in_registers = ArrayVec::<Argument, 4>::new();
        for (arg, passing) in call.args_with_passing() {
            let argument = (arg, passing, places.next(func.value_type(arg), passing));
            self.stack_argument(cx, argument, &stored);
            if !matches!(argument.2, ArgumentPlace::Stack(_)) {
                in_registers.push(argument);
            }
        }
        for argument in in_registers {
            self.register_argument(cx, argument, operands);
        }
        Ok(places.area())
    }

    /// Stores what of an argument goes on the stack, if it is among these offsets.
    fn stack_argument<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (arg, passing, place): Argument,
        stored: &Range<u32>,
    ) {
        let (done, offset) = match place {
            ArgumentPlace::Register(_) => return,
            ArgumentPlace::Words { registers, stack, .. } => (registers, stack),
            ArgumentPlace::Stack(offset) => (0, offset),
        };
        if !stored.contains(&offset) {
            return;
        }
        let to = Amode::new(Base::Outgoing, offset as i32);
        let ty = cx.func.value_type(arg);
        match passing {
            Passing::ByVal { size, align_log2 } => {
                let from = self.object_or_register(cx, arg).offset(4 * i32::from(done));
                if let Some(left) = size.checked_sub(4 * u32::from(done)) {
                    self.copy_argument(cx, from, align_log2, to, left);
                }
            }
            _ if done >= super::parts(ty) => {}
            _ if ty.is_scalar_float() => {
                let src = self.reg(cx, arg);
                cx.sink.push(Inst::StoreFloat { width: float_width(ty), src, mem: to });
            }
            _ => {
                let parts = self.part_srcs(cx, arg);
                let left = parts[..super::parts(ty).into()].iter().skip(done.into());
                for (&src, at) in left.zip((0..).step_by(4)) {
                    cx.sink.push(Inst::Store { op: Transfer::Sw, src, mem: to.offset(at) });
                }
            }
        }
    }

    /// Uses of what of an argument goes in registers.
    fn register_argument<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (arg, passing, place): Argument,
        operands: &mut Operands,
    ) {
        let ty = cx.func.value_type(arg);
        match (place, passing) {
            (ArgumentPlace::Stack(_), _) => {}
            (ArgumentPlace::Register(reg), _) => {
                operands.push(Operand::use_fixed(self.reg(cx, arg), class(ty), reg));
            }
            (ArgumentPlace::Words { first, registers, .. }, Passing::ByVal { size, align_log2 }) => {
                let from = self.object_or_register(cx, arg);
                for n in 0..registers {
                    let done = 4 * u32::from(n);
                    let word =
                        self.bytes_as_word(cx, from.offset(done as i32), align_log2, (size - done).min(4));
                    operands.push(Operand::use_fixed(word, GPR, r(first + n)));
                }
            }
            (ArgumentPlace::Words { first, registers, .. }, _) => {
                let regs = self.regs(cx, arg);
                let words = self.words_of(cx, regs, ty);
                for (number, &word) in (first..first + registers).zip(&words) {
                    operands.push(Operand::use_fixed(word, GPR, r(number)));
                }
            }
        }
    }

    /// Up to four bytes of memory as a word.
    fn bytes_as_word<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        from: Amode,
        align_log2: u8,
        count: u32,
    ) -> VReg {
        if count == 4 {
            let dst = self.temp(cx);
            self.load_word(cx, dst, from, align_log2);
            return dst;
        }
        let byte = |cx: &mut Cx<'_, S>, at: u32| {
            let dst = self.temp(cx);
            cx.sink.push(Inst::Load { op: Transfer::Lbu, dst, mem: from.offset(at as i32) });
            self.shift_temp(cx, Shift::Sll, dst, 8 * at as u8)
        };
        let mut word = byte(cx, 0);
        for at in 1..count {
            let next = byte(cx, at);
            word = self.alu_temp(cx, Alu::Or, word, next);
        }
        word
    }

    /// Copies the bytes of an object to its place among the outgoing arguments. A call of `memcpy` would need that place
    /// itself.
    fn copy_argument<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        mut from: Amode,
        align_log2: u8,
        mut to: Amode,
        mut left: u32,
    ) {
        /// Most words that are copied by single moves.
        const MAX_UNROLLED: u32 = 32;
        if left / 4 > MAX_UNROLLED {
            let [src, dst, count] = [(); 3].map(|()| self.temp(cx));
            cx.sink.push(Inst::Lea { dst: src, mem: from });
            cx.sink.push(Inst::Lea { dst, mem: to });
            cx.sink.push(Inst::MovImm { dst: count, imm: left / 4 });
            cx.sink.push(Inst::CopyWords { dst, src, count });
            let copied = (left / 4 * 4) as i32;
            (from, to, left) = (from.offset(copied), to.offset(copied), left % 4);
        }
        for at in (0..left).step_by(4) {
            // Bytes behind the object are anything.
            let word = self.bytes_as_word(cx, from.offset(at as i32), align_log2, (left - at).min(4));
            let mem = to.offset(at as i32);
            cx.sink.push(Inst::Store { op: Transfer::Sw, src: Src::Reg(word), mem });
        }
    }

    /// A call of a helper outside of the module.
    pub(super) fn call_helper<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        helper: Libcall,
        args: &[(ValueRegs, Type)],
        result: Option<(ValueRegs, Type)>,
    ) {
        let mut places = ArgumentPlaces::new(Arity::Fixed);
        let mut operands = Operands::new();
        for &(regs, ty) in args {
            match places.next(ty, Passing::Plain) {
                ArgumentPlace::Register(reg) => {
                    operands.push(Operand::use_fixed(regs.lo(), class(ty), reg));
                }
                ArgumentPlace::Words { first, .. } => {
                    for (n, word) in (first..).zip(self.words_of(cx, regs, ty)) {
                        operands.push(Operand::use_fixed(word, GPR, r(n)));
                    }
                }
                ArgumentPlace::Stack(offset) => {
                    for (word, at) in self.words_of(cx, regs, ty).into_iter().zip((offset..).step_by(4)) {
                        let mem = Amode::new(Base::Outgoing, at as i32);
                        cx.sink.push(Inst::Store { op: Transfer::Sw, src: Src::Reg(word), mem });
                    }
                }
            }
        }
        let helper = self.helper(helper);
        let callee = self.callee(cx, CodeSymbol::Libcall(helper));
        let done = self.finish_call(cx, callee, operands, places.area(), [result, None]);
        if done.is_err() {
            cx.fault("a helper has a result that has no place");
        }
    }

    /// The helper that a module finds: native ones have those of libgcc and libatomic.
    fn helper(self, helper: Libcall) -> Libcall {
        if !self.is_native() {
            return helper;
        }
        match helper {
            Libcall::AtomicExchange8 => Libcall::LibatomicExchange8,
            Libcall::AtomicAdd8 => Libcall::LibatomicAdd8,
            Libcall::AtomicSub8 => Libcall::LibatomicSub8,
            Libcall::AtomicAnd8 => Libcall::LibatomicAnd8,
            Libcall::AtomicOr8 => Libcall::LibatomicOr8,
            Libcall::AtomicXor8 => Libcall::LibatomicXor8,
            Libcall::AtomicLoad8 => Libcall::LibatomicLoad8,
            Libcall::AtomicStore8 => Libcall::LibatomicStore8,
            Libcall::F32ToI64 => Libcall::Fixsfdi,
            Libcall::F64ToI64 => Libcall::Fixdfdi,
            Libcall::F32ToU64 => Libcall::Fixunssfdi,
            Libcall::F64ToU64 => Libcall::Fixunsdfdi,
            Libcall::I64ToF32 => Libcall::Floatdisf,
            Libcall::I64ToF64 => Libcall::Floatdidf,
            Libcall::U64ToF32 => Libcall::Floatundisf,
            Libcall::U64ToF64 => Libcall::Floatundidf,
            other => other,
        }
    }

    /// Return with none, one or two values.
    pub(super) fn lower_return<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        values: [Option<Value>; 2],
    ) -> Result<(), ErrorKind> {
        let mut operands = Operands::new();
        let types = result_types(values, |value| cx.func.value_type(value));
        if let (true, [Some(value), _]) = (abi::has_hidden_result(types), values) {
            let parts = self.part_srcs(cx, value);
            let address = self.temp(cx);
            cx.sink.push(Inst::Load { op: Transfer::Lw, dst: address, mem: incoming(home(FIRST_ARG)) });
            for (src, at) in parts.into_iter().zip((0..).step_by(4)) {
                let mem = Amode::new(Base::Reg(address), at);
                cx.sink.push(Inst::Store { op: Transfer::Sw, src, mem });
            }
            cx.sink.push(Inst::Ret);
            return Ok(());
        }
        let places = abi::result_places(types).ok_or(NO_ROOM_FOR_RESULT)?;
        for ((place, value), ty) in places.into_iter().zip(values).zip(types) {
            let Some(value) = value else { continue };
            let regs = self.regs(cx, value);
            match place {
                Some(ArgumentPlace::Register(reg)) => {
                    operands.push(Operand::use_fixed(regs.lo(), class(ty), reg));
                }
                Some(ArgumentPlace::Words { first, .. }) => {
                    operands
                        .extend(regs.iter().zip(first..).map(|(reg, n)| Operand::use_fixed(reg, GPR, r(n))));
                }
                _ => {}
            }
        }
        let signature = cx.module.signature(cx.func.id);
        if let (None, Some(n)) = (values[0], signature.struct_return()) {
            let address = cx.regs(cx.func.params()[n]).lo();
            operands.push(Operand::use_fixed(address, GPR, r(2)));
        }
        cx.sink.push_with(Inst::Ret, &operands);
        Ok(())
    }

    fn finish_call<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (callee, base): (Callee, Option<VReg>),
        mut operands: Operands,
        area: StackArguments,
        results: [Option<ResultRegs>; 2],
    ) -> Result<(), ErrorKind> {
        area.check()?;
        cx.note_call(area);
        let types = result_types(results, |(_, ty)| ty);
        if let (true, [Some((regs, _)), _]) = (abi::has_hidden_result(types), results) {
            let object = cx.sink.frame().add_object(16, 3);
            let (dst, mem) = (self.temp(cx), Amode::new(Base::Object(object), 0));
            cx.sink.push(Inst::Lea { dst, mem });
            operands.push(Operand::use_fixed(dst, GPR, r(FIRST_ARG)));
            cx.sink.push_with(Inst::Call { callee, base }, &operands);
            for (dst, at) in regs.iter().zip((0..).step_by(4)) {
                cx.sink.push(Inst::Load { op: Transfer::Lw, dst, mem: mem.offset(at) });
            }
            return Ok(());
        }
        let places = abi::result_places(types).ok_or(NO_ROOM_FOR_RESULT)?;
        for (place, result) in places.into_iter().zip(results) {
            let Some((regs, ty)) = result else { continue };
            match place {
                Some(ArgumentPlace::Register(reg)) => {
                    operands.push(Operand::def_fixed(regs.lo(), class(ty), reg));
                }
                Some(ArgumentPlace::Words { first, .. }) => {
                    operands
                        .extend(regs.iter().zip(first..).map(|(reg, n)| Operand::def_fixed(reg, GPR, r(n))));
                }
                _ => {}
            }
        }
        cx.sink.push_with(Inst::Call { callee, base }, &operands);
        for (regs, ty) in results.into_iter().flatten() {
            if ty == Type::I1 && self.is_native() {
                self.alu_imm(cx, Alu::And, regs.lo(), regs.lo(), 1);
            }
        }
        Ok(())
    }
}
