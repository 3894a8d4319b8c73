//! The calling convention and the frame.
//!
//! Arguments and results follow the procedure call standard (AAPCS, IHI 0042F). In its VFP variant (6.1): four
//! core registers, an `i64` in an even pair of them; sixteen single-precision registers, filled back to front
//! with what fits; the rest on the stack, 8-byte values at multiples of 8. In the base standard, which variadic
//! functions and the helpers of the run-time ABI follow, floats travel as integers of their size do. Functions that
//! preserve nothing take integers in r4 to r10, then r0 to r3, each register where the type has room, and floats as in the
//! VFP variant; their results are those of that.
//!
//! The frame, from high to low addresses: incoming stack arguments, register arguments that must be in memory
//! right below them, saved core registers with lr, saved doubleword registers, padding, fixed objects and spill
//! slots by falling alignment, outgoing arguments. Everything hangs off the stack pointer after the prologue;
//! where that moves in the body, off r11, which points to its own saved value with the saved lr above, so that
//! frames are a list.

use crate::inst::{Base, Inst};
use crate::regs::{self, d, q, r, s};
use core::ops::Range;
use ice_asm::arm32::{Gpr, RegList};
pub(crate) use ice_codegen::abi::ArgumentPlace;
use ice_codegen::abi::{StackArguments, saved_registers};
use ice_codegen::frame_layout::{FrameLayout, FrameTop};
use ice_codegen::fusion::SteppingInst as _;
use ice_codegen::late_frame;
use ice_codegen::mach::{FrameInfo, FramePointer, MachFunction};
use ice_codegen::return_call::{PlaceArguments, StackPart};
use ice_codegen::words::PlaceWords;
use ice_codegen::{ErrorKind, UnwindFacts};
use ice_ir::Type;
use ice_ir::native::Passing;
use ice_regalloc::{Allocation, Output, PReg, RegUnits};

/// Which variant of the standard a call follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Convention {
    /// Floats and vectors in extension registers.
    Vfp,
    /// Everything in core registers.
    Base,
    /// That of functions that preserve nothing.
    PreserveNone,
}

/// Core registers that carry arguments.
pub(crate) const CORE_ARGS: u8 = 4;

/// The runs of core registers that carry arguments of functions that preserve nothing: r4 to r10, r0 to r3. As many of the
/// first run, and of both.
const MANY_CORE: (u8, u8) = (7, 11);

/// Hands out argument places from left to right.
#[derive(Clone, Copy)]
pub struct ArgumentPlaces {
    convention: Convention,
    /// The next core register (NCRN).
    core: u8,
    /// The number of core registers that are taken, for functions that preserve nothing.
    many: u8,
    /// Single-precision registers that are free, one bit each.
    free: u16,
    /// Those on the stack so far (NSAA).
    stack: StackArguments,
    /// What is left of a group.
    group: Group,
}

/// The place of what is left of a group of arguments.
#[derive(Clone, Copy)]
struct Group {
    /// How many.
    left: u16,
    place: ArgumentPlace,
}

impl ArgumentPlaces {
    pub(crate) const fn new(convention: Convention) -> Self {
        // Where other registers carry arguments, the usual ones are taken.
        let core = if matches!(convention, Convention::PreserveNone) { CORE_ARGS } else { 0 };
        ArgumentPlaces {
            convention,
            core,
            many: 0,
            free: 0xffff,
            stack: StackArguments::EMPTY,
            group: Group { left: 0, place: ArgumentPlace::Stack(0) },
        }
    }

