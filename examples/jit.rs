//! `ice-jit` alone: a module that calls the process, and another that calls the module.

use ice_driver::Recipe;
use ice_ir::{BinaryOp, Function, FunctionBuilder, FunctionKind, Module, Signature, TailHint, Type};
use ice_jit::{Error, Jit};

extern "C" fn next(number: i32) -> i32 {
    number + 1
}

fn number_to_number() -> Signature {
    Signature::new(vec![Type::I32], Type::I32)
}

/// A module with the function `name`, which calls `callee` twice and multiplies the results.
fn product_of_calls(jit: &Jit, name: &str, callee: &str) -> (Module, Function) {
    let mut module = jit.module();
    let callee = module.add_function(callee, number_to_number(), FunctionKind::Declared);
    let id = module.add_function(name, number_to_number(), FunctionKind::Defined);
    let mut body = Function::new();
    let mut b = FunctionBuilder::new(&mut body);
    b.begin(id, &number_to_number());
    let entry = b.create_block();
    b.switch_to_block(entry);
    let number = b.func.params()[0];
    let first = b.call(callee, &[number], Type::I32, TailHint::None).expect("it gives a number");
    let second = b.call(callee, &[first], Type::I32, TailHint::None).expect("it gives a number");
    let product = b.binary(BinaryOp::Mul, first, second);
    b.ret(Some(product));
    (module, body)
}

fn main() -> Result<(), Error> {
    let jit = Jit::builder(Recipe::O2).symbol("next", next as *const ()).build()?;
    let (module, body) = product_of_calls(&jit, "inner", "next");
    let inner = jit.load(&module, &[body])?;
    let (module, body) = product_of_calls(&jit, "outer", "inner");
    let outer = jit.load(&module, &[body])?;
    // `outer` keeps what it calls.
    drop(inner);
    // SAFETY: the code is that of the functions above, `next` has the type that they take it for, and `outer` is there.
    let function = unsafe { outer.get::<extern "C" fn(i32) -> i32>("outer")? };
    println!("{}", function(1));
    assert_eq!(function(1), 6 * (7 * 8));
    // SAFETY: nothing is called.
    let error =
        unsafe { outer.get::<extern "C" fn(f64) -> f64>("outer") }.expect_err("the type is another one");
    println!("{error}");
    Ok(())
}

#[test]
fn runs() -> Result<(), Error> {
    main()
}
