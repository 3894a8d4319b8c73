//! The registers of the operands of inline assembly, by their constraints (GCC manual, «Constraints for Particular
//! Machines», x86).
//!
//! Registers that constraints name come first, then outputs that are written early or are inputs too, then inputs, then
//! the other outputs: these share the register of an input only where there is no other. Nothing is in the registers of
//! the stack and of the frame.

use super::Refusal;
use crate::regs::{RAX, RBX, RCX, RDI, RDX, RSI, xmm};
use alloc::format;
use alloc::vec::Vec;
use ice_asm::x86::{Mode, NamedRegister};
use ice_ir::assembly::{Choice, Constraint, Direction};
use ice_ir::{Type, Value};
use ice_regalloc::{PReg, RegUnits};

/// Where an operand is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// Nowhere: no register is meant, or none is chosen yet.
    None,
    /// In a register; a clobber is the register.
    Register(PReg),
    /// In edx:eax.
    Pair,
    /// In memory at the address that a register has.
    Memory(PReg),
    /// In the text.
    Number(i64),
    /// In a flag, and then as 0 or 1 in a register.
    Flag(PReg),
}

/// A constraint with what it is for.
pub(super) struct Slot<'a> {
    pub constraint: &'a Constraint<'a>,
    /// The result, the input, or the address of what is in memory.
    pub value: Option<Value>,
    /// Its type; void without one.
    pub ty: Type,
    /// What it is, if that is a known integer.
    pub number: Option<i64>,
    pub place: Place,
}

/// What a constraint asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wish {
    Fixed(PReg),
    /// One of the first four registers.
    LegacyByte,
    General,
    Vector,
    Pair,
    Memory,
    Number(i64),
    Flag,
    Same(usize),
    Nothing,
}

/// A register as a set of one, by its number.
const fn unit(reg: PReg) -> RegUnits {
    RegUnits::of(reg.0)
}

/// Whether a register is one of vectors.
pub(super) fn is_vector(reg: PReg) -> bool {
    reg.0 >= xmm(0).0
}

/// Things that are clobbered and are no registers where values live.
const NO_REGISTERS: [&str; 8] = ["cc", "memory", "dirflag", "flags", "fpsr", "fpcr", "mxcsr", "rflags"];

/// General registers in the order in which they are taken: those that calls destroy first.
const GENERAL_64: [u8; 14] = [0, 1, 2, 6, 7, 8, 9, 10, 11, 3, 12, 13, 14, 15];
const GENERAL_32: [u8; 6] = [0, 1, 2, 6, 7, 3];
const LEGACY: [u8; 4] = [0, 1, 2, 3];

/// Chooses the places of all operands.
///
/// # Errors
/// A constraint is not known, cannot have an operand of its type, or there are not enough registers.
pub(super) fn choose(mode: Mode, slots: &mut [Slot<'_>]) -> Result<(), Refusal> {
    let mut wishes = Vec::new();
    for slot in slots.iter() {
        wishes.push(wish(mode, slot).ok_or_else(|| {
            let choices = &slot.constraint.choices;
            Refusal::from(format!("the constraint {choices:?} of an operand of type {}", slot.ty))
        })?);
    }
    let [inputs, outputs, early] = [RegUnits::EMPTY; 3];
    let mut chooser = Chooser { mode, slots, inputs, outputs, early };
    chooser.run(&wishes).ok_or_else(|| Refusal::from("not enough registers for its operands"))
}

struct Chooser<'s, 'a> {
    mode: Mode,
    slots: &'s mut [Slot<'a>],
    /// Read by the text.
    inputs: RegUnits,
    /// Written by it.
    outputs: RegUnits,
    /// Those among them that are written early, or read too, or destroyed.
    early: RegUnits,
}

