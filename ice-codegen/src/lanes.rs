//! Vectors of constants, and shuffles: the format has no instruction for either. Vectors are put together by
//! insertions of single lanes, and shuffles take the lanes out of other vectors before.
//!
//! An undefined vector is a vector of zeros like any other: the interpreter sees its zeros, so no lane of it may become
//! anything else.
//!
//! A *constant vector* is a chain of insertions of constants into a vector of zeros.
//!
//! A *link* is an insertion of a lane taken out of a vector of the same type; of booleans, which fill their lanes, the lanes
//! may have any width. A *shuffle* is a link and the links
//! below it, each with no other user and in the same block, up to the one that leaves no lane of what is below it;
//! if there is none, the lanes that are left come from what is below the lowest. What it is then depends on the function and its use counts alone, so that each link and each
//! extraction finds out for itself that it needs no code. A target says which shuffles it has a plan for.
//!
//! A vector is *built* where a chain of insertions of single values sets all its lanes, or two and more of one of zeros.
//!
//! Bytes of the result are named by where they come from, 0–15 in the first and 16–31 in the second of at most
//! two vectors.
//!
//! Cost: at most two steps a lane for an insertion of a constant, as a chain that inserts a lane again is none; two
//! walks of at most 32 links for each link and each extraction that only links use, and for one that several shuffles use a
//! search through at most 256 instructions, with such walks for each.

use crate::lower::Lower;
use crate::mach::{MachInst, Sink};
use arrayvec::ArrayVec;
pub use ice_ir::vectors::{
    Origin, are, consecutive, constant_vector, is_zero, lane_bits, uniform_amount, uniform_lane, whole_lanes,
};
use ice_ir::{BinaryOp, CastOp, Function, Inst, InstData, Type, Uses, Value};

/// More links are not followed.
const MAX_LINKS: usize = 32;

/// Most steps from a half to its lanes in another vector: other lanes, one taken out, and put.
const MAX_NAMES: usize = 3;

/// More instructions are not searched for users of a lane.
const MAX_DISTANCE: usize = 256;

/// A chain of links: its vectors, which may be one, and where the bytes come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shuffle {
    /// The vectors.
    pub sources: [Value; 2],
    /// By byte of the result. Of a boolean any byte of its lane is as good.
    pub bytes: [Origin; 16],
    /// Whether the lanes are booleans that come from lanes of twice the width.
    pub narrows_booleans: bool,
    /// Whether the second vector, and it alone, is known to have no bits: any byte of it is as good.
    pub with_zeros: bool,
}

/// What was put into a vector by an insertion that was folded.
pub fn inserted<I: MachInst, S: Sink<I>>(cx: &Lower<'_, I, S>, vector: Value) -> Option<Value> {
    match *cx.func.inst(cx.folded(vector).filter(|_| !cx.is_constant(vector))?) {
        InstData::InsertElement { element, .. } => Some(element),
        _ => None,
    }
}

/// Whether `user` makes what `def`, an insertion, puts into a vector: another insertion on the way to a constant or a shuffle, a
/// shift by the constant, or a shuffle that has the lane everywhere. `duplicated` tells of such a shuffle which of its vectors
/// the lane is of, its bits and its number.
pub fn folds_insertion<I: MachInst, S: Sink<I>>(
    cx: &Lower<'_, I, S>,
    (def, user): (Inst, Inst),
    duplicated: impl Fn(&Shuffle) -> Option<(usize, u32, u8)>,
) -> bool {
    let (func, Some(result)) = (cx.func, cx.func.result(def)) else { return false };
    match *func.inst(user) {
        InstData::InsertElement { .. } => is_inserted_on(func, cx.uses, def, user, |_| true),
        InstData::Binary { op: BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr, args } => {
            args[1] == result && args[0] != result && uniform_amount(func, result).is_some()
        }
        InstData::ExtractElement { .. } => {
            let InstData::InsertElement { index, .. } = *func.inst(def) else { return false };
            let (ty, put) = (func.value_type(result), func.int_value(index));
            let is_put = |shuffle: &Shuffle| {
                duplicated(shuffle).is_some_and(|(n, bits, index)| {
                    shuffle.sources[n] == result && bits == lane_bits(ty) && put == Some(index.into())
                })
            };
            !ty.is_bool_or_bool_vector() && is_lane_of_shuffle(func, cx.uses, user, is_put)
        }
        _ => false,
    }
}

