//! Two accesses beside each other in memory: `ldp` and `stp` (DDI 0487, C3.2.4).
//!
//! | before | after |
//! |---|---|
//! | `ldr x1, [x0, #8]`, then `ldr x2, [x0, #16]` soon after | `ldp x1, x2, [x0, #8]` |
//! | `str x1, [x0, #8]`, then `str x2, [x0]` soon after | `stp x2, x1, [x0]` |
//!
//! The second load goes up to the first, the first store down to the second. So what stands between two loads writes no memory
//! and has nothing to do with what the second one loads, and what stands between two stores leaves memory alone and writes
//! nothing that the first one stores; the base is written by neither.
//!
//! Cost: for each access of 4, 8 or 16 bytes a look at the few recent ones.

use super::AllocatedCode;
use crate::abi::Frame;
use crate::inst::{Amode, Base, Inst};
use ice_asm::aarch64::{FloatWidth, PairTransfer, Transfer, fits_pair};
use ice_codegen::fusion::SteppingInst as _;
use ice_codegen::mach::{MachInst as _, MachInstId};
use ice_regalloc::Allocation;

/// How far behind an access the other may be.
pub(super) const WINDOW: u32 = 4;

/// What is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A general register.
    General(PairTransfer),
    /// A vector register, which is loaded.
    LoadFloat(FloatWidth),
    /// One that is stored.
    StoreFloat(FloatWidth),
}

impl Kind {
    pub(super) fn is_load(self) -> bool {
        match self {
            Kind::General(op) => !matches!(op, PairTransfer::StpW | PairTransfer::StpX),
            Kind::LoadFloat(_) => true,
            Kind::StoreFloat(_) => false,
        }
    }

    fn size_log2(self) -> u8 {
        match self {
            Kind::General(PairTransfer::StpX | PairTransfer::LdpX) => 3,
            Kind::General(_) => 2,
            Kind::LoadFloat(width) | Kind::StoreFloat(width) => width.size_log2(),
        }
    }
}

/// An access that another one may be beside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neighbour {
    pub(crate) kind: Kind,
    pub(crate) base: Base,
    pub(crate) disp: i32,
}

/// The access that `inst` is, if another one may be beside it.
#[inline(always)]
pub(crate) fn neighbour(inst: &Inst) -> Option<Neighbour> {
    let (kind, mem) = match *inst {
        Inst::Load { op: Transfer::LdrW, mem, .. } => (Kind::General(PairTransfer::LdpW), mem),
        Inst::Load { op: Transfer::LdrX, mem, .. } => (Kind::General(PairTransfer::LdpX), mem),
        Inst::Load { op: Transfer::Ldrsw, mem, .. } => (Kind::General(PairTransfer::Ldpsw), mem),
        Inst::Store { op: Transfer::StrW, mem, .. } => (Kind::General(PairTransfer::StpW), mem),
        Inst::Store { op: Transfer::StrX, mem, .. } => (Kind::General(PairTransfer::StpX), mem),
        Inst::LoadFloat { width: width @ (FloatWidth::S | FloatWidth::D | FloatWidth::Q), mem, .. } => {
            (Kind::LoadFloat(width), mem)
        }
        Inst::StoreFloat { width: width @ (FloatWidth::S | FloatWidth::D | FloatWidth::Q), mem, .. } => {
            (Kind::StoreFloat(width), mem)
        }
        _ => return None,
    };
    match mem {
        Amode { base: base @ (Base::Reg(_) | Base::Object(_) | Base::Outgoing), index: None, disp } => {
            Some(Neighbour { kind, base, disp })
        }
        _ => None,
    }
}

/// Where the operands of an access are.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    /// The base, if that is a register.
    pub(crate) base: Option<Allocation>,
    /// What is loaded or stored; `None` for zero.
    pub(crate) data: Option<Allocation>,
}

impl Neighbour {
    /// Whether an access of the same kind begins where the other ends.
    #[inline]
    pub(super) fn is_beside(&self, other: Neighbour) -> bool {
        self.base == other.base
            && self.kind == other.kind
            && self.disp.abs_diff(other.disp) == 1 << self.kind.size_log2()
    }

    /// Where the operands of this access, which is the instruction `id`, are: all in registers.
    pub(crate) fn places(self, code: AllocatedCode<'_>, id: MachInstId) -> Option<Places> {
        let has_base = matches!(self.base, Base::Reg(_));
        let (base, data) = match (code.places(id), has_base, self.kind.is_load()) {
            (&[base, data], true, true) | (&[data, base], true, false) => (Some(base), Some(data)),
            (&[data], false, _) => (None, Some(data)),
            (&[base], true, false) => (Some(base), None),
            (&[], false, false) => (None, None),
            _ => return None,
        };
        let is_register = |place: Allocation| place.as_reg().is_some();
        (base.is_none_or(is_register) && data.is_none_or(is_register)).then_some(Places { base, data })
    }
}

/// Whether the instruction may stand between two accesses of this kind, as far as memory is concerned.
fn may_be_between(inst: &Inst, kind: Kind) -> bool {
    match inst {
        Inst::Store { .. } | Inst::StoreFloat { .. } => false,
        Inst::Load { .. } | Inst::LoadFloat { .. } => kind.is_load(),
        _ => inst.is_plain(),
    }
}

/// Whether one of two neighbours can be done where the other is, by one instruction.
pub(super) fn may_meet(
    code: AllocatedCode<'_>,
    frame: &Frame,
    [from, to]: [MachInstId; 2],
    [first, second]: [Neighbour; 2],
) -> bool {
    let start = frame.start_of(first.base).unwrap_or(0);
    let between = code.behind(from, to.as_u32() as usize);
    if !fits_pair(start.wrapping_add(first.disp.min(second.disp)), first.kind.size_log2())
        || !between.iter().all(|inst| may_be_between(inst, first.kind))
    {
        return false;
    }
    let (Some(one), Some(other)) = (first.places(code, from), second.places(code, to)) else {
        return false;
    };
    let is_load = first.kind.is_load();
    // The first of two loads must leave the base and the other register alone.
    if one.base != other.base || is_load && (one.data == other.data || one.data == one.base) {
        return false;
    }
    let moved = if is_load { other.data } else { one.data };
    // Whether a place may neither be read, where that counts, nor be written.
    let is_free = |reads: Allocation, writes: Allocation| {
        Some(writes) != one.base && Some(writes) != moved && !(is_load && Some(reads) == moved)
    };
    let are_edits_free = code.edits_between(from, to).all(|edit| is_free(edit.from, edit.to));
    are_edits_free
        && (from.as_u32() + 1..to.as_u32()).map(MachInstId::from_u32).all(|id| {
            let mut is_apart = true;
            let mut places = code.places(id).iter();
            code.mach.insts()[id.as_u32() as usize].visit_operands(|operand| {
                let place = places.next().copied().unwrap_or(Allocation::NONE);
                let written = if operand.is_def() { place } else { Allocation::NONE };
                is_apart &= is_free(place, written);
            });
            is_apart
        })
}
