//! The rules that edit branches at the tail of the buffer, generic over the instruction set.
//!
//! 1. *Empty block*: an unconditional jump that begins where labels are bound: those labels become
//!    aliases of its target. If control cannot fall in either, nothing is emitted.
//! 2. *Branch to next*: the last branch targets the current end: it is cut off, and the labels bound at
//!    the old end move back. What is in its slot stays as an instruction.
//! 3. *Branch over a branch*: conditional to the current end, then unconditional to `M`: replaced by the
//!    inverted conditional to `M`, with its slot.
//! 4. *Unreachable branch*: a jump where control cannot come from before and no label is bound: not emitted.
//!
//! A jump whose slot does something is no empty block, and no branch goes over it: the slot belongs to that
//! way alone.
//!
//! Rules 1 and 4 apply when a jump is asked for, 2 and 3 when a label is bound, until none applies: each
//! shortens the buffer, so this ends, and each branch is removed at most once.
//!
//! Rule 1 asks whether all branches that wait for a label would also reach the jump's target. Where there are no
//! islands, forms that do not reach everywhere are short, and few branches are near enough to wait. Where there are,
//! those that do not reach a place ahead get a veneer; a place behind must be within the shortest reach.
//!
//! A branch in the middle can still come to target its own end, by the later alias of a label; `finish`
//! writes it as instructions that do nothing.

use super::branch::{Site, last_form};
use super::isa::{BranchIsa, Form};
use super::{CodeBuffer, Label, NONE};
use crate::error::Error;
use crate::listing::{self, Listing};

impl<L: Listing, B: BranchIsa> CodeBuffer<L, B> {
    /// States that `label` is the same place as `target`, before `label` is bound or branched to: a block
    /// known to hold nothing but a jump. Binding `label` later has no effect. Without this, such blocks are
    /// threaded as well, but not where a short branch to the block would not reach its target.
    pub fn alias(&mut self, label: Label, target: Label) {
        let (Some(from), Some(to)) = (self.compress(label), self.compress(target)) else { return };
        if self.labels[from.0 as usize].offset != NONE {
            self.fail(Error::LabelBoundTwice { label, offset: self.offset() });
        } else if from != to {
            self.labels[from.0 as usize].alias = to.0;
        }
    }

    /// Rule 1: the labels at the end become aliases. What cannot become one stays bound here.
    #[inline]
    pub(super) fn alias_end_labels(&mut self, target: Label) {
        let mut kept = self.end_from;
        for i in self.end_from..self.tail_labels.len() {
            let label = self.tail_labels[i];
            if self.may_stand_for(label, target) {
                self.labels[label.0 as usize].alias = target.0;
            } else {
                self.tail_labels[kept] = label;
                kept += 1;
            }
        }
        self.tail_labels.truncate(kept);
    }

    /// Drops what is known of the tail if something else was appended since.
    #[inline]
    pub(super) fn sync_tail(&mut self) {
        let end = self.offset();
        if self.tail_end != end {
            self.tail_branches = 0;
            self.tail_labels.clear();
            self.end_from = 0;
            self.tail_end = end;
        }
    }

    /// Makes the present tail final. Its labels are forgotten, so control may come to the end by them.
    pub(crate) fn freeze_tail(&mut self) {
        self.tail_end = NONE;
        self.stop = NONE;
    }

    /// The label's root, with the chain halved on the way; `None`, with an error, for no label of ours.
    #[inline]
    pub(super) fn compress(&mut self, mut label: Label) -> Option<Label> {
        if label.0 as usize >= self.labels.len() {
            self.fail(Error::UnknownLabel { label, offset: self.bytes.len() });
            return None;
        }
        loop {
            let next = self.labels[label.0 as usize].alias;
            if next == NONE {
                return Some(label);
            }
            let after = self.labels[next as usize].alias;
            if after == NONE {
                return Some(Label(next));
            }
            self.labels[label.0 as usize].alias = after;
            label = Label(after);
        }
    }

    /// An upper bound of the bytes from the current end to a label that is not bound yet.
    pub(super) fn longest_way_to(&self, label: Label) -> Option<u32> {
        let anchor = self.anchor;
        let longest = self.labels[label.0 as usize].longest;
        if longest == NONE || anchor.longest == NONE {
            return None;
        }
        longest.checked_sub(anchor.longest)?.checked_sub(self.offset().checked_sub(anchor.offset)?)
    }

    /// Whether every branch that waits for `label`, bound at the end, would also reach `target`.
    fn may_stand_for(&self, label: Label, target: Label) -> bool {
        let end = self.offset();
        let target_offset = self.labels[target.0 as usize].offset;
        if B::ISLANDS {
            // Nothing that waits begins behind the end.
            return target_offset == NONE || end - target_offset <= B::span(Form(0)).back;
        }
        let farthest = (0..last_form::<B>().0).map(|form| B::span(Form(form)).ahead).max().unwrap_or(0);
        let way = if target_offset == NONE { self.longest_way_to(target) } else { None };
        for site in self.sites.iter().rev().take_while(|site| end - site.start <= farthest) {
            if site.form == last_form::<B>() || self.root(site.target) != label {
                continue;
            }
            let distance = match way {
                _ if target_offset != NONE => i64::from(target_offset) - i64::from(site.start),
                Some(way) => i64::from(way) + i64::from(end - site.start),
                None => return false,
            };
            if !B::span(site.form).contains(distance) {
                return false;
            }
        }
        true
    }

