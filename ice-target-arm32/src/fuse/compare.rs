//! Comparisons with zero: an operation that sets the flags makes the one of its result unnecessary.
//!
//! | before | after |
//! |---|---|
//! | `sub r0, r0, #1`, then `cmp r0, #0` soon after | `subs r0, r0, #1` |
//!
//! Only equality and sign are asked of the comparison ([`Inst::TestZero`]), and these the operation sets as it would. What
//! stands between the two must leave the flags and the number alone.
//!
//! Cost: for each operation that can set flags the next few instructions.

use crate::inst::Inst;
use ice_asm::arm32::Flags;
use ice_codegen::mach::VReg;

/// How far ahead of an instruction the comparison of its result with zero may be.
const MAX_TEST_DISTANCE: usize = 12;

/// Whether `dst` is compared with zero among the next instructions, and nothing before that writes flags or `dst`.
pub(crate) fn is_tested(following: &[Inst], dst: VReg) -> bool {
    for inst in following.iter().take(MAX_TEST_DISTANCE) {
        let written = match *inst {
            Inst::TestZero { lhs } => return lhs == dst,
            Inst::MultiplyLong { lo, hi, .. } => (lo == dst || hi == dst).then_some(dst),
            Inst::Mov { dst, .. }
            | Inst::MovImm { dst, .. }
            | Inst::MovSymbol { dst, .. }
            | Inst::MovSrc { flags: Flags::Keep, dst, .. }
            | Inst::Extend { dst, .. }
            | Inst::Load { dst, .. }
            | Inst::Lea { dst, .. }
            | Inst::Alu { flags: Flags::Keep, dst, .. }
            | Inst::Mul { dst, .. }
            | Inst::MultiplyAdd { dst, .. }
            | Inst::BitField { dst, .. } => Some(dst),
            Inst::Store { .. }
            | Inst::StoreFloat { .. }
            | Inst::LoadFloat { .. }
            | Inst::MovFloat { .. }
            | Inst::Float3 { .. }
            | Inst::Float3Acc { .. } => None,
            _ => return false,
        };
        if written == Some(dst) {
            return false;
        }
    }
    false
}
