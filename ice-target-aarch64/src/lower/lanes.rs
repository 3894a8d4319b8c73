//! Single lanes, constant vectors, and lanes that change places ([`ice_codegen::lanes`]).
//!
//! | shuffle | instructions |
//! |---|---|
//! | a vector as it is | a copy |
//! | one lane everywhere | `dup` of the lane, or of the register that was put there |
//! | bytes of two vectors one after another | `ext` |
//! | lanes in reverse order within 16, 32, 64 or 128 bits | `rev16`, `rev32`, `rev64`, the last and `ext` |
//! | lanes by turns | `zip1`, `uzp1`, `trn1` and their like |
//! | few other lanes | a copy, which may vanish, and `mov` of each lane that changes |
//! | any other | `tbl` with a constant, and `tbx` with what is left of it for a second vector |
//!
//! All of these move bits.

use crate::inst::{Inst, Src};
use crate::target::{Aarch64, Cx};
use ice_asm::ConstantSize;
use ice_asm::aarch64::{Alu, FloatWidth, Lane, Permute, Vector2, VectorImm, VectorLogic, Width};
use ice_codegen::lanes::{self, Origin, are, constant_vector, is_zero, whole_lanes};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::{ErrorKind, Operands as _};
use ice_ir::{Type, Value};

/// The width of the lanes of a vector type.
pub(super) fn lane(ty: Type) -> Lane {
    match ty.lanes() {
        16 => Lane::B8,
        8 => Lane::B16,
        4 => Lane::B32,
        _ => Lane::B64,
    }
}

/// Widths of lanes with their bytes.
const LANES: [(Lane, u8); 4] = [(Lane::B64, 8), (Lane::B32, 4), (Lane::B16, 2), (Lane::B8, 1)];

/// More lanes are not moved one by one.
const MAX_MOVES: usize = 4;

/// Past every table of one register.
const NO_BYTE: u8 = 0xff;

/// How bytes get to their places; vectors by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Plan {
    Copy(usize),
    /// A lane in every lane.
    Dup(usize, Lane, u8),
    /// The bytes from this one on of the first, then of the second vector.
    Ext(usize, usize, u8),
    /// The lanes of each part in reverse.
    Reverse(usize, Vector2, Lane),
    /// All lanes in reverse.
    ReverseAll(usize, Lane),
    /// An operation on two vectors.
    Pair(Permute, Lane, [usize; 2]),
    /// A copy of a vector in which some lanes are replaced.
    Moves(usize, Lane),
    Table,
}

/// Where each lane of this width comes from, if the bytes come as whole lanes of it. Behind the last lane nothing comes.
fn lanes_of(lane: Lane, bytes: &[Origin; 16]) -> Option<[Origin; 16]> {
    fn padded<const COUNT: usize>(lanes: [Origin; COUNT]) -> [Origin; 16] {
        core::array::from_fn(|n| lanes.get(n).copied().flatten())
    }
    match lane {
        Lane::B64 => whole_lanes::<8, 2>(bytes).map(padded),
        Lane::B32 => whole_lanes::<4, 4>(bytes).map(padded),
        Lane::B16 => whole_lanes::<2, 8>(bytes).map(padded),
        Lane::B8 => Some(*bytes),
    }
}

fn duplicate(bytes: &[Origin; 16]) -> Option<Plan> {
    LANES.into_iter().find_map(|(lane, size)| {
        let count = 16 / size;
        let lanes = lanes_of(lane, bytes)?;
        let from = lanes.into_iter().flatten().next()?;
        are(&lanes, |_| from).then_some(Plan::Dup(usize::from(from / count), lane, from % count))
    })
}

fn reverse(bytes: &[Origin; 16]) -> Option<Plan> {
    let (source, part, lane) = lanes::reversed(bytes, &LANES)?;
    let op = match part {
        2 => Vector2::Rev16,
        4 => Vector2::Rev32,
        8 => Vector2::Rev64,
        _ => return Some(Plan::ReverseAll(source, lane)),
    };
    Some(Plan::Reverse(source, op, lane))
}

fn by_turns(bytes: &[Origin; 16]) -> Option<Plan> {
    let choices = Permute::ALL.iter().flat_map(|&op| LANES.into_iter().map(move |lane| (op, lane)));
    let choices = choices.flat_map(|choice| [[0u8, 1], [1, 0], [0, 0], [1, 1]].map(|pair| (choice, pair)));
    choices.into_iter().find_map(|((op, (lane, size)), pair)| {
        let count = 16 / size;
        let wanted = |n: u8| {
            let k = n / size;
            let (vector, from) = match op {
                Permute::Zip1 => (k % 2, k / 2),
                Permute::Zip2 => (k % 2, (count + k) / 2),
                Permute::Uzp1 => (k / (count / 2), k % (count / 2) * 2),
                Permute::Uzp2 => (k / (count / 2), k % (count / 2) * 2 + 1),
                Permute::Trn1 => (k % 2, k / 2 * 2),
                Permute::Trn2 => (k % 2, k / 2 * 2 + 1),
            };
            16 * pair[usize::from(vector)] + from * size + n % size
        };
        are(bytes, wanted).then_some(Plan::Pair(op, lane, pair.map(usize::from)))
    })
}

