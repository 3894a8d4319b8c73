//! Native modules against C: each folder entry `native/NAME.ice` is translated and linked with `native/NAME.c`,
//! which calls it, is called by it, and checks what arrives. `ptr` in a module stands for the integer type of
//! addresses; a line that ends with `;only WORDS` is left out unless one of them is the target or the kind of link.

use crate::common;

use common::{Scratch, can_run, errors, expect_success, find_tool, ice};
use object::{Object, ObjectSymbol};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The targets of native modules.
const TARGETS: [&str; 5] = ["x86_64", "i686", "armv7", "mipsel", "aarch64"];

/// How a program is put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Link {
    /// Position-independent executable.
    Pie,
    /// The module is a shared library.
    Shared,
    /// At a fixed place.
    Fixed,
    /// As `Pie`, from assembler text.
    Assembly,
    /// As `Shared`, from assembler text.
    SharedAssembly,
}

const LINKS: [Link; 4] = [Link::Pie, Link::Shared, Link::Fixed, Link::Assembly];

impl Link {
    fn is_shared(self) -> bool {
        matches!(self, Link::Shared | Link::SharedAssembly)
    }

    fn model(self) -> &'static str {
        if self == Link::Fixed { "static" } else { "pic" }
    }

    /// Flags of the C compiler.
    fn flags(self) -> &'static [&'static str] {
        match self {
            Link::Pie | Link::Assembly => &["-fPIE", "-pie"],
            Link::Shared | Link::SharedAssembly => {
                &["-fPIE", "-pie", "-DSHARED", "-rdynamic", "-Wl,-rpath,$ORIGIN"]
            }
            Link::Fixed => &["-fno-pic", "-no-pie"],
        }
    }
}

fn compiler(target: &str) -> Command {
    let (name, flags): (_, &[&str]) = match target {
        "x86_64" => ("gcc", &["-m64", "-msse2", "-mfpmath=sse"]),
        // Frames of Thumb code are not found through r11.
        "armv7" => ("arm-linux-gnueabihf-gcc", &["-marm", "-mfpu=neon", "-mfloat-abi=hard"]),
        "mipsel" => ("mipsel-linux-gnu-gcc", &["-mips32r2", "-mfp32", "-mhard-float"]),
        "aarch64" => ("aarch64-linux-gnu-gcc", &["-ffp-contract=off"]),
        _ => (find_tool(&["i686-linux-gnu-gcc"]).unwrap_or("gcc"), &["-m32", "-msse2", "-mfpmath=sse"]),
    };
    let mut command = Command::new(name);
    // Frames are walked, and floating point is compared with the bits that SSE gives.
    command.args(flags).args(["-O1", "-w", "-fno-omit-frame-pointer", "-pthread"]);
    command
}

/// The text for a target and a kind of link.
fn instantiate(module: &str, target: &str, link: Link) -> String {
    let kind = if link.is_shared() { "library" } else { "executable" };
    let pointer = if matches!(target, "x86_64" | "aarch64") { "i64" } else { "i32" };
    let mut text = String::new();
    for line in module.lines() {
        let (line, only) = line.split_once(";only ").unwrap_or((line, target));
        if only.split(' ').any(|word| word == target || word == kind) {
            let words = line.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
            let replaced = words.map(|word| match word.strip_prefix("ptr") {
                Some(rest) if !rest.starts_with(|c: char| c.is_ascii_alphanumeric()) => {
                    format!("{pointer}{rest}")
                }
                _ => word.to_owned(),
            });
            text.extend(replaced);
            text.push('\n');
        }
    }
    text
}

fn run_tool(command: &mut Command, what: &str) {
    let output = command.output().expect("the tool starts");
    expect_success(&output, what);
}

