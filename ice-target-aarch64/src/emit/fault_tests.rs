//! Inconsistent allocations and control flow become errors, in every build.

use crate::inst::{Inst, Test};
use crate::target::Aarch64;
use ice_asm::aarch64::{Cond, Width};
use ice_codegen::mach::{MachBlock, VReg};
use ice_codegen::{CodeModel, testing};

const TARGET: Aarch64 = Aarch64 { model: CodeModel::Pnacl, tracks_branches: false };

#[test]
fn places_that_cannot_be_are_errors() {
    testing::check_shape(&TARGET);
    // General registers and vector registers.
    let found = testing::damage_places(&TARGET, &[0..31, 32..64]);
    assert!(found > 40, "{found}");
}

#[test]
fn ways_to_missing_blocks_are_errors() {
    testing::check_targets(&TARGET);
    let [here, missing] = [0, 3].map(MachBlock::from_u32);
    let ends = [
        Inst::Branch { test: Test::Flags(Cond::Eq), if_true: missing, if_false: here },
        Inst::Branch { test: Test::Flags(Cond::Ne), if_true: here, if_false: missing },
        Inst::Jump { target: missing },
    ];
    testing::check_ends(&TARGET, &ends);
    let any = VReg::from_u32(0);
    testing::check_missing_switch(
        &TARGET,
        Inst::Switch { switch: 5, width: Width::W, index: any, scratch: any },
    );
}
