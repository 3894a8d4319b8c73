//! The calling convention o32 and the frame.
//!
//! Each argument has words in the area of stack arguments, at multiples of 4 or, for what is 64 bits wide or a vector,
//! of 8. The first four words are not in memory but in $a0 to $a3, though the caller gives them room there: the *home* of
//! the registers. Of the first two arguments those up to the first that is no float are in $f12 and $f14; in variadic
//! functions none is. A vector is four words, as LLVM has it. (System V ABI, MIPS RISC Processor Supplement, 3rd edition,
//! 3-17 ff.)
//!
//! Results: integers and vectors of integers in $v0, $v1, $a0, $a1, floats in $f0 and $f2. A vector of floats does not
//! fit: the caller gives the address of memory for it as a first argument (`has_hidden_result`).
//!
//! Functions that preserve nothing have no home. They take integers in $s0 to $s7 and $a1 to $a3, doublewords and vectors in
//! registers that follow each other, floats in $f20 to $f30 and $f12, $f14; each where the type has room, and what has
//! none behind one another on the stack. Their results are the usual ones.
//!
//! The frame, from high to low addresses: incoming stack arguments with the home, saved general registers, saved
//! doublewords, fixed objects and spill slots by falling alignment, outgoing arguments. All offsets count from the stack
//! pointer behind the prologue; where that moves in the body, $fp keeps what it was.

use crate::inst::{Base, Inst};
use crate::regs::{self, d, r, s};
use core::ops::Range;
pub(crate) use ice_codegen::abi::ArgumentPlace;
use ice_codegen::abi::{StackArguments, saved_registers};
use ice_codegen::frame_layout::{FrameLayout, FrameTop};
use ice_codegen::late_frame;
use ice_codegen::mach::{FrameInfo, FramePointer, MachFunction};
use ice_codegen::return_call::{PlaceArguments, StackPart};
use ice_codegen::words::PlaceWords;
use ice_codegen::{ErrorKind, UnwindFacts};
use ice_ir::Type;
use ice_ir::native::Passing;
use ice_regalloc::{Allocation, Output, PReg, RegUnits};

/// General registers that carry arguments.
const WORD_ARGS: u8 = 4;
/// The first of them, $a0.
pub(crate) const FIRST_ARG: u8 = 4;
/// Bytes of their home.
const HOME: u32 = 4 * WORD_ARGS as u32;
/// The general registers that carry results.
const RESULTS: u8 = 4;
/// The first of them, $v0; the others follow it.
pub(crate) const FIRST_RESULT: u8 = 2;
/// Alignment of the stack pointer in bytes.
pub(crate) const STACK_ALIGN: u32 = 8;

/// Which places arguments have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Convention {
    /// Those of o32.
    Fixed,
    /// Those of o32 where floats are words.
    Variadic,
    /// Those of functions that preserve nothing.
    PreserveNone,
}

/// The runs of general registers that carry arguments of functions that preserve nothing: their first, and how many there
/// are up to the end of each.
const MANY_WORDS: [(u8, u8); 2] = [(16, 8), (5, 11)];

/// The floating-point registers that carry arguments of functions that preserve nothing.
const MANY_FLOATS: [u8; 8] = [20, 22, 24, 26, 28, 30, 12, 14];

/// Which arguments can be in floating-point registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Floats {
    /// All so far were, so many.
    Leading(u8),
    /// No more.
    Done,
}

/// Hands out argument places from left to right.
#[derive(Clone, Copy)]
pub struct ArgumentPlaces {
    /// The words so far, those in registers with them.
    stack: StackArguments,
    floats: Floats,
    /// The general and the floating-point registers that are taken of a function that preserves nothing.
    many: Option<(u8, u8)>,
}

impl ArgumentPlaces {
    pub(crate) const fn new(convention: Convention) -> Self {
        let (floats, many) = match convention {
            Convention::Variadic => (Floats::Done, None),
            Convention::Fixed => (Floats::Leading(0), None),
            Convention::PreserveNone => (Floats::Done, Some((0, 0))),
        };
        ArgumentPlaces { stack: StackArguments::EMPTY, floats, many }
    }

