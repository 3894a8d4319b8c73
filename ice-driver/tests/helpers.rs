//! The functions that objects of programs call from outside are those that `runtime/README.md` lists, for every
//! target and recipe.

use crate::common::{ALL_TARGETS, Scratch, expect_success, ice};
use object::{Object, ObjectSymbol};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The lines of `README.md` that say what an object needs: of the table of all targets, and of the table by target.
const README: &str = include_str!("../runtime/README.md");

/// The names in the code spans of a table cell; `a_{b,c}_d` stands for two.
fn names(cell: &str) -> Vec<String> {
    let spans = cell.split('`').skip(1).step_by(2);
    let words = spans.flat_map(|span| span.split(' ').filter(|word| !word.is_empty()));
    let mut all = Vec::new();
    for word in words {
        let mut made = vec![String::new()];
        for (n, part) in word.split(['{', '}']).enumerate() {
            let choices: Vec<&str> = if n % 2 == 1 { part.split(',').collect() } else { vec![part] };
            made = made
                .iter()
                .flat_map(|start| choices.iter().map(move |end| format!("{start}{end}")))
                .collect();
        }
        all.extend(made);
    }
    all
}

/// What the tables list for a target.
fn documented(target: &str) -> BTreeSet<String> {
    let label = match target {
        "i686" => "i386",
        "armv7" => "ARM",
        "mipsel" => "MIPS",
        "aarch64" => "AArch64",
        "x86_64" => "x86-64",
        other => other,
    };
    let mut all = BTreeSet::new();
    for line in README.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(|cell| cell.trim()).collect();
        match cells[..] {
            // A prototype: `name(parameters) -> result`.
            [symbol, "here" | "libc" | "libm", ..] => {
                let span = symbol.trim_matches('`');
                all.extend(names(&format!("`{}`", span.split('(').next().unwrap_or(span))));
            }
            [name, ref helpers @ ..] if name == label => {
                helpers.iter().for_each(|cell| all.extend(names(cell)));
            }
            _ => {}
        }
    }
    all
}

