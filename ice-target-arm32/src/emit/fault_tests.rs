//! Inconsistent allocations and control flow become errors, in every build.

use crate::inst::Inst;
use crate::target::{Arm32, Division, FloatAbi};
use ice_asm::arm32::Cond;
use ice_codegen::mach::{MachBlock, VReg};
use ice_codegen::{CodeModel, Confinement, testing};

const TARGET: Arm32 = Arm32 {
    division: Division::Helper,
    floats: FloatAbi::Hard,
    model: CodeModel::Pnacl,
    confinement: Confinement::None,
};

/// Core registers, and those of 32, 64 and 128 bits.
const BANKS: [core::ops::Range<u8>; 4] = [0..16, 16..48, 48..80, 80..96];

#[test]
fn a_place_that_cannot_be_is_an_error() {
    let found = testing::damage_places(&TARGET, &BANKS);
    assert!(found > 60, "{found}");
}

#[test]
fn places_that_do_not_fit_the_function_are_an_error() {
    testing::check_shape(&TARGET);
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
    testing::check_ends(&TARGET, &ends);
    testing::check_missing_switch(&TARGET, Inst::Switch { switch: 5, index: VReg::from_u32(0) });
}

#[test]
fn lowering_names_the_missing_block() {
    testing::check_targets(&TARGET);
}