    /// The place of the next argument of a function that preserves nothing, which has taken so many registers.
    fn next_of_many(&mut self, (words, floats): (u8, u8), ty: Type) -> ArgumentPlace {
        let size = ty.bytes().next_multiple_of(4);
        let on_stack =
            |places: &mut Self| ArgumentPlace::Stack(places.stack.take(size, size.min(STACK_ALIGN)));
        if ty.is_scalar_float() {
            let Some(&number) = MANY_FLOATS.get(usize::from(floats)) else { return on_stack(self) };
            self.many = Some((words, floats + 1));
            return ArgumentPlace::Register(if ty == Type::F32 { s(number) } else { d(number) });
        }
        // A vector of booleans or of parts of words is words, too.
        let count = if ty.is_vector() { 4 } else { (size / 4) as u8 };
        let mut start = 0;
        for (first, end) in MANY_WORDS {
            let taken = words.max(start);
            if taken + count <= end {
                self.many = Some((taken + count, floats));
                let first = first + taken - start;
                return match (ty.is_vector(), count) {
                    (false, 1) => ArgumentPlace::Register(r(first)),
                    _ => ArgumentPlace::Words { first, registers: count, stack: self.stack.bytes() },
                };
            }
            start = end;
        }
        if ty.is_vector() { ArgumentPlace::Stack(self.stack.take(16, STACK_ALIGN)) } else { on_stack(self) }
    }

    /// The place of the next argument, of any type.
    #[inline(never)]
    fn next_of_any(&mut self, ty: Type, passing: Passing) -> ArgumentPlace {
        if let (Some(many), false) = (self.many, matches!(passing, Passing::ByVal { .. })) {
            return self.next_of_many(many, ty);
        }
        if let Passing::ByVal { size, align_log2 } = passing {
            self.floats = Floats::Done;
            if self.many.is_some() {
                let align = if align_log2 > 2 { 8 } else { 4 };
                return ArgumentPlace::Stack(self.stack.take(size.next_multiple_of(4), align));
            }
            return self.words(size.div_ceil(4), if align_log2 > 2 { 8 } else { 4 });
        }
        match (ty, self.floats) {
            (Type::F32 | Type::F64, Floats::Leading(n @ 0..2)) => {
                self.floats = Floats::Leading(n + 1);
                self.stack.take(ty.bytes(), ty.bytes());
                let number = 12 + 2 * n;
                return ArgumentPlace::Register(if ty == Type::F32 { s(number) } else { d(number) });
            }
            (Type::F32 | Type::F64, _) => {}
            _ => self.floats = Floats::Done,
        }
        match ty {
            Type::I64 | Type::F64 => self.words(2, 8),
            Type::F32 => self.words(1, 4),
            _ if ty.is_vector() => self.words(4, 8),
            _ => match self.words(1, 4) {
                ArgumentPlace::Words { first, .. } => ArgumentPlace::Register(r(first)),
                place => place,
            },
        }
    }

    fn words(&mut self, count: u32, align: u32) -> ArgumentPlace {
        let offset = self.stack.take(count.saturating_mul(4), align);
        match HOME.checked_sub(offset) {
            None | Some(0) => ArgumentPlace::Stack(offset),
            Some(left) => {
                let registers = count.min(left / 4);
                let (first, stack) = (FIRST_ARG + (offset / 4) as u8, offset + 4 * registers);
                ArgumentPlace::Words { first, registers: registers as u8, stack }
            }
        }
    }
}

impl PlaceArguments for ArgumentPlaces {
    fn next_part(&mut self, ty: Type, passing: Passing) -> StackPart {
        match self.next(ty, passing) {
            ArgumentPlace::Stack(offset) => StackPart::Whole(offset),
            ArgumentPlace::Words { stack, .. } if self.stack.bytes() > stack => StackPart::Some(stack),
            ArgumentPlace::Words { .. } | ArgumentPlace::Register(_) => StackPart::None,
        }
    }

    /// The whole area, with the home that every usual call has.
    fn stack_area(&self) -> StackArguments {
        let mut area = self.stack;
        if self.many.is_some() {
            return area;
        }
        area.take(HOME.saturating_sub(area.bytes()), 1);
        area
    }
}

impl PlaceWords for ArgumentPlaces {
    fn free_registers(&self) -> Range<u8> {
        FIRST_ARG + (self.stack.bytes().min(HOME) / 4) as u8..FIRST_ARG + WORD_ARGS
    }

    #[inline]
    fn next(&mut self, ty: Type, passing: Passing) -> ArgumentPlace {
        // Most arguments are this one.
        if ty == Type::I32
            && passing == Passing::Plain
            && self.many.is_none()
            && let offset @ 0..HOME = self.stack.bytes()
        {
            self.floats = Floats::Done;
            self.stack.take(4, 4);
            return ArgumentPlace::Register(r(FIRST_ARG + (offset / 4) as u8));
        }
        self.next_of_any(ty, passing)
    }
}

/// The places of the results of these types; `None` where there is no result, or if there are not enough registers.
#[inline]
pub(crate) fn result_places(types: [Type; 2]) -> Option<[Option<ArgumentPlace>; 2]> {
    let (mut words, mut floats) = (0u8, 0u8);
    let mut out = [None; 2];
    for (out, ty) in out.iter_mut().zip(types) {
        *out = match ty {
            Type::Void => continue,
            Type::F32 => Some(ArgumentPlace::Register(s(2 * floats))),
            Type::F64 => Some(ArgumentPlace::Register(d(2 * floats))),
            _ => {
                let count = match ty {
                    Type::I64 => 2,
                    _ if ty.is_vector() => 4,
                    _ => 1,
                };
                let first = FIRST_RESULT + words;
                words += count;
                Some(ArgumentPlace::Words { first, registers: count, stack: 0 })
            }
        };
        floats += u8::from(ty.is_scalar_float());
    }
    (words <= RESULTS).then_some(out)
}

