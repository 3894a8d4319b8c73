//! The addresses of blocks: local symbols without a name, for what refers to them from data and code.
//!
//! Data is written before the code and functions in their order, so that a label may be referred to before or after its
//! place is known: a symbol is declared by whoever needs it first, and defined at the end. A label of a function that is not there
//! is a number other than 0.
//!
//! Cost: 12 bytes for each label of a function with indirect branches, and a symbol for each that is referred to.

use super::ObjectOutput;
use crate::error::Error;
use ice_elf::{Binding, Code, CodeSection, Location, Sink, SymbolId, SymbolKind, Visibility};
use ice_ir::{FuncId, GlobalKind};
use std::collections::HashMap;

/// The labels that something refers to, with their symbols.
#[derive(Default)]
pub(super) struct TakenLabels {
    symbols: HashMap<(FuncId, u32), SymbolId>,
    /// In the order in which they were declared.
    declared: Vec<(FuncId, u32)>,
}

impl<S: Sink> ObjectOutput<'_, S> {
    /// The symbol of a label, declared at its first use.
    pub(super) fn label_symbol(&mut self, function: FuncId, label: u32) -> Result<SymbolId, Error> {
        if let Some(&symbol) = self.taken_labels.symbols.get(&(function, label)) {
            return Ok(symbol);
        }
        let symbol =
            self.writer.declare_symbol(b"", Binding::Local, SymbolKind::NoType, Visibility::Default)?;
        self.taken_labels.symbols.insert((function, label), symbol);
        self.taken_labels.declared.push((function, label));
        Ok(symbol)
    }

    /// Defines the symbols of labels and the globals that stand for them, when all code has its place.
    pub(super) fn define_labels(&mut self) -> Result<(), Error> {
        let module = self.module;
        let mut symbols: Vec<((FuncId, u32), SymbolId)> = self
            .taken_labels
            .declared
            .iter()
            .map(|label| (*label, self.taken_labels.symbols[label]))
            .collect();
        for (id, decl) in &module.globals {
            if let GlobalKind::Label { function, label } = decl.kind {
                symbols.push(((function, label), self.globals[id.as_u32() as usize]));
            }
        }
        for ((function, label), symbol) in symbols {
            let own = self.functions[function.as_u32() as usize];
            match self.writer.symbol_place(own)? {
                Some((Location { section, offset }, _)) => {
                    let offset = offset + self.labels.offset(function, label);
                    // Behind a short function that is the last one, a place for a label that no branch leads to.
                    let lacking = offset.saturating_sub(self.writer.section_size(section)?);
                    if lacking > 0 {
                        let mut bytes = vec![0; lacking.next_multiple_of(4) as usize];
                        let section = CodeSection::In(section);
                        let code = Code { symbol: None, bytes: &mut bytes, alignment: 1, section };
                        self.writer.append_code(code, [])?;
                    }
                    self.writer.define(symbol, section, offset, 0)?;
                }
                None => self.writer.define_absolute(symbol, 1)?,
            }
        }
        Ok(())
    }
}
