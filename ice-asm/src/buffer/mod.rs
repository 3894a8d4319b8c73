//! A code buffer that edits branches while it emits.
//!
//! Problem: branches to the next block should vanish, branches over branches be inverted, branches
//! to branches be threaded, and short forms be chosen, in one pass and without a fixed point.
//! Method: every edit concerns branches at the very end of the buffer, so that no earlier offset ever
//! changes (the technique of Cranelift's `MachBuffer`). Labels, fixups and the listing live here;
//! the rules that edit branches live in [`branch`].
//!
//! Data: the bytes; for each label its offset or the label it stands for; one fixup for each branch, all
//! patched by [`CodeBuffer::finish`], because a label at the end may still move back; how many of the last
//! ones lie back to back up to the end of the buffer, a stack of branches to edit, with the labels bound
//! before, between and after them.
//!
//! # Short forms of forward branches: why a guess is never wrong
//!
//! The caller gives every block's label its *longest offset* ([`CodeBuffer::set_longest_offset`]):
//! the label's offset in the layout in which every instruction before it has the greatest size that
//! it may have, every jump that the caller will ask for counts with its long form whether or not it
//! will be kept, and padding counts in full. Let `P(x)` be that number. When a branch in block `a` is
//! emitted, with `used` bytes in the buffer since `a` was bound, then the bytes from there to block `t`
//! are at most `P(t) - P(a) - used` in the end, because
//!
//! 1. each piece of code still to come has at most its greatest size, and what has already been
//!    emitted in `a` has used up at least `used` of `P(next of a) - P(a)`;
//! 2. no edit makes code longer: a cut removes bytes, threading changes no size, and an inverted
//!    branch replaces two branches whose sizes were both counted, keeping the form of the second;
//! 3. where a cut reaches back before the point where `a` was bound, `used` restarts at zero or less
//!    than the truth, which only makes the number larger.
//!
//! A label becomes an alias of another only where each short branch that waits for it provably reaches
//! the new target by the same bound. If the caller's numbers are wrong all the same, `finish` reports
//! [`Error::OutOfRange`]: never wrong code.
//!
//! Invariants: an alias chain is acyclic; a label in the list of labels at the tail has exactly the
//! current offset; the branches of the stack are contiguous and end at the current offset. Cost: linear
//! in bytes and branches; `clear` keeps all memory, so the steady state allocates nothing.

pub(crate) mod branch;
pub(crate) mod bytes;

use crate::error::Error;
use crate::listing::{self, LabelText, Listing, SymbolText};
use crate::reloc::{Reloc, RelocKind, SymbolId};
use crate::x86;
use alloc::vec::Vec;
use branch::BranchSite;
pub use branch::{BranchIsa, Form, Reach};
use bytes::{CodeBytes, Part};
use core::fmt;

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

/// A label in something else than a branch.
#[derive(Clone, Copy)]
struct LabelRef {
    at: u32,
    label: Label,
    kind: RefKind,
}

