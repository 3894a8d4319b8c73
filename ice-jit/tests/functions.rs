//! The functions of the driver's filetests, each called with a few arguments, in process against the interpreter.
//!
//! Each call is a function without parameters that is added to the program and gives the bits of the result. Calls that the
//! interpreter traps in, or whose result it does not define, are left out; the others are made in one order on both sides,
//! because they share the program's variables. Results that are addresses cannot be compared.

use crate::common::RECIPES;
use crate::common::stack::on_low_stack;
use ice_interpreter::{Interpreter, Limits};
use ice_ir::native::Environment;
use ice_ir::{
    CastOp, FuncId, Function, FunctionBuilder, FunctionDecl, FunctionKind, Linkage, Name, Program, Signature,
    Symbol, TailHint, Type, Value,
};
use ice_jit::{Error, Jit};

/// What arguments are made of: in turn, from another place for each call.
const NUMBERS: [i64; 12] =
    [0, 1, -1, 7, 100, -128, 0x7fff_ffff, i64::MIN, i64::MAX, -1000, 0x1234_5678_9abc_def0, 16];

const CALLS: usize = 5;

fn argument(b: &mut FunctionBuilder<'_>, ty: Type, number: i64) -> Option<Value> {
    Some(match ty {
        Type::F32 => b.f32_const(number as f32 / 3.0),
        Type::F64 => b.f64_const(number as f64 / 3.0),
        Type::I1 | Type::I8 | Type::I16 | Type::I32 | Type::I64 => {
            let width = 64 - ty.bits();
            b.int_const(ty, number << width >> width)
        }
        _ => return None,
    })
}

/// The bits of a number as an `i64`.
fn bits(b: &mut FunctionBuilder<'_>, value: Value, ty: Type) -> Option<Value> {
    Some(match ty {
        Type::I64 => value,
        Type::F64 => b.cast(CastOp::Bitcast, value, Type::I64),
        Type::F32 => {
            let word = b.cast(CastOp::Bitcast, value, Type::I32);
            b.cast(CastOp::Zext, word, Type::I64)
        }
        Type::I1 | Type::I8 | Type::I16 | Type::I32 => b.cast(CastOp::Zext, value, Type::I64),
        _ => return None,
    })
}

/// The body of a call; `None` if types have no numbers.
fn call(id: FuncId, callee: FuncId, of: &Signature, start: usize) -> Option<Function> {
    let mut func = Function::new();
    let mut b = FunctionBuilder::new(&mut func);
    b.begin(id, &Signature::new(vec![], Type::I64));
    let numbers = NUMBERS.iter().cycle().skip(start);
    let args: Option<Vec<Value>> =
        of.params.iter().zip(numbers).map(|(&ty, &number)| argument(&mut b, ty, number)).collect();
    let args = args?;
    let entry = b.create_block();
    b.switch_to_block(entry);
    let result = b.call(callee, &args, of.ret, TailHint::None)?;
    let result = bits(&mut b, result, of.ret)?;
    b.ret(Some(result));
    Some(func)
}

/// Adds calls of all functions to a program; gives their names.
fn add_calls(program: &mut Program) -> Vec<(FuncId, String)> {
    let module = &mut program.module;
    let sig = module.signatures.push(Signature::new(vec![], Type::I64));
    let callees: Vec<FuncId> = module.defined_functions().collect();
    let mut calls = Vec::new();
    for (callee, start) in callees.into_iter().flat_map(|callee| (0..CALLS).map(move |n| (callee, 5 * n))) {
        let of = module.signature(callee).clone();
        let id = FuncId::from_u32(module.functions.len() as u32);
        let body = if of.is_plain() { call(id, callee, &of, start) } else { None };
        if let Some(body) = body {
            let decl = FunctionDecl::new(Name::default(), sig, Linkage::External, FunctionKind::Defined);
            module.functions.push(decl);
            let name = format!("call of {callee} from {start}");
            module.set_symbol_name(Symbol::Function(id), name.bytes());
            program.bodies.push(body);
            calls.push((id, name));
        }
    }
    calls
}

/// The calls that can be compared, in order, with what they give.
fn interpreted(program: &Program, calls: Vec<(FuncId, String)>) -> Vec<(String, i64)> {
    let limits = Limits { steps: 1_000_000, ..Limits::default() };
    let interpreter = || Interpreter::with_limits(program, limits).expect("the program is valid");
    let run = |interpreter: &mut Interpreter<'_>, id| {
        let outcome = interpreter.call(id, &[]).ok()?;
        let is_defined = outcome.tainted == 0 && outcome.any_nan == 0 && !outcome.taint.any();
        outcome.value.filter(|_| is_defined).map(|value| value.bits as i64)
    };
    let alone: Vec<_> = calls.into_iter().filter(|&(id, _)| run(&mut interpreter(), id).is_some()).collect();
    let mut interpreter = interpreter();
    alone.into_iter().map_while(|(id, name)| Some((name, run(&mut interpreter, id)?))).collect()
}

#[test]
fn functions_of_filetests_compute_what_the_interpreter_computes() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../ice-driver/tests/filetests");
    let (mut files, mut compared, mut addresses) = (0, 0, 0);
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a file");
        let Ok(mut program) = ice_ir::parse_program(&text) else { continue };
        if program.module.environment != Environment::Pnacl {
            continue;
        }
        let calls = add_calls(&mut program);
        let expected = interpreted(&program, calls);
        for recipe in RECIPES {
            // Two copies at two places, on two stacks: what differs between them is an address.
            let load = || Jit::new(recipe).and_then(|jit| jit.load(&program.module, &program.bodies));
            let (first, second) = match (load(), load()) {
                (Ok(first), Ok(second)) => (first, second),
                // What the files only declare is nowhere.
                (Err(Error::Unresolved(_)), _) => continue,
                (Err(error), _) | (_, Err(error)) => panic!("{}: {error}", path.display()),
            };
            for (name, expected) in &expected {
                // SAFETY: the code is that of a function that the interpreter has run without a trap.
                let calls =
                    [&first, &second].map(|module| unsafe { module.get::<extern "C" fn() -> i64>(name) });
                let [first, second] = calls.map(|call| call.expect("it was added"));
                let result = on_low_stack(|| (first(), on_low_stack(|| second())));
                let (result, other) = result.expect("nothing exits");
                if other == Some(result) {
                    assert_eq!(result, *expected, "{}: {name}, {recipe:?}", path.display());
                    compared += 1;
                } else {
                    addresses += 1;
                }
            }
            files += 1;
        }
    }
    let counts = format!("{compared} calls in {files} modules, {addresses} with addresses");
    println!("{counts}");
    assert!(files >= 40 && compared > 700 && addresses < compared / 10, "{counts}");
}
