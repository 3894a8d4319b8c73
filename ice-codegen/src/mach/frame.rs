//! What lowering learns about the stack frame before its layout is fixed.

use crate::diversity::FrameShuffle;
use crate::mach::MachBlock;
use alloc::vec::Vec;
use ice_ir::native::UnwindTables;
use ice_ir::{CallingConvention, ObjectKind, SignedReturn};
use ice_regalloc::VReg;

/// A fixed object of the frame: a stack allocation of known size in the entry block.
#[derive(Clone, Copy, Debug)]
pub struct FrameObject {
    /// Bytes.
    pub size: u32,
    /// log2 of the alignment.
    pub align_log2: u8,
    /// What it is to who protects the frame.
    pub kind: ObjectKind,
}

impl FrameObject {
    /// The alignment in bytes, which is `most` at most, a power of two.
    pub fn align(&self, most: u32) -> u32 {
        (1u32 << self.align_log2.min(31)).min(most)
    }
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
    /// The stack pointer is at a multiple of `1 << alignment_log2` in the body, where that is more than it is for all
    /// functions.
    pub alignment_log2: u8,
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
    /// Whether one of the objects guards the frame: they are then in the order of their kinds.
    pub is_guarded: bool,
    /// Whether an indirect call may lead to the function, where that is to be said.
    pub is_landing: bool,
    /// Whether the function signs the address that it returns to.
    pub signed_return: SignedReturn,
    /// Whether the processors of the function have vector registers of 256 bits.
    pub has_wide_registers: bool,
    /// How it is laid out, if that is left to chance.
    pub shuffle: Option<FrameShuffle>,
    /// The block at whose start the frame may be taken, if not at the entry alone: all calls are behind it
    /// ([`late_frame`](crate::late_frame)).
    pub late: Option<MachBlock>,
}

impl FrameInfo {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.objects.clear();
        self.outgoing = 0;
        self.alignment_log2 = 0;
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
        self.is_guarded = false;
        self.is_landing = false;
        self.signed_return = SignedReturn::Never;
        self.has_wide_registers = false;
        self.shuffle = None;
        self.late = None;
    }

    /// Whether the frame hangs off a register of its own, as far as is known.
    pub const fn pointer(&self) -> FramePointer {
        match self.has_dynamic_alloca || self.needs_frame_pointer || self.alignment_log2 != 0 {
            true => FramePointer::Used,
            false => FramePointer::None,
        }
    }

    /// Adds a fixed object and gives its index.
    pub fn add_object(&mut self, size: u32, align_log2: u8) -> u32 {
        self.add_object_of(ObjectKind::Temporary, size, align_log2)
    }

    /// Adds a fixed object of this kind and gives its index.
    pub fn add_object_of(&mut self, kind: ObjectKind, size: u32, align_log2: u8) -> u32 {
        self.is_guarded |= kind == ObjectKind::Guard;
        self.objects.push(FrameObject { size, align_log2, kind });
        self.objects.len() as u32 - 1
    }
}
