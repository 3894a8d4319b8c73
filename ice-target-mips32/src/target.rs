//! The [`Target`] implementation: ties lowering rules, frame layout and emission together.

use crate::emit::{self, EmitScratch};
use crate::inst::Inst;
use crate::regs::{self, DOUBLE, GPR, SINGLE};
use alloc::boxed::Box;
use ice_asm::mips32::Branches;
use ice_asm::{CodeBuffer, Listing};
#[cfg(feature = "assembly")]
use ice_codegen::assembly::AssemblyRules as _;
use ice_codegen::diversity::{Kinds, MachineNoise};
use ice_codegen::frame_layout::FrameLayout;
use ice_codegen::live::Remade;
use ice_codegen::mach::{FrameInfo, MachBlock, MachFunction, Sink, VReg};
use ice_codegen::rules::{Call, Rule};
use ice_codegen::target::TypeLayout;
use ice_codegen::words::{
    CallRules as _, InvokeRules as _, PairRules as _, ParamRules as _, WordVectors as _,
};
use ice_codegen::{
    BackEnd, Checks, CodeGenerator, CodeModel, CompiledCode, Confinement, Constant, ErrorKind, ForeignModule,
    Generator, Lower, NativeModel, Target, UnwindFacts, ValueRegs,
};
use ice_ir::{Addressing, Function, Module, Type, Value};
use ice_regalloc::{Output, PReg, RegisterFile};

/// The back end.
#[derive(Clone, Copy, Debug)]
pub struct Mips32 {
    /// How addresses are made.
    pub(crate) model: CodeModel,
    /// What holds of code whatever it computes.
    pub(crate) confinement: Confinement,
}

/// The context of a lowering rule.
pub(crate) type Cx<'a, S> = Lower<'a, Inst, S>;

impl Mips32 {
    /// For the functions of `module`. Native programs make addresses as `native` says.
    ///
    /// # Errors
    /// The addresses of the module are not as wide as those of its code would be.
    pub fn new(module: &Module, native: NativeModel) -> Result<Mips32, ForeignModule> {
        match module.pointer_type {
            Type::I32 => {
                Ok(Mips32 { model: CodeModel::of_module(module, native), confinement: Confinement::None })
            }
            pointer => Err(ForeignModule { pointer }),
        }
    }

    /// The same with code of which this holds. Only PNaCl programs can be confined.
    #[must_use]
    pub const fn confined(self, confinement: Confinement) -> Mips32 {
        Mips32 { confinement, ..self }
    }

    /// Whether addresses come from the linker's table.
    pub(crate) const fn is_position_independent(self) -> bool {
        matches!(self.model, CodeModel::PositionIndependent)
    }

    /// Whether the program is an ordinary one of the C world.
    pub(crate) const fn is_native(self) -> bool {
        !matches!(self.model, CodeModel::Pnacl)
    }
}

const WORD: TypeLayout = TypeLayout { class: GPR, parts: 1, size: 4 };

/// How values live in registers, by type.
static LAYOUTS: [TypeLayout; Type::ALL.len()] = {
    let mut layouts = [WORD; Type::ALL.len()];
    let mut n = 0;
    while n < layouts.len() {
        let ty = Type::ALL[n];
        layouts[n] = match ty {
            Type::I64 => TypeLayout { parts: 2, ..WORD },
            Type::F32 => TypeLayout { class: SINGLE, ..WORD },
            Type::F64 => TypeLayout { class: DOUBLE, parts: 1, size: 8 },
            _ if ty.is_vector() => TypeLayout { parts: 4, ..WORD },
            _ => WORD,
        };
        n += 1;
    }
    layouts
};

impl BackEnd for Mips32 {
    // Not inlined: what it makes is compiled with this crate.
    #[inline(never)]
    fn generator(&self, checks: Checks) -> Box<dyn CodeGenerator> {
        Box::new(Generator::new(*self, checks))
    }
}

/// Instructions that do nothing: `nop`, and moves of registers to themselves.
const NOPS: &[&[u8]] = &[
    &0_u32.to_le_bytes(),
    &0x0040_1025_u32.to_le_bytes(),
    &0x0080_2025_u32.to_le_bytes(),
    &0x0200_8025_u32.to_le_bytes(),
    &0x0320_c825_u32.to_le_bytes(),
];

impl Target for Mips32 {
    type Inst = Inst;
    type Branches = Branches;
    type Scratch = EmitScratch;

    const STACK_ALIGN_LOG2: u8 = crate::abi::STACK_ALIGN.trailing_zeros() as u8;
    fn holds_constants(&self) -> bool {
        true
    }

