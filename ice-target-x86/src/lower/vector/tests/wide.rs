//! Lanes of `f64`, conversions of lanes of 64 bits, and constant vectors.

use super::{MODES, bools, run, samples};
use crate::lower::tests::machine::{GARBAGE, double, join, mask, run_with_memory, split, zip};
use alloc::format;
use alloc::vec::Vec;
use ice_ir::{BinaryOp, FloatCond};

fn doubles() -> Vec<u128> {
    let all =
        [0.0, -0.0, 1.0, -1.5, 7.0e9, -2.0e-310, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, 0.1, f64::NAN];
    let pairs = all.iter().flat_map(|&a| all.iter().map(move |&b| [a, b]));
    pairs.map(|lanes| join(64, lanes.map(|l: f64| l.to_bits().into()))).step_by(3).collect()
}

fn is_same(got: u128, wanted: u128) -> bool {
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    split(64, got).into_iter().zip(split(64, wanted)).all(|(a, b)| same(double(a), double(b)))
}

#[test]
fn operators_on_doubles() {
    for mode in MODES {
        for (op, f) in [
            (BinaryOp::Fadd, (|a, b| a + b) as fn(f64, f64) -> f64),
            (BinaryOp::Fsub, |a, b| a - b),
            (BinaryOp::Fmul, |a, b| a * b),
            (BinaryOp::Fdiv, |a, b| a / b),
            (BinaryOp::Frem, |a, b| a % b),
        ] {
            for a in doubles() {
                for b in doubles() {
                    let insts = format!("v99: v2f64 = {op} v0, v1");
                    let got = run(mode, "v2f64", "", &insts, &[("v2f64", a), ("v2f64", b)]);
                    let wanted = zip(64, a, b, |a, b| f(double(a), double(b)).to_bits().into());
                    assert!(is_same(got, wanted), "{mode:?} {op} {a:032x} {b:032x}: {got:032x}");
                }
            }
        }
    }
}

#[test]
fn comparisons_of_doubles() {
    for (code, &cond) in FloatCond::ALL.iter().enumerate() {
        for a in doubles() {
            for b in doubles() {
                let insts = format!("v99: v2i1 = fcmp {cond} v0, v1");
                let got = run(MODES[1], "v2i1", "", &insts, &[("v2f64", a), ("v2f64", b)]);
                let wanted = zip(64, a, b, |a, b| {
                    let bit = match double(a).partial_cmp(&double(b)) {
                        None => 8,
                        Some(core::cmp::Ordering::Less) => 4,
                        Some(core::cmp::Ordering::Greater) => 2,
                        Some(core::cmp::Ordering::Equal) => 1,
                    };
                    mask(64, code & bit != 0)
                });
                assert_eq!(got, wanted, "{cond} {a:032x} {b:032x}");
            }
        }
    }
}

#[test]
fn lanes_of_doubles() {
    for mode in MODES {
        for lane in 0..2 {
            let constants = format!("v2: i32 = {lane}");
            let vector = GARBAGE;
            let out = "v99: f64 = extractelement v0, v2";
            let got = run(mode, "f64", &constants, out, &[("v2f64", vector)]);
            assert_eq!(got as u64, (vector >> (64 * lane)) as u64);
            let insert = "v99: v2f64 = insertelement v0, v1, v2";
            let got = run(mode, "v2f64", &constants, insert, &[("v2f64", vector), ("f64", 0x1234 << 40)]);
            let mut wanted = split(64, vector);
            wanted[lane] = 0x1234 << 40;
            assert_eq!(got, join(64, wanted));
        }
    }
}

