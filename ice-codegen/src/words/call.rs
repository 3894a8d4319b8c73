//! Calls, where values travel in registers of their own kind or as words ([`ArgumentPlace`]).
//!
//! Of what travels as words a part may be on the stack. Arguments on the stack come first: they need registers on their
//! way. What is in registers of another kind than it travels in becomes words before a call, and a value behind it.

use super::{Cx, MemoryRules, Word};
use crate::abi::{ArgumentPlace, NO_ROOM_FOR_RESULT, ResultRegs, StackArguments, result_types};
use crate::compiled::Libcall;
use crate::live::note_live;
use crate::lower::ValueRegs;
use crate::mach::{Operand, RegClass, Sink, VReg};
use crate::return_call::{PlaceArguments, is_as_good_as_return};
use crate::rules::{Call, Destination};
use crate::target::ErrorKind;
use arrayvec::ArrayVec;
use core::ops::Range;
use ice_ir::native::{Arity, CallingConvention, Passing};
use ice_ir::{BinaryOp, Function, Inst, Module, Signature, Type, Value};
use ice_regalloc::PReg;

/// Most arguments of a call that are in registers: 23 general ones and 8 others.
const MAX_IN_REGISTERS: usize = 31;

/// The operands of a call: arguments in registers, four registers of results.
pub type CallOperands = ArrayVec<Operand, 35>;

/// The words of a value, the low one first.
pub type ArgumentWords = ArrayVec<VReg, 4>;

/// The error where the registers or the memory of results are others than those of the function.
const OTHER_RESULTS: ErrorKind =
    ErrorKind::Unsupported("a tail call with its results in other registers than its function");

/// The error where the caller gives memory for the result that no parameter names.
const HIDDEN_RESULT: ErrorKind =
    ErrorKind::Unsupported("a tail call with a result in memory that the caller gives");

/// Places of arguments, handed out from left to right.
pub trait PlaceWords: PlaceArguments {
    /// That of the next argument.
    fn next(&mut self, ty: Type, passing: Passing) -> ArgumentPlace;

    /// The general registers that are left.
    fn free_registers(&self) -> Range<u8>;
}

/// An instruction of a call, whose operands come beside it.
#[derive(Clone, Debug)]
pub enum CallInst<C> {
    /// Defines the incoming arguments.
    Params,
    /// A call, which preserves what functions of the convention do.
    Call(C, CallingConvention),
    /// A return.
    Return,
    /// A register with anything in it, which the next instruction may destroy.
    Scratch(VReg),
    /// A call in place of a return: stack arguments at these offsets are moved, by way of the register.
    ReturnCall(C, Range<u32>, Option<VReg>),
}

/// Rules for calls.
pub trait CallRules: MemoryRules {
    /// What of a signature decides how values travel.
    type Convention: Copy;
    /// Hands out places.
    type Places: PlaceWords;
    /// What a call goes to.
    type Callee;
    /// Registers that come beside the arguments of a function.
    type Implicit;

    /// The class of general registers.
    const GENERAL: RegClass;
    /// The first general register that carries arguments.
    const FIRST_ARG: u8;
    /// The first general register that carries results.
    const FIRST_RESULT: u8;
    /// Whether the address of the memory for a result is returned.
    const RETURNS_ADDRESS: bool;

    /// The convention of a signature.
    fn convention(self, signature: Option<&Signature>) -> Self::Convention;

    /// Which registers functions of a convention preserve.
    fn preserved(convention: Self::Convention) -> CallingConvention;

    /// The places of arguments, behind what results of these types take of them.
    fn places(convention: Self::Convention, results: [Type; 2]) -> Self::Places;

    /// The places of results; `None` where there is none, or if there are not enough registers.
    fn result_places(convention: Self::Convention, types: [Type; 2]) -> Option<[Option<ArgumentPlace>; 2]>;

    /// Whether the caller gives the address of 16 bytes for the words of the result as a first argument.
    fn has_hidden_result(_types: [Type; 2]) -> bool {
        false
    }

    /// Whether a boolean from elsewhere may have anything above its bit.
    fn cleans_booleans(self) -> bool;

    /// The general register with a number.
    fn general(number: u8) -> PReg;