impl Chooser<'_, '_> {
    /// Chooses all; `None` if registers are lacking.
    fn run(&mut self, wishes: &[Wish]) -> Option<()> {
        let is_tied = |n: usize| wishes.contains(&Wish::Same(n));
        for (n, &wish) in wishes.iter().enumerate() {
            match wish {
                Wish::Fixed(reg) => {
                    self.check_named(n, reg)?;
                    self.take(n, reg, is_tied(n));
                }
                Wish::Number(number) => self.slots[n].place = Place::Number(number),
                Wish::Pair => {
                    self.slots[n].place = Place::Pair;
                    for reg in [RAX, RDX] {
                        self.check_named(n, reg)?;
                        self.mark(n, reg, is_tied(n));
                    }
                }
                _ => {}
            }
        }
        // Outputs that no input may share, unless it is tied to them.
        for (n, &wish) in wishes.iter().enumerate() {
            let constraint = self.slots[n].constraint;
            if constraint.is_result() && (constraint.is_early || is_tied(n)) {
                let apart = self.inputs.union(self.outputs);
                self.place(n, wish, is_tied(n), [apart, apart])?;
            }
        }
        for (n, &wish) in wishes.iter().enumerate() {
            if let Wish::Same(output) = wish {
                self.slots[n].place = self.slots.get(output)?.place;
            } else if self.slots[n].constraint.is_operand() {
                let apart = self.inputs.union(self.outputs);
                let at_least = self.inputs.union(self.early);
                self.place(n, wish, false, [apart, at_least])?;
            }
        }
        for (n, &wish) in wishes.iter().enumerate() {
            let apart = self.inputs.union(self.outputs);
            self.place(n, wish, false, [apart, self.outputs])?;
        }
        Some(())
    }

    /// Puts an operand that has no place yet into a register that the first of these sets does not have, or else the
    /// second.
    fn place(&mut self, n: usize, wish: Wish, is_tied: bool, used: [RegUnits; 2]) -> Option<()> {
        if self.slots[n].place != Place::None {
            return Some(());
        }
        let general: &[u8] = match (wish, self.mode) {
            (Wish::General | Wish::Memory, Mode::Bits64) => &GENERAL_64,
            (Wish::General | Wish::Memory, Mode::Bits32) => &GENERAL_32,
            (Wish::Flag, Mode::Bits64) => &GENERAL_64,
            (Wish::Flag, Mode::Bits32) | (Wish::LegacyByte, _) => &LEGACY,
            _ => &[],
        };
        let vectors = match (wish, self.mode) {
            (Wish::Vector, Mode::Bits64) => 0..16,
            (Wish::Vector, Mode::Bits32) => 0..8,
            _ => 0..0,
        };
        if general.is_empty() && vectors.is_empty() {
            return Some(());
        }
        let candidates = || general.iter().map(|&n| PReg(n)).chain(vectors.clone().map(xmm));
        let free = used.into_iter().find_map(|used| candidates().find(|&reg| !used.intersects(unit(reg))))?;
        self.take(n, free, is_tied);
        match wish {
            Wish::Memory => self.slots[n].place = Place::Memory(free),
            Wish::Flag => self.slots[n].place = Place::Flag(free),
            _ => {}
        }
        Some(())
    }

    /// Whether an operand can be in a register that constraints name, beside those that are in it.
    fn check_named(&self, n: usize, reg: PReg) -> Option<()> {
        let constraint = self.slots[n].constraint;
        let others = match constraint.is_operand() {
            true => self.inputs.union(self.early),
            false if constraint.is_result() && !constraint.is_early => self.outputs,
            false => self.outputs.union(self.inputs),
        };
        (!others.intersects(unit(reg))).then_some(())
    }

    fn take(&mut self, n: usize, reg: PReg, is_tied: bool) {
        self.slots[n].place = Place::Register(reg);
        self.mark(n, reg, is_tied);
    }

    /// Notes what an operand does to its register.
    fn mark(&mut self, n: usize, reg: PReg, is_tied: bool) {
        let constraint = self.slots[n].constraint;
        let set = if constraint.is_operand() { &mut self.inputs } else { &mut self.outputs };
        set.insert(unit(reg));
        if is_tied {
            self.inputs.insert(unit(reg));
        }
        if is_tied || constraint.is_early || constraint.direction == Direction::Clobber {
            self.early.insert(unit(reg));
        }
    }
}

