//! What constraints ask for (GCC manual, «Constraints for Particular Machines», x86). Nothing is in the registers of
//! the stack and of the frame.

use crate::regs::{RAX, RBX, RCX, RDI, RDX, RSI, xmm};
use ice_asm::x86::{Mode, NamedRegister};
use ice_codegen::assembly::{Home, Slot, Wish};
use ice_ir::Type;
use ice_ir::assembly::Direction;
use ice_regalloc::PReg;

/// Whether a register is one of vectors.
pub(super) fn is_vector(reg: PReg) -> bool {
    reg.0 >= xmm(0).0
}

/// Things that are clobbered and are no registers where values live.
const NO_REGISTERS: [&str; 8] = ["cc", "memory", "dirflag", "flags", "fpsr", "fpcr", "mxcsr", "rflags"];

/// General registers in the order in which they are taken: those that calls destroy first.
static GENERAL_64: [Home; 14] = Home::list([0, 1, 2, 6, 7, 8, 9, 10, 11, 3, 12, 13, 14, 15]);
static GENERAL_32: [Home; 6] = Home::list([0, 1, 2, 6, 7, 3]);
static LEGACY: [Home; 4] = Home::list([0, 1, 2, 3]);
static VECTORS: [Home; 16] = Home::list([16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]);

/// The general registers of a mode.
fn general(mode: Mode) -> &'static [Home] {
    match mode {
        Mode::Bits64 => &GENERAL_64,
        Mode::Bits32 => &GENERAL_32,
    }
}

/// What a constraint asks for; `None` if nobody knows.
pub(super) fn wish(mode: Mode, slot: &Slot<'_>) -> Option<Wish> {
    let constraint = slot.constraint;
    if constraint.is_indirect {
        return slot
            .letters()
            .any(|letters| matches!(letters, "m" | "o" | "V" | "g" | "X"))
            .then_some(Wish::Memory(general(mode)));
    }
    if let Some(name) = slot.name() {
        let is_other = NO_REGISTERS.contains(&name)
            || name.starts_with("st")
            || name.starts_with("mm")
            || is_of_avx512(name);
        let is_clobber = constraint.direction == Direction::Clobber;
        return match register(mode, name) {
            None => (is_clobber && is_other).then_some(Wish::Nothing),
            Some(reg) => (is_clobber || suits(mode, reg, slot.ty)).then_some(Wish::Fixed(Home::of(reg))),
        };
    }
    let flags = if mode == Mode::Bits64 { &GENERAL_64[..] } else { &LEGACY };
    if let Some(wish) = slot.unregistered(flags, takes_number) {
        return wish;
    }
    if slot.letters().all(|letters| letters == "X")
        && let Some(wish) = slot.as_symbol(&["X"])
    {
        return Some(wish);
    }
    let register = slot.letters().find_map(|letters| of_letters(mode, letters, slot.ty));
    // Who also takes a register gets the address as it is made everywhere.
    register.or_else(|| slot.as_symbol(&["i", "s", "e", "Z", "X", "g"]))
}

/// The register that letters stand for, if there is one for values of the type.
fn of_letters(mode: Mode, letters: &str, ty: Type) -> Option<Wish> {
    let fixed = |reg| suits(mode, reg, ty).then_some(Wish::Fixed(Home::of(reg)));
    let is_word = ty.is_scalar_int() && ty != Type::I1 && (ty != Type::I64 || mode == Mode::Bits64);
    match letters {
        "r" | "q" | "R" | "l" | "g" | "X" if is_word => match (ty, mode) {
            (Type::I8, Mode::Bits32) => Some(Wish::Among(&LEGACY)),
            _ => Some(Wish::Among(general(mode))),
        },
        // The bits of a float, in one register.
        "r" | "q" if ty == Type::F32 || ty == Type::F64 && mode == Mode::Bits64 => {
            Some(Wish::Among(general(mode)))
        }
        "Q" if is_word => Some(Wish::Among(&LEGACY)),
        "x" | "v" if ty.is_vector() || ty.is_scalar_float() => {
            let count = if mode == Mode::Bits64 { 16 } else { 8 };
            Some(Wish::Among(&VECTORS[..count]))
        }
        "Yz" => fixed(xmm(0)),
        "A" if ty == Type::I64 && mode == Mode::Bits32 => {
            Some(Wish::Fixed(Home { reg: RAX, high: Some(RDX) }))
        }
        "a" | "A" => fixed(RAX),
        "b" => fixed(RBX),
        "c" => fixed(RCX),
        "d" => fixed(RDX),
        "S" => fixed(RSI),
        "D" => fixed(RDI),
        _ => None,
    }
}

