//! The result of an allocation: a place for every operand, and edits between instructions.

use crate::function::Function;
use crate::operand::{Inst, Slot};
use crate::registers::{PReg, RegClass, RegUnits};
use crate::rows::Row;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

/// Where an operand is: nowhere, in a register, in a spill slot, or where an instruction makes it again.
/// Packed in a `u32`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Allocation(u32);

/// The unpacked form of an [`Allocation`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum AllocationKind {
    /// No place.
    None,
    /// A physical register.
    Reg(PReg),
    /// A spill slot.
    Slot(Slot),
    /// The result of this instruction, made again: see [`Remat`](crate::Remat).
    Remat(Inst),
}

const TAG_SHIFT: u32 = 30;
const TAG_REG: u32 = 1;
const TAG_SLOT: u32 = 2;
const TAG_REMAT: u32 = 3;
const PAYLOAD: u32 = (1 << TAG_SHIFT) - 1;

impl Allocation {
    /// No place.
    pub const NONE: Allocation = Allocation(0);

    /// The register `reg`.
    #[inline]
    pub const fn reg(reg: PReg) -> Allocation {
        Allocation(TAG_REG << TAG_SHIFT | reg.0 as u32)
    }

    /// The spill slot `slot`, whose number must be below 2^30.
    #[inline]
    pub fn slot(slot: Slot) -> Allocation {
        Allocation(TAG_SLOT << TAG_SHIFT | slot.as_u32() & PAYLOAD)
    }

    /// The result of `inst`, whose number must be below 2^30, made again.
    #[inline]
    pub fn remat(inst: Inst) -> Allocation {
        Allocation(TAG_REMAT << TAG_SHIFT | inst.as_u32() & PAYLOAD)
    }

    /// The unpacked form.
    #[inline]
    pub fn kind(self) -> AllocationKind {
        match self.0 >> TAG_SHIFT {
            TAG_REG => AllocationKind::Reg(PReg(self.0 as u8)),
            TAG_SLOT => AllocationKind::Slot(Slot::from_u32(self.0 & PAYLOAD)),
            TAG_REMAT => AllocationKind::Remat(Inst::from_u32(self.0 & PAYLOAD)),
            _ => AllocationKind::None,
        }
    }

    /// The register, if it is one.
    #[inline]
    pub fn as_reg(self) -> Option<PReg> {
        match self.kind() {
            AllocationKind::Reg(reg) => Some(reg),
            _ => None,
        }
    }

    /// The number of the register, counted from `first`, if it is one of the `count` registers from there on: one
    /// comparison tells the kind of place and the range.
    #[inline(always)]
    pub const fn as_reg_of(self, first: PReg, count: u8) -> Option<u8> {
        let number = self.0.wrapping_sub(Allocation::reg(first).0);
        if number < count as u32 { Some(number as u8) } else { None }
    }

    /// The slot, if it is one.
    #[inline]
    pub fn as_slot(self) -> Option<Slot> {
        match self.kind() {
            AllocationKind::Slot(slot) => Some(slot),
            _ => None,
        }
    }

    /// The instruction that makes the value again, if that is where it is.
    #[inline]
    pub fn as_remat(self) -> Option<Inst> {
        match self.kind() {
            AllocationKind::Remat(inst) => Some(inst),
            _ => None,
        }
    }

    /// Whether it is an instruction that makes the value again.
    #[inline]
    pub const fn is_remat(self) -> bool {
        self.0 >> TAG_SHIFT == TAG_REMAT
    }

    /// Whether it is a register.
    #[inline]
    pub const fn is_reg(self) -> bool {
        self.0 >> TAG_SHIFT == TAG_REG
    }

    /// Whether it is a spill slot.
    #[inline]
    pub const fn is_slot(self) -> bool {
        self.0 >> TAG_SHIFT == TAG_SLOT
    }

