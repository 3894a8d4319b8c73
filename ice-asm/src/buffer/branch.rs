//! Branches: which form each one takes, and its bytes in the end. The rules that edit them are in
//! [`tail`](super::tail), what becomes of those that do not reach in [`island`](super::island).

use super::bytes::Part;
use super::isa::{BranchIsa, Form, Reach};
use super::{CodeBuffer, Label, NONE, reloc_at, root};
use crate::error::Error;
use crate::listing::{Listing, TextListing, write_bytes};
use crate::reloc::Reloc;
use core::fmt;

/// A branch in the code, to be patched.
#[derive(Clone, Copy)]
pub(crate) struct BranchSite<C, S> {
    pub start: u32,
    pub target: Label,
    pub cond: Option<C>,
    pub slot: S,
    pub form: Form,
    /// Bytes of padding before it, which belong to it.
    pub(super) pad: u8,
    /// Control cannot fall into its start from before.
    pub(super) unreached: bool,
    /// Where the labels bound at its start begin in `tail_labels`, while it is at the tail.
    pub(super) labels_from: u32,
}

/// A branch of an instruction set.
pub(crate) type Site<B> = BranchSite<<B as BranchIsa>::Cond, <B as BranchIsa>::Slot>;

/// The form that reaches farthest.
pub(super) const fn last_form<B: BranchIsa>() -> Form {
    Form(B::FORMS - 1)
}

impl<L: Listing, B: BranchIsa> CodeBuffer<L, B> {
    /// Jumps to the label.
    pub fn jump(&mut self, target: Label) {
        self.jump_within(target, Reach::FromLabels);
    }

    /// Jumps to the label, which is within `reach`.
    pub fn jump_within(&mut self, target: Label, reach: Reach) {
        self.jump_with_slot(target, B::Slot::default(), reach);
    }

    /// Jumps to the label, which is within `reach`, and executes `slot` on the way.
    #[inline]
    pub fn jump_with_slot(&mut self, target: Label, slot: B::Slot, reach: Reach) {
        self.sync_tail();
        let Some(root) = self.compress(target) else { return };
        let end = self.offset();
        // Rule 1.
        if slot == B::Slot::default() && self.labels[root.0 as usize].offset != end {
            self.alias_end_labels(root);
        }
        // Rule 4.
        if self.stop == end && self.tail_labels.len() == self.end_from {
            return;
        }
        let reach = if root == target { reach } else { Reach::FromLabels };
        self.add_branch(None, slot, root, reach);
    }

    /// Jumps to the label if the condition holds.
    pub fn jump_if(&mut self, cond: B::Cond, target: Label) {
        self.jump_if_within(cond, target, Reach::FromLabels);
    }

    /// Jumps to the label, which is within `reach`, if the condition holds.
    pub fn jump_if_within(&mut self, cond: B::Cond, target: Label, reach: Reach) {
        self.jump_if_with_slot(cond, target, B::Slot::default(), reach);
    }

    /// Jumps to the label, which is within `reach`, if the condition holds; executes `slot` in any case, after the
    /// condition is known.
    #[inline]
    pub fn jump_if_with_slot(&mut self, cond: B::Cond, target: Label, slot: B::Slot, reach: Reach) {
        self.sync_tail();
        let Some(root) = self.compress(target) else { return };
        if self.stop == self.offset() && self.tail_labels.len() == self.end_from {
            return;
        }
        let reach = match reach {
            Reach::Within(_) if root != target => Reach::FromLabels,
            _ => reach,
        };
        self.add_branch(Some(cond), slot, root, reach);
    }

    /// Appends jumps of one size that stay as they are: a table that code jumps into.
    pub fn emit_branch_table(&mut self, targets: impl IntoIterator<Item = Label>) {
        // Entries have one size.
        let noise = self.noise.take();
        for target in targets {
            let Some(root) = self.compress(target) else { break };
            let way = self.distance(self.offset(), root);
            self.waiting.has_far_table |= way.is_some_and(|way| !B::span(B::TABLE).contains(way - 64));
            self.push_branch(None, B::Slot::default(), root, B::TABLE);
        }
        self.noise = noise;
        // What jumps into the table is not known here, so no label behind it lets one of its jumps go away.
        self.freeze_tail();
        self.stop_flow();
    }

    /// Appends a branch. No label is bound behind it yet, so rules 2 and 3 wait for `bind`.
    #[inline(always)]
    fn add_branch(&mut self, cond: Option<B::Cond>, slot: B::Slot, target: Label, reach: Reach) {
        let bound = self.labels[target.0 as usize].offset;
        let form = if bound != NONE {
            self.form_back(cond, bound)
        } else {
            let beyond = |counted| self.longest_way_to(target).and_then(|way| way.checked_sub(counted));
            let between = match reach {
                Reach::Within(bytes) => Some(bytes + self.most_noise(bytes)),
                Reach::FromLabels => beyond(B::size(cond, last_form::<B>())),
                Reach::Counted(bytes) => beyond(bytes),
            };
            form_ahead::<B>(cond, between)
        };
        self.push_branch(cond, slot, target, form);
    }

