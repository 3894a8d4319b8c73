//! What a function does with exceptions: the calls that end a block in one of two ways, and what its pads catch.
//!
//! A call that may raise an exception which its function wants to see is a terminator, [`InstData::Invoke`]: control goes
//! on in its *normal* block, or, if the callee is left by an exception, in its *pad*. Both have no other predecessor and
//! no phis, so that what is true right at the call is true at their starts: nothing is moved on these two edges. The result
//! of the call is that of the [`InstData::InvokeResult`] at the start of the normal block; the exception and its
//! *selector* are the results of the [`InstData::LandingPad`] at the start of the pad.
//!
//! The selector says which [`Clause`] of the pad has taken the exception: the number of the type in the table of the
//! function, from 1 on, a negative number for a filter, 0 for a cleanup (Itanium C++ ABI, exception handling, 1.6.4). A
//! pad that does not handle the exception goes on by a call of `_Unwind_Resume`.

use alloc::vec::Vec;

use crate::entities::{Block, FuncId, Invocation, Pad, SigId, Symbol};
use crate::types::Type;
use cranelift_entity::{EntityRef, PrimaryMap};

/// What an [`InstData::Invoke`](crate::InstData::Invoke) calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InvokeCallee {
    /// A function of the module.
    Function(FuncId),
    /// The address `args[0]`, with the other arguments; its signature is their types and that of the result.
    Address,
    /// The same as a function of a signature.
    As(SigId),
}

/// What an [`InstData::Invoke`](crate::InstData::Invoke) says beside its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct InvokeData {
    /// What is called.
    pub callee: InvokeCallee,
    /// The type of its result.
    pub ret: Type,
    /// Where control goes on when it returns.
    pub normal: Block,
    /// Where control goes on when an exception leaves it.
    pub pad: Block,
}

/// What a pad wants of an exception.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Clause {
    /// To catch it, if it is of the type of this number in the table of the function.
    Catch(u32),
    /// To see it, if it is of none of these types.
    Filter(Vec<u32>),
}

/// What a pad wants of exceptions, in this order.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct PadData {
    /// It wants to see those that none of its clauses take.
    pub is_cleanup: bool,
    /// What it takes.
    pub clauses: Vec<Clause>,
}

/// The exceptions of one function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exceptions {
    /// The function of the language that decides at run time which pad takes an exception.
    pub personality: Option<FuncId>,
    /// The types that clauses name by number, from 1 on; `None` is every type.
    pub types: Vec<Option<Symbol>>,
    invocations: PrimaryMap<Invocation, InvokeData>,
    pads: PrimaryMap<Pad, PadData>,
}

impl Exceptions {
    /// Forgets everything.
    #[inline]
    pub fn clear(&mut self) {
        if self.personality.is_some() || !(self.types.is_empty() && self.pads.is_empty()) {
            self.forget();
        }
    }

    #[cold]
    fn forget(&mut self) {
        self.personality = None;
        self.types.clear();
        self.invocations.clear();
        self.pads.clear();
    }

    /// The number of a type in the table, where it is put unless it is there.
    pub fn type_number(&mut self, ty: Option<Symbol>) -> u32 {
        let known = self.types.iter().position(|&known| known == ty);
        let index = known.unwrap_or_else(|| {
            self.types.push(ty);
            self.types.len() - 1
        });
        index as u32 + 1
    }

    /// A new invocation.
    pub fn make_invocation(&mut self, data: InvokeData) -> Invocation {
        self.invocations.push(data)
    }

    /// What an invocation says.
    pub fn invocation(&self, invocation: Invocation) -> &InvokeData {
        &self.invocations[invocation]
    }

    /// What an invocation says, to be changed in place.
    pub fn invocation_mut(&mut self, invocation: Invocation) -> &mut InvokeData {
        &mut self.invocations[invocation]
    }

    /// Whether there is this invocation.
    pub fn has_invocation(&self, invocation: Invocation) -> bool {
        invocation.index() < self.invocations.len()
    }

    /// Whether there is any.
    pub fn has_invocations(&self) -> bool {
        !self.invocations.is_empty()
    }

    /// A new pad.
    pub fn make_pad(&mut self, data: PadData) -> Pad {
        self.pads.push(data)
    }

    /// What a pad wants, if there is this pad.
    pub fn pad(&self, pad: Pad) -> Option<&PadData> {
        self.pads.get(pad)
    }

    /// What a pad wants, to be changed in place.
    pub fn pad_mut(&mut self, pad: Pad) -> &mut PadData {
        &mut self.pads[pad]
    }
}
