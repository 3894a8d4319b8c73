//! Inline assembly that may jump: an instruction that ends its block, as a call does that an exception may leave
//! ([`exceptions`](crate::exceptions)). Nothing is moved on the edges to its targets; an instruction at the start of each
//! receives the outputs where the text leaves them.

use super::{AssemblyRules, Home, Place, Refusal, Slot, coded, constraints, placed, refused, slots};
use crate::lower::Lower;
use crate::mach::{Operand, Sink};
use crate::target::ErrorKind;
use alloc::string::ToString as _;
use alloc::vec::Vec;
use ice_ir::assembly::{Assembly, Choice};
use ice_ir::{Inst, InstData, Value};
use ice_regalloc::RegUnits;

/// The statement that `inst` is, and its inputs.
fn parts<'a, M: AssemblyRules, S: Sink<M::Inst>>(
    cx: &Lower<'a, M::Inst, S>,
    inst: Inst,
) -> Result<(&'a Assembly, &'a [Value]), ErrorKind> {
    let func = cx.func;
    let InstData::AssemblyJump { assembly, args } = *func.inst(inst) else {
        return Err(ErrorKind::Unsupported("an instruction that is no inline assembly which jumps"));
    };
    let assembly =
        func.assembly(assembly).ok_or(ErrorKind::Unsupported("inline assembly that is not there"))?;
    Ok((assembly, func.args(args)))
}

/// Lowers the statement.
pub(super) fn statement<M: AssemblyRules, S: Sink<M::Inst>>(
    machine: M,
    cx: &mut Lower<'_, M::Inst, S>,
    inst: Inst,
) -> Result<(), ErrorKind> {
    let (assembly, args) = parts::<M, S>(cx, inst)?;
    place(machine, cx, inst, assembly, args).map_err(|why| refused(assembly, &why))
}

fn place<M: AssemblyRules, S: Sink<M::Inst>>(
    machine: M,
    cx: &mut Lower<'_, M::Inst, S>,
    inst: Inst,
    assembly: &Assembly,
    args: &[Value],
) -> Result<(), Refusal> {
    let constraints = constraints(machine, assembly)?;
    let is_flag = |choice: &Choice<'_>| matches!(choice, Choice::Flag(_));
    if constraints.iter().any(|constraint| constraint.choices.iter().any(is_flag)) {
        return Err("a statement that jumps has an output in a flag".into());
    }
    // All targets receive the same.
    let first = assembly.targets.first().and_then(|&target| cx.func.layout.first_inst(target));
    let receives = first.filter(|&first| matches!(cx.func.inst(first), InstData::InvokeResult));
    let results: Vec<Value> = receives.map_or(Vec::new(), |first| cx.assembly_results(first).collect());
    let slots = placed(machine, cx, slots(cx, &constraints, &results, args))?;
    let targets = assembly.targets.iter().map(|&target| cx.target(target)).collect();
    let number = coded(machine, cx, inst, assembly, &slots, targets)?;
    let mut destroyed = RegUnits::EMPTY;
    let mut operands = Vec::new();
    for slot in &slots {
        let (Place::Register(home) | Place::Memory(home)) = slot.place else { continue };
        match slot.value {
            Some(value) if !slot.constraint.is_result() => {
                let regs = machine.assembly_input(cx, value, home);
                operands.extend(fixed(machine, slot, home, regs, Operand::use_fixed));
            }
            _ => {
                let file = machine.registers(cx.sink.frame());
                [Some(home.reg), home.high]
                    .into_iter()
                    .flatten()
                    .for_each(|reg| destroyed.insert(file.units(reg)));
            }
        }
    }
    let inst = M::assembly_jump_inst(number, destroyed).ok_or("this machine has none that jumps")?;
    cx.sink.push_with(inst, &operands);
    Ok(())
}

/// The operands in the registers of a slot.
fn fixed<M: AssemblyRules>(
    machine: M,
    slot: &Slot<'_>,
    home: Home,
    regs: [Option<crate::mach::VReg>; 2],
    operand: fn(crate::mach::VReg, crate::mach::RegClass, ice_regalloc::PReg) -> Operand,
) -> impl Iterator<Item = Operand> {
    let ty = slot.ty;
    let pairs = regs.into_iter().zip([Some(home.reg), home.high]);
    pairs.filter_map(move |(vreg, reg)| {
        let (vreg, reg) = (vreg?, reg?);
        Some(operand(vreg, machine.layouts()[M::type_in(reg, ty) as usize].class, reg))
    })
}

/// Receives the outputs of `before`, of which `first` is the first.
pub(super) fn received<M: AssemblyRules, S: Sink<M::Inst>>(
    machine: M,
    cx: &mut Lower<'_, M::Inst, S>,
    before: Inst,
    first: Inst,
) -> Result<(), ErrorKind> {
    let (assembly, args) = parts::<M, S>(cx, before)?;
    let constraints = assembly.operands().map_err(|error| refused(assembly, &error.to_string().into()))?;
    let results: Vec<Value> = cx.assembly_results(first).collect();
    let slots = placed(machine, cx, slots(cx, &constraints, &results, args));
    let slots = slots.map_err(|why| refused(assembly, &why))?;
    let (mut operands, mut behind) = (Vec::new(), Vec::new());
    for slot in slots.iter().filter(|slot| slot.constraint.is_result()) {
        let (Place::Register(home), Some(value)) = (slot.place, slot.value) else { continue };
        let regs = machine.assembly_output(cx, value, home, &mut behind);
        operands.extend(fixed(machine, slot, home, regs, Operand::def_fixed));
    }
    let inst = M::receiving_inst().ok_or(ErrorKind::Unsupported("inline assembly that jumps"))?;
    cx.sink.push_with(inst, &operands);
    behind.into_iter().for_each(|inst| cx.sink.push(inst));
    Ok(())
}
