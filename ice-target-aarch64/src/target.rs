//! The [`Target`] implementation: ties lowering rules, frame layout and emission together.

use crate::emit::{self, EmitScratch};
use crate::inst::Inst;
use crate::regs::{self, FLOAT, GPR, QUAD};
use alloc::boxed::Box;
use ice_asm::aarch64::Branches;
use ice_asm::{CodeBuffer, Listing};
#[cfg(feature = "assembly")]
use ice_codegen::assembly::AssemblyRules as _;
use ice_codegen::diversity::{Kinds, MachineNoise};
use ice_codegen::frame_layout::FrameLayout;
use ice_codegen::live::Remade;
use ice_codegen::mach::{FrameInfo, MachBlock, MachFunction, Sink, VReg};
use ice_codegen::rules::{Call, Rule};
use ice_codegen::target::TypeLayout;
use ice_codegen::words::{CallRules as _, InvokeRules as _, ParamRules as _};
use ice_codegen::{
    BackEnd, Checks, CodeGenerator, CodeModel, CompiledCode, Constant, ErrorKind, ForeignModule, Generator,
    Lower, NativeModel, Target, UnwindFacts, ValueRegs,
};
use ice_ir::{Addressing, Function, Module, Type, Value};
use ice_regalloc::{Output, PReg, RegisterFile};

/// The back end.
#[derive(Clone, Copy, Debug)]
pub struct Aarch64 {
    /// How addresses are made.
    pub(crate) model: CodeModel,
    /// Indirect branches lead to instructions that say so.
    pub(crate) tracks_branches: bool,
}

/// The context of a lowering rule.
pub(crate) type Cx<'a, S> = Lower<'a, Inst, S>;

impl Aarch64 {
    /// For the functions of `module`. Native programs make addresses as `native` says.
    ///
    /// # Errors
    /// The addresses of the module are not as wide as those of its code would be.
    pub fn new(module: &Module, native: NativeModel) -> Result<Aarch64, ForeignModule> {
        let model = CodeModel::of_module(module, native);
        match (model, module.pointer_type) {
            (CodeModel::Pnacl, Type::I32)
            | (CodeModel::Static | CodeModel::PositionIndependent, Type::I64) => {
                Ok(Aarch64 { model, tracks_branches: module.hardening.tracks_branches })
            }
            (_, pointer) => Err(ForeignModule { pointer }),
        }
    }

    /// Whether addresses are distances from the code.
    pub(crate) const fn is_position_independent(self) -> bool {
        matches!(self.model, CodeModel::PositionIndependent)
    }

    /// Whether the program is an ordinary one of the C world, and its addresses are those of the machine.
    pub(crate) const fn is_native(self) -> bool {
        !matches!(self.model, CodeModel::Pnacl)
    }

    /// The type of an address.
    pub(crate) const fn address_type(self) -> Type {
        if self.is_native() { Type::I64 } else { Type::I32 }
    }
}

/// How values live in registers, by type.
static LAYOUTS: [TypeLayout; Type::ALL.len()] = {
    let mut layouts = [TypeLayout { class: GPR, parts: 1, size: 4 }; Type::ALL.len()];
    let mut n = 0;
    while n < layouts.len() {
        let (class, size) = match Type::ALL[n] {
            Type::Void | Type::I1 | Type::I8 | Type::I16 | Type::I32 => (GPR, 4),
            Type::I64 => (GPR, 8),
            Type::F32 => (FLOAT, 4),
            Type::F64 => (FLOAT, 8),
            _ => (QUAD, 16),
        };
        layouts[n] = TypeLayout { class, parts: 1, size };
        n += 1;
    }
    layouts
};

impl BackEnd for Aarch64 {
    // Not inlined: what it makes is compiled with this crate.
    #[inline(never)]
    fn generator(&self, checks: Checks) -> Box<dyn CodeGenerator> {
        Box::new(Generator::new(*self, checks))
    }
}

/// Instructions that do nothing: `nop`, and moves of registers to themselves.
const NOPS: &[&[u8]] = &[
    &0xd503_201f_u32.to_le_bytes(),
    &0xaa00_03e0_u32.to_le_bytes(),
    &0xaa04_03e4_u32.to_le_bytes(),
    &0xaa10_03f0_u32.to_le_bytes(),
];

impl Target for Aarch64 {
    type Inst = Inst;
    type Branches = Branches;
    type Scratch = EmitScratch;

    const STACK_ALIGN_LOG2: u8 = crate::abi::STACK_ALIGN.trailing_zeros() as u8;

    fn registers(&self, frame: &FrameInfo) -> &'static RegisterFile<'static> {
        regs::FILES.of(frame.convention, frame.pointer())
    }

