//! Function bodies of LLVM bitcode: sources of every kind of instruction are compiled, read and verified; what comes
//! out is compared where it is short, and refused where it is not supported. Damage never makes the reader panic.

use crate::common::{self, X86_64};

use std::path::PathBuf;
use std::process::Command;

use ice_bitcode::llvm::{FunctionReader, LlvmProgram, MachineDescription, QuadPassing, read_module};
use ice_ir::{Function, FunctionBuilder, Program, Rules};

/// Whether `tool` can be run; says so if not.
fn has(tool: &str) -> bool {
    common::tools::has("LLVM bitcode", &[tool])
}

/// What `tool` makes of `text`, called `name`.
fn make(tool: &str, name: &str, text: &str, args: &[&str]) -> Vec<u8> {
    let path =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("bodies-{}-{name}", std::process::id()));
    let output = path.with_extension("bc");
    std::fs::write(&path, text).expect("can be written");
    let run = Command::new(tool).args(args).arg(&path).arg("-o").arg(&output).output().expect("runs");
    assert!(run.status.success(), "{tool} {args:?}: {}", String::from_utf8_lossy(&run.stderr));
    let bytes = std::fs::read(&output).expect("was made");
    for path in [path, output] {
        std::fs::remove_file(path).expect("was there");
    }
    bytes
}

fn read(bytes: &[u8]) -> ice_bitcode::Result<Program> {
    read_for(bytes, &X86_64)
}

fn read_for(bytes: &[u8], machine: &MachineDescription) -> ice_bitcode::Result<Program> {
    let program = LlvmProgram::new(read_module(bytes, machine)?);
    let mut reader = FunctionReader::new();
    let mut bodies = Vec::new();
    for body in program.bodies() {
        let mut func = Function::new();
        reader.read(&program, bytes, body, &mut FunctionBuilder::new(&mut func))?;
        bodies.push(func);
    }
    Ok(Program { module: program.module().clone(), bodies })
}

/// The program in `bytes`, which obeys the rules.
fn verified(bytes: &[u8]) -> Program {
    let program = read(bytes).unwrap_or_else(|error| panic!("{error}"));
    if let Err(errors) = ice_ir::verify_program(&program, Rules::Ice) {
        let mut text = String::new();
        let _ = ice_ir::write_program(&program, &mut text);
        panic!("{}\n{text}", errors[0]);
    }
    program
}

/// Assembles `text` and gives the program as text, from the first definition on.
fn assembled(name: &str, text: &str) -> String {
    let program = verified(&make("llvm-as-19", name, text, &[]));
    let mut out = String::new();
    ice_ir::write_program(&program, &mut out).expect("writes");
    out.split_off(out.find("define").expect("has a body"))
}

const C: &str = r#"
#include <stdarg.h>
typedef unsigned __int128 u128;
typedef int v4 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
typedef double d2 __attribute__((vector_size(16)));
typedef unsigned char b8 __attribute__((vector_size(8)));
struct P16 { long a, b; };
struct Big { long x[5]; };
struct F2 { float x, y; };
struct Bits { int a : 3; int b : 17; unsigned c : 12; };
int sum(int n, int *p) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
struct P16 swap(struct P16 p) { struct P16 q = { p.b, p.a }; return q; }
struct Big big(struct Big b) { b.x[1]++; return b; }
struct F2 f2(struct F2 a) { a.x += a.y; return a; }
int va(int n, ...) {
    va_list l, m; va_start(l, n); va_copy(m, l);
    int s = va_arg(m, int); while (n--) s += va_arg(l, int); va_end(l); va_end(m); return s;
}
int caller(void) { struct Big b = { { 1 } }; return va(2, 1, 2.0) + big(b).x[1] + f2((struct F2){ 1, 2 }).x; }
u128 mul(u128 a, u128 b) { return a * b - (a >> 7) + (a < b); }
u128 divide(u128 a, u128 b) { return a / b + a % b; }
double wide(u128 a) { return (double)a + (float)(__int128)a; }
int sw(int x) { switch (x) { case 1: return 5; case 7: return 9; case 100: return 2; default: return x; } }
static __thread int tls; int *tl(void) { return &tls; }
int atomics(int *p, _Atomic double *d) { *d += 1; return __atomic_fetch_add(p, 3, 5) + __atomic_fetch_nand(p, 3, 5); }
_Bool cas(long *p, long *e, long d) { return __atomic_compare_exchange_n(p, e, d, 0, 5, 2); }
void *labels(int x) { static void *t[] = { &&a, &&b }; goto *t[x]; a: return "a"; b: return "b"; }
unsigned char c8(signed char a, unsigned char b) { return a / (b + 1); }
int indirect(int (*f)(char, short, struct Big), int x) { struct Big b = {}; return f(x, x, b); }
double maths(double x, float y) { return __builtin_floor(x) + __builtin_fabs(x) + __builtin_copysign(x, -y); }
int bits(struct Bits *p) { p->b++; return p->a + p->c; }
v4 vectors(v4 a, v4 b) { v4 c = a > b; return ((c & (a * b)) | (~c & (a - b))) << 2; }
f4 floats(f4 a, f4 b) { return -a / b + __builtin_shufflevector(a, b, 3, 6, 0, 1); }
d2 doubles(d2 a, int i) { a[i] += a[0]; return a; }
b8 bytes(b8 a, b8 b) { return a + b; }
int overflow(int a, long b) { int x; long y; return __builtin_mul_overflow(a, 3, &x) + __builtin_mul_overflow(b, 3, &y) + x + y; }
int alloc(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = i; return sum(n, a); }
_Float16 half(_Float16 a, _Float16 b) { return a * b + 1; }
int counts(unsigned long x) { return __builtin_clzl(x) + __builtin_ctz(x) + __builtin_popcountl(x) + __builtin_bswap16(x); }
"#;

