//! `ice-bitcode` with `ice-ir`: a program written as a `.pexe`, and read again one function at a time.

use ice_bitcode::pexe::{FunctionReader, read_module, write_program};
use ice_ir::{Function, FunctionBuilder};

const PROGRAM: &str = "\
define internal @double(v0: i32) -> i32 {
block0:
  v1: i32 = add v0, v0
  ret v1
}
define external @_start(v0: i32) -> void {
block0:
  v1: i32 = call @double(v0)
  ret
}
";

fn main() {
    let program = ice_ir::parse_program(PROGRAM).expect("it is written as it should be");
    let bytes = write_program(&program).expect("the format has everything that it needs");
    let header = read_module(&bytes).expect("what is written can be read");
    let (mut reader, mut func) = (FunctionReader::new(), Function::new());
    for body in &header.bodies {
        // Each body by itself, in any order, on any thread.
        reader.read(&header, &bytes, body, &mut FunctionBuilder::new(&mut func)).expect("and each body, too");
        println!("{} has {} instructions", func.id, func.num_insts());
    }
    assert_eq!(header.bodies.len(), 2);
}

#[test]
fn runs() {
    main();
}
