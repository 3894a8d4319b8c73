//! What calling conventions and frames of all machines share: the area of stack arguments, results of calls, limits.
//!
//! *Problem.* A convention answers two questions: where does the next argument go, and where do results come back. Around
//! the answers stands the same work: offsets in the area of stack arguments, notes in the frame of who calls, and the
//! results that most functions have, which need no answer.
//!
//! *Contract.* [`StackArguments`] hands out offsets from left to right and never overflows; a function whose area is
//! larger than [`MAX_FRAME`] is refused by [`StackArguments::check`]. [`Lower::note_call`] keeps an area as large as the
//! largest call needs at the bottom of the frame.
//!
//! *What a target answers.* Which arguments and results are in which registers: its own `abi` module.

use crate::lower::{Lower, ValueRegs};
use crate::mach::{FramePointer, MachFunction, MachInst, Sink};
use crate::target::ErrorKind;
use ice_ir::{CallingConvention, Type, Value};
use ice_regalloc::{ClassInfo, Output, PReg, RegUnits, RegisterFile, RegisterInfo};

/// Largest frame in bytes that is accepted: what is below leaves room for the arithmetic of addresses.
pub const MAX_FRAME: u64 = 1 << 30;

/// Bytes of a page. Frames from this size on touch every page on the way down, so that the guard page below the stack is
/// met and not jumped over.
pub const PAGE: u32 = 4096;

/// More bytes of stack arguments than any function can have.
const MAX_STACK: u32 = 1 << 31;

/// Where an argument or result travels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgumentPlace {
    /// In one register of the value's class.
    Register(PReg),
    /// As words, the low one first: in `registers` general registers from the number `first` on, and where there are too
    /// few the rest on the stack at this offset.
    Words {
        /// The first of the registers.
        first: u8,
        /// How many there are.
        registers: u8,
        /// Where the rest is.
        stack: u32,
    },
    /// At this offset from the start of the stack arguments.
    Stack(u32),
}

/// The area of stack arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackArguments {
    bytes: u32,
    align: u32,
}

impl StackArguments {
    /// An empty area.
    pub const EMPTY: StackArguments = StackArguments { bytes: 0, align: 1 };

    /// The offset of the next argument, of `size` bytes at a multiple of `align` (a power of two), from the start.
    pub fn take(&mut self, size: u32, align: u32) -> u32 {
        // Past the limit the function is refused.
        let offset = (self.bytes + (align - 1)) & !(align - 1);
        self.bytes = offset.saturating_add(size).min(MAX_STACK);
        self.align = self.align.max(align);
        offset
    }

    /// Bytes handed out so far.
    pub const fn bytes(self) -> u32 {
        self.bytes
    }

    /// The largest alignment that was asked for.
    pub const fn align(self) -> u32 {
        self.align
    }

    /// Whether no argument is on the stack so far.
    pub const fn is_empty(self) -> bool {
        self.bytes == 0
    }

    /// Checks that a frame can hold the area.
    ///
    /// # Errors
    /// It cannot.
    pub fn check(self) -> Result<(), ErrorKind> {
        match u64::from(self.bytes) > MAX_FRAME {
            true => Err(ErrorKind::FrameTooLarge(self.bytes.into())),
            false => Ok(()),
        }
    }
}

/// The registers of a result with its type.
pub type ResultRegs = (ValueRegs, Type);

/// The error for results that the convention has no registers for.
pub const NO_ROOM_FOR_RESULT: ErrorKind = ErrorKind::Unsupported("a result that does not fit the registers");

/// What functions of a machine preserve, by convention.
#[derive(Clone, Copy, Debug)]
pub struct Preserved {
    /// Standard functions, and others of which nothing else is said.
    pub standard: RegUnits,
    /// [`CallingConvention::PreserveNone`].
    pub least: RegUnits,
    /// [`CallingConvention::PreserveMost`].
    pub most: RegUnits,
    /// [`CallingConvention::PreserveAll`].
    pub all: RegUnits,
    /// [`CallingConvention::Win64`].
    pub win64: RegUnits,
}

impl Preserved {
    /// Of a machine without conventions that preserve more than the standard one.
    pub const fn at_most(standard: RegUnits, least: RegUnits) -> Preserved {
        Preserved { standard, least, most: standard, all: standard, win64: standard }
    }
}

