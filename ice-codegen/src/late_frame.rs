//! Which blocks run without the frame, once registers are allocated.
//!
//! *Problem.* A prologue at the start of a function is for nothing where control returns before it calls anything. Before
//! lowering a place is found behind which all calls are ([`FrameInfo::late`](crate::mach::FrameInfo)); whether the other
//! blocks need nothing of the frame depends on what they were given.
//!
//! *Contract.* [`LateFrame::compute`] says at the start of which block the prologue is, if it need not be at the entry.
//! The blocks before that one, and those that it does not lead to, are *bare*: control comes to them without a frame, and
//! leaves them for the place alone, or returns. They neither write nor read a register that the function saves, nor a slot.
//! All blocks in front of the place are bare, so that tables for unwinding can follow the code.
//!
//! *What a target answers.* Which instructions use nothing of the frame but, where it says so, incoming arguments.
//!
//! Cost: linear in the bare blocks and the blocks in front of the place.

use crate::abi::PAGE;
use crate::frame_layout::FrameLayout;
use crate::mach::{FramePointer, MachBlock, MachFunction, MachInst};
use alloc::vec::Vec;
use ice_regalloc::{Allocation, Output, RegUnits, RegisterFile};

/// Where the prologue of a function is. Reused from function to function.
#[derive(Clone, Debug, Default)]
pub struct LateFrame {
    place: Option<MachBlock>,
    /// Of each block.
    is_bare: Vec<bool>,
    stack: Vec<MachBlock>,
}

/// Whether the frame may be taken behind the entry, of which `saved` bytes are beside the layout: it hangs off the stack pointer, is
/// taken at once, and no address in it is known.
pub fn may_be_late<I: MachInst>(mach: &MachFunction<I>, layout: &FrameLayout, saved: u32) -> bool {
    mach.frame.late.is_some()
        && layout.pointer == FramePointer::None
        && layout.size + saved < PAGE
        && mach.frame.objects.is_empty()
        && mach.exceptions.is_none()
        && mach.tables.labels.is_empty()
}

impl LateFrame {
    /// Finds the place of the prologue of an allocated function. `saved` are the registers of the file that it saves;
    /// `is_frameless` says that an instruction may be in a bare block.
    pub fn compute<I: MachInst>(
        &mut self,
        mach: &MachFunction<I>,
        allocation: &Output,
        (file, saved): (&RegisterFile<'_>, RegUnits),
        is_frameless: impl Fn(&I) -> bool,
    ) {
        let saved = (file, saved);
        self.place =
            mach.frame.late.filter(|&place| self.can_be_at(place, mach, allocation, saved, is_frameless));
    }

    /// The prologue is at the entry.
    pub fn clear(&mut self) {
        self.place = None;
    }

    /// The block at whose start the prologue is, if it is not at the entry.
    #[inline(always)]
    pub fn place(&self) -> Option<MachBlock> {
        self.place
    }

    /// Whether control comes to the block without a frame.
    pub fn is_bare(&self, block: MachBlock) -> bool {
        self.place.is_some() && self.is_bare.get(block.as_u32() as usize).is_some_and(|&is_bare| is_bare)
    }

    #[cold]
    fn can_be_at<I: MachInst>(
        &mut self,
        place: MachBlock,
        mach: &MachFunction<I>,
        allocation: &Output,
        saved: (&RegisterFile<'_>, RegUnits),
        is_frameless: impl Fn(&I) -> bool,
    ) -> bool {
        if place.as_u32() as usize >= mach.num_blocks() {
            return false;
        }
        self.reach_bare(mach, place);
        let body = mach.body();
        let is_bare = |block: MachBlock| self.is_bare[block.as_u32() as usize];
        let mut bare = mach.blocks().filter(|&block| is_bare(block));
        body.block_preds(place).iter().all(|&pred| is_bare(pred))
            && (0..place.as_u32()).all(|block| is_bare(MachBlock::from_u32(block)))
            && bare.all(|block| {
                let preds_are_bare = body.block_preds(block).iter().all(|&pred| is_bare(pred));
                preds_are_bare && is_free(mach, allocation, block, saved, &is_frameless)
            })
    }

    /// Marks the blocks that control comes to from the entry without passing the place.
    fn reach_bare<I: MachInst>(&mut self, mach: &MachFunction<I>, place: MachBlock) {
        self.is_bare.clear();
        self.is_bare.resize(mach.num_blocks(), false);
        self.stack.clear();
        let entry = MachBlock::from_u32(0);
        if entry != place {
            self.is_bare[0] = true;
            self.stack.push(entry);
        }
        while let Some(block) = self.stack.pop() {
            for &succ in mach.body().block_succs(block) {
                let is_known = succ == place || self.is_bare[succ.as_u32() as usize];
                if !is_known {
                    self.is_bare[succ.as_u32() as usize] = true;
                    self.stack.push(succ);
                }
            }
        }
    }
}

/// Whether a block uses nothing of the frame.
fn is_free<I: MachInst>(
    mach: &MachFunction<I>,
    allocation: &Output,
    block: MachBlock,
    (file, saved): (&RegisterFile<'_>, RegUnits),
    is_frameless: &impl Fn(&I) -> bool,
) -> bool {
    let is_free = |place: Allocation| match place.as_reg() {
        Some(reg) => !saved.intersects(file.units(reg)),
        None => place.as_slot().is_none(),
    };
    let range = mach.inst_range(block);
    let ids = range.start as u32..range.end as u32;
    let places = &allocation.allocs[mach.body().operand_range(ids.clone())];
    mach.insts()[range].iter().all(is_frameless)
        && places.iter().all(|&place| is_free(place))
        && allocation.edits_of(ids).iter().all(|edit| is_free(edit.from) && is_free(edit.to))
}
