//! The [`Target`] implementation: ties lowering rules, frame layout and emission together.

use crate::emit;
use crate::inst::{Base, Inst};
use crate::regs::{self, BYTE, GPR, XMM, YMM};
use crate::secret;
use alloc::boxed::Box;
use ice_asm::x86::{Mode, Variation, Width};
use ice_asm::{CodeBuffer, Listing};
#[cfg(feature = "assembly")]
use ice_codegen::assembly::AssemblyRules as _;
use ice_codegen::diversity::{Kind, Kinds, MachineNoise, Secrets};
use ice_codegen::frame_layout::FrameLayout;
use ice_codegen::live::Remade;
use ice_codegen::mach::{FrameInfo, MachBlock, MachFunction, Sink, VReg};
use ice_codegen::rules::{Call, Rule};
use ice_codegen::target::TypeLayout;
use ice_codegen::{
    BackEnd, Checks, CodeGenerator, CodeModel, CompiledCode, Confinement, Constant, ErrorKind, ForeignModule,
    Generator, Lower, NativeModel, Target, UnwindFacts, ValueRegs,
};
use ice_ir::{Addressing, Function, Module, Type, Value};
use ice_regalloc::{Output, PReg, RegisterFile};

/// The back end in one of its modes.
#[derive(Clone, Copy, Debug)]
pub struct X86 {
    /// Instruction set.
    pub(crate) mode: Mode,
    /// How addresses are made.
    pub(crate) model: CodeModel,
    /// What holds of the code.
    pub(crate) confinement: Confinement,
    /// Indirect branches may lead only to instructions that say so.
    pub(crate) tracks_branches: bool,
}

/// The context of a lowering rule.
pub(crate) type Cx<'a, S> = Lower<'a, Inst, S>;

impl X86 {
    /// For the functions of `module`: x86-32 with SSE2, or x86-64. Native programs make addresses as `native` says.
    ///
    /// # Errors
    /// The addresses of the module are not as wide as those of its code would be.
    pub fn new(mode: Mode, module: &Module, native: NativeModel) -> Result<X86, ForeignModule> {
        let model = CodeModel::of_module(module, native);
        let tracks_branches = module.hardening.tracks_branches;
        let target = X86 { mode, model, confinement: Confinement::None, tracks_branches };
        match target.address_type() == module.pointer_type {
            true => Ok(target),
            false => Err(ForeignModule { pointer: module.pointer_type }),
        }
    }

    /// The same with code of which this holds. Only PNaCl programs can be confined.
    #[must_use]
    pub const fn confined(self, confinement: Confinement) -> X86 {
        X86 { confinement, ..self }
    }

    /// Whether 64-bit integers are pairs of registers.
    pub(crate) const fn has_pairs(self) -> bool {
        matches!(self.mode, Mode::Bits32)
    }

    /// Whether addresses have 64 bits.
    pub(crate) const fn has_wide_addresses(self) -> bool {
        matches!(self.mode, Mode::Bits64) && !matches!(self.model, CodeModel::Pnacl)
    }

    /// The integer type of an address.
    pub const fn address_type(self) -> Type {
        if self.has_wide_addresses() { Type::I64 } else { Type::I32 }
    }

    /// The width of address arithmetic.
    pub(crate) const fn address_width(self) -> Width {
        if self.has_wide_addresses() { Width::B64 } else { Width::B32 }
    }

    /// Bytes of a register: of a saved one, of a return address.
    pub(crate) const fn word(self) -> u32 {
        match self.mode {
            Mode::Bits32 => 4,
            Mode::Bits64 => 8,
        }
    }

    /// Whether the program is an ordinary one of the C world.
    pub(crate) const fn is_native(self) -> bool {
        !matches!(self.model, CodeModel::Pnacl)
    }

    /// Whether global addresses hang off a register ([`FrameInfo::global_base`]).
    pub(crate) const fn needs_global_base(self) -> bool {
        matches!((self.mode, self.model), (Mode::Bits32, CodeModel::PositionIndependent))
    }

    /// The width at which values of a scalar integer type are stored and compared.
    pub(crate) const fn width(self, ty: Type) -> Width {
        match ty {
            Type::I1 | Type::I8 => Width::B8,
            Type::I16 => Width::B16,
            Type::I64 => Width::B64,
            _ => Width::B32,
        }
    }

    /// The width of arithmetic whose upper bits do not matter: never below 32.
    pub(crate) const fn arithmetic_width(self, ty: Type) -> Width {
        match ty {
            Type::I64 => Width::B64,
            _ => Width::B32,
        }
    }
}