    /// Cuts the last branch off; the labels at the old end move back to its start.
    fn pop_branch(&mut self) -> Option<Site<B>> {
        let branch = self.sites.pop()?;
        self.tail_branches -= 1;
        let start = branch.start - u32::from(branch.pad);
        self.bytes.truncate(start);
        self.locations.cut(start);
        if branch.pad != 0 {
            self.listing.cut(start);
        }
        self.move_end_labels(start);
        self.end_from = branch.labels_from as usize;
        self.tail_end = start;
        self.stop = if branch.unreached { start } else { NONE };
        self.anchor.offset = self.anchor.offset.min(start);
        Some(branch)
    }

    fn move_end_labels(&mut self, offset: u32) {
        for label in &self.tail_labels[self.end_from..] {
            self.labels[label.0 as usize].offset = offset;
        }
    }

    /// Whether rule 2 or 3 may apply to the last branch, now that a label is bound at the end. Mostly not: it is
    /// one to somewhere else.
    #[inline(always)]
    pub(super) fn may_simplify_tail(&self) -> bool {
        let tail = self.sites.len().checked_sub(self.tail_branches).and_then(|start| self.sites.get(start..));
        let Some([before @ .., last]) = tail else { return false };
        let target = self.labels.get(last.target.0 as usize);
        let is_elsewhere = target.is_some_and(|t| t.alias == NONE && t.offset != self.tail_end);
        !is_elsewhere || last.cond.is_none() && !before.is_empty()
    }

    /// Rules 2 and 3. Nothing to do unless labels are bound at the end.
    #[inline(never)]
    pub(super) fn simplify_tail(&mut self) {
        while self.tail_branches > 0
            && let Some(&last) = self.sites.last()
            && self.end_from < self.tail_labels.len()
        {
            let end = self.offset();
            let has_slot = last.slot != B::Slot::default();
            if self.label_offset(last.target) == Some(end) {
                if has_slot {
                    return self.keep_slot(last);
                }
                self.pop_branch();
            } else if last.cond.is_none()
                && !has_slot
                && last.labels_from as usize == self.end_from
                && self.tail_branches > 1
                && let [.., over, _] = self.sites[..]
                && let Some(cond) = over.cond
                && self.label_offset(over.target) == Some(end)
            {
                self.invert_over(last, over, cond);
            } else {
                break;
            }
        }
    }

    /// Rule 2 where the slot does something: it is what stays of the branch.
    #[cold]
    fn keep_slot(&mut self, branch: Site<B>) {
        let (labels_from, anchored) = (self.end_from, self.anchor.offset == self.offset());
        self.pop_branch();
        self.tail_branches = 0;
        let offset = self.offset();
        let mut bytes = [0; 16];
        let bytes = &mut bytes[..B::SLOT_SIZE as usize];
        B::encode_slot(branch.slot, bytes);
        let pad = self.padding_before(B::SLOT_SIZE);
        self.pad(&[], pad);
        self.listing.line(offset + pad, |out| listing::write_bytes(out, bytes));
        self.append(bytes);
        let end = self.offset();
        self.tail_labels.drain(..labels_from);
        self.end_from = 0;
        self.move_end_labels(end);
        self.tail_end = end;
        self.stop = NONE;
        if anchored {
            self.anchor.offset = end;
        }
    }

    /// Rule 3: the conditional branch and the jump after it become one.
    fn invert_over(&mut self, jump: Site<B>, over: Site<B>, cond: B::Cond) {
        let anchor_after = self.anchor.offset > over.start;
        self.pop_branch();
        let split = self.end_from;
        self.pop_branch();
        let cond = B::invert(cond);
        let form = match self.label_offset(jump.target) {
            // Backwards the way may have become short enough.
            Some(target) => self.form_back(Some(cond), target),
            None => inverted_form::<B>(cond, jump.form),
        };
        self.push_branch(Some(cond), over.slot, jump.target, form);
        self.end_from = split;
        let end = self.offset();
        self.move_end_labels(end);
        if anchor_after {
            self.anchor.offset = end;
        }
    }
}

/// The form of a conditional branch in the place of a jump ahead and the branch over it. The way to the label is as
/// long as it was, so the jump's form still fits; where a jump comes in no smaller form, the branch may hope for one.
fn inverted_form<B: BranchIsa>(cond: B::Cond, jump: Form) -> Form {
    let hopes = B::ISLANDS && (0..jump.0).all(|form| B::size(None, Form(form)) == 0);
    let first = if hopes { 0 } else { jump.0 };
    (first..B::FORMS).map(Form).find(|&form| B::size(Some(cond), form) != 0).unwrap_or(last_form::<B>())
}
