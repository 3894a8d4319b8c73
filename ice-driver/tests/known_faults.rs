//! Wrong code that the original Subzero makes, or made until it was found: each fault has a program here that
//! shows it. The interpreter says what is right; every target and recipe must agree.
//!
//! Sections of the behaviour document, and lessons of later versions (26.3):
//!
//! | section | fault | test |
//! |---|---|---|
//! | 7.2.7, 26.3 | sizes of allocas overflow when they are added up | `allocas_do_not_add_up_past_the_address_space` |
//! | 7.4.3 | a division is hoisted past the guard that keeps it from trapping | `divisions_stay_behind_their_guards` |
//! | 7.4.3 | hoisting stops at the first loop without a pre-header | `loops_after_one_without_a_pre_header_compute_the_same`; that they are improved: `licm-makes-a-pre-header` of the passes |
//! | 7.8.1 | a switch without cases | `switches_without_cases_go_to_the_default` |
//! | 7.8.1 | cases on both sides of zero | `cases_on_both_sides_of_zero_are_found` |
//! | 12.3 | arguments of the Microsoft convention | none: Ice does not have it |
//! | 13.1.2 | r10 is lost with a frame pointer | `every_register_is_used_with_a_frame_pointer` |
//! | 13.3.5 | `x × 4 \| 4` is taken for `x × 4 + 4` | `or_is_an_addition_only_of_bits_that_are_zero` |
//! | 13.13.1 | 64-bit cases are cut to 32 bits | `wide_cases_keep_their_upper_halves` |
//! | 14.7 | unsigned division of narrow numbers by constants with the top bit | `narrow_divisors_are_unsigned` |
//! | 14.11 | a subtraction in an address is taken for an addition | `addresses_may_be_differences` |
//! | 15.5 | 64-bit shifts by the constant 0 | `wide_shifts_by_constants_are_whole` |
//! | 26.3 | both operands are immediates | `operations_of_two_constants` |
//! | 26.3 | an integer goes into a vector from a slot, not from a register | `lanes_are_inserted_from_the_frame` |

use crate::common;

use common::program::{Program, check_function, cut, edges, with_entry};
use common::{ALL_TARGETS, Scratch, errors, run_ice};
use std::fmt::Write;

#[test]
fn allocas_do_not_add_up_past_the_address_space() {
    // The sums modulo 2^32 are 0, 2 and 4096.
    for sizes in [[0x8000_0000u32, 0x8000_0000, 0], [0x5555_5556; 3], [0x7fff_f000, 0x7fff_f000, 0x3000]] {
        let mut text = String::from("define internal @test() -> i32 {\n");
        for (n, size) in sizes.iter().enumerate() {
            let _ = writeln!(text, "  v{n}: i32 = {}", *size as i32);
        }
        text += "block0:\n";
        for n in 0..3 {
            let _ = writeln!(
                text,
                "  v{}: i32 = alloca v{n}, align 16\n  store v0 to v{}, align 1",
                n + 3,
                n + 3
            );
        }
        text += "  v6: i32 = load v3, align 1\n  ret v6\n}\n";
        let scratch = Scratch::new();
        let file = scratch.write("allocas.ice", with_entry(&text));
        for target in ALL_TARGETS {
            for recipe in ["-Om1", "-O2"] {
                let out = scratch.path("allocas.o");
                let flags = ["translate", recipe, "--target", target, "-o"].map(std::ffi::OsStr::new);
                let output = run_ice(flags.into_iter().chain([out.as_os_str(), file.as_os_str()]));
                assert_eq!(output.status.code(), Some(1), "{sizes:x?} on {target}: {}", errors(&output));
                assert!(errors(&output).contains("too large"), "{}", errors(&output));
                assert!(!out.exists());
            }
        }
    }
}