    /// The class of the registers of a value.
    fn class(ty: Type) -> RegClass;

    /// The words of a value in a register that is no general one.
    fn words_of<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, src: VReg, ty: Type) -> ArgumentWords;

    /// Such a value of its words.
    fn value_of_words<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        ty: Type,
        words: &[VReg],
        dst: VReg,
    );

    /// The register of a word of a value that is in no general register, and its class.
    fn part(_ty: Type, number: u8) -> (RegClass, PReg) {
        (Self::GENERAL, Self::general(number))
    }

    /// A fresh register for such a word.
    fn part_temp<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, _ty: Type) -> VReg {
        self.temp(cx)
    }

    /// The stack arguments of the function from this offset on.
    fn incoming(offset: u32) -> Self::Mem;

    /// Those of calls.
    fn outgoing(offset: u32) -> Self::Mem;

    /// Where a general register that carries an argument is at home in memory, which the frame then has.
    fn home<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, register: u8) -> Self::Mem;

    /// A fixed object of the frame.
    fn object(number: u32) -> Self::Mem;

    /// Memory at the address in a register.
    fn at(address: VReg) -> Self::Mem;

    /// A word from where arguments are.
    fn load_word<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, dst: VReg, mem: Self::Mem);

    /// Puts a word where arguments are.
    fn store_word<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, src: VReg, mem: Self::Mem);

    /// A parameter that is on the stack as a whole.
    fn load_param<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, mem: Self::Mem, param: Value);

    /// Puts an argument on the stack as a whole.
    fn store_arg<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, mem: Self::Mem, arg: Value);

    /// The address of an operand.
    fn load_address<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, dst: VReg, mem: Self::Mem);

    /// An instruction.
    fn call_inst(inst: CallInst<Self::Callee>) -> Self::Inst;

    /// What a call goes to.
    fn callee<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, to: Destination) -> Self::Callee;

    /// What a call of a helper goes to, and how values travel there.
    fn helper<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        helper: Libcall,
    ) -> (Self::Callee, Self::Convention);

    /// Registers that come beside the arguments, which [`enter`](Self::enter) gets.
    fn implicit_params<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        operands: &mut CallOperands,
    ) -> Self::Implicit;

    /// What a function does first when its arguments are in their registers.
    fn enter<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, implicit: Self::Implicit);

    /// The places behind the parameters of the function.
    fn places_of_variables<S: Sink<Self::Inst>>(self, cx: &Cx<'_, Self, S>) -> Self::Places {
        let signature = cx.module.signature(cx.func.id);
        let mut places = Self::places(self.convention(Some(signature)), [signature.ret, signature.second]);
        for (n, &ty) in signature.params.iter().enumerate() {
            places.next(ty, signature.passing(n));
        }
        places
    }

    /// Uses of the registers in which the function got variable arguments, with what it got in them.
    fn variables_again<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, operands: &mut CallOperands) {
        for number in self.places_of_variables(cx).free_registers() {
            let (word, mem) = (self.temp(cx), self.home(cx, number));
            self.load_word(cx, word, mem);
            operands.push(Operand::use_fixed(word, Self::GENERAL, Self::general(number)));
        }
    }

    /// A register for the next instruction to destroy: a terminator defines none.
    fn scratch<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>) -> VReg {
        let dst = self.temp(cx);
        cx.sink.push(Self::call_inst(CallInst::Scratch(dst)));
        dst
    }

    /// Whether a value is in general registers.
    fn is_in_words(ty: Type) -> bool {
        Self::class(ty) == Self::GENERAL
    }

    /// Whether what travels of such a vector in a register is a lane as its own type is.
    fn has_lane_registers(ty: Type) -> bool {
        Self::part(ty, 0).0 == Self::class(ty.element())
    }

    /// The words of a value.
    fn all_words<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        regs: ValueRegs,
        ty: Type,
    ) -> ArgumentWords {
        if Self::is_in_words(ty) { regs.iter().collect() } else { self.words_of(cx, regs.lo(), ty) }
    }

    /// Makes a boolean that came from elsewhere one in its whole register, and each lane of a vector of them that is a
    /// word all ones or all zeros.
    fn clean_boolean<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, regs: ValueRegs, ty: Type) {
        if ty == Type::I1 && self.cleans_booleans() {
            self.word_op(cx, BinaryOp::And, regs.lo(), regs.lo().into(), Word::Number(1));
        }
        if ty == Type::V4I1 && Self::is_in_words(ty) && self.cleans_booleans() {
            for lane in regs.iter() {
                let bit = self.word(cx, BinaryOp::And, lane, 1);
                self.word_op(cx, BinaryOp::Sub, lane, Word::Number(0), bit.into());
            }
        }
    }

    /// A call of a function.
    #[inline(never)]
    fn call<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, inst: Inst) -> Result<(), ErrorKind> {
        note_live(self, cx, inst);
        let call = cx.call_of(inst)?;
        let convention = self.convention(call.signature);
        let results = cx.call_results(inst, call.signature);
        let types = result_types(results, |(_, ty)| ty);
        let mut operands = CallOperands::new();
        let area = self.arguments(cx, &call, types, 0..u32::MAX, &mut operands)?;
        let callee = self.callee(cx, call.callee);
        self.finish_call(cx, (callee, convention), &mut operands, area, results)
    }

    /// Stores the arguments of a call with results of these types that are among these offsets of the stack, and gives
    /// those in registers to `operands`.
    #[inline(always)]
    fn arguments<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        call: &Call<'_>,
        results: [Type; 2],
        stored: Range<u32>,
        operands: &mut CallOperands,
    ) -> Result<StackArguments, ErrorKind> {
        let (func, signature) = (cx.func, call.signature);
        check_signature(signature)?;
        let mut places = Self::places(self.convention(signature), results);
        let mut in_registers = ArrayVec::<(Value, Passing, ArgumentPlace), MAX_IN_REGISTERS>::new();
        for (arg, passing) in call.args_with_passing(func) {
            let place = places.next(func.value_type(arg), passing);
            self.stack_argument(cx, (arg, passing, place), &stored);
            if !matches!(place, ArgumentPlace::Stack(_)) {
                in_registers.push((arg, passing, place));
            }
        }
        for argument in in_registers {
            self.register_argument(cx, argument, operands);
        }
        Ok(places.stack_area())
    }

    /// Stores what of an argument goes on the stack, if it is among these offsets.
    fn stack_argument<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        (arg, passing, place): (Value, Passing, ArgumentPlace),
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
        let (to, ty) = (Self::outgoing(offset), cx.func.value_type(arg));
        let count = match Self::is_in_words(ty) {
            true => cx.layouts[ty as usize].parts.into(),
            false => ty.bytes() / 4,
        };
        if let Passing::ByVal { size, align_log2 } = passing {
            self.copy_argument(cx, (arg, align_log2), 4 * u32::from(in_registers), to, size);
        } else if in_registers == 0 {
            self.store_arg(cx, to, arg);
        } else if u32::from(in_registers) < count {
            let regs = self.regs(cx, arg);
            let words = self.all_words(cx, regs, ty);
            for (n, &src) in (0..).zip(&words[in_registers.into()..]) {
                self.store_word(cx, src, Self::offset(to, 4 * n));
            }
        }
    }

    /// Uses of what of an argument goes in registers.
    fn register_argument<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        (arg, passing, place): (Value, Passing, ArgumentPlace),
        operands: &mut CallOperands,
    ) {
        let ty = cx.func.value_type(arg);
        match (place, passing) {
            (ArgumentPlace::Stack(_), _) => {}
            (ArgumentPlace::Register(reg), _) => {
                operands.push(Operand::use_fixed(self.reg(cx, arg), Self::class(ty), reg));
            }
            (ArgumentPlace::Words { first, registers, .. }, Passing::ByVal { size, align_log2 }) => {
                let from = self.object_or_register(cx, arg);
                for n in 0..registers {
                    let done = 4 * u32::from(n);
                    let at = Self::offset(from, done as i32);
                    let word = self.load_bytes(cx, at, align_log2, (size - done).min(4));
                    operands.push(Operand::use_fixed(word, Self::GENERAL, Self::general(first + n)));
                }
            }
            (ArgumentPlace::Words { first, registers, .. }, _) => {
                let regs = self.regs(cx, arg);
                let words = self.all_words(cx, regs, ty);
                for (number, &word) in (first..first + registers).zip(&words) {
                    operands.push(Operand::use_fixed(word, Self::GENERAL, Self::general(number)));
                }
            }
        }
    }

    /// A call of a helper outside of the module.
    fn call_helper<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        helper: Libcall,
        args: &[(ValueRegs, Type)],
        result: Option<(ValueRegs, Type)>,
    ) {
        let (callee, convention) = self.helper(cx, helper);
        let mut places = Self::places(convention, [Type::Void; 2]);
        let mut operands = CallOperands::new();
        for &(regs, ty) in args {
            match places.next(ty, Passing::Plain) {
                ArgumentPlace::Register(reg) => {
                    operands.push(Operand::use_fixed(regs.lo(), Self::class(ty), reg));
                }
                ArgumentPlace::Words { first, .. } => {
                    for (n, word) in (first..).zip(self.all_words(cx, regs, ty)) {
                        operands.push(Operand::use_fixed(word, Self::GENERAL, Self::general(n)));
                    }
                }
                ArgumentPlace::Stack(offset) => {
                    let words = self.all_words(cx, regs, ty);
                    for (word, at) in words.into_iter().zip((offset..).step_by(4)) {
                        self.store_word(cx, word, Self::outgoing(at));
                    }
                }
            }
        }
        let area = places.stack_area();
        self.finish_helper(cx, (callee, convention), &mut operands, area, result);
    }

    /// A call of a helper whose arguments are in place.
    fn finish_helper<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        callee: (Self::Callee, Self::Convention),
        operands: &mut CallOperands,
        area: StackArguments,
        result: Option<ResultRegs>,
    ) {
        if self.finish_call(cx, callee, operands, area, [result, None]).is_err() {
            cx.fault("a helper has a result that has no place");
        }
    }

    /// The call itself, and its results.
    fn finish_call<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        (callee, convention): (Self::Callee, Self::Convention),
        operands: &mut CallOperands,
        area: StackArguments,
        results: [Option<ResultRegs>; 2],
    ) -> Result<(), ErrorKind> {
        area.check()?;
        cx.note_call(area);
        let call = Self::call_inst(CallInst::Call(callee, Self::preserved(convention)));
        if let [None, None] = results {
            cx.sink.push_with(call, operands);
            return Ok(());
        }
        let types = result_types(results, |(_, ty)| ty);
        if let (true, [Some((regs, _)), _]) = (Self::has_hidden_result(types), results) {
            self.call_with_memory(cx, call, operands, regs);
            return Ok(());
        }
        self.receive(cx, (call, convention), operands, results)
    }

    /// An instruction behind which the results of a call are in their places.
    #[inline(always)]
    fn receive<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        (call, convention): (Self::Inst, Self::Convention),
        operands: &mut CallOperands,
        results: [Option<ResultRegs>; 2],
    ) -> Result<(), ErrorKind> {
        let types = result_types(results, |(_, ty)| ty);
        let places = Self::result_places(convention, types).ok_or(NO_ROOM_FOR_RESULT)?;
        let mut joined = ArrayVec::<(Type, VReg, ArgumentWords), 2>::new();
        for (place, result) in places.into_iter().zip(results) {
            let Some((regs, ty)) = result else { continue };
            match place {
                Some(ArgumentPlace::Register(reg)) => {
                    operands.push(Operand::def_fixed(regs.lo(), Self::class(ty), reg));
                }
                Some(ArgumentPlace::Words { first, .. }) if Self::is_in_words(ty) => {
                    for (n, word) in (first..).zip(regs.iter()) {
                        operands.push(Operand::def_fixed(word, Self::GENERAL, Self::general(n)));
                    }
                }
                Some(ArgumentPlace::Words { first, registers, .. }) => {
                    let words: ArgumentWords = (0..registers).map(|_| self.part_temp(cx, ty)).collect();
                    for (n, &word) in (first..).zip(&words) {
                        let (class, reg) = Self::part(ty, n);
                        operands.push(Operand::def_fixed(word, class, reg));
                    }
                    joined.push((ty, regs.lo(), words));
                }
                _ => {}
            }
        }
        cx.sink.push_with(call, operands);
        for (ty, dst, words) in joined {
            if !(Self::has_lane_registers(ty) && cx.receive_lanes(dst, &words)) {
                self.value_of_words(cx, ty, &words, dst);
            }
        }
        if self.cleans_booleans() {
            for (regs, ty) in results.into_iter().flatten() {
                self.clean_boolean(cx, regs, ty);
            }
        }
        Ok(())
    }

    /// A call whose result is in memory of the frame.
    fn call_with_memory<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        call: Self::Inst,
        operands: &mut CallOperands,
        regs: ValueRegs,
    ) {
        let mem = Self::object(cx.sink.frame().add_object(16, 3));
        let dst = self.temp(cx);
        self.load_address(cx, dst, mem);
        operands.push(Operand::use_fixed(dst, Self::GENERAL, Self::general(Self::FIRST_ARG)));
        cx.sink.push_with(call, operands);
        for (dst, at) in regs.iter().zip((0..).step_by(4)) {
            self.load_word(cx, dst, Self::offset(mem, at));
        }
    }

    /// Whether a call whose results are returned may be made in place of the return, and costs no more there.
    fn returns_words_by_call(self, module: &Module, func: &Function, call: &Call<'_>) -> bool {
        let own = module.signature(func.id);
        let results = [own.ret, own.second];
        let conventions = [Some(own), call.signature].map(|signature| self.convention(signature));
        let [own_results, callee_results] =
            conventions.map(|convention| Self::result_places(convention, results));
        let [own_places, callee_places] = conventions.map(|convention| Self::places(convention, results));
        let callee_types = call.signature.map_or(results, |callee| [callee.ret, callee.second]);
        !Self::has_hidden_result(results)
            && !Self::has_hidden_result(callee_types)
            && own_results == callee_results
            && check_signature(call.signature).is_ok()
            && is_as_good_as_return((module, func), call, own_places, callee_places)
    }

    /// A call in place of a return.
    #[inline(never)]
    fn return_call<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, inst: Inst) -> Result<(), ErrorKind> {
        let call = cx.call_of(inst)?;
        let own = cx.module.signature(cx.func.id);
        let results = [own.ret, own.second];
        if Self::has_hidden_result(results) {
            return Err(HIDDEN_RESULT);
        }
        let conventions = [Some(own), call.signature].map(|signature| self.convention(signature));
        let [own_results, callee_results] =
            conventions.map(|convention| Self::result_places(convention, results));
        if own_results != callee_results {
            return Err(OTHER_RESULTS);
        }
        let [own_places, callee_places] = conventions.map(|convention| Self::places(convention, results));
        let moved = cx.moved_arguments(own_places, callee_places, call.args_with_passing(cx.func))?;
        let mut operands = CallOperands::new();
        self.arguments(cx, &call, results, moved.clone(), &mut operands)?;
        if own.arity == Arity::Variadic {
            self.variables_again(cx, &mut operands);
        }
        let callee = self.callee(cx, call.callee);
        let scratch = (!moved.is_empty()).then(|| self.scratch(cx));
        cx.sink.push_with(Self::call_inst(CallInst::ReturnCall(callee, moved, scratch)), &operands);
        Ok(())
    }
}

/// Refuses what no register is known for, and variable arguments where nothing is preserved: these are not where callees
/// look for them.
pub(super) fn check_signature(signature: Option<&Signature>) -> Result<(), ErrorKind> {
    let Some(signature) = signature else { return Ok(()) };
    if signature.passing.contains(&Passing::Nest) {
        return Err(ErrorKind::Unsupported("a static chain (nest)"));
    }
    if signature.passing.contains(&Passing::OnStack) {
        return Err(ErrorKind::Unsupported("an argument that is on the stack whatever its type"));
    }
    match (signature.convention, signature.arity) {
        (CallingConvention::PreserveNone, Arity::Variadic) => {
            Err(ErrorKind::Unsupported("variable arguments of the calling convention preserve_none"))
        }
        (CallingConvention::Standard | CallingConvention::PreserveNone, _) => Ok(()),
        _ => Err(ErrorKind::Unsupported("a calling convention of x86")),
    }
}
