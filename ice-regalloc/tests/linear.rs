//! The full mode: what code it makes on small functions, and how much it costs beside the minimal
//! mode on random ones.

use crate::common;

use common::*;
use ice_regalloc::*;

const EAX: PReg = PReg(0);
const LINEAR: Options =
    Options { mode: Mode::Linear, slots: SlotSharing::Shared, steps: None, check: InputCheck::Always };

fn allocate(func: &StoredFunction) -> Allocated {
    Allocated::new(func, &X86, &LINEAR)
}

#[test]
fn a_loop_runs_in_registers() {
    // v2 and v3 are the loop's parameters; v0 is used after it.
    let output = allocate(&function(
        7,
        vec![
            (
                vec![],
                vec![inst(&[Operand::def_reg(v(0), GPR)]), inst(&[Operand::def_reg(v(1), GPR)]), end(&[])],
                vec![(1, vec![0, 1])],
            ),
            (
                vec![2, 3],
                vec![
                    copy(4, 2),
                    inst(&[Operand::use_any(v(3), GPR), Operand::use_def_reg(v(4), GPR)]),
                    copy(5, 3),
                    inst(&[Operand::use_def_reg(v(5), GPR)]),
                    inst(&[Operand::use_any(v(5), GPR)]),
                    end(&[]),
                ],
                vec![(2, vec![]), (3, vec![])],
            ),
            (vec![], vec![end(&[])], vec![(1, vec![4, 5])]),
            (vec![], vec![end(&[Operand::use_fixed(v(0), GPR, EAX)])], vec![]),
        ],
    ));
    assert_eq!((output.stats.spills, output.stats.reloads), (0, 0));
    assert!(output.slots.is_empty());
    // The copies of arguments to parameters cost nothing, and those that are instructions
    // neither: source and target are in one register.
    assert_eq!(output.place(3, 0), output.place(3, 1));
    assert_eq!(output.place(5, 0), output.place(5, 1));
}

#[test]
fn an_argument_that_stays_is_none_of_the_free_registers() {
    // v2 has its register where v3 has it in between. At the end of block4 it stays there for v6, and two others change
    // places through a third one.
    let [ecx, edx] = [PReg(1), PReg(2)];
    let def = |n, reg| inst(&[Operand::def_fixed(v(n), GPR, reg)]);
    let read = |n, reg| inst(&[Operand::use_fixed(v(n), GPR, reg)]);
    let output = allocate(&function(
        9,
        vec![
            (vec![], vec![def(0, ecx), def(1, EAX), def(8, edx), end(&[])], vec![(1, vec![8])]),
            (vec![2], vec![end(&[Operand::use_any(v(0), GPR)])], vec![(2, vec![]), (4, vec![])]),
            (vec![], vec![def(7, edx), end(&[])], vec![(3, vec![7])]),
            (vec![3], vec![read(3, edx), end(&[])], vec![]),
            (vec![], vec![inst(&[Operand::use_any(v(2), GPR)]), end(&[])], vec![(5, vec![1, 0, 2])]),
            (vec![4, 5, 6], vec![read(5, EAX), read(4, ecx), read(6, edx), end(&[])], vec![]),
        ],
    ));
    assert_eq!(output.stats.moves, 3);
}

#[test]
fn values_live_through_calls_in_saved_registers() {
    let output = allocate(&function(
        2,
        vec![(
            vec![],
            vec![
                inst(&[Operand::def_reg(v(0), GPR)]),
                call(&[]),
                inst(&[Operand::use_reg(v(0), GPR)]),
                call(&[Operand::use_fixed(v(0), GPR, EAX), Operand::def_fixed(v(1), GPR, EAX)]),
                inst(&[Operand::use_reg(v(0), GPR)]),
                end(&[Operand::use_fixed(v(1), GPR, EAX)]),
            ],
            vec![],
        )],
    ));
    // One copy to the argument register; the result stays where it is.
    assert_eq!(output.edits.len(), 1);
    let home = output.place(0, 0).as_reg().expect("a register");
    assert!(X86.callee_saved.contains(X86.units(home)));
    assert_eq!(output.place(4, 0), output.place(2, 0));
}

