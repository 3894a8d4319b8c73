//! Calling conventions.
//!
//! Standard arguments and results follow the System V conventions (i386 and AMD64 supplements, section 3.2): on x86-32
//! everything on the stack but the first three vectors and what is asked into registers, results in eax, edx
//! and ecx, st0 and st1, or xmm0; on x86-64 six general and eight vector registers, results in rax and rdx,
//! xmm0 and xmm1. Functions that preserve nothing but rbp get integers in LLVM's order of registers on x86-64, and on
//! x86-32 in all but ecx; floats and vectors in eight vector registers; results as others. Functions that preserve most or
//! all registers have standard arguments and results. Functions of LLVM's fast convention get two words and three floats
//! in registers on x86-32, and return floats in vector registers. Functions of Windows get their first four arguments in registers by
//! their numbers, whatever their kinds, and vectors and objects by value by their addresses.

use crate::regs::{RAX, RBX, RCX, RDI, RDX, RSI, xmm};
use ice_asm::x86::Mode;
use ice_codegen::abi::StackArguments;
use ice_ir::native::{Arity, CallingConvention, Passing, Results};
use ice_ir::{Signature, Type};
use ice_regalloc::PReg;

/// Where an argument travels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArgumentPlace {
    /// In a register.
    Register(PReg),
    /// Low and high half in two registers.
    Pair(PReg, PReg),
    /// The low half in a register, the high one at this offset from the start of the stack arguments.
    Split(PReg, u32),
    /// In the upper half of the register of 256 bits that begins with the vector register of this number.
    Upper(u8),
    /// At this offset from the start of the stack arguments.
    Stack(u32),
    /// In memory of the caller, whose address is in a register.
    At(PReg),
    /// In memory of the caller, whose address is at this offset from the start of the stack arguments.
    AtStack(u32),
}

const INT_ARGS_64: [PReg; 6] = [RDI, RSI, RDX, RCX, PReg(8), PReg(9)];
/// Registers of `inreg` arguments on x86-32.
const INT_ARGS_32: [PReg; 3] = [RAX, RDX, RCX];
/// The same of functions of the convention fastcall, and of integers of the fast one.
const INT_ARGS_FAST_32: [PReg; 2] = [RCX, RDX];
/// Vector registers that carry arguments on x86-32.
const VECTOR_ARGS_32: u8 = 3;
/// Those of functions of Windows, each of the first four arguments the one of its number.
const INT_ARGS_WIN64: [PReg; 4] = [RCX, RDX, PReg(8), PReg(9)];
/// Bytes below the stack arguments of functions of Windows in which these may put their register arguments.
const HOME_AREA: u32 = 32;
/// Registers of functions that preserve nothing: first those that standard functions preserve.
const INT_ARGS_NONE_64: [PReg; 12] =
    [PReg(12), PReg(13), PReg(14), PReg(15), RDI, RSI, RDX, RCX, PReg(8), PReg(9), PReg(11), RAX];
const INT_ARGS_NONE_32: [PReg; 5] = [RSI, RDI, RBX, RDX, RAX];
/// The static chain, which is in ecx on x86-32: r10.
const NEST_64: PReg = PReg(10);

/// Hands out argument places from left to right.
pub(crate) struct ArgumentPlaces {
    mode: Mode,
    arity: Arity,
    convention: CallingConvention,
    /// General argument registers used so far; of functions of Windows, arguments.
    pub(crate) ints: usize,
    /// Vector argument registers used so far.
    pub(crate) vectors: u8,
    /// Those on the stack so far.
    pub(crate) stack: StackArguments,
    /// The static chain has ecx.
    has_chain: bool,
    /// Where the next argument is, if it is the other half of a pair that has a place.
    half: Half,
}

/// The place of the other half of a pair, as far as the first one decides it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Half {
    #[default]
    Free,
    OnStack,
    Upper(u8),
}

impl ArgumentPlaces {
    pub(crate) fn new(mode: Mode, arity: Arity) -> Self {
        ArgumentPlaces {
            mode,
            arity,
            convention: CallingConvention::Standard,
            ints: 0,
            vectors: 0,
            stack: StackArguments::EMPTY,
            has_chain: false,
            half: Half::Free,
        }
    }

    /// The places of a signature, or of one that types say.
    pub(crate) fn of(mode: Mode, signature: Option<&Signature>) -> Self {
        match signature {
            Some(&Signature { arity, convention, .. }) => {
                let mut places = ArgumentPlaces { convention, ..ArgumentPlaces::new(mode, arity) };
                if convention == CallingConvention::Win64 {
                    places.stack.take(HOME_AREA, 8);
                }
                places
            }
            None => ArgumentPlaces::new(mode, Arity::Fixed),
        }
    }

