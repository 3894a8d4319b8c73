//! Where everything of a frame is, once its registers are allocated.
//!
//! *Problem.* Below what a prologue saves every machine has the same: fixed objects, spill slots, and the outgoing arguments at
//! the bottom. All are reached from one register: from the stack pointer behind the prologue, or, where that moves in the body,
//! from a frame pointer, which hangs near the top. Slots are named most, so they lie next to that.
//!
//! *Contract.* [`FrameLayout::place_body`] puts the body from the stack pointer upwards and says where it ends;
//! [`FrameLayout::close`] puts what is saved above it, and turns all offsets into those from the frame's register. In
//! between a target decides what it saves. A frame above [`MAX_FRAME`] is refused, so that every offset fits an `i32`.
//!
//! *What a target answers.* What it saves, to what multiple the frame is filled up, and where its frame pointer hangs.

use crate::abi::MAX_FRAME;
use crate::mach::{FrameInfo, FrameObject, FramePointer};
use crate::target::ErrorKind;
use alloc::vec::Vec;
use ice_ir::ObjectKind;
use ice_regalloc::{Allocation, SlotInfo};

/// Offsets of everything in the frame from the register that it hangs off, in bytes. Reused from function to function.
#[derive(Clone, Debug, Default)]
pub struct FrameLayout {
    /// Whether the register is a frame pointer.
    pub pointer: FramePointer,
    /// Bytes between the saved registers and the stack pointer.
    pub size: u32,
    /// The end of the outgoing arguments, from the stack pointer.
    pub outgoing: i32,
    /// The incoming arguments.
    pub incoming: i32,
    /// Each fixed object.
    pub objects: Vec<i32>,
    /// Each spill slot.
    pub slots: Vec<i32>,
}

/// What a prologue puts above the body of a frame.
#[derive(Clone, Copy, Debug)]
pub struct FrameTop {
    /// Bytes that are taken apart from [`FrameLayout::size`], from the incoming arguments down.
    pub taken: u64,
    /// The size of the whole is a multiple of this, a power of two.
    pub align: u64,
    /// From a frame pointer up to the incoming arguments, in bytes. Where there is nothing, a frame pointer is what the
    /// stack pointer was behind the prologue.
    pub above_pointer: Option<u64>,
}

impl FrameLayout {
    /// The offset of the spill slot that a place is.
    #[inline(always)]
    pub fn slot(&self, place: Allocation) -> Option<i32> {
        self.slots.get(place.as_slot()?.as_u32() as usize).copied()
    }

    /// Puts outgoing arguments, spill slots and fixed objects, of alignments up to `align`, upwards from the stack pointer.
    /// Gives the bytes that they take.
    pub fn place_body(&mut self, info: &FrameInfo, slots: &[SlotInfo], align: u32) -> u64 {
        self.pointer = info.pointer();
        // What does not fit an i32 is refused when the frame is closed.
        let outgoing = u64::from(info.outgoing).next_multiple_of(align.into());
        self.outgoing = outgoing as i32;
        if let Some(shuffle) = &info.shuffle {
            let FrameLayout { slots: slot_offsets, objects, .. } = self;
            return shuffle.place([slot_offsets, objects], (slots, info), align, outgoing);
        }
        if info.is_guarded {
            return self.lay_out_by_kinds(&info.objects, slots, align, outgoing);
        }
        self.lay_out(&info.objects, slots, align, outgoing)
    }

    /// Puts spill slots and then fixed objects upwards from the offset `start`, and gives the end: the objects in the order
    /// of their kinds, so that the guard is above all that could be overrun. What is of one kind is in the order in which
    /// it came.
    #[cold]
    fn lay_out_by_kinds(
        &mut self,
        objects: &[FrameObject],
        slots: &[SlotInfo],
        max_align: u32,
        start: u64,
    ) -> u64 {
        let mut end = self.lay_out(&[], slots, max_align, start);
        self.objects.resize(objects.len(), 0);
        for &kind in ObjectKind::ALL {
            for (offset, object) in self.objects.iter_mut().zip(objects) {
                if object.kind == kind {
                    *offset = take(&mut end, object.align(max_align), object.size);
                }
            }
        }
        end
    }

    /// Puts what is saved above a body of `end` bytes.
    ///
    /// # Errors
    /// The frame is too large.
    #[inline]
    pub fn close(&mut self, end: u64, top: FrameTop) -> Result<(), ErrorKind> {
        let total = (end + top.taken).next_multiple_of(top.align);
        if total > MAX_FRAME {
            return Err(ErrorKind::FrameTooLarge(total));
        }
        self.size = (total - top.taken) as u32;
        self.incoming = total as i32;
        if let (FramePointer::Used, Some(above)) = (self.pointer, top.above_pointer) {
            let base = (total - above) as i32;
            self.incoming -= base;
            self.objects.iter_mut().chain(&mut self.slots).for_each(|offset| *offset -= base);
        }
        Ok(())
    }