#[test]
fn one_use_behind_a_call_does_not_pay_for_a_saved_register() {
    let output = allocate(&function(
        1,
        vec![(
            vec![],
            vec![inst(&[Operand::def_any(v(0), GPR)]), call(&[]), end(&[Operand::use_any(v(0), GPR)])],
            vec![],
        )],
    ));
    assert!(output.place(2, 0).is_slot());
    assert!(!output.used_regs.intersects(X86.callee_saved));
}

#[test]
fn slots_are_shared_unless_distinct() {
    let mut insts = Vec::new();
    for n in 0..3 {
        insts.push(inst(&[Operand::def_stack(v(n), GPR)]));
        insts.push(inst(&[Operand::use_stack(v(n), GPR)]));
    }
    insts.push(end(&[]));
    let func = function(3, vec![(vec![], insts, vec![])]);
    assert_eq!(allocate(&func).slots.len(), 1);
    let distinct = Options { slots: SlotSharing::Distinct, ..LINEAR };
    let mut context = Context::new();
    let output = context.allocate(&func.build(), &X86, &distinct).expect("allocates");
    assert_eq!(output.slots.len(), 3);
}

#[test]
fn the_densest_values_win() {
    // Eight values around a loop, seven registers: the one that the loop does not use loses.
    let mut first: Vec<StoredInst> = (0..8).map(|n| inst(&[Operand::def_reg(v(n), GPR)])).collect();
    first.push(end(&[]));
    let mut body: Vec<StoredInst> = (1..7).map(|n| inst(&[Operand::use_def_reg(v(n), GPR)])).collect();
    body.push(end(&[]));
    let mut last: Vec<StoredInst> = (0..8).map(|n| inst(&[Operand::use_any(v(n), GPR)])).collect();
    last.push(end(&[]));
    let output = allocate(&function(
        8,
        vec![
            (vec![], first, vec![(1, vec![])]),
            (vec![], body, vec![(2, vec![]), (3, vec![])]),
            (vec![], vec![end(&[])], vec![(1, vec![])]),
            (vec![], last, vec![]),
        ],
    ));
    let inside = |e: &&Edit| (9..17).contains(&e.point.inst().as_u32());
    assert_eq!(output.edits.iter().filter(inside).count(), 0, "{:?}", output.edits);
    assert!(output.stats.spills >= 1 && output.stats.spills <= 2);
}

/// What an allocation costs: spills, reloads, copies, operands in slots.
fn cost(func: &StoredFunction, output: &Output) -> [u64; 4] {
    let built = func.build();
    let mut total = [
        u64::from(output.stats.spills),
        u64::from(output.stats.reloads),
        u64::from(output.stats.moves),
        output.allocs.iter().filter(|a| a.is_slot()).count() as u64,
    ];
    for (i, inst) in func.insts.iter().enumerate() {
        if inst.is_move {
            let places = output.allocs_of(&built, Inst::from_u32(i as u32));
            total[2] += u64::from(places[0] != places[1]);
        }
    }
    total
}