/// In a loop, a division of invariant numbers: by zero where the guard says so, and of the least number by -1.
#[test]
fn divisions_stay_behind_their_guards() {
    for ty in ["i8", "i32", "i64"] {
        let bits = ty[1..].parse().unwrap();
        let mut program = Program::default();
        for op in ["sdiv", "udiv", "srem", "urem"] {
            for (guard, divisor) in [("ne v0, v2", "v0"), ("ne v3, v2", "v3"), ("sgt v0, v4", "v0")] {
                let body = format!(
                    "  v1: {ty} = 100\n  v2: {ty} = 0\n  v4: {ty} = 3\n  v5: {ty} = 5\n  v6: {ty} = 1\n  v7: {ty} = {}
block0:
  v3: {ty} = sub v0, v4
  br block1
block1:
  v20: {ty} = phi [v2, block0], [v24, block3]
  v21: {ty} = phi [v2, block0], [v25, block3]
  v22: i1 = icmp {guard}
  br v22, block2, block3
block2:
  v23: {ty} = {op} v1, {divisor}
  v26: {ty} = add v21, v23
  br block3
block3:
  v25: {ty} = phi [v21, block1], [v26, block2]
  v24: {ty} = add v20, v6
  v27: i1 = icmp ult v24, v5
  br v27, block1, block4
block4:
  v99: {ty} = xor v25, v7
  ret v99",
                    cut(bits, 0x55)
                );
                program.function(ty, &[], &body, &edges(bits));
            }
        }
        // The quotient of the least number and -1 traps where it has no result.
        let min = i64::MIN >> (64 - bits);
        let body = format!(
            "  v1: {ty} = {min}\n  v2: {ty} = -1\n  v3: {ty} = 0\n  v5: {ty} = 4\n  v6: {ty} = 1
block0:
  br block1
block1:
  v20: {ty} = phi [v3, block0], [v24, block4]
  v21: {ty} = phi [v3, block0], [v25, block4]
  v22: i1 = icmp eq v0, v2
  br v22, block4, block2
block2:
  v23: i1 = icmp eq v0, v3
  br v23, block4, block3
block3:
  v26: {ty} = sdiv v1, v0
  v27: {ty} = add v26, v21
  br block4
block4:
  v25: {ty} = phi [v21, block1], [v0, block2], [v27, block3]
  v24: {ty} = add v20, v6
  v28: i1 = icmp ult v24, v5
  br v28, block1, block5
block5:
  ret v25"
        );
        program.function(ty, &[], &body, &edges(bits));
        program.check(&format!("guards-{ty}"));
    }
}

/// The first loop is entered from two blocks; the second has something to hoist.
#[test]
fn loops_after_one_without_a_pre_header_compute_the_same() {
    let mut program = Program::default();
    let body = "  v1: i32 = 0\n  v2: i32 = 1\n  v3: i32 = 7\n  v4: i32 = 13
block0:
  v20: i1 = icmp slt v0, v1
  br v20, block1, block2
block1:
  br block2
block2:
  v21: i32 = phi [v1, block0], [v3, block1], [v22, block2]
  v22: i32 = add v21, v2
  v23: i1 = icmp slt v22, v4
  br v23, block2, block3
block3:
  v24: i32 = phi [v1, block2], [v27, block3]
  v25: i32 = phi [v22, block2], [v28, block3]
  v26: i32 = mul v0, v4
  v27: i32 = add v24, v2
  v28: i32 = add v25, v26
  v29: i1 = icmp slt v27, v3
  br v29, block3, block4
block4:
  ret v28";
    program.function("i32", &[], body, &edges(32));
    program.check("pre-header");
}

#[test]
fn switches_without_cases_go_to_the_default() {
    for ty in ["i8", "i16", "i32", "i64"] {
        let mut program = Program::default();
        let body = format!(
            "  v1: {ty} = 3\nblock0:\n  v2: {ty} = add v0, v1\n  switch v2, block1 []\nblock1:\n  v99: {ty} = mul v2, v1\n  ret v99"
        );
        program.function(ty, &[], &body, &edges(ty[1..].parse().unwrap()));
        program.check("no-cases");
    }
}

/// A function that gives another number for each of these cases, called with them and with what is near.
fn switch_of(ty: &str, cases: &[i64], probes: &[i64]) -> String {
    let bits: u32 = ty[1..].parse().unwrap();
    let mut program = Program::default();
    let (mut constants, mut blocks, mut phis) =
        (String::new(), String::new(), String::from("[v900, block0]"));
    let mut table = Vec::new();
    for (n, case) in cases.iter().enumerate() {
        let _ = writeln!(constants, "  v{}: {ty} = {}", 901 + n, n + 3);
        let _ = writeln!(blocks, "block{}:\n  br block1", n + 2);
        let _ = write!(phis, ", [v{}, block{}]", 901 + n, n + 2);
        table.push(format!("{case}: block{}", n + 2));
    }
    let body = format!(
        "  v900: {ty} = 1\n{constants}block0:\n  switch v0, block1 [{}]\nblock1:\n  v99: {ty} = phi {phis}\n  ret v99\n{blocks}",
        table.join(", ")
    );
    let near = cases.iter().chain(probes).flat_map(|&n| [n.wrapping_sub(1), n, n.wrapping_add(1)]);
    let mut inputs: Vec<i64> = near.map(|n| cut(bits, n)).collect();
    inputs.sort_unstable();
    inputs.dedup();
    program.function(ty, &[], &body, &inputs);
    program.text()
}

