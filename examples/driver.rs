//! `ice-driver` without its command: functions to machine code for every machine that is built in.

use ice_driver::Arch;
use ice_driver::{CodeOptions, Compiler, Recipe};

const PROGRAM: &str = "\
declare external @next(i32) -> i32
define external @twice(v0: i32) -> i32 {
block0:
  v1: i32 = call @next(v0)
  v2: i32 = call @next(v1)
  ret v2
}
define external @half(v0: f64) -> f64 {
  v1: f64 = 0x3fe0000000000000 ; 0.5
block0:
  v2: f64 = fmul v0, v1
  ret v2
}
";

fn main() {
    let program = ice_ir::parse_program(PROGRAM).expect("it is written as it should be");
    for arch in Arch::built_in() {
        let options = CodeOptions::new(arch, Recipe::O2);
        let mut compiler =
            Compiler::new(&program.module, options).expect("PNaCl programs run on all machines");
        for func in &program.bodies {
            let compiled = compiler.compile(&program.module, func).expect("the function is well-formed");
            println!("{arch} {}: {:02x?}", func.id, compiled.code());
            for reference in compiled.references() {
                let r_type = arch.machine().relocation_type(reference.kind);
                println!("  at {}: {:?}, relocation {r_type:?}", reference.offset, reference.target);
            }
            assert!(!compiled.code().is_empty());
        }
    }
}

#[test]
fn runs() {
    main();
}