    #[inline(never)]
    fn next_of_any(&mut self, ty: Type, passing: Passing) -> ArgumentPlace {
        if let Passing::ByVal { size, align_log2 } = passing {
            let align = if align_log2 > 2 { 8 } else { 4 };
            return self.words(size.div_ceil(4), align);
        }
        if self.convention == Convention::PreserveNone && !is_extension(ty) {
            return self.next_of_many(if ty == Type::I64 { 2 } else { 1 });
        }
        let vfp = self.convention != Convention::Base;
        if let (Passing::Group { len }, Convention::Vfp) = (passing, self.convention) {
            self.group = Group { left: len, place: self.group(ty, len) };
        }
        if self.group.left > 0 {
            return self.next_of_group(ty);
        }
        match ty {
            Type::F32 if vfp => {
                self.extension(1).map_or_else(|| self.on_stack(4, 4), |n| ArgumentPlace::Register(s(n)))
            }
            Type::F64 if vfp => {
                self.extension(2).map_or_else(|| self.on_stack(8, 8), |n| ArgumentPlace::Register(d(n / 2)))
            }
            _ if ty.is_vector() && vfp => {
                self.extension(4).map_or_else(|| self.on_stack(16, 8), |n| ArgumentPlace::Register(q(n / 4)))
            }
            Type::I64 | Type::F64 => self.words(2, 8),
            _ if ty.is_vector() => self.words(4, 8),
            Type::F32 => self.words(1, 4),
            _ => match self.next_core() {
                Some(reg) => ArgumentPlace::Register(reg),
                None => self.on_stack(4, 4),
            },
        }
    }

    #[inline]
    fn next_core(&mut self) -> Option<PReg> {
        let free = (self.core < CORE_ARGS).then(|| r(self.core));
        self.core += u8::from(free.is_some());
        free
    }

    /// The place of an integer of so many words of a function that preserves nothing.
    fn next_of_many(&mut self, words: u8) -> ArgumentPlace {
        let (run, all) = MANY_CORE;
        let start = if self.many + words > run { self.many.max(run) } else { self.many };
        if start + words > all {
            return self.on_stack(4 * u32::from(words), 4 * u32::from(words));
        }
        self.many = start + words;
        let first = if start < run { 4 + start } else { start - run };
        match words {
            1 => ArgumentPlace::Register(r(first)),
            _ => ArgumentPlace::Words { first, registers: words, stack: self.stack.bytes() },
        }
    }

    /// The place of a group of `len` arguments of one type.
    fn group(&mut self, ty: Type, len: u16) -> ArgumentPlace {
        let size = ty.bytes().max(4);
        let align = size.min(8);
        if !is_extension(ty) {
            return self.words((size / 4).saturating_mul(len.into()), align);
        }
        let each = (size / 4) as u16;
        let found = each.checked_mul(len).and_then(|count| self.extension_run(count, each));
        match found {
            Some(n) => ArgumentPlace::Register(s(n)),
            None => {
                self.free = 0;
                self.on_stack(size.saturating_mul(len.into()), align)
            }
        }
    }

    /// The place of the next argument of the group.
    fn next_of_group(&mut self, ty: Type) -> ArgumentPlace {
        let words = (ty.bytes().max(4) / 4) as u8;
        let Group { left, place } = self.group;
        let (this, rest) = match place {
            ArgumentPlace::Stack(at) => {
                (place, ArgumentPlace::Stack(at.saturating_add(4 * u32::from(words))))
            }
            ArgumentPlace::Register(PReg(first)) => {
                let n = first - s(0).0;
                let this = match words {
                    1 => s(n),
                    2 => d(n / 2),
                    _ => q(n / 4),
                };
                (ArgumentPlace::Register(this), ArgumentPlace::Register(s(n + words)))
            }
            ArgumentPlace::Words { registers: 0, stack, .. } => (
                ArgumentPlace::Stack(stack),
                ArgumentPlace::Stack(stack.saturating_add(4 * u32::from(words))),
            ),
            ArgumentPlace::Words { first, registers, stack } => {
                let this = match words {
                    1 => ArgumentPlace::Register(r(first)),
                    _ => ArgumentPlace::Words { first, registers: words.min(registers), stack },
                };
                let registers = registers.saturating_sub(words);
                (this, ArgumentPlace::Words { first: first + words, registers, stack })
            }
        };
        self.group = Group { left: left - 1, place: rest };
        this
    }

