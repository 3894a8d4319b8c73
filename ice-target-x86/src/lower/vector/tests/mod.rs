//! Lowers small functions and runs the machine instructions on virtual registers, both modes, against
//! plain Rust lane by lane.

extern crate std;

mod wide;

use super::{lane_bits, shuffle, splat};
use crate::lower::tests::machine::{
    Arguments, GARBAGE, bits_of, cut, float, join, mask, run_with_memory, signed, split, zip,
};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ice_asm::x86::Mode;
use ice_ir::{BinaryOp, FloatCond, IntCond, Type};

/// The result of a function with this body (constants, then instructions that leave `v99`).
fn run(mode: Mode, ret: &str, constants: &str, insts: &str, args: Arguments<'_>) -> u128 {
    let params: Vec<String> = args.iter().enumerate().map(|(n, (ty, _))| format!("v{n}: {ty}")).collect();
    let text = format!(
        "define internal @f({}) -> {ret} {{\n{constants}\nblock0:\n{insts}\nret v99\n}}\n",
        params.join(", ")
    );
    run_with_memory(mode, &text, args, 0).0[0]
}

const MODES: [Mode; 2] = [Mode::Bits32, Mode::Bits64];
const INTS: [(&str, u32); 4] = [("v16i8", 8), ("v8i16", 16), ("v4i32", 32), ("v2i64", 64)];

/// Vectors with all edge values of lanes somewhere.
fn samples() -> Vec<u128> {
    let mut samples = alloc::vec![
        0,
        u128::MAX,
        0x80000000_7fffffff_00000001_ffffffff,
        0x80000000_7ffffffe_00000001_00000000,
        0x7fffffff_80000000_00000000_ffffffff,
        0x80008001_7fff7ffe_00010002_ffff8080,
        0x80817f7e_01020304_fefdfcfb_10203040,
        0x7f80ff00_0180fe7f_80007f01_80ff0080,
    ];
    let mut state = 0x0123_4567_89ab_cdef_u64;
    for _ in 0..20 {
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            u128::from(state)
        };
        samples.push(next() << 64 | next());
    }
    samples
}

fn pairs() -> impl Iterator<Item = (u128, u128)> {
    let samples = samples();
    let other = samples.clone();
    samples.into_iter().flat_map(move |a| other.clone().into_iter().map(move |b| (a, b)))
}

fn int_reference(op: BinaryOp, bits: u32, a: u128, b: u128) -> u128 {
    use BinaryOp::*;
    let (sa, sb) = (signed(bits, a), signed(bits, b));
    match op {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        Udiv => a / b,
        Urem => a % b,
        Sdiv => (sa / sb) as u128,
        Srem => (sa % sb) as u128,
        Shl => a << b,
        Lshr => a >> b,
        Ashr => (sa >> b) as u128,
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        _ => panic!("{op}"),
    }
}

#[test]
fn integer_operators() {
    use BinaryOp::*;
    for mode in MODES {
        for (ty, bits) in INTS {
            for op in [Add, Sub, Mul, Udiv, Urem, Sdiv, Srem, Shl, Lshr, Ashr, And, Or, Xor] {
                for (a, b) in pairs() {
                    // Stay where results are defined and nothing traps.
                    let b = match op {
                        _ if op.is_shift() => {
                            join(bits, split(bits, b).into_iter().map(|l| l % u128::from(bits)))
                        }
                        _ if op.is_division() => join(
                            bits,
                            split(bits, b)
                                .into_iter()
                                .map(|l| if l == 0 || signed(bits, l) == -1 { 3 } else { l }),
                        ),
                        _ => b,
                    };
                    let insts = format!("v99: {ty} = {op} v0, v1");
                    let got = run(mode, ty, "", &insts, &[(ty, a), (ty, b)]);
                    let wanted = zip(bits, a, b, |a, b| int_reference(op, bits, a, b));
                    assert_eq!(got, wanted, "{mode:?} {op} {ty} {a:032x} {b:032x}");
                }
            }
        }
    }
}

