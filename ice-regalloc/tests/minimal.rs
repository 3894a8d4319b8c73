//! The minimal mode on small functions: what code it makes, and which input it refuses.

use crate::common;

use common::*;
use ice_regalloc::*;

const GPR: RegClass = RegClass(0);
const EAX: PReg = PReg(0);
const ECX: PReg = PReg(1);
const EDX: PReg = PReg(2);
const CALLER_SAVED: RegUnits = RegUnits::span(0, 9);

fn v(n: u32) -> VReg {
    VReg::from_u32(n)
}
fn block(n: u32) -> Block {
    Block::from_u32(n)
}
fn inst(ops: &[Operand]) -> StoredInst {
    StoredInst { ops: ops.to_vec(), ..Default::default() }
}
fn copy(to: u32, from: u32) -> StoredInst {
    StoredInst { is_move: true, ..inst(&[Operand::use_any(v(from), GPR), Operand::def_reg(v(to), GPR)]) }
}
fn call(ops: &[Operand]) -> StoredInst {
    StoredInst { clobbers: CALLER_SAVED, ..inst(ops) }
}
fn end(ops: &[Operand]) -> StoredInst {
    StoredInst { terminates: true, ..inst(ops) }
}

/// A function of `vregs` 32-bit values from its blocks' instructions and edges.
fn function(vregs: usize, blocks: Vec<(Vec<StoredInst>, Vec<u32>)>) -> StoredFunction {
    let mut func = StoredFunction {
        classes: vec![GPR; vregs],
        sizes: vec![0; vregs],
        blocks: vec![StoredBlock::default(); blocks.len()],
        ..Default::default()
    };
    for (b, (insts, succs)) in blocks.into_iter().enumerate() {
        let start = func.insts.len() as u32;
        func.insts.extend(insts);
        func.blocks[b].insts = start..func.insts.len() as u32;
        for s in succs {
            func.blocks[b].succs.push(block(s));
            func.blocks[b].args.push(Vec::new());
            func.blocks[s as usize].preds.push(block(b as u32));
        }
    }
    func
}

fn straight(vregs: usize, insts: Vec<StoredInst>) -> StoredFunction {
    function(vregs, vec![(insts, vec![])])
}

fn allocate(func: &StoredFunction) -> Allocated {
    Allocated::new(func, &X86, &Options::default())
}

fn refuse(func: &StoredFunction) -> Error {
    let built = func.try_build();
    built.and_then(|func| Context::new().allocate(&func, &X86, &Options::default()).map(|_| ())).unwrap_err()
}

#[test]
fn values_of_one_block_stay_in_registers() {
    let output = allocate(&straight(
        3,
        vec![
            inst(&[Operand::def_reg(v(0), GPR)]),
            inst(&[Operand::def_reg(v(1), GPR)]),
            copy(2, 0),
            inst(&[Operand::use_def_reg(v(2), GPR), Operand::use_any(v(1), GPR)]),
            end(&[Operand::use_fixed(v(2), GPR, EAX)]),
        ],
    ));
    assert!(output.edits.is_empty() && output.slots.is_empty(), "{output:?}");
    // The copy's places come out equal.
    assert_eq!(output.place(2, 0), output.place(2, 1));
}

#[test]
fn a_value_that_spans_a_call_takes_a_callee_saved_register() {
    let output = allocate(&straight(
        2,
        vec![
            inst(&[Operand::def_reg(v(0), GPR)]),
            call(&[Operand::def_fixed(v(1), GPR, EAX)]),
            end(&[Operand::use_reg(v(0), GPR), Operand::use_fixed(v(1), GPR, EAX)]),
        ],
    ));
    assert!(output.edits.is_empty(), "{output:?}");
    let reg = output.place(0, 0).as_reg().unwrap();
    assert!(X86.callee_saved.contains(X86.units(reg)));
}

