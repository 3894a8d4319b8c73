//! Truncations of native vectors whose lanes were brought into the range of the narrow type before: machines that put the lanes of
//! two vectors together and stop at the ends of the range do both at once.

use ice_ir::vectors::uniform_lane;
use ice_ir::{InstData, IntCond, Type, Value};

use super::values::Run;
use super::{Body, Checked};
use crate::llvm::legalize::shape::VectorShape;

/// The ends of a range.
type Limits = [i64; 2];

/// Template and constraints of an instruction, and the type of its result.
type Pack = ([&'static str; 2], Type);

impl Body<'_, '_> {
    /// A truncation of lanes between the least and the most of the narrow type; `None` for others, and where no instruction does it.
    pub(super) fn saturated_cut(
        &mut self,
        from: VectorShape,
        to: VectorShape,
        a: Run,
    ) -> Checked<Option<Run>> {
        let machine = self.m.legal.machine();
        let (Some(x), Some(y), Some([words, bytes, natural_bytes])) = (from.native, to.native, machine.packs)
        else {
            return Ok(None);
        };
        if !machine.has_assembler {
            return Ok(None);
        }
        let (signed_word, signed_byte, byte) = ([-0x8000, 0x7fff], [-0x80, 0x7f], [0, 0xff]);
        let ways: &[(Limits, &[Pack])] = match (x, y) {
            (Type::V4I32, Type::V8I16) => &[(signed_word, &[(words, Type::V8I16)])],
            (Type::V8I16, Type::V16I8) => {
                &[(signed_byte, &[(bytes, Type::V16I8)]), (byte, &[(natural_bytes, Type::V16I8)])]
            }
            (Type::V4I32, Type::V16I8) => &[
                (signed_byte, &[(words, Type::V8I16), (bytes, Type::V16I8)]),
                (byte, &[(words, Type::V8I16), (natural_bytes, Type::V16I8)]),
            ],
            _ => return Ok(None),
        };
        // A vector of 256 bits is limited as a whole.
        let halves = |cx: &Self, n: u32| [n & !1, n | 1].map(|n| cx.get(a, n.min(a.len - 1)));
        let inner = |cx: &Self, n: u32, limits| match cx.b.func.joined(halves(cx, n)) {
            Some(whole) => cx.unlimited(whole, limits),
            None => cx.unlimited(cx.get(a, n), limits),
        };
        let all = |cx: &Self, limits| (0..a.len).all(|n| inner(cx, n, limits).is_some());
        let Some(&(limits, steps)) = ways.iter().find(|(limits, _)| all(self, *limits)) else {
            return Ok(None);
        };
        let mut run = self.reserve(a.len);
        for n in (0..a.len).rev() {
            let part = self.get(a, n);
            let mut value = inner(self, n, limits).unwrap_or(part);
            if self.ty_of(value).is_wide() {
                value = self.b.half(value, (n % 2) as u8, x);
            }
            self.set(run, n, value);
        }
        for &(text @ [template, constraints], ty) in steps {
            if let Some(packed) = self.packed_pairs(run, text, ty)? {
                run = packed;
                continue;
            }
            let out = self.reserve(run.len.div_ceil(2));
            for n in 0..out.len {
                let pair = [2 * n, (2 * n + 1).min(run.len - 1)].map(|n| self.get(run, n));
                let value = self.instruction_value(template.into(), constraints, &pair, ty)?;
                self.set(out, n, value);
            }
            run = out;
        }
        Ok(Some(run))
    }

    /// The vector whose lanes are brought between these ends to give `vector`.
    fn unlimited(&self, vector: Value, limits: Limits) -> Option<Value> {
        let (first, inner) = self.limited(vector)?;
        let (second, inner) = self.limited(inner)?;
        let ends = match (first, second) {
            ((IntCond::Sgt, least), (IntCond::Slt, most)) | ((IntCond::Slt, most), (IntCond::Sgt, least)) => {
                [least, most]
            }
            _ => return None,
        };
        (ends == limits).then_some(inner)
    }

    /// What is the larger of two (`Sgt`) or the smaller one (`Slt`): a number, and a vector.
    fn limited(&self, vector: Value) -> Option<((IntCond, i64), Value)> {
        let func = &self.b.func;
        let &InstData::Select { cond, if_true, if_false } = func.inst(func.defining_inst(vector)?) else {
            return None;
        };
        let &InstData::Icmp { cond, args } = func.inst(func.defining_inst(cond)?) else { return None };
        let unused = 64 - func.value_type(vector).element().bits();
        let number = (uniform_lane(func, if_false)? as i64) << unused >> unused;
        (args == [if_true, if_false]).then_some(((cond, number), if_true))
    }
}
