//! Programs at the edge of what functions look like: hundreds of arguments, ten thousand blocks, a hundred
//! thousand cases, huge and over-aligned frames. The interpreter says what each must return; the exit code
//! of the translated program is compared with it.

use crate::common;

use common::program::{check_function as check, with_entry};
use common::{Scratch, errors, run_ice};
use std::fmt::Write;

/// A deterministic sequence of numbers (xorshift, Marsaglia 2003).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Text of one function, with fresh value names.
struct Body {
    constants: String,
    code: String,
    next: u32,
}

impl Body {
    fn new(params: u32) -> Body {
        Body { constants: String::new(), code: String::new(), next: params }
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    fn constant(&mut self, ty: &str, value: impl std::fmt::Display) -> u32 {
        let v = self.fresh();
        let _ = writeln!(self.constants, "  v{v}: {ty} = {value}");
        v
    }

    fn value(&mut self, ty: &str, text: impl std::fmt::Display) -> u32 {
        let v = self.fresh();
        let _ = writeln!(self.code, "  v{v}: {ty} = {text}");
        v
    }

    /// `accumulator × 31 + value`.
    fn mix(&mut self, accumulator: u32, factor: u32, value: u32) -> u32 {
        let product = self.value("i32", format!("mul v{accumulator}, v{factor}"));
        self.value("i32", format!("add v{product}, v{value}"))
    }

    fn finish(self, header: &str, result: u32) -> String {
        format!(
            "define internal {header} -> i32 {{\n{}block0:\n{}  ret v{result}\n}}\n",
            self.constants, self.code
        )
    }
}

#[test]
fn three_hundred_arguments() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..3 {
        let types: Vec<&str> =
            (0..300).map(|_| ["i32", "i64", "f32", "f64", "v4i32"][random.next() as usize % 5]).collect();

        let mut callee = Body::new(300);
        let zero = callee.constant("i32", 0);
        let factor = callee.constant("i32", 31);
        let mut sum = zero;
        for (i, ty) in types.iter().enumerate() {
            let part = match *ty {
                "i32" => i as u32,
                "i64" => callee.value("i32", format!("trunc v{i}")),
                "f32" => callee.value("i32", format!("bitcast v{i}")),
                "f64" => callee.value("i32", format!("fptosi v{i}")),
                _ => callee.value("i32", format!("extractelement v{i}, v{zero}")),
            };
            sum = callee.mix(sum, factor, part);
        }
        let params: Vec<String> = types.iter().enumerate().map(|(i, ty)| format!("v{i}: {ty}")).collect();
        let callee = callee.finish(&format!("@many({})", params.join(", ")), sum);

        let mut caller = Body::new(0);
        let zero = caller.constant("i32", 0);
        let args: Vec<String> = types
            .iter()
            .map(|ty| {
                let bits = random.next();
                let value = match *ty {
                    "i32" => caller.constant("i32", bits as i32),
                    "i64" => caller.constant("i64", bits as i64),
                    "f32" => caller.constant("f32", format!("0x{:08x}", (bits as i32 as f32).to_bits())),
                    "f64" => caller.constant("f64", format!("0x{:016x}", f64::from(bits as i32).to_bits())),
                    _ => {
                        let undef = caller.constant("v4i32", "undef");
                        let element = caller.constant("i32", bits as i32);
                        caller.value("v4i32", format!("insertelement v{undef}, v{element}, v{zero}"))
                    }
                };
                format!("v{value}")
            })
            .collect();
        let result = caller.value("i32", format!("call @many({})", args.join(", ")));
        let caller = caller.finish("@test()", result);
        check(&format!("arguments{round}"), &(callee + &caller));
    }
}