/// A program with every operation that any target has no instructions for.
fn program() -> String {
    let mut text = String::new();
    for (name, signature) in [
        ("llvm.memcpy.p0i8.p0i8.i32", "(i32, i32, i32, i32, i1) -> void"),
        ("llvm.memmove.p0i8.p0i8.i32", "(i32, i32, i32, i32, i1) -> void"),
        ("llvm.memset.p0i8.i32", "(i32, i8, i32, i32, i1) -> void"),
        ("llvm.nacl.read.tp", "() -> i32"),
        ("llvm.nacl.setjmp", "(i32) -> i32"),
        ("llvm.nacl.longjmp", "(i32, i32) -> void"),
        ("llvm.ctpop.i32", "(i32) -> i32"),
        ("llvm.ctpop.i64", "(i64) -> i64"),
        ("llvm.ctlz.i64", "(i64, i1) -> i64"),
        ("llvm.cttz.i64", "(i64, i1) -> i64"),
        ("llvm.bswap.i64", "(i64) -> i64"),
        ("llvm.sqrt.f64", "(f64) -> f64"),
        ("llvm.nacl.atomic.rmw.i64", "(i32, i32, i64, i32) -> i64"),
        ("llvm.nacl.atomic.load.i64", "(i32, i32) -> i64"),
        ("llvm.nacl.atomic.store.i64", "(i64, i32, i32) -> void"),
        ("llvm.nacl.atomic.cmpxchg.i64", "(i32, i64, i64, i32, i32) -> i64"),
    ] {
        let _ = writeln!(text, "intrinsic external @{name}{signature}");
    }
    let _ = writeln!(
        text,
        "define external @_start(v0: i32) -> void {{\n  v1: i1 = 0\n  v2: i8 = 1\n  v3: i32 = 1\n  v4: i32 = 6\n  v5: i32 = 2\n  v6: i32 = 3\n  v7: i32 = 4\n  v8: i32 = 5\nblock0:"
    );
    let mut next = 10;
    let mut value = |text: &mut String, ty: &str, what: String| {
        next += 1;
        let _ = writeln!(text, "  v{next}: {ty} = {what}");
        next
    };
    let wide = value(&mut text, "i64", "load v0, align 1".into());
    let _ = writeln!(text, "  call @llvm.nacl.atomic.store.i64(v{wide}, v0, v4)");
    for helper in ["memcpy.p0i8.p0i8", "memmove.p0i8.p0i8"] {
        let _ = writeln!(text, "  call @llvm.{helper}.i32(v0, v0, v0, v3, v1)");
    }
    let _ = writeln!(text, "  call @llvm.memset.p0i8.i32(v0, v2, v0, v3, v1)");
    let types = ["i8", "i16", "i32", "i64", "v16i8", "v8i16", "v4i32", "f32", "f64", "v4f32"];
    for ty in types {
        let align = if ty.ends_with("f32") {
            4
        } else if ty == "f64" {
            8
        } else {
            1
        };
        let v = value(&mut text, ty, format!("load v0, align {align}"));
        let mut results = Vec::new();
        if ty.contains('i') {
            for op in ["sdiv", "udiv", "srem", "urem", "mul", "shl", "lshr", "ashr"] {
                results.push(value(&mut text, ty, format!("{op} v{v}, v{v}")));
            }
        } else {
            for op in ["fadd", "fdiv", "frem"] {
                results.push(value(&mut text, ty, format!("{op} v{v}, v{v}")));
            }
        }
        for result in results {
            let _ = writeln!(text, "  store v{result} to v0, align {align}");
        }
        if ty.starts_with('v') {
            continue;
        }
        for other in ["i8", "i16", "i32", "i64", "f32", "f64"] {
            let operations: &[&str] = match (ty.starts_with('i'), other.starts_with('i')) {
                (true, false) => &["sitofp", "uitofp"],
                (false, true) => &["fptosi", "fptoui"],
                _ => continue,
            };
            for op in operations {
                let result = value(&mut text, other, format!("{op} v{v}"));
                let align = if other == "f32" {
                    4
                } else if other == "f64" {
                    8
                } else {
                    1
                };
                let _ = writeln!(text, "  store v{result} to v0, align {align}");
            }
        }
        let calls: &[String] = &match ty {
            "i32" => {
                vec!["llvm.ctpop.i32(vN)".into(), "llvm.nacl.read.tp()".into(), "llvm.nacl.setjmp(v0)".into()]
            }
            "i64" => vec![
                "llvm.ctpop.i64(vN)".into(),
                "llvm.ctlz.i64(vN, v1)".into(),
                "llvm.cttz.i64(vN, v1)".into(),
                "llvm.bswap.i64(vN)".into(),
                "llvm.nacl.atomic.rmw.i64(v3, v0, vN, v4)".into(),
                "llvm.nacl.atomic.rmw.i64(v4, v0, vN, v4)".into(),
                "llvm.nacl.atomic.rmw.i64(v5, v0, vN, v4)".into(),
                "llvm.nacl.atomic.rmw.i64(v6, v0, vN, v4)".into(),
                "llvm.nacl.atomic.rmw.i64(v7, v0, vN, v4)".into(),
                "llvm.nacl.atomic.rmw.i64(v8, v0, vN, v4)".into(),
                "llvm.nacl.atomic.cmpxchg.i64(v0, vN, vN, v4, v4)".into(),
                "llvm.nacl.atomic.load.i64(v0, v4)".into(),
            ],
            "f64" => vec!["llvm.sqrt.f64(vN)".into()],
            _ => Vec::<String>::new(),
        };
        for call in calls {
            let result = value(&mut text, ty, format!("call @{}", call.replace("vN", &format!("v{v}"))));
            let _ = writeln!(text, "  store v{result} to v0, align {align}");
        }
    }
    text + "  call @llvm.nacl.longjmp(v0, v0)\n  unreachable\n}\n"
}

#[test]
fn objects_call_the_listed_helpers_and_no_others() {
    let scratch = Scratch::new();
    let input = scratch.write("helpers.ice", program());
    for target in ALL_TARGETS {
        for level in ["-Om1", "-O2"] {
            let what = format!("{target} {level}");
            let output =
                ice().args(["translate", "--target", target, level, "-o", "-"]).arg(&input).output().unwrap();
            expect_success(&output, &what);
            let file = object::File::parse(&*output.stdout).expect("an object");
            let undefined = file.symbols().filter(|symbol| symbol.is_undefined());
            let asked: BTreeSet<String> =
                undefined.filter_map(|s| s.name().ok()).filter(|n| !n.is_empty()).map(String::from).collect();
            assert_eq!(asked, documented(target), "{what}");
        }
    }
}
