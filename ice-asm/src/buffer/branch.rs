//! The rules that edit branches at the tail of the buffer, generic over the instruction set.
//!
//! 1. *Empty block*: an unconditional jump that begins where labels are bound: those labels become
//!    aliases of its target. If control cannot fall in either, nothing is emitted.
//! 2. *Branch to next*: the last branch targets the current end: it is cut off, and the labels bound at
//!    the old end move back.
//! 3. *Branch over a branch*: conditional to the current end, then unconditional to `M`: replaced by the
//!    inverted conditional to `M`.
//! 4. *Unreachable branch*: a jump where control cannot come from before and no label is bound: not emitted.
//!
//! Rules 1 and 4 apply when a jump is asked for, 2 and 3 when a label is bound, until none applies: each
//! shortens the buffer, so this ends, and each branch is removed at most once.
//!
//! A branch in the middle can still come to target its own end, by the later alias of a label; `finish`
//! writes it as instructions that do nothing.

use super::bytes::Part;
use super::{CodeBuffer, Label, NONE, root};
use crate::error::Error;
use crate::listing::{Listing, TextListing, write_bytes};
use core::fmt;

/// The two forms of a branch. An instruction set with one form says that the short one reaches nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Short reach.
    Short,
    /// Long reach.
    Long,
}

/// What the caller knows of the way from a branch to a label that is not bound yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The labels' longest offsets tell, if they were given; the branch counts with its long form in them.
    FromLabels,
    /// The same, but so many bytes were counted for the branch: more than its long form, because a jump to
    /// the next block was counted as well and is left out.
    Counted(u32),
    /// At most this many bytes will lie between the end of the branch and the label.
    Within(u32),
}

/// The branches of an instruction set. Distances are from the start of the branch to its target.
pub trait BranchIsa {
    /// A condition.
    type Cond: Copy + fmt::Debug;
    /// The largest size of a branch in bytes, at most 8.
    const MAX_SIZE: u32;
    /// The farthest that a short branch reaches forwards or backwards, in bytes.
    const MAX_SHORT: u32;
    /// What begins a comment in its assembler text.
    const COMMENT: &'static str;
    /// The opposite condition.
    fn invert(cond: Self::Cond) -> Self::Cond;
    /// The size in bytes of a conditional or (`None`) unconditional branch.
    fn size(cond: Option<Self::Cond>, form: Form) -> u32;
    /// Whether the branch can have this distance.
    fn reaches(cond: Option<Self::Cond>, form: Form, distance: i64) -> bool;
    /// Writes the branch; `out` has its size, the distance is one that it reaches.
    fn encode(cond: Option<Self::Cond>, form: Form, distance: i64, out: &mut [u8]);
    /// Fills the whole of `out` with instructions that do nothing.
    fn fill_nops(out: &mut [u8]);
    /// Writes the assembler text such that an assembler makes the same bytes.
    ///
    /// # Errors
    /// Those of `out`.
    fn write(
        out: &mut dyn fmt::Write,
        cond: Option<Self::Cond>,
        form: Form,
        distance: i64,
        target: Label,
    ) -> fmt::Result;
}

/// A branch in the code, to be patched.
#[derive(Clone, Copy)]
pub(crate) struct BranchSite<C> {
    pub start: u32,
    pub target: Label,
    pub cond: Option<C>,
    pub form: Form,
    /// Control cannot fall into its start from before.
    unreached: bool,
    /// Where the labels bound at its start begin in `tail_labels`, while it is at the tail.
    labels_from: u32,
}

impl<L: Listing, B: BranchIsa> CodeBuffer<L, B> {
    /// Jumps to the label.
    pub fn jump(&mut self, target: Label) {
        self.jump_within(target, Reach::FromLabels);
    }

    /// Jumps to the label, which is within `reach`.
    pub fn jump_within(&mut self, target: Label, reach: Reach) {
        self.sync_tail();
        let Some(root) = self.compress(target) else { return };
        let end = self.offset();
        if self.labels[root.0 as usize].offset != end {
            // Rule 1. What cannot become an alias stays bound here.
            let mut kept = self.end_from;
            for i in self.end_from..self.tail_labels.len() {
                let label = self.tail_labels[i];
                if self.may_stand_for(label, root) {
                    self.labels[label.0 as usize].alias = root.0;
                } else {
                    self.tail_labels[kept] = label;
                    kept += 1;
                }
            }
            self.tail_labels.truncate(kept);
        }
        // Rule 4.
        if self.stop == end && self.tail_labels.len() == self.end_from {
            return;
        }
        let reach = if root == target { reach } else { Reach::FromLabels };
        self.add_branch(None, root, reach);
    }