/// The lanes that are not where they were in the vector of this number: each with its place in the result.
fn moved(base: usize, lane: Lane, bytes: &[Origin; 16]) -> impl Iterator<Item = (u8, u8)> {
    let count = (128 / lane.bits()) as u8;
    let lanes = lanes_of(lane, bytes).unwrap_or_default();
    (0..count)
        .zip(lanes)
        .filter_map(|(to, from)| Some((to, from?)))
        .filter(move |&(to, from)| from != base as u8 * count + to)
}

fn moves(bytes: &[Origin; 16]) -> Option<Plan> {
    let (lane, _) = LANES.into_iter().find(|&(lane, _)| lanes_of(lane, bytes).is_some())?;
    let counts = [0, 1].map(|base| moved(base, lane, bytes).count());
    let base = usize::from(counts[1] < counts[0]);
    (counts[base] <= MAX_MOVES).then_some(Plan::Moves(base, lane))
}

fn plan(bytes: &[Origin; 16]) -> Plan {
    let copy = || (0..2).find(|&n| are(bytes, |byte| byte + 16 * n)).map(|n| Plan::Copy(n.into()));
    copy()
        .or_else(|| duplicate(bytes))
        .or_else(|| lanes::consecutive(bytes).map(|(a, b, byte)| Plan::Ext(a, b, byte)))
        .or_else(|| reverse(bytes))
        .or_else(|| by_turns(bytes))
        .or_else(|| moves(bytes))
        .unwrap_or(Plan::Table)
}

