//! What modules of ordinary C, C++ and Rust programs say beyond the stable PNaCl format: how arguments
//! are passed, how symbols are linked, where they are put.
//!
//! PNaCl programs have the default everywhere. The vocabulary is LLVM's, so that its language reference
//! explains every word; a back end that does not know a word refuses the function.

use crate::entities::{ComdatId, Value};
use crate::function::Function;
use crate::hardening::{SignedReturn, StackProtection};
use crate::instruction::{InstData, named_enum};
use crate::intrinsics::Intrinsic;
use crate::module::Name;
use crate::rare::StaticDefault;

named_enum!(
    /// What a program expects from the world around it.
    Environment {
        /// The PNaCl sandbox: 32-bit addresses on every target, `_start` as the only entry, syscalls
        /// through a table; results that trap there trap.
        Pnacl = "pnacl",
        /// An ordinary object file of the target's C world.
        Native = "native",
    }
);

impl Default for Environment {
    /// That of a module which says nothing.
    fn default() -> Environment {
        Environment::Pnacl
    }
}

/// How one argument is passed. [`Plain`](Self::Plain) where a signature says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Passing {
    /// In the place that the convention has for its type.
    #[default]
    Plain,
    /// The argument is the address of an object of `size` bytes; the callee gets the address of a copy in
    /// the argument area, which is aligned to `1 << align_log2` at least.
    ByVal {
        /// Size of the object in bytes.
        size: u32,
        /// log2 of the alignment of the copy.
        align_log2: u8,
    },
    /// The address of the memory for the result: returned again in the first result register, and popped
    /// by the callee on i386.
    StructReturn,
    /// The address of the memory for the result, in a register where the convention could do so on demand, and left
    /// alone by the callee.
    StructReturnInRegister,
    /// In a register where the convention could do so on demand (`inreg`, regparm).
    InRegister,
    /// On the stack, also where the convention has a register for its type.
    OnStack,
    /// The static chain.
    Nest,
    /// The low half of a pair whose other half is the next parameter. Of two integers both are in registers or, aligned to
    /// their size, both in memory (an `i128`). Two vectors of 128 bits are one of 256 bits: in one register of that width
    /// or, aligned to their size, both in memory (AVX of x86).
    PairLow,
    /// The first of `len` parameters of one type that are one object: in consecutive registers of their class, or
    /// all in memory; on ARM integers also in part, while nothing is in memory yet (AAPCS, rules C.1 to C.5).
    Group {
        /// Number of parameters, this one first.
        len: u16,
    },
}

impl Passing {
    /// How a variable argument is passed: what [`Intrinsic::ByValue`] stands for by value, all else plainly.
    #[must_use]
    pub fn of_variable(func: &Function, arg: Value) -> Passing {
        let def = func.defining_inst(arg).map(|inst| func.inst(inst));
        let Some(&InstData::CallIntrinsic { op: Intrinsic::ByValue, args, .. }) = def else {
            return Passing::Plain;
        };
        let number = |n: usize| func.args(args).get(n).and_then(|&number| func.int_value(number));
        match (number(1), number(2)) {
            (Some(size), Some(align)) => Passing::ByVal { size: size as u32, align_log2: align as u8 },
            _ => Passing::Plain,
        }
    }

    /// Whether the argument is the address of the memory for the result.
    #[must_use]
    pub const fn is_struct_return(self) -> bool {
        matches!(self, Passing::StructReturn | Passing::StructReturnInRegister)
    }
}

/// Whether a function takes arguments beyond its parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Arity {
    /// As many arguments as parameters.
    #[default]
    Fixed,
    /// At least as many (C's `...`).
    Variadic,
}

named_enum!(
    /// What two results are to each other.
    Results {
        /// Each is a value of its own.
        Apart = "apart",
        /// Two vectors of 128 bits are the halves of one of 256 bits, the low one first, which has one register (AVX of
        /// x86).
        Halves = "halves",
        /// The lanes of a vector of four floats, or of one of two doubles and what is in the second result, a double or another
        /// such vector, have a register each: three or four results of one type (AAPCS64, 6.9).
        Lanes = "lanes",
    }
);

