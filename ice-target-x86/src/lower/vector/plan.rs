//! Plans: the one to ten instructions that bring bytes of two vectors to their places.
//!
//! The plan is the first that fits: the vector itself, `pshufd`, an unpack (both vectors or
//! one), `shufps` once or twice, `pshuflw` and `pshufhw`, the same lane everywhere, 16 bytes in a row of two vectors, every
//! second lane, lanes in their places, the bytes of words swapped, eight bytes as words, every second lane of what is every
//! second lane of one or two vectors, and two plans whose results are unpacked. Four lanes always have one of two steps; eight and sixteen may have
//! none, and are put together lane by lane. Where one of the vectors has no bits, the bytes of the other may also be brought to
//! their places with whatever comes between, which is cleared.
//!
//! All this is SSE2. Processors with SSSE3 have 16 bytes in a row by one instruction, and by another the bytes of one vector at
//! any places, with zeros between: what SSE2 does in more than two steps for one vector, or four for two, goes by such tables.

use super::pattern::{EVERY_SECOND, ROWS, UNPACKS, Wanted};
use arrayvec::ArrayVec;
use ice_asm::x86::SseOp;
use ice_codegen::lanes::{Origin, Shuffle, are, whole_lanes};

/// A register of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reg {
    /// One of the two vectors.
    Source(u8),
    /// What the step before made.
    Last,
    /// What the step with this number made.
    Step(u8),
}

/// One instruction of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// A copy.
    Copy(Reg),
    /// A shuffle within one register by an immediate.
    One(SseOp, Reg, u8),
    /// An unpack or another operation on two registers, which replaces the first.
    Unpack(SseOp, Reg, Reg),
    /// A shift of a register, which is replaced.
    Shift(SseOp, Reg, u8),
    /// The bytes of a register, which is replaced, that have a bit here; zeros for the others.
    Keep(Reg, u16),
    /// An operation on two registers by an immediate, which replaces the first.
    Two(SseOp, Reg, Reg, u8),
    /// The bytes that the shuffle takes from this vector at their places, and zeros for the others.
    Table(u8),
}

impl Step {
    /// The same step behind so many, of which the last makes its sources.
    fn after(self, start: u8) -> Step {
        self.with(|reg| match reg {
            Reg::Source(_) => Reg::Step(start - 1),
            Reg::Last => Reg::Last,
            Reg::Step(n) => Reg::Step(n + start),
        })
    }

    /// The same step behind so many that have nothing to do with it.
    fn moved(self, start: u8) -> Step {
        self.with(|reg| match reg {
            Reg::Step(n) => Reg::Step(n + start),
            reg => reg,
        })
    }

    /// Whether it reads the vector with this number.
    pub(super) fn reads(self, source: u8) -> bool {
        let mut does = self == Step::Table(source);
        self.with(|reg| {
            does |= reg == Reg::Source(source);
            reg
        });
        does
    }

    fn with(self, mut reg: impl FnMut(Reg) -> Reg) -> Step {
        match self {
            Step::Copy(src) => Step::Copy(reg(src)),
            Step::One(op, src, imm) => Step::One(op, reg(src), imm),
            Step::Unpack(op, left, right) => Step::Unpack(op, reg(left), reg(right)),
            Step::Shift(op, src, amount) => Step::Shift(op, reg(src), amount),
            Step::Keep(src, kept) => Step::Keep(reg(src), kept),
            Step::Two(op, left, right, imm) => Step::Two(op, reg(left), reg(right), imm),
            Step::Table(_) => self,
        }
    }
}

/// Most instructions of a plan.
pub(super) const MAX_STEPS: usize = 10;

/// How often a shuffle is made of others before these have plans.
const MAX_SPLITS: u32 = 1;

pub(super) type Plan = ArrayVec<Step, MAX_STEPS>;

/// What a plan may count on.
#[derive(Clone, Copy, Default)]
struct Facts {
    /// The lanes are booleans that come from lanes of twice the width.
    narrows_booleans: bool,
    /// The second vector has no bits.
    with_zeros: bool,
    /// The processor has SSSE3.
    permutes_bytes: bool,
    /// How often the shuffle may be made of others.
    splits: u32,
}

impl Facts {
    /// Of a shuffle that another is made of.
    fn inside(self) -> Option<Facts> {
        Some(Facts { narrows_booleans: false, splits: self.splits.checked_sub(1)?, ..self })
    }
}

/// Whether there is a plan for a shuffle, of a function for processors with SSSE3 or not.
pub(super) fn has_plan(shuffle: &Shuffle, permutes_bytes: bool) -> bool {
    permutes_bytes || plan(shuffle, permutes_bytes).is_some()
}

