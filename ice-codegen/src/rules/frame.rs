//! What instructions demand of the frame.
//!
//! All of it is known when the last instruction is lowered, before registers are allocated and the frame is laid out.

use crate::lower::Lower;
use crate::mach::{MachInst, Sink};
use crate::target::Target;
use ice_ir::{Assembly, FuncId, Function, Inst, InstData, Intrinsic};

/// The size in bytes, and log2 of the alignment, of an alloca that becomes a fixed object of the frame: constant, in the
/// entry block, of no more than the alignment that the target gives without moving the stack pointer.
pub fn fixed_alloca<T: Target>(func: &Function, inst: Inst) -> Option<(u32, u8)> {
    let &InstData::Alloca { size, align_log2, .. } = func.inst(inst) else { return None };
    let in_entry = func.layout.block_of(inst) == func.layout.entry();
    let ty = func.value_type(size);
    let size = func.int_value(size).filter(|_| in_entry && align_log2 <= T::STACK_ALIGN_LOG2)?;
    Some((u32::try_from(size as u64 & ty.int_mask()).ok()?, align_log2))
}

impl<I: MachInst, S: Sink<I>> Lower<'_, I, S> {
    /// Makes a fixed object of an alloca that can be one. Else the stack pointer moves, and the answer is false.
    pub(super) fn place_alloca<T: Target<Inst = I>>(&mut self, inst: Inst) -> bool {
        match fixed_alloca::<T>(self.func, inst) {
            Some((size, align_log2)) => {
                let &InstData::Alloca { kind, .. } = self.func.inst(inst) else { return false };
                let object = self.sink.frame().add_object_of(kind, size, align_log2);
                self.set_frame_object(self.result(inst), object);
                true
            }
            None => {
                self.sink.frame().has_dynamic_alloca = true;
                false
            }
        }
    }

    /// Notes what a call of an intrinsic demands.
    pub(super) fn note_intrinsic(&mut self, op: Intrinsic) {
        let frame = self.sink.frame();
        frame.returns_twice |= op.returns_twice();
        frame.has_dynamic_alloca |= matches!(op, Intrinsic::Stacksave | Intrinsic::Stackrestore);
        frame.needs_frame_pointer |= matches!(op, Intrinsic::FrameAddress | Intrinsic::ReturnAddress);
    }

    /// Notes what a statement of inline assembly demands.
    pub(super) fn note_assembly(&mut self, assembly: &Assembly) {
        let frame = self.sink.frame();
        frame.returns_twice |= assembly.returns_twice;
        // It is what comes back with the stack pointer.
        frame.needs_frame_pointer |= assembly.returns_twice;
    }

    /// Notes what a call of a function of the module demands.
    pub(super) fn note_callee(&mut self, callee: FuncId) {
        self.sink.frame().returns_twice |= self.module.functions[callee].traits.returns_twice;
    }
}