    /// Words in core registers, in whole or, while the stack is empty, in part (rules C.3 to C.5).
    fn words(&mut self, count: u32, align: u32) -> ArgumentPlace {
        if align == 8 {
            self.core = self.core.next_multiple_of(2);
        }
        let (first, left) = (self.core, u32::from(CORE_ARGS - self.core));
        // Scalars of two words never are in part: an even register begins a whole pair.
        if left == 0 || count > left && !self.stack.is_empty() {
            self.core = CORE_ARGS;
            return self.on_stack(count.saturating_mul(4), align);
        }
        let registers = count.min(left) as u8;
        self.core += registers;
        let stack = self.stack.bytes();
        self.on_stack((count - u32::from(registers)).saturating_mul(4), 4);
        ArgumentPlace::Words { first, registers, stack }
    }

    /// The first of `count` free registers at a multiple of `count`. Once there are none, no later argument
    /// goes into a register (rule C.2).
    fn extension(&mut self, count: u8) -> Option<u8> {
        let found = self.extension_run(count.into(), count.into());
        if found.is_none() {
            self.free = 0;
        }
        found
    }

    /// The first of `count` free registers at a multiple of `step`.
    fn extension_run(&mut self, count: u16, step: u16) -> Option<u8> {
        let last = 16u8.checked_sub(u8::try_from(count).ok()?)?;
        let mask = |n: u8| (((1u32 << count) - 1) << n) as u16;
        let found = (0..=last).step_by(step.into()).find(|&n| self.free & mask(n) == mask(n));
        if let Some(n) = found {
            self.free &= !mask(n);
        }
        found
    }

    fn on_stack(&mut self, size: u32, align: u32) -> ArgumentPlace {
        ArgumentPlace::Stack(self.stack.take(size, align))
    }
}

impl PlaceArguments for ArgumentPlaces {
    fn next_part(&mut self, ty: Type, passing: Passing) -> StackPart {
        let before = self.stack.bytes();
        match self.next(ty, passing) {
            ArgumentPlace::Stack(offset) => StackPart::Whole(offset),
            ArgumentPlace::Words { stack, .. } if self.stack.bytes() > before => StackPart::Some(stack),
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
        if ty == Type::I32
            && passing == Passing::Plain
            && self.group.left == 0
            && let Some(reg) = self.next_core()
        {
            return ArgumentPlace::Register(reg);
        }
        self.next_of_any(ty, passing)
    }

    fn free_registers(&self) -> Range<u8> {
        self.core..CORE_ARGS
    }
}

/// Whether values of the type are in extension registers.
pub(crate) fn is_extension(ty: Type) -> bool {
    ty.is_vector() || ty.is_scalar_float()
}

/// The places of the results of these types; `None` where there is no result, or if there are not enough registers.
/// In core registers only an f64 is in an even pair, as LLVM has it for the results that C does not know.
#[inline]
pub(crate) fn result_places(convention: Convention, types: [Type; 2]) -> Option<[Option<ArgumentPlace>; 2]> {
    let convention = if convention == Convention::PreserveNone { Convention::Vfp } else { convention };
    let mut places = ArgumentPlaces::new(convention);
    let mut out = [None; 2];
    for (out, ty) in out.iter_mut().zip(types) {
        *out = match ty {
            Type::Void => continue,
            _ if is_extension(ty) && convention == Convention::Vfp => Some(places.next(ty, Passing::Plain)),
            Type::F64 => Some(places.words(2, 8)),
            Type::I64 | Type::F32 => Some(places.words(ty.bytes() / 4, 4)),
            _ if ty.is_vector() => Some(places.words(4, 4)),
            _ => Some(places.next(ty, Passing::Plain)),
        };
    }
    places.stack.is_empty().then_some(out)
}

/// Offsets of everything in the frame. Reused from function to function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// Where everything is below what is saved.
    pub(crate) layout: FrameLayout,
    /// Bytes above the saved registers that hold register arguments.
    pub(crate) register_arguments: u32,
    /// Core registers to save, lr among them.
    pub(crate) saved: RegList,
    /// First and number of the doubleword registers to save.
    pub(crate) saved_doubles: (u8, u8),
    /// All registers to save.
    pub(crate) saved_units: RegUnits,
}

/// Bytes of the saved r11 and lr, which are above all other saved registers.
pub(crate) const SAVED_PAIR: i32 = 8;