#[test]
fn a_definition_goes_where_its_fixed_use_is() {
    let output = allocate(&straight(
        2,
        vec![
            inst(&[Operand::def_reg(v(0), GPR)]),
            inst(&[Operand::def_reg(v(1), GPR)]),
            inst(&[Operand::use_fixed(v(0), GPR, EDX), Operand::use_fixed(v(1), GPR, ECX)]),
            end(&[]),
        ],
    ));
    assert!(output.edits.is_empty(), "{output:?}");
}

#[test]
fn one_register_in_two_fixed_places_is_copied() {
    let output = allocate(&straight(
        1,
        vec![
            inst(&[Operand::def_fixed(v(0), GPR, EDX)]),
            inst(&[
                Operand::use_fixed(v(0), GPR, EAX),
                Operand::use_fixed(v(0), GPR, ECX),
                Operand::use_any(v(0), GPR),
            ]),
            end(&[]),
        ],
    ));
    assert_eq!(output.edits.len(), 2);
    assert_eq!(output.place(1, 2), Allocation::reg(EDX));
}

#[test]
fn a_dying_value_is_read_twice_from_a_smaller_class() {
    // It is in esi, which class 1 does not have, and no slot holds it.
    let low = RegClass(1);
    let output = allocate(&straight(
        1,
        vec![
            inst(&[Operand::def_fixed(v(0), GPR, PReg(4))]),
            inst(&[Operand::use_reg(v(0), low), Operand::use_reg(v(0), low), Operand::use_any(v(0), GPR)]),
            end(&[]),
        ],
    ));
    assert_eq!(output.stats.moves, 1);
    assert_eq!(output.edits.len(), 1);
}

#[test]
fn a_value_is_read_from_a_smaller_class_and_rewritten_where_it_was() {
    let output = allocate(&straight(
        1,
        vec![
            inst(&[Operand::def_fixed(v(0), GPR, PReg(4))]),
            inst(&[Operand::use_reg(v(0), RegClass(1)), Operand::use_def_any(v(0), GPR)]),
            inst(&[Operand::use_any(v(0), GPR)]),
            end(&[]),
        ],
    ));
    assert_eq!(output.place(1, 1), output.place(2, 0));
    assert_eq!(output.edits.len(), 1);
}

#[test]
fn fixed_values_change_places() {
    let output = allocate(&straight(
        2,
        vec![
            inst(&[Operand::def_fixed(v(0), GPR, EAX), Operand::def_fixed(v(1), GPR, ECX)]),
            inst(&[Operand::use_fixed(v(0), GPR, ECX), Operand::use_fixed(v(1), GPR, EAX)]),
            end(&[]),
        ],
    ));
    assert_eq!(output.stats.moves, 3);
    assert_eq!(output.stats.spills, 0);
}

#[test]
fn three_hundred_operands_fit() {
    let mut insts: Vec<StoredInst> = (0..300).map(|n| inst(&[Operand::def_reg(v(n), GPR)])).collect();
    let all: Vec<Operand> = (0..300).map(|n| Operand::use_any(v(n), GPR)).collect();
    insts.push(inst(&all));
    insts.push(end(&all));
    let output = allocate(&straight(300, insts));
    assert!(output.stats.reloads == 0, "slot operands are not reloaded");
}

#[test]
fn parameters_are_swapped_around_a_loop() {
    // block1(v0, v1) goes to block2, which goes back with the two exchanged.
    let mut func = function(
        4,
        vec![
            (
                vec![inst(&[Operand::def_reg(v(2), GPR)]), inst(&[Operand::def_reg(v(3), GPR)]), end(&[])],
                vec![1],
            ),
            (vec![end(&[Operand::use_any(v(0), GPR)])], vec![2, 3]),
            (vec![end(&[Operand::use_reg(v(1), GPR)])], vec![1]),
            (vec![end(&[])], vec![]),
        ],
    );
    func.blocks[1].params = vec![v(0), v(1)];
    func.blocks[0].args[0] = vec![v(2), v(3)];
    func.blocks[2].args[0] = vec![v(1), v(0)];
    let output = allocate(&func);
    for seed in 0..8 {
        simulate(&func, &X86, &output, &mut Rng::new(seed)).expect("runs right");
    }
    // The arguments that are in registers go straight to the parameters' slots.
    let before = ProgPoint::before(Inst::from_u32(2));
    let at_end: Vec<_> = output.edits.iter().filter(|e| e.point <= before).collect();
    assert!(at_end.len() == 2 && at_end.iter().all(|e| e.kind() == EditKind::Spill));
}

