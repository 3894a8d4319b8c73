//! Passes on text: each file in `filetests/` is a program before a pass and what the pass makes of it. The program is
//! verified before and after.

#[path = "common/filetest.rs"]
mod filetest;

use ice_ir::{
    Addressing, ControlFlowGraph, Cursor, DominatorTree, Function, LoopForest, Module, Program, Rules, Type,
    Uses, Value, VerifierScratch, parse_program, verify_function, write_function,
};
use ice_passes::{
    AddressScratch, Changed, CycleScratch, EndScratch, Forms, HoistScratch, LateFrameScratch, Numbering,
    ProtectScratch, ShortCircuitScratch, SinkScratch, StrengthScratch, SwitchScratch, delay_frame,
    fold_addresses, hoist_invariants, may_delay_frame, merge_equal_ends, number_values, protect_stack,
    reduce_strength, remove_dead_cycles, simplify_switches, sink, split_conditions,
};
use libtest_mimic::Failed;
use std::fmt::Write;

/// What short regions are moved by.
const MOVED: &[Type] = &[Type::V4I32, Type::I64, Type::I32, Type::I16, Type::I8];

/// Runs the pass called `name` on a function and gives what is to be compared.
fn perform(name: &str, module: &Module, func: &mut Function) -> Result<String, Failed> {
    let mut cfg = ControlFlowGraph::new();
    cfg.compute(func);
    let mut tree = DominatorTree::new();
    tree.compute(func, &cfg);
    let mut loops = LoopForest::new();
    loops.compute(func, &cfg);
    let mut uses = Uses::default();
    uses.compute(func);
    let (mut text, mut before) = (String::new(), String::new());
    write_function(module, func, &mut before)?;
    match name {
        "loops" => {
            for block in func.blocks() {
                let header = loops.innermost(block);
                let header = header.map_or("no loop".into(), |header| format!("the loop of {header}"));
                writeln!(text, "{block}: depth {}, {header}", loops.depth(block))?;
            }
        }
        "number-values" | "number-values-without-sums" => {
            let addressing = match name {
                "number-values" => Addressing::BaseAndIndex,
                _ => Addressing::Base,
            };
            let mut numbering =
                Numbering::of(module, Forms { moved_types: MOVED, complements_operands: false });
            let changed = number_values(func, &cfg, &tree, &mut uses, addressing, &mut numbering);
            hold(&uses, func)?;
            write_changed(module, func, changed, &before, &mut text)?;
        }
        "dead-cycles" => {
            let changed = remove_dead_cycles(func, &loops, &uses, &mut CycleScratch::default());
            write_changed(module, func, changed, &before, &mut text)?;
        }
        "licm" => {
            let mut scratch = HoistScratch::default();
            let changed =
                hoist_invariants(func, &cfg, &tree, &mut loops, Addressing::BaseAndIndex, &mut scratch);
            write_changed(module, func, changed, &before, &mut text)?;
        }
        "reduce-strength" | "reduce-strength-without-sums" | "reduce-strength-with-steps" => {
            let addressing = match name {
                "reduce-strength" => Addressing::BaseAndIndex,
                "reduce-strength-with-steps" => Addressing::BaseOrIndex { steps: true },
                _ => Addressing::Base,
            };
            let addresses = (module.pointer_type, addressing);
            let (graphs, mut scratch) = ((&cfg, &tree, &mut loops), StrengthScratch::default());
            let changed = reduce_strength(func, addresses, graphs, &uses, &mut scratch);
            write_changed(module, func, changed, &before, &mut text)?;
        }
        "short-circuit" => {
            let changed = split_conditions(func, &mut uses, &mut ShortCircuitScratch::default());
            compare_uses(func, &uses)?;
            write_changed(module, func, changed, &before, &mut text)?;
        }
        "protect-stack" => {
            let changed = protect_stack(module, func, &mut ProtectScratch::default());
            write_changed(module, func, changed, &before, &mut text)?;
        }
        "check-types" => {
            let changed = ice_passes::expand_type_checks(func, module.pointer_type);
            write_changed(module, func, changed, &before, &mut text)?;
        }
        "fold-addresses" => {
            let mut scratch = AddressScratch::default();
            let changed = fold_addresses(func, module.pointer_type, &loops, &mut uses, &mut scratch);
            hold(&uses, func)?;
            write_changed(module, func, changed, &before, &mut text)?;
        }
        "simplify-switches" => {
            let changed = simplify_switches(func, &cfg, &uses, &mut SwitchScratch::default());
            write_changed(module, func, changed, &before, &mut text)?;
        }
        "merge-ends" => {
            let changed = merge_equal_ends(func, (&cfg, &mut loops), &mut EndScratch::default());
            write_changed(module, func, changed, &before, &mut text)?;
        }
        "late-frame" => {
            let place = match may_delay_frame(func) {
                true => delay_frame(func, &cfg, (&tree, &loops), &mut LateFrameScratch::default()),
                false => (Changed::Nothing, None),
            };
            if let Some(place) = place.1 {
                writeln!(text, "frame at {place}")?;
            }
            write_changed(module, func, place.0, &before, &mut text)?;
        }
        "sink" => {
            let graphs = (&cfg, &mut loops);
            let changed =
                sink(func, (module.pointer_type, true), graphs, &mut uses, &mut SinkScratch::default());
            write_changed(module, func, changed, &before, &mut text)?;
        }
        _ => return Err(format!("there is no pass '{name}'").into()),
    }
    if text.starts_with("changed: KeptLoops") && name != "short-circuit" {
        compare_loops(func, &loops)?;
    }
    Ok(text)
}

