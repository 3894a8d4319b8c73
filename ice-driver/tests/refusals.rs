//! What modules of LLVM may ask for and Ice does not build is refused: by its name, with its place, and without an object.

use crate::common::{self, Scratch, errors, ice};
use std::process::Command;

/// Modules for a triple, each with what its refusal says.
const REFUSED: &[(&str, &str, &str)] = &[
    // Operands of 256 bits are for processors that have such registers, and none are longer.
    (
        "x86_64-linux-gnu",
        "define <8 x i32> @f(<8 x i32> %a) {
           %r = call <8 x i32> asm \"vpaddd $1, $1, $0\", \"=x,x\"(<8 x i32> %a) ret <8 x i32> %r }",
        "inline assembly \"vpaddd $1, $1, $0\"",
    ),
    (
        "x86_64-linux-gnu",
        "define void @f(ptr %p) #0 { %a = load <16 x i32>, ptr %p
           call void asm sideeffect \"vpaddd $0, $0, $0\", \"x\"(<16 x i32> %a) ret void }
         attributes #0 = { \"target-features\"=\"+avx2\" }",
        "inline assembly \"vpaddd $0, $0, $0\"",
    ),
];

#[test]
fn what_is_not_built_is_refused_by_its_name() {
    if !common::has_tool("llvm-as-19") {
        return common::skip("refusals", "no llvm-as-19");
    }
    for &(triple, body, name) in REFUSED {
        let scratch = Scratch::new();
        let text = scratch.write("m.ll", format!("target triple = \"{triple}\"\n{body}\n"));
        let (bitcode, object) = (scratch.path("m.bc"), scratch.path("m.o"));
        let output = Command::new("llvm-as-19").arg(&text).arg("-o").arg(&bitcode).output().expect("it starts");
        assert!(output.status.success(), "{body}: {}", errors(&output));
        for level in ["-O2", "-Om1"] {
            let output = ice().args(["translate", level]).arg(&bitcode).arg("-o").arg(&object).output().unwrap();
            let message = errors(&output);
            assert_eq!(output.status.code(), Some(1), "{body}: {message}");
            assert!(message.contains(name) && message.contains(" at "), "{body}: {message}");
            assert!(!object.exists(), "{body}");
        }
    }
}
