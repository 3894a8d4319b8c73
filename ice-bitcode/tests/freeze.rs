//! Freezing: native programs become valid PNaCl programs that do the same.

use ice_bitcode::pexe::{FreezeErrorKind, freeze};
use ice_interpreter::{Interpreter, Scalar};
use ice_ir::{Program, Rules, Type, parse_program, verify_program, write_program};

/// The entry that every frozen program needs.
const START: &str = "define external @_start(v0: i32) -> void {\nblock0:\n  ret\n}\n";

fn native(text: &str) -> Program {
    let program = parse_program(&format!("target pointer i32 native\n{text}{START}")).unwrap();
    verify_program(&program, Rules::Ice).unwrap();
    program
}

fn frozen(text: &str) -> Program {
    let program = freeze(&native(text)).unwrap();
    if let Err(errors) = verify_program(&program, Rules::Pnacl) {
        let mut text = String::new();
        write_program(&program, &mut text).unwrap();
        panic!("{errors:#?}\n{text}");
    }
    program
}

/// The result of `@f` in the frozen program, bits above its type's width cut off.
fn run(text: &str, args: &[Scalar]) -> u64 {
    let program = frozen(text);
    let f = program.module.function_by_name(b"f").unwrap();
    let result = Interpreter::new(&program).unwrap().call(f, args).unwrap();
    assert_eq!(result.tainted, 0);
    result.value.unwrap().bits as u64
}

fn i32(number: i32) -> Scalar {
    Scalar::new(Type::I32, number as u32 as u128)
}

#[test]
fn small_integers_cross_calls_as_words() {
    let text = "
define internal @add(v0: i8, v1: i16) -> i8 {
block0:
  v2: i8 = trunc v1
  v3: i8 = add v0, v2
  ret v3
}
define external @f(v0: i32) -> i32 {
  v1: i32 = @add
block0:
  v2: i8 = trunc v0
  v3: i16 = trunc v0
  v4: i8 = call @add(v2, v3)
  v5: i8 = call_indirect v1(v4, v3)
  v6: i32 = sext v5
  ret v6
}
";
    assert_eq!(run(text, &[i32(100)]) as u32, 300i32 as i8 as u32);
}

#[test]
fn variadic_arguments_lie_one_after_another_in_a_buffer() {
    let text = "
sig0 = (i32) -> i32 variadic
global @object = bytes \"\\07\\00\\00\\00\\09\\00\\00\\00\"
intrinsic external @llvm.va_start.p0(i32) -> void as va.start
define internal @sum(v0: i32) -> i32: sig0 {
  v1: i32 = 4
  v2: i32 = 12
  v20: i32 = 16
block0:
  v3: i32 = alloca v1, align 4
  call @llvm.va_start.p0(v3)
  v4: i32 = load v3, align 4
  v5: i32 = load v4, align 4
  v6: i32 = add v4, v1
  v7: f64 = load v6, align 4
  v8: i32 = fptosi v7
  v9: i32 = add v4, v2
  v10: i32 = load v9, align 4
  v11: i32 = add v5, v8
  v12: i32 = add v11, v10
  v13: i32 = add v4, v20
  v14: i32 = load v13, align 4
  v15: i32 = add v12, v14
  v16: i32 = add v15, v0
  ret v16
}
define external @f(v0: i32) -> i32 {
  v1: i32 = @sum
  v2: i32 = @object
  v3: f64 = 0x4059000000000000
block0:
  v4: i64 = load v2, align 4
  v5: i32 = call_as sig0(v1, v0, v0, v3, v4)
  ret v5
}
";
    assert_eq!(run(text, &[i32(1000)]), 1000 + 1000 + 100 + 7 + 9);
}

#[test]
fn objects_by_value_are_copies_and_second_results_come_through_memory() {
    let text = "
sig0 = (i32 byval 8 align 4) -> i32, f64
sig1 = (i32) -> i32
global @object align 4 = bytes \"\\07\\00\\00\\00\\09\\00\\00\\00\"
define internal @change(v0: i32) -> i32: sig0 {
  v1: i32 = 1000
  v2: f64 = 0x4045000000000000
block0:
  v3: i32 = load v0, align 4
  store v1 to v0, align 4
  ret v3, v2
}
define external @f(v0: i32) -> i32 {
  v1: i32 = @change
  v2: i32 = @object
block0:
  v3: i32 = call_as sig0(v1, v2)
  v4: f64 = second v3
  v5: i32 = fptosi v4
  v6: i32 = add v3, v5
  v7: i32 = load v2, align 4
  v8: i32 = add v6, v7
  ret v8
}
";
    assert_eq!(run(text, &[i32(0)]), 7 + 42 + 7);
}

#[test]
fn booleans_calculate_and_lie_in_memory_as_bytes() {
    let text = "
define external @f(v0: i32) -> i32 {
  v1: i32 = 1
block0:
  v2: i32 = alloca v1, align 1
  v3: i1 = trunc v0
  store v3 to v2, align 1
  v4: i1 = load v2, align 1
  v5: i1 = add v4, v3
  v6: i1 = icmp sgt v5, v4
  v7: i32 = zext v6
  ret v7
}
";
    // 1 + 1 is 0, and as signed numbers 0 > -1.
    assert_eq!((run(text, &[i32(1)]), run(text, &[i32(0)])), (1, 0));
}

