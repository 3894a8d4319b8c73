//! Plans of functions in text form, and what no plan must fuse.

use super::{AllocatedCode, Finder, Fusion};
use crate::abi::Frame;
use crate::inst::Inst;
use crate::regs::register_file;
use alloc::format;
use alloc::vec::Vec;
use ice_codegen::fusion::{Fate, Plan, When, Writeback};
use ice_codegen::mach::{FramePointer, MachFunction, MachInstId};
use ice_regalloc::{Context, Mode, Options};

/// The pairs of the only block: the instruction that does the work, what it does, and the other.
fn fused(insts: &str) -> Vec<(u32, Fusion, u32)> {
    let file = register_file(FramePointer::None);
    let text = format!(
        "v0-v7: general 8\nv8-v11: float 8\nblock0:\n    params (def v0:general x0, def v1:general x1)\n{insts}    ret\n"
    );
    let mach: MachFunction<Inst> = MachFunction::read(&text, file).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut allocator = Context::new();
    let options = Options { mode: Mode::Linear, ..Options::default() };
    let allocation = allocator.allocate(mach.body(), file, &options).expect("it can be allocated");
    let mut frame = Frame::default();
    frame.compute(&mach, allocation).expect("it has a frame");
    let code = AllocatedCode { mach: &mach, allocation };
    let (mut plan, mut found) = (Plan::default(), Vec::new());
    let end = mach.insts().len();
    let first = MachInstId::from_u32(0);
    let mut finder = Finder::default();
    plan.make(code, first, end, |id, inst| finder.find(code, &frame, id, inst, end));
    while let Some(inst) = plan.upcoming() {
        if let Some(Fate::Does { fusion, other }) = plan.take() {
            found.push((inst.as_u32(), fusion, other.as_u32()));
        }
    }
    found
}

fn step(when: When, amount: i32) -> Fusion {
    Fusion::Step(Writeback { when, amount })
}

#[test]
fn neighbours_are_pairs() {
    let loads =
        "    v2 = ldrx [v0 + 8]\n    v3 = ldrx [v0 + 16]\n    strx v2, [v1]\n    strx v3, [v1 + 32]\n";
    assert_eq!(fused(loads), [(1, Fusion::Pair, 2)]);
    // The higher one first, what may stand between, and the first load is done for the second.
    let apart =
        "    v2 = ldrw [v0 - 4]\n    v4 = add.x v2, 1\n    v3 = ldrw [v0 - 8]\n    strx v3, [v4 + 32]\n";
    assert_eq!(fused(apart), [(1, Fusion::Pair, 3)]);
    // The second store does the work of the first, and zero is stored as well.
    let stores = "    strx v1, [v0 + 8]\n    v2 = add.x v1, 1\n    strx zero, [v0]\n    strx v1, [v2 + 32]\n";
    assert_eq!(fused(stores), [(3, Fusion::Pair, 1)]);
    let floats = "    v8 = fload.d [v0 + 16]\n    v9 = fload.d [v0 + 24]\n    fstore.d v9, [v1]\n    fstore.d v8, [v1 + 8]\n";
    assert_eq!(fused(floats), [(1, Fusion::Pair, 2), (4, Fusion::Pair, 3)]);
}

#[test]
fn others_are_no_pairs() {
    let cases = [
        // Not beside each other, of two sizes, out of reach.
        "    v2 = ldrx [v0]\n    v3 = ldrx [v0 + 16]\n    strx v2, [v1]\n    strx v3, [v1 + 32]\n",
        "    v2 = ldrx [v0]\n    v3 = ldrw [v0 + 8]\n    strx v2, [v1]\n    strx v3, [v1 + 32]\n",
        "    v2 = ldrx [v0 + 512]\n    v3 = ldrx [v0 + 520]\n    strx v2, [v1]\n    strx v3, [v1 + 32]\n",
        // The first load takes the base away.
        "    v0 = ldrx [v0]\n    v3 = ldrx [v0 + 8]\n    strx v0, [v1]\n    strx v3, [v1 + 32]\n",
        // A store between two loads, a load between two stores.
        "    v2 = ldrx [v0]\n    strx v2, [v1]\n    v3 = ldrx [v0 + 8]\n    strx v3, [v1 + 32]\n",
        "    strx v1, [v0]\n    v2 = ldrx [v1 + 32]\n    strx v2, [v0 + 8]\n",
        // What is stored first is another value by then.
        "    strx v1, [v0]\n    v1 = add.x v1, 1\n    strx v1, [v0 + 8]\n",
        // Accesses that stay by themselves.
        "    v2 = alone ldrx [v0]\n    v3 = ldrx [v0 + 8]\n    strx v2, [v1]\n    strx v3, [v1 + 32]\n",
    ];
    for case in cases {
        assert_eq!(fused(case), [], "{case}");
    }
}

#[test]
fn accesses_take_additions_to_their_addresses() {
    let behind = "    v2 = ldrx [v0]\n    v0 = add.x v0, 8\n    strx v2, [v0 + 32]\n";
    assert_eq!(fused(behind), [(1, step(When::Behind, 8), 2)]);
    let before = "    v0 = sub.x v0, 16\n    v8 = fload.d [v0]\n    fstore.d v8, [v0 + 32]\n";
    assert_eq!(fused(before), [(2, step(When::Before, -16), 1)]);
    // Of two additions each goes to its own access, over what does not touch its register.
    let apart = "    v0 = add.x v0, 1\n    v1 = add.x v1, 2\n    v2 = ldrx [v0]\n    strx v2, [v1]\n    strx v2, [v0 + 32]\n";
    assert_eq!(fused(apart), [(3, step(When::Before, 1), 1), (4, step(When::Before, 2), 2)]);
    let cases = [
        // An addition of 32 bits; one that is too large; one to another register.
        "    v2 = ldrx [v0]\n    v0 = add.w v0, 8\n    strx v2, [v0 + 32]\n",
        "    v2 = ldrx [v0]\n    v0 = add.x v0, 256\n    strx v2, [v0 + 32]\n",
        "    v2 = ldrx [v0]\n    v3 = add.x v0, 8\n    strx v2, [v3 + 32]\n    strx v2, [v0 + 32]\n",
        // The register is needed on the way.
        "    v0 = add.x v0, 8\n    strx v0, [v1 + 32]\n    v2 = ldrx [v0]\n    strx v2, [v1 + 64]\n",
    ];
    for case in cases {
        assert_eq!(fused(case), [], "{case}");
    }
}
