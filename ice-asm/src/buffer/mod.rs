//! A code buffer that edits branches while it emits.
//!
//! Problem: branches to the next block should vanish, branches over branches be inverted, branches
//! to branches be threaded, and short forms be chosen, in one pass and without a fixed point.
//! Method: every edit concerns branches at the very end of the buffer, so that no earlier offset ever
//! changes (the technique of Cranelift's `MachBuffer`). What a machine's branches are is said by [`BranchIsa`]: forms
//! by number, each with a size and a reach, a slot, a relocation. The forms are chosen in [`branch`], the rules
//! that edit branches are in [`tail`], veneers and constants in [`island`], bundles in [`group`]; slots that are left
//! open are filled in the end, in [`fill`].
//!
//! Data: the bytes; for each label its offset or the label it stands for; one fixup for each branch, all
//! patched by [`CodeBuffer::finish`], because a label at the end may still move back; how many of the last
//! ones lie back to back up to the end of the buffer, a stack of branches to edit, with the labels bound
//! before, between and after them.
//!
//! # Forms of forward branches: why a guess is never wrong
//!
//! The caller gives every block's label its *longest offset* ([`CodeBuffer::set_longest_offset`]):
//! the label's offset in the layout in which every instruction before it has the greatest size that
//! it may have, every jump that the caller will ask for counts with its last form whether or not it
//! will be kept, and padding counts in full: that before a label, and that which branches and groups may need in
//! bundles. Let `P(x)` be that number. When a branch in block `a` is
//! emitted, with `used` bytes in the buffer since `a` was bound, then the bytes from there to block `t`
//! are at most `P(t) - P(a) - used` in the end, islands not counted, because
//!
//! 1. each piece of code still to come has at most its greatest size, and what has already been
//!    emitted in `a` has used up at least `used` of `P(next of a) - P(a)`;
//! 2. no edit makes code longer: a cut removes bytes, threading changes no size, and an inverted
//!    branch replaces two branches whose sizes were both counted, in a form that is no larger than both; its
//!    padding is one of the two that were counted;
//! 3. where a cut reaches back before the point where `a` was bound, `used` restarts at zero or less
//!    than the truth, which only makes the number larger.
//!
//! Where there are no islands, a form is chosen only if it reaches by this bound, and a label becomes an alias of
//! another only where each short branch that waits for it provably reaches the new target by the same bound. Where
//! there are, the bound chooses as well, and without one the smallest form is taken; what makes it right is
//! that every branch that has not reached its target gets a veneer in time ([`island`]). If the caller's numbers are
//! wrong all the same, `finish` reports [`Error::OutOfRange`]: never wrong code.
//!
//! Invariants: an alias chain is acyclic; a label in the list of labels at the tail has exactly the
//! current offset; the branches of the stack are contiguous and end at the current offset. Cost: linear
//! in bytes and branches; `clear` keeps all memory, so the steady state allocates nothing.

pub(crate) mod branch;
pub(crate) mod bytes;
pub(crate) mod fill;
mod group;
mod isa;
mod island;
mod locations;
mod noise;
mod refs;
mod tail;

use crate::error::Error;
use crate::listing::Listing;
use crate::reloc::{Reloc, SymbolId};
use crate::x86;
use alloc::vec::Vec;
use branch::Site;
use bytes::{CodeBytes, Part};
use core::fmt;
pub use fill::OpenSlots;
pub use group::{Group, Place};
pub use isa::{BranchIsa, Form, Reach, Span};
pub use island::Constant;
use island::Waiting;
pub use locations::Location;
use locations::Locations;
pub use noise::{Noise, Vary};
use refs::LabelRef;

/// A position in the code, bound once by [`CodeBuffer::bind`]. Printed `.L<n>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub u32);

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".L{}", self.0)
    }
}

/// "Not yet", "none" or "unknown", where an offset or label number is expected.
pub(crate) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct LabelState {
    /// Offset, or `NONE` while unbound.
    offset: u32,
    /// The label that this one stands for, or `NONE`.
    alias: u32,
    /// Longest offset, or `NONE` when the caller gave none.
    longest: u32,
}

impl LabelState {
    fn new(longest: u32) -> Self {
        LabelState { offset: NONE, alias: NONE, longest }
    }
}

