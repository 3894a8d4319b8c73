//! What lowering makes of single operations and of operations that it takes together: division by constants,
//! operations on memory, operands in memory, tests of bits, pairs with a known half. The interpreter says
//! what each must give for numbers at the edges; every target and recipe must give the same.

use crate::common;

use common::program::{Program, WIDTHS, cut, edges};
use std::fmt::Write;

#[test]
fn division_by_constants_is_exact() {
    for (ty, bits) in WIDTHS {
        let mut program = Program::default();
        let divisors = [
            2,
            3,
            5,
            6,
            7,
            9,
            10,
            11,
            12,
            14,
            25,
            28,
            60,
            64,
            100,
            125,
            127,
            128,
            // Those of pairs that divide 2^32 - 1, times powers of two.
            15,
            30,
            51,
            240,
            255,
            257,
            65537 << 7,
            3 << 30,
            1 << 40,
            641,
            1000,
            1024,
            10007,
            65535,
            65536,
            1_000_000_007,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
            0x1_0000_0000,
            0x1_0000_0001,
            -2,
            -3,
            -5,
            -7,
            -16,
            -100,
            i64::MIN,
            i64::MAX,
        ];
        for d in divisors.map(|d| cut(bits, d)).into_iter().filter(|&d| d != 0 && d != -1) {
            for op in ["sdiv", "udiv", "srem", "urem"] {
                program.function(
                    ty,
                    &[(ty, d)],
                    &format!("block0:\n  v99: {ty} = {op} v0, v1\n  ret v99"),
                    &edges(bits),
                );
            }
        }
        program.check(&format!("divide-{ty}"));
    }
}

#[test]
fn multiplication_by_constants_wraps() {
    for (ty, bits) in WIDTHS {
        let mut program = Program::default();
        for n in [2, 3, 4, 5, 7, 8, 9, 10, 16, 100, 255, -1, -3, 0x1_0000_0000, 0x3_0000_0005, 1 << 62] {
            let n = cut(bits, n);
            let body = format!("block0:\n  v90: {ty} = mul v0, v1\n  v99: {ty} = add v90, v0\n  ret v99");
            program.function(ty, &[(ty, n)], &body, &edges(bits));
        }
        program.check(&format!("multiply-{ty}"));
    }
}

/// The load is used once, the result stored where it came from.
#[test]
fn operations_on_memory_keep_their_width() {
    for (ty, bits) in WIDTHS {
        let mut program = Program::default();
        let operations = [
            "add v80, v1",
            "add v1, v80",
            "add v80, v3",
            "sub v80, v1",
            "sub v1, v80",
            "sub v4, v80",
            "and v80, v1",
            "or v80, v1",
            "xor v80, v3",
            "xor v80, v1",
            "shl v80, v5",
            "lshr v80, v5",
            "ashr v80, v5",
            "shl v80, v81",
            "lshr v80, v81",
            "ashr v80, v81",
            "add v80, v0",
            "xor v0, v80",
            "sub v80, v0",
        ];
        for operation in operations {
            // The neighbours of the number in memory must stay as they were.
            let body = format!(
                "block0:
  store v6 to v2, align 1
  store v6 to v7, align 1
  store v0 to v7, align 1
  v81: {ty} = and v0, v5
  v80: {ty} = load v7, align 1
  v82: {ty} = {operation}
  store v82 to v7, align 1
  v83: {ty} = load v7, align 1
  v84: i64 = load v2, align 1
  v85: i64 = lshr v84, v8
  v86: {ty} = {}
  v99: {ty} = xor v83, v86
  ret v99",
                if bits == 64 { "add v85, v84".to_string() } else { "trunc v85".to_string() }
            );
            let constants = [
                (ty, cut(bits, 0x1234_5678_9abc_de35)),
                ("i32", 0),
                (ty, -1),
                (ty, 0),
                (ty, 3),
                ("i64", 0x0102_0304_0506_0708),
                ("i32", 0),
                ("i64", 16),
            ];
            let mut text = String::new();
            for (n, (ty, number)) in constants.iter().enumerate() {
                let value = match n + 1 {
                    2 | 7 => "@cell".to_string(),
                    _ => number.to_string(),
                };
                let _ = writeln!(text, "  v{}: {ty} = {value}", n + 1);
            }
            program.function(ty, &[], &format!("{text}{body}"), &edges(bits));
        }
        program.check(&format!("modify-{ty}"));
    }
}

