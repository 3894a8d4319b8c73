//! The search for places where a match may begin, 16 bytes at a time.
//!
//! For each probe of an arm 16 bytes at its offset are loaded and compared with what may be there; where all of an arm hold is
//! a candidate. As an integer the conditions have a bit for each. This is the packed-pair search of the crate `memchr`, with
//! sets of bytes, for a few arms at once. Cost: a load and two or three operations a comparison for 16 bytes.

use super::emitter::{Emitter, JoinId};
use crate::bytes::{ByteSet, Test};
use crate::prefix::Arm;
use ice_ir::{BinaryOp, CastOp, IntCond, Type, Value};

/// Bytes of a vector.
const WIDTH: i64 = 16;

/// Where a scan goes on; both joins have a place as their only parameter, which may be [inside of a
/// character](Emitter::character_start).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exits {
    /// At a candidate.
    pub(crate) found: JoinId,
    /// Where too few bytes are left for a vector, with no candidate before.
    pub(crate) tail: JoinId,
}

impl Emitter<'_> {
    /// Looks for the first candidate from `at` on. Ends the block.
    pub(crate) fn scan(&mut self, arms: &[Arm], at: Value, end: Value, exits: Exits) {
        let pointer = self.pointer();
        let offsets = arms.iter().flatten().map(|probe| probe.offset);
        let furthest = offsets.max().unwrap_or(0) as i64;
        // Outside of the loop.
        let constants: Vec<Vec<Vec<[Value; 2]>>> = arms
            .iter()
            .map(|arm| {
                arm.iter().map(|probe| probe.tests.iter().map(|&t| self.bounds(t)).collect()).collect()
            })
            .collect();
        let round = self.join(&[pointer]);
        self.jump(round, &[at]);
        let at = self.enter(round)[0];
        let left = self.binary(BinaryOp::Sub, end, at);
        let is_enough = self.compare_const(IntCond::Uge, left, WIDTH + furthest);
        let short = self.require(is_enough);
        let mut any: Option<Value> = None;
        for (arm, constants) in arms.iter().zip(&constants) {
            let holds = self.arm(at, arm, constants);
            any = Some(any.map_or(holds, |any| self.binary(BinaryOp::Or, any, holds)));
        }
        let bits = self.b.cast(CastOp::Bitcast, any.expect("a scan has arms"), Type::I16);
        let bits = self.resize(bits, Type::I32);
        let is_found = self.compare_const(IntCond::Ne, bits, 0);
        let none = self.require(is_found);
        let lane = self.trailing_zeros(bits);
        let lane = self.resize(lane, pointer);
        let found = self.binary(BinaryOp::Add, at, lane);
        self.jump(exits.found, &[found]);
        self.b.switch_to_block(none);
        let next = self.plus(at, WIDTH);
        self.jump(round, &[next]);
        self.b.switch_to_block(short);
        self.jump(exits.tail, &[at]);
    }

    /// The place where the character begins that a place behind `at` is in, or `at` if that is in it too: scans end
    /// anywhere. The place may be the end of the text.
    pub(crate) fn character_start(&mut self, place: Value, at: Value, end: Value) -> Value {
        let pointer = self.pointer();
        let [back, done] = [(); 2].map(|()| self.join(&[pointer]));
        self.jump(back, &[place]);
        let place = self.enter(back)[0];
        let is_behind = self.compare(IntCond::Ne, place, at);
        let beginning = self.require(is_behind);
        let is_inside = self.compare(IntCond::Ne, place, end);
        let at_end = self.require(is_inside);
        let byte = self.byte_at(place, 0);
        let is_later = self.is_in(byte, &ByteSet::range(0x80, 0xbf), &ByteSet::ALL);
        let first = self.require(is_later);
        let previous = self.plus(place, -1);
        self.jump(back, &[previous]);
        for block in [beginning, at_end, first] {
            self.b.switch_to_block(block);
            self.jump(done, &[place]);
        }
        self.enter(done)[0]
    }

    /// In which lanes all probes of an arm hold.
    fn arm(&mut self, at: Value, arm: &Arm, constants: &[Vec<[Value; 2]>]) -> Value {
        let mut all: Option<Value> = None;
        for (probe, constants) in arm.iter().zip(constants) {
            let address = self.plus(at, probe.offset as i64);
            let bytes = self.b.load(Type::V16I8, address, 0);
            let mut any: Option<Value> = None;
            for (&test, &bounds) in probe.tests.iter().zip(constants) {
                let holds = self.lanes(bytes, test, bounds);
                any = Some(any.map_or(holds, |any| self.binary(BinaryOp::Or, any, holds)));
            }
            let any = any.expect("a probe has tests");
            all = Some(all.map_or(any, |all| self.binary(BinaryOp::And, all, any)));
        }
        all.expect("an arm has probes")
    }

    /// The vectors that a test compares with: the first byte, and how far the last is from it.
    fn bounds(&mut self, test: Test) -> [Value; 2] {
        let (Test::Range { first, last } | Test::Folded { first, last }) = test;
        [first, last - first].map(|byte| self.splat(byte))
    }

    /// In which lanes a test holds.
    fn lanes(&mut self, bytes: Value, test: Test, [first, distance]: [Value; 2]) -> Value {
        let (bytes, is_single) = match test {
            Test::Range { first, last } => (bytes, first == last),
            Test::Folded { first, last } => {
                let case = self.splat(0x20);
                (self.binary(BinaryOp::Or, bytes, case), first == last)
            }
        };
        if is_single {
            return self.compare(IntCond::Eq, bytes, first);
        }
        let from = self.binary(BinaryOp::Sub, bytes, first);
        self.compare(IntCond::Ule, from, distance)
    }

    /// A byte in all lanes.
    fn splat(&mut self, byte: u8) -> Value {
        let element = self.b.int_const(Type::I8, i64::from(byte as i8));
        let mut vector = self.b.func.make_undef(Type::V16I8);
        for lane in 0..WIDTH {
            let lane = self.int(lane);
            vector = self.b.insert_element(vector, element, lane);
        }
        vector
    }
}
