//! Instructions that do nothing, for code that differs by chance: those of Subzero (`IceTargetLoweringX86Base`, five of
//! them), which also hide the starts of others in their operands.

/// `nop`; `mov esp, esp`; `mov ebp, ebp`; `lea esi, [esi]`; `lea edi, [edi]`.
pub(crate) const NOPS_32: &[&[u8]] = &[&[0x90], &[0x89, 0xe4], &[0x89, 0xed], &[0x8d, 0x36], &[0x8d, 0x3f]];

/// The same in 64 bits: with 32 the upper halves would be cleared.
pub(crate) const NOPS_64: &[&[u8]] =
    &[&[0x90], &[0x48, 0x89, 0xe4], &[0x48, 0x89, 0xed], &[0x48, 0x8d, 0x36], &[0x48, 0x8d, 0x3f]];

/// For the sandbox, whose validators take no such writes of the stack pointers: the long forms of `nop` in their place.
pub(crate) const NOPS_CONFINED: &[&[u8]] =
    &[&[0x90], &[0x66, 0x90], &[0x0f, 0x1f, 0x00], &[0x48, 0x8d, 0x36], &[0x48, 0x8d, 0x3f]];
