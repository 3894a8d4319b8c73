//! Islands: what waits for a place in the code within reach, and when it gets one.
//!
//! Constants that code loads relative to the program counter, and veneers (jumps that branches go by whose form does
//! not reach their target), wait until the function ends or until the first of them can wait no longer. Then they
//! are put into the code, behind a jump over them if control comes there.
//!
//! An island holds the constants first, then the veneers by the form of the branches that they are for, the shorter
//! reach first. So the island may begin no later than at
//!
//! * `last - jump - before` for a constant that must be at `last` or earlier, with the bytes `before` it on the
//!   island, which do not change while it waits; and
//! * `last - jump - constants - veneers` for the first branch of a form, with the bytes of all constants and of one
//!   veneer for every branch that waits in this or a shorter form. The other branches of the form may wait longer
//!   than the first one does, and their veneers are among those counted.
//!
//! Whoever emits code says in time how much will come ([`CodeBuffer::room_for`]), at places where an island may be.
//! A branch that is emitted costs nothing: [`Waiting::look`] is an offset up to which no form can be due whatever
//! comes. In `x` bytes there are at most `x / s` branches of at least `s` bytes, with veneers of `v` bytes; so where
//! a form has `slack` left now, `x` may be `slack * s / (s + v)`. There it is computed anew from what really waits. A
//! form that gives less than a sixteenth of its reach is due: its branches with deadlines in the next half of the
//! reach get veneers, one for each target; or all of them, where either part is large. So the next look is
//! away by a part of the reach, and the cost is linear in the branches.
//!
//! Islands make the way of branches longer that are known to reach by longest offsets, and a label that becomes
//! an alias of one that is not bound may be farther than it was. These branches wait like all others, and get a veneer as well: deadlines
//! hold, the offsets only choose. Instruction sets without islands have constants at the end of the function alone.

use super::branch::{Site, last_form};
use super::isa::{BranchIsa, Form};
use super::{CodeBuffer, Label, NONE};
use crate::listing::{LabelText, Listing, SymbolText};
use crate::pool::ConstantSize;
use crate::reloc::{Reloc, RelocKind, SymbolId};
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// The most forms that an instruction set may have.
const MAX_FORMS: usize = 4;

/// A constant in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    /// These bits, the low ones of `bits`.
    Bits {
        /// How many.
        size: ConstantSize,
        /// The bits.
        bits: u128,
    },
    /// A word that is the value of a symbol as `kind` says; less the program counter in the instruction at
    /// `origin`, where one is given.
    Symbol {
        /// What the linker computes.
        kind: RelocKind,
        /// Of which symbol.
        symbol: SymbolId,
        /// The instruction that adds the program counter.
        origin: Option<Label>,
    },
}

impl Constant {
    fn size(&self) -> u32 {
        match self {
            Constant::Bits { size, .. } => size.bytes(),
            Constant::Symbol { kind, .. } => kind.size(),
        }
    }
}

/// What waits for an island. Reused from function to function.
pub(super) struct Waiting {
    /// The offset at which to look what is due, less [`BranchIsa::STEP`].
    look: u32,
    /// The last offset at which an island may begin for the constants, or `NONE`.
    constants_last: u32,
    constants: Vec<(Label, Constant)>,
    /// Bytes of the constants on an island, with their padding.
    constant_bytes: u32,
    /// Branches of each form that may still wait, as far as they were looked at.
    branches: [VecDeque<u32>; MAX_FORMS],
    /// A table has an entry whose target is too far behind it.
    pub(super) has_far_table: bool,
    /// How many branches were looked at.
    seen: usize,
    /// Branches that get a veneer, with their targets in the upper halves: sorting numbers takes little code.
    due: Vec<u64>,
    /// Starts and ends of the constants in the code.
    pub(super) ranges: Vec<(u32, u32)>,
}