/// Translates `module` into the object (or library) that `link` wants.
fn build_module(scratch: &Scratch, module: &Path, target: &str, level: &str, link: Link) -> PathBuf {
    let what = format!("{} {target} -O{level} {link:?}", module.display());
    let object = module.with_extension("o");
    let mut translate = ice();
    translate.args(["translate", "--target", target, "--relocation-model", link.model()]);
    translate.arg(format!("-O{level}")).arg(module);
    if matches!(link, Link::Assembly | Link::SharedAssembly) {
        let assembly = module.with_extension("s");
        let output = translate.args(["--emit", "asm", "-o"]).arg(&assembly).output().expect("ice starts");
        expect_success(&output, &what);
        // One level for each assembler.
        let mut assembler = match find_tool(&["llvm-mc", "llvm-mc-19"]).filter(|_| level == "2") {
            Some(name) => {
                let mut command = Command::new(name);
                let system = if target == "armv7" { "linux-gnueabihf" } else { "linux-gnu" };
                command.args(["-filetype=obj", "-triple", &format!("{target}-{system}")]);
                command
            }
            None => {
                let mut command = compiler(target);
                command.arg("-c");
                command
            }
        };
        run_tool(assembler.arg(&assembly).arg("-o").arg(&object), &what);
    } else {
        let output = translate.arg("-o").arg(&object).output().expect("ice starts");
        expect_success(&output, &what);
    }
    if !link.is_shared() {
        return object;
    }
    let library = scratch.path("libmodule.so");
    let flags = ["-shared", "-Wl,-z,text", "-Wl,--fatal-warnings"];
    run_tool(compiler(target).args(flags).arg(&object).arg("-o").arg(&library), &what);
    library
}

/// Links the modules with the C program and runs it.
fn check(modules: &[String], program: &str, target: &str, level: &str, link: Link) {
    let scratch = Scratch::new();
    let what = format!("{target} -O{level} {link:?}");
    let mut cc = compiler(target);
    cc.args(link.flags()).arg(scratch.write("main.c", program));
    for (n, module) in modules.iter().enumerate() {
        let path = scratch.write(&format!("module{n}.ice"), module);
        cc.arg(build_module(&scratch, &path, target, level, link));
    }
    let executable = scratch.path("program");
    run_tool(cc.arg("-o").arg(&executable), &what);
    let mut program = match target {
        "mipsel" => {
            let mut command = Command::new("qemu-mipsel");
            command.args(["-L", "/usr/mipsel-linux-gnu"]).arg(&executable);
            command
        }
        "aarch64" => {
            let mut command = Command::new("qemu-aarch64");
            command.args(["-L", "/usr/aarch64-linux-gnu"]).arg(&executable);
            command
        }
        "armv7" => {
            let mut command = Command::new("qemu-arm");
            command.args(["-L", "/usr/arm-linux-gnueabihf"]).arg(&executable);
            command
        }
        _ => Command::new(&executable),
    };
    let output = program.output().expect("the program starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{what}: {}\n{printed}{}", output.status, errors(&output));
}

/// Checks a pair of the folder in every combination.
fn check_pair(name: &str) {
    check_pair_on(name, &TARGETS, &LINKS);
}

/// The same on these targets, linked so.
fn check_pair_on(name: &str, targets: &[&str], links: &[Link]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native");
    let read =
        |extension| std::fs::read_to_string(folder.join(name).with_extension(extension)).expect("a file");
    let (module, program) = (read("ice"), read("c"));
    for target in targets.iter().copied().filter(|target| can_run(target)) {
        for level in ["m1", "2"] {
            for &link in links {
                check(&[instantiate(&module, target, link)], &program, target, level, link);
            }
        }
    }
}

#[test]
fn arguments_and_results_are_where_c_has_them() {
    check_pair("calls");
}

#[test]
fn variadic_arguments_are_where_c_has_them() {
    check_pair("variadic");
}

#[test]
fn the_x87_unit_computes_with_80_bits() {
    check_pair_on("extended", &["x86_64", "i686"], &LINKS);
}

#[test]
fn symbols_are_linked_and_placed_as_the_module_says() {
    check_pair("symbols");
}

#[test]
fn libraries_reach_what_nothing_takes_the_place_of() {
    check_pair_on("twins", &TARGETS, &[Link::Shared, Link::SharedAssembly, Link::Pie, Link::Fixed]);
}

#[test]
fn calls_that_are_returned_give_what_they_give() {
    check_pair("tails");
}

#[test]
fn threads_have_variables_of_their_own() {
    check_pair("threads");
}

#[test]
fn addresses_of_blocks_are_those_of_their_code() {
    check_pair("labels");
}

/// On a stack with a guard page: none of the objects may lie beyond it.
#[test]
fn objects_of_any_size_meet_the_guard_page() {
    check_pair("stack");
}

