//! What modules of LLVM may ask for and Ice does not build is refused: by its name, with its place, and without an object.

use crate::common::{self, Scratch, errors, ice};
use std::path::PathBuf;
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
    // A tag in the upper bits of an address, as `-fsanitize=hwaddress` has it.
    (
        "x86_64-linux-gnu",
        "@x.hwasan = private global { i32, [12 x i8] } { i32 3, [12 x i8] zeroinitializer }, align 16
         @x = alias i32, inttoptr (i64 add (i64 ptrtoint (ptr @x.hwasan to i64), i64 2305843009213693952) to ptr)",
        "not supported: the alias x of a place 2305843009213693952 bytes behind x.hwasan, outside of it",
    ),
    (
        "x86_64-linux-gnu",
        "@array = global [4 x i8] zeroinitializer
         @before = alias i8, getelementptr (i8, ptr @array, i64 -1)",
        "not supported: the alias before of a place -1 bytes behind array, outside of it",
    ),
    // Sections that `#pragma clang section` chooses by what is in a variable.
    (
        "x86_64-linux-gnu",
        "@x = global i32 0 #0
         attributes #0 = { \"bss-section\"=\"here\" \"data-section\"=\"there\" }",
        "not supported: the attribute bss-section of the variable x",
    ),
    // Callers must not find in registers what was there.
    (
        "x86_64-linux-gnu",
        "declare void @g() #0
         define i32 @f(i32 %a) { call void @g() #0 ret i32 %a }
         attributes #0 = { \"no_callee_saved_registers\" }",
        "not supported: a call with the attribute no_callee_saved_registers",
    ),
    (
        "x86_64-linux-gnu",
        "define i32 @f(i32 %a) #0 { ret i32 %a }
         attributes #0 = { \"no_callee_saved_registers\" }",
        "not supported: the attribute no_callee_saved_registers",
    ),
    // A trap that is a call of a function of the program.
    (
        "x86_64-linux-gnu",
        "declare void @llvm.trap()
         define void @f() { call void @llvm.trap() #0 unreachable }
         attributes #0 = { \"trap-func-name\"=\"mine\" }",
        "not supported: a trap with the attribute trap-func-name",
    ),
    // No vector register is left for the array, so that its members are packed in memory.
    (
        "aarch64-linux-gnu",
        "define half @f([8 x double] %a, [2 x half] %h) { %r = extractvalue [2 x half] %h, 0 ret half %r }",
        "not supported: an array of half or bfloat by value in memory",
    ),
    (
        "aarch64-linux-gnu",
        "declare half @f(double, double, double, double, double, double, double, double, [2 x half], i128)
         define half @g(double %d, [2 x half] %h, i128 %i) {
           %r = call half @f(double %d, double %d, double %d, double %d, double %d, double %d, double %d,
             double %d, [2 x half] %h, i128 %i) ret half %r }",
        "not supported: this function type, or attributes, in a call",
    ),
];

/// Modules near to those that are refused.
const TAKEN: &[(&str, &str)] = &[
    (
        "x86_64-linux-gnu",
        "@array = global [4 x i8] zeroinitializer
         @end = alias i8, getelementptr (i8, ptr @array, i64 4)",
    ),
    // Addresses of blocks to which no branch leads are places behind the start of a function, which may be the last and short.
    (
        "x86_64-linux-gnu",
        "@p = global [3 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b), ptr blockaddress(@f, %c)]
         define void @f() { br label %a a: br label %b b: br label %c c: ret void }",
    ),
    (
        "armv7-linux-gnueabihf",
        "@p = global [3 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b), ptr blockaddress(@f, %c)]
         define void @f() { br label %a a: br label %b b: br label %c c: ret void }",
    ),
    (
        "mipsel-linux-gnu",
        "@p = global [3 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b), ptr blockaddress(@f, %c)]
         define void @f() { br label %a a: br label %b b: br label %c c: ret void }",
    ),
    (
        "aarch64-linux-gnu",
        "@p = global [3 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b), ptr blockaddress(@f, %c)]
         define void @f() { br label %a a: br label %b b: br label %c c: ret void }",
    ),
    // VFP computes, and numbers travel in core registers.
    (
        "armv7-linux-gnueabi",
        "define float @f(float %a) #0 { %b = fadd float %a, 1.0 ret float %b }
         attributes #0 = { \"target-features\"=\"+soft-float,-strict-align\" \"use-soft-float\"=\"true\" }",
    ),
    (
        "i686-linux-gnu",
        "define float @f(float %a) #0 { %b = fadd float %a, 1.0 ret float %b }
         attributes #0 = { \"target-features\"=\"+sse,+sse2,-sse3\" \"use-soft-float\"=\"false\" }",
    ),
];

/// The bitcode of a module for a triple.
fn assembled(scratch: &Scratch, triple: &str, body: &str) -> PathBuf {
    let text = scratch.write("m.ll", format!("target triple = \"{triple}\"\n{body}\n"));
    let bitcode = scratch.path("m.bc");
    let output = Command::new("llvm-as-19").arg(&text).arg("-o").arg(&bitcode).output().expect("it starts");
    assert!(output.status.success(), "{body}: {}", errors(&output));
    bitcode
}

#[test]
fn what_is_not_built_is_refused_by_its_name() {
    if !common::has_tool("llvm-as-19") {
        return common::skip("refusals", "no llvm-as-19");
    }
    for &(triple, body, name) in REFUSED {
        let scratch = Scratch::new();
        let (bitcode, object) = (assembled(&scratch, triple, body), scratch.path("m.o"));
        for level in ["-O2", "-Om1"] {
            let output =
                ice().args(["translate", level]).arg(&bitcode).arg("-o").arg(&object).output().unwrap();
            let message = errors(&output);
            assert_eq!(output.status.code(), Some(1), "{body}: {message}");
            assert!(message.contains(name) && message.contains(" at "), "{body}: {message}");
            assert!(!object.exists(), "{body}");
        }
    }
    for &(triple, body) in TAKEN {
        let scratch = Scratch::new();
        let bitcode = assembled(&scratch, triple, body);
        let output =
            ice().arg("translate").arg(&bitcode).arg("-o").arg(scratch.path("m.o")).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{body}: {}", errors(&output));
    }
}
