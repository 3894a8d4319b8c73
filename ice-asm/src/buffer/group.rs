//! Padding and bundles.
//!
//! Where code is checked before it runs, it lies in *bundles*: aligned blocks of a power of two of bytes, which no
//! instruction and no *group* of instructions that belong together may straddle. A group is emitted at the end
//! of the buffer; if it straddles the end of a bundle, or must end with one and does not, it moves up, with its
//! relocations and references, and padding comes before it. Only what was emitted since the group began moves, so no
//! other offset changes. A label before the group stays before the padding: who comes there passes it.
//!
//! A group is ended by its emitter ([`CodeBuffer::end_group`]), or by itself when it has as many instructions as were
//! promised ([`CodeBuffer::lock`]). An instruction that is in no group is a group by itself, and so is a branch. The padding of a branch belongs to it and is cut off with it. In longest offsets a
//! group counts with the most padding that it may have: twice its size less one, or, if it ends with the
//! bundle, its size and a bundle less one.

use super::bytes::Part;
use super::isa::BranchIsa;
use super::{CodeBuffer, NONE};
use crate::error::Error;
use crate::listing::{self, Listing};

/// A group that is being emitted.
#[derive(Debug)]
#[must_use = "a group must be ended"]
pub struct Group {
    start: u32,
}

/// What ends the group that is being emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    /// There is none.
    None,
    /// Its emitter.
    Group,
    /// The last of its instructions.
    Locked { start: u32, left: u32, place: Place },
}

/// The last instruction of bundles, and the group that it ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastInst {
    group: u32,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// Where in a bundle a group is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Anywhere.
    Inside,
    /// It ends with the bundle.
    AtEnd,
}

impl<L: Listing, B: BranchIsa> CodeBuffer<L, B> {
    /// Makes the code lie in bundles of so many bytes, a power of two from 16 to 64, or (0) in none. Stays as it is
    /// over `clear`. Say it before there is code.
    pub fn set_bundle(&mut self, bytes: u32) {
        self.bundle = if bytes == 0 { 0 } else { bytes.clamp(16, 64).next_power_of_two() };
        self.see_every_inst();
    }

    /// Has every instruction looked at, where that is needed.
    pub(super) fn see_every_inst(&mut self) {
        self.bytes.set_tight(self.bundle != 0 || self.noise.is_some());
    }

    /// Begins a group: what is emitted from here on lies in one bundle. No branch to a label and no label is in it.
    pub fn start_group(&mut self) -> Group {
        self.open = Open::Group;
        Group { start: self.offset() }
    }

    /// Ends a group. Without bundles nothing happens.
    pub fn end_group(&mut self, group: Group, place: Place) {
        self.open = Open::None;
        self.settle(group.start, place);
    }

    /// Makes one group of as many instructions, which come next. Without bundles and noise nothing happens.
    pub fn lock(&mut self, insts: u32, place: Place) {
        if self.bytes.is_tight() {
            self.open = Open::Locked { start: self.offset(), left: insts, place };
        }
    }

    /// Makes the group that [`lock`](Self::lock) began as many instructions longer.
    pub fn lock_more(&mut self, insts: u32) {
        if let Open::Locked { left, .. } = &mut self.open {
            *left += insts;
        }
    }

    /// The last instruction, if control comes to its end through it alone. Only where instructions are looked at one by one:
    /// in bundles, where they differ in size.
    pub fn last_inst(&self) -> Option<&[u8]> {
        let LastInst { start, end, .. } = self.last_inst;
        let is_last = end == self.offset() && self.last_label < end;
        if is_last { self.bytes.as_slice().get(start as usize..) } else { None }
    }

    /// Makes one group of the group that the [last instruction](Self::last_inst) ends and as many more, of at most so many
    /// bytes; says whether it has room for them in a bundle.
    pub fn lock_on(&mut self, insts: u32, bytes: u32) -> bool {
        let LastInst { group, end, .. } = self.last_inst;
        let fits = end - group + bytes <= self.bundle;
        if fits {
            self.open = Open::Locked { start: group, left: insts, place: Place::Inside };
        }
        fits
    }

    /// Appends the parts of an instruction where there was no room for them, or where they have to be looked at. They come
    /// by value, in registers: an array would be written to memory before it is known whether it is wanted.
    #[cold]
    #[inline(never)]
    pub(super) fn append_slowly(&mut self, first: Part, second: Part, third: Part) {
        let start = self.offset();
        let result = match self.bytes.is_tight() {
            true => self.bytes.append_tight([first, second, third]),
            false => self.bytes.append_at_end(first, second, third),
        };
        if result.is_err() {
            return self.fail_full();
        }
        if self.bytes.is_tight() {
            self.place_inst(start);
        }
    }

    /// Sees where the instruction from `start` on is, in its group.
    fn place_inst(&mut self, start: u32) {
        let (group, place) = match self.open {
            Open::None => {
                self.vary(start);
                (start, Place::Inside)
            }
            Open::Group => return,
            Open::Locked { start, left, place } if left > 1 => {
                self.open = Open::Locked { start, left: left - 1, place };
                return;
            }
            Open::Locked { start, place, .. } => (start, place),
        };
        self.open = Open::None;
        let end = self.offset();
        self.settle(group, place);
        let pad = self.offset() - end;
        self.last_inst = LastInst { group: group + pad, start: start + pad, end: end + pad };
    }