/// The instructions that make a shuffle, of a function for processors with SSSE3 or not.
pub(super) fn plan(shuffle: &Shuffle, permutes_bytes: bool) -> Option<Plan> {
    let &Shuffle { sources: _, mut bytes, narrows_booleans, with_zeros } = shuffle;
    let facts = Facts { narrows_booleans, with_zeros, permutes_bytes, splits: MAX_SPLITS };
    let is_cleared = |from: Origin| with_zeros && from.is_some_and(|from| from >= 16);
    for (n, from) in (0..).zip(&mut bytes).filter(|(_, from)| is_cleared(**from)) {
        *from = Some(16 + n);
    }
    let mut best = plan_of(&bytes, facts);
    let is_long = |best: &Option<Plan>, most| best.as_ref().is_none_or(|plan| plan.len() > most);
    if with_zeros && is_long(&best, 2) {
        let cleared = (0..16).fold(0, |all, n| all | u16::from(is_cleared(bytes[n])) << n);
        let rest = plan_of(&bytes.map(|from| from.filter(|&from| from < 16)), facts);
        let plan = rest.and_then(|mut plan| {
            plan.try_push(Step::Keep(Reg::Last, !cleared)).ok()?;
            Some(plan)
        });
        best = [best, plan].into_iter().flatten().min_by_key(|plan| plan.len());
    }
    if !permutes_bytes {
        return best;
    }
    let is_source =
        |&n: &u8| bytes.iter().any(|&from| !is_cleared(from) && from.is_some_and(|from| from / 16 == n));
    let mut tables: Plan = [0, 1].into_iter().filter(is_source).map(Step::Table).collect();
    if tables.is_empty() || !is_long(&best, 2 * tables.len()) {
        return best;
    }
    if tables.len() == 2 {
        tables.push(Step::Unpack(SseOp::Por, Reg::Step(0), Reg::Step(1)));
    }
    Some(tables)
}

/// The instructions that bring the bytes to their places. Bytes of a vector without bits are named as if they stayed there.
fn plan_of(bytes: &[Origin; 16], facts: Facts) -> Option<Plan> {
    let one = |step| Some(Plan::from_iter([step]));
    let both = bytes.iter().any(|from| from.is_some_and(|from| from >= 16));
    if !both && are(bytes, |n| n) {
        return one(Step::Copy(Reg::Source(0)));
    }
    let doublewords = whole_lanes::<4, 4>(bytes);
    if let (false, Some(lanes)) = (both, doublewords) {
        return one(Step::One(SseOp::Pshufd, Reg::Source(0), order(lanes, |n| n)));
    }
    let wanted = Wanted::new(bytes, facts.with_zeros);
    if let Some(step) = unpack(wanted) {
        return one(step);
    }
    let kept = || if facts.with_zeros { in_place(bytes, true) } else { None };
    let in_a_row = in_a_row(wanted, facts).or_else(kept);
    if in_a_row.as_ref().is_some_and(|plan| plan.len() == 1) {
        return in_a_row;
    }
    if let Some(lanes) = doublewords {
        return Some(two_sources(lanes));
    }
    let alone = |plan: fn(&[Origin; 16]) -> Option<Plan>| if both { None } else { plan(bytes) };
    alone(words_or_byte)
        .or(in_a_row)
        .or_else(|| every_second(wanted, facts.narrows_booleans))
        .or_else(|| in_place(bytes, false))
        .or_else(|| alone(swapped_bytes))
        .or_else(|| alone(bytes_as_words))
        .or_else(|| of_every_second(bytes, facts.inside()?))
        .or_else(|| split(bytes, facts.inside()?))
}

/// The immediate for four lanes; what does not matter stays in its place.
fn order(lanes: [Origin; 4], number: impl Fn(u8) -> u8) -> u8 {
    super::shuffle(core::array::from_fn(|n| lanes[n].map_or(n as u8, &number)))
}

fn unpack(wanted: Wanted) -> Option<Step> {
    UNPACKS.iter().find_map(|(op, pattern)| {
        let [left, right] = pattern.pair(wanted)?.map(Reg::Source);
        Some(Step::Unpack(*op, left, right))
    })
}

