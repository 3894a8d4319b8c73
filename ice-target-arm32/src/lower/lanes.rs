//! Single lanes, constant vectors, and lanes that change places ([`ice_codegen::lanes`]).
//!
//! | shuffle | instructions |
//! |---|---|
//! | a vector as it is | a copy |
//! | one lane everywhere | `vdup` of the lane, or of the register that was put there |
//! | bytes of two vectors one after another | `vext` |
//! | lanes in reverse order within 16, 32, 64 or 128 bits | `vrev16`, `vrev32`, `vrev64`, the last and `vext` |
//! | lanes by turns | copies, which may vanish, and `vzip`, `vuzp` or `vtrn` |
//! | other lanes of 32 bits | `vmov` of a single-precision register for each that changes |
//! | any other | `vtbl` with a constant, and `vtbx` for a second vector |
//!
//! All of these move bits: denormal numbers and NaN stay what they are.

use super::Signedness;
use crate::inst::{FloatSize, Inst, NeonUnary};
use crate::target::{Arm32, Cx};
use ice_asm::ConstantSize;
use ice_asm::arm32::{Alu, Lane, Neon2, NeonImm, Sign};
use ice_codegen::lanes::{self, Origin, are, constant_vector, whole_lanes};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{CodeSymbol, ErrorKind, Operands as _, Words as _};
use ice_ir::{Type, Value};

/// The width of the lanes of a vector type.
pub(super) fn lane(ty: Type) -> Lane {
    match ty.lanes() {
        16 => Lane::B8,
        8 => Lane::B16,
        _ => Lane::B32,
    }
}

/// Widths of lanes with their bytes.
const LANES: [(Lane, u8); 3] = [(Lane::B32, 4), (Lane::B16, 2), (Lane::B8, 1)];

/// How bytes get to their places; vectors by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Plan {
    Copy(usize),
    /// A lane in every lane.
    Dup(usize, Lane, u8),
    /// The bytes from this one on of the first, then of the second vector.
    Ext(usize, usize, u8),
    /// The lanes of each part in reverse.
    Reverse(usize, Neon2, Lane),
    /// All lanes in reverse.
    ReverseAll(usize, Lane),
    /// Lanes of 32 bits.
    Lanes([Origin; 4]),
    /// An operation on copies of two vectors, and which of them it leaves the result in.
    Pair(Neon2, Lane, [usize; 2], usize),
    Table,
}

/// The lane of `N` bytes that is everywhere.
fn same<const N: usize, const COUNT: usize>(bytes: &[Origin; 16]) -> Option<u8> {
    let lanes = whole_lanes::<N, COUNT>(bytes)?;
    let &first = lanes.iter().flatten().next()?;
    are(&lanes, |_| first).then_some(first)
}

fn duplicate(bytes: &[Origin; 16]) -> Option<Plan> {
    let found = [same::<4, 4>(bytes), same::<2, 8>(bytes), same::<1, 16>(bytes)];
    let ((lane, size), from) = LANES.into_iter().zip(found).find_map(|(lane, from)| Some((lane, from?)))?;
    let count = 16 / size;
    Some(Plan::Dup(usize::from(from / count), lane, from % count))
}

fn reverse(bytes: &[Origin; 16]) -> Option<Plan> {
    let (source, part, lane) = lanes::reversed(bytes, &LANES)?;
    let op = match part {
        2 => Neon2::Vrev16,
        4 => Neon2::Vrev32,
        8 => Neon2::Vrev64,
        _ => return Some(Plan::ReverseAll(source, lane)),
    };
    Some(Plan::Reverse(source, op, lane))
}

