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
use crate::rules::Call;
use crate::target::ErrorKind;
use core::ops::Range;
use ice_ir::{Function, Module, Passing, Signature, Type, Value, ValueDef};

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

/// The offsets of the stack arguments of a call in `func` that are not in place already, by the places of the function and
/// those of the callee, before the first argument.
///
/// # Errors
/// The arguments do not fit.
fn moved_range<P: PlaceArguments>(
    (module, func): (&Module, &Function),
    mut own: P,
    callee: &mut P,
    args: impl Iterator<Item = (Value, Passing)>,
) -> Result<Range<u32>, ErrorKind> {
    let signature = module.signature(func.id);
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
    Ok(moved.map_or(0..0, |(start, end)| start..end))
}

/// Whether `call` in `func` is as good in place of a return, as far as all machines agree: the results are those of the
/// function, or integers that nobody wants, the convention and the memory for the result are the function's, and no
/// argument is an object or would move, which costs more than a call.
pub fn is_as_good_as_return<P: PlaceArguments>(
    (module, func): (&Module, &Function),
    call: &Call<'_>,
    own_places: P,
    mut callee_places: P,
) -> bool {
    let own = module.signature(func.id);
    let memory = own.struct_return().and_then(|n| func.params().get(n));
    let kind_of = |signature: &Signature| (signature.convention, signature.tracking, signature.results);
    let (kind, results, callee_memory) = match call.signature {
        Some(callee) => {
            let memory = callee.struct_return().and_then(|n| call.args.get(n));
            (kind_of(callee), [callee.ret, callee.second], memory)
        }
        None => (Default::default(), [own.ret, Type::Void], None),
    };
    let own_results = [own.ret, own.second];
    let wants_none = own_results == [Type::Void; 2] && results[1] == Type::Void && results[0].is_scalar_int();
    let mut args = call.args_with_passing(func);
    (results == own_results || wants_none)
        && kind == kind_of(own)
        && memory == callee_memory
        && !args.any(|(_, passing)| matches!(passing, Passing::ByVal { .. }))
        && moved_range((module, func), own_places, &mut callee_places, call.args_with_passing(func))
            .is_ok_and(|moved| moved.is_empty())
}

impl<I: MachInst, S: Sink<I>> Lower<'_, I, S> {
    /// The offsets of the stack arguments that are not in place already, by the places of the function and those of the
    /// callee, before the first argument. Reserves as much memory at the bottom of the frame as a plain call would, if
    /// there are any.
    ///
    /// # Errors
    /// The arguments do not fit.
    pub fn moved_arguments<P: PlaceArguments>(
        &mut self,
        own: P,
        mut callee: P,
        args: impl Iterator<Item = (Value, Passing)>,
    ) -> Result<Range<u32>, ErrorKind> {
        let moved = moved_range((self.module, self.func), own, &mut callee, args)?;
        if moved.len() > MAX_MOVED as usize {
            return Err(TOO_LARGE);
        }
        if !moved.is_empty() {
            let frame = self.sink.frame();
            frame.outgoing = frame.outgoing.max(callee.stack_area().bytes());
        }
        Ok(moved)
    }
}