impl Waiting {
    pub(super) fn new<B: BranchIsa>() -> Self {
        Waiting {
            look: first_look::<B>(),
            constants_last: NONE,
            constants: Vec::new(),
            constant_bytes: 0,
            branches: [const { VecDeque::new() }; MAX_FORMS],
            has_far_table: false,
            seen: 0,
            due: Vec::new(),
            ranges: Vec::new(),
        }
    }

    pub(super) fn clear<B: BranchIsa>(&mut self, noise: u32) {
        self.look = first_look::<B>();
        if self.look != NONE {
            self.look = self.look.saturating_sub(noise);
        }
        self.has_far_table = false;
        self.constants_last = NONE;
        self.constants.clear();
        self.constant_bytes = 0;
        if self.seen != 0 {
            self.branches.iter_mut().for_each(VecDeque::clear);
            self.seen = 0;
        }
        self.ranges.clear();
    }
}

/// Where to look in a function in which nothing waits yet: an offset up to which no form can be due.
#[inline]
fn first_look<B: BranchIsa>() -> u32 {
    if !B::ISLANDS {
        return NONE;
    }
    // Twice the size is enough with padding for a bundle.
    let veneer = 2 * B::size(None, last_form::<B>());
    let slack = (B::span(Form(0)).ahead - veneer) / (B::SMALLEST + veneer) * B::SMALLEST;
    slack.saturating_sub(B::STEP)
}

impl<L: Listing, B: BranchIsa> CodeBuffer<L, B> {
    /// Lets a constant wait. The instruction at `load` gets the address of the label given, and reaches that up to
    /// `ahead` bytes from its start.
    pub fn add_constant(&mut self, load: u32, ahead: u32, constant: Constant) -> Label {
        let label = self.new_label();
        let jump = self.counted(B::size(None, last_form::<B>()));
        let step = self.step();
        let waiting = &mut self.waiting;
        // Offsets are multiples of the grain.
        let bytes = constant.size() + constant.size().saturating_sub(B::GRAIN);
        let last = (load + ahead).saturating_sub(jump + waiting.constant_bytes + bytes - constant.size());
        waiting.constants_last = waiting.constants_last.min(last);
        waiting.look = waiting.look.saturating_sub(bytes).min(last.saturating_sub(step));
        waiting.constant_bytes += bytes;
        waiting.constants.push((label, constant));
        label
    }

    /// Whether constants wait: code that loads them may not be put elsewhere any more.
    #[must_use]
    #[inline(always)]
    pub fn constants_wait(&self) -> bool {
        !self.waiting.constants.is_empty()
    }

    /// Starts and ends of the constants in the code, in order.
    #[must_use]
    pub fn constant_ranges(&self) -> &[(u32, u32)] {
        &self.waiting.ranges
    }

    /// States that at most so many bytes of code and [`BranchIsa::STEP`] come before the next such call, and puts an
    /// island here if what waits may not wait so long. Control may come here; no group is open, and no slot is to
    /// be filled.
    #[inline(always)]
    pub fn room_for(&mut self, bytes: u32) {
        if self.waiting.look < self.offset().saturating_add(bytes.saturating_add(self.most_noise(bytes))) {
            self.make_room(bytes.saturating_add(self.most_noise(bytes)).saturating_add(self.step()));
        }
    }

    /// [`BranchIsa::STEP`] with noise.
    fn step(&self) -> u32 {
        B::STEP + self.most_noise(B::STEP)
    }

