//! The [`Target`] implementation: ties lowering rules, frame layout and emission together.

use crate::inst::Inst;
use crate::regs::{self, BYTE, FramePointer, GPR, XMM};
use crate::{emit, lower};
use ice_asm::x86::{Mode, Width};
use ice_asm::{CodeBuffer, Listing};
use ice_ir::mach::{FrameInfo, MachBlock, MachFunction, Sink};
use ice_ir::{Function, Type, Value};
use ice_passes::lower::PlannedSwitch;
use ice_passes::target::TypeLayout;
use ice_passes::{CompiledFunction, ErrorKind, Lower, Target};
use ice_regalloc::{Output, RegisterFile};

/// The back end in one of its modes.
#[derive(Clone, Copy, Debug)]
pub struct X86 {
    /// Instruction set.
    pub mode: Mode,
}

/// The context of a lowering rule.
pub(crate) type Cx<'a, S> = Lower<'a, Inst, S>;

impl X86 {
    /// x86-32 with SSE2.
    pub const fn new_32() -> X86 {
        X86 { mode: Mode::Bits32 }
    }

    /// x86-64.
    pub const fn new_64() -> X86 {
        X86 { mode: Mode::Bits64 }
    }

    /// Whether 64-bit integers are pairs of registers.
    pub(crate) const fn has_pairs(self) -> bool {
        matches!(self.mode, Mode::Bits32)
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

    /// Whether the function needs rbp for its frame.
    pub(crate) const fn frame_pointer(frame: &FrameInfo) -> FramePointer {
        if frame.has_dynamic_alloca { FramePointer::Used } else { FramePointer::None }
    }
}

impl Target for X86 {
    type Inst = Inst;
    type Scratch = emit::EmitScratch;

    fn registers(&self, frame: &FrameInfo) -> &'static RegisterFile {
        regs::register_file(self.mode, X86::frame_pointer(frame))
    }

    fn layout(&self, ty: Type) -> TypeLayout {
        let (class, parts, size) = match ty {
            Type::I1 | Type::I8 => (BYTE, 1, 4),
            Type::Void | Type::I16 | Type::I32 => (GPR, 1, 4),
            Type::I64 if self.has_pairs() => (GPR, 2, 4),
            Type::I64 => (GPR, 1, 8),
            Type::F32 => (XMM, 1, 4),
            Type::F64 => (XMM, 1, 8),
            _ => (XMM, 1, 16),
        };
        TypeLayout { class, parts, size }
    }

    fn prepare(&self, func: &Function, frame: &mut FrameInfo) {
        lower::prepare(func, frame);
    }

    fn lower_params<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>) -> Result<(), ErrorKind> {
        self.lower_incoming(cx)
    }

    fn folds<S: Sink<Inst>>(&self, cx: &Cx<'_, S>, def: ice_ir::Inst, user: ice_ir::Inst) -> bool {
        self.folds_into(cx, def, user)
    }

    fn lower<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst) -> Result<(), ErrorKind> {
        self.lower_inst(cx, inst)
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

    fn materialize<S: Sink<Inst>>(&self, cx: &mut Cx<'_, S>, value: Value) {
        self.materialize_constant(cx, value);
    }

    fn emit<L: Listing>(
        &self,
        mach: &MachFunction<Inst>,
        switches: &[PlannedSwitch],
        allocation: &Output,
        scratch: &mut emit::EmitScratch,
        buffer: &mut CodeBuffer<L>,
        out: &mut CompiledFunction,
    ) -> Result<(), ErrorKind> {
        emit::emit_function(self.mode, mach, switches, allocation, scratch, buffer, out)
    }
}