#[test]
fn what_clang_writes_is_read_and_verified() {
    if !has("clang-19") {
        return;
    }
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        for target in ["--target=x86_64-linux-gnu", "--target=i686-linux-gnu"] {
            let text = match target.contains("i686") {
                true => C.lines().filter(|line| !line.contains("u128")).collect::<Vec<_>>().join("\n"),
                false => C.to_owned(),
            };
            let args = ["-msse2", level, target, "-ffreestanding", "-w", "-g", "-c", "-emit-llvm"];
            let program = verified(&make("clang-19", "a.c", &text, &args));
            assert!(program.bodies.len() >= 20);
        }
    }
}

#[test]
fn every_prefix_and_many_mutations_are_refused_or_read() {
    if !has("clang-19") {
        return;
    }
    let args = ["--target=x86_64-linux-gnu", "-O1", "-ffreestanding", "-w", "-c", "-emit-llvm"];
    let bytes = make("clang-19", "damage.c", C, &args);
    // A generator of the kind of Marsaglia's xorshift.
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut outcomes = [0; 2];
    for round in 0..3000 {
        let mut copy = bytes.clone();
        for _ in 0..=round % 4 {
            let at = random(copy.len());
            copy[at] ^= 1 << random(8);
        }
        let result = read(&copy);
        outcomes[usize::from(result.is_ok())] += 1;
        if let Ok(program) = result {
            let errors = ice_ir::verify_program(&program, Rules::Ice).err();
            assert!(errors.is_none(), "round {round}: {}", errors.unwrap_or_default()[0]);
        }
    }
    assert!(outcomes.iter().all(|&n| n > 50), "{outcomes:?}");
    for end in (0..bytes.len()).step_by(16) {
        assert!(read(&bytes[..end]).is_err());
    }
}

#[test]
fn a_loop_becomes_phis_and_address_sums() {
    if !has("llvm-as-19") {
        return;
    }
    let text = assembled(
        "loop.ll",
        r#"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
define i32 @sum(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %t, %loop ]
  %a = getelementptr {i32, i32}, ptr %p, i64 %i, i32 1
  %v = load i32, ptr %a, align 4
  %t = add i32 %s, %v
  %next = add i64 %i, 1
  %c = icmp ult i64 %next, %n
  br i1 %c, label %loop, label %done
done:
  ret i32 %t
}
"#,
    );
    for line in ["phi [", "shl ", "load "] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert_eq!(text.matches("= add ").count(), 4, "{text}");
}

#[test]
fn an_object_by_value_among_variable_arguments_is_marked() {
    if !has("llvm-as-19") {
        return;
    }
    let text = r#"target datalayout = "e-m:e-p:32:32-i64:64-f64:32:64-n8:16:32-S128"
%S = type { i32, i32, i32 }
declare i32 @f(i64, ...)
define i32 @g(ptr %p, i64 %x) {
  %r = call i32 (i64, ...) @f(i64 1, i128 3, ptr byval(%S) align 8 %p, i8 zeroext 7, ptr byval(%S) %p)
  ret i32 %r
}"#;
    let bytes = make("llvm-as-19", "variable.ll", text, &[]);
    let mut program = String::new();
    ice_ir::write_program(&verified(&bytes), &mut program).expect("is written");
    let operands = |line: &str| -> Option<Vec<String>> {
        let (_, operands) = line.split_once(": i32 = call @llvm.ice.by.value(")?;
        let number = |operand: &str| {
            let constant = format!("  {operand}: i32 = ");
            program.lines().find_map(|line| line.strip_prefix(&constant)).unwrap_or(operand).to_string()
        };
        Some(operands.trim_end_matches(')').split(", ").map(number).collect())
    };
    let objects: Vec<_> = program.lines().filter_map(operands).collect();
    assert_eq!(objects, [["v0", "12", "3"], ["v0", "12", "2"]], "{program}");
}

#[test]
fn a_function_of_an_unsupported_type_is_refused_by_itself() {
    if !has("llvm-as-19") {
        return;
    }
    let text = r#"target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
@zero = global fp128 zeroinitializer
@table = global [2 x ptr] [ptr @far, ptr @own]
declare fp128 @far(fp128, ...)
define i32 @good(i32 %x) { ret i32 %x }
define fp128 @own(i32 %x, fp128 %y) { ret fp128 %y }
define void @calls() { %r = call fp128 (fp128, ...) @far(fp128 0xL00000000000000003FFF000000000000)
  ret void }
"#;
    let bytes = make("llvm-as-19", "quad.ll", text, &[]);
    let program = LlvmProgram::new(read_module(&bytes, &X86_64).unwrap_or_else(|error| panic!("{error}")));
    let mut reader = FunctionReader::new();
    let results: Vec<_> = program
        .bodies()
        .iter()
        .map(|body| {
            let mut func = Function::new();
            let mut builder = FunctionBuilder::new(&mut func);
            reader.read(&program, &bytes, body, &mut builder).map_err(|error| error.to_string())
        })
        .collect();
    let [Ok(()), Err(own), Err(calls)] = &results[..] else { panic!("{results:?}") };
    for error in [own, calls] {
        assert!(error.contains("fp128") && error.contains(", function "), "{error}");
    }
}

/// `X86_64`, with numbers of binary128 that are passed so.
fn with_quads(quad: QuadPassing) -> MachineDescription {
    MachineDescription { quad, ..X86_64 }
}