#[test]
fn what_nothing_refers_to_is_not_left_to_the_linker() {
    let module = "target pointer i64 native\nglobal external declared @data\ndeclare external @code() -> void\n\
                  declare external @called() -> void\ndefine external @f() -> void {\nblock0:\n  call @called()\n\
                  \x20 ret\n}\n";
    let scratch = Scratch::new();
    let path = scratch.write("module.ice", module);
    let output = ice().args(["translate", "--target", "x86_64", "-o", "-"]).arg(&path).output().unwrap();
    expect_success(&output, "translate");
    let file = object::File::parse(&*output.stdout).expect("an object");
    let undefined: Vec<_> = file
        .symbols()
        .filter(|symbol| symbol.is_undefined())
        .filter_map(|symbol| symbol.name().ok())
        .filter(|name| !name.is_empty())
        .collect();
    assert_eq!(undefined, ["called"]);

    let narrow = module.replace("i64", "i32");
    let path = scratch.write("narrow.ice", narrow);
    let output = ice().args(["translate", "--target", "x86_64", "-o", "-"]).arg(&path).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("addresses of type i32"), "{}", errors(&output));
}

/// What only the runtime of PNaCl programs has does not become a symbol that no native program defines.
#[test]
fn intrinsics_of_programs_are_no_symbols_of_native_code() {
    let call = |declaration: &str, name: &str| {
        format!(
            "target pointer i32 native\n{declaration} external @{name}(i32) -> i32\n\
             define external @f(v0: i32) -> i32 {{\nblock0:\n  v1: i32 = call @{name}(v0)\n  ret v1\n}}\n"
        )
    };
    for (declaration, name, message) in [
        ("declare", "llvm.nacl.setjmp", "intrinsic-name"),
        ("declare", "llvm.nacl.other", "intrinsic-name"),
        ("intrinsic", "llvm.nacl.setjmp", "setjmp and longjmp in native code"),
    ] {
        let scratch = Scratch::new();
        let path = scratch.write("module.ice", call(declaration, name));
        for target in ["i686", "armv7", "mipsel"] {
            let output =
                ice().args(["translate", "--target", target, "-o", "-"]).arg(&path).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{name}");
            assert!(errors(&output).contains(message), "{}", errors(&output));
        }
    }
}

/// LLVM takes the data layout of the triple where a module has none.
#[test]
fn modules_without_a_data_layout_have_that_of_their_target() {
    if !common::has_tool("llvm-as-19") {
        return common::skip("data layouts", "no llvm-as-19");
    }
    let body = "%s = type { i8, i64, ptr, double, x86_fp80 }\n@g = global %s zeroinitializer\n\
                define i64 @f(ptr %p) {\n  %q = getelementptr %s, ptr %p, i32 3, i32 1\n\
                \x20 %v = load i64, ptr %q\n  ret i64 %v\n}\n";
    let layouts = [
        (
            "x86_64",
            "x86_64-linux-gnu",
            "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
        ),
        (
            "i686",
            "i686-linux-gnu",
            "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128",
        ),
        ("armv7", "armv7-linux-gnueabihf", "e-m:e-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64"),
        ("mipsel", "mipsel-linux-gnu", "e-m:m-p:32:32-i8:8:32-i16:16:32-i64:64-n32-S64"),
        ("aarch64", "aarch64-linux-gnu", "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"),
    ];
    for (target, triple, layout) in layouts {
        let has_x87 = matches!(target, "x86_64" | "i686");
        let body = if has_x87 { body.to_owned() } else { body.replace("x86_fp80", "<4 x i32>") };
        let text = format!("target triple = \"{triple}\"\n{body}");
        let objects = [text.clone(), format!("target datalayout = \"{layout}\"\n{text}")].map(|text| {
            let scratch = Scratch::new();
            let (text, bitcode) = (scratch.write("m.ll", text), scratch.path("m.bc"));
            run_tool(Command::new("llvm-as-19").arg(&text).arg("-o").arg(&bitcode), triple);
            let output =
                ice().args(["translate", "--target", target, "-o", "-"]).arg(&bitcode).output().unwrap();
            expect_success(&output, triple);
            output.stdout
        });
        assert!(objects[0] == objects[1], "{triple}");
    }
}

