//! `ice-interpreter` with `ice-ir`: what a function gives, and that a zero divisor ends it.

use ice_interpreter::{Interpreter, Scalar};

const PROGRAM: &str = "\
define external @remainder(v0: i32, v1: i32) -> i32 {
block0:
  v2: i32 = urem v0, v1
  ret v2
}
";

fn main() {
    let program = ice_ir::parse_program(PROGRAM).expect("it is written as it should be");
    let remainder = program.module.function_by_name(b"remainder").expect("it is defined");
    let mut interpreter = Interpreter::new(&program).expect("it fits into memory");
    let outcome =
        interpreter.call(remainder, &[Scalar::i32(47), Scalar::i32(5)]).expect("47 % 5 is a number");
    println!("{:?}", outcome.value);
    assert_eq!(outcome.value, Some(Scalar::i32(2)));
    let trap = interpreter.call(remainder, &[Scalar::i32(47), Scalar::i32(0)]).expect_err("47 % 0 is none");
    println!("{trap}");
}

#[test]
fn runs() {
    main();
}