#[test]
fn ten_thousand_blocks() {
    let mut text = String::from(
        "define internal @test() -> i32 {\n  v0: i32 = 0\n  v1: i32 = 1\n  v2: i32 = 3\nblock0:\n  br block1\n",
    );
    let blocks = 10_000;
    let mut sum = 0;
    for (i, v) in (1..blocks).zip((4..).step_by(4)) {
        let _ = write!(
            text,
            "block{i}:\n  v{v}: i32 = mul v{sum}, v2\n  v{}: i32 = add v{v}, v1\n  v{}: i32 = and v{}, v1\n  v{}: i1 = icmp eq v{}, v1\n",
            v + 1,
            v + 2,
            v + 1,
            v + 3,
            v + 2
        );
        let next = i + 1;
        let _ = match i % 7 {
            0 => writeln!(text, "  br v{}, block{next}, block{next}", v + 3),
            3 if next < blocks => writeln!(text, "  br v{}, block{next}, block{blocks}", v + 3),
            _ => writeln!(text, "  br block{next}"),
        };
        sum = v + 1;
    }
    // Only the first value reaches the end on every way.
    let _ = write!(text, "block{blocks}:\n  ret v5\n}}\n");
    check("blocks", &text);
}

/// `@pick` switches over `values` to three blocks; `@test` mixes what it gives for the ends, the middle,
/// the neighbours and zero.
fn switch_program(ty: &str, bits: u32, values: &[i64]) -> String {
    let cases: Vec<String> =
        values.iter().enumerate().map(|(i, v)| format!("{v}: block{}", 2 + i % 3)).collect();
    let pick = format!(
        "define internal @pick(v0: {ty}) -> i32 {{
  v1: i32 = 1
  v2: i32 = 2
  v3: i32 = 3
  v4: i32 = 7
block0:
  switch v0, block1 [{}]
block1:
  br block5
block2:
  br block5
block3:
  br block5
block4:
  br block5
block5:
  v5: i32 = phi [v1, block1], [v2, block2], [v3, block3], [v4, block4]
  ret v5
}}
",
        cases.join(", ")
    );
    let (min, max) = (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits));
    let (first, last, middle) = (values[0], values[values.len() - 1], values[values.len() / 2]);
    let probes = [first, last, middle, min, max, 0, 1, -1]
        .into_iter()
        .flat_map(|p| [p.wrapping_sub(1), p, p.wrapping_add(1), p ^ (1 << 32)])
        .filter(|p| (min..=max).contains(p));
    let mut body = Body::new(0);
    let (mut sum, factor) = (body.constant("i32", 0), body.constant("i32", 31));
    for probe in probes {
        let probe = body.constant(ty, probe);
        let picked = body.value("i32", format!("call @pick(v{probe})"));
        sum = body.mix(sum, factor, picked);
    }
    pick + &body.finish("@test()", sum)
}

#[test]
fn switches_of_every_shape() {
    let spread = |count: i64, step: i64| (0..count).map(|i| (i - count / 2) * step).collect::<Vec<_>>();
    check("sparse", &switch_program("i32", 32, &spread(100_000, 977)));
    check("dense", &switch_program("i32", 32, &spread(1000, 1)));
    check("wide-sparse", &switch_program("i64", 64, &spread(5000, (1 << 40) + 977)));
    check("wide-dense", &switch_program("i64", 64, &spread(300, 1)));
    let high: Vec<i64> = spread(300, 1).iter().map(|v| v + (5 << 40)).collect();
    check("wide-high", &switch_program("i64", 64, &high));
    let ends: Vec<i64> = (0..6).flat_map(|i| [i64::MIN + i, i64::MAX - i]).collect();
    check("wide-ends", &switch_program("i64", 64, &ends));
    check("one", &switch_program("i32", 32, &[i64::from(i32::MIN)]));
}

