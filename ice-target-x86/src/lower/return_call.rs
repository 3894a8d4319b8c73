//! Calls in place of returns.
//!
//! The callee returns to the caller of the function: what that pops and what it expects in registers must be the same.
//! An address to jump to is in a register that carries no argument and that nothing restores.

use super::call::{Operands, Origin};
use crate::abi::{ArgumentPlace, ArgumentPlaces};
use crate::inst::{Callee, Inst};
use crate::regs::{RAX, RCX, RDX};
use crate::target::{Cx, X86};
use ice_asm::x86::Mode;
use ice_codegen::abi::StackArguments;
use ice_codegen::mach::Sink;
use ice_codegen::return_call::{PlaceArguments, StackPart, is_as_good_as_return};
use ice_codegen::rules::{Call, Destination};
use ice_codegen::{CodeSymbol, ErrorKind, Operands as _};
use ice_ir::native::{Arity, CallingConvention, Passing};
use ice_ir::{FuncId, Function, Module, Signature, Symbol, Type, Value, ValueDef};
use ice_regalloc::{Constraint, PReg};

/// The error where the function and the callee pop different numbers of bytes.
const POPS: ErrorKind =
    ErrorKind::Unsupported("a tail call that pops another number of bytes than its function");

/// The error where a caller relies on the upper half of a register.
const UNCLEAN: ErrorKind =
    ErrorKind::Unsupported("a tail call of what is outside of a sandboxed program with a result of 32 bits");

/// The error where all registers carry arguments.
const NO_REGISTER: ErrorKind =
    ErrorKind::Unsupported("a tail call through an address with three arguments in registers");

/// The error where the callee would look for an argument in the frame that is given back.
const MEMORY: ErrorKind =
    ErrorKind::Unsupported("a tail call with an argument in memory of its function (win64)");

/// The error where a register of an argument gets the caller's value again before the jump.
const RESTORED: ErrorKind = ErrorKind::Unsupported(
    "a tail call of a function that preserves registers of arguments with others than its own parameters",
);

/// Whether an argument is in memory of the caller.
fn passes_memory(func: &Function, call: &Call<'_>) -> bool {
    let is_windows = call.signature.is_some_and(|signature| signature.convention == CallingConvention::Win64);
    is_windows
        && call.args_with_passing(func).any(|(arg, passing)| {
            matches!(passing, Passing::ByVal { .. }) || func.value_type(arg).is_vector()
        })
}

impl PlaceArguments for ArgumentPlaces {
    fn next_part(&mut self, ty: Type, passing: Passing) -> StackPart {
        match self.next(ty, passing) {
            ArgumentPlace::Stack(offset) => StackPart::Whole(offset),
            ArgumentPlace::Split(_, offset) | ArgumentPlace::AtStack(offset) => StackPart::Some(offset),
            ArgumentPlace::Register(_)
            | ArgumentPlace::Pair(..)
            | ArgumentPlace::Upper(_)
            | ArgumentPlace::At(_) => StackPart::None,
        }
    }

    fn stack_area(&self) -> StackArguments {
        self.stack
    }
}

