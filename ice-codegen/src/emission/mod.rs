//! The emission walk: allocated machine instructions and the allocator's edits, in the order in which they become bytes.
//!
//! *Problem.* The allocator answers with a place for each operand and a list of edits beside the instructions. Emission
//! merges the two, binds a label at each block, leaves out what a block before has written already, and keeps what it
//! finds missing ([`internal`](crate::internal)).
//!
//! *Contract.* [`InstEmitter::walk`] goes over all blocks in order. In each it writes the edits before an instruction
//! and then the instruction; the last one of a block, which mostly is its terminator, goes to [`InstEmitter::last`].
//! [`Cursor`] says where the walk is; operands are consumed from it in the order in which
//! [`MachInst::visit_operands`] names them. At the end, [`finish`] tells the first fault or appends the code.
//!
//! *What a target answers.* How an instruction ([`inst`](InstEmitter::inst)), the end of a block and a move between
//! two places become bytes; and the short ways that most instructions and edits go
//! ([`usual`](InstEmitter::usual), [`edit`](InstEmitter::edit)), which are inlined into the walk. All is generic over
//! the emitter: nothing is called through a pointer. [`BranchEmitter`] writes jumps and branches between blocks,
//! [`SwitchEmitter`] the decisions of a switch. [`Landings`] are the blocks that tables of confined code lead to.

mod branch;
mod cursor;
mod frame;
mod landings;
mod stack;
mod switch;

pub use branch::BranchEmitter;
pub use cursor::{Cursor, Outcome, finish, label};
pub use frame::{FrameEmitter, FrameState};
pub use landings::Landings;
pub use stack::StackSteps;
pub use switch::{Half, Relation, SwitchEmitter};

use crate::assembly::{AssemblyRules, LateText};
use crate::fusion::Ledger;
use crate::mach::{MachBlock, MachInst};
use alloc::vec::Vec;
use ice_asm::{BranchIsa, CodeBuffer, Label, Listing};
use ice_regalloc::{Allocation, Edit, PReg, ProgPoint};

/// A fault: an operand is not in a register of the bank that the instruction reads.
pub const NO_REGISTER: &str = "an operand has no register of its class";
/// A fault: an operand should be in memory.
pub const NO_SLOT: &str = "an operand is in no slot of the frame";
/// A fault: an address is that of an object which the frame lacks.
pub const NO_OBJECT: &str = "there is no such object in the frame";
/// A fault: a branch leads nowhere.
pub const NO_BLOCK: &str = "control goes to a block that is not there";
/// A fault: a switch was not planned.
pub const NO_PLAN: &str = "its switch has no plan";

