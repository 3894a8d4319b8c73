//! Inline assembly: every operand gets a certain register here, so that the text can be assembled at once. What
//! register allocation sees is an instruction with fixed operands, as a call is one.
//!
//! [`places`] chooses the registers by the constraints, [`text`] puts their names into the template; the assembler is
//! `ice-asm`'s. What one of them does not know makes the function fail with an error that shows the text.

mod places;
mod text;

use crate::inst::Inst;
use crate::regs::{GPR, RAX, RDX, XMM};
use crate::target::{Cx, X86};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::ToString as _;
use alloc::vec::Vec;
use ice_asm::CodeBuffer;
use ice_asm::x86::{Encoder, Syntax, assemble};
use ice_codegen::mach::{Operand, RegClass, Sink};
use ice_codegen::{ErrorKind, Operands as _, Target as _};
use ice_ir::assembly::{Assembly, Dialect};
use ice_ir::{Inst as IrInst, Type, Value};
use places::{Place, Slot};

/// Why a statement cannot be compiled.
type Refusal = Box<str>;

impl X86 {
    /// Lowers a statement of inline assembly.
    pub(crate) fn assembly<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: IrInst,
        assembly: &Assembly,
        args: &[Value],
    ) -> Result<(), ErrorKind> {
        self.any_assembly(cx, inst, assembly, args)
            .map_err(|why| ErrorKind::Assembly(format!("{:?}: {why}", assembly.template).into()))
    }

    fn any_assembly<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: IrInst,
        assembly: &Assembly,
        args: &[Value],
    ) -> Result<(), Refusal> {
        if self.is_confined() {
            return Err("the sandbox has no place for it".into());
        }
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
        places::choose(self.mode, &mut slots)?;
        let text = text::of(self, assembly, &slots, inst.as_u32())?;
        let code = self.assembled(&text, assembly.dialect)?;
        let number = cx.sink.tables().add_assembly(&code);
        self.push_assembly(cx, number, &slots);
        Ok(())
    }

    /// The code of a text without operands.
    fn assembled(self, text: &str, dialect: Dialect) -> Result<Vec<u8>, Refusal> {
        let syntax = match dialect {
            Dialect::Att => Syntax::Att,
            Dialect::Intel => Syntax::Intel,
        };
        let mut buffer: CodeBuffer = CodeBuffer::new();
        assemble(&mut Encoder::new(&mut buffer, self.mode), text, syntax)
            .map_err(|error| error.to_string())?;
        buffer.finish().map_err(|error| error.to_string())?;
        Ok(buffer.bytes().to_vec())
    }

    /// The instruction with its operands, and what must hold of its results.
    fn push_assembly<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, number: u32, slots: &[Slot<'_>]) {
        let mut operands = Vec::new();
        let mut words = Vec::new();
        for slot in slots {
            let class = self.layouts()[slot.ty as usize].class;
            match (slot.value, slot.place) {
                (Some(value), place) if slot.constraint.is_result() => {
                    let regs = self.regs(cx, value);
                    match place {
                        Place::Pair => {
                            operands.push(Operand::def_fixed(regs.lo(), GPR, RAX));
                            operands.push(Operand::def_fixed(regs.hi(), GPR, RDX));
                        }
                        Place::Register(reg) | Place::Flag(reg)
                            if slot.ty == Type::I32 && !self.has_pairs() =>
                        {
                            // What the text leaves in the upper half is not known.
                            let word = self.temp(cx, slot.ty);
                            operands.push(Operand::def_fixed(word, class, reg));
                            words.push(Inst::ZeroUpper { dst: regs.lo(), src: word });
                        }
                        Place::Register(reg) | Place::Flag(reg) => {
                            operands.push(Operand::def_fixed(regs.lo(), class, reg));
                        }
                        Place::Memory(_) | Place::Number(_) | Place::None => {}
                    }
                }
                (Some(value), Place::Pair) => {
                    let regs = self.regs(cx, value);
                    operands.push(Operand::use_fixed(regs.lo(), GPR, RAX));
                    operands.push(Operand::use_fixed(regs.hi(), GPR, RDX));
                }
                (Some(value), Place::Register(reg) | Place::Memory(reg)) => {
                    operands.push(Operand::use_fixed(self.reg(cx, value), class, reg));
                }
                (None, Place::Register(reg)) => {
                    let (class, ty): (RegClass, Type) = match places::is_vector(reg) {
                        true => (XMM, Type::V4I32),
                        false => (GPR, Type::I32),
                    };
                    let destroyed = self.temp(cx, ty);
                    operands.push(Operand::def_fixed(destroyed, class, reg));
                }
                _ => {}
            }
        }
        cx.sink.push_with(Inst::Assembly { number }, &operands);
        words.into_iter().for_each(|word| cx.sink.push(word));
    }
}
