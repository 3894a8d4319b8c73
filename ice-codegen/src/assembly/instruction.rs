//! Statements that are instructions alone, as the intrinsics of machines become: register allocation chooses the registers of
//! their operands, and the text is assembled when it is emitted.
//!
//! Only where constraints leave the choice among all registers of a class; else the statement is one like others, whose
//! registers are known when it is lowered.

use super::{AssemblyRules, Home, Place, Refusal, Slot, TextCode, Wish, text, with_template};
use crate::lower::Lower;
use crate::mach::{Operand, Sink, VReg};
use alloc::boxed::Box;
use alloc::string::ToString as _;
use alloc::vec::Vec;
use ice_ir::Type;
use ice_ir::assembly::Assembly;
use ice_regalloc::{Allocation, RegClass};

/// A text to be assembled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LateText {
    assembly: Assembly,
    /// Of each operand the type, and the place: any register stands for that which is chosen.
    places: Vec<(Type, Place)>,
}

impl LateText {
    /// The code, with the operands of the instruction in these places.
    ///
    /// # Errors
    /// The text is not known to the machine.
    pub fn assembled<M: AssemblyRules>(&self, machine: M, places: &[Allocation]) -> Result<Vec<u8>, Refusal> {
        self.code(machine, places).map_err(|why| with_template(&self.assembly, &why))
    }

    fn code<M: AssemblyRules>(&self, machine: M, mut places: &[Allocation]) -> Result<Vec<u8>, Refusal> {
        let constraints = self.assembly.operands().map_err(|error| error.to_string())?;
        let mut slots = Vec::with_capacity(constraints.len());
        for (constraint, &(ty, place)) in constraints.iter().zip(&self.places) {
            let place = match place {
                Place::Register(_) => {
                    let (&first, rest) = places.split_first().ok_or("too few operands")?;
                    places = rest;
                    Place::Register(Home::of(first.as_reg().ok_or("an operand in no register")?))
                }
                place => place,
            };
            slots.push(Slot { constraint, value: None, ty, number: None, symbol: None, place });
        }
        let text = text::of(machine, &self.assembly, &slots, 0)?;
        let assembled = machine.assembled(&text, self.assembly.dialect)?;
        let is_whole = assembled.symbols.is_empty()
            && matches!(&assembled.sections[..], [section] if section.relocs.is_empty());
        match assembled.sections.into_iter().next().filter(|_| is_whole) {
            Some(section) => Ok(section.bytes),
            None => Err("it is more than instructions".into()),
        }
    }
}

/// Lowers a statement whose operands have no places yet; `false` if a register of it must be known.
pub(super) fn lower<M: AssemblyRules, S: Sink<M::Inst>>(
    machine: M,
    cx: &mut Lower<'_, M::Inst, S>,
    assembly: &Assembly,
    slots: &[Slot<'_>],
) -> bool {
    let Some(choices) = slots.iter().map(|slot| choice(machine, cx, slot)).collect::<Option<Vec<_>>>() else {
        return false;
    };
    // What is decided here is not taken back once instructions are written.
    let is_register = |output: usize| matches!(choices.get(output), Some(Choice::Register { .. }));
    if choices.iter().any(|choice| matches!(*choice, Choice::Same(output) if !is_register(output))) {
        return false;
    }
    let (mut operands, mut behind) = (Vec::with_capacity(slots.len()), Vec::new());
    let mut places = Vec::with_capacity(slots.len());
    // By operand, where it is a result: its register, and which operand of the instruction it is. Inputs stand behind them.
    let mut results: Vec<Option<(VReg, usize)>> = Vec::new();
    for (slot, &choice) in slots.iter().zip(&choices) {
        let (mut place, mut result) = (Place::None, None);
        match (choice, slot.value) {
            (Choice::Register { home, class, .. }, Some(value)) if slot.constraint.is_result() => {
                let [Some(vreg), _] = machine.assembly_output(cx, value, home, &mut behind) else {
                    return false;
                };
                result = Some((vreg, operands.len()));
                operands.push(match slot.constraint.is_early {
                    true => Operand::def_early_reg(vreg, class),
                    false => Operand::def_reg(vreg, class),
                });
                place = Place::Register(home);
            }
            (Choice::Register { home, class, .. }, Some(value)) => {
                let [Some(vreg), _] = machine.assembly_input(cx, value, home) else { return false };
                operands.push(Operand::use_reg(vreg, class));
                place = Place::Register(home);
            }
            (Choice::Same(output), Some(value)) => {
                let Some(&Some((vreg, at))) = results.get(output) else { return false };
                let Choice::Register { home, inner, class } = choices[output] else { return false };
                let [Some(src), _] = machine.assembly_input(cx, value, home) else { return false };
                let Some(copy) = machine.copy_inst(inner, vreg, src) else { return false };
                cx.sink.push(copy);
                operands[at] = Operand::use_def_reg(vreg, class);
                place = Place::Of(output);
            }
            (Choice::Number(number), _) => place = Place::Number(number),
            _ => {}
        }
        places.push((slot.ty, place));
        results.push(result);
    }
    let late = LateText { assembly: assembly.clone(), places };
    let number =
        cx.sink.tables().add_assembly(TextCode { late: Some(Box::new(late)), ..TextCode::default() });
    cx.sink.push_with(M::assembly_inst(number), &operands);
    behind.into_iter().for_each(|inst| cx.sink.push(inst));
    true
}

/// Where an operand may be.
#[derive(Clone, Copy)]
enum Choice {
    /// In any register of a class, as a value of the type `inner`; `home` is one of them.
    Register {
        home: Home,
        inner: Type,
        class: RegClass,
    },
    /// In the place of this output.
    Same(usize),
    Number(i64),
    Nowhere,
}

/// `None` if a register must be known.
fn choice<M: AssemblyRules, S: Sink<M::Inst>>(
    machine: M,
    cx: &mut Lower<'_, M::Inst, S>,
    slot: &Slot<'_>,
) -> Option<Choice> {
    Some(match machine.wish(slot)? {
        Wish::Among(homes) => {
            let home = *homes.first().filter(|home| home.high.is_none())?;
            let inner = M::type_in(home.reg, slot.ty);
            let class = machine.layouts()[inner as usize].class;
            let order = machine.registers(cx.sink.frame()).classes[class.index()].order;
            let is_free = order.iter().all(|&reg| homes.contains(&Home::of(reg)));
            let is_copied = machine.copy_inst(inner, VReg::from_u32(0), VReg::from_u32(0)).is_some();
            (is_free && is_copied).then_some(Choice::Register { home, inner, class })?
        }
        Wish::Same(output) => Choice::Same(output),
        Wish::Number(number) => Choice::Number(number),
        Wish::Nothing => Choice::Nowhere,
        _ => return None,
    })
}
