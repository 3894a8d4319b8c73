//! The registers of the operands of inline assembly, by their constraints.
//!
//! Registers that constraints name come first, then outputs that are written early or are inputs too, then inputs, then
//! the other outputs: these share the register of an input only where there is no other.

use super::Refusal;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ice_ir::assembly::{Choice, Constraint, Direction};
use ice_ir::{Symbol, Type, Value};
use ice_regalloc::{PReg, RegUnits};

/// A register, or two for the halves of 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Home {
    /// The only one, or that of the lower half.
    pub reg: PReg,
    /// That of the upper half.
    pub high: Option<PReg>,
}

impl Home {
    /// One register.
    #[must_use]
    pub const fn of(reg: PReg) -> Home {
        Home { reg, high: None }
    }

    /// Registers by their numbers, in the order in which they are taken.
    #[must_use]
    pub const fn list<const N: usize>(numbers: [u8; N]) -> [Home; N] {
        let mut homes = [Home::of(PReg(0)); N];
        let mut n = 0;
        while n < N {
            homes[n] = Home::of(PReg(numbers[n]));
            n += 1;
        }
        homes
    }

    fn units(self, units: &dyn Fn(PReg) -> RegUnits) -> RegUnits {
        units(self.reg).union(self.high.map_or(RegUnits::EMPTY, units))
    }
}

/// Where an operand is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Nowhere: no register is meant, or none is chosen yet.
    None,
    /// In a register; a clobber is the register.
    Register(Home),
    /// In memory at the address that a register has.
    Memory(Home),
    /// In the text.
    Number(i64),
    /// In the text, as the address of a symbol and so many bytes.
    Symbol(Symbol, i64),
    /// In the memory of the output of this number, where it is already.
    Of(usize),
    /// In a flag, and then as 0 or 1 in a register.
    Flag(Home),
}

/// A constraint with what it is for.
pub struct Slot<'a> {
    /// The constraint.
    pub constraint: &'a Constraint<'a>,
    /// The result, the input, or the address of what is in memory.
    pub value: Option<Value>,
    /// Its type; void without one.
    pub ty: Type,
    /// What it is, if that is a known integer.
    pub number: Option<i64>,
    /// The symbol whose address it is, or from which it is so many bytes away.
    pub symbol: Option<(Symbol, i64)>,
    /// Where it is.
    pub place: Place,
}

