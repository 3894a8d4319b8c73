//! SHUFFLEVEC (LLVM bitcode specification, section 11.9).
//!
//! A native vector takes its lanes out of others, which machines do at once if these are one or two. More are brought
//! together before: those for its lower and its upper half, or those for every second lane.
//!
//! A lane that may be anything is what makes the whole a shuffle that machines have: the one of its own place in the vector
//! that the first lane is taken from, as one vector is cheaper to shuffle than two; and behind the last lane that matters,
//! what goes on with the pattern of those before. Behind the lanes of a short vector they are repeated if they have none.

use alloc::vec::Vec;
use core::ops::Range;

use ice_ir::vectors::is_zero;
use ice_ir::{Block, Type, Value};

use super::values::{Operand, Run};
use super::{Body, Checked, fail};
use crate::error::Error;
use crate::llvm::legalize::shape::VectorShape;
use crate::llvm::wire::types::LlvmType;

/// Most lanes of a native vector.
const MOST_LANES: usize = 16;

/// Where a lane of a native vector comes from: a native vector and a lane of that. `None` if nothing depends on it.
type Place = Option<(Value, u32)>;

/// Where the lanes of a native vector come from. It may have fewer lanes.
pub(super) type Places = [Place; MOST_LANES];

/// Shuffles of one block, to be found again: where lanes of the same vectors are gathered for several others, these begin with
/// the same ones.
#[derive(Debug, Default)]
pub(super) struct Shuffles {
    block: Option<Block>,
    pub(super) made: Vec<(Type, Places, Value)>,
}

/// More are not remembered.
const MOST_SHUFFLES: usize = 64;

impl Shuffles {
    fn find(&mut self, block: Option<Block>, ty: Type, places: &Places) -> Option<Value> {
        if self.block != block {
            self.made.clear();
            self.block = block;
        }
        let known = self.made.iter().find(|(made, from, _)| (*made, from) == (ty, places))?;
        Some(known.2)
    }

    fn keep(&mut self, ty: Type, places: &Places, vector: Value) {
        if self.made.len() < MOST_SHUFFLES {
            self.made.push((ty, *places, vector));
        }
    }
}

/// The vectors that the lanes come from, in order, and how many they are.
fn sources_of(places: &Places) -> ([Option<Value>; MOST_LANES], usize) {
    let (mut vectors, mut count) = ([None; MOST_LANES], 0);
    for &(source, _) in places.iter().flatten() {
        if !vectors[..count].contains(&Some(source)) {
            vectors[count] = Some(source);
            count += 1;
        }
    }
    (vectors, count)
}

/// How many vectors the lanes come from.
fn sources(places: &Places) -> usize {
    sources_of(places).1
}

impl Body<'_, '_> {
    /// SHUFFLEVEC.
    pub(super) fn shuffle(&mut self) -> Checked<()> {
        let a = self.vt()?;
        let b = self.rel(a.ty)?;
        let mask = self.mask_operand()?;
        self.end()?;
        let result = self.shuffled(a, b, mask)?;
        self.define(result)
    }

    /// The number of the next operand, a constant mask.
    fn mask_operand(&mut self) -> Checked<u32> {
        let relative = self.op()?;
        match relative >> 32 {
            0 => Ok(self.s.next_number().wrapping_sub(relative as u32)),
            _ => fail(Error::NonexistentValue { operand: relative }),
        }
    }

    /// Lanes of two vectors, chosen by the constant with number `mask`; also of constant expressions.
    pub(super) fn shuffled(&mut self, a: Operand, b: Operand, mask: u32) -> Checked<Operand> {
        let vector = self.vector_shape(a.ty)?;
        let mask_ty = self.constant_type(mask)?;
        let wanted = self.vector_shape(mask_ty)?.lanes;
        self.read_mask(mask)?;
        let element = self.lane_type(a.ty)?;
        let ty = match wanted == vector.lanes {
            true => Some(a.ty),
            false => self.m.types.find(LlvmType::Vector { element, lanes: wanted }),
        };
        let Some(ty) = ty else {
            return fail(self.type_class(element, "a type with vectors of as many lanes as are wanted"));
        };
        let result = self.vector_shape(ty)?;
        let sources = [self.run(a), self.run(b)];
        let run = match (vector.native, result.native) {
            (Some(from), Some(to)) => self.shuffled_natives(from, vector, sources, to, result)?,
            _ => self.shuffled_lanes(vector, sources, result),
        };
        Ok(self.operand(ty, run))
    }

    /// What the mask says of a lane of the result: which vector, and which lane of that.
    pub(super) fn masked(&self, lane: u32, vector: VectorShape) -> Option<(usize, u32)> {
        let lane = self.s.mask.get(lane as usize).copied().flatten()?;
        match (lane < vector.lanes, lane.checked_sub(vector.lanes)) {
            (true, _) => Some((0, lane)),
            (_, Some(lane)) if lane < vector.lanes => Some((1, lane)),
            _ => None,
        }
    }