/// Whether a register can have a value of the type.
fn suits(mode: Mode, reg: PReg, ty: Type) -> bool {
    match ty {
        Type::Void | Type::I1 => false,
        Type::I8 => !is_vector(reg) && (mode == Mode::Bits64 || reg.0 < 4),
        Type::I64 => !is_vector(reg) && mode == Mode::Bits64,
        _ if ty.is_scalar_int() => !is_vector(reg),
        _ => is_vector(reg),
    }
}

/// The number of a register of vectors, of whatever length: they begin with one another.
fn vector_number(name: &str) -> Option<u8> {
    let (length, number) = name.split_at_checked(3)?;
    if matches!(length, "xmm" | "ymm" | "zmm") { number.parse().ok() } else { None }
}

/// Whether a name is that of a register of AVX-512, in which nothing is here.
fn is_of_avx512(name: &str) -> bool {
    vector_number(name).is_some_and(|number| (16..32).contains(&number))
        || name.strip_prefix('k').is_some_and(|number| matches!(number.as_bytes(), [b'0'..=b'7']))
}

/// The register of this name that may be used: not those of the stack and of the frame.
fn register(mode: Mode, name: &str) -> Option<PReg> {
    let limit = if mode == Mode::Bits64 { 16 } else { 8 };
    let vector = || vector_number(name).filter(|&n| n < limit).map(xmm);
    let general = || {
        let NamedRegister { reg, is_high, .. } = NamedRegister::of_name(name)?;
        let is_usable = !is_high && reg.number() < limit && !matches!(reg.number(), 4 | 5);
        is_usable.then_some(PReg(reg.number()))
    };
    vector().or_else(general)
}