#[test]
fn random_functions_cost_less_than_in_minimal_mode() {
    let mut context = Context::new();
    for (name, file) in FILES {
        let (mut minimal, mut linear, mut slots) = ([0; 4], [0; 4], [0; 2]);
        let (mut walks, mut fallbacks) = (0, 0);
        for seed in 0..500 {
            let func = random_function(&mut Rng::new(seed), file);
            let Ok(output) = context.allocate(&func.build(), file, &Options::default()) else { continue };
            let first = cost(&func, output);
            slots[0] += output.slots.len();
            let output =
                context.allocate(&func.build(), file, &LINEAR).expect("whatever the minimal mode accepts");
            let second = cost(&func, output);
            walks += output.stats.walks;
            fallbacks += u32::from(output.stats.walks == 0);
            slots[1] += output.slots.len();
            for k in 0..4 {
                minimal[k] += first[k];
                linear[k] += second[k];
            }
        }
        println!("{name}: spills, reloads, copies, slot operands {minimal:?} minimal, {linear:?} linear");
        println!("{name}: slots {} minimal, {} linear", slots[0], slots[1]);
        // A slot as an operand is half an instruction.
        let instructions = |c: [u64; 4]| c[0] + c[1] + c[2] + c[3] / 2;
        let percent = instructions(linear) * 100 / instructions(minimal);
        println!("{name}: {percent} %, {walks} walks, {fallbacks} given to the minimal mode");
        assert!(fallbacks < 10, "{name}: {fallbacks}");
        assert!(percent <= 100, "{name}: {percent} %");
        assert!(slots[1] < slots[0], "{name}");
    }
}

#[test]
fn a_long_function_is_allocated_right() {
    let func = chain_of_loops(13 * 300);
    let output = allocate(&func);
    assert_eq!(output.stats.walks, 1);
}

/// Ten thousand blocks that two thousand values live through: sets of blocks for all values would be
/// quadratic, what changes between blocks is not.
#[test]
fn values_that_live_through_all_of_a_long_function_are_cheap() {
    let (count, values) = (10_000, 2000);
    let mut blocks = Vec::new();
    for b in 0..count {
        let insts = match b {
            0 => (0..values).map(|n| inst(&[Operand::def_reg(v(n), GPR)])).chain([end(&[])]).collect(),
            _ if b + 1 == count => {
                (0..values).map(|n| inst(&[Operand::use_any(v(n), GPR)])).chain([end(&[])]).collect()
            }
            _ => vec![inst(&[Operand::use_any(v(b % values), GPR)]), end(&[])],
        };
        let succs = if b + 1 < count { vec![(b + 1, vec![])] } else { vec![] };
        blocks.push((vec![], insts, succs));
    }
    let func = function(values as usize, blocks);
    let mut context = Context::new();
    let output = context.allocate(&func.build(), &X86, &LINEAR).expect("allocates");
    // The full mode made it, and stored each value once at most.
    assert_eq!(output.stats.walks, 1);
    assert!(output.stats.spills <= values, "{:?}", output.stats);
}

/// Nanoseconds that this thread has had a processor for; those of the clock where the system does not tell.
fn processor_time(start: std::time::Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let first = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
    first.unwrap_or_else(|| start.elapsed().as_nanos() as f64)
}

/// `cargo test --release -- --ignored --nocapture time` shows how time grows with the function.
#[test]
#[ignore = "a measurement"]
fn time() {
    let mut context = Context::new();
    for values in [10, 100, 1000, 10_000, 100_000, 1_000_000] {
        let func = chain_of_loops(values);
        let mut per = |work: &mut dyn FnMut(&mut Context)| {
            work(&mut context);
            let rounds = (200_000 / values).clamp(1, 2000);
            let start = std::time::Instant::now();
            let before = processor_time(start);
            (0..rounds).for_each(|_| work(&mut context));
            (processor_time(start) - before) / (rounds * func.insts.len()) as f64
        };
        let liveness = per(&mut |context| assert!(context.live_segments(&func.build(), &X86).is_ok()));
        let [minimal, linear] = [Options::default(), LINEAR].map(|options| {
            per(&mut |context| assert!(context.allocate(&func.build(), &X86, &options).is_ok()))
        });
        println!(
            "{values} values, {} instructions, nanoseconds each: minimal {minimal:.0}, linear {linear:.0}, \
             liveness {liveness:.0}",
            func.insts.len()
        );
    }
}

