use super::places::wish;
use super::text::operand;
use crate::regs::{FILES, d, q, r, s};
use alloc::string::String;
use alloc::vec::Vec;
use ice_codegen::assembly::{Home, Place, Refusal};
use ice_codegen::mach::FramePointer;
use ice_codegen::testing::placed_operands;
use ice_ir::Type;
use ice_ir::native::CallingConvention;

/// The places of operands with these types, and how they are written with this modifier.
fn placed(
    constraints: &str,
    types: &[Type],
    number: Option<i64>,
    modifier: &str,
) -> Result<Vec<(Place, Option<String>)>, Refusal> {
    let file = FILES.of(CallingConvention::Standard, FramePointer::None);
    let units = |reg| file.units(reg);
    placed_operands(constraints, types, number, &wish, &units, |slot| (slot.place, operand(slot, modifier)))
}

fn places(constraints: &str, types: &[Type]) -> Vec<Place> {
    let placed = placed(constraints, types, None, "").unwrap();
    placed.into_iter().map(|(place, _)| place).collect()
}

const fn at(reg: ice_regalloc::PReg) -> Place {
    Place::Register(Home::of(reg))
}

const fn pair(n: u8) -> Place {
    Place::Register(Home { reg: r(n), high: Some(r(n + 1)) })
}

#[test]
fn values_of_64_bits_have_pairs_that_start_evenly() {
    use Type::{F64, I32, I64};
    assert_eq!(places("=&r,r,r,~{r0}", &[I64, I32, I64])[..3], [pair(2), at(r(1)), pair(4)]);
    assert_eq!(places("={r0},{r2},{r7}", &[I64, F64, I32]), [pair(0), pair(2), at(r(7))]);
    assert!(placed("=&r,=&r,=&r,=&r,=&r,=&r", &[I64; 6], None, "").is_err());
    // Registers of doublewords are those of two numbers of 32 bits.
    assert_eq!(places("={d1},{s3},{s4}", &[F64, Type::F32, Type::F32]), [at(d(1)), at(s(3)), at(s(4))]);
    assert!(placed("=&{d1},{s3}", &[F64, Type::F32], None, "").is_err());
    assert_eq!(places("=&w,w,~{q0}", &[F64, F64])[..2], [at(d(2)), at(d(3))]);
}

#[test]
fn registers_have_the_kinds_of_their_letters() {
    use Type::{F32, F64, I8, I16, I32, V4I32};
    assert_eq!(places("=t,t,w,x", &[F32, I32, F64, V4I32]), [at(s(1)), at(s(0)), at(d(1)), at(q(1))]);
    assert_eq!(places("=r,r,l,r", &[I8, I16, F32, I32]), [at(r(3)), at(r(0)), at(r(1)), at(r(2))]);
    assert_eq!(places("*m,*Q,*^Um", &[I32; 3]), [0, 1, 2].map(|n| Place::Memory(Home::of(r(n)))));
    for wrong in ["=w", "=x", "={sp}", "={pc}", "={r11}", "={r12}", "={s0}", "=h", "={@ccne}"] {
        assert!(placed(wrong, &[I16], None, "").is_err(), "{wrong}");
    }
    assert_eq!(places("~{r12},~{ip},~{cc},~{memory},~{lr}", &[])[4], at(r(14)));
    assert!(placed("~{r13}", &[], None, "").is_err());
}

#[test]
fn numbers_stand_in_the_text_if_instructions_can_have_them() {
    let place = |text: &str, number| placed(text, &[Type::I32], Some(number), "").map(|placed| placed[0].0);
    for (letter, fits, other) in [
        ("I", 0xff00, 0x1ff),
        ("J", -4095, 4096),
        ("K", -256, 0x1fff),
        ("L", -255, -257),
        ("M", 32, 33),
        ("j", 0xffff, 0x10000),
    ] {
        assert_eq!(place(letter, fits), Ok(Place::Number(fits)), "{letter}");
        assert!(place(letter, other).is_err(), "{letter}");
    }
    assert_eq!(place("rI", 0x1ff), Ok(at(r(0))));
    assert_eq!(place("M", 1 << 31), Ok(Place::Number(1 << 31)));
}

#[test]
fn modifiers_name_parts() {
    use Type::{F32, F64, I32, I64, V4I32};
    let written =
        |constraint, ty, modifier| placed(constraint, &[ty], Some(0x12345), modifier).unwrap()[0].1.clone();
    for (constraint, ty, modifier, text) in [
        ("{r2}", I64, "", "r2"),
        ("{r2}", I64, "Q", "r2"),
        ("{r2}", I64, "R", "r3"),
        ("{r2}", I64, "H", "r3"),
        ("{r2}", I64, "M", "{r2, r3}"),
        ("{lr}", I32, "", "lr"),
        ("{r9}", I32, "a", "[r9]"),
        ("*m", I32, "", "[r0]"),
        ("*m", I32, "m", "r0"),
        ("i", I32, "", "#74565"),
        ("i", I32, "c", "74565"),
        ("i", I32, "B", "-74566"),
        ("i", I32, "L", "9029"),
        ("{d17}", F64, "P", "d17"),
        ("{s5}", F32, "y", "d2[1]"),
        ("{q3}", V4I32, "q", "q3"),
        ("{q3}", V4I32, "e", "d6"),
        ("{q3}", V4I32, "f", "d7"),
        ("{q3}", V4I32, "h", "{d6, d7}"),
    ] {
        assert_eq!(written(constraint, ty, modifier).as_deref(), Some(text), "{constraint} {modifier}");
    }
    for (constraint, ty, modifier) in
        [("{r2}", I32, "R"), ("{r2}", I32, "k"), ("*m", I32, "Q"), ("{d1}", F64, "e")]
    {
        assert_eq!(written(constraint, ty, modifier), None, "{constraint} {modifier}");
    }
}
