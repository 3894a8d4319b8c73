//! Calls in place of returns: which stack arguments move, and whether they fit.
//!
//! *Problem.* The callee of a tail call finds its stack arguments where those of the function are, which may still be
//! read, by other arguments too.
//!
//! *Method.* An argument that is a parameter of the function and has the place of that parameter stays where it is. All
//! others are stored where a plain call has them, at the bottom of the frame; when every operand of the jump is in its
//! register, the instruction that ends the block copies that range over the function's own arguments. Nothing is read
//! from there any more, so that moves in a circle need no thought.
//!
//! *Contract.* [`Lower::moved_arguments`] gives the range of offsets that is copied, and refuses what does not fit: a
//! caller takes back as many bytes as it has put on the stack, whatever it called returns there.
//!
//! Cost: linear in parameters and arguments; two accesses to memory more for a word that moves.

use crate::abi::StackArguments;
use crate::lower::Lower;
use crate::mach::{MachInst, Sink};
use crate::target::ErrorKind;
use core::ops::Range;
use ice_ir::{Passing, Type, Value, ValueDef};

/// What of an argument is on the stack, from which offset on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StackPart {
    /// Nothing.
    None,
    /// What has no register.
    Some(u32),
    /// All of it.
    Whole(u32),
}

/// A convention that hands out places from left to right.
pub trait PlaceArguments {
    /// What of the next argument is on the stack.
    fn next_part(&mut self, ty: Type, passing: Passing) -> StackPart;

    /// The area of stack arguments so far.
    fn stack_area(&self) -> StackArguments;
}

/// The error for stack arguments that do not fit.
const TOO_MANY: ErrorKind =
    ErrorKind::Unsupported("a tail call with more bytes of stack arguments than its function has");

/// Most bytes that are moved, each word by two instructions.
const MAX_MOVED: u32 = 1024;

/// The error for more of them.
const TOO_LARGE: ErrorKind =
    ErrorKind::Unsupported("a tail call that moves more than 1024 bytes of stack arguments");

impl<I: MachInst, S: Sink<I>> Lower<'_, I, S> {
    /// The offsets of the stack arguments that are not in place already, by the places of the function and those of the
    /// callee, before the first argument. Reserves as much memory at the bottom of the frame as a plain call would, if
    /// there are any.
    ///
    /// # Errors
    /// The arguments do not fit.
    pub fn moved_arguments<P: PlaceArguments>(
        &mut self,
        mut own: P,
        mut callee: P,
        args: impl Iterator<Item = (Value, Passing)>,
    ) -> Result<Range<u32>, ErrorKind> {
        let func = self.func;
        let signature = self.module.signature(func.id);
        let mut params = signature.params.iter().enumerate();
        // The latest parameter that was placed. Arguments that stay mostly are in the order of the parameters.
        let mut placed = None;
        // Start and end, as far as any moves.
        let mut moved: Option<(u32, u32)> = None;
        for (arg, passing) in args {
            let part = callee.next_part(func.value_type(arg), passing);
            let (StackPart::Some(start) | StackPart::Whole(start)) = part else { continue };
            if let ValueDef::Param(param) = func.value_def(arg) {
                while placed.is_none_or(|(n, _, _)| n < param as usize)
                    && let Some((n, &ty)) = params.next()
                {
                    let passing = signature.passing(n);
                    placed = Some((n, passing, own.next_part(ty, passing)));
                }
                if matches!(part, StackPart::Whole(_)) && placed == Some((param as usize, passing, part)) {
                    continue;
                }
            }
            let first = moved.map_or(start, |(first, _)| first.min(start));
            moved = Some((first, callee.stack_area().bytes()));
        }
        for (n, &ty) in params {
            own.next_part(ty, signature.passing(n));
        }
        callee.stack_area().check()?;
        if callee.stack_area().bytes() > own.stack_area().bytes() {
            return Err(TOO_MANY);
        }
        let Some((start, end)) = moved else { return Ok(0..0) };
        if end - start > MAX_MOVED {
            return Err(TOO_LARGE);
        }
        let frame = self.sink.frame();
        frame.outgoing = frame.outgoing.max(callee.stack_area().bytes());
        Ok(start..end)
    }
}