/// Loads are operands of what uses them; a store between keeps the old value.
#[test]
fn operands_in_memory_are_read_in_time() {
    for (ty, bits) in WIDTHS {
        let mut program = Program::default();
        let uses = [
            "v99: T = add v0, v80",
            "v99: T = sub v0, v80",
            "v99: T = sub v80, v0",
            "v99: T = mul v80, v1",
            "v99: T = mul v0, v80",
            "v99: T = and v80, v1",
            "v99: T = xor v80, v80",
            "v81: i1 = icmp slt v80, v1\n  v99: T = select v81, v0, v1",
            "v81: i1 = icmp ugt v0, v80\n  v99: T = select v81, v0, v1",
            "v81: i1 = icmp ult v80, v0\n  v99: T = select v81, v0, v1",
            "v81: i1 = icmp eq v80, v1\n  v99: T = select v81, v0, v1",
            "v82: T = and v80, v1\n  v81: i1 = icmp eq v82, v3\n  v99: T = select v81, v0, v1",
            "v82: T = and v0, v80\n  v81: i1 = icmp slt v82, v3\n  v99: T = select v81, v0, v1",
            "v81: i1 = trunc v80\n  v99: T = select v81, v0, v1",
            "v81: i1 = trunc v80\n  v82: T = zext v81\n  v99: T = add v82, v0",
        ];
        for (n, text) in uses.iter().enumerate() {
            for between in ["", "  store v1 to v2, align 1\n"] {
                let body = format!(
                    "  v1: {ty} = {}\n  v2: i32 = @cell\n  v3: {ty} = 0\nblock0:\n  store v0 to v2, align 1\n  v80: {ty} = load v2, align 1\n{between}  {}\n  ret v99",
                    [0x5a, 7, -3][n % 3],
                    text.replace('T', ty)
                );
                program.function(ty, &[], &body, &edges(bits));
            }
        }
        program.check(&format!("operands-{ty}"));
    }
}

#[test]
fn conversions_read_memory_of_their_own_width() {
    let mut program = Program::default();
    for (from, to) in
        [("i8", "i16"), ("i8", "i32"), ("i8", "i64"), ("i16", "i32"), ("i16", "i64"), ("i32", "i64")]
    {
        for cast in ["zext", "sext"] {
            let body = format!(
                "  v2: i32 = @cell\nblock0:\n  store v0 to v2, align 1\n  v80: {from} = load v2, align 1\n  v81: {to} = {cast} v80\n  v82: {to} = add v81, v81\n  v99: {from} = trunc v82\n  store v82 to v2, align 1\n  v83: {to} = lshr v82, v82\n  ret v99"
            );
            let body = body.replace("  v83", "  v84").replace(&format!("  v84: {to} = lshr v82, v82\n"), "");
            program.function(
                from,
                &[],
                &body,
                &edges(if from == "i8" {
                    8
                } else if from == "i16" {
                    16
                } else {
                    32
                }),
            );
            // The other way, and the upper bits.
            let wide = if to == "i64" {
                64
            } else if to == "i32" {
                32
            } else {
                16
            };
            let body = format!(
                "  v2: i32 = @cell\nblock0:\n  store v0 to v2, align 1\n  v80: {to} = load v2, align 1\n  v81: {from} = trunc v80\n  v82: {to} = {cast} v81\n  v99: {to} = xor v82, v0\n  ret v99"
            );
            program.function(to, &[], &body, &edges(wide));
        }
    }
    program.check("convert");
}

