//! Inline assembly, as far as it is the same for all machines: every operand gets a certain register when the statement is
//! lowered, so that the text can be assembled at once. What register allocation sees is an instruction with fixed
//! operands, as a call is one.
//!
//! [`places`] chooses the registers by the constraints, [`text`] puts their names into the template. What a constraint
//! means, what registers are called and what instructions are, a machine says by [`AssemblyRules`]. What one of them does
//! not know makes the function fail with an error that shows the text.
//!
//! Symbols and blocks have names of their own in the text, which say what they are ([`text`]); what the text has come to
//! is [`code`]. [`jump`] has statements that may jump, and [`instruction`] those whose registers are chosen later.

mod code;
mod instruction;
mod jump;
mod places;
mod text;

pub use code::{SectionPart, TextCode, TextPart, TextParts, TextReloc, TextTarget};
pub use instruction::LateText;
pub use places::{Home, Place, Slot, Wish, choose};
pub use text::symbol_text;

use crate::lower::Lower;
use crate::mach::{FrameInfo, MachBlock, MachInst, Operand, Sink, VReg};
use crate::rules::Operands;
use crate::target::ErrorKind;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use ice_asm::{Assembled, AssembledReloc};
use ice_ir::assembly::{Assembly, Constraint, Dialect};
use ice_ir::{BinaryOp, Function, Inst, InstData, Symbol, Type, Value, ValueDef};
use ice_regalloc::{PReg, RegUnits};

/// Why a statement cannot be compiled.
pub type Refusal = Box<str>;

/// What a machine has for inline assembly.
pub trait AssemblyRules: Operands {
    /// What comments begin with.
    const COMMENT: &'static str;

    /// Whether there may be such statements at all: the sandbox has no place for them.
    fn admits_assembly(&self) -> bool;

    /// What a constraint asks for; `None` if nobody knows.
    fn wish(&self, slot: &Slot<'_>) -> Option<Wish>;

    /// How an operand stands in the text; `None` if it does not with this modifier.
    fn written(&self, slot: &Slot<'_>, modifier: &str, dialect: Dialect) -> Option<String>;

    /// Appends to the text what makes 0 or 1 of a condition in a register. Nothing where no constraint asks for a flag.
    fn write_flag(&self, _cond: &str, _reg: PReg, _text: &mut String) {}

    /// The code of a text without operands.
    ///
    /// # Errors
    /// Something in it is not known.
    fn assembled(&self, text: &str, dialect: Dialect) -> Result<Assembled, Refusal>;

    /// The instruction of a statement, by the number of its code. Its operands come beside it.
    fn assembly_inst(number: u32) -> Self::Inst;

    /// The instruction of a statement that may jump and destroys these registers; `None` if the machine has none.
    fn assembly_jump_inst(_number: u32, _destroyed: RegUnits) -> Option<Self::Inst> {
        None
    }

    /// The instruction at the start of a block that receives what is there in registers, which come beside it; `None` if the
    /// machine has none.
    fn receiving_inst() -> Option<Self::Inst> {
        None
    }

    /// The type of values that are in this register for an operand of type `ty`, which is void for a clobber.
    fn type_in(reg: PReg, ty: Type) -> Type;

    /// The instruction that copies a value of the type, which registers of the class have. `None` if emission does not assemble
    /// texts, so that all registers must be known when a statement is lowered.
    fn copy_inst(&self, _ty: Type, _dst: VReg, _src: VReg) -> Option<Self::Inst> {
        None
    }

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
        statement(self, cx, inst, assembly, args).map_err(|why| refused(assembly, &why))
    }

    /// Lowers a statement that may jump, the terminator `inst`.
    ///
    /// # Errors
    /// Its text and what is not known of it.
    #[inline(never)]
    fn assembly_jump<S: Sink<Self::Inst>>(
        self,
        cx: &mut Lower<'_, Self::Inst, S>,
        inst: Inst,
    ) -> Result<(), ErrorKind> {
        jump::statement(self, cx, inst)
    }

    /// Receives the outputs of the statement before, at the start of one of its targets.
    ///
    /// # Errors
    /// Those of the statement.
    #[inline(never)]
    fn assembly_received<S: Sink<Self::Inst>>(
        self,
        cx: &mut Lower<'_, Self::Inst, S>,
        before: Inst,
        first: Inst,
    ) -> Result<(), ErrorKind> {
        jump::received(self, cx, before, first)
    }
}

/// Says of which statement a refusal is.
fn with_template(assembly: &Assembly, why: &Refusal) -> Refusal {
    format!("{:?}: {why}", assembly.template).into()
}

fn refused(assembly: &Assembly, why: &Refusal) -> ErrorKind {
    ErrorKind::Assembly(with_template(assembly, why))
}

/// The operands of a statement, where the machine has statements.
fn constraints<M: AssemblyRules>(machine: M, assembly: &Assembly) -> Result<Vec<Constraint<'_>>, Refusal> {
    match machine.admits_assembly() {
        true => assembly.operands().map_err(|error| error.to_string().into()),
        false => Err("the sandbox has no place for it".into()),
    }
}