#[test]
fn malformed_functions_are_refused_with_their_place() {
    let def = || inst(&[Operand::def_reg(v(0), GPR)]);
    let good = || straight(1, vec![def(), end(&[Operand::use_reg(v(0), GPR)])]);
    allocate(&good());

    let undefined = straight(1, vec![end(&[Operand::use_reg(v(0), GPR)])]);
    let error = Error::UndefinedVReg { block: block(0), inst: Some(Inst::from_u32(0)), vreg: v(0) };
    assert_eq!(refuse(&undefined), error);

    let mut func = good();
    func.insts[1].terminates = false;
    assert!(matches!(refuse(&func), Error::BadTerminator { .. }));
    let mut func = good();
    func.blocks[0].insts.end = 1;
    assert!(matches!(refuse(&func), Error::BadTerminator { .. }));
    let mut func = good();
    func.blocks[0].insts = 1..1;
    assert_eq!(refuse(&func), Error::EmptyBlock { block: block(0) });
    let mut func = good();
    func.insts[0].ops[0] = Operand::def_reg(v(9), GPR);
    assert_eq!(refuse(&func), Error::BadOperand { inst: Inst::from_u32(0), operand: 0 });
    let mut func = good();
    func.insts[0].ops[0] = Operand::def_fixed(v(0), GPR, PReg(200));
    assert_eq!(refuse(&func), Error::BadOperand { inst: Inst::from_u32(0), operand: 0 });
    let mut func = good();
    func.insts[0].ops.push(Operand::def_any(v(0), GPR));
    assert_eq!(refuse(&func), Error::DuplicateDef { inst: Inst::from_u32(0), operand: 1 });
    let mut func = good();
    func.insts[1].ops[0] = Operand::use_def_reg(v(0), GPR);
    assert_eq!(refuse(&func), Error::TerminatorDefines { inst: Inst::from_u32(1), operand: 0 });
    let mut func = good();
    func.blocks[0].succs.push(block(7));
    func.blocks[0].args.push(vec![]);
    assert_eq!(refuse(&func), Error::BadEdge { block: block(0) });
    let mut func = good();
    func.blocks[0].params.push(v(0));
    assert_eq!(refuse(&func), Error::BadEntry { block: block(0) });
    assert!(matches!(refuse(&StoredFunction::default()), Error::BadEntry { .. }));

    let two_in_one = straight(
        2,
        vec![
            inst(&[Operand::def_reg(v(0), GPR), Operand::def_reg(v(1), GPR)]),
            end(&[Operand::use_fixed(v(0), GPR, EAX), Operand::use_fixed(v(1), GPR, EAX)]),
        ],
    );
    assert_eq!(refuse(&two_in_one), Error::Unsatisfiable { inst: Inst::from_u32(1), operand: 1 });
    let defs: Vec<Operand> = (0..8).map(|n| Operand::def_reg(v(n), GPR)).collect();
    let too_many = straight(8, vec![inst(&defs), end(&[])]);
    assert!(matches!(refuse(&too_many), Error::Unsatisfiable { .. }));
}

#[test]
fn critical_edges_with_arguments_are_refused() {
    let mut func = function(
        2,
        vec![
            (vec![inst(&[Operand::def_reg(v(0), GPR)]), end(&[])], vec![1, 1]),
            (vec![end(&[Operand::use_reg(v(1), GPR)])], vec![]),
        ],
    );
    func.blocks[1].params = vec![v(1)];
    assert_eq!(refuse(&func), Error::BadEdgeArgs { block: block(0), succ_index: 0 });
    func.blocks[0].args = vec![vec![v(0)]; 2];
    assert_eq!(refuse(&func), Error::CriticalEdge { block: block(0), succ_index: 0 });
}