/// How values live in registers, by type.
const fn layouts(mode: Mode) -> [TypeLayout; Type::ALL.len()] {
    let mut layouts = [TypeLayout { class: GPR, parts: 1, size: 4 }; Type::ALL.len()];
    let mut n = 0;
    while n < layouts.len() {
        let (class, parts, size) = match Type::ALL[n] {
            Type::I1 | Type::I8 => (BYTE, 1, 4),
            Type::Void | Type::I16 | Type::I32 => (GPR, 1, 4),
            Type::I64 if matches!(mode, Mode::Bits32) => (GPR, 2, 4),
            Type::I64 => (GPR, 1, 8),
            Type::F32 => (XMM, 1, 4),
            Type::F64 => (XMM, 1, 8),
            ty if ty.is_wide() => (YMM, 1, 32),
            _ => (XMM, 1, 16),
        };
        layouts[n] = TypeLayout { class, parts, size };
        n += 1;
    }
    layouts
}

impl BackEnd for X86 {
    // Not inlined: what it makes is compiled with this crate.
    #[inline(never)]
    fn generator(&self, checks: Checks) -> Box<dyn CodeGenerator> {
        Box::new(Generator::new(*self, checks))
    }
}

impl Target for X86 {
    type Inst = Inst;
    type Branches = ice_asm::x86::Branches;
    type Scratch = emit::EmitScratch;

    const STACK_ALIGN_LOG2: u8 = 4;
    const HAS_ATOMIC_ADDRESSES: bool = true;

    fn registers(&self, frame: &FrameInfo) -> &'static RegisterFile<'static> {
        match self.confines_memory() {
            true => regs::confined_file(),
            false => regs::files(self.mode).of(frame.convention, frame.pointer()),
        }
    }

