//! Calls, incoming parameters and returns.

use crate::abi::{ArgumentPlace, ArgumentPlaces, ResultPlace, result_places};
use crate::inst::{Amode, Base, Callee, Inst, Src};
use crate::regs::{BYTE, GPR, RAX, XMM, YMM, xmm};
use crate::target::{Cx, X86};
use arrayvec::ArrayVec;
use core::ops::Range;
use ice_asm::x86::{Alu, Mode, Width};
use ice_codegen::abi::{NO_ROOM_FOR_RESULT, ResultRegs, StackArguments, result_types};
use ice_codegen::live::note_live;
use ice_codegen::mach::{Operand, Sink, VReg};
use ice_codegen::rules::{Call, Destination};
use ice_codegen::{CodeSymbol, ErrorKind, Libcall, Operands as _, Target as _, ValueRegs};
use ice_ir::native::{Arity, CallingConvention, Passing};
use ice_ir::{FunctionKind, InstData, Linkage, Signature, Tracking, Type, Value};

/// Most registers that carry arguments and results of one call: 12 general ones, 8 vectors, the global base, and two
/// results, one of them a pair.
pub(super) type Operands = ArrayVec<Operand, 24>;

/// Bytes at the bottom of the frame through which values pass between x87 and vector registers.
pub(super) const FPU_TRANSFER: u32 = 8;

/// Most bytes that a return can pop, in words: the instruction has 16 bits for them.
const MAX_POPPED: u32 = 0xfffc;

/// The error for more of them.
const POPS_TOO_MUCH: ErrorKind =
    ErrorKind::Unsupported("a function that pops more than 65532 bytes of arguments");

/// Whose code makes the results of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// That of this module, which returns values as lowering represents them.
    Here,
    /// Nobody promises anything of what is above the results; whether somebody asks for it.
    Elsewhere { wants_clean: bool },
}

impl X86 {
    /// What is handed out to the parameters of a function.
    pub(super) fn parameter_places(self, signature: &Signature) -> ArgumentPlaces {
        let mut places = ArgumentPlaces::of(self.mode, Some(signature));
        for (n, &ty) in signature.params.iter().enumerate() {
            places.next(ty, signature.passing(n));
        }
        places
    }

