//! The one trait that a back end implements, and what can go wrong in it.

use crate::compiled::CompiledCode;
use crate::constant_hoisting::Constant;
use crate::diversity::{Kinds, MachineNoise, Secrets};
use crate::frame_layout::FrameLayout;
use crate::internal::Internal;
use crate::live::Remade;
use crate::lower::{Lower, ValueRegs};
use crate::mach::{FrameInfo, MachBlock, MachFunction, MachInst, RegClass, Sink, VReg};
use crate::rules::Call;
use crate::unwind::UnwindFacts;
use alloc::boxed::Box;
use core::fmt;
use ice_asm::{BranchIsa, CodeBuffer, Listing};
use ice_ir::{Addressing, Environment, FuncId, Function, Inst, Module, Type, Value};
use ice_regalloc::{Output, PReg, RegisterFile};

/// What code may know of addresses, and how it reaches what is outside of its function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodeModel {
    /// A PNaCl program: 32-bit addresses, everything in the lowest 2 GiB at places that the linker knows, `_start`
    /// as the only entry.
    Pnacl,
    /// A native program at a place that the linker knows.
    Static,
    /// A native program that may be anywhere, with symbols that other modules may replace.
    PositionIndependent,
}

impl CodeModel {
    /// That of a module, whose native programs have `native`.
    #[must_use]
    pub fn of_module(module: &Module, native: NativeModel) -> CodeModel {
        match (module.environment, native) {
            (Environment::Pnacl, _) => CodeModel::Pnacl,
            (Environment::Native, NativeModel::Static) => CodeModel::Static,
            (Environment::Native, NativeModel::PositionIndependent) => CodeModel::PositionIndependent,
        }
    }
}

/// How native programs make addresses. PNaCl programs have one way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NativeModel {
    /// [`CodeModel::Static`].
    Static,
    /// [`CodeModel::PositionIndependent`].
    PositionIndependent,
}

/// What holds of code whatever it computes, so that who does not trust it can tell before it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Confinement {
    /// Nothing.
    #[default]
    None,
    /// The rules of NaCl: bundles of instructions, jumps to their starts alone, no access outside of one window of
    /// memory.
    Sandbox,
}

/// The module is for another target: its addresses are not as wide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForeignModule {
    /// The type of an address in the module.
    pub pointer: Type,
}

impl fmt::Display for ForeignModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "addresses of the module are {} and those of the target are not", self.pointer)
    }
}

impl core::error::Error for ForeignModule {}

/// How values of a type live in registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeLayout {
    /// Class of every part.
    pub class: RegClass,
    /// Number of registers a value takes.
    pub parts: u8,
    /// Bytes of the spill slot of one part.
    pub size: u8,
}

/// A back end: lowering rules from ICE to machine instructions, and their emission.
///
/// The order of calls for one function: [`lower_params`](Self::lower_params) at the start of the entry
/// block; for every instruction [`lower`](Self::lower), terminators through
/// [`lower_terminator`](Self::lower_terminator); then, after register allocation, [`emit`](Self::emit).
pub trait Target {
    /// Its machine instruction.
    type Inst: MachInst;
    /// Its branches.
    type Branches: BranchIsa<Cond: Send> + Send;
    /// Memory of emission, reused from function to function.
    type Scratch: Default;

    /// log2 of the alignment of the stack pointer: the largest that an object of the frame gets without a move of it.
    const STACK_ALIGN_LOG2: u8;

    /// Whether atomic loads and stores take every address that others take, too.
    const HAS_ATOMIC_ADDRESSES: bool = false;

    /// The register file for a function with this frame.
    fn registers(&self, frame: &FrameInfo) -> &'static RegisterFile<'static>;

    /// How values live in registers, by type.
    fn layouts(&self) -> &'static [TypeLayout; Type::ALL.len()];

    /// Whether functions may be for processors with vector registers of 256 bits, in which the vectors of that size are.
    fn has_wide_registers(&self) -> bool {
        false
    }

