//! What code is for, checked from lowering to the finished buffer.

use super::{allocate, emit, machine_keeping};
use crate::Target;
use crate::mach::KeepOrigins;
use alloc::vec::Vec;
use ice_ir::{Inst, InstData, parse_program};
use ice_regalloc::Mode;

/// A loop, values that live across a call, a dead instruction, and a branch to the next block.
const PROGRAM: &str = "\
define internal @f(v0: i32, v1: i32) -> i32 {
  v2: i32 = 77
block0:
  v3: i32 = mul v0, v0
  v4: i32 = xor v0, v2
  br block1
block1:
  v5: i32 = phi [v0, block0], [v9, block2]
  v6: i32 = phi [v1, block0], [v5, block2]
  v7: i32 = call @f(v5, v6)
  v8: i1 = icmp slt v7, v3
  br v8, block2, block3
block2:
  v9: i32 = add v7, v6
  store v9 to v9, align 1
  br block1
block3:
  ret v7
}
";

/// Checks that every part of the code is for the instruction of the IR that wanted it, with either allocator, and that
/// the code is the same whether that is noted or not.
///
/// # Panics
/// If it is not.
pub fn check_origins<T: Target>(target: &T) {
    let func = parse_program(PROGRAM).expect("the text is well-formed").bodies.remove(0);
    for mode in [Mode::Linear, Mode::Minimal] {
        let [plain, noted] = [KeepOrigins::No, KeepOrigins::Yes].map(|keep| {
            let mach = machine_keeping(target, PROGRAM, keep);
            let allocation = allocate(target, &mach, mode);
            emit(target, &mach, &allocation).expect("the allocation is good")
        });
        assert_eq!((plain.origins, plain.code), (Vec::new(), noted.code.clone()));
        let origins = noted.origins;
        assert!(origins.is_sorted_by(|a, b| a.0 < b.0 && a.1 != b.1), "{origins:?}");
        let (&(end, last), parts) = origins.split_last().expect("there is code");
        assert!(end as usize <= noted.code.len() && last.is_none(), "{origins:?}");
        // Blocks lie in the order of the function, so that its instructions come in theirs.
        let named: Vec<Inst> = parts.iter().filter_map(|&(_, inst)| inst).collect();
        assert!(named.is_sorted(), "{origins:?}");
        for (inst, data) in func.insts() {
            let is_seen = named.contains(&inst);
            match data {
                InstData::Phi { .. } => assert!(!is_seen, "{mode:?}: {inst} is no code"),
                InstData::Binary { op: ice_ir::BinaryOp::Xor, .. } => {
                    assert!(!is_seen, "{mode:?}: {inst} is dead")
                }
                InstData::Binary { .. }
                | InstData::Call { .. }
                | InstData::Store { .. }
                | InstData::Ret { .. } => {
                    assert!(is_seen, "{mode:?}: {inst} has code: {origins:?}");
                }
                // Comparisons are part of branches, branches to the next block vanish.
                _ => {}
            }
        }
    }
}