/// The code of each instruction and each edit, which a back end writes.
pub trait InstEmitter<'a>: Sized {
    /// The machine instruction.
    type Inst: MachInst + 'a;
    /// Who listens to the code.
    type Listing: Listing;
    /// The branches of the machine.
    type Branches: BranchIsa;

    /// Where emission is; operands and edits are consumed from it.
    fn cursor(&mut self) -> &mut Cursor<'a, Self::Inst>;

    /// Where the code goes. The locations that it is told are numbers of instructions of the function before it was lowered.
    fn buffer(&mut self) -> &mut CodeBuffer<Self::Listing, Self::Branches>;

    /// Whether the block, whose turn has come, has been written already or is not needed.
    fn is_written(&mut self, block: MachBlock) -> bool;

    /// Binds the label of a block.
    #[inline(always)]
    fn bind_block(&mut self, block: MachBlock) {
        self.buffer().bind(label(block));
    }

    /// Prepares for the instructions of a block.
    #[inline(always)]
    fn begin_block(&mut self, _block: MachBlock) {}

    /// Writes the instruction if it is one of the most frequent with operands as they mostly are; says whether it did.
    fn usual(&mut self, inst: &'a Self::Inst) -> bool;

    /// Does what a [plan](crate::fusion::Plan) says of the current instruction; says whether one says anything.
    #[inline(always)]
    fn fused(&mut self, _inst: &'a Self::Inst) -> bool {
        false
    }

    /// The account of who does each instruction, where some do the work of others.
    #[inline(always)]
    fn ledger(&mut self) -> Option<&mut Ledger> {
        None
    }

    /// Notes that the current instruction is written where it stands.
    #[inline(always)]
    fn note_itself(&mut self) {
        let (mach, at) = (self.cursor().mach, self.cursor().at);
        if let Some(ledger) = self.ledger() {
            ledger.itself(mach, at);
        }
    }

    /// Writes any instruction. Its operands are the next ones.
    fn inst(&mut self, inst: &'a Self::Inst);

    /// Writes the last instruction of a block. Its operands have not been asked for.
    fn last(&mut self, inst: &'a Self::Inst);

    /// Writes an edit; a usual one at once, others through [`any_edit`](Self::any_edit).
    fn edit(&mut self, edit: &'a Edit);

    /// Copies the place `edit.from`, a register or slot, to `edit.to`.
    fn copy_place(&mut self, edit: &'a Edit);

    /// Executes an instruction again, into the target of `edit`, leaving the flags alone.
    fn again(&mut self, inst: &'a Self::Inst, edit: &'a Edit) {
        self.cursor().operands = core::slice::from_ref(&edit.to);
        self.inst(inst);
    }

    /// Notes what the current instruction should have and has not; emission goes on with anything, and fails at its
    /// end.
    #[inline(always)]
    fn fault(&mut self, what: &'static str) {
        self.cursor().fault(what);
    }

    /// The code of a statement of inline assembly, the current instruction, whose text is assembled now; none if it cannot be.
    #[inline(never)]
    fn late_code<M: AssemblyRules>(&mut self, machine: M, text: &LateText) -> Vec<u8> {
        let places = self.cursor().places();
        text.assembled(machine, places).unwrap_or_else(|why| {
            self.cursor().refuse(why);
            Vec::new()
        })
    }

    /// The place of the next operand of the current instruction.
    #[inline(always)]
    fn next(&mut self) -> Allocation {
        self.cursor().next_place()
    }

    /// The next operand, in a register as `of` tells it; `any` after a fault.
    #[inline(always)]
    fn next_register<R>(&mut self, of: impl FnOnce(Allocation) -> Option<R>, any: R) -> R {
        match of(self.next()) {
            Some(reg) => reg,
            None => self.no_register(any),
        }
    }

    /// Goes on with `any` register. Not inlined, so that a branch leads here and registers are not selected without one.
    #[cold]
    #[inline(never)]
    fn no_register<R>(&mut self, any: R) -> R {
        self.fault(NO_REGISTER);
        any
    }

    /// The place of the next operand, which must be this register.
    #[inline(always)]
    fn next_fixed(&mut self, reg: PReg) -> Allocation {
        let place = self.next();
        if place != Allocation::reg(reg) {
            self.fault("an operand is not in the one register that it can be in");
        }
        place
    }

    /// The label of a block that a branch names.
    #[inline(always)]
    fn target_label(&mut self, block: MachBlock) -> Label {
        self.cursor().target_label(block)
    }

    /// Lets what waits for an island go there in time, before each instruction and edit.
    #[inline(always)]
    fn make_room(&mut self) {
        if Self::Branches::ISLANDS {
            self.buffer().room_for(0);
        }
    }

    /// Writes all blocks. Not inlined, so that its values have the registers.
    #[inline(never)]
    fn walk(&mut self) {
        let mach = self.cursor().mach;
        for block in mach.blocks() {
            self.cursor().block = block;
            if self.is_written(block) {
                self.cursor().skip_edits(block);
                continue;
            }
            self.bind_block(block);
            if let Some(last) = self.insts_to_last(block) {
                self.note_itself();
                self.last(last);
                let end = ProgPoint::after(self.cursor().at);
                if self.cursor().next_edit() <= end {
                    self.edits_to(end);
                }
            }
        }
        self.cursor().end();
    }

    /// Writes the instructions of a block but for the last, which it gives, and all edits before that.
    #[inline(always)]
    fn insts_to_last(&mut self, block: MachBlock) -> Option<&'a Self::Inst> {
        let mach = self.cursor().mach;
        let range = mach.inst_range(block);
        self.begin_block(block);
        self.cursor().begin(range.start);
        let (last, insts) = mach.insts()[range].split_last()?;
        let mut next_stop = self.cursor().next_stop();
        for inst in insts {
            let point = ProgPoint::before(self.cursor().at);
            if next_stop <= point {
                next_stop = self.edits_to(point);
            }
            self.make_room();
            match self.usual(inst) {
                true => self.note_itself(),
                false => self.unusual(inst),
            }
            self.cursor().step();
        }
        let point = ProgPoint::before(self.cursor().at);
        if next_stop <= point {
            self.edits_to(point);
        }
        self.make_room();
        Some(last)
    }

    /// Writes any instruction, unless nothing wants what it makes where it stands.
    #[inline(never)]
    fn unusual(&mut self, inst: &'a Self::Inst) {
        if self.fused(inst) {
            return;
        }
        if self.cursor().is_left_to_users(inst) {
            let (mach, at) = (self.cursor().mach, self.cursor().at);
            if let Some(ledger) = self.ledger() {
                ledger.left_to_users(mach, at);
            }
            return;
        }
        self.note_itself();
        self.cursor().take_operands();
        self.inst(inst);
    }

    /// Writes the edits up to `point`, tells the buffer what the code is for, and gives the point at which there is more of
    /// either.
    #[inline(never)]
    fn edits_to(&mut self, point: ProgPoint) -> ProgPoint {
        if self.cursor().next_live().is_some_and(|live| live <= point) {
            self.cursor().pass_live();
            self.buffer().mark();
        }
        let mut left = self.cursor().edits;
        while let [edit, rest @ ..] = left
            && edit.point <= point
        {
            self.locate(edit.point);
            self.make_room();
            self.edit(edit);
            left = rest;
        }
        self.cursor().edits = left;
        self.locate(point);
        self.cursor().next_stop()
    }

    /// Tells the buffer what the code at `point` is for, if that changes there.
    #[inline(always)]
    fn locate(&mut self, point: ProgPoint) {
        if self.cursor().next_origin().is_some_and(|next| next <= point) {
            let location = self.cursor().origin_at(point);
            self.buffer().set_location(location);
        }
    }

    /// Writes any edit.
    #[inline(never)]
    fn any_edit(&mut self, edit: &'a Edit) {
        match edit.from.as_remat() {
            None => self.copy_place(edit),
            Some(inst) => match self.cursor().inst(inst) {
                Some(inst) => self.again(inst, edit),
                None => self.fault("an edit executes an instruction again that is not there"),
            },
        }
    }
}
