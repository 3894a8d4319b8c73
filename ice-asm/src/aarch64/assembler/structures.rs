//! Loads and stores of vectors and their lanes in turn, `ld1` to `ld4` and `st1` to `st4` (DDI 0487, C4.1, "Advanced SIMD load/store
//! multiple structures" and "single structure").

use super::Assembler;
use super::operand::{Index, List, Operand, Shape};
use crate::aarch64::{Arrangement, Gpr, Lane, Width, bits};

/// A mnemonic: whether it loads, of how many registers one number each, and whether it goes to all lanes.
fn parts(name: &str) -> Option<(bool, u8, bool)> {
    let (start, rest) = name.split_at_checked(2)?;
    let is_load = match start {
        "ld" => true,
        "st" => false,
        _ => return None,
    };
    let (count, repeats) = match rest.strip_suffix('r') {
        Some(count) if is_load => (count, true),
        _ => (rest, false),
    };
    let count = ["1", "2", "3", "4"].iter().position(|&known| known == count)?;
    Some((is_load, count as u8 + 1, repeats))
}

pub(super) fn is_known(name: &str) -> bool {
    parts(name).is_some()
}

/// Set if the base is moved behind the access.
const MOVES: u32 = 1 << 23;

impl Assembler<'_, '_, '_> {
    pub(super) fn structure(&mut self, name: &str, operands: &[Operand<'_>]) -> Option<()> {
        let (is_load, count, repeats) = parts(name)?;
        let [Operand::List(list), Operand::Mem(base, index, false), ref behind @ ..] = *operands else {
            return None;
        };
        if !matches!(index, Index::None | Index::Number(0)) || !base.is_base() {
            return None;
        }
        let (word, bytes) = match (list.shape, repeats) {
            (Shape::All(t), false) => {
                (whole(list, count, t)?, u32::from(list.count) * (8 << u32::from(t.full)))
            }
            (Shape::All(t), true) => {
                let word = bits!("0 Q 001101 p L R mmmmm oo o S ss nnnnn ttttt") | 3 << 14;
                (word | t.q() | (t.lane as u32) << 10 | turn(count), u32::from(count) * t.lane.bits() / 8)
            }
            (Shape::One(lane), false) => {
                let bytes = u32::from(count) * lane.bits() / 8;
                (single(lane, list.lane?)? | turn(count), bytes)
            }
            _ => return None,
        };
        if !matches!((list.shape, repeats), (Shape::All(_), false)) && list.count != count {
            return None;
        }
        let moves = match *behind {
            [] => 0,
            [Operand::Gpr(m, Width::X)] if m.is_plain() && m != Gpr::ZERO => MOVES | m.m(),
            [ref number] if self.number(number)? == i64::from(bytes) => MOVES | Gpr::ZERO.m(),
            _ => return None,
        };
        self.word(word | u32::from(is_load) << 22 | moves | base.n() | list.first.d());
        Some(())
    }
}

/// Whole registers, of which each `count` are in turn.
fn whole(list: List, count: u8, t: Arrangement) -> Option<u32> {
    let opcode = match (count, list.count) {
        (1, 1) => 0b0111,
        (1, 2) => 0b1010,
        (1, 3) => 0b0110,
        (1, 4) => 0b0010,
        (2, 2) => 0b1000,
        (3, 3) => 0b0100,
        (4, 4) => 0b0000,
        _ => return None,
    };
    let has_turns = count == 1 || t.lane != Lane::B64 || t.full;
    let word =
        bits!("0 Q 001100 p L 0 mmmmm oooo ss nnnnn ttttt") | t.q() | opcode << 12 | (t.lane as u32) << 10;
    has_turns.then_some(word)
}

/// The bits of how many registers are in turn.
fn turn(count: u8) -> u32 {
    u32::from(count.is_multiple_of(2)) << 21 | u32::from(count > 2) << 13
}

/// One lane of each register.
fn single(lane: Lane, index: i64) -> Option<u32> {
    let index = u32::try_from(index).ok().filter(|&index| index < 128 / lane.bits())?;
    // `Q:S:size` has the number above zeros, or above 1 for 64 bits.
    let scaled = index << lane as u32 | u32::from(lane == Lane::B64);
    let opcode = [0, 2, 4, 4][lane as usize];
    let word = bits!("0 Q 001101 p L R mmmmm oo o S ss nnnnn ttttt") | opcode << 13;
    Some(word | (scaled >> 3) << 30 | (scaled & 7) << 10)
}