/// Offsets of everything in the frame. Reused from function to function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// Where everything is below what is saved.
    pub(crate) layout: FrameLayout,
    /// General registers to save, one bit each.
    pub(crate) saved: u32,
    /// Doublewords to save: their first registers, one bit each.
    pub(crate) saved_doubles: u32,
    /// Bytes of what is saved.
    pub(crate) save_area: u32,
    /// All registers to save.
    pub(crate) saved_units: RegUnits,
}

/// The numbers of the bits that are set.
pub(crate) fn bits(mask: u32) -> impl Iterator<Item = u8> {
    let mut left = mask;
    core::iter::from_fn(move || {
        let number = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (number < 32).then_some(number as u8)
    })
}

/// The DWARF number of a register; of the first of a doubleword.
pub(crate) fn dwarf_register(reg: PReg) -> Option<u16> {
    let place = Allocation::reg(reg);
    let number = |first: PReg, count, start: u16, step: u16| {
        place.as_reg_of(first, count).map(|n| start + step * u16::from(n))
    };
    number(r(0), 32, 0, 1).or_else(|| number(s(0), 32, 32, 1)).or_else(|| number(d(0), 16, 32, 2))
}

impl Frame {
    /// Lays out the frame of an allocated function.
    pub(crate) fn compute(
        &mut self,
        mach: &MachFunction<Inst>,
        allocation: &Output,
    ) -> Result<(), ErrorKind> {
        let info: &FrameInfo = &mach.frame;
        let layout = &mut self.layout;
        let end = layout.place_body(info, &allocation.slots, STACK_ALIGN);
        (self.saved, self.saved_doubles) = (0, 0);
        let used = saved_registers(mach, allocation, regs::callee_saved(info.convention));
        self.saved_units = used.union(RegUnits::of(r(31).0));
        for unit in used.iter() {
            match unit {
                0..32 => self.saved |= 1 << unit,
                _ => self.saved_doubles |= 1 << (unit & 30),
            }
        }
        if layout.pointer == FramePointer::Used {
            self.saved |= 1 << 30;
        }
        if info.has_calls || info.needs_frame_pointer {
            self.saved |= 1 << 31;
        }
        self.save_area =
            8 * self.saved_doubles.count_ones() + (4 * self.saved.count_ones()).next_multiple_of(STACK_ALIGN);
        let top = FrameTop { taken: self.save_area.into(), align: STACK_ALIGN.into(), above_pointer: None };
        layout.close(end, top)
    }

    /// Whether the frame may be taken behind the entry.
    pub(crate) fn may_be_late(&self, mach: &MachFunction<Inst>) -> bool {
        late_frame::may_be_late(mach, &self.layout, self.save_area)
    }

    /// The general registers that are saved, with their offsets in the area of what is saved.
    pub(crate) fn saved_words(&self) -> impl Iterator<Item = (u8, i32)> {
        let start = 8 * self.saved_doubles.count_ones() as i32;
        bits(self.saved).zip((0..).map(move |n| start + 4 * n))
    }

    /// The doublewords that are saved, with their offsets in the area of what is saved.
    pub(crate) fn saved_floats(&self) -> impl Iterator<Item = (u8, i32)> {
        bits(self.saved_doubles).zip((0..).map(|n| 8 * n))
    }

    /// Where the return address is, if it is saved.
    pub(crate) fn return_address(&self) -> Option<i32> {
        self.saved_words().find(|&(number, _)| number == 31).map(|(_, at)| self.layout.size as i32 + at)
    }

    /// Says what the prologue has done to the caller's registers. A floating-point register has the DWARF number
    /// behind those of the general ones.
    pub(crate) fn describe(&self, facts: &mut UnwindFacts) {
        let base = match self.layout.pointer {
            FramePointer::None => 29,
            FramePointer::Used => 30,
        };
        facts.begin(self.layout.incoming as u32, (base, -self.layout.incoming));
        let area = -(self.save_area as i32);
        for (number, at) in self.saved_words() {
            facts.save(number.into(), area + at);
        }
        for (number, at) in self.saved_floats() {
            facts.save(32 + u16::from(number), area + at);
            facts.save(33 + u16::from(number), area + at + 4);
        }
    }
}