#[test]
fn conversions_of_lanes_of_64_bits() {
    let minus_one = (-1.0f64).to_bits();
    for mode in MODES {
        let cast = |op: &str, from: &str, to: &str, value| {
            run(mode, to, "", &format!("v99: {to} = {op} v0"), &[(from, value)])
        };
        let mut ints = samples();
        // Around halves of the last place of 53 bits, where a second rounding would show.
        ints.push(join(64, [(1 << 62) + (1 << 9), (1 << 62) + (1 << 9) + 1]));
        ints.push(join(64, [(1 << 63) + (1 << 10), (1 << 63) + (1 << 10) + 1]));
        for value in ints {
            let floats = |f: fn(u128) -> f64| zip(64, value, value, |l, _| f(l).to_bits().into());
            let signed = floats(|l| l as i64 as f64);
            assert_eq!(cast("sitofp", "v2i64", "v2f64", value), signed, "{mode:?} {value:032x}");
            assert_eq!(cast("uitofp", "v2i64", "v2f64", value), floats(|l| l as u64 as f64), "{value:032x}");
            let halves = zip(64, signed, 0, |l, _| (double(l) * 0.4).to_bits().into());
            let wanted = zip(64, halves, 0, |l, _| double(l) as i64 as u128);
            assert_eq!(cast("fptosi", "v2f64", "v2i64", halves), wanted, "{mode:?} {halves:032x}");
        }
        let bits = |lanes: [f64; 2]| join(64, lanes.map(|l| l.to_bits().into()));
        assert_eq!(cast("fptosi", "v2f64", "v2i1", bits([-1.5, 0.5])), bools(64, 0b01));
        assert_eq!(cast("fptoui", "v2f64", "v2i1", bits([0.5, 1.5])), bools(64, 0b10));
        assert_eq!(cast("uitofp", "v2i1", "v2f64", bools(64, 0b10)), bits([0.0, 1.0]));
        assert_eq!(cast("sitofp", "v2i1", "v2f64", bools(64, 0b01)), minus_one.into());
        assert_eq!(cast("bitcast", "v2f64", "v8i16", GARBAGE), GARBAGE);
    }
}

#[test]
fn roots_and_magnitudes() {
    for (name, f) in [("sqrt", f64::sqrt as fn(f64) -> f64), ("fabs", f64::abs)] {
        let text = format!(
            "intrinsic external @f(v2f64) -> v2f64 as {name}\n\
             define internal @g(v0: v2f64) -> v2f64 {{\nblock0:\nv1: v2f64 = call @f(v0)\nret v1\n}}\n"
        );
        for a in doubles() {
            let got = run_with_memory(MODES[1], &text, &[("v2f64", a)], 0).0[0];
            assert!(is_same(got, zip(64, a, a, |l, _| f(double(l)).to_bits().into())), "{name} {a:032x}");
        }
    }
}

/// A chain of insertions of these numbers, from lane 0 on, leaves `v8`.
fn chain(ty: &str, element: &str, numbers: &[i64]) -> (alloc::string::String, alloc::string::String) {
    let (mut constants, mut insts) = (format!("v9: {ty} = undef\n"), alloc::string::String::new());
    let mut last = alloc::string::String::from("v9");
    for (lane, number) in numbers.iter().enumerate() {
        let next = format!("v{}", if lane + 1 == numbers.len() { 8 } else { 60 + lane });
        constants += &format!("v{}: {element} = {number}\nv{}: i32 = {lane}\n", 20 + lane, 40 + lane);
        insts += &format!("{next}: {ty} = insertelement {last}, v{}, v{}\n", 20 + lane, 40 + lane);
        last = next;
    }
    (constants, insts)
}

#[test]
fn chains_of_constants_are_constants() {
    for mode in MODES {
        for value in samples() {
            for op in ["add", "xor", "mul"] {
                let (constants, insts) = chain("v4i32", "i32", &[1, -2, 0, 0x7fff_ffff]);
                let bits = join(32, [1, -2i32 as u128, 0, 0x7fff_ffff]);
                let got = run(
                    mode,
                    "v4i32",
                    &constants,
                    &format!("{insts}v99: v4i32 = {op} v0, v8"),
                    &[("v4i32", value)],
                );
                let wanted = zip(32, value, bits, |a, b| match op {
                    "add" => a + b,
                    "xor" => a ^ b,
                    _ => a * b,
                });
                assert_eq!(got, wanted, "{op}");
            }
            for (ty, bits, amount) in [("v8i16", 16, 5), ("v4i32", 32, 31), ("v2i64", 64, 40)] {
                let (constants, insts) = chain(ty, &ty[2..], &alloc::vec![amount; 128 / bits as usize]);
                let insts = format!("{insts}v99: {ty} = lshr v0, v8");
                let got = run(mode, ty, &constants, &insts, &[(ty, value)]);
                assert_eq!(got, zip(bits, value, 0, |a, _| a >> amount), "{ty}");
            }
            let (constants, insts) = chain("v2i1", "i1", &[-1, 0]);
            let insts = format!("{insts}v99: v2i64 = select v8, v0, v9\n").replace("v9\n", "v0\n");
            assert_eq!(run(mode, "v2i64", &constants, &insts, &[("v2i64", value)]), value);
        }
    }
}