/// What a constraint asks for; `None` if nobody knows.
fn wish(mode: Mode, slot: &Slot<'_>) -> Option<Wish> {
    let constraint = slot.constraint;
    if constraint.direction == Direction::Label {
        return None;
    }
    let letters = || {
        constraint.choices.iter().filter_map(|choice| match choice {
            Choice::Letters(letters) => Some(*letters),
            _ => None,
        })
    };
    if constraint.is_indirect {
        return letters()
            .any(|letters| matches!(letters, "m" | "o" | "V" | "g" | "X"))
            .then_some(Wish::Memory);
    }
    let named = constraint.choices.iter().find_map(|choice| match choice {
        Choice::Named(name) => Some(*name),
        _ => None,
    });
    if let Some(name) = named {
        let is_other = NO_REGISTERS.contains(&name) || name.starts_with("st") || name.starts_with("mm");
        let is_clobber = constraint.direction == Direction::Clobber;
        return match register(mode, name) {
            None => (is_clobber && is_other).then_some(Wish::Nothing),
            Some(reg) => (is_clobber || suits(mode, reg, slot.ty)).then_some(Wish::Fixed(reg)),
        };
    }
    for choice in &constraint.choices {
        match *choice {
            Choice::Same(output) => return Some(Wish::Same(output as usize)),
            Choice::Flag(_) => return slot.ty.is_scalar_int().then_some(Wish::Flag),
            Choice::Letters(letters) => {
                if let Some(number) = slot.number.filter(|&number| takes_number(letters, number)) {
                    return Some(Wish::Number(number));
                }
            }
            Choice::Named(_) => {}
        }
    }
    letters().find_map(|letters| of_letters(mode, letters, slot.ty))
}

/// The register that letters stand for, if there is one for values of the type.
fn of_letters(mode: Mode, letters: &str, ty: Type) -> Option<Wish> {
    let fixed = |reg| suits(mode, reg, ty).then_some(Wish::Fixed(reg));
    let is_word = ty.is_scalar_int() && ty != Type::I1 && (ty != Type::I64 || mode == Mode::Bits64);
    match letters {
        "r" | "q" | "R" | "l" | "g" | "X" if is_word => match (ty, mode) {
            (Type::I8, Mode::Bits32) => Some(Wish::LegacyByte),
            _ => Some(Wish::General),
        },
        "Q" if is_word => Some(Wish::LegacyByte),
        "x" | "v" if ty.is_vector() || ty.is_scalar_float() => Some(Wish::Vector),
        "Yz" => fixed(xmm(0)),
        "A" if ty == Type::I64 && mode == Mode::Bits32 => Some(Wish::Pair),
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

/// The register of this name that may be used: not those of the stack and of the frame.
fn register(mode: Mode, name: &str) -> Option<PReg> {
    let limit = if mode == Mode::Bits64 { 16 } else { 8 };
    let vector = || name.strip_prefix("xmm")?.parse().ok().filter(|&n: &u8| n < limit).map(xmm);
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
    use ice_ir::Assembly;
    use ice_ir::assembly::Dialect;

    /// The places of operands with these types; a value is made up for each that has one.
    fn places(
        mode: Mode,
        constraints: &str,
        types: &[Type],
        number: Option<i64>,
    ) -> Result<Vec<Place>, Refusal> {
        let assembly = Assembly {
            template: alloc::string::String::new(),
            constraints: constraints.into(),
            dialect: Dialect::Att,
            returns_twice: false,
        };
        let constraints = assembly.operands().unwrap();
        let mut types = types.iter();
        let mut slots: Vec<_> = constraints
            .iter()
            .map(|constraint| {
                let has_value = constraint.is_result() || constraint.is_operand();
                let ty = if has_value { *types.next().unwrap() } else { Type::Void };
                let number = number.filter(|_| constraint.is_operand());
                Slot { constraint, value: None, ty, number, place: Place::None }
            })
            .collect();
        choose(mode, &mut slots)?;
        Ok(slots.iter().map(|slot| slot.place).collect())
    }

    const fn reg(n: u8) -> Place {
        Place::Register(PReg(n))
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
        assert_eq!(places("=&r,=*{ax}m,r", &[I64; 3]), [reg(0), Place::Memory(PReg(1)), reg(2)]);
        assert_eq!(places("=x,0,x", &[Type::F64; 3]), [reg(16), reg(16), reg(17)]);
        assert_eq!(
            places("={@ccc},={@ccz},r,r", &[I32; 4])[..2],
            [Place::Flag(PReg(2)), Place::Flag(PReg(6))]
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
        assert_eq!(places(Mode::Bits32, "=A", &[Type::I64], None).unwrap(), [Place::Pair]);
        assert!(places(Mode::Bits32, "=r", &[Type::I64], None).is_err());
        assert!(places(Mode::Bits64, "=r", &[Type::F64], None).is_err());
        assert!(places(Mode::Bits64, "=t", &[Type::F64], None).is_err());
    }
}
