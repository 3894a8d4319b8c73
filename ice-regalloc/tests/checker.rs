//! The checker on small outputs written by hand: what each rule allows and forbids.

use crate::common;

use common::*;
use ice_regalloc::*;

const GPR: RegClass = RegClass(0);
const EAX: Allocation = Allocation::reg(PReg(0));
const ECX: Allocation = Allocation::reg(PReg(1));
const AL: Allocation = Allocation::reg(PReg(7));

fn v(n: u32) -> VReg {
    VReg::from_u32(n)
}
fn slot(n: u32) -> Allocation {
    Allocation::slot(Slot::from_u32(n))
}
fn before(i: u32, from: Allocation, to: Allocation) -> Edit {
    Edit { point: ProgPoint::before(Inst::from_u32(i)), from, to, class: GPR, size: 4 }
}

/// The operands of an instruction with their places.
type PlacedInst<'a> = &'a [(Operand, Allocation)];

/// A function of 32-bit values v0, v1, ... from blocks of instructions with their successors, and an
/// output with two slots of four bytes.
fn placed(blocks: &[(&[PlacedInst<'_>], &[u32])]) -> (StoredFunction, Output) {
    let mut func = StoredFunction {
        blocks: vec![StoredBlock::default(); blocks.len()],
        classes: vec![GPR; 8],
        sizes: vec![0; 8],
        ..Default::default()
    };
    let mut output = Output {
        slots: vec![SlotInfo { size: 4, align: 4 }; 2],
        used_regs: RegUnits::span(0, 128),
        ..Default::default()
    };
    for (b, (insts, succs)) in blocks.iter().enumerate() {
        let start = func.insts.len() as u32;
        for inst in *insts {
            output.allocs.extend(inst.iter().map(|(_, place)| *place));
            func.insts
                .push(StoredInst { ops: inst.iter().map(|(op, _)| *op).collect(), ..Default::default() });
        }
        func.blocks[b].insts = start..func.insts.len() as u32;
        for &s in *succs {
            func.blocks[b].succs.push(Block::from_u32(s));
            func.blocks[b].args.push(Vec::new());
            func.blocks[s as usize].preds.push(Block::from_u32(b as u32));
        }
    }
    (func, output)
}

fn verdict(case: &(StoredFunction, Output)) -> Result<(), Vec<Violation>> {
    check(&case.0.build(), &X86, &case.1)
}

fn wrong(inst: u32, vreg: u32, place: Allocation) -> Result<(), Vec<Violation>> {
    Err(vec![Violation::WrongValue { inst: Inst::from_u32(inst), operand: 0, vreg: v(vreg), place }])
}

fn def(n: u32) -> Operand {
    Operand::def_any(v(n), GPR)
}
fn read(n: u32) -> Operand {
    Operand::use_any(v(n), GPR)
}

#[test]
fn a_write_to_part_of_a_register_destroys_its_value() {
    let byte = Operand::def_any(v(1), RegClass(2));
    let (mut func, output) = placed(&[(&[&[(def(0), EAX)], &[(byte, AL)], &[(read(0), EAX)]], &[])]);
    func.classes[1] = RegClass(2);
    assert_eq!(verdict(&(func, output)), wrong(2, 0, EAX));
}

#[test]
fn a_copy_carries_no_more_bytes_than_it_moves() {
    let mut case = placed(&[(&[&[(def(0), EAX)], &[(read(0), slot(0))]], &[])]);
    case.1.edits.push(before(1, EAX, slot(0)));
    assert_eq!(verdict(&case), Ok(()));
    case.1.edits[0].size = 2;
    assert_eq!(verdict(&case), wrong(1, 0, slot(0)));
    // Nor does a later one of full size bring the bytes back, across a block too.
    let mut case = placed(&[(&[&[(def(0), EAX)], &[]], &[1]), (&[&[], &[(read(0), EAX)]], &[])]);
    case.1.edits.extend([before(1, EAX, slot(0)), before(3, slot(0), EAX)]);
    assert_eq!(verdict(&case), Ok(()));
    case.1.edits[0].size = 2;
    assert_eq!(verdict(&case), wrong(3, 0, EAX));
    case.1.edits[0].size = 4;
    case.1.edits[1].size = 2;
    assert_eq!(verdict(&case), wrong(3, 0, EAX));
}

#[test]
fn an_older_definition_is_not_the_value() {
    // v0 is stored, defined again, and read where the old value still is.
    let mut case = placed(&[(&[&[(def(0), EAX)], &[(def(0), ECX)], &[(read(0), slot(0))]], &[])]);
    case.1.edits.push(before(1, EAX, slot(0)));
    assert_eq!(verdict(&case), wrong(2, 0, slot(0)));
    case.1.edits.push(before(2, ECX, slot(0)));
    assert_eq!(verdict(&case), Ok(()));
}

#[test]
fn values_meet_over_all_paths() {
    // Two ways from block 0 to block 3. Block 2 destroys the register; only the slot survives both.
    let diamond = |place| {
        let mut case = placed(&[
            (&[&[(def(0), EAX)], &[]], &[1, 2]),
            (&[&[]], &[3]),
            (&[&[(def(1), EAX)]], &[3]),
            (&[&[(read(0), place)]], &[]),
        ]);
        case.1.edits.push(before(1, EAX, slot(0)));
        case
    };
    assert_eq!(verdict(&diamond(slot(0))), Ok(()));
    assert_eq!(verdict(&diamond(EAX)), wrong(4, 0, EAX));
    assert_eq!(verdict(&diamond(slot(1))), wrong(4, 0, slot(1)));
}

#[test]
fn what_no_path_defines_is_everywhere() {
    // v0 is defined on one of two paths only, and the read must find that definition.
    let half = |place| {
        placed(&[
            (&[&[]], &[1, 2]),
            (&[&[(def(0), EAX)]], &[3]),
            (&[&[(def(1), EAX)]], &[3]),
            (&[&[(read(0), place)]], &[]),
        ])
    };
    assert_eq!(verdict(&half(EAX)), Ok(()));
    assert_eq!(verdict(&half(ECX)), wrong(3, 0, ECX));
    // A definition in unreachable code counts there, and nowhere else.
    let case = placed(&[
        (&[&[]], &[2]),
        (&[&[(read(0), EAX)], &[(def(0), EAX)], &[(read(0), ECX)]], &[2]),
        (&[&[(read(0), ECX)]], &[]),
    ]);
    assert_eq!(verdict(&case), wrong(3, 0, ECX));
}

#[test]
fn a_loop_must_keep_its_values() {
    // Block 1 reads v0 and goes round; block 2 may destroy it on the way back.
    let around = |destroyed| {
        placed(&[
            (&[&[(def(0), EAX)]], &[1]),
            (&[&[(read(0), EAX)]], &[2]),
            (&[&[(def(1), destroyed)]], &[1, 3]),
            (&[&[]], &[]),
        ])
    };
    assert_eq!(verdict(&around(ECX)), Ok(()));
    assert_eq!(verdict(&around(EAX)), wrong(1, 0, EAX));
    assert!(verdict(&around(AL)).is_err());
}

#[test]
fn parameters_take_their_arguments_places() {
    // block1(v2) gets v0 and, from itself, v3.
    let loops = |next| {
        let mut case =
            placed(&[(&[&[(def(0), EAX)]], &[1]), (&[&[(read(2), EAX)], &[(def(3), next)]], &[1])]);
        case.0.blocks[1].params = vec![v(2)];
        case.0.blocks[0].args[0] = vec![v(0)];
        case.0.blocks[1].args[0] = vec![v(3)];
        case
    };
    assert_eq!(verdict(&loops(EAX)), Ok(()));
    assert_eq!(verdict(&loops(ECX)), wrong(1, 2, EAX));
    // The parameter is a new value: what held the old one does not hold it.
    let mut case = loops(EAX);
    case.0.blocks[1].args[0] = vec![v(0)];
    assert_eq!(verdict(&case), wrong(1, 2, EAX));
}

#[test]
fn calls_destroy_registers_and_not_slots() {
    let mut case = placed(&[(&[&[(def(0), EAX)], &[], &[(read(0), EAX)], &[(read(0), slot(0))]], &[])]);
    case.1.edits.push(before(1, EAX, slot(0)));
    assert_eq!(verdict(&case), Ok(()));
    case.0.insts[1].clobbers = RegUnits::of(1);
    assert_eq!(verdict(&case), wrong(2, 0, EAX));
}

#[test]
fn operands_that_are_busy_together_are_apart() {
    let late = Operand::use_late_any(v(0), GPR);
    let early = Operand::def_early_any(v(2), GPR);
    let both = Operand::use_def_any(v(3), GPR);
    let allowed = [[read(0), read(1)], [read(0), def(2)], [late, read(1)], [late, late], [read(0), both]];
    let forbidden =
        [[read(0), early], [late, def(2)], [late, early], [late, both], [def(1), def(2)], [both, def(2)]];
    for place in [EAX, slot(0)] {
        for (pairs, clash) in [(&allowed[..], false), (&forbidden[..], true)] {
            for &[a, b] in pairs {
                for [a, b] in [[a, b], [b, a]] {
                    let (inst, first, second) = (Inst::from_u32(0), 0, 1);
                    let expected =
                        if clash { Err(vec![Violation::Overlap { inst, first, second }]) } else { Ok(()) };
                    assert_eq!(verdict(&placed(&[(&[&[(a, place), (b, place)]], &[])])), expected, "{a} {b}");
                    // Marks of one instruction do not reach the next.
                    let apart = placed(&[(&[&[(a, place)], &[], &[(b, place)]], &[])]);
                    let overlaps =
                        |list: Vec<Violation>| list.iter().any(|v| matches!(v, Violation::Overlap { .. }));
                    assert!(!verdict(&apart).is_err_and(overlaps), "{a} {b}");
                }
            }
        }
    }
}

#[test]
fn places_that_do_not_exist_are_reported() {
    for place in [Allocation::NONE, slot(2), slot((1 << 30) - 1), Allocation::reg(PReg(200))] {
        let case = placed(&[(&[&[(def(0), place)]], &[])]);
        let inst = Inst::from_u32(0);
        assert_eq!(verdict(&case), Err(vec![Violation::BadPlace { inst, operand: 0, place }]));
        for (from, to) in [(place, EAX), (EAX, place)] {
            let mut case = placed(&[(&[&[(def(0), EAX)]], &[])]);
            case.1.edits.push(before(0, from, to));
            assert_eq!(verdict(&case), Err(vec![Violation::BadEdit { edit: 0 }]));
        }
    }
}

#[test]
fn lists_that_do_not_fit_are_reported() {
    let case = || placed(&[(&[&[(def(0), EAX)], &[(read(0), EAX)]], &[])]);
    assert_eq!(verdict(&case()), Ok(()));
    let shape = Err(vec![Violation::Shape]);
    let breaks: [fn(&mut Output); 4] = [
        |o| o.allocs.truncate(1),
        |o| o.allocs.push(EAX),
        |o| o.edits.push(before(2, EAX, ECX)),
        |o| o.edits.extend([before(1, EAX, ECX), before(0, EAX, ECX)]),
    ];
    for change in breaks {
        let mut case = case();
        change(&mut case.1);
        assert_eq!(verdict(&case), shape);
    }
}
