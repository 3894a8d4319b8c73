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

/// What emission knows of the frame where it is.
#[derive(Clone, Copy)]
pub struct FrameState<'a> {
    /// Where the frame is taken.
    pub late: &'a LateFrame,
    /// There is none.
    pub is_bare: bool,
    /// Where the incoming arguments are, from the register that the frame hangs off; the same where there is a frame.
    pub incoming: i32,
    framed: i32,
    /// The end of the prologue.
    pub body: u32,
}

impl<'a> FrameState<'a> {
    /// That before the function begins. With a frame the incoming arguments are there.
    pub fn new(late: &'a LateFrame, incoming: i32) -> FrameState<'a> {
        FrameState { late, is_bare: false, incoming, framed: incoming, body: 0 }
    }
}

/// The frame of the function that is emitted.
pub trait FrameEmitter<'a>: InstEmitter<'a> {
    /// What is known of it.
    fn frame_state(&mut self) -> &mut FrameState<'a>;

    /// Saves registers and takes the frame.
    fn prologue(&mut self);

    /// Where the incoming arguments are, from the stack pointer, where there is no frame.
    fn bare_incoming(&self) -> i32 {
        0
    }

    /// Lets what unwinding knows follow the code from blocks with a frame to those without, or back.
    fn follow_frame(&mut self, _is_bare: bool) {}

    /// Takes the frame here.
    fn take_frame_here(&mut self) {
        self.prologue();
        self.frame_state().body = self.buffer().offset();
    }

    /// Notes whether there is no frame in what follows.
    fn set_bare(&mut self, is_bare: bool) {
        let bare = self.bare_incoming();
        let state = self.frame_state();
        state.is_bare = is_bare;
        state.incoming = if is_bare { bare } else { state.framed };
    }

    /// Takes the frame, if that is done at the entry.
    fn begin_frame(&mut self) {
        match self.frame_state().late.place() {
            None => self.take_frame_here(),
            Some(_) => self.set_bare(true),
        }
    }

    /// Takes the frame if this is the block for that. In a function that has such a block others are bare.
    #[cold]
    #[inline(never)]
    fn enter_block(&mut self, block: MachBlock) {
        let FrameState { late, is_bare: was_bare, .. } = *self.frame_state();
        let is_bare = late.is_bare(block);
        self.set_bare(is_bare);
        if late.place() == Some(block) {
            self.take_frame_here();
        } else if was_bare != is_bare {
            self.follow_frame(is_bare);
        }
    }
}
