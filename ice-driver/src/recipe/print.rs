//! What a step has made, as text.

use super::Step;
use super::pipeline::Pipeline;
use crate::output::RangeOutput;
use core::fmt::Write;
use ice_ir::{ControlFlowGraph, FuncId, Module};

impl Pipeline {
    pub(super) fn write_ir(&self, module: &Module, out: &mut String) {
        // Writing into a string cannot fail.
        let _ = ice_ir::write_function(module, &self.func, out);
    }

    pub(super) fn write_mir(&self, function: FuncId, out: &mut String) {
        let _ = writeln!(out, "{function}:");
        let _ = self.generator.write_machine_ir(out);
    }

    /// Prints what `step` made into the log of the function.
    pub(super) fn print(
        &self,
        step: Step,
        module: &Module,
        function: FuncId,
        read: Option<&ControlFlowGraph>,
        out: &mut RangeOutput,
    ) {
        let _ = writeln!(out.log, "; {function} after {}", step.name());
        match step {
            Step::Read
            | Step::Repeats
            | Step::Harden
            | Step::ReturnCalls
            | Step::DeadCycles
            | Step::NumberValues
            | Step::Licm
            | Step::ReduceStrength
            | Step::ShortCircuit
            | Step::SimplifySwitches
            | Step::MergeEnds
            | Step::LateFrame
            | Step::FoldAddresses
            | Step::Sink => {
                self.write_ir(module, &mut out.log);
            }
            Step::Dominators => {
                for block in self.func.blocks() {
                    let _ = writeln!(out.log, "{block}: below {:?}", self.dominators.idom(block));
                }
            }
            Step::ControlFlow => {
                let cfg = self.flow_graph(read);
                for block in self.func.blocks() {
                    let (preds, succs) = (cfg.preds(block), cfg.succs(block));
                    let _ = writeln!(out.log, "{block}: from {preds:?} to {succs:?}");
                }
            }
            Step::UseCounts | Step::Uses => self.print_uses(&mut out.log),
            Step::Loops => {
                for block in self.func.blocks() {
                    let (depth, header) = (self.loops.depth(block), self.loops.innermost(block));
                    let _ = writeln!(out.log, "{block}: depth {depth} {header:?}");
                }
            }
            Step::Layout => {
                let _ = writeln!(out.log, "{:?}", self.layout.blocks());
            }
            Step::HoldConstants => {}
            Step::BlockOrder => {
                for (index, block) in self.order.blocks().iter().enumerate() {
                    let _ = writeln!(out.log, "{index}: {block:?}");
                }
            }
            Step::Lower => self.write_mir(function, &mut out.log),
            Step::Allocate => {
                self.write_mir(function, &mut out.log);
                self.print_allocation(&mut out.log);
            }
            Step::Emit => {
                let code = out.latest().code.to_vec();
                for line in code.chunks(16) {
                    for byte in line {
                        let _ = write!(out.log, "{byte:02x} ");
                    }
                    let _ = writeln!(out.log);
                }
            }
        }
    }

    fn print_uses(&self, out: &mut String) {
        for block in self.func.blocks() {
            for inst in self.func.block_insts(block) {
                if let Some(result) = self.func.result(inst) {
                    let (count, dead) = (self.uses.count(result), self.uses.is_dead(inst));
                    let _ = writeln!(out, "{result}: {count}{}", if dead { " dead" } else { "" });
                }
            }
        }
    }

    fn print_allocation(&self, out: &mut String) {
        let allocation = self.generator.allocation();
        for inst in 0..self.generator.num_insts() {
            let inst = ice_regalloc::Inst::from_u32(inst as u32);
            let _ = writeln!(out, "{inst}: {:?}", allocation.allocs_of(self.generator.body(), inst));
        }
        for edit in &allocation.edits {
            let _ = writeln!(out, "{}: {} = {}", edit.point, edit.to, edit.from);
        }
    }
}