#[test]
fn an_edge_gives_as_many_bytes_as_its_target_wants() {
    let mut func = function(
        2,
        vec![
            (vec![inst(&[Operand::def_reg(v(0), GPR)]), end(&[])], vec![1]),
            (vec![end(&[Operand::use_reg(v(1), GPR)])], vec![]),
        ],
    );
    func.blocks[1].params = vec![v(1)];
    func.blocks[0].args = vec![vec![v(0)]];
    func.sizes = vec![8, 0];
    allocate(&func);
    func.sizes = vec![1, 0];
    assert_eq!(refuse(&func), Error::SmallEdgeArg { block: block(0), vreg: v(0) });
}

#[test]
fn small_classes_are_served_although_larger_ones_come_first() {
    // Four values of the large class may sit in the registers that the small class needs.
    let mut func = straight(
        8,
        vec![
            inst(&(0..4).map(|n| Operand::def_fixed(v(n), GPR, PReg(n as u8))).collect::<Vec<_>>()),
            inst(&[Operand::def_fixed(v(4), GPR, PReg(4)), Operand::def_fixed(v(5), GPR, PReg(5))]),
            inst(
                &(0..6)
                    .map(|n| Operand::use_reg(v(n), if n < 4 { GPR } else { RegClass(1) }))
                    .collect::<Vec<_>>(),
            ),
            end(&[]),
        ],
    );
    func.classes[6] = RegClass(1);
    allocate(&func);
}

#[test]
fn a_value_read_and_rewritten_at_once_goes_around_the_loop() {
    // The read sees the definition of the round before, whichever operand is listed first.
    let mut func = function(
        2,
        vec![
            (vec![inst(&[Operand::def_reg(v(1), GPR)]), end(&[])], vec![1]),
            (
                vec![
                    inst(&[Operand::def_reg(v(0), GPR), Operand::use_any(v(0), GPR)]),
                    inst(&[Operand::def_fixed(v(1), GPR, EAX), Operand::use_any(v(0), GPR)]),
                    end(&[Operand::use_reg(v(1), GPR)]),
                ],
                vec![1, 2],
            ),
            (vec![end(&[])], vec![]),
        ],
    );
    let output = allocate(&func);
    assert!(output.stats.cross_block_vregs >= 1);
    func.insts[2].ops.reverse();
    allocate(&func);
}

/// v0 is made in the first block, in front of a call, and read in two others.
fn read_elsewhere(make: StoredInst, read: Operand) -> StoredFunction {
    let reads = || vec![inst(&[read]), end(&[])];
    function(1, vec![(vec![make, call(&[]), end(&[])], vec![1, 2]), (reads(), vec![]), (reads(), vec![])])
}

#[test]
fn what_other_blocks_read_is_made_there_and_never_stored() {
    let made = Allocation::remat(Inst::from_u32(0));
    for remat in [Remat::Register, Remat::Anywhere, Remat::Memory] {
        for read in [Operand::use_any(v(0), GPR), Operand::use_reg(v(0), GPR)] {
            let output = allocate(&read_elsewhere(again(0, remat), read));
            assert!(output.place(0, 0).is_none() && output.slots.is_empty());
            assert_eq!(output.stats.rematerialized, 2);
            if remat == Remat::Memory && read.constraint() == Constraint::Any {
                assert!(output.edits.is_empty() && output.place(3, 0) == made);
            } else {
                assert!(output.edits.len() == 2 && output.edits.iter().all(|edit| edit.from == made));
            }
        }
        // In a slot it is a copy.
        let output = allocate(&read_elsewhere(again(0, remat), Operand::use_stack(v(0), GPR)));
        assert!(output.place(3, 0).is_slot() && output.edits[0].from == made);
    }
}

#[test]
fn what_an_edge_passes_on_is_made_on_it() {
    for (remat, edits) in [(Remat::Anywhere, 1), (Remat::Register, 2), (Remat::Memory, 2)] {
        let mut func = function(
            2,
            vec![
                (vec![again(0, remat), end(&[])], vec![1, 2]),
                (vec![end(&[])], vec![3]),
                (vec![end(&[])], vec![3]),
                (vec![inst(&[Operand::use_any(v(1), GPR)]), end(&[])], vec![]),
            ],
        );
        func.blocks[3].params.push(v(1));
        func.blocks[1].args[0].push(v(0));
        func.blocks[2].args[0].push(v(0));
        let output = allocate(&func);
        assert!(output.place(0, 0).is_none());
        assert_eq!(output.edits.len(), 2 * edits);
    }
}