    /// Whether an argument of the signature may be in a register.
    pub(crate) fn has_registers(&self, signature: &Signature) -> bool {
        self.mode == Mode::Bits64
            || self.convention != CallingConvention::Standard
            || !signature.passing.is_empty()
            || signature.params.iter().any(|ty| ty.is_vector())
    }

    /// The place of the next argument. On the stack a 64-bit integer is two words from the place on, and an
    /// argument by value the object itself.
    #[inline]
    pub(crate) fn next(&mut self, ty: Type, passing: Passing) -> ArgumentPlace {
        // What most arguments are.
        match self.mode {
            Mode::Bits32
                if passing == Passing::Plain
                    && !ty.is_vector()
                    && self.convention == CallingConvention::Standard =>
            {
                self.on_stack(ty.bytes().next_multiple_of(4), 4)
            }
            _ => self.next_of_any_kind(ty, passing),
        }
    }

    fn next_of_any_kind(&mut self, ty: Type, passing: Passing) -> ArgumentPlace {
        if (passing != Passing::Plain || self.convention != CallingConvention::Standard)
            && let Some(place) = self.next_of_special_kind(ty, passing)
        {
            return place;
        }
        match core::mem::take(&mut self.half) {
            Half::Free => {}
            Half::OnStack if ty.is_vector() => return self.on_stack(16, 16),
            Half::OnStack => return self.on_stack(8, 8),
            Half::Upper(of) => return ArgumentPlace::Upper(of),
        }
        let is_vector_class = ty.is_vector() || ty.is_scalar_float();
        match self.mode {
            Mode::Bits32 if ty.is_vector() && self.vectors < VECTOR_ARGS_32 && self.arity == Arity::Fixed => {
                self.next_vector()
            }
            Mode::Bits32 if ty.is_vector() => self.on_stack(16, 16),
            Mode::Bits32 => self.on_stack(ty.bytes().next_multiple_of(4), 4),
            Mode::Bits64 if is_vector_class && self.vectors < 8 => self.next_vector(),
            Mode::Bits64 if !is_vector_class && self.ints < INT_ARGS_64.len() => {
                self.ints += 1;
                ArgumentPlace::Register(INT_ARGS_64[self.ints - 1])
            }
            Mode::Bits64 if ty.is_vector() => self.on_stack(16, 16),
            Mode::Bits64 => self.on_stack(8, 8),
        }
    }

    /// The place of the next argument if it is not by its class alone: where it is passed in another way than plainly, and by
    /// other conventions than the standard one.
    #[inline(never)]
    fn next_of_special_kind(&mut self, ty: Type, passing: Passing) -> Option<ArgumentPlace> {
        let word = if self.mode == Mode::Bits32 { 4 } else { 8 };
        match passing {
            Passing::Nest
                if self.mode == Mode::Bits64 && self.convention != CallingConvention::PreserveNone =>
            {
                return Some(ArgumentPlace::Register(NEST_64));
            }
            _ if self.convention == CallingConvention::Win64 => {
                return Some(self.next_of_windows(ty, passing));
            }
            // LLVM's CC_X86_32_ThisCall: also of an object by value, whose address it is.
            _ if self.takes_this(ty, passing) => {
                self.ints = 1;
                return Some(match ty {
                    Type::I64 => ArgumentPlace::Split(RCX, self.stack.take(4, 4)),
                    _ => ArgumentPlace::Register(RCX),
                });
            }
            Passing::ByVal { size, align_log2 } => {
                let align = 1u32 << align_log2.min(MAX_ARGUMENT_ALIGN_LOG2);
                let size = size.checked_next_multiple_of(word).unwrap_or(u32::MAX);
                return Some(self.on_stack(size, align.max(word)));
            }
            Passing::OnStack if ty.is_vector() => return Some(self.on_stack(16, 16)),
            Passing::OnStack => return Some(self.on_stack(ty.bytes().next_multiple_of(word), word)),
            _ if self.convention == CallingConvention::PreserveNone => return Some(self.next_of_many(ty)),
            Passing::Nest
                if matches!(self.convention, CallingConvention::Fastcall | CallingConvention::Fast) =>
            {
                return Some(ArgumentPlace::Register(RAX));
            }
            // Two vectors that are one are as elsewhere.
            _ if self.convention == CallingConvention::Fast
                && self.mode == Mode::Bits32
                && self.half == Half::Free
                && !(passing == Passing::PairLow && ty.is_vector()) =>
            {
                return Some(self.next_of_fast(ty));
            }
            // Where arguments already are in all three registers, it is one more on the stack.
            Passing::Nest
                if self.ints < INT_ARGS_32.len() && self.convention != CallingConvention::Thiscall =>
            {
                self.has_chain = true;
                return Some(ArgumentPlace::Register(RCX));
            }
            Passing::InRegister | Passing::StructReturnInRegister
                if self.mode == Mode::Bits32 && self.arity == Arity::Fixed && ty.is_scalar_int() =>
            {
                let registers = match self.convention {
                    CallingConvention::Thiscall => &[],
                    CallingConvention::Fastcall => &INT_ARGS_FAST_32[..],
                    _ => &INT_ARGS_32[..INT_ARGS_32.len() - usize::from(self.has_chain)],
                };
                if let Some(place) = self.next_integer(ty, registers) {
                    return Some(place);
                }
            }
            Passing::PairLow if ty.is_vector() => {
                let registers = if self.mode == Mode::Bits32 { VECTOR_ARGS_32 } else { 8 };
                if self.arity == Arity::Variadic || self.vectors >= registers {
                    self.half = Half::OnStack;
                    return Some(self.on_stack(16, 32));
                }
                self.half = Half::Upper(self.vectors);
                return Some(self.next_vector());
            }
            Passing::PairLow if self.mode == Mode::Bits64 && self.ints + 2 > INT_ARGS_64.len() => {
                self.half = Half::OnStack;
                return Some(self.on_stack(8, 16));
            }
            // As LLVM 22 has it (CC_X86_32_I128_FP128).
            Passing::PairLow if self.mode == Mode::Bits32 => {
                self.half = Half::OnStack;
                return Some(self.on_stack(8, 16));
            }
            _ => {}
        }
        None
    }