/// Seven values that live together, and a place to define an eighth.
fn crowd() -> Vec<StoredInst> {
    (0..7).map(|n| inst(&[Operand::def_reg(v(n), GPR)])).collect()
}

fn rematerialized(output: &Output) -> Vec<(Allocation, Allocation)> {
    let again = output.edits.iter().filter(|e| e.kind() == EditKind::Rematerialize);
    again.map(|e| (e.from, e.to)).collect()
}

#[test]
fn what_can_be_made_again_is_never_stored() {
    // v7 is a constant before a call and is used twice behind it, where seven others need registers.
    for (remat, edits) in [(Remat::Register, 1..=2), (Remat::Anywhere, 1..=2), (Remat::Memory, 0..=2)] {
        let mut insts = vec![again(7, remat)];
        insts.extend(crowd());
        insts.push(call(&[]));
        insts.push(inst(&[Operand::use_any(v(7), GPR)]));
        insts.extend((0..7).map(|n| inst(&[Operand::use_def_reg(v(n), GPR)])));
        insts.push(inst(&[Operand::use_any(v(7), GPR)]));
        insts.push(end(&(0..7).map(|n| Operand::use_any(v(n), GPR)).collect::<Vec<_>>()));
        let func = function(8, vec![(vec![], insts, vec![])]);
        let output = allocate(&func);
        assert!(output.place(0, 0).is_none(), "{remat:?}: it is left out where it stands");
        let made = rematerialized(&output);
        assert!(edits.contains(&made.len()), "{remat:?}: {made:?}");
        let own = Allocation::remat(Inst::from_u32(0));
        let used = [9, 17].map(|i| output.place(i, 0));
        // A load is read where it loads from; anything else is in a register. No slot holds it.
        assert!(used.iter().all(|p| p.is_reg() || *p == own && remat == Remat::Memory), "{used:?}");
        assert!(!output.edits.iter().any(|e| e.to.is_slot() && e.from == own));
    }
}

#[test]
fn an_argument_on_the_stack_has_its_home_there() {
    // As many arguments as registers and two more, all read behind a call: nothing is stored.
    let mut insts: Vec<StoredInst> = (0..9).map(|n| again(n, Remat::Memory)).collect();
    insts.push(call(&[]));
    insts.extend((0..9).map(|n| inst(&[Operand::use_any(v(n), GPR)])));
    insts.push(end(&[]));
    let output = allocate(&function(9, vec![(vec![], insts, vec![])]));
    assert_eq!((output.stats.spills, output.slots.len()), (0, 0));
    assert!(output.edits.is_empty(), "{:?}", output.edits);
    assert!((0..9).any(|n| output.place(10 + n, 0) == Allocation::remat(Inst::from_u32(n))));
}

#[test]
fn constants_are_made_on_the_edge() {
    // Both values of the parameter v0 are constants.
    let output = allocate(&function(
        4,
        vec![
            (vec![], vec![again(1, Remat::Register), end(&[])], vec![(1, vec![1])]),
            (vec![0], vec![inst(&[Operand::use_reg(v(0), GPR)]), end(&[])], vec![(2, vec![]), (3, vec![])]),
            (vec![], vec![again(2, Remat::Register), end(&[])], vec![(1, vec![2])]),
            (vec![], vec![end(&[])], vec![]),
        ],
    ));
    let home = output.place(2, 0);
    let again = [0, 4].map(|i| (Allocation::remat(Inst::from_u32(i)), home));
    assert_eq!(rematerialized(&output), again);
    assert_eq!(output.edits.len(), 2);
    assert!([0, 4].iter().all(|&i| output.place(i, 0).is_none()));
}