/// Alignment of the stack pointer at calls, in bytes (AAPCS 5.2.1.2).
pub(crate) const STACK_ALIGN: u32 = 8;

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
        let used = saved_registers(mach, allocation, regs::callee_saved(info.convention));
        self.saved_units = used.union(RegUnits::of(r(14).0));
        let mut saved = RegList::default();
        let (mut first, mut last) = (u8::MAX, 0);
        for unit in used.iter() {
            match unit {
                0..16 => saved = saved.with(Gpr::new(unit)),
                // The units of d8 to d15 are those of s16 to s31.
                _ => {
                    let double = (unit - 16) / 2;
                    (first, last) = (first.min(double), last.max(double));
                }
            }
        }
        if layout.pointer == FramePointer::Used {
            saved = saved.with(Gpr::new(11));
        }
        if info.has_calls || !saved.is_empty() {
            saved = saved.with(Gpr::LR);
        }
        self.saved = saved;
        self.saved_doubles = if first <= last { (first, last + 1 - first) } else { (8, 0) };

        self.register_arguments = info.register_arguments.next_multiple_of(STACK_ALIGN);
        let above = u64::from(self.register_arguments);
        let mut align = u64::from(STACK_ALIGN);
        if end == 0 && layout.pointer == FramePointer::None && saved.len() % 2 == 1 {
            // Padding alone: a register more to save, and none where nobody sees the stack pointer.
            match info.has_calls {
                true => self.saved = saved.with(Gpr::IP),
                false => align = 4,
            }
        }
        let pushed = 4 * u64::from(self.saved.len()) + 8 * u64::from(self.saved_doubles.1);
        // r11 points at its own saved value.
        let above_pointer = Some(above + SAVED_PAIR as u64);
        layout.close(end, FrameTop { taken: pushed + above, align, above_pointer })
    }

    /// Whether the frame may be taken behind the entry.
    pub(crate) fn may_be_late(&self, mach: &MachFunction<Inst>) -> bool {
        let pushed = 4 * self.saved.len() + 8 * u32::from(self.saved_doubles.1);
        late_frame::may_be_late(mach, &self.layout, pushed) && self.register_arguments == 0
    }
}

/// Whether the instruction needs nothing of the frame but incoming arguments.
pub(crate) fn is_frameless(inst: &Inst) -> bool {
    match inst {
        Inst::ReturnCall { from, to, .. } => from == to,
        Inst::Load { mem, .. }
        | Inst::Store { mem, .. }
        | Inst::Lea { mem, .. }
        | Inst::LoadFloat { mem, .. }
        | Inst::StoreFloat { mem, .. }
        | Inst::LoadDouble { mem, .. }
        | Inst::StoreDouble { mem, .. } => matches!(mem.base, Base::Reg(_) | Base::Incoming),
        Inst::Ret
        | Inst::Trap
        | Inst::Unreachable
        | Inst::Jump { .. }
        | Inst::Branch { .. }
        | Inst::Switch { .. }
        | Inst::SwitchPair { .. }
        | Inst::Params
        | Inst::Scratch { .. }
        | Inst::MovSymbol { .. }
        | Inst::LoadTableEntry { .. }
        | Inst::CondCompare { .. }
        | Inst::CondMov { .. }
        | Inst::CondMovImm { .. }
        | Inst::CondAdd { .. }
        | Inst::SetCond { .. }
        | Inst::MovSrc { .. }
        | Inst::Alu { .. }
        | Inst::MultiplyLong { .. }
        | Inst::MultiplyLongAdd { .. }
        | Inst::Divide { .. }
        | Inst::TrapIfZero { .. }
        | Inst::MovFloat { .. }
        | Inst::CondMovFloat { .. }
        | Inst::Float3 { .. }
        | Inst::Float3Acc { .. }
        | Inst::Float2 { .. }
        | Inst::FloatImm { .. }
        | Inst::SingleBits { .. }
        | Inst::ZeroFloat { .. }
        | Inst::LoadConstant { .. }
        | Inst::CompareFloat { .. }
        | Inst::FloatWiden { .. }
        | Inst::FloatNarrow { .. }
        | Inst::IntToFloat { .. }
        | Inst::FloatToInt { .. }
        | Inst::CoreToSingle { .. }
        | Inst::SingleToCore { .. }
        | Inst::PairToDouble { .. }
        | Inst::DoubleToPair { .. } => true,
        other => other.is_plain(),
    }
}