    /// The smallest form in which a branch at the end reaches back to an offset.
    #[inline(always)]
    pub(super) fn form_back(&self, cond: Option<B::Cond>, target: u32) -> Form {
        for form in (0..B::FORMS - 1).map(Form) {
            let size = B::size(cond, form);
            let start = self.offset() + if self.bytes.is_tight() { self.most_before(size) } else { 0 };
            if size != 0 && start - target <= B::span(form).back {
                return form;
            }
        }
        last_form::<B>()
    }

    #[inline(always)]
    pub(super) fn push_branch(&mut self, cond: Option<B::Cond>, slot: B::Slot, target: Label, form: Form) {
        let (before, size) = (self.offset(), B::size(cond, form));
        let is_tight = self.bytes.is_tight();
        let pad = if is_tight { self.pad_branch(size) } else { 0 };
        let start = self.offset();
        // Its bytes are written by `patch_branches`, and what comes before it is written.
        match size {
            ..=16 if !is_tight => self.append_inst([Part { bytes: 0, len: size }]),
            _ => self.append(&[0; 64][..size as usize]),
        }
        if self.offset() == start {
            return; // The buffer is full.
        }
        let (unreached, labels_from, pad) = (self.stop == before, self.end_from as u32, pad as u8);
        self.sites.push(BranchSite { start, target, cond, slot, form, pad, unreached, labels_from });
        self.tail_branches += 1;
        self.end_from = self.tail_labels.len();
        self.tail_end = self.offset();
        self.stop = if cond.is_none() { self.tail_end } else { NONE };
    }

    /// How far the label is from a place, once it is bound.
    pub(super) fn distance(&self, start: u32, label: Label) -> Option<i64> {
        self.label_offset(label).map(|offset| i64::from(offset) - i64::from(start))
    }

    pub(super) fn patch_branches(&mut self) -> Result<(), Error> {
        let code = self.bytes.as_mut_slice();
        for site in &mut self.sites {
            let BranchSite { start, target, cond, slot, form, .. } = *site;
            let form = if self.bundle == 0 { form } else { B::in_bundles(form) };
            site.target = root(&self.labels, target);
            let offset = self.labels.get(site.target.0 as usize).map_or(NONE, |state| state.offset);
            if offset == NONE {
                return Err(Error::UnboundLabel { label: target, offset: start });
            }
            let distance = i64::from(offset) - i64::from(start);
            let size = B::size(cond, form);
            let bytes = &mut code[start as usize..][..size as usize];
            if distance == i64::from(size) {
                B::fill_nops(bytes);
                B::encode_slot(slot, &mut bytes[..B::SLOT_SIZE as usize]);
            } else if B::span(form).contains(distance) && distance & i64::from(B::GRAIN - 1) == 0 {
                B::encode(cond, slot, form, distance, bytes);
                if let Some((field, kind)) = B::reloc(cond, form) {
                    let Some(symbol) = self.symbol else {
                        return Err(Error::NoFunctionSymbol { offset: start });
                    };
                    self.relocs.push(Reloc { offset: start + field, kind, symbol, addend: offset.into() });
                }
            } else {
                return Err(Error::OutOfRange { label: target, offset: start });
            }
        }
        Ok(())
    }

    pub(crate) fn branch_sites(&self) -> impl Iterator<Item = Site<B>> {
        self.sites.iter().copied()
    }
}

/// The smallest form of a forward branch with at most `between` bytes between it and its target, if that is known.
#[inline(always)]
pub(super) fn form_ahead<B: BranchIsa>(cond: Option<B::Cond>, between: Option<u32>) -> Form {
    for form in (0..B::FORMS - 1).map(Form) {
        let size = B::size(cond, form);
        let reaches = match between {
            Some(between) => B::span(form).contains(i64::from(between) + i64::from(size)),
            None => B::ISLANDS,
        };
        if size != 0 && reaches {
            return form;
        }
    }
    last_form::<B>()
}

impl<B: BranchIsa> CodeBuffer<TextListing, B> {
    /// The text of a branch in its final form, with symbols as lines of the listing hold them.
    pub(crate) fn write_branch(&self, out: &mut dyn fmt::Write, site: Site<B>) -> fmt::Result {
        let target = self.root(site.target);
        let form = if self.bundle == 0 { site.form } else { B::in_bundles(site.form) };
        let size = B::size(site.cond, form);
        let distance = self.distance(site.start, target).unwrap_or(0);
        out.write_char('\t')?;
        if distance == i64::from(size) {
            let bytes = self.bytes.as_slice().get(site.start as usize..(site.start + size) as usize);
            write_bytes(out, bytes.unwrap_or_default())?;
            write!(out, " {} branch to next", B::COMMENT)?;
        } else {
            let last = site.start + size - B::SLOT_SIZE;
            let reloc = if B::SLOT_SIZE == 0 { None } else { reloc_at(self.relocs(), last) };
            B::write(out, site.cond, (site.slot, reloc), form, distance, target)?;
        }
        Ok(())
    }
}
