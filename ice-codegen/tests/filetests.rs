//! Decisions of the code generator on text: each file in `filetests/` is a program and what is decided about it. The
//! program is verified before and after.

#[path = "common/filetest.rs"]
mod filetest;

use ice_codegen::switch::{self, Otherwise, SwitchNode, SwitchPlan, SwitchScratch, SwitchWidth};
use ice_codegen::{BlockLayout, magic};
use ice_ir::{
    BinaryOp, Block, ControlFlowGraph, Function, InstData, LoopForest, Module, Program, Rules,
    VerifierScratch, parse_program, verify_function,
};
use libtest_mimic::Failed;
use std::fmt::Write;

/// Makes the decision called `name` about a function and gives what is to be compared.
fn perform(name: &str, func: &Function) -> Result<String, Failed> {
    let mut text = String::new();
    match name {
        "layout" => {
            let mut cfg = ControlFlowGraph::new();
            cfg.compute(func);
            let mut loops = LoopForest::new();
            loops.compute(func, &cfg);
            let mut layout = BlockLayout::default();
            layout.compute(func, &cfg, &loops);
            for &block in layout.blocks() {
                writeln!(text, "{block}{}", if layout.is_cold(block) { " cold" } else { "" })?;
            }
        }
        // Of values in several registers, and of those in one of 64 bits.
        "switch" | "switch-of-64" => {
            let register = if name == "switch" { 0 } else { 64 };
            let (mut scratch, mut plan) = (SwitchScratch::default(), SwitchPlan::default());
            for block in func.blocks() {
                let Some(last) = func.layout.last_inst(block) else { continue };
                if let InstData::Switch { value, default, table } = *func.inst(last) {
                    let width = SwitchWidth { bits: func.value_type(value).bits(), register };
                    switch::plan(
                        width,
                        Otherwise::Goes(default),
                        &func.switch(table).cases,
                        |block| block,
                        &mut scratch,
                        &mut plan,
                    );
                    write_plan(&plan, &mut text)?;
                }
            }
        }
        "magic" => {
            for inst in func.blocks().flat_map(|block| func.block_insts(block)) {
                let InstData::Binary { op, args: [x, divisor] } = *func.inst(inst) else { continue };
                let Some(divisor) = func.int_value(divisor).filter(|_| op.is_division()) else { continue };
                let ty = func.value_type(x);
                let multiplier = match op {
                    BinaryOp::Sdiv | BinaryOp::Srem => format!("{:x?}", magic::signed(ty.bits(), divisor)),
                    _ => format!("{:x?}", magic::unsigned(ty.bits(), divisor as u64 & ty.int_mask())),
                };
                writeln!(text, "{op} {ty} by {divisor}: {multiplier}")?;
            }
        }
        _ => return Err(format!("there is no decision '{name}'").into()),
    }
    Ok(text)
}

/// Writes a decision tree, one line a node.
fn write_plan(plan: &SwitchPlan<Block>, text: &mut String) -> std::fmt::Result {
    for (n, node) in plan.nodes.iter().enumerate() {
        match *node {
            SwitchNode::Goto(target) => writeln!(text, "{n}: {target}")?,
            SwitchNode::Less { pivot, below, otherwise } => {
                writeln!(text, "{n}: below {pivot}: {below}, else {otherwise}")?;
            }
            SwitchNode::Range { low, high, target, otherwise } => {
                writeln!(text, "{n}: {low}..={high}: {target}, else {otherwise}")?;
            }
            SwitchNode::Within { low, high, inside, outside } => {
                writeln!(text, "{n}: {low}..={high}: {inside}, else {outside}")?;
            }
            SwitchNode::Bits { mask, bits, target, otherwise } => {
                writeln!(text, "{n}: {mask:#x} of {bits:?}: {target}, else {otherwise}")?;
            }
            SwitchNode::Table { low, start, len, default, bounds } => {
                let entries = plan.entries[start as usize..][..len as usize].iter();
                let entries: Vec<String> = entries.map(Block::to_string).collect();
                writeln!(text, "{n}: {low} on: {}, else {default} ({bounds:?})", entries.join(" "))?;
            }
        }
    }
    Ok(())
}

fn verify(program: &Program, when: &str) -> Result<(), Failed> {
    program.bodies.iter().try_for_each(|func| verify_body(&program.module, func, when))
}

fn verify_body(module: &Module, func: &Function, when: &str) -> Result<(), Failed> {
    let result = verify_function(module, func, Rules::Ice, &mut VerifierScratch::default());
    result.map_err(|errors| format!("{when} the pass: {errors:#?}\n{func:?}").into())
}

fn run(name: &str, input: &str) -> Result<String, Failed> {
    let program = parse_program(input)?;
    verify(&program, "before")?;
    let mut output = String::new();
    for index in 0..program.bodies.len() {
        output += &perform(name, &program.bodies[index])?;
    }
    verify(&program, "after")?;
    Ok(output)
}

fn main() {
    filetest::run_all(&[("filetests", run)]);
}
