//! Phis: each edge passes the arguments of its own, and none for phis that nothing uses.

use super::machine::run_with_memory;
use ice_asm::x86::Mode;

/// The first phi is dead; the order of the arguments is not that of the blocks.
const JOIN: &str = "define internal @f(v0: i32, v1: i32) -> i32 {
  v2: i32 = 0
  v3: i32 = 100
  v4: i32 = 200
block0:
  v10: i1 = icmp eq v0, v2
  br v10, block1, block2
block1:
  v11: i32 = add v1, v3
  br block3
block2:
  v12: i32 = add v1, v4
  br block3
block3:
  v13: i32 = phi [v0, block2], [v3, block1]
  v14: i32 = phi [v1, block2], [v11, block1]
  v15: i32 = phi [v12, block2], [v11, block1]
  v16: i32 = sub v15, v14
  ret v16
}
";

#[test]
fn edges_pass_their_own_arguments() {
    for mode in [Mode::Bits32, Mode::Bits64] {
        let run = |number| run_with_memory(mode, JOIN, &[("i32", number), ("i32", 7)], 0).0[0] as u32;
        assert_eq!((run(0), run(5)), (0, 200), "{mode:?}");
    }
}
