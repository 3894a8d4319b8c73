//! Calls, incoming parameters and returns.

use super::{float_size, is_extension};
use crate::abi::{ArgumentPlace, ArgumentPlaces, CORE_ARGS, Convention, result_places};
use crate::inst::{Amode, Base, Callee, FloatSize, Inst, Src};
use crate::regs::{GPR, r};
use crate::target::{Arm32, Cx, FloatAbi};
use arrayvec::ArrayVec;
use core::ops::Range;
use ice_asm::arm32::{Alu, Lane, Shift, Sign, Transfer};
use ice_codegen::abi::{NO_ROOM_FOR_RESULT, ResultRegs, StackArguments, check_standard, result_types};
use ice_codegen::mach::{Operand, RegClass, Sink, VReg};
use ice_codegen::rules::{Call, Destination};
use ice_codegen::{CodeSymbol, ErrorKind, Libcall, Operands as _, ValueRegs, Words as _};
use ice_ir::native::{Arity, Passing};
use ice_ir::{Signature, Type, Value};

/// Most arguments that are in registers: 4 core, 16 extension.
const MAX_IN_REGISTERS: usize = 20;

/// Most registers that carry arguments and results of one call: these, and 4 of results.
pub(super) type Operands = ArrayVec<Operand, 24>;

/// The words of a value, the low one first.
type Words = ArrayVec<VReg, 4>;

const NEST: ErrorKind = ErrorKind::Unsupported("a static chain (nest)");

/// The class of a one-register value.
fn class_of(ty: Type) -> RegClass {
    if is_extension(ty) { float_size(ty).class() } else { GPR }
}

impl Arm32 {
    /// The convention of a signature.
    pub(super) fn convention(self, signature: Option<&Signature>) -> Convention {
        match (self.floats, signature.map(|signature| signature.arity)) {
            (FloatAbi::Soft, _) | (_, Some(Arity::Variadic)) => Convention::Base,
            _ => Convention::Vfp,
        }
    }

    /// The convention of a helper: the run-time ABI has floats in core registers (RTABI, IHI 0043D, 4.1.1.1).
    fn convention_of(self, helper: Libcall) -> Convention {
        match helper.name().starts_with("__aeabi_") {
            true => Convention::Base,
            false => self.convention(None),
        }
    }

    /// The places that the parameters of a function leave.
    pub(super) fn places_after_parameters(self, signature: &Signature) -> ArgumentPlaces {
        let mut places = ArgumentPlaces::new(self.convention(Some(signature)));
        for (n, &ty) in signature.params.iter().enumerate() {
            places.next(ty, signature.passing(n));
        }
        places
    }

