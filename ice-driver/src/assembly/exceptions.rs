//! Tables for exceptions as text: the same words and tables in the same sections as [`object`](crate::object) writes.
//!
//! Names, all local: `.LA3` the fourth word with an address, `.LE12` the table of function 12.

use super::{AssemblyOutput, write_bytes};
use crate::unwind::write_exceptions;
use core::fmt::{self, Write as _};
use ice_codegen::exceptions::ExceptionTable;
use ice_elf::{Sink, TypeForm};
use ice_ir::{FuncId, Symbol, Type};

impl<S: Sink> AssemblyOutput<'_, '_, S> {
    /// The directives behind the start of a function that name its personality routine and its table.
    pub(super) fn write_personality(&mut self, function: FuncId, table: &ExceptionTable) -> fmt::Result {
        let word = self.address_word(Symbol::Function(table.personality));
        let function = function.as_u32();
        writeln!(self.text, "\t.cfi_personality {}, .LA{word}", self.own.personality)?;
        writeln!(self.text, "\t.cfi_lsda 0x1b, .LE{function}")
    }

    /// The number of the word with the address of a symbol.
    fn address_word(&mut self, symbol: Symbol) -> usize {
        let known = self.address_words.iter().position(|&known| known == symbol);
        known.unwrap_or_else(|| {
            self.address_words.push(symbol);
            self.address_words.len() - 1
        })
    }

    /// The table of a function of `size` bytes.
    pub(super) fn write_exceptions(
        &mut self,
        function: FuncId,
        table: &ExceptionTable,
        size: u32,
    ) -> fmt::Result {
        let (mut bytes, mut references) = (Vec::new(), Vec::new());
        write_exceptions(TypeForm::Distance, table, size, &mut bytes, &mut references);
        self.text.push_str("\t.section .gcc_except_table,\"a\",%progbits\n\t.p2align 2\n");
        writeln!(self.text, ".LE{}:", function.as_u32())?;
        let mut at = 0;
        for reference in references {
            let field = reference.field as usize;
            if let Some(ty) = table.types[reference.index] {
                write_bytes(&mut self.text, &bytes[at..field])?;
                let word = self.address_word(ty);
                writeln!(self.text, "\t.4byte .LA{word}-.")?;
                at = field + 4;
            }
        }
        write_bytes(&mut self.text, &bytes[at..])
    }

    /// The words with addresses, at the end.
    pub(super) fn write_address_words(&mut self) -> fmt::Result {
        if self.address_words.is_empty() {
            return Ok(());
        }
        let (align, word) = match self.module.pointer_type {
            Type::I64 => (3, ".quad"),
            _ => (2, ".long"),
        };
        writeln!(self.text, "\t.section .data.rel.ro,\"aw\",%progbits\n\t.p2align {align}")?;
        for (index, &symbol) in self.address_words.iter().enumerate() {
            write!(self.text, ".LA{index}:\n\t{word} ")?;
            self.names.write_symbol(symbol, &mut self.text)?;
            self.text.push('\n');
        }
        Ok(())
    }
}