    /// Lane by lane.
    fn shuffled_lanes(&mut self, vector: VectorShape, sources: [Run; 2], result: VectorShape) -> Run {
        let each = vector.lane.parts();
        let out = self.reserve(result.lanes * each);
        for i in 0..result.lanes {
            match (self.masked(i, vector), vector.native) {
                (Some((source, lane)), Some(native)) => {
                    let value = self.native_lane(native, sources[source], lane);
                    self.set(out, i, value);
                }
                (Some((source, lane)), None) => {
                    self.copy(out, i * each, sources[source].part(lane * each, each));
                }
                (None, _) => {
                    for j in 0..each {
                        let part = if each > 1 { Type::I64 } else { vector.lane.part() };
                        let value = self.undef(part);
                        self.set(out, i * each + j, value);
                    }
                }
            }
        }
        self.join_lanes(result, out)
    }

    /// Native vector by native vector.
    fn shuffled_natives(
        &mut self,
        from: Type,
        vector: VectorShape,
        sources: [Run; 2],
        to: Type,
        result: VectorShape,
    ) -> Checked<Run> {
        if from == to
            && let Some(run) = self.loaded_by_turns(from, vector, sources[0], result)?
        {
            return Ok(run);
        }
        let out = self.reserve(result.lanes.div_ceil(to.lanes()));
        let mut before = [None; MOST_LANES];
        for part in 0..out.len {
            let first = part * to.lanes();
            let known = to.lanes().min(result.lanes - first);
            let mut places = [None; MOST_LANES];
            for (i, place) in (0..known).zip(&mut places) {
                *place = self.masked(first + i, vector).map(|(source, lane)| {
                    (self.get(sources[source], lane / from.lanes()), lane % from.lanes())
                });
            }
            self.fill(&mut places, known as usize, to);
            // The halves of what is the same in all lanes are one value.
            let value = match part % 2 == 1 && places == before && self.double(Some(to)).is_some() {
                true => self.get(out, part - 1),
                false => self.gathered(to, &places)?,
            };
            self.set(out, part, value);
            before = places;
        }
        if from == to {
            self.note_turns(from, vector, sources, result, out);
        }
        Ok(out)
    }

    /// A native vector whose lanes come from these places.
    fn gathered(&mut self, ty: Type, places: &Places) -> Checked<Value> {
        if let Some(places) = self.through_every_second(ty, places)? {
            return self.gathered(ty, &places);
        }
        let (count, half) = (sources(places), ty.lanes() as usize / 2);
        let split = |by_turns: bool| {
            [0, 1].map(|which| {
                let own = |n: usize| if by_turns { 2 * n + which } else { which * half + n };
                core::array::from_fn(|n| if n < half { places[own(n)] } else { None })
            })
        };
        let most = |parts: &[Places; 2]| sources(&parts[0]).max(sources(&parts[1]));
        let (halves, turns) = (split(false), split(true));
        let by_turns = most(&turns) < most(&halves);
        let parts = if by_turns { turns } else { halves };
        if count <= 2 || most(&parts) >= count {
            return self.with_places(ty, places);
        }
        let mut joined = [(Value::from_u32(0), 0); 2];
        for (joined, mut places) in joined.iter_mut().zip(parts) {
            let first = match self.window(&places, half, ty) {
                Some((whole, first)) => {
                    places = whole;
                    first
                }
                None => {
                    self.fill(&mut places, half, ty);
                    0
                }
            };
            *joined = (self.gathered(ty, &places)?, first);
        }
        let both = core::array::from_fn(|n| {
            let (which, own) = if by_turns { (n % 2, n / 2) } else { (n / half, n % half) };
            let (vector, first) = *joined.get(which)?;
            Some((vector, first + own as u32))
        });
        self.with_places(ty, &both)
    }

    /// A native vector whose lanes come from these places, in one of the shuffles that machines have if there is one.
    pub(super) fn with_places(&mut self, ty: Type, places: &Places) -> Checked<Value> {
        let block = self.b.current_block();
        if let Some(vector) = self.s.shuffles.find(block, ty, places) {
            return Ok(vector);
        }
        let is_cleared = |place: &Place| place.is_some_and(|(source, _)| is_zero(self.b.func, source));
        let mut vector = match places.iter().any(is_cleared) {
            true => self.b.func.make_zero(ty),
            false => self.undef(ty),
        };
        for (to, place) in (0..ty.lanes()).zip(places) {
            if let &Some((source, from)) = place
                && !is_zero(self.b.func, source)
            {
                let value = self.lane(source, from);
                vector = self.set_lane(vector, to, value);
            }
        }
        self.s.shuffles.keep(ty, places, vector);
        Ok(vector)
    }