/// On 32-bit targets these are pairs of which one half is known.
#[test]
fn pairs_with_a_known_half_are_whole_numbers() {
    let mut program = Program::default();
    let bodies = [
        "v80: i32 = trunc v0\n  v81: i64 = zext v80\n  v99: i64 = add v81, v0",
        "v80: i32 = trunc v0\n  v81: i64 = zext v80\n  v99: i64 = sub v0, v81",
        "v80: i32 = trunc v0\n  v81: i64 = zext v80\n  v99: i64 = sub v81, v0",
        "v80: i32 = trunc v0\n  v81: i64 = zext v80\n  v99: i64 = or v81, v0",
        "v80: i32 = trunc v0\n  v81: i64 = zext v80\n  v99: i64 = and v81, v0",
        "v80: i32 = trunc v0\n  v81: i64 = zext v80\n  v99: i64 = mul v81, v0",
        "v80: i32 = trunc v0\n  v81: i64 = zext v80\n  v82: i64 = lshr v0, v1\n  v99: i64 = mul v81, v82",
        "v80: i32 = trunc v0\n  v81: i64 = zext v80\n  v99: i64 = shl v81, v2",
        "v80: i32 = trunc v0\n  v81: i64 = zext v80\n  v99: i64 = ashr v81, v2",
        "v80: i64 = and v0, v3\n  v81: i32 = trunc v80\n  v82: i64 = zext v81\n  v99: i64 = shl v0, v82",
        "v80: i64 = lshr v0, v1\n  v81: i32 = trunc v80\n  v82: i64 = zext v81\n  v83: i64 = shl v82, v1\n  v84: i32 = trunc v0\n  v85: i64 = zext v84\n  v99: i64 = or v83, v85",
        "v80: i64 = shl v0, v1\n  v99: i64 = add v80, v0",
        "v80: i64 = shl v0, v1\n  v99: i64 = sub v0, v80",
        "v80: i64 = shl v0, v1\n  v99: i64 = xor v0, v80",
        "v80: i64 = lshr v0, v1\n  v99: i64 = add v80, v0",
        "v80: i64 = lshr v0, v1\n  v99: i64 = sub v80, v0",
        "v80: i64 = lshr v0, v1\n  v81: i1 = icmp ult v80, v4\n  v99: i64 = select v81, v0, v1",
        "v80: i64 = lshr v0, v1\n  v81: i1 = icmp sge v80, v4\n  v99: i64 = select v81, v0, v1",
        "v80: i64 = lshr v0, v1\n  v81: i1 = icmp eq v80, v0\n  v99: i64 = select v81, v0, v1",
        "v80: i64 = lshr v0, v1\n  v81: i1 = icmp sgt v80, v0\n  v99: i64 = select v81, v0, v1",
        "v80: i64 = and v0, v3\n  v81: i1 = icmp eq v80, v5\n  v99: i64 = select v81, v0, v1",
        "v81: i1 = icmp slt v0, v5\n  v99: i64 = select v81, v0, v1",
        "v81: i1 = icmp sge v0, v5\n  v99: i64 = select v81, v0, v1",
        "v81: i1 = icmp ne v0, v4\n  v99: i64 = select v81, v0, v1",
        "v81: i1 = icmp ult v0, v6\n  v99: i64 = select v81, v0, v1",
        "v99: i64 = and v0, v6",
        "v99: i64 = or v0, v6",
        "v99: i64 = xor v0, v6",
        "v99: i64 = add v0, v6",
        "v99: i64 = sub v0, v6",
        "v99: i64 = and v0, v7",
        "v99: i64 = or v0, v7",
        "v99: i64 = add v0, v1",
        "v9: i32 = trunc v0\n  store v0 to v8, align 1\n  v80: i64 = load v8, align 1\n  v81: i64 = shl v80, v1\n  store v81 to v8, align 1\n  v99: i64 = load v8, align 1",
        "store v0 to v8, align 1\n  v80: i64 = load v8, align 1\n  v81: i64 = lshr v80, v1\n  store v81 to v8, align 1\n  v99: i64 = load v8, align 1",
        "store v0 to v8, align 1\n  v80: i64 = load v8, align 1\n  v81: i64 = lshr v80, v1\n  v82: i32 = trunc v81\n  v99: i64 = sext v82",
        "store v0 to v8, align 1\n  v80: i64 = load v8, align 1\n  v81: i64 = ashr v80, v2\n  v99: i64 = xor v81, v0",
    ];
    for body in bodies {
        let constants = "  v1: i64 = 32\n  v2: i64 = 5\n  v3: i64 = 31\n  v4: i64 = 7\n  v5: i64 = 0\n  v6: i64 = 4294967296\n  v7: i64 = 4294967295\n  v8: i32 = @cell\n";
        program.function("i64", &[], &format!("{constants}block0:\n  {body}\n  ret v99"), &edges(64));
    }
    program.check("pairs");
}

