//! Where the frame is taken: at the entry, or at the block that allocation left for it ([`LateFrame`]).
//!
//! *Problem.* In a function whose frame is taken late some blocks are bare: they run without it, end without giving it back, and read
//! incoming arguments from another place.
//!
//! *Contract.* Emission begins with [`FrameEmitter::begin_frame`], and where there is a place each block with
//! [`FrameEmitter::enter_block`]. Then what follows has a frame or is bare as it must be, and there is one prologue.
//!
//! *What a target answers.* Its prologue, what changes where there is no frame, and what unwinding is to know of it.

use super::InstEmitter;
use crate::late_frame::LateFrame;
use crate::mach::MachBlock;

/// The frame of the function that is emitted.
pub trait FrameEmitter<'a>: InstEmitter<'a> {
    /// Where the frame is taken.
    fn late(&self) -> &'a LateFrame;

    /// Whether there is no frame where emission is.
    fn is_bare(&self) -> bool;

    /// Notes whether there is no frame in what follows.
    fn set_bare(&mut self, is_bare: bool);

    /// Saves registers and takes the frame.
    fn prologue(&mut self);

    /// Lets what unwinding knows follow the code from blocks with a frame to those without, or back.
    fn follow_frame(&mut self, _is_bare: bool) {}

    /// Takes the frame, if that is done at the entry.
    fn begin_frame(&mut self) {
        match self.late().place() {
            None => self.prologue(),
            Some(_) => self.set_bare(true),
        }
    }

    /// Takes the frame if this is the block for that. In a function that has such a block others are bare.
    #[cold]
    #[inline(never)]
    fn enter_block(&mut self, block: MachBlock) {
        let (was_bare, is_bare) = (self.is_bare(), self.late().is_bare(block));
        self.set_bare(is_bare);
        if self.late().place() == Some(block) {
            self.prologue();
        } else if was_bare != is_bare {
            self.follow_frame(is_bare);
        }
    }
}
