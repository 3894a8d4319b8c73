//! The [`Target`] implementation: ties lowering rules, frame layout and emission together.

use crate::emit;
use crate::inst::Inst;
use crate::regs::{self, DOUBLE, GPR, QUAD, SINGLE};
use alloc::boxed::Box;
use ice_asm::arm32::Branches;
use ice_asm::{CodeBuffer, Listing};
#[cfg(feature = "assembly")]
use ice_codegen::assembly::AssemblyRules as _;
use ice_codegen::diversity::{Kinds, MachineNoise};
use ice_codegen::frame_layout::FrameLayout;
use ice_codegen::live::Remade;
use ice_codegen::mach::{FrameInfo, MachBlock, MachFunction, Sink, VReg};
use ice_codegen::rules::{Call, Rule};
use ice_codegen::target::TypeLayout;
use ice_codegen::words::{CallRules as _, InvokeRules as _, PairRules as _, ParamRules as _};
use ice_codegen::{
    BackEnd, Checks, CodeGenerator, CodeModel, CompiledCode, Confinement, ErrorKind, ForeignModule,
    Generator, Lower, NativeModel, Target, UnwindFacts, ValueRegs,
};
use ice_ir::{Addressing, Function, Module, Type, Value};
use ice_regalloc::{Output, PReg, RegisterFile};

/// How 32-bit integers are divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Division {
    /// By `sdiv` and `udiv`, which ARMv7-A has as an extension.
    Hardware,
    /// By the helpers of the run-time ABI (`__aeabi_idiv` and its like).
    Helper,
}

/// Where floating-point numbers and vectors travel between functions (AAPCS, IHI 0042F, 1.1). VFP and Advanced
/// SIMD compute with them in any case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatAbi {
    /// In extension registers: the variant of `gnueabihf`.
    Hard,
    /// In core registers: the base standard, that of `gnueabi`.
    Soft,
}

/// The back end.
#[derive(Clone, Copy, Debug)]
pub struct Arm32 {
    /// How 32-bit integers are divided.
    pub(crate) division: Division,
    /// Where floating-point numbers travel.
    pub(crate) floats: FloatAbi,
    /// How addresses are made.
    pub(crate) model: CodeModel,
    /// What holds of code whatever it computes.
    pub(crate) confinement: Confinement,
}

/// The context of a lowering rule.
pub(crate) type Cx<'a, S> = Lower<'a, Inst, S>;

impl Arm32 {
    /// For the functions of `module`, on ARMv7-A processors with NEON. Native programs make addresses as `native`
    /// says.
    ///
    /// # Errors
    /// The addresses of the module are not as wide as those of its code would be.
    pub fn new(
        division: Division,
        floats: FloatAbi,
        module: &Module,
        native: NativeModel,
    ) -> Result<Arm32, ForeignModule> {
        match module.pointer_type {
            Type::I32 => {
                let model = CodeModel::of_module(module, native);
                Ok(Arm32 { division, floats, model, confinement: Confinement::None })
            }
            pointer => Err(ForeignModule { pointer }),
        }
    }

    /// The same with code of which this holds. Only PNaCl programs can be confined.
    #[must_use]
    pub const fn confined(self, confinement: Confinement) -> Arm32 {
        Arm32 { confinement, ..self }
    }

    /// Whether addresses are distances from the code.
    pub(crate) const fn is_position_independent(self) -> bool {
        matches!(self.model, CodeModel::PositionIndependent)
    }

    /// Whether the program is an ordinary one of the C world.
    pub(crate) const fn is_native(self) -> bool {
        !matches!(self.model, CodeModel::Pnacl)
    }
}

/// How values live in registers, by type.
static LAYOUTS: [TypeLayout; Type::ALL.len()] = {
    let mut layouts = [TypeLayout { class: GPR, parts: 1, size: 4 }; Type::ALL.len()];
    let mut n = 0;
    while n < layouts.len() {
        let (class, parts, size) = match Type::ALL[n] {
            Type::Void | Type::I1 | Type::I8 | Type::I16 | Type::I32 => (GPR, 1, 4),
            Type::I64 => (GPR, 2, 4),
            Type::F32 => (SINGLE, 1, 4),
            Type::F64 => (DOUBLE, 1, 8),
            _ => (QUAD, 1, 16),
        };
        layouts[n] = TypeLayout { class, parts, size };
        n += 1;
    }
    layouts
};

impl BackEnd for Arm32 {
    // Not inlined: what it makes is compiled with this crate.
    #[inline(never)]
    fn generator(&self, checks: Checks) -> Box<dyn CodeGenerator> {
        Box::new(Generator::new(*self, checks))
    }
}

/// Instructions that do nothing: `nop`, and moves of registers to themselves.
const NOPS: &[&[u8]] = &[
    &0xe320_f000_u32.to_le_bytes(),
    &0xe1a0_0000_u32.to_le_bytes(),
    &0xe1a0_4004_u32.to_le_bytes(),
    &0xe1a0_c00c_u32.to_le_bytes(),
    &0xe1a0_d00d_u32.to_le_bytes(),
];

/// Those of confined code, in which a move to the stack pointer has a mask behind it.
const NOPS_CONFINED: &[&[u8]] = NOPS.split_last().expect("there is one").1;