    /// Puts spill slots and fixed objects upwards from the offset `start`, and gives the end. The slots, of which the first are
    /// named most, lie next to the register that all hangs off, in the reach of short offsets; alignments, `max_align` (a power of
    /// two) at most, fall from that end on.
    fn lay_out(&mut self, objects: &[FrameObject], slots: &[SlotInfo], max_align: u32, start: u64) -> u64 {
        let FrameLayout { slots: slot_offsets, objects: object_offsets, pointer, .. } = self;
        let mut place_objects = |end: &mut u64| {
            let items = objects.iter().map(|object| (object.align(max_align), object.size));
            place(items, max_align, object_offsets, end);
        };
        let items = slots.iter().map(|slot| (slot.align.clamp(1, max_align), slot.size));
        let mut end = start;
        match *pointer {
            FramePointer::Used => {
                place_objects(&mut end);
                place(items.rev(), max_align, slot_offsets, &mut end);
                slot_offsets.reverse();
            }
            _ => {
                place(items, max_align, slot_offsets, &mut end);
                place_objects(&mut end);
            }
        }
        end
    }
}

/// Puts something of this alignment, a power of two, and this size at `end` or behind it, and moves that behind it. Gives its
/// offset.
#[inline]
pub(crate) fn take(end: &mut u64, align: u32, size: u32) -> i32 {
    let offset = end.next_multiple_of(u64::from(align));
    *end = offset + u64::from(size);
    offset as i32
}

/// Puts things of these alignments and sizes upwards from `end`, by falling alignment, and moves that behind them.
fn place(
    items: impl ExactSizeIterator<Item = (u32, u32)> + Clone,
    max_align: u32,
    offsets: &mut Vec<i32>,
    end: &mut u64,
) {
    // The alignments that occur, one bit each: mostly one.
    let alignments = items.clone().fold(0, |all, (align, _)| all | align);
    offsets.clear();
    offsets.resize(items.len(), 0);
    let mut align = max_align;
    while align > 0 {
        if alignments & align != 0 {
            for (offset, (own, size)) in offsets.iter_mut().zip(items.clone()) {
                if own == align {
                    *offset = take(end, align, size);
                }
            }
        }
        align /= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    const TOP: FrameTop = FrameTop { taken: 12, align: 8, above_pointer: Some(8) };

    fn layout(info: &FrameInfo, slots: &[SlotInfo]) -> Result<FrameLayout, ErrorKind> {
        let mut layout = FrameLayout::default();
        let end = layout.place_body(info, slots, 8);
        layout.close(end, TOP).map(|()| layout)
    }

    #[test]
    fn slots_are_lowest_above_the_outgoing_arguments() {
        let mut info = FrameInfo { outgoing: 20, ..FrameInfo::default() };
        info.add_object(3, 0);
        info.add_object(16, 4);
        let slots = [SlotInfo { size: 4, align: 4 }, SlotInfo { size: 8, align: 8 }];
        let layout = layout(&info, &slots).unwrap();
        // 24 bytes of arguments, 8 and 4 of the slots, 16 and 3 of the objects behind 4 that stay empty; with 12 above, 72.
        assert_eq!((layout.outgoing, layout.size, layout.incoming), (24, 60, 72));
        assert_eq!((layout.slots, layout.objects), (vec![32, 24], vec![56, 40]));
    }

    #[test]
    fn everything_hangs_off_the_frame_pointer() {
        let mut info = FrameInfo { has_dynamic_alloca: true, ..FrameInfo::default() };
        info.add_object(8, 3);
        let layout = layout(&info, &[SlotInfo { size: 4, align: 4 }; 2]).unwrap();
        assert_eq!((layout.pointer, layout.size, layout.incoming), (FramePointer::Used, 20, 8));
        // The first slot is the nearest.
        assert_eq!((layout.slots, layout.objects), (vec![-12, -16], vec![-24]));
    }

    #[test]
    fn a_frame_that_no_offset_reaches_is_refused() {
        let mut info = FrameInfo::default();
        for _ in 0..8 {
            info.add_object(u32::MAX, 0);
        }
        assert!(matches!(layout(&info, &[]), Err(ErrorKind::FrameTooLarge(bytes)) if bytes > (8 << 31)));
    }
}