    fn layouts(&self) -> &'static [TypeLayout; Type::ALL.len()] {
        static BITS_32: [TypeLayout; Type::ALL.len()] = layouts(Mode::Bits32);
        static BITS_64: [TypeLayout; Type::ALL.len()] = layouts(Mode::Bits64);
        match self.mode {
            Mode::Bits32 => &BITS_32,
            Mode::Bits64 => &BITS_64,
        }
    }

    fn has_wide_registers(&self) -> bool {
        self.is_native()
    }

    fn lower_params<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>) -> Result<(), ErrorKind> {
        self.lower_incoming(cx)
    }

    fn folds<S: Sink<Inst>>(&self, cx: &Cx<'_, S>, def: ice_ir::Inst, user: ice_ir::Inst) -> bool {
        self.folds_into(cx, def, user)
    }

    fn folds_into_addresses<S: Sink<Inst>>(&self, cx: &Cx<'_, S>, def: ice_ir::Inst) -> bool {
        X86::folds_into_addresses(*self, cx, def)
    }

    fn folds_into_store_and_test<S: Sink<Inst>>(&self, cx: &Cx<'_, S>, def: ice_ir::Inst) -> bool {
        self.tested_store(cx, def).is_some()
    }

    fn returns_by_call(&self, module: &Module, func: &Function, call: &Call<'_>) -> bool {
        self.call_returns(module, func, call)
    }

    fn addressing(&self, _pointer: Type) -> Addressing {
        Addressing::BaseAndIndex
    }

    fn moved_types(&self) -> &'static [Type] {
        match self.mode {
            Mode::Bits32 => &[Type::V4I32, Type::F64, Type::I32, Type::I16, Type::I8],
            Mode::Bits64 => &[Type::V4I32, Type::I64, Type::I32, Type::I16, Type::I8],
        }
    }

    fn checks_types(&self) -> bool {
        self.has_wide_addresses()
    }

    fn falls_into_loops(&self) -> bool {
        true
    }

    /// Validators take no `bt` whose bit a register names.
    fn tests_bits(&self) -> bool {
        !self.is_confined()
    }

    fn delays_frames(&self) -> bool {
        !self.is_confined()
    }

    fn holds_constants(&self) -> bool {
        X86::holds_constants(*self)
    }

    fn costly_constants(
        &self,
        module: &Module,
        func: &Function,
        inst: ice_ir::Inst,
        visit: &mut dyn FnMut(Constant, u32),
    ) {
        self.name_costly_constants(module, func, inst, visit);
    }

    fn held_constant<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>, value: Value) -> Option<VReg> {
        self.register_held(cx, value)
    }

    fn hold<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>, constant: Constant, reg: VReg) {
        self.make_held(cx, constant, reg);
    }

    fn lower<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst) -> Result<(), ErrorKind> {
        match cx.rule::<Self>(inst) {
            Rule::Done => {}
            Rule::IntBinary { op, args, result } => self.int_binary(cx, op, args, result),
            Rule::PairBinary { op, args, result } => self.pair_binary(cx, op, args, result),
            Rule::FloatBinary { op, args, result } => self.float_binary(cx, op, args, result),
            Rule::IntCast { op, arg, result } => self.int_cast(cx, op, arg, result),
            Rule::FloatCast { op, arg, result } => self.float_cast(cx, op, arg, result),
            Rule::Compare { result } => self.compare_value(cx, inst, result),
            Rule::Select { cond, values, result } => self.select(cx, cond, values, result),
            Rule::DynamicAlloca { size, align_log2, result } => self.alloca(cx, size, align_log2, result),
            Rule::Load { address, result, .. } => self.load(cx, address, result),
            Rule::Store { address, value, .. } => self.store(cx, inst, address, value),
            Rule::Call => self.call(cx, inst)?,
            Rule::InvokeResult => self.invoke_result(cx, inst)?,
            Rule::LandingPad { exception, selector } => self.landing_pad(cx, exception, selector),
            Rule::BlockAddress { symbol, result } => {
                let dst = cx.regs(result).lo();
                self.own_address(cx, symbol, dst);
            }
            Rule::Intrinsic { op, args } => self.intrinsic(cx, inst, op, args)?,
            Rule::Vector(rule) => self.vector(cx, rule)?,
            #[cfg(not(feature = "assembly"))]
            Rule::Assembly { .. } | Rule::AssemblyReceived { .. } => {
                return Err(ErrorKind::Unsupported("inline assembly"));
            }
            #[cfg(feature = "assembly")]
            Rule::AssemblyReceived { before } => self.assembly_received(cx, before, inst)?,
            #[cfg(feature = "assembly")]
            Rule::Assembly { assembly, args } => {
                let is_named =
                    cx.sink.frame().has_wide_registers && self.named_instruction(cx, inst, assembly, args);
                if !is_named {
                    self.assembly(cx, inst, assembly, args)?;
                }
            }
            Rule::Misplaced => return Err(ErrorKind::Unsupported("a terminator inside a block")),
        }
        Ok(())
    }

    fn lower_terminator<S: Sink<Inst>>(
        &self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
    ) -> Result<(), ErrorKind> {
        self.lower_control(cx, inst)
    }

    fn lower_jump<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>, target: MachBlock) {
        cx.sink.push(Inst::Jmp { target });
    }

    fn materialize<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>, value: Value) -> ValueRegs {
        self.materialize_constant(cx, value)
    }

    fn noise(&self, wanted: Kinds) -> MachineNoise {
        let nops = match self.mode {
            Mode::Bits32 => emit::NOPS_32,
            Mode::Bits64 if self.is_confined() => emit::NOPS_CONFINED,
            Mode::Bits64 => emit::NOPS_64,
        };
        let (encodings, selection) = (wanted.has(Kind::Encodings), wanted.has(Kind::Selection));
        MachineNoise { nops, vary: Variation { encodings, selection }.of_mode(self.mode) }
    }

    fn hide_numbers(
        &self,
        secrets: Option<Secrets>,
        from: &mut MachFunction<Inst>,
        to: &mut MachFunction<Inst>,
        scratch: &mut emit::EmitScratch,
    ) -> Result<bool, ErrorKind> {
        scratch.cookie = secrets.map(|secrets| secrets.cookie);
        let Some(secrets) = secrets else { return Ok(false) };
        secret::hide(secrets, !self.needs_global_base(), from, to)?;
        Ok(true)
    }

    fn emit<L: Listing>(
        &self,
        mach: &MachFunction<Inst>,
        allocation: &Output,
        scratch: &mut emit::EmitScratch,
        buffer: &mut CodeBuffer<L>,
        out: &mut CompiledCode,
    ) -> Result<(), ErrorKind> {
        emit::emit_function(*self, mach, allocation, scratch, buffer, out)
    }

    fn describe_frame(&self, scratch: &emit::EmitScratch, facts: &mut UnwindFacts) {
        scratch.frame.describe(self.mode, facts);
    }

    fn frame_layout<'s>(&self, scratch: &'s emit::EmitScratch) -> &'s FrameLayout {
        &scratch.frame.layout
    }

    fn remade(&self, inst: &Inst) -> Option<Remade> {
        match *inst {
            Inst::MovImm { imm, .. } => Some(Remade::Constant(imm)),
            Inst::Load { mem, .. } | Inst::LoadXmm { mem, .. }
                if mem.base == Base::Incoming && mem.is_constant() =>
            {
                Some(Remade::Argument(mem.disp))
            }
            _ => None,
        }
    }

    fn dwarf_number(&self, reg: PReg) -> Option<u16> {
        crate::frame::dwarf_register(self.mode, reg)
    }
}