    /// The place of the next argument, an integer, if any of these registers is free on x86-32.
    fn next_integer(&mut self, ty: Type, registers: &[PReg]) -> Option<ArgumentPlace> {
        match (ty, registers.get(self.ints..)?) {
            (_, []) => None,
            (Type::I64, &[lo, hi, ..]) => {
                self.ints += 2;
                Some(ArgumentPlace::Pair(lo, hi))
            }
            (Type::I64, &[lo]) => {
                self.ints += 1;
                Some(ArgumentPlace::Split(lo, self.stack.take(4, 4)))
            }
            (_, &[reg, ..]) => {
                self.ints += 1;
                Some(ArgumentPlace::Register(reg))
            }
        }
    }

    /// The place of the next argument of LLVM's fast convention (its CC_X86_32_FastCC).
    fn next_of_fast(&mut self, ty: Type) -> ArgumentPlace {
        if ty.is_vector() || ty.is_scalar_float() {
            return match self.vectors < VECTOR_ARGS_32 {
                true => self.next_vector(),
                false => self.on_stack(ty.bytes(), ty.bytes()),
            };
        }
        self.next_integer(ty, &INT_ARGS_FAST_32)
            .unwrap_or_else(|| self.on_stack(ty.bytes().next_multiple_of(4), 4))
    }

    /// The place of the next argument of a function that preserves nothing. What has only a byte in a register needs one
    /// that has a byte form.
    fn next_of_many(&mut self, ty: Type) -> ArgumentPlace {
        let registers: &[PReg] = match self.mode {
            Mode::Bits32 => &INT_ARGS_NONE_32,
            Mode::Bits64 => &INT_ARGS_NONE_64,
        };
        let free = registers.get(self.ints..).unwrap_or_default();
        match (self.mode, ty, free) {
            _ if (ty.is_vector() || ty.is_scalar_float()) && self.vectors < 8 => self.next_vector(),
            _ if ty.is_vector() => self.on_stack(16, 16),
            (Mode::Bits32, Type::I64, &[lo, hi, ..]) => {
                self.ints += 2;
                ArgumentPlace::Pair(lo, hi)
            }
            (Mode::Bits32, Type::I1 | Type::I8 | Type::I64 | Type::F32 | Type::F64, _)
            | (Mode::Bits32, _, []) => self.on_stack(ty.bytes().next_multiple_of(4), 4),
            (_, Type::F32 | Type::F64, _) | (_, _, []) => self.on_stack(8, 8),
            (_, _, &[reg, ..]) => {
                self.ints += 1;
                ArgumentPlace::Register(reg)
            }
        }
    }