#[test]
fn reductions_join_whole_vectors_before_lanes() {
    if !has("llvm-as-19") {
        return;
    }
    let text = "declare i32 @llvm.vector.reduce.add.v8i32(<8 x i32>)
declare i64 @llvm.vector.reduce.add.v2i64(<2 x i64>)
define i32 @f(<8 x i32> %x) { %r = call i32 @llvm.vector.reduce.add.v8i32(<8 x i32> %x)\n ret i32 %r }
define i64 @g(<2 x i64> %x) { %r = call i64 @llvm.vector.reduce.add.v2i64(<2 x i64> %x)\n ret i64 %r }";
    let bytes = make("llvm-as-19", "reductions.ll", text, &[]);
    // Two vectors, the halves of their sum, and the halves of that; or eight lanes. Quadwords are lanes everywhere.
    for (shuffles_lanes, vectors, lanes) in [(true, 3, 0), (false, 0, 7)] {
        let program = read_for(&bytes, &MachineDescription { shuffles_lanes, ..X86_64 }).expect("is read");
        ice_ir::verify_program(&program, Rules::Ice).expect("obeys the rules");
        let mut text = String::new();
        ice_ir::write_program(&program, &mut text).expect("writes");
        assert_eq!(text.matches(": v4i32 = add").count(), vectors, "{text}");
        assert_eq!(text.matches(": i32 = add").count(), lanes, "{text}");
        assert_eq!(text.matches(": i64 = add").count(), 1, "{text}");
    }
}

