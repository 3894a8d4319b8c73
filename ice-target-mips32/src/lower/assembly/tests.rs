use super::places::{wish, written};
use crate::regs::{FILES, d, r, s};
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
    (number, modifier): (Option<i64>, &str),
) -> Result<Vec<(Place, Option<String>)>, Refusal> {
    let file = FILES.of(CallingConvention::Standard, FramePointer::None);
    let units = |reg| file.units(reg);
    placed_operands(constraints, types, number, &wish, &units, |slot| (slot.place, written(slot, modifier)))
}

const fn at(reg: ice_regalloc::PReg) -> Place {
    Place::Register(Home::of(reg))
}

#[test]
fn operands_have_registers_of_their_kind() {
    use Type::{F32, F64, I32, I64};
    let places = |constraints, types: &[Type]| {
        placed(constraints, types, (None, ""))
            .unwrap()
            .into_iter()
            .map(|(place, _)| place)
            .collect::<Vec<_>>()
    };
    assert_eq!(places("=&r,r,~{$3},~{$1},~{hi}", &[I32, I32])[..2], [at(r(2)), at(r(4))]);
    assert_eq!(places("=f,f,f", &[F64, F32, F64]), [at(d(4)), at(s(0)), at(d(2))]);
    assert_eq!(places("={$4},{$4}", &[I64, I64])[0], Place::Register(Home { reg: r(4), high: Some(r(5)) }));
    assert_eq!(places("{$f2},{$f13}", &[F64, F32]), [at(d(2)), at(s(13))]);
    for (wrong, ty) in
        [("={$29}", I32), ("={$31}", I32), ("={$30}", I32), ("={$f1}", F64), ("=r", F32), ("=f", I32)]
    {
        assert!(placed(wrong, &[ty], (None, "")).is_err(), "{wrong}");
    }
}

#[test]
fn numbers_and_modifiers_are_those_of_the_machine() {
    use Type::{I32, I64};
    let written = |constraint, ty, number, modifier| {
        placed(constraint, &[ty], (number, modifier)).unwrap()[0].1.clone()
    };
    for (constraint, ty, number, modifier, text) in [
        ("I", I32, Some(-32768), "", "-32768"),
        ("K", I32, Some(65535), "", "65535"),
        ("J", I32, Some(0), "z", "$0"),
        ("rI", I32, Some(32768), "", "$2"),
        ("L", I32, Some(0x10000), "X", "0x10000"),
        ("{$6}", I64, None, "D", "$7"),
        ("{$6}", I64, None, "M", "$7"),
        ("{$6}", I64, None, "L", "$6"),
        ("*m", I32, None, "", "0($2)"),
        ("*m", I32, None, "D", "4($2)"),
        ("{$f4}", Type::F64, None, "", "$f4"),
    ] {
        assert_eq!(
            written(constraint, ty, number, modifier).as_deref(),
            Some(text),
            "{constraint} {modifier}"
        );
    }
    for (constraint, number) in
        [("I", 32768), ("K", -1), ("J", 1), ("L", 1), ("N", 0), ("P", 0), ("O", 0x4000)]
    {
        assert!(placed(constraint, &[I32], (Some(number), "")).is_err(), "{constraint}");
    }
}