impl Default for Results {
    /// That of a signature which says nothing.
    fn default() -> Results {
        Results::Apart
    }
}

named_enum!(
    /// Which registers a call uses and which it leaves alone.
    CallingConvention {
        /// That of C on the target.
        Standard = "standard",
        /// LLVM's `preserve_none`, here on every target: nothing but the stack pointer and the frame pointer is
        /// preserved, and integers travel in as many registers as there are, first in those that standard functions
        /// preserve. Functions that jump to each other by [return calls](crate::InstData::ReturnCall) so keep the
        /// state of a run-time system in registers.
        PreserveNone = "preserve_none",
        /// The standard one of x86-64, but the callee preserves all general registers that carry no result, r11 excepted
        /// (LLVM's `preserve_most`).
        PreserveMost = "preserve_most",
        /// As [`PreserveMost`](Self::PreserveMost), and all vector registers too (LLVM's `preserve_all`).
        PreserveAll = "preserve_all",
        /// That of Windows on x86-64.
        Win64 = "win64",
        /// The standard one, but the callee pops the arguments on the stack; for x86-32, as the next two.
        Stdcall = "stdcall",
        /// As [`Stdcall`](Self::Stdcall), and the registers of [`Passing::InRegister`] are ecx and edx.
        Fastcall = "fastcall",
        /// As [`Stdcall`](Self::Stdcall), and the first word of an integer is in ecx.
        Thiscall = "thiscall",
        /// That of LLVM for functions that nobody else calls, on x86-32 (`fastcc`): the first two words of integers are in ecx
        /// and edx, the first three floats in vector registers, and results that are floats too.
        Fast = "fast",
    }
);

impl CallingConvention {
    /// Whether functions of the convention may have variable arguments.
    pub const fn has_variable_arguments(self) -> bool {
        match self {
            CallingConvention::Standard
            | CallingConvention::PreserveMost
            | CallingConvention::PreserveAll
            | CallingConvention::Win64 => true,
            CallingConvention::PreserveNone
            | CallingConvention::Fast
            | CallingConvention::Stdcall
            | CallingConvention::Fastcall
            | CallingConvention::Thiscall => false,
        }
    }

    /// Whether functions preserve the same registers as standard ones.
    pub const fn preserves_as_standard(self) -> bool {
        match self {
            CallingConvention::Standard
            | CallingConvention::Stdcall
            | CallingConvention::Fastcall
            | CallingConvention::Thiscall
            | CallingConvention::Fast => true,
            CallingConvention::PreserveNone
            | CallingConvention::PreserveMost
            | CallingConvention::PreserveAll
            | CallingConvention::Win64 => false,
        }
    }

    /// Whether functions preserve registers in which they get arguments.
    pub const fn preserves_arguments(self) -> bool {
        matches!(self, CallingConvention::PreserveMost | CallingConvention::PreserveAll)
    }
}

impl Default for CallingConvention {
    /// That of a signature which says nothing.
    fn default() -> CallingConvention {
        CallingConvention::Standard
    }
}

named_enum!(
    /// ELF visibility of a symbol.
    Visibility {
        /// Visible, and may be replaced by another module's symbol.
        Default = "default",
        /// Not visible outside of the linked module.
        Hidden = "hidden",
        /// Visible, but never replaced.
        Protected = "protected",
    }
);

/// Whether a symbol may resolve to a place outside of the linked module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Preemption {
    /// It may: position-independent code goes through the tables of the linker.
    #[default]
    Possible,
    /// It is in the same linked module (`dso_local`).
    Excluded,
}

named_enum!(
    /// Storage of a global variable: one copy, or one copy a thread, reached by one of the four models.
    Storage {
        /// One copy.
        Shared = "shared",
        /// One a thread; general dynamic model.
        ThreadGeneralDynamic = "thread_local",
        /// One a thread; local dynamic model.
        ThreadLocalDynamic = "thread_local_dynamic",
        /// One a thread; initial exec model.
        ThreadInitialExec = "thread_local_initial_exec",
        /// One a thread; local exec model.
        ThreadLocalExec = "thread_local_exec",
    }
);

