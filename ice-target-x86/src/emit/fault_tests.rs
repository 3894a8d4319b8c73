//! Inconsistent allocations and control flow become errors, in every build.

extern crate std;

use crate::inst::Inst;
use crate::target::X86;
use ice_asm::x86::{Cond, Mode};
use ice_codegen::mach::{MachBlock, VReg};
use ice_codegen::{CodeModel, testing};
use std::vec::Vec;

const TARGETS: [X86; 2] = [
    X86 { mode: Mode::Bits32, model: CodeModel::Pnacl },
    X86 { mode: Mode::Bits64, model: CodeModel::Pnacl },
];

#[test]
fn a_place_that_cannot_be_is_an_error() {
    for target in TARGETS {
        let found = testing::damage_places(&target, &[0..16, 16..32]);
        assert!(found > 60, "{found}");
    }
}

#[test]
fn places_that_do_not_fit_the_function_are_an_error() {
    for target in TARGETS {
        testing::check_shape(&target);
    }
}

#[test]
fn control_to_a_missing_block_is_an_error() {
    let missing = MachBlock::from_u32(3);
    let here = MachBlock::from_u32(0);
    let ends = [
        Inst::Jmp { target: missing },
        Inst::Jcc { cond: Cond::E, if_true: missing, if_false: here },
        Inst::Jcc { cond: Cond::E, if_true: here, if_false: missing },
        Inst::JccAnd { conds: [Cond::E; 2], both: here, otherwise: missing },
    ];
    for target in TARGETS {
        for end in ends {
            assert_eq!(
                testing::end_with(&target, end),
                std::format!(
                    "internal error in emission, inst0 {end:?} in block0: control goes to a block that is not there"
                )
            );
        }
        let registers: Vec<_> = (0..2).map(VReg::from_u32).collect();
        let switch = Inst::Switch { switch: 5, index: registers[0], scratch: registers[1], table: None };
        assert!(testing::end_with(&target, switch).ends_with("its switch has no plan"));
    }
    assert_eq!(
        testing::missing_successor::<Inst>(),
        "internal error in lowering, block1: a block has this successor, and there is no such block"
    );
}

#[test]
fn lowering_names_the_branch_without_a_block() {
    let text =
        |end| std::format!("define internal @f(v0: i1) -> void {{\nblock0:\n  {end}\nblock1:\n  ret\n}}\n");
    for target in TARGETS {
        let error = testing::lowered_as(&target, &text("br block1"), &text("ret"));
        assert!(error.starts_with("internal error in lowering, inst0 "), "{error}");
        assert!(error.ends_with(": a branch goes to a block that is no successor"), "{error}");
    }
}
