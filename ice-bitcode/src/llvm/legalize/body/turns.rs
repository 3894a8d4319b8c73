//! Vectors whose lanes stand in memory by turns (pixels, complex numbers, points): a load and the shuffles that take every second,
//! third or fourth lane out of it, or the shuffle that puts vectors together so and a store, by the instruction that machines have
//! for it.
//!
//! A load counts if nothing that changes memory stands between it and the shuffle, in the same block; it stays where it was, and is
//! dropped if nothing else needs it.

use alloc::string::String;
use alloc::vec::Vec;

use ice_ir::{BinaryOp, Inst, InstData, Type, Value};

use super::values::Run;
use super::{Body, Checked};
use crate::llvm::legalize::shape::VectorShape;

/// Most vectors of one instruction.
const MOST: usize = 4;

/// More instructions behind a load are not looked at.
const MAX_DISTANCE: usize = 256;

/// The vectors of one instruction; those behind the last are that one again.
type Vectors = [Value; MOST];

/// What is known of turns in a function.
#[derive(Debug, Default)]
pub(super) struct TurnScratch {
    /// Vectors that were loaded: the first part of what was loaded before, how many there are, and they.
    loaded: Vec<(Value, usize, Vectors)>,
    /// The parts of the last vector that was put together, and of how many vectors each is.
    parts: Vec<Value>,
    count: usize,
    /// These vectors, those of its lowest lanes first.
    stored: Vec<Value>,
}

impl TurnScratch {
    pub(super) fn clear(&mut self) {
        self.loaded.clear();
        self.forget();
    }

    fn forget(&mut self) {
        self.parts.clear();
        self.stored.clear();
    }
}

/// The number of a lane among all of two vectors.
fn lane_of(masked: Option<(usize, u32)>, vector: VectorShape) -> Option<u32> {
    masked.map(|(source, lane)| source as u32 * vector.lanes + lane)
}

