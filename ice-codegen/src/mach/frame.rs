//! What lowering learns about the stack frame before its layout is fixed.

use alloc::vec::Vec;
use ice_ir::CallingConvention;
use ice_ir::native::UnwindTables;
use ice_regalloc::{SlotInfo, VReg};

/// A fixed object of the frame: a stack allocation of known size in the entry block.
#[derive(Clone, Copy, Debug)]
pub struct FrameObject {
    /// Bytes.
    pub size: u32,
    /// log2 of the alignment.
    pub align_log2: u8,
}

/// Whether a function keeps its frame in a register of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FramePointer {
    /// The stack pointer does not move: slots hang off it.
    #[default]
    None,
    /// They hang off the frame pointer.
    Used,
}

/// Frame facts of one function.
#[derive(Clone, Debug, Default)]
pub struct FrameInfo {
    /// Fixed objects, by index.
    pub objects: Vec<FrameObject>,
    /// Bytes at the bottom of the frame for outgoing stack arguments.
    pub outgoing: u32,
    /// Whether the stack pointer moves in the body.
    pub has_dynamic_alloca: bool,
    /// Whether anything is called.
    pub has_calls: bool,
    /// Whether control can return twice from a call: no stack slot may then be shared.
    pub returns_twice: bool,
    /// Whether the frame must be found through the frame pointer, whatever else.
    pub needs_frame_pointer: bool,
    /// What the function preserves.
    pub convention: CallingConvention,
    /// Bytes of the incoming arguments that the function pops when it returns.
    pub popped: u32,
    /// The register that position-independent code of some machines addresses globals from; made at the
    /// entry, and only there if something uses it.
    pub global_base: Option<VReg>,
    /// Whether anything uses it.
    pub uses_global_base: bool,
    /// The object that holds the register arguments of a variadic function.
    pub saved_arguments: Option<u32>,
    /// From where the callers of the function must be found.
    pub unwind: UnwindTables,
    /// Bytes right below the incoming stack arguments for arguments that came in registers.
    pub register_arguments: u32,
}

impl FrameInfo {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.objects.clear();
        self.outgoing = 0;
        self.has_dynamic_alloca = false;
        self.has_calls = false;
        self.returns_twice = false;
        self.needs_frame_pointer = false;
        self.convention = CallingConvention::Standard;
        self.popped = 0;
        self.global_base = None;
        self.uses_global_base = false;
        self.saved_arguments = None;
        self.unwind = UnwindTables::None;
        self.register_arguments = 0;
    }

    /// Whether the frame hangs off a register of its own, as far as is known.
    pub const fn pointer(&self) -> FramePointer {
        match self.has_dynamic_alloca || self.needs_frame_pointer {
            true => FramePointer::Used,
            false => FramePointer::None,
        }
    }

    /// Adds a fixed object and gives its index.
    pub fn add_object(&mut self, size: u32, align_log2: u8) -> u32 {
        self.objects.push(FrameObject { size, align_log2 });
        self.objects.len() as u32 - 1
    }

    /// Puts spill slots and fixed objects by falling alignment, which is `max_align` (a power of two) at most,
    /// upwards from the offset `start`. Fills the lists of their offsets and gives the end.
    pub fn lay_out(
        &self,
        slots: &[SlotInfo],
        max_align: u32,
        start: u64,
        slot_offsets: &mut Vec<i32>,
        object_offsets: &mut Vec<i32>,
    ) -> u64 {
        let mut end = start;
        let mut take = |align: u32, size: u32| {
            let mask = u64::from(align) - 1;
            let offset = (end + mask) & !mask;
            end = offset + u64::from(size);
            offset as i32
        };
        slot_offsets.clear();
        object_offsets.clear();
        let align = slots.first().map_or(1, |slot| slot.align.clamp(1, max_align));
        if self.objects.is_empty() && slots.iter().all(|slot| slot.align == align) {
            // As mostly.
            slot_offsets.extend(slots.iter().map(|slot| take(align, slot.size)));
            return end;
        }
        slot_offsets.resize(slots.len(), 0);
        object_offsets.resize(self.objects.len(), 0);
        let slot_align = |slot: &SlotInfo| slot.align.clamp(1, max_align);
        let object_align = |object: &FrameObject| (1u32 << object.align_log2.min(31)).min(max_align);
        // The alignments that occur, one bit each: few.
        let of_slots = slots.iter().fold(0, |all, slot| all | slot_align(slot));
        let of_objects = self.objects.iter().fold(0, |all, object| all | object_align(object));
        let mut align = max_align;
        while align > 0 {
            if of_slots & align != 0 {
                for (offset, slot) in slot_offsets.iter_mut().zip(slots) {
                    if slot_align(slot) == align {
                        *offset = take(align, slot.size);
                    }
                }
            }
            if of_objects & align != 0 {
                for (offset, object) in object_offsets.iter_mut().zip(&self.objects) {
                    if object_align(object) == align {
                        *offset = take(align, object.size);
                    }
                }
            }
            align /= 2;
        }
        end
    }
}
