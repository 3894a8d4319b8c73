//! The constants of the parts of a value, and shuffle masks.

use alloc::vec::Vec;

use ice_ir::Type;

use super::legal::{Legal, MAX_PARTS, Part};
use crate::error::Error;
use crate::llvm::wire::constants::{Checked, Constant, Run, View, sign_extend};
use crate::llvm::wire::fold::{Scalar, mask};
use crate::llvm::wire::types::{LlvmType, TypeId};

/// The constant of one part of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartConstant {
    /// A number, an address or a distance; never composite. For code, the constant whose instructions make it, and
    /// which of its parts.
    Scalar(Scalar),
    /// A native vector, low lane first in the words; of booleans, bit k is lane k.
    Vector([u64; 2]),
    /// To be made by instructions: part number `part` of constant `id`.
    Code {
        /// Number of the constant.
        id: u32,
        /// Which of its parts.
        part: u32,
    },
}

impl View<'_> {
    /// Appends the constants of the parts of constant or global `id`, as many as its type has parts.
    ///
    /// # Errors
    ///
    /// Those of [`Legal::parts`], and `L14` for a value that is neither constant nor global.
    pub fn parts(&self, legal: &Legal, id: u32, out: &mut Vec<PartConstant>) -> Checked<()> {
        let Some(ty) = self.type_of(id) else { return Err(Error::ConstantReference { value: id.into() }) };
        let parts = legal.parts(ty)?;
        // What is a part of an aggregate is found by walking along its first operands: aggregates nest no deeper
        // than types, and the number of parts is limited, so a list of what is still to do stays small.
        let start = out.len();
        let mut todo = Vec::new();
        self.append(legal, id, ty, parts, out, &mut todo)?;
        while let Some((next, end)) = todo.pop() {
            // Operands `next..end` of the pool of their table are still to come.
            let (table, at): (bool, u32) = next;
            let pool = if table { self.env.module.unwrap_or(self.local) } else { self.local };
            if at + 1 < end {
                todo.push(((table, at + 1), end));
            }
            let operand = pool.operands(Run { start: at, len: 1 })[0];
            let Some(ty) = self.type_of(operand) else {
                return Err(Error::ConstantReference { value: operand.into() });
            };
            self.append(legal, operand, ty, legal.parts(ty)?, out, &mut todo)?;
        }
        debug_assert_eq!(out.len() - start, parts.len());
        Ok(())
    }

    /// The parts of one constant; those of structs and arrays of others are left in `todo`.
    fn append(
        &self,
        legal: &Legal,
        id: u32,
        ty: TypeId,
        parts: &[Part],
        out: &mut Vec<PartConstant>,
        todo: &mut Vec<((bool, u32), u32)>,
    ) -> Checked<()> {
        let code = |part| PartConstant::Code { id, part: part as u32 };
        match self.scalar(id) {
            Scalar::Composite => {}
            Scalar::Code => {
                out.extend((0..parts.len()).map(code));
                return Ok(());
            }
            scalar => {
                out.push(PartConstant::Scalar(scalar));
                return Ok(());
            }
        }
        let Some((constant, _)) = self.get(id) else {
            return Err(Error::ConstantReference { value: id.into() });
        };
        let table = self.table(id);
        match constant {
            Constant::Words(run) => {
                let words = table.words(run);
                if let &[Part { ty: Type::V2I64, .. }] = parts {
                    let word = |i| words.get(i).copied().unwrap_or(0);
                    out.push(PartConstant::Vector([word(0), word(1)]));
                    return Ok(());
                }
                out.extend(parts.iter().enumerate().map(|(i, part)| {
                    let word = words.get(i).copied().unwrap_or(0) as i64;
                    PartConstant::Scalar(Scalar::Number(sign_extend(word, part.bits.into())))
                }));
            }
            Constant::Bytes(run) => {
                let bytes = table.bytes(run);
                // Without gaps in vectors; arrays of these elements have none either.
                out.extend(parts.iter().map(|part| constant_at(bytes, part)));
            }
            Constant::Aggregate(run) if !matches!(self.env.types.get(ty), LlvmType::Vector { .. }) => {
                if run.len != 0 {
                    let is_module = self.env.module.is_some_and(|module| core::ptr::eq(module, table));
                    todo.push(((is_module, run.start), run.start + run.len));
                }
            }
            Constant::Aggregate(run) => {
                let LlvmType::Vector { element, .. } = self.env.types.get(ty) else { return Ok(()) };
                let lanes = table.operands(run);
                if parts.first().is_some_and(|part| part.ty.is_vector())
                    && self.env.types.get(element) != LlvmType::Fp128
                {
                    let mut rest = lanes;
                    for (i, part) in parts.iter().enumerate() {
                        let (own, others) = rest.split_at(rest.len().min(part.ty.lanes() as usize));
                        rest = others;
                        out.push(self.native(part.ty, own).unwrap_or_else(|| code(i)));
                    }
                } else {
                    let parts = legal.parts(element)?;
                    for &lane in lanes {
                        self.append(legal, lane, element, parts, out, todo)?;
                    }
                }
            }
            _ => out.extend(parts.iter().map(|part| match part.ty.is_vector() {
                true => PartConstant::Vector([0; 2]),
                false => PartConstant::Scalar(Scalar::Number(0)),
            })),
        }
        Ok(())
    }

    /// A native vector of these lanes, if all are numbers. Lanes to spare repeat them, and those that may be anything are
    /// as the first other one, so that what is the same number in all stays that.
    fn native(&self, ty: Type, lanes: &[u32]) -> Option<PartConstant> {
        let mut words = [0u64; 2];
        let is_any = |lane| matches!(self.get(lane), Some((Constant::Undef | Constant::Poison, _)));
        let first = lanes.iter().copied().find(|&lane| !is_any(lane));
        let bits = if ty.is_bool_or_bool_vector() { 1 } else { 128 / ty.lanes() };
        for (i, &lane) in (0..ty.lanes()).zip(lanes.iter().cycle()) {
            let at = i * bits;
            let lane = first.filter(|_| is_any(lane)).unwrap_or(lane);
            words[at as usize / 64] |= (self.number(lane)? as u64 & mask(bits)) << (at % 64);
        }
        Some(PartConstant::Vector(words))
    }

    /// Appends the lanes of a shuffle mask: `None` where a lane may be anything.
    ///
    /// # Errors
    ///
    /// `L14` for what is no constant vector of `i32`, `L11` for too many lanes.
    pub fn mask(&self, id: u32, out: &mut Vec<Option<u32>>) -> Checked<()> {
        let error = || Error::ConstantReference { value: id.into() };
        let (constant, ty) = self.get(id).ok_or_else(error)?;
        let LlvmType::Vector { lanes, element } = self.env.types.get(ty) else { return Err(error()) };
        if self.env.types.get(element) != LlvmType::Int(32) {
            return Err(error());
        }
        if lanes > MAX_PARTS {
            return Err(Error::TooLarge { what: "the number of lanes of a mask", limit: MAX_PARTS.into() });
        }
        match constant {
            Constant::Null => out.extend((0..lanes).map(|_| Some(0))),
            Constant::Undef | Constant::Poison => out.extend((0..lanes).map(|_| None)),
            Constant::Bytes(run) => {
                let words = self.table(id).bytes(run).chunks_exact(4).filter_map(|b| b.first_chunk());
                out.extend(words.map(|word| Some(u32::from_le_bytes(*word))));
            }
            Constant::Aggregate(run) => {
                for &lane in self.table(id).operands(run) {
                    out.push(match self.get(lane) {
                        Some((Constant::Undef | Constant::Poison, _)) => None,
                        _ => Some(self.number(lane).ok_or_else(error)? as u32),
                    });
                }
            }
            _ => return Err(error()),
        }
        Ok(())
    }
}