/// What a constraint asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wish {
    /// These registers.
    Fixed(Home),
    /// One of these.
    Among(&'static [Home]),
    /// Memory at an address in one of these.
    Memory(&'static [Home]),
    /// A flag, which goes to one of these.
    Flag(&'static [Home]),
    /// To stand in the text.
    Number(i64),
    /// To stand in the text as an address.
    Symbol(Symbol, i64),
    /// The place of the output of this number.
    Same(usize),
    /// Nothing.
    Nothing,
}

/// Chooses the places of all operands. `wish` says what a constraint asks for, `units` what a register is made of.
///
/// # Errors
/// A constraint is not known, cannot have an operand of its type, or there are not enough registers.
pub fn choose(
    wish: &dyn Fn(&Slot<'_>) -> Option<Wish>,
    units: &dyn Fn(PReg) -> RegUnits,
    slots: &mut [Slot<'_>],
) -> Result<(), Refusal> {
    let mut wishes = Vec::new();
    for slot in slots.iter() {
        if slot.constraint.direction == Direction::Label {
            wishes.push(Wish::Nothing);
            continue;
        }
        wishes.push(wish(slot).ok_or_else(|| {
            let choices: String = slot.constraint.choices.iter().map(Choice::to_string).collect();
            Refusal::from(format!("the constraint \"{choices}\" of an operand of type {}", slot.ty))
        })?);
    }
    let [inputs, outputs, early] = [RegUnits::EMPTY; 3];
    let mut chooser = Chooser { units, slots, inputs, outputs, early };
    chooser.run(&wishes).ok_or_else(|| Refusal::from("not enough registers for its operands"))
}

struct Chooser<'s, 'a> {
    units: &'s dyn Fn(PReg) -> RegUnits,
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
        let is_clobber = |slot: &Slot<'_>| slot.constraint.direction == Direction::Clobber;
        for (n, &wish) in wishes.iter().enumerate() {
            match wish {
                // Destroyed by another name as well: there are several for one register.
                Wish::Fixed(home)
                    if is_clobber(&self.slots[n])
                        && self.slots[..n]
                            .iter()
                            .any(|slot| is_clobber(slot) && slot.place == Place::Register(home)) => {}
                Wish::Fixed(home) => {
                    self.check_named(n, home)?;
                    self.slots[n].place = Place::Register(home);
                    self.mark(n, home, is_tied(n));
                }
                Wish::Number(number) => self.slots[n].place = Place::Number(number),
                Wish::Symbol(symbol, offset) => self.slots[n].place = Place::Symbol(symbol, offset),
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
                let place = self.slots.get(output)?.place;
                let is_there = matches!(place, Place::Memory(_)) && !self.slots[n].constraint.is_indirect;
                self.slots[n].place = if is_there { Place::Of(output) } else { place };
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

    /// Puts an operand that has no place yet into registers that the first of these sets does not have, or else the
    /// second.
    fn place(&mut self, n: usize, wish: Wish, is_tied: bool, used: [RegUnits; 2]) -> Option<()> {
        let (Wish::Among(homes) | Wish::Memory(homes) | Wish::Flag(homes)) = wish else { return Some(()) };
        if self.slots[n].place != Place::None {
            return Some(());
        }
        let is_free = |home: Home, used: RegUnits| !used.intersects(home.units(self.units));
        let free =
            used.into_iter().find_map(|used| homes.iter().copied().find(|&home| is_free(home, used)))?;
        self.slots[n].place = match wish {
            Wish::Memory(_) => Place::Memory(free),
            Wish::Flag(_) => Place::Flag(free),
            _ => Place::Register(free),
        };
        self.mark(n, free, is_tied);
        Some(())
    }

    /// Whether an operand can be in registers that constraints name, beside those that are in them.
    fn check_named(&self, n: usize, home: Home) -> Option<()> {
        let constraint = self.slots[n].constraint;
        let others = match constraint.is_operand() {
            true => self.inputs.union(self.early),
            false if constraint.is_result() && !constraint.is_early => self.outputs,
            false => self.outputs.union(self.inputs),
        };
        (!others.intersects(home.units(self.units))).then_some(())
    }

    /// Notes what an operand does to its registers.
    fn mark(&mut self, n: usize, home: Home, is_tied: bool) {
        let constraint = self.slots[n].constraint;
        let units = home.units(self.units);
        let set = if constraint.is_operand() { &mut self.inputs } else { &mut self.outputs };
        set.insert(units);
        if is_tied {
            self.inputs.insert(units);
        }
        if is_tied || constraint.is_early || constraint.direction == Direction::Clobber {
            self.early.insert(units);
        }
    }
}

impl<'a> Slot<'a> {
    /// The letters of its constraint, in order.
    pub fn letters(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.constraint.choices.iter().filter_map(|choice| match choice {
            Choice::Letters(letters) => Some(*letters),
            _ => None,
        })
    }

    /// The first register that its constraint names.
    #[must_use]
    pub fn name(&self) -> Option<&'a str> {
        self.constraint.name()
    }

    /// What asks for an address in the text, if the value is one and the constraint has one of these letters.
    #[must_use]
    pub fn as_symbol(&self, letters: &[&str]) -> Option<Wish> {
        let (symbol, offset) = self.symbol?;
        self.letters().any(|letter| letters.contains(&letter)).then_some(Wish::Symbol(symbol, offset))
    }

    /// What the first choice asks for that is no register: the place of an output, a flag in one of `flags`, a number
    /// that letters have room for.
    #[must_use]
    pub fn unregistered(
        &self,
        flags: &'static [Home],
        takes_number: impl Fn(&str, i64) -> bool,
    ) -> Option<Option<Wish>> {
        self.constraint.choices.iter().find_map(|choice| match *choice {
            Choice::Same(output) => Some(Some(Wish::Same(output as usize))),
            Choice::Flag(_) => Some(self.ty.is_scalar_int().then_some(Wish::Flag(flags))),
            Choice::Letters(letters) => {
                let number = self.number.filter(|&number| takes_number(letters, number));
                number.map(|number| Some(Wish::Number(number)))
            }
            Choice::Named(_) => None,
        })
    }
}