/// What has no name is only known in its module, whatever its linkage.
#[test]
fn nameless_symbols_of_two_modules_are_linked() {
    if !common::has_tool("llvm-as-19") {
        return common::skip("nameless symbols", "no llvm-as-19");
    }
    let scratch = Scratch::new();
    let objects = ["one", "two"].map(|name| {
        let text = format!(
            "target triple = \"x86_64-linux-gnu\"\n@0 = global i32 7\n@1 = hidden global i32 8\n\
             @2 = linkonce_odr constant i32 9\n@3 = common global i32 0\n@{name}_alias = alias i32, ptr @1\n\
             define protected i32 @4(i32 %a) {{\n  %p = load i32, ptr @0\n  %q = load i32, ptr @1\n\
             \x20 %r = load i32, ptr @2\n  %s = load i32, ptr @3\n  %t = add i32 %p, %q\n  %u = add i32 %r, %s\n\
             \x20 %v = add i32 %t, %u\n  %w = add i32 %v, %a\n  store i32 %w, ptr @3\n  ret i32 %w\n}}\n\
             define i32 @{name}(i32 %a) {{\n  %p = call i32 @4(i32 %a)\n  ret i32 %p\n}}\n"
        );
        let [source, bitcode, object] =
            ["ll", "bc", "o"].map(|extension| scratch.path(&format!("{name}.{extension}")));
        std::fs::write(&source, text).unwrap();
        run_tool(Command::new("llvm-as-19").arg(&source).arg("-o").arg(&bitcode), name);
        let flags = ["translate", "--target", "x86_64", "-o"];
        expect_success(&ice().args(flags).arg(&object).arg(&bitcode).output().unwrap(), name);
        object
    });
    let program = scratch.write(
        "main.c",
        "int one(int), two(int);\nextern int one_alias, two_alias;\n\
         int main(void) { two_alias = 9; return one(1) != 25 || one(2) != 51 || two(3) != 28 || one_alias != 8; }\n",
    );
    let linked = scratch.path("linked");
    run_tool(compiler("x86_64").arg(&program).args(&objects).arg("-o").arg(&linked), "linking");
    run_tool(&mut Command::new(&linked), "what is linked");
}

/// The code of a function that loads element `%n` of `%p`, which `lines` compute of `%i`, `%j` and `%k`, for x86-64.
fn load_of_element(lines: &str) -> String {
    let text = format!(
        "target triple = \"x86_64-linux-gnu\"\ndefine i64 @f(ptr %p, i64 %i, i64 %j, i32 %k) {{\n{lines}\n\
         \x20 %q = getelementptr i64, ptr %p, i64 %n\n  %v = load i64, ptr %q\n  ret i64 %v\n}}\n"
    );
    let scratch = Scratch::new();
    let (text, bitcode) = (scratch.write("m.ll", text), scratch.path("m.bc"));
    run_tool(Command::new("llvm-as-19").arg(&text).arg("-o").arg(&bitcode), lines);
    let flags = ["translate", "-O2", "--target", "x86_64", "--emit", "asm", "-o", "-"];
    let output = ice().args(flags).arg(&bitcode).output().unwrap();
    expect_success(&output, lines);
    String::from_utf8(output.stdout).unwrap()
}

/// `or` of bits that are in one operand each is a sum, and an address takes it: with a constant alone, and only where the
/// flag says so.
#[test]
fn a_disjoint_constant_is_added_in_addresses() {
    if !common::has_tool("llvm-as-19") {
        return common::skip("disjoint operands", "no llvm-as-19");
    }
    let sum = load_of_element("  %n = or disjoint i64 %i, 1");
    assert!(sum.contains("8(%rdi,%rsi,8)") && !sum.contains("or"), "{sum}");
    let shared = load_of_element("  %n = or i64 %i, 1");
    assert!(shared.contains("orq $1, %rsi"), "{shared}");
    let variable = load_of_element("  %n = or disjoint i64 %i, %j");
    assert!(variable.contains("orq %r"), "{variable}");
}

