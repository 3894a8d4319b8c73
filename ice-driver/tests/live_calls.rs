//! Calls with live values: the results of programs are those without, and every target says where the values are.

use crate::common;

use common::program::check_function;
use common::{Scratch, errors, run_ice};
use ice_codegen::live::{LivePlace, LiveValue};
use ice_driver::{Arch, CodeOptions, Compiler, Recipe};
use ice_ir::Type;

/// Values of all kinds, in the caller's hands and used behind the call, or not.
const PROGRAM: &str = "\
target pointer i32 native
declare external @other(i32) -> i32
define external @f(v0: i32, v1: i64, v2: f64, v3: i8) -> i32 {
  v4: i32 = 16
  v5: i32 = 5
block0:
  v6: i32 = alloca v4, align 8
  v7: i32 = mul v0, v5
  v8: i64 = add v1, v1
  v9: f64 = fadd v2, v2
  v10: i32 = call @other(v7) live(v6, v7, v8, v9, v3, v5)
  v11: i32 = call @other(v10)
  v12: i32 = call @other(v11) live()
  v13: i32 = add v12, v7
  ret v13
}
";

/// Whether a call ends at an offset of the code, with what is in its slot where it has one.
fn is_call(arch: Arch, code: &[u8], end: usize) -> bool {
    let word = |at: usize| u32::from_le_bytes(code[at..at + 4].try_into().unwrap());
    match arch {
        Arch::X86_32 | Arch::X86_64 => code[end - 5] == 0xe8,
        Arch::Arm32 => word(end - 4) >> 24 == 0xeb,
        Arch::Aarch64 => word(end - 4) >> 26 == 0x25,
        _ => word(end - 8) >> 26 == 3 || word(end - 8) & 0xfc00_003f == 9,
    }
}

#[test]
fn every_target_says_where_values_are() {
    for arch in Arch::built_in() {
        let is_wide = matches!(arch, Arch::X86_64 | Arch::Aarch64);
        let wide = PROGRAM.replace("pointer i32", "pointer i64").replace("v6: i32 =", "v6: i64 =");
        let program = ice_ir::parse_program(if is_wide { &wide } else { PROGRAM }).unwrap();
        for recipe in [Recipe::Om1, Recipe::O2] {
            let mut compiler = Compiler::new(&program.module, CodeOptions::new(arch, recipe)).unwrap();
            // What is left of one function does not reach the next.
            for _ in 0..2 {
                let compiled = compiler.compile(&program.module, &program.bodies[0]).unwrap();
                let live = compiled.live_calls().expect("there are some");
                let offsets: Vec<usize> = live.calls.iter().map(|call| call.return_offset as usize).collect();
                assert!(offsets.len() == 2 && offsets[0] < offsets[1], "{arch:?} {recipe:?} {offsets:?}");
                assert!(
                    offsets.iter().all(|&end| is_call(arch, compiled.code(), end)),
                    "{arch:?} {recipe:?}"
                );
                assert_eq!(&live.frame, compiled.frame());
                let [values, none] = [&live.calls[0].values, &live.calls[1].values];
                assert!(none.is_empty());
                let types: Vec<Type> = values.iter().map(|value| value.ty).collect();
                let address = if is_wide { Type::I64 } else { Type::I32 };
                assert_eq!(types, [address, Type::I32, Type::I64, Type::F64, Type::I8, Type::I32]);
                assert!(matches!(values[0].place, LivePlace::Object { .. }), "{values:?}");
                assert_eq!(values[5], LiveValue { ty: Type::I32, place: LivePlace::Constant(5), high: None });
                assert_eq!(values[2].high.is_some(), !is_wide, "{arch:?} {values:?}");
                let in_frame =
                    |place| matches!(place, LivePlace::Memory { base, .. } if base == live.frame.base.0);
                let preserved = |place| match place {
                    LivePlace::Register(number) => {
                        live.frame.saved.iter().any(|saved| saved.register == number)
                    }
                    place => in_frame(place),
                };
                let places = values[1..5].iter().flat_map(|value| [Some(value.place), value.high]).flatten();
                assert!(places.clone().all(preserved), "{arch:?} {recipe:?} {values:?}");
            }
        }
    }
}

#[test]
fn programs_compute_what_they_compute_without() {
    check_function(
        "calls with live values",
        "\
define internal @twice(v0: i32) -> i32 {
block0:
  v1: i32 = add v0, v0
  ret v1
}
define internal @test() -> i32 {
  v0: i32 = 77
  v1: i32 = 1000
block0:
  v2: i32 = call @computed(v0, v1)
  ret v2
}
define internal @computed(v0: i32, v1: i32) -> i32 {
  v2: i32 = 8
  v3: i32 = 3
block0:
  v4: i32 = alloca v2, align 8
  store v1 to v4, align 1
  v5: i32 = mul v0, v3
  v6: i32 = call @twice(v5) live(v4, v5, v0, v3)
  v7: i32 = load v4, align 1
  v8: i32 = add v6, v7
  v9: i32 = xor v8, v5
  ret v9
}
",
    );
}

#[test]
fn freezing_refuses_them() {
    let scratch = Scratch::new();
    let body = "define external @_start(v0: i32) -> void {\nblock0:\n  call @_start(v0) live(v0)\n  ret\n}\n";
    let file = scratch.write("live.ice", format!("target pointer i32 native\n{body}"));
    let frozen = scratch.path("live.pexe");
    let output = run_ice(["freeze", "-o", frozen.to_str().unwrap(), file.to_str().unwrap()]);
    assert!(!output.status.success() && !frozen.exists());
    assert!(errors(&output).contains("a call with live values"), "{}", errors(&output));
}