/// The DWARF number of d0 (DWARF for the ARM architecture, IHI 0040B, 3.1).
const DWARF_D0: u16 = 256;

/// The DWARF number of the first of s0 to s31, by their old names.
const DWARF_S0: u16 = 64;

/// The DWARF number of a register; of the first doubleword of a quadword.
pub(crate) fn dwarf_register(reg: PReg) -> Option<u16> {
    let place = Allocation::reg(reg);
    let number = |first: PReg, count, start: u16, step: u16| {
        place.as_reg_of(first, count).map(|n| start + step * u16::from(n))
    };
    let vector = || number(d(0), 32, DWARF_D0, 1).or_else(|| number(q(0), 16, DWARF_D0, 2));
    number(r(0), 16, 0, 1).or_else(|| number(s(0), 32, DWARF_S0, 1)).or_else(vector)
}

impl Frame {
    /// Says what the prologue has done to the caller's registers. What is pushed as padding alone is not saved.
    pub(crate) fn describe(&self, facts: &mut UnwindFacts) {
        let (first, count) = self.saved_doubles;
        let core = -((self.register_arguments + 4 * self.saved.len()) as i32);
        let doubles = core - 8 * i32::from(count);
        let size = self.layout.size as i32 - doubles;
        let base = match self.layout.pointer {
            FramePointer::None => (13, -size),
            FramePointer::Used => (11, -(self.register_arguments as i32) - SAVED_PAIR),
        };
        facts.begin(size as u32, base);
        let pushed = (0..16).filter(|&number| self.saved.0 >> number & 1 != 0);
        for (number, nth) in pushed.zip(0..) {
            // r12 belongs to nobody.
            if number != 12 {
                facts.save(number, core + 4 * nth);
            }
        }
        for nth in 0..count {
            facts.save(DWARF_D0 + u16::from(first + nth), doubles + 8 * i32::from(nth));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places_of<const N: usize>(
        convention: Convention,
        arguments: [(Type, Passing); N],
    ) -> ([ArgumentPlace; N], u32) {
        let mut places = ArgumentPlaces::new(convention);
        (arguments.map(|(ty, passing)| places.next(ty, passing)), places.stack.bytes())
    }

    fn places<const N: usize>(types: [Type; N]) -> ([ArgumentPlace; N], u32) {
        places_of(Convention::Vfp, types.map(|ty| (ty, Passing::Plain)))
    }

    const fn words(first: u8, registers: u8, stack: u32) -> ArgumentPlace {
        ArgumentPlace::Words { first, registers, stack }
    }

    #[test]
    fn wide_integers_take_even_pairs() {
        use ArgumentPlace::*;
        use Type::*;
        assert_eq!(places([I32, I64, I32]).0, [Register(r(0)), words(2, 2, 0), Stack(0)]);
        assert_eq!(places([I64, I32, I64, I32]), ([words(0, 2, 0), Register(r(2)), Stack(0), Stack(8)], 12));
        let mmap = places([I32, I32, I32, I32, I32, I64]);
        assert_eq!((mmap.0[4], mmap.0[5], mmap.1), (Stack(0), Stack(8), 16));
    }

    #[test]
    fn holes_among_extension_registers_are_filled() {
        use ArgumentPlace::*;
        use Type::*;
        let list = places([F32, F64, F32, V4F32, F64]).0;
        assert_eq!(list, [Register(s(0)), Register(d(1)), Register(s(1)), Register(q(1)), Register(d(4))]);
        // After the first on the stack no hole is filled any more.
        let list = places([F32, V4F32, V4F32, V4F32, V4F32, F32]).0;
        assert_eq!(list[4..], [Stack(0), Stack(16)]);
        assert_eq!(list[..2], [Register(s(0)), Register(q(1))]);
    }

    #[test]
    fn floats_are_words_in_the_base_standard() {
        use Type::*;
        let plain = [I32, F64, F32].map(|ty| (ty, Passing::Plain));
        assert_eq!(
            places_of(Convention::Base, plain).0,
            [ArgumentPlace::Register(r(0)), words(2, 2, 0), ArgumentPlace::Stack(0)]
        );
        let vectors = [(F32, Passing::Plain), (V4I32, Passing::Plain)];
        assert_eq!(places_of(Convention::Base, vectors), ([words(0, 1, 0), words(2, 2, 0)], 8));
    }

    #[test]
    fn objects_are_in_registers_in_part_while_the_stack_is_empty() {
        let object = |size, align_log2| (Type::I32, Passing::ByVal { size, align_log2 });
        let one = (Type::I32, Passing::Plain);
        assert_eq!(places_of(Convention::Vfp, [one, object(70, 2)]).0[1], words(1, 3, 0));
        assert_eq!(
            places_of(Convention::Vfp, [one, object(72, 3)]),
            ([ArgumentPlace::Register(r(0)), words(2, 2, 0)], 64)
        );
        let full = places_of(Convention::Vfp, [one, object(72, 3), object(8, 2), one]);
        assert_eq!((full.0[2], full.0[3], full.1), (ArgumentPlace::Stack(64), ArgumentPlace::Stack(72), 76));
        // The stack is in use, though core registers are free.
        let mut list = [(Type::F64, Passing::Plain); 10];
        list[9] = object(72, 2);
        assert_eq!(
            places_of(Convention::Vfp, list).0[8..],
            [ArgumentPlace::Stack(0), ArgumentPlace::Stack(8)]
        );
    }

    #[test]
    fn groups_are_together() {
        use ArgumentPlace::*;
        use Type::*;
        let group = |ty, len| (ty, Passing::Group { len });
        let plain = |ty| (ty, Passing::Plain);
        let list = [plain(F32), group(F64, 3), plain(F64), plain(F64), plain(F32)];
        let expected = [s(0), d(1), d(2), d(3), s(1)].map(Register);
        assert_eq!(places_of(Convention::Vfp, list).0, expected);
        let list =
            [plain(V4F32), plain(V4F32), plain(V4F32), group(F32, 4), plain(F32), plain(F32), plain(F32)];
        assert_eq!(places_of(Convention::Vfp, list).0[3..], [s(12), s(13), s(14), s(15)].map(Register));
        let list = [
            plain(V4F32),
            plain(V4F32),
            plain(V4F32),
            plain(F32),
            group(F32, 4),
            plain(F32),
            plain(F32),
            plain(F32),
        ];
        assert_eq!(places_of(Convention::Vfp, list).0[4..], [0, 4, 8, 12].map(Stack));
        // No register is used behind a group on the stack.
        let list =
            [plain(V4F32), plain(V4F32), plain(V4F32), plain(F64), group(F64, 2), plain(F64), plain(F32)];
        assert_eq!(places_of(Convention::Vfp, list).0[4..], [0, 8, 16].map(Stack));
        let list = [plain(I32), plain(I32), group(I32, 4), plain(I32), plain(I32), plain(I32), group(I32, 1)];
        let expected = [Register(r(2)), Register(r(3)), Stack(0), Stack(4), Stack(8)];
        assert_eq!(places_of(Convention::Vfp, list).0[2..], expected);
        let list = [plain(I32), group(I64, 2), plain(I64), plain(I32)];
        assert_eq!(places_of(Convention::Vfp, list).0, [Register(r(0)), words(2, 2, 0), Stack(0), Stack(8)]);
    }

    #[test]
    fn two_results_are_in_the_next_registers_of_their_kind() {
        use Type::*;
        let places =
            |convention, types| result_places(convention, types).map(|places| places.map(|p| p.unwrap()));
        assert_eq!(
            places(Convention::Vfp, [I32, I64]),
            Some([ArgumentPlace::Register(r(0)), words(1, 2, 0)])
        );
        assert_eq!(
            places(Convention::Vfp, [F32, F64]),
            Some([ArgumentPlace::Register(s(0)), ArgumentPlace::Register(d(1))])
        );
        assert_eq!(places(Convention::Base, [F64, F64]), Some([words(0, 2, 0), words(2, 2, 0)]));
        assert_eq!(places(Convention::Base, [V4I32, F32]), None);
    }
}