impl Storage {
    /// True for the four models of thread-local storage.
    pub const fn is_thread_local(self) -> bool {
        !matches!(self, Storage::Shared)
    }
}

/// Which of several equal groups a linker keeps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ComdatKind {
    /// Any one of them.
    Any,
    /// All: a group only keeps its sections together.
    NoDuplicates,
}

/// A group of sections that a linker keeps or drops as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comdat {
    /// The name of the signature symbol.
    pub name: Name,
    /// Which to keep.
    pub kind: ComdatKind,
}

/// How a linker sees a symbol and where it is put, beyond its linkage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SymbolTraits {
    /// Visibility.
    pub visibility: Visibility,
    /// Whether it may be elsewhere.
    pub preemption: Preemption,
    /// The section asked for; empty for the usual one.
    pub section: Name,
    /// The group it belongs to.
    pub comdat: Option<ComdatId>,
}

impl StaticDefault for SymbolTraits {
    const DEFAULT: &'static SymbolTraits = &SymbolTraits {
        visibility: Visibility::Default,
        preemption: Preemption::Possible,
        section: Name::NONE,
        comdat: None,
    };
}

impl Default for SymbolTraits {
    fn default() -> Self {
        *Self::DEFAULT
    }
}

/// Whether callers of a function can be found from within it, and from where.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum UnwindTables {
    /// Not at all: what unwinds ends there.
    #[default]
    None,
    /// From its calls: enough for exceptions.
    Sync,
    /// From each of its instructions: for profilers and debuggers too.
    Async,
}

/// Which functions are found through the frame pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FrameChain {
    /// None.
    #[default]
    None,
    /// Those that call others.
    Callers,
    /// All.
    All,
}

/// What is known of a function beyond its signature, for its callers and for its own body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FunctionTraits {
    /// log2 of the alignment asked for; 0 for the usual one.
    pub align_log2: u8,
    /// Like `setjmp`, it may return again to the same place.
    pub returns_twice: bool,
    /// It never returns.
    pub noreturn: bool,
    /// It is hardly ever called.
    pub cold: bool,
    /// Of a function that never returns: no exception leaves it either.
    pub nounwind: bool,
    /// Whether its frame must be found through the frame pointer.
    pub frame_pointer: FrameChain,
    /// From where its callers must be found.
    pub unwind: UnwindTables,
    /// An indirect call may lead here: where [branches are tracked](crate::Hardening::tracks_branches) it begins with the
    /// instruction that says so.
    pub landing: bool,
    /// Whether it signs the address that it returns to.
    pub signed_return: SignedReturn,
    /// Its processors have vector registers of 256 bits, and instructions in the form that goes with them (AVX of x86).
    pub wide_registers: bool,
    /// Its processors compute with integers in such registers, and move lanes in them (AVX2 of x86).
    pub wide_integers: bool,
    /// Its processors bring the bytes of a vector to any places in one instruction (SSSE3 of x86).
    pub permutes_bytes: bool,
    /// Whether its frame is guarded.
    pub protection: StackProtection,
    /// What stands in the four bytes before its code, for calls that [look](crate::Intrinsic::CheckType) whether it is of
    /// the type that they call (KCFI).
    pub type_word: Option<u32>,
    /// What stands in the eight bytes before its code, for code of sanitizers that looks whether it is of the type that it
    /// calls. There is no type word then.
    pub signature_words: Option<[u32; 2]>,
}

impl StaticDefault for FunctionTraits {
    const DEFAULT: &'static FunctionTraits = &FunctionTraits {
        align_log2: 0,
        returns_twice: false,
        noreturn: false,
        cold: false,
        nounwind: false,
        frame_pointer: FrameChain::None,
        unwind: UnwindTables::None,
        landing: false,
        signed_return: SignedReturn::Never,
        wide_registers: false,
        wide_integers: false,
        permutes_bytes: false,
        protection: StackProtection::None,
        type_word: None,
        signature_words: None,
    };
}

impl Default for FunctionTraits {
    fn default() -> Self {
        *Self::DEFAULT
    }
}
