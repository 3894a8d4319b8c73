//! `ice-ir` alone: a function is built, checked, printed and read again.

use ice_ir::{
    BinaryOp, FuncId, Function, FunctionBuilder, FunctionDecl, FunctionKind, IntCond, Linkage, Name, Program,
    Rules, Signature, Symbol, Type,
};

/// `i32 larger(i32 a, i32 b) { return a < b ? b : a + 1; }`, with a branch.
fn program() -> Program {
    let mut program = Program::default();
    let signature = Signature::new(vec![Type::I32, Type::I32], Type::I32);
    let mut func = Function::new();
    let mut b = FunctionBuilder::new(&mut func);
    b.begin(FuncId::from_u32(0), &signature);
    let [entry, less, other] = [0; 3].map(|_| b.create_block());
    b.switch_to_block(entry);
    let (x, y) = (b.func.params()[0], b.func.params()[1]);
    let is_less = b.icmp(IntCond::Slt, x, y);
    b.cond_br(is_less, less, other);
    b.switch_to_block(less);
    b.ret(Some(y));
    b.switch_to_block(other);
    let one = b.int_const(Type::I32, 1);
    let sum = b.binary(BinaryOp::Add, x, one);
    b.ret(Some(sum));
    program.bodies.push(func);
    let signature = program.module.signatures.push(signature);
    let decl = FunctionDecl::new(Name::default(), signature, Linkage::External, FunctionKind::Defined);
    let id = program.module.functions.push(decl);
    program.module.set_symbol_name(Symbol::Function(id), *b"larger");
    program
}

fn main() {
    let program = program();
    ice_ir::verify_program(&program, Rules::Ice).expect("it is well-formed");
    let mut text = String::new();
    ice_ir::write_program(&program, &mut text).expect("a string takes everything");
    print!("{text}");
    let again = ice_ir::parse_program(&text).expect("what is printed can be read");
    assert_eq!(again.bodies[0].num_insts(), program.bodies[0].num_insts());
}

#[test]
fn runs() {
    main();
}
