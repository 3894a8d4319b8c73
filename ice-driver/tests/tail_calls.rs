//! Calls in place of returns: what the interpreter computes, every target and recipe must, and in constant stack.

use crate::common;

use common::compiled::{can_make, printed, printed_by_ice};
use common::program::{check_function, with_entry};
use common::tools::has;
use common::{ALL_TARGETS, Scratch, can_run, errors, run_ice};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Functions that jump to each other a million times, directly and through addresses, with frames of their own.
#[test]
fn a_million_jumps_take_no_stack() {
    let functions = "
global internal @table align 4 = addr @even, addr @odd

define internal @even(v0: i32, v1: i32) -> i32 {
  v2: i32 = 0
  v3: i32 = 1
  v7: i32 = 64
block0:
  v4: i1 = icmp eq v0, v2
  br v4, block1, block2
block1:
  ret v1
block2:
  v8: i32 = alloca v7, align 8
  store v1 to v8, align 1
  v9: i32 = call @through(v8)
  v5: i32 = sub v0, v3
  v6: i32 = add v9, v0
  return_call @odd(v5, v6)
}

define internal @odd(v0: i32, v1: i32) -> i32 {
  v2: i32 = 0
  v3: i32 = 1
  v5: i32 = 5
block0:
  v4: i1 = icmp eq v0, v2
  br v4, block1, block2
block1:
  ret v2
block2:
  v6: i32 = sub v0, v3
  v7: i32 = shl v1, v5
  v8: i32 = xor v7, v1
  return_call @even(v6, v8)
}

define internal @through(v0: i32) -> i32 {
block0:
  v1: i32 = load v0, align 1
  ret v1
}

define internal @up(v0: i64, v1: i64) -> i64 {
  v2: i64 = 0
  v3: i64 = 1
  v4: i32 = 4
block0:
  v5: i1 = icmp eq v0, v2
  br v5, block1, block2
block1:
  ret v1
block2:
  v6: i64 = sub v0, v3
  v7: i64 = add v1, v0
  v9: i32 = add @ups, v4
  v10: i32 = load v9, align 1
  return_call_indirect v10(v6, v7)
}

define internal @down(v0: i64, v1: i64) -> i64 {
  v2: i64 = 0
  v3: i64 = 1
block0:
  v5: i1 = icmp eq v0, v2
  br v5, block1, block2
block1:
  ret v1
block2:
  v6: i64 = sub v0, v3
  v7: i64 = xor v1, v0
  v10: i32 = load @ups, align 1
  return_call_indirect v10(v6, v7)
}

global internal @ups align 4 = addr @up, addr @down

define internal @test() -> i32 {
  v0: i32 = 1000000
  v1: i32 = 7
  v2: i64 = 1000000
  v3: i64 = 12345678901
  v9: i64 = 32
block0:
  v4: i32 = call @even(v0, v1)
  v5: i64 = call @up(v2, v3)
  v6: i64 = lshr v5, v9
  v7: i64 = xor v5, v6
  v8: i32 = trunc v7
  v10: i32 = add v4, v8
  ret v10
}
";
    check_function("million", functions);
}

/// A function of many parameters that calls itself with its arguments in other places, in place of a return, until a
/// counter is 0, and then mixes them.
fn shuffler(name: &str, types: &[&str], order: &[usize]) -> String {
    let mut params = String::from("v0: i32");
    let mut body = String::new();
    let mut sum = 2000;
    let count = types.len();
    for (n, ty) in types.iter().enumerate() {
        let _ = write!(params, ", v{}: {ty}", n + 1);
        let bits = match *ty {
            "f32" => "i32",
            "f64" => "i64",
            ty => ty,
        };
        let value = match *ty {
            "f32" | "f64" => {
                let _ = writeln!(body, "  v{}: {bits} = bitcast v{}", 100 + n, n + 1);
                100 + n
            }
            _ => n + 1,
        };
        let word = match bits {
            "i64" => {
                let _ = writeln!(body, "  v{}: i64 = lshr v{value}, v1001", 200 + n);
                let _ = writeln!(body, "  v{}: i64 = xor v{value}, v{}", 300 + n, 200 + n);
                let _ = writeln!(body, "  v{}: i32 = trunc v{}", 400 + n, 300 + n);
                400 + n
            }
            _ => value,
        };
        let _ = writeln!(body, "  v{}: i32 = mul v{sum}, v1002", sum + 1);
        let _ = writeln!(body, "  v{}: i32 = add v{}, v{word}", sum + 2, sum + 1);
        sum += 2;
    }
    let args: Vec<String> = order.iter().map(|n| format!("v{}", n + 1)).collect();
    assert!(order.iter().enumerate().all(|(to, &from)| types[to] == types[from]) && order.len() == count);
    format!(
        "define internal @{name}({params}) -> i32 {{\n  v1000: i32 = 0\n  v1001: i64 = 32\n  v1002: i32 = 31\n  v1003: i32 = 1\n  \
         v2000: i32 = 17\nblock0:\n  v1004: i1 = icmp eq v0, v1000\n  br v1004, block1, block2\nblock1:\n{body}  ret v{sum}\n\
         block2:\n  v1005: i32 = sub v0, v1003\n  return_call @{name}(v1005, {})\n}}\n",
        args.join(", ")
    )
}