/// A sum of 32 bits that does not overflow, extended to 64, is added in addresses; where a flag says so, for the extension that is
/// asked for, and of equal sums if all have it. Not where it is frozen.
#[test]
fn an_extended_sum_is_added_in_addresses() {
    if !common::has_tool("llvm-as-19") {
        return common::skip("sums without overflow", "no llvm-as-19");
    }
    for (lines, is_added) in [
        ("  %s = add nsw i32 %k, 1\n  %n = sext i32 %s to i64", true),
        ("  %s = add nuw i32 %k, 1\n  %n = zext i32 %s to i64", true),
        ("  %s = or disjoint i32 %k, 1\n  %n = sext i32 %s to i64", true),
        ("  %s = add i32 %k, 1\n  %n = sext i32 %s to i64", false),
        ("  %s = add nuw i32 %k, 1\n  %n = sext i32 %s to i64", false),
        ("  %s = add nsw i32 %k, 1\n  %n = zext i32 %s to i64", false),
        ("  %t = add nsw i32 %k, 1\n  %s = add i32 %k, 1\n  %n = sext i32 %s to i64", false),
        ("  %t = add i32 %k, 1\n  %s = add nsw i32 %k, 1\n  %n = sext i32 %s to i64", false),
        ("  %t = add nsw i32 %k, 1\n  %s = freeze i32 %t\n  %n = sext i32 %s to i64", false),
        ("  %t = add nsw i32 %k, 1\n  %s = sub i32 %k, -1\n  %n = sext i32 %s to i64", false),
    ] {
        let code = load_of_element(lines);
        assert_eq!(code.contains("8(%rdi,"), is_added, "{lines}\n{code}");
    }
}

/// Sums of sums are only followed so far: each extension makes a few instructions, however many sums are within it.
#[test]
fn extended_sums_of_sums_stay_short() {
    const SUMS: usize = 2_000;
    if !common::has_tool("llvm-as-19") {
        return common::skip("sums of sums", "no llvm-as-19");
    }
    let sums = (0..SUMS).map(|n| {
        format!(
            "  %s{} = add nsw i32 %s{n}, {}\n  %e{n} = sext i32 %s{} to i64\n  %x{} = xor i64 %x{n}, %e{n}\n",
            n + 1,
            1 + n % 3,
            n + 1,
            n + 1
        )
    });
    let sums: String = sums.collect();
    let first = "  %s0 = add i32 %k, %k\n  %x0 = add i64 %i, %j\n";
    let code = load_of_element(&format!("{first}{sums}  %n = add i64 %x{SUMS}, 0"));
    let lines = code.lines().count();
    assert!((SUMS..8 * SUMS).contains(&lines), "{lines}");
}

/// What is translated is valid by the rules as well, and what breaks them is refused by both commands.
#[test]
fn verify_and_translate_refuse_the_same_attributes() {
    if !common::has_tool("llvm-as-19") {
        return common::skip("attributes", "no llvm-as-19");
    }
    for parameters in [
        "ptr nest %a, ptr nest %b",
        "i32 nest %a",
        "i128 nest %a",
        "double nest %a",
        "i32 sret(i32) %a",
        "ptr sret(i32) %a, ptr sret(i32) %b",
        "i32 byval(i32) %a",
        "{ ptr, ptr } nest %a",
    ] {
        let scratch = Scratch::new();
        let text = format!(
            "target triple = \"x86_64-linux-gnu\"\ndefine void @f({parameters}) {{\n  ret void\n}}\n"
        );
        let (text, bitcode) = (scratch.write("m.ll", text), scratch.path("m.bc"));
        let mut assemble = Command::new("llvm-as-19");
        run_tool(assemble.arg("-disable-verify").arg(&text).arg("-o").arg(&bitcode), parameters);
        for command in [&["translate", "-o", "-"][..], &["verify"]] {
            let output = ice().args(command).arg(&bitcode).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{command:?}: {parameters}");
            assert!(errors(&output).contains("attributes of a parameter"), "{}", errors(&output));
        }
    }
}

#[test]
fn three_hundred_and_twenty_arguments() {
    const COUNT: usize = 320;
    let list = |item: &dyn Fn(usize) -> String| (0..COUNT).map(item).collect::<Vec<_>>().join(", ");
    let mut module = String::from("target pointer ptr native\n");
    let types = list(&|_| "i32".into());
    let _ = writeln!(module, "declare external @c_many({types}) -> i32");
    let params = list(&|n| format!("v{n}: i32"));
    let reversed = list(&|n| format!("v{}", COUNT - 1 - n));
    let _ = writeln!(module, "define external @ice_many({params}) -> i32 {{\nblock0:");
    let _ = writeln!(module, "  v{COUNT}: i32 = call @c_many({reversed})\n  ret v{COUNT}\n}}");
    let params = list(&|n| format!("int a{n}"));
    let weighted = (0..COUNT).map(|n| format!("{} * a{n}", n + 1)).collect::<Vec<_>>().join(" + ");
    let program = format!(
        "int c_many({params}) {{ return {weighted}; }}\nint ice_many({params});\n\
         int main(void) {{ return ice_many({}) != c_many({}); }}\n",
        list(&|n| (7 * n % 11).to_string()),
        list(&|n| (7 * (COUNT - 1 - n) % 11).to_string()),
    );
    for target in TARGETS.into_iter().filter(|target| can_run(target)) {
        for level in ["m1", "2"] {
            check(&[instantiate(&module, target, Link::Pie)], &program, target, level, Link::Pie);
        }
    }
}