#[test]
fn cases_on_both_sides_of_zero_are_found() {
    for ty in ["i8", "i16", "i32", "i64"] {
        let dense: Vec<i64> = (-7..9).collect();
        check_function("signs", &switch_of(ty, &dense, &edges(8)));
        check_function("gaps", &switch_of(ty, &[-100, -3, -2, -1, 0, 1, 2, 90, 91, 93], &edges(8)));
    }
}

#[test]
fn wide_cases_keep_their_upper_halves() {
    let high = 1i64 << 32;
    let sets: [&[i64]; 4] = [
        &[5, high + 5, 3 * high + 5, -high + 5],
        &[0, 1, 2, 3, 0xffff_ffff, -1, high],
        &[i64::MIN, i64::MAX, i64::from(i32::MIN), i64::from(i32::MAX), 0x8000_0000],
        &[7 * high, 7 * high + 1, 7 * high + 2, 7 * high + 3, 7 * high + 4, 1, 2],
    ];
    for cases in sets {
        let probes: Vec<i64> =
            cases.iter().flat_map(|&n| [n as i32 as i64, n as u32 as i64, n ^ high]).collect();
        check_function("wide", &switch_of("i64", cases, &probes));
    }
}

/// Seventeen values wait for each other while the frame is addressed from its base. Each is needed twice, so that its load
/// is no operand.
#[test]
fn every_register_is_used_with_a_frame_pointer() {
    let mut text = String::from(
        "define external @f(v0: i32) -> i32 {\n  v1: i32 = 4\nblock0:\n  v2: i32 = alloca v0, align 16\n",
    );
    for n in 0..17 {
        let (from, to) = (n * 2 + 2, n * 2 + 4);
        let _ =
            writeln!(text, "  v{}: i32 = load v{from}, align 1\n  v{to}: i32 = add v{from}, v1", from + 1);
    }
    // No load passes a store, to become an operand where it is used: all are in registers.
    text += "  store v0 to v2, align 1\n  v60: i32 = xor v3, v5\n";
    for n in 0..15 {
        let _ = writeln!(text, "  v{}: i32 = xor v{}, v{}", 61 + n, 60 + n, 7 + 2 * n);
    }
    for n in 0..15 {
        let _ = writeln!(text, "  v{}: i32 = add v{}, v{}", 76 + n, 75 + n, 7 + 2 * n);
    }
    text += "  ret v90\n}\n";
    let scratch = Scratch::new();
    let file = scratch.write("registers.ice", text);
    let flags =
        ["translate", "-O2", "--target", "x86_64", "--emit", "asm", "-o", "-"].map(std::ffi::OsStr::new);
    let output = run_ice(flags.into_iter().chain([file.as_os_str()]));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("rbp"), "no frame pointer:\n{text}{}", errors(&output));
    for register in ["r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"] {
        assert!(text.contains(register), "{register} is not used:\n{text}");
    }
}

#[test]
fn or_is_an_addition_only_of_bits_that_are_zero() {
    let mut program = Program::default();
    for (shift, factor) in [(1, 2), (2, 4), (3, 8)] {
        for number in 1..=16 {
            for scale in [format!("shl v20, v{}", 3 + shift), format!("mul v20, v{}", 6 + shift)] {
                let body = format!(
                    "  v1: i32 = @bytes\n  v2: i32 = 15\n  v4: i32 = 1\n  v5: i32 = 2\n  v6: i32 = 3\n  v7: i32 = 2\n  v8: i32 = 4\n  v9: i32 = 8\n  v10: i32 = {number}
block0:
  v20: i32 = and v0, v2
  v21: i32 = {scale}
  v22: i32 = or v21, v10
  v23: i32 = add v1, v22
  store v22 to v23, align 1
  v24: i32 = add v21, v1
  v25: i32 = or v24, v10
  v26: i32 = load v23, align 1
  v27: i32 = sub v23, v1
  v28: i32 = mul v27, v2
  v99: i32 = add v28, v26
  ret v99"
                );
                assert_eq!(factor, 1 << shift);
                program.function("i32", &[], &body, &[0, 1, 2, 3, 5, 10, 15]);
            }
        }
    }
    program.check("or");
}