/// Whether the instruction needs nothing of the frame but incoming arguments.
pub(crate) fn is_frameless(inst: &Inst) -> bool {
    match inst {
        Inst::ReturnCall { from, to, .. } => from == to,
        Inst::Load { mem, .. }
        | Inst::Store { mem, .. }
        | Inst::LoadLeft { mem, .. }
        | Inst::StoreAnywhere { mem, .. }
        | Inst::Lea { mem, .. }
        | Inst::LoadFloat { mem, .. }
        | Inst::StoreFloat { mem, .. }
        | Inst::LoadHalves { mem, .. }
        | Inst::StoreHalves { mem, .. } => {
            matches!(mem.base, Base::Reg(_) | Base::Symbol(_) | Base::Page(..) | Base::Incoming)
        }
        Inst::Ret
        | Inst::Trap
        | Inst::Unreachable
        | Inst::Jump { .. }
        | Inst::Branch { .. }
        | Inst::Switch { .. }
        | Inst::SwitchPair { .. }
        | Inst::Params
        | Inst::Scratch { .. }
        | Inst::Mov { .. }
        | Inst::MovImm { .. }
        | Inst::MovSymbol { .. }
        | Inst::GlobalBase { .. }
        | Inst::TableEntry { .. }
        | Inst::Alu { .. }
        | Inst::AluSigned { .. }
        | Inst::AluUnsigned { .. }
        | Inst::Shift { .. }
        | Inst::ShiftBy { .. }
        | Inst::Count { .. }
        | Inst::Extend { .. }
        | Inst::Extract { .. }
        | Inst::Insert { .. }
        | Inst::CondMov { .. }
        | Inst::FlagMov { .. }
        | Inst::HiLo { .. }
        | Inst::MultiplyLong { .. }
        | Inst::MultiplyAdd { .. }
        | Inst::TrapIfZero { .. }
        | Inst::MovFloat { .. }
        | Inst::SingleBits { .. }
        | Inst::DoubleBits { .. }
        | Inst::Float3 { .. }
        | Inst::Float2 { .. }
        | Inst::CompareFloat { .. }
        | Inst::CondMovFloat { .. }
        | Inst::FlagMovFloat { .. }
        | Inst::Convert { .. }
        | Inst::WordToSingle { .. }
        | Inst::SingleToWord { .. }
        | Inst::PairToDouble { .. }
        | Inst::DoubleToPair { .. }
        | Inst::HighHalf { .. }
        | Inst::WithHighHalf { .. } => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::ArgumentPlace::*;
    use super::*;
    use Type::*;

    fn places<const N: usize>(convention: Convention, types: [Type; N]) -> ([ArgumentPlace; N], u32) {
        let mut places = ArgumentPlaces::new(convention);
        (types.map(|ty| places.next(ty, Passing::Plain)), places.stack_area().bytes())
    }

    const fn words(first: u8, registers: u8, stack: u32) -> ArgumentPlace {
        Words { first, registers, stack }
    }

    #[test]
    fn leading_floats_have_registers_of_their_own() {
        assert_eq!(
            places(Convention::Fixed, [F32, F64, F32]),
            ([Register(s(12)), Register(d(14)), Stack(16)], 20)
        );
        assert_eq!(
            places(Convention::Fixed, [F64, I32, F32]).0,
            [Register(d(12)), Register(r(6)), words(7, 1, 16)]
        );
        assert_eq!(places(Convention::Fixed, [I32, F64]), ([Register(r(4)), words(6, 2, 16)], 16));
        assert_eq!(places(Convention::Variadic, [F64]).0, [words(4, 2, 8)]);
    }

    #[test]
    fn wide_arguments_are_at_even_words() {
        assert_eq!(
            places(Convention::Fixed, [I32, I64, I32]),
            ([Register(r(4)), words(6, 2, 16), Stack(16)], 20)
        );
        assert_eq!(
            places(Convention::Fixed, [I32, V4I32, V4I32]),
            ([Register(r(4)), words(6, 2, 16), Stack(24)], 40)
        );
        let mut places = ArgumentPlaces::new(Convention::Fixed);
        let object = |size, align_log2| Passing::ByVal { size, align_log2 };
        assert_eq!(places.next(I32, object(10, 2)), words(4, 3, 12));
        assert_eq!(places.next(I32, object(16, 3)), Stack(16));
        assert!(places.free_registers().is_empty());
    }

    #[test]
    fn two_results_are_in_the_next_registers_of_their_kind() {
        assert_eq!(result_places([I32, F64]), Some([Some(words(2, 1, 0)), Some(Register(d(0)))]));
        assert_eq!(result_places([F32, F64]), Some([Some(Register(s(0))), Some(Register(d(2)))]));
        assert_eq!(result_places([I64, I64]), Some([Some(words(2, 2, 0)), Some(words(4, 2, 0))]));
        assert_eq!(result_places([V4I32, I32]), None);
    }
}
