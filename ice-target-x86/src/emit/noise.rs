//! What code has that differs by chance: instructions that do nothing, five of them as Subzero has, and numbers that do not
//! stand in the code.

use super::Emitter;
use crate::secret::{Blinded, blind, is_open};
use ice_asm::Listing;
use ice_asm::x86::{Gpr, Mem, Scale, Width};

/// `nop`; `mov esp, esp`; `mov ebp, ebp`; `lea esi, [esi]`; `lea edi, [edi]`.
pub(crate) const NOPS_32: &[&[u8]] = &[&[0x90], &[0x89, 0xe4], &[0x89, 0xed], &[0x8d, 0x36], &[0x8d, 0x3f]];

/// The same in 64 bits: with 32 the upper halves would be cleared.
pub(crate) const NOPS_64: &[&[u8]] =
    &[&[0x90], &[0x48, 0x89, 0xe4], &[0x48, 0x89, 0xed], &[0x48, 0x8d, 0x36], &[0x48, 0x8d, 0x3f]];

/// For the sandbox, whose validators take no such writes of the stack pointers: the long forms of `nop` in their place.
pub(crate) const NOPS_CONFINED: &[&[u8]] =
    &[&[0x90], &[0x66, 0x90], &[0x0f, 0x1f, 0x00], &[0x48, 0x8d, 0x36], &[0x48, 0x8d, 0x3f]];

impl<L: Listing> Emitter<'_, L> {
    /// Whether a number may stand in the code as it is.
    pub(super) fn is_open(&self, number: i64) -> bool {
        self.cookie.is_none() || is_open(number)
    }

    /// `dst = addend + imm`, where `dst` is not the stack pointer. Writes no flags.
    #[cold]
    pub(super) fn hidden(&mut self, width: Width, dst: Gpr, addend: Option<Gpr>, imm: i64) {
        let cookie = self.cookie.unwrap_or_default();
        let Blinded { first, second, is_scaled } = blind(width, addend.is_some(), imm, cookie);
        match addend {
            None => self.e.mov_r_i(width, dst, first),
            Some(addend) => self.e.lea(width, dst, Mem::base(addend, first as i32)),
        }
        let sum = match is_scaled {
            true => Mem::base_index(dst, dst, Scale::X8, second),
            false => Mem::base(dst, second),
        };
        self.e.lea(width, dst, sum);
    }
}