#[test]
fn a_linker_keeps_one_of_two_groups_and_a_strong_definition() {
    let module = |number: u32, linkage: &str| {
        format!(
            "target pointer ptr native\ncomdat0 = \"shared\"\n\
             global linkonce comdat0 @shared_data align 4 = bytes \"\\05\\00\\00\\00\"\n\
             define linkonce comdat0 @shared(v0: i32) -> i32 {{\n  v1: ptr = @shared_data\nblock0:\n\
             \x20 v2: i32 = load v1, align 4\n  v3: i32 = add v0, v2\n  store v3 to v1, align 4\n  ret v3\n}}\n\
             define {linkage} @chosen() -> i32 {{\n  v0: i32 = {number}\nblock0:\n  ret v0\n}}\n\
             define external @use{number}(v0: i32) -> i32 {{\nblock0:\n  v1: i32 = call @shared(v0)\n\
             \x20 v2: i32 = call @chosen()\n  v3: i32 = add v1, v2\n  ret v3\n}}\n"
        )
    };
    let program = "int use1(int), use2(int);\n\
                   int main(void) { return use1(10) != 15 + 2 || use2(100) != 115 + 2; }\n";
    for target in TARGETS.into_iter().filter(|target| can_run(target)) {
        for link in [Link::Pie, Link::Fixed, Link::Assembly] {
            let modules = [module(1, "weak"), module(2, "external")];
            let modules = modules.map(|text| instantiate(&text, target, link));
            check(&modules, program, target, "m1", link);
        }
    }
}

/// The code of `body` for a machine, at O2.
fn code_of(target: &str, triple: &str, body: &str) -> String {
    let scratch = Scratch::new();
    let text = format!("target triple = \"{triple}\"\n{body}");
    let (text, bitcode) = (scratch.write("m.ll", text), scratch.path("m.bc"));
    run_tool(Command::new("llvm-as-19").arg(&text).arg("-o").arg(&bitcode), body);
    let flags = ["translate", "-O2", "--target", target, "--emit", "asm", "-o", "-"];
    let output = ice().args(flags).arg(&bitcode).output().unwrap();
    expect_success(&output, body);
    String::from_utf8(output.stdout).unwrap()
}

/// An integer that is not negative is converted as one with a sign, and only where the flag says so.
#[test]
fn conversions_without_negative_numbers_are_those_with_a_sign() {
    if !common::has_tool("llvm-as-19") {
        return common::skip("conversions", "no llvm-as-19");
    }
    let convert = |op: &str| {
        let body =
            format!("define double @f(i64 %a) {{\n  %r = {op} i64 %a to double\n  ret double %r\n}}\n");
        code_of("x86_64", "x86_64-linux-gnu", &body)
    };
    let signed = convert("sitofp");
    assert!(signed.contains("cvtsi2sd") && !signed.contains("shr"), "{signed}");
    assert_eq!(convert("uitofp nneg"), signed);
    assert_ne!(convert("uitofp"), signed);
}

/// `fneg` is one operation on every machine; a subtraction is not, and stays one.
#[test]
fn negation_flips_the_sign() {
    if !common::has_tool("llvm-as-19") {
        return common::skip("negation", "no llvm-as-19");
    }
    for (target, triple, [double, float]) in [
        ("x86_64", "x86_64-linux-gnu", ["xorpd", "xorps"]),
        ("i686", "i686-linux-gnu", ["xorpd", "xorps"]),
        ("armv7", "armv7-linux-gnueabihf", ["vneg.f64", "vneg.f32"]),
        ("mipsel", "mipsel-linux-gnu", ["xor $", "xor $"]),
        ("aarch64", "aarch64-linux-gnu", ["fneg d", "fneg s"]),
    ] {
        for (ty, negation) in [("double", double), ("float", float)] {
            let negate = |op: &str| {
                let body = format!("define {ty} @f({ty} %a) {{\n  %r = {op} %a\n  ret {ty} %r\n}}\n");
                code_of(target, triple, &body)
            };
            let code = negate(&format!("fneg {ty}"));
            assert!(code.contains(negation), "{target}: {code}");
            assert!(!code.contains("\teor") && !code.contains("sub."), "{target}: {code}");
            let difference = negate(&format!("fsub {ty} 1.0,"));
            assert!(difference.contains("sub") && !difference.contains(negation), "{target}: {difference}");
        }
    }
}