fn statement<M: AssemblyRules, S: Sink<M::Inst>>(
    machine: M,
    cx: &mut Lower<'_, M::Inst, S>,
    inst: Inst,
    assembly: &Assembly,
    args: &[Value],
) -> Result<(), Refusal> {
    let constraints = constraints(machine, assembly)?;
    let results: Vec<Value> = cx.assembly_results(inst).collect();
    let slots = slots(cx, &constraints, &results, args);
    if assembly.is_instruction && instruction::lower(machine, cx, assembly, &slots) {
        return Ok(());
    }
    let slots = placed(machine, cx, slots)?;
    let number = coded(machine, cx, inst, assembly, &slots, Vec::new())?;
    push(machine, cx, M::assembly_inst(number), &slots);
    Ok(())
}

/// The operands of a statement.
fn slots<'a, I: MachInst, S: Sink<I>>(
    cx: &Lower<'_, I, S>,
    constraints: &'a [Constraint<'a>],
    results: &[Value],
    args: &[Value],
) -> Vec<Slot<'a>> {
    let (mut results, mut values) = (results.iter().copied(), args.iter().copied());
    let mut slots: Vec<Slot<'_>> = Vec::new();
    for constraint in constraints {
        let value = match () {
            () if constraint.is_result() => results.next(),
            () if constraint.is_operand() => values.next(),
            () => None,
        };
        let ty = value.map_or(Type::Void, |value| cx.func.value_type(value));
        let number = value.and_then(|value| cx.func.int_value(value));
        let symbol = value.filter(|_| !constraint.is_result()).and_then(|value| address(cx.func, value));
        slots.push(Slot { constraint, value, ty, number, symbol, place: Place::None });
    }
    slots
}

/// The operands in their places.
fn placed<'a, M: AssemblyRules, S: Sink<M::Inst>>(
    machine: M,
    cx: &mut Lower<'_, M::Inst, S>,
    mut slots: Vec<Slot<'a>>,
) -> Result<Vec<Slot<'a>>, Refusal> {
    let file = machine.registers(cx.sink.frame());
    choose(&|slot| machine.wish(slot), &|reg| file.units(reg), &mut slots)?;
    machine.note_frame(&slots, cx.sink.frame());
    Ok(slots)
}

/// The symbol, and how far behind it, that a value is the address of.
fn address(func: &Function, value: Value) -> Option<(Symbol, i64)> {
    let symbol = |value| match func.value_def(value) {
        ValueDef::Function(function) => Some(Symbol::Function(function)),
        ValueDef::Global(global) => Some(Symbol::Global(global)),
        _ => None,
    };
    if let Some(symbol) = symbol(value) {
        return Some((symbol, 0));
    }
    match *func.inst(func.defining_inst(value)?) {
        InstData::Binary { op: BinaryOp::Add, args: [base, offset] } => {
            Some((symbol(base)?, func.int_value(offset)?))
        }
        _ => None,
    }
}

/// Keeps the code of a statement that goes to these blocks, and gives its number.
fn coded<M: AssemblyRules, S: Sink<M::Inst>>(
    machine: M,
    cx: &mut Lower<'_, M::Inst, S>,
    inst: Inst,
    assembly: &Assembly,
    slots: &[Slot<'_>],
    targets: Vec<MachBlock>,
) -> Result<u32, Refusal> {
    let text = text::of(machine, assembly, slots, inst.as_u32())?;
    let mut assembled = machine.assembled(&text, assembly.dialect)?;
    if assembled.symbols.iter().any(|symbol| symbol.definition.is_some() || !symbol.versions.is_empty()) {
        return Err("it defines symbols".into());
    }
    let mut relocs = |relocs: &[AssembledReloc]| {
        relocs.iter().map(|reloc| text::relocation(reloc, cx.sink.tables())).collect::<Result<Vec<_>, _>>()
    };
    let first = assembled.sections.remove(0);
    let mut parts = Vec::new();
    for section in &assembled.sections {
        parts.push(TextPart {
            name: section.name.clone(),
            alignment: section.alignment,
            bytes: section.bytes.clone(),
            relocs: relocs(&section.relocs)?,
        });
    }
    let code = TextCode { relocs: relocs(&first.relocs)?, code: first.bytes, parts, targets, late: None };
    Ok(cx.sink.tables().add_assembly(code))
}

/// The instruction with its operands, and what must hold of its results.
fn push<M: AssemblyRules, S: Sink<M::Inst>>(
    machine: M,
    cx: &mut Lower<'_, M::Inst, S>,
    inst: M::Inst,
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
    cx.sink.push_with(inst, &operands);
    behind.into_iter().for_each(|inst| cx.sink.push(inst));
}