/// The constant of a part from the bytes of the whole value.
fn constant_at(bytes: &[u8], part: &Part) -> PartConstant {
    let word = |at: usize, len: usize| {
        let mut word = [0; 8];
        let from = bytes.get(at..).unwrap_or(&[]);
        word.iter_mut().zip(from).take(len).for_each(|(to, &byte)| *to = byte);
        u64::from_le_bytes(word)
    };
    let at = part.offset as usize;
    if part.ty.is_vector() {
        let own = usize::from(part.bits / 8).max(1);
        let byte = |i: usize| bytes.get(at + i % own).copied().unwrap_or(0);
        let word = |from: usize| u64::from_le_bytes(core::array::from_fn(|i| byte(from + i)));
        return PartConstant::Vector([word(0), word(8)]);
    }
    let bits = word(at, part.bytes() as usize) as i64;
    PartConstant::Scalar(Scalar::Number(match part.ty.is_scalar_int() {
        true => sign_extend(bits, part.bits.into()),
        false => bits,
    }))
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::bitstream::{Dialect, Entry, Reader, Record, Writer, rotate_sign};
    use crate::llvm::wire::codes::{block, constants as code, types as types_code};
    use crate::llvm::wire::constants::{Constants, Environment, Labels};
    use crate::llvm::wire::data_layout::{DataLayout, Layouts};
    use crate::llvm::wire::types::tests::table;

    /// What the constants of these records, numbered from 0, come to in parts; and masks.
    fn parts_of(records: &[(u32, &[u64])], read: impl FnOnce(&View<'_>, &Legal)) {
        let types = table(
            13,
            &[
                (types_code::INTEGER, &[32]),
                (types_code::INTEGER, &[128]),
                (types_code::INTEGER, &[1]),
                (types_code::VECTOR, &[8, 0]),
                (types_code::VECTOR, &[4, 2]),
                (types_code::FLOAT, &[]),
                (types_code::VECTOR, &[2, 5]),
                (types_code::STRUCT_ANON, &[0, 0, 1]),
                (types_code::ARRAY, &[2, 7]),
                (types_code::HALF, &[]),
                (types_code::ARRAY, &[2, 9]),
                (types_code::INTEGER, &[24]),
                (types_code::STRUCT_ANON, &[0, 8, 11]),
            ],
        )
        .expect("legal");
        let mut w = Writer::new(&[]);
        w.enter(block::CONSTANTS, 4);
        records.iter().for_each(|&(code, ops)| w.record(code, ops));
        let bytes = w.finish();
        let layout = DataLayout::parse(b"e-i64:64-i128:128").expect("legal");
        let layouts = Layouts::compute(&types, &layout);
        let legal = Legal::compute(&types, &layout, &layouts, &Default::default());
        let int32 = types.find(LlvmType::Int(32));
        let (types, layout, layouts, globals) = (&types, &layout, &layouts, &[][..]);
        let labels = Labels::Numbers;
        let env = Environment { types, layout, layouts, pointer: None, int32, globals, module: None, labels };
        let mut reader = Reader::new(&bytes, 0, Dialect::Llvm);
        let (mut record, mut constants) = (Record::default(), Constants::default());
        let Entry::Block(header) = reader.next(&mut record).expect("well-formed") else { unreachable!() };
        constants.read(&mut reader, &header, &mut Record::default(), &env).expect("well-formed");
        read(&View { env: &env, local: &constants }, &legal);
    }

    fn number(value: i64) -> PartConstant {
        PartConstant::Scalar(Scalar::Number(value))
    }

    #[test]
    fn parts_of_numbers_vectors_and_aggregates() {
        let minus_two = rotate_sign(-2);
        let records: [(u32, &[u64]); 20] = [
            (code::INTEGER, &[minus_two]), // 0
            (code::SETTYPE, &[1]),
            (code::WIDE_INTEGER, &[0, 4]), // 1
            (code::SETTYPE, &[3]),
            (code::DATA, &[1, 2, 3, 4, 5, 6, 7, 8]),      // 2
            (code::AGGREGATE, &[0, 0, 0, 0, 0, 0, 0, 0]), // 3
            (code::SETTYPE, &[2]),
            (code::INTEGER, &[3]), // 4
            (code::NULL, &[]),     // 5
            (code::SETTYPE, &[4]),
            (code::AGGREGATE, &[4, 5, 4, 4]), // 6
            (code::SETTYPE, &[6]),
            (code::DATA, &[0x3f80_0000, 0]), // 7
            (code::SETTYPE, &[7]),
            (code::AGGREGATE, &[0, 1]), // 8
            (code::UNDEF, &[]),         // 9
            (code::SETTYPE, &[8]),
            (code::AGGREGATE, &[8, 9]), // 10
            (code::SETTYPE, &[10]),
            (code::DATA, &[0x3c00, 0x8000]), // 11
        ];
        parts_of(&records, |view, legal| {
            let parts = |id| {
                let mut parts = Vec::new();
                view.parts(legal, id, &mut parts).expect("a constant");
                parts
            };
            assert_eq!(parts(0), [number(-2)]);
            assert_eq!(parts(1), [number(0), number(2)]);
            let vector = |low, high| PartConstant::Vector([low, high]);
            assert_eq!(parts(2), [vector(2 << 32 | 1, 4 << 32 | 3), vector(6 << 32 | 5, 8 << 32 | 7)]);
            assert_eq!(parts(3), [vector(0xffff_fffe_ffff_fffe, 0xffff_fffe_ffff_fffe); 2]);
            assert_eq!(parts(6), [vector(0b1101, 0)]);
            assert_eq!(parts(7), [number(0x3f80_0000), number(0)]);
            assert_eq!(parts(10), [-2, 0, 2, 0, 0, 0].map(number));
            assert_eq!(parts(11), [number(0x3c00), number(-0x8000)]);
            assert_eq!(view.parts(legal, 12, &mut Vec::new()).expect_err("none").code(), "L14");
        });
    }

    #[test]
    fn expressions_fold_modulo_their_width() {
        let records: [(u32, &[u64]); 12] = [
            (code::CE_BINOP, &[0, 1, 1]),                 // 0: i32 wraps
            (code::INTEGER, &[rotate_sign(0x7fff_ffff)]), // 1
            (code::CE_BINOP, &[8, 3, 4]),                 // 2: logical shift
            (code::INTEGER, &[rotate_sign(-1)]),          // 3
            (code::INTEGER, &[rotate_sign(28)]),          // 4
            (code::CE_CMP, &[0, 3, 4, 34]),               // 5: ugt, of the wrong type, still a number
            (code::CE_BINOP, &[7, 3, 1]),                 // 6: shift past the width
            (code::SETTYPE, &[11]),
            (code::CE_CAST, &[0, 0, 1]), // 7: trunc to i24
            (code::SETTYPE, &[5]),
            (code::CE_CAST, &[11, 0, 3]), // 8: bitcast to float
            (code::CE_UNOP, &[0, 8]),     // 9
        ];
        parts_of(&records, |view, _| {
            assert_eq!(view.scalar(0), Scalar::Number(-2));
            assert_eq!(view.scalar(2), Scalar::Number(15));
            assert_eq!(view.scalar(5), Scalar::Number(-1));
            assert_eq!(view.scalar(6), Scalar::Code);
            assert_eq!(view.scalar(7), Scalar::Number(-1));
            assert_eq!(view.scalar(8), Scalar::Number(0xffff_ffff));
            assert_eq!(view.scalar(9), Scalar::Number(0x7fff_ffff));
        });
    }

    #[test]
    fn masks_of_shuffles() {
        let records: [(u32, &[u64]); 7] = [
            (code::INTEGER, &[6]), // 0
            (code::POISON, &[]),   // 1
            (code::SETTYPE, &[3]),
            (code::AGGREGATE, &[0, 1, 0, 1, 0, 0, 0, 0]), // 2
            (code::NULL, &[]),                            // 3
            (code::UNDEF, &[]),                           // 4
            (code::DATA, &[7, 6, 5, 4, 3, 2, 1, 0]),      // 5
        ];
        parts_of(&records, |view, _| {
            let mask = |id| {
                let mut lanes = Vec::new();
                view.mask(id, &mut lanes).map(|()| lanes)
            };
            let three = Some(3);
            assert_eq!(mask(2), Ok(vec![three, None, three, None, three, three, three, three]));
            assert_eq!(mask(3), Ok(vec![Some(0); 8]));
            assert_eq!(mask(4), Ok(vec![None; 8]));
            assert_eq!(mask(5), Ok((0..8).rev().map(Some).collect()));
            assert!(mask(0).is_err());
        });
    }
}
