//! Inconsistent allocations and control flow become errors, in every build.

use crate::inst::{Cond, Inst};
use crate::target::Mips32;
use ice_codegen::mach::{MachBlock, VReg};
use ice_codegen::{CodeModel, Confinement, testing};

const TARGET: Mips32 = Mips32 { model: CodeModel::Pnacl, confinement: Confinement::None };

#[test]
fn places_that_cannot_be_are_errors() {
    testing::check_shape(&TARGET);
    // General registers, and floating-point registers of 32 and 64 bits.
    let found = testing::damage_places(&TARGET, &[0..32, 32..64, 64..80]);
    assert!(found > 40, "{found}");
}

#[test]
fn ways_to_missing_blocks_are_errors() {
    testing::check_targets(&TARGET);
    let [here, missing] = [0, 3].map(MachBlock::from_u32);
    let ends = [
        Inst::Branch { cond: Cond::True, if_true: missing, if_false: here },
        Inst::Branch { cond: Cond::False, if_true: here, if_false: missing },
        Inst::Jump { target: missing },
    ];
    testing::check_ends(&TARGET, &ends);
    let any = VReg::from_u32(0);
    testing::check_missing_switch(&TARGET, Inst::Switch { switch: 5, index: any, scratch: any, base: None });
}