#[test]
fn any_table_of_methods_may_be_of_a_class_that_is_public() {
    if !has("llvm-as-19") {
        return;
    }
    let text = "declare i1 @llvm.public.type.test(ptr, metadata)
define i1 @f(ptr %t) { %r = call i1 @llvm.public.type.test(ptr %t, metadata !\"class\")\n ret i1 %r }";
    let bytes = make("llvm-as-19", "classes.ll", text, &[]);
    let program = read_for(&bytes, &X86_64).expect("is read");
    let mut text = String::new();
    ice_ir::write_program(&program, &mut text).expect("writes");
    assert!(text.contains("v1: i1 = true\nblock0:\n  ret v1"), "{text}");
}

#[test]
fn lanes_of_zeros_are_what_the_others_are_put_into() {
    if !has("llvm-as-19") {
        return;
    }
    let text = "define <8 x i16> @f(<8 x i16> %x) \"target-features\"=\"+ssse3\" {
  %r = shufflevector <8 x i16> <i16 0, i16 poison, i16 poison, i16 poison, i16 poison, i16 poison, i16 poison, i16 poison>,
    <8 x i16> %x, <8 x i32> <i32 0, i32 9, i32 0, i32 8, i32 0, i32 0, i32 0, i32 0>
  ret <8 x i16> %r
}";
    let bytes = make("llvm-as-19", "zeros.ll", text, &[]);
    let program = read_for(&bytes, &MachineDescription { shuffles_lanes: true, ..X86_64 }).expect("is read");
    let mut text = String::new();
    ice_ir::write_program(&program, &mut text).expect("writes");
    assert!(text.contains("permutes_bytes @f") && text.contains(": v8i16 = zero"), "{text}");
    assert_eq!(text.matches("= insertelement").count(), 2, "{text}");
}

#[test]
fn short_vectors_are_done_at_once_where_lanes_are_shuffled() {
    if !has("llvm-as-19") {
        return;
    }
    let text = "declare <2 x float> @llvm.experimental.constrained.fdiv.v2f32(<2 x float>, <2 x float>, metadata, metadata)
define <2 x float> @ordinary(<2 x float> %a, <2 x float> %b) { %r = fdiv <2 x float> %a, %b\n ret <2 x float> %r }
define <2 x float> @strict(<2 x float> %a, <2 x float> %b) strictfp {
  %r = call <2 x float> @llvm.experimental.constrained.fdiv.v2f32(<2 x float> %a, <2 x float> %b,
    metadata !\"round.tonearest\", metadata !\"fpexcept.strict\") strictfp
  ret <2 x float> %r
}
define void @bytes(ptr %p, ptr %q) {
  %a = load <4 x i8>, ptr %p, align 1
  %w = zext <4 x i8> %a to <4 x i32>
  %c = icmp ugt <4 x i8> %a, splat (i8 7)
  %r = select <4 x i1> %c, <4 x i32> %w, <4 x i32> zeroinitializer
  store <4 x i32> %r, ptr %q, align 1
  ret void
}";
    let bytes = make("llvm-as-19", "short.ll", text, &[]);
    for (shuffles_lanes, expected) in [(true, [1, 2, 1, 1, 1]), (false, [0, 4, 0, 0, 1])] {
        let program = read_for(&bytes, &MachineDescription { shuffles_lanes, ..X86_64 }).expect("is read");
        ice_ir::verify_program(&program, Rules::Ice).expect("obeys the rules");
        let mut text = String::new();
        ice_ir::write_program(&program, &mut text).expect("writes");
        let count = |what: &str| text.matches(what).count();
        // The lanes to spare of a strict operation could raise exceptions.
        let found = [": v4f32 = fdiv", ": f32 = fdiv", ": f32 = load", ": v16i1 = icmp", ": v4i32 = select"];
        assert_eq!(found.map(count), expected, "{text}");
    }
}

#[test]
fn single_lanes_travel_in_registers_of_vectors_where_they_have_them() {
    if !has("llvm-as-19") {
        return;
    }
    let text = ["i8", "i16", "i32"].map(|lane| {
        format!(
            "declare <1 x {lane}> @far.{lane}(<1 x {lane}>, {lane})
define <1 x {lane}> @f.{lane}({lane} %a, <1 x {lane}> %b) {{
  %r = call <1 x {lane}> @far.{lane}(<1 x {lane}> %b, {lane} %a)
  %s = add <1 x {lane}> %r, %b\n ret <1 x {lane}> %s }}\n"
        )
    });
    let bytes = make("llvm-as-19", "single.ll", &text.concat(), &[]);
    let doublewords = MachineDescription { has_doubleword_vectors: true, ..X86_64 };
    let single = MachineDescription { has_single_lanes: true, ..doublewords };
    for (machine, doubles) in [(&doublewords, 0), (&single, 3)] {
        let program = read_for(&bytes, machine).expect("is read");
        ice_ir::verify_program(&program, Rules::Ice).expect("obeys the rules");
        let mut text = String::new();
        ice_ir::write_program(&program, &mut text).expect("writes");
        // The result of the call, and that of the function.
        assert_eq!(text.matches(": f64 = call").count(), doubles, "{text}");
        assert_eq!(text.matches(": f64 = bitcast").count(), 2 * doubles, "{text}");
    }
}

#[test]
fn operations_that_a_machine_has_are_its_instructions() {
    if !has("llvm-as-19") {
        return;
    }
    let text = "declare <16 x i8> @llvm.uadd.sat.v16i8(<16 x i8>, <16 x i8>)
declare <4 x i32> @llvm.uadd.sat.v4i32(<4 x i32>, <4 x i32>)
define <16 x i8> @f(<16 x i8> %a, <16 x i8> %b) {
  %r = call <16 x i8> @llvm.uadd.sat.v16i8(<16 x i8> %a, <16 x i8> %b)
  ret <16 x i8> %r
}
define <4 x i32> @g(<4 x i32> %a, <4 x i32> %b) {
  %r = call <4 x i32> @llvm.uadd.sat.v4i32(<4 x i32> %a, <4 x i32> %b)
  ret <4 x i32> %r
}";
    let bytes = make("llvm-as-19", "saturated.ll", text, &[]);
    let vector_instructions = &[("uadd.sat", ice_ir::Type::V16I8, ["sums $2, $0", "=x,0,x"])];
    for (has_assembler, instructions, sums) in [(true, 1, 0), (false, 0, 16)] {
        let machine = MachineDescription { has_assembler, vector_instructions, ..X86_64 };
        let program = read_for(&bytes, &machine).expect("is read");
        let mut text = String::new();
        ice_ir::write_program(&program, &mut text).expect("writes");
        assert_eq!(text.matches("sums").count(), instructions, "{text}");
        assert_eq!(text.matches(": i8 = add").count(), sums, "{text}");
        assert_eq!(text.matches(": i32 = add").count(), 4, "{text}");
    }
}

#[test]
fn numbers_of_binary128_are_passed_as_the_machine_says() {
    if !has("llvm-as-19") {
        return;
    }
    let text = "define fp128 @f(fp128 %a, i32 %b, fp128 %c) { %r = fadd fp128 %a, %c\n ret fp128 %r }";
    let bytes = make("llvm-as-19", "quads.ll", text, &[]);
    let vector = ["(v2i64, i32, v2i64) -> v2i64", "v3: v2i64 = call @__addtf3(v0, v2)", "ret v3"];
    let memory = [
        "(i64 sret, i64 byval 16 align 16, i32, i64 byval 16 align 16) -> void",
        "v4: v2i64 = load v1, align 16",
        "call @__addtf3(v7, v8, v9)",
        "store v10 to v0, align 16",
    ];
    for (quad, expected) in [(QuadPassing::Vector, &vector[..]), (QuadPassing::Memory, &memory)] {
        let program = read_for(&bytes, &with_quads(quad)).unwrap_or_else(|error| panic!("{error}"));
        ice_ir::verify_program(&program, Rules::Ice).expect("obeys the rules");
        let mut text = String::new();
        ice_ir::write_program(&program, &mut text).expect("writes");
        for expected in expected {
            assert!(text.contains(expected), "{quad:?}: {expected}\n{text}");
        }
    }
    assert!(read(&bytes).expect_err("there are none").to_string().contains("fp128"));
}

#[test]
fn what_is_not_supported_of_numbers_of_binary128_is_refused_with_its_name() {
    if !has("llvm-as-19") {
        return;
    }
    for (text, expected) in [
        (
            "define void @f(ptr %p) { %x = load atomic fp128, ptr %p seq_cst, align 16\n ret void }",
            "an atomic access of fp128",
        ),
        (
            "define void @f(ptr %p) { %x = atomicrmw fadd ptr %p, fp128 0xL0 seq_cst\n ret void }",
            "an atomic access of fp128",
        ),
        (
            "declare fp128 @llvm.vector.reduce.fmax.v2f128(<2 x fp128>)\ndefine fp128 @f(<2 x fp128> %x) {\n %r = call fp128 @llvm.vector.reduce.fmax.v2f128(<2 x fp128> %x)\n ret fp128 %r }",
            "this intrinsic on fp128",
        ),
        ("define [3 x fp128] @f([3 x fp128] %x) { ret [3 x fp128] %x }", "three or more registers"),
        ("define ppc_fp128 @f(ppc_fp128 %x) { ret ppc_fp128 %x }", "ppc_fp128"),
    ] {
        let bytes = make("llvm-as-19", "refused-quads.ll", text, &[]);
        let error = read_for(&bytes, &with_quads(QuadPassing::Vector)).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn what_is_not_supported_is_refused_with_its_name() {
    if !has("llvm-as-19") {
        return;
    }
    let layout = r#"target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
"#;
    for (text, expected) in [
        ("define void @f() { call void asm sideeffect \"cpuid\", \"\"()\n ret void }", "cpuid"),
        (
            "declare i32 @g()\ndefine void @f() personality ptr @g { invoke i32 @g() to label %a unwind label %b\na: ret void\nb: %l = landingpad {ptr, i32} cleanup\n resume {ptr, i32} %l }",
            "",
        ),
        (
            "declare void @llvm.donothing()\ndeclare i32 @g()\ndefine void @f() personality ptr @g { invoke void @llvm.donothing() to label %a unwind label %b\na: ret void\nb: %l = landingpad {ptr, i32} cleanup\n resume {ptr, i32} %l }",
            "an invoke of an intrinsic",
        ),
        (
            "declare i32 @g()\ndefine void @f() personality ptr @g { invoke void asm \"\", \"\"() to label %a unwind label %b\na: ret void\nb: %l = landingpad {ptr, i32} cleanup\n resume {ptr, i32} %l }",
            "an invoke of inline assembly",
        ),
        (
            "declare i32 @__gxx_personality_sj0()\ndefine void @f() personality ptr @__gxx_personality_sj0 { invoke i32 @__gxx_personality_sj0() to label %a unwind label %b\na: ret void\nb: %l = landingpad {ptr, i32} cleanup\n resume {ptr, i32} %l }",
            "__gxx_personality_sj0",
        ),
        (
            "declare i32 @__CxxFrameHandler3(...)\ndefine void @f() personality ptr @__CxxFrameHandler3 { invoke void @f() to label %a unwind label %b\na: ret void\nb: %l = cleanuppad within none []\n cleanupret from %l unwind to caller }",
            "__CxxFrameHandler3",
        ),
        ("define fp128 @f(ptr %p) { %x = load fp128, ptr %p\n ret fp128 %x }", "fp128"),
        ("define void @f({ x86_fp80, i32 } %x) { ret void }", "x86_fp80 beside others"),
        (
            "declare void @g(...)\ndefine void @f(ptr %p) { call void (...) @g(ptr byval([4 x double]) align 32 %p)\n ret void }",
            "an object aligned to more than 16 bytes",
        ),
        ("declare i8 @llvm.coro.save(i8)\ndefine i8 @f(i8 %x) { ret i8 %x }", ""),
        ("define i8 @f(i8 %x, ptr %l) { %v = va_arg ptr %l, i8\n ret i8 %v }", "va_arg"),
        (
            "declare i32 @llvm.get.fpmode.i32()\ndefine i32 @f() { %v = call i32 @llvm.get.fpmode.i32()\n ret i32 %v }",
            "llvm.get.fpmode",
        ),
        ("declare void @g()\ndefine void @f() { musttail call void @g()\n ret void }", ""),
        (
            "declare void @g(ptr, ...)\ndefine void @f(ptr %p, ...) { musttail call void (ptr, ...) @g(ptr %p, ...)\n ret void }",
            "",
        ),
        (
            "declare tailcc void @g(ptr)\ndefine tailcc void @f(ptr %p, ...) { tail call tailcc void @g(ptr %p)\n ret void }",
            "in a variadic function with other parameters",
        ),
        (
            "declare tailcc void @g(ptr, ...)\ndefine tailcc void @f(ptr %p, ...) { tail call tailcc void (ptr, ...) @g(ptr %p, i32 1)\n ret void }",
            "in a variadic function with other parameters or arguments",
        ),
        (
            "declare void @g(ptr sret(i64), ptr)\ndefine void @f(ptr sret(i64) %p, ptr %q) { musttail call void @g(ptr sret(i64) %q, ptr %p)\n ret void }",
            "a tail call with other memory for the result",
        ),
        ("declare void @g()\ndefine void @f() { tail call void @g()\n notail call void @g()\n ret void }", ""),
        (
            "define { i64, i64, i64 } @f() { ret { i64, i64, i64 } zeroinitializer }",
            "a result in three or more registers",
        ),
        ("define [4 x double] @f([4 x double] %x) { ret [4 x double] %x }", "three or more registers"),
        ("define <3 x double> @f(<3 x double> %x) { ret <3 x double> %x }", "three or more registers"),
        (
            "declare i129 @g()\ndefine i8 @f() { %x = call i129 @g()\n %y = trunc i129 %x to i8\n ret i8 %y }",
            "three or more registers",
        ),
        (
            "define void @f(ptr %p) { %x = call { i32, i32, i32 } %p()\n ret void }",
            "three or more registers",
        ),
        // Both return it in memory.
        ("define [4 x i64] @f([4 x i64] %x) { ret [4 x i64] %x }", ""),
        (
            "define internal [3 x i64] @g([3 x i64] %x) { ret [3 x i64] %x }\n
             define i64 @f([3 x i64] %x) { %y = call [3 x i64] @g([3 x i64] %x)\n %z = extractvalue [3 x i64] %y, 1\n ret i64 %z }",
            "",
        ),
    ] {
        let bytes = make("llvm-as-19", "refused.ll", &format!("{layout}{text}"), &[]);
        match read(&bytes) {
            Ok(_) => assert_eq!(expected, "", "{text}"),
            Err(error) => {
                assert!(!expected.is_empty() && error.to_string().contains(expected), "{error}");
            }
        }
    }
}

/// Each invoke has a pad of its own, and what its callee gives is on the way to its normal block only; phis of a shared handler name
/// the pads.
#[test]
fn invokes_have_blocks_for_both_ways() {
    if !has("llvm-as-19") {
        return;
    }
    let text = assembled(
        "invokes.ll",
        r#"
target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
@type = external constant ptr
declare i32 @routine(...)
declare i32 @llvm.eh.typeid.for(ptr)
declare { i64, i64 } @pair(i64)
declare i64 @one(i64)
define i64 @f(i64 %x, ptr %p) personality ptr @routine {
  %a = invoke { i64, i64 } @pair(i64 %x) to label %first unwind label %pad
first:
  %hi = extractvalue { i64, i64 } %a, 1
  %b = invoke i64 %p(i64 %hi) to label %second unwind label %pad
second:
  %r = phi i64 [ %b, %first ], [ %x, %caught ]
  ret i64 %r
pad:
  %n = phi i64 [ ptrtoint (ptr getelementptr (i8, ptr @type, i64 8) to i64), %0 ], [ %hi, %first ]
  %l = landingpad { ptr, i32 } cleanup catch ptr @type catch ptr null filter [1 x ptr] [ptr @type]
  %s = extractvalue { ptr, i32 } %l, 1
  %id = call i32 @llvm.eh.typeid.for(ptr @type)
  %is = icmp eq i32 %s, %id
  br i1 %is, label %caught, label %on
caught:
  br label %second
on:
  %k = call i64 @one(i64 %n)
  resume { ptr, i32 } %l
}
"#,
    );
    let body = &text[text.find("@f(").expect("the function")..];
    assert!(body.contains("personality @routine (@type, any)"), "{body}");
    assert_eq!(body.matches("landing_pad cleanup catch 1 catch 2 filter (1)").count(), 2, "{body}");
    assert_eq!(body.matches("= invoke_result").count(), 2, "{body}");
    assert!(body.contains("call @_Unwind_Resume("), "{body}");
    // Three phis of the pad, one of the block behind the second invoke.
    assert_eq!(body.matches(" = phi ").count(), 4, "{body}");
}

/// Landing pads and unwind edges belong together, and a result is not there where its call has failed.
#[test]
fn wrong_pads_are_refused() {
    if !has("llvm-as-19") {
        return;
    }
    let text = |pad: &str| {
        format!(
            "target datalayout = \"e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128\"
declare i32 @g()
define i32 @f(i1 %c) personality ptr @g {{
  %r = invoke i32 @g() to label %a unwind label %b
a: ret i32 %r
b: {pad} }}"
        )
    };
    for (pad, expected) in [
        ("%l = landingpad {ptr, i32} cleanup\n br label %d\nd: ret i32 1", None),
        ("ret i32 0", Some("a landing pad must be")),
        ("%l = landingpad {ptr, i32} cleanup\n ret i32 %r", Some("not dominated")),
        ("%v = phi i32 [ %r, %0 ]\n %l = landingpad {ptr, i32} cleanup\n ret i32 %v", Some("not dominated")),
        (
            "%l = landingpad {ptr, i32} cleanup\n br i1 %c, label %b, label %d\nd: ret i32 1",
            Some("a landing pad must be"),
        ),
        ("%x = add i32 1, 1\n %l = landingpad {ptr, i32} cleanup\n ret i32 1", Some("a landing pad must be")),
        ("%l = landingpad {float, i32} cleanup\n ret i32 1", Some("a landing pad of another type")),
        ("%l = landingpad {ptr, i32} catch ptr inttoptr (i64 5 to ptr)\n ret i32 1", Some("no symbol")),
    ] {
        // The assembler is not to look.
        let bytes = make("llvm-as-19", "pads.ll", &text(pad), &["-disable-verify"]);
        match (read(&bytes), expected) {
            (Ok(_), None) => {}
            (Err(error), Some(expected)) => assert!(error.to_string().contains(expected), "{error}"),
            (result, _) => panic!("{pad}: {:?}", result.err()),
        }
    }
}

/// Names of LLVM with operands of other types than they have: LLVM's readers refuse such modules.
#[test]
fn intrinsics_have_the_types_of_their_names() {
    if !has("llvm-as-19") {
        return;
    }
    for (ret, name, types) in [
        ("i32", "fptosi.sat.i32.f64", &["i64"][..]),
        ("<4 x i16>", "umax.v4i16", &["<4 x i16>", "double"]),
        ("i8", "scmp.i8.i32", &["i32", "double"]),
        ("i64", "usub.sat.i64", &["i64", "i32"]),
        ("i128", "ushl.sat.i128", &["i128", "fp128"]),
        ("double", "fmuladd.f64", &["double", "double", "float"]),
        ("float", "minimumnum.f32", &["float", "i32"]),
        ("<8 x i16>", "x86.sse2.pslli.w", &["<8 x i16>", "[2 x i64]"]),
        ("<4 x i32>", "aarch64.neon.umin.v4i32", &["<4 x i32>", "<4 x float>"]),
    ] {
        let params = types.join(", ");
        let named: Vec<String> = types.iter().enumerate().map(|(n, ty)| format!("{ty} %a{n}")).collect();
        let named = named.join(", ");
        let text = format!(
            "declare {ret} @llvm.{name}({params})
define void @f({named}) {{
  %r = call {ret} @llvm.{name}({named})
  ret void
}}"
        );
        let bytes = make("llvm-as-19", "types.ll", &text, &["-disable-verify"]);
        assert!(read(&bytes).is_err(), "{text}");
    }
}

/// What must be a jump is one, whatever the form of its result; what need not be stays a call.
#[test]
fn calls_that_must_be_jumps_are() {
    if !has("llvm-as-19") {
        return;
    }
    let text = assembled(
        "jumps.ll",
        r#"
target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare zeroext i8 @byte(ptr, i8 zeroext)
declare { i64, i64 } @pair(i64)
declare [4 x i64] @four(i64)
declare tailcc i32 @tail(i32)
define zeroext i8 @jumps_to_byte(ptr %p, i8 zeroext %x) {
  %y = add i8 %x, 1
  %r = musttail call zeroext i8 @byte(ptr %p, i8 zeroext %y)
  ret i8 %r
}
define { i64, i64 } @jumps_to_pair(i64 %x) {
  %r = musttail call { i64, i64 } @pair(i64 %x)
  ret { i64, i64 } %r
}
define [4 x i64] @jumps_to_four(i64 %x) {
  %r = musttail call [4 x i64] @four(i64 %x)
  ret [4 x i64] %r
}
define void @jumps_through(ptr %p, i32 %x) {
  musttail call void %p(ptr %p, i32 %x)
  ret void
}
define tailcc i32 @jumps_by_convention(i32 %x) {
  %r = tail call tailcc i32 @tail(i32 %x)
  ret i32 %r
}
define tailcc i32 @calls(i32 %x) {
  %r = tail call tailcc i32 @tail(i32 %x)
  %s = add i32 %r, 1
  ret i32 %s
}
"#,
    );
    for line in [
        "return_call @byte(v0, ",
        "return_call @pair(v0)",
        "return_call @four(v0, v1)",
        "return_call_indirect v0(v0, v1)",
        "return_call @tail(v0)",
    ] {
        assert_eq!(text.matches(line).count(), 1, "{line}\n{text}");
    }
    assert_eq!(text.matches("return_call").count(), 5, "{text}");
    assert_eq!(text.matches("tail call @tail").count(), 1, "{text}");
}

#[test]
fn a_phi_that_is_used_before_it_in_the_file_defines_what_was_announced() {
    if !has("llvm-as-19") {
        return;
    }
    let text = assembled(
        "early.ll",
        r#"
target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
define i128 @f(i1 %c, i128 %x, <4 x i32> %y) {
entry:
  br label %head
use:
  %u = add i128 %late, 1
  %v = add <4 x i32> %vector, %y
  %e = extractelement <4 x i32> %v, i32 0
  %w = zext i32 %e to i128
  %r = add i128 %u, %w
  ret i128 %r
head:
  %late = phi i128 [ %x, %entry ], [ %next, %head ]
  %vector = phi <4 x i32> [ <i32 1, i32 2, i32 3, i32 4>, %entry ], [ %vector, %head ]
  %next = add i128 %late, %late
  br i1 %c, label %use, label %head
}
"#,
    );
    assert!(!text.contains("bitcast"), "{text}");
}

#[test]
fn wide_and_odd_integers_have_the_least_operations_that_are_right() {
    if !has("llvm-as-19") {
        return;
    }
    let text = assembled(
        "odd.ll",
        r#"
target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
define i24 @f(i24 %a, i24 %b, ptr %p) {
  %s = add i24 %a, %b
  %d = lshr i24 %s, 3
  store i24 %d, ptr %p
  ret i24 %d
}
"#,
    );
    // One sum, one mask before the shift, one store of two bytes and one of the third.
    assert_eq!(text.matches("= and ").count(), 1, "{text}");
    assert_eq!(text.matches("store ").count(), 2, "{text}");
    assert!(text.contains("store v") && text.contains("trunc"), "{text}");
}

#[test]
fn what_is_volatile_is_read_each_time_and_once() {
    if !has("llvm-as-19") {
        return;
    }
    let layout = "target datalayout = \"e-m:e-p:32:32-i64:64\"\ntarget triple = \"i686-linux-gnu\"\n";
    // What is aligned to less than its size is read in parts: atomic accesses are at multiples of theirs.
    for (ty, align, loads) in [
        ("i32", 4, 1),
        ("i32", 2, 2),
        ("i16", 1, 2),
        ("i64", 8, 2),
        ("i64", 1, 8),
        ("double", 8, 2),
        ("float", 4, 1),
        ("i128", 16, 4),
        ("i24", 4, 2),
        ("<4 x float>", 16, 4),
    ] {
        let load = format!("load volatile {ty}, ptr %p, align {align}");
        let text =
            format!("{layout}define void @f(ptr %p) {{\n  %a = {load}\n  %b = {load}\n  ret void\n}}\n");
        let ir = assembled("volatile", &text);
        let calls = ir.lines().filter(|line| line.contains("= call") && line.contains("atomic.load"));
        assert_eq!(calls.count(), 2 * loads, "{ty}: {ir}");
        assert!(!ir.contains(" = load "), "{ty}: {ir}");
    }
}

#[test]
fn every_width_has_its_bit_operations() {
    if !has("llvm-as-19") {
        return;
    }
    let mut text = String::from("target datalayout = \"e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n");
    for bits in [1, 7, 8, 24, 33, 64, 65, 96, 127, 128, 160] {
        let t = format!("i{bits}");
        for name in ["ctpop", "bitreverse"] {
            text += &format!(
                "declare {t} @llvm.{name}.{t}({t})\ndefine internal {t} @{name}{bits}({t} %a) {{ %r = call {t} @llvm.{name}.{t}({t} %a)\n ret {t} %r }}\n"
            );
        }
        for name in ["ctlz", "cttz", "abs"] {
            text += &format!(
                "declare {t} @llvm.{name}.{t}({t}, i1)\ndefine internal {t} @{name}{bits}({t} %a) {{ %r = call {t} @llvm.{name}.{t}({t} %a, i1 false)\n ret {t} %r }}\n"
            );
        }
        for name in ["smax", "umin", "uadd.sat", "ssub.sat", "sshl.sat"] {
            text += &format!(
                "declare {t} @llvm.{name}.{t}({t}, {t})\ndefine internal {t} @{name}{bits}({t} %a, {t} %b) {{ %r = call {t} @llvm.{name}.{t}({t} %a, {t} %b)\n ret {t} %r }}\n"
            );
        }
        for (name, amount) in [("fshl", "%c"), ("fshr", "5")] {
            let amount = if bits > 128 || bits == 1 { "0" } else { amount };
            text += &format!(
                "declare {t} @llvm.{name}.{t}({t}, {t}, {t})\ndefine internal {t} @{name}{bits}({t} %a, {t} %b, {t} %c) {{ %r = call {t} @llvm.{name}.{t}({t} %a, {t} %b, {t} {amount})\n ret {t} %r }}\n"
            );
        }
    }
    assert!(assembled("widths.ll", &text).contains("__umodti3"));
}

/// Shifts by one constant are of whole vectors, others lane by lane.
#[test]
fn funnel_shifts_of_vectors() {
    if !has("llvm-as-19") {
        return;
    }
    let program = |amounts: &str| {
        format!(
            r#"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare <2 x i64> @llvm.fshr.v2i64(<2 x i64>, <2 x i64>, <2 x i64>)
define <2 x i64> @f(<2 x i64> %a, <2 x i64> %b) {{
  %r = call <2 x i64> @llvm.fshr.v2i64(<2 x i64> %a, <2 x i64> %b, <2 x i64> <{amounts}>)
  ret <2 x i64> %r
}}
"#
        )
    };
    let text = assembled("funnel.ll", &program("i64 77, i64 77"));
    assert!(!text.contains("extractelement"), "{text}");
    let shifts = ["shl v0", "lshr v1", "v2i64 = or"].map(|what| text.matches(what).count());
    assert_eq!(shifts, [1, 1, 1], "{text}");
    // 77 modulo 64 to the right is 51 to the left.
    assert!(text.contains("i64 = 51") && text.contains("i64 = 13"), "{text}");
    assert!(assembled("lanes.ll", &program("i64 1, i64 2")).contains("extractelement"));
}

/// A pair among variable arguments stays whole in two registers or in memory.
#[test]
fn pairs_among_variable_arguments() {
    if !has("llvm-as-19") {
        return;
    }
    let program = |before: &str| {
        format!(
            r#"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare void @g(i32, ...)
define void @f(i128 %x, double %d) {{
  call void (i32, ...) @g(i32 1, {before} i128 %x)
  ret void
}}
"#
        )
    };
    assert!(assembled("pair.ll", &program("i32 2, i32 3, double %d, i32 4,")).contains("call_as"));
    assert!(!assembled("pair.ll", &program("i32 2, i32 3, i32 4,")).contains("call @llvm.ice.by.value"));
    assert!(
        assembled("split.ll", &program("i32 2, i32 3, i32 4, i64 5,")).contains("call @llvm.ice.by.value")
    );
}

/// Vectors of zeros are constants of their own, with no lane that anything could be; so is what the reader makes of them.
#[test]
fn vectors_of_zeros() {
    if !has("llvm-as-19") {
        return;
    }
    let text = r#"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
define <4 x float> @zeros() { ret <4 x float> zeroinitializer }
define <8 x i32> @two_parts() { ret <8 x i32> zeroinitializer }
define <4 x i32> @not(<4 x i32> %x) { %r = xor <4 x i32> %x, <i32 -1, i32 -1, i32 -1, i32 -1>
  ret <4 x i32> %r }
define <4 x i1> @mask(<4 x i32> %x) { %r = icmp slt <4 x i32> %x, zeroinitializer
  ret <4 x i1> %r }
"#;
    let text = assembled("zeros.ll", text);
    assert!(text.contains("v4f32 = zero") && text.contains("v4i32 = zero"), "{text}");
    let is_undefined = |line: &&str| line.contains("undef");
    let undefined = text.split("define").filter(|function| function.lines().any(|line| is_undefined(&line)));
    // A constant of other lanes begins with an undefined vector, all of whose lanes are replaced.
    assert!(undefined.clone().all(|function| function.matches("insertelement").count() == 4), "{text}");
}

#[test]
fn blocks_are_rare_where_weights_or_attributes_say_so() {
    if !has("llvm-as-19") {
        return;
    }
    // The weights of @own stand in a block of that function, those of @f and @shared in that of the module.
    let text = "declare void @slow() cold
declare void @other()
define void @f(i1 %a, i1 %b) {
  call void @other()
  %x = add i32 1, 2
  br i1 %a, label %hot, label %rare, !prof !0
hot:
  br i1 %b, label %end, label %called, !prof !1
rare:
  call void @other()
  br label %end
called:
  call void @slow()
  br label %end
end:
  ret void
}
define void @shared(i1 %a) {
  br i1 %a, label %x, label %y, !prof !0
x:
  call void @other() cold
  ret void
y:
  call void @other()
  ret void
}
define void @own(i1 %a) {
  br i1 %a, label %x, label %y, !prof !2
x:
  call void @other()
  ret void
y:
  ret void
}
!0 = !{!\"branch_weights\", i32 2000, i32 1}
!1 = !{!\"branch_weights\", i32 1, i32 127}
!2 = !{!\"branch_weights\", !\"expected\", i32 1, i32 1048575}";
    let text = assembled("weights.ll", text);
    let labels: Vec<&str> = text.lines().filter(|line| line.starts_with("block")).collect();
    let expected = [
        "block0:",
        "block1:",
        "block2: rare 1",
        "block3: cold",
        "block4:", // @f
        "block0:",
        "block1: cold",
        "block2: rare 1", // @shared
        "block0:",
        "block1: rare 1",
        "block2:", // @own
    ];
    assert_eq!(labels, expected, "{text}");
}