/// Bits are put in the opposite order by one instruction a word where there is one, and only there.
#[test]
fn bits_are_reversed_by_an_instruction() {
    if !common::has_tool("llvm-as-19") {
        return common::skip("reversal", "no llvm-as-19");
    }
    let reverse = |target: &str, triple: &str, bits: u32| {
        let ty = format!("i{bits}");
        let body = format!(
            "declare {ty} @llvm.bitreverse.{ty}({ty})\ndefine {ty} @f({ty} %a) {{\n  %r = call {ty} @llvm.bitreverse.{ty}({ty} %a)\n  ret {ty} %r\n}}\n"
        );
        code_of(target, triple, &body)
    };
    for (bits, count) in [(8, 1), (16, 1), (24, 1), (32, 1), (64, 2)] {
        let code = reverse("armv7", "armv7-linux-gnueabihf", bits);
        assert_eq!(code.matches("rbit").count(), count, "{bits}: {code}");
        assert_eq!(code.contains("lsr"), bits < 32, "{bits}: {code}");
    }
    for (target, triple) in [("x86_64", "x86_64-linux-gnu"), ("mipsel", "mipsel-linux-gnu")] {
        let code = reverse(target, triple, 32);
        assert!(
            code.contains("0x55555555") || code.contains("1431655765") || code.contains("21845"),
            "{code}"
        );
    }
}

/// Of what comes extended nothing is extended again, where it came so; on x86 nobody asks for more than 8 or 16 bits of a
/// result.
#[test]
fn what_comes_extended_stays_so() {
    if !common::has_tool("llvm-as-19") {
        return common::skip("extension", "no llvm-as-19");
    }
    for (target, triple, [zero, sign]) in [
        ("x86_64", "x86_64-linux-gnu", ["movzbl", "movsbl"]),
        ("armv7", "armv7-linux-gnueabihf", ["uxtb", "sxtb"]),
        ("mipsel", "mipsel-linux-gnu", ["andi", "seb"]),
        ("aarch64", "aarch64-linux-gnu", ["ubfm", "sbfm"]),
    ] {
        let sum = |came: &str, op: &str| {
            let body = format!(
                "define i32 @f(i8 {came} %a, i32 %b) {{\n  %w = {op} i8 %a to i32\n  %r = add i32 %w, %b\n  ret i32 %r\n}}\n"
            );
            code_of(target, triple, &body)
        };
        for (came, op, extension, is_needed) in [
            ("zeroext", "zext", zero, false),
            ("signext", "sext", sign, false),
            ("", "zext", zero, true),
            ("signext", "zext", zero, true),
            ("zeroext", "sext", sign, true),
        ] {
            let code = sum(came, op);
            assert_eq!(code.contains(extension), is_needed, "{target} {came} {op}: {code}");
        }
    }
    let compare = |target: &str, triple: &str, result: &str| {
        let body = format!(
            "define {result} @f(i32 %a) {{\n  %r = icmp slt i32 %a, 7\n  %w = zext i1 %r to i32\n  ret i32 %w\n}}\n"
        );
        let body = if result.ends_with("i1") {
            body.replace("  %w = zext i1 %r to i32\n  ret i32 %w", "  ret i1 %r")
        } else {
            body
        };
        code_of(target, triple, &body)
    };
    for (target, triple) in [("x86_64", "x86_64-linux-gnu"), ("i686", "i686-linux-gnu")] {
        let code = compare(target, triple, "zeroext i1");
        assert!(code.contains("setl") && !code.contains("movz"), "{target}: {code}");
        assert!(compare(target, triple, "i32").contains("movz"), "{target}");
    }
}