/// Compares the use counts that a pass has kept with those of the function as it is now.
fn compare_uses(func: &Function, uses: &Uses) -> Result<(), Failed> {
    let mut now = Uses::default();
    now.compute(func);
    for value in (0..func.num_values() as u32).map(Value::from_u32) {
        // A last user that was dead is not known any more.
        let last = uses.last_user(value).or(now.last_user(value));
        let of = |uses: &Uses, last| (uses.count(value), last, uses.is_widened(value));
        let (kept, now) = (of(uses, last), of(&now, now.last_user(value)));
        if now.0 > 0 && kept != now {
            return Err(format!("{value}: uses {now:?}, not {kept:?}").into());
        }
    }
    Ok(())
}

/// Compares the forest that a pass has added blocks to with that of the function as it is now.
fn compare_loops(func: &Function, loops: &LoopForest) -> Result<(), Failed> {
    let (mut cfg, mut now) = (ControlFlowGraph::new(), LoopForest::new());
    cfg.compute(func);
    now.compute(func, &cfg);
    for block in func.blocks() {
        let of = |loops: &LoopForest| {
            (loops.is_reachable(block), loops.innermost(block), loops.outer(block), loops.depth(block))
        };
        if of(loops) != of(&now) {
            return Err(format!("{block}: reached and loops {:?}, not {:?}", of(&now), of(loops)).into());
        }
    }
    Ok(())
}

/// Writes what the pass says that it has changed, which must be true of the text from before, and the function.
fn write_changed(
    module: &Module,
    func: &mut Function,
    changed: Changed,
    before: &str,
    text: &mut String,
) -> Result<(), Failed> {
    let mut after = String::new();
    write_function(module, func, &mut after)?;
    let labels = |text: &str| text.lines().filter(|line| line.starts_with("block")).count();
    if changed == Changed::Nothing && before != after {
        return Err(format!("the pass says that it has changed nothing of\n{before}").into());
    }
    if changed < Changed::KeptLoops && labels(before) != labels(&after) {
        return Err(format!("the pass says that it has changed no blocks of\n{before}").into());
    }
    writeln!(text, "changed: {changed:?}")?;
    write_living(module, func, text)
}

/// Whether a pass has kept the use counts, or an error.
fn hold(uses: &Uses, func: &Function) -> Result<(), Failed> {
    match uses.hold_for(func) {
        true => Ok(()),
        false => Err(format!("the use counts are not those of\n{func:?}").into()),
    }
}

/// Writes the function as lowering sees it, without dead instructions.
fn write_living(module: &Module, func: &mut Function, text: &mut String) -> Result<(), Failed> {
    verify_body(module, func, "after")?;
    let mut uses = Uses::default();
    uses.compute(func);
    let mut cursor = Cursor::new(func);
    while cursor.next_block().is_some() {
        while let Some(inst) = cursor.next_inst() {
            if uses.is_dead(inst) {
                cursor.remove();
            }
        }
    }
    Ok(write_function(module, func, text)?)
}

fn verify(program: &Program, when: &str) -> Result<(), Failed> {
    program.bodies.iter().try_for_each(|func| verify_body(&program.module, func, when))
}

fn verify_body(module: &Module, func: &Function, when: &str) -> Result<(), Failed> {
    let result = verify_function(module, func, Rules::Ice, &mut VerifierScratch::default());
    result.map_err(|errors| format!("{when} the pass: {errors:#?}\n{func:?}").into())
}

fn run(name: &str, input: &str) -> Result<String, Failed> {
    let mut program = parse_program(input)?;
    verify(&program, "before")?;
    let mut output = String::new();
    for index in 0..program.bodies.len() {
        output += &perform(name, &program.module, &mut program.bodies[index])?;
    }
    verify(&program, "after")?;
    Ok(output)
}

fn main() {
    filetest::run_all(&[("filetests", run)]);
}
