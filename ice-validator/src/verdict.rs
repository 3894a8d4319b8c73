//! What is asked and what is answered.

use core::fmt;

/// A machine with its sandbox.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Target {
    /// x86-64: a window of 4 GiB at `r15`, bundles of 32 bytes.
    X86_64,
    /// x86-32: segments confine data, bundles of 32 bytes.
    X86_32,
    /// ARMv7-A in ARM state: masks of the lowest GiB, bundles of 16 bytes.
    Arm32,
    /// MIPS32 release 2, little-endian, o32: masks in `t6` and `t7`, bundles of 16 bytes.
    Mips32,
}

impl Target {
    /// Every target.
    pub const ALL: [Target; 4] = [Target::X86_64, Target::X86_32, Target::Arm32, Target::Mips32];

    /// Bytes of a bundle; indirect branches lead to multiples of it only.
    pub const fn bundle(self) -> usize {
        match self {
            Target::X86_64 | Target::X86_32 => 32,
            Target::Arm32 | Target::Mips32 => 16,
        }
    }
}

/// Extensions of the instruction set that the processor has: a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Features(u32);

impl Features {
    /// No extension: x86 with SSE2, ARMv7-A with VFPv3 and Advanced SIMD, MIPS32 release 2.
    pub const NONE: Features = Features(0);
    /// Everything that is known.
    pub const ALL: Features = Features(u32::MAX);
    /// x86: SSE3, SSSE3, SSE4.1, SSE4.2 and `popcnt`.
    pub const SSE4: Features = Features(1);
    /// x86: `lzcnt`, `tzcnt` and `movbe`.
    pub const BITS: Features = Features(1 << 1);
    /// ARM: `sdiv` and `udiv`.
    pub const DIVIDE: Features = Features(1 << 2);
    /// ARM: accesses under the condition that `tst` found the address inside, in place of a mask.
    pub const CONDITIONAL_ACCESS: Features = Features(1 << 3);

    /// Those of either set.
    #[must_use]
    pub const fn or(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }

    /// Whether all of `other` are among these.
    pub const fn has(self, other: Features) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Code to be judged.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// Its bytes, whole bundles.
    pub bytes: &'a [u8],
    /// The address of the first byte in the window, a multiple of the bundle.
    pub address: u32,
}

/// Why code is refused.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Refusal {
    /// Where in the text, in bytes: the instruction that breaks the rule.
    pub offset: usize,
    /// The rule.
    pub rule: Rule,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "offset {:#x}: {}", self.offset, self.rule)
    }
}

impl core::error::Error for Refusal {}

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident: $text:literal,)*) => {
        /// A rule of the sandbox.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$doc])* #[doc = $text] $name,)*
        }

        impl fmt::Display for Rule {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Rule::$name => $text),* })
            }
        }
    };
}

rules! {
    ScratchTooSmall: "the validator was given too little memory",
    TextNotWholeBundles: "the text does not begin and end at a bundle",
    UnknownInstruction: "no instruction that the sandbox allows",
    MissingFeature: "an instruction of an extension that the processor lacks",
    CrossesBundle: "an instruction or a sequence crosses the end of a bundle",
    BranchIntoInstruction: "a branch leads to a place where no instruction or sequence begins",
    BranchOutside: "a branch leads out of the text to a place that is no bundle",
    UnmaskedBranch: "an indirect branch whose target is not masked just before",
    UnmaskedAccess: "a memory access whose address is not confined just before",
    ReservedRegister: "a write to a register that is reserved",
    UnconfinedStackPointer: "a change of the stack or frame pointer that is not confined at once",
    UnconfinedString: "a string instruction whose addresses are not confined just before",
    MisplacedCall: "a call that does not end where a bundle ends",
    BranchInSlot: "a branch in the slot of a branch",
}