/// Sums of registers, constants, symbols and scaled terms, each in a load and a store.
#[test]
fn addresses_reach_what_they_name() {
    let mut program = Program::default();
    let addresses = [
        "v90: i32 = add v50, v3",
        "v80: i32 = shl v10, v1\n  v90: i32 = add v50, v80",
        "v80: i32 = mul v10, v5\n  v90: i32 = add v80, v50",
        "v80: i32 = mul v10, v5\n  v81: i32 = add v50, v3\n  v90: i32 = add v80, v81",
        "v80: i32 = shl v10, v1\n  v81: i32 = add v50, v80\n  v90: i32 = add v81, v3",
        "v80: i32 = add v10, v4\n  v81: i32 = shl v80, v1\n  v90: i32 = add v81, v50",
        "v80: i32 = add v10, v4\n  v81: i32 = mul v80, v5\n  v82: i32 = add v81, v50\n  v90: i32 = add v82, v6",
        "v80: i32 = shl v10, v1\n  v81: i32 = shl v10, v4\n  v82: i32 = add v80, v81\n  v90: i32 = add v82, v50",
        "v80: i32 = add v50, v3\n  v81: i32 = add v10, v3\n  v82: i32 = add v80, v81\n  v90: i32 = add v82, v6",
        "v80: i32 = shl v10, v1\n  v90: i32 = add v7, v80",
        "v80: i32 = add v10, v4\n  v81: i32 = shl v80, v1\n  v90: i32 = add v7, v81",
        "v80: i32 = add v7, v3\n  v90: i32 = add v80, v10",
        "v80: i32 = shl v10, v1\n  v81: i32 = add v80, v10\n  v90: i32 = add v7, v81",
        "v80: i32 = add v7, v10\n  v90: i32 = add v80, v3",
    ];
    for address in addresses {
        for body in [
            "store v0 to v90, align 1\n  v99: i32 = load v90, align 1",
            "v91: i32 = load v90, align 1\n  v92: i32 = add v91, v0\n  store v92 to v90, align 1\n  v99: i32 = load v90, align 1",
            "store v0 to v90, align 1\n  v93: i32 = load v50, align 1\n  v94: i32 = sub v90, v50\n  v99: i32 = xor v93, v94",
        ] {
            let constants = "  v1: i32 = 2\n  v2: i32 = 1\n  v3: i32 = 4\n  v4: i32 = 1\n  v5: i32 = 4\n  v6: i32 = -4\n  v7: i32 = @cell\n  v8: i32 = 0\n";
            let text = format!(
                "{constants}block0:\n  v10: i32 = and v0, v2\n  v51: i32 = and v0, v8\n  v50: i32 = or v51, v7\n  {address}\n  {body}\n  ret v99"
            );
            program.function("i32", &[], &text, &edges(32));
        }
    }
    program.check("address");
}