impl X86 {
    /// A call in place of a return.
    #[inline(never)]
    pub(super) fn return_call<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
    ) -> Result<(), ErrorKind> {
        let call = cx.call_of(inst)?;
        let (func, own) = (cx.func, cx.module.signature(cx.func.id));
        self.check_return(cx, inst, &call, own)?;
        let places = |signature| ArgumentPlaces::of(self.mode, signature);
        let args = call.args_with_passing(func);
        let moved = cx.moved_arguments(places(Some(own)), places(call.signature), args)?;
        let mut operands = Operands::new();
        let places = self.arguments(cx, &call, moved.clone(), &mut operands);
        match own.arity {
            Arity::Variadic => self.saved_again(cx, &mut operands),
            Arity::Fixed => self.beside_arguments(cx, call.signature, places.vectors, &mut operands),
        }
        let callee = match call.callee {
            Destination::Address(address) => Callee::Value(self.reg(cx, address)),
            // The register that the linker's stubs want has its old content again at the jump.
            Destination::Function(callee) | Destination::Retyped(callee) => {
                self.callee_without_base(cx, callee, &mut operands)
            }
        };
        let at = match callee {
            Callee::Value(_) | Callee::Memory(_) => {
                self.jump_register(own.convention, &operands).ok_or(NO_REGISTER)?
            }
            Callee::Symbol(_) | Callee::Linked(_) => PReg(0),
        };
        let scratch = (!moved.is_empty()).then(|| self.undefined(cx, self.address_type()));
        let jump = Inst::ReturnCall { callee, at: at.0, from: moved.start, to: moved.end, scratch };
        cx.sink.push_with(jump, &operands);
        Ok(())
    }

    /// Whether a call whose results are returned may be made in place of the return, and costs no more there.
    pub(crate) fn call_returns(self, module: &Module, func: &Function, call: &Call<'_>) -> bool {
        let own = module.signature(func.id);
        let [own_pops, callee_pops] = [Some(own), call.signature]
            .map(|signature| signature.map_or(0, |signature| self.popped(signature)));
        // An address of a function is in a register that may have to be another than those of three arguments.
        let has_three = |signature: &Signature| {
            signature.passing.contains(&Passing::InRegister)
                || signature.convention == CallingConvention::Fast
                    && signature.passing.contains(&Passing::Nest)
        };
        let is_roomy = self.mode == Mode::Bits64 || !call.signature.is_some_and(has_three);
        let [own_places, callee_places] =
            [Some(own), call.signature].map(|signature| ArgumentPlaces::of(self.mode, signature));
        self.is_native()
            && !own.convention.preserves_arguments()
            && !passes_memory(func, call)
            && own_pops == callee_pops
            && is_roomy
            && is_as_good_as_return((module, func), call, own_places, callee_places)
    }

    /// What a call of a known function goes to that passes no register to the linker's stubs.
    pub(super) fn callee_without_base<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        callee: FuncId,
        operands: &mut Operands,
    ) -> Callee {
        if !self.needs_global_base() || self.reaches(cx.module, Symbol::Function(callee)) {
            return self.callee(cx, CodeSymbol::Function(callee), operands);
        }
        let dst = self.temp(cx, self.address_type());
        self.symbol_address(cx, Symbol::Function(callee), dst);
        Callee::Value(dst)
    }

    /// Checks that the caller of the function finds what it expects.
    fn check_return<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        inst: ice_ir::Inst,
        call: &Call<'_>,
        own: &Signature,
    ) -> Result<(), ErrorKind> {
        if self.popped(own) != call.signature.map_or(0, |callee| self.popped(callee)) {
            return Err(POPS);
        }
        if passes_memory(cx.func, call) {
            return Err(MEMORY);
        }
        let stays = |(n, &arg): (usize, &Value)| cx.func.value_def(arg) == ValueDef::Param(n as u32);
        if own.convention.preserves_arguments() && !call.args.iter().enumerate().all(stays) {
            return Err(RESTORED);
        }
        let is_narrow = self.mode == Mode::Bits64 && own.ret == Type::I32;
        match self.is_native() || !is_narrow || self.origin(cx, inst, call.callee) == Origin::Here {
            true => Ok(()),
            false => Err(UNCLEAN),
        }
    }

    /// A register that nothing restores and that is none of the operands.
    fn jump_register(self, convention: CallingConvention, operands: &Operands) -> Option<PReg> {
        let candidates: &[PReg] = match self.mode {
            Mode::Bits32 => &[RCX, RDX, RAX],
            Mode::Bits64 if self.confines_memory() => &[PReg(10)],
            Mode::Bits64 if convention.preserves_arguments() => &[PReg(11)],
            Mode::Bits64 => &[PReg(11), PReg(10)],
        };
        let is_free =
            |reg: &&PReg| operands.iter().all(|operand| operand.constraint() != Constraint::Fixed(**reg));
        candidates.iter().find(is_free).copied()
    }
}