/// Four lanes, 0–3 of the first and 4–7 of the second vector. What does not matter is what its neighbour is.
fn two_sources(lanes: [Origin; 4]) -> Plan {
    let filled = |n: usize| lanes[n].or(lanes[n ^ 1]).unwrap_or(n as u8);
    let lanes: [u8; 4] = core::array::from_fn(filled);
    let source = |lane: u8| Reg::Source(lane / 4);
    let is_half = |half: [u8; 2]| source(half[0]) == source(half[1]);
    let [low, high] = [[lanes[0], lanes[1]], [lanes[2], lanes[3]]];
    if is_half(low) && is_half(high) {
        return Plan::from_iter([Step::Two(
            SseOp::Shufps,
            source(low[0]),
            source(high[0]),
            super::shuffle(lanes),
        )]);
    }
    // The distinct lanes of each vector.
    let distinct = [0, 1].map(|vector| {
        let mut distinct = ArrayVec::<u8, 4>::new();
        for lane in lanes.into_iter().filter(|lane| lane / 4 == vector) {
            if !distinct.contains(&lane) {
                distinct.push(lane);
            }
        }
        distinct
    });
    let [a, b] = &distinct;
    if let (&[a0, ref a1 @ ..], &[b0, ref b1 @ ..]) = (a.as_slice(), b.as_slice())
        && a1.len() < 2
        && b1.len() < 2
    {
        // At most two of each: together in one register, then in order.
        let together = [a0, *a1.first().unwrap_or(&a0), b0, *b1.first().unwrap_or(&b0)];
        let place = |lane| together.iter().position(|&other| other == lane).unwrap_or(0) as u8;
        return Plan::from_iter([
            Step::Two(SseOp::Shufps, Reg::Source(0), Reg::Source(1), super::shuffle(together)),
            Step::One(SseOp::Pshufd, Reg::Last, super::shuffle(lanes.map(place))),
        ]);
    }
    // Three of one vector and one of the other, which comes to stand beside its neighbour first.
    let is_low = !is_half(low);
    let (mixed, rest) = if is_low { (low, high) } else { (high, low) };
    let alone = usize::from(source(mixed[0]) == source(rest[0]));
    let (one, neighbour) = (mixed[alone], mixed[1 - alone]);
    let beside = Step::Two(
        SseOp::Shufps,
        source(one),
        source(neighbour),
        super::shuffle([one, one, neighbour, neighbour]),
    );
    let mixed = if alone == 0 { [0, 2] } else { [2, 0] };
    let last = if is_low {
        Step::Two(
            SseOp::Shufps,
            Reg::Last,
            source(neighbour),
            super::shuffle([mixed[0], mixed[1], rest[0], rest[1]]),
        )
    } else {
        Step::Two(
            SseOp::Shufps,
            source(neighbour),
            Reg::Last,
            super::shuffle([rest[0], rest[1], mixed[0], mixed[1]]),
        )
    };
    Plan::from_iter([beside, last])
}

/// Eight words of one vector, or one byte of it everywhere.
fn words_or_byte(bytes: &[Origin; 16]) -> Option<Plan> {
    match whole_lanes::<2, 8>(bytes) {
        Some(lanes) => words(lanes, Reg::Source(0)),
        None => same_byte(bytes),
    }
}

/// Eight words of one vector: one everywhere, or each half from one half.
fn words(lanes: [Origin; 8], mut from: Reg) -> Option<Plan> {
    let first = *lanes.iter().flatten().next()?;
    if are(&lanes, |_| first) {
        return Some(Plan::from_iter(same_word(from, first)));
    }
    let halves: [[Origin; 4]; 2] = [0, 4].map(|start| core::array::from_fn(|n| lanes[start + n]));
    let mut sources = [0, 1];
    for (source, half) in sources.iter_mut().zip(&halves) {
        if let Some(first) = half.iter().flatten().next() {
            *source = first / 4;
            if half.iter().flatten().any(|lane| lane / 4 != *source) {
                return None;
            }
        }
    }
    let halves = halves.map(|half| half.map(|lane| lane.map(|lane| lane % 4)));
    let mut plan = Plan::new();
    let is_one_half = sources[0] == sources[1]
        && (0..4).all(|n| halves[0][n].is_none_or(|lane| halves[1][n].is_none_or(|other| lane == other)));
    if is_one_half {
        // Both are the same words of one half, which come to their places there.
        let both = core::array::from_fn(|n| halves[0][n].or(halves[1][n]));
        let (op, start) = if sources[0] == 0 { (SseOp::Pshuflw, 0) } else { (SseOp::Pshufhw, 2) };
        plan.push(Step::One(op, from, order(both, |n| n)));
        plan.push(Step::One(SseOp::Pshufd, Reg::Last, super::shuffle([start, start + 1, start, start + 1])));
        return Some(plan);
    }
    if sources != [0, 1] {
        let [low, high] = sources.map(|source| 2 * source);
        plan.push(Step::One(SseOp::Pshufd, from, super::shuffle([low, low + 1, high, high + 1])));
        from = Reg::Last;
    }
    for (op, half) in [SseOp::Pshuflw, SseOp::Pshufhw].into_iter().zip(halves) {
        if !are(&half, |n| n) {
            plan.push(Step::One(op, from, order(half, |n| n)));
            from = Reg::Last;
        }
    }
    Some(plan)
}

