//! `ice-passes` with `ice-ir`: a product that two blocks compute is computed once.

use ice_ir::{ControlFlowGraph, DominatorTree, Uses};

const PROGRAM: &str = "\
define external @f(v0: i32, v1: i32, v2: i1) -> i32 {
block0:
  v3: i32 = mul v0, v1
  br v2, block1, block2
block1:
  v4: i32 = mul v1, v0
  v5: i32 = add v4, v3
  ret v5
block2:
  ret v3
}
";

fn main() {
    let mut program = ice_ir::parse_program(PROGRAM).expect("it is written as it should be");
    let func = &mut program.bodies[0];
    let (mut graph, mut dominators, mut uses) =
        (ControlFlowGraph::new(), DominatorTree::new(), Uses::default());
    graph.compute(func);
    dominators.compute(func, &graph);
    uses.compute(func);
    let (addressing, mut numbering) = (ice_ir::Addressing::BaseAndIndex, ice_passes::Numbering::default());
    ice_passes::number_values(func, &graph, &dominators, &mut uses, addressing, &mut numbering);
    let mut text = String::new();
    ice_ir::write_program(&program, &mut text).expect("a string takes everything");
    print!("{text}");
    assert_eq!(text.matches(" mul ").count(), 1);
}

#[test]
fn runs() {
    main();
}
