//! Random functions: every allocation passes the checker and runs right, and the checker catches
//! every broken allocation that an execution shows to be wrong.
//!
//! `ICE_REGALLOC_CASES` sets the number of functions for each register file, `ICE_REGALLOC_SEED`
//! the first seed.

use crate::common;

use common::*;
use ice_regalloc::*;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

fn cases() -> std::ops::Range<u64> {
    let first = number("ICE_REGALLOC_SEED", 0);
    first..first + number("ICE_REGALLOC_CASES", 400)
}

/// How often control comes to the blocks of a function.
#[derive(Clone, Copy, PartialEq)]
enum Chances {
    Unknown,
    /// To one of three hardly ever.
    Some,
}

const fn options(mode: Mode, slots: SlotSharing) -> Options {
    Options { mode, slots, steps: None, check: InputCheck::Always }
}

static MODES: [(Options, Chances); 5] = [
    (options(Mode::Minimal, SlotSharing::Shared), Chances::Unknown),
    (options(Mode::MinimalReference, SlotSharing::Shared), Chances::Unknown),
    (options(Mode::Linear, SlotSharing::Shared), Chances::Unknown),
    (options(Mode::Linear, SlotSharing::Distinct), Chances::Unknown),
    (options(Mode::Linear, SlotSharing::Shared), Chances::Some),
];

/// What the tests of one register file have seen.
#[derive(Default)]
struct Tally {
    refused: usize,
    total: usize,
    /// Edits of each mode.
    edits: [usize; MODES.len()],
}

/// Allocates the function of a seed in every mode, proves and runs the results.
fn check_seed(
    name: &str,
    file: &'static RegisterFile<'static>,
    seed: u64,
    context: &mut Context,
    tally: &mut Tally,
) {
    let mut checker = Checker::new();
    let mut rng = Rng::new(seed);
    let func = random_function(&mut rng, file);
    let mut first = None;
    for ((options, chances), edits) in MODES.iter().zip(&mut tally.edits) {
        let mode = options.mode;
        let mut built = func.build();
        if *chances == Chances::Some {
            let chance = |b: u64| if (b + seed).is_multiple_of(3) { 0.01 } else { 1.0 };
            built.set_chances(&(0..built.num_blocks() as u64).map(chance).collect::<Vec<_>>());
        }
        if options.slots == SlotSharing::Distinct && !seed.is_multiple_of(4) {
            continue;
        }
        tally.total += 1;
        let result = context.allocate(&built, file, options);
        let accepted = result.is_ok();
        match result {
            Ok(output) => {
                if let Err(violations) = checker.check(&built, file, output) {
                    dump(&func, output);
                    panic!("{name} seed {seed} {mode:?}: {}", violations[0]);
                }
                if let Err(inst) = simulate(&func, file, output, &mut rng) {
                    dump(&func, output);
                    panic!("{name} seed {seed} {mode:?}: {inst} is wrong, unseen by the checker");
                }
                *edits += output.edits.len();
            }
            // Fixed uses beside register operands can ask for too much of a small class.
            Err(Error::Unsatisfiable { .. } | Error::UndefinedVReg { .. }) => tally.refused += 1,
            Err(error) => panic!("{name} seed {seed} {mode:?}: {error}"),
        }
        let first = *first.get_or_insert(accepted);
        // The full mode may find a place where the minimal one does not.
        assert!(accepted == first || mode == Mode::Linear && accepted, "{name} seed {seed} {mode:?}");
    }
}

/// Every result is proved and run, and all modes accept and refuse the same functions. The short path for
/// plain instructions costs no worse code than the general path, which is the reference.
#[test]
fn random_functions_are_allocated_right() {
    let mut context = Context::new();
    for (name, file) in FILES {
        let mut tally = Tally::default();
        for seed in cases() {
            check_seed(name, file, seed, &mut context, &mut tally);
        }
        let Tally { refused, total, edits } = tally;
        let [short, general, ..] = edits;
        println!("{name}: {short} edits, {general} by the reference, {} in the full mode", edits[2]);
        assert!(short * 100 <= general * 101 + 1000, "{name}: {short} edits, not {general}");
        println!("{name}: {refused} of {total} refused");
        assert!(refused * 8 < total + 100, "{name}: {refused} of {total} functions refused");
    }
}

/// Functions that the allocator got wrong once, of millions.
#[test]
fn what_was_wrong_once_is_right() {
    // An argument kept its register on an edge, but the register carried another move.
    // A copy of a slot found no register after the operands.
    // A parameter that nothing reads was defined anew by the first instruction, and its register taken for free.
    // A definition took the register of a value that was read and made anew, and another one found none: read from a
    // register, and from a copy in a slot.
    // A fixed use was a copy of a value whose register is destroyed; another use found no register but that of the copy.
    // An argument was stored although it ended with the copies, to a slot that a parameter had from there on.
    // A value was saved around a copy on the way into a loop and brought back over what a move before had written.
    // A fixed use was a copy of a value whose register is destroyed; another operand that rewrites the
    // value, or reads it until the end of the instruction as the copy does, found no other.
    // A value had one register and a fixed use a copy in another one, so that there was none for a third operand.
    // A use in a slot was a copy of what a register was looked for to copy it with, and a fixed use had it in one.
    // What one operand reads and another rewrites was asked into a register as if an early definition were its own.
    let seeds = [
        ("wide", 10702),
        ("wide", 39775),
        ("x86", 10781),
        ("tiny", 1906),
        ("tiny", 12183),
        ("tiny", 96313),
        ("tiny", 33027254),
        ("wide", 77040174),
        ("tiny", 100030228),
        ("tiny", 100247487),
        ("tiny", 100248403),
        ("tiny", 101348986),
        ("tiny", 101761938),
        ("wide", 100455363),
    ];
    let mut context = Context::new();
    for (name, seed) in seeds {
        let (_, file) = FILES.iter().find(|file| file.0 == name).expect("a register file of the tests");
        check_seed(name, file, seed, &mut context, &mut Tally::default());
    }
}

#[test]
fn the_checker_catches_broken_allocations() {
    let mut context = Context::new();
    let (mut broken, mut caught) = (0, 0);
    for (name, file) in FILES {
        for seed in cases() {
            let mut rng = Rng::new(seed);
            let func = random_function(&mut rng, file);
            let (options, _) = &MODES[2 * rng.below(2)];
            let Ok(output) = context.allocate(&func.build(), file, options) else { continue };
            for _ in 0..4 {
                let mut wrong = output.clone();
                mutate(func.insts.len(), &mut wrong, file, &mut rng);
                let report = check(&func.build(), file, &wrong);
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
fn mutate(insts: usize, output: &mut Output, file: &RegisterFile, rng: &mut Rng) {
    let place = |output: &Output, rng: &mut Rng| {
        if rng.one_in(8) {
            Allocation::remat(Inst::from_u32(rng.below(insts + 1) as u32))
        } else if rng.one_in(3) && !output.slots.is_empty() {
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
    let built = func.build();
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
            let places = output.allocs_of(&built, inst);
            let ops: Vec<String> = stored.ops.iter().zip(places).map(|(o, p)| format!("{o} = {p}")).collect();
            println!("  {inst}: {} clobbers {:?}", ops.join(", "), stored.clobbers);
            edits(ProgPoint::after(inst));
        }
        println!("  to {:?} with {:?}", block.succs, block.args);
    }
}