    fn layouts(&self) -> &'static [TypeLayout; Type::ALL.len()] {
        &LAYOUTS
    }

    fn registers(&self, frame: &FrameInfo) -> &'static RegisterFile<'static> {
        let files = if self.is_confined() { &regs::FILES_CONFINED } else { &regs::FILES };
        files.of(frame.convention, frame.pointer())
    }

    fn folds<S: Sink<Inst>>(&self, cx: &Cx<'_, S>, def: ice_ir::Inst, user: ice_ir::Inst) -> bool {
        self.folds_into(cx, def, user)
    }

    fn folds_into_addresses<S: Sink<Inst>>(&self, cx: &Cx<'_, S>, def: ice_ir::Inst) -> bool {
        self.is_in_addresses(cx, def)
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

    fn hold<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>, constant: Constant, reg: VReg) {
        self.make_held(cx, constant, reg);
    }

    fn keeps_constants(&self) -> bool {
        true
    }

    fn delays_frames(&self) -> bool {
        !self.is_confined()
    }

    fn addressing(&self, _pointer: Type) -> Addressing {
        Addressing::Base
    }

    fn returns_by_call(&self, module: &Module, func: &Function, call: &Call<'_>) -> bool {
        self.is_native() && self.returns_words_by_call(module, func, call)
    }

    fn held_constant<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>, value: Value) -> Option<VReg> {
        self.register_held(cx, value)
    }

    fn materialize<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>, value: Value) -> ValueRegs {
        self.materialize_constant(cx, value)
    }

    fn lower_params<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>) -> Result<(), ErrorKind> {
        self.lower_incoming(cx)
    }

    fn lower<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst) -> Result<(), ErrorKind> {
        match cx.rule::<Self>(inst) {
            Rule::Done => {}
            Rule::IntBinary { op, args, result } => self.int_binary(cx, op, args, result),
            Rule::IntCast { op, arg, result } => self.int_cast(cx, op, arg, result),
            Rule::PairBinary { op, args, result } => self.pair_binary(cx, op, args, result),
            Rule::Load { address, align_log2, result } => self.load(cx, address, align_log2, result),
            Rule::Store { address, value, align_log2 } => self.store(cx, address, align_log2, value),
            Rule::Compare { result } => self.compare_value(cx, inst, result),
            Rule::Select { cond, values, result } => self.select(cx, cond, values, result),
            Rule::FloatBinary { op, args, result } => self.float_binary(cx, op, args, result),
            Rule::FloatCast { op, arg, result } => self.float_cast(cx, op, arg, result),
            Rule::Vector(rule) => return self.vector(cx, inst, rule),
            Rule::Call => return self.call(cx, inst),
            Rule::Intrinsic { op, args } => return self.intrinsic(cx, inst, op, args),
            Rule::DynamicAlloca { size, align_log2, result } => {
                return self.alloca(cx, size, align_log2, result);
            }
            #[cfg(not(feature = "assembly"))]
            Rule::Assembly { .. } | Rule::AssemblyReceived { .. } => {
                return Err(ErrorKind::Unsupported("inline assembly"));
            }
            #[cfg(feature = "assembly")]
            Rule::AssemblyReceived { before } => self.assembly_received(cx, before, inst)?,
            #[cfg(feature = "assembly")]
            Rule::Assembly { assembly, args } => self.assembly(cx, inst, assembly, args)?,
            Rule::BlockAddress { symbol, result } => {
                let dst = cx.regs(result).lo();
                self.symbol_address(cx, ice_codegen::CodeSymbol::unpack(symbol), dst);
            }
            Rule::InvokeResult => self.invoke_result(cx, inst)?,
            Rule::LandingPad { exception, selector } => self.landing_pad(cx, exception, selector),
            Rule::Misplaced => return Err(ErrorKind::Unsupported("a terminator inside a block")),
        }
        Ok(())
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

    fn remade(&self, inst: &Inst) -> Option<Remade> {
        match *inst {
            Inst::MovImm { imm, .. } => Some(Remade::Constant(imm.into())),
            Inst::Load { mem, .. } | Inst::LoadFloat { mem, .. } if mem.is_argument() => {
                Some(Remade::Argument(mem.disp))
            }
            _ => None,
        }
    }

    fn noise(&self, _: Kinds) -> MachineNoise {
        MachineNoise { nops: NOPS, vary: None }
    }

    fn describe_frame(&self, scratch: &EmitScratch, facts: &mut UnwindFacts) {
        scratch.frame.describe(facts);
    }

    fn frame_layout<'s>(&self, scratch: &'s EmitScratch) -> &'s FrameLayout {
        &scratch.frame.layout
    }

    fn dwarf_number(&self, reg: PReg) -> Option<u16> {
        crate::abi::dwarf_register(reg)
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
}