#[test]
fn selects_and_masks_choose_the_right_bits() {
    for (ty, bits) in WIDTHS {
        let mut program = Program::default();
        let selects = ["v1, v0", "v0, v1", "v1, v2", "v2, v1", "v0, v3", "v3, v2", "v2, v3"];
        for select in selects {
            for cond in ["slt v0, v3", "eq v0, v1", "uge v0, v2"] {
                let body = format!(
                    "  v1: {ty} = 1\n  v2: {ty} = 0\n  v3: {ty} = 77\nblock0:\n  v80: i1 = icmp {cond}\n  v81: {ty} = select v80, {select}\n  v99: {ty} = xor v81, v0\n  ret v99"
                );
                program.function(ty, &[], &body, &edges(bits));
            }
        }
        for shift in ["shl", "lshr", "ashr"] {
            for mask in [bits - 1, 2 * bits - 1, bits / 2 - 1] {
                // Amounts past the width have no meaning.
                let inner = if mask >= bits {
                    format!("v80: {ty} = and v0, v2\n  v81: {ty} = and v80, v1")
                } else {
                    format!("v81: {ty} = and v0, v1")
                };
                let body = format!(
                    "  v1: {ty} = {}\n  v2: {ty} = {}\nblock0:\n  {inner}\n  v82: {ty} = xor v0, v1\n  v99: {ty} = {shift} v82, v81\n  ret v99",
                    cut(bits, mask.into()),
                    bits - 1
                );
                program.function(ty, &[], &body, &edges(bits));
            }
        }
        for mask in [0xff, 0xffff, 0x7f, 0xff00, 0x1_0000_0000, -256] {
            let body = format!(
                "  v1: {ty} = {}\nblock0:\n  v80: {ty} = and v0, v1\n  v99: {ty} = sub v80, v0\n  ret v99",
                cut(bits, mask)
            );
            program.function(ty, &[], &body, &edges(bits));
            let body = body.replace("sub v80, v0", "add v80, v80");
            program.function(ty, &[], &body, &edges(bits));
        }
        program.check(&format!("select-{ty}"));
    }
}

/// All lengths that are copied in line, and some that are not, between regions that overlap by all but
/// three bytes.
#[test]
fn copies_of_every_length_move_each_byte() {
    let mut program = Program::default();
    for length in
        (0..40).chain([47, 48, 55, 63, 64, 65, 79, 95, 96, 100, 111, 112, 119, 121, 126, 127, 128, 129, 200])
    {
        for copy in ["memcpy", "memmove", "memset"] {
            // Overlapping only where that is allowed.
            let distance = if copy == "memmove" { 3 } else { 300 };
            let name = match copy {
                "memset" => "llvm.memset.p0i8.i32".to_string(),
                _ => format!("llvm.{copy}.p0i8.p0i8.i32"),
            };
            let second = if copy == "memset" { "v9" } else { "v2" };
            // The source holds 1, 2, 3, …; the sum weighs every byte of the target with its place.
            let body = format!(
                "  v2: i32 = @bytes\n  v3: i32 = {distance}\n  v4: i32 = 1\n  v5: i32 = {length}\n  v6: i1 = 0\n  v7: i32 = 260\n  v8: i32 = 0\n  v9: i8 = -91\n  v10: i32 = 31\n  v19: i32 = 600
block0:
  br block1
block1:
  v20: i32 = phi [v8, block0], [v23, block1]
  v21: i32 = add v2, v20
  v22: i8 = trunc v20
  store v22 to v21, align 1
  v23: i32 = add v20, v4
  v24: i1 = icmp ult v23, v19
  br v24, block1, block2
block2:
  v30: i32 = add v2, v3
  call @{name}(v30, {second}, v5, v4, v6)
  br block3
block3:
  v40: i32 = phi [v8, block2], [v45, block3]
  v46: i32 = phi [v0, block2], [v49, block3]
  v41: i32 = add v30, v40
  v42: i8 = load v41, align 1
  v43: i32 = zext v42
  v48: i32 = mul v46, v10
  v49: i32 = add v48, v43
  v45: i32 = add v40, v4
  v47: i1 = icmp ult v45, v7
  br v47, block3, block4
block4:
  v99: i32 = add v49, v8
  ret v99"
            );
            program.function("i32", &[], &body, &[7]);
        }
    }
    program.check("copies");
}

