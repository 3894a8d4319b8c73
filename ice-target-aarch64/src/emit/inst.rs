//! Single instructions: their rows as the one `match`, and encodings of more than one call.

use super::Emitter;
use super::frame::{LANDING_OF_JUMPS, STRIP_RETURN};
use super::kinds::Target;
use crate::inst::{Inst, instructions};
use crate::regs::*;
use ice_asm::aarch64::{
    Across, Arrangement, Barrier, BranchCond, Exclusive, FloatConditionalCompare, Gpr, Lane, Mem, Vector2,
    Vreg, Width,
};
use ice_asm::{Listing, RelocKind};
use ice_codegen::emission::{BranchEmitter as _, InstEmitter as _, StackSteps as _};
use ice_codegen::mach::MachBlock;
use ice_codegen::magic::Signedness;

/// The number of a breakpoint that ends the program.
const TRAP: u16 = 1;
/// Bytes of a call.
const CALL: u32 = 4;

impl<L: Listing> Emitter<'_, L> {
    instructions!(ice_codegen::encode_insts!);

    fn float_zero(&mut self, dst: Vreg) {
        if let Some(zero) = ice_asm::aarch64::VectorImm::splat(Lane::B64, 0) {
            self.e.vector_number(true, dst, zero);
        }
    }

    /// The ones of each of eight bytes, and their sum.
    fn ones(&mut self, dst: Vreg, src: Vreg) {
        let bytes = Arrangement { lane: Lane::B8, full: false };
        self.e.vector2(Vector2::Cnt, bytes, dst, src);
        self.e.across(Across::Addv, bytes, dst, dst);
    }

    fn trap_if_zero(&mut self, width: Width, src: Gpr) {
        let done = self.e.buf.new_label();
        self.e.jump_if(BranchCond::NonZero(width, src), done);
        self.e.trap(TRAP);
        self.e.bind(done);
    }

    fn call_target(&mut self, target: Target) {
        match target {
            Target::Symbol(symbol) => self.e.call(symbol),
            Target::Register(to) => self.e.call_reg(to),
        }
    }

    fn call(&mut self, target: Target) {
        self.call_target(target);
        // What returns again jumps here.
        if self.target.tracks_branches && self.cursor.mach.frame.returns_twice {
            self.e.hint(LANDING_OF_JUMPS);
        }
    }

    /// A call that ends its block, whose exceptions go to a pad, which wants what the function's pad of a number says.
    fn invoke(&mut self, target: Target, normal: MachBlock, (pad, clauses): (MachBlock, u32)) {
        self.target_label(pad);
        self.call_target(target);
        let end = self.e.buf.note_end();
        self.sites.note(end, CALL, pad, clauses);
        self.jump_to(normal);
    }

    fn unreachable(&mut self) {
        self.e.trap(TRAP);
        self.e.buf.stop_flow();
    }
}
