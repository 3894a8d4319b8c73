//! How the stack pointer goes down: no page of the stack is jumped over.
//!
//! *Problem.* Below the stack lies a guard page. A step of more than a page could miss it and write into what is below.
//!
//! *Contract.* At entry the word at the stack pointer has been touched, or less than a page above it. A frame below a page
//! is taken at once and may lie untouched; of a larger one every page is touched on the way. An object of the body is taken
//! with a touch of where the stack pointer was before. So what lies untouched is less than two pages, and a stack needs
//! so much of a guard.
//!
//! *What a target answers.* A touch, a step, and a loop of steps.

use crate::abi::PAGE;

/// Moves of the stack pointer.
pub trait StackSteps {
    /// Touches the word at the stack pointer.
    fn touch_stack(&mut self);

    /// Lowers the stack pointer by a number of bytes.
    fn lower_stack(&mut self, bytes: u32);

    /// Lowers the stack pointer by a number of pages, which is not 0, and touches each of them. Part of the prologue:
    /// arguments survive it.
    fn lower_stack_by_pages(&mut self, pages: u32);

    /// Takes the frame.
    #[inline(always)]
    fn take_frame(&mut self, size: u32) {
        if size >= PAGE {
            self.lower_stack_by_pages(size / PAGE);
        }
        if !size.is_multiple_of(PAGE) {
            self.lower_stack(size % PAGE);
        }
    }

    /// Takes less than a page for an object.
    fn take_stack(&mut self, bytes: u32) {
        self.touch_stack();
        self.lower_stack(bytes);
    }
}