/// Numbers of single precision: zeros, denormal ones, the ends of the normal range, infinities, NaN of both kinds.
const SINGLES: [u32; 16] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    2,
    0x007f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x3f80_0000,
    0xbfc0_0000,
    0x7f7f_ffff,
    0xff80_0000,
    0x7f80_0000,
    0x7fc0_0000,
    0xffc0_1234,
    0x7f80_0001,
];

/// The body of a function of `v0`: `v60` has it in all lanes, `v70` the numbers `v1` to `v4`, both of type `v4f32`; then
/// come the lines, which give `v80` of type `v4i32`, and all lanes of that.
fn on_lanes(lines: &str) -> String {
    let mut body = String::from("  v50: v4i32 = undef\n  v45: i32 = 31\n  v44: i32 = 13\n");
    for n in 0..4 {
        let _ = writeln!(body, "  v{}: i32 = {n}", 46 + n);
    }
    body += "block0:\n";
    for (first, element) in [(51, None), (61, Some(1))] {
        for n in 0..4 {
            let below = if n == 0 { 50 } else { first + n - 1 };
            let element = element.map_or(0, |element| element + n);
            let _ =
                writeln!(body, "  v{}: v4i32 = insertelement v{below}, v{element}, v{}", first + n, 46 + n);
        }
    }
    let _ = write!(body, "  v60: v4f32 = bitcast v54\n  v70: v4f32 = bitcast v64\n{lines}");
    body += "  v90: i32 = extractelement v80, v46\n";
    for n in 1..4 {
        let _ = write!(
            body,
            "  v{}: i32 = extractelement v80, v{}\n  v{}: i32 = mul v{}, v45\n  v{}: i32 = xor v{}, v{}\n",
            100 + n,
            46 + n,
            110 + n,
            89 + n,
            90 + n,
            110 + n,
            100 + n
        );
    }
    // No linear sum, in which what is wrong for a condition and for its opposite would cancel out.
    body + "  v94: i32 = add v93, v0\n  v95: i32 = mul v94, v94\n  v96: i32 = lshr v95, v44\n  v97: i32 = xor v95, v96\n  ret v97"
}

/// A function for each four of the numbers.
fn with_singles(program: &mut Program, lines: &str, numbers: &[u32]) {
    let inputs: Vec<i64> = numbers.iter().map(|&n| i64::from(n as i32)).collect();
    for four in inputs.chunks(4) {
        let constants: Vec<_> = four.iter().map(|&n| ("i32", n)).collect();
        program.function("i32", &constants, &on_lanes(lines), &inputs);
    }
}

#[test]
fn lanes_compare_as_numbers_do() {
    let mut program = Program::default();
    for cond in "false oeq ogt oge olt ole one ord uno ueq ugt uge ult ule une true".split_ascii_whitespace()
    {
        let lines = format!("  v71: v4i1 = fcmp {cond} v60, v70\n  v80: v4i32 = sext v71\n");
        with_singles(&mut program, &lines, &SINGLES);
    }
    let chosen =
        "  v71: v4i1 = fcmp olt v60, v70\n  v72: v4f32 = select v71, v60, v70\n  v80: v4i32 = bitcast v72\n";
    with_singles(&mut program, chosen, &SINGLES);
    program.check("compare-lanes");
}

