//! Advanced SIMD shifts by a constant (DDI 0487, C4.1, "Advanced SIMD shift by immediate").

use super::neon::{half_suffix, wide};
use super::register::{Arrangement, Lane, Vreg, full_bit};
use super::{Encoder, ops};
use crate::listing::Listing;

ops!(
    /// Shifts right by 1 to the width of a lane, left by less than it. `ssra` and `usra` add, `sli` and `sri` insert into the
    /// destination, `srshr` and `urshr` round.
    VectorShift:
    Shl   "shl"   "0 Q 0 011110 iiii iii 01010 1 nnnnn ddddd",
    Sli   "sli"   "0 Q 1 011110 iiii iii 01010 1 nnnnn ddddd",
    Sshr  "sshr"  "0 Q 0 011110 iiii iii 00000 1 nnnnn ddddd",
    Ushr  "ushr"  "0 Q 1 011110 iiii iii 00000 1 nnnnn ddddd",
    Ssra  "ssra"  "0 Q 0 011110 iiii iii 00010 1 nnnnn ddddd",
    Usra  "usra"  "0 Q 1 011110 iiii iii 00010 1 nnnnn ddddd",
    Sri   "sri"   "0 Q 1 011110 iiii iii 01000 1 nnnnn ddddd",
    Srshr "srshr" "0 Q 0 011110 iiii iii 00100 1 nnnnn ddddd",
    Urshr "urshr" "0 Q 1 011110 iiii iii 00100 1 nnnnn ddddd",
);

impl VectorShift {
    /// Whether it shifts to the left.
    #[must_use]
    pub const fn is_left(self) -> bool {
        matches!(self, VectorShift::Shl | VectorShift::Sli)
    }
}

ops!(
    /// Shifts left that widen, with the sign or zeros; the amount is below the width of a narrow lane.
    VectorShiftLong:
    Sshll "sshll" "0 Q 0 011110 iiii iii 10100 1 nnnnn ddddd" "8 16 32",
    Ushll "ushll" "0 Q 1 011110 iiii iii 10100 1 nnnnn ddddd" "8 16 32",
);

ops!(
    /// Shifts right that narrow, by 1 to the width of a narrow lane; `rshrn` rounds, the last three saturate.
    VectorShiftNarrow:
    Shrn    "shrn"    "0 Q 0 011110 iiii iii 10000 1 nnnnn ddddd" "8 16 32",
    Rshrn   "rshrn"   "0 Q 0 011110 iiii iii 10001 1 nnnnn ddddd" "8 16 32",
    Sqshrn  "sqshrn"  "0 Q 0 011110 iiii iii 10010 1 nnnnn ddddd" "8 16 32",
    Uqshrn  "uqshrn"  "0 Q 1 011110 iiii iii 10010 1 nnnnn ddddd" "8 16 32",
    Sqshrun "sqshrun" "0 Q 1 011110 iiii iii 10000 1 nnnnn ddddd" "8 16 32",
);

/// The fields `immh` and `immb` of a shift to the left, if the amount is one: the width of a lane is their highest one.
fn left_field(lane: Lane, amount: u8) -> Option<u32> {
    let amount = u32::from(amount);
    (amount < lane.bits()).then_some((lane.bits() + amount) << 16)
}

/// The same of a shift to the right.
fn right_field(lane: Lane, amount: u8) -> Option<u32> {
    let amount = u32::from(amount);
    (1..=lane.bits()).contains(&amount).then(|| (2 * lane.bits() - amount) << 16)
}

impl<L: Listing> Encoder<'_, L> {
    /// `shl vd.4s, vn.4s, #amount` and its like.
    pub fn vector_shift(&mut self, op: VectorShift, arrangement: Arrangement, d: Vreg, n: Vreg, amount: u8) {
        let lane = arrangement.lane;
        let field = if op.is_left() { left_field(lane, amount) } else { right_field(lane, amount) };
        let (Some(field), Some(_)) = (field, arrangement.bits()) else { return self.invalid() };
        let word = op.bits() | arrangement.q() | field | n.n() | d.d();
        let (d, n) = (d.as_(arrangement), n.as_(arrangement));
        self.inst(word, format_args!("{} {d}, {n}, #{amount}", op.mnemonic()));
    }

    /// `sshll vd.8h, vn.8b, #amount`, `sshll2 vd.8h, vn.16b, #amount` and their like; the lane is the narrow one.
    pub fn vector_shift_long(
        &mut self,
        op: VectorShiftLong,
        lane: Lane,
        high: bool,
        d: Vreg,
        n: Vreg,
        amount: u8,
    ) {
        let Some(field) = left_field(lane, amount) else { return self.invalid() };
        let word = op.bits() | full_bit(high) | field | n.n() | d.d();
        let (d, n, two) = (d.lanes(wide(lane), true), n.lanes(lane, high), half_suffix(high));
        self.checked(op.has_lane(lane), word, format_args!("{}{two} {d}, {n}, #{amount}", op.mnemonic()));
    }

    /// `shrn vd.8b, vn.8h, #amount`, `shrn2 vd.16b, vn.8h, #amount` and their like; the lane is the narrow one.
    pub fn vector_shift_narrow(
        &mut self,
        op: VectorShiftNarrow,
        lane: Lane,
        high: bool,
        d: Vreg,
        n: Vreg,
        amount: u8,
    ) {
        let Some(field) = right_field(lane, amount) else { return self.invalid() };
        let word = op.bits() | full_bit(high) | field | n.n() | d.d();
        let (d, n, two) = (d.lanes(lane, high), n.lanes(wide(lane), true), half_suffix(high));
        self.checked(op.has_lane(lane), word, format_args!("{}{two} {d}, {n}, #{amount}", op.mnemonic()));
    }
}