/// Start code calls a `main` without parameters with three arguments; C calls functions whose result it does not want
/// through pointers to functions without one.
#[test]
fn indirect_calls_with_more_arguments_and_without_the_result() {
    let text = "global internal @cell align 4 = zero 4
define internal @none() -> i32 {
  v0: i32 = 7
block0:
  ret v0
}
define internal @one(v0: i32) -> i64 {
  v1: i32 = @cell
block0:
  store v0 to v1, align 1
  v2: i64 = zext v0
  ret v2
}
define internal @two(v0: f64, v1: i64) -> v4i32 {
  v2: i32 = @cell
  v3: v4i32 = undef
  v6: i32 = 3
block0:
  v4: i32 = trunc v1
  v5: i32 = load v2, align 1
  v7: i32 = mul v5, v6
  v8: i32 = add v4, v7
  v9: i32 = fptosi v0
  v10: i32 = add v8, v9
  store v10 to v2, align 1
  ret v3
}
define internal @test() -> i32 {
  v0: i32 = @none
  v1: i32 = @one
  v2: i32 = @two
  v3: i32 = 1000
  v4: i64 = 5
  v5: f64 = 0x4014000000000000
  v6: i32 = @cell
  v7: v4i32 = undef
block0:
  v8: i32 = call_indirect v0(v3, v4, v5)
  call_indirect v0()
  call_indirect v1(v3)
  v9: i64 = call_indirect v1(v3, v5, v7)
  call_indirect v2(v5, v4, v3)
  call_indirect v2(v5, v4)
  v10: i32 = load v6, align 1
  v11: i32 = trunc v9
  v12: i32 = add v8, v10
  v13: i32 = add v12, v11
  ret v13
}
";
    check("indirect", text);
    // What x86-32 leaves on the stack of the x87 unit must be taken from there.
    let ignored = "define internal @number() -> f64 {\n  v0: f64 = 0x4014000000000000\nblock0:\n  ret v0\n}
define internal @test() -> i32 {\n  v0: i32 = @number\nblock0:\n  call_indirect v0()\n  ret v0\n}\n";
    let scratch = Scratch::new();
    let file = scratch.write("ignored.ice", with_entry(ignored));
    let output = run_ice(["interpret".as_ref(), file.as_os_str()]);
    assert!(errors(&output).contains("trap"), "{}", errors(&output));
}

#[test]
fn large_frames() {
    for size in [5000, 1 << 20, 8 << 20] {
        // Writes the first word of every page and the last word.
        let text = format!(
            "define internal @test() -> i32 {{
  v0: i32 = {size}
  v1: i32 = 0
  v2: i32 = 77
  v3: i32 = 4096
  v4: i32 = {}
block0:
  v5: i32 = alloca v0, align 16
  v6: i32 = add v5, v4
  store v2 to v6, align 1
  v7: i32 = load v6, align 1
  br block1
block1:
  v8: i32 = phi [v1, block0], [v10, block1]
  v9: i32 = add v5, v8
  store v8 to v9, align 1
  v10: i32 = add v8, v3
  v11: i1 = icmp ult v10, v4
  br v11, block1, block2
block2:
  v12: i32 = load v5, align 1
  v13: i32 = add v12, v7
  ret v13
}}
",
            size - 4
        );
        check(&format!("frame{size}"), &text);
    }
}

#[test]
fn a_frame_that_cannot_work_is_refused() {
    let scratch = Scratch::new();
    let text = "define internal @test() -> i32 {
  v0: i32 = 2000000000
block0:
  v1: i32 = alloca v0, align 16
  ret v1
}
";
    let file = scratch.write("huge.ice", with_entry(text));
    let out = scratch.path("huge.o");
    let output = run_ice(["translate".as_ref(), file.as_os_str(), "-o".as_ref(), out.as_os_str()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("too large") && errors(&output).contains("test"), "{}", errors(&output));
    assert!(!out.exists());
}

#[test]
fn over_aligned_and_odd_allocations() {
    let text = "define internal @sum(v0: i32, v1: i32) -> i32 {
block0:
  v2: i32 = load v0, align 1
  v3: i32 = load v1, align 1
  v4: i32 = add v2, v3
  ret v4
}
define internal @test() -> i32 {
  v0: i32 = 24
  v1: i32 = 4095
  v2: i32 = 63
  v3: i32 = 5
  v4: i32 = 3
block0:
  v5: i32 = alloca v0, align 4096
  v6: i32 = alloca v0, align 64
  v7: i32 = alloca v4, align 1
  v8: i32 = and v5, v1
  v9: i32 = and v6, v2
  store v3 to v5, align 1
  store v1 to v6, align 1
  v10: i32 = call @sum(v5, v6)
  v11: i32 = add v8, v9
  v12: i32 = add v10, v11
  ret v12
}
";
    check("aligned", text);
}

