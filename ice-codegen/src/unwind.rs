//! What unwinding must know of a function: where its caller's registers are, as plain numbers.
//!
//! Offsets count from the *canonical frame address*: what the stack pointer was before the call (DWARF 5, 6.4). The
//! facts hold from the end of the prologue to the start of an epilogue. Registers have their DWARF numbers: those of
//! the System V ABI on x86-32 and x86-64, those of the DWARF standard for ARM (IHI 0040) on ARM.

use alloc::vec::Vec;

/// Where a register of the caller is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SavedRegister {
    /// Its DWARF number.
    pub register: u16,
    /// The offset of its place from the canonical frame address, in bytes.
    pub offset: i32,
}

/// The frame of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UnwindFacts {
    /// Bytes from the stack pointer behind the prologue to the canonical frame address.
    pub frame_size: u32,
    /// The DWARF number of the register that the frame hangs off, and the offset of where it points: the stack pointer,
    /// or a frame pointer where the stack pointer moves.
    pub base: (u16, i32),
    /// The registers that are saved, and the return address where a call puts it on the stack.
    pub saved: Vec<SavedRegister>,
}

impl UnwindFacts {
    /// Starts the facts of a frame of this size; keeps the memory.
    pub fn begin(&mut self, frame_size: u32, base: (u16, i32)) {
        self.frame_size = frame_size;
        self.base = base;
        self.saved.clear();
    }

    /// Adds a register.
    pub fn save(&mut self, register: u16, offset: i32) {
        self.saved.push(SavedRegister { register, offset });
    }
}