#[test]
fn only_what_has_one_definition_is_made_again() {
    let change = |n: u32| inst(&[Operand::use_def_reg(v(n), GPR)]);
    let func = function(
        1,
        vec![
            (vec![again(0, Remat::Anywhere), end(&[])], vec![1]),
            (vec![change(0), end(&[])], vec![1, 2]),
            (vec![inst(&[Operand::use_any(v(0), GPR)]), end(&[])], vec![]),
        ],
    );
    let output = allocate(&func);
    assert!(output.stats.rematerialized == 0 && output.place(0, 0).is_reg());
    // Nor what a block that comes earlier in the order reads in its slot.
    let func = function(
        1,
        vec![
            (vec![end(&[])], vec![2]),
            (vec![inst(&[Operand::use_any(v(0), GPR)]), end(&[])], vec![]),
            (vec![again(0, Remat::Anywhere), end(&[])], vec![1]),
        ],
    );
    let output = allocate(&func);
    assert!(output.stats.rematerialized == 0 && output.place(1, 0).is_slot());
}

/// Tables that are made while the program runs, as a client with a description of its machine has them; and two
/// machines for one context.
#[test]
fn a_register_file_need_not_be_static() {
    let func = straight(
        2,
        vec![
            inst(&[Operand::def_reg(v(0), GPR)]),
            inst(&[Operand::def_reg(v(1), GPR)]),
            end(&[Operand::use_reg(v(0), GPR), Operand::use_reg(v(1), GPR)]),
        ],
    );
    for first in [0, 7] {
        let names = ["a", "b"].map(|letter| format!("{letter}{first}"));
        let register = |n: u8| RegisterInfo { name: &names[n as usize], units: RegUnits::of(first + n) };
        let (regs, order) = ([register(0), register(1)], vec![PReg(1), PReg(0)]);
        let classes = [ClassInfo { name: "gpr", order: &order, spill_size: 4, spill_align: 4 }];
        let file = RegisterFile { regs: &regs, classes: &classes, callee_saved: RegUnits::EMPTY };
        let mut context = Context::new();
        let built = func.build();
        let output = context.allocate(&built, &file, &Options::default()).expect("allocates");
        check(&built, &file, output).expect("checks");
        assert_eq!(output.allocs_of(&built, Inst::from_u32(0))[0].as_reg(), Some(PReg(1)));
        context.allocate(&func.build(), &X86, &Options::default()).expect("another file");
    }
}

#[test]
fn a_violation_is_an_error_with_a_text() {
    let func = straight(1, vec![inst(&[Operand::def_reg(v(0), GPR)]), end(&[Operand::use_reg(v(0), GPR)])]);
    let violations = check(&func.build(), &X86, &Output::default()).unwrap_err();
    let error: Box<dyn std::error::Error> = Box::new(violations[0]);
    assert_eq!(error.to_string(), "the output does not fit the function");
}

#[test]
fn what_is_written_for_the_minimal_mode_is_not_for_the_full_one() {
    let mut func = Function::new();
    func.write_for(Mode::Minimal);
    for mode in [Mode::Minimal, Mode::Linear] {
        func.clear();
        let v0 = func.vreg(GPR, 0);
        func.begin_block(&[]);
        func.operand(Operand::def_reg(v0, GPR));
        func.inst();
        func.inst();
        func.terminator();
        func.end_block();
        func.finish().expect("it has no edges");
        let options = Options { mode, ..Options::default() };
        let result = Context::new().allocate(&func, &X86, &options).map(|_| ());
        let expected = if mode == Mode::Linear { Err(Error::WrittenForMinimal) } else { Ok(()) };
        assert_eq!(result, expected);
    }
}
