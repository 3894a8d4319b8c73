//! Code that differs from one key to the next: instructions that do nothing between the others, and other bytes for the
//! same instruction.
//!
//! *Problem.* Who knows the code of a program knows what an attack may use of it. *Method.* The insertion of no-ops by
//! chance (Forrest, Somayaji and Ackley, "Building Diverse Computer Systems", 1997; Homescu et al., "Profile-guided
//! Automated Software Diversity", 2013). Every instruction that is in no group goes the way of code in bundles, where its
//! place is looked at ([`group`](super::group)).
//!
//! *Bounds.* What does nothing is no longer than the group, instruction or branch that it stands before, so that code
//! at most doubles: longest offsets are told twice as large ([`CodeBuffer::stretch_longest_offsets`]). Other bytes for an
//! instruction are as many. What does nothing never stands right behind a label: what a label names is an instruction.

use super::CodeBuffer;
use super::isa::BranchIsa;
use crate::listing::{self, Listing};
use crate::random::Random;

/// In how many of a hundred places something is put in: that of Subzero.
const PERCENT: u32 = 10;

/// Makes other bytes of as many for the same instruction, and says whether it did. Fields that a relocation fills in
/// stay where they are.
pub type Vary = fn(&mut [u8], &mut Random) -> bool;

/// What makes code differ.
#[derive(Clone, Debug)]
pub struct Noise {
    /// From what all choices follow.
    pub random: Random,
    /// Instructions that do nothing, of which the first is the shortest; empty if none are wanted.
    pub nops: &'static [&'static [u8]],
    /// Other bytes for instructions, if they are wanted.
    pub vary: Option<Vary>,
}

impl Noise {
    /// What is put before `size` bytes of code, mostly nothing.
    fn nop_before(&mut self, size: u32) -> &'static [u8] {
        if self.nops.is_empty() || self.random.below(100) >= PERCENT {
            return &[];
        }
        let nop = self.nops[self.random.below(self.nops.len() as u32) as usize];
        if nop.len() as u32 <= size { nop } else { self.nops[0] }
    }
}

impl<L: Listing, B: BranchIsa> CodeBuffer<L, B> {
    /// From now on, and over `clear`, code has this noise, or none. Say it before there is code.
    pub fn set_noise(&mut self, noise: Option<Noise>) {
        self.noise = noise;
        self.see_every_inst();
    }

    /// Tells all labels so far longest offsets that hold where code is up to so many times as long, and with noise, where
    /// there is some, twice that.
    pub fn stretch_longest_offsets(&mut self, times: u32) {
        let times = if self.has_nops() { 2 * times } else { times };
        if times != 1 {
            self.labels.iter_mut().for_each(|label| label.longest = label.longest.saturating_mul(times));
        }
    }

    /// What is put before `size` bytes that begin at `start`.
    pub(super) fn nop_before(&mut self, start: u32, size: u32) -> &'static [u8] {
        let is_tail = self.tail_end == start && self.tail_labels.len() > self.end_from;
        let is_named = self.last_label == start || is_tail;
        match &mut self.noise {
            Some(noise) if !is_named => noise.nop_before(size),
            _ => &[],
        }
    }

    /// The most bytes that are put before `size` bytes.
    #[inline(always)]
    pub(super) fn most_noise(&self, size: u32) -> u32 {
        if self.has_nops() { size } else { 0 }
    }

    #[inline(always)]
    fn has_nops(&self) -> bool {
        self.noise.as_ref().is_some_and(|noise| !noise.nops.is_empty())
    }

    /// Makes `pad` bytes at `start` instructions that do nothing, of which `nop` is the first.
    pub(super) fn fill_with(&mut self, start: u32, nop: &'static [u8], pad: u32) {
        let end = start + nop.len() as u32;
        let straddles = self.bundle != 0 && !nop.is_empty() && start / self.bundle != (end - 1) / self.bundle;
        if nop.is_empty() || straddles {
            return self.fill_padding(start, pad);
        }
        self.bytes.as_mut_slice()[start as usize..end as usize].copy_from_slice(nop);
        self.line_of_padding(start, nop.len() as u32);
        self.fill_padding(end, pad - nop.len() as u32);
    }

    /// Gives the instruction from `start` on other bytes, if that is wanted and no relocation belongs to it.
    pub(super) fn vary(&mut self, start: u32) {
        let is_linked = self.relocs.last().is_some_and(|reloc| reloc.offset >= start)
            || self.refs.last().is_some_and(|label| label.at >= start);
        if is_linked {
            return;
        }
        let Some(Noise { random, vary: Some(vary), .. }) = &mut self.noise else { return };
        let inst = &mut self.bytes.as_mut_slice()[start as usize..];
        if !vary(inst, random) || !L::ENABLED {
            return;
        }
        let inst = &*inst;
        self.listing.replace(start, |text, out| {
            listing::write_bytes(out, inst)?;
            write!(out, " {} {text}", B::COMMENT)
        });
    }

    /// Where the instruction begins that was appended last, and for which `start` was the end of the code before.
    pub(crate) fn inst_start(&self, start: u32) -> u32 {
        let last = self.last_inst;
        if self.bytes.is_tight() && last.end == self.offset() { last.start } else { start }
    }
}