#[test]
fn a_constant_goes_straight_to_the_slot_of_a_parameter() {
    // The parameter must be in a slot. Only `Anywhere` reaches it without a register.
    for (remat, edits) in [(Remat::Anywhere, 1), (Remat::Register, 2)] {
        let output = allocate(&function(
            2,
            vec![
                (vec![], vec![again(1, remat), end(&[])], vec![(1, vec![1])]),
                (vec![0], vec![call(&[]), inst(&[Operand::use_stack(v(0), GPR)]), end(&[])], vec![]),
            ],
        ));
        let own = Allocation::remat(Inst::from_u32(0));
        let from = output.edits.iter().position(|e| e.from == own).expect("made on the edge");
        assert_eq!(output.edits.len(), edits, "{:?}", output.edits);
        assert_eq!(output.edits[from].to.is_slot(), remat == Remat::Anywhere);
        assert!(output.place(3, 0).is_slot());
    }
}

#[test]
fn several_definitions_are_not_made_again() {
    let mut insts = vec![again(7, Remat::Register), inst(&[Operand::use_def_reg(v(7), GPR)])];
    insts.extend(crowd());
    insts.push(call(&[]));
    insts.extend((0..8).map(|n| inst(&[Operand::use_reg(v(n), GPR)])));
    insts.push(end(&[]));
    let output = allocate(&function(8, vec![(vec![], insts, vec![])]));
    assert!(output.place(0, 0).is_reg() && rematerialized(&output).is_empty());
}

#[test]
fn a_loop_that_needs_all_registers_ends_a_part() {
    // v7 is busy in a first loop, idle in a second one that needs every register, and busy again in a third:
    // it is in a register in the first and the third, and moves at the borders only.
    let loop_of = |ops: Vec<StoredInst>, b: u32| {
        let body = ops.into_iter().chain([end(&[])]).collect();
        [(vec![], body, vec![(b + 1, vec![]), (b + 2, vec![])]), (vec![], vec![end(&[])], vec![(b, vec![])])]
    };
    let uses = |n: u32| inst(&[Operand::use_def_reg(v(n), GPR)]);
    let mut blocks = vec![(vec![], vec![inst(&[Operand::def_reg(v(7), GPR)]), end(&[])], vec![(1, vec![])])];
    blocks.extend(loop_of((0..4).map(|_| uses(7)).collect(), 1));
    let mut first = crowd();
    first.push(end(&[]));
    blocks.push((vec![], first, vec![(4, vec![])]));
    blocks.extend(loop_of((0..7).flat_map(|n| (0..8).map(move |_| uses(n))).collect(), 4));
    blocks.push((vec![], (0..7).map(uses).chain([end(&[])]).collect(), vec![(7, vec![])]));
    blocks.extend(loop_of((0..4).map(|_| uses(7)).collect(), 7));
    blocks.push((vec![], vec![uses(7), end(&[])], vec![]));
    let func = function(8, blocks);
    let output = allocate(&func);
    for b in [1, 2, 4, 5, 7, 8] {
        let range = func.blocks[b].insts.clone();
        let inside = output.edits.iter().filter(|e| range.contains(&e.point.inst().as_u32()));
        assert_eq!(inside.count(), 0, "block{b}: {:?}", output.edits);
    }
    assert_eq!((output.stats.spills, output.stats.reloads), (1, 1), "{:?}", output.edits);
}