    /// Moves incoming arguments to the registers of the parameters.
    pub(crate) fn lower_incoming<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) -> Result<(), ErrorKind> {
        let func = cx.func;
        let signature = cx.module.signature(func.id);
        if signature.passing.contains(&Passing::Nest) {
            return Err(NEST);
        }
        check_standard(Some(signature))?;
        // Core registers whose contents must be in memory, as words right below the stack arguments.
        let mut homes = ArrayVec::<(u8, VReg), 4>::new();
        let mut operands = Operands::new();
        let mut joined = ArrayVec::<(Value, Words), 4>::new();
        // Whether all parameters are in their registers then.
        let mut is_done = true;
        let mut places = ArgumentPlaces::new(self.convention(Some(signature)));
        for (n, &param) in func.params().iter().enumerate() {
            let (ty, regs) = (func.value_type(param), cx.regs(param));
            is_done &= ty != Type::I1 || !self.is_native();
            match places.next(ty, signature.passing(n)) {
                ArgumentPlace::Register(reg) => {
                    operands.push(Operand::def_fixed(regs.lo(), class_of(ty), reg))
                }
                ArgumentPlace::Words { first, registers, .. } => {
                    let by_value = matches!(signature.passing(n), Passing::ByVal { .. });
                    let direct = ty == Type::I64 && !by_value;
                    is_done &= direct;
                    let mut words = Words::new();
                    for n in 0..registers {
                        let word = if direct { regs.part(n) } else { self.temp(cx) };
                        operands.push(Operand::def_fixed(word, GPR, r(first + n)));
                        words.push(word);
                        if by_value {
                            homes.push((first + n, word));
                        }
                    }
                    if !direct && !by_value {
                        joined.push((param, words));
                    }
                }
                ArgumentPlace::Stack(_) => is_done = false,
            }
        }
        places.stack.check()?;
        if signature.arity == Arity::Variadic {
            for n in places.core..CORE_ARGS {
                let word = self.temp(cx);
                operands.push(Operand::def_fixed(word, GPR, r(n)));
                homes.push((n, word));
            }
        }
        if !operands.is_empty() {
            cx.sink.push_with(Inst::Params, &operands);
        }
        self.store_homes(cx, &homes);
        if is_done {
            return Ok(());
        }
        let mut joined = joined.into_iter();
        let mut places = ArgumentPlaces::new(self.convention(Some(signature)));
        for (n, &param) in func.params().iter().enumerate() {
            let place = places.next(func.value_type(param), signature.passing(n));
            let by_value = matches!(signature.passing(n), Passing::ByVal { .. });
            let is_used = cx.uses.count(param) > 0;
            match place {
                ArgumentPlace::Words { first, .. } if by_value && is_used => {
                    let dst = cx.regs(param).lo();
                    cx.sink.push(Inst::Lea { dst, mem: home(first) });
                }
                ArgumentPlace::Words { stack, .. } if !by_value && func.value_type(param) != Type::I64 => {
                    // They were listed in this order.
                    if let Some((param, words)) = joined.next() {
                        self.join_words(cx, param, words, stack);
                    }
                }
                ArgumentPlace::Stack(offset) if is_used => {
                    let mem = Amode::new(Base::Incoming, offset as i32);
                    match by_value {
                        true => {
                            let dst = cx.regs(param).lo();
                            cx.sink.push(Inst::Lea { dst, mem });
                        }
                        false => self.load_from(cx, mem, param),
                    }
                }
                _ => {}
            }
            if func.value_type(param) == Type::I1 && self.is_native() && is_used {
                let dst = cx.regs(param).lo();
                self.alu_imm(cx, Alu::And, dst, dst, 1);
            }
        }
        Ok(())
    }

    /// Stores register arguments to their words in memory.
    fn store_homes<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, homes: &[(u8, VReg)]) {
        for &(register, src) in homes {
            let bytes = 4 * u32::from(CORE_ARGS - register);
            let frame = cx.sink.frame();
            frame.register_arguments = frame.register_arguments.max(bytes);
            cx.sink.push(Inst::Store { op: Transfer::Str, src, mem: home(register) });
        }
    }

    /// A float or vector of its words; those that are not given are on the stack.
    fn join_words<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, param: Value, mut words: Words, stack: u32) {
        let ty = cx.func.value_type(param);
        let (dst, missing) = (cx.regs(param).lo(), (ty.bytes() / 4) as usize - words.len());
        for n in 0..missing {
            let word = self.temp(cx);
            let mem = Amode::new(Base::Incoming, stack as i32 + 4 * n as i32);
            cx.sink.push(Inst::Load { op: Transfer::Ldr, dst: word, mem });
            words.push(word);
        }
        self.value_of_words(cx, float_size(ty), &words, dst);
    }

    /// Makes a float or vector of its words.
    fn value_of_words<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, size: FloatSize, words: &[VReg], dst: VReg) {
        match (size, words) {
            (FloatSize::Single, &[src, ..]) => cx.sink.push(Inst::CoreToSingle { dst, src }),
            (FloatSize::Double, &[lo, hi, ..]) => cx.sink.push(Inst::PairToDouble { dst, lo, hi }),
            _ => {
                cx.sink.push(Inst::ZeroFloat { size, dst });
                for (index, &src) in (0..).zip(words) {
                    cx.sink.push(Inst::CoreToLane { lane: Lane::B32, index, dst, src });
                }
            }
        }
    }

    /// The words of a value of `ty`.
    fn words_of<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, regs: ValueRegs, ty: Type) -> Words {
        let src = regs.lo();
        if !is_extension(ty) {
            return regs.iter().collect();
        }
        let words: Words = (0..ty.bytes() / 4).map(|_| self.temp(cx)).collect();
        match (ty, &words[..]) {
            (Type::F32, &[dst]) => cx.sink.push(Inst::SingleToCore { dst, src }),
            (Type::F64, &[lo, hi]) => cx.sink.push(Inst::DoubleToPair { lo, hi, src }),
            _ => {
                for (index, &dst) in (0..).zip(&words) {
                    let (sign, lane) = (Sign::Plus, Lane::B32);
                    cx.sink.push(Inst::LaneToCore { sign, lane, index, dst, src });
                }
            }
        }
        words
    }

    /// A call of a function. Arguments on the stack come first: they need registers on their way.
    #[inline(never)]
    pub(crate) fn call<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst) -> Result<(), ErrorKind> {
        let call = cx.call_of(inst)?;
        let convention = self.convention(call.signature);
        let mut operands = Operands::new();
        let stack = self.arguments(cx, &call, 0..u32::MAX, &mut operands)?;
        let callee = self.callee(cx, &call);
        let results = cx.call_results(inst, call.signature);
        self.finish_call(cx, callee, convention, &mut operands, stack, results)
    }

    /// What a call goes to.
    pub(super) fn callee<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, call: &Call<'_>) -> Callee {
        match call.callee {
            Destination::Function(callee) | Destination::Retyped(callee) => {
                Callee::Symbol(CodeSymbol::Function(callee).pack())
            }
            Destination::Address(address) => Callee::Value(self.reg(cx, address)),
        }
    }

    /// Stores the arguments of a call that are among these offsets of the stack, and gives those in registers to
    /// `operands`.
    #[inline(always)]
    pub(super) fn arguments<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        call: &Call<'_>,
        stored: Range<u32>,
        operands: &mut Operands,
    ) -> Result<StackArguments, ErrorKind> {
        let (func, signature) = (cx.func, call.signature);
        if signature.is_some_and(|s| s.passing.contains(&Passing::Nest)) {
            return Err(NEST);
        }
        check_standard(signature)?;
        let mut places = ArgumentPlaces::new(self.convention(signature));
        let mut in_registers = ArrayVec::<(Value, Passing, ArgumentPlace), MAX_IN_REGISTERS>::new();
        for (arg, passing) in call.args_with_passing() {
            let place = places.next(func.value_type(arg), passing);
            self.stack_argument(cx, arg, passing, place, &stored);
            if !matches!(place, ArgumentPlace::Stack(_)) {
                in_registers.push((arg, passing, place));
            }
        }
        for (arg, passing, place) in in_registers {
            self.register_argument(cx, arg, passing, place, operands);
        }
        Ok(places.stack)
    }

    /// Stores what of an argument goes on the stack, if it is among these offsets.
    fn stack_argument<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        arg: Value,
        passing: Passing,
        place: ArgumentPlace,
        stored: &Range<u32>,
    ) {
        let (in_registers, offset) = match place {
            ArgumentPlace::Register(_) => return,
            ArgumentPlace::Words { registers, stack, .. } => (registers, stack),
            ArgumentPlace::Stack(offset) => (0, offset),
        };
        if !stored.contains(&offset) {
            return;
        }
        let to = Amode::new(Base::Outgoing, offset as i32);
        if let Passing::ByVal { size, .. } = passing {
            return self.copy_argument(cx, arg, 4 * u32::from(in_registers), to, size);
        }
        let ty = cx.func.value_type(arg);
        if in_registers == 0 {
            // A narrow argument takes a word; the bits above it are anything.
            let ty = if ty.is_scalar_int() && ty != Type::I64 { Type::I32 } else { ty };
            let regs = self.regs(cx, arg);
            for (n, src) in (0..).zip(regs.iter()) {
                self.store_part(cx, ty, src, to.offset(4 * n));
            }
        } else if u32::from(in_registers) * 4 < ty.bytes() {
            let regs = self.regs(cx, arg);
            let words = self.words_of(cx, regs, ty);
            for (n, &src) in (0..).zip(&words[in_registers.into()..]) {
                cx.sink.push(Inst::Store { op: Transfer::Str, src, mem: to.offset(4 * n) });
            }
        }
    }

    /// Uses of what of an argument goes in registers.
    fn register_argument<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        arg: Value,
        passing: Passing,
        place: ArgumentPlace,
        operands: &mut Operands,
    ) {
        let ty = cx.func.value_type(arg);
        match (place, passing) {
            (ArgumentPlace::Stack(_), _) => {}
            (ArgumentPlace::Register(reg), _) => {
                operands.push(Operand::use_fixed(self.reg(cx, arg), class_of(ty), reg));
            }
            (ArgumentPlace::Words { first, registers, .. }, Passing::ByVal { size, .. }) => {
                let from = self.object_or_register(cx, arg);
                for n in 0..registers {
                    let done = 4 * u32::from(n);
                    let word = self.load_bytes(cx, from.offset(done as i32), (size - done).min(4));
                    operands.push(Operand::use_fixed(word, GPR, r(first + n)));
                }
            }
            (ArgumentPlace::Words { first, registers, .. }, _) => {
                let regs = self.regs(cx, arg);
                let words = self.words_of(cx, regs, ty);
                for (n, &word) in (0..registers).zip(&words) {
                    operands.push(Operand::use_fixed(word, GPR, r(first + n)));
                }
            }
        }
    }

    /// Up to four bytes of memory as a word.
    fn load_bytes<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, from: Amode, count: u32) -> VReg {
        let load = |cx: &mut Cx<'_, S>, op, at| {
            let dst = self.temp(cx);
            cx.sink.push(Inst::Load { op, dst, mem: from.offset(at) });
            dst
        };
        let join = |cx: &mut Cx<'_, S>, low, high, shift| {
            let (op, flags, dst) = (Alu::Orr, ice_asm::arm32::Flags::Keep, self.temp(cx));
            cx.sink.push(Inst::Alu { op, flags, dst, lhs: low, rhs: Src::Shift(high, Shift::Lsl, shift) });
            dst
        };
        match count {
            1 => load(cx, Transfer::Ldrb, 0),
            2 => load(cx, Transfer::Ldrh, 0),
            3 => {
                let (low, high) = (load(cx, Transfer::Ldrh, 0), load(cx, Transfer::Ldrb, 2));
                join(cx, low, high, 16)
            }
            _ => load(cx, Transfer::Ldr, 0),
        }
    }

    /// Copies what comes after `done` bytes of an object of `size` bytes to its place among the outgoing arguments.
    /// A call of `memcpy` would need that place itself.
    fn copy_argument<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        address: Value,
        done: u32,
        to: Amode,
        size: u32,
    ) {
        /// Most bytes that are copied by single moves.
        const MAX_UNROLLED: u32 = 128;
        if done >= size {
            return;
        }
        let (mut from, mut to, mut left) =
            (self.object_or_register(cx, address).offset(done as i32), to, size - done);
        if left > MAX_UNROLLED {
            let [src, dst, count, word] = [(); 4].map(|()| self.temp(cx));
            cx.sink.push(Inst::Lea { dst: src, mem: from });
            cx.sink.push(Inst::Lea { dst, mem: to });
            cx.sink.push(Inst::MovImm { dst: count, imm: left / 4 });
            cx.sink.push(Inst::CopyWords { dst, src, count, word });
            let copied = (left / 4 * 4) as i32;
            (from, to, left) = (from.offset(copied), to.offset(copied), left % 4);
        }
        let mut at = 0;
        while at < left {
            let size = [16u8, 4, 2, 1].into_iter().find(|&n| u32::from(n) <= left - at).unwrap_or(1);
            let (from, to) = (from.offset(at as i32), to.offset(at as i32));
            let src = self.load_chunk(cx, size, from);
            self.store_chunk(cx, size, src, to);
            at += u32::from(size);
        }
    }

    /// A call of a helper outside of the module; all its arguments travel in registers.
    pub(super) fn call_helper<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        helper: Libcall,
        args: &[(ValueRegs, Type)],
        result: Option<(ValueRegs, Type)>,
    ) {
        let helper = self.helper(helper);
        let convention = self.convention_of(helper);
        let mut places = ArgumentPlaces::new(convention);
        let mut operands = Operands::new();
        for &(regs, ty) in args {
            match places.next(ty, Passing::Plain) {
                ArgumentPlace::Register(reg) => {
                    operands.push(Operand::use_fixed(regs.lo(), class_of(ty), reg))
                }
                ArgumentPlace::Words { first, .. } => {
                    let words = self.words_of(cx, regs, ty);
                    for (n, word) in (first..).zip(words) {
                        operands.push(Operand::use_fixed(word, GPR, r(n)));
                    }
                }
                ArgumentPlace::Stack(_) => cx.fault("a helper takes an argument on the stack"),
            }
        }
        let callee = Callee::Symbol(CodeSymbol::Libcall(helper).pack());
        let done = self.finish_call(cx, callee, convention, &mut operands, places.stack, [result, None]);
        if done.is_err() {
            cx.fault("a helper has a result that has no place");
        }
    }

    /// A call of a helper with operands that are in place.
    pub(super) fn push_libcall<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        helper: Libcall,
        operands: &[Operand],
    ) {
        let callee = Callee::Symbol(CodeSymbol::Libcall(helper).pack());
        let mut operands: Operands = operands.iter().copied().collect();
        let done = self.finish_call(
            cx,
            callee,
            Convention::Base,
            &mut operands,
            StackArguments::EMPTY,
            [None, None],
        );
        if done.is_err() {
            cx.fault("a helper has a result that has no place");
        }
    }

    /// The helper that a module finds: native ones have those of the run-time ABI.
    fn helper(self, helper: Libcall) -> Libcall {
        if !self.is_native() {
            return helper;
        }
        match helper {
            Libcall::F32ToI64 => Libcall::AeabiF2lz,
            Libcall::F64ToI64 => Libcall::AeabiD2lz,
            Libcall::F32ToU64 => Libcall::AeabiF2ulz,
            Libcall::F64ToU64 => Libcall::AeabiD2ulz,
            Libcall::I64ToF32 => Libcall::AeabiL2f,
            Libcall::I64ToF64 => Libcall::AeabiL2d,
            Libcall::U64ToF32 => Libcall::AeabiUl2f,
            Libcall::U64ToF64 => Libcall::AeabiUl2d,
            other => other,
        }
    }

    fn finish_call<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        callee: Callee,
        convention: Convention,
        operands: &mut Operands,
        stack: StackArguments,
        results: [Option<ResultRegs>; 2],
    ) -> Result<(), ErrorKind> {
        stack.check()?;
        cx.note_call(stack);
        // What most calls have.
        if let [result, None] = results
            && result.is_none_or(|(_, ty)| ty == Type::I32)
        {
            operands.extend(result.map(|(regs, _)| Operand::def_fixed(regs.lo(), GPR, r(0))));
            cx.sink.push_with(Inst::Call { callee }, operands);
            return Ok(());
        }
        let types = result_types(results, |(_, ty)| ty);
        let places = result_places(convention, types).ok_or(NO_ROOM_FOR_RESULT)?;
        let mut joined = ArrayVec::<(FloatSize, VReg, Words), 2>::new();
        for (place, result) in places.into_iter().zip(results) {
            let Some((regs, ty)) = result else { continue };
            match place {
                Some(ArgumentPlace::Register(reg)) => {
                    operands.push(Operand::def_fixed(regs.lo(), class_of(ty), reg));
                }
                Some(ArgumentPlace::Words { first, registers, .. }) => {
                    let words: Words = match is_extension(ty) {
                        true => (0..registers).map(|_| self.temp(cx)).collect(),
                        false => regs.iter().collect(),
                    };
                    for (n, &word) in (first..).zip(&words) {
                        operands.push(Operand::def_fixed(word, GPR, r(n)));
                    }
                    if is_extension(ty) {
                        joined.push((float_size(ty), regs.lo(), words));
                    }
                }
                _ => {}
            }
        }
        cx.sink.push_with(Inst::Call { callee }, operands);
        for (size, dst, words) in joined {
            self.value_of_words(cx, size, &words, dst);
        }
        for (regs, ty) in results.into_iter().flatten() {
            if ty == Type::I1 && self.is_native() {
                self.alu_imm(cx, Alu::And, regs.lo(), regs.lo(), 1);
            }
        }
        Ok(())
    }

    /// Return with none, one or two values.
    #[inline(never)]
    pub(super) fn lower_return<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        values: [Option<Value>; 2],
    ) -> Result<(), ErrorKind> {
        if let Some(word) = cx.returned_word(values) {
            let result = Operand::use_fixed(self.regs(cx, word).lo(), GPR, r(0));
            cx.sink.push_with(Inst::Ret, &[result]);
            return Ok(());
        }
        let mut operands = Operands::new();
        let types = result_types(values, |value| cx.func.value_type(value));
        let convention = self.convention(Some(cx.module.signature(cx.func.id)));
        let places = result_places(convention, types).ok_or(NO_ROOM_FOR_RESULT)?;
        for ((place, value), ty) in places.into_iter().zip(values).zip(types) {
            let Some(value) = value else { continue };
            let regs = self.regs(cx, value);
            match place {
                Some(ArgumentPlace::Register(reg)) => {
                    operands.push(Operand::use_fixed(regs.lo(), class_of(ty), reg));
                }
                Some(ArgumentPlace::Words { first, .. }) => {
                    for (n, word) in (first..).zip(self.words_of(cx, regs, ty)) {
                        operands.push(Operand::use_fixed(word, GPR, r(n)));
                    }
                }
                _ => {}
            }
        }
        cx.sink.push_with(Inst::Ret, &operands);
        Ok(())
    }
}

/// The word in memory of a core register that carries an argument.
pub(super) fn home(register: u8) -> Amode {
    Amode::new(Base::Incoming, -4 * i32::from(CORE_ARGS - register))
}
