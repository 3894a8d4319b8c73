//! The rules of terminators.

use crate::lower::Lower;
use crate::mach::{MachBlock, MachInst, Sink};
use crate::magic::Signedness;
use crate::target::ErrorKind;
use ice_ir::{Block, Inst, InstData, SwitchKey, Type, Value};

/// The kind of a terminator, and what it works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields are those of the instructions")]
pub enum Terminator {
    /// Goes to a block.
    Jump { target: MachBlock },
    /// Goes to one of two blocks by a boolean.
    Branch { cond: Value, if_true: MachBlock, if_false: MachBlock },
    /// Goes where a plan says.
    Switch(Selector),
    /// Goes to an address, which is that of a label.
    Indirect { address: Value },
    /// Returns none, one or two values.
    Return { values: [Option<Value>; 2] },
    /// Calls in place of a return: [`Lower::call_of`].
    ReturnCall,
    /// A call that an exception may leave: [`Lower::call_of`]. It goes to a block or, as the function's pad of the number
    /// `clauses` says, to another.
    Invoke { normal: MachBlock, pad: MachBlock, clauses: u32 },
    /// Inline assembly that may jump.
    Assembly,
    /// Is never reached.
    Unreachable,
}

/// What a switch goes by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Selector {
    /// The index of the plan.
    pub switch: u32,
    /// The value that chooses the case.
    pub value: Value,
    /// The type of the value.
    pub ty: Type,
    /// How a value of less than 32 bits is extended to them.
    pub sign: Signedness,
}

impl<I: MachInst, S: Sink<I>> Lower<'_, I, S> {
    /// A switch by addresses.
    #[cold]
    fn indirect(&mut self, address: Value, default: Block, cases: &[(i64, Block)]) -> Terminator {
        if cases.is_empty() {
            return Terminator::Jump { target: self.target(default) };
        }
        for &(label, block) in cases {
            let block = self.target(block);
            self.sink.tables().labels.push((label as u32, block));
        }
        Terminator::Indirect { address }
    }

    /// The rule of a terminator. A switch is planned; one without cases is a jump.
    ///
    /// # Errors
    /// The instruction does not end a block.
    #[inline(always)]
    pub fn terminator(&mut self, inst: Inst) -> Result<Terminator, ErrorKind> {
        let func = self.func;
        Ok(match *func.inst(inst) {
            InstData::Br { target } => Terminator::Jump { target: self.target(target) },
            InstData::CondBr { cond, if_true, if_false } => {
                let (if_true, if_false) = (self.target(if_true), self.target(if_false));
                Terminator::Branch { cond, if_true, if_false }
            }
            InstData::Switch { value, default, table } => {
                let (cases, ty) = (&func.switch(table).cases, func.value_type(value));
                if func.switch(table).key == SwitchKey::Label {
                    return Ok(self.indirect(value, default, cases));
                }
                match cases.is_empty() {
                    true => Terminator::Jump { target: self.target(default) },
                    false => {
                        let (switch, sign) = self.plan_switch(ty, default, cases);
                        Terminator::Switch(Selector { switch, value, ty, sign })
                    }
                }
            }
            InstData::Ret { value } => Terminator::Return { values: [value, None] },
            InstData::RetPair { values } => Terminator::Return { values: values.map(Some) },
            InstData::ReturnCall { .. }
            | InstData::ReturnCallIndirect { .. }
            | InstData::ReturnCallAs { .. } => Terminator::ReturnCall,
            InstData::Invoke { call, .. } => {
                let call = func.exceptions.invocation(call);
                let first = func.layout.first_inst(call.pad).map(|inst| func.inst(inst));
                let Some(&InstData::LandingPad { pad }) = first else {
                    return Err(ErrorKind::Unsupported("an invoke without a landing pad"));
                };
                let (normal, clauses) = (self.target(call.normal), pad.as_u32());
                Terminator::Invoke { normal, pad: self.target(call.pad), clauses }
            }
            InstData::AssemblyJump { .. } => Terminator::Assembly,
            InstData::Unreachable => Terminator::Unreachable,
            _ => return Err(ErrorKind::Unsupported("an instruction that does not end a block")),
        })
    }
}
