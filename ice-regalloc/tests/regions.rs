//! What loops keep in registers in the minimal mode, and what they leave in slots.

use crate::common;

use common::*;
use ice_regalloc::*;

/// The registers of [`X86`] that residents may have: behind the first half of the order of its class.
const RESIDENTS: RegUnits = RegUnits::span(12, 3);

fn allocate_with(func: &StoredFunction, slots: SlotSharing) -> Allocated {
    Allocated::new(func, &X86, &Options { slots, ..Options::default() })
}

fn allocate(func: &StoredFunction) -> Allocated {
    allocate_with(func, SlotSharing::Shared)
}

fn def(n: u32) -> StoredInst {
    inst(&[Operand::def_reg(v(n), GPR)])
}

/// An instruction that computes one value from another.
fn step(from: u32, to: u32) -> StoredInst {
    inst(&[Operand::use_reg(v(from), GPR), Operand::def_reg(v(to), GPR)])
}

/// The end of a block that compares two values.
fn branch(a: u32, b: u32) -> StoredInst {
    end(&[Operand::use_reg(v(a), GPR), Operand::use_any(v(b), GPR)])
}

/// What is copied in a block.
fn edits(func: &StoredFunction, output: &Output, block: u32) -> Vec<EditKind> {
    let insts = func.block_insts(Block::from_u32(block));
    let edits = output.edits_of(insts.start.as_u32()..insts.end.as_u32());
    edits.iter().map(Edit::kind).collect()
}

/// Counts v2 from v0 to v1, its next value is v3; with these instructions in front of the comparison. The loop is block1
/// and the edge back, and control comes out in block3.
fn counter(body: Vec<StoredInst>) -> StoredFunction {
    let mut insts = vec![step(2, 3)];
    insts.extend(body);
    insts.push(branch(3, 1));
    let blocks = vec![
        (vec![], vec![def(0), def(1), end(&[])], vec![(1, vec![0])]),
        (vec![2], insts, vec![(2, vec![]), (3, vec![])]),
        (vec![], vec![end(&[])], vec![(1, vec![3])]),
        (vec![], vec![end(&[])], vec![]),
    ];
    function(8, blocks)
}

#[test]
fn a_counter_is_stepped_in_its_register() {
    let func = counter(vec![]);
    let output = allocate(&func);
    assert_eq!([1, 2].map(|block| edits(&func, &output, block).len()), [0, 0]);
    let places = [0, 1].map(|operand| output.place(3, operand));
    assert!(
        places[0] == places[1] && places[0].as_reg().is_some_and(|reg| X86.units(reg).intersects(RESIDENTS))
    );
    // The counter and its bound come to their registers in front of the loop.
    assert!(edits(&func, &output, 0).iter().filter(|&&kind| kind == EditKind::Move).count() == 2);
}

#[test]
fn a_counter_that_is_read_behind_its_step_is_copied() {
    let func = counter(vec![inst(&[Operand::use_reg(v(2), GPR)])]);
    let output = allocate(&func);
    assert_eq!(edits(&func, &output, 1), []);
    assert_eq!(edits(&func, &output, 2), [EditKind::Move]);
}

#[test]
fn an_operand_of_a_class_without_the_register_gets_a_copy() {
    // The registers with bytes, of which residents have none.
    const ABCD: RegClass = RegClass(1);
    let func = counter(vec![inst(&[Operand::use_any(v(2), ABCD)])]);
    let output = allocate(&func);
    assert_eq!(edits(&func, &output, 1), [EditKind::Move]);
    let place = output.place(4, 0);
    assert!(place.as_reg().is_some_and(|reg| !X86.units(reg).intersects(RESIDENTS)));
    assert!(output.used_regs.intersects(RESIDENTS));
}

#[test]
fn around_calls_the_registers_are_those_that_calls_keep() {
    let func = counter(vec![call(&[])]);
    let output = allocate(&func);
    assert_eq!([1, 2].map(|block| edits(&func, &output, block).len()), [0, 0]);
    // Not if calls keep none.
    let all = StoredInst { clobbers: RegUnits::span(0, 15), ..inst(&[]) };
    let func = counter(vec![all]);
    let output = allocate(&func);
    assert!(edits(&func, &output, 1).contains(&EditKind::Spill));
    assert!(!output.used_regs.intersects(RESIDENTS));
}

#[test]
fn what_an_instruction_wants_for_itself_is_no_residents() {
    let fixed = (4..7).map(|n| inst(&[Operand::use_fixed(v(1), GPR, PReg(n))])).collect();
    let func = counter(fixed);
    let output = allocate(&func);
    assert!(edits(&func, &output, 1).contains(&EditKind::Spill));
}