impl Aarch64 {
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
    fn lane_index<S: Sink<Inst>>(cx: &Cx<'_, S>, vector: Value, index: Value) -> Result<u8, ErrorKind> {
        let count = cx.func.value_type(vector).lanes();
        let index = cx.func.int_value(index).and_then(|n| u8::try_from(n).ok());
        index.filter(|&n| u32::from(n) < count).ok_or(ErrorKind::Unsupported("a lane that is not constant"))
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
            self.vector_constant(cx, bits, dst);
            return Ok(());
        }
        if let Some(shuffle) = lanes::shuffle_of(cx.func, cx.uses, inst) {
            self.shuffle(cx, &shuffle, result);
            return Ok(());
        }
        let index = Self::lane_index(cx, vector, index)?;
        let (ty, lane) = (cx.func.value_type(element), lane(cx.func.value_type(vector)));
        let first = match lane {
            Lane::B32 => Some(FloatWidth::S),
            Lane::B64 => Some(FloatWidth::D),
            Lane::B8 | Lane::B16 => None,
        };
        let first = first.filter(|_| index == 0 && is_zero(cx.func, vector));
        if ty.is_scalar_float() {
            let src = self.reg(cx, element);
            if let Some(width) = first {
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::FirstFloat { width, dst, src });
                return Ok(());
            }
            let dst = self.copy_to_fill(cx, vector, result);
            cx.sink.push(Inst::InsertFloat { lane, index, dst, src });
            return Ok(());
        }
        let src = if ty == Type::I1 { self.mask_of(cx, element) } else { self.src(cx, element) };
        if let Some(width) = first {
            let dst = cx.regs(result).lo();
            cx.sink.push(Inst::FirstLane { width, dst, src });
            return Ok(());
        }
        let dst = self.copy_to_fill(cx, vector, result);
        cx.sink.push(Inst::InsertLane { lane, index, dst, src });
        Ok(())
    }

    /// One lane of a vector.
    pub(super) fn extract_element<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        vector: Value,
        index: Value,
        result: Value,
    ) -> Result<(), ErrorKind> {
        let index = Self::lane_index(cx, vector, index)?;
        let (lane, sign) = (lane(cx.func.value_type(vector)), Signedness::Unsigned);
        let src = self.reg(cx, vector);
        let dst = cx.regs(result).lo();
        match cx.func.value_type(result) {
            Type::F32 | Type::F64 => cx.sink.push(Inst::LaneToFloat { lane, index, dst, src }),
            Type::I1 => {
                let mask = self.wide_temp(cx, Width::X);
                cx.sink.push(Inst::LaneToWord { sign, lane, index, dst: mask, src });
                self.alu_number(cx, (Alu::And, Width::W), dst, mask, 1);
            }
            _ => cx.sink.push(Inst::LaneToWord { sign, lane, index, dst, src }),
        }
        Ok(())
    }

    /// The register of `result` with a copy of the vector.
    fn copy_to_fill<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, vector: Value, result: Value) -> VReg {
        let src = self.reg(cx, vector);
        let dst = cx.regs(result).lo();
        self.copy_vector(cx, dst, src);
        dst
    }

    /// 64 ones or zeros, as a boolean says.
    fn mask_of<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Src {
        match self.src(cx, value) {
            Src::Zero => Src::Zero,
            Src::Reg(src) => {
                let dst = self.wide_temp(cx, Width::X);
                self.field(cx, (Signedness::Signed, Width::X), dst, src, (0, 1));
                Src::Reg(dst)
            }
        }
    }

    /// `dst` = these bits.
    pub(super) fn vector_constant<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, bits: u128, dst: VReg) {
        let (low, high) = (bits as u64, (bits >> 64) as u64);
        if low == high && VectorImm::splat(Lane::B64, low).is_some() {
            return cx.sink.push(Inst::VectorNumber { dst, half: low });
        }
        let mem = self.constant_memory(cx, ConstantSize::C16, bits);
        cx.sink.push(Inst::LoadFloat { width: FloatWidth::Q, dst, mem });
    }

    /// `dst` = the byte 16 times.
    pub(super) fn splat_bytes<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, byte: u8) {
        cx.sink.push(Inst::VectorNumber { dst, half: u64::from_le_bytes([byte; 8]) });
    }

    /// `result` = the shuffle.
    fn shuffle<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, shuffle: &lanes::Shuffle, result: Value) {
        let plan = plan(&shuffle.bytes);
        if let Plan::Dup(n, lane, index) = plan {
            return self.duplicate(cx, shuffle.sources[n], (lane, index), result);
        }
        if plan == Plan::Table {
            return self.look_up(cx, shuffle, result);
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
            Plan::Copy(n) => self.copy_vector(cx, dst, sources[n]),
            Plan::Ext(a, b, byte) => {
                cx.sink.push(Inst::ExtractVector { dst, lhs: sources[a], rhs: sources[b], byte });
            }
            Plan::Reverse(n, op, lane) => cx.sink.push(Inst::Vector2 { op, lane, dst, src: sources[n] }),
            Plan::ReverseAll(n, lane) => {
                let halves = self.quad(cx);
                cx.sink.push(Inst::Vector2 { op: Vector2::Rev64, lane, dst: halves, src: sources[n] });
                cx.sink.push(Inst::ExtractVector { dst, lhs: halves, rhs: halves, byte: 8 });
            }
            Plan::Pair(op, lane, [a, b]) => {
                cx.sink.push(Inst::Permute { op, lane, dst, lhs: sources[a], rhs: sources[b] });
            }
            Plan::Moves(base, lane) => {
                let count = (128 / lane.bits()) as u8;
                self.copy_vector(cx, dst, sources[base]);
                for (index, from) in moved(base, lane, &shuffle.bytes) {
                    let src = sources[usize::from(from / count)];
                    cx.sink.push(Inst::MoveLane { lane, index, dst, src, from: from % count });
                }
            }
            Plan::Dup(..) | Plan::Table => {}
        }
    }

    /// A lane in every lane: of a vector, or what was put there.
    fn duplicate<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        source: Value,
        (lane, index): (Lane, u8),
        result: Value,
    ) {
        let Some(element) = lanes::inserted(cx, source) else {
            let src = self.reg(cx, source);
            let dst = cx.regs(result).lo();
            return cx.sink.push(Inst::SplatLane { lane, index, dst, src });
        };
        if cx.func.value_type(element).is_scalar_float() {
            let src = self.reg(cx, element);
            let dst = cx.regs(result).lo();
            return cx.sink.push(Inst::SplatFloat { lane, dst, src });
        }
        let src = self.src(cx, element);
        let dst = cx.regs(result).lo();
        cx.sink.push(Inst::Splat { lane, dst, src });
    }

    /// Any bytes of two vectors, each in a table of its own.
    fn look_up<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, shuffle: &lanes::Shuffle, result: Value) {
        /// Makes numbers in the one table numbers past it, and numbers of the other one its own.
        const OTHER: u8 = 16;
        let is_clear = shuffle.sources.map(|source| is_zero(cx.func, source));
        let bytes = shuffle.bytes.map(|from| from.filter(|from| !is_clear[usize::from(from / 16)]));
        let reads = [0, 1].map(|n| bytes.iter().flatten().any(|from| from / 16 == n));
        let (first, swap) = match reads {
            [true, _] => (0, 0),
            [false, true] => (1, OTHER),
            [false, false] => {
                let dst = cx.regs(result).lo();
                return self.vector_constant(cx, 0, dst);
            }
        };
        let mask = self.quad(cx);
        let numbers = bytes.map(|from| from.map_or(NO_BYTE, |from| from ^ swap));
        self.vector_constant(cx, u128::from_le_bytes(numbers), mask);
        let src = self.reg(cx, shuffle.sources[first]);
        let other = (reads == [true; 2]).then(|| self.reg(cx, shuffle.sources[1]));
        let dst = cx.regs(result).lo();
        cx.sink.push(Inst::Table { dst, src, mask });
        if let Some(src) = other {
            let [flips, mask_of_other] = [(); 2].map(|()| self.quad(cx));
            self.splat_bytes(cx, flips, OTHER);
            let (op, lhs, rhs) = (VectorLogic::Eor, mask, flips);
            cx.sink.push(Inst::VectorLogic { op, dst: mask_of_other, lhs, rhs });
            cx.sink.push(Inst::TableExtend { dst, src, mask: mask_of_other });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of<const COUNT: usize>(lanes: [u8; COUNT]) -> [Origin; 16] {
        let size = (16 / COUNT) as u8;
        core::array::from_fn(|n| Some(lanes[n / usize::from(size)] * size + n as u8 % size))
    }

    fn of_lanes<const COUNT: usize>(lanes: [u8; COUNT]) -> Plan {
        plan(&bytes_of(lanes))
    }

    #[test]
    fn the_shortest_plan_is_found() {
        assert_eq!(of_lanes([4, 5, 6, 7]), Plan::Copy(1));
        assert_eq!(of_lanes([1, 1]), Plan::Dup(0, Lane::B64, 1));
        assert_eq!(of_lanes([5; 4]), Plan::Dup(1, Lane::B32, 1));
        assert_eq!(of_lanes([3; 8]), Plan::Dup(0, Lane::B16, 3));
        assert_eq!(of_lanes([31; 16]), Plan::Dup(1, Lane::B8, 15));
        assert_eq!(of_lanes([3, 4, 5, 6]), Plan::Ext(0, 1, 12));
        assert_eq!(of_lanes([1, 2, 3, 0]), Plan::Ext(0, 0, 4));
        assert_eq!(of_lanes([1, 2]), Plan::Ext(0, 1, 8));
        assert_eq!(of_lanes([1, 0, 3, 2]), Plan::Reverse(0, Vector2::Rev64, Lane::B32));
        assert_eq!(of_lanes([9, 8, 11, 10, 13, 12, 15, 14]), Plan::Reverse(1, Vector2::Rev32, Lane::B16));
        assert_eq!(of_lanes([3, 2, 1, 0]), Plan::ReverseAll(0, Lane::B32));
        assert_eq!(
            of_lanes(core::array::from_fn::<u8, 16, _>(|n| 15 - n as u8)),
            Plan::ReverseAll(0, Lane::B8)
        );
        assert_eq!(of_lanes([0, 4, 1, 5]), Plan::Pair(Permute::Zip1, Lane::B32, [0, 1]));
        assert_eq!(of_lanes([0, 8, 1, 9, 2, 10, 3, 11]), Plan::Pair(Permute::Zip1, Lane::B16, [0, 1]));
        assert_eq!(of_lanes([4, 12, 5, 13, 6, 14, 7, 15]), Plan::Pair(Permute::Zip2, Lane::B16, [0, 1]));
        assert_eq!(of_lanes([1, 3, 5, 7, 9, 11, 13, 15]), Plan::Pair(Permute::Uzp2, Lane::B16, [0, 1]));
        assert_eq!(of_lanes([0, 8, 2, 10, 4, 12, 6, 14]), Plan::Pair(Permute::Trn1, Lane::B16, [0, 1]));
        assert!(matches!(of_lanes([0, 2]), Plan::Pair(_, Lane::B64, [0, 1])));
        assert!(matches!(of_lanes([3, 1]), Plan::Pair(_, Lane::B64, [1, 0])));
        assert_eq!(of_lanes([0, 3]), Plan::Moves(0, Lane::B64));
        assert_eq!(of_lanes([0, 5, 2, 7]), Plan::Moves(0, Lane::B32));
        assert_eq!(of_lanes([8, 9, 3, 11, 12, 13, 2, 1]), Plan::Moves(1, Lane::B16));
        assert_eq!(of_lanes([0, 9, 3, 1, 12, 4, 7, 7]), Plan::Table);
    }

    #[test]
    fn what_stays_is_not_moved() {
        let bytes = bytes_of([0, 5, 2, 7]);
        assert!(moved(0, Lane::B32, &bytes).eq([(1, 5), (3, 7)]));
        assert!(moved(1, Lane::B32, &bytes).eq([(0, 0), (2, 2)]));
    }
}
