//! Incoming parameters and returns.
//!
//! The registers of variable arguments, and those of an object that is passed by value, are stored to their *home* when a
//! function begins, so that all lies in memory one after another; a call in place of a return gets the former from there.
//! What travels as words in registers is put together when all of these are free, and with what is on the stack.

use super::Cx;
use super::call::{ArgumentWords, CallInst, CallOperands, CallRules, PlaceWords as _, check_signature};
use crate::abi::{ArgumentPlace, NO_ROOM_FOR_RESULT, result_types};
use crate::mach::{Operand, Sink, VReg};
use crate::return_call::PlaceArguments as _;
use crate::target::ErrorKind;
use arrayvec::ArrayVec;
use ice_ir::native::{Arity, Passing};
use ice_ir::{Signature, Type, Value};

/// Rules for parameters and returns; every machine with rules for calls has them.
pub trait ParamRules: CallRules {
    /// Moves incoming arguments to the registers of the parameters: first those that came in registers, then, when
    /// these are free, those in memory.
    fn lower_incoming<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>) -> Result<(), ErrorKind> {
        let func = cx.func;
        let signature = cx.module.signature(func.id);
        check_signature(Some(signature))?;
        let mut operands = CallOperands::new();
        let mut homes = ArrayVec::<(u8, VReg), 4>::new();
        let mut words = ArrayVec::<VReg, 4>::new();
        let implicit = self.implicit_params(cx, &mut operands);
        // Whether all parameters are in their registers then.
        let mut is_done = true;
        let results = [signature.ret, signature.second];
        if Self::has_hidden_result(results) {
            homes.push((Self::FIRST_ARG, self.temp(cx)));
        }
        let mut places = Self::places(self.convention(Some(signature)), results);
        for (n, &param) in func.params().iter().enumerate() {
            let (ty, regs) = (func.value_type(param), cx.regs(param));
            is_done &= !ty.is_bool_or_bool_vector() || !self.cleans_booleans();
            match places.next(ty, signature.passing(n)) {
                ArgumentPlace::Register(reg) => {
                    operands.push(Operand::def_fixed(regs.lo(), Self::class(ty), reg));
                }
                ArgumentPlace::Words { first, registers, .. } => {
                    let is_object = matches!(signature.passing(n), Passing::ByVal { .. });
                    is_done &= ty == Type::I64 && !is_object;
                    for n in 0..registers {
                        if is_object {
                            homes.push((first + n, self.temp(cx)));
                            continue;
                        }
                        let word = if Self::is_in_words(ty) { regs.part(n) } else { self.temp(cx) };
                        if !Self::is_in_words(ty) {
                            words.push(word);
                        }
                        operands.push(Operand::def_fixed(word, Self::GENERAL, Self::general(first + n)));
                    }
                }
                ArgumentPlace::Stack(_) => is_done = false,
            }
        }
        places.stack_area().check()?;
        if signature.arity == Arity::Variadic {
            homes.extend(places.free_registers().map(|n| (n, self.temp(cx))));
        }
        let home = |&(n, reg)| Operand::def_fixed(reg, Self::GENERAL, Self::general(n));
        operands.extend(homes.iter().map(home));
        if !operands.is_empty() {
            cx.sink.push_with(Self::call_inst(CallInst::Params), &operands);
        }
        for (number, src) in homes {
            let mem = self.home(cx, number);
            self.store_word(cx, src, mem);
        }
        self.enter(cx, implicit);
        if !is_done {
            self.finish_params(cx, signature, &words);
        }
        Ok(())
    }

    /// What of the parameters came in memory, and what becomes of words.
    #[inline(never)]
    fn finish_params<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        signature: &Signature,
        mut words: &[VReg],
    ) {
        let func = cx.func;
        let mut places = Self::places(self.convention(Some(signature)), [signature.ret, signature.second]);
        for (n, &param) in func.params().iter().enumerate() {
            let (ty, passing) = (func.value_type(param), signature.passing(n));
            let is_used = cx.uses.count(param) > 0;
            let is_object = matches!(passing, Passing::ByVal { .. });
            match places.next(ty, passing) {
                ArgumentPlace::Words { first, .. } if is_object => {
                    if is_used {
                        let (dst, mem) = (cx.regs(param).lo(), self.home(cx, first));
                        self.load_address(cx, dst, mem);
                    }
                }
                ArgumentPlace::Words { registers, stack, .. } => {
                    let count = if Self::is_in_words(ty) { 0 } else { registers.into() };
                    let (these, rest) = words.split_at(count);
                    words = rest;
                    if is_used {
                        self.finish_words(cx, param, these, (registers, stack));
                    }
                }
                ArgumentPlace::Stack(offset) if is_used => match is_object {
                    true => {
                        let dst = cx.regs(param).lo();
                        self.load_address(cx, dst, Self::incoming(offset));
                    }
                    false => self.load_param(cx, Self::incoming(offset), param),
                },
                ArgumentPlace::Stack(_) | ArgumentPlace::Register(_) => {}
            }
            if is_used {
                let regs = cx.regs(param);
                self.clean_boolean(cx, regs, ty);
            }
        }
    }

    /// A parameter in words, some of which are in registers, or in `words`, and the rest on the stack.
    fn finish_words<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        param: Value,
        words: &[VReg],
        (registers, stack): (u8, u32),
    ) {
        let (ty, regs) = (cx.func.value_type(param), cx.regs(param));
        let mut all = ArgumentWords::new();
        match Self::is_in_words(ty) {
            true => all.extend(regs.iter()),
            false => {
                all.extend(words.iter().copied());
                all.extend((words.len() as u32..ty.bytes() / 4).map(|_| self.temp(cx)));
            }
        }
        for (&dst, at) in all.iter().skip(registers.into()).zip((stack..).step_by(4)) {
            self.load_word(cx, dst, Self::incoming(at));
        }
        if !Self::is_in_words(ty) {
            self.value_of_words(cx, ty, &all, regs.lo());
        }
    }

    /// Return with none, one or two values.
    #[inline(never)]
    fn lower_return<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        values: [Option<Value>; 2],
    ) -> Result<(), ErrorKind> {
        let ret = Self::call_inst(CallInst::Return);
        if let Some(word) = cx.returned_word(values) {
            let result = Self::general(Self::FIRST_RESULT);
            let result = Operand::use_fixed(self.regs(cx, word).lo(), Self::GENERAL, result);
            cx.sink.push_with(ret, &[result]);
            return Ok(());
        }
        let mut operands = CallOperands::new();
        let types = result_types(values, |value| cx.func.value_type(value));
        if let (true, [Some(value), _]) = (Self::has_hidden_result(types), values) {
            let (address, regs) = (self.temp(cx), self.regs(cx, value));
            let home = self.home(cx, Self::FIRST_ARG);
            self.load_word(cx, address, home);
            for (src, at) in regs.iter().zip((0..).step_by(4)) {
                self.store_word(cx, src, Self::offset(Self::at(address), at));
            }
            cx.sink.push(ret);
            return Ok(());
        }
        let signature = cx.module.signature(cx.func.id);
        let places =
            Self::result_places(self.convention(Some(signature)), types).ok_or(NO_ROOM_FOR_RESULT)?;
        for ((place, value), ty) in places.into_iter().zip(values).zip(types) {
            let Some(value) = value else { continue };
            if let Some(ArgumentPlace::Words { first, .. }) = place
                && Self::has_lane_registers(ty)
                && let Some(lanes) = cx.returned_lanes(value)
            {
                for (n, lane) in (first..).zip(lanes) {
                    let (class, reg) = Self::part(ty, n);
                    let lane = lane.map(|lane| self.reg(cx, lane));
                    operands.extend(lane.map(|lane| Operand::use_fixed(lane, class, reg)));
                }
                continue;
            }
            let regs = self.regs(cx, value);
            match place {
                Some(ArgumentPlace::Register(reg)) => {
                    operands.push(Operand::use_fixed(regs.lo(), Self::class(ty), reg));
                }
                Some(ArgumentPlace::Words { first, .. }) => {
                    for (n, word) in (first..).zip(self.all_words(cx, regs, ty)) {
                        let (class, reg) = Self::part(ty, n);
                        operands.push(Operand::use_fixed(word, class, reg));
                    }
                }
                _ => {}
            }
        }
        if let (true, None, Some(n)) = (Self::RETURNS_ADDRESS, values[0], signature.struct_return()) {
            let address = cx.regs(cx.func.params()[n]).lo();
            let result = Self::general(Self::FIRST_RESULT);
            operands.push(Operand::use_fixed(address, Self::GENERAL, result));
        }
        cx.sink.push_with(ret, &operands);
        Ok(())
    }

    /// The first variable argument of the function.
    fn first_variadic<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>) -> Self::Mem {
        let places = self.places_of_variables(cx);
        match places.free_registers().next() {
            Some(register) => self.home(cx, register),
            None => Self::incoming(places.stack_area().bytes()),
        }
    }
}

impl<T: CallRules> ParamRules for T {}