#[test]
fn variables_of_an_interpreter_stay_in_their_slots() {
    // A loop has six variables, v6 to v11, and three ways that meet with v12 to v17. One way needs all registers, so the
    // variables live in slots. One changes one of them, and the third does nothing.
    let variables = |first: u32| (first..first + 6).collect::<Vec<u32>>();
    let defines = (19..26).map(|n| inst(&[Operand::def_reg(v(n), GPR)]));
    let reads = (19..26).map(|n| inst(&[Operand::use_reg(v(n), GPR)]));
    let busy = defines.chain(reads).chain([end(&[])]).collect();
    let changed = [vec![18], variables(7)[..5].to_vec()].concat();
    let output_of = |ways: Vec<BlockText>| {
        let mut blocks = vec![
            (
                vec![],
                (0..6).map(|n| inst(&[Operand::def_reg(v(n), GPR)])).chain([end(&[])]).collect(),
                vec![(1, variables(0))],
            ),
            (variables(6), vec![end(&[])], vec![(2, vec![]), (3, vec![]), (4, vec![]), (6, vec![])]),
        ];
        blocks.extend(ways);
        blocks.push((variables(12), vec![inst(&[]), end(&[])], vec![(1, variables(12))]));
        let uses = variables(6).into_iter().map(|n| inst(&[Operand::use_reg(v(n), GPR)]));
        blocks.push((vec![], uses.chain([end(&[])]).collect(), vec![]));
        let func = function(26, blocks);
        (allocate(&func), func)
    };
    let (output, func) = output_of(vec![
        (vec![], busy, vec![(5, variables(6))]),
        (vec![], vec![inst(&[Operand::def_reg(v(18), GPR)]), end(&[])], vec![(5, changed)]),
        (vec![], vec![end(&[])], vec![(5, variables(6))]),
    ]);
    let edits = |b: usize| {
        let range = func.blocks[b].insts.clone();
        output.edits.iter().filter(|e| range.contains(&e.point.inst().as_u32())).count()
    };
    assert_eq!([1, 2, 3, 4, 5].map(edits), [0, 0, 1, 0, 0], "{:?}", output.edits);
    assert_eq!(output.slots.len(), 6);
}

#[test]
fn a_variable_of_many_ways_takes_a_register_from_one_of_them() {
    // A loop around eight ways changes v0 in each of them. The first way has seven values more that all live together, each of
    // them with more operands for its length than v0; the other ways are long and have none.
    let ways = 8;
    let change = || inst(&[Operand::use_def_reg(v(0), GPR)]);
    let locals = (1..8).map(|n| inst(&[Operand::def_reg(v(n), GPR)]));
    let reads = (1..8).map(|n| inst(&[Operand::use_reg(v(n), GPR)]));
    let mut insts = vec![vec![inst(&[Operand::def_reg(v(0), GPR)])], vec![], vec![change()]];
    insts[2].extend(locals.chain(reads));
    insts.extend((1..ways).map(|_| (0..16).map(|_| inst(&[])).chain([change()]).collect()));
    insts.extend([vec![], vec![inst(&[Operand::use_reg(v(0), GPR)])]]);
    let meet = ways + 2;
    let targets = |b: u32| match b {
        0 => vec![1],
        1 => (2..meet).chain([meet + 1]).collect(),
        _ if b < meet => vec![meet],
        _ if b == meet => vec![1],
        _ => vec![],
    };
    let blocks = (0..).zip(insts).map(|(b, mut insts)| {
        insts.push(end(&[]));
        (vec![], insts, targets(b).into_iter().map(|t| (t, vec![])).collect())
    });
    let func = function(8, blocks.collect());
    let output = allocate(&func);
    let dense = func.blocks[2].insts.clone();
    let elsewhere = output.edits.iter().filter(|e| !dense.contains(&e.point.inst().as_u32()));
    assert_eq!(elsewhere.count(), 0, "{:?}", output.edits);
    assert!(output.edits.iter().all(|e| ![e.from, e.to].contains(&output.place(0, 0))), "{:?}", output.edits);
    assert!(output.place(0, 0).is_reg());
}

/// Values that are each defined in one of the first blocks and read in one of as many last ones, which nothing
/// between lets them live through: all of them are in holes at once.
fn values_in_holes(count: u32) -> StoredFunction {
    let mut blocks = vec![(vec![], vec![end(&[])], (1..=count).map(|b| (b, vec![])).collect())];
    for b in 1..=count {
        let insts = vec![inst(&[Operand::def_reg(v(b - 1), GPR)]), end(&[])];
        blocks.push((vec![], insts, vec![(count + b, vec![])]));
    }
    for b in 1..=count {
        blocks.push((vec![], vec![inst(&[Operand::use_reg(v(b - 1), GPR)]), end(&[])], vec![]));
    }
    function(count as usize, blocks)
}

