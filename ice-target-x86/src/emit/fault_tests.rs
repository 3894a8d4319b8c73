//! Inconsistent allocations and control flow become errors, in every build.

use crate::inst::Inst;
use crate::target::X86;
use ice_asm::x86::{Cond, Mode};
use ice_codegen::mach::{MachBlock, VReg};
use ice_codegen::{CodeModel, Confinement, testing};

const TARGETS: [X86; 2] = [
    X86 {
        mode: Mode::Bits32,
        model: CodeModel::Pnacl,
        confinement: Confinement::None,
        tracks_branches: false,
    },
    X86 {
        mode: Mode::Bits64,
        model: CodeModel::Pnacl,
        confinement: Confinement::None,
        tracks_branches: false,
    },
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
    let [index, scratch] = [0, 1].map(VReg::from_u32);
    for target in TARGETS {
        testing::check_ends(&target, &ends);
        testing::check_missing_switch(&target, Inst::Switch { switch: 5, index, scratch, table: None });
    }
}

#[test]
fn lowering_names_the_missing_block() {
    TARGETS.iter().for_each(testing::check_targets);
}