    /// Looks what really waits, makes an island if that is due, and says when to look again.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, bytes: u32) {
        let end = self.offset();
        self.sync_tail();
        let is_reached = self.stop != end || self.tail_labels.len() > self.end_from;
        // What is bound stays where it is: branches that have reached their target do not wait any more.
        self.freeze_tail();
        if !is_reached {
            self.stop_flow();
        }
        self.look_at_branches();
        let horizon = end.saturating_add(bytes);
        let mut due = None;
        for form in 0..last_form::<B>().0 {
            let soon = horizon.saturating_add(B::span(Form(form)).ahead / 16);
            if self.next_look(form) < soon {
                let mut queue = core::mem::take(&mut self.waiting.branches[form as usize]);
                queue.retain(|&site| self.waits(&self.sites[site as usize]));
                self.waiting.branches[form as usize] = queue;
                due = if self.next_look(form) < soon { Some(form) } else { due };
            }
        }
        if due.is_some() || self.waiting.constants_last < horizon {
            self.island(is_reached, due);
        }
        let branches = (0..last_form::<B>().0).map(|form| self.next_look(form)).min();
        let look = branches.unwrap_or(NONE).min(self.waiting.constants_last);
        self.waiting.look = if B::ISLANDS || look != NONE { look.saturating_sub(self.step()) } else { NONE };
    }

    /// Sorts the branches since the last time by their forms.
    fn look_at_branches(&mut self) {
        if !B::ISLANDS {
            return;
        }
        for site in self.waiting.seen..self.sites.len() {
            let branch = self.sites[site];
            if branch.form < last_form::<B>() && self.waits(&branch) {
                self.waiting.branches[branch.form.0 as usize].push_back(site as u32);
            }
        }
        self.waiting.seen = self.sites.len();
    }

    /// Whether a branch has not reached its target.
    fn waits(&self, site: &Site<B>) -> bool {
        !self.distance(site.start, site.target).is_some_and(|distance| B::span(site.form).contains(distance))
    }

    /// Bytes of the veneers of a form's branches, with those that do not wait any more.
    fn veneer_bytes(&self, form: u8) -> u32 {
        let veneer = self.counted(B::size(None, B::veneer(Form(form))));
        veneer.saturating_mul(self.waiting.branches[form as usize].len() as u32)
    }

    /// An offset up to which a form is not due, see the header.
    fn next_look(&mut self, form: u8) -> u32 {
        while let Some(&site) = self.waiting.branches[form as usize].front()
            && !self.waits(&self.sites[site as usize])
        {
            self.waiting.branches[form as usize].pop_front();
        }
        let end = self.offset();
        let first = self.waiting.branches[form as usize].front();
        let start = first.map_or(end, |&site| self.sites[site as usize].start);
        let jump = self.counted(B::size(None, last_form::<B>()));
        let before: u32 = (0..=form).map(|form| self.veneer_bytes(form)).sum();
        let last =
            (start + B::span(Form(form)).ahead).saturating_sub(jump + self.waiting.constant_bytes + before);
        // The last form's jump is the largest.
        let slack = u64::from(last.saturating_sub(end)) * u64::from(B::SMALLEST);
        end + (slack / u64::from(B::SMALLEST + jump)) as u32
    }

    /// Puts the constants into the code, and the veneers of the forms up to the last one that is due: the veneers of
    /// a form are counted in the deadlines of those that reach farther, not the other way round.
    fn island(&mut self, is_reached: bool, due: Option<u8>) {
        let (start, location) = (self.offset(), self.locations.current());
        self.set_location(None);
        let over = is_reached.then(|| {
            let over = self.new_label();
            let veneers: u32 = (0..last_form::<B>().0).map(|form| self.veneer_bytes(form)).sum();
            let bytes = self.waiting.constant_bytes + veneers;
            self.push_branch(
                None,
                B::Slot::default(),
                over,
                super::branch::form_ahead::<B>(None, Some(bytes)),
            );
            over
        });
        self.place_constants();
        if let Some(due) = due {
            for form in 0..due {
                self.place_veneers(Form(form), None);
            }
            self.place_veneers(Form(due), Some(start));
        }
        self.freeze_tail();
        match over {
            // What jumps to the end does not wait, so its label stays here.
            Some(over) => {
                self.bind(over);
                self.freeze_tail();
            }
            None => self.stop_flow(),
        }
        // The island is no part of what was counted since the anchor.
        self.anchor.offset += self.offset() - start;
        self.set_location(location);
        self.look_at_branches();
    }

    /// Puts what waits at the end of the function: constants, and veneers back from tables. All other branches have
    /// reached their targets.
    #[inline]
    pub(super) fn place_rest(&mut self) {
        if self.constants_wait() {
            self.place_constants();
        }
        if self.waiting.has_far_table {
            self.place_far_entries();
        }
    }

    #[cold]
    fn place_far_entries(&mut self) {
        self.look_at_branches();
        for form in 0..last_form::<B>().0 {
            let mut queue = core::mem::take(&mut self.waiting.branches[form as usize]);
            queue.retain(|&site| self.waits(&self.sites[site as usize]));
            self.waiting.branches[form as usize] = queue;
            self.place_veneers(Form(form), None);
        }
    }

    /// Puts the constants that wait here. Control must not come here.
    pub(super) fn place_constants(&mut self) {
        let mut constants = core::mem::take(&mut self.waiting.constants);
        let start = self.offset();
        for (label, constant) in constants.drain(..) {
            let padding = self.offset().wrapping_neg() & (constant.size() - 1);
            self.emit_data(&[0; 16][..padding as usize]);
            self.bind(label);
            self.emit_constant(constant);
        }
        let end = self.offset();
        if start != end {
            self.waiting.ranges.push((start, end));
        }
        self.waiting.constants = constants;
        self.waiting.constant_bytes = 0;
        self.waiting.constants_last = NONE;
    }

    fn emit_constant(&mut self, constant: Constant) {
        match constant {
            Constant::Bits { size, bits } => self.emit_data(&bits.to_le_bytes()[..size.bytes() as usize]),
            Constant::Symbol { kind, symbol, origin } => {
                let offset = self.offset();
                let way = origin.and_then(|origin| self.distance(offset, origin));
                let addend = way.map_or(0, |way| -way - i64::from(B::PC_AHEAD));
                self.listing.line(offset, |out| {
                    write!(out, ".long {}{}", SymbolText(symbol), B::operator(kind))?;
                    match origin {
                        Some(label) => write!(out, "-({}+{}-.)", LabelText(label), B::PC_AHEAD),
                        None => Ok(()),
                    }
                });
                self.append(&[0; 8][..kind.size() as usize]);
                self.add_reloc(Reloc { offset, kind, symbol, addend });
            }
        }
    }

    /// Appends the veneers of one form, or those alone whose branches cannot wait half the reach beyond `island`.
    fn place_veneers(&mut self, form: Form, island: Option<u32>) {
        let reach = B::span(form).ahead;
        let veneer = self.counted(B::size(None, B::veneer(form)));
        let mut queue = core::mem::take(&mut self.waiting.branches[form.0 as usize]);
        let soon = match island {
            Some(island) => {
                queue.partition_point(|&site| self.sites[site as usize].start + reach / 2 <= island)
            }
            None => queue.len(),
        };
        let is_large = veneer.saturating_mul(queue.len() as u32) > reach / 4;
        let count = if is_large { queue.len() } else { soon };
        let mut due = core::mem::take(&mut self.waiting.due);
        let key =
            |site: u32| u64::from(self.root(self.sites[site as usize].target).0) << 32 | u64::from(site);
        due.extend(queue.drain(..count).map(key));
        due.sort_unstable();
        self.waiting.branches[form.0 as usize] = queue;
        for same in due.chunk_by(|a, b| a >> 32 == b >> 32) {
            let target = Label((same[0] >> 32) as u32);
            self.freeze_tail();
            let label = self.new_label();
            self.bind(label);
            for &key in same {
                self.sites[key as u32 as usize].target = label;
            }
            let form = match self.labels[target.0 as usize].offset {
                NONE => B::veneer(form),
                bound => self.form_back(None, bound),
            };
            self.push_branch(None, B::Slot::default(), target, form);
        }
        due.clear();
        self.waiting.due = due;
    }
}