/// The lane that a link puts, and the vector and lane that it is taken from.
fn link(func: &Function, inst: Inst) -> Option<(u32, Value, u32)> {
    let &InstData::InsertElement { vector, element, index } = func.inst(inst) else { return None };
    let ty = func.value_type(vector);
    let lane = |ty: Type, index| func.int_value(index).map(|n| n as u32 & (ty.lanes() - 1));
    let to = lane(ty, index)?;
    let &InstData::ExtractElement { vector: from, index } = func.inst(func.defining_inst(element)?) else {
        return None;
    };
    let of = func.value_type(from);
    let is_boolean = |ty: Type| ty.is_bool_or_bool_vector() && !ty.is_wide();
    (of == ty || is_boolean(of) && is_boolean(ty)).then_some((to, from, lane(of, index)?))
}

/// The elements of the vector that `last` completes, by lane: a chain of at least two insertions, each the only user of the one
/// below, that leaves no lane of what is below it, or stands on zeros, which are `None`. None of them is a link, and no element
/// is a constant. Each is given to `visit`.
pub fn built(
    func: &Function,
    uses: &Uses,
    last: Inst,
    mut visit: impl FnMut(Inst),
) -> Option<ArrayVec<Option<Value>, 16>> {
    let count = func.value_type(func.result(last)?).lanes();
    let (mut lanes, mut missing, mut inst) = ([None; 16], count, last);
    for _ in 0..MAX_LINKS {
        let &InstData::InsertElement { vector, element, index } = func.inst(inst) else { return None };
        if func.is_constant(element) || link(func, inst).is_some() {
            return None;
        }
        visit(inst);
        let lane = lanes.get_mut((func.int_value(index)? as u32 & (count - 1)) as usize)?;
        // The last insertion into a lane counts, and is met first.
        if lane.is_none() {
            *lane = Some(element);
            missing -= 1;
        }
        let is_complete = missing == 0 || missing + 2 <= count && is_zero(func, vector);
        if is_complete {
            return Some(lanes.into_iter().take(count as usize).collect());
        }
        let below = func.defining_inst(vector)?;
        if uses.only_user_in_block(func, below, vector) != Some(inst) {
            return None;
        }
        inst = below;
    }
    None
}

/// Whether `inst`, an insertion, needs no code because a later one completes a vector ([`built`]).
pub fn is_inside_built(func: &Function, uses: &Uses, inst: Inst) -> bool {
    let mut last = inst;
    for _ in 0..MAX_LINKS {
        let Some(result) = func.result(last) else { return false };
        match uses.only_user_in_block(func, last, result) {
            Some(user) if matches!(func.inst(user), InstData::InsertElement { vector, .. } if *vector == result) => {
                last = user
            }
            _ => break,
        }
    }
    let mut is_part = false;
    last != inst && built(func, uses, last, |part| is_part |= part == inst).is_some() && is_part
}

/// The last link of the chain that `inst`, a link, is part of.
fn last_link(func: &Function, uses: &Uses, mut inst: Inst) -> Inst {
    for _ in 0..MAX_LINKS {
        let user = func.result(inst).and_then(|result| uses.only_user_in_block(func, inst, result));
        match user {
            Some(user) if link(func, user).is_some() => inst = user,
            _ => break,
        }
    }
    inst
}

/// The chain that ends with `last`, if it is one; each of its links is given to `visit`.
fn chain(func: &Function, uses: &Uses, last: Inst, mut visit: impl FnMut(Inst)) -> Option<Shuffle> {
    let ty = func.value_type(func.result(last)?);
    let width = 16 / ty.lanes().max(1);
    let mut sources = [None; 2];
    let (mut bytes, mut seen, mut inst) = ([None; 16], 0u32, last);
    let mut take = |to: u32, vector: Value, lane: u32| {
        let of = 16 / func.value_type(vector).lanes().max(1);
        let number = sources.iter().position(|&source| source.is_none_or(|source| source == vector))?;
        sources[number] = Some(vector);
        for byte in 0..width {
            bytes[(to * width + byte) as usize] = Some((number as u32 * 16 + lane * of + byte % of) as u8);
        }
        Some(())
    };
    for _ in 0..MAX_LINKS {
        let &InstData::InsertElement { vector, .. } = func.inst(inst) else { return None };
        let (to, from, lane) = link(func, inst)?;
        visit(inst);
        // The last insertion into a lane counts, and is met first.
        if seen & 1 << to == 0 {
            take(to, from, lane)?;
        }
        seen |= 1 << to;
        if seen.count_ones() == ty.lanes() {
            break;
        }
        match func.defining_inst(vector) {
            Some(below)
                if link(func, below).is_some()
                    && uses.only_user_in_block(func, below, vector) == Some(inst) =>
            {
                inst = below;
            }
            _ => {
                for lane in (0..ty.lanes()).filter(|lane| seen & 1 << lane == 0) {
                    take(lane, vector, lane)?;
                }
                seen = u32::MAX;
                break;
            }
        }
    }
    if seen.count_ones() < ty.lanes() {
        return None;
    }
    let first = sources[0]?;
    let sources = [first, sources[1].unwrap_or(first)];
    let narrows_booleans = sources.iter().all(|&source| 2 * func.value_type(source).lanes() == ty.lanes());
    let mut shuffle = Shuffle { sources, bytes, narrows_booleans, with_zeros: false };
    let zeros = sources.map(|source| is_zero(func, source));
    if zeros[0] != zeros[1] {
        shuffle.with_zeros = true;
        if zeros[0] {
            shuffle.sources.reverse();
            shuffle.bytes.iter_mut().flatten().for_each(|from| *from ^= 16);
        }
    }
    Some(shuffle)
}

