//! Calling conventions and the frame.
//!
//! Arguments and results follow the System V conventions: on x86-32 everything on the stack but the first
//! three vectors, results in eax, edx:eax, st0 or xmm0; on x86-64 six general and eight vector registers.
//!
//! The frame, from high to low addresses: incoming stack arguments, return address, saved frame pointer (if
//! one is used), saved registers, padding, fixed objects and spill slots by falling alignment, outgoing
//! arguments. Without a dynamic allocation everything hangs off the stack pointer, which stays put.

use crate::inst::Inst;
use crate::regs::{self, FramePointer, RAX, RCX, RDI, RDX, RSI, xmm};
use crate::target::X86;
use alloc::vec::Vec;
use ice_asm::x86::Mode;
use ice_ir::Type;
use ice_ir::mach::{FrameInfo, MachFunction};
use ice_passes::ErrorKind;
use ice_regalloc::{Output, PReg, RegUnits};

/// Where one part of an argument travels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// In a register.
    Register(PReg),
    /// At this offset from the start of the stack arguments.
    Stack(u32),
}

const INT_ARGS_64: [PReg; 6] = [RDI, RSI, RDX, RCX, PReg(8), PReg(9)];

/// Hands out argument places from left to right.
pub(crate) struct ArgumentPlaces {
    mode: Mode,
    ints: usize,
    vectors: u8,
    /// Bytes of stack arguments so far.
    pub(crate) stack: u32,
}

impl ArgumentPlaces {
    pub(crate) fn new(mode: Mode) -> Self {
        ArgumentPlaces { mode, ints: 0, vectors: 0, stack: 0 }
    }

    /// The place of the next argument; a pair is two consecutive words from the place on.
    pub(crate) fn next(&mut self, ty: Type) -> Place {
        let is_vector_class = ty.is_vector() || ty.is_scalar_float();
        match self.mode {
            Mode::Bits32 if ty.is_vector() && self.vectors < 3 => self.next_vector(),
            Mode::Bits32 if ty.is_vector() => self.on_stack(16, 16),
            Mode::Bits32 => self.on_stack(ty.bytes().next_multiple_of(4), 4),
            Mode::Bits64 if is_vector_class && self.vectors < 8 => self.next_vector(),
            Mode::Bits64 if !is_vector_class && self.ints < INT_ARGS_64.len() => {
                self.ints += 1;
                Place::Register(INT_ARGS_64[self.ints - 1])
            }
            Mode::Bits64 if ty.is_vector() => self.on_stack(16, 16),
            Mode::Bits64 => self.on_stack(8, 8),
        }
    }

    fn next_vector(&mut self) -> Place {
        self.vectors += 1;
        Place::Register(xmm(self.vectors - 1))
    }

    fn on_stack(&mut self, size: u32, align: u32) -> Place {
        let offset = self.stack.next_multiple_of(align);
        self.stack = offset.saturating_add(size);
        Place::Stack(offset)
    }
}

/// Where a result arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ResultPlace {
    /// No result.
    None,
    /// In one register.
    Register(PReg),
    /// In edx:eax.
    Pair,
    /// On the x87 stack.
    Fpu,
}

/// The place of a result of this type.
pub(crate) fn result_place(mode: Mode, ty: Type) -> ResultPlace {
    match (mode, ty) {
        (_, Type::Void) => ResultPlace::None,
        (Mode::Bits32, Type::F32 | Type::F64) => ResultPlace::Fpu,
        (Mode::Bits32, Type::I64) => ResultPlace::Pair,
        _ if ty.is_vector() || ty.is_scalar_float() => ResultPlace::Register(xmm(0)),
        _ => ResultPlace::Register(RAX),
    }
}

/// Offsets of everything in the frame. Reused from function to function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// Whether rbp holds the frame.
    pub(crate) pointer: FramePointer,
    /// Callee-saved registers to preserve, in push order.
    pub(crate) saved: Vec<PReg>,
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

impl Frame {
    /// Lays out the frame of an allocated function.
    pub(crate) fn compute(
        &mut self,
        mode: Mode,
        mach: &MachFunction<Inst>,
        allocation: &Output,
    ) -> Result<(), ErrorKind> {
        let info: &FrameInfo = &mach.frame;
        let pointer = X86::frame_pointer(info);
        let word: u64 = if mode == Mode::Bits32 { 4 } else { 8 };
        let callee_saved = match mode {
            Mode::Bits32 => regs::CALLEE_SAVED_32,
            Mode::Bits64 => regs::CALLEE_SAVED_64,
        };
        let used: RegUnits = allocation.used_regs.intersection(callee_saved);
        self.saved.clear();
        self.saved.extend(used.iter().map(PReg::new));

        // Everything of the body, by falling alignment, upwards from the outgoing arguments.
        let outgoing = info.outgoing.next_multiple_of(16);
        let mut end = u64::from(outgoing);
        let (objects, slots) = (&mut self.objects, &mut self.slots);
        objects.clear();
        objects.resize(info.objects.len(), 0);
        slots.clear();
        slots.resize(allocation.slots.len(), 0);
        for align in [16u32, 8, 4, 2, 1] {
            for (offset, slot) in slots.iter_mut().zip(&allocation.slots) {
                if slot.align.clamp(1, 16) == align {
                    end = end.next_multiple_of(u64::from(align));
                    *offset = end as i32;
                    end += u64::from(slot.size);
                }
            }
            for (offset, object) in objects.iter_mut().zip(&info.objects) {
                if 1 << object.align_log2 == align {
                    end = end.next_multiple_of(u64::from(align));
                    *offset = end as i32;
                    end += u64::from(object.size);
                }
            }
        }
        let pushed = word * (1 + self.saved.len() as u64 + u64::from(pointer == FramePointer::Used));
        let needs_alignment = info.has_calls || end != 0;
        let total = if needs_alignment { (end + pushed).next_multiple_of(16) } else { pushed };
        if total > MAX_FRAME {
            return Err(ErrorKind::FrameTooLarge(total));
        }
        // Distances from the stack pointer after the prologue; rbp points at its own saved value.
        let size = total - pushed;
        let base = match pointer {
            FramePointer::None => 0,
            FramePointer::Used => (total - 2 * word) as i64,
        };
        // Below the largest frame every offset fits.
        for offset in objects.iter_mut().chain(slots) {
            *offset -= base as i32;
        }
        self.pointer = pointer;
        self.size = size as u32;
        self.outgoing = outgoing as i32;
        self.incoming = (total as i64 - base) as i32;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_then_stack() {
        let mut places = ArgumentPlaces::new(Mode::Bits64);
        let ints: Vec<_> = (0..7).map(|_| places.next(Type::I32)).collect();
        assert_eq!(ints[5], Place::Register(PReg(9)));
        assert_eq!(ints[6], Place::Stack(0));
        assert_eq!(places.next(Type::F64), Place::Register(xmm(0)));
        assert_eq!(places.next(Type::I64), Place::Stack(8));

        let mut places = ArgumentPlaces::new(Mode::Bits32);
        assert_eq!(places.next(Type::I32), Place::Stack(0));
        assert_eq!(places.next(Type::I64), Place::Stack(4));
        assert_eq!(places.next(Type::F32), Place::Stack(12));
        assert_eq!(places.next(Type::V4I32), Place::Register(xmm(0)));
        assert_eq!(places.next(Type::F64), Place::Stack(16));
        assert_eq!(places.stack, 24);
    }
}