#[test]
fn what_is_read_behind_the_loop_is_stored_where_control_leaves_it() {
    // At the start of the block behind it.
    let mut func = counter(vec![]);
    func.insts[6] = end(&[Operand::use_any(v(3), GPR)]);
    let output = allocate(&func);
    assert_eq!([1, 2].map(|block| edits(&func, &output, block).len()), [0, 0]);
    assert_eq!(edits(&func, &output, 3), [EditKind::Spill]);
    // Before the branch, if that block comes from elsewhere too.
    let blocks = vec![
        (vec![], vec![def(0), def(1), def(3), branch(0, 1)], vec![(1, vec![]), (4, vec![])]),
        (vec![], vec![end(&[])], vec![(2, vec![0])]),
        (vec![2], vec![step(2, 4), branch(4, 1)], vec![(3, vec![]), (4, vec![])]),
        (vec![], vec![end(&[])], vec![(2, vec![4])]),
        (vec![], vec![end(&[Operand::use_any(v(3), GPR)])], vec![]),
    ];
    let mut func = function(5, blocks);
    let output = allocate(&func);
    assert_eq!([2, 3].map(|block| edits(&func, &output, block).len()), [0, 0]);
    // v4 is read there, as far as the allocator is told.
    func.insts.last_mut().expect("has instructions").ops.push(Operand::use_any(v(2), GPR));
    let output =
        Context::new().allocate(&func.build(), &X86, &Options::default()).expect("allocates").clone();
    assert_eq!(edits(&func, &output, 2), [EditKind::Spill]);
}

#[test]
fn the_inner_of_two_loops_has_the_registers() {
    let blocks = vec![
        (vec![], vec![def(0), def(1), end(&[])], vec![(1, vec![0])]),
        (vec![4], vec![def(5), end(&[])], vec![(2, vec![5])]),
        (vec![2], vec![step(2, 3), branch(3, 1)], vec![(3, vec![]), (4, vec![])]),
        (vec![], vec![end(&[])], vec![(2, vec![3])]),
        (vec![], vec![step(4, 6), branch(6, 1)], vec![(5, vec![]), (6, vec![])]),
        (vec![], vec![end(&[])], vec![(1, vec![6])]),
        (vec![], vec![end(&[])], vec![]),
    ];
    let func = function(7, blocks);
    let output = allocate(&func);
    assert_eq!([2, 3].map(|block| edits(&func, &output, block).len()), [0, 0]);
    assert!(edits(&func, &output, 4).contains(&EditKind::Reload));
}

/// The inner loop is block2 and block3; v5 is of the outer one, and the inner one reads it first and then steps v2 to v7
/// by way of v8, which it reads again at its end.
#[test]
fn the_outer_of_two_loops_has_the_registers_if_most_is_in_it() {
    let nest = |reads: usize| {
        let read = |n| vec![inst(&[Operand::use_reg(v(n), GPR)]); reads];
        let front = [vec![def(5), def(6)], read(5), vec![end(&[])]].concat();
        let behind = [read(4), vec![branch(4, 1)]].concat();
        let blocks = vec![
            (vec![], vec![def(0), def(1), end(&[])], vec![(1, vec![0])]),
            (vec![4], front, vec![(2, vec![6])]),
            (
                vec![2],
                vec![inst(&[Operand::use_reg(v(5), GPR)]), step(2, 8), step(8, 7), branch(7, 1)],
                vec![(3, vec![]), (4, vec![])],
            ),
            (vec![], vec![inst(&[Operand::use_reg(v(8), GPR)]), end(&[])], vec![(2, vec![7])]),
            (vec![], behind, vec![(5, vec![]), (6, vec![])]),
            (vec![], vec![end(&[])], vec![(1, vec![4])]),
            (vec![], vec![end(&[])], vec![]),
        ];
        function(9, blocks)
    };
    // Few instructions are outside of the inner loop: v4 is read from its slot in each turn of the outer one.
    let func = nest(2);
    let output = allocate(&func);
    assert_eq!(edits(&func, &output, 2), []);
    assert!(edits(&func, &output, 4).contains(&EditKind::Reload));
    // Many are: v4 and v5 stay where they are, and nothing in the inner loop gets the register of v5, though no
    // instruction behind the first one reads it.
    let func = nest(40);
    let output = allocate(&func);
    assert_eq!(edits(&func, &output, 4), []);
    let place =
        |index, operand| output.place(func.block_insts(Block::from_u32(2)).start.as_u32() + index, operand);
    let held = place(0, 0);
    assert!(held.as_reg().is_some_and(|reg| X86.units(reg).intersects(RESIDENTS)));
    let others = [place(1, 0), place(1, 1), place(2, 0), place(2, 1), place(3, 0)];
    assert!(others.iter().all(|&other| other != held), "{held:?} {others:?}");
}