/// The vector that the last shuffle makes which has lanes of `inst`: of a lane, or of a vector that is taken apart into such.
pub fn last_shuffle_of(func: &Function, uses: &Uses, mut inst: Inst) -> Option<Value> {
    for _ in 0..MAX_NAMES {
        let user = uses.last_user(func.result(inst)?)?;
        if link(func, user).is_some() {
            return func.result(last_link(func, uses, user));
        }
        match func.inst(user) {
            InstData::ExtractElement { .. } | InstData::Cast { op: CastOp::Bitcast, .. } => inst = user,
            _ => return None,
        }
    }
    None
}

/// The shuffle that ends with `inst`, an insertion.
pub fn shuffle_of(func: &Function, uses: &Uses, inst: Inst) -> Option<Shuffle> {
    let is_last = link(func, inst).is_some() && last_link(func, uses, inst) == inst;
    if is_last { chain(func, uses, inst, |_| {}) } else { None }
}

/// Whether `inst`, an insertion, needs no code: a later one makes the whole shuffle, which `has_plan` accepts.
pub fn is_inside_shuffle(
    func: &Function,
    uses: &Uses,
    inst: Inst,
    has_plan: impl FnOnce(&Shuffle) -> bool,
) -> bool {
    if link(func, inst).is_none() {
        return false;
    }
    let last = last_link(func, uses, inst);
    let mut is_part = false;
    last != inst
        && chain(func, uses, last, |link| is_part |= link == inst).is_some_and(|shuffle| has_plan(&shuffle))
        && is_part
}

/// Whether `def`, an insertion, needs no code because `user`, the only user of its result, inserts another lane: into a
/// constant vector, or as a link of a shuffle that `has_plan` accepts.
pub fn is_inserted_on(
    func: &Function,
    uses: &Uses,
    def: Inst,
    user: Inst,
    has_plan: impl FnOnce(&Shuffle) -> bool,
) -> bool {
    let &InstData::InsertElement { vector, .. } = func.inst(user) else { return false };
    func.result(def) == Some(vector)
        && (func.result(user).is_some_and(|vector| constant_vector(func, vector).is_some())
            || is_inside_shuffle(func, uses, def, has_plan))
}

/// Whether all users of `inst`, an extraction, are links of shuffles, which `has_plan` accepts.
pub fn is_lane_of_shuffle(
    func: &Function,
    uses: &Uses,
    inst: Inst,
    has_plan: impl Fn(&Shuffle) -> bool,
) -> bool {
    let Some(result) = func.result(inst) else { return false };
    let Some(last_user) = uses.last_user(result) else { return false };
    // How often a shuffle uses it that ends with the one that a link is part of.
    let used = |user: Inst| {
        link(func, user)?;
        let mut count = 0;
        let shuffle = chain(func, uses, last_link(func, uses, user), |link| {
            if let InstData::InsertElement { element, .. } = *func.inst(link) {
                count += u32::from(element == result);
            }
        });
        shuffle.filter(|shuffle| has_plan(shuffle)).map(|_| count)
    };
    let Some(count) = used(last_user) else { return false };
    if count == uses.count(result) {
        return true;
    }
    // Several shuffles: all users are in front of the last one.
    let (mut single, mut next) = (0, func.layout.next_inst(inst));
    for _ in 0..MAX_DISTANCE {
        let Some(user) = next else { return false };
        if matches!(*func.inst(user), InstData::InsertElement { element, .. } if element == result) {
            if used(user).is_none() {
                return false;
            }
            single += 1;
        }
        if user == last_user {
            return single == uses.count(result);
        }
        next = func.layout.next_inst(user);
    }
    false
}

