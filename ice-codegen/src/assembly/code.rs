//! The code of a statement of inline assembly, with what it refers to: symbols, blocks of the function that it jumps to, and
//! what it puts into other sections.
//!
//! It is there when the statement is lowered, but for [instructions](LateText) whose registers are not known then. Emission appends it ([`TextParts::emit`]); what other sections say of places in
//! the code is known when the function is finished.

use super::LateText;
use crate::compiled::{CodeSymbol, CompiledCode};
use crate::emission::label;
use crate::internal::{CodegenStep, Faults};
use crate::mach::MachBlock;
use crate::target::ErrorKind;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use ice_asm::{BranchIsa, CodeBuffer, Listing, Reloc, RelocKind, SectionName, SymbolId};

/// What a field in a text is filled with the address of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextTarget {
    /// The start of the text's code.
    Code,
    /// The start of what it has in another section, by number.
    Part(u32),
    /// A symbol, [packed](CodeSymbol::pack).
    Symbol(SymbolId),
    /// A block that the text jumps to, by number of its targets.
    Block(u32),
}

/// A field that is filled in later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextReloc {
    /// Where it is, in bytes from the start of the code or of the part.
    pub offset: u32,
    /// What to compute.
    pub kind: RelocKind,
    /// Whose address it is.
    pub target: TextTarget,
    /// Added to it, see [`Reloc`].
    pub addend: i64,
}

/// What a text has in another section than its function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextPart {
    /// The section.
    pub name: SectionName,
    /// What its start is aligned to, in bytes.
    pub alignment: u32,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// By offset.
    pub relocs: Vec<TextReloc>,
}

/// The code of a statement.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TextCode {
    /// Its bytes.
    pub code: Vec<u8>,
    /// By offset.
    pub relocs: Vec<TextReloc>,
    /// What it has in other sections.
    pub parts: Vec<TextPart>,
    /// The blocks that it goes to, if it may jump: first the one behind it.
    pub targets: Vec<MachBlock>,
    /// What is assembled when it is emitted, in place of the code.
    pub late: Option<Box<LateText>>,
}

/// Bytes in a section of the object, beside the code of a function that they belong to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SectionPart {
    /// The section.
    pub name: SectionName,
    /// What its start is aligned to, in bytes.
    pub alignment: u32,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Relocations by offset, as those of code.
    pub relocs: Vec<Reloc>,
}

/// The texts of a function while it is emitted.
#[derive(Debug, Default)]
pub struct TextParts {
    /// By number of the text, where its code begins. Only those that have parts.
    texts: Vec<(u32, u32)>,
    /// How many parts these have together.
    count: u32,
}

impl TextParts {
    /// Starts a function; keeps the memory.
    pub fn begin(&mut self) {
        self.texts.clear();
        self.count = 0;
    }

    /// Appends the code of the text of this number.
    pub fn emit<L: Listing, B: BranchIsa>(
        &mut self,
        (number, text): (u32, &TextCode),
        buffer: &mut CodeBuffer<L, B>,
    ) {
        let start = buffer.offset();
        let first_part = self.count;
        let mut done = 0;
        for &TextReloc { offset, kind, target, addend } in &text.relocs {
            let at = offset as usize;
            buffer.emit_data(text.code.get(done..at).unwrap_or_default());
            done = at + kind.size() as usize;
            // One that is not there is at no place, which finishing the buffer finds.
            let block = |target: u32| {
                let block = text.targets.get(target as usize).map_or(u32::MAX, |block| block.as_u32());
                label(MachBlock::from_u32(block))
            };
            let (symbol, addend) = match target {
                TextTarget::Code => (CodeSymbol::Start.pack(), i64::from(start) + addend),
                TextTarget::Part(part) => (CodeSymbol::Part(first_part + part).pack(), addend),
                TextTarget::Symbol(symbol) => (symbol, addend),
                TextTarget::Block(_) => (CodeSymbol::Start.pack(), addend),
            };
            let field = text.code.get(at..).and_then(|field| field.first_chunk());
            match (target, field.filter(|_| kind.is_in_instruction())) {
                (TextTarget::Block(target), word) => {
                    buffer.set_symbol(symbol);
                    match word {
                        Some(word) => {
                            let word = u32::from_le_bytes(*word);
                            buffer.emit_instruction_to_label(word, kind, block(target), addend);
                        }
                        None => buffer.emit_label_field(kind, block(target), addend),
                    }
                }
                (_, Some(word)) => buffer.emit_instruction(u32::from_le_bytes(*word), kind, symbol, addend),
                (_, None) => buffer.emit_field(kind, symbol, addend),
            }
        }
        buffer.emit_data(text.code.get(done..).unwrap_or_default());
        if !text.parts.is_empty() {
            self.texts.push((number, start));
            self.count += text.parts.len() as u32;
        }
    }

    /// Appends what the function has in other sections, when `buffer` is finished, and the `names` that it refers to.
    ///
    /// # Errors
    /// A block is at no place in the code.
    pub fn finish<L: Listing, B: BranchIsa>(
        &self,
        texts: &[TextCode],
        names: &[Box<str>],
        buffer: &CodeBuffer<L, B>,
        out: &mut CompiledCode,
    ) -> Result<(), ErrorKind> {
        out.names.extend_from_slice(names);
        let mut faults = Faults::default();
        let mut first_part = 0;
        for &(number, start) in &self.texts {
            let Some(text) = texts.get(number as usize) else { continue };
            for part in &text.parts {
                let relocs = part.relocs.iter().map(|&TextReloc { offset, kind, target, addend }| {
                    let (symbol, addend) = match target {
                        TextTarget::Code => (CodeSymbol::Start.pack(), addend + i64::from(start)),
                        TextTarget::Part(part) => (CodeSymbol::Part(first_part + part).pack(), addend),
                        TextTarget::Symbol(symbol) => (symbol, addend),
                        TextTarget::Block(target) => {
                            let block = text.targets.get(target as usize);
                            let place = block.and_then(|&block| buffer.label_offset(label(block)));
                            if place.is_none() {
                                faults.note(number, "a target of inline assembly is at no place in the code");
                            }
                            (CodeSymbol::Start.pack(), addend + i64::from(place.unwrap_or(0)))
                        }
                    };
                    Reloc { offset, kind, symbol, addend }
                });
                out.parts.push(SectionPart {
                    name: part.name.clone(),
                    alignment: part.alignment,
                    bytes: part.bytes.clone(),
                    relocs: relocs.collect(),
                });
            }
            first_part += text.parts.len() as u32;
        }
        faults.check(CodegenStep::Layout, |text| format!("inline assembly {text}"))?;
        Ok(())
    }
}
