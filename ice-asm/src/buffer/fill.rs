//! Slots that are still open when all code is written, filled from the target of their branch or from the code behind it.
//!
//! Problem: a short block has nothing to move behind its branch. What comes next on either way can be in the slot, if it
//! does no harm on the other ([`BranchIsa::slot_from_target`], [`BranchIsa::slot_from_next`]).
//!
//! Method: of the target the first instruction is repeated in the slot, and the branch goes behind it. What comes from
//! behind the branch is taken out there, if control comes to it from the branch alone: it is executed no more often than
//! before, and one instruction less when the branch is not taken. That way comes first, as most branches ahead are not
//! taken. Then the holes are closed, all at once, and the branches, which have become shorter, are written again.
//!
//! In bundles there are no holes, for nothing may move: slots are filled from targets alone, and not with what belongs to a group.
//!
//! Invariants: nothing is taken from an offset that a label in use leads to, nor from behind such a one, nor from the words of
//! another branch. A relocation goes where its instruction goes. Cost: what the instruction set looks at for each open slot, and one pass over the code if
//! there are holes.

use super::branch::Site;
use super::isa::{BranchIsa, Form};
use super::{CodeBuffer, Label, NONE, reloc_at};
use crate::listing::Listing;
use crate::reloc::{Reloc, RelocKind};
use alloc::vec::Vec;

/// What becomes of slots that are open when all code is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OpenSlots {
    /// They are filled, where something fits.
    #[default]
    Fill,
    /// They stay as they are, which costs no time.
    Leave,
}

/// Memory of filling.
#[derive(Default)]
pub(super) struct Filling {
    /// Where control may come to otherwise than from before, in ascending order.
    entries: Vec<u32>,
    /// What was taken out of the code.
    holes: Vec<u32>,
}

/// Where an offset comes to lie when instructions of `size` bytes at the holes, in ascending order, are taken out.
pub(crate) fn closed(holes: &[u32], size: u32, offset: u32) -> u32 {
    offset - size * holes.partition_point(|&hole| hole < offset) as u32
}

impl<L: Listing, B: BranchIsa> CodeBuffer<L, B> {
    /// What becomes of slots that are open when all code is written; [`OpenSlots::Fill`] if nothing is said.
    pub fn set_open_slots(&mut self, open_slots: OpenSlots) {
        self.open_slots = open_slots;
    }

    /// What is done with them.
    pub(crate) fn open_slots(&self) -> OpenSlots {
        self.open_slots
    }

    /// States that something else than a branch leads to the label: the entry of a table elsewhere.
    pub fn pin(&mut self, label: Label) {
        self.pinned.push(label);
    }

    /// Fills slots that do nothing; says whether code has moved.
    pub(super) fn fill_slots(&mut self) -> bool {
        let sorted = self.relocs.len();
        let is_open = |site: &Site<B>| site.slot == B::Slot::default() && site.form == Form(0);
        let Some(first) = self.sites.iter().position(is_open) else { return false };
        let Filling { mut entries, mut holes } = core::mem::take(&mut self.filling);
        self.find_entries(&mut entries);
        for i in first..self.sites.len() {
            let site = self.sites[i];
            let Some(target) = self.label_offset(site.target) else { continue };
            if !is_open(&site) || target == site.start + B::size(site.cond, site.form) {
                continue;
            }
            let hole = match self.bundle {
                0 => self.fill_from_next(i, target, &entries, sorted),
                _ => None,
            };
            match hole {
                Some(hole) => holes.push(hole),
                // Where the branch goes then nothing is taken either: its old target comes before.
                None => self.fill_from_target(i, target, sorted),
            }
        }
        holes.sort_unstable();
        let has_moved = self.close_holes(&holes);
        entries.clear();
        holes.clear();
        self.filling = Filling { entries, holes };
        has_moved
    }

    /// Finds where branches and whatever else has labels may lead, in ascending order.
    fn find_entries(&self, entries: &mut Vec<u32>) {
        let branches = self.sites.iter().map(|site| site.target);
        let labels = branches.chain(self.pinned.iter().copied());
        entries.extend(labels.filter_map(|label| self.label_offset(label)));
        entries.sort_unstable();
    }
}