#[test]
fn values_of_different_ways_have_one_slot() {
    // One value lives through everything, and each way of forty has one of its own, with a call in it; all their hulls meet.
    let ways = 40;
    let (outer, call) = (ways, StoredInst { clobbers: RegUnits::span(0, 15), ..inst(&[]) });
    let read = |n: u32| inst(&[Operand::use_any(v(n), GPR)]);
    let mut blocks = vec![(
        vec![],
        vec![inst(&[Operand::def_reg(v(outer), GPR)]), call.clone(), end(&[])],
        (1..=ways).map(|b| (b, vec![])).collect(),
    )];
    for b in 1..=ways {
        let insts = vec![inst(&[Operand::def_reg(v(b - 1), GPR)]), read(outer), call.clone(), end(&[])];
        blocks.push((vec![], insts, vec![(ways + b, vec![])]));
    }
    for b in 1..=ways {
        blocks.push((vec![], vec![read(b - 1), end(&[])], vec![]));
    }
    let output = allocate(&function(ways as usize + 1, blocks));
    assert_eq!(output.slots.len(), 2, "{:?}", output.edits);
    // What is named most has the first one.
    let first_store = output.edits.iter().find_map(|edit| edit.to.as_slot());
    assert_eq!(first_store, Some(Slot::from_u32(0)));
}

#[test]
fn steps_beside_values_in_holes_grow_with_the_function() {
    let mut context = Context::new();
    for count in [300, 3000] {
        let func = values_in_holes(count);
        let output = context.allocate(&func.build(), &X86, &LINEAR).expect("allocates");
        let steps = output.stats.steps / u64::from(count);
        println!("{count}: {steps} steps a value");
        assert!(steps < 300, "{count}: {steps} steps a value");
    }
}

/// A nest of loops around each of which a value lives that only its last block reads.
fn nest(depth: u32) -> StoredFunction {
    let mut blocks = Vec::new();
    for d in 0..depth {
        blocks.push((vec![], vec![inst(&[Operand::def_reg(v(d), GPR)]), end(&[])], vec![(d + 1, vec![])]));
    }
    for d in (0..depth).rev() {
        let b = blocks.len() as u32;
        let insts = vec![inst(&[Operand::use_any(v(d), GPR)]), end(&[])];
        blocks.push((vec![], insts, vec![(d.max(1), vec![]), (b + 1, vec![])]));
    }
    blocks.push((vec![], vec![end(&[])], vec![]));
    function(depth as usize, blocks)
}

#[test]
fn registers_are_followed_many_at_a_time() {
    // One by one they would take a step for each pair of a loop and a block inside.
    let depth = 640;
    let output = allocate(&nest(depth));
    let pairs = u64::from(depth) * u64::from(depth);
    println!("{} steps, {pairs} pairs", output.stats.steps);
    assert_eq!(output.stats.walks, 1);
    assert!(output.stats.steps < pairs / 8, "{} steps", output.stats.steps);
}

#[test]
fn a_function_that_takes_too_many_steps_is_left_to_the_minimal_mode_and_leaves_nothing_behind() {
    let few = Options { steps: Some(1000), ..LINEAR };
    let (slow, small) = (nest(400), nest(20));
    let mut context = Context::new();
    let output = context.allocate(&slow.build(), &X86, &few).expect("allocates");
    check(&slow.build(), &X86, output).expect("checks");
    assert_eq!(output.stats.walks, 0);
    // As in a context that has seen nothing.
    let after = context.allocate(&small.build(), &X86, &few).expect("allocates").clone();
    let fresh = allocate(&small);
    assert_eq!(after.stats, fresh.stats);
    assert_eq!((after.allocs, after.edits), (fresh.output.allocs, fresh.output.edits));
}
