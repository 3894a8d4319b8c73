//! Programs made of small functions: what the interpreter computes, every target and recipe must.

use super::{ALL_TARGETS, Scratch, can_run, errors, run_ice};
use std::fmt::Write;

/// Everything of a sample but its entry point: how to find the host and how to exit.
fn host_part() -> &'static str {
    let sample = include_str!("../../samples/hello.ice");
    let end = sample.find("define external @_start").expect("the sample has an entry point");
    &sample[..end]
}

/// A module of functions `@op_0`, `@op_1`, … from one number to one number, and the calls of them.
#[derive(Default)]
pub struct Program {
    functions: String,
    constants: String,
    calls: String,
    next: u32,
    functions_made: u32,
}

impl Program {
    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// Adds a function with this body, in which `v0` is the argument, `v1`, `v2`, … the `constants` (type and
    /// number) and `v99` the result, all of type `ty` where nothing else is said, and calls it with `inputs`.
    pub fn function(&mut self, ty: &str, constants: &[(&str, i64)], body: &str, inputs: &[i64]) {
        let name = self.functions_made;
        self.functions_made += 1;
        let mut text = format!("define internal @op_{name}(v0: {ty}) -> {ty} {{\n");
        for (n, (ty, number)) in constants.iter().enumerate() {
            let _ = writeln!(text, "  v{}: {ty} = {number}", n + 1);
        }
        let _ = write!(text, "{}\n}}\n\n", body.trim_end());
        self.functions += &text;
        for input in inputs {
            let (arg, result) = (self.fresh(), self.fresh());
            let _ = writeln!(self.constants, "  v{arg}: {ty} = {input}");
            let _ = writeln!(self.calls, "  v{result}: {ty} = call @op_{name}(v{arg})");
            let wide = match ty {
                "i32" => result,
                _ => {
                    let wide = self.fresh();
                    let cast = if ty == "i64" { "trunc" } else { "zext" };
                    let _ = writeln!(self.calls, "  v{wide}: i32 = {cast} v{result}");
                    wide
                }
            };
            self.mix(wide);
            if ty == "i64" {
                let (shifted, high) = (self.fresh(), self.fresh());
                let _ = writeln!(self.calls, "  v{shifted}: i64 = lshr v{result}, v1000001");
                let _ = writeln!(self.calls, "  v{high}: i32 = trunc v{shifted}");
                self.mix(high);
            }
        }
    }

    /// Mixes a value into the number in `@sum`.
    fn mix(&mut self, value: u32) {
        let [old, product, sum] = [0; 3].map(|_| self.fresh());
        let _ = writeln!(self.calls, "  v{old}: i32 = load v1000003, align 1");
        let _ = writeln!(self.calls, "  v{product}: i32 = mul v{old}, v1000002");
        let _ = writeln!(self.calls, "  v{sum}: i32 = add v{product}, v{value}");
        let _ = writeln!(self.calls, "  store v{sum} to v1000003, align 1");
    }

    /// Compares eight bits that depend on all results.
    #[track_caller]
    pub fn check(self, name: &str) {
        check_function(name, &self.text());
    }

    /// The functions, and `@test()` that mixes all their results.
    pub fn text(self) -> String {
        let mut text = String::from("global internal @sum align 4 = zero 4\n");
        text += "global internal @cell align 8 = zero 16\nglobal internal @bytes align 1 = zero 1000\n\n";
        text += "intrinsic external @llvm.memcpy.p0i8.p0i8.i32(i32, i32, i32, i32, i1) -> void\n";
        text += "intrinsic external @llvm.memmove.p0i8.p0i8.i32(i32, i32, i32, i32, i1) -> void\n";
        text += "intrinsic external @llvm.memset.p0i8.i32(i32, i8, i32, i32, i1) -> void\n\n";
        text += &self.functions;
        let _ = write!(
            text,
            "define internal @test() -> i32 {{\n  v1000001: i64 = 32\n  v1000002: i32 = 31\n  v1000003: i32 = @sum\n{}block0:\n{}  v1000004: i32 = load v1000003, align 1\n  ret v1000004\n}}\n\n",
            self.constants, self.calls
        );
        text
    }
}

/// Compares eight bits that depend on all of what `@test()`, one of these functions, returns.
#[track_caller]
pub fn check_function(name: &str, functions: &str) {
    check_program(name, &with_entry(functions));
}

/// A program that exits with eight bits that depend on all of what `@test()`, one of these functions, returns.
pub fn with_entry(functions: &str) -> String {
    // The upper bits of a product depend on all bits of the number.
    let start = "define external @_start(v0: i32) -> void {
  v1: i32 = 24
  v2: i32 = -1640531527
block0:
  call @connect(v0)
  v3: i32 = call @test()
  v4: i32 = mul v3, v2
  v5: i32 = lshr v4, v1
  call @exit(v5)
  unreachable
}
";
    format!("{}\n{functions}\n{start}", host_part())
}

/// Runs a program in the interpreter and, with every recipe, on every target, and compares exit codes.
#[track_caller]
pub fn check_program(name: &str, text: &str) {
    let scratch = Scratch::new();
    let file = scratch.write(&format!("{name}.ice"), text);
    let file = file.to_str().expect("a plain path");
    let expected = run_ice(["interpret", file]);
    assert!(
        expected.status.code().is_some() && errors(&expected).is_empty(),
        "{name}: {}",
        errors(&expected)
    );
    for target in ALL_TARGETS {
        if !can_run(target) {
            continue;
        }
        for recipe in ["-Om1", "-O2"] {
            let output = run_ice(["run", "--target", target, recipe, file]);
            let (code, want) = (output.status.code(), expected.status.code());
            assert_eq!(code, want, "{name} on {target} at {recipe}: {}", errors(&output));
        }
    }
}

/// The widths of scalar integers.
pub const WIDTHS: [(&str, u32); 4] = [("i8", 8), ("i16", 16), ("i32", 32), ("i64", 64)];

/// A number cut to a width and extended with its sign.
pub fn cut(bits: u32, number: i64) -> i64 {
    number << (64 - bits) >> (64 - bits)
}

/// Numbers at the edges of a width.
pub fn edges(bits: u32) -> Vec<i64> {
    let min = i64::MIN >> (64 - bits);
    let mut numbers =
        vec![0, 1, 2, 3, 5, 7, 10, 99, 100, 127, -1, -2, -3, -7, -100, min, min + 1, !min, !min - 1];
    numbers.extend(
        [0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x1_0000_0000, 0x1234_5678_9abc_def0].map(|n| cut(bits, n)),
    );
    numbers.retain(|&n| cut(bits, n) == n);
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
