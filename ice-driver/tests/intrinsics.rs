//! Intrinsics of machines: programs of `intrinsics/` print what Ice's code gives, and must print what clang's code gives.

use crate::common;

use common::compiled::{can_make, compare_with_clang, printed, printed_by_ice};
use common::tools::has;
use common::{Scratch, can_run, errors, ice};
use std::path::Path;
use std::process::Command;

/// Whether this processor has a feature, by its name in `/proc/cpuinfo`.
fn has_feature(feature: &str) -> bool {
    let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let known = processor.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
    known.split(' ').any(|known| known == feature)
}

/// Compares what a program prints; this processor must have some features, by their names in `/proc/cpuinfo`.
fn gives_what_clangs_code_gives(name: &str, features: &[&str], least: usize) {
    if !has("intrinsics", &["clang-19", "gcc"]) {
        return;
    }
    if let Some(missing) = features.iter().find(|&&feature| !has_feature(feature)) {
        eprintln!("skipped: {name}: this processor does not have {missing}");
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/intrinsics").join(name);
    for target in ["x86_64", "i686"] {
        if !can_make(target) {
            continue;
        }
        let expected = printed(Command::new("clang-19"), target, "-O1", &source);
        assert!(expected.len() > least, "{} bytes", expected.len());
        for level in ["-O0", "-O2"] {
            let found = printed_by_ice(&[], target, level, &source);
            let lines =
                |text: &[u8]| String::from_utf8_lossy(text).lines().map(str::to_owned).collect::<Vec<_>>();
            for (found, expected) in lines(&found).iter().zip(&lines(&expected)) {
                assert_eq!(found, expected, "{target} {level}");
            }
            assert!(found == expected, "{target} {level}");
        }
    }
}

#[test]
fn those_of_sse2_give_what_clangs_code_gives() {
    gives_what_clangs_code_gives("sse2.c", &[], 1 << 20);
}

#[test]
fn those_of_sse3_to_sse42_give_what_clangs_code_gives() {
    gives_what_clangs_code_gives("sse42.c", &["sse4_2", "popcnt"], 5000);
}

#[test]
fn those_of_avx_give_what_clangs_code_gives() {
    gives_what_clangs_code_gives("avx.c", &["avx", "fma", "f16c"], 10_000);
}

#[test]
fn those_of_avx2_give_what_clangs_code_gives() {
    gives_what_clangs_code_gives("avx2.c", &["avx2"], 6000);
}

#[test]
fn inline_assembly_with_avx_does_what_clangs_does() {
    gives_what_clangs_code_gives("assembly_avx.c", &["avx2", "fma"], 1000);
    gives_what_clangs_code_gives("assembly_wide.c", &["avx2", "fma"], 6000);
}

#[test]
fn those_on_general_registers_and_of_ciphers_give_what_clangs_code_gives() {
    let features = ["bmi1", "bmi2", "abm", "popcnt", "aes", "pclmulqdq", "sha_ni", "rdrand"];
    gives_what_clangs_code_gives("bits.c", &features, 900);
}

#[test]
fn those_of_aarch64_give_what_clangs_code_gives() {
    compare_with_clang("neon.c", 10_000, &["aarch64"]);
    compare_with_clang("system_aarch64.c", 500, &["aarch64"]);
}

#[test]
fn those_of_arm_give_what_clangs_code_gives() {
    if has("intrinsics", &["clang-19"]) {
        compare_with_clang("acle_arm.c", 3000, &["armv7"]);
    }
}

#[test]
fn bytes_come_to_their_places_as_by_clangs_code() {
    gives_what_clangs_code_gives("shuffles.c", &["ssse3"], 2000);
}

#[test]
fn floats_are_rounded_as_by_clangs_code() {
    gives_what_clangs_code_gives("round.c", &["sse4_1"], 50_000);
    compare_with_clang("round.c", 50_000, &["aarch64"]);
}

#[test]
fn those_of_systems_give_what_clangs_code_gives() {
    gives_what_clangs_code_gives("system.c", &["clwb", "clflushopt", "xsaveopt", "xsavec", "fsgsbase"], 250);
}

#[test]
fn the_direction_of_rounding_is_that_of_clangs_code() {
    gives_what_clangs_code_gives("rounding.c", &[], 300);
}

#[test]
fn classes_are_those_of_clangs_code() {
    gives_what_clangs_code_gives("classes.c", &[], 2000);
}

#[test]
fn what_libraries_and_loops_do_gives_what_clangs_code_gives() {
    if has("intrinsics", &["clang-19", "gcc"]) {
        compare_with_clang("library.c", 200, &["x86_64", "i686", "armv7", "mipsel", "aarch64"]);
        compare_with_clang("idioms.c", 100_000, &["x86_64", "i686", "armv7", "mipsel", "aarch64"]);
        compare_with_clang("turns.c", 50_000, &["x86_64", "i686", "armv7", "mipsel", "aarch64"]);
        compare_with_clang("wholes.c", 1000, &["x86_64", "i686", "armv7", "mipsel", "aarch64"]);
        compare_with_clang("widened.c", 45_000, &["x86_64", "i686", "armv7", "aarch64"]);
        // Clang's code for MIPS calls functions that the library does not have.
        compare_with_clang("wide.c", 4000, &["x86_64", "i686", "armv7", "aarch64"]);
    }
}

/// What functions of `widened.c` are, but for loads, stores, copies and the return.
#[test]
fn arithmetic_on_extended_lanes_is_few_instructions() {
    let functions = [
        ("x86_64", "cut_average_u8_i16_16", "pavgb"),
        ("x86_64", "cut_turned_u16_i32_8", "pavgw"),
        ("x86_64", "cut_average_u8_i16_32", "vpavgb vzeroupper"),
        ("x86_64", "cut_floor_u8_i16_16", "pavgb pxor pand psubb"),
        ("x86_64", "cut_upper_i16_i32_8", "pmulhw"),
        ("x86_64", "cut_distance_u8_i32_16", "psubusb psubusb por"),
        ("x86_64", "cut_distance_i16_i32_8", "pmaxsw pminsw psubw"),
        ("x86_64", "cut_least_u8_i32_16", "paddusb"),
        ("x86_64", "cut_most_u16_i32_8", "psubusw"),
        ("x86_64", "product_i16_i32_8", "pmulhw pmullw punpcklwd punpckhwd"),
        (
            "x86_64",
            "cut_blended_u8_i32_4",
            "xorps punpcklbw pmullw xorps punpcklbw pmullw paddw psrlw packuswb",
        ),
        ("aarch64", "cut_floor_u8_i16_16", "uhadd"),
        ("aarch64", "cut_distance_i16_i32_8", "sabd"),
        ("aarch64", "cut_upper_i16_i32_8", "smull smull2 uzp2"),
        ("aarch64", "added_i16_i32_8", "smlal smlal2 uzp1"),
        ("aarch64", "apart_u8_i16_16", "uabal uabal2 uzp1"),
        ("aarch64", "greater_i16_i32_8", "cmgt zip1 zip2 sub sub uzp1"),
        ("aarch64", "less_u32_i64_4", "usubw usubw2 uzp1"),
        ("armv7", "cut_average_u8_i16_16", "vrhadd.u8"),
        ("armv7", "cut_distance_u8_i32_16", "vabd.u8"),
        ("armv7", "taken_u8_i16_16", "add vmlsl.u8 vmlsl.u8 vuzp.8"),
    ];
    if !has("extended lanes", &["clang-19", "llvm-objdump-19"]) {
        return;
    }
    let scratch = Scratch::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/intrinsics/widened.c");
    for (target, function, expected) in functions.into_iter().filter(|(target, ..)| can_make(target)) {
        let object = scratch.path(&format!("{target}.o"));
        if !object.exists() {
            let triple =
                if target == "armv7" { "armv7-linux-gnueabihf" } else { &format!("{target}-linux-gnu") };
            let mut compiler = ice();
            compiler.args(["cc", "--ice-clang=clang-19", "-O2", "-w", "-c", "-target", triple]);
            let output = compiler.arg(&source).arg("-o").arg(&object).output().unwrap();
            assert!(output.status.success(), "{target}: {}", errors(&output));
        }
        let symbols = format!("--disassemble-symbols={function}");
        let mut disassembler = Command::new("llvm-objdump-19");
        let text = disassembler.args(["--no-show-raw-insn", &symbols]).arg(&object).output().unwrap().stdout;
        let text = String::from_utf8_lossy(&text).into_owned();
        let instructions = text.lines().filter(|line| line.starts_with(' '));
        let names = instructions.filter_map(|line| line.split('\t').nth(1));
        let is_usual = |name: &str| {
            let prefixes = ["mov", "vmov", "ld", "vld", "st", "vst", "ret", "bx", "int3"];
            prefixes.iter().any(|prefix| name.starts_with(prefix))
        };
        let names: Vec<&str> = names.filter(|name| !is_usual(name)).collect();
        assert_eq!(names.join(" "), expected, "{target} {function}");
    }
}

/// Clang 22 makes intrinsics of all functions, clang 19 of one of them.
#[test]
fn pairs_of_all_formats_are_those_of_clangs_code() {
    if !has("pairs", &["clang-22", "gcc"]) {
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/intrinsics/pairs.c");
    for target in ["x86_64", "i686", "armv7", "mipsel", "aarch64"] {
        if !can_make(target) {
            continue;
        }
        let with = |mut compiler: Command, level| {
            compiler.arg("-fno-math-errno");
            printed(compiler, target, level, &source)
        };
        let expected = with(Command::new("clang-22"), "-O1");
        assert!(expected.len() > 1500);
        for level in ["-O0", "-O2"] {
            let mut compiler = ice();
            compiler.args(["cc", "--ice-clang=clang-22"]);
            let found = with(compiler, level);
            assert_eq!(
                String::from_utf8_lossy(&found),
                String::from_utf8_lossy(&expected),
                "{target} {level}"
            );
        }
    }
}

/// Where libraries have no functions for them, clang's code for x86-64 says what they are.
#[test]
fn conversions_of_wide_integers_and_floats_give_the_same_everywhere() {
    if !has("intrinsics", &["clang-19", "gcc"]) || !can_run("x86_64") {
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/intrinsics/wide_floats.c");
    let expected = printed(Command::new("clang-19"), "x86_64", "-O1", &source);
    for (target, lines) in
        [("x86_64", 7542), ("i686", 7542), ("armv7", 2347), ("mipsel", 2347), ("aarch64", 2347)]
    {
        if !can_make(target) {
            continue;
        }
        for level in ["-O0", "-O2"] {
            let found = printed_by_ice(&[], target, level, &source);
            let both = [&found, &expected].map(|text| text.split_inclusive(|&byte| byte == b'\n'));
            let [found, expected] = both.map(|text| text.take(lines).collect::<Vec<_>>());
            assert_eq!(found.len(), lines, "{target} {level}");
            assert!(found == expected, "{target} {level}");
        }
    }
}

/// The program itself knows what is right: LLVM rounds integers of more than 128 bits twice.
#[test]
fn wide_integers_are_rounded_to_long_doubles() {
    if !has("intrinsics", &["clang-19", "gcc"]) {
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/intrinsics/wide_extended.c");
    for target in ["x86_64", "i686"].into_iter().filter(|target| can_make(target)) {
        for level in ["-O0", "-O2"] {
            let found = printed_by_ice(&[], target, level, &source);
            let found = String::from_utf8_lossy(&found);
            assert_eq!(found, "135426 checks, 0 failures\n", "{target} {level}");
        }
    }
}

#[test]
fn numbers_of_80_bits_give_what_clangs_code_gives() {
    if has("intrinsics", &["clang-19", "gcc"]) {
        compare_with_clang("extended.c", 500, &["x86_64", "i686"]);
    }
}

/// On x86-32 the library wants the numbers at multiples of 16, where clang 19 does not put them, so that its code for x86-64 says
/// what they are.
#[test]
fn numbers_of_binary128_give_what_clangs_code_gives() {
    if !has("intrinsics", &["clang-19", "gcc"]) || !can_run("x86_64") {
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/intrinsics/quad.c");
    let expected = printed(Command::new("clang-19"), "x86_64", "-O1", &source);
    let lines = |text: &[u8]| String::from_utf8_lossy(text).lines().map(str::to_owned).collect::<Vec<_>>();
    let expected = lines(&expected);
    // The last are of variable arguments.
    for (target, without) in [("x86_64", 0), ("i686", 77)] {
        if !can_make(target) {
            continue;
        }
        for level in ["-O0", "-O2"] {
            let found = lines(&printed_by_ice(&[], target, level, &source));
            assert_eq!(found.len(), expected.len() - without, "{target} {level}");
            assert!(found.len() > 10_000);
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found, expected, "{target} {level}");
            }
        }
    }
}

/// Numbers of binary128 are where GCC's code has them, and its library: each part of a program by each compiler, but that GCC's
/// has the callees of variable arguments.
#[test]
fn numbers_of_binary128_travel_between_objects_of_both_compilers() {
    if !has("intrinsics", &["clang-19", "gcc"]) {
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/intrinsics/quad_calls.c");
    for (target, gcc) in [("x86_64", "gcc"), ("i686", "i686-linux-gnu-gcc")] {
        if !can_make(target) {
            continue;
        }
        let scratch = Scratch::new();
        let object = |name: &str, part: usize| {
            let (compiler, level) = name.split_once(' ').unwrap();
            let mut command = match compiler {
                "ice" => ice(),
                _ => Command::new(gcc),
            };
            if compiler == "ice" {
                command.args(["cc", "--ice-clang=clang-19", &format!("--target={target}-linux-gnu")]);
            }
            let object = scratch.path(&format!("{compiler}{level}-{part}.o"));
            command.args([level, "-msse2", "-w", "-c", &format!("-DPART={part}"), "-o"]);
            let output = command.arg(&object).arg(&source).output().unwrap();
            assert!(output.status.success(), "{name} {target}: {}", errors(&output));
            object
        };
        let parts = ["gcc -O1", "ice -O0", "ice -O2"].map(|name| [0, 1].map(|part| object(name, part)));
        let lists = object("gcc -O1", 2);
        let printed = |caller: usize, callee: usize| {
            let program = scratch.path("program");
            let mut command = Command::new(gcc);
            command.arg("-o").arg(&program).args([&parts[caller][0], &parts[callee][1], &lists]);
            let output = command.output().unwrap();
            assert!(output.status.success(), "{}", errors(&output));
            let output = Command::new(&program).output().unwrap();
            assert!(output.status.success(), "{target} {caller} {callee}: {}", output.status);
            String::from_utf8(output.stdout).unwrap()
        };
        let expected = printed(0, 0);
        assert_eq!(expected.lines().count(), 5, "{expected}");
        for (caller, callee) in [(0, 1), (0, 2), (1, 0), (2, 0), (1, 2), (2, 2)] {
            assert_eq!(printed(caller, callee), expected, "{target} {caller} {callee}");
        }
    }
}

/// The addresses of some are wrong in clang's own code, which refers to their sections.
#[test]
fn functions_are_where_their_resolvers_say() {
    if !has("intrinsics", &["clang-19", "gcc"]) {
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/intrinsics/ifuncs.c");
    let expected = "0 1 1 1\n1 9 9 1\n2 19 19 1\n3 31 31 1\n101 99 99 101\n11 6\n16206 14910\n1\n";
    for target in ["x86_64", "i686", "armv7"] {
        if !can_make(target) {
            continue;
        }
        for level in ["-O0", "-O2"] {
            for model in ["-fPIC", "-fPIE"] {
                let found = printed_by_ice(&[model], target, level, &source);
                assert_eq!(String::from_utf8_lossy(&found), expected, "{target} {level} {model}");
            }
        }
    }
}

/// The linkers of MIPS know no resolvers.
#[test]
fn resolvers_are_refused_on_mips() {
    if !has("intrinsics", &["clang-19"]) {
        return;
    }
    let scratch = Scratch::new();
    let source =
        scratch.write("a.c", "static void *r(void) { return 0; } int f(int) __attribute__((ifunc(\"r\")));");
    let object = scratch.path("a.o");
    let mut compiler = ice();
    compiler.args(["cc", "--ice-clang=clang-19", "--target=mipsel-linux-gnu", "-w", "-c", "-o"]);
    let output = compiler.arg(&object).arg(&source).output().unwrap();
    assert!(output.status.code() == Some(1) && !object.exists());
    assert!(
        errors(&output).contains("an ifunc, which linkers for this machine do not know"),
        "{}",
        errors(&output)
    );
}

#[test]
fn operations_that_round_as_told_and_raise_exceptions_give_what_clangs_code_gives() {
    gives_what_clangs_code_gives("strict.c", &[], 3000);
}

/// Vectors of 256 bits are where clang's code has them: each half of a program by each compiler.
#[test]
fn vectors_of_256_bits_travel_between_objects_of_both_compilers() {
    if !has("intrinsics", &["clang-19", "gcc"]) {
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/intrinsics/wide_vectors.c");
    for (flag, feature) in [("-mavx", "avx"), ("-mavx2", "avx2"), ("-msse2", "sse2")] {
        if !has_feature(feature) {
            eprintln!("skipped: {flag}: this processor does not have it");
            continue;
        }
        for (target, linker) in [("x86_64", "gcc"), ("i686", "i686-linux-gnu-gcc")] {
            // Without AVX clang's callers and callees do not agree on them among variable arguments.
            let is_left_out = target == "i686" && feature == "sse2";
            if is_left_out || !can_run(target) || !has("intrinsics", &[linker]) {
                continue;
            }
            let scratch = Scratch::new();
            let objects = ["clang -O1", "ice -O0", "ice -O2"].map(|name| {
                [0, 1].map(|part| {
                    let (compiler, level) = name.split_once(' ').unwrap();
                    let mut command = match compiler {
                        "clang" => Command::new("clang-19"),
                        _ => ice(),
                    };
                    if compiler == "ice" {
                        command.args(["cc", "--ice-clang=clang-19"]);
                    }
                    let object = scratch.path(&format!("{compiler}{level}-{part}.o"));
                    command.args([&format!("--target={target}-linux-gnu"), level, "-fPIC", "-w", flag, "-c"]);
                    let output = command.arg(format!("-DPART={part}")).arg("-o").arg(&object).arg(&source);
                    let output = output.output().unwrap();
                    assert!(output.status.success(), "{name} {target} {flag}: {}", errors(&output));
                    object
                })
            });
            let printed = |caller: usize, callee: usize| {
                let program = scratch.path("program");
                let mut command = Command::new(linker);
                command.arg("-o").arg(&program).args([&objects[caller][0], &objects[callee][1]]);
                let output = command.output().unwrap();
                assert!(output.status.success(), "{}", errors(&output));
                let output = Command::new(&program).output().unwrap();
                assert!(output.status.success(), "{target} {flag} {caller} {callee}: {}", output.status);
                String::from_utf8(output.stdout).unwrap()
            };
            let expected = printed(0, 0);
            assert!(expected.lines().count() == 14, "{expected}");
            for (caller, callee) in [(0, 1), (0, 2), (1, 0), (2, 0), (1, 2), (2, 2)] {
                assert_eq!(printed(caller, callee), expected, "{target} {flag} {caller} {callee}");
            }
        }
    }
}

/// Vectors that LLVM has in other registers than those of 128 and 256 bits are refused by name.
#[test]
fn vectors_between_modules_in_other_registers_are_refused() {
    if !has("intrinsics", &["clang-19"]) {
        return;
    }
    let scratch = Scratch::new();
    let wide = "typedef int V __attribute__((vector_size(64)));\
                typedef double T __attribute__((ext_vector_type(3)));";
    for (text, flags, refused) in [
        ("void taken(V a, V *b) { *b = a; }", "-mavx512f", Some("one ymm, of taken")),
        (
            "V given(int a); void f(V *p, int a) { *p = given(a); }",
            "-mavx",
            Some("a result in three or more registers"),
        ),
        (
            "void f(void (*p)(V), V *v) { p(*v); }",
            "-march=skylake-avx512",
            Some("one ymm, of a function that is called by its address"),
        ),
        ("void g(int a, ...); void f(V *v) { g(1, *v); }", "-march=haswell", None),
        ("T odd(T *p) { return *p; }", "-mavx", Some("a result in three or more registers")),
        ("void taken(V a, V *b) { *b = a; }", "-march=haswell", None),
        ("void taken(V a, V *b) { *b = a; }", "-msse4.2", None),
        (
            "static __attribute__((noinline)) V own(V a) { return a + a; } void f(V *p) { *p = own(*p); }",
            "-mavx512f",
            None,
        ),
        ("typedef int N __attribute__((vector_size(16))); N f(N a) { return a; }", "-mavx2", None),
        ("V f(int a, ...);", "-mavx", None),
    ] {
        let source = scratch.write("wide.c", format!("{wide} {text}"));
        let object = scratch.path("wide.o");
        let mut compiler = ice();
        compiler.args([
            "cc",
            "--ice-clang=clang-19",
            "--target=x86_64-linux-gnu",
            "-O1",
            "-w",
            flags,
            "-c",
            "-o",
        ]);
        let output = compiler.arg(&object).arg(&source).output().unwrap();
        let errors = errors(&output);
        match refused {
            Some(of) => {
                assert!(output.status.code() == Some(1) && !object.exists(), "{text}: {errors}");
                assert!(errors.contains(of), "{text}: {errors}");
            }
            None => assert!(output.status.success() && object.exists(), "{text}: {errors}"),
        }
        let _ = std::fs::remove_file(&object);
    }
}
