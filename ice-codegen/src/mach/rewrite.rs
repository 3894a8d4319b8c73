//! A machine function written anew, instruction by instruction.
//!
//! What a few functions need goes over their instructions once more, so that lowering need not ask for it. The rule gives
//! an instruction in place of another, and may push others before it. Registers, blocks, edges and the frame stay; the
//! instruction has the same registers beside those that it names itself.
//!
//! Cost: linear, as much as to write the function.

use super::{MachBlock, MachFunction, MachInst, MachInstId, Sink};
use crate::internal::Internal;
use crate::live::LoweredCall;
use alloc::boxed::Box;
use alloc::vec::Vec;
use cranelift_entity::EntityRef;

impl<I: MachInst> MachFunction<I> {
    /// Becomes what `from` is, with the instructions that `rule` makes of its; takes its frame, its tables
    /// and what its pads want.
    ///
    /// # Errors
    /// `from` has an edge to a block that is not there.
    pub fn rewrite(
        &mut self,
        from: &mut MachFunction<I>,
        mut rule: impl FnMut(I, &mut Self) -> I,
    ) -> Result<(), Box<Internal>> {
        self.clear();
        self.keep_origins(from.origins.keep);
        self.write_for(from.mode());
        core::mem::swap(&mut self.frame, &mut from.frame);
        core::mem::swap(&mut self.tables, &mut from.tables);
        core::mem::swap(&mut self.exceptions, &mut from.exceptions);
        let body = from.body();
        for vreg in (0..body.num_vregs()).map(super::VReg::new) {
            self.new_vreg(body.vreg_class(vreg), body.vreg_size(vreg));
        }
        let (mut origins, mut live) = (from.origins().iter().peekable(), from.live_calls().iter().peekable());
        for block in from.blocks() {
            self.begin_block(body.block_params(block));
            for id in from.inst_range(block).map(MachInstId::new) {
                if let Some(&(_, origin)) = origins.next_if(|(inst, _)| *inst == id) {
                    self.set_origin(origin);
                }
                let inst = from.insts()[id.index()];
                let mut named = 0;
                inst.visit_operands(|_| named += 1);
                let inst = rule(inst, self);
                if let Some(call) = live.next_if(|call| call.inst == id) {
                    let inst = MachInstId::new(self.insts().len());
                    self.live.push(LoweredCall { inst, values: call.values.clone() });
                }
                self.push_with(inst, &body.operands(id)[named..]);
            }
            for (n, &to) in body.block_succs(block).iter().enumerate() {
                self.add_successor(to, body.edge_args(block, n));
            }
            self.end_block();
        }
        let depths: Vec<u32> = from.blocks().map_while(|block: MachBlock| body.loop_depth(block)).collect();
        if depths.len() == from.num_blocks() {
            self.set_loop_depths(&depths);
        }
        self.set_chances(body.chances());
        self.finish()
    }
}