/// Values that wait in memory while `setjmp` returns for the first time must still be there when it returns
/// for the second, whatever ran in between.
#[test]
fn values_outlive_a_second_return() {
    let bytes: String = (0..32).map(|i| format!("\\{:02x}\\00\\00\\00", i * 7)).collect();
    let mut body = Body::new(0);
    let zero = body.constant("i32", 0);
    let one = body.constant("i32", 1);
    let factor = body.constant("i32", 31);
    let offsets: Vec<u32> = (0..32).map(|i| body.constant("i32", 4 * i)).collect();
    let load = |body: &mut Body, offsets: &[u32]| -> Vec<u32> {
        let address = |body: &mut Body, offset| body.value("i32", format!("add @data, v{offset}"));
        let addresses: Vec<u32> = offsets.iter().map(|offset| address(body, offset)).collect();
        addresses.iter().map(|a| body.value("i32", format!("load v{a}, align 1"))).collect()
    };
    let early = load(&mut body, &offsets[..16]);
    let returned = body.value("i32", "call @llvm.nacl.setjmp(@buffer)");
    let sum = early.iter().fold(returned, |sum, &value| body.mix(sum, factor, value));
    let first = body.value("i1", format!("icmp eq v{returned}, v{zero}"));
    let _ = write!(body.code, "  br v{first}, block1, block2\nblock1:\n");
    let late = load(&mut body, &offsets[16..]);
    let called = body.value("i32", format!("call @same(v{one})"));
    let other = late.iter().fold(called, |sum, &value| body.mix(sum, factor, value));
    let _ = write!(
        body.code,
        "  store v{other} to @kept, align 1\n  call @llvm.nacl.longjmp(@buffer, v{one})\n  unreachable\nblock2:\n"
    );
    let text = format!(
        "global @kept align 4 = zero 4
global @buffer align 8 = zero 1024
constant @data align 4 = bytes \"{bytes}\"
intrinsic external @llvm.nacl.setjmp(i32) -> i32
intrinsic external @llvm.nacl.longjmp(i32, i32) -> void
define internal @same(v0: i32) -> i32 {{
block0:
  ret v0
}}
{}",
        body.finish("@test()", sum)
    );
    check("setjmp", &text);
}

/// Where the stack is small (a thread of a host program, a limit of the shell), translating takes a part of it that does
/// not depend on the input.
#[test]
fn a_small_stack_is_enough() {
    let scratch = Scratch::new();
    // Branches within each other.
    let mut text =
        String::from("define internal @test() -> i32 {\n  v0: i32 = 1\n  v1: i1 = 1\nblock0:\n  br block1\n");
    for block in 1..500 {
        let _ = writeln!(text, "block{block}:\n  br v1, block{}, block{}", block + 1, 1000 - block);
    }
    text += "block500:\n  ret v0\n";
    for block in 501..1000 {
        let _ = writeln!(text, "block{block}:\n  br v1, block{}, block{}", 1000 - block, block % 500 + 500);
    }
    let deep = scratch.write("deep.ice", with_entry(&(text + "}\n")));
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../samples/mandelbrot.ice");
    for target in common::ALL_TARGETS {
        for level in ["-Om1", "-O2"] {
            for threads in ["0", "2"] {
                let object = scratch.path("out.o");
                for input in [sample.as_ref(), deep.as_os_str()] {
                    let limited = "ulimit -s 256; exec \"$0\" \"$@\"";
                    let mut shell = std::process::Command::new("sh");
                    shell.args(["-c", limited, env!("CARGO_BIN_EXE_ice"), "translate"]);
                    shell.args(["--target", target, level, "--threads", threads]);
                    let output = shell.arg(input).arg("-o").arg(&object).output().unwrap();
                    common::expect_success(&output, &format!("{target} {level} {input:?}"));
                }
            }
        }
    }
}
