//! Which comparisons with zero are left out, because the instruction before has set the flags by its result.
//!
//! *Contract.* What has set them by a register is noted with the end of the code behind it: it holds as long as nothing
//! has been written since, and no block begins there. After `and`, `or` and `xor` carry and overflow are zero, as
//! after a comparison with zero; after sums and differences only the branches on the result's sign and on zero agree.

use super::Emitter;
use crate::inst::Inst;
use ice_asm::Listing;
use ice_asm::x86::{Cond, Gpr, Width};
use ice_codegen::mach::MachInstId;

/// What the flags are of, if no code has come since.
#[derive(Clone, Copy)]
pub(super) struct Flags {
    /// Where the code ended.
    end: u32,
    reg: Gpr,
    width: Width,
    /// Whether carry and overflow are zero.
    has_no_carry: bool,
}

impl Flags {
    /// Those of anything.
    pub(super) const UNKNOWN: Flags =
        Flags { end: u32::MAX, reg: Gpr::RAX, width: Width::B32, has_no_carry: false };
}

impl<L: Listing> Emitter<'_, L> {
    /// Notes that the instruction written last has set the flags by what is in `reg` now.
    #[inline(always)]
    pub(super) fn note_flags(&mut self, width: Width, reg: Gpr, has_no_carry: bool) {
        self.flags = Flags { end: self.e.buf.offset(), reg, width, has_no_carry };
    }

    /// Whether the flags are those of a comparison of `reg` with zero already, as far as somebody asks.
    #[inline(always)]
    pub(super) fn has_flags_of(&self, width: Width, reg: Gpr) -> bool {
        self.flags.end == self.e.buf.offset()
            && self.flags.reg == reg
            && self.flags.width == width
            && (self.flags.has_no_carry || self.asks_for_result())
    }

    /// Whether a branch comes next that asks for the sign or for zero; nothing behind it reads flags.
    #[inline(never)]
    fn asks_for_result(&self) -> bool {
        let next = MachInstId::from_u32(self.cursor.at.as_u32() + 1);
        matches!(
            self.cursor.inst(next),
            Some(Inst::Jcc { cond: Cond::E | Cond::Ne | Cond::S | Cond::Ns, .. })
        )
    }
}