/// The register files of a machine, by what functions preserve and by whether they have a frame pointer.
pub struct RegisterFiles {
    standard: [RegisterFile<'static>; 2],
    preserve_none: [RegisterFile<'static>; 2],
    preserve_most: [RegisterFile<'static>; 2],
    preserve_all: [RegisterFile<'static>; 2],
    win64: [RegisterFile<'static>; 2],
}

impl RegisterFiles {
    /// Those of a machine with these registers and, without and with a frame pointer, these classes.
    pub const fn new(
        regs: &'static [RegisterInfo<'static>],
        classes: [&'static [ClassInfo<'static>]; 2],
        preserved: Preserved,
    ) -> RegisterFiles {
        const fn files(
            regs: &'static [RegisterInfo<'static>],
            [without, with]: [&'static [ClassInfo<'static>]; 2],
            callee_saved: RegUnits,
        ) -> [RegisterFile<'static>; 2] {
            [
                RegisterFile { regs, classes: without, callee_saved },
                RegisterFile { regs, classes: with, callee_saved },
            ]
        }
        RegisterFiles {
            standard: files(regs, classes, preserved.standard),
            preserve_none: files(regs, classes, preserved.least),
            preserve_most: files(regs, classes, preserved.most),
            preserve_all: files(regs, classes, preserved.all),
            win64: files(regs, classes, preserved.win64),
        }
    }

    /// That of functions of a convention.
    pub const fn of(
        &'static self,
        convention: CallingConvention,
        pointer: FramePointer,
    ) -> &'static RegisterFile<'static> {
        let files = match convention {
            CallingConvention::Standard
            | CallingConvention::Stdcall
            | CallingConvention::Fastcall
            | CallingConvention::Thiscall
            | CallingConvention::Fast => &self.standard,
            CallingConvention::PreserveNone => &self.preserve_none,
            CallingConvention::PreserveMost => &self.preserve_most,
            CallingConvention::PreserveAll => &self.preserve_all,
            CallingConvention::Win64 => &self.win64,
        };
        &files[pointer as usize]
    }
}

/// The first `N` registers of a class in the order of allocation: `runs` are first numbers and counts.
pub const fn order<const N: usize>(runs: &[(u8, u8)]) -> [PReg; N] {
    let mut out = [PReg(0); N];
    let (mut run, mut i) = (0, 0);
    while run < runs.len() {
        let mut n = 0;
        while n < runs[run].1 {
            out[i] = PReg(runs[run].0 + n);
            i += 1;
            n += 1;
        }
        run += 1;
    }
    assert!(i == N);
    out
}

/// The registers of `preserved` that an allocated function saves: what its operands, the allocator's copies and its calls
/// write.
pub fn saved_registers<I: MachInst>(
    mach: &MachFunction<I>,
    allocation: &Output,
    preserved: RegUnits,
) -> RegUnits {
    allocation.used_regs.union(mach.body().all_clobbers()).intersection(preserved)
}

/// The types of results; void for those that are not there.
pub fn result_types<T>(results: [Option<T>; 2], ty: impl Fn(T) -> Type) -> [Type; 2] {
    results.map(|result| result.map_or(Type::Void, &ty))
}

impl<I: MachInst, S: Sink<I>> Lower<'_, I, S> {
    /// Notes a call with this area of stack arguments.
    #[inline]
    pub fn note_call(&mut self, stack: StackArguments) {
        let frame = self.sink.frame();
        frame.has_calls = true;
        frame.outgoing = frame.outgoing.max(stack.bytes);
    }

    /// The only value that is returned, if it is a word: what most functions return.
    #[inline]
    pub fn returned_word(&self, values: [Option<Value>; 2]) -> Option<Value> {
        match values {
            [Some(value), None] if self.func.value_type(value) == Type::I32 => Some(value),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_lie_one_behind_another_up_to_a_limit() {
        let mut stack = StackArguments::EMPTY;
        assert_eq!(
            [(4, 4), (8, 8), (1, 4), (16, 16)].map(|(size, align)| stack.take(size, align)),
            [0, 8, 16, 32]
        );
        assert_eq!((stack.bytes(), stack.check()), (48, Ok(())));
        stack.take(u32::MAX, 4);
        let large = stack.bytes();
        stack.take(u32::MAX, 64);
        assert_eq!(stack.bytes(), large);
        assert_eq!(stack.check(), Err(ErrorKind::FrameTooLarge(large.into())));
    }
}
