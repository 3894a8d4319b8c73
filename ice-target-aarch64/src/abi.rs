//! The calling convention and the frame.
//!
//! Arguments and results follow the procedure call standard (AAPCS64, 2023Q3, 6.8 and 6.9): integers in x0 to x7, an `i128`
//! in an even and the next one, floats and vectors in v0 to v7, the rest on the stack in 8 bytes or, a vector, in 16. What is
//! one object is in consecutive registers or, all of it, on the stack. The address of the memory for a result is in x8.
//! Variable arguments travel as others do. Functions that preserve nothing take integers in x20 to x28, x0 to x7, x10 to x14
//! and x9 (LLVM, AArch64CallingConvention.td: CC_AArch64_Preserve_None).
//!
//! The frame, from high to low addresses: incoming stack arguments, saved vector registers, saved general registers, fixed
//! objects and spill slots by falling alignment, outgoing arguments. Everything hangs off the stack pointer behind the
//! prologue; where that moves in the body, off x29. A frame pointer points to its own saved value with the return address
//! above, so that frames are a list.

use crate::inst::{Base, Inst};
use crate::regs::{self, v, x};
use arrayvec::ArrayVec;
use core::ops::Range;
pub(crate) use ice_codegen::abi::ArgumentPlace;
use ice_codegen::abi::{StackArguments, saved_registers};
use ice_codegen::frame_layout::{FrameLayout, FrameTop};
use ice_codegen::fusion::SteppingInst;
use ice_codegen::late_frame;
use ice_codegen::mach::{FrameInfo, FramePointer, MachFunction};
use ice_codegen::return_call::{PlaceArguments, StackPart};
use ice_codegen::words::PlaceWords;
use ice_codegen::{ErrorKind, UnwindFacts};
use ice_ir::native::Passing;
use ice_ir::{SignedReturn, Type};
use ice_regalloc::{Allocation, Output, PReg, RegUnits};

/// General registers, and vector registers, that carry arguments.
pub(crate) const ARGS: u8 = 8;
/// The general register with the address of the memory for a result.
const RESULT_ADDRESS: u8 = 8;
/// Alignment of the stack pointer in bytes.
pub(crate) const STACK_ALIGN: u32 = 16;

/// Which places arguments have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Convention {
    /// Those of the standard.
    Standard,
    /// The same, with the lanes of results in a register each.
    Lanes,
    /// Those of functions that preserve nothing.
    PreserveNone,
}

/// The general registers that carry arguments of functions that preserve nothing.
#[rustfmt::skip]
const MANY: [u8; 23] = [
    20, 21, 22, 23, 24, 25, 26, 27, 28, 0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 9,
];

/// Whether values of the type are in vector registers.
pub(crate) fn is_vector(ty: Type) -> bool {
    ty.is_vector() || ty.is_scalar_float()
}

/// What is left of a group of arguments: they are one object.
#[derive(Clone, Copy)]
struct Group {
    /// How many.
    left: u16,
    place: ArgumentPlace,
}

/// Hands out argument places from left to right.
#[derive(Clone, Copy)]
pub struct ArgumentPlaces {
    convention: Convention,
    /// The next general register (NGRN), or how many are taken of those of functions that preserve nothing.
    pub(crate) words: u8,
    /// The next vector register (NSRN).
    pub(crate) vectors: u8,
    /// Those on the stack so far (NSAA).
    stack: StackArguments,
    group: Group,
}

impl ArgumentPlaces {
    pub(crate) const fn new(convention: Convention) -> Self {
        ArgumentPlaces {
            convention,
            words: 0,
            vectors: 0,
            stack: StackArguments::EMPTY,
            group: Group { left: 0, place: ArgumentPlace::Stack(0) },
        }
    }

    /// The general register with this number among those that carry arguments.
    fn word(&self, number: u8) -> Option<PReg> {
        match self.convention {
            Convention::Standard | Convention::Lanes => (number < ARGS).then_some(x(number)),
            Convention::PreserveNone => MANY.get(usize::from(number)).copied().map(x),
        }
    }