/// Bytes of one half of a vector, in both halves the same: as words whose bytes are both that.
fn bytes_as_words(bytes: &[Origin; 16]) -> Option<Plan> {
    let first = *bytes.iter().flatten().next()?;
    let (op, start) = if first < 8 { (SseOp::Punpcklbw, 0) } else { (SseOp::Punpckhbw, 8) };
    let mut lanes = [None; 8];
    for (n, from) in (0..).zip(bytes) {
        let Some(from) = *from else { continue };
        let (lane, place) = (from.checked_sub(start).filter(|&lane| lane < 8)?, &mut lanes[n % 8]);
        if place.is_some_and(|other| other != lane) {
            return None;
        }
        *place = Some(lane);
    }
    let mut plan = Plan::from_iter([Step::Unpack(op, Reg::Source(0), Reg::Source(0))]);
    plan.extend(words(lanes, Reg::Last)?);
    plan.push(Step::Shift(SseOp::Psrlw, Reg::Last, 8));
    plan.push(Step::Unpack(SseOp::Packuswb, Reg::Last, Reg::Last));
    Some(plan)
}

/// One word everywhere: four times in its half, then that half everywhere.
fn same_word(from: Reg, word: u8) -> [Step; 2] {
    let op = if word < 4 { SseOp::Pshuflw } else { SseOp::Pshufhw };
    let half = if word < 4 { 0 } else { 2 };
    [
        Step::One(op, from, super::shuffle([word & 3; 4])),
        Step::One(SseOp::Pshufd, Reg::Last, super::shuffle([half; 4])),
    ]
}

/// One byte of one vector everywhere: first it is made a word.
fn same_byte(bytes: &[Origin; 16]) -> Option<Plan> {
    let &byte = bytes.iter().flatten().next()?;
    if !bytes.iter().flatten().all(|&n| n == byte) {
        return None;
    }
    let op = if byte < 8 { SseOp::Punpcklbw } else { SseOp::Punpckhbw };
    let twice = Step::Unpack(op, Reg::Source(0), Reg::Source(0));
    let [first, second] = same_word(Reg::Last, byte % 8);
    Some(Plan::from_iter([twice, first, second]))
}

/// 16 bytes in a row of two vectors.
fn in_a_row(wanted: Wanted, facts: Facts) -> Option<Plan> {
    let rows = (0..).zip(&ROWS).skip(1);
    let (start, pair) = rows.into_iter().find_map(|(start, row)| Some((start, row.pair(wanted)?)))?;
    let [left, right] = pair.map(Reg::Source);
    let steps = [Step::Shift(SseOp::Psrldq, left, start), Step::Shift(SseOp::Pslldq, right, 16 - start)];
    Some(match pair {
        [0, 1] if facts.with_zeros => Plan::from_iter([steps[0]]),
        [1, 0] if facts.with_zeros => Plan::from_iter([steps[1]]),
        _ if facts.permutes_bytes => Plan::from_iter([Step::Two(SseOp::Palignr, right, left, start)]),
        _ => steps.into_iter().chain([Step::Unpack(SseOp::Por, Reg::Step(0), Reg::Step(1))]).collect(),
    })
}

/// Every second byte or word of two vectors, from the first or from the second one on: the lower or the upper halves of lanes
/// of twice the width, which are packed. Lanes that are 0 or -1 are packed as they are.
fn every_second(wanted: Wanted, are_booleans: bool) -> Option<Plan> {
    let (size, odd, pair) =
        EVERY_SECOND.iter().find_map(|&(size, odd, every)| Some((size, odd, every.pair(wanted)?)))?;
    let signed = if size == 1 { SseOp::Packsswb } else { SseOp::Packssdw };
    if are_booleans {
        let [left, right] = pair.map(Reg::Source);
        return (odd == 0).then(|| Plan::from_iter([Step::Unpack(signed, left, right)]));
    }
    let mut plan = Plan::new();
    // Each vector once, also where both are one.
    let packed = [0, 1].map(|n| {
        if n == 1 && pair[0] == pair[1] {
            return plan.len() - 1;
        }
        let source = Reg::Source(pair[n]);
        match (size, odd) {
            (1, 0) => plan.push(Step::Keep(source, 0x5555)),
            (1, _) => plan.push(Step::Shift(SseOp::Psrlw, source, 8)),
            // With its sign above it, a word stays what it is.
            (_, 0) => {
                plan.push(Step::Shift(SseOp::Pslld, source, 16));
                plan.push(Step::Shift(SseOp::Psrad, Reg::Last, 16));
            }
            _ => plan.push(Step::Shift(SseOp::Psrad, source, 16)),
        }
        plan.len() - 1
    });
    let [left, right] = packed.map(|step| Reg::Step(step as u8));
    plan.push(Step::Unpack(if size == 1 { SseOp::Packuswb } else { signed }, left, right));
    Some(plan)
}