    /// Whether it is no place.
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Allocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            AllocationKind::None => f.write_str("none"),
            AllocationKind::Reg(reg) => write!(f, "{reg}"),
            AllocationKind::Slot(slot) => write!(f, "{slot}"),
            AllocationKind::Remat(inst) => write!(f, "remat {inst}"),
        }
    }
}

impl fmt::Debug for Allocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A point between instructions, where edits stand. Points are ordered: before an instruction,
/// after it, before the next one. Packed in a `u32`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProgPoint(u32);

impl ProgPoint {
    /// The point before `inst`.
    #[inline]
    pub fn before(inst: Inst) -> ProgPoint {
        ProgPoint(inst.as_u32() << 1)
    }

    /// The point after `inst`.
    #[inline]
    pub fn after(inst: Inst) -> ProgPoint {
        ProgPoint(inst.as_u32() << 1 | 1)
    }

    /// The instruction that the point is before or after.
    #[inline]
    pub fn inst(self) -> Inst {
        Inst::from_u32(self.0 >> 1)
    }

    /// Whether the point is before its instruction (else after).
    #[inline]
    pub const fn is_before(self) -> bool {
        self.0 & 1 == 0
    }
}

impl fmt::Display for ProgPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.is_before() { "before" } else { "after" };
        write!(f, "{side} {}", self.inst())
    }
}

impl fmt::Debug for ProgPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A copy of one value between two places at a program point. Never from slot to slot; from an instruction
/// to a slot only if [`Remat::Anywhere`](crate::Remat) says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edit {
    /// Where the copy stands. Edits at one point happen in list order.
    pub point: ProgPoint,
    /// The place read.
    pub from: Allocation,
    /// The place written.
    pub to: Allocation,
    /// The class of the value.
    pub class: RegClass,
    /// The size of the value in bytes.
    pub size: u32,
}

/// What an [`Edit`] does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EditKind {
    /// Register to register.
    Move,
    /// Register to slot.
    Spill,
    /// Slot to register.
    Reload,
    /// An instruction executed again into a register or slot.
    Rematerialize,
}

impl Edit {
    /// What the edit does, told from its places.
    #[inline]
    pub fn kind(&self) -> EditKind {
        if self.from.is_remat() {
            EditKind::Rematerialize
        } else if self.to.is_slot() {
            EditKind::Spill
        } else if self.from.is_slot() {
            EditKind::Reload
        } else {
            EditKind::Move
        }
    }
}

/// Size and alignment of a spill slot, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotInfo {
    /// Bytes.
    pub size: u32,
    /// Bytes, a power of two.
    pub align: u32,
}

/// Counts of what the allocator did, for reports and tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Register to register edits.
    pub moves: u32,
    /// Register to slot edits.
    pub spills: u32,
    /// Slot to register edits.
    pub reloads: u32,
    /// Edits that execute an instruction again, and operands in the memory that one loads from.
    pub rematerialized: u32,
    /// Values thrown out of a register although they have further uses.
    pub evictions: u32,
    /// Virtual registers that are live across block borders.
    pub cross_block_vregs: u32,
    /// Walks over the function in the full mode: 1 unless a value lost its register later; 0 when
    /// the minimal mode made the result.
    pub walks: u32,
    /// Steps of the full mode that no bound keeps in proportion to the function by itself: blocks and edges that
    /// liveness followed registers over, and live intervals in holes that were looked at for another.
    pub steps: u64,
}

impl Stats {
    /// Counts an edit.
    #[inline(always)]
    pub(crate) fn count(&mut self, edit: &Edit) {
        match edit.kind() {
            EditKind::Move => self.moves += 1,
            EditKind::Spill => self.spills += 1,
            EditKind::Reload => self.reloads += 1,
            EditKind::Rematerialize => self.rematerialized += 1,
        }
    }
}