#[test]
fn narrow_bit_counts_are_those_of_the_width() {
    let text = "
intrinsic external @llvm.ctlz.i8(i8, i1) -> i8 as ctlz
intrinsic external @llvm.cttz.i16(i16, i1) -> i16 as cttz
intrinsic external @llvm.ctpop.i8(i8) -> i8 as ctpop
define external @f(v0: i32) -> i32 {
  v1: i1 = false
  v2: i32 = 100
block0:
  v3: i8 = trunc v0
  v4: i16 = trunc v0
  v5: i8 = call @llvm.ctlz.i8(v3, v1)
  v6: i16 = call @llvm.cttz.i16(v4, v1)
  v7: i8 = call @llvm.ctpop.i8(v3)
  v8: i32 = zext v5
  v9: i32 = zext v6
  v10: i32 = zext v7
  v11: i32 = mul v8, v2
  v12: i32 = add v11, v9
  v13: i32 = mul v12, v2
  v14: i32 = add v13, v10
  ret v14
}
";
    assert_eq!(run(text, &[i32(0)]), 81600);
    assert_eq!(run(text, &[i32(0x68)]), 10303);
}

#[test]
fn symbols_resolve_inside_the_program() {
    let text = "
global internal section \".init_array\" @late = addr @ctor
global internal section \".init_array.00101\" @early = addr @f
global external declared @__init_array_start
global external declared @__init_array_end
global weak declared @missing
global external alias @middle = addr @data + 4
constant @data align 4 = bytes \"\\01\\00\\00\\00\\02\\00\\00\\00\", addr @other
alias external @other() -> void = @ctor
define internal @ctor() -> void {
block0:
  ret
}
define external @f(v0: i32) -> i32 {
  v1: i32 = @__init_array_start
  v2: i32 = @__init_array_end
  v3: i32 = @missing
  v4: i32 = @middle
  v5: i32 = @f
  v9: i32 = 1000
block0:
  v10: i32 = sub v2, v1
  v11: i32 = load v4, align 4
  v12: i32 = load v1, align 4
  v13: i1 = icmp eq v12, v5
  v14: i32 = zext v13
  v15: i32 = mul v10, v9
  v16: i32 = add v15, v11
  v17: i32 = add v16, v14
  v18: i32 = add v17, v3
  ret v18
}
";
    assert_eq!(run(text, &[i32(0)]), 8000 + 2 + 1);
}

#[test]
fn vectors_of_zeros_are_put_together_from_lanes() {
    let text = "define external @f(v0: i32) -> i32 {
  v1: v8i16 = zero
  v2: v4f32 = zero
  v3: i32 = 7
  v4: i32 = 3
block0:
  v5: i16 = extractelement v1, v3
  v6: f32 = extractelement v2, v4
  v7: i32 = sext v5
  v8: i32 = bitcast v6
  v9: i32 = add v7, v8
  v10: i32 = add v9, v0
  ret v10
}
";
    assert_eq!(run(text, &[i32(5)]), 5);
    let mut program = frozen(text);
    assert!(ice_bitcode::pexe::write_program(&program).is_ok());
    program.bodies[0].make_zero(Type::V4I32);
    let error = ice_bitcode::pexe::write_program(&program).unwrap_err().to_string();
    assert!(error.contains("a vector of zeros"), "{error}");
}

#[test]
fn what_has_no_form_is_refused_with_its_place() {
    let f = |line: &str| format!("define external @f(v0: i32) -> i32 {{\nblock0:\n  {line}\n  ret v0\n}}\n");
    let vector = f("v1: v4i32 = load v0, align 1\n  store v1 to v0, align 2\n");
    frozen(&vector);
    let refused = |text: &str| freeze(&native(text)).unwrap_err();
    let error = refused(&format!("declare external @gone() -> void\n{}", f("call @gone()")));
    assert_eq!(error.kind, FreezeErrorKind::Undefined("gone".into()));
    assert_eq!((error.symbol.as_str(), error.inst.is_some()), ("f", true));
    let error = refused("global thread_local @t = zero 4\n");
    assert!(matches!(error.kind, FreezeErrorKind::Unsupported(_)) && error.symbol == "t");
    let error = refused("global section \".init_array\" @c = zero 4\n");
    assert_eq!(error.kind, FreezeErrorKind::ConstructorsNotRun(".init_array"));
    let error = refused("global alias @a = addr @b\nglobal alias @b = addr @a\nglobal @c = addr @a\n");
    assert!(matches!(error.kind, FreezeErrorKind::AliasCycle(_)));
    let wide = parse_program("target pointer i64 native\n").unwrap();
    assert_eq!(freeze(&wide).unwrap_err().kind, FreezeErrorKind::WideAddresses);
}