impl Body<'_, '_> {
    /// The text of an instruction on lanes of a type.
    fn turns_text(
        &self,
        [template, constraints]: [&'static str; 2],
        ty: Type,
    ) -> Option<(String, &'static str)> {
        let turns = self.m.legal.machine().turns?;
        let name = turns.lanes.get(ty.element().bytes().trailing_zeros() as usize)?;
        Some((template.replace('%', name), constraints))
    }

    /// A shuffle that takes every second, third or fourth lane of a vector that was loaded; `None` for others.
    pub(super) fn loaded_by_turns(
        &mut self,
        native: Type,
        vector: VectorShape,
        source: Run,
        result: VectorShape,
    ) -> Checked<Option<Run>> {
        let lanes = native.lanes();
        let is_known = self.m.legal.machine().turns.is_some() && self.m.legal.machine().has_assembler;
        let count = vector.lanes / result.lanes;
        if !is_known
            || !(2..=MOST as u32).contains(&count)
            || count * result.lanes != vector.lanes
            || !result.lanes.is_multiple_of(lanes)
        {
            return Ok(None);
        }
        let Some(which) = lane_of(self.masked(0, vector), vector).filter(|&which| which < count) else {
            return Ok(None);
        };
        if !(0..result.lanes).all(|n| lane_of(self.masked(n, vector), vector) == Some(which + n * count)) {
            return Ok(None);
        }
        let groups = result.lanes / lanes;
        let group = |n: u32| source.part(n * count, count);
        let is_group =
            |n: u32| self.known_turns(group(n)).is_some() || self.turns_address(group(n)).is_some();
        if !(0..groups).all(is_group) {
            return Ok(None);
        }
        let out = self.reserve(groups);
        for n in 0..groups {
            let vectors = match self.known_turns(group(n)) {
                Some(vectors) => Some(vectors),
                None => self.load_turns(group(n), native)?,
            };
            let Some(vectors) = vectors else { return Ok(None) };
            self.set(out, n, vectors[which as usize]);
        }
        Ok(Some(out))
    }

    /// The vectors that were loaded by turns from where these parts were.
    fn known_turns(&self, parts: Run) -> Option<Vectors> {
        let key = (self.get(parts, 0), parts.len as usize);
        let known = self.s.turns.loaded.iter().find(|known| (known.0, known.1) == key)?;
        Some(known.2)
    }

    /// Loads the vectors whose lanes stand by turns where these parts were loaded from.
    fn load_turns(&mut self, parts: Run, ty: Type) -> Checked<Option<Vectors>> {
        let (first, count) = (self.get(parts, 0), parts.len as usize);
        let texts = self.m.legal.machine().turns.map(|turns| turns.load[count - 2]);
        let (Some(address), Some(texts)) = (self.turns_address(parts), texts) else { return Ok(None) };
        let Some((text, constraints)) = self.turns_text(texts, ty) else { return Ok(None) };
        let all = self.instruction_values(text, constraints, &[address], (ty, count))?;
        let vectors = core::array::from_fn(|n| self.get(all, (n as u32).min(all.len - 1)));
        self.s.turns.loaded.push((first, count, vectors));
        Ok(Some(vectors))
    }

    /// The address of these parts, if they were loaded one behind the other, and memory has not changed since.
    fn turns_address(&self, parts: Run) -> Option<Value> {
        let func = &self.b.func;
        let block = self.b.current_block();
        let loaded = |n: u32| -> Option<(Inst, Value)> {
            let inst = func.defining_inst(self.get(parts, n))?;
            let &InstData::Load { address, .. } = func.inst(inst) else { return None };
            (func.layout.block_of(inst) == block).then_some((inst, address))
        };
        let place = |address: Value| match func.defining_inst(address).map(|inst| func.inst(inst)) {
            Some(&InstData::Binary { op: BinaryOp::Add, args: [base, offset] })
                if func.int_value(offset).is_some() =>
            {
                (base, func.int_value(offset).unwrap_or(0))
            }
            _ => (address, 0),
        };
        let (first, address) = loaded(0)?;
        let (base, offset) = place(address);
        for n in 1..parts.len {
            if place(loaded(n)?.1) != (base, offset + 16 * i64::from(n)) {
                return None;
            }
        }
        let mut next = Some(first);
        for _ in 0..MAX_DISTANCE {
            let Some(inst) = next else { return Some(address) };
            let is_own =
                || self.s.turns.loaded.iter().any(|(.., all)| func.defining_inst(all[0]) == Some(inst));
            if func.inst(inst).changes_memory() && !is_own() {
                return None;
            }
            next = func.layout.next_inst(inst);
        }
        None
    }

    /// Notes that a shuffle of two vectors with these parts has lanes of two, three or four vectors by turns.
    pub(super) fn note_turns(
        &mut self,
        native: Type,
        vector: VectorShape,
        sources: [Run; 2],
        result: VectorShape,
        out: Run,
    ) {
        let lanes = native.lanes();
        self.s.turns.forget();
        if self.m.legal.machine().turns.is_none() || !vector.lanes.is_multiple_of(lanes) {
            return;
        }
        let lane = |n: u32| lane_of(self.masked(n, vector), vector);
        let is_by_turns = |count: u32| {
            let length = result.lanes / count;
            count * length == result.lanes
                && length.is_multiple_of(lanes)
                && (0..count).all(|n| lane(n).is_some_and(|first| first.is_multiple_of(lanes)))
                && (count..result.lanes)
                    .all(|n| lane(n).is_some() && lane(n) == lane(n % count).map(|first| first + n / count))
        };
        let Some(count) = (2..=MOST as u32).find(|&count| is_by_turns(count)) else { return };
        for group in 0..result.lanes / count / lanes {
            for n in 0..count {
                let Some(first) = lane_of(self.masked(n, vector), vector) else { return };
                let first = first + group * lanes;
                let part = self.get(sources[(first / vector.lanes) as usize], first % vector.lanes / lanes);
                self.s.turns.stored.push(part);
            }
        }
        for n in 0..out.len {
            let part = self.get(out, n);
            self.s.turns.parts.push(part);
        }
        self.s.turns.count = count as usize;
    }

    /// Stores a vector that was just put together by turns; `false` if it is another one.
    pub(super) fn store_turns(&mut self, run: Run, address: Value) -> Checked<bool> {
        let (machine, count) = (self.m.legal.machine(), self.s.turns.count);
        let Some(turns) = machine.turns.filter(|_| machine.has_assembler) else { return Ok(false) };
        let parts = &self.s.turns.parts;
        let are_these =
            run.len as usize == parts.len() && (0..).zip(parts).all(|(n, &part)| self.get(run, n) == part);
        if parts.is_empty() || !are_these {
            return Ok(false);
        }
        let ty = self.ty_of(parts[0]);
        for n in (0..run.len).step_by(count) {
            let mut args: Vec<Value> = self.s.turns.stored[n as usize..][..count].into();
            args.push(self.offset(address, i64::from(16 * n)));
            let Some((text, constraints)) = self.turns_text(turns.store[count - 2], ty) else {
                return Ok(false);
            };
            self.instruction_effect(&text, constraints, &args)?;
        }
        Ok(true)
    }
}