    /// Moves the incoming arguments to where the function's parameters live.
    fn lower_params<S: Sink<Self::Inst>>(&self, cx: &mut Lower<'_, Self::Inst, S>) -> Result<(), ErrorKind>;

    /// Whether `user` will compute `def`, its operand and in its block, itself: `def` is then not lowered.
    /// The answer must only depend on the function.
    fn folds<S: Sink<Self::Inst>>(&self, cx: &Lower<'_, Self::Inst, S>, def: Inst, user: Inst) -> bool;

    /// Whether every load and store that uses the result of `def` as its address, which is all that uses it,
    /// will compute it itself: `def` is then not lowered. The answer must only depend on the function.
    fn folds_into_addresses<S: Sink<Self::Inst>>(&self, _cx: &Lower<'_, Self::Inst, S>, _def: Inst) -> bool {
        false
    }

    /// Whether a store and the branch behind it, which are all that uses the result of `def`, an operator, will compute it: `def` is
    /// then not lowered. The answer must only depend on the function.
    fn folds_into_store_and_test<S: Sink<Self::Inst>>(
        &self,
        _cx: &Lower<'_, Self::Inst, S>,
        _def: Inst,
    ) -> bool {
        false
    }

    /// What an access computes of its address, of the type `pointer`.
    fn addressing(&self, pointer: Type) -> Addressing;

    /// The types whose loads and stores copy short regions of memory, from the widest to a byte: as quickly from any address, and
    /// they may overlap. None if accesses want an alignment.
    fn moved_types(&self) -> &'static [Type] {
        &[]
    }

    /// Whether conjunctions take the complement of an operand.
    fn complements_operands(&self) -> bool {
        false
    }

    /// Whether there is code for [`CheckType`](ice_ir::Intrinsic::CheckType); else a pass makes other instructions of it.
    fn checks_types(&self) -> bool {
        false
    }

    /// Whether a call of `func` whose results are returned may be made in place of the return, and costs no more there:
    /// lowering accepts it, what the caller of `func` relies on stays, and no argument moves on the stack.
    fn returns_by_call(&self, _module: &Module, _func: &Function, _call: &Call<'_>) -> bool {
        false
    }

    /// Whether the edge back of a loop stands in front of the header and falls into it: where its moves are no
    /// conditional instructions.
    fn falls_into_loops(&self) -> bool {
        false
    }

    /// Whether emission tests the bit of a number that a register names, as decisions of switches want it.
    fn tests_bits(&self) -> bool {
        true
    }

    /// Whether emission may take a frame at another block than the entry ([`late_frame`](crate::late_frame)).
    fn delays_frames(&self) -> bool {
        false
    }

    /// Whether [`costly_constants`](Self::costly_constants) names any.
    fn holds_constants(&self) -> bool {
        false
    }

    /// Whether lowering remembers constants that it has made ([`Lower::keep`]).
    fn keeps_constants(&self) -> bool {
        false
    }

    /// Names the constants that lowering `inst` puts in registers, each with the instructions that it takes.
    fn costly_constants(
        &self,
        _module: &Module,
        _func: &Function,
        _inst: Inst,
        _visit: &mut dyn FnMut(Constant, u32),
    ) {
    }

    /// The register of a constant that a loop around the current block holds.
    fn held_constant<S: Sink<Self::Inst>>(
        &self,
        _cx: &mut Lower<'_, Self::Inst, S>,
        _value: Value,
    ) -> Option<VReg> {
        None
    }

    /// Makes a constant that [`costly_constants`](Self::costly_constants) has named, in this register.
    fn hold<S: Sink<Self::Inst>>(&self, _cx: &mut Lower<'_, Self::Inst, S>, _constant: Constant, _reg: VReg) {
    }

    /// Lowers one instruction that is neither a phi nor a terminator.
    fn lower<S: Sink<Self::Inst>>(
        &self,
        cx: &mut Lower<'_, Self::Inst, S>,
        inst: Inst,
    ) -> Result<(), ErrorKind>;

    /// Lowers a terminator; branch targets are given by [`Lower::target`].
    fn lower_terminator<S: Sink<Self::Inst>>(
        &self,
        cx: &mut Lower<'_, Self::Inst, S>,
        inst: Inst,
    ) -> Result<(), ErrorKind>;

    /// Jumps to `target`: the terminator of a split edge.
    fn lower_jump<S: Sink<Self::Inst>>(&self, cx: &mut Lower<'_, Self::Inst, S>, target: MachBlock);

    /// Puts a constant, address or undefined value into fresh registers of its own
    /// ([`Lower::fresh_constant_regs`]), and gives them. Writes no flags: rules make constants before they compare.
    fn materialize<S: Sink<Self::Inst>>(&self, cx: &mut Lower<'_, Self::Inst, S>, value: Value) -> ValueRegs;

    /// What it has that makes bytes differ, in the ways that are wanted.
    fn noise(&self, _wanted: Kinds) -> MachineNoise {
        MachineNoise::default()
    }

    /// Writes a lowered function anew into `to` with the numbers that the program chose hidden, notes in `scratch` how, and
    /// says whether the machine does that.
    ///
    /// # Errors
    /// The function is not what lowering writes.
    fn hide_numbers(
        &self,
        _secrets: Option<Secrets>,
        _from: &mut MachFunction<Self::Inst>,
        _to: &mut MachFunction<Self::Inst>,
        _scratch: &mut Self::Scratch,
    ) -> Result<bool, ErrorKind> {
        Ok(false)
    }

    /// Whether assemblers of the machine take directives for the steps of the frame, of which they make tables.
    const HAS_FRAME_DIRECTIVES: bool = true;

    /// Emits the allocated function into `buffer` and finishes it; `out` receives code, relocations, constants and jump
    /// tables.
    fn emit<L: Listing>(
        &self,
        mach: &MachFunction<Self::Inst>,
        allocation: &Output,
        scratch: &mut Self::Scratch,
        buffer: &mut CodeBuffer<L, Self::Branches>,
        out: &mut CompiledCode,
    ) -> Result<(), ErrorKind>;

    /// Describes the frame of the function that was emitted last with this memory.
    fn describe_frame(&self, scratch: &Self::Scratch, facts: &mut UnwindFacts);

    /// Where everything is in it.
    fn frame_layout<'s>(&self, scratch: &'s Self::Scratch) -> &'s FrameLayout;

    /// What an instruction makes that is executed again where its value is wanted, if it is a constant or an argument.
    fn remade(&self, inst: &Self::Inst) -> Option<Remade>;

    /// The DWARF number of a register; `None` if it has none.
    fn dwarf_number(&self, reg: PReg) -> Option<u16>;
}

/// Why a function could not be compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompileError {
    /// Which function.
    pub function: FuncId,
    /// Why.
    pub kind: ErrorKind,
}

/// The error for values of 256 bits where no register has as many.
pub const NO_WIDE_REGISTERS: ErrorKind = ErrorKind::Unsupported("a vector of 256 bits");

/// The reason of a [`CompileError`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The stack frame would need this many bytes, more than can work.
    FrameTooLarge(u64),
    /// The target has no code for this instruction.
    Unsupported(&'static str),
    /// Inline assembly, and why it cannot be assembled.
    Assembly(Box<str>),
    /// The register allocator refused the function; a defect of the back end.
    RegisterAllocation(ice_regalloc::Error),
    /// The code buffer refused the function: too large, or a defect of the back end.
    Emission(ice_asm::Error),
    /// The register allocation failed its check in a debug build; a defect of the allocator.
    AllocationCheck,
    /// A step was given what cannot be; a defect of the code generator.
    Internal(Box<Internal>),
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::FrameTooLarge(bytes) => write!(f, "stack frame of {bytes} bytes is too large"),
            ErrorKind::Unsupported(what) => write!(f, "{what} is not supported by this target"),
            ErrorKind::Assembly(why) => write!(f, "inline assembly: {why}"),
            ErrorKind::RegisterAllocation(error) => write!(f, "register allocation: {error}"),
            ErrorKind::Emission(error) => write!(f, "emission: {error}"),
            ErrorKind::Internal(internal) => internal.fmt(f),
            ErrorKind::AllocationCheck => f.write_str("register allocation failed its check"),
        }
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.function, self.kind)
    }
}

impl core::error::Error for CompileError {}

impl From<ice_regalloc::Error> for ErrorKind {
    fn from(error: ice_regalloc::Error) -> Self {
        ErrorKind::RegisterAllocation(error)
    }
}

impl From<Box<Internal>> for ErrorKind {
    fn from(internal: Box<Internal>) -> Self {
        ErrorKind::Internal(internal)
    }
}

impl From<ice_asm::Error> for ErrorKind {
    fn from(error: ice_asm::Error) -> Self {
        ErrorKind::Emission(error)
    }
}
