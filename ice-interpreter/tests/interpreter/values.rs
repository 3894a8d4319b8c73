//! Operators, casts, comparisons, lanes and the pure intrinsics.

use ice_interpreter::{Interpreter, Outcome, Scalar, TrapKind};
use ice_ir::{BinaryOp, CastOp, FloatCond, FuncId, IntCond, Program, Type};

use super::fixture::{LIMITS, intrinsic, single};

const INTS: [Type; 4] = [Type::I8, Type::I16, Type::I32, Type::I64];
/// Function 0.
fn first() -> FuncId {
    FuncId::from_u32(0)
}

fn outcome(it: &mut Interpreter<'_>, args: &[Scalar]) -> Result<Outcome, TrapKind> {
    it.call(first(), args).map_err(|trap| trap.kind)
}

fn interpreter(program: &Program) -> Interpreter<'_> {
    Interpreter::with_limits(program, LIMITS).unwrap()
}

/// Numbers around every boundary of a width.
fn boundary(ty: Type) -> Vec<u64> {
    let mask = ty.int_mask();
    let half = 1u64 << (ty.bits() - 1);
    let mut list = vec![0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 100, 0x55, 0x1234_5678_9abc_def0];
    list.extend([half - 1, half, half + 1, mask, mask - 1, half / 2, u64::from(ty.bits())]);
    list.iter_mut().for_each(|n| *n &= mask);
    list.sort_unstable();
    list.dedup();
    list
}

fn doubles() -> Vec<f64> {
    let mut list =
        vec![0.0, 1.0, 0.5, 1.5, 2.5, 3.7, 127.0, 128.0, 255.0, 256.0, 32767.9, 65536.0, 1e10, 1e300];
    list.extend([f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::INFINITY, f64::NAN, 0.1, 16_777_217.0]);
    for power in [7, 8, 15, 16, 31, 32, 62, 63, 64, 65] {
        let x = 2f64.powi(power);
        list.extend([x - 1.0, x, x + 1.0, x.next_down(), x.next_up()]);
    }
    list.iter().flat_map(|&x| [x, -x]).collect()
}

fn signed(ty: Type, n: u64) -> i128 {
    i128::from((n << (64 - ty.bits())) as i64 >> (64 - ty.bits()))
}

/// The operator in 128-bit arithmetic: `None` is a trap, the flag says undefined.
fn expected(op: BinaryOp, ty: Type, a: u64, b: u64) -> Option<(u64, bool)> {
    use BinaryOp::*;
    let width = ty.bits();
    let (ua, ub) = (i128::from(a), i128::from(b));
    let (sa, sb) = (signed(ty, a), signed(ty, b));
    if matches!(op, Udiv | Sdiv | Urem | Srem) && b == 0 {
        return None;
    }
    let wide: i128 = match op {
        Add => ua + ub,
        Sub => ua - ub,
        Mul => (ua as u128).wrapping_mul(ub as u128) as i128,
        Udiv => ua / ub,
        Urem => ua % ub,
        Sdiv => sa / sb,
        Srem => sa % sb,
        Shl => ua << (b % u64::from(width)),
        Lshr => ua >> (b % u64::from(width)),
        Ashr => sa >> (b % u64::from(width)),
        And => ua & ub,
        Or => ua | ub,
        Xor => ua ^ ub,
        _ => unreachable!(),
    };
    let undefined = match op {
        Sdiv | Srem => sa == -(1 << (width - 1)) && sb == -1,
        Shl | Lshr | Ashr => b >= u64::from(width),
        _ => false,
    };
    Some((wide as u64 & ty.int_mask(), undefined))
}

fn int_ops() -> impl Iterator<Item = BinaryOp> {
    BinaryOp::ALL.iter().copied().filter(|op| !op.is_float())
}

