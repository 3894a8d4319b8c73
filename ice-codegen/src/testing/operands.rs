//! The operands of inline assembly.

use crate::assembly::{Place, Refusal, Slot, Wish, choose};
use alloc::string::String;
use alloc::vec::Vec;
use ice_ir::{Assembly, Type};
use ice_regalloc::{PReg, RegUnits, RegisterFile};

/// What is told of an operand: its place, and how it is written.
pub type PlacedOperand = (Place, Option<String>);

/// The places of operands with these constraints and types, and how they are written with this modifier, on a machine with these
/// registers; the rest as for [`placed_operands`].
///
/// # Errors
/// Those of [`choose`].
pub fn written_operands(
    (constraints, types): (&str, &[Type]),
    (number, modifier): (Option<i64>, &str),
    file: &RegisterFile<'_>,
    wish: &dyn Fn(&Slot<'_>) -> Option<Wish>,
    written: impl Fn(&Slot<'_>, &str) -> Option<String>,
) -> Result<Vec<PlacedOperand>, Refusal> {
    let units = |reg| file.units(reg);
    placed_operands(constraints, types, number, wish, &units, |slot| (slot.place, written(slot, modifier)))
}

/// What `look` says of each operand with these constraints when all have their places. Those that are values have these types,
/// and inputs are this number if there is one; `wish` and `units` as for [`choose`].
///
/// # Errors
/// Those of [`choose`].
pub fn placed_operands<T>(
    constraints: &str,
    types: &[Type],
    number: Option<i64>,
    wish: &dyn Fn(&Slot<'_>) -> Option<Wish>,
    units: &dyn Fn(PReg) -> RegUnits,
    look: impl Fn(&Slot<'_>) -> T,
) -> Result<Vec<T>, Refusal> {
    let assembly = Assembly { constraints: constraints.into(), ..Assembly::default() };
    let constraints = assembly.operands().unwrap_or_else(|error| panic!("{error}"));
    let mut types = types.iter();
    let slots = constraints.iter().map(|constraint| {
        let has_value = constraint.is_result() || constraint.is_operand();
        let ty = has_value.then(|| types.next().expect("each value has a type"));
        let ty = ty.copied().unwrap_or(Type::Void);
        let number = number.filter(|_| constraint.is_operand());
        Slot { constraint, value: None, ty, number, symbol: None, place: Place::None }
    });
    let mut slots: Vec<_> = slots.collect();
    choose(wish, units, &mut slots)?;
    Ok(slots.iter().map(look).collect())
}