    /// The place of the next argument, of any type.
    #[inline(never)]
    fn next_of_any(&mut self, ty: Type, passing: Passing) -> ArgumentPlace {
        match passing {
            Passing::ByVal { size, align_log2 } => {
                let align = if align_log2 > 3 { 16 } else { 8 };
                return ArgumentPlace::Stack(self.stack.take(size.next_multiple_of(8), align));
            }
            Passing::StructReturn => return ArgumentPlace::Register(x(RESULT_ADDRESS)),
            Passing::Group { len } => self.group = Group { left: len, place: self.group_of(ty, len, 8) },
            // Rules C.10 and C.13: of two integers both are in memory, at a multiple of 16, or in an even register and the next.
            Passing::PairLow if !is_vector(ty) => {
                self.words = self.words.next_multiple_of(2);
                self.group = Group { left: 2, place: self.group_of(ty, 2, 16) };
            }
            _ => {}
        }
        if self.group.left > 0 {
            return self.next_of_group(ty);
        }
        if is_vector(ty) {
            if self.vectors < ARGS {
                self.vectors += 1;
                return ArgumentPlace::Register(v(self.vectors - 1));
            }
        } else if let Some(reg) = self.word(self.words) {
            self.words += 1;
            return ArgumentPlace::Register(reg);
        }
        let size = ty.bytes().max(8);
        ArgumentPlace::Stack(self.stack.take(size, size.min(16)))
    }

    /// The place of a group of `len` arguments of one type, which on the stack is at a multiple of `align`. If it is there, so
    /// are all later ones of its kind.
    fn group_of(&mut self, ty: Type, len: u16, align: u32) -> ArgumentPlace {
        let count = u8::try_from(len).unwrap_or(u8::MAX);
        let taken = if is_vector(ty) { &mut self.vectors } else { &mut self.words };
        let first = *taken;
        let end = first.saturating_add(count);
        let registers = match self.convention {
            Convention::PreserveNone if !is_vector(ty) => MANY.len() as u8,
            _ => ARGS,
        };
        if end <= registers {
            *taken = end;
            let reg = if is_vector(ty) { Some(v(first)) } else { self.word(first) };
            return ArgumentPlace::Register(reg.unwrap_or(x(0)));
        }
        *taken = registers;
        let size = ty.bytes().saturating_mul(len.into()).next_multiple_of(8);
        ArgumentPlace::Stack(self.stack.take(size, align.max(ty.bytes().min(16))))
    }

    /// The place of the next argument of the group.
    fn next_of_group(&mut self, ty: Type) -> ArgumentPlace {
        let Group { left, place } = self.group;
        let rest = match place {
            ArgumentPlace::Stack(at) => ArgumentPlace::Stack(at.saturating_add(ty.bytes())),
            ArgumentPlace::Register(reg) => ArgumentPlace::Register(self.behind(reg)),
            ArgumentPlace::Words { .. } => place,
        };
        self.group = Group { left: left - 1, place: rest };
        place
    }

    /// The register behind one that carries an argument.
    fn behind(&self, reg: PReg) -> PReg {
        match self.convention {
            Convention::PreserveNone if reg.0 < v(0).0 => {
                let at = MANY.iter().position(|&n| n == reg.0).map_or(0, |at| at + 1);
                x(MANY.get(at).copied().unwrap_or(0))
            }
            _ => PReg(reg.0 + 1),
        }
    }
}

impl PlaceArguments for ArgumentPlaces {
    fn next_part(&mut self, ty: Type, passing: Passing) -> StackPart {
        match self.next(ty, passing) {
            ArgumentPlace::Stack(offset) => StackPart::Whole(offset),
            ArgumentPlace::Words { .. } | ArgumentPlace::Register(_) => StackPart::None,
        }
    }

    fn stack_area(&self) -> StackArguments {
        self.stack
    }
}

impl PlaceWords for ArgumentPlaces {
    #[inline]
    fn next(&mut self, ty: Type, passing: Passing) -> ArgumentPlace {
        // Most arguments are this one.
        if matches!(ty, Type::I32 | Type::I64)
            && passing == Passing::Plain
            && self.convention != Convention::PreserveNone
            && self.group.left == 0
            && self.words < ARGS
        {
            self.words += 1;
            return ArgumentPlace::Register(x(self.words - 1));
        }
        self.next_of_any(ty, passing)
    }

    /// What is left of the registers is saved as a whole.
    fn free_registers(&self) -> Range<u8> {
        0..0
    }
}

/// The places of the results of these types; `None` where there is no result.
#[inline]
pub(crate) fn result_places(convention: Convention, types: [Type; 2]) -> [Option<ArgumentPlace>; 2] {
    let (mut words, mut vectors) = (0, 0);
    types.map(|ty| match ty {
        Type::Void => None,
        _ if ty.is_vector() && convention == Convention::Lanes => {
            let (first, registers) = (vectors, ty.lanes() as u8);
            vectors += registers;
            Some(ArgumentPlace::Words { first, registers, stack: 0 })
        }
        _ if is_vector(ty) => {
            vectors += 1;
            Some(ArgumentPlace::Register(v(vectors - 1)))
        }
        _ => {
            words += 1;
            Some(ArgumentPlace::Register(x(words - 1)))
        }
    })
}