/// A call of a shuffler.
fn shuffle(name: &str, types: &[&str], rounds: u32) -> String {
    let constants: String =
        (1..).zip(types).map(|(n, ty)| format!("  v{n}: {ty} = {}\n", constant(ty, n))).collect();
    let args: Vec<String> = (1..=types.len()).map(|n| format!("v{n}")).collect();
    format!(
        "define internal @call_{name}() -> i32 {{\n  v0: i32 = {rounds}\n{constants}block0:\n  v900: i32 = call @{name}(v0, {})\n  ret v900\n}}\n",
        args.join(", ")
    )
}

fn constant(ty: &str, n: u32) -> String {
    match ty {
        "f32" => format!("{:#x}", (n as f32 + 0.5).to_bits()),
        "f64" => format!("{:#x}", (f64::from(n) - 0.25).to_bits()),
        "i64" => format!("{}", i64::from(n) * 0x1_0001_0203),
        _ => format!("{}", n * 1001),
    }
}

/// Arguments on the stack and in registers change places, in circles and not, and some stay.
#[test]
fn arguments_move_in_parallel() {
    let words = ["i32"; 12];
    let pairs = ["i64"; 9];
    let doubles = ["f64"; 20];
    let mixed = ["i32", "f64", "i64", "f32", "i64", "i32", "f64", "i32", "i64", "f32", "i32", "f64"];
    let rotated = |count: usize, by: usize| (0..count).map(|n| (n + by) % count).collect::<Vec<_>>();
    let cases: [(&str, &[&str], Vec<usize>); 7] = [
        ("rotate", &words, rotated(12, 1)),
        ("swap", &words, vec![0, 1, 2, 3, 4, 6, 5, 7, 8, 11, 10, 9]),
        ("last", &words, vec![0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 10]),
        ("copy", &words, vec![11, 1, 1, 1, 4, 5, 0, 7, 7, 7, 10, 10]),
        ("pairs", &pairs, rotated(9, 4)),
        ("doubles", &doubles, rotated(20, 7)),
        ("mixed", &mixed, vec![5, 6, 8, 9, 2, 7, 11, 10, 4, 3, 0, 1]),
    ];
    let (mut functions, mut test) = (
        String::new(),
        String::from("define internal @test() -> i32 {\n  v0: i32 = 31\n  v1: i32 = 1\nblock0:\n"),
    );
    let mut last = 1;
    for (n, (name, types, order)) in cases.iter().enumerate() {
        functions += &shuffler(name, types, order);
        functions += &shuffle(name, types, 5 + n as u32);
        let _ = writeln!(test, "  v{}: i32 = call @call_{name}()", last + 1);
        let _ = writeln!(test, "  v{}: i32 = mul v{last}, v0", last + 2);
        let _ = writeln!(test, "  v{}: i32 = add v{}, v{}", last + 3, last + 2, last + 1);
        last += 3;
    }
    check_function("shuffle", &format!("{functions}{test}  ret v{last}\n}}\n"));
}

