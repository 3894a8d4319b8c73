//! Plans of functions in text form, and what no plan must fuse.

use super::AllocatedCode;
use super::compare::is_tested;
use super::predicate::{Predication, Then, predication as predication_of};
use crate::inst::Inst;
use crate::regs::register_file;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use ice_asm::arm32::Cond;
use ice_codegen::fusion::{Fate, Plan, When, Writeback, Writebacks};
use ice_codegen::mach::{FramePointer, MachBlock, MachFunction, MachInstId, VReg};
use ice_regalloc::{Context, Mode, Options, Output};

/// A function and its allocation; eight core registers have a class.
fn allocated(text: &str) -> (MachFunction<Inst>, Output) {
    let file = register_file(FramePointer::None);
    let mach =
        MachFunction::read(&format!("v0-v7: core 4\n{text}"), file).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut allocator = Context::new();
    let options = Options { mode: Mode::Linear, ..Options::default() };
    let output = allocator.allocate(mach.body(), file, &options).expect("it can be allocated").clone();
    (mach, output)
}

/// The accesses of the first block that step their bases: instruction, index, amount, and the addition.
fn steps(insts: &str) -> Vec<(u32, When, i32, u32)> {
    let (mach, allocation) =
        allocated(&format!("block0:\n    params (def v0:core r0, def v1:core r1)\n{insts}    ret\n"));
    let code = AllocatedCode { mach: &mach, allocation: &allocation };
    let (mut plan, mut found) = (Plan::default(), Vec::new());
    let end = mach.insts().len();
    let first = MachInstId::from_u32(0);
    let mut writebacks = Writebacks::default();
    plan.make(code, first, end, |id, inst| writebacks.find(code, id, inst, end));
    while let Some(inst) = plan.upcoming() {
        if let Some(Fate::Does { fusion: Writeback { when, amount }, other }) = plan.take() {
            found.push((inst.as_u32(), when, amount, other.as_u32()));
        }
    }
    found
}

#[test]
fn an_access_takes_an_addition_to_its_address() {
    let behind = "    v2 = ldr [v0]\n    v0 = add v0, 4\n    str v2, [v0 + 8]\n";
    assert_eq!(steps(behind), [(1, When::Behind, 4, 2)]);
    let before = "    v0 = sub v0, 8\n    v2 = ldr [v0]\n    str v2, [v0 + 8]\n";
    assert_eq!(steps(before), [(2, When::Before, -8, 1)]);
    // Each addition goes into one access, and each access takes one.
    let twice =
        "    str v1, [v0]\n    v0 = add v0, 4\n    str v1, [v0]\n    v0 = add v0, 4\n    str v0, [object0]\n";
    assert_eq!(steps(twice), [(1, When::Behind, 4, 2), (3, When::Behind, 4, 4)]);
}

#[test]
fn an_access_takes_no_other_addition() {
    let cases = [
        // The address is used in between, or the result is another register.
        "    v2 = ldr [v0]\n    str v2, [v0 + 4]\n    v0 = add v0, 4\n    str v2, [v0 + 8]\n",
        "    v2 = ldr [v0]\n    v3 = add v0, 4\n    str v2, [v3]\n    str v2, [v0 + 8]\n",
        // What is stored is the address itself; the access has an offset; the amount is too large for it.
        "    str v0, [v0]\n    v0 = add v0, 4\n    str v1, [v0 + 8]\n",
        "    v2 = ldr [v0 + 4]\n    v0 = add v0, 4\n    str v2, [v0 + 8]\n",
        "    v2 = ldrh [v0]\n    v0 = add v0, 4096\n    str v2, [v0 + 8]\n",
        // A comparison wants the flags of the addition.
        "    v2 = ldr [v0]\n    v0 = add v0, 4\n    test v0\n    str v2, [v0 + 8]\n",
        // Too far away.
        "    v2 = ldr [v0]\n    v3 = mul v2, v2\n    v3 = mul v3, v2\n    v3 = mul v3, v2\n    v3 = mul v3, v2\n    v3 = mul v3, v2\n    \
         v0 = add v0, 4\n    str v3, [v0 + 8]\n",
    ];
    for case in cases {
        assert_eq!(steps(case), [], "{case}");
    }
}

#[test]
fn a_test_of_a_result_is_its_operation() {
    let is_fused = |insts: &str| {
        let text = format!("block0:\n    params (def v0:core r0)\n    v1 = sub v0, 1\n{insts}    ret\n");
        let (mach, _) = allocated(&text);
        is_tested(&mach.insts()[2..], VReg::from_u32(1))
    };
    assert!(is_fused("    test v1\n"));
    assert!(is_fused("    v2 = ldr [v0]\n    str v2, [object0]\n    test v1\n"));
    // Another number; written in between; the flags are written in between; no test at all.
    assert!(!is_fused("    test v0\n"));
    assert!(!is_fused("    v1 = ldr [v0]\n    test v1\n"));
    assert!(!is_fused("    cmp v0, 5\n    test v1\n"));
    assert!(!is_fused("    cmp v1, 0\n"));
}

/// The plan for the branch at the end of block0, on `eq` to block1 and else to block2.
fn predication(blocks: &str) -> Option<Predication> {
    let text = format!(
        "block0:\n    params (def v0:core r0, def v1:core r1)\n    b.eq or none block1, block2\n    -> block1, block2\n{blocks}"
    );
    let (mach, allocation) = allocated(&text);
    let code = AllocatedCode { mach: &mach, allocation: &allocation };
    let [entry, first, second] = [0, 1, 2].map(MachBlock::from_u32);
    let written = vec![false; 8];
    predication_of(code, entry, [first, second], Cond::Eq, &allocation.edits, &written)
}

#[test]
fn short_arms_are_conditions() {
    let [one, two, three] = [1, 2, 3].map(MachBlock::from_u32);
    // One arm, then both.
    let arm =
        "block1:\n    v0 = add v0, 1\n    b block2\n    -> block2\nblock2:\n    str v0, [object0]\n    ret\n";
    let plan = Predication { bodies: [Some((one, Cond::Eq)), None], then: Then::Jump(two) };
    assert_eq!(predication(arm), Some(plan));
    let arms = "block1:\n    v0 = add v0, 1\n    b block3\n    -> block3\nblock2:\n    v0 = sub v0, 1\n    b block3\n    \
                -> block3\nblock3:\n    str v0, [object0]\n    ret\n";
    let plan =
        Predication { bodies: [Some((one, Cond::Eq)), Some((two, Cond::Ne))], then: Then::Jump(three) };
    assert_eq!(predication(arms), Some(plan));
}

#[test]
fn other_arms_stay_blocks() {
    let rest = "    b block2\n    -> block2\nblock2:\n    str v0, [object0]\n    ret\n";
    let cases = [
        // Three instructions, a comparison, a call.
        "block1:\n    v0 = add v0, 1\n    v0 = add v0, v1\n    v0 = sub v0, 2\n",
        "block1:\n    cmp v0, v1\n    mov.lt v0, v1\n",
        "block1:\n    call @func1\n",
    ];
    for case in cases {
        assert_eq!(predication(&format!("{case}{rest}")), None, "{case}");
    }
    // One arm is simple, and the other is not, where both meet elsewhere.
    let one_simple = "block1:\n    v0 = add v0, 1\n    b block3\n    -> block3\nblock2:\n    cmp v0, v1\n    b block3\n    \
                  -> block3\nblock3:\n    str v0, [object0]\n    ret\n";
    assert_eq!(predication(one_simple), None);
}