/// Whether letters say that a number may stand in the text.
fn takes_number(letters: &str, number: i64) -> bool {
    match letters {
        "i" | "n" | "g" | "X" => true,
        "e" => i32::try_from(number).is_ok(),
        "Z" => u32::try_from(number).is_ok(),
        "I" => (0..32).contains(&number),
        "J" => (0..64).contains(&number),
        "K" => i8::try_from(number).is_ok(),
        "L" => matches!(number, 0xff | 0xffff | 0xffff_ffff),
        "M" => (0..4).contains(&number),
        "N" => u8::try_from(number).is_ok(),
        "O" => (0..128).contains(&number),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use ice_codegen::assembly::{Place, Refusal};
    use ice_codegen::testing::placed_operands;
    use ice_regalloc::RegUnits;

    /// The places of operands with these types; a value is made up for each that has one.
    fn places(
        mode: Mode,
        constraints: &str,
        types: &[Type],
        number: Option<i64>,
    ) -> Result<Vec<Place>, Refusal> {
        let units = |reg: PReg| RegUnits::of(reg.0);
        placed_operands(constraints, types, number, &|slot| wish(mode, slot), &units, |slot| slot.place)
    }

    #[test]
    fn registers_of_vectors_are_destroyed_with_their_long_ones() {
        let places = |mode, text| places(mode, text, &[Type::F32], None);
        let all = places(Mode::Bits64, "=x,~{ymm0},~{zmm2},~{ymm15},~{xmm31},~{k1}").unwrap();
        assert_eq!(all, [reg(17), reg(16), reg(18), reg(31), Place::None, Place::None]);
        // One register by two names, which an output keeps away from nevertheless.
        let all = places(Mode::Bits64, "=x,~{xmm0},~{ymm0}").unwrap();
        assert_eq!(all, [reg(17), reg(16), Place::None]);
        assert!(places(Mode::Bits64, "={xmm0},~{ymm0},~{xmm0}").is_err());
        assert!(places(Mode::Bits32, "=x,~{ymm9}").is_err());
        for unknown in ["~{ymm32}", "~{k8}", "~{wmm0}"] {
            assert!(places(Mode::Bits64, unknown).is_err(), "{unknown}");
        }
    }

    const fn reg(n: u8) -> Place {
        Place::Register(Home::of(PReg(n)))
    }

    #[test]
    fn named_registers_come_first() {
        let places = |text, types: &[Type]| places(Mode::Bits64, text, types, None).unwrap();
        use Type::{I32, I64};
        // cpuid
        let all = places("={ax},={bx},={cx},={dx},0,2,~{cc},~{memory}", &[I32; 6]);
        assert_eq!(all[..6], [reg(0), reg(3), reg(1), reg(2), reg(0), reg(1)]);
        // Inputs keep away from outputs and clobbers while there are others.
        let all = places("=r,r,{di},~{rax},~{r9}", &[I64; 3]);
        assert_eq!(all, [reg(2), reg(1), reg(7), reg(0), reg(9)]);
        assert_eq!(places("=&r,=*{ax}m,r", &[I64; 3]), [reg(0), Place::Memory(Home::of(PReg(1))), reg(2)]);
        assert_eq!(places("=x,0,x", &[Type::F64; 3]), [reg(16), reg(16), reg(17)]);
        assert_eq!(
            places("={@ccc},={@ccz},r,r", &[I32; 4])[..2],
            [2, 6].map(|n| Place::Flag(Home::of(PReg(n))))
        );
    }

    #[test]
    fn outputs_share_with_inputs_where_there_is_no_other_register() {
        use Type::I32;
        let places = |text, count| places(Mode::Bits32, text, &[I32; 9][..count], None);
        let all = places("=r,=r,=r,r,r,r,r", 7).unwrap();
        let distinct = |some: &[Place]| some.iter().enumerate().all(|(n, place)| !some[..n].contains(place));
        assert!(distinct(&all[..3]) && distinct(&all[3..]), "{all:?}");
        assert!(places("=&r,=&r,=&r,r,r,r,r", 7).is_err());
        assert!(places("r,r,r,r,r,r,r", 7).is_err());
        assert!(places("={bp}", 1).is_err());
        for conflict in ["={ax},={ax}", "{ax},{ax}", "=&{ax},{ax}", "={ax},~{eax}", "{cx},~{ecx}"] {
            assert!(places(conflict, 2).is_err(), "{conflict}");
        }
        assert_eq!(places("={ax},{ax}", 2).unwrap(), [reg(0), reg(0)]);
    }

    #[test]
    fn numbers_stand_in_the_text_if_they_fit() {
        let place = |text, number| places(Mode::Bits64, text, &[Type::I32], Some(number)).unwrap()[0];
        assert_eq!(place("ir", 5), Place::Number(5));
        assert_eq!(place("Nd", 255), Place::Number(255));
        assert_eq!(place("Nd", 256), reg(2));
        assert_eq!(place("r", 5), reg(0));
        assert!(places(Mode::Bits64, "I", &[Type::I32], Some(32)).is_err());
    }

    #[test]
    fn bytes_and_pairs_have_their_registers() {
        assert_eq!(
            places(Mode::Bits32, "=r,r,r,q", &[Type::I8, Type::I32, Type::I32, Type::I8], None)
                .unwrap()
                .len(),
            4
        );
        assert_eq!(
            places(Mode::Bits32, "=A", &[Type::I64], None).unwrap(),
            [Place::Register(Home { reg: RAX, high: Some(RDX) })]
        );
        assert!(places(Mode::Bits32, "=r", &[Type::I64], None).is_err());
        assert!(places(Mode::Bits32, "=r", &[Type::F64], None).is_err());
        assert_eq!(places(Mode::Bits64, "=r,r", &[Type::F64, Type::F32], None).unwrap(), [reg(1), reg(0)]);
        assert!(places(Mode::Bits64, "=t", &[Type::F64], None).is_err());
    }
}
