//! The branches of ARM state: `b<c>` with 24 bits of words, ±32 MiB (A8.8.18). There is one form.

use super::operand::Cond;
use super::{bits, control};
use crate::buffer::{BranchIsa, Form, Label};
use core::fmt;

/// The branches of ARM state, for [`CodeBuffer`](crate::CodeBuffer).
#[derive(Clone, Copy, Debug)]
pub enum Branches {}

impl BranchIsa for Branches {
    type Cond = Cond;
    const MAX_SIZE: u32 = 4;
    const MAX_SHORT: u32 = 0;
    const COMMENT: &'static str = "@";

    #[inline]
    fn invert(cond: Cond) -> Cond {
        cond.invert()
    }

    #[inline]
    fn size(_: Option<Cond>, _: Form) -> u32 {
        4
    }

    #[inline]
    fn reaches(_: Option<Cond>, form: Form, distance: i64) -> bool {
        form == Form::Long && control::branch_field(distance).is_some()
    }

    #[inline]
    fn encode(cond: Option<Cond>, _: Form, distance: i64, out: &mut [u8]) {
        let field = control::branch_field(distance).unwrap_or(0);
        let word = cond.unwrap_or(Cond::Al).bits() | bits!("cccc 1010 iiii iiii iiii iiii iiii iiii") | field;
        out.copy_from_slice(&word.to_le_bytes());
    }

    fn fill_nops(out: &mut [u8]) {
        const NOP: u32 = bits!("1110 0011 0010 0000 1111 0000 0000 0000");
        // Whole words follow a part of one, which only data leaves.
        let (part, words) = out.split_at_mut(out.len() % 4);
        part.fill(0);
        words.chunks_exact_mut(4).for_each(|word| word.copy_from_slice(&NOP.to_le_bytes()));
    }

    fn write(out: &mut dyn fmt::Write, cond: Option<Cond>, _: Form, _: i64, target: Label) -> fmt::Result {
        write!(out, "b{} {target}", cond.unwrap_or(Cond::Al))
    }
}