    /// Moves the group from `start` up to where it may be.
    fn settle(&mut self, start: u32, place: Place) {
        let end = self.offset();
        if self.bundle == 0 && self.noise.is_none() || start == end {
            return;
        }
        let nop = self.nop_before(start, end - start);
        let nops = nop.len() as u32;
        let pad = match place {
            _ if self.bundle == 0 => nops,
            Place::Inside => nops + self.padding_to_fit(start + nops, end - start),
            Place::AtEnd => nops + ((end + nops).wrapping_neg() & (self.bundle - 1)),
        };
        let has_label = self.tail_end != NONE && self.tail_end > start;
        if has_label || self.bundle != 0 && end - start > self.bundle {
            return self.fail(Error::InvalidGroup { offset: start });
        }
        if pad == 0 {
            return;
        }
        self.append(&[0; 128][..pad as usize]);
        if self.offset() == end {
            return; // The buffer is full.
        }
        self.bytes.as_mut_slice()[start as usize..].rotate_right(pad as usize);
        let relocs = self.relocs.iter_mut().rev().take_while(|reloc| reloc.offset >= start);
        relocs.for_each(|reloc| reloc.offset += pad);
        let refs = self.refs.iter_mut().rev().take_while(|label| label.at >= start);
        refs.for_each(|label| label.at += pad);
        self.listing.shift(start, pad);
        self.locations.shift(start, pad);
        self.fill_with(start, nop, pad);
    }

    /// The padding that a group of this size needs at an offset.
    fn padding_to_fit(&self, offset: u32, size: u32) -> u32 {
        let left = offset.wrapping_neg() & (self.bundle - 1);
        if left != 0 && left < size { left } else { 0 }
    }

    /// The padding that a branch of this size, with its slot, needs at the end. The slot may begin a bundle: who comes there
    /// by an indirect jump executes an instruction like any other.
    pub(super) fn padding_before(&self, size: u32) -> u32 {
        self.padding_of_branch(self.offset(), size)
    }

    fn padding_of_branch(&self, offset: u32, size: u32) -> u32 {
        if self.bundle == 0 { 0 } else { self.padding_to_fit(offset, size.saturating_sub(B::SLOT_SIZE)) }
    }

    /// Where the last instruction begins, if control comes to its end through it alone and it is in no group with others.
    pub(crate) fn last_alone(&self) -> Option<u32> {
        let LastInst { group, start, end } = self.last_inst;
        (group == start && start < end && end == self.offset() && self.last_label <= start).then_some(start)
    }

    /// Whether instructions are looked at one by one, so that groups are: in bundles, and with noise.
    #[must_use]
    pub fn has_groups(&self) -> bool {
        self.bytes.is_tight()
    }

    /// The most bytes that come before a branch of this size at the end.
    #[cold]
    pub(super) fn most_before(&self, size: u32) -> u32 {
        match self.noise {
            None => self.padding_before(size),
            Some(_) => self.counted(size) - size,
        }
    }

    /// Puts padding before a branch of this size and gives its bytes.
    #[cold]
    #[inline(never)]
    pub(super) fn pad_branch(&mut self, size: u32) -> u32 {
        let start = self.offset();
        let nop = self.nop_before(start, size);
        let nops = nop.len() as u32;
        let fit = self.padding_of_branch(start + nops, size);
        if nops + fit != 0 {
            self.pad(nop, nops + fit);
        }
        self.offset() - start
    }

    /// The most bytes that a branch of this size takes with its padding.
    #[inline(always)]
    pub(super) fn counted(&self, size: u32) -> u32 {
        (if self.bundle == 0 { size } else { 2 * size - 1 }) + self.most_noise(size)
    }

    /// Appends so many bytes of padding, at most 128, that begin with `nop`.
    #[cold]
    pub(super) fn pad(&mut self, nop: &'static [u8], count: u32) {
        let start = self.offset();
        self.append(&[0; 128][..count as usize]);
        if self.offset() != start {
            self.fill_with(start, nop, count);
        }
    }

    /// Makes bytes in the code instructions that do nothing and that straddle no end of a bundle.
    pub(super) fn fill_padding(&mut self, start: u32, count: u32) {
        let mut at = start;
        while at < start + count {
            let left = if self.bundle == 0 { count } else { self.bundle - at % self.bundle };
            let size = left.min(start + count - at);
            let nops = &mut self.bytes.as_mut_slice()[at as usize..(at + size) as usize];
            B::fill_nops(nops);
            self.line_of_padding(at, size);
            at += size;
        }
    }

    /// The line of so many bytes that do nothing.
    pub(super) fn line_of_padding(&mut self, at: u32, size: u32) {
        let nops = &self.bytes.as_slice()[at as usize..(at + size) as usize];
        self.listing.line(at, |out| {
            listing::write_bytes(out, nops)?;
            write!(out, " {} padding", B::COMMENT)
        });
    }

    /// Pads with instructions that do nothing to the next multiple of `align` (a power of two, at most 64).
    /// What was emitted before is final: no branch before it is cut any more.
    pub fn align(&mut self, align: u32) {
        let mask = align.clamp(1, 64).next_power_of_two() - 1;
        let padding = self.offset().wrapping_neg() & mask;
        if padding > 0 {
            self.pad(&[], padding);
        }
        self.freeze_tail();
    }
}