fn by_turns(bytes: &[Origin; 16]) -> Option<Plan> {
    let ops = [Neon2::Vzip, Neon2::Vuzp, Neon2::Vtrn].into_iter();
    let choices = ops.flat_map(|op| LANES.into_iter().map(move |lane| (op, lane)));
    let choices = choices.flat_map(|choice| [[0u8, 1], [1, 0], [0, 0], [1, 1]].map(|pair| (choice, pair)));
    choices.flat_map(|choice| [0u8, 1].map(|result| (choice, result))).find_map(
        |(((op, (lane, size)), pair), result)| {
            let count = 16 / size;
            let wanted = |n: u8| {
                let k = n / size;
                let (vector, from) = match op {
                    Neon2::Vzip => (k % 2, (result * count + k) / 2),
                    Neon2::Vuzp => (k / (count / 2), k % (count / 2) * 2 + result),
                    _ => (k % 2, k / 2 * 2 + result),
                };
                16 * pair[usize::from(vector)] + from * size + n % size
            };
            let plan = Plan::Pair(op, lane, pair.map(usize::from), result.into());
            are(bytes, wanted).then_some(plan)
        },
    )
}

fn plan(bytes: &[Origin; 16]) -> Plan {
    let copy = || (0..2).find(|&n| are(bytes, |byte| byte + 16 * n)).map(|n| Plan::Copy(n.into()));
    let words = || whole_lanes::<4, 4>(bytes).map(Plan::Lanes);
    copy()
        .or_else(|| duplicate(bytes))
        .or_else(|| lanes::consecutive(bytes).map(|(a, b, byte)| Plan::Ext(a, b, byte)))
        .or_else(|| reverse(bytes))
        .or_else(|| by_turns(bytes))
        .or_else(words)
        .unwrap_or(Plan::Table)
}

impl Arm32 {
    /// Whether `user` makes what `def`, an insertion, puts into a vector.
    pub(super) fn folds_insertion<S: Sink<Inst>>(
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        lanes::folds_insertion(cx, (def, user), |shuffle| match plan(&shuffle.bytes) {
            Plan::Dup(n, lane, index) => Some((n, lane.bits(), index)),
            _ => None,
        })
    }

    /// The number of a lane.
    fn lane_index<S: Sink<Inst>>(cx: &Cx<'_, S>, index: Value) -> Result<u8, ErrorKind> {
        let index = cx.func.int_value(index).and_then(|n| u8::try_from(n).ok());
        index.filter(|&n| n < 16).ok_or(ErrorKind::Unsupported("a lane that is not constant"))
    }