    /// Jumps to the label if the condition holds.
    pub fn jump_if(&mut self, cond: B::Cond, target: Label) {
        self.jump_if_within(cond, target, Reach::FromLabels);
    }

    /// Jumps to the label, which is within `reach`, if the condition holds.
    pub fn jump_if_within(&mut self, cond: B::Cond, target: Label, reach: Reach) {
        self.sync_tail();
        let Some(root) = self.compress(target) else { return };
        if self.stop == self.offset() && self.tail_labels.len() == self.end_from {
            return;
        }
        let reach = match reach {
            Reach::Within(_) if root != target => Reach::FromLabels,
            _ => reach,
        };
        self.add_branch(Some(cond), root, reach);
    }

    /// Appends unconditional branches of the long form that stay as they are: a table that code jumps into.
    pub fn emit_branch_table(&mut self, targets: impl IntoIterator<Item = Label>) {
        for target in targets {
            // What jumps into the table is not known here.
            self.freeze_tail();
            self.sync_tail();
            let Some(root) = self.compress(target) else { return };
            self.push_branch(None, root, Form::Long);
        }
        self.freeze_tail();
        self.stop_flow();
    }

    /// States that `label` is the same place as `target`, before `label` is bound or branched to: a block
    /// known to hold nothing but a jump. Binding `label` later has no effect. Without this, such blocks are
    /// threaded as well, but not where a short branch to the block would not reach its target.
    pub fn alias(&mut self, label: Label, target: Label) {
        let (Some(from), Some(to)) = (self.compress(label), self.compress(target)) else { return };
        let offset = self.offset();
        let state = &mut self.labels[from.0 as usize];
        if state.offset != NONE {
            self.fail(Error::LabelBoundTwice { label, offset });
        } else if from != to {
            state.alias = to.0;
        }
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
    pub(super) fn freeze_tail(&mut self) {
        self.tail_end = NONE;
        self.stop = NONE;
    }

    /// The label's root, with the chain halved on the way; `None`, with an error, for no label of ours.
    fn compress(&mut self, mut label: Label) -> Option<Label> {
        if label.0 as usize >= self.labels.len() {
            self.fail(Error::UnknownLabel { label, offset: self.offset() });
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
    fn longest_way_to(&self, label: Label) -> Option<u32> {
        let anchor = self.anchor;
        let longest = self.labels[label.0 as usize].longest;
        if longest == NONE || anchor.longest == NONE {
            return None;
        }
        longest.checked_sub(anchor.longest)?.checked_sub(self.offset().checked_sub(anchor.offset)?)
    }

    /// Whether every short branch that waits for `label`, bound at the end, would also reach `target`.
    fn may_stand_for(&mut self, label: Label, target: Label) -> bool {
        let end = self.offset();
        let target_offset = self.labels[target.0 as usize].offset;
        let way = if target_offset == NONE { self.longest_way_to(target) } else { None };
        for i in (0..self.sites.len()).rev() {
            let site = self.sites[i];
            if end - site.start > B::MAX_SHORT {
                break;
            }
            if site.form == Form::Long || self.root(site.target) != label {
                continue;
            }
            let distance = match way {
                _ if target_offset != NONE => i64::from(target_offset) - i64::from(site.start),
                Some(way) => i64::from(way) + i64::from(end - site.start),
                None => return false,
            };
            if !B::reaches(site.cond, Form::Short, distance) {
                return false;
            }
        }
        true
    }

    /// Appends a branch. No label is bound behind it yet, so rules 2 and 3 wait for `bind`.
    #[inline(always)]
    fn add_branch(&mut self, cond: Option<B::Cond>, target: Label, reach: Reach) {
        let start = self.offset();
        let short = B::size(cond, Form::Short);
        let bound = self.labels[target.0 as usize].offset;
        let distance = if bound != NONE {
            Some(i64::from(bound) - i64::from(start))
        } else {
            let beyond = |counted| self.longest_way_to(target).and_then(|way| way.checked_sub(counted));
            let between = match reach {
                Reach::Within(bytes) => Some(bytes),
                Reach::FromLabels => beyond(B::size(cond, Form::Long)),
                Reach::Counted(bytes) => beyond(bytes),
            };
            between.map(|bytes| i64::from(bytes) + i64::from(short))
        };
        let form = match distance {
            Some(distance) if B::reaches(cond, Form::Short, distance) => Form::Short,
            _ => Form::Long,
        };
        self.push_branch(cond, target, form);
    }

    #[inline(always)]
    fn push_branch(&mut self, cond: Option<B::Cond>, target: Label, form: Form) {
        let start = self.offset();
        // Its bytes are written by `patch_branches`.
        self.append_inst([Part { bytes: 0, len: B::size(cond, form) }]);
        if self.offset() == start {
            return; // The buffer is full.
        }
        let (unreached, labels_from) = (self.stop == start, self.end_from as u32);
        self.sites.push(BranchSite { start, target, cond, form, unreached, labels_from });
        self.tail_branches += 1;
        self.end_from = self.tail_labels.len();
        self.tail_end = self.offset();
        self.stop = if cond.is_none() { self.tail_end } else { NONE };
    }

    /// Cuts the last branch off; the labels at the old end move back to its start.
    fn pop_branch(&mut self) -> Option<BranchSite<B::Cond>> {
        let branch = self.sites.pop()?;
        self.tail_branches -= 1;
        self.bytes.truncate(branch.start);
        self.move_end_labels(branch.start);
        self.end_from = branch.labels_from as usize;
        self.tail_end = branch.start;
        self.stop = if branch.unreached { branch.start } else { NONE };
        self.anchor.offset = self.anchor.offset.min(branch.start);
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
            if self.label_offset(last.target) == Some(end) {
                self.pop_branch();
            } else if last.cond.is_none()
                && last.labels_from as usize == self.end_from
                && self.tail_branches > 1
                && let [.., over, _] = self.sites[..]
                && let Some(cond) = over.cond
                && self.label_offset(over.target) == Some(end)
            {
                self.invert_over(last, over.start, cond);
            } else {
                break;
            }
        }
    }

    /// Rule 3: the conditional branch at `start` and the jump after it become one.
    fn invert_over(&mut self, jump: BranchSite<B::Cond>, start: u32, cond: B::Cond) {
        let anchor_after = self.anchor.offset > start;
        self.pop_branch();
        let split = self.end_from;
        self.pop_branch();
        // The way to the label is as long as it was, so the jump's form still fits; backwards the way
        // may have become short enough.
        let cond = B::invert(cond);
        let form = match self.label_offset(jump.target) {
            Some(target) if B::reaches(Some(cond), Form::Short, i64::from(target) - i64::from(start)) => {
                Form::Short
            }
            _ => jump.form,
        };
        self.push_branch(Some(cond), jump.target, form);
        self.end_from = split;
        let end = self.offset();
        self.move_end_labels(end);
        if anchor_after {
            self.anchor.offset = end;
        }
    }

    pub(super) fn patch_branches(&mut self) -> Result<(), Error> {
        let code = self.bytes.as_mut_slice();
        for site in &mut self.sites {
            let BranchSite { start, target, cond, form, .. } = *site;
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
            } else if B::reaches(cond, form, distance) {
                B::encode(cond, form, distance, bytes);
            } else {
                return Err(Error::OutOfRange { label: target, offset: start });
            }
        }
        Ok(())
    }

    pub(crate) fn branch_sites(&self) -> impl Iterator<Item = BranchSite<B::Cond>> {
        self.sites.iter().copied()
    }
}

impl<B: BranchIsa> CodeBuffer<TextListing, B> {
    /// One line of the listing for a branch, in its final form.
    pub(crate) fn write_branch(&self, out: &mut dyn fmt::Write, site: BranchSite<B::Cond>) -> fmt::Result {
        let target = self.root(site.target);
        let size = B::size(site.cond, site.form);
        let distance = match self.label_offset(target) {
            Some(offset) => i64::from(offset) - i64::from(site.start),
            None => 0,
        };
        out.write_char('\t')?;
        if distance == i64::from(size) {
            let bytes = self.bytes.as_slice().get(site.start as usize..(site.start + size) as usize);
            write_bytes(out, bytes.unwrap_or_default())?;
            write!(out, " {} branch to next", B::COMMENT)?;
        } else {
            B::write(out, site.cond, site.form, distance, target)?;
        }
        out.write_char('\n')
    }
}