/// Every second byte or word of a vector in both halves, or of one vector in the lower and of the other in the upper half, and
/// another plan of these.
fn of_every_second(bytes: &[Origin; 16], facts: Facts) -> Option<Plan> {
    let first = *bytes.iter().flatten().next()?;
    let is_other = |from: u8| u8::from(from / 16 != first / 16);
    let both = bytes.iter().flatten().any(|&from| is_other(from) != 0);
    [1, 2].into_iter().find_map(|size| {
        let odd = first / size % 2;
        let is_left = |&from: &u8| from / size % 2 == odd;
        if !bytes.iter().flatten().all(is_left) {
            return None;
        }
        let half = |n: u8| n / size % (8 / size) * 2 * size + odd * size + n % size;
        let source = |n: u8| if both { (first / 16) ^ (n / 8) } else { first / 16 };
        let halves = core::array::from_fn(|n| Some(16 * source(n as u8) + half(n as u8)));
        let mut whole = every_second(Wanted::new(&halves, false), false)?;
        let start = whole.len() as u8;
        // Of one vector both halves have what is wanted.
        let choices = if both { 2..3 } else { 0..2 };
        let rests = choices.map(|choice| {
            let half = |n: usize, from| [0, n as u8 / 4 % 2, is_other(from)][choice];
            let lane = |n, from: u8| half(n, from) * 8 + from % 16 / (2 * size) * size + from % size;
            plan_of(&core::array::from_fn(|n| bytes[n].map(|from| lane(n, from))), facts)
        });
        let rest = rests.flatten().min_by_key(|rest| rest.len())?;
        rest.into_iter().try_for_each(|step| whole.try_push(step.after(start))).ok()?;
        Some(whole)
    })
}

/// Two plans, for the bytes in the lower and the upper half or for every second lane, and an unpack of what they make.
fn split(bytes: &[Origin; 16], facts: Facts) -> Option<Plan> {
    let ways = [(SseOp::Punpcklbw, 1), (SseOp::Punpcklwd, 2), (SseOp::Punpckldq, 4), (SseOp::Punpcklqdq, 8)];
    let plans = ways.into_iter().filter_map(|(op, size)| {
        let mut whole = Plan::new();
        let made = [0, 1].map(|which| {
            let own = |n: usize| (2 * (n / size) + which) * size + n % size;
            let part = core::array::from_fn(|n| if n < 8 { bytes[own(n)] } else { None });
            let plan = half(&part, facts)?;
            if let [Step::Copy(reg)] = plan[..] {
                return Some(reg);
            }
            let start = whole.len() as u8;
            plan.into_iter().try_for_each(|step| whole.try_push(step.moved(start))).ok()?;
            Some(Reg::Step(whole.len() as u8 - 1))
        });
        let [Some(low), Some(high)] = made else { return None };
        whole.try_push(Step::Unpack(op, low, high)).ok()?;
        Some(whole)
    });
    plans.min_by_key(|plan| plan.len())
}

/// A plan for the lower half of a vector, or for the upper one, which is brought down.
fn half(bytes: &[Origin; 16], facts: Facts) -> Option<Plan> {
    let raised = core::array::from_fn(|n| if n < 8 { None } else { bytes[n - 8] });
    let low = plan_of(bytes, facts);
    let high = plan_of(&raised, facts).and_then(|mut plan| {
        plan.try_push(Step::One(SseOp::Pshufd, Reg::Last, super::shuffle([2, 3, 2, 3]))).ok()?;
        Some(plan)
    });
    [low, high].into_iter().flatten().min_by_key(|plan| plan.len())
}

/// Each byte from its place in one of the vectors.
fn in_place(bytes: &[Origin; 16], with_zeros: bool) -> Option<Plan> {
    if !(0..).zip(bytes).all(|(n, from)| from.is_none_or(|from| from % 16 == n)) {
        return None;
    }
    let second =
        (0..).zip(bytes).fold(0, |all, (n, from)| all | u16::from(from.is_some_and(|n| n >= 16)) << n);
    let mut plan = Plan::from_iter([Step::Keep(Reg::Source(0), !second)]);
    if !with_zeros {
        plan.push(Step::Keep(Reg::Source(1), second));
        plan.push(Step::Unpack(SseOp::Por, Reg::Step(0), Reg::Step(1)));
    }
    Some(plan)
}

