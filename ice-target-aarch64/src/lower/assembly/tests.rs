use super::places::wish;
use super::text::operand;
use crate::regs::{FILES, v, x};
use alloc::vec::Vec;
use ice_codegen::assembly::{Home, Place, Refusal};
use ice_codegen::mach::FramePointer;
use ice_codegen::testing::{PlacedOperand, written_operands};
use ice_ir::Type;
use ice_ir::native::CallingConvention;

/// The places of operands with these types, and how they are written with this modifier.
fn placed(
    text: &str,
    types: &[Type],
    number: Option<i64>,
    modifier: &str,
) -> Result<Vec<PlacedOperand>, Refusal> {
    let file = FILES.of(CallingConvention::Standard, FramePointer::None);
    written_operands((text, types), (number, modifier), file, &wish, operand)
}

fn places(constraints: &str, types: &[Type]) -> Vec<Place> {
    placed(constraints, types, None, "").unwrap().into_iter().map(|(place, _)| place).collect()
}

const fn at(reg: ice_regalloc::PReg) -> Place {
    Place::Register(Home::of(reg))
}

#[test]
fn registers_have_the_kinds_of_their_letters() {
    use Type::{F32, F64, I8, I16, I32, I64, V4I32};
    assert_eq!(places("=&r,r,r,~{x0}", &[I64, I32, I8])[..3], [at(x(1)), at(x(2)), at(x(3))]);
    assert_eq!(places("={x0},{w2},{r7}", &[I64, F64, I32]), [at(x(0)), at(x(2)), at(x(7))]);
    assert_eq!(places("=w,w,x,y", &[F32, V4I32, F64, F32]), [at(v(3)), at(v(0)), at(v(1)), at(v(2))]);
    assert_eq!(places("=w,r,w", &[I32, F32, I16]), [at(v(1)), at(x(0)), at(v(0))]);
    assert_eq!(places("={v8},{d9},{q31}", &[F64, F32, V4I32]), [at(v(8)), at(v(9)), at(v(31))]);
    assert_eq!(places("*m,*Q,*o", &[I32; 3]), [0, 1, 2].map(|n| Place::Memory(Home::of(x(n)))));
    assert_eq!(places("={@cceq},=r", &[I32; 2]), [Place::Flag(Home::of(x(0))), at(x(1))]);
    for wrong in ["={sp}", "={x29}", "={x16}", "={x17}", "={w18}", "={x31}", "={v32}", "=h"] {
        assert!(placed(wrong, &[I16], None, "").is_err(), "{wrong}");
    }
    for wrong in ["=r", "={x0}", "={v8}"] {
        assert!(placed(wrong, &[V4I32], None, "").is_err(), "{wrong}");
    }
    assert_eq!(places("~{x16},~{x18},~{cc},~{memory},~{lr},~{v8}", &[])[4..], [at(x(30)), at(v(8))]);
    assert!(placed("~{x29}", &[], None, "").is_err());
}

#[test]
fn numbers_stand_in_the_text_if_instructions_can_have_them() {
    let place = |text: &str, number| placed(text, &[Type::I64], Some(number), "").map(|placed| placed[0].0);
    for (letter, fits, other) in [
        ("I", 0xff_f000, 0x1001),
        ("J", -4095, 1),
        ("K", 0xff00_ff00, 5),
        ("L", 0x0f0f_0f0f_0f0f_0f0f, 0xff00_ff01),
        ("M", 0x1234_0000, 0x1_0001_0000),
        ("N", -2, 0x1_0001_0000_0002),
        ("Z", 0, 1),
    ] {
        assert_eq!(place(letter, fits), Ok(Place::Number(fits)), "{letter}");
        assert!(place(letter, other).is_err(), "{letter}");
    }
    assert_eq!(place("rI", 0x1001), Ok(at(x(0))));
    assert_eq!(place("rZ", 0), Ok(Place::Number(0)));
    assert_eq!(place("rZ", 1), Ok(at(x(0))));
}

#[test]
fn modifiers_name_parts() {
    use Type::{F32, F64, I32, I64, V4I32};
    let written =
        |constraint, ty, number, modifier| placed(constraint, &[ty], number, modifier).unwrap()[0].1.clone();
    for (constraint, ty, number, modifier, text) in [
        ("{x2}", I64, None, "", "x2"),
        ("{x2}", I32, None, "", "x2"),
        ("{x2}", I32, None, "w", "w2"),
        ("{x2}", I32, None, "x", "x2"),
        ("{lr}", I32, None, "w", "w30"),
        ("{x9}", I64, None, "a", "[x9]"),
        ("*m", I32, None, "", "[x0]"),
        ("i", I32, Some(17), "", "17"),
        ("i", I32, Some(17), "c", "17"),
        ("i", I32, Some(17), "n", "-17"),
        ("i", I32, Some(17), "w", "17"),
        ("i", I32, Some(0), "w", "wzr"),
        ("rZ", I32, Some(0), "", "xzr"),
        ("rZ", I32, Some(0), "w", "wzr"),
        ("{v17}", F64, None, "", "v17"),
        ("{v17}", F64, None, "d", "d17"),
        ("{v5}", F32, None, "s", "s5"),
        ("{v5}", F32, None, "h", "h5"),
        ("{v5}", F32, None, "b", "b5"),
        ("{q3}", V4I32, None, "q", "q3"),
    ] {
        let found = written(constraint, ty, number, modifier);
        assert_eq!(found.as_deref(), Some(text), "{constraint} {modifier}");
    }
    for (constraint, ty, modifier) in
        [("{x2}", I32, "d"), ("{x2}", I32, "k"), ("*m", I32, "w"), ("{v1}", F64, "w")]
    {
        assert_eq!(written(constraint, ty, None, modifier), None, "{constraint} {modifier}");
    }
}