#[test]
fn narrow_divisors_are_unsigned() {
    for (ty, divisors) in
        [("i8", vec![128, 129, 200, 254, 255]), ("i16", vec![0x8000, 0x8001, 0xfffe, 0xffff])]
    {
        let bits = ty[1..].parse().unwrap();
        let mut program = Program::default();
        for divisor in divisors {
            for op in ["udiv", "urem"] {
                let body = format!(
                    "  v1: {ty} = {}\nblock0:\n  v99: {ty} = {op} v0, v1\n  ret v99",
                    cut(bits, divisor)
                );
                program.function(ty, &[], &body, &edges(bits));
            }
        }
        program.check("narrow");
    }
}

#[test]
fn addresses_may_be_differences() {
    let mut program = Program::default();
    for address in ["sub v21, v20", "sub v21, v2", "sub v21, v22"] {
        let body = format!(
            "  v1: i32 = @bytes\n  v2: i32 = 7\n  v3: i32 = 200\n  v4: i32 = 2
block0:
  v20: i32 = and v0, v2
  v22: i32 = shl v20, v4
  v21: i32 = add v1, v3
  v23: i32 = {address}
  store v0 to v23, align 1
  v24: i32 = load v23, align 1
  v25: i32 = sub v23, v1
  v26: i32 = mul v25, v3
  v99: i32 = add v24, v26
  ret v99"
        );
        program.function("i32", &[], &body, &edges(32));
    }
    program.check("differences");
}

#[test]
fn wide_shifts_by_constants_are_whole() {
    let mut program = Program::default();
    for op in ["shl", "lshr", "ashr"] {
        for amount in [0, 1, 31, 32, 33, 63] {
            let body = format!("  v1: i64 = {amount}\nblock0:\n  v99: i64 = {op} v0, v1\n  ret v99");
            program.function("i64", &[], &body, &edges(64));
        }
    }
    program.check("wide-shifts");
}

#[test]
fn operations_of_two_constants() {
    for ty in ["i8", "i16", "i32", "i64"] {
        let mut program = Program::default();
        for op in
            ["add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "sdiv", "udiv", "srem", "urem"]
        {
            let body = format!(
                "  v1: {ty} = 100\n  v2: {ty} = 3\nblock0:\n  v3: {ty} = {op} v1, v2\n  v99: {ty} = add v3, v0\n  ret v99"
            );
            program.function(ty, &[], &body, &[1, -5]);
        }
        for cond in ["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"] {
            let body = format!(
                "  v1: {ty} = 100\n  v2: {ty} = -3\nblock0:\n  v3: i1 = icmp {cond} v1, v2\n  v99: {ty} = select v3, v0, v1\n  ret v99"
            );
            program.function(ty, &[], &body, &[1, -5]);
        }
        program.check("constants");
    }
}

/// More numbers are alive than there are registers when each is put into a lane.
#[test]
fn lanes_are_inserted_from_the_frame() {
    for (vector, ty, lanes) in [("v4i32", "i32", 4), ("v8i16", "i16", 8), ("v16i8", "i8", 16)] {
        let mut program = Program::default();
        let mut body = format!("  v1: {vector} = undef\n  v2: {ty} = 37\n");
        for lane in 0..16 {
            let _ = writeln!(body, "  v{}: i32 = {lane}", 10 + lane);
        }
        body += "block0:\n";
        for n in 0..24 {
            let last = if n == 0 { 0 } else { 99 + n };
            let _ = writeln!(body, "  v{}: {ty} = mul v{last}, v2", 100 + n);
        }
        let mut last = 1;
        for n in 0..24 {
            let _ = writeln!(
                body,
                "  v{}: {vector} = insertelement v{last}, v{}, v{}",
                200 + n,
                100 + (n * 7) % 24,
                10 + n % lanes
            );
            last = 200 + n;
        }
        let _ = writeln!(body, "  v300: {ty} = sub v100, v2");
        for n in 0..lanes {
            let _ = writeln!(body, "  v{}: {ty} = extractelement v{last}, v{}", 400 + n, 10 + n);
            let _ = writeln!(body, "  v{}: {ty} = mul v{}, v2", 500 + n, 300 + n);
            let _ = writeln!(body, "  v{}: {ty} = add v{}, v{}", 301 + n, 500 + n, 400 + n);
        }
        for n in 0..24 {
            let before = if n == 0 { 300 + lanes } else { 600 + n };
            let _ = writeln!(body, "  v{}: {ty} = xor v{before}, v{}", 601 + n, 100 + n);
        }
        let _ = write!(body, "  v99: {ty} = add v624, v0\n  ret v99");
        program.function(ty, &[], &body, &[1, 2, -3, 77]);
        program.check(vector);
    }
}
