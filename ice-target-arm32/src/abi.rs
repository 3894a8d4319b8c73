//! The calling convention and the frame.
//!
//! Arguments and results follow the procedure call standard (AAPCS, IHI 0042F) in its VFP variant (6.1): four
//! core registers, an `i64` in an even pair of them; sixteen single-precision registers, filled back to front
//! with what fits; the rest on the stack, 8-byte values at multiples of 8. Results in r0, r1:r0, s0, d0 or q0.
//!
//! The frame, from high to low addresses: incoming stack arguments, saved core registers with lr, saved
//! doubleword registers, padding, fixed objects and spill slots by falling alignment, outgoing arguments.
//! Everything hangs off the stack pointer after the prologue, or off r11, which is a copy of it, where the
//! stack pointer moves in the body.

use crate::inst::Inst;
use crate::regs::{self, FramePointer, d, q, r, s};
use crate::target::Arm32;
use alloc::vec::Vec;
use ice_asm::arm32::{Gpr, RegList};
use ice_ir::Type;
use ice_ir::mach::{FrameInfo, MachFunction};
use ice_passes::ErrorKind;
use ice_regalloc::{Output, PReg};

/// Where an argument or result travels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// In a register.
    Register(PReg),
    /// In two core registers, the low half first.
    Pair(PReg, PReg),
    /// At this offset from the start of the stack arguments.
    Stack(u32),
}

/// Hands out argument places from left to right.
pub(crate) struct ArgumentPlaces {
    /// The next core register (NCRN).
    core: u8,
    /// Single-precision registers that are free, one bit each.
    free: u16,
    /// Bytes of stack arguments so far (NSAA).
    pub(crate) stack: u32,
}

impl ArgumentPlaces {
    pub(crate) const fn new() -> Self {
        ArgumentPlaces { core: 0, free: 0xffff, stack: 0 }
    }

    /// The place of the next argument.
    pub(crate) fn next(&mut self, ty: Type) -> Place {
        match ty {
            Type::F32 => self.extension(1, 4).map_or_else(|| self.on_stack(4, 4), |n| Place::Register(s(n))),
            Type::F64 => {
                self.extension(2, 8).map_or_else(|| self.on_stack(8, 8), |n| Place::Register(d(n / 2)))
            }
            Type::I64 if self.core <= 2 => {
                let first = self.core.next_multiple_of(2);
                self.core = first + 2;
                Place::Pair(r(first), r(first + 1))
            }
            Type::I64 => {
                self.core = 4;
                self.on_stack(8, 8)
            }
            _ if ty.is_vector() => {
                self.extension(4, 16).map_or_else(|| self.on_stack(16, 8), |n| Place::Register(q(n / 4)))
            }
            _ if self.core < 4 => {
                self.core += 1;
                Place::Register(r(self.core - 1))
            }
            _ => self.on_stack(4, 4),
        }
    }

    /// The first of `count` free registers at a multiple of `count`. Once there are none, no later argument
    /// goes into a register (rule C.2).
    fn extension(&mut self, count: u8, bytes: u32) -> Option<u8> {
        debug_assert_eq!(u32::from(count) * 4, bytes);
        let mask = |n: u8| ((1u16 << count) - 1) << n;
        let found = (0..16).step_by(count.into()).find(|&n| self.free & mask(n) == mask(n));
        self.free = found.map_or(0, |n| self.free & !mask(n));
        found
    }

    fn on_stack(&mut self, size: u32, align: u32) -> Place {
        let offset = self.stack.next_multiple_of(align);
        self.stack = offset.saturating_add(size);
        Place::Stack(offset)
    }
}

/// The place of a result of this type, if it has one.
pub(crate) fn result_place(ty: Type) -> Option<Place> {
    match ty {
        Type::Void => None,
        Type::I64 => Some(Place::Pair(r(0), r(1))),
        Type::F32 => Some(Place::Register(s(0))),
        Type::F64 => Some(Place::Register(d(0))),
        _ if ty.is_vector() => Some(Place::Register(q(0))),
        _ => Some(Place::Register(r(0))),
    }
}