#[derive(Clone, Copy)]
enum RefKind {
    /// 32 bits: label + addend - at.
    PcRel32 { addend: i32 },
    /// 32 bits: label - base.
    Difference { base: Label },
    /// The label's offset is added to the addend of this relocation.
    Reloc { index: u32 },
    /// The low 12 bits of a word: how far the label is from `at` + `ahead`; bit 23 if it is not before that.
    PcOffset12 { ahead: u8 },
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
    /// Start, in the buffer and in the longest layout, of the code being emitted.
    anchor: Anchor,
    sites: Vec<BranchSite<B::Cond>>,
    refs: Vec<LabelRef>,
    relocs: Vec<Reloc>,
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
            anchor: Anchor::NONE,
            sites: Vec::new(),
            refs: Vec::new(),
            relocs: Vec::new(),
            symbol: None,
            error: None,
            finished: false,
            listing: L::default(),
        }
    }

    /// Forgets the code, labels, relocations, function symbol and error; keeps the memory and the limit.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.labels.clear();
        self.tail_labels.clear();
        self.end_from = 0;
        self.tail_branches = 0;
        self.tail_end = NONE;
        self.stop = NONE;
        self.anchor = Anchor::NONE;
        self.sites.clear();
        self.refs.clear();
        self.relocs.clear();
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
        self.labels.push(LabelState { offset: NONE, alias: NONE, longest });
        label
    }

    /// So many new labels, not yet bound.
    pub fn new_labels(&mut self, count: usize) {
        let label = LabelState { offset: NONE, alias: NONE, longest: NONE };
        self.labels.resize(self.labels.len() + count, label);
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
        self.tail_labels.push(label);
        if self.may_simplify_tail() {
            self.simplify_tail();
        }
    }

    /// Binds the label to the next multiple of `align` (a power of two, at most 64); control that falls
    /// in passes padding. The padding counts as code before the label in longest offsets.
    pub fn bind_aligned(&mut self, label: Label, align: u32) {
        self.bind(label);
        let before = self.offset();
        self.align(align);
        let after = self.offset();
        for i in self.end_from..self.tail_labels.len() {
            self.labels[self.tail_labels[i].0 as usize].offset = after;
        }
        if self.anchor.offset == before {
            self.anchor.offset = after;
        }
    }

    /// Pads with instructions that do nothing to the next multiple of `align` (a power of two, at most 64).
    /// What was emitted before is final: no branch before it is cut any more.
    pub fn align(&mut self, align: u32) {
        let mask = align.clamp(1, 64).next_power_of_two() - 1;
        let padding = self.offset().wrapping_neg() & mask;
        let mut nops = [0; 64];
        let nops = &mut nops[..padding as usize];
        B::fill_nops(nops);
        if padding > 0 {
            let offset = self.offset();
            self.append(nops);
            let nops = &*nops;
            self.listing.line(offset, |out| {
                listing::write_bytes(out, nops)?;
                write!(out, " {} padding", B::COMMENT)
            });
        }
        self.freeze_tail();
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

    /// The label that this one finally stands for.
    pub(crate) fn root(&self, label: Label) -> Label {
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
        if self.bytes.append_parts(parts).is_err() {
            self.fail_full();
        }
    }

    #[cold]
    fn fail_full(&mut self) {
        self.fail(Error::BufferFull { limit: self.bytes.limit() });
    }

    /// Records a relocation.
    pub fn add_reloc(&mut self, reloc: Reloc) {
        self.relocs.push(reloc);
    }

    /// Records that the field at `offset` gets the absolute address of the label (plus `addend`): a
    /// relocation against the function's symbol, whose addend becomes final in `finish`.
    pub fn reloc_to_label(&mut self, offset: u32, kind: RelocKind, label: Label, addend: i64) {
        let Some(symbol) = self.symbol else {
            return self.fail(Error::NoFunctionSymbol { offset });
        };
        let index = self.relocs.len() as u32;
        self.relocs.push(Reloc { offset, kind, symbol, addend });
        self.refs.push(LabelRef { at: offset, label, kind: RefKind::Reloc { index } });
    }

    /// Records that the 32-bit field at `offset` gets `label + addend - offset`.
    pub fn pc_relative_to_label(&mut self, offset: u32, label: Label, addend: i32) {
        self.refs.push(LabelRef { at: offset, label, kind: RefKind::PcRel32 { addend } });
    }

    /// Records that the word at `offset` gets the distance of the label from `offset + ahead`: at most 4095 bytes
    /// to both sides, in its low 12 bits, and bit 23 where it is not negative.
    pub fn pc_offset12_to_label(&mut self, offset: u32, label: Label, ahead: u8) {
        self.refs.push(LabelRef { at: offset, label, kind: RefKind::PcOffset12 { ahead } });
    }

    /// Appends data.
    pub fn emit_data(&mut self, data: &[u8]) {
        for chunk in data.chunks(16) {
            let offset = self.offset();
            self.listing.line(offset, |out| listing::write_bytes(out, chunk));
            self.append(chunk);
        }
    }

    /// Appends a little-endian 32-bit number.
    pub fn emit_u32(&mut self, value: u32) {
        let offset = self.offset();
        self.listing.line(offset, |out| write!(out, ".long {value:#x}"));
        self.append(&value.to_le_bytes());
    }

    /// Appends the address of a symbol, in the size of `kind`.
    pub fn emit_symbol(&mut self, kind: RelocKind, symbol: SymbolId, addend: i64) {
        let offset = self.offset();
        self.listing.line(offset, |out| write!(out, "{} {}{addend:+}", directive(kind), SymbolText(symbol)));
        self.append(&[0; 8][..kind.size() as usize]);
        self.add_reloc(Reloc { offset, kind, symbol, addend });
    }

    /// Appends the absolute address of a label (`kind` is one of the absolute kinds): an entry of a jump table.
    pub fn emit_label(&mut self, kind: RelocKind, label: Label) {
        let offset = self.offset();
        self.listing.line(offset, |out| write!(out, "{} {}", directive(kind), LabelText(label)));
        self.append(&[0; 8][..kind.size() as usize]);
        self.reloc_to_label(offset, kind, label, 0);
    }

    /// Appends the 32-bit distance from `base` to `label`: an entry of a position-independent jump table.
    pub fn emit_label_difference(&mut self, label: Label, base: Label) {
        let offset = self.offset();
        self.listing.line(offset, |out| write!(out, ".long {}-{}", LabelText(label), LabelText(base)));
        self.append(&[0; 4]);
        self.refs.push(LabelRef { at: offset, label, kind: RefKind::Difference { base } });
    }

    /// Patches all branches and label references. Call it once, when the function is complete.
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
        let result = self.patch_branches().and_then(|()| self.patch_refs());
        self.error = result.err();
        result
    }

    fn patch_refs(&mut self) -> Result<(), Error> {
        for i in 0..self.refs.len() {
            let LabelRef { at, label, kind } = self.refs[i];
            let target = self.label_offset(label).ok_or(Error::UnboundLabel { label, offset: at })?;
            let value = match kind {
                RefKind::Reloc { index } => {
                    self.relocs[index as usize].addend += i64::from(target);
                    continue;
                }
                RefKind::PcRel32 { addend } => i64::from(target) + i64::from(addend) - i64::from(at),
                RefKind::PcOffset12 { ahead } => {
                    let distance = i64::from(target) - i64::from(at) - i64::from(ahead);
                    let size = u32::try_from(distance.unsigned_abs()).unwrap_or(u32::MAX);
                    if size >> 12 != 0 {
                        return Err(Error::OutOfRange { label, offset: at });
                    }
                    let bits = size | u32::from(distance >= 0) << 23;
                    if let Some(field) = self.bytes.as_mut_slice().get_mut(at as usize..)
                        && let Some(field) = field.first_chunk_mut()
                    {
                        *field = (u32::from_le_bytes(*field) | bits).to_le_bytes();
                    }
                    continue;
                }
                RefKind::Difference { base } => {
                    let base =
                        self.label_offset(base).ok_or(Error::UnboundLabel { label: base, offset: at })?;
                    i64::from(target) - i64::from(base)
                }
            };
            let value = i32::try_from(value).map_err(|_| Error::OutOfRange { label, offset: at })?;
            if let Some(field) = self.bytes.as_mut_slice().get_mut(at as usize..at as usize + 4) {
                field.copy_from_slice(&value.to_le_bytes());
            }
        }
        Ok(())
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

fn directive(kind: RelocKind) -> &'static str {
    if kind.size() == 8 { ".quad" } else { ".long" }
}
