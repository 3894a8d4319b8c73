//! Which lanes of 32 bits are numbers that 16 bits have room for: their products are those of words, `pmaddwd`, in place of two
//! multiplications of every second lane and what joins them.
//!
//! Known are constants, what was shifted down or masked, bytes with zeros above them, scalars that were extended before they
//! were put into all lanes, and sums and differences of such.
//!
//! Cost: at most [`MAX_DEPTH`] definitions behind each other, and the walk along a shuffle for each.

use crate::inst::Inst;
use crate::target::Cx;
use ice_codegen::lanes::{below_zeros, constant_vector, is_zero, shuffle_of, uniform_lane};
use ice_codegen::mach::Sink;
use ice_ir::{BinaryOp, CastOp, Function, InstData, Type, Value};

/// More definitions are not followed.
const MAX_DEPTH: u32 = 4;

/// The least and the most that a number of 32 bits can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    least: i64,
    most: i64,
}

impl Range {
    const fn new(least: i64, most: i64) -> Range {
        Range { least, most }
    }

    /// Whether a word with sign has room for it.
    pub(super) const fn is_word(self) -> bool {
        self.least >= -0x8000 && self.most < 0x8000
    }

    /// Whether it is not negative.
    pub(super) const fn is_positive(self) -> bool {
        self.least >= 0
    }

    fn with(self, other: Range) -> Range {
        Range::new(self.least.min(other.least), self.most.max(other.most))
    }
}

/// What is known of all lanes of a vector of four.
pub(super) fn range<S: Sink<Inst>>(cx: &Cx<'_, S>, value: Value) -> Option<Range> {
    range_of(cx, value, MAX_DEPTH)
}

fn range_of<S: Sink<Inst>>(cx: &Cx<'_, S>, value: Value, depth: u32) -> Option<Range> {
    let depth = depth.checked_sub(1)?;
    let func = cx.func;
    if let Some(bits) = constant_vector(func, value) {
        let lanes = (0..4).map(|n| i64::from((bits >> (32 * n)) as i32));
        return lanes.map(|lane| Range::new(lane, lane)).reduce(Range::with);
    }
    let inst = func.defining_inst(value)?;
    match *func.inst(inst) {
        InstData::Cast { op: CastOp::Bitcast, arg } if func.value_type(arg) == Type::V8I16 => {
            // Words with zeros above them.
            Some(Range::new(0, most_word(cx, below_zeros(cx.func, cx.uses, arg)?)))
        }
        InstData::Binary { op: BinaryOp::Lshr, args } => match uniform_lane(func, args[1])? {
            amount @ 1..32 => Some(Range::new(0, i64::from(u32::MAX >> amount))),
            _ => None,
        },
        InstData::Binary { op: BinaryOp::Ashr, args } => match uniform_lane(func, args[1])? {
            amount @ ..32 => Some(Range::new((i32::MIN >> amount).into(), (i32::MAX >> amount).into())),
            _ => None,
        },
        InstData::Binary { op: BinaryOp::And, args } => {
            let masks = args.into_iter().filter_map(|arg| range_of(cx, arg, depth));
            let most = masks.filter(|range| range.is_positive()).map(|range| range.most).min()?;
            Some(Range::new(0, most))
        }
        InstData::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), args: [a, b] } => {
            let [a, b] = [range_of(cx, a, depth)?, range_of(cx, b, depth)?];
            let result = match op {
                BinaryOp::Add => Range::new(a.least + b.least, a.most + b.most),
                _ => Range::new(a.least - b.most, a.most - b.least),
            };
            // Others may wrap around.
            result.is_word().then_some(result)
        }
        InstData::InsertElement { vector, element, .. } => match shuffle_of(func, cx.uses, inst) {
            Some(shuffle) => {
                let [first, second] = shuffle.sources;
                Some(range_of(cx, first, depth)?.with(range_of(cx, second, depth)?))
            }
            None if is_zero(func, vector) => Some(scalar_range(func, element)?.with(Range::new(0, 0))),
            None => None,
        },
        _ => None,
    }
}

/// The most that words without sign are.
fn most_word<S: Sink<Inst>>(cx: &Cx<'_, S>, words: Value) -> i64 {
    let known = |inst| match *cx.func.inst(inst) {
        InstData::Cast { op: CastOp::Bitcast, arg } if cx.func.value_type(arg) == Type::V16I8 => {
            below_zeros(cx.func, cx.uses, arg).map(|_| 0xff)
        }
        InstData::Binary { op: BinaryOp::Lshr, args } => match uniform_lane(cx.func, args[1])? {
            amount @ ..16 => Some(0xffff >> amount),
            _ => None,
        },
        _ => None,
    };
    cx.func.defining_inst(words).and_then(known).unwrap_or(0xffff)
}

/// What is known of a scalar of 32 bits.
fn scalar_range(func: &Function, value: Value) -> Option<Range> {
    if let Some(number) = func.int_value(value) {
        let number = i64::from(number as i32);
        return Some(Range::new(number, number));
    }
    let InstData::Cast { op, arg } = *func.inst(func.defining_inst(value)?) else { return None };
    match (op, func.value_type(arg).bits()) {
        (CastOp::Zext, bits @ ..=16) => Some(Range::new(0, (1 << bits) - 1)),
        (CastOp::Sext, bits @ ..=16) => Some(Range::new(-1 << (bits - 1), (1 << (bits - 1)) - 1)),
        _ => None,
    }
}
