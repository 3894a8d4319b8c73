//! What a module asks for against those who have found a way to write where they should not: into the stack, or over the
//! address of a function.
//!
//! | attack | what is asked for |
//! |---|---|
//! | an indirect branch goes to the middle of something | [`Hardening::tracks_branches`], [`FunctionTraits::landing`](crate::native::FunctionTraits) |
//! | the address of a function becomes that of another one | [`CheckType`](crate::Intrinsic::CheckType), [`FunctionTraits::type_word`](crate::native::FunctionTraits) |
//! | an array is overrun and a return address overwritten | [`StackProtection`], [`StackGuard`], [`SignedReturn`] |
//!
//! A frame is guarded like this (StackGuard: Cowan and others, 1998): a number that nobody outside knows is put above its
//! arrays when the function begins, and compared before it returns; where it is another one, the program is ended. The
//! pass that does so is `protect_stack` of `ice-passes`.

use crate::entities::{FuncId, GlobalId};
use crate::instruction::named_enum;

/// What a module asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hardening {
    /// Indirect branches may lead only to instructions that say so.
    pub tracks_branches: bool,
    /// Functions [sign](crate::native::FunctionTraits::signed_return) where they return to: the object says that the program may
    /// be run so.
    pub signs_returns: bool,
    /// Returns are compared with a second stack: nothing for code, but the object says that the program may be run so.
    pub has_shadow_stack: bool,
    /// Calls through addresses look whether they lead to functions of their type, which have a word in front of their code that
    /// says so; there where a call asks for it. Code that runs where it is made has no such words.
    pub checks_types: bool,
    /// How frames are guarded; there where a function asks for it.
    pub stack_guard: Option<StackGuard>,
}

named_enum!(
    /// Whether a function signs the address that it returns to when it begins, and looks at the signature before it returns.
    SignedReturn {
        /// It does not.
        Never = "unsigned_return",
        /// If it puts the address into its frame.
        WhereSaved = "signed_return",
        /// In any case.
        Always = "always_signed_return",
    }
);

/// How frames are guarded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackGuard {
    /// Where the number is that frames hold.
    pub source: GuardSource,
    /// The function without parameters that ends the program.
    pub fail: FuncId,
}

/// Where the number is that guards frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GuardSource {
    /// The word at `offset` of a segment, which each thread has its own of.
    Segment {
        /// The intrinsic that reads it, [`SegmentWord`](crate::Intrinsic::SegmentWord).
        read: FuncId,
        /// Which segment.
        segment: Segment,
        /// From its start, in bytes.
        offset: i32,
    },
    /// A variable of the size of an address.
    Variable(GlobalId),
}

named_enum!(
    /// A segment register of x86 that programs may use.
    Segment {
        /// That of threads on x86-64.
        Fs = "fs",
        /// That of threads on x86-32.
        Gs = "gs",
    }
);

impl Segment {
    /// The segment with this number, as [`SegmentWord`](crate::Intrinsic::SegmentWord) has it.
    pub fn from_code(code: i64) -> Option<Segment> {
        Segment::ALL.get(usize::try_from(code).ok()?).copied()
    }

    /// Its number.
    pub const fn code(self) -> i64 {
        self as i64
    }
}

named_enum!(
    /// Which functions guard their frame.
    StackProtection {
        /// None does.
        None = "unprotected",
        /// Those with large arrays of bytes, and with objects of a size that is not constant.
        Buffers = "protect_buffers",
        /// Those with arrays, or with objects whose address goes elsewhere.
        Strong = "protect_strong",
        /// All do.
        Always = "protect",
    }
);

impl Default for SignedReturn {
    /// That of a function which says nothing.
    fn default() -> SignedReturn {
        SignedReturn::Never
    }
}

impl Default for StackProtection {
    /// That of a function which says nothing.
    fn default() -> StackProtection {
        StackProtection::None
    }
}

named_enum!(
    /// What the objects of a frame are to who protects it. In a guarded frame they are in this order, the guard at the
    /// highest address: who runs past the end of an array meets arrays, and then the guard.
    ObjectKind {
        /// Of the compiler, with nothing of the program's in it.
        Temporary = "temporary",
        /// A variable.
        Local = "local",
        /// A variable whose address goes elsewhere.
        Exposed = "exposed",
        /// An array that is small or not of bytes.
        Array = "array",
        /// A large array.
        Buffer = "buffer",
        /// The guard.
        Guard = "guard",
    }
);

impl Default for ObjectKind {
    /// That of an object of which nothing is said.
    fn default() -> ObjectKind {
        ObjectKind::Local
    }
}

named_enum!(
    /// Whether where an indirect call leads is looked at, in modules that track branches.
    Tracking {
        /// It must lead to an instruction that says so.
        Tracked = "tracked",
        /// It may lead anywhere (`nocf_check`).
        Untracked = "untracked",
    }
);

impl Default for Tracking {
    /// That of a signature which says nothing.
    fn default() -> Tracking {
        Tracking::Tracked
    }
}
