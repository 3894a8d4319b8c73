//! The dispatch of an interpreter: a few instructions and a jump by a table or to an address, to which the cases jump back.
//! Each of these jumps becomes a copy of the dispatch.
//!
//! *Why here.* Registers are allocated: whoever jumps to the block has its values where the block wants them, so that its
//! instructions and edits can be written again as they are. Duplicated before that (tail duplication: Ertl and Gregg,
//! *The Structure and Performance of Efficient Interpreters*, 2003), n cases would have n² edges.
//!
//! *Contract.* [`Dispatch::compute`] chooses one block at most; sizes count its copies, and emission writes one in the place
//! of each jump to it. All copies have one table. Copies belong to the jumps that they replace.
//!
//! Cost: nothing for functions without such jumps; else a walk over the blocks.

use super::Emitter;
use crate::inst::Inst;
use crate::target::X86;
use ice_asm::Listing;
use ice_codegen::emission::InstEmitter as _;
use ice_codegen::mach::{MachBlock, MachFunction, MachInstId};
use ice_codegen::switch::SwitchNode;
use ice_regalloc::{Output, ProgPoint};

/// Most instructions of the block.
const MAX_INSTS: usize = 10;
/// Most edits in it.
const MAX_EDITS: usize = 4;
/// Most jumps that are replaced.
const MAX_COPIES: usize = 256;

/// The block whose copies replace jumps to it. Reused from function to function.
#[derive(Default)]
pub(crate) struct Dispatch {
    /// The block, if there is one.
    pub(crate) block: Option<MachBlock>,
    /// Its jump table, once that is there.
    pub(super) table: Option<u32>,
    /// Whether it is being written, itself or a copy.
    pub(super) is_current: bool,
}

impl Dispatch {
    /// Chooses the block to which most jump.
    pub(crate) fn compute(&mut self, target: X86, mach: &MachFunction<Inst>, allocation: &Output) {
        *self = Dispatch::default();
        let has_none = mach.tables.switch(0).is_none() && mach.tables.labels.is_empty();
        if has_none || target.is_confined() {
            return;
        }
        let mut most = 1;
        for block in mach.blocks() {
            if mach.loop_depth(block) > 0 && is_small_dispatch(mach, allocation, block) {
                let copies = num_jumps_to(mach, block);
                if copies > most && copies <= MAX_COPIES {
                    (self.block, most) = (Some(block), copies);
                }
            }
        }
    }
}

/// The blocks that end in a jump to `block` and do not stand before it.
fn num_jumps_to(mach: &MachFunction<Inst>, block: MachBlock) -> usize {
    let jumps = |pred: &&MachBlock| {
        let last = mach.insts()[mach.inst_range(**pred)].last();
        matches!(last, Some(Inst::Jmp { target }) if *target == block) && pred.as_u32() + 1 != block.as_u32()
    };
    mach.body().block_preds(block).iter().filter(jumps).count()
}

fn is_small_dispatch(mach: &MachFunction<Inst>, allocation: &Output, block: MachBlock) -> bool {
    let range = mach.inst_range(block);
    let Some((last, rest)) = mach.insts()[range.clone()].split_last() else { return false };
    let is_one_jump = match *last {
        Inst::Switch { switch, .. } => mach
            .tables
            .switch(switch)
            .is_some_and(|planned| matches!(planned.plan.nodes[..], [SwitchNode::Table { .. }])),
        Inst::JmpIndirect { .. } => true,
        _ => false,
    };
    if !is_one_jump || rest.len() >= MAX_INSTS {
        return false;
    }
    let edits = allocation.edits_of(range.start as u32..range.end as u32);
    let ends_early = edits
        .last()
        .is_none_or(|edit| edit.point < ProgPoint::after(MachInstId::from_u32(range.end as u32 - 1)));
    rest.iter().all(is_copied) && edits.len() <= MAX_EDITS && ends_early
}

/// Whether the instruction may be written a second time: it only computes.
fn is_copied(inst: &Inst) -> bool {
    matches!(
        inst,
        Inst::Undefined { .. }
            | Inst::Mov { .. }
            | Inst::ZeroUpper { .. }
            | Inst::MovImm { .. }
            | Inst::MovSymbol { .. }
            | Inst::LoadTableEntry { .. }
            | Inst::Extend { .. }
            | Inst::HighByte { .. }
            | Inst::Load { .. }
            | Inst::Store { .. }
            | Inst::StoreImm { .. }
            | Inst::Lea { .. }
            | Inst::Alu { .. }
            | Inst::AluMem { .. }
            | Inst::AluMemImm { .. }
            | Inst::Unary { .. }
            | Inst::UnaryMem { .. }
            | Inst::Shift { .. }
            | Inst::Imul { .. }
            | Inst::ImulImm { .. }
    )
}

impl<L: Listing> Emitter<'_, L> {
    /// Writes the dispatch in the place of a jump to it.
    #[cold]
    #[inline(never)]
    pub(super) fn copy_dispatch(&mut self, block: MachBlock) {
        let detour = self.cursor.depart(block);
        if let Some(last) = self.insts_to_last(block) {
            self.unusual(last);
        }
        self.dispatch.is_current = false;
        self.cursor.come_back(detour);
    }
}
