//! Inline assembly, as far as it is the same for all machines: every operand gets a certain register when the statement is
//! lowered, so that the text can be assembled at once. What register allocation sees is an instruction with fixed
//! operands, as a call is one.
//!
//! [`places`] chooses the registers by the constraints, [`text`] puts their names into the template. What a constraint
//! means, what registers are called and what instructions are, a machine says by [`AssemblyRules`]. What one of them does
//! not know makes the function fail with an error that shows the text.

mod places;
mod text;

pub use places::{Home, Place, Slot, Wish, choose};

use crate::lower::Lower;
use crate::mach::{FrameInfo, Operand, Sink, VReg};
use crate::rules::Operands;
use crate::target::ErrorKind;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use ice_ir::assembly::{Assembly, Dialect};
use ice_ir::{Inst, Type, Value};
use ice_regalloc::PReg;

/// Why a statement cannot be compiled.
pub type Refusal = Box<str>;

/// What a machine has for inline assembly.
pub trait AssemblyRules: Operands {
    /// What comments begin with.
    const COMMENT: &'static str;

    /// Whether there may be such statements at all.
    ///
    /// # Errors
    /// There may not, and why.
    fn admits_assembly(&self) -> Result<(), Refusal>;

    /// What a constraint asks for; `None` if nobody knows.
    fn wish(&self, slot: &Slot<'_>) -> Option<Wish>;

    /// How an operand stands in the text; `None` if it does not with this modifier.
    fn written(&self, slot: &Slot<'_>, modifier: &str, dialect: Dialect) -> Option<String>;

    /// Appends to the text what makes 0 or 1 of a condition in a register.
    fn write_flag(&self, cond: &str, reg: PReg, text: &mut String);

    /// The code of a text without operands.
    ///
    /// # Errors
    /// Something in it is not known.
    fn assembled(&self, text: &str, dialect: Dialect) -> Result<Vec<u8>, Refusal>;

    /// The instruction of a statement, by the number of its code. Its operands come beside it.
    fn assembly_inst(number: u32) -> Self::Inst;

    /// The type of values that are in this register for an operand of type `ty`, which is void for a clobber.
    fn type_in(reg: PReg, ty: Type) -> Type;

    /// Notes what a statement demands of the frame.
    fn note_frame(&self, _slots: &[Slot<'_>], _frame: &mut FrameInfo) {}

    /// The registers with the value of an input.
    fn assembly_input<S: Sink<Self::Inst>>(
        self,
        cx: &mut Lower<'_, Self::Inst, S>,
        value: Value,
        home: Home,
    ) -> [Option<VReg>; 2] {
        match home.high {
            None => [Some(self.reg(cx, value)), None],
            Some(_) => {
                let regs = self.regs(cx, value);
                [Some(regs.lo()), Some(regs.hi())]
            }
        }
    }

    /// The registers that receive a result, and behind the statement the instructions that make its value of them.
    fn assembly_output<S: Sink<Self::Inst>>(
        self,
        cx: &mut Lower<'_, Self::Inst, S>,
        value: Value,
        home: Home,
        _behind: &mut Vec<Self::Inst>,
    ) -> [Option<VReg>; 2] {
        let regs = cx.regs(value);
        [Some(regs.lo()), home.high.map(|_| regs.hi())]
    }

    /// Lowers a statement of inline assembly.
    ///
    /// # Errors
    /// Its text and what is not known of it.
    #[inline(never)]
    fn assembly<S: Sink<Self::Inst>>(
        self,
        cx: &mut Lower<'_, Self::Inst, S>,
        inst: Inst,
        assembly: &Assembly,
        args: &[Value],
    ) -> Result<(), ErrorKind> {
        statement(self, cx, inst, assembly, args)
            .map_err(|why| ErrorKind::Assembly(format!("{:?}: {why}", assembly.template).into()))
    }
}

fn statement<M: AssemblyRules, S: Sink<M::Inst>>(
    machine: M,
    cx: &mut Lower<'_, M::Inst, S>,
    inst: Inst,
    assembly: &Assembly,
    args: &[Value],
) -> Result<(), Refusal> {
    machine.admits_assembly()?;
    let constraints = assembly.operands().map_err(|error| error.to_string())?;
    let results: Vec<Value> = cx.assembly_results(inst).collect();
    let (mut results, mut values) = (results.into_iter(), args.iter().copied());
    let mut slots: Vec<Slot<'_>> = Vec::new();
    for constraint in &constraints {
        let value = match () {
            () if constraint.is_result() => results.next(),
            () if constraint.is_operand() => values.next(),
            () => None,
        };
        let ty = value.map_or(Type::Void, |value| cx.func.value_type(value));
        let number = value.and_then(|value| cx.func.int_value(value));
        slots.push(Slot { constraint, value, ty, number, place: Place::None });
    }
    let file = machine.registers(cx.sink.frame());
    choose(&|slot| machine.wish(slot), &|reg| file.units(reg), &mut slots)?;
    let text = text::of(machine, assembly, &slots, inst.as_u32())?;
    let code = machine.assembled(&text, assembly.dialect)?;
    machine.note_frame(&slots, cx.sink.frame());
    let number = cx.sink.tables().add_assembly(&code);
    push(machine, cx, number, &slots);
    Ok(())
}

/// The instruction with its operands, and what must hold of its results.
fn push<M: AssemblyRules, S: Sink<M::Inst>>(
    machine: M,
    cx: &mut Lower<'_, M::Inst, S>,
    number: u32,
    slots: &[Slot<'_>],
) {
    let mut operands = Vec::new();
    let mut behind = Vec::new();
    for slot in slots {
        let (Place::Register(home) | Place::Memory(home) | Place::Flag(home)) = slot.place else { continue };
        let is_result = slot.constraint.is_result();
        let regs = match slot.value {
            Some(value) if is_result => machine.assembly_output(cx, value, home, &mut behind),
            Some(value) => machine.assembly_input(cx, value, home),
            None => [Some(home.reg), home.high].map(|reg| Some(cx.temp(M::type_in(reg?, Type::Void)).lo())),
        };
        for (vreg, reg) in regs.into_iter().zip([Some(home.reg), home.high]) {
            let (Some(vreg), Some(reg)) = (vreg, reg) else { continue };
            let class = machine.layouts()[M::type_in(reg, slot.ty) as usize].class;
            operands.push(match slot.value.is_some() && !is_result {
                true => Operand::use_fixed(vreg, class, reg),
                false => Operand::def_fixed(vreg, class, reg),
            });
        }
    }
    cx.sink.push_with(M::assembly_inst(number), &operands);
    behind.into_iter().for_each(|inst| cx.sink.push(inst));
}