    /// Gives the lanes that may be anything a place, if any of the first `known` has one.
    fn fill(&self, places: &mut Places, known: usize, ty: Type) {
        let Some((first, _)) = places[..known].iter().flatten().next().copied() else { return };
        let (own, count) = (self.ty_of(first).lanes() as usize, ty.lanes() as usize);
        // Behind the last lane that matters, and behind the last one that there is.
        let last = places[..known].iter().rposition(Option::is_some).map_or(known, |last| last + 1);
        for end in [last, known] {
            for (n, place) in places[..end].iter_mut().enumerate() {
                if place.is_none() && n < own {
                    *place = Some((first, n as u32));
                }
            }
            if end < count && [1, 2, 4, 8].into_iter().any(|period| self.goes_on(places, end, count, period))
            {
                return;
            }
        }
        (known..count).for_each(|n| places[n] = places[n % known]);
    }

    /// The same lanes as places in vectors with every second lane of two, if they all are among these and half as many vectors have
    /// them. Where others want the lanes between, they have the same vectors.
    fn through_every_second(&mut self, ty: Type, places: &Places) -> Checked<Option<Places>> {
        let half = ty.lanes() / 2;
        let known = || places.iter().flatten();
        let Some(&(_, first)) = known().next() else { return Ok(None) };
        let is_every = |step: u32| known().all(|(_, lane)| lane % step == first % step);
        let (vectors, count) = sources_of(places);
        let is_worth_it = match count {
            0 | 1 => false,
            2 => is_every(4),
            _ => is_every(2),
        };
        if !is_worth_it || half < 4 || known().any(|&(source, _)| self.ty_of(source) != ty) {
            return Ok(None);
        }
        let mut joined = [None; MOST_LANES / 2];
        for (joined, pair) in joined.iter_mut().zip(vectors[..count].chunks(2)) {
            let lane = |n: u32| Some(((*pair.get((n / half) as usize)?)?, 2 * (n % half) + first % 2));
            let lanes = core::array::from_fn(|n| if n < 2 * half as usize { lane(n as u32) } else { None });
            *joined = Some(self.with_places(ty, &lanes)?);
        }
        Ok(Some(places.map(|place| {
            let (source, lane) = place?;
            let n = vectors.iter().position(|&vector| vector == Some(source))?;
            Some((joined[n / 2]?, lane / 2 + if n % 2 == 0 { 0 } else { half }))
        })))
    }

    /// A whole vector of lanes by turns of some vectors that has these `known` ones from a lane on, and that lane. Where lanes of
    /// the same vectors are gathered by turns for several others, these have the same whole ones.
    fn window(&self, places: &Places, known: usize, ty: Type) -> Option<(Places, u32)> {
        let count = ty.lanes();
        let is_pair = known == 2 && sources(places) == 2;
        [1, 2, 4].into_iter().filter(|&period| period < known || is_pair && period == 2).find_map(|period| {
            let (_, start) = places[0]?;
            let length = count / period as u32;
            let base = start / length * length;
            let mut whole = [None; MOST_LANES];
            for (place, n) in whole.iter_mut().zip(0..count) {
                let (source, _) = places[n as usize % period]?;
                *place = Some((source, base + n / period as u32))
                    .filter(|(_, lane)| *lane < self.ty_of(source).lanes());
            }
            let first = (start - base) as usize * period;
            let is_inside = (0..known)
                .all(|n| places[n] == *whole.get(first + n).unwrap_or(&None) && places[n].is_some());
            is_inside.then_some((whole, first as u32))
        })
    }

    /// Goes on with lanes that are those `period` places before and a constant step, if they are; as many lanes in a row of one
    /// vector as of another one are the first of those by turns.
    fn goes_on(&self, places: &mut Places, known: usize, count: usize, period: usize) -> bool {
        let step = |n: usize, m: usize| match (places[n], places[m]) {
            (Some((a, from)), Some((b, to))) if a == b => Some(i64::from(to) - i64::from(from)),
            _ => None,
        };
        let all = match period < known {
            true => {
                let each = |n| step(n, n + period);
                each(0).filter(|&first| (1..known - period).all(|n| each(n) == Some(first)))
            }
            false => {
                let half = known / 2;
                let is_row = |mut lanes: Range<usize>| lanes.all(|n| step(n, n + 1) == Some(1));
                let are_by_turns =
                    period == known && sources(places) == 2 && is_row(0..half - 1) && is_row(half..known - 1);
                are_by_turns.then_some(half as i64)
            }
        };
        let Some(all) = all else { return false };
        let mut longer = *places;
        for n in known..count {
            let Some((source, lane)) = longer[n - period] else { return false };
            let lane = i64::from(lane) + all;
            if !(0..i64::from(self.ty_of(source).lanes())).contains(&lane) {
                return false;
            }
            longer[n] = Some((source, lane as u32));
        }
        *places = longer;
        true
    }
}