    /// The place of the next argument of a function of Windows. An object by value and a vector are in memory of the caller
    /// (Microsoft, «x64 calling convention»; LLVM's CC_X86_Win64_C).
    fn next_of_windows(&mut self, ty: Type, passing: Passing) -> ArgumentPlace {
        let number = self.ints;
        self.ints += 1;
        let is_in_memory = matches!(passing, Passing::ByVal { .. }) || ty.is_vector();
        match INT_ARGS_WIN64.get(number) {
            Some(&reg) if is_in_memory => ArgumentPlace::At(reg),
            Some(_) if ty.is_scalar_float() => ArgumentPlace::Register(xmm(number as u8)),
            Some(&reg) => ArgumentPlace::Register(reg),
            None if is_in_memory => ArgumentPlace::AtStack(self.stack.take(8, 8)),
            None => self.on_stack(8, 8),
        }
    }

    /// Whether the next argument is the one in ecx of the convention thiscall.
    fn takes_this(&self, ty: Type, passing: Passing) -> bool {
        self.convention == CallingConvention::Thiscall
            && self.mode == Mode::Bits32
            && self.ints == 0
            && ty.is_scalar_int()
            && passing != Passing::OnStack
            && !passing.is_struct_return()
    }

    fn next_vector(&mut self) -> ArgumentPlace {
        self.vectors += 1;
        ArgumentPlace::Register(xmm(self.vectors - 1))
    }

    fn on_stack(&mut self, size: u32, align: u32) -> ArgumentPlace {
        ArgumentPlace::Stack(self.stack.take(size, align))
    }
}

/// Largest alignment inside of the argument area that is obeyed.
const MAX_ARGUMENT_ALIGN_LOG2: u8 = 12;

/// The general argument registers from the first that is not used, with their numbers.
pub(crate) fn unused_int_args(places: &ArgumentPlaces) -> impl Iterator<Item = (u32, PReg)> + use<> {
    let registers = match places.convention {
        CallingConvention::Win64 => &INT_ARGS_WIN64[..],
        _ => &INT_ARGS_64,
    };
    (0..).zip(registers.iter().copied()).skip(places.ints)
}

/// The general register that an argument of a function of Windows also has if it is a variable one in this vector register.
pub(crate) fn integer_twin(reg: PReg) -> Option<PReg> {
    (0..).zip(INT_ARGS_WIN64).find(|&(n, _)| xmm(n) == reg).map(|(_, twin)| twin)
}

/// Where a result arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ResultPlace {
    /// No result.
    None,
    /// In one register.
    Register(PReg),
    /// Low and high half in two registers.
    Pair(PReg, PReg),
    /// In the upper half of the register of 256 bits that begins with the vector register of this number.
    Upper(u8),
    /// On top of the x87 stack; the second such result below the first.
    Fpu,
}