/// The result of an allocation: a place for every operand, and edits between instructions.
///
/// The allocation of an operand is per *position*, so one virtual register may be in different
/// places at different instructions; [`Edit`]s carry its value from one place to the next. This
/// form serves block-local allocation and live-range splitting alike.
///
/// A value that an instruction can make again ([`Function::remat`](crate::Function::remat))
/// needs no place between its uses: an edit may copy *from the instruction*, which means to execute it once
/// more, into the edit's target. If nothing reads what such an instruction has made at its own place, its
/// definition has no place, [`Allocation::NONE`], and it is left out.
///
/// To emit code: walk the instructions; before `inst` apply in order the edits whose point is
/// [`ProgPoint::before`]`(inst)`, then emit it with [`Output::allocs_of`], then apply the edits at
/// [`ProgPoint::after`]`(inst)`.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// One place for every operand, all instructions after one another, as [`Function::operand_range`] has them.
    pub allocs: Vec<Allocation>,
    /// The copies, sorted by program point.
    pub edits: Vec<Edit>,
    /// The spill slots, indexed by [`Slot`].
    pub slots: Vec<SlotInfo>,
    /// Units of every register that an operand or an edit writes. Clobbers are not included.
    pub used_regs: RegUnits,
    /// Counts.
    pub stats: Stats,
}

impl Output {
    /// The edits before and behind the instructions of a range.
    pub fn edits_of(&self, insts: Range<u32>) -> &[Edit] {
        let before = |index: u32| {
            let point = ProgPoint::before(Inst::from_u32(index));
            self.edits.partition_point(|edit| edit.point < point)
        };
        &self.edits[before(insts.start)..before(insts.end)]
    }

    /// The places of all operands of `func`, which this is for.
    pub fn places<'a>(&'a self, func: &'a Function) -> Places<'a> {
        Places { allocs: &self.allocs, rows: func.references.rows.all() }
    }

    /// The places of the operands of an instruction of `func`, which this is for, in operand order.
    #[inline]
    pub fn allocs_of(&self, func: &Function, inst: Inst) -> &[Allocation] {
        let index = inst.as_u32();
        &self.allocs[func.operand_range(index..index + 1)]
    }
}

/// The places of all operands of an [`Output`], for a walk over the instructions.
#[derive(Clone, Copy)]
pub struct Places<'a> {
    allocs: &'a [Allocation],
    rows: &'a [Row],
}

impl<'a> Places<'a> {
    /// The places of the operands of `inst`, in operand order; none for an instruction that is not there.
    #[inline(always)]
    pub fn of(self, inst: Inst) -> &'a [Allocation] {
        let i = inst.as_u32() as usize;
        match self.rows.get(i..i + 2) {
            Some([start, end]) => self.allocs.get(start.end as usize..end.end as usize).unwrap_or(&[]),
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_points_survive_packing() {
        assert_eq!(size_of::<Allocation>(), 4);
        // Twenty bytes: edits are the largest part of the output.
        assert_eq!(size_of::<Edit>(), 20);
        let slot = Slot::from_u32(77);
        assert_eq!(Allocation::slot(slot).as_slot(), Some(slot));
        assert_eq!(Allocation::slot(slot).as_reg(), None);
        assert_eq!(Allocation::reg(PReg(255)).as_reg(), Some(PReg(255)));
        let of = |place: Allocation| place.as_reg_of(PReg(16), 4);
        assert_eq!([15, 16, 19, 20].map(|n| of(Allocation::reg(PReg(n)))), [None, Some(0), Some(3), None]);
        assert_eq!([of(Allocation::NONE), of(Allocation::slot(Slot::from_u32(17)))], [None; 2]);
        assert_eq!(Allocation::NONE.kind(), AllocationKind::None);
        let again = Allocation::remat(Inst::from_u32(9));
        assert_eq!((again.as_remat(), again.as_slot()), (Some(Inst::from_u32(9)), None));
        assert!(again.is_remat() && !again.is_reg() && !again.is_slot());
        let (a, b) = (Inst::from_u32(4), Inst::from_u32(5));
        assert!(ProgPoint::before(a) < ProgPoint::after(a));
        assert!(ProgPoint::after(a) < ProgPoint::before(b));
        assert_eq!(ProgPoint::after(a).inst(), a);
    }
}
