//! Lanes of vectors of 256 bits cut to half their width, those of two vectors at once. Instructions of the machine do that in each
//! half, so that the lower halves of both vectors stand in front of the upper ones; one more brings them in order.

use ice_ir::vectors::is_clear_above;
use ice_ir::{BinaryOp, Type};

use super::values::Run;
use super::{Body, Checked};
use crate::llvm::legalize::machine::DoublePacks;

impl Body<'_, '_> {
    /// Two vectors of 256 bits each as one whose lanes, those of `to`, have half the width. `None` if there are not such.
    pub(super) fn packed_pairs(&mut self, parts: Run, text: [&str; 2], to: Type) -> Checked<Option<Run>> {
        let (Some(from), Some(packs)) =
            (self.double(Some(self.ty_of(self.get(parts, 0)))), self.double_packs())
        else {
            return Ok(None);
        };
        let Some(ty) = to.double().filter(|_| parts.len.is_multiple_of(4)) else { return Ok(None) };
        let out = self.reserve(parts.len / 2);
        for n in 0..parts.len / 4 {
            let pair = [2 * n, 2 * n + 1].map(|n| self.joined(parts, n, from));
            let [template, constraints] = text;
            let packed = self.instruction_value(template.into(), constraints, &pair, ty)?;
            let packed = self.bits_as(packed, Type::V4I64);
            let [template, constraints] = packs.in_order;
            let ordered = self.instruction_value(template.into(), constraints, &[packed], Type::V4I64)?;
            let ordered = self.bits_as(ordered, ty);
            for half in [1, 0] {
                let value = self.b.half(ordered, half, to);
                self.set(out, 2 * n + u32::from(half), value);
            }
        }
        Ok(Some(out))
    }

    /// The same of numbers that have no bits beyond those of lanes of `to`, but for quadwords.
    pub(super) fn narrowed_pairs(&mut self, parts: Run, to: Type) -> Checked<Option<Run>> {
        let Some(packs) = self.double_packs() else { return Ok(None) };
        let text = match to {
            Type::V4I32 => packs.doublewords,
            Type::V8I16 => packs.words,
            Type::V16I8 => packs.bytes,
            _ => return Ok(None),
        };
        self.packed_pairs(parts, text, to)
    }

    /// Vectors of 256 bits without the bits of their lanes from number `bits` on; others as they are.
    pub(super) fn cleared_above(&mut self, parts: Run, bits: u32) -> Checked<Run> {
        if self.double_packs().is_none() || !parts.len.is_multiple_of(2) {
            return Ok(parts);
        }
        self.by_wholes([parts], |cx, [whole]| {
            let is_clear = !cx.ty_of(whole).is_wide() || is_clear_above(cx.b.func, whole, bits);
            Ok(if is_clear { whole } else { cx.bin_int(BinaryOp::And, whole, (1 << bits) - 1) })
        })
    }

    fn double_packs(&self) -> Option<DoublePacks> {
        let machine = self.m.legal.machine();
        machine.double_packs.filter(|_| machine.has_assembler)
    }
}