/// A `bcmp` of few bytes is loads; one of many, or of a number that varies, or that the module defines, is a call.
#[test]
fn comparisons_of_few_bytes_are_loads() {
    if !common::has_tool("llvm-as-19") {
        return common::skip("comparisons", "no llvm-as-19");
    }
    let compare = |length: &str, own: &str| {
        let body = format!(
            "{own}\ndefine i1 @f(ptr %a, ptr %b, i64 %n) {{\n  %r = call i32 @bcmp(ptr %a, ptr %b, i64 {length})\n  \
             %e = icmp eq i32 %r, 0\n  ret i1 %e\n}}\n"
        );
        code_of("x86_64", "x86_64-linux-gnu", &body)
    };
    let library = "declare i32 @bcmp(ptr, ptr, i64)";
    let own = "define i32 @bcmp(ptr %a, ptr %b, i64 %n) {\n  ret i32 1\n}";
    for length in ["1", "7", "8", "12", "32"] {
        let code = compare(length, library);
        assert!(!code.contains("bcmp"), "{length}: {code}");
    }
    for (length, library) in [("33", library), ("%n", library), ("8", own)] {
        let code = compare(length, library);
        assert!(code.contains("call bcmp"), "{length}: {code}");
    }
}

/// A square root of the library is an instruction, and a call only for what has none; with the intrinsic there is no call.
/// Not: where the name need not be the library's, and what the module defines.
#[test]
fn square_roots_are_instructions() {
    if !common::has_tool("llvm-as-19") {
        return common::skip("square roots", "no llvm-as-19");
    }
    let root = |attributes: &str, own: &str| {
        let body = format!(
            "{own}\ndefine double @f(double %a) {{\n  %r = call double @sqrt(double %a) {attributes}\n  \
             %s = fadd double %r, 1.0\n  ret double %s\n}}\n"
        );
        code_of("x86_64", "x86_64-linux-gnu", &body)
    };
    let library = "declare double @sqrt(double)";
    let code = root("", library);
    assert!(code.contains("sqrtsd") && code.contains("call sqrt"), "{code}");
    let own = "define double @sqrt(double %a) {\n  ret double %a\n}";
    for (attributes, library) in [("nobuiltin", library), ("", own), ("\"no-builtins\"", library)] {
        let code = root(attributes, library);
        assert!(!code.contains("sqrtsd") && code.contains("call sqrt"), "{attributes}: {code}");
    }
}

/// Functions of LLVM's fast convention have arguments in registers on x86-32, and are standard ones elsewhere; they call
/// and are called by what llc makes of the same bitcode.
#[test]
fn fast_functions_agree_with_llc() {
    let tools = ["llvm-as-19", "llc-19", "i686-linux-gnu-gcc"];
    if let Some(missing) = tools.into_iter().find(|tool| !common::has_tool(tool)) {
        return common::skip("fast functions", &format!("no {missing}"));
    }
    let scratch = Scratch::new();
    let source =
        |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native").join(format!("{name}.ll"));
    let run = |command: &mut Command| {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let object = |name: &str, maker: &str| {
        let bitcode = scratch.path(&format!("{name}.bc"));
        run(Command::new("llvm-as-19").arg(source(name)).arg("-o").arg(&bitcode));
        let object = scratch.path(&format!("{name}.{maker}.o"));
        match maker {
            "llc" => {
                let flags = ["-O2", "-mcpu=pentium4", "-filetype=obj", "-relocation-model=static", "-o"];
                run(Command::new("llc-19").args(flags).arg(&object).arg(&bitcode));
            }
            recipe => {
                let flags = ["translate", recipe, "--target", "i686", "--relocation-model", "static", "-o"];
                run(ice().args(flags).arg(&object).arg(&bitcode));
            }
        }
        object
    };
    let makers = ["llc", "-O2", "-Om1"];
    let callees = makers.map(|maker| object("fast_callees", maker));
    let callers = makers.map(|maker| object("fast_callers", maker));
    let mut printed = Vec::new();
    for (callee, caller) in
        callees.iter().flat_map(|callee| callers.iter().map(move |caller| (callee, caller)))
    {
        let program = scratch.path("program");
        let mut link = Command::new("i686-linux-gnu-gcc");
        run(link.arg("-static").arg("-o").arg(&program).args([callee, caller]));
        printed.push(run(&mut Command::new(&program)));
    }
    assert!(printed[0].len() > 100 && printed.iter().all(|text| *text == printed[0]), "{printed:?}");
}