impl Target for Arm32 {
    type Inst = Inst;
    type Branches = Branches;
    type Scratch = emit::EmitScratch;

    const STACK_ALIGN_LOG2: u8 = crate::abi::STACK_ALIGN.trailing_zeros() as u8;

    fn registers(&self, frame: &FrameInfo) -> &'static RegisterFile<'static> {
        let files = if self.is_confined() { &regs::FILES_CONFINED } else { &regs::FILES };
        files.of(frame.convention, frame.pointer())
    }

    fn layouts(&self) -> &'static [TypeLayout; Type::ALL.len()] {
        &LAYOUTS
    }

    fn lower_params<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>) -> Result<(), ErrorKind> {
        self.lower_incoming(cx)
    }

    fn folds<S: Sink<Inst>>(&self, cx: &Cx<'_, S>, def: ice_ir::Inst, user: ice_ir::Inst) -> bool {
        self.folds_into(cx, def, user)
    }

    fn folds_into_addresses<S: Sink<Inst>>(&self, cx: &Cx<'_, S>, def: ice_ir::Inst) -> bool {
        Arm32::folds_into_addresses(*self, cx, def)
    }

    fn holds_constants(&self) -> bool {
        true
    }

    fn keeps_constants(&self) -> bool {
        true
    }

    fn costly_constants(
        &self,
        _module: &Module,
        func: &Function,
        inst: ice_ir::Inst,
        visit: &mut dyn FnMut(ice_codegen::Constant, u32),
    ) {
        self.name_costly_constants(func, inst, visit);
    }

    fn delays_frames(&self) -> bool {
        !self.is_confined()
    }

    fn addressing(&self, _pointer: Type) -> Addressing {
        Addressing::BaseOrIndex { steps: true }
    }

    fn complements_operands(&self) -> bool {
        true
    }

    fn moved_types(&self) -> &'static [Type] {
        &[Type::V4I32, Type::I32, Type::I16, Type::I8]
    }

    fn returns_by_call(&self, module: &Module, func: &Function, call: &Call<'_>) -> bool {
        self.is_native() && self.returns_words_by_call(module, func, call)
    }

    fn held_constant<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>, value: Value) -> Option<VReg> {
        self.register_held(cx, value)
    }

    fn hold<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>, constant: ice_codegen::Constant, reg: VReg) {
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
            Rule::DynamicAlloca { size, align_log2, result } => self.alloca(cx, size, align_log2, result)?,
            Rule::Load { address, align_log2, result } => self.load(cx, address, align_log2, result),
            Rule::Store { address, value, align_log2 } => self.store(cx, address, align_log2, value),
            Rule::Call => self.call(cx, inst)?,
            Rule::BlockAddress { symbol, result } => {
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::MovSymbol { dst, symbol, addend: 0 });
            }
            Rule::Intrinsic { op, args } => self.intrinsic(cx, inst, op, args)?,
            Rule::Vector(rule) => self.vector(cx, inst, rule)?,
            #[cfg(not(feature = "assembly"))]
            Rule::Assembly { .. } | Rule::AssemblyReceived { .. } => {
                return Err(ErrorKind::Unsupported("inline assembly"));
            }
            #[cfg(feature = "assembly")]
            Rule::Assembly { assembly, args } => self.assembly(cx, inst, assembly, args)?,
            #[cfg(feature = "assembly")]
            Rule::AssemblyReceived { before } => self.assembly_received(cx, before, inst)?,
            Rule::InvokeResult => self.invoke_result(cx, inst)?,
            Rule::LandingPad { exception, selector } => self.landing_pad(cx, exception, selector),
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
        cx.sink.push(Inst::Jump { target });
    }

    fn materialize<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>, value: Value) -> ValueRegs {
        self.materialize_constant(cx, value)
    }

    fn noise(&self, _: Kinds) -> MachineNoise {
        MachineNoise { nops: if self.is_confined() { NOPS_CONFINED } else { NOPS }, vary: None }
    }

    /// Assemblers make `.debug_frame` of them; what unwinds reads another form.
    const HAS_FRAME_DIRECTIVES: bool = false;

    fn emit<L: Listing>(
        &self,
        mach: &MachFunction<Inst>,
        allocation: &Output,
        scratch: &mut emit::EmitScratch,
        buffer: &mut CodeBuffer<L, Branches>,
        out: &mut CompiledCode,
    ) -> Result<(), ErrorKind> {
        emit::emit_function(*self, mach, allocation, scratch, buffer, out)
    }

    fn describe_frame(&self, scratch: &emit::EmitScratch, facts: &mut UnwindFacts) {
        scratch.frame.describe(facts);
    }

    fn frame_layout<'s>(&self, scratch: &'s emit::EmitScratch) -> &'s FrameLayout {
        &scratch.frame.layout
    }

    fn remade(&self, inst: &Inst) -> Option<Remade> {
        match *inst {
            Inst::MovImm { imm, .. } => Some(Remade::Constant(imm.into())),
            Inst::Load { mem, .. } | Inst::LoadFloat { mem, .. } if mem.is_argument() => {
                Some(Remade::Argument(mem.disp))
            }
            _ => None,
        }
    }

    fn dwarf_number(&self, reg: PReg) -> Option<u16> {
        crate::abi::dwarf_register(reg)
    }
}