/// The function returns what the callee does, whatever stands in its own frame and registers.
#[test]
fn results_of_each_type_come_from_the_callee() {
    let mut functions = String::new();
    let mut test = String::from(
        "define internal @test() -> i32 {\n  v0: i32 = 31\n  v1: i32 = 1\n  v2: i64 = 77\n  v3: f64 = 0x4045000000000000\n  v4: f32 = 0x42280000\nblock0:\n",
    );
    let mut last = 1;
    for (n, (ty, arg, op)) in
        [("i64", 2, "mul"), ("f64", 3, "fmul"), ("f32", 4, "fmul"), ("i32", 0, "mul")].into_iter().enumerate()
    {
        let _ = write!(
            functions,
            "define internal @leaf_{ty}(v0: {ty}) -> {ty} {{\nblock0:\n  v1: {ty} = {op} v0, v0\n  ret v1\n}}\n\
             define internal @jump_{ty}(v0: {ty}) -> {ty} {{\nblock0:\n  v1: {ty} = call @leaf_{ty}(v0)\n  v2: {ty} = {op} v1, v0\n  return_call @leaf_{ty}(v2)\n}}\n"
        );
        let (value, word) = (10 * n + 100, 10 * n + 101);
        let _ = writeln!(test, "  v{value}: {ty} = call @jump_{ty}(v{arg})");
        let _ = match ty {
            "i64" => writeln!(test, "  v{word}: i32 = trunc v{value}"),
            "f32" => writeln!(test, "  v{word}: i32 = bitcast v{value}"),
            "f64" => writeln!(
                test,
                "  v{}: i64 = bitcast v{value}\n  v{word}: i32 = trunc v{}",
                word + 1,
                word + 1
            ),
            _ => writeln!(test, "  v{word}: i32 = add v{value}, v0"),
        };
        let _ = writeln!(
            test,
            "  v{}: i32 = mul v{last}, v0\n  v{}: i32 = add v{}, v{word}",
            word + 2,
            word + 3,
            word + 2
        );
        last = word + 3;
    }
    check_function("results", &format!("{functions}{test}  ret v{last}\n}}\n"));
}

/// What no target can do is refused by its name.
#[test]
fn arguments_that_do_not_fit_are_refused() {
    let params: Vec<String> = (0..30).map(|n| format!("v{n}: i64")).collect();
    let text = format!(
        "define external @many({}) -> i32 {{\n  v30: i32 = 1\nblock0:\n  ret v30\n}}\n\
         define external @few(v0: i64) -> i32 {{\nblock0:\n  return_call @many({})\n}}\n",
        params.join(", "),
        ["v0"; 30].join(", ")
    );
    let scratch = Scratch::new();
    let file = scratch.write("few.ice", &text);
    for target in ALL_TARGETS {
        for recipe in ["-Om1", "-O2"] {
            let output =
                run_ice(["translate", "--target", target, recipe, "-o", "-", file.to_str().unwrap()]);
            assert!(!output.status.success(), "{target}");
            let message = errors(&output);
            assert!(message.contains("few") || message.contains("func1"), "{message}");
            assert!(
                message.contains("a tail call with more bytes of stack arguments than its function has"),
                "{message}"
            );
        }
    }
}