    /// One lane of a vector.
    pub(super) fn extract_element<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        vector: Value,
        index: Value,
        result: Value,
    ) -> Result<(), ErrorKind> {
        let index = Self::lane_index(cx, index)?;
        let (lane, sign) = (lane(cx.func.value_type(vector)), Sign::Plus);
        let src = self.reg(cx, vector);
        let dst = cx.regs(result).lo();
        match cx.func.value_type(result) {
            Type::F32 => cx.sink.push(Inst::LaneToSingle { index, dst, src }),
            Type::I1 => {
                let word = self.temp(cx);
                cx.sink.push(Inst::LaneToCore { sign, lane, index, dst: word, src });
                self.alu_imm(cx, Alu::And, dst, word, 1);
            }
            _ => cx.sink.push(Inst::LaneToCore { sign, lane, index, dst, src }),
        }
        Ok(())
    }

    /// A vector with one lane replaced, or the constant vector or shuffle that ends with this.
    pub(super) fn insert_element<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        [vector, element, index]: [Value; 3],
        result: Value,
    ) -> Result<(), ErrorKind> {
        if let Some(bits) = constant_vector(cx.func, result) {
            let dst = cx.regs(result).lo();
            self.load_vector(cx, dst, bits);
            return Ok(());
        }
        if let Some(shuffle) = lanes::shuffle_of(cx.func, cx.uses, inst) {
            self.shuffle(cx, &shuffle, result);
            return Ok(());
        }
        let index = Self::lane_index(cx, index)?;
        let lane = lane(cx.func.value_type(vector));
        let is_single = cx.func.value_type(element) == Type::F32;
        let element = match cx.func.value_type(element) {
            Type::I1 => self.extended(cx, Signedness::Signed, element),
            _ => self.reg(cx, element),
        };
        let src = self.reg(cx, vector);
        let dst = cx.regs(result).lo();
        cx.sink.push(Inst::MovFloat { size: FloatSize::Quad, dst, src });
        cx.sink.push(match is_single {
            true => Inst::SingleToLane { index, dst, src: element },
            false => Inst::CoreToLane { lane, index, dst, src: element },
        });
        Ok(())
    }

    /// `dst` = these bits.
    pub(super) fn load_vector<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, bits: u128) {
        let (low, high) = (bits as u64, (bits >> 64) as u64);
        let is_halves = low == high;
        if let Some(imm) = NeonImm::splat(Lane::B64, low).filter(|_| is_halves) {
            cx.sink.push(Inst::VectorImm { dst, imm });
        } else if is_halves && low as u32 == (low >> 32) as u32 {
            let src = self.number_reg(cx, low as u32);
            cx.sink.push(Inst::Splat { lane: Lane::B32, dst, src });
        } else {
            let symbol = CodeSymbol::Constant(cx.constant(ConstantSize::C16, bits)).pack();
            cx.sink.push(Inst::LoadConstant { size: FloatSize::Quad, dst, symbol });
        }
    }

    /// `result` = the shuffle.
    fn shuffle<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, shuffle: &lanes::Shuffle, result: Value) {
        let size = FloatSize::Quad;
        let plan = plan(&shuffle.bytes);
        if let Plan::Dup(n, lane, index) = plan {
            return self.duplicate(cx, shuffle.sources[n], lane, index, result);
        }
        // Only those that matter are read.
        let mut read = [None; 2];
        for n in shuffle.bytes.iter().flatten().map(|byte| usize::from(byte / 16)) {
            if read[n].is_none() {
                read[n] = Some(self.reg(cx, shuffle.sources[n]));
            }
        }
        let dst = cx.regs(result).lo();
        let sources = read.map(|source| source.or(read[0]).or(read[1]).unwrap_or(dst));
        match plan {
            Plan::Copy(n) => cx.sink.push(Inst::MovFloat { size, dst, src: sources[n] }),
            Plan::Dup(..) => {}
            Plan::Ext(a, b, start) => {
                cx.sink.push(Inst::Extract { dst, lhs: sources[a], rhs: sources[b], start });
            }
            Plan::Reverse(n, op, lane) => self.neon2(cx, NeonUnary::Int(op), lane, dst, sources[n]),
            Plan::ReverseAll(n, lane) => {
                let halves = self.quad(cx);
                self.neon2(cx, NeonUnary::Int(Neon2::Vrev64), lane, halves, sources[n]);
                cx.sink.push(Inst::Extract { dst, lhs: halves, rhs: halves, start: 8 });
            }
            Plan::Lanes(origins) => {
                let stay =
                    |n: u8| (0u8..).zip(origins).filter(|&(to, from)| from == Some(4 * n + to)).count();
                let base = usize::from(stay(1) > stay(0));
                cx.sink.push(Inst::MovFloat { size, dst, src: sources[base] });
                for (to, from) in (0u8..).zip(origins) {
                    if let Some(from) = from.filter(|&from| from != 4 * base as u8 + to) {
                        let src = sources[usize::from(from / 4)];
                        cx.sink.push(Inst::MovLane { to, from: from % 4, dst, src });
                    }
                }
            }
            Plan::Pair(op, lane, pair, result) => {
                let copies = [0, 1].map(|n| {
                    let copy = if n == result { dst } else { self.quad(cx) };
                    cx.sink.push(Inst::MovFloat { size, dst: copy, src: sources[pair[n]] });
                    copy
                });
                cx.sink.push(Inst::NeonPair { op, lane, first: copies[0], second: copies[1] });
            }
            Plan::Table => self.look_up(cx, sources, &shuffle.bytes, dst),
        }
    }

    /// A lane in every lane: of a vector, or what was put there.
    fn duplicate<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        source: Value,
        lane: Lane,
        index: u8,
        result: Value,
    ) {
        let Some(element) = lanes::inserted(cx, source) else {
            let src = self.reg(cx, source);
            let dst = cx.regs(result).lo();
            return cx.sink.push(Inst::SplatLane { lane, index, dst, src });
        };
        let is_single = cx.func.value_type(element) == Type::F32;
        let src = self.reg(cx, element);
        let dst = cx.regs(result).lo();
        cx.sink.push(match is_single {
            true => Inst::SplatSingle { dst, src },
            false => Inst::Splat { lane, dst, src },
        });
    }

    /// Any bytes of two vectors.
    fn look_up<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, sources: [VReg; 2], bytes: &[Origin; 16], dst: VReg) {
        /// Past every table: the byte is zero, or stays.
        const NONE: u8 = 0xff;
        let masks = [0, 1].map(|n| {
            let of = |from: u8| (from / 16 == n).then_some(from % 16);
            u128::from_le_bytes(bytes.map(|from| from.and_then(of).unwrap_or(NONE)))
        });
        let [first, second] = masks.map(|bits| {
            let mask = self.quad(cx);
            (bits != u128::MAX).then(|| self.load_vector(cx, mask, bits)).map(|()| mask)
        });
        let (mask, src, other) = match (first, second) {
            (Some(mask), other) => (mask, sources[0], other),
            (None, Some(mask)) => (mask, sources[1], None),
            (None, None) => return cx.sink.push(Inst::ZeroFloat { size: FloatSize::Quad, dst }),
        };
        cx.sink.push(Inst::Table { dst, src, mask });
        if let Some(mask) = other {
            cx.sink.push(Inst::TableExtension { dst, src: sources[1], mask });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_lanes<const COUNT: usize>(lanes: [u8; COUNT]) -> Plan {
        let size = (16 / COUNT) as u8;
        plan(&core::array::from_fn(|n| Some(lanes[n / usize::from(size)] * size + n as u8 % size)))
    }

    #[test]
    fn the_shortest_plan_is_found() {
        assert_eq!(of_lanes([4, 5, 6, 7]), Plan::Copy(1));
        assert_eq!(of_lanes([5; 4]), Plan::Dup(1, Lane::B32, 1));
        assert_eq!(of_lanes([3; 8]), Plan::Dup(0, Lane::B16, 3));
        assert_eq!(of_lanes([31; 16]), Plan::Dup(1, Lane::B8, 15));
        assert_eq!(of_lanes([3, 4, 5, 6]), Plan::Ext(0, 1, 12));
        assert_eq!(of_lanes([1, 2, 3, 0]), Plan::Ext(0, 0, 4));
        assert_eq!(of_lanes([1, 0, 3, 2]), Plan::Reverse(0, Neon2::Vrev64, Lane::B32));
        assert_eq!(of_lanes([9, 8, 11, 10, 13, 12, 15, 14]), Plan::Reverse(1, Neon2::Vrev32, Lane::B16));
        assert_eq!(of_lanes([3, 2, 1, 0]), Plan::ReverseAll(0, Lane::B32));
        assert_eq!(
            of_lanes(core::array::from_fn::<u8, 16, _>(|n| 15 - n as u8)),
            Plan::ReverseAll(0, Lane::B8)
        );
        assert_eq!(of_lanes([0, 4, 1, 5]), Plan::Pair(Neon2::Vzip, Lane::B32, [0, 1], 0));
        assert_eq!(of_lanes([0, 5, 2, 7]), Plan::Lanes([0, 5, 2, 7].map(Some)));
        assert_eq!(of_lanes([0, 8, 1, 9, 2, 10, 3, 11]), Plan::Pair(Neon2::Vzip, Lane::B16, [0, 1], 0));
        assert_eq!(of_lanes([4, 12, 5, 13, 6, 14, 7, 15]), Plan::Pair(Neon2::Vzip, Lane::B16, [0, 1], 1));
        assert_eq!(of_lanes([1, 3, 5, 7, 9, 11, 13, 15]), Plan::Pair(Neon2::Vuzp, Lane::B16, [0, 1], 1));
        assert_eq!(of_lanes([0, 8, 2, 10, 4, 12, 6, 14]), Plan::Pair(Neon2::Vtrn, Lane::B16, [0, 1], 0));
        assert_eq!(of_lanes([0, 9, 3, 1, 12, 4, 7, 7]), Plan::Table);
    }
}
