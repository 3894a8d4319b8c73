//! Entries of an index for unwinding as text. The assembler makes one of each function; in objects those are left out that say
//! what the one before says.

use super::{AssemblyOutput, write_bytes};
use crate::unwind::{index_instructions, write_exceptions};
use core::fmt::{self, Write as _};
use ice_codegen::FunctionCode;
use ice_elf::{Sink, TypeForm};
use ice_ir::{FuncId, Symbol};

impl<S: Sink> AssemblyOutput<'_, '_, S> {
    /// The directives behind a function that is in an index: its tables, if it has some.
    pub(super) fn write_index_entry(
        &mut self,
        function: FuncId,
        compiled: &FunctionCode<'_>,
        has_tables: bool,
    ) -> fmt::Result {
        if !has_tables {
            return self.text.write_str("\t.cantunwind\n\t.fnend\n");
        }
        let instructions = match index_instructions(self.module, function, compiled.frames) {
            Ok(instructions) => instructions,
            Err(error) => {
                self.fault = Some(error);
                return Err(fmt::Error);
            }
        };
        let exceptions = compiled.exceptions;
        if let Some(table) = exceptions {
            self.text.push_str("\t.personality ");
            self.names.write_symbol(Symbol::Function(table.personality), &mut self.text)?;
            self.text.push('\n');
        }
        if !instructions.is_empty() {
            self.text.push_str("\t.unwind_raw 0");
            instructions.iter().try_for_each(|byte| write!(self.text, ", {byte:#x}"))?;
            self.text.push('\n');
        }
        if let Some(table) = exceptions {
            self.text.push_str("\t.handlerdata\n");
            let (mut bytes, mut references, mut at) = (Vec::new(), Vec::new(), 0);
            let size = compiled.code.len() as u32;
            write_exceptions(TypeForm::Word, table, size, &mut bytes, &mut references);
            for reference in references {
                let field = reference.field as usize;
                if let Some(ty) = table.types[reference.index] {
                    write_bytes(&mut self.text, &bytes[at..field])?;
                    self.text.push_str("\t.long ");
                    self.names.write_symbol(ty, &mut self.text)?;
                    self.text.push_str("(TARGET2)\n");
                    at = field + 4;
                }
            }
            write_bytes(&mut self.text, &bytes[at..])?;
        }
        self.text.write_str("\t.fnend\n")
    }
}
