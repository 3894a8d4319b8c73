//! Random functions: every allocation passes the checker and runs right, and the checker catches
//! every broken allocation that an execution shows to be wrong.
//!
//! `ICE_REGALLOC_CASES` sets the number of functions for each register file, `ICE_REGALLOC_SEED`
//! the first seed.

mod common;

use common::*;
use ice_regalloc::*;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

fn cases() -> std::ops::Range<u64> {
    let first = number("ICE_REGALLOC_SEED", 0);
    first..first + number("ICE_REGALLOC_CASES", 400)
}

static FILES: [(&str, &RegisterFile); 3] = [("x86", &X86), ("arm", &ARM), ("tiny", &TINY)];

/// The short path for plain instructions against the general path, which is the reference: both
/// accept and refuse the same functions, and the short path costs no worse code.
#[test]
fn the_short_path_is_as_good_as_the_reference() {
    let mut context = Context::new();
    let reference = Options { mode: Mode::MinimalReference, ..Options::default() };
    for (name, file) in FILES {
        let (mut short, mut general) = (0, 0);
        for seed in cases() {
            let func = random_function(&mut Rng::new(seed), file);
            let first = context.allocate(&func, file, &Options::default()).map(edits);
            let second = match context.allocate(&func, file, &reference) {
                Ok(output) => {
                    if let Err(violations) = check(&func, file, output) {
                        dump(&func, output);
                        panic!("{name} seed {seed}: {}", violations[0]);
                    }
                    Ok(edits(output))
                }
                Err(error) => Err(error),
            };
            assert_eq!(first.is_ok(), second.is_ok(), "{name} seed {seed}");
            short += first.unwrap_or(0);
            general += second.unwrap_or(0);
        }
        println!("{name}: {short} edits, {general} by the reference");
        assert!(general > 0 && short * 100 <= general * 101, "{name}: {short} edits, not {general}");
    }
}

fn edits(output: &Output) -> usize {
    output.edits.len()
}

static MODES: [Options; 3] = [
    Options { mode: Mode::Minimal, slots: SlotSharing::Shared },
    Options { mode: Mode::Linear, slots: SlotSharing::Shared },
    Options { mode: Mode::Linear, slots: SlotSharing::Distinct },
];

#[test]
fn random_functions_are_allocated_right() {
    let mut context = Context::new();
    let (mut refused, mut total) = (0, 0);
    for (name, file) in FILES {
        for seed in cases() {
            let mut rng = Rng::new(seed);
            let func = random_function(&mut rng, file);
            for options in &MODES {
                total += 1;
                let mode = options.mode;
                let output = match context.allocate(&func, file, options) {
                    Ok(output) => output,
                    // Fixed uses beside register operands can ask for too much of a small class.
                    Err(Error::Unsatisfiable { .. } | Error::UndefinedVReg { .. }) => {
                        refused += 1;
                        continue;
                    }
                    Err(error) => panic!("{name} seed {seed} {mode:?}: {error}"),
                };
                if let Err(violations) = check(&func, file, output) {
                    dump(&func, output);
                    panic!("{name} seed {seed} {mode:?}: {}", violations[0]);
                }
                for _ in 0..3 {
                    if let Err(inst) = simulate(&func, file, output, &mut rng) {
                        dump(&func, output);
                        panic!(
                            "{name} seed {seed} {mode:?}: {inst} reads a wrong value, unseen by the checker"
                        );
                    }
                }
            }
        }
    }
    println!("{refused} of {total} refused");
    assert!(refused * 5 < total, "{refused} of {total} functions refused");
}

#[test]
fn the_checker_catches_broken_allocations() {
    let mut context = Context::new();
    let (mut broken, mut caught) = (0, 0);
    for (name, file) in FILES {
        for seed in cases() {
            let mut rng = Rng::new(seed);
            let func = random_function(&mut rng, file);
            let options = &MODES[rng.below(2)];
            let Ok(output) = context.allocate(&func, file, options) else { continue };
            for _ in 0..4 {
                let mut wrong = output.clone();
                mutate(&mut wrong, file, &mut rng);
                let report = check(&func, file, &wrong);
                caught += u32::from(report.is_err());
                if report.is_ok() && simulate(&func, file, &wrong, &mut rng).is_err() {
                    dump(&func, &wrong);
                    panic!("{name} seed {seed}: a wrong allocation passes the checker");
                }
                broken += 1;
            }
        }
    }
    println!("{caught} of {broken} changed allocations were wrong");
    // Some changes are harmless: a spill that nothing reloads, say. Most are not.
    assert!(caught * 2 > broken, "{caught} of {broken} caught");
}

/// Changes one place or one edit.
fn mutate(output: &mut Output, file: &RegisterFile, rng: &mut Rng) {
    let place = |output: &Output, rng: &mut Rng| {
        if rng.one_in(3) && !output.slots.is_empty() {
            Allocation::slot(Slot::from_u32(rng.below(output.slots.len()) as u32))
        } else {
            Allocation::reg(PReg(rng.below(file.regs.len()) as u8))
        }
    };
    let other = place(output, rng);
    let edits = output.edits.len();
    match rng.below(5) {
        0 if edits > 0 => {
            output.edits.remove(rng.below(edits));
        }
        1 if edits > 0 => output.edits[rng.below(edits)].from = other,
        2 if edits > 0 => output.edits[rng.below(edits)].to = other,
        3 if edits > 1 => {
            let first = rng.below(edits - 1);
            let (a, b) = (output.edits[first], output.edits[first + 1]);
            output.edits[first] = Edit { point: a.point, ..b };
            output.edits[first + 1] = Edit { point: b.point, ..a };
        }
        _ => {
            let count = output.allocs.len();
            output.allocs[rng.below(count)] = other;
        }
    }
    output.used_regs = RegUnits::span(0, 128);
}

fn dump(func: &StoredFunction, output: &Output) {
    for b in 0..func.blocks.len() {
        let block = &func.blocks[b];
        println!("block{b}({:?}) from {:?}", block.params, block.preds);
        for i in block.insts.clone() {
            let inst = Inst::from_u32(i);
            let edits = |point| {
                for e in output.edits.iter().filter(|e| e.point == point) {
                    println!("        {} -> {} ({} bytes)", e.from, e.to, e.size);
                }
            };
            edits(ProgPoint::before(inst));
            let stored = &func.insts[i as usize];
            let places = output.allocs_of(inst);
            let ops: Vec<String> = stored.ops.iter().zip(places).map(|(o, p)| format!("{o} = {p}")).collect();
            println!("  {inst}: {} clobbers {:?}", ops.join(", "), stored.clobbers);
            edits(ProgPoint::after(inst));
        }
        println!("  to {:?} with {:?}", block.succs, block.args);
    }
}