    fn layouts(&self) -> &'static [TypeLayout; Type::ALL.len()] {
        &LAYOUTS
    }

    fn materialize<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>, value: Value) -> ValueRegs {
        self.materialize_constant(cx, value)
    }

    fn lower_jump<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>, target: MachBlock) {
        cx.sink.push(Inst::Jump { target });
    }

    fn lower_terminator<S: Sink<Inst>>(
        &self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
    ) -> Result<(), ErrorKind> {
        self.lower_control(cx, inst)
    }

    fn lower_params<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>) -> Result<(), ErrorKind> {
        self.lower_incoming(cx)
    }

    fn folds<S: Sink<Inst>>(&self, cx: &Cx<'_, S>, def: ice_ir::Inst, user: ice_ir::Inst) -> bool {
        self.folds_into(cx, def, user)
    }

    fn folds_into_addresses<S: Sink<Inst>>(&self, cx: &Cx<'_, S>, def: ice_ir::Inst) -> bool {
        self.is_in_addresses(cx, def)
    }

    fn falls_into_loops(&self) -> bool {
        true
    }

    fn holds_constants(&self) -> bool {
        true
    }

    fn costly_constants(
        &self,
        _module: &Module,
        func: &Function,
        inst: ice_ir::Inst,
        visit: &mut dyn FnMut(Constant, u32),
    ) {
        self.name_costly_constants(func, inst, visit);
    }

    fn keeps_constants(&self) -> bool {
        true
    }

    fn delays_frames(&self) -> bool {
        true
    }

    fn addressing(&self, pointer: Type) -> Addressing {
        // Additions of 32 bits are no steps: an access adds 64.
        Addressing::BaseOrIndex { steps: pointer == Type::I64 }
    }

    fn complements_operands(&self) -> bool {
        true
    }

    fn moved_types(&self) -> &'static [Type] {
        &[Type::V4I32, Type::I64, Type::I32, Type::I16, Type::I8]
    }

    fn returns_by_call(&self, module: &Module, func: &Function, call: &Call<'_>) -> bool {
        self.is_native() && self.returns_words_by_call(module, func, call)
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
            Rule::PairBinary { .. } => return Err(ErrorKind::Unsupported("a pair of registers")),
            Rule::FloatBinary { op, args, result } => self.float_binary(cx, op, args, result),
            Rule::IntCast { op, arg, result } => self.int_cast(cx, op, arg, result),
            Rule::FloatCast { op, arg, result } => self.float_cast(cx, op, arg, result),
            Rule::Compare { result } => self.compare_value(cx, inst, result),
            Rule::Select { cond, values, result } => self.select(cx, cond, values, result),
            Rule::Vector(rule) => self.vector(cx, inst, rule)?,
            Rule::Intrinsic { op, args } => self.intrinsic(cx, inst, op, args)?,
            Rule::DynamicAlloca { size, align_log2, result } => self.alloca(cx, size, align_log2, result)?,
            Rule::Load { address, result, .. } => self.load(cx, address, result),
            Rule::Store { address, value, .. } => self.store(cx, address, value),
            Rule::Call => self.call(cx, inst)?,
            #[cfg(not(feature = "assembly"))]
            Rule::Assembly { .. } | Rule::AssemblyReceived { .. } => {
                return Err(ErrorKind::Unsupported("inline assembly"));
            }
            #[cfg(feature = "assembly")]
            Rule::Assembly { assembly, args } => self.assembly(cx, inst, assembly, args)?,
            #[cfg(feature = "assembly")]
            Rule::AssemblyReceived { before } => self.assembly_received(cx, before, inst)?,
            Rule::BlockAddress { symbol, result } => {
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::MovSymbol { dst, symbol, addend: 0 });
            }
            Rule::InvokeResult => self.invoke_result(cx, inst)?,
            Rule::LandingPad { exception, selector } => self.landing_pad(cx, exception, selector),
            Rule::Misplaced => return Err(ErrorKind::Unsupported("a terminator inside a block")),
        }
        Ok(())
    }

    fn noise(&self, _: Kinds) -> MachineNoise {
        MachineNoise { nops: NOPS, vary: None }
    }

    fn emit<L: Listing>(
        &self,
        mach: &MachFunction<Inst>,
        allocation: &Output,
        scratch: &mut EmitScratch,
        buffer: &mut CodeBuffer<L, Branches>,
        out: &mut CompiledCode,
    ) -> Result<(), ErrorKind> {
        emit::emit_function(*self, mach, allocation, scratch, buffer, out)
    }

    fn describe_frame(&self, scratch: &EmitScratch, facts: &mut UnwindFacts) {
        scratch.frame.describe(facts);
    }

    fn frame_layout<'s>(&self, scratch: &'s EmitScratch) -> &'s FrameLayout {
        &scratch.frame.layout
    }

    fn remade(&self, inst: &Inst) -> Option<Remade> {
        match *inst {
            Inst::MovImm { imm, .. } => Some(Remade::Constant(imm as i64)),
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