/// The loop from block2 to block4 has one in it, from block3 to block6, whose end stands behind the outer one's. v5 is read in
/// block2 only; v9 is defined and read where control still goes back to that.
#[test]
fn the_end_of_an_inner_loop_may_stand_behind_that_of_the_outer_one() {
    let read = |n| vec![inst(&[Operand::use_reg(v(n), GPR)]); 40];
    let blocks = vec![
        (vec![], vec![def(0), def(1), end(&[])], vec![(1, vec![0])]),
        (vec![4], [vec![def(5)], read(5), vec![end(&[])]].concat(), vec![(2, vec![])]),
        (vec![], vec![inst(&[Operand::use_reg(v(5), GPR)]), end(&[])], vec![(3, vec![])]),
        (vec![], vec![end(&[])], vec![(4, vec![]), (5, vec![])]),
        (vec![], vec![end(&[])], vec![(2, vec![]), (7, vec![])]),
        (vec![], vec![def(9), end(&[])], vec![(6, vec![])]),
        (vec![], vec![inst(&[Operand::use_reg(v(9), GPR)]), end(&[])], vec![(3, vec![])]),
        (vec![], [read(4), vec![branch(4, 1)]].concat(), vec![(8, vec![]), (9, vec![])]),
        (vec![], vec![end(&[])], vec![(1, vec![4])]),
        (vec![], vec![end(&[])], vec![]),
    ];
    let func = function(10, blocks);
    let output = allocate(&func);
    let place = |block| output.place(func.block_insts(Block::from_u32(block)).start.as_u32(), 0);
    let [v5, v9] = [2, 6].map(place);
    assert!(
        [v5, v9].iter().all(|place| place.as_reg().is_some_and(|reg| X86.units(reg).intersects(RESIDENTS)))
    );
    assert_ne!(v5, v9);
}

#[test]
fn a_loop_with_two_entrances_has_slots() {
    let blocks = vec![
        (vec![], vec![def(0), def(1), branch(0, 1)], vec![(1, vec![]), (4, vec![])]),
        (vec![], vec![end(&[])], vec![(2, vec![0])]),
        (vec![2], vec![step(2, 3), end(&[])], vec![(3, vec![])]),
        (vec![], vec![branch(0, 1)], vec![(5, vec![]), (6, vec![])]),
        (vec![], vec![end(&[])], vec![(3, vec![])]),
        (vec![], vec![end(&[])], vec![(2, vec![0])]),
        (vec![], vec![end(&[])], vec![]),
    ];
    let func = function(4, blocks);
    let output = allocate(&func);
    assert!(!output.used_regs.intersects(RESIDENTS));
}

#[test]
fn where_a_call_returns_twice_there_are_slots() {
    let func = counter(vec![]);
    let output = allocate_with(&func, SlotSharing::Distinct);
    assert!(edits(&func, &output, 1).contains(&EditKind::Spill));
}

#[test]
fn a_value_that_control_gets_around_has_a_slot() {
    // v4 is defined in one of two arms, and read where they meet, in the block of a later turn as far as is known.
    let arms = |reads: StoredInst| {
        let blocks = vec![
            (vec![], vec![def(0), def(1), end(&[])], vec![(1, vec![0])]),
            (vec![2], vec![branch(2, 1)], vec![(2, vec![]), (3, vec![])]),
            (vec![], vec![def(4), end(&[])], vec![(3, vec![])]),
            (vec![], vec![reads, step(2, 3), branch(3, 1)], vec![(4, vec![]), (5, vec![])]),
            (vec![], vec![end(&[])], vec![(1, vec![3])]),
            (vec![], vec![end(&[])], vec![]),
        ];
        function(5, blocks)
    };
    let func = arms(inst(&[Operand::use_any(v(4), GPR)]));
    let output =
        Context::new().allocate(&func.build(), &X86, &Options::default()).expect("allocates").clone();
    assert_eq!(edits(&func, &output, 2), [EditKind::Spill]);
    // The counter is not concerned.
    assert_eq!(edits(&func, &output, 4), []);
}