/// Machine code of one function, with its labels, relocations and, for `L = TextListing`, its text.
///
/// Errors are kept, the first one wins, and [`CodeBuffer::finish`] returns it.
pub struct CodeBuffer<L: Listing = (), B: BranchIsa = x86::Branches> {
    pub(crate) bytes: CodeBytes,
    labels: Vec<LabelState>,
    /// Labels bound at the starts of the latest branches and at the end, in order of offset.
    tail_labels: Vec<Label>,
    /// Where the labels bound at the current end begin in `tail_labels`.
    end_from: usize,
    /// How many of the last branches lie back to back up to the end.
    tail_branches: usize,
    /// The end that `tail_branches` and `tail_labels` belong to; any other end makes them stale.
    tail_end: u32,
    /// The offset before which control cannot fall through, or `NONE`.
    stop: u32,
    /// No label is bound behind this offset.
    last_label: u32,
    /// Start, in the buffer and in the longest layout, of the code being emitted.
    anchor: Anchor,
    sites: Vec<Site<B>>,
    waiting: Waiting,
    /// Bytes of a bundle, or 0.
    bundle: u32,
    /// The group that is being emitted, if any.
    open: group::Open,
    last_inst: group::LastInst,
    /// What makes the code differ, if that is wanted.
    noise: Option<Noise>,
    refs: Vec<LabelRef>,
    /// Labels that something else than branches and references leads to.
    pinned: Vec<Label>,
    open_slots: OpenSlots,
    filling: fill::Filling,
    relocs: Vec<Reloc>,
    locations: Locations,
    /// Offsets that somebody wants to know: of calls in order, and by number.
    marks: Vec<u32>,
    ends: Vec<u32>,
    symbol: Option<SymbolId>,
    error: Option<Error>,
    finished: bool,
    pub(crate) listing: L,
}

#[derive(Clone, Copy)]
struct Anchor {
    offset: u32,
    /// `NONE` where the caller has given none.
    longest: u32,
}

impl Anchor {
    const NONE: Anchor = Anchor { offset: 0, longest: NONE };
}

impl<L: Listing, B: BranchIsa> Default for CodeBuffer<L, B> {
    fn default() -> Self {
        Self::new()
    }
}

impl<L: Listing, B: BranchIsa> CodeBuffer<L, B> {
    /// The default of [`CodeBuffer::set_limit`]: displacements of 32 bits reach everywhere within it.
    pub const DEFAULT_LIMIT: u32 = 1 << 30;

    /// An empty buffer.
    #[must_use]
    pub fn new() -> Self {
        CodeBuffer {
            bytes: CodeBytes::new(Self::DEFAULT_LIMIT),
            labels: Vec::new(),
            tail_labels: Vec::new(),
            end_from: 0,
            tail_branches: 0,
            tail_end: NONE,
            stop: NONE,
            last_label: 0,
            anchor: Anchor::NONE,
            sites: Vec::new(),
            waiting: Waiting::new::<B>(),
            bundle: 0,
            open: group::Open::None,
            last_inst: group::LastInst::default(),
            noise: None,
            refs: Vec::new(),
            pinned: Vec::new(),
            open_slots: OpenSlots::Fill,
            filling: fill::Filling::default(),
            relocs: Vec::new(),
            locations: Locations::default(),
            marks: Vec::new(),
            ends: Vec::new(),
            symbol: None,
            error: None,
            finished: false,
            listing: L::default(),
        }
    }

