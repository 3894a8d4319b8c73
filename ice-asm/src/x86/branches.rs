//! The branches of x86: `jmp` EB cb / E9 cd and `jcc` 70+cc cb / 0F 80+cc cd.

use super::operand::Cond;
use crate::buffer::{BranchIsa, Form, Label, Span};
use crate::reloc::Reloc;
use core::fmt;

/// The branches of both modes, for [`CodeBuffer`](crate::CodeBuffer).
#[derive(Clone, Copy, Debug)]
pub enum Branches {}

/// One byte of displacement.
const SHORT: Form = Form(0);
/// Four bytes of displacement.
const LONG: Form = Form(1);

/// The recommended multi-byte nops, SDM volume 2, NOP; those of more than nine bytes have more prefixes.
const NOPS: [&[u8]; 15] = [
    &[0x90],
    &[0x66, 0x90],
    &[0x0f, 0x1f, 0x00],
    &[0x0f, 0x1f, 0x40, 0x00],
    &[0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
    &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
];

impl BranchIsa for Branches {
    type Cond = Cond;
    type Slot = ();
    const FORMS: u8 = 2;
    const TABLE: Form = LONG;
    const COMMENT: &'static str = "#";

    #[inline]
    fn invert(cond: Cond) -> Cond {
        cond.invert()
    }

    #[inline]
    fn size(cond: Option<Cond>, form: Form) -> u32 {
        match (form, cond) {
            (SHORT, _) => 2,
            (_, None) => 5,
            (_, Some(_)) => 6,
        }
    }

    #[inline]
    fn span(form: Form) -> Span {
        match form {
            SHORT => Span { back: 126, ahead: 129 },
            _ => Span::ALL,
        }
    }

    #[inline(always)]
    fn encode(cond: Option<Cond>, (): (), form: Form, distance: i64, out: &mut [u8]) {
        let displacement = (distance - i64::from(Self::size(cond, form))) as i32;
        let bytes = displacement.to_le_bytes();
        match (form, cond) {
            (SHORT, None) => out.copy_from_slice(&[0xeb, bytes[0]]),
            (SHORT, Some(cond)) => out.copy_from_slice(&[0x70 + cond as u8, bytes[0]]),
            (_, None) => {
                out[0] = 0xe9;
                out[1..].copy_from_slice(&bytes);
            }
            (_, Some(cond)) => {
                out[..2].copy_from_slice(&[0x0f, 0x80 + cond as u8]);
                out[2..].copy_from_slice(&bytes);
            }
        }
    }

    fn fill_nops(mut out: &mut [u8]) {
        while !out.is_empty() {
            let size = out.len().min(NOPS.len());
            let (nop, rest) = out.split_at_mut(size);
            nop.copy_from_slice(NOPS[size - 1]);
            out = rest;
        }
    }

    fn write(
        out: &mut dyn fmt::Write,
        cond: Option<Cond>,
        _: ((), Option<Reloc>),
        form: Form,
        distance: i64,
        target: Label,
    ) -> fmt::Result {
        // An assembler starts with short forms and lengthens what does not reach. At three times the
        // short reach it cannot stay short, even if every branch between them (6 bytes) shrank to 2.
        if form == LONG && distance.abs() < 3 * i64::from(Self::span(SHORT).ahead) + 16 {
            out.write_str("{disp32} ")?;
        }
        match cond {
            None => write!(out, "jmp {target}"),
            Some(cond) => write!(out, "j{} {target}", cond.suffix()),
        }
    }
}
