//! What lowering learns about the stack frame before its layout is fixed.

use alloc::vec::Vec;

/// A fixed object of the frame: a stack allocation of known size in the entry block.
#[derive(Clone, Copy, Debug)]
pub struct FrameObject {
    /// Bytes.
    pub size: u32,
    /// log2 of the alignment.
    pub align_log2: u8,
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
}

impl FrameInfo {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.objects.clear();
        self.outgoing = 0;
        self.has_dynamic_alloca = false;
        self.has_calls = false;
        self.returns_twice = false;
    }

    /// Adds a fixed object and gives its index.
    pub fn add_object(&mut self, size: u32, align_log2: u8) -> u32 {
        self.objects.push(FrameObject { size, align_log2 });
        self.objects.len() as u32 - 1
    }
}
