//! Shuffles of bytes and of lanes of 16 bits by a table of their numbers, where functions are for processors that have the
//! [instruction](crate::llvm::legalize::machine::MachineDescription::byte_table).
//!
//! What machines do in one or two instructions without a table in memory is left to them: lanes of 32 bits, two vectors by turns,
//! bytes that follow each other, lanes that stay in their half.

use ice_ir::vectors::{Origin, are, consecutive, is_zero, whole_lanes};
use ice_ir::{BinaryOp, Type, Value};

use super::shuffle::Places;
use super::{Body, Checked, unsupported};
use crate::llvm::wire::attributes::FunctionFlags;

/// Marks a byte that is zero.
const ZERO: u8 = 0x80;

/// The vectors that lanes come from.
#[derive(Clone, Copy)]
struct Tables {
    sources: [Option<Value>; 2],
    /// Of each vector by place the number of the byte that comes there.
    numbers: [[u8; 16]; 2],
    /// The same of both; a vector of zeros may be the second. `None` if there are other zeros.
    bytes: Option<[Origin; 16]>,
}

/// Whether few instructions bring the bytes to their places without a table.
fn is_simple(bytes: &[Origin; 16]) -> bool {
    let by_turns = |width: u8, [a, b]: [u8; 2], half: u8| {
        are(bytes, |n| {
            let lane = n / width;
            (if lane.is_multiple_of(2) { a } else { b }) + half + lane / 2 * width + n % width
        })
    };
    let stay_in_half = || (0..).zip(bytes).all(|(n, from)| from.is_none_or(|from| from / 8 == n / 8));
    whole_lanes::<4, 4>(bytes).is_some()
        || whole_lanes::<2, 8>(bytes).is_some() && stay_in_half()
        || consecutive(bytes).is_some()
        || [[0, 0], [0, 16], [16, 0], [16, 16]]
            .iter()
            .any(|&pair| [1, 2].iter().any(|&width| by_turns(width, pair, 0) || by_turns(width, pair, 8)))
}

impl Body<'_, '_> {
    /// The bytes of a vector whose numbers are in another, by the instruction of the machine.
    pub(super) fn bytes_by(&mut self, vector: Value, numbers: Value) -> Checked<Value> {
        let Some([template, constraints]) = self.m.legal.machine().byte_table else {
            return unsupported("a table of bytes");
        };
        let ty = self.ty_of(vector);
        self.instruction_value(template.into(), constraints, &[vector, numbers], ty)
    }

    /// A native vector whose lanes come from these places, by tables; `None` if there is a better way, or none.
    pub(super) fn by_table(&mut self, ty: Type, places: &Places) -> Checked<Option<Value>> {
        let (machine, flags) = (self.m.legal.machine(), self.s.flags);
        let has_table = flags.has(FunctionFlags::PERMUTES_BYTES) || flags.has(FunctionFlags::WIDE_REGISTERS);
        if machine.byte_table.is_none()
            || !machine.has_assembler
            || !has_table
            || !matches!(ty, Type::V16I8 | Type::V8I16)
        {
            return Ok(None);
        }
        let Some(Tables { sources, numbers, bytes }) = self.tables(ty, places) else { return Ok(None) };
        if bytes.is_some_and(|bytes| is_simple(&bytes)) {
            return Ok(None);
        }
        let mut joined = None;
        for (source, numbers) in sources.into_iter().zip(numbers) {
            let Some(source) = source else { continue };
            let vector = self.bits_as(source, Type::V16I8);
            let table =
                self.lanes_from(Type::V16I8, |cx, n| cx.int(Type::I8, i64::from(numbers[n as usize] as i8)));
            let taken = self.bytes_by(vector, table)?;
            joined = Some(match joined {
                None => taken,
                Some(before) => self.bin(BinaryOp::Or, before, taken),
            });
        }
        Ok(joined.map(|vector| self.bits_as(vector, ty)))
    }

    /// The tables for lanes of at most two vectors, and zeros.
    fn tables(&self, ty: Type, places: &Places) -> Option<Tables> {
        let width = 16 / ty.lanes() as u8;
        let mut tables = Tables { sources: [None; 2], numbers: [[ZERO; 16]; 2], bytes: Some([None; 16]) };
        let mut zeros = None;
        for (to, place) in (0..ty.lanes() as u8).zip(places) {
            let Some((source, lane)) = *place else { continue };
            if self.ty_of(source) != ty {
                return None;
            }
            let of_zeros = is_zero(self.b.func, source);
            let is_cleared = of_zeros || self.inserted(source, lane) == Some(0);
            let number = match is_cleared {
                true => {
                    let is_one = of_zeros && zeros.is_none_or(|zeros| zeros == source);
                    zeros = Some(source);
                    if !is_one {
                        tables.bytes = None;
                    }
                    // Beside two vectors there is no room for it.
                    1
                }
                false => {
                    let known =
                        tables.sources.iter().position(|known| known.is_none_or(|known| known == source))?;
                    tables.sources[known] = Some(source);
                    known
                }
            };
            for byte in 0..width {
                let (at, from) = (usize::from(to * width + byte), lane as u8 * width + byte);
                if !is_cleared {
                    tables.numbers[number][at] = from;
                }
                if let Some(bytes) = &mut tables.bytes {
                    bytes[at] = Some(16 * number as u8 + from);
                }
            }
        }
        if zeros.is_some() && tables.sources[1].is_some() {
            tables.bytes = None;
        }
        tables.sources[0].is_some().then_some(tables)
    }
}