/// The places of the results of these types, of a function with this signature or of a helper; `None` if there are not
/// enough registers.
pub(crate) fn result_places(
    mode: Mode,
    types: [Type; 2],
    signature: Option<&Signature>,
) -> Option<[ResultPlace; 2]> {
    if signature.is_some_and(|signature| signature.results == Results::Halves) {
        return Some([ResultPlace::Register(xmm(0)), ResultPlace::Upper(0)]);
    }
    let is_fast = signature.is_some_and(|signature| signature.convention == CallingConvention::Fast);
    let mut ints: &[PReg] = match mode {
        Mode::Bits32 => &[RAX, RDX, RCX],
        Mode::Bits64 => &[RAX, RDX],
    };
    let mut vectors = 0;
    let mut places = [ResultPlace::None; 2];
    for (place, ty) in places.iter_mut().zip(types) {
        *place = match (mode, ty) {
            (_, Type::Void) => ResultPlace::None,
            (Mode::Bits32, Type::F32 | Type::F64) if !is_fast => ResultPlace::Fpu,
            (Mode::Bits32, Type::I64) => {
                let &[lo, hi, ref rest @ ..] = ints else { return None };
                ints = rest;
                ResultPlace::Pair(lo, hi)
            }
            _ if ty.is_vector() || ty.is_scalar_float() => {
                vectors += 1;
                ResultPlace::Register(xmm(vectors - 1))
            }
            _ => {
                let (&reg, rest) = ints.split_first()?;
                ints = rest;
                ResultPlace::Register(reg)
            }
        };
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn registers_then_stack() {
        let mut places = ArgumentPlaces::new(Mode::Bits64, Arity::Fixed);
        let ints: Vec<_> = (0..7).map(|_| places.next(Type::I32, Passing::Plain)).collect();
        assert_eq!(ints[5], ArgumentPlace::Register(PReg(9)));
        assert_eq!(ints[6], ArgumentPlace::Stack(0));
        assert_eq!(places.next(Type::F64, Passing::Plain), ArgumentPlace::Register(xmm(0)));
        assert_eq!(places.next(Type::I64, Passing::Plain), ArgumentPlace::Stack(8));

        let mut places = ArgumentPlaces::new(Mode::Bits32, Arity::Fixed);
        assert_eq!(places.next(Type::I32, Passing::Plain), ArgumentPlace::Stack(0));
        assert_eq!(places.next(Type::I64, Passing::Plain), ArgumentPlace::Stack(4));
        assert_eq!(places.next(Type::F32, Passing::Plain), ArgumentPlace::Stack(12));
        assert_eq!(places.next(Type::V4I32, Passing::Plain), ArgumentPlace::Register(xmm(0)));
        assert_eq!(places.next(Type::F64, Passing::Plain), ArgumentPlace::Stack(16));
        assert_eq!(places.stack.bytes(), 24);
    }

    #[test]
    fn eight_vectors_then_aligned_stack() {
        let mut places = ArgumentPlaces::new(Mode::Bits64, Arity::Fixed);
        for _ in 0..7 {
            places.next(Type::I32, Passing::Plain);
        }
        for n in 0..8 {
            assert_eq!(places.next(Type::V4F32, Passing::Plain), ArgumentPlace::Register(xmm(n)));
        }
        // The seventh integer is below.
        assert_eq!(places.next(Type::V4F32, Passing::Plain), ArgumentPlace::Stack(16));
        assert_eq!(places.next(Type::F64, Passing::Plain), ArgumentPlace::Stack(32));

        let mut places = ArgumentPlaces::new(Mode::Bits32, Arity::Fixed);
        for _ in 0..3 {
            places.next(Type::V4F32, Passing::Plain);
        }
        assert_eq!(places.next(Type::I32, Passing::Plain), ArgumentPlace::Stack(0));
        assert_eq!(places.next(Type::V4F32, Passing::Plain), ArgumentPlace::Stack(16));
    }

    #[test]
    fn pairs_are_not_split() {
        let register = |n: usize| ArgumentPlace::Register(INT_ARGS_64[n]);
        for (before, expected) in [
            (4, [register(4), register(5), ArgumentPlace::Stack(0)]),
            (5, [ArgumentPlace::Stack(0), ArgumentPlace::Stack(8), register(5)]),
        ] {
            let mut places = ArgumentPlaces::new(Mode::Bits64, Arity::Fixed);
            for _ in 0..before {
                places.next(Type::I64, Passing::Plain);
            }
            let pair_and_one = [Passing::PairLow, Passing::Plain, Passing::Plain];
            assert_eq!(pair_and_one.map(|passing| places.next(Type::I64, passing)), expected);
        }
    }

    /// As LLVM's CC_X86_32_C has it.
    #[test]
    fn registers_on_demand() {
        use Passing::{InRegister, Nest, StructReturn, StructReturnInRegister};
        let placed = |arity, passing: &[Passing]| {
            let mut places = ArgumentPlaces::new(Mode::Bits32, arity);
            passing.iter().map(|&passing| places.next(Type::I32, passing)).collect::<Vec<_>>()
        };
        let [eax, edx, ecx] = INT_ARGS_32.map(ArgumentPlace::Register);
        let three = [InRegister; 3];
        assert_eq!(placed(Arity::Fixed, &three), [eax, edx, ecx]);
        assert_eq!(placed(Arity::Variadic, &three), [0, 4, 8].map(ArgumentPlace::Stack));
        let result_first = [StructReturnInRegister, InRegister];
        assert_eq!(placed(Arity::Fixed, &result_first), [eax, edx]);
        assert_eq!(placed(Arity::Variadic, &result_first), [0, 4].map(ArgumentPlace::Stack));
        assert_eq!(placed(Arity::Fixed, &[StructReturn, InRegister]), [ArgumentPlace::Stack(0), eax]);
        let chain_first = [Nest, InRegister, InRegister, InRegister];
        assert_eq!(placed(Arity::Fixed, &chain_first), [ecx, eax, edx, ArgumentPlace::Stack(0)]);
        let chain_last = [InRegister, InRegister, InRegister, Nest];
        assert_eq!(placed(Arity::Fixed, &chain_last), [eax, edx, ecx, ArgumentPlace::Stack(0)]);
    }
}