#[test]
fn integer_operators() {
    for ty in INTS {
        for op in int_ops() {
            let program = single(&[ty, ty], ty, |b, p| {
                let r = b.binary(op, p[0], p[1]);
                b.ret(Some(r));
            });
            let mut it = interpreter(&program);
            for a in boundary(ty) {
                for b in boundary(ty) {
                    let args = [Scalar::new(ty, a.into()), Scalar::new(ty, b.into())];
                    let got = outcome(&mut it, &args);
                    match expected(op, ty, a, b) {
                        None => assert_eq!(got, Err(TrapKind::DivideByZero), "{op} {ty} {a:#x} {b:#x}"),
                        Some((bits, undefined)) => {
                            let got = got.unwrap();
                            assert_eq!(
                                got.value,
                                Some(Scalar::new(ty, bits.into())),
                                "{op} {ty} {a:#x} {b:#x}"
                            );
                            assert_eq!(got.tainted, u16::from(undefined), "{op} {ty} {a:#x} {b:#x}");
                            assert!(!got.taint.any());
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn boolean_logic() {
    for (op, table) in [(BinaryOp::And, 0b1000), (BinaryOp::Or, 0b1110), (BinaryOp::Xor, 0b0110)] {
        let program = single(&[Type::I1, Type::I1], Type::I1, |b, p| {
            let r = b.binary(op, p[0], p[1]);
            b.ret(Some(r));
        });
        for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let args = [Scalar::new(Type::I1, a), Scalar::new(Type::I1, b)];
            let got = outcome(&mut interpreter(&program), &args).unwrap();
            assert_eq!(got.value.unwrap().bits, table >> (a * 2 + b) & 1);
        }
    }
}

#[test]
fn vector_operators_work_lane_by_lane() {
    let types = [Type::V16I8, Type::V8I16, Type::V4I32];
    for (ty, op) in types.into_iter().flat_map(|ty| int_ops().map(move |op| (ty, op))) {
        let program = single(&[ty, ty], ty, |b, p| {
            let r = b.binary(op, p[0], p[1]);
            b.ret(Some(r));
        });
        let mut it = interpreter(&program);
        let (element, lanes) = (ty.element(), ty.lanes() as usize);
        let numbers = boundary(element);
        let pack = |list: &[u64]| {
            let bits = list.iter().rev().fold(0u128, |all, &n| all << element.bits() | u128::from(n));
            Scalar::new(ty, bits)
        };
        for start in 0..numbers.len() * 3 {
            let pick = |i: usize| numbers[i % numbers.len()];
            let a: Vec<u64> = (0..lanes).map(|i| pick(start + i)).collect();
            let b: Vec<u64> = (0..lanes).map(|i| pick(start * 5 + i * 7)).collect();
            let want: Option<Vec<_>> = a.iter().zip(&b).map(|(&a, &b)| expected(op, element, a, b)).collect();
            match (outcome(&mut it, &[pack(&a), pack(&b)]), want) {
                (Err(kind), None) => assert_eq!(kind, TrapKind::DivideByZero),
                (Ok(got), Some(want)) => {
                    let bits: Vec<u64> = want.iter().map(|w| w.0).collect();
                    assert_eq!(got.value, Some(pack(&bits)), "{op} {ty} {a:x?} {b:x?}");
                    let tainted = want.iter().enumerate().fold(0, |t, (i, w)| t | u16::from(w.1) << i);
                    assert_eq!(got.tainted, tainted, "{op} {ty} {a:x?} {b:x?}");
                }
                (got, want) => panic!("{op} {ty}: {got:?}, {want:?}"),
            }
        }
    }
}

#[test]
fn boolean_vectors_have_a_bit_a_lane() {
    for ty in [Type::V4I1, Type::V8I1, Type::V16I1] {
        let program = single(&[ty, ty], ty, |b, p| {
            let r = b.binary(BinaryOp::Xor, p[0], p[1]);
            b.ret(Some(r));
        });
        let (a, b) = (Scalar::new(ty, 0x5a5a), Scalar::new(ty, 0x0ff3));
        let got = outcome(&mut interpreter(&program), &[a, b]).unwrap().value;
        assert_eq!(got, Some(Scalar::new(ty, 0x5a5a ^ 0x0ff3)));
    }
}

#[test]
fn float_operators() {
    let numbers = doubles();
    for op in BinaryOp::ALL.iter().copied().filter(|op| op.is_float() && *op != BinaryOp::Frem) {
        let apply64 = |a: f64, b: f64| match op {
            BinaryOp::Fadd => a + b,
            BinaryOp::Fsub => a - b,
            BinaryOp::Fmul => a * b,
            _ => a / b,
        };
        let apply32 = |a: f32, b: f32| match op {
            BinaryOp::Fadd => a + b,
            BinaryOp::Fsub => a - b,
            BinaryOp::Fmul => a * b,
            _ => a / b,
        };
        for ty in [Type::F32, Type::F64] {
            let program = single(&[ty, ty], ty, |b, p| {
                let r = b.binary(op, p[0], p[1]);
                b.ret(Some(r));
            });
            let mut it = interpreter(&program);
            for &a in &numbers {
                for &b in &numbers {
                    let (args, want, nan) = if ty == Type::F32 {
                        let r = apply32(a as f32, b as f32);
                        ([Scalar::f32(a as f32), Scalar::f32(b as f32)], Scalar::f32(r), r.is_nan())
                    } else {
                        let r = apply64(a, b);
                        ([Scalar::f64(a), Scalar::f64(b)], Scalar::f64(r), r.is_nan())
                    };
                    let got = outcome(&mut it, &args).unwrap();
                    assert_eq!((got.any_nan, got.tainted), (u16::from(nan), 0));
                    assert!(got.allows(Some(want)), "{op} {ty} {a} {b}: {got:?}");
                    assert!(nan || got.value == Some(want), "{op} {ty} {a} {b}: {got:?}");
                }
            }
        }
    }
}

#[test]
fn frem_is_fmod() {
    let inf = f64::INFINITY;
    let cases = [
        (5.5, 2.0, 1.5),
        (-5.5, 2.0, -1.5),
        (5.5, -2.0, 1.5),
        (1.0, inf, 1.0),
        (-0.0, 1.0, -0.0),
        (4.0, -2.0, 0.0),
        (-4.0, 2.0, -0.0),
        (1e300, 7.0, 1.0),
        (inf, 1.0, f64::NAN),
        (1.0, 0.0, f64::NAN),
        (f64::NAN, 1.0, f64::NAN),
    ];
    let wide = single(&[Type::F64, Type::F64], Type::F64, |b, p| {
        let r = b.binary(BinaryOp::Frem, p[0], p[1]);
        b.ret(Some(r));
    });
    let narrow = single(&[Type::F32, Type::F32], Type::F32, |b, p| {
        let r = b.binary(BinaryOp::Frem, p[0], p[1]);
        b.ret(Some(r));
    });
    for (a, b, want) in cases {
        let got = outcome(&mut interpreter(&wide), &[Scalar::f64(a), Scalar::f64(b)]).unwrap();
        assert!(got.allows(Some(Scalar::f64(want))), "{a} {b}: {got:?}");
        if a.abs() < 1e30 || !a.is_finite() {
            let args = [Scalar::f32(a as f32), Scalar::f32(b as f32)];
            let got = outcome(&mut interpreter(&narrow), &args).unwrap();
            assert!(got.allows(Some(Scalar::f32(want as f32))), "{a} {b}: {got:?}");
        }
    }
}

#[test]
fn vector_floats() {
    let pack = |lanes: [f32; 4]| {
        let bits = lanes.iter().rev().fold(0u128, |all, x| all << 32 | u128::from(x.to_bits()));
        Scalar::new(Type::V4F32, bits)
    };
    let program = single(&[Type::V4F32, Type::V4F32], Type::V4F32, |b, p| {
        let r = b.binary(BinaryOp::Fdiv, p[0], p[1]);
        b.ret(Some(r));
    });
    let args = [pack([1.0, 0.0, -8.0, 1.0]), pack([4.0, 0.0, 2.0, 0.0])];
    let got = outcome(&mut interpreter(&program), &args).unwrap();
    assert_eq!(got.any_nan, 0b0010);
    assert!(got.allows(Some(pack([0.25, f32::NAN, -4.0, f32::INFINITY]))));
    assert!(got.allows(Some(pack([0.25, -f32::NAN, -4.0, f32::INFINITY]))));
    assert!(!got.allows(Some(pack([0.25, 0.0, -4.0, f32::INFINITY]))));
    assert!(!got.allows(Some(pack([0.5, f32::NAN, -4.0, f32::INFINITY]))));
}

#[test]
fn integer_comparisons() {
    for ty in INTS {
        for &cond in IntCond::ALL {
            let program = single(&[ty, ty], Type::I1, |b, p| {
                let r = b.icmp(cond, p[0], p[1]);
                b.ret(Some(r));
            });
            let mut it = interpreter(&program);
            for a in boundary(ty) {
                for b in boundary(ty) {
                    let (sa, sb) = (signed(ty, a), signed(ty, b));
                    let want = match cond {
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
                    };
                    let args = [Scalar::new(ty, a.into()), Scalar::new(ty, b.into())];
                    let got = outcome(&mut it, &args).unwrap().value.unwrap().bits;
                    assert_eq!(got, u128::from(want), "{cond} {ty} {a:#x} {b:#x}");
                }
            }
        }
    }
    let program = single(&[Type::V8I16, Type::V8I16], Type::V8I1, |b, p| {
        let r = b.icmp(IntCond::Slt, p[0], p[1]);
        b.ret(Some(r));
    });
    let a = Scalar::new(Type::V8I16, 0xffff_0000_8000_7fff_0001_0002_0003_0004);
    let b = Scalar::new(Type::V8I16, 0x0000_ffff_7fff_8000_0001_0003_0002_0005);
    let got = outcome(&mut interpreter(&program), &[a, b]).unwrap().value;
    assert_eq!(got, Some(Scalar::new(Type::V8I1, 0b1010_0101)));
}

#[test]
fn float_comparisons() {
    use FloatCond as C;
    for &cond in FloatCond::ALL {
        for ty in [Type::F32, Type::F64] {
            let program = single(&[ty, ty], Type::I1, |b, p| {
                let r = b.fcmp(cond, p[0], p[1]);
                b.ret(Some(r));
            });
            let mut it = interpreter(&program);
            let list = [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.5];
            for (a, b) in list.iter().flat_map(|&a| list.map(|b| (a, b))) {
                let unordered = a.is_nan() || b.is_nan();
                let want = match cond {
                    C::False => false,
                    C::Oeq => a == b,
                    C::Ogt => a > b,
                    C::Oge => a >= b,
                    C::Olt => a < b,
                    C::Ole => a <= b,
                    C::One => !unordered && a != b,
                    C::Ord => !unordered,
                    C::Uno => unordered,
                    C::Ueq => unordered || a == b,
                    C::Ugt => unordered || a > b,
                    C::Uge => unordered || a >= b,
                    C::Ult => unordered || a < b,
                    C::Ule => unordered || a <= b,
                    C::Une => unordered || a != b,
                    C::True => true,
                };
                let args = match ty {
                    Type::F32 => [Scalar::f32(a as f32), Scalar::f32(b as f32)],
                    _ => [Scalar::f64(a), Scalar::f64(b)],
                };
                let got = outcome(&mut it, &args).unwrap();
                assert_eq!(got.value.unwrap().bits, u128::from(want), "{cond} {ty} {a} {b}");
                assert_eq!(got.tainted, 0, "a NaN argument is not undefined");
            }
        }
    }
}

fn cast_program(op: CastOp, from: Type, to: Type) -> Program {
    single(&[from], to, |b, p| {
        let r = b.cast(op, p[0], to);
        b.ret(Some(r));
    })
}

#[test]
fn integer_casts() {
    let all = [Type::I1, Type::I8, Type::I16, Type::I32, Type::I64];
    for (i, &narrow) in all.iter().enumerate() {
        for &wide in &all[i + 1..] {
            let numbers = if narrow == Type::I1 { vec![0, 1] } else { boundary(narrow) };
            for n in numbers {
                let arg = [Scalar::new(narrow, n.into())];
                let zext =
                    outcome(&mut interpreter(&cast_program(CastOp::Zext, narrow, wide)), &arg).unwrap();
                assert_eq!(zext.value, Some(Scalar::new(wide, n.into())));
                let sext =
                    outcome(&mut interpreter(&cast_program(CastOp::Sext, narrow, wide)), &arg).unwrap();
                assert_eq!(sext.value, Some(Scalar::new(wide, signed(narrow, n) as u128)), "{narrow} {n}");
            }
            for n in boundary(wide) {
                let arg = [Scalar::new(wide, n.into())];
                let trunc =
                    outcome(&mut interpreter(&cast_program(CastOp::Trunc, wide, narrow)), &arg).unwrap();
                assert_eq!(trunc.value, Some(Scalar::new(narrow, u128::from(n) % (1 << narrow.bits()))));
            }
        }
    }
    // Vectors of booleans widen to full lanes.
    let arg = [Scalar::new(Type::V4I1, 0b1010)];
    let sext = outcome(&mut interpreter(&cast_program(CastOp::Sext, Type::V4I1, Type::V4I32)), &arg).unwrap();
    assert_eq!(sext.value, Some(Scalar::new(Type::V4I32, 0xffff_ffff_0000_0000_ffff_ffff_0000_0000)));
    let arg = [Scalar::new(Type::V16I8, 0x0102_0304_0506_0708_090a_0b0c_0d0e_0f10)];
    let trunc =
        outcome(&mut interpreter(&cast_program(CastOp::Trunc, Type::V16I8, Type::V16I1)), &arg).unwrap();
    assert_eq!(trunc.value, Some(Scalar::new(Type::V16I1, 0b1010_1010_1010_1010)));
}

#[test]
fn float_to_integer() {
    for (op, ty) in INTS.into_iter().flat_map(|ty| [(CastOp::Fptosi, ty), (CastOp::Fptoui, ty)]) {
        let is_signed = op == CastOp::Fptosi;
        let (low, high) = match is_signed {
            true => (-(1i128 << (ty.bits() - 1)), (1i128 << (ty.bits() - 1)) - 1),
            false => (0, (1i128 << ty.bits()) - 1),
        };
        let (wide, narrow) = (cast_program(op, Type::F64, ty), cast_program(op, Type::F32, ty));
        let (mut wide, mut narrow) = (interpreter(&wide), interpreter(&narrow));
        for x in doubles() {
            for (it, x, arg) in
                [(&mut wide, x, Scalar::f64(x)), (&mut narrow, f64::from(x as f32), Scalar::f32(x as f32))]
            {
                let want = match (is_signed, ty) {
                    (true, Type::I8) => x as i8 as u128,
                    (true, Type::I16) => x as i16 as u128,
                    (true, Type::I32) => x as i32 as u128,
                    (true, _) => x as i64 as u128,
                    (false, Type::I8) => x as u8 as u128,
                    (false, Type::I16) => x as u16 as u128,
                    (false, Type::I32) => x as u32 as u128,
                    (false, _) => x as u64 as u128,
                };
                let defined = !x.is_nan() && (low..=high).contains(&(x as i128));
                let got = outcome(it, &[arg]).unwrap();
                assert_eq!(got.value, Some(Scalar::new(ty, want)), "{op} {ty} {x:e}");
                assert_eq!(got.tainted, u16::from(!defined), "{op} {ty} {x:e}");
            }
        }
    }
}

#[test]
fn integer_to_float() {
    for ty in INTS {
        let programs =
            [(CastOp::Uitofp, Type::F32), (CastOp::Uitofp, Type::F64), (CastOp::Sitofp, Type::F32)]
                .map(|(op, to)| cast_program(op, ty, to));
        let last = cast_program(CastOp::Sitofp, ty, Type::F64);
        for n in boundary(ty) {
            let arg = [Scalar::new(ty, n.into())];
            let value = |program| outcome(&mut interpreter(program), &arg).unwrap().value;
            assert_eq!(value(&programs[0]), Some(Scalar::f32(n as f32)));
            assert_eq!(value(&programs[1]), Some(Scalar::f64(n as f64)));
            assert_eq!(value(&programs[2]), Some(Scalar::f32(signed(ty, n) as f32)));
            assert_eq!(value(&last), Some(Scalar::f64(signed(ty, n) as f64)));
        }
    }
    let one = [Scalar::new(Type::I1, 1)];
    let value = |op| outcome(&mut interpreter(&cast_program(op, Type::I1, Type::F64)), &one).unwrap().value;
    assert_eq!(value(CastOp::Uitofp), Some(Scalar::f64(1.0)));
    assert_eq!(value(CastOp::Sitofp), Some(Scalar::f64(-1.0)));
}

#[test]
fn float_to_float_and_bits() {
    for x in doubles() {
        let down = cast_program(CastOp::Fptrunc, Type::F64, Type::F32);
        let got = outcome(&mut interpreter(&down), &[Scalar::f64(x)]).unwrap();
        assert!(got.allows(Some(Scalar::f32(x as f32))));
        let up = cast_program(CastOp::Fpext, Type::F32, Type::F64);
        let got = outcome(&mut interpreter(&up), &[Scalar::f32(x as f32)]).unwrap();
        assert!(got.allows(Some(Scalar::f64(f64::from(x as f32)))));
        let bits = cast_program(CastOp::Bitcast, Type::F64, Type::I64);
        let got = outcome(&mut interpreter(&bits), &[Scalar::f64(x)]).unwrap();
        assert_eq!((got.value, got.tainted), (Some(Scalar::i64(x.to_bits() as i64)), 0));
    }
    let bits = 0x0123_4567_89ab_cdef_0011_2233_4455_6677;
    let vector = cast_program(CastOp::Bitcast, Type::V16I8, Type::V4F32);
    let got = outcome(&mut interpreter(&vector), &[Scalar::new(Type::V16I8, bits)]).unwrap();
    assert_eq!(got.value, Some(Scalar::new(Type::V4F32, bits)));
    let booleans = cast_program(CastOp::Bitcast, Type::V16I1, Type::I16);
    let got = outcome(&mut interpreter(&booleans), &[Scalar::new(Type::V16I1, 0x8001)]).unwrap();
    assert_eq!(got.value, Some(Scalar::new(Type::I16, 0x8001)), "lane 0 is the lowest bit");
}

#[test]
fn the_bits_of_a_made_nan_are_undefined() {
    let program = single(&[Type::F64], Type::I64, |b, p| {
        let nan = b.binary(BinaryOp::Fdiv, p[0], p[0]);
        let bits = b.cast(CastOp::Bitcast, nan, Type::I64);
        b.ret(Some(bits));
    });
    assert_eq!(outcome(&mut interpreter(&program), &[Scalar::f64(0.0)]).unwrap().tainted, 1);
    assert_eq!(outcome(&mut interpreter(&program), &[Scalar::f64(1.0)]).unwrap().tainted, 0);
    let compare = single(&[Type::F64], Type::I1, |b, p| {
        let nan = b.binary(BinaryOp::Fdiv, p[0], p[0]);
        let bits = b.fcmp(FloatCond::Uno, nan, nan);
        b.ret(Some(bits));
    });
    let got = outcome(&mut interpreter(&compare), &[Scalar::f64(0.0)]).unwrap();
    assert_eq!((got.value.unwrap().bits, got.tainted), (1, 0), "that it is a NaN is certain");
}

#[test]
fn selects() {
    let scalar = single(&[Type::I1, Type::V4I32, Type::V4I32], Type::V4I32, |b, p| {
        let r = b.select(p[0], p[1], p[2]);
        b.ret(Some(r));
    });
    let (t, f) = (Scalar::new(Type::V4I32, u128::MAX / 3), Scalar::new(Type::V4I32, 7));
    for (c, want) in [(1, t), (0, f)] {
        let got = outcome(&mut interpreter(&scalar), &[Scalar::new(Type::I1, c), t, f]).unwrap();
        assert_eq!(got.value, Some(want));
    }
    let lanes = single(&[Type::V4I1, Type::V4I32, Type::V4I32], Type::V4I32, |b, p| {
        let r = b.select(p[0], p[1], p[2]);
        b.ret(Some(r));
    });
    let (t, f) = (
        Scalar::new(Type::V4I32, 0x11_0000_0022_0000_0033_0000_0044),
        Scalar::new(Type::V4I32, 0x55_0000_0066_0000_0077_0000_0088),
    );
    let got = outcome(&mut interpreter(&lanes), &[Scalar::new(Type::V4I1, 0b0101), t, f]).unwrap();
    assert_eq!(got.value, Some(Scalar::new(Type::V4I32, 0x55_0000_0022_0000_0077_0000_0044)));
}

#[test]
fn lanes_in_and_out() {
    for ty in Type::ALL.into_iter().filter(|ty| ty.is_vector() && !ty.is_wide()) {
        for lane in 0..ty.lanes() {
            let program = single(&[ty, ty.element()], ty.element(), |b, p| {
                let index = b.int_const(Type::I32, i64::from(lane));
                let v = b.insert_element(p[0], p[1], index);
                let r = b.extract_element(v, index);
                b.ret(Some(r));
            });
            let e = Scalar::new(ty.element(), 0x1234_5677);
            let got = outcome(&mut interpreter(&program), &[Scalar::new(ty, 0), e]).unwrap();
            assert_eq!(got.value, Some(e));
            let program = single(&[ty, ty.element()], ty, |b, p| {
                let index = b.int_const(Type::I32, i64::from(lane));
                let v = b.insert_element(p[0], p[1], index);
                b.ret(Some(v));
            });
            let all = Scalar::new(ty, u128::MAX);
            let got = outcome(&mut interpreter(&program), &[all, Scalar::new(ty.element(), 0)]).unwrap();
            for i in 0..ty.lanes() {
                let want = if i == lane { 0 } else { all.lane(i) };
                assert_eq!(got.value.unwrap().lane(i), want, "{ty} {lane} {i}");
            }
        }
    }
}

#[test]
fn lanes_of_zero_are_certain() {
    let program = single(&[], Type::V4I32, |b, _| {
        let zero = b.func.make_zero(Type::V4I32);
        let r = b.binary(BinaryOp::Add, zero, zero);
        b.ret(Some(r));
    });
    let got = outcome(&mut interpreter(&program), &[]).unwrap();
    assert_eq!((got.tainted, got.value.unwrap().bits), (0, 0));
}

#[test]
fn undef_taints_what_it_reaches() {
    let program = single(&[Type::I32], Type::V4I32, |b, p| {
        let undef = b.func.make_undef(Type::V4I32);
        let zero = b.int_const(Type::I32, 0);
        let two = b.int_const(Type::I32, 2);
        let v = b.insert_element(undef, p[0], zero);
        let v = b.insert_element(v, p[0], two);
        let r = b.binary(BinaryOp::Add, v, v);
        b.ret(Some(r));
    });
    let got = outcome(&mut interpreter(&program), &[Scalar::i32(21)]).unwrap();
    assert_eq!(got.tainted, 0b1010);
    assert_eq!((got.value.unwrap().lane(0), got.value.unwrap().lane(2)), (42, 42));

    let lanes = single(&[Type::V4I1, Type::V4I32], Type::V4I32, |b, p| {
        let undef = b.func.make_undef(Type::V4I1);
        let (one, three) = (b.int_const(Type::I32, 1), b.int_const(Type::I32, 3));
        let yes = b.int_const(Type::I1, 1);
        let c = b.insert_element(undef, yes, one);
        let c = b.insert_element(c, yes, three);
        let other = b.func.make_undef(Type::V4I32);
        let known = b.select(c, p[1], other);
        let both = b.select(p[0], known, other);
        b.ret(Some(both));
    });
    let args = [Scalar::new(Type::V4I1, 0b0111), Scalar::new(Type::V4I32, u128::MAX)];
    let got = outcome(&mut interpreter(&lanes), &args).unwrap();
    assert_eq!(got.tainted, 0b1101, "lane 1 alone is certain");
    let unknown = single(&[Type::V4I32], Type::V4I32, |b, p| {
        let c = b.func.make_undef(Type::V4I1);
        let r = b.select(c, p[0], p[0]);
        b.ret(Some(r));
    });
    assert_eq!(outcome(&mut interpreter(&unknown), &args[1..]).unwrap().tainted, 0b1111);

    let shift = single(&[Type::I32, Type::I32], Type::I1, |b, p| {
        let r = b.binary(BinaryOp::Shl, p[0], p[1]);
        let c = b.icmp(IntCond::Eq, r, p[0]);
        b.ret(Some(c));
    });
    let mut it = interpreter(&shift);
    assert_eq!(outcome(&mut it, &[Scalar::i32(1), Scalar::i32(32)]).unwrap().tainted, 1);
    assert_eq!(outcome(&mut it, &[Scalar::i32(1), Scalar::i32(31)]).unwrap().tainted, 0);
}

#[test]
fn bit_intrinsics() {
    let unary = |name: &str, ty: Type, flag: bool| {
        single(&[ty], ty, |b, p| {
            let mut args = vec![p[0]];
            if flag {
                args.push(b.int_const(Type::I1, 1));
            }
            let r = intrinsic(b, name, &args);
            b.ret(r);
        })
    };
    for n in boundary(Type::I64) {
        let value = |name: &str, ty, flag| {
            let got =
                outcome(&mut interpreter(&unary(name, ty, flag)), &[Scalar::new(ty, n.into())]).unwrap();
            assert_eq!(got.tainted, 0);
            got.value.unwrap().bits as u64
        };
        let n32 = n as u32;
        assert_eq!(value("llvm.bswap.i16", Type::I16, false), u64::from((n as u16).swap_bytes()));
        assert_eq!(value("llvm.bswap.i32", Type::I32, false), u64::from(n32.swap_bytes()));
        assert_eq!(value("llvm.bswap.i64", Type::I64, false), n.swap_bytes());
        assert_eq!(value("llvm.ctlz.i32", Type::I32, true), u64::from(n32.leading_zeros()));
        assert_eq!(value("llvm.ctlz.i64", Type::I64, true), u64::from(n.leading_zeros()));
        assert_eq!(value("llvm.cttz.i32", Type::I32, true), u64::from(n32.trailing_zeros()));
        assert_eq!(value("llvm.cttz.i64", Type::I64, true), u64::from(n.trailing_zeros()));
        assert_eq!(value("llvm.ctpop.i32", Type::I32, false), u64::from(n32.count_ones()));
        assert_eq!(value("llvm.ctpop.i64", Type::I64, false), u64::from(n.count_ones()));
    }
}

#[test]
fn float_intrinsics() {
    let unary = |name: &str, ty: Type| {
        single(&[ty], ty, |b, p| {
            let r = intrinsic(b, name, &[p[0]]);
            b.ret(r);
        })
    };
    for x in doubles() {
        let value =
            |name: &str, arg: Scalar| outcome(&mut interpreter(&unary(name, arg.ty)), &[arg]).unwrap();
        let y = x as f32;
        assert_eq!(value("llvm.fabs.f64", Scalar::f64(x)).value, Some(Scalar::f64(x.abs())));
        assert_eq!(value("llvm.fabs.f32", Scalar::f32(y)).value, Some(Scalar::f32(y.abs())));
        assert!(value("llvm.sqrt.f64", Scalar::f64(x)).allows(Some(Scalar::f64(x.sqrt()))), "{x}");
        assert!(value("llvm.sqrt.f32", Scalar::f32(y)).allows(Some(Scalar::f32(y.sqrt()))), "{y}");
    }
    let v = Scalar::new(Type::V4F32, 0x8000_0000_bf80_0000_3f80_0000_ffc0_0000);
    let got = outcome(&mut interpreter(&unary("llvm.fabs.v4f32", Type::V4F32)), &[v]).unwrap();
    assert_eq!(got.value.unwrap().bits, 0x0000_0000_3f80_0000_3f80_0000_7fc0_0000);
}

#[test]
fn vectors_of_256_bits_are_refused() {
    let program = single(&[Type::V4I32], Type::V4I32, |b, p| {
        let whole = b.join([p[0], p[0]], Type::V8I32);
        let sum = b.binary(BinaryOp::Add, whole, whole);
        let half = b.half(sum, 1, Type::V4I32);
        b.ret(Some(half));
    });
    let refused = Interpreter::with_limits(&program, LIMITS).err().map(|trap| trap.kind);
    assert!(matches!(refused, Some(TrapKind::Malformed(_))), "{refused:?}");
}
