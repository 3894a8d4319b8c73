//! Inconsistent allocations and control flow become errors, in every build.

extern crate std;

use crate::inst::Inst;
use crate::target::{Arm32, Division, FloatAbi};
use ice_asm::arm32::Cond;
use ice_codegen::mach::{MachBlock, VReg};
use ice_codegen::{CodeModel, testing};

const TARGET: Arm32 =
    Arm32 { division: Division::Helper, floats: FloatAbi::Hard, model: CodeModel::Sandboxed };

/// Core registers, and those of 32, 64 and 128 bits.
const BANKS: [core::ops::Range<u8>; 4] = [0..16, 16..48, 48..80, 80..96];

/// Integers and floats that live across a call, addresses, a constant, bits and comparisons.
const PROGRAM: &str = "\
declare internal @llvm.cttz.i32(i32, i1) -> i32
define internal @f(v0: i32, v1: i32, v2: f64) -> i32 {
  v3: i32 = 77
  v4: i1 = 0
block0:
  v5: i32 = mul v0, v1
  v6: i32 = load v5, align 1
  v7: f64 = sitofp v6
  v8: f64 = fadd v7, v2
  v9: i32 = call @f(v6, v5, v8)
  v10: i32 = add v9, v3
  v11: i32 = sdiv v10, v1
  v12: i32 = call @llvm.cttz.i32(v11, v4)
  v13: f64 = fmul v8, v7
  v14: i32 = fptosi v13
  v15: i32 = shl v14, v12
  store v15 to v5, align 1
  v16: i32 = add v15, v6
  ret v16
}
";

#[test]
fn a_place_that_cannot_be_is_an_error() {
    let found = testing::damage_places(&TARGET, PROGRAM, &BANKS);
    assert!(found > 60, "{found}");
}

#[test]
fn places_that_do_not_fit_the_function_are_an_error() {
    let [less, more, fewer, edit] = testing::damage_shape(&TARGET, PROGRAM);
    let ending = "it has more or fewer places than operands";
    for error in [less, more, fewer] {
        assert!(error.starts_with("internal error in register allocation, "), "{error}");
        assert!(error.ends_with(ending), "{error}");
    }
    assert_eq!(
        edit,
        "internal error in emission, the end of the function: an edit stands behind the last instruction"
    );
}

#[test]
fn control_to_a_missing_block_is_an_error() {
    let missing = MachBlock::from_u32(3);
    let here = MachBlock::from_u32(0);
    let ends = [
        Inst::Jump { target: missing },
        Inst::Branch { cond: Cond::Eq, or: None, if_true: missing, if_false: here },
        Inst::Branch { cond: Cond::Eq, or: None, if_true: here, if_false: missing },
        Inst::Branch { cond: Cond::Eq, or: Some(Cond::Ne), if_true: here, if_false: missing },
    ];
    for end in ends {
        assert_eq!(
            testing::end_with(&TARGET, end),
            std::format!(
                "internal error in emission, inst0 {end:?} in block0: control goes to a block that is not there"
            )
        );
    }
    let switch = Inst::Switch { switch: 5, index: VReg::from_u32(0) };
    assert!(testing::end_with(&TARGET, switch).ends_with("its switch has no plan"));
    assert_eq!(
        testing::missing_successor::<Inst>(),
        "internal error in lowering, block1: a block has this successor, and there is no such block"
    );
}

#[test]
fn lowering_names_the_branch_without_a_block() {
    let text =
        |end| std::format!("define internal @f(v0: i1) -> void {{\nblock0:\n  {end}\nblock1:\n  ret\n}}\n");
    let error = testing::lowered_as(&TARGET, &text("br block1"), &text("ret"));
    assert!(error.starts_with("internal error in lowering, inst0 "), "{error}");
    assert!(error.ends_with(": a branch goes to a block that is no successor"), "{error}");
}