/// Offsets of everything in the frame. Reused from function to function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// Where everything is below what is saved.
    pub(crate) layout: FrameLayout,
    /// General registers to save, from low addresses on: the frame pointer first, and the return address behind it.
    pub(crate) saved: ArrayVec<u8, 12>,
    /// Vector registers of which to save the low half, above those.
    pub(crate) saved_vectors: ArrayVec<u8, 8>,
    /// Bytes of what is saved.
    pub(crate) save_area: u32,
    /// Whether x29 is the frame pointer, whatever hangs off it.
    pub(crate) has_pointer: bool,
    /// Whether the return address is signed while the function runs.
    pub(crate) signs_return: bool,
}

/// The number of the frame pointer, and that of the register with the return address.
const FRAME_POINTER: u8 = 29;
const RETURN_ADDRESS: u8 = 30;
/// The DWARF numbers of the stack pointer and of v0 (DWARF for the Arm 64-bit Architecture, 2023Q3, 4.1).
pub(crate) const DWARF_SP: u16 = 31;
const DWARF_V0: u16 = 64;

/// The DWARF number of a register.
pub(crate) fn dwarf_register(reg: PReg) -> Option<u16> {
    let place = Allocation::reg(reg);
    let number = |first: PReg, start: u16| place.as_reg_of(first, 32).map(|n| start + u16::from(n));
    number(x(0), 0).or_else(|| number(v(0), DWARF_V0))
}

impl Frame {
    /// Where a part of the frame begins from the register that it hangs off, unless it is not there.
    pub(crate) fn start_of(&self, base: Base) -> Option<i32> {
        Some(match base {
            Base::Object(n) => *self.layout.objects.get(n as usize)?,
            Base::Allocated => self.layout.outgoing,
            Base::Incoming => self.layout.incoming,
            Base::Saved => self.record(),
            _ => 0,
        })
    }

    /// Lays out the frame of an allocated function.
    pub(crate) fn compute(
        &mut self,
        mach: &MachFunction<Inst>,
        allocation: &Output,
    ) -> Result<(), ErrorKind> {
        let info: &FrameInfo = &mach.frame;
        let layout = &mut self.layout;
        let end = layout.place_body(info, &allocation.slots, STACK_ALIGN);
        self.saved.clear();
        self.saved_vectors.clear();
        let used = saved_registers(mach, allocation, regs::callee_saved(info.convention));
        self.has_pointer = layout.pointer == FramePointer::Used;
        // Short offsets are above a register.
        if !info.has_dynamic_alloca {
            layout.pointer = FramePointer::None;
        }
        if self.has_pointer || used.iter().any(|unit| unit == FRAME_POINTER) {
            self.saved.push(FRAME_POINTER);
        }
        if self.has_pointer || info.has_calls {
            self.saved.push(RETURN_ADDRESS);
        }
        self.signs_return = match info.signed_return {
            SignedReturn::Never => false,
            SignedReturn::WhereSaved => self.saved.contains(&RETURN_ADDRESS),
            SignedReturn::Always => true,
        };
        for unit in used.iter() {
            match unit {
                FRAME_POINTER | RETURN_ADDRESS => {}
                0..32 => self.saved.push(unit),
                _ => self.saved_vectors.push(unit - v(0).0),
            }
        }
        let count = self.saved.len() + self.saved_vectors.len();
        self.save_area = (8 * count as u32).next_multiple_of(STACK_ALIGN);
        let area = u64::from(self.save_area);
        layout.close(end, FrameTop { taken: area, align: STACK_ALIGN.into(), above_pointer: Some(area) })
    }

    /// Whether the frame may be taken behind the entry.
    pub(crate) fn may_be_late(&self, mach: &MachFunction<Inst>) -> bool {
        late_frame::may_be_late(mach, &self.layout, self.save_area)
            && !matches!(mach.frame.signed_return, SignedReturn::Always)
    }

    /// The registers that the prologue saves.
    pub(crate) fn saved_units(&self) -> RegUnits {
        let general = self.saved.iter().map(|&number| x(number));
        let vectors = self.saved_vectors.iter().map(|&number| v(number));
        general.chain(vectors).fold(RegUnits::EMPTY, |units, reg| units.union(RegUnits::of(reg.0)))
    }

    /// Where the saved frame pointer is, from the register that the frame hangs off.
    pub(crate) fn record(&self) -> i32 {
        match self.layout.pointer {
            FramePointer::None => self.layout.size as i32,
            FramePointer::Used => 0,
        }
    }

    /// Says what the prologue has done to the caller's registers.
    pub(crate) fn describe(&self, facts: &mut UnwindFacts) {
        let base = match self.layout.pointer {
            FramePointer::None => DWARF_SP,
            FramePointer::Used => FRAME_POINTER.into(),
        };
        facts.begin(self.layout.size + self.save_area, (base, -self.layout.incoming));
        facts.signs_return = self.signs_return;
        let general = self.saved.iter().map(|&number| u16::from(number));
        let vectors = self.saved_vectors.iter().map(|&number| DWARF_V0 + u16::from(number));
        for (number, at) in general.chain(vectors).zip((-(self.save_area as i32)..).step_by(8)) {
            facts.save(number, at);
        }
    }
}