#[test]
fn lanes_of_denormal_numbers_are_not_zero() {
    let mut program = Program::default();
    // Neither NaN nor what makes one: its bits may differ.
    let numbers: Vec<u32> = SINGLES.into_iter().filter(|n| n & 0x7fff_ffff < 0x7f00_0000).collect();
    for op in ["fadd", "fsub", "fmul"] {
        let lines = format!("  v71: v4f32 = {op} v60, v70\n  v80: v4i32 = bitcast v71\n");
        with_singles(&mut program, &lines, &numbers[..8]);
    }
    for op in ["fptosi", "fptoui"] {
        let lines = format!("  v71: v4i32 = {op} v60\n  v80: v4i32 = xor v71, v64\n");
        let positive: Vec<u32> = numbers.iter().copied().filter(|&n| op == "fptosi" || n < 1 << 31).collect();
        with_singles(&mut program, &lines, &positive[..4]);
    }
    for op in ["sitofp", "uitofp"] {
        let lines =
            format!("  v71: v4f32 = {op} v64\n  v72: v4i32 = bitcast v71\n  v80: v4i32 = add v54, v72\n");
        with_singles(
            &mut program,
            &lines,
            &[0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x00ff_ffff, 0x0100_0001, 0x8000_0081],
        );
    }
    program.check("denormal-lanes");
}

/// Takes each lane of the result out of one of two vectors.
fn shuffled(ty: &str, origins: &[usize]) -> String {
    let count = origins.len();
    let element = ty.split_at(if count > 9 { 3 } else { 2 }).1;
    let mut lines = format!("  v71: {ty} = bitcast v60\n  v72: {ty} = bitcast v70\n");
    let mut below = 69;
    for (n, &from) in origins.iter().enumerate() {
        let _ = write!(
            lines,
            "  v{}: {element} = extractelement v{}, v{}\n  v{}: {ty} = insertelement v{below}, v{}, v{}\n",
            200 + n,
            71 + from / count,
            300 + from % count,
            230 + n,
            200 + n,
            300 + n
        );
        below = 230 + n;
    }
    let _ = writeln!(lines, "  v80: v4i32 = bitcast v{below}");
    let mut body = format!("  v69: {ty} = undef\n");
    for n in 0..count {
        let _ = writeln!(body, "  v{}: i32 = {n}", 300 + n);
    }
    body + &on_lanes(&lines)
}

#[test]
fn lanes_that_change_places_keep_their_bits() {
    let mut program = Program::default();
    let mut state = 1usize;
    let mut random = |below: usize| {
        state = (state * 1_103_515_245 + 12345) % (1 << 31);
        (state >> 12) % below
    };
    let constants = [0x0706_0504, 0x0b0a_0908, 0x1f0e_0d0c, 0x7fb1_1110].map(|n| ("i32", n));
    for (ty, count) in [("v4f32", 4), ("v4i32", 4), ("v8i16", 8), ("v16i8", 16)] {
        let half = count / 2;
        let rule = |rule: &dyn Fn(usize) -> usize| (0..count).map(rule).collect::<Vec<_>>();
        let mut shuffles = vec![
            rule(&|n| count - 1 - n),
            rule(&|n| n ^ 1),
            rule(&|n| (n ^ (half - 1)) + count),
            rule(&|_| count + 1),
            rule(&|_| half),
            rule(&|n| n + 1),
            rule(&|n| (n + half + 1) % (2 * count)),
            rule(&|n| (n + 3) % count),
            rule(&|n| n % 2 * count + n / 2),
            rule(&|n| (1 - n % 2) * count + half + n / 2),
            rule(&|n| (2 * n) % (2 * count)),
            rule(&|n| (2 * n + 1) % (2 * count)),
            rule(&|n| n % 2 * count + n / 2 * 2),
            rule(&|n| n % 2 * count + n / 2 * 2 + 1),
            rule(&|n| n / 2),
            rule(&|n| if n == 1 { count } else { n }),
        ];
        for _ in 0..8 {
            shuffles.push((0..count).map(|_| random(2 * count)).collect());
            shuffles.push((0..count).map(|_| random(count)).collect());
        }
        for origins in shuffles {
            program.function("i32", &constants, &shuffled(ty, &origins), &[0x0302_0100, -2]);
        }
    }
    program.check("shuffle-lanes");
}