/// Words of one vector whose bytes are swapped.
fn swapped_bytes(bytes: &[Origin; 16]) -> Option<Plan> {
    let unswapped = bytes.map(|from| from.map(|byte| byte ^ 1));
    let lanes = whole_lanes::<2, 8>(&unswapped)?;
    let mut plan = Plan::from_iter([
        Step::Shift(SseOp::Psrlw, Reg::Source(0), 8),
        Step::Shift(SseOp::Psllw, Reg::Source(0), 8),
        Step::Unpack(SseOp::Por, Reg::Step(0), Reg::Step(1)),
    ]);
    plan.extend(words(lanes, Reg::Last)?);
    Some(plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ice_ir::Value;

    /// What a plan makes of two vectors whose bytes are one more than their names in [`Origin`].
    fn run(plan: &Plan, bytes: &[Origin; 16], with_zeros: bool) -> [u8; 16] {
        let mut sources: [[u8; 16]; 2] = [1, 17].map(|start| core::array::from_fn(|n| n as u8 + start));
        if with_zeros {
            sources[1] = [0; 16];
        }
        let mut made = alloc::vec::Vec::<[u8; 16]>::new();
        for &step in plan {
            let reg = |reg| match reg {
                Reg::Source(n) => sources[usize::from(n)],
                Reg::Last => made[made.len() - 1],
                Reg::Step(n) => made[usize::from(n)],
            };
            let words = |of: [u8; 16]| -> [u16; 8] {
                core::array::from_fn(|n| u16::from_le_bytes([of[2 * n], of[2 * n + 1]]))
            };
            let bytes_of =
                |words: [u16; 8]| -> [u8; 16] { core::array::from_fn(|n| words[n / 2].to_le_bytes()[n % 2]) };
            let doublewords = |of: [u8; 16], f: &dyn Fn(u32) -> u32| -> [u8; 16] {
                core::array::from_fn(|n| {
                    let word = core::array::from_fn(|k| of[n / 4 * 4 + k]);
                    f(u32::from_le_bytes(word)).to_le_bytes()[n % 4]
                })
            };
            let pick = |imm: u8, n: usize| usize::from(imm >> (2 * n) & 3);
            let result = match step {
                Step::Copy(src) => reg(src),
                Step::One(op, src, imm) => core::array::from_fn(|n| {
                    let n = match op {
                        SseOp::Pshufd => pick(imm, n / 4) * 4 + n % 4,
                        SseOp::Pshuflw if n < 8 => pick(imm, n / 2) * 2 + n % 2,
                        SseOp::Pshufhw if n >= 8 => 8 + pick(imm, n / 2 - 4) * 2 + n % 2,
                        _ => n,
                    };
                    reg(src)[n]
                }),
                Step::Unpack(SseOp::Por, left, right) => {
                    core::array::from_fn(|n| reg(left)[n] | reg(right)[n])
                }
                Step::Unpack(SseOp::Packuswb, left, right) => core::array::from_fn(|n| {
                    words(reg(if n < 8 { left } else { right }))[n % 8].min(0xff) as u8
                }),
                Step::Unpack(SseOp::Packssdw, left, right) => bytes_of(core::array::from_fn(|n| {
                    let of = reg(if n < 4 { left } else { right });
                    let at = n % 4 * 4;
                    let word = i32::from_le_bytes([of[at], of[at + 1], of[at + 2], of[at + 3]]);
                    word.clamp(-0x8000, 0x7fff) as u16
                })),
                Step::Keep(src, kept) => {
                    core::array::from_fn(|n| if kept >> n & 1 != 0 { reg(src)[n] } else { 0 })
                }
                Step::Shift(op, src, by) => match op {
                    SseOp::Psrldq => (u128::from_le_bytes(reg(src)) >> (8 * by)).to_le_bytes(),
                    SseOp::Pslldq => (u128::from_le_bytes(reg(src)) << (8 * by)).to_le_bytes(),
                    SseOp::Psrlw => bytes_of(words(reg(src)).map(|word| word >> by)),
                    SseOp::Psllw => bytes_of(words(reg(src)).map(|word| word << by)),
                    SseOp::Pslld => doublewords(reg(src), &|word| word << by),
                    SseOp::Psrad => doublewords(reg(src), &|word| (word as i32 >> by) as u32),
                    _ => panic!("{op:?} is no shift of a plan"),
                },
                Step::Unpack(op, left, right) => {
                    let (size, start) = match op {
                        SseOp::Punpcklbw => (1, 0),
                        SseOp::Punpckhbw => (1, 8),
                        SseOp::Punpcklwd => (2, 0),
                        SseOp::Punpckhwd => (2, 8),
                        SseOp::Punpckldq => (4, 0),
                        SseOp::Punpckhdq => (4, 8),
                        SseOp::Punpcklqdq => (8, 0),
                        _ => (8, 8),
                    };
                    core::array::from_fn(|n| {
                        let from = if n / size % 2 == 0 { left } else { right };
                        reg(from)[start + n / size / 2 * size + n % size]
                    })
                }
                Step::Table(source) => bytes.map(|from| {
                    from.filter(|from| from / 16 == source)
                        .map_or(0, |from| sources[usize::from(source)][usize::from(from % 16)])
                }),
                Step::Two(SseOp::Palignr, high, low, by) => core::array::from_fn(|n| {
                    let all = [reg(low), reg(high)].concat();
                    all[n + usize::from(by)]
                }),
                Step::Two(_, left, right, imm) => core::array::from_fn(|n| {
                    reg(if n < 8 { left } else { right })[pick(imm, n / 4) * 4 + n % 4]
                }),
            };
            made.push(result);
        }
        made[made.len() - 1]
    }

    fn check(bytes: &[Origin; 16], steps: usize) {
        check_with(bytes, [false; 2], steps);
    }

    fn check_with(bytes: &[Origin; 16], [with_zeros, permutes_bytes]: [bool; 2], steps: usize) {
        let sources = [0, 1].map(Value::from_u32);
        let shuffle = Shuffle { sources, bytes: *bytes, narrows_booleans: false, with_zeros };
        let plan = plan(&shuffle, permutes_bytes).unwrap_or_else(|| panic!("no plan for {bytes:?}"));
        let got = run(&plan, bytes, with_zeros);
        let wanted = |from: u8| if with_zeros && from >= 16 { 0 } else { from + 1 };
        let is_right = bytes.iter().zip(got).all(|(from, got)| from.is_none_or(|from| wanted(from) == got));
        assert!(is_right && (1..=steps).contains(&plan.len()), "{bytes:?}: {plan:?} gives {got:?}");
    }

    fn bytes(lanes: &[Origin]) -> [Origin; 16] {
        let size = 16 / lanes.len();
        core::array::from_fn(|n| lanes[n / size].map(|lane| lane * size as u8 + (n % size) as u8))
    }

    #[test]
    fn four_lanes_of_two_vectors_take_at_most_two_steps() {
        let lane = |n: u32| (n < 8).then_some(n as u8);
        for n in 0..9u32.pow(4) {
            let lanes: [Origin; 4] = core::array::from_fn(|i| lane(n / 9u32.pow(i as u32) % 9));
            check(&bytes(&lanes), 2);
        }
    }

    #[test]
    fn two_lanes_take_one_step() {
        for n in 0..16 {
            check(&bytes(&[Some(n % 4), Some(n / 4)]), 1);
        }
    }

    #[test]
    fn one_lane_everywhere_and_lanes_by_turns() {
        for n in 0..8 {
            check(&bytes(&[Some(n); 8]), 2);
        }
        for n in 0..16 {
            check(&[Some(n); 16], 3);
        }
        for (count, start) in [(8, 0), (8, 4), (16, 0), (16, 8)] {
            let lanes: alloc::vec::Vec<Origin> =
                (0..count).map(|n| Some(n % 2 * count + start + n / 2)).collect();
            check(&bytes(&lanes), 1);
        }
    }

    #[test]
    fn words_stay_in_their_halves() {
        for n in 0..256u32 {
            let low = |i: u32| Some((n >> (2 * i) & 3) as u8);
            let lanes: [Origin; 8] =
                core::array::from_fn(
                    |i| if i < 4 { low(i as u32) } else { low(7 - i as u32).map(|n| n + 4) },
                );
            check(&bytes(&lanes), 2);
        }
    }

    #[test]
    fn bytes_in_a_row_every_second_lane_and_lanes_in_place() {
        for [left, right] in [[0, 1], [1, 0], [0, 0], [1, 1]] {
            for start in 1..16 {
                let row = |n: u8| if n < 16 { left * 16 + n } else { right * 16 + n - 16 };
                check(&core::array::from_fn(|n| Some(row(n as u8 + start))), 3);
            }
            for odd in 0..2 {
                let lane = |n: u8, count: u8| {
                    Some(if n < count / 2 { left } else { right } * count + 2 * (n % (count / 2)) + odd)
                };
                check(&core::array::from_fn(|n| lane(n as u8, 16)), 3);
                check(&bytes(&core::array::from_fn::<_, 8, _>(|n| lane(n as u8, 8))), 5);
            }
        }
        for second in 0..=u16::MAX {
            let from = |n: usize| n as u8 + if second >> n & 1 != 0 { 16 } else { 0 };
            check(&core::array::from_fn(|n| Some(from(n))), 3);
        }
    }

    #[test]
    fn booleans_of_wider_lanes_are_packed() {
        let plan = |size: u8, pair: [u8; 2]| {
            let bytes = core::array::from_fn(|n| {
                let (lane, byte, count) = (n as u8 / size, n as u8 % size, 8 / size);
                let source = pair[usize::from(lane >= count)];
                Some(source * 16 + lane % count * 2 * size + byte)
            });
            plan_of(&bytes, Facts { narrows_booleans: true, ..Facts::default() })
        };
        let packed = |op, [left, right]: [u8; 2]| {
            Some(Plan::from_iter([Step::Unpack(op, Reg::Source(left), Reg::Source(right))]))
        };
        for pair in [[0, 1], [1, 0], [0, 0], [1, 1]] {
            assert_eq!(plan(1, pair), packed(SseOp::Packsswb, pair));
            assert_eq!(plan(2, pair), packed(SseOp::Packssdw, pair));
        }
    }

    #[test]
    fn every_fourth_byte_is_every_second_of_every_second() {
        for start in 0..4 {
            check(&core::array::from_fn(|n| Some(n as u8 % 4 * 4 + start)), 4);
        }
    }

    #[test]
    fn bytes_and_words_in_the_opposite_order() {
        check(&core::array::from_fn(|n| Some(15 - n as u8)), 6);
        check(&core::array::from_fn(|n| Some(n as u8 ^ 1)), 3);
        check(&bytes(&core::array::from_fn::<_, 8, _>(|n| Some(7 - n as u8))), 3);
        check(&bytes(&core::array::from_fn::<_, 8, _>(|n| Some(n as u8 ^ 5))), 3);
    }

    #[test]
    fn bytes_of_one_half_change_places_as_words() {
        for start in [0, 8] {
            for n in 0..256u32 {
                let lane = |i: usize| start + (n >> (2 * (i % 4)) & 3) as u8;
                check(&core::array::from_fn(|i| Some(lane(i))), 5);
                check(&core::array::from_fn(|i| (i < 4).then(|| lane(i))), 5);
                let upper = |i: usize| lane(i) + if i % 8 < 4 { 0 } else { 4 };
                check(&core::array::from_fn(|i| Some(upper(i))), 6);
            }
        }
        // Words of one half, differently in both.
        check(&bytes(&[2, 1, 0, 3, 0, 0, 1, 2].map(Some)), 3);
        check(&bytes(&[7, 4, 4, 5, 4, 6, 7, 7].map(Some)), 3);
    }

    #[test]
    fn four_bytes_by_turns_are_unpacked_twice() {
        // Of four vectors that are the halves of two, and of two that are.
        let turns = |n: usize| Some((n % 4 / 2 * 16 + n % 2 * 4 + n / 4) as u8);
        check(&core::array::from_fn(turns), 4);
        check(&core::array::from_fn(|n| Some((n % 2 * 8 + n / 2) as u8)), 2);
        check(&bytes(&core::array::from_fn::<_, 8, _>(|n| Some((n % 2 * 4 + n / 2) as u8))), 2);
    }

    #[test]
    fn what_has_no_plan_is_put_together_by_lanes() {
        let facts = Facts::default();
        assert!(plan_of(&bytes(&[0, 9, 3, 1, 12, 4, 7, 7].map(Some)), facts).is_none());
        assert!(plan_of(&[5, 1, 7, 3, 4, 9, 2, 6, 8, 8, 10, 31, 0, 0, 1, 15].map(Some), facts).is_none());
    }

    #[test]
    fn zeros_between_bytes_of_one_vector_take_one_step_where_there_is_one() {
        // Bytes extended, with any byte of the zeros; bytes in a row; bytes that stay.
        for start in [0, 8] {
            for zero in [16, 23, 31] {
                let extended =
                    core::array::from_fn(|n| Some(if n % 2 == 0 { start + n as u8 / 2 } else { zero }));
                check_with(&extended, [true, false], 1);
            }
        }
        for by in 1..16 {
            check_with(
                &core::array::from_fn(|n| Some(if n < by { 16 } else { (n - by) as u8 })),
                [true, false],
                1,
            );
            check_with(&core::array::from_fn(|n| Some((n + by).min(16) as u8)), [true, false], 1);
        }
        for kept in 0..=u16::MAX {
            check_with(
                &core::array::from_fn(|n| Some(if kept >> n & 1 != 0 { n as u8 } else { 19 })),
                [true, false],
                1,
            );
        }
        // What needs two steps without the zeros needs three with them.
        let words = [3, 2, 1, 0, 7, 6, 5, 4].map(Some);
        let some = core::array::from_fn(|n| if n % 3 == 0 { Some(16) } else { bytes(&words)[n] });
        check_with(&some, [true, false], 3);
    }

    #[test]
    fn tables_bring_any_bytes_to_any_places() {
        let mut state = 1u32;
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 16) % below) as u8
        };
        for (below, with_zeros, steps) in [(16, false, 2), (17, true, 2), (32, true, 2), (32, false, 4)] {
            for _ in 0..2000 {
                let all = core::array::from_fn(|_| Some(next(below)));
                check_with(&all, [with_zeros, true], steps);
                let some = all.map(|from| from.filter(|_| next(3) > 0));
                check_with(&some, [with_zeros, true], steps);
            }
        }
        for start in 1..16 {
            check_with(&core::array::from_fn(|n| Some(n as u8 + start)), [false, true], 1);
        }
    }

    #[test]
    fn every_fourth_byte_or_word_of_two_vectors() {
        for start in 0..4 {
            check(&core::array::from_fn(|n| Some(n as u8 % 8 * 4 + start)), 6);
        }
        for start in 0..2 {
            check(&bytes(&core::array::from_fn::<_, 8, _>(|n| Some(n as u8 % 4 * 4 + 2 * start))), 8);
        }
    }
}