/// Offsets of everything in the frame. Reused from function to function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// Whether r11 holds the frame.
    pub(crate) pointer: FramePointer,
    /// Core registers to save, lr among them.
    pub(crate) saved: RegList,
    /// First and number of the doubleword registers to save.
    pub(crate) saved_doubles: (u8, u8),
    /// Bytes that the prologue takes below the saved registers.
    pub(crate) size: u32,
    /// Bytes of the outgoing arguments, from the stack pointer up.
    pub(crate) outgoing: i32,
    /// Offset of the incoming arguments from the base register.
    pub(crate) incoming: i32,
    /// Offset of each fixed object from the base register.
    pub(crate) objects: Vec<i32>,
    /// Offset of each spill slot from the base register.
    pub(crate) slots: Vec<i32>,
}

/// Largest frame that is accepted: what is below leaves room for the arithmetic of addresses.
const MAX_FRAME: u64 = 1 << 30;

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
        self.pointer = Arm32::frame_pointer(info);
        let used = allocation.used_regs.intersection(regs::CALLEE_SAVED);
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
        if self.pointer == FramePointer::Used {
            saved = saved.with(Gpr::new(11));
        }
        if info.has_calls || !saved.is_empty() {
            saved = saved.with(Gpr::LR);
        }
        self.saved = saved;
        self.saved_doubles = if first <= last { (first, last + 1 - first) } else { (8, 0) };

        // Everything of the body, by falling alignment, upwards from the outgoing arguments.
        let outgoing = info.outgoing.next_multiple_of(STACK_ALIGN);
        let mut end = u64::from(outgoing);
        let (objects, slots) = (&mut self.objects, &mut self.slots);
        objects.clear();
        objects.resize(info.objects.len(), 0);
        slots.clear();
        slots.resize(allocation.slots.len(), 0);
        for align in [8u32, 4, 2, 1] {
            for (offset, slot) in slots.iter_mut().zip(&allocation.slots) {
                if slot.align.clamp(1, STACK_ALIGN) == align {
                    end = end.next_multiple_of(u64::from(align));
                    *offset = end as i32;
                    end += u64::from(slot.size);
                }
            }
            for (offset, object) in objects.iter_mut().zip(&info.objects) {
                if (1u32 << object.align_log2.min(31)).min(STACK_ALIGN) == align {
                    end = end.next_multiple_of(u64::from(align));
                    *offset = end as i32;
                    end += u64::from(object.size);
                }
            }
        }
        let pushed = 4 * u64::from(saved.len()) + 8 * u64::from(self.saved_doubles.1);
        let total = (end + pushed).next_multiple_of(STACK_ALIGN.into());
        if total > MAX_FRAME {
            return Err(ErrorKind::FrameTooLarge(total));
        }
        self.size = (total - pushed) as u32;
        self.outgoing = outgoing as i32;
        self.incoming = total as i32;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places<const N: usize>(types: [Type; N]) -> ([Place; N], u32) {
        let mut places = ArgumentPlaces::new();
        (types.map(|ty| places.next(ty)), places.stack)
    }

    #[test]
    fn wide_integers_take_even_pairs() {
        use Place::*;
        use Type::*;
        assert_eq!(places([I32, I64, I32]).0, [Register(r(0)), Pair(r(2), r(3)), Stack(0)]);
        assert_eq!(
            places([I64, I32, I64, I32]),
            ([Pair(r(0), r(1)), Register(r(2)), Stack(0), Stack(8)], 12)
        );
        let mmap = places([I32, I32, I32, I32, I32, I64]);
        assert_eq!((mmap.0[4], mmap.0[5], mmap.1), (Stack(0), Stack(8), 16));
    }

    #[test]
    fn holes_among_extension_registers_are_filled() {
        use Place::*;
        use Type::*;
        let list = places([F32, F64, F32, V4F32, F64]).0;
        assert_eq!(list, [Register(s(0)), Register(d(1)), Register(s(1)), Register(q(1)), Register(d(4))]);
        // After the first on the stack no hole is filled any more.
        let list = places([F32, V4F32, V4F32, V4F32, V4F32, F32]).0;
        assert_eq!(list[4..], [Stack(0), Stack(16)]);
        assert_eq!(list[..2], [Register(s(0)), Register(q(1))]);
    }
}
