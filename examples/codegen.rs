//! `ice-codegen` with a target: every step from a function to bytes, in the caller's hands.

use ice_asm::x86::Mode;
use ice_codegen::{BackEnd, BlockOrder, Checks, CompiledCode, FunctionInput, NativeModel};
use ice_ir::{ControlFlowGraph, Environment, Type, Uses};
use ice_regalloc::Mode as Allocation;
use ice_target_x86::X86;

const PROGRAM: &str = "\
define external @power(v0: i32, v1: i32) -> i32 {
  v2: i32 = 1
  v3: i32 = 0
block0:
  br block1
block1:
  v4: i32 = phi [v2, block0], [v6, block1]
  v5: i32 = phi [v1, block0], [v7, block1]
  v6: i32 = mul v4, v0
  v7: i32 = sub v5, v2
  v8: i1 = icmp eq v7, v3
  br v8, block2, block1
block2:
  ret v6
}
";

fn main() {
    let mut program = ice_ir::parse_program(PROGRAM).expect("it is written as it should be");
    (program.module.environment, program.module.pointer_type) = (Environment::Native, Type::I64);
    let (module, func) = (&program.module, &program.bodies[0]);
    let (mut cfg, mut order, mut uses) = (ControlFlowGraph::new(), BlockOrder::default(), Uses::default());
    cfg.compute(func);
    uses.compute(func);
    order.compute(func, &cfg);

    let target = X86::new(Mode::Bits64, module, NativeModel::PositionIndependent).expect("its addresses fit");
    let mut generator = target.generator(Checks::Debug);
    let mut out = CompiledCode::default();
    let input = FunctionInput {
        module,
        func,
        cfg: &cfg,
        order: &order,
        uses: &uses,
        mode: Allocation::Linear,
        frame_at: None,
    };
    generator.lower(input).expect("x86-64 has all of it");
    generator.allocate().expect("a register for each value");
    generator.emit(&mut out).expect("a few bytes");
    println!("{} machine instructions: {:02x?}", generator.num_insts(), out.code);
    assert_eq!(out.code.last(), Some(&0xc3), "it ends with ret");
}

#[test]
fn runs() {
    main();
}