    /// Forgets the code, labels, relocations, locations, function symbol and error; keeps the memory, the limit and what
    /// becomes of open slots.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.labels.clear();
        self.tail_labels.clear();
        self.end_from = 0;
        self.tail_branches = 0;
        self.tail_end = NONE;
        self.stop = NONE;
        self.last_label = 0;
        self.anchor = Anchor::NONE;
        self.sites.clear();
        self.waiting.clear::<B>(self.most_noise(B::STEP));
        self.open = group::Open::None;
        self.last_inst = group::LastInst::default();
        self.refs.clear();
        self.pinned.clear();
        self.relocs.clear();
        self.locations.clear();
        self.marks.clear();
        self.ends.clear();
        self.symbol = None;
        self.error = None;
        self.finished = false;
        self.listing.clear();
    }

    /// The largest size of the code in bytes, at most [`Self::DEFAULT_LIMIT`]; past it nothing is
    /// appended and `finish` reports [`Error::BufferFull`].
    pub fn set_limit(&mut self, bytes: u32) {
        self.bytes.set_limit(bytes.min(Self::DEFAULT_LIMIT));
    }

    /// The symbol at offset 0: absolute addresses of labels are relocations against it.
    pub fn set_symbol(&mut self, function: SymbolId) {
        self.symbol = Some(function);
    }

    /// The current end, in bytes from the start. It can go back while the tail is edited.
    #[must_use]
    #[inline]
    pub fn offset(&self) -> u32 {
        self.bytes.len()
    }

    /// Notes the current end, at which an instruction ends that is not taken back: a call.
    pub fn mark(&mut self) {
        self.marks.push(self.offset());
    }

    /// What was noted by [`mark`](Self::mark), in order.
    #[must_use]
    pub fn marks(&self) -> &[u32] {
        &self.marks
    }

    /// Notes the current end as [`mark`](Self::mark) does, and gives it a number: code before it may move until the buffer is
    /// finished.
    pub fn note_end(&mut self) -> u32 {
        self.ends.push(self.offset());
        self.ends.len() as u32 - 1
    }

    /// Where the end with this number is.
    #[must_use]
    pub fn noted_end(&self, number: u32) -> Option<u32> {
        self.ends.get(number as usize).copied()
    }

    /// The code. Branches and label references hold their values after [`CodeBuffer::finish`].
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    /// The relocations, in the order of their offsets.
    #[must_use]
    pub fn relocs(&self) -> &[Reloc] {
        &self.relocs
    }

    /// The first error so far.
    #[must_use]
    pub fn error(&self) -> Option<Error> {
        self.error
    }

    /// Keeps `error` unless there is one already.
    #[cold]
    pub fn fail(&mut self, error: Error) {
        self.error.get_or_insert(error);
    }

    /// A new label, not yet bound.
    #[inline]
    pub fn new_label(&mut self) -> Label {
        self.new_label_within(NONE)
    }

    /// A new label with its offset in the longest layout, see the header of this module.
    #[inline]
    pub fn new_label_within(&mut self, longest: u32) -> Label {
        let label = Label(self.labels.len() as u32);
        self.labels.push(LabelState::new(longest));
        label
    }

    /// So many new labels, not yet bound.
    pub fn new_labels(&mut self, count: usize) {
        self.labels.resize(self.labels.len() + count, LabelState::new(NONE));
    }

    /// States the label's offset in the longest layout, see the header of this module. Give it before
    /// the first branch to the label. Without it forward branches to the label are long.
    pub fn set_longest_offset(&mut self, label: Label, bytes: u32) {
        match self.labels.get_mut(label.0 as usize) {
            Some(state) => state.longest = bytes,
            None => self.fail(Error::UnknownLabel { label, offset: self.bytes.len() }),
        }
    }

    /// Binds the label to the current end and applies the branch rules.
    pub fn bind(&mut self, label: Label) {
        self.sync_tail();
        let offset = self.offset();
        let Some(state) = self.labels.get_mut(label.0 as usize) else {
            return self.fail(Error::UnknownLabel { label, offset });
        };
        if state.longest != NONE {
            self.anchor = Anchor { offset, longest: state.longest };
        }
        if state.alias != NONE {
            return;
        }
        if state.offset != NONE {
            return self.fail(Error::LabelBoundTwice { label, offset });
        }
        state.offset = offset;
        self.last_label = offset;
        self.tail_labels.push(label);
        if self.may_simplify_tail() {
            self.simplify_tail();
            // The label has moved along with the end.
            self.last_label = self.offset();
        }
    }

    /// Binds the label to the next multiple of `align` (a power of two, at most 64); control that falls
    /// in passes padding. The padding counts as code before the label in longest offsets.
    pub fn bind_aligned(&mut self, label: Label, align: u32) {
        self.bind(label);
        let before = self.offset();
        self.align(align);
        let after = self.offset();
        self.last_label = after;
        for i in self.end_from..self.tail_labels.len() {
            self.labels[self.tail_labels[i].0 as usize].offset = after;
        }
        if self.anchor.offset == before {
            self.anchor.offset = after;
        }
    }

    /// States that control cannot reach the current end: after a return, an indirect jump or a trap.
    pub fn stop_flow(&mut self) {
        self.stop = self.offset();
    }

    /// Where the label is, once it is bound; final after [`CodeBuffer::finish`].
    #[must_use]
    pub fn label_offset(&self, label: Label) -> Option<u32> {
        let root = self.root(label);
        self.labels.get(root.0 as usize).map(|state| state.offset).filter(|&offset| offset != NONE)
    }

    /// The label that this one finally stands for, once the code is finished: the one that text has.
    #[must_use]
    pub fn root(&self, label: Label) -> Label {
        root(&self.labels, label)
    }

    pub(crate) fn bound_labels(&self) -> impl Iterator<Item = (u32, Label)> {
        let bound = |(i, state): (usize, &LabelState)| {
            (state.offset != NONE && state.alias == NONE).then_some((state.offset, Label(i as u32)))
        };
        self.labels.iter().enumerate().filter_map(bound)
    }

    /// Appends bytes, all or none.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        if self.bytes.append(bytes).is_err() {
            self.fail_full();
        }
    }

    /// Appends the parts of one instruction, all or none.
    #[inline(always)]
    pub(crate) fn append_inst<const N: usize>(&mut self, parts: [Part; N]) {
        if !self.bytes.append_parts(parts) {
            let part = |i| parts.get(i).copied().unwrap_or(Part::EMPTY);
            self.append_slowly(part(0), part(1), part(2));
        }
    }

    /// Takes back the instructions and data from `start` on, which were appended last, with their relocations.
    pub(crate) fn take_back(&mut self, start: u32) {
        self.bytes.truncate(start);
        self.listing.cut(start);
        let kept = self.relocs.partition_point(|reloc| reloc.offset < start);
        self.relocs.truncate(kept);
    }

    /// Where the code begins that control comes through from there to the end, if it comes there: behind the last label
    /// and the last branch to one.
    pub(crate) fn straight_line_start(&self) -> u32 {
        let branch = self.sites.last().map_or(0, |site| site.start + B::size(site.cond, site.form));
        branch.max(self.last_label).min(self.offset())
    }

    /// A label at an offset that code has passed.
    pub(crate) fn label_behind(&mut self, offset: u32) -> Label {
        debug_assert!(offset <= self.offset());
        let label = self.new_label();
        if let Some(state) = self.labels.last_mut() {
            state.offset = offset;
        }
        label
    }

    /// Whether a relocation belongs to the instruction of one word at an offset.
    pub(crate) fn has_reloc_at(&self, offset: u32) -> bool {
        self.reloc_of(offset).is_some()
    }

    /// The relocation of the instruction of one word at an offset near the end.
    pub(crate) fn reloc_of(&self, offset: u32) -> Option<Reloc> {
        let first = first_from(&self.relocs, offset);
        self.relocs.get(first).copied().filter(|reloc| reloc.offset < offset + 4)
    }

    /// Moves the instruction of one word at an offset behind the end, with its relocations; it comes from where the last
    /// instruction does.
    pub(crate) fn move_to_end(&mut self, from: u32) {
        const WORD: u32 = 4;
        let end = self.offset();
        if from + WORD == end {
            return;
        }
        let words = self.bytes.as_mut_slice()[from as usize..].as_chunks_mut::<4>().0;
        let word = words[0];
        words.copy_within(1.., 0);
        words[words.len() - 1] = word;
        let first = first_from(&self.relocs, from);
        let moved = self.relocs[first..].iter().take_while(|reloc| reloc.offset < from + WORD).count();
        for (i, reloc) in self.relocs[first..].iter_mut().enumerate() {
            reloc.offset = if i < moved { reloc.offset + end - WORD - from } else { reloc.offset - WORD };
        }
        self.relocs[first..].rotate_left(moved);
        self.listing.move_to_end(from, end, WORD);
        self.locations.close(from, WORD);
    }

    #[cold]
    fn fail_full(&mut self) {
        self.fail(Error::BufferFull { limit: self.bytes.limit() });
    }

    /// Records a relocation.
    pub fn add_reloc(&mut self, reloc: Reloc) {
        self.relocs.push(reloc);
    }

    /// Appends the constants that wait and patches all branches and label references. Call it once, when the function is complete.
    ///
    /// # Errors
    /// The first error since `clear`, an unbound label, or a branch that does not reach.
    pub fn finish(&mut self) -> Result<(), Error> {
        if let Some(error) = self.error {
            return Err(error);
        }
        if core::mem::replace(&mut self.finished, true) {
            return Ok(());
        }
        self.set_location(None);
        self.place_rest();
        let relocs = self.relocs.len();
        let mut result = self.patch_branches().and_then(|()| self.patch_refs());
        // Branches that the linker completes have theirs at the end.
        if self.relocs.len() != relocs && B::SLOT_SIZE != 0 {
            sort_by_offset(&mut self.relocs);
        }
        let is_to_fill = B::SLOT_SIZE != 0 && self.open_slots == OpenSlots::Fill;
        let has_moved = is_to_fill && result.is_ok() && self.fill_slots();
        if has_moved {
            result = self.patch_branches();
        }
        if has_moved || self.relocs.len() != relocs {
            sort_by_offset(&mut self.relocs);
        }
        if let Err(error) = result {
            self.fail(error);
        }
        match self.error {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// The label that `label` finally stands for.
#[inline]
fn root(labels: &[LabelState], mut label: Label) -> Label {
    while let Some(state) = labels.get(label.0 as usize)
        && state.alias != NONE
    {
        label = Label(state.alias);
    }
    label
}

/// The first of the relocations, which are in the order of their offsets, that is not before an offset near the end.
fn first_from(relocs: &[Reloc], offset: u32) -> usize {
    relocs.iter().rposition(|reloc| reloc.offset < offset).map_or(0, |before| before + 1)
}

/// The relocation of the instruction of one word at an offset, of some in the order of their offsets.
fn reloc_at(relocs: &[Reloc], offset: u32) -> Option<Reloc> {
    let first = relocs.partition_point(|reloc| reloc.offset < offset);
    relocs.get(first).copied().filter(|reloc| reloc.offset < offset + 4)
}

/// Sorts relocations by their place. Apart from the buffer, whose type parameters would make copies of it.
fn sort_by_offset(relocs: &mut [Reloc]) {
    relocs.sort_by_key(|reloc| reloc.offset);
}