/// A frozen program has no such calls.
/// Clang calls methods with variable arguments through thunks that hand these on, on machines where LLVM can.
#[test]
fn variable_arguments_are_handed_on() {
    if !has("thunks", &["clang-19", "gcc"]) {
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native/thunks.cc");
    for target in ["x86_64", "i686", "aarch64"].into_iter().filter(|target| can_make(target)) {
        let mut clang = Command::new("clang-19");
        clang.arg("-fno-rtti");
        let expected = printed(clang, target, "-O1", &source);
        assert_eq!(expected.iter().filter(|&&byte| byte == b'\n').count(), 8);
        for level in ["-O0", "-O2"] {
            let found = printed_by_ice(&["-fno-rtti"], target, level, &source);
            assert_eq!(
                String::from_utf8_lossy(&found),
                String::from_utf8_lossy(&expected),
                "{target} {level}"
            );
        }
    }
}

#[test]
fn freezing_refuses_them() {
    let scratch = Scratch::new();
    let body = "define external @_start(v0: i32) -> void {\nblock0:\n  return_call @_start(v0)\n}\n";
    for (environment, reason) in [("", "return-call"), (" native", "a call in place of a return")] {
        let file = scratch.write("loop.ice", format!("target pointer i32{environment}\n{body}"));
        let frozen = scratch.path("loop.pexe");
        let output = run_ice(["freeze", "-o", frozen.to_str().unwrap(), file.to_str().unwrap()]);
        assert!(!output.status.success() && !frozen.exists());
        assert!(errors(&output).contains(reason), "{}", errors(&output));
    }
}

/// Functions that preserve nothing jump to each other with their state in registers, call standard functions and are
/// called by them; values of the caller and of the function survive what they must.
const PRESERVE_NONE: &str = "
define internal @up(v0: i32, v1: i64, v2: i32, v3: f64, v4: i32, v5: i32, v6: i64) -> i32: sig0 {
  v10: i32 = 0
  v11: i32 = 1
  v12: i64 = 3
block0:
  v13: i1 = icmp eq v0, v10
  br v13, block1, block2
block1:
  v14: i64 = bitcast v3
  v15: i64 = add v1, v14
  v16: i64 = xor v15, v6
  v17: i32 = trunc v16
  v18: i32 = add v17, v2
  v19: i32 = mul v18, v4
  v20: i32 = add v19, v5
  ret v20
block2:
  v21: i32 = sub v0, v11
  v22: i32 = call @help(v2, v21)
  v23: i64 = mul v1, v12
  v24: f64 = fadd v3, v3
  return_call @down(v21, v6, v22, v24, v5, v4, v23)
}

define internal @down(v0: i32, v1: i64, v2: i32, v3: f64, v4: i32, v5: i32, v6: i64) -> i32: sig0 {
  v10: i32 = 4000
  v11: f64 = 0x3fe0000000000000
block0:
  v12: i32 = alloca v10, align 8
  store v2 to v12, align 1
  v13: i32 = load v12, align 1
  v14: f64 = fmul v3, v11
  return_call @up(v0, v6, v13, v14, v5, v4, v1)
}

define internal @help(v0: i32, v1: i32) -> i32 {
  v2: i32 = 31
block0:
  v3: i32 = mul v0, v2
  v4: i32 = add v3, v1
  ret v4
}

define internal @enter(v0: i32, v1: i32, v2: i32, v3: i32) -> i32 {
  v4: i64 = 123456789012
  v5: f64 = 0x4008000000000000
  v6: i64 = -99
block0:
  v7: i32 = mul v0, v3
  v8: i32 = mul v1, v2
  v9: i32 = xor v7, v3
  v10: i32 = call @up(v0, v4, v1, v5, v2, v3, v6)
  v11: i32 = add v10, v7
  v12: i32 = mul v11, v8
  v13: i32 = add v12, v9
  v14: i32 = add v13, v1
  v15: i32 = xor v14, v2
  ret v15
}

define internal @test() -> i32 {
  v0: i32 = 1001
  v1: i32 = 17
  v2: i32 = 5
  v3: i32 = 77777
block0:
  v4: i32 = call @enter(v0, v1, v2, v3)
  ret v4
}
";

#[test]
fn functions_that_preserve_nothing_work_with_others() {
    let scratch = Scratch::new();
    let signature = "sig0 = (i32, i64, i32, f64, i32, i32, i64) -> i32 preserve_none\n";
    let file = scratch.write("none.ice", format!("{signature}{}", with_entry(PRESERVE_NONE)));
    let file = file.to_str().unwrap();
    let expected = run_ice(["interpret", file]);
    assert!(errors(&expected).is_empty(), "{}", errors(&expected));
    for recipe in ["-Om1", "-O2"] {
        for target in ALL_TARGETS.into_iter().filter(|target| can_run(target)) {
            let output = run_ice(["run", "--target", target, recipe, file]);
            assert_eq!(
                output.status.code(),
                expected.status.code(),
                "{target} {recipe}: {}",
                errors(&output)
            );
        }
    }
}

/// More arguments of each type than there are registers, to functions that preserve nothing: by a call and by a jump, which
/// passes them on in another order.
#[test]
fn functions_that_preserve_nothing_take_many_arguments() {
    let scratch = Scratch::new();
    let kinds = ["i32", "i64", "f64", "i32", "v4i32", "f32", "i64", "i32", "f64"];
    let types: Vec<&str> = kinds.iter().copied().cycle().take(40).collect();
    // The jump gives each argument the place of another one of its type.
    let partner = |n: usize| {
        (0..types.len())
            .rev()
            .filter(|&m| types[m] == types[n])
            .nth(types[..n].iter().filter(|&&ty| ty == types[n]).count())
            .expect("there are as many")
    };
    let params = |from: usize| -> String {
        types.iter().enumerate().map(|(n, ty)| format!(", v{}: {ty}", from + n)).collect()
    };
    let mut sum = format!(
        "define internal @sum(v0: i32{}) -> i32: sig0 {{\n  v100: i32 = 31\n  v101: i32 = 2\nblock0:\n",
        params(1)
    );
    let (mut next, mut last) = (102, 0);
    for (n, &ty) in types.iter().enumerate() {
        let value = n + 1;
        let word = match ty {
            "i32" => format!("add v{value}, v100"),
            "i64" => format!("trunc v{value}"),
            "v4i32" => format!("extractelement v{value}, v101"),
            _ => format!("fptosi v{value}"),
        };
        sum += &format!("  v{next}: i32 = {word}\n  v{}: i32 = mul v{last}, v100\n", next + 1);
        sum += &format!("  v{}: i32 = add v{}, v{next}\n", next + 2, next + 1);
        (last, next) = (next + 2, next + 3);
    }
    sum += &format!("  ret v{last}\n}}\n");
    let passed: String = (0..types.len()).map(|n| format!(", v{}", partner(n) + 1)).collect();
    let jump = format!(
        "define internal @jump(v0: i32{}) -> i32: sig0 {{\nblock0:\n  return_call @sum(v0{passed})\n}}\n",
        params(1)
    );
    let (mut constants, mut code, mut arguments) = (String::new(), String::new(), String::new());
    for (n, &ty) in types.iter().enumerate() {
        let value = n + 2;
        match ty {
            "i32" => constants += &format!("  v{value}: i32 = {}\n", 1000 + n),
            "i64" => constants += &format!("  v{value}: i64 = {}\n", 7_000_000_000_000 + 13 * n),
            "f64" => constants += &format!("  v{value}: f64 = {:#018x}\n", (n as f64 * 1.5).to_bits()),
            "f32" => constants += &format!("  v{value}: f32 = {:#010x}\n", (n as f32 * 2.5).to_bits()),
            _ => {
                constants += &format!("  v{}: i32 = {}\n  v{}: v4i32 = undef\n", 200 + n, 50 + n, 300 + n);
                code += &format!("  v{value}: v4i32 = insertelement v{}, v{}, v60\n", 300 + n, 200 + n);
            }
        }
        arguments += &format!(", v{value}");
    }
    let enter = format!(
        "define internal @enter(v0: i32) -> i32 {{\n  v60: i32 = 2\n  v61: i64 = 99\n{constants}block0:\n{code}  \
         v1: i32 = mul v0, v60\n  v62: i32 = call @sum(v1{arguments})\n  v63: i32 = call @jump(v62{arguments})\n  \
         v64: i32 = xor v62, v63\n  v65: i32 = add v64, v1\n  v66: i32 = mul v65, v0\n  ret v66\n}}\n"
    );
    let test = "define internal @test() -> i32 {\n  v0: i32 = 17\nblock0:\n  v1: i32 = call @enter(v0)\n  ret v1\n}\n";
    let signature = format!("sig0 = (i32, {}) -> i32 preserve_none\n", types.join(", "));
    let file =
        scratch.write("many.ice", format!("{signature}{}", with_entry(&(sum + &jump + &enter + test))));
    let file = file.to_str().unwrap();
    let expected = run_ice(["interpret", file]);
    assert!(errors(&expected).is_empty(), "{}", errors(&expected));
    for recipe in ["-Om1", "-O2"] {
        for target in ALL_TARGETS.into_iter().filter(|target| can_run(target)) {
            let output = run_ice(["run", "--target", target, recipe, file]);
            let (code, expected) = (output.status.code(), expected.status.code());
            assert_eq!(code, expected, "{target} {recipe}: {}", errors(&output));
        }
    }
}