impl<L: Listing, B: BranchIsa> CodeBuffer<L, B> {
    /// Fills the slot of branch `i` from the code behind it; gives the place that is empty now.
    fn fill_from_next(&mut self, i: usize, target: u32, entries: &[u32], sorted: usize) -> Option<u32> {
        let Site::<B> { start, cond: Some(cond), form, .. } = self.sites[i] else { return None };
        let next = start + B::size(Some(cond), form);
        // Branches back are mostly taken. What is left of a branch over one instruction would be one to the next.
        if target <= next + B::SLOT_SIZE {
            return None;
        }
        let end = entries.get(entries.partition_point(|&entry| entry < next)).copied();
        // The words of a far branch belong together.
        let branch = self.sites.get(i + 1).map_or(NONE, |site| site.start);
        let end = end.unwrap_or(NONE).min(branch).min(self.offset());
        // Numbers of labels in the code would have to be computed again.
        if end <= next || !self.refs.is_empty() {
            return None;
        }
        let (code, relocs) = (self.bytes.as_slice(), &self.relocs[..sorted]);
        let (slot, from) = B::slot_from_next(code, target, (next, end), |at| reloc_kind(relocs, at))?;
        let at = next - B::SLOT_SIZE;
        let reloc = reloc_at(&self.relocs[..sorted], from);
        self.relocs.extend(reloc.map(|reloc| Reloc { offset: at, ..reloc }));
        self.sites[i].slot = slot;
        let code = self.bytes.as_mut_slice();
        B::encode_slot(slot, &mut code[at as usize..next as usize]);
        B::fill_nops(&mut code[from as usize..(from + B::SLOT_SIZE) as usize]);
        Some(from)
    }

    /// Fills the slot of branch `i` from its target, behind which the branch goes then.
    fn fill_from_target(&mut self, i: usize, target: u32, sorted: usize) {
        let Site::<B> { start, cond, form, .. } = self.sites[i];
        let (size, behind) = (B::size(cond, form), target + B::SLOT_SIZE);
        let distance = i64::from(behind) - i64::from(start);
        if !B::span(form).contains(distance) || self.is_branch(target) {
            return;
        }
        let (code, reloc) = (self.bytes.as_slice(), reloc_at(&self.relocs[..sorted], target));
        if self.bundle != 0 && code.get(target as usize..).is_some_and(B::begins_group) {
            return;
        }
        let kind = reloc.map(|reloc| reloc.kind);
        let Some(slot) = B::slot_from_target(cond, code, (start, target), kind) else { return };
        self.relocs.extend(reloc.map(|reloc| Reloc { offset: start + size - B::SLOT_SIZE, ..reloc }));
        let label = self.label_behind(behind);
        let site = &mut self.sites[i];
        (site.slot, site.target) = (slot, label);
        let bytes = &mut self.bytes.as_mut_slice()[start as usize..][..size as usize];
        B::encode(cond, slot, form, distance, bytes);
    }

    /// Whether a branch begins at an offset.
    fn is_branch(&self, offset: u32) -> bool {
        self.sites.binary_search_by_key(&offset, |site| site.start).is_ok()
    }

    /// Takes the instructions at the holes out of the code; says whether there are any.
    fn close_holes(&mut self, holes: &[u32]) -> bool {
        if holes.is_empty() {
            return false;
        }
        let (size, end) = (B::SLOT_SIZE, self.offset());
        let closed = |offset| closed(holes, size, offset);
        let code = self.bytes.as_mut_slice();
        for (n, &hole) in holes.iter().enumerate() {
            let next = holes.get(n + 1).copied().unwrap_or(end);
            code.copy_within((hole + size) as usize..next as usize, closed(hole) as usize);
        }
        self.bytes.truncate(closed(end));
        for label in self.labels.iter_mut().filter(|label| label.offset != NONE) {
            label.offset = closed(label.offset);
        }
        self.sites.iter_mut().for_each(|site| site.start = closed(site.start));
        self.relocs.retain(|reloc| holes.binary_search(&reloc.offset).is_err());
        self.relocs.iter_mut().for_each(|reloc| reloc.offset = closed(reloc.offset));
        self.marks.iter_mut().chain(&mut self.ends).for_each(|offset| *offset = closed(*offset));
        self.locations.close_all(closed);
        self.listing.close(holes, size);
        true
    }
}

/// The kind of the relocation of the instruction at an offset.
fn reloc_kind(relocs: &[Reloc], offset: u32) -> Option<RelocKind> {
    reloc_at(relocs, offset).map(|reloc| reloc.kind)
}
