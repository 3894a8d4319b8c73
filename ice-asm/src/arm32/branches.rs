//! The branches of ARM state: `b<c>` with 24 bits of words, ±32 MiB (A8.8.18), and beyond that a distance made in
//! ip and added to pc.

use super::control::{self, PC_AHEAD};
use super::operand::Cond;
use super::register::Gpr;
use super::{bits, int};
use crate::buffer::{BranchIsa, Form, Label, Span};
use crate::reloc::{Reloc, RelocKind};
use core::fmt;

/// The branches of ARM state, for [`CodeBuffer`](crate::CodeBuffer). Where one does not reach, it or its veneer
/// destroys ip, as a linker's may (Procedure Call Standard for the ARM architecture, IHI 0042, 5.3.1.1).
#[derive(Clone, Copy, Debug)]
pub enum Branches {}

/// One instruction. The other form is `movw<c> ip`, `movt<c> ip`, `add<c> pc, pc, ip`.
const NEAR: Form = Form(0);

/// What is added to pc in the far form; pc is that of its third instruction.
fn far_distance(distance: i64) -> u32 {
    (distance - 8 - PC_AHEAD) as u32
}

#[cold]
fn encode_far(cond: u32, distance: i64, out: &mut [u8]) {
    let (ip, value) = (Gpr::IP.bits(), far_distance(distance));
    let words = [
        bits!("cccc 0011 0000 iiii dddd iiii iiii iiii") | ip << 12 | int::half(value as u16),
        bits!("cccc 0011 0100 iiii dddd iiii iiii iiii") | ip << 12 | int::half((value >> 16) as u16),
        bits!("cccc 0000 1000 1111 1111 0000 0000 mmmm") | ip,
    ];
    for (out, word) in out.chunks_exact_mut(4).zip(words) {
        out.copy_from_slice(&(cond | word).to_le_bytes());
    }
}

impl BranchIsa for Branches {
    type Cond = Cond;
    type Slot = ();
    const FORMS: u8 = 2;
    const TABLE: Form = NEAR;
    const ISLANDS: bool = true;
    const STEP: u32 = 512;
    const SMALLEST: u32 = 4;
    const GRAIN: u32 = 4;
    const PC_AHEAD: u32 = PC_AHEAD as u32;
    const COMMENT: &'static str = "@";

    #[inline]
    fn invert(cond: Cond) -> Cond {
        cond.invert()
    }

    #[inline]
    fn size(_: Option<Cond>, form: Form) -> u32 {
        if form == NEAR { 4 } else { 12 }
    }

    #[inline]
    fn span(form: Form) -> Span {
        match form {
            NEAR => Span { back: (1 << 25) - 8, ahead: (1 << 25) + 4 },
            _ => Span::ALL,
        }
    }

    #[inline(always)]
    fn encode(cond: Option<Cond>, (): (), form: Form, distance: i64, out: &mut [u8]) {
        let cond = cond.unwrap_or(Cond::Al).bits();
        if form == NEAR {
            let field = control::branch_field(distance);
            let word = cond | bits!("cccc 1010 iiii iiii iiii iiii iiii iiii") | field;
            return out.copy_from_slice(&word.to_le_bytes());
        }
        encode_far(cond, distance, out);
    }

    fn fill_nops(out: &mut [u8]) {
        const NOP: u32 = bits!("1110 0011 0010 0000 1111 0000 0000 0000");
        // Whole words follow a part of one, which only data leaves.
        let (part, words) = out.split_at_mut(out.len() % 4);
        part.fill(0);
        words.chunks_exact_mut(4).for_each(|word| word.copy_from_slice(&NOP.to_le_bytes()));
    }

    fn write(
        out: &mut dyn fmt::Write,
        cond: Option<Cond>,
        _: ((), Option<Reloc>),
        form: Form,
        distance: i64,
        target: Label,
    ) -> fmt::Result {
        let cond = cond.unwrap_or(Cond::Al);
        if form == NEAR {
            return write!(out, "b{cond} {target}");
        }
        let value = far_distance(distance);
        write!(out, "movw{cond} ip, #{}\n\tmovt{cond} ip, #{}", value & 0xffff, value >> 16)?;
        write!(out, "\n\tadd{cond} pc, pc, ip @ {target}")
    }

    fn operator(kind: RelocKind) -> &'static str {
        match kind {
            RelocKind::GotPcRel32 => "(GOT_PREL)",
            RelocKind::TlsGd32 => "(TLSGD)",
            RelocKind::GotTpOff32 => "(GOTTPOFF)",
            RelocKind::TpOff32 => "(TPOFF)",
            _ => "",
        }
    }
}