    /// Moves incoming arguments to the registers of the parameters.
    #[inline(never)]
    pub(crate) fn lower_incoming<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) -> Result<(), ErrorKind> {
        let mut operands = Operands::new();
        let func = cx.func;
        let signature = cx.module.signature(func.id);
        self.check_convention(signature)?;
        // Callers outside of the module do not promise that the upper half of a 32-bit argument is zero. Those
        // of native code may have the address of any function.
        let is_external = self.is_native() || cx.module.functions[func.id].linkage == Linkage::External;
        let mut narrow = ArrayVec::<(VReg, VReg), 12>::new();
        let mut wide = ArrayVec::<(VReg, [VReg; 2]), 8>::new();
        let mut places = ArgumentPlaces::of(self.mode, Some(signature));
        let has_registers = places.has_registers(signature);
        let params = if has_registers { func.params() } else { &[] };
        for (n, (&param, &ty)) in params.iter().zip(&signature.params).enumerate() {
            match places.next(ty, signature.passing(n)) {
                ArgumentPlace::Register(reg) => {
                    let mut incoming = cx.regs(param).lo();
                    if is_external && self.wants_clean(cx, param) {
                        let wide = self.temp(cx, ty);
                        narrow.push((wide, incoming));
                        incoming = wide;
                    }
                    operands.push(Operand::def_fixed(incoming, class_of(ty), reg));
                }
                ArgumentPlace::Pair(lo, hi) => {
                    let regs = cx.regs(param);
                    operands.push(Operand::def_fixed(regs.lo(), GPR, lo));
                    operands.push(Operand::def_fixed(regs.hi(), GPR, hi));
                }
                ArgumentPlace::Split(lo, _) => {
                    operands.push(Operand::def_fixed(cx.regs(param).lo(), GPR, lo));
                }
                ArgumentPlace::Upper(of) => {
                    // In one register with the half before.
                    if let Some(low) = operands.pop() {
                        let both = self.ymm_temp(cx);
                        wide.push((both, [low.vreg(), cx.regs(param).lo()]));
                        operands.push(Operand::def_fixed(both, YMM, xmm(of)));
                    }
                }
                ArgumentPlace::At(reg) => {
                    let address = match signature.passing(n) {
                        Passing::ByVal { .. } => cx.regs(param).lo(),
                        _ => self.temp(cx, Type::I64),
                    };
                    operands.push(Operand::def_fixed(address, GPR, reg));
                }
                ArgumentPlace::Stack(_) | ArgumentPlace::AtStack(_) => {}
            }
        }
        places.stack.check()?;
        let has_stack_arguments = !has_registers || !places.stack.is_empty();
        let is_saved = signature.arity == Arity::Variadic && self.mode == Mode::Bits64;
        let saved = if is_saved { Some(self.saved_arguments(cx, signature, &mut operands)) } else { None };
        if !operands.is_empty() {
            cx.sink.push_with(Inst::Params, &operands);
        }
        for (src, [low, high]) in wide {
            cx.sink.push(Inst::LowerHalf { dst: low, src });
            cx.sink.push(Inst::UpperHalf { dst: high, src });
        }
        if let Some(saved) = saved {
            self.save_arguments(cx, &saved);
        }
        for (src, dst) in narrow {
            cx.sink.push(Inst::ZeroUpper { dst, src });
        }
        if signature.convention == CallingConvention::Win64 {
            self.load_by_addresses(cx, signature, &operands);
        }
        self.make_global_base(cx);
        if has_stack_arguments || self.is_native() {
            self.load_incoming(cx, signature)?;
        }
        cx.sink.frame().popped = match self.popped(signature) {
            bytes @ 0..=MAX_POPPED => bytes,
            _ => return Err(POPS_TOO_MUCH),
        };
        Ok(())
    }

    /// Loads the parameters that are on the stack, and cuts booleans to their bit.
    fn load_incoming<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        signature: &Signature,
    ) -> Result<(), ErrorKind> {
        let func = cx.func;
        let mut places = ArgumentPlaces::of(self.mode, Some(signature));
        for (n, (&param, &ty)) in func.params().iter().zip(&signature.params).enumerate() {
            let passing = signature.passing(n);
            let place = places.next(ty, passing);
            // The address of the result is returned, whether or not the body looks at it.
            if cx.uses.count(param) == 0 && !passing.is_struct_return() {
                continue;
            }
            if let ArgumentPlace::Split(_, offset) = place {
                let (dst, mem) = (cx.regs(param).hi(), Amode::new(Base::Incoming, offset as i32));
                cx.sink.push(Inst::Load { width: Width::B32, dst, mem });
            }
            if let ArgumentPlace::AtStack(offset) = place {
                self.load_by_address(cx, offset, passing, param);
            }
            if let ArgumentPlace::Stack(offset) = place {
                let mem = Amode::new(Base::Incoming, offset as i32);
                if let Passing::ByVal { .. } = passing {
                    let dst = cx.regs(param).lo();
                    cx.sink.push(Inst::Lea { width: self.address_width(), dst, mem });
                } else {
                    self.load_from(cx, mem, param);
                }
            }
            if self.is_native() {
                let regs = cx.regs(param);
                self.clean_booleans(cx, regs, ty);
            }
        }
        places.stack.check()
    }

    /// Of a boolean from other native code, and of each lane of a vector of them, only the lowest bit counts.
    fn clean_booleans<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, regs: ValueRegs, ty: Type) {
        if !self.is_native() || !ty.is_bool_or_bool_vector() {
            return;
        }
        match ty.is_vector() {
            true => self.low_bits_to_mask(cx, ty, regs.lo()),
            false => self.alu_imm(cx, Alu::And, regs.lo(), 1),
        }
    }

    /// Whose code makes the results of a call. Another definition may take the place of a weak one. A function of a native
    /// module may return what another one returns to which it has jumped.
    pub(super) fn origin<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        inst: ice_ir::Inst,
        callee: Destination,
    ) -> Origin {
        if !self.is_native()
            && let Destination::Function(callee) = callee
        {
            let function = &cx.module.functions[callee];
            let stays = function.linkage.is_local() || function.linkage == Linkage::External;
            if stays && function.kind == FunctionKind::Defined {
                return Origin::Here;
            }
        }
        let next = cx.func.layout.next_inst(inst);
        let second = next.filter(|&inst| matches!(cx.func.inst(inst), InstData::SecondResult { .. }));
        let mut results = [Some(inst), second].into_iter().flatten().filter_map(|inst| cx.func.result(inst));
        Origin::Elsewhere { wants_clean: results.any(|result| self.wants_clean(cx, result)) }
    }

    /// A call of a function.
    #[inline(never)]
    pub(crate) fn call<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst) -> Result<(), ErrorKind> {
        note_live(self, cx, inst);
        let call = cx.call_of(inst)?;
        let Call { callee, signature, .. } = call;
        let origin = self.origin(cx, inst, callee);
        let mut operands = Operands::new();
        let places = self.arguments(cx, &call, 0..u32::MAX, &mut operands);
        self.beside_arguments(cx, signature, places.vectors, &mut operands);
        let convention = signature.map_or(CallingConvention::Standard, |signature| signature.convention);
        let callee = match (callee, convention) {
            (Destination::Address(address), _) if convention.preserves_as_standard() => {
                self.callee_at(cx, address)
            }
            (Destination::Address(address), _) => Callee::Value(self.reg(cx, address)),
            (
                Destination::Function(callee) | Destination::Retyped(callee),
                CallingConvention::PreserveNone,
            ) => self.callee_without_base(cx, callee, &mut operands),
            (Destination::Function(callee) | Destination::Retyped(callee), _) => {
                self.callee(cx, CodeSymbol::Function(callee), &mut operands)
            }
        };
        let results = cx.call_results(inst, signature);
        let call = match signature {
            Some(signature) if !convention.preserves_as_standard() => {
                let has_wide_registers = cx.sink.frame().has_wide_registers;
                self.call_destroying(call.callee, callee, signature, has_wide_registers)?
            }
            _ if self.tracks_branches => self.tracked_call(cx, &call, callee)?,
            _ => Inst::Call { callee, mode: self.mode, popped: self.popped_by_call(signature)? },
        };
        self.finish_call(cx, (call, origin), &mut operands, places.stack, (results, signature))
    }

    /// The function whose address `address` is, perhaps in memory.
    pub(super) fn callee_at<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, address: Value) -> Callee {
        if cx.folded(address).is_some()
            && let Src::Mem(mem) = self.src(cx, address)
        {
            return Callee::Memory(mem);
        }
        Callee::Value(self.reg(cx, address))
    }

    /// A call of what preserves as much as standard functions, where branches are tracked.
    #[cold]
    fn tracked_call<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        call: &Call<'_>,
        callee: Callee,
    ) -> Result<Inst, ErrorKind> {
        let (mode, popped) = (self.mode, self.popped_by_call(call.signature)?);
        Ok(match call.callee {
            Destination::Function(function) | Destination::Retyped(function)
                if cx.module.functions[function].traits.returns_twice =>
            {
                Inst::CallLanding { callee, mode, popped }
            }
            Destination::Address(_) if is_untracked(call.signature) => {
                Inst::CallUntracked { callee, mode, popped }
            }
            _ => Inst::Call { callee, mode, popped },
        })
    }

    /// Bytes of arguments that a function pops when it returns: the address of the memory for its result (i386
    /// supplement, table 2.9), or all.
    pub(super) fn popped(self, signature: &Signature) -> u32 {
        match (self.mode, signature.convention) {
            (Mode::Bits64, _)
            | (
                _,
                CallingConvention::PreserveNone
                | CallingConvention::PreserveMost
                | CallingConvention::PreserveAll
                | CallingConvention::Win64
                | CallingConvention::Fast,
            ) => 0,
            _ if self.is_confined() => 0,
            (_, CallingConvention::Standard) => {
                4 * u32::from(signature.passing.contains(&Passing::StructReturn))
            }
            (_, CallingConvention::Stdcall | CallingConvention::Fastcall | CallingConvention::Thiscall) => {
                self.parameter_places(signature).stack.bytes()
            }
        }
    }

    /// The same of the callee of a call.
    #[inline]
    pub(super) fn popped_by_call(self, signature: Option<&Signature>) -> Result<u16, ErrorKind> {
        match signature.map_or(0, |signature| self.popped(signature)) {
            bytes @ 0..=MAX_POPPED => Ok(bytes as u16),
            _ => Err(POPS_TOO_MUCH),
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
    ) -> ArgumentPlaces {
        let (func, signature) = (cx.func, call.signature);
        let mut places = ArgumentPlaces::of(self.mode, signature);
        let mut low_half = None;
        for (arg, passing) in call.args_with_passing(func) {
            match places.next(func.value_type(arg), passing) {
                ArgumentPlace::Register(_) if is_low_half(func.value_type(arg), passing) => {
                    low_half = Some(arg)
                }
                ArgumentPlace::Register(reg) => {
                    let class = class_of(func.value_type(arg));
                    operands.push(Operand::use_fixed(self.reg(cx, arg), class, reg));
                }
                ArgumentPlace::Pair(lo, hi) => {
                    let regs = self.regs(cx, arg);
                    operands.push(Operand::use_fixed(regs.lo(), GPR, lo));
                    operands.push(Operand::use_fixed(regs.hi(), GPR, hi));
                }
                ArgumentPlace::Split(lo, offset) => {
                    let regs = self.regs(cx, arg);
                    operands.push(Operand::use_fixed(regs.lo(), GPR, lo));
                    if stored.contains(&offset) {
                        let mem = Amode::new(Base::Outgoing, offset as i32);
                        cx.sink.push(Inst::Store { width: Width::B32, src: regs.hi(), mem });
                    }
                }
                ArgumentPlace::Upper(of) => {
                    if let Some(low) = low_half {
                        let both = self.joined_reg(cx, [low, arg]);
                        operands.push(Operand::use_fixed(both, YMM, xmm(of)));
                    }
                }
                ArgumentPlace::Stack(offset) if stored.contains(&offset) => {
                    let to = Amode::new(Base::Outgoing, offset as i32);
                    match passing {
                        Passing::ByVal { size, .. } => self.copy_argument(cx, arg, to, size),
                        _ => self.store_to(cx, to, arg),
                    }
                }
                ArgumentPlace::At(reg) => {
                    let address = self.temp(cx, Type::I64);
                    let mem = self.argument_in_frame(cx, arg, passing);
                    cx.sink.push(Inst::Lea { width: Width::B64, dst: address, mem });
                    operands.push(Operand::use_fixed(address, GPR, reg));
                }
                ArgumentPlace::AtStack(offset) if stored.contains(&offset) => {
                    let mem = self.argument_in_frame(cx, arg, passing);
                    self.store_address(cx, mem, Amode::new(Base::Outgoing, offset as i32));
                }
                ArgumentPlace::Stack(_) | ArgumentPlace::AtStack(_) => {}
            }
        }
        places
    }

    /// Copies an object of `size` bytes to its place among the outgoing arguments. A call of `memcpy` would
    /// need that place itself.
    pub(super) fn copy_argument<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        address: Value,
        to: Amode,
        size: u32,
    ) {
        /// Most bytes that are copied by single moves.
        const MAX_UNROLLED: u32 = 128;
        let from = self.address(cx, address);
        let mut done = 0;
        if size > MAX_UNROLLED {
            let word = self.word();
            let ty = if word == 8 { Type::I64 } else { Type::I32 };
            let [src, dst, count] = [ty; 3].map(|ty| self.temp(cx, ty));
            let width = self.arithmetic_width(ty);
            cx.sink.push(Inst::Lea { width, dst: src, mem: from });
            cx.sink.push(Inst::Lea { width, dst, mem: to });
            cx.sink.push(Inst::MovImm { width: Width::B32, dst: count, imm: (size / word).into() });
            cx.sink.push(Inst::CopyWords { dst, src, count });
            done = size / word * word;
        }
        while done < size {
            let left = size - done;
            let bytes = [16u8, 8, 4, 2, 1].into_iter().find(|&b| u32::from(b) <= left).unwrap_or(1);
            let (from, to) = (from.offset(done as i32), to.offset(done as i32));
            if bytes >= 8 {
                let temp = self.temp(cx, if bytes == 16 { Type::V4I32 } else { Type::F64 });
                cx.sink.push(Inst::LoadXmm { size: bytes, dst: temp, mem: from });
                cx.sink.push(Inst::StoreXmm { size: bytes, src: temp, mem: to });
            } else {
                let (width, ty) = match bytes {
                    4 => (Width::B32, Type::I32),
                    2 => (Width::B16, Type::I16),
                    _ => (Width::B8, Type::I8),
                };
                let temp = self.temp(cx, ty);
                cx.sink.push(Inst::Load { width, dst: temp, mem: from });
                cx.sink.push(Inst::Store { width, src: temp, mem: to });
            }
            done += u32::from(bytes);
        }
    }

    /// A call of a helper outside of the module with arguments in registers.
    pub(super) fn libcall<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        helper: Libcall,
        args: &[(ValueRegs, Type)],
        result: Option<(ValueRegs, Type)>,
    ) {
        let mut places = ArgumentPlaces::new(self.mode, Arity::Fixed);
        let mut operands = Operands::new();
        for &(regs, ty) in args {
            match places.next(ty, Passing::Plain) {
                ArgumentPlace::Register(reg) => {
                    operands.push(Operand::use_fixed(regs.lo(), class_of(ty), reg));
                }
                ArgumentPlace::Stack(offset) => {
                    let mem = Amode::new(Base::Outgoing, offset as i32);
                    for (n, src) in regs.iter().enumerate() {
                        self.store_part(cx, ty, src, mem.offset(4 * n as i32));
                    }
                }
                ArgumentPlace::Pair(..)
                | ArgumentPlace::Split(..)
                | ArgumentPlace::Upper(_)
                | ArgumentPlace::At(_)
                | ArgumentPlace::AtStack(_) => {
                    cx.fault("a helper takes a pair in registers or by its address");
                }
            }
        }
        let callee = self.callee(cx, CodeSymbol::Libcall(helper), &mut operands);
        let call =
            (Inst::Call { callee, mode: self.mode, popped: 0 }, Origin::Elsewhere { wants_clean: true });
        let done = self.finish_call(cx, call, &mut operands, places.stack, ([result, None], None));
        if done.is_err() {
            cx.fault("a helper has a result that has no place");
        }
    }

    fn store_part<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, src: VReg, mem: Amode) {
        cx.sink.push(if ty.is_vector() || ty.is_scalar_float() {
            Inst::StoreXmm { size: ty.bytes() as u8, src, mem }
        } else {
            Inst::Store { width: self.part_width(ty), src, mem }
        });
    }

    fn finish_call<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (call, origin): (Inst, Origin),
        operands: &mut Operands,
        stack: StackArguments,
        (results, signature): ([Option<ResultRegs>; 2], Option<&Signature>),
    ) -> Result<(), ErrorKind> {
        self.note_call(cx, stack);
        // What most calls have.
        let is_clean = self.is_clean(origin);
        if let [result, None] = results
            && result.is_none_or(|(_, ty)| ty == Type::I32 && is_clean)
        {
            operands.extend(result.map(|(regs, _)| Operand::def_fixed(regs.lo(), GPR, RAX)));
            cx.sink.push_with(call, operands);
            return Ok(());
        }
        self.results(cx, (call, origin), operands, (results, signature))
    }

    /// Notes a call with this area of stack arguments, whose callee relies on their alignment.
    pub(super) fn note_call<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, stack: StackArguments) {
        cx.note_call(stack);
        let align_log2 = stack.align().trailing_zeros() as u8;
        if align_log2 > Self::STACK_ALIGN_LOG2 {
            let frame = cx.sink.frame();
            frame.alignment_log2 = frame.alignment_log2.max(align_log2);
        }
    }

    /// Whether the upper half of a result of 32 bits is zero, or there is none, or nobody asks for it.
    fn is_clean(self, origin: Origin) -> bool {
        origin != Origin::Elsewhere { wants_clean: true } || self.mode == Mode::Bits32
    }

    /// Appends `call`, which has or receives these results beside its `operands`, and brings them into their registers.
    pub(super) fn results<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (call, origin): (Inst, Origin),
        operands: &mut Operands,
        (results, signature): ([Option<ResultRegs>; 2], Option<&Signature>),
    ) -> Result<(), ErrorKind> {
        let is_clean = self.is_clean(origin);
        let types = result_types(results, |(_, ty)| ty);
        let places = result_places(self.mode, types, signature).ok_or(NO_ROOM_FOR_RESULT)?;
        let mut narrow = ArrayVec::<(VReg, VReg), 2>::new();
        let mut wide = None;
        if let ([_, ResultPlace::Upper(of)], [low, high]) = (places, results) {
            let both = self.ymm_temp(cx);
            operands.push(Operand::def_fixed(both, YMM, xmm(of)));
            wide = Some((both, [low, high]));
        }
        for (place, result) in places.into_iter().zip(results) {
            let Some((regs, ty)) = result else { continue };
            match place {
                ResultPlace::Register(_) if wide.is_some() => {}
                ResultPlace::Register(reg) if ty == Type::I32 && !is_clean => {
                    let wide = self.temp(cx, Type::I32);
                    operands.push(Operand::def_fixed(wide, GPR, reg));
                    narrow.push((wide, regs.lo()));
                }
                ResultPlace::Register(reg) => {
                    operands.push(Operand::def_fixed(regs.lo(), class_of(ty), reg));
                }
                ResultPlace::Pair(lo, hi) => {
                    operands.push(Operand::def_fixed(regs.lo(), GPR, lo));
                    operands.push(Operand::def_fixed(regs.hi(), GPR, hi));
                }
                ResultPlace::None | ResultPlace::Upper(_) | ResultPlace::Fpu => {}
            }
        }
        if places.contains(&ResultPlace::Fpu) {
            let frame = cx.sink.frame();
            frame.outgoing = frame.outgoing.max(FPU_TRANSFER);
        }
        cx.sink.push_with(call, operands);
        for (src, dst) in narrow {
            cx.sink.push(Inst::ZeroUpper { dst, src });
        }
        if let Some((src, [low, high])) = wide {
            if let Some((low, _)) = low {
                cx.sink.push(Inst::LowerHalf { dst: low.lo(), src });
            }
            if let Some((high, _)) = high {
                cx.sink.push(Inst::UpperHalf { dst: high.lo(), src });
            }
        }
        for (place, result) in places.into_iter().zip(results) {
            let Some((regs, ty)) = result else { continue };
            if place == ResultPlace::Fpu {
                cx.sink.push(Inst::PopFpu { size: ty.bytes() as u8, dst: regs.lo() });
            } else if origin != Origin::Here {
                self.clean_booleans(cx, regs, ty);
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
            let result = Operand::use_fixed(self.regs(cx, word).lo(), GPR, RAX);
            cx.sink.push_with(Inst::Ret, &[result]);
            return Ok(());
        }
        let mut operands = Operands::new();
        let types = result_types(values, |value| cx.func.value_type(value));
        let signature = cx.module.signature(cx.func.id);
        let places = result_places(self.mode, types, Some(signature)).ok_or(NO_ROOM_FOR_RESULT)?;
        let mut on_fpu = ArrayVec::<(VReg, u8), 2>::new();
        if let ([_, ResultPlace::Upper(of)], [Some(low), Some(high)]) = (places, values) {
            let both = self.joined_reg(cx, [low, high]);
            cx.sink.push_with(Inst::Ret, &[Operand::use_fixed(both, YMM, xmm(of))]);
            return Ok(());
        }
        for ((place, value), ty) in places.into_iter().zip(values).zip(types) {
            let Some(value) = value else { continue };
            let regs = self.regs(cx, value);
            match place {
                ResultPlace::None => {}
                ResultPlace::Register(reg) => {
                    operands.push(Operand::use_fixed(regs.lo(), class_of(ty), reg));
                }
                ResultPlace::Pair(lo, hi) => {
                    operands.push(Operand::use_fixed(regs.lo(), GPR, lo));
                    operands.push(Operand::use_fixed(regs.hi(), GPR, hi));
                }
                ResultPlace::Upper(_) => cx.fault("one half is returned"),
                ResultPlace::Fpu => on_fpu.push((regs.lo(), ty.bytes() as u8)),
            }
        }
        if !on_fpu.is_empty() {
            let frame = cx.sink.frame();
            frame.outgoing = frame.outgoing.max(FPU_TRANSFER);
        }
        // The first result goes on top.
        for &(src, size) in on_fpu.iter().rev() {
            cx.sink.push(Inst::PushFpu { size, src });
        }
        if let (None, Some(n)) = (values[0], signature.struct_return()) {
            let address = cx.regs(cx.func.params()[n]).lo();
            operands.push(Operand::use_fixed(address, GPR, RAX));
        }
        cx.sink.push_with(Inst::Ret, &operands);
        Ok(())
    }

    /// Stores the address that a memory operand names.
    pub(super) fn store_address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, of: Amode, to: Amode) {
        let (width, dst) = (self.address_width(), self.temp(cx, self.address_type()));
        cx.sink.push(Inst::Lea { width, dst, mem: of });
        self.store_src(cx, width, Src::Reg(dst), to);
    }
}

/// Whether an argument is the low half of one in a register of 256 bits.
fn is_low_half(ty: Type, passing: Passing) -> bool {
    passing == Passing::PairLow && ty.is_vector()
}

/// Whether a call may lead anywhere.
pub(super) fn is_untracked(signature: Option<&Signature>) -> bool {
    signature.is_some_and(|signature| signature.tracking == Tracking::Untracked)
}

/// The class of a one-register value in a fixed register.
fn class_of(ty: Type) -> ice_codegen::mach::RegClass {
    if ty.is_vector() || ty.is_scalar_float() {
        XMM
    } else if matches!(ty, Type::I1 | Type::I8) {
        BYTE
    } else {
        GPR
    }
}
