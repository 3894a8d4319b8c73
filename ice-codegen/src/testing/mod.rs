//! What the tests of lowering share: the machine instructions that a back end makes of a program's first function.
//!
//! Each is told by its name or, as the first word of the debug form is short, by what the test makes of that form.

mod damage;
mod operands;
mod origins;
mod pairs;

pub use damage::{check_ends, check_missing_switch, check_shape, check_targets, damage_places};
pub use operands::{PlacedOperand, placed_operands, written_operands};
pub use origins::check_origins;
pub use pairs::check_pairs;

use crate::lower::{LowerScratch, lower_function};
use crate::mach::{KeepOrigins, MachFunction};
use crate::{BlockOrder, CompiledCode, ErrorKind, Target};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Debug;
use ice_asm::CodeBuffer;
use ice_ir::{ControlFlowGraph, DominatorTree, LoopForest, Uses, parse_program};
use ice_regalloc::{Context, Mode, Options, Output};

/// The debug forms of the machine instructions of the first function of a program. Loops hold constants if the
/// target's do.
pub fn lowered<T: Target>(target: &T, text: &str) -> Vec<String>
where
    T::Inst: Debug,
{
    machine(target, text).insts().iter().map(|inst| format!("{inst:?}")).collect()
}

/// The first function of a program in machine instructions, as [`lowered`] tells them.
pub fn machine<T: Target>(target: &T, text: &str) -> MachFunction<T::Inst> {
    machine_keeping(target, text, KeepOrigins::No)
}

/// The first function of a program in machine instructions, which note what they are for or do not.
fn machine_keeping<T: Target>(target: &T, text: &str, keep: KeepOrigins) -> MachFunction<T::Inst> {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let (module, func) = (&program.module, &program.bodies[0]);
    let (mut cfg, mut order, mut uses) = (ControlFlowGraph::new(), BlockOrder::default(), Uses::default());
    cfg.compute(func);
    order.compute(func, &cfg);
    uses.compute(func);
    let mut scratch = LowerScratch::default();
    if target.holds_constants() {
        let (mut tree, mut loops) = (DominatorTree::new(), LoopForest::new());
        tree.compute(func, &cfg);
        loops.compute(func, &cfg);
        let costly = |inst, visit: &mut dyn FnMut(_, _)| target.costly_constants(module, func, inst, visit);
        if scratch.held.list(func, &loops, costly) {
            scratch.held.choose(func, &loops, &tree);
        }
    }
    let mut mach = MachFunction::new();
    mach.keep_origins(keep);
    lower_function(target, module, func, &cfg, &order, &uses, &mut scratch, &mut mach)
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    mach
}

/// An allocation of a function.
fn allocate<T: Target>(target: &T, mach: &MachFunction<T::Inst>, mode: Mode) -> Output {
    let mut allocator = Context::default();
    let options = Options { mode, ..Options::default() };
    allocator.allocate(mach.body(), target.registers(&mach.frame), &options).expect("it can be allocated");
    allocator.output().clone()
}

/// What emission makes of a function with an allocation.
fn emit<T: Target>(
    target: &T,
    mach: &MachFunction<T::Inst>,
    allocation: &Output,
) -> Result<CompiledCode, ErrorKind> {
    let mut buffer = CodeBuffer::<(), T::Branches>::new();
    let (mut scratch, mut out) = (T::Scratch::default(), CompiledCode::default());
    target.emit(mach, allocation, &mut scratch, &mut buffer, &mut out)?;
    Ok(out)
}

/// The error of lowering a function as if it had the blocks and edges of another.
fn lowered_as<T: Target>(target: &T, text: &str, other: &str) -> String {
    let [program, other] = [text, other].map(|text| parse_program(text).expect("the text is well-formed"));
    let (func, other) = (&program.bodies[0], &other.bodies[0]);
    let (mut cfg, mut order, mut uses) = (ControlFlowGraph::new(), BlockOrder::default(), Uses::default());
    cfg.compute(other);
    order.compute(other, &cfg);
    uses.compute(func);
    let mut scratch = LowerScratch::default();
    let mut mach = MachFunction::new();
    lower_function(target, &program.module, func, &cfg, &order, &uses, &mut scratch, &mut mach)
        .expect_err("a block has another successor")
        .to_string()
}

/// The name in a debug form.
pub fn name(form: &str) -> String {
    form.split(' ').next().unwrap_or_default().to_string()
}