/// Whether the instruction needs nothing of the frame.
pub(crate) fn is_frameless(inst: &Inst) -> bool {
    match inst {
        Inst::ReturnCall { from, to, .. } => from == to,
        Inst::Load { mem, .. }
        | Inst::Store { mem, .. }
        | Inst::Lea { mem, .. }
        | Inst::LoadFloat { mem, .. }
        | Inst::StoreFloat { mem, .. } => matches!(mem.base, Base::Reg(_) | Base::Page(..)),
        Inst::Ret
        | Inst::Trap
        | Inst::Unreachable
        | Inst::Jump { .. }
        | Inst::Branch { .. }
        | Inst::Switch { .. }
        | Inst::Params
        | Inst::Scratch { .. }
        | Inst::TableEntry { .. }
        | Inst::TrapIfZero { .. } => true,
        other => other.is_plain(),
    }
}

#[cfg(test)]
mod tests {
    use super::ArgumentPlace::*;
    use super::*;
    use Type::*;

    fn places<const N: usize>(arguments: [(Type, Passing); N]) -> ([ArgumentPlace; N], u32) {
        let mut places = ArgumentPlaces::new(Convention::Standard);
        (arguments.map(|(ty, passing)| places.next(ty, passing)), places.stack_area().bytes())
    }

    const fn plain(ty: Type) -> (Type, Passing) {
        (ty, Passing::Plain)
    }

    #[test]
    fn each_kind_has_its_registers() {
        let list =
            [plain(I32), plain(F32), plain(I64), plain(V4I32), (I64, Passing::StructReturn), plain(I8)];
        let expected = [x(0), v(0), x(1), v(1), x(8), x(2)].map(Register);
        assert_eq!(places(list), (expected, 0));
        let list = [plain(I64); 10];
        assert_eq!(places(list).0[7..], [Register(x(7)), Stack(0), Stack(8)]);
        let mut list = [plain(F32); 11];
        (list[9], list[10]) = (plain(V4F32), plain(F64));
        assert_eq!((places(list).0[8..].to_vec(), places(list).1), (vec_of([0, 16, 32]), 40));
    }

    fn vec_of<const N: usize>(offsets: [u32; N]) -> alloc::vec::Vec<ArgumentPlace> {
        offsets.map(Stack).to_vec()
    }

    #[test]
    fn a_pair_begins_at_an_even_register() {
        let pair = [(I64, Passing::PairLow), plain(I64)];
        let list = [plain(I32), pair[0], pair[1], plain(I32)];
        assert_eq!(places(list).0, [x(0), x(2), x(3), x(4)].map(Register));
        let mut list = [plain(I64); 11];
        (list[7], list[8]) = (pair[0], pair[1]);
        list[9] = pair[0];
        assert_eq!(places(list).0[6..], [Register(x(6)), Stack(0), Stack(8), Stack(16), Stack(24)]);
    }

    #[test]
    fn groups_are_together() {
        let group = |ty, len| (ty, Passing::Group { len });
        let mut list = [plain(F32); 12];
        list[6] = group(F32, 3);
        // No register is used behind a group on the stack.
        assert_eq!(
            places(list).0[5..],
            [Register(v(5)), Stack(0), Stack(4), Stack(8), Stack(16), Stack(24), Stack(32)]
        );
        let list = [group(I64, 2), plain(I64), plain(I64)];
        assert_eq!(
            places(list).0,
            [x(0), x(1), x(2), x(3)][..3].iter().map(|&reg| Register(reg)).collect::<alloc::vec::Vec<_>>()[..]
        );
    }

    #[test]
    fn two_results_are_in_the_next_registers_of_their_kind() {
        assert_eq!(
            result_places(Convention::Standard, [I32, F64]),
            [Some(Register(x(0))), Some(Register(v(0)))]
        );
        assert_eq!(
            result_places(Convention::Standard, [F32, F64]),
            [Some(Register(v(0))), Some(Register(v(1)))]
        );
        assert_eq!(
            result_places(Convention::Standard, [I64, I64]),
            [Some(Register(x(0))), Some(Register(x(1)))]
        );
        assert_eq!(result_places(Convention::Standard, [Void, Void]), [None, None]);
        assert_eq!(
            result_places(Convention::Lanes, [V2F64, F64]),
            [Some(Words { first: 0, registers: 2, stack: 0 }), Some(Register(v(2)))]
        );
    }
}
