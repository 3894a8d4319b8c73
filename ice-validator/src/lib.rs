//! Decides from bytes alone whether machine code keeps the rules of the Native Client sandbox.
//!
//! Software fault isolation (Wahbe et al., 1993; Yee et al., 2009; Sehr et al., 2010): untrusted code runs in a window
//! of the address space, and what it may do is settled before it runs. Code that passes [`validate`] leaves its
//! text only through addresses that are masked to bundles, touches memory only inside the window or its
//! guards, and contains no instruction that reaches the operating system. A verdict holds for these bytes only: they must
//! not change afterwards, and the loader must have made window, guards and reserved registers as the
//! sandbox of the target wants them.
//!
//! Do not use it to find out what code means, nor for code that was not made for the sandbox: all of it is refused.
//!
//! ```
//! use ice_validator::{Features, Target, Text, scratch_words, validate};
//!
//! // mov %eax,%eax ; mov (%r15,%rax,1),%ecx ; hlt to the end of the bundle
//! let mut bytes = [0xf4; 32];
//! bytes[..6].copy_from_slice(&[0x89, 0xc0, 0x41, 0x8b, 0x0c, 0x07]);
//! let mut scratch = [0; scratch_words(32)];
//! let mut verdict = |bytes: &[u8]| {
//!     validate(Target::X86_64, Features::ALL, Text { bytes, address: 0x20000 }, &mut scratch)
//! };
//! assert!(verdict(&bytes).is_ok());
//!
//! bytes[..2].copy_from_slice(&[0x90, 0x90]); // nop: the upper half of %rax may be anything
//! let refusal = verdict(&bytes).unwrap_err();
//! assert_eq!(refusal.to_string(), "offset 0x2: a memory access whose address is not confined just before");
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `verdict` | [`Target`], [`Features`], [`Text`], [`Refusal`], [`Rule`] |
//! | `marks` | where branches may lead, and where they lead |
//! | `x86` | both x86: tables of instructions, lengths, pairs; confined operands of x86-64 |
//! | `words` | tables of instructions that are words |
//! | `arm32`, `mips32` | the tables and pairs of each |
//!
//! The rules are those of the historical validators. Where this is stricter: no MMX, 3DNow! and AVX; of the redundant forms of
//! an instruction some are missing; on MIPS a mask that a branch `likely` may leave out does not count. On x86 `cargo xtask
//! validators` has compared 52 million cases, all openings of three bytes and two million changed functions: nothing is accepted
//! that they refuse, and 3 % of what they accept is refused.
//!
//! The crate has no features. It is tested by known verdicts, by attempts to escape, by all openings of three bytes against an
//! independent disassembler, and by random changes of confined code against a slow checker that knows what
//! instructions do and not their forms. `cargo bench` measures bytes a second.
#![no_std]
#![forbid(unsafe_code)]

mod arm32;
mod marks;
mod mips32;
mod verdict;
mod words;
mod x86;

use marks::Marks;
pub use verdict::{Features, Refusal, Rule, Target, Text};

/// Words of scratch memory that [`validate`] needs for a text of `bytes` bytes: two bits a byte, one for places
/// where direct branches may lead, one for places where they lead.
pub const fn scratch_words(bytes: usize) -> usize {
    2 * bytes.div_ceil(64)
}

/// Decides whether `text` keeps the rules of the sandbox of `target`.
///
/// `scratch` is overwritten; [`scratch_words`] says its least length. Instructions outside of `features` are refused.
/// Time is linear in the length of the text, and nothing is allocated.
///
/// # Errors
/// The first place in the text where a rule is broken, and the rule. Branches to places that are no target
/// are found last.
pub fn validate(
    target: Target,
    features: Features,
    text: Text<'_>,
    scratch: &mut [u64],
) -> Result<(), Refusal> {
    let bundle = target.bundle();
    let refusal = |rule| Refusal { offset: 0, rule };
    if !(text.address as usize).is_multiple_of(bundle) || !text.bytes.len().is_multiple_of(bundle) {
        return Err(refusal(Rule::TextNotWholeBundles));
    }
    let mut marks = Marks::new(scratch, text.bytes.len()).ok_or(refusal(Rule::ScratchTooSmall))?;
    match target {
        Target::X86_64 => x86::validate::<true>(features, text, &mut marks),
        Target::X86_32 => x86::validate::<false>(features, text, &mut marks),
        Target::Arm32 => arm32::validate(features, text, &mut marks),
        Target::Mips32 => mips32::validate(text, &mut marks),
    }
}