/// The vector whose lanes are the lower halves of lanes of twice the width, if the shuffle `value` has zeros in all upper ones.
pub fn below_zeros(func: &Function, uses: &Uses, value: Value) -> Option<Value> {
    let shuffle = shuffle_of(func, uses, func.defining_inst(value)?)?;
    let width = (lane_bits(func.value_type(value)) / 8) as usize;
    let is_clear =
        |n: usize| shuffle.bytes[n].is_none_or(|from| is_zero(func, shuffle.sources[usize::from(from / 16)]));
    let number = shuffle.sources.into_iter().find(|&source| !is_zero(func, source))?;
    (0..16).all(|n: usize| (n / width).is_multiple_of(2) || is_clear(n)).then_some(number)
}

/// Whether both lanes of a vector of two are numbers of 32 bits without sign.
pub fn are_doublewords(func: &Function, uses: &Uses, value: Value) -> bool {
    let is_low = |value| quadwords(func, value).is_some_and(|lanes| lanes.iter().all(|lane| lane >> 32 == 0));
    let Some(inst) = func.defining_inst(value).filter(|_| !is_low(value)) else { return is_low(value) };
    match *func.inst(inst) {
        InstData::Cast { op: CastOp::Bitcast, arg } if func.value_type(arg) == Type::V4I32 => {
            below_zeros(func, uses, arg).is_some()
        }
        InstData::Binary { op: BinaryOp::Lshr, args } => {
            uniform_lane(func, args[1]).is_some_and(|amount| (32..64).contains(&amount))
        }
        InstData::Binary { op: BinaryOp::And, args } => args.into_iter().any(is_low),
        _ => false,
    }
}

/// Whether both lanes of a vector of two are numbers of 32 bits with sign: doublewords beside their own signs.
pub fn are_signed_doublewords(func: &Function, uses: &Uses, value: Value) -> bool {
    if let Some(lanes) = quadwords(func, value) {
        return lanes.iter().all(|&lane| i32::try_from(lane as i64).is_ok());
    }
    let is_signs = |signs: Value, of: Value| {
        let shift = func.defining_inst(signs).map(|inst| func.inst(inst));
        matches!(shift, Some(&InstData::Binary { op: BinaryOp::Ashr, args: [number, amount] })
            if number == of && uniform_lane(func, amount) == Some(31))
    };
    let extended = || {
        let &InstData::Cast { op: CastOp::Bitcast, arg } = func.inst(func.defining_inst(value)?) else {
            return None;
        };
        let shuffle = shuffle_of(func, uses, func.defining_inst(arg)?)?;
        let [a, b] = shuffle.sources;
        let number = [0, 1].into_iter().find(|&n| is_signs([b, a][n], [a, b][n]))?;
        let lanes = whole_lanes::<4, 4>(&shuffle.bytes)?;
        let is_beside = |n: usize| {
            let (low, high) = (lanes[2 * n]?, lanes[2 * n + 1]?);
            Some(usize::from(low / 4) == number && high == low ^ 4)
        };
        Some(func.value_type(arg) == Type::V4I32 && is_beside(0)? && is_beside(1)?)
    };
    extended().unwrap_or(false)
}

/// The lanes of a vector of two that is a constant.
fn quadwords(func: &Function, value: Value) -> Option<[u64; 2]> {
    constant_vector(func, value).map(|bits| [bits as u64, (bits >> 64) as u64])
}

/// The vector, the bytes of its parts, which are 8, 4, 2 or all 16, and the lanes, of those given with their bytes, that come
/// in reverse within each part.
pub fn reversed<L: Copy>(bytes: &[Origin; 16], lanes: &[(L, u8)]) -> Option<(usize, u8, L)> {
    let choices = [8, 4, 2, 16].into_iter().flat_map(|part| lanes.iter().map(move |&lane| (part, lane)));
    choices.filter(|(part, (_, size))| size < part).find_map(|(part, (lane, size))| {
        let wanted = |n: u8| n / part * part + (part - size - n % part / size * size) + n % size;
        let source = [0, 1].into_iter().find(|source| are(bytes, |n| 16 * source + wanted(n)))?;
        Some((source.into(), part, lane))
    })
}