#[test]
#[should_panic(expected = "division trap")]
fn a_zero_divisor_in_any_lane_traps() {
    let b = join(16, [1, 2, 3, 4, 5, 6, 7, 0]);
    run(Mode::Bits64, "v8i16", "", "v99: v8i16 = urem v0, v1", &[("v8i16", 9), ("v8i16", b)]);
}

/// Vectors of interesting floats.
fn floats() -> Vec<u128> {
    let all: [f32; 16] = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        3.75,
        7.0e9,
        -2.0e-40,
        f32::MAX,
        f32::INFINITY,
        f32::NEG_INFINITY,
        0.1,
        -123456.7,
        2147483520.0,
        4294967040.0,
        2147483648.0,
        f32::NAN,
    ];
    (0..16).map(|n| join(32, (0..4).map(|k| bits_of(all[(n + k * k) % 16])))).collect()
}

#[test]
fn float_operators() {
    for mode in MODES {
        for (op, f) in [
            (BinaryOp::Fadd, (|a, b| a + b) as fn(f32, f32) -> f32),
            (BinaryOp::Fsub, |a, b| a - b),
            (BinaryOp::Fmul, |a, b| a * b),
            (BinaryOp::Fdiv, |a, b| a / b),
            (BinaryOp::Frem, |a, b| a % b),
        ] {
            for a in floats() {
                for b in floats() {
                    let insts = format!("v99: v4f32 = {op} v0, v1");
                    let got = run(mode, "v4f32", "", &insts, &[("v4f32", a), ("v4f32", b)]);
                    for ((got, a), b) in split(32, got).into_iter().zip(split(32, a)).zip(split(32, b)) {
                        let wanted = f(float(a), float(b));
                        let got = float(got);
                        assert!(
                            got.to_bits() == wanted.to_bits() || got.is_nan() && wanted.is_nan(),
                            "{op} {} {}: {got}",
                            float(a),
                            float(b)
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn integer_comparisons() {
    for (ty, bits) in INTS {
        let bools = format!("v{}i1", 128 / bits);
        for &cond in IntCond::ALL {
            for (a, b) in pairs().chain(samples().into_iter().map(|a| (a, a))) {
                let insts = format!("v99: {bools} = icmp {cond} v0, v1");
                let got = run(Mode::Bits64, &bools, "", &insts, &[(ty, a), (ty, b)]);
                let wanted = zip(bits, a, b, |a, b| {
                    let (sa, sb) = (signed(bits, a), signed(bits, b));
                    mask(
                        bits,
                        match cond {
                            IntCond::Eq => a == b,
                            IntCond::Ne => a != b,
                            IntCond::Ugt => a > b,
                            IntCond::Uge => a >= b,
                            IntCond::Ult => a < b,
                            IntCond::Ule => a <= b,
                            IntCond::Sgt => sa > sb,
                            IntCond::Sge => sa >= sb,
                            IntCond::Slt => sa < sb,
                            IntCond::Sle => sa <= sb,
                        },
                    )
                });
                assert_eq!(got, wanted, "{cond} {ty} {a:032x} {b:032x}");
            }
        }
    }
}

/// The code of a predicate has a bit each for unordered, less, greater, equal.
#[test]
fn float_comparisons() {
    for (code, &cond) in FloatCond::ALL.iter().enumerate() {
        for a in floats() {
            for b in floats() {
                let insts = format!("v99: v4i1 = fcmp {cond} v0, v1");
                let got = run(Mode::Bits64, "v4i1", "", &insts, &[("v4f32", a), ("v4f32", b)]);
                let wanted = zip(32, a, b, |a, b| {
                    let bit = match float(a).partial_cmp(&float(b)) {
                        None => 8,
                        Some(core::cmp::Ordering::Less) => 4,
                        Some(core::cmp::Ordering::Greater) => 2,
                        Some(core::cmp::Ordering::Equal) => 1,
                    };
                    mask(32, code & bit != 0)
                });
                assert_eq!(got, wanted, "{cond} {a:032x} {b:032x}");
            }
        }
    }
}

#[test]
fn immediates_and_patterns() {
    assert_eq!(shuffle([0, 1, 2, 3]), 0xe4);
    assert_eq!(shuffle([1, 1, 3, 3]), 0xf5);
    assert_eq!(splat(8, 0x80), 0x80808080_80808080_80808080_80808080);
    assert_eq!([Type::V16I1, Type::V8I16, Type::V4F32].map(lane_bits), [8, 16, 32]);
}

/// Spreads bit n of an integer over lane n.
fn bools(bits: u32, from: u128) -> u128 {
    join(bits, (0..128 / bits).map(|n| mask(bits, from >> n & 1 != 0)))
}

#[test]
fn selects_and_boolean_logic() {
    for (ty, bits) in INTS {
        let bool_ty = format!("v{}i1", 128 / bits);
        for pattern in [0, 1, 0xffff, 0x5a3c, 0x1248] {
            let cond = bools(bits, pattern);
            for (a, b) in pairs() {
                let insts = format!("v99: {ty} = select v0, v1, v2");
                let got = run(Mode::Bits32, ty, "", &insts, &[(&bool_ty, cond), (ty, a), (ty, b)]);
                assert_eq!(got, a & cond | b & !cond);
            }
            let insts = format!("v99: {bool_ty} = xor v0, v1");
            let other = bools(bits, 0x0ff0);
            let got = run(Mode::Bits32, &bool_ty, "", &insts, &[(&bool_ty, cond), (&bool_ty, other)]);
            assert_eq!(got, bools(bits, pattern ^ 0x0ff0));
        }
    }
}

#[test]
fn lanes_out_and_in() {
    let element = 0xdead_be5d;
    for mode in MODES {
        for ty in Type::ALL.into_iter().filter(|ty| ty.is_vector() && !ty.is_wide() && *ty != Type::V2F64) {
            let bits = lane_bits(ty);
            let (name, scalar) = (ty.name(), ty.element());
            let is_bool = scalar == Type::I1;
            for value in samples() {
                let value = if is_bool { bools(bits, value) } else { value };
                for lane in 0..ty.lanes() {
                    let constants = format!("v2: i32 = {lane}");
                    // In and out as i32, which is what functions may take and return.
                    let (cast, back) = match scalar {
                        Type::I32 => {
                            (String::from("v3: i32 = add v1, v2"), String::from("v99: i32 = sub v8, v2"))
                        }
                        Type::F32 => {
                            (String::from("v3: f32 = bitcast v1"), String::from("v99: i32 = bitcast v8"))
                        }
                        Type::I64 => (String::from("v3: i64 = zext v1"), String::from("v99: i32 = trunc v8")),
                        _ => (format!("v3: {scalar} = trunc v1"), String::from("v99: i32 = zext v8")),
                    };
                    let out = format!("v8: {scalar} = extractelement v0, v2\n{back}");
                    let got = run(mode, "i32", &constants, &out, &[(name, value), ("i32", 0)]);
                    let mut wanted = split(bits, value)[lane as usize];
                    if is_bool {
                        wanted &= 1;
                    }
                    if scalar == Type::I32 {
                        wanted = cut(32, wanted.wrapping_sub(lane.into()));
                    }
                    assert_eq!(got, cut(32, wanted), "extract {name} {lane}");

                    let insert = format!("{cast}\nv99: {name} = insertelement v0, v3, v2");
                    let got = run(mode, name, &constants, &insert, &[(name, value), ("i32", element)]);
                    let mut wanted = split(bits, value);
                    wanted[lane as usize] = match scalar {
                        Type::I32 => element + u128::from(lane),
                        Type::I1 => mask(bits, element & 1 != 0),
                        _ => element,
                    };
                    assert_eq!(got, join(bits, wanted), "insert {name} {lane}");
                }
            }
        }
    }
}

#[test]
fn boolean_casts() {
    for mode in MODES {
        for (ty, bits) in INTS {
            let bool_ty = format!("v{}i1", 128 / bits);
            for value in samples() {
                let trunc = format!("v99: {bool_ty} = trunc v0");
                let cond = run(mode, &bool_ty, "", &trunc, &[(ty, value)]);
                assert_eq!(cond, join(bits, split(bits, value).into_iter().map(|l| mask(bits, l & 1 != 0))));
                let sext = format!("v99: {ty} = sext v0");
                assert_eq!(run(mode, ty, "", &sext, &[(&bool_ty, cond)]), cond);
                let zext = format!("v99: {ty} = zext v0");
                let ones = run(mode, ty, "", &zext, &[(&bool_ty, cond)]);
                assert_eq!(ones, join(bits, split(bits, cond).into_iter().map(|l| l & 1)));
            }
        }
        for (ty, scalar, bits) in [("v16i1", "i16", 8), ("v8i1", "i8", 16)] {
            for pattern in [0, 1, 0x8000, 0x80, 0xffff, 0x5ac3, 0x1248] {
                let insts = format!("v8: {scalar} = bitcast v0\nv99: i32 = zext v8");
                let got = run(mode, "i32", "", &insts, &[(ty, bools(bits, pattern))]);
                assert_eq!(got, cut(128 / bits, pattern), "{ty}");
                let insts = format!("v8: {scalar} = trunc v0\nv99: {ty} = bitcast v8");
                let got = run(mode, ty, "", &insts, &[("i32", pattern | 0xabcd_0000)]);
                assert_eq!(got, bools(bits, pattern), "{ty}");
            }
        }
    }
}

#[test]
fn float_casts() {
    let cast = |op: &str, from: &str, to: &str, value| {
        run(Mode::Bits32, to, "", &format!("v99: {to} = {op} v0"), &[(from, value)])
    };
    let mut ints = samples();
    // Around halves of the last place of 24 bits, where a second rounding would show.
    for n in [
        0x0100_0001_u128,
        0x0180_0001,
        0x8000_0080,
        0x8000_0081,
        0xffff_ff7f,
        0xffff_ff80,
        0x7fff_ffbf,
        0xffff_0001,
    ] {
        ints.push(join(32, [n, n - 1, n + 1, n ^ 0x8000]));
    }
    for value in ints {
        let lanes = split(32, value);
        let wanted = |f: fn(u128) -> f32| join(32, lanes.iter().map(|&l| bits_of(f(l))));
        assert_eq!(cast("sitofp", "v4i32", "v4f32", value), wanted(|l| signed(32, l) as f32));
        assert_eq!(cast("uitofp", "v4i32", "v4f32", value), wanted(|l| l as f32));
        let small: Vec<f32> = lanes.iter().map(|&l| (l >> 1) as f32 * 0.5).collect();
        let vector = join(32, small.iter().map(|&f| bits_of(f)));
        assert_eq!(
            cast("fptosi", "v4f32", "v4i32", vector),
            join(32, small.iter().map(|&f| f as i32 as u128))
        );
        let large: Vec<f32> = small.iter().map(|f| f * 3.9).collect();
        let vector = join(32, large.iter().map(|&f| bits_of(f)));
        assert_eq!(
            cast("fptoui", "v4f32", "v4i32", vector),
            join(32, large.iter().map(|&f| f as u32 as u128))
        );
    }
    let mask = bools(32, 0b0110);
    assert_eq!(cast("uitofp", "v4i1", "v4f32", mask), join(32, [0.0, 1.0, 1.0, 0.0].map(bits_of)));
    assert_eq!(cast("sitofp", "v4i1", "v4f32", mask), join(32, [0.0, -1.0, -1.0, 0.0].map(bits_of)));
    assert_eq!(cast("fptoui", "v4f32", "v4i1", join(32, [0.9, 1.0, 1.5, 0.0].map(bits_of))), mask);
    assert_eq!(cast("fptosi", "v4f32", "v4i1", join(32, [-0.9, -1.0, -1.5, 0.0].map(bits_of))), mask);
    assert_eq!(cast("bitcast", "v4f32", "v8i16", GARBAGE), GARBAGE);
}

#[test]
fn atomics() {
    let memory = 0x8899_aabb_ccdd_eeff_u64;
    let operand = 0x0123_4567_f2e3_d4c5_u64;
    for mode in MODES {
        for bits in [8, 16, 32, 64] {
            let ty = format!("i{bits}");
            let narrow = |v: u64| if bits == 64 { v } else { v & ((1 << bits) - 1) };
            // Takes and returns i64; the operation works on `ty` at address 64.
            let run = |body: &str, decl: &str| {
                let (x, v, r) = match bits {
                    64 => (String::new(), "v0", "ret v30"),
                    _ => (format!("v20: {ty} = trunc v0\n"), "v20", "v31: i64 = zext v30\nret v31"),
                };
                let text = format!(
                    "intrinsic external @llvm.nacl.atomic.{decl}\ndefine internal @f(v0: i64, v1: i32) -> i64 {{\n\
                     v2: i32 = 6\nv3: i32 = 1\nv4: i32 = 2\nv5: i32 = 3\nv6: i32 = 4\nv7: i32 = 5\n\
                     block0:\n{x}{}\n{r}\n}}\n",
                    body.replace("VALUE", v).replace("TYPE", &ty)
                );
                let args = [("i64", u128::from(operand)), ("i32", 64)];
                let (result, memory) = run_with_memory(mode, &text, &args, memory);
                let result = match result[..] {
                    [one] => one as u64,
                    [lo, hi] => (cut(32, lo) | cut(32, hi) << 32) as u64,
                    _ => panic!("{result:?}"),
                };
                (result, memory)
            };
            let old = narrow(memory);
            let stored = |v: u64| memory & !narrow(u64::MAX) | narrow(v);

            let call = format!("@llvm.nacl.atomic.load.{ty}");
            let got =
                run(&format!("v30: TYPE = call {call}(v1, v2)"), &format!("load.{ty}(i32, i32) -> {ty}"));
            assert_eq!(got, (old, memory), "{mode:?} load {ty}");

            let call = format!("@llvm.nacl.atomic.store.{ty}");
            let body = format!("call {call}(VALUE, v1, v2)\nv30: TYPE = xor VALUE, VALUE");
            let got = run(&body, &format!("store.{ty}({ty}, i32, i32) -> void"));
            assert_eq!(got.1, stored(operand), "{mode:?} store {ty}");

            let call = format!("@llvm.nacl.atomic.rmw.{ty}");
            for (code, new) in [
                ("v3", memory.wrapping_add(operand)),
                ("v4", memory.wrapping_sub(operand)),
                ("v5", memory | operand),
                ("v6", memory & operand),
                ("v7", memory ^ operand),
                ("v2", operand),
            ] {
                let body = format!("v30: TYPE = call {call}({code}, v1, VALUE, v2)");
                let got = run(&body, &format!("rmw.{ty}(i32, i32, {ty}, i32) -> {ty}"));
                assert_eq!(got, (old, stored(new)), "{mode:?} rmw {code} {ty}");
            }

            let call = format!("@llvm.nacl.atomic.cmpxchg.{ty}");
            let decl = format!("cmpxchg.{ty}(i32, {ty}, {ty}, i32, i32) -> {ty}");
            let got = run(&format!("v30: TYPE = call {call}(v1, VALUE, VALUE, v2, v2)"), &decl);
            assert_eq!(got, (old, memory), "{mode:?} failing cmpxchg {ty}");
            let load = format!("v8: TYPE = load v1, align 1\nv30: TYPE = call {call}(v1, v8, VALUE, v2, v2)");
            assert_eq!(run(&load, &decl), (old, stored(operand)), "{mode:?} cmpxchg {ty}");
        }
    }
}
